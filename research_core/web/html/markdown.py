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

from research_core.text.words import strip_invisible
from research_core.web.html.elements import (
    BLOCKS,
    BREAKS,
    CELLS,
    HEADINGS,
    ITEMS,
    ROWS,
    find_holders,
    fold_text,
)
from research_core.web.html.tables import MAX_ROW_CHARACTERS, format_pipe_table, is_written_table

Element = Any  # lxml ships no types

#: A heading with more text than this is a paragraph that was made to look big.
LONG_HEADING = 200
#: Deeper lists are drawn no deeper: so many spaces.
MAX_HEADING_DEPTH = 16
#: The level of a heading that only folds text away below it.
_FOLDING = 3


class LayoutSign(NamedTuple):
    """What a walk over a tree meets. kind: text | line | break | block | item | head | raw; text:
    of text and raw, and an item's mark;

    number: an item's indentation, a heading's level, 0 where it ends.
    """

    kind: str
    text: str = ""
    number: int = 0


_LINE_SIGN, _BREAK_SIGN, _BLOCK_SIGN = LayoutSign("line"), LayoutSign("break"), LayoutSign("block")


def tree_text(tree: Element) -> str:
    """The text of a tree of HTML or of the extractor, in blocks apart by blank lines."""
    return _join_signs(_walk_tree(tree))


# ---------------------------------------------------------------- a tree to signs


def _walk_tree(tree: Element) -> Iterator[LayoutSign]:
    """The tree's text in order, with a sign wherever a line, a block, an item or a heading begins
    or ends.
    """
    open_items: list[tuple[int, int]] = []
    layout = _layout_elements(tree)
    walk = etree.iterwalk(tree, events=("start", "end"))
    for event, element in walk:
        begins = event == "start"
        whole = _whole_element(element, layout) if begins else None
        if whole is None:
            yield from _edge_signs(element, begins, layout, open_items)
        else:
            walk.skip_subtree()
            yield LayoutSign("raw", whole)
        text = (
            (element.text if whole is None else None)
            if begins
            else None
            if element is tree
            else element.tail
        )
        if text:
            yield LayoutSign("text", text)


def _layout_elements(tree: Element) -> frozenset[Element]:
    """Items that hold headings, tables and rows that hold tables, and rows of long text: they lay
    the page out, and are drawn as blocks.
    """
    tables = [
        each for each in tree.iter("table", "code") if each.tag == "table" or is_written_table(each)
    ]
    around = find_holders(tables, {"table"} | ROWS)
    long = {
        row
        for row in tree.iter(*ROWS)
        if row not in around and sum(map(len, row.itertext())) > MAX_ROW_CHARACTERS
    }
    return frozenset(long | around | find_holders(tree.iter(*HEADINGS), ITEMS))


def _whole_element(element: Element, layout: frozenset[Element]) -> str | None:
    """The Markdown of an element that is drawn in one: code, or a table that tabulates."""
    if is_written_table(element):
        return str(element.text or "")
    if element.tag == "code" and _is_block_code(element):
        return _fence_code(_code_lines(element))
    return format_pipe_table(element) if element.tag == "table" and element not in layout else None


def _is_block_code(code: Element) -> bool:
    return code.get("rend") == "block" or (
        getattr(code.getparent(), "tag", "") == "body" and "\n" in (code.text or "").strip()
    )


def _code_lines(code: Element) -> str:
    """The lines of code as they stand, without empty ones around them."""
    for each in code.iter(*BREAKS):
        each.tail = "\n" + (each.tail or "")
    return "\n".join(
        line.rstrip() for line in strip_invisible("".join(code.itertext())).split("\n")
    ).strip("\n")


def _fence_code(code: str) -> str:
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", code)), default=0))
    return f"{fence}\n{code}\n{fence}" if code.strip() else ""


def _edge_signs(
    element: Element, begins: bool, layout: frozenset[Element], open_items: list[tuple[int, int]]
) -> Iterator[LayoutSign]:
    """What stands where an element begins or ends. Within an item blocks are lines."""
    tag = element.tag
    if tag in ITEMS and element not in layout:
        yield _begin_item(element, open_items) if begins else _end_item(open_items)
    elif tag in HEADINGS:
        yield LayoutSign("head", number=_heading_level(element) if begins else 0)
    elif tag in BREAKS:
        yield from (_BREAK_SIGN,) if begins else ()
    elif tag in CELLS:
        yield _LINE_SIGN if open_items or element.getparent() not in layout else _BLOCK_SIGN
    elif tag in BLOCKS or tag in ITEMS or tag in ROWS:
        yield _LINE_SIGN if open_items or tag in ROWS else _BLOCK_SIGN


def _begin_item(element: Element, open_items: list[tuple[int, int]]) -> LayoutSign:
    """Where an item begins: one of an ordered list has its number in `rend`, and what explains a
    term stands below the term.

    open_items: where the text of each begins, and where that of the item around it does.
    """
    rend = element.get("rend") or element.tag
    outer = open_items[-1][0] if open_items else 0
    indent = min(MAX_HEADING_DEPTH, outer + 2 * rend.startswith("dd"))
    mark = f"{rend}. " if rend.isascii() and rend.isdigit() else "- "
    open_items.append((indent + len(mark), outer))
    return LayoutSign("item", mark, indent)


def _end_item(open_items: list[tuple[int, int]]) -> LayoutSign:
    _, outer = open_items.pop()
    return LayoutSign("item", "", outer)


def _heading_level(heading: Element) -> int:
    name = heading.get("rend") or heading.tag
    return int(name[1]) if re.fullmatch("h[1-6]", name) else _FOLDING


# ---------------------------------------------------------------- signs to lines


def _join_signs(signs: Iterable[LayoutSign]) -> str:
    """The signs as blocks of lines. A second break in a row ends a block; a heading is one line,
    whatever stands in it.
    """
    blocks: list[list[str]] = [[]]
    words: list[str] = []
    mark, indent, level = "", 0, 0
    for sign in (*signs, _BLOCK_SIGN):
        if sign.kind == "text":
            words.append(sign.text)
            continue
        if level and sign.kind in ("line", "break", "block"):
            words.append(" ")
            continue
        line = fold_text("".join(words))
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
