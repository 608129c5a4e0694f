"""Figures, periods, names and windows of statistical series, refusals, and what FRED and the World
Bank were recorded to answer.
"""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.errors import SearchError
from research_core.search.providers import eurostat, fred, oecd, worldbank
from research_core.search.providers.series import (
    parse_figure,
    parse_period,
    select_by_title,
    select_window,
)
from research_core.search.queries import SeriesQuery
from research_core.search.records import Observation, Series
from tests.contracts.series import TOC, asked, failure
from tests.tool_calls_made import for_each_recorded

BY_ID = SeriesQuery("X", count=5, series_id="X")


def seen(date: str, value: float | None = 1.0) -> Observation:
    return Observation("X", date, "test", value)


# ---------------------------------------------------------------- figures

FIGURES = [
    ("12.50", 12.5),
    ("0", 0),
    ("-3", -3),
    (".5", 0.5),
    ("1e3", 1000.0),
    (0, 0),
    (0.1, 0.1),
    (10**20, 10**20),
    (" 7 ", 7),
]
FIGURES += [(each, None) for each in (None, "", ".", "..", ":", "NaN", "nan", "na", float("nan"))]


@pytest.mark.parametrize(("written", "value"), FIGURES, ids=str)
def test_a_figure_is_what_is_written(written: Any, value: Any) -> None:
    assert (parse_figure("X", written), type(parse_figure("X", written))) == (value, type(value))


@pytest.mark.parametrize(
    "written",
    ["tea", "1,5", "1 000", True, [], {}, "1e999", float("inf"), "9" * 100, "1.2.3", "٣"],
    ids=str,
)
def test_what_is_no_figure_is_a_changed_shape(written: Any) -> None:
    with pytest.raises(SearchError) as caught:
        parse_figure("X", written)
    assert caught.value.kind == "bad_reply"


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**30), 10**30))
def test_no_figure_is_rounded(value: float) -> None:
    assert parse_figure("X", value) == parse_figure("X", repr(value)) == value


# ---------------------------------------------------------------- periods

PERIODS = {
    "2024": ("2024-01-01", "2024-12-31"),
    "2024-02": ("2024-02-01", "2024-02-29"),
    "2023M02": ("2023-02-01", "2023-02-28"),
    "2024-M12": ("2024-12-01", "2024-12-31"),
    "2024-Q3": ("2024-07-01", "2024-09-30"),
    "2024Q1": ("2024-01-01", "2024-03-31"),
    "2024-S2": ("2024-07-01", "2024-12-31"),
    "2024-B1": ("2024-01-01", "2024-06-30"),
    "2024-T2": ("2024-05-01", "2024-08-31"),
    "2024-W01": ("2024-01-01", "2024-01-07"),
    "2020-W53": ("2020-12-28", "2021-01-03"),
    "2024-05-31": ("2024-05-31", "2024-05-31"),
    "2024-05-31T00:00:00": ("2024-05-31", "2024-05-31"),
    "0001": ("0001-01-01", "0001-12-31"),
    "9999-Q4": ("9999-10-01", "9999-12-31"),
}


@pytest.mark.parametrize("period", PERIODS)
def test_a_period_is_its_first_and_last_day(period: str) -> None:
    first, last = PERIODS[period]
    assert parse_period(period) == (date.fromisoformat(first), date.fromisoformat(last))


@pytest.mark.parametrize(
    "period",
    [
        "",
        "24",
        "2024-13",
        "2024-02-30",
        "2024-Q5",
        "2024-S3",
        "0000",
        "2024-W54",
        "2024-00",
        "20245",
        "tea",
    ],
)
def test_what_is_no_period_is_none(period: str) -> None:
    assert parse_period(period) is None


@given(st.text(max_size=12) | st.from_regex(r"[0-9]{4}-?[A-Z]?[0-9]{0,3}", fullmatch=True))
def test_a_period_begins_before_it_ends_or_is_none(period: str) -> None:
    when = parse_period(period)
    assert when is None or (when[0] <= when[1] and when[0].year >= int(period.strip()[:4]) - 1)


