"""Decide the style of the elements of a page by its own style sheets and `style` attributes.

A rule whose selector or condition is not wholly known counts where what is known of it fits, but
only if it hides: a rule in doubt never takes back what another hides. The work is bounded. Once a
page has used up its comparisons, each element that a rule could hide counts as hidden.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain

from research_core.web.css import selectors
from research_core.web.css.animations import (
    find_final_frame,
    names_hiding_animation,
    parse_animation_parts,
)
from research_core.web.css.rules import PageRules, Rule, read_page_rules, read_relevant_declarations
from research_core.web.css.selectors import Matcher, Weight
from research_core.web.css.styles import LONGEST_VALUE, Style, could_hide, split_importance
from research_core.web.css.values import compute_sums
from research_core.web.lxml_types import Element

#: Rules by what an element must have for them to fit: a mark, a tag, or "*" for any element.
RuleIndex = dict[str, list[Rule]]
#: What declares a style: its declarations, and the important ones.
Declared = tuple[Style, Style]
#: A rule after what rules are sorted by, the weakest first.
WeighedRule = tuple[Weight, int, Rule]

#: Values that one with `var()` in it is tried with, the comparisons that each try stands for, and
#: custom properties replaced in a value.
MOST_VALUES, COST_OF_TRY, MOST_REPLACED = 200, 5, 4

#: A rough sign that declarations could keep text out of sight; most have none.
_HINT = re.compile(
    r"none|hidden|collapse|opacity|clip|indent|transparent|rgba|hsla|#|font|scale|translate|matrix"
    r"|color|mask|zoom|rotate|var\(|calc\(|\\"
    r"|(?<![a-z-])(?:left|right|top|bottom|inset|margin[\w-]*+)\s*:[^;:]*\d{2}"
    r"|(?:width|height)\s*:\s*[+-]?[01.]",
    re.IGNORECASE,
)
_VAR = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,((?:[^()]|\([^()]*\))*))?\)")
#: States of an element that come and go.
_STATE = re.compile(r":(?:hover|focus|active|target|checked)", re.IGNORECASE)


class Cascade:
    """The styles of the elements of one page.

    page: its rules; keys: an element must have one of these marks or tags to be hidden by a rule,
    "*" if any element may be.
    """

    def __init__(self, tree: Element) -> None:
        self.page = read_page_rules(tree)
        self._matcher = Matcher(quirky=self.page.quirky)
        self._hiding = _index_hiding_rules(self.page, self._matcher)
        self._hiders = {rule.order for rules in self._hiding.values() for rule in rules}
        self._animating = _index_animating_rules(self.page, self._matcher)
        self._custom: dict[Element, Style] = {}
        self.keys = frozenset(self._hiding) | self._hiding_animation_keys

    def style_of(self, element: Element, *, fully: bool = False) -> Style:
        """Return the style of an element, property -> value.

        fully: ask the sheets also about an element that no rule of theirs could hide.
        """
        own = split_importance(element.get("style") or "")
        frame = self._final_frame(element)
        asks = fully or bool(frame) or any("var(" in value for value in own[0].values())
        if not asks and not self._may_hide(element):
            return {**own[0], **own[1]}
        declared = [rule.declared for rule in self._fitting_rules(element)]
        if self._matcher.is_spent:
            if self._may_hide(element):
                return {**own[0], "display": "none"}
            return {**own[0], **frame, **own[1]}
        style = _combine_declarations([*declared, own, (frame, {})])
        if not any("var(" in value for value in style.values()):
            return style
        return {
            name: compute_sums(self._replace_variables(element, value, style))
            for name, value in style.items()
            if not name.startswith("--")
        }

    def declares(self, element: Element, *properties: str) -> bool:
        """Return whether the attribute or a rule declares one of these properties of an element.

        Here the colours that all elements of a tag are given count too.
        """
        fitting = (rule.body for _, _, rule in self._weighed_rules(element))
        for body in chain((element.get("style") or "",), fitting):
            normal, important = read_relevant_declarations(body)
            if any(name in normal or name in important for name in properties):
                return True
        return False

    # ---------------------------------------------------------------- rules that fit

    @cached_property
    def _by_key(self) -> RuleIndex:
        """All rules by a rough key, since few of their selectors are ever parsed."""
        found: RuleIndex = {}
        for rule in self.page.rules:
            found.setdefault(selectors.find_rough_key(rule.selector), []).append(rule)
        return found

    def _candidates(self, element: Element, index: RuleIndex) -> Iterator[Rule]:
        """Yield the rules of an index that may fit an element, in a fixed order."""
        if index:
            marks = self._matcher.marks(element) & index.keys()
            for key in (*sorted(marks), element.tag, "*"):
                yield from index.get(key, ())

    def _may_hide(self, element: Element) -> bool:
        matcher = self._matcher
        for rule in self._candidates(element, self._hiding):
            if matcher.is_spent or matcher.fits(element, matcher.parse(rule.selector).steps):
                return True
        return False

    def _fitting_rules(self, element: Element) -> list[Rule]:
        """Return the rules that fit an element and count, the weakest first."""
        return [rule for _, _, rule in sorted(self._weighed_rules(element))]

    def _weighed_rules(self, element: Element) -> Iterator[WeighedRule]:
        """Yield the rules that fit an element and count, in no particular order."""
        return self._match(element, self._by_key, self._counts)

    def _counts(self, rule: Rule) -> bool:
        if rule.order in self._hiders:
            return True
        return rule.sure and self._matcher.parse(rule.selector).sure

    def _match(
        self, element: Element, index: RuleIndex, counts: Callable[[Rule], bool]
    ) -> Iterator[WeighedRule]:
        matcher = self._matcher
        for rule in self._candidates(element, index):
            if matcher.is_spent:
                return
            selector = matcher.parse(rule.selector)
            if selector.steps and counts(rule) and matcher.fits(element, selector.steps):
                yield selector.weight, rule.order, rule

    # ---------------------------------------------------------------- custom properties

    def _replace_variables(self, element: Element, value: str, style: Style) -> str:
        """Replace `var()` by the value its custom property has for an element of this style."""
        for _ in range(MOST_REPLACED):
            found = _VAR.search(value)
            if not found:
                break
            put = style.get(found[1]) or self._inherited_custom(element, found[1])
            if put is None:  # what nothing is known of stays so
                put = "var()" if found[2] is None else found[2].strip()
            value = f"{value[: found.start()]}{put}{value[found.end() :]}"[:LONGEST_VALUE]
        return value

    def _inherited_custom(self, element: Element, name: str) -> str | None:
        for around in element.iterancestors():
            if value := self._custom_properties(around).get(name):
                return value
        return None

    def _custom_properties(self, element: Element) -> Style:
        """Return the custom properties that are set for an element itself."""
        if element not in self._custom:
            declared = [rule.declared for rule in self._fitting_rules(element)]
            own = split_importance(element.get("style") or "")
            self._custom[element] = {
                name: value
                for name, value in _combine_declarations([*declared, own]).items()
                if name.startswith("--")
            }
        return self._custom[element]

    # ---------------------------------------------------------------- animations

    def _final_frame(self, element: Element) -> Style:
        """Return the frame in which an animation leaves an element, if that hides it.

        It must be the same whether the rules in doubt apply or not.
        """
        if not self.page.animations:
            return {}
        own = parse_animation_parts(element.get("style") or "")
        if self._matcher.is_spent or not self._may_be_animated(element, own):
            return {}
        weighed = sorted(self._match(element, self._animating, lambda _: True))
        fitting = [rule for _, _, rule in weighed]
        certain = [rule for rule in fitting if self._is_sure(rule)]
        frame: Style = {}
        for rules in (fitting, certain):
            parts = _combine_declarations(
                [*(parse_animation_parts(rule.body) for rule in rules), own]
            )
            frame = find_final_frame(parts, self.page.animations)
            if not frame:
                break
        return {} if self._matcher.is_spent else frame

    def _may_be_animated(self, element: Element, own: Declared) -> bool:
        keys = self._hiding_animation_keys
        if not keys.isdisjoint((*self._matcher.marks(element), element.tag, "*")):
            return True
        return names_hiding_animation(own, self.page.animations)

    @cached_property
    def _hiding_animation_keys(self) -> frozenset[str]:
        """The keys of the rules that surely give an element an animation that hides."""
        found = set()
        for key, rules in self._animating.items():
            for rule in rules:
                parts = parse_animation_parts(rule.body)
                if self._is_sure(rule) and names_hiding_animation(parts, self.page.animations):
                    found.add(key)
                    break
        return frozenset(found)

    def _is_sure(self, rule: Rule) -> bool:
        if not rule.sure or _STATE.search(rule.selector):
            return False
        return self._matcher.parse(rule.selector).sure


def _combine_declarations(declared: Iterable[Declared]) -> Style:
    """Return the style that declarations come to, the weakest first; important ones win."""
    layers = list(declared)
    style: Style = {}
    for normal, _ in layers:
        style.update(normal)
    for _, important in layers:
        style.update(important)
    return style


# ---------------------------------------------------------------- rules that hide


def _index_hiding_rules(page: PageRules, matcher: Matcher) -> RuleIndex:
    """Return the rules that could keep an element out of sight."""
    found: RuleIndex = {}
    tried: dict[str, list[str]] = {}

    def possible_values(value: str) -> list[str]:
        if "var(" not in value:
            return []
        if value not in tried:
            tried[value] = _list_possible_values(value, page.values, matcher)
        return tried[value]

    for rule in page.rules:
        colours = page.alone and rule.sure
        if not _could_hide(rule, possible_values, colours=colours):
            continue
        selector = matcher.parse(rule.selector)
        if not selector.steps:
            continue
        # A colour that only together with another hides counts where its rule surely applies.
        if selector.sure or _could_hide(rule, possible_values, colours=False):
            for key in selector.steps[0][1].keys:
                found.setdefault(key, []).append(rule)
    return found


def _could_hide(
    rule: Rule, possible_values: Callable[[str], Sequence[str]], *, colours: bool
) -> bool:
    """Return whether a rule could keep something out of sight.

    colours: whether any colour could, with what lies behind.
    """
    if not _HINT.search(rule.body):
        return False
    normal, important = rule.declared
    style = {**normal, **important}
    if could_hide(style) or (colours and "color" in style):
        return True
    for name in style:
        for value in possible_values(style[name]):
            if could_hide({**style, name: value}):
                return True
    return False


def _list_possible_values(
    value: str, values: Mapping[str, Sequence[str]], matcher: Matcher
) -> list[str]:
    """Return what a value with `var()` in it could come to."""
    left, found = [value], list[str]()
    # Candidates with a variable replaced are appended to the list while it is being read.
    for candidate in left:
        matcher.spend(COST_OF_TRY)
        name = _VAR.search(candidate)
        if not name:
            found.append(compute_sums(candidate))
        elif len(left) < MOST_VALUES and not matcher.is_spent:
            for put in dict.fromkeys((*values.get(name[1], ()), name[2] or "")):
                replaced = f"{candidate[: name.start()]}{put.strip()}{candidate[name.end() :]}"
                left.append(replaced[:LONGEST_VALUE])
    return found


def _index_animating_rules(page: PageRules, matcher: Matcher) -> RuleIndex:
    """Return the rules that set animations; none if no animation of the page hides."""
    found: RuleIndex = {}
    if not page.animations:
        return found
    for rule in (*page.rules, *page.still):
        if not any(parse_animation_parts(rule.body)):
            continue
        steps = matcher.parse(rule.selector).steps
        if steps:
            for key in steps[0][1].keys:
                found.setdefault(key, []).append(rule)
    return found
