"""Search one library with an SQLite FTS5 index of passages.

The index lies in the SQLite database beside the documents, so that no process builds it anew. On
PostgreSQL each process keeps one in a temporary file, and where documents are encrypted at rest,
in memory. It follows the documents by change number and can be rebuilt at any time.

A document ranks by its best passage (BM25, English stems, weighted title), which measured better
than ranking whole documents. By words alone, a word found in no text or title finds nothing; words
of languages written without spaces are indexed as `tokenize` splits them, and words of other
languages than English with their stems. Given a query vector, both rankings are fused: each score
becomes its distance from the mean of its ranking, in standard deviations.
"""

from __future__ import annotations

import json
import re
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import PurePath
from statistics import fmean, pstdev
from typing import TYPE_CHECKING

from research_core.errors import StoreError
from research_core.model_messages import Json
from research_core.search.library.meaning import Vectors
from research_core.search.library.passages import split_passages
from research_core.search.library.shelf import (
    INDEX_TABLES,
    Document,
    DocumentChange,
    Shelf,
    drop_search_index,
    name_search_index,
)
from research_core.search.library.snippet import make_snippet
from research_core.search.library.spelling import find_slips
from research_core.text.languages import guess_language
from research_core.text.question import find_question_words
from research_core.text.words import STOPWORDS, stem, tokenize
from research_core.urls import is_own_document

if TYPE_CHECKING:
    import numpy as np
    import sqlalchemy as sa
    from numpy.typing import NDArray

#: Weight of a word in the title, relative to the text. Measured; see CONTRIBUTING.
TITLE_WEIGHT = 3.0
MAX_WORDS = 64
#: Documents of each ranking to fuse, and the least cosine of one no word finds: 1% of those judged
#: relevant are below it.
DEPTH, CLOSE = 100, 0.35
#: Function words in addition to the specification's stopwords.
FUNCTION_WORDS = STOPWORDS | frozenset(
    """
        do does did can could should would will shall may might must be been being am was were has
        have had i me my we us our you your he she it its they them their this that these those
        there here which when whose if so than then as from into not no any some such also just
        please
    """.split()
)

#: Raise it whenever passages, their words or their stems are made otherwise: stored indexes are
#: then built anew.
VERSION = 1
#: Changes applied in one transaction, so that other writers need not wait long.
CHANGES_PER_TRANSACTION = 200
#: A passage's row number is its document's number, shifted by so many bits, plus its place in it.
PLACE_BITS = 20

#: The tables of an index; `{0}` stands for its name. seen: the last change applied; key: of the
#: document's vectors; passages: how many; places: JSON, the [start, end] of each.
_SCHEMA = (
    "CREATE TABLE {0}_state (seen, version)",
    (
        "CREATE TABLE {0}_document (id INTEGER PRIMARY KEY, url UNIQUE, title, published, key,"
        " passages)"
    ),
    "CREATE TABLE {0}_places (document INTEGER PRIMARY KEY, places)",
    (
        "CREATE VIRTUAL TABLE {0}_passage USING fts5(title, body, pairs,"
        " tokenize='porter unicode61 remove_diacritics 2')"
    ),
)
# Materialised, because bm25() does not work inside an aggregate; min() makes SQLite take the rest
# of the row from the best passage.
_SEARCH = f"""
    WITH hit AS MATERIALIZED (
        SELECT rowid AS passage, bm25({{0}}_passage, {TITLE_WEIGHT}, 1.0, 1.0) AS score
        FROM {{0}}_passage WHERE {{0}}_passage MATCH ?)
    SELECT min(score) AS score, passage, document.id, document.url
    FROM hit JOIN {{0}}_document AS document ON document.id = hit.passage >> {PLACE_BITS}
    GROUP BY document.id ORDER BY score, url LIMIT ?
"""


@dataclass(frozen=True)
class QueryVector:
    """The embedding of a query, of length 1.

    model: the name under which the vectors to compare with are stored.
    """

    model: str
    vector: NDArray[np.float32]


