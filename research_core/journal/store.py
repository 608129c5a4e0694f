"""Store sessions, events and blobs with SQLAlchemy Core, on SQLite and PostgreSQL alike.

The meaning of an event is unknown here. Every function takes `who`; nothing is read or written
across tenants or users. A sequence number comes from the session row's own counter, by the first
statement of the writing transaction: it numbers, keeps commit order for readers, and refuses a
worker whose epoch is no longer the session's.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import sqlalchemy as sa

from research_core.errors import LostOwnership, StoreError, UsageError
from research_core.journal.database import Database, insert, insert_for_dialect
from research_core.journal.encryption import SEAL_MAGIC
from research_core.journal.events import Event, canonical_json
from research_core.journal.tables import blob, compress, decompress, event, session
from research_core.models import Principal

#: The outcome of an unfinished client session, so that no worker takes it.
OPEN_OUTCOME = "open"
#: The outcome of a session whose plan waits for the analyst, so that no worker takes it.
WAITING_OUTCOME = "waiting"
#: Never stored. It ends the wait of a session with WAITING_OUTCOME, so that a worker may take it.
WAIT_OVER = "wait over"
#: Marks the key in front of the data of a sealed event; no JSON begins so.
KEY_MARK = "\x1f"


def seal_payload(db: Database, who: Principal, body: bytes, *place: str) -> bytes:
    """Return the stored form of a payload. Every stored payload passes through here.

    place: table, column or kind, row.
    """
    return db.cipher.seal(body, who.tenant, *place)


def unseal_payload(db: Database, who: Principal, body: bytes, *place: str) -> bytes:
    """Reverse `seal_payload`.

    Raises SettingsError without the key, StoreError if the payload does not belong in this place.
    """
    return db.cipher.unseal(body, who.tenant, *place)


def seal_text(db: Database, who: Principal, text: str, *place: str) -> bytes:
    """Seal a text as bytes.

    PostgreSQL's text type holds no NUL, and no driver accepts half a surrogate pair.
    """
    return seal_payload(db, who, text.encode("utf-8", "surrogatepass"), *place)


def unseal_text(db: Database, who: Principal, body: bytes, *place: str) -> str:
    """Reverse `seal_text`."""
    return unseal_payload(db, who, body, *place).decode("utf-8", "surrogatepass")


def read_event(db: Database, who: Principal, row: Any) -> Event:
    """Return the event of a row of the event table."""
    key, text = _unseal_event(db, who, row)
    return Event(row.seq, row.at, row.kind, json.loads(text), key)


def _unseal_event(db: Database, who: Principal, row: Any) -> tuple[str | None, str]:
    """Return the key and the data of a row of the event table.

    The key column of a sealed row holds a hash, so its key is stored before the data.
    """
    text = read_event_data(db, who, row)
    if not text.startswith(KEY_MARK):
        return row.key, text
    key, _, text = text.removeprefix(KEY_MARK).partition("\n")
    return key, text


def reseal_event(db: Database, who: Principal, row: Any) -> dict[str, Any]:
    """Return the key and data of an event row as they would be written now.

    who: of the session's tenant. Raises StoreError if the row cannot be opened.
    """
    written = Store(db, who, row.session)._copy(row)
    return {name: written[name] for name in ("key", "data")}


def read_event_data(db: Database, who: Principal, row: Any) -> str:
    """Return the unsealed data of a row of the event table, by its session, kind and number.

    Rows sealed before the session became part of the place open by kind and number alone.
    """
    place = ("event", row.session, row.kind, str(row.seq))
    try:
        body = unseal_payload(db, who, row.data, *place)
    except StoreError:
        body = unseal_payload(db, who, row.data, place[0], *place[2:])
    return decompress(body).decode("utf-8", "surrogatepass")


@dataclass(frozen=True)
class SessionRow:
    """A session as lists show it.

    created, updated, deleted: seconds since the epoch. outcome: done | failed | cancelled |
    waiting | open | None. decision: full_report | short_report | insufficient_data where the
    outcome is done, else "". title: "" where the question is shown instead. until: when a client's
    session expires for tools; None for a run's.
    """

    id: str
    question: str
    settings: Mapping[str, Any]
    parent: str | None
    created: float
    updated: float
    epoch: int
    executor: str | None
    stop: str | None
    outcome: str | None
    decision: str = ""
    title: str = ""
    tags: tuple[str, ...] = ()
    deleted: float | None = None
    until: float | None = None


@dataclass(frozen=True)
class SessionHead:
    """A SessionRow without the settings, for lists of thousands.

    `assay sessions` lists 5,000 in 0.4 s of processor time with it, in 0.65 s with SessionRow.
    """

    id: str
    question: str
    parent: str | None
    created: float
    updated: float
    executor: str | None
    outcome: str | None
    decision: str = ""
    title: str = ""
    tags: tuple[str, ...] = ()
    until: float | None = None


_SESSION_COLUMNS = [session.c[name] for name in SessionRow.__dataclass_fields__]
_HEAD_COLUMNS = [session.c[name] for name in SessionHead.__dataclass_fields__]
_TEXT_COLUMNS = ("question", "settings", "title", "tags")


def _read_session_row(db: Database, who: Principal, values: Any) -> SessionRow:
    fields = _read_fields(db, who, values, SessionRow.__dataclass_fields__)
    return SessionRow(**{**fields, "settings": json.loads(fields["settings"])})


def _read_fields(db: Database, who: Principal, values: Any, names: Iterable[str]) -> dict[str, Any]:
    """Return the columns of a session by name, texts as they were given; settings are JSON.

    names: of the columns, in their order.
    """
    fields = dict(zip(names, values, strict=True))
    for name in _TEXT_COLUMNS:
        if name in fields:
            fields[name] = _read_text(db, who, fields["id"], name, fields[name])
    fields["tags"] = tuple(json.loads(fields["tags"])) if fields["tags"] else ()
    fields["decision"] = fields["decision"] or ""
    return fields


def _read_text(db: Database, who: Principal, id: str, name: str, body: bytes | None) -> str:
    """Return a text of a session as it was given, "" for none."""
    if not body:
        return ""
    if not body.startswith(SEAL_MAGIC):  # not sealed: no key is looked up, as lists have thousands
        return body.decode("utf-8", "surrogatepass")
    return unseal_text(db, who, body, "session", name, id)


def owned_by(who: Principal) -> sa.ColumnElement[bool]:
    """Return the condition that a session belongs to this user."""
    return sa.and_(session.c.tenant == who.tenant, session.c.user == who.user)


def visible_to(who: Principal) -> sa.ColumnElement[bool]:
    """Return the condition that a session belongs to this user and is not deleted.

    Readers use it. A worker still writes the end of a session deleted while it ran.
    """
    return sa.and_(owned_by(who), session.c.deleted.is_(None))


def in_list(who: Principal, *, deleted: bool) -> sa.ColumnElement[bool]:
    """Return the condition that a session is on the user's list of kept or of deleted ones."""
    if not deleted:
        return visible_to(who)
    return sa.and_(owned_by(who), session.c.deleted.is_not(None))


