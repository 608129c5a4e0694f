"""Values of styles: lengths in pixels, sums, colours. What they do to an element's text is the
question of `styles`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from tinycss2 import parse_component_value_list
from tinycss2.color4 import Color, parse_color

#: Two colours whose channels (0-255) differ by no more than this look the same.
SAME = 12
#: Nobody sees what is drawn to so small a share.
FAINT = 0.05
#: Characters of a value that are looked at for colours.
LONGEST = 200
#: How wide a hundredth of the screen is, and so on; of the page's own measures what they come to as
#: a rule.
_PIXELS = {
    "px": 1.0,
    "": 1.0,
    "pt": 1.33,
    "pc": 16.0,
    "em": 16.0,
    "rem": 16.0,
    "ex": 8.0,
    "ch": 8.0,
    "lh": 20.0,
    "cm": 38.0,
    "mm": 3.8,
}
_PIXELS |= {
    "in": 96.0,
    "q": 0.95,
    "%": 10.0,
    "vw": 12.8,
    "vh": 8.0,
    "vmin": 8.0,
    "vmax": 12.8,
    "vi": 12.8,
    "vb": 8.0,
}
_PIXELS |= {f"{kind}{unit}": _PIXELS[unit] for kind in "sld" for unit in ("vw", "vh")}
#: Sums within sums that are worked out.
DEEPEST = 12

LENGTH = re.compile(r"([+-]?(?:\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})(?:e[+-]?\d{1,2})?)([a-z]{1,4}|%)?")
_SUM = re.compile(r"(?<![\w-])(calc|min|max|clamp)?\(([^()]*)\)")
#: How much is drawn of a colour that is not understood.
_ALPHA = re.compile(r"[a-z]\([^()/]*/\s*([\d.]+%?)\s*\)")
#: The colours that a page of no style has, and the words that may stand beside a colour, or for
#: none, in a background.
_SYSTEM_COLOURS = {"canvas": (255, 255, 255), "canvastext": (0, 0, 0)}
_LAID_OUT = frozenset(
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


def pixels(value: str) -> float | None:
    """A length in pixels; None where it is none. Parts of what is around count as those of 1,000
    pixels.
    """
    found = LENGTH.fullmatch(value.strip())
    unit = _PIXELS.get(found[2] or "") if found else None
    return float(found[1]) * unit if found and unit is not None else None


def lengths(value: str) -> list[float]:
    """All lengths among the parts of a value."""
    return [
        length for part in value.replace(",", " ").split() if (length := pixels(part)) is not None
    ]


def worked_out(value: str) -> str:
    """The value with what `calc`, `min`, `max` and `clamp` come to in the place of them; as it is
    from where that cannot be told.
    """
    for _ in range(DEEPEST):
        found = next(
            (each for each in _SUM.finditer(value) if each[1] or "calc(" in value[: each.start()]),
            None,
        )
        if not found:
            break
        results = [_result(part) for part in found[2].split(",")]
        if not all(results):
            break
        lengths = [LENGTH.fullmatch(result) for result in results if result]
        numbers = sorted((float(length[1]), length[0]) for length in lengths if length)
        chosen = {"max": numbers[-1], "clamp": numbers[len(numbers) // 2]}.get(
            found[1] or "", numbers[0]
        )[1]
        value = f"{value[: found.start()]}{chosen}{value[found.end() :]}"
    return value


def _result(text: str) -> str:
    """What a sum without brackets comes to: a number, or a length in pixels, or in `vw` where it
    depends on how wide the screen is.
    """
    total, measured = 0.0, False
    parts = re.split(r"\s([+-])\s", f" + {text.strip()}")[1:]
    for sign, term in zip(parts[::2], parts[1::2], strict=True):
        product = 1.0
        factors = re.split(r"\s*([*/])\s*", f"*{term}")[1:]
        for how, factor in zip(factors[::2], factors[1::2], strict=True):
            number, found = pixels(factor), LENGTH.fullmatch(factor.strip())
            if number is None or (how == "/" and not number):
                return ""
            product = product * number if how == "*" else product / number
            measured |= bool(found and found[2])
        total += product if sign == "+" else -product
    total = max(-1e9, min(1e9, total))
    return (
        f"{total / 12.8:.4f}vw"
        if "vw" in text
        else f"{total:.4f}px"
        if measured
        else f"{total:.4f}"
    )


# ---------------------------------------------------------------- colours


def colour(value: str) -> Colour | None:
    """Red, green and blue (0-255) of the first colour in a value; None when it names none that is
    known here, or mixes some.
    """
    return next((rgb for rgb, _ in _colours(value)), None)


@lru_cache(maxsize=4096)
def _colours(value: str) -> list[tuple[Colour | None, float]]:
    """The colours in a value, and how much of each is drawn, 0 to 1; None of one that is not known
    here.
    """
    return [
        found for token in parse_component_value_list(value[:LONGEST]) if (found := _colour(token))
    ]


def _colour(token: Any) -> tuple[Colour | None, float] | None:
    if token.type == "ident" and token.lower_value in _SYSTEM_COLOURS:
        return _SYSTEM_COLOURS[token.lower_value], 1.0
    if token.type == "ident" and token.lower_value == "transparent":
        return None, 0.0
    try:
        found = parse_color(token)
        return (_rgb(found), found.alpha) if isinstance(found, Color) else None
    except (ValueError, OverflowError):  # "color()", or a number that no colour has
        return None


def _rgb(found: Color) -> Colour | None:
    converted = found.to(_TARGET_SPACE.get(found.space, found.space))
    parts = [float(part or 0.0) for part in converted.coordinates]
    if converted.space in _LIGHT:
        light = [
            sum(share * part for share, part in zip(row, parts, strict=True))
            for row in _LIGHT[converted.space]
        ]
        parts = [
            12.92 * one if one <= 0.0031308 else 1.055 * one ** (1 / 2.4) - 0.055 for one in light
        ]
    elif converted.space not in ("srgb", "display-p3"):
        return None
    red, green, blue = (round(255 * min(1.0, max(0.0, part))) for part in parts)
    return red, green, blue


@lru_cache(maxsize=4096)
def ground(value: str) -> tuple[Colour | None, bool]:
    """The colour that the value of a background puts behind text, None where it puts none; and
    whether all of the value is understood.
    """
    if not value.strip() or not all(
        _is_understood(token) for token in parse_component_value_list(value[:LONGEST])
    ):
        return None, False
    drawn = [share for _, share in _colours(value)]
    if any(share <= FAINT for share in drawn):
        return None, True
    return (None, False) if any(share < 1 for share in drawn) else (colour(value), True)


def _is_understood(token: Any) -> bool:
    if token.type in ("whitespace", "number", "percentage", "dimension") or token in (",", "/"):
        return True
    if token.type == "ident" and token.lower_value in _LAID_OUT:
        return True
    found = _colour(token)
    return found is not None and found[0] is not None


def legacy_colour(value: str) -> Colour | None:
    """The colour in an attribute of old, as HTML has it: anything with a digit is one. None where
    it is none, or not known here.
    """
    value = value.strip().lower()
    if value.isalpha() and not set(value) <= set("abcdef"):
        return colour(value)
    if not value or value == "transparent":
        return None
    if re.fullmatch("#[0-9a-f]{3}", value):
        return colour(value)
    digits = re.sub("[^0-9a-f]", "0", value[:128].removeprefix("#")) or "0"
    third = -(-len(digits) // 3)
    parts = [digits.ljust(3 * third, "0")[n * third : (n + 1) * third][-8:] for n in range(3)]
    while len(parts[0]) > 2 and all(part[0] == "0" for part in parts):
        parts = [part[1:] for part in parts]
    red, green, blue = (int(part[:2], 16) for part in parts)
    return red, green, blue


def says_colour(value: str) -> bool:
    """Whether an attribute of old gives a colour, be it known or not."""
    return value.strip().lower() not in ("", "transparent")


def alike(one: Colour | None, other: Colour | None) -> bool:
    """Whether nobody could tell the two apart."""
    return (
        one is not None
        and other is not None
        and all(abs(a - b) <= SAME for a, b in zip(one, other, strict=True))
    )


def faint(value: str) -> bool:
    """Whether so much of a colour or an element is drawn that nobody sees it."""
    found = LENGTH.fullmatch(value)
    return found is not None and float(found[1]) <= FAINT * (100 if found[2] == "%" else 1)


def transparent(value: str) -> bool:
    """Whether a colour lets all of what lies behind it through."""
    known = _colours(value)
    if known:
        return known[0][1] <= FAINT
    found = _ALPHA.search(value)
    return found is not None and faint(found[1])
