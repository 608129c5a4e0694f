"""Ctrl-C while a program is importing its modules: status 130 and not a word, at whatever module it
is. Nobody reads its output: 141.
"""

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
from research_core.quiet_exit import INTERRUPTED_CODE, UNREAD_CODE
from tests.everyday import mark_first_everyday, mark_first_rows_everyday
from tests.timing import LONG_S

ROOT = Path(__file__).parents[1]
PROGRAMS = (
    ("-m", "research_core", "tools", "list"),
    ("-P", "-m", "research_core.mcp_stdio"),
    ("-P", "-m", "research_core.workers"),
)
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


def begun(
    stack: ExitStack,
    folder: Path,
    program: tuple[str, ...],
    module: str,
    way: Callable[..., object],
) -> subprocess.Popen[str]:
    """The program, whoever started it having SIGINT done with in this way."""
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]),
        "WAIT_AT": module,
        "ASSAY_HOME": str(folder),
    }
    options = {
        "stdin": subprocess.PIPE,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
        "text": True,
    }
    command = [sys.executable, *program]
    process: subprocess.Popen[str] = subprocess.Popen(
        command, cwd=folder, env=env, preexec_fn=way, **options
    )  # type: ignore[call-overload]
    stack.enter_context(process)
    stack.callback(process.kill)
    return process


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sitecustomize.py").write_text(WAITING)
    return tmp_path


HEEDED, IGNORED = (
    partial(signal.signal, signal.SIGINT, way) for way in (signal.SIG_DFL, signal.SIG_IGN)
)


@pytest.mark.parametrize("started", mark_first_everyday([PROGRAMS[:1], PROGRAMS[1:]]))
def test_ctrl_c_while_modules_are_imported_ends_quietly(
    folder: Path, started: tuple[tuple[str, ...], ...]
) -> None:
    with ExitStack() as stack:
        programs = [
            begun(stack, folder, program, module, HEEDED)
            for program in started
            for module in MODULES
        ]
        for process in programs:
            assert process.stdout is not None
            assert process.stdout.readline() == "waiting\n"
            process.send_signal(signal.SIGINT)
        ends = [(process.communicate(timeout=LONG_S), process.returncode) for process in programs]
    assert ends == [(("", ""), INTERRUPTED_CODE)] * len(programs)


@pytest.mark.parametrize("settle", ["settle_collector", "settle_collector_for_command"])
def test_the_collector_has_nothing_to_do_at_the_end(settle: str) -> None:
    program = (
        "import atexit, gc\n"
        "atexit.register(lambda: print(gc.get_count()[0] < 100, gc.get_freeze_count() > 1000))\n"
        f"from research_core.quiet_exit import {settle} as settle; settle()\n"
        "import json, argparse\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("True True\n", "")


def test_ctrl_c_stays_ignored_where_it_was(folder: Path) -> None:
    with ExitStack() as stack:
        process = begun(stack, folder, ("-m", "research_core", "--version"), MODULES[0], IGNORED)
        assert process.stdout is not None
        assert process.stdout.readline() == "waiting\n"
        process.send_signal(signal.SIGINT)
        said, complained = process.communicate("\n", timeout=LONG_S)
    assert (said, complained, process.returncode) == (f"assay {__version__}\n", "", 0)


@pytest.mark.full("processes")
def test_ctrl_c_ends_the_app_with_one_line(tmp_path: Path) -> None:
    command = [sys.executable, "app.py", "--server.port=0", "--server.headless=true"]
    env = {**os.environ, "ASSAY_HOME": str(tmp_path)}
    with subprocess.Popen(
        command, cwd=ROOT, env=env, text=True, stdout=-1, stderr=-1, preexec_fn=HEEDED
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("· Assay is at http://127.0.0.1:")
        process.send_signal(signal.SIGINT)
        said, complained = process.communicate(timeout=LONG_S)
    assert (said, complained, process.returncode) == ("\n· Assay has ended.\n", "", 0)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ASSAY_MODEL", "gpt"),
        ("SEARCH_ROUTING", "nonsense"),
        ("SEARCH_ROUTING", '{"web": ["größer"]}'),
        ("ASSAY_DDGS_ENGINES", "brave,yahooo"),
        ("ASSAY_WORKERS", "abc"),
    ],
)
def test_the_app_names_a_setting_that_cannot_be_used(
    name: str,
    value: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from app import serve

    monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit) as ended:
        serve([])
    assert ended.value.code == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith(f"assay: {name} cannot be {value!r}: ")


PRINTING = (["--help"], ["tools", "list"], ["sessions", "--json"])
#: What is printed to nobody, and which ends nobody reads.
UNHEARD = [(PRINTING[1:2], ("stdout",)), (PRINTING, ("stdout",)), (PRINTING, ("stdout", "stderr"))]


def run(folder: Path, command: list[str], **ends: int) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "ASSAY_HOME": str(folder), "PYTHONUNBUFFERED": ""}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.run(command, cwd=folder, env=env, text=True, timeout=LONG_S, **(pipes | ends))  # type: ignore[call-overload,no-any-return]


@pytest.mark.full
@pytest.mark.parametrize(("printing", "ends"), mark_first_rows_everyday(UNHEARD))
def test_output_nobody_reads_ends_it_quietly(
    tmp_path: Path, printing: tuple[list[str], ...], ends: tuple[str, ...]
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    said = [
        run(
            tmp_path,
            [sys.executable, "-m", "research_core", *words],
            **dict.fromkeys(ends, writing),
        )
        for words in printing
    ]
    os.close(writing)
    assert [(each.returncode, each.stderr or "") for each in said] == [(UNREAD_CODE, "")] * len(
        printing
    )


@pytest.mark.full
@pytest.mark.parametrize("closed", mark_first_everyday(["<&- >&-", "<&-", ">&-"]))
def test_closed_ends_are_no_trouble(tmp_path: Path, closed: str) -> None:
    said = run(
        tmp_path,
        ["/bin/sh", "-c", f'exec "{sys.executable}" -m research_core sessions --json {closed}'],
    )
    assert (said.returncode, said.stdout, said.stderr) == (0, "" if ">" in closed else "[]\n", "")
