"""Run the tool loop in which the model searches and reads, for at most ten rounds.

The model may read only addresses that a search of this session returned, exactly as returned. Every
result goes back fenced as data. The loop writes no report and judges nothing; see `gather_agentic`.

The permissions of a round are decided before any of its calls run. The calls that only read then
run concurrently, each on a throwaway copy of the context, which fills the journal. Finally all
calls run in order and are answered from the journal, so neither the model's input nor the log
depends on which answer arrived first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

from research_core.context import ResearchContext
from research_core.decisions.gate import find_read_pages, is_eligible
from research_core.decisions.view import RunView
from research_core.errors import (
    BoundaryError,
    FetchError,
    ModelError,
    SettingsError,
    UsageError,
)
from research_core.journal.deps import CountingModel, Deps
from research_core.llm.reply_shapes import find_refusal
from research_core.model_messages import NO_OTHER_MODEL, Json, ModelReply, ModelRequest, ToolCall
from research_core.pipeline.early_stop import run_within_caps
from research_core.pipeline.prompts import PromptContext
from research_core.text.instructions import fence_untrusted
from research_core.text.words import fence_text, pluralize
from research_core.tools import DEFAULT_TOOLS
from research_core.tools.registry import Call, Progress, Tool, call_tool, find_tool, to_json

MAX_ROUNDS = 10
STRUCK_REFUSAL = "The analyst has struck this source. Read another."
BLOCKED_REFUSAL = "Its credibility score is below the threshold of this run. Read another."
RAW_MODE_REFUSAL = (
    "A page is read as text here, not as the bytes that came: they hold what it hides. Leave mode"
    " out."
)
UNASKED_REFUSAL = "A tool that writes is called only where an analyst can allow it."
#: Whatever a tool may take for an address in a text.
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+|(?:[a-z0-9-]+\.)+[a-z]{2,}/\S*", re.IGNORECASE)
#: DOI links identify a work and cannot carry other data.
_DOI_ADDRESS = re.compile(r"https?://(?:dx\.|www\.)?doi\.org/10\.\d{4,9}/[^\s?#]+$", re.IGNORECASE)
UNLISTED_REFUSAL = (
    "Only an address that a search of this session returned can be read, exactly as it was"
    " returned."
)

#: The tool that reads the pages it finds, and its default number of pages.
SEARCH_AND_READ_TOOL = "search_and_scrape"
DEFAULT_PAGES_READ = 3
Work = Callable[[], Any]


class RunTogether(Protocol):
    """Run the work of a round (1..) concurrently and return the results in its order."""

    def __call__(self, round: int, work: Sequence[Work]) -> list[Any]: ...


@dataclass(frozen=True)
class ToolLoopResult:
    """How a tool loop ended.

    rounds: answers of the model; calls: tool calls that were run; said: the model's last words;
    limit: the cap that left it no further round, in words, or ""; is_cut: the model still called
    tools in the last round it may have.
    """

    rounds: int
    calls: int
    said: str
    limit: str = ""
    is_cut: bool = False


def run_tool_use_loop(
    question: str,
    context: ResearchContext,
    deps: Deps,
    *,
    tools: Sequence[Tool] = DEFAULT_TOOLS,
    max_rounds: int = MAX_ROUNDS,
    max_pages: int | None = None,
    on_progress: Progress | None = None,
    at_once: RunTogether | None = None,
    permitted: Callable[[ToolCall], str] | None = None,
    on_mistake: Callable[[str], object] | None = None,
    prompting: PromptContext = PromptContext(),
    parts: Sequence[str] = (),
    must_choose: bool = False,
) -> ToolLoopResult:
    """Let the model search and read into `context`.

    parts: of the question, each with a section of the report. permitted: returns the reason to
    refuse a call of a tool that writes, "" to allow it; without it, all such calls are refused.
    on_mistake: receives why a call could not be run, for an unknown tool or wrong arguments.
    must_choose: a model that calls no tool in the first round is replaced by the next of the chain.
    Raises ModelError if no model can be asked, or none that must choose calls a tool; CapReached
    for the cap on time; and Stopped.
    """
    together = at_once or partial(run_on_pool, deps.pool)
    history: list[Json] = []
    made = 0
    turn = Turn()
    for round_ in range(1, max_rounds + 1):
        request = build_choice_request(question, tools, history, prompting, parts)
        if must_choose and round_ == 1:
            ((reply, turn),) = together(round_, [partial(_ask_for_choice, deps, request)])
        else:
            ask = partial(_ask_within_caps, deps, round_, turn.apply(request))
            (reply,) = together(round_, [ask])
        if isinstance(reply, str):
            return ToolLoopResult(round_ - 1, made, "", limit=reply)
        if not reply.calls:
            return ToolLoopResult(round_, made, reply.text.strip())
        struck = context.run.settings.struck
        results = answer_calls(
            reply.calls, context, tools, partial(together, round_),
            max_pages=max_pages, struck=struck, on_progress=on_progress, permitted=permitted,
            on_mistake=on_mistake,
        )  # fmt: skip
        made += len(results)
        history += [
            {"role": "model", "content": reply.content},
            {"role": "tool", "results": results},
        ]
    return ToolLoopResult(max_rounds, made, "", is_cut=True)


@dataclass(frozen=True)
class Turn:
    """Whose turn it is to choose tools.

    skip: models at the head of the chain that are not asked again; attempt: from 1.
    """

    attempt: int = 1
    skip: int = 0

    def apply(self, request: ModelRequest) -> ModelRequest:
        return replace(request, attempt=self.attempt, skip_models=self.skip)


def _ask_for_choice(deps: Deps, request: ModelRequest) -> tuple[ModelReply | str, Turn]:
    """Ask the models of the chain in turn until one calls a tool.

    Returns its reply, or the cap that was reached in words, with the turn in which that was.

    Raises ModelError if no model of the chain calls a tool.
    """
    turn = Turn()
    asked: set[str] = set()
    failure: ModelError | None = None
    while True:
        current = turn.apply(request)
        try:
            reply = _ask_within_caps(deps, 1, current)
        except ModelError as error:
            if error.message != NO_OTHER_MODEL or failure is None:
                raise
            raise failure from error
        if isinstance(reply, str) or reply.calls:
            return reply, turn
        failure = _build_no_choice(reply)
        if isinstance(deps.model, CountingModel):
            deps.model.count_unusable(current, failure.message)
        if reply.model in asked:
            raise failure
        asked.add(reply.model)
        turn = Turn(turn.attempt + 1, turn.skip + 1 + len(reply.passed_over))


def _build_no_choice(reply: ModelReply) -> ModelError:
    """Return why a reply chooses no tool."""
    refusal = find_refusal(reply.text)
    if refusal:
        return ModelError(f"{reply.model} refused to answer ({refusal}).", kind="blocked")
    return ModelError(f"{reply.model} called no tool.", kind="content_empty")


def _ask_within_caps(deps: Deps, round: int, request: ModelRequest) -> ModelReply | str:
    """Return the model's reply, or the cap that leaves no call for it in words."""
    ask: Callable[[], ModelReply | str] = partial(deps.model.run, request)
    of = f"{round} attempt {request.attempt}" if request.attempt > 1 else str(round)
    return run_within_caps(deps, "choice of tools", ask, str, of=of)


