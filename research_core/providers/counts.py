"""Holds an answer to the number of records that it says it found. It reads no record, and knows no service."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from research_core.providers.reply import changed


def counted(count: Any) -> int:
    """A count as a whole number, written as one or in digits; 0 for anything else, which says nothing."""
    return int(count) if isinstance(count, int | str) and re.fullmatch(r"[0-9]{1,18}", str(count)) else 0


def held(name: str, listed: Sequence[Any], count: Any) -> None:
    """Raises SearchError where nothing is listed of what an answer counts: something was found, and did not come."""
    if not listed and counted(count):
        raise changed(name, f"it counts {counted(count):,} results and lists none")
