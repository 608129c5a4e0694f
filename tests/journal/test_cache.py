"""The cache of pages: what answers from it and what does not, how it is kept small, and that
nothing depends on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from research_core.context import memory_log
from research_core.errors import CallForbidden, FetchError, ResearchError, StoreError
from research_core.journal import cache, cross_tenant, tables
from research_core.journal.cache import Cache, CacheEntry
from research_core.journal.database import Database
from research_core.journal.doorway import Control, Doorway
from research_core.journal.encryption import Cipher
from research_core.journal.events import Draft
from research_core.journal.http_caching import may_succeed_later
from research_core.journal.log import EventLog
from research_core.journal.tables import open_database
from research_core.models import HttpReply, Principal
from research_core.settings import Settings
from research_core.wiring import Resources, default_deps
from tests.journal.test_doorway import URL, Outside
from tests.logs import ANN, BEN, CLEO, Hands, at_once, log_of, new_log

PAGE = HttpReply(
    URL,
    200,
    {"content-type": "text/html", "etag": '"1"', "last-modified": "Mon, 01 Jan 2024 00:00:00 GMT"},
    b"page",
)
HOUR = 3600.0


def fail(error: ResearchError) -> None:
    raise AssertionError(error.message)


class Sessions:
    """Sessions of one tenant, one after the other, before one outside and one clock that is set by
    hand.
    """

    def __init__(self, db: Database, *answers: Any, who: Principal = ANN) -> None:
        self.db, self.who, self.clock, self.outside, self.count = (
            db,
            who,
            Hands(),
            Outside(*answers),
            0,
        )
        self.kept = Cache(db, who, 1, fail)

    def new(self) -> EventLog:
        self.count += 1
        log = new_log(self.db, f"{self.who.tenant} {self.who.user} {self.count}", self.who)
        log.append(Draft("created", {}, "created"))
        return log

    def door(self, log: EventLog | None = None, **options: Any) -> Doorway:
        return Doorway(
            log or self.new(),
            self.outside,
            self.outside,
            self.clock,
            cache=lambda: self.kept,
            **options,
        )

    def ask(self, log: EventLog | None = None, **options: Any) -> HttpReply | FetchError:
        """What a session is answered, a failure too."""
        options = {"method": "GET", "url": URL, "ttl_s": HOUR, **options}
        try:
            return self.door(log).http.send(options.pop("method"), options.pop("url"), **options)
        except FetchError as error:
            return error

    @property
    def about(self) -> dict[str, Any]:
        """What the log of the last session says of its last call, without what it was."""
        log = log_of(self.db, f"{self.who.tenant} {self.who.user} {self.count}", who=self.who)
        return {
            name: value for name, value in log.calls()[-1].data["about"].items() if name != "what"
        }

    @property
    def sent(self) -> list[dict[str, str]]:
        """The headers of each request that went out."""
        return [options["headers"] for _, _, options in self.outside.asked]


@pytest.fixture
def memory() -> Iterator[Database]:
    db = open_database("sqlite://")
    yield db
    db.close()


def said(reply: HttpReply | FetchError) -> Any:
    return (
        (reply.status, reply.body)
        if isinstance(reply, HttpReply)
        else (reply.kind, reply.message, reply.next_step, reply.public)
    )


# ---------------------------------------------------------------- fresh


def test_another_session_is_answered_from_the_cache_and_its_log_says_so(db: Database) -> None:
    sessions = Sessions(db, PAGE)
    assert sessions.ask() == PAGE
    assert sessions.about == {}
    sessions.clock.at += 125.7
    assert sessions.ask() == PAGE
    assert (sessions.about, len(sessions.outside.asked)) == ({"cached": True, "age": 125}, 1)


def test_the_log_answers_first_and_a_replay_needs_no_cache(memory: Database) -> None:
    sessions = Sessions(memory, PAGE, HttpReply(URL, 200, {}, b"new"))
    sessions.ask()
    log = sessions.new()
    assert sessions.ask(log) == PAGE
    cache.empty_cache(memory, ANN)
    sessions.clock.at += 10 * 86_400
    assert sessions.ask(log_of(memory, log.session)) == PAGE
    assert sessions.ask(log.fork("fork", {})) == PAGE
    replayed = Doorway(
        log_of(memory, log.session, readonly=True), Outside(fail), Outside(fail), Hands()
    )
    assert replayed.http.send("GET", URL, ttl_s=HOUR) == PAGE
    assert sessions.ask() == HttpReply(URL, 200, {}, b"new")
    assert len(sessions.outside.asked) == 2


def test_a_reply_says_whether_it_was_kept_the_same_in_its_session_a_replay_and_a_fork(
    memory: Database,
) -> None:
    confirmed = HttpReply(URL, 304, {"etag": '"1"'}, b"")
    sessions = Sessions(memory, PAGE, confirmed)

    def kept(log: EventLog) -> bool:
        reply = sessions.ask(log)
        assert isinstance(reply, HttpReply)
        return reply.kept

    asked, answered, renewed = sessions.new(), sessions.new(), sessions.new()
    assert [kept(asked), kept(answered)] == [False, True]
    sessions.clock.at += HOUR + 1
    assert kept(renewed) is False  # it was asked whether it still holds
    for log, said in ((asked, False), (answered, True), (renewed, False)):
        replayed = Doorway(
            log_of(memory, log.session, readonly=True), Outside(fail), Outside(fail), Hands()
        )
        assert [
            kept(log),
            kept(log.fork(f"fork {log.session}", {})),
            replayed.http.send("GET", URL, ttl_s=HOUR).kept,
        ] == [said] * 3


def test_a_resume_is_answered_as_before_though_the_cache_holds_something_else(
    memory: Database,
) -> None:
    sessions = Sessions(memory, PAGE, HttpReply(URL, 200, {}, b"new"))
    log = sessions.new()
    sessions.ask(log)
    cache.empty_cache(memory, ANN)
    assert sessions.ask() != PAGE
    assert sessions.ask(log_of(memory, log.session)) == PAGE


@pytest.mark.parametrize(
    "options",
    [
        {"ttl_s": 0.0},
        {"keep": False},
        {"method": "PUT"},
        {"method": "HEAD"},
        {"url": f"{URL}?b"},
        {"headers": {"accept": "text/plain"}},
        {"params": {"q": "x"}},
        {"max_bytes": 100},
        {"method": "POST", "json": {"q": "x"}},
        {"headers": {"authorization": "Bearer another-key"}},
        {"params": {"api_key": "another-key"}},
    ],
    ids=str,
)
def test_what_may_be_answered_otherwise_goes_out(memory: Database, options: dict[str, Any]) -> None:
    sessions = Sessions(memory, PAGE)
    sessions.ask()
    sessions.ask(**options)
    assert len(sessions.outside.asked) == 2
    sessions.ask(**options)
    never = options.get("method") in ("PUT", "HEAD") or "keep" in options or "ttl_s" in options
    assert len(sessions.outside.asked) == (3 if never else 2)


def test_a_question_by_post_is_kept_under_what_it_asks(memory: Database) -> None:
    sessions = Sessions(memory, *(HttpReply(URL, 200, {}, str(n).encode()) for n in range(3)))
    bodies = [sessions.ask(method="POST", json={"q": q}) for q in ("x", "y", "x", "y")]
    assert [said(body) for body in bodies] == [(200, b"0"), (200, b"1"), (200, b"0"), (200, b"1")]


def test_two_services_of_one_path_and_two_keys_are_told_apart(memory: Database) -> None:
    """The call's own key knows neither, so that a session replays elsewhere; the cache has to."""
    sessions = Sessions(memory, PAGE)
    first = {
        "url": "http://one.example.org:8888/search",
        "endpoint": True,
        "params": {"q": "x", "api_key": "first-key-1"},
    }
    for change in (
        {},
        {},
        {"url": "http://two.example.org:8888/search"},
        {"params": {"q": "x", "api_key": "other-key-2"}},
    ):
        sessions.ask(**{**first, **change})
    assert len(sessions.outside.asked) == 3
    with memory.reading() as conn:
        assert not any(
            "key-" in key for key in conn.execute(sa.select(tables.cache.c.key)).scalars()
        )


