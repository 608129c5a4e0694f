"""Read from a running session what its screen shows: use, commands, gate and news.

All are pure functions of a `Reading`, except `count_usage`, which reads call events from the store.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from research_core.decisions.view import RunView
from research_core.journal.doorway import MACHINE_FACT
from research_core.journal.events import Event, drop_voided
from research_core.journal.store import Store
from research_core.models import Block, Principal, ReportSource
from research_core.modes import ResearchMode
from research_core.pipeline import draft
from research_core.policy import RunSettings
from research_core.sessions import event_text, history, reading
from research_core.sessions.reading import Reading
from research_core.trust import provenance
from research_core.wiring import LOCAL_USER, Resources

# -- what it spent ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Usage:
    """What a session used up to an event.

    calls: to models, as caps count them; others: searches and pages; cost: US dollars, None once a
    price is unknown.
    """

    calls: int = 0
    others: int = 0
    tokens: int = 0
    cost: float | None = 0.0
    seq: int = 0


def count_usage(
    office: Resources, shown: Reading, *, who: Principal = LOCAL_USER, before: Usage = Usage()
) -> Usage:
    """Return what this session used: its own tally or, before that, the sum of its calls.

    before: an earlier result; only later calls are read.
    """
    if tally := shown.run.tally:
        return Usage(
            tally["model_calls"], tally["other_calls"], tally["tokens"], history.get_cost(tally)
        )
    begun = next(
        (event.seq for event in shown.events if event.kind == "created"), 0
    )  # what stands before it was inherited, and paid for
    new = (
        Store(office.db, who, shown.session).read(
            max(before.seq, begun), keyed=True, kinds=("call",)
        )
        if begun
        else []
    )
    used = (
        before if before.seq else Usage()
    )  # a tally of an attempt that no longer counts is no beginning
    for event in new:
        used = _add_call(used, event)
    return used


def _add_call(used: Usage, call: Event) -> Usage:
    if call.data["kind"] == MACHINE_FACT:
        return replace(used, seq=call.seq)
    if call.data["kind"] != "model":
        paid = (
            None if used.cost is None else used.cost + call.data.get("about", {}).get("cost", 0.0)
        )
        return Usage(used.calls, used.others + 1, used.tokens, paid, call.seq)
    usage = call.data.get("value", {}).get("usage") or {
        "input_tokens": 0,
        "output_tokens": 0,
        "cost": 0.0,
    }
    tokens = used.tokens + usage["input_tokens"] + usage["output_tokens"]
    cost = None if used.cost is None or usage["cost"] is None else used.cost + usage["cost"]
    return Usage(used.calls + 1, used.others, tokens, cost, call.seq)


def read_settings(shown: Reading) -> RunSettings:
    """Return the settings the session was asked with, also before it began."""
    return RunSettings.from_json(shown.info.row.settings)


@dataclass(frozen=True)
class Elapsed:
    """How long something has taken.

    of_attempt: True for seconds of one attempt, as a cap counts them; else since the question.
    """

    seconds: float
    of_attempt: bool


def measure_elapsed(shown: Reading, now: float) -> Elapsed:
    """Return the time of the attempt until now or its last event.

    The tally counts at the end, before that the beginning of the log. The log does not say when a
    later attempt began; for that, queued attempts and client-led sessions, the time counts from the
    question.
    """
    row, tally = shown.info.row, shown.run.tally
    if tally and not shown.at_work:
        return Elapsed(tally["seconds"], of_attempt=True)
    created = next((event.at for event in shown.events if event.kind == "created"), None)
    first = created is not None and row.epoch == 1
    began = created if created is not None and first else row.created
    said = next(
        (event.at for event in reversed(shown.events) if event.kind != "command"), began
    )  # one may be given while nobody runs it
    goes_on, is_led = shown.at_work or shown.info.status == "open", row.until is not None
    return Elapsed(max(0.0, (now if goes_on else said) - began), of_attempt=first and not is_led)


# -- what was asked of it --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CommandState:
    """A command to a running session.

    do: stop | approve | strike | restore | instruct; about: its source or words; state: waiting |
    taken up | too late; url: of its source.
    """

    at: float
    do: str
    about: str
    state: str
    url: str = ""


def list_commands(shown: Reading) -> tuple[CommandState, ...]:
    """Return the commands in order.

    A run takes commands between two answers, and only a cancel once it is at the gate.
    """
    taken = _find_heeded_commands(shown)
    late = shown.run.gated is not None or not shown.at_work

    def state(event: Event) -> str:
        if event.seq in taken or (event.data["do"] == "stop" and shown.run.stop is not None):
            return "taken up"
        return "too late" if late else "waiting"

    def item(event: Event) -> CommandState:
        url = event.data.get("url", "")
        return CommandState(
            event.at,
            event.data["do"],
            event.data.get("text") or _name_source(url, shown.run),
            state(event),
            url,
        )

    return tuple(item(event) for event in shown.events if event.kind == "command")


def _find_heeded_commands(shown: Reading) -> set[int]:
    """Return the sequence numbers of the commands that the run acted on."""
    return {
        event.data["command"]
        for event in shown.events
        if event.kind == "decide" and "command" in event.data
    }


def is_stopping(shown: Reading) -> bool:
    """True if the analyst asked the run to stop and write."""
    return any(event.kind == "command" and event.data["do"] == "stop" for event in shown.events)


# -- the gate --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class GateOutlook:
    """How the gate stands.

    kept, dropped: judged so far; coming: being read or judged; copies: kept ones that do not count;
    decision, rationale: "" until decided.
    """

    kept: int
    dropped: int
    coming: int
    mode: ResearchMode
    decision: str = ""
    rationale: str = ""
    reason: str = ""
    copies: int = 0

    @property
    def outlook(self) -> str:
        """What the gate would decide on the sources kept so far, in words."""
        short, full, counted = (
            self.mode.min_sources_short_report,
            self.mode.min_sources_full_report,
            self.kept - self.copies,
        )
        which = (
            "is a copy of another and does" if self.copies == 1 else "are copies of others and do"
        )
        given = f"{self.copies} of those kept {which} not count: " if self.copies else ""
        if counted >= full:
            return f"{given}enough for a full report."
        if counted >= short:
            return f"{given}enough for a short report; {full - counted} more for a full one."
        return f"{given}not enough; {short - counted} more for a short report."


def build_gate_outlook(shown: Reading) -> GateOutlook:
    """Return how the gate of a run stands now, under its own settings."""
    run = shown.run
    sources = reading.list_sources(shown)
    statuses = [source.status for source in sources]
    copies = sum(source.status == "kept" and bool(source.copy_of) for source in sources)
    kept, dropped = statuses.count("kept"), statuses.count("dropped")
    coming = statuses.count("reading") + statuses.count("judging")
    said = (
        {name: run.gated[name] for name in ("decision", "rationale", "reason")} if run.gated else {}
    )
    return GateOutlook(kept, dropped, coming, run.mode, copies=copies, **said)


def list_read_sources(shown: Reading) -> tuple[ReportSource, ...]:
    """Return the sources that were read in the gate's order; unjudged ones come last."""
    read = [
        source
        for source in reading.list_sources(shown)
        if source.relevance or shown.run.sources[source.url].read
    ]
    return tuple(sorted(read, key=lambda source: source.relevance is None))


