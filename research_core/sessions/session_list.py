"""List sessions a page at a time, and say how two sessions are related.

The database counts, filters, sorts and cuts out the page. Texts are searched here, because they may
be sealed and no database folds case as Python does; a search reads only the texts that it needs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

import sqlalchemy as sa

from research_core.journal import store
from research_core.journal.store import SessionHead, SessionRow
from research_core.journal.tables import session as session_table
from research_core.models import SESSION_STATES, Principal
from research_core.sessions import heartbeats, session_status
from research_core.sessions.session_status import SessionEntry, SessionInfo
from research_core.text.words import contains_words
from research_core.wiring import LOCAL_USER, Resources

Row = SessionRow | SessionHead
Listed = SessionInfo | SessionEntry

AT_WORK = ("running", "queued")
UNDER_WAY = (*AT_WORK, "waiting")
ORDERS = ("newest", "oldest", "title", "outcome")


def get_state(info: Listed) -> str:
    """Return what a session came to if that is known, else its status: a key of SESSION_STATES."""
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


@dataclass(frozen=True)
class SessionList:
    """The kept sessions of a user, or the deleted ones, at one moment.

    status: of each session, as a column of a statement.
    """

    resources: Resources
    who: Principal
    deleted: bool
    status: sa.ColumnElement[str]

    @property
    def state(self) -> sa.ColumnElement[str]:
        """The state of each session, as a column of a statement."""
        decision = session_table.c.decision
        return sa.case((decision != "", decision), else_=self.status)

    @property
    def condition(self) -> sa.ColumnElement[bool]:
        return store.in_list(self.who, deleted=self.deleted)

    def count_states(self) -> dict[str, int]:
        """Return how many sessions are in each state that any is in."""
        states = sa.select(self.state.label("state")).where(self.condition).subquery()
        query = sa.select(states.c.state, sa.func.count()).group_by(states.c.state)
        with self.resources.db.reading() as conn:
            return {str(state): int(count) for state, count in conn.execute(query)}

    def list_tags(self) -> list[str]:
        """Return every tag in use, alphabetically."""
        tagged = sa.and_(self.condition, session_table.c.tags.is_not(None))
        rows = store.list_session_texts(self.resources.db, self.who, ("tags",), tagged)
        tags = {tag for row in rows for tag in row["tags"]}
        return sorted(tags, key=lambda tag: (tag.casefold(), tag))

    def list_unfinished(self) -> dict[str, str]:
        """Return the status of each session that has not ended, by id."""
        ended = self.status.in_(session_status.TERMINAL_STATUSES)
        query = sa.select(session_table.c.id, self.status).where(self.condition, ~ended)
        with self.resources.db.reading() as conn:
            return {str(id): str(status) for id, status in conn.execute(query)}

    def find(self, wanted: SessionFilter) -> SessionMatches:
        """Return the matching sessions; those at work or waiting for approval always come first."""
        condition = self.condition
        if wanted.states:
            condition = sa.and_(condition, self.state.in_(wanted.states))
        if wanted.words or wanted.tags or wanted.order == "title":
            return SessionMatches(self, condition, wanted, self._search(condition, wanted))
        return SessionMatches(self, condition, wanted)

    def _search(self, condition: sa.ColumnElement[bool], wanted: SessionFilter) -> list[str]:
        """Return the ids of the matches of a filter that depends on texts."""
        needs_names = wanted.words or wanted.order == "title"
        names = ("question", "title", "tags") if needs_names else ("tags",)
        found = []
        under_way = self.status.in_(UNDER_WAY)
        for part in (under_way, ~under_way):
            rows = store.list_session_texts(
                self.resources.db,
                self.who,
                names,
                sa.and_(condition, part),
                self.sort_columns(wanted.order),
            )
            matches = [row for row in rows if _matches_texts(row, wanted)]
            if wanted.order == "title":
                matches.sort(key=lambda row: str(row["title"] or row["question"]).casefold())
            found += [row["id"] for row in matches]
        return found

    def sort_columns(self, order: str) -> list[sa.ColumnElement[Any]]:
        """Return what a statement sorts by. order: one of ORDERS, but titles are sorted later."""
        row = session_table.c
        first: list[sa.ColumnElement[Any]] = [sa.case((self.status.in_(UNDER_WAY), 0), else_=1)]
        if order == "oldest":
            return [*first, row.created, row.id]
        if order == "outcome":
            places = {state: place for place, state in enumerate(SESSION_STATES)}
            first.append(sa.case(places, value=self.state, else_=len(SESSION_STATES)))
        return [*first, row.created.desc(), row.id]


def open_list(
    resources: Resources, *, who: Principal = LOCAL_USER, deleted: bool = False
) -> SessionList:
    """Return the kept sessions of a user, or the deleted ones that can be restored, as of now."""
    beats = heartbeats.list_executors(resources.db)
    now = heartbeats.read_clock(resources)
    return SessionList(resources, who, deleted, session_status.build_status_column(beats, now))


def _matches_texts(row: Mapping[str, Any], wanted: SessionFilter) -> bool:
    if wanted.tags and not set(wanted.tags) & set(row["tags"]):
        return False
    if not wanted.words:
        return True
    return contains_words("\n".join((row["question"], row["title"], *row["tags"])), wanted.words)


class SessionMatches(Sequence[str]):
    """The ids of the sessions that match a filter, in its order; a slice reads only its part.

    ids: all of them, where the filter depends on texts.
    """

    def __init__(
        self,
        listed: SessionList,
        condition: sa.ColumnElement[bool],
        wanted: SessionFilter,
        ids: list[str] | None = None,
    ) -> None:
        self._listed, self._condition, self._wanted, self._ids = listed, condition, wanted, ids
        self._count = len(ids) if ids is not None else self._read_count()

    def _read_count(self) -> int:
        query = sa.select(sa.func.count()).select_from(session_table).where(self._condition)
        with self._listed.resources.db.reading() as conn:
            return int(conn.execute(query).scalar_one())

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, int):
            number = range(self._count)[place]
            return self[number : number + 1][0]
        if self._ids is not None:
            return self._ids[place]
        start, stop, step = place.indices(self._count)
        if step < 1:
            return self[:][place]
        query = sa.select(session_table.c.id).where(self._condition)
        query = query.order_by(*self._listed.sort_columns(self._wanted.order))
        query = query.offset(start).limit(max(0, stop - start))
        with self._listed.resources.db.reading() as conn:
            return list(conn.execute(query).scalars())[::step]


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
    same = _fold_question(row.question) == _fold_question(other.question)
    if other.parent == row.id:
        return "rewrite of it" if same else "follow-up of it"
    if row.parent == other.id:
        return "it is a rewrite of this" if same else "it follows this up"
    if row.parent and row.parent == other.parent:
        return "of the same origin"
    return "same question" if same else ""


def _fold_question(question: str) -> str:
    """Return a question in lower case with single spaces, as questions are compared."""
    return " ".join(question.casefold().split())


def list_other_sessions(
    infos: Iterable[SessionInfo], row: SessionRow
) -> list[tuple[SessionInfo, str]]:
    """Return the other sessions with their relation, the closest first, then the newest."""
    related = [(info, find_relation(row, info.row)) for info in infos if info.row.id != row.id]
    return sorted(related, key=lambda pair: (RELATIONS.index(pair[1]), -pair[0].row.created))


def find_previous_sessions(
    resources: Resources, ids: Collection[str], *, who: Principal = LOCAL_USER
) -> dict[str, str]:
    """Return {session: the latest older one on the same question}, in any state.

    ids: the sessions to look up. Deleted sessions are left out. Two questions are the same if they
    differ only in case or spaces, so all of them are read.
    """
    previous: dict[str, str] = {}
    latest: dict[str, str] = {}
    oldest_first = (session_table.c.created, session_table.c.id)
    for row in store.list_session_texts(
        resources.db, who, ("question",), store.visible_to(who), oldest_first
    ):
        question = _fold_question(row["question"])
        if row["id"] in ids and question in latest:
            previous[row["id"]] = latest[question]
        latest[question] = row["id"]
    return previous
