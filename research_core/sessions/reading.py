"""Read a stored session for a screen: progress, text, sources and citations.

All functions are pure readings of the log, except those that take an office and read the store.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from research_core.decisions import gate as decide
from research_core.decisions.gate import Gate
from research_core.decisions.view import RunView, fold_events
from research_core.journal import redaction
from research_core.journal.events import VISIBLE_KINDS, Event, drop_voided
from research_core.journal.store import Store
from research_core.model_messages import Json
from research_core.models import HttpReply, Passage, Principal, Report, ReportSource, Sentence
from research_core.pipeline import report
from research_core.sessions import runner
from research_core.sessions.progress import DEEP_STEPS, STEPS
from research_core.sessions.runner import SessionInfo
from research_core.urls import canonical_url, find_host
from research_core.web.documents.warc import Capture
from research_core.wiring import LOCAL_USER, Resources, open_log


@dataclass(frozen=True)
class Reading:
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
        """True if more will come without anybody acting."""
        return self.info.status in ("queued", "running")

    @cached_property
    def gate(self) -> Gate:
        """The gate's decision, or what it would decide now."""
        return decide.decide_gate(self.run)

    @cached_property
    def sources(self) -> tuple[ReportSource, ...]:
        """Every source, the kept ones first, by number.

        While the run is at work and before the gate, an unjudged source is waiting | reading |
        judging; otherwise the status is `decide.Verdict.status`.
        """
        return mark_pending_sources(self, report.list_sources(self.run, self.gate))

    @property
    def failure(self) -> tuple[str, str]:
        """The error of the last attempt and the next step, both "" unless it failed."""
        if self.info.status != "failed":
            return "", ""
        for event in reversed(self.events):
            if event.kind == "failed":
                return event.data["error"], event.data["next_step"]
        return "", ""


def read_session(
    office: Resources, session: str, *, who: Principal = LOCAL_USER, before: Reading | None = None
) -> Reading:
    """Read a session; return `before` itself if nothing changed since.

    Raises UsageError if there is no such session.
    """
    info = runner.read_session_info(office, session, who=who)
    known = before if before and before.session == session else Reading(info)
    new = Store(office.db, who, session).read(known.seq, kinds=VISIBLE_KINDS)
    if not new:
        return known if _is_unchanged(info, known.info) else replace(known, info=info)
    events = (*known.events, *new)
    # While a report is written, deltas come several times a second. The fold ignores them.
    if all(event.kind == "delta" for event in new):
        return Reading(info, events, known.run)
    return Reading(info, events, fold_events(drop_voided(events)))


def _is_unchanged(info: SessionInfo, other: SessionInfo) -> bool:
    """True if at most the update time differs, which invisible calls change too."""
    return info.status == other.status and replace(info.row, updated=other.row.updated) == other.row


def read_page_text(office: Resources, page: str, *, who: Principal = LOCAL_USER) -> str:
    """Return the stored text of a page by its hash, "" if it is not stored."""
    try:
        return Store(office.db, who, "").blob(page).decode("utf-8", "surrogatepass")
    except KeyError:
        return ""


def iterate_captures(
    office: Resources, session: str, *, who: Principal = LOCAL_USER
) -> Iterator[Capture]:
    """Yield what the web answered for this session's pages, refusals included, in log order.

    Answers of services that were asked for a page instead name the page in their notes. Pages from
    a library or an earlier session, searches and look-ups are not included. Redacted parts and
    signatures of addresses are missing.
    """
    log = open_log(office, who, session)
    pages = {event.data["url"] for event in log.read(kinds=("fetch",))}
    for event in sorted(log.answers().values(), key=lambda event: event.seq):
        kind = event.data["kind"]
        value = event.data.get("value")
        about = event.data["about"]
        if not value or kind not in ("http", "browser"):
            continue
        page = about.get("page") or _find_requested_address(kind, value, about)
        if page not in pages:
            continue
        value = log.open(value)
        body = value["body"] if kind == "http" else value["html"].encode("utf-8", "replace")
        hops = tuple(value.get("hops", ()))
        reply = HttpReply(value["url"], value["status"], value["headers"], body, hops)
        at = event.at - about.get("age", 0)
        if "page" in about:
            yield _build_service_capture(reply, at, about)
        else:
            yield Capture(reply.url, at, reply, drawn=kind == "browser")


