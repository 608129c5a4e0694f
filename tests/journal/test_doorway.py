"""The doorway: what it answers from, what it refuses and in which order, how often it tries, and
what it never writes down.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from research_core.decisions.view import fold_events
from research_core.errors import (
    BoundaryError,
    CallForbidden,
    CapReached,
    FetchError,
    LostOwnership,
    ModelError,
    ModelRefused,
    Stopped,
)
from research_core.journal import redaction, store
from research_core.journal.budget import format_cap
from research_core.journal.database import Database
from research_core.journal.deps import Price
from research_core.journal.doorway import DELTA_S, Control, Doorway
from research_core.journal.events import Draft
from research_core.journal.http_caching import may_succeed_later
from research_core.journal.layers import CONCURRENCY_LIMITS, STOP_POLL_S
from research_core.journal.log import EventLog
from research_core.journal.tables import open_database
from research_core.llm.offline import OfflineModel
from research_core.model_messages import NO_OTHER_MODEL, ModelReply, ModelRequest, ToolCall, Usage
from research_core.models import HttpReply
from research_core.policy import Caps
from tests.logs import ANN, Hands, WaitingHands, at_once, log_of, new_session
from tests.stored_bytes import read_stored_bytes
from tests.timing import LONG_S, check_duration, wait_until

URL = "https://pages.example.org/a"


class Outside:
    """The world behind the doorway: raw http and model in one. `answers` are taken in turn, the
    last one for ever.

    An answer is an exception to raise, a function to call, or the thing itself.
    """

    name = "outside"

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers) or [HttpReply(URL, 200, {}, b"body")]
        self.asked: list[Any] = []
        self.lock = threading.Lock()

    def take(self, asked: Any, *arguments: Any) -> Any:
        with self.lock:
            self.asked.append(asked)
            answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, BaseException):
            raise answer
        return answer(*arguments) if callable(answer) else answer

    def send(self, method: str, url: str, **options: Any) -> HttpReply:
        reply = self.take((method, url, options), url)
        assert isinstance(reply, HttpReply)
        return reply

    def open(self) -> None: ...

    def run(
        self, request: ModelRequest, on_text: Callable[[str], None] | None = None
    ) -> ModelReply:
        reply = self.take(request, on_text)
        assert isinstance(reply, ModelReply)
        return reply


@pytest.fixture
def db() -> Iterator[Database]:
    db = open_database("sqlite://")
    new_session(db)
    log_of(db).append(Draft("created", {"question": "?", "settings": {}}, "created"))
    yield db
    db.close()


def through(db: Database | EventLog, outside: Outside, **options: Any) -> Doorway:
    log = log_of(db) if isinstance(db, Database) else db
    return Doorway(log, outside, outside, options.pop("clock", Hands()), **options)


def asks(kind: str = "plan", **changes: Any) -> ModelRequest:
    return replace(ModelRequest(kind, "system", "prompt", {"question": "?"}), **changes)


def says(text: str = "text", tokens: int = 10, cost: float | None = 0.0) -> ModelReply:
    return ModelReply(text, "m", Usage(tokens, 0, cost))


def tried(call: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return call(*arguments)
    except (BoundaryError, CapReached, Stopped) as error:
        return error


def calls(db: Database) -> list[dict[str, Any]]:
    return [event.data for event in log_of(db).read(kinds=["call"])]


# ---------------------------------------------------------------- what crosses


def test_the_guarded_session_is_told_what_is_a_page_and_what_is_asked_for_one(db: Database) -> None:
    """And so is the log: a page is bound by the list of domains, a service is not, but for the page
    it is asked for.
    """
    outside, told = Outside(), "https://x.com/quay"
    http = through(db, outside).http
    http.send("GET", f"{URL}?1", page=True)
    http.send("GET", f"{URL}?2")
    http.on_behalf(told).send("GET", f"{URL}?3")
    http.on_behalf(told).send("GET", f"{URL}?4", page=True)
    assert [(options.get("on_behalf"), "wait" in options) for _, _, options in outside.asked] == [
        (None, True), ("", False), (told, False), (told, True)
    ]  # fmt: skip
    assert [call["about"].get("page") for call in calls(db)] == [None, None, told, told]
    assert http.send("GET", f"{URL}?3").body == b"body"
    assert len(outside.asked) == 4  # for whom it was asked is no part of its key


def test_a_form_is_sent_as_one_and_another_form_is_another_call(db: Database) -> None:
    outside = Outside()
    http = through(db, outside).http
    for form in ({"url": "a"}, {"url": "a"}, {"url": "b"}, None):
        http.send("POST", URL, form=form)
    assert [options.get("data") for _, _, options in outside.asked] == [
        {"url": "a"},
        {"url": "b"},
        None,
    ]


def test_a_reply_comes_back_as_it_crossed_and_is_asked_for_once(db: Database) -> None:
    reply = HttpReply(
        URL + "/final",
        404,
        {"content-type": "text/html", "etag": "e", "x-powered-by": "z"},
        b"\xff\x00",
        (URL,),
    )
    outside = Outside(reply)
    kept = replace(reply, headers={"content-type": "text/html", "etag": "e"})
    for readonly in (False, False, True):
        assert (
            through(log_of(db, readonly=readonly), outside).http.send(
                "GET", URL, params={"q": "x"}, headers={"Accept": "*/*"}, timeout_s=3.0
            )
            == kept
        )
    ((method, url, options),) = outside.asked
    assert (method, url, options["params"], options["headers"], options["timeout_s"]) == (
        "GET",
        URL,
        {"q": "x"},
        {"accept": "*/*"},
        3.0,
    )
    assert isinstance(options["stop"], threading.Event)


def test_a_model_s_reply_comes_back_whole(db: Database) -> None:
    reply = ModelReply(
        "text",
        "m-2",
        Usage(7, 5, None),
        (ToolCall("1", "search_web", {"query": "x"}),),
        {"role": "model", "parts": [{"b": 1, "a": 2}]},
        "length",
    )
    outside = Outside(reply)
    for _ in range(2):
        got = through(db, outside).model.run(asks())
        assert got == reply
        assert json.dumps(got.content) == json.dumps(
            reply.content
        )  # in its own order: a provider wants it back unchanged
    assert len(outside.asked) == 1


def test_any_other_call_is_journalled_under_its_parameters(db: Database) -> None:
    outside = Outside(("a", "b"))
    for _ in range(2):
        http = through(db, outside).http
        for kind, query in (("ddgs", "x"), ("library", "x"), ("ddgs", "y")):
            assert http.call(kind, {"query": query}, partial(outside.take, (kind, query))) == [
                "a",
                "b",
            ]
    assert outside.asked == [("ddgs", "x"), ("library", "x"), ("ddgs", "y")]


# ---------------------------------------------------------------- keys

HTTP: dict[str, Any] = {
    "method": "GET",
    "url": URL,
    "params": {"q": "1"},
    "json": {"a": 1},
    "headers": {"accept": "a"},
    "max_bytes": 100,
}


@pytest.mark.parametrize(
    "change",
    [
        {"method": "POST"},
        {"url": URL + "/b"},
        {"url": URL + "?page=2"},
        {"url": URL + "?key=2"},  # on a page these are parameters like any other
        {"url": URL + "?token=2"},
        {"url": URL + "#part"},
        {"params": {"q": "2"}},
        {"params": {"q": "1", "n": "2"}},
        {"json": {"a": 2}},
        {"json": None},
        {"headers": {"accept": "b"}},
        {"headers": {"accept": "a", "accept-language": "de"}},
        {"max_bytes": 200},
        {"max_document": 200},
    ],
    ids=str,
)
def test_each_parameter_that_can_change_the_reply_changes_the_key(
    db: Database, change: Mapping[str, Any]
) -> None:
    outside = Outside()
    http = through(db, outside).http
    for _ in range(2):
        http.send(**HTTP)
        http.send(**{**HTTP, **change})
    assert len(outside.asked) == 2


@pytest.mark.parametrize(
    "change",
    [
        {"params": {"q": "1", "api_key": "s3cret-key-1"}},
        {"headers": {"Accept": "a", "Authorization": "Bearer s3cret-key-1"}},
        {"timeout_s": 1.0},
        {"url": URL.replace("//", "//ann:password@")},
    ],
    ids=str,
)
def test_a_secret_or_a_deadline_does_not(db: Database, change: Mapping[str, Any]) -> None:
    """So that a session can be resumed with another key, and replayed with none."""
    outside = Outside()
    http = through(db, outside).http
    http.send(**HTTP)
    http.send(**{**HTTP, **change})
    assert len(outside.asked) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "refine"},
        {"system": "other"},
        {"prompt": "other"},
        {"inputs": {"question": "!"}},
        {"schema": {"type": "object"}},
        {"tools": ({"name": "search_web"},)},
        {"history": ({"role": "tool", "results": []},)},
        {"timeout_s": 1.0},
    ],
    ids=lambda change: next(iter(change)),
)
def test_each_part_of_a_request_but_its_deadline_changes_the_key(
    db: Database, change: Mapping[str, Any]
) -> None:
    outside = Outside(says())
    model = through(db, outside).model
    for _ in range(2):
        model.run(asks())
        model.run(asks(**change))
    assert len(outside.asked) == (1 if "timeout_s" in change else 2)


def test_another_model_is_another_key(db: Database) -> None:
    outside, other = Outside(says("one")), Outside(says("two"))
    other.name = "other"
    assert [through(db, world).model.run(asks()).text for world in (outside, other, outside)] == [
        "one",
        "two",
        "one",
    ]


@pytest.mark.parametrize(
    ("kind", "status", "answered", "prompting", "ends"),
    [
        ("auth_required", 401, "never", 6, True),
        ("auth_required", 403, "never", 6, True),
        ("not_found", 404, "never", 6, True),
        ("auth_required", 401, "in an earlier attempt", 6, True),
        # Some servers answer 403 to what a single page says.
        ("auth_required", 403, "in an earlier attempt", 6, False),
        ("auth_required", 401, "in this attempt", 6, False),
        ("upstream_unavailable", 503, "never", 6, False),
        ("bad_reply", None, "never", 6, False),
        ("auth_required", 401, "never", 1, False),
    ],
)
def test_a_model_that_is_refused_ends_the_run(
    kind: str, status: int | None, answered: str, prompting: int, ends: bool
) -> None:
    db = open_database("sqlite://")
    new_session(db)
    created = {"question": "?", "settings": {}, "rules": {"prompting": prompting}}
    log_of(db).append(Draft("created", created, "created"))
    outside = Outside(says(), ModelError("It is refused.", kind=kind, status=status))
    door = through(db, outside)
    if answered == "never":
        outside.answers.pop(0)
    else:
        door.model.run(asks())
    if answered == "in an earlier attempt":
        door = through(db, outside)
    with pytest.raises(ModelRefused if ends else ModelError, match="It is refused"):
        door.model.run(asks("judge_relevance"))
    db.close()


@pytest.mark.parametrize(
    ("judge", "kind", "planned", "role"),
    [
        ("cloud:small", "auth_required", False, "model"),
        ("cloud:small", "auth_required", True, "judge"),  # the key has been accepted
        ("cloud:small", "not_found", False, "judge"),
        ("near:small", "auth_required", False, "judge"),
    ],
)
def test_a_key_that_a_judge_shares_with_the_model_is_refused_for_the_model(
    judge: str, kind: str, planned: bool, role: str
) -> None:
    db = open_database("sqlite://")
    new_session(db)
    created = {"question": "?", "settings": {}, "rules": {"prompting": 6}}
    log_of(db).append(Draft("created", created, "created"))
    main, refused = Outside(says()), Outside(ModelError("It is refused.", kind=kind, status=401))
    main.name, refused.name = "cloud:large", judge
    model = through(db, main, model_by_kind={"judge_relevance": refused}).model
    if planned:
        model.run(asks("plan"))
    with pytest.raises(ModelRefused) as ended:
        model.run(asks("judge_relevance"))
    assert ended.value.role == role
    db.close()


@pytest.mark.parametrize(("kind", "status"), [("auth_required", 401), ("not_found", 404)])
def test_calls_that_wait_for_a_model_that_is_refused_are_not_sent(kind: str, status: int) -> None:
    db = open_database("sqlite://")
    new_session(db)
    created = {"question": "?", "settings": {}, "rules": {"prompting": 6}}
    log_of(db).append(Draft("created", created, "created"))
    refused = Outside(ModelError("It is refused.", kind=kind, status=status))
    refused.name = "cloud:large"
    door = through(db, Outside(says()), model_by_kind={"judge_relevance": refused})

    def ask(number: int) -> str:
        with pytest.raises(ModelRefused) as ended:
            door.model.run(asks("judge_relevance", prompt=str(number)))
        return ended.value.message

    first = ask(0)
    assert at_once(4, lambda number: ask(1 + number)) == [first] * 4
    assert len(refused.asked) == door.tally().model_calls == 1
    door.model.run(asks("plan"))  # another model is asked
    db.close()


# ---------------------------------------------------------------- stop, close, caps


def test_what_was_recorded_answers_whatever_is_forbidden(db: Database) -> None:
    outside = Outside(HttpReply(URL, 200, {}, b"kept"))
    http = through(db, outside).http
    http.send("GET", URL)
    http.close()
    assert http.send("GET", URL).body == b"kept"
    shut = Control()
    shut.shutdown.set()
    store.request_stop(db, ANN, "s", "cancel")
    assert (
        through(db, outside, control=shut, caps=Caps(calls=0, seconds=0.0))
        .http.send("GET", URL)
        .body
        == b"kept"
    )
    assert len(outside.asked) == 1


def test_a_closed_run_makes_the_writer_s_calls_and_no_other(db: Database) -> None:
    outside = Outside(says())
    door = through(db, outside)
    door.http.close()
    for forbidden in (
        lambda: door.http.send("GET", URL),
        lambda: door.model.run(asks()),
        lambda: door.http.call("ddgs", {}, list),
    ):
        with pytest.raises(CallForbidden, match="stopped"):
            forbidden()
    assert [
        door.model.run(asks(kind)).text
        for kind in ("write", "explain_insufficient", "verify_sentence")
    ] == ["text"] * 3
    assert len(calls(db)) == 3


def test_a_cancel_is_read_within_two_tenths_of_a_second_and_records_nothing(db: Database) -> None:
    door = through(log_of(db, new_session(db, "a")), Outside())
    door.http.check_stop()
    store.request_stop(db, ANN, "a", "cancel")
    with check_duration(0, 0.2):
        wait_until(lambda: isinstance(tried(door.http.check_stop), Stopped))
    stopped = tried(door.http.check_stop)
    assert isinstance(stopped, Stopped)
    assert stopped.why == "cancel"
    assert isinstance(tried(door.http.send, "GET", URL), Stopped)
    assert log_of(db, "a").read() == []


def test_the_stop_word_is_looked_up_at_most_ten_times_a_second(db: Database) -> None:
    class Watched(EventLog):
        looks = 0

        def stop_reason(self) -> str | None:
            self.looks += 1
            return None

    log = Watched(store.Store(db, ANN, "s"), Hands())
    door, began = through(log, Outside()), time.monotonic()
    while time.monotonic() - began < 0.25:
        door.stop.check_stop()
    assert 1 <= log.looks <= (time.monotonic() - began) / STOP_POLL_S + 1


def test_a_shutdown_stops_at_once_and_records_nothing(db: Database) -> None:
    control = Control()
    outside = Outside()
    door = through(db, outside, control=control)
    control.shutdown.set()
    with pytest.raises(Stopped) as stopped:
        door.http.send("GET", URL)
    assert (stopped.value.why, outside.asked, calls(db)) == ("shutdown", [], [])


def test_a_client_that_broke_off_did_so_for_the_shutdown(db: Database) -> None:
    """It only knows that its event was set; to take a shutdown for a cancel would end the session
    for good.
    """
    control = Control()

    def broken_off(_url: str) -> HttpReply:
        control.shutdown.set()
        raise Stopped("cancel")

    with pytest.raises(Stopped) as stopped:
        through(db, Outside(broken_off), control=control).http.send("GET", URL)
    assert stopped.value.why == "shutdown"
    assert calls(db) == []


def test_a_worker_that_lost_its_session_makes_no_call(db: Database) -> None:
    outside = Outside()
    epoch = store.take_session(db, ANN, "s", "one", 101.0)
    door = through(log_of(db, epoch=epoch), outside)
    store.take_session(db, ANN, "s", "two", 102.0)
    with pytest.raises(Stopped) as stopped:
        door.http.send("GET", URL)
    assert (stopped.value.why, outside.asked) == ("lost", [])
    assert LostOwnership().why == "lost"


def test_a_replay_is_stopped_by_no_word_left_for_the_live_run(db: Database) -> None:
    through(db, Outside()).http.send("GET", URL)
    store.request_stop(db, ANN, "s", "cancel")
    with pytest.raises(Stopped):
        through(db, Outside()).http.check_stop()
    outside = Outside()
    again = through(log_of(db, readonly=True), outside).http
    again.check_stop()
    assert (again.send("GET", URL).status, outside.asked) == (200, [])


@pytest.mark.parametrize("how", ["cancel", "close"])
def test_calls_that_wait_for_a_place_are_not_made_once_the_run_is_stopped(
    db: Database, how: str
) -> None:
    release = threading.Event()

    def slow(url: str) -> HttpReply:
        release.wait(LONG_S)
        return HttpReply(url, 200, {}, b"")

    outside, places = Outside(slow), CONCURRENCY_LIMITS["host"]
    http = through(db, outside).http
    with ThreadPoolExecutor(12) as pool:
        futures = [pool.submit(http.send, "GET", f"{URL}/{n}") for n in range(12)]
        while len(outside.asked) < places:
            time.sleep(0.01)
        if how == "cancel":  # those who wait give up before any place is free
            store.request_stop(db, ANN, "s", "cancel")
            while sum(future.done() for future in futures) < 12 - places:
                time.sleep(0.01)
        else:  # places become free at once, and nobody may take one
            http.close()
        release.set()
    errors = [type(error) for future in futures if (error := future.exception())]
    assert errors == [Stopped if how == "cancel" else CallForbidden] * (12 - places)
    assert (
        len(outside.asked) == len(calls(db)) == places
    )  # those in flight were paid for, and are kept


CAPS = {
    "calls": (Caps(calls=4), 3, 4),
    "tokens": (Caps(tokens=100), 8, 10),
    "cost": (Caps(cost=0.1), 8, 10),
}


@pytest.mark.parametrize("cap", CAPS)
def test_a_cap_leaves_the_writer_its_reserve(db: Database, cap: str) -> None:
    """Ten tokens and one cent a call: the others stop at the reserve, the writer at the cap itself."""
    caps, others, all_in_all = CAPS[cap]
    outside = Outside(says(tokens=10, cost=0.01))
    model = through(db, outside, caps=caps).model
    for kind, made in (("judge_relevance", others), ("write", all_in_all)):
        results = [tried(model.run, asks(kind, prompt=str(n))) for n in range(15)]
        struck = [result for result in results if isinstance(result, CapReached)]
        assert {(error.cap, error.message) for error in struck} == {
            (cap, f"The cap of {format_cap(cap, getattr(caps, cap))} was reached.")
        }
        assert len(outside.asked) == made
    assert all("error" not in call for call in calls(db))
    assert len(calls(db)) == all_in_all


@pytest.mark.parametrize(
    ("cap", "limit", "said"),
    [
        ("calls", 1, "1 model call"),
        ("calls", 48, "48 model calls"),
        ("tokens", 2_000_000, "2,000,000 tokens"),
        ("tokens", 1, "1 token"),
        ("cost", 0.01, "0.01 US dollars"),
        ("cost", 0.0, "0 US dollars"),
        ("seconds", 90.0, "90 seconds"),
        ("seconds", 3_600.5, "3,600.5 seconds"),
    ],
)
def test_a_cap_is_told_in_words(cap: str, limit: float, said: str) -> None:
    assert format_cap(cap, limit) == said


@pytest.mark.parametrize(
    ("cap", "writing_calls", "others"),
    [(40, 8, 32), (32, 8, 24), (20, 8, 15), (4, 8, 3), (3, 8, 2), (1, 8, 0), (40, 1, 39)],
)
def test_a_cap_on_calls_leaves_a_writer_of_several_texts_its_calls(
    db: Database, cap: int, writing_calls: int, others: int
) -> None:
    outside = Outside(says())
    model = through(db, outside, caps=Caps(calls=cap), writing_calls=writing_calls).model
    for kind, made in (("judge_relevance", others), ("write", cap)):
        for n in range(cap + 1):
            tried(model.run, asks(kind, prompt=str(n)))
        assert len(outside.asked) == made


class Free(Outside):
    """The model that costs nothing, by its name."""

    name = OfflineModel.name


@pytest.mark.parametrize("caps", [Caps(cost=0.0), Caps(tokens=0)], ids=["cost", "tokens"])
def test_a_cap_of_nothing_allows_what_is_free_and_refuses_what_costs_before_it_does(
    db: Database, caps: Caps
) -> None:
    free, dear = Free(says(tokens=0)), Outside(says(tokens=10, cost=0.01))
    through(db, free, caps=caps).model.run(asks())
    model = through(db, dear, caps=caps).model
    for kind in ("judge_relevance", "write"):
        with pytest.raises(CapReached, match="The cap of 0 "):
            model.run(asks(kind))
    assert (len(free.asked), dear.asked) == (1, [])


def test_a_cap_of_no_calls_allows_not_even_a_free_one(db: Database) -> None:
    free = Free(says(tokens=0))
    with pytest.raises(CapReached, match="The cap of 0 model calls"):
        through(db, free, caps=Caps(calls=0)).model.run(asks())
    assert free.asked == []


def test_a_cap_on_time_stops_every_call_but_the_writer_s(db: Database) -> None:
    clock, outside = Hands(), Outside(says())
    door = through(db, outside, caps=Caps(seconds=100.0), clock=clock)
    clock.at += 74.0
    door.model.run(asks())
    clock.at += 2.0
    for late in (
        lambda: door.model.run(asks(prompt="late")),
        lambda: door.http.send("GET", URL),
        lambda: door.http.call("ddgs", {}, list),
    ):
        with pytest.raises(CapReached, match="100 seconds"):
            late()
    door.model.run(asks("write"))
    clock.at += 25.0
    door.model.run(asks("write", prompt="when all of it is gone"))


# ---------------------------------------------------------------- calls that are paid for by themselves


def bills(told: float | None = None, most: float = 0.01) -> Price:
    return Price(most, lambda recorded: told if recorded["status"] < 400 else 0.0)


def buys(door: Doorway, page: int, **price: Any) -> Any:
    return tried(partial(door.http.send, "GET", f"{URL}/{page}", price=bills(**price)))


def test_what_a_call_cost_counts_against_the_cap_and_in_the_tally(db: Database) -> None:
    door = through(db, Outside(), caps=Caps(cost=0.1))
    assert buys(door, 1, told=0.004).status == 200
    assert (door.budget.spent.cost, door.tally().cost) == (0.004, 0.004)
    assert buys(door, 1, told=0.004).status == 200  # from the journal
    assert through(db, Outside()).tally().cost == door.tally().cost == 0.004
    assert [call["about"]["cost"] for call in calls(db)] == [0.004]


def test_what_does_not_say_its_cost_or_fails_counts_for_the_most_it_may_have_cost(
    db: Database,
) -> None:
    door = through(
        db,
        Outside(
            HttpReply(URL, 200, {}, b""),
            HttpReply(URL, 402, {}, b""),
            FetchError("late", kind="timeout", retry_after=99),
        ),
    )
    buys(door, 1)
    assert door.budget.spent.cost == 0.01
    buys(door, 2)
    assert door.budget.spent.cost == 0.01
    assert buys(door, 3).kind == "timeout"
    assert (
        round(door.budget.spent.cost, 6)
        == round(through(db, Outside()).budget.spent.cost, 6)
        == 0.02
    )


def test_a_call_that_would_cost_more_than_the_cap_leaves_is_not_made_and_a_replay_knows_it(
    db: Database,
) -> None:
    """The writer's quarter stays his; the models' calls go on, and so does whatever is free."""
    outside = Outside()
    door = through(db, outside, caps=Caps(cost=0.04))
    said = [buys(door, page, told=0.01) for page in range(5)]
    assert [isinstance(each, HttpReply) for each in said] == [True] * 3 + [False] * 2
    assert len(outside.asked) == 3
    assert (said[4].kind, said[4].message) == (
        "config",
        "It may cost 0.01 US dollars, more than the limit of 0.04 leaves.",
    )
    assert door.http.send("GET", URL).status == 200
    replayed = through(log_of(db, readonly=True), outside)
    assert buys(replayed, 4, told=0.01).message == said[4].message
    assert may_succeed_later(calls(db)[3])


def test_a_cap_of_nothing_buys_nothing_and_no_cap_everything(db: Database) -> None:
    outside = Outside()
    assert buys(through(db, outside, caps=Caps(cost=0.0)), 1).kind == "config"
    assert outside.asked == []
    assert buys(through(db, outside), 2, told=100.0).status == 200


def test_calls_in_flight_are_set_aside_for(db: Database) -> None:
    refused, all_asked = list[int](), threading.Event()

    def wait(url: str) -> HttpReply:
        assert all_asked.wait(LONG_S)
        return HttpReply(url, 200, {}, b"")

    def buy(page: int) -> bool:
        bought = isinstance(buys(door, page, told=0.001), HttpReply)
        refused.extend([] if bought else [page])
        if len(refused) == 5:
            all_asked.set()
        return bought

    door = through(db, Outside(wait), caps=Caps(cost=0.04))
    assert sum(at_once(8, buy)) == 3
    assert round(door.budget.spent.cost, 6) == 0.003


def test_pages_and_searches_are_not_counted_as_model_calls(db: Database) -> None:
    door = through(db, Outside(), caps=Caps(calls=1, tokens=1, cost=0.01))
    for n in range(3):
        door.http.send("GET", f"{URL}/{n}")
    assert door.tally().other_calls == 3


def test_calls_in_flight_count_against_the_cap(db: Database) -> None:
    all_in = threading.Barrier(3)

    def wait(_on_text: Any) -> ModelReply:
        all_in.wait(LONG_S)
        return says()

    door = through(db, Outside(wait), caps=Caps(calls=4))
    results = at_once(8, lambda n: door.model.run(asks(prompt=str(n))))
    assert sum(isinstance(result, CapReached) for result in results) == 5
    assert door.tally().model_calls == 3


def test_two_threads_that_ask_one_thing_pay_once(db: Database) -> None:
    start = threading.Barrier(4)

    def slow(_on_text: Any) -> ModelReply:
        time.sleep(0.1)
        return says(tokens=10, cost=0.5)

    door = through(db, Outside(slow))

    def ask(_: int) -> ModelReply:
        start.wait()
        return door.model.run(asks())

    assert at_once(4, ask) == [says(tokens=10, cost=0.5)] * 4
    assert (door.tally().model_calls, door.tally().tokens, door.tally().cost) == (1, 10, 0.5)


def test_a_tally_counts_earlier_attempts_failures_and_what_has_no_price(db: Database) -> None:
    outside = Outside(
        says(tokens=10, cost=0.25), ModelError("no", kind="blocked"), says(tokens=5, cost=None)
    )
    first = through(db, outside)
    first.model.run(asks())
    with pytest.raises(ModelError):
        first.model.run(asks(prompt="fails"))
    clock = Hands()
    second = through(db, outside, caps=Caps(calls=4), clock=clock)
    second.model.run(asks())  # from the journal
    second.model.run(asks(prompt="third"))
    second.http.call("ddgs", {}, list)
    clock.at += 2.5
    assert second.http.tally() == {
        "model_calls": 3,
        "other_calls": 1,
        "tokens": 15,
        "cost": None,
        "seconds": 2.5,
        "models": {"plan": {"m": 2}},
    }
    assert second.budget.spent.cost == 0.25  # what the cap counts
    assert first.http.tally()["failures"] == {"plan": {"no": 1}}
    with pytest.raises(CapReached):
        second.model.run(asks(prompt="fourth"))


@pytest.mark.parametrize(
    ("kind", "error", "passes"),
    [
        ("model", "not_found", True),  # it was loaded since, or its name corrected
        ("model", "auth_required", True),
        ("model", "blocked", False),
        ("http", "not_found", False),
    ],
)
def test_which_failures_a_person_may_have_mended(kind: str, error: str, passes: bool) -> None:
    assert may_succeed_later({"kind": kind, "error": {"kind": error}}) == passes


def test_an_answer_that_cannot_be_used_is_paid_for_too(db: Database) -> None:
    blocked = ModelError("no", kind="blocked")
    blocked.usage = asdict(Usage(input_tokens=8, output_tokens=2, cost=0.25))
    door = through(db, Outside(blocked))
    with pytest.raises(ModelError) as caught:
        door.model.run(asks())
    assert caught.value.usage == blocked.usage
    later = through(db, Outside(), caps=Caps(cost=0.25))
    for tally in (door.tally(), later.tally()):
        assert (tally.tokens, tally.cost) == (10, 0.25)
    with pytest.raises(CapReached):
        later.model.run(asks(prompt="another"))


def test_a_fork_does_not_pay_for_what_it_inherited(db: Database) -> None:
    outside = Outside(says())
    through(db, outside).model.run(asks())
    fork = log_of(db).fork("f", {})
    door = through(fork, outside, caps=Caps(calls=2))
    fork.append(Draft("created", {"question": "?", "settings": {}}, "created"))
    door.model.run(asks())
    door.model.run(asks(prompt="new"))
    assert (
        len(outside.asked),
        door.tally().model_calls,
        through(fork, outside).tally().model_calls,
    ) == (2, 1, 1)


# ---------------------------------------------------------------- limits


@pytest.mark.parametrize(
    ("ask", "limit"),
    [
        (
            lambda door, _, n: door.http.send("GET", f"https://one.example.org/{n}"),
            CONCURRENCY_LIMITS["host"],
        ),
        (lambda door, _, n: door.http.send("GET", f"https://{n}.example.org/"), 12),
        (lambda door, _, n: door.model.run(asks(prompt=str(n))), CONCURRENCY_LIMITS["model"]),
        (
            lambda door, slow, n: door.http.call("ddgs", {"n": n}, slow, limit="engine:brave"),
            CONCURRENCY_LIMITS["engine"],
        ),
        (lambda door, slow, n: door.http.call("ddgs", {"n": n}, slow, limit=f"engine:{n}"), 12),
        (
            lambda door, slow, n: door.http.call("library", {"n": n}, slow),
            CONCURRENCY_LIMITS["library"],
        ),
    ],
    ids=["one host", "many hosts", "the model", "one engine", "many engines", "the library"],
)
def test_a_gate_bounds_how_many_calls_run_at_once(
    db: Database, ask: Callable[[Doorway, Callable[[], Any], int], Any], limit: int
) -> None:
    now, most, lock, full = 0, 0, threading.Lock(), threading.Event()

    def slow(*_: Any) -> Any:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        if most >= limit:
            full.set()
        full.wait(LONG_S)
        time.sleep(0.02)  # in which one more could come in
        with lock:
            now -= 1
        return HttpReply(URL, 200, {}, b"") if _ and isinstance(_[0], str) else says() if _ else []

    door = through(db, Outside(slow))
    at_once(12, lambda n: ask(door, slow, n))
    assert most == limit


# ---------------------------------------------------------------- retry


def test_a_retryable_failure_is_tried_again_and_the_number_is_recorded(db: Database) -> None:
    outside = Outside(
        FetchError("busy", kind="timeout", retry_after=0.01), HttpReply(URL, 200, {}, b"at last")
    )
    assert through(db, outside).http.send("GET", URL).body == b"at last"
    (call,) = calls(db)
    assert (len(outside.asked), call["about"]["attempts"], "error" in call) == (2, 2, False)


@pytest.mark.parametrize(
    ("error", "attempts", "said"),
    [
        (
            ModelError("Busy.", kind="rate_limited", retry_after=0.01),
            4,
            "Busy. 4 requests were made.",
        ),
        (ModelError("Shut.", kind="blocked", retry_after=0.01), 1, "Shut."),
        (
            ModelError("Come back.", kind="rate_limited", retry_after=3600.0),
            1,
            "Come back. The provider asked to wait 3,600 s, longer than this step may wait.",
        ),
        (ModelError("Odd.", kind="bad_reply"), 1, "Odd."),
    ],
    ids=["retryable", "not retryable", "later than we can wait", "a bad reply"],
)
def test_the_last_attempt_is_what_is_recorded(
    db: Database, error: ModelError, attempts: int, said: str
) -> None:
    outside = Outside(error)
    failures = []
    for _ in range(2):
        with pytest.raises(ModelError) as raised:
            through(db, outside).model.run(asks())
        failures.append(vars(raised.value))
    assert (
        failures[0]
        == failures[1]
        == vars(error)
        | {
            "message": said,
            "requests": attempts,
            "models": 1,
        }
    )
    (call,) = calls(db)
    assert len(outside.asked) == call["about"].get("attempts", 1) == attempts


@pytest.mark.parametrize(
    ("replies", "status", "attempts"),
    [
        ([(503, "0"), (200, "")], 200, 2),
        ([(429, "0"), (429, "0")], 429, 2),  # the last answer is an answer like any other
        ([(429, "3600")], 429, 1),
        ([(500, "0")], 500, 1),
        ([(404, "0")], 404, 1),
    ],
    ids=["at last", "still busy", "later than we can wait", "broken", "not there"],
)
def test_a_busy_server_is_asked_again(
    db: Database, replies: list[tuple[int, str]], status: int, attempts: int
) -> None:
    outside = Outside(*(HttpReply(URL, code, {"retry-after": wait}, b"") for code, wait in replies))
    for _ in range(2):
        assert through(db, outside).http.send("GET", URL).status == status
    assert len(outside.asked) == calls(db)[0]["about"].get("attempts", 1) == attempts


def test_a_retry_waits_as_long_as_it_was_asked_to(db: Database) -> None:
    outside = Outside(
        FetchError("busy", kind="rate_limited", retry_after=0.3), HttpReply(URL, 200, {}, b"")
    )
    with check_duration(0.3, 3):
        through(db, outside, clock=WaitingHands()).http.send("GET", URL)


@pytest.mark.parametrize("how", ["shutdown", "cancel", "close"])
def test_a_wait_for_the_next_attempt_ends_with_the_run(db: Database, how: str) -> None:
    outside, control = Outside(FetchError("busy", kind="timeout", retry_after=5.0)), Control()
    door = through(db, outside, control=control, clock=WaitingHands())
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(door.http.send, "GET", URL)
        while not outside.asked:
            time.sleep(0.01)
        {
            "shutdown": control.shutdown.set,
            "cancel": lambda: store.request_stop(db, ANN, "s", "cancel"),
            "close": door.http.close,
        }[how]()
        with check_duration(0, 4):
            assert isinstance(
                future.exception(LONG_S), CallForbidden if how == "close" else Stopped
            )
    assert (len(outside.asked), calls(db)) == (1, [])


def test_a_bug_is_not_tried_again_and_not_recorded(db: Database) -> None:
    outside = Outside(ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        through(db, outside).http.send("GET", URL)
    assert (len(outside.asked), calls(db)) == (1, [])


# ---------------------------------------------------------------- secrets

KEY, PASSWORD, MAIL = "sk-3f9c0a771b2d", "correct horse battery", "ann@north.example"


def test_no_secret_reaches_the_file(tmp_path: Path) -> None:
    """Not even where the other side repeats it: in its address, its headers, its body or its
    complaint.
    """

    def echo(url: str) -> HttpReply:
        told = f"{url}?api_key={KEY}&mailto=ann%40north.example"
        body = f"Dear {MAIL}, your key {KEY} and your password {PASSWORD} are fine.".encode()
        return HttpReply(
            told,
            200,
            {"location": told, "content-type": "text/plain", "set-cookie": KEY},
            body,
            (told, url),
        )

    complaint = FetchError(f"The key {KEY} of {MAIL} is no longer valid.", kind="auth_required")
    db = open_database(f"sqlite:///{tmp_path / 'assay.db'}")
    log_of(db, new_session(db)).append(Draft("created", {}, "created"))
    http = through(db, Outside(echo, echo, complaint, echo)).http
    headers = {
        "Authorization": f"Bearer {KEY}",
        "X-Api-Key": KEY,
        "Cookie": f"session={KEY}",
        "Proxy-Authorization": PASSWORD,
    }
    replies = [
        http.send(
            "GET",
            f"https://api.example.org/{KEY[:4]}",
            params={"q": "x", "api_key": KEY, "mailto": MAIL},
            headers=headers,
        ),
        http.send(
            "POST",
            f"https://ann:{KEY}@searx.example.org/search?key={KEY}",
            params={"email": MAIL},
            headers=headers,
            endpoint=True,
        ),
    ]
    with pytest.raises(FetchError, match=r"The key \[hidden\] of \[hidden\] is no longer valid"):
        http.send("GET", "https://api.example.org/", params={"token": KEY, "email": MAIL})
    http.send(
        "GET",
        "https://api.example.org/",
        params={"token": KEY, "where": "48.137,11.575"},
        keep=False,
    )
    assert (
        replies[0].body == b"Dear [hidden], your key [hidden] and your password [hidden] are fine."
    )
    assert replies[1].url.startswith(
        "https://ann:[hidden]@searx.example.org/search?key=[hidden]?api_key=[hidden]&mailto=[hidden]"
    )
    db.close()
    written = read_stored_bytes(tmp_path)
    assert b"are fine" in written
    for secret in (KEY, PASSWORD, MAIL, "ann%40north.example", "48.137"):
        assert secret.encode() not in written, secret


def test_the_outside_gets_the_secrets_all_the_same(db: Database) -> None:
    outside = Outside()
    through(db, outside).http.send(
        "GET", URL, params={"api_key": KEY}, headers={"Authorization": KEY}
    )
    ((_, _, options),) = outside.asked
    assert (options["params"], options["headers"]) == ({"api_key": KEY}, {"authorization": KEY})


def test_the_address_of_a_page_is_kept_whole_and_shown_without_what_looks_like_a_key(
    db: Database,
) -> None:
    url = f"{URL}?key={KEY}&b=2"
    reply = through(db, Outside(HttpReply(url, 200, {}, b"body"))).http.send("GET", url)
    assert reply.url == url
    assert calls(db)[0]["about"] == {"what": f"GET {URL}?b=2"}


def test_short_values_and_words_of_a_page_are_not_cut_out() -> None:
    account = redaction.collect_secrets(
        URL, {}, {"authorization": "LOW accesskey-of-ann:secret-of-ann"}, endpoint=False
    )
    for told in (
        "LOW accesskey-of-ann:secret-of-ann",
        "accesskey-of-ann",
        "no secret-of-ann!",
        "accesskey-of-ann%3Asecret-of-ann",
    ):
        assert "of-ann" not in redaction.remove_secrets(told, account)
    secrets = redaction.collect_secrets(
        URL, {"key": "short", "token": "12345678"}, {"authorization": "Bearer x"}, endpoint=False
    )
    assert secrets == ["Bearer%20x", "12345678", "Bearer x", "Bearer+x"]
    assert (
        redaction.remove_secrets("a short key, a Bearer of news", secrets)
        == "a short key, a Bearer of news"
    )


def test_an_address_that_is_none_is_refused_like_any_other(db: Database) -> None:
    with pytest.raises(BoundaryError, match="not a valid web address"):
        through(db, Outside()).http.send("GET", "http://[::1")


# ---------------------------------------------------------------- not kept


def test_a_call_that_is_not_kept_leaves_no_body_and_no_address(db: Database) -> None:
    door = through(db, Outside(HttpReply(URL, 200, {"etag": "e"}, b"where I am")))
    for _ in range(2):
        assert (
            door.http.send("GET", URL, params={"where": "48.137"}, keep=False).body == b"where I am"
        )
    assert calls(db) == [{"kind": "http", "outcome": "answered"}] * 2


# ---------------------------------------------------------------- streams


def streaming(
    pieces: int, pause: float, end: BaseException | None = None, clock: Hands | None = None
) -> Callable[[Callable[[str], None]], ModelReply]:
    """A text that comes in pieces, so many seconds after each other, by this clock or by the
    wall's.
    """

    def run(on_text: Callable[[str], None]) -> ModelReply:
        for n in range(pieces):
            on_text(f"{n:02} ")
            if clock is None:
                time.sleep(pause)
            else:
                clock.at += pause
        if end is not None:
            raise end
        return says("".join(f"{n:02} " for n in range(pieces)))

    return run


def deltas(db: Database) -> list[dict[str, Any]]:
    return [event.data for event in log_of(db).read(kinds=["delta"])]


def test_a_stream_is_flushed_at_most_four_times_a_second_and_says_where_each_piece_belongs(
    db: Database,
) -> None:
    heard, clock = list[str](), Hands()
    reply = through(db, Outside(streaming(40, 0.02, clock=clock)), clock=clock).model.run(
        asks("write"), heard.append
    )
    pieces = deltas(db)
    assert "".join(heard) == reply.text == "".join(piece["text"] for piece in pieces)
    assert 2 <= len(pieces) <= 40 * 0.02 / DELTA_S + 1
    assert [piece["start"] for piece in pieces] == [
        sum(len(p["text"]) for p in pieces[:n]) for n in range(len(pieces))
    ]
    assert {(piece["of"], len(piece["call"])) for piece in pieces} == {("write", 64)}


def test_an_attempt_made_anew_starts_at_the_beginning_without_what_the_last_one_held_back(
    db: Database,
) -> None:
    clock = Hands()
    cut = ModelError("cut", kind="network", retry_after=0.01)
    outside = Outside(streaming(3, 0.0, cut, clock=clock), streaming(20, 0.02, clock=clock))
    through(db, outside, clock=clock).model.run(asks("write"), lambda _: None)
    text = ""
    for piece in deltas(db):
        text = text[: piece["start"]] + piece["text"]
    assert text == "".join(f"{n:02} " for n in range(20))


BROKEN = ModelError("cut", kind="network", retry_after=0.01)


@pytest.mark.parametrize(
    ("ends", "cut_off"),
    [
        ([KeyboardInterrupt()], 1),
        ([KeyboardInterrupt(), None], 1),
        ([KeyboardInterrupt(), SystemExit(), None], 2),
        ([BROKEN, None], 0),
        ([KeyboardInterrupt(), BROKEN, None], 1),
        ([None], 0),
    ],
    ids=["lost", "asked again", "lost twice", "broke off", "lost, then broke off", "whole"],
)
def test_a_text_that_was_lost_with_its_process_is_counted(
    db: Database, ends: list[BaseException | None], cut_off: int
) -> None:
    clock = Hands()
    outside = Outside(*[streaming(20, 0.02, end, clock=clock) for end in ends])
    for end in ends:
        if isinstance(end, ModelError):
            continue  # asked again by the same process
        door = through(db, outside, clock=clock)
        with contextlib.suppress(KeyboardInterrupt, SystemExit):
            door.model.run(asks("write"), lambda _: None)
    door = through(db, Outside(), clock=clock)
    assert door.http.tally().get("cut_off", 0) == cut_off


def test_a_recorded_reply_streams_nothing_and_the_fold_ignores_deltas(db: Database) -> None:
    clock = Hands()
    outside = Outside(streaming(20, 0.02, clock=clock))
    through(db, outside, clock=clock).model.run(asks("write"), lambda _: None)
    streamed = deltas(db)
    assert streamed
    through(db, outside).model.run(asks("write"), lambda _: pytest.fail("it was recorded"))
    assert deltas(db) == streamed
    events = log_of(db).read()
    assert fold_events(events) == fold_events([event for event in events if event.kind != "delta"])


def test_a_text_that_comes_at_once_is_not_streamed(db: Database) -> None:
    reply = through(db, Outside(streaming(20, 0.0, clock=Hands()))).model.run(
        asks("write"), lambda _: None
    )
    assert reply.text.endswith("19 ")
    assert deltas(db) == []


def test_a_cancel_ends_a_long_text_while_it_is_being_written(db: Database) -> None:
    """Twenty seconds of it: the run ends at the next piece, and nothing is recorded."""
    door = through(db, Outside(streaming(400, 0.05)))
    with check_duration(0, 10), pytest.raises(Stopped, match="cancel"):
        door.model.run(asks("write"), lambda _: store.request_stop(db, ANN, "s", "cancel"))
    assert calls(db) == []


def test_a_request_without_a_listener_is_not_streamed(db: Database) -> None:
    through(
        db, Outside(lambda on_text: says() if on_text is None else pytest.fail("streamed"))
    ).model.run(asks())
    assert deltas(db) == []


def test_the_numbers_the_design_promises() -> None:
    assert (STOP_POLL_S, DELTA_S, CONCURRENCY_LIMITS["model"]) == (0.1, 0.25, 10)


def test_a_model_that_hung_is_not_waited_for_again(db: Database) -> None:
    outside = Outside(ModelError("No answer.", kind="timeout"), says())
    with pytest.raises(ModelError, match="No answer"):
        through(db, outside).model.run(asks())


def test_time_is_out_for_all_but_the_writer_at_three_quarters(db: Database) -> None:
    clock = Hands()
    door = through(db, Outside(says()), caps=Caps(seconds=100.0), clock=clock)
    clock.at += 74.0
    assert not door.http.out_of_time()
    clock.at += 2.0
    assert door.http.out_of_time()


@pytest.mark.parametrize(
    ("caps", "made", "leaves_summary"),
    [
        (Caps(tokens=10_000), 6, False),
        (Caps(cost=0.05), 3, False),
        (Caps(tokens=100_000, cost=0.11), 6, True),
        (Caps(tokens=3_000), 2, False),
        (Caps(cost=100.0), 8, True),
    ],
    ids=["tokens", "cost", "both", "few", "enough"],
)
def test_what_models_are_shown_in_flight_counts_against_a_cap(
    db: Database, caps: Caps, made: int, leaves_summary: bool
) -> None:
    """One call cost a cent for 1,000 tokens; eight that are shown 1,600 each are asked at once."""
    refused, all_asked = list[int](), threading.Event()

    def wait(_on_text: Any) -> ModelReply:
        assert all_asked.wait(LONG_S)
        return says(tokens=1_600, cost=0.016)

    door = through(db, Outside(says(tokens=1_000, cost=0.01), wait), caps=caps)
    door.model.run(asks())

    def write(section: int) -> bool:
        text = f"{section}" * 6_400
        written = isinstance(tried(door.model.run, asks("write_section", prompt=text)), ModelReply)
        refused.extend([] if written else [section])
        if len(refused) == 8 - made:
            all_asked.set()
        return written

    if made == 8:
        all_asked.set()
    assert sum(at_once(8, write)) == made
    tried(door.model.run, asks("write_frame"))
    assert door.budget.spent.tokens == 1_000 + 1_600 * (made + leaves_summary)


class Priced(Outside):
    """A model with a list price, by which each request costs a cent."""

    def estimate_cost(self, request: ModelRequest) -> float:
        return 0.01


@pytest.mark.parametrize(
    ("kind", "limit", "made"),
    [
        ("judge_relevance", 0.0, 0),
        ("judge_relevance", 0.01, 0),
        ("judge_relevance", 0.05, 3),
        ("write_section", 0.05, 5),
        ("write", 0.05, 5),
        ("write", 0.009, 0),
        ("write", 0.0, 0),
    ],
)
def test_calls_in_flight_count_at_the_list_price_before_any_is_paid(
    db: Database, kind: str, limit: float, made: int
) -> None:
    refused, all_asked = list[int](), threading.Event()

    def wait(_on_text: Any) -> ModelReply:
        assert all_asked.wait(LONG_S)
        return says(tokens=1_000, cost=0.01)

    door = through(db, Priced(wait), caps=Caps(cost=limit))

    def ask(number: int) -> bool:
        answered = isinstance(tried(door.model.run, asks(kind, prompt=str(number))), ModelReply)
        refused.extend([] if answered else [number])
        if len(refused) == 8 - made:
            all_asked.set()
        return answered

    assert sum(at_once(8, ask)) == made
    assert door.budget.spent.cost == pytest.approx(made * 0.01)
    assert door.budget.spent.cost <= limit


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        (0.0, "The cap of 0 US dollars was reached."),
        (0.001, "One call would cost about 0.01 US dollars; the cap of 0.001 US dollars leaves"),
        (0.012, "the cap of 0.012 US dollars leaves 0.009."),
        (0.05, "The cap of 0.05 US dollars was reached."),
    ],
)
def test_a_cap_on_cost_that_allows_no_call_is_not_said_to_be_reached(
    db: Database, limit: float, said: str
) -> None:
    door = through(db, Priced(says(tokens=1_000, cost=0.01)), caps=Caps(cost=limit))
    results = [tried(door.model.run, asks(prompt=str(number))) for number in range(8)]
    (refused, *others) = [result for result in results if isinstance(result, CapReached)]
    assert said in refused.message
    assert {error.is_unspent for error in (refused, *others)} == {0 < limit < 0.05}


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        (0.0000001, "0.0000001 US dollars"),
        (0.25, "0.25 US dollars"),
        (1234.5, "1,234.5 US dollars"),
        (2, "2 US dollars"),
    ],
)
def test_a_cap_on_cost_is_said_without_an_exponent(limit: float, words: str) -> None:
    assert format_cap("cost", limit) == words


def test_what_nobody_was_asked_is_no_failure_of_a_model(db: Database) -> None:
    outside = Outside(ModelError(NO_OTHER_MODEL, kind="config"), says())
    doorway = through(db, outside)
    with pytest.raises(ModelError):
        doorway.model.run(asks(prompt="first"))
    doorway.model.run(asks(prompt="second"))
    assert "failures" not in doorway.http.tally()


@pytest.mark.parametrize(
    ("passed_over", "unasked", "counted"),
    [
        ((), (), {}),
        (("a answered 429.",), (), {"a answered 429.": 1}),
        (("a answered 429.",), ("a answered 429.",), {}),
        (("a fehlt.", "b answered 503."), ("a fehlt.",), {"b answered 503.": 1}),
        (("a 繁忙。", "b 繁忙。"), ("b 繁忙。", "a 繁忙。"), {}),
    ],
)
def test_a_model_that_was_not_asked_for_an_answer_has_not_failed_at_it(
    db: Database, passed_over: tuple[str, ...], unasked: tuple[str, ...], counted: dict[str, int]
) -> None:
    reply = replace(says(), passed_over=passed_over, unasked=unasked)
    doorway = through(db, Outside(reply))
    doorway.model.run(asks())
    assert doorway.http.tally().get("failures", {}).get("plan", {}) == counted


@pytest.mark.parametrize("step", ["Check the address.", ""])
def test_a_tally_says_what_to_do_about_a_failure(db: Database, step: str) -> None:
    doorway = through(db, Outside(ModelError("m answered 404.", kind="config", next_step=step)))
    with pytest.raises(ModelError):
        doorway.model.run(asks())
    tally = doorway.http.tally()
    assert tally["failures"] == {"plan": {"m answered 404.": 1}}
    assert tally.get("next_steps", {}) == ({"m answered 404.": step} if step else {})
