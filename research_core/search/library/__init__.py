"""The local library: documents of the analyst's own and pages saved earlier, added once, found by
words and by meaning, read like a page.

`Library` adds, lists, removes, searches and reads; `build_provider` and `build_reader` are how a run sees one
library. The sample library is made of the files in `sample/` at its first use, and again when they
change; it is searched by words alone, so that it gives the same on every machine. What may be
added, and how a folder says more about its files, stands in `reading`; what is there, in `finding`;
the database keeps the documents (`shelf`) and what a model makes of them (`meaning`), each process
its own index of them (`index`).
"""

from __future__ import annotations

import hashlib
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from research_core.errors import SearchError, UsageError
from research_core.journal.database import Database
from research_core.journal.deps import Documents, Http, Provider
from research_core.model_messages import Json
from research_core.models import Principal, SearchResult
from research_core.policy import SAMPLE_ENGINE
from research_core.search.library import finding, importing, meaning, reading
from research_core.search.library.finding import FoundFiles
from research_core.search.library.importing import FileResult, ImportResult, OnProgress, Read
from research_core.search.library.index import Index, QueryVector
from research_core.search.library.meaning import EmbeddingState
from research_core.search.library.passages import passage_spans
from research_core.search.library.shelf import Shelf, list_libraries
from research_core.search.queries import WebQuery
from research_core.settings import Settings
from research_core.text.embeddings import Embedder, MissingEmbedder
from research_core.text.words import strip_invisible
from research_core.urls import canonical_url

__all__ = [
    "SAMPLE_ENGINE",
    "EmbeddingState",
    "FileResult",
    "ImportResult",
    "Library",
    "build_provider",
    "build_reader",
]

SAMPLE_FOLDER = Path(__file__).parent / SAMPLE_ENGINE
MAX_RESULTS = 10
MAX_NAME_LENGTH = 300

MAX_RESULT_BYTES = ("url", "title", "snippet", "published")
BY_WORDS = "That way it gives the same on every machine."
NO_MODEL = MissingEmbedder("No model of meaning was given.")


