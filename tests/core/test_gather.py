"""The coordinator against the clock: which answer comes first, and where a stop falls, changes neither a query nor a source."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from research_core import report, runner
from research_core.errors import SearchError, Stopped
from research_core.events import Draft
from research_core.gather import POLL_S, STOP_GRACE_S
from research_core.models import ModelReply
from research_core.pipeline import research
from research_core.policy import RunSettings
from research_core.store import open_database
from tests.world import QUESTION, Place, World


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    db = open_database(f"sqlite:///{tmp_path / 'world.db'}")
    yield Place(db, tmp_path)
    db.close()


def settings(mode: str) -> RunSettings:
    return RunSettings(mode=mode, engines=("north", "south"), model="world")


class Repeating(World):
    """A world whose plan and refinement name the same query; one of the two comes late."""

    late = ""

    def run(self, request, on_text=None):  # type: ignore[no-untyped-def]
        if request.kind == self.late:
            time.sleep(0.15)
        if request.kind == "refine":
            return ModelReply('{"query": "seals near turbines"}', self.name)
        if request.kind == "plan":
            return ModelReply('{"queries": ["seals near turbines", "turbine noise"]}', self.name)
        return super().run(request, on_text)


def test_a_query_that_plan_and_refinement_both_name_is_treated_alike_whichever_comes_first(place: Place) -> None:
    texts = set()
    for late in ("plan", "refine"):
        world, run = Repeating(2), settings("standard")
        world.late = late
        place.session(late, run)
        with place.deps(world, place.log(late), run) as deps:
            texts.add(report.to_markdown(research(QUESTION, deps)))
        assert world.made.count("search north seals near turbines") == 1
    assert len(texts) == 1


class StoppedAmongTheFollowUps(World):
    """A world in which the analyst stops while sources of the follow-up queries are judged, and the process ends at the writing."""

    def __post_init__(self) -> None:
        self.place: Place | None = None
        self.judging = 0

    def run(self, request, on_text=None):  # type: ignore[no-untyped-def]
        if request.kind == "write":
            raise Stopped("shutdown")
        with self.lock:
            self.judging += request.kind == "judge_relevance" and any(name.startswith("search north gap") for name in self.made)
            stopping = self.place if self.judging == 2 else None
            self.place = None if stopping else self.place
        if stopping:
            stopping.log("s").append(Draft("command", {"do": "stop"}))
            time.sleep(STOP_GRACE_S + 4 * POLL_S)
        return super().run(request, on_text)


def test_a_run_stopped_among_its_follow_ups_and_killed_goes_as_far_again_and_no_further(place: Place) -> None:
    run, world = settings("deep"), StoppedAmongTheFollowUps(1, 0.05, random.Random(1))
    world.place = place
    place.session("s", run)
    with place.deps(world, place.log("s"), run) as deps, pytest.raises(Stopped):
        research(QUESTION, deps)
    (stop,) = (event.data for event in place.log("s").decisions())
    assert "gaps" in stop["parts"]
    idle = World(1)
    with place.deps(idle, place.log("s"), run) as deps:
        built = research(QUESTION, deps)
    assert {source.url for source in built.sources if source.relevance} == set(stop["judged"])
    assert idle.made == ["model write"]
    with place.deps(World(1, 0.01, random.Random(9)), place.log("s", readonly=True), run) as deps:
        assert report.to_markdown(research(QUESTION, deps)) == report.to_markdown(built)


class StoppedWhereAnEngineRests(World):
    """A world in which one engine refuses the question, and the analyst stops when the fourth source is being judged."""

    def __post_init__(self) -> None:
        self.place: Place | None = None
        self.judging = 0

    def results(self, engine: str, query: str) -> list[dict[str, str]]:
        if (engine, query) == ("north", QUESTION):
            raise SearchError("The engine is resting.", kind="rate_limited")
        return super().results(engine, query)

    def run(self, request, on_text=None):  # type: ignore[no-untyped-def]
        with self.lock:
            self.judging += request.kind == "judge_relevance"
            stopping = self.place if self.judging == 4 else None
            self.place = None if stopping else self.place
        if stopping:
            stopping.log("s").append(Draft("command", {"do": "stop"}))
            time.sleep(3 * POLL_S)
        return super().run(request, on_text)


def test_another_attempt_at_a_stopped_run_does_not_lose_a_query_because_an_engine_failed(place: Place) -> None:
    run, world = settings("deep"), StoppedWhereAnEngineRests(1, 0.05, random.Random(1))
    world.place = place
    place.session("s", run)
    with place.deps(world, place.log("s"), run) as deps:
        first = report.to_markdown(research(QUESTION, deps))
    assert "Stopped early" in first
    log = place.log("s")
    log.append(Draft("finished", {"outcome": "done"}, "1"))
    runner._ask_again(log)
    with place.deps(world, log, run) as deps:
        assert report.to_markdown(research(QUESTION, deps)) == first
