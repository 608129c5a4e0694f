"""Find the figures of a sentence that a text lacks: digits, words, thousands, scales, units.

Values are compared as written. No unit is converted: 5 km matches neither 5 miles nor 5,000 m.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from research_core.text.support.fractions import NOT_IN_NAME
from research_core.text.words import find_numbers

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_RANK_WORDS = "first second third fourth fifth sixth seventh eighth ninth tenth"
_WORD_VALUES = {
    **{word: n for n, word in enumerate(_ONES.split())},
    **{word: 10 * n for n, word in enumerate(_TENS.split(), 2)},
    **{word: n for n, word in enumerate(_RANK_WORDS.split(), 1)},
    "once": 1,
    "twice": 2,
    "dozen": 12,
    "both": 2,
    "single": 1,
}
_FROM_TWENTY = rf"(?:{'|'.join(_TENS.split())})(?:[-‐‑](?:{'|'.join(_ONES.split()[1:10])}))?"
#: A number in words.
_NUMBER_WORDS = "|".join(
    [_FROM_TWENTY, *sorted(_WORD_VALUES.keys() - set(_TENS.split()), key=len, reverse=True)]
)
_SCALES = {
    "hundred": 100,
    "thousand": 1_000,
    "k": 1_000,
    "million": 1_000_000,
    "billion": 10**9,
    "bn": 10**9,
    "trillion": 10**12,
}
#: Units that are distinguished; each row is one unit.
_UNITS = tuple(
    row.split("|")
    for row in (
        "km|kilometers|kilometres|kilometer|kilometre", "mi|miles|mile",
        "m|meters|metres|meter|metre", "ft|feet|foot", "inches|inch",
        "cm|centimeters|centimetres|centimeter|centimetre", "mm|millimeters|millimetres",
        "yards|yard",
        "kg|kilograms|kilogram|kilos", "g|grams|gram", "mg|milligrams", "lb|lbs|pounds",
        "tons|tonnes|tonne|ton", "oz|ounces",
        "%|percent|per cent|pc", "percentage points|percentage point|pp",
        "seconds|second", "minutes|minute|min", "hours|hour|hrs", "days|day", "weeks|week",
        "months|month",
        "years|year", "decades|decade", "centuries|century", "°c|celsius", "°f|fahrenheit",
        "liters|litres|liter|litre", "gallons|gallon",
        "hectares|hectare", "acres|acre", "kw|kilowatts", "mw|megawatts", "gw|gigawatts",
        "dollars|dollar|usd", "euros|euro|eur",
    )
)  # fmt: skip


def _unit_pattern(name: str) -> str:
    """Return a pattern for a unit name that no letter touches."""
    return rf"(?<![^\W\d_]){re.escape(name)}(?![^\W_])" if name[-1].isalnum() else re.escape(name)


_UNIT_OF = {name: row[0] for row in _UNITS for name in row}
_MONEY = {"$": "dollars", "€": "euros", "£": "£"}
_NAMES_OF = {
    unit: re.compile("|".join(map(_unit_pattern, names)), re.IGNORECASE)
    for unit, names in {
        **{row[0]: row for row in _UNITS},
        "dollars": ["$", *next(row for row in _UNITS if row[0] == "dollars")],
        "euros": ["€", *next(row for row in _UNITS if row[0] == "euros")],
        "£": ["£", "pounds", "gbp", "sterling"],
    }.items()
}  # fmt: skip
_DIGITS = r"(?<![^\W_])(?<!\d[.,])\d+(?:[.,'’\u00a0\u2009\u202f]\d+)*"
_FIGURE = re.compile(
    rf"(?P<sign>[$€£])?\s?(?P<number>{_DIGITS}|\b(?:{_NUMBER_WORDS})\b)(?:(?:st|nd|rd|th"
    rf"|s)\b)?(?!\d)"
    rf"(?:[\s-]?(?P<scale>{'|'.join(_SCALES)})\b)?(?:[\s-]?(?P<unit>{'|'.join(sorted(map(re.escape, _UNIT_OF), key=len, reverse=True))})"
    r"(?![^\W_]))?",
    re.IGNORECASE,
)
_INITIALS = "".join(sorted({word[0] for word in _WORD_VALUES}))
_NUMBER_HINT = re.compile(rf"\d+|(?<!\w)(?=[{_INITIALS}])(?:{_NUMBER_WORDS})\b", re.IGNORECASE)
#: "One" and "two" are left out, because they often count nothing.
_COUNTED_NUMBER = re.compile(
    rf"(?:{_FROM_TWENTY}|{'|'.join(_ONES.split()[3:])}|dozen){NOT_IN_NAME}", re.IGNORECASE
)
_PARAGRAPHS = re.compile(r"\n\s*\n")
_CITATION_MARKS = re.compile(r"\[\d+(?:\s*[,–-]\s*\d+)*\]|(?:https?://|www\.)\S+")


@lru_cache(maxsize=4096)
def map_value_units(text: str) -> dict[str, frozenset[str]]:
    """Map each value of a text, scaled, to the units it has; "" stands for none.

    "1.5 million" is "1500000".
    """
    found: dict[str, set[str]] = defaultdict(set)
    for match in _match_figures(_CITATION_MARKS.sub(" ", text)):
        unit = _MONEY.get(match["sign"] or "") or _UNIT_OF.get(_fold_word(match["unit"]), "")
        for number in _parse_numbers(match["number"]):
            found[_scale_number(number, _fold_word(match["scale"]))].add(unit)
    return {value: frozenset(each) for value, each in found.items() if value}


class FoundFigure(NamedTuple):
    """A figure in a text.

    `value` is spelled as in `map_value_units`; `measured` is set if it has a scale, unit or
    currency.
    """

    value: str
    words: str
    start: int
    end: int
    measured: bool


def find_figures(text: str) -> Iterator[FoundFigure]:
    """Yield the figures of a text in order."""
    for match in _match_figures(text):
        measured = bool(match["scale"] or match["unit"] or match["sign"])
        for number in _parse_numbers(match["number"]):
            yield FoundFigure(
                _scale_number(number, _fold_word(match["scale"])),
                match[0].strip(),
                match.start(),
                match.end(),
                measured,
            )


def _match_figures(text: str) -> Iterator[re.Match[str]]:
    """Yield what `_FIGURE.finditer` yields, but faster.

    The pattern is tried only where a number stands, with the sign and space before it.
    """
    end = 0
    for hint in _NUMBER_HINT.finditer(text):
        starts = range(max(end, hint.start() - 2), hint.start() + 1)
        match = next(filter(None, (_FIGURE.match(text, start) for start in starts)), None)
        if match:
            yield match
            end = match.end()


def _parse_numbers(figure: str) -> tuple[str, ...]:
    """Return the numbers in digits or words, spelled as in `words.find_numbers`."""
    return find_numbers(figure) or (
        str(sum(_WORD_VALUES[part] for part in re.split("[-‐‑]", _fold_word(figure)))),
    )


def _fold_word(word: str | None) -> str:
    """Return a word in lower case, with letters that patterns confuse with "i" and "s" replaced."""
    return (word or "").casefold().replace("ı", "i").replace("\u0307", "")


def find_values(text: str) -> frozenset[str]:
    """Return the values of a text in one spelling."""
    return frozenset(map_value_units(text))


def find_missing_figures(sentence: str, text: str) -> list[str]:
    """Return the figures of the sentence that the text lacks.

    Numbers in words count from three on. A figure is spelled as in `words.find_numbers`, or as in
    the sentence if the text has it with another unit only, or if it is in words.
    """
    asked = map_value_units(sentence)
    if not asked:  # most sentences have none, and a page is long
        return []
    there = map_value_units(text)
    loose = frozenset(find_numbers(text))
    bare = _CITATION_MARKS.sub(" ", sentence)
    missing: list[str] = []
    for match in _FIGURE.finditer(bare):
        wording = " ".join(match[0].split())
        in_words = _COUNTED_NUMBER.match(bare, match.start("number"))
        numbers = find_numbers(match["number"])
        if not numbers and in_words:
            numbers = _parse_numbers(in_words[0])
        for number in numbers:
            value = _scale_number(number, _fold_word(match["scale"]))
            given = there.get(value)
            if given is None:
                met = not match["scale"] and number in loose
                if not met:
                    missing.append(wording if in_words else number)
            elif not _has_unit(value, asked[value] - {""}, given, text):
                missing.append(wording)
    return list(dict.fromkeys(missing))


def _has_unit(value: str, wanted: frozenset[str], given: frozenset[str], text: str) -> bool:
    """Return whether the text gives the value in a wanted unit, or none is wanted."""
    if not wanted or wanted & given:
        return True
    return "" in given and _names_unit_nearby(value, wanted, text)


def _names_unit_nearby(value: str, wanted: Iterable[str], text: str) -> bool:
    """Return whether a paragraph with the value names one of the units.

    For a table also the paragraph above: "in millions of dollars".
    """
    above = ""
    for paragraph in _PARAGRAPHS.split(text):
        near = f"{above}\n{paragraph}" if paragraph.startswith("|") else paragraph
        if value in map_value_units(paragraph) and any(
            _NAMES_OF[unit].search(near) for unit in wanted
        ):
            return True
        above = paragraph
    return False


def _scale_number(number: str, scale: str) -> str:
    """Return a number times its scale in whole digits, without rounding errors."""
    if not scale or number.count(".") > 1:
        return number
    whole, _, rest = number.partition(".")
    size = _SCALES[scale]
    digits = int(whole + rest) * size
    if digits % 10 ** len(rest):
        return f"{number} {scale}"
    return str(digits // 10 ** len(rest))
