"""Read the numbers of an office chart as a pipe table: categories as rows, series as columns.

Only the values stored in the document are read; the workbook they came from is not opened.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from research_core.web.documents.ooxml import Package, attribute_value, clean_lines, find_child
from research_core.web.documents.properties import local_name
from research_core.web.documents.tables import pipe_table
from research_core.web.documents.tally import Tally

Element = Any  # lxml ships no types

MAX_POINTS, MAX_SERIES = 1_000, 50


def chart_tables(drawing: Element, package: Package, part: str, tally: Tally) -> Iterator[str]:
    """Yield the title and the table of each chart in a drawing of this part."""
    for each in drawing.iter():
        if local_name(each) == "chart" and attribute_value(each, "id"):
            _, chart = package.references(part).get(attribute_value(each, "id"), ("", ""))
            yield from filter(None, _chart_table(package.xml(chart), tally)) if chart else ()


def _chart_table(chart: Element, tally: Tally) -> Iterator[str]:
    title = find_child(chart, "chart", "title")
    yield (
        " ".join(
            clean_lines(each.text or "", tally) for each in title.iter() if local_name(each) == "t"
        )
        if title is not None
        else ""
    )
    series = [each for each in chart.iter() if local_name(each) == "ser"][:MAX_SERIES]
    named = [" ".join(_read_points(find_child(each, "tx"), tally).values()) for each in series]
    categories: dict[int, str] = {}
    for each in series:
        categories = (
            _read_points(find_child(each, "cat"), tally)
            | _read_points(find_child(each, "xVal"), tally)
            | categories
        )
    columns = [
        _read_points(find_child(each, "val"), tally) | _read_points(find_child(each, "yVal"), tally)
        for each in series
    ]
    places = sorted(set(categories).union(*columns))[:MAX_POINTS]
    yield pipe_table(
        [
            ["", *named],
            *(
                [categories.get(n, str(n + 1)), *(column.get(n, "") for column in columns)]
                for n in places
            ),
        ]
    )


def _read_points(holder: Element | None, tally: Tally) -> dict[int, str]:
    """Return the texts of a chart's points by index."""
    found: dict[int, str] = {}
    for point in holder.iter() if holder is not None else ():
        if local_name(point) == "pt":
            place = attribute_value(point, "idx")
            number = find_child(point, "v")
            found[int(place) if place.isdecimal() and len(place) < 6 else len(found)] = clean_lines(
                (number.text if number is not None else "") or "", tally
            )
    return found
