"""Store sessions of clients: begin, join, extend, and close them after a time without use.

Such a session is a row and a log like those of a run, and its findings are shown like a run's.
After SESSION_TTL without use, or if its owner begins too many, tools no longer find it; its log
stays, and screens read it.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from research_core.context import ResearchContext
from research_core.errors import UsageError
from research_core.journal.database import Database
from research_core.journal.events import Draft, Event
from research_core.journal.log import EventLog, WallClock
from research_core.journal.rule_versions import RELEASE, RULE_VERSIONS
from research_core.journal.store import Store, create_session, find_session, visible_to
from research_core.journal.tables import session
from research_core.models import Principal
from research_core.policy import RunSettings
from research_core.text.languages import name_language

#: Live sessions of one owner; a further one closes the least recently used.
MAX_LIVE_SESSIONS = 50
#: Kinds of events that record findings, and those that refer to a query by its order, which is
#: different in the session.
FINDING_KINDS = frozenset(
    {"planned", "searched", "search_failed", "found", "fetch", "fetched", "blocked"}
)
QUERY_KINDS = frozenset({"searched", "search_failed", "found", "blocked"})
#: Kinds that record queries. Only these are read to extend a session, however long it is.
QUERY_PLACE_KINDS = ("planned", "voided")


class SessionGone(UsageError):
    """The session does not exist for this owner, or was unused for too long.

    last: the number of its last step, 0 if unknown.
    """

    def __init__(self, ttl_s: float, last: int = 0) -> None:
        self.last = last
        duration = format_duration(ttl_s)
        super().__init__(
            f"Session not found or expired. Sessions last {duration} from last activity.",
            next_step=(
                "Begin a new one with sequential_search at step 1; the old one stays on the"
                " Sessions screen of whoever led it."
            ),
        )


def format_duration(seconds: float) -> str:
    """Format a duration in its largest whole unit: "4 hours", "90 minutes", "45 seconds"."""
    size, word = 1, "second"
    if seconds % 3_600 == 0:
        size, word = 3_600, "hour"
    elif seconds % 60 == 0:
        size, word = 60, "minute"
    number = seconds / size
    plural = "" if number == 1 else "s"
    return f"{number:g} {word}{plural}"


@dataclass(frozen=True)
class ClientSession:
    """A session that tools can continue. goal: the research question; log: its event log."""

    id: str
    goal: str
    log: EventLog


def begin_session(
    db: Database, who: Principal, clock: WallClock, goal: str, run: RunSettings, ttl_s: float
) -> ClientSession:
    """Begin a session.

    goal: a question as `clean_question` returns it; run: the settings for a report of it.
    """
    id = str(uuid.uuid4())
    now = clock.now()
    create_session(db, who, id, goal, run.to_json(), now, until=now + ttl_s)
    _close_oldest_sessions(db, who, now)
    log = EventLog(Store(db, who, id), clock)
    created = {
        "question": goal,
        "settings": run.to_json(),
        "session": id,
        "version": RELEASE,
        "rules": RULE_VERSIONS,
        **name_language(goal, run.follows),
    }
    log.append(Draft("created", created, "created"))
    return ClientSession(id, goal, log)


def join_session(
    db: Database, who: Principal, clock: WallClock, id: str, ttl_s: float
) -> ClientSession:
    """Open a live session and extend it to `ttl_s` seconds from now. Raises SessionGone."""
    log = EventLog(Store(db, who, id), clock)
    now = clock.now()
    used = sa.update(session).where(visible_to(who), session.c.id == id, session.c.until > now)
    with db.writing() as conn:
        found = conn.execute(used.values(until=now + ttl_s).returning(session.c.id)).scalar()
    if found is None:
        # The owner may still read the steps of a closed session; others see none here.
        steps = log.read(kinds=("step",))
        raise SessionGone(ttl_s, steps[-1].data["number"] if steps else 0)
    return ClientSession(id, find_session(db, who, id).question, log)


def count_live_sessions(db: Database, who: Principal, now: float) -> int:
    """Count the sessions of this owner that tools can continue."""
    live = sa.select(sa.func.count()).where(visible_to(who), session.c.until > now)
    with db.reading() as conn:
        return int(conn.execute(live).scalar_one())


def close_session(db: Database, who: Principal, id: str, now: float) -> None:
    """Close a session to tools; its log stays."""
    live = sa.update(session).where(visible_to(who), session.c.id == id, session.c.until > now)
    with db.writing() as conn:
        conn.execute(live.values(until=now))


def close_all_sessions(db: Database, who: Principal, now: float) -> int:
    """Close all live sessions of this owner to tools. Return how many there were."""
    live = sa.update(session).where(visible_to(who), session.c.until > now)
    with db.writing() as conn:
        return len(conn.execute(live.values(until=now).returning(session.c.id)).all())


def _close_oldest_sessions(db: Database, who: Principal, now: float) -> None:
    """Close all but the `MAX_LIVE_SESSIONS` that were used last."""
    newest_first = (
        sa.select(session.c.id)
        .where(visible_to(who), session.c.until > now)
        .order_by(session.c.until.desc(), session.c.created.desc())
    )
    with db.writing() as conn:
        surplus = conn.execute(newest_first.offset(MAX_LIVE_SESSIONS)).scalars().all()
        if surplus:
            conn.execute(sa.update(session).where(session.c.id.in_(surplus)).values(until=now))


# -- what a call found --


def adopt_findings(
    client_session: ClientSession, journal: EventLog, called: Mapping[str, Any]
) -> None:
    """Add to a session the findings of a call from the call's own log, and the call itself.

    What the session holds already is kept. called: {"tool", "seconds", …}, with the number of the
    step that made the call, if any, as "step".
    """
    context = ResearchContext(
        client_session.goal,
        log=client_session.log,
        past=client_session.log.read(kinds=QUERY_PLACE_KINDS),
    )
    places = _place_queries(context, journal.emitted, called.get("step"))
    moved: list[Draft] = []
    for event in journal.emitted:
        if event.kind in FINDING_KINDS and event.kind != "planned":
            moved.append(_move_event(event, journal, places))
    client_session.log.append(*moved, Draft("called", dict(called)))
    client_session.log.copy_calls(journal)


def _place_queries(
    context: ResearchContext, events: Iterable[Event], step: int | None
) -> dict[int, int]:
    """Add the queries of a call to the session. Return their orders there by those in the call."""
    places: dict[int, int] = {}
    for event in events:
        if event.kind != "planned":
            continue
        for query in event.data["queries"]:
            context.add_query(query["text"], step=step)
            places[query["order"]] = context.order_of(query["text"])
    return places


def _move_event(event: Event, journal: EventLog, places: Mapping[int, int]) -> Draft:
    """Return the event for the session: with the order its query has there, and its page's text."""
    data = journal.open(event.data)
    key = str(event.key).partition(":")[2]
    if event.kind not in QUERY_KINDS or data["order"] not in places:
        return Draft(event.kind, data, key)
    order = places[data["order"]]
    # The address is taken from the data, because it may be too long to be in the key.
    if event.kind == "found":
        subject = data["url"]
    else:
        subject = key.removeprefix(f"{data['order']}:")
    return Draft(event.kind, {**data, "order": order}, f"{order}:{subject}")