def count_scores(shown: Reading) -> dict[int, int]:
    """Count the sources at the gate by score, 1 to 5 and 0 for unscored."""
    judged = [
        source.relevance
        for source in list_read_sources(shown)
        if source.relevance and source.status in ("kept", "dropped")
    ]
    return {
        score: sum((one.score if one.scored else 0) == score for one in judged)
        for score in range(6)
    }


_ORDERS: dict[str, Callable[[ReportSource], tuple[Any, ...]]] = {
    "gate": lambda _: (),
    "high": lambda source: (-_get_score(source),),
    "low": lambda source: (_get_score(source),),
    "site": lambda source: (provenance.name_site(source.url),),
}


def filter_sources(
    sources: Sequence[ReportSource], statuses: Collection[str], scores: Collection[int], order: str
) -> tuple[ReportSource, ...]:
    """Return the sources with these statuses and scores; empty means any.

    order: gate | high | low | site.
    """
    of = [
        s
        for s in sources
        if (not statuses or s.status in statuses) and (not scores or _get_score(s) in scores)
    ]
    return tuple(sorted(of, key=_ORDERS[order]))


def _get_score(source: ReportSource) -> int:
    return source.relevance.score if source.relevance and source.relevance.scored else 0


# -- its sources -----------------------------------------------------------------------------------------------------------


def list_by_arrival(shown: Reading) -> tuple[ReportSource, ...]:
    """Return all sources in an order that news changes little: admitted ones, then by discovery."""
    first: dict[str, int] = {}
    taken: dict[str, int] = {}
    for event in shown.events:
        if event.kind in ("found", "admitted"):
            (first if event.kind == "found" else taken).setdefault(event.data["url"], event.seq)
    last = shown.seq + 1
    return tuple(
        sorted(
            reading.list_sources(shown),
            key=lambda source: (
                taken.get(source.url, last),
                first.get(source.url, last),
                source.url,
            ),
        )
    )


# -- its text --------------------------------------------------------------------------------------------------------------


def parse_written_so_far(shown: Reading) -> tuple[Block, ...]:
    """Return the text written so far as blocks, nothing before the writer begins."""
    return draft.parse(
        shown.run.written["text"] if shown.run.written else reading.join_written_so_far(shown)
    )


# -- what happens ----------------------------------------------------------------------------------------------------------

#: What a line is about, for those who want to see only some.
TOPICS = ("search", "read", "judge", "decide", "write")
_TOPIC_OF = {
    **dict.fromkeys(("planned", "searched", "search_failed"), "search"),
    **dict.fromkeys(("fetch", "blocked", "fetched", "fact"), "read"),
    "judged": "judge",
    **dict.fromkeys(("command", "decide", "gated", "failed", "finished"), "decide"),
    **dict.fromkeys(("written", "verified", "report"), "write"),
}


@dataclass(frozen=True)
class News:
    """One thing that happened.

    at: seconds since the epoch; after: seconds since the run began; topic: one of TOPICS.
    """

    at: float
    after: float
    topic: str
    text: str


def list_news(
    shown: Reading, topics: tuple[str, ...] = (), *, limit: int = 200
) -> tuple[News, ...]:
    """Return the latest news in plain words, newest first. topics: only these, if any."""
    return tuple(islice(_iterate_news(shown, topics), limit))


def _iterate_news(shown: Reading, topics: tuple[str, ...]) -> Iterator[News]:
    run, taken = shown.run, _find_heeded_commands(shown)
    for event in reversed(drop_voided(shown.events)):
        topic = _TOPIC_OF.get(event.kind, "")
        if (
            not topic or (topics and topic not in topics) or event.seq in taken
        ):  # what was taken up says so itself
            continue
        for text in event_text.describe_news(
            event.kind, event.data, _name_source(event.data.get("url", ""), run)
        ):
            yield News(event.at, max(0.0, event.at - run.created), topic, text)


def _name_source(url: str, run: RunView) -> str:
    source = run.sources.get(url)
    titles = [source.title, *(listing.title for listing in source.listings)] if source else []
    return event_text.format_source_name(
        url, next(filter(None, titles), ""), provenance.name_site(url)
    )
