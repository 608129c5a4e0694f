"""ZIP containers: what would unpack to too much, is broken or locked is refused before it is
unpacked, with what would have happened.
"""

from __future__ import annotations

import io
import struct
import zipfile

import pytest

from research_core.errors import FetchError
from research_core.web.documents.container import MAX_ENTRIES, MAX_PART_MB, Container
from tests.everyday import mark_first_rows_everyday
from tests.office_files import archive


def zipped(*parts: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as file:
        for name, part in parts:
            file.writestr(name, part)
    return out.getvalue()


def failure(body: bytes, part: str = "") -> FetchError:
    with pytest.raises(FetchError) as raised:
        Container(body).read(part)
    return raised.value


def test_parts_are_found_whatever_their_case() -> None:
    container = Container(archive({"Word/Document.xml": "text", "folder/": ""}))
    assert container.read("word/document.XML") == b"text"
    assert (container.read("none.xml"), "none.xml" in container, container.names) == (
        b"",
        False,
        ("Word/Document.xml",),
    )


ZEROS, FEWER = bytes(30_000_000), bytes(4_000_000)


@pytest.mark.parametrize(
    ("parts", "sentence"),
    mark_first_rows_everyday(
        [
            (
                [(f"{n}", FEWER) for n in range(51)],
                "The archive would unpack to 204 MB and is not opened.",
            ),
            ([("one", ZEROS)], "The archive would unpack to 30 MB and is not opened."),
            (
                [(str(n), b"") for n in range(MAX_ENTRIES + 1)],
                "The archive has 10,001 entries; the limit is 10,000.",
            ),
            (
                [(str(n), b"") for n in range(2 * MAX_ENTRIES + 1)],
                "The archive has 20,001 entries; the limit is 10,000.",
            ),
        ],
        2,
    ),
    ids=["total", "ratio", "entries", "many entries"],
)
def test_a_bomb_is_not_opened(parts: list[tuple[str, bytes]], sentence: str) -> None:
    error = failure(zipped(*parts))
    assert (error.kind, error.message) == ("too_large", sentence)


def test_an_archive_in_an_archive_is_a_part_like_any_other() -> None:
    inner = zipped(("bomb", bytes(4_000_000)))
    container = Container(zipped(("inner.zip", inner)))
    assert container.read("inner.zip") == inner


def test_what_lies_about_its_size_gives_no_more_than_it_declares() -> None:
    body = zipped(("a", bytes(4_000_000)))
    lying = body.replace(struct.pack("<L", 4_000_000), struct.pack("<L", 10))
    assert lying != body
    assert failure(lying, "a").kind == "unsupported"


def test_a_part_that_is_too_long_is_not_read() -> None:
    long = bytes(range(256)) * (MAX_PART_MB * 4_000)
    error = failure(zipped(("a", long), method=zipfile.ZIP_STORED), "a")
    assert (error.kind, f"more than {MAX_PART_MB} MB" in error.message) == ("too_large", True)


def locked(body: bytes) -> bytes:
    """The archive with the mark of an encrypted entry, in front of the entry and in the list."""
    out = bytearray(body)
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        out[out.index(mark) + place] |= 1
    return bytes(out)


def overlapping(body: bytes) -> bytes:
    """The archive whose list names its one entry many times."""
    start, end = body.index(b"PK\x01\x02"), body.index(b"PK\x05\x06")
    listed = body[start:end] * 50
    return (
        body[:start]
        + listed
        + struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 50, 50, len(listed), start, 0)
    )


ONE = zipped(("a", b"some words that are not very long " * 40))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"PK\x03\x04 and nothing more", "damaged"),
        (ONE[:-30], "damaged"),
        (ONE[: len(ONE) // 2], "damaged"),
        (locked(ONE), "needs a password"),
        (overlapping(zipped(("a", bytes(range(256)) * 40), method=zipfile.ZIP_STORED)), "overlap"),
        (zipped(("a", b"text"), method=zipfile.ZIP_LZMA), "uses a compression"),
        (zipped(("a", b"text"), method=zipfile.ZIP_BZIP2), "uses a compression"),
        (ONE.replace(b"PK\x03\x04", b"PK\x03\x05"), "damaged"),
    ],
    ids=["opening", "end", "half", "locked", "overlapping", "lzma", "bzip2", "no entry"],
)
def test_what_is_broken_or_locked_says_so(body: bytes, words: str) -> None:
    error = failure(body, "a")
    assert error.kind == "unsupported"
    assert words in error.message
