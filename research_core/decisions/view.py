"""Fold the events of a run into one view, which everything else reads.

Pure; no policy is applied. The result depends on which events there are, never on their order:
where two events compete, the position of the query in the plan decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from research_core.journal.events import Event, drop_voided
from research_core.journal.rule_versions import rules_from_created
from research_core.models import (
    ArchivedCopy,
    Attempt,
    HiddenText,
    Judgement,
    Metadata,
    Passage,
    ScoreParts,
    fields_from_facts,
)
from research_core.modes import ResearchMode
from research_core.policy import CredibilityPolicy, RunSettings
from research_core.text.question import make_standalone
from research_core.trust import credibility
from research_core.trust.attribution import Attribution
from research_core.trust.copies import Fingerprint
from research_core.urls import find_host, registered_domain


@dataclass(frozen=True)
class Listing:
    """One result line of a query for a URL.

    parts: None for an own document, which is not scored. landed: the score of the final address if
    it is on another domain than the searched one: whoever hosts a page answers for it. ratings: of
    its host by experts, by list. retracted: the index that lists the work as retracted, or "".
    """

    order: int
    rank: int
    title: str
    snippet: str
    engine: str
    parts: ScoreParts | None
    landed: ScoreParts | None = None
    ratings: Mapping[str, float] = field(default_factory=dict, hash=False)
    retracted: str = ""


@dataclass(frozen=True)
class SourceView:
    """Everything the log knows about one source."""

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
    print: Fingerprint | None = None
    traces: Attribution = Attribution()
    metadata: Metadata = Metadata()
    hidden: HiddenText = HiddenText()
    attempts: tuple[Attempt, ...] = ()
    archived: ArchivedCopy | None = None
    partial: bool = False
    cost: float = 0.0
    ratings: Mapping[str, float] = field(
        default_factory=dict, hash=False
    )  # of the host it was found at, where it led to somebody else
    signs: Mapping[str, Any] = field(default_factory=dict, hash=False)
    passages: tuple[Passage, ...] = ()
    summary: str = ""
    judgement: Judgement | None = None
    fetched: float = field(default=0.0, compare=False)  # when, in seconds since the epoch

    @property
    def read(self) -> bool:
        """Whether its page was read."""
        return bool(self.final_url)

    @property
    def about(self) -> Metadata:
        """The metadata of its page, with a retraction known from search if the page shows none."""
        listed = next((listing.retracted for listing in self.listings if listing.retracted), "")
        return (
            self.metadata
            if self.metadata.retracted or not listed
            else replace(self.metadata, retracted=listed)
        )

    @property
    def landed(self) -> str:
        """The final address if it is on another registered domain than the searched one, else ""."""
        if not self.read or find_host(self.final_url) == find_host(self.url):
            return ""
        return (
            ""
            if registered_domain(self.final_url) == registered_domain(self.url)
            else self.final_url
        )


@dataclass(frozen=True)
class RunView:
    """A run as its log tells it.

    queries: {order: {"text", "purpose"}}. outcomes: each engine's answer to each query.
    instructions: from the settings and from the analyst during the run, in order. rules: the
    versions the run began under (`rule_versions.rules_from_created`).
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
    rules: Mapping[str, int | str] = field(default_factory=dict)

    @property
    def mode(self) -> ResearchMode:
        """The research mode with the thresholds of this run."""
        s = self.settings
        return ResearchMode.named(
            s.mode, relevance_cutoff=s.relevance_cutoff, min_full=s.min_full, min_short=s.min_short
        )

    @property
    def asked(self) -> str:
        """The question as it is searched, scored and judged; a follow-up includes its context."""
        return make_standalone(self.question, self.settings.follows)


def fold_events(events: Iterable[Event]) -> RunView:
    """Return the view of these events.

    What the analyst's stop left out stays out, even if it was recorded a moment later.
    """
    by_kind: dict[str, list[Event]] = {}
    counted = drop_voided(_drop_repeats(events))
    for event in counted:
        by_kind.setdefault(event.kind, []).append(event)
    ends = [event for event in counted if event.kind in ("finished", "failed")]

    def last(kind: str) -> Any:
        return by_kind[kind][-1].data if kind in by_kind else None

    stop = next((e.data for e in by_kind.get("decide", ()) if e.data.get("do") == "stop"), None)
    found = [
        e.data for e in by_kind.get("found", ()) if _is_before_stop(stop, "orders", e.data["order"])
    ]
    planned = [
        e.data for e in by_kind.get("planned", ()) if _is_before_stop(stop, "parts", e.data["part"])
    ]
    created = by_kind["created"][0] if "created" in by_kind else None
    settings = RunSettings.from_json(created.data["settings"]) if created else RunSettings()
    instructed = (e.data["text"] for e in by_kind.get("decide", ()) if e.data["do"] == "instruct")
    view = RunView(
        question=created.data["question"] if created else "",
        settings=settings,
        session=created.data.get("session", "") if created else "",
        created=created.at if created else 0.0,
        plan=next((data for data in planned if data["part"] == "plan"), None),
        queries={q["order"]: q for data in planned for q in data["queries"]},
        outcomes=_collect_outcomes(by_kind, stop),
        sources=_collect_sources(by_kind, found, stop, settings),
        gaps=tuple(gap for data in planned for gap in data.get("gaps", ())),
        facts=tuple(event.data["text"] for event in by_kind.get("fact", ())),
        instructions=(*settings.instructions, *instructed),
        stop=stop,
        gated=last("gated"),
        written=last("written"),
        verified=last("verified"),
        tally=next(
            (e.data for e in by_kind.get("decide", ()) if e.data.get("do") == "tally"), None
        ),
        report=last("report"),
        ended=ends[-1].data if ends else None,
        rules=rules_from_created(created.data if created else {}),
    )
    return replace(
        view,
        sources={
            url: score_redirect(source, view.asked, settings.credibility)
            for url, source in view.sources.items()
        },
    )


