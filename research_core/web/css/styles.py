"""What an element's style does to its text: whether a reader can see it, and if not, why.

It takes properties and values as they stand in the markup. What applies to an element is the
question of `sheets`; what is done about it, of `hidden`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from research_core.web.css.values import (
    LENGTH,
    Colour,
    alike,
    colour,
    faint,
    ground,
    lengths,
    pixels,
    transparent,
    worked_out,
)
from research_core.web.documents.tally import (
    NO_ROOM,
    NOT_DISPLAYED,
    OFF_SCREEN,
    SAME_COLOUR,
    TRANSPARENT,
)

#: Less than this is too small to read, or out of sight; in pixels, and in the share of an inherited
#: size or a length in em.
SMALL_PX, SMALL_EM, SMALL_REM = 2.0, 0.3, 0.2
#: Text that says no size of its own.
USUAL_PX = 16.0
FAR_PX = 900.0
#: What is placed by itself so far above its place is above the page as a rule.
ABOVE_PX = 400.0
#: A share of its size to which nothing can be shrunk and still be read.
SHRUNK = 0.05
#: All of a side (see `values`), as good as; and what is out of sight below a screen.
WHOLE, HEIGHT = 995.0, 1_000.0
#: Beyond the right edge of any screen.
FAR_RIGHT_PX = 4_000.0
LONGEST_VALUE = 200
#: What is in quotation marks, or an address, says nothing of the style; but it may look as if it
#: did.
_PLAIN = re.compile(
    r"/\*.*?(?:\*/|\Z)|<!--|-->|url\([^\"'()]*+\)|\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\([0-9a-f]{1,6})\s?", re.IGNORECASE)
_FONT_SIZE = re.compile(r"(?:.*\s)?([\d.]+[a-z%]*)[/\s].*")
_SHAPE = re.compile(r"(inset|rect|xywh|circle|ellipse|polygon)\(([^()]*)\)")
_GRADIENT = re.compile(r"gradient\(((?:[^()]|\([^()]*\))*)\)")
_EDGE_ON = re.compile(r"rotate[xy]\(\s*-?(?:90|270)deg")
_SCALED = re.compile(r"scale(?:[xy]|3d)?\(([^()]*)\)")
_MATRIX = re.compile(r"matrix(3d)?\(([^()]*)\)")
_MOVED = re.compile(r"translate[xy3d]*\(([^)]*)\)")

_BEHIND = ("background-color", "background", "background-image")
_WORKS = re.compile(r"(?<![\w-])(?:calc|min|max|clamp)\(")

#: What may give a box of no size one.
_STRETCH = (
    "flex",
    "flex-grow",
    "flex-basis",
    "min-height",
    "min-width",
    "inset",
    "bottom",
    "right",
    "position",
)

Style = dict[str, str]


def declarations(css: str) -> Style:
    """property -> value of an inline style, lower case; the last one counts, and one that is marked
    as important before all others.
    """
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
            plain_value = " ".join(value.replace("!important", "")[:LONGEST_VALUE].split())
            said = both["!important" in value]
            said.pop(name.strip(), None)  # so that they stand in the order in which they count
            said[name.strip()] = (
                worked_out(plain_value) if _WORKS.search(plain_value) else plain_value
            )
    return both


def without_comments(css: str) -> str:
    """CSS without comments, and without what could pass for CSS inside quotation marks and
    addresses.
    """
    return _PLAIN.sub(_without_marks, css)


def _without_marks(found: re.Match[str]) -> str:
    quoted = found[0][0] in "\"'u"
    return found[0] if quoted and not re.search(r"[{};]|/\*", found[0]) else "''" if quoted else ""


def _unescaped(match: re.Match[str]) -> str:
    code = int(match[1], 16)
    return chr(code) if 0 < code < 0xD800 else ""


def unseen(style: Style) -> str:
    """Why the style by itself keeps an element and all within it out of sight; "" where it does
    not.
    """
    return next(
        (
            _TESTS[name][0]
            for name, value in style.items()
            if name in _TESTS and _TESTS[name][1](value, style)
        ),
        "",
    )


def could_hide(style: Style) -> bool:
    """Whether a style could keep text out of sight by itself, or together with what another says of
    the same element.
    """
    return bool(
        unseen(style) or unseen({"position": "fixed", **style, "overflow": "hidden"})
    ) or tiny(style)


def tiny(style: Style) -> bool:
    """Whether text of this style is too small to read. Children may have a size of their own."""
    size = style.get("font-size") or _size_in(style.get("font", ""))
    found = LENGTH.fullmatch(size)
    share = (
        {"%": 100 * SMALL_EM, "em": SMALL_EM, "rem": SMALL_REM}.get(found[2] or "")
        if found
        else None
    )
    if found and share is not None:
        return float(found[1]) <= share
    return (length := pixels(size)) is not None and length <= SMALL_PX


def size(style: Style, around: float) -> float:
    """The size of text of this style in pixels, as far as it is known; around: that of the text
    around it.
    """
    font = style.get("font", "inherit")
    said = style.get("font-size") or _size_in(font) or font
    found = LENGTH.fullmatch(said)
    if found and found[2] in ("em", "%"):
        return around * float(found[1]) / (100 if found[2] == "%" else 1)
    if said in ("inherit", "unset", "smaller", "larger"):
        return around
    return USUAL_PX if (length := pixels(said)) is None else length


def _size_in(font: str) -> str:
    found = _FONT_SIZE.fullmatch(font)
    return found[1] if found else ""


def _far(value: str, _: Style) -> bool:
    return any(length <= -FAR_PX for length in lengths(value))


def _far_aside(value: str, style: Style) -> bool:
    """Sideways the right edge is an end too; down a long page text is only far down."""
    if any(length <= -FAR_PX or length >= FAR_RIGHT_PX for length in lengths(value)[:1]):
        return True
    first = LENGTH.fullmatch(value.replace(",", " ").split()[0]) if value.strip(" ,") else None
    unit = (first[2] or "") if first else ""
    across = unit.endswith("vw") or (unit == "%" and style.get("position") == "fixed")
    return bool(first and across and float(first[1]) >= 100)


def _moved_far(value: str, style: Style) -> bool:
    if _EDGE_ON.search(value) or any(_shrunk(scaled, style) for scaled in _SCALED.findall(value)):
        return True
    if any(
        _gone_by_matrix([pixels(part) or 0.0 for part in parts.split(",")], bool(deep))
        for deep, parts in _MATRIX.findall(value)
    ):
        return True
    return any(_far_aside(moved, {}) or _far(moved, style) for moved in _MOVED.findall(value))


def _shrunk(value: str, _: Style) -> bool:
    """Whether one of the first two shares, across and down, leaves nothing to read; a share below
    zero turns it round.
    """
    found = [LENGTH.fullmatch(part) for part in value.replace(",", " ").split()[:2]]
    return any(abs(float(one[1])) <= SHRUNK * (100 if one[2] == "%" else 1) for one in found if one)


def _gone_by_matrix(parts: list[float], deep: bool) -> bool:
    """The same of a matrix of 6 numbers, or of 16."""
    if len(parts) != (16 if deep else 6):
        return False
    (a, b), (c, d), (aside, down) = (
        (parts[0:2], parts[4:6], parts[12:14]) if deep else (parts[0:2], parts[2:4], parts[4:6])
    )
    return abs(a * d - b * c) <= SHRUNK**2 or not -FAR_PX < aside < FAR_RIGHT_PX or down <= -FAR_PX


def _indented(value: str, style: Style) -> bool:
    """All of a line's width is beyond its end."""
    return _far_aside(value, style) or (
        _cut(style) and any(length >= WHOLE for length in lengths(value)[:1])
    )


