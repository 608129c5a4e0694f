"""Read the numbers of an office chart as a pipe table: categories as rows, series as columns.

Only the values stored in the document are read; the workbook they came from is not opened.
"""

from __future__ import annotations

from collections.abc import Iterator

from research_core.web.documents.ooxml import Package, clean_lines, find_child, get_attribute
from research_core.web.documents.properties import get_local_name
from research_core.web.documents.tables import format_table
from research_core.web.documents.tally import HiddenTextTally
from research_core.web.lxml_types import Element

MAX_POINTS, MAX_SERIES = 1_000, 50


def read_chart_tables(
    drawing: Element, package: Package, part: str, tally: HiddenTextTally
) -> Iterator[str]:
    """Yield the title and the table of each chart in a drawing of this part."""
    for each in drawing.iter():
        if get_local_name(each) != "chart" or not get_attribute(each, "id"):
            continue
        _, chart = package.read_references(part).get(get_attribute(each, "id"), ("", ""))
        if chart:
            yield from filter(None, _read_chart_table(package.xml(chart), tally))


def _read_chart_table(chart: Element, tally: HiddenTextTally) -> Iterator[str]:
    title = find_child(chart, "chart", "title")
    if title is not None:
        texts = [each for each in title.iter() if get_local_name(each) == "t"]
        yield " ".join(clean_lines(each.text or "", tally) for each in texts)
    names: list[str] = []
    columns: list[dict[int, str]] = []
    categories: dict[int, str] = {}
    series = [each for each in chart.iter() if get_local_name(each) == "ser"][:MAX_SERIES]
    for each in series:
        names.append(" ".join(_read_points(find_child(each, "tx"), tally).values()))
    for each in series:
        own = _read_points(find_child(each, "cat"), tally)
        categories = own | _read_points(find_child(each, "xVal"), tally) | categories
    for each in series:
        values = _read_points(find_child(each, "val"), tally)
        columns.append(values | _read_points(find_child(each, "yVal"), tally))
    rows = [["", *names]]
    for place in sorted(set(categories).union(*columns))[:MAX_POINTS]:
        values_at_place = [column.get(place, "") for column in columns]
        rows.append([categories.get(place, str(place + 1)), *values_at_place])
    yield format_table(rows)


def _read_points(holder: Element | None, tally: HiddenTextTally) -> dict[int, str]:
    """Return the texts of a chart's points by index."""
    found: dict[int, str] = {}
    if holder is None:
        return found
    for point in holder.iter():
        if get_local_name(point) != "pt":
            continue
        index = get_attribute(point, "idx")
        place = int(index) if index.isdecimal() and len(index) < 6 else len(found)
        number = find_child(point, "v")
        text = number.text if number is not None else ""
        found[place] = clean_lines(text or "", tally)
    return found
