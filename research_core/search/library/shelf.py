"""Store the documents of a library in the database, with numbered changes.

It knows no file format, no search and no model, though it stores the vectors a model makes, and
drops the search index (`index`) with its library. Every
change takes its number from the library's own counter in the first statement of the writing
transaction, so that a reader who has seen number n has seen everything up to n.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from base64 import b64decode, b64encode
from collections.abc import Collection, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from research_core.errors import UsageError
from research_core.journal.database import Database, insert
from research_core.journal.store import seal_payload, unseal_payload
from research_core.journal.tables import document, library, vector
from research_core.model_messages import Json
from research_core.models import Principal
from research_core.policy import SAMPLE_LIBRARY, SHARED_PREFIX
from research_core.text.dates import format_utc_day
from research_core.urls import OWN_PREFIX, is_own_document

REMOVED = "removed"
#: The maker of the sample.
NOBODY = ""
#: Marks an encrypted title or file name; cleaned texts never begin like this.
SEALED = "\x01sealed:"
#: Vector keys in one statement: databases limit its parameters.
KEYS_PER_QUERY = 500


@dataclass(frozen=True)
class Document:
    """A document as it was read.

    url: canonical, or document:<sha>; sha: of what it was made from; file: where it was found;
    facts: what it states, hides and lacks, as in `models.select_stored_facts`.
    """

    url: str
    title: str
    text: str
    kind: str
    published: str = ""
    sha: str = ""
    file: str = ""
    facts: Json = field(default_factory=dict, hash=False)

    @property
    def claim(self) -> str:
        """The URL an own document claims for itself, unverified; "" if it claims none."""
        if not is_own_document(self.url):
            return ""
        return str(self.facts.get("metadata", {}).get("canonical", ""))

    @property
    def key(self) -> str:
        """A hash of title and text, from which the vectors are made."""
        text = f"{self.title}\n\n{self.text}"
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class DocumentChange:
    """The latest change of a document. gone: the document was removed and has no text."""

    seq: int
    document: Document
    gone: bool


@dataclass(frozen=True)
class Shelf:
    """One library, as `who` may use it: read their own and shared ones, change their own.

    id: never changes; is_own: whether `who` made it (Assay's sample counts as everybody's own).
    """

    db: Database
    who: Principal
    name: str
    id: str
    is_own: bool = True

    @classmethod
    def find(cls, db: Database, who: Principal, name: str) -> Shelf | None:
        """Return the library that a name means to this user, or None.

        Their own comes before one that another user shares under the same title; "shared:TITLE"
        means the latter alone.
        """
        title = name.removeprefix(SHARED_PREFIX)
        values = {"tenant": who.tenant, "user": who.user, "title": title}
        with db.reading() as conn:
            rows = conn.execute(_SELECT_BY_TITLE, values).all()
        own = [row for row in rows if row.maker in (who.user, NOBODY)]
        others = [row for row in rows if row.maker not in (who.user, NOBODY)]
        if own and name == title:
            return cls(db, who, name, str(own[0].id))
        if others:
            return cls(db, who, name, str(others[0].id), is_own=False)
        return None

    @classmethod
    def open(cls, db: Database, who: Principal, name: str) -> Shelf:
        """Return this user's own library of this name, creating it, private, if needed."""
        own = cls.find(db, who, name)
        if own and own.is_own:
            return own
        maker = NOBODY if name == SAMPLE_LIBRARY else who.user
        id = uuid.uuid4().hex
        with db.writing() as conn:
            row = insert(conn, library).values(
                tenant=who.tenant, name=id, id=id, next=0, stamp="", title=name, maker=maker
            )
            conn.execute(row.on_conflict_do_nothing())
            made = sa.select(library.c.id).where(
                library.c.tenant == who.tenant,
                library.c.maker == maker,
                library.c.title == name,
                library.c.removed == 0,
            )
            return cls(db, who, name, str(conn.execute(made).scalar_one()))

    def put(self, documents: Sequence[Document], at: float) -> None:
        """Add these documents in one transaction.

        A document with the same URL is replaced. So is an own document made from the same file, and
        one of the same file that once had the URL the new one claims.
        """
        with self.db.writing() as conn:
            first = self._allot_numbers(conn, len(documents))
            there = sa.select(document.c.meaning).where(
                self._rows, document.c.url.in_([new.url for new in documents])
            )
            before = set(conn.execute(there).scalars())
            gone, meanings = self._find_replaced(conn, documents, first)
            self._write_rows(conn, documents, first, at)
            if gone:
                change = sa.update(document).where(
                    document.c.library == self.id,
                    document.c.url == sa.bindparam("old"),
                    document.c.seq < sa.bindparam("number"),
                )
                conn.execute(change.values(**_GONE, seq=sa.bindparam("number")), gone)
            _delete_unused_vectors(conn, self.who, before | meanings)

    def _find_replaced(
        self, conn: sa.Connection, documents: Sequence[Document], first: int
    ) -> tuple[list[Json], set[str | None]]:
        """Return the rows that new documents of the same files replace, and their vector keys.

        Rows: {"old": URL, "number": of the change}; first: the number of the first new document.
        """
        files = {new.file for new in documents} - {""}
        claims = [new.claim for new in documents if new.claim]
        own = sa.or_(document.c.url.startswith(OWN_PREFIX), document.c.url.in_(claims))
        query = sa.select(document.c.url, document.c.file, document.c.meaning).where(
            self._held, own
        )
        if not self.db.cipher.has_keys:
            query = query.where(document.c.file.in_(files))
        by_file: dict[str, dict[str, str | None]] = {}
        for row in conn.execute(query):
            file = self._decrypt_text(row.file, "file", row.url)
            by_file.setdefault(file, {})[row.url] = row.meaning
        gone: list[Json] = []
        meanings: set[str | None] = set()
        for number, new in enumerate(documents, first):
            if not new.file:  # a fetched page
                continue
            held = by_file.setdefault(new.file, {})
            for url in [url for url in held if is_own_document(url) or url == new.claim]:
                if url != new.url:
                    meanings.add(held.pop(url))
                    gone.append({"old": url, "number": number})
            held[new.url] = new.key
        return gone, meanings

    def remove(self, urls: Sequence[str]) -> int:
        """Remove these documents and return how many there were.

        Their rows stay, without text, so that indexes see the change.
        """
        with self.db.writing() as conn:
            seq = self._allot_numbers(conn, 1)
            these = sa.and_(self._held, document.c.url.in_(urls))
            before = list(conn.execute(sa.select(document.c.meaning).where(these)).scalars())
            conn.execute(sa.update(document).where(these).values(**_GONE, seq=seq))
            _delete_unused_vectors(conn, self.who, before)
            return len(before)

    def hide(self, at: float) -> None:
        """Remove the whole library so that `restore_library` can bring it back."""
        with self.db.writing() as conn:
            conn.execute(sa.update(library).where(self._own).values(removed=at))

    def set_shared(self, shared: bool) -> None:
        """Share the library with its tenant, or make it private again.

        Raises UsageError if another user shares one of the same title.
        """
        with self.db.writing() as conn:
            if shared and _is_title_shared(conn, self.who, self.name):
                raise UsageError(
                    f"Another user shares a library called {self.name!r}.",
                    next_step="Share one that has another name.",
                )
            conn.execute(sa.update(library).where(self._own).values(shared=shared))

    def read(self, url: str) -> Json | None:
        """Return the document at this URL, or None. added: the day, YYYY-MM-DD.

        Fields: {"url", "title", "text", "kind", "published", "facts", "added"}.
        """
        values = {**self._values, "url": url}
        with self.db.reading() as conn:
            row = conn.execute(_SELECT_DOCUMENT, values).first()
        if row is None:
            return None
        return {
            **self._list_fields(row),
            "text": self._decrypt_body(row),
            "facts": self._decrypt_facts(row),
            "added": format_utc_day(row.added_at),
        }

    def list_documents(self) -> list[Json]:
        """List the documents by title; size: bytes of the text.

        Fields: {"url", "title", "kind", "published", "file", "added_at", "size"}.
        """
        columns = [
            *(document.c[name] for name in (*_LISTED, "file", "added_at")),
            sa.func.length(document.c.text).label("size"),
        ]
        with self.db.reading() as conn:
            rows = conn.execute(sa.select(*columns).where(self._held)).all()
        listed = [
            {
                **row._mapping,
                **self._list_fields(row),
                "file": self._decrypt_text(row.file, "file", row.url),
            }
            for row in rows
        ]
        return sorted(listed, key=lambda each: (each["title"], each["url"]))

    def list_titles(self) -> list[tuple[str, str]]:
        """Return (URL, title) of each document, by title."""
        query = sa.select(document.c.url, document.c.title).where(self._held)
        with self.db.reading() as conn:
            rows = conn.execute(query).all()
        titles = [(self._decrypt_text(title, "title", url), url) for url, title in rows]
        return [(url, title) for title, url in sorted(titles)]

    def count(self) -> int:
        """Count the documents."""
        query = sa.select(sa.func.count()).select_from(document).where(self._held)
        with self.db.reading() as conn:
            return int(conn.execute(query).scalar_one())

    def files(self) -> dict[str, str]:
        """Return URL -> file of each document; "" for a fetched page."""
        with self.db.reading() as conn:
            rows = conn.execute(sa.select(document.c.url, document.c.file).where(self._held)).all()
        return {row.url: self._decrypt_text(row.file, "file", row.url) for row in rows}

    def made_from(self) -> dict[str, str]:
        """Return sha -> URL of each document."""
        query = sa.select(document.c.sha, document.c.url).where(self._held)
        with self.db.reading() as conn:
            return {row.sha: row.url for row in conn.execute(query)}

    def changes(self, after: int) -> Generator[DocumentChange, None, None]:
        """Yield the changes after a number, in order.

        It holds a connection: exhaust or close it.
        """
        values = {**self._values, "after": after}
        with self.db.reading() as conn:
            for row in conn.execution_options(yield_per=100).execute(_SELECT_CHANGES, values):
                file = self._decrypt_text(row.file, "file", row.url)
                yield DocumentChange(
                    row.seq,
                    Document(
                        text=self._decrypt_body(row),
                        sha=row.sha,
                        file=file,
                        **self._list_fields(row),
                    ),
                    row.kind == REMOVED,
                )

    def list_unembedded(self, model: str) -> list[tuple[str, int]]:
        """List (URL, bytes of text) of documents without this model's vectors, oldest first."""
        there = sa.exists().where(self._vectors(model), vector.c.key == document.c.meaning)
        columns = (document.c.url, sa.func.length(document.c.text).label("size"))
        query = (
            sa.select(*columns)
            .where(self._held, sa.not_(there))
            .order_by(document.c.seq, document.c.url)
        )
        with self.db.reading() as conn:
            return [(row.url, row.size) for row in conn.execute(query)]

    def store_vectors(self, new: Document, model: str, body: bytes) -> None:
        """Store a document's vectors, unless it was changed or removed meanwhile."""
        key = new.key
        if not self.is_own:
            return
        these = sa.and_(self._held, document.c.url == new.url)
        with self.db.writing() as conn:
            held = conn.execute(sa.select(document).where(these)).first()
            if held is None:
                return
            if (self._list_fields(held)["title"], self._decrypt_body(held)) != (
                new.title,
                new.text,
            ):
                return
            conn.execute(sa.update(document).where(these).values(meaning=key))
            row = insert(conn, vector).values(
                tenant=self.who.tenant, model=model, key=key, body=self._seal(body, model, key)
            )
            conn.execute(row.on_conflict_do_nothing())

    def vectors(self, model: str, keys: Collection[str]) -> dict[str, bytes]:
        """Return the stored vectors by key; missing keys are left out."""
        wanted = sorted(keys)
        found: dict[str, bytes] = {}
        with self.db.reading() as conn:
            for first in range(0, len(wanted), KEYS_PER_QUERY):
                some = wanted[first : first + KEYS_PER_QUERY]
                query = sa.select(vector).where(self._vectors(model), vector.c.key.in_(some))
                for row in conn.execute(query).all():
                    found[row.key] = unseal_payload(
                        self.db, self.who, row.body, "vector", model, row.key
                    )
        return found

    def stamp(self) -> str:
        """Return the value last stored by `set_stamp`."""
        with self.db.reading() as conn:
            return str(conn.execute(sa.select(library.c.stamp).where(self._own)).scalar() or "")

    def set_stamp(self, stamp: str) -> None:
        with self.db.writing() as conn:
            conn.execute(sa.update(library).where(self._own).values(stamp=stamp))

    @property
    def _values(self) -> dict[str, str]:
        """What `_SELECT_ROWS` is asked with."""
        return {"tenant": self.who.tenant, "user": self.who.user, "library": self.id}

    @property
    def _own(self) -> sa.ColumnElement[bool]:
        """The condition that matches this library's row, if this user may change it."""
        return sa.and_(library.c.id == self.id, _is_made_by(self.who), library.c.removed == 0)

    @property
    def _rows(self) -> sa.ColumnElement[bool]:
        """The condition that matches this library's documents, if this user may read them."""
        visible = sa.select(library.c.id).where(library.c.id == self.id, _is_visible_to(self.who))
        return sa.and_(
            document.c.library == visible.scalar_subquery(), document.c.tenant == self.who.tenant
        )

    @property
    def _held(self) -> sa.ColumnElement[bool]:
        return sa.and_(self._rows, document.c.kind != REMOVED)

    def _allot_numbers(self, conn: sa.Connection, count: int) -> int:
        change = sa.update(library).where(self._own).values(next=library.c.next + count)
        after = conn.execute(change.returning(library.c.next)).scalar()
        if after is None:
            raise UsageError(
                f"The library {self.name!r} was removed meanwhile.",
                next_step="Add the documents to another one.",
            )
        return int(after) - count + 1

    def _vectors(self, model: str) -> sa.ColumnElement[bool]:
        return sa.and_(vector.c.tenant == self.who.tenant, vector.c.model == model)

    def _seal(self, body: bytes, model: str, key: str) -> bytes:
        return seal_payload(self.db, self.who, body, "vector", model, key)

    def _encrypt_text(self, text: str, column: str, url: str) -> str:
        """Return a title or file name as stored: plain, or encrypted as text."""
        if not text or not (self.db.cipher.on or text.startswith(SEALED)):
            return text
        plain = text.encode("utf-8", "surrogatepass")
        body = seal_payload(self.db, self.who, plain, "document", self.id, url, column)
        return SEALED + b64encode(body).decode()

    def _decrypt_text(self, text: str, column: str, url: str) -> str:
        """Reverse `_encrypt_text`."""
        if not text.startswith(SEALED):
            return text
        body = b64decode(text.removeprefix(SEALED))
        return unseal_payload(self.db, self.who, body, "document", self.id, url, column).decode(
            "utf-8", "surrogatepass"
        )

    def _list_fields(self, row: Any) -> Json:
        return {
            **{name: getattr(row, name) for name in _LISTED},
            "title": self._decrypt_text(row.title, "title", row.url),
        }

    def _decrypt_body(self, row: Any) -> str:
        return unseal_payload(self.db, self.who, row.text, "document", self.id, row.url).decode()

    def _decrypt_facts(self, row: Any) -> Json:
        kept = row.facts and unseal_payload(
            self.db, self.who, row.facts, "document", self.id, row.url, "facts"
        )
        facts: Json = json.loads(kept) if kept else {}
        return facts

    def _encrypt_facts(self, new: Document) -> bytes | None:
        if not new.facts:
            return None
        plain = json.dumps(new.facts).encode()
        return seal_payload(self.db, self.who, plain, "document", self.id, new.url, "facts")

    def _write_rows(
        self, conn: sa.Connection, documents: Sequence[Document], first: int, at: float
    ) -> None:
        rows = []
        for seq, new in enumerate(documents, first):
            body = new.text.encode()
            rows.append(
                {
                    "library": self.id,
                    "url": new.url,
                    "tenant": self.who.tenant,
                    "kind": new.kind,
                    "title": self._encrypt_text(new.title, "title", new.url),
                    "file": self._encrypt_text(new.file, "file", new.url),
                    "published": new.published,
                    "sha": new.sha,
                    "meaning": new.key,
                    "seq": seq,
                    "added_at": at,
                    "text": seal_payload(self.db, self.who, body, "document", self.id, new.url),
                    "facts": self._encrypt_facts(new),
                }
            )
        if not rows:
            return
        row = insert(conn, document)
        key = ("library", "url", "tenant")
        values = {name: row.excluded[name] for name in rows[0] if name not in key}
        conn.execute(
            row.on_conflict_do_update(index_elements=["library", "url"], set_=values), rows
        )


