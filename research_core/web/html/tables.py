"""Which tables of an HTML page tabulate something, and these as pipe tables; layout tables are left to be drawn as blocks.

The first row is the header, because a pipe table needs one. A cell that spans rows is written in each of them where it is short, since a
row must be understood by itself; one that spans columns is written in the first, and the others stay empty.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from research_core.web.html.elements import CELLS, ROWS, one_line
from research_core.web.tables import pipe_table

Element = Any  # lxml ships no types

#: A row with more text than this lays a page out. A table of which most are such is none.
LONG_ROW = 600
#: Nobody reads more columns than this side by side.
MOST_COLUMNS = 64
#: A cell that spans rows is written again where it has no more characters than this; so many are written in a page, at most.
SHORT_CELL, MOST_WRITTEN = 100, 20_000


def pipes(table: Element) -> str | None:
    """The table as a pipe table, its captions as lines above it; None where it has no two rows and columns, or its rows are pages."""
    captions = [text for each in table.iterchildren("caption") if (text := one_line(each))]
    rows = [cells for row in table.iter(*ROWS) if any(cells := [one_line(cell) for cell in row.iterchildren(*CELLS)])]
    if len(rows) > 2 and not any(rows[0][1:]):  # a title across the table; the extractor makes one of a caption too
        captions, rows = [*captions, rows[0][0]], rows[1:]
    return "\n\n".join([*captions, pipe_table(rows)]) if _tabulates(rows) else None


def _tabulates(rows: Sequence[Sequence[str]]) -> bool:
    """Whether at least half of the rows have several cells and no more than half are long."""
    paired = sum(sum(map(bool, cells)) > 1 for cells in rows)
    long = sum(sum(map(len, cells)) > LONG_ROW for cells in rows)
    fits = max(map(len, rows), default=0) <= MOST_COLUMNS
    return fits and paired > 1 and 2 * paired >= len(rows) >= 2 * long


# ---------------------------------------------------------------- cells that span rows


def spread(tree: Element) -> None:
    """Write cells that span rows into each of them, in a tree of HTML; long ones as empty cells. No cell spans rows any more."""
    written = 0
    for cell in [cell for cell in tree.iter("td", "th") if cell.get("rowspan")]:
        rows, row = _span(cell, "rowspan") - 1, cell.getparent()
        column = next((at for at, each in _starts(row) if each is cell), None)
        del cell.attrib["rowspan"]
        if rows and column is not None:
            text = one_line(cell)
            for below in islice(row.itersiblings("tr"), min(rows, MOST_WRITTEN - written)):
                _insert(below, column, cell, text if len(text) <= SHORT_CELL else "")
                written += 1


def _span(cell: Element, name: str) -> int:
    found = cell.get(name, "1").strip()
    return max(1, int(found[:3])) if found.isascii() and found.isdigit() else 1


def _starts(row: Element) -> Iterator[tuple[int, Element]]:
    """The first cells of a row, each with the column it begins in."""
    column = 0
    for cell in islice(row.iterchildren("td", "th"), MOST_COLUMNS):
        yield column, cell
        column += _span(cell, "colspan")


def _insert(row: Element, column: int, cell: Element, text: str) -> None:
    """A cell like this one, with this text, where the column begins in the row."""
    new = cell.makeelement(cell.tag, {name: cell.get(name) for name in ("colspan",) if cell.get(name)})
    new.text = text
    after = next((each for at, each in _starts(row) if at >= column), None)
    if after is None:
        row.append(new)
    else:
        after.addprevious(new)
