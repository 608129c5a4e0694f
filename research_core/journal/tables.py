"""Define the tables of the database and the migrations that create them.

Columns of the type `CompressedBinary` hold bodies compressed, with a dictionary of what events
repeat; `store` compresses what it encrypts before. Bodies written in clear by earlier versions are
read as they are.
"""

from __future__ import annotations

import json
import zlib
from functools import cache as remember
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from research_core.errors import StoreError
from research_core.journal.database import Database, Migration
from research_core.journal.encryption import SEAL_MAGIC, Cipher

#: Begins a compressed body; the digit names the dictionary. No JSON and no text begins so.
COMPRESSED = b"\x1dz1"
#: Shorter bodies gain nothing, in bytes.
MIN_COMPRESSED = 100


class CompressedBinary(sa.LargeBinary):
    """A column of bytes, compressed in the database and plain outside it."""

    def bind_processor(self, dialect: sa.Dialect) -> Any:
        convert = super().bind_processor(dialect)  # type: ignore[no-untyped-call]

        def process(value: bytes | None) -> Any:
            if value is not None and not value.startswith(SEAL_MAGIC):
                value = compress(value)
            return convert(value) if convert else value

        return process

    def result_processor(self, dialect: sa.Dialect, coltype: object) -> Any:
        convert = super().result_processor(dialect, coltype)  # type: ignore[no-untyped-call]

        def process(value: Any) -> bytes | None:
            plain = convert(value) if convert else value
            return None if plain is None else decompress(bytes(plain))

        return process


@remember
def _read_dictionary() -> bytes:
    """Return what most events consist of. Stored bodies need it: never change the file."""
    return Path(__file__).with_name("event_dictionary.txt").read_bytes()


def compress(body: bytes) -> bytes:
    """Return the body compressed, unless it is shorter as it is."""
    is_marked = body.startswith(COMPRESSED)
    if len(body) < MIN_COMPRESSED and not is_marked:
        return body
    packer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS, zdict=_read_dictionary())
    packed = COMPRESSED + packer.compress(body) + packer.flush()
    return packed if is_marked or len(packed) < len(body) else body


def decompress(body: bytes) -> bytes:
    """Reverse `compress`. Raises StoreError for a damaged body."""
    if not body.startswith(COMPRESSED):
        return body
    unpacker = zlib.decompressobj(-zlib.MAX_WBITS, zdict=_read_dictionary())
    try:
        plain = unpacker.decompress(body[len(COMPRESSED) :])
    except zlib.error as error:
        raise _make_damage_error() from error
    if not unpacker.eof:
        raise _make_damage_error()
    return plain


def _make_damage_error() -> StoreError:
    return StoreError(
        "A row of the database is damaged: it cannot be decompressed.",
        next_step="Put back a copy of the database from before; other rows are not affected.",
    )


metadata = sa.MetaData()

