"""Remove footnote marks, tables of contents and menus from a text.

A mark in brackets is recognised by where it links and how it reads, so that a list of references
keeps its numbers. Superscripts without brackets stay (see `mending`), and so do the footnotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from research_core.web.html.elements import SEPARATE_TAGS, fold_text
from research_core.web.lxml_types import Element

_NOTE = (
    r"(?:\d{1,3}(?:\s?[-–,]\s?\d{1,3})*|[a-zA-Zα-ω*†‡]{1,2}|(?:note|"
    r"notes|n|nb|fn|lower|upper|web|ref|anm\.?|nota|nt|注|註|주)\s?\d{1,3})"
)
_NOTE_MARKS = re.compile(rf"(?:\[\s*{_NOTE}\s*\][\s,;]*)+", re.IGNORECASE)
_NOTE_NUMBER, _OPENING_BRACKET, _BETWEEN_NUMBERS, _CLOSING_BRACKET = (
    re.compile(r"\d{1,3}"),
    re.compile(r"\s?\[\s*\Z"),
    re.compile(r"\s*[,;–-]?\s*"),
    re.compile(r"\s*\]"),
)
#: Siblings examined for words before a mark.
MAX_LOOK_BACK = 8
#: MediaWiki classes: what it adds around a text, and the second form of coordinates.
_WIKI_FURNITURE = frozenset(
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
_MENU_CLASSES = frozenset({"navbox", "vertical-navbox", "sidebar-navbox"})
#: Link share of a menu, and its most characters.
MENU_LINK_SHARE, MAX_MENU_LENGTH = 0.75, 20_000


def drop_notes(tree: Element) -> None:
    """Remove footnote marks that follow words in their block."""
    for mark in list(tree.iter("sup", "a")):
        if mark.getparent() is not None and _is_note_mark(mark) and _has_words_before(mark):
            mark.drop_tree()
    for link in list(tree.iter("a")):
        if link.getparent() is not None and _is_note_number(link):
            _drop_bracketed_notes(link)


def _is_note_mark(element: Element) -> bool:
    if not any(map(_is_internal_link, element.iter("a"))):
        return False
    words = fold_text("".join(islice(element.itertext(), MAX_LOOK_BACK)))
    return _NOTE_MARKS.fullmatch(words) is not None


def _is_internal_link(link: Element) -> bool:
    """Return whether a link leads to a place within a page."""
    return link.tag == "a" and "#" in (link.get("href") or "")


def _has_words_before(element: Element) -> bool:
    """Return whether words precede an element in its block, other marks aside."""
    while element.tag not in SEPARATE_TAGS:
        for before in islice(element.itersiblings(preceding=True), MAX_LOOK_BACK):
            if (before.tail or "").strip():
                return True
            if before.tag in SEPARATE_TAGS:
                return False
            if not _is_note_mark(before) and fold_text("".join(before.itertext())):
                return True
        element = element.getparent()
        if element is None or (element.text or "").strip():
            return element is not None
    return False


# ---------------------------------------------------------------- brackets outside the link


def _is_note_number(link: Element) -> bool:
    return (
        _is_internal_link(link)
        and _NOTE_NUMBER.fullmatch(fold_text("".join(link.itertext()))) is not None
    )


def _drop_bracketed_notes(first: Element) -> None:
    """Remove "[1, 2]" if the numbers link into the page and do not begin their block."""
    before, holder = first.getprevious(), first.getparent()
    lead = (holder.text if before is None else before.tail) or ""
    opens = _OPENING_BRACKET.search(lead)
    if not opens or (not lead[: opens.start()].strip() and before is None):
        return
    links = list(_iterate_linked_numbers(first))
    closes = _CLOSING_BRACKET.match(links[-1].tail or "")
    if not closes:
        return
    rest = lead[: opens.start()] + (links[-1].tail or "")[closes.end() :]
    for link in links:
        holder.remove(link)
    if before is None:
        holder.text = rest
    else:
        before.tail = rest


def _iterate_linked_numbers(first: Element) -> Iterator[Element]:
    """Yield the first number and those that follow it with at most a comma between."""
    link: Element | None = first
    while link is not None and _is_note_number(link):
        yield link
        link = link.getnext() if _BETWEEN_NUMBERS.fullmatch(link.tail or "") else None


# ---------------------------------------------------------------- menus


def drop_menus(tree: Element) -> None:
    """Remove elements marked as navigation, and what MediaWiki adds around its text."""
    for element in list(tree.xpath("//*[@class or @role='navigation']")):
        if element.getparent() is None or element.tag in ("html", "body"):
            continue
        names = set((element.get("class") or "").split())
        is_navigation = names & _MENU_CLASSES or element.get("role") == "navigation"
        if names & _WIKI_FURNITURE or (is_navigation and _is_mostly_linked(element)):
            element.drop_tree()


def _is_mostly_linked(element: Element) -> bool:
    text = _count_text_characters(element)
    return (
        text <= MAX_MENU_LENGTH
        and sum(map(_count_text_characters, element.iter("a"))) >= MENU_LINK_SHARE * text
    )


def _count_text_characters(element: Element) -> int:
    """Count the characters of an element's words, up to the length of a menu."""
    length = 0
    for text in element.itertext():
        length += sum(map(len, text.split()))
        if length > MAX_MENU_LENGTH:
            break
    return length
