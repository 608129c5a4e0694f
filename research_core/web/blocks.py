"""Lays text out in blocks apart by blank lines: the text of an HTML tree, and text whose lines were broken to fit a width.

List items, table rows and lines of code stand one to a line within their block; cells are apart by " | ". It judges nothing: what is
furniture, main text or hidden is decided before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from lxml import etree

from research_core.text import visible

Element = Any  # lxml ships no types

#: Tags of HTML, and of the extractor's own trees, that begin and end a block.
_BLOCKS = frozenset(
    "address article aside blockquote body caption code dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 "
    "head header hr html legend list main nav ol p pre quote section summary table ul".split()
)
_ITEMS, _ROWS = frozenset({"item", "li"}), frozenset({"row", "tr"})
_CELLS, _BREAKS = frozenset({"cell", "td", "th"}), frozenset({"br", "lb"})
_VERBATIM = frozenset({"pre", "code"})
#: A row with more text than this lays a page out, it tabulates nothing: its cells are blocks.
LONG_ROW = 600
# What ends a block, a line, a cell and a block within a row, and what begins an item, until the lines are laid out.
_BLOCK, _LINE, _CELL, _WEAK, _BULLET = "\x1d\x1e\x1f\x1a\x1c"


def tree_text(tree: Element) -> str:
    """The text of a tree, in blocks."""
    pieces: list[str] = []
    within = {"row": 0, "item": 0, "verbatim": 0}
    for event, element in etree.iterwalk(tree, events=("start", "end")):
        tag, step = element.tag, 1 if event == "start" else -1
        for name, tags in (("verbatim", _VERBATIM), ("item", _ITEMS)):
            within[name] += step * (tag in tags)
        pieces.append(_mark(tag, step, within))
        within["row"] += step * (tag in _ROWS)
        text = visible((element.text if step > 0 else "" if element is tree else element.tail) or "")
        pieces.append(text if within["verbatim"] else re.sub(r"\s+", " ", text))
    return _laid_out("".join(pieces))


def _mark(tag: str, step: int, within: dict[str, int]) -> str:
    """What stands where an element begins (step 1) or ends (-1)."""
    if tag in _ROWS:
        return _LINE
    if within["row"]:
        return _CELL if tag in _CELLS and step > 0 else _WEAK if tag in _BLOCKS | _BREAKS | _ITEMS else ""
    if tag in _ITEMS:
        return _LINE + _BULLET if step > 0 else _LINE
    if tag in _BREAKS:
        return "\n" if step > 0 else ""
    return "" if tag not in _BLOCKS else _LINE if within["item"] else _BLOCK


def _laid_out(text: str) -> str:
    text = re.sub(rf"(?:{_BULLET}[ \n{_LINE}]*)+", "- ", text)
    parts = re.split(rf"{_BLOCK}|\n[ \t]*\n", text)
    return "\n\n".join(block for part in parts for block in _block(re.split(rf"[\n{_LINE}]", part)))


def _block(lines: list[str]) -> Iterator[str]:
    """The block these lines make; several, where one of them is a row that lays out a page."""
    kept: list[str] = []
    for line in lines:
        cells = re.split(rf"[{_CELL}{_WEAK}]" if len(line) > LONG_ROW else _CELL, line)
        folded = [" ".join(cell.replace(_WEAK, " ").split()) for cell in cells]
        if len(line) > LONG_ROW and len(folded) > 1:
            yield from filter(None, ["\n".join(kept), *folded])
            kept = []
        elif any(folded) and folded != ["-"]:
            kept.append(_row(folded) if len(folded) > 1 else folded[0])
    if kept:
        yield "\n".join(kept)


def _row(parts: list[str]) -> str:
    """A line of cells. What stands before the first is mostly nothing, and a caption comes as a row of one."""
    cells = parts if parts[0] else parts[1:]
    return " | ".join(cells if any(cells[1:]) else cells[:1])


# ---------------------------------------------------------------- wrapped lines

#: An item, a table row, a heading, quoted or indented text: its line break is meant.
_MEANT = re.compile(r"[-*+•‣◦·▪●–—]\s|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)]\s|[|#>~`=]|\s{2,}|.*\s\|\s|.*\S\s{3,}\S")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_UNBROKEN = re.compile(r"\s*[|#]")
_ENDS = re.compile(r"[.!?:;。！？][\"'”’)\]\d]{0,9}$")
# With a longest word, so that no text takes longer than its length.
_DIVIDED, _NO_WORD = re.compile(r"(?<!\w)(\w{1,40})[-‐]$"), re.compile(r"\W")
_HYPHENATED = re.compile(r"(?<!\w)\w{1,40}-\w{1,40}")
#: A line was broken to fit when it and the next word would fill this share of the width.
_FULL = 0.8


def unwrapped(text: str, *, paragraphs: bool = False) -> str:
    """The text with lines joined that were broken to fit a width, and words mended that were divided at the break.

    Items, table rows, fenced code and lines too short to have been broken stay lines. paragraphs: a line that ends short begins a new
    block, for text that has no blank lines of its own.
    """
    hyphenated = frozenset(_HYPHENATED.findall(text))
    out: list[str] = []
    for part in re.split(r"\n[ \t]*\n", text):
        lines = [line.rstrip() for line in part.split("\n") if line.strip()]
        width = max(map(len, lines), default=0)
        out += _joined(lines, width, hyphenated, "\n\n" if paragraphs else "\n")
        out.append("\n\n")
    return re.sub(r"\n{3,}", "\n\n", "".join(out)).strip()


def _joined(lines: list[str], width: int, hyphenated: frozenset[str], short: str) -> Iterator[str]:
    fenced = False
    for line, after in pairwise([*lines, ""]):
        fenced ^= bool(_FENCE.match(line))
        first = after.split(maxsplit=1)[0] if after else ""
        if not after:
            yield line
        elif fenced or _MEANT.match(after) or _UNBROKEN.match(line):
            yield line + "\n"
        elif _DIVIDED.search(line) and first[0].islower():
            yield line if _DIVIDED.findall(line)[0] + "-" + _NO_WORD.split(first)[0] in hyphenated else line[:-1]
        elif short == "\n\n" and _is_heading(after, width) and _ENDS.search(line):
            yield line + short
        else:
            goes_on = len(line) + 1 + len(first) >= _FULL * width or (first[0].islower() and not _ENDS.search(line))
            yield line + (" " if goes_on else short)


def _is_heading(line: str, width: int) -> bool:
    return len(line) < width / 2 and line[0].isupper() and not _ENDS.search(line)
