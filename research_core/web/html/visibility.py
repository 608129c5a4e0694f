"""Remove from an HTML tree what the page does not display, and count it.

Hidden text is the oldest place to leave instructions for a machine. Read are the `hidden`
attribute, comments, inline styles, the page's own style sheets (`cascade`) and its colours
(`backgrounds`). No sheet is loaded and no script runs, so what only those hide stays. `aria-hidden`
stays too, as only screen readers skip it, and so does a closed `details`, which a click opens.
Attributes (`alt`, `title`) and what a sheet puts into `content` are not text of the page. A page
that is hidden as a whole is left alone, since scripts usually reveal it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from lxml import etree

from research_core.models import HiddenText
from research_core.web.css.backgrounds import PageColours, may_be_styled
from research_core.web.css.cascade import Cascade
from research_core.web.css.styles import (
    DEFAULT_PX,
    SMALL_EM,
    Style,
    compute_text_size,
    find_hiding_reason,
    is_tiny,
)
from research_core.web.documents.tally import (
    COMMENT,
    LOOKED_AT,
    NEVER_DRAWN,
    NO_SCRIPTS,
    NOT_DISPLAYED,
    SAME_COLOUR,
    TOO_SMALL,
    HiddenTextTally,
    count_characters,
)
from research_core.web.lxml_types import Element

#: Elements no browser displays as text: tools of the page, and fallbacks whose words were meant
#: for somebody.
TOOL_ELEMENTS = """
    script style datalist select textarea svg annotation annotation-xml progress meter frameset
