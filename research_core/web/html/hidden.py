"""Takes out of an HTML tree what the page shows to nobody, the oldest place to leave words for a machine, and counts it.

It reads the `hidden` attribute, comments, inline styles and the page's own style sheets (`sheets`). It loads no sheet and runs no
script, so what only those hide stays. `aria-hidden` stays too: a reader sees it, only a screen reader skips it; so does a closed
`details`, which a click opens. Attributes (`alt`, `title`) and what a sheet puts into `content` are no text of the page, and were never
in it. A page that is hidden as a whole is left alone: that is how pages look that a script reveals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate, takewhile
from typing import Any

from lxml import etree

from research_core.models import Hidden
from research_core.web.html.sheets import Sheets
from research_core.web.html.styles import SMALL_EM, USUAL_PX, Style, background, covers, declarations, size, tiny, unseen
from research_core.web.html.values import Colour, alike, colour
from research_core.web.tally import (
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

#: Elements no browser draws as text of the page: tools of the page, and others whose words were meant to be read by somebody.
TOOLS = "script style datalist select textarea svg annotation annotation-xml progress meter frameset".split()
FALLBACKS = "template noembed noframes object iframe canvas audio video applet".split()
WHITE: Colour = (255, 255, 255)
_TAG = re.compile(r"<[^<>]*>")


def drop_hidden(tree: Element, tally: Tally | None = None) -> Hidden:
    """Remove the hidden elements and the comments of the tree in place; text after them stays. All that is in the tally then."""
    tally = tally or Tally()
    drop_comments(tree, tally)
    judge = _Judge(Sheets(tree))
    judged = list(judge.over(tree))  # while every element stands where the sheets take it to be
    for element in list(tree.iter(*TOOLS)):
        _drop(element)
    for element in list(tree.iter("noscript", *FALLBACKS)):
        _drop(element, tally, NO_SCRIPTS if element.tag == "noscript" else NEVER_DRAWN)
    root = tree.getroottree().getroot()
    for element, reason in judged:
        if element.getroottree().getroot() is root:  # it did not go with another
            if reason == TOO_SMALL:
                _drop_own_text(judge.small[element], tally)
            else:
                _drop(element, tally, reason)
    count_characters(tree.text_content(), tally)
    return tally.hidden


def drop_comments(tree: Element, tally: Tally) -> None:
    """Remove the comments of the tree in place, those before and after the page itself too."""
    scrap = etree.Element("scrap")
    before = list(tree.itersiblings(etree.Comment, preceding=True))
    for comment in (*reversed(before), *tree.iter(etree.Comment), *tree.itersiblings(etree.Comment)):  # XPath puts them in order one by one
        tally.add(COMMENT, without_tags(comment.text or ""))
        if comment.getparent() is None:
            scrap.append(comment)
    etree.strip_tags(tree, etree.Comment)


def without_tags(source: str) -> str:
    """Source code as far as its opening goes, without what looks like a tag."""
    return _TAG.sub("\n", " ".join(source[: 4 * LOOKED_AT].split()))


class _Judge:
    """Goes over a tree once. small: elements whose text is too small, with those inside them whose text is so too.

    grounds: the colours that elements put behind the text inside them, as far as they were looked at.
    """

    def __init__(self, sheets: Sheets) -> None:
        self._sheets = sheets
        self._grounds: dict[Element, tuple[Colour | None, bool]] = {}
        self.small: dict[Element, list[Element]] = {}

    def over(self, tree: Element) -> Iterator[tuple[Element, str]]:
        """The hidden elements with the reason, in the order of the page; of those inside one another the outermost."""
        gone, small = set[Element](), set[Element]()
        for element in self._in_question(tree):
            reason = self._judged(element) if element.tag not in ("html", "body") and element not in gone else ""
            if reason == TOO_SMALL and element not in small:
                self.small[element] = list(self._as_small(element))
                small.update(self.small[element])
                yield element, reason
            elif reason and reason != TOO_SMALL:
                gone.update(element.iter())
                yield element, reason

    def _as_small(self, element: Element) -> Iterator[Element]:
        """An element whose text is too small, and all inside it up to what has a size of its own, or may have one from another sheet."""
        inside = [(element, size(self._sheets.of(element), USUAL_PX))]
        while inside:
            around, pixels = inside.pop()
            yield around
            for child in reversed(around):
                own = size(self._sheets.of(child, fully=True), pixels) if isinstance(child.tag, str) else USUAL_PX
                if own <= max(pixels, SMALL_EM * USUAL_PX) and (self._sheets.alone or not _named(child)):
                    inside.append((child, own))

    def _in_question(self, tree: Element) -> list[Element]:
        """The elements that something could hide, in the order of the page."""
        keys = self._sheets.keys
        if "*" in keys:
            return [element for element in tree.iter() if isinstance(element.tag, str)]
        conditions = ["@hidden", "@style", "@color", "@popover", "self::dialog"]
        conditions += ["@class", "@id"] if keys else []
        conditions += [f"self::{key}" for key in sorted(keys) if re.fullmatch(r"[a-z][a-z0-9]*", key)]
        return list(tree.xpath(f"//*[{' or '.join(conditions)}]"))

    def _judged(self, element: Element) -> str:
        style = self._sheets.of(element)
        closed = element.get("hidden") is not None or element.get("popover") is not None
        closed = closed or (element.tag == "dialog" and element.get("open") is None)
        if closed:
            return NOT_DISPLAYED
        return unseen(style) or (SAME_COLOUR if self._blends(element, style) else TOO_SMALL if tiny(style) else "")

    def _blends(self, element: Element, style: Style) -> bool:
        """Whether the element's own colour is that of what lies behind it: the nearest background that is known.

        That is a white page, where the page says all of its style itself; where it does not, white text may stand on anything.
        """
        said = style.get("color") if self._sheets.alone else declarations(element.get("style") or "").get("color")
        said = said or str(element.get("color") or "").lower()
        ink = colour(said) if said else None
        if ink is None:
            return False
        behind = next(self._backgrounds(element), WHITE if self._sheets.complete else None)
        return alike(ink, behind)

    def _backgrounds(self, element: Element) -> Iterator[Colour | None]:
        """Those that are known, outwards; None from where another sheet may give one, or a picture lies, or the text may lie elsewhere."""
        for around in (element, *element.iterancestors()):
            if around not in self._grounds:
                self._grounds[around] = self._ground(around)
            behind, unknown = self._grounds[around]
            if behind is not None or unknown:
                yield behind

    def _ground(self, element: Element) -> tuple[Colour | None, bool]:
        """The colour that an element puts behind its text, and whether it may put there what is not known."""
        sheets = self._sheets
        style = sheets.of(element, fully=sheets.alone)
        behind = background(style) or colour(str(element.get("bgcolor") or "").lower())
        if not sheets.alone:
            return behind, _named(element) or covers(style)
        if covers(style) and (behind is None or not sheets.complete):
            return None, True
        return behind, not sheets.complete and style.get("position", "static") != "static"


def _drop(element: Element, tally: Tally | None = None, reason: str = "") -> None:
    if element.getparent() is not None:
        if tally is not None:
            tally.add(reason, _words(element))
        element.drop_tree()


def _named(element: Element) -> bool:
    """Whether a sheet is likely to style it."""
    return bool(element.get("class") or element.get("id"))


def _drop_own_text(elements: list[Element], tally: Tally) -> None:
    """Take the text that stands in these themselves; that of their children is left."""
    own = list[str]()
    for element in elements:
        own.append(element.text or "")
        element.text = ""
        for child in element:
            own.append(child.tail or "")
            child.tail = ""
    tally.add(TOO_SMALL, " ".join(own))


def _words(element: Element) -> str:
    """The opening of an element's text, a line for each of its parts."""
    parts = [" ".join(part.split()) for part in element.itertext() if not part.isspace()]
    lengths = accumulate(map(len, parts))
    return "\n".join(part for part, _ in zip(parts, takewhile(lambda length: length < 2 * LOOKED_AT, (0, *lengths)), strict=False))
