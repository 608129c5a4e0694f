"""Search one library with an SQLite FTS5 index of passages, kept in a temporary file.

The database holds the documents; the index follows it by change number and can be rebuilt at any
time. A document ranks by its best passage (BM25, English stems, weighted title), which measured
better than ranking whole documents. By words alone, a word found in no text or title finds nothing;
words of languages written without spaces are indexed as `tokenize` splits them, and words of other
languages than English with their stems. Given a query vector,
both rankings are fused: each score becomes its distance from the mean of its ranking, in standard
deviations.
"""

from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import PurePath
from statistics import fmean, pstdev
from typing import TYPE_CHECKING

from research_core.errors import StoreError
from research_core.model_messages import Json
from research_core.search.library.meaning import Vectors
from research_core.search.library.passages import split_passages
from research_core.search.library.shelf import Document, DocumentChange, Shelf
from research_core.search.library.snippet import make_snippet
from research_core.text.languages import guess_language
from research_core.text.question import find_question_words
from research_core.text.words import STOPWORDS, stem, tokenize
from research_core.urls import is_own_document

if TYPE_CHECKING:
    import numpy as np
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

#: Columns of a document. key: of its vectors; first, last: the numbers of its passages.
_FIELDS = ("url", "title", "published", "key", "first", "last")
_SCHEMA = (
    f"CREATE TABLE document (id INTEGER PRIMARY KEY, {', '.join(_FIELDS)}, UNIQUE (url))",
    "CREATE TABLE place (passage INTEGER PRIMARY KEY, start, stop)",
    (
        "CREATE VIRTUAL TABLE passage USING fts5(title, body, pairs, document UNINDEXED,"
        " tokenize='porter unicode61 remove_diacritics 2')"
    ),
)
# Materialised, because bm25() does not work inside an aggregate; min() makes SQLite take the rest
# of the row from the best passage.
_SEARCH = f"""
    WITH hit AS MATERIALIZED (
        SELECT rowid AS passage, document, bm25(passage, {TITLE_WEIGHT}, 1.0, 1.0) AS score
        FROM passage WHERE passage MATCH ?)
    SELECT min(score) AS score, passage, document.id, document.url
    FROM hit JOIN document ON document.id = hit.document
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
    """The index of one library, filled at its first search.

    Safe for any number of threads; searches run one after the other. sealed: the documents are
    encrypted at rest, so the index is kept in memory and never in a file.
    """

    def __init__(self, *, sealed: bool = False) -> None:
        self._lock, self._sealed = threading.Lock(), sealed
        self._reset()

    def _reset(self) -> None:
        where = ":memory:" if self._sealed else ""  # "": a temporary file
        self._db = sqlite3.connect(where, check_same_thread=False, isolation_level=None)
        if self._sealed:
            self._db.execute("PRAGMA temp_store=memory")
        for statement in _SCHEMA:
            self._db.execute(statement)
        self._seen = 0
        self._vectors = Vectors()

    def search(
        self, shelf: Shelf, query: str, k: int, sense: QueryVector | None = None
    ) -> list[Json]:
        """Return up to k results with snippets, best first.

        Fields: {"url", "title", "snippet", "published", "passage", "passages", "start", "end",
        "by"}. The snippet is from passage number "passage" of "passages", text[start:end] of the
        document; by: words | meaning | both. Searches by words alone if the vectors of any document
        are missing. Raises StoreError if the index cannot be written.
        """
        with self._lock:
            try:
                self._apply_changes(shelf)
                return [
                    self._build_result(*hit, query) for hit in self._rank(shelf, query, k, sense)
                ]
            except sqlite3.Error as error:
                self._db.close()
                self._reset()
                raise StoreError(
                    f"The search index failed: {error}.",
                    next_step="Free some space for temporary files.",
                ) from error

    def _rank(
        self, shelf: Shelf, query: str, k: int, sense: QueryVector | None
    ) -> list[tuple[int, int, str]]:
        """Return (document, passage, by) of the best k.

        The passage is the one the words found, if any: it shows what was asked.
        """
        words = match_words(query)
        depth = max(k, DEPTH) if sense else k
        rows = []
        if words:
            rows = self._db.execute(_SEARCH, (_match_expression(words), depth)).fetchall()
        matched = {id: (-score, passage) for score, passage, id, _ in rows}
        close = self._find_closest(shelf, sense, depth) if sense else None
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
        url = dict(self._db.execute("SELECT id, url FROM document"))
        best = sorted(by, key=lambda id: (-worth[id], url[id]))[:k]
        return [(id, (matched.get(id) or close[id])[1], by[id]) for id in best]

    def _find_closest(
        self, shelf: Shelf, sense: QueryVector, depth: int
    ) -> dict[int, tuple[float, int]] | None:
        """Return document -> (cosine, passage) of the closest; None if vectors are missing."""
        keys: dict[int, str] = {}
        first_passage: dict[int, int] = {}
        for id, key, first in self._db.execute("SELECT id, key, first FROM document"):
            keys[id] = key
            first_passage[id] = first
        found = self._vectors.closest(shelf, sense.model, sense.vector, keys, depth)
        if found is None:
            return None
        return {id: (cosine, first_passage[id] + place) for id, (cosine, place) in found.items()}

    def _apply_changes(self, shelf: Shelf) -> None:
        """Apply the changes made in the database since the last search."""
        changes = shelf.changes(self._seen)
        first = next(changes, None)
        if first is None:
            return
        seen = self._seen
        self._db.execute("BEGIN")
        with self._db:  # commits, or rolls back on failure
            for change in chain((first,), changes):
                self._apply_change(change)
                seen = change.seq
        self._seen = seen

    def _apply_change(self, change: DocumentChange) -> None:
        new = change.document
        old = self._db.execute(
            "DELETE FROM document WHERE url = ? RETURNING first, last", (new.url,)
        ).fetchall()
        for first, last in old:
            self._db.execute("DELETE FROM passage WHERE rowid BETWEEN ? AND ?", (first, last))
            self._db.execute("DELETE FROM place WHERE passage BETWEEN ? AND ?", (first, last))
        if not change.gone:
            self._add_document(new)

    def _add_document(self, new: Document) -> None:
        first = self._db.execute("SELECT coalesce(max(last), 0) + 1 FROM document").fetchone()[0]
        places = list(split_passages(new.text)) or [(0, 0)]
        values = (
            new.url,
            _display_title(new),
            new.published,
            new.key,
            first,
            first + len(places) - 1,
        )
        (id,) = self._db.execute(
            f"INSERT INTO document({', '.join(_FIELDS)}) VALUES (?, ?, ?, ?, ?, ?) RETURNING id",
            values,
        ).fetchone()
        passages: list[tuple[int, str, str, str, int]] = []
        for number, (start, end) in enumerate(places, first):
            part = new.text[start:end]
            # The words of the title go into the first passage only.
            paired = f"{new.title} {part}" if number == first else part
            passages.append((number, new.title, part, _split_foreign_words(paired), id))
        self._db.executemany(
            "INSERT INTO passage(rowid, title, body, pairs, document) VALUES (?, ?, ?, ?, ?)",
            passages,
        )
        positions = [(number, start, end) for number, (start, end) in enumerate(places, first)]
        self._db.executemany("INSERT INTO place VALUES (?, ?, ?)", positions)

    def _build_result(self, id: int, best: int, by: str, query: str) -> Json:
        one = (
            "SELECT url, title, published, first, last, start, stop FROM document, place WHERE id ="
            " ? AND passage = ?"
        )
        url, title, published, first, last, start, end = self._db.execute(
            one, (id, best)
        ).fetchone()
        around = (max(first, best - 1), min(last, best + 1))
        text = self._db.execute(
            "SELECT body FROM passage WHERE rowid BETWEEN ? AND ? ORDER BY rowid", around
        ).fetchall()
        shown = make_snippet(query, "\n\n".join(body for (body,) in text), published)
        where = {
            "passage": best - first + 1,
            "passages": last - first + 1,
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
