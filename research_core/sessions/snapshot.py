"""Read a session as its log stands after an event: sources, gate, progress, commands and text.

Every screen shows a `Snapshot`. All functions are pure readings of one, except `read_session` and
`read_page_text`, which read the store. A snapshot of an earlier point (`rewind_to`) is read in the
same way, over fewer events.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from research_core.decisions import gate as decide
from research_core.decisions import report_sources
from research_core.decisions.gate import Gate
from research_core.decisions.view import RunView, fold_events
from research_core.i18n import _, ngettext
from research_core.journal.events import VISIBLE_KINDS, Event, drop_voided
from research_core.journal.store import Store
from research_core.model_messages import REPORT_KINDS
from research_core.models import Block, Principal, ReportSource
from research_core.modes import ResearchMode
from research_core.pipeline import draft
from research_core.policy import RunSettings
from research_core.sessions import event_text, session_status
from research_core.sessions.session_status import SessionInfo
from research_core.trust import provenance
from research_core.wiring import LOCAL_USER, Resources


@dataclass(frozen=True)
class Snapshot:
    """A session read up to an event.

    events: all except calls, in commit order; run: the fold of those in force.
    """

    info: SessionInfo
    events: tuple[Event, ...] = ()
    run: RunView = RunView()

    @property
    def session(self) -> str:
        return self.info.row.id

    @property
    def seq(self) -> int:
        return self.events[-1].seq if self.events else 0

    @property
    def at_work(self) -> bool:
        """Return True if more will come without anybody acting."""
        return self.info.status in ("queued", "running")

    @cached_property
    def gate(self) -> Gate:
        """The recorded decision of the gate, or what it would decide now."""
        return decide.read_gate(self.run)

    @cached_property
    def sources(self) -> tuple[ReportSource, ...]:
        """Every source, the kept ones first, by number.

        While the run is at work and before the gate, an unjudged source is waiting | reading |
        judging; otherwise the status is `gate.Verdict.status`.
        """
        return mark_pending_sources(self, report_sources.list_sources(self.run, self.gate))

    @property
    def failed_role(self) -> str:
        """The role whose model ended the last attempt: model | writer | judge; "" for none."""
        failed = [event.data for event in self.events if event.kind == "failed"]
        if self.info.status != "failed" or not failed:
            return ""
        is_of_model = failed[-1]["type"] in ("ModelError", "ModelRefused", "SynthesisError")
        return str(failed[-1].get("role", "model")) if is_of_model else ""

    @property
    def failure(self) -> tuple[str, str]:
        """The error of the last attempt and the next step, both "" unless it failed."""
        if self.info.status != "failed":
            return "", ""
        for event in reversed(self.events):
            if event.kind == "failed":
                return event.data["error"], event.data["next_step"]
        return "", ""


def find_rate_limit_wait(snapshot: Snapshot, now: float) -> float:
    """Return the seconds until a run whose model is rate limited continues, 0 for none.

    now: seconds since the epoch.
    """
    if not snapshot.at_work:
        return 0.0
    left_s = 0.0
    for event in snapshot.events:
        if event.kind == "waiting":
            left_s = max(left_s, event.at + event.data["seconds"] - now)
    return left_s


def read_session(
    resources: Resources,
    session: str,
    *,
    who: Principal = LOCAL_USER,
    before: Snapshot | None = None,
) -> Snapshot:
    """Read a session; return `before` itself if nothing changed since.

    Raises UsageError if there is no such session.
    """
    info = session_status.read_session_info(resources, session, who=who)
    known = before if before and before.session == session else Snapshot(info)
    new = Store(resources.db, who, session).read(known.seq, kinds=VISIBLE_KINDS)
    if not new:
        return known if _is_unchanged(info, known.info) else replace(known, info=info)
    events = (*known.events, *new)
    # While a report is written, deltas come several times a second. The fold ignores them.
    if all(event.kind == "delta" for event in new):
        return Snapshot(info, events, known.run)
    return Snapshot(info, events, fold_events(drop_voided(events)))


def _is_unchanged(info: SessionInfo, other: SessionInfo) -> bool:
    """Return True if at most the update time differs, which invisible calls change too."""
    return info.status == other.status and replace(info.row, updated=other.row.updated) == other.row


def rewind_to(snapshot: Snapshot, seq: int) -> Snapshot:
    """Return the session as it was after event number `seq`."""
    count = bisect_right(snapshot.events, seq, key=lambda event: event.seq)
    events = snapshot.events[:count]
    if len(events) == len(snapshot.events):
        return snapshot
    status, decision = _find_status(events)
    row = replace(snapshot.info.row, decision=decision)
    return Snapshot(
        replace(snapshot.info, row=row, status=status), events, fold_events(drop_voided(events))
    )


def _find_status(events: Sequence[Event]) -> tuple[str, str]:
    """Return the status and decision of a session that has only these events."""
    if not events or events[-1].kind == "queued":
        return "queued", ""
    last = events[-1]
    if last.kind == "failed":
        return "failed", ""
    if last.kind == "finished":
        return last.data["outcome"], last.data.get("decision", "")
    return "running", ""


def read_settings(snapshot: Snapshot) -> RunSettings:
    """Return the settings the session was asked with, also before it began."""
    return RunSettings.from_json(snapshot.info.row.settings)


def read_page_text(resources: Resources, page: str, *, who: Principal = LOCAL_USER) -> str:
    """Return the stored text of a page by its hash, "" if it is not stored."""
    try:
        return Store(resources.db, who, "").blob(page).decode("utf-8", "surrogatepass")
    except KeyError:
        return ""


# -- its sources ----------------------------------------------------------------


def mark_pending_sources(
    snapshot: Snapshot, found: Sequence[ReportSource]
) -> tuple[ReportSource, ...]:
    """Mark sources that are still awaited before the gate, instead of "not read".

    found: sources of this session, decided under any settings.
    """
    if snapshot.run.gated is not None:
        return tuple(found)
    sources = []
    for source in found:
        if source.status == "not_read":
            source = _mark_pending(source, snapshot)
        sources.append(source)
    return tuple(sources)


def _mark_pending(source: ReportSource, snapshot: Snapshot) -> ReportSource:
    view = snapshot.run.sources[source.url]
    if not snapshot.at_work:
        step = "read, not judged" if view.read else "not read"
        return replace(source, reason=f"{step}: the run ended before")
    if view.read:
        return replace(source, status="judging", reason="")
    if view.admitted:
        return replace(source, status="reading", reason="")
    return replace(source, status="waiting", reason="")


def list_by_arrival(snapshot: Snapshot) -> tuple[ReportSource, ...]:
    """Return all sources in an order that news changes little: admitted ones, then by discovery."""
    found: dict[str, int] = {}
    admitted: dict[str, int] = {}
    for event in snapshot.events:
        if event.kind == "found":
            found.setdefault(event.data["url"], event.seq)
        elif event.kind == "admitted":
            admitted.setdefault(event.data["url"], event.seq)
    last = snapshot.seq + 1

    def rank(source: ReportSource) -> tuple[int, int, str]:
        return admitted.get(source.url, last), found.get(source.url, last), source.url

    return tuple(sorted(snapshot.sources, key=rank))


def list_read_sources(snapshot: Snapshot) -> tuple[ReportSource, ...]:
    """Return the sources that were read in the gate's order; unjudged ones come last."""
    read = [
        source
        for source in snapshot.sources
        if source.relevance or snapshot.run.sources[source.url].read
    ]
    return tuple(sorted(read, key=lambda source: source.relevance is None))


