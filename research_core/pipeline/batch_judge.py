"""Retry unscored sources in a single model call.

Judging sources one by one reaches a model's rate limits first, and one call may pass where ten did
not. The call is made once. A source that the reply does not name, or names twice, stays unscored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from research_core.errors import CallForbidden, CapReached, ModelError
from research_core.journal.deps import Model
from research_core.model_messages import Json, ModelRequest
from research_core.models import Summary
from research_core.pipeline.prompts import PromptContext
from research_core.pipeline.relevance import (
    JUDGEMENT_PROPERTIES,
    SCORING_TIMEOUT,
    build_judgement,
    parse_json_object,
    parse_judgement,
)
from research_core.text import words
from research_core.text.instructions import fence_untrusted

#: At most this many sources, and characters of each, go into the call; the rest stay unscored.
MAX_SOURCES = 12
MAX_SOURCE_LENGTH = 6000
#: Kinds of errors that would also affect the other sources, or happen again.
FINAL_ERROR_KINDS = frozenset({"auth_required", "blocked", "config", "not_found", "too_large"})


def find_unscored(judgements: Mapping[str, Mapping[str, Any]], among: Collection[str]) -> list[str]:
    """Return the unscored URLs in `among` that are worth a retry, sorted, at most MAX_SOURCES.

    judgements: by URL, as `relevance.score_source` returns them.
    """
    unscored = []
    for url, judgement in judgements.items():
        if judgement["scored"] or url not in among:
            continue
        error_kind = judgement["reason"].partition(":")[0]
        if error_kind not in FINAL_ERROR_KINDS:
            unscored.append(url)
    return sorted(unscored)[:MAX_SOURCES]


def judge_batch(
    question: str,
    summaries: Sequence[Summary],
    model: Model,
    prompting: PromptContext = PromptContext(),
) -> list[dict[str, Any]]:
    """Judge all sources in one call and return the judgements of those that got a score.

    Returns nothing, without an error, if there are no sources, the model fails, a cap leaves no
    call or a replayed run never made this call.
    """
    if not summaries:
        return []
    try:
        reply = model.run(build_batch_request(question, summaries, prompting))
    except (ModelError, CapReached, CallForbidden):
        return []
    found = parse_judgements(reply.text, len(summaries))
    judgements = []
    for number, summary in enumerate(summaries, 1):
        if number in found:
            score, explanation = found[number]
            judgements.append(build_judgement(summary, score, explanation))
    return judgements


def build_batch_request(
    question: str, summaries: Sequence[Summary], prompting: PromptContext = PromptContext()
) -> ModelRequest:
    """Build the request about all sources; depends only on its arguments and their order."""
    template = prompting.load("judge_again")
    inputs: Json = {"question": question, "sources": []}
    sections = []
    for number, summary in enumerate(summaries, 1):
        passages = [passage.text for passage in summary.passages] or [summary.summary]
        inputs["sources"].append({"title": summary.title, "passages": passages})
        text = words.truncate("\n\n".join((summary.title, *passages)), MAX_SOURCE_LENGTH)
        sections.append(f"SOURCE {number}:\n{fence_untrusted('source_summary', text)}")
    prompt = template["prompt"].format(
        context=prompting.describe("explain"),
        query=words.fence_text("query", question),
        sources="\n\n".join(sections),
        which="this source" if len(summaries) == 1 else f"each of these {len(summaries)} sources",
        rubric=template["rubric"],
    )
    return ModelRequest(
        "judge_again",
        template["system"],
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
    """Return {number: (score 1-5, explanation)} of the sources 1..count the reply names once."""
    rows = list(_select_rows(parse_json_object(reply)))
    mentions = Counter(row["id"] for row in rows)
    judgements = {}
    for row in rows:
        number = row["id"]
        if not 1 <= number <= count or mentions[number] != 1:
            continue
        judgement = parse_judgement(row)
        if judgement is not None:
            score, explanation = judgement
            judgements[number] = (score, explanation or "The reply gave no explanation.")
    return judgements


def _select_rows(fields: Json | None) -> Iterable[Json]:
    """Yield the rows of the reply that have an integer id."""
    rows = (fields or {}).get("judgements")
    if not isinstance(rows, list):
        return
    for row in rows:
        # A bool is an int in Python, but no number of a source.
        if isinstance(row, dict) and type(row.get("id")) is int:
            yield row
