"""What a run that a cap or the analyst stopped did not do any more, told in its report; for each
cap.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from research_core.journal.deps import Deps
from research_core.journal.doorway import Doorway
from research_core.models import Report
from research_core.pipeline import report
from research_core.pipeline.run import research
from research_core.pipeline.unfinished import (
    MAX_NAMED_PAGES,
    find_unfinished_work,
    format_notice,
    list_unfinished_lines,
)
from research_core.policy import Caps, RunSettings
from research_core.settings import Settings
from tests.reports import FULL_REPORT
from tests.world import QUESTION, Place, StillClock, World

CAPS = {
    "calls": Caps(calls=7),
    "tokens": Caps(tokens=1_200),
    "cost": Caps(cost=0.008),
    "seconds": Caps(seconds=2.0),
}
DEEP = RunSettings(mode="deep", engines=("north", "south"), model="world")


class Ticking(StillClock):
    """A clock that goes on by a tenth of a second with each call that the world is asked for."""

    def __init__(self, world: World) -> None:
        self._world = world

    def monotonic(self) -> float:
        return len(self._world.made) / 10


def ran(place: Place, caps: Caps, world: World, strategy: str = "planned") -> Report:
    run, clock = replace(DEEP, caps=caps, strategy=strategy), Ticking(world)
    place.session("s", run)
    log = place.log("s")
    doorway = Doorway(log, world, world, clock, caps=run.caps)
    with ThreadPoolExecutor(4) as pool:
        engines, settings = (
            tuple(world.engine(name) for name in run.engines),
            Settings(home=place.home, database_url="sqlite://"),
        )
        return research(
            QUESTION,
            Deps(settings, run, doorway.http, doorway.model, log, clock, pool, engines=engines),
        )


@pytest.mark.parametrize("cap", [cap for cap in CAPS if cap != "seconds"])
def test_a_cap_on_the_model_leaves_out_only_calls_to_it(place: Place, cap: str) -> None:
    built = ran(place, CAPS[cap], World(4))
    left = find_unfinished_work(built)
    assert left is not None
    assert (left.queries, left.unread, left.unjudged, left.unbegun) == ((), (), (), 0)
    assert left.by_words or not left.followed
    assert built.funnel["judged"] == built.funnel["fetched"]
    text = report.to_markdown(built)
    assert (
        f"> Because of a limit, some model calls were left out (the cap on {cap} was reached). "
        in text
    )
    assert "Stopped early" not in text
    assert all(line in text for line in list_unfinished_lines(built))


def test_at_the_cap_on_time_a_run_writes_from_what_it_has_and_says_what_it_left(
    place: Place,
) -> None:
    world = World(4)
    built = ran(place, CAPS["seconds"], world)
    left = find_unfinished_work(built)
    assert left is not None
    assert built.stopped == "the cap on seconds was reached"
    assert sum(name in ("model write", "model explain_insufficient") for name in world.made) == 1
    # what is told is what its log tells
    judged = {source.url for source in built.sources if source.relevance}
    read = {source.url for source in built.sources if source.page}
    assert {source.url for source in left.unjudged} == read - judged - {
        s.url for s in built.sources if s.status != "not_read"
    }
    assert not {source.url for source in left.unread} & read
    searched = {name.split(" ", 2)[2] for name in world.made if name.startswith("search ")}
    assert set(left.queries) <= {query["text"] for query in built.queries}
    assert {query["text"] for query in built.queries} - set(left.queries) <= searched
    assert left.unread or left.unjudged or left.queries or left.unbegun or not left.followed
    text = report.to_markdown(built)
    assert "> Stopped early (the cap on seconds was reached). Left out: " in text
    for source in (*left.unread[:MAX_NAMED_PAGES], *left.unjudged[:MAX_NAMED_PAGES]):
        assert f"]({source.address})" in text.partition("## Methodology")[2]
    assert all(line in text for line in list_unfinished_lines(built))


def test_a_run_that_the_model_drives_says_it_too(place: Place) -> None:
    built = ran(place, Caps(calls=6), World(4), "agentic")
    left = find_unfinished_work(built)
    assert left is not None
    assert (left.planned, left.followed) == (True, True)
    text = report.to_markdown(built)
    assert (
        "> Because of a limit, some model calls were left out (the cap on calls was reached). "
        in text
    )
    assert "Stopped early" not in text


def test_a_run_that_nothing_stopped_left_nothing(place: Place) -> None:
    built = ran(place, Caps(), World(4))
    assert (find_unfinished_work(built), format_notice(built), list_unfinished_lines(built)) == (
        None,
        "",
        [],
    )


def stopped(**changes: Any) -> Report:
    """The full report, stopped: one page of it never read, one read and not judged, two never
    begun.
    """
    base = FULL_REPORT
    first, second, third, *rest = base.sources
    left = (
        replace(first, status="not_read", reason="not read: stopped", page="", relevance=None),
        replace(
            second, status="not_read", reason="not read: stopped", page="a" * 64, relevance=None
        ),
        replace(
            third,
            status="not_read",
            reason="not read: page limit reached",
            page="",
            relevance=None,
        ),
    )
    more = {
        "queries": ({"text": "seals *now*", "order": 99, "purpose": "planned"},),
        "plan": {},
        "gaps": (),
    }
    return replace(
        base, stopped="the analyst asked for it", sources=(*left, *rest), **{**more, **changes}
    )


def test_each_kind_of_what_was_left_is_told_by_itself() -> None:
    built = stopped(settings={**FULL_REPORT.settings, "mode": "deep"})
    assert format_notice(built) == (
        "Stopped early (the analyst asked for it). Left out: 1 query not searched, 1 page not read, 1 page read and not judged, "
        "2 more results not begun, no plan made, no query for open points. The report uses only what was read until then."
    )
    told = list_unfinished_lines(built)
    assert told[0].startswith("No plan was made")
    assert told[1] == "Open points were not searched for any more."
    assert told[2] == r"Queries not searched for this reason: “seals \*now\*”."
    assert told[3].startswith("Pages not read for this reason: [")
    assert told[4].startswith("Pages read, but not judged and not used for this reason: [")
    assert told[5] == "Further results above the minimum credibility that were not opened: 2."


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"plan": {"note": ""}}, False),
        ({"settings": {**FULL_REPORT.settings, "strategy": "agentic", "mode": "deep"}}, False),
        (
            {"settings": {**FULL_REPORT.settings, "mode": "deep"}, "gaps": ("What of whales?",)},
            True,
        ),
    ],
)
def test_a_plan_is_missed_only_where_there_would_have_been_one(
    changes: dict[str, Any], expected: bool
) -> None:
    left = find_unfinished_work(stopped(**changes))
    assert left is not None
    assert ("plan" in " ".join(list_unfinished_lines(stopped(**changes))).lower()) is (
        expected or not left.planned
    )
    assert left.followed
