"""Towards other people's servers: one pace per host for the whole process, robots.txt, and hosts
that want to be left alone.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from research_core.errors import CallForbidden, FetchError, ResearchError, Stopped
from research_core.journal import store
from research_core.journal.cache import Cache
from research_core.journal.database import Database
from research_core.journal.doorway import Control, Doorway
from research_core.journal.events import Draft
from research_core.journal.http_caching import may_succeed_later
from research_core.journal.layers import BACKOFF_MAX_S
from research_core.journal.tables import open_database
from research_core.models import HttpReply
from research_core.settings import Settings
from research_core.web.fetch import tiers
from research_core.web.http import pacing
from research_core.web.http.client import Client
from research_core.web.http.guard import Origin
from research_core.web.http.pacing import (
    CRAWL_DELAY_MAX_S,
    HOSTS,
    KNOWN_S,
    RULES_SIZE,
    SHUT_S,
    TURN_MAX_S,
    HostPacing,
)
from research_core.web.http.robots import LIMIT
from research_core.wiring import Resources, SystemClock
from tests.local_web import Internet, LocalServer, get, opened, serving
from tests.logs import ANN, at_once, log_of, new_log
from tests.timing import LONG_S, check_duration, try_at_slower_paces, wait_until

SITE = "http://pages.example.org"
PAGES = Origin("https", "pages.example.org", 443)
OTHER = Origin("https", "other.example.org", 443)
REFUSED = "The site's robots.txt asks programs not to read this page."


class Time:
    """A clock that moves by what is waited."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.waits: list[float] = []

    def __call__(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        if seconds:
            self.waits.append(round(seconds, 6))
        self.now += seconds


class Robots:
    """Answers for robots.txt, in turn, the last one for ever."""

    def __init__(self, *answers: HttpReply | FetchError) -> None:
        self.answers, self.asked = list(answers), list[str]()

    def __call__(self, url: str) -> HttpReply:
        self.asked.append(url)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, FetchError):
            raise answer
        return answer


def robots(
    text: str = "",
    status: int = 200,
    url: str = "https://pages.example.org/robots.txt",
    hops: tuple[str, ...] = (),
) -> HttpReply:
    return HttpReply(url, status, {}, text.encode(), hops)


def make_pacing(clock: Time, **options: Any) -> HostPacing:
    return HostPacing(clock=clock, wall=lambda: 1_790_000_000.0, **options)


def ask(
    host_pacing: HostPacing,
    clock: Time,
    fetch: Robots | None = None,
    path: str = "/page",
    origin: Origin = PAGES,
) -> str:
    """How a request for a page comes out: "" when it may be made, else the kind of its failure."""
    try:
        host_pacing.wait_for_page(
            f"{origin.scheme}://{origin.host}{path}", origin, fetch or Robots(robots()), clock.wait
        )
    except FetchError as error:
        return error.kind
    return ""


# ---------------------------------------------------------------- the pace


def test_requests_for_pages_of_one_host_start_one_after_the_other() -> None:
    clock = Time()
    host_pacing = make_pacing(clock, delay_s=0.2)
    for host in ("a", "b"):
        assert [ask(host_pacing, clock, origin=Origin("https", host, 443)) for _ in range(3)] == [
            ""
        ] * 3
    assert clock.waits == [0.2, 0.2, 0.2, 0.2]
    clock.now += 0.15
    ask(host_pacing, clock, origin=Origin("http", "b", 8080))  # the same host, whatever its port
    clock.now += 0.5
    ask(host_pacing, clock, origin=Origin("https", "b", 443))
    assert clock.waits[4:] == [0.05]


def test_without_a_delay_nothing_waits() -> None:
    clock = Time()
    host_pacing = make_pacing(clock, delay_s=0.0)
    assert [ask(host_pacing, clock) for _ in range(50)] == [""] * 50
    assert clock.waits == []


def test_what_is_no_page_waits_for_nobody() -> None:
    clock = Time()
    host_pacing = make_pacing(clock, delay_s=5.0)
    for _ in range(5):
        host_pacing.wait_for_call(PAGES, clock.wait)
    ask(host_pacing, clock)
    host_pacing.wait_for_call(PAGES, clock.wait)
    assert clock.waits == []


def test_who_would_wait_too_long_is_told_so() -> None:
    clock = Time()
    host_pacing = make_pacing(clock, delay_s=10.0)
    for _ in range(int(TURN_MAX_S / 10) + 1):  # turns that are taken, and whose time has not come
        host_pacing.wait_for_page(
            "https://pages.example.org/", PAGES, Robots(robots()), lambda _: None
        )
    with pytest.raises(
        FetchError, match=r"Too many pages of pages\.example\.org are waiting"
    ) as refused:
        host_pacing.wait_for_page(
            "https://pages.example.org/", PAGES, Robots(robots()), lambda _: None
        )
    assert (refused.value.kind, refused.value.retry_after) == ("rate_limited", 40.0)


