"""Selectors of style sheets: what they ask of an element, and whether an element of a tree is that.

cssselect2 parses them and tells how specific they are. Its own matching is not used: it turns each
selector into a Python function that goes back and forth among the elements without a bound, and it
refuses a selector with a part that it does not know. Here a selector that asks for a state
(`:hover`), or for what is drawn before and after, asks for nothing. Another part that is not known
counts as given, and the selector as not `sure`; where nothing but that is asked, it asks for
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from cssselect2 import parser
from tinycss2 import parse_component_value_list

from research_core.web.css.pseudo_classes import Place, place, stands

Element = Any  # lxml ships no types
Token = Any  # nor do tinycss2 and cssselect2
T = TypeVar("T")
#: How specific a selector is: ids, then classes, attributes and places, then tags.
Weight = tuple[int, int, int]

#: How deep brackets may stand in one another, and parts of a selector that are looked at, the last
#: ones: no tree is deeper.
DEEPEST, MOST_STEPS = 20, 30
#: Characters of a selector that is read; of a longer one only the last part counts, and not for
#: sure.
LONGEST = 4_000
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
_ESCAPED = re.compile(r"\\(?:([0-9a-f]{1,6})\s?|(.))", re.IGNORECASE)
_BREAKS = re.compile(r"\\.|\"[^\"]*\"|'[^']*'|[()\[\],]", re.DOTALL)
_BRACKETED, _LAST = re.compile(_BRACKETS), re.compile(r"(?<![^\s>+~])[^\s>+~]++\Z")
_MARK, _TAG = re.compile(rf"[.#]{_NAME}", re.IGNORECASE), re.compile(r"[a-z]\w*", re.IGNORECASE)
_OTHER_LISTS = frozenset("matches any -webkit-any -moz-any".split())


class Simple(NamedTuple):
    """What an element must be: its tag ("" for any), its marks (".x" and "#y"), its attributes, its
    place, and what it must not be.

    either: of each of these lists it must be one. sure: whether that is all that is asked. work:
    how many looks at an element it takes to tell.
    """

    tag: str = ""
    marks: frozenset[str] = frozenset()
    attributes: tuple[tuple[str, str, str], ...] = ()
    places: tuple[Place, ...] = ()
    never: tuple[Simple, ...] = ()
    either: tuple[tuple[Simple, ...], ...] = ()
    sure: bool = True
    work: int = 1

    @property
    def asks(self) -> bool:
        """Whether it asks for anything that is known."""
        return bool(
            self.tag or self.marks or self.attributes or self.places or self.never or self.either
        )


#: From the element itself outwards, each with what leads to it: "" the element, " " an ancestor,
#: ">" the parent, "~" a sibling before it, "+" the one right before it.
Steps = tuple[tuple[str, Simple], ...]


class Selector(NamedTuple):
    """steps: none where it asks for nothing that an element of a page that is read can be. sure:
    whether all that it asks for is known.
    """

    steps: Steps = ()
    weight: Weight = (0, 0, 0)
    sure: bool = False


NOTHING = Selector()


def split(selectors: str) -> list[str]:
    """The selectors of a list; commas inside brackets or quotation marks part nothing."""
    listed = _listed(selectors) if re.search(r"[(\[\"']", selectors) else selectors.split(",")
    return [found.strip() for found in listed if not found.isspace() and found]


def _listed(selectors: str) -> Iterator[str]:
    """Those of a list up to one whose brackets have no end."""
    depth, start = 0, 0
    for found in _BREAKS.finditer(selectors):
        if found[0] in ("(", "["):
            depth += 1
        elif found[0] in (")", "]"):
            depth -= 1
        elif found[0] == "," and depth == 0:
            yield selectors[start : found.start()]
            start = found.end()
    if depth == 0:
        yield selectors[start:]


def key(selector: str) -> str:
    """The first mark, else the tag, of the last part of a selector; "*" where it names neither.
    Cheaper than its steps.
    """
    bare = _BRACKETED.sub("", selector).strip()
    last = _LAST.search(_without_brackets(bare) if "(" in bare else bare)
    mark, tag = (_MARK.search(last[0]), _TAG.match(last[0])) if last else (None, None)
    return _plain(mark[0]) if mark else tag[0].lower() if tag else "*"


def _without_brackets(selector: str) -> str:
    """Leave out what stands in brackets, however deep."""
    outside, depth, start = "", 0, 0
    for found in re.finditer(r"[()]", selector):
        if depth == 0:
            outside += selector[start : found.start()]
        depth = max(0, depth + (1 if found[0] == "(" else -1))
        start = found.end()
    return outside if depth else outside + selector[start:]


def _plain(name: str) -> str:
    return _ESCAPED.sub(
        lambda found: chr(min(int(found[1], 16), 0x10FFFF)) if found[1] else found[2], name
    )


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


# ---------------------------------------------------------------- reading one


def cost(selector: str) -> int:
    """How long it takes to read a selector, compared with matching one: the parser's time grows
    with the square of its steps.
    """
    steps = min(MOST_STEPS, sum(map(selector.count, " >+~")))
    return 5 + min(LONGEST, len(selector)) // 50 + steps**2 // 10


@lru_cache(maxsize=4096)
def read(selector: str) -> Selector:
    """Read one selector. Of one with very many steps the last are read; one that is no selector
    asks for nothing.
    """
    if len(selector) > LONGEST or _is_deep(selector):
        return _in_doubt(selector)
    try:
        found = list(
            parser.parse(_last_steps(parse_component_value_list(selector, skip_comments=True)))
        )
    except (parser.SelectorError, AttributeError, StopIteration):
        # cssselect2 reads past the end of a selector such as ">|" without a check.
        return NOTHING
    if len(found) != 1 or found[0].pseudo_element:
        return NOTHING
    parts = _parts(found[0].parsed_tree)
    steps = [(how, simple) for how, part in parts if (simple := _simple(part))]
    if len(steps) < len(parts) or not all(simple.asks or simple.sure for _, simple in steps):
        return NOTHING
    return Selector(tuple(steps), found[0].specificity, all(simple.sure for _, simple in steps))


def _in_doubt(selector: str) -> Selector:
    """What is known of a selector that takes too long to read: the first mark or tag of its last
    part.
    """
    known = key(selector)
    if known == "*":
        return NOTHING
    is_mark = known.startswith((".", "#"))
    simple = Simple(marks=frozenset([known]), sure=False) if is_mark else Simple(known, sure=False)
    return Selector((("", simple),), (0, 1, 0), sure=False)


def _is_deep(selector: str) -> bool:
    """Whether its brackets stand too deep in one another, those in quotation marks included."""
    depth = 0
    for mark in re.findall(r"[()]", selector) if selector.count("(") > DEEPEST else ():
        depth += 1 if mark == "(" else -1
        if depth > DEEPEST:
            return True
    return False


def _last_steps(tokens: list[Token]) -> list[Token]:
    """Cut a selector of more steps than are looked at; the parser's time grows with their square."""
    ways = [
        at
        for at, token in enumerate(tokens)
        if token.type == "whitespace" or token in (">", "+", "~")
    ]
    if len(ways) <= 2 * MOST_STEPS:
        return tokens
    rest = tokens[ways[-MOST_STEPS] :]
    while rest and (rest[0].type == "whitespace" or rest[0] in (">", "+", "~")):
        rest.pop(0)
    return rest


