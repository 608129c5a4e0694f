"""Define the protocols through which steps reach the outside, and `Deps`, which carries them.

`wiring.default_deps` builds the real one, a fixture the one for tests.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from research_core.errors import UsageError
from research_core.journal.log import EventLog
from research_core.model_messages import Json, ModelReply, ModelRequest
from research_core.models import HttpReply, Principal
from research_core.policy import RunSettings
from research_core.settings import Settings

if TYPE_CHECKING:
    from research_core.journal.database import Database
    from research_core.text.embeddings import Embedder
    from research_core.text.entailment import Entailment


class Clock(Protocol):
    """Wall time and a monotonic clock."""

    def now(self) -> float:
        """Return wall time, seconds since the epoch, UTC."""

    def monotonic(self) -> float:
        """Return seconds for measuring intervals."""

    def wait(self, event: threading.Event, seconds: float) -> float:
        """Wait for this time, or until the event is set; return the seconds it took."""


@dataclass(frozen=True)
class Price:
    """What one call costs, in US dollars.

    max_cost: reserved before the call. read_cost: reads the cost from the recorded answer, None if
    it has none.
    """

    max_cost: float
    read_cost: Callable[[Mapping[str, Any]], float | None]


@dataclass(frozen=True)
class Login:
    """Where a call gets its access token (OAuth 2, client credentials).

    headers: prove who asks; secret.
    """

    url: str
    headers: Mapping[str, str] = field(repr=False)


class Http(Protocol):
    """The guarded HTTP session behind the doorway.

    Status codes are returned, not raised; a call without an answer raises FetchError.
    """

    def send(
        self,
        method: str,
        url: str,
        *,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        json: Any = None,
        form: Mapping[str, str] | None = None,
        timeout_s: float = 15.0,
        max_bytes: int = 5_000_000,
        endpoint: bool = False,
        keep: bool = True,
        ttl_s: float = 0.0,
        page: bool = False,
        max_document: int = 0,
        price: Price | None = None,
        login: Login | None = None,
    ) -> HttpReply:
        """Send one request.

        endpoint: the configuration names this address. keep: False records only kind, time and
        outcome. form: sent as a form instead of json. ttl_s: the greatest age, in seconds, of
        another session's answer that may be used; 0 for none. page: a page of somebody's site, so
        robots.txt and the pace of the host apply; False for services. max_document: the byte limit
        for a document (PDF or office), in place of max_bytes. price: set for a call that costs
        money; one the run cannot afford fails as `config` and is not made. login: set if the call
        must carry a token, which is fetched when the call is made and recorded nowhere.
        """

    def on_behalf(self, page: str) -> Http:
        """Return an Http for what is requested in order to read the page at this address.

        The page itself must be allowed, its resources need not be. The log names the page of each
        call.
        """

    def with_deadline(self, seconds: float) -> Http:
        """Return an Http whose unrecorded calls time out so many seconds from now."""

    def with_max_age(self, seconds: float) -> Http:
        """Return an Http that accepts answers up to so many seconds old.

        Their headers do not matter. This applies to pages and to the fact that a page is missing.
        """

    def for_service(
        self, service: str, *, pace_s: float = 0.0, ttl_s: float = 0.0, trips: bool = True
    ) -> Http:
        """Return an Http for the calls of one service: behind its breaker, at least pace_s apart.

        ttl_s: the greatest age of another session's answer, whatever its headers say; own answers
        become available to others once `release_answers` is called. trips: whether the breaker
        counts outcomes; False for a service whose calls are soon repeated when it is busy.
        """

    def release_answers(self) -> None:
        """Release the answers of this service to other sessions, because they were understood."""

    def record_fact(self, params: Mapping[str, Any], look: Callable[[], Any]) -> Any:
        """Record a fact about this machine as plain JSON, so that a replay elsewhere uses it too.

        A UsageError or SettingsError raised by look is recorded and raised again.
        """

    def list_open_breakers(self, services: Sequence[str]) -> list[str]:
        """Return those of these services whose breaker is open; recorded for replays."""

    def call(
        self, kind: str, params: Mapping[str, Any], fn: Callable[[], Any], *, limit: str = ""
    ) -> Any:
        """Make any other outside call (ddgs, the library), recorded under its parameters.

        fn returns plain JSON values or raises a BoundaryError. limit: the name of what bounds
        concurrency.
        """

    def check_stop(self) -> None:
        """Raise Stopped if this session was cancelled or this process shuts down."""

    def close(self) -> None:
        """From now on answer only recorded calls and the writer's; others raise CallForbidden."""

    def out_of_time(self) -> bool:
        """Return True if the cap on seconds, less the writer's share, is used up."""

    def tally(self) -> Json:
        """Return what the session has used.

        Keys: model_calls, other_calls, tokens, cost (US dollars, None if unknown), seconds, those
        of `policy.Tally` that are only stored if they are true, and models: by kind of request, how
        many answers of each model this attempt used.
        """


#: Sends one request: `web.http.client.Client.send`, whose signature says what it takes.
Send = Callable[..., HttpReply]


