"""Parse the declarations of an element, and tell whether they hide its text, and why.

Which declarations apply to an element is decided in `cascade`; what is done about hidden text, in
`html.visibility`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from research_core.web.css.values import (
    LENGTH,
    Colour,
    compute_sums,
    find_colour,
    is_faint,
    is_transparent,
    looks_alike,
    parse_background_colour,
    parse_length,
    parse_lengths,
)
from research_core.web.documents.tally import (
    NO_ROOM,
    NOT_DISPLAYED,
    OFF_SCREEN,
    SAME_COLOUR,
    TRANSPARENT,
)

#: The largest size of text that is too small to read: in pixels, and as shares of an inherited
#: size and of the page's size.
SMALL_PX, SMALL_EM, SMALL_REM = 2.0, 0.3, 0.2
#: Size of text that sets none.
DEFAULT_PX = 16.0
#: Distance at which text is off the screen.
FAR_PX = 900.0
#: Distance above its place at which a box with a position of its own is above the page.
ABOVE_PX = 400.0
#: Scale at which nothing can be read.
SHRUNK = 0.05
#: As good as all of a side (see `values`), and a distance below any screen.
WHOLE, HEIGHT = 995.0, 1_000.0
#: Distance beyond the right edge of any screen.
FAR_RIGHT_PX = 4_000.0
LONGEST_VALUE = 200
_COMMENT_OR_QUOTE = re.compile(
    r"/\*.*?(?:\*/|\Z)|<!--|-->|url\([^\"'()]*+\)|\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'",
    re.DOTALL,
)
_CSS_MARK = re.compile(r"[{};]|/\*")
_ESCAPE = re.compile(r"\\([0-9a-f]{1,6})\s?", re.IGNORECASE)
_FONT_SIZE = re.compile(r"(?:.*\s)?([\d.]+[a-z%]*)[/\s].*")
_SHAPE = re.compile(r"(inset|rect|xywh|circle|ellipse|polygon)\(([^()]*)\)")
_GRADIENT = re.compile(r"gradient\(((?:[^()]|\([^()]*\))*)\)")
_GRADIENT_PART = re.compile(r"(?:[^,()]|\([^()]*\))+")
_GRADIENT_SHAPE = re.compile(
    r"\s*(?:to |from |at |circle|ellipse|closest|farthest|-?[\d.]+(?:deg|turn|rad))"
)
_STOP_PLACE = re.compile(r"(?:\s+-?[\d.]+(?:px|%|r?em)?)+$")
_EDGE_ON = re.compile(r"rotate[xy]\(\s*-?(?:90|270)deg")
_SCALED = re.compile(r"scale(?:[xy]|3d)?\(([^()]*)\)")
_MATRIX = re.compile(r"matrix(3d)?\(([^()]*)\)")
_MOVED = re.compile(r"translate[xy3d]*\(([^)]*)\)")
_NO_OPACITY = re.compile(r"opacity\(\s*0(?:\.0+)?%?\s*\)")
_SUMS = re.compile(r"(?<![\w-])(?:calc|min|max|clamp)\(")

_BEHIND = ("background-color", "background", "background-image")
_OVERFLOW = ("overflow", "overflow-x", "overflow-y")
#: Properties that may give a box of no size one.
_STRETCH = (
    "flex", "flex-grow", "flex-basis", "min-height", "min-width", "inset", "bottom", "right",
    "position",
)  # fmt: skip

#: Property -> value, both in lower case.
Style = dict[str, str]


# ---------------------------------------------------------------- declarations


def parse_declarations(css: str) -> Style:
    """Parse declarations; the last of a property counts, and an important one before others."""
    normal, important = split_importance(css)
    return {**normal, **important}


def split_importance(css: str) -> tuple[Style, Style]:
    """Parse declarations into those that are not important and those that are."""
    normal: Style = {}
    important: Style = {}
    if not css:
        return normal, important
    plain = _ESCAPE.sub(_decode_escape, drop_comments(css)).lower()
    for part in plain.split(";"):
        name, _, value = part.partition(":")
        name = name.strip()
        if not value.strip():
            continue
        style = important if "!important" in value else normal
        value = " ".join(value.replace("!important", "")[:LONGEST_VALUE].split())
        if _SUMS.search(value):
            value = compute_sums(value)
        style.pop(name, None)  # so that they are in the order in which they count
        style[name] = value
    return normal, important


def drop_comments(css: str) -> str:
    """Return CSS without comments, and without strings and addresses that could pass for CSS."""
    return _COMMENT_OR_QUOTE.sub(_blank_comment_or_quote, css)


def _blank_comment_or_quote(found: re.Match[str]) -> str:
    if found[0][0] not in "\"'u":
        return ""
    return "''" if _CSS_MARK.search(found[0]) else found[0]


def _decode_escape(match: re.Match[str]) -> str:
    code = int(match[1], 16)
    return chr(code) if 0 < code < 0xD800 else ""


# ---------------------------------------------------------------- what hides


def find_hiding_reason(style: Style) -> str:
    """Return why a style keeps an element and all within it out of sight, or ""."""
    for name, value in style.items():
        if name in _TESTS:
            reason, hides = _TESTS[name]
            if hides(value, style):
                return reason
    return ""


def could_hide(style: Style) -> bool:
    """Return whether a style hides text by itself or together with another of the same element."""
    if find_hiding_reason(style) or is_tiny(style):
        return True
    return bool(find_hiding_reason({"position": "fixed", **style, "overflow": "hidden"}))


def is_tiny(style: Style) -> bool:
    """Return whether text is too small to read; text of its children may have another size."""
    size = style.get("font-size") or _find_size_in_font(style.get("font", ""))
    found = LENGTH.fullmatch(size)
    limits = {"%": 100 * SMALL_EM, "em": SMALL_EM, "rem": SMALL_REM}
    if found and found[2] in limits:
        return float(found[1]) <= limits[found[2]]
    length = parse_length(size)
    return length is not None and length <= SMALL_PX


def compute_text_size(style: Style, around: float) -> float:
    """Return the size of text in pixels, as far as it is known.

    around: that of the text around it.
    """
    font = style.get("font", "inherit")
    size = style.get("font-size") or _find_size_in_font(font) or font
    found = LENGTH.fullmatch(size)
    if found and found[2] == "em":
        return around * float(found[1])
    if found and found[2] == "%":
        return around * float(found[1]) / 100
    if size in ("inherit", "unset", "smaller", "larger"):
        return around
    length = parse_length(size)
    return DEFAULT_PX if length is None else length


def _find_size_in_font(font: str) -> str:
    found = _FONT_SIZE.fullmatch(font)
    return found[1] if found else ""


# ---------------------------------------------------------------- off the screen


def _is_far(value: str, _: Style) -> bool:
    return any(length <= -FAR_PX for length in parse_lengths(value))


def _is_far_aside(value: str, style: Style) -> bool:
    """Return whether the first length leads off the screen on the left or on the right.

    Down a page text is only far down, but sideways the right edge is an end too.
    """
    for length in parse_lengths(value)[:1]:
        if length <= -FAR_PX or length >= FAR_RIGHT_PX:
            return True
    parts = value.replace(",", " ").split()
    first = LENGTH.fullmatch(parts[0]) if parts else None
    if not first or float(first[1]) < 100:
        return False
    unit = first[2] or ""
    return unit.endswith("vw") or (unit == "%" and style.get("position") == "fixed")


def _is_transformed_away(value: str, style: Style) -> bool:
    if _EDGE_ON.search(value):
        return True
    if any(_is_shrunk(scaled, style) for scaled in _SCALED.findall(value)):
        return True
    for deep, parts in _MATRIX.findall(value):
        numbers = [parse_length(part) or 0.0 for part in parts.split(",")]
        if _matrix_hides(numbers, bool(deep)):
            return True
    return any(_is_far_aside(moved, {}) or _is_far(moved, style) for moved in _MOVED.findall(value))


def _is_shrunk(value: str, _: Style) -> bool:
    """Return whether one of the first two scales, across and down, leaves nothing to read.

    A scale below zero turns it round.
    """
    for part in value.replace(",", " ").split()[:2]:
        scale = LENGTH.fullmatch(part)
        if scale and abs(float(scale[1])) <= SHRUNK * (100 if scale[2] == "%" else 1):
            return True
    return False


def _matrix_hides(parts: list[float], deep: bool) -> bool:
    """Return whether a matrix of 6 numbers, or of 16, shrinks or moves text out of sight."""
    if len(parts) != (16 if deep else 6):
        return False
    if deep:
        (a, b), (c, d), (aside, down) = parts[0:2], parts[4:6], parts[12:14]
    else:
        a, b, c, d, aside, down = parts
    is_shrunk = abs(a * d - b * c) <= SHRUNK**2
    return is_shrunk or not -FAR_PX < aside < FAR_RIGHT_PX or down <= -FAR_PX


def _is_indented_away(value: str, style: Style) -> bool:
    if _is_far_aside(value, style):
        return True
    return _cuts_overflow(style) and any(length >= WHOLE for length in parse_lengths(value)[:1])


def _is_far_down(value: str, style: Style) -> bool:
    """Return whether a vertical place is off the screen; a fixed box cannot be scrolled to."""
    if _is_far(value, style):
        return True
    is_below = any(length >= HEIGHT for length in parse_lengths(value)[:1])
    return is_below and style.get("position") == "fixed"


def _is_off_top(value: str, style: Style) -> bool:
    is_above = any(length <= -ABOVE_PX for length in parse_lengths(value)[:1])
    if is_above and style.get("position") in ("absolute", "fixed"):
        return True
    return _is_far_down(value, style)


# ---------------------------------------------------------------- no room


def _cuts_overflow(style: Style) -> bool:
    return any(style.get(name) in ("hidden", "clip") for name in _OVERFLOW)


def _scrolls_overflow(style: Style) -> bool:
    return any(style.get(name) in ("auto", "scroll") for name in _OVERFLOW)


def _has_no_size(value: str, style: Style) -> bool:
    length = parse_length(value)
    if length is None or length > 1:
        return False
    if _cuts_overflow(style):
        return True
    may_stretch = any(name in style for name in _STRETCH)
    return length <= 0 and _scrolls_overflow(style) and not may_stretch


def _has_no_area(value: str, _: Style) -> bool:
    shapes = [(shape, rest.partition("round")[0]) for shape, rest in _SHAPE.findall(value)]
    return any(_EMPTY_SHAPES[shape](parse_lengths(lengths)) for shape, lengths in shapes)


def _is_cut_away(sides: list[float]) -> bool:
    """Return whether cuts from the sides, given as for `margin`, meet."""
    if not sides:
        return False
    filled = {1: sides * 4, 2: sides * 2, 3: [*sides, *sides[1:2]]}.get(len(sides), sides)
    top, right, bottom, left = filled[:4]
    return top + bottom >= WHOLE or left + right >= WHOLE


def _is_flat(points: list[float]) -> bool:
    return any(max(axis) - min(axis) <= 1 for axis in (points[::2], points[1::2]) if axis)


#: Whether a shape with these lengths encloses next to nothing.
_EMPTY_SHAPES: dict[str, Callable[[list[float]], bool]] = {
    "inset": _is_cut_away,
    "rect": lambda ends: len(ends) == 4 and (ends[2] - ends[0] <= 1 or ends[1] - ends[3] <= 1),
    "xywh": lambda box: any(length <= 1 for length in box[2:4]),
    "circle": lambda radius: any(length <= 1 for length in radius[:1]),
    "ellipse": lambda radii: any(length <= 1 for length in radii[:2]),
    "polygon": _is_flat,
}

# ---------------------------------------------------------------- transparent or in its own colour


def _is_masked(value: str, _: Style) -> bool:
    """Return whether a mask consists of gradients that show nothing at all."""
    colours = []
    for gradient in _GRADIENT.findall(value):
        for part in _GRADIENT_PART.findall(gradient):
            if not _GRADIENT_SHAPE.match(part):
                colours.append(_STOP_PLACE.sub("", part.strip()))
    return bool(colours) and all(map(is_transparent, colours))


def _is_on_itself(_: str, style: Style) -> bool:
    """Return whether the text has the colour of its own background."""
    colour = style.get("color", "")
    behind = find_background(style)
    if behind is not None and looks_alike(find_colour(colour), behind):
        return True
    if not colour.isalpha() or colour in _NO_COLOURS:
        return False
    return colour == style.get("background-color", style.get("background"))


_NO_COLOURS = ("none", "auto", "inherit", "initial", "unset", "revert", "currentcolor")

_Test = tuple[str, Callable[[str, Style], bool]]
#: Property -> the reason why it may hide text, and whether a value of it does in a style.
_TESTS: dict[str, _Test] = {
    "display": (NOT_DISPLAYED, lambda value, _: value == "none"),
    "visibility": (NOT_DISPLAYED, lambda value, _: value in ("hidden", "collapse")),
    "content-visibility": (NOT_DISPLAYED, lambda value, _: value == "hidden"),
    "opacity": (TRANSPARENT, lambda value, _: is_faint(value)),
    "filter": (TRANSPARENT, lambda value, _: bool(_NO_OPACITY.search(value))),
    "color": (TRANSPARENT, lambda value, _: is_transparent(value)),
    "-webkit-text-fill-color": (TRANSPARENT, lambda value, _: is_transparent(value)),
    "background-color": (SAME_COLOUR, _is_on_itself),
    "background": (SAME_COLOUR, _is_on_itself),
    "clip": (NO_ROOM, _has_no_area),
    "clip-path": (NO_ROOM, _has_no_area),
    "scale": (NO_ROOM, _is_shrunk),
    "zoom": (NO_ROOM, lambda value, _: is_faint(value)),
    "transform": (OFF_SCREEN, _is_transformed_away),
    "text-indent": (OFF_SCREEN, _is_indented_away),
    "top": (OFF_SCREEN, _is_off_top),
    "bottom": (OFF_SCREEN, _is_far_down),
    **dict.fromkeys(
        ("left", "right", "margin-left", "margin-inline-start", "inset-inline-start", "translate"),
        (OFF_SCREEN, _is_far_aside),
    ),
    **dict.fromkeys(("margin-top", "margin", "inset", "inset-block-start"), (OFF_SCREEN, _is_far)),
    **dict.fromkeys(
        ("mask", "mask-image", "-webkit-mask", "-webkit-mask-image"), (TRANSPARENT, _is_masked)
    ),
    **dict.fromkeys(
        ("mask-size", "-webkit-mask-size"),
        (NO_ROOM, lambda value, _: any(length <= 0 for length in parse_lengths(value))),
    ),
    **dict.fromkeys(("width", "height", "max-width", "max-height"), (NO_ROOM, _has_no_size)),
}
#: The properties that bear on being seen.
RELEVANT = frozenset({*_TESTS, *_STRETCH, *_OVERFLOW, "font-size", "font", "background-image"})


def covers_background(style: Style) -> bool:
    """Return whether a style puts something of unknown colour behind its text.

    That is a picture, something translucent, or two colours.
    """
    colours = set()
    for name in _BEHIND:
        if name in style:
            colour, known = parse_background_colour(style[name])
            if not known:
                return True
            if colour:
                colours.add(colour)
    return len(colours) > 1


def find_background(style: Style) -> Colour | None:
    """Return the colour that a style puts behind its text; None if none or unknown."""
    if covers_background(style):
        return None
    for name in _BEHIND:
        colour, _ = parse_background_colour(style.get(name, ""))
        if colour:
            return colour
    return None