_LISTED = ("url", "title", "kind", "published")
_GONE = {
    "kind": REMOVED,
    "title": "",
    "published": "",
    "sha": "",
    "file": "",
    "text": b"",
    "meaning": None,
    "facts": None,
}


def _is_made_by(who: Principal) -> sa.ColumnElement[bool]:
    """Return the condition for the libraries that a user may change."""
    return sa.and_(library.c.tenant == who.tenant, library.c.maker.in_((who.user, NOBODY)))


def _is_visible_to(who: Principal) -> sa.ColumnElement[bool]:
    """Return the condition for the libraries that a user may read."""
    return _match_readable(who.tenant, who.user)


def _match_readable(tenant: Any, user: Any) -> sa.ColumnElement[bool]:
    made = sa.or_(library.c.maker == user, library.c.maker == NOBODY)
    return sa.and_(
        library.c.tenant == tenant, library.c.removed == 0, sa.or_(made, library.c.shared)
    )


# Statements that every search runs are built once: building one takes longer than running it.

_READABLE = _match_readable(sa.bindparam("tenant"), sa.bindparam("user"))
_SELECT_BY_TITLE = (
    sa.select(library.c.id, library.c.maker)
    .where(_READABLE, library.c.title == sa.bindparam("title"))
    .order_by(library.c.id)
)
_SELECT_ROWS = sa.select(document).where(
    document.c.library
    == sa.select(library.c.id)
    .where(library.c.id == sa.bindparam("library"), _READABLE)
    .scalar_subquery(),
    document.c.tenant == sa.bindparam("tenant"),
)
_SELECT_DOCUMENT = _SELECT_ROWS.where(
    document.c.url == sa.bindparam("url"), document.c.kind != REMOVED
)
_SELECT_CHANGES = _SELECT_ROWS.where(document.c.seq > sa.bindparam("after")).order_by(
    document.c.seq, document.c.url
)


