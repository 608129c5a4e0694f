"""Fold the events of a run into one view, which everything else reads.

Pure; no policy is applied. The result depends on which events there are, never on their order:
where two events compete, the position of the query in the plan decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from research_core.i18n import SOURCE_LANGUAGE
from research_core.journal.events import MANUAL_DECISIONS, Event, drop_voided
from research_core.journal.rule_versions import (
    language_from_created,
    read_language,
    read_rules,
    rules_from_created,
)
from research_core.models import (
    ArchivedCopy,
    Attempt,
    Block,
    HiddenText,
    Judgement,
    Metadata,
    Passage,
    ScoreParts,
    Sentence,
    fields_from_facts,
)
from research_core.modes import ResearchMode
from research_core.policy import CredibilityPolicy, RunSettings
from research_core.text.question import make_standalone
from research_core.trust import credibility
from research_core.trust.attribution import Attribution
from research_core.trust.copies import Fingerprint
from research_core.urls import find_host, registered_domain

if TYPE_CHECKING:
    from research_core.journal.deps import Deps

#: The part of the plan that says how the question was read again, after all pages were judged.
SPELLING_PART = "reread"
#: Fields of a `fetched` event that a `SourceView` takes over unchanged.
_FETCHED_FIELDS = (
    "title",
    "final_url",
    "page",
    "published",
    "failure",
    "kind",
    "ratings",
)


@dataclass(frozen=True)
class Listing:
    """One result line of a query for a URL.

    parts: None for an own document, which is not scored. final_parts: the score of the final
    address if it is on another domain than the searched one: whoever hosts a page answers for it.
    ratings: of its host by experts, by list. retracted: the index that lists the work as retracted,
    or "".
    """

    order: int
    rank: int
    title: str
    snippet: str
    engine: str
    parts: ScoreParts | None
    final_parts: ScoreParts | None = None
    ratings: Mapping[str, float] = field(default_factory=dict, hash=False)
    retracted: str = ""


@dataclass(frozen=True)
class SourceView:
    """Everything the log knows about one source.

    refused: a fetch was asked for and the threshold refused it; ratings: by experts, of the site it
    redirected to; fetched: when, in seconds since the epoch.
    """

    url: str
    listings: tuple[Listing, ...] = ()
    admitted: bool = False
    approved: bool = False
    struck: bool = False
    refused: bool = False
    title: str = ""
    final_url: str = ""
    page: Any = None
    published: str = ""
    failure: str = ""
    kind: str = ""
    fingerprint: Fingerprint | None = None
    attribution: Attribution = Attribution()
    metadata: Metadata = Metadata()
    hidden: HiddenText = HiddenText()
    attempts: tuple[Attempt, ...] = ()
    archived: ArchivedCopy | None = None
    partial: bool = False
    cost: float = 0.0
    ratings: Mapping[str, float] = field(default_factory=dict, hash=False)
    page_signals: Mapping[str, Any] = field(default_factory=dict, hash=False)
    passages: tuple[Passage, ...] = ()
    summary: str = ""
    judgement: Judgement | None = None
    fetched: float = field(default=0.0, compare=False)

    @property
    def read(self) -> bool:
        """Whether its page was read."""
        return bool(self.final_url)

    @property
    def about(self) -> Metadata:
        """The metadata of its page, with a retraction known from search if the page shows none."""
        if self.metadata.retracted:
            return self.metadata
        for listing in self.listings:
            if listing.retracted:
                return replace(self.metadata, retracted=listing.retracted)
        return self.metadata

    @property
    def redirected_to(self) -> str:
        """The final address if it is on another registered domain than `url`, else ""."""
        if not self.read or find_host(self.final_url) == find_host(self.url):
            return ""
        if registered_domain(self.final_url) == registered_domain(self.url):
            return ""
        return self.final_url


@dataclass(frozen=True)
class RunView:
    """A run as its log tells it.

    queries: {order: {"text", "purpose"}}. outcomes: each engine's answer to each query.
    instructions: from the settings and from the analyst during the run, in order. rules: the
    versions the run began under (`rule_versions.rules_from_created`). language: of its report.
    cap: see `_find_cap`.
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
    cap: Mapping[str, Any] | None = None
    gated: Mapping[str, Any] | None = None
    written: Mapping[str, Any] | None = None
    verified: Mapping[str, Any] | None = None
    tally: Mapping[str, Any] | None = None
    report: Mapping[str, Any] | None = None
    ended: Mapping[str, Any] | None = None
    rules: Mapping[str, int | str] = field(default_factory=dict)
    language: str = SOURCE_LANGUAGE

    @property
    def mode(self) -> ResearchMode:
        """The research mode with the thresholds of this run."""
        s = self.settings
        return ResearchMode.from_name(
            s.mode,
            sources=s.sources,
            relevance_cutoff=s.relevance_cutoff,
            min_full=s.min_full,
            min_short=s.min_short,
        )

    @property
    def asked(self) -> str:
        """The question as it is searched, scored and judged; a follow-up includes its context."""
        return make_standalone(self.question, self.settings.follows)

    @property
    def asked_as_spelled(self) -> str:
        """The question as its search results spell it, if a page was kept for that."""
        return str((self.plan or {}).get("spelled") or self.asked)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The checked text, () before it was checked."""
        rows = self.verified["blocks"] if self.verified else ()
        return tuple(_read_block(row) for row in rows)


def _read_block(data: Mapping[str, Any]) -> Block:
    sentences = []
    for row in data["sentences"]:
        sentences.append(
            Sentence(
                row["text"],
                tuple(row["citations"]),
                row["state"],
                row["note"],
                row.get("relevance", ""),
            )
        )
    return Block(data["kind"], tuple(sentences), data["level"])


def fold_run_so_far(deps: Deps) -> RunView:
    """Return the view of what this attempt has done so far.

    The rules and the language are those of the log: a replay derives its `created` event under
    today's.
    """
    view = fold_events(deps.log.emitted)
    return replace(view, rules=read_rules(deps.log), language=read_language(deps.log))


def fold_events(events: Iterable[Event]) -> RunView:
    """Return the view of these events.

    What the analyst's stop left out stays out, even if it was recorded a moment later.
    """
    in_force = drop_voided(_drop_repeats(events))
    by_kind: dict[str, list[Event]] = {}
    ended: Any = None
    for event in in_force:
        by_kind.setdefault(event.kind, []).append(event)
        if event.kind in ("finished", "failed"):
            ended = event.data

    question, session, at, created = "", "", 0.0, {}
    settings = RunSettings()
    if "created" in by_kind:
        first = by_kind["created"][0]
        created, at = first.data, first.at
        question = created["question"]
        session = created.get("session", "")
        settings = RunSettings.from_json(created["settings"])

    stop = _find_choice(by_kind, "stop")
    found = _collect_data(by_kind, "found", stop, "orders", "order")
    planned = _collect_data(by_kind, "planned", stop, "parts", "part")
    view = RunView(
        question=question,
        settings=settings,
        session=session,
        created=at,
        plan=_find_plan(planned),
        queries={query["order"]: query for data in planned for query in data["queries"]},
        outcomes=_collect_outcomes(by_kind, stop),
        sources=_collect_sources(by_kind, found, stop, settings),
        gaps=_list_gaps(planned),
        facts=tuple(event.data["text"] for event in by_kind.get("fact", ())),
        instructions=(*settings.instructions, *_list_instructions(by_kind)),
        stop=stop,
        cap=_find_cap(by_kind),
        gated=_find_last(by_kind, "gated"),
        written=_find_last(by_kind, "written"),
        verified=_find_last(by_kind, "verified"),
        tally=_find_choice(by_kind, "tally"),
        report=_find_last(by_kind, "report"),
        ended=ended,
        rules=rules_from_created(created),
        language=language_from_created(created),
    )
    sources = {
        url: add_redirect_scores(source, settings.credibility)
        for url, source in view.sources.items()
    }
    return replace(view, sources=sources)


def _find_last(by_kind: Mapping[str, list[Event]], kind: str) -> Any:
    """Return the data of the last event of a kind, or None."""
    return by_kind[kind][-1].data if kind in by_kind else None


def _find_choice(by_kind: Mapping[str, list[Event]], what: str) -> Any:
    """Return the data of the first `decide` event of this choice, or None."""
    for event in by_kind.get("decide", ()):
        if event.data.get("do") == what:
            return event.data
    return None


#: The choice that a cap left the writer no call.
WITHOUT_WRITER = "write without model"
#: The choices of steps that a cap left no call.
_WITHOUT_MODEL = frozenset({"go on by rules", WITHOUT_WRITER})


def _find_cap(by_kind: Mapping[str, list[Event]]) -> Mapping[str, Any] | None:
    """Return the cap that left the model no call, None if none did.

    {"reached": in words, "by_rules": the steps that rules and words did instead}.
    """
    reached = _find_choice(by_kind, "reach cap")
    if reached is None:
        return None
    steps = set()
    for event in by_kind["decide"]:
        if event.data["do"] in _WITHOUT_MODEL and "step" in event.data:
            steps.add(event.data["step"])
    return {"reached": reached["why"], "by_rules": sorted(steps)}


def _find_plan(planned: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """Return the plan itself: further parts add queries to it while the run goes on.

    Its note says too how the question was read again, and `spelled` is the question as read.
    """
    by_part = {data["part"]: data for data in planned}
    plan = by_part.get("plan")
    if plan is None or SPELLING_PART not in by_part:
        return plan
    reread = by_part[SPELLING_PART]
    note = " ".join(filter(None, (plan.get("note", ""), reread["note"])))
    return {**plan, "note": note, "spelled": reread["spelled"]}


def _list_gaps(planned: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the gaps of all rounds, each once: a later round may repeat one."""
    return tuple(dict.fromkeys(gap for data in planned for gap in data.get("gaps", ())))


