"""Show a session as it was after any event, with each event in words.

A point shows the same reading as a whole session, over fewer events. Calls are not among the events
of a reading, but their results are. `replay` derives a report again from its calls.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from research_core.decisions.view import fold_events
from research_core.journal.events import Event, drop_voided
from research_core.sessions import event_text
from research_core.sessions.reading import Reading
from research_core.trust.provenance import name_site

ENDS = ("finished", "failed")


def rewind_to(reading: Reading, seq: int) -> Reading:
    """Return the session as it was after event number `seq`."""
    events = reading.events[: count_events_until(reading, seq)]
    if len(events) == len(reading.events):
        return reading
    status, decision = _find_status(events)
    row = replace(reading.info.row, decision=decision)
    return Reading(
        replace(reading.info, row=row, status=status), events, fold_events(drop_voided(events))
    )


def count_events_until(reading: Reading, seq: int) -> int:
    """Count the events up to event number `seq`."""
    return bisect_right(reading.events, seq, key=lambda event: event.seq)


def _find_status(events: Sequence[Event]) -> tuple[str, str]:
    """Return the status and decision of a session that has only these events."""
    if not events:
        return "queued", ""
    last = events[-1]
    if last.kind == "failed":
        return "failed", ""
    if last.kind == "finished":
        return last.data["outcome"], last.data.get("decision", "")
    return "running", ""


@dataclass(frozen=True)
class PlaybackStep:
    """One event in words.

    after: seconds since the first event; mark: why it is worth going to, "" for most.
    """

    seq: int
    after: float
    text: str
    mark: str = ""


def list_steps(reading: Reading) -> tuple[PlaybackStep, ...]:
    """Return every event of the log in words, in order."""
    began = reading.events[0].at if reading.events else 0.0
    titles: dict[str, str] = {}
    last_search = 0
    for event in reading.events:
        if event.kind in ("found", "fetched") and event.data.get("title"):
            titles[event.data["url"]] = event.data["title"]
        elif event.kind in ("searched", "search_failed"):
            last_search = event.seq
    steps = []
    has_ended = False
    for event in reading.events:
        if has_ended:
            mark = "resumed"
        elif event.seq == last_search:
            mark = "searches done"
        else:
            mark = _find_mark(event)
        text = _describe_event(event, titles)
        steps.append(PlaybackStep(event.seq, event.at - began, text, mark))
        has_ended = event.kind in ENDS
    return tuple(steps)


def list_marked_steps(steps: Sequence[PlaybackStep]) -> tuple[PlaybackStep, ...]:
    """Return the steps worth going to."""
    return tuple(step for step in steps if step.mark)


def _find_mark(event: Event) -> str:
    if event.kind == "fetched" and event.data.get("failure"):
        return "failure"
    if event.kind == "decide":
        return "" if event.data["do"] == "tally" else "decided by hand or cap"
    return _MARKS.get(event.kind, "")


_MARKS = {
    "command": "command",
    "search_failed": "failure",
    "failed": "failure",
    "gated": "gate",
    "written": "written",
    "verified": "checked",
    "report": "report",
    "finished": "end",
}


def _describe_event(event: Event, titles: Mapping[str, str]) -> str:
    url = event.data.get("url", "")
    name = event_text.format_source_name(url, titles.get(url, ""), name_site(url))
    return event_text.describe_event(event.kind, event.data, name)


# -- moving along --------------------------------------------------------------


def find_neighbour(steps: Sequence[PlaybackStep], seq: int, by: int) -> int:
    """Return the number of the event `by` steps away, clamped to the first and last."""
    if not steps:
        return seq
    now = bisect_right(steps, seq, key=lambda step: step.seq) - 1
    return steps[min(max(now + by, 0), len(steps) - 1)].seq


def list_steps_around(
    steps: Sequence[PlaybackStep], seq: int, *, before: int = 6, after: int = 3
) -> Iterator[tuple[PlaybackStep, bool]]:
    """Yield the steps around a point, each with whether it is the current one."""
    now = bisect_right(steps, seq, key=lambda step: step.seq) - 1
    for n in range(max(0, now - before), min(len(steps), now + after + 1)):
        yield steps[n], n == now
