"""ZIP archives as folders: what is read from them, and what is refused before it does harm."""

from __future__ import annotations

import io
import json
import random
import stat
import struct
import tracemalloc
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.errors import FetchError
from research_core.journal.database import Database
from research_core.journal.tables import open_database
from research_core.search.library import archives
from research_core.search.library.archives import normalize_member_path, unpack
from research_core.search.library.importing import ImportResult
from research_core.search.library.library import Library
from research_core.wiring import LOCAL_USER

SITE = "https://harbour.example.org"


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    db = open_database(f"sqlite:///{tmp_path / 'light.db'}")
    yield db
    db.close()


def packed(members: Mapping[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", method) as archive:
        for name, words in members.items():
            archive.writestr(name, words)
    return body.getvalue()


EELS = {
    "harbour/eels.md": "# Eels\n\nEels come back in September.",
    "harbour/deep/boats.txt": "Boats\n\nRed boats fish for eels.",
    "harbour/chart.bin": b"\x00",
    "harbour/.hidden.txt": "never read",
    "__MACOSX/harbour/._eels.md": "never read",
    "harbour/manifest.jsonl": json.dumps(
        {"file": "eels.md", "url": f"{SITE}/eels", "published": "2021"}
    ),
}


# ---------------------------------------------------------------- as a folder


@pytest.mark.parametrize("by", ["path", "browser", "folder"])
def test_an_archive_is_read_as_the_folder_that_is_in_it(
    db: Database, tmp_path: Path, by: str
) -> None:
    (tmp_path / "docs").mkdir()
    path = tmp_path / "docs" / "harbour.zip"
    path.write_bytes(packed(EELS))
    library = Library(db, LOCAL_USER)
    said: list[tuple[int, int, str]] = []

    def add() -> ImportResult:
        if by == "browser":
            return library.add_uploads(
                [("harbour.zip", path.read_bytes())], "my", lambda *heard: said.append(heard)
            )
        return library.add(
            path if by == "path" else path.parent, "my", lambda *heard: said.append(heard)
        )

    added = add()
    assert (added.added, added.left_out, added.failed) == (
        2,
        (("harbour.zip/harbour/chart.bin", "no text"),),
        (),
    )
    assert said == [
        (1, 2, "harbour.zip/harbour/deep/boats.txt"),
        (2, 2, "harbour.zip/harbour/eels.md"),
    ]
    assert [(row["title"], row["published"]) for row in library.list_documents("my")] == [
        ("Boats", ""),
        ("Eels", "2021"),
    ]
    assert library.read("my", f"{SITE}/eels") is not None
    assert not library.search("my", "never")
    assert add().unchanged == 2


def test_only_the_members_that_changed_are_read_again_and_those_that_went_are_named(
    db: Database, tmp_path: Path
) -> None:
    path, library = tmp_path / "a.zip", Library(db, LOCAL_USER)
    path.write_bytes(
        packed({"one.txt": "One eel.", "two.txt": "Two eels.", "three.txt": "Three eels."})
    )
    library.add(path, "my")
    path.write_bytes(packed({"one.txt": "One eel.", "two.txt": "Two other eels."}))
    added = library.add(path, "my")
    assert (
        added.unchanged,
        added.replaced,
        [Path(place).name for _, place in added.missing_files],
    ) == (
        1,
        1,
        ["three.txt"],
    )
    assert len(library.list_documents("my")) == 3
    assert library.add(path, "my", prune=True).pruned == 1
    assert sorted(Path(row["file"]).name for row in library.list_documents("my")) == [
        "one.txt",
        "two.txt",
    ]


def test_nothing_of_an_archive_is_written_to_disk(db: Database, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.zip").write_bytes(
        packed(EELS | {"../escaped.txt": "out", "/tmp/assay-escaped.txt": "out"})
    )
    before = set(tmp_path.rglob("*"))
    added = Library(db, LOCAL_USER).add(tmp_path / "in", "my")
    assert {
        path for path in set(tmp_path.rglob("*")) - before if not path.name.startswith("light.db")
    } == set()
    assert not Path("/tmp/assay-escaped.txt").exists()
    assert [reason for _, reason in added.failed] == ["It lies outside the archive."] * 2


@pytest.mark.parametrize(
    "line", ["../secret.txt", "/etc/hostname", "a/../../secret.txt", "C:\\secret.txt"]
)
def test_no_line_of_a_manifest_leads_out_of_the_archive(
    db: Database, tmp_path: Path, line: str
) -> None:
    (tmp_path / "secret.txt").write_text("a secret")
    path = tmp_path / "a.zip"
    path.write_bytes(
        packed({"deep/manifest.jsonl": json.dumps({"file": line}), "deep/eels.txt": "Eels."})
    )
    library = Library(db, LOCAL_USER)
    added = library.add(path, "my")
    assert "outside the folder" in added.failed[0][1] or "no file" in added.failed[0][1]
    assert not library.search("my", "secret")


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("a/b.txt", "a/b.txt"), ("a\\b.txt", "a/b.txt"), ("./a.txt", "a.txt"), ("a//b.txt", "a/b.txt"), ("../a", None), ("a/../b", None),
        ("/a", None), ("\\a", None), ("C:/a", None), ("c:a", None), ("", None), (".", None), ("a\u202e.txt", "a.txt"),
    ],
)  # fmt: skip
def test_names_have_one_spelling_and_none_leads_out(name: str, path: str | None) -> None:
    assert normalize_member_path(name) == path


