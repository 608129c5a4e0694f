"""Check whether an extractor took the whole text, and widen it if it took one box of several.

It counts paragraphs of prose inside and outside the extracted text. What stands beside a text, and
texts with a link of their own, do not count.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from typing import NamedTuple

from lxml import etree

from research_core.text.words import keep_letters
from research_core.web.html.elements import fold_text
from research_core.web.html.markdown import format_tree
from research_core.web.lxml_types import Element

#: Places without main text: elements, and words in classes and ids.
FURNITURE = ("nav", "header", "footer", "aside", "form", "button", "figure", "table", "dialog")
_BESIDE_NAMES = re.compile(
    r"comment|kommentar|respond|reply|cookie|consent|sidebar|footer|related|recommend|newsletter"
    r"|teaser|disqus|banner|modal|popup",
    re.IGNORECASE,
)
_PAGE_TAGS = ("html", "body", "main", "article")
#: Characters of a paragraph of prose, and the most of them in links; the link share above which
#: a list is a menu.
MIN_PROSE_LETTERS, MOST_LINKED, MENU_LINK_SHARE = 80, 0.3, 0.5
#: Link share above which a heading leads to another text.
LEADING_LINK_SHARE = 0.8
#: The extracted prose is little if it has at most this many characters, less than this share of
#: all, and this many are missing.
LITTLE_TEXT, LITTLE_SHARE, MIN_MISSED = 1_200, 0.5, 600
#: Share of the prose that the text's box holds. A box in which two links repeat so often holds
#: several texts.
HELD_SHARE, MIN_REPEATS = 0.8, 3
#: Letters by which a paragraph is recognised in the extracted text, and the most parts of a page.
SAMPLE_LETTERS, MAX_PARTS = 60, 1_000


class PageParts(NamedTuple):
    """The parts of a page.

    beside: the outermost elements beside the text; prose: the remaining paragraphs of prose with
    their lengths.
    """

    beside: list[Element]
    prose: dict[Element, int]


def widen_text(tree: Element, text: str) -> str:
    """Return the extracted text, or that of the box that holds most prose if much is missing.

    The tree must not be used afterwards.
    """
    parts = _find_parts(tree)
    letters = keep_letters(text)
    total = sum(parts.prose.values())
    taken = 0
    for paragraph, size in parts.prose.items():
        opening = keep_letters("".join(paragraph.itertext()))[:SAMPLE_LETTERS]
        if opening in letters:
            taken += size
        if taken > LITTLE_TEXT:
            return text
    if taken >= LITTLE_SHARE * total or total - taken < MIN_MISSED:
        return text
    box = _find_prose_box(tree, parts.prose)
    if box is None or _holds_several_texts(box):
        return text
    outside = set(box.iterancestors())
    for each in parts.beside:
        if each is not box and each not in outside and each.getparent() is not None:
            each.drop_tree()
    return max(text, format_tree(box), key=len)


def _find_parts(tree: Element) -> PageParts:
    """Sort the elements of a page into parts.

    What stands below a heading that links elsewhere belongs to another text.
    """
    inside, parts, elsewhere = set[Element](), PageParts([], {}), False
    for each in tree.iter(etree.Element):
        if each.getparent() in inside:
            inside.add(each)
        elif _is_beside(each):
            inside.add(each)
            parts.beside.append(each)
        elif each.tag in ("h1", "h2", "h3", "h4"):
            elsewhere = _link_share(each) > LEADING_LINK_SHARE
        elif each.tag == "p" and not elsewhere:
            length = len(fold_text("".join(each.itertext())))
            if length >= MIN_PROSE_LETTERS and _link_share(each) <= MOST_LINKED:
                parts.prose[each] = length
    return parts


def _is_beside(element: Element) -> bool:
    if element.tag in FURNITURE:
        return True
    if element.tag in ("ul", "ol"):
        return _link_share(element) > MENU_LINK_SHARE
    if element.tag in _PAGE_TAGS:
        return False
    names = f"{element.get('class') or ''} {element.get('id') or ''}"
    return _BESIDE_NAMES.search(names) is not None


def _link_share(element: Element) -> float:
    """Return the share of an element's words that is in links, estimated from its first parts."""
    linked = sum(_count_element_words(link) for link in islice(element.iter("a"), MAX_PARTS))
    return linked / max(1, _count_element_words(element))


def _count_element_words(element: Element) -> int:
    return sum(len(part.split()) for part in islice(element.itertext(), MAX_PARTS))


def _find_prose_box(tree: Element, prose: dict[Element, int]) -> Element | None:
    """Return the smallest element that holds most of the prose."""
    held: Counter[Element] = Counter()
    for paragraph, size in prose.items():
        for around in paragraph.iterancestors():
            held[around] += size
    enough = HELD_SHARE * sum(prose.values())
    for each in reversed(list(tree.iter(etree.Element))):
        if held[each] >= enough:
            return each
    return None


def _holds_several_texts(box: Element) -> bool:
    """Return whether a box holds several texts, each followed by the same links ("Share")."""
    links: Counter[str] = Counter()
    for link in box.iter("a"):
        words = fold_text("".join(link.itertext()))
        if words:
            links[words] += 1
    return sum(count >= MIN_REPEATS for count in links.values()) > 1
