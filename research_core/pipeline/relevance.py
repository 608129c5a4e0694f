"""Judge how relevant each source is to the question (1-5), and say why there is no report.

The model judges, one call per source, with a schema if it supports one. What the scores allow is
decided by `decisions.gate`. A source that could not be scored is kept and flagged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from typing import Any

from research_core.decisions.gate import decide_gate, passes_cutoff
from research_core.decisions.view import RunView, SourceView
from research_core.errors import CallForbidden, CapReached, ModelError
from research_core.i18n import gettext
from research_core.journal.deps import Model
from research_core.model_messages import Json, ModelRequest
from research_core.models import NO_REPORT_REASONS, Judgement, Passage, Summary
from research_core.modes import ResearchMode
from research_core.pipeline.page_findings import Refusal, explain_cause, lacks_topic
from research_core.pipeline.prompts import PromptContext
from research_core.policy import RunSettings
from research_core.text import words
from research_core.text.instructions import fence_untrusted
from research_core.trust import copies

#: Seconds for one scoring call, a short completion.
SCORING_TIMEOUT = 15.0
EXPLAINING_TIMEOUT = 30.0
MAX_SCORERS = 8
MAX_EXPLANATION_LENGTH, MAX_DETAILS_LENGTH = 400, 600
UNSCORED_EXPLANATION = "Score could not be parsed, defaulting to include"

#: A judgement as a model gives it, in JSON Schema.
JUDGEMENT_PROPERTIES: Json = {
    "score": {"type": "integer", "minimum": 1, "maximum": 5},
    "explanation": {"type": "string"},
}
SCORING_SCHEMA: Json = {
    "type": "object",
    "properties": JUDGEMENT_PROPERTIES,
    "required": list(JUDGEMENT_PROPERTIES),
}


# ---------------------------------------------------------------- scoring


def score_source(
    query: str, summary: Summary, client: Model, prompting: PromptContext = PromptContext()
) -> dict[str, Any]:
    """Return {"url", "title", "score" 1-5, "explanation", "scored", "reason"} of one source.

    A judgement by words may have "details" too.

    If the model fails or its reply has no score, the source is unscored: score 3, scored False, and
    the reason states why.
    """
    try:
        reply = client.run(build_scoring_request(query, summary, prompting))
    except ModelError as error:
        return _build_unscored(summary, f"{error.kind}: {error.message}")
    parsed = parse_score(reply.text)
    if parsed is None:
        return _build_unscored(summary, "the reply held no score from 1 to 5")
    score, explanation = parsed
    judgement = build_judgement(summary, score, explanation or "The reply gave no explanation.")
    return add_details(judgement, find_details(reply.text))


def _build_unscored(summary: Summary, reason: str) -> dict[str, Any]:
    return build_judgement(summary, 3, UNSCORED_EXPLANATION, scored=False, reason=reason)


def build_scoring_request(
    query: str, summary: Summary, prompting: PromptContext = PromptContext()
) -> ModelRequest:
    """Build the request about one source; depends only on its arguments."""
    template = prompting.load("judge_relevance")
    passages = [passage.text for passage in summary.passages] or [summary.summary]
    source = "\n\n".join((summary.title, *passages))
    prompt = template["prompt"].format(
        context=prompting.describe("explain"),
        query=words.fence_text("query", query),
        summary=fence_untrusted("source_summary", source),
        rubric=template["rubric"],
    )
    inputs = {"question": query, "title": summary.title, "passages": passages}
    return ModelRequest(
        "judge_relevance",
        template["system"],
        prompt,
        inputs,
        SCORING_SCHEMA,
        timeout_s=SCORING_TIMEOUT,
    )


def score_by_words(question: str, summary: Summary) -> tuple[int, str, str] | None:
    """Return the word-based judge's score, explanation and details, None if it gives no score."""
    from research_core.llm.offline_judge import judge_source

    reply = judge_source(build_scoring_request(question, summary).inputs)
    parsed = parse_score(reply)
    return (*parsed, find_details(reply)) if parsed else None