class Library:
    """The libraries of one user's tenant, by name; any number may stand on one database. Raises
    StoreError where the database refuses.

    now: wall time, for the day a document was added. embedder: the model of meaning. most_bytes: of
    a file that a library reads.
    """

    most_bytes = reading.MAX_BYTES

    def __init__(
        self,
        db: Database,
        who: Principal,
        *,
        now: Callable[[], float] = time.time,
        embedder: Embedder = NO_MODEL,
    ) -> None:
        self._db, self._who, self._now, self._embedder = db, who, now, embedder
        self._sample = threading.Lock()
        self._sample_is_current = False

    def add(
        self, path: Path, name: str, on_progress: OnProgress | None = None, *, prune: bool = False
    ) -> ImportResult:
        """Read a file, folder or archive into a library, new or not; what is there already and
        unchanged is not read again.

        Documents whose files are no longer there are named in the answer and, with prune, taken
        out. Raises UsageError when there is nothing at the path, or the name is the sample's. A
        file that cannot be read is named in the answer.
        """
        _check_name(name)
        return self._bring(name, finding.find_files(path), on_progress, prune=prune)

    def add_sent(
        self, files: Sequence[tuple[str, bytes]], name: str, on_progress: OnProgress | None = None
    ) -> ImportResult:
        """As `add`, for (file name, bytes) that a browser sent. A name sent again replaces what it
        said before.
        """
        _check_name(name)
        return self._bring(name, finding.from_uploads(files), on_progress)

    def add_pages(
        self, addresses: Sequence[str], name: str, read: Read, on_progress: OnProgress | None = None
    ) -> ImportResult:
        """Fetch web pages into a library by `read`, which raises FetchError; each address has its
        line in the answer, in order.

        Raises UsageError for no address, for more than 500, and as `add`.
        """
        _check_name(name)
        return importing.import_pages(
            Shelf.open(self._db, self._who, name), addresses, read, self._now(), on_progress
        )

    def _bring(
        self, name: str, found: FoundFiles, on_progress: OnProgress | None, *, prune: bool = False
    ) -> ImportResult:
        shelf = Shelf.open(self._db, self._who, name)
        added, _ = importing.import_files(shelf, found, self._now(), on_progress)
        if not (prune and added.gone):
            return added
        return replace(added, gone=(), pruned=shelf.remove([url for url, _ in added.gone]))

    def meaning(self, name: str) -> EmbeddingState:
        """How far a library is known by meaning, and why not."""
        if name == SAMPLE_ENGINE:
            return EmbeddingState(BY_WORDS, len(self.documents(name)), 0, 0.0)
        shelf = Shelf.find(self._db, self._who, name)
        return meaning.read_state(shelf, self._embedder, shelf.count() if shelf else 0)

    def work_out(
        self,
        name: str,
        on_progress: OnProgress | None = None,
        *,
        within_s: float | None = None,
        go_on: Callable[[], bool] = lambda: True,
    ) -> EmbeddingState:
        """Work out the meaning of what is new, where there is a model; how far it has come. What is
        done is kept, so it can be stopped.

        within_s: begin with no other document after so long; go_on: asked before each.
        """
        shelf = Shelf.find(self._db, self._who, name)
        if shelf is not None and name != SAMPLE_ENGINE and not self._embedder.why:
            meaning.embed_new(shelf, self._embedder, on_progress, within_s=within_s, go_on=go_on)
        return self.meaning(name)

    def model(self, name: str) -> str:
        """What a run that searches this library by meaning says it does; "" where it is searched by
        words alone.
        """
        return meaning.model_name(self._embedder) if self.meaning(name).on else ""

    def make(self, name: str) -> str:
        """A new, empty library; its name with white space folded. Raises UsageError for a name that
        is taken or cannot be one.
        """
        name = " ".join(strip_invisible(name).split())
        _check_name(name)
        if set(name) & set("/\\~"):
            raise UsageError(
                "The name of a library holds no / or \\ or ~, which would make it a path.",
                next_step="Choose another name.",
            )
        if Shelf.find(self._db, self._who, name):
            raise UsageError(
                f"There is already a library {name!r}.", next_step="Choose it, or another name."
            )
        Shelf.open(self._db, self._who, name)
        return name

    def remove(self, name: str, urls: Sequence[str]) -> int:
        """Take documents out of a library for good; how many it held. Raises UsageError for the
        sample and for no such library.
        """
        return self._mine(name).remove(urls)

    def remove_library(self, name: str) -> None:
        """Take a library away with all its documents. What sessions have read of it stays with
        them. Raises UsageError as `remove`.
        """
        shelf = self._mine(name)
        shelf.drop()
        with _INDEXES_LOCK:
            _INDEXES.get(self._db, {}).pop(shelf.id, None)

    def _mine(self, name: str) -> Shelf:
        """A library that may be changed."""
        _check_name(name)
        shelf = Shelf.find(self._db, self._who, name)
        if shelf is None:
            raise UsageError(
                f"There is no library {name!r}.",
                next_step="The app's Library screen lists those there are.",
            )
        return shelf

    def prepare(self, name: str, on_progress: OnProgress | None = None) -> None:
        """Make the sample library where it is missing or its files have changed; searching it does
        the same. Others need nothing.
        """
        if name != SAMPLE_ENGINE:
            return
        with self._sample:
            if not self._sample_is_current:
                self._make_sample(on_progress)
                self._sample_is_current = True

    def exists(self, name: str) -> bool:
        return self._shelf(name) is not None

    def names(self) -> list[Json]:
        """{"name", "documents"} of each library, by name."""
        return list_libraries(self._db, self._who)

    def documents(self, name: str) -> list[Json]:
        """{"url", "title", "kind", "published", "file", "added_at", "size"} of each document, by
        title; [] of no library.
        """
        shelf = self._shelf(name)
        return shelf.documents() if shelf else []

    def search(
        self, name: str, query: str, k: int = MAX_RESULTS, *, by_meaning: bool = False
    ) -> list[Json]:
        """At most k of {"url", "title", "snippet", "published"}, best first; [] where nothing is
        found.

        by_meaning: by words and meaning, where the library is known by meaning; the rows then say
        "by": words | meaning | both.
        """
        fields = (*MAX_RESULT_BYTES, "by") if by_meaning else MAX_RESULT_BYTES
        return [
            {field: row[field] for field in fields}
            for row in self.find(name, query, k, by_meaning=by_meaning)
        ]

    def find(
        self, name: str, query: str, k: int = MAX_RESULTS, *, by_meaning: bool = True
    ) -> list[Json]:
        """As `search`, and the passage each snippet stands in: "passage", 1.., of "passages",
        text[start:end] of the document's text.
        """
        shelf = self._shelf(name)
        if shelf is None:
            return []
        return _open_index(shelf).search(
            shelf, query, k, self._sense(name, query) if by_meaning else None
        )

    def _sense(self, name: str, query: str) -> QueryVector | None:
        """What the query means; None where that is of no use."""
        if not query.strip() or not self.meaning(name).on:
            return None
        return QueryVector(meaning.model_name(self._embedder), self._embedder.embed([query])[0])

    def read(self, name: str, url: str) -> Json | None:
        """{"url", "title", "text", "kind", "published", "facts"} of the document at this address,
        in any spelling; None if not held.
        """
        shelf = self._shelf(name)
        try:
            return shelf.read(canonical_url(url)) if shelf else None
        except ValueError:
            return None

    def open_at(self, name: str, url: str, at: int | None) -> Json | None:
        """As `read`, with "start" and "end" of the passage in which this character of the text
        stands; 0 and 0 without one.
        """
        held = self.read(name, url)
        if held is None:
            return None
        places = (
            () if at is None else (place for place in passage_spans(held["text"]) if place[1] > at)
        )
        start, end = next(iter(places), (0, 0))
        return {**held, "start": start, "end": end}

    def _shelf(self, name: str) -> Shelf | None:
        self.prepare(name)
        return Shelf.find(self._db, self._who, name)

    def _make_sample(self, on_progress: OnProgress | None) -> None:
        stamp = _folder_stamp(SAMPLE_FOLDER)
        shelf = Shelf.open(self._db, self._who, SAMPLE_ENGINE)
        if shelf.stamp() == stamp:
            return
        _, current = importing.import_files(
            shelf, finding.find_files(SAMPLE_FOLDER), self._now(), on_progress
        )
        shelf.remove([url for sha, url in shelf.made_from().items() if sha not in current])
        shelf.set_stamp(stamp)


