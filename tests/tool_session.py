"""A session for tests of tools, behind a real doorway over a log in memory.

Its engines, pages and model say what a test wants.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from research_core.context import ResearchContext, memory_log
from research_core.errors import FetchError
from research_core.journal.deps import Deps, Documents, Http, Model, Provider, RawHttp
from research_core.journal.doorway import Doorway
from research_core.journal.log import EventLog
from research_core.journal.memory_store import MemoryStore
from research_core.models import HttpReply, SearchQuery, SearchResult
from research_core.policy import RunSettings
from research_core.settings import Settings
from tests.logs import Hands
from tests.scripted import Scripted
from tests.timing import LONG_S
from tests.world import StillClock

QUESTION = "quantum error correction codes"
GOOD = "https://nature.com/codes"  # 0.32 + 0.5 when its snippet holds the whole question
POOR = "https://cs.stanford.edu/x"  # 0.36 when its snippet holds nothing of it: blocked
POOL = ThreadPoolExecutor(16)
Row = tuple[str, str, str]
HTML = {"content-type": "text/html; charset=utf-8"}


def row(url: str = GOOD, snippet: str = QUESTION, title: str = "Codes") -> Row:
    return title, url, snippet


def html(*paragraphs: str, title: str = "Codes") -> str:
    text = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return f"<!doctype html><html><head><title>{title}</title></head><body><main><article>{text}</article></main></body></html>"


PAGE = html(
    "Surface codes correct the errors of physical qubits by measuring their parities again and again, without looking at them."
)


@dataclass
class Web:
    """Pages by address: HTML, a whole reply, or a failure; anything else is not found. asked:
    (address, options) of every request.
    """

    pages: Mapping[str, str | HttpReply | Exception] = field(default_factory=dict)
    asked: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)
    meeting: threading.Barrier | None = None

    def prepare_page(self, url: str) -> None:
        """Do nothing: these pages have no robots.txt."""

    def send(self, method: str, url: str, **options: Any) -> HttpReply:
        self.asked.append((url, options))
        if self.meeting:
            self.meeting.wait(LONG_S)
        page = self.pages.get(url, FetchError("There is nobody at this address.", kind="network"))
        if isinstance(page, Exception):
            raise page
        return page if isinstance(page, HttpReply) else HttpReply(url, 200, HTML, page.encode())

    @property
    def urls(self) -> list[str]:
        return [url for url, _ in self.asked]


@dataclass
class Engine:
    """A search engine: rows by query, or a failure; nothing for any other query. asked: every
    query.
    """

    name: str = "one"
    answers: Mapping[str, Sequence[Row] | Exception] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def provider(self) -> Provider:
        def answer(query: str) -> list[list[str]]:
            self.asked.append(query)
            rows = self.answers.get(query, ())
            if isinstance(rows, Exception):
                raise rows
            return [list(one) for one in rows]

        def search(http: Http, _settings: Settings, query: SearchQuery) -> list[SearchResult]:
            rows = http.call(
                "ddgs", {"engine": self.name, "query": query.text}, lambda: answer(query.text)
            )
            return [SearchResult(*one) for one in rows]

        return Provider(self.name, "web", search)


def make_context(
    *engines: Engine,
    web: RawHttp | None = None,
    model: Model | None = None,
    run: RunSettings | None = None,
    question: str = QUESTION,
    documents: Documents | None = None,
    log: EventLog | None = None,
) -> ResearchContext:
    """A context whose every call goes to these."""
    log, clock, run = (
        log or memory_log(question),
        StillClock(),
        run or RunSettings(engines=("one",)),
    )
    doorway = Doorway(log, web or Web(), model or Scripted("no answer"), clock)
    settings = Settings(home=Path("unused"), database_url="sqlite://")
    rows = tuple(engine.provider() for engine in engines)
    return ResearchContext(
        question,
        Deps(
            settings,
            run,
            doorway.http,
            doorway.model,
            log,
            clock,
            POOL,
            engines=rows,
            documents=documents,
        ),
    )


def begun(at: float) -> EventLog:
    """The log of a session that began at this time."""
    return EventLog(MemoryStore(QUESTION, "then"), Hands(at))


def listed(*rows: Row, **options: Any) -> ResearchContext:
    """A context in which one search has listed these."""
    context = make_context(**options)
    context.add_query("first")
    context.add_search_results(
        [{"title": title, "url": url, "snippet": snippet} for title, url, snippet in rows],
        context.question,
    )
    return context


def kinds(context: ResearchContext) -> list[str]:
    """The kinds of the events it emitted, in order."""
    return [event.kind for event in context.log.emitted]
