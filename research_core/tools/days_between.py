"""Define and check the two parameters that limit a search to a range of days."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from research_core.errors import UsageError
from research_core.text.dates import parse_full_day

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
            raise UsageError(f"{name} is no day: {day}.", next_step="Write it as 2024-05-31.")
    if first and last and last < first:
        raise UsageError(
            f"date_to, {last}, is before date_from, {first}.", next_step="Turn them round."
        )
    return first, last
