"""Policy applied to events: fold a log into one view of the run, and decide over that view. Pure.

The pipeline, the report, the pages and what-if all read the same view, so they cannot disagree. The fold depends on which
events there are, never on their order: wherever two events compete, the place of the query in the plan decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from research_core import credibility
from research_core.events import Event, in_force
from research_core.models import Attempt, Decision, Hidden, Judgement, Metadata, Passage, ScoreParts
from research_core.modes import ResearchMode
from research_core.policy import RunSettings
from research_core.question import by_itself
from research_core.reasons import REASONS as REASONS
from research_core.reasons import not_checked as not_checked
from research_core.reasons import not_judged
from research_core.reasons import outcome as outcome
from research_core.urls import is_own, registered_domain


@dataclass(frozen=True)
class Listing:
    """One query's line about a URL. parts: None for an own document, which is not scored."""

    order: int
    rank: int
    title: str
    snippet: str
    engine: str
    parts: ScoreParts | None


@dataclass(frozen=True)
class SourceView:
    """All the log knows of one source. identity: the listing that gives it title, snippet and score."""

    url: str
    listings: tuple[Listing, ...] = ()
    admitted: bool = False
    approved: bool = False
    struck: bool = False
    refused: bool = False  # a fetch was asked for and the threshold refused it
    title: str = ""
    final_url: str = ""
    page: Any = None
    published: str = ""
    failure: str = ""
    kind: str = ""
    metadata: Metadata = Metadata()
    hidden: Hidden = Hidden()
    attempts: tuple[Attempt, ...] = ()
    passages: tuple[Passage, ...] = ()
    summary: str = ""
    judgement: Judgement | None = None
    fetched: float = field(default=0.0, compare=False)  # when, in seconds since the epoch

    @property
    def read(self) -> bool:
        return bool(self.final_url)


@dataclass(frozen=True)
class RunView:
    """A run as its log tells it. queries: {order: {"text", "purpose"}}; outcomes: what each engine said to each query.

    instructions: of the settings and of the analyst while it ran, in order.
    """

    question: str = ""
    settings: RunSettings = field(default_factory=RunSettings)
    session: str = ""
    created: float = 0.0
    plan: Mapping[str, Any] | None = None
    queries: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    outcomes: tuple[Mapping[str, Any], ...] = ()
    sources: Mapping[str, SourceView] = field(default_factory=dict)
    gaps: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    instructions: tuple[str, ...] = ()
    stop: Mapping[str, Any] | None = None
    gated: Mapping[str, Any] | None = None
    written: Mapping[str, Any] | None = None
    verified: Mapping[str, Any] | None = None
    tally: Mapping[str, Any] | None = None
    report: Mapping[str, Any] | None = None
    ended: Mapping[str, Any] | None = None

    @property
    def mode(self) -> ResearchMode:
        s = self.settings
        return ResearchMode.named(s.mode, relevance_cutoff=s.relevance_cutoff, min_full=s.min_full, min_short=s.min_short)

    @property
    def asked(self) -> str:
        """The question as it is searched, scored and judged: a follow-up with what it leans on."""
        return by_itself(self.question, self.settings.follows)


def fold(events: Iterable[Event]) -> RunView:
    """The view of these events. What the analyst's *stop* left out stays out, even if it was recorded a moment later."""
    by_kind: dict[str, list[Event]] = {}
    counted = in_force(_once(events))
    for event in counted:
        by_kind.setdefault(event.kind, []).append(event)
    ends = [event for event in counted if event.kind in ("finished", "failed")]

    def last(kind: str) -> Any:
        return by_kind[kind][-1].data if kind in by_kind else None

    stop = next((e.data for e in by_kind.get("decide", ()) if e.data.get("do") == "stop"), None)
    found = [e.data for e in by_kind.get("found", ()) if _within(stop, "orders", e.data["order"])]
    planned = [e.data for e in by_kind.get("planned", ()) if _within(stop, "parts", e.data["part"])]
    created = by_kind["created"][0] if "created" in by_kind else None
    settings = RunSettings.from_json(created.data["settings"]) if created else RunSettings()
    instructed = (e.data["text"] for e in by_kind.get("decide", ()) if e.data["do"] == "instruct")
    return RunView(
        question=created.data["question"] if created else "",
        settings=settings,
        session=created.data.get("session", "") if created else "",
        created=created.at if created else 0.0,
        plan=next((data for data in planned if data["part"] == "plan"), None),
        queries={q["order"]: q for data in planned for q in data["queries"]},
        outcomes=_outcomes(by_kind, stop),
        sources=_sources(by_kind, found, stop, settings),
        gaps=tuple(gap for data in planned for gap in data.get("gaps", ())),
        facts=tuple(event.data["text"] for event in by_kind.get("fact", ())),
        instructions=(*settings.instructions, *instructed),
        stop=stop,
        gated=last("gated"),
        written=last("written"),
        verified=last("verified"),
        tally=next((e.data for e in by_kind.get("decide", ()) if e.data.get("do") == "tally"), None),
        report=last("report"),
        ended=ends[-1].data if ends else None,
    )