def test_what_was_asked_for_a_page_of_one_host_answers_for_no_page_of_another(
    memory: Database,
) -> None:
    """Whether it may be asked goes by the page."""
    sessions = Sessions(memory, PAGE)
    for page, asked in (
        ("https://a.example/1", 1),
        ("https://a.example/2", 1),
        ("https://b.example/1", 2),
        ("https://b.example/2", 2),
    ):
        sessions.door().http.on_behalf(page).send("GET", URL, ttl_s=HOUR)
        assert len(sessions.outside.asked) == asked, page


def test_a_service_s_failure_is_kept_for_nobody_and_its_answer_only_once_it_was_made_sense_of(
    memory: Database,
) -> None:
    sessions = Sessions(memory, HttpReply(URL, 404, {}, b"No."), PAGE)
    for keep, asked in (
        (True, 1),
        (False, 2),
        (True, 3),
        (True, 3),
    ):  # a failure, an answer that nobody could read, one that was read
        http = sessions.door().http.for_service("tea", ttl_s=HOUR)
        http.send("GET", URL)
        if keep:
            http.release_answers()
        assert len(sessions.outside.asked) == asked


@pytest.mark.parametrize("who", [BEN, CLEO], ids=["a colleague", "another tenant"])
def test_a_tenant_s_users_share_what_was_read_and_nobody_else_sees_it(
    db: Database, who: Principal
) -> None:
    Sessions(db, PAGE).ask()
    other = Sessions(db, HttpReply(URL, 200, {}, b"asked anew"), who=who)
    assert said(other.ask()) == (
        (200, b"page") if who.tenant == ANN.tenant else (200, b"asked anew")
    )


