"""Holds an answer to the number of records that it says it found, and tells where not all of them
were looked through.

It reads no record, and knows no service.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from research_core.errors import SearchError
from research_core.search.providers.reply import changed_format_error
from research_core.search.records import NotedRecords, collect_notes

NARROWER = "Ask for less: with more words, or fewer years."


def parse_count(count: Any) -> int:
    """A count as a whole number, written as one or in digits; 0 for anything else, which says
    nothing.
    """
    return (
        int(count)
        if isinstance(count, int | str) and re.fullmatch(r"[0-9]{1,18}", str(count))
        else 0
    )


def check_not_empty(name: str, listed: Sequence[Any], count: Any) -> None:
    """Raises SearchError where nothing is listed of what an answer counts: something was found, and
    did not come.
    """
    if not listed and parse_count(count):
        raise changed_format_error(name, f"it counts {parse_count(count):,} results and lists none")


def limit_to_scanned(
    name: str,
    found: Sequence[Any],
    wanted: int,
    looked_through: int,
    count: Any,
    *,
    most: int = 0,
    what: str = "results",
    next_step: str = NARROWER,
) -> NotedRecords:
    """What fits among the first that were looked through. count: how many there are in all, as the
    service writes it, if it does.

    Where that is less than is wanted, and there are more, it says so; and where nobody knows
    whether there are, the answer being as long as was asked for (most). Raises SearchError where
    none fits and there are more, or may be.
    """
    total = parse_count(count)
    unsaid = not total and 0 < most <= looked_through
    if len(found) >= wanted or (total <= looked_through and not unsaid):
        return NotedRecords(found, collect_notes(found))
    told = (
        f"{name} does not say how many {what} it found"
        if unsaid
        else f"{name} found {total:,} {what}"
    )
    if not found:
        sentence = f"{told}, and none of the first {looked_through:,} is one of these."
        raise SearchError(sentence, kind="too_large", next_step=next_step)
    return NotedRecords(
        found,
        (
            *collect_notes(found),
            (
                f"{told}. Only the first {looked_through:,} were looked through, and {len(found)}"
                " of them fit."
            ),
        ),
    )
