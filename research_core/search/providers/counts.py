"""Check answers against the number of records they report, and note what was not scanned."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from research_core.errors import SearchError
from research_core.search.providers.reply import changed_format_error
from research_core.search.records import NotedRecords, collect_notes
from research_core.text.words import format_count

NARROWER = "Ask for less: with more words, or fewer years."


def parse_count(count: Any) -> int:
    """Return a count given as an integer or in digits; 0 for anything else."""
    if not isinstance(count, int | str) or not re.fullmatch(r"[0-9]{1,18}", str(count)):
        return 0
    return int(count)


def check_not_empty(name: str, listed: Sequence[Any], count: Any) -> None:
    """Raise SearchError if an answer reports results but lists none."""
    if not listed and parse_count(count):
        raise changed_format_error(
            name, f"it counts {format_count(parse_count(count), 'result')} and lists none"
        )


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
    """Return the matches, with a note if not everything was scanned.

    count: how many records there are in all, as the service writes it, or None; most: the number of
    records asked for. The note is added if fewer were found than wanted and there are, or may be,
    more records. Raises SearchError if nothing matched and there are, or may be, more.
    """
    total = parse_count(count)
    # A full page without a count may go on.
    is_uncounted = not total and 0 < most <= looked_through
    if len(found) >= wanted or (total <= looked_through and not is_uncounted):
        return NotedRecords(found, collect_notes(found))
    counted = f"{name} found {total:,} {what}"
    if is_uncounted:
        counted = f"{name} does not say how many {what} it found"
    if not found:
        sentence = f"{counted}, and none of the first {looked_through:,} is one of these."
        raise SearchError(sentence, kind="too_large", next_step=next_step)
    note = (
        f"{counted}. Only the first {looked_through:,} were looked through, and {len(found)} of"
        f" them {'fits' if len(found) == 1 else 'fit'}."
    )
    return NotedRecords(found, (*collect_notes(found), note))
