"""Parse selectors of style sheets, and match them with elements of a tree in bounded time.

cssselect2 parses them and tells how specific they are. Its own matching is not used: it turns each
selector into a Python function that goes back and forth among the elements without a bound, and it
refuses a selector with a part that it does not know. Here a selector that asks for a state
(`:hover`), or for what is drawn before and after, matches nothing. Another part that is not known
counts as met, and the selector as not `sure`; one of nothing but such parts matches nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from cssselect2 import parser
from tinycss2 import parse_component_value_list, serialize
from tinycss2.nth import parse_nth

from research_core.web.lxml_types import Element

Token = Any  # nor do tinycss2 and cssselect2
#: The classes and the id of an element, as ".x" and "#y".
Marks = frozenset[str]
Test = Callable[[Element, Marks], bool]
#: How specific a selector is: ids, then classes, attributes and pseudo-classes, then tags.
Weight = tuple[int, int, int]

#: Characters, brackets and combinators of a selector that is parsed, since the parser's time grows
#: with their squares. Of a longer one only the last compound counts, in doubt.
LONGEST, MOST_BRACKETS, MOST_COMBINATORS = 4_000, 20, 60
#: Siblings up to which a position is counted; any element further on fits. And the largest number
#: of a formula.
FURTHEST, LARGEST = 60, 99_999
#: States of a page in use, in which it is not read, and pseudo-elements.
_NEVER = frozenset(
    "hover focus focus-within focus-visible active target target-within visited fullscreen modal"
    " popover-open playing paused seeking buffering stalled muted autofill user-invalid user-valid"
    " indeterminate current past future picture-in-picture before after first-line first-letter"
    " selection placeholder host host-context".split()
)
_VENDORS = ("-moz-", "-ms-", "-webkit-", "-o-")
_OTHER_LISTS = frozenset("matches any -webkit-any -moz-any".split())

_NAME = r"(?>[\w-]|[^\x00-\x7f]|\\[0-9a-f]{1,6}\s?|\\.)++"
_IN_SQUARE_BRACKETS = re.compile(r"\[(?:\"[^\"]{0,300}\"|'[^']{0,300}'|[^\]\"']){0,300}+\]")
_ESCAPED = re.compile(r"\\(?:([0-9a-f]{1,6})\s?|(.))", re.IGNORECASE)
_BREAKS = re.compile(r"\\.|\"[^\"]*\"|'[^']*'|[()\[\],]", re.DOTALL)
_LAST_COMPOUND = re.compile(r"(?<![^\s>+~])[^\s>+~]++\Z")
_MARK = re.compile(rf"[.#]{_NAME}", re.IGNORECASE)
_TAG = re.compile(r"[a-z]\w*", re.IGNORECASE)


class Compound(NamedTuple):
    """What one part of a selector asks of an element.

    keys: an element must have one of these marks or tags, "*" for any element; tag: "" for any;
    sure: whether that is all it asks; work: looks at an element that a match takes.
    """

    keys: tuple[str, ...] = ("*",)
    tag: str = ""
    marks: Marks = frozenset()
    tests: tuple[Test, ...] = ()
    sure: bool = True
    work: int = 1

    @property
    def asks(self) -> bool:
        """Whether it asks for anything that is known."""
        return bool(self.tag or self.marks or self.tests)

    def fits(self, element: Element, marks: Marks) -> bool:
        """Return whether an element with these marks is what is asked for, as far as known."""
        if self.tag and self.tag != element.tag:
            return False
        return self.marks <= marks and all(test(element, marks) for test in self.tests)


#: From the element itself outwards, each with what leads to it: "" the element, " " an ancestor,
#: ">" the parent, "~" a sibling before it, "+" the one right before it.
Steps = tuple[tuple[str, Compound], ...]


class Selector(NamedTuple):
    """A parsed selector.

    steps: empty if it matches nothing; sure: whether all that it asks for is known.
    """

    steps: Steps = ()
    weight: Weight = (0, 0, 0)
    sure: bool = False


NOTHING = Selector()


class Condition(NamedTuple):
    """A part of a compound other than tag, class and id; test: None if nothing of it is known."""

    test: Test | None
    sure: bool = True
    work: int = 1
    keys: tuple[str, ...] = ("*",)


UNKNOWN = Condition(None, sure=False, work=0)

# ---------------------------------------------------------------- selectors as text


def split(selectors: str) -> list[str]:
    """Return the selectors of a list, up to one whose brackets have no end."""
    has_brackets = re.search(r"[(\[\"']", selectors)
    listed = _split_outside_brackets(selectors) if has_brackets else selectors.split(",")
    return [selector.strip() for selector in listed if selector and not selector.isspace()]


def _split_outside_brackets(selectors: str) -> Iterator[str]:
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


def find_rough_key(selector: str) -> str:
    """Return the first mark, else the tag, of the last compound of a selector; "*" without either.

    It is much cheaper than parsing, and few selectors are ever parsed.
    """
    bare = _IN_SQUARE_BRACKETS.sub("", selector).strip()
    last = _LAST_COMPOUND.search(_drop_round_brackets(bare) if "(" in bare else bare)
    if not last:
        return "*"
    if mark := _MARK.search(last[0]):
        return _ESCAPED.sub(_decode_escape, mark[0])
    tag = _TAG.match(last[0])
    return tag[0].lower() if tag else "*"


def _drop_round_brackets(selector: str) -> str:
    outside, depth, start = "", 0, 0
    for found in re.finditer(r"[()]", selector):
        if depth == 0:
            outside += selector[start : found.start()]
        depth = max(0, depth + (1 if found[0] == "(" else -1))
        start = found.end()
    return outside if depth else outside + selector[start:]


def _decode_escape(found: re.Match[str]) -> str:
    return chr(min(int(found[1], 16), 0x10FFFF)) if found[1] else found[2]


# ---------------------------------------------------------------- parsing


def estimate_parsing_cost(selector: str) -> int:
    """Return how long it takes to parse a selector, in comparisons of one with an element."""
    combinators = min(MOST_COMBINATORS // 2, _count_combinators(selector))
    return 5 + min(LONGEST, len(selector)) // 50 + combinators**2 // 10


def _count_combinators(selector: str) -> int:
    return sum(map(selector.count, " >+~"))


@lru_cache(maxsize=4096)
def parse(selector: str) -> Selector:
    """Parse one selector; what is none matches nothing."""
    is_large = selector.count("(") > MOST_BRACKETS or len(selector) > LONGEST
    if is_large or _count_combinators(selector) > MOST_COMBINATORS:
        return _parse_roughly(selector)
    found = _parse_tokens(parse_component_value_list(selector, skip_comments=True))
    if len(found) != 1 or found[0].pseudo_element:
        return NOTHING
    steps = []
    for combinator, part in _list_compound_trees(found[0].parsed_tree):
        compound = _read_compound(part)
        if compound is None or not (compound.asks or compound.sure):
            return NOTHING
        steps.append((combinator, compound))
    sure = all(compound.sure for _, compound in steps)
    return Selector(tuple(steps), found[0].specificity, sure)


def _parse_tokens(tokens: list[Token], *, forgiving: bool = False) -> list[Any]:
    """Return the selectors of a list as cssselect2 has them; none if one is malformed.

    forgiving: skip malformed ones.
    """
    try:
        return list(parser.parse(tokens, forgiving=forgiving))
    except (parser.SelectorError, AttributeError, StopIteration):
        # cssselect2 reads past the end of a selector such as ">|" without a check.
        return []


def _parse_roughly(selector: str) -> Selector:
    """Return the last mark or tag of a selector that takes too long to parse, in doubt."""
    key = find_rough_key(selector)
    if key == "*":
        return NOTHING
    if key.startswith((".", "#")):
        compound = Compound((key,), marks=frozenset([key]), sure=False)
    else:
        compound = Compound((key,), tag=key, sure=False)
    return Selector((("", compound),), (0, 1, 0), sure=False)


def _list_compound_trees(tree: Any) -> list[tuple[str, Any]]:
    """Return the compounds of a selector, from the last outwards, each with what leads to it."""
    parts, combinator = [], ""
    while isinstance(tree, parser.CombinedSelector):
        parts.append((combinator, tree.right))
        combinator, tree = tree.combinator, tree.left
    return [*parts, (combinator, tree)]


def _read_compound(tree: Any) -> Compound | None:
    """Return what one compound asks for; None if no element can meet it."""
    tag = ""
    marks: set[str] = set()
    conditions: list[Condition] = []
    for part in tree.simple_selectors:
        if isinstance(part, parser.LocalNameSelector):
            tag = part.lower_local_name
        elif isinstance(part, parser.ClassSelector):
            marks.add(f".{part.class_name}")
        elif isinstance(part, parser.IDSelector):
            marks.add(f"#{part.ident}")
        else:
            condition = _read_condition(part)
            if condition is None:
                return None
            conditions.append(condition)
    keys: tuple[str, ...] = ("*",)
    if marks or tag:
        keys = (min(marks, default=tag),)
    elif conditions:
        keys = min((each.keys for each in conditions), key=lambda found: ("*" in found, found))
    return Compound(
        keys,
        tag,
        frozenset(marks),
        tuple(condition.test for condition in conditions if condition.test),
        all(condition.sure for condition in conditions),
        1 + sum(condition.work for condition in conditions),
    )


def _read_condition(part: Any) -> Condition | None:
    """Return what another part of a compound asks for; None if no element can meet it."""
    name = str(getattr(part, "name", "")).lower()
    if isinstance(part, parser.AttributeSelector):
        return UNKNOWN if part.namespace else Condition(_build_attribute_test(part))
    if isinstance(part, parser.NegationSelector):
        return _build_negation(part.selector_list)
    if isinstance(part, parser.MatchesAnySelector | parser.SpecificityAdjustmentSelector):
        return _build_alternatives(part.selector_list)
    is_function = isinstance(part, parser.FunctionalPseudoClassSelector)
    if is_function and name in _OTHER_LISTS:
        return _build_alternatives(_parse_tokens(part.arguments, forgiving=True))
    if name in _NEVER or name.startswith(_VENDORS):
        return None
    if is_function:
        return _build_functional_condition(name, part.arguments)
    return _PSEUDO_CLASSES.get(name, UNKNOWN)


def _build_negation(listed: Iterable[Any]) -> Condition:
    """Return the condition that none of the selectors fits."""
    # An alternative in doubt, or one that depends on other elements, may fit or not.
    found = [(compound, alone) for compound, alone in _read_list(listed)]
    excluded = [compound for compound, alone in found if alone and compound.sure]
    sure = len(excluded) == len(found)
    if not excluded:
        return UNKNOWN._replace(sure=sure)

    def test(element: Element, marks: Marks) -> bool:
        return not any(compound.fits(element, marks) for compound in excluded)

    return Condition(test, sure, sum(compound.work for compound in excluded))


def _build_alternatives(listed: Iterable[Any]) -> Condition | None:
    """Return the condition that one of the selectors fits.

    One that also depends on other elements counts for what it asks of the element itself.
    """
    found = list(_read_list(listed))
    if not found:
        return None
    compounds = [compound for compound, _ in found]
    sure = all(alone and compound.sure for compound, alone in found)
    if not all(compound.asks for compound in compounds):
        return UNKNOWN._replace(sure=sure)

    def test(element: Element, marks: Marks) -> bool:
        return any(compound.fits(element, marks) for compound in compounds)

    keys = tuple(dict.fromkeys(key for compound in compounds for key in compound.keys))
    return Condition(test, sure, sum(compound.work for compound in compounds), keys)


def _read_list(listed: Iterable[Any]) -> Iterator[tuple[Compound, bool]]:
    """Yield the last compound of each selector, and whether it is the only one."""
    for selector in listed:
        if selector.pseudo_element is not None:
            continue
        parts = _list_compound_trees(selector.parsed_tree)
        compound = _read_compound(parts[0][1])
        if compound is not None:
            yield compound, len(parts) == 1


# ---------------------------------------------------------------- attributes


_OPERATORS: dict[str, Callable[[str, str], bool]] = {
    "=": lambda given, value: given == value,
    "~=": lambda given, value: value in given.split(),
    "^=": lambda given, value: bool(value) and given.startswith(value),
    "$=": lambda given, value: bool(value) and given.endswith(value),
    "*=": lambda given, value: bool(value) and value in given,
    "|=": lambda given, value: given == value or given.startswith(f"{value}-"),
}


def _build_attribute_test(part: Any) -> Test:
    name = part.lower_name
    if not part.operator:
        return lambda element, _: element.get(name) is not None
    holds = _OPERATORS[part.operator]
    folds = part.case_sensitive is False
    value = (part.value or "").lower() if folds else part.value or ""

    def test(element: Element, _: Marks) -> bool:
        given = element.get(name)
        return given is not None and holds(given.lower() if folds else given, value)

    return test


# ---------------------------------------------------------------- pseudo-classes


#: The siblings that are counted for the position of an element.
_SIBLINGS: dict[str, Callable[[Element], Iterable[Element]]] = {
    "child": lambda element: element.itersiblings("*", preceding=True),
    "last-child": lambda element: element.itersiblings("*"),
    "of-type": lambda element: element.itersiblings(element.tag, preceding=True),
    "last-of-type": lambda element: element.itersiblings(element.tag),
}


def _build_functional_condition(name: str, arguments: list[Token]) -> Condition:
    if name in ("lang", "dir"):
        value = re.sub("[\"'\\s]", "", serialize(arguments)).lower()
        return Condition(
            _build_language_test(value) if name == "lang" else _build_direction_test(value)
        )
    kind = name.removeprefix("nth-")
    formula = parse_nth(arguments) if name.startswith("nth-") and kind in _SIBLINGS else None
    if not formula or max(map(abs, formula)) > LARGEST:
        return UNKNOWN
    return _build_position_condition(kind, *formula)


def _build_position_condition(kind: str, step: int, first: int) -> Condition:
    """Return the condition to stand at step * n + first for an n from 0 on, counted from 1."""
    siblings = _SIBLINGS[kind]
    most = FURTHEST if step else max(0, min(FURTHEST, first))

    def test(element: Element, _: Marks) -> bool:
        at = 1 + sum(1 for _ in islice(siblings(element), most))
        if not step:
            return at == first
        if at > FURTHEST:
            return True
        return (at - first) % step == 0 and (at - first) // step >= 0

    return Condition(test, work=2 + (FURTHEST if step else min(FURTHEST, first)) // 8)


def _build_language_test(wanted: str) -> Test:
    """Test the language of an element's text: "en-gb" is "en"."""
    languages = [f"{language}-" for language in wanted.split(",")[:FURTHEST] if language]

    def test(element: Element, _: Marks) -> bool:
        language = _find_inherited_attribute(element, "lang").lower()
        return bool(language) and any(map(f"{language}-".startswith, languages))

    return test