def _is_title_shared(conn: sa.Connection, who: Principal, title: str) -> bool:
    """Return True if another user of the tenant shares a library of this title."""
    query = sa.select(library.c.id).where(
        _is_visible_to(who),
        library.c.title == title,
        library.c.maker.not_in((who.user, NOBODY)),
    )
    return conn.execute(query.limit(1)).scalar() is not None


def _delete_unused_vectors(
    conn: sa.Connection, who: Principal, keys: Collection[str | None]
) -> None:
    """Delete vectors of texts no document of the tenant has: they reveal something of it."""
    wanted = sorted(key for key in keys if key)
    held = sa.and_(document.c.tenant == who.tenant, document.c.kind != REMOVED)
    for first in range(0, len(wanted), KEYS_PER_QUERY):
        some = wanted[first : first + KEYS_PER_QUERY]
        still = sa.select(document.c.meaning).where(held, document.c.meaning.in_(some))
        gone = set(some) - set(conn.execute(still).scalars())
        if gone:
            unused = sa.and_(vector.c.tenant == who.tenant, vector.c.key.in_(gone))
            conn.execute(sa.delete(vector).where(unused))


def list_libraries(db: Database, who: Principal) -> list[Json]:
    """Return the libraries that a user may read, their own first, by title.

    Fields: {"name", "title", "documents", "own", "shared"}; name: what `Shelf.find` takes.
    """
    listed = []
    for row in _count_documents(db, _is_visible_to(who)):
        is_own = row.maker in (who.user, NOBODY)
        name = row.title if is_own else f"{SHARED_PREFIX}{row.title}"
        listed.append(
            {
                "name": name,
                "title": row.title,
                "documents": row.documents,
                "own": is_own,
                "shared": row.shared,
            }
        )
    return sorted(listed, key=lambda each: (not each["own"], each["title"]))


