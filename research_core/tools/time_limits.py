"""Limit a search to a range of days, or its results to a time span.

Results are held to a span by their own dates, because engines are lax. Undated results stay. What
was left out and what has no date is counted. The time of the search is recorded with it, so that a
replay decides the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Annotated, TypeVar

from pydantic import Field

from research_core.errors import UsageError
from research_core.journal.deps import Deps
from research_core.text.dates import parse_full_day
from research_core.tools.provider_search import ProviderAnswer

# ---------------------------------------------------------------- a range of days

DayFrom = Annotated[str, Field(description="The first day, YYYY-MM-DD.", max_length=10)]
DayTo = Annotated[str, Field(description="The last day, YYYY-MM-DD.", max_length=10)]


def parse_days(first: str, last: str) -> tuple[str, str]:
    """Return both days stripped, "" for an open bound.

    Raises UsageError for an invalid day, or if the first day is after the last.
    """
    first = first.strip()
    last = last.strip()
    for name, day in (("date_from", first), ("date_to", last)):
        if day and parse_full_day(day) is None:
            raise UsageError(f"{name} is not a date: {day}.", next_step="Write it as 2024-05-31.")
    if first and last and last < first:
        raise UsageError(f"date_to, {last}, is before date_from, {first}.", next_step="Swap them.")
    return first, last


# ---------------------------------------------------------------- a time span

T = TypeVar("T")
DAY = timedelta(days=1)
#: The age of a span, and a tolerance: providers are known to be hours late with an hour.
SPANS = {
    "hour": (timedelta(hours=1), timedelta(hours=11)),
    "day": (DAY, DAY),
    "week": (7 * DAY, DAY),
    "month": (31 * DAY, DAY),
    "year": (366 * DAY, DAY),
}
MIDNIGHT = "T00:00:00Z"


def keep_within_span(
    found: ProviderAnswer, rows: Sequence[T], dated: Callable[[T], str], called: str
) -> tuple[ProviderAnswer, list[T]]:
    """Return the findings with notes on the span, and the rows that may be within it.

    dated: the time of a row, RFC 3339 in UTC, or ""; called: the plural noun for the rows.
    """
    span = found.query.time_range
    if not span or not rows:
        return found, list(rows)
    dates = [dated(row) for row in rows]
    now = datetime.max.replace(tzinfo=UTC)
    if any(dates):
        now = _find_search_time(found.deps, found.query.text, span)
    kept: list[T] = []
    for row, date in zip(rows, dates, strict=True):
        if not date or is_within_span(date, span, now):
            kept.append(row)
    notes = list(found.route.notes)
    left_out = len(rows) - len(kept)
    if left_out:
        notes.append(
            f"Left out, since by their own dates they are not of the last {span}: {left_out} of the"
            f" {len(rows)} {called} found."
        )
    if not kept:
        notes.append(
            f"Nothing of what was found is within the last {span}; a wider time_range may have"
            " something."
        )
    undated = dates.count("")
    if undated:
        notes.append(
            f"Of {undated} of the {len(rows)} {called} found no date is known: they may not be of"
            f" the last {span}."
        )
    return replace(found, route=replace(found.route, notes=tuple(notes))), kept


def is_within_span(date: str, span: str, now: datetime) -> bool:
    """Return whether a time may be within the span that ends now.

    Midnight stands for the whole day, because a day without a time is written so.
    """
    moment = datetime.fromisoformat(date)
    age, tolerance = SPANS[span]
    latest = moment + DAY if date.endswith(MIDNIGHT) else moment
    return now - age - tolerance <= latest and moment <= now + DAY


def format_date(date: str) -> str:
    """Return a time, or only its day if it is midnight: the hour is then unknown."""
    return date.removesuffix(MIDNIGHT)


def _find_search_time(deps: Deps, query: str, span: str) -> datetime:
    """Return when this was first searched for, as recorded."""
    seconds = deps.http.record_fact(
        {"asked": "when this was searched for", "query": query, "span": span}, deps.clock.now
    )
    return datetime.fromtimestamp(seconds, UTC)
