"""Which tables of an HTML page tabulate something, and these as pipe tables; layout tables are left
to be drawn as blocks.

The first row is the header, because a pipe table needs one. A cell that spans rows is written in
each of them where it is short, since a row must be understood by itself; one that spans columns is
written in the first, and the others stay empty.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from research_core.web.documents.tables import pipe_table
from research_core.web.html.elements import BLOCKS, CELLS, ROWS, folded, holding, one_line

Element = Any  # lxml ships no types

#: A row with more text than this lays a page out. A table of which most are such is none.
LONG_ROW = 600
#: Nobody reads more columns than this side by side.
MOST_COLUMNS = 64
#: A cell that spans rows is written again where it has no more characters than this; so many are
#: written in a page, at most.
SHORT_CELL, MOST_WRITTEN = 100, 10_000
#: An icon stands for this many characters at most; what says more beside a picture was written for
#: no reader of the table.
LONG_ICON = 20
#: A table with more of its text in links than this may be a menu.
MOST_LINKED = 0.8
#: The `rend` of a table that is written out.
WRITTEN = "table"
#: The cells of rows above that reach down, by column: through how many more rows, and their text.
Below = dict[int, tuple[int, str]]


def pipes(table: Element) -> str | None:
    """The table as a pipe table, its captions as lines above it; None where it has no two rows and
    columns, or its rows are pages.
    """
    captions = [text for each in table.iterchildren("caption") if (text := one_line(each))]
    rows = [
        cells
        for row in table.iter(*ROWS)
        if any(cells := [one_line(cell) for cell in row.iterchildren(*CELLS)])
    ]
    if len(rows) > 2 and not any(
        rows[0][1:]
    ):  # a title across the table; the extractor makes one of a caption too
        captions, rows = [*captions, rows[0][0]], rows[1:]
    return "\n\n".join([*captions, pipe_table(rows)]) if _tabulates(rows) else None


def _tabulates(rows: Sequence[Sequence[str]]) -> bool:
    """Whether at least half of the rows have several cells and no more than half are long."""
    paired = sum(sum(map(bool, cells)) > 1 for cells in rows)
    long = sum(sum(map(len, cells)) > LONG_ROW for cells in rows)
    fits = max(map(len, rows), default=0) <= MOST_COLUMNS
    return fits and paired > 1 and 2 * paired >= len(rows) >= 2 * long


# ---------------------------------------------------------------- cells that span rows and columns


def spread(tree: Element) -> None:
    """Write cells that span rows into each of them, in a tree of HTML, long ones as empty cells;
    and empty ones for further columns.

    No cell spans any more, those in excess of MOST_WRITTEN neither.
    """
    spanning = [
        cell for cell in tree.iter("td", "th") if cell.get("rowspan") or cell.get("colspan")
    ]
    left = MOST_WRITTEN
    for group in dict.fromkeys(
        row.getparent() for cell in spanning if (row := cell.getparent()).tag == "tr"
    ):
        left -= 0 if group is None else _fill(group, left)
    for cell in spanning:
        cell.attrib.pop("rowspan", None)
        cell.attrib.pop("colspan", None)


def _fill(group: Element, most: int) -> int:
    """Fill up the rows of a table, or of its head or body; how many cells that took."""
    below: Below = {}
    written = 0
    for row in group.iterchildren("tr"):
        cells = list(row.iterchildren("td", "th"))
        new, at = Below(), 0
        for cell in cells:
            over = list(_over(below, at))
            rows, columns = _span(cell, "rowspan"), _span(cell, "colspan")
            if cell is cells[-1] and rows == 1:
                columns = 1  # with nothing beside it, nothing needs to be filled
            at += len(over) + columns
            if at > MOST_COLUMNS or written + at > most:
                return written
            written += _put(cell, over, columns)
            if rows > 1:
                text = one_line(cell)
                new |= {
                    at - columns + n: (rows, "" if n or len(text) > SHORT_CELL else text)
                    for n in range(columns)
                }
        written += _end(row, below, at, most - written)
        below = {
            column: (rows - 1, text) for column, (rows, text) in (below | new).items() if rows > 1
        }
    return written


def _span(cell: Element, name: str) -> int:
    found = cell.get(name, "1").strip()
    return max(1, int(found[:3])) if found.isascii() and found.isdigit() else 1


def _over(below: Below, column: int) -> Iterator[str]:
    """The texts of the cells above that stand in a row from some column on, up to the first column
    that is free.
    """
    while column in below:
        yield below[column][1]
        column += 1


def _put(cell: Element, over: Sequence[str], columns: int) -> int:
    """Write the cells that stand before one, and the empty ones it covers beside itself."""
    for text in over:
        cell.addprevious(_cell(cell, text))
    for _ in range(columns - 1):
        cell.addnext(_cell(cell, ""))
    return len(over) + columns - 1


def _end(row: Element, below: Below, column: int, most: int) -> int:
    """Write the cells from above that stand after a row's own."""
    last = max((at for at, (_, text) in below.items() if text), default=-1)
    missing = range(column, min(last + 1, column + most))
    for at in missing:
        row.append(_cell(row, below.get(at, (0, ""))[1]))
    return len(missing)