def test_the_window_counts_a_period_as_within_where_a_day_of_it_is() -> None:
    listed = [seen(each) for each in ("2022", "2023", "2024", "2023-Q2", "2023-05", "2023-06-15")]
    since = select_window(
        listed, SeriesQuery("X", series_id="X", date_from="2023-05-10", date_to="2023-06-14")
    )
    assert [each.date for each in since] == ["2023", "2023-Q2", "2023-05"]
    newest = [each.date for each in select_window(listed, SeriesQuery("X", series_id="X"))]
    assert newest == ["2024", "2023", "2023-Q2", "2023-06-15", "2023-05"]  # by their last days


def test_what_stands_in_one_period_keeps_its_order_and_what_has_no_date_is_last() -> None:
    listed = [seen("2023", 1), seen("2024", 2), seen("some day", 3), seen("2024", 4)]
    assert [each.value for each in select_window(listed, BY_ID)] == [2, 4, 1, 3]
    assert [
        each.value
        for each in select_window(listed, SeriesQuery("X", series_id="X", date_from="2000"))
    ] == [1, 2, 4]


MONTHS = st.dates(date(1950, 1, 1), date(2050, 12, 31)).map(lambda day: day.isoformat()[:7])


@given(
    st.lists(MONTHS, max_size=30), st.integers(1, 10), MONTHS | st.just(""), MONTHS | st.just("")
)
def test_a_window_is_the_nearest_to_its_end_and_leaves_nothing_nearer_out(
    listed: list[str], count: int, since: str, until: str
) -> None:
    query = SeriesQuery("X", count, "X", date_from=since, date_to=until)
    kept = [each.date for each in select_window([seen(each) for each in listed], query)]
    within = sorted(
        (each for each in listed if (since or "0") <= each <= (until or "9")), reverse=not since
    )
    assert kept == within[:count]


# ---------------------------------------------------------------- names


def test_names_need_every_word_and_the_phrase_comes_first() -> None:
    titles = [
        "Growth of the real GDP",
        "GDP per head, growth",
        "GDP growth (annual %)",
        "Population growth",
    ]
    found = select_by_title(
        "X", [Series(title, title, "test") for title in titles], SeriesQuery(" gdp  GROWTH ")
    )
    assert [each.title for each in found] == [
        "GDP growth (annual %)",
        "GDP per head, growth",
        "Growth of the real GDP",
    ]


def test_fred_ranks_by_the_words_of_id_and_title_and_then_as_they_came() -> None:
    titles = ["Tea prices", "Coffee imports", "Tea imports, all", "Imports: Tea"]
    body = {"seriess": [{"id": f"S{n}", "title": title} for n, title in enumerate(titles)]}
    found = asked(fred.search, body, SeriesQuery("tea imports", count=3))
    assert [each.series_id for each in found] == ["S2", "S3", "S0"]
    by_id = {
        "seriess": [
            {"id": "GDP", "title": "Gross Domestic Product"},
            {"id": "X", "title": "Real GDP"},
        ]
    }
    assert [each.series_id for each in asked(fred.search, by_id, SeriesQuery("gdp"))] == [
        "GDP",
        "X",
    ]


@pytest.mark.parametrize(
    ("search", "body"),
    [
        (search, body)
        for search in (fred.search, worldbank.search, oecd.search, eurostat.search)
        for body in (
            "",
            "{}",
            "[]",
            "null",
            "1",
            "<html><h1>Welcome</h1></html>",
            '{"unheard": [{"of": 1}]}',
            b"\xff\xfe\x00",
            "[" * 100_000,
        )
    ],
)
def test_a_catalogue_of_another_shape_is_a_bad_reply(search: Any, body: Any) -> None:
    assert failure(search, body, SeriesQuery("tea")).kind == "bad_reply"


