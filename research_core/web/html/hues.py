"""Colours in the spaces that follow the eye (`lab`, `lch`, `oklab`, `oklch`) as red, green and blue. It reads no CSS around them.

The figures are those of CSS Color 4; what a screen cannot show is cut off at the nearest end of each channel.
"""

from __future__ import annotations

from collections.abc import Callable
from math import cos, radians, sin

Three = tuple[float, float, float]

_OK_ROOTS = ((1.0, 0.3963377774, 0.2158037573), (1.0, -0.1055613458, -0.0638541728), (1.0, -0.0894841775, -1.2914855480))
_FROM_OK = (
    (4.0767416621, -3.3077115913, 0.2309699292),
    (-1.2684380046, 2.6097574011, -0.3413193965),
    (-0.0041960863, -0.7034186147, 1.707614701),
)
_FROM_XYZ = ((3.1338561, -1.6168667, -0.4906146), (-0.9787684, 1.9161415, 0.0334540), (0.0719453, -0.2289914, 1.4052427))


def to_rgb(kind: str, light: float, first: float, second: float) -> tuple[int, int, int]:
    """light is 0-1 for the kinds that begin with "ok", else 0-100; then two axes, or for "lch" kinds chroma and hue in degrees."""
    if kind.endswith("lch"):
        first, second = first * cos(radians(second)), first * sin(radians(second))
    red, green, blue = _LINEAR[kind.startswith("ok")]((light, first, second))
    return _drawn(red), _drawn(green), _drawn(blue)


def _from_oklab(colour: Three) -> Three:
    long, middle, short = _times(_OK_ROOTS, colour)
    return _times(_FROM_OK, (long**3, middle**3, short**3))


def _from_lab(colour: Three) -> Three:
    light, a, b = colour
    middle = (light + 16) / 116
    x, y, z = (part**3 if part > 6 / 29 else (116 * part - 16) / 903.3 for part in (middle + a / 500, middle, middle - b / 200))
    return _times(_FROM_XYZ, (x * 0.96422, y, z * 0.82521))


_LINEAR: dict[bool, Callable[[Three], Three]] = {True: _from_oklab, False: _from_lab}


def _times(matrix: tuple[Three, Three, Three], colour: Three) -> Three:
    first, second, third = (sum(share * part for share, part in zip(row, colour, strict=True)) for row in matrix)
    return first, second, third


def _drawn(linear: float) -> int:
    linear = min(1.0, max(0.0, linear))
    return round(255 * (12.92 * linear if linear <= 0.0031308 else 1.055 * linear ** (1 / 2.4) - 0.055))
