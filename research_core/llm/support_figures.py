"""The figures of a sentence that a text does not hold, in whichever form each writes them: digits, words, thousands, scales, units.

It compares values as they are written and converts no unit: 5 km is not met by 5 miles, nor by 5,000 m.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from research_core.text import numbers

_ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_PLACES = "first second third fourth fifth sixth seventh eighth ninth tenth"
_WRITTEN = {
    **{word: n for n, word in enumerate(_ONES.split())},
    **{word: 10 * n for n, word in enumerate(_TENS.split(), 2)},
    **{word: n for n, word in enumerate(_PLACES.split(), 1)},
    "once": 1,
    "twice": 2,
    "dozen": 12,
    "both": 2,
    "single": 1,
}
_SCALES = {"hundred": 100, "thousand": 1_000, "k": 1_000, "million": 1_000_000, "billion": 10**9, "bn": 10**9, "trillion": 10**12}
#: Units that are told from each other, each row one unit.
_UNITS = tuple(
    row.split("|")
    for row in (
        "km|kilometers|kilometres|kilometer|kilometre", "mi|miles|mile", "m|meters|metres|meter|metre", "ft|feet|foot", "inches|inch",
        "cm|centimeters|centimetres|centimeter|centimetre", "mm|millimeters|millimetres", "yards|yard",
        "kg|kilograms|kilogram|kilos", "g|grams|gram", "mg|milligrams", "lb|lbs|pounds", "tons|tonnes|tonne|ton", "oz|ounces",
        "%|percent|per cent|pc", "percentage points|percentage point|pp",
        "seconds|second", "minutes|minute|min", "hours|hour|hrs", "days|day", "weeks|week", "months|month",
        "years|year", "decades|decade", "centuries|century", "°c|celsius", "°f|fahrenheit", "liters|litres|liter|litre", "gallons|gallon",
        "hectares|hectare", "acres|acre", "kw|kilowatts", "mw|megawatts", "gw|gigawatts", "dollars|dollar|usd", "euros|euro|eur",
    )
)  # fmt: skip


def _apart(name: str) -> str:
    """A pattern for a name of a unit that no letter touches."""
    return rf"(?<![^\W\d_]){re.escape(name)}(?![^\W_])" if name[-1].isalnum() else re.escape(name)


_UNIT_OF = {name: row[0] for row in _UNITS for name in row}
_MONEY = {"$": "dollars", "€": "euros", "£": "£"}
_NAMES_OF = {
    unit: re.compile("|".join(map(_apart, names)), re.IGNORECASE)
    for unit, names in {
        **{row[0]: row for row in _UNITS}, "dollars": ["$", *next(row for row in _UNITS if row[0] == "dollars")],
        "euros": ["€", *next(row for row in _UNITS if row[0] == "euros")], "£": ["£", "pounds", "gbp", "sterling"],
    }.items()
}  # fmt: skip
_DIGITS = r"(?<![^\W_])(?<!\d[.,])\d+(?:[.,'’\u00a0\u2009\u202f]\d+)*"
_FIGURE = re.compile(
    rf"(?P<sign>[$€£])?\s?(?P<number>{_DIGITS}|\b(?:{'|'.join(sorted(_WRITTEN, key=len, reverse=True))})\b)(?:(?:st|nd|rd|th|s)\b)?(?!\d)"
    rf"(?:[\s-]?(?P<scale>{'|'.join(_SCALES)})\b)?(?:[\s-]?(?P<unit>{'|'.join(sorted(map(re.escape, _UNIT_OF), key=len, reverse=True))})"
    r"(?![^\W_]))?",
    re.IGNORECASE,
)
_INITIALS = "".join(sorted({word[0] for word in _WRITTEN}))
_HINT = re.compile(rf"\d+|(?<!\w)(?=[{_INITIALS}])(?:{'|'.join(sorted(_WRITTEN, key=len, reverse=True))})\b", re.IGNORECASE)
#: "Two" and "one" are said of much that nobody counted; "three-dimensional" and "six-year-old" begin names of things.
_COUNTED = re.compile(rf"\b(?:{'|'.join([*_ONES.split()[3:], *_TENS.split(), 'dozen', 'half'])})\b(?![-‐‑](?!year)\w)", re.IGNORECASE)
_HALF = re.compile(r"\bhal(?:f|ve[sd]?|ving)\b|½|\b50(?:\.0)?\s?(?:%|per ?cent)|\b0[.,]5\b|\b1/2\b", re.IGNORECASE)
_CITED = re.compile(r"\[\d+(?:\s*[,–-]\s*\d+)*\]|(?:https?://|www\.)\S+")


@lru_cache(maxsize=4096)
def units(text: str) -> dict[str, frozenset[str]]:
    """Each value of a text, scaled ("1.5 million" is "1500000"), with the units it stands with, "" for none."""
    found: dict[str, set[str]] = defaultdict(set)
    for match in _figures(_CITED.sub(" ", text)):
        unit = _MONEY.get(match["sign"] or "") or _UNIT_OF.get((match["unit"] or "").lower(), "")
        for number in numbers(match["number"]) or (str(_WRITTEN.get(match["number"].lower(), "")),):
            found[_scaled(number, (match["scale"] or "").lower())].add(unit)
    return {value: frozenset(each) for value, each in found.items() if value}


class Found(NamedTuple):
    """A figure in a text: its value as `units` has it, its words, where they stand, and whether it has a scale, a unit or a currency."""

    value: str
    words: str
    start: int
    end: int
    measured: bool


def found(text: str) -> Iterator[Found]:
    """The figures of a text in order."""
    for match in _figures(text):
        measured = bool(match["scale"] or match["unit"] or match["sign"])
        for number in numbers(match["number"]) or (str(_WRITTEN.get(match["number"].lower(), "")),):
            yield Found(_scaled(number, (match["scale"] or "").lower()), match[0].strip(), match.start(), match.end(), measured)


def _figures(text: str) -> Iterator[re.Match[str]]:
    """What `_FIGURE.finditer` gives, tried only where a number stands, with the sign and the space before it."""
    end = 0
    for hint in _HINT.finditer(text):
        starts = range(max(end, hint.start() - 2), hint.start() + 1)
        match = next(filter(None, (_FIGURE.match(text, start) for start in starts)), None)
        if match:
            yield match
            end = match.end()


def values(text: str) -> frozenset[str]:
    """The values of a text in one spelling."""
    return frozenset(units(text))


def missing(sentence: str, text: str) -> list[str]:
    """The values, as `text.numbers` spells them, that stand in figures in the sentence and not in the text; of those that stand there, but
    only with another unit, the sentence's words. Then its numbers in words that the text holds in no form."""
    asked = units(sentence)
    if not asked and not _COUNTED.search(sentence):  # most sentences have none, and a page is long
        return []
    there = units(text)
    loose = frozenset(numbers(text))
    lost = []
    for match in _FIGURE.finditer(_CITED.sub(" ", sentence)):
        for number in numbers(match["number"]):
            value = _scaled(number, (match["scale"] or "").lower())
            given = there.get(value)
            if given is None:
                met = not match["scale"] and number in loose
            else:
                wanted = asked[value] - {""}
                met = not wanted or bool(wanted & given) or ("" in given and any(_named(unit, text) for unit in wanted))
            lost += [] if met else [number if given is None else " ".join(match[0].split())]
    return list(dict.fromkeys((*lost, *_uncounted(sentence, text, there))))


def _uncounted(sentence: str, text: str, there: Mapping[str, frozenset[str]]) -> Iterator[str]:
    """The numbers in words of a sentence, from three on, and its "half", that a text does not hold as a word or a figure."""
    for match in _COUNTED.finditer(sentence):
        word = match[0].lower()
        if word == "half":
            met = _HALF.search(text) is not None
        else:
            met = str(_WRITTEN[word]) in there or re.search(rf"\b{word}", text, re.IGNORECASE) is not None
        if not met:
            yield match[0]


def _named(unit: str, text: str) -> bool:
    """Whether a text names a unit anywhere, by any of its names: "in millions of dollars" above a table."""
    return bool(_NAMES_OF[unit].search(text))


def _scaled(number: str, scale: str) -> str:
    """A number times its scale, in whole digits, as fractions of two are not exact."""
    if not scale or number.count(".") > 1:
        return number
    whole, _, rest = number.partition(".")
    size = _SCALES[scale]
    digits = int(whole + rest) * size
    if digits % 10 ** len(rest):
        return f"{number} {scale}"
    return str(digits // 10 ** len(rest))