@pytest.mark.parametrize("ttl", [0.0, 59.0, 61.0, 3599.0])
def test_a_caller_takes_what_is_young_enough_for_it(memory: Database, ttl: float) -> None:
    sessions = Sessions(memory, HttpReply(URL, 200, {}, b"page"))
    sessions.ask()
    sessions.clock.at += 60
    sessions.ask(ttl_s=ttl)
    assert len(sessions.outside.asked) == (1 if ttl > 60 else 2)


@pytest.mark.parametrize(
    ("headers", "after", "asked"),
    [
        ({}, 3599.0, 1),
        ({}, 3601.0, 2),
        ({"cache-control": "max-age=60"}, 59.0, 1),
        ({"cache-control": "max-age=60"}, 61.0, 2),
        ({"cache-control": "private"}, 60.0, 1),
        ({"cache-control": "no-store"}, 0.0, 2),
        ({"cache-control": "no-cache"}, 0.0, 2),
        ({}, -60.0, 2),  # the clock was set back: nobody knows how old it is
    ],
)
def test_what_the_server_says_of_its_page_is_heeded(
    memory: Database, headers: dict[str, str], after: float, asked: int
) -> None:
    sessions = Sessions(memory, HttpReply(URL, 200, headers, b"page"))
    sessions.ask()
    sessions.clock.at += after
    sessions.ask()
    assert len(sessions.outside.asked) == asked


# ---------------------------------------------------------------- stale


@pytest.mark.parametrize(("status", "asked"), [(200, 2), (404, 2), (403, 3)])
def test_what_lasts_by_rule_does_so_whatever_its_headers_say(
    memory: Database, status: int, asked: int
) -> None:
    """A page does, and that there is none; a refusal is taken for granted no longer than any."""
    sessions = Sessions(memory, HttpReply(URL, status, {"cache-control": "no-cache"}, b"page"))
    for hours in (0, 23, 24):
        sessions.clock.at = hours * HOUR
        sessions.door(sessions.new()).http.with_deadline(60).with_max_age(24 * HOUR).send(
            "HEAD", URL
        )
    assert len(sessions.outside.asked) == asked


def test_an_old_page_is_asked_about_and_confirmed(memory: Database) -> None:
    confirmed = HttpReply(URL, 304, {"etag": '"1b"', "date": "Tue, 02 Jan 2024 00:00:00 GMT"}, b"")
    sessions = Sessions(memory, PAGE, confirmed, AssertionError("asked once too often"))
    sessions.ask(headers={"Accept": "a"})
    sessions.clock.at += HOUR + 1
    whole = HttpReply(URL, 200, {**PAGE.headers, **confirmed.headers}, b"page")
    assert sessions.ask(headers={"Accept": "a"}) == whole
    assert sessions.about == {"cached": True, "age": 0, "renewed": True}
    assert sessions.sent == [
        {"accept": "a"},
        {"accept": "a", "if-none-match": '"1"', "if-modified-since": PAGE.headers["last-modified"]},
    ]
    sessions.clock.at += HOUR - 1
    assert sessions.ask(headers={"Accept": "a"}) == whole
    assert sessions.about == {"cached": True, "age": HOUR - 1}


