"""Which processes are alive, on both databases."""

from __future__ import annotations

import threading

from research_core.journal.database import Database
from research_core.sessions import heartbeats
from tests.logs import at_once


def test_the_dead_are_named_to_one_reaper_only(db: Database) -> None:
    for n in range(20):
        heartbeats.record_beat(db, f"dead {n}", 100.0)
    heartbeats.record_beat(db, "alive", 100.0)
    heartbeats.record_beat(db, "alive", 200.0)
    heartbeats.record_beat(db, "gone", 100.0)
    heartbeats.forget_executor(db, "gone")
    start = threading.Barrier(4)

    def reap(_: int) -> list[str]:
        start.wait()
        return heartbeats.reap_executors(db, 150.0)

    named = [name for names in at_once(4, reap) for name in names]
    assert sorted(named) == sorted(f"dead {n}" for n in range(20))
    assert heartbeats.list_executors(db) == {"alive": 200.0}
