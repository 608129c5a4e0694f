"""Events as the lines of a terminal, under the headings of their steps. No step prints by itself.

What an event says is in `event_text`; here are the specified lines, and which events have one. A
source is named by its address.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from research_core.journal.events import Event
from research_core.sessions.event_text import said
from research_core.text.words import truncate, visible
from research_core.urls import host

GAPS = "Look for gaps"
#: What a run does, in order; only deep mode has a step for gaps (DECISIONS row 36).
DEEP_STEPS = ("Plan", "Search", "Read", GAPS, "Judge", "Gate", "Write")
STEPS = tuple(step for step in DEEP_STEPS if step != GAPS)
#: The step an event belongs to.
_STEP_OF = {
    "created": "Plan",
    "searched": "Search",
    "search_failed": "Search",
    "fetch": "Read",
    "judged": "Judge",
    "gated": "Gate",
    "written": "Write",
}


def keep_drop_line(number: int, url: str, score: int, kept: bool) -> str:
    """The specified line: Source 1 (nonoise.org): score 4/5 — KEEP."""
    return (
        f"Source {number} ({host(url) or 'own document'}):"
        f" {f'score {score}/5' if score else 'not scored'} — {'KEEP' if kept else 'DROP'}"
    )


class Teller:
    """Turns events into lines, each step's heading once and in order. State: how many steps were
    announced.

    Steps run side by side: one whose first event comes early has the headings before it said first.
    Judging says nothing by itself, so its heading waits for the step before.
    """

    def __init__(self, mode: str, say: Callable[[str], None]) -> None:
        self._steps = DEEP_STEPS if mode == "deep" else STEPS
        self._announced = 0
        self._say = say

    def __call__(self, event: Event) -> None:
        step = (
            GAPS
            if event.kind == "planned" and event.data["part"] == "gaps"
            else _STEP_OF.get(event.kind, "")
        )
        if step in self._steps:
            self._announce(self._steps.index(step) + 1, waits=event.kind == "judged")
        for line in _LINES.get(event.kind, _nothing)(event.data):
            self._say("  " + visible(line).replace("\n", " "))

    def _announce(self, number: int, *, waits: bool) -> None:
        if waits and self._announced < number - 1:
            return
        for one in range(self._announced + 1, number + 1):
            self._say(f"[{one}/{len(self._steps)}] {self._steps[one - 1]}")
        self._announced = max(self._announced, number)


def _nothing(_data: Mapping[str, Any]) -> Iterator[str]:
    yield from ()


def _created(data: Mapping[str, Any]) -> Iterator[str]:
    if follows := data["settings"].get("follows"):
        yield f"follows up: {truncate(follows, 200)}"


def _gated(data: Mapping[str, Any]) -> Iterator[str]:
    judged = [verdict for verdict in data["verdicts"] if verdict["status"] in ("kept", "dropped")]
    for number, verdict in enumerate(judged, 1):
        yield keep_drop_line(
            number, verdict["url"], verdict["relevance"], verdict["status"] == "kept"
        )
    yield data["rationale"]


def _decided(data: Mapping[str, Any]) -> Iterator[str]:
    yield from said("decide", data, data.get("url", ""))
    if data["do"] == "ask":
        yield (
            "answer it from another terminal, with `assay allow` or `assay refuse` and the session"
        )


def _as_said(kind: str, before: str = "") -> Callable[[Mapping[str, Any]], Iterator[str]]:
    return lambda data: (before + text for text in said(kind, data, data.get("url", "")))


_LINES: dict[str, Callable[[Mapping[str, Any]], Iterator[str]]] = {
    "created": _created,
    "planned": _as_said("planned"),
    "searched": _as_said("searched", "search "),
    "search_failed": _as_said("search_failed", "search "),
    "fetch": lambda data: iter([f"fetch {data['url']}"]),
    "blocked": lambda data: iter([f"🚫 Blocked {data['url']} (score: {data['score']:.2f})"]),
    "fetched": _as_said("fetched"),
    "decide": _decided,
    "gated": _gated,
}
