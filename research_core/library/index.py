"""Full-text search over one library: an SQLite FTS5 index of passages, kept by this process in a file that goes when the process goes.

The database holds the documents; the index follows it by document number and can be thrown away at any time. A document ranks by its
best passage (BM25, English stems, title weighted), which puts good pages first more often than ranking whole documents does. It knows
no meaning: a word that is in neither text nor title finds nothing. Words of languages written without spaces are found as pairs.
"""

from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import PurePath

from research_core.errors import StoreError
from research_core.library.shelf import Change, Document, Shelf
from research_core.library.snippet import snippet
from research_core.models import Json
from research_core.text import STOPWORDS, tokens
from research_core.urls import is_own

#: Characters of a passage, and how much a word in the title counts against one in the text. Measured; see CONTRIBUTING.
PASSAGE = 700
TITLE_WEIGHT = 3.0
MAX_WORDS = 64
#: Words that say nothing of what a question is about, beside the specification's stopwords.
FUNCTION_WORDS = STOPWORDS | frozenset(
    """
    do does did can could should would will shall may might must be been being am was were has have had i me my we us our you your he she it
    its they them their this that these those there here which when whose if so than then as from into not no any some such also just please
    """.split()
)

_FIELDS = ("url", "title", "published", "first", "last")  # first, last: its passages
_SCHEMA = (
    f"CREATE TABLE document (id INTEGER PRIMARY KEY, {', '.join(_FIELDS)}, UNIQUE (url))",
    "CREATE VIRTUAL TABLE passage USING fts5(title, body, pairs, document UNINDEXED, tokenize='porter unicode61 remove_diacritics 2')",
)
# Materialised, because bm25() does not work inside an aggregate; min() makes SQLite take the rest of the row from the best passage.
_SEARCH = f"""
    WITH hit AS MATERIALIZED (
        SELECT rowid AS passage, document, bm25(passage, {TITLE_WEIGHT}, 1.0, 1.0) AS score FROM passage WHERE passage MATCH ?)
    SELECT min(score) AS score, passage, document.url, document.title, published, first, last
    FROM hit JOIN document ON document.id = hit.document GROUP BY document.id ORDER BY score, url LIMIT ?
"""


class Index:
    """The index of one library, empty until its first search. Safe for any number of threads, which search one after the other."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._forget()

    def _forget(self) -> None:
        self._db = sqlite3.connect("", check_same_thread=False, isolation_level=None)  # "": a file of its own, deleted when closed
        for statement in _SCHEMA:
            self._db.execute(statement)
        self._seen = 0

    def search(self, shelf: Shelf, query: str, k: int) -> list[Json]:
        """At most k of {"url", "title", "snippet", "published", "passage", "passages"}, best first: the snippet is from that passage, 1..,

        of so many. Raises StoreError when the index cannot be written.
        """
        with self._lock:
            try:
                self._follow(shelf)
                words = match_words(query)
                rows = self._db.execute(_SEARCH, (_expression(words), k)).fetchall() if words else []
                return [self._result(row, query) for row in rows]
            except sqlite3.Error as error:
                self._db.close()
                self._forget()
                raise StoreError(f"The search index failed: {error}.", next_step="Free some space for temporary files.") from error

    def _follow(self, shelf: Shelf) -> None:
        """Take in what changed in the database since the last look."""
        changes = shelf.changes(self._seen)
        first = next(changes, None)
        if first is None:
            return
        seen = self._seen
        self._db.execute("BEGIN")
        with self._db:  # commits, or rolls back what a failing database left half taken in
            for change in chain((first,), changes):
                self._take(change)
                seen = change.seq
        self._seen = seen

    def _take(self, change: Change) -> None:
        new = change.document
        old = self._db.execute("DELETE FROM document WHERE url = ? RETURNING first, last", (new.url,)).fetchall()
        for first, last in old:
            self._db.execute("DELETE FROM passage WHERE rowid BETWEEN ? AND ?", (first, last))
        if not change.gone:
            self._add(new)

    def _add(self, new: Document) -> None:
        first = self._db.execute("SELECT coalesce(max(last), 0) + 1 FROM document").fetchone()[0]
        parts = list(passages(new.text)) or [""]
        values = (new.url, _named(new), new.published, first, first + len(parts) - 1)
        (id,) = self._db.execute(f"INSERT INTO document({', '.join(_FIELDS)}) VALUES (?, ?, ?, ?, ?) RETURNING id", values).fetchone()
        rows = ((first + n, new.title, part, _pairs(part if n else f"{new.title} {part}"), id) for n, part in enumerate(parts))
        self._db.executemany("INSERT INTO passage(rowid, title, body, pairs, document) VALUES (?, ?, ?, ?, ?)", rows)

    def _result(self, row: tuple[float, int, str, str, str, int, int], query: str) -> Json:
        _, best, url, title, published, first, last = row
        around = (max(first, best - 1), min(last, best + 1))
        text = self._db.execute("SELECT body FROM passage WHERE rowid BETWEEN ? AND ? ORDER BY rowid", around).fetchall()
        shown = snippet(query, "\n\n".join(body for (body,) in text), published)
        where = {"passage": best - first + 1, "passages": last - first + 1}
        return {"url": url, "title": title, "snippet": shown, "published": published, **where}


def match_words(query: str) -> list[str]:
    """The words of a query that are searched for, in order; all of them where nothing but function words is left."""
    words = list(dict.fromkeys(tokens(query)))
    return ([word for word in words if word not in FUNCTION_WORDS] or words)[:MAX_WORDS]


def _expression(words: Iterable[str]) -> str:
    """Any of the words. Quoted, so that no word is taken for an operator."""
    return " OR ".join('"' + word.replace('"', "") + '"' for word in words)


_HAN = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")


def _pairs(text: str) -> str:
    """What FTS5 would take for one long word, as the pairs that `text.tokens` makes of it and of a query."""
    return " ".join(word for word in tokens(text) if _HAN.match(word)) if _HAN.search(text) else ""


_BREAK = re.compile(r"\n\n+")


def passages(text: str, size: int = PASSAGE) -> Iterator[str]:
    """The text cut into stretches of about `size` characters, between blocks where there are any, else between words."""
    held: list[str] = []
    length = 0
    for block in _BREAK.split(text):
        for part in _cut(block, size):
            if held and length + len(part) > size:
                yield "\n\n".join(held)
                held, length = [], 0
            held.append(part)
            length += len(part)
    if held:
        yield "\n\n".join(held)


def _cut(block: str, size: int) -> Iterator[str]:
    start = 0
    while len(block) - start > 2 * size:
        end = start + size
        at = max(block.rfind(". ", start, end) + 1, block.rfind("\n", start, end))
        at = at if at > start + size // 2 else block.rfind(" ", start, end)
        at = at if at > start else end
        yield block[start:at].strip()
        start = at
    if block[start:].strip():
        yield block[start:].strip()


def _named(document: Document) -> str:
    """The title as results show it. An own document has no address to be found by, so the name of its file stands with it."""
    name = PurePath(document.file).name
    return f"{document.title} · {name}" if is_own(document.url) and name and name not in document.title else document.title