session = sa.Table(
    "session",
    metadata,
    sa.Column("id", sa.String, primary_key=True),
    sa.Column("tenant", sa.String, nullable=False),
    sa.Column("user", sa.String, nullable=False),
    sa.Column("question", sa.LargeBinary, nullable=False),
    sa.Column("settings", CompressedBinary, nullable=False),
    sa.Column("parent", sa.String),
    sa.Column("created", sa.Float, nullable=False),
    sa.Column("updated", sa.Float, nullable=False),
    sa.Column("next", sa.BigInteger, nullable=False),
    sa.Column("epoch", sa.Integer, nullable=False),
    sa.Column("executor", sa.String),
    sa.Column("stop", sa.String),
    sa.Column(
        "outcome", sa.String
    ),  # of the latest attempt, written with its last event, so that a list needs no fold
    sa.Column(
        "decision", sa.String
    ),  # full_report | short_report | insufficient_data, written with the outcome
    sa.Column("title", sa.LargeBinary),  # by the analyst; none: the question stands for it
    sa.Column("tags", sa.LargeBinary),
    sa.Column("deleted", sa.Float),  # when; the row is kept until it is purged
    sa.Column(
        "until", sa.Float
    ),  # of one that a client leads: until when tools may go on with it; NULL: a run's
    sa.Index("session_owner", "tenant", "user", "created"),
)
event = sa.Table(
    "event",
    metadata,
    sa.Column(
        "session", sa.String, sa.ForeignKey("session.id", ondelete="CASCADE"), primary_key=True
    ),
    sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("kind", sa.String, nullable=False),
    sa.Column("key", sa.String),
    sa.Column("data", CompressedBinary, nullable=False),
    sa.UniqueConstraint("session", "key"),
)
blob = sa.Table(
    "blob",
    metadata,
    sa.Column("tenant", sa.String, primary_key=True),
    sa.Column("sha", sa.String, primary_key=True),
    sa.Column("body", CompressedBinary, nullable=False),
)
library = sa.Table(
    "library",
    metadata,
    sa.Column("tenant", sa.String, primary_key=True),
    sa.Column(
        "name", sa.String, primary_key=True
    ),  # the id; the title of those made before there were titles. Two users may use one title.
    sa.Column(
        "id", sa.String, nullable=False, unique=True
    ),  # names it for ever: an index of another library is never taken for this one's
    sa.Column("next", sa.BigInteger, nullable=False),
    sa.Column(
        "stamp", sa.String, nullable=False
    ),  # what the sample was made from; "" for the others
    sa.Column("title", sa.String, nullable=False, server_default=""),  # as its maker named it
    sa.Column(
        "maker", sa.String, nullable=False, server_default="local"
    ),  # the user whose it is; "" for the sample
    sa.Column("shared", sa.Boolean, nullable=False, server_default=sa.false()),  # with the tenant
    sa.Column(
        "removed", sa.Float, nullable=False, server_default=sa.text("0")
    ),  # when, until it is purged; 0: it is in use
    sa.Index("library_maker", "tenant", "maker", "title", "removed", unique=True),
)
document = sa.Table(
    "document",
    metadata,
    sa.Column(
        "library", sa.String, sa.ForeignKey("library.id", ondelete="CASCADE"), primary_key=True
    ),
    sa.Column("url", sa.String, primary_key=True),
    sa.Column("tenant", sa.String, nullable=False),
    sa.Column(
        "seq", sa.BigInteger, nullable=False
    ),  # of the latest change; a removed document stays as a row of kind "removed"
    sa.Column("sha", sa.String, nullable=False),
    sa.Column("file", sa.String, nullable=False),
    sa.Column("kind", sa.String, nullable=False),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("published", sa.String, nullable=False),
    sa.Column("text", sa.LargeBinary, nullable=False),
    sa.Column("added_at", sa.Float, nullable=False),
    sa.Column("meaning", sa.String),  # the key of its vectors; NULL: written before there were any
    sa.Column(
        "facts", sa.LargeBinary
    ),  # `models.select_stored_facts` as JSON; NULL: none, or written before they were kept
    sa.Index("document_change", "library", "seq"),
    sa.Index("document_file", "library", "file"),
    sa.Index("document_meaning", "tenant", "meaning"),
)
vector = sa.Table(
    "vector",
    metadata,
    sa.Column("tenant", sa.String, primary_key=True),
    sa.Column("model", sa.String, primary_key=True),
    sa.Column(
        "key", sa.String, primary_key=True
    ),  # of the text, so that one added again is not worked out again
    sa.Column("body", sa.LargeBinary, nullable=False),  # a row for each passage, half precision
)
cache = sa.Table(
    "cache",
    metadata,
    sa.Column("tenant", sa.String, primary_key=True),
    sa.Column("key", sa.String, primary_key=True),
    sa.Column(
        "shape", sa.String, nullable=False
    ),  # of what is kept; rows of another one are of no use
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("until", sa.Float, nullable=False),  # after this it is of no use either
    sa.Column("size", sa.BigInteger, nullable=False),
    sa.Column("body", sa.LargeBinary, nullable=False),
    sa.Index("cache_use", "tenant", "until"),
    sa.Index("cache_age", "tenant", "at", "size"),
)
calls = sa.Table(
    "calls",
    metadata,
    sa.Column("tenant", sa.String, primary_key=True),
    sa.Column("day", sa.Integer, primary_key=True),  # whole days (UTC) since the epoch
    sa.Column("made", sa.BigInteger, nullable=False),
)
revoked = sa.Table(
    "revoked",
    metadata,
    sa.Column("jti", sa.String, primary_key=True),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column(
        "until", sa.Float
    ),  # when the token itself has run out; NULL: nobody said, and the row stays
)
consent = sa.Table(
    "consent",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),  # the order of what was said
    sa.Column("tenant", sa.String, nullable=False),
    sa.Column("user", sa.String, nullable=False),
    sa.Column("purpose", sa.String, nullable=False),  # memory | analytics | workspace
    sa.Column("given", sa.Boolean, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("by", sa.String, nullable=False),  # user | admin
    sa.Index("consent_owner", "tenant", "user", "purpose", "id"),
)
memory = sa.Table(
    "memory",
    metadata,
    sa.Column("id", sa.String, primary_key=True),
    sa.Column("tenant", sa.String, nullable=False),
    sa.Column("user", sa.String, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("payload", sa.LargeBinary, nullable=False),
    sa.Index("memory_owner", "tenant", "user", "at"),
)
membership = sa.Table(
    "membership",
    metadata,
    sa.Column("workspace", sa.String, primary_key=True),
    sa.Column("tenant", sa.String, primary_key=True),
    sa.Column("user", sa.String, primary_key=True),
    sa.Column("since", sa.Float, nullable=False),
)
contribution = sa.Table(
    "contribution",
    metadata,
    sa.Column("id", sa.String, primary_key=True),
    sa.Column("workspace", sa.String, nullable=False),
    sa.Column("tenant", sa.String, nullable=False),  # whose it is, and by whose tenant it is sealed
    sa.Column("user", sa.String, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("payload", sa.LargeBinary, nullable=False),
    sa.Index("contribution_place", "workspace", "at"),
)
usage = sa.Table(
    "usage",
    metadata,
    sa.Column("tenant", sa.String, primary_key=True),
    sa.Column("user", sa.String, primary_key=True),
    sa.Column("tool", sa.String, primary_key=True),
    sa.Column("made", sa.BigInteger, nullable=False),
    sa.Column("first", sa.Float, nullable=False),
    sa.Column("last", sa.Float, nullable=False),
)
erasure = sa.Table(
    "erasure",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("tenant", sa.String, nullable=False),
    sa.Column("user", sa.String, nullable=False),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("counts", sa.String, nullable=False),  # JSON: rows removed, by store
)
rating_list = sa.Table(
    "rating_list",
    metadata,
    sa.Column("tenant", sa.String, primary_key=True),
    sa.Column("name", sa.String, primary_key=True),
    sa.Column("title", sa.String, nullable=False),
    sa.Column("source", sa.String, nullable=False),
    sa.Column("digest", sa.String, nullable=False),
    sa.Column("hosts", sa.BigInteger, nullable=False),
    sa.Column("added", sa.Float, nullable=False),
)
rating = sa.Table(
    "rating",
    metadata,
    sa.Column("tenant", sa.String, primary_key=True),
    sa.Column("host", sa.String, primary_key=True),
    sa.Column("list", sa.String, primary_key=True),
    sa.Column("value", sa.Float, nullable=False),
)
override = sa.Table(
    "override",
    metadata,
    sa.Column("tenant", sa.String, primary_key=True),
    sa.Column("user", sa.String, primary_key=True),
    sa.Column("host", sa.String, primary_key=True),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("payload", sa.LargeBinary, nullable=False),
)
sign_in = sa.Table(
    "sign_in",
    metadata,
    sa.Column("key", sa.String, primary_key=True),  # SHA-256 of the browser's token
    sa.Column("tenant", sa.String, nullable=False),
    sa.Column("user", sa.String, nullable=False),
    sa.Column("created", sa.Float, nullable=False),
    sa.Column("seen", sa.Float, nullable=False),
    sa.Column("revoked", sa.Float),  # when; NULL: it is in force until its time is up
    sa.Index("sign_in_owner", "tenant", "user"),
)
share = sa.Table(
    "share",
    metadata,
    sa.Column("key", sa.String, primary_key=True),  # SHA-256 of the token in the link
    sa.Column("tenant", sa.String, nullable=False),
    sa.Column("user", sa.String, nullable=False),
    sa.Column(
        "session", sa.String, sa.ForeignKey("session.id", ondelete="CASCADE"), nullable=False
    ),
    sa.Column("created", sa.Float, nullable=False),
    sa.Column("expires", sa.Float, nullable=False),
    sa.Column("revoked", sa.Float),  # when; NULL: the link opens until it expires
    sa.Index("share_owner", "tenant", "user", "session"),
)
executor = sa.Table(
    "executor",
    metadata,
    sa.Column("id", sa.String, primary_key=True),
    sa.Column("at", sa.Float, nullable=False),
)


def m001_sessions_and_events(conn: sa.Connection) -> None:
    metadata.create_all(conn, tables=[session, event, blob, executor])


def m002_libraries_and_documents(conn: sa.Connection) -> None:
    metadata.create_all(conn, tables=[library, document])


def m003_titles_tags_deleted_decisions(conn: sa.Connection) -> None:
    """Add the columns that lists of sessions need; newer databases are created with them."""
    there = {column["name"] for column in sa.inspect(conn).get_columns(session.name)}
    for column in (session.c.decision, session.c.title, session.c.tags, session.c.deleted):
        if column.name not in there:
            conn.execute(
                sa.text(
                    f"ALTER TABLE session ADD COLUMN {column.name}"
                    f" {column.type.compile(conn.dialect)}"
                )
            )
    ended = (
        sa.select(event.c.session, event.c.data)
        .where(event.c.kind == "finished")
        .order_by(event.c.session, event.c.seq)
    )
    for id, data in conn.execute(ended).all():  # the last one of a session stands
        decision = json.loads(data).get("decision")  # as it was written: no key could be set before
        conn.execute(
            sa.update(session)
            .where(session.c.id == id, session.c.outcome == "done")
            .values(decision=decision)
        )


def m004_page_cache(conn: sa.Connection) -> None:
    metadata.create_all(conn, tables=[cache])


def m005_vectors(conn: sa.Connection) -> None:
    metadata.create_all(conn, tables=[vector])
    if document.c.meaning.name not in {
        column["name"] for column in sa.inspect(conn).get_columns(document.name)
    }:
        conn.execute(sa.text("ALTER TABLE document ADD COLUMN meaning VARCHAR"))
    for index in document.indexes:
        conn.execute(sa.schema.CreateIndex(index, if_not_exists=True))


def m006_facts_of_documents(conn: sa.Connection) -> None:
    if document.c.facts.name not in {
        column["name"] for column in sa.inspect(conn).get_columns(document.name)
    }:
        conn.execute(
            sa.text(
                "ALTER TABLE document ADD COLUMN facts"
                f" {document.c.facts.type.compile(conn.dialect)}"
            )
        )


def m007_led_sessions(conn: sa.Connection) -> None:
    if session.c.until.name not in {
        column["name"] for column in sa.inspect(conn).get_columns(session.name)
    }:
        conn.execute(
            sa.text(
                f"ALTER TABLE session ADD COLUMN until {session.c.until.type.compile(conn.dialect)}"
            )
        )


def m008_calls_and_revoked_tokens(conn: sa.Connection) -> None:
    metadata.create_all(conn, tables=[calls, revoked])


def m009_personal(conn: sa.Connection) -> None:
    metadata.create_all(conn, tables=[consent, memory, membership, contribution, usage, erasure])


def m010_ratings_and_overrides(conn: sa.Connection) -> None:
    metadata.create_all(conn, tables=[rating_list, rating, override])


def m011_makers_of_libraries(conn: sa.Connection) -> None:
    """Give every library a maker.

    Older libraries were everybody's: they become the local user's, shared with their tenant.
    """
    there = {column["name"] for column in sa.inspect(conn).get_columns(library.name)}
    for column in (library.c.title, library.c.maker, library.c.shared, library.c.removed):
        if column.name not in there:
            added = sa.schema.CreateColumn(column).compile(dialect=conn.dialect)
            conn.execute(sa.text(f"ALTER TABLE library ADD COLUMN {added}"))
    is_sample = library.c.name == "sample"
    conn.execute(
        sa.update(library).values(
            title=library.c.name,
            maker=sa.case((is_sample, ""), else_="local"),
            shared=sa.not_(is_sample),
        )
    )
    for index in library.indexes:
        conn.execute(sa.schema.CreateIndex(index, if_not_exists=True))


def m012_sign_ins(conn: sa.Connection) -> None:
    metadata.create_all(conn, tables=[sign_in])


def m013_shares(conn: sa.Connection) -> None:
    metadata.create_all(conn, tables=[share])


def m014_files_of_documents(conn: sa.Connection) -> None:
    for index in document.indexes:
        conn.execute(sa.schema.CreateIndex(index, if_not_exists=True))


def m015_waiting_sessions(conn: sa.Connection) -> None:
    """Index the few sessions that wait for a worker: every worker asks for them again and again.

    In plain SQL, as both databases read it: `sa.Index(postgresql_where=…)` would import that
    dialect in every program.
    """
    conn.execute(
        sa.text(
            "CREATE INDEX IF NOT EXISTS session_waiting ON session (created, id)"
            " WHERE executor IS NULL AND outcome IS NULL"
        )
    )


#: Run once each, in this order, and recorded by name. Append new ones; never edit an old one.
MIGRATIONS: list[Migration] = [
    m001_sessions_and_events,
    m002_libraries_and_documents,
    m003_titles_tags_deleted_decisions,
    m004_page_cache,
    m005_vectors,
    m006_facts_of_documents,
    m007_led_sessions,
    m008_calls_and_revoked_tokens,
    m009_personal,
    m010_ratings_and_overrides,
    m011_makers_of_libraries,
    m012_sign_ins,
    m013_shares,
    m014_files_of_documents,
    m015_waiting_sessions,
]


def open_database(
    url: str, *, busy_timeout_s: float = 30.0, pool: int = 32, cipher: Cipher = Cipher()
) -> Database:
    """Open and migrate a database.

    Raises StoreError that says what to do, and SettingsError if the newest session needs another
    key.
    """
    db = Database(url, MIGRATIONS, busy_timeout_s=busy_timeout_s, pool=pool, cipher=cipher)
    try:
        _check_key(db)
    except BaseException:
        db.close()
        raise
    return db


def _check_key(db: Database) -> None:
    """Check the key against the newest session.

    Otherwise a process without the key would write in clear beside sealed rows.
    """
    newest = sa.select(sa.func.max(session.c.created)).scalar_subquery()
    with db.reading() as conn:
        asked = conn.execute(
            sa.select(session.c.question).where(session.c.created == newest).limit(1)
        ).scalar()
    db.cipher.check(asked or b"")
