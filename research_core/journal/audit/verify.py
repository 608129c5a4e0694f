"""Check that the audit's chain holds.

Each line's hash must fit the line, and each line follow the one before, across rotated files.

Reads; changes nothing. It cannot see what the file alone does not show (`chain` says what): for
that there is `expect`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from research_core.errors import UsageError
from research_core.journal.audit.chain import (
    ANCHOR,
    FILES_REMOVED,
    LINE_CUT,
    find_claimed_hash,
    format_line,
    is_cut,
    link_event,
    parse_object,
)
from research_core.journal.audit.file import find_rotated, lock_file
from research_core.model_messages import Json

WRONG_HASH = "its hash does not fit what it says"
NO_HASH = "it has no hash, where a line before it has one, or the line after it follows one"
NOT_FOLLOWING = "it does not follow the line before it"
LOST_FILE = (
    "it follows a line that ends no file here, or that another file follows: a file is missing, or"
    " is there twice"
)


@dataclass(frozen=True)
class BrokenLine:
    """The first line that breaks a chain: its file, its number there (1..), and why."""

    file: Path
    line: int
    why: str


@dataclass(frozen=True)
class Stretch:
    """What one file holds, if its own lines fit together.

    lines: those in the chain. begins: the number of the first of them. follows: the hash it
    follows. last: the hash of the last one; `follows` if there is none. bare: lines without a hash
    before the chain, from an older Assay. mended: unfinished lines that a later line reports. cut:
    bytes of an unfinished line not reported yet. removed: last hashes of files reported as removed.
    since: lines after the expected one; None if it was not found.
    """

    file: Path
    lines: int = 0
    begins: int = 1
    follows: str = ""
    last: str = ""
    bare: int = 0
    mended: int = 0
    cut: int = 0
    removed: frozenset[str] = frozenset()
    since: int | None = None


@dataclass(frozen=True)
class ChainVerdict:
    """The result over all files. broken: None if everything covered holds.

    last: the hash at the end. shortened: the beginning was removed for its age, or is known by the
    expected hash. since: lines after the expected one, None if it was not found. The rest is
    counted over all files.
    """

    broken: BrokenLine | None
    lines: int = 0
    last: str = ""
    bare: int = 0
    mended: int = 0
    cut: int = 0
    shortened: bool = False
    since: int | None = None


def verify_chain(paths: Sequence[Path], expect: str = "") -> ChainVerdict:
    """Follow the chain through these files and their rotated files.

    expect: a hash noted earlier, "" for none. Raises UsageError if none of the files exists,
    OSError for an unreadable file.
    """
    stretches: list[Stretch] = []
    with ExitStack() as stack:
        # A file may be named, found beside a named one, or both.
        opened: dict[Path, tuple[Path, BinaryIO, int]] = {}
        for path in paths:
            for each in _open_files(stack, path):
                opened[each[0].resolve()] = each
        for path, file, size in opened.values():
            found = read_stretch(path, _read_lines(file, size), expect)
            if isinstance(found, BrokenLine):
                return ChainVerdict(found)
            stretches.append(found)
    return join_stretches(stretches, expect)


def _open_files(stack: ExitStack, path: Path) -> list[tuple[Path, BinaryIO, int]]:
    """Open the rotated files and the current one; return (path, file, size) at one moment.

    The moment is between two lines, which the lock ensures.
    """
    place = path.resolve()
    lock = place.with_name(f"{place.name}.lock")
    # A copy that nobody appends to has no lock.
    with lock_file(place) if os.access(lock, os.W_OK) else nullcontext():
        rotated = find_rotated(place) if path.parent.is_dir() else []
        there = [each for each in (*rotated, path) if each.exists()]
        if not there:
            raise UsageError(
                f"There is no audit file {path}.", next_step="Name the file, or set AUDIT_LOG_PATH."
            )
        files = [(each, stack.enter_context(each.open("rb"))) for each in there]
        return [(each, file, os.fstat(file.fileno()).st_size) for each, file in files]


def _read_lines(file: BinaryIO, size: int) -> Iterator[bytes]:
    """Yield the lines, with line feeds, of the first `size` bytes."""
    while size > 0 and (line := file.readline(size)):
        size -= len(line)
        yield line


def read_stretch(file: Path, lines: Iterable[bytes], expect: str = "") -> Stretch | BrokenLine:
    """Return what a file of these lines holds, or its first broken line."""
    so_far = Stretch(file)
    for number, line in enumerate(lines, 1):
        if not line.endswith(b"\n") and is_cut(line):
            return replace(so_far, cut=len(line))
        event = parse_object(line)
        if event is None:
            return BrokenLine(file, number, "it is no JSON object")
        if not {"hash", "prev_hash"} & set(event) and not so_far.lines:
            so_far = replace(so_far, bare=so_far.bare + 1)
            continue
        if why := _explain_wrong(line, event, so_far):
            return BrokenLine(file, number, why)
        so_far = _add_line(so_far, event, number, expect)
    return so_far


def _explain_wrong(line: bytes, event: Json, so_far: Stretch) -> str:
    """Explain why this line breaks the chain, "" if it does not."""
    if not find_claimed_hash(event) or not isinstance(event.get("prev_hash"), str):
        return NO_HASH if "hash" not in event else WRONG_HASH
    try:
        fits = link_event(event, event["prev_hash"])["hash"] == event["hash"]
        fits = fits and format_line(event).startswith(line)
    except (ValueError, RecursionError):
        # It holds what JSON cannot (a number, half a character), so Assay did not write it.
        fits = False
    if not fits:
        return WRONG_HASH
    if so_far.lines:
        before = so_far.last
    elif so_far.bare:
        before = ANCHOR
    else:
        before = event["prev_hash"]
    return "" if event["prev_hash"] == before else NOT_FOLLOWING


def _add_line(so_far: Stretch, event: Json, number: int, expect: str) -> Stretch:
    """Return the stretch with one more line."""
    removed = so_far.removed
    about = event.get("metadata")
    if event.get("event_type") == FILES_REMOVED and isinstance(about, dict):
        last_hash = about.get("last_hash")
        if isinstance(last_hash, str):
            removed |= {last_hash}

    since: int | None = None
    if so_far.since is not None:
        since = so_far.since + 1
    elif event["hash"] == expect:
        since = 0
    elif not so_far.lines and event["prev_hash"] == expect:
        since = 1

    first = {} if so_far.lines else {"begins": number, "follows": event["prev_hash"]}
    return replace(
        so_far,
        **first,
        lines=so_far.lines + 1,
        last=event["hash"],
        mended=so_far.mended + (event.get("event_type") == LINE_CUT),
        removed=removed,
        since=since,
    )


def join_stretches(stretches: Sequence[Stretch], expect: str = "") -> ChainVerdict:
    """Join the files, each sound by itself and in any order, into one verdict."""
    chained = [stretch for stretch in stretches if stretch.lines]
    known = {ANCHOR, expect}
    for stretch in chained:
        known |= stretch.removed
    known.discard("")
    chain = _build_chain(chained, known)
    broken = _find_break(stretches, chain, known)
    if broken:
        return ChainVerdict(broken)
    return ChainVerdict(
        None,
        lines=sum(stretch.lines for stretch in chain),
        last=chain[-1].last if chain else "",
        bare=sum(stretch.bare for stretch in stretches),
        mended=sum(stretch.mended for stretch in chain),
        cut=max(stretch.cut for stretch in stretches),
        shortened=bool(chain) and chain[0].follows != ANCHOR,
        since=_count_since(chain),
    )


def _build_chain(chained: Sequence[Stretch], known: set[str]) -> list[Stretch]:
    """Put the files in order, beginning with one that follows a known hash if there is one."""
    ends = {stretch.last for stretch in chained}
    firsts = [stretch for stretch in chained if stretch.follows not in ends]
    chain = sorted(firsts, key=lambda stretch: stretch.follows not in known)[:1]
    while chain:
        following = [stretch for stretch in chained if stretch.follows == chain[-1].last]
        if not following:
            break
        chain.append(following[0])
    return chain


def _count_since(chain: Sequence[Stretch]) -> int | None:
    """Count the lines after the expected one, None if it was not found."""
    since: int | None = None
    for stretch in chain:
        if since is not None:
            since += stretch.lines
        elif stretch.since is not None:
            since = stretch.since
    return since


def _find_break(
    stretches: Sequence[Stretch], chain: Sequence[Stretch], known: set[str]
) -> BrokenLine | None:
    """Return where the files do not make up this chain, the longest they make."""
    for each in stretches:
        bound = any(each is link for link in chain)
        if each.lines and (not bound or (each is chain[0] and each.follows not in known)):
            return BrokenLine(each.file, each.begins, LOST_FILE)
        if each.bare and (
            each is not (chain[0] if each.lines else stretches[0])
            or (chain and chain[0].follows != ANCHOR)
        ):
            return BrokenLine(each.file, 1, NO_HASH)
        if each.cut and bound and each is not chain[-1]:
            return BrokenLine(
                each.file, each.begins + each.lines, "it is cut short, where another file follows"
            )
    return None
