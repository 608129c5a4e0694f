"""Turn events into terminal lines under the headings of their steps. Nothing is printed here.

`sessions/event_text` describes events; this module has the specified lines and chooses which events
get one. Sources are named by address.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from research_core.journal.events import Event
from research_core.sessions.event_text import (
    GAPS_STEP,
    FailedEngines,
    describe_news,
    describe_quoting,
    drop_known_queries,
    get_kind,
    list_step_names,
)
from research_core.text.words import strip_invisible, truncate
from research_core.urls import find_host


def format_keep_drop_line(number: int, url: str, score: int, kept: bool) -> str:
    """Return the specified line: Source 1 (nonoise.org): score 4/5 — KEEP."""
    host = find_host(url) or "own document"
    scored = f"score {score}/5" if score else "not scored"
    return f"Source {number} ({host}): {scored} — {'KEEP' if kept else 'DROP'}"


class ProgressPrinter:
    """Turn events into lines, with each step's heading once and in order.

    Steps run side by side, so an early event prints the headings before its own first. Judging has
    no line of its own, so its heading waits for the step before.
    """

    def __init__(self, mode: str, say: Callable[[str], None]) -> None:
        self._steps = list_step_names(mode)
        self._announced = 0
        self._say = say
        self._known_queries: set[str] = set()
        self._failed_engines = FailedEngines()
        self._said_once: set[tuple[str, str]] = set()

    def __call__(self, event: Event) -> None:
        step = get_kind(event.kind).step
        if event.kind == "planned" and event.data["part"].partition(":")[0] == "gaps":
            step = GAPS_STEP
        if step in self._steps:
            self._announce(self._steps.index(step) + 1, waits=event.kind == "judged")
        data = event.data
        if event.kind == "planned":
            data = drop_known_queries(data, self._known_queries)
        if self._failed_engines.is_repeated(event.kind, data) or self._is_repeated(event):
            return
        for line in _LINES.get(event.kind, _say_nothing)(data):
            self._say("  " + strip_invisible(line).replace("\n", " "))

    def _is_repeated(self, event: Event) -> bool:
        """Return True if this was said before: each call reports what the log stores only once."""
        if event.kind != "replaced" and event.data.get("do") != "reach cap":
            return False
        news = event.kind, event.data["why"]
        is_repeated = news in self._said_once
        self._said_once.add(news)
        return is_repeated

    def _announce(self, number: int, *, waits: bool) -> None:
        if waits and self._announced < number - 1:
            return
        for one in range(self._announced + 1, number + 1):
            self._say(f"[{one}/{len(self._steps)}] {self._steps[one - 1]}")
        self._announced = max(self._announced, number)


def _say_nothing(_data: Mapping[str, Any]) -> Iterator[str]:
    yield from ()


def _describe_created(data: Mapping[str, Any]) -> Iterator[str]:
    if follows := data["settings"].get("follows"):
        yield f"follows up: {truncate(follows, 200)}"


def _describe_gated(data: Mapping[str, Any]) -> Iterator[str]:
    judged = [verdict for verdict in data["verdicts"] if verdict["status"] in ("kept", "dropped")]
    for number, verdict in enumerate(judged, 1):
        yield format_keep_drop_line(
            number, verdict["url"], verdict["relevance"], verdict["status"] == "kept"
        )
    yield data["rationale"]


def _describe_decision(data: Mapping[str, Any]) -> Iterator[str]:
    yield from describe_news("decide", data, data.get("url", ""))
    if data["do"] == "ask":
        yield (
            "answer it from another terminal, with `assay allow` or `assay refuse` and the session"
        )


def _describe_searched(data: Mapping[str, Any]) -> Iterator[str]:
    before = "" if data["engine"] == "session" else "search "  # the pages of the session itself
    yield from _use_news("searched", before)(data)


def _use_news(kind: str, before: str = "") -> Callable[[Mapping[str, Any]], Iterator[str]]:
    return lambda data: (before + text for text in describe_news(kind, data, data.get("url", "")))


_LINES: dict[str, Callable[[Mapping[str, Any]], Iterator[str]]] = {
    "created": _describe_created,
    "planned": _use_news("planned"),
    "searched": _describe_searched,
    "search_failed": _use_news("search_failed", "search "),
    "fetch": lambda data: iter([f"fetch {data['url']}"]),
    "blocked": lambda data: iter([f"🚫 Blocked {data['url']} (score: {data['score']:.2f})"]),
    "fetched": _use_news("fetched"),
    "decide": _describe_decision,
    "gated": _describe_gated,
    "waiting": _use_news("waiting"),
    "replaced": _use_news("replaced", "⚠ "),
    "written": lambda data: ("⚠ " + text for text in describe_quoting(data)),
}