def _build_direction_test(wanted: str) -> Test:
    return lambda element, _: (_find_inherited_attribute(element, "dir") or "ltr").lower() == wanted


def _find_inherited_attribute(element: Element, name: str) -> str:
    for each in (element, *element.iterancestors()):
        if value := each.get(name):
            return str(value)
    return ""


def _has_attribute(*names: str) -> Condition:
    return Condition(lambda element, _: any(element.get(name) is not None for name in names))


def _is_only_of_type(element: Element, _: Marks) -> bool:
    before = element.itersiblings(element.tag, preceding=True)
    after = element.itersiblings(element.tag)
    return next(before, None) is None and next(after, None) is None


_ROOT = Condition(lambda element, _: element.getparent() is None)
_PSEUDO_CLASSES = {
    "first-child": _build_position_condition("child", 0, 1),
    "last-child": _build_position_condition("last-child", 0, 1),
    "first-of-type": _build_position_condition("of-type", 0, 1),
    "last-of-type": _build_position_condition("last-of-type", 0, 1),
    "only-child": Condition(
        lambda element, _: element.getprevious() is None and element.getnext() is None
    ),
    "only-of-type": Condition(_is_only_of_type),
    "root": _ROOT,
    "scope": _ROOT,
    "empty": Condition(lambda element, _: not len(element) and not element.text),
    "checked": _has_attribute("checked", "selected"),
    "disabled": _has_attribute("disabled"),
    "required": _has_attribute("required"),
    "open": _has_attribute("open"),
    "link": _has_attribute("href"),
    "any-link": _has_attribute("href"),
    "defined": Condition(lambda _, __: True),
}