def _drop_repeats(events: Iterable[Event]) -> Iterator[Event]:
    """Yield each keyed event once: a log may return the same stored event twice."""
    seen: set[str] = set()
    for event in events:
        if event.key is None or event.key not in seen:
            yield event
        seen.update([event.key] if event.key else [])


def _is_before_stop(stop: Mapping[str, Any] | None, name: str, value: Any) -> bool:
    """Return True unless the stop left this value out."""
    return stop is None or value in stop[name]


def _collect_outcomes(
    by_kind: Mapping[str, list[Event]], stop: Mapping[str, Any] | None
) -> tuple[Mapping[str, Any], ...]:
    outcomes = [
        e.data
        for kind in ("searched", "search_failed")
        for e in by_kind.get(kind, ())
        if _is_before_stop(stop, "orders", e.data["order"])
    ]
    return tuple(sorted(outcomes, key=lambda data: (data["order"], data["place"])))


def _collect_sources(
    by_kind: Mapping[str, list[Event]],
    found: Sequence[Mapping[str, Any]],
    stop: Mapping[str, Any] | None,
    settings: RunSettings,
) -> dict[str, SourceView]:
    changes: dict[str, dict[str, Any]] = {data["url"]: {} for data in found}

    def note(url: str, **fields: Any) -> None:
        changes.setdefault(url, {}).update(fields)

    for url in settings.approved:
        note(url, approved=True)
    for url in (
        set(settings.struck) & changes.keys()
    ):  # one that this run never met is nothing to show
        note(url, approved=False, struck=True)
    for event in by_kind.get("decide", ()):
        if event.data["do"] in ("approve", "strike", "restore"):
            note(
                event.data["url"],
                approved=event.data["do"] == "approve",
                struck=event.data["do"] == "strike",
            )
    for data in (e.data for e in by_kind.get("admitted", ())):
        if _is_before_stop(stop, "admitted", data["url"]):
            note(data["url"], admitted=True)
    for data in (e.data for e in by_kind.get("blocked", ())):
        if _is_before_stop(stop, "orders", data["order"]):
            note(data["url"], refused=True)
    for event in by_kind.get("fetched", ()):
        if _is_before_stop(stop, "read", event.data["url"]):
            note(event.data["url"], fetched=event.at, **_read_fetched_fields(event.data))
    for data in (e.data for e in by_kind.get("passages", ())):
        if _is_before_stop(stop, "read", data["url"]):
            note(
                data["url"],
                passages=tuple(Passage(**p) for p in data["passages"]),
                summary=data["summary"],
            )
    for data in (e.data for e in by_kind.get("judged", ())):
        if _is_before_stop(stop, "judged", data["url"]):
            judged = {
                name: data[name] for name in ("url", "title", "score", "explanation", "scored")
            }
            note(data["url"], judgement=Judgement(**judged))
    listings = _collect_listings(found)
    return {url: SourceView(url, listings.get(url, ()), **changes[url]) for url in sorted(changes)}


def score_redirect(source: SourceView, asked: str, policy: CredibilityPolicy) -> SourceView:
    """Return the source with the scores of its final address, if that is on another domain.

    They depend on what was read, so no search could know them.
    """
    if not source.landed:
        return source

    def landed(listing: Listing) -> Listing:
        old = listing.parts
        if old is None or credibility.is_excluded(
            old
        ):  # nothing of that host is used, wherever it leads
            return replace(listing, landed=None)
        how: dict[str, Any] = {"provisional": old.provisional, "ratings": source.ratings}
        return replace(
            listing, landed=credibility.assess(source.landed, listing.snippet, asked, policy, **how)
        )

    return replace(source, listings=tuple(map(landed, source.listings)))


def _read_fetched_fields(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the `SourceView` fields of a `fetched` event; fields an older event lacks are empty."""
    return {
        **fields_from_facts(data),
        **{
            name: data[name]
            for name in (
                "title",
                "final_url",
                "page",
                "published",
                "failure",
                "kind",
                "ratings",
                "signs",
            )
            if name in data
        },
        "print": Fingerprint.from_json(data["print"]) if "print" in data else None,
        "traces": Attribution.from_json(data.get("traces", {})),
    }


def _collect_listings(found: Sequence[Mapping[str, Any]]) -> dict[str, tuple[Listing, ...]]:
    lists: dict[str, list[Listing]] = {}
    for data in found:
        fields: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in (data["parts"] or {}).items()
        }
        parts = ScoreParts(**fields) if fields else None
        more = {name: data[name] for name in ("ratings", "retracted") if name in data}
        lists.setdefault(data["url"], []).append(
            Listing(
                data["order"],
                data["rank"],
                data["title"],
                data["snippet"],
                data["engine"],
                parts,
                **more,
            )
        )
    return {
        url: tuple(sorted(items, key=lambda item: (item.order, item.rank)))
        for url, items in lists.items()
    }
