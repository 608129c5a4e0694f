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
from research_core.web.html.elements import (
    BLOCKS,
    CELLS,
    ROWS,
    element_line,
    find_holders,
    fold_text,
)

Element = Any  # lxml ships no types

#: A row with more text than this lays a page out. A table of which most are such is none.
MAX_ROW_CHARACTERS = 600
#: Nobody reads more columns than this side by side.
MAX_COLUMNS = 64
#: A cell that spans rows is written again where it has no more characters than this; so many are
#: written in a page, at most.
MAX_SHORT_CELL, MAX_WRITTEN_CELLS = 100, 10_000
#: An icon stands for this many characters at most; what says more beside a picture was written for
#: no reader of the table.
MAX_ICON_LENGTH = 20
#: A table with more of its text in links than this may be a menu.
MOST_LINKED = 0.8
#: The `rend` of a table that is written out.
WRITTEN_TABLE_CLASS = "table"
#: The cells of rows above that reach down, by column: through how many more rows, and their text.
SpannedCells = dict[int, tuple[int, str]]


def format_pipe_table(table: Element) -> str | None:
    """The table as a pipe table, its captions as lines above it; None where it has no two rows and
    columns, or its rows are pages.
    """
    captions = [text for each in table.iterchildren("caption") if (text := element_line(each))]
    rows = [
        cells
        for row in table.iter(*ROWS)
        if any(cells := [element_line(cell) for cell in row.iterchildren(*CELLS)])
    ]
    if len(rows) > 2 and not any(
        rows[0][1:]
    ):  # a title across the table; the extractor makes one of a caption too
        captions, rows = [*captions, rows[0][0]], rows[1:]
    return "\n\n".join([*captions, pipe_table(rows)]) if _is_data_table(rows) else None


def _is_data_table(rows: Sequence[Sequence[str]]) -> bool:
    """Whether at least half of the rows have several cells and no more than half are long."""
    paired = sum(sum(map(bool, cells)) > 1 for cells in rows)
    long = sum(sum(map(len, cells)) > MAX_ROW_CHARACTERS for cells in rows)
    fits = max(map(len, rows), default=0) <= MAX_COLUMNS
    return fits and paired > 1 and 2 * paired >= len(rows) >= 2 * long


# ---------------------------------------------------------------- cells that span rows and columns


def spread_spans(tree: Element) -> None:
    """Write cells that span rows into each of them, in a tree of HTML, long ones as empty cells;
    and empty ones for further columns.

    No cell spans any more, those in excess of MOST_WRITTEN neither.
    """
    spanning = [
        cell for cell in tree.iter("td", "th") if cell.get("rowspan") or cell.get("colspan")
    ]
    left = MAX_WRITTEN_CELLS
    for group in dict.fromkeys(
        row.getparent() for cell in spanning if (row := cell.getparent()).tag == "tr"
    ):
        left -= 0 if group is None else _fill_group(group, left)
    for cell in spanning:
        cell.attrib.pop("rowspan", None)
        cell.attrib.pop("colspan", None)


def _fill_group(group: Element, most: int) -> int:
    """Fill up the rows of a table, or of its head or body; how many cells that took."""
    below: SpannedCells = {}
    written = 0
    for row in group.iterchildren("tr"):
        cells = list(row.iterchildren("td", "th"))
        new, at = SpannedCells(), 0
        for cell in cells:
            over = list(_cells_from_above(below, at))
            rows, columns = _span_length(cell, "rowspan"), _span_length(cell, "colspan")
            if cell is cells[-1] and rows == 1:
                columns = 1  # with nothing beside it, nothing needs to be filled
            at += len(over) + columns
            if at > MAX_COLUMNS or written + at > most:
                return written
            written += _insert_spanned(cell, over, columns)
            if rows > 1:
                text = element_line(cell)
                new |= {
                    at - columns + n: (rows, "" if n or len(text) > MAX_SHORT_CELL else text)
                    for n in range(columns)
                }
        written += _finish_row(row, below, at, most - written)
        below = {
            column: (rows - 1, text) for column, (rows, text) in (below | new).items() if rows > 1
        }
    return written


