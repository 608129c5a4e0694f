"""Parse values of styles: lengths in pixels, sums, colours.

What they do to an element's text is decided in `styles`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from tinycss2 import parse_component_value_list
from tinycss2.color4 import Color, parse_color

#: Two colours whose channels (0-255) differ by no more than this look the same.
SAME = 12
#: Share of a colour or an element that nobody sees.
FAINT = 0.05
#: Characters of a value that are read for colours, and sums within sums that are computed.
LONGEST, DEEPEST = 200, 12
#: Units in pixels, of a screen of 1,280 by 800. A percentage is of 1,000 pixels, and a size of
#: text is the usual one.
_PIXELS = {
    "px": 1.0, "": 1.0, "pt": 1.33, "pc": 16.0, "em": 16.0, "rem": 16.0, "ex": 8.0, "ch": 8.0,
    "lh": 20.0, "cm": 38.0, "mm": 3.8, "in": 96.0, "q": 0.95, "%": 10.0,
    "vw": 12.8, "vh": 8.0, "vmin": 8.0, "vmax": 12.8, "vi": 12.8, "vb": 8.0,
}  # fmt: skip
_PIXELS |= {f"{kind}{unit}": _PIXELS[unit] for kind in "sld" for unit in ("vw", "vh")}

#: The largest number, of as many digits as `LENGTH` reads.
LARGEST = 999_999_999.0
LENGTH = re.compile(r"([+-]?(?:\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})(?:e[+-]?\d{1,2})?)([a-z]{1,4}|%)?")
_SUM = re.compile(r"(?<![\w-])(calc|min|max|clamp)?\(([^()]*)\)")
#: The share that is drawn of a colour that is not understood.
_ALPHA = re.compile(r"[a-z]\([^()/]*/\s*([\d.]+%?)\s*\)")
#: The colours of a page without style, and words of a background that are no colour.
_SYSTEM_COLOURS = {"canvas": (255, 255, 255), "canvastext": (0, 0, 0)}
_LAYOUT_WORDS = frozenset(
    "none transparent inherit initial unset revert revert-layer repeat no-repeat repeat-x repeat-y"
    " space round auto cover contain left right top bottom center fixed scroll local border-box"
    " padding-box content-box text".split()
)
#: From the spaces to which tinycss2 converts other colours to the shares of red, green and blue in
#: light (CSS Color 4).
_LIGHT = {
    "xyz-d50": (
        (3.1338561, -1.6168667, -0.4906146),
        (-0.9787684, 1.9161415, 0.0334540),
        (0.0719453, -0.2289914, 1.4052427),
    ),
    "xyz-d65": (
        (3.2409699, -1.5373832, -0.4986108),
        (-0.9692436, 1.8759675, 0.0415551),
        (0.0556301, -0.2039770, 1.0569715),
    ),
}
_TARGET_SPACE = {
    "hsl": "srgb",
    "hwb": "srgb",
    "lab": "xyz-d50",
    "lch": "xyz-d50",
    "oklab": "xyz-d65",
    "oklch": "xyz-d65",
}

Colour = tuple[int, int, int]


# ---------------------------------------------------------------- lengths


def parse_length(value: str) -> float | None:
    """Return a length in pixels; None if it is none."""
    found = LENGTH.fullmatch(value.strip())
    unit = _PIXELS.get(found[2] or "") if found else None
    return float(found[1]) * unit if found and unit is not None else None


def parse_lengths(value: str) -> list[float]:
    """Return all lengths among the parts of a value, in pixels."""
    lengths = map(parse_length, value.replace(",", " ").split())
    return [length for length in lengths if length is not None]


def compute_sums(value: str) -> str:
    """Replace `calc`, `min`, `max` and `clamp` by their results, up to one that is unknown."""
    for _ in range(DEEPEST):
        found = _find_innermost_sum(value)
        if not found:
            break
        results = [_compute_sum(part) for part in found[2].split(",")]
        if not all(results):
            break
        value = f"{value[: found.start()]}{_choose(found[1], results)}{value[found.end() :]}"
    return value


def _find_innermost_sum(value: str) -> re.Match[str] | None:
    for found in _SUM.finditer(value):
        if found[1] or "calc(" in value[: found.start()]:
            return found
    return None


def _choose(function: str | None, results: list[str]) -> str:
    """Return the result of a function of these results."""
    lengths = [length for result in results if (length := LENGTH.fullmatch(result))]
    ranked = sorted((float(length[1]), length[0]) for length in lengths)
    if function == "max":
        return ranked[-1][1]
    if function == "clamp":
        return ranked[len(ranked) // 2][1]
    return ranked[0][1]


def _compute_sum(text: str) -> str:
    """Return the result of a sum without brackets, or "".

    It is a number, a length in pixels, or one in `vw` if it depends on the width of the screen.
    """
    total, is_length = 0.0, False
    parts = re.split(r"\s([+-])\s", f" + {text.strip()}")[1:]
    for sign, term in zip(parts[::2], parts[1::2], strict=True):
        product = 1.0
        factors = re.split(r"\s*([*/])\s*", f"*{term}")[1:]
        for operator, factor in zip(factors[::2], factors[1::2], strict=True):
            number = parse_length(factor)
            if number is None or (operator == "/" and not number):
                return ""
            product = product * number if operator == "*" else product / number
            found = LENGTH.fullmatch(factor.strip())
            is_length = is_length or bool(found and found[2])
        total += product if sign == "+" else -product
    total = max(-LARGEST, min(LARGEST, total))
    if "vw" in text:
        return f"{total / _PIXELS['vw']:.4f}vw"
    return f"{total:.4f}px" if is_length else f"{total:.4f}"


# ---------------------------------------------------------------- colours


def find_colour(value: str) -> Colour | None:
    """Return the first colour in a value as red, green and blue (0-255).

    None if it names none that is known here, or mixes some.
    """
    found = _find_colours(value)
    return found[0][0] if found else None


@lru_cache(maxsize=4096)
def _find_colours(value: str) -> list[tuple[Colour | None, float]]:
    """Return the colours in a value, None for an unknown one, each with its opacity (0-1)."""
    found = map(_parse_colour, parse_component_value_list(value[:LONGEST]))
    return [colour for colour in found if colour]


def _parse_colour(token: Any) -> tuple[Colour | None, float] | None:
    if token.type == "ident" and token.lower_value in _SYSTEM_COLOURS:
        return _SYSTEM_COLOURS[token.lower_value], 1.0
    if token.type == "ident" and token.lower_value == "transparent":
        return None, 0.0
    try:
        found = parse_color(token)
        return (_convert_to_rgb(found), found.alpha) if isinstance(found, Color) else None
    except (ValueError, OverflowError):  # "color()", or a number that no colour has
        return None


def _convert_to_rgb(found: Color) -> Colour | None:
    converted = found.to(_TARGET_SPACE.get(found.space, found.space))
    parts = [float(part or 0.0) for part in converted.coordinates]
    if converted.space in _LIGHT:
        parts = [_convert_from_linear(_multiply_row(row, parts)) for row in _LIGHT[converted.space]]
    elif converted.space not in ("srgb", "display-p3"):
        return None
    red, green, blue = (round(255 * min(1.0, max(0.0, part))) for part in parts)
    return red, green, blue


def _multiply_row(row: tuple[float, ...], parts: list[float]) -> float:
    return sum(share * part for share, part in zip(row, parts, strict=True))


def _convert_from_linear(light: float) -> float:
    """Return the sRGB value of linear light."""
    return 12.92 * light if light <= 0.0031308 else 1.055 * light ** (1 / 2.4) - 0.055


@lru_cache(maxsize=4096)
def parse_background_colour(value: str) -> tuple[Colour | None, bool]:
    """Return the colour that the value of a background puts behind text, or None.

    And whether all of the value is understood.
    """
    tokens = parse_component_value_list(value[:LONGEST])
    if not value.strip() or not all(map(_is_understood, tokens)):
        return None, False
    opacities = [opacity for _, opacity in _find_colours(value)]
    if any(opacity <= FAINT for opacity in opacities):
        return None, True
    if any(opacity < 1 for opacity in opacities):
        return None, False
    return find_colour(value), True


def _is_understood(token: Any) -> bool:
    if token.type in ("whitespace", "number", "percentage", "dimension") or token in (",", "/"):
        return True
    if token.type == "ident" and token.lower_value in _LAYOUT_WORDS:
        return True
    found = _parse_colour(token)
    return found is not None and found[0] is not None


def parse_legacy_colour(value: str) -> Colour | None:
    """Return the colour of an attribute such as `bgcolor`, as HTML defines it.

    Anything with a digit is one. None if it is none or not known here.
    """
    value = value.strip().lower()
    if value.isalpha() and not set(value) <= set("abcdef"):
        return find_colour(value)
    if not value or value == "transparent":
        return None
    if re.fullmatch("#[0-9a-f]{3}", value):
        return find_colour(value)
    digits = re.sub("[^0-9a-f]", "0", value[:128].removeprefix("#")) or "0"
    third = -(-len(digits) // 3)
    digits = digits.ljust(3 * third, "0")
    parts = [digits[start : start + third][-8:] for start in (0, third, 2 * third)]
    while len(parts[0]) > 2 and all(part[0] == "0" for part in parts):
        parts = [part[1:] for part in parts]
    red, green, blue = (int(part[:2], 16) for part in parts)
    return red, green, blue


def sets_legacy_colour(value: str) -> bool:
    """Return whether such an attribute sets a colour, known or not."""
    return value.strip().lower() not in ("", "transparent")


def looks_alike(one: Colour | None, other: Colour | None) -> bool:
    """Return whether nobody could tell two colours apart; False if one is unknown."""
    if one is None or other is None:
        return False
    return all(abs(a - b) <= SAME for a, b in zip(one, other, strict=True))


def is_faint(value: str) -> bool:
    """Return whether an opacity is so small that nobody sees anything."""
    found = LENGTH.fullmatch(value)
    return found is not None and float(found[1]) <= FAINT * (100 if found[2] == "%" else 1)


def is_transparent(value: str) -> bool:
    """Return whether nobody sees a colour."""
    known = _find_colours(value)
    if known:
        return known[0][1] <= FAINT
    found = _ALPHA.search(value)
    return found is not None and is_faint(found[1])
