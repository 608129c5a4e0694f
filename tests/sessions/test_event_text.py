"""What each kind of event says: where it is news, and where nothing is left out."""

from __future__ import annotations

from typing import Any

import pytest

from research_core.i18n import gettext, use_language
from research_core.interfaces.cli.progress import ProgressPrinter
from research_core.journal.events import KINDS, VISIBLE_KINDS, Event
from research_core.sessions.event_text import (
    FailedEngines,
    describe_event,
    describe_news,
    format_source_name,
)
from research_core.web.failure_texts import translate_failure

NAME = "“A page” (a.example.org)"
QUERY = {"text": "noise rules", "purpose": "planned"}
CITED = [{"state": state, "citations": ["p1"]} for state in ("supported", "partly")]
NEWS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("command", {"do": "stop"}, ["You asked to stop and write"]),
    ("command", {"do": "approve"}, [f"You included {NAME}"]),
    ("command", {"do": "strike"}, [f"You excluded {NAME}"]),
    ("command", {"do": "restore"}, [f"You undid your decision on {NAME}"]),
    ("command", {"do": "instruct", "text": "Only {adults}"}, ["You asked: Only {adults}"]),
    (
        "decide",
        {"do": "stop", "why": "the cap was reached"},
        ["Stopped gathering: the cap was reached"],
    ),
    ("command", {"do": "allow", "place": "2.1"}, ["You allowed the call 2.1"]),
    ("command", {"do": "refuse", "place": "2.1"}, ["You refused the call 2.1"]),
    (
        "decide",
        {"do": "ask", "place": "2.1", "tool": "note"},
        ["Waits for your permission to call note (2.1)"],
    ),
    ("decide", {"do": "allow", "place": "2.1"}, ["The call 2.1 is made, as you allowed"]),
    ("decide", {"do": "refuse", "place": "2.1"}, ["The call 2.1 is not made, as you refused"]),
    ("decide", {"do": "approve"}, [f"Included: {NAME}"]),
    ("decide", {"do": "strike"}, [f"Excluded: {NAME}"]),
    ("decide", {"do": "restore"}, [f"As before your decision: {NAME}"]),
    ("decide", {"do": "instruct", "text": "Say when."}, ["Follows your instruction: Say when."]),
    (
        "waiting",
        {"for": "model", "seconds": 37.3},
        ["The model takes no requests at present; waiting 37 s"],
    ),
    (
        "replaced",
        {"model": "openai:gone", "by": "small", "why": "gone answered 404: 模型不存在。"},
        ["Another model takes over (small): gone answered 404: 模型不存在。"],
    ),
    (
        "planned",
        {"queries": [], "note": "No plan was made: it refused."},
        ["No plan was made: it refused."],
    ),
    (
        "planned",
        {"queries": [QUERY, {**QUERY, "purpose": "tool"}]},
        ["Planned to search for: “noise rules”", "The model searches for: “noise rules”"],
    ),
    (
        "planned",
        {"queries": [{**QUERY, "purpose": "counter"}]},
        ["Searches for evidence against: “noise rules”"],
    ),
    ("searched", {"engine": "north", "results": 3, "query": "q"}, ["north: 3 results for “q”"]),
    ("searched", {"engine": "north", "results": 1, "query": "q"}, ["north: 1 result for “q”"]),
    ("searched", {"engine": "north", "results": 0, "query": "q"}, ["north: no results for “q”"]),
    (
        "searched",
        {"engine": "north", "results": 3, "query": "q", "unwrapped": 2, "advertisements": 1},
        [
            "north: 3 results for “q” (2 redirect links replaced by their targets,"
            " 1 advertisement left out)"
        ],
    ),
    (
        "searched",
        {"engine": "session", "results": 7, "query": "q"},
        ["7 pages read before match “q”"],
    ),
    (
        "searched",
        {"engine": "session", "results": 0, "query": "q"},
        ["No page read before matches “q”"],
    ),
    (
        "search_failed",
        {"engine": "north", "state": "rate_limited", "reason": "Slow down."},
        ["north limits requests: Slow down."],
    ),
    (
        "search_failed",
        {"engine": "north", "state": "timed_out", "reason": "Nobody answered."},
        ["north timed out: Nobody answered."],
    ),
    ("fetch", {}, [f"Reads {NAME}"]),
    ("blocked", {"score": 0.5}, [f"Not read, credibility too low (0.50): {NAME}"]),
    ("fetched", {"failure": "Nobody answers."}, [f"Could not read {NAME}: Nobody answers."]),
    ("fact", {"text": "Seals moved."}, ["Noted: Seals moved."]),
    ("step", {"number": 2, "text": "Look for {trials}"}, ["Step 2: Look for {trials}"]),
    ("called", {"tool": "web_search"}, ["web_search was called"]),
    (
        "called",
        {"tool": "web_search", "error": "Nobody answers."},
        ["web_search failed: Nobody answers."],
    ),
    (
        "judged",
        {"scored": True, "score": 4, "explanation": "Fits."},
        [f"Relevance 4 of 5: {NAME}. Fits."],
    ),
    (
        "judged",
        {"scored": False, "score": 3, "explanation": "No answer."},
        [f"Not scored, and kept: {NAME}. No answer."],
    ),
    (
        "gated",
        {"decision": "full_report", "rationale": "Enough."},
        ["Gate: full report. Enough."],
    ),
    ("written", {"text": "word " * 1200, "removed": 0}, ["The text is written: 1,200 words"]),
    (
        "written",
        {"text": "One word", "removed": 2},
        ["The text is written: 2 words; unknown citations removed: 2"],
    ),
    (
        "written",
        {
            "text": "One word",
            "removed": 0,
            "writer": {"model": "offline", "failures": ["The limit of US$ 1 was reached."]},
        },
        [
            "Quoted sentences stand in for this report, which the language model could not write."
            " The limit of US$ 1 was reached.",
            "The text is written: 2 words",
        ],
    ),
    (
        "verified",
        {"blocks": [{"sentences": CITED}]},
        ["Checked 2 cited sentences: 1 supported by their passages"],
    ),
    ("queued", {"ahead": 1_203}, ["Number 1,204 in the queue"]),
    (
        "source_checked",
        {"key": "https://a.example.org/p", "state": "never existed"},
        ["Did not open (never existed): https://a.example.org/p"],
    ),
    ("claim_checked", {"number": 6, "verdict": "partly"}, ["Sentence 7: partly supported"]),
    (
        "decide",
        {"do": "stop audit", "why": "the cap on cost was reached"},
        ["No further source is read: the cap on cost was reached"],
    ),
    ("report", {}, ["The report is stored"]),
    ("failed", {"error": "The disk is full."}, ["Failed: The disk is full."]),
    ("finished", {"outcome": "done"}, ["Finished"]),
    ("finished", {"outcome": "cancelled"}, ["Cancelled"]),
]
REST: list[tuple[str, dict[str, Any], str]] = [
    ("created", {"question": "What?"}, "Asked: What?"),
    (
        "decide",
        {"do": "tally", "model_calls": 2, "other_calls": 3, "models": {"small": 2}},
        "Usage: 2 model calls",
    ),
    (
        "decide",
        {"do": "tally", "model_calls": 1, "other_calls": 1},
        "Usage: 1 step by rules or by a model",
    ),
    (
        "voided",
        {"key": "k"},
        "A failed call may be repeated; its results are then computed again",
    ),
    ("planned", {"part": "gaps", "queries": []}, "Planned (gaps): no query"),
    (
        "found",
        {"engine": "north", "parts": {"score": 0.718}},
        f"Found by north: {NAME}, credibility 0.72",
    ),
    (
        "found",
        {"engine": "library", "parts": None},
        f"Found by library: {NAME}, credibility not scored",
    ),
    ("given", {"title": "Tidal power"}, "Report to check: Tidal power"),
    (
        "source_checked",
        {"key": "https://a.example.org/p", "state": "live"},
        "Opened: https://a.example.org/p",
    ),
    ("admitted", {}, f"To be read: {NAME}"),
    ("fetched", {"failure": "", "characters": 1200}, f"Read {NAME}: 1,200 characters"),
    ("passages", {"passages": [1, 2]}, f"2 passages are about the question: {NAME}"),
    ("delta", {"text": "seals"}, "The writer wrote 5 characters"),
    ("call", {}, "call"),
    ("unusable", {"call": "call:k"}, "unusable"),
    ("of another version", {}, "of another version"),
]


