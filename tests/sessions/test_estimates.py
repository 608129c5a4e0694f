"""What a run will take, from runs before it: weighted to the most like, scaled where it must be,
and its error measured on those runs; each estimate says what it rests on.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.journal import store
from research_core.journal.events import Draft
from research_core.policy import Caps, RunSettings
from research_core.sessions import session_start
from research_core.sessions.estimates import (
    MAX_RUNS,
    MIN_RUNS,
    QUANTITIES,
    EstimateError,
    EstimateRange,
    PastRun,
    estimate_from_runs,
    estimate_quantity,
    estimate_run,
    measure_error,
)
from research_core.settings import Settings
from research_core.wiring import LOCAL_USER, Resources, open_log
from tests.past_sessions import BEN, WEB, add_session, tally

ENGINES = ("ddgs:brave", "library")


def past(
    seconds: float,
    mode: str = "standard",
    engines: tuple[str, ...] = ENGINES,
    cost: float | None = 0.1,
) -> PastRun:
    return PastRun(mode, engines, {"calls": 10, "tokens": 1000, "seconds": seconds, "cost": cost})


def test_runs_with_the_same_engines_count_most() -> None:
    runs = [
        past(1.0),
        past(2.0, engines=("searxng",)),
        past(8.0, engines=("searxng",)),
        past(9.0, engines=("searxng",)),
    ]
    assert estimate_quantity("seconds", "standard", ENGINES, runs) == EstimateRange(1.0, 1.0, 9.0)
    assert estimate_quantity("seconds", "standard", ("searxng",), runs) == EstimateRange(
        1.0, 8.0, 9.0
    )


@pytest.mark.parametrize("seconds", [[1.0], [1.0, 4.0], [3.0, 1.0, 2.0], [5.0, 1.0, 2.0, 8.0]])
def test_runs_that_are_alike_give_their_plain_middle(seconds: list[float]) -> None:
    found = estimate_quantity("seconds", "standard", ENGINES, [past(each) for each in seconds])
    assert found == EstimateRange(min(seconds), median(seconds), max(seconds))


def test_runs_of_other_modes_are_scaled_and_called_so() -> None:
    found = estimate_from_runs(
        RunSettings(mode="deep", engines=ENGINES, model="m"), [past(2.0, "quick")]
    )
    assert (found.runs, found.scaled) == (1, True)
    assert found.calls == EstimateRange(24, 24, 24)  # 30 by the ratio, but a deep run makes no more
    assert found.tokens is not None
    assert found.seconds is not None
    assert found.tokens.median > 2 * 1000
    assert 2.0 < found.seconds.median < 4.0  # pages are read side by side
    same = estimate_from_runs(
        RunSettings(mode="deep", engines=ENGINES, model="m"),
        [past(2.0, "quick"), past(7.0, "deep")],
    )
    assert (same.runs, same.scaled, same.seconds) == (1, False, EstimateRange(7.0, 7.0, 7.0))


@pytest.mark.parametrize(("sources", "most"), [(None, 68), (10, 38), (60, 88), (100, 128)])
def test_an_exhaustive_run_is_estimated_for_its_number_of_sources(
    sources: int | None, most: int
) -> None:
    run = RunSettings(mode="exhaustive", engines=ENGINES, model="m", sources=sources)
    unknown = estimate_from_runs(run, [])
    assert (unknown.most_calls, unknown.most_sources) == (most, sources or 40)
    found = estimate_from_runs(run, [past(4.0, "exhaustive")])
    assert found.tokens is not None
    assert found.tokens.median == pytest.approx(1000 * (sources or 40) / 40)
    assert found.calls is not None
    assert found.calls.median == pytest.approx(10 * most / 68)
    assert found.seconds is not None
    assert (found.seconds.median > 4.0) == ((sources or 40) > 40)


def test_a_quantity_that_one_run_does_not_know_is_not_estimated() -> None:
    assert (
        estimate_from_runs(
            RunSettings(engines=ENGINES, model="m"), [past(1.0), past(2.0, cost=None)]
        ).cost
        is None
    )


def test_the_error_is_that_of_each_run_left_out() -> None:
    runs = [past(each) for each in (10.0, 11.0, 12.0, 40.0)]
    # from the others: 12 for 10 (20 %), 12 for 11 (9 %), 11 for 12 (8 %), 11 for 40 (72 %)
    found = measure_error("seconds", runs, scaled=False)
    assert found is not None
    assert (round(found.off, 3), found.inside, found.of) == (round((2 / 10 + 1 / 11) / 2, 3), 2, 4)


@pytest.mark.parametrize("count", range(MIN_RUNS))
def test_with_few_runs_no_error_is_claimed(count: int) -> None:
    assert (
        estimate_from_runs(RunSettings(engines=ENGINES, model="m"), [past(1.0)] * count).errors
        == {}
    )


def test_of_a_scaled_estimate_the_error_is_that_of_scaled_ones() -> None:
    only_quick = [past(1.0, "quick")] * 5
    assert (
        estimate_from_runs(RunSettings(mode="deep", engines=ENGINES, model="m"), only_quick).errors
        == {}
    )  # nothing tells how scaling does
    both = [*only_quick, past(1.2, "standard")]
    found = estimate_from_runs(RunSettings(mode="deep", engines=ENGINES, model="m"), both).errors[
        "seconds"
    ]
    assert found.of == 6
    assert 0 < found.off < 0.2


def test_what_was_free_and_thought_to_be_is_no_error() -> None:
    assert measure_error("cost", [past(1.0, cost=0.0)] * 3, scaled=False) == EstimateError(
        0.0, 3, 3
    )


RUNS = st.lists(
    st.builds(
        past, st.floats(0, 1e6), st.sampled_from(["quick", "standard", "deep"]), st.sampled_from([ENGINES, ("searxng",), ()]),
        st.none() | st.floats(0, 100),
    ),
    max_size=12,
)  # fmt: skip


@given(RUNS, st.sampled_from(["quick", "standard", "deep"]))
def test_the_middle_lies_between_the_ends_and_no_error_is_made_up(
    runs: list[PastRun], mode: str
) -> None:
    found = estimate_from_runs(RunSettings(mode=mode, engines=ENGINES, model="m"), runs)
    for name in QUANTITIES:
        span, error = getattr(found, name), found.errors.get(name)
        assert span is None or span.low <= span.median <= span.high
        assert error is None or (
            error.off >= 0 and 0 <= error.inside <= error.of and MIN_RUNS <= error.of <= found.runs
        )


# ---------------------------------------------------------------- from the store


@pytest.fixture
def resources(tmp_path: Path, database_with_sample: Path) -> Iterator[Resources]:
    shutil.copy(database_with_sample, tmp_path / "assay.db")
    made = Resources(Settings.from_env({"ASSAY_HOME": str(tmp_path)}))
    yield made
    made.db.close()


def test_without_a_run_like_it_there_is_only_the_budget_of_the_mode(resources: Resources) -> None:
    assert [(mode, estimate_run(resources, RunSettings(mode=mode)).most_calls) for mode in ("quick", "standard", "deep")] == [
        ("quick", 8), ("standard", 14), ("deep", 24),
    ]  # fmt: skip
    first = estimate_run(resources, RunSettings())
    assert (first.runs, first.most_sources, first.calls, first.seconds, first.cost) == (
        0,
        7,
        None,
        None,
        EstimateRange(0, 0, 0),
    )
    assert estimate_run(resources, WEB).cost is None
    assert (
        estimate_run(resources, RunSettings(strategy="agentic", model="gemini:x")).most_calls == 24
    )


def test_an_estimate_is_the_least_the_middle_and_the_most_of_the_runs_like_it(
    resources: Resources,
) -> None:
    for calls, seconds in ((9, 1.0), (11, 4.0), (10, 2.0)):
        add_session(resources, RunSettings(), tally(calls, seconds))
    found = estimate_run(resources, RunSettings())
    assert (found.runs, found.calls, found.seconds, found.cost) == (
        3,
        EstimateRange(9, 10, 11),
        EstimateRange(1.0, 2.0, 4.0),
        EstimateRange(0, 0, 0),
    )


UNLIKE: list[dict[str, Any]] = [
    {"model": "gemini:gemini-x"}, {"strategy": "agentic"}, {"engines": ("ddgs:brave",)},
    {"engines": ("ddgs:brave", "library")},
]  # fmt: skip


@pytest.mark.parametrize("other", UNLIKE, ids=str)
def test_a_run_of_another_kind_tells_nothing(resources: Resources, other: dict[str, Any]) -> None:
    add_session(resources, replace(RunSettings(), **other), tally(9, 1.0))
    assert estimate_run(resources, RunSettings()).runs == 0
    assert estimate_run(resources, replace(RunSettings(), **other)).runs == 1


def test_runs_of_another_mode_tell_something_only_where_there_is_none_of_this(
    resources: Resources,
) -> None:
    add_session(resources, RunSettings(mode="quick"), tally(8, 1.0))
    scaled = estimate_run(resources, RunSettings())
    assert (scaled.runs, scaled.scaled, scaled.calls) == (1, True, EstimateRange(14, 14, 14))
    add_session(resources, RunSettings(), tally(9, 3.0))
    found = estimate_run(resources, RunSettings())
    assert (found.runs, found.scaled, found.calls, found.errors) == (
        1,
        False,
        EstimateRange(9, 9, 9),
        {},
    )


def test_an_estimate_says_how_far_such_estimates_were_off(resources: Resources) -> None:
    for seconds in (1.0, 2.0, 4.0):
        add_session(resources, RunSettings(), tally(9, seconds))
    # from the others: 3.0 for 1.0, 2.5 for 2.0, 1.5 for 4.0
    assert estimate_run(resources, RunSettings()).errors["seconds"] == EstimateError(0.625, 1, 3)


def test_other_engines_of_the_web_are_still_a_run_like_it(resources: Resources) -> None:
    add_session(resources, WEB, tally(9, 1.0, 100, 0.1))
    assert estimate_run(resources, replace(WEB, engines=("ddgs:mojeek",))).runs == 1


def test_what_was_forked_resumed_unfinished_or_somebody_else_s_tells_nothing(
    resources: Resources,
) -> None:
    add_session(resources, RunSettings(), tally(9, 1.0), attempts=2)
    add_session(resources, RunSettings(), tally(9, 1.0), ends="cancelled")
    add_session(resources, RunSettings(), tally(9, 1.0), who=BEN)
    parent = add_session(resources, RunSettings(), ends="")
    fork = session_start.rewrite(resources, parent, RunSettings())
    epoch = store.take_session(resources.db, LOCAL_USER, fork, "machine:1:x", 0.0)
    open_log(resources, LOCAL_USER, fork, epoch=epoch).append(
        tally(2, 0.1), Draft("finished", {"outcome": "done"}, "1")
    )
    assert estimate_run(resources, RunSettings()).runs == 0
    assert estimate_run(resources, RunSettings(), who=BEN).runs == 1


def test_a_run_without_a_report_tells_nothing(resources: Resources) -> None:
    session = add_session(resources, RunSettings(), tally(2, 2.0), ends="")
    epoch = store.take_session(resources.db, LOCAL_USER, session, "machine:1:x", 0.0)
    ended = {"outcome": "done", "decision": "insufficient_data"}
    open_log(resources, LOCAL_USER, session, epoch=epoch).append(Draft("finished", ended, "1"))
    (row,) = store.list_sessions(resources.db, LOCAL_USER)
    assert (row.outcome, row.decision) == ("done", "insufficient_data")
    assert estimate_run(resources, RunSettings()).runs == 0


def decide(do: str, key: str = "", **more: object) -> Draft:
    return Draft("decide", {"do": do, **more}, key or do)


CUT_SHORT = {
    "the cap on time": [decide("stop", why="the cap on seconds was reached")],
    "the analyst": [decide("stop", why="the analyst stopped the run")],
    "no plan": [
        decide("go on by rules", "limit of plan", step="plan", message="The cap was reached."),
        decide("reach cap", why="the cap on cost was reached"),
    ],
    "no checks": [decide("reach cap", why="the cap on calls was reached")],
    "no text": [
        decide("write without model", "writer's limit: section 2", step="report"),
        decide("reach cap", why="the cap on tokens was reached"),
    ],
}


@pytest.mark.parametrize("drafts", CUT_SHORT.values(), ids=CUT_SHORT)
def test_a_run_that_was_cut_short_tells_nothing(resources: Resources, drafts: list[Draft]) -> None:
    for seconds in (4.0, 6.0):
        add_session(resources, RunSettings(), tally(9, seconds))
    for _ in range(MAX_RUNS):
        add_session(resources, RunSettings(), *drafts, tally(1, 0.5))
    add_session(resources, RunSettings(), *drafts, tally(1, 0.5), who=BEN)
    found = estimate_run(resources, RunSettings())
    assert (found.runs, found.seconds) == (2, EstimateRange(4.0, 5.0, 6.0))
    assert estimate_run(resources, RunSettings(), who=BEN).runs == 0


def test_the_decisions_of_the_analyst_on_sources_cut_no_run_short(resources: Resources) -> None:
    decisions = [decide("strike", "strike https://a.example/"), decide("instruct", text="More.")]
    add_session(resources, RunSettings(), *decisions, tally(9, 4.0))
    assert estimate_run(resources, RunSettings()).runs == 1


@pytest.mark.parametrize("unknown", [None, 0.0], ids=["now", "older"])
def test_a_cost_that_is_not_known_is_not_nothing(
    resources: Resources, unknown: float | None
) -> None:
    add_session(resources, WEB, tally(9, 1.0, 1000, 0.02))
    assert estimate_run(resources, WEB).cost == EstimateRange(0.02, 0.02, 0.02)
    add_session(resources, WEB, tally(9, 1.0, 1000, unknown))
    assert estimate_run(resources, WEB).cost is None


def test_caps_that_the_usual_run_would_meet_are_named(resources: Resources) -> None:
    add_session(resources, WEB, tally(9, 30.0, 1000, 0.02))
    found = estimate_run(resources, WEB)
    assert found.find_caps_reached(Caps()) == ()
    assert found.find_caps_reached(Caps(calls=9, tokens=1000, cost=0.02, seconds=30)) == ()
    assert found.find_caps_reached(Caps(calls=8, tokens=999, cost=0.01, seconds=29)) == (
        "calls",
        "tokens",
        "cost",
        "seconds",
    )
