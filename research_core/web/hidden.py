"""Takes out of an HTML tree what the page shows to nobody: the oldest place to leave words for a machine.

It reads the `hidden` attribute, inline styles and the plain rules (a tag, classes, an id) of the page's own style sheets. It loads no
style sheet and runs no script, so what only those hide stays. `aria-hidden` stays too: a reader sees it, only a screen reader skips it.
A page that is hidden as a whole is left alone: that is how pages look that a script reveals.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

Element = Any  # lxml ships no types

#: Elements no browser draws as text of the page.
UNDRAWN = "script style template noscript datalist select textarea object iframe svg canvas audio video applet frameset annotation".split()
#: Less than this is too small to read, or out of sight; in pixels, and in the share of an inherited size or a length in em.
SMALL_PX, SMALL_EM = 2.0, 0.2
FAR_PX = -900.0
#: Two colours whose channels (0-255) differ by no more than this look the same.
SAME = 12
LONGEST_VALUE = 200
_PIXELS = {"px": 1.0, "": 1.0, "pt": 1.33, "em": 16.0, "rem": 16.0, "ex": 8.0, "ch": 8.0, "vw": 12.0, "vh": 8.0, "cm": 38.0, "mm": 3.8}
_NAMED = {"white": (255, 255, 255), "black": (0, 0, 0), "red": (255, 0, 0), "blue": (0, 0, 255), "green": (0, 128, 0)}

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_ESCAPE = re.compile(r"\\([0-9a-f]{1,6})\s?", re.IGNORECASE)
_LENGTH = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(px|pt|em|rem|ex|ch|vw|vh|cm|mm|%)?")
_FOR_SCREENS = re.compile(r"\s*@media\s+(?:only\s+)?(?:all|screen)\s*", re.IGNORECASE)
_SELECTOR = re.compile(r"([a-z][a-z0-9]*)?((?:[.#][a-z_-][\w-]*)*)", re.IGNORECASE)
_FONT_SIZE = re.compile(r"(?:.*\s)?([\d.]+[a-z%]*)[/\s].*")
_RGB = re.compile(r"rgba?\(\s*(\d+)[\s,]+(\d+)[\s,]+(\d+)\s*(?:[,/]\s*([\d.]+%?)\s*)?\)")
_NO_AREA = re.compile(r"rect\((?:\s*[01](?:px)?[\s,]*){4}\)|inset\(\s*(?:[5-9]\d|100)%|circle\(\s*0|polygon\((?:\s*0(?:px)?,?)+\s*\)")
_NO_SCALE = re.compile(r"scale[xy3d]*\(\s*0(?:\.0+)?\s*[,)]|matrix\(\s*0\s*,")
_MOVED = re.compile(r"translate[xy3d]*\(([^)]*)\)")

Style = dict[str, str]
Colour = tuple[int, int, int]


def drop_hidden(tree: Element) -> None:
    """Remove the hidden elements of the tree in place; text after them stays."""
    rules = _sheet_rules(tree)  # before the sheets themselves go
    for element in list(tree.iter(*UNDRAWN)):
        _drop(element)
    for element in list(tree.iter("dialog")):
        if element.get("open") is None:
            _drop(element)
    for element in tree.xpath("//*[@hidden or @style or @color or @class or @id]" if rules else "//*[@hidden or @style or @color]"):
        if element.tag not in ("html", "body"):
            _judge(element, rules)


def _judge(element: Element, rules: Rules) -> None:
    inline = declarations(element.get("style") or "")
    style = {**_matching(element, rules), **inline}
    if element.get("hidden") is not None or unseen(style) or _blends(element, inline):
        _drop(element)
    elif _tiny(style):
        _drop_own_text(element)


def _drop(element: Element) -> None:
    if element.getparent() is not None:
        element.drop_tree()


def _drop_own_text(element: Element) -> None:
    """A size of nothing is inherited unless a child sets its own: what could be styled is left, the rest goes."""
    element.text = ""
    for child in list(element):
        child.tail = ""
        if not any(each.get(name) for each in child.iter() for name in ("style", "class", "id") if isinstance(each.tag, str)):
            _drop(child)


# ---------------------------------------------------------------- what a style does


def declarations(css: str) -> Style:
    """property -> value of an inline style, lower case; the last one counts."""
    if not css:
        return {}
    plain = _ESCAPE.sub(_unescaped, _COMMENT.sub("", css)).lower().replace("!important", "")
    pairs = (part.partition(":") for part in plain.split(";"))
    return {name.strip(): " ".join(value[:LONGEST_VALUE].split()) for name, _, value in pairs if value.strip()}


def _unescaped(match: re.Match[str]) -> str:
    code = int(match[1], 16)
    return chr(code) if 0 < code < 0xD800 else ""


def unseen(style: Style) -> bool:
    """Whether the style by itself keeps an element and all within it out of sight."""
    return any(_TESTS[name](value, style) for name, value in style.items() if name in _TESTS)


def _tiny(style: Style) -> bool:
    size = style.get("font-size") or _size_in(style.get("font", ""))
    found = _LENGTH.fullmatch(size)
    if not found:
        return False
    number, unit = float(found[1]), found[2] or "px"
    return number <= {"%": 100 * SMALL_EM, "em": SMALL_EM, "rem": SMALL_EM}.get(unit, SMALL_PX)


def _size_in(font: str) -> str:
    found = _FONT_SIZE.fullmatch(font)
    return found[1] if found else ""


def _pixels(value: str) -> float | None:
    found = _LENGTH.fullmatch(value.strip())
    if not found:
        return None
    return float(found[1]) * (10.0 if found[2] == "%" else _PIXELS[found[2] or ""])


def _far(value: str, _: Style) -> bool:
    return any((length := _pixels(part)) is not None and length <= FAR_PX for part in value.replace(",", " ").split())


def _moved_far(value: str, style: Style) -> bool:
    return bool(_NO_SCALE.search(value)) or any(_far(moved, style) for moved in _MOVED.findall(value))


def _no_room(value: str, style: Style) -> bool:
    length = _pixels(value)
    cut = any(style.get(name) in ("hidden", "clip") for name in ("overflow", "overflow-x", "overflow-y"))
    return cut and length is not None and length <= 1


def _faint(value: str, _: Style) -> bool:
    found = _LENGTH.fullmatch(value)
    return found is not None and float(found[1]) <= (5 if found[2] == "%" else 0.05)


def _same_colour(value: str, style: Style) -> bool:
    behind = colour(style.get("background-color") or style.get("background") or "")
    return _transparent(value) or (behind is not None and _alike(colour(value), behind))


def _transparent(value: str) -> bool:
    found = _RGB.search(value)
    return value == "transparent" or bool(found and found[4] and _faint(found[4], {})) or bool(re.fullmatch(r"#(?:...0|.{6}00)", value))


_TESTS: dict[str, Callable[[str, Style], bool]] = {
    "display": lambda value, _: value == "none",
    "visibility": lambda value, _: value in ("hidden", "collapse"),
    "content-visibility": lambda value, _: value == "hidden",
    "opacity": _faint,
    "filter": lambda value, _: bool(re.search(r"opacity\(\s*0(?:\.0+)?%?\s*\)", value)),
    "color": _same_colour,
    "-webkit-text-fill-color": lambda value, _: _transparent(value),
    "clip": lambda value, _: bool(_NO_AREA.search(value)),
    "clip-path": lambda value, _: bool(_NO_AREA.search(value)),
    "transform": _moved_far,
    **dict.fromkeys(("left", "right", "top", "bottom", "text-indent", "margin-left", "margin-top", "margin"), _far),
    **dict.fromkeys(("width", "height", "max-width", "max-height"), _no_room),
}


# ---------------------------------------------------------------- colours


def colour(value: str) -> Colour | None:
    """Red, green and blue (0-255) of the first colour in a value; None when it names none that is known here."""
    if found := re.search(r"#([0-9a-f]{3,8})\b", value):
        digits = found[1] if len(found[1]) >= 6 else "".join(digit * 2 for digit in found[1])
        return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)
    if found := _RGB.search(value):
        return int(found[1]), int(found[2]), int(found[3])
    return next((_NAMED[word] for word in re.findall(r"[a-z]+", value) if word in _NAMED), None)


def _alike(one: Colour | None, other: Colour | None) -> bool:
    return one is not None and other is not None and all(abs(a - b) <= SAME for a, b in zip(one, other, strict=True))


def _blends(element: Element, inline: Style) -> bool:
    """Whether the element's own colour is that of what lies behind it: the nearest background set in the markup, else a white page."""
    said = inline.get("color") or str(element.get("color") or "").lower()
    ink = colour(said) if said else None
    return ink is not None and _alike(ink, next(_backgrounds(element), _NAMED["white"]))


