"""The libraries that one user may read, and a run's access to one of them.

A library is its maker's alone until they share it with their tenant; only they change or remove it.

`Library` adds, lists, removes, searches and reads; `build_provider` and `build_reader` give a run
access to one library. The sample library is built from the files in `sample/` at first use, and
again if they change. It is searched by words only: embedding it would take 11 s, and until then a
search would find something else.
"""

from __future__ import annotations

import hashlib
import threading
import time
import weakref
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path

from research_core.errors import SearchError, UsageError
from research_core.journal.database import Database
from research_core.journal.deps import Documents, Http, Provider
from research_core.model_messages import Json
from research_core.models import Principal, SearchResult, describe_respelled
from research_core.policy import SAMPLE_LIBRARY, SHARED_PREFIX
from research_core.search.library import file_discovery, importing, meaning, reading, removed
from research_core.search.library import shelf as shelves
from research_core.search.library.file_discovery import FoundFiles
from research_core.search.library.importing import ImportResult, OnProgress, Read
from research_core.search.library.index import CHANGES_PER_TRANSACTION, Index, QueryVector
from research_core.search.library.meaning import EmbeddingState
from research_core.search.library.passages import split_passages
from research_core.search.library.shelf import Shelf
from research_core.search.queries import WebQuery
from research_core.search.records import NotedRecords
from research_core.settings import Settings
from research_core.text.embeddings import Embedder, MissingEmbedder
from research_core.text.languages import guess_language
from research_core.text.question import find_keywords
from research_core.text.words import stem, strip_invisible
from research_core.urls import canonical_url

SAMPLE_FOLDER = Path(__file__).parent / SAMPLE_LIBRARY
MAX_RESULTS = 10
MAX_NAME_LENGTH = 300
MAX_SUBJECTS = 8
LIST_STEP = "`assay library list` and the app's Library screen show the libraries there are."

RESULT_FIELDS = ("url", "title", "snippet", "published")
BY_WORDS = "That way it finds the same on every machine, from the first search on."
NO_MODEL = MissingEmbedder("No model of meaning was given.")


