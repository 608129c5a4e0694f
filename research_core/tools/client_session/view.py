"""A session that a client leads, as its log tells it: its steps, what they found missing, its
sources, and how its calls went.

A pure reading. What a tool makes of it on the wire is said in `tools.led_session`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from research_core.decisions.gate import build_witness
from research_core.decisions.view import RunView, SourceView, fold_events
from research_core.journal.events import Event, drop_voided
from research_core.trust.independence import map_shared_texts

#: Outcomes of calls that are looked at, the newest of them.
MAX_OUTCOMES = 200


@dataclass(frozen=True)
class Step:
    """One step as its client told it. at: seconds since the epoch; revises, branch_from: the number
    of another step, None for none.
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
class Source:
    """One source. step: the step whose own searches found it first, None where another call did.

    authors, site, published (the day, or the year), doi (bare): as its page says of itself, else as
    a list of scholarly works says of it; empty where neither does. landed: the address it was read
    at, where that is somebody else's. copy_of: the other source whose text it shares, and with
    which it counts once; "" where it has its own, or was not read.
    """

    url: str
    title: str
    step: int | None
    authors: tuple[str, ...] = ()
    site: str = ""
    published: str = ""
    doi: str = ""
    landed: str = ""
    copy_of: str = ""


@dataclass(frozen=True)
class Outcome:
    """How a provider, or the reading of a page, answered once. kind: of the failure, "" where it
    went well; url: of the page, or "".
    """

    provider: str
    kind: str
    url: str
    at: float


@dataclass(frozen=True)
class ClientResearch:
    """A session up to now. started: seconds since the epoch; outcomes: the newest `MAX_OUTCOMES`, in
    the order they came.
    """

    goal: str
    started: float
    steps: tuple[Step, ...]
    sources: tuple[Source, ...]
    outcomes: tuple[Outcome, ...]

    @property
    def complete(self) -> bool:
        return bool(self.steps) and not self.steps[-1].next

    @property
    def summary(self) -> str:
        """What the client summed up last, "" where it never did."""
        return next((step.summary for step in reversed(self.steps) if step.summary), "")

    @property
    def gaps(self) -> tuple[tuple[str, int], ...]:
        """(what is missing, the first step that said so), each once."""
        found: dict[str, int] = {}
        for step in self.steps:
            if step.gap:
                found.setdefault(step.gap, step.number)
        return tuple(found.items())

    @property
    def counted(self) -> tuple[Source, ...]:
        """Its sources, each text once."""
        return tuple(source for source in self.sources if not source.copy_of)

    def step(self, number: int) -> Step | None:
        """The last step of this number."""
        return next((step for step in reversed(self.steps) if step.number == number), None)


def fold_client_session(events: Iterable[Event]) -> ClientResearch:
    """The session of these events, calls aside."""
    told = drop_voided(events)
    run = fold_events(told)
    steps = tuple(_read_step(event) for event in told if event.kind == "step")
    outcomes = [
        outcome for event in told if event.kind == "called" for outcome in _read_outcomes(event)
    ]
    return ClientResearch(
        run.question, run.created, steps, _list_sources(run, told), tuple(outcomes[-MAX_OUTCOMES:])
    )


def _read_step(event: Event) -> Step:
    known = {name: event.data[name] for name in Step.__dataclass_fields__ if name in event.data}
    return Step(**{**known, "at": event.at, "rejected": tuple(event.data.get("rejected", ()))})


def _read_outcomes(event: Event) -> list[Outcome]:
    data: Mapping[str, Any] = event.data
    asked = [
        Outcome(
            each["engine"],
            "" if each["well"] else each["kind"] or "upstream_unavailable",
            "",
            event.at,
        )
        for each in data["engines"]
    ]
    unread = [
        Outcome("", each["kind"] or "network", each["url"], event.at) for each in data["unread"]
    ]
    failed = (
        [Outcome("", data["kind"], "", event.at)]
        if data.get("kind") and not (unread or any(each.kind for each in asked))
        else []
    )
    return [*asked, *unread, *failed]


def _list_sources(run: RunView, told: Iterable[Event]) -> tuple[Source, ...]:
    """In the order in which they were found."""
    cited: dict[str, Mapping[str, Any]] = {}
    for event in told:
        if event.kind == "found" and "cited" in event.data:
            cited.setdefault(event.data["url"], event.data["cited"])
    found = sorted(run.sources.values(), key=_source_order)
    same = map_shared_texts({source.url: build_witness(source) for source in found if source.read})
    return tuple(
        _make_source(run, source, cited.get(source.url, {}), same.get(source.url, ""))
        for source in found
    )


def _source_order(source: SourceView) -> tuple[int, int, str]:
    first = source.listings[0] if source.listings else None
    return (first.order, first.rank, source.url) if first else (2**31, 0, source.url)


def _make_source(
    run: RunView, source: SourceView, cited: Mapping[str, Any], copy_of: str
) -> Source:
    titles: Sequence[str] = (source.title, *(listing.title for listing in source.listings))
    first = source.listings[0] if source.listings else None
    step = run.queries.get(first.order, {}).get("step") if first else None
    title, said = next((title for title in titles if title), ""), source.metadata
    return Source(
        source.url,
        title,
        step,
        said.authors or tuple(cited.get("authors", ())),
        said.site or cited.get("site", ""),
        source.published or cited.get("published", ""),
        said.doi or cited.get("doi", ""),
        source.landed,
        copy_of,
    )
