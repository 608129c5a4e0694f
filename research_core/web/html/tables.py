"""Write data tables of an HTML page as pipe tables; leave layout tables to be drawn as blocks.

The first row is the header, since a pipe table needs one. A short cell that spans rows is repeated
in each, since a row must be understood by itself; one that spans columns is written in the first,
and the others stay empty.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from research_core.web.documents.tables import format_table
from research_core.web.html.elements import (
    BLOCKS,
    CELLS,
    ROWS,
    find_holders,
    fold_text,
    get_element_line,
)
from research_core.web.lxml_types import Element

#: Characters above which a row is layout; a table of mostly such rows is layout.
MAX_ROW_CHARACTERS = 600
#: Most columns of a readable table.
MAX_COLUMNS = 64
#: Most characters of a cell that is repeated in each row it spans; and most cells written in a
#: page.
MAX_SHORT_CELL, MAX_WRITTEN_CELLS = 100, 10_000
#: Most characters of an icon's name; longer texts beside a picture are descriptions.
MAX_ICON_LENGTH = 20
#: Link share above which a table may be a menu.
MOST_LINKED = 0.8
#: The `rend` of a table that was replaced.
WRITTEN_TABLE_CLASS = "table"
#: Cells of rows above that reach down, by column: through how many more rows, and their text.
SpannedCells = dict[int, tuple[int, str]]


def format_pipe_table(table: Element) -> str | None:
    """Return a table as a pipe table with its captions above; None for a layout table."""
    captions = list(filter(None, map(get_element_line, table.iterchildren("caption"))))
    rows = []
    for row in table.iter(*ROWS):
        cells = [get_element_line(cell) for cell in row.iterchildren(*CELLS)]
        if any(cells):
            rows.append(cells)
    # A title across the table; the extractor makes one of a caption too.
    if len(rows) > 2 and not any(rows[0][1:]):
        captions.append(rows[0][0])
        rows = rows[1:]
    if not _is_data_table(rows):
        return None
    return "\n\n".join([*captions, format_table(rows)])


def _is_data_table(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether at least half of the rows have several cells and at most half are long."""
    paired = sum(sum(map(bool, cells)) > 1 for cells in rows)
    long = sum(sum(map(len, cells)) > MAX_ROW_CHARACTERS for cells in rows)
    fits = max(map(len, rows), default=0) <= MAX_COLUMNS
    return fits and paired > 1 and 2 * paired >= len(rows) >= 2 * long


# ---------------------------------------------------------------- cells that span rows and columns


def spread_spans(tree: Element) -> None:
    """Write out cells that span rows or columns, long texts as empty cells.

    Afterwards no cell spans, not even those beyond MAX_WRITTEN_CELLS.
    """
    spanning = [
        cell for cell in tree.iter("td", "th") if cell.get("rowspan") or cell.get("colspan")
    ]
    groups: dict[Element, None] = {}  # in order, each once
    for cell in spanning:
        row = cell.getparent()
        if row.tag == "tr" and row.getparent() is not None:
            groups[row.getparent()] = None
    left = MAX_WRITTEN_CELLS
    for group in groups:
        left -= _fill_group(group, left)
    for cell in spanning:
        cell.attrib.pop("rowspan", None)
        cell.attrib.pop("colspan", None)


def _fill_group(group: Element, most: int) -> int:
    """Fill up the rows of a table, or of its head or body; return how many cells were written."""
    below: SpannedCells = {}
    written = 0
    for row in group.iterchildren("tr"):
        cells = list(row.iterchildren("td", "th"))
        new, at = SpannedCells(), 0
        for cell in cells:
            over = list(_iterate_cells_from_above(below, at))
            rows, columns = _parse_span_length(cell, "rowspan"), _parse_span_length(cell, "colspan")
            if cell is cells[-1] and rows == 1:
                columns = 1  # with nothing beside it, nothing needs to be filled
            at += len(over) + columns
            if at > MAX_COLUMNS or written + at > most:
                return written
            written += _insert_spanned(cell, over, columns)
            if rows > 1:
                text = get_element_line(cell)
                new |= {
                    at - columns + n: (rows, "" if n or len(text) > MAX_SHORT_CELL else text)
                    for n in range(columns)
                }
        written += _finish_row(row, below, at, most - written)
        below = {
            column: (rows - 1, text) for column, (rows, text) in (below | new).items() if rows > 1
        }
    return written


