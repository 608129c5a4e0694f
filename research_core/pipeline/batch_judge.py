"""Sources nobody could score, heard once more: all of them in one question to the model, each under
a number, answered as a list.

Judging one by one meets a model's limits first, and one call for all may pass where ten did not. It
is asked once; a number that was not given is ignored, one that is named twice counts for nothing,
and whoever is not named stays unscored, which is kept and said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from research_core.errors import CallForbidden, CapReached, ModelError
from research_core.journal.deps import Model
from research_core.model_messages import Json, ModelRequest
from research_core.models import Summary
from research_core.pipeline.relevance import (
    JUDGEMENT_PROPERTIES,
    RUBRIC,
    SCORING_SYSTEM,
    SCORING_TIMEOUT,
    build_judgement,
    parse_json_object,
    parse_judgement,
)
from research_core.text import words
from research_core.text.instructions import fence_untrusted

#: Sources heard together at most, and characters of each; what is beyond the first stays unscored.
MAX_SOURCES, MAX_SOURCE_LENGTH = 12, 6000
#: Failures that would meet the others too, or come again.
FINAL_ERROR_KINDS = frozenset({"auth_required", "blocked", "config", "not_found", "too_large"})

PROMPT = """\
ORIGINAL QUERY:
{query}

{sources}

Rate the relevance of each of these {count} sources to the original query on a scale of 1-5, each by itself:
{rubric}

Respond as JSON: {{"judgements": [{{"id": the number of the source, "score": 1-5, "explanation": one sentence explaining why}}]}}"""


def find_unscored(judgements: Mapping[str, Mapping[str, Any]], among: Collection[str]) -> list[str]:
    """The URLs among these to be heard again, in order. judgements: by URL, as
    `relevance.score_source` gives them.
    """
    failed = (
        url
        for url, said in judgements.items()
        if not said["scored"] and said["reason"].partition(":")[0] not in FINAL_ERROR_KINDS
    )
    return sorted(url for url in failed if url in among)[:MAX_SOURCES]


def judge_batch(question: str, summaries: Sequence[Summary], model: Model) -> list[dict[str, Any]]:
    """What `relevance.score_source` would say of each that got a score now; nothing of the others,
    and no call where there is none.

    Where a cap leaves no call, or a replayed run never made this one, nobody is heard: that is how
    the run was, too.
    """
    if not summaries:
        return []
    try:
        reply = model.run(build_batch_request(question, summaries))
    except (ModelError, CapReached, CallForbidden):
        return []
    found = parse_judgements(reply.text, len(summaries))
    return [
        build_judgement(summary, found[n][0], found[n][1])
        for n, summary in enumerate(summaries, 1)
        if n in found
    ]


def build_batch_request(question: str, summaries: Sequence[Summary]) -> ModelRequest:
    """The one question about all; a function of the question and of the sources in their order."""
    told = [
        [summary.title, *([passage.text for passage in summary.passages] or [summary.summary])]
        for summary in summaries
    ]
    fences = (
        fence_untrusted("source_summary", words.truncate("\n\n".join(parts), MAX_SOURCE_LENGTH))
        for parts in told
    )
    sources = "\n\n".join(f"SOURCE {n}:\n{fence}" for n, fence in enumerate(fences, 1))
    prompt = PROMPT.format(
        query=words.fence_text("query", question),
        sources=sources,
        count=len(summaries),
        rubric=RUBRIC,
    )
    inputs = {
        "question": question,
        "sources": [{"title": title, "passages": passages} for title, *passages in told],
    }
    return ModelRequest(
        "judge_again",
        SCORING_SYSTEM,
        prompt,
        inputs,
        _build_schema(len(summaries)),
        timeout_s=SCORING_TIMEOUT,
    )


def _build_schema(count: int) -> Json:
    one = {"id": {"type": "integer", "minimum": 1, "maximum": count}, **JUDGEMENT_PROPERTIES}
    row: Json = {"type": "object", "properties": one, "required": list(one)}
    rows: Json = {"type": "array", "items": row, "maxItems": count}
    return {"type": "object", "properties": {"judgements": rows}, "required": ["judgements"]}


def parse_judgements(reply: str, count: int) -> dict[int, tuple[int, str]]:
    """{number: (score, explanation)} of the sources 1 to count that the reply names once, with a
    whole score 1-5.
    """
    rows = list(_select_rows(parse_json_object(reply)))
    named = Counter(row["id"] for row in rows)
    return {
        row["id"]: (said[0], said[1] or "The reply gave no explanation.")
        for row in rows
        if 1 <= row["id"] <= count
        and named[row["id"]] == 1
        and (said := parse_judgement(row)) is not None
    }


def _select_rows(fields: Json | None) -> Iterable[Json]:
    """Those of the list that have a whole number for an id; what is of another shape is no
    judgement.
    """
    rows = (fields or {}).get("judgements")
    for row in rows if isinstance(rows, list) else []:
        if isinstance(row, dict) and type(row.get("id")) is int:
            yield row
