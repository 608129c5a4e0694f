"""Run a coroutine from a test, whatever event loop a browser test of the same process has left."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def run_async(coroutine: Coroutine[Any, Any, T], timeout_s: float) -> T:
    """Return the coroutine's result. Raises TimeoutError after `timeout_s` seconds."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, asyncio.wait_for(coroutine, timeout_s)).result()
