"""Web archives added to a library: each page that answered becomes a document with its address and
date.
"""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from research_core.errors import FetchError
from research_core.journal.database import Database
from research_core.journal.tables import open_database
from research_core.models import HttpReply
from research_core.search.library import web_archive_pages
from research_core.search.library.library import Library
from research_core.web.documents import warc
from research_core.web.documents.warc import Capture
from research_core.wiring import LOCAL_USER

SITE = "https://harbour.example.org"
AT = 1_700_000_000.0  # November 2023


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    db = open_database(f"sqlite:///{tmp_path / 'light.db'}")
    yield db
    db.close()


def page(title: str, words: str, date: str = "") -> bytes:
    dated = f'<meta property="article:published_time" content="{date}">' if date else ""
    return f"<html><head><title>{title}</title>{dated}</head><body><article><p>{words * 5}</p></article></body></html>".encode()


def capture(
    path: str,
    body: bytes,
    *,
    status: int = 200,
    kind: str = "text/html; charset=utf-8",
    drawn: bool = False,
) -> Capture:
    url = f"{SITE}/{path}"
    return Capture(url, AT, HttpReply(url, status, {"content-type": kind}, body), drawn=drawn)


CAPTURES = (
    capture(
        "eels?utm_source=x",
        page("Eels", "Eels come back to the harbour in September. ", "2021-03-04"),
    ),
    capture("style.css", b"p { color: red }", kind="text/css"),
    capture("gone", page("Gone", "Nothing is here. "), status=404),
    capture("robots.txt", b"User-agent: *", kind="text/plain"),
    capture(
        "boats", page("Boats", "Red boats fish for eels off the pier. ", "2030-01-01"), drawn=True
    ),
    capture("notes.txt", b"Notes\n\nThe harbour master keeps a black dog.", kind="text/plain"),
    capture("eels", page("Eels again", "Another page at the same address. ")),
    capture("empty", b" "),
)
#: What those are that are no pages.
LEFT = ["text/css", "answered with status 404", "text/plain"]


def archive(*captures: Capture) -> bytes:
    out = io.BytesIO()
    warc.write_archive(out, captures, {"software": "a test"}, at=AT)
    return out.getvalue()


@pytest.mark.parametrize("by", ["path", "plain", "folder", "browser"])
def test_each_page_that_answered_is_a_document_with_its_address_and_date(
    db: Database, tmp_path: Path, by: str
) -> None:
    body = archive(*CAPTURES)
    (tmp_path / "docs").mkdir()
    path = tmp_path / "docs" / ("crawl.warc" if by == "plain" else "crawl.warc.gz")
    path.write_bytes(gzip.decompress(body) if by == "plain" else body)
    library = Library(db, LOCAL_USER)

    def add() -> list[tuple[str, str]]:
        if by == "browser":
            added = library.add_uploads([("crawl.warc.gz", body)], "my")
        else:
            added = library.add(path.parent if by == "folder" else path, "my")
        assert [what for _, what in added.left_out] == LEFT
        assert added.missing_files == ()
        return [
            (file.name.partition("/")[2].removeprefix(f"{SITE}/"), file.state)
            for file in added.files
            if file.state != "left"
        ]

    assert add() == [
        ("eels", "added"),
        ("boats", "added"),
        ("notes.txt", "added"),
        ("eels", "taken"),
        ("empty", "empty"),
    ]
    assert [(row["url"], row["title"], row["published"], row["kind"]) for row in library.list_documents("my")] == [
        (f"{SITE}/boats", "Boats", "", "html"), (f"{SITE}/eels", "Eels", "2021-03-04", "html"), (f"{SITE}/notes.txt", "Notes", "", "text"),
    ]  # fmt: skip
    assert library.search("my", "September")[0]["url"] == f"{SITE}/eels"
    assert add()[:3] == [("eels", "unchanged"), ("boats", "unchanged"), ("notes.txt", "unchanged")]


def test_a_page_that_is_no_longer_in_the_archive_is_named(db: Database, tmp_path: Path) -> None:
    path, library = tmp_path / "crawl.warc.gz", Library(db, LOCAL_USER)
    path.write_bytes(archive(CAPTURES[0], CAPTURES[4]))
    library.add(path, "my")
    path.write_bytes(archive(CAPTURES[0]))
    added = library.add(path, "my")
    assert (added.unchanged, [url for url, _ in added.missing_files]) == (1, [f"{SITE}/boats"])


def test_an_archive_that_breaks_off_gives_what_it_has_says_so_and_loses_nothing(
    db: Database, tmp_path: Path
) -> None:
    path, library = tmp_path / "crawl.warc", Library(db, LOCAL_USER)
    whole = gzip.decompress(archive(CAPTURES[0], CAPTURES[4]))
    path.write_bytes(whole)
    library.add(path, "my")
    path.write_bytes(whole[:-300])
    added = library.add(path, "my", prune=True)
    assert added.unchanged >= 1
    assert [name for name, _ in added.failed] == ["crawl.warc"]
    assert (added.pruned, len(library.list_documents("my"))) == (0, 2)


BODIES = {
    "empty": b"",
    "text": b"no archive",
    "cut": b"\x1f\x8b cut",
    "packed": gzip.compress(b"no archive"),
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_what_is_no_web_archive_is_one_line_with_the_reason(db: Database, body: bytes) -> None:
    added = Library(db, LOCAL_USER).add_uploads([("crawl.warc.gz", body)], "my")
    assert [(file.name, file.state) for file in added.files] == [("crawl.warc.gz", "refused")]
    assert added.files[0].reason


@given(st.randoms(use_true_random=False))
def test_bodies_are_those_of_their_pages_in_whatever_order_they_are_asked_for(
    random: Random,
) -> None:
    found = web_archive_pages.read_saved_pages(archive(*CAPTURES), "a.warc.gz", "/a.warc.gz")
    order = list(range(len(found.files)))
    random.shuffle(order)
    bodies = {place: found.files[place].load(1_000_000) for place in order}
    assert [bodies[place] for place in sorted(bodies)] == [
        CAPTURES[n].reply.body for n in (0, 4, 5, 6, 7)
    ]


@given(st.binary(max_size=60), st.integers(0, 3_000), st.integers(0, 40))
@example(b"no header\n", 10, 10)
def test_any_damage_gives_pages_or_a_clear_error(noise: bytes, at: int, cut: int) -> None:
    good = gzip.decompress(archive(*CAPTURES))
    for body in (noise, good[:at] + noise + good[at + cut :], good[:at]):
        assert reason(body) or body.startswith(b"WARC/1")


def reason(body: bytes) -> str:
    """Why the archive, or a page of it, is not read; "" where all is."""
    try:
        for file in web_archive_pages.read_saved_pages(body, "a.warc", "/a.warc").files:
            file.load(1_000_000)
    except FetchError as error:
        return error.message
    return ""