def count_scores(snapshot: Snapshot) -> dict[int, int]:
    """Count the sources at the gate by score, 1 to 5 and 0 for unscored."""
    counts = dict.fromkeys(range(6), 0)
    for source in list_read_sources(snapshot):
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


def name_source(url: str, run: RunView) -> str:
    """Name a source by the title of its page, else of its first listing, and by its site."""
    source = run.sources.get(url)
    title = ""
    if source is not None:
        titles = (source.title, *(listing.title for listing in source.listings))
        title = next(filter(None, titles), "")
    return event_text.format_source_name(url, title, provenance.name_site(url))


# -- how far it is --------------------------------------------------------------


class StageFigure(NamedTuple):
    """A figure of a step, with its unit, and what the unit means where that is not plain."""

    number: int | str
    unit: str
    help: str = ""


@dataclass(frozen=True)
class Stage:
    """One step of the progress line.

    state: done | now | halted | to come; figures: in the order of the funnel.
    """

    name: str
    state: str
    figures: tuple[StageFigure, ...]


def list_stages(snapshot: Snapshot) -> tuple[Stage, ...]:
    """Return the steps of a run with figures; search, read and judge may all be active."""
    figures = _count_stage_figures(snapshot)
    done, begun = _find_progress(snapshot.run)
    stages = []
    settings = read_settings(snapshot)
    for name in event_text.list_step_names(settings.mode):
        if name == "Gate" and settings.checks_report:
            continue
        if name in done:
            state = "done"
        elif name in begun:
            state = "now" if snapshot.at_work else "halted"
        else:
            state = "to come"
        stages.append(Stage(name, state, figures[name]))
    return tuple(stages)


