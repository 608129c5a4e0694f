"""The public API of `research_core`: its names, when they are imported, and its example."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import research_core
from research_core.pipeline.run import research

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("name", research_core.__all__)
def test_a_public_name_can_be_imported(name: str) -> None:
    assert getattr(research_core, name) is not None
    assert name in dir(research_core)


def test_the_function_is_not_hidden_by_a_module() -> None:
    from research_core import research as offered

    assert offered is research


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = research_core.nothing


def test_importing_the_package_imports_nothing_else() -> None:
    program = "import sys, research_core; print(*(m for m in sys.modules if m.startswith('research_core')))"
    printed = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert printed.stdout.split() == ["research_core"]


def test_the_example_of_the_docstring_prints_a_report(
    capsys: pytest.CaptureFixture[str],
) -> None:
    doc = research_core.__doc__ or ""
    lines = [line[4:] for line in doc.splitlines() if line.startswith("    ") or not line]
    exec(compile("\n".join(lines), "the docstring's example", "exec"), {})
    printed = capsys.readouterr().out
    assert printed.startswith("# What is deep-sea mining?")
    assert "Credibility Score" in printed
