"""Pace requests per host for all sessions of this process together, and respect robots.txt.

A host that says when to come back is left alone until then. This module opens no socket and knows
neither sessions nor pages: the guarded client asks it before each request and reports each reply.
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
from research_core.journal.cache import Cache, CacheEntry
from research_core.journal.http_caching import error_kind_of, parse_retry_after
from research_core.journal.layers import BACKOFF_MAX_S
from research_core.models import HttpReply
from research_core.web.http.guard import DEFAULT_PORTS, Origin, read_target
from research_core.web.http.robots import Rules, read_robots

#: Waits so many seconds; raises when its run is over. 0 only checks that.
Wait = Callable[[float], None]
#: Opens where rules are kept beyond this process; None if they cannot be.
OpenCache = Callable[[], Cache | None]
#: Fetches the robots.txt at an address.
Fetch = Callable[[str], HttpReply]

DELAY_S = 0.2
#: The longest delay between two pages that a site may ask for: a person reads some pages for one
#: question, and no crawler a whole site.
CRAWL_DELAY_MAX_S = 5.0
#: A request that would wait longer than this for its turn fails instead.
TURN_MAX_S = 30.0
#: How long a robots.txt is good, and how long a site that cannot serve its own is left alone.
KNOWN_S, SHUT_S = 86_400.0, 60.0
POLL_S = 0.1
#: Hosts, and bytes of rules, that are remembered.
HOSTS, RULES_SIZE = 10_000, 32_000_000
BUSY = (429, 503)
#: Why a site's pages are left alone, by the kind of its robots.txt's failure, which the pages then
#: fail with (RFC 9309). Any other refusal of it (4xx) allows everything.
SHUTTING = {
    "upstream_unavailable": "The site's robots.txt could not be read (HTTP {status})",
    "rate_limited": "The site limits requests: its robots.txt answered HTTP {status}",
}
#: Failures of fetching robots.txt that the page would meet too.
UNREACHED = ("network", "timeout", "rate_limited")
ROBOTS_STEP = (
    "Open it in a browser, or set ASSAY_ROBOTS=0 to read pages that programs are asked not to."
)
LATER_STEP = "Try again then, or read another page that says the same."


@dataclass
class _HostPace:
    """When a host may be called, in seconds of the clock.

    next_start: when the next request for a page may start. closed_until: until when the host wants
    to be left alone.
    """

    next_start: float = 0.0
    closed_until: float = 0.0


@dataclass(frozen=True)
class _SiteRules:
    """What a site's robots.txt asks, and until when that is good, in seconds of the clock.

    closed: why all pages of the site are left alone, "" if they are not; kind: the error kind of
    that, "" if they are not. size: bytes the rules take.
    """

    rules: Rules
    until: float
    closed: str = ""
    kind: str = ""
    size: int = 0


class HostPacing:
    """The pace of each host and the rules of each site. Thread-safe.

    delay_s: between the starts of two requests for pages of one host. robots: False to ignore
    robots.txt. saved: where the rules of sites are kept beyond this process. clock: for measuring
    intervals. wall: seconds since the epoch.
    """

    def __init__(
        self,
        *,
        delay_s: float = DELAY_S,
        robots: bool = True,
        saved: OpenCache = lambda: None,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._delay_s = delay_s
        self._respects_robots = robots
        self._saved = saved
        self._clock = clock
        self._wall = wall
        self._lock = threading.Lock()
        self._hosts: OrderedDict[str, _HostPace] = OrderedDict()
        self._rules: OrderedDict[Origin, _SiteRules] = OrderedDict()
        self._fetching: dict[Origin, Future[_SiteRules]] = {}
        self._size = 0

    def wait_for_page(self, url: str, origin: Origin, fetch: Fetch, wait: Wait) -> None:
        """Wait until a page may be requested.

        Raises FetchError: `disallowed` by robots.txt, `upstream_unavailable` or `rate_limited` if
        robots.txt failed so, `rate_limited` if the wait would be too long, and what `fetch` raised
        if the site cannot be reached; and what `wait` raises.
        """
        wait(0.0)
        crawl_delay_s = 0.0
        if self._respects_robots:
            site = self._find_rules(origin, fetch, wait)
            self._check_rules(site, url)
            crawl_delay_s = min(site.rules.delay_s or 0.0, CRAWL_DELAY_MAX_S)
        self._wait_for_turn(origin.host, max(self._delay_s, crawl_delay_s), wait)

    def prepare(self, origin: Origin, fetch: Fetch) -> None:
        """Fetch the rules of a site before a page of it is requested. Raises what `fetch` does."""
        with self._lock:
            is_needed = self._respects_robots and origin not in self._fetching
        if is_needed:
            self._find_rules(origin, fetch, lambda _seconds: None)

    def wait_for_call(self, origin: Origin, wait: Wait) -> None:
        """Wait until something other than a page may be requested.

        Only a host that asked to be left alone makes it wait. Raises as `wait_for_page` does.
        """
        self._wait_for_turn(origin.host, 0.0, wait)

    def record_reply(self, origin: Origin, status: int, headers: Mapping[str, str]) -> None:
        """Leave a busy host alone for as long as its reply asks. headers: lower-case names."""
        if status not in BUSY:
            return
        asked_s = parse_retry_after(headers, self._wall())
        if asked_s:
            with self._lock:
                host = self._find_host(origin.host)
                host.closed_until = max(host.closed_until, self._clock() + asked_s)

    # -- turns ---------------------------------------------------------------------------------

    def _wait_for_turn(self, name: str, delay_s: float, wait: Wait) -> None:
        while True:
            seconds = self._take_turn(name, delay_s)
            if seconds <= 0:
                return
            wait(seconds)
            with self._lock:
                # While this request waited, the host may have asked others to stay away.
                if self._find_host(name).closed_until <= self._clock():
                    return

    def _take_turn(self, name: str, delay_s: float) -> float:
        """Take the host's next turn and return the seconds until then.

        delay_s: until the turn after it; 0 for what is no page and needs no turn. Raises FetchError
        (rate_limited) if the turn is too far off.
        """
        with self._lock:
            host = self._find_host(name)
            now = self._clock()
            closed_s = host.closed_until - now
            if closed_s > BACKOFF_MAX_S:
                raise FetchError(
                    f"{name} asks for a pause of another {closed_s:.0f} s.",
                    kind="rate_limited",
                    retry_after=closed_s,
                )
            start = max(now, host.closed_until, host.next_start if delay_s else now)
            wait_s = start - now
            if wait_s > TURN_MAX_S:
                raise FetchError(
                    f"Too many pages of {name} are waiting; this one would wait {wait_s:.0f} s.",
                    kind="rate_limited",
                    retry_after=wait_s,
                )
            host.next_start = max(host.next_start, start + delay_s)
            return wait_s

    def _find_host(self, name: str) -> _HostPace:
        """Return the pace of a host; the caller holds the lock."""
        host = self._hosts.setdefault(name, _HostPace())
        self._hosts.move_to_end(name)
        if len(self._hosts) > HOSTS:
            self._hosts.popitem(last=False)
        return host

    # -- robots.txt ----------------------------------------------------------------------------

    def _check_rules(self, site: _SiteRules, url: str) -> None:
        """Raise FetchError if these rules forbid the page at this address."""
        if site.closed:
            left_s = max(0.0, site.until - self._clock())
            raise FetchError(
                f"{site.closed}, so its pages are not requested for another {left_s:.0f} s.",
                kind=site.kind,
                retry_after=left_s,
                next_step=LATER_STEP,
            )
        parts = urlsplit(url)
        query = f"?{parts.query}" if parts.query else ""
        if not site.rules.allows((parts.path or "/") + query):
            raise FetchError(
                "The site's robots.txt asks programs not to read this page.",
                kind="disallowed",
                next_step=ROBOTS_STEP,
            )

    def _find_rules(self, origin: Origin, fetch: Fetch, wait: Wait) -> _SiteRules:
        """Return the rules of a site.

        The first caller fetches them; the others wait for it, but not longer than their own run.
        """
        while True:
            with self._lock:
                known = self._rules.get(origin)
                if known and known.until > self._clock():
                    return known
                fetching = self._fetching.get(origin)
                if fetching is None:
                    mine = self._fetching[origin] = Future()
            if fetching is None:
                return self._fetch_for_all(mine, origin, fetch)
            while not settled([fetching], POLL_S).done:
                wait(0.0)
            error = fetching.exception()
            if error is None:
                return fetching.result()
            if isinstance(error, FetchError):
                # A copy: each run adds to its error what it knows.
                raise error_from_json(error_to_json(error))
            wait(0.0)  # the run that fetched was stopped, which does not concern this one

    def _fetch_for_all(self, mine: Future[_SiteRules], origin: Origin, fetch: Fetch) -> _SiteRules:
        """Fetch the rules of a site and pass them to every thread that waits for them."""
        try:
            site = self._find_saved(origin)
            origins = {origin}
            if site is None:
                origins, site = self._fetch_rules(origin, fetch)
                self._save(origins, site)
            self._remember(origins, site)
            mine.set_result(site)
            return site
        except BaseException as error:
            mine.set_exception(error)
            mine.exception()  # marks it as retrieved: nobody need be waiting
            raise
        finally:
            with self._lock:
                del self._fetching[origin]

    def _fetch_rules(self, origin: Origin, fetch: Fetch) -> tuple[set[Origin], _SiteRules]:
        """Return the rules of a site, and every site whose own robots.txt redirects to them."""
        now = self._clock()
        try:
            reply = fetch(_build_robots_url(origin))
        except FetchError as error:
            if error.kind in UNREACHED:
                raise
            return {origin}, _SiteRules(Rules(), now + KNOWN_S)
        origins = {origin}
        for url in (*reply.hops, reply.url):
            site = read_target(url).origin
            if _build_robots_url(site) == url:
                origins.add(site)
        kind = error_kind_of(reply.status)
        if kind in SHUTTING:
            closed = SHUTTING[kind].format(status=reply.status)
            asked_s = parse_retry_after(reply.headers, self._wall()) or 0.0
            return origins, _SiteRules(Rules(), now + max(SHUT_S, asked_s), closed, kind)
        rules = read_robots(reply.body) if 200 <= reply.status < 300 else Rules()
        return origins, _SiteRules(rules, now + KNOWN_S, size=rules.size)

    def _find_saved(self, origin: Origin) -> _SiteRules | None:
        """Return the rules of a site that another process or session has fetched."""
        saved = self._saved()
        entry = saved.get(_build_robots_url(origin)) if saved else None
        now = self._wall()
        if entry is None or entry.value is None or not entry.is_fresh(now, KNOWN_S):
            return None
        lines = entry.value["body"].decode().split("\n")
        rules = Rules(tuple(filter(None, lines)))
        return _SiteRules(rules, self._clock() + entry.until - now, size=rules.size)

    def _save(self, origins: set[Origin], site: _SiteRules) -> None:
        """Save the rules for these sites, unless theirs could not be read."""
        saved = self._saved()
        if saved is None or site.closed:
            return
        now = self._wall()
        value = {"status": 200, "headers": {}, "body": "\n".join(site.rules.lines).encode()}
        for origin in origins:
            saved.put(_build_robots_url(origin), CacheEntry(value, None, now, KNOWN_S), now)

    def _remember(self, origins: set[Origin], site: _SiteRules) -> None:
        """Remember the rules for these sites, and forget the oldest if there are too many."""
        with self._lock:
            for origin in origins:
                old = self._rules.pop(origin, None)
                self._rules[origin] = site
                self._size += site.size - (old.size if old else 0)
            while len(self._rules) > HOSTS or self._size > RULES_SIZE:
                _, dropped = self._rules.popitem(last=False)
                self._size -= dropped.size


def _build_robots_url(origin: Origin) -> str:
    """Return the address of a site's robots.txt, without the port if it is the usual one."""
    host = f"[{origin.host}]" if ":" in origin.host else origin.host
    port = "" if DEFAULT_PORTS[origin.scheme] == origin.port else f":{origin.port}"
    return f"{origin.scheme}://{host}{port}/robots.txt"