def find_details(reply: str) -> str:
    """Return what the explanation of the word-based judge goes by, "" if the reply says nothing."""
    found = _DETAILS.search(reply)
    return found[1].strip() if found else ""


def add_details(judgement: dict[str, Any], details: str = "") -> dict[str, Any]:
    """Return a judgement with its details, as it is without any: older sessions have none."""
    if not details:
        return judgement
    shown = words.truncate(" ".join(words.strip_invisible(details).split()), MAX_DETAILS_LENGTH)
    return {**judgement, "details": shown}


def build_judgement(
    summary: Summary, score: int, explanation: str, *, scored: bool = True, reason: str = ""
) -> dict[str, Any]:
    """Build what `score_source` returns, with the explanation as one printable line."""
    shown = words.truncate(
        " ".join(words.strip_invisible(explanation).split()), MAX_EXPLANATION_LENGTH
    )
    return {
        "url": summary.url,
        "title": summary.title,
        "score": score,
        "explanation": shown,
        "scored": scored,
        "reason": reason,
    }


_NUMBER = (
    r"(?<![-−\d.])(\d++(?:\.\d++)?+)(?![\d.]*\d)(?!\s*(?:[-–]|to\b)\s*\d)(?:\W{0,3}(?:/|out"
    r" of)\s*(\d+))?"
)
_LINE = r"^[^\w\n]*"
_LABELLED = re.compile(
    rf"{_LINE}(?:(?:relevance|final|overall)\s+)?score\b(?:\s+is)?[^\w\n]{{0,12}}{_NUMBER}",
    re.IGNORECASE | re.MULTILINE,
)
_MENTIONED = re.compile(rf"\bscore\b(?:\s+(?:is|of))?[^\w\n]{{0,12}}{_NUMBER}", re.IGNORECASE)
_OUT_OF = re.compile(
    r"(?<![-−\d.])(\d++(?:\.\d++)?+)\s*(?:/|out of)\s*(5)(?![\d.]*\d)", re.IGNORECASE
)
_BARE = re.compile(r"\A\W*(\d++(?:\.0+)?)()\W*$", re.MULTILINE)
#: What a model thinks before it answers, and the fence around what it answers.
_ASIDE = re.compile(r"\A\s*<think>.*?</think>|```\w*", re.DOTALL)
_EXPLANATION = re.compile(
    rf"{_LINE}(?:explanation|reason|rationale)\W*[:=–-]\W*(.+)",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)


_DETAILS = re.compile(r"^DETAILS:(.+)", re.MULTILINE)


def parse_score(reply: str) -> tuple[int, str] | None:
    """Return (score 1-5, explanation) of a reply, None without one whole number in that range.

    Accepts JSON, "SCORE: 4\\nEXPLANATION: …", "**SCORE:** 4" and "4/5". JSON that begins a line
    counts by its fields alone, unless a line before it states the score. JSON within a line is a
    quotation if the words before it state the score or explain it. In words, a score on a line of
    its own comes before other numbers, which may be the page's own.
    """
    fields = parse_json_object(reply)
    start = end = len(reply)
    if fields is not None:
        start = reply.find("{")
        end = reply.rfind("}") + 1
    before = _ASIDE.sub("", reply[:start])
    after = reply[end:]
    if fields is not None and _is_json_the_answer(before, after):
        return parse_judgement(fields)
    # The JSON is blanked out, not removed, so that positions stay those of the reply.
    bare = f"{reply[:start]}{' ' * (end - start)}{after}"
    found = _LABELLED.search(bare) or _find_stated_score(bare)
    if found is None or found[2] not in (None, "", "5"):
        return None
    score = _parse_whole_score(found[1])
    if score is None:
        return None
    return score, _find_explanation(reply, found.end())


def _is_json_the_answer(before: str, after: str) -> bool:
    """Return True if the JSON between these texts is the judgement and not a quotation."""
    if _LABELLED.search(before):
        return False
    explains = _EXPLANATION.search(before)
    begins_line = not re.search(r"\w", before.rpartition("\n")[2])
    if begins_line:
        return not (explains and _LABELLED.search(after))
    return not (explains or _find_stated_score(before))