def no_such_session(id: str) -> UsageError:
    """Build the error for a session that does not exist."""
    return UsageError(
        f"There is no session {id}.", next_step="`assay sessions` lists those there are."
    )


def create_session(
    db: Database,
    who: Principal,
    id: str,
    question: str,
    settings: Mapping[str, Any],
    at: float,
    *,
    until: float | None = None,
) -> None:
    """Create a session with an empty log.

    until: set for a session that a client leads. Raises UsageError when the id is taken.
    """
    with db.writing() as conn:
        _create(db, conn, who, id, question, settings, at, until=until)


def _create(
    db: Database,
    conn: sa.Connection,
    who: Principal,
    id: str,
    question: str,
    settings: Mapping[str, Any],
    at: float,
    *,
    parent: str | None = None,
    until: float | None = None,
) -> None:
    texts = {"question": question, "settings": canonical_json(settings)}
    row = {name: seal_text(db, who, text, "session", name, id) for name, text in texts.items()}
    made = insert(conn, session).values(
        id=id, tenant=who.tenant, user=who.user, **row, parent=parent, created=at, updated=at,
        next=0, epoch=0,
        until=until, outcome=None if until is None else OPEN_OUTCOME,
    )  # fmt: skip
    if conn.execute(made.on_conflict_do_nothing().returning(session.c.id)).scalar() is None:
        raise UsageError(f"There is already a session {id}.")