def test_a_page_that_changed_takes_the_place_of_the_old_one(memory: Database) -> None:
    new = HttpReply(URL, 200, {"etag": '"2"'}, b"new")
    sessions = Sessions(memory, PAGE, new)
    sessions.ask()
    sessions.clock.at += HOUR + 1
    assert [sessions.ask(), sessions.about, sessions.ask(), sessions.about] == [
        new,
        {},
        new,
        {"cached": True, "age": 0},
    ]


def test_what_must_be_asked_each_time_is_confirmed_each_time(memory: Database) -> None:
    sessions = Sessions(
        memory,
        HttpReply(URL, 200, {"etag": "e", "cache-control": "no-cache"}, b"page"),
        HttpReply(URL, 304, {}, b""),
    )
    bodies = [said(sessions.ask()) for _ in range(3)]
    assert (bodies, len(sessions.outside.asked)) == ([(200, b"page")] * 3, 3)


def test_a_confirmation_of_another_page_is_none(memory: Database) -> None:
    """The address leads elsewhere by now, and what is there has not changed since: of the page we
    hold it says nothing.
    """
    first = HttpReply(
        f"{URL}/v1", 200, {"last-modified": "Mon, 01 Jan 2024 00:00:00 GMT"}, b"one", (URL,)
    )
    moved = HttpReply(f"{URL}/v2", 304, {}, b"", (URL,))
    second = HttpReply(f"{URL}/v2", 200, {}, b"two", (URL,))
    sessions = Sessions(memory, first, moved, second)
    sessions.ask()
    sessions.clock.at += HOUR + 1
    assert sessions.ask() == second
    assert [bool(sent) for sent in sessions.sent] == [False, True, False]


def test_a_confirmation_that_nobody_asked_for_is_an_answer_like_any_other(memory: Database) -> None:
    sessions = Sessions(memory, HttpReply(URL, 304, {"etag": "e"}, b""))
    assert said(sessions.ask()) == (304, b"")


def test_a_page_without_validators_is_asked_for_anew(memory: Database) -> None:
    sessions = Sessions(memory, HttpReply(URL, 200, {}, b"old"), HttpReply(URL, 200, {}, b"new"))
    sessions.ask()
    sessions.clock.at += HOUR + 1
    assert said(sessions.ask()) == (200, b"new")
    assert sessions.sent == [{}, {}]


# ---------------------------------------------------------------- failures

