"""Write rows of cells as a Markdown pipe table, for HTML, office documents and data alike.

Whether rows are data or layout is decided by the caller.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def format_table(rows: Iterable[Sequence[str]]) -> str:
    """Format rows as a pipe table headed by the first row; "" if all cells are empty.

    Cells become one line with pipes escaped; short rows are filled up; empty rows and columns are
    dropped.
    """
    cells = [[format_cell(text) for text in row] for row in rows]
    cells = [row for row in cells if any(row)]
    if not cells:
        return ""
    width = max(map(len, cells))
    filled = [row + [""] * (width - len(row)) for row in cells]
    used = [column for column in range(width) if any(row[column] for row in filled)]
    lines = ["| " + " | ".join(row[column] for column in used) + " |" for row in filled]
    return "\n".join([lines[0], "|" + "---|" * len(used), *lines[1:]])


def format_cell(text: str) -> str:
    """Format text as the content of one cell."""
    return " ".join(text.split()).replace("|", "\\|")