class RawHttp(Protocol):
    """What the doorway wraps to make an `Http`: `web.http.client.Client`, or a test's."""

    @property
    def send(self) -> Send: ...


class Model(Protocol):
    """A language model, or the extractive one. `name` is part of every call key."""

    @property
    def name(self) -> str: ...

    def open(self) -> None:
        """Import and open what the first call would wait for. May be called again."""

    def run(
        self, request: ModelRequest, on_text: Callable[[str], None] | None = None
    ) -> ModelReply:
        """Return the reply unparsed. Raises ModelError and nothing else.

        on_text: receives pieces as they arrive.
        """


@runtime_checkable
class PricedModel(Protocol):
    """A model with a list price."""

    def estimate_cost(self, request: ModelRequest) -> float | None:
        """Return about what a request costs in US dollars, None if the price is unknown."""


@runtime_checkable
class CountingModel(Protocol):
    """A model that counts which of its answers were used."""

    def count_unusable(self, request: ModelRequest, problem: str) -> None:
        """Count the answer to a request as unusable. problem: why, a sentence."""


@runtime_checkable
class LimitedModel(Protocol):
    """A model whose server takes few calls at once."""

    @property
    def most_at_once(self) -> int:
        """The most calls that one session may make at once."""


@dataclass(frozen=True)
class Provider:
    """One way of asking one service.

    search: takes (http, settings, query) and returns records in order, () for none; raises
    SearchError otherwise. Limits it applied, and what it could not get, are reported in
    `records.NotedRecords`. kind: what it finds, and so which query it takes and which records it
    returns (`providers.KINDS`). needs: environment variables that must be set. honours: query
    parameters it supports beside text and count. beyond: those of them whose value in this query it
    can only approximate; the result says so. serves: False if it can have nothing for this query;
    then it is asked only by name. service: whose breaker it shares, its own by default. pace_s:
    seconds between the starts of two calls of that service. named_only: asked only by name.
    most_sites: how many sites of a lens its own parameter takes at once, 0 if they go into the
    query's words.
    """

    name: str
    kind: str
    search: Callable[[Http, Settings, Any], Sequence[Any]]
    needs: tuple[str, ...] = ()
    honours: frozenset[str] = frozenset()
    service: str = ""
    pace_s: float = 0.0
    named_only: bool = False
    most_sites: int = 0
    beyond: Callable[[Any], Collection[str]] = lambda _query: ()
    serves: Callable[[Any], bool] = lambda _query: True


class Browser(Protocol):
    """Runs a page's scripts. The guarded session makes every request of the page."""

    def render(
        self, url: str, *, stable_s: float, timeout_s: float, go_on: Callable[[], None]
    ) -> Json:
        """Return the page once nothing changed for stable_s seconds.

        Keys: "url" (the final address), "status", "headers", "html" (after scripts), "requests":
        {"sent", "refused"}. go_on is called repeatedly and may raise. Raises FetchError:
        browser_unavailable if the program does not start, else as `Http.send`.
        """


class Documents(Protocol):
    """The local library as the fetch step sees it."""

    def read(self, url: str) -> Json | None:
        """Return the document at this canonical URL or `document:<sha>`, or None.

        Keys: "url", "title", "text", "kind", "published", "facts" (see
        `models.select_stored_facts`) and "added" (the day, YYYY-MM-DD).
        """

    def guess_language(self) -> str:
        """Return the code of the language of its titles, "" if that is not clear."""


def _raise_no_database() -> Database:
    raise UsageError(
        "This tool goes by what is kept from call to call, and a run's model has nothing of that."
    )


def _find_no_ratings(_hosts: Sequence[str]) -> Mapping[str, Mapping[str, float]]:
    return {}


def do_nothing(_url: str) -> None:
    """Prepare no page: a replay and a single call request none ahead of time."""


@dataclass(frozen=True)
class Deps:
    """Everything a step may use.

    http and model go through the doorway, which records their answers. engines: the search engines
    of this run, in order. documents: the local library, if this run searches it. browser: None if
    this machine has none. pool: runs recorded calls; a task on it never waits for another. db:
    opens the database for tools that keep data between calls; raises UsageError by default. rated:
    returns the expert ratings of these hosts, {host: {list: 0.0-1.0}}. artifact: keeps a body of a
    media type for half an hour and returns its address, "" on failure; None if there is no store.
    prepare_page: fetches the robots.txt that the request for this page would wait for. embedder:
    compares texts by meaning, if the run's settings name it (`RunSettings.passage_model`); None if
    there is none. entailment: the user's model that compares a passage with a claim, if any.
    """

    settings: Settings
    run: RunSettings
    http: Http
    model: Model
    log: EventLog
    clock: Clock
    pool: Executor
    who: Principal = Principal()
    engines: tuple[Provider, ...] = ()
    documents: Documents | None = None
    browser: Browser | None = None
    db: Callable[[], Database] = _raise_no_database
    artifact: Callable[[bytes, str], str] | None = None
    rated: Callable[[Sequence[str]], Mapping[str, Mapping[str, float]]] = _find_no_ratings
    prepare_page: Callable[[str], None] = do_nothing
    embedder: Embedder | None = None
    entailment: Entailment | None = None
