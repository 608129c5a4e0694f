"""Write rows of cells as a Markdown pipe table, for HTML, office documents and data alike.

Whether rows are data or layout is decided by the caller.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def pipe_table(rows: Iterable[Sequence[str]]) -> str:
    """Format rows as a pipe table headed by the first row; "" if all cells are empty.

    Cells become one line with pipes escaped; short rows are filled up; empty rows and columns are
    dropped.
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
    """Format text as the content of one cell."""
    return " ".join(text.split()).replace("|", "\\|")
