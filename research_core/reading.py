"""A stored session as a screen shows it: how far it is, what it said, its sources as they stand, the citations of its report.

Pure readings of the log, apart from the two functions that take an office and read the store. Nothing here decides, writes or draws.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from research_core import decide, report, runner
from research_core.decide import RunView
from research_core.events import CALL_KINDS, KINDS, Event, in_force
from research_core.models import Passage, Principal, Report, ReportSource, Sentence
from research_core.progress import DEEP_STEPS, STEPS, Teller
from research_core.runner import SessionInfo
from research_core.store import Store
from research_core.urls import host
from research_core.wiring import LOCAL, Office

#: What the outside said is large and no screen shows it; only that a call was voided changes what counts.
SHOWN = tuple(kind for kind in KINDS if kind not in CALL_KINDS or kind == "voided")


@dataclass(frozen=True)
class Reading:
    """A session read up to an event. events: all but the calls, in commit order; run: the fold of those in force; seq: of the last one."""

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
        """Whether more is to come without anybody doing anything."""
        return self.info.status in ("queued", "running")

    @property
    def failure(self) -> tuple[str, str]:
        """What ended the last attempt and the next step, both "" unless it failed."""
        failed = [event.data for event in self.events if event.kind == "failed"] if self.info.status == "failed" else []
        return (failed[-1]["error"], failed[-1]["next_step"]) if failed else ("", "")


def read(office: Office, session: str, *, who: Principal = LOCAL, before: Reading | None = None) -> Reading:
    """The session as it stands; `before` itself when nothing moved since that reading. Raises UsageError when there is no such session."""
    info = runner.session_info(office, session, who=who)
    known = before if before and before.session == session else Reading(info)
    new = Store(office.db, who, session).read(known.seq, kinds=SHOWN)
    if not new and known is before and info.status == known.info.status:
        return known
    events = (*known.events, *new)
    return Reading(info, events, decide.fold(in_force(events)) if new else known.run)


def page_text(office: Office, page: str, *, who: Principal = LOCAL) -> str:
    """The stored text of a page by its hash, "" when it is not stored."""
    try:
        return Store(office.db, who, "").blob(page).decode("utf-8", "surrogatepass")
    except KeyError:
        return ""


# -- how far it is ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Stage:
    """One step of the line. state: done | now | halted | to come; figures: (how many, of what), in the order of the funnel."""

    name: str
    state: str
    figures: tuple[tuple[int, str], ...]


def stages(reading: Reading) -> tuple[Stage, ...]:
    """The steps of a run with the funnel's figures. Search, read and judge run side by side, so all three can be at it."""
    run = reading.run
    count = report.funnel(run, decide.gate(run))
    figures: dict[str, tuple[tuple[int, str], ...]] = {
        "Plan": ((len(run.queries), "queries"),),
        "Search": ((count["found"], "found"), (count["eligible"], "eligible")),
        "Read": ((count["fetched"], "fetched"),),
        "Look for gaps": ((len(run.gaps), "gaps"),),
        "Judge": ((count["judged"], "judged"),),
        "Gate": ((count["kept"], "kept"),) if run.gated else (),
        "Write": ((_cited_sentences(run), "cited sentences"),) if run.verified else (),
    }
    done, begun = _progress(run)
    steps = DEEP_STEPS if run.settings.mode == "deep" else STEPS
    under_way = "now" if reading.at_work else "halted"
    return tuple(Stage(name, "done" if name in done else under_way if name in begun else "to come", figures[name]) for name in steps)


def _progress(run: RunView) -> tuple[set[str], set[str]]:
    """Which steps are done, and which have begun."""
    gathered = run.gated is not None
    tests = (
        ("Plan", bool(run.plan) or gathered, bool(run.question)),
        ("Search", gathered, bool(run.outcomes)),
        ("Read", gathered, any(source.admitted for source in run.sources.values())),
        ("Look for gaps", gathered, bool(run.gaps)),
        ("Judge", gathered, any(source.judgement for source in run.sources.values())),
        ("Gate", gathered, gathered),
        ("Write", run.report is not None, gathered),
    )
    return {name for name, is_done, _ in tests if is_done}, {name for name, _, has_begun in tests if has_begun}