def _check_name(name: str) -> None:
    """Raises UsageError for a name that no library of the analyst's can have."""
    if name == SAMPLE_ENGINE:
        raise UsageError("The sample library cannot be changed.", next_step="Choose another name.")
    if not 0 < len(name) <= MAX_NAME_LENGTH or finding.display_path(name) != name:
        raise UsageError(
            f"The name of a library has 1 to {MAX_NAME_LENGTH} characters, all of them UTF-8.",
            next_step="Choose another name.",
        )


def _folder_stamp(folder: Path) -> str:
    """A hash of all files of a folder and of how they are read."""
    total = hashlib.sha256(str(reading.VERSION).encode())
    for path in sorted(folder.iterdir()):
        total.update(path.name.encode() + b"\n" + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


#: The indexes of this process, which go with their database.
_INDEXES: weakref.WeakKeyDictionary[Database, dict[str, Index]] = weakref.WeakKeyDictionary()
_INDEXES_LOCK = threading.Lock()


def _open_index(shelf: Shelf) -> Index:
    with _INDEXES_LOCK:
        return _INDEXES.setdefault(shelf.db, {}).setdefault(
            shelf.id, Index(sealed=shelf.db.cipher.on)
        )


# ---------------------------------------------------------------- as a run sees it


def build_provider(library: Library, name: str, model: str = "") -> Provider:
    """The search engine "library" of a run that searches this library. One that is gone has failed:
    it did not find nothing.

    model: what `Library.model` said when the run was made. It is part of the call's key; a replay
    asks no model.
    """

    def look(query: str) -> list[Json]:
        found = library.search(name, query, MAX_RESULTS, by_meaning=bool(model))
        if not found and not library.exists(
            name
        ):  # asked afterwards: it may be removed while it is searched
            step = "Choose one that the Library screen lists, and ask again."
            raise SearchError(f"There is no library {name!r}.", kind="not_found", next_step=step)
        return found

    def search(http: Http, settings: Settings, query: WebQuery) -> Sequence[SearchResult]:
        params = {"library": name, "query": query.text, "k": MAX_RESULTS} | (
            {"meaning": model} if model else {}
        )
        rows = http.call("library", params, lambda: look(query.text))
        return [
            SearchResult(row["title"], row["url"], row["snippet"], "library", row["published"])
            for row in rows
        ]

    return Provider("library", "library", search)


def build_reader(library: Library, name: str) -> Documents:
    """The documents of this library, as the fetch step sees them."""
    return _Reader(library, name)


@dataclass(frozen=True)
class _Reader:
    library: Library
    name: str

    def read(self, url: str) -> Json | None:
        return self.library.read(self.name, url)
