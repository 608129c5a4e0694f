"""Define the events of the log: their kinds, drafts, stored form and call keys.

Pure values. A new kind is added here and nowhere else.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

#: Every kind of event and its meaning, in the order in which a run usually emits them.
KINDS: dict[str, str] = {
    "queued": "other attempts begin before this one: how many there were",
    "created": "a session exists: question, settings, versions",
    "command": (
        "the analyst asked for something: stop, approve, strike, restore, instruct, approve plan"
    ),
    "decide": (
        "a choice that is no function of the recorded calls: a command consumed, a cap that struck"
    ),
    "call": "what crossed the boundary, success or failure, under its call key",
    "voided": "a recorded failure that may be tried again",
    "unusable": "a recorded answer of a model that could not be used, which a fork asks for again",
    "given": "the report that is checked: its text, and the claims and sources read in it",
    "planned": "question type, strategy, sub-questions, queries",
    "searched": "one engine answered one query, perhaps with nothing",
    "search_failed": "one engine refused, timed out or failed",
    "found": "a query listed this URL, with its score",
    "admitted": "this source is to be assessed",
    "fetch": "a page is being requested",
    "blocked": "a fetch was asked for and refused by the credibility threshold",
    "fetched": "a page was read: its text, title and final address; or why it could not be",
    "passages": "the passages of a page that bear on the question",
    "step": (
        "a client that leads this session took a step: what it looks for, why, how sure it is, what"
        " is missing"
    ),
    "called": "a client called a tool in this session: which, who answered, what failed",
    "fact": "a finding that a caller or the agent established",
    "judged": "relevance 1-5 of a source, and why",
    "source_checked": "what became of a cited source of a checked report",
    "claim_checked": "what the sources say of a claim of a checked report",
    "gated": "which sources are kept, and what kind of report follows",
    "delta": "a piece of the text being written",
    "waiting": "a model limits requests or is overloaded; the run waits",
    "replaced": "another model answered in place of the chosen one: which, and why",
    "written": "the writer's text, unknown citations removed and counted",
    "verified": "what the check says of each sentence",
    "report": "the stored report: hash and decision",
    "failed": "this attempt ended in an error",
    "finished": "this attempt ended: done, cancelled, or waiting for approval of the plan",
}

#: What an analyst can decide on a source by hand, before or during a run.
MANUAL_DECISIONS = ("approve", "strike", "restore")
#: The decision to wait for approval of a plan, and the analyst's answer. These are also the keys of
#: the events, so that each is recorded once.
PROPOSE_PLAN, APPROVE_PLAN = "propose plan", "approve plan"
#: The decision that ends an audit early, and its key.
STOP_AUDIT = "stop audit"
#: What the analyst answers when the model asks to call a tool that writes.
PERMISSION_ANSWERS = ("allow", "refuse")
#: Recorded calls, and those that no longer count or could not be used; a fork inherits only these.
CALL_KINDS = frozenset({"call", "voided", "unusable"})
#: The kinds a fold and a screen need. Calls are large; of them only voids change the fold.
VISIBLE_KINDS = tuple(kind for kind in KINDS if kind not in CALL_KINDS or kind == "voided")
#: Kinds that stay in force after a void. Everything else a run writes is derived from them, and
#: derived anew once a call was voided.
PERMANENT_KINDS = CALL_KINDS | {
    "queued", "created", "command", "step", "called", "failed", "finished"
}  # fmt: skip
#: Fields with the text of a whole page: stored once as a blob; the event carries a reference.
BODY_FIELDS = {"fetched": ("page",), "given": ("text", "read")}
#: The longest key stored unhashed; an index of PostgreSQL holds at most 2,700 bytes.
MAX_KEY_LENGTH = 400


@dataclass(frozen=True)
class Draft:
    """An event to be written.

    With a key, only the first one written under (kind, key) is stored, however often the pipeline
    runs.
    """

    kind: str
    data: Mapping[str, Any]
    key: str | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"unknown event kind {self.kind!r}")

    @property
    def full_key(self) -> str | None:
        """The stored key; a hash replaces one that is too long or that no index can hold.

        No index holds a NUL or half a surrogate pair.
        """
        if self.key is None:
            return None
        if len(self.key) <= MAX_KEY_LENGTH and self.key.isprintable():
            return f"{self.kind}:{self.key}"
        return f"{self.kind}:{sha256(self.key.encode('utf-8', 'surrogatepass'))}"


@dataclass(frozen=True)
class Event:
    """A stored event.

    seq: 1.. in commit order within its session. at: seconds since the epoch, UTC. data: plain JSON
    values.
    """

    seq: int
    at: float
    kind: str
    data: Any
    key: str | None = None


def survives_void(item: Draft | Event) -> bool:
    """Return True if an event stays in force after a void.

    What the outside or the analyst said and what was chosen stays; what a run derived from it does
    not.
    """
    if item.kind == "decide":
        return item.data.get("do") != "tally"  # a tally is counted, not chosen
    return item.kind in PERMANENT_KINDS


def drop_voided(events: Iterable[Event]) -> list[Event]:
    """Return the events in force, in commit order.

    Once a call was voided, everything derived before that no longer counts.
    """
    ordered = sorted(events, key=lambda event: event.seq)
    voided = max((event.seq for event in ordered if event.kind == "voided"), default=-1)
    return [event for event in ordered if event.seq > voided or survives_void(event)]


def canonical_json(value: Any) -> str:
    """Return the one spelling of a JSON value: sorted keys, no spaces, no escapes.

    Raises TypeError or ValueError for what JSON cannot hold.
    """
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def json_in_order(value: Any) -> str:
    """Return JSON like `canonical_json`, but with the keys in their original order.

    A provider may need its own object back byte for byte.
    """
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def call_key(kind: str, version: int, params: Mapping[str, Any]) -> str:
    """Return the journal and cache key of a call, as a SHA-256 hex digest.

    It covers the kind, the version of the recorded shape and every parameter that affects the
    result.
    """
    return hashlib.sha256(
        canonical_json([kind, version, params]).encode("utf-8", "surrogatepass")
    ).hexdigest()


def sha256(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()