@pytest.mark.parametrize(
    ("asked", "waited"), [("1", 1.0), ("0.1", 0.2), ("4", 4.0), ("600", CRAWL_DELAY_MAX_S)]
)
def test_a_site_that_asks_for_a_slower_pace_gets_it_within_bounds(
    asked: str, waited: float
) -> None:
    clock = Time()
    host_pacing = make_pacing(clock, delay_s=0.2)
    site = Robots(robots(f"User-agent: *\nCrawl-delay: {asked}"))
    assert [ask(host_pacing, clock, site) for _ in range(3)] == [""] * 3
    assert clock.waits == [waited, waited]


def test_many_threads_start_at_the_pace_of_the_host() -> None:
    """By the real clock: ten requests of two sessions, started at once, at least 0.05 seconds
    apart.
    """
    host_pacing, starts, lock = HostPacing(delay_s=0.05), list[float](), threading.Lock()

    def one(_: int) -> None:
        host_pacing.wait_for_page("https://pages.example.org/", PAGES, Robots(robots()), time.sleep)
        with lock:
            starts.append(time.monotonic())

    began = time.monotonic()
    with check_duration(0.45, 5):
        at_once(10, one)
    for n, start in enumerate(sorted(starts)):
        assert start - began >= 0.05 * n - 0.005


@pytest.mark.full
def test_what_is_remembered_is_bounded() -> None:
    clock = Time()
    host_pacing = make_pacing(clock, delay_s=0.0)
    large = Robots(
        robots(
            "User-agent: *\n"
            + "Disallow: /x\n" * 30
            + "".join(f"Disallow: /{n}\n" for n in range(25_000))
        )
    )
    for n in range(9):
        ask(host_pacing, clock, large, origin=Origin("https", f"large{n}", 443))
    assert sum(known.size for known in host_pacing._rules.values()) <= RULES_SIZE
    assert len(host_pacing._rules) < 9
    for n in range(HOSTS + 10):
        ask(host_pacing, clock, origin=Origin("https", str(n), 443))
    assert len(host_pacing._hosts) <= HOSTS
    assert len(host_pacing._rules) <= HOSTS


# ---------------------------------------------------------------- busy hosts


def test_a_host_that_says_when_to_come_back_is_left_alone_by_everybody() -> None:
    clock = Time()
    host_pacing = make_pacing(clock, delay_s=0.0)
    host_pacing.record_reply(PAGES, 429, {"retry-after": "5"})
    assert [
        ask(host_pacing, clock),
        ask(host_pacing, clock),
        ask(host_pacing, clock, origin=OTHER),
    ] == [
        "",
        "",
        "",
    ]
    assert clock.waits == [5.0]
    host_pacing.record_reply(PAGES, 503, {"retry-after": "3"})
    host_pacing.wait_for_call(PAGES, clock.wait)
    assert clock.waits == [5.0, 3.0]


def test_a_host_that_wants_more_than_we_wait_fails_at_once_and_says_when() -> None:
    clock = Time()
    host_pacing = make_pacing(clock)
    host_pacing.record_reply(PAGES, 429, {"retry-after": "Mon, 21 Sep 2026 14:23:20 GMT"})
    host_pacing.record_reply(
        PAGES, 429, {"retry-after": "1"}
    )  # a later word does not shorten the first
    clock.now += 90
    with pytest.raises(FetchError, match=r"asks for a pause of another 510 s") as refused:
        host_pacing.wait_for_page("https://pages.example.org/", PAGES, Robots(robots()), clock.wait)
    assert (refused.value.kind, refused.value.retry_after, refused.value.retryable) == (
        "rate_limited",
        510.0,
        True,
    )
    clock.now += 510 - BACKOFF_MAX_S
    assert ask(host_pacing, clock) == ""
    assert clock.waits == [BACKOFF_MAX_S]


@pytest.mark.parametrize(
    ("status", "headers"),
    [
        (200, {"retry-after": "60"}),
        (404, {"retry-after": "60"}),
        (429, {}),
        (503, {"retry-after": "0"}),
    ],
)
def test_a_host_that_asks_for_nothing_is_asked(status: int, headers: Mapping[str, str]) -> None:
    clock = Time()
    host_pacing = make_pacing(clock, delay_s=0.0)
    host_pacing.record_reply(PAGES, status, headers)
    assert (ask(host_pacing, clock), clock.waits) == ("", [])