def _cell(near: Element, text: str) -> Element:
    new = near.makeelement("th" if near.tag == "th" else "td")
    new.text = text
    return new


# ---------------------------------------------------------------- what an extractor makes of tables


def write_out(tree: Element) -> None:
    """Put a table that tabulates in its place as a pipe table, which an extractor leaves as it is;
    of one that is left it keeps little.

    A table that is mostly links stays one, as it may be a menu. One that has no end of empty cells
    becomes a row of paragraphs.
    """
    around = holding(tree.iter("table"), {"table"})
    for table in list(tree.iter("table")):
        written = (
            None
            if table in around or table.find(".//pre") is not None or _leads_elsewhere(table)
            else pipes(table)
        )
        if written is not None:
            _replace(table, written)
        elif _is_vast(table):
            _unroll(table)


def is_written(element: Element) -> bool:
    """Whether this is what a table was replaced with."""
    return bool(element.tag == "code" and element.get("rend") == WRITTEN)


def _replace(table: Element, written: str) -> None:
    for figure in table.iterancestors("figure"):
        figure.tag = "div"  # or the extractor takes it for a picture
    tail = table.tail
    table.clear()
    table.tag, table.text, table.tail = "code", written, tail
    table.set("rend", WRITTEN)


def _leads_elsewhere(table: Element) -> bool:
    links = sum(len(one_line(link)) for link in table.iter("a"))
    return links > 0 and links > MOST_LINKED * len(one_line(table))


def _is_vast(table: Element) -> bool:
    """Whether it has very many cells once each row is as long as the longest, which the extractor
    makes it.
    """
    rows = [len(row) for row in table.iter("tr")]
    return len(rows) * max(rows, default=0) > MOST_WRITTEN


def _unroll(table: Element) -> None:
    """Rows as paragraphs, and as blocks where blocks stand in them."""
    for row in list(table.iter("tr")):
        if next(row.iter(*BLOCKS), None) is None:
            tail, text = row.tail, one_line(row)
            row.clear()
            row.tag, row.text, row.tail = "p", text, tail
    for each in list(table.iter("table", "thead", "tbody", "tfoot", "tr", "td", "th")):
        each.tag = "div"


def name_icons(tree: Element) -> None:
    """What the pictures in a cell without words stand for, where that is a word or two: "yes" for a
    green check mark.
    """
    for cell in tree.iter("td", "th"):
        if cell.find(".//table") is not None:
            continue
        icons = [
            (icon, name)
            for icon in cell.iter("img", "i", "span")
            if (name := folded(icon.get("alt") or icon.get("aria-label") or ""))
        ]
        if icons and not one_line(cell):
            for icon, name in icons:
                icon.tail = f" {name if len(name) <= LONG_ICON else ''} {icon.tail or ''}"
