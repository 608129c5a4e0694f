"""Pseudo-classes: where an element stands among others, and what it says of itself besides its
class. It parses no selector.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice
from typing import Any, NamedTuple

from tinycss2 import serialize
from tinycss2.nth import parse_nth

Element = Any  # lxml ships no types
Token = Any  # nor does tinycss2

#: Siblings up to which a place is counted; what is further on counts as fitting.
FURTHEST = 60
#: No larger number is worth counting to.
LARGEST = 99_999


class Place(NamedTuple):
    """kind: of `_KINDS`, or of `_SAID`, with what it asks for. It stands at step * n + first for an
    n from 0 on, counted from 1.
    """

    kind: str
    step: int = 0
    first: int = 0
    value: str = ""

    @property
    def work(self) -> int:
        """How many looks at an element it takes."""
        return (
            1
            if self.kind in _SAID
            else 2 + min(FURTHEST, self.first if not self.step else FURTHEST) // 8
        )


#: How the elements are found that stand before one, as far as they count.
_KINDS: dict[str, Callable[[Element], Any]] = {
    "child": lambda element: element.itersiblings("*", preceding=True),
    "last-child": lambda element: element.itersiblings("*"),
    "of-type": lambda element: element.itersiblings(element.tag, preceding=True),
    "last-of-type": lambda element: element.itersiblings(element.tag),
}
_SAID: dict[str, Callable[[Element, str], bool]] = {
    "root": lambda element, _: element.getparent() is None,
    "has": lambda element, name: any(element.get(one) is not None for one in name.split()),
    "lang": lambda element, value: _speaks(_inherited(element, "lang", "").lower(), value),
    "dir": lambda element, value: _inherited(element, "dir", "ltr").lower() == value,
    "only-child": lambda element, _: element.getprevious() is None and element.getnext() is None,
    "only-of-type": lambda element, _: (
        not any(
            next(element.itersiblings(element.tag, preceding=way), None) is not None
            for way in (True, False)
        )
    ),
    "defined": lambda _, __: True,
    "empty": lambda element, _: not len(element) and not element.text,
}
_PLAIN: dict[str, Place] = {
    "first-child": Place("child", 0, 1), "last-child": Place("last-child", 0, 1),
    "first-of-type": Place("of-type", 0, 1),
    "last-of-type": Place("last-of-type", 0, 1), "root": Place("root"), "scope": Place("root"),
    "empty": Place("empty"),
    "checked": Place("has", value="checked selected"), "disabled": Place("has", value="disabled"),
    "required": Place("has", value="required"), "open": Place("has", value="open"),
    "link": Place("has", value="href"),
    "only-child": Place("only-child"), "only-of-type": Place("only-of-type"),
    "any-link": Place("has", value="href"), "defined": Place("defined"),
}  # fmt: skip


def place(name: str, arguments: list[Token] | None = None) -> Place | None:
    """The place that a pseudo-class asks for; None where it is not known. arguments: what stands in
    its brackets, None without any.
    """
    if arguments is None:
        return _PLAIN.get(name)
    if name in ("lang", "dir"):
        return Place(name, value=re.sub("[\"'\\s]", "", serialize(arguments)).lower())
    kind = name.removeprefix("nth-")
    formula = parse_nth(arguments) if name.startswith("nth-") and kind in _KINDS else None
    return Place(kind, *formula) if formula and max(map(abs, formula)) <= LARGEST else None


def stands(element: Element, wanted: Place) -> bool:
    """Whether an element is in this place, as far as that is counted."""
    if wanted.kind in _SAID:
        return _SAID[wanted.kind](element, wanted.value)
    at = 1 + sum(
        1
        for _ in islice(
            _KINDS[wanted.kind](element),
            FURTHEST if wanted.step else max(0, min(FURTHEST, wanted.first)),
        )
    )
    if not wanted.step:
        return at == wanted.first
    return at > FURTHEST or (
        (at - wanted.first) % wanted.step == 0 and (at - wanted.first) // wanted.step >= 0
    )


def _speaks(language: str, wanted: str) -> bool:
    """Whether a language is one of a list, or a kind of one: "en-gb" is "en"."""
    return bool(language) and any(
        f"{language}-".startswith(f"{one}-") for one in wanted.split(",")[:FURTHEST] if one
    )


def _inherited(element: Element, name: str, otherwise: str) -> str:
    return next(
        (value for one in (element, *element.iterancestors()) if (value := one.get(name))),
        otherwise,
    )
