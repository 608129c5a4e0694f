"""Time, for tests that hold on any machine, however slow it is or busy with other things.

`check_duration` stretches a bound by how late threads are woken here, `check_cpu_time` by what a
fixed piece of work takes here; on a quick and quiet machine neither is stretched.
`try_at_slower_paces` repeats an attempt with ever more time.
"""

from __future__ import annotations

import gc
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from research_core.errors import ResearchError

#: What the times of an attempt are multiplied by, one after the other, until it succeeds.
PACES = (1.0, 5.0, 25.0)
#: Seconds of the processor that `_work` takes on the machine on which the bounds of the tests were
#: set.
WORK_S = 0.010
#: How often it is looked how late a thread is woken, and how many such delays may follow each
#: other.
TICK_S, HANDS = 0.01, 4
#: For what is waited for until it is there, in seconds: long enough for any machine, and less than
#: a test may take.
LONG_S = 100.0


def try_at_slower_paces(attempt: Callable[[float], object]) -> None:
    """Make an attempt at ever slower paces until it succeeds.

    The attempt multiplies every time, waits and bounds alike, by the number it gets. What a machine
    adds by being busy does not grow with the pace, what is wrong does.
    """
    for pace in PACES[:-1]:
        try:
            attempt(pace)
        except (AssertionError, pytest.fail.Exception, ResearchError):
            continue
        return
    attempt(PACES[-1])


@contextmanager
def check_duration(low: float, high: float) -> Iterator[None]:
    """Check that the block takes low to high seconds of the wall clock.

    What the machine kept threads waiting is added to high: between what happens and who is told of
    it there are a few threads and processes, each of which may be kept as long as ours.
    """
    ended, late = threading.Event(), [0.0]

    def watch() -> None:
        while not ended.is_set():
            began = time.monotonic()
            time.sleep(TICK_S)
            late[0] += time.monotonic() - began - TICK_S

    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    start = time.monotonic()
    try:
        yield
        took = time.monotonic() - start
    finally:
        ended.set()
    watching.join()
    assert low <= took <= high + HANDS * late[0], (
        f"{took:.2f} s, while threads were kept for {late[0]:.2f} s"
    )


@contextmanager
def check_cpu_time(most_s: float) -> Iterator[None]:
    """Check that the block takes less than so many seconds of the processor, this thread alone.

    A slower machine gets more. Nothing is collected meanwhile: the collector would go through what
    all the tests before left behind.
    """
    collects = gc.isenabled()
    gc.disable()
    began = time.thread_time()
    try:
        yield
        used = time.thread_time() - began
    finally:
        if collects:
            gc.enable()
    if used >= most_s:
        assert used < most_s * (slower := measure_slowness()), (
            f"{used:.2f} s where {most_s} s were given, {slower:.1f} times over"
        )


def wait_until(true: Callable[[], object], seconds: float = LONG_S) -> None:
    """Wait for something to become true."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.01)


def measure_slowness() -> float:
    """Return how many times as long a fixed piece of work takes here as where the bounds were set.

    Never less than 1.
    """
    began = time.thread_time()
    for _ in range(20):
        _work()
    return max(1.0, (time.thread_time() - began) / 20 / WORK_S)


def _work() -> int:
    """Some of all that readers of pages do: regular expressions, pieces of text, tables of words."""
    text = " ".join(f"word{n % 977} of the tide, {n}." for n in range(12_000))
    counts: dict[str, int] = {}
    for match in re.finditer(r"(\w+) of the (\w+), (\d+)", text):
        counts[match[1]] = counts.get(match[1], 0) + len(match[3])
    return len(counts) + len("".join(piece.strip() for piece in text.split(".")))
