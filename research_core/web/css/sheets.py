"""The rules of a page's own style sheets, and which of them apply to an element of its tree.

It reads what stands in `style` elements and in the addresses of links, and takes the page to be
shown on a usual screen (`conditions`). It loads no sheet, and passes over rules for states
(`:hover`) and for what is generated (`::before`). A rule whose selector or condition is not wholly
known counts where what is known of it fits, but only if it hides: what may apply takes nothing back
that another rule hides. Its work is bounded: of a page that brings more rules and elements than can
be matched, what a rule could hide counts as hidden at last.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import unquote

from research_core.web.css import conditions, selectors
from research_core.web.css.animations import STATE, STILL, Animations, longhands
from research_core.web.css.conditions import Verdict
from research_core.web.css.selectors import Selector, Simple, Steps, Weight
from research_core.web.css.styles import (
    LONGEST_VALUE,
    RELEVANT,
    Style,
    by_importance,
    could_hide,
    declarations,
    without_comments,
)
from research_core.web.css.values import worked_out

Element = Any  # lxml ships no types

#: Rules that bear on being seen which are kept of a page, and comparisons of a rule with an element
#: that are made for it.
MOST_RULES, MOST_COMPARISONS = 20_000, 200_000
MOST_MARKS = 200
#: How far up, or back, a selector looks.
HIGHEST = 60

_ELSEWHERE = re.compile(
    r"@import|url\(|gradient\(|(?:color|background[\w-]*+)\s*+:[^;{}]*var\(", re.IGNORECASE
)
#: What a declaration holds that could keep text out of sight, roughly; most hold nothing of the
#: kind.
_HINT = re.compile(
    r"none|hidden|collapse|opacity|clip|indent|transparent|rgba|hsla|#|font|scale|translate|matrix|color|mask|zoom|rotate|var\(|calc\(|\\"
    r"|(?<![a-z-])(?:left|right|top|bottom|inset|margin[\w-]*+)\s*:[^;:]*\d{2}|(?:width|height)\s*:\s*[+-]?[01.]",
    re.IGNORECASE,
)
_DATA = re.compile(r"\s*data:[^,;]*(?:;charset=[^,;]*)?(;base64)?,", re.IGNORECASE)
#: What of a selector asks nothing of attributes, whose values keep their case.
_NAMES = re.compile(r"(?:^|\])[^\[]++")
_CUSTOM = re.compile(r"(--[\w-]+)\s*:\s*([^;{}]+)")
_VAR = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,((?:[^()]|\([^()]*\))*))?\)")
#: What a value is taken to come to, at most; the comparisons that a try of one stands for; and
#: names, and rules, in one another.
MOST_VALUES, COST_OF_TRY, DEEPEST = 200, 5, 4
#: Selectors that one selector inside others makes, and characters of one.
MOST_NESTED, LONGEST = 50, 2_000


class Rule(NamedTuple):
    """order: its place in the sheets; selector: one of those it has; body: its declarations, taken
    apart when they are wanted.

    sure: whether it is known to apply.
    """

    order: int
    selector: str
    body: str
    sure: bool = True

    @property
    def said(self) -> tuple[Style, Style]:
        """What it declares, and what it declares as important, of the properties that bear on being
        seen.

        The colour that a page gives to all elements of a tag is not taken: where parts of the page
        are dark, scripts see to it.
        """
        normal, important = _said(self.body)
        return (
            (normal, important)
            if re.search("[.#]", self.selector)
            else (_without_colour(normal), _without_colour(important))
        )


@lru_cache(maxsize=4096)
def _said(body: str) -> tuple[Style, Style]:
    normal, important = (
        {name: value for name, value in style.items() if name in RELEVANT or name.startswith("--")}
        for style in by_importance(body)
    )
    return normal, important


def _without_colour(style: Style) -> Style:
    return {name: value for name, value in style.items() if name != "color"}


def _onward(element: Element, how: str) -> Element | None:
    return element.getparent() if how in (" ", ">") else element.getprevious()


class Sheets:
    """The rules of one page. of(element) is the style that they and the element's own attribute
    give it.

    alone: whether it loads no other sheets. complete: whether the colours of the page are known
    from its rules; not where it loads other sheets, or pictures that lie behind its text. quirky:
    whether browsers read the page as those of old did.
    """

    def __init__(self, tree: Element) -> None:
        linked = {
            link for link in tree.iter("link") if "stylesheet" in (link.get("rel") or "").lower()
        }
        self.alone = all(_DATA.match(link.get("href") or "") for link in linked)
        self.complete = self.alone
        self.quirky = _is_quirky(tree)
        self._animations = Animations()
        self._stilling: list[Rule] = []
        self._rules: list[Rule] = []
        self._hiding: dict[str, list[tuple[Steps, Rule]]] = {}
        self._marks: dict[Element, frozenset[str]] = {}
        self._around: dict[Element, frozenset[str] | None] = {}
        self._left = MOST_COMPARISONS
        self._values: dict[str, list[str]] = {}
        self._came_to: dict[str, tuple[str, ...]] = {}
        self._customs: dict[Element, Style] = {}
        self._hiders: set[int] = set()
        self._selectors: dict[str, Selector] = {}
        for sheet in tree.iter("style", "link"):
            applies = conditions.applies(sheet.get("media") or "all")
            if applies is not False and (sheet.tag == "style" or sheet in linked):
                self._read(
                    (sheet.text if sheet.tag == "style" else _from_data(sheet.get("href") or ""))
                    or "",
                    sure=applies is True,
                )
        for name, value in (
            _CUSTOM.findall(" ".join(tree.xpath("//@style[contains(., '--')]")).lower())
            if self._rules
            else ()
        ):
            self._values.setdefault(name, []).append(value)
        for rule in self._rules:
            steps, _, sure = (
                self._taken_apart(rule.selector) if self._hides(rule) else ((), None, False)
            )
            if steps and (sure or self._hides(rule._replace(sure=False))):
                self._hiders.add(rule.order)
                for key in selectors.keys(steps[0][1]):
                    self._hiding.setdefault(key, []).append((steps, rule))
        self._moving_keys = frozenset(
            key for key, rules in self._moving.items() if any(self._moves(rule) for rule in rules)
        )

    def _hides(self, rule: Rule) -> bool:
        """Whether a rule could keep something out of sight, by itself or, where it is sure to
        apply, with what lies behind.
        """
        if not _HINT.search(rule.body):
            return False
        normal, important = rule.said
        style = {**normal, **important}
        if could_hide(style) or (rule.sure and self.alone and "color" in style):
            return True
        return any(
            could_hide({**style, name: value})
            for name in style
            for value in self._possible(style[name])
        )

    def _possible(self, value: str) -> tuple[str, ...]:
        """What a value with `var()` in it could come to."""
        if "var(" not in value:
            return ()
        if value not in self._came_to:
            left, found = [value], list[str]()
            for one in left:
                self._left -= COST_OF_TRY
                name = _VAR.search(one)
                if name and len(left) < MOST_VALUES and self._left > 0:
                    every = dict.fromkeys((*self._values.get(name[1], ()), name[2] or ""))
                    left += [
                        f"{one[: name.start()]}{put.strip()}{one[name.end() :]}"[:LONGEST_VALUE]
                        for put in every
                    ]
                elif not name:
                    found.append(worked_out(one))
            self._came_to[value] = tuple(found)
        return self._came_to[value]

    @property
    def keys(self) -> frozenset[str]:
        """What an element must have to be hidden by a rule: one of these marks or tags; "*" where
        any element may be.
        """
        return frozenset(self._hiding) | self._moving_keys

    def of(self, element: Element, *, fully: bool = False) -> Style:
        """property -> value: the sheets' by weight and order, the attribute's above them, what is
        important above all.

        Unless it is wanted fully, the sheets are asked only about an element that one of their
        rules could hide.
        """
        own, own_important = by_importance(element.get("style") or "")
        ended = self._ended(element) if self._animations else {}
        asks = fully or bool(ended) or any("var(" in value for value in own.values())
        if not (asks or self._rules) or not (asks or self._may_hide(element)):
            return {**own, **own_important}
        fitting = sorted(self._fitting(element), key=lambda found: (found[0], found[1].order))
        if self._left <= 0:
            return (
                {**own, "display": "none"}
                if self._may_hide(element)
                else {**own, **ended, **own_important}
            )
        said = [rule.said for _, rule in fitting]
        styles = (
            [normal for normal, _ in said]
            + [own, ended]
            + [important for _, important in said]
            + [own_important]
        )
        style = {name: value for style in styles for name, value in style.items()}
        if not any("var(" in value for value in style.values()):
            return style
        return {
            name: worked_out(self._put(element, value, style))
            for name, value in style.items()
            if not name.startswith("--")
        }

    def _ended(self, element: Element) -> Style:
        """What an animation leaves an element with, where that hides it: whether the rules that are
        in doubt apply or do not.
        """
        own = longhands(element.get("style") or "")
        keys = (*sorted(self._of(element) & self._moving.keys()), element.tag, "*")
        names = bool(self._moving_keys.intersection(keys)) or any(
            self._animations.could_hide(said) for said in own
        )
        if self._left <= 0 or not names:
            return {}
        every = (
            (rule, *self._taken_apart(rule.selector))
            for key in keys
            for rule in self._moving.get(key, ())
        )
        fitting = sorted(
            (weight, rule)
            for rule, steps, weight, _ in every
            if self._left > 0 and self._fits(element, steps)
        )
        frame: Style = {}
        for doubtful in (True, False):
            said = [longhands(rule.body) for _, rule in fitting if doubtful or self._is_sure(rule)]
            parts = (
                [normal for normal, _ in said]
                + [own[0]]
                + [important for _, important in said]
                + [own[1]]
            )
            frame = self._animations.end(
                {name: value for part in parts for name, value in part.items()}
            )
            if not frame:
                break
        return frame if self._left > 0 else {}

    @cached_property
    def _moving(self) -> dict[str, list[Rule]]:
        """The rules that say something of animations, by what an element must have; none where no
        animation hides.
        """
        found: dict[str, list[Rule]] = {}
        for rule in (*self._rules, *self._stilling) if self._animations else ():
            steps = self._taken_apart(rule.selector)[0] if any(longhands(rule.body)) else ()
            for key in selectors.keys(steps[0][1]) if steps else ():
                found.setdefault(key, []).append(rule)
        return found

    def _moves(self, rule: Rule) -> bool:
        return self._is_sure(rule) and any(
            self._animations.could_hide(said) for said in longhands(rule.body)
        )

    def _is_sure(self, rule: Rule) -> bool:
        return rule.sure and self._taken_apart(rule.selector)[2] and not STATE.search(rule.selector)

    def says(self, element: Element, *properties: str) -> bool:
        """Whether its attribute or a rule says one of these properties of it; here the colours
        count too that all of a tag are given.
        """
        bodies = (element.get("style") or "", *(rule.body for _, rule in self._fitting(element)))
        return any(name in part for body in bodies for part in _said(body) for name in properties)

    def _put(self, element: Element, value: str, style: Style) -> str:
        """A value with what its custom properties are here, those of the elements around included."""
        for _ in range(DEEPEST):
            found = _VAR.search(value)
            if not found:
                break
            put = style.get(found[1]) or next(
                (
                    said
                    for one in element.iterancestors()
                    if (said := self._custom(one).get(found[1]))
                ),
                None,
            )
            put = (
                put if put is not None else "var()" if found[2] is None else found[2].strip()
            )  # what nothing is known of stays so
            value = f"{value[: found.start()]}{put}{value[found.end() :]}"[:LONGEST_VALUE]
        return value

    def _custom(self, element: Element) -> Style:
        """The custom properties that are set for an element itself."""
        if element not in self._customs:
            own = declarations(element.get("style") or "")
            said = [
                rule.said
                for _, rule in sorted(
                    self._fitting(element), key=lambda found: (found[0], found[1].order)
                )
            ]
            every = [normal for normal, _ in said] + [own] + [important for _, important in said]
            self._customs[element] = {
                name: value
                for style in every
                for name, value in style.items()
                if name.startswith("--")
            }
        return self._customs[element]

    def _may_hide(self, element: Element) -> bool:
        keys = (*sorted(self._of(element) & self._hiding.keys()), element.tag, "*")
        return any(
            self._left <= 0 or self._fits(element, steps)
            for key in keys
            for steps, _ in self._hiding.get(key, ())
        )

    def _fitting(self, element: Element) -> Iterator[tuple[Weight, Rule]]:
        """Every rule that fits, with its weight."""
        for key in (*sorted(self._of(element) & self._by_key.keys()), element.tag, "*"):
            for rule in self._by_key.get(key, ()) if self._left > 0 else ():
                steps, weight, sure = self._selectors.get(rule.selector) or self._taken_apart(
                    rule.selector
                )
                counts = rule.order in self._hiders or (rule.sure and sure)
                if steps and counts and self._fits(element, steps):
                    yield weight, rule

    def _taken_apart(self, selector: str) -> Selector:
        if selector not in self._selectors:
            self._left -= selectors.cost(selector)
            self._selectors[selector] = selectors.read(selector)
        return self._selectors[selector]

    @cached_property
    def _by_key(self) -> dict[str, list[Rule]]:
        """All rules by the first mark, else the tag, of the last part of their selectors. Few are
        ever taken apart further.
        """
        found: dict[str, list[Rule]] = {}
        for rule in self._rules:
            found.setdefault(selectors.key(rule.selector), []).append(rule)
        return found

    def _fits(self, element: Element, steps: Steps) -> bool:
        """Whether the element is what a rule asks for, and so is what lies around it; the nearest
        that fits is taken.
        """
        self._left -= 1
        if self._left <= 0:
            return False
        above = self._above(element) if len(steps) > 1 else None
        if above is not None and not all(
            simple.marks <= above for how, simple in steps[1:] if how in " >"
        ):
            return False
        around = element
        for how, simple in steps:
            around = _onward(around, how) if how else around
            for _ in range(HIGHEST if how in (" ", "~") else 0):
                if around is None or self._is(around, simple):
                    break
                around = _onward(around, how)
            if around is None or not self._is(around, simple):
                return False
        return True

    def _is(self, element: Element, simple: Simple) -> bool:
        self._left -= simple.work
        return self._left > 0 and selectors.fits(element, self._of(element), simple)

    def _of(self, element: Element) -> frozenset[str]:
        """The marks of an element."""
        if element not in self._marks:
            marks = selectors.marks(element)
            self._marks[element] = (
                frozenset(mark.lower() for mark in marks) if self.quirky else marks
            )
        return self._marks[element]

    def _above(self, element: Element) -> frozenset[str] | None:
        """The marks of all that lies around an element; None where they are too many to be kept."""
        parent = element.getparent()
        if parent is None:
            return frozenset()
        if parent not in self._around:
            above, own = self._above(parent), self._of(parent)
            self._around[parent] = (
                above
                if above is None or not own
                else None
                if len(above) > MOST_MARKS
                else above | own
            )
        return self._around[parent]

    def _read(self, css: str, *, sure: bool) -> None:
        self.alone &= "@import" not in css.lower()
        self.complete &= not _ELSEWHERE.search(css)
        plain = without_comments(css)
        for name, value in _CUSTOM.findall(plain.lower()):
            self._values.setdefault(name, []).append(value)
        self._animations.read(plain, sure=sure)
        for found in STILL.finditer(plain):
            said = (
                (self._cased(heads), body)
                for heads, body, _ in _blocks(found[1])
                if any(longhands(body))
            )
            self._stilling += [
                Rule(MOST_RULES, one, body, False)
                for heads, body in said
                for one in selectors.split(heads)[:MOST_NESTED]
            ]
        for heads, body, known in _blocks(plain):
            if len(self._rules) >= MOST_RULES:
                break
            room, first = MOST_RULES - len(self._rules), len(self._rules)
            self._rules += [
                Rule(first + n, one, body, sure and known)
                for n, one in enumerate(selectors.split(self._cased(heads))[:room])
            ]

    def _cased(self, heads: str) -> str:
        return _NAMES.sub(lambda found: found[0].lower(), heads) if self.quirky else heads


# ---------------------------------------------------------------- sheets


def _is_quirky(tree: Element) -> bool:
    """Whether browsers read the page as those of old did, to whom upper and lower case of a class
    were the same.
    """
    said = tree.getroottree().docinfo.doctype.lower()
    return "html" not in said or any(
        old in said for old in ("html 4.0 transitional", "html 3", "html 2")
    )


def _from_data(address: str) -> str:
    """The sheet that an address holds in itself; "" where it holds none that can be read."""
    found = _DATA.match(address)
    if not found:
        return ""
    said = unquote(address[found.end() :])
    if not found[1]:
        return said
    with suppress(binascii.Error, ValueError):  # no sheet then, for a browser too
        return base64.b64decode(said).decode("utf-8", "replace")
    return ""


def _blocks(
    css: str, around: str = "", *, sure: bool = True, depth: int = 0
) -> Iterator[tuple[str, str, bool]]:
    """(selectors, declarations, whether it is known to apply) of every rule that may; at-rules of
    other kinds are passed over.

    around: the selectors of the rule that it stands in; its own declarations come first.
    """
    level, start, opened = 0, 0, 0
    said, inside = list[str](), list[tuple[str, str, Verdict]]()
    for mark in re.finditer(r"[{};]", css):
        if mark[0] == "{":
            level += 1
            opened = mark.start() if level == 1 else opened
        elif mark[0] == "}":
            level = max(0, level - 1)
        if level == 0:
            if mark[0] == "}":
                head = css[start:opened].strip()
                inside.append(
                    (
                        head,
                        css[opened + 1 : mark.start()],
                        conditions.holds(head) if head.startswith("@") else "@" not in head,
                    )
                )
            else:
                said.append(css[start : mark.end()])
            start = opened = mark.end()
    own = "".join((*said, css[start:])).strip() if around else ""
    if own:
        yield around, own, sure
    for head, body, applies in inside:
        known = sure and applies is True
        if applies is False or ("{" in body and depth >= DEEPEST):
            continue
        if head.startswith("@"):
            scope = (
                head[6:].partition(" to ")[0].strip(" ()\n")
                if head.lower().startswith("@scope")
                else ""
            )
            yield from _blocks(body, _nested(scope, around) or around, sure=known, depth=depth + 1)
        elif "{" in body:
            yield from _blocks(body, _nested(head, around), sure=known, depth=depth + 1)
        else:
            yield _nested(head, around), body, known


def _nested(heads: str, around: str) -> str:
    """The selectors of a rule inside others, as they would stand alone."""
    if not around or not heads:
        return heads
    every = (
        _joined(outer, one)
        for one in selectors.split(heads)
        if one.count("&") <= DEEPEST
        for outer in selectors.split(around)
    )
    return ",".join(islice((one for one in every if len(one) <= LONGEST), MOST_NESTED))


def _joined(outer: str, one: str) -> str:
    one = one.replace(":scope", "&")
    if "&" not in one:
        return f"{outer} {one}"
    return (outer if one.startswith("&") else "") + one.removeprefix("&").replace(
        "&", f":is({outer})"
    )
