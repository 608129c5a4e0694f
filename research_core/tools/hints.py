"""What a search that found nothing tells its caller: which filters may have been too many, what can be done, and what it does not show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from research_core.models import Json

ACTIONS = 3
NOTE = "Zero results do not show that there is nothing: the provider may not hold it, or call it otherwise."


def hints(filters: Mapping[str, Any], others: Sequence[str]) -> Json:
    """filters: those that were set, by their names on the wire; others: providers that could be asked now."""
    actions: list[Json] = [{"action": "remove_filter", "filter": name} for name in list(filters)[: ACTIONS - bool(others)]]
    if others:
        actions.append({"action": "try_different_provider", "providers": list(others)})
    if not actions:
        actions.append({"action": "broaden_query"})
    return {
        "reason": "filters_too_restrictive" if filters else "no_match",
        "filtersApplied": dict(filters),
        "suggestedActions": actions,
        "note": NOTE,
    }
