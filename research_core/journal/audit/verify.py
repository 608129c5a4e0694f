"""Whether the audit's chain holds: each line's hash fits the line, and each line follows the one
before, across rotated files.

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
    CUT,
    REMOVED,
    claimed,
    is_cut,
    linked,
    object_in,
    spelled,
)
from research_core.journal.audit.file import locked, rotated
from research_core.model_messages import Json

OTHER = "its hash does not fit what it says"
BARE = "it has no hash, where a line before it has one, or the line after it follows one"
GAP = "it does not follow the line before it"
LOST = (
    "it follows a line that ends no file here, or that another file follows: a file is missing, or"
    " is there twice"
)


@dataclass(frozen=True)
class Broken:
    """The first line that breaks a chain: its file, its number there (1..), and why."""

    file: Path
    line: int
    why: str


@dataclass(frozen=True)
class Stretch:
    """What one file holds, where its own lines hold together.

    lines: those in the chain; begins: the number of the first of them; follows: the hash it
    follows; last: the hash of the last one, as `follows` where there is none. bare: lines of an
    older Assay before it; mended: lines cut short that a later one tells of; cut: bytes of one that
    none tells of yet; removed: last hashes of files whose removal is told; since: lines after the
    expected one, None: not met.
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
class Verdict:
    """What came of it. broken: None where all that is covered holds. The rest is counted over all
    files, `last` is the hash at the end.

    shortened: whether the beginning was removed for its age, or is known by the expected hash.
    since: lines after the expected one, None where it was not met.
    """

    broken: Broken | None
    lines: int = 0
    last: str = ""
    bare: int = 0
    mended: int = 0
    cut: int = 0
    shortened: bool = False
    since: int | None = None


def verify(paths: Sequence[Path], expect: str = "") -> Verdict:
    """Follow the chain through these files and those rotated from them. expect: a hash that was
    noted earlier, "" for none.

    Raises UsageError where none of it exists, OSError for a file that cannot be read.
    """
    stretches = list[Stretch]()
    with ExitStack() as stack:
        there = {
            each[0].resolve(): each for path in paths for each in _opened(stack, path)
        }  # given, or beside one that is, or both
        for path, file, size in there.values():
            found = stretch(path, _lines(file, size), expect)
            if isinstance(found, Broken):
                return Verdict(found)
            stretches.append(found)
    return followed(stretches, expect)


def _opened(stack: ExitStack, path: Path) -> list[tuple[Path, BinaryIO, int]]:
    """The rotated files and the one in use, each as it is at one moment between two lines, with its
    size.
    """
    lock = path.resolve().with_name(f"{path.resolve().name}.lock")
    with (
        locked(path.resolve()) if os.access(lock, os.W_OK) else nullcontext()
    ):  # a copy that nobody adds to has none
        there = [
            each
            for each in (*(rotated(path.resolve()) if path.parent.is_dir() else ()), path)
            if each.exists()
        ]
        if not there:
            raise UsageError(
                f"There is no audit file {path}.", next_step="Name the file, or set AUDIT_LOG_PATH."
            )
        files = [(each, stack.enter_context(each.open("rb"))) for each in there]
        return [(each, file, os.fstat(file.fileno()).st_size) for each, file in files]


def _lines(file: BinaryIO, size: int) -> Iterator[bytes]:
    """The lines of the first so many bytes, with their line feeds."""
    while size > 0 and (line := file.readline(size)):
        size -= len(line)
        yield line


def stretch(file: Path, lines: Iterable[bytes], expect: str = "") -> Stretch | Broken:
    """What a file of these lines, each with its line feed, holds; or where it does not hold
    together.
    """
    so_far = Stretch(file)
    for number, line in enumerate(lines, 1):
        if not line.endswith(b"\n") and is_cut(line):
            return replace(so_far, cut=len(line))
        event = object_in(line)
        if event is None:
            return Broken(file, number, "it is no JSON object")
        if not {"hash", "prev_hash"} & set(event) and not so_far.lines:
            so_far = replace(so_far, bare=so_far.bare + 1)
            continue
        if why := _wrong(line, event, so_far):
            return Broken(file, number, why)
        so_far = _with(so_far, event, number, expect)
    return so_far


def _wrong(line: bytes, event: Json, so_far: Stretch) -> str:
    """Why this line of the chain does not hold, after those; "" where it does."""
    if not claimed(event) or not isinstance(event.get("prev_hash"), str):
        return BARE if "hash" not in event else OTHER
    try:
        fits = linked(event, event["prev_hash"])["hash"] == event["hash"] and spelled(
            event
        ).startswith(line)
    except (
        ValueError,
        RecursionError,
    ):  # a number or half a character that JSON cannot hold, and Assay cannot have written
        fits = False
    if not fits:
        return OTHER
    before = so_far.last if so_far.lines else ANCHOR if so_far.bare else event["prev_hash"]
    return "" if event["prev_hash"] == before else GAP


def _with(so_far: Stretch, event: Json, number: int, expect: str) -> Stretch:
    about = event.get("metadata")
    gone = (
        about.get("last_hash")
        if event.get("event_type") == REMOVED and isinstance(about, dict)
        else None
    )
    if so_far.since is not None:
        since: int | None = so_far.since + 1
    else:
        since = (
            0
            if event["hash"] == expect
            else 1
            if not so_far.lines and event["prev_hash"] == expect
            else None
        )
    first = {} if so_far.lines else {"begins": number, "follows": event["prev_hash"]}
    return replace(
        so_far,
        **first,
        lines=so_far.lines + 1,
        last=event["hash"],
        mended=so_far.mended + (event.get("event_type") == CUT),
        removed=so_far.removed | ({gone} if isinstance(gone, str) else set()),
        since=since,
    )


def followed(stretches: Sequence[Stretch], expect: str = "") -> Verdict:
    """What the files make together, each of which holds by itself, in whatever order they are
    given.
    """
    chained = [each for each in stretches if each.lines]
    known = {ANCHOR, expect, *(gone for each in chained for gone in each.removed)} - {""}
    ends = {each.last for each in chained}
    chain = sorted(
        (each for each in chained if each.follows not in ends),
        key=lambda each: each.follows not in known,
    )[:1]
    while chain and (
        more := next((each for each in chained if each.follows == chain[-1].last), None)
    ):
        chain.append(more)
    if broken := _apart(stretches, chain, known):
        return Verdict(broken)
    met = next((at for at, each in enumerate(chain) if each.since is not None), len(chain))
    return Verdict(
        None,
        lines=sum(each.lines for each in chain),
        last=chain[-1].last if chain else "",
        bare=sum(each.bare for each in stretches),
        mended=sum(each.mended for each in chain),
        cut=max(each.cut for each in stretches),
        shortened=bool(chain) and chain[0].follows != ANCHOR,
        since=(
            None
            if met == len(chain)
            else (chain[met].since or 0) + sum(each.lines for each in chain[met + 1 :])
        ),
    )


def _apart(
    stretches: Sequence[Stretch], chain: Sequence[Stretch], known: set[str]
) -> Broken | None:
    """Where the files do not make this chain, which is the longest they make."""
    for each in stretches:
        bound = any(each is link for link in chain)
        if each.lines and (not bound or (each is chain[0] and each.follows not in known)):
            return Broken(each.file, each.begins, LOST)
        if each.bare and (
            each is not (chain[0] if each.lines else stretches[0])
            or (chain and chain[0].follows != ANCHOR)
        ):
            return Broken(each.file, 1, BARE)
        if each.cut and bound and each is not chain[-1]:
            return Broken(
                each.file, each.begins + each.lines, "it is cut short, where another file follows"
            )
    return None