def _list_instructions(by_kind: Mapping[str, list[Event]]) -> list[str]:
    """Return the instructions the analyst gave during the run, in order."""
    chosen = (event.data for event in by_kind.get("decide", ()))
    return [data["text"] for data in chosen if data["do"] == "instruct"]


def _collect_data(
    by_kind: Mapping[str, list[Event]],
    kind: str,
    stop: Mapping[str, Any] | None,
    stop_list: str,
    field_name: str,
) -> list[Any]:
    """Return the data of the events of a kind, without those that the stop left out.

    stop_list: the list in the stop that must contain the event's field_name.
    """
    counted = []
    for event in by_kind.get(kind, ()):
        if _is_before_stop(stop, stop_list, event.data[field_name]):
            counted.append(event.data)
    return counted


def _drop_repeats(events: Iterable[Event]) -> Iterator[Event]:
    """Yield each keyed event once: a log may return the same stored event twice."""
    seen: set[str] = set()
    for event in events:
        if event.key is None:
            yield event
        elif event.key not in seen:
            seen.add(event.key)
            yield event


def _is_before_stop(stop: Mapping[str, Any] | None, name: str, value: Any) -> bool:
    """Return True unless the stop left this value out."""
    return stop is None or value in stop[name]


def _collect_outcomes(
    by_kind: Mapping[str, list[Event]], stop: Mapping[str, Any] | None
) -> tuple[Mapping[str, Any], ...]:
    """Return what each engine answered to each query, by query and engine."""
    outcomes: list[Mapping[str, Any]] = []
    for kind in ("searched", "search_failed"):
        outcomes += _collect_data(by_kind, kind, stop, "orders", "order")
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

    # Later notes win, so the settings come before what the analyst decided during the run.
    for url in settings.approved:
        note(url, approved=True)
    # A struck address that this run never found is not shown.
    for url in set(settings.struck) & changes.keys():
        note(url, approved=False, struck=True)
    for event in by_kind.get("decide", ()):
        choice = event.data["do"]
        if choice in MANUAL_DECISIONS:
            note(event.data["url"], approved=choice == "approve", struck=choice == "strike")
    for data in _collect_data(by_kind, "admitted", stop, "admitted", "url"):
        note(data["url"], admitted=True)
    for data in _collect_data(by_kind, "blocked", stop, "orders", "order"):
        note(data["url"], refused=True)
    for event in by_kind.get("fetched", ()):
        if _is_before_stop(stop, "read", event.data["url"]):
            note(event.data["url"], fetched=event.at, **_read_fetched_fields(event.data))
    # A source whose text cites further passages has a second list, which holds the first.
    chosen = _collect_data(by_kind, "passages", stop, "read", "url")
    for data in sorted(chosen, key=lambda data: "cited" in data):
        passages = tuple(Passage(**fields) for fields in data["passages"])
        note(data["url"], passages=passages, summary=data["summary"])
    for data in _collect_data(by_kind, "judged", stop, "judged", "url"):
        note(data["url"], judgement=Judgement.from_json(data))
    listings = _collect_listings(found)
    return {url: SourceView(url, listings.get(url, ()), **changes[url]) for url in sorted(changes)}


