"""What each program imports before it begins: a start is quick only while these lists are short."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DATABASE = {"idna", "publicsuffixlist", "sqlalchemy", "typing_extensions"}


@dataclass(frozen=True)
class Start:
    """A start that somebody waits for.

    program: what it imports. packages: those of others that this brings, and no more. most: how
    many modules of Assay at most. framework: what the program stands on, whose packages are not
    counted.
    """

    program: str
    packages: frozenset[str]
    most: int
    framework: str = ""


def command(words: str, packages: Iterable[str], most: int) -> Start:
    program = f"import research_core.wiring; commands.find_command({words!r})"
    return Start(f"{COMMANDS}; {program}", frozenset(packages), most)


APP = (
    "import streamlit, streamlit.auth_util, streamlit.web.server.server_util,"
    " streamlit.web.server.starlette"
)
COMMANDS = "from research_core.interfaces.cli import commands"
STARTS = {
    "--help": Start(
        f"{COMMANDS}; commands.build_parser()", frozenset({"idna", "publicsuffixlist"}), 20
    ),
    "sessions": command("sessions", DATABASE, 60),
    "show": command("show", {*DATABASE, "snowballstemmer"}, 140),
    "ask": command("ask", {*DATABASE, "ddgs", "lxml"}, 150),
    "app": Start(
        "import app", frozenset({"app", "parts", *DATABASE} - {"typing_extensions"}), 30, APP
    ),
    "first screen": Start(
        "import app; app.import_first_screen()",
        frozenset({"app", "parts", "ddgs", "lxml", *DATABASE} - {"typing_extensions"}),
        150,
        APP,
    ),
    "lists of sessions": Start(
        "import sys; sys.path.append('pages'); from parts.ask import recent_sessions",
        frozenset({"parts", "ddgs", "lxml", "snowballstemmer", *DATABASE} - {"typing_extensions"}),
        189,
        APP,
    ),
    "worker": Start(
        "from research_core.sessions import workers, dbos_queue",
        frozenset({"idna", "publicsuffixlist"}),
        80,
        "import dbos",
    ),
    "tools": Start(
        "from research_core.interfaces.mcp import server",
        frozenset({"ddgs", "lxml", "publicsuffixlist", "sqlalchemy"}),
        221,
        "import mcp.server.lowlevel, mcp.server.stdio",
    ),
}
REPORT = """
import json, sys
packages = {
    name.partition(".")[0] for name, module in sys.modules.items() if getattr(module, "__file__", "")
}
own = [name for name in sys.modules if name.startswith("research_core")]
others = sorted(packages - before - set(sys.stdlib_module_names) - {"research_core"})
print(json.dumps([others, len(own)]))
"""


@pytest.mark.parametrize("name", STARTS)
def test_a_start_imports_no_more_than_it_needs(name: str) -> None:
    start = STARTS[name]
    before = 'import sys\nbefore = {name.partition(".")[0] for name in sys.modules}'
    done = subprocess.run(
        [sys.executable, "-c", f"{start.framework}\n{before}\n{start.program}\n{REPORT}"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    others, own = json.loads(done.stdout)
    assert {name for name in others if not name.startswith("_")} == start.packages
    assert own <= start.most


def test_the_engine_imports_nothing_that_breaks_statements_of_other_threads() -> None:
    """While `sqlalchemy.orm` is imported, statements of other threads fail with AttributeError; the
    app starts its engine when screens are open already.
    """
    program = (
        "import sys, app; before = set(sys.modules); from research_core.sessions import dbos_queue;"
        " print([name for name in sys.modules.keys() - before if name.startswith('sqlalchemy.orm')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
