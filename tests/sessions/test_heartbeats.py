"""Which processes are alive, on both databases."""

from __future__ import annotations

import threading
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from multiprocessing import get_context
from pathlib import Path

import pytest

from research_core.journal.database import Database
from research_core.sessions import heartbeats
from research_core.settings import Settings
from research_core.wiring import Resources, SystemClock
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


class SkewedClock(SystemClock):
    """The real clock, so many seconds fast."""

    def __init__(self, fast_s: float) -> None:
        self.fast_s = fast_s

    def now(self) -> float:
        return super().now() + self.fast_s


@pytest.mark.parametrize("fast_s", [60.0, -60.0, 86_400.0])
def test_clocks_of_two_machines_apart_change_nothing(
    postgres_url: str, tmp_path: Path, fast_s: float
) -> None:
    settings = Settings.from_env({"ASSAY_HOME": str(tmp_path), "ASSAY_DATABASE_URL": postgres_url})
    here, there = Resources(settings), Resources(settings)
    there.__dict__["clock"] = SkewedClock(fast_s)
    with closing(here), closing(there), heartbeats.keep_heartbeat(there, "there"):
        for seen_by in (here, there):
            beats = heartbeats.list_executors(seen_by.db)
            assert heartbeats.is_alive("there", beats, heartbeats.read_clock(seen_by))
        with heartbeats.keep_heartbeat(here, "here"):
            beats, now = heartbeats.list_executors(there.db), heartbeats.read_clock(there)
            assert heartbeats.is_alive("here", beats, now)
            heartbeats.reap_executors(there.db, now - heartbeats.DEAD_AFTER_S)
            assert heartbeats.list_executors(here.db).keys() == {"here", "there"}


def test_a_forked_process_has_names_of_its_own() -> None:
    mine = heartbeats.name_process()
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool:
        theirs = pool.submit(heartbeats.name_process).result()
    assert mine == heartbeats.name_process()
    assert mine.rpartition(":")[2] != theirs.rpartition(":")[2]
    assert heartbeats.make_executor_id().startswith(f"{mine}-")
