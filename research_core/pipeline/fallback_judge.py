"""What a run does with the pages it has read when a cap leaves no call for judging them: it judges
them by words, and says so.

That costs nothing and asks nobody. Where the analyst stopped the run nothing of it happens: what
was not judged then is not judged.
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
    """Why a run ends at a cap, as its stop says it."""
    return f"{CAP_REASON_PREFIX}{cap} was reached"


def build_stop_decision(
    why: str, known: Mapping[str, Collection[str]], begun: Collection[str]
) -> dict[str, Any]:
    """The decision that ends a run early. known: what the fold may count, by name; begun: the pages
    whose judging was begun.

    Where a cap ended it, those that nobody judged are named as judged too, and once more as
    `list_pages_judged_by_words`.
    """
    end = {"do": "stop", "why": why, **{name: sorted(values) for name, values in known.items()}}
    rest = sorted(set(begun) - set(known["judged"])) if why.startswith(CAP_REASON_PREFIX) else []
    return {**end, "judged": sorted({*known["judged"], *rest}), "by_words": rest} if rest else end


def list_pages_judged_by_words(decided: Mapping[str, Any] | None) -> Collection[str]:
    """The pages that such a decision leaves to the words; none where there is no decision."""
    return decided.get("by_words", ()) if decided else ()


def score_with_fallback(
    question: str, summary: Summary, model: Model | None = None
) -> dict[str, Any]:
    """What `relevance.score_source` gives, of the model; without one, by the judge that needs none."""
    if model is not None:
        return score_source(question, summary, model)
    found = parse_score(judge_source(build_scoring_request(question, summary).inputs))
    assert found is not None
    return build_judgement(summary, found[0], JUDGED_BY_WORDS_NOTE + found[1])