def test_who_waits_heeds_what_the_host_says_meanwhile() -> None:
    clock = Time()
    host_pacing = make_pacing(clock, delay_s=1.0)
    ask(host_pacing, clock)

    def wait(seconds: float) -> None:
        if seconds == 1.0:
            host_pacing.record_reply(PAGES, 429, {"retry-after": "4"})
        clock.wait(seconds)

    host_pacing.wait_for_page("https://pages.example.org/", PAGES, Robots(robots()), wait)
    assert clock.waits == [1.0, 3.0]


# ---------------------------------------------------------------- robots.txt

FOUND = {
    "refused": (robots("User-agent: *\nDisallow: /page"), "disallowed"),
    "refused by its query": (robots("User-agent: *\nDisallow: /*?x="), "disallowed"),
    "allowed": (robots("User-agent: *\nDisallow: /other"), ""),
    "empty": (robots(), ""),
    "a page in its place": (robots("<html>nothing of the kind</html>"), ""),
    "no such file": (robots(status=404), ""),
    "for people who sign in": (robots("User-agent: *\nDisallow: /", status=401), ""),
    "forbidden": (robots(status=403), ""),
    "led nowhere": (robots(status=302), ""),
    "too many redirects": (
        FetchError("The site redirected more than 5 times.", kind="bad_reply"),
        "",
    ),
    "led to a private address": (FetchError("Address refused", kind="validation"), ""),
    "no connection": (FetchError("Nobody is there.", kind="network", public=True), "network"),
    "no answer": (FetchError("It takes too long.", kind="timeout"), "timeout"),
    "out of order": (robots(status=500), "upstream_unavailable"),
    "no gateway": (robots(status=502), "upstream_unavailable"),
    "overloaded": (robots(status=503), "upstream_unavailable"),
    "a slow gateway": (robots(status=504), "upstream_unavailable"),
    "unknown trouble": (robots(status=520), "upstream_unavailable"),
    "its host wants to be left alone": (
        FetchError("pages.example.org asked to wait.", kind="rate_limited", retry_after=300.0),
        "rate_limited",
    ),
    "asked too often": (robots(status=429), "rate_limited"),
}


@pytest.mark.parametrize("name", FOUND)
def test_what_a_robots_txt_comes_to(name: str) -> None:
    answer, kind = FOUND[name]
    clock, site = Time(), Robots(answer)
    assert ask(make_pacing(clock), clock, site, "/page?x=1") == kind
    assert site.asked == ["https://pages.example.org/robots.txt"]


def test_a_refusal_says_who_refused_and_how_to_read_it_all_the_same() -> None:
    clock = Time()
    with pytest.raises(FetchError) as refused:
        make_pacing(clock).wait_for_page(
            "https://pages.example.org/",
            PAGES,
            Robots(robots("User-agent: *\nDisallow: /")),
            clock.wait,
        )
    error = refused.value
    assert (error.message, error.kind, error.status, error.retryable, error.public) == (
        REFUSED,
        "disallowed",
        None,
        False,
        False,
    )
    assert "ASSAY_ROBOTS=0" in error.next_step
    assert may_succeed_later(
        {"kind": "http", "error": {"kind": error.kind}}
    )  # the switch may have been turned since


@pytest.mark.parametrize(
    ("status", "kind", "retry_after", "seconds"),
    [
        (429, "rate_limited", "", SHUT_S),
        (429, "rate_limited", "15", SHUT_S),
        (429, "rate_limited", "240", 240.0),
        (500, "upstream_unavailable", "", SHUT_S),
        (503, "upstream_unavailable", "900", 900.0),
        (503, "upstream_unavailable", "soon", SHUT_S),
        (503, "upstream_unavailable", "Mon, 21 Sep 2026 14:15:20 GMT", 120.0),
    ],
)
def test_a_site_whose_robots_txt_fails_says_when_to_come_back(
    status: int, kind: str, retry_after: str, seconds: float
) -> None:
    """No third party is asked for its pages, since their address is not known to be public."""
    clock, reply = Time(), robots(status=status)
    reply = replace(reply, headers={"retry-after": retry_after})
    host_pacing = make_pacing(clock)
    for passed_s in (0.0, 20.0):
        clock.now += passed_s
        with pytest.raises(FetchError) as refused:
            host_pacing.wait_for_page(
                "https://pages.example.org/", PAGES, Robots(reply), clock.wait
            )
        error = refused.value
        assert (error.kind, error.retryable, error.public) == (kind, True, False)
        assert error.retry_after == seconds - passed_s
        assert f"HTTP {status}" in error.message
        assert "ASSAY_ROBOTS" not in error.sentence()


def test_no_third_party_is_asked_for_a_page_that_robots_txt_refuses() -> None:
    assert "disallowed" in tiers.DEFINITE
    assert not {"disallowed"} & (tiers.COPY_AFTER | tiers.PAID_AFTER)
    assert set(tiers.PRIORITY) == set(tiers.OUTCOMES)


