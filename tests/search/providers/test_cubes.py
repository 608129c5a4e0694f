"""JSON-stat and SDMX-JSON, written, made up and recorded: every cell at its coordinates, whatever
else a bad reply.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.errors import SearchError
from research_core.search.providers import eurostat, jsonstat, oecd, sdmx
from research_core.search.providers.series import Cell, Mark, build_observations
from research_core.search.queries import SeriesQuery
from tests.contracts.series import CUPS, LEAVES, asked, axis, failure
from tests.tool_calls_made import for_each_recorded

OBSERVATIONS = SeriesQuery("a_b", count=20_000, series_id="a_b")


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
        return [
            each.notes
            for each in asked(eurostat.search, leaves(status=status, **more), OBSERVATIONS)
        ]

    assert notes("p") == ["provisional"] * 3
    assert notes([None, "be", None, "x"], extension={}) == [
        "break in time series, estimated",
        "x",
        "",
    ]
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
        "value": flat
        if as_list
        else {str(n): value for n, value in enumerate(flat) if value is not None},
        "dimension": {
            name: {
                "category": {
                    "index": codes
                    if draw(st.booleans())
                    else {code: n for n, code in enumerate(codes)}
                }
            }
            for name, codes in zip(names, axes, strict=True)
        },
    }
    return body, values


@given(made_cubes())
def test_every_cell_of_a_cube_is_found_at_its_coordinates(
    made: tuple[dict[str, Any], dict[tuple[str, ...], float]],
) -> None:
    body, values = made
    (cube,) = jsonstat.read_cubes("X", body)
    found = {
        (
            *(mark.code for mark in sorted(cell.marks, key=lambda mark: mark.dimension)),
            cell.date,
        ): cell.value
        for cell in cube.cells()
    }
    assert found == values


@st.composite
def made_messages(draw: Any) -> tuple[dict[str, Any], list[tuple[str, ...]]]:
    """An SDMX-JSON data message with its dimensions on any of its levels, and the codes of its
    cells, the time last.
    """
    sizes = draw(st.lists(SMALL, min_size=1, max_size=3))
    names = [f"D{n}" for n in range(len(sizes))]
    axes = [
        axis(name, *((f"{name}c{n}", f"Code {n}") for n in range(size)))
        for name, size in zip(names, sizes, strict=True)
    ]
    times = axis("TIME_PERIOD", *((f"{2000 + n}-Q1", "") for n in range(draw(SMALL))))
    flat = draw(st.booleans())
    steps = draw(
        st.lists(
            st.tuples(
                *(st.integers(0, size - 1) for size in sizes),
                st.integers(0, len(times["values"]) - 1),
            ),
            unique=True,
        )
    )
    codes = [
        (*(f"{name}c{n}" for name, n in zip(names, each, strict=False)), f"{2000 + each[-1]}-Q1")
        for each in steps
    ]
    dataset: dict[str, Any] = {
        "observations": {":".join(map(str, each)): [n] for n, each in enumerate(steps)}
    }
    if not flat:
        series: dict[str, Any] = {}
        for n, each in enumerate(steps):
            series.setdefault(":".join(map(str, each[:-1])), {"observations": {}})["observations"][
                str(each[-1])
            ] = [n]
        dataset = {"series": series}
    levels = (
        {"series": [], "observation": [*axes, times]}
        if flat
        else {"series": axes, "observation": [times]}
    )
    structure = {"name": "Made up", "dimensions": levels, "attributes": {}}
    return {"data": {"dataSets": [dataset], "structures": [structure]}}, codes


@given(made_messages())
def test_every_observation_of_a_message_is_found_at_its_coordinates(
    made: tuple[dict[str, Any], list[tuple[str, ...]]],
) -> None:
    body, codes = made
    _, cells = sdmx.read_data("X", body)
    found = {cell.value: (*(mark.code for mark in cell.marks), cell.date) for cell in cells}
    assert found == dict(enumerate(codes))


def test_a_message_of_more_dimensions_than_there_are_is_a_bad_reply() -> None:
    names = [f"d{n}" for n in range(51)]
    cube = {
        "id": names,
        "size": [1] * 51,
        "value": [1],
        "dimension": {name: {"category": {"index": ["a"]}} for name in names},
    }
    assert failure(eurostat.search, cube, OBSERVATIONS).message.endswith("it has 51 dimensions.")
    levels = {
        "dimensions": {"observation": [axis(name, ("a", "A")) for name in names]},
        "attributes": {},
    }
    message = {
        "data": {"dataSets": [{"observations": {":".join("0" * 51): [1]}}], "structures": [levels]}
    }
    assert failure(oecd.search, message, SeriesQuery("A,B", series_id="A,B")).message.endswith(
        "it has 51 dimensions."
    )


def outcome(read: Any, body: Any) -> tuple[Any, str]:
    """(what was read, "" or the kind of the failure)."""
    try:
        return read("X", body), ""
    except SearchError as error:
        return (), error.kind


JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 9)
    | st.floats(allow_nan=True)
    | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["0", "1", "id", "index", "label", "F"]) | st.text(max_size=3), inner
        )
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from([*LEAVES, "role", "link"]), JUNK))
def test_any_json_is_a_cube_or_a_bad_reply(changes: dict[str, Any]) -> None:
    found, kind = outcome(
        lambda name, body: [
            cell for cube in jsonstat.read_cubes(name, body) for cell in cube.cells()
        ],
        {**LEAVES, **changes},
    )
    assert kind in ("", "bad_reply")
    assert all(isinstance(cell.date, str) for cell in found)


@given(st.sampled_from(["dataSets", "structures"]), JUNK)
def test_any_json_is_a_data_message_or_a_bad_reply(part: str, junk: Any) -> None:
    for body in ({"data": {**CUPS["data"], part: junk}}, {"data": junk}, junk):
        found, kind = outcome(lambda name, body: list(sdmx.read_data(name, body)[1]), body)
        assert kind in ("", "bad_reply")
        assert all(cell.date for cell in found)


def test_a_multiplier_is_told_with_the_unit_and_what_is_usual_is_not() -> None:
    marks = (Mark("UNIT_MEASURE", "USD", "US dollar"), Mark("FREQ", "A", "Annual"))
    (made,) = build_observations(
        [
            Cell(
                "2024",
                1,
                marks,
                (Mark("UNIT_MULT", "6", "Millions"), Mark("OBS_STATUS", "A", "Normal")),
            )
        ],
        "X",
        "GDP",
        "t",
    )
    assert (made.title, made.units, made.frequency, made.notes) == (
        "GDP — US dollar",
        "US dollar, Millions",
        "Annual",
        "",
    )
    (plain,) = build_observations(
        [
            Cell(
                "2024",
                1,
                marks,
                (Mark("UNIT_MULT", "0", "Units"), Mark("OBS_STATUS", "P", "Provisional")),
            )
        ],
        "X",
        "",
        "t",
    )
    assert (plain.title, plain.units, plain.notes) == ("US dollar", "US dollar", "Provisional")


MESSAGE: Any = CUPS["data"]


def units(**levels: Any) -> list[tuple[str, str]]:
    """(units, notes) of each cell of the message with these attributes at its levels, and what its
    data set says of them.
    """
    told = {
        name: levels.pop(name)
        for name in ("attributes", "dimensionGroupAttributes")
        if name in levels
    }
    (dataset,), (structure,) = MESSAGE["dataSets"], MESSAGE["structures"]
    body = {
        "data": {
            "dataSets": [{**dataset, **told}],
            "structures": [{**structure, "attributes": levels}],
        }
    }
    return [
        (each.units, each.notes) for each in asked(oecd.search, body, SeriesQuery("A,B", 9, "A,B"))
    ]


MULTIPLIER = axis("UNIT_MULT", ("0", "Units"), ("6", "Millions"))
CUP = axis("UNIT_MEASURE", ("CUP", "Cups"))
ALIKE = [("Cups, Millions", "")] * 3
ATTRIBUTES: list[tuple[dict[str, Any], list[tuple[str, str]]]] = [
    ({"dataSet": [CUP, MULTIPLIER], "attributes": [0, 1]}, ALIKE),
    ({"dataSet": [CUP, axis("POWERCODE", ("6", "Millions"))]}, ALIKE),
    ({"dataSet": [CUP], "dimensionGroup": [MULTIPLIER], "dimensionGroupAttributes": {"0:::": [1]}}, ALIKE),
    ({"dimensionGroup": [CUP, MULTIPLIER], "dimensionGroupAttributes": {"::0:": [0, 1]}}, [ALIKE[0], ("", ""), ALIKE[0]]),
    ({"dimensionGroup": [CUP], "dimensionGroupAttributes": {"::1:1": [0]}}, [("", ""), ("", ""), ("", "")]),
    ({"dataSet": [{"id": "UNIT_MEASURE"}], "attributes": ["Cups, Millions"]}, ALIKE),
    ({"dataSet": [{"id": "UNIT_MEASURE"}, {"id": "NOTE"}], "attributes": [{"fr": "Tasses", "en": "Cups, Millions"}, ["a", 1.5]]}, ALIKE),
    ({"series": [CUP], "observation": [{**MULTIPLIER, "default": "6"}]}, [("Cups", ""), ("Cups, Millions", ""), ("Cups", "")]),
]  # fmt: skip


@pytest.mark.parametrize(("levels", "told"), ATTRIBUTES, ids=range(len(ATTRIBUTES)))
def test_a_unit_counts_wherever_a_message_tells_it(
    levels: dict[str, Any], told: list[tuple[str, str]]
) -> None:
    assert units(**levels) == told


@pytest.mark.parametrize("part", ["attributes", "dimensions"])
@pytest.mark.parametrize(
    "junk",
    [
        None,
        [],
        7,
        {"series": 7},
        {"series": [7]},
        {"series": [{"id": []}]},
        {"series": [{"id": "A", "values": 7}]},
    ],
)
def test_a_structure_that_cannot_be_read_is_a_bad_reply(part: str, junk: Any) -> None:
    (structure,) = MESSAGE["structures"]
    for broken in (
        {**structure, part: junk},
        {each: told for each, told in structure.items() if each != part},
    ):
        body = {"data": {**MESSAGE, "structures": [broken]}}
        assert failure(oecd.search, body, SeriesQuery("A,B", series_id="A,B")).kind == "bad_reply"


def test_dimensions_stand_where_they_say_they_do() -> None:
    listed = [
        {"id": name, "position": place}
        for name, place in (("AREA", 2), ("SEX", 0), ("TIME_PERIOD", 3), ("FREQ", 1))
    ]
    body = {
        "data": {
            "dataStructures": [
                {"dataStructureComponents": {"dimensionList": {"dimensions": listed}}}
            ]
        }
    }
    assert sdmx.read_dimensions("X", body) == ("SEX", "FREQ", "AREA")
    levels = {"dataSet": [{**axis("FREQ", ("A", "Annual")), "keyPosition": 2}], "observation": [
        {**axis("TIME_PERIOD", ("2023", ""), ("2024", "")), "keyPosition": 1},
        {**axis("AREA", ("AT", "Austria"), ("DE", "Germany")), "keyPosition": 0},
    ]}  # fmt: skip
    structure = {"dimensions": levels, "attributes": {"dimensionGroup": [CUP]}}
    dataset = {
        "dimensionGroupAttributes": {"1:0:": [0]},
        "observations": {f"{time}:{area}": [1] for time in (0, 1) for area in (0, 1)},
    }
    found = asked(
        oecd.search,
        {"data": {"dataSets": [dataset], "structures": [structure]}},
        SeriesQuery("A,B", 9, "A,B"),
    )
    assert [(each.title, each.date) for each in found if each.units == "Cups"] == [
        ("Germany", "2023")
    ]


def test_each_data_set_is_read_by_its_own_structure() -> None:
    (dataset,), (structure,) = MESSAGE["dataSets"], MESSAGE["structures"]
    other = {
        **structure,
        "attributes": {"series": [axis("UNIT_MEASURE", ("POT", "Pots"))], "observation": []},
    }
    body = {
        "data": {
            "dataSets": [dataset, {**dataset, "structure": 1}],
            "structures": [structure, other],
        }
    }
    found = asked(oecd.search, body, SeriesQuery("A,B", 9, "A,B", date_from="2023"))
    assert [each.units for each in found] == ["Cups", "Pots", "Cups", "Cups", "Pots", "Pots"]


# ---------------------------------------------------------------- recorded answers


RATE = "Euro, Spot rate, Average or standardised measure for given frequency, "
QUARTERS = "Quarterly National Accounts — Australia, Gross domestic product"
SDMX = {
    "oecd_sdmx_json_2.json": (
        14150,
        "Land use — India, Forest",
        "1990",
        639390.0,
        "Square kilometres",
    ),
    "oecd_sdmx_json_3.json": (
        60,
        QUARTERS,
        "2009-Q1",
        1321158.283224,
        "Australian Dollar, Millions",
    ),
    "oecd_sdmx_json_4.json": (
        4604,
        "Inbound tourism — Australia, Total international arrivals",
        "2016",
        8269200.0,
        "Number",
    ),
    "ecb_sdmx_json_1.json": (2, f"{RATE}Russian rouble", "2013-01-18", 40.3426, ""),
    "ecb_sdmx_json_2.json": (4, f"{RATE}New Zealand dollar", "2013-01-18", 1.5931, ""),
    "ecb_sdmx_json_3.json": (4, f"{RATE}New Zealand dollar", "2013-01-21", 1.5925, ""),
    "ecb_sdmx_json_4.json": (4, f"{RATE}Russian rouble", "2013-01-21", 40.3, ""),
}


@for_each_recorded(*SDMX)
def test_recorded_sdmx_is_read(body: bytes, name: str) -> None:
    count, title, period, value, units = SDMX[name]
    found = asked(oecd.search, body, SeriesQuery("A,B,1.0", 20_000, "A,B,1.0"))
    assert len(found) == count
    assert (value, units) in [
        (each.value, each.units)
        for each in found
        if each.title.startswith(title) and each.date == period
    ]
    assert [each.date for each in found] == sorted((each.date for each in found), reverse=True)


@for_each_recorded("oecd_sdmx_json_3.json")
def test_the_newest_rows_of_a_recorded_answer_survive_and_a_range_begins_at_its_start(
    body: bytes, name: str
) -> None:
    assert {each.date for each in asked(oecd.search, body, SeriesQuery("A,B", 5, "A,B"))} == {
        "2011-Q4"
    }
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


@for_each_recorded(*JSONSTAT)
def test_recorded_json_stat_is_read(body: bytes, name: str) -> None:
    sizes, period, value = JSONSTAT[name]
    cubes = jsonstat.read_cubes("X", json.loads(body))
    assert [len(list(cube.cells())) for cube in cubes] == sizes
    found = asked(eurostat.search, body, OBSERVATIONS)
    assert len(found) == sum(sizes)
    assert next(each.value for each in found if each.date == period) == value
    assert all(each.title and each.date for each in found)


@for_each_recorded("eurostat_jsonstat_2.json")
def test_a_recorded_cube_tells_its_places_apart_and_its_flags(body: bytes, name: str) -> None:
    found = asked(eurostat.search, body, OBSERVATIONS)
    by_place = {(each.title.rpartition(", ")[2], each.date): each for each in found}
    france = by_place["France", "1974"]
    assert (france.value, france.units, france.notes) == (4500, "Euro per inhabitant", "")
    assert (by_place["France", "2014"].value, by_place["France", "2014"].notes) == (
        None,
        "not available",
    )


@for_each_recorded("eurostat_sdmx_xml_3.xml", "eurostat_sdmx_xml_4.xml")
def test_a_recorded_answer_that_comes_later_is_too_large(body: bytes, name: str) -> None:
    error = failure(eurostat.search, body, OBSERVATIONS)
    assert error.kind == "too_large"
    assert "Due to the large query the response will be written to a file" in error.message


@for_each_recorded("eurostat_sdmx_xml_1.xml", "sdmx_recorded_1.json", "sdmx_recorded_2.json")
def test_recorded_sdmx_in_xml_is_a_bad_reply_never_an_empty_one(body: bytes, name: str) -> None:
    for search, number in ((eurostat.search, "X"), (oecd.search, "A,B,1.0")):
        assert failure(search, body, SeriesQuery(number, series_id=number)).kind == "bad_reply"