class Index:
    """The index of one library, brought up to date by each search and each change.

    Safe for any number of threads; in one process, searches run one after the other.
    """

    def __init__(self, shelf: Shelf) -> None:
        self._lock = threading.Lock()
        is_sqlite = shelf.db.engine.dialect.name == "sqlite"
        self._is_stored = is_sqlite and not shelf.db.cipher.on
        self._name = name_search_index(shelf.id) if self._is_stored else "own"
        self._sealed = shelf.db.cipher.on
        self._reset()
        if is_sqlite and self._sealed:
            # Built before there was a key, it would hold the texts in clear.
            with shelf.db.writing() as conn:
                drop_search_index(conn, shelf.id)

    def _reset(self) -> None:
        self._vectors = Vectors()
        self._own: sqlite3.Connection | None = None
        if self._is_stored:
            return
        where = ":memory:" if self._sealed else ""  # "": a temporary file
        self._own = sqlite3.connect(where, check_same_thread=False, isolation_level=None)
        if self._sealed:
            self._own.execute("PRAGMA temp_store=memory")

    @contextmanager
    def _reading(self, shelf: Shelf) -> Iterator[_Tables]:
        """Open the tables for reading, all as they are at one time."""
        if self._own is not None:
            yield _Tables(self._own, self._name)
            return
        with shelf.db.reading() as conn:
            # The pool ends the transaction.
            conn.exec_driver_sql("BEGIN")
            yield _Tables(_get_driver_connection(conn), self._name)

    @contextmanager
    def _writing(self, shelf: Shelf) -> Iterator[_Tables]:
        """Open the tables in one transaction, committed at the end of the block."""
        if self._own is not None:
            self._own.execute("BEGIN")
            with self._own:  # commits, or rolls back on failure
                yield _Tables(self._own, self._name)
            return
        with shelf.db.writing() as conn:
            yield _Tables(_get_driver_connection(conn), self._name)

    @contextmanager
    def _hold_lock(self) -> Iterator[None]:
        """Hold the lock. Raises StoreError if the tables cannot be used."""
        with self._lock:
            try:
                yield
            except sqlite3.Error as error:
                if self._own is not None:
                    self._own.close()
                self._reset()
                raise StoreError(
                    f"The search index failed: {error}.",
                    next_step="Free some space for temporary files.",
                ) from error

    def update(self, shelf: Shelf) -> None:
        """Apply the changes of the documents. Raises StoreError if it cannot be written."""
        with self._hold_lock():
            self._apply_changes(shelf)

    def search(
        self, shelf: Shelf, query: str, k: int, sense: QueryVector | None = None
    ) -> list[Json]:
        """Return up to k results with snippets, best first.

        Fields: {"url", "title", "snippet", "published", "passage", "passages", "start", "end",
        "by", "spelled"}. The snippet is from passage number "passage" of "passages",
        text[start:end] of the document; by: words | meaning | both; spelled: [written, read] of
        each word of the query that no document holds and that is searched for as another, too.
        Searches by words alone if the vectors of any document are missing. Raises StoreError if the
        index cannot be written.
        """
        with self._hold_lock():
            self._apply_changes(shelf)
            close = self._find_closest(shelf, sense, max(k, DEPTH)) if sense else None
            with self._reading(shelf) as tables:
                if tables.read_seen() is None:
                    return []
                slips = find_slips(tables.db, tables.name, query, match_words(query))
                asked = " ".join([*slips.values(), query])
                spelled = [list(slip) for slip in slips.items()]
                return [
                    {**tables.build_result(*hit, asked), "spelled": spelled}
                    for hit in tables.rank(asked, k, max(k, DEPTH) if sense else k, close)
                ]

    def _find_closest(
        self, shelf: Shelf, sense: QueryVector, depth: int
    ) -> dict[int, tuple[float, int]] | None:
        """Return document -> (cosine, passage) of the closest; None if vectors are missing."""
        with self._reading(shelf) as tables:
            keys = tables.read_keys()
        found = self._vectors.find_closest(shelf, sense.model, sense.vector, keys, depth)
        if found is None:
            return None
        return {id: (cosine, (id << PLACE_BITS) + place) for id, (cosine, place) in found.items()}

    def _apply_changes(self, shelf: Shelf) -> None:
        """Apply the changes since the last update, a part in each transaction."""
        while True:
            with self._reading(shelf) as tables:
                seen = tables.read_seen()
            changes = _read_changes(shelf, seen or 0)
            if not changes:
                return
            with self._writing(shelf) as tables:
                if tables.read_seen() != seen:
                    continue  # another process was faster
                if seen is None:
                    tables.make_anew()
                for change in changes:
                    tables.apply_change(change)
                tables.set_seen(changes[-1].seq)