def list_sessions(
    db: Database,
    who: Principal,
    *,
    limit: int | None = 200,
    deleted: bool = False,
    ids: Collection[str] | None = None,
) -> list[SessionRow]:
    """Return this user's sessions, newest first.

    deleted: only those that are deleted and can be restored. ids: only these.
    """
    condition = in_list(who, deleted=deleted)
    if ids is not None:
        condition = sa.and_(condition, session.c.id.in_(ids))
    newest_first = (session.c.created.desc(), session.c.id)
    query = sa.select(*_SESSION_COLUMNS).where(condition).order_by(*newest_first).limit(limit)
    with db.reading() as conn:
        return [_read_session_row(db, who, values) for values in conn.execute(query)]


def list_session_heads(db: Database, who: Principal, *, deleted: bool = False) -> list[SessionHead]:
    """Return all of this user's sessions, newest first. deleted: as `list_sessions`."""
    query = sa.select(*_HEAD_COLUMNS).where(in_list(who, deleted=deleted))
    with db.reading() as conn:
        rows = conn.execute(query.order_by(session.c.created.desc(), session.c.id))
        names = tuple(SessionHead.__dataclass_fields__)
        return [SessionHead(**_read_fields(db, who, values, names)) for values in rows]


def list_session_texts(
    db: Database,
    who: Principal,
    names: Sequence[str],
    condition: sa.ColumnElement[bool],
    order: Sequence[sa.ColumnElement[Any]] = (),
) -> list[dict[str, Any]]:
    """Return the id and these texts of the sessions that meet a condition, in this order.

    names: some of question, title and tags. condition: has to select this user's sessions. No
    statement can search the texts: they may be sealed, and no database folds case as Python does.
    """
    columns = [session.c[name] for name in names]
    query = sa.select(session.c.id, *columns).where(condition).order_by(*order)
    with db.reading() as conn:
        rows = conn.execute(query).all()
    found: list[dict[str, Any]] = []
    for id, *bodies in rows:
        texts: dict[str, Any] = {"id": id}
        for name, body in zip(names, bodies, strict=True):
            texts[name] = _read_text(db, who, id, name, body)
        if "tags" in texts:
            texts["tags"] = json.loads(texts["tags"]) if texts["tags"] else []
        found.append(texts)
    return found


def count_unfinished_sessions(db: Database, who: Principal) -> dict[str | None, int]:
    """Return {executor: number of this user's sessions it took and has not ended}.

    Sessions that wait for an executor are counted under None.
    """
    count = sa.select(session.c.executor, sa.func.count()).where(
        visible_to(who), session.c.outcome.is_(None)
    )
    with db.reading() as conn:
        return {row[0]: row[1] for row in conn.execute(count.group_by(session.c.executor))}


def find_session(db: Database, who: Principal, id: str) -> SessionRow:
    """Return this user's session. Raises UsageError if there is none or it is deleted."""
    with db.reading() as conn:
        values = conn.execute(
            sa.select(*_SESSION_COLUMNS).where(visible_to(who), session.c.id == id)
        ).first()
    if values is None:
        raise no_such_session(id)
    return _read_session_row(db, who, values)


def session_exists(db: Database, who: Principal, id: str) -> bool:
    """Return True if this user has the session, also if it is deleted and can be restored."""
    query = sa.select(session.c.id).where(owned_by(who), session.c.id == id)
    with db.reading() as conn:
        return conn.execute(query).first() is not None