def run_on_pool(pool: Executor, _round: int, work: Sequence[Work]) -> list[Any]:
    """Run all the work on the pool and raise the error of the first task that failed."""
    return [future.result() for future in [pool.submit(one) for one in work]]


def build_choice_request(
    question: str,
    tools: Sequence[Tool],
    history: Sequence[Json],
    prompting: PromptContext = PromptContext(),
    parts: Sequence[str] = (),
) -> ModelRequest:
    """Build the request for the next calls of tools, after the turns so far.

    parts: of the question, each with a section of the report.
    """
    template = prompting.load("choose_tools")
    declared = tuple(tool.declaration() for tool in tools)
    by_part = ""
    if parts:
        listed = fence_text("sub_questions", "\n".join(parts))
        by_part = f"\n{template['parts'].format(sub_questions=listed)}"
    prompt = template["prompt"].format(
        context=prompting.describe(), question=fence_text("question", question), parts=by_part
    )
    return ModelRequest(
        "choose_tools",
        template["system"],
        prompt,
        {"question": question},
        tools=declared,
        history=tuple(history),
        timeout_s=60.0,
    )


def answer_calls(
    calls: Sequence[ToolCall],
    context: ResearchContext,
    tools: Sequence[Tool],
    at_once: Callable[[Sequence[Work]], list[Any]],
    *,
    max_pages: int | None = None,
    struck: Collection[str] = (),
    on_progress: Progress | None = None,
    permitted: Callable[[ToolCall], str] | None = None,
    on_mistake: Callable[[str], object] | None = None,
) -> list[Json]:
    """Run the calls of one round and return their results, in order, as the model gets them.

    struck: URLs that must not be read. permitted, on_mistake: as in `run_tool_use_loop`; permission
    is asked before any call of the round is run.
    """
    refusals = _find_refusals(calls, context, tools, max_pages, struck)
    for place, call in enumerate(calls):
        refusals[place] = refusals[place] or _check_permission(call, tools, permitted)
    memo: dict[Any, Any] = {}
    rehearsals: list[Work] = []
    for call, refusal in zip(calls, refusals, strict=True):
        if not refusal and _is_read_only(call, tools):
            aside = context.copy_in_memory()
            bound = Call(aside, memo=memo, refuse=partial(_check_page_allowed, aside, struck))
            rehearsals.append(partial(_run_call, call, tools, bound))
    at_once(rehearsals)
    bound = Call(context, on_progress, memo, refuse=partial(_check_page_allowed, context, struck))
    results = []
    for call, refusal in zip(calls, refusals, strict=True):
        if refusal:
            result = to_json({"error": refusal})
        else:
            result = _run_call(call, tools, bound, on_mistake)
        results.append(_format_result(call, result))
    return results