# ---------------------------------------------------------------- matching

#: Looks at elements that are made for one page.
MOST_COMPARISONS = 200_000
#: Elements that a selector looks at upwards, or back; and marks around an element that are kept.
HIGHEST, MOST_MARKS = 60, 200


class Matcher:
    """Match the selectors of one page with its elements, up to `MOST_COMPARISONS`."""

    def __init__(self, *, quirky: bool) -> None:
        self._quirky = quirky
        self._left = MOST_COMPARISONS
        self._selectors: dict[str, Selector] = {}
        self._marks: dict[Element, Marks] = {}
        self._marks_around: dict[Element, Marks | None] = {}

    @property
    def is_spent(self) -> bool:
        """Whether no more comparisons are made, so that nothing fits any longer."""
        return self._left <= 0

    def spend(self, comparisons: int) -> None:
        self._left -= comparisons

    def parse(self, selector: str) -> Selector:
        """Parse a selector, at a cost for the first time."""
        if selector not in self._selectors:
            self._left -= estimate_parsing_cost(selector)
            self._selectors[selector] = parse(selector)
        return self._selectors[selector]

    def marks(self, element: Element) -> Marks:
        if element not in self._marks:
            names = (element.get("class") or "").split()
            marks = {f".{name}" for name in names}
            if element.get("id"):
                marks.add(f"#{element.get('id')}")
            self._marks[element] = frozenset(map(str.lower, marks) if self._quirky else marks)
        return self._marks[element]

    def fits(self, element: Element, steps: Steps) -> bool:
        """Return whether a selector fits; outwards, only the nearest element that fits is tried."""
        self._left -= 1
        if self._left <= 0 or not self._may_fit_around(element, steps):
            return False
        around = element
        for combinator, compound in steps:
            around = self._nearest_fitting(around, combinator, compound)
            if around is None:
                return False
        return True

    def _nearest_fitting(
        self, element: Element, combinator: str, compound: Compound
    ) -> Element | None:
        around = _step_outwards(element, combinator)
        for _ in range(HIGHEST if combinator in (" ", "~") else 0):
            if around is None or self._compound_fits(around, compound):
                return around
            around = _step_outwards(around, combinator)
        if around is None or not self._compound_fits(around, compound):
            return None
        return around

    def _compound_fits(self, element: Element, compound: Compound) -> bool:
        self._left -= compound.work
        return self._left > 0 and compound.fits(element, self.marks(element))

    def _may_fit_around(self, element: Element, steps: Steps) -> bool:
        """Return whether the ancestors have all marks asked for, in whatever order.

        A quick check that spares most walks up the tree.
        """
        above = self._ancestor_marks(element) if len(steps) > 1 else None
        if above is None:
            return True
        outer = (compound for combinator, compound in steps[1:] if combinator in (" ", ">"))
        return all(compound.marks <= above for compound in outer)

    def _ancestor_marks(self, element: Element) -> Marks | None:
        """Return the marks of all ancestors; None if they are too many to be kept."""
        parent = element.getparent()
        if parent is None:
            return frozenset()
        if parent not in self._marks_around:
            above = self._ancestor_marks(parent)
            own = self.marks(parent)
            if above is not None and own:
                above = above | own if len(above) <= MOST_MARKS else None
            self._marks_around[parent] = above
        return self._marks_around[parent]


def _step_outwards(element: Element, combinator: str) -> Element | None:
    if not combinator:
        return element
    return element.getparent() if combinator in (" ", ">") else element.getprevious()