def test_with_the_switch_off_nothing_is_asked_and_nothing_refused() -> None:
    clock, site = Time(), Robots(robots("User-agent: *\nDisallow: /"))
    assert ask(make_pacing(clock, robots=False), clock, site) == ""
    assert site.asked == []


@pytest.mark.parametrize(
    ("origin", "url"),
    [
        (Origin("http", "a.example.org", 80), "http://a.example.org/robots.txt"),
        (Origin("http", "a.example.org", 8080), "http://a.example.org:8080/robots.txt"),
        (Origin("https", "2606:4700::1", 443), "https://[2606:4700::1]/robots.txt"),
        (Origin("https", "2606:4700::1", 8443), "https://[2606:4700::1]:8443/robots.txt"),
    ],
)
def test_where_it_stands(origin: Origin, url: str) -> None:
    clock, site = Time(), Robots(robots(url=url))
    ask(make_pacing(clock), clock, site, origin=origin)
    assert site.asked == [url]


@pytest.mark.parametrize(
    ("status", "lasts"), [(200, KNOWN_S), (404, KNOWN_S), (503, SHUT_S), (429, SHUT_S)]
)
def test_how_long_it_is_believed(status: int, lasts: float) -> None:
    clock = Time()
    host_pacing, site = (
        make_pacing(clock, delay_s=0.0),
        Robots(robots("User-agent: *\nDisallow: /", status), robots()),
    )
    first = ask(host_pacing, clock, site)
    clock.now += lasts - 1
    assert ask(host_pacing, clock, site) == first
    clock.now += 2
    assert ask(host_pacing, clock, site) == ""
    assert len(site.asked) == 2


def test_a_site_that_could_not_be_reached_is_asked_again_at_once() -> None:
    clock = Time()
    host_pacing, site = (
        make_pacing(clock, delay_s=0.0),
        Robots(FetchError("gone", kind="network"), robots()),
    )
    assert [ask(host_pacing, clock, site), ask(host_pacing, clock, site)] == ["network", ""]


def test_what_one_address_leads_to_is_known_of_the_other_too() -> None:
    clock = Time()
    led = robots("User-agent: *\nDisallow: /", hops=("http://pages.example.org/robots.txt",))
    host_pacing, site = make_pacing(clock, delay_s=0.0), Robots(led)
    assert (
        ask(host_pacing, clock, site, origin=Origin("http", "pages.example.org", 80))
        == "disallowed"
    )
    assert ask(host_pacing, clock, site, origin=PAGES) == "disallowed"
    assert len(site.asked) == 1
    elsewhere = Robots(
        robots(
            "User-agent: *\nDisallow: /",
            url="https://other.example.org/about",
            hops=("https://x/robots.txt",),
        ),
        robots(),
    )
    assert ask(host_pacing, clock, elsewhere, origin=Origin("https", "x", 443)) == "disallowed"
    assert ask(host_pacing, clock, elsewhere, origin=OTHER) == ""  # that page is not its robots.txt


class Slow:
    """A robots.txt that comes when the test says so."""

    def __init__(self, answer: HttpReply | BaseException) -> None:
        self.answer, self.asked, self.go, self.begun = (
            answer,
            0,
            threading.Event(),
            threading.Event(),
        )

    def __call__(self, _url: str) -> HttpReply:
        self.asked += 1
        self.begun.set()
        assert self.go.wait(LONG_S)
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


class Waiting:
    """Counts who waits for somebody else's answer: they look again and again whether their run goes
    on.
    """

    def __init__(self) -> None:
        self.looked = Counter[int]()

    def __call__(self, _seconds: float) -> None:
        self.looked[threading.get_ident()] += 1  # once before anything is asked

    def number(self) -> int:
        return sum(times > 1 for times in list(self.looked.values()))


@pytest.mark.parametrize(
    "answer",
    [robots(), FetchError("gone", kind="network", public=True)],
    ids=["known", "unreachable"],
)
def test_it_is_asked_for_once_however_many_wait(answer: HttpReply | FetchError) -> None:
    host_pacing, slow, waiting = HostPacing(delay_s=0.0), Slow(answer), Waiting()

    def one(n: int) -> str:
        if n == 7:
            wait_until(lambda: waiting.number() == 6)
            slow.go.set()
            return "go"
        try:
            host_pacing.wait_for_page("https://pages.example.org/", PAGES, slow, waiting)
        except FetchError as error:
            return f"{error.kind} {error.public}"
        return ""

    results = at_once(8, one)
    assert set(results) == ({"", "go"} if isinstance(answer, HttpReply) else {"network True", "go"})
    assert slow.asked == 1


