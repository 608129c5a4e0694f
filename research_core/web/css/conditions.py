"""Decide whether the condition of a style rule holds for a page as most readers see it.

That is in a light scheme, on a wide screen, with a mouse. What is not known is None.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from operator import eq, ge, gt, le, lt

#: The screen, in pixels.
WIDTH, HEIGHT = 1280.0, 800.0
#: Features of the screen; a condition that asks one of these for another value does not hold.
SCREEN = {
    "prefers-color-scheme": "light", "prefers-reduced-motion": "no-preference",
    "prefers-reduced-data": "no-preference",
    "prefers-reduced-transparency": "no-preference", "prefers-contrast": "no-preference",
    "forced-colors": "none",
    "inverted-colors": "none", "hover": "hover", "any-hover": "hover", "pointer": "fine",
    "any-pointer": "fine", "orientation": "landscape",
    "display-mode": "browser", "scripting": "enabled", "update": "fast", "grid": "0",
    "monochrome": "0", "scan": "none",
    "overflow-block": "scroll",
}  # fmt: skip
#: Properties that every browser of today supports.
_SUPPORTED = re.compile(
    r"--|display|grid|flex|position|gap|aspect-ratio|object-fit|clip-path|mask|filter"
    r"|backdrop-filter|inset|mix-blend-mode|color|width|height|overflow|scroll|font|text|transform"
    r"|will-change|animation|transition|background|border|margin|padding|appearance"
    r"|content-visibility"
)
#: A value of one word other than those that pages ask about: perhaps no browser knows it.
_STRANGE_VALUE = re.compile(
    r":\s*(?!(?:inline-|-webkit-)?(?:grid|flex|sticky|box|block|none|subgrid|contents|flow-root"
    r"|fixed|cover|contain|clip|hidden|auto|text|(?:min|max|fit)-content|inherit|initial|unset"
    r"|revert|smooth|fill-available|stretch|normal|red|black|white|green|blue|screen|multiply"
    r"|difference|inline|start|end|center|touch|paint|opacity|transparent|currentcolor|table|ruby"
    r"|masonry|slice)\s*$)[a-z-]+\s*$"
)
_SIZE = r"-?\d{1,7}(?:\.\d{1,7})?(?:px|r?em)?"
_BOUND = re.compile(rf"(min|max)-(?:device-)?(width|height|inline-size|block-size)\s*:\s*({_SIZE})")
_RANGE = re.compile(
    rf"(?:({_SIZE})\s*([<>]=?)\s*)?(width|height|inline-size|block-size)"
    rf"(?:\s*([<>]=?|=)\s*({_SIZE}))?"
)
_FEATURE = re.compile(r"([\w-]+)(?:\s*:\s*([\w./-]+))?")
_GROUP = re.compile(r"\((?:[^()]|\((?:[^()]|\([^()]*+\))*+\))*+\)")
LONGEST = 300

Verdict = bool | None


def fits_screen(media: str) -> Verdict:
    """Return whether a list of media queries fits the screen."""
    return _combine_any(
        _evaluate_query(query.strip()) for query in media[:LONGEST].lower().split(",")
    )


def is_at_rule_in_force(head: str) -> Verdict:
    """Return whether the rules inside an at-rule apply; False for one without style rules."""
    name, _, rest = re.sub(r"^(@[a-z-]+)", r"\1 ", head[:LONGEST].lower()).partition(" ")
    rest = rest.strip()
    if name == "@media":
        return fits_screen(rest)
    if name == "@supports":
        asked = rest.removeprefix("not").strip(" ()")
        if not _SUPPORTED.match(asked) or _STRANGE_VALUE.search(asked):
            return None
        return not rest.startswith("not")
    if name == "@container":
        return _evaluate_conditions(re.sub(r"^(?!not\b)[\w-]+\s+", "", rest))
    return name in ("@layer", "@scope")


def _evaluate_query(medium: str) -> Verdict:
    """Return whether one media query fits: a kind of device, conditions on it, or both."""
    kind = re.match(r"(?:only\s+|(not)\s+)?(?!not\b)([^\s()]+)(?:\s+and\b)?", medium)
    if not kind:
        return _evaluate_conditions(medium)
    rest = medium[kind.end() :].strip()
    verdict = _combine_all(
        [kind[2] in ("all", "screen"), _evaluate_conditions(rest) if rest else True]
    )
    return _negate(verdict) if kind[1] else verdict


def _evaluate_conditions(text: str) -> Verdict:
    """Return whether conditions in brackets hold, joined by one kind of word."""
    between = set(_GROUP.sub(" ", text).split())
    verdicts = [_evaluate_condition(group[1:-1].strip()) for group in _GROUP.findall(text)]
    if not verdicts or between - {"and", "or", "not"} or len(between) > 1:
        return None
    if "not" in between:
        return _negate(verdicts[0]) if len(verdicts) == 1 else None
    return _combine_any(verdicts) if "or" in between else _combine_all(verdicts)


def _evaluate_condition(condition: str) -> Verdict:
    if "(" in condition or condition.startswith("not"):
        return _evaluate_conditions(condition)
    if found := _BOUND.fullmatch(condition):
        sign = "<=" if found[1] == "min" else ">="
        return _compare(_convert_to_pixels(found[3]), sign, _get_screen_size(found[2]))
    if (found := _RANGE.fullmatch(condition)) and (found[1] or found[5]):
        size = _get_screen_size(found[3])
        if found[1] and not _compare(_convert_to_pixels(found[1]), found[2], size):
            return False
        return not found[5] or _compare(size, found[4], _convert_to_pixels(found[5]))
    feature = _FEATURE.fullmatch(condition)
    if feature and feature[1].startswith("-ms-"):
        return False
    if not feature or feature[1] not in SCREEN:
        return None
    value = SCREEN[feature[1]]
    return value == feature[2] if feature[2] else value not in ("none", "no-preference", "0")


def _get_screen_size(name: str) -> float:
    return HEIGHT if name in ("height", "block-size") else WIDTH


def _convert_to_pixels(size: str) -> float:
    return float(size.rstrip("pxrem")) * (16.0 if size.endswith("em") else 1.0)


_COMPARISONS = {"<": lt, ">": gt, "<=": le, ">=": ge, "=": eq}


def _compare(one: float, sign: str, other: float) -> bool:
    return bool(_COMPARISONS[sign](one, other))


def _negate(verdict: Verdict) -> Verdict:
    return None if verdict is None else not verdict


def _combine_all(verdicts: Iterable[Verdict]) -> Verdict:
    found = list(verdicts)
    if False in found:
        return False
    return None if None in found else True


def _combine_any(verdicts: Iterable[Verdict]) -> Verdict:
    found = list(verdicts)
    if True in found:
        return True
    return None if None in found else False
