"""Find the files to import at a path, in an archive, or among uploads.

Only manifests are read here; `reading` documents their format. A folder and an archive are treated
alike: files by their path below a top. No manifest line and no member name may lead out of it. If a
file's suffix does not tell its type, its first bytes do.
"""

from __future__ import annotations

import fnmatch
import json
import os
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath

from research_core.errors import FetchError, UsageError
from research_core.search.library import archives, web_archive_pages
from research_core.search.library.reading import MAX_BYTES, SUFFIXES, SourceFile, too_large_error
from research_core.text.words import strip_invisible
from research_core.web.documents.kinds import BODY_KINDS, ReceivedBody
from research_core.web.signatures import name_file_type

MANIFESTS = "manifest*.jsonl"
MAX_FILE_NAME = 150
#: Bytes read to detect a file's type.
HEAD_BYTES = 8_192
#: Files browsers save with a page: text, but no documents.
COMPANION_SUFFIXES = frozenset({".css", ".js", ".mjs", ".map", ".svg"})
#: Folders of system state as files, some of which never end.
SYSTEM_FOLDERS = ("/proc", "/sys", "/dev")


@dataclass(frozen=True)
class FoundFiles:
    """The files found at a path.

    failed: (name, reason) of what cannot be followed or opened; non_documents: (name, description)
    of files that are no documents; scanned_roots: the places of the folders and archives that were
    scanned; unreadable_roots: the places of those that could not be; existing_places: the places of
    everything in them, read or not.
    """

    files: tuple[SourceFile, ...]
    failed: tuple[tuple[str, str], ...] = ()
    non_documents: tuple[tuple[str, str], ...] = ()
    scanned_roots: tuple[str, ...] = ()
    unreadable_roots: tuple[str, ...] = ()
    existing_places: frozenset[str] = frozenset()

    def is_gone(self, place: str) -> bool:
        """Return True if the place was scanned and holds nothing any more."""
        return (
            place not in self.existing_places
            and _is_below(place, self.scanned_roots)
            and not _is_below(place, self.unreadable_roots)
        )


def _is_below(place: str, tops: Iterable[str]) -> bool:
    return any(place.startswith(f"{top}/") for top in tops)


def find_files(path: Path) -> FoundFiles:
    """List the files to import, by name.

    Raises UsageError if nothing is at the path, or it cannot be opened.
    """
    try:
        top = path.expanduser().resolve()
        is_folder, is_file = top.is_dir(), top.is_file()
    except OSError as error:
        raise UsageError(
            f"{display_path(path)} cannot be opened: {error.strerror}.",
            next_step="Check the path, and who may read it.",
        ) from error
    except (RuntimeError, ValueError) as error:
        # A loop of links, an unknown home folder, or a byte that no path may contain.
        raise UsageError(
            f"{display_path(path)} leads nowhere.", next_step="Check the path."
        ) from error
    if is_folder:
        return _scan_folder(_check_top_folder(top))
    if not is_file:
        raise UsageError(
            f"There is no file or folder at {display_path(path)}.", next_step="Check the path."
        )
    file = _make_disk_file(top, top.name)
    return _open_archive(file, top) if _is_container(file) else FoundFiles((file,))


def _check_top_folder(top: Path) -> Path:
    """Return the folder. Raises UsageError if the system keeps its own state there."""
    if str(top) in SYSTEM_FOLDERS or _is_below(str(top), SYSTEM_FOLDERS):
        raise UsageError(
            f"{top} holds no documents: the system shows its own state there.",
            next_step="Name another folder.",
        )
    return top


def display_path(path: Path | str) -> str:
    """Return a path as printable text, with bytes that are not UTF-8 escaped."""
    return str(path).encode("utf-8", "backslashreplace").decode()


def list_uploads(files: Iterable[tuple[str, bytes]]) -> FoundFiles:
    """Return the uploaded (name, bytes) in order, with numbers added to repeated names."""
    named: dict[str, FoundFiles] = {}
    for said, body in files:
        bare = PurePosixPath(clean_file_name(said))
        name = bare.name
        number = 1
        while name in named:
            number += 1
            name = f"{bare.stem} ({number}){bare.suffix}"
        file = SourceFile(name, name, _make_memory_loader(body))
        named[name] = _open_archive(file, body) if _is_container(file) else FoundFiles((file,))
    return _merge_found(named.values())


