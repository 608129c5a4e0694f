"""Whether the rules under a condition of a style sheet apply to a page as most readers see it: in a
light scheme, on a wide screen, with

a mouse. What is not known here is neither yes nor no: None. It reads no rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

#: The screen, in pixels.
WIDTH, HEIGHT = 1280.0, 800.0
#: What the screen is; a condition on one of these that asks for anything else does not hold.
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
#: Properties that every browser of today has, so that a condition on being without them does not
#: hold.
_KNOWN = re.compile(
    r"--|display|grid|flex|position|gap|aspect-ratio|object-fit|clip-path|mask|filter|backdrop-filter|inset|mix-blend-mode|color|width|height"
    r"|overflow|scroll|font|text|transform|will-change|animation|transition|background|border|margin|padding|appearance|content-visibility"
)
#: A value of one word that is none of those that pages ask about: no browser may know it.
_STRANGE = re.compile(
    r":\s*(?!(?:inline-|-webkit-)?(?:grid|flex|sticky|box|block|none|subgrid|contents|flow-root|fixed|cover|contain|clip|hidden|auto|text"
    r"|(?:min|max|fit)-content|inherit|initial|unset|revert|smooth|fill-available|stretch|normal|red|black|white|green|blue|screen|multiply"
    r"|difference|inline|start|end|center|touch|paint|opacity|transparent|currentcolor|table|ruby|masonry|slice)\s*$)[a-z-]+\s*$"
)
_SIZE = r"-?\d{1,7}(?:\.\d{1,7})?(?:px|r?em)?"
_BOUND = re.compile(rf"(min|max)-(?:device-)?(width|height|inline-size|block-size)\s*:\s*({_SIZE})")
_RANGE = re.compile(
    rf"(?:({_SIZE})\s*([<>]=?)\s*)?(width|height|inline-size|block-size)(?:\s*([<>]=?|=)\s*({_SIZE}))?"
)
_FEATURE = re.compile(r"([\w-]+)(?:\s*:\s*([\w./-]+))?")
_GROUP = re.compile(r"\((?:[^()]|\((?:[^()]|\([^()]*+\))*+\))*+\)")
LONGEST = 300

Verdict = bool | None


def applies(media: str) -> Verdict:
    """Whether one of these media, as `@media` and an attribute name them, is the screen."""
    return _any(_query(one.strip()) for one in media[:LONGEST].lower().split(","))


def holds(head: str) -> Verdict:
    """Whether the rules under an at-rule apply. Of those that hold no rules for elements, they do
    not.
    """
    name, _, rest = re.sub(r"^(@[a-z-]+)", r"\1 ", head[:LONGEST].lower()).partition(" ")
    rest = rest.strip()
    if name == "@media":
        return applies(rest)
    if name == "@supports":
        asked = rest.removeprefix("not").strip(" ()")
        known = _KNOWN.match(asked) is not None and not _STRANGE.search(asked)
        return (not rest.startswith("not")) if known else None
    if name == "@container":
        return _conditions(re.sub(r"^(?!not\b)[\w-]+\s+", "", rest))
    return name in ("@layer", "@scope")


def _query(medium: str) -> Verdict:
    """One medium: a kind of device, conditions on it, or both."""
    kind = re.match(r"(?:only\s+|(not)\s+)?(?!not\b)([^\s()]+)(?:\s+and\b)?", medium)
    if not kind:
        return _conditions(medium)
    rest = medium[kind.end() :].strip()
    verdict = _all([kind[2] in ("all", "screen"), _conditions(rest) if rest else True])
    return _not(verdict) if kind[1] else verdict


def _conditions(text: str) -> Verdict:
    """Conditions in brackets, with one word between them."""
    between = set(_GROUP.sub(" ", text).split())
    verdicts = [_one(group[1:-1].strip()) for group in _GROUP.findall(text)]
    if not verdicts or between - {"and", "or", "not"} or len(between) > 1:
        return None
    if "not" in between:
        return _not(verdicts[0]) if len(verdicts) == 1 else None
    return _any(verdicts) if "or" in between else _all(verdicts)


def _one(condition: str) -> Verdict:
    if "(" in condition or condition.startswith("not"):
        return _conditions(condition)
    if found := _BOUND.fullmatch(condition):
        size, bound = _size(found[2]), _pixels(found[3])
        return bound <= size if found[1] == "min" else size <= bound
    if (found := _RANGE.fullmatch(condition)) and (found[1] or found[5]):
        size = _size(found[3])
        below = _compare(_pixels(found[1]), found[2], size) if found[1] else True
        return below and (_compare(size, found[4], _pixels(found[5])) if found[5] else True)
    feature = _FEATURE.fullmatch(condition)
    if feature and feature[1].startswith("-ms-"):
        return False
    if not feature or feature[1] not in SCREEN:
        return None
    usual = SCREEN[feature[1]]
    return usual == feature[2] if feature[2] else usual not in ("none", "no-preference", "0")


def _size(name: str) -> float:
    return HEIGHT if name in ("height", "block-size") else WIDTH


def _pixels(size: str) -> float:
    return float(size.rstrip("pxrem")) * (16.0 if size.endswith("em") else 1.0)


def _compare(one: float, sign: str, other: float) -> bool:
    return {
        "<": one < other,
        ">": one > other,
        "<=": one <= other,
        ">=": one >= other,
        "=": one == other,
    }[sign]


def _not(verdict: Verdict) -> Verdict:
    return None if verdict is None else not verdict


def _all(verdicts: Iterable[Verdict]) -> Verdict:
    found = list(verdicts)
    return False if False in found else None if None in found else True


def _any(verdicts: Iterable[Verdict]) -> Verdict:
    found = list(verdicts)
    return True if True in found else None if None in found else False
