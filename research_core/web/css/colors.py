"""Colours by name, and in the spaces that follow the eye (`lab`, `lch`, `oklab`, `oklch`), as red,
green and blue. It reads no CSS around them.

The figures are those of CSS Color 4; what a screen cannot show is cut off at the nearest end of
each channel.
"""

from __future__ import annotations

from collections.abc import Callable
from math import cos, radians, sin

_HEX = """
aliceblue f0f8ff antiquewhite faebd7 aqua 00ffff aquamarine 7fffd4 azure f0ffff beige f5f5dc bisque ffe4c4 black 000000
blanchedalmond ffebcd blue 0000ff blueviolet 8a2be2 brown a52a2a burlywood deb887 cadetblue 5f9ea0 chartreuse 7fff00 chocolate
d2691e coral ff7f50 cornflowerblue 6495ed cornsilk fff8dc crimson dc143c cyan 00ffff darkblue 00008b darkcyan 008b8b darkgoldenrod
b8860b darkgray a9a9a9 darkgreen 006400 darkgrey a9a9a9 darkkhaki bdb76b darkmagenta 8b008b darkolivegreen 556b2f darkorange ff8c00
darkorchid 9932cc darkred 8b0000 darksalmon e9967a darkseagreen 8fbc8f darkslateblue 483d8b darkslategray 2f4f4f darkslategrey
2f4f4f darkturquoise 00ced1 darkviolet 9400d3 deeppink ff1493 deepskyblue 00bfff dimgray 696969 dimgrey 696969 dodgerblue 1e90ff
firebrick b22222 floralwhite fffaf0 forestgreen 228b22 fuchsia ff00ff gainsboro dcdcdc ghostwhite f8f8ff gold ffd700 goldenrod
daa520 gray 808080 green 008000 greenyellow adff2f grey 808080 honeydew f0fff0 hotpink ff69b4 indianred cd5c5c indigo 4b0082 ivory
fffff0 khaki f0e68c lavender e6e6fa lavenderblush fff0f5 lawngreen 7cfc00 lemonchiffon fffacd lightblue add8e6 lightcoral f08080
lightcyan e0ffff lightgoldenrodyellow fafad2 lightgray d3d3d3 lightgreen 90ee90 lightgrey d3d3d3 lightpink ffb6c1 lightsalmon ffa07a
lightseagreen 20b2aa lightskyblue 87cefa lightslategray 778899 lightslategrey 778899 lightsteelblue b0c4de lightyellow ffffe0 lime
00ff00 limegreen 32cd32 linen faf0e6 magenta ff00ff maroon 800000 mediumaquamarine 66cdaa mediumblue 0000cd mediumorchid ba55d3
mediumpurple 9370db mediumseagreen 3cb371 mediumslateblue 7b68ee mediumspringgreen 00fa9a mediumturquoise 48d1cc mediumvioletred
c71585 midnightblue 191970 mintcream f5fffa mistyrose ffe4e1 moccasin ffe4b5 navajowhite ffdead navy 000080 oldlace fdf5e6 olive
808000 olivedrab 6b8e23 orange ffa500 orangered ff4500 orchid da70d6 palegoldenrod eee8aa palegreen 98fb98 paleturquoise afeeee
palevioletred db7093 papayawhip ffefd5 peachpuff ffdab9 peru cd853f pink ffc0cb plum dda0dd powderblue b0e0e6 purple 800080
rebeccapurple 663399 red ff0000 rosybrown bc8f8f royalblue 4169e1 saddlebrown 8b4513 salmon fa8072 sandybrown f4a460 seagreen 2e8b57
seashell fff5ee sienna a0522d silver c0c0c0 skyblue 87ceeb slateblue 6a5acd slategray 708090 slategrey 708090 snow fffafa
springgreen 00ff7f steelblue 4682b4 tan d2b48c teal 008080 thistle d8bfd8 tomato ff6347 turquoise 40e0d0 violet ee82ee wheat f5deb3
white ffffff whitesmoke f5f5f5 yellow ffff00 yellowgreen 9acd32
"""
#: The colours of CSS Color 4 by name, and those that a page of no style has.
NAMED: dict[str, tuple[int, int, int]] = {
    name: (int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:], 16))
    for name, digits in zip(_HEX.split()[::2], _HEX.split()[1::2], strict=True)
}
NAMED |= {"canvas": NAMED["white"], "canvastext": NAMED["black"]}

Three = tuple[float, float, float]

_OK_ROOTS = (
    (1.0, 0.3963377774, 0.2158037573),
    (1.0, -0.1055613458, -0.0638541728),
    (1.0, -0.0894841775, -1.2914855480),
)
_FROM_OK = (
    (4.0767416621, -3.3077115913, 0.2309699292),
    (-1.2684380046, 2.6097574011, -0.3413193965),
    (-0.0041960863, -0.7034186147, 1.707614701),
)
_FROM_XYZ = (
    (3.1338561, -1.6168667, -0.4906146),
    (-0.9787684, 1.9161415, 0.0334540),
    (0.0719453, -0.2289914, 1.4052427),
)


def to_rgb(kind: str, light: float, first: float, second: float) -> tuple[int, int, int]:
    """light is 0-1 for the kinds that begin with "ok", else 0-100; then two axes, or for "lch"
    kinds chroma and hue in degrees.
    """
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
    x, y, z = (
        part**3 if part > 6 / 29 else (116 * part - 16) / 903.3
        for part in (middle + a / 500, middle, middle - b / 200)
    )
    return _times(_FROM_XYZ, (x * 0.96422, y, z * 0.82521))


_LINEAR: dict[bool, Callable[[Three], Three]] = {True: _from_oklab, False: _from_lab}


def _times(matrix: tuple[Three, Three, Three], colour: Three) -> Three:
    first, second, third = (
        sum(share * part for share, part in zip(row, colour, strict=True)) for row in matrix
    )
    return first, second, third


def _drawn(linear: float) -> int:
    linear = min(1.0, max(0.0, linear))
    return round(
        255 * (12.92 * linear if linear <= 0.0031308 else 1.055 * linear ** (1 / 2.4) - 0.055)
    )
