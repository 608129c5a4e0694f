"""Whether an extractor took the whole of a text, and the whole where it took the first of several
boxes.

It counts paragraphs of prose in what was taken and outside of it. What stands beside a text, and
what is another text with its own link, counts for nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from typing import Any, NamedTuple

from lxml import etree

from research_core.web.html.elements import folded
from research_core.web.html.markdown import tree_text

Element = Any  # lxml ships no types

#: Where no main text stands: elements, and words in their classes and ids.
FURNITURE = ("nav", "header", "footer", "aside", "form", "button", "figure", "table", "dialog")
_BESIDE = re.compile(
    r"comment|kommentar|respond|reply|cookie|consent|sidebar|footer|related|recommend|newsletter|teaser|disqus|banner|modal|popup",
    re.IGNORECASE,
)
_PAGES = ("html", "body", "main", "article")
#: A paragraph is prose with so many characters and no more of them in links; a list is a menu with
#: more of them than this.
PROSE, MOST_LINKED, MENU = 80, 0.3, 0.5
#: A heading with more of its text in a link leads to a text of its own.
LEADS = 0.8
#: What was taken is little with no more prose than this, if it is less than such a share of all,
#: and so much is missed.
LITTLE, SHARE, MISSED = 1_200, 0.5, 600
#: The box that holds this share of the prose is the text's. One in which two links come back so
#: often holds several texts.
HOLDS, OFTEN = 0.8, 3
LOOKED_AT, PARTS = 60, 1_000


class Parts(NamedTuple):
    """beside: what stands beside the text, of elements in one another the outermost; prose:
    paragraphs of the rest, with their lengths.
    """

    beside: list[Element]
    prose: dict[Element, int]


def widened(tree: Element, text: str) -> str:
    """The text that was taken of a tree, or that of the box which holds the prose of the page,
    where it is little of it.

    The tree is of no use afterwards.
    """
    parts, letters = _parts(tree), _letters(text)
    total, taken = sum(parts.prose.values()), 0
    for paragraph, size in parts.prose.items():
        taken += size if _letters("".join(paragraph.itertext()))[:LOOKED_AT] in letters else 0
        if taken > LITTLE:
            return text
    if taken >= SHARE * total or total - taken < MISSED:
        return text
    box = _box(tree, parts.prose)
    if box is None or _holds_several(box):
        return text
    outside = set(box.iterancestors())
    for each in parts.beside:
        if each is not box and each not in outside and each.getparent() is not None:
            each.drop_tree()
    return max(text, tree_text(box), key=len)


def _parts(tree: Element) -> Parts:
    """The parts of a page; what stands below a heading that leads elsewhere is another text's."""
    inside, parts, elsewhere = set[Element](), Parts([], {}), False
    for each in tree.iter(etree.Element):
        if each.getparent() in inside:
            inside.add(each)
        elif _is_beside(each):
            inside.add(each)
            parts.beside.append(each)
        elif each.tag in ("h1", "h2", "h3", "h4"):
            elsewhere = _linked(each) > LEADS
        elif each.tag == "p" and not elsewhere:
            length = len(folded("".join(each.itertext())))
            if length >= PROSE and _linked(each) <= MOST_LINKED:
                parts.prose[each] = length
    return parts


def _is_beside(element: Element) -> bool:
    if element.tag in FURNITURE:
        return True
    if element.tag in ("ul", "ol"):
        return _linked(element) > MENU
    return (
        element.tag not in _PAGES
        and _BESIDE.search(f"{element.get('class') or ''} {element.get('id') or ''}") is not None
    )


def _linked(element: Element) -> float:
    """The share of an element's words that is in links, by its first parts."""
    linked = sum(_words(link) for link in islice(element.iter("a"), PARTS))
    return linked / max(1, _words(element))


def _words(element: Element) -> int:
    return sum(len(part.split()) for part in islice(element.itertext(), PARTS))


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _box(tree: Element, prose: dict[Element, int]) -> Element | None:
    """The smallest element that holds most of the prose."""
    held: Counter[Element] = Counter()
    for paragraph, size in prose.items():
        for around in paragraph.iterancestors():
            held[around] += size
    return next(
        (
            each
            for each in reversed(list(tree.iter(etree.Element)))
            if held[each] >= HOLDS * sum(prose.values())
        ),
        None,
    )


def _holds_several(box: Element) -> bool:
    """Whether there are several texts in a box, each with the same links below it: "Share", "Save"."""
    links = Counter(words for link in box.iter("a") if (words := folded("".join(link.itertext()))))
    return sum(count >= OFTEN for count in links.values()) > 1
