"""Web pages added to a library by their addresses: fetched as a run fetches them, kept under one
address, each told what became of it.
"""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from research_core.errors import ERROR_KINDS, FetchError, UsageError
from research_core.journal.database import Database
from research_core.journal.store import list_sessions
from research_core.models import ArchivedCopy, Page
from research_core.policy import SAMPLE_LIBRARY
from research_core.search.library.importing import MAX_PAGES, STEPS, ImportResult
from research_core.search.library.library import Library
from research_core.settings import Settings
from research_core.web.http.client import Client
from research_core.web.http.pacing import HostPacing
from research_core.wiring import LOCAL_USER, Resources, make_page_reader
from tests.local_web import PUBLIC, Internet

SITE = "https://harbour.example.org"


class Web:
    """A reading function over pages that are set by hand."""

    def __init__(self) -> None:
        self.pages: dict[str, Page | FetchError] = {}
        self.asked: list[str] = []

    def put(self, path: str, text: str, *, final: str = "") -> None:
        url = f"{SITE}/{path}"
        self.pages[url] = Page(url, final or url, path.title(), text, published="2024-05-01")

    def __call__(self, url: str) -> Page:
        self.asked.append(url)
        page = self.pages.get(
            url, FetchError("There is no such page. (HTTP 404)", kind="not_found", status=404)
        )
        if isinstance(page, FetchError):
            raise page
        return page


def states(added: ImportResult) -> list[tuple[str, str]]:
    return [(file.name.rpartition("/")[2], file.state) for file in added.files]


def test_each_address_has_its_line_and_what_is_unchanged_stays(db: Database) -> None:
    web, library = Web(), Library(db, LOCAL_USER, now=lambda: 7.0)
    web.put("eels", "Eels come back.")
    web.put("old", "Boats are red.", final=f"{SITE}/boats")
    said: list[tuple[int, int, str]] = []
    asked = [
        f" {SITE}/eels?utm_source=x#top",
        f"{SITE}/old",
        "",
        f"{SITE}/none",
        f"{SITE}/eels?utm_source=x#top ",
    ]
    added = library.add_pages(asked, "my", web, lambda *heard: said.append(heard))
    assert states(added) == [
        ("eels?utm_source=x#top", "added"),
        ("old", "added"),
        ("none", "failed"),
    ]
    assert added.files[2].reason == "There is no such page. (HTTP 404) Check the address."
    assert [n for n, _, _ in said] == [1, 2, 3]
    assert [(row["url"], row["title"], row["published"], row["file"]) for row in library.list_documents("my")] == [
        (f"{SITE}/eels", "Eels", "2024-05-01", ""), (f"{SITE}/boats", "Old", "2024-05-01", ""),
    ]  # fmt: skip
    web.put("eels", "Eels left for good.")
    again = library.add_pages(asked[:3], "my", web)
    assert (states(again), again.replaced, again.unchanged) == (
        [("eels?utm_source=x#top", "replaced"), ("old", "unchanged")],
        1,
        1,
    )
    assert library.search("my", "good")[0]["url"] == f"{SITE}/eels"


def test_a_page_that_was_read_from_an_archived_copy_is_kept_as_one(light: Database) -> None:
    web, library = Web(), Library(light, LOCAL_USER)
    web.put("gone", "It was here.")
    page = web.pages[f"{SITE}/gone"]
    assert isinstance(page, Page)
    assert states(library.add_pages([f"{SITE}/gone"], "my", web)) == [("gone", "added")]
    web.pages[page.url] = replace(
        page, archived=ArchivedCopy("https://web.archive.org/web/1id_/x", "2024-05-01")
    )
    assert states(library.add_pages([f"{SITE}/gone"], "my", web)) == [("gone", "replaced")]
    held = library.read("my", page.url)
    assert held is not None
    assert held["facts"] == {
        "archived": {"url": "https://web.archive.org/web/1id_/x", "day": "2024-05-01"}
    }


def test_two_addresses_that_lead_to_one_page_are_one_document(light: Database) -> None:
    web, library = Web(), Library(light, LOCAL_USER)
    web.put("a", "The same.", final=f"{SITE}/c")
    web.put("b", "The same.", final=f"{SITE}/c")
    assert states(library.add_pages([f"{SITE}/a", f"{SITE}/b"], "my", web)) == [
        ("a", "added"),
        ("b", "repeated"),
    ]