def _get_driver_connection(conn: sa.Connection) -> sqlite3.Connection:
    driver = conn.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    return driver


def _read_changes(shelf: Shelf, after: int) -> list[DocumentChange]:
    """Return the next changes after a number, never only some of those with one number."""
    changes: list[DocumentChange] = []
    with closing(shelf.changes(after)) as all_changes:
        for change in all_changes:
            if len(changes) >= CHANGES_PER_TRANSACTION and change.seq != changes[-1].seq:
                break
            changes.append(change)
    return changes


@dataclass(frozen=True)
class _Tables:
    """The tables of one index, in a transaction. name: what their names begin with."""

    db: sqlite3.Connection
    name: str

    def run(self, statement: str, values: Sequence[object] = ()) -> sqlite3.Cursor:
        """Run a statement in which {0} stands for the name."""
        return self.db.execute(statement.format(self.name), values)

    def read_seen(self) -> int | None:
        """Return the last change applied; None if there is no index of this version."""
        there = "SELECT 1 FROM sqlite_master WHERE name = ?"
        if self.db.execute(there, (f"{self.name}_state",)).fetchone() is None:
            return None
        state = self.run("SELECT seen FROM {0}_state WHERE version = ?", (VERSION,)).fetchone()
        return int(state[0]) if state else None

    def set_seen(self, seen: int) -> None:
        self.run("DELETE FROM {0}_state")
        self.run("INSERT INTO {0}_state VALUES (?, ?)", (seen, VERSION))

    def make_anew(self) -> None:
        """Make empty tables in place of those of another version."""
        for table in INDEX_TABLES:
            self.run(f"DROP TABLE IF EXISTS {{0}}_{table}")
        for statement in _SCHEMA:
            self.run(statement)

    def read_keys(self) -> dict[int, str]:
        """Return document -> the key of its vectors; empty without an index."""
        if self.read_seen() is None:
            return {}
        return dict(self.run("SELECT id, key FROM {0}_document"))

    def rank(
        self, query: str, k: int, depth: int, close: Mapping[int, tuple[float, int]] | None
    ) -> list[tuple[int, int, str]]:
        """Return (document, passage, by) of the best k.

        depth: documents of the ranking by words; close: those closest by meaning, as
        `Index._find_closest`. The passage is the one the words found, if any: it shows what was
        asked.
        """
        words = match_words(query)
        rows = []
        if words:
            rows = self.run(_SEARCH, (_match_expression(words), depth)).fetchall()
        matched = {id: (-score, passage) for score, passage, id, _ in rows}
        if close is None:
            return [(id, passage, "words") for _, passage, id, _ in rows[:k]]
        by: dict[int, str] = {}
        for id, (cosine, _) in close.items():
            if id in matched:
                by[id] = "both"
            elif cosine >= CLOSE:
                by[id] = "meaning"
        for id in matched:
            by.setdefault(id, "words")
        scores_by_words = {id: score for id, (score, _) in matched.items()}
        cosines = {id: cosine for id, (cosine, _) in close.items()}
        worth = fuse_rankings([scores_by_words, cosines])
        url = dict(self.run("SELECT id, url FROM {0}_document"))
        # A document that was removed since its meaning was compared has no address any more.
        best = sorted((id for id in by if id in url), key=lambda id: (-worth[id], url[id]))[:k]
        return [(id, (matched.get(id) or close[id])[1], by[id]) for id in best]

    def apply_change(self, change: DocumentChange) -> None:
        """Replace a document by its new state, or remove it."""
        new = change.document
        old = self.run(
            "DELETE FROM {0}_document WHERE url = ? RETURNING id, passages", (new.url,)
        ).fetchall()
        for id, count in old:
            first = id << PLACE_BITS
            between = (first, first + count - 1)
            self.run("DELETE FROM {0}_passage WHERE rowid BETWEEN ? AND ?", between)
            self.run("DELETE FROM {0}_places WHERE document = ?", (id,))
        if not change.gone:
            self._add_document(new)

    def _add_document(self, new: Document) -> None:
        places = list(split_passages(new.text)) or [(0, 0)]
        values = (new.url, _display_title(new), new.published, new.key, len(places))
        (id,) = self.run(
            "INSERT INTO {0}_document(url, title, published, key, passages)"
            " VALUES (?, ?, ?, ?, ?) RETURNING id",
            values,
        ).fetchone()
        passages: list[tuple[int, str, str, str]] = []
        for place, (start, end) in enumerate(places):
            part = new.text[start:end]
            # The words of the title go into the first passage only.
            paired = part if place else f"{new.title} {part}"
            passages.append(
                ((id << PLACE_BITS) + place, new.title, part, _split_foreign_words(paired))
            )
        insert = "INSERT INTO {0}_passage(rowid, title, body, pairs) VALUES (?, ?, ?, ?)"
        self.db.executemany(insert.format(self.name), passages)
        self.run("INSERT INTO {0}_places VALUES (?, ?)", (id, json.dumps(places)))

    def build_result(self, id: int, best: int, by: str, query: str) -> Json:
        """Return a result of `Index.search` for this document and passage."""
        one = (
            "SELECT url, title, published, passages, places FROM {0}_document, {0}_places"
            " WHERE id = ? AND document = id"
        )
        url, title, published, count, listed = self.run(one, (id,)).fetchone()
        first = id << PLACE_BITS
        place = best - first
        start, end = json.loads(listed)[place]
        around = (max(first, best - 1), min(first + count - 1, best + 1))
        text = self.run(
            "SELECT body FROM {0}_passage WHERE rowid BETWEEN ? AND ? ORDER BY rowid", around
        ).fetchall()
        shown = make_snippet(query, "\n\n".join(body for (body,) in text), published)
        where = {
            "passage": place + 1,
            "passages": count,
            "start": start,
            "end": end,
            "by": by,
        }
        return {"url": url, "title": title, "snippet": shown, "published": published, **where}