@given(st.text(max_size=60))
def test_whatever_a_member_is_called_its_path_stays_inside(name: str) -> None:
    path = normalize_member_path(name)
    assert path is None or (
        not path.startswith("/")
        and ".." not in path.split("/")
        and (Path("/top") / path).is_relative_to("/top")
    )


# ---------------------------------------------------------------- refused


def reason(body: bytes, most: int = 5_000_000) -> str:
    """Why the archive, or its first member, is not read; "" where it is."""
    try:
        for read in unpack(body).members.values():
            read(most)
    except FetchError as error:
        return error.sentence() if error.kind in ("too_large", "unsupported") else error.kind
    return ""


NOISE = random.Random(1).randbytes(200_000)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (packed({"bomb.txt": b"\0" * 30_000_000}), "far more than text does"),
        (packed({"noise.bin": NOISE, "bomb.txt": b"\0" * 3_000_000}), "times its size"),
        (b"PK\x01\x02" * (archives.MAX_MEMBERS + 1), "more than 20,000 members"),
        (packed({"a.txt": "x" * 5_000_001}, zipfile.ZIP_STORED), "larger than 5 MB"),
        (packed({"a.txt": "Eels."}, zipfile.ZIP_LZMA), "uses a compression"),
        (packed({"a.txt": "Eels."}, zipfile.ZIP_BZIP2), "uses a compression"),
        (b"PK\x03\x04 and more", "damaged"),
        (b"", "damaged"),
        (packed({"a.txt": "Eels."})[:-30], "damaged"),
    ],
    ids=["total", "member", "members", "large", "lzma", "bzip2", "no archive", "empty", "cut off"],
)
def test_what_would_overwhelm_or_cannot_be_read_is_refused_in_little_memory(
    body: bytes, why: str
) -> None:
    tracemalloc.start()
    assert why in reason(body)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 10_000_000


def patched(body: bytes, at: int, value: bytes, *, local: int) -> bytes:
    """The archive with a field of its only member's entry changed, in the list of members and
    beside the member.
    """
    entry, header = body.index(b"PK\x01\x02"), body.index(b"PK\x03\x04")
    changed = bytearray(body)
    changed[entry + at : entry + at + len(value)] = value
    changed[header + local : header + local + len(value)] = value
    return bytes(changed)


def test_a_member_that_lies_about_its_size_is_broken_and_takes_no_memory() -> None:
    body = patched(packed({"a.txt": b"\0" * 50_000_000}), 24, struct.pack("<I", 100), local=22)
    tracemalloc.start()
    assert "damaged" in reason(body)
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()


def test_one_member_listed_a_thousand_times_is_a_bomb() -> None:
    body = packed({"a.txt": "Eels come back in September. " * 50_000})
    start, end = body.index(b"PK\x01\x02"), body.index(b"PK\x05\x06")
    entries = body[start:end] * 1000
    closing = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, 1000, 1000, len(entries), start, 0)
    assert "far more than text does" in reason(body[:start] + entries + closing)


def test_an_encrypted_member_a_link_and_an_archive_in_it_are_named_and_the_rest_is_read(
    db: Database,
) -> None:
    locked = patched(packed({"locked.txt": "Eels."}), 8, struct.pack("<H", 1), local=6)
    link = zipfile.ZipInfo("link.txt")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as archive:
        archive.writestr(link, "/etc/passwd")
        archive.writestr("inner.zip", packed({"a.txt": "Eels."}))
        archive.writestr("eels.txt", "Eels come back.")
    library = Library(db, LOCAL_USER)
    added = library.add_uploads([("locked.zip", locked), ("mixed.zip", body.getvalue())], "my")
    assert [(file.name, file.state, file.reason.split(".")[0]) for file in added.files] == [
        ("locked.zip/locked.txt", "refused", "It is encrypted"),
        ("mixed.zip/eels.txt", "added", ""),
        ("mixed.zip/inner.zip", "refused", "An archive in an archive is not opened"),
        ("mixed.zip/link.txt", "refused", "It is a link, not a file"),
    ]


def test_an_archive_that_cannot_be_opened_is_one_line_and_none_of_its_documents_is_called_gone(
    db: Database, tmp_path: Path
) -> None:
    path, library = tmp_path / "docs" / "a.zip", Library(db, LOCAL_USER)
    path.parent.mkdir()
    path.write_bytes(packed({"eels.txt": "Eels come back."}))
    library.add(path.parent, "my")
    path.write_bytes(b"PK\x03\x04 cut off")
    added = library.add(path.parent, "my", prune=True)
    assert [(file.name, file.state) for file in added.files] == [("a.zip", "refused")]
    assert (added.missing_files, len(library.list_documents("my"))) == ((), 1)


@given(st.binary(max_size=300), st.integers(0, 400), st.binary(min_size=1, max_size=4))
def test_any_bytes_are_an_archive_or_a_clear_error(noise: bytes, at: int, change: bytes) -> None:
    good = packed({"a.txt": "Eels come back.", "b/c.md": "# Boats"})
    at = min(at, len(good))
    for body in (noise, good[:at] + change + good[at + len(change) :], good[:at] + noise):
        reason(body)


def test_an_archive_with_a_name_that_is_not_the_utf_8_it_calls_itself_says_so(
    db: Database, tmp_path: Path
) -> None:
    path = tmp_path / "names.zip"
    path.write_bytes(
        packed({"gr\u00fc\u00dfe.txt": "Words."}).replace("\u00fc\u00df".encode(), b"\xfc\xdfXX")
    )
    (file,) = Library(db, LOCAL_USER).add(path, "my").files
    assert (file.state, "a name that is not UTF-8" in file.reason) == ("refused", True)
