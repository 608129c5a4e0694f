"""What an analyst tunes: checked when it is made, and unchanged on its way through JSON."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.errors import UsageError
from research_core.policy import (
    AUDIT_STRATEGY,
    DEFAULT_TIERS,
    STRATEGIES,
    Caps,
    CredibilityPolicy,
    RunSettings,
    Tier,
    checks_report,
)
from research_core.text.question import clean_instruction, clean_question


def test_the_default_policy_is_the_specification() -> None:
    policy = CredibilityPolicy()
    assert (
        policy.minimum,
        policy.domain_weight,
        policy.relevance_weight,
        policy.recency_bonus,
    ) == (0.5, 0.4, 0.5, 0.1)
    assert [(tier.name, tier.value) for tier in policy.tiers] == [
        ("academic or government", 0.9),
        ("major source", 0.8),
        ("organisation", 0.7),
        ("social media", 0.3),
        ("general web", 0.4),
    ]
    assert len(DEFAULT_TIERS[1].hosts) == 15
    assert DEFAULT_TIERS[3].hosts == ("twitter.com", "x.com", "facebook.com", "instagram.com")


BAD_SHARES = [-0.01, 1.01, math.nan, math.inf, "0.5", None]


@pytest.mark.parametrize("name", ["minimum", "domain_weight", "relevance_weight", "recency_bonus"])
@pytest.mark.parametrize("value", BAD_SHARES)
def test_a_share_out_of_range_is_named(name: str, value: Any) -> None:
    with pytest.raises(UsageError, match=f"{name} must be between 0 and 1"):
        CredibilityPolicy(**{name: value})


@pytest.mark.parametrize("value", BAD_SHARES)
def test_a_tier_out_of_range_is_named(value: Any) -> None:
    with pytest.raises(UsageError, match="authority of 'mine' must be between 0 and 1"):
        Tier("mine", value)


def test_a_policy_without_tiers_is_refused() -> None:
    with pytest.raises(UsageError, match="no tiers"):
        CredibilityPolicy(tiers=())


@pytest.mark.parametrize("name", ["calls", "tokens", "cost", "seconds"])
@pytest.mark.parametrize("value", [-1, math.nan, math.inf, "10"])
def test_a_cap_below_nothing_is_named(name: str, value: Any) -> None:
    with pytest.raises(UsageError, match=f"cap on {name}"):
        Caps(**{name: value})


@pytest.mark.parametrize("strategy", [*STRATEGIES, AUDIT_STRATEGY])
def test_only_the_strategy_of_an_audit_checks_a_report(strategy: str) -> None:
    run = RunSettings(strategy=strategy)
    expected = strategy == "audit"
    assert (run.checks_report, checks_report(run.to_json())) == (expected, expected)


def test_settings_without_a_strategy_check_no_report() -> None:
    assert not checks_report({"mode": "quick"})


def test_an_unknown_strategy_is_refused_with_the_choices() -> None:
    with pytest.raises(UsageError, match="Unknown strategy 'guess'") as caught:
        RunSettings(strategy="guess")
    assert caught.value.next_step == "Choose one of: planned, agentic."


SHARE = st.floats(0, 1)
NAMES = st.lists(st.text(max_size=12), max_size=4).map(tuple)
TIERS = st.lists(
    st.builds(Tier, st.text(), SHARE, NAMES, NAMES, NAMES), min_size=1, max_size=6
).map(tuple)
AMOUNT = st.none() | st.integers(0, 10**9)
PRICE = AMOUNT | st.floats(0, 1e9)
SETTINGS = st.builds(
    RunSettings,
    mode=st.text(),
    strategy=st.sampled_from(STRATEGIES),
    engines=NAMES,
    library=st.text(),
    model=st.text(),
    relevance_cutoff=AMOUNT,
    min_full=AMOUNT,
    min_short=AMOUNT,
    credibility=st.builds(CredibilityPolicy, SHARE, SHARE, SHARE, SHARE, TIERS),
    caps=st.builds(Caps, AMOUNT, AMOUNT, PRICE, PRICE),
)


@given(SETTINGS)
def test_settings_are_the_same_after_json(settings: RunSettings) -> None:
    assert RunSettings.from_json(json.loads(json.dumps(settings.to_json()))) == settings


@given(SETTINGS, st.sampled_from([(), ("caps",), ("credibility",), ("credibility", "tiers", 0)]))
def test_keys_of_another_version_are_left_out(settings: RunSettings, at: tuple[Any, ...]) -> None:
    data = json.loads(json.dumps(settings.to_json()))
    place = data
    for step in at:
        place = place[step]
    place["from_the_future"] = 1
    assert RunSettings.from_json(data) == settings


@pytest.mark.parametrize("name", RunSettings.__dataclass_fields__)
def test_a_missing_key_takes_the_default(name: str) -> None:
    data = asdict(RunSettings())
    del data[name]
    assert RunSettings.from_json(data) == RunSettings()


def test_nothing_at_all_is_the_default() -> None:
    assert RunSettings.from_json({}) == RunSettings()
    assert RunSettings.from_json({"credibility": {}, "caps": {}}) == RunSettings()


@pytest.mark.parametrize(
    "value",
    [
        {"credibility": {"minimum": 2}},
        {"credibility": {"tiers": []}},
        {"caps": {"calls": -1}},
        {"strategy": "x"},
    ],
)
def test_stored_settings_are_checked_like_new_ones(value: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        RunSettings.from_json(value)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("  What is\n\tCRISPR? ", "What is CRISPR?"),
        ("abc", "abc"),
        ("x" * 2000, "x" * 2000),
        ("a\u200bb\u202ec", "abc"),
        ("why \ud800 not\x00", "why not"),
    ],
)
def test_a_question_is_folded(text: str, question: str) -> None:
    assert clean_question(text) == question
    question.encode()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("  \n ", "empty"),
        ("a", "too short: it has 1 character, and at least 3"),
        ("hi", "too short: it has 2 characters, and at least 3"),
        ("\u200b\u200b\u200b", "empty"),
        ("???!!!", "no word"),
        ("x" * 2001, "too long: it has 2,001 characters, and at most 2,000"),
        ("x" * 5000, "5,000"),
    ],
)
def test_a_question_too_short_or_too_long_is_refused_with_a_next_step(
    text: str, message: str
) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        clean_question(text)
    assert caught.value.next_step


def test_an_instruction_is_one_line_of_what_can_be_seen() -> None:
    assert clean_instruction("  Say \u200b when\n it began. ") == "Say when it began."
    assert len(clean_instruction("x" * 500)) == 500


NO_INSTRUCTIONS = [
    ("", "is empty"),
    (" \u200b ", "is empty"),
    ("a", r"1 character\."),
    ("ab", r"2 characters\."),
    ("x" * 501, "501 characters"),
]


@pytest.mark.parametrize(("text", "message"), NO_INSTRUCTIONS)
def test_an_instruction_too_short_or_too_long_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        clean_instruction(text)
    assert "3 to 500" in caught.value.next_step
