"""Write an HTML tree as Markdown: headings, lists, pipe tables, fenced code, paragraphs.

Nothing within a line is marked, neither bold nor links, so that a sentence stays word for word what
a reader sees. Quotations become plain paragraphs, so that they can be cited. What is furniture,
main text or hidden is decided elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

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
from research_core.web.lxml_types import Element

#: Characters above which a heading is a paragraph made to look big.
LONG_HEADING = 200
#: Deepest indentation of a list, in spaces.
MAX_HEADING_DEPTH = 16
#: Level of a heading without one, such as a `summary`.
_FOLDING = 3


class LayoutSign(NamedTuple):
    """An event of a walk over a tree.

    kind: text | line | break | block | item | head | raw; text: that of text and raw, and an item's
    mark; number: an item's indentation, a heading's level, 0 at its end.
    """

    kind: str
    text: str = ""
    number: int = 0


_LINE_SIGN, _BREAK_SIGN, _BLOCK_SIGN = LayoutSign("line"), LayoutSign("break"), LayoutSign("block")


def format_tree(tree: Element) -> str:
    """Return the text of a tree of HTML or of the extractor, in blocks separated by blank lines."""
    return _join_signs(_walk_tree(tree))


# ---------------------------------------------------------------- a tree to signs


def _walk_tree(tree: Element) -> Iterator[LayoutSign]:
    """Yield the text of a tree in order, with a sign wherever a unit begins or ends."""
    open_items: list[tuple[int, int]] = []
    layout = _find_layout_elements(tree)
    walk = etree.iterwalk(tree, events=("start", "end"))
    for event, element in walk:
        begins = event == "start"
        whole = _format_whole_element(element, layout) if begins else None
        if whole is not None:
            walk.skip_subtree()
            yield LayoutSign("raw", whole)
            continue
        yield from _edge_signs(element, begins, layout, open_items)
        if begins:
            text = element.text
        else:
            text = None if element is tree else element.tail
        if text:
            yield LayoutSign("text", text)


def _find_layout_elements(tree: Element) -> frozenset[Element]:
    """Return the items and rows that lay the page out, to be drawn as blocks.

    Those are items that hold headings, tables and rows that hold tables, and rows of long text.
    """
    tables = [
        each for each in tree.iter("table", "code") if each.tag == "table" or is_written_table(each)
    ]
    around = find_holders(tables, {"table"} | ROWS)
    long = set()
    for row in tree.iter(*ROWS):
        if row not in around and sum(map(len, row.itertext())) > MAX_ROW_CHARACTERS:
            long.add(row)
    return frozenset(long | around | find_holders(tree.iter(*HEADINGS), ITEMS))


def _format_whole_element(element: Element, layout: frozenset[Element]) -> str | None:
    """Return the Markdown of code or a data table as a whole; None for other elements."""
    if is_written_table(element):
        return str(element.text or "")
    if element.tag == "code" and _is_block_code(element):
        return _fence_code(_read_code_lines(element))
    if element.tag == "table" and element not in layout:
        return format_pipe_table(element)
    return None


def _is_block_code(code: Element) -> bool:
    if code.get("rend") == "block":
        return True
    in_body = getattr(code.getparent(), "tag", "") == "body"
    return in_body and "\n" in (code.text or "").strip()


def _read_code_lines(code: Element) -> str:
    """Return the lines of code as they stand, without empty lines around them."""
    for each in code.iter(*BREAKS):
        each.tail = "\n" + (each.tail or "")
    lines = strip_invisible("".join(code.itertext())).split("\n")
    return "\n".join(line.rstrip() for line in lines).strip("\n")


def _fence_code(code: str) -> str:
    if not code.strip():
        return ""
    longest = max(map(len, re.findall("`+", code)), default=0)
    fence = "`" * max(3, 1 + longest)
    return f"{fence}\n{code}\n{fence}"


def _edge_signs(
    element: Element, begins: bool, layout: frozenset[Element], open_items: list[tuple[int, int]]
) -> Iterator[LayoutSign]:
    """Yield what stands where an element begins or ends.

    Within an item, blocks become lines.
    """
    tag = element.tag
    if tag in ITEMS and element not in layout:
        yield _begin_item(element, open_items) if begins else _end_item(open_items)
    elif tag in HEADINGS:
        yield LayoutSign("head", number=_find_heading_level(element) if begins else 0)
    elif tag in BREAKS:
        if begins:
            yield _BREAK_SIGN
    elif tag in CELLS:
        in_layout_row = element.getparent() in layout
        yield _BLOCK_SIGN if in_layout_row and not open_items else _LINE_SIGN
    elif tag in ROWS:
        yield _LINE_SIGN
    elif tag in BLOCKS or tag in ITEMS:
        yield _LINE_SIGN if open_items else _BLOCK_SIGN


def _begin_item(element: Element, open_items: list[tuple[int, int]]) -> LayoutSign:
    """Begin an item and return its sign.

    An item of an ordered list has its number in `rend`; the explanation of a term is indented below
    it. open_items: for each open item, where its text begins and where that of the item around it
    does.
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


def _find_heading_level(heading: Element) -> int:
    name = heading.get("rend") or heading.tag
    return int(name[1]) if re.fullmatch("h[1-6]", name) else _FOLDING


# ---------------------------------------------------------------- signs to lines


def _join_signs(signs: Iterable[LayoutSign]) -> str:
    """Join signs into blocks of lines.

    A second break in a row ends a block; a heading is always one line.
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
