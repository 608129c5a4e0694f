"""Search the pages a previous session read, as a source for a follow-up.

Included and excluded pages are listed alike, best first for the query; pages without any of its
words are left out. The previous session's log is read and never written. Scoring, reading and
judging the listed pages is the run's work, as for any other result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock

from research_core.errors import BoundaryError, FetchError, SearchError, UsageError
from research_core.journal import deps
from research_core.journal.database import Database
from research_core.journal.deps import Http, Provider
from research_core.journal.events import Event, drop_voided
from research_core.journal.store import Store, find_session
from research_core.model_messages import Json
from research_core.models import Principal, SearchResult, select_stored_facts
from research_core.policy import SESSION_ENGINE
from research_core.search.library.snippet import make_snippet
from research_core.search.queries import WebQuery
from research_core.settings import Settings
from research_core.text.passages import select_passages
from research_core.text.similarity import measure_fit, parse_question
from research_core.text.topic_match import measure_closeness
from research_core.urls import is_own_document

MAX_RESULTS = 10


@dataclass(frozen=True)
class SessionPages:
    """The pages one session of this user read. Loaded on first use, once."""

    db: Database
    who: Principal
    session: str
    _known: dict[str, tuple[Event, str]] = field(default_factory=dict, compare=False, repr=False)
    _lock: Lock = field(default_factory=Lock, compare=False, repr=False)

    def search(self, query: str, k: int = MAX_RESULTS) -> list[Json]:
        """Return up to k of {"url", "title", "snippet", "published"}, best first.

        Raises SearchError if the session was deleted.
        """
        question = parse_question(query)
        ranked: list[tuple[float, str, Json]] = []
        for event, text in self._read(SearchError).values():
            page = event.data
            passages = [passage.text for passage in select_passages(query, text)]
            if not passages:
                continue
            closeness = measure_closeness(measure_fit(question, page["title"], passages))
            row = {
                "url": page["url"],
                "title": page["title"],
                "snippet": make_snippet(query, text, page["published"]),
                "published": page["published"],
            }
            ranked.append((-closeness, page["url"], row))
        ranked.sort(key=lambda item: item[:2])
        return [row for _, _, row in ranked[:k]]

    def document(self, url: str) -> Json | None:
        """Return the stored page at this URL, or None.

        Fields: {"url", "title", "text", "kind", "published", "facts"}. Raises FetchError if the
        session was deleted, even after it listed this page.
        """
        event, text = self._read(FetchError).get(url, (None, ""))
        if event is None:
            return None
        page = event.data
        return {
            "url": page["final_url"],
            "title": page["title"],
            "text": text,
            "kind": page.get("kind", "text"),  # once not recorded for pages a model's tool read
            "published": page["published"],
            "facts": select_stored_facts(page),
        }

    def _read(self, gone: type[BoundaryError]) -> dict[str, tuple[Event, str]]:
        """Load the pages and texts by requested URL; of one final URL, the first.

        gone: the error type to raise if the session was deleted.
        """
        try:
            find_session(self.db, self.who, self.session)
        except UsageError as error:
            raise gone(
                "The session before was deleted.",
                kind="not_found",
                next_step="Restore it, or leave it out.",
            ) from error
        with self._lock:
            if not self._known:
                store = Store(self.db, self.who, self.session)
                events = drop_voided(store.read(kinds=("fetched", "voided")))
                by_final_url: dict[str, Event] = {}
                for event in reversed(events):
                    if event.data.get("final_url"):
                        by_final_url[event.data["final_url"]] = event
                known = {}
                for event in by_final_url.values():
                    known[event.data["url"]] = (event, _read_page_text(store, event))
                self._known.update(known)  # at once, so that a failure leaves it empty
            return self._known


def _read_page_text(store: Store, event: Event) -> str:
    (body,) = event.data["page"].values()
    return store.blob(body).decode("utf-8", "surrogatepass")


def build_provider(pages: SessionPages) -> Provider:
    """Build the search engine "session" of a follow-up."""

    def search(http: Http, settings: Settings, query: WebQuery) -> Sequence[SearchResult]:
        params = {"session": pages.session, "query": query.text, "k": MAX_RESULTS}
        rows = http.call(SESSION_ENGINE, params, lambda: pages.search(query.text, MAX_RESULTS))
        return [
            SearchResult(row["title"], row["url"], row["snippet"], SESSION_ENGINE, row["published"])
            for row in rows
        ]

    return Provider(SESSION_ENGINE, SESSION_ENGINE, search)


@dataclass(frozen=True)
class SessionDocuments:
    """The documents a follow-up reads offline: its library, then the session's own ones."""

    pages: SessionPages
    library: deps.Documents | None

    def read(self, url: str) -> Json | None:
        held = self.library.read(url) if self.library else None
        if not held and is_own_document(url):
            return self.pages.document(url)
        return held

    def guess_language(self) -> str:
        return self.library.guess_language() if self.library else ""
