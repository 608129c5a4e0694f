"""Economic and social statistics: FRED, the World Bank, the OECD, Eurostat."""

from __future__ import annotations

from typing import Any

import pytest

from research_core.errors import SearchError
from research_core.search.queries import SeriesQuery
from research_core.search.records import Observation
from tests.contracts import Case, Service, configured

FRED = "api.stlouisfed.org/fred/series"
FRED_KEY = {"fred_api_key": "fred-key-of-a-test"}
FOUND = {
    "seriess": [
        {
            "id": "TEAUS",
            "title": "Tea Imports",
            "frequency": "Monthly",
            "units": "Tons",
            "last_updated": "2024-02-01 07:00:00-06",
        },
        {
            "id": "TEAPRICE",
            "title": "Price: Tea",
            "frequency": "Annual",
            "units": "Index",
            "notes": "At the dock.",
        },
    ]
}
OBSERVED = {
    "observations": [
        {"date": "2023-01-01", "value": "12.50"},
        {"date": "2023-04-01", "value": "."},
        {"date": "2023-07-01", "value": "0"},
    ]
}

WORLD = "api.worldbank.org/v2"
INDICATOR = {
    "id": "TEA.IMP.TO",
    "name": "Tea imports (tons)",
    "unit": "",
    "sourceNote": "Imports of tea.",
    "sourceOrganization": "FAO",
}
PAGING = {"page": 1, "pages": 1, "per_page": 20000, "total": 1}
NO_PAGING = {"page": 0, "pages": 0, "per_page": 20000, "total": 0}


def yearly(year: str, value: Any, country: str = "AT") -> dict[str, Any]:
    about = {
        "indicator": {"id": "TEA.IMP.TO", "value": "Tea imports (tons)"},
        "country": {"id": country, "value": f"Land of {country}"},
    }
    return {**about, "date": year, "value": value, "unit": "", "obs_status": "", "decimal": 0}


OECD = "sdmx.oecd.org/public/rest/"
FLOW = "OECD.TEA,DSD_TEA@DF_CUPS,1.0"
FLOWS = {
    "data": {
        "dataflows": [
            {
                "id": "DSD_TEA@DF_CUPS",
                "agencyID": "OECD.TEA",
                "version": "1.0",
                "name": "Cups of tea, by sex",
            },
            {
                "id": "DSD_TEA@DF_POTS",
                "agencyID": "OECD.TEA",
                "version": "2.1",
                "names": {"fr": "Théières", "en": "Pots of tea"},
            },
        ]
    }
}
STRUCTURE = {
    "data": {
        "dataStructures": [
            {
                "dataStructureComponents": {
                    "dimensionList": {
                        "dimensions": [
                            {"id": "SEX", "position": 2},
                            {"id": "FREQ", "position": 0},
                            {"id": "REF_AREA", "position": 1},
                        ],
                        "timeDimensions": [{"id": "TIME_PERIOD", "position": 3}],
                    }
                }
            }
        ]
    }
}


def axis(dimension: str, *values: tuple[str, str]) -> dict[str, Any]:
    return {
        "id": dimension,
        "name": dimension.title(),
        "values": [{"id": code, "name": label} for code, label in values],
    }


CUPS = {
    "data": {
        "dataSets": [
            {
                "action": "Information",
                "series": {
                    "0:0:0": {"attributes": [0], "observations": {"1": [2.25, 0], "0": [0, 0]}},
                    "0:0:1": {"attributes": [0], "observations": {"0": [None, 1]}},
                },
            }
        ],
        "structures": [
            {
                "name": "Cups of tea",
                "dimensions": {
                    "series": [
                        axis("FREQ", ("Q", "Quarterly")),
                        axis("REF_AREA", ("AUT", "Austria")),
                        axis("SEX", ("F", "Women"), ("M", "Men")),
                    ],
                    "observation": [
                        axis("TIME_PERIOD", ("2024-Q1", "2024-Q1"), ("2023-Q4", "2023-Q4"))
                    ],
                },
                "attributes": {
                    "series": [axis("UNIT_MEASURE", ("CUP", "Cups"))],
                    "observation": [
                        axis("OBS_STATUS", ("A", "Normal value"), ("L", "Not collected"))
                    ],
                },
            }
        ],
    }
}

EUROSTAT = "ec.europa.eu/eurostat/api/dissemination/"
TOC = (
    '"title"\t"code"\t"type"\t"last update of data"\t"last table structure change"\t"data start"\t"data end"\t"values"\n'
    '"Drinks"\t"drinks"\t"folder"\t" "\t" "\t" "\t" "\t\n'
    '"    Tea and ""other"" leaves, monthly data"\t"tea_leaf_m"\t"dataset"\t"01.02.2024"\t"01.02.2024"\t"1983-01"\t"2024-01"\t1200\n'
    '"    Coffee"\t"coffee"\t"table"\t"01.02.2024"\t"01.02.2024"\t"2000"\t"2023"\t24\n'
)


def category(**labels: str) -> dict[str, Any]:
    return {
        "category": {"index": {code: place for place, code in enumerate(labels)}, "label": labels}
    }


