"""What a run will take, from runs before it: weighted to the most like, scaled where it must be,
and its error measured on those runs.
"""

from __future__ import annotations

from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.policy import RunSettings
from research_core.sessions.estimates import (
    MIN_RUNS,
    QUANTITIES,
    EstimateError,
    EstimateRange,
    PastRun,
    estimate_from_runs,
    estimate_quantity,
    measure_error,
)

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