def test_who_waits_for_it_takes_over_when_the_one_that_asked_was_stopped() -> None:
    host_pacing, stopped, second, waiting = (
        HostPacing(delay_s=0.0),
        Slow(Stopped("cancel")),
        Slow(robots()),
        Waiting(),
    )
    second.go.set()
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(
            host_pacing.wait_for_page, "https://pages.example.org/", PAGES, stopped, time.sleep
        )
        assert stopped.begun.wait(LONG_S)
        other = pool.submit(
            host_pacing.wait_for_page, "https://pages.example.org/", PAGES, second, waiting
        )
        wait_until(waiting.number)
        stopped.go.set()
        assert isinstance(first.exception(LONG_S), Stopped)
        assert other.exception(LONG_S) is None
    assert (stopped.asked, second.asked) == (1, 1)


def test_who_waits_for_it_stops_with_their_run() -> None:
    host_pacing, slow, over = HostPacing(delay_s=0.0), Slow(robots()), threading.Event()

    def wait(_seconds: float) -> None:
        if over.is_set():
            raise Stopped("cancel")

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(
            host_pacing.wait_for_page, "https://pages.example.org/", PAGES, slow, time.sleep
        )
        assert slow.begun.wait(LONG_S)
        other = pool.submit(
            host_pacing.wait_for_page, "https://pages.example.org/", PAGES, slow, wait
        )
        over.set()
        with check_duration(0, 1):
            assert isinstance(other.exception(LONG_S), Stopped)
        slow.go.set()
        assert first.exception(LONG_S) is None


# ---------------------------------------------------------------- ahead of time, and kept


def keeping(db: Database, clock: Time, **options: Any) -> HostPacing:
    """A process of its own with this database, at the time of the clock."""
    kept = Cache(db, ANN, 1, fail_on_trouble)
    return HostPacing(
        delay_s=0.0,
        clock=lambda: clock.now % 7919,  # another zero than the wall's, as after a start
        wall=lambda: 1_790_000_000.0 + clock.now,
        saved=lambda: kept,
        **options,
    )


def fail_on_trouble(error: ResearchError) -> None:
    raise AssertionError(error)


#: What a site answers, and how often a second process asks it again: at once, and a day later.
SAVED: dict[str, tuple[HttpReply | FetchError, int, int]] = {
    "rules": (robots("User-agent: *\nDisallow: /private\nCrawl-delay: 1"), 0, 1),
    "rules of another kind of line": (robots("User-agent: *\r\nDisallow: /private\x0b\x85x"), 0, 1),
    "no rules": (robots(), 0, 1),
    "no file": (robots(status=404), 0, 1),
    "a file that may not be read": (robots(status=403), 0, 1),
    "a site that fails": (robots(status=503), 1, 1),
    "a site that is busy": (robots(status=429), 1, 1),
    "a site that is not there": (FetchError("Nobody.", kind="network"), 1, 1),
}


@pytest.mark.parametrize("name", SAVED)
def test_rules_are_kept_for_a_day_across_processes(name: str, db: Database) -> None:
    answer, soon, later = SAVED[name]
    clock, first, second, third = Time(), Robots(answer), Robots(answer), Robots(answer)
    outcome = [ask(keeping(db, clock), clock, first, path) for path in ("/page", "/private")]
    clock.now += 60
    again = keeping(db, clock)
    assert [ask(again, clock, second, path) for path in ("/page", "/private")] == outcome
    assert min(len(second.asked), 1) == soon
    clock.now += KNOWN_S
    assert [
        ask(keeping(db, clock), clock, third, path) for path in ("/page", "/private")
    ] == outcome
    assert min(len(third.asked), 1) == later


def test_kept_rules_are_good_for_the_rest_of_their_day_only(db: Database) -> None:
    clock, site = Time(), Robots(robots())
    ask(keeping(db, clock), clock, site)
    clock.now += KNOWN_S - 100
    late = keeping(db, clock)
    ask(late, clock, site)
    assert len(site.asked) == 1
    clock.now += 101
    ask(late, clock, site)
    assert len(site.asked) == 2


def test_a_prepared_site_is_not_asked_again() -> None:
    clock, site = Time(), Robots(robots("User-agent: *\nDisallow: /private"))
    host_pacing = make_pacing(clock)
    host_pacing.prepare(PAGES, site)
    host_pacing.prepare(PAGES, site)
    assert (ask(host_pacing, clock, site), ask(host_pacing, clock, site, "/private")) == (
        "",
        "disallowed",
    )
    assert len(site.asked) == 1


def test_nothing_is_prepared_where_robots_txt_is_ignored() -> None:
    site = Robots(robots())
    make_pacing(Time(), robots=False).prepare(PAGES, site)
    assert site.asked == []


