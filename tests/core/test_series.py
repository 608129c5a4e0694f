"""Figures, periods and windows of statistical series, and JSON-stat and SDMX-JSON: written, made up and recorded."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.errors import SearchError
from research_core.providers import eurostat, fred, jsonstat, oecd, sdmx, worldbank
from research_core.providers.series import Cell, Mark, figure, fitting, observed, span, window
from research_core.queries import SeriesQuery
from research_core.records import Observation, Series
from tests.called import recorded
from tests.contracts import Service, configured
from tests.contracts.series import CUPS, FRED_KEY, LEAVES, TOC, axis

BY_ID = SeriesQuery("X", count=5, series_id="X")
OBSERVATIONS = SeriesQuery("a_b", count=20_000, series_id="a_b")


def seen(date: str, value: float | None = 1.0) -> Observation:
    return Observation("X", date, "test", value)


def asked(search: Any, body: Any, query: SeriesQuery, status: int = 200) -> tuple[Any, ...]:
    return tuple(search(Service([("", body)], status), configured(**FRED_KEY), query))


def failure(search: Any, body: Any, query: SeriesQuery, status: int = 200) -> SearchError:
    with pytest.raises(SearchError) as caught:
        asked(search, body, query, status)
    return caught.value


# ---------------------------------------------------------------- figures

FIGURES = [("12.50", 12.5), ("0", 0), ("-3", -3), (".5", 0.5), ("1e3", 1000.0), (0, 0), (0.1, 0.1), (10**20, 10**20), (" 7 ", 7)]
FIGURES += [(each, None) for each in (None, "", ".", "..", ":", "NaN", "nan", "na", float("nan"))]


@pytest.mark.parametrize(("written", "value"), FIGURES, ids=str)
def test_a_figure_is_what_is_written(written: Any, value: Any) -> None:
    assert (figure("X", written), type(figure("X", written))) == (value, type(value))


@pytest.mark.parametrize("written", ["tea", "1,5", "1 000", True, [], {}, "1e999", float("inf"), "9" * 100, "1.2.3", "٣"], ids=str)
def test_what_is_no_figure_is_a_changed_shape(written: Any) -> None:
    with pytest.raises(SearchError) as caught:
        figure("X", written)
    assert caught.value.kind == "bad_reply"


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**30), 10**30))
def test_no_figure_is_rounded(value: float) -> None:
    assert figure("X", value) == figure("X", repr(value)) == value


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
    assert span(period) == (date.fromisoformat(first), date.fromisoformat(last))


@pytest.mark.parametrize("period", ["", "24", "2024-13", "2024-02-30", "2024-Q5", "2024-S3", "0000", "2024-W54", "2024-00", "20245", "tea"])
def test_what_is_no_period_is_none(period: str) -> None:
    assert span(period) is None


@given(st.text(max_size=12) | st.from_regex(r"[0-9]{4}-?[A-Z]?[0-9]{0,3}", fullmatch=True))
def test_a_period_begins_before_it_ends_or_is_none(period: str) -> None:
    when = span(period)
    assert when is None or (when[0] <= when[1] and when[0].year >= int(period.strip()[:4]) - 1)


def test_the_window_counts_a_period_as_within_where_a_day_of_it_is() -> None:
    listed = [seen(each) for each in ("2022", "2023", "2024", "2023-Q2", "2023-05", "2023-06-15")]
    since = window(listed, SeriesQuery("X", series_id="X", date_from="2023-05-10", date_to="2023-06-14"))
    assert [each.date for each in since] == ["2023", "2023-Q2", "2023-05"]


def test_what_stands_in_one_period_keeps_its_order_and_what_has_no_date_is_last() -> None:
    listed = [seen("2023", 1), seen("2024", 2), seen("some day", 3), seen("2024", 4)]
    assert [each.value for each in window(listed, BY_ID)] == [2, 4, 1, 3]
    assert [each.value for each in window(listed, SeriesQuery("X", series_id="X", date_from="2000"))] == [1, 2, 4]


MONTHS = st.dates(date(1950, 1, 1), date(2050, 12, 31)).map(lambda day: day.isoformat()[:7])


@given(st.lists(MONTHS, max_size=30), st.integers(1, 10), MONTHS | st.just(""), MONTHS | st.just(""))
def test_a_window_is_the_nearest_to_its_end_and_leaves_nothing_nearer_out(listed: list[str], count: int, since: str, until: str) -> None:
    query = SeriesQuery("X", count, "X", date_from=since, date_to=until)
    kept = [each.date for each in window([seen(each) for each in listed], query)]
    within = sorted((each for each in listed if (since or "0") <= each <= (until or "9")), reverse=not since)
    assert kept == within[:count]


# ---------------------------------------------------------------- names


def test_names_need_every_word_and_the_phrase_comes_first() -> None:
    titles = ["Growth of the real GDP", "GDP per head, growth", "GDP growth (annual %)", "Population growth"]
    found = fitting([Series(title, title, "test") for title in titles], SeriesQuery(" gdp  GROWTH "))
    assert [each.title for each in found] == ["GDP growth (annual %)", "GDP per head, growth", "Growth of the real GDP"]


def test_fred_ranks_by_the_words_of_id_and_title_and_then_as_they_came() -> None:
    titles = ["Tea prices", "Coffee imports", "Tea imports, all", "Imports: Tea"]
    body = {"seriess": [{"id": f"S{n}", "title": title} for n, title in enumerate(titles)]}
    found = asked(fred.search, body, SeriesQuery("tea imports", count=3))
    assert [each.series_id for each in found] == ["S2", "S3", "S0"]
    by_id = {"seriess": [{"id": "GDP", "title": "Gross Domestic Product"}, {"id": "X", "title": "Real GDP"}]}
    assert [each.series_id for each in asked(fred.search, by_id, SeriesQuery("gdp"))] == ["GDP", "X"]


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
def test_a_catalogue_without_anything_usable_or_without_its_end_is_a_bad_reply(search: Any, body: Any) -> None:
    assert failure(search, body, SeriesQuery("tea")).kind == "bad_reply"


# ---------------------------------------------------------------- JSON-stat and SDMX


def leaves(**changes: Any) -> dict[str, Any]:
    return {**LEAVES, **changes}


BROKEN = [
    leaves(value=None), leaves(value={"9": 1}), leaves(value={"-1": 1}), leaves(value=[1] * 9), leaves(value={"0": "tea"}),
    leaves(size=[1, 1, 2, 1, 3]), leaves(size=[1, 1, 2, 1]), leaves(id=["freq"]), leaves(status={"0": 7}), leaves(status=3),
    leaves(dimension={**LEAVES["dimension"], "sex": {"category": {"index": {"F": 0, "M": 2}}}}),  # type: ignore[dict-item]
    leaves(dimension={**LEAVES["dimension"], "sex": {"category": {"index": ["F", 1]}}}),  # type: ignore[dict-item]
    leaves(dimension={**LEAVES["dimension"], "sex": {}}),  # type: ignore[dict-item]
]  # fmt: skip


@pytest.mark.parametrize("body", BROKEN, ids=range(len(BROKEN)))
def test_a_cube_that_contradicts_itself_is_a_bad_reply(body: Any) -> None:
    assert failure(eurostat.search, body, OBSERVATIONS).kind == "bad_reply"


def test_status_may_be_one_for_all_by_list_or_of_several_flags() -> None:
    def notes(status: Any, **more: Any) -> list[str]:
        return [each.notes for each in asked(eurostat.search, leaves(status=status, **more), OBSERVATIONS)]

    assert notes("p") == ["provisional"] * 3
    assert notes([None, "be", None, "x"], extension={}) == ["break in time series, estimated", "x", ""]
    assert notes({}) == [""] * 3


SMALL = st.integers(1, 4)


@st.composite
def made_cubes(draw: Any) -> tuple[dict[str, Any], dict[tuple[str, ...], float]]:
    """A JSON-stat data set of any dimensions, and its values by their codes, the time last."""
    sizes = [*draw(st.lists(SMALL, max_size=3)), draw(SMALL)]
    names = [f"d{n}" for n in range(len(sizes) - 1)] + ["time"]
    axes = [
        [f"{2000 + place}" if name == "time" else f"{name}c{place}" for place in range(size)]
        for name, size in zip(names, sizes, strict=True)
    ]
    order = draw(st.permutations(range(len(names))))
    values: dict[tuple[str, ...], float] = {}
    flat: list[float | None] = []

    def walk(left: list[int], at: dict[int, str]) -> None:
        if not left:
            flat.append(draw(st.none() | st.floats(-1e9, 1e9)))
            if flat[-1] is not None:
                values[tuple(at[n] for n in range(len(names)))] = flat[-1]
            return
        for code in axes[left[0]]:
            walk(left[1:], {**at, left[0]: code})

    walk(list(order), {})
    as_list = draw(st.booleans())
    body = {
        "id": [names[n] for n in order],
        "size": [sizes[n] for n in order],
        "value": flat if as_list else {str(n): value for n, value in enumerate(flat) if value is not None},
        "dimension": {
            name: {"category": {"index": codes if draw(st.booleans()) else {code: n for n, code in enumerate(codes)}}}
            for name, codes in zip(names, axes, strict=True)
        },
    }
    return body, values


@given(made_cubes())
def test_every_cell_of_a_cube_is_found_at_its_coordinates(made: tuple[dict[str, Any], dict[tuple[str, ...], float]]) -> None:
    body, values = made
    (cube,) = jsonstat.cubes("X", body)
    found = {(*(mark.code for mark in sorted(cell.marks, key=lambda mark: mark.dimension)), cell.date): cell.value for cell in cube.cells()}
    assert found == values


@st.composite
def made_messages(draw: Any) -> tuple[dict[str, Any], list[tuple[str, ...]]]:
    """An SDMX-JSON data message with its dimensions on any of its levels, and the codes of its cells, the time last."""
    sizes = draw(st.lists(SMALL, min_size=1, max_size=3))
    names = [f"D{n}" for n in range(len(sizes))]
    axes = [axis(name, *((f"{name}c{n}", f"Code {n}") for n in range(size))) for name, size in zip(names, sizes, strict=True)]
    times = axis("TIME_PERIOD", *((f"{2000 + n}-Q1", "") for n in range(draw(SMALL))))
    flat = draw(st.booleans())
    steps = draw(st.lists(st.tuples(*(st.integers(0, size - 1) for size in sizes), st.integers(0, len(times["values"]) - 1)), unique=True))
    codes = [(*(f"{name}c{n}" for name, n in zip(names, each, strict=False)), f"{2000 + each[-1]}-Q1") for each in steps]
    dataset: dict[str, Any] = {"observations": {":".join(map(str, each)): [n] for n, each in enumerate(steps)}}
    if not flat:
        series: dict[str, Any] = {}
        for n, each in enumerate(steps):
            series.setdefault(":".join(map(str, each[:-1])), {"observations": {}})["observations"][str(each[-1])] = [n]
        dataset = {"series": series}
    levels = {"series": [], "observation": [*axes, times]} if flat else {"series": axes, "observation": [times]}
    structure = {"name": "Made up", "dimensions": levels, "attributes": {}}
    return {"data": {"dataSets": [dataset], "structures": [structure]}}, codes


@given(made_messages())
def test_every_observation_of_a_message_is_found_at_its_coordinates(made: tuple[dict[str, Any], list[tuple[str, ...]]]) -> None:
    body, codes = made
    _, cells = sdmx.data("X", body)
    found = {cell.value: (*(mark.code for mark in cell.marks), cell.date) for cell in cells}
    assert found == dict(enumerate(codes))


def test_a_message_of_more_dimensions_than_there_are_is_a_bad_reply() -> None:
    names = [f"d{n}" for n in range(51)]
    cube = {"id": names, "size": [1] * 51, "value": [1], "dimension": {name: {"category": {"index": ["a"]}} for name in names}}
    assert failure(eurostat.search, cube, OBSERVATIONS).message.endswith("it has 51 dimensions.")
    levels = {"dimensions": {"observation": [axis(name, ("a", "A")) for name in names]}, "attributes": {}}
    message = {"data": {"dataSets": [{"observations": {":".join("0" * 51): [1]}}], "structures": [levels]}}
    assert failure(oecd.search, message, SeriesQuery("A,B", series_id="A,B")).message.endswith("it has 51 dimensions.")


def outcome(read: Any, body: Any) -> tuple[Any, str]:
    """(what was read, "" or the kind of the failure)."""
    try:
        return read("X", body), ""
    except SearchError as error:
        return (), error.kind


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.floats(allow_nan=True) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["0", "1", "id", "index", "label", "F"]) | st.text(max_size=3), inner)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from([*LEAVES, "role", "link"]), JUNK))
def test_any_json_is_a_cube_or_a_bad_reply(changes: dict[str, Any]) -> None:
    found, kind = outcome(lambda name, body: [cell for cube in jsonstat.cubes(name, body) for cell in cube.cells()], {**LEAVES, **changes})
    assert kind in ("", "bad_reply")
    assert all(isinstance(cell.date, str) for cell in found)


@given(st.sampled_from(["dataSets", "structures"]), JUNK)
def test_any_json_is_a_data_message_or_a_bad_reply(part: str, junk: Any) -> None:
    for body in ({"data": {**CUPS["data"], part: junk}}, {"data": junk}, junk):
        found, kind = outcome(lambda name, body: list(sdmx.data(name, body)[1]), body)
        assert kind in ("", "bad_reply")
        assert all(cell.date for cell in found)


def test_a_multiplier_is_told_with_the_unit_and_what_is_usual_is_not() -> None:
    marks = (Mark("UNIT_MEASURE", "USD", "US dollar"), Mark("FREQ", "A", "Annual"))
    (made,) = observed([Cell("2024", 1, marks, (Mark("UNIT_MULT", "6", "Millions"), Mark("OBS_STATUS", "A", "Normal")))], "X", "GDP", "t")
    assert (made.title, made.units, made.frequency, made.notes) == ("GDP — US dollar", "US dollar, Millions", "Annual", "")
    (plain,) = observed([Cell("2024", 1, marks, (Mark("UNIT_MULT", "0", "Units"), Mark("OBS_STATUS", "P", "Provisional")))], "X", "", "t")
    assert (plain.title, plain.units, plain.notes) == ("US dollar", "US dollar", "Provisional")


def test_a_dataflow_without_a_place_for_a_country_says_so() -> None:
    structure = {
        "data": {"dataStructures": [{"dataStructureComponents": {"dimensionList": {"dimensions": [{"id": "FREQ", "position": 0}]}}}]}
    }
    error = failure(oecd.search, structure, SeriesQuery("A,B,1.0", series_id="A,B,1.0", country="AUT"))
    assert (error.kind, error.next_step) == ("bad_reply", "Leave country out.")


def fred_says(words: str, code: int = 400) -> dict[str, Any]:
    return {"error_code": code, "error_message": words}


def bank_says(number: str, words: str) -> list[Any]:
    return [{"message": [{"id": number, "key": "Invalid value", "value": words}]}]


REFUSALS = [
    (fred.search, 400, fred_says("Bad Request.  The value for variable api_key is not registered."), "auth_required"),
    (fred.search, 400, fred_says("Bad Request.  The series does not exist."), "not_found"),
    (fred.search, 400, fred_says("Bad Request.  Variable limit is not between 1 and 100000."), "validation"),
    (fred.search, 500, fred_says("Internal Server Error", 500), "upstream_unavailable"),
    (worldbank.search, 200, bank_says("120", "The provided parameter value is not valid"), "validation"),
    (worldbank.search, 200, bank_says("175", "The indicator was not found."), "not_found"),
    (oecd.search, 404, "Could not find Dataflow", "not_found"),
    (oecd.search, 422, "Not enough key values in query", "validation"),
    (oecd.search, 406, "No matching accept type", "bad_reply"),
    (oecd.search, 429, "slow down", "rate_limited"),
    (eurostat.search, 404, {"error": [{"status": 404, "id": 100, "label": "ERR_NOT_FOUND_4: Not available."}]}, "not_found"),
    (eurostat.search, 413, {"error": [{"status": 413, "label": "EXTRACTION_TOO_BIG"}]}, "too_large"),
    (eurostat.search, 200, {"warning": {"status": 413, "label": "ASYNCHRONOUS_RESPONSE"}}, "too_large"),
]


@pytest.mark.parametrize(("search", "status", "body", "kind"), REFUSALS)
def test_a_refusal_has_its_kind_and_its_words(search: Any, status: int, body: Any, kind: str) -> None:
    number = "A,B,1.0" if search is oecd.search else "X.Y"
    error = failure(search, body, SeriesQuery(number, series_id=number), status)
    assert error.kind == kind
    words = body if isinstance(body, str) else str(list(walked(body))[-1])
    assert " ".join(words.split()) in error.message


def walked(body: Any) -> list[str]:
    """The texts of an answer, in their order."""
    if isinstance(body, dict | list):
        return [each for part in (body.values() if isinstance(body, dict) else body) for each in walked(part)]
    return [body] if isinstance(body, str) else []


# ---------------------------------------------------------------- recorded answers


@recorded("fred_series_search_1.json", "fred_category_2.json", "fred_series_1.json", "fred_series_2.json")
def test_recorded_series_of_fred_are_read(body: bytes, name: str) -> None:
    found = asked(fred.search, body, SeriesQuery("", count=2_000))
    spots = {
        "fred_series_search_1.json": (885, "MSIM2", "Monetary Services Index: M2 (preferred)", "Billions of Dollars"),
        "fred_category_2.json": (47, "AITGCBN", "Advance U.S. International Trade in Goods: Balance", "Millions of Dollars"),
        "fred_series_1.json": (1, "CPILFESL", None, "Index 1982-1984=100"),
        "fred_series_2.json": (1, "GDP", "Gross Domestic Product", "Billions of Dollars"),
    }
    count, number, title, units = spots[name]
    first = found[0]
    assert (len(found), first.series_id, first.title, first.units) == (count, number, title or first.title, units)
    assert all(each.title and each.frequency and each.last_updated for each in found)


@recorded("fred_series_search_1.json")
def test_recorded_search_of_fred_is_ranked_by_the_words_of_the_title(body: bytes, name: str) -> None:
    found = asked(fred.search, body, SeriesQuery("monetary services index m3", count=2))
    assert [each.series_id for each in found if "M3" in each.title and "Monetary Services Index" in each.title] == [
        each.series_id for each in found
    ]


@recorded("fred_observations_2.json", "fred_observations_4.json", "fred_observations_5.json")
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
    assert [each.date for each in found if each.value is None][:1] == (["1946-01-01"] if name == "fred_observations_2.json" else [])


@recorded("fred_other_1.json", "fred_other_3.json", "fred_release_1.json", "fred_release_2.json")
def test_other_recorded_answers_of_fred_are_no_series(body: bytes, name: str) -> None:
    assert failure(fred.search, body, SeriesQuery("tea")).kind == failure(fred.search, body, BY_ID).kind == "bad_reply"


@recorded("worldbank_indicators_1.json")
def test_recorded_indicators_are_read(body: bytes, name: str) -> None:
    found = asked(worldbank.search, body, SeriesQuery("", count=200))
    first = next(each for each in found if each.series_id == "1.0.HCount.1.90usd")
    assert (len(found), first.title) == (100, "Poverty Headcount ($1.90 a day)")
    assert first.notes.endswith("with daily per capita income (in 2011 PPP) below the poverty line.")
    assert asked(worldbank.search, body, SeriesQuery("day headcount $1.90"))[0] == first


@recorded("worldbank_observations_1.json")
def test_recorded_observations_of_the_world_bank_are_read(body: bytes, name: str) -> None:
    query = SeriesQuery("NY.GDP.MKTP.CD", 100, "NY.GDP.MKTP.CD", "US")
    found = asked(worldbank.search, body, query)
    assert (len(found), found[0].date, found[0].value, found[1].value) == (64, "2023", None, 25439700000000.0)
    assert not any(each.title or each.units for each in found)


@recorded("worldbank_topics_1.json")
def test_recorded_topics_are_no_indicators(body: bytes, name: str) -> None:
    assert failure(worldbank.search, body, SeriesQuery("poverty")).kind == "bad_reply"


RATE = "Euro, Spot rate, Average or standardised measure for given frequency, "
QUARTERS = "Quarterly National Accounts — Australia, Gross domestic product"
SDMX = {
    "oecd_sdmx_json_2.json": (14150, "Land use — India, Forest", "1990", 639390.0, "Square kilometres"),
    "oecd_sdmx_json_3.json": (60, QUARTERS, "2009-Q1", 1321158.283224, "Australian Dollar, Millions"),
    "oecd_sdmx_json_4.json": (4604, "Inbound tourism — Australia, Total international arrivals", "2016", 8269200.0, ""),
    "ecb_sdmx_json_1.json": (2, f"{RATE}Russian rouble", "2013-01-18", 40.3426, ""),
    "ecb_sdmx_json_2.json": (4, f"{RATE}New Zealand dollar", "2013-01-18", 1.5931, ""),
    "ecb_sdmx_json_3.json": (4, f"{RATE}New Zealand dollar", "2013-01-21", 1.5925, ""),
    "ecb_sdmx_json_4.json": (4, f"{RATE}Russian rouble", "2013-01-21", 40.3, ""),
}


@recorded(*SDMX)
def test_recorded_sdmx_is_read(body: bytes, name: str) -> None:
    count, title, period, value, units = SDMX[name]
    found = asked(oecd.search, body, SeriesQuery("A,B,1.0", 20_000, "A,B,1.0"))
    assert len(found) == count
    assert (value, units) in [(each.value, each.units) for each in found if each.title.startswith(title) and each.date == period]
    assert [each.date for each in found] == sorted((each.date for each in found), reverse=True)


@recorded("oecd_sdmx_json_3.json")
def test_the_newest_rows_of_a_recorded_answer_survive_and_a_range_begins_at_its_start(body: bytes, name: str) -> None:
    assert {each.date for each in asked(oecd.search, body, SeriesQuery("A,B", 5, "A,B"))} == {"2011-Q4"}
    found = asked(oecd.search, body, SeriesQuery("A,B", 6, "A,B", date_from="2010-02-15"))
    assert [each.date for each in found] == ["2010-Q1"] * 5 + ["2010-Q2"]


JSONSTAT = {
    "jsonstat_other_1.json": ([8325], "2014", 70535),
    "jsonstat_other_2.json": ([3956], "2011", 2772928),
    "jsonstat_other_3.json": ([432, 120], "2014", 5.462866231),
    "jsonstat_other_4.json": ([432, 120], "2014", 5.462866231),
    "jsonstat_other_5.json": ([3220], "2012", 6.5),
    "jsonstat_other_6.json": ([432, 120], "2014", 5.462866231),
    "eurostat_jsonstat_2.json": ([138], "2013", 31300),
    "eurostat_jsonstat_3.json": ([3036], "2013", 37000),
}


@recorded(*JSONSTAT)
def test_recorded_json_stat_is_read(body: bytes, name: str) -> None:
    sizes, period, value = JSONSTAT[name]
    cubes = jsonstat.cubes("X", json.loads(body))
    assert [len(list(cube.cells())) for cube in cubes] == sizes
    found = asked(eurostat.search, body, OBSERVATIONS)
    assert len(found) == sum(sizes)
    assert next(each.value for each in found if each.date == period) == value
    assert all(each.title and each.date for each in found)


@recorded("eurostat_jsonstat_2.json")
def test_a_recorded_cube_tells_its_places_apart_and_its_flags(body: bytes, name: str) -> None:
    found = asked(eurostat.search, body, OBSERVATIONS)
    by_place = {(each.title.rpartition(", ")[2], each.date): each for each in found}
    france = by_place["France", "1974"]
    assert (france.value, france.units, france.notes) == (4500, "Euro per inhabitant", "")
    assert (by_place["France", "2014"].value, by_place["France", "2014"].notes) == (None, "not available")


@recorded("eurostat_sdmx_xml_3.xml", "eurostat_sdmx_xml_4.xml")
def test_a_recorded_answer_that_comes_later_is_too_large(body: bytes, name: str) -> None:
    error = failure(eurostat.search, body, OBSERVATIONS)
    assert error.kind == "too_large"
    assert "Due to the large query the response will be written to a file" in error.message


@recorded("eurostat_sdmx_xml_1.xml", "sdmx_recorded_1.json", "sdmx_recorded_2.json")
def test_recorded_sdmx_in_xml_is_a_bad_reply_never_an_empty_one(body: bytes, name: str) -> None:
    for search, number in ((eurostat.search, "X"), (oecd.search, "A,B,1.0")):
        assert failure(search, body, SeriesQuery(number, series_id=number)).kind == "bad_reply"
