"""Sessions that a client leads, step by step: begun, gone on with, added to, and closed to tools
after a while.

Such a session is a row and a log like a run's; what its tools find is folded and shown as a run's
is. After SESSION_TTL without use, and when its owner begins one too many, tools find it no more;
its log stays, and screens read it. What a step says is `steps`' matter.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from research_core.context import ResearchContext
from research_core.errors import UsageError
from research_core.journal.database import Database
from research_core.journal.events import Draft, Event
from research_core.journal.log import EventLog, WallClock
from research_core.journal.rule_versions import RULE_VERSIONS
from research_core.journal.store import Store, create_session, find_session, visible_to
from research_core.journal.tables import session
from research_core.models import Principal
from research_core.policy import RunSettings

#: Sessions of one owner that tools may go on with at once; a further one closes the one that was
#: left alone longest.
MAX_LIVE_SESSIONS = 50
#: Kinds of events that say what was found; of those that name a query by its place, the place is
#: another in the session.
FINDING_KINDS = frozenset(
    {"planned", "searched", "search_failed", "found", "fetch", "fetched", "blocked"}
)
QUERY_KINDS = frozenset({"searched", "search_failed", "found", "blocked"})
#: Kinds that say which queries were made: all that is read of a session to add to it, however long
#: it is.
QUERY_PLACE_KINDS = ("planned", "voided")


class Gone(UsageError):
    """There is no such session of this owner, or it was left alone for too long. last: its last
    step, 0 where there is none to know of.
    """

    def __init__(self, ttl_s: float, last: int = 0) -> None:
        self.last = last
        super().__init__(
            f"Session not found or expired. Sessions last {format_duration(ttl_s)} from last activity.",
            next_step=(
                "Begin a new one with sequential_search at step 1; the old one stays on the"
                " Sessions screen of whoever led it."
            ),
        )


def format_duration(seconds: float) -> str:
    """ "4 hours", "90 minutes", "45 seconds"."""
    size, word = next(
        ((size, word) for size, word in ((3_600, "hour"), (60, "minute")) if seconds % size == 0),
        (1, "second"),
    )
    number = seconds / size
    return f"{number:g} {word}{'s' * (number != 1)}"


@dataclass(frozen=True)
class ClientSession:
    """A session that tools may go on with. goal: what it is about; log: to be added to."""

    id: str
    goal: str
    log: EventLog


def begin_session(
    db: Database, who: Principal, clock: WallClock, goal: str, run: RunSettings, ttl_s: float
) -> ClientSession:
    """A new session. goal: a question as `policy.checked_question` has it; run: under which a
    report of it would be written.
    """
    id, now = str(uuid.uuid4()), clock.now()
    create_session(db, who, id, goal, run.to_json(), now, until=now + ttl_s)
    _close_oldest_sessions(db, who, now)
    log = EventLog(Store(db, who, id), clock)
    log.append(
        Draft(
            "created",
            {"question": goal, "settings": run.to_json(), "session": id, "rules": RULE_VERSIONS},
            "created",
        )
    )
    return ClientSession(id, goal, log)


def join_session(
    db: Database, who: Principal, clock: WallClock, id: str, ttl_s: float
) -> ClientSession:
    """A session to go on with, which lasts so many seconds more from now. Raises Gone."""
    log, now = EventLog(Store(db, who, id), clock), clock.now()
    used = sa.update(session).where(visible_to(who), session.c.id == id, session.c.until > now)
    with db.writing() as conn:
        found = conn.execute(used.values(until=now + ttl_s).returning(session.c.id)).scalar()
    if found is None:
        steps = log.read(
            kinds=("step",)
        )  # its owner may still read them; of another's session there are none here
        raise Gone(ttl_s, steps[-1].data["number"] if steps else 0)
    return ClientSession(id, find_session(db, who, id).question, log)


def count_live_sessions(db: Database, who: Principal, now: float) -> int:
    """How many sessions of this owner tools may go on with."""
    with db.reading() as conn:
        return int(
            conn.execute(
                sa.select(sa.func.count()).where(visible_to(who), session.c.until > now)
            ).scalar_one()
        )


def close_session(db: Database, who: Principal, id: str, now: float) -> None:
    """Let tools find it no more."""
    with db.writing() as conn:
        conn.execute(
            sa.update(session)
            .where(visible_to(who), session.c.id == id, session.c.until > now)
            .values(until=now)
        )


def close_all_sessions(db: Database, who: Principal, now: float) -> int:
    """Let tools find none of this owner's any more; how many there were."""
    live = (
        sa.update(session)
        .where(visible_to(who), session.c.until > now)
        .values(until=now)
        .returning(session.c.id)
    )
    with db.writing() as conn:
        return len(conn.execute(live).all())


def _close_oldest_sessions(db: Database, who: Principal, now: float) -> None:
    """All but the `MAX_LIVE_SESSIONS` that were used last."""
    there = (
        sa.select(session.c.id)
        .where(visible_to(who), session.c.until > now)
        .order_by(session.c.until.desc(), session.c.created.desc())
    )
    with db.writing() as conn:
        spare = conn.execute(there.offset(MAX_LIVE_SESSIONS)).scalars().all()
        if spare:
            conn.execute(sa.update(session).where(session.c.id.in_(spare)).values(until=now))


# -- what a call found -----------------------------------------------------------------------------------------------------


def adopt_findings(led: ClientSession, journal: EventLog, called: Mapping[str, Any]) -> None:
    """Add to a session what a call found in a log of its own, its calls included, and that it was
    called: {"tool", "seconds", …}.

    What the session holds already stands. step: in `called`, the step that made the call, where one
    did: it goes with the queries.
    """
    context = ResearchContext(led.goal, log=led.log, past=led.log.read(kinds=QUERY_PLACE_KINDS))
    places = _place_queries(context, journal.emitted, called.get("step"))
    moved = [
        _move_event(event, journal, places)
        for event in journal.emitted
        if event.kind in FINDING_KINDS - {"planned"}
    ]
    led.log.append(*moved, Draft("called", dict(called)))
    led.log.take_over(journal)


def _place_queries(
    context: ResearchContext, events: Iterable[Event], step: int | None
) -> dict[int, int]:
    """The place in the session of each query, by its place in the call."""
    return {
        query["order"]: _place_query(context, query["text"], step)
        for query in _iter_queries(events)
    }


def _place_query(context: ResearchContext, query: str, step: int | None) -> int:
    context.add_query(query, step=step)
    return context.order_of(query)


def _iter_queries(events: Iterable[Event]) -> Iterator[Mapping[str, Any]]:
    for event in events:
        if event.kind == "planned":
            yield from event.data["queries"]


def _move_event(event: Event, journal: EventLog, places: Mapping[int, int]) -> Draft:
    """The event as the session has it: under the place of its query, with the text of its page."""
    data, key = journal.open(event.data), str(event.key).partition(":")[2]
    if event.kind not in QUERY_KINDS or data["order"] not in places:
        return Draft(event.kind, data, key)
    order = places[data["order"]]
    about = (
        data["url"] if event.kind == "found" else key.removeprefix(f"{data['order']}:")
    )  # an address may be too long for a key
    return Draft(event.kind, {**data, "order": order}, f"{order}:{about}")
