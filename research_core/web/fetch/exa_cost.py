"""What an answer of Exa says that it cost, for the pages and the searches that are paid for there.
It asks nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

#: Beyond this no call costs anything: a number that is none.
MAX_REPORTED_USD = 10_000.0


def read_cost(answer: Any) -> float | None:
    """US dollars, None where the answer names none."""
    said = answer.get("costDollars") if isinstance(answer, dict) else None
    total = said.get("total") if isinstance(said, dict) else None
    return (
        float(total) if isinstance(total, int | float) and 0 <= total < MAX_REPORTED_USD else None
    )


def recorded_cost(recorded: Mapping[str, Any]) -> float | None:
    """What a recorded answer says it cost; a refusal costs nothing."""
    if recorded["status"] >= 400:
        return 0.0
    try:
        return read_cost(json.loads(recorded["body"]))
    except (ValueError, RecursionError):
        return None
