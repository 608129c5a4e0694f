"""Describe events of the log in sentences, for the screens and the terminal.

EVENT_KINDS has everything there is to say of each kind of event, in the language of the screens.
The caller chooses which events to show, and cleans the text for its medium.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from research_core.i18n import N_, _, gettext, join_sentences, ngettext, put_in_quotes
from research_core.journal.events import APPROVE_PLAN, PROPOSE_PLAN, STOP_AUDIT
from research_core.models import DECISION_STATES, LinkCounts
from research_core.modes import THOROUGH_MODES
from research_core.pipeline.approved_plan import describe_plan_changes, find_plan_changes
from research_core.policy import ApprovedPlan
from research_core.text.words import truncate

GAPS_STEP = N_("Look for gaps")
#: What a run does, in order; only thorough modes have a step for gaps (DECISIONS row 36).
DEEP_STEPS = (
    N_("Plan"),
    N_("Search"),
    N_("Read"),
    GAPS_STEP,
    N_("Judge"),
    N_("Gate"),
    N_("Write"),
)
STEPS = tuple(step for step in DEEP_STEPS if step != GAPS_STEP)
#: The fields of events that hold the message of a failure.
FAILURE_FIELDS = ("failure", "reason", "error", "note")
#: From an event's data and the name of its source, "" where it has none, to what it says.
EventWriter = Callable[[Mapping[str, Any], str], Iterator[str]]


def list_step_names(mode: str) -> tuple[str, ...]:
    """Return the steps of a run of this mode, in order."""
    return DEEP_STEPS if mode in THOROUGH_MODES else STEPS


def describe_news(kind: str, data: Mapping[str, Any], name: str) -> Iterator[str]:
    """Yield the sentences that tell what is new with an event, possibly none."""
    return get_kind(kind).news(_translate_failures(data), name)


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
    return news or next(get_kind(kind).detail(_translate_failures(data), name), kind)


def _translate_failures(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the data of an event with a recorded failure in the language of the screens."""
    fields = [field for field in FAILURE_FIELDS if data.get(field)]
    if not fields:
        return data
    from research_core.web.failure_texts import translate_failure  # late: most events hold none

    return {**data, **{field: translate_failure(data[field]) for field in fields}}


def get_kind(kind: str) -> EventKind:
    """Return what is known of a kind of event; nothing of an unknown one."""
    return EVENT_KINDS.get(kind, UNKNOWN_KIND)


def format_source_name(url: str, title: str, site: str) -> str:
    """Name a source by its title and site, or by its address if it has no title."""
    return f"{put_in_quotes(truncate(title, 80))} ({site})" if title else url


def _say_nothing(_data: Mapping[str, Any], _name: str) -> Iterator[str]:
    yield from ()


@dataclass(frozen=True)
class EventKind:
    """What events of one kind mean to a reader.

    news: writes what is new with an event, possibly nothing; detail: writes what to say of an event
    that is no news, for a reading that leaves none out; step: the step of a run that it begins;
    topic: search | read | judge | decide | write, "" for what no list of news has; mark: why it is
    worth going to, marked by N_.
    """

    news: EventWriter = _say_nothing
    detail: EventWriter = _say_nothing
    step: str = ""
    topic: str = ""
    mark: str = ""


def _fill_line(sentence: str) -> EventWriter:
    """Make a writer of one sentence, marked by N_, with fields of the event in it."""
    return lambda data, name: iter([gettext(sentence).format_map({**data, "name": name})])


def _choose_line(field: str, sentences: Mapping[str, str]) -> EventWriter:
    """Make a writer that chooses the sentence by a field, or writes nothing."""
    lines = {value: _fill_line(sentence) for value, sentence in sentences.items()}
    return lambda data, name: lines.get(data[field], _say_nothing)(data, name)


def _describe_planned(data: Mapping[str, Any], _name: str) -> Iterator[str]:
    if data.get("note"):
        yield str(data["note"])
    for query in data["queries"]:
        text = put_in_quotes(truncate(query["text"], 120))
        if query["purpose"] in _PURPOSE_LINES:
            yield gettext(_PURPOSE_LINES[query["purpose"]]).format(query=text)
        else:
            yield f"{query['purpose']}: {text}"


