"""The seams: what a step may ask of the world, as protocols, and the one value that carries them.

`wiring.default_deps` builds it for real, a fixture for tests. Nothing here opens, reads or decides
anything.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from research_core.errors import UsageError
from research_core.journal.log import EventLog
from research_core.model_messages import Json, ModelReply, ModelRequest
from research_core.models import HttpReply, Principal
from research_core.policy import RunSettings
from research_core.settings import Settings

if TYPE_CHECKING:
    from research_core.journal.database import Database


class Clock(Protocol):
    def now(self) -> float:
        """Wall time, seconds since the epoch, UTC."""

    def monotonic(self) -> float:
        """Seconds for measuring intervals."""


@dataclass(frozen=True)
class Price:
    """What one call costs, in US dollars. most: set aside before it; of: what its recorded answer
    says, None where it says nothing.
    """

    most: float
    of: Callable[[Mapping[str, Any]], float | None]


@dataclass(frozen=True)
class Login:
    """Where a call gets the token it must carry (OAuth 2, client credentials). headers: what proves
    who asks, and is secret.
    """

    url: str
    headers: Mapping[str, str] = field(repr=False)


class Http(Protocol):
    """The guarded session behind the doorway. Status codes are returned, not raised; what never
    answered raises FetchError.
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
        """endpoint: the address is one the configuration names. keep: False leaves only kind, time
        and outcome in the log.

        form: what is sent as one, in place of json. ttl_s: how old an answer to another session may
        be to stand for this one, in seconds; 0 for one of its own. page: it is somebody's page:
        their robots.txt and the pace of their host are heeded. False for services and what belongs
        to them. max_document: bytes that an answer which is a document, PDF or office, may have in
        place of max_bytes. price: given where the call is paid for. Where the run may not spend so
        much it fails as `config`, and is not made. login: given where the call must carry a token.
        It is asked for when the call is made, and is nowhere recorded.
        """

    def on_behalf(self, page: str) -> Http:
        """The same, for what is asked in order to read the page at this address. The page has to be
        one that may be read, what is asked

        for it need not be; and the log says of each call which page it was for.
        """

    def within(self, seconds: float) -> Http:
        """The same for so many seconds from now, after which every call that is not recorded fails
        as a timeout.
        """

    def lasting(self, seconds: float) -> Http:
        """The same, whose answers may be so many seconds old, whatever their headers say: those of
        pages, and that one is not there.
        """

    def of(
        self, service: str, *, pace_s: float = 0.0, ttl_s: float = 0.0, trips: bool = True
    ) -> Http:
        """The same for the calls of one service: past its breaker, its calls at least pace_s apart.

        Its answers may stand for other sessions for ttl_s seconds, whatever their headers say, once
        `keep` was called. trips: whether its breaker hears what becomes of them; not where one that
        is put off is to be asked again soon.
        """

    def keep(self) -> None:
        """What `of` was asked made sense: its answers may be kept for other sessions."""

    def fact(self, params: Mapping[str, Any], look: Callable[[], Any]) -> Any:
        """Something of this machine, as plain JSON values: recorded under these parameters, so that
        a replay elsewhere goes by the same.

        So is a UsageError or a SettingsError that look raises.
        """

    def resting(self, services: Sequence[str]) -> list[str]:
        """Those of these services whose breaker is open; recorded, so that a replay says the same."""

    def call(
        self, kind: str, params: Mapping[str, Any], fn: Callable[[], Any], *, limit: str = ""
    ) -> Any:
        """Any other call to the outside (ddgs, the library): journalled under its parameters like
        an HTTP request.

        fn returns plain JSON values, or raises a BoundaryError. limit names the gate that bounds
        how many run at once.
        """

    def check_stop(self) -> None:
        """Raises Stopped when this session was cancelled or this process shuts down."""

    def close(self) -> None:
        """From now on only recorded calls answer, and those of the writer are made; any other
        raises CallForbidden.
        """

    def out_of_time(self) -> bool:
        """Whether the cap on seconds, less the writer's share, is used up."""

    def tally(self) -> Json:
        """What the session has used: model_calls, other_calls, tokens, cost (US dollars, None where
        unknown), seconds.
        """


