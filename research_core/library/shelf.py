"""The documents of a library as the database holds them: put, remove, read, and what changed since a point.

It knows no file format and no search. Every change takes its number from the library's own counter, in the first statement of the
writing transaction, so that a reader who has seen number n has seen everything up to n.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from research_core.database import Database, insert
from research_core.errors import UsageError
from research_core.models import Json, Principal
from research_core.store import seal, unseal
from research_core.tables import document, library
from research_core.urls import OWN

REMOVED = "removed"


@dataclass(frozen=True)
class Document:
    """A document as it was read. url: canonical, or document:<sha>; sha: of what it was made from; file: where it was found."""

    url: str
    title: str
    text: str
    kind: str
    published: str = ""
    sha: str = ""
    file: str = ""


@dataclass(frozen=True)
class Change:
    """A document as of its latest change. gone: it is no longer in the library, and has no text."""

    seq: int
    document: Document
    gone: bool


@dataclass(frozen=True)
class Shelf:
    """One library of the tenant of `who`, whose users share it. id: its name for ever, in any database."""

    db: Database
    who: Principal
    name: str
    id: str

    @classmethod
    def find(cls, db: Database, who: Principal, name: str) -> Shelf | None:
        """The library of this name; None where there is none."""
        with db.reading() as conn:
            id = conn.execute(_id_of(who, name)).scalar()
        return None if id is None else cls(db, who, name, str(id))

    @classmethod
    def open(cls, db: Database, who: Principal, name: str) -> Shelf:
        """The library of this name, made when it is new."""
        found = cls.find(db, who, name)
        if found:
            return found
        with db.writing() as conn:
            row = insert(conn, library).values(tenant=who.tenant, name=name, id=uuid.uuid4().hex, next=0, stamp="")
            conn.execute(row.on_conflict_do_nothing())
            return cls(db, who, name, str(conn.execute(_id_of(who, name)).scalar_one()))

    def put(self, documents: Sequence[Document], at: float) -> None:
        """Add these in one transaction. One of the same url is replaced; so is an own document that was made from the same file."""
        with self.db.writing() as conn:
            first = self._allot(conn, len(documents))
            for seq, new in enumerate(documents, first):
                old = sa.and_(self._rows, document.c.file == new.file, document.c.url != new.url)
                conn.execute(sa.update(document).where(old, document.c.url.startswith(OWN)).values(**_GONE, seq=seq))
                self._write(conn, new, seq, at)

    def remove(self, urls: Sequence[str]) -> int:
        """Take these out; how many were held. Their rows stay, without text, so that an index learns of it."""
        with self.db.writing() as conn:
            seq = self._allot(conn, 1)
            change = sa.update(document).where(self._held, document.c.url.in_(urls)).values(**_GONE, seq=seq)
            return len(conn.execute(change.returning(document.c.url)).all())

    def drop(self) -> None:
        """Take the whole library away, with all its documents."""
        with self.db.writing() as conn:
            conn.execute(sa.delete(library).where(self._own))

    def read(self, url: str) -> Json | None:
        """{"url", "title", "text", "kind", "published"} of the document at this address; None if not held."""
        query = sa.select(document).where(self._held, document.c.url == url)
        with self.db.reading() as conn:
            row = conn.execute(query).first()
        return None if row is None else {**_listed(row), "text": self._text(row)}

    def documents(self) -> list[Json]:
        """{"url", "title", "kind", "published", "file", "added_at", "size"} of each document, by title; size: bytes of its text."""
        columns = [*(document.c[name] for name in (*_LISTED, "file", "added_at")), sa.func.length(document.c.text).label("size")]
        with self.db.reading() as conn:
            rows = conn.execute(sa.select(*columns).where(self._held).order_by(document.c.title, document.c.url))
            return [dict(row._mapping) for row in rows]

    def own_files(self) -> set[str]:
        """The files of the own documents: one of them read again replaces what it said before."""
        own = document.c.url.startswith(OWN)
        with self.db.reading() as conn:
            return set(conn.execute(sa.select(document.c.file).where(self._held, own)).scalars())

    def made_from(self) -> dict[str, str]:
        """sha -> url of each document."""
        with self.db.reading() as conn:
            return {row.sha: row.url for row in conn.execute(sa.select(document.c.sha, document.c.url).where(self._held))}

    def changes(self, after: int) -> Iterator[Change]:
        """What changed after a number, in order. Exhaust it, or close it: it holds a connection."""
        query = sa.select(document).where(self._rows, document.c.seq > after).order_by(document.c.seq, document.c.url)
        with self.db.reading() as conn:
            for row in conn.execution_options(yield_per=100).execute(query):
                yield Change(row.seq, Document(text=self._text(row), sha=row.sha, file=row.file, **_listed(row)), row.kind == REMOVED)

    def stamp(self) -> str:
        """The word last left by `set_stamp`."""
        with self.db.reading() as conn:
            return str(conn.execute(sa.select(library.c.stamp).where(self._own)).scalar() or "")

    def set_stamp(self, stamp: str) -> None:
        with self.db.writing() as conn:
            conn.execute(sa.update(library).where(self._own).values(stamp=stamp))

    @property
    def _own(self) -> sa.ColumnElement[bool]:
        """Its own row; none where it is another tenant's."""
        return sa.and_(library.c.id == self.id, library.c.tenant == self.who.tenant)

    @property
    def _rows(self) -> sa.ColumnElement[bool]:
        return sa.and_(document.c.library == self.id, document.c.tenant == self.who.tenant)

    @property
    def _held(self) -> sa.ColumnElement[bool]:
        return sa.and_(self._rows, document.c.kind != REMOVED)

    def _allot(self, conn: sa.Connection, count: int) -> int:
        change = sa.update(library).where(self._own).values(next=library.c.next + count)
        after = conn.execute(change.returning(library.c.next)).scalar()
        if after is None:
            raise UsageError(f"The library {self.name!r} was removed meanwhile.", next_step="Add the documents to another one.")
        return int(after) - count + 1

    def _text(self, row: Any) -> str:
        return unseal(self.db, self.who, row.text, "document", self.id, row.url).decode()

    def _write(self, conn: sa.Connection, new: Document, seq: int, at: float) -> None:
        fields = {"kind": new.kind, "title": new.title, "published": new.published, "sha": new.sha, "file": new.file}
        values = {**fields, "text": seal(self.db, self.who, new.text.encode(), "document", self.id, new.url), "seq": seq, "added_at": at}
        row = insert(conn, document).values(library=self.id, url=new.url, tenant=self.who.tenant, **values)
        conn.execute(row.on_conflict_do_update(index_elements=["library", "url"], set_=values))


_LISTED = ("url", "title", "kind", "published")
_GONE = {"kind": REMOVED, "title": "", "published": "", "sha": "", "file": "", "text": b""}


def _listed(row: Any) -> dict[str, str]:
    return {name: getattr(row, name) for name in _LISTED}


def _id_of(who: Principal, name: str) -> sa.Select[Any]:
    return sa.select(library.c.id).where(library.c.tenant == who.tenant, library.c.name == name)


def libraries(db: Database, who: Principal) -> list[Json]:
    """{"name", "documents"} of each library of this user's tenant, by name."""
    held = sa.and_(document.c.library == library.c.id, document.c.kind != REMOVED)
    count = sa.select(library.c.name, sa.func.count(document.c.url).label("documents")).outerjoin(document, held)
    with db.reading() as conn:
        rows = conn.execute(count.where(library.c.tenant == who.tenant).group_by(library.c.name).order_by(library.c.name))
        return [dict(row._mapping) for row in rows]