def _parts(tree: Any) -> list[tuple[str, Any]]:
    """The compound selectors of one, from the last outwards, each with what leads to it."""
    parts, how = [], ""
    while isinstance(tree, parser.CombinedSelector):
        parts.append((how, tree.right))
        how, tree = tree.combinator, tree.left
    return [*parts, (how, tree)]


def _simple(compound: Any) -> Simple | None:
    """What one part of a selector asks for; None where no element can be it."""
    tag, sure, work = "", True, 1
    marks, attributes, places = set[str](), list[tuple[str, str, str]](), list[Place]()
    never, either = list[Simple](), list[tuple[Simple, ...]]()
    for asked in compound.simple_selectors:
        name = str(getattr(asked, "name", "")).lower()
        if isinstance(asked, parser.LocalNameSelector):
            tag = asked.lower_local_name
        elif isinstance(asked, parser.ClassSelector):
            marks.add(f".{asked.class_name}")
        elif isinstance(asked, parser.IDSelector):
            marks.add(f"#{asked.ident}")
        elif isinstance(asked, parser.AttributeSelector) and not asked.namespace:
            attributes.append(_attribute(asked))
        elif isinstance(asked, parser.NegationSelector):
            found, known = _alternatives(asked.selector_list)
            never += [one for one in found if one.sure]
            sure &= known and all(one.sure for one in found)
        elif (
            isinstance(asked, parser.MatchesAnySelector | parser.SpecificityAdjustmentSelector)
            or name in _OTHER_LISTS
        ):
            listed = (
                asked.selector_list
                if hasattr(asked, "selector_list")
                else parser.parse(asked.arguments, forgiving=True)
            )
            found, known = _alternatives(listed, cut=True)
            if not found:
                return None
            sure &= known and all(one.sure for one in found)
            either += [found] if all(one.asks for one in found) else []
        elif isinstance(asked, parser.PseudoClassSelector | parser.FunctionalPseudoClassSelector):
            if name in NEVER or name.startswith(("-moz-", "-ms-", "-webkit-", "-o-")):
                return None
            where = place(name, getattr(asked, "arguments", None))
            places += [where] if where else []
            sure &= where is not None
        else:
            sure = False
    work += len(attributes) + sum(where.work for where in places)
    work += sum(one.work for alternatives in (never, *either) for one in alternatives)
    return Simple(
        tag,
        frozenset(marks),
        _each(attributes),
        _each(places),
        _each(never),
        _each(either),
        sure,
        work,
    )


def _alternatives(listed: Iterable[Any], *, cut: bool = False) -> tuple[tuple[Simple, ...], bool]:
    """What the selectors of a list ask of the element itself, and whether that is all of it.

    cut: whether one that also asks something of what lies around is taken for as much of it as is
    asked of the element.
    """
    found, sure = list[Simple](), True
    for one in listed:
        parts = _parts(one.parsed_tree) if one.pseudo_element is None else []
        simple = _simple(parts[0][1]) if parts else None
        if simple is None:
            continue
        sure &= len(parts) == 1
        if len(parts) == 1 or cut:
            found.append(simple)
    return _each(found), sure


def _attribute(asked: Any) -> tuple[str, str, str]:
    folded = asked.case_sensitive is False
    value = asked.value or ""
    return (
        asked.lower_name,
        f"{asked.operator or ''}{'i' * folded}",
        value.lower() if folded else value,
    )


def _each(found: Iterable[T]) -> tuple[T, ...]:
    """Each of them once, in order."""
    return tuple(dict.fromkeys(found))


# ---------------------------------------------------------------- matching one


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
