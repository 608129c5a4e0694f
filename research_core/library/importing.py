"""Brings files and web pages into a library: reads what is new, leaves what is unchanged, and tells of each what became of it.

It finds nothing (`finding`), knows no format (`reading`) and fetches nothing: how a page is fetched is handed to it.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from research_core.errors import FetchError, UsageError
from research_core.library import reading
from research_core.library.finding import Found
from research_core.library.shelf import Document, Shelf
from research_core.models import Page, lasting
from research_core.text import visible
from research_core.urls import canonical, is_own
from research_core.web.sandbox import SHARED

#: Documents written in one transaction; so many are read again at most when an import is cut short.
BATCH = 25
#: Web pages asked for at once, and in one go.
AT_ONCE, MOST_PAGES = 4, 500

#: What becomes of a file, by the kind of its failure: nothing in it, not one for this reader, or a failure that may pass.
STATES = {"content_empty": "empty", "unsupported": "refused", "too_large": "refused", "validation": "refused", "blocked": "refused"}
#: What a person can do where a page's failure does not say it itself.
STEPS = {
    "network": "Check the address, and whether this machine has a network; then add it again.",
    "timeout": "Add it again later.",
    "upstream_unavailable": "Add it again later.",
    "rate_limited": "Add it again later.",
    "not_found": "Check the address.",
    "auth_required": "Save the page from your browser, and drop the file here.",
    "validation": "Only pages of the public web are read; save this one from your browser, and drop the file here.",
    "blocked": "Save the page from your browser, and drop the file here.",
    "content_empty": "Save the page from your browser once it is drawn, and drop the file here.",
}

#: done, total, name of the file just read.
OnProgress = Callable[[int, int, str], None]
Read = Callable[[str], Page]


@dataclass(frozen=True)
class FileRead:
    """What became of one file or address. state: added | replaced | unchanged | repeated | empty | refused | failed; reason: of the last

    three, with the next step.
    """

    name: str
    state: str
    reason: str = ""


@dataclass(frozen=True)
class Added:
    """What an import did, in documents. failed: (file, reason) each; repeated: files whose address an earlier file of the same import has;

    ignored: files of kinds the library does not read; files: each one in order, with what became of it; gone: (address, place) of
    documents whose files are no longer in the folder or archive; pruned: how many of them were taken out.
    """

    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    repeated: int = 0
    failed: tuple[tuple[str, str], ...] = ()
    ignored: int = 0
    files: tuple[FileRead, ...] = ()
    gone: tuple[tuple[str, str], ...] = ()
    pruned: int = 0

    def sentence(self) -> str:
        """One line for a terminal or a screen, one for each file that failed, and one of what is no longer there."""
        counts = (
            (self.added, "added"),
            (self.replaced, "replaced"),
            (self.unchanged, "unchanged"),
            (self.repeated, "with an address already taken"),
            (len(self.failed), "that could not be read"),
            (self.ignored, "of other kinds"),
            (self.pruned, "taken out that are no longer there"),
        )
        said = ", ".join(f"{number:,} {what}" for number, what in counts if number) or "nothing there"
        return "\n".join((f"Documents: {said}.", *(f"  {name}: {reason}" for name, reason in self.failed)))

    def missing(self) -> str:
        """A sentence on the documents whose files are gone; "" where there are none."""
        if not self.gone:
            return ""
        these, them = ("document is", "it") if len(self.gone) == 1 else ("documents are", "them")
        return f"{len(self.gone):,} {these} no longer in this folder; the library still holds {them}."


def bring(shelf: Shelf, found: Found, at: float, on_progress: OnProgress | None = None) -> tuple[Added, frozenset[str]]:
    """Read what is new; also the stamps of all documents that these files make."""
    known, files = shelf.made_from(), shelf.files()
    held = frozenset(files)
    own = {place for url, place in files.items() if is_own(url)}
    taken, stamps, batch = set[str](), set[str](), list[Document]()
    told = [FileRead(name, "failed", reason) for name, reason in found.failed]
    if any(file.suffix in reading.IN_CHILD for file in found.files):
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
            shelf.put(batch, at)
            batch = []
        if on_progress:
            on_progress(n, len(found.files), file.name)
    gone = sorted((url, place) for url, place in shelf.files().items() if url not in taken and found.left(place))
    return _added(told, found.ignored, tuple(gone)), frozenset(stamps)


def bring_pages(shelf: Shelf, addresses: Sequence[str], read: Read, at: float, on_progress: OnProgress | None = None) -> Added:
    """Fetch these addresses, a few at once, and keep each page under its canonical address, after redirects.

    Raises UsageError for none, and for more than 500.
    """
    asked = list(dict.fromkeys(visible(line).strip() for line in addresses if line.strip()))
    if not 0 < len(asked) <= MOST_PAGES:
        step = "Give them one a line." if not asked else "Add them in several goes."
        raise UsageError(f"There are {len(asked):,} addresses; 1 to {MOST_PAGES} can be added at once.", next_step=step)
    known, held = frozenset(shelf.made_from()), frozenset(shelf.files())
    taken, told = set[str](), list[FileRead]()
    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="assay-pages") as pool:
        for n, (address, new) in enumerate(_in_order(pool, asked, read), 1):
            if isinstance(new, FetchError):
                reason = " ".join(filter(None, (new.message, new.next_step or STEPS.get(new.kind, ""))))
                told.append(FileRead(address, STATES.get(new.kind, "failed"), reason))
            else:
                again = "replaced" if new.url in held else "added"
                told.append(FileRead(address, "repeated" if new.url in taken else "unchanged" if new.sha in known else again))
                taken.add(new.url)
                if told[-1].state in ("added", "replaced"):
                    shelf.put([new], at)
            if on_progress:
                on_progress(n, len(asked), address)
    return _added(told, 0, ())


def _in_order(pool: ThreadPoolExecutor, addresses: Iterable[str], read: Read) -> Iterator[tuple[str, Document | FetchError]]:
    """Each address with its document, in the order they were given, whichever answers first."""

    def one(address: str) -> tuple[str, Document | FetchError]:
        try:
            return address, _document(read(_address(address)))
        except FetchError as error:
            return address, error

    try:
        yield from pool.map(one, addresses)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _address(said: str) -> str:
    try:
        url = canonical(said)
    except ValueError as error:
        raise FetchError(
            f"This is no address of a web page: {error}.", kind="validation", next_step="It begins with https:// or http://."
        ) from error
    if is_own(url) or len(url) > reading.LONGEST_URL:
        raise FetchError("This is no address of a web page.", kind="validation", next_step="It begins with https:// or http://.")
    return url


def _document(page: Page) -> Document:
    facts = lasting(page.facts)
    made_of = json.dumps([reading.VERSION, page.final_url, page.title, page.published, page.kind, page.text, facts])
    title = page.title or page.final_url
    sha = hashlib.sha256(made_of.encode()).hexdigest()
    return Document(page.final_url, title, page.text, page.kind, page.published, sha=sha, facts=facts)


def _added(told: Sequence[FileRead], ignored: int, gone: tuple[tuple[str, str], ...]) -> Added:
    counts = Counter(file.state for file in told)
    read = {state: counts[state] for state in ("added", "replaced", "unchanged", "repeated")}
    failed = tuple((file.name, file.reason) for file in told if file.reason)
    return Added(**read, failed=failed, ignored=ignored, files=tuple(told), gone=gone)
