"""Describe events of the log in sentences, for the screens and the terminal.

EVENT_KINDS has everything there is to say of each kind of event. The caller chooses which events to
show, and cleans the text for its medium.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from research_core.journal.events import APPROVE_PLAN, PROPOSE_PLAN, STOP_AUDIT
from research_core.models import LinkCounts
from research_core.modes import THOROUGH_MODES
from research_core.pipeline.approved_plan import describe_plan_changes, find_plan_changes
from research_core.policy import ApprovedPlan
from research_core.text.words import format_count, truncate

GAPS_STEP = "Look for gaps"
#: What a run does, in order; only thorough modes have a step for gaps (DECISIONS row 36).
DEEP_STEPS = ("Plan", "Search", "Read", GAPS_STEP, "Judge", "Gate", "Write")
STEPS = tuple(step for step in DEEP_STEPS if step != GAPS_STEP)
#: From an event's data and the name of its source, "" where it has none, to what it says.
EventWriter = Callable[[Mapping[str, Any], str], Iterator[str]]


def list_step_names(mode: str) -> tuple[str, ...]:
    """Return the steps of a run of this mode, in order."""
    return DEEP_STEPS if mode in THOROUGH_MODES else STEPS


def describe_news(kind: str, data: Mapping[str, Any], name: str) -> Iterator[str]:
    """Yield the sentences that tell what is new with an event, possibly none."""
    return get_kind(kind).news(data, name)


def drop_known_queries(data: Mapping[str, Any], known: set[str]) -> dict[str, Any]:
    """Return the data of a "planned" event without queries that are known already.

    Adds the others to `known`.
    """
    new = []
    for query in data["queries"]:
        words = " ".join(query["text"].split()).casefold()
        if words not in known:
            known.add(words)
            new.append(query)
    return {**data, "queries": new}


def describe_event(kind: str, data: Mapping[str, Any], name: str) -> str:
    """Describe any event in words; an unknown kind by its name."""
    news = " · ".join(describe_news(kind, data, name))
    return news or next(get_kind(kind).detail(data, name), kind)


def get_kind(kind: str) -> EventKind:
    """Return what is known of a kind of event; nothing of an unknown one."""
    return EVENT_KINDS.get(kind, UNKNOWN_KIND)


def format_source_name(url: str, title: str, site: str) -> str:
    """Name a source by its title and site, or by its address if it has no title."""
    return f"“{truncate(title, 80)}” ({site})" if title else url


def _say_nothing(_data: Mapping[str, Any], _name: str) -> Iterator[str]:
    yield from ()


@dataclass(frozen=True)
class EventKind:
    """What events of one kind mean to a reader.

    news: writes what is new with an event, possibly nothing; detail: writes what to say of an event
    that is no news, for a reading that leaves none out; step: the step of a run that it begins;
    topic: search | read | judge | decide | write, "" for what no list of news has; mark: why it is
    worth going to.
    """

    news: EventWriter = _say_nothing
    detail: EventWriter = _say_nothing
    step: str = ""
    topic: str = ""
    mark: str = ""


def _fill_line(sentence: str) -> EventWriter:
    """Make a writer of one sentence with fields of the event in it."""
    return lambda data, name: iter([sentence.format_map({**data, "name": name})])


def _choose_line(field: str, sentences: Mapping[str, str]) -> EventWriter:
    """Make a writer that chooses the sentence by a field, or writes nothing."""
    lines = {value: _fill_line(sentence) for value, sentence in sentences.items()}
    return lambda data, name: lines.get(data[field], _say_nothing)(data, name)


def _describe_planned(data: Mapping[str, Any], _name: str) -> Iterator[str]:
    if data.get("note"):
        yield str(data["note"])
    for query in data["queries"]:
        purpose = _PURPOSE_LINES.get(query["purpose"], query["purpose"])
        yield f"{purpose}: “{truncate(query['text'], 120)}”"


_PURPOSE_LINES = {
    "question": "Searches for the question itself",
    "planned": "Planned to search for",
    "refined": "Reworded the search",
    "counter": "Searches for evidence against",
    "gap": "Searches for what is missing",
    "instruction": "Searches as you asked",
    "tool": "The model searches for",
}


def _describe_searched(data: Mapping[str, Any], _name: str) -> Iterator[str]:
    count = data["results"]
    results = f"{count or 'no'} result{'' if count == 1 else 's'}"
    if data["engine"] == "session":
        results = f"{count or 'none'} of the pages read before"
    links = LinkCounts(data.get("unwrapped", 0), data.get("advertisements", 0)).describe()
    remark = f" ({links.rstrip('.')})" if links else ""
    yield f"{data['engine']}: {results} for “{truncate(data['query'], 80)}”{remark}"


def _describe_search_failed(data: Mapping[str, Any], _name: str) -> Iterator[str]:
    yield f"{data['engine']} {data['state'].replace('_', ' ')}: {data['reason']}"


class FailedEngines:
    """The failures of search engines that a run has reported; each is reported once."""

    def __init__(self) -> None:
        self._known: set[tuple[str, str]] = set()

    def is_repeated(self, kind: str, data: Mapping[str, Any]) -> bool:
        """Return True if an event reports a failure that was reported before."""
        if kind != "search_failed":
            return False
        failure = (data["engine"], data["state"])
        if failure in self._known:
            return True
        self._known.add(failure)
        return False


def _describe_not_read(data: Mapping[str, Any], name: str) -> Iterator[str]:
    if failure := data.get("failure"):
        yield f"Could not read {name}: {failure}"


def _describe_called(data: Mapping[str, Any], _name: str) -> Iterator[str]:
    if data.get("error"):
        yield f"{data['tool']} failed: {data['error']}"
    else:
        yield f"{data['tool']} was called"


def _describe_judged(data: Mapping[str, Any], name: str) -> Iterator[str]:
    score = f"{data['score']} of 5" if data["scored"] else "Not scored, and kept"
    yield f"{score}: {name}. {data['explanation']}"


def _describe_gated(data: Mapping[str, Any], _name: str) -> Iterator[str]:
    yield f"The gate: {data['decision'].replace('_', ' ')}. {data['rationale']}"


def _describe_written(data: Mapping[str, Any], _name: str) -> Iterator[str]:
    removed = f"; unknown citations removed: {data['removed']}" if data["removed"] else ""
    yield f"The text is written: {format_count(len(data['text'].split()), 'word')}{removed}"


def _describe_verified(data: Mapping[str, Any], _name: str) -> Iterator[str]:
    states = [
        sentence["state"]
        for block in data["blocks"]
        for sentence in block["sentences"]
        if sentence["citations"]
    ]
    supported = states.count("supported")
    stand = (
        "stands in the passages it cites" if supported == 1 else "stand in the passages they cite"
    )
    yield f"Checked {format_count(len(states), 'cited sentence')}: {supported} {stand}"


_COMMAND_LINES = {
    "stop": "You asked to stop and write",
    "approve": "You approved {name}",
    "strike": "You struck {name}",
    "restore": "You took back your decision on {name}",
    "instruct": "You asked: {text}",
    "allow": "You allowed the call {place}",
    "refuse": "You refused the call {place}",
    APPROVE_PLAN: "You approved the plan",
}
_DECISION_LINES = {
    "stop": "Stopped gathering: {why}",
    "approve": "Approved {name}",
    "strike": "Struck {name}",
    "restore": "As before your decision: {name}",
    "instruct": "Took up your instruction: {text}",
    "ask": "Waits for your word: may it call {tool} ({place})?",
    "allow": "The call {place} is made, as you allowed",
    "refuse": "The call {place} is not made, as you refused",
    "unread": "Took too long to be read: {name}",
    STOP_AUDIT: "No further source is read: {why}",
    PROPOSE_PLAN: "Proposed a plan: {strategy}",
}


def _describe_decision(data: Mapping[str, Any], name: str) -> Iterator[str]:
    if data["do"] == APPROVE_PLAN:
        yield describe_plan_changes(find_plan_changes(ApprovedPlan.from_json(data)))
    else:
        yield from _choose_line("do", _DECISION_LINES)(data, name)


def _describe_source(data: Mapping[str, Any], _name: str) -> Iterator[str]:
    if data["state"] != "live":
        yield f"Did not open ({data['state']}): {data['key']}"


def _describe_claim(data: Mapping[str, Any], _name: str) -> Iterator[str]:
    yield f"Sentence {data['number'] + 1}: {data['verdict']}"


def _describe_found(data: Mapping[str, Any], name: str) -> Iterator[str]:
    parts = data["parts"]
    score = f"credibility {parts['score']:.2f}" if parts else "credibility not scored"
    yield f"Found by {data['engine']}: {name}, {score}"


def _describe_fetched(data: Mapping[str, Any], name: str) -> Iterator[str]:
    yield f"Read {name}: {format_count(data.get('characters', 0), 'character')}"


def _describe_passages(data: Mapping[str, Any], name: str) -> Iterator[str]:
    if "cited" in data:
        count = len(data["cited"])
        yield f"{format_count(count, 'further passage')} cited: {name}"
        return
    count = len(data["passages"])
    bear = "bears" if count == 1 else "bear"
    yield f"{format_count(count, 'passage')} {bear} on the question: {name}"


def _describe_delta(data: Mapping[str, Any], _name: str) -> Iterator[str]:
    yield f"The writer wrote {format_count(len(data.get('text', '')), 'character')}"


def _describe_tally(data: Mapping[str, Any], _name: str) -> Iterator[str]:
    others = data["other_calls"]
    fetched = "search or page" if others == 1 else "searches and pages"
    # Only runs with a language model name the models that answered.
    if "models" in data:
        called = format_count(data["model_calls"], "model call")
    else:
        called = f"{format_count(data['model_calls'], 'step')} of the offline rules or of a model"
    yield f"What the run used was counted: {called}, {others} {fetched}"


def _describe_queued(data: Mapping[str, Any], _name: str) -> Iterator[str]:
    yield f"Number {data['ahead'] + 1:,} in the queue"


_VOIDED_LINE = "A call that had failed may be made again; what was made of it is derived anew"
_BLOCKED_LINE = "Not read, too little credibility ({score:.2f}): {name}"
_ENDS = {
    "done": "Finished",
    "cancelled": "Cancelled",
    "waiting": "Waiting for you to approve the plan",
}

UNKNOWN_KIND = EventKind()
EVENT_KINDS: dict[str, EventKind] = {
    "queued": EventKind(news=_describe_queued),
    "created": EventKind(detail=_fill_line("Asked: {question}"), step="Plan"),
    "command": EventKind(news=_choose_line("do", _COMMAND_LINES), topic="decide", mark="command"),
    "decide": EventKind(
        news=_describe_decision,
        detail=_describe_tally,
        topic="decide",
        mark="decided by hand or cap",
    ),
    "voided": EventKind(detail=_fill_line(_VOIDED_LINE)),
    "planned": EventKind(
        news=_describe_planned, detail=_fill_line("Planned ({part}): no query"), topic="search"
    ),
    "searched": EventKind(news=_describe_searched, step="Search", topic="search"),
    "search_failed": EventKind(
        news=_describe_search_failed, step="Search", topic="search", mark="failure"
    ),
    "given": EventKind(detail=_fill_line("Report to check: {title}")),
    "found": EventKind(detail=_describe_found),
    "admitted": EventKind(detail=_fill_line("To be read: {name}")),
    "fetch": EventKind(news=_fill_line("Reads {name}"), step="Read", topic="read"),
    "blocked": EventKind(news=_fill_line(_BLOCKED_LINE), topic="read"),
    "fetched": EventKind(news=_describe_not_read, detail=_describe_fetched, topic="read"),
    "passages": EventKind(detail=_describe_passages),
    "fact": EventKind(news=_fill_line("Noted: {text}"), topic="read"),
    "step": EventKind(news=_fill_line("Step {number}: {text}")),
    "called": EventKind(news=_describe_called),
    "judged": EventKind(news=_describe_judged, step="Judge", topic="judge"),
    "source_checked": EventKind(
        news=_describe_source, detail=_fill_line("Opened: {key}"), topic="read"
    ),
    "claim_checked": EventKind(news=_describe_claim, step="Judge", topic="judge"),
    "gated": EventKind(news=_describe_gated, step="Gate", topic="decide", mark="gate"),
    "delta": EventKind(detail=_describe_delta),
    "waiting": EventKind(
        news=_fill_line("Rate limited by the model; waiting {seconds:.0f} s"), topic="decide"
    ),
    "written": EventKind(news=_describe_written, step="Write", topic="write", mark="written"),
    "verified": EventKind(news=_describe_verified, topic="write", mark="checked"),
    "report": EventKind(news=_fill_line("The report is stored"), topic="write", mark="report"),
    "failed": EventKind(news=_fill_line("Failed: {error}"), topic="decide", mark="failure"),
    "finished": EventKind(news=_choose_line("outcome", _ENDS), topic="decide", mark="end"),
}
