"""Compare the figures of a sentence with those of a text: values, units, fractions, directions.

Reads digits and words, thousands, scales and units. Values are compared as written, and no unit is
converted: 5 km matches neither 5 miles nor 5,000 m. A fraction in words ("two thirds") is met by a
percentage within one point, a decimal, "2/3" or "⅔". A direction is reversed where the sentence
says "12 percent more" and the text only "12 percent fewer".
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import lru_cache

from research_core.text.similarity import word_root
from research_core.text.words import find_numbers, tokenize

#: "Half-life" and "three-dimensional" name a thing; "three-year" counts.
_NOT_IN_NAME = r"\b(?![-‐‑](?!year)\w)"

# ---------------------------------------------------------------- values and units

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
#: Maps each name of a unit to the first name of its row, which stands for the unit.
_UNIT_OF = {name: row[0] for row in _UNITS for name in row}
#: The longest first, so that "mile" does not end before "miles".
_UNIT_NAMES = "|".join(sorted(map(re.escape, _UNIT_OF), key=len, reverse=True))
_MONEY = {"$": "dollars", "€": "euros", "£": "£"}


def _compile_unit_names(names: Iterable[str]) -> re.Pattern[str]:
    """Compile a pattern for any of these names of a unit; no letter may touch a word."""
    patterns: list[str] = []
    for name in names:
        if name[-1].isalnum():
            patterns.append(rf"(?<![^\W\d_]){re.escape(name)}(?![^\W_])")
        else:
            patterns.append(re.escape(name))
    return re.compile("|".join(patterns), re.IGNORECASE)


#: Maps each unit to a pattern of what names it.
_NAMES_OF = {
    **{row[0]: _compile_unit_names(row) for row in _UNITS},
    "dollars": _compile_unit_names(["$", "dollars", "dollar", "usd"]),
    "euros": _compile_unit_names(["€", "euros", "euro", "eur"]),
    "£": _compile_unit_names(["£", "pounds", "gbp", "sterling"]),
}
_DIGITS = r"(?<![^\W_])(?<!\d[.,])\d+(?:[.,'’\u00a0\u2009\u202f]\d+)*"
_FIGURE = re.compile(
    rf"(?P<sign>[$€£])?\s?(?P<number>{_DIGITS}|\b(?:{_NUMBER_WORDS})\b)"
    r"(?:(?:st|nd|rd|th|s)\b)?(?!\d)"
    rf"(?:[\s-]?(?P<scale>{'|'.join(_SCALES)})\b)?"
    rf"(?:[\s-]?(?P<unit>{_UNIT_NAMES})(?![^\W_]))?",
    re.IGNORECASE,
)
_INITIALS = "".join(sorted({word[0] for word in _WORD_VALUES}))
_NUMBER_HINT = re.compile(rf"\d+|(?<!\w)(?=[{_INITIALS}])(?:{_NUMBER_WORDS})\b", re.IGNORECASE)
#: "One" and "two" are left out, because they often count nothing.
_COUNTED_NUMBER = re.compile(
    rf"(?:{_FROM_TWENTY}|{'|'.join(_ONES.split()[3:])}|dozen){_NOT_IN_NAME}", re.IGNORECASE
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
        for value in _read_values(match):
            found[value].add(unit)
    return {value: frozenset(each) for value, each in found.items() if value}


def _match_figures(text: str) -> Iterator[re.Match[str]]:
    """Yield what `_FIGURE.finditer` yields, but faster.

    The pattern is tried only where a number stands, with the sign and space before it.
    """
    end = 0
    for hint in _NUMBER_HINT.finditer(text):
        for start in range(max(end, hint.start() - 2), hint.start() + 1):
            match = _FIGURE.match(text, start)
            if match:
                yield match
                end = match.end()
                break


def _read_values(figure: re.Match[str]) -> list[str]:
    """Return the values of a match of `_FIGURE`, scaled; "1,2,3" has three."""
    scale = _fold_word(figure["scale"])
    return [_scale_number(number, scale) for number in _parse_numbers(figure["number"])]


def _parse_numbers(figure: str) -> tuple[str, ...]:
    """Return the numbers in digits or words, spelled as in `words.find_numbers`."""
    numbers = find_numbers(figure)
    if numbers:
        return numbers
    parts = re.split("[-‐‑]", _fold_word(figure))
    return (str(sum(_WORD_VALUES[part] for part in parts)),)


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


def _names_unit_nearby(value: str, wanted: frozenset[str], text: str) -> bool:
    """Return whether a paragraph with the value names one of the units.

    For a table also the paragraph above: "in millions of dollars".
    """
    names = [_NAMES_OF[unit] for unit in wanted]
    above = ""
    for paragraph in _PARAGRAPHS.split(text):
        near = f"{above}\n{paragraph}" if paragraph.startswith("|") else paragraph
        if value in map_value_units(paragraph) and any(name.search(near) for name in names):
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


# ---------------------------------------------------------------- fractions in words

_COUNTS = {word: n for n, word in enumerate(_ONES.split()[1:10], 1)} | {"a": 1, "an": 1}
_PARTS = {
    **{word: n for n, word in enumerate(_RANK_WORDS.split(), 1) if n > 2},
    "half": 2,
    "halve": 2,
    "quarter": 4,
}
_COUNT_WORDS, _PART_WORDS = "|".join(_COUNTS), "|".join(_PARTS)
_HALF = rf"\bhal(?:f|ve[sd]?|ving){_NOT_IN_NAME}"
#: A single part is a fraction only with "of" or a hyphen ("a third time" is none); "half" always
#: is.
_IN_WORDS = re.compile(
    rf"\b(?P<count>{_COUNT_WORDS})[\s‐‑-](?P<part>{_PART_WORDS})s\b"
    rf"|\b(?P<one>an?|one)(?:[‐‑-](?P<joined>{_PART_WORDS})"
    rf"|\s(?P<loose>{_PART_WORDS})(?=\s+of\b)){_NOT_IN_NAME}"
    rf"|{_HALF}",
    re.IGNORECASE
    # letters beyond ASCII that pattern matching takes for "i" or "s" are no part of these words
    | re.ASCII,
)
#: The forms a text may have, whatever follows.
_ANY_FRACTION = re.compile(
    rf"\b(?P<count>{_COUNT_WORDS})[\s‐‑-](?P<part>{_PART_WORDS})s?\b|{_HALF}",
    re.IGNORECASE | re.ASCII,
)
_MIXED = re.compile(r"\w\s+and\s+(?:an?\s+|one\s+)?$")
_PERCENT = re.compile(
    r"(?<![\d.,])(\d{1,4}(?:[.,]\d{1,6})?)"
    r"(?:\s?%|\s?per ?cent"
    r"|(?=\s?(?:to|and|[-‐‑–])\s?\d+(?:[.,]\d+)?(?:\s?%|\s?per ?cent)))",
    re.ASCII,
)
_DECIMAL = re.compile(r"(?<![\d.,])0?[.,]\d{1,9}\b", re.ASCII)
_SLASH_FRACTION = re.compile(r"(?<![\d/⁄])([1-9])[/⁄]([2-9]|10)(?![\d/⁄])")
#: How far a percentage may be from the fraction.
_TOLERANCE = Fraction(1, 100)


def find_fractions(text: str) -> Iterator[tuple[Fraction, re.Match[str]]]:
    """Yield (value, match) of each fraction in words.

    "Two quarters" are months, and "two and a half" is more than one: neither is yielded.
    """
    for match in _IN_WORDS.finditer(text):
        part = match["part"] or match["joined"] or match["loose"] or "half"
        count = match["count"] or match["one"] or "one"
        value = _fraction_value(count, part)
        if value >= 1 or _MIXED.search(text[max(0, match.start() - 12) : match.start()]):
            continue
        may_be_months = match["part"] and part.lower() == "quarter" and " " in match[0]
        if may_be_months and not re.match(r"\s+of\b", text[match.end() :]):
            continue
        yield value, match


def _fraction_value(count: str, part: str) -> Fraction:
    """Return the value of a count and a part."""
    return Fraction(_COUNTS[count.lower()], _PARTS[part.lower()])


def remove_fractions(sentence: str) -> str:
    """Return the sentence with its fractions in words blanked."""
    for _, match in find_fractions(sentence):
        start, end = match.span()
        sentence = sentence[:start] + " " * (end - start) + sentence[end:]
    return sentence


def find_missing_fractions(sentence: str, text: str) -> list[str]:
    """Return the fractions in words that the text gives in no form."""
    asked = list(find_fractions(sentence))
    if not asked:
        return []
    exact = {value for value, _ in find_fractions(text)}  # as the sentence is read
    for match in _ANY_FRACTION.finditer(text):
        exact.add(_fraction_value(match["count"] or "one", match["part"] or "half"))
    for numerator, denominator in _SLASH_FRACTION.findall(text):
        exact.add(Fraction(int(numerator), int(denominator)))
    for sign in text:
        if unicodedata.category(sign) == "No":  # "⅔", but also the 2 of "x²"
            exact.add(Fraction(unicodedata.numeric(sign, 0.0)).limit_denominator(10))
    rough: list[Fraction] = []
    for number in _PERCENT.findall(text):
        rough.append(Fraction(number.replace(",", ".")) / 100)
    for number in _DECIMAL.findall(text):
        rough.append(Fraction(number.replace(",", ".")))
    missing: list[str] = []
    for value, match in asked:
        if value in exact or any(abs(each - value) < _TOLERANCE for each in rough):
            continue
        missing.append(match[0])
    return missing


# ---------------------------------------------------------------- directions

_UP_WORDS = """
increase rise rose risen grow growth grew grown gain more higher climb surge soar jump exceed above
up
"""
_DOWN_WORDS = """
decrease fall fell fallen decline shrink shrank shrunk lose lost loss less fewer lower drop plunge
reduce reduction below down
"""
#: Maps roots to 1 for up and -1 for down.
_DIRECTION_OF = {
    **{word_root(word): 1 for word in _UP_WORDS.split()},
    **{word_root(word): -1 for word in _DOWN_WORDS.split()},
}
#: Tokens on either side of a figure that can give its direction.
WINDOW_TOKENS = 3
#: "Up to 12", "more than 12", "below 12 percent of" give a bound and no direction.
_BOUND = re.compile(
    r"\b(?:(?:up|down)\s+to|(?:more|less|fewer|higher|lower)\s+than|above|below|at least"
    r"|no more|no less)\s*$",
    re.IGNORECASE,
)
_PAUSE = re.compile(r"[.;:()\n]")


def find_reversed_figures(sentence: str, text: str) -> list[str]:
    """Return the figures, as worded, that only go the other way in the text.

    "12 percent more" against "12 percent fewer". Only words near a figure with a scale, unit or
    currency count. Other contrasts are left to `stance`, which warns.
    """
    asked = _find_directions(sentence)
    if not asked:
        return []
    there = _find_directions(text)
    found: list[str] = []
    for value, (words, directions) in asked.items():
        if len(directions) != 1 or value not in there:
            continue
        _, other_directions = there[value]
        if other_directions == {-direction for direction in directions}:
            found.append(words)
    return found


@lru_cache(maxsize=256)
def _find_directions(text: str) -> dict[str, tuple[str, frozenset[int]]]:
    """Map each value that has a direction to its first wording and all its directions."""
    found: dict[str, tuple[str, frozenset[int]]] = {}
    for figure in _match_figures(text):
        if not (figure["scale"] or figure["unit"] or figure["sign"]):
            continue
        before = text[max(0, figure.start() - 60) : figure.start()]
        behind = text[figure.end() : figure.end() + 60]
        near = _nearest_roots(_PAUSE.split(behind)[0], last=False)
        if not _BOUND.search(before):
            near += _nearest_roots(_PAUSE.split(before)[-1], last=True)
        directions = frozenset(_DIRECTION_OF[root] for root in near if root in _DIRECTION_OF)
        if not directions:
            continue
        for value in _read_values(figure):
            words, known = found.get(value, (figure[0].strip(), frozenset()))
            found[value] = words, known | directions
    return found


def _nearest_roots(text: str, *, last: bool) -> list[str]:
    """Return the roots of the tokens nearest to the figure, up to the next figure."""
    words = tokenize(text)
    if last:
        words.reverse()
    roots: list[str] = []
    for word in words[:WINDOW_TOKENS]:
        if word[0].isdigit():
            break
        roots.append(word_root(word))
    return roots