LEAVES = {
    "version": "2.0",
    "class": "dataset",
    "label": "Tea and other leaves",
    "updated": "2024-02-01T11:00:00+0100",
    "value": {"0": 7.1, "1": 0, "3": 6.95},
    "status": {"1": "p", "2": ":"},
    "id": ["freq", "unit", "sex", "geo", "time"],
    "size": [1, 1, 2, 1, 2],
    "dimension": {
        "freq": category(M="Monthly"),
        "unit": category(PC="Percentage"),
        "sex": category(F="Females", M="Males"),
        "geo": category(AT="Austria"),
        "time": {
            "category": {
                "index": {"2023-12": 0, "2024-01": 1},
                "label": {"2023-12": "2023-12", "2024-01": "2024-01"},
            }
        },
    },
    "extension": {"status": {"label": {"p": "provisional"}}},
}
NO_LEAVES = {**LEAVES, "value": {}, "status": {}}


def cup(date: str, value: float | None, who: str = "Women", notes: str = "") -> Observation:
    named = {"title": f"Cups of tea — Austria, {who}", "units": "Cups", "frequency": "Quarterly"}
    return Observation(FLOW, date, "oecd", value, notes=notes, **named)


def leaf(date: str, value: float | None, who: str = "Females", notes: str = "") -> Observation:
    named = {
        "title": f"Tea and other leaves — Percentage, {who}, Austria",
        "units": "Percentage",
        "frequency": "Monthly",
    }
    return Observation("tea_leaf_m", date, "eurostat", value, notes=notes, **named)


CASES = (
    Case(
        "fred",
        "series",
        SeriesQuery(
            "TEAUS",
            series_id="TEAUS",
            date_from="2023",
            date_to="2023-12-31",
            frequency="Q",
            units="pch",
        ),
        [(f"{FRED}/observations", OBSERVED), (f"{FRED}/search", FOUND)],
        [
            Observation("TEAUS", "2023-01-01", "fred", 12.5),
            Observation("TEAUS", "2023-04-01", "fred", None),
            Observation("TEAUS", "2023-07-01", "fred", 0),
        ],
        [(FRED, {"observations": []})],
        settings=FRED_KEY,
    ),
    Case(
        "worldbank",
        "series",
        SeriesQuery(
            "TEA.IMP.TO",
            series_id="TEA.IMP.TO",
            country="AUT",
            date_from="2020",
            date_to="2022-06-30",
        ),
        [
            (
                f"{WORLD}/country",
                [
                    PAGING,
                    [
                        yearly("2023", 4),
                        yearly("2022", None),
                        yearly("2021", 0),
                        yearly("2020", 2.5),
                        yearly("2019", 1),
                    ],
                ],
            ),
            (f"{WORLD}/indicator", [PAGING, [INDICATOR]]),
        ],
        [
            Observation("TEA.IMP.TO", "2020", "worldbank", 2.5, "Tea imports (tons) — Land of AT"),
            Observation("TEA.IMP.TO", "2021", "worldbank", 0, "Tea imports (tons) — Land of AT"),
            Observation("TEA.IMP.TO", "2022", "worldbank", None, "Tea imports (tons) — Land of AT"),
        ],
        [(WORLD, [NO_PAGING, None])],
    ),
    Case(
        "oecd",
        "series",
        SeriesQuery(FLOW, series_id=FLOW, country="aut", date_from="2023-12", date_to="2024"),
        [(f"{OECD}data/", CUPS), (f"{OECD}dataflow/all", FLOWS), (f"{OECD}dataflow/", STRUCTURE)],
        [cup("2023-Q4", 2.25), cup("2024-Q1", 0), cup("2024-Q1", None, "Men", "Not collected")],
        [
            (f"{OECD}data/", {"data": {**CUPS["data"], "dataSets": []}}),
            (f"{OECD}dataflow/", STRUCTURE),
        ],  # type: ignore[dict-item]
    ),
    Case(
        "eurostat",
        "series",
        SeriesQuery(
            "tea_leaf_m",
            series_id="tea_leaf_m",
            country="at",
            date_from="2023-12-15",
            date_to="2024",
        ),
        [(f"{EUROSTAT}statistics", LEAVES), (f"{EUROSTAT}catalogue", TOC)],
        [
            leaf("2023-12", 7.1),
            leaf("2023-12", None, "Males", "not available"),
            leaf("2024-01", 0, notes="provisional"),
            leaf("2024-01", 6.95, "Males"),
        ],
        [(f"{EUROSTAT}statistics", NO_LEAVES)],
    ),
)


def asked(search: Any, body: Any, query: SeriesQuery, status: int = 200) -> tuple[Any, ...]:
    """What this provider makes of one answer to everything."""
    return tuple(search(Service([("", body)], status), configured(**FRED_KEY), query))


def failure(search: Any, body: Any, query: SeriesQuery, status: int = 200) -> SearchError:
    """How this provider fails at one answer to everything."""
    with pytest.raises(SearchError) as caught:
        asked(search, body, query, status)
    return caught.value
