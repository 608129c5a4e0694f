"""Run code from a test away from the main thread's event loop.

A browser test of the same process has left one running there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def run_in_thread(function: Callable[[], T]) -> T:
    """Return what the function returns in a thread of its own, which has no event loop."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function).result()


def run_async(coroutine: Coroutine[Any, Any, T], timeout_s: float) -> T:
    """Return the coroutine's result. Raises TimeoutError after `timeout_s` seconds."""
    return run_in_thread(lambda: asyncio.run(asyncio.wait_for(coroutine, timeout_s)))
