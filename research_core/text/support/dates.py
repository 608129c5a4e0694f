"""Find the dates of a sentence that a text lacks, whatever form they have.

Reads 3 May 2021, May 3rd, 2021-05-03, 3/5/2021 and the like in running English text. A date that
may be two days (3/5) matches either. A year alone is a figure (`figures`), and relative days ("last
Monday") are not understood. `text.dates` parses the one date of a page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from research_core.text.words import find_numbers


class Day(NamedTuple):
    """A date as stated; 0 for each part that is not."""

    year: int
    month: int
    day: int


class StatedDate(NamedTuple):
    """A date in a text: its words, their offsets, and the days they can mean."""

    words: str
    start: int
    end: int
    days: tuple[Day, ...]


_MONTH_NAMES = (
    "Jan(?:uary)? Feb(?:ruary)? Mar(?:ch)? Apr(?:il)? May June? July? Aug(?:ust)? Sept?(?:ember)?"
    " Oct(?:ober)? Nov(?:ember)? Dec(?:ember)?"
)
_MONTH = rf"\b(?P<month>{'|'.join(_MONTH_NAMES.split())})\b\.?"
_MONTH_NUMBERS = {name[:3]: n for n, name in enumerate(_MONTH_NAMES.split(), 1)}
_DAY = r"(?P<day>\d\d?)(?:st|nd|rd|th)?(?:\s?(?:[-–—]|to|and)\s?(?P<last>\d\d?)(?:st|nd|rd|th)?)?"
_YEAR = r"(?P<year>[12]\d{3})(?![\w,.]*\d)"
_YEAR_AFTER = rf"(?:,?\s+(?:of\s+)?{_YEAR})?"
_BEFORE = (
    r"\b(?:[Ii]n|[Ss]ince|[Uu]ntil|[Bb]y|[Dd]uring|[Ff]rom|[Tt]o|[Oo]f|[Ll]ast|[Ee]arly|[Ll]ate"
    r"|[Mm]id|[Tt]hrough)[\s-]"
)
#: Each is applied to what the previous ones left. "In March 20 people" holds no 20 March, unless a
#: year or "th" follows.
_DATE_FORMS = tuple(
    re.compile(form)
    for form in (
        rf"(?<![\w.,/-]){_DAY}\s+(?:of\s+)?{_MONTH}{_YEAR_AFTER}",
        rf"{_MONTH}\s+(?:the\s+)?{_DAY}(?![\w%]|[.,]\d),?\s+{_YEAR}",
        rf"(?<![Ii]n\s){_MONTH}\s+(?:the\s+)?{_DAY}(?![\w%]|[.,]\d)",
        rf"{_MONTH}\s+(?:the\s+)?(?P<day>\d\d?)(?:st|nd|rd|th)\b",
        rf"{_MONTH},?\s+(?:of\s+)?{_YEAR}",
        r"(?<![\w.,/-])(?P<year>[12]\d{3})([-/.])(?P<one>\d\d?)\2(?P<day>\d\d?)(?!\w|[-./]\d)",
        r"(?<![\w.,/-])(?P<one>\d\d?)([-/.])(?P<other>\d\d?)\2(?P<year>[12]\d{3})(?!\w|[-./]\d)",
        rf"{_BEFORE}{_MONTH}",
    )
)
_MONTH_PATTERN = re.compile(_MONTH)
_MAY_HOLD_DATE = re.compile(rf"{_MONTH}|[12]\d{{3}}[-/.]\d|\d[-/.][12]\d{{3}}")
#: Month names that are other words too, and count as months only with a day or year.
_OTHER_WORDS = frozenset({"May", "March", "Mar", "Jan", "Dec"})


@lru_cache(maxsize=1024)
def find_dates(text: str) -> tuple[StatedDate, ...]:
    """Return the dates of a text that state at least a month, in order."""
    if not _MAY_HOLD_DATE.search(text):
        return ()
    found: list[StatedDate] = []
    rest = text
    for form in _DATE_FORMS:
        for match in form.finditer(rest):
            days = tuple(_possible_days(match.groupdict()))
            if days:
                found.append(StatedDate(match[0], match.start(), match.end(), days))
        rest = _blank_dates(rest, found, "#")
    return tuple(sorted(found, key=lambda date: date.start))


def _blank_dates(text: str, dates: Iterable[StatedDate], sign: str) -> str:
    """Return the text with each letter of these dates replaced by a sign."""
    for date in dates:
        text = text[: date.start] + sign * (date.end - date.start) + text[date.end :]
    return text


def _possible_days(parts: dict[str, str | None]) -> Iterator[Day]:
    """Yield the valid days that a match can mean."""
    numbers = {name: int(parts.get(name) or 0) for name in ("year", "day", "last", "one", "other")}
    name = parts.get("month")
    if name:
        month = _MONTH_NUMBERS[name[:3]]
        pairs = [(month, numbers["day"])]
        if parts.get("last"):
            pairs.append((month, numbers["last"]))
    elif parts.get("other"):
        pairs = [(numbers["one"], numbers["other"]), (numbers["other"], numbers["one"])]
    else:
        pairs = [(numbers["one"], numbers["day"])]
    for month, day in dict.fromkeys(pairs):  # "3/3" is one day
        if 1 <= month <= 12 and day <= 31:
            yield Day(numbers["year"], month, day)


def find_missing_dates(sentence: str, text: str) -> list[str]:
    """Return the dates of the sentence, as worded, that the text lacks.

    Day and month must stand together in the text; the year may stand apart.
    """
    asked = find_dates(sentence)
    if not asked:
        return []
    known_days, years = _read_calendar(text)
    missing: list[str] = []
    for stated in asked:
        if not any(_is_met(day, known_days, years) for day in stated.days):
            missing.append(" ".join(stated.words.split()).rstrip("."))
    return list(dict.fromkeys(missing))


@lru_cache(maxsize=256)
def _read_calendar(text: str) -> tuple[tuple[Day, ...], frozenset[str]]:
    """Return the days that a text states, and its numbers, which may be years."""
    known_days: list[Day] = []
    for stated in find_dates(text):
        known_days += stated.days
    for match in _MONTH_PATTERN.finditer(text):
        if match["month"] not in _OTHER_WORDS:
            known_days.append(Day(0, _MONTH_NUMBERS[match["month"][:3]], 0))
    return tuple(known_days), frozenset(find_numbers(separate_date_parts(text)))


def _is_met(asked: Day, there: Sequence[Day], years: frozenset[str]) -> bool:
    """Return whether a day of the text matches in every part that was asked for."""
    if asked.year and str(asked.year) not in years:
        return False
    for day in there:
        if day.month != asked.month or asked.day not in (0, day.day):
            continue
        if not asked.year or day.year in (0, asked.year):
            return True
    return False


def remove_dates(sentence: str) -> str:
    """Return the sentence with its dates blanked, so that their parts are not compared."""
    return _blank_dates(sentence, find_dates(sentence), " ")


def separate_date_parts(text: str) -> str:
    """Return the text with numeric dates split by spaces, so that "3.5.2021" holds 2021."""
    for date in find_dates(text):
        if not _MONTH_PATTERN.search(date.words):
            parts = re.sub(r"[-/.]", " ", date.words)
            text = text[: date.start] + parts + text[date.end :]
    return text
