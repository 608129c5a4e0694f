"""Put the events of a session in words: the latest news, or every event as a step to go to.

`snapshot.rewind_to` shows the session as it was at a step. `replay` is another matter: it derives
the report again from the recorded calls.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from research_core.i18n import N_
from research_core.journal.events import Event, drop_voided
from research_core.journal.store import WAITING_OUTCOME
from research_core.sessions.event_text import (
    FailedEngines,
    describe_event,
    describe_news,
    drop_known_queries,
    format_source_name,
    get_kind,
)
from research_core.sessions.snapshot import Snapshot, find_accepted_commands, name_source
from research_core.trust.provenance import name_site

ENDS = ("finished", "failed")


# -- news -----------------------------------------------------------------------


@dataclass(frozen=True)
class News:
    """One thing that happened.

    at: seconds since the epoch; after: seconds since the run began; topic: search | read |
    judge | decide | write.
    """

    at: float
    after: float
    topic: str
    text: str


def list_news(
    snapshot: Snapshot, topics: tuple[str, ...] = (), *, limit: int = 200
) -> tuple[News, ...]:
    """Return the latest news in plain words, newest first. topics: only these, if any."""
    return tuple(islice(_iterate_news(snapshot, topics), limit))


def _iterate_news(snapshot: Snapshot, topics: tuple[str, ...]) -> Iterator[News]:
    run = snapshot.run
    accepted = find_accepted_commands(snapshot)
    known: set[str] = set()
    failed_engines = FailedEngines()
    events = []
    for event in drop_voided(snapshot.events):
        if failed_engines.is_repeated(event.kind, event.data):
            continue
        if event.kind == "planned":
            event = replace(event, data=drop_known_queries(event.data, known))
        events.append(event)
    for event in reversed(events):
        topic = get_kind(event.kind).topic
        if not topic or (topics and topic not in topics):
            continue
        if event.seq in accepted:
            # The decision on the command is news of its own.
            continue
        name = name_source(event.data.get("url", ""), run)
        for text in describe_news(event.kind, event.data, name):
            yield News(event.at, max(0.0, event.at - run.created), topic, text)


# -- steps ----------------------------------------------------------------------


@dataclass(frozen=True)
class TimelineStep:
    """One event in words.

    after: seconds since the first event; mark: why it is worth going to, marked by N_, "" for most.
    """

    seq: int
    after: float
    text: str
    mark: str = ""


def list_steps(snapshot: Snapshot) -> tuple[TimelineStep, ...]:
    """Return every event of the log in words, in order."""
    began = snapshot.events[0].at if snapshot.events else 0.0
    # Voided events are steps too, so that titles come from the events, not from the view.
    titles: dict[str, str] = {}
    last_search = 0
    for event in snapshot.events:
        if event.kind in ("found", "fetched") and event.data.get("title"):
            titles[event.data["url"]] = event.data["title"]
        elif event.kind in ("searched", "search_failed"):
            last_search = event.seq
    steps = []
    has_ended = False
    for event in snapshot.events:
        if has_ended:
            mark = N_("resumed")
        elif event.seq == last_search:
            mark = N_("searches done")
        else:
            mark = _find_mark(event)
        text = _describe_step(event, titles)
        steps.append(TimelineStep(event.seq, event.at - began, text, mark))
        has_ended = event.kind in ENDS and event.data.get("outcome") != WAITING_OUTCOME
    return tuple(steps)


def list_marked_steps(steps: Sequence[TimelineStep]) -> tuple[TimelineStep, ...]:
    """Return the steps worth going to."""
    return tuple(step for step in steps if step.mark)


def _find_mark(event: Event) -> str:
    if event.kind == "fetched" and event.data.get("failure"):
        return N_("failure")
    if event.kind == "decide" and event.data["do"] == "tally":
        return ""
    return get_kind(event.kind).mark


def _describe_step(event: Event, titles: Mapping[str, str]) -> str:
    url = event.data.get("url", "")
    name = format_source_name(url, titles.get(url, ""), name_site(url))
    return describe_event(event.kind, event.data, name)


# -- moving along ---------------------------------------------------------------


def find_neighbour(steps: Sequence[TimelineStep], seq: int, by: int) -> int:
    """Return the number of the event `by` steps away, clamped to the first and last."""
    if not steps:
        return seq
    now = bisect_right(steps, seq, key=lambda step: step.seq) - 1
    return steps[min(max(now + by, 0), len(steps) - 1)].seq


def list_steps_around(
    steps: Sequence[TimelineStep], seq: int, *, before: int = 6, after: int = 3
) -> Iterator[tuple[TimelineStep, bool]]:
    """Yield the steps around a point, each with whether it is the current one."""
    now = bisect_right(steps, seq, key=lambda step: step.seq) - 1
    for n in range(max(0, now - before), min(len(steps), now + after + 1)):
        yield steps[n], n == now
