"""What is in a folder, and what each file says: the library's import format.

A file or a folder, with all folders below it. Read are .html .htm .xhtml .md .markdown .txt .text .pdf; names that begin with a dot are
passed over. A folder may hold any number of `manifest*.jsonl`, one JSON object a line, about the files beside and below it:

    {"file": "guide.html", "url": "https://example.org/guide", "title": "A guide", "published": "2025-03-18"}

`file` is a path relative to the manifest, of any suffix; `url` is the page's address, null for an own document, which has none; `title`
and `published` (YYYY, YYYY-MM or YYYY-MM-DD) overrule what the file says. Keys that are not known are passed over, and where there is a
manifest, so is a README. Without a line, an HTML file has the address its <link rel="canonical"> names, and a text or Markdown file
that of its front matter (`title:`, `url:`, `date:` between two lines of `---`); any other file is an own document.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path, PurePosixPath
from typing import Any

from research_core.errors import FetchError, UsageError
from research_core.library.shelf import Document
from research_core.models import Page
from research_core.text import truncate, visible
from research_core.urls import OWN, canonical
from research_core.web.documents import day
from research_core.web.kinds import read_body

SUFFIXES = frozenset({".html", ".htm", ".xhtml", ".md", ".markdown", ".txt", ".text", ".pdf"})
MANIFESTS = "manifest*.jsonl"
MAX_BYTES = 50_000_000
LONGEST_URL = 2_000
LONGEST_FILE = 150
#: Raised when the readers change so much that every document is worth reading again.
VERSION = 1


@dataclass(frozen=True)
class File:
    """A file to read. name: for people, relative to what was added; given: its line of a manifest; body: its bytes where it is no file

    of this machine but was sent by a browser, whose path is then only a name.
    """

    path: Path
    name: str
    given: Mapping[str, Any] = field(default_factory=dict)
    body: bytes | None = None


@dataclass(frozen=True)
class Found:
    """What is in a folder. failed: (name, reason) of manifest lines that cannot be followed; ignored: files of other kinds."""

    files: tuple[File, ...]
    failed: tuple[tuple[str, str], ...] = ()
    ignored: int = 0


def find(path: Path) -> Found:
    """The files to read, in order of name. Raises UsageError when there is nothing at the path."""
    root = path.expanduser().resolve()
    if root.is_file():
        return Found((File(root, root.name),))
    if not root.is_dir():
        raise UsageError(f"There is no file or folder at {path}.", next_step="Check the path.")
    listed: dict[Path, File] = {}
    failed: list[tuple[str, str]] = []

    def closed(error: OSError) -> None:
        if not _is_hidden(Path(error.filename).relative_to(root)):
            failed.append((os.path.relpath(error.filename, root.parent), f"The folder cannot be opened: {error.strerror}."))

    files = [Path(folder, name) for folder, _, names in os.walk(root, onerror=closed) for name in names]
    below = sorted(each for each in files if each.is_file() and not _is_hidden(each.relative_to(root)))
    manifests = [each for each in below if each.match(MANIFESTS)]
    for manifest in manifests:
        for line in _lines(manifest, root):
            if isinstance(line, File):
                listed.setdefault(line.path, line)
            else:
                failed.append(line)
    others = [each for each in below if each not in listed and each not in manifests and not (manifests and each.stem.upper() == "README")]
    plain = [File(each, str(each.relative_to(root))) for each in others if each.suffix.lower() in SUFFIXES]
    return Found(tuple(sorted((*listed.values(), *plain), key=lambda file: file.name)), tuple(failed), len(others) - len(plain))


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _lines(manifest: Path, root: Path) -> Iterator[File | tuple[str, str]]:
    """The files a manifest lists, or for a line that cannot be followed, its place and the reason."""
    for number, line in enumerate(manifest.read_text("utf-8", "replace").splitlines(), 1):
        place = f"{manifest.relative_to(root)}, line {number}"
        try:
            given = json.loads(line) if line.strip() else None
        except (ValueError, RecursionError):
            yield place, "This is no JSON."
            continue
        if given is None:
            continue
        name = given.get("file") if isinstance(given, dict) else None
        if not isinstance(name, str) or not name or "\x00" in name:
            yield place, 'It needs {"file": "a name", …}.'
            continue
        path = (manifest.parent / name).resolve()
        if not path.is_relative_to(root):
            yield place, f"{name} lies outside the folder."
        elif not path.is_file():
            yield place, f"There is no file {name}."
        else:
            yield File(path, str(path.relative_to(root)), given)


def sent(files: Iterable[tuple[str, bytes]]) -> Found:
    """Files that a browser sent, in order, each (its name there, its bytes). Of two with one name the later is told apart by a number."""
    named: dict[str, File] = {}
    for said, body in files:
        bare = PurePosixPath(bare_name(said))
        name = next(name for n in count(1) if (name := f"{bare.stem} ({n}){bare.suffix}" if n > 1 else bare.name) not in named)
        named[name] = File(Path(name), name, body=body)
    return Found(tuple(named.values()))


def bare_name(said: str) -> str:
    """The name of a file without any folder and without what cannot be seen: a browser may send whatever it likes. Never empty."""
    name = " ".join(visible(said).replace("\\", "/").rpartition("/")[2].split()).lstrip(".")
    stem, dot, suffix = name.rpartition(".")
    return f"{stem[:LONGEST_FILE]}.{suffix[:10]}" if stem and dot else name[:LONGEST_FILE] or "document"


def body_of(file: File) -> bytes:
    """The bytes of the file. Raises FetchError when it is too large, cannot be opened, or was sent and is of no kind that is read here."""
    if file.body is not None and file.path.suffix.lower() not in SUFFIXES:
        kind = file.path.suffix or "no ending"
        raise FetchError(f"Files of this kind ({kind}) are not taken; PDF, HTML, Markdown and text are.", kind="unsupported")
    try:
        if (file.path.stat().st_size if file.body is None else len(file.body)) > MAX_BYTES:
            raise FetchError(f"The file is larger than {MAX_BYTES // 1_000_000} MB.", kind="too_large")
        return file.path.read_bytes() if file.body is None else file.body
    except OSError as error:
        raise FetchError(f"The file cannot be opened: {error.strerror}.", kind="not_found") from error


def stamp(file: File, body: bytes) -> str:
    """A hash of all that the document is made from; the same stamp, the same document."""
    given = {name: file.given[name] for name in ("url", "title", "published") if name in file.given}
    head = json.dumps([VERSION, given, file.path.suffix.lower()], sort_keys=True)
    return hashlib.sha256(head.encode() + b"\n" + body).hexdigest()


def read(file: File, body: bytes) -> Document:
    """The document in a file. Raises FetchError with the reason when it cannot be read, or its manifest gives an address that is none."""
    page = read_body(body, "", name=file.path.name)
    return Document(
        url=_address(file, page, body),
        title=_words(file.given.get("title")) or page.title or file.path.stem,
        text=page.text,
        kind=page.kind,
        published=day(_words(file.given.get("published"))) or page.published,
        sha=stamp(file, body),
        file=str(file.path),
    )


def _words(value: Any) -> str:
    return truncate(" ".join(visible(value).split()), 300) if isinstance(value, str) else ""


def _address(file: File, page: Page, body: bytes) -> str:
    """The canonical address: of the manifest, where its line has one, else what the file says of itself; else that of an own document."""
    own = f"{OWN}{hashlib.sha256(body).hexdigest()[:12]}"
    said = file.given.get("url", page.final_url)
    if not said:
        return own
    try:
        url = canonical(str(said))
    except ValueError as error:
        if "url" in file.given:
            raise FetchError(f"Its manifest gives an address that is none: {error}.", kind="unsupported") from error
        return own
    if len(url) > LONGEST_URL:
        raise FetchError(f"Its address is longer than {LONGEST_URL} characters.", kind="unsupported")
    return url