def _find_stated_score(reply: str) -> re.Match[str] | None:
    """Find the score that a reply in words states before its explanation."""
    explained = _EXPLANATION.search(reply)
    before = reply[: explained.start()] if explained else reply
    for pattern in (_MENTIONED, _OUT_OF, _BARE):
        found = pattern.search(before)
        if found:
            return found
    return None


def parse_json_object(reply: str) -> Json | None:
    """Return the JSON object in a reply, with lower-case names, or None."""
    start, end = reply.find("{"), reply.rfind("}")
    if start < 0 or end < start:
        return None
    try:
        value = json.loads(reply[start : end + 1])
    except (ValueError, RecursionError):
        return None
    return {str(key).lower(): item for key, item in value.items()}


def parse_judgement(fields: Mapping[str, Any]) -> tuple[int, str] | None:
    """Return (score 1-5, explanation) of one JSON judgement, None without a whole number 1-5."""
    score = _parse_whole_score(str(fields.get("score", "")))
    if score is None:
        return None
    return score, str(fields.get("explanation") or fields.get("reason") or "")


def _parse_whole_score(number: str) -> int | None:
    match = re.fullmatch(r"\s*([1-5])(?:\.0+)?(?:\s*/\s*5)?\s*", number)
    return int(match[1]) if match else None


def _find_explanation(reply: str, after: int) -> str:
    match = _EXPLANATION.search(reply)
    rest = match[1] if match else reply[after:]
    return " ".join(rest.lstrip(" \t\r\n*_#>:;.,–—-").split("\n\n")[0].split()).rstrip("*_# ")


# ---------------------------------------------------------------- the gate


def evaluate_sources(
    query: str,
    summaries: Sequence[Summary],
    mode: ResearchMode,
    client: Model,
    refined_query: str | None = None,
) -> dict[str, Any]:
    """Score every summary, at most MAX_SCORERS at once, and let the gate decide.

    Returns {"decision", "decision_rationale", "surviving_sources" (summaries), "dropped_sources"
    (dicts of `score_source`), "total_scored" (sources judged), "total_survived", "total_copies"
    (survivors that share their text with another), "total_unscored", "judgements" (the best of each
    source), "refined_query"}, all in the order of `summaries`. Errors other than ModelError (a cap,
    a cancel) pass through.
    """
    sources: dict[str, SourceView] = {}
    for summary, scored in zip(summaries, _score_all(query, summaries, client), strict=True):
        source = _build_source(summary, scored)
        held = sources.setdefault(summary.url, source)
        if _rank_judgement(source, mode) > _rank_judgement(held, mode):
            sources[summary.url] = source
    gate = decide_gate(RunView(query, RunSettings(), sources=sources), mode=mode)
    judgements = [source.judgement for source in sources.values() if source.judgement]
    dropped = [judgement for judgement in judgements if judgement.url not in gate.kept]
    return {
        "decision": gate.decision,
        "decision_rationale": gate.rationale,
        "surviving_sources": [summary for summary in summaries if summary.url in gate.kept],
        "dropped_sources": [asdict(judgement) for judgement in dropped],
        "total_scored": gate.total,
        "total_survived": len(gate.kept),
        "total_copies": gate.copies,
        "total_unscored": gate.unscored,
        "judgements": tuple(judgements),
        "refined_query": refined_query,
    }


def _build_source(summary: Summary, scored: Mapping[str, Any]) -> SourceView:
    """Return a judged source as the gate sees it.

    No search has listed it, so it is approved: the threshold of credibility does not apply.
    """
    whole = Passage("", summary.summary, 0, len(summary.summary))
    passages = summary.passages or (whole,)
    text = "\n".join(passage.text for passage in passages)
    return SourceView(
        summary.url,
        approved=True,
        title=summary.title,
        fingerprint=copies.fingerprint_text(text or summary.summary),
        passages=passages,
        summary=summary.summary,
        judgement=Judgement.from_json(scored),
    )


