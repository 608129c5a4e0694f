"""Read what an Exa answer says it cost, for pages and searches."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

#: US dollars from which a reported cost is taken as invalid.
MAX_REPORTED_USD = 10_000.0


def read_cost(answer: Any) -> float | None:
    """Return US dollars, or None if the answer names no cost."""
    if not isinstance(answer, dict) or not isinstance(answer.get("costDollars"), dict):
        return None
    total = answer["costDollars"].get("total")
    if not isinstance(total, int | float) or not 0 <= total < MAX_REPORTED_USD:
        return None
    return float(total)


def read_recorded_cost(recorded: Mapping[str, Any]) -> float | None:
    """Return what a recorded answer says it cost in US dollars; a refusal costs nothing."""
    if recorded["status"] >= 400:
        return 0.0
    try:
        return read_cost(json.loads(recorded["body"]))
    except (ValueError, RecursionError):
        return None