def _once(events: Iterable[Event]) -> Iterator[Event]:
    """Each keyed event once: a log that is told again what it holds gives the same event again."""
    seen: set[str] = set()
    for event in events:
        if event.key is None or event.key not in seen:
            yield event
        seen.update([event.key] if event.key else [])


def _within(stop: Mapping[str, Any] | None, name: str, value: Any) -> bool:
    return stop is None or value in stop[name]


def _outcomes(by_kind: Mapping[str, list[Event]], stop: Mapping[str, Any] | None) -> tuple[Mapping[str, Any], ...]:
    outcomes = [e.data for kind in ("searched", "search_failed") for e in by_kind.get(kind, ()) if _within(stop, "orders", e.data["order"])]
    return tuple(sorted(outcomes, key=lambda data: (data["order"], data["place"])))


def _sources(
    by_kind: Mapping[str, list[Event]], found: Sequence[Mapping[str, Any]], stop: Mapping[str, Any] | None, settings: RunSettings
) -> dict[str, SourceView]:
    changes: dict[str, dict[str, Any]] = {data["url"]: {} for data in found}

    def note(url: str, **fields: Any) -> None:
        changes.setdefault(url, {}).update(fields)

    for url in settings.approved:
        note(url, approved=True)
    for url in set(settings.struck) & changes.keys():  # one that this run never met is nothing to show
        note(url, approved=False, struck=True)
    for event in by_kind.get("decide", ()):
        if event.data["do"] in ("approve", "strike", "restore"):
            note(event.data["url"], approved=event.data["do"] == "approve", struck=event.data["do"] == "strike")
    for data in (e.data for e in by_kind.get("admitted", ())):
        if _within(stop, "admitted", data["url"]):
            note(data["url"], admitted=True)
    for data in (e.data for e in by_kind.get("blocked", ())):
        if _within(stop, "orders", data["order"]):
            note(data["url"], refused=True)
    for event in by_kind.get("fetched", ()):
        if _within(stop, "read", event.data["url"]):
            note(event.data["url"], fetched=event.at, **_as_read(event.data))
    for data in (e.data for e in by_kind.get("passages", ())):
        if _within(stop, "read", data["url"]):
            note(data["url"], passages=tuple(Passage(**p) for p in data["passages"]), summary=data["summary"])
    for data in (e.data for e in by_kind.get("judged", ())):
        if _within(stop, "judged", data["url"]):
            judged = {name: data[name] for name in ("url", "title", "score", "explanation", "scored")}
            note(data["url"], judgement=Judgement(**judged))
    listings = _listings(found)
    return {url: SourceView(url, listings.get(url, ()), **changes[url]) for url in sorted(changes)}


def _as_read(data: Mapping[str, Any]) -> dict[str, Any]:
    """What a `fetched` event says of its page; what an older one does not say is empty."""
    said, hidden = data.get("metadata", {}), data.get("hidden", {})
    return {
        **{name: data[name] for name in ("title", "final_url", "page", "published", "failure", "kind") if name in data},
        "metadata": Metadata(**{**said, "authors": tuple(said.get("authors", ()))}),
        "hidden": Hidden(hidden.get("counts", {}), tuple((reason, words) for reason, words in hidden.get("samples", ()))),
        "attempts": tuple(Attempt(**each) for each in data.get("attempts", ())),
    }


