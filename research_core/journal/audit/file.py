"""Append audit events to the owner's file from several processes, and rotate it.

*Several writers.* A lock beside the file (FILE.lock) is held while the last line is read and the
next one written. *An unfinished line*, left by a killed writer, is removed, and a line of its own
reports what it held, before the next one. A line that cannot be completed on a full disk is removed
by its writer. Nothing whole is ever changed or removed.

*Rotation.* A file that would pass `AuditRetention.max_bytes` is renamed to
NAME.SEQUENCE.TIME.SUFFIX, and the next line begins a new one. *Retention.* With that line, and
whenever `remove_outdated` is called, rotated files older than `AuditRetention.days` are removed. A
line of the chain reports this first, with the last hash of what is removed: only with this hash may
a chain begin. The file in use is never removed, however old its lines are. Lines are not flushed to
disk: after a power failure the last ones may be missing.
"""

from __future__ import annotations

import errno
import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from research_core.errors import ResearchError
from research_core.journal.audit.chain import (
    ANCHOR,
    FILES_REMOVED,
    LINE_CUT,
    build_own_event,
    find_claimed_hash,
    format_line,
    is_cut,
    link_event,
    parse_object,
)
from research_core.journal.events import canonical_json
from research_core.model_messages import Json

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

#: How much of the file's end is read at once, in bytes.
BLOCK_BYTES = 8192
#: How often a lock that another process holds is tried, and the seconds between: ten seconds at
#: least.
LOCK_TRIES, LOCK_PAUSE_S = 5000, 0.002

_BINARY = getattr(os, "O_BINARY", 0)  # Windows would write two characters for a line feed


@dataclass(frozen=True)
class AuditRetention:
    """The largest size of a file in bytes, and the days a rotated file is kept; 0 for ever."""

    max_bytes: int = 100 * 2**20
    days: int = 180


def append(
    path: Path,
    event: Json,
    on_trouble: Callable[[ResearchError], None],
    keep: AuditRetention = AuditRetention(),
) -> None:
    """Add an event of `audit.build_event` with its hashes. Only the owner can read the file.

    Failures are reported and fail no call.
    """
    trouble, old = partial(_trouble, on_trouble), list[Path]()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        place, plain = path.resolve(), _replace_surrogates(event)
        with lock_file(place):
            if _is_full(place, plain, keep):
                try:
                    place.rename(_next_name(place, _parse_moment(plain)))
                except OSError as error:  # a larger file is better than a lost line
                    trouble(path, "rotated", error)
            old = _write(place, plain, keep)
    except OSError as error:
        trouble(path, "written", error)
    _unlink(old, trouble)


def remove_outdated(
    path: Path,
    event: Json,
    on_trouble: Callable[[ResearchError], None],
    keep: AuditRetention = AuditRetention(),
) -> int:
    """Remove files too old at the time of this event; return their number.

    The event itself is not written. Failures are reported.
    """
    trouble, old = partial(_trouble, on_trouble), list[Path]()
    try:
        place, plain = path.resolve(), _replace_surrogates(event)
        if place.parent.is_dir() and _find_outdated(place, _parse_moment(plain), keep):
            with lock_file(place):
                old = _write(place, plain, keep, only_outdate=True)
    except OSError as error:
        trouble(path, "written", error)
    _unlink(old, trouble)
    return len(old)


def _trouble(
    on_trouble: Callable[[ResearchError], None], file: Path, what: str, error: OSError
) -> None:
    step = "Set AUDIT_LOG_PATH to a file that can be written, in a folder of yours."
    on_trouble(
        ResearchError(
            f"The audit file {file} could not be {what}: {error.strerror or error}.", next_step=step
        )
    )


def _unlink(files: Sequence[Path], trouble: Callable[[Path, str, OSError], None]) -> None:
    for each in files:
        try:
            each.unlink(missing_ok=True)
        except OSError as error:
            trouble(each, "removed", error)


def find_rotated(path: Path) -> list[Path]:
    """Return the earlier files of this path, the oldest first."""
    form = re.compile(
        rf"{re.escape(path.stem)}\.(\d{{6,}})\.\d{{8}}T\d{{6}}Z{re.escape(path.suffix)}"
    )
    found: list[tuple[int, Path]] = []
    for file in path.parent.iterdir():
        match = form.fullmatch(file.name)
        if match and file.is_file():
            found.append((int(match[1]), file))
    return [file for _, file in sorted(found)]