_PURPOSE_LINES = {
    "question": N_("Searches for the question itself: {query}"),
    "planned": N_("Planned to search for: {query}"),
    "refined": N_("Reworded the search: {query}"),
    "counter": N_("Searches for evidence against: {query}"),
    "gap": N_("Searches for what is missing: {query}"),
    "instruction": N_("Searches as you asked: {query}"),
    "tool": N_("The model searches for: {query}"),
}


def _describe_searched(data: Mapping[str, Any], _name: str) -> Iterator[str]:
    count, query = data["results"], put_in_quotes(truncate(data["query"], 80))
    if data["engine"] == "session" and count:
        line = ngettext(
            "{count} page read before matches {query}",
            "{count} pages read before match {query}",
            count,
        )
    elif data["engine"] == "session":
        line = _("No page read before matches {query}")
    elif count:
        line = ngettext(
            "{engine}: {count} result for {query}", "{engine}: {count} results for {query}", count
        )
    else:
        line = _("{engine}: no results for {query}")
    links = LinkCounts(data.get("unwrapped", 0), data.get("advertisements", 0)).describe()
    remark = f" ({links.rstrip('.。')})" if links else ""
    yield line.format(engine=data["engine"], count=count, query=query) + remark


#: What became of a search, by its state; of any other state, that it failed.
_FAILED_SEARCH_LINES = {
    "refused": N_("{engine} refused: {reason}"),
    "rate_limited": N_("{engine} limits requests: {reason}"),
    "timed_out": N_("{engine} timed out: {reason}"),
}


def _describe_search_failed(data: Mapping[str, Any], _name: str) -> Iterator[str]:
    line = _FAILED_SEARCH_LINES.get(data["state"], N_("{engine} failed: {reason}"))
    yield gettext(line).format(engine=data["engine"], reason=data["reason"])


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
        yield _("Could not read {name}: {failure}").format(name=name, failure=failure)


def _describe_called(data: Mapping[str, Any], _name: str) -> Iterator[str]:
    if data.get("error"):
        yield _("{tool} failed: {error}").format(tool=data["tool"], error=data["error"])
    else:
        yield _("{tool} was called").format(tool=data["tool"])


def _describe_judged(data: Mapping[str, Any], name: str) -> Iterator[str]:
    if data["scored"]:
        line = _("Relevance {score} of 5: {name}. {explanation}")
    else:
        line = _("Not scored, and kept: {name}. {explanation}")
    yield line.format(score=data["score"], name=name, explanation=data["explanation"])


def _describe_gated(data: Mapping[str, Any], _name: str) -> Iterator[str]:
    state = DECISION_STATES.get(data["decision"])
    decision = gettext(state.word) if state else data["decision"]
    yield _("Gate: {decision}. {rationale}").format(decision=decision, rationale=data["rationale"])


def describe_quoting(data: Mapping[str, Any]) -> Iterator[str]:
    """Say of a written text that the extractive writer took over from the model, and why."""
    from research_core.pipeline.report import describe_quoted_parts
    from research_core.web.failure_texts import translate_failure

    writer = data.get("writer", {})
    if quotes := describe_quoted_parts(writer):
        reasons = dict.fromkeys(map(translate_failure, writer["failures"]))
        yield join_sentences([quotes, *reasons])


def _describe_written(data: Mapping[str, Any], _name: str) -> Iterator[str]:
    yield from describe_quoting(data)
    words = len(data["text"].split())
    line = ngettext(
        "The text is written: {count:,} word", "The text is written: {count:,} words", words
    ).format(count=words)
    if data["removed"]:
        line = _("{line}; unknown citations removed: {removed}").format(
            line=line, removed=data["removed"]
        )
    yield line