""".split()
FALLBACK_ELEMENTS = "template noembed noframes object iframe canvas audio video applet".split()
#: What may hide an element besides the rules of style sheets, as XPath.
_HIDING_CONDITIONS = (
    "@hidden", "@style", "@color", "@bgcolor", "@text", "@popover", "self::dialog",
)  # fmt: skip
_TAG_NAME = re.compile("[a-z][a-z0-9]*")
_TAG = re.compile(r"<[^<>]*>")


def drop_hidden(tree: Element, tally: HiddenTextTally | None = None) -> HiddenText:
    """Remove hidden elements and comments in place, and return the tally of them.

    Text that follows them stays.
    """
    tally = tally or HiddenTextTally()
    drop_comments(tree, tally)
    # All are found before any is removed, since a selector may ask about what is around.
    found = list(_find_hidden(tree))
    for element in list(tree.iter(*TOOL_ELEMENTS)):
        _drop_element(element)
    for element in list(tree.iter("noscript", *FALLBACK_ELEMENTS)):
        _drop_element(element, tally, NO_SCRIPTS if element.tag == "noscript" else NEVER_DRAWN)
    root = tree.getroottree().getroot()
    for hidden in found:
        if hidden.element.getroottree().getroot() is not root:
            continue  # it went with another
        if hidden.own_text_of:
            _drop_own_text(hidden.own_text_of, tally, hidden.reason)
        else:
            _drop_element(hidden.element, tally, hidden.reason)
    count_characters(tree.text_content(), tally)
    return tally.hidden


def drop_comments(tree: Element, tally: HiddenTextTally) -> None:
    """Remove the comments of a tree in place, including those before and after the page."""
    scrap = etree.Element("scrap")
    before = list(tree.itersiblings(etree.Comment, preceding=True))
    within = tree.iter(etree.Comment)
    after = tree.itersiblings(etree.Comment)
    for comment in (*reversed(before), *within, *after):  # XPath puts them in order one by one
        tally.add(COMMENT, strip_tags(comment.text or ""))
        if comment.getparent() is None:
            scrap.append(comment)
    etree.strip_tags(tree, etree.Comment)


def strip_tags(source: str) -> str:
    """Return the beginning of some source code without what looks like a tag."""
    return _TAG.sub("\n", " ".join(source[: 4 * LOOKED_AT].split()))


# ---------------------------------------------------------------- finding


@dataclass(frozen=True)
class HiddenElement:
    """An element that a page does not display, and why.

    own_text_of: the elements that lose only their own text; () if the element goes as a whole.
    """

    element: Element
    reason: str
    own_text_of: tuple[Element, ...] = ()


def _find_hidden(tree: Element) -> Iterator[HiddenElement]:
    """Yield the outermost hidden elements in order of the page."""
    cascade = Cascade(tree)
    colours = PageColours(cascade)
    gone: set[Element] = set()
    small: set[Element] = set()
    for element in _find_candidates(tree, cascade.keys):
        if element in gone:
            continue
        style = cascade.style_of(element)
        reason = ""
        if element.tag not in ("html", "body"):
            reason = _find_hiding_reason(element, style, colours)
        if reason and reason != TOO_SMALL:
            gone.update(element.iter())
            yield HiddenElement(element, reason)
        elif element in small:
            continue
        elif reason == TOO_SMALL:
            texts = tuple(_iterate_small_text_elements(element, cascade))
            small.update(texts)
            yield HiddenElement(element, reason, texts)
        elif colours.covers_text(element, style):
            yield HiddenElement(element, SAME_COLOUR, tuple(colours.iter_covered(element)))


def _find_candidates(tree: Element, keys: Collection[str]) -> list[Element]:
    """Return the elements that something could hide, in order of the page.

    keys: as in `Cascade`.
    """
    if "*" in keys:
        return [element for element in tree.iter() if isinstance(element.tag, str)]
    conditions = list(_HIDING_CONDITIONS)
    if keys:
        conditions += ["@class", "@id"]
    for key in sorted(keys):
        if _TAG_NAME.fullmatch(key):
            conditions.append(f"self::{key}")
    return list(tree.xpath(f"//*[{' or '.join(conditions)}]"))


def _find_hiding_reason(element: Element, style: Style, colours: PageColours) -> str:
    """Return why an element is hidden, or ""."""
    if element.get("hidden") is not None or element.get("popover") is not None:
        return NOT_DISPLAYED
    if element.tag == "dialog" and element.get("open") is None:
        return NOT_DISPLAYED
    reason = find_hiding_reason(style)
    if reason:
        return reason
    if colours.blends_in(element, style):
        return SAME_COLOUR
    return TOO_SMALL if is_tiny(style) else ""


def _iterate_small_text_elements(element: Element, cascade: Cascade) -> Iterator[Element]:
    """Yield an element with too small text, and those inside it that inherit its size.

    An element that may have a size from a style sheet not loaded is assumed to have one.
    """
    inside = [(element, compute_text_size(cascade.style_of(element), DEFAULT_PX))]
    while inside:
        around, pixels = inside.pop()
        yield around
        for child in reversed(around):
            own = DEFAULT_PX
            if isinstance(child.tag, str):
                own = compute_text_size(cascade.style_of(child, fully=True), pixels)
            may_be_larger = not cascade.page.alone and may_be_styled(child)
            if own <= max(pixels, SMALL_EM * DEFAULT_PX) and not may_be_larger:
                inside.append((child, own))


# ---------------------------------------------------------------- removing


def _drop_element(element: Element, tally: HiddenTextTally | None = None, reason: str = "") -> None:
    if element.getparent() is not None:
        if tally is not None:
            tally.add(reason, _read_element_words(element))
        element.drop_tree()


def _drop_own_text(elements: Iterable[Element], tally: HiddenTextTally, reason: str) -> None:
    """Remove the text directly in these elements; that of their children stays."""
    own = list[str]()
    for element in elements:
        own.append(element.text or "")
        element.text = ""
        for child in element:
            own.append(child.tail or "")
            child.tail = ""
    tally.add(reason, " ".join(own))


def _read_element_words(element: Element) -> str:
    """Return the beginning of an element's text, one line for each part."""
    lines: list[str] = []
    length = 0
    for part in element.itertext():
        if part.isspace():
            continue
        if length >= 2 * LOOKED_AT:
            break
        line = " ".join(part.split())
        lines.append(line)
        length += len(line)
    return "\n".join(lines)