@pytest.mark.parametrize(("kind", "data", "sentences"), NEWS)
def test_news_is_said_and_in_full_on_one_line(
    kind: str, data: dict[str, Any], sentences: list[str]
) -> None:
    assert list(describe_news(kind, data, NAME)) == sentences
    assert describe_event(kind, data, NAME) == " · ".join(sentences)


@pytest.mark.parametrize(("kind", "data", "text"), REST)
def test_what_is_no_news_is_said_in_full_only(kind: str, data: dict[str, Any], text: str) -> None:
    assert list(describe_news(kind, data, NAME)) == []
    assert describe_event(kind, data, NAME) == text


def test_a_text_without_citations_was_not_checked() -> None:
    blocks = [{"sentences": [{"state": "uncited", "citations": []}]}]
    assert list(describe_news("verified", {"blocks": blocks}, NAME)) == []


def test_events_are_described_in_the_language_of_the_screens() -> None:
    gated = {"decision": "full_report", "rationale": "Enough."}
    with use_language("de"):
        assert gettext("full report") != "full report"
        assert gettext("full report") in describe_event("gated", gated, NAME)
        assert format_source_name("https://a.example.org/p", "A page", "a.example.org") == (
            "„A page“ (a.example.org)"
        )


TOO_LATE = "small answered too late."


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("written", {"writer": {"model": "offline", "failures": ["503", TOO_LATE]}}),
        (
            "written",
            {
                "writer": {
                    "model": "small (2 sections), offline (the summary)",
                    "failures": [TOO_LATE],
                    "parts": {"small": "2 sections", "offline": "the summary"},
                }
            },
        ),
        ("fetched", {"failure": TOO_LATE}),
        ("called", {"tool": "web_search", "error": TOO_LATE}),
        ("search_failed", {"engine": "north", "state": "timed_out", "reason": TOO_LATE}),
    ],
)
@pytest.mark.parametrize("language", ["de", "fr", "ja", "ar", "zh"])
def test_failures_are_in_the_language_of_the_screens_and_of_the_terminal(
    language: str, kind: str, data: dict[str, Any]
) -> None:
    data = {"text": "Words.", "removed": 0, "url": "https://a.example.org/p", **data}
    lines: list[str] = []
    with use_language(language):
        expected = translate_failure(TOO_LATE)
        ProgressPrinter("standard", lines.append)(Event(1, 0.0, kind, data))
        said = [describe_event(kind, data, NAME)]
    if kind != "called":  # no line of the terminal
        said.append("\n".join(lines))
    assert TOO_LATE not in expected
    for text in said:
        assert expected in text
        assert TOO_LATE not in text


def test_every_kind_that_is_shown_has_words() -> None:
    assert {kind for kind, *_ in NEWS} | {kind for kind, _, text in REST if text != kind} == set(
        VISIBLE_KINDS
    )
    assert {kind for kind, *_ in [*NEWS, *REST]} >= KINDS.keys()


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("A page", NAME),
        ("", "https://a.example.org/p"),
        ("word " * 100, f"“{'word ' * 15}word…” (a.example.org)"),
    ],
)
def test_a_source_has_its_title_and_where_it_is_from(title: str, name: str) -> None:
    assert format_source_name("https://a.example.org/p", title, "a.example.org") == name


def test_a_failure_of_an_engine_is_told_once_a_run() -> None:
    failures = FailedEngines()
    events = [
        ("search_failed", "north", "rate_limited"),
        ("searched", "north", "answered"),
        ("search_failed", "north", "rate_limited"),
        ("search_failed", "south", "rate_limited"),
        ("search_failed", "north", "timeout"),
        ("search_failed", "south", "rate_limited"),
    ]
    repeated = [
        failures.is_repeated(kind, {"engine": engine, "state": state})
        for kind, engine, state in events
    ]
    assert repeated == [False, False, True, False, False, True]
