"""The error tree is as its drawing says, and every error can be told in a sentence."""

from __future__ import annotations

import inspect
import json
import re

import pytest

from research_core import errors
from research_core.errors import (
    ERROR_KINDS,
    BoundaryError,
    CallForbidden,
    CapReached,
    FetchError,
    LostOwnership,
    ModelError,
    ResearchError,
    SearchError,
    SettingsError,
    Stopped,
    UsageError,
    capture_refusal,
    unwrap_refusal,
)

CLASSES = {
    name: one
    for name, one in vars(errors).items()
    if inspect.isclass(one) and one.__module__ == errors.__name__
}


def drawn() -> dict[str, str]:
    """Class and parent, as the module's docstring draws them."""
    above: list[str] = []
    tree = {}
    for line in (errors.__doc__ or "").splitlines():
        found = re.match(r"([ │├└─]*)([A-Z]\w+)(?: \((\w+)\))?  +\S", line)
        if found:
            del above[len(found[1]) // 4 :]
            tree[found[2]] = above[-1] if above else (found[3] or "Exception")
            above.append(found[2])
    return tree


def test_the_tree_is_as_it_is_drawn() -> None:
    assert drawn() == {name: one.__bases__[0].__name__ for name, one in CLASSES.items()}


@pytest.mark.parametrize("kind", ERROR_KINDS)
@pytest.mark.parametrize("error", [SearchError, FetchError, ModelError])
def test_a_boundary_error_has_a_kind_that_says_whether_to_try_again(
    error: type[BoundaryError], kind: str
) -> None:
    raised = error("It failed.", kind=kind, status=503, retry_after=2.0, next_step="Wait.")
    assert raised.retryable is ERROR_KINDS[kind]
    assert (raised.kind, raised.status, raised.retry_after, raised.sentence()) == (
        kind,
        503,
        2.0,
        "It failed. Wait.",
    )


def test_what_may_be_tried_again() -> None:
    retryable = ["rate_limited", "network", "timeout", "upstream_unavailable", "circuit_open"]
    assert [kind for kind, again in ERROR_KINDS.items() if again] == retryable


@pytest.mark.parametrize("kind", ["", "Timeout", "refused"])
def test_an_unknown_kind_is_a_bug(kind: str) -> None:
    with pytest.raises(ValueError, match="unknown error kind"):
        FetchError("It failed.", kind=kind)


def test_without_a_next_step_the_sentence_is_the_message() -> None:
    assert (
        ResearchError("It failed.").sentence()
        == "It failed."
        == str(ResearchError("It failed.", next_step="Wait."))
    )


def test_a_cap_says_which() -> None:
    assert CapReached("calls", "10 calls are used up.").cap == "calls"


@pytest.mark.parametrize("error", [ResearchError, CapReached, CallForbidden])
def test_only_failures_of_the_outside_are_boundary_errors(error: type[ResearchError]) -> None:
    assert not issubclass(error, BoundaryError)


def test_a_stop_is_no_exception_that_a_step_could_catch() -> None:
    assert not issubclass(Stopped, Exception)
    assert [Stopped("cancel").why, LostOwnership().why] == ["cancel", "lost"]


@pytest.mark.parametrize("made", [UsageError, SettingsError])
def test_a_look_at_this_machine_is_refused_the_same_when_it_is_read_again(
    made: type[ResearchError],
) -> None:
    def look() -> list[str]:
        raise made("It is not there.", next_step="Set it.")

    said = json.loads(json.dumps(capture_refusal(look)))
    with pytest.raises(made, match="It is not there") as caught:
        unwrap_refusal(said)
    assert caught.value.next_step == "Set it."
    assert unwrap_refusal(capture_refusal(lambda: {"a": [1]})) == {"a": [1]}
