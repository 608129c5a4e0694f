"""Find fractions in words that a text lacks: "two thirds", "a quarter of", "half".

A percentage within one point, a decimal, "2/3" and "⅔" match. Covers halves to tenths; "a third
time" is no fraction.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from fractions import Fraction

_COUNTS = {
    word: n for n, word in enumerate("one two three four five six seven eight nine".split(), 1)
} | {"a": 1, "an": 1}
_PARTS = {
    word: n
    for n, word in enumerate("half third quarter fifth sixth seventh eighth ninth tenth".split(), 2)
} | {
    "halve": 2,
    "fourth": 4,
}
#: "Half-life" and "three-dimensional" name a thing; "three-year" counts.
NOT_IN_NAME = r"\b(?![-‐‑](?!year)\w)"
#: A single part is a fraction only with "of" or a hyphen ("a third time" is none); "half" always
#: is.
_IN_WORDS = re.compile(
    rf"\b(?P<count>{'|'.join(_COUNTS)})[\s‐‑-](?P<part>{'|'.join(_PARTS)})s\b"
    rf"|\b(?P<one>an?|one)(?:[‐‑-](?P<joined>{'|'.join(_PARTS)})"
    rf"|\s(?P<loose>{'|'.join(_PARTS)})(?=\s+of\b)){NOT_IN_NAME}"
    rf"|\bhal(?:f|ve[sd]?|ving){NOT_IN_NAME}",
    re.IGNORECASE
    # letters beyond ASCII that pattern matching takes for "i" or "s" are no part of these words
    | re.ASCII,
)
#: The forms a text may have, whatever follows.
_ANY_FRACTION = re.compile(
    rf"\b(?P<count>{'|'.join(_COUNTS)})[\s‐‑-](?P<part>{'|'.join(_PARTS)})s?\b|\bhal(?:f|ve[sd]?"
    rf"|ving){NOT_IN_NAME}",
    re.IGNORECASE | re.ASCII,
)
_MIXED = re.compile(r"\w\s+and\s+(?:an?\s+|one\s+)?$")
_PERCENT = re.compile(
    r"(?<![\d.,])(\d{1,4}(?:[.,]\d{1,6})?)(?:\s?%|\s?per"
    r" ?cent|(?=\s?(?:to|and|[-‐‑–])\s?\d+(?:[.,]\d+)?(?:\s?%|\s?per ?cent)))",
    re.ASCII,
)
_DECIMAL = re.compile(r"(?<![\d.,])0?[.,]\d{1,9}\b", re.ASCII)
_SLASH_FRACTION = re.compile(r"(?<![\d/⁄])([1-9])[/⁄]([2-9]|10)(?![\d/⁄])")
#: How far a percentage may be from the fraction.
_TOLERANCE = Fraction(1, 100)


def find_fractions(text: str) -> Iterator[tuple[Fraction, str, int, int]]:
    """Yield (value, words, start, end) of each fraction in words.

    "Two quarters" are months, and "two and a half" is more than one: neither is yielded.
    """
    for match in _IN_WORDS.finditer(text):
        part = match["part"] or match["joined"] or match["loose"] or "half"
        count = match["count"] or match["one"] or "one"
        value = _fraction_value(count, part)
        if value >= 1 or _MIXED.search(text[max(0, match.start() - 12) : match.start()]):
            continue
        if match["part"] and part.lower() == "quarter" and " " in match[0]:
            is_share = re.match(r"\s+of\b", text[match.end() :])
            if not is_share:
                continue  # "two quarters" are months
        yield value, match[0], match.start(), match.end()


def _fraction_value(count: str, part: str) -> Fraction:
    """Return the value of a count and a part."""
    return Fraction(_COUNTS[count.lower()], _PARTS[part.lower()])


def remove_fractions(sentence: str) -> str:
    """Return the sentence with its fractions in words blanked."""
    for _, words, start, end in find_fractions(sentence):
        sentence = sentence[:start] + " " * len(words) + sentence[end:]
    return sentence


def find_missing_fractions(sentence: str, text: str) -> list[str]:
    """Return the fractions in words that the text gives in no form."""
    asked = list(find_fractions(sentence))
    if not asked:
        return []
    exact: set[Fraction] = set()
    for match in _ANY_FRACTION.finditer(text):
        exact.add(_fraction_value(match["count"] or "one", match["part"] or "half"))
    for numerator, denominator in _SLASH_FRACTION.findall(text):
        exact.add(Fraction(int(numerator), int(denominator)))
    for sign in text:
        if unicodedata.category(sign) == "No":
            exact.add(_sign_value(sign))
    rough: list[Fraction] = []
    for number in _PERCENT.findall(text):
        rough.append(Fraction(number.replace(",", ".")) / 100)
    for number in _DECIMAL.findall(text):
        rough.append(Fraction(number.replace(",", ".")))
    missing: list[str] = []
    for value, words, _, _ in asked:
        if value in exact or any(abs(each - value) < _TOLERANCE for each in rough):
            continue
        missing.append(words)
    return missing


def _sign_value(sign: str) -> Fraction:
    """Return the value of a sign such as "⅔"; 2 for a superscript 2."""
    return Fraction(unicodedata.numeric(sign, 0.0)).limit_denominator(10)