def take_session(
    db: Database, who: Principal, id: str, executor_id: str, at: float, *, seen: int | None = None
) -> int:
    """Start an attempt and return its epoch.

    Raising the epoch fences any earlier worker. What an ended attempt left is cleared, but a stop
    word that no attempt has answered stays: the analyst cancelled while the session waited for a
    worker. seen: the epoch the caller decided on; raises LostOwnership if it has changed since.
    """
    unanswered = sa.case((session.c.outcome.is_(None), session.c.stop), else_=None)
    change = sa.update(session).where(visible_to(who), session.c.id == id, *_is_unchanged(seen))
    change = change.values(
        epoch=session.c.epoch + 1,
        executor=executor_id,
        stop=unanswered,
        outcome=None,
        decision=None,
        updated=at,
    )
    with db.writing() as conn:
        epoch = conn.execute(change.returning(session.c.epoch)).scalar()
    if epoch is None:
        raise no_such_session(id) if seen is None else LostOwnership
    return int(epoch)


def reopen_session(db: Database, who: Principal, id: str, *, seen: int) -> bool:
    """Clear how the last attempt ended, so that the session waits for a worker again.

    Returns False when another process was faster (the epoch is not `seen`).
    """
    change = sa.update(session).where(visible_to(who), session.c.id == id, *_is_unchanged(seen))
    change = change.values(executor=None, stop=None, outcome=None, decision=None)
    with db.writing() as conn:
        return conn.execute(change.returning(session.c.id)).scalar() is not None


def _is_unchanged(seen: int | None) -> list[sa.ColumnElement[bool]]:
    return [] if seen is None else [session.c.epoch == seen]


def request_stop(db: Database, who: Principal, id: str, why: str) -> None:
    """Leave a stop word for the session's worker; its doorway reads it within 0.1 s."""
    with db.writing() as conn:
        conn.execute(sa.update(session).where(owned_by(who), session.c.id == id).values(stop=why))


@dataclass(frozen=True)
class EventRow:
    """An event about to be inserted.

    data: canonical JSON. outcome, decision: set by terminal events, copied to the session row.
    """

    kind: str
    data: str
    key: str | None = None
    outcome: str | None = None
    decision: str | None = None


# Statements run with each event are built once: building one takes longer than running it.

#: Finds which of these keys a session has.
_SELECT_TAKEN_KEYS = sa.select(event.c.key).where(
    event.c.session == sa.bindparam("session"),
    event.c.key.in_(sa.bindparam("names", expanding=True)),
)
#: Select a session's row by user and id (`Store._session_values`), and its stop word.
_IS_THIS_SESSION = [
    session.c[name] == sa.bindparam(f"my_{name}") for name in ("id", "tenant", "user")
]
_SELECT_BODY = sa.select(blob.c.body).where(
    blob.c.tenant == sa.bindparam("my_tenant"), blob.c.sha == sa.bindparam("sha")
)
_SELECT_STOP = sa.select(session.c.stop, session.c.epoch).where(*_IS_THIS_SESSION)


@cache
def _build_event_select(worker: bool, keyed: bool, by_key: bool, by_kind: bool) -> Any:
    """Build the query for events of a session in commit order.

    worker: deleted sessions are allowed too. keyed: with any key. by_key, by_kind: of given ones.
    """
    conditions = [*_IS_THIS_SESSION, event.c.session == sa.bindparam("my_id")]
    conditions.append(event.c.seq > sa.bindparam("after"))
    if not worker:
        conditions.append(session.c.deleted.is_(None))
    if keyed:
        conditions.append(event.c.key.is_not(None))
    if by_key:
        conditions.append(event.c.key.in_(sa.bindparam("names", expanding=True)))
    if by_kind:
        conditions.append(event.c.kind.in_(sa.bindparam("kinds", expanding=True)))
    joined = sa.select(event).join(session, session.c.id == event.c.session)
    return joined.where(*conditions).order_by(event.c.seq)


@cache
def _build_allot_statement(worker: bool, fenced: bool) -> Any:
    """Build the statement that reserves sequence numbers.

    worker: deleted sessions are allowed too. fenced: the epoch must match.
    """
    conditions = list(_IS_THIS_SESSION)
    if fenced:
        conditions.append(session.c.epoch == sa.bindparam("my_epoch"))
    if not worker:
        conditions.append(session.c.deleted.is_(None))
    change = sa.update(session).where(*conditions)
    return change.values(
        next=session.c.next + sa.bindparam("count"), updated=sa.bindparam("now")
    ).returning(session.c.next)


