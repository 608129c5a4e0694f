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
from collections.abc import Iterator
from itertools import accumulate, takewhile
from typing import Any

from lxml import etree

from research_core.models import HiddenText
from research_core.web.css.backgrounds import PageColours, may_be_styled
from research_core.web.css.cascade import Cascade
from research_core.web.css.styles import (
    DEFAULT_PX,
    SMALL_EM,
    Style,
    hiding_reason,
    is_tiny,
    text_size,
)
from research_core.web.documents.tally import (
    COMMENT,
    LOOKED_AT,
    NEVER_DRAWN,
    NO_SCRIPTS,
    NOT_DISPLAYED,
    SAME_COLOUR,
    TOO_SMALL,
    Tally,
    count_characters,
)

Element = Any  # lxml ships no types

#: Elements no browser displays as text: tools of the page, and fallbacks whose words were meant
#: for somebody.
TOOL_ELEMENTS = """
    script style datalist select textarea svg annotation annotation-xml progress meter frameset
""".split()
FALLBACK_ELEMENTS = "template noembed noframes object iframe canvas audio video applet".split()
_TAG = re.compile(r"<[^<>]*>")


def drop_hidden(tree: Element, tally: Tally | None = None) -> HiddenText:
    """Remove hidden elements and comments in place, and return the tally of them.

    Text that follows them stays.
    """
    tally = tally or Tally()
    drop_comments(tree, tally)
    finder = _HiddenElementFinder(Cascade(tree))
    judged = list(finder.find_hidden(tree))  # while every element stands where the sheets expect it
    for element in list(tree.iter(*TOOL_ELEMENTS)):
        _drop_element(element)
    for element in list(tree.iter("noscript", *FALLBACK_ELEMENTS)):
        _drop_element(element, tally, NO_SCRIPTS if element.tag == "noscript" else NEVER_DRAWN)
    root = tree.getroottree().getroot()
    for element, reason in judged:
        if element.getroottree().getroot() is root:  # it did not go with another
            if element in finder.parts:
                _drop_own_text(finder.parts[element], tally, reason)
            else:
                _drop_element(element, tally, reason)
    count_characters(tree.text_content(), tally)
    return tally.hidden


def drop_comments(tree: Element, tally: Tally) -> None:
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


class _HiddenElementFinder:
    """Finds the hidden elements of one tree.

    parts: elements that lose only their own text, with the elements inside that lose it too.
    """

    def __init__(self, cascade: Cascade) -> None:
        self._cascade = cascade
        self._colours = PageColours(cascade)
        self.parts: dict[Element, list[Element]] = {}

    def find_hidden(self, tree: Element) -> Iterator[tuple[Element, str]]:
        """Yield the outermost hidden elements with the reason, in order of the page."""
        gone: set[Element] = set()
        small: set[Element] = set()
        for element in self._candidates(tree):
            if element in gone:
                continue
            style = self._cascade.style_of(element)
            reason = ""
            if element.tag not in ("html", "body"):
                reason = self._hiding_reason(element, style)
            if reason == TOO_SMALL and element not in small:
                self.parts[element] = list(self._small_text_elements(element))
                small.update(self.parts[element])
                yield element, reason
            elif reason and reason != TOO_SMALL:
                gone.update(element.iter())
                yield element, reason
            elif element not in small and self._colours.covers_text(element, style):
                self.parts[element] = list(self._colours.iter_covered(element))
                yield element, SAME_COLOUR

    def _small_text_elements(self, element: Element) -> Iterator[Element]:
        """Yield an element with too small text, and those inside it that inherit its size.

        An element that may have a size from a style sheet not loaded is assumed to have one.
        """
        inside = [(element, text_size(self._cascade.style_of(element), DEFAULT_PX))]
        while inside:
            around, pixels = inside.pop()
            yield around
            for child in reversed(around):
                own = (
                    text_size(self._cascade.style_of(child, fully=True), pixels)
                    if isinstance(child.tag, str)
                    else DEFAULT_PX
                )
                if own <= max(pixels, SMALL_EM * DEFAULT_PX) and (
                    self._cascade.page.alone or not may_be_styled(child)
                ):
                    inside.append((child, own))

    def _candidates(self, tree: Element) -> list[Element]:
        """Return the elements that something could hide, in order of the page."""
        keys = self._cascade.keys
        if "*" in keys:
            return [element for element in tree.iter() if isinstance(element.tag, str)]
        conditions = [
            "@hidden",
            "@style",
            "@color",
            "@bgcolor",
            "@text",
            "@popover",
            "self::dialog",
        ]
        conditions += ["@class", "@id"] if keys else []
        conditions += [
            f"self::{key}" for key in sorted(keys) if re.fullmatch(r"[a-z][a-z0-9]*", key)
        ]
        return list(tree.xpath(f"//*[{' or '.join(conditions)}]"))

    def _hiding_reason(self, element: Element, style: Style) -> str:
        """Return why an element is hidden, or ""."""
        if element.get("hidden") is not None or element.get("popover") is not None:
            return NOT_DISPLAYED
        if element.tag == "dialog" and element.get("open") is None:
            return NOT_DISPLAYED
        reason = hiding_reason(style)
        if reason:
            return reason
        if self._colours.blends_in(element, style):
            return SAME_COLOUR
        return TOO_SMALL if is_tiny(style) else ""


def _drop_element(element: Element, tally: Tally | None = None, reason: str = "") -> None:
    if element.getparent() is not None:
        if tally is not None:
            tally.add(reason, _element_words(element))
        element.drop_tree()


def _drop_own_text(elements: list[Element], tally: Tally, reason: str) -> None:
    """Remove the text directly in these elements; that of their children stays."""
    own = list[str]()
    for element in elements:
        own.append(element.text or "")
        element.text = ""
        for child in element:
            own.append(child.tail or "")
            child.tail = ""
    tally.add(reason, " ".join(own))


def _element_words(element: Element) -> str:
    """Return the beginning of an element's text, one line for each part."""
    parts = [" ".join(part.split()) for part in element.itertext() if not part.isspace()]
    lengths = accumulate(map(len, parts))
    return "\n".join(
        part
        for part, _ in zip(
            parts, takewhile(lambda length: length < 2 * LOOKED_AT, (0, *lengths)), strict=False
        )
    )
