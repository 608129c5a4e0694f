"""A run that ends early: when it begins to, when its time is up, and how far a replay goes again."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from research_core.journal.events import Draft
from research_core.models import Passage, Summary
from research_core.pipeline import early_stop
from research_core.pipeline.early_stop import STOP_GRACE_S, EarlyStop
from research_core.pipeline.unfinished import JUDGED_BY_WORDS_NOTE
from research_core.policy import Caps, RunSettings
from tests.logs import Hands
from tests.world import Place, World

KNOWN: dict[str, Any] = {
    "orders": {1, 0},
    "admitted": {"a", "b"},
    "read": {"b", "a"},
    "judged": {"a"},
    "parts": ["plan"],
}


def test_the_first_reason_counts_and_judging_has_its_time() -> None:
    clock = Hands()
    stop = EarlyStop(clock)
    assert (stop.is_begun, stop.is_overdue()) == (False, False)
    stop.begin("the cap on calls was reached")
    clock.at += STOP_GRACE_S
    stop.begin(early_stop.ANALYST_REASON)
    assert (stop.why, stop.is_begun, stop.is_overdue()) == (
        "the cap on calls was reached",
        True,
        False,
    )
    clock.at += 0.1
    assert stop.is_overdue()


def test_a_stop_that_an_earlier_attempt_decided_is_left_as_it_is() -> None:
    stop = EarlyStop(Hands())
    stop.decision = early_stop.build_stop_decision("stopped", KNOWN, ())
    stop.begin("another reason")
    assert (stop.why, stop.is_begun) == ("", False)


@pytest.mark.parametrize("missing", [None, *KNOWN])
def test_a_run_has_got_as_far_again_once_it_knows_everything_the_decision_names(
    missing: str | None,
) -> None:
    stop = EarlyStop(Hands())
    assert not stop.is_reached(KNOWN)
    stop.decision = early_stop.build_stop_decision("stopped", KNOWN, ())
    now = {name: () if name == missing else {*values, "more"} for name, values in KNOWN.items()}
    assert stop.is_reached(now) == (missing is None)


def test_every_cap_has_a_reason_by_which_it_is_known() -> None:
    assert list(early_stop.CAP_REASONS) == [field.name for field in fields(Caps)]
    for cap in early_stop.CAP_REASONS:
        assert early_stop.explain_cap(cap) == f"{early_stop.CAP_REASON_PREFIX}{cap} was reached"


@pytest.mark.parametrize(
    ("why", "judged", "by_words"),
    [
        (early_stop.explain_cap("calls"), ["a", "b"], ["b"]),
        (early_stop.ANALYST_REASON, ["a"], None),
    ],
)
def test_only_a_cap_leaves_pages_to_be_judged_by_words(
    why: str, judged: list[str], by_words: list[str] | None
) -> None:
    decision = early_stop.build_stop_decision(why, KNOWN, {"b", "a"})
    assert (decision["judged"], decision.get("by_words")) == (judged, by_words)
    assert list(decision)[:7] == ["do", "why", *KNOWN]
    stop = EarlyStop(Hands())
    stop.decision = decision
    assert stop.is_judged_by_words("b") == (by_words is not None)
    assert not stop.is_judged_by_words("a")


def make_summary(text: str) -> Summary:
    return Summary("https://a.example/", "Whales", text, (Passage("p1", text, 0, len(text)),))


@pytest.mark.parametrize(("scoring", "is_recorded"), [(3, True), (2, False), (None, False)])
def test_a_judgement_by_words_says_so_and_is_recorded(
    place: Place, scoring: int | None, is_recorded: bool
) -> None:
    question = "How deep do sperm whales dive?"
    place.session("stopped", RunSettings(), question)
    created = {"question": question} | ({"rules": {"scoring": scoring}} if scoring else {})
    place.log("stopped").append(Draft("created", created))
    judged = []
    for text in ("Sperm whales dive to 2,000 m.", "Later rules score this page otherwise."):
        with place.deps(World(), place.log("stopped"), RunSettings()) as deps:
            judged.append(early_stop.judge_by_words(question, make_summary(text), deps))
    assert judged[0]["scored"]
    assert judged[0]["explanation"].startswith(JUDGED_BY_WORDS_NOTE)
    assert (judged[0]["score"] == judged[1]["score"]) is is_recorded