class RawHttp(Protocol):
    """What the doorway wraps: `web.client.Client`, or a test's."""

    def send(
        self,
        method: str,
        url: str,
        *,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        json: Any = None,
        data: Mapping[str, str] | None = None,
        timeout_s: float,
        max_bytes: int,
        endpoint: bool = False,
        stop: threading.Event | None = None,
        wait: Callable[[float], None] | None = None,
        max_document: int = 0,
        on_behalf: str | None = None,
    ) -> HttpReply:
        """data: sent as a form. wait: given for a page; called with the seconds to wait for its
        turn, and raises when the run is over.

        on_behalf: given for a service; the page it is asked for, or "".
        """


class Model(Protocol):
    """A language model, or the extractive one. `name` is part of every call key."""

    @property
    def name(self) -> str: ...

    def run(
        self, request: ModelRequest, on_text: Callable[[str], None] | None = None
    ) -> ModelReply:
        """The reply as it came, unparsed. on_text receives pieces as they arrive. Raises
        ModelError, nothing else.
        """


@dataclass(frozen=True)
class Provider:
    """One way of asking one service. search takes (http, settings, query) and answers records in
    order, () for "nothing found";

    everything else raises SearchError; what a bound left out of them, or could not be had beside
    them, is told in `records.NotedRecords`. kind: what it finds, which says what query it takes and what
    records it gives (`providers.KINDS`). needs: environment names that must be set. honours:
    parameters of the query that it goes by, beside text and count. beyond: those of them that it
    cannot go by with the values of this query; it is asked for the nearest it has, and that is
    told. serves: whether it can have anything of what a query is limited to; where it has not, it
    is asked only where somebody names it. service: whose breaker it shares, by default its own;
    pace_s: seconds between the starts of two calls of that service. named_only: it is asked only
    where somebody names it. most_sites: how many sites of a lens its own parameter takes at once, 0
    where they stand in the words of the query.
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
    """What runs a page's scripts. It reaches nothing by itself: every request of a page is made by
    the guarded session.
    """

    def render(
        self, url: str, *, stable_s: float, timeout_s: float, go_on: Callable[[], None]
    ) -> Json:
        """{"url", "status", "headers", "html", "requests": {"sent", "refused"}} of the page once
        nothing changed for stable_s seconds.

        url: the final address; html: what the scripts have made of the page. go_on is called again
        and again, and may raise. Raises FetchError: browser_unavailable where the program does not
        start, else as `Http.send`.
        """


class Documents(Protocol):
    """The local library as the fetch step sees it."""

    def read(self, url: str) -> Json | None:
        """The document at this canonical URL or `document:<sha>`; None if not held.

        {"url", "title", "text", "kind", "published", "facts"}, facts as `models.select_stored_facts` has them.
        """


def _raise_no_database() -> Database:
    raise UsageError(
        "This tool goes by what is kept from call to call, and a run's model has nothing of that."
    )


def _find_no_ratings(_hosts: Sequence[str]) -> Mapping[str, Mapping[str, float]]:
    return {}


@dataclass(frozen=True)
class Deps:
    """Everything a step may touch. http and model are wrapped by the doorway: whatever they answer
    is recorded.

    engines: the search engines of this run, in order. documents: the local library, when this run
    searches it. browser: None where this machine has none. pool: runs recorded calls; a task on it
    never waits for another. db: opens the database, for tools that keep something from call to
    call; where it is not given it raises UsageError. rated: what the lists of expert ratings say of
    these hosts, {host: {list: 0.0-1.0}}; {} where nobody has any. artifact: keeps a body of a media
    type for half an hour and gives its address, "" where it could not; None where nobody keeps any.
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
