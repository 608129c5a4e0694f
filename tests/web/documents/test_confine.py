"""A confined process keeps what it has and can read and reckon, and nothing else."""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
on_linux = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in ("x86_64", "aarch64"),
    reason="The filter is of Linux on x86-64 and ARM.",
)


def tried(code: str, *, memory: int = 200_000_000, before: str = "") -> str:
    """Return what a process prints that confines itself and then evaluates this code.

    That is the name of the error if it fails. before: statements it runs while it is still free.
    """
    program = (
        f"import sys, os; sys.path.insert(0, {str(ROOT)!r})\nfrom research_core.web.documents.confine import confine_process\n"
        f"import ctypes, socket, subprocess, threading\n{before}\nconfine_process({memory})\n"
        f"try:\n    print({code})\nexcept BaseException as error:\n    print(type(error).__name__)"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", program],
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    return done.stdout.strip()


@on_linux
@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        ("socket.socket()", "PermissionError"),
        ("socket.socketpair()", "PermissionError"),
        ("subprocess.run(['true'])", "PermissionError"),
        ("os.fork()", "PermissionError"),
        ("os.execv('/bin/true', ['true'])", "PermissionError"),
        ("os.kill(os.getppid(), 0)", "PermissionError"),
        ("open('/tmp/assay-confined', 'w')", "PermissionError"),
        ("os.open('/etc/passwd', os.O_RDWR)", "PermissionError"),
        ("os.open('/tmp', os.O_TMPFILE | os.O_WRONLY)", "PermissionError"),
        ("os.unlink('/tmp/assay-nothing')", "PermissionError"),
        ("os.rename('/tmp/assay-nothing', '/tmp/assay-nothing-2')", "PermissionError"),
        ("os.truncate('/tmp/assay-nothing', 0)", "PermissionError"),
        ("len(bytearray(300_000_000))", "MemoryError"),
        ("open('/etc/hosts').read() != '' or len(bytearray(100_000_000))", "True"),
        ("sum(range(10))", "45"),
    ],
)
def test_a_confined_process_can_read_and_reckon_and_nothing_else(code: str, outcome: str) -> None:
    assert tried(code) == outcome


@on_linux
def test_a_confined_process_cannot_write_a_large_file_that_was_open_before() -> None:
    """The filter refuses to open files for writing; the limit on their size holds for open ones."""
    held = "import tempfile; held = tempfile.TemporaryFile(buffering=0)"
    assert tried("held.write(b'x' * 1_000_000)", before=held) == "OSError"
    assert tried("held.write(b'')", before=held) == "0"


def test_without_confinement_these_work() -> None:
    """That the errors above are the filter's, and not of the machine."""
    done = subprocess.run(
        [sys.executable, "-c", "import socket, os; socket.socket(); print(os.fork() >= 0)"],
        capture_output=True,
        check=False,
    )
    assert done.stdout.startswith(b"True")
