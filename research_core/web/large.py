"""How many large bodies this process holds at once: a turn is taken when a body turns out to be large, and given back when it was read.

Of 50 MB a body takes some 300 MB while it is received, recorded and read. Small ones neither wait nor ask. It reads nothing itself.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from research_core.errors import FetchError
from research_core.web.connection import POLL_S, Call

#: Bytes beyond which a body is large, how many of those there may be, and seconds that one waits at most: others may wait for it in turn.
LARGE, AT_ONCE, PATIENCE_S = 5_000_000, 2, 120.0
_TURNS = threading.BoundedSemaphore(AT_ONCE)
_TAKEN: ContextVar[list[threading.BoundedSemaphore]] = ContextVar("taken")


@contextmanager
def room() -> Iterator[None]:
    """Within it, in one thread, a body is received and read: the turn that it takes ends with the room, the outermost of several.

    Nothing else should be asked for in it once the body is there.
    """
    if _TAKEN.get(None) is not None:
        yield
        return
    taken = list[threading.BoundedSemaphore]()
    token = _TAKEN.set(taken)
    try:
        yield
    finally:
        _TAKEN.reset(token)
        for turn in taken:
            turn.release()


def take_turn(call: Call) -> None:
    """Wait, in a room that has none yet, for the turn of a body that is large; that is not the request's own time.

    Raises Stopped within 0.1 s of a cancel, FetchError (timeout).
    """
    taken, began = _TAKEN.get(), time.monotonic()
    while not taken:
        asked = time.monotonic()
        if _TURNS.acquire(timeout=POLL_S):
            taken.append(_TURNS)
        elif asked - began > PATIENCE_S:
            raise FetchError("Other large documents were being read for too long.", kind="timeout")
        call.held(time.monotonic() - asked)
        call.left()
