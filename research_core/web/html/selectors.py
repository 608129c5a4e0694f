"""CSS selectors: what they ask of an element, and whether an element of a tree is that.

It knows tags, classes, ids, attributes, first, last and nth children, `:not()`, children, descendants and siblings. A selector with
anything else in it, such as a state (`:hover`), asks for nothing here: `steps` gives none.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

Element = Any  # lxml ships no types

#: Children up to which a place among them is counted.
FURTHEST = 60

_NAME = r"(?>[\w-]|[^\x00-\x7f]|\\[0-9a-f]{1,6}\s?|\\.)++"
_TEXT = r"\"[^\"]{0,300}\"|'[^']{0,300}'"
_BRACKETS = r"\[[^\]]{0,300}\]|\([^)]{0,300}\)"
_PART = re.compile(
    rf"(?P<tag>\*|{_NAME})|(?P<mark>[.#]{_NAME})|\[\s*(?P<name>[\w-]+)\s*(?:(?P<how>[~^$*|]?=)\s*(?P<value>{_TEXT}|{_NAME})\s*i?\s*)?\]"
    r"|:not\((?P<no>[^()]{0,300})\)|(?P<place>:(?:first|last)-child|:nth-child\(\s*\d{1,4}\s*\))",
    re.IGNORECASE,
)
_ESCAPED = re.compile(r"\\(?:([0-9a-f]{1,6})\s?|(.))", re.IGNORECASE)
_STEP = re.compile(r"\s*([>+~])\s*|\s+")
_EQUALS = re.compile(r"\s*([~^$*|]?=)\s*")
_LIST = re.compile(rf"(?:[^,(\[\"']|{_BRACKETS}|{_TEXT})+")
_BRACKETED, _LAST = re.compile(_BRACKETS), re.compile(r"[^\s>+~]+\Z")
_MARK, _TAG = re.compile(rf"[.#]{_NAME}", re.IGNORECASE), re.compile(r"[a-z]\w*", re.IGNORECASE)


class Simple(NamedTuple):
    """What an element must be: its tag ("" for any), its marks (".x" and "#y"), its attributes, its place, and what it must not be."""

    tag: str
    marks: frozenset[str]
    attributes: tuple[tuple[str, str, str], ...]
    places: tuple[str, ...]
    never: tuple[Simple, ...]


#: From the element itself outwards, each with what leads to it: "" the element, " " an ancestor, ">" the parent, "~" a sibling before it,
#: "+" the one right before it.
Steps = tuple[tuple[str, Simple], ...]


def split(selectors: str) -> list[str]:
    """The selectors of a list; commas inside brackets or quotation marks part nothing."""
    return [found.strip() for found in _LIST.findall(selectors)]


def key(selector: str) -> str:
    """The first mark, else the tag, of the last part of a selector; "*" where it names neither. Cheaper than its steps."""
    last = _LAST.search(_BRACKETED.sub("", selector).strip())
    mark, tag = (_MARK.search(last[0]), _TAG.match(last[0])) if last else (None, None)
    return _plain(mark[0]) if mark else tag[0].lower() if tag else "*"


@lru_cache(maxsize=4096)
def steps(selector: str) -> Steps:
    """The steps of a selector; none where it asks for something that is not known here."""
    parts = _STEP.split(_EQUALS.sub(r"\1", selector))
    simples = [_simple(part) for part in parts[::2]]
    ways = [way or " " for way in parts[1::2]]
    if not all(simples):
        return ()
    return tuple(zip(["", *reversed(ways)], [simple for simple in reversed(simples) if simple], strict=True))


def _simple(text: str, *, nested: bool = False) -> Simple | None:
    """What one part of a selector asks for; None where that is not known here."""
    parts = list(_PART.finditer(text))
    if (
        "".join(part[0] for part in parts) != text
        or any(part["tag"] for part in parts[1:])
        or (nested and any(part["no"] for part in parts))
    ):
        return None
    never = [_simple(part["no"].strip(), nested=True) for part in parts if part["no"] is not None]
    if not parts or not all(never):
        return None
    return Simple(
        tag=(parts[0]["tag"] or "").lower().removeprefix("*"),
        marks=frozenset(_plain(part["mark"]) for part in parts if part["mark"]),
        attributes=tuple(
            (part["name"].lower(), part["how"] or "", _plain((part["value"] or "").strip("\"'"))) for part in parts if part["name"]
        ),
        places=tuple(part["place"].lower().replace(" ", "") for part in parts if part["place"]),
        never=tuple(one for one in never if one),
    )


def _plain(name: str) -> str:
    return _ESCAPED.sub(lambda found: chr(min(int(found[1], 16), 0x10FFFF)) if found[1] else found[2], name)


def weight(steps: Steps) -> tuple[int, int, int]:
    """How specific a selector is: ids, then classes, attributes and places, then tags."""
    every = [simple for _, one in steps for simple in (one, *one.never)]
    ids = sum(mark.startswith("#") for simple in every for mark in simple.marks)
    others = sum(len(simple.marks) + len(simple.attributes) + len(simple.places) for simple in every) - ids
    return ids, others, sum(bool(simple.tag) for simple in every)


def marks(element: Element) -> frozenset[str]:
    """The classes and the id of an element, as ".x" and "#y"."""
    names = frozenset(f".{name}" for name in (element.get("class") or "").split())
    return names | {f"#{element.get('id')}"} if element.get("id") else names


def fits(element: Element, own: frozenset[str], simple: Simple) -> bool:
    """Whether an element, whose marks are `own`, is what is asked for."""
    return (
        (not simple.tag or simple.tag == element.tag)
        and simple.marks <= own
        and all(_holds(element.get(name), how, value) for name, how, value in simple.attributes)
        and all(_stands(element, place) for place in simple.places)
        and not any(fits(element, own, never) for never in simple.never)
    )


_HOW: dict[str, Callable[[str, str], bool]] = {
    "=": lambda given, value: given == value,
    "~=": lambda given, value: value in given.split(),
    "^=": lambda given, value: bool(value) and given.startswith(value),
    "$=": lambda given, value: bool(value) and given.endswith(value),
    "*=": lambda given, value: bool(value) and value in given,
    "|=": lambda given, value: given == value or given.startswith(f"{value}-"),
}


def _holds(given: str | None, how: str, value: str) -> bool:
    return given is not None and (not how or _HOW[how](given, value))


def _stands(element: Element, place: str) -> bool:
    if place == ":last-child":
        return element.getnext() is None
    before = 0 if place == ":first-child" else int(re.findall(r"\d+", place)[0]) - 1
    return before < FURTHEST and sum(1 for _ in zip(element.itersiblings(preceding=True), range(before + 1), strict=False)) == before