def clean_file_name(said: str) -> str:
    """Return the bare, visible name of an uploaded file; never empty."""
    name = " ".join(strip_invisible(said).replace("\\", "/").rpartition("/")[2].split()).lstrip(".")
    stem, dot, suffix = name.rpartition(".")
    if stem and dot:
        return f"{stem[:MAX_FILE_NAME]}.{suffix[:10]}"
    return name[:MAX_FILE_NAME] or "document"


# ---------------------------------------------------------------- the bytes of one file


def _make_disk_file(path: Path, name: str) -> SourceFile:
    return SourceFile(
        display_path(name),
        display_path(path),
        lambda most: _load_from_disk(path, most),
        head=lambda: _read_head(path, HEAD_BYTES),
    )


def _load_from_disk(path: Path, most: int) -> bytes:
    body = _read_head(path, most + 1)
    if len(body) > most:
        raise too_large_error()
    return body


def _read_head(path: Path, most: int) -> bytes:
    """Read up to `most` bytes, whatever size the file reports."""
    try:
        with path.open("rb") as stream:
            return stream.read(most)
    except OSError as error:
        raise FetchError(
            f"The file cannot be opened: {error.strerror}.", kind="not_found"
        ) from error


def _make_memory_loader(body: bytes) -> Callable[[int], bytes]:
    def load(most: int) -> bytes:
        if len(body) > most:
            raise too_large_error()
        return body

    return load


def _refuse_nested(most: int) -> bytes:
    raise FetchError(
        "An archive in an archive is not opened.",
        kind="unsupported",
        next_step="Unpack it, and add it by itself.",
    )


def _make_failing_loader(error: FetchError) -> Callable[[int], bytes]:
    def load(most: int) -> bytes:
        raise error

    return load


# ---------------------------------------------------------------- folders and archives


def _is_container(file: SourceFile) -> bool:
    return file.name.lower().endswith((archives.SUFFIX, *web_archive_pages.ENDINGS))


def _open_archive(file: SourceFile, source: Path | bytes) -> FoundFiles:
    """List the files of an archive; one that cannot be opened is a file that fails."""
    try:
        if file.name.lower().endswith(web_archive_pages.ENDINGS):
            return _open_web_archive(file, source)
        return _open_zip(file, source)
    except FetchError as error:
        return FoundFiles(
            (replace(file, load=_make_failing_loader(error)),), unreadable_roots=(file.place,)
        )


def _open_web_archive(file: SourceFile, source: Path | bytes) -> FoundFiles:
    """List the pages of a web archive.

    A broken archive may have lost pages, so none of them counts as gone.
    """
    found = web_archive_pages.read_saved_pages(source, file.name, file.place)
    failed = [(f"{file.name}/{url}", why) for url, why in found.failed]
    if found.broken:
        failed.append((file.name, found.broken))
    return FoundFiles(
        files=found.files,
        failed=tuple(failed),
        non_documents=tuple((f"{file.name}/{url}", media) for url, media in found.others),
        scanned_roots=(file.place,),
        unreadable_roots=(file.place,) if found.broken else (),
        existing_places=frozenset(page.place for page in found.files),
    )


def _open_zip(file: SourceFile, source: Path | bytes) -> FoundFiles:
    archive = archives.unpack(source)
    below: dict[str, SourceFile] = {}
    nested: set[str] = set()
    for name, read in archive.members.items():
        head = partial(archive.heads[name], HEAD_BYTES)
        member = SourceFile(f"{file.name}/{name}", f"{file.place}/{name}", read, head=head)
        if _is_container(member):
            nested.add(name)
            member = replace(member, load=_refuse_nested)
        below[name] = member
    found = _select_files(below, _join_manifest_path, f"{file.name}/", also=frozenset(nested))
    outside = [(f"{file.name}/{name}", "It lies outside the archive.") for name in archive.outside]
    return replace(found, failed=(*found.failed, *outside), scanned_roots=(file.place,))


@dataclass(frozen=True)
class _FolderContent:
    """What a folder holds, by path below it.

    files, paths: the files and where they are; others: (path, description) of entries that are no
    files; failed: (path, reason) of folders that cannot be opened; complete: all could be opened.
    """

    files: dict[str, SourceFile]
    paths: dict[str, Path]
    others: list[tuple[str, str]]
    failed: list[tuple[str, str]]
    complete: bool