def fuse_rankings(rankings: Sequence[Mapping[int, float]]) -> dict[int, float]:
    """Sum each item's standard scores; a ranking without the item counts its lowest."""
    total: dict[int, float] = {}
    every: set[int] = set()
    for scores in rankings:
        every |= scores.keys()
    for scores in rankings:
        if not scores:
            continue
        ordered = sorted(scores.values())  # sums of floats depend on the order
        mean, spread = fmean(ordered), pstdev(ordered) or 1.0
        for id in every:
            total[id] = round(total.get(id, 0.0) + (scores.get(id, ordered[0]) - mean) / spread, 6)
    return total


def match_words(query: str) -> list[str]:
    """Return the words to search for, in order.

    Function words are dropped, unless nothing else is left. In other languages than English, the
    stems of the words follow.
    """
    language = guess_language(query)  # "" for a few words
    asking = FUNCTION_WORDS if language in ("", "en") else find_question_words(language)
    words = list(dict.fromkeys(tokenize(query)))
    words = [word for word in words if word not in asking] or words
    stems = _stem_foreign(words, language)
    return list(dict.fromkeys([*words[:MAX_WORDS], *stems[:MAX_WORDS]]))


def _match_expression(words: Iterable[str]) -> str:
    """Write an FTS5 query for any of the words; quoting keeps them from being operators."""
    return " OR ".join('"' + word.replace('"', "") + '"' for word in words)


_UNSPACED = re.compile("[\u0e01-\u0e4e\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")


def _split_foreign_words(text: str) -> str:
    """Return what FTS5 finds by itself in English only: words without spaces, and stems."""
    language = guess_language(text)
    if language in ("", "en") and not _UNSPACED.search(text):
        return ""
    words = tokenize(text)
    unspaced = [word for word in words if _UNSPACED.match(word)]
    return " ".join([*unspaced, *_stem_foreign(words, language)])


def _stem_foreign(words: Iterable[str], language: str) -> list[str]:
    """Return the stems that differ from their words; none for English or an unknown language."""
    if language in ("", "en"):
        return []
    stems = ((word, stem(word, language)) for word in words)
    return [root for word, root in stems if root != word]


def _display_title(document: Document) -> str:
    """Return the title for results; an own document's includes its file name."""
    name = PurePath(document.file).name
    if is_own_document(document.url) and name and name not in document.title:
        return f"{document.title} · {name}"
    return document.title
