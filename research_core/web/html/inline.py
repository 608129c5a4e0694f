"""Words within lines that an extractor would drop with their element, kept; and what stands in a
heading but is no part of it, dropped.

It looks at single elements and what is beside them, and changes only their tags and attributes.
Blocks are dealt with in `mending`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from lxml import etree

from research_core.web.html.elements import APART, folded

Element = Any  # lxml ships no types

#: Kept where words stand before or after them in the same line: a day in a sentence, and not the
#: one of a byline.
_BESIDE = ("time", "output", "data")
#: Kept only between words, as these do something too: "Copy" behind a line is none of it.
_BETWEEN = ("label", "button")
#: What elements are that say so and have no tag for it.
_PARTS = {"table": "table", "grid": "table", "rowgroup": "tbody", "row": "tr", "columnheader": "th"}
_PARTS |= dict.fromkeys(("cell", "gridcell", "rowheader"), "td")
#: Styles with which an element stands in no line with others.
_APART = re.compile(r"display\s*:\s*(?:block|table|flex|grid|list-item)")
HEADERS = ("h1", "h2", "h3", "h4", "h5", "h6")
#: So far is looked around an element for words: siblings and elements around it.
SIBLINGS, LEVELS = 3, 3
_ANCHOR = re.compile(
    r"[\s¶#§🔗∞⚓️↩⌗]*|\[\s*\w+(?:\s*\|\s*\w[\w ]*)?\s*\]|(?:perma)?link|(?:copy )?link to (?:this"
    r" )?(?:heading|section)|edit",
    re.IGNORECASE,
)
_ANCHORS = re.compile(
    r"editsection|header-?link|heading-?link|anchor|permalink|hash-?link|section-?link|toclink-?back",
    re.IGNORECASE,
)
#: What marks a link to its own heading in plain text.
_MARK = re.compile(r"\s*[¶§🔗]+\s*$")


def keep_words(tree: Element) -> None:
    """Give elements that an extractor drops a tag that it keeps, where they stand in a line of
    text.
    """
    for element in list(tree.iter(*_BESIDE, *_BETWEEN)):
        before, after = (
            any(map(_says, _beside(element, ahead=False))),
            any(map(_says, _beside(element, ahead=True))),
        )
        ends = any((text or "").strip() for text in _beside(element, ahead=True))
        if (before and ends) if element.tag in _BETWEEN else (before or after):
            element.tag = "span"
    for box in list(tree.iter("fieldset")):
        if next(box.iter("input", "select", "textarea", "button"), None) is None:
            box.tag = "div"
            for legend in box.iter("legend"):
                legend.tag = "p"
    for menu in list(tree.iter("menu")):
        menu.tag = "ul"


def show(tree: Element) -> None:
    """Take away what an extractor takes for a sign that an element is hidden: what is was taken out
    before.
    """
    for element in list(tree.iter(etree.Element)):
        if element.get("aria-hidden") and any(map(_says, element.itertext())):
            del element.attrib["aria-hidden"]
        style, role = element.get("style") or "", element.get("role") or ""
        if "hidden" in style:
            del element.attrib["style"]
        if role in _PARTS and element.tag in ("div", "span"):
            element.tag = _PARTS[role]
        elif _APART.search(style) and element.tag not in APART:
            element.tail = f" {element.tail or ''}"
            element.text = f" {element.text or ''}"


def _beside(element: Element, *, ahead: bool) -> Iterator[str | None]:
    """The texts beside an element, from it outwards, as far as its line goes and no further than is
    worth it.
    """
    for _ in range(LEVELS):
        yield element.tail if ahead else None
        for near in islice(element.itersiblings(preceding=not ahead), SIBLINGS):
            yield None if ahead else near.tail
            if near.tag in APART:
                return
            yield "".join(islice(near.itertext(), SIBLINGS))
            yield near.tail if ahead else None
        around = element.getparent()
        if around is None:
            return
        yield None if ahead else around.text
        if around.tag in APART:
            return
        element = around


def _says(text: str | None) -> bool:
    return any(map(str.isalnum, text or ""))


def drop_anchors(tree: Element) -> None:
    """Take the links of headings to themselves out of them, and out of the title of the document:
    "History[edit]", "Install¶".
    """
    for heading in tree.iter(*HEADERS):
        anchors = {each for each in heading.iter("a", "span", "button") if _is_anchor(each)}
        outer = (
            [
                each
                for each in heading.iter()
                if each in anchors and anchors.isdisjoint(each.iterancestors())
            ]
            if anchors
            else []
        )
        if outer and _letters(heading) > sum(map(_letters, outer)):
            for each in outer:
                each.drop_tree()
    for named in tree.iter(*HEADERS, "title"):
        if not len(named):
            named.text = _MARK.sub("", named.text or "") or named.text


def _letters(element: Element) -> int:
    return sum(map(str.isalnum, "".join(element.itertext())))


def _is_anchor(element: Element) -> bool:
    text = folded("".join(element.itertext()))
    marked = _ANCHORS.search(element.get("class") or "") is not None
    own = element.tag == "a" and "#" in (element.get("href") or "")
    if marked or own:
        return _ANCHOR.fullmatch(text) is not None
    return element.tag == "a" and re.fullmatch(r"[¶#§🔗]+", text) is not None
