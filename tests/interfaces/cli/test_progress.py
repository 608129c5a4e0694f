"""Events as lines: those of each kind, the numbers of the steps, and nothing a terminal would obey."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.interfaces.cli.progress import ProgressPrinter, format_keep_drop_line
from research_core.journal.events import KINDS, Event
from research_core.sessions.event_text import DEEP_STEPS, STEPS

URL = "https://nonoise.org/rules?a=1"


def said(kind: str, /, mode: str = "standard", **data: Any) -> list[str]:
    """What is said of one event, headings left out."""
    return [line for line in told([(kind, data)], mode) if not line.startswith("[")]


def told(events: list[tuple[str, dict[str, Any]]], mode: str = "standard") -> list[str]:
    lines: list[str] = []
    teller = ProgressPrinter(mode, lines.append)
    for seq, (kind, data) in enumerate(events):
        teller(Event(seq, 0.0, kind, data))
    return lines


@pytest.mark.parametrize(
    ("number", "url", "score", "kept", "line"),
    [
        (1, "https://nonoise.org/rules", 4, True, "Source 1 (nonoise.org): score 4/5 — KEEP"),
        (
            2,
            "https://luthier-guide.com/",
            1,
            False,
            "Source 2 (luthier-guide.com): score 1/5 — DROP",
        ),
        (3, "document:abc", 5, True, "Source 3 (own document): score 5/5 — KEEP"),
        (4, "https://EN.Example.org:443/x", 3, True, "Source 4 (en.example.org): score 3/5 — KEEP"),
    ],
)
def test_a_decision_of_the_gate_is_said_as_specified(
    number: int, url: str, score: int, kept: bool, line: str
) -> None:
    assert format_keep_drop_line(number, url, score, kept) == line


QUERY = {"text": "noise rules", "order": 1, "purpose": "planned"}
VERDICTS = [
    {"url": "https://nonoise.org/a", "status": "kept", "relevance": 4},
    {"url": "https://other.org/", "status": "blocked", "relevance": 0},
    {"url": "https://luthier-guide.com/", "status": "dropped", "relevance": 1},
]
LINES: list[tuple[str, dict[str, Any], list[str]]] = [
    ("created", {"settings": {"follows": "Is noise loud?"}}, ["follows up: Is noise loud?"]),
    ("created", {"settings": {"follows": ""}}, []),
    (
        "waiting",
        {"for": "model", "seconds": 37.3},
        ["The model takes no requests at present; waiting 37 s"],
    ),
    (
        "replaced",
        {"model": "openai:gone", "by": "small", "why": "gone answered 404: no such model."},
        ["⚠ Another model takes over (small): gone answered 404: no such model."],
    ),
    ("written", {"text": "## Executive Summary", "removed": 0}, []),
    (
        "written",
        {"text": "", "removed": 0, "writer": {"model": "small", "failures": ["gone timed out."]}},
        [],
    ),
    (
        "written",
        {
            "text": "",
            "removed": 0,
            "writer": {"model": "offline", "failures": ["m1 timed out.", "m2 is busy."]},
        },
        [
            "⚠ Quoted sentences stand in for this report, which the language model could not"
            " write. m1 timed out. m2 is busy."
        ],
    ),
    (
        "written",
        {
            "text": "",
            "removed": 0,
            "writer": {
                "model": "small (the summary), offline (sections 1 and 3)",
                "failures": ["small answered nothing."],
                "parts": {"small": "the summary", "offline": "sections 1 and 3"},
            },
        },
        [
            "⚠ Quoted sentences stand in for sections 1 and 3, which the language model could not"
            " write. small answered nothing."
        ],
    ),
    ("planned", {"part": "plan", "queries": [QUERY]}, ["Planned to search for: “noise rules”"]),
    (
        "planned",
        {"part": "plan", "queries": [], "note": "No plan was made: it refused."},
        ["No plan was made: it refused."],
    ),
    (
        "searched",
        {"engine": "ddgs:brave", "results": 5, "query": "noise"},
        ["search ddgs:brave: 5 results for “noise”"],
    ),
    (
        "search_failed",
        {"engine": "one", "state": "timed_out", "reason": "It did not answer."},
        ["search one timed out: It did not answer."],
    ),
    ("fetch", {"url": URL}, [f"fetch {URL}"]),
    ("blocked", {"url": URL, "score": 0.36, "order": 0}, [f"🚫 Blocked {URL} (score: 0.36)"]),
    ("blocked", {"url": URL, "score": 0.5, "order": 0}, [f"🚫 Blocked {URL} (score: 0.50)"]),
    (
        "fetched",
        {"url": URL, "failure": "There is no such page."},
        [f"Could not read {URL}: There is no such page."],
    ),
    ("fetched", {"url": URL, "failure": "", "title": "Rules"}, []),
    ("fetched", {"url": URL, "title": "Rules"}, []),
    ("decide", {"do": "strike", "url": URL, "command": 3}, [f"Excluded: {URL}"]),
    (
        "decide",
        {"do": "instruct", "text": "Say when.", "command": 3},
        ["Follows your instruction: Say when."],
    ),
    ("decide", {"do": "tally", "model_calls": 3}, []),
    (
        "gated",
        {"verdicts": VERDICTS, "rationale": "1 of 2 sources scored ≥ 3"},
        [
            "Source 1 (nonoise.org): score 4/5 — KEEP",
            "Source 2 (luthier-guide.com): score 1/5 — DROP",
            "1 of 2 sources scored ≥ 3",
        ],
    ),
]


@pytest.mark.parametrize(("kind", "data", "lines"), LINES)
def test_each_kind_has_its_lines(kind: str, data: dict[str, Any], lines: list[str]) -> None:
    assert said(kind, **data) == [f"  {line}" for line in lines]


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {kind for kind, _, _ in LINES}))
def test_of_every_other_kind_nothing_is_said(kind: str) -> None:
    assert said(kind, url=URL, text="x") == []


# ---------------------------------------------------------------- steps


def test_there_are_six_steps_and_in_deep_mode_seven() -> None:
    assert STEPS == ("Plan", "Search", "Read", "Judge", "Gate", "Write")
    assert DEEP_STEPS == ("Plan", "Search", "Read", "Look for gaps", "Judge", "Gate", "Write")


RUN: list[tuple[str, dict[str, Any]]] = [
    ("created", {"settings": {}}),
    ("searched", {"engine": "one", "results": 0, "query": "q"}),
    ("fetch", {"url": URL}),
    ("fetch", {"url": URL}),
    ("planned", {"part": "gaps", "queries": []}),
    ("planned", {"part": "gaps:2", "queries": []}),
    ("judged", {}),
    ("gated", {"verdicts": [], "rationale": "r"}),
    ("written", {}),
]


@pytest.mark.parametrize(
    ("mode", "steps"),
    [
        ("quick", STEPS),
        ("standard", STEPS),
        ("deep", DEEP_STEPS),
        ("exhaustive", DEEP_STEPS),
    ],
)
def test_each_step_is_announced_once_with_its_number(mode: str, steps: tuple[str, ...]) -> None:
    headings = [line for line in told(RUN, mode) if line.startswith("[")]
    assert headings == [f"[{number}/{len(steps)}] {step}" for number, step in enumerate(steps, 1)]


def test_a_failed_search_begins_the_search_too() -> None:
    assert (
        told([RUN[0], ("search_failed", {"engine": "one", "state": "refused", "reason": "No."})])[1]
        == "[2/6] Search"
    )


def test_a_line_follows_the_heading_of_its_step() -> None:
    assert told(RUN[:3]) == [
        "[1/6] Plan",
        "[2/6] Search",
        "  search one: no results for “q”",
        "[3/6] Read",
        f"  fetch {URL}",
    ]


@pytest.mark.parametrize("mode", ["standard", "deep"])
@given(st.permutations(RUN))
def test_whatever_comes_first_the_headings_come_in_order(
    mode: str, events: list[tuple[str, dict[str, Any]]]
) -> None:
    headings = [line for line in told(events, mode) if line.startswith("[")]
    steps = DEEP_STEPS if mode == "deep" else STEPS
    assert headings == [
        f"[{number}/{len(steps)}] {step}" for number, step in enumerate(steps[: len(headings)], 1)
    ]
    assert len(headings) == len(steps)  # the last one says all before it


def test_judging_waits_for_the_gaps_and_reading_for_nothing() -> None:
    gaps = RUN[4]
    early = [RUN[0], RUN[2], ("judged", {}), gaps, ("judged", {})]
    headings = [line for line in told(early, "deep") if line.startswith("[")]
    assert headings == [
        "[1/7] Plan",
        "[2/7] Search",
        "[3/7] Read",
        "[4/7] Look for gaps",
        "[5/7] Judge",
    ]
    assert told(early[:3], "deep")[-1] == f"  fetch {URL}"


# ---------------------------------------------------------------- what others wrote


def test_nothing_a_page_or_an_engine_wrote_can_steer_the_terminal() -> None:
    reason = "\x1b[2J\x1b]0;owned\x07no\r\nreport\u202e\u2028now\x9b1A"
    (line,) = said("search_failed", engine="one", state="failed", reason=reason)
    assert line == "  search one failed: [2J]0;ownedno report now1A"
    assert line.isprintable()


def test_a_long_query_is_cut() -> None:
    (line,) = said("searched", engine="one", results=2, query="word " * 100)
    assert len(line) < 130
    assert line.endswith("…”")


@pytest.mark.parametrize(
    ("first", "second", "lines"),
    [
        ("noise rules", "noise rules", 1),
        ("Lärmregeln", "lärmregeln", 1),
        ("правила  шума", "правила шума", 1),
        ("騒音 規則", "騒音 規則", 1),
        ("noise rules", "noise rules 2024", 2),
    ],
)
def test_a_query_that_is_known_is_not_said_again(first: str, second: str, lines: int) -> None:
    events = []
    for part, purpose, text in (("plan", "planned", first), ("refined", "refined", second)):
        query = {"text": text, "order": 1, "purpose": purpose}
        events.append(("planned", {"part": part, "queries": [query]}))
    queries = [line for line in told(events) if "“" in line]
    assert len(queries) == lines


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("replaced", {"model": "openai:gone", "by": "small", "why": "gone answered 404."}),
        ("decide", {"do": "reach cap", "why": "the cap on cost was reached"}),
    ],
)
def test_what_is_stored_once_a_run_is_said_once(kind: str, data: dict[str, Any]) -> None:
    lines = told([(kind, data)] * 3)
    assert len([line for line in lines if data["why"] in line]) == 1
