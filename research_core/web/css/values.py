"""Values of styles: lengths in pixels, sums, colours. What they do to an element's text is the
question of `styles`.
"""

from __future__ import annotations

import re
from colorsys import hls_to_rgb
from functools import lru_cache

from research_core.web.css.colors import NAMED, to_rgb

#: Two colours whose channels (0-255) differ by no more than this look the same.
SAME = 12
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
_RGB = re.compile(
    r"rgba?\(\s*([\d.]+%?)[\s,]+([\d.]+%?)[\s,]+([\d.]+%?)\s*(?:[,/]\s*([\d.]+%?)\s*)?\)"
)
_HSL = re.compile(
    r"hsla?\(\s*([\d.]+)(?:deg)?[\s,]+([\d.]+)%[\s,]+([\d.]+)%\s*(?:[,/]\s*([\d.]+%?)\s*)?\)"
)
_WIDE = re.compile(
    r"(oklab|oklch|lab|lch)\(\s*([\d.]+%?)\s+(-?[\d.]+%?)\s+(-?[\d.]+%?)(?:deg)?\s*(?:/\s*[\d.]+%?\s*)?\)"
)
_SHARES = re.compile(
    r"color\(\s*(?:srgb|display-p3)\s+([\d.]+%?)\s+([\d.]+%?)\s+([\d.]+%?)\s*(?:/\s*[\d.]+%?\s*)?\)"
)
#: What a hundredth of each part stands for.
_SCALES = {
    "oklab": (0.01, 0.004, 0.004),
    "oklch": (0.01, 0.004, 3.6),
    "lab": (1.0, 1.25, 1.25),
    "lch": (1.0, 1.5, 3.6),
}
_ALPHA = re.compile(r"[a-z]\([^()/]*/\s*([\d.]+%?)\s*\)")

#: All of a colour that is wholly known, and the words that may stand beside one, or for none, in a
#: background.
_KNOWN = re.compile(
    "|".join(known.pattern for known in (_RGB, _HSL, _WIDE, _SHARES)) + r"|#[0-9a-f]{3,8}\b"
)
_LAID_OUT = frozenset(
    "none transparent inherit initial unset revert revert-layer repeat no-repeat repeat-x repeat-y"
    " space round auto cover contain left right top bottom center fixed scroll local border-box"
    " padding-box content-box text".split()
)

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
    if "color-mix(" in value:
        return None
    if found := re.search(r"#([0-9a-f]{3,8})\b", value):
        digits = found[1] if len(found[1]) >= 6 else "".join(digit * 2 for digit in found[1])
        return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)
    if found := _RGB.search(value):
        return _channel(found[1]), _channel(found[2]), _channel(found[3])
    if found := _HSL.search(value):
        return _from_hsl(float(found[1]), float(found[2]) / 100, float(found[3]) / 100)
    if found := _SHARES.search(value):
        red, green, blue = (round(255 * min(1.0, _number(part, 0.01))) for part in found.groups())
        return red, green, blue
    if found := _WIDE.search(value):
        kind, *parts = found.groups()
        light, first, second = (
            _number(part, scale) for part, scale in zip(parts, _SCALES[kind], strict=True)
        )
        return to_rgb(kind, light, first, second)
    return next((NAMED[word] for word in re.findall(r"[a-z]+", value) if word in NAMED), None)


@lru_cache(maxsize=4096)
def ground(value: str) -> tuple[Colour | None, bool]:
    """The colour that the value of a background puts behind text, None where it puts none; and
    whether all of the value is understood.
    """
    words = _KNOWN.sub(" ", value).replace(",", " ").replace("/", " ").split()
    understood = all(word in NAMED or word in _LAID_OUT or LENGTH.fullmatch(word) for word in words)
    if not understood or not value.strip():
        return None, False
    if any(transparent(found[0]) for found in _KNOWN.finditer(value)):
        return None, True
    return (None, False) if _lets_through(value) else (colour(value), True)


def legacy_colour(value: str) -> Colour | None:
    """The colour in an attribute of old, as HTML has it: anything with a digit is one. None where
    it is none, or not known here.
    """
    value = value.strip().lower()
    if value.isalpha() and not set(value) <= set("abcdef"):
        return NAMED.get(value)
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


def _channel(value: str) -> int:
    number = float(value.rstrip("%")) if value.strip("%.").replace(".", "", 1).isdigit() else 0.0
    return round(min(255.0, number * 2.55 if value.endswith("%") else number))


def _number(part: str, hundredth: float) -> float:
    """A number, or a share of the whole; hundredth: what one in a hundred comes to. 0 where it is
    none; no larger than any colour has.
    """
    found = LENGTH.fullmatch(part)
    return (
        min(1e4, max(-1e4, float(found[1]) * (hundredth if found[2] == "%" else 1)))
        if found
        else 0.0
    )


def _from_hsl(hue: float, saturation: float, lightness: float) -> Colour:
    red, green, blue = hls_to_rgb(hue % 360 / 360, min(1.0, lightness), min(1.0, saturation))
    return round(red * 255), round(green * 255), round(blue * 255)


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
    return found is not None and float(found[1]) <= (5 if found[2] == "%" else 0.05)


def transparent(value: str) -> bool:
    """Whether a colour lets all of what lies behind it through."""
    found = _RGB.search(value) or _HSL.search(value)
    alpha = (found[4] if found else None) or ((_ALPHA.search(value) or ["", None])[1])
    return (
        value == "transparent"
        or bool(alpha and faint(alpha))
        or bool(re.fullmatch(r"#(?:...0|.{6}00)", value))
    )


def _lets_through(value: str) -> bool:
    """Whether a colour lets some of what lies behind it through, so that the two make a third."""
    found = _RGB.search(value) or _HSL.search(value)
    alpha = (found[4] if found else None) or ((_ALPHA.search(value) or ["", None])[1])
    digits = re.search(r"#(?:[0-9a-f]{3}([0-9a-f])|[0-9a-f]{6}([0-9a-f]{2}))\b", value)
    share = LENGTH.fullmatch(alpha) if alpha else None
    clear = bool(share and float(share[1]) < (100 if share[2] == "%" else 1))
    return clear or bool(digits and (digits[1] or digits[2]).strip("f"))
