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

# -- what it spent -------------------------------------------------------------


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
    tally = shown.run.tally
    if tally:
        cost = history.get_cost(tally)
        return Usage(tally["model_calls"], tally["other_calls"], tally["tokens"], cost)
    # A tally of an attempt that no longer counts has no `seq` and is no starting point.
    used = before if before.seq else Usage()
    created = _find_created(shown)
    if created is None or not created.seq:
        return used
    # Calls before the event `created` were inherited from another session, which paid for them.
    after = max(before.seq, created.seq)
    store = Store(office.db, who, shown.session)
    for event in store.read(after, keyed=True, kinds=("call",)):
        used = _add_call(used, event)
    return used


def _find_created(shown: Reading) -> Event | None:
    for event in shown.events:
        if event.kind == "created":
            return event
    return None


def _add_call(used: Usage, call: Event) -> Usage:
    if call.data["kind"] == MACHINE_FACT:
        return replace(used, seq=call.seq)
    cost = used.cost
    if call.data["kind"] != "model":
        if cost is not None:
            cost += call.data.get("about", {}).get("cost", 0.0)
        return Usage(used.calls, used.others + 1, used.tokens, cost, call.seq)
    tokens = used.tokens
    usage = call.data.get("value", {}).get("usage")
    if usage:
        tokens += usage["input_tokens"] + usage["output_tokens"]
        if cost is not None:
            cost = None if usage["cost"] is None else cost + usage["cost"]
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
    row = shown.info.row
    tally = shown.run.tally
    if tally and not shown.at_work:
        return Elapsed(tally["seconds"], of_attempt=True)
    began = row.created
    created = _find_created(shown)
    is_first_attempt = created is not None and row.epoch == 1
    if created is not None and row.epoch == 1:
        began = created.at
    if shown.at_work or shown.info.status == "open":
        until = now
    else:
        until = _find_last_activity(shown, began)
    is_client_led = row.until is not None
    of_attempt = is_first_attempt and not is_client_led
    return Elapsed(max(0.0, until - began), of_attempt=of_attempt)


def _find_last_activity(shown: Reading, default: float) -> float:
    # A command may be given while nobody runs the session.
    for event in reversed(shown.events):
        if event.kind != "command":
            return event.at
    return default


# -- what was asked of it ------------------------------------------------------


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
    heeded = _find_heeded_commands(shown)
    is_late = shown.run.gated is not None or not shown.at_work
    commands = []
    for event in shown.events:
        if event.kind != "command":
            continue
        do = event.data["do"]
        if event.seq in heeded or (do == "stop" and shown.run.stop is not None):
            state = "taken up"
        else:
            state = "too late" if is_late else "waiting"
        url = event.data.get("url", "")
        about = event.data.get("text") or _name_source(url, shown.run)
        commands.append(CommandState(event.at, do, about, state, url))
    return tuple(commands)


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


# -- the gate ------------------------------------------------------------------


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
        short = self.mode.min_sources_short_report
        full = self.mode.min_sources_full_report
        counted = self.kept - self.copies
        copies = ""
        if self.copies:
            which = "are copies of others and do"
            if self.copies == 1:
                which = "is a copy of another and does"
            copies = f"{self.copies} of those kept {which} not count: "
        if counted >= full:
            return f"{copies}enough for a full report."
        if counted >= short:
            return f"{copies}enough for a short report; {full - counted} more for a full one."
        return f"{copies}not enough; {short - counted} more for a short report."


def build_gate_outlook(shown: Reading) -> GateOutlook:
    """Return how the gate of a run stands now, under its own settings."""
    sources = reading.list_sources(shown)
    statuses = [source.status for source in sources]
    outlook = GateOutlook(
        kept=statuses.count("kept"),
        dropped=statuses.count("dropped"),
        coming=statuses.count("reading") + statuses.count("judging"),
        mode=shown.run.mode,
        copies=sum(source.status == "kept" and bool(source.copy_of) for source in sources),
    )
    gated = shown.run.gated
    if not gated:
        return outlook
    return replace(
        outlook,
        decision=gated["decision"],
        rationale=gated["rationale"],
        reason=gated["reason"],
    )


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
    counts = dict.fromkeys(range(6), 0)
    for source in list_read_sources(shown):
        if source.relevance and source.status in ("kept", "dropped"):
            counts[_get_score(source)] += 1
    return counts


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
    found = []
    for source in sources:
        if statuses and source.status not in statuses:
            continue
        if scores and _get_score(source) not in scores:
            continue
        found.append(source)
    return tuple(sorted(found, key=_ORDERS[order]))


def _get_score(source: ReportSource) -> int:
    return source.relevance.score if source.relevance and source.relevance.scored else 0


# -- its sources ---------------------------------------------------------------


def list_by_arrival(shown: Reading) -> tuple[ReportSource, ...]:
    """Return all sources in an order that news changes little: admitted ones, then by discovery."""
    found: dict[str, int] = {}
    admitted: dict[str, int] = {}
    for event in shown.events:
        if event.kind == "found":
            found.setdefault(event.data["url"], event.seq)
        elif event.kind == "admitted":
            admitted.setdefault(event.data["url"], event.seq)
    last = shown.seq + 1

    def rank(source: ReportSource) -> tuple[int, int, str]:
        return admitted.get(source.url, last), found.get(source.url, last), source.url

    return tuple(sorted(reading.list_sources(shown), key=rank))


# -- its text ------------------------------------------------------------------


def parse_written_so_far(shown: Reading) -> tuple[Block, ...]:
    """Return the text written so far as blocks, nothing before the writer begins."""
    if shown.run.written:
        return draft.parse(shown.run.written["text"])
    return draft.parse(reading.join_written_so_far(shown))


# -- what happens --------------------------------------------------------------

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
    run = shown.run
    heeded = _find_heeded_commands(shown)
    for event in reversed(drop_voided(shown.events)):
        topic = _TOPIC_OF.get(event.kind, "")
        if not topic or (topics and topic not in topics):
            continue
        if event.seq in heeded:
            # The decision on the command is news of its own.
            continue
        name = _name_source(event.data.get("url", ""), run)
        for text in event_text.describe_news(event.kind, event.data, name):
            yield News(event.at, max(0.0, event.at - run.created), topic, text)


def _name_source(url: str, run: RunView) -> str:
    source = run.sources.get(url)
    title = ""
    if source is not None:
        titles = (source.title, *(listing.title for listing in source.listings))
        title = next(filter(None, titles), "")
    return event_text.format_source_name(url, title, provenance.name_site(url))
