"""The local library: documents of the analyst's own and pages saved earlier, added once, found by words, read like a page.

`Library` adds, lists, removes, searches and reads; `provider` and `reader` are how a run sees one library. The sample library is made of
the files in `sample/` at its first use, and again when they change. What may be added, and how a folder says more about its files, stands
in `reading`; the database keeps the documents (`shelf`), each process its own index of them (`index`).
"""

from __future__ import annotations

import hashlib
import threading
import time
import weakref
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from research_core.database import Database
from research_core.deps import Documents, Http, Provider
from research_core.errors import FetchError, SearchError, UsageError
from research_core.library import reading
from research_core.library.index import Index
from research_core.library.shelf import Document, Shelf, libraries
from research_core.models import Json, Principal, SearchQuery, SearchResult
from research_core.policy import SAMPLE
from research_core.settings import Settings
from research_core.text import visible
from research_core.urls import canonical, is_own
from research_core.web.sandbox import SHARED

SAMPLE_FOLDER = Path(__file__).parent / SAMPLE
RESULTS = 10
#: Documents written in one transaction; so many are read again at most when an import is cut short.
BATCH = 25
LONGEST_NAME = 300

#: What becomes of a file, by the kind of its failure: nothing in it, not one for this reader, or a failure that may pass.
STATES = {"content_empty": "empty", "unsupported": "refused", "too_large": "refused"}
RESULT = ("url", "title", "snippet", "published")

#: done, total, name of the file just read.
OnProgress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class FileRead:
    """What became of one file. state: added | replaced | unchanged | repeated | empty | refused | failed; reason: of the last three."""

    name: str
    state: str
    reason: str = ""


@dataclass(frozen=True)
class Added:
    """What an import did, in documents. failed: (file, reason) each; repeated: files whose address an earlier file of the same import has;

    ignored: files of kinds the library does not read; files: each one in order, with what became of it.
    """

    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    repeated: int = 0
    failed: tuple[tuple[str, str], ...] = ()
    ignored: int = 0
    files: tuple[FileRead, ...] = ()

    def sentence(self) -> str:
        """One line for a terminal or a screen, and one for each file that failed."""
        counts = (
            (self.added, "added"),
            (self.replaced, "replaced"),
            (self.unchanged, "unchanged"),
            (self.repeated, "with an address already taken"),
            (len(self.failed), "that could not be read"),
            (self.ignored, "of other kinds"),
        )
        said = ", ".join(f"{number:,} {what}" for number, what in counts if number) or "nothing there"
        return "\n".join((f"Documents: {said}.", *(f"  {name}: {reason}" for name, reason in self.failed)))