def _build_service_capture(reply: HttpReply, at: float, about: Json) -> Capture:
    """Build the capture of a service's answer, without personal parts of its address."""
    url = redaction.strip_signature(reply.url)
    hops = tuple(map(redaction.strip_signature, reply.hops))
    notes = {"page": about["page"]}
    method = about["what"].partition(" ")[0]
    if method != "GET":
        notes["method"] = method
    return Capture(url, at, replace(reply, url=url, hops=hops), notes)


def _find_requested_address(kind: str, value: Json, about: Json) -> str:
    """Return the canonical address that was asked for; for an archive copy, that of the page."""
    if kind == "browser":
        url = about["what"].partition(" ")[0]
    else:
        url = (*value["hops"], value["url"])[0]
    try:
        if find_host(url) == "web.archive.org":
            url = url.partition("id_/")[2]
        return canonical_url(url)
    except ValueError:
        return ""


# -- how far it is -------------------------------------------------------------


@dataclass(frozen=True)
class Stage:
    """One step of the progress line.

    state: done | now | halted | to come; figures: (count, unit) in the order of the funnel.
    """

    name: str
    state: str
    figures: tuple[tuple[int | str, str], ...]


def list_stages(reading: Reading) -> tuple[Stage, ...]:
    """Return the steps of a run with figures; search, read and judge may all be active."""
    figures = _count_stage_figures(reading)
    done, begun = _find_progress(reading.run)
    stages = []
    for name in DEEP_STEPS if reading.run.settings.mode == "deep" else STEPS:
        if name in done:
            state = "done"
        elif name in begun:
            state = "now" if reading.at_work else "halted"
        else:
            state = "to come"
        stages.append(Stage(name, state, figures[name]))
    return tuple(stages)


