"""What each program imports before it begins: a start is quick only while these lists are short."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
#: Starts that everybody waits for: what to import, the packages of others that this may bring, and
#: how many modules of Assay at most.
STARTS = {
    "--help": (
        "from research_core.interfaces.cli import commands; commands.build_parser()",
        {"idna", "publicsuffixlist"},
        20,
    ),
    "sessions": (
        "from research_core.interfaces.cli import commands; import research_core.wiring;"
        "commands.find_command('sessions')",
        {"idna", "publicsuffixlist", "sqlalchemy", "typing_extensions"},
        60,
    ),
    "show": (
        "from research_core.interfaces.cli import commands; commands.find_command('show')",
        {
            "idna",
            "publicsuffixlist",
            "snowballstemmer",
            "spellchecker",
            "sqlalchemy",
            "typing_extensions",
        },
        125,
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


@pytest.mark.parametrize("start", STARTS)
def test_a_start_imports_no_more_than_it_needs(start: str) -> None:
    program, packages, most = STARTS[start]
    before = 'import sys\nbefore = {name.partition(".")[0] for name in sys.modules}\n'
    done = subprocess.run(
        [sys.executable, "-c", f"{before}{program}\n{REPORT}"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    others, own = json.loads(done.stdout)
    assert {name for name in others if not name.startswith("_")} == packages
    assert own <= most
