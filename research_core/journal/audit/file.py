"""The audit's file: links of a chain (`chain`), appended to by several processes, and rotated.

*Several writers.* A lock beside the file (FILE.lock) is held while the last line is read and the
next one is written. *A line cut short*, by a writer that was killed, is taken out, and what there
was of it is told by a line of its own, before the next one. A line that cannot be written to its
end, on a full disk, is taken out by its writer. Nothing whole is ever changed or removed.
*Rotation.* A file that would pass `Keep.max_bytes` is renamed to NAME.SEQUENCE.TIME.SUFFIX, and the
next line begins a new one. *Retention.* With that line, and whenever `outdate` is called, rotated
files older than `Keep.days` are removed. It is told first, in a line of the chain with the last
hash of what is removed: with this one, and no other, a chain may begin. The file in use is never
removed, however old its lines are. A line is handed to the system and not waited for until it is on
the disk: where the power fails, the last ones may be missing.
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
    CUT,
    REMOVED,
    claimed,
    is_cut,
    linked,
    object_in,
    own,
    spelled,
)
from research_core.journal.events import canonical_json
from research_core.model_messages import Json

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

#: How much of the file's end is read at once, in bytes.
BLOCK = 8192
#: How often a lock that another process holds is tried, and the seconds between: ten seconds at
#: least.
TRIES, PAUSE_S = 5000, 0.002

_BINARY = getattr(os, "O_BINARY", 0)  # Windows would write two characters for a line feed


@dataclass(frozen=True)
class Keep:
    """How large a file may grow, in bytes, and how many days a rotated one is kept; 0: for good."""

    max_bytes: int = 100 * 2**20
    days: int = 180


def append(
    path: Path, event: Json, on_trouble: Callable[[ResearchError], None], keep: Keep = Keep()
) -> None:
    """Add the event, which `audit.line` made, with its hashes. The file is its owner's alone. What
    fails is told and fails no call.
    """
    trouble, old = partial(_trouble, on_trouble), list[Path]()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        place, plain = path.resolve(), _plain(event)
        with locked(place):
            if _is_full(place, plain, keep):
                try:
                    place.rename(_next_name(place, _moment(plain)))
                except OSError as error:  # a larger file is better than a lost line
                    trouble(path, "rotated", error)
            old = _write(place, plain, keep)
    except OSError as error:
        trouble(path, "written", error)
    _unlink(old, trouble)


def outdate(
    path: Path, event: Json, on_trouble: Callable[[ResearchError], None], keep: Keep = Keep()
) -> int:
    """Remove what is too old at the moment of this event, which is not written itself; how many
    files. What fails is told.
    """
    trouble, old = partial(_trouble, on_trouble), list[Path]()
    try:
        place, plain = path.resolve(), _plain(event)
        if place.parent.is_dir() and _outdated(place, _moment(plain), keep):
            with locked(place):
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


def rotated(path: Path) -> list[Path]:
    """The files that stood at this path before, the oldest first."""
    form = re.compile(
        rf"{re.escape(path.stem)}\.(\d{{6,}})\.\d{{8}}T\d{{6}}Z{re.escape(path.suffix)}"
    )
    found = [
        (int(match[1]), each)
        for each in path.parent.iterdir()
        if (match := form.fullmatch(each.name)) and each.is_file()
    ]
    return [each for _, each in sorted(found)]


@contextmanager
def locked(path: Path, tries: int = TRIES) -> Iterator[None]:
    """While it lasts no other process and no other thread holds this file's lock. Raises OSError
    where it cannot be had.

    The system ends the lock with the process that holds it, however that ends.
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
            time.sleep(PAUSE_S)
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


def _is_full(path: Path, event: Json, keep: Keep) -> bool:
    """Whether this event would make the file too large. One that ends in a line cut short is mended
    first.
    """
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(size - 1, 0))
            return (
                size > 0
                and size + len(spelled(linked(event, ANCHOR))) > keep.max_bytes
                and file.read(1) == b"\n"
            )
    except FileNotFoundError:
        return False