def _far_down(value: str, style: Style) -> bool:
    """What is fixed to the screen cannot be scrolled to."""
    return _far(value, style) or (
        style.get("position") == "fixed" and any(length >= HEIGHT for length in lengths(value)[:1])
    )


def _above(value: str, style: Style) -> bool:
    return style.get("position") in ("absolute", "fixed") and any(
        length <= -ABOVE_PX for length in lengths(value)[:1]
    )


def _cut(style: Style) -> bool:
    return any(
        style.get(name) in ("hidden", "clip") for name in ("overflow", "overflow-x", "overflow-y")
    )


def _no_room(value: str, style: Style) -> bool:
    length = pixels(value)
    if length is None or length > 1:
        return False
    return _cut(style) or (
        length <= 0 and _scrolls(style) and not any(name in style for name in _STRETCH)
    )


def _scrolls(style: Style) -> bool:
    return any(
        style.get(name) in ("auto", "scroll") for name in ("overflow", "overflow-x", "overflow-y")
    )


def _no_area(value: str, _: Style) -> bool:
    return any(
        _EMPTY[shape](lengths(arguments.partition("round")[0]))
        for shape, arguments in _SHAPE.findall(value)
    )


def _cut_away(sides: list[float]) -> bool:
    """Whether the cuts from the four sides meet; all of a side is 1,000 pixels here."""
    top, right, bottom, left = {1: sides * 4, 2: sides * 2, 3: [*sides, *sides[1:2]]}.get(
        len(sides), sides
    )[:4]
    return top + bottom >= WHOLE or left + right >= WHOLE


def _flat(points: list[float]) -> bool:
    return any(max(axis) - min(axis) <= 1 for axis in (points[::2], points[1::2]) if axis)


