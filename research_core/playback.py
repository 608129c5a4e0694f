"""A session as it stood after any event of its log, what each event said in words, and the points worth going to. Pure.

What is shown at a point is the same reading that a screen shows of a whole session, over fewer events. The calls are not among the
events of a reading; what was made of them is. Deriving a report again from its calls is `replay`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from research_core import decide
from research_core.events import Event, in_force
from research_core.reading import Reading, site
from research_core.text import truncate

ENDS = ("finished", "failed")


def until(reading: Reading, seq: int) -> Reading:
    """The session as it stood after its event number `seq`; itself from its last event on."""
    events = reading.events[: place(reading, seq)]
    if len(events) == len(reading.events):
        return reading
    status, decision = _stood(events)
    row = replace(reading.info.row, decision=decision)
    return Reading(replace(reading.info, row=row, status=status), events, decide.fold(in_force(events)))


def place(reading: Reading, seq: int) -> int:
    """How many events the log showed by then."""
    return bisect_right(reading.events, seq, key=lambda event: event.seq)


def _stood(events: Sequence[Event]) -> tuple[str, str]:
    """Status and decision a session had when these events were all there was."""
    last = events[-1] if events else None
    if last is None:
        return "queued", ""
    if last.kind == "failed":
        return "failed", ""
    return (last.data["outcome"], last.data.get("decision", "")) if last.kind == "finished" else ("running", "")


@dataclass(frozen=True)
class Step:
    """One event in words. after: seconds since the first one; mark: what makes it worth going to, "" for most."""

    seq: int
    after: float
    text: str
    mark: str = ""


def steps(reading: Reading) -> tuple[Step, ...]:
    """Every event of the log in words, in order."""
    began = reading.events[0].at if reading.events else 0.0
    titles = {event.data["url"]: event.data["title"] for event in reading.events if event.kind == "found"}
    searched = max((event.seq for event in reading.events if event.kind in ("searched", "search_failed")), default=0)
    told, ended = [], False
    for event in reading.events:
        mark = "resumed" if ended else "searches done" if event.seq == searched else _mark(event)
        told.append(Step(event.seq, event.at - began, _in_words(event, titles), mark))
        ended = event.kind in ENDS
    return tuple(told)


def points(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps worth going to."""
    return tuple(step for step in steps if step.mark)


def _mark(event: Event) -> str:
    if event.kind == "fetched" and event.data.get("failure"):
        return "failure"
    if event.kind == "decide":
        return "" if event.data["do"] == "tally" else "decided by hand or cap"
    marks = {
        "command": "command", "search_failed": "failure", "failed": "failure", "gated": "gate", "written": "written",
        "verified": "checked", "report": "report", "finished": "end",
    }  # fmt: skip
    return marks.get(event.kind, "")


# -- in words --------------------------------------------------------------------------------------------------------------


def _in_words(event: Event, titles: Mapping[str, str]) -> str:
    data = event.data
    url = data.get("url", "") if isinstance(data, Mapping) else ""
    name = truncate(titles.get(url) or data.get("title") or url, 120) if url else ""
    tell = _WORDS.get(event.kind)
    return tell(data, name) if tell else event.kind


def _decided(data: Mapping[str, Any], name: str) -> str:
    if data["do"] == "tally":
        return f"What the run used was counted: {data['model_calls']} model calls, {data['other_calls']} searches and pages"
    if data["do"] == "stop":
        return f"Gathering was stopped: {data['why']}"
    return f"The run took up a command: {data['do']} {name or data.get('text', '')}".rstrip()


def _planned(data: Mapping[str, Any], _name: str) -> str:
    queries = "; ".join(f"“{query['text']}”" for query in data["queries"])
    return f"Planned ({data['part']}): {queries or 'no query'}"


def _fetched(data: Mapping[str, Any], name: str) -> str:
    if data.get("failure"):
        return f"Could not be read: {name}. {data['failure']}"
    return f"Read: {name} ({data.get('characters', 0):,} characters)"


def _found(data: Mapping[str, Any], name: str) -> str:
    parts = data["parts"]
    score = f"credibility {parts['score']:.2f}" if parts else "own document, not scored"
    return f"Found by {data['engine']}: {name} ({site(data['url'])}, {score})"


def _judged(data: Mapping[str, Any], name: str) -> str:
    score = f"{data['score']} of 5" if data["scored"] else "could not be scored"
    return f"Judged {score}: {name}. {data['explanation']}"


def _verified(data: Mapping[str, Any], _name: str) -> str:
    states = [sentence["state"] for block in data["blocks"] for sentence in block["sentences"] if sentence["citations"]]
    counts = ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states))
    return f"Checked {len(states)} cited sentences{': ' if counts else ''}{counts}"


_WORDS: dict[str, Callable[[Any, str], str]] = {
    "created": lambda data, _: f"Asked: {data['question']}",
    "command": lambda data, name: f"The analyst asked for: {data['do']} {name or data.get('text', '')}".rstrip(),
    "decide": _decided,
    "voided": lambda _data, _: "A call that had failed may be made again; what was made of it is derived anew",
    "planned": _planned,
    "searched": lambda data, _: f"{data['engine']} answered “{data['query']}” with {data['results']} results",
    "search_failed": lambda data, _: (
        f"{data['engine']} did not answer “{data['query']}”: {data['state'].replace('_', ' ')}. {data['reason']}"
    ),
    "found": _found,
    "admitted": lambda _data, name: f"To be read: {name}",
    "fetch": lambda _data, name: f"Page asked for: {name}",
    "blocked": lambda data, name: f"Blocked at {data['score']:.2f}: {name}",
    "fetched": _fetched,
    "passages": lambda data, name: f"{len(data['passages'])} passages bear on the question: {name}",
    "fact": lambda data, _: f"Noted: {data['text']}",
    "judged": _judged,
    "gated": lambda data, _: f"Gate: {data['decision'].replace('_', ' ')}. {data['rationale']}",
    "delta": lambda data, _: f"The writer wrote {len(data.get('text', ''))} characters",
    "written": lambda data, _: f"The text was written; {data['removed']} unknown citations removed",
    "verified": _verified,
    "report": lambda data, _: f"The report was put together: {data['decision'].replace('_', ' ')}",
    "failed": lambda data, _: f"The attempt failed: {data['error']}",
    "finished": lambda data, _: f"The attempt ended: {data['outcome']}",
}


# -- moving along ----------------------------------------------------------------------------------------------------------


def neighbour(steps: Sequence[Step], seq: int, by: int) -> int:
    """The number of the event so many steps from this point on, or back; at either end, of the one there."""
    if not steps:
        return seq
    now = bisect_right(steps, seq, key=lambda step: step.seq) - 1
    return steps[min(max(now + by, 0), len(steps) - 1)].seq


def around(steps: Sequence[Step], seq: int, *, before: int = 6, after: int = 3) -> Iterator[tuple[Step, bool]]:
    """The steps about a point, each with whether it is the latest one by then."""
    now = bisect_right(steps, seq, key=lambda step: step.seq) - 1
    for n in range(max(0, now - before), min(len(steps), now + after + 1)):
        yield steps[n], n == now
