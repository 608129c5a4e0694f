"""The log on both databases: a call is made once, what it said comes back as it was stored, and a
replay writes nothing.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import sqlalchemy as sa

from research_core.errors import (
    BoundaryError,
    CallForbidden,
    CapReached,
    FetchError,
    LostOwnership,
    ModelError,
    SearchError,
    Stopped,
    UsageError,
)
from research_core.journal import store
from research_core.journal.database import Database
from research_core.journal.events import Draft, Event, call_key, canonical_json
from research_core.journal.log import INLINE_LENGTH, EventLog
from tests.logs import ANN, CLEO, at_once, log_of, new_log, new_session
from tests.timing import LONG_S

PAGE = "A page. " * 10_000
FAILED = FetchError(
    "It is shut." + " Quite shut." * 300,
    kind="rate_limited",
    status=429,
    retry_after=7.5,
    next_step="Ask later.",
)


def failing(error: BaseException) -> Callable[[], Any]:
    def call() -> Any:
        raise error

    return call


def forbidden() -> Any:
    pytest.fail("this call is recorded and must not be made")


def blobs(db: Database) -> int:
    with db.reading() as conn:
        return conn.execute(sa.select(sa.func.count()).select_from(store.blob)).scalar_one()


# ---------------------------------------------------------------- recorded: once


def test_eight_threads_that_ask_for_one_key_make_one_call(db: Database) -> None:
    log, calls, start = new_log(db), list[int](), threading.Barrier(8)

    def call() -> Any:
        calls.append(1)
        time.sleep(0.1)
        return {"pair": (1, 2), "page": PAGE}

    def ask(_: int) -> Any:
        start.wait()
        return log.record_call("http", "k", call)

    assert at_once(8, ask) == [{"pair": [1, 2], "page": PAGE}] * 8
    assert (len(calls), log.calls_made, len(log.read())) == (1, 1, 1)
    assert log_of(db).record_call("http", "k", forbidden) == {"pair": [1, 2], "page": PAGE}


def test_of_two_processes_that_ask_at_once_the_first_writer_s_value_counts_for_both(
    db: Database,
) -> None:
    logs, both = (new_log(db), log_of(db)), threading.Barrier(2)

    def ask(n: int) -> Any:
        def call() -> Any:
            both.wait()
            return f"answer of process {n}"

        return logs[n].record_call("http", "k", call)

    first, second = at_once(2, ask)
    assert first == second == log_of(db).record_call("http", "k", forbidden)
    assert len(logs[0].read()) == 1
    assert [log.record_call("http", "k", forbidden) for log in logs] == [first, first]


def test_a_failure_is_the_same_for_all_who_wait_and_for_a_replay(db: Database) -> None:
    log, start, calls = new_log(db), threading.Barrier(3), list[int]()

    def call() -> Any:
        calls.append(1)
        time.sleep(0.1)
        raise FAILED

    def ask(_: int) -> Any:
        start.wait()
        return log.record_call("http", "k", call)

    raised = at_once(3, ask)
    for again in (log, log_of(db), log_of(db, readonly=True)):
        with pytest.raises(FetchError) as replayed:
            again.record_call("http", "k", forbidden)
        raised.append(replayed.value)
    assert len(calls) == 1
    for error in raised:
        assert isinstance(error, FetchError)
        assert vars(error) == vars(FAILED)
        assert str(error) == FAILED.message


def test_a_failure_keeps_its_class(db: Database) -> None:
    log = new_log(db)
    for kind in (SearchError, FetchError, ModelError, BoundaryError):
        for call in (failing(kind("no")), forbidden):
            with pytest.raises(kind) as raised:
                log.record_call("http", kind.__name__, call)
            assert type(raised.value) is kind


def test_a_cancel_a_shutdown_a_cap_and_a_bug_are_never_recorded(db: Database) -> None:
    log = new_log(db)
    for error in (
        Stopped("cancel"),
        CapReached("calls", "no"),
        CallForbidden("no"),
        ZeroDivisionError(),
        TypeError(),
        KeyboardInterrupt(),
    ):
        with pytest.raises(type(error)):
            log.record_call("http", "k", failing(error))
        assert log.read() == []
        assert not log.has_call("k")
    assert log.record_call("http", "k", lambda: "made after all") == "made after all"


def test_a_result_that_json_cannot_hold_is_a_bug_and_not_a_result(db: Database) -> None:
    log = new_log(db)
    for result in ({1, 2}, object(), float("nan")):
        with pytest.raises((TypeError, ValueError)):
            log.record_call("http", "k", partial(dict, value=result))
    assert log.read() == []


def test_those_who_wait_for_a_call_that_was_stopped_are_stopped_too(db: Database) -> None:
    log, start = new_log(db), threading.Barrier(3)

    def call() -> Any:
        time.sleep(0.1)
        raise Stopped("shutdown")

    def ask(_: int) -> Any:
        start.wait()
        return log.record_call("http", "k", call)

    assert [type(error) for error in at_once(3, ask)] == [Stopped] * 3


def test_calls_of_different_keys_run_beside_each_other(db: Database) -> None:
    log, together = new_log(db), threading.Barrier(4, timeout=LONG_S)
    assert at_once(
        4, lambda n: log.record_call("http", f"k{n}", lambda: together.wait() * 0 + n)
    ) == [
        0,
        1,
        2,
        3,
    ]


# ---------------------------------------------------------------- recorded: as it was stored

RESULTS: dict[str, tuple[Any, Any]] = {
    "tuples": ((1, ("a", [None, True])), [1, ["a", [None, True]]]),
    "numbers": (
        {"f": 1.0, "big": 2**70, "small": 5e-324, "n": -0.0},
        {"f": 1.0, "big": 2**70, "small": 5e-324, "n": -0.0},
    ),
    "half a surrogate pair": (
        {"\ud800": ["\udfff", "x" * INLINE_LENGTH + "\ud800"]},
        {"\ud800": ["\udfff", "x" * INLINE_LENGTH + "\ud800"]},
    ),
    "NUL": (["\x00", "a\x00b" * INLINE_LENGTH], ["\x00", "a\x00b" * INLINE_LENGTH]),
    "emoji": ("😀" * (INLINE_LENGTH + 1), "😀" * (INLINE_LENGTH + 1)),
    "separators": ("\u2028\u2029\x1c\r\n", "\u2028\u2029\x1c\r\n"),
    "bytes": ({"body": b"\xff\x00\xfe", "empty": b""}, {"body": b"\xff\x00\xfe", "empty": b""}),
    "a long text": ([PAGE], [PAGE]),
    "what looks like our references": (
        {
            "a": {"$text": "of no hash"},
            "b": [{"$bytes": {"$json": {"$text": b"x"}}}],
            "c": {"$json": {}},
        },
        {
            "a": {"$text": "of no hash"},
            "b": [{"$bytes": {"$json": {"$text": b"x"}}}],
            "c": {"$json": {}},
        },
    ),
    "nothing": (None, None),
    "the order of names": (
        {"role": "model", "parts": [{"text": "b", "a": 1}]},
        {"role": "model", "parts": [{"text": "b", "a": 1}]},
    ),
}


def test_a_result_comes_back_as_it_is_stored_in_the_live_run_too(db: Database) -> None:
    log = new_log(db)
    for name, (result, stored) in RESULTS.items():
        live = log.record_call("http", name, partial(lambda value: value, result))
        assert repr(live) == repr(stored), name
    again = log_of(db)
    for name, (_, stored) in RESULTS.items():
        assert repr(again.record_call("http", name, forbidden)) == repr(stored), name


def test_equal_bodies_are_kept_once_and_events_carry_their_hash(db: Database) -> None:
    log = new_log(db)
    for n in range(3):
        log.record_call("http", f"k{n}", lambda: {"body": PAGE.encode(), "text": PAGE})
    assert blobs(db) == 1
    log.append(*(Draft("fetched", {"url": f"u{n}", "page": PAGE}, f"u{n}") for n in range(2)))
    assert blobs(db) == 1
    for event in log.read():
        assert len(canonical_json(event.data)) < 400
    assert log.open(log.read(3)[0].data) == {"url": "u0", "page": PAGE}


def test_what_a_reading_of_the_log_folds_stays_in_the_event(db: Database) -> None:
    """However long an address or a text is; only the text of a page is kept aside, however short it
    is.
    """
    url = "https://example.org/" + "a" * 3_000
    log = new_log(db)
    (found,) = log.append(Draft("found", {"url": url, "snippet": PAGE}, f"0:{url}"))
    (written,) = log.append(Draft("written", {"text": PAGE}, "written"))
    (fetched,) = log.append(Draft("fetched", {"url": url, "page": "short"}, url))
    assert (found.data, written.data) == ({"url": url, "snippet": PAGE}, {"text": PAGE})
    assert fetched.data["page"].keys() == {"$text"}
    assert log_of(db).read() == [found, written, fetched]


# ---------------------------------------------------------------- append


def test_any_text_can_be_a_key(db: Database) -> None:
    keys = [
        "a\x00b",
        "a\x00c",
        "\ud800",
        "\ud801",
        "k" * 5_000,
        "k" * 5_001,
        "😀" * 1_000,
        "",
        "a b",
        "ü",
        "u\u0308",
    ]
    first = new_log(db).append(*(Draft("found", {"n": n}, key) for n, key in enumerate(keys)))
    assert log_of(db).append(*(Draft("found", {}, key) for key in keys)) == first
    assert len(log_of(db).read()) == len(keys)


def test_the_first_write_under_a_key_stands_across_restarts(db: Database) -> None:
    log = new_log(db)
    (first,) = log.append(Draft("planned", {"part": "first"}, "plan"))
    for again in (log, log_of(db), log_of(db)):
        events = again.append(
            Draft("planned", {"part": "second"}, "plan"), Draft("delta", {"text": "x"})
        )
        assert events[0] == first
        assert again.emitted[-2:] == list(events)
    assert [event.kind for event in log.read()] == ["planned", "delta", "delta", "delta"]
    # one key under two kinds is two keys
    assert log.append(Draft("gated", {}, "plan"))[0].kind == "gated"


def test_the_first_of_two_processes_writes_a_key(db: Database) -> None:
    one, two = new_log(db), log_of(db)
    (first,) = one.append(Draft("planned", {"by": "one"}, "plan"))
    assert (
        two.append(Draft("found", {"by": "two"}, "f"), Draft("planned", {"by": "two"}, "plan"))[1]
        == first
    )
    assert [event.data["by"] for event in two.emitted] == ["two", "one"]


def test_a_key_twice_in_one_batch_is_one_event(db: Database) -> None:
    events = new_log(db).append(Draft("found", {"n": 1}, "k"), Draft("found", {"n": 2}, "k"))
    assert [event.data for event in events] == [{"n": 1}, {"n": 1}]


def test_a_batch_that_cannot_be_stored_leaves_nothing(db: Database) -> None:
    log = new_log(db)
    with pytest.raises(TypeError):
        log.append(Draft("found", {"n": 1}, "k"), Draft("found", {"n": object()}, "l"))
    assert (log.read(), log.emitted) == ([], [])
    assert [event.seq for event in log.append(Draft("found", {"n": 2}, "k"))] == [1]


def test_an_unknown_kind_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="unknown event kind 'guess'"):
        Draft("guess", {})


def test_a_listener_hears_each_event_and_a_reader_reads_on(db: Database) -> None:
    heard: list[Event] = []
    new_session(db)
    log = log_of(db, listener=heard.append)
    for n in range(3):
        log.append(Draft("delta", {"n": n}), Draft("found", {"n": n}))
    assert heard == log.emitted == log.read()
    assert [event.seq for event in log.read(4)] == [5, 6]
    assert [event.data["n"] for event in log.read(2, kinds=["found"])] == [1, 2]


def test_the_session_row_says_how_the_last_attempt_ended(db: Database) -> None:
    log = new_log(db)
    outcomes = []
    for draft in (
        Draft("failed", {"error": "?"}, "1"),
        Draft("finished", {"outcome": "cancelled"}, "2"),
        Draft("finished", {"outcome": "done"}, "3"),
    ):
        log.append(draft)
        outcomes.append(store.find_session(db, ANN, "s").outcome)
    assert outcomes == ["failed", "cancelled", "done"]


# ---------------------------------------------------------------- attempts


def test_a_worker_that_lost_its_session_writes_nothing_more_and_a_page_still_may(
    db: Database,
) -> None:
    new_session(db)
    zombie = log_of(db, epoch=store.take_session(db, ANN, "s", "one", 101.0))
    zombie.append(Draft("found", {}, "before"))
    owner = log_of(db, epoch=store.take_session(db, ANN, "s", "two", 102.0))
    for write in (
        lambda: zombie.append(Draft("found", {}, "after")),
        lambda: zombie.append(Draft("command", {"do": "stop"}), Draft("found", {}, "after")),
        lambda: zombie.record_call("http", "k", lambda: "answer"),
        lambda: zombie.record_call("http", "k", failing(FetchError("no"))),
    ):
        with pytest.raises(LostOwnership):
            write()
    assert zombie.stop_reason() == "lost"
    command = log_of(db).append(Draft("command", {"do": "strike", "url": "u"}))
    zombie.append(Draft("command", {"do": "stop"}))
    assert owner.read(1)[0] == command[0]
    assert [event.kind for event in owner.read()] == ["found", "command", "command"]
    assert owner.record_call("http", "k", lambda: "answer") == "answer"


# ---------------------------------------------------------------- void


def test_a_failure_that_was_voided_is_tried_again_once(db: Database) -> None:
    log = new_log(db)
    for n in range(2):
        with pytest.raises(FetchError, match=f"failure {n}"):
            log.record_call("http", "k", failing(FetchError(f"failure {n}")))
        assert log.has_call("k")
        log.void("k")
        assert not log.has_call("k")
        assert not log_of(db).has_call("k")
    assert log.record_call("http", "k", lambda: "it works") == "it works"
    assert log.has_call("k")
    for again in (log, log_of(db), log_of(db, readonly=True), log.fork("f", {})):
        assert again.record_call("http", "k", forbidden) == "it works"
        assert {key: event.data["value"] for key, event in again.answers().items()} == {
            "k": "it works"
        }


def test_a_voided_failure_answers_nothing(db: Database) -> None:
    log = new_log(db)
    with pytest.raises(FetchError):
        log.record_call("http", "k", failing(FetchError("failure")))
    assert list(log.answers()) == ["k"]
    log.void("k")
    for again in (log, log_of(db), log.fork("f", {})):
        assert again.answers() == {}


def test_a_fork_knows_which_answers_of_models_could_not_be_used(db: Database) -> None:
    log = new_log(db)
    for key in ("good", "poor"):
        log.record_call("model", key, lambda: "Songs.")
    for kind in ("model", "http"):
        with pytest.raises(FetchError):
            log.record_call(kind, f"failed {kind}", failing(FetchError("failure")))
    log.mark_unusable("poor")
    assert log.record_call("model", "poor", forbidden) == "Songs."
    fork = log.fork("f", {})
    for each in (log, log_of(db), fork):
        assert each.list_unusable_calls() == ["failed model", "poor"]
    fork.void("poor")
    assert fork.list_unusable_calls() == ["failed model"]
    assert fork.record_call("model", "poor", lambda: "A waltz.") == "A waltz."
    assert fork.list_unusable_calls() == ["failed model"]
    fork.mark_unusable("poor")
    assert fork.list_unusable_calls() == ["failed model", "poor"]
    assert log.list_unusable_calls() == ["failed model", "poor"]


def test_what_needs_no_call_reads_none(db: Database) -> None:
    new_log(db).record_call("http", "k", lambda: PAGE)
    read: list[str] = []
    sa.event.listen(db.engine, "before_cursor_execute", lambda *about: read.append(about[2]))
    log = log_of(db)
    log.append(Draft("command", {"do": "stop"}))
    log.append(Draft("finished", {"outcome": "cancelled"}, "1"))
    log.fork("f", {})
    assert not any("IS NOT NULL" in statement for statement in read)
    assert log.has_call("k")
    assert any("IS NOT NULL" in statement for statement in read)
    assert [event.kind for event in log.append(Draft("finished", {"outcome": "done"}, "1"))] == [
        "finished"
    ]
    assert [event.data["outcome"] for event in log.read(kinds=("finished",))] == ["cancelled"]


def test_what_was_derived_before_a_void_is_derived_anew_and_the_analyst_s_word_stands(
    db: Database,
) -> None:
    log = new_log(db)
    log.append(Draft("created", {"n": 1}, "created"), Draft("fetched", {"failure": "no"}, "u"))
    log.append(
        Draft("decide", {"do": "strike", "url": "x", "command": 7}, "command:7"),
        Draft("decide", {"do": "tally", "n": 1}, "tally"),
    )
    log.void("k")
    for again in (log, log_of(db)):
        created, fetched, struck = again.append(
            Draft("created", {"n": 2}, "created"),
            Draft("fetched", {"page": "yes"}, "u"),
            Draft("decide", {"do": "strike", "url": "x", "command": 7}, "command:7"),
        )
        assert (created.data, created.seq, struck.seq) == ({"n": 1}, 1, 3)
        assert again.open(fetched.data) == {"page": "yes"}
        assert [event.data["do"] for event in again.decisions()] == ["strike"]
    assert sum(event.kind == "fetched" for event in log.read()) == 2


# ---------------------------------------------------------------- fork


def test_a_fork_inherits_the_calls_and_nothing_else(db: Database) -> None:
    log = new_log(db)
    log.append(Draft("created", {"n": 1}, "created"), Draft("command", {"do": "stop"}))
    log.record_call("http", "page", lambda: {"body": PAGE.encode()})
    with pytest.raises(ModelError):
        log.record_call("model", "judge", failing(ModelError("no")))
    log.append(
        Draft("found", {"n": 1}, "f"),
        Draft("decide", {"do": "stop"}, "stop"),
        Draft("report", {"n": 1}, "report"),
    )
    fork = log.fork("f", {"mode": "deep"})
    assert [event.kind for event in fork.read()] == ["call", "call"]
    assert fork.record_call("http", "page", forbidden) == {"body": PAGE.encode()}
    with pytest.raises(ModelError):
        fork.record_call("model", "judge", forbidden)
    assert fork.decisions() == []
    fork.append(Draft("created", {"n": 2}, "created"), Draft("found", {"n": 2}, "f"))
    assert fork.record_call("http", "new", lambda: 1) == 1
    assert [event.data["kind"] for event in fork.calls()] == [
        "http"
    ]  # its own, which are what it paid for
    assert [event.data["kind"] for event in log_of(db, "f").calls()] == ["http"]
    assert [event.data["kind"] for event in log.calls()] == ["http", "model"]
    assert [event.data["n"] for event in log.read() if event.kind == "found"] == [1]
    assert (store.find_session(db, ANN, "f").parent, store.find_session(db, ANN, "f").settings) == (
        "s",
        {"mode": "deep"},
    )


# ---------------------------------------------------------------- read-only


def test_a_replay_writes_nothing_lists_what_differs_and_keeps_the_rest_in_memory(
    db: Database,
) -> None:
    log = new_log(db)
    kept, changed, decided = log.append(
        Draft("planned", {"part": "a", "pair": (1, 2)}, "a"),
        Draft("planned", {"part": "b"}, "b"),
        Draft("decide", {"do": "stop", "n": 1}, "stop"),
    )
    log.record_call("http", "k", lambda: "answer")
    store.request_stop(db, ANN, "s", "cancel")
    before, row = log.read(), store.find_session(db, ANN, "s")
    replay = log_of(db, readonly=True)
    events = replay.append(
        Draft("planned", {"part": "a", "pair": (1, 2)}, "a"),
        Draft("planned", {"part": "b", "more": 1}, "b"),
        Draft("decide", {"do": "stop", "n": 2}, "stop"),
        Draft("found", {"n": 1}, "never seen"),
        Draft("delta", {"text": "x"}),
        Draft("fetched", {"page": PAGE}, "u"),
    )
    assert [event.data for event in events[:3]] == [
        kept.data,
        {"part": "b", "more": 1},
        decided.data,
    ]  # what was decided stands
    assert replay.emitted == list(events)
    assert [(stored, derived.data) for stored, derived in replay.differences] == [
        (changed, {"part": "b", "more": 1})
    ]
    assert replay.record_call("http", "k", forbidden) == "answer"
    with pytest.raises(CallForbidden, match=r"never made this call: model \{\"what\":\"judge\"\}"):
        replay.record_call("model", "unknown", forbidden, about={"what": "judge"})
    replay.void("k")
    assert replay.stop_reason() is None  # a word for the worker that once was
    assert (log.read(), store.find_session(db, ANN, "s"), replay.calls_made) == (before, row, 0)


def test_the_first_write_of_a_key_stands_in_a_replay_as_it_did_in_the_run(db: Database) -> None:
    first, again = (Draft("searched", {"results": n}, "1000:tea") for n in (5, 2))
    log, replay = new_log(db), log_of(db, readonly=True)
    lived = [log.append(first), log.append(again), log.copy_in_memory().append(again)]
    derived = [replay.append(first), replay.append(again), replay.copy_in_memory().append(again)]
    assert [[event.data for event in each] for each in (*lived, *derived)] == [[{"results": 5}]] * 6
    assert replay.differences == []


def test_a_replay_of_equal_events_finds_no_difference(db: Database) -> None:
    drafts = [
        Draft("judged", {"score": 3, "parts": ("a", ("b",)), "page": "x", "f": 1.0}, "u"),
        Draft("fetched", {"page": PAGE, "n": None}, "u"),
    ]
    new_log(db).append(*drafts)
    replay = log_of(db, readonly=True)
    replay.append(*drafts)
    assert replay.differences == []


# ---------------------------------------------------------------- what is not kept


def test_a_call_that_is_not_kept_leaves_kind_time_and_outcome(db: Database) -> None:
    log = new_log(db)
    for n in range(2):  # nothing is known of it, so it is made again
        assert log.record_call(
            "http", "k", partial(dict, where=n), about={"what": "48.1,11.5"}, keep=False
        ) == {"where": n}
    with pytest.raises(FetchError):
        log.record_call(
            "http",
            "k",
            failing(FetchError("48.1 is shut", kind="timeout")),
            about={"what": "48.1"},
            keep=False,
        )
    with pytest.raises(Stopped):
        log.record_call("http", "k", failing(Stopped("cancel")), keep=False)
    assert [(event.kind, event.key, event.data) for event in log.read()] == [
        ("call", None, {"kind": "http", "outcome": "answered"}),
        ("call", None, {"kind": "http", "outcome": "answered"}),
        ("call", None, {"kind": "http", "outcome": "timeout"}),
    ]
    assert not log.has_call("k")


# ---------------------------------------------------------------- owners


def test_a_log_of_somebody_else_is_empty_and_cannot_be_written(db: Database) -> None:
    new_log(db).record_call("http", "k", lambda: PAGE)
    theirs = log_of(db, who=CLEO)
    assert (theirs.read(), theirs.calls(), theirs.has_call("k")) == ([], [], False)
    with pytest.raises(UsageError):
        theirs.append(Draft("command", {"do": "stop"}))
    with pytest.raises(KeyError):
        theirs.open(
            {
                "$text": EventLog(store.Store(db, ANN, "s"), theirs._clock)
                .read()[0]
                .data["value"]["$text"]
            }
        )


# ---------------------------------------------------------------- keys


def test_a_call_key_depends_on_everything_and_on_no_order() -> None:
    keys = [
        call_key("http", 1, {"a": 1, "b": [2]}),
        call_key("model", 1, {"a": 1, "b": [2]}),
        call_key("http", 2, {"a": 1, "b": [2]}),
        call_key("http", 1, {"a": 1, "b": [2, None]}),
        call_key("http", 1, {"a": 1, "b": ["2"]}),
        call_key("http", 1, {"a": 1}),
        call_key("http", 1, {"a": "\ud800"}),
    ]
    assert len(set(keys)) == len(keys)
    assert call_key("http", 1, {"b": (2,), "a": 1}) == keys[0]
    assert all(len(key) == 64 for key in keys)


def test_after_a_void_no_address_stands_for_another(db: Database) -> None:
    log = new_log(db)
    log.append(Draft("judged", {"url": "https://a.example/x~1"}, "https://a.example/x~1"))
    log.void("k")
    (event,) = log.append(Draft("judged", {"url": "https://a.example/x"}, "https://a.example/x"))
    assert event.data == {"url": "https://a.example/x"}
