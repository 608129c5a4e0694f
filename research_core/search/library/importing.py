"""Import files and web pages into a library, and report what happened to each.

Finding files (`file_discovery`), parsing them (`reading`) and fetching pages is done elsewhere; the
function that fetches a page is passed in.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from research_core.errors import FetchError, UsageError
from research_core.i18n import _, format_number, join_list, ngettext
from research_core.models import Page, select_stored_facts
from research_core.search.library import reading
from research_core.search.library.file_discovery import FoundFiles
from research_core.search.library.reading import SourceFile
from research_core.search.library.shelf import Document, Shelf
from research_core.text.words import strip_invisible, to_single_line
from research_core.urls import canonical_url, is_own_document
from research_core.web.documents.sandbox import SHARED_SANDBOX

#: Documents per transaction, which is how many are read again after an interruption.
BATCH = 25
#: Pages fetched at once, and addresses accepted in one import.
PARALLEL_FETCHES, MAX_PAGES = 4, 500
#: Left-out files to name; the rest are counted.
MAX_NAMED = 5

#: States by error kind: nothing in it, not readable here, or (other kinds) possibly temporary.
STATES = {
    "content_empty": "empty",
    "unsupported": "refused",
    "too_large": "refused",
    "validation": "refused",
    "blocked": "refused",
}
#: Error kinds that show a file of unknown type to be no document.
NO_DOCUMENT = frozenset({"content_empty", "unsupported", "too_large"})
#: Next steps for failed pages whose error has none.
STEPS = {
    "network": "Check the address, and whether this machine has a network; then add it again.",
    "timeout": "Add it again later.",
    "upstream_unavailable": "Add it again later.",
    "rate_limited": "Add it again later.",
    "not_found": "Check the address.",
    "auth_required": "Save the page from your browser, and drop the file here.",
    "validation": (
        "Only pages of the public web are read; save this one from your browser, and drop the file"
        " here."
    ),
    "blocked": "Save the page from your browser, and drop the file here.",
    "content_empty": "Save the page from your browser once it has loaded, and drop the file here.",
}

#: Called with: files done, total, name of the last file.
OnProgress = Callable[[int, int, str], None]
Read = Callable[[str], Page]


@dataclass(frozen=True)
class FileResult:
    """The result for one file or address.

    state: added | replaced | unchanged | repeated (same text as an earlier one) | taken (same
    address as an earlier one) | left (no document) | empty | refused | failed. reason: of the last
    five, with the next step.
    """

    name: str
    state: str
    reason: str = ""


@dataclass(frozen=True)
class ImportResult:
    """The result of an import, in documents.

    duplicates: files with the text of an earlier file; failed, address_conflicts, left_out: (file,
    reason) of those that could not be read, that share the address of an earlier one, and that are
    no documents; files: the result of each, in order; missing_files: (address, place) of documents
    whose files have disappeared from the folder or archive; pruned: how many of those were removed.
    """

    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    duplicates: int = 0
    failed: tuple[tuple[str, str], ...] = ()
    address_conflicts: tuple[tuple[str, str], ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    files: tuple[FileResult, ...] = ()
    missing_files: tuple[tuple[str, str], ...] = ()
    pruned: int = 0

    def sentence(self) -> str:
        """Summarize for a terminal or a screen, with a line per failed file."""
        counts = (
            (self.added, _("{count} added")),
            (self.replaced, _("{count} replaced")),
            (self.unchanged, _("{count} unchanged")),
            (self.duplicates, _("{count} same as another")),
            (len(self.address_conflicts), _("{count} with an address in use")),
            (len(self.failed), _("{count} not added")),
            (len(self.left_out), _("{count} left out")),
            (self.pruned, _("{count} removed that left the folder")),
        )
        summary = join_list(
            [text.format(count=format_number(number)) for number, text in counts if number]
        )
        lost = [
            f"  {to_single_line(name)}: {to_single_line(reason)}"
            for name, reason in (*self.failed, *self.address_conflicts)
        ]
        line = _("Documents: {counts}.").format(counts=summary or _("none found"))
        return "\n".join((line, *lost, *self._left_out()))

    def _left_out(self) -> Iterator[str]:
        if not self.left_out:
            return
        named = [
            f"{to_single_line(name)} ({to_single_line(what)})"
            for name, what in self.left_out[:MAX_NAMED]
        ]
        unnamed = len(self.left_out) - len(named)
        if unnamed:
            named.append(_("{count} more").format(count=format_number(unnamed)))
        yield "  " + _("Left out: {files}.").format(files=join_list(named))

    def describe_missing_files(self) -> str:
        """Describe the documents whose files are gone; "" if there are none."""
        if not self.missing_files:
            return ""
        return ngettext(
            "{count} document left this folder but is still in the library.",
            "{count} documents left this folder but are still in the library.",
            len(self.missing_files),
        ).format(count=format_number(len(self.missing_files)))


@dataclass(frozen=True)
class _ReadFile:
    """A file that could be read.

    stamp: what it was read from and by which rules; digest: the hash of its bytes; url: of its
    document; document: None if the library has it already.
    """

    stamp: str
    digest: bytes
    url: str
    document: Document | None


def import_files(
    shelf: Shelf, found: FoundFiles, at: float, on_progress: OnProgress | None = None
) -> tuple[ImportResult, frozenset[str]]:
    """Read new files into the library; also return the stamps of all files read."""
    known = shelf.made_from()
    stored = shelf.files()
    own_files = {place for url, place in stored.items() if is_own_document(url)}
    first_with_url: dict[str, tuple[str, bytes]] = {}
    stamps: set[str] = set()
    batch: list[Document] = []
    results = [FileResult(name, "failed", reason) for name, reason in found.failed]
    if any(file.suffix in reading.PARSED_IN_CHILD for file in found.files):
        SHARED_SANDBOX.warm()
    for n, file in enumerate(found.files, 1):
        try:
            read = _read_file(file, known)
        except FetchError as error:
            results.append(_describe_failure(file, error))
        else:
            this = file.name, read.digest
            first = first_with_url.setdefault(read.url, this)
            duplicate = _describe_duplicate(file.name, read.url, first, this)
            state = _determine_state(read.document, stored, own_files)
            results.append(duplicate or FileResult(file.name, state))
            stamps.add(read.stamp)
            if read.document and first is this:
                batch.append(read.document)
        if batch and (len(batch) >= BATCH or n == len(found.files)):
            shelf.put(batch, at)
            batch = []
        if on_progress:
            on_progress(n, len(found.files), file.name)
    results += [FileResult(name, "left", what) for name, what in found.non_documents]
    missing = [
        (url, place)
        for url, place in shelf.files().items()
        if url not in first_with_url and found.is_gone(place)
    ]
    return _summarize(results, tuple(sorted(missing))), frozenset(stamps)


def _read_file(file: SourceFile, known: Mapping[str, str]) -> _ReadFile:
    """Read a file, and parse it if its stamp is not among the known ones, {stamp: url}.

    Raises FetchError.
    """
    body = reading.load_body(file)
    stamp = reading.compute_file_stamp(file, body)
    document = None if stamp in known else reading.read_document(file, body)
    url = document.url if document else known[stamp]
    return _ReadFile(stamp, hashlib.sha256(body).digest(), url, document)


def _describe_failure(file: SourceFile, error: FetchError) -> FileResult:
    state = STATES.get(error.kind, "failed")
    if file.unsure and error.kind in NO_DOCUMENT:
        state = "left"
    return FileResult(file.name, state, error.sentence())


def _determine_state(
    document: Document | None, stored: Mapping[str, str], own_files: Set[str]
) -> str:
    """Return the state of a file that was read.

    stored: {address: file} of the library before; own_files: the files of its own documents.
    """
    if document is None:
        return "unchanged"
    if document.url in stored or _replaces_own(document, stored, own_files):
        return "replaced"
    return "added"


def _replaces_own(new: Document, stored: Mapping[str, str], own_files: Set[str]) -> bool:
    """Return True if an own document comes from a file that is in the library already."""
    if not is_own_document(new.url):
        return False
    return new.file in own_files or stored.get(new.claim) == new.file


def _describe_duplicate(
    name: str, url: str, first: tuple[str, bytes], this: tuple[str, bytes]
) -> FileResult | None:
    """Return the result for a duplicate URL, or None for the first file.

    first, this: (name, hash) of the first file with this URL and of the current one.
    """
    if first is this:
        return None
    if first[1] == this[1]:
        return FileResult(name, "repeated")
    return FileResult(
        name,
        "taken",
        f"{url} is also the address of {first[0]}, which is kept; the two texts differ.",
    )


def import_pages(
    shelf: Shelf,
    addresses: Sequence[str],
    read: Read,
    at: float,
    on_progress: OnProgress | None = None,
) -> ImportResult:
    """Fetch these addresses, a few at once, and store each under its canonical final URL.

    Raises UsageError for none, and for more than 500.
    """
    asked = list(dict.fromkeys(strip_invisible(line).strip() for line in addresses if line.strip()))
    if not 0 < len(asked) <= MAX_PAGES:
        raise UsageError(
            f"There are {len(asked):,} addresses; 1 to {MAX_PAGES} can be added at once.",
            next_step="Add them in several steps." if asked else "Give them one a line.",
        )
    known = frozenset(shelf.made_from())
    held = frozenset(shelf.files())
    taken: dict[str, tuple[str, bytes]] = {}
    results: list[FileResult] = []
    with ThreadPoolExecutor(PARALLEL_FETCHES, thread_name_prefix="assay-pages") as pool:
        for n, (address, new) in enumerate(_fetch_in_order(pool, asked, read), 1):
            if isinstance(new, FetchError):
                step = new.next_step or STEPS.get(new.kind, "")
                reason = " ".join(filter(None, (new.message, step)))
                results.append(FileResult(address, STATES.get(new.kind, "failed"), reason))
            else:
                state = "replaced" if new.url in held else "added"
                if new.sha in known:
                    state = "unchanged"
                this = address, hashlib.sha256(new.text.encode("utf-8", "surrogatepass")).digest()
                first = taken.setdefault(new.url, this)
                duplicate = _describe_duplicate(address, new.url, first, this)
                results.append(duplicate or FileResult(address, state))
                if results[-1].state in ("added", "replaced"):
                    shelf.put([new], at)
            if on_progress:
                on_progress(n, len(asked), address)
    return _summarize(results, ())


def _fetch_in_order(
    pool: ThreadPoolExecutor, addresses: Iterable[str], read: Read
) -> Iterator[tuple[str, Document | FetchError]]:
    """Fetch in parallel and yield (address, document or error) in the order given."""

    def one(address: str) -> tuple[str, Document | FetchError]:
        try:
            return address, _build_page_document(read(_canonical_address(address)))
        except FetchError as error:
            return address, error

    try:
        yield from pool.map(one, addresses)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _canonical_address(said: str) -> str:
    try:
        url = canonical_url(said)
    except ValueError as error:
        raise FetchError(
            f"This is not the address of a web page: {error}.",
            kind="validation",
            next_step="It begins with https:// or http://.",
        ) from error
    if is_own_document(url) or len(url) > reading.MAX_URL_LENGTH:
        raise FetchError(
            "This is not the address of a web page.",
            kind="validation",
            next_step="It begins with https:// or http://.",
        )
    return url


def _build_page_document(page: Page) -> Document:
    facts = select_stored_facts(page.facts)
    made_of = json.dumps(
        [reading.VERSION, page.final_url, page.title, page.published, page.kind, page.text, facts]
    )
    title = page.title or page.final_url
    sha = hashlib.sha256(made_of.encode()).hexdigest()
    return Document(
        page.final_url, title, page.text, page.kind, page.published, sha=sha, facts=facts
    )


def _summarize(results: Sequence[FileResult], gone: tuple[tuple[str, str], ...]) -> ImportResult:
    counts = Counter(file.state for file in results)
    failed: list[tuple[str, str]] = []
    taken: list[tuple[str, str]] = []
    left: list[tuple[str, str]] = []
    for file in results:
        if file.state == "taken":
            taken.append((file.name, file.reason))
        elif file.state == "left":
            left.append((file.name, file.reason))
        elif file.reason:
            failed.append((file.name, file.reason))
    return ImportResult(
        added=counts["added"],
        replaced=counts["replaced"],
        unchanged=counts["unchanged"],
        duplicates=counts["repeated"],
        failed=tuple(failed),
        address_conflicts=tuple(taken),
        left_out=tuple(left),
        files=tuple(results),
        missing_files=gone,
    )
