"""CSS selectors: what they ask of an element, and whether an element of a tree is that.

It knows tags, classes, ids, attributes, children, descendants, siblings, `:is()`, `:where()`,
`:not()`, and the pseudo-classes of `places`. One that asks for a state (`:hover`) or for what is
drawn before and after asks for nothing here: `steps` gives none. What else it asks for and is not
known counts as given, and the selector as not `sure`; where nothing but that is asked, it asks for
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from research_core.web.css.pseudo_classes import Place, place, stands

Element = Any  # lxml ships no types
T = TypeVar("T")
#: How specific a selector is: ids, then classes, attributes and places, then tags.
Weight = tuple[int, int, int]

#: How deep one selector may stand in another; deeper ones are taken out of their brackets where
#: they stand there alone, so often.
DEEPEST, MOST_LONE = 4, 20
#: Parts of a selector that are looked at: no tree is deeper.
MOST_STEPS = 300
#: States of a page in use, in which it is not read; and what is no element of it.
NEVER = frozenset(
    "hover focus focus-within focus-visible active target target-within visited fullscreen modal"
    " popover-open playing paused seeking buffering stalled muted autofill user-invalid user-valid"
    " indeterminate current past future picture-in-picture before after first-line first-letter"
    " selection placeholder host host-context".split()
)

_NAME = r"(?>[\w-]|[^\x00-\x7f]|\\[0-9a-f]{1,6}\s?|\\.)++"
_TEXT = r"\"[^\"]{0,300}\"|'[^']{0,300}'"
_ROUND = r"\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*+\))*+\))*+\))*+\)"
_BRACKETS = rf"\[(?:{_TEXT}|[^\]\"']){{0,300}}+\]|{_ROUND}"
_PART = re.compile(
    rf"(?P<tag>\*|{_NAME})|(?P<mark>[.#]{_NAME})"
    rf"|\[\s*(?P<name>[\w-]+)\s*(?:(?P<how>[~^$*|]?=)\s*(?P<value>{_TEXT}|{_NAME})\s*(?P<flag>[is]?)\s*)?\]"
    rf"|(?P<element>::[\w-]+(?:{_ROUND})?)|:(?P<pseudo>[\w-]+)(?P<inside>{_ROUND})?",
    re.IGNORECASE,
)
_ESCAPED = re.compile(r"\\(?:([0-9a-f]{1,6})\s?|(.))", re.IGNORECASE)
#: One part of a selector, or what leads to the next one. Each is matched where the last one ended,
#: so that no text takes longer than its length.
_TOKEN = re.compile(
    rf"\s*+([>+~])\s*+|(\s)\s*+|((?:[^\s>+~\[(\"'\\]|\\.|{_BRACKETS}|{_TEXT})++)", re.DOTALL
)
_LIST = re.compile(rf"(?:[^,(\[\"']|{_BRACKETS}|{_TEXT})*+")
_BRACKETED, _LAST = re.compile(_BRACKETS), re.compile(r"(?<![^\s>+~])[^\s>+~]++\Z")
_MARK, _TAG = re.compile(rf"[.#]{_NAME}", re.IGNORECASE), re.compile(r"[a-z]\w*", re.IGNORECASE)
_LONE = re.compile(
    r":(?:is|where|matches|any|-webkit-any|-moz-any)\(\s*([.#\[][^(),\s>+~]*)\s*\)", re.IGNORECASE
)
_LISTS = frozenset("is where matches any -webkit-any -moz-any".split())


class Simple(NamedTuple):
    """What an element must be: its tag ("" for any), its marks (".x" and "#y"), its attributes, its
    place, and what it must not be.

    either: of each of these lists it must be one. sure: whether that is all that is asked. weight:
    of all it names, as often as it names it. work: how many looks at an element it takes to tell.
    """

    tag: str
    marks: frozenset[str]
    attributes: tuple[tuple[str, str, str], ...]
    places: tuple[Place, ...]
    never: tuple[Simple, ...]
    either: tuple[tuple[Simple, ...], ...]
    sure: bool
    weight: Weight
    work: int


#: From the element itself outwards, each with what leads to it: "" the element, " " an ancestor,
#: ">" the parent, "~" a sibling before it, "+" the one right before it.
Steps = tuple[tuple[str, Simple], ...]


def split(selectors: str) -> list[str]:
    """The selectors of a list; commas inside brackets or quotation marks part nothing."""
    for _ in range(min(selectors.count("(") - DEEPEST, MOST_LONE)):
        selectors = _LONE.sub(r"\1", selectors)
    listed = _listed(selectors) if re.search(r"[(\[\"']", selectors) else selectors.split(",")
    return [found.strip() for found in listed if not found.isspace() and found]


def _listed(selectors: str) -> Iterator[str]:
    """Those of a list up to one whose brackets or quotation marks have no end."""
    at = 0
    while (
        at < len(selectors)
        and (found := _LIST.match(selectors, at))
        and selectors[found.end() : found.end() + 1] in ("", ",")
    ):
        yield found[0]
        at = found.end() + 1


def key(selector: str) -> str:
    """The first mark, else the tag, of the last part of a selector; "*" where it names neither.
    Cheaper than its steps.
    """
    last = _LAST.search(_BRACKETED.sub("", selector).strip())
    mark, tag = (_MARK.search(last[0]), _TAG.match(last[0])) if last else (None, None)
    return _plain(mark[0]) if mark else tag[0].lower() if tag else "*"


@lru_cache(maxsize=4096)
def steps(selector: str, depth: int = 0) -> Steps:
    """The steps of a selector, of one with very many the last; none where it asks for what no
    element of a page that is read can be, or

    is no selector.
    """
    ways, parts, at = [""], list[str](), 0
    while found := _TOKEN.match(selector, at):
        at = found.end()
        way, apart, part = found.groups()
        if bool(part) != (len(ways) > len(parts)):  # two parts in a row, or two ways
            return ()
        parts += [part] if part else []
        ways += [] if part else [way or apart.strip() or " "]
    if at < len(selector) or len(ways) > len(parts):
        return ()
    simples = [simple for part in reversed(parts[-MOST_STEPS:]) if (simple := _simple(part, depth))]
    return (
        tuple(zip(["", *reversed(ways[1:])], simples, strict=False))
        if len(simples) == min(len(parts), MOST_STEPS)
        else ()
    )


def sure(steps: Steps) -> bool:
    """Whether all that a selector asks for is known."""
    return all(simple.sure for _, simple in steps)


def keys(simple: Simple) -> tuple[str, ...]:
    """What an element must have to be this: one of these marks or tags; "*" where any element may
    be.
    """
    if simple.marks or simple.tag:
        return (min(simple.marks, default=simple.tag),)
    lists = [
        tuple(key for one in alternatives for key in keys(one)) for alternatives in simple.either
    ]
    return min(lists, key=lambda found: ("*" in found, found), default=("*",))


def _simple(text: str, depth: int) -> Simple | None:
    """What one part of a selector asks for; None where that is nothing, or no element can be it."""
    parts = list(_PART.finditer(text))
    if (
        not parts
        or depth > DEEPEST
        or "".join(part[0] for part in parts) != text
        or any(part["tag"] for part in parts[1:])
    ):
        return None
    if any(part["element"] or _never(part["pseudo"] or "") for part in parts):
        return None
    lists = [
        _List(part["pseudo"].lower(), part["inside"] or "", depth)
        for part in parts
        if _is_list(part)
    ]
    either = [one.known for one in lists if one.name in _LISTS]
    if not all(either):
        return None
    named = [
        place(part["pseudo"], part["inside"] or "")
        for part in parts
        if part["pseudo"] and not _is_list(part)
    ]
    tag = (parts[0]["tag"] or "").lower().removeprefix("*")
    marks = [_plain(part["mark"]) for part in parts if part["mark"]]
    attributes = [_attribute(part) for part in parts if part["name"]]
    ids = sum(mark.startswith("#") for mark in marks)
    nevers = [never for one in lists if one.name == "not" for never in one.known if never.sure]
    known = _each(found for found in named if found)
    if not (tag or marks or attributes or known or either or nevers or parts[0]["tag"]):
        return None
    weights = [
        (ids, len(marks) + len(attributes) + len(named) - ids, int(bool(tag))),
        *(one.weight for one in lists),
    ]
    return Simple(
        tag,
        frozenset(marks),
        _each(attributes),
        known,
        _each(nevers),
        _each(either),
        sure=all(named)
        and all(one.sure for one in lists)
        and all(each.sure for one in either for each in one),
        weight=_sum(weights),
        work=1
        + len(attributes)
        + sum(found.work for found in known)
        + sum(each.work for one in lists for each in one.known),
    )


def _never(pseudo: str) -> bool:
    name = pseudo.lower()
    return name in NEVER or (
        name.startswith(("-moz-", "-ms-", "-webkit-", "-o-")) and name not in _LISTS
    )


def _known_never(selector: str) -> bool:
    """Whether what asks for nothing does so for what it is known to ask for."""
    return "::" in selector or any(_never(name) for name in re.findall(r":([\w-]+)", selector))


def _is_list(part: re.Match[str]) -> bool:
    return (part["pseudo"] or "").lower() in _LISTS | {"not"}


class _List:
    """The selectors inside `:is()` and the like. known: those an element can be, as far as they are
    one part; sure: whether that is all.
    """

    def __init__(self, name: str, inside: str, depth: int) -> None:
        every = [(each, steps(each, depth + 1)) for each in split(inside[1:-1])]
        found = [one for _, one in every if one]
        self.name = name
        self.known = tuple(one[0][1] for one in found if len(one) == 1 or name != "not")
        self.sure = all(len(one) == 1 if one else _known_never(each) for each, one in every) and (
            name != "not" or all(one.sure for one in self.known)
        )
        self.weight = (0, 0, 0) if name == "where" else max(map(weight, found), default=(0, 0, 0))


def _attribute(part: re.Match[str]) -> tuple[str, str, str]:
    value, folded = _plain((part["value"] or "").strip("\"'")), (part["flag"] or "").lower() == "i"
    return (
        part["name"].lower(),
        f"{part['how'] or ''}{'i' * folded}",
        value.lower() if folded else value,
    )


def _each(found: Iterable[T]) -> tuple[T, ...]:
    """Each of them once, in order."""
    return tuple(dict.fromkeys(found))


def _sum(weights: Iterable[Weight]) -> Weight:
    ids, others, tags = zip(*weights, strict=True)
    return sum(ids), sum(others), sum(tags)


def _plain(name: str) -> str:
    return _ESCAPED.sub(
        lambda found: chr(min(int(found[1], 16), 0x10FFFF)) if found[1] else found[2], name
    )


@lru_cache(maxsize=4096)
def weight(steps: Steps) -> Weight:
    """How specific a selector is."""
    return _sum(simple.weight for _, simple in steps)


def marks(element: Element) -> frozenset[str]:
    """The classes and the id of an element, as ".x" and "#y"."""
    names = frozenset(f".{name}" for name in (element.get("class") or "").split())
    return names | {f"#{element.get('id')}"} if element.get("id") else names


def fits(element: Element, own: frozenset[str], simple: Simple) -> bool:
    """Whether an element, whose marks are `own`, is what is asked for, as far as that is known."""
    return (
        (not simple.tag or simple.tag == element.tag)
        and simple.marks <= own
        and all(_holds(element.get(name), how, value) for name, how, value in simple.attributes)
        and all(
            any(fits(element, own, one) for one in alternatives) for alternatives in simple.either
        )
        and not any(fits(element, own, never) for never in simple.never)
        and all(stands(element, place) for place in simple.places)
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
    if given is None or not how:
        return given is not None
    return _HOW[how.removesuffix("i")](given.lower() if how.endswith("i") else given, value)