_EMPTY: dict[str, Callable[[list[float]], bool]] = {
    "inset": lambda sides: bool(sides) and _cut_away(sides),
    "rect": lambda ends: len(ends) == 4 and (ends[2] - ends[0] <= 1 or ends[1] - ends[3] <= 1),
    "xywh": lambda box: any(length <= 1 for length in box[2:4]),
    "circle": lambda radius: any(length <= 1 for length in radius[:1]),
    "ellipse": lambda radii: any(length <= 1 for length in radii[:2]),
    "polygon": _flat,
}


def _masked(value: str, _: Style) -> bool:
    """Whether a mask is of gradients that show nothing at all."""
    stops = [
        stop
        for gradient in _GRADIENT.findall(value)
        for stop in re.findall(r"(?:[^,()]|\([^()]*\))+", gradient)
    ]
    colours = [
        stop.strip()
        for stop in stops
        if not re.match(
            r"\s*(?:to |from |at |circle|ellipse|closest|farthest|-?[\d.]+(?:deg|turn|rad))", stop
        )
    ]
    return bool(colours) and all(
        transparent(re.sub(r"(?:\s+-?[\d.]+(?:px|%|r?em)?)+$", "", stop)) for stop in colours
    )


def _on_itself(value: str, style: Style) -> bool:
    behind = background(style)
    if behind is not None and alike(colour(value), behind):
        return True
    named = value.isalpha() and value not in (
        "none",
        "auto",
        "inherit",
        "initial",
        "unset",
        "revert",
        "currentcolor",
    )
    return named and value == style.get("background-color", style.get("background"))


_Test = tuple[str, Callable[[str, Style], bool]]
_TESTS: dict[str, _Test] = {
    "display": (NOT_DISPLAYED, lambda value, _: value == "none"),
    "visibility": (NOT_DISPLAYED, lambda value, _: value in ("hidden", "collapse")),
    "content-visibility": (NOT_DISPLAYED, lambda value, _: value == "hidden"),
    "opacity": (TRANSPARENT, lambda value, _: faint(value)),
    "filter": (
        TRANSPARENT,
        lambda value, _: bool(re.search(r"opacity\(\s*0(?:\.0+)?%?\s*\)", value)),
    ),
    "color": (TRANSPARENT, lambda value, _: transparent(value)),
    "-webkit-text-fill-color": (TRANSPARENT, lambda value, _: transparent(value)),
    "background-color": (SAME_COLOUR, lambda _, style: _on_itself(style.get("color", ""), style)),
    "background": (SAME_COLOUR, lambda _, style: _on_itself(style.get("color", ""), style)),
    "clip": (NO_ROOM, _no_area),
    "clip-path": (NO_ROOM, _no_area),
    "scale": (NO_ROOM, _shrunk),
    "transform": (OFF_SCREEN, _moved_far),
    **dict.fromkeys(
        ("left", "right", "margin-left", "margin-inline-start", "inset-inline-start", "translate"),
        (OFF_SCREEN, _far_aside),
    ),
    "text-indent": (OFF_SCREEN, _indented),
    "top": (OFF_SCREEN, lambda value, style: _above(value, style) or _far_down(value, style)),
    "bottom": (OFF_SCREEN, _far_down),
    **dict.fromkeys(("margin-top", "margin", "inset", "inset-block-start"), (OFF_SCREEN, _far)),
    **dict.fromkeys(
        ("mask", "mask-image", "-webkit-mask", "-webkit-mask-image"), (TRANSPARENT, _masked)
    ),
    **dict.fromkeys(
        ("mask-size", "-webkit-mask-size"),
        (NO_ROOM, lambda value, _: any(length <= 0 for length in lengths(value))),
    ),
    "zoom": (NO_ROOM, lambda value, _: faint(value)),
    **dict.fromkeys(("width", "height", "max-width", "max-height"), (NO_ROOM, _no_room)),
}
#: The properties that bear on being seen.
RELEVANT = frozenset(
    {
        *_TESTS,
        "font-size",
        "font",
        "overflow",
        "overflow-x",
        "overflow-y",
        "position",
        "background-image",
        *_STRETCH,
    }
)


def covers(style: Style) -> bool:
    """Whether a style puts something behind its text whose colour is not known: a picture, what can
    be seen through, or two colours.
    """
    grounds = [ground(style[name]) for name in _BEHIND if name in style]
    return (
        not all(known for _, known in grounds)
        or len({colour for colour, _ in grounds if colour}) > 1
    )


def background(style: Style) -> Colour | None:
    """The colour that a style puts behind its text; None where it puts none there, or one that is
    not known.
    """
    return (
        None
        if covers(style)
        else next((found for name in _BEHIND if (found := ground(style.get(name, ""))[0])), None)
    )
