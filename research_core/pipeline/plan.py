"""Plan what to search for: the plan, the refined query and the follow-up queries for gaps.

Builds these three model calls and parses the replies. An unusable reply loses its queries but never
ends the run; the journal keeps the failed call. Nothing is searched here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from typing import Any, Protocol

from research_core.errors import ModelError
from research_core.journal.deps import Deps, Model
from research_core.model_messages import Json, ModelRequest
from research_core.models import Passage, SearchResult
from research_core.modes import MAX_EXHAUSTIVE_PARTS, ResearchMode
from research_core.pipeline.early_stop import run_within_caps
from research_core.pipeline.prompts import PromptContext, load_prompt
from research_core.policy import OFFLINE_MODEL
from research_core.text.instructions import fence_untrusted
from research_core.text.words import STOPWORDS, fence_text, format_count, strip_invisible, truncate

PLANNING_TIMEOUT = 30.0
QUESTION_TYPES = ("comparison", "quantity", "guidance", "explanation", "fact", "overview")
MAX_SUB_QUESTIONS = 5
MAX_QUERIES_OF_PART = 2
#: Passages of each source in a request for gaps by part, at most.
MAX_GAP_PASSAGES = 2
#: The version in which requests by part of the question begin.
BY_PART_VERSION = 3
#: The version from which no plan has more parts than queries.
QUERY_FOR_PART_VERSION = 4
MAX_GAPS = 5
MAX_SNIPPETS = 10
MAX_QUERY_LENGTH = 200
MAX_LINE_LENGTH = 300
#: Characters of the note of a plan.
MAX_NOTE_LENGTH = 1_000
#: The version of the rules of prompting from which the offline planner steps in.
BY_RULES_VERSION = 2


@dataclass(frozen=True)
class Plan:
    """How a question is approached.

    queries: those beside the question, which is always searched; note: what went wrong, or "";
    review: what the analyst changed before the run, empty if they were not asked.
    """

    type: str
    strategy: str
    sub_questions: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    note: str = ""
    review: Mapping[str, Sequence[str]] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Gaps:
    """What the passages leave open, and what to search for it. note: what went wrong, or ""."""

    gaps: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    note: str = ""


class SourceRead(Protocol):
    """What planning needs of a summary: its title and its relevant passages."""

    @property
    def title(self) -> str: ...
    @property
    def passages(self) -> Sequence[Passage]: ...


# ---------------------------------------------------------------- requests


def build_plan_request(
    question: str,
    max_queries: int,
    follows: str = "",
    prompting: PromptContext = PromptContext(),
    *,
    by_part: bool = False,
) -> ModelRequest:
    """Build the request for a plan with max_queries queries.

    follows: the earlier question that this one follows up, or "". by_part: ask for queries for each
    part of the question.
    """
    template = _load_by_part("plan", prompting) if by_part else prompting.load("plan")
    before = ""
    if follows:
        before = f"\n{template['follows'].format(question=fence_text('question', follows))}\n"
    languages = "english" if prompting.language == "en" else "other_language"
    most_parts = count_most_parts(max_queries, prompting)
    prompt = (
        template["prompt"]
        .format(
            context=prompting.describe(),
            question=fence_text("question", question),
            follows=before,
            count=max_queries if by_part else f"exactly {format_count(max_queries, 'query')}",
            parts=most_parts,
            languages=template.get(languages, ""),
        )
        .lstrip("\n")
    )
    wanted = {"sub_questions": _texts(MAX_SUB_QUESTIONS), "queries": _texts(max_queries)}
    if by_part:
        wanted = {"parts": {**_PARTS, "maxItems": most_parts}}
    kind = {"type": "string", "enum": list(QUESTION_TYPES)}
    schema = _schema(type=kind, strategy=_TEXT, **wanted)
    inputs: Json = {"question": question, "max_queries": max_queries}
    if follows:
        inputs["follows"] = follows
    if by_part:
        inputs["by_part"] = True
    return ModelRequest(
        "plan", template["system"], prompt, inputs, schema, timeout_s=PLANNING_TIMEOUT
    )


def _load_by_part(kind: str, prompting: PromptContext) -> Mapping[str, str]:
    """Return the prompt of a request by part, also for a rewrite of an older session."""
    return load_prompt(f"{kind}_by_part", max(prompting.version, BY_PART_VERSION))


def build_refine_request(
    question: str, results: Sequence[SearchResult], prompting: PromptContext = PromptContext()
) -> ModelRequest:
    """Build the request for one better query from the first results, in the given order."""
    template = prompting.load("refine")
    snippets = []
    lines = []
    for result in results[:MAX_SNIPPETS]:
        snippets.append({"title": result.title, "snippet": result.snippet})
        lines.append(f"- {' '.join(result.title.split())}: {' '.join(result.snippet.split())}")
    prompt = template["prompt"].format(
        context=prompting.describe(),
        question=fence_text("question", question),
        results=fence_untrusted("search_results", "\n".join(lines) or "(nothing)"),
    )
    inputs = {"question": question, "snippets": snippets}
    schema = _schema(query=_TEXT)
    return ModelRequest(
        "refine", template["system"], prompt, inputs, schema, timeout_s=PLANNING_TIMEOUT
    )


def build_gaps_request(
    question: str,
    summaries: Sequence[SourceRead],
    queries: Sequence[str],
    n: int,
    prompting: PromptContext = PromptContext(),
    parts: Sequence[str] | None = None,
) -> ModelRequest:
    """Build the request for gaps and at most n follow-up queries.

    parts: the parts of the question, each with a section of its own; None to ask of the whole.
    """
    by_part = parts is not None
    template = _load_by_part("gaps", prompting) if by_part else prompting.load("gaps")
    passages = []
    fences = []
    for summary in summaries:
        for passage in summary.passages[: MAX_GAP_PASSAGES if by_part else None]:
            passages.append({"title": summary.title, "text": passage.text})
            fences.append(fence_untrusted("passage", f"{summary.title}\n{passage.text}"))
    prompt = (
        template["prompt"]
        .format(
            context=prompting.describe(),
            question=fence_text("question", question),
            passages="\n".join(fences) or "(none)",
            queries=fence_text("queries", "\n".join(queries)),
            count=n,
            parts=fence_text("sub_questions", "\n".join(parts or ()) or "(none)"),
        )
        .lstrip("\n")
    )
    inputs: Json = {
        "question": question,
        "passages": passages,
        "queries": list(queries),
        "max_queries": n,
    }
    if parts is not None:
        inputs["parts"] = list(parts)
    schema = _schema(gaps=_texts(MAX_GAPS), queries=_texts(n))
    return ModelRequest(
        "gaps", template["system"], prompt, inputs, schema, timeout_s=PLANNING_TIMEOUT
    )


_TEXT: Json = {"type": "string"}


def _texts(most: int) -> Json:
    return {"type": "array", "items": _TEXT, "maxItems": most}


def _schema(**properties: Json) -> Json:
    return {"type": "object", "properties": properties, "required": list(properties)}


_PARTS: Json = {
    "type": "array",
    "items": _schema(question=_TEXT, queries=_texts(MAX_QUERIES_OF_PART)),
    "maxItems": MAX_EXHAUSTIVE_PARTS,
}


# ---------------------------------------------------------------- steps


def plan_research(
    question: str,
    mode: ResearchMode,
    model: Model,
    follows: str = "",
    *,
    by_rules: bool = True,
    prompting: PromptContext = PromptContext(),
) -> Plan:
    """Return a plan with at most the queries the mode allows.

    If the model fails or its reply is unreadable, the offline planner makes the plan, and a note
    says so. by_rules: False for sessions that began before it did: only the question is searched.
    """
    max_queries = len(mode.planned_shares)
    request = build_plan_request(
        question, max_queries, follows, prompting, by_part=mode.plans_by_part
    )
    note = ""
    try:
        reply = model.run(request)
        answer = _parse_reply(reply.text)
        if reply.model == OFFLINE_MODEL:  # no other model is asked for a note
            note = _read_note(answer)
    except ModelError as error:
        if not by_rules:
            strategy = "Search for the question as it stands."
            return Plan("overview", strategy, note=f"No plan was made: {error.message}")
        from research_core.llm import offline_planner

        answer = _parse_reply(offline_planner.answer_plan(request.inputs))
        failure = f"The model made no plan, so rules made it: {error.message}"
        note = f"{failure} {_read_note(answer)}".rstrip()
    return _read_plan(answer, question, mode, note, prompting)


def plan_within_caps(
    question: str,
    mode: ResearchMode,
    deps: Deps,
    *,
    by_rules: bool = True,
    prompting: PromptContext,
) -> Plan:
    """Return the plan of `plan_research`, made by rules if a cap leaves no call for it."""
    follows = deps.run.follows

    def ask() -> Plan:
        return plan_research(
            question, mode, deps.model, follows, by_rules=by_rules, prompting=prompting
        )

    def plan_without_call(why: str) -> Plan:
        return plan_by_rules(question, mode, follows, why, prompting)

    return run_within_caps(deps, "plan", ask, plan_without_call)


def plan_by_rules(
    question: str, mode: ResearchMode, follows: str, why: str, prompting: PromptContext
) -> Plan:
    """Return the plan of the offline planner, without a call. why: a sentence for its note."""
    from research_core.llm import offline_planner

    request = build_plan_request(
        question, len(mode.planned_shares), follows, prompting, by_part=mode.plans_by_part
    )
    answer = _parse_reply(offline_planner.answer_plan(request.inputs))
    note = f"Rules made the plan: {why} {_read_note(answer)}".rstrip()
    return _read_plan(answer, question, mode, note, prompting)


def count_most_parts(max_queries: int, prompting: PromptContext) -> int:
    """Return how many parts a plan by part may have: each needs a query of its own."""
    if prompting.version < QUERY_FOR_PART_VERSION:
        return MAX_EXHAUSTIVE_PARTS
    return min(MAX_EXHAUSTIVE_PARTS, max_queries)


def count_most_sub_questions(mode: ResearchMode) -> int:
    return MAX_EXHAUSTIVE_PARTS if mode.plans_by_part else MAX_SUB_QUESTIONS


def _read_plan(
    answer: Json, question: str, mode: ResearchMode, note: str, prompting: PromptContext
) -> Plan:
    """Read a plan from a reply, within the limits of the mode."""
    most = count_most_sub_questions(mode)
    if mode.plans_by_part:
        answer = _flatten_parts(answer)
        most = count_most_parts(len(mode.planned_shares), prompting)
    kind = answer.get("type")
    return Plan(
        type=kind if kind in QUESTION_TYPES else "overview",
        strategy=_clean_line(answer.get("strategy"), MAX_LINE_LENGTH),
        sub_questions=_clean_lines(answer.get("sub_questions"), MAX_LINE_LENGTH)[:most],
        queries=_select_new_queries(answer.get("queries"), (question,))[: len(mode.planned_shares)],
        note=note,
    )


def _read_note(answer: Json) -> str:
    """Return what the offline planner says of questions that it left out, or ""."""
    return _clean_line(answer.get("note"), MAX_NOTE_LENGTH)


def refine_query(
    question: str,
    results: Sequence[SearchResult],
    model: Model,
    *,
    by_rules: bool = True,
    prompting: PromptContext = PromptContext(),
) -> str:
    """Return one better query: the model's, else the offline planner's.

    by_rules: False for sessions that began before it did. Where neither gives one, the question
    without stopwords.
    """
    request = build_refine_request(question, results, prompting)
    try:
        answer = _parse_reply(model.run(request).text)
    except ModelError:
        answer = _answer_refine_by_rules(request) if by_rules else {}
    return _read_refined(answer, question)


def refine_by_rules(
    question: str, results: Sequence[SearchResult], prompting: PromptContext
) -> str:
    """Return the query of the offline planner, without a call."""
    request = build_refine_request(question, results, prompting)
    return _read_refined(_answer_refine_by_rules(request), question)


def _read_refined(answer: Json, question: str) -> str:
    queries = _select_new_queries([answer.get("query")], (question,))
    if queries:
        return queries[0]
    words = question.rstrip("?").split()
    return " ".join(word for word in words if word.lower() not in STOPWORDS)


def _answer_refine_by_rules(request: ModelRequest) -> Json:
    from research_core.llm import offline_planner

    return _parse_reply(offline_planner.answer_refine(request.inputs))


def find_gaps(
    question: str,
    summaries: Sequence[SourceRead],
    queries: Sequence[str],
    model: Model,
    n: int,
    prompting: PromptContext = PromptContext(),
    parts: Sequence[str] | None = None,
) -> Gaps:
    """Return what the passages leave open and at most n new queries; only a note on failure.

    parts: the parts of the question, each with a section of its own; None to ask of the whole.
    """
    request = build_gaps_request(question, summaries, queries, n, prompting, parts)
    try:
        answer = _parse_reply(model.run(request).text)
    except ModelError as error:
        return skip_gaps(error.message)
    return Gaps(
        _clean_lines(answer.get("gaps"), MAX_LINE_LENGTH)[:MAX_GAPS],
        _select_new_queries(answer.get("queries"), (question, *queries))[:n],
    )


def skip_gaps(why: str) -> Gaps:
    """Return that gaps were not looked for, and why."""
    return Gaps(note=f"Gaps were not looked for: {why}")


# ---------------------------------------------------------------- reading


def _parse_reply(text: str) -> Json:
    """Return the JSON object of a reply, fenced or not. Raises ModelError of kind bad_reply."""
    start, end = text.find("{"), text.rfind("}")
    try:
        value = json.loads(text[start : end + 1])
    except (ValueError, RecursionError) as error:
        raise ModelError("the model's answer could not be read.", kind="bad_reply") from error
    if not isinstance(value, dict):
        raise ModelError("the model's answer could not be read.", kind="bad_reply")
    return value


def _flatten_parts(answer: Json) -> Json:
    """Convert a plan by part to a list of questions and a list of queries.

    The first query of each part comes before all second ones. Lists of the other form, in which a
    model may answer too, come last.
    """
    questions: list[Any] = []
    by_part: list[list[Any]] = []
    parts = answer.get("parts")
    for part in parts if isinstance(parts, list) else ():
        if not isinstance(part, dict):
            continue
        queries = part.get("queries")
        questions.append(part.get("question"))
        by_part.append(queries if isinstance(queries, list) else [])
    in_turn = [query for query in chain(*zip_longest(*by_part)) if query is not None]
    return {
        **answer,
        "sub_questions": questions + _read_list(answer, "sub_questions"),
        "queries": in_turn + _read_list(answer, "queries"),
    }


def _read_list(answer: Json, name: str) -> list[Any]:
    values = answer.get(name)
    return values if isinstance(values, list) else []


def _clean_line(value: Any, longest: int) -> str:
    if not isinstance(value, str):
        return ""
    return truncate(" ".join(strip_invisible(value).split()), longest)


def _clean_lines(values: Any, longest: int) -> tuple[str, ...]:
    """Return the texts of a list as single lines, without duplicates."""
    if not isinstance(values, list):
        return ()
    lines = [_clean_line(value, longest) for value in values]
    return tuple(_deduplicate(line for line in lines if line))


def _select_new_queries(values: Any, known: Sequence[str]) -> tuple[str, ...]:
    """Return the queries of a list that repeat none of the known ones."""
    return select_new_lines(values, known, MAX_QUERY_LENGTH)


def select_new_lines(values: Any, known: Sequence[str], longest: int) -> tuple[str, ...]:
    """Return the texts of a list as single lines, without empty, repeated and known ones.

    longest: characters of a line; the rest is cut off.
    """
    repeated = {_plain(text) for text in known} | {""}
    return tuple(line for line in _clean_lines(values, longest) if _plain(line) not in repeated)


def _deduplicate(lines: Iterable[str]) -> list[str]:
    """Keep one of the lines with the same words: the first spelling, at the place of the last.

    The place is part of how stored sessions number their queries, so it must not change.
    """
    by_words: dict[str, str] = {}
    for line in reversed(list(lines)):
        by_words[_plain(line)] = line
    return list(by_words.values())[::-1]


def _plain(query: str) -> str:
    return " ".join(re.findall(r"\w+", query.casefold()))
