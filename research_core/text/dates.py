"""Parse dates as people, files, services and markup write them.

Returns YYYY, YYYY-MM or YYYY-MM-DD, as much as was stated, or "". No part is invented and no clock
is read. Which of several dates is the publication date is decided elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

#: Larger numbers (after 2096) are taken for something other than seconds since the epoch.
MAX_TIMESTAMP = 4e9

#: The first letters of the months in the supported languages.
_MONTHS = {
    letters: number
    for number, names in enumerate(
        (
            "jan ene gen янв oca", "feb fév fev фев", "mar mär mrz maa мар", "apr abr avr апр",
            "may mai mag maj mei май мая",
            "jun giu jui июн", "jul lug июл", "aug ago aoû авг", "sep set сен",
            "oct okt ott out окт", "nov ноя", "dec dez dic déc дек",
        ),
        start=1,
    )
    for letters in names.split()
}  # fmt: skip
_PARTS = r"(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?(?!\d)"
_ISO = re.compile(rf"\s*((?:19|20)\d\d){_PARTS}")
_ISO_OF_ANY_YEAR = re.compile(rf"\s*([12]\d{{3}}){_PARTS}")
#: As in PDF files ("D:20240603120000") and file names.
_COMPACT = re.compile(
    r"\s*(?:D:)?((?:19|20)\d\d)(?:(\d\d)(?:(\d\d)(?:(?:[01]\d|2[0-3])(?:[0-5]\d){0,2})?)?)?(?!\d)"
)
_DOTTED = re.compile(r"(?<!\d)(\d\d?)\.\s?(\d\d?)\.\s?((?:19|20)\d\d)(?!\d)")
_SLASHED = re.compile(r"(?<!\d)(\d\d?)[/-](\d\d?)[/-]((?:19|20)\d\d)(?!\d)")
_DAY_FIRST = re.compile(
    r"(?<!\d)(\d\d?)(?:\.|er|º|°)?\s+(?:de\s+)?([^\W\d_]{3,12})\.?,?\s+(?:de\s+)?"
    r"((?:19|20)\d\d)(?!\d)"
)
_MONTH_FIRST = re.compile(r"(?<![^\W\d_])([^\W\d_]{3,12})\.?\s+(\d\d?),?\s+((?:19|20)\d\d)(?!\d)")
_YEAR_MONTH = re.compile(r"([12]\d{3})[\s,/]+([^\W\d_]{3,12})\.?(?:[\s/]+(\d\d?)(?!\d))?")
_MONTH_YEAR = re.compile(r"(?<![^\W\d_])([^\W\d_]{3,12})\.?,?\s+([12]\d{3})(?!\d)")
_ANY_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
#: Characters of a text in which a date is searched.
_MAX_CHARACTERS = 80


# ---------------------------------------------------------------- from text


def find_day(text: str) -> str:
    """Return the one full date in a text, or "" if it is ambiguous or invalid."""
    text = text[:_MAX_CHARACTERS]
    found = _ISO.match(text) or _COMPACT.match(text)
    if found:
        return _build_full_date(*found.groups())
    found = _DOTTED.search(text)
    if found:
        return _build_full_date(found[3], found[2], found[1])
    found = _SLASHED.search(text)
    if found:
        return _resolve_slashed(found[1], found[2], found[3])
    found = _DAY_FIRST.search(text)
    if found:
        return _build_named_date(found[3], found[2], found[1])
    found = _MONTH_FIRST.search(text)
    if found:
        return _build_named_date(found[3], found[1], found[2])
    return ""


def _resolve_slashed(one: str, other: str, year: str) -> str:
    """Return the date of two numbers and a year, or "" if day and month are ambiguous."""
    if int(one) > 12:
        return _build_full_date(year, other, one)
    if int(other) > 12 or int(one) == int(other):
        return _build_full_date(year, one, other)
    return ""


def parse_leading_date(text: str) -> str:
    """Return the date a text begins with, as far as it is valid; otherwise as `find_day`."""
    found = _ISO.match(text) or _COMPACT.match(text)
    return parse_date_parts(*found.groups()) if found else find_day(text)


def parse_catalogue_date(text: str) -> str:
    """Return the date in a catalogue field, as precise as it is stated.

    Reads forms such as "1993 Oct 8", "FEB 2011", "2006 May-Jun", "c1999" and "2004/2005".
    """
    text = text.strip()[:_MAX_CHARACTERS]
    found = parse_iso_date(text) or find_day(text)
    if found:
        with_month = _YEAR_MONTH.match(text) if len(found) == 4 else None
        return parse_date_parts(*with_month.groups()) if with_month else found
    month = _MONTH_YEAR.search(text)
    if month:
        return parse_date_parts(month[2], month[1])
    year = _ANY_YEAR.search(text)
    return parse_date_parts(year[0]) if year else ""


def parse_iso_date(text: str) -> str:
    """Return the ISO date a text begins with, as far as it is valid, from year 1000 on.

    "2024-05-01T10:00Z" gives "2024-05-01".
    """
    found = _ISO_OF_ANY_YEAR.match(text)
    return parse_date_parts(*found.groups()) if found else ""


# ---------------------------------------------------------------- from fields


def parse_date_parts(year: str | None, month: str | None = "", day: str | None = "") -> str:
    """Return the date of separate fields as far as it is valid; month 13 leaves the year.

    `month` is a number, or a name of at least three letters.
    """
    known: list[int] = []
    for part in (_parse_number(year), _parse_month(month or ""), _parse_number(day)):
        if part is None:
            break
        known.append(part)
    while known:
        found = _format_if_valid(*known)
        if found:
            return found
        known.pop()
    return ""


def format_timestamp_day(value: Any) -> str:
    """Return the UTC day of seconds since the epoch, or "" if the value is not such a time."""
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not 0 < value < MAX_TIMESTAMP
    ):
        return ""
    return format_utc_day(value)


def format_utc_day(seconds: float) -> str:
    """Return the UTC day of seconds since the epoch."""
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()


def format_rfc3339(seconds: float) -> str:
    """Return seconds since the epoch as RFC 3339 in UTC, to the second."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def format_times(fields: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return the fields with the named times as RFC 3339; missing ones and None stay.

    Times are in seconds since the epoch.
    """
    formatted = dict(fields)
    for name in names:
        if formatted.get(name) is not None:
            formatted[name] = format_rfc3339(formatted[name])
    return formatted


def parse_full_day(text: str) -> date | None:
    """Return the day of a text of the form YYYY-MM-DD, or None for anything else."""
    found = parse_iso_date(text)
    if found != text or len(found) != 10:
        return None
    return date.fromisoformat(found)


# ---------------------------------------------------------------- parts


def _build_full_date(year: str, month: str | None, day: str | None) -> str:
    """Return the date if all given parts are valid together, otherwise ""."""
    return _format_if_valid(*(int(part) for part in (year, month, day) if part))


def _build_named_date(year: str, month: str, day: str) -> str:
    """Return the date with the month given by name, or "" if it is invalid."""
    number = _parse_month(month)
    if not number:
        return ""
    return _format_if_valid(int(year), number, int(day))


def _parse_month(text: str) -> int | None:
    """Return the number of a month given by name or number, or None."""
    if text.lower().startswith("juil"):  # juin, juillet
        return 7
    return _MONTHS.get(text[:3].lower()) or _parse_number(text)


def _parse_number(text: str | None) -> int | None:
    """Return the number of a text of one to four digits, or None."""
    if not text or len(text) >= 5 or not text.isdecimal():
        return None
    return int(text)


def _format_if_valid(year: int, *rest: int) -> str:
    """Return the ISO date of year, month and day as far as given, or "" if invalid."""
    if year < 1000:
        return ""
    month, day = (*rest, 1, 1)[:2]
    try:
        found = date(year, month, day).isoformat()
    except ValueError:
        return ""
    return found[: 4 + 3 * len(rest)]
