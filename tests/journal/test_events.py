"""The vocabulary of the log, and the key under which a call is found again."""

from __future__ import annotations

import ast
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from research_core.journal.events import (
    BODY_FIELDS,
    CALL_KINDS,
    KINDS,
    PERMANENT_KINDS,
    Draft,
    Event,
    call_key,
    canonical_json,
    drop_voided,
    sha256,
    survives_void,
)

CORE = Path(__file__).parents[2] / "research_core"

#: The kinds of the design, in the order in which a run meets them;
#: `fact` came with the specified context, `step` and `called` with sessions that a client leads.
DESIGNED = (
    "queued "
    "created command decide call voided unusable given planned searched search_failed "
    "found admitted fetch blocked fetched passages step called fact judged source_checked "
    "claim_checked gated delta waiting replaced written verified report failed finished"
)


def test_the_kinds_are_complete_and_say_what_they_are() -> None:
    assert list(KINDS) == DESIGNED.split()
    assert all(meaning and meaning == meaning.strip() for meaning in KINDS.values())
    assert set(KINDS) > PERMANENT_KINDS > CALL_KINDS
    assert set(BODY_FIELDS) <= set(KINDS)


def drafted() -> Iterator[str]:
    """Every kind that a Draft of the core names by a literal."""
    for path in sorted(CORE.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(source)) if "Draft(" in source else ():
            if not (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == "Draft"
            ):
                continue
            if node.args and isinstance(node.args[0], ast.Constant):
                yield node.args[0].value


def test_the_core_writes_kinds_of_the_table_only() -> None:
    written = set(drafted())
    assert {"created", "gated", "report"} <= written <= set(KINDS)


@pytest.mark.parametrize("kind", ["", "Created", "progress"])
def test_an_unknown_kind_is_refused(kind: str) -> None:
    with pytest.raises(ValueError, match="unknown event kind"):
        Draft(kind, {})


@pytest.mark.parametrize(
    ("key", "stored"),
    [
        (None, None),
        ("tally", "decide:tally"),
        ("https://a.example/ü", "decide:https://a.example/ü"),
        ("", "decide:"),
        ("x" * 400, f"decide:{'x' * 400}"),
        ("x" * 401, "decide:" + sha256(b"x" * 401)),
        ("a\x00b", "decide:" + sha256(b"a\0b")),
        ("\ud800", "decide:" + sha256(b"\xed\xa0\x80")),
    ],
)
def test_a_key_is_stored_with_its_kind(key: str | None, stored: str | None) -> None:
    assert Draft("decide", {}, key).full_key == stored


# ---------------------------------------------------------------- what counts after a void


def event(seq: int, kind: str, **data: Any) -> Event:
    return Event(seq, 0.0, kind, data)


def test_without_a_void_everything_counts_in_commit_order() -> None:
    events = [event(2, "found"), event(1, "created"), event(3, "judged")]
    assert [one.seq for one in drop_voided(events)] == [1, 2, 3]


def test_a_void_leaves_what_the_outside_and_the_analyst_said_and_what_was_chosen() -> None:
    events = [
        event(1, "created"),
        event(2, "call"),
        event(3, "found"),
        event(4, "command"),
        event(5, "decide", command=4, do="strike"),
        event(6, "decide", do="stop"),
        event(7, "decide", do="tally"),
        event(8, "report"),
        event(9, "finished"),
        event(10, "voided"),
        event(11, "found"),
    ]
    assert [one.seq for one in drop_voided(events)] == [1, 2, 4, 5, 6, 9, 10, 11]


@pytest.mark.parametrize("kind", KINDS)
def test_what_stands(kind: str) -> None:
    assert survives_void(Draft(kind, {})) is (
        kind
        in {
            "queued",
            "created",
            "command",
            "decide",
            "call",
            "voided",
            "unusable",
            "step",
            "called",
            "failed",
            "finished",
        }
    )


# ---------------------------------------------------------------- the call key

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=())),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
PARAMS = st.dictionaries(st.text(max_size=8), JSON, min_size=1, max_size=5)


def test_the_key_is_a_sha_256() -> None:
    assert call_key("http", 1, {"url": "https://a.example/", "method": "GET"}) == sha256(
        b'["http",1,{"method":"GET","url":"https://a.example/"}]'
    )


@given(PARAMS, st.data())
def test_every_parameter_changes_the_key(params: dict[str, Any], data: st.DataObject) -> None:
    key = call_key("http", 1, params)
    name, value = data.draw(st.sampled_from(sorted(params))), data.draw(JSON)
    assume(canonical_json(value) != canonical_json(params[name]))
    assert call_key("http", 1, {**params, name: value}) != key
    assert call_key("http", 1, {other: params[other] for other in params if other != name}) != key
    assert call_key("http", 1, {**params, name + "_": value}) != key


@given(PARAMS)
def test_kind_and_version_change_the_key_and_order_does_not(params: dict[str, Any]) -> None:
    key = call_key("http", 1, params)
    assert call_key("model", 1, params) != key
    assert call_key("http", 2, params) != key
    assert call_key("http", 1, dict(reversed(params.items()))) == key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (1, True),
        (0, False),
        (0, None),
        ("1", 1),
        ("", None),
        ([], {}),
        ([1, 2], [2, 1]),
        ("é", "e\u0301"),
    ],
)
def test_values_that_look_alike_have_keys_of_their_own(one: Any, other: Any) -> None:
    assert call_key("http", 1, {"x": one}) != call_key("http", 1, {"x": other})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": {"b": 1}}, {"a.b": 1}),
        ({"a": "b", "c": "d"}, {"a": 'b","c":"d'}),
        ({"a": [1, [2]]}, {"a": [[1], 2]}),
    ],
)
def test_shapes_do_not_run_together(one: Any, other: Any) -> None:
    assert call_key("http", 1, one) != call_key("http", 1, other)


def test_a_tuple_is_its_list() -> None:
    assert call_key("http", 1, {"x": (1, 2)}) == call_key("http", 1, {"x": [1, 2]})


@given(PARAMS)
def test_a_value_has_the_same_key_after_storage(params: dict[str, Any]) -> None:
    assert call_key("http", 1, json.loads(canonical_json(params))) == call_key("http", 1, params)


@pytest.mark.parametrize("value", [object(), {1, 2}, b"bytes", math.nan, math.inf])
def test_what_json_cannot_hold_has_no_key(value: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        call_key("http", 1, {"x": value})
