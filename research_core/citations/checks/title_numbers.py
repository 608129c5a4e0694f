"""Compare the numbers of titles: two volumes of one series are two works.

A number counts with the word before it ("Volume 2", "Part II", "second edition"), and otherwise by
itself, as a year does.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

#: What a number counts, by the words for it in several languages.
_LABELS = {
    word: label
    for label, words in {
        "volume": "volume volumes vol vols volumen band bd tome tomo том volym deel",
        "part": "part parts pt teil partie parte часть del del. część",
        "number": "number no nr issue heft numéro número núm № n°",
        "chapter": "chapter ch kapitel chapitre capítulo глава",
        "edition": "edition ed edn auflage aufl édition edición edizione edição издание",
        "book": "book buch livre libro книга",
        "section": "section abschnitt sección раздел",
        "series": "series serie série reihe серия",
        "phase": "phase stage",
        "version": "version v",
    }.items()
    for word in words.split()
}  # fmt: skip
_WORD_NUMBERS = {
    word: number
    for number, words in enumerate(
        (
            "one first i erste primera", "two second ii zweite segunda",
            "three third iii dritte tercera", "four fourth iv",
            "five fifth v", "six sixth vi", "seven seventh vii", "eight eighth viii", "nine ninth ix",
            "ten tenth x", "eleven eleventh xi", "twelve twelfth xii",
        ),
        start=1,
    )
    for word in words.split()
}  # fmt: skip
_ROMAN = re.compile(r"(?=[ivxl])(x{0,3}|xl|l)(ix|iv|v?i{0,3})")
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50}
_YEAR_SPAN = re.compile(r"(?<!\d)(\d\d)(\d\d)\s?[-–—/]\s?(\d\d)(?!\d)")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_TOKEN = re.compile(r"\d+|[^\W\d_]+|[№°]")
_RANK_ENDS = frozenset("st nd rd th er e º ª".split())
#: A Roman number that stands as one without a label: of two letters or more, in capitals.
_BARE_ROMAN = re.compile(r"(?=..)(?:X{0,3}(?:IX|IV|V?I{0,3}))")

Numbers = dict[str, set[int]]


def have_other_numbers(cited: str, titles: Sequence[str], text: str = "") -> bool:
    """Return True if a cited title has other numbers than all titles of a record.

    text: the whole reference. A number of the record that stands anywhere in it is no other one.
    """
    asked = find_numbers(cited)
    recorded = find_numbers(" . ".join(titles))
    for label in asked.keys() & recorded.keys():
        if label and not asked[label] & recorded[label]:
            return True
    here = set[int]().union(*asked.values())
    there = set[int]().union(*recorded.values())
    written = here | set[int]().union(*find_numbers(text).values())
    return bool(here - there) and bool(there - written)


def find_numbers(title: str) -> Numbers:
    """Return the numbers of a title by what they count; "" for those that stand alone."""
    plain = unicodedata.normalize("NFKC", _THOUSANDS.sub("", title))
    plain = _YEAR_SPAN.sub(r"\1\2 \1\3", plain)
    words = _TOKEN.findall(plain)
    numbers: Numbers = {}
    for index, word in enumerate(words):
        before = _LABELS.get(words[index - 1].casefold(), "") if index else ""
        after = _find_label_after(words, index)
        value = _parse_number(word, labelled=bool(before or after))
        if value is not None:
            numbers.setdefault(before or after, set()).add(value)
    return numbers


def _find_label_after(words: Sequence[str], index: int) -> str:
    """Return what a number counts if the word is behind it, as in "2nd edition"; "" if none."""
    following = [word.casefold() for word in words[index + 1 : index + 3]]
    if following and following[0] in _RANK_ENDS:
        del following[0]
    label = _LABELS.get(following[0], "") if following else ""
    return label if label == "edition" else ""


def _parse_number(word: str, *, labelled: bool) -> int | None:
    """Return the value of a word that is a number. labelled: the word beside it says of what."""
    if word.isdecimal():
        return int(word[:12])
    folded = word.casefold()
    if labelled and folded in _WORD_NUMBERS:
        return _WORD_NUMBERS[folded]
    if labelled and len(word) == 1 and word.isupper() and word.isascii():
        return -ord(word)  # "Part B"
    if (labelled or _BARE_ROMAN.fullmatch(word)) and _ROMAN.fullmatch(folded):
        return _parse_roman(folded)
    return None


def _parse_roman(numeral: str) -> int:
    total = 0
    for sign, following in zip(numeral, [*numeral[1:], ""], strict=True):
        value = _ROMAN_VALUES[sign]
        total += -value if value < _ROMAN_VALUES.get(following, 0) else value
    return total
