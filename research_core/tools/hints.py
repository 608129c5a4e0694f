"""Suggest what to do after a search without results: which filters to drop or widen, whom to ask.

Every suggested action is a call that would be accepted and that asks for something else.
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
#: Parameters that exclude nothing: they order or format the results.
ORDER_PARAMETERS = frozenset({"sort_by", "units"})


@dataclass(frozen=True)
class HintRules:
    """What can be changed about a call.

    needed: filters without which it would be refused; wider: the value to widen a filter to instead
    of removing it; idle: filters whose absence would mean the same; words: whether the call has
    search words that could be changed.
    """

    needed: tuple[str, ...] = ()
    wider: Mapping[str, str] = field(default_factory=dict)
    idle: AbstractSet[str] = frozenset()
    words: bool = True


def find_sole_criterion(**criteria: str) -> tuple[str, ...]:
    """Return the only criterion that is set, which the call cannot omit; () for several."""
    given = tuple(name for name, value in criteria.items() if value)
    return given if len(given) == 1 else ()


def build_hints(
    filters: Mapping[str, Any], others: Sequence[str], rules: HintRules | None = None
) -> Json:
    """Return the hints for a search without results.

    filters: the filters that were set, by their names on the wire; others: alternative providers.
    """
    rules = rules or HintRules()
    fixed = {*rules.needed, *ORDER_PARAMETERS, *rules.idle}
    removable = [name for name in filters if name not in fixed]
    limit = MAX_ACTIONS - 1 if others else MAX_ACTIONS
    actions = [_suggest_without(name, rules) for name in removable[:limit]]
    if others:
        actions.append({"action": "try_different_provider", "providers": list(others)})
    if not actions and rules.words:
        actions.append({"action": "broaden_query"})
    elif not actions:
        actions += [{"action": "change_filter", "filter": name} for name in rules.needed]
    return {
        "reason": "filters_too_restrictive" if filters else "no_match",
        "filtersApplied": dict(filters),
        "suggestedActions": actions,
        "note": EMPTY_RESULT_NOTE,
    }


def _suggest_without(name: str, rules: HintRules) -> Json:
    if name in rules.wider:
        return {"action": "widen_filter", "filter": name, "value": rules.wider[name]}
    return {"action": "remove_filter", "filter": name}
