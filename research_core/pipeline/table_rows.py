"""Put the rows of a writer's tables into the form in which each citation stays in its cell."""

from __future__ import annotations

import re

from research_core.citations.marks import MARK_PATTERN, find_cited_ids

#: Separates the head of a table from its rows.
_SEPARATOR = re.compile(r"\|?+\s*+:?+-++:?+\s*+(?:\|\s*+:?+-++:?+\s*+)*+\|?+")
_BAR = re.compile(r"(?<!\\)\|")
_WORD = re.compile(r"[^\W_]")


def tidy_tables(text: str) -> str:
    """Return a text whose table rows begin and end with a bar, without repeated citations.

    A cell that only repeats what other cells of its row cite is emptied; with it, the citations of
    the others would count for the whole row.
    """
    lines = text.split("\n")
    for place, line in enumerate(lines):
        if place == 0 or "|" not in line or not _SEPARATOR.fullmatch(line.strip()):
            continue
        if not _BAR.search(lines[place - 1]):
            continue
        for number in (place - 1, place):
            lines[number] = _close_row(lines[number])
        for number in range(place + 1, len(lines)):
            if not _BAR.search(lines[number]):
                break
            lines[number] = _empty_repeating_cells(_close_row(lines[number]))
    return "\n".join(lines)


def _close_row(line: str) -> str:
    row = line.strip()
    if not row.startswith("|"):
        row = f"| {row}"
    if not row.endswith("|") or row.endswith("\\|"):
        row = f"{row} |"
    return row


def _empty_repeating_cells(row: str) -> str:
    cells = _BAR.split(row[1:-1])
    with_words = [cell for cell in cells if _WORD.search(MARK_PATTERN.sub("", cell))]
    cited = set(find_cited_ids(" ".join(with_words)))
    kept = []
    for cell in cells:
        only_repeats = cell not in with_words and cited.issuperset(find_cited_ids(cell))
        kept.append(MARK_PATTERN.sub("", cell) if only_repeats else cell)
    return f"|{'|'.join(kept)}|"
