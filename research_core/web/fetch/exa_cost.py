"""Read what an Exa answer says it cost, for pages and searches."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

#: US dollars from which a reported cost is taken as invalid.
MAX_REPORTED_USD = 10_000.0


def read_cost(answer: Any) -> float | None:
    """Return US dollars, or None if the answer names no cost."""
    said = answer.get("costDollars") if isinstance(answer, dict) else None
    total = said.get("total") if isinstance(said, dict) else None
    return (
        float(total) if isinstance(total, int | float) and 0 <= total < MAX_REPORTED_USD else None
    )


def recorded_cost(recorded: Mapping[str, Any]) -> float | None:
    """Return what a recorded answer says it cost in US dollars; a refusal costs nothing."""
    if recorded["status"] >= 400:
        return 0.0
    try:
        return read_cost(json.loads(recorded["body"]))
    except (ValueError, RecursionError):
        return None