@pytest.mark.parametrize(
    ("search", "body"),
    [
        (fred.search, {"seriess": [{"title": "Tea"}]}),
        (worldbank.search, [{"page": 1, "pages": 1}, [{"id": "", "name": "Tea"}]]),
        (worldbank.search, [{"page": 1, "pages": 2}, [{"id": "T", "name": "Tea"}]]),
        (worldbank.search, [{"page": 1, "pages": 1, "total": 4}, None]),
        (oecd.search, {"data": {"dataflows": [{"id": "T", "name": "Tea"}]}}),
        (eurostat.search, TOC.replace("dataset", "folder").replace("table", "folder")),
        (eurostat.search, TOC[:-60].rpartition("\n")[0] + "\n\"Tea"),
    ],
)  # fmt: skip
def test_a_catalogue_without_anything_usable_or_without_its_end_is_a_bad_reply(
    search: Any, body: Any
) -> None:
    assert failure(search, body, SeriesQuery("tea")).kind == "bad_reply"


# ---------------------------------------------------------------- refusals


def test_a_dataflow_without_a_place_for_a_country_says_so() -> None:
    structure = {
        "data": {
            "dataStructures": [
                {
                    "dataStructureComponents": {
                        "dimensionList": {"dimensions": [{"id": "FREQ", "position": 0}]}
                    }
                }
            ]
        }
    }
    error = failure(
        oecd.search, structure, SeriesQuery("A,B,1.0", series_id="A,B,1.0", country="AUT")
    )
    assert (error.kind, error.next_step) == ("bad_reply", "Leave country out.")


def fred_says(words: str, code: int = 400) -> dict[str, Any]:
    return {"error_code": code, "error_message": words}


def bank_says(number: str, words: str) -> list[Any]:
    return [{"message": [{"id": number, "key": "Invalid value", "value": words}]}]


REFUSALS = [
    (
        fred.search,
        400,
        fred_says("Bad Request.  The value for variable api_key is not registered."),
        "auth_required",
    ),
    (fred.search, 400, fred_says("Bad Request.  The series does not exist."), "not_found"),
    (
        fred.search,
        400,
        fred_says("Bad Request.  Variable limit is not between 1 and 100000."),
        "validation",
    ),
    (fred.search, 500, fred_says("Internal Server Error", 500), "upstream_unavailable"),
    (
        worldbank.search,
        200,
        bank_says("120", "The provided parameter value is not valid"),
        "validation",
    ),
    (worldbank.search, 200, bank_says("175", "The indicator was not found."), "not_found"),
    (oecd.search, 404, "Could not find Dataflow", "not_found"),
    (oecd.search, 422, "Not enough key values in query", "validation"),
    (oecd.search, 406, "No matching accept type", "bad_reply"),
    (oecd.search, 429, "slow down", "rate_limited"),
    (
        eurostat.search,
        404,
        {"error": [{"status": 404, "id": 100, "label": "ERR_NOT_FOUND_4: Not available."}]},
        "not_found",
    ),
    (
        eurostat.search,
        413,
        {"error": [{"status": 413, "label": "EXTRACTION_TOO_BIG"}]},
        "too_large",
    ),
    (
        eurostat.search,
        200,
        {"warning": {"status": 413, "label": "ASYNCHRONOUS_RESPONSE"}},
        "too_large",
    ),
]


@pytest.mark.parametrize(("search", "status", "body", "kind"), REFUSALS)
def test_a_refusal_has_its_kind_and_its_words(
    search: Any, status: int, body: Any, kind: str
) -> None:
    number = "A,B,1.0" if search is oecd.search else "X.Y"
    error = failure(search, body, SeriesQuery(number, series_id=number), status)
    assert error.kind == kind
    words = body if isinstance(body, str) else str(list(walked(body))[-1])
    assert " ".join(words.split()) in error.message


def walked(body: Any) -> list[str]:
    """The texts of an answer, in their order."""
    if isinstance(body, dict | list):
        return [
            each
            for part in (body.values() if isinstance(body, dict) else body)
            for each in walked(part)
        ]
    return [body] if isinstance(body, str) else []


# ---------------------------------------------------------------- recorded answers