def _scan_folder(top: Path) -> FoundFiles:
    """List the files of a folder and of the archives in it."""
    content = _read_folder(top)
    outside = frozenset(name for name, path in content.paths.items() if _leads_out(top, path))

    def follow(manifest: str, said: str) -> str | None:
        path = Path(os.path.realpath((top / manifest).parent / said))
        return path.relative_to(top).as_posix() if path.is_relative_to(top) else None

    containers = [
        name
        for name, file in sorted(content.files.items())
        if _is_container(file) and not _is_hidden(name)
    ]
    found = _select_files(content.files, follow, "", also=outside.intersection(containers))
    archived = [
        _open_archive(content.files[name], content.paths[name])
        for name in containers
        if name not in outside
    ]
    whole = replace(
        found,
        failed=(*content.failed, *found.failed),
        non_documents=(*found.non_documents, *sorted(content.others)),
        scanned_roots=(display_path(top),) if content.complete else (),
    )
    return _merge_found((whole, *archived))


def _read_folder(top: Path) -> _FolderContent:
    """Walk through a folder and tell its files from other entries."""
    entries, errors = _walk(top)
    files: dict[str, SourceFile] = {}
    paths: dict[str, Path] = {}
    others: list[tuple[str, str]] = []
    for path, is_folder in entries:
        name = path.relative_to(top).as_posix()
        shown = display_path(name)
        why = _explain_no_file(path, is_folder)
        if why and not _is_hidden(name):
            others.append((shown, why))
        elif not why and not is_folder:
            files[shown] = _make_folder_file(top, path, name)
            paths[shown] = path
    failed: list[tuple[str, str]] = []
    for error in errors:
        if not _is_hidden(Path(error.filename).relative_to(top).as_posix()):
            place = display_path(os.path.relpath(error.filename, top.parent))
            failed.append((place, f"The folder cannot be opened: {error.strerror}."))
    return _FolderContent(files, paths, others, failed, complete=not errors)


def _walk(top: Path) -> tuple[list[tuple[Path, bool]], list[OSError]]:
    """Return (path, is it a folder) of all entries below a folder, and why some are missing."""
    entries: list[tuple[Path, bool]] = []
    errors: list[OSError] = []
    for folder, folders, names in os.walk(top, onerror=errors.append):
        entries += [(Path(folder, name), name in folders) for name in folders + names]
    return entries, errors


def _explain_no_file(path: Path, is_folder: bool) -> str:
    """Say why an entry of a folder is no file or followed folder; "" if it is one."""
    try:
        if is_folder:
            return "a link to a folder, which is not followed" if path.is_symlink() else ""
        if path.is_file():
            return ""
        return "a link that leads nowhere" if path.is_symlink() else "no plain file"
    except OSError as error:
        return f"it cannot be looked at: {error.strerror}"


def _make_folder_file(top: Path, path: Path, name: str) -> SourceFile:
    """Return a file of the folder; a link to a file elsewhere fails to load.

    Whoever made the folder must not find out what else is on this machine.
    """
    file = _make_disk_file(path, name)
    if not _leads_out(top, path):
        return file
    step = "Add the file itself, or copy it into the folder."
    refuse = _make_failing_loader(
        FetchError("It is a link to a file outside the folder.", kind="validation", next_step=step)
    )
    return replace(file, load=refuse, head=partial(refuse, HEAD_BYTES))


def _leads_out(top: Path, path: Path) -> bool:
    return path.is_symlink() and not path.resolve().is_relative_to(top)


def _merge_found(parts: Iterable[FoundFiles]) -> FoundFiles:
    parts = list(parts)
    return FoundFiles(
        files=tuple(file for part in parts for file in part.files),
        failed=tuple(failure for part in parts for failure in part.failed),
        non_documents=tuple(each for part in parts for each in part.non_documents),
        scanned_roots=tuple(top for part in parts for top in part.scanned_roots),
        unreadable_roots=tuple(top for part in parts for top in part.unreadable_roots),
        existing_places=frozenset().union(*(part.existing_places for part in parts)),
    )