def _count_stage_figures(snapshot: Snapshot) -> dict[str, tuple[StageFigure, ...]]:
    """Return the figures of each step by its name."""
    run = snapshot.run
    count = report_sources.count_funnel(run, snapshot.gate)
    written: tuple[StageFigure, ...] = ()
    if _ended_without_report(run):
        written = (StageFigure("–", _("no report")),)
    elif run.verified:
        cited = _count_cited_sentences(run)
        written = (StageFigure(cited, ngettext("cited sentence", "cited sentences", cited)),)
    queries, gaps = len(run.queries), len(run.gaps)
    eligible = _("More credible than the minimum, or your own")
    return {
        # A plan that waits for approval has queries that the run does not know yet.
        "Plan": (StageFigure(queries, ngettext("query", "queries", queries)),) if queries else (),
        "Search": (
            StageFigure(count["found"], _("found")),
            StageFigure(count["eligible"], _("eligible"), eligible),
        ),
        "Read": (StageFigure(count["fetched"], _("read")),),
        "Look for gaps": (StageFigure(gaps, ngettext("gap", "gaps", gaps)),),
        "Judge": (StageFigure(count["judged"], _("judged")),),
        "Gate": (StageFigure(count["kept"], _("kept")),) if run.gated else (),
        "Write": written,
    }


def _find_progress(run: RunView) -> tuple[set[str], set[str]]:
    """Return the steps that are done and those that have begun."""
    if run.gated is not None:
        done = {"Plan", "Search", "Read", "Look for gaps", "Judge", "Gate"}
        if run.report is not None and not _ended_without_report(run):
            done.add("Write")
        return done, {*done, "Write"}
    sources = run.sources.values()
    begun = set()
    if run.question:
        begun.add("Plan")
    if run.outcomes:
        begun.add("Search")
    if any(source.admitted for source in sources):
        begun.add("Read")
    if run.gaps:
        begun.add("Look for gaps")
    if any(source.judgement for source in sources):
        begun.add("Judge")
    return ({"Plan"} if run.plan else set()), begun


def _ended_without_report(run: RunView) -> bool:
    """Return True if the run ended with the reason why there is no report."""
    return run.report is not None and run.report["decision"] == "insufficient_data"


def _count_cited_sentences(run: RunView) -> int:
    return sum(bool(sentence.citations) for block in run.blocks for sentence in block.sentences)


