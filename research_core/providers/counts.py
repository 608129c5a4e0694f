"""Holds an answer to the number of records that it says it found. It reads no record, and knows no service."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from research_core.errors import SearchError
from research_core.providers.reply import changed


def counted(count: Any) -> int:
    """A count as a whole number, written as one or in digits; 0 for anything else, which says nothing."""
    return int(count) if isinstance(count, int | str) and re.fullmatch(r"[0-9]{1,18}", str(count)) else 0


def held(name: str, listed: Sequence[Any], count: Any) -> None:
    """Raises SearchError where nothing is listed of what an answer counts: something was found, and did not come."""
    if not listed and counted(count):
        raise changed(name, f"it counts {counted(count):,} results and lists none")


def none_of(name: str, looked_through: int, count: int) -> tuple[Any, ...]:
    """() where none of all that was found is wanted. Raises SearchError where more was found than was looked through."""
    if count > looked_through:
        sentence = f"{name} found {count:,} results, and none of the first {looked_through:,} is one of these."
        raise SearchError(sentence, kind="too_large", next_step="Ask for less: with more words, or fewer years.")
    return ()
