"""CSS selectors: what they ask of an element, and whether an element of a tree is that.

It knows tags, classes, ids, attributes, first, last and nth children, `:not()`, children, descendants and siblings. A selector with
anything else in it, such as a state (`:hover`), asks for nothing here: `steps` gives none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

Element = Any  # lxml ships no types
T = TypeVar("T")
#: How specific a selector is: ids, then classes, attributes and places, then tags.
Weight = tuple[int, int, int]

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
#: One part of a selector, or what leads to the next one. Each is matched where the last one ended, so that no text takes longer than its
#: length.
_TOKEN = re.compile(rf"\s*+([>+~])\s*+|(\s)\s*+|((?:[^\s>+~\[(\"'\\]|\\.|{_BRACKETS}|{_TEXT})++)", re.DOTALL)
_LIST = re.compile(rf"(?:[^,(\[\"']|{_BRACKETS}|{_TEXT})+")
_BRACKETED, _LAST = re.compile(_BRACKETS), re.compile(r"(?<![^\s>+~])[^\s>+~]++\Z")
_MARK, _TAG = re.compile(rf"[.#]{_NAME}", re.IGNORECASE), re.compile(r"[a-z]\w*", re.IGNORECASE)


class Simple(NamedTuple):
    """What an element must be: its tag ("" for any), its marks (".x" and "#y"), its attributes, its place, and what it must not be.

    weight: of all it names, as often as it names it. work: how many looks at an element it takes to tell.
    """

    tag: str
    marks: frozenset[str]
    attributes: tuple[tuple[str, str, str], ...]
    places: tuple[str, ...]
    never: tuple[Simple, ...]
    weight: Weight
    work: int


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
    ways, simples, at = [""], list[Simple](), 0
    while found := _TOKEN.match(selector, at):
        at = found.end()
        way, apart, part = found.groups()
        simple = _simple(part) if part and len(ways) > len(simples) else None
        if simple:
            simples.append(simple)
        elif part or len(ways) > len(simples):
            return ()
        else:
            ways.append(way or apart)
    if at < len(selector) or len(ways) > len(simples):
        return ()
    return tuple(zip(["", *(way.strip() or " " for way in reversed(ways[1:]))], reversed(simples), strict=True))


def _simple(text: str, *, nested: bool = False) -> Simple | None:
    """What one part of a selector asks for; None where that is not known here."""
    parts = list(_PART.finditer(text))
    if (
        "".join(part[0] for part in parts) != text
        or any(part["tag"] for part in parts[1:])
        or (nested and any(part["no"] for part in parts))
    ):
        return None
    nevers = [_simple(part["no"].strip(), nested=True) for part in parts if part["no"] is not None]
    if not parts or not all(nevers):
        return None
    tag = (parts[0]["tag"] or "").lower().removeprefix("*")
    marks = [_plain(part["mark"]) for part in parts if part["mark"]]
    attributes = [(part["name"].lower(), part["how"] or "", _plain((part["value"] or "").strip("\"'"))) for part in parts if part["name"]]
    places = [part["place"].lower().replace(" ", "") for part in parts if part["place"]]
    ids = sum(mark.startswith("#") for mark in marks)
    weights = [(ids, len(marks) + len(attributes) + len(places) - ids, int(bool(tag))), *(never.weight for never in nevers if never)]
    return Simple(
        tag,
        frozenset(marks),
        attributes=_each(attributes),
        places=_each(places),
        never=_each(never for never in nevers if never),
        weight=_sum(weights),
        work=1 + len(set(attributes)) + len(set(nevers)) + sum(1 + _before(place) // 8 for place in set(places)),
    )


def _each(found: Iterable[T]) -> tuple[T, ...]:
    """Each of them once, in order."""
    return tuple(dict.fromkeys(found))


def _sum(weights: Iterable[Weight]) -> Weight:
    ids, others, tags = zip(*weights, strict=True)
    return sum(ids), sum(others), sum(tags)


def _plain(name: str) -> str:
    return _ESCAPED.sub(lambda found: chr(min(int(found[1], 16), 0x10FFFF)) if found[1] else found[2], name)


@lru_cache(maxsize=4096)
def weight(steps: Steps) -> Weight:
    """How specific a selector is."""
    return _sum(simple.weight for _, simple in steps)


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
    before = _before(place)
    return before < FURTHEST and sum(1 for _ in zip(element.itersiblings(preceding=True), range(before + 1), strict=False)) == before


def _before(place: str) -> int:
    """How many siblings have to stand before an element in this place."""
    found = re.search(r"\d+", place)
    return max(0, int(found[0]) - 1) if found else 0