def _parse_span_length(cell: Element, name: str) -> int:
    found = cell.get(name, "1").strip()
    if not (found.isascii() and found.isdigit()):
        return 1
    return max(1, int(found[:3]))


def _iterate_cells_from_above(below: SpannedCells, column: int) -> Iterator[str]:
    """Yield the texts of cells above that reach into this row from a column on, without a gap."""
    while column in below:
        yield below[column][1]
        column += 1


def _insert_spanned(cell: Element, over: Sequence[str], columns: int) -> int:
    """Write the cells before a cell and the empty ones it covers; return how many."""
    for text in over:
        cell.addprevious(_insert_cell(cell, text))
    for _ in range(columns - 1):
        cell.addnext(_insert_cell(cell, ""))
    return len(over) + columns - 1


def _finish_row(row: Element, below: SpannedCells, column: int, most: int) -> int:
    """Write the cells from above after a row's last own cell; return how many."""
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
    """Replace data tables by pipe tables, which an extractor keeps as they are.

    A table of mostly links stays, as it may be a menu. A table that would get too many empty cells
    becomes paragraphs.
    """
    around = find_holders(tree.iter("table"), {"table"})
    for table in list(tree.iter("table")):
        written = None
        holds_blocks = table in around or table.find(".//pre") is not None
        if not holds_blocks and not _is_link_table(table):
            written = format_pipe_table(table)
        if written is not None:
            _replace_table(table, written)
        elif _is_vast(table):
            _unroll_table(table)


def is_written_table(element: Element) -> bool:
    """Return whether an element is a table that was replaced."""
    return bool(element.tag == "code" and element.get("rend") == WRITTEN_TABLE_CLASS)


def _replace_table(table: Element, written: str) -> None:
    for figure in table.iterancestors("figure"):
        figure.tag = "div"  # or the extractor takes it for a picture
    tail = table.tail
    table.clear()
    table.tag, table.text, table.tail = "code", written, tail
    table.set("rend", WRITTEN_TABLE_CLASS)


def _is_link_table(table: Element) -> bool:
    links = sum(len(get_element_line(link)) for link in table.iter("a"))
    return links > 0 and links > MOST_LINKED * len(get_element_line(table))


def _is_vast(table: Element) -> bool:
    """Return whether a table has very many cells once all its rows are as long as the longest.

    The extractor fills them up.
    """
    rows = [len(row) for row in table.iter("tr")]
    return len(rows) * max(rows, default=0) > MAX_WRITTEN_CELLS


def _unroll_table(table: Element) -> None:
    """Turn rows into paragraphs, or into blocks if they contain blocks."""
    for row in list(table.iter("tr")):
        if next(row.iter(*BLOCKS), None) is None:
            tail, text = row.tail, get_element_line(row)
            row.clear()
            row.tag, row.text, row.tail = "p", text, tail
    for each in list(table.iter("table", "thead", "tbody", "tfoot", "tr", "td", "th")):
        each.tag = "div"


def name_cell_icons(tree: Element) -> None:
    """Insert short descriptions of icons into cells without words: "yes" for a check mark."""
    for cell in tree.iter("td", "th"):
        if cell.find(".//table") is not None:
            continue
        icons = []
        for icon in cell.iter("img", "i", "span"):
            name = fold_text(icon.get("alt") or icon.get("aria-label") or "")
            if name:
                icons.append((icon, name))
        if not icons or get_element_line(cell):
            continue
        for icon, name in icons:
            shown = name if len(name) <= MAX_ICON_LENGTH else ""
            icon.tail = f" {shown} {icon.tail or ''}"