def list_removed_libraries(db: Database, who: Principal) -> list[Json]:
    """Return {"id", "title", "documents", "removed"} of what this user removed, newest first."""
    mine = sa.and_(
        library.c.tenant == who.tenant, library.c.maker == who.user, library.c.removed != 0
    )
    removed = [
        {"id": row.id, "title": row.title, "documents": row.documents, "removed": row.removed}
        for row in _count_documents(db, mine)
    ]
    return sorted(removed, key=lambda each: -each["removed"])


def _count_documents(db: Database, which: sa.ColumnElement[bool]) -> Sequence[Any]:
    """Return the rows of these libraries, each with the number of its documents."""
    held = sa.and_(document.c.library == library.c.id, document.c.kind != REMOVED)
    columns = (
        library.c.id, library.c.title, library.c.maker, library.c.shared, library.c.removed
    )  # fmt: skip
    query = (
        sa.select(*columns, sa.func.count(document.c.url).label("documents"))
        .outerjoin(document, held)
        .where(which)
        .group_by(*columns)
    )
    with db.reading() as conn:
        return conn.execute(query).all()


def restore_library(db: Database, who: Principal, id: str, title: str = "") -> str:
    """Bring a removed library back and return its title. title: the new one; "": as before.

    It is private if another user shares one of its title by now. Raises UsageError if it is gone or
    not theirs, and if this user has another one of its title.
    """
    mine = sa.and_(library.c.id == id, library.c.tenant == who.tenant, library.c.maker == who.user)
    with db.writing() as conn:
        row = conn.execute(sa.select(library).where(mine, library.c.removed != 0)).first()
        if row is None:
            raise UsageError("This library was restored or deleted for good meanwhile.")
        title = title or str(row.title)
        same = sa.select(library.c.id).where(
            _is_made_by(who), library.c.title == title, library.c.removed == 0
        )
        if conn.execute(same).scalar() is not None:
            raise UsageError(
                f"There is already a library {title!r}.",
                next_step="Restore it under another name: type one on the Library screen, or add"
                " `--as NAME` to the command.",
            )
        shared = row.shared and not _is_title_shared(conn, who, title)
        conn.execute(sa.update(library).where(mine).values(removed=0, shared=shared, title=title))
        return title