def add_redirect_scores(source: SourceView, policy: CredibilityPolicy) -> SourceView:
    """Return the source with the scores of its final address, if that is on another domain.

    They depend on what was read, so no search could know them.
    """
    if not source.redirected_to:
        return source
    listings = []
    for listing in source.listings:
        parts = listing.parts
        final: ScoreParts | None = None
        # Nothing of an excluded host is used, wherever it redirects.
        if parts is not None and not credibility.is_excluded(parts):
            final = credibility.assess(
                source.redirected_to,
                listing.snippet,
                credibility.get_scored_words(parts),
                policy,
                provisional=parts.provisional,
                ratings=source.ratings,
            )
        listings.append(replace(listing, final_parts=final))
    return replace(source, listings=tuple(listings))


def _read_fetched_fields(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the `SourceView` fields of a `fetched` event; absent ones are empty."""
    fields = fields_from_facts(data)
    for name in _FETCHED_FIELDS:
        if name in data:
            fields[name] = data[name]
    fields["fingerprint"] = Fingerprint.from_json(data["print"]) if "print" in data else None
    fields["attribution"] = Attribution.from_json(data.get("traces", {}))
    if "signs" in data:
        fields["page_signals"] = data["signs"]
    return fields


def _collect_listings(found: Sequence[Mapping[str, Any]]) -> dict[str, tuple[Listing, ...]]:
    """Return the listings of each URL, by query and rank."""
    by_url: dict[str, list[Listing]] = {}
    for data in found:
        listing = Listing(
            data["order"],
            data["rank"],
            data["title"],
            data["snippet"],
            data["engine"],
            _read_parts(data["parts"]),
            **{name: data[name] for name in ("ratings", "retracted") if name in data},
        )
        by_url.setdefault(data["url"], []).append(listing)
    return {
        url: tuple(sorted(listings, key=lambda listing: (listing.order, listing.rank)))
        for url, listings in by_url.items()
    }


def _read_parts(data: Mapping[str, Any] | None) -> ScoreParts | None:
    """Return the stored score of a listing; None for an own document."""
    if not data:
        return None
    fields: dict[str, Any] = {}
    for name, value in data.items():
        fields[name] = tuple(value) if isinstance(value, list) else value
    return ScoreParts(**fields)