@pytest.mark.parametrize(
    ("address", "state"),
    [
        ("ftp://example.org/a", "refused"),
        ("eels", "refused"),
        ("document:abc", "refused"),
        ("https://", "refused"),
        ("javascript:x", "refused"),
    ],
)
def test_what_is_no_address_is_refused_and_nothing_is_asked(
    light: Database, address: str, state: str
) -> None:
    web, library = Web(), Library(light, LOCAL_USER)
    (file,) = library.add_pages([address], "my", web).files
    assert (file.state, web.asked) == ("refused", [])
    assert "It begins with https:// or http://." in file.reason


@pytest.mark.parametrize("kind", sorted(ERROR_KINDS))
def test_every_failure_says_what_to_do_or_cannot_be_helped(light: Database, kind: str) -> None:
    web, library = Web(), Library(light, LOCAL_USER)
    web.pages[f"{SITE}/a"] = FetchError("It failed.", kind=kind)
    (file,) = library.add_pages([f"{SITE}/a"], "my", web).files
    refused = ("blocked", "validation", "unsupported", "too_large")
    assert file.state == (
        "empty" if kind == "content_empty" else "refused" if kind in refused else "failed"
    )
    assert file.reason == f"It failed. {STEPS.get(kind, '')}".strip()


@pytest.mark.parametrize(
    ("name", "addresses"),
    [
        (SAMPLE_LIBRARY, [SITE]),
        ("my", []),
        ("my", ["  "]),
        ("my", [f"{SITE}/{n}" for n in range(501)]),
    ],
)
def test_what_cannot_be_done_at_all_says_what_to_do(
    light: Database, name: str, addresses: list[str]
) -> None:
    with pytest.raises(UsageError) as failure:
        Library(light, LOCAL_USER).add_pages(addresses, name, Web())
    assert failure.value.next_step
    assert MAX_PAGES == 500


def test_a_few_are_asked_at_once_and_told_in_order(light: Database) -> None:
    together = threading.Barrier(4, timeout=100)

    def read(url: str) -> Page:
        number = int(url.rpartition("/")[2])
        together.wait()
        time.sleep(0.02 * (8 - number))
        return Page(url, url, f"Page {number}", f"Words of {number}.")

    added = Library(light, LOCAL_USER).add_pages([f"{SITE}/{n}" for n in range(8)], "my", read)
    assert states(added) == [(str(n), "added") for n in range(8)]


def test_a_mistake_of_our_own_is_not_taken_for_a_page_that_failed(light: Database) -> None:
    def read(url: str) -> Page:
        raise KeyError(url)

    with pytest.raises(KeyError):
        Library(light, LOCAL_USER).add_pages([f"{SITE}/a"], "my", read)


# ---------------------------------------------------------------- by the ordinary way


PAGE = """<html><head><title>Eels of the harbour</title><meta name="date" content="2024-05-01"></head>
<body><article><h1>Eels of the harbour</h1><p>Eels come back to the harbour in September, when nights are long and the water warm.</p>
<p>They are counted at the weir by hand, every night, until the first frost of the year has come.</p></article></body></html>"""


class WebResources(Resources):
    """Resources whose every host name leads to a server of the test's."""

    server: Any

    @cached_property
    def client(self) -> Client:
        web = Internet({"harbour.example.org": [[PUBLIC]]}, self.server.port, self.server.port)
        return Client(
            pacing=HostPacing(robots=self.settings.robots),
            resolve=web.resolve,
            connect=web.connect,
        )


def test_pages_are_fetched_by_the_guarded_way_and_leave_no_session_behind(
    tmp_path: Path, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/eels").respond_with_data(PAGE, content_type="text/html")
    settings = Settings.from_env(
        {
            "ASSAY_HOME": str(tmp_path),
            "ASSAY_ROBOTS": "0",
            "ASSAY_ARCHIVE": "0",
            "CHROME_PATH": "off",
        }
    )
    resources = WebResources(settings)
    object.__setattr__(resources, "server", httpserver)
    addresses = [
        "http://harbour.example.org/eels",
        "http://127.0.0.1/private",
        "http://169.254.169.254/",
    ]
    added = resources.library(LOCAL_USER).add_pages(
        addresses, "my", make_page_reader(resources, LOCAL_USER)
    )
    assert [file.state for file in added.files] == ["added", "refused", "refused"]
    (held,) = resources.library(LOCAL_USER).list_documents("my")
    assert (held["url"], held["title"], held["kind"]) == (
        "http://harbour.example.org/eels",
        "Eels of the harbour",
        "html",
    )
    assert list_sessions(resources.db, LOCAL_USER) == []
    assert len(httpserver.log) == 1
    resources.close()