def _next_name(path: Path, now: datetime) -> Path:
    before = rotated(path)
    sequence = int(before[-1].name.removeprefix(f"{path.stem}.").partition(".")[0]) if before else 0
    return path.with_name(f"{path.stem}.{sequence + 1:06}.{now:%Y%m%dT%H%M%SZ}{path.suffix}")


def _write(path: Path, event: Json, keep: Keep, *, only_outdate: bool = False) -> list[Path]:
    """Append the event after what has to be told before it; the files whose removal it told.

    only_outdate: look for such files, whether this line begins a file or not, and do not write the
    event itself.
    """
    file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | _BINARY, 0o600)
    try:
        end = os.fstat(file).st_size
        before, events, old = _end(file, end), [] if only_outdate else [event], list[Path]()
        if before.cut:
            os.ftruncate(file, end := end - len(before.cut))
            events.insert(
                0,
                own(
                    CUT,
                    event,
                    {
                        "bytes": len(before.cut),
                        "text": before.cut.decode("utf-8", "backslashreplace"),
                    },
                ),
            )
        if (only_outdate or not end) and (old := _outdated(path, _moment(event), keep)):
            events.insert(
                0, own(REMOVED, event, {"files": len(old), "last_hash": _last_hash(old[-1])})
            )
        link, lines = before.hash or _before(path), list[bytes]()
        for each in events:
            made = linked(each, link)
            link = made["hash"]
            lines.append(spelled(made))
        _put(file, end, (b"\n" if before.open else b"") + b"".join(lines))
        return old
    finally:
        os.close(file)


def _put(file: int, end: int, text: bytes) -> None:
    """Write all of it at the end of the file, or nothing. Raises OSError."""
    if os.write(file, text) < len(text):
        os.ftruncate(file, end)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@dataclass(frozen=True)
class _End:
    """How a file ends. hash: of its last line that has one, "" for none; open: a whole line lacks
    its line feed; cut: a line cut short.
    """

    hash: str
    open: bool
    cut: bytes


def _end(file: int, size: int) -> _End:
    backwards = _backwards(file, size)
    tail = next(backwards)
    cut = tail if tail and is_cut(tail) else b""
    found = claimed(object_in(tail)) or next(
        (told for line in backwards if (told := claimed(object_in(line)))), ""
    )
    return _End(found, bool(tail) and not cut, cut)


def _backwards(file: int, size: int) -> Iterator[bytes]:
    """What stands between the line feeds of the file, from its end: first what follows the last of
    them, b"" as a rule.
    """
    rest, at = b"", size
    while at:
        step = min(BLOCK, at)
        at -= step
        os.lseek(file, at, os.SEEK_SET)
        rest, *pieces = (os.read(file, step) + rest).split(b"\n")
        yield from reversed(pieces)
    yield rest


def _before(path: Path) -> str:
    """What the first line of a file without a chain follows."""
    files = rotated(path)
    return (_last_hash(files[-1]) if files else "") or ANCHOR


def _last_hash(path: Path) -> str:
    file = os.open(path, os.O_RDONLY | _BINARY)
    try:
        return _end(file, os.fstat(file).st_size).hash
    finally:
        os.close(file)


def _outdated(path: Path, now: datetime, keep: Keep) -> list[Path]:
    """The oldest of the rotated files: those before the first that is to be kept."""
    old = list[Path]()
    for each in rotated(path):
        stamp = each.name.removesuffix(path.suffix).rpartition(".")[2]
        if not keep.days or now - datetime.strptime(stamp, "%Y%m%dT%H%M%SZ").replace(
            tzinfo=UTC
        ) <= timedelta(days=keep.days):
            break
        old.append(each)
    return old


def _moment(event: Json) -> datetime:
    return datetime.fromisoformat(event["timestamp"]).astimezone(UTC)


def _plain(event: Json) -> Json:
    """The event as a file can hold it: without halves of surrogate pairs."""
    plain: Json = json.loads(canonical_json(event).encode("utf-8", "replace"))
    return plain
