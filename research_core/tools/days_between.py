"""The days a search may be bound by: two parameters of several tools, checked alike. It knows
nothing of what is searched.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from research_core.errors import UsageError
from research_core.text.dates import parse_full_day

DayFrom = Annotated[str, Field(description="The first day, YYYY-MM-DD.", max_length=10)]
DayTo = Annotated[str, Field(description="The last day, YYYY-MM-DD.", max_length=10)]


def parse_days(first: str, last: str) -> tuple[str, str]:
    """Both days without space around them; "" for a bound that is not set. Raises UsageError for
    what is no day or the wrong way round.
    """
    first, last = first.strip(), last.strip()
    for name, day in (("date_from", first), ("date_to", last)):
        if day and parse_full_day(day) is None:
            raise UsageError(f"{name} is no day: {day}.", next_step="Write it as 2024-05-31.")
    if first and last and last < first:
        raise UsageError(
            f"date_to, {last}, is before date_from, {first}.", next_step="Turn them round."
        )
    return first, last
