"""The colour of a page's text and of what lies behind it: whether an element's text can be told
from its ground.

Asked are the rules of the page (`sheets`), and the attributes of old (`text`, `bgcolor`, `color`)
as the weakest of them: whatever a sheet says of the same element wins. The colours of links
(`link`, `vlink`) are not known here. It takes nothing out.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from research_core.web.css.sheets import Sheets
from research_core.web.css.styles import Style, background, covers, declarations
from research_core.web.css.values import Colour, alike, colour, legacy_colour, says_colour

Element = Any  # lxml ships no types

WHITE: Colour = (255, 255, 255)
BLACK: Colour = (0, 0, 0)
#: The attribute that colours the text of an element, and the elements that `bgcolor` and
#: `background` put something behind.
_INKS = {"body": "text", "font": "color"}
_PUT_BEHIND = ("background", "background-color")
_GROUNDS = frozenset("body table thead tbody tfoot tr td th".split())
#: Elements to which a browser gives a colour of its own.
_COLOURED = frozenset("a mark button dialog input legend".split())


class Colours:
    """Those of one page, as far as they were looked at; what is in a sheet that the page loads is
    not known.
    """

    def __init__(self, sheets: Sheets) -> None:
        self._sheets = sheets
        self._grounds: dict[Element, tuple[Colour | None, bool]] = {}
        self._inks: dict[Element, tuple[Colour | None, bool]] = {}

    def blends(self, element: Element, style: Style) -> bool:
        """Whether the element's own colour is that of what lies behind it: the nearest background
        that is known.

        That is a white page, where the page says all of its style itself; where it does not, white
        text may stand on anything.
        """
        said = (
            style.get("color")
            if self._sheets.alone
            else declarations(element.get("style") or "").get("color")
        )
        ink = colour(said) if said else self._of_old(element, _INKS.get(element.tag, ""), "color")
        return ink is not None and alike(ink, self._behind(element))

    def swallows(self, element: Element, style: Style) -> bool:
        """Whether an element puts behind its text the colour that this text has from further out,
        or has by itself in a `body`.

        style: as the page's sheets have it, or what of it could hide something. Only of a page that
        says all of its style itself.
        """
        is_body = element.tag == "body"
        put = background(style) or legacy_colour(element.get("bgcolor") or "")
        if not self._sheets.alone or not (
            element.get("text") or element.get("bgcolor") if is_body else put
        ):
            return False
        if not is_body and not alike(
            self._ink_around(element), put
        ):  # as of most: nothing more has to be asked
            return False
        return alike(self._ink(element), self._behind(element)) and (
            is_body or not self._own_ink(element)[1]
        )

    def inside(self, element: Element) -> Iterator[Element]:
        """An element, and all inside it up to what has a colour or a background of its own."""
        inside = [element]
        while inside:
            around = inside.pop()
            yield around
            for child in reversed(around):
                if (
                    isinstance(child.tag, str)
                    and not self._own_ink(child)[1]
                    and self._own_ground(child) == (None, False)
                ):
                    inside.append(child)

    # ---------------------------------------------------------------- text

    def _ink(self, element: Element) -> Colour | None:
        """The colour of the text that stands in an element; None where it is not known."""
        ink, said = self._own_ink(element)
        return ink if said else self._ink_around(element)

    def _ink_around(self, element: Element) -> Colour | None:
        """The colour that an element takes from around it; a table takes it from the page, as of
        old.
        """
        from_page = False
        for inner, around in pairwise((element, *element.iterancestors())):
            from_page |= self._sheets.quirky and inner.tag == "table"
            ink, said = (
                self._own_ink(around)
                if not from_page or around.tag in ("body", "html")
                else (None, False)
            )
            if said:
                return ink
        return BLACK if self._sheets.complete else None

    def _own_ink(self, element: Element) -> tuple[Colour | None, bool]:
        """The colour that an element gives to its text, None where it is not known; and whether it
        gives it any.
        """
        if element not in self._inks:
            said = self._sheets.of(element, fully=True).get("color")
            ink = (
                colour(said) if said else self._of_old(element, _INKS.get(element.tag, ""), "color")
            )
            given = (
                ink is not None or element.tag in _COLOURED or self._sheets.says(element, "color")
            )
            given = given or (
                element.tag in _INKS and says_colour(element.get(_INKS[element.tag]) or "")
            )
            self._inks[element] = ink, given
        return self._inks[element]

    # ---------------------------------------------------------------- what lies behind

    def _behind(self, element: Element) -> Colour | None:
        return next(self._backgrounds(element), WHITE if self._sheets.complete else None)

    def _backgrounds(self, element: Element) -> Iterator[Colour | None]:
        """Those that are known, outwards; None from where another sheet may give one, or a picture
        lies, or the text may lie elsewhere.
        """
        for around in (element, *element.iterancestors()):
            behind, unknown = self._own_ground(around)
            if behind is not None or unknown:
                yield behind

    def _own_ground(self, element: Element) -> tuple[Colour | None, bool]:
        """The colour that an element puts behind its text, and whether it may put there what is not
        known.
        """
        if element not in self._grounds:
            self._grounds[element] = self._ground(element)
        return self._grounds[element]

    def _ground(self, element: Element) -> tuple[Colour | None, bool]:
        sheets = self._sheets
        style = sheets.of(element, fully=sheets.alone)
        behind = background(style)
        if covers(style) or (
            element.tag in _GROUNDS and behind is None and _covers_as_of_old(element, style)
        ):
            return None, True
        if element.tag in _GROUNDS and behind is None:
            behind = self._of_old(element, "bgcolor", *_PUT_BEHIND)
        if not sheets.alone:
            return behind, named(element)
        return behind, not sheets.complete and style.get("position", "static") != "static"

    def _of_old(self, element: Element, attribute: str, *properties: str) -> Colour | None:
        """The colour in an attribute of old; None where a sheet says one of the properties that it
        stands for, or may say it.
        """
        found = legacy_colour(element.get(attribute) or "") if attribute else None
        if found is None or (not self._sheets.alone and (named(element) or element.tag == "body")):
            return None
        return None if self._sheets.says(element, *properties) else found


def _covers_as_of_old(element: Element, style: Style) -> bool:
    """Whether its attributes put a picture behind its text, or a colour whose name is not known and
    of which no sheet says another.
    """
    said = element.get("bgcolor") or ""
    unknown = says_colour(said) and legacy_colour(said) is None
    return bool(element.get("background")) or (
        unknown and not any(name in style for name in _PUT_BEHIND)
    )


def named(element: Element) -> bool:
    """Whether a sheet is likely to style it."""
    return bool(element.get("class") or element.get("id"))
