"""What an element's style does to its text: whether a reader can see it, and if not, why.

It takes properties and values as they stand in the markup. What applies to an element is the question of `sheets`; what is done
about it, of `hidden`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from colorsys import hls_to_rgb

from research_core.web.tally import NO_ROOM, NOT_DISPLAYED, OFF_SCREEN, SAME_COLOUR, TRANSPARENT

#: Less than this is too small to read, or out of sight; in pixels, and in the share of an inherited size or a length in em.
SMALL_PX, SMALL_EM = 2.0, 0.2
FAR_PX = 900.0
#: Beyond the right edge of any screen.
FAR_RIGHT_PX = 4_000.0
#: Two colours whose channels (0-255) differ by no more than this look the same.
SAME = 12
LONGEST_VALUE = 200
_PIXELS = {"px": 1.0, "": 1.0, "pt": 1.33, "em": 16.0, "rem": 16.0, "ex": 8.0, "ch": 8.0, "vw": 12.0, "vh": 8.0, "cm": 38.0, "mm": 3.8}
_NAMED = {
    "white": (255, 255, 255), "black": (0, 0, 0), "red": (255, 0, 0), "blue": (0, 0, 255), "green": (0, 128, 0), "snow": (255, 250, 250),
    "ivory": (255, 255, 240), "ghostwhite": (248, 248, 255), "floralwhite": (255, 250, 240), "whitesmoke": (245, 245, 245),
    "mintcream": (245, 255, 250), "azure": (240, 255, 255), "seashell": (255, 245, 238), "yellow": (255, 255, 0), "navy": (0, 0, 128),
    "gray": (128, 128, 128), "grey": (128, 128, 128), "silver": (192, 192, 192), "orange": (255, 165, 0), "maroon": (128, 0, 0),
}  # fmt: skip

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_ESCAPE = re.compile(r"\\([0-9a-f]{1,6})\s?", re.IGNORECASE)
_LENGTH = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(px|pt|em|rem|ex|ch|vw|vh|cm|mm|%)?")
_FONT_SIZE = re.compile(r"(?:.*\s)?([\d.]+[a-z%]*)[/\s].*")
_RGB = re.compile(r"rgba?\(\s*(\d+)[\s,]+(\d+)[\s,]+(\d+)\s*(?:[,/]\s*([\d.]+%?)\s*)?\)")
_HSL = re.compile(r"hsla?\(\s*([\d.]+)(?:deg)?[\s,]+([\d.]+)%[\s,]+([\d.]+)%\s*(?:[,/]\s*([\d.]+%?)\s*)?\)")
_NO_AREA = re.compile(r"rect\((?:\s*[01](?:px)?[\s,]*){4}\)|inset\(\s*(?:[5-9]\d|100)%|circle\(\s*0|polygon\((?:\s*0(?:px)?,?)+\s*\)")
_NO_SCALE = re.compile(r"scale[xy3d]*\(\s*0(?:\.0+)?\s*[,)]|matrix\(\s*0\s*,")
_MOVED = re.compile(r"translate[xy3d]*\(([^)]*)\)")

Style = dict[str, str]
Colour = tuple[int, int, int]


def declarations(css: str) -> Style:
    """property -> value of an inline style, lower case; the last one counts, and one that is marked as important before all others."""
    normal, important = by_importance(css)
    return {**normal, **important}


def by_importance(css: str) -> tuple[Style, Style]:
    """What a style declares, and what it declares as important."""
    if not css:
        return {}, {}
    plain = _ESCAPE.sub(_unescaped, without_comments(css)).lower()
    both: tuple[Style, Style] = {}, {}
    for part in plain.split(";"):
        name, _, value = part.partition(":")
        if value.strip():
            both["!important" in value][name.strip()] = " ".join(value.replace("!important", "")[:LONGEST_VALUE].split())
    return both


def without_comments(css: str) -> str:
    return _COMMENT.sub("", css)


def _unescaped(match: re.Match[str]) -> str:
    code = int(match[1], 16)
    return chr(code) if 0 < code < 0xD800 else ""


def unseen(style: Style) -> str:
    """Why the style by itself keeps an element and all within it out of sight; "" where it does not."""
    return next((_TESTS[name][0] for name, value in style.items() if name in _TESTS and _TESTS[name][1](value, style)), "")


def could_hide(style: Style) -> bool:
    """Whether a style could keep text out of sight by itself, or together with what another says of the same element."""
    return bool(unseen(style) or unseen({**style, "overflow": "hidden"})) or tiny(style)


def tiny(style: Style) -> bool:
    """Whether text of this style is too small to read. Children may have a size of their own."""
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


def _lengths(value: str) -> list[float]:
    return [length for part in value.replace(",", " ").split() if (length := _pixels(part)) is not None]


def _far(value: str, _: Style) -> bool:
    return any(length <= -FAR_PX for length in _lengths(value))


def _far_aside(value: str, _: Style) -> bool:
    """Sideways the right edge is an end too; down a long page text is only far down."""
    return any(length <= -FAR_PX or length >= FAR_RIGHT_PX for length in _lengths(value)[:1])


def _moved_far(value: str, style: Style) -> bool:
    return bool(_NO_SCALE.search(value)) or any(_far_aside(moved, style) or _far(moved, style) for moved in _MOVED.findall(value))


def _no_room(value: str, style: Style) -> bool:
    length = _pixels(value)
    cut = any(style.get(name) in ("hidden", "clip") for name in ("overflow", "overflow-x", "overflow-y"))
    return cut and length is not None and length <= 1


def _faint(value: str, _: Style) -> bool:
    found = _LENGTH.fullmatch(value)
    return found is not None and float(found[1]) <= (5 if found[2] == "%" else 0.05)


def _on_itself(value: str, style: Style) -> bool:
    behind = background(style)
    return behind is not None and alike(colour(value), behind)


def transparent(value: str) -> bool:
    """Whether a colour lets all of what lies behind it through."""
    found = _RGB.search(value) or _HSL.search(value)
    return value == "transparent" or bool(found and found[4] and _faint(found[4], {})) or bool(re.fullmatch(r"#(?:...0|.{6}00)", value))


_Test = tuple[str, Callable[[str, Style], bool]]
_TESTS: dict[str, _Test] = {
    "display": (NOT_DISPLAYED, lambda value, _: value == "none"),
    "visibility": (NOT_DISPLAYED, lambda value, _: value in ("hidden", "collapse")),
    "content-visibility": (NOT_DISPLAYED, lambda value, _: value == "hidden"),
    "opacity": (TRANSPARENT, _faint),
    "filter": (TRANSPARENT, lambda value, _: bool(re.search(r"opacity\(\s*0(?:\.0+)?%?\s*\)", value))),
    "color": (TRANSPARENT, lambda value, _: transparent(value)),
    "-webkit-text-fill-color": (TRANSPARENT, lambda value, _: transparent(value)),
    "background-color": (SAME_COLOUR, lambda _, style: _on_itself(style.get("color", ""), style)),
    "background": (SAME_COLOUR, lambda _, style: _on_itself(style.get("color", ""), style)),
    "clip": (NO_ROOM, lambda value, _: bool(_NO_AREA.search(value))),
    "clip-path": (NO_ROOM, lambda value, _: bool(_NO_AREA.search(value))),
    "scale": (NO_ROOM, lambda value, _: bool(re.match(r"0(?:\.0+)?%?(?:\s|$)", value))),
    "transform": (OFF_SCREEN, _moved_far),
    **dict.fromkeys(("left", "right", "text-indent", "margin-left", "translate"), (OFF_SCREEN, _far_aside)),
    **dict.fromkeys(("top", "bottom", "margin-top", "margin", "inset"), (OFF_SCREEN, _far)),
    **dict.fromkeys(("width", "height", "max-width", "max-height"), (NO_ROOM, _no_room)),
}
#: The properties that bear on being seen.
RELEVANT = frozenset({*_TESTS, "font-size", "font", "overflow", "overflow-x", "overflow-y"})


# ---------------------------------------------------------------- colours


def colour(value: str) -> Colour | None:
    """Red, green and blue (0-255) of the first colour in a value; None when it names none that is known here."""
    if found := re.search(r"#([0-9a-f]{3,8})\b", value):
        digits = found[1] if len(found[1]) >= 6 else "".join(digit * 2 for digit in found[1])
        return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)
    if found := _RGB.search(value):
        return int(found[1]), int(found[2]), int(found[3])
    if found := _HSL.search(value):
        return _from_hsl(float(found[1]), float(found[2]) / 100, float(found[3]) / 100)
    return next((_NAMED[word] for word in re.findall(r"[a-z]+", value) if word in _NAMED), None)


def _from_hsl(hue: float, saturation: float, lightness: float) -> Colour:
    red, green, blue = hls_to_rgb(hue % 360 / 360, min(1.0, lightness), min(1.0, saturation))
    return round(red * 255), round(green * 255), round(blue * 255)


def alike(one: Colour | None, other: Colour | None) -> bool:
    """Whether nobody could tell the two apart."""
    return one is not None and other is not None and all(abs(a - b) <= SAME for a, b in zip(one, other, strict=True))


def background(style: Style) -> Colour | None:
    """The colour that a style puts behind its text."""
    return colour(style.get("background-color") or style.get("background") or "")
