"""Filter and sort the list of sessions, and say how two sessions are related.

Pure functions of rows of the store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from research_core.journal.store import SessionHead, SessionRow
from research_core.sessions.session_status import SessionEntry, SessionInfo
from research_core.text.words import contains_words

Row = SessionRow | SessionHead
Listed = SessionInfo | SessionEntry
AnyListed = TypeVar("AnyListed", SessionInfo, SessionEntry)

AT_WORK = ("running", "queued")
UNDER_WAY = (*AT_WORK, "waiting")
#: The states of a session, the best first: what it came to if that is known, else its status.
STATES = (
    *UNDER_WAY,
    "open",
    "full_report",
    "short_report",
    "insufficient_data",
    "done",
    "interrupted",
    "closed",
    "cancelled",
    "failed",
)
_ORDERS: dict[str, Callable[[Listed], tuple[object, ...]]] = {
    "newest": lambda info: (-info.row.created,),
    "oldest": lambda info: (info.row.created,),
    "title": lambda info: (get_name(info.row).casefold(), -info.row.created),
    "outcome": lambda info: (STATES.index(get_state(info)), -info.row.created),
}
ORDERS = tuple(_ORDERS)


def get_state(info: Listed) -> str:
    """Return the state of a session, one of STATES."""
    return info.decision or info.status


def get_name(row: Row) -> str:
    """Return the analyst's title of a session, or its question."""
    return row.title or row.question


@dataclass(frozen=True)
class SessionFilter:
    """Which sessions to list, and in which order.

    words: all must occur in question, title or tags; states, tags: any of them. Empty fields match
    all.
    """

    words: str = ""
    states: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    order: str = ORDERS[0]


def filter_sessions(infos: Iterable[AnyListed], wanted: SessionFilter) -> list[AnyListed]:
    """Return the matching sessions; those at work or waiting for approval always come first."""
    found = [info for info in infos if _matches_filter(info, wanted)]
    return sorted(
        found, key=lambda info: (info.status not in UNDER_WAY, *_ORDERS[wanted.order](info))
    )


def _matches_filter(info: Listed, wanted: SessionFilter) -> bool:
    row = info.row
    if (wanted.states and get_state(info) not in wanted.states) or (
        wanted.tags and not set(wanted.tags) & set(row.tags)
    ):
        return False
    return contains_words("\n".join((row.question, row.title, *row.tags)), wanted.words)


def list_tags(infos: Iterable[Listed]) -> list[str]:
    """Return every tag in use, alphabetically."""
    return sorted(
        {tag for info in infos for tag in info.row.tags}, key=lambda tag: (tag.casefold(), tag)
    )


# -- which sessions belong together --------------------------------------------

#: How a session is related to another, nearest first; "" not at all.
RELATIONS = (
    "rewrite of it",
    "it is a rewrite of this",
    "follow-up of it",
    "it follows this up",
    "of the same origin",
    "same question",
    "",
)


def find_relation(row: SessionRow, other: SessionRow) -> str:
    """Return what `other` is to this session, one of RELATIONS."""
    same = _normalize_question(row) == _normalize_question(other)
    if other.parent == row.id:
        return "rewrite of it" if same else "follow-up of it"
    if row.parent == other.id:
        return "it is a rewrite of this" if same else "it follows this up"
    if row.parent and row.parent == other.parent:
        return "of the same origin"
    return "same question" if same else ""


def _normalize_question(row: Row) -> str:
    return " ".join(row.question.casefold().split())


def list_other_sessions(
    infos: Iterable[SessionInfo], row: SessionRow
) -> list[tuple[SessionInfo, str]]:
    """Return the other sessions with their relation, the closest first, then the newest."""
    related = [(info, find_relation(row, info.row)) for info in infos if info.row.id != row.id]
    return sorted(related, key=lambda pair: (RELATIONS.index(pair[1]), -pair[0].row.created))


def map_previous_sessions(entries: Iterable[Listed]) -> dict[str, str]:
    """Return {session: the latest older one on the same question}, in any state."""
    previous: dict[str, str] = {}
    latest: dict[str, str] = {}
    for entry in sorted(entries, key=lambda entry: (entry.row.created, entry.row.id)):
        question = _normalize_question(entry.row)
        if question in latest:
            previous[entry.row.id] = latest[question]
        latest[question] = entry.row.id
    return previous
