"""Ctrl-C while a program's modules are imported: it ends quietly, with nothing to tidy up. What it does to a run is the command line's.

The first module that a program imports, and for that reason one that imports nothing heavy.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

#: The exit code of what was interrupted.
INTERRUPTED = 130


@contextmanager
def quietly() -> Iterator[None]:
    """Within, Ctrl-C ends the process at once; raised as an error, it would pass through whatever module is being imported.

    Whoever started it may have it ignored, as a shell does in the background; then it stays so.
    """
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, lambda _signal, _frame: os._exit(INTERRUPTED))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
