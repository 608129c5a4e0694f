"""Open a ZIP container safely: its size is bounded before and while it is unpacked.

Nothing is written to disk, no name becomes a path, and an archive within the container is a part
like any other: it is never opened.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from typing import IO

from research_core.errors import FetchError

MAX_ENTRIES = 10_000
#: Megabytes (of a million bytes) of all parts together, and of one that is read as a whole.
MAX_TOTAL_MB, MAX_PART_MB = 200, 60
#: Highest compression ratio of a part, and the unpacked size below which it is ignored. Text
#: seldom exceeds 50.
MAX_RATIO, MIN_RATIO_BYTES = 250, 5_000_000
#: Other methods need memory that the archive controls.
COMPRESSION_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
#: Errors the standard library raises on a broken archive.
BROKEN_ZIP_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    OSError,
    EOFError,
    ValueError,
    RuntimeError,
    NotImplementedError,
    OverflowError,
    LookupError,
)


class Container:
    """The parts of a ZIP file by name, ignoring case as office programs do."""

    def __init__(self, body: bytes) -> None:
        """Open the archive.

        Raises FetchError: too_large if it would unpack to more than is read, unsupported if it is
        broken or encrypted.
        """
        marks = body.count(
            b"PK\x01\x02"
        )  # one for each entry, in a list that is read into memory as a whole
        if marks > 2 * MAX_ENTRIES:
            raise _make_too_many_error(marks)
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(body))
        except BROKEN_ZIP_ERRORS as error:
            raise make_broken_error() from error
        self._parts = {entry.filename.lower(): entry for entry in self._zip.infolist()}
        self.names = tuple(entry.filename for entry in self._zip.infolist() if not entry.is_dir())
        self._check(len(body))

    def _check(self, packed: int) -> None:
        entries = self._zip.infolist()
        if len(entries) > MAX_ENTRIES:
            raise _make_too_many_error(len(entries))
        total = sum(entry.file_size for entry in entries)
        is_bomb = total > MAX_TOTAL_MB * 1e6
        for entry in entries:
            if entry.file_size > max(MIN_RATIO_BYTES, MAX_RATIO * entry.compress_size):
                is_bomb = True
        if is_bomb:
            raise FetchError(
                f"The archive would unpack to {total / 1e6:,.0f} MB and is not opened.",
                kind="too_large",
            )
        if sum(entry.compress_size for entry in entries) > packed:
            raise FetchError("The archive is damaged: its parts overlap.", kind="unsupported")
        if any(entry.flag_bits & 1 for entry in entries):
            raise FetchError("The archive is encrypted and needs a password.", kind="unsupported")
        if any(entry.compress_type not in COMPRESSION_METHODS for entry in entries):
            raise FetchError(
                "The archive uses a compression that Assay does not read.", kind="unsupported"
            )

    def __contains__(self, name: str) -> bool:
        return name.lower() in self._parts

    def read(self, name: str) -> bytes:
        """Return the bytes of a part, or b"" if there is none.

        Raises FetchError if it is broken or unpacks to more than is read.
        """
        if name not in self:
            return b""
        most = int(MAX_PART_MB * 1e6)
        try:
            with self.open(name) as part:
                found = part.read(most + 1)
        except BROKEN_ZIP_ERRORS as error:
            raise make_broken_error() from error
        if len(found) > most:
            raise FetchError(
                f"A part of the archive would unpack to more than {MAX_PART_MB} MB and is not"
                " opened.",
                kind="too_large",
            )
        return found

    def open(self, name: str) -> IO[bytes]:
        """Open a part for reading in pieces, never more than it declares.

        Opening and reading may raise any of `BROKEN_ZIP_ERRORS`.
        """
        return self._zip.open(self._parts[name.lower()])


def make_broken_error() -> FetchError:
    """Return the FetchError that is raised in place of an error of `BROKEN_ZIP_ERRORS`."""
    return FetchError("The archive is damaged.", kind="unsupported")


def _make_too_many_error(count: int) -> FetchError:
    return FetchError(
        f"The archive has {count:,} entries; the limit is {MAX_ENTRIES:,}.",
        kind="too_large",
    )