# -- the gate so far ------------------------------------------------------------


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
        if counted >= full:
            return _("Enough for a full report.")
        if counted >= short:
            return _("Enough for a short report. A full one needs {count} more.").format(
                count=full - counted
            )
        return _("Not enough yet. A short report needs {count} more.").format(count=short - counted)


def build_gate_outlook(snapshot: Snapshot) -> GateOutlook:
    """Return how the gate of a run stands now, under its own settings."""
    sources = snapshot.sources
    statuses = [source.status for source in sources]
    outlook = GateOutlook(
        kept=statuses.count("kept"),
        dropped=statuses.count("dropped"),
        coming=statuses.count("reading") + statuses.count("judging"),
        mode=replace(snapshot.run, settings=read_settings(snapshot)).mode,
        copies=sum(source.status == "kept" and bool(source.copy_of) for source in sources),
    )
    gated = snapshot.run.gated
    if not gated:
        return outlook
    return replace(
        outlook,
        decision=gated["decision"],
        rationale=gated["rationale"],
        reason=gated["reason"],
    )


# -- what was asked of it -------------------------------------------------------


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


def list_commands(snapshot: Snapshot) -> tuple[CommandState, ...]:
    """Return the commands in order.

    A run takes commands between two answers, and only a cancel once it is at the gate.
    """
    accepted = find_accepted_commands(snapshot)
    is_late = snapshot.run.gated is not None or not snapshot.at_work
    commands = []
    for event in snapshot.events:
        if event.kind != "command":
            continue
        do = event.data["do"]
        if event.seq in accepted or (do == "stop" and snapshot.run.stop is not None):
            state = "taken up"
        else:
            state = "too late" if is_late else "waiting"
        url = event.data.get("url", "")
        about = event.data.get("text") or name_source(url, snapshot.run)
        commands.append(CommandState(event.at, do, about, state, url))
    return tuple(commands)


def find_accepted_commands(snapshot: Snapshot) -> set[int]:
    """Return the sequence numbers of the commands that the run acted on."""
    return {
        event.data["command"]
        for event in snapshot.events
        if event.kind == "decide" and "command" in event.data
    }


def is_stopping(snapshot: Snapshot) -> bool:
    """Return True if the analyst asked the run to stop and write."""
    return any(event.kind == "command" and event.data["do"] == "stop" for event in snapshot.events)


# -- its text, while it is written ----------------------------------------------


def parse_written_so_far(snapshot: Snapshot) -> tuple[Block, ...]:
    """Return the text written so far as blocks, nothing before the writer begins."""
    if snapshot.run.written:
        return draft.parse(snapshot.run.written["text"], snapshot.run.rules)
    return draft.parse(join_written_so_far(snapshot), snapshot.run.rules)


def join_written_so_far(snapshot: Snapshot) -> str:
    """Return the text while it is being written; "" before and afterwards."""
    if snapshot.run.written:
        return ""
    texts: dict[str, dict[str, str]] = {}
    attempts: dict[str, int] = {}
    for event in drop_voided(snapshot.events):
        if event.kind != "delta" or event.data["of"] not in REPORT_KINDS:
            continue
        # Sections are written at the same time. A later attempt replaces an earlier one of its
        # part; another call of one attempt continues its text. A whole text starts at 0 again.
        kind, call = event.data["of"], event.data["call"]
        part = f"{kind} {event.data.get('part', call if kind == 'write_section' else '')}"
        if kind == "write":
            call = ""
        attempt = event.data.get("attempt", 1)
        if attempts.setdefault(part, attempt) < attempt:
            attempts[part], texts[part] = attempt, {}
        pieces = texts.setdefault(part, {})
        pieces[call] = pieces.get(call, "")[: event.data["start"]] + event.data["text"]
    return "\n\n".join(text for pieces in texts.values() for text in pieces.values())
