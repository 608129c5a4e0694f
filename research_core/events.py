"""The one vocabulary of the log: what an event is, which kinds there are, and the key under which a call is recorded.

Pure values; the log and the store know how events are kept. A kind is added here and nowhere else.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: Every kind of event, with what it says. The order is the order in which a run usually meets them.
KINDS: dict[str, str] = {
    "created": "a session exists: question, settings, versions",
    "command": "the analyst asked for something: cancel, stop, strike, approve, restore",
    "decide": "a choice that is no function of the recorded calls: a command consumed, a cap that struck",
    "call": "what crossed the boundary, success or failure, under its call key",
    "voided": "a recorded failure that may be tried again",
    "planned": "question type, strategy, sub-questions, queries",
    "searched": "one engine answered one query, perhaps with nothing",
    "search_failed": "one engine refused, timed out or failed",
    "found": "a query listed this URL, with its score",
    "admitted": "this source is to be assessed",
    "fetch": "a page is being requested",
    "blocked": "a fetch was asked for and refused by the credibility threshold",
    "fetched": "a page was read: its text, title and final address; or why it could not be",
    "passages": "the passages of a page that bear on the question",
    "fact": "a finding that a caller or the agent established",
    "judged": "relevance 1-5 of a source, and why",
    "gated": "which sources are kept, and what kind of report follows",
    "delta": "a piece of the text being written",
    "written": "the writer's text, unknown citations removed and counted",
    "verified": "what the check says of each sentence",
    "report": "the stored report: hash and decision",
    "failed": "this attempt ended in an error",
    "finished": "this attempt ended: done or cancelled",
}

#: Kinds whose payload comes from outside; a fork inherits these and nothing else.
CALL_KINDS = frozenset({"call"})


@dataclass(frozen=True)
class Draft:
    """An event to be. With a key the first one written under (kind, key) stands, however often the pipeline runs."""

    kind: str
    data: Mapping[str, Any]
    key: str | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"unknown event kind {self.kind!r}")

    @property
    def full_key(self) -> str | None:
        return None if self.key is None else f"{self.kind}:{self.key}"


@dataclass(frozen=True)
class Event:
    """A stored event. seq: 1.. in commit order within its session; at: seconds since the epoch, UTC; data: plain JSON values."""

    seq: int
    at: float
    kind: str
    data: Any
    key: str | None = None


def canon(value: Any) -> str:
    """The one spelling of a JSON value: sorted keys, no spaces, no escapes. Raises TypeError for what JSON cannot hold."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def call_key(kind: str, version: int, params: Mapping[str, Any]) -> str:
    """The journal and cache key: SHA-256 over the kind, the version of its recorded shape and every result-affecting parameter."""
    return hashlib.sha256(canon([kind, version, params]).encode("utf-8", "surrogatepass")).hexdigest()


def sha256(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()