def _rank_judgement(source: SourceView, mode: ResearchMode) -> tuple[bool, bool, int]:
    """Return the key by which a source judged several times counts by its best judgement."""
    judgement = source.judgement
    assert judgement is not None
    return passes_cutoff(judgement, mode), judgement.scored, judgement.score


def _score_all(query: str, summaries: Sequence[Summary], client: Model) -> list[dict[str, Any]]:
    if not summaries:
        return []
    with ThreadPoolExecutor(min(MAX_SCORERS, len(summaries)), thread_name_prefix="score") as pool:
        return list(pool.map(lambda summary: score_source(query, summary, client), summaries))


# ---------------------------------------------------------------- when there is no report


def generate_insufficient_data_response(
    query: str,
    refined_query: str | None,
    dropped_sources: Sequence[Mapping[str, Any]],
    client: Model,
    *,
    reason: str = "all off topic",
    queries: Sequence[str] = (),
    prompting: PromptContext = PromptContext(),
    refusal: Refusal | None = None,
    searches: int = 0,
) -> str:
    """Return Markdown on what was searched, why it does not answer, and what to try instead.

    reason: one of `models.NO_REPORT_REASONS`; the report puts it and its next step above this text.
    refusal: the cause, None under earlier rules of scoring; searches: how many were made.
    If the model fails or answers nothing, code writes the parts.
    """
    why = explain_cause(refusal) if refusal else gettext(NO_REPORT_REASONS[reason])
    request = _build_insufficient_request(
        query,
        dropped_sources,
        refined_query=refined_query,
        reason=reason,
        why=why,
        queries=queries,
        prompting=prompting,
    )
    if refusal:
        inputs = {**request.inputs, **_describe_refusal(refusal, searches)}
        request = replace(request, inputs=inputs)
    try:
        body = words.strip_invisible(client.run(request).text).strip()
    except (CallForbidden, CapReached, ModelError):
        # A replay of a run whose cap left no call ends here too.
        body = ""
    from research_core.llm.offline_explanation import explain_insufficient, quote_question

    body = body or explain_insufficient(request.inputs)
    question = quote_question(query)
    return body if question in body else f"You asked: “{question}”\n\n{body}"


def _describe_refusal(refusal: Refusal, searches: int) -> Json:
    """Return what an explanation says of a refusal beside the reason."""
    return {
        "searches": searches,
        "found": refusal.found,
        "judged": refusal.judged,
        "lacks_topic": lacks_topic(refusal),
        "in_library_alone": refusal.in_library_alone,
    }


def _build_insufficient_request(
    query: str,
    dropped_sources: Sequence[Mapping[str, Any]],
    *,
    refined_query: str | None,
    reason: str,
    why: str,
    queries: Sequence[str],
    prompting: PromptContext,
) -> ModelRequest:
    template = prompting.load("explain_insufficient")
    dropped = []
    lines = []
    for source in dropped_sources:
        row = {
            "title": str(source["title"]),
            "score": source["score"],
            "explanation": str(source["explanation"]),
        }
        dropped.append(row)
        lines.append(f"- {row['title']} (score {row['score']}/5): {row['explanation']}")
    refined = "N/A"
    if refined_query:
        refined = "\n" + words.fence_text("query", refined_query)
    tried = ""
    if queries:
        fenced = words.fence_text("queries", "\n".join(queries))
        tried = template["queries"].format(queries=fenced)
    prompt = template["prompt"].format(
        context=prompting.describe(),
        query=words.fence_text("query", query),
        refined=refined,
        queries=tried,
        reason=why,
        dropped=fence_untrusted("dropped_sources", "\n".join(lines) or "- none"),
    )
    inputs = {
        "question": query,
        "refined_query": refined_query,
        "reason": reason,
        "queries": list(queries),
        "dropped": dropped,
    }
    return ModelRequest(
        "explain_insufficient", template["system"], prompt, inputs, timeout_s=EXPLAINING_TIMEOUT
    )
