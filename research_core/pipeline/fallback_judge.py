"""Judge pages by their words when a cap leaves no model call.

That costs nothing and calls nobody. It does not apply when the analyst stops a run: what is not
judged by then stays unjudged.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from research_core.journal.deps import Model
from research_core.llm.offline_judge import judge_source
from research_core.models import Summary
from research_core.pipeline.relevance import (
    build_judgement,
    build_scoring_request,
    parse_score,
    score_source,
)
from research_core.pipeline.unfinished import JUDGED_BY_WORDS_NOTE

CAP_REASON_PREFIX = "the cap on "


def explain_cap(cap: str) -> str:
    """Return the reason a run ends at this cap, as its stop decision states it."""
    return f"{CAP_REASON_PREFIX}{cap} was reached"


def build_stop_decision(
    why: str, known: Mapping[str, Collection[str]], begun: Collection[str]
) -> dict[str, Any]:
    """Build the decision that ends a run early.

    known: what the fold may count, by name; begun: the pages whose judging has begun. If a cap
    ended the run, the unjudged ones are listed as judged, and again under `by_words`.
    """
    decision: dict[str, Any] = {"do": "stop", "why": why}
    decision |= {name: sorted(values) for name, values in known.items()}
    if not why.startswith(CAP_REASON_PREFIX):
        return decision
    unjudged = sorted(set(begun) - set(known["judged"]))
    if not unjudged:
        return decision
    judged = sorted({*known["judged"], *unjudged})
    return {**decision, "judged": judged, "by_words": unjudged}


def list_pages_judged_by_words(decided: Mapping[str, Any] | None) -> Collection[str]:
    """Return the pages a stop decision leaves to be judged by words."""
    return decided.get("by_words", ()) if decided else ()


def score_with_fallback(
    question: str, summary: Summary, model: Model | None = None
) -> dict[str, Any]:
    """Score like `relevance.score_source`, with the word-based judge if there is no model."""
    if model is not None:
        return score_source(question, summary, model)
    found = parse_score(judge_source(build_scoring_request(question, summary).inputs))
    assert found is not None
    return build_judgement(summary, found[0], JUDGED_BY_WORDS_NOTE + found[1])