def _count_stage_figures(reading: Reading) -> dict[str, tuple[tuple[int | str, str], ...]]:
    """Return the (count, unit) pairs of each step by its name."""
    run = reading.run
    count = report.count_funnel(run, reading.gate)
    written: tuple[tuple[int | str, str], ...] = ()
    if _ended_without_report(run):
        written = (("no", "report"),)
    elif run.verified:
        written = ((_count_cited_sentences(run), "cited sentences"),)
    return {
        "Plan": ((len(run.queries), "queries"),),
        "Search": ((count["found"], "found"), (count["eligible"], "eligible")),
        "Read": ((count["fetched"], "fetched"),),
        "Look for gaps": ((len(run.gaps), "gaps"),),
        "Judge": ((count["judged"], "judged"),),
        "Gate": ((count["kept"], "kept"),) if run.gated else (),
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
    """True if the run ended with the reason why there is no report."""
    return run.report is not None and run.report["decision"] == "insufficient_data"


def _count_cited_sentences(run: RunView) -> int:
    blocks = run.verified["blocks"] if run.verified else ()
    return sum(bool(sentence["citations"]) for block in blocks for sentence in block["sentences"])


def join_written_so_far(reading: Reading) -> str:
    """Return the text while it is being written; "" before and afterwards."""
    if reading.run.written:
        return ""
    text = ""
    for event in drop_voided(reading.events):
        if event.kind == "delta" and event.data["of"] == "write":
            # A new attempt starts at 0 again.
            text = text[: event.data["start"]] + event.data["text"]
    return text


# -- its sources ---------------------------------------------------------------


def list_sources(reading: Reading) -> tuple[ReportSource, ...]:
    """Return every source, as `Reading.sources` does."""
    return reading.sources


def mark_pending_sources(
    reading: Reading, found: Sequence[ReportSource]
) -> tuple[ReportSource, ...]:
    """Mark sources that are still awaited before the gate, instead of "not read".

    found: sources of this session, decided under any settings.
    """
    if reading.run.gated is not None:
        return tuple(found)
    sources = []
    for source in found:
        if source.status == "not_read":
            source = _mark_pending(source, reading)
        sources.append(source)
    return tuple(sources)


def _mark_pending(source: ReportSource, reading: Reading) -> ReportSource:
    if not reading.at_work:
        return replace(source, reason="not read: the run ended before")
    view = reading.run.sources[source.url]
    if view.read:
        return replace(source, status="judging", reason="")
    if view.admitted:
        return replace(source, status="reading", reason="")
    return replace(source, status="waiting", reason="")


# -- its report ----------------------------------------------------------------


@dataclass(frozen=True)
class SourceCitation:
    """One cited source of a sentence.

    number: from 1 in reading order; place: of the sentence in the text, from 0.
    """

    number: int
    place: int
    sentence: Sentence
    source: ReportSource
    passages: tuple[Passage, ...]


def list_citations(built: Report) -> tuple[SourceCitation, ...]:
    """Return every citation of the text, one for each source of a sentence."""
    # Of two sources with the same passage the first counts.
    origin: dict[str, tuple[ReportSource, Passage]] = {}
    source_of: dict[int, ReportSource] = {}
    for source in reversed(built.sources):
        if source.number:
            source_of[source.number] = source
            origin |= {passage.id: (source, passage) for passage in source.passages}
    citations: list[SourceCitation] = []
    for place, sentence in enumerate(_list_sentences(built)):
        by_source: dict[int, list[Passage]] = {}
        for name in sentence.citations:
            if name in origin:
                source, passage = origin[name]
                by_source.setdefault(source.number, []).append(passage)
        for number, passages in by_source.items():
            citations.append(
                SourceCitation(
                    len(citations) + 1, place, sentence, source_of[number], tuple(passages)
                )
            )
    return tuple(citations)


def _list_sentences(built: Report) -> list[Sentence]:
    return [sentence for block in built.blocks for sentence in block.sentences]


def pair_sentences_with_citations(
    built: Report, found: Sequence[SourceCitation]
) -> Iterator[tuple[Sentence, tuple[SourceCitation, ...]]]:
    """Yield each sentence of the text in order with its own citations."""
    at_place: dict[int, list[SourceCitation]] = {}
    for citation in found:
        at_place.setdefault(citation.place, []).append(citation)
    for place, sentence in enumerate(_list_sentences(built)):
        yield sentence, tuple(at_place.get(place, ()))


@dataclass(frozen=True)
class Excerpt:
    """A passage in its page, verbatim.

    Pieces are (text, whether it is part of the passage, whether it is the sentence itself).
    """

    pieces: tuple[tuple[str, bool, bool], ...]


def build_excerpt(page: str, passage: Passage, sentence: str = "", *, around: int = 400) -> Excerpt:
    """Return the passage with about `around` characters of its page on either side.

    The sentence is marked if the passage contains it literally.
    """
    start, end = passage.start, passage.end
    if page[start:end] != passage.text:
        start, end = 0, 0
    before = page[max(0, start - around) : start]
    if start > around:
        before = "…" + _trim_to_word_start(page, start - around, before)
    after = page[end : end + around] if end else ""
    if end and end + around < len(page):
        after = _trim_to_word_end(page, end + around, after) + "…"
    first, last = _find_literal_span(sentence, passage.text)
    pieces = (
        (before, False, False),
        (passage.text[:first], True, False),
        (passage.text[first:last], True, True),
        (passage.text[last:], True, False),
        (after, False, False),
    )
    return Excerpt(tuple(piece for piece in pieces if piece[0]))


def _trim_to_word_start(page: str, at: int, text: str) -> str:
    """Drop the cut-off first word, or the cut-off first row inside a table."""
    if _is_table_row(page, at):
        return "\n" + text.partition("\n")[2]
    return text.partition(" ")[2]


def _trim_to_word_end(page: str, at: int, text: str) -> str:
    if _is_table_row(page, at):
        return text.rpartition("\n")[0] + "\n"
    return text.rpartition(" ")[0]


def _is_table_row(page: str, at: int) -> bool:
    return page.startswith("|", page.rfind("\n", max(0, at - 2_000), at) + 1)


def _find_literal_span(sentence: str, text: str) -> tuple[int, int]:
    """Return the span of the sentence in the text, ignoring white space; (0, 0) if absent."""
    words = [re.escape(word) for word in sentence.split()]
    if not words:
        return 0, 0
    found = re.search(r"\s+".join(words), text)
    return found.span() if found else (0, 0)


@dataclass(frozen=True)
class PassagePosition:
    """The position of a passage.

    nth of count: among the passages of its source, in page order; share: 0.0-1.0 of the page before
    it.
    """

    nth: int
    count: int
    share: float


def find_passage_position(source: ReportSource, passage: Passage, page: str) -> PassagePosition:
    """Return the position of a passage in its stored page; share is 0 if it is not stored."""
    starts = sorted(each.start for each in source.passages)
    share = passage.start / len(page) if page else 0.0
    return PassagePosition(starts.index(passage.start) + 1, len(starts), share)
