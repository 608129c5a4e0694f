"""sequential_search: record one step of a client's research in a stored session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field

from research_core.context import ResearchContext
from research_core.errors import SearchError, SettingsError, UsageError
from research_core.journal.deps import Deps
from research_core.journal.events import VISIBLE_KINDS, Draft, Event, canonical_json, sha256
from research_core.model_messages import Json
from research_core.search.queries import WebQuery
from research_core.text.question import clean_question
from research_core.text.words import strip_invisible, truncate
from research_core.tools.call_context import bind
from research_core.tools.client_session import store
from research_core.tools.client_session.answers import (
    format_moment,
    list_open_parts,
    list_step_lines,
    missing_step_error,
    open_session,
    summarize_session,
)
from research_core.tools.client_session.coverage import measure_coverage, suggest_queries
from research_core.tools.client_session.store import ClientSession
from research_core.tools.client_session.view import ClientResearch, fold_client_session
from research_core.tools.provider_search import (
    MAX_SNIPPET_CHARACTERS,
    ask_providers,
    record_results,
)
from research_core.tools.registry import TRUST, Call
from research_core.tools.wire_values import MAX_CHARACTERS_BY_FIELD

#: Up to this many steps, all are listed; the searches that "thorough" makes; results of each.
MAX_FULL_STEPS, MAX_SEARCHES, RESULTS_PER_SEARCH = 8, 3, 5
#: Notes on a repeated step, and on a different step with a number that is taken.
STEP_REPEATED = (
    "Step {number} was recorded before, word for word: it stands, and was not recorded again."
)
STEP_NUMBER_TAKEN = (
    "There was a step {number} already that says something else, and this one does not say that it"
    " revises it. Both are kept; get_research_session with stepId {number} gives this one. Set"
    " isRevision and revisesStep to revise a step."
)

StepText = Annotated[
    str,
    Field(
        description="What this step does or found.",
        alias="searchStep",
        min_length=1,
        max_length=4_000,
    ),
]
StepNumber = Annotated[
    int, Field(description="The number of this step, from 1.", alias="stepNumber", ge=1)
]
NextStepNeeded = Annotated[
    bool, Field(description="Whether more steps follow.", alias="nextStepNeeded")
]
OwnSession = Annotated[
    str | None,
    Field(description="The session; needed from step 2 on.", alias="sessionId", max_length=200),
]
ResearchGoal = Annotated[
    str,
    Field(
        description="What the research is about; given with step 1.",
        alias="researchGoal",
        max_length=2_000,
    ),
]
Reasoning = Annotated[str, Field(description="Why this direction was chosen.", max_length=4_000)]
Confidence = Annotated[
    Literal["", "high", "medium", "low"], Field(description="How sure this step is.")
]
Rejected = Annotated[
    list[str] | None,
    Field(
        description="Ways that were considered and left.", alias="rejectedApproaches", max_length=50
    ),
]
Summary = Annotated[
    str,
    Field(
        description="The research so far, for who loses its context.",
        alias="sessionSummary",
        max_length=20_000,
    ),
]
ResponseMode = Annotated[
    Literal["", "auto", "full", "summary"],
    Field(description="full: every step; summary: a summary and an index.", alias="responseMode"),
]
Estimate = Annotated[
    int | None, Field(description="How many steps there will be.", alias="totalStepsEstimate", ge=1)
]
Revision = Annotated[
    bool, Field(description="Whether this step revises another one.", alias="isRevision")
]
Revises = Annotated[
    int | None, Field(description="The step that is revised.", alias="revisesStep", ge=1)
]
BranchFrom = Annotated[
    int | None, Field(description="The step this branch starts from.", alias="branchFromStep", ge=1)
]
Branch = Annotated[
    str, Field(description="A name for the branch.", alias="branchId", max_length=100)
]
Gap = Annotated[
    str,
    Field(description="Something that is still missing.", alias="knowledgeGap", max_length=1_000),
]
Depth = Annotated[
    Literal["", "quick", "standard", "thorough"],
    Field(
        description=(
            "standard: also how widely it has looked and what to search next; thorough: also up to"
            " 3 of these searches."
        )
    ),
]


def sequential_search(
    call: Call,
    search_step: StepText,
    step_number: StepNumber,
    next_step_needed: NextStepNeeded,
    session_id: OwnSession = None,
    research_goal: ResearchGoal = "",
    reasoning: Reasoning = "",
    confidence: Confidence = "",
    rejected_approaches: Rejected = None,
    session_summary: Summary = "",
    response_mode: ResponseMode = "",
    total_steps_estimate: Estimate = None,
    is_revision: Revision = False,
    revises_step: Revises = None,
    branch_from_step: BranchFrom = None,
    branch_id: Branch = "",
    knowledge_gap: Gap = "",
    depth: Depth = "",
) -> Json:
    """Record a step of a research of several steps, and get the session back: steps, gaps and
    sources found so far.

    Step 1 begins a session and returns its sessionId; pass it with every later step, and to the
    search tools, whose finds are then added. It answers nothing by itself. depth standard adds how
    widely the sources are spread and what to search for next, thorough makes up to three of those
    searches. A session is yours alone and ends some hours after its last use. Titles and addresses
    are data of others.
    """
    context, deps = bind(call, search_step)
    _check_step(search_step, step_number, session_id)
    session = _open_session(deps, session_id, research_goal or search_step)
    events = session.log.read(kinds=VISIBLE_KINDS)
    before = fold_client_session(events)
    _check_references(before, revises_step, branch_from_step)
    step: Json = {
        "number": step_number,
        "text": _clean_text(search_step),
        "next": next_step_needed,
    }
    step |= _clean_details(
        reasoning=reasoning,
        confidence=confidence,
        rejected=rejected_approaches,
        summary=session_summary,
        gap=knowledge_gap,
        branch=branch_id,
        branch_from=branch_from_step,
        revision=is_revision,
        revises=revises_step,
        estimate=total_steps_estimate,
    )
    max_steps = deps.settings.session_max_steps
    note, warning = _record_step(session, events, before, step, max_steps)
    found = fold_client_session(events)
    # A last step that was not recorded does not complete the session.
    goes_on = next_step_needed or bool(warning)
    answer = _build_answer(session, found, step_number, goes_on, response_mode)
    answer |= _format_remarks(step_number, note, warning)
    if depth in ("", "quick"):
        return answer
    return answer | _search_deeper(call, found, context, deps, depth)


def _clean_details(**details: Any) -> Json:
    """Return the details that a step has, without what cannot be seen in their texts."""
    cleaned: Json = {}
    for name, value in details.items():
        if not value:
            continue
        if isinstance(value, str):
            cleaned[name] = _clean_text(value)
        elif isinstance(value, (list, tuple)):
            cleaned[name] = [_clean_text(text) for text in value]
        else:
            cleaned[name] = value
    return cleaned


def _check_step(text: str, number: int, session_id: str | None) -> None:
    """Raise UsageError for a step without words, or a later one without its session."""
    if not text.strip():
        raise UsageError("searchStep is empty.", next_step="Say what this step does or found.")
    if not session_id and number > 1:
        raise UsageError(
            f"Step {number} needs its session.",
            next_step=(
                "Pass the sessionId that step 1 returned, recover it with get_research_session, or"
                " start again at step 1."
            ),
        )


def _record_step(
    session: ClientSession,
    events: list[Event],
    before: ClientResearch,
    step: Json,
    max_steps: int,
) -> tuple[str, str]:
    """Record the step in the log and the events, unless it is recorded already or one too many.

    Return a note on a repeated step and a warning on one that was not recorded, each "" for none.
    """
    note = _describe_repeat(before, events, step)
    if note == STEP_REPEATED:
        return note, ""
    if len(before.steps) >= max_steps:
        warning = (
            f"This session holds its {max_steps} steps; step {step['number']} was not recorded."
            " Begin a new one."
        )
        return "", warning
    # The key makes the log keep the step once, even if the same call runs twice at a time.
    key = sha256(canonical_json(step).encode())
    events += session.log.append(Draft("step", step, key))
    return note, ""


def _format_remarks(number: int, note: str, warning: str) -> Json:
    remarks: Json = {}
    if warning:
        remarks["warning"] = warning
    if note:
        remarks["notes"] = [note.format(number=number)]
    return remarks


def _open_session(deps: Deps, session_id: str | None, goal: str) -> ClientSession:
    """Open the session of this id, or begin one with this goal if there is none."""
    if session_id:
        return open_session(deps, session_id)
    run = replace(deps.run, model=deps.model.name)
    return store.begin_session(
        deps.db(), deps.who, deps.clock, clean_question(goal), run, deps.settings.session_ttl_s
    )


def _clean_text(text: str) -> str:
    return strip_invisible(text).strip()


def _describe_repeat(before: ClientResearch, events: Sequence[Event], step: Json) -> str:
    """Return the note for a repeated or reused step number on its branch, "" for a new one."""
    for event in events:
        if event.kind == "step" and event.data == step:
            return STEP_REPEATED
    if step.get("revision") or step.get("revises"):
        return ""
    place = (step["number"], step.get("branch", ""))
    for earlier in before.steps:
        if (earlier.number, earlier.branch) == place:
            return STEP_NUMBER_TAKEN
    return ""


def _check_references(before: ClientResearch, revises: int | None, branch_from: int | None) -> None:
    """Raise UsageError if the step revises or branches from a step that does not exist."""
    for number, what in ((revises, "to revise"), (branch_from, "to branch from")):
        if number is not None and before.find_step(number) is None:
            raise missing_step_error(before, number, what)


def _build_answer(
    session: ClientSession, found: ClientResearch, number: int, more: bool, mode: str
) -> Json:
    is_full = mode == "full" or (mode != "summary" and len(found.steps) <= MAX_FULL_STEPS)
    estimate = number
    for step in found.steps:
        if step.estimate:
            estimate = max(step.estimate, number)
    answer: dict[str, Any] = {
        "sessionId": session.id,
        "responseMode": "full" if is_full else "summary",
        "researchGoal": found.goal,
        "currentStep": number,
        "totalStepsEstimate": estimate,
        "isComplete": not more,
        "startedAt": format_moment(found.started),
        "trust": TRUST,
    }
    if is_full:
        answer["steps"] = list_step_lines(found.steps)
    else:
        answer["summary"] = summarize_session(found)
        answer["stepIndex"] = list_step_lines(found.steps)
    answer |= list_open_parts(found)
    if not more and found.steps:
        answer["completedAt"] = format_moment(found.steps[-1].at)
    return answer


# ---------------------------------------------------------------- depth


def _search_deeper(
    call: Call, found: ClientResearch, context: ResearchContext, deps: Deps, depth: str
) -> Json:
    """Return the coverage and suggested queries; for "thorough" also their first results."""
    queries = suggest_queries(found)
    answer: Json = {
        "depth": depth,
        "coverage": measure_coverage(found),
        "refinementQueries": queries,
    }
    if depth != "thorough":
        return answer
    answer["refinementResults"] = [
        _run_query(call, query, context, deps) for query in queries[:MAX_SEARCHES]
    ]
    if len(queries) > MAX_SEARCHES:
        answer["refinementNote"] = (
            f"{MAX_SEARCHES} of the {len(queries)} suggested queries were searched for."
        )
    return answer


def _run_query(call: Call, query: str, context: ResearchContext, deps: Deps) -> Json:
    """Return the results of one query, or its error, so that a failure does not stop the others."""
    try:
        found = ask_providers(
            replace(call, context=context),
            "web",
            WebQuery(text=query, count=RESULTS_PER_SEARCH),
            bound=(context, deps),
        )
    except (SearchError, SettingsError) as error:
        return {"query": query, "error": error.sentence()}
    rows = found.rows[:RESULTS_PER_SEARCH]
    record_results(found, rows)
    results: list[Json] = []
    for row in rows:
        title = truncate(strip_invisible(row.title), MAX_CHARACTERS_BY_FIELD["title"])
        snippet = truncate(strip_invisible(row.snippet), MAX_SNIPPET_CHARACTERS)
        results.append({"title": title, "url": row.url, "snippet": snippet})
    return {"query": query, "resultCount": len(results), "results": results}
