"""Read the members of a ZIP archive in memory, with limits against archive bombs.

Nothing is unpacked to disk. Members, bytes and the compression ratio are limited, first by what the
archive declares and again by what comes out. Archives in archives are not opened.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from research_core.errors import FetchError
from research_core.text.words import strip_invisible, truncate

SUFFIX = ".zip"
#: Bytes of the archive, bytes of its unpacked members, and number of members.
MAX_PACKED, MAX_TOTAL, MAX_MEMBERS = 500_000_000, 2_000_000_000, 20_000
#: Largest ratio of unpacked to packed size; text seldom exceeds 20. Below SMALL bytes any ratio is
#: allowed.
MAX_RATIO, SMALL = 200, 1_000_000
CHUNK = 1_000_000
#: Methods used for text; others need memory in an amount the archive chooses.
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENTRY = b"PK\x01\x02"
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OverflowError,
)


@dataclass(frozen=True)
class Archive:
    """The members of an archive by their path below its top, without folders.

    members: functions that read a member, given the most bytes to accept; heads: functions that
    read a member's first bytes, given how many; outside: names that lead out of the archive.
    """

    members: Mapping[str, Callable[[int], bytes]]
    heads: Mapping[str, Callable[[int], bytes]]
    outside: tuple[str, ...]


def unpack(source: Path | bytes) -> Archive:
    """Open an archive; its members are read on demand.

    Both raise FetchError: for a broken, oversized or encrypted archive.
    """
    try:
        with io.BytesIO(source) if isinstance(source, bytes) else source.open("rb") as stream:
            size = _measure_archive(stream)
        packed = zipfile.ZipFile(io.BytesIO(source) if isinstance(source, bytes) else source)
    except UnicodeDecodeError as error:
        step = "Unpack it, and add the folder."
        raise FetchError(
            "The archive has a name that is not UTF-8 although it says so, so it cannot be listed.",
            kind="unsupported",
            next_step=step,
        ) from error
    except _BROKEN as error:
        why = "The archive is damaged, or is not a ZIP archive."
        if isinstance(error, OSError) and error.strerror:
            why = f"The archive cannot be opened: {error.strerror}."
        raise FetchError(why, kind="unsupported") from error
    # Not is_dir(), which fails on an empty name.
    entries = [entry for entry in packed.infolist() if not entry.filename.endswith("/")]
    total = sum(entry.file_size for entry in entries)
    if total > MAX_TOTAL or (total > SMALL and total > MAX_RATIO * size):
        raise _bomb_error(f"it would unpack to {total / 1e6:,.0f} MB")
    members: dict[str, _Member] = {}
    outside: list[str] = []
    for entry in entries:
        name = normalize_member_path(entry.filename)
        if name is None:
            outside.append(truncate(strip_invisible(entry.filename), 120))
        else:
            members.setdefault(name, _Member(packed, entry))
    reads = {name: member.read for name, member in members.items()}
    return Archive(reads, {name: member.head for name, member in members.items()}, tuple(outside))


def normalize_member_path(name: str) -> str | None:
    """Normalize a member's path below the top; None if it leads out or is empty."""
    path = PurePosixPath(strip_invisible(name).replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or not path.parts or ":" in path.parts[0]:
        return None
    return str(path)


def _measure_archive(stream: io.BytesIO | io.BufferedReader) -> int:
    """Return the archive's size in bytes. Raises FetchError if it exceeds a limit.

    Members are counted by their marker, before zipfile loads the list of members into memory.
    """
    size = stream.seek(0, io.SEEK_END)
    if size > MAX_PACKED:
        raise FetchError(
            f"The archive is larger than {MAX_PACKED // 1_000_000} MB.", kind="too_large"
        )
    stream.seek(0)
    marks, tail = 0, b""
    while chunk := stream.read(16 * CHUNK):
        marks += (tail + chunk).count(_ENTRY)
        tail = chunk[-len(_ENTRY) + 1 :]
        if marks > MAX_MEMBERS:
            raise FetchError(
                f"It has more than {MAX_MEMBERS:,} members.",
                kind="too_large",
                next_step="Unpack it, and add the folder.",
            )
    return size


def _bomb_error(why: str) -> FetchError:
    return FetchError(f"The archive is refused: {why}, far more than text does.", kind="too_large")


@dataclass(frozen=True)
class _Member:
    packed: zipfile.ZipFile
    entry: zipfile.ZipInfo

    def head(self, most: int) -> bytes:
        """Return up to `most` of its first bytes."""
        self._refuse_unreadable()
        return self._unpack(most)

    def read(self, most: int) -> bytes:
        """Return all its bytes. Raises FetchError if there are more than `most`."""
        entry = self.entry
        self._refuse_unreadable()
        if entry.file_size > most:
            raise FetchError(f"The file is larger than {most // 1_000_000} MB.", kind="too_large")
        if entry.file_size > SMALL and entry.file_size > MAX_RATIO * entry.compress_size:
            ratio = entry.file_size / max(1, entry.compress_size)
            raise _bomb_error(f"it would unpack to {ratio:,.0f} times its size")
        # Never read far beyond the declared size, however much the member unpacks to.
        body = self._unpack(entry.file_size + 1)
        if len(body) > most:
            raise FetchError(f"The file is larger than {most // 1_000_000} MB.", kind="too_large")
        return body

    def _refuse_unreadable(self) -> None:
        entry = self.entry
        if entry.flag_bits & 0x1:
            raise FetchError(
                "It is encrypted.",
                kind="unsupported",
                next_step="Unpack the archive with its password, and add the folder.",
            )
        if (entry.external_attr >> 16) & 0o170000 == 0o120000:
            raise FetchError("It is a link, not a file.", kind="unsupported")
        if entry.compress_type not in METHODS:
            raise FetchError(
                "It uses a compression that Assay does not read.",
                kind="unsupported",
                next_step="Unpack it, and add the folder.",
            )

    def _unpack(self, most: int) -> bytes:
        try:
            with self.packed.open(self.entry) as member:
                return member.read(most)
        except _BROKEN as error:
            raise FetchError("It is damaged and cannot be unpacked.", kind="unsupported") from error
