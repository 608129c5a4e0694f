"""The quality of a page for a query, part by part, at every boundary that the specification names."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.tools.page_quality import (
    MAX_RECOMMENDED,
    PageQuality,
    RankedSource,
    assess_page,
    build_components,
    build_recommendations,
    measure_content,
    measure_freshness,
    measure_relevance,
)

TODAY = date(2026, 11, 22)


@pytest.mark.parametrize(
    ("query", "title", "text", "worth"),
    [
        ("party rules", "", "", 0.0),
        ("", "anything", "anything", 0.5),
        ("the of and", "the of and", "the of and", 1.0),
        ("tidal turbine", "Tidal turbines", "", 0.4),
        ("tidal turbine", "", "A turbine in the tidal stream.", 0.6),
        ("tidal turbine", "Tidal turbines", "A turbine in the tidal stream.", 1.0),
        ("art", "The party started", "A cart", 0.0),
        ("how to get tidal power", "", "tidal", round(0.6 * 5 / 13, 2)),
    ],
)
def test_relevance_weighs_whole_words_of_title_and_text(
    query: str, title: str, text: str, worth: float
) -> None:
    assert measure_relevance(query, title, text) == worth


@pytest.mark.parametrize(
    ("days", "worth"),
    [
        (0, 1.0),
        (1, 0.9),
        (6, 0.9),
        (7, 0.7),
        (29, 0.7),
        (30, 0.5),
        (364, 0.5),
        (365, 0.3),
        (9000, 0.3),
        (-1, 0.5),
    ],
)
def test_freshness_by_age_in_days(days: int, worth: float) -> None:
    assert measure_freshness((TODAY - timedelta(days)).isoformat(), TODAY) == worth


@pytest.mark.parametrize(
    "published", ["", "2026", "2026-11", "2023-02-31", "2026-13-01", "yesterday"]
)
def test_a_page_without_a_day_is_neither_fresh_nor_old(published: str) -> None:
    assert measure_freshness(published, TODAY) == 0.5


@pytest.mark.parametrize(
    ("text", "worth"),
    [
        ("", 0.0),
        ("word " * 50, 0.2),
        ("word " * 51, 0.3),
        ("word " * 201, 0.4),
        ("word " * 501, 0.5),
        ("word\n\n" * 4, 0.4),
        ("Yes. " * 6, 0.4),
        ("word http://x.example.org/ word", 0.3),
        ("word here. \n\n" * 501, 0.9),
    ],
)
def test_content_adds_up_what_makes_a_text(text: str, worth: float) -> None:
    assert measure_content(text) == pytest.approx(worth)


def test_the_whole_is_the_weighted_sum_of_the_parts() -> None:
    assert PageQuality(1.0, 1.0, 1.0, 1.0).overall == 1.0
    assert PageQuality(0.8, 0.5, 0.9, 0.6).overall == round(
        0.35 * 0.8 + 0.2 * 0.5 + 0.25 * 0.9 + 0.2 * 0.6, 2
    )
    assert assess_page("seals", "Seals", "Seals.", "", 0.9, TODAY).as_json() == {
        "overall": 0.71, "relevance": 1.0, "freshness": 0.5, "authority": 0.9, "contentQuality": 0.2
    }  # fmt: skip


def ranked(n: int, **parts: float) -> RankedSource:
    given = {"relevance": 0.5, "freshness": 0.5, "authority": 0.5, "content": 0.5, **parts}
    return RankedSource(
        f"https://site{n}.example.org/", f"Site {n}", "Some text.\n\nMore.", PageQuality(**given)
    )


def test_at_most_three_sources_that_clear_the_bar_are_recommended_best_first_with_the_reason() -> (
    None
):
    sources = [
        ranked(1),
        ranked(2, relevance=0.9),
        ranked(3, authority=0.9),
        ranked(4, freshness=1.0),
        ranked(5, relevance=1.0, authority=1.0),
    ]
    found = build_recommendations(sources)
    assert [each["url"] for each in found] == [sources[4].url, sources[1].url, sources[2].url][
        :MAX_RECOMMENDED
    ]
    assert found[0]["reason"] == "It comes from a host with high authority."
    assert found[1]["reason"] == "It holds most of the query's words."
    assert build_recommendations([ranked(1)]) == []


def test_components_are_a_card_each_and_a_table_where_there_are_several() -> None:
    one, two = build_components([ranked(1)]), build_components([ranked(1), ranked(2)])
    assert [each["type"] for each in one] == ["card"]
    assert [each["type"] for each in two] == ["card", "card", "table"]
    assert all(
        each["autoFormatted"] and each["label"] == "mcp-auto-formatted" and each["sourceRefs"]
        for each in two
    )
    assert two[0]["card"]["snippet"] == "Some text. More."


@given(
    st.text(max_size=60), st.text(max_size=100), st.text(max_size=400), st.dates(), st.floats(0, 1)
)
def test_every_part_stays_between_nothing_and_all(
    query: str, title: str, text: str, day: date, authority: float
) -> None:
    found = assess_page(query, title, text, day.isoformat(), authority, TODAY)
    assert all(0.0 <= part <= 1.0 for part in found.as_json().values())
