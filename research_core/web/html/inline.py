"""Keep inline words that an extractor would drop, and drop anchors from headings.

Only tags and attributes of single elements change. `mending` handles blocks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from lxml import etree

from research_core.web.html.elements import SEPARATE_TAGS, fold_text
from research_core.web.lxml_types import Element

#: Kept next to words in the same line: a day in a sentence, but not that of a byline.
_INLINE_TAGS = ("time", "output", "data")
#: Kept only between words, as they are also controls: "Copy" behind a line is one.
_CONTROL_TAGS = ("label", "button")
#: Table tags for elements with such a role.
_TABLE_ROLES = {
    "table": "table",
    "grid": "table",
    "rowgroup": "tbody",
    "row": "tr",
    "columnheader": "th",
}
_TABLE_ROLES |= dict.fromkeys(("cell", "gridcell", "rowheader"), "td")
#: Styles that take an element out of the line.
_BLOCK_DISPLAY = re.compile(r"display\s*:\s*(?:block|table|flex|grid|list-item)")
HEADING_TAGS = ("h1", "h2", "h3", "h4", "h5", "h6")
#: How far words are searched around an element: siblings and levels.
MAX_SIBLINGS, MAX_LEVELS = 3, 3
_ANCHOR_TEXT = re.compile(
    r"[\s¶#§🔗∞⚓️↩⌗]*|\[\s*\w+(?:\s*\|\s*\w[\w ]*)?\s*\]|(?:perma)?link|(?:copy )?link to (?:this"
    r" )?(?:heading|section)|edit",
    re.IGNORECASE,
)
_ANCHOR_CLASS = re.compile(
    r"editsection|header-?link|heading-?link|anchor|permalink|hash-?link|section-?link"
    r"|toclink-?back",
    re.IGNORECASE,
)
#: Marks of a heading's own link in plain text.
_TRAILING_MARK = re.compile(r"\s*[¶§🔗]+\s*$")


def keep_inline_words(tree: Element) -> None:
    """Rename elements that an extractor drops, where they stand in a line of text."""
    for element in list(tree.iter(*_INLINE_TAGS, *_CONTROL_TAGS)):
        texts_after = list(_iterate_neighbouring_texts(element, ahead=True))
        words_before = any(map(_has_letters, _iterate_neighbouring_texts(element, ahead=False)))
        if element.tag in _CONTROL_TAGS:
            keep = words_before and any((text or "").strip() for text in texts_after)
        else:
            keep = words_before or any(map(_has_letters, texts_after))
        if keep:
            element.tag = "span"
    for box in list(tree.iter("fieldset")):
        if next(box.iter("input", "select", "textarea", "button"), None) is None:
            box.tag = "div"
            for legend in box.iter("legend"):
                legend.tag = "p"
    for menu in list(tree.iter("menu")):
        menu.tag = "ul"


def drop_hiding_marks(tree: Element) -> None:
    """Remove marks that make an extractor skip elements; really hidden ones are gone already."""
    for element in list(tree.iter(etree.Element)):
        if element.get("aria-hidden") and any(map(_has_letters, element.itertext())):
            del element.attrib["aria-hidden"]
        style, role = element.get("style") or "", element.get("role") or ""
        if "hidden" in style:
            del element.attrib["style"]
        if role in _TABLE_ROLES and element.tag in ("div", "span"):
            element.tag = _TABLE_ROLES[role]
        elif _BLOCK_DISPLAY.search(style) and element.tag not in SEPARATE_TAGS:
            element.tail = f" {element.tail or ''}"
            element.text = f" {element.text or ''}"


def _iterate_neighbouring_texts(element: Element, *, ahead: bool) -> Iterator[str | None]:
    """Yield the texts beside an element, nearest first, within its line and a few steps."""
    for _ in range(MAX_LEVELS):
        yield element.tail if ahead else None
        for near in islice(element.itersiblings(preceding=not ahead), MAX_SIBLINGS):
            yield None if ahead else near.tail
            if near.tag in SEPARATE_TAGS:
                return
            yield "".join(islice(near.itertext(), MAX_SIBLINGS))
            yield near.tail if ahead else None
        around = element.getparent()
        if around is None:
            return
        yield None if ahead else around.text
        if around.tag in SEPARATE_TAGS:
            return
        element = around


def _has_letters(text: str | None) -> bool:
    return any(map(str.isalnum, text or ""))


def drop_anchors(tree: Element) -> None:
    """Remove the links of headings to themselves: "History[edit]", "Install¶".

    The title of the document is cleaned too.
    """
    for heading in tree.iter(*HEADING_TAGS):
        anchors = {each for each in heading.iter("a", "span", "button") if _is_anchor(each)}
        if not anchors:
            continue
        outermost = []
        for each in heading.iter():
            if each in anchors and anchors.isdisjoint(each.iterancestors()):
                outermost.append(each)
        if outermost and _count_letters(heading) > sum(map(_count_letters, outermost)):
            for each in outermost:
                each.drop_tree()
    for titled in tree.iter(*HEADING_TAGS, "title"):
        if not len(titled):
            titled.text = _TRAILING_MARK.sub("", titled.text or "") or titled.text


def _count_letters(element: Element) -> int:
    return sum(map(str.isalnum, "".join(element.itertext())))


def _is_anchor(element: Element) -> bool:
    text = fold_text("".join(element.itertext()))
    marked = _ANCHOR_CLASS.search(element.get("class") or "") is not None
    own = element.tag == "a" and "#" in (element.get("href") or "")
    if marked or own:
        return _ANCHOR_TEXT.fullmatch(text) is not None
    return element.tag == "a" and re.fullmatch(r"[¶#§🔗]+", text) is not None
