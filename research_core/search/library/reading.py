"""Read one file of an import as a document; the import format is defined here.

An import is a file or a folder with all folders below it. A ZIP archive is treated as a folder
(archives in it are not opened), and a WARC file holds the pages saved in it. A file's type is
decided by its bytes. Files of a folder that hold no text, or that only style or script pages, are
left out and named; names that begin with a dot are skipped. A folder may hold any number of
`manifest*.jsonl`, one JSON object a line, about the files beside and below it:

    {"file": "guide.html", "url": "https://example.org/guide", "title": "A guide", "published":
    "2025-03-18"}

`file` is a path relative to the manifest, of any suffix; `url` is the page's address, null for an
own document, which has none; `title` and `published` (YYYY, YYYY-MM or YYYY-MM-DD) override what
the file says. Unknown keys are ignored; next to a manifest, a README is ignored too.

An address counts only if somebody else states it: a manifest line, the record of a web archive, or
the web itself. A file without one is an own document and has no credibility, whatever address it
claims for itself (a canonical link, `url:` in its front matter): the claim is stored among its
facts and shown as its own claim.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from research_core.errors import FetchError
from research_core.models import select_stored_facts
from research_core.search.library.shelf import Document
from research_core.text.dates import parse_leading_date
from research_core.text.words import strip_invisible, truncate
from research_core.urls import OWN_PREFIX, canonical_url
from research_core.web.documents.kinds import parse_body

#: Parsed in a child process, which is worth starting early.
PARSED_IN_CHILD = frozenset({".pdf", ".docx", ".pptx", ".json", ".csv", ".tsv"})
#: Suffixes of documents; files with other suffixes are recognised by their bytes.
SUFFIXES = PARSED_IN_CHILD | {".html", ".htm", ".xhtml", ".md", ".markdown", ".txt", ".text"}
MAX_BYTES = 50_000_000
MAX_URL_LENGTH = 2_000
#: Increment if readers change so much that every document should be read again.
VERSION = 4


@dataclass(frozen=True)
class SourceFile:
    """A file to read.

    name: for people, relative to what was added; place: its location as stored in the database;
    load: reads its bytes, at most so many, or raises FetchError; given: its manifest line;
    content_type, sent: headers of the saved answer, if it came from a web archive; head: reads its
    first bytes or raises FetchError; unsure: its type is unknown, and it is left out if it holds no
    document.
    """

    name: str
    place: str
    load: Callable[[int], bytes]
    given: Mapping[str, Any] = field(default_factory=dict)
    content_type: str = ""
    sent: str = ""
    head: Callable[[], bytes] = bytes
    unsure: bool = False

    @property
    def suffix(self) -> str:
        return PurePosixPath(self.name).suffix.lower()


def load_body(file: SourceFile) -> bytes:
    """Return the bytes of the file.

    Raises FetchError if it is too large or cannot be opened.
    """
    return file.load(MAX_BYTES)


def too_large_error() -> FetchError:
    return FetchError(f"The file is larger than {MAX_BYTES // 1_000_000} MB.", kind="too_large")


def compute_file_stamp(file: SourceFile, body: bytes) -> str:
    """Hash everything the document is made from: equal stamps, equal documents."""
    given = {name: file.given[name] for name in ("url", "title", "published") if name in file.given}
    answered = [file.content_type, file.sent] if file.content_type else []
    head = json.dumps([VERSION, given, file.suffix, *answered], sort_keys=True)
    made_of = hashlib.sha256(head.encode() + b"\n")
    made_of.update(body)
    return made_of.hexdigest()


def read_document(file: SourceFile, body: bytes) -> Document:
    """Parse the file into a document.

    Raises FetchError with the reason if it cannot be read, or its manifest gives an invalid URL.
    """
    path = PurePosixPath(file.name)
    if file.content_type:  # a page of a web archive
        base = str(file.given["url"])
        page = parse_body(body, base, file.content_type, name="", sent=file.sent)
    else:
        page = parse_body(body, "", file.content_type, name=path.name, sent=file.sent)
    return Document(
        url=_read_document_url(file, body),
        title=_format_metadata(file.given.get("title")) or page.title or path.stem,
        text=page.text,
        kind=page.kind,
        published=parse_leading_date(_format_metadata(file.given.get("published")))
        or page.published,
        sha=compute_file_stamp(file, body),
        file=file.place,
        facts=select_stored_facts(page.facts),
    )


def _format_metadata(value: Any) -> str:
    if not isinstance(value, str):
        return ""
    return truncate(" ".join(strip_invisible(value).split()), 300)


def _read_document_url(file: SourceFile, body: bytes) -> str:
    """Return the URL from the manifest or web archive, else an own document's."""
    said = file.given.get("url")
    if not said:
        return f"{OWN_PREFIX}{hashlib.sha256(body).hexdigest()[:12]}"
    try:
        url = canonical_url(str(said))
    except ValueError as error:
        raise FetchError(
            f"Its manifest gives an invalid address: {error}.", kind="unsupported"
        ) from error
    if len(url) > MAX_URL_LENGTH:
        raise FetchError(
            f"Its address is longer than {MAX_URL_LENGTH} characters.", kind="unsupported"
        )
    return url
