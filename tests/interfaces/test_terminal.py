"""How the command line names itself: as it was started."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from research_core.interfaces.terminal import find_program_name, rename_commands

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("started", "name"),
    [
        ("/home/ada/assay/research_core/__main__.py", "python3 run.py"),
        ("research_core/__main__.py", "python3 run.py"),
        ("/home/ada/.venv/bin/assay", "assay"),
        ("assay", "assay"),
        ("/größer/bin/assay", "assay"),
        ("/usr/lib/python3/site-packages/pytest/__main__.py", "assay"),
        ("", "assay"),
    ],
)
def test_the_program_is_named_as_it_was_started(started: str, name: str) -> None:
    assert find_program_name(started) == name


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("`assay resume 12ab` goes on.", "`python3 run.py resume 12ab` goes on."),
        (
            'No sessions yet. `assay ask "…"` starts one.',
            'No sessions yet. `python3 run.py ask "…"` starts one.',
        ),
        ("`assay allow` or `assay refuse`", "`python3 run.py allow` or `python3 run.py refuse`"),
        ("assay: There is no session x.", "assay: There is no session x."),
        ("12 assays of `assayed` ore", "12 assays of `assayed` ore"),
    ],
)
def test_a_command_in_a_message_is_one_that_can_be_typed(line: str, shown: str) -> None:
    assert rename_commands(line, "python3 run.py") == shown
    assert rename_commands(line, "assay") == line


def test_a_command_started_as_a_module_names_itself_so() -> None:
    command = [sys.executable, "-m", "research_core", "export", "nobody"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode in (1, 2)
    assert "`python3 run.py sessions` lists" in done.stderr