def _select_files(
    below: Mapping[str, SourceFile],
    follow: Callable[[str, str], str | None],
    prefix: str,
    *,
    also: frozenset[str] = frozenset(),
) -> FoundFiles:
    """Choose the files to import below a top, given by path.

    follow: resolves a manifest's path, None if it leads out; also: files to import in any case.
    """
    visible = sorted(name for name in below if not _is_hidden(name))
    manifests = [
        name for name in visible if fnmatch.fnmatchcase(PurePosixPath(name).name, MANIFESTS)
    ]
    listed, failed = _follow_manifests(manifests, below, follow, prefix)
    unlisted = [
        name
        for name in visible
        if name not in listed
        and name not in manifests
        and not (manifests and _get_upper_stem(name) == "README")
    ]
    chosen, others = _tell_documents({name: below[name] for name in unlisted}, also)
    return FoundFiles(
        tuple(sorted((*listed.values(), *chosen), key=lambda file: file.name)),
        tuple(failed),
        tuple(others),
        existing_places=frozenset(file.place for file in below.values()),
    )


def _follow_manifests(
    manifests: Iterable[str],
    below: Mapping[str, SourceFile],
    follow: Callable[[str, str], str | None],
    prefix: str,
) -> tuple[dict[str, SourceFile], list[tuple[str, str]]]:
    """Return the files that manifests list, by path, and (line, reason) of invalid lines."""
    listed: dict[str, SourceFile] = {}
    failed: list[tuple[str, str]] = []
    for manifest in manifests:
        for line in _read_manifest_lines(manifest, below, follow):
            if isinstance(line, SourceFile):
                listed.setdefault(line.name.removeprefix(prefix), line)
            else:
                place, reason = line
                failed.append((prefix + place, reason))
    return listed, failed


def _tell_documents(
    files: Mapping[str, SourceFile], also: frozenset[str]
) -> tuple[list[SourceFile], list[tuple[str, str]]]:
    """Return the files that are or may be documents, and (name, description) of the others.

    also: the paths of files that count as documents in any case.
    """
    chosen: list[SourceFile] = []
    others: list[tuple[str, str]] = []
    for name, file in files.items():
        if name in also or file.suffix in SUFFIXES:
            chosen.append(file)
        elif not _is_container(file):
            why = _explain_no_document(file)
            if why:
                others.append((file.name, why))
            else:
                chosen.append(replace(file, unsure=True))
    return chosen, others


def _explain_no_document(file: SourceFile) -> str:
    """Say what a file is if its first bytes show it is no document; else ""."""
    if file.suffix in COMPANION_SUFFIXES:
        return "what a page is drawn with"
    try:
        head = file.head()
    except FetchError as error:
        return error.message
    received = ReceivedBody(head, "", "", PurePosixPath(file.name).name.lower(), "")
    kind = next(kind.name for kind in BODY_KINDS if kind.test(received))
    if kind not in ("unreadable", "binary"):
        return ""
    return name_file_type(head) or "no text"


#: Characters no file name in a manifest can have.
_INVALID_IN_NAME = re.compile("[\x00\ud800-\udfff]")


def _is_hidden(name: str) -> bool:
    return any(part.startswith(".") for part in PurePosixPath(name).parts)


def _get_upper_stem(name: str) -> str:
    return PurePosixPath(name).stem.upper()


def _join_manifest_path(manifest: str, said: str) -> str | None:
    return archives.normalize_member_path(
        posixpath.normpath(posixpath.join(posixpath.dirname(manifest), said))
    )


def _read_manifest_lines(
    manifest: str, below: Mapping[str, SourceFile], follow: Callable[[str, str], str | None]
) -> Iterator[SourceFile | tuple[str, str]]:
    """Yield the files a manifest lists; for an invalid line, (place, reason)."""
    try:
        text = below[manifest].load(MAX_BYTES).decode("utf-8", "replace")
    except FetchError as error:
        yield manifest, error.sentence()
        return
    for number, line in enumerate(text.splitlines(), 1):
        place = f"{manifest}, line {number}"
        try:
            given = json.loads(line) if line.strip() else None
        except (ValueError, RecursionError):
            yield place, "This is not JSON."
            continue
        if given is None:
            continue
        said = given.get("file") if isinstance(given, dict) else None
        if not isinstance(said, str) or not said or _INVALID_IN_NAME.search(said):
            yield place, 'It needs {"file": "a name", …}.'
            continue
        name = follow(manifest, said)
        if name is None:
            yield place, f"{said} lies outside the folder."
        elif name not in below:
            yield place, f"There is no file {said}."
        else:
            yield replace(below[name], given=given)
