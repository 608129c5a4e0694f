"""Shared by statistics providers: figures, periods, name matching and date windows.

Each provider reads its own answer.
"""

from __future__ import annotations

import calendar
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from heapq import nlargest, nsmallest
from typing import Any, TypeVar

from research_core.errors import SearchError
from research_core.search.providers.reply import changed_format_error, clean_message
from research_core.search.queries import SeriesQuery
from research_core.search.records import Observation, Series

#: Notations for a missing figure. Any other text that is not a number means a changed format.
MISSING = frozenset({"", ".", "..", ":", "-", "nan", "na"})
_FIGURE = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_MAX_FIGURE_LENGTH = 60
#: Names of series, datasets and places that are safe in a URL path.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@,$+;-]*")
_PERIOD = re.compile(
    r"(\d{4})(?:-?([MQSBHTW])(\d{1,2})|-(\d{2})(?:-(\d{2}))?)?(?:$|[T/\s].*)",
    re.IGNORECASE | re.ASCII,
)
#: Months in a part of a year, by the letter before its number.
_MONTHS = {"M": 1, "Q": 3, "T": 4, "S": 6, "B": 6, "H": 6}
#: Dimensions and attributes by meaning, as JSON-stat, SDMX and the old OECD server spell them.
UNITS, MULTIPLIERS = ("unit", "unit_measure"), ("unit_mult", "powercode")
FREQUENCIES, STATES = ("freq", "frequency"), ("obs_status", "status")
#: Codes without information: a multiplier of one, a normal value.
ONE, USUAL = "0", "A"
#: Providers whose series ids have a form of their own.
FORMS = (
    ("oecd", re.compile(r"[^,]+,[^,]+(?:,[^,]*)?")),
    ("worldbank", re.compile(r"[^.,]+(?:\.[^.,]+)+")),
    ("eurostat", re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+")),
)
Span = tuple[date, date]
UNDATED: Span = (date.min, date.min)
#: A dataset with more is refused.
MAX_DIMENSIONS = 50


@dataclass(frozen=True)
class Mark:
    """A coordinate or attribute of a cell: its dimension, its code, and the code's label."""

    dimension: str
    code: str
    label: str


@dataclass(frozen=True)
class Cell:
    """A cell of a dataset.

    date: its period; marks: its other coordinates; attributes: what is said of it, such as its unit
    and status; value: None if missing.
    """

    date: str
    value: float | int | None
    marks: tuple[Mark, ...] = ()
    attributes: tuple[Mark, ...] = ()


#: Types with a `date`.
_Dated = TypeVar("_Dated", Cell, Observation)


def parse_figure(name: str, value: Any) -> float | int | None:
    """Return the number unrounded (0 stays 0), None if missing. Raises SearchError."""
    if isinstance(value, str):
        written = value.strip()
        if written.lower() in MISSING:
            return None
        if len(written) > _MAX_FIGURE_LENGTH or not _FIGURE.fullmatch(written):
            raise changed_format_error(name, "a value is not a number")
        value = int(written) if written.lstrip("+-").isdigit() else float(written)
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not _is_finite(value):
        raise changed_format_error(name, "a value is not a number")
    return value


def _is_finite(value: float | int) -> bool:
    return isinstance(value, int) or math.isfinite(value)


def check_name(name: str, what: str, written: str, form: re.Pattern[str] = _NAME) -> str:
    """Return a series or place name that is safe in a URL. Raises SearchError for others."""
    if not form.fullmatch(written):
        raise SearchError(
            f"{name} has no {what} of this form: {written[:100]!r}.",
            kind="validation",
            next_step="Search with query for the id of a series.",
        )
    return written


def clean_refusal(words: Any) -> str:
    """Return a service's error message, cleaned and short; "" if it is not text."""
    return clean_message(words) if isinstance(words, str) else ""


# ---------------------------------------------------------------- time


@lru_cache(maxsize=4096)
def parse_period(period: str) -> Span | None:
    """Return the first and last day of a period as any of the services writes it.

    A year, half year, third, quarter, month, week or day; None for anything else.
    """
    found = _PERIOD.match(period.strip())
    if not found:
        return None
    year, (letter, part, month, day) = int(found[1]), found.groups()[1:]
    try:
        if letter and letter.upper() == "W":
            monday = date.fromisocalendar(year, int(part), 1)
            return monday, monday + timedelta(days=6)
        if day:
            only = date(year, int(month), int(day))
            return only, only
        if letter:
            size = _MONTHS[letter.upper()]
            return _build_month_span(year, (int(part) - 1) * size + 1, size)
        if month:
            return _build_month_span(year, int(month), 1)
        return _build_month_span(year, 1, 12)
    except (ValueError, OverflowError):
        return None


def _build_month_span(year: int, first: int, count: int) -> Span:
    last = first + count - 1
    return date(year, first, 1), date(year, last, calendar.monthrange(year, last)[1])


def select_window(found: Iterable[_Dated], query: SeriesQuery) -> tuple[_Dated, ...]:
    """Return `count` observations from date_from, oldest first; else the latest.

    Without date_from, the most recent come first. A period is within the dates if any day of it is;
    observations of the same period keep their order. At most `count` are kept in memory: a dataset
    may have several hundred thousand.
    """
    since, until = parse_period(query.date_from), parse_period(query.date_to)
    within = (each for each in found if _overlaps(parse_period(each.date), since, until))

    def by_first_day(each: _Dated) -> Span:
        return parse_period(each.date) or UNDATED

    def by_last_day(each: _Dated) -> Span:
        return by_first_day(each)[::-1]

    if since:
        return tuple(nsmallest(query.count, within, key=by_first_day))
    return tuple(nlargest(query.count, within, key=by_last_day))


def _overlaps(when: Span | None, since: Span | None, until: Span | None) -> bool:
    if when is None:
        return not since and not until
    return (not since or when[1] >= since[0]) and (not until or when[0] <= until[1])


# ---------------------------------------------------------------- catalogues and cubes


def select_by_title(name: str, listed: Sequence[Series], query: SeriesQuery) -> tuple[Series, ...]:
    """Return those whose title has every word, exact phrases first, then shortest.

    Raises SearchError for an empty catalogue.
    """
    if not listed:
        raise changed_format_error(name, "its catalogue is empty")
    phrase = " ".join(query.text.casefold().split())
    words = phrase.split()
    found = []
    for each in listed:
        title = each.title.casefold()
        if all(word in title for word in words):
            found.append(each)
    found.sort(key=lambda each: (phrase not in each.title.casefold(), len(each.title)))
    return tuple(found[: query.count])


def build_observations(
    cells: Iterable[Cell], series_id: str, title: str, source: str
) -> list[Observation]:
    """Convert cells to observations, with distinguishing coordinates in the titles."""
    return [_build_observation(cell, series_id, title, source) for cell in cells]


def _build_observation(cell: Cell, series_id: str, title: str, source: str) -> Observation:
    labels = ", ".join(
        mark.label for mark in cell.marks if mark.dimension.lower() not in FREQUENCIES
    )
    # Offices give unit and frequency as a dimension or as an attribute.
    every = (*cell.marks, *cell.attributes)
    parts = _mark_label(every, UNITS), _mark_label(cell.attributes, MULTIPLIERS, ONE)
    return Observation(
        series_id=series_id,
        date=cell.date,
        source=source,
        value=cell.value,
        title=" — ".join(filter(None, (title, labels))),
        units=", ".join(filter(None, parts)),
        frequency=_mark_label(every, FREQUENCIES),
        notes=_mark_label(cell.attributes, STATES, USUAL),
    )


def _mark_label(marks: Iterable[Mark], dimensions: tuple[str, ...], plain: str = "") -> str:
    """Return the label of the first mark of these dimensions.

    "" if there is none, or its code means nothing in particular.
    """
    for mark in marks:
        if mark.dimension.lower() in dimensions:
            return "" if mark.code == plain else mark.label
    return ""


def list_unsupported_params(query: SeriesQuery) -> tuple[str, ...]:
    """Return the observation parameters of a query that looks for series."""
    return () if query.series_id else ("country", "date_from", "date_to", "frequency", "units")


def serves_id(name: str) -> Callable[[SeriesQuery], bool]:
    """Return a test whether a series id may belong to this provider."""

    def serves(query: SeriesQuery) -> bool:
        for owner, form in FORMS:
            if form.fullmatch(query.series_id):
                return owner == name
        return True

    return serves