def _describe_verified(data: Mapping[str, Any], _name: str) -> Iterator[str]:
    states = [
        sentence["state"]
        for block in data["blocks"]
        for sentence in block["sentences"]
        if sentence["citations"]
    ]
    if not states:
        return
    yield ngettext(
        "Checked {count:,} cited sentence: {supported:,} supported by its passages",
        "Checked {count:,} cited sentences: {supported:,} supported by their passages",
        len(states),
    ).format(count=len(states), supported=states.count("supported"))


_COMMAND_LINES = {
    "stop": N_("You asked to stop and write"),
    "approve": N_("You included {name}"),
    "strike": N_("You excluded {name}"),
    "restore": N_("You undid your decision on {name}"),
    "instruct": N_("You asked: {text}"),
    "allow": N_("You allowed the call {place}"),
    "refuse": N_("You refused the call {place}"),
    APPROVE_PLAN: N_("You approved the plan"),
}
_DECISION_LINES = {
    "stop": N_("Stopped gathering: {why}"),
    "reach cap": N_("Continues without the model: {why}"),
    "approve": N_("Included: {name}"),
    "strike": N_("Excluded: {name}"),
    "restore": N_("As before your decision: {name}"),
    "instruct": N_("Follows your instruction: {text}"),
    "ask": N_("Waits for your permission to call {tool} ({place})"),
    "allow": N_("The call {place} is made, as you allowed"),
    "refuse": N_("The call {place} is not made, as you refused"),
    "unread": N_("Took too long to read: {name}"),
    STOP_AUDIT: N_("No further source is read: {why}"),
    PROPOSE_PLAN: N_("Proposed a plan: {strategy}"),
}


def _describe_decision(data: Mapping[str, Any], name: str) -> Iterator[str]:
    if data["do"] == APPROVE_PLAN:
        yield describe_plan_changes(find_plan_changes(ApprovedPlan.from_json(data)))
    else:
        if data.get("why"):
            data = {**data, "why": gettext(data["why"])}
        yield from _choose_line("do", _DECISION_LINES)(data, name)


def _describe_source(data: Mapping[str, Any], _name: str) -> Iterator[str]:
    from research_core.pipeline.audit_result import STATE_LABELS  # late: most runs check no report

    if data["state"] != "live":
        yield _("Did not open ({state}): {key}").format(
            state=gettext(STATE_LABELS[data["state"]]), key=data["key"]
        )


def _describe_claim(data: Mapping[str, Any], _name: str) -> Iterator[str]:
    from research_core.pipeline.audit_result import VERDICT_LABELS

    yield _("Sentence {number}: {verdict}").format(
        number=data["number"] + 1, verdict=gettext(VERDICT_LABELS[data["verdict"]])
    )


def _describe_found(data: Mapping[str, Any], name: str) -> Iterator[str]:
    if data["parts"]:
        line = _("Found by {engine}: {name}, credibility {score:.2f}")
        yield line.format(engine=data["engine"], name=name, score=data["parts"]["score"])
    else:
        line = _("Found by {engine}: {name}, credibility not scored")
        yield line.format(engine=data["engine"], name=name)


def _describe_fetched(data: Mapping[str, Any], name: str) -> Iterator[str]:
    count = data.get("characters", 0)
    yield ngettext(
        "Read {name}: {count:,} character", "Read {name}: {count:,} characters", count
    ).format(name=name, count=count)


def _describe_passages(data: Mapping[str, Any], name: str) -> Iterator[str]:
    if "cited" in data:
        count = len(data["cited"])
        line = ngettext(
            "{count:,} further passage cited: {name}",
            "{count:,} further passages cited: {name}",
            count,
        )
    else:
        count = len(data["passages"])
        line = ngettext(
            "{count:,} passage is about the question: {name}",
            "{count:,} passages are about the question: {name}",
            count,
        )
    yield line.format(count=count, name=name)


def _describe_delta(data: Mapping[str, Any], _name: str) -> Iterator[str]:
    count = len(data.get("text", ""))
    yield ngettext(
        "The writer wrote {count:,} character", "The writer wrote {count:,} characters", count
    ).format(count=count)


