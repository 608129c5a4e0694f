"""How a program ends quietly: at Ctrl-C while its modules are imported, with nothing to tidy up,
and where nobody reads its output.

What Ctrl-C does to a run is the command line's.

The first module that a program imports, and for that reason one that imports nothing heavy.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

#: The exit code of what was interrupted, and of what wrote to somebody who reads no more, as a
#: shell gives them.
INTERRUPTED_CODE, UNREAD_CODE = 130, 141


@contextmanager
def quiet_interrupts() -> Iterator[None]:
    """Within, Ctrl-C is `exit_on_interrupt`; raised as an error, it would pass through whatever module is
    being imported.
    """
    if not exit_on_interrupt():
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def exit_on_interrupt() -> bool:
    """From now on Ctrl-C ends the process at once. Whoever started it may have it ignored, as a
    shell does in the background; then it

    stays so, and this is False.
    """
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return False
    signal.signal(signal.SIGINT, lambda _signal, _frame: os._exit(INTERRUPTED_CODE))
    return True


def open_standard_streams() -> None:
    """Where standard input, output or error was closed, it leads nowhere from now on. Else the next
    file to be opened takes its place.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    sys.stdin = sys.stdin or open(0, closefd=False)  # noqa: SIM115 - open as long as the program runs
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", closefd=False)  # noqa: SIM115


def discard_output() -> int:
    """Nobody reads what is written: from now on it goes nowhere, what is still buffered too. The
    exit code.
    """
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())
    return UNREAD_CODE