def _check_page_allowed(context: ResearchContext, struck: Collection[str], url: str) -> None:
    """Raise FetchError if this run must not read the page, even if a tool found it by itself."""
    if url in struck:
        raise FetchError(STRUCK_REFUSAL, kind="disallowed")
    if context.is_blocked(url):
        raise FetchError(BLOCKED_REFUSAL, kind="disallowed")


def _format_result(call: ToolCall, result: str) -> Json:
    return {"id": call.id, "name": call.name, "result": fence_untrusted("tool_result", result)}


def _run_call(
    requested: ToolCall,
    tools: Sequence[Tool],
    call: Call,
    on_mistake: Callable[[str], object] | None = None,
) -> str:
    """Run one call and return its result or error as JSON.

    Errors that do not concern the model (a cap, a call missing in a replay, a full disk) pass
    through.
    """
    try:
        return to_json(call_tool(requested.name, requested.arguments, call, tools))
    except (BoundaryError, UsageError, SettingsError) as error:
        if isinstance(error, UsageError) and on_mistake is not None:
            on_mistake(error.message)
        return to_json({"error": error.sentence()})


class _PageBudget:
    """The places for pages that are left while it is decided which calls of a round may run.

    most: how many pages the run may read, None for any number.
    """

    def __init__(self, run: RunView, most: int | None) -> None:
        self._most = most
        self._taken = find_read_pages(run)
        # Places of the pages that tools of this round will find by themselves.
        self._held: float = 0

    def take_page(self, url: str) -> str:
        """Take the place of a page. Return the reason if there is none, else ""."""
        if self._most is not None and len(self._taken | {url}) + self._held > self._most:
            taken = f"All {self._most} places for pages are"
            if self._most == 1:
                taken = "The only place for a page is"
            return f"{taken} taken. Stop and answer, unless one of them could not be read."
        self._taken.add(url)
        return ""

    def take_requested(self, call: ToolCall) -> str:
        """Take the places of a search-and-read call. Return the reason if it asks for too many."""
        requested = _count_requested_pages(call)
        if self._most is not None:
            left = max(0, self._most - (len(self._taken) + self._held))
            if requested > left:
                verb = "is" if left == 1 else "are"
                places = f"{left:g} {pluralize('place', int(left))}"
                return (
                    f"There {verb} {places} for pages left. Ask for no more results than that,"
                    " or stop and answer."
                )
        self._held += requested
        return ""


