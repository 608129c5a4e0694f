"""A session as it stood after any event of its log, each event in words, and the points worth going
to. Pure.

What is shown at a point is the same reading that a screen shows of a whole session, over fewer
events. The calls are not among the events of a reading; what was made of them is. Deriving a report
again from its calls is `replay`.
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
    """The session as it stood after its event number `seq`; itself from its last event on."""
    events = reading.events[: count_events_until(reading, seq)]
    if len(events) == len(reading.events):
        return reading
    status, decision = _find_status(events)
    row = replace(reading.info.row, decision=decision)
    return Reading(
        replace(reading.info, row=row, status=status), events, fold_events(drop_voided(events))
    )


def count_events_until(reading: Reading, seq: int) -> int:
    """How many events the log showed by then."""
    return bisect_right(reading.events, seq, key=lambda event: event.seq)


def _find_status(events: Sequence[Event]) -> tuple[str, str]:
    """Status and decision a session had when these events were all there was."""
    last = events[-1] if events else None
    if last is None:
        return "queued", ""
    if last.kind == "failed":
        return "failed", ""
    return (
        (last.data["outcome"], last.data.get("decision", ""))
        if last.kind == "finished"
        else ("running", "")
    )


@dataclass(frozen=True)
class PlaybackStep:
    """One event in words. after: seconds since the first one; mark: what makes it worth going to,
    "" for most.
    """

    seq: int
    after: float
    text: str
    mark: str = ""


def list_steps(reading: Reading) -> tuple[PlaybackStep, ...]:
    """Every event of the log in words, in order."""
    began = reading.events[0].at if reading.events else 0.0
    entitled = (
        event.data
        for event in reading.events
        if event.kind in ("found", "fetched") and event.data.get("title")
    )
    titles = {data["url"]: data["title"] for data in entitled}
    searched = max(
        (event.seq for event in reading.events if event.kind in ("searched", "search_failed")),
        default=0,
    )
    told, ended = [], False
    for event in reading.events:
        mark = (
            "resumed" if ended else "searches done" if event.seq == searched else _find_mark(event)
        )
        told.append(PlaybackStep(event.seq, event.at - began, _describe_event(event, titles), mark))
        ended = event.kind in ENDS
    return tuple(told)


def list_marked_steps(steps: Sequence[PlaybackStep]) -> tuple[PlaybackStep, ...]:
    """The steps worth going to."""
    return tuple(step for step in steps if step.mark)


def _find_mark(event: Event) -> str:
    if event.kind == "fetched" and event.data.get("failure"):
        return "failure"
    if event.kind == "decide":
        return "" if event.data["do"] == "tally" else "decided by hand or cap"
    marks = {
        "command": "command", "search_failed": "failure", "failed": "failure", "gated": "gate",
        "written": "written",
        "verified": "checked", "report": "report", "finished": "end",
    }  # fmt: skip
    return marks.get(event.kind, "")


def _describe_event(event: Event, titles: Mapping[str, str]) -> str:
    url = event.data.get("url", "")
    return event_text.describe_event(
        event.kind,
        event.data,
        event_text.format_source_name(url, titles.get(url, ""), name_site(url)),
    )


# -- moving along ----------------------------------------------------------------------------------------------------------


def find_neighbour(steps: Sequence[PlaybackStep], seq: int, by: int) -> int:
    """The number of the event so many steps from this point on, or back; at either end, of the one
    there.
    """
    if not steps:
        return seq
    now = bisect_right(steps, seq, key=lambda step: step.seq) - 1
    return steps[min(max(now + by, 0), len(steps) - 1)].seq


def list_steps_around(
    steps: Sequence[PlaybackStep], seq: int, *, before: int = 6, after: int = 3
) -> Iterator[tuple[PlaybackStep, bool]]:
    """The steps about a point, each with whether it is the latest one by then."""
    now = bisect_right(steps, seq, key=lambda step: step.seq) - 1
    for n in range(max(0, now - before), min(len(steps), now + after + 1)):
        yield steps[n], n == now
