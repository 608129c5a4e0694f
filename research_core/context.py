"""`ResearchContext`: the shared memory of a research session, as a reading of its log (spec/research-context.md).

Every method that adds something appends one event, and every attribute is a fold of the log, so a context over a stored log equals
the live one. It keeps no state of its own and makes no call to the outside.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from research_core import credibility
from research_core.decide import RunView, eligible, fold, identity, keeps, parts_under
from research_core.events import Draft
from research_core.log import EventLog
from research_core.models import Principal, ScoreParts
from research_core.policy import RunSettings
from research_core.store import Store, create_session, open_database
from research_core.urls import canonical, is_own

#: Places in plan order of what a caller or an agent adds: after every query of a plan; a score without a search result last.
TOOL, PROVISIONAL = 1000, 1_000_000


class ResearchContext:
    """The specified attributes and methods, over `deps.log` or, without deps, over a log in memory that is dropped with it."""

    def __init__(self, question: str, deps: Any = None, *, log: EventLog | None = None) -> None:
        self.deps = deps
        self.log = log or (deps.log if deps is not None else memory_log(question))
        settings = deps.run if deps is not None else RunSettings()
        self.log.append(Draft("created", {"question": question, "settings": settings.to_json(), "session": self.log.session}, "created"))
        self._folded: tuple[int, RunView] = (-1, RunView())

    @property
    def run(self) -> RunView:
        """The view of everything this log has said so far in this process."""
        events = list(self.log.emitted)
        if self._folded[0] != len(events):
            self._folded = (len(events), fold(events))
        return self._folded[1]

    # -- attributes ------------------------------------------------------------------------------------------------------

    @property
    def question(self) -> str:
        return self.run.question

    @property
    def queries_made(self) -> list[str]:
        return list(dict.fromkeys(self.run.queries[order]["text"] for order in sorted(self.run.queries)))

    @property
    def source_metadata(self) -> dict[str, dict[str, Any]]:
        """URL → {title, snippet, score, fetched}. An own document is not scored; its score is 0.0."""
        return {url: self._metadata(url) for url in self.run.sources}

    @property
    def sources_fetched(self) -> dict[str, str]:
        """URL → the text of every page that was read."""
        return {url: self.log.open(source.page) for url, source in self.run.sources.items() if source.read}

    @property
    def established_facts(self) -> list[str]:
        """What callers established, then one fact per source the gate would keep."""
        run = self.run
        kept = [source.judgement for source in run.sources.values() if source.judgement and keeps(source.judgement, run.mode)]
        return list(dict.fromkeys([*run.facts, *(f"{judged.title}: {judged.explanation}" for judged in kept)]))

    @property
    def plan(self) -> dict[str, Any] | None:
        plan = self.run.plan
        if plan is None:
            return None
        queries = [query["text"] for query in plan["queries"]]
        return {name: plan[name] for name in ("type", "strategy", "sub_questions") if name in plan} | {"queries": queries}

    @property
    def gaps(self) -> list[str]:
        return list(self.run.gaps)

    @property
    def follow_up_queries(self) -> list[str]:
        return [query["text"] for query in self.run.queries.values() if query["purpose"] == "gap"]

    # -- methods ---------------------------------------------------------------------------------------------------------

    def add_query(self, query: str) -> None:
        """Record a query; one already made is ignored."""
        if query not in self.queries_made:
            order = self._next_order()
            self._emit("planned", f"query:{order}", part=f"query:{order}", queries=[{"text": query, "order": order, "purpose": "tool"}])

    def add_search_results(self, results: Iterable[Mapping[str, str]], question: str) -> None:
        """Score and store each result; an address already known keeps the title, snippet and score it has."""
        known = self.run.sources
        order = max([TOOL, *(order for order in self.run.queries if order < PROVISIONAL)])
        drafts = []
        for rank, result in enumerate(results):
            url = _address(result["url"])
            provisional = url in known and all(listing.order == PROVISIONAL for listing in known[url].listings)
            if url not in known or provisional:
                parts = credibility.assess(url, result.get("snippet", ""), question, self.run.settings.credibility)
                drafts.append(_found(url, result.get("title", ""), result.get("snippet", ""), order, rank, None if is_own(url) else parts))
        if drafts:
            self.log.append(*drafts)

    def add_fetched_page(self, url: str, content: str, *, title: str = "", final_url: str = "") -> None:
        url = _address(url)
        self._emit("fetched", url, url=url, final_url=final_url or url, title=title, page=content, characters=len(content))

    def is_fetched(self, url: str) -> bool:
        source = self.run.sources.get(_address(url))
        return source is not None and source.read

    def get_fetched_content(self, url: str) -> str:
        """The text of a page, "" when it was not read."""
        source = self.run.sources.get(_address(url))
        return self.log.open(source.page) if source is not None and source.read else ""

    def get_score(self, url: str) -> float:
        """The stored score, else one with an empty snippet, stored as provisional."""
        return self.parts(url).score

    def parts(self, url: str) -> ScoreParts:
        """`get_score` with its working."""
        url = _address(url)
        source = self.run.sources.get(url)
        listing = identity(source, self.run.settings) if source else None
        parts = parts_under(listing, self.run.settings) if listing else None
        if parts is None:
            parts = credibility.assess(url, "", self.question, self.run.settings.credibility, provisional=True)
            self.log.append(_found(url, "", "", PROVISIONAL, 0, parts))
        return parts

    def is_blocked(self, url: str) -> bool:
        """Whether the credibility threshold refuses this address; one approved by the analyst, or an own document, it never does."""
        url = _address(url)
        self.parts(url)
        return not eligible(self.run.sources[url], self.run.settings)

    def block(self, url: str, score: float) -> None:
        """Record that a fetch was asked for and refused."""
        self._emit("blocked", _address(url), url=_address(url), score=score, order=PROVISIONAL)

    def add_established_fact(self, fact: str) -> None:
        if fact not in self.established_facts:
            self._emit("fact", fact, text=fact)

    def get_all_sources(self) -> list[dict[str, Any]]:
        """[{url, title, score, fetched}] of every source, by score, best first."""
        sources = [
            {"url": url, **{name: data[name] for name in ("title", "score", "fetched")}} for url, data in self.source_metadata.items()
        ]
        return sorted(sources, key=lambda source: (-source["score"], source["url"]))

    # -- inside ----------------------------------------------------------------------------------------------------------

    def _metadata(self, url: str) -> dict[str, Any]:
        source = self.run.sources[url]
        listing = identity(source, self.run.settings)
        parts = parts_under(listing, self.run.settings) if listing else None
        return {
            "title": (listing.title if listing else "") or source.title,
            "snippet": listing.snippet if listing else "",
            "score": parts.score if parts else 0.0,
            "fetched": source.read,
        }

    def _next_order(self) -> int:
        return max([TOOL - 1, *(order for order in self.run.queries if order < PROVISIONAL)]) + 1

    def _emit(self, kind: str, key: str, **data: Any) -> None:
        self.log.append(Draft(kind, data, key))


def memory_log(question: str) -> EventLog:
    """A log that lives in memory and is dropped with its last reference."""
    db, who, session = open_database("sqlite://"), Principal(), uuid.uuid4().hex
    create_session(db, who, session, question, RunSettings().to_json(), time.time())
    return EventLog(Store(db, who, session), _Wall())


class _Wall:
    def now(self) -> float:
        return time.time()


def _found(url: str, title: str, snippet: str, order: int, rank: int, parts: ScoreParts | None) -> Draft:
    scored = asdict(parts) if parts else None
    data = {"url": url, "title": title, "snippet": snippet, "engine": "", "order": order, "rank": rank, "parts": scored}
    return Draft("found", data, f"{order}:{url}")


def _address(url: str) -> str:
    """The canonical address; one that cannot be read stays as it is, so that it can still be scored and refused."""
    try:
        return canonical(url)
    except ValueError:
        return url