@contextmanager
def lock_file(path: Path, tries: int = LOCK_TRIES) -> Iterator[None]:
    """Hold the lock of this file against other processes and threads. Raises OSError.

    The system releases the lock when its process ends, however it ends.
    """
    file = os.open(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _lock(file, tries)
        try:
            yield
        finally:
            _unlock(file)
    finally:
        os.close(file)


def _lock(file: int, tries: int) -> None:
    for _ in range(tries):
        try:
            if sys.platform == "win32":
                msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
            else:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            time.sleep(LOCK_PAUSE_S)
        else:
            return
    raise BlockingIOError(errno.EAGAIN, "another process holds its lock")


def _unlock(file: int) -> None:
    """Unlock explicitly: a child process forked meanwhile keeps the file open too."""
    if sys.platform == "win32":
        os.lseek(file, 0, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_UNLCK, 1)
    else:
        fcntl.flock(file, fcntl.LOCK_UN)


def _is_full(path: Path, event: Json, keep: AuditRetention) -> bool:
    """Return True if this event would make the file too large.

    A file that ends in an unfinished line is not full: the line is mended first.
    """
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(size - 1, 0))
            return (
                size > 0
                and size + len(format_line(link_event(event, ANCHOR))) > keep.max_bytes
                and file.read(1) == b"\n"
            )
    except FileNotFoundError:
        return False


def _next_name(path: Path, now: datetime) -> Path:
    before = find_rotated(path)
    sequence = int(before[-1].name.removeprefix(f"{path.stem}.").partition(".")[0]) if before else 0
    return path.with_name(f"{path.stem}.{sequence + 1:06}.{now:%Y%m%dT%H%M%SZ}{path.suffix}")


def _write(
    path: Path, event: Json, keep: AuditRetention, *, only_outdate: bool = False
) -> list[Path]:
    """Append the event; return the outdated files whose removal was recorded before it.

    only_outdate: look for outdated files even if this line does not begin a file, and do not write
    the event.
    """
    file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | _BINARY, 0o600)
    try:
        size = os.fstat(file).st_size
        end = _read_end(file, size)
        events = [] if only_outdate else [event]
        if end.cut:
            size -= len(end.cut)
            os.ftruncate(file, size)
            text = end.cut.decode("utf-8", "backslashreplace")
            about = {"bytes": len(end.cut), "text": text}
            events.insert(0, build_own_event(LINE_CUT, event, about))
        outdated: list[Path] = []
        if only_outdate or not size:
            outdated = _find_outdated(path, _parse_moment(event), keep)
        if outdated:
            about = {"files": len(outdated), "last_hash": _last_hash(outdated[-1])}
            events.insert(0, build_own_event(FILES_REMOVED, event, about))
        previous = end.hash or _find_previous_hash(path)
        lines: list[bytes] = []
        for each in events:
            link = link_event(each, previous)
            previous = link["hash"]
            lines.append(format_line(link))
        _write_all(file, size, (b"\n" if end.open else b"") + b"".join(lines))
        return outdated
    finally:
        os.close(file)


def _write_all(file: int, end: int, text: bytes) -> None:
    """Write all of the text at the end of the file, or nothing. Raises OSError."""
    if os.write(file, text) < len(text):
        os.ftruncate(file, end)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@dataclass(frozen=True)
class _FileEnd:
    """How a file ends.

    hash: of its last line with a hash, or "". open: a whole line lacks its line feed. cut: an
    unfinished line.
    """

    hash: str
    open: bool
    cut: bytes


def _read_end(file: int, size: int) -> _FileEnd:
    """Read the end of a file, back to its last line with a hash."""
    backwards = _read_backwards(file, size)
    tail = next(backwards)
    cut = tail if tail and is_cut(tail) else b""
    found = find_claimed_hash(parse_object(tail))
    while not found:
        line = next(backwards, None)
        if line is None:
            break
        found = find_claimed_hash(parse_object(line))
    return _FileEnd(found, bool(tail) and not cut, cut)


def _read_backwards(file: int, size: int) -> Iterator[bytes]:
    """Yield what stands between the line feeds, from the end; the first item is usually b""."""
    rest, at = b"", size
    while at:
        step = min(BLOCK_BYTES, at)
        at -= step
        os.lseek(file, at, os.SEEK_SET)
        rest, *pieces = (os.read(file, step) + rest).split(b"\n")
        yield from reversed(pieces)
    yield rest


def _find_previous_hash(path: Path) -> str:
    """Return the hash that the first line of a file without a chain follows."""
    files = find_rotated(path)
    return (_last_hash(files[-1]) if files else "") or ANCHOR


def _last_hash(path: Path) -> str:
    file = os.open(path, os.O_RDONLY | _BINARY)
    try:
        return _read_end(file, os.fstat(file).st_size).hash
    finally:
        os.close(file)


def _find_outdated(path: Path, now: datetime, keep: AuditRetention) -> list[Path]:
    """Return the oldest rotated files, up to the first that is kept."""
    outdated: list[Path] = []
    for file in find_rotated(path):
        stamp = file.name.removesuffix(path.suffix).rpartition(".")[2]
        at = datetime.strptime(stamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        if not keep.days or now - at <= timedelta(days=keep.days):
            break
        outdated.append(file)
    return outdated


def _parse_moment(event: Json) -> datetime:
    return datetime.fromisoformat(event["timestamp"]).astimezone(UTC)


def _replace_surrogates(event: Json) -> Json:
    """Return the event without lone surrogates, as a file can hold it."""
    plain: Json = json.loads(canonical_json(event).encode("utf-8", "replace"))
    return plain
