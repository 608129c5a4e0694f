"""What a search that found nothing tells its caller: which filters may have been too many, what can
be done, and what it does not show.

Every action it proposes is a call that would be accepted and asks for something else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

from research_core.model_messages import Json

MAX_ACTIONS = 3
EMPTY_RESULT_NOTE = (
    "Zero results do not show that there is nothing: the provider may not hold it, or call it"
    " otherwise."
)
#: Parameters that leave nothing out: how what is found is ordered or shown.
ORDER_PARAMETERS = frozenset({"sort_by", "units"})


@dataclass(frozen=True)
class HintRules:
    """What can be changed about a call. needed: filters without which it would be refused; wider:
    what to set one to instead of leaving it

    out; idle: those whose absence would mean the same; words: whether it has words that could be
    others.
    """

    needed: tuple[str, ...] = ()
    wider: Mapping[str, str] = field(default_factory=dict)
    idle: AbstractSet[str] = frozenset()
    words: bool = True


def find_sole_criterion(**criteria: str) -> tuple[str, ...]:
    """The one of these parameters that a call cannot do without: it is the only one that is given."""
    given = tuple(name for name, value in criteria.items() if value)
    return given if len(given) == 1 else ()


def build_hints(
    filters: Mapping[str, Any], others: Sequence[str], ways: HintRules | None = None
) -> Json:
    """filters: those that were set, by their names on the wire; others: providers that could be
    asked now.
    """
    ways = ways or HintRules()
    able = [
        name
        for name in filters
        if name not in ways.needed and name not in ORDER_PARAMETERS | ways.idle
    ]
    actions = [_suggest_without(name, ways) for name in able[: MAX_ACTIONS - bool(others)]]
    if others:
        actions.append({"action": "try_different_provider", "providers": list(others)})
    if not actions and ways.words:
        actions.append({"action": "broaden_query"})
    elif not actions:
        actions += [{"action": "change_filter", "filter": name} for name in ways.needed]
    return {
        "reason": "filters_too_restrictive" if filters else "no_match",
        "filtersApplied": dict(filters),
        "suggestedActions": actions,
        "note": EMPTY_RESULT_NOTE,
    }


def _suggest_without(name: str, ways: HintRules) -> Json:
    if name in ways.wider:
        return {"action": "widen_filter", "filter": name, "value": ways.wider[name]}
    return {"action": "remove_filter", "filter": name}