def _describe_tally(data: Mapping[str, Any], _name: str) -> Iterator[str]:
    calls = data["model_calls"]
    # Only runs with a language model name the models that answered.
    if "models" in data:
        called = ngettext("{count:,} model call", "{count:,} model calls", calls)
    else:
        called = ngettext(
            "{count:,} step by rules or by a model",
            "{count:,} steps by rules or by a model",
            calls,
        )
    yield _("Usage: {calls}").format(calls=called.format(count=calls))


def _describe_queued(data: Mapping[str, Any], _name: str) -> Iterator[str]:
    yield _("Number {number:,} in the queue").format(number=data["ahead"] + 1)


_VOIDED_LINE = N_("A failed call may be repeated; its results are then computed again")
_BLOCKED_LINE = N_("Not read, credibility too low ({score:.2f}): {name}")
_ENDS = {
    "done": N_("Finished"),
    "cancelled": N_("Cancelled"),
    "waiting": N_("Waiting for you to approve the plan"),
}

UNKNOWN_KIND = EventKind()
EVENT_KINDS: dict[str, EventKind] = {
    "queued": EventKind(news=_describe_queued),
    "created": EventKind(detail=_fill_line(N_("Asked: {question}")), step="Plan"),
    "command": EventKind(
        news=_choose_line("do", _COMMAND_LINES), topic="decide", mark=N_("command")
    ),
    "decide": EventKind(
        news=_describe_decision,
        detail=_describe_tally,
        topic="decide",
        mark=N_("decided by you or a limit"),
    ),
    "voided": EventKind(detail=_fill_line(_VOIDED_LINE)),
    "planned": EventKind(
        news=_describe_planned, detail=_fill_line(N_("Planned ({part}): no query")), topic="search"
    ),
    "searched": EventKind(news=_describe_searched, step="Search", topic="search"),
    "search_failed": EventKind(
        news=_describe_search_failed, step="Search", topic="search", mark=N_("failure")
    ),
    "given": EventKind(detail=_fill_line(N_("Report to check: {title}"))),
    "found": EventKind(detail=_describe_found),
    "admitted": EventKind(detail=_fill_line(N_("To be read: {name}"))),
    "fetch": EventKind(news=_fill_line(N_("Reads {name}")), step="Read", topic="read"),
    "blocked": EventKind(news=_fill_line(_BLOCKED_LINE), topic="read"),
    "fetched": EventKind(news=_describe_not_read, detail=_describe_fetched, topic="read"),
    "passages": EventKind(detail=_describe_passages),
    "fact": EventKind(news=_fill_line(N_("Noted: {text}")), topic="read"),
    "step": EventKind(news=_fill_line(N_("Step {number}: {text}"))),
    "called": EventKind(news=_describe_called),
    "judged": EventKind(news=_describe_judged, step="Judge", topic="judge"),
    "source_checked": EventKind(
        news=_describe_source, detail=_fill_line(N_("Opened: {key}")), topic="read"
    ),
    "claim_checked": EventKind(news=_describe_claim, step="Judge", topic="judge"),
    "gated": EventKind(news=_describe_gated, step="Gate", topic="decide", mark=N_("gate")),
    "delta": EventKind(detail=_describe_delta),
    "waiting": EventKind(
        news=_fill_line(N_("The model takes no requests at present; waiting {seconds:.0f} s")),
        topic="decide",
    ),
    "replaced": EventKind(
        news=_fill_line(N_("Another model takes over ({by}): {why}")),
        topic="decide",
        mark=N_("failure"),
    ),
    "written": EventKind(news=_describe_written, step="Write", topic="write", mark=N_("written")),
    "verified": EventKind(news=_describe_verified, topic="write", mark=N_("checked")),
    "report": EventKind(
        news=_fill_line(N_("The report is stored")), topic="write", mark=N_("report")
    ),
    "failed": EventKind(news=_fill_line(N_("Failed: {error}")), topic="decide", mark=N_("failure")),
    "finished": EventKind(news=_choose_line("outcome", _ENDS), topic="decide", mark=N_("end")),
}