FAILURES: Mapping[str, tuple[Any, float]] = {
    "refused": (HttpReply(URL, 403, {}, b"no"), 1800.0),
    "not there": (HttpReply(URL, 404, {}, b"no"), 600.0),
    "busy": (HttpReply(URL, 429, {"retry-after": "3600"}, b"no"), 90.0),
    "out of order": (HttpReply(URL, 500, {}, b"no"), 600.0),
    "no connection": (
        FetchError("nobody", kind="network", retry_after=100.0, next_step="step", public=True),
        100.0,
    ),
    "an address refused": (FetchError("private", kind="validation"), 4 * 3600.0),
    "too large": (FetchError("large", kind="too_large", public=True), 600.0),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_is_taken_for_granted_for_its_time(memory: Database, name: str) -> None:
    failure, seconds = FAILURES[name]
    sessions = Sessions(memory, failure, PAGE)
    first = sessions.ask()
    for part in (0.0, 0.5, 0.499):
        sessions.clock.at += seconds * part
        again = sessions.ask()
        assert said(again) == said(first)
        assert sessions.about["cached"] is True
    sessions.clock.at += 1 + seconds * 0.001
    assert sessions.ask() == PAGE
    assert len(sessions.outside.asked) == 2


@pytest.mark.parametrize("kind", ["config"])
def test_a_failure_that_a_person_can_put_right_at_once_is_not_kept(
    memory: Database, kind: str
) -> None:
    sessions = Sessions(memory, FetchError("set it", kind=kind), PAGE)
    sessions.ask()
    assert sessions.ask() == PAGE


@pytest.mark.parametrize("name", ["no connection", "busy"])
def test_a_call_that_the_analyst_has_tried_again_goes_out_whatever_failed_lately(
    memory: Database, name: str
) -> None:
    """As `resume` does with an attempt that ended: what failed is voided, where another attempt can
    help.
    """
    sessions = Sessions(memory, FAILURES[name][0], PAGE)
    log = sessions.new()
    sessions.ask(log)
    for key, call in log.answers().items():
        assert may_succeed_later(call.data)
        log.void(key)
    assert sessions.ask(log) == PAGE
    assert sessions.ask() == PAGE  # and what came of it is there for the next one
    assert len(sessions.outside.asked) == 2


def test_a_fork_that_tries_again_goes_out_too(memory: Database) -> None:
    sessions = Sessions(memory, FAILURES["no connection"][0], PAGE)
    log = sessions.new()
    sessions.ask(log)
    fork = log.fork("fork", {})
    for key in fork.answers():
        fork.void(key)
    assert sessions.ask(log_of(memory, "fork")) == PAGE


def test_a_voided_call_may_well_be_answered_by_what_another_session_got_meanwhile(
    memory: Database,
) -> None:
    sessions = Sessions(
        memory, FAILURES["no connection"][0], PAGE, AssertionError("asked once too often")
    )
    log = sessions.new()
    sessions.ask(log)
    sessions.clock.at += 101
    assert sessions.ask() == PAGE
    for key in log.answers():
        log.void(key)
    assert sessions.ask(log) == PAGE


def test_a_failure_takes_no_permission_that_a_run_does_not_have(memory: Database) -> None:
    """Not even the cache answers what a run was not to ask any more: what is in it would decide
    what is in the report.
    """
    sessions = Sessions(memory, PAGE)
    sessions.ask()
    door = sessions.door(control=Control())
    door.http.close()
    with pytest.raises(CallForbidden):
        door.http.send("GET", URL, ttl_s=HOUR)


# ---------------------------------------------------------------- settings


def under(sessions: Sessions, rules: str) -> Sessions:
    sessions.kept = Cache(sessions.db, sessions.who, 1, fail, rules=rules)
    return sessions


def test_what_was_read_under_other_rules_answers_nothing(db: Database) -> None:
    """A page that was read before a list of domains left it out is not served from the cache, and
    what was refused before is asked for.
    """
    sessions = under(
        Sessions(
            db, PAGE, HttpReply(URL, 404, {}, b"gone"), AssertionError("asked once too often")
        ),
        "all",
    )
    assert sessions.ask() == PAGE
    assert said(under(sessions, "some").ask()) == (404, b"gone")
    assert [said(under(sessions, rules).ask()) for rules in ("all", "some")] == [
        (200, b"page"),
        (404, b"gone"),
    ]


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_what_our_own_settings_refuse_is_never_kept_and_may_be_tried_again(
    memory: Database, method: str
) -> None:
    ours = FetchError("Address refused: it is not on the list.", kind="validation", ours=True)
    theirs = FetchError("Address refused: 10.0.0.1 is not a public address.", kind="validation")
    sessions = Sessions(memory, ours, PAGE, theirs, AssertionError("asked once too often"))
    log = sessions.new()
    assert said(sessions.ask(log, method=method)) == said(ours)
    assert said(sessions.ask(log_of(memory, log.session), method=method)) == said(
        ours
    )  # this session has its answer
    assert [may_succeed_later(call.data) for call in log.calls()] == [True]
    assert sessions.ask(method=method) == PAGE
    sessions.clock.at += 2 * HOUR
    assert [said(sessions.ask(url=f"{URL}/2")) for _ in range(2)] == [said(theirs)] * 2
    assert not may_succeed_later(
        log_of(memory, f"{ANN.tenant} {ANN.user} {sessions.count}").calls()[-1].data
    )


def test_the_settings_that_say_what_may_be_asked_are_part_of_where_an_answer_is_kept() -> None:
    changes: list[dict[str, str]] = [
        {},
        {"ALLOWED_DOMAINS": "example.org"},
        {"ASSAY_ROBOTS": "0"},
        {"SEARXNG_URL": "http://localhost:8888"},
    ]
    rules = [Settings.from_env(env).rules for env in changes]
    assert len(set(rules)) == len(changes)
    assert Settings.from_env({"ASSAY_HOST_DELAY": "2"}).rules == rules[0]
    one, other = (
        Settings.from_env({"ALLOWED_DOMAINS": text}).rules
        for text in ("example.org,gov.uk", "gov.uk,example.org")
    )
    assert one == other


# ---------------------------------------------------------------- keeping it


VALUES = {
    "url": st.text(),
    "status": st.integers(100, 999),
    "headers": st.dictionaries(st.text(), st.text()),
    "hops": st.lists(st.text()),
}


@given(
    value=st.fixed_dictionaries({**VALUES, "body": st.binary()}),
    at=st.floats(0, 1e10),
    fresh=st.floats(0, 1e6),
)
def test_an_entry_comes_back_as_it_was(value: dict[str, Any], at: float, fresh: float) -> None:
    entry = CacheEntry(value, None, at, fresh)
    assert cache._decode_entry(cache._encode_entry(entry)) == entry


def entry(size: int, at: float, fresh: float = HOUR, **headers: str) -> CacheEntry:
    return CacheEntry(
        {"url": URL, "status": 200, "headers": headers, "hops": [], "body": b"x" * size},
        None,
        at,
        fresh,
    )


def test_the_oldest_go_when_there_is_no_room(db: Database) -> None:
    kept = Cache(db, ANN, 1, fail, bound=20_000)
    theirs = Cache(db, CLEO, 1, fail, bound=20_000)
    theirs.put("first", entry(1000, 0.0), 0.0)
    for n in range(40):
        kept.put(f"{n:02}", entry(1000, float(n)), 39.0)
        theirs.put(f"{n % 10:02}", entry(1000, float(n)), 39.0)
        assert cache.measure_cache(db, ANN)[1] <= 20_000 * 17 / 16 + 1200
    left = [n for n in range(40) if kept.get(f"{n:02}")]
    assert left == list(range(40 - len(left), 40))
    assert len(left) >= 12
    assert cache.measure_cache(db, CLEO)[0] == 11
    assert theirs.get("first") is not None  # as old as the oldest that went


def test_a_large_answer_pushes_nothing_out(db: Database) -> None:
    kept = Cache(db, ANN, 1, fail, bound=20_000)
    kept.put("small", entry(1000, 0.0), 0.0)
    for size in (2000, 2001):
        kept.put(str(size), entry(size, 1.0), 1.0)
    assert [bool(kept.get(key)) for key in ("small", "2000", "2001")] == [True, True, False]


def test_what_is_of_no_use_any_more_goes_with_the_next_that_comes(db: Database) -> None:
    Cache(db, ANN, 1, fail).put("plain", entry(1, 0.0), 0.0)
    Cache(db, ANN, 1, fail).put("can be asked about", entry(1, 0.0, etag="e"), 0.0)
    for at, left in (
        (HOUR - 1, {"plain", "can be asked about"}),
        (HOUR + 1, {"can be asked about"}),
        (8 * 86_400.0, set()),
    ):
        kept = Cache(db, ANN, 1, fail)
        kept.put("new", entry(1, at), at)
        assert {key for key in ("plain", "can be asked about") if kept.get(key)} == left


def test_entries_of_another_shape_answer_nothing_and_go(db: Database) -> None:
    Cache(db, ANN, 1, fail).put("old", entry(1, 0.0), 0.0)
    new = Cache(db, ANN, 2, fail)
    assert new.get("old") is None
    new.put("new", entry(1, 1.0), 1.0)
    assert cache.measure_cache(db, ANN)[0] == 1


def test_it_is_emptied_for_one_tenant(db: Database) -> None:
    for who in (ANN, CLEO):
        for n in range(3):
            Cache(db, who, 1, fail).put(str(n), entry(10, 0.0), 0.0)
    assert cache.measure_cache(db, BEN)[0] == cache.empty_cache(db, BEN) == 3
    assert (cache.measure_cache(db, ANN), cache.measure_cache(db, CLEO)[0]) == ((0, 0), 3)


def test_what_has_run_out_is_removed_for_everybody(tmp_path: Path) -> None:
    """A tenant that reads nothing more would else keep it for ever."""
    resources = Resources(Settings.from_env({"ASSAY_HOME": str(tmp_path)}))
    for who in (ANN, CLEO):
        Cache(resources.db, who, 1, fail).put("old", entry(1, 0.0), 0.0)
    Cache(resources.db, CLEO, 1, fail).put(
        "new", entry(1, resources.clock.now()), resources.clock.now()
    )
    assert [
        who.tenant
        for who in cross_tenant.list_users_with_expired_cache(resources.db, resources.clock.now())
    ] == ["north"]  # a sweep went with the new one
    resources.sweep_caches()
    assert (
        cache.measure_cache(resources.db, ANN)[0],
        cache.measure_cache(resources.db, CLEO)[0],
    ) == (
        0,
        1,
    )
    resources.close()


def test_entries_are_sealed_and_those_of_a_lost_key_are_asked_for_anew(tmp_path: Path) -> None:
    db = open_database(f"sqlite:///{tmp_path / 'assay.db'}", cipher=Cipher("0f" * 32))
    sessions = Sessions(db, HttpReply(URL, 200, {}, b"the harbour seals of Anglesey"))
    sessions.ask()
    sessions.ask()
    assert len(sessions.outside.asked) == 1
    with db.reading() as conn:
        assert not any(
            b"harbour" in body for body in conn.execute(sa.select(tables.cache.c.body)).scalars()
        )
    db.cipher = Cipher("a1" * 32)
    assert Cache(db, ANN, 1, fail).get("x") is None
    sessions.ask()
    sessions.ask()
    assert len(sessions.outside.asked) == 2
    db.close()


def test_an_entry_that_was_moved_answers_nothing_and_is_told(memory: Database) -> None:
    memory.cipher, told = Cipher("0f" * 32), list[ResearchError]()
    kept = Cache(memory, ANN, 1, told.append)
    kept.put("a", entry(1, 0.0), 0.0)
    with memory.writing() as conn:
        conn.execute(
            sa.update(tables.cache).values(key="b" + sa.func.substr(tables.cache.c.key, 2))
        )
    assert kept.get("b") is None
    assert "moved" in told[0].message


# ---------------------------------------------------------------- trouble


class Broken:
    """A database that refuses the cache alone."""

    def __init__(self, db: Database, refuse: str) -> None:
        self.cipher = db.cipher
        for name in ("reading", "writing"):
            setattr(self, name, self.refuse if name == refuse else getattr(db, name))

    def refuse(self) -> Any:
        raise StoreError("The disk is full.", next_step="Free some space.")


@pytest.mark.parametrize("refuse", ["reading", "writing"])
def test_a_cache_that_fails_fails_no_call(memory: Database, refuse: str) -> None:
    sessions, told = Sessions(memory, PAGE), list[ResearchError]()
    sessions.kept = Cache(Broken(memory, refuse), ANN, 1, told.append)  # type: ignore[arg-type]
    assert [sessions.ask(), sessions.ask()] == [PAGE, PAGE]
    assert {error.message for error in told} == {"The disk is full."}
    assert len(sessions.outside.asked) == 2


def test_resources_say_once_that_their_cache_fails(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    resources = Resources(Settings.from_env({"ASSAY_HOME": str(blocked / "home")}))
    for _ in range(3):
        assert resources.open_page_cache(ANN) is None
    assert [error.message[:35] for error in resources.trouble] == [
        "The page cache could not be used. T"
    ]
    assert resources.trouble[0].next_step


def test_a_trial_and_a_tool_without_a_page_open_no_database(tmp_path: Path) -> None:
    resources = Resources(Settings.from_env({"ASSAY_HOME": str(tmp_path / "home")}))
    default_deps(memory_log("x"), resources)
    assert not (tmp_path / "home").exists()


def test_two_at_once_may_both_ask_and_both_are_answered(db: Database) -> None:
    sessions = Sessions(db, PAGE)
    logs = [sessions.new() for _ in range(6)]
    assert at_once(6, lambda n: sessions.ask(logs[n])) == [PAGE] * 6
    assert cache.measure_cache(db, ANN)[0] == 1
    asked = len(sessions.outside.asked)
    sessions.ask()
    assert len(sessions.outside.asked) == asked