def _backgrounds(element: Element) -> Iterator[Colour]:
    for around in (element, *element.iterancestors()):
        style = declarations(around.get("style") or "")
        behind = colour(style.get("background-color") or style.get("background") or str(around.get("bgcolor") or "").lower())
        if behind is not None:
            yield behind


# ---------------------------------------------------------------- style sheets

#: By one of its marks: the tag or "", the classes (".x") and id ("#y") that an element must have, and what it then gets.
Rules = dict[str, list[tuple[str, frozenset[str], Style]]]
_RELEVANT = frozenset({*_TESTS, "font-size", "font", "overflow", "overflow-x", "overflow-y", "background", "background-color"})


def _sheet_rules(tree: Element) -> Rules:
    """The rules of the page's own sheets that bear on being seen and can be matched without a browser."""
    rules: Rules = {}
    for sheet in tree.iter("style"):
        if sheet.get("media", "all").strip().lower() in ("", "all", "screen"):
            for selectors, body in _blocks(_COMMENT.sub("", sheet.text or "")):
                _add(rules, selectors, {name: value for name, value in declarations(body).items() if name in _RELEVANT})
    return rules


def _add(rules: Rules, selectors: str, style: Style) -> None:
    for selector in selectors.split(",") if style else ():
        found = _SELECTOR.fullmatch(selector.strip())
        if found and found[2]:
            marks = _marks(found[2])
            rules.setdefault(marks[0], []).append(((found[1] or "").lower(), frozenset(marks), style))