@for_each_recorded(
    "fred_series_search_1.json", "fred_category_2.json", "fred_series_1.json", "fred_series_2.json"
)
def test_recorded_series_of_fred_are_read(body: bytes, name: str) -> None:
    found = asked(fred.search, body, SeriesQuery("", count=2_000))
    spots = {
        "fred_series_search_1.json": (
            885,
            "MSIM2",
            "Monetary Services Index: M2 (preferred)",
            "Billions of Dollars",
        ),
        "fred_category_2.json": (
            47,
            "AITGCBN",
            "Advance U.S. International Trade in Goods: Balance",
            "Millions of Dollars",
        ),
        "fred_series_1.json": (1, "CPILFESL", None, "Index 1982-1984=100"),
        "fred_series_2.json": (1, "GDP", "Gross Domestic Product", "Billions of Dollars"),
    }
    count, number, title, units = spots[name]
    first = found[0]
    assert (len(found), first.series_id, first.title, first.units) == (
        count,
        number,
        title or first.title,
        units,
    )
    assert all(each.title and each.frequency and each.last_updated for each in found)


@for_each_recorded("fred_series_search_1.json")
def test_recorded_search_of_fred_is_ranked_by_the_words_of_the_title(
    body: bytes, name: str
) -> None:
    found = asked(fred.search, body, SeriesQuery("monetary services index m3", count=2))
    assert [
        each.series_id
        for each in found
        if "M3" in each.title and "Monetary Services Index" in each.title
    ] == [each.series_id for each in found]


@for_each_recorded(
    "fred_observations_2.json", "fred_observations_4.json", "fred_observations_5.json"
)
def test_recorded_observations_of_fred_are_read(body: bytes, name: str) -> None:
    found = asked(fred.search, body, SeriesQuery("GDP", count=5_000, series_id="GDP"))
    spots = {
        "fred_observations_2.json": (315, "1947-01-01", 243.164),
        "fred_observations_4.json": (132, "1991-10-01", 5736.6),
        "fred_observations_5.json": (3278, "1962-01-05", 4.03),
    }
    count, day, value = spots[name]
    assert len(found) == count
    assert {each.date: each.value for each in found}[day] == value
    assert [each.date for each in found if each.value is None][:1] == (
        ["1946-01-01"] if name == "fred_observations_2.json" else []
    )


@for_each_recorded(
    "fred_other_1.json", "fred_other_3.json", "fred_release_1.json", "fred_release_2.json"
)
def test_other_recorded_answers_of_fred_are_no_series(body: bytes, name: str) -> None:
    assert (
        failure(fred.search, body, SeriesQuery("tea")).kind
        == failure(fred.search, body, BY_ID).kind
        == "bad_reply"
    )


@for_each_recorded("worldbank_indicators_1.json")
def test_recorded_indicators_are_read(body: bytes, name: str) -> None:
    found = asked(worldbank.search, body, SeriesQuery("", count=200))
    first = next(each for each in found if each.series_id == "1.0.HCount.1.90usd")
    assert (len(found), first.title) == (100, "Poverty Headcount ($1.90 a day)")
    assert first.notes.endswith(
        "with daily per capita income (in 2011 PPP) below the poverty line."
    )
    assert asked(worldbank.search, body, SeriesQuery("day headcount $1.90"))[0] == first


@for_each_recorded("worldbank_observations_1.json")
def test_recorded_observations_of_the_world_bank_are_read(body: bytes, name: str) -> None:
    query = SeriesQuery("NY.GDP.MKTP.CD", 100, "NY.GDP.MKTP.CD", "US")
    found = asked(worldbank.search, body, query)
    assert (len(found), found[0].date, found[0].value, found[1].value) == (
        64,
        "2023",
        None,
        25439700000000.0,
    )
    assert ({each.title for each in found}, any(each.units for each in found)) == (
        {"GDP (current US$) — United States"},
        False,
    )


@for_each_recorded("worldbank_topics_1.json")
def test_recorded_topics_are_no_indicators(body: bytes, name: str) -> None:
    assert failure(worldbank.search, body, SeriesQuery("poverty")).kind == "bad_reply"