def purge_removed_libraries(db: Database, who: Principal, before: float) -> int:
    """Delete what this user removed before this time for good; return how many libraries."""
    due = sa.and_(library.c.removed != 0, library.c.removed <= before)
    with db.writing() as conn:
        return _delete_libraries(conn, who, due)


def erase_libraries(conn: sa.Connection, who: Principal) -> int:
    """Delete all libraries that this user made, also removed ones; return how many."""
    return _delete_libraries(conn, who, sa.true())


def _delete_libraries(conn: sa.Connection, who: Principal, which: sa.ColumnElement[bool]) -> int:
    """Delete those libraries of this user with their documents and vectors; return how many."""
    theirs = sa.and_(library.c.tenant == who.tenant, library.c.maker == who.user, which)
    of_theirs = document.c.library.in_(sa.select(library.c.id).where(theirs))
    meanings = conn.execute(sa.select(document.c.meaning).where(of_theirs)).scalars().all()
    gone = conn.execute(sa.delete(library).where(theirs).returning(library.c.id)).scalars().all()
    _delete_unused_vectors(conn, who, set(meanings))
    for id in gone:
        drop_search_index(conn, id)
    return len(gone)


#: The tables of a search index, without what their names begin with.
INDEX_TABLES = ("state", "document", "places", "passage")


def name_search_index(id: str) -> str:
    """Return what the names of the tables of a library's search index begin with, as SQL has it."""
    return "search_" + hashlib.sha256(id.encode()).hexdigest()[:32]


def drop_search_index(conn: sa.Connection, id: str) -> None:
    """Drop the search index of a library, which holds its texts. Only SQLite stores one."""
    if conn.dialect.name == "sqlite":
        for table in INDEX_TABLES:
            conn.exec_driver_sql(f"DROP TABLE IF EXISTS {name_search_index(id)}_{table}")


def export_libraries(db: Database, who: Principal) -> list[Json]:
    """Return everything in the libraries that this user made, texts included."""
    exported = []
    for row in list_libraries(db, who):
        shelf = Shelf.find(db, who, row["name"]) if row["own"] else None
        if shelf is None or row["title"] == SAMPLE_LIBRARY:
            continue
        documents = []
        for listed in shelf.list_documents():
            text = (shelf.read(listed["url"]) or {}).get("text", "")
            documents.append({**listed, "text": text})
        exported.append({"name": row["title"], "shared": row["shared"], "documents": documents})
    for row in list_removed_libraries(db, who):
        exported.append({"name": row["title"], "removed": row["removed"]})
    return exported
