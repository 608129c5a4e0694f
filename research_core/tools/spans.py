"""Holds results to a span of time by the dates they bear themselves, since engines are lax about
it; a result without a date stays.

What a date puts clearly outside is left out and counted, and so is how many have none. It asks no
clock of its own: when the search was made is recorded with it, so that a replay says the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from research_core.journal.deps import Deps
from research_core.tools.searching import Found

T = TypeVar("T")
DAY = timedelta(days=1)
#: How old a result may be, and by how much it may miss that: providers are known to be hours late
#: with an hour.
SPANS = {
    "hour": (timedelta(hours=1), timedelta(hours=11)),
    "day": (DAY, DAY),
    "week": (7 * DAY, DAY),
    "month": (31 * DAY, DAY),
    "year": (366 * DAY, DAY),
}
MIDNIGHT = "T00:00:00Z"


def keep_within_span(
    found: Found, rows: Sequence[T], dated: Callable[[T], str], called: str
) -> tuple[Found, list[T]]:
    """What was found with what is to be told of it, and those rows that may be of the span its
    query asks for.

    dated: a row's moment, RFC 3339 in UTC, or ""; called: what the rows are, in the plural.
    """
    span = found.query.time_range
    if not span or not rows:
        return found, list(rows)
    dates = [dated(row) for row in rows]
    now = (
        _find_search_time(found.deps, found.query.text, span)
        if any(dates)
        else datetime.max.replace(tzinfo=UTC)
    )
    kept = [
        row
        for row, date in zip(rows, dates, strict=True)
        if not date or is_within_span(date, span, now)
    ]
    left_out, unknown = len(rows) - len(kept), dates.count("")
    told = [
        (
            f"Left out, since by their own dates they are not of the last {span}: {left_out} of the"
            f" {len(rows)} {called} found."
            if left_out
            else ""
        ),
        (
            f"Nothing of what was found is within the last {span}; a wider time_range may have"
            " something."
            if not kept
            else ""
        ),
        (
            f"Of {unknown} of the {len(rows)} {called} found no date is known: they may not be of"
            f" the last {span}."
            if unknown
            else ""
        ),
    ]
    notes = (*found.routed.notes, *filter(None, told))
    return replace(found, routed=replace(found.routed, notes=notes)), kept


def is_within_span(date: str, span: str, now: datetime) -> bool:
    """Whether a moment may be within the span that ends now. Midnight stands for its whole day, as
    a day alone is told so.
    """
    moment = datetime.fromisoformat(date)
    age, lax = SPANS[span]
    latest = moment + DAY if date.endswith(MIDNIGHT) else moment
    return now - age - lax <= latest and moment <= now + DAY


def format_date(date: str) -> str:
    """A moment, or the day alone where it is the beginning of one: how a day is told whose hour
    nobody knows.
    """
    return date.removesuffix(MIDNIGHT)


def _find_search_time(deps: Deps, query: str, span: str) -> datetime:
    seconds = deps.http.fact(
        {"asked": "when this was searched for", "query": query, "span": span}, deps.clock.now
    )
    return datetime.fromtimestamp(seconds, UTC)