def test_who_prepares_a_site_that_is_being_asked_does_not_wait() -> None:
    slow = Slow(robots())
    host_pacing = HostPacing(delay_s=0.0)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(host_pacing.prepare, PAGES, slow)
        slow.begun.wait(LONG_S)
        host_pacing.prepare(PAGES, slow)
        slow.go.set()
        assert first.result(LONG_S) is None
    assert slow.asked == 1


# ---------------------------------------------------------------- through the guarded client


@pytest.fixture
def host_pacing(internet: Internet) -> Iterator[Client]:
    with opened(
        resolve=internet.resolve, connect=internet.connect, pacing=HostPacing(delay_s=0.0)
    ) as client:
        yield client


def serve(httpserver: HTTPServer, path: str, body: str = "", **options: Any) -> None:
    httpserver.expect_request(path).respond_with_data(body, **options)


def paths(httpserver: HTTPServer) -> list[str]:
    return [f"{request.host.split(':')[0]}{request.path}" for request, _ in httpserver.log]


def test_the_client_asks_once_and_heeds_it(host_pacing: Client, httpserver: HTTPServer) -> None:
    serve(httpserver, "/robots.txt", "User-agent: ResearchAgent\nDisallow: /private")
    serve(httpserver, "/public", "page")
    assert get(host_pacing, f"{SITE}/public", wait=time.sleep).body == b"page"
    for path in ("/private", "/private/more?x"):
        with pytest.raises(FetchError, match="asks programs not to read this page"):
            get(host_pacing, SITE + path, wait=time.sleep)
    assert paths(httpserver) == ["pages.example.org/robots.txt", "pages.example.org/public"]
    assert httpserver.log[0][0].headers["User-Agent"].startswith("ResearchAgent/")


def test_a_page_can_be_prepared(host_pacing: Client, httpserver: HTTPServer) -> None:
    serve(httpserver, "/robots.txt", "User-agent: *\nDisallow: /private")
    serve(httpserver, "/page", "page")
    host_pacing.prepare_page(f"{SITE}/page")
    assert paths(httpserver) == ["pages.example.org/robots.txt"]
    assert get(host_pacing, f"{SITE}/page", wait=time.sleep).body == b"page"
    assert paths(httpserver) == ["pages.example.org/robots.txt", "pages.example.org/page"]


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/page",
        "http://localhost/page",
        "http://[::1]/page",
        "http://inside.example.org/page",
        "http://pages.example.org:22/page",
        "http://unknown.example.net/page",
        "ftp://pages.example.org/page",
        "no address",
        "",
    ],
)
def test_a_page_that_may_not_be_read_is_not_prepared(
    internet: Internet, host_pacing: Client, httpserver: HTTPServer, url: str
) -> None:
    internet.names["inside.example.org"] = [["10.0.0.1"]]
    host_pacing.prepare_page(url)
    assert paths(httpserver) == []


def test_what_is_no_page_asks_for_no_robots_txt(
    host_pacing: Client, httpserver: HTTPServer
) -> None:
    serve(httpserver, "/api", "{}")
    assert get(host_pacing, f"{SITE}/api").status == 200
    assert paths(httpserver) == ["pages.example.org/api"]


def test_each_hop_of_a_redirect_is_asked_about(host_pacing: Client, httpserver: HTTPServer) -> None:
    serve(httpserver, "/to", status=302, headers={"Location": "http://other.example.org/private"})

    def rules(request: Request) -> Response:
        return Response(
            "User-agent: *\nDisallow: /private" if request.host.startswith("other") else ""
        )

    httpserver.expect_request("/robots.txt").respond_with_handler(rules)
    with pytest.raises(FetchError, match="asks programs not to read this page"):
        get(host_pacing, f"{SITE}/to", wait=time.sleep)
    assert paths(httpserver) == [
        "pages.example.org/robots.txt",
        "pages.example.org/to",
        "other.example.org/robots.txt",
    ]


def test_a_refused_address_is_refused_before_its_robots_txt_is_asked_for(
    host_pacing: Client, httpserver: HTTPServer
) -> None:
    for url in (
        "http://127.0.0.1/x",
        "http://localhost/x",
        "http://pages.example.org:22/x",
        "http://unknown.example.net/",
    ):
        with pytest.raises(FetchError) as refused:
            get(host_pacing, url, wait=time.sleep)
        assert refused.value.kind in ("validation", "network")
    assert paths(httpserver) == []


def test_a_private_address_behind_a_name_is_refused_as_such(
    internet: Internet, host_pacing: Client
) -> None:
    internet.names["inside.example.org"] = [["10.0.0.1"]]
    with pytest.raises(FetchError, match="private network") as refused:
        get(host_pacing, "http://inside.example.org/page", wait=time.sleep)
    assert (refused.value.kind, refused.value.public) == ("validation", False)


