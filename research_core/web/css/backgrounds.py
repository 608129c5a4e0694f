"""Compare the colour of a page's text with what lies behind it.

The rules of the page (`cascade`) come first, and attributes such as `text`, `bgcolor` and `color`
are the weakest of them. The colours of links (`link`, `vlink`) are not known here.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from research_core.web.css.cascade import Cascade
from research_core.web.css.styles import (
    Style,
    covers_background,
    find_background,
    parse_declarations,
)
from research_core.web.css.values import (
    Colour,
    find_colour,
    looks_alike,
    parse_legacy_colour,
    sets_legacy_colour,
)
from research_core.web.lxml_types import Element

WHITE: Colour = (255, 255, 255)
BLACK: Colour = (0, 0, 0)
#: The attribute that colours the text of an element, and the elements that `bgcolor` and
#: `background` put something behind.
_TEXT_ATTRIBUTES = {"body": "text", "font": "color"}
_BACKGROUND_PROPERTIES = ("background", "background-color")
_BACKGROUND_TAGS = frozenset("body table thead tbody tfoot tr td th".split())
#: Elements to which a browser gives a colour of its own.
_COLOURED_TAGS = frozenset("a mark button dialog input legend".split())


class PageColours:
    """The colours of one page, each computed once."""

    def __init__(self, cascade: Cascade) -> None:
        self._cascade = cascade
        self._page = cascade.page
        self._backgrounds: dict[Element, tuple[Colour | None, bool]] = {}
        self._text_colours: dict[Element, tuple[Colour | None, bool]] = {}

    def blends_in(self, element: Element, style: Style) -> bool:
        """Return whether the element's own colour is that of the nearest background known.

        That is white if the page has no other style sheets; otherwise it is unknown, since white
        text may be on anything.
        """
        if self._page.alone:
            declared = style.get("color")
        else:
            declared = parse_declarations(element.get("style") or "").get("color")
        if declared:
            colour = find_colour(declared)
        else:
            colour = self._legacy_text_colour(element)
        return colour is not None and looks_alike(colour, self._background_behind(element))

    def covers_text(self, element: Element, style: Style) -> bool:
        """Return whether an element has the background colour that its text inherits.

        For a `body`, its own text colour. style: all of it, or what could hide something. False if
        the page loads other style sheets.
        """
        is_body = element.tag == "body"
        put = find_background(style) or parse_legacy_colour(element.get("bgcolor") or "")
        is_coloured = element.get("text") or element.get("bgcolor") if is_body else put
        if not self._page.alone or not is_coloured:
            return False
        # Most elements end here, which spares their own rules.
        if not is_body and not looks_alike(self._inherited_text_colour(element), put):
            return False
        if not looks_alike(self._text_colour(element), self._background_behind(element)):
            return False
        return is_body or not self._own_text_colour(element)[1]

    def iter_covered(self, element: Element) -> Iterator[Element]:
        """Yield an element and those inside it without a colour or a background of their own."""
        inside = [element]
        while inside:
            around = inside.pop()
            yield around
            for child in reversed(around):
                if not isinstance(child.tag, str) or self._own_text_colour(child)[1]:
                    continue
                if self._own_background(child) == (None, False):
                    inside.append(child)

    # ---------------------------------------------------------------- text

    def _text_colour(self, element: Element) -> Colour | None:
        """Return the colour of an element's text; None if it is not known."""
        colour, is_set = self._own_text_colour(element)
        return colour if is_set else self._inherited_text_colour(element)

    def _inherited_text_colour(self, element: Element) -> Colour | None:
        """Return the colour an element inherits; in quirks mode, a table inherits the page's."""
        from_page = False
        for inner, around in pairwise((element, *element.iterancestors())):
            from_page = from_page or (self._page.quirky and inner.tag == "table")
            if from_page and around.tag not in ("body", "html"):
                continue
            colour, is_set = self._own_text_colour(around)
            if is_set:
                return colour
        return BLACK if self._page.complete else None

    def _own_text_colour(self, element: Element) -> tuple[Colour | None, bool]:
        """Return the colour an element gives its text, None if unknown; and whether it sets any."""
        if element not in self._text_colours:
            declared = self._cascade.style_of(element, fully=True).get("color")
            if declared:
                colour = find_colour(declared)
            else:
                colour = self._legacy_text_colour(element)
            is_set = (
                colour is not None
                or element.tag in _COLOURED_TAGS
                or self._cascade.declares(element, "color")
                or sets_legacy_colour(_get_text_attribute(element))
            )
            self._text_colours[element] = colour, is_set
        return self._text_colours[element]

    def _legacy_text_colour(self, element: Element) -> Colour | None:
        return self._legacy_colour(element, _get_text_attribute(element), "color")

    # ---------------------------------------------------------------- what lies behind

    def _background_behind(self, element: Element) -> Colour | None:
        """Return the nearest background outwards; None if a nearer one may be unknown."""
        for around in (element, *element.iterancestors()):
            behind, unknown = self._own_background(around)
            if behind is not None or unknown:
                return behind
        return WHITE if self._page.complete else None

    def _own_background(self, element: Element) -> tuple[Colour | None, bool]:
        """Return the colour behind an element's text, and whether an unknown one may be there."""
        if element not in self._backgrounds:
            self._backgrounds[element] = self._find_background(element)
        return self._backgrounds[element]

    def _find_background(self, element: Element) -> tuple[Colour | None, bool]:
        style = self._cascade.style_of(element, fully=self._page.alone)
        if covers_background(style):
            return None, True
        behind = find_background(style)
        if behind is None and element.tag in _BACKGROUND_TAGS:
            if _has_unknown_legacy_background(element, style):
                return None, True
            behind = self._legacy_colour(
                element, element.get("bgcolor") or "", *_BACKGROUND_PROPERTIES
            )
        if not self._page.alone:
            return behind, may_be_styled(element)
        # Positioned text may be on a background that is not around it in the tree.
        is_positioned = style.get("position", "static") != "static"
        return behind, is_positioned and not self._page.complete

    def _legacy_colour(self, element: Element, value: str, *properties: str) -> Colour | None:
        """Return the colour of an attribute; None if a sheet sets, or may set, its properties."""
        colour = parse_legacy_colour(value)
        if colour is None:
            return None
        if not self._page.alone and (may_be_styled(element) or element.tag == "body"):
            return None
        return None if self._cascade.declares(element, *properties) else colour


def _get_text_attribute(element: Element) -> str:
    """Return the value of the attribute that colours an element's text, or ""."""
    name = _TEXT_ATTRIBUTES.get(element.tag)
    return (element.get(name) or "") if name else ""


def _has_unknown_legacy_background(element: Element, style: Style) -> bool:
    """Return whether attributes set a picture, or an unknown colour that no sheet replaces."""
    if element.get("background"):
        return True
    value = element.get("bgcolor") or ""
    is_unknown = sets_legacy_colour(value) and parse_legacy_colour(value) is None
    return is_unknown and not any(name in style for name in _BACKGROUND_PROPERTIES)


def may_be_styled(element: Element) -> bool:
    """Return whether a sheet that is not loaded is likely to style an element."""
    return bool(element.get("class") or element.get("id"))