def _listings(found: Sequence[Mapping[str, Any]]) -> dict[str, tuple[Listing, ...]]:
    lists: dict[str, list[Listing]] = {}
    for data in found:
        fields: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in (data["parts"] or {}).items()}
        parts = ScoreParts(**fields) if fields else None
        lists.setdefault(data["url"], []).append(
            Listing(data["order"], data["rank"], data["title"], data["snippet"], data["engine"], parts)
        )
    return {url: tuple(sorted(items, key=lambda item: (item.order, item.rank))) for url, items in lists.items()}


def under(run: RunView, settings: RunSettings) -> RunView:
    """The same run seen under other settings: every listing scored as a run under them would have scored it."""
    policy, asked = settings.credibility, run.asked
    if replace(policy, minimum=0.0) == replace(run.settings.credibility, minimum=0.0):  # the threshold is no part of a score
        return replace(run, settings=settings)

    def assessed(url: str, listing: Listing) -> Listing:
        old = listing.parts
        parts = old and credibility.assess(url, listing.snippet, asked, policy, provisional=old.provisional)
        return Listing(listing.order, listing.rank, listing.title, listing.snippet, listing.engine, parts)

    sources = {url: replace(s, listings=tuple(assessed(url, item) for item in s.listings)) for url, s in run.sources.items()}
    return replace(run, settings=settings, sources=sources)


def standing(run: RunView) -> RunSettings:
    """The settings of a run with what was decided by hand while it ran: what a re-write of it starts from."""
    sources = run.sources.values()
    struck = {url for url in run.settings.struck if url not in run.sources}.union(s.url for s in sources if s.struck)
    approved = sorted(source.url for source in sources if source.approved)
    return replace(run.settings, instructions=run.instructions, approved=tuple(approved), struck=tuple(sorted(struck)))


def identity(source: SourceView, settings: RunSettings) -> Listing | None:
    """The listing that speaks for a source: the first in plan order that clears the threshold, else the first."""
    for listing in source.listings:
        if listing.parts is None or not settings.credibility.blocks(listing.parts.score):
            return listing
    return source.listings[0] if source.listings else None


def score(source: SourceView, settings: RunSettings) -> ScoreParts | None:
    """The credibility of a source of a view under these settings; None for an own document or one no search listed."""
    chosen = identity(source, settings)
    return chosen.parts if chosen else None


def eligible(source: SourceView, settings: RunSettings) -> bool:
    """Whether the credibility threshold lets it pass: own documents and approved sources always do."""
    return _passes(source, score(source, settings), settings)


def _passes(source: SourceView, parts: ScoreParts | None, settings: RunSettings) -> bool:
    return is_own(source.url) or source.approved or (parts is not None and not settings.credibility.blocks(parts.score))


@dataclass(frozen=True)
class Verdict:
    """What became of one source. status: kept | dropped | blocked | struck | duplicate | failed | not_read.

    number: 1.. where kept, else 0; relevance: 1-5 where it was scored, else 0.
    """

    url: str
    status: str
    reason: str
    number: int = 0
    relevance: int = 0


@dataclass(frozen=True)
class Gate:
    """The gate's decision over a whole run. kept: URLs in the order of their numbers; reason: a key of REASONS, or ""."""

    decision: Decision
    rationale: str
    reason: str
    kept: tuple[str, ...]
    verdicts: tuple[Verdict, ...]
    total: int
    unscored: int
    domains: int


def keeps(judgement: Judgement, mode: ResearchMode) -> bool:
    """Kept at or above the cutoff; one nobody could score is kept at any cutoff (DECISIONS row 16)."""
    return not judgement.scored or judgement.score >= mode.relevance_cutoff