def _blocks(css: str, depth: int = 0) -> Iterator[tuple[str, str]]:
    """(selectors, declarations) of every rule that applies to any screen; other at-rules are passed over."""
    level, start, opened = 0, 0, 0
    for mark in re.finditer(r"[{};]", css):
        if mark[0] == "{":
            level += 1
            opened = mark.start() if level == 1 else opened
        elif mark[0] == "}":
            level = max(0, level - 1)
        if level == 0:
            head, body = css[start:opened], css[opened + 1 : mark.start()]
            if mark[0] == "}" and _FOR_SCREENS.fullmatch(head) and depth < 3:
                yield from _blocks(body, depth + 1)
            elif mark[0] == "}" and "@" not in head:
                yield head, body
            start = opened = mark.end()


def _marks(text: str) -> list[str]:
    starts = [n for n, character in enumerate(text) if character in ".#"] + [len(text)]
    return [text[a:b] for a, b in pairwise(starts)]


def _matching(element: Element, rules: Rules) -> Style:
    has = {f".{name}" for name in (element.get("class") or "").split()} | {f"#{element.get('id')}"}
    style: Style = {}
    for mark in sorted(has & rules.keys()):
        for tag, marks, given in rules[mark]:
            if marks <= has and tag in ("", element.tag):
                style.update(given)
    return style
