"""Ctrl-C while a program is importing its modules: status 130 and not a word, at whatever module it is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from research_core import __version__
from research_core.interrupt import INTERRUPTED
from tests.patience import LONG_S

ROOT = Path(__file__).parents[2]
PROGRAMS = (("-m", "research_core", "tools", "list"), ("-P", "-m", "research_core.mcp_stdio"))
#: Of the modules that each of them imports one of the first, and one of the last.
MODULES = ("research_core.errors", "research_core.wiring")
#: Has the process say that it begins to import a module, and wait there for a line.
WAITING = """
import os, sys

class Waiting:
    def find_spec(self, name, *_):
        if name == os.environ["WAIT_AT"]:
            sys.stdout.write("waiting\\n")
            sys.stdout.flush()
            sys.stdin.readline()

sys.meta_path.insert(0, Waiting())
"""


def begun(stack: ExitStack, folder: Path, program: tuple[str, ...], module: str, way: Callable[..., object]) -> subprocess.Popen[str]:
    """The program, whoever started it having SIGINT done with in this way."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]), "WAIT_AT": module, "ASSAY_HOME": str(folder)}
    options = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    command = [sys.executable, *program]
    process: subprocess.Popen[str] = subprocess.Popen(command, cwd=folder, env=env, preexec_fn=way, **options)  # type: ignore[call-overload]
    stack.enter_context(process)
    stack.callback(process.kill)
    return process


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sitecustomize.py").write_text(WAITING)
    return tmp_path


HEEDED, IGNORED = (partial(signal.signal, signal.SIGINT, way) for way in (signal.SIG_DFL, signal.SIG_IGN))


def test_ctrl_c_while_modules_are_imported_ends_quietly(folder: Path) -> None:
    with ExitStack() as stack:
        programs = [begun(stack, folder, program, module, HEEDED) for program in PROGRAMS for module in MODULES]
        for process in programs:
            assert process.stdout is not None
            assert process.stdout.readline() == "waiting\n"
            process.send_signal(signal.SIGINT)
        ends = [(process.communicate(timeout=LONG_S), process.returncode) for process in programs]
    assert ends == [(("", ""), INTERRUPTED)] * len(programs)


def test_ctrl_c_stays_ignored_where_it_was(folder: Path) -> None:
    with ExitStack() as stack:
        process = begun(stack, folder, ("-m", "research_core", "--version"), MODULES[0], IGNORED)
        assert process.stdout is not None
        assert process.stdout.readline() == "waiting\n"
        process.send_signal(signal.SIGINT)
        said, complained = process.communicate("\n", timeout=LONG_S)
    assert (said, complained, process.returncode) == (f"assay {__version__}\n", "", 0)