def gate(run: RunView, settings: RunSettings | None = None) -> Gate:
    """Decide the run under its own settings, or under others (what-if). Never re-reads a page."""
    run = under(run, settings) if settings else run
    mode, parts = run.mode, {url: score(source, run.settings) for url, source in run.sources.items()}
    verdicts = {url: _verdict(source, parts[url], run, mode) for url, source in run.sources.items()}
    order = sorted(run.sources, key=lambda url: _place(run.sources[url], parts[url]))
    _mark_duplicates(run, order, verdicts)
    kept = [url for url in order if verdicts[url].status == "kept"]
    for number, url in enumerate(kept, 1):
        verdicts[url] = replace(verdicts[url], number=number)
    judged = [url for url, v in verdicts.items() if v.status in ("kept", "dropped")]
    decision, rationale = outcome(len(kept), len(judged), mode)
    if kept and not any(run.sources[url].passages for url in kept):
        # Nothing could be cited, so nothing can be written; a report of unsupported sentences is not an answer.
        decision, rationale = "insufficient_data", f"{rationale}; none of them holds a passage that could be cited"
    unscored, unjudged = sum(not _judged(run, url).scored for url in judged), _unjudged(run, verdicts)
    left = not_judged(unjudged, len(judged), run.stop["why"]) if run.stop else ""
    return Gate(
        decision=decision,
        rationale=rationale + not_checked(unscored, len(judged)) + left,
        reason=_reason(run, verdicts, len(kept), unscored, unjudged) if decision == "insufficient_data" else "",
        kept=tuple(kept),
        verdicts=tuple(verdicts[url] for url in (*kept, *(url for url in order if not verdicts[url].number))),
        total=len(judged),
        unscored=unscored,
        domains=len({registered_domain(_address(run.sources[url])) or url for url in kept}),
    )


def _unjudged(run: RunView, verdicts: Mapping[str, Verdict]) -> int:
    """How many pages were read and not judged; at the gate there are such only where the run was stopped."""
    return sum(run.sources[url].read for url, verdict in verdicts.items() if verdict.status == "not_read")


def _judged(run: RunView, url: str) -> Judgement:
    judgement = run.sources[url].judgement
    assert judgement is not None
    return judgement


def _verdict(source: SourceView, parts: ScoreParts | None, run: RunView, mode: ResearchMode) -> Verdict:
    if source.struck:
        return Verdict(source.url, "struck", "struck by the analyst")
    if not _passes(source, parts, run.settings):
        reason = credibility.explain(parts, run.settings.credibility) if parts else "not listed by a search and not approved"
        return Verdict(source.url, "blocked", reason)
    if source.failure:
        return Verdict(source.url, "failed", source.failure)
    if (judged := source.judgement) is None:
        return Verdict(source.url, "not_read", f"not read: {_unread(source, run)}")
    return Verdict(source.url, "kept" if keeps(judged, mode) else "dropped", judged.explanation, relevance=judged.score * judged.scored)


def _unread(source: SourceView, run: RunView) -> str:
    """Why not. What was decided by hand takes no place, so that none was missing for it."""
    by_hand = "approved" if source.approved else "restored" if source.url in run.settings.struck else ""
    if run.stop is not None and (source.admitted or by_hand):
        return "stopped"
    return f"{by_hand} too late" if by_hand else "the places were taken"


def _mark_duplicates(run: RunView, order: Sequence[str], verdicts: dict[str, Verdict]) -> None:
    """Two searched addresses that led to one page are one source; the one that ranks first stands."""
    seen: dict[str, str] = {}
    for url in (url for url in order if verdicts[url].status in ("kept", "dropped")):
        first = seen.setdefault(_address(run.sources[url]), url)
        if first != url:
            verdicts[url] = Verdict(url, "duplicate", f"the same page as {first}")


def _address(source: SourceView) -> str:
    """Where the source was found to be: the identity of what was read."""
    return source.final_url or source.url


def _place(source: SourceView, parts: ScoreParts | None) -> tuple[bool, int, float, str]:
    """The order of sources: relevance, credibility, address; own documents last."""
    return is_own(source.url), -(source.judgement.score if source.judgement else 0), -(parts.score if parts else 0.0), source.url


def _reason(run: RunView, verdicts: Mapping[str, Verdict], kept: int, unscored: int, unjudged: int) -> str:
    statuses = [v.status for v in verdicts.values() if v.status != "struck"]
    answered = any(data["state"] in ("answered", "empty") for data in run.outcomes)
    tests = (
        ("read but not judged", run.stop is not None and unjudged > 0 and not {"kept", "dropped"} & set(statuses)),
        ("stopped", run.stop is not None and "dropped" not in statuses),
        ("search failed", not run.sources and not answered),
        ("nothing found", not run.sources),
        ("all struck by hand", not statuses),
        ("all blocked by credibility", all(s == "blocked" for s in statuses)),
        ("every fetch failed", not any(s in ("kept", "dropped", "duplicate") for s in statuses)),
        ("relevance could not be scored", kept > 0 and unscored == kept),
        ("too few relevant sources", 0 < kept < run.mode.min_sources_short_report),
    )
    return next((name for name, holds in tests if holds), "all off topic")
