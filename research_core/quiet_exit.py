"""What every program does first: end quietly, and keep the garbage collector from its imports.

The collector would go through every imported object once more when the program ends, for a quarter
of a second. A program ends quietly on Ctrl-C during its first imports, and when its output is
closed. It imports this module first, so nothing heavy is imported here. The command line handles
Ctrl-C in a run, also during the imports of that run.
"""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

#: Exit codes, as a shell gives them: after Ctrl-C, and after writing to a closed pipe.
INTERRUPTED_CODE, UNREAD_CODE = 130, 141
#: Thresholds of the garbage collector for one command, which hardly needs it.
COMMAND_THRESHOLDS = (50_000, 20, 50)
#: Those for a program that serves for days: the old generation is collected too.
SERVER_THRESHOLDS = (20_000, 10, 10)


@contextmanager
def import_without_collecting() -> Iterator[None]:
    """Keep the collector from what a server imports in the block, then and later.

    It would find nothing there, and takes a seventh of a start.
    """
    gc.disable()
    try:
        yield
    finally:
        settle_collector()
        gc.enable()


def settle_collector() -> None:
    """Leave out of all later collections what is there now; set the thresholds of a server."""
    gc.freeze()
    gc.set_threshold(*SERVER_THRESHOLDS)
    atexit.register(gc.freeze)


def settle_collector_for_command() -> None:
    """Set the thresholds of one command, and leave everything out of the collection at its end."""
    gc.set_threshold(*COMMAND_THRESHOLDS)
    atexit.register(gc.freeze)


@contextmanager
def quiet_interrupts() -> Iterator[None]:
    """Make Ctrl-C end the process at once within the block.

    As an exception it would pass through whatever module is being imported.
    """
    if not exit_on_interrupt():
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def exit_on_interrupt() -> bool:
    """Make Ctrl-C end the process at once. Return False where it is left as it is.

    A shell ignores it for background processes; then it stays ignored. Only the main thread can
    change it.
    """
    if threading.current_thread() is not threading.main_thread():
        return False
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return False
    signal.signal(signal.SIGINT, lambda _signal, _frame: os._exit(INTERRUPTED_CODE))
    return True


def open_standard_streams() -> None:
    """Open closed standard streams on the null device; no other file then takes their number."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    sys.stdin = sys.stdin or open(0, closefd=False)  # noqa: SIM115 - stays open
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", closefd=False)  # noqa: SIM115


def discard_output() -> int:
    """Discard all further output, including what is buffered; return the exit code."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())
    return UNREAD_CODE
