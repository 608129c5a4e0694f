"""Files of the audit for tests: events, and a chain of them.

Also what processes do that append to one, and one that is killed while it writes.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from research_core.journal import audit
from research_core.journal.audit.file import AuditRetention, append, lock_file
from research_core.models import Principal

#: The day of the first event, in seconds since the epoch.
DAY, DAY_S = 1_750_000_000.0, 86_400.0
ANN = Principal("leaf", "ann")


def make_event(n: int = 0, day: float = 0.0, **about: Any) -> dict[str, Any]:
    """Return an event of so many days after the first; its number is its request."""
    told = {"query_length": n, **about}
    return audit.build_event(
        DAY + day * DAY_S,
        ANN,
        "web_search",
        f"r{n}",
        0.012,
        "",
        told,
        session="s1",
        source="192.0.2.7",
        pod="h:7",
    )


def make_chain(
    file: Path,
    count: int,
    keep: AuditRetention = AuditRetention(),
    start: int = 0,
    day: float = 0.0,
) -> Path:
    """Append so many events to the file."""
    for n in range(start, start + count):
        append(file, make_event(n, day), pytest.fail, keep)
    return file


def write_chain(file: Path, name: str, count: int, max_bytes: int) -> None:
    """Append so many events whose requests bear this name; run in a process of its own."""
    troubles = list[object]()
    for n in range(count):
        append(
            file,
            {**make_event(n), "request_id": f"{name}{n}"},
            troubles.append,
            AuditRetention(max_bytes),
        )
    assert not troubles, troubles


def write_endlessly(file: Path, max_bytes: int) -> None:
    """Append events until the process is killed."""
    n = 0
    while True:
        append(file, make_event(n := n + 1), pytest.fail, AuditRetention(max_bytes))


def kill_while_writing(file: Path, part: bytes) -> None:
    """Kill this process while it has the lock and has written a part of its line."""
    with lock_file(file), file.open("ab", buffering=0) as half:
        half.write(part)
        os.kill(os.getpid(), signal.SIGKILL)
