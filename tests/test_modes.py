"""The modes: budgets, shares and the thresholds an analyst may lay over them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.errors import UsageError
from research_core.modes import (
    EXHAUSTIVE,
    MAX_EXHAUSTIVE_QUERIES,
    MAX_GAP_ROUNDS,
    MAX_SOURCES,
    MIN_SOURCES,
    MODES,
    USUAL_SOURCES,
    ResearchMode,
)


@pytest.mark.parametrize(
    ("mode", "sources", "full", "short"),
    [
        (ResearchMode.quick(), 3, 3, 1),
        (ResearchMode.standard(), 7, 4, 2),
        (ResearchMode.deep(), 10, 5, 2),
        (ResearchMode.exhaustive(), 40, 8, 3),
    ],
    ids=MODES,
)
def test_the_specified_thresholds(mode: ResearchMode, sources: int, full: int, short: int) -> None:
    assert (mode.max_sources, mode.min_sources_full_report, mode.min_sources_short_report) == (
        sources,
        full,
        short,
    )
    assert mode.relevance_cutoff == 3
    assert mode == ResearchMode.from_name(mode.name)


@pytest.mark.parametrize(
    ("mode", "question", "planned", "refined", "gaps", "held"),
    [
        ("quick", 1, (1,), 1, (1, 1), 0),
        ("standard", 2, (2, 1), 2, (1, 1), 0),
        ("deep", 3, (2, 2), 1, (1, 1), 2),
        ("exhaustive", 4, (2,) * 10 + (1,) * 2, 2, (1, 1, 1), 12),
    ],
)
def test_the_shares_fill_the_budget(
    mode: str,
    question: int,
    planned: tuple[int, ...],
    refined: int,
    gaps: tuple[int, ...],
    held: int,
) -> None:
    one = ResearchMode.from_name(mode)
    assert (
        one.question_share,
        one.planned_shares,
        one.refined_share,
        one.gap_shares,
        one.count_gap_places(),
    ) == (
        question,
        planned,
        refined,
        gaps,
        held,
    )
    assert one.count_first_places() + one.count_gap_places() == one.max_sources


def test_the_modes_are_named_in_order() -> None:
    assert MODES == ("quick", "standard", "deep", "exhaustive")


@pytest.mark.parametrize(
    "name", ["", "Quick", "turbo", "from_name", "count_gap_places", "__init__"]
)
def test_an_unknown_mode_is_refused_with_the_choices(name: str) -> None:
    with pytest.raises(UsageError, match="Unknown mode") as caught:
        ResearchMode.from_name(name)
    assert caught.value.next_step == "Choose one of: quick, standard, deep, exhaustive."


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"relevance_cutoff": 0}, "relevance_cutoff must be between 1 and 5"),
        ({"relevance_cutoff": 6}, "relevance_cutoff must be between 1 and 5"),
        ({"min_sources_short_report": 0}, "min_sources_short_report must be at least 1"),
        (
            {"min_sources_short_report": 5},
            "min_sources_short_report must be ≤ min_sources_full_report",
        ),
        ({"min_sources_full_report": 8}, "min_sources_full_report must be ≤ max_sources"),
        ({"max_sources": 6}, "the shares of the queries exceed max_sources"),
        ({"hold_for_gaps": True}, "the shares of the queries exceed max_sources"),
    ],
)
def test_thresholds_that_contradict_each_other_are_refused(
    changes: dict[str, int], message: str
) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        replace(ResearchMode.standard(), **changes)
    assert caught.value.next_step
    assert "standard" in caught.value.message


@pytest.mark.parametrize(
    ("name", "settings"), [("quick", (1, 2, 1)), ("standard", (5, 7, 7)), ("deep", (4, 10, 1))]
)
def test_the_analyst_s_thresholds_are_laid_over_the_mode(
    name: str, settings: tuple[int, int, int]
) -> None:
    cutoff, full, short = settings
    mode = ResearchMode.from_name(name, relevance_cutoff=cutoff, min_full=full, min_short=short)
    assert (
        mode.relevance_cutoff,
        mode.min_sources_full_report,
        mode.min_sources_short_report,
    ) == settings
    assert (mode.name, mode.max_sources) == (name, ResearchMode.from_name(name).max_sources)


@pytest.mark.parametrize("sources", range(MIN_SOURCES, MAX_SOURCES + 1))
def test_the_shares_of_the_exhaustive_mode_add_up_for_every_number(sources: int) -> None:
    mode = ResearchMode.from_name(EXHAUSTIVE, sources=sources)
    contested = mode.with_counter_search()
    assert mode.max_sources == sources
    for one in (mode, contested):
        rounds = one.list_gap_shares()
        assert one.count_first_places() + sum(map(sum, rounds)) == sources
        assert one.count_gap_places() == sum(map(sum, rounds))
        shares = [one.question_share, one.refined_share, *one.planned_shares, *sum(rounds, ())]
        assert min(shares) >= 1
        assert 1 <= len(one.planned_shares) <= MAX_EXHAUSTIVE_QUERIES
    assert len(mode.list_gap_shares()) == MAX_GAP_ROUNDS
    assert 1 <= contested.counter_share <= 2
    assert sum(mode.planned_shares) >= sources / 3
    assert mode.min_sources_short_report <= mode.min_sources_full_report <= 10


def test_the_usual_number_of_sources() -> None:
    assert ResearchMode.exhaustive() == ResearchMode.exhaustive(USUAL_SOURCES)


@pytest.mark.parametrize("sources", [-1, 0, 1, MIN_SOURCES - 1, MAX_SOURCES + 1, 10_000])
def test_a_number_of_sources_that_is_not_read_is_refused(sources: int) -> None:
    with pytest.raises(UsageError, match=f"reads 10 to 100 sources, not {sources}") as caught:
        ResearchMode.from_name(EXHAUSTIVE, sources=sources)
    assert caught.value.next_step


@pytest.mark.parametrize("name", [name for name in MODES if name != EXHAUSTIVE])
def test_the_other_modes_take_no_number_of_sources(name: str) -> None:
    with pytest.raises(UsageError, match="fixed number of sources") as caught:
        ResearchMode.from_name(name, sources=20)
    assert "exhaustive" in caught.value.next_step


@pytest.mark.parametrize(
    ("mode", "rounds"),
    [
        (ResearchMode.deep(), ((1, 1),)),
        (ResearchMode.deep().with_counter_search(), ((1,),)),
        (ResearchMode.quick().with_counter_search(), ((1, 1),)),
        (ResearchMode.exhaustive(60), ((2, 1, 1),) * 4),
        (ResearchMode.exhaustive(60).with_counter_search(), (*((2, 1, 1),) * 3, (2,))),
        (ResearchMode.exhaustive(10).with_counter_search(), ((1,),) * 3),
    ],
)
def test_a_search_for_evidence_against_takes_the_last_places_of_the_follow_ups(
    mode: ResearchMode, rounds: tuple[tuple[int, ...], ...]
) -> None:
    assert mode.list_gap_shares() == rounds
    assert mode.count_first_places() + mode.count_gap_places() <= mode.max_sources


THRESHOLD = st.none() | st.integers(-2, 12)


@given(st.sampled_from(MODES), THRESHOLD, THRESHOLD, THRESHOLD)
def test_a_mode_is_consistent_or_refused(
    name: str, cutoff: int | None, full: int | None, short: int | None
) -> None:
    try:
        mode = ResearchMode.from_name(name, relevance_cutoff=cutoff, min_full=full, min_short=short)
    except UsageError:
        return
    assert 1 <= mode.min_sources_short_report <= mode.min_sources_full_report <= mode.max_sources
    assert 1 <= mode.relevance_cutoff <= 5
    given_values = (cutoff, full, short)
    taken = (mode.relevance_cutoff, mode.min_sources_full_report, mode.min_sources_short_report)
    assert all(asked in (None, got) for asked, got in zip(given_values, taken, strict=True))
