"""Checks an evidence pack with no network and without Assay: python3 check.py [FOLDER OR ZIP]. Python 3.9 or newer, nothing else.

It finds what was changed after the pack was made, and passages or numbers that lead nowhere. Who rewrites every file and SHA256SUMS too is
found only by the pack's digest, noted elsewhere. Whether a source is right it does not say. Exit code 0: all holds; 1: something does not.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import zipfile
import zlib
from pathlib import Path

#: Most bytes of all files together, and most files: more is no evidence pack but a trap.
MOST_BYTES, MOST_FILES = 2_000_000_000, 20_000
_SUM = re.compile(r"([0-9a-f]{64})  ([A-Za-z0-9._/-]+)")
_MARK = re.compile(r"(?<!\\)\[(\d{1,4})\](?![(\[])")
_LISTED = re.compile(r"^\[(\d{1,4})\]\. ", re.MULTILINE)


class Unfit(Exception):
    """What was given is no pack that can be read."""


def shown(text: object) -> str:
    """Any text as one line without control characters."""
    return "".join(sign if sign.isprintable() else "?" for sign in str(text))[:200]


def safe(name: str) -> bool:
    """Whether a name stays in its folder."""
    return bool(name) and not name.startswith("/") and "\\" not in name and ":" not in name and ".." not in name.split("/")


def files_of(place: Path) -> dict[str, bytes]:
    """Every file of the pack by its name. Nothing is unpacked to the disk. Raises Unfit."""
    return _of_folder(place) if place.is_dir() else _of_zip(place)


def _of_zip(place: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(place) as packed:
        entries = packed.infolist()
        if len(entries) > MOST_FILES or sum(entry.file_size for entry in entries) > MOST_BYTES:
            raise Unfit("it holds more than an evidence pack can")
        if len({entry.filename for entry in entries}) != len(entries) or not all(safe(entry.filename) for entry in entries):
            raise Unfit("it holds a name twice, or one that leads out of its folder")
        return {entry.filename: packed.read(entry) for entry in entries}  # zipfile gives no more bytes than the size it states


def _of_folder(place: Path) -> dict[str, bytes]:
    paths = sorted(place.rglob("*"))
    if any(path.is_symlink() for path in paths):
        raise Unfit("it holds a link to another place")
    found = [path for path in paths if path.is_file()]
    if len(found) > MOST_FILES or sum(path.stat().st_size for path in found) > MOST_BYTES:
        raise Unfit("it holds more than an evidence pack can")
    return {path.relative_to(place).as_posix(): path.read_bytes() for path in found}


def sums(files: dict[str, bytes]) -> list[str]:
    """Each file is the one SHA256SUMS names, no file is missing and none was added."""
    if "SHA256SUMS" not in files:
        return ["SHA256SUMS is missing"]
    lines = files["SHA256SUMS"].decode("utf-8", "replace").split("\n")
    rows = [_SUM.fullmatch(line) for line in lines[:-1]]
    if lines[-1] or not all(rows):
        return ["SHA256SUMS is not as it was written"]
    told = {row[2]: row[1] for row in rows if row}
    faults = [f"{name} is missing" for name in told if name not in files]
    faults += [f"{name} is not listed" for name in files if name not in told and name != "SHA256SUMS"]
    return faults + [f"{name} was changed" for name, sha in told.items() if name in files and _sha(files[name]) != sha]


def pages(files: dict[str, bytes]) -> list[str]:
    """The name of each page is the hash of its bytes."""
    return [f"{name} is not named by its hash" for name, body in files.items() if name.startswith("pages/") and name[6:-4] != _sha(body)]


def passages(files: dict[str, bytes]) -> list[str]:
    """Each passage is the stretch of its stored page that the report says."""
    faults = []
    for source in _report(files)["sources"]:
        body = files.get(f"pages/{source['page']}.txt")
        text = body.decode("utf-8", "surrogatepass") if body is not None else ""
        for one in source["passages"] if body is not None else ():
            if text[one["start"] : one["end"]].encode("utf-8", "replace") != one["text"].encode("utf-8", "replace"):
                faults.append(f"passage {one['id']} does not stand in {source['url']} where it should")
    return faults


def citations(files: dict[str, bytes]) -> list[str]:
    """Each citation leads to a passage of the source it numbers; each number in report.md is a source listed there and in report.json."""
    told = _report(files)
    held = {source["number"]: {one["id"] for one in source["passages"]} for source in told["sources"] if source["number"]}
    faults = [
        f"citation [{one['source']}] leads to no passage: {sentence['text']}"
        for sentence in told["sentences"]
        for one in sentence["citations"]
        if one["passage"] not in held.get(one["source"], ())
    ]
    text = files["report.md"].decode("utf-8")
    body, _, rest = text.partition("\n## Sources\n")
    listed = {int(number) for number in _LISTED.findall(rest)}
    faults += [f"[{number}] is no source of report.md" for number in sorted(set(map(int, _MARK.findall(body))) - listed)]
    return faults + [f"[{number}] is no source of report.json" for number in sorted(listed - held.keys())]


def counts(files: dict[str, bytes]) -> list[str]:
    """The number of sources kept is the one the funnel says."""
    told = _report(files)
    kept, said = sum(source["kept"] for source in told["sources"]), told["funnel"].get("kept", 0)
    return [] if kept == said else [f"{kept} sources are kept, and the funnel says {said}"]


CHECKS = (
    ("files are as SHA256SUMS lists them", sums),
    ("pages are named by their hash", pages),
    ("passages stand in their pages", passages),
    ("citations lead to passages and sources", citations),
    ("counts match", counts),
)


def _sha(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def _report(files: dict[str, bytes]) -> dict:  # type: ignore[type-arg]
    return json.loads(files["report.json"])  # type: ignore[no-any-return]


def faults_of(check, files: dict[str, bytes]) -> list[str]:  # type: ignore[no-untyped-def]
    """What a check finds; a file that it cannot read is a fault too."""
    try:
        return list(check(files))
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError) as error:
        return [f"could not be checked: {type(error).__name__} {error}"]


def main(arguments: list[str]) -> int:
    place = Path(arguments[0]) if arguments else Path(__file__).resolve().parent
    try:
        files = files_of(place)
    except (Unfit, OSError, zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError, ValueError) as error:
        print(f"FAULT  {shown(place)} cannot be read: {shown(error)}")
        return 1
    bad = 0
    for label, check in CHECKS:
        faults = faults_of(check, files)
        bad += bool(faults)
        print(f"{'FAULT' if faults else 'ok   '}  {label}")
        for fault in faults[:20]:
            print(f"         {shown(fault)}")
    gone = {s["page"] for s in _report(files)["sources"] if s["page"] and f"pages/{s['page']}.txt" not in files} if not bad else set()
    if gone:
        print(f"note   {len(gone)} pages are not in this pack: their passages could not be checked")
    print(f"Pack digest {_sha(files.get('SHA256SUMS', b''))} (the SHA-256 of SHA256SUMS)")
    print("All checks hold." if not bad else f"{bad} of {len(CHECKS)} checks do not hold.")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