def test_a_robots_txt_that_leads_into_the_private_network_is_none(
    host_pacing: Client, httpserver: HTTPServer
) -> None:
    """The canary is not reached, and the page itself is guarded as ever."""
    serve(
        httpserver, "/robots.txt", status=302, headers={"Location": "http://127.0.0.1/robots.txt"}
    )
    serve(httpserver, "/page", "page")
    assert get(host_pacing, f"{SITE}/page", wait=time.sleep).body == b"page"


def test_a_dead_host_is_a_dead_host_whose_address_was_proved_public(internet: Internet) -> None:
    """So that an archive may still be asked for its pages."""
    internet.port = 1
    with (
        opened(resolve=internet.resolve, connect=internet.connect) as client,
        pytest.raises(FetchError) as refused,
    ):
        get(client, f"{SITE}/page", wait=time.sleep)
    assert (refused.value.kind, refused.value.public) == ("network", True)


def test_of_a_large_robots_txt_the_beginning_counts(
    host_pacing: Client, httpserver: HTTPServer
) -> None:
    serve(
        httpserver,
        "/robots.txt",
        "User-agent: *\nDisallow: /private\n" + "# nothing\n" * (LIMIT // 5),
    )
    serve(httpserver, "/page", "page")
    assert get(host_pacing, f"{SITE}/page", wait=time.sleep).body == b"page"
    with pytest.raises(FetchError, match="asks programs"):
        get(host_pacing, f"{SITE}/private", wait=time.sleep)


def test_a_busy_answer_holds_its_host_for_every_kind_of_request(
    host_pacing: Client, httpserver: HTTPServer
) -> None:
    serve(httpserver, "/busy", status=429, headers={"Retry-After": "3600"})
    assert get(host_pacing, f"{SITE}/busy").status == 429
    for options in ({}, {"wait": time.sleep}):
        with pytest.raises(FetchError) as held:
            get(host_pacing, f"{SITE}/page", **options)
        assert held.value.kind == "rate_limited"
        assert held.value.retry_after == pytest.approx(3600, abs=5)
    assert len(httpserver.log) == 1


def test_waiting_for_a_turn_is_no_part_of_the_request_s_time(
    internet: Internet, httpserver: HTTPServer
) -> None:
    serve(httpserver, "/page", "page")

    def once(pace: float) -> None:
        host_pacing = HostPacing(delay_s=0.4 * pace, robots=False)
        with opened(
            resolve=internet.resolve, connect=internet.connect, pacing=host_pacing
        ) as client:
            for _ in range(2):
                assert (
                    get(client, f"{SITE}/page", wait=time.sleep, timeout_s=0.3 * pace).body
                    == b"page"
                )

    try_at_slower_paces(once)


def test_a_request_that_is_no_page_ends_its_wait_with_its_run(
    internet: Internet, httpserver: HTTPServer
) -> None:
    host_pacing, stop = HostPacing(), threading.Event()
    host_pacing.record_reply(Origin("http", "pages.example.org", 80), 429, {"retry-after": "6"})
    with opened(resolve=internet.resolve, connect=internet.connect, pacing=host_pacing) as client:
        threading.Timer(0.2, stop.set).start()
        with check_duration(0, 2), pytest.raises(Stopped):
            get(client, f"{SITE}/api", stop=stop)


# ---------------------------------------------------------------- through the doorway


@pytest.fixture
def db() -> Iterator[Database]:
    db = open_database("sqlite://")
    new_log(db).append(Draft("created", {}, "created"))
    yield db
    db.close()


def through(db: Database, client: Client, control: Control | None = None) -> Doorway:
    return Doorway(log_of(db), client, None, SystemClock(), control=control)  # type: ignore[arg-type]


def test_a_refusal_is_recorded_and_replayed_without_asking(
    db: Database, host_pacing: Client, httpserver: HTTPServer
) -> None:
    serve(httpserver, "/robots.txt", "User-agent: *\nDisallow: /")
    for log in (log_of(db), log_of(db), log_of(db, readonly=True)):
        with pytest.raises(FetchError, match="asks programs") as refused:
            Doorway(log, host_pacing, None, SystemClock()).http.send(
                "GET", f"{SITE}/page", page=True
            )  # type: ignore[arg-type]
        assert (refused.value.kind, refused.value.next_step[:18]) == (
            "disallowed",
            "Open it in a brows",
        )
    assert paths(httpserver) == ["pages.example.org/robots.txt"]


def test_a_busy_page_is_asked_again_when_its_host_wants_it(
    db: Database, host_pacing: Client, httpserver: HTTPServer
) -> None:
    serve(httpserver, "/robots.txt")
    answers = [Response("", 503, {"Retry-After": "1"}), Response("page")]
    httpserver.expect_request("/page").respond_with_handler(lambda _: answers.pop(0))
    with check_duration(1.0, 4.0):  # once, not once in the doorway and once more in the client
        assert through(db, host_pacing).http.send("GET", f"{SITE}/page", page=True).body == b"page"


HOW: dict[str, tuple[Callable[[Database, Doorway], object], type[BaseException]]] = {
    "shutdown": (lambda _db, door: door.control.shutdown.set(), Stopped),
    "cancel": (lambda db, _door: store.request_stop(db, ANN, "s", "cancel"), Stopped),
    "close": (lambda _db, door: door.http.close(), CallForbidden),
}


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("reason", ["pace", "busy"])
def test_a_wait_for_a_turn_ends_with_the_run(
    db: Database, internet: Internet, httpserver: HTTPServer, how: str, reason: str
) -> None:
    host_pacing = HostPacing(delay_s=6.0, robots=False)
    if reason == "pace":
        host_pacing.wait_for_page(
            f"{SITE}/", Origin("http", "pages.example.org", 80), Robots(robots()), time.sleep
        )
    else:
        host_pacing.record_reply(Origin("http", "pages.example.org", 80), 429, {"retry-after": "6"})
    act, ends = HOW[how]
    with (
        opened(resolve=internet.resolve, connect=internet.connect, pacing=host_pacing) as client,
        ThreadPoolExecutor(1) as pool,
    ):
        door = through(db, client)
        future = pool.submit(door.http.send, "GET", f"{SITE}/page", page=True)
        time.sleep(0.3)
        assert not future.done()
        act(db, door)
        with check_duration(0, 1.5):  # 0.1 to 0.2 seconds, and what a busy machine takes
            assert isinstance(future.exception(LONG_S), ends)
    assert (paths(httpserver), log_of(db).read(kinds=["call"])) == ([], [])


def test_two_sessions_of_one_process_keep_one_pace(
    internet: Internet, httpserver: HTTPServer
) -> None:
    times = list[float]()
    httpserver.expect_request("/page").respond_with_handler(
        lambda _: (times.append(time.monotonic()), Response("page"))[1]
    )

    def once(pace: float) -> None:
        times.clear()
        host_pacing, db = HostPacing(delay_s=0.3 * pace, robots=False), open_database("sqlite://")
        for id in ("a", "b"):
            new_log(db, id).append(Draft("created", {}, "created"))
        with opened(
            resolve=internet.resolve, connect=internet.connect, pacing=host_pacing
        ) as client:
            doors = [Doorway(log_of(db, id), client, None, SystemClock()) for id in ("a", "b")]  # type: ignore[arg-type]
            at_once(2, lambda n: doors[n].http.send("GET", f"{SITE}/page", page=True))
        db.close()
        assert abs(times[1] - times[0]) >= 0.25 * pace

    try_at_slower_paces(once)


def test_a_configured_service_is_asked_whatever_its_robots_txt_says() -> None:
    def talk(connection: Any) -> None:
        connection.recv(65_536)
        connection.sendall(
            b"HTTP/1.1 429 Busy\r\nRetry-After: 600\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        )

    with serving(talk) as server:
        server_pages(server)


def server_pages(server: LocalServer) -> None:
    with opened(allowed_endpoints=frozenset({server.origin})) as client:
        for _ in range(2):
            assert get(client, f"{server.origin}/", endpoint=True, wait=time.sleep).status == 429
    assert server.connections == 2


@pytest.mark.parametrize(
    ("env", "kinds", "waits"),
    [
        ({}, ["disallowed"], []),
        ({"ASSAY_ROBOTS": "0"}, ["", "", ""], [0.2, 0.2]),
        ({"ASSAY_ROBOTS": "0", "ASSAY_HOST_DELAY": "1.5"}, ["", ""], [1.5]),
    ],
)
def test_the_settings_reach_the_client(
    env: dict[str, str], kinds: list[str], waits: list[float]
) -> None:
    resources, clock = Resources(Settings.from_env(env)), Time()
    host_pacing = resources.client._pacing
    host_pacing._clock = clock
    assert [
        ask(host_pacing, clock, Robots(robots("User-agent: *\nDisallow: /"))) for _ in kinds
    ] == kinds
    assert clock.waits == waits
    resources.close()


def test_the_bounds_fit_each_other() -> None:
    assert Settings.from_env({}).host_delay_s == pacing.DELAY_S
    assert CRAWL_DELAY_MAX_S <= BACKOFF_MAX_S < TURN_MAX_S