def _span_length(cell: Element, name: str) -> int:
    found = cell.get(name, "1").strip()
    return max(1, int(found[:3])) if found.isascii() and found.isdigit() else 1


def _cells_from_above(below: SpannedCells, column: int) -> Iterator[str]:
    """The texts of the cells above that stand in a row from some column on, up to the first column
    that is free.
    """
    while column in below:
        yield below[column][1]
        column += 1


def _insert_spanned(cell: Element, over: Sequence[str], columns: int) -> int:
    """Write the cells that stand before one, and the empty ones it covers beside itself."""
    for text in over:
        cell.addprevious(_insert_cell(cell, text))
    for _ in range(columns - 1):
        cell.addnext(_insert_cell(cell, ""))
    return len(over) + columns - 1


def _finish_row(row: Element, below: SpannedCells, column: int, most: int) -> int:
    """Write the cells from above that stand after a row's own."""
    last = max((at for at, (_, text) in below.items() if text), default=-1)
    missing = range(column, min(last + 1, column + most))
    for at in missing:
        row.append(_insert_cell(row, below.get(at, (0, ""))[1]))
    return len(missing)


def _insert_cell(near: Element, text: str) -> Element:
    new = near.makeelement("th" if near.tag == "th" else "td")
    new.text = text
    return new


# ---------------------------------------------------------------- what an extractor makes of tables


def write_tables(tree: Element) -> None:
    """Put a table that tabulates in its place as a pipe table, which an extractor leaves as it is;
    of one that is left it keeps little.

    A table that is mostly links stays one, as it may be a menu. One that has no end of empty cells
    becomes a row of paragraphs.
    """
    around = find_holders(tree.iter("table"), {"table"})
    for table in list(tree.iter("table")):
        written = (
            None
            if table in around or table.find(".//pre") is not None or _is_link_table(table)
            else format_pipe_table(table)
        )
        if written is not None:
            _replace_table(table, written)
        elif _is_vast(table):
            _unroll_table(table)


def is_written_table(element: Element) -> bool:
    """Whether this is what a table was replaced with."""
    return bool(element.tag == "code" and element.get("rend") == WRITTEN_TABLE_CLASS)


def _replace_table(table: Element, written: str) -> None:
    for figure in table.iterancestors("figure"):
        figure.tag = "div"  # or the extractor takes it for a picture
    tail = table.tail
    table.clear()
    table.tag, table.text, table.tail = "code", written, tail
    table.set("rend", WRITTEN_TABLE_CLASS)


def _is_link_table(table: Element) -> bool:
    links = sum(len(element_line(link)) for link in table.iter("a"))
    return links > 0 and links > MOST_LINKED * len(element_line(table))


def _is_vast(table: Element) -> bool:
    """Whether it has very many cells once each row is as long as the longest, which the extractor
    makes it.
    """
    rows = [len(row) for row in table.iter("tr")]
    return len(rows) * max(rows, default=0) > MAX_WRITTEN_CELLS


def _unroll_table(table: Element) -> None:
    """Rows as paragraphs, and as blocks where blocks stand in them."""
    for row in list(table.iter("tr")):
        if next(row.iter(*BLOCKS), None) is None:
            tail, text = row.tail, element_line(row)
            row.clear()
            row.tag, row.text, row.tail = "p", text, tail
    for each in list(table.iter("table", "thead", "tbody", "tfoot", "tr", "td", "th")):
        each.tag = "div"


def name_cell_icons(tree: Element) -> None:
    """What the pictures in a cell without words stand for, where that is a word or two: "yes" for a
    green check mark.
    """
    for cell in tree.iter("td", "th"):
        if cell.find(".//table") is not None:
            continue
        icons = [
            (icon, name)
            for icon in cell.iter("img", "i", "span")
            if (name := fold_text(icon.get("alt") or icon.get("aria-label") or ""))
        ]
        if icons and not element_line(cell):
            for icon, name in icons:
                icon.tail = f" {name if len(name) <= MAX_ICON_LENGTH else ''} {icon.tail or ''}"
