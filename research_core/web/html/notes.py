"""What stands in a text and is none of its words: the marks of its footnotes, its table of
contents, menus that say so themselves.

A mark in brackets is told by where it leads and how it reads, so that a list of references keeps
its numbers. Figures that are raised without brackets stay (`mending` writes them as raised).
Footnotes themselves are text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from research_core.web.html.elements import APART, folded

Element = Any  # lxml ships no types

_NOTE = r"(?:\d{1,3}(?:\s?[-–,]\s?\d{1,3})*|[a-zA-Zα-ω*†‡]{1,2}|(?:note|notes|n|nb|fn|lower|upper|web|ref|anm\.?|nota|nt|注|註|주)\s?\d{1,3})"
_MARKS = re.compile(rf"(?:\[\s*{_NOTE}\s*\][\s,;]*)+", re.IGNORECASE)
_NUMBER, _OPENS, _BETWEEN, _CLOSES = (
    re.compile(r"\d{1,3}"),
    re.compile(r"\s?\[\s*\Z"),
    re.compile(r"\s*[,;–-]?\s*"),
    re.compile(r"\s*\]"),
)
#: Siblings that are looked at for words before a mark.
NEAR = 8
#: Classes of MediaWiki, on which thousands of wikis run: what it draws around a text, and the
#: second form of coordinates.
_AROUND = frozenset(
    {
        "toc",
        "mw-jump-link",
        "mw-editsection",
        "geo-nondefault",
        "geo-multi-punct",
        "catlinks",
        "printfooter",
    }
)
_MENUS = frozenset({"navbox", "vertical-navbox", "sidebar-navbox"})
#: A menu has more of its text in links than this, and no more characters.
LINKED, LONGEST_MENU = 0.75, 20_000


def drop_notes(tree: Element) -> None:
    """Take out the marks of footnotes, where words stand before them in their block."""
    for mark in list(tree.iter("sup", "a")):
        if mark.getparent() is not None and _is_mark(mark) and _has_words_before(mark):
            mark.drop_tree()
    for link in list(tree.iter("a")):
        if link.getparent() is not None and _is_number(link):
            _drop_bracketed(link)


def _is_mark(element: Element) -> bool:
    return (
        any(map(_leads_within, element.iter("a")))
        and _MARKS.fullmatch(folded("".join(islice(element.itertext(), NEAR)))) is not None
    )


def _leads_within(link: Element) -> bool:
    """Whether a link leads to a place in a page."""
    return link.tag == "a" and "#" in (link.get("href") or "")


def _has_words_before(element: Element) -> bool:
    """Whether words stand in the same block before an element, other marks aside."""
    while element.tag not in APART:
        for before in islice(element.itersiblings(preceding=True), NEAR):
            if (before.tail or "").strip() or (
                before.tag not in APART
                and not _is_mark(before)
                and folded("".join(before.itertext()))
            ):
                return True
            if before.tag in APART:
                return False
        element = element.getparent()
        if element is None or (element.text or "").strip():
            return element is not None
    return False


# ---------------------------------------------------------------- numbers in brackets that are no part of the link


def _is_number(link: Element) -> bool:
    return _leads_within(link) and _NUMBER.fullmatch(folded("".join(link.itertext()))) is not None


def _drop_bracketed(first: Element) -> None:
    """Take out "[1, 2]" where the numbers are links into the page, and it does not begin its block."""
    before, holder = first.getprevious(), first.getparent()
    lead = (holder.text if before is None else before.tail) or ""
    opens = _OPENS.search(lead)
    if not opens or (not lead[: opens.start()].strip() and before is None):
        return
    links = list(_linked(first))
    closes = _CLOSES.match(links[-1].tail or "")
    if not closes:
        return
    rest = lead[: opens.start()] + (links[-1].tail or "")[closes.end() :]
    for link in links:
        holder.remove(link)
    if before is None:
        holder.text = rest
    else:
        before.tail = rest


def _linked(first: Element) -> Iterator[Element]:
    """The first number and those that follow it with no more than a comma between."""
    link: Element | None = first
    while link is not None and _is_number(link):
        yield link
        link = link.getnext() if _BETWEEN.fullmatch(link.tail or "") else None


# ---------------------------------------------------------------- menus


def drop_menus(tree: Element) -> None:
    """Take out what says of itself that it is for finding one's way, and what a wiki draws around
    its text.
    """
    for element in list(tree.xpath("//*[@class or @role='navigation']")):
        names = set((element.get("class") or "").split())
        if (
            element.getparent() is not None
            and element.tag not in ("html", "body")
            and (
                names & _AROUND
                or (
                    (names & _MENUS or element.get("role") == "navigation")
                    and _mostly_linked(element)
                )
            )
        ):
            element.drop_tree()


def _mostly_linked(element: Element) -> bool:
    text = _length(element)
    return text <= LONGEST_MENU and sum(map(_length, element.iter("a"))) >= LINKED * text


def _length(element: Element) -> int:
    """Characters of the words in an element, as far as a menu's go."""
    length = 0
    for text in element.itertext():
        length += sum(map(len, text.split()))
        if length > LONGEST_MENU:
            break
    return length
