"""Fold the log of a client's session into its steps, gaps, sources and call outcomes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from research_core.decisions.gate import map_copies
from research_core.decisions.view import RunView, SourceView, fold_events
from research_core.journal.events import Event, drop_voided

#: The newest outcomes that are kept.
MAX_OUTCOMES = 200


@dataclass(frozen=True)
class Step:
    """One step as its client sent it.

    at: seconds since the epoch; revises, branch_from: the number of another step, or None.
    """

    number: int
    text: str
    at: float
    next: bool
    reasoning: str = ""
    confidence: str = ""
    rejected: tuple[str, ...] = ()
    summary: str = ""
    gap: str = ""
    branch: str = ""
    branch_from: int | None = None
    revision: bool = False
    revises: int | None = None
    estimate: int | None = None


@dataclass(frozen=True)
class ClientSource:
    """One source of a session.

    step: the step whose own search found it first, None if another call did. authors, site,
    published (day or year), doi (bare): as its page states, else as a scholarly index states; empty
    if neither does. redirected_to: the address after a redirect to another site, or "". copy_of:
    the other source with the same text, with which it counts once, or "".
    """

    url: str
    title: str
    step: int | None
    authors: tuple[str, ...] = ()
    site: str = ""
    published: str = ""
    doi: str = ""
    redirected_to: str = ""
    copy_of: str = ""


@dataclass(frozen=True)
class ProviderOutcome:
    """One answer of a provider, or one reading of a page.

    kind: of the failure, "" for a success; url: of the page, or "".
    """

    provider: str
    kind: str
    url: str
    at: float


@dataclass(frozen=True)
class ClientResearch:
    """A session up to now.

    started: seconds since the epoch; outcomes: the newest `MAX_OUTCOMES`, in their order.
    """

    goal: str
    started: float
    steps: tuple[Step, ...]
    sources: tuple[ClientSource, ...]
    outcomes: tuple[ProviderOutcome, ...]

    @property
    def complete(self) -> bool:
        return bool(self.steps) and not self.steps[-1].next

    @property
    def summary(self) -> str:
        """Return the client's latest summary, or ""."""
        return next((step.summary for step in reversed(self.steps) if step.summary), "")

    @property
    def gaps(self) -> tuple[tuple[str, int], ...]:
        """Return (what is missing, the first step that said so), each once."""
        found: dict[str, int] = {}
        for step in self.steps:
            if step.gap:
                found.setdefault(step.gap, step.number)
        return tuple(found.items())

    @property
    def distinct_sources(self) -> tuple[ClientSource, ...]:
        """Return the sources, each text once."""
        return tuple(source for source in self.sources if not source.copy_of)

    def find_step(self, number: int) -> Step | None:
        """Return the last step of this number, or None."""
        return next((step for step in reversed(self.steps) if step.number == number), None)


def fold_client_session(events: Iterable[Event]) -> ClientResearch:
    """Fold the events of a session."""
    valid = drop_voided(events)
    run = fold_events(valid)
    steps: list[Step] = []
    outcomes: list[ProviderOutcome] = []
    for event in valid:
        if event.kind == "step":
            steps.append(_read_step(event))
        elif event.kind == "called":
            outcomes += _read_outcomes(event)
    return ClientResearch(
        run.question,
        run.created,
        tuple(steps),
        _list_sources(run, valid),
        tuple(outcomes[-MAX_OUTCOMES:]),
    )


def _read_step(event: Event) -> Step:
    known = {name: event.data[name] for name in Step.__dataclass_fields__ if name in event.data}
    return Step(**{**known, "at": event.at, "rejected": tuple(event.data.get("rejected", ()))})


def _read_outcomes(event: Event) -> list[ProviderOutcome]:
    """Return how the providers and pages of one call answered."""
    data: Mapping[str, Any] = event.data
    asked: list[ProviderOutcome] = []
    for engine in data["engines"]:
        kind = "" if engine["well"] else engine["kind"] or "upstream_unavailable"
        asked.append(ProviderOutcome(engine["engine"], kind, "", event.at))
    unread = [
        ProviderOutcome("", page["kind"] or "network", page["url"], event.at)
        for page in data["unread"]
    ]
    outcomes = [*asked, *unread]
    # The failure of the call itself only counts if no provider or page explains it.
    if data.get("kind") and not any(outcome.kind for outcome in outcomes):
        outcomes.append(ProviderOutcome("", data["kind"], "", event.at))
    return outcomes


def _list_sources(run: RunView, events: Iterable[Event]) -> tuple[ClientSource, ...]:
    """Return the sources in the order they were found."""
    cited: dict[str, Mapping[str, Any]] = {}
    for event in events:
        if event.kind == "found" and "cited" in event.data:
            cited.setdefault(event.data["url"], event.data["cited"])
    found = sorted(run.sources.values(), key=_source_order)
    originals = map_copies(run, [source.url for source in found if source.read])
    sources: list[ClientSource] = []
    for source in found:
        work = cited.get(source.url, {})
        sources.append(_make_source(run, source, work, originals.get(source.url, "")))
    return tuple(sources)


def _source_order(source: SourceView) -> tuple[int, int, str]:
    """Return the sort key: the first listing. Sources that no search listed come last."""
    if not source.listings:
        return (2**31, 0, source.url)
    first = source.listings[0]
    return (first.order, first.rank, source.url)


def _make_source(
    run: RunView, source: SourceView, cited: Mapping[str, Any], copy_of: str
) -> ClientSource:
    title = source.title
    for listing in source.listings:
        title = title or listing.title
    step = None
    if source.listings:
        step = run.queries.get(source.listings[0].order, {}).get("step")
    metadata = source.metadata
    return ClientSource(
        source.url,
        title,
        step,
        metadata.authors or tuple(cited.get("authors", ())),
        metadata.site or cited.get("site", ""),
        source.published or cited.get("published", ""),
        metadata.doi or cited.get("doi", ""),
        source.redirected_to,
        copy_of,
    )
