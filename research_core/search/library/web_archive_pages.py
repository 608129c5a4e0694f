"""List the pages in a web archive (WARC) as files to read, one page in memory at a time.

The archive is read twice. A page is an answer with status 200 and a supported content type;
pictures, styles and scripts are not pages.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import BinaryIO

from research_core.errors import FetchError
from research_core.search.library.reading import SourceFile, too_large_error
from research_core.text.words import strip_invisible
from research_core.urls import canonical_url
from research_core.web.documents import warc
from research_core.web.documents.warc import Capture

ENDINGS = (".warc", ".warc.gz")
#: Content types of pages, by prefix.
PAGE_TYPES = (
    "text/html", "application/xhtml+xml", "text/plain", "text/markdown", "application/pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml",
    "application/vnd.openxmlformats-officedocument.presentationml",
)  # fmt: skip


@dataclass(frozen=True)
class SavedPages:
    """The contents of a web archive.

    files: the pages; failed: (address or "", reason) of unreadable records; others: (address,
    content type) of answers that are no pages; broken: set if the archive is truncated, else "".
    """

    files: tuple[SourceFile, ...]
    failed: tuple[tuple[str, str], ...]
    others: tuple[tuple[str, str], ...]
    broken: str


def read_saved_pages(source: Path | bytes, name: str, place: str) -> SavedPages:
    """List the pages of a web archive with this name at this place.

    Raises FetchError if it is no web archive, or nothing of it can be read.
    """
    files: list[SourceFile] = []
    failed: list[tuple[str, str]] = []
    others: list[tuple[str, str]] = []
    broken, number = "", -1
    cursor = _CaptureCursor(source)

    def skip(url: str, why: str) -> None:
        failed.append((url, f"It cannot be read: {why}."))

    try:
        with _open_stream(source) as stream:
            for number, capture in enumerate(warc.read_archive(stream, on_skip=skip)):
                address = _read_capture_url(capture)
                if not _is_page(capture) or not address:
                    others.append((strip_invisible(capture.url), _explain_no_page(capture)))
                    continue
                headers = capture.reply.headers
                sent = headers.get("date", "")
                if capture.at:
                    sent = format_datetime(datetime.fromtimestamp(capture.at, UTC), usegmt=True)
                file = SourceFile(
                    f"{name}/{address}",
                    f"{place}/{address}",
                    cursor.load(number),
                    given={"url": address},
                    content_type=headers.get("content-type", "") or "text/html",
                    sent=sent,
                )
                files.append(file)
    except FetchError as error:
        if number < 0:
            raise
        broken = error.sentence()
    return SavedPages(tuple(files), tuple(failed), tuple(others), broken)


def _explain_no_page(capture: Capture) -> str:
    """Describe an answer that is no page."""
    if capture.reply.status != 200:
        return f"answered with status {capture.reply.status}"
    return strip_invisible(capture.reply.content_type)[:80] or "no page"


def _is_page(capture: Capture) -> bool:
    media = capture.reply.content_type
    return (
        capture.reply.status == 200
        and (media.startswith(PAGE_TYPES) or not media)
        and not capture.url.endswith("/robots.txt")
    )


def _read_capture_url(capture: Capture) -> str:
    try:
        return canonical_url(capture.url)
    except ValueError:
        return ""


def _open_stream(source: Path | bytes) -> BinaryIO:
    try:
        return io.BytesIO(source) if isinstance(source, bytes) else source.open("rb")
    except OSError as error:
        raise FetchError(
            f"The web archive cannot be opened: {error.strerror}.", kind="not_found"
        ) from error


@dataclass
class _CaptureCursor:
    """Reads captures in archive order, holding only the current one."""

    source: Path | bytes
    _at: int = -1
    _left: Iterator[Capture] = field(default_factory=lambda: iter(()))
    _held: bytes = b""

    def load(self, number: int) -> Callable[[int], bytes]:
        def body(most: int) -> bytes:
            held = self._read_page_body(number)
            if len(held) > most:
                raise too_large_error()
            return held

        return body

    def _read_page_body(self, number: int) -> bytes:
        if number < self._at or self._at < 0:
            self._at, self._left = -1, self._read_captures()
        while self._at < number:
            capture = next(self._left, None)
            if capture is None:
                raise FetchError(
                    "The web archive has changed while it was read.",
                    kind="not_found",
                    next_step="Add it again.",
                )
            self._at, self._held = self._at + 1, capture.reply.body
        return self._held

    def _read_captures(self) -> Iterator[Capture]:
        with _open_stream(self.source) as stream:
            yield from warc.read_archive(stream)