class Library:
    """The libraries of one user's tenant, by name; any number may stand on one database. Raises StoreError where the database refuses.

    now: wall time, for the day a document was added. most_bytes: of a file that a library reads.
    """

    most_bytes = reading.MAX_BYTES

    def __init__(self, db: Database, who: Principal, *, now: Callable[[], float] = time.time) -> None:
        self._db, self._who, self._now = db, who, now
        self._sample = threading.Lock()
        self._sample_is_current = False

    def add(self, path: Path, name: str, on_progress: OnProgress | None = None) -> Added:
        """Read a file or folder into a library, new or not; what is there already and unchanged is not read again.

        Raises UsageError when there is nothing at the path, or the name is the sample's. A file that cannot be read is named in the answer.
        """
        _check_name(name)
        found = reading.find(path)
        return self._import(Shelf.open(self._db, self._who, name), found, on_progress)[0]

    def add_sent(self, files: Sequence[tuple[str, bytes]], name: str, on_progress: OnProgress | None = None) -> Added:
        """As `add`, for (file name, bytes) that a browser sent. A name sent again replaces what it said before."""
        _check_name(name)
        return self._import(Shelf.open(self._db, self._who, name), reading.sent(files), on_progress)[0]

    def make(self, name: str) -> str:
        """A new, empty library; its name with white space folded. Raises UsageError for a name that is taken or cannot be one."""
        name = " ".join(visible(name).split())
        _check_name(name)
        if set(name) & set("/\\~"):
            raise UsageError("The name of a library holds no / or \\ or ~, which would make it a path.", next_step="Choose another name.")
        if Shelf.find(self._db, self._who, name):
            raise UsageError(f"There is already a library {name!r}.", next_step="Choose it, or another name.")
        Shelf.open(self._db, self._who, name)
        return name

    def remove(self, name: str, urls: Sequence[str]) -> int:
        """Take documents out of a library for good; how many it held. Raises UsageError for the sample and for no such library."""
        return self._mine(name).remove(urls)

    def remove_library(self, name: str) -> None:
        """Take a library away with all its documents. What sessions have read of it stays with them. Raises UsageError as `remove`."""
        shelf = self._mine(name)
        shelf.drop()
        with _INDEXES_LOCK:
            _INDEXES.get(self._db, {}).pop(shelf.id, None)

    def _mine(self, name: str) -> Shelf:
        """A library that may be changed."""
        _check_name(name)
        shelf = Shelf.find(self._db, self._who, name)
        if shelf is None:
            raise UsageError(f"There is no library {name!r}.", next_step="The app's Library screen lists those there are.")
        return shelf

    def prepare(self, name: str, on_progress: OnProgress | None = None) -> None:
        """Make the sample library where it is missing or its files have changed; searching it does the same. Others need nothing."""
        if name != SAMPLE:
            return
        with self._sample:
            if not self._sample_is_current:
                self._make_sample(on_progress)
                self._sample_is_current = True

    def exists(self, name: str) -> bool:
        return self._shelf(name) is not None

    def names(self) -> list[Json]:
        """{"name", "documents"} of each library, by name."""
        return libraries(self._db, self._who)

    def documents(self, name: str) -> list[Json]:
        """{"url", "title", "kind", "published", "file", "added_at", "size"} of each document, by title; [] of no library."""
        shelf = self._shelf(name)
        return shelf.documents() if shelf else []

    def search(self, name: str, query: str, k: int = RESULTS) -> list[Json]:
        """At most k of {"url", "title", "snippet", "published"}, best first; [] where nothing matches."""
        return [{field: row[field] for field in RESULT} for row in self.find(name, query, k)]

    def find(self, name: str, query: str, k: int = RESULTS) -> list[Json]:
        """As `search`, and where in the document each snippet stands: "passage", 1.., of "passages"."""
        shelf = self._shelf(name)
        return _index(shelf).search(shelf, query, k) if shelf else []

    def read(self, name: str, url: str) -> Json | None:
        """{"url", "title", "text", "kind", "published"} of the document at this address, in any spelling; None if not held."""
        shelf = self._shelf(name)
        try:
            return shelf.read(canonical(url)) if shelf else None
        except ValueError:
            return None

    def _shelf(self, name: str) -> Shelf | None:
        self.prepare(name)
        return Shelf.find(self._db, self._who, name)

    def _make_sample(self, on_progress: OnProgress | None) -> None:
        stamp = _folder_stamp(SAMPLE_FOLDER)
        shelf = Shelf.open(self._db, self._who, SAMPLE)
        if shelf.stamp() == stamp:
            return
        _, current = self._import(shelf, reading.find(SAMPLE_FOLDER), on_progress)
        shelf.remove([url for sha, url in shelf.made_from().items() if sha not in current])
        shelf.set_stamp(stamp)

    def _import(self, shelf: Shelf, found: reading.Found, on_progress: OnProgress | None) -> tuple[Added, frozenset[str]]:
        """Read what is new; also the stamps of all documents that these files make."""
        known = shelf.made_from()
        held, own = frozenset(known.values()), shelf.own_files()
        taken, stamps, batch = set[str](), set[str](), list[Document]()
        told = [FileRead(name, "failed", reason) for name, reason in found.failed]
        if any(file.path.suffix.lower() == ".pdf" for file in found.files):
            SHARED.warm()
        for n, file in enumerate(found.files, 1):
            try:
                body = reading.body_of(file)
                stamp = reading.stamp(file, body)
                new = None if stamp in known else reading.read(file, body)
                url = new.url if new else known[stamp]
                again = new and (url in held or (is_own(url) and new.file in own))
                told.append(FileRead(file.name, "repeated" if url in taken else "replaced" if again else "added" if new else "unchanged"))
                taken.add(url)
                stamps.add(stamp)
                batch += [new] if new and told[-1].state != "repeated" else []
            except FetchError as error:
                told.append(FileRead(file.name, STATES.get(error.kind, "failed"), error.sentence()))
            if batch and (len(batch) >= BATCH or n == len(found.files)):
                shelf.put(batch, self._now())
                batch = []
            if on_progress:
                on_progress(n, len(found.files), file.name)
        return _added(told, found.ignored), frozenset(stamps)


def _added(told: Sequence[FileRead], ignored: int) -> Added:
    counts = Counter(file.state for file in told)
    read = {state: counts[state] for state in ("added", "replaced", "unchanged", "repeated")}
    return Added(**read, failed=tuple((file.name, file.reason) for file in told if file.reason), ignored=ignored, files=tuple(told))


def _check_name(name: str) -> None:
    """Raises UsageError for a name that no library of the analyst's can have."""
    if name == SAMPLE:
        raise UsageError("The sample library cannot be changed.", next_step="Choose another name.")
    if not 0 < len(name) <= LONGEST_NAME:
        raise UsageError(f"The name of a library has 1 to {LONGEST_NAME} characters.", next_step="Choose another name.")


def _folder_stamp(folder: Path) -> str:
    """A hash of all files of a folder and of how they are read."""
    total = hashlib.sha256(str(reading.VERSION).encode())
    for path in sorted(folder.iterdir()):
        total.update(path.name.encode() + b"\n" + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


#: The indexes of this process, which go with their database.
_INDEXES: weakref.WeakKeyDictionary[Database, dict[str, Index]] = weakref.WeakKeyDictionary()
_INDEXES_LOCK = threading.Lock()


def _index(shelf: Shelf) -> Index:
    with _INDEXES_LOCK:
        return _INDEXES.setdefault(shelf.db, {}).setdefault(shelf.id, Index())


# ---------------------------------------------------------------- as a run sees it


def provider(library: Library, name: str) -> Provider:
    """The search engine "library" of a run that searches this library. One that is gone has failed: it did not find nothing."""

    def look(query: str) -> list[Json]:
        found = library.search(name, query, RESULTS)
        if not found and not library.exists(name):  # asked afterwards: it may be removed while it is searched
            step = "Choose one that the Library screen lists, and ask again."
            raise SearchError(f"There is no library {name!r}.", kind="not_found", next_step=step)
        return found

    def search(http: Http, settings: Settings, query: SearchQuery) -> Sequence[SearchResult]:
        params = {"library": name, "query": query.text, "k": RESULTS}
        rows = http.call("library", params, lambda: look(query.text))
        return [SearchResult(row["title"], row["url"], row["snippet"], "library", row["published"]) for row in rows]

    return Provider("library", "library", search)


def reader(library: Library, name: str) -> Documents:
    """The documents of this library, as the fetch step sees them."""
    return _Reader(library, name)


@dataclass(frozen=True)
class _Reader:
    library: Library
    name: str

    def read(self, url: str) -> Json | None:
        return self.library.read(self.name, url)
