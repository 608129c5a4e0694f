"""How this process behaves towards other people's servers: one pace per host, for all sessions
together, and what robots.txt asks.

A host that says when to come back is left alone until then. It opens no socket; the guarded client
asks it before each request for a page and tells it what came. Which sessions run, and what is a
page, it does not know.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from concurrent.futures import wait as settled
from dataclasses import dataclass
from urllib.parse import urlsplit

from research_core.errors import FetchError, error_from_json, error_to_json
from research_core.journal.http_caching import error_kind_of, parse_retry_after
from research_core.journal.layers import BACKOFF_MAX_S
from research_core.models import HttpReply
from research_core.web.http.guard import DEFAULT_PORTS, Origin, read_target
from research_core.web.http.robots import Rules, read_robots

#: Waits so many seconds; raises when its run is over. 0 only looks.
Wait = Callable[[float], None]
#: Asks for a robots.txt, by its address.
Fetch = Callable[[str], HttpReply]

DELAY_S = 0.2
#: A site may ask for more; it is then asked as seldom as this: a person reads some pages for one
#: question, and no crawler a whole site.
CRAWL_DELAY_MAX_S = 5.0
#: Who would wait longer for a turn than this is told so instead.
TURN_MAX_S = 30.0
#: How long a robots.txt is believed, and how long a site that cannot serve its own is left alone.
KNOWN_S, SHUT_S = 86_400.0, 60.0
POLL_S = 0.1
#: Hosts, and bytes of rules, that are remembered.
HOSTS, RULES_SIZE = 10_000, 32_000_000
BUSY = (429, 503)
#: What a robots.txt comes to whose site fails, as RFC 9309 has it, or is asked too often. Any other
#: refusal of it (4xx) allows everything.
SHUTTING = {"upstream_unavailable": "disallowed", "rate_limited": "rate_limited"}
STEP = "Read it in a browser; with ASSAY_ROBOTS=0 Assay reads what programs are asked not to."


@dataclass
class _Host:
    """free: when the next request may start; held: until when the host wants to be left alone.
    Seconds of the clock.
    """

    free: float = 0.0
    held: float = 0.0


@dataclass(frozen=True)
class _Known:
    """What a site's robots.txt came to, until when. shut: why its pages are left alone altogether,
    "" where they are not; kind: of that.
    """

    rules: Rules
    until: float
    shut: str = ""
    kind: str = "disallowed"
    size: int = 0


class Politeness:
    """Safe for any number of threads. delay_s: between the starts of two requests for pages of one
    host; robots: whether it is heeded.
    """

    def __init__(
        self,
        *,
        delay_s: float = DELAY_S,
        robots: bool = True,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._delay_s, self._heeds, self._clock, self._wall = delay_s, robots, clock, wall
        self._lock = threading.Lock()
        self._hosts: OrderedDict[str, _Host] = OrderedDict()
        self._known: OrderedDict[Origin, _Known] = OrderedDict()
        self._asking: dict[Origin, Future[_Known]] = {}
        self._size = 0

    def before_page(self, url: str, origin: Origin, fetch: Fetch, wait: Wait) -> None:
        """Returns when the page may be asked for. Raises FetchError: `disallowed` by robots.txt,
        `rate_limited` where the wait would be too

        long, what `fetch` raised where the site cannot be reached; and what `wait` raises.
        """
        wait(0.0)
        rules = Rules()
        if self._heeds:
            known = self._robots(origin, fetch, wait)
            rules = known.rules
            parts = urlsplit(url)
            if known.shut:
                left = known.until - self._clock() if known.kind == "rate_limited" else None
                raise FetchError(known.shut, kind=known.kind, retry_after=left, next_step=STEP)
            if not rules.allows((parts.path or "/") + (f"?{parts.query}" if parts.query else "")):
                raise FetchError(
                    "The site's robots.txt asks programs not to read this page.",
                    kind="disallowed",
                    next_step=STEP,
                )
        self._turn(
            origin.host, max(self._delay_s, min(rules.delay_s or 0.0, CRAWL_DELAY_MAX_S)), wait
        )

    def before_call(self, origin: Origin, wait: Wait) -> None:
        """As `before_page`, for what is no page: only a host that asked to be left alone is."""
        self._turn(origin.host, 0.0, wait)

    def heard(self, origin: Origin, status: int, headers: Mapping[str, str]) -> None:
        """Heed what a busy server asks, for everybody in this process. headers: lower-case names."""
        asked = parse_retry_after(headers, self._wall()) if status in BUSY else None
        if asked:
            with self._lock:
                host = self._host(origin.host)
                host.held = max(host.held, self._clock() + asked)

    # -- turns -------------------------------------------------------------------------------------------------------------

    def _turn(self, name: str, delay_s: float, wait: Wait) -> None:
        while True:
            seconds = self._take(name, delay_s)
            if seconds <= 0:
                return
            wait(seconds)
            with self._lock:
                if (
                    self._host(name).held <= self._clock()
                ):  # else somebody was told meanwhile to stay away
                    return

    def _take(self, name: str, delay_s: float) -> float:
        """Seconds until the turn that this request has now taken."""
        with self._lock:
            host, now = self._host(name), self._clock()
            if (held := host.held - now) > BACKOFF_MAX_S:
                raise FetchError(
                    f"{name} asked not to be asked again for another {held:.0f} s.",
                    kind="rate_limited",
                    retry_after=held,
                )
            start = max(now, host.held, host.free if delay_s else now)
            if start - now > TURN_MAX_S:
                why = (
                    f"So many pages of {name} wait to be read that this one would wait"
                    f" {start - now:.0f} s."
                )
                raise FetchError(why, kind="rate_limited", retry_after=start - now)
            host.free = max(host.free, start + delay_s)
            return start - now

    def _host(self, name: str) -> _Host:
        host = self._hosts.setdefault(name, _Host())
        self._hosts.move_to_end(name)
        if len(self._hosts) > HOSTS:
            self._hosts.popitem(last=False)
        return host

    # -- robots.txt --------------------------------------------------------------------------------------------------------

    def _robots(self, origin: Origin, fetch: Fetch, wait: Wait) -> _Known:
        """What is known of the site, asked for once by whoever comes first; the others wait for it,
        and not for longer than their run.
        """
        while True:
            with self._lock:
                known, asking = self._known.get(origin), self._asking.get(origin)
                if known and known.until > self._clock():
                    return known
                if asking is None:
                    mine = self._asking[origin] = Future()
            if asking is None:
                return self._lead(mine, origin, fetch)
            while not settled([asking], POLL_S).done:
                wait(0.0)
            error = asking.exception()
            if error is None:
                return asking.result()
            if isinstance(error, FetchError):
                raise error_from_json(error_to_json(error))
            wait(0.0)  # whoever asked was stopped; that is no matter of ours

    def _lead(self, mine: Future[_Known], origin: Origin, fetch: Fetch) -> _Known:
        try:
            origins, known = self._ask(origin, fetch)
            self._remember(origins, known)
            mine.set_result(known)
            return known
        except BaseException as error:
            mine.set_exception(error)
            mine.exception()  # seen: nobody need be waiting
            raise
        finally:
            with self._lock:
                del self._asking[origin]

    def _ask(self, origin: Origin, fetch: Fetch) -> tuple[set[Origin], _Known]:
        """What the site says, and whose word that is: of all sites whose own robots.txt led there."""
        now = self._clock()
        try:
            reply = fetch(_address(origin))
        except FetchError as error:
            if error.kind in ("network", "timeout"):  # nor could the page be read
                raise
            return {origin}, _Known(Rules(), now + KNOWN_S)
        led = {
            origin,
            *(
                site
                for url in (*reply.hops, reply.url)
                if _address(site := read_target(url).origin) == url
            ),
        }
        if (kind := SHUTTING.get(error_kind_of(reply.status))) is not None:
            why = (
                f"The site's robots.txt cannot be read now (HTTP {reply.status}), so that its pages"
                " are left alone for a while."
            )
            return led, _Known(Rules(), now + SHUT_S, why, kind)
        rules = read_robots(reply.body) if 200 <= reply.status < 300 else Rules()
        return led, _Known(rules, now + KNOWN_S, size=rules.size)

    def _remember(self, origins: set[Origin], known: _Known) -> None:
        with self._lock:
            for origin in origins:
                old = self._known.pop(origin, None)
                self._known[origin] = known
                self._size += known.size - (old.size if old else 0)
            while len(self._known) > HOSTS or self._size > RULES_SIZE:
                self._size -= self._known.popitem(last=False)[1].size


def _address(origin: Origin) -> str:
    host = f"[{origin.host}]" if ":" in origin.host else origin.host
    port = "" if DEFAULT_PORTS[origin.scheme] == origin.port else f":{origin.port}"
    return f"{origin.scheme}://{host}{port}/robots.txt"