def _find_refusals(
    calls: Sequence[ToolCall],
    context: ResearchContext,
    tools: Sequence[Tool],
    max_pages: int | None,
    struck: Collection[str],
) -> list[str]:
    """Return the reason to refuse each call, "" if it is allowed.

    Only what was known when the model asked counts. The allowed calls together read no more pages
    than there are places.
    """
    budget = _PageBudget(context.run, max_pages)
    refusals = []
    for call in calls:
        refusals.append(_find_refusal(call, find_tool(call.name, tools), context, budget, struck))
    return refusals


def _find_refusal(
    call: ToolCall,
    row: Tool | None,
    context: ResearchContext,
    budget: _PageBudget,
    struck: Collection[str],
) -> str:
    """Return the reason to refuse one call, "" after taking its places from the budget."""
    if row is not None and row.visits:
        return _check_addresses(call.arguments, context, struck)
    url = call.arguments.get("url")
    if row is None or not isinstance(url, str) or (row.read_only and not row.open_world):
        return budget.take_requested(call)
    run = context.run
    if not context.is_listed(url) and not (url in run.sources and run.sources[url].approved):
        return UNLISTED_REFUSAL
    if url in struck:
        return STRUCK_REFUSAL
    if not row.read_only:
        # A tool that writes reads no page.
        return ""
    if call.arguments.get("mode") == "raw":
        return RAW_MODE_REFUSAL
    if not is_eligible(run.sources[url], run):
        # The fetch itself refuses a blocked page, so it needs no place.
        return ""
    return budget.take_page(url)


def _check_addresses(arguments: Any, context: ResearchContext, struck: Collection[str]) -> str:
    """Return why a tool must not visit the addresses in its arguments, "" if it may.

    An address the model made up could carry away what it has read.
    """
    for text in _iterate_texts(arguments):
        for found in _ADDRESS.findall(text):
            url = found.rstrip(".,;:)]}>\"'")
            source = context.run.sources.get(url)
            if _DOI_ADDRESS.match(url):
                continue
            if url in struck:
                return STRUCK_REFUSAL
            if not (context.is_listed(url) or (source is not None and source.approved)):
                return UNLISTED_REFUSAL
    return ""


def _iterate_texts(value: Any) -> Iterator[str]:
    """Yield every string in JSON values, without the names of fields."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _iterate_texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _iterate_texts(each)


def _count_requested_pages(call: ToolCall) -> float:
    """Return how many pages a call asks to find and read, 0 if that is not a number."""
    if call.name != SEARCH_AND_READ_TOOL:
        return 0
    requested = call.arguments.get("num_results", DEFAULT_PAGES_READ)
    if not isinstance(requested, (int, float)):
        return 0
    return max(requested, 0)


def _check_permission(
    call: ToolCall, tools: Sequence[Tool], permitted: Callable[[ToolCall], str] | None
) -> str:
    """Return why a call of a tool that writes is refused, "" for allowed and read-only calls."""
    row = find_tool(call.name, tools)
    if row is None or row.read_only:
        return ""
    return permitted(call) if permitted else UNASKED_REFUSAL


def _is_read_only(call: ToolCall, tools: Sequence[Tool]) -> bool:
    row = find_tool(call.name, tools)
    return row is not None and row.read_only
