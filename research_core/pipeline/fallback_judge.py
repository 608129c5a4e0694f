"""What a run does with the pages it has read when a cap leaves no call for judging them: it judges
them by words, and says so.

That costs nothing and asks nobody. Where the analyst stopped the run nothing of it happens: what
was not judged then is not judged.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from research_core.journal.deps import Model
from research_core.llm.offline_judge import judge
from research_core.models import Summary
from research_core.pipeline.relevance import as_judged, parse_score, score_source, scoring_request
from research_core.pipeline.unfinished import BY_WORDS

CAP = "the cap on "


def reason(cap: str) -> str:
    """Why a run ends at a cap, as its stop says it."""
    return f"{CAP}{cap} was reached"


def stop(why: str, known: Mapping[str, Collection[str]], begun: Collection[str]) -> dict[str, Any]:
    """The decision that ends a run early. known: what the fold may count, by name; begun: the pages
    whose judging was begun.

    Where a cap ended it, those that nobody judged are named as judged too, and once more as
    `by_words`.
    """
    end = {"do": "stop", "why": why, **{name: sorted(values) for name, values in known.items()}}
    rest = sorted(set(begun) - set(known["judged"])) if why.startswith(CAP) else []
    return {**end, "judged": sorted({*known["judged"], *rest}), "by_words": rest} if rest else end


def by_words(decided: Mapping[str, Any] | None) -> Collection[str]:
    """The pages that such a decision leaves to the words; none where there is no decision."""
    return decided.get("by_words", ()) if decided else ()


def judged(question: str, summary: Summary, model: Model | None = None) -> dict[str, Any]:
    """What `relevance.score_source` gives, of the model; without one, by the judge that needs none."""
    if model is not None:
        return score_source(question, summary, model)
    found = parse_score(judge(scoring_request(question, summary).inputs))
    assert found is not None
    return as_judged(summary, found[0], BY_WORDS + found[1])