@cache
def _build_event_insert(dialect: str) -> Any:
    """Build the insert of an event that does nothing if its key is taken."""
    return insert_for_dialect(dialect, event).on_conflict_do_nothing().returning(event.c.seq)


@cache
def _build_blob_insert(dialect: str, head: bytes) -> Any:
    """Build the insert of a blob.

    A blob already there stays, unless a key other than that of `head` sealed it: that key may be
    gone tomorrow.
    """
    new = insert_for_dialect(dialect, blob)
    if not head:
        return new.on_conflict_do_nothing()
    return new.on_conflict_do_update(
        index_elements=["tenant", "sha"],
        set_={"body": new.excluded.body},
        where=sa.func.substr(blob.c.body, 1, len(head)) != head,
    )


class Store:
    """The event table of one session, for one principal and, for a worker, one epoch."""

    def __init__(
        self, db: Database, who: Principal, session_id: str, epoch: int | None = None
    ) -> None:
        self.db = db
        self.who = who
        self.session = session_id
        self.epoch = epoch

    @property
    def _session_values(self) -> dict[str, str]:
        return {"my_id": self.session, "my_tenant": self.who.tenant, "my_user": self.who.user}

    def append(
        self,
        rows: Sequence[EventRow],
        blobs: Mapping[str, bytes],
        at: float,
        *,
        fenced: bool = True,
    ) -> list[Event | None]:
        """Write a batch in one transaction; return each row's event, or None if its key was taken.

        fenced: require that this worker's epoch is still the session's; an analyst's command is
        written without it. Raises LostOwnership if it is not.
        """
        with self.db.writing() as conn:
            first = self._allot(conn, len(rows), at, fenced)
            for sha, body in sorted(blobs.items()):
                self._put_blob(conn, sha, self._seal_body(body, "blob", sha))
            taken = self._find_taken_keys(conn, rows)
            new = {seq: row for seq, row in enumerate(rows, first) if row.key not in taken}
            stored = self._insert(conn, new, at)
        return [
            Event(seq, at, row.kind, json.loads(row.data), row.key) if seq in stored else None
            for seq, row in enumerate(rows, first)
        ]

    def _allot(self, conn: sa.Connection, count: int, at: float, fenced: bool) -> int:
        worker = self.epoch is not None
        attempt = {"my_epoch": self.epoch} if worker and fenced else {}
        values = {**self._session_values, **attempt, "count": count, "now": at}
        after = conn.execute(_build_allot_statement(worker, worker and fenced), values).scalar()
        if after is None:
            raise LostOwnership if self.epoch is not None else no_such_session(self.session)
        return int(after) - count + 1

    def _put_blob(self, conn: sa.Connection, sha: str, body: bytes) -> None:
        row = {"tenant": self.who.tenant, "sha": sha, "body": body}
        conn.execute(_build_blob_insert(conn.dialect.name, self.db.cipher.head), row)

    def _seal_body(self, body: bytes, *place: str) -> bytes:
        """Seal a body, compressed if it is encrypted: afterwards the column gains nothing."""
        if self.db.cipher.on:
            body = compress(body)
        return seal_payload(self.db, self.who, body, *place)

    def _stored_keys(self, key: str) -> tuple[str, ...]:
        return self.db.cipher.names(self.who.tenant, key)

    def _find_taken_keys(self, conn: sa.Connection, rows: Sequence[EventRow]) -> set[str]:
        """Return the keys that are already stored in another spelling than would be written now.

        No constraint sees those. The session's row is locked by now, so nobody else writes one.
        """
        others: dict[str, str] = {}
        for row in rows:
            if row.key is not None:
                for name in self._stored_keys(row.key)[1:]:
                    others[name] = row.key
        if not others:
            return set()
        found = conn.execute(_SELECT_TAKEN_KEYS, {"session": self.session, "names": list(others)})
        return {others[name] for name in found.scalars()}

    def _insert(self, conn: sa.Connection, rows: Mapping[int, EventRow], at: float) -> set[int]:
        """Insert rows by their seq and return the seqs of those whose key was not taken."""
        if not rows:
            return set()
        values = [self._values(seq, row, at) for seq, row in rows.items()]
        stored = set(conn.execute(_build_event_insert(conn.dialect.name), values).scalars())
        for row in (rows[seq] for seq in sorted(stored)):
            if row.outcome is None:
                continue
            change = sa.update(session).where(session.c.id == self.session)
            if row.outcome == WAIT_OVER:
                waits = change.where(session.c.outcome == WAITING_OUTCOME)
                conn.execute(waits.values(outcome=None, executor=None, stop=None))
            else:
                conn.execute(change.values(outcome=row.outcome, decision=row.decision))
        return stored

    def _values(self, seq: int, row: EventRow, at: float) -> dict[str, Any]:
        """Return a row of the event table."""
        key = row.key if row.key is None else self._stored_keys(row.key)[0]
        text = row.data if key == row.key else f"{KEY_MARK}{row.key}\n{row.data}"
        body = text.encode("utf-8", "surrogatepass")
        data = self._seal_body(body, "event", self.session, row.kind, str(seq))
        return {
            "session": self.session,
            "seq": seq,
            "at": at,
            "kind": row.kind,
            "key": key,
            "data": data,
        }

    def read(
        self,
        after: int = 0,
        *,
        keyed: bool | None = None,
        keys: Sequence[str] = (),
        kinds: Sequence[str] = (),
    ) -> list[Event]:
        """Return events in commit order: after a number, with any key, of these keys or kinds."""
        query = _build_event_select(self.epoch is not None, bool(keyed), bool(keys), bool(kinds))
        values: dict[str, Any] = {**self._session_values, "after": after}
        if keys:
            values["names"] = [name for key in keys for name in self._stored_keys(key)]
        if kinds:
            values["kinds"] = list(kinds)
        with self.db.reading() as conn:
            return [read_event(self.db, self.who, row) for row in conn.execute(query, values)]

    def blob(self, sha: str) -> bytes:
        """Return the body of a blob. Raises KeyError if this tenant has none with this hash."""
        with self.db.reading() as conn:
            body = conn.execute(_SELECT_BODY, {"my_tenant": self.who.tenant, "sha": sha}).scalar()
        if body is None:
            raise KeyError(sha)
        return decompress(unseal_payload(self.db, self.who, body, "blob", sha))

    def stop_reason(self) -> str | None:
        """Return the stop word for this worker, "lost" if the session has another worker."""
        with self.db.reading() as conn:
            word, epoch = conn.execute(_SELECT_STOP, self._session_values).one()
        return "lost" if self.epoch not in (None, epoch) else word

    def fork(
        self,
        new_id: str,
        settings: Mapping[str, Any],
        at: float,
        kinds: Sequence[str],
        *,
        question: str = "",
    ) -> Store:
        """Create a session that inherits only the events of these kinds.

        It has the same owner. Blobs are shared. question: the new question, "" to keep this
        session's.
        """
        source = find_session(self.db, self.who, self.session)
        fork = Store(self.db, self.who, new_id)
        inherited = (
            sa.select(event)
            .where(event.c.session == self.session, event.c.kind.in_(kinds))
            .order_by(event.c.seq)
        )
        with self.db.reading() as conn:
            rows = [fork._copy(row) for row in conn.execute(inherited)]
        with self.db.writing() as conn:
            _create(
                self.db,
                conn,
                self.who,
                new_id,
                question or source.question,
                settings,
                at,
                parent=self.session,
            )
            if rows:
                conn.execute(sa.insert(event), rows)
                numbered = sa.update(session).where(session.c.id == new_id)
                conn.execute(numbered.values(next=rows[-1]["seq"]))
        return fork

    def _copy(self, row: Any) -> dict[str, Any]:
        """Return a row of this session with the contents of another's, sealed anew."""
        key, text = _unseal_event(self.db, self.who, row)
        return self._values(row.seq, EventRow(row.kind, text, key), row.at)
