"""Events in words, for a terminal: one table from kind to line. No step prints by itself.

The screens have words of their own for the same events, as they show other things: `live` what happens, `playback` every event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from research_core.events import Event
from research_core.text import truncate, visible
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
        f"Source {number} ({host(url) or 'own document'}): {f'score {score}/5' if score else 'not scored'} — {'KEEP' if kept else 'DROP'}"
    )


class Teller:
    """Turns events into lines, each step's heading once and in order. State: how many steps were announced.

    Steps run side by side: one whose first event comes early has the headings before it said first. Judging says nothing by itself, so
    its heading waits for the step before.
    """

    def __init__(self, mode: str, say: Callable[[str], None]) -> None:
        self._steps = DEEP_STEPS if mode == "deep" else STEPS
        self._announced = 0
        self._say = say

    def __call__(self, event: Event) -> None:
        step = GAPS if event.kind == "planned" and event.data["part"] == "gaps" else _STEP_OF.get(event.kind, "")
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


def _planned(data: Mapping[str, Any]) -> Iterator[str]:
    if data.get("note"):
        yield str(data["note"])
    for query in data["queries"]:
        yield f"{query['purpose']} query: {query['text']}"


def _searched(data: Mapping[str, Any]) -> Iterator[str]:
    results = f"{data['results']} result{'' if data['results'] == 1 else 's'}"
    if data["engine"] == "session":
        results = f"{data['results']} of the pages read before"
    yield f"search {data['engine']}: {results} for “{truncate(data['query'], 80)}”"


def _search_failed(data: Mapping[str, Any]) -> Iterator[str]:
    yield f"search {data['engine']} {data['state'].replace('_', ' ')}: {data['reason']}"


def _fetched(data: Mapping[str, Any]) -> Iterator[str]:
    if data.get("failure"):
        yield f"could not read {data['url']}: {data['failure']}"


def _gated(data: Mapping[str, Any]) -> Iterator[str]:
    judged = [verdict for verdict in data["verdicts"] if verdict["status"] in ("kept", "dropped")]
    for number, verdict in enumerate(judged, 1):
        yield keep_drop_line(number, verdict["url"], verdict["relevance"], verdict["status"] == "kept")
    yield data["rationale"]


#: What the analyst did to a source, in the past tense.
_DONE = {"approve": "approved", "strike": "struck", "restore": "restored"}


def _decided(data: Mapping[str, Any]) -> Iterator[str]:
    if data["do"] == "stop":
        yield f"stopped: {data['why']}"
    elif data["do"] == "instruct":
        yield f"instructed by the analyst: {data['text']}"
    elif data["do"] in _DONE:
        yield f"{_DONE[data['do']]} by the analyst: {data['url']}"


_LINES: dict[str, Callable[[Mapping[str, Any]], Iterator[str]]] = {
    "created": _created,
    "planned": _planned,
    "searched": _searched,
    "search_failed": _search_failed,
    "fetch": lambda data: iter([f"fetch {data['url']}"]),
    "blocked": lambda data: iter([f"🚫 Blocked {data['url']} (score: {data['score']:.2f})"]),
    "fetched": _fetched,
    "decide": _decided,
    "gated": _gated,
}
