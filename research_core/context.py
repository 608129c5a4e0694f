"""Define `ResearchContext`, the shared memory of a research session (spec/research-context.md).

Every method that adds something appends one event, and every attribute is a fold of the log, so a
context over a stored log equals the live one. A run starts empty, whatever its log holds; a context
that is given the past events of a log continues from them. Nothing here calls the outside.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from types import MappingProxyType
from typing import Any

from research_core.decisions.gate import choose_listing, find_score, is_eligible, passes_cutoff
from research_core.decisions.view import RunView, fold_events
from research_core.journal.events import Draft, Event
from research_core.journal.log import EventLog
from research_core.journal.memory_store import MemoryStore
from research_core.journal.rule_versions import RELEASE, RULE_VERSIONS, read_rules
from research_core.models import ScoreParts
from research_core.policy import RunSettings
from research_core.text.languages import name_language
from research_core.trust import credibility
from research_core.urls import canonical_url, is_own_document

#: Positions in the plan: a caller's or an agent's queries follow all planned ones; a score without
#: a search result comes last.
FIRST_TOOL_ORDER, PROVISIONAL_ORDER = 1000, 1_000_000


class ResearchContext:
    """The specified attributes and methods, over `deps.log` or a temporary log in memory.

    past: events stored before, which the context knows as if it had added them itself.
    """

    def __init__(
        self,
        question: str,
        deps: Any = None,
        *,
        log: EventLog | None = None,
        past: Sequence[Event] = (),
    ) -> None:
        self.deps = deps
        self.log = log or (deps.log if deps is not None else memory_log(question))
        self._past = {event.seq: event for event in past}
        settings = deps.run if deps is not None else RunSettings()
        data = {
            "question": question,
            "settings": settings.to_json(),
            "session": self.log.session,
            "version": RELEASE,
            "rules": RULE_VERSIONS,
            **name_language(question, settings.follows),
        }
        self.log.append(Draft("created", data, "created"))
        self._folded: tuple[int, RunView] = (-1, RunView())

    def copy_in_memory(self) -> ResearchContext:
        """Return a context that knows what this one knows; what it adds is never written."""
        return ResearchContext(
            self.question, self.deps, log=self.log.copy_in_memory(), past=tuple(self._past.values())
        )

    @property
    def run(self) -> RunView:
        """The view of all events so far: of this process, or of the whole log if it was stored."""
        events = list(self.log.emitted)
        if self._folded[0] != len(events):
            new = [event for event in events if event.seq not in self._past]
            run = fold_events([*self._past.values(), *new])
            # A replay records its `created` event under today's rules.
            self._folded = (len(events), replace(run, rules=read_rules(self.log)))
        return self._folded[1]

    # ---------------------------------------------------------------- attributes

    @property
    def question(self) -> str:
        return self.run.question

    @property
    def queries_made(self) -> list[str]:
        """The texts of all queries, in plan order."""
        queries = self.run.queries
        return list(dict.fromkeys(queries[order]["text"] for order in sorted(queries)))

    @property
    def source_metadata(self) -> dict[str, dict[str, Any]]:
        """URL → {title, snippet, score, fetched}. An own document is not scored: 0.0."""
        return {url: self._metadata(url) for url in self.run.sources}

    @property
    def sources_fetched(self) -> dict[str, str]:
        """URL → text of every page that was read."""
        return {
            url: self.log.open(source.page)
            for url, source in self.run.sources.items()
            if source.read
        }

    @property
    def established_facts(self) -> list[str]:
        """Facts from callers, then one per source the gate would keep."""
        run = self.run
        facts = list(run.facts)
        for source in run.sources.values():
            judgement = source.judgement
            if judgement and passes_cutoff(judgement, run.mode):
                facts.append(f"{judgement.title}: {judgement.explanation} ({judgement.url})")
        return list(dict.fromkeys(facts))

    @property
    def plan(self) -> dict[str, Any] | None:
        """{type, strategy, sub_questions, queries}, or None before planning."""
        stored = self.run.plan
        if stored is None:
            return None
        plan = {
            name: stored[name] for name in ("type", "strategy", "sub_questions") if name in stored
        }
        plan["queries"] = [query["text"] for query in stored["queries"]]
        return plan

    @property
    def gaps(self) -> list[str]:
        return list(self.run.gaps)

    @property
    def follow_up_queries(self) -> list[str]:
        """The texts of the queries that fill gaps, in plan order."""
        queries = [query for _, query in sorted(self.run.queries.items())]
        return [query["text"] for query in queries if query["purpose"] == "gap"]

    # ---------------------------------------------------------------- methods

    def add_query(self, query: str, *, step: int | None = None, purpose: str = "tool") -> None:
        """Record a query, unless it was made before. step: the client's step that made it."""
        by = {} if step is None else {"step": step}
        # Another process may take the position meanwhile; then the next one is tried.
        while query not in self.queries_made:
            order = max(FIRST_TOOL_ORDER, self._last_order() + 1)
            made = {"text": query, "order": order, "purpose": purpose, **by}
            self._emit("planned", f"query:{order}", part=f"query:{order}", queries=[made])

    def order_of(self, query: str) -> int:
        """Return the position in the plan of a query that was made."""
        return next(order for order, made in self.run.queries.items() if made["text"] == query)

    def add_search_results(
        self, results: Iterable[Mapping[str, Any]], question: str, *, order: int | None = None
    ) -> None:
        """Score and record each result; a listed address keeps its title, snippet and score.

        order: the position of the query they answer, by default the latest one's. A result may also
        have cited (authors, venue, date, DOI), ratings (of its host by experts, by list),
        retracted (the index that lists it as retracted) and scored_against (the words its
        credibility is scored against, by default the question).
        """
        if order is None:
            order = max(FIRST_TOOL_ORDER, self._last_order())
        new: dict[str, Draft] = {}
        for rank, result in enumerate(results):
            url = _canonical_or_as_given(result["url"])
            listed = self.is_listed(url)
            # A retraction is recorded for a listed address too.
            if url in new or (listed and not result.get("retracted")):
                continue
            snippet = result.get("snippet", "")
            parts: ScoreParts | None = None
            if listed:
                parts = self.parts(url)
            elif not is_own_document(url):
                parts = credibility.assess(
                    url,
                    snippet,
                    result.get("scored_against", question),
                    self.run.settings.credibility,
                    ratings=result.get("ratings", {}),
                )
            more = {}
            for name in ("cited", "ratings", "retracted"):
                if result.get(name):
                    more[name] = result[name]
            new[url] = _build_found_event(
                url,
                result.get("title", ""),
                snippet,
                order=order,
                rank=rank,
                parts=parts,
                more=more,
            )
        if new:
            self.log.append(*new.values())

    def is_listed(self, url: str) -> bool:
        """Return True if a search of this session listed exactly this address."""
        source = self.run.sources.get(url)
        if source is None:
            return False
        return any(listing.order != PROVISIONAL_ORDER for listing in source.listings)

    def add_fetched_page(self, url: str, content: str, **facts: Any) -> None:
        """Record the text of a page. facts: as in `Page.facts`; missing ones are empty."""
        url = _canonical_or_as_given(url)
        read = {
            "final_url": url,
            "title": "",
            "published": "",
            "kind": "html",
            "failure": "",
            **facts,
        }
        self._emit("fetched", url, url=url, **read, page=content, characters=len(content))

    def add_failed_page(
        self, url: str, reason: str, attempts: Sequence[dict[str, str]] = (), *, kind: str = ""
    ) -> None:
        """Record that a page could not be read, and why.

        attempts: {"tier", "outcome"} of each way tried. kind: of the failure.
        """
        url = _canonical_or_as_given(url)
        more: dict[str, Any] = {}
        if attempts:
            more["attempts"] = list(attempts)
        if kind:
            more["failed"] = kind
        self._emit("fetched", f"failed:{url}", url=url, failure=reason, **more)

    def is_fetched(self, url: str) -> bool:
        """Return True if the page was read."""
        source = self.run.sources.get(_canonical_or_as_given(url))
        return source is not None and source.read

    def get_fetched_content(self, url: str) -> str:
        """Return the text of a page, "" if it was not read."""
        source = self.run.sources.get(_canonical_or_as_given(url))
        if source is None or not source.read:
            return ""
        text: str = self.log.open(source.page)
        return text

    def get_score(self, url: str) -> float:
        """Return the stored score, or record a provisional one with an empty snippet.

        0.0 for an own document, which is not scored.
        """
        return 0.0 if is_own_document(url) else self.parts(url).score

    def parts(self, url: str) -> ScoreParts:
        """Return the parts of `get_score` for a web address."""
        url = _canonical_or_as_given(url)
        source = self.run.sources.get(url)
        parts = find_score(source, self.run) if source else None
        if parts is None:
            parts = credibility.assess(
                url, "", self.run.asked, self.run.settings.credibility, provisional=True
            )
            self.log.append(
                _build_found_event(url, "", "", order=PROVISIONAL_ORDER, rank=0, parts=parts)
            )
        return parts

    def is_blocked(self, url: str) -> bool:
        """Return True if the credibility threshold refuses this address.

        False for an approved address or an own document.
        """
        if is_own_document(url):
            return False
        self.parts(url)
        return not is_eligible(self.run.sources[_canonical_or_as_given(url)], self.run)

    def block(self, url: str, score: float) -> None:
        """Record that a fetch was requested and refused."""
        url = _canonical_or_as_given(url)
        self._emit("blocked", url, url=url, score=score, order=PROVISIONAL_ORDER)

    def add_established_fact(self, fact: str) -> None:
        """Record a fact, unless it is already established."""
        if fact not in self.established_facts:
            self._emit("fact", fact, text=fact)

    def get_all_sources(self) -> list[dict[str, Any]]:
        """Return [{url, title, score, fetched}] of every source, the best score first."""
        sources = []
        for url, data in self.source_metadata.items():
            shown = {name: data[name] for name in ("title", "score", "fetched")}
            sources.append({"url": url, **shown})
        return sorted(sources, key=lambda source: (-source["score"], source["url"]))

    # ---------------------------------------------------------------- helpers

    def _metadata(self, url: str) -> dict[str, Any]:
        source = self.run.sources[url]
        listing = choose_listing(source, self.run)
        parts = find_score(source, self.run)
        return {
            "title": (listing.title if listing else "") or source.title,
            "snippet": listing.snippet if listing else "",
            "score": parts.score if parts else 0.0,
            "fetched": source.read,
        }

    def _last_order(self) -> int:
        return max(self.run.queries, default=0)

    def _emit(self, kind: str, key: str, /, **data: Any) -> None:
        self.log.append(Draft(kind, data, key))


def memory_log(question: str) -> EventLog:
    """Return a log about a question in memory, which is dropped with its last reference."""
    return EventLog(MemoryStore(question), _WallClock())


class _WallClock:
    def now(self) -> float:
        return time.time()


def _build_found_event(
    url: str,
    title: str,
    snippet: str,
    *,
    order: int,
    rank: int,
    parts: ScoreParts | None,
    more: Mapping[str, Any] = MappingProxyType({}),
) -> Draft:
    data = {
        "url": url,
        "title": title,
        "snippet": snippet,
        "engine": "",
        "order": order,
        "rank": rank,
        "parts": asdict(parts) if parts else None,
        **more,
    }
    return Draft("found", data, f"{order}:{url}")


def _canonical_or_as_given(url: str) -> str:
    """Return the canonical address, or an unreadable one unchanged, so that it can be refused."""
    try:
        return canonical_url(url)
    except ValueError:
        return url
