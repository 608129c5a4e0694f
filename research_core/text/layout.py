"""Split a passage into lines to draw: headings, items, table rows and code.

Only the marks of blocks are removed. How a line looks is decided by the screen or the export.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from research_core.text.blocks import PageBlock, parse_blocks

#: (text, shade); the shade is passed through.
TextRun = tuple[str, int]

_HEADING = re.compile(r"\s*#{1,6}\s+")
_ITEM = re.compile(r"(\s*)[-*+]\s+")
_RULE = re.compile(r"[\s|:-]*")
_BAR = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True)
class LayoutLine:
    """A line to draw.

    `kind`: "gap" is an empty line, "head" the row above a table's rule. `level`: 1 to 6 for a
    heading, the depth from 0 for an item. `cells`: the runs of each cell of a row; one cell for
    other lines, none for an empty line.
    """

    kind: Literal["text", "heading", "item", "head", "row", "code", "gap"]
    cells: tuple[tuple[TextRun, ...], ...] = ()
    level: int = 0


def layout_lines(runs: Sequence[TextRun]) -> Iterator[LayoutLine]:
    """Yield the lines of a text given in runs, without block marks, table rules and fences."""
    text = "".join(words for words, _ in runs)
    layout = iter((*parse_blocks(text), PageBlock("paragraph", len(text), len(text) + 1)))
    block, start = next(layout), 0
    for line, after in pairwise([*text.split("\n"), ""]):
        end = start + len(line)
        while block.end <= start and block.end < len(text):
            block = next(layout)
        if not line.strip():
            yield LayoutLine("code" if block.kind == "code" and block.start < start else "gap")
        else:
            is_head = start <= block.start and "-" in after and _RULE.fullmatch(after) is not None
            yield from _layout_line(runs, line, start, block, is_head=is_head)
        start = end + 1


def plain_lines(text: str) -> list[str]:
    """Return the lines as plain text: bullets before items, " | " between cells, no gaps."""
    return [_format_line(line) for line in layout_lines([(text, 0)]) if line.cells]


def _format_line(line: LayoutLine) -> str:
    """Return one line as plain text."""
    cells = ["".join(words for words, _ in cell).strip() for cell in line.cells]
    if line.kind == "item":
        return f"• {cells[0]}"
    return " | ".join(filter(None, cells))


def _layout_line(
    runs: Sequence[TextRun], line: str, start: int, block: PageBlock, *, is_head: bool
) -> Iterator[LayoutLine]:
    """Yield the line with its block marks removed, or nothing for a rule or a fence."""
    end = start + len(line)
    if block.kind == "code":
        if not line.lstrip().startswith("```"):
            yield LayoutLine("code", (_slice_runs(runs, start, end),))
    elif block.kind == "table":
        if not _RULE.fullmatch(line):
            cells = tuple(
                _slice_runs(runs, start + first, start + last) for first, last in _cell_spans(line)
            )
            yield LayoutLine("head" if is_head else "row", tuple(map(_without_escapes, cells)))
    elif block.kind == "heading" and (mark := _HEADING.match(line)):
        yield LayoutLine("heading", (_slice_runs(runs, start + mark.end(), end),), block.level)
    elif block.kind == "list" and (mark := _ITEM.match(line)):
        yield LayoutLine("item", (_slice_runs(runs, start + mark.end(), end),), len(mark[1]) // 2)
    elif block.kind != "heading" or line.strip("=- "):
        yield LayoutLine(
            "heading" if block.kind == "heading" else "text",
            (_slice_runs(runs, start, end),),
            block.level,
        )


def _cell_spans(line: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of the text in each cell of a row of a pipe table, "| a | b |".

    The bars at either end are optional. line: not blank. An empty cell has start ≥ end.
    """
    cell_start = len(line) - len(line.lstrip())
    line_end = len(line.rstrip())
    # A closing bar ends the last cell and begins no other.
    bars = [bar.start() for bar in _BAR.finditer(line) if bar.start() < line_end - 1]
    if line[cell_start] == "|":
        bars = [bar for bar in bars if bar > cell_start]
        cell_start += 1
    last = line_end
    if line[line_end - 1] == "|" and not line[:line_end].endswith("\\|"):
        last -= 1
    for bar in (*bars, last):
        cell = line[cell_start:bar]
        leading = len(cell) - len(cell.lstrip())
        trailing = len(cell) - len(cell.rstrip())
        yield cell_start + leading, max(cell_start, bar - trailing)
        cell_start = bar + 1


def _without_escapes(cell: tuple[TextRun, ...]) -> tuple[TextRun, ...]:
    """Return the runs of a cell with escaped bars unescaped."""
    return tuple((words.replace("\\|", "|"), shade) for words, shade in cell)


def _slice_runs(runs: Sequence[TextRun], start: int, end: int) -> tuple[TextRun, ...]:
    """Return the runs between two offsets."""
    found: list[TextRun] = []
    offset = 0
    for words, shade in runs:
        piece = words[max(0, start - offset) : max(0, end - offset)]
        offset += len(words)
        if piece:
            found.append((piece, shade))
    return tuple(found)
