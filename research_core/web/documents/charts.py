"""The numbers behind a chart of an office document, as a pipe table: a row for each category, a
column for each series.

Only what the document keeps of them is read; the workbook they came from is not opened.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from research_core.web.documents.ooxml import Package, child, lines, value
from research_core.web.documents.properties import local
from research_core.web.documents.tables import pipe_table
from research_core.web.documents.tally import Tally

Element = Any  # lxml ships no types

MOST_POINTS, MOST_SERIES = 1_000, 50


def charts(drawing: Element, package: Package, part: str, tally: Tally) -> Iterator[str]:
    """The title and the table of each chart that a drawing of this part shows."""
    for each in drawing.iter():
        if local(each) == "chart" and value(each, "id"):
            _, chart = package.references(part).get(value(each, "id"), ("", ""))
            yield from filter(None, _of(package.xml(chart), tally)) if chart else ()


def _of(chart: Element, tally: Tally) -> Iterator[str]:
    title = child(chart, "chart", "title")
    yield (
        " ".join(lines(each.text or "", tally) for each in title.iter() if local(each) == "t")
        if title is not None
        else ""
    )
    series = [each for each in chart.iter() if local(each) == "ser"][:MOST_SERIES]
    named = [" ".join(_points(child(each, "tx"), tally).values()) for each in series]
    categories: dict[int, str] = {}
    for each in series:
        categories = (
            _points(child(each, "cat"), tally) | _points(child(each, "xVal"), tally) | categories
        )
    columns = [
        _points(child(each, "val"), tally) | _points(child(each, "yVal"), tally) for each in series
    ]
    places = sorted(set(categories).union(*columns))[:MOST_POINTS]
    yield pipe_table(
        [
            ["", *named],
            *(
                [categories.get(n, str(n + 1)), *(column.get(n, "") for column in columns)]
                for n in places
            ),
        ]
    )


def _points(holder: Element | None, tally: Tally) -> dict[int, str]:
    """Place -> what stands there."""
    found: dict[int, str] = {}
    for point in holder.iter() if holder is not None else ():
        if local(point) == "pt":
            place = value(point, "idx")
            number = child(point, "v")
            found[int(place) if place.isdecimal() and len(place) < 6 else len(found)] = lines(
                (number.text if number is not None else "") or "", tally
            )
    return found