class Library:
    """The libraries that one user may read, by name; "shared:TITLE" is one of another user.

    Any number may share one database. now: wall time, for the day a document was added; embedder:
    the embedding model; most_bytes: the largest file a library reads. Raises StoreError if the
    database refuses.
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
        """Import a file, folder or archive into a new or existing library.

        Unchanged files are not read again. The result names documents whose files are gone and,
        with prune, removes them; it also names files that cannot be read. Raises UsageError if
        nothing is at the path, for the name of a new library that `clean_library_name` refuses,
        and for a library of another user.
        """
        return self._import_found(name, file_discovery.find_files(path), on_progress, prune=prune)

    def add_uploads(
        self, files: Sequence[tuple[str, bytes]], name: str, on_progress: OnProgress | None = None
    ) -> ImportResult:
        """Import uploaded files, given as (file name, bytes), like `add`.

        A name uploaded again replaces the earlier document.
        """
        return self._import_found(name, file_discovery.list_uploads(files), on_progress)

    def add_pages(
        self, addresses: Sequence[str], name: str, read: Read, on_progress: OnProgress | None = None
    ) -> ImportResult:
        """Fetch web pages with `read` into a library and report on each, in order.

        `read` raises FetchError. Raises UsageError for no addresses, for more than 500, and as
        `add`.
        """
        shelf = self._open_own_shelf(name)
        added = importing.import_pages(shelf, addresses, read, self._now(), on_progress)
        _open_index(shelf).update(shelf)
        return added

    def _import_found(
        self, name: str, found: FoundFiles, on_progress: OnProgress | None, *, prune: bool = False
    ) -> ImportResult:
        shelf = self._open_own_shelf(name)
        index = _open_index(shelf)

        def follow(done: int, total: int, file: str) -> None:
            if on_progress:
                on_progress(done, total, file)
            if done % CHANGES_PER_TRANSACTION == 0:
                index.update(shelf)

        added, _ = importing.import_files(shelf, found, self._now(), follow)
        if prune and added.missing_files:
            gone = shelf.remove([url for url, _ in added.missing_files])
            added = replace(added, missing_files=(), pruned=gone)
        index.update(shelf)
        return added

    def read_embedding_state(self, name: str) -> EmbeddingState:
        """Return how much of a library is embedded, and why not all of it."""
        if name == SAMPLE_LIBRARY:
            return EmbeddingState(BY_WORDS, self.count_documents(name), 0, 0.0)
        shelf = self._find_shelf(name)
        return meaning.read_state(shelf, self._embedder, shelf.count() if shelf else 0)

    def embed_documents(
        self,
        name: str,
        on_progress: OnProgress | None = None,
        *,
        within_s: float | None = None,
        go_on: Callable[[], bool] = lambda: True,
    ) -> EmbeddingState:
        """Embed new documents if there is a model, and return the resulting state.

        Finished documents are kept, so it can be stopped at any time. within_s: start no further
        document after so long; go_on: asked before each document.
        """
        shelf = self._find_shelf(name)
        may_embed = shelf is not None and shelf.is_own and name != SAMPLE_LIBRARY
        if shelf is not None and may_embed and not self._embedder.why:
            meaning.embed_new(shelf, self._embedder, on_progress, within_s=within_s, go_on=go_on)
        return self.read_embedding_state(name)

    def choose_embedding_model(self, name: str) -> str:
        """Return the embedding model a run would search with; "" if by words only."""
        return meaning.name_model(self._embedder) if self.read_embedding_state(name).on else ""

    def create(self, name: str) -> str:
        """Create an empty, private library and return its name as `clean_library_name` has it.

        Raises UsageError if the name is taken or invalid.
        """
        name = clean_library_name(name)
        own = Shelf.find(self._db, self._who, name)
        if own and own.is_own:
            raise UsageError(
                f"There is already a library {name!r}.", next_step="Choose it, or another name."
            )
        Shelf.open(self._db, self._who, name)
        return name

    def share(self, name: str, shared: bool) -> None:
        """Let everybody of the tenant read and search a library, or only its maker.

        Raises UsageError as `remove`, and if another user shares one of this name.
        """
        self._get_own_shelf(name).set_shared(shared)

    def remove(self, name: str, urls: Sequence[str]) -> int:
        """Delete documents for good and return how many there were.

        Raises UsageError for the sample, an unknown library, and one of another user.
        """
        shelf = self._get_own_shelf(name)
        count = shelf.remove(urls)
        _open_index(shelf).update(shelf)
        return count

    def remove_library(self, name: str) -> None:
        """Remove a library, which `restore_library` brings back; sessions keep what they read.

        Raises UsageError as `remove`.
        """
        shelf = self._get_own_shelf(name)
        shelf.hide(self._now())
        with _INDEXES_LOCK:
            _INDEXES.get(self._db, {}).pop(shelf.id, None)

    def list_removed(self) -> list[Json]:
        """Return {"id", "title", "documents", "removed"} of removed libraries, newest first."""
        return shelves.list_removed_libraries(self._db, self._who)

    def restore_library(self, which: str, new_name: str = "") -> str:
        """Bring back a removed library and return its name.

        which: its name, its id, or the first characters of its id (at least 4). new_name: what it
        is called from now on; "": as before. Raises UsageError if none or several match, for a new
        name that `clean_library_name` refuses, and if the user has a library of that name.
        """
        title = clean_library_name(new_name) if new_name else ""
        row = removed.find_removed_library(self.list_removed(), _fold_name(which))
        return shelves.restore_library(self._db, self._who, row["id"], title)

    def _open_own_shelf(self, name: str) -> Shelf:
        """Return a library that may be added to, making it if there is none of this name."""
        _refuse_sample(_fold_name(name))
        found = self._find_shelf(name)
        if found is None or (not found.is_own and not name.startswith(SHARED_PREFIX)):
            return Shelf.open(self._db, self._who, clean_library_name(name))
        return self._get_own_shelf(name)

    def _get_own_shelf(self, name: str) -> Shelf:
        """Return a library that may be changed. Raises UsageError for any other."""
        _refuse_sample(_fold_name(name))
        shelf = self._find_shelf(name)
        if shelf is None:
            raise UsageError(
                f"There is no library {name!r}.",
                next_step=LIST_STEP,
            )
        if not shelf.is_own:
            raise UsageError(
                f"The library {name.removeprefix(SHARED_PREFIX)!r} belongs to another user, who"
                " alone can change it.",
                next_step="Use a library of your own.",
            )
        return shelf

    def prepare(self, name: str, on_progress: OnProgress | None = None) -> None:
        """Build the sample library if it is missing or outdated; do nothing for others.

        Searching the sample does this as well.
        """
        if name != SAMPLE_LIBRARY:
            return
        with self._sample:
            if not self._sample_is_current:
                self._make_sample(on_progress)
                self._sample_is_current = True

    def exists(self, name: str) -> bool:
        return self._find_shelf(name) is not None

    def list_libraries(self) -> list[Json]:
        """Return the libraries that can be read, as `shelf.list_libraries`."""
        return shelves.list_libraries(self._db, self._who)

    def list_documents(self, name: str) -> list[Json]:
        """List a library's documents by title; [] if there is no such library.

        Fields: {"url", "title", "kind", "published", "file", "added_at", "size"}.
        """
        shelf = self._find_shelf(name)
        return shelf.list_documents() if shelf else []

    def list_titles(self, name: str) -> list[tuple[str, str]]:
        """Return (URL, title) of each document, in the order of `list_documents`."""
        shelf = self._find_shelf(name)
        return shelf.list_titles() if shelf else []

    def list_subjects(self, name: str) -> list[str]:
        """Return what most documents are about, in the words of their titles, at most eight."""
        return find_shared_subjects([title for _url, title in self.list_titles(name)])

    def count_documents(self, name: str) -> int:
        """Count a library's documents; 0 if there is no such library."""
        shelf = self._find_shelf(name)
        return shelf.count() if shelf else 0

    def search(
        self, name: str, query: str, k: int = MAX_RESULTS, *, by_meaning: bool = False
    ) -> list[Json]:
        """Return up to k of {"url", "title", "snippet", "published"}, best first.

        by_meaning: search by words and meaning if the library is embedded; rows then have "by":
        words | meaning | both. Rows have "spelled", as `find`, if a word was respelled.
        """
        fields = (*RESULT_FIELDS, "by") if by_meaning else RESULT_FIELDS
        found = []
        for row in self.find(name, query, k, by_meaning=by_meaning):
            spelled = {"spelled": row["spelled"]} if row["spelled"] else {}
            found.append({field: row[field] for field in fields} | spelled)
        return found

    def find(
        self, name: str, query: str, k: int = MAX_RESULTS, *, by_meaning: bool = True
    ) -> list[Json]:
        """Search like `search`, and locate the passage of each snippet.

        "passage" counts from 1 to "passages" and is text[start:end] of the document's text.
        "spelled", the same in each row, lists [written, read] of each word of the query that no
        document holds and that is taken for a slip of the word searched for as well.
        """
        shelf = self._find_shelf(name)
        if shelf is None:
            return []
        sense = self._embed_query(name, query) if by_meaning else None
        return _open_index(shelf).search(shelf, query, k, sense)

    def _embed_query(self, name: str, query: str) -> QueryVector | None:
        """Embed the query; None if it is empty or the library is not embedded."""
        if not query.strip() or not self.read_embedding_state(name).on:
            return None
        return QueryVector(meaning.name_model(self._embedder), self._embedder.embed([query])[0])

    def read(self, name: str, url: str) -> Json | None:
        """Return the document at this URL, in any spelling; None if there is none.

        Fields: {"url", "title", "text", "kind", "published", "facts"}.
        """
        shelf = self._find_shelf(name)
        try:
            return shelf.read(canonical_url(url)) if shelf else None
        except ValueError:
            return None

    def read_at(self, name: str, url: str, at: int | None) -> Json | None:
        """Read a document and locate the passage at this character of its text.

        Adds "start" and "end" of the passage to `read`; both are 0 if there is none.
        """
        held = self.read(name, url)
        if held is None:
            return None
        if at is not None:
            for start, end in split_passages(held["text"]):
                if end > at:
                    return {**held, "start": start, "end": end}
        return {**held, "start": 0, "end": 0}

    def _find_shelf(self, name: str) -> Shelf | None:
        """Return the library of exactly this name, else of the name with white space collapsed."""
        self.prepare(name)
        if file_discovery.display_path(name) != name:  # no database stores such characters
            return None
        exact = Shelf.find(self._db, self._who, name)
        return exact or Shelf.find(self._db, self._who, _fold_name(name))

    def _make_sample(self, on_progress: OnProgress | None) -> None:
        stamp = _hash_sample()
        shelf = Shelf.open(self._db, self._who, SAMPLE_LIBRARY)
        if shelf.stamp() == stamp:
            return
        _, current = importing.import_files(
            shelf, file_discovery.find_files(SAMPLE_FOLDER), self._now(), on_progress
        )
        shelf.remove([url for sha, url in shelf.made_from().items() if sha not in current])
        shelf.set_stamp(stamp)


