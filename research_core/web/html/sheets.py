"""The rules of a page's own style sheets, and which of them apply to an element of its tree.

It reads what stands in `style` elements and takes the page to be shown on a screen of usual width. It loads no sheet, and passes over
rules for states (`:hover`) and for what is generated (`::before`).
Its work is bounded: of a page that brings more rules and elements than can be matched, what a rule could hide counts as hidden at last.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from research_core.web.html import selectors
from research_core.web.html.selectors import Simple, Steps
from research_core.web.html.styles import RELEVANT, Style, by_importance, could_hide, without_comments

Element = Any  # lxml ships no types

#: The screen that conditions on its width are held against, in pixels.
SCREEN_PX = 1280
#: Rules that bear on being seen which are kept of a page, and comparisons of a rule with an element that are made for it.
MOST_RULES, MOST_COMPARISONS = 20_000, 200_000
MOST_MARKS = 200
#: How far up, or back, a selector looks.
HIGHEST = 60

_ELSEWHERE = re.compile(r"@import|url\(|gradient\(|var\(", re.IGNORECASE)
#: What a declaration holds that could keep text out of sight, roughly; most hold nothing of the kind.
_HINT = re.compile(
    r"none|hidden|collapse|opacity|clip|indent|transparent|rgba|hsla|#|font|scale|translate|matrix|color|\\"
    r"|(?<![a-z-])(?:left|right|top|bottom|inset|margin[\w-]*+)\s*:[^;:]*\d{2}|(?:width|height)\s*:\s*[+-]?[01.]",
    re.IGNORECASE,
)
_WIDTH = re.compile(r"\(\s*(min|max)-width\s*:\s*(\d{1,6}(?:\.\d{1,6})?)(px|em|rem)\s*\)")
_MEDIA = re.compile(
    r"(?:(?:only\s+)?(?:all|screen)\b|(?=\())(?:\s*(?:and\s*)?\((?:min|max)-width\s*:\s*\d{1,6}(?:\.\d{1,6})?(?:px|r?em)\s*\))*",
    re.IGNORECASE,
)


class Rule(NamedTuple):
    """order: its place in the sheets; selector: one of those it has; body: its declarations, taken apart when they are wanted."""

    order: int
    selector: str
    body: str

    @property
    def said(self) -> tuple[Style, Style]:
        """What it declares, and what it declares as important, of the properties that bear on being seen.

        The colour that a page gives to all elements of a tag is not taken: where parts of the page are dark, scripts see to it.
        """
        normal, important = _said(self.body)
        return (normal, important) if re.search("[.#]", self.selector) else (_without_colour(normal), _without_colour(important))


@lru_cache(maxsize=4096)
def _said(body: str) -> tuple[Style, Style]:
    normal, important = ({name: value for name, value in style.items() if name in RELEVANT} for style in by_importance(body))
    return normal, important


def _without_colour(style: Style) -> Style:
    return {name: value for name, value in style.items() if name != "color"}


def _onward(element: Element, how: str) -> Element | None:
    return element.getparent() if how in (" ", ">") else element.getprevious()


class Sheets:
    """The rules of one page. of(element) is the style that they and the element's own attribute give it.

    complete: whether the colours of the page are known from them; not where it loads other sheets, or pictures that lie behind its text.
    """

    def __init__(self, tree: Element) -> None:
        self.complete = not any("stylesheet" in (link.get("rel") or "").lower() for link in tree.iter("link"))
        self._rules: list[Rule] = []
        self._hiding: dict[str, list[tuple[Steps, Rule]]] = {}
        self._marks: dict[Element, frozenset[str]] = {}
        self._around: dict[Element, frozenset[str] | None] = {}
        self._left = MOST_COMPARISONS
        for sheet in tree.iter("style"):
            if _applies(sheet.get("media") or "all"):
                self._read(sheet.text or "")
        for rule in self._rules:
            steps = selectors.steps(rule.selector) if self._hides(rule) else ()
            if steps:
                self._hiding.setdefault(min(steps[0][1].marks, default=steps[0][1].tag or "*"), []).append((steps, rule))

    def _hides(self, rule: Rule) -> bool:
        """Whether a rule could keep something out of sight, by itself or with what lies behind."""
        if not _HINT.search(rule.body):
            return False
        normal, important = rule.said
        style = {**normal, **important}
        return could_hide(style) or (self.complete and "color" in style)

    @property
    def keys(self) -> frozenset[str]:
        """What an element must have to be hidden by a rule: one of these marks or tags; "*" where any element may be."""
        return frozenset(self._hiding)

    def of(self, element: Element, *, fully: bool = False) -> Style:
        """property -> value: the sheets' by weight and order, the attribute's above them, what is important above all.

        Unless it is wanted fully, the sheets are asked only about an element that one of their rules could hide.
        """
        own, own_important = by_importance(element.get("style") or "")
        if not self._rules or not (fully or self._may_hide(element)):
            return {**own, **own_important}
        fitting = sorted(self._fitting(element), key=lambda found: (found[0], found[1].order))
        if self._left <= 0:
            return {**own, "display": "none"} if self._may_hide(element) else {**own, **own_important}
        said = [rule.said for _, rule in fitting]
        styles = [normal for normal, _ in said] + [own] + [important for _, important in said] + [own_important]
        return {name: value for style in styles for name, value in style.items()}

    def _may_hide(self, element: Element) -> bool:
        keys = (*sorted(self._of(element) & self._hiding.keys()), element.tag, "*")
        return any(self._left <= 0 or self._fits(element, steps) for key in keys for steps, _ in self._hiding.get(key, ()))

    def _fitting(self, element: Element) -> Iterator[tuple[tuple[int, int, int], Rule]]:
        """Every rule that fits, with its weight."""
        for key in (*sorted(self._of(element) & self._by_key.keys()), element.tag, "*"):
            for rule in self._by_key.get(key, ()) if self._left > 0 else ():
                steps = selectors.steps(rule.selector)
                if steps and self._fits(element, steps):
                    yield selectors.weight(steps), rule

    @cached_property
    def _by_key(self) -> dict[str, list[Rule]]:
        """All rules by the first mark, else the tag, of the last part of their selectors. Few are ever taken apart further."""
        found: dict[str, list[Rule]] = {}
        for rule in self._rules:
            found.setdefault(selectors.key(rule.selector), []).append(rule)
        return found

    def _fits(self, element: Element, steps: Steps) -> bool:
        """Whether the element is what a rule asks for, and so is what lies around it; the nearest that fits is taken."""
        self._left -= 1
        if self._left <= 0:
            return False
        above = self._above(element) if len(steps) > 1 else None
        if above is not None and not all(simple.marks <= above for how, simple in steps[1:] if how in " >"):
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
            self._marks[element] = selectors.marks(element)
        return self._marks[element]

    def _above(self, element: Element) -> frozenset[str] | None:
        """The marks of all that lies around an element; None where they are too many to be kept."""
        parent = element.getparent()
        if parent is None:
            return frozenset()
        if parent not in self._around:
            above, own = self._above(parent), self._of(parent)
            self._around[parent] = above if above is None or not own else None if len(above) > MOST_MARKS else above | own
        return self._around[parent]

    def _read(self, css: str) -> None:
        self.complete &= not _ELSEWHERE.search(css)
        for heads, body in _blocks(without_comments(css)):
            if len(self._rules) < MOST_RULES:
                self._rules += [Rule(order, one, body) for order, one in enumerate(selectors.split(heads), len(self._rules))]


# ---------------------------------------------------------------- sheets


def _blocks(css: str, depth: int = 0) -> Iterator[tuple[str, str]]:
    """(selectors, declarations) of every rule that applies to a usual screen; at-rules of other kinds are passed over."""
    level, start, opened = 0, 0, 0
    for mark in re.finditer(r"[{};]", css):
        if mark[0] == "{":
            level += 1
            opened = mark.start() if level == 1 else opened
        elif mark[0] == "}":
            level = max(0, level - 1)
        if level == 0:
            head, body = css[start:opened].strip(), css[opened + 1 : mark.start()]
            if mark[0] == "}" and head.startswith("@") and _condition_holds(head) and depth < 3:
                yield from _blocks(body, depth + 1)
            elif mark[0] == "}" and "@" not in head:
                yield head, body
            start = opened = mark.end()


def _condition_holds(head: str) -> bool:
    """Whether the rules of this at-rule apply: of a layer, of a feature that browsers have, of a medium that is such a screen."""
    kind, _, condition = head[:300].partition(" ")
    if kind.lower() == "@media" or head.lower().startswith("@media("):
        return _applies(head[6:])
    return kind.lower() == "@layer" or (kind.lower().startswith("@supports") and not condition.strip().lower().startswith("not"))


def _applies(media: str) -> bool:
    """Whether one of these media is a screen of usual width."""
    return any(_MEDIA.fullmatch(one.strip()) and _is_as_wide(one) for one in media[:300].split(","))


def _is_as_wide(medium: str) -> bool:
    widths = [(which, float(width) * (1 if unit == "px" else 16)) for which, width, unit in _WIDTH.findall(medium.lower())]
    return all(width <= SCREEN_PX if which == "min" else width >= SCREEN_PX for which, width in widths)
