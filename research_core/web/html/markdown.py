"""The text of an HTML tree as Markdown, block by block: headings with their level, lists, pipe
tables, fenced code, paragraphs.

Nothing within a line is marked, neither bold nor links: a sentence stays word for word what a
reader of the page sees. Quotations come as plain paragraphs, so that they can be cited. It judges
nothing: what is furniture, main text or hidden is decided elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from lxml import etree

from research_core.text.words import visible
from research_core.web.html.elements import (
    BLOCKS,
    BREAKS,
    CELLS,
    HEADINGS,
    ITEMS,
    ROWS,
    folded,
    holding,
)
from research_core.web.html.tables import LONG_ROW, is_written, pipes

Element = Any  # lxml ships no types

#: A heading with more text than this is a paragraph that was made to look big.
LONG_HEADING = 200
#: Deeper lists are drawn no deeper: so many spaces.
DEEPEST = 16
#: The level of a heading that only folds text away below it.
_FOLDING = 3


class Sign(NamedTuple):
    """What a walk over a tree meets. kind: text | line | break | block | item | head | raw; text:
    of text and raw, and an item's mark;

    number: an item's indentation, a heading's level, 0 where it ends.
    """

    kind: str
    text: str = ""
    number: int = 0


_LINE, _BREAK, _BLOCK = Sign("line"), Sign("break"), Sign("block")


def tree_text(tree: Element) -> str:
    """The text of a tree of HTML or of the extractor, in blocks apart by blank lines."""
    return _laid_out(_signs(tree))


# ---------------------------------------------------------------- a tree to signs


def _signs(tree: Element) -> Iterator[Sign]:
    """The tree's text in order, with a sign wherever a line, a block, an item or a heading begins
    or ends.
    """
    open_items: list[tuple[int, int]] = []
    layout = _layout(tree)
    walk = etree.iterwalk(tree, events=("start", "end"))
    for event, element in walk:
        begins = event == "start"
        whole = _whole(element, layout) if begins else None
        if whole is None:
            yield from _edge(element, begins, layout, open_items)
        else:
            walk.skip_subtree()
            yield Sign("raw", whole)
        text = (
            (element.text if whole is None else None)
            if begins
            else None
            if element is tree
            else element.tail
        )
        if text:
            yield Sign("text", text)


def _layout(tree: Element) -> frozenset[Element]:
    """Items that hold headings, tables and rows that hold tables, and rows of long text: they lay
    the page out, and are drawn as blocks.
    """
    tables = [
        each for each in tree.iter("table", "code") if each.tag == "table" or is_written(each)
    ]
    around = holding(tables, {"table"} | ROWS)
    long = {
        row
        for row in tree.iter(*ROWS)
        if row not in around and sum(map(len, row.itertext())) > LONG_ROW
    }
    return frozenset(long | around | holding(tree.iter(*HEADINGS), ITEMS))


def _whole(element: Element, layout: frozenset[Element]) -> str | None:
    """The Markdown of an element that is drawn in one: code, or a table that tabulates."""
    if is_written(element):
        return str(element.text or "")
    if element.tag == "code" and _stands_alone(element):
        return _fenced(_lines(element))
    return pipes(element) if element.tag == "table" and element not in layout else None


def _stands_alone(code: Element) -> bool:
    return code.get("rend") == "block" or (
        getattr(code.getparent(), "tag", "") == "body" and "\n" in (code.text or "").strip()
    )


def _lines(code: Element) -> str:
    """The lines of code as they stand, without empty ones around them."""
    for each in code.iter(*BREAKS):
        each.tail = "\n" + (each.tail or "")
    return "\n".join(line.rstrip() for line in visible("".join(code.itertext())).split("\n")).strip(
        "\n"
    )


def _fenced(code: str) -> str:
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", code)), default=0))
    return f"{fence}\n{code}\n{fence}" if code.strip() else ""


def _edge(
    element: Element, begins: bool, layout: frozenset[Element], open_items: list[tuple[int, int]]
) -> Iterator[Sign]:
    """What stands where an element begins or ends. Within an item blocks are lines."""
    tag = element.tag
    if tag in ITEMS and element not in layout:
        yield _item(element, open_items) if begins else _after_item(open_items)
    elif tag in HEADINGS:
        yield Sign("head", number=_level(element) if begins else 0)
    elif tag in BREAKS:
        yield from (_BREAK,) if begins else ()
    elif tag in CELLS:
        yield _LINE if open_items or element.getparent() not in layout else _BLOCK
    elif tag in BLOCKS or tag in ITEMS or tag in ROWS:
        yield _LINE if open_items or tag in ROWS else _BLOCK


def _item(element: Element, open_items: list[tuple[int, int]]) -> Sign:
    """Where an item begins: one of an ordered list has its number in `rend`, and what explains a
    term stands below the term.

    open_items: where the text of each begins, and where that of the item around it does.
    """
    rend = element.get("rend") or element.tag
    outer = open_items[-1][0] if open_items else 0
    indent = min(DEEPEST, outer + 2 * rend.startswith("dd"))
    mark = f"{rend}. " if rend.isascii() and rend.isdigit() else "- "
    open_items.append((indent + len(mark), outer))
    return Sign("item", mark, indent)


def _after_item(open_items: list[tuple[int, int]]) -> Sign:
    _, outer = open_items.pop()
    return Sign("item", "", outer)


def _level(heading: Element) -> int:
    name = heading.get("rend") or heading.tag
    return int(name[1]) if re.fullmatch("h[1-6]", name) else _FOLDING


# ---------------------------------------------------------------- signs to lines


def _laid_out(signs: Iterable[Sign]) -> str:
    """The signs as blocks of lines. A second break in a row ends a block; a heading is one line,
    whatever stands in it.
    """
    blocks: list[list[str]] = [[]]
    words: list[str] = []
    mark, indent, level = "", 0, 0
    for sign in (*signs, _BLOCK):
        if sign.kind == "text":
            words.append(sign.text)
            continue
        if level and sign.kind in ("line", "break", "block"):
            words.append(" ")
            continue
        line = folded("".join(words))
        words.clear()
        if line and level:
            blocks += [[line if len(line) > LONG_HEADING else f"{'#' * level} {line}"], []]
        elif line:
            blocks[-1].append(" " * indent + mark + line)
            mark, indent = "", indent + len(mark)
        elif sign.kind == "break" and not mark:
            blocks.append([])
        if sign.kind == "item":
            mark, indent = sign.text, sign.number
        elif sign.kind in ("block", "head", "raw"):
            blocks += [[sign.text], []] if sign.text else [[]]
            mark = ""
        level = sign.number if sign.kind == "head" else level
    return "\n\n".join("\n".join(lines) for lines in blocks if lines).strip()
