"""Rows of cells as a Markdown pipe table: one way of writing them for HTML, office documents and
lists of values alike.

It judges nothing: whether rows tabulate something or only lay a page out is decided before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def pipe_table(rows: Iterable[Sequence[str]]) -> str:
    """The rows as lines, the first one as the heading; "" without a row that says something.

    Cells stand on one line, their pipes escaped; short rows are filled up, and columns and rows
    without a word are left out.
    """
    cells = [[format_cell(text) for text in row] for row in rows]
    cells = [row for row in cells if any(row)]
    used = [
        n
        for n in range(max(map(len, cells), default=0))
        if any(n < len(row) and row[n] for row in cells)
    ]
    lines = [
        "| " + " | ".join(row[n] if n < len(row) else "" for n in used) + " |" for row in cells
    ]
    return "\n".join([*lines[:1], *(["|" + "---|" * len(used)] if lines else []), *lines[1:]])


def format_cell(text: str) -> str:
    """Text as the content of one cell."""
    return " ".join(text.split()).replace("|", "\\|")
