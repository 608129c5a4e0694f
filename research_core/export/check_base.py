"""Shared parts of the evidence-pack checks: read files, JSON and tables, and compare texts.

Nothing is unpacked to the disk. Needs only Python 3.9 or newer; part of the script that goes into
each pack.
"""

from __future__ import annotations

import sys

if __name__ == "__main__" and not sys.flags.isolated:
    # The script's folder may hold a planted csv.py, which would run instead of Python's own.
    sys.path.pop(0)

import csv
import hashlib
import io
import json
import re
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

#: Most bytes and most files of a pack; more is no evidence pack but an attack.
MOST_BYTES, MOST_FILES = 2_000_000_000, 20_000
#: What a reader cannot see: control characters, and what Unicode calls ignorable.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-"
    "\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


class UnreadablePack(Exception):
    """The given file or folder is no readable pack."""


def format_shown(text: object) -> str:
    """Return any text as one line without control characters."""
    return "".join(sign if sign.isprintable() else "?" for sign in str(text))[:200]


# -- the files -------------------------------------------------------------------------------------


def is_safe_name(name: str) -> bool:
    """Return True if a name stays in its folder."""
    if not name or name.startswith("/") or "\\" in name or ":" in name:
        return False
    return ".." not in name.split("/")


def read_pack(place: Path) -> dict[str, bytes]:
    """Return every file of the pack by its name; nothing is unpacked to the disk.

    Raises UnreadablePack.
    """
    return _read_folder(place) if place.is_dir() else _read_zip(place)


def _read_zip(place: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(place) as packed:
        entries = packed.infolist()
        if len(entries) > MOST_FILES or sum(entry.file_size for entry in entries) > MOST_BYTES:
            raise UnreadablePack("it holds more than an evidence pack can")
        found: list[tuple[str, zipfile.ZipInfo]] = []
        for entry in entries:
            if not entry.is_dir():
                found.append((_strip_dot_slash(entry.filename), entry))
        doubled = len({name for name, _ in found}) != len(found)
        if doubled or not all(is_safe_name(entry.filename) for entry in entries):
            raise UnreadablePack("it holds a name twice, or one that leads out of its folder")
        # zipfile gives no more bytes than the size that an entry states.
        return _strip_folder({name: packed.read(entry) for name, entry in found})


def _strip_dot_slash(name: str) -> str:
    """Return a name as SHA256SUMS has it: some programs put "./" before each."""
    while name.startswith("./"):
        name = name[2:]
    return name


def _strip_folder(files: dict[str, bytes]) -> dict[str, bytes]:
    """Remove the one folder that holds all files in a zip that was packed again."""
    folder = ""
    for name in files:
        if name.count("/") == 1 and name.endswith("/SHA256SUMS"):
            folder = name[: -len("SHA256SUMS")]
            break
    if not folder or not all(name.startswith((folder, "__MACOSX/")) for name in files):
        return files
    stripped: dict[str, bytes] = {}
    for name, body in files.items():
        stripped[name[len(folder) :] if name.startswith(folder) else name] = body
    return stripped


def _read_folder(place: Path) -> dict[str, bytes]:
    paths = sorted(place.rglob("*"))
    if any(path.is_symlink() for path in paths):
        raise UnreadablePack("it holds a link to another place")
    found = [path for path in paths if path.is_file()]
    if len(found) > MOST_FILES or sum(path.stat().st_size for path in found) > MOST_BYTES:
        raise UnreadablePack("it holds more than an evidence pack can")
    return {path.relative_to(place).as_posix(): path.read_bytes() for path in found}


def hash_bytes(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def read_json(files: dict[str, bytes], name: str) -> Any:
    return json.loads(files[name])


def read_report(files: dict[str, bytes]) -> Any:
    return read_json(files, "report.json")


def read_table(files: dict[str, bytes], name: str) -> list[dict[str, str]]:
    """Return the rows of a table as dictionaries by column."""
    text = io.StringIO(files[name].decode("utf-8-sig"), newline="")
    return list(csv.DictReader(text, restkey="", restval="", strict=True))


# -- held against each other -----------------------------------------------------------------------


def compare_table(
    files: dict[str, bytes],
    name: str,
    columns: Sequence[str],
    rows: list[list[str]],
    source: str = "",
) -> list[str]:
    """Report rows of a table that differ from the JSON of the same name.

    source: the name of the JSON file, if it is another.
    """
    table = read_table(files, f"{name}.csv")
    source = source or f"{name}.json"
    faults: list[str] = []
    if len(table) != len(rows):
        faults.append(f"{name}.csv has not as many rows as {source} asks for")
    for number, row, told in pair_rows(table, rows):
        wrong: list[str] = []
        for _, column, text in pair_rows(columns, told):
            if not is_same_text(row[column], text):
                wrong.append(column)
        if wrong:
            faults.append(
                f"{name}.csv: row {number} does not say what {source} says: {', '.join(wrong)}"
            )
    return faults


def is_same_text(cell: str, text: str) -> bool:
    """Return True if a cell holds this text.

    Tables have words cleaned: of these only letters and digits are compared, and a long text as far
    as it was kept.
    """
    if cell == text:
        return True
    wordy = " " in text or not text.isascii() or not text.isprintable() or cell[:1] == "'"
    if not wordy:
        return False
    kept, whole = keep_letters(cell), keep_letters(text)
    shortened = cell.endswith("…") and len(cell) > 1_000
    return kept == whole or (shortened and whole.startswith(kept))


def keep_letters(text: str) -> str:
    return "".join(
        sign for sign in text if sign.isalnum() and sign not in "\u115f\u1160\u3164\uffa0"
    )


def strip_invisible(text: str) -> str:
    """Remove what cannot be seen; white space stays."""
    return _INVISIBLE.sub("", text)


def strip_markup(text: str) -> str:
    """Remove white space, invisible characters and Markdown's signs.

    The signs are `*`, `_`, backtick, bar, backslash, and two that Assay keeps for itself.
    """
    return "".join(
        sign for sign in strip_invisible("".join(text.split())) if sign not in "*_`|\\\ue000\ue002"
    )


def pair_rows(one: Iterable[Any], other: Iterable[Any]) -> Any:
    """Pair two lists, numbered from 1, up to the end of the shorter one."""
    # Python 3.9 has no `strict`.
    return [(n, *both) for n, both in enumerate(zip(one, other), 1)]  # noqa: B905


def collapse_spaces(text: str) -> str:
    return " ".join(text.split())