def clean_library_name(name: str) -> str:
    """Return the name for a new library, with white space collapsed; a folder's path stays as is.

    The one rule for every way to make a library. Raises UsageError for the sample's name, an empty
    or long one, and one that could be mistaken for a relative path or another user's library.
    """
    is_storable = file_discovery.display_path(name) == name
    name = _fold_name(name)
    _refuse_sample(name)
    if not 0 < len(name) <= MAX_NAME_LENGTH or not is_storable:
        raise UsageError(
            f"The name of a library has 1 to {MAX_NAME_LENGTH} characters, all of them UTF-8; this"
            f" one has {len(name)}.",
            next_step="Choose another name.",
        )
    if set(name) & set("/\\~") and not Path(name).is_absolute():
        raise UsageError(
            "The name of a library holds no / or \\ or ~, unless it is the whole path of a folder.",
            next_step="Choose another name.",
        )
    if name.startswith(SHARED_PREFIX):
        raise UsageError(
            f"The name of a library does not begin with {SHARED_PREFIX}, which marks those of"
            " other users.",
            next_step="Choose another name.",
        )
    return name


def _fold_name(name: str) -> str:
    """Return a name without invisible characters and repeated spaces; a path unchanged."""
    return name if Path(name).is_absolute() else " ".join(strip_invisible(name).split())


