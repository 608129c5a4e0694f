"""Classify the tags of HTML and of the extractor's trees: blocks, headings, items, rows, cells."""

from __future__ import annotations

import re
from collections.abc import Iterable

from lxml import etree

from research_core.text.words import strip_invisible
from research_core.web.lxml_types import Element

BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details div dl dt fieldset figcaption"
    " figure footer form h1 h2 h3 h4 h5 h6 head header hr html legend list main nav ol p pre quote"
    " section summary table ul".split()
)
HEADINGS = frozenset("h1 h2 h3 h4 h5 h6 head summary".split())
ITEMS = frozenset("item li dt dd".split())
ROWS, CELLS = frozenset({"row", "tr"}), frozenset({"cell", "td", "th"})
BREAKS = frozenset({"br", "lb"})
#: Tags that separate the words on either side, where all is written on one line.
SEPARATE_TAGS = BLOCKS | ITEMS | ROWS | CELLS | BREAKS
#: Digits and signs as superscripts.
SUPERSCRIPTS = str.maketrans("0123456789+-−=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ")
_WHITE_SPACE = re.compile(r"\s+")


def fold_text(text: str) -> str:
    """Return text on one line, without invisible characters."""
    return _WHITE_SPACE.sub(" ", strip_invisible(text)).strip()


def get_names(element: Element) -> str:
    """Return the class names and the id of an element, separated by spaces."""
    return f"{element.get('class') or ''} {element.get('id') or ''}"


def get_element_line(element: Element) -> str:
    """Return the text of an element on one line, with blocks separated by spaces."""
    if not len(element):
        return fold_text(element.text or "")
    pieces: list[str] = []
    for event, each in etree.iterwalk(element, events=("start", "end")):
        if each.tag in SEPARATE_TAGS:
            pieces.append(" ")
        if event == "start":
            pieces.append(each.text or "")
        elif each is not element:
            pieces.append(each.tail or "")
    return fold_text("".join(pieces))


def find_holders(held: Iterable[Element], holders: Iterable[str]) -> set[Element]:
    """Return the elements with given tags that contain any of these elements.

    Each is visited once, however deep the tree.
    """
    found: set[Element] = set()
    for element in held:
        for above in element.iterancestors(*holders):
            if above in found:
                break
            found.add(above)
    return found