def _cited_sentences(run: RunView) -> int:
    blocks = run.verified["blocks"] if run.verified else ()
    return sum(bool(sentence["citations"]) for block in blocks for sentence in block["sentences"])


@dataclass(frozen=True)
class Line:
    """One line of what a run said. after: seconds since it began; heading: the name of a step."""

    after: float
    text: str
    heading: bool


def lines(reading: Reading) -> tuple[Line, ...]:
    """The events in plain words, oldest first, as the command line prints them."""
    said: list[str] = []
    teller, told = Teller(reading.run.settings.mode, said.append), []
    for event in in_force(reading.events):
        teller(event)
        told += [Line(event.at - reading.run.created, line.strip(), not line.startswith(" ")) for line in said]
        said.clear()
    return tuple(told)


# -- its sources -----------------------------------------------------------------------------------------------------------


def sources(reading: Reading) -> tuple[ReportSource, ...]:
    """Every source as it stands: kept ones first, by number. Before the gate one that is not judged yet is waiting | reading | judging

    while the run is at work; otherwise the status is `decide.Verdict.status`.
    """
    run = reading.run
    found = report.sources(run, decide.gate(run))
    if run.gated is not None:
        return found
    return tuple(_so_far(source, run, reading.at_work) if source.status == "not_read" else source for source in found)


def _so_far(source: ReportSource, run: RunView, at_work: bool) -> ReportSource:
    view = run.sources[source.url]
    if not at_work:
        return replace(source, reason="not read: the run ended before")
    return replace(source, status="judging" if view.read else "reading" if view.admitted else "waiting", reason="")


def site(url: str) -> str:
    """Where a source is from, in a word."""
    try:
        return host(url) or "own document"
    except ValueError:
        return "no web address"


# -- its report ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cited:
    """One citation: a sentence and one of the sources it cites. number: 1.. in reading order; place: of the sentence, 0.. in the text."""

    number: int
    place: int
    sentence: Sentence
    source: ReportSource
    passages: tuple[Passage, ...]


def citations(built: Report) -> tuple[Cited, ...]:
    """Every citation of the text, one for each source of a sentence."""
    return tuple(replace(cited, number=number) for number, cited in enumerate(_citations(built), 1))


def _citations(built: Report) -> Iterator[Cited]:
    origin = {passage.id: (source, passage) for source in reversed(built.sources) if source.number for passage in source.passages}
    for place, sentence in enumerate(sentence for block in built.blocks for sentence in block.sentences):
        by_source: dict[int, list[Passage]] = {}
        for source, passage in (origin[name] for name in sentence.citations if name in origin):
            by_source.setdefault(source.number, []).append(passage)
        for number, passages in by_source.items():
            yield Cited(0, place, sentence, next(s for s in built.sources if s.number == number), tuple(passages))


@dataclass(frozen=True)
class Excerpt:
    """A passage in its page, verbatim, in pieces: (text, whether it is of the passage, whether it is the sentence itself)."""

    pieces: tuple[tuple[str, bool, bool], ...]


def excerpt(page: str, passage: Passage, sentence: str = "", *, around: int = 400) -> Excerpt:
    """The passage with about so many characters of its page on either side; the sentence inside it marked where it stands literally."""
    start, end = (passage.start, passage.end) if page[passage.start : passage.end] == passage.text else (0, 0)
    before, after = page[max(0, start - around) : start], page[end : end + around] if end else ""
    before = "…" + before.partition(" ")[2] if start > around else before
    after = after.rpartition(" ")[0] + "…" if end and end + around < len(page) else after
    quoted = _literally(sentence, passage.text)
    pieces = (
        (before, False, False),
        (passage.text[: quoted[0]], True, False),
        (passage.text[quoted[0] : quoted[1]], True, True),
        (passage.text[quoted[1] :], True, False),
        (after, False, False),
    )
    return Excerpt(tuple(piece for piece in pieces if piece[0]))


def _literally(sentence: str, text: str) -> tuple[int, int]:
    """Where the sentence stands in the text, white space aside; (0, 0) where it does not."""
    words = [re.escape(word) for word in sentence.split()]
    found = re.search(r"\s+".join(words), text) if words else None
    return found.span() if found else (0, 0)