def _refuse_sample(name: str) -> None:
    if name == SAMPLE_LIBRARY:
        raise UsageError("The sample library cannot be changed.", next_step="Choose another name.")


@cache
def _hash_sample() -> str:
    """Hash the files of the sample and the version of the readers."""
    total = hashlib.sha256(str(reading.VERSION).encode())
    for path in sorted(SAMPLE_FOLDER.iterdir()):
        total.update(path.name.encode() + b"\n" + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


#: The indexes of this process, released with their database.
_INDEXES: weakref.WeakKeyDictionary[Database, dict[str, Index]] = weakref.WeakKeyDictionary()
_INDEXES_LOCK = threading.Lock()


def _open_index(shelf: Shelf) -> Index:
    with _INDEXES_LOCK:
        indexes = _INDEXES.setdefault(shelf.db, {})
        if shelf.id not in indexes:
            indexes[shelf.id] = Index(shelf)
        return indexes[shelf.id]


# ---------------------------------------------------------------- as a run sees it


def build_provider(library: Library, name: str, model: str = "") -> Provider:
    """Build the search engine "library" for a run.

    A deleted library is a failure, not an empty result. model: what
    `Library.choose_embedding_model` returned when the run was created; it is part of the call's
    key, and a replay asks no model.
    """

    def look(query: str) -> list[Json]:
        found = library.search(name, query, MAX_RESULTS, by_meaning=bool(model))
        # Checked after the search, because the library may be removed while it is searched.
        if not found and not library.exists(name):
            step = f"{LIST_STEP} Choose one, and ask again."
            raise SearchError(f"There is no library {name!r}.", kind="not_found", next_step=step)
        return found

    def search(http: Http, settings: Settings, query: WebQuery) -> Sequence[SearchResult]:
        params: Json = {"library": name, "query": query.text, "k": MAX_RESULTS}
        if model:
            params["meaning"] = model
        rows = http.call("library", params, lambda: look(query.text))
        results = [
            SearchResult(row["title"], row["url"], row["snippet"], "library", row["published"])
            for row in rows
        ]
        spelled = list_respelled(rows)
        if not spelled:
            return results
        notes = [describe_respelled(spelled)]
        return NotedRecords(results, notes, understood={"spelled": spelled})

    return Provider("library", "library", search)


def build_reader(library: Library, name: str) -> Documents:
    """Build the reader of this library for the fetch step."""
    return _Reader(library, name)


@dataclass(frozen=True)
class _Reader:
    library: Library
    name: str

    def read(self, url: str) -> Json | None:
        return self.library.read(self.name, url)

    def guess_language(self) -> str:
        return guess_language(". ".join(title for _, title in self.library.list_titles(self.name)))


def list_respelled(rows: Sequence[Json]) -> list[list[str]]:
    """Return (written, read) of each word of a query in whose place another found these rows."""
    spelled: list[list[str]] = rows[0].get("spelled", []) if rows else []
    return spelled


def find_shared_subjects(titles: Sequence[str]) -> list[str]:
    """Return the pairs of keywords that most titles have, each of other titles than those before.

    A pair of a single title is no subject. At most MAX_SUBJECTS.
    """
    pairs = [_pair_keywords(title) for title in titles]
    subjects: list[str] = []
    while len(subjects) < MAX_SUBJECTS:
        counts = Counter(key for found in pairs for key in found)
        best = min(counts, key=lambda key: (-counts[key], key), default=None)
        if best is None or counts[best] < 2:
            break
        spellings = Counter(found[best] for found in pairs if best in found)
        subjects.append(min(spellings, key=lambda words: (-spellings[words], words.swapcase())))
        pairs = [found for found in pairs if best not in found]
    return subjects


def _pair_keywords(title: str) -> dict[tuple[str, str], str]:
    """Return the neighbouring keywords of a title by their stems, as they are written there."""
    pairs = {}
    keywords = find_keywords(title)
    for first, second in pairwise(keywords):
        if first.isnumeric() or second.isnumeric() or f"{first} {second}" not in title:
            continue
        key = stem(first.casefold()), stem(second.casefold())
        pairs[key] = f"{first} {second}"
    return pairs
