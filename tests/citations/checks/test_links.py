"""What is said of an address, by what its server says: live, refused, dead, or that it could not be
checked.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from research_core.citations.checks.links import Link, check_links
from research_core.context import memory_log
from research_core.errors import FetchError
from research_core.journal.deps import Deps
from research_core.journal.doorway import Doorway
from research_core.models import HttpReply
from research_core.policy import RunSettings
from research_core.settings import Settings
from research_core.web.fetch import archive
from research_core.web.http.client import CERTIFICATE_ERROR
from tests.scripted import Scripted
from tests.tool_session import POOL
from tests.world import StillClock

URL = "https://journal.example.org/paper"
COPY = f"https://web.archive.org/web/20240102030405/{URL}"
KEPT = {
    "archived_snapshots": {
        "closest": {"available": True, "status": "200", "timestamp": "20240102030405", "url": "x"}
    }
}
NONE: dict[str, Any] = {"archived_snapshots": {}}
SILENT = FetchError("journal.example.org broke off the connection.", kind="network", public=True)


@dataclass
class World:
    """Answers by method and address; a method alone is any address. Who is not told of is not
    there.
    """

    answers: Mapping[str, Any]
    asked: list[str] = field(default_factory=list)

    def send(self, method: str, url: str, **options: Any) -> HttpReply:
        self.asked.append(f"{method} {url}")
        said = (
            self.answers.get("archive", NONE)
            if url == archive.AVAILABILITY_API
            else self.answers.get(method, 200)
        )
        if isinstance(said, Exception):
            raise said
        if isinstance(said, dict):
            return HttpReply(url, 200, {}, json.dumps(said).encode())
        if isinstance(said, HttpReply):
            return said
        return HttpReply(
            url, said, {"content-type": "text/html"}, b"<html><body>Here it is.</body></html>"
        )


def looked(
    urls: list[str], answers: Mapping[str, Any], **run: Any
) -> tuple[dict[str, Link], World]:
    log, clock, world = memory_log("tea"), StillClock(), World(answers)
    doorway = Doorway(log, world, Scripted("no answer"), clock)
    settings = Settings(home=Path("unused"), database_url="sqlite://", ddgs_engines=())
    return check_links(
        Deps(
            settings,
            RunSettings(**{"fallbacks": ("archive",), **run}),
            doorway.http,
            doorway.model,
            log,
            clock,
            POOL,
        ),
        urls,
    ), world


def one(answers: Mapping[str, Any], url: str = URL, **run: Any) -> Link:
    return looked([url], answers, **run)[0][url]


def failure(kind: str, **options: Any) -> FetchError:
    return FetchError("It did not go well.", kind=kind, **options)


CASES = {
    "it answers": ({"HEAD": 200}, "live", 200),
    "it answers with nothing": ({"HEAD": 204}, "live", 204),
    "it takes no HEAD": ({"HEAD": 405, "GET": 200}, "live", 200),
    "it denies HEAD": ({"HEAD": 404, "GET": 200}, "live", 200),
    "it breaks off at HEAD": ({"HEAD": SILENT, "GET": 200}, "live", 200),
    "it is large": ({"HEAD": 405, "GET": failure("too_large", status=200)}, "live", 200),
    "it refuses": ({"HEAD": 403, "GET": 403}, "refused", 403),
    "it wants a password": ({"HEAD": 401, "GET": 401}, "refused", 401),
    "it wants to be paid": ({"HEAD": 402, "GET": 402}, "refused", 402),
    "it is withheld": ({"HEAD": 451, "GET": 451}, "refused", 451),
    "it asks to wait": ({"HEAD": 429, "GET": 200}, "refused", 429),
    "it is busy": ({"HEAD": 503, "GET": 200}, "refused", 503),
    "it is not there": ({"HEAD": 404, "GET": 404}, "dead", 404),
    "it was removed": ({"HEAD": 410, "GET": 410}, "dead", 410),
    "its name is nobody's, and the archive answers": (
        {"HEAD": failure("network", absent=True)},
        "dead",
        0,
    ),
    "its name is nobody's, and there is no net": (
        {"HEAD": failure("network", absent=True), "archive": failure("network", absent=True)},
        "unchecked",
        0,
    ),
    "it is silent, and the archive answers": ({"HEAD": SILENT, "GET": SILENT}, "dead", 0),
    "it is silent, and so is the archive": (
        {"HEAD": SILENT, "GET": SILENT, "archive": failure("network")},
        "unchecked",
        0,
    ),
    "it is silent, and the archive is in trouble": (
        {"HEAD": SILENT, "GET": SILENT, "archive": failure("timeout")},
        "unchecked",
        0,
    ),
    "it was not looked up": ({"HEAD": failure("network")}, "unchecked", 0),
    "it cannot prove who it is": (
        {"HEAD": FetchError(f"x {CERTIFICATE_ERROR}.", kind="network", public=True)},
        "unchecked",
        0,
    ),
    "it is slow": ({"HEAD": failure("timeout", public=True)}, "unchecked", 0),
    "it forbids programs": ({"HEAD": failure("disallowed", public=True)}, "unchecked", 0),
    "it is not public": ({"HEAD": failure("validation")}, "unchecked", 0),
    "it is in trouble": ({"HEAD": 500, "GET": 500}, "unchecked", 500),
    "it does not understand": ({"HEAD": 400, "GET": 400}, "unchecked", 400),
    "it redirects to nowhere": ({"HEAD": 302, "GET": 302}, "unchecked", 302),
}


@pytest.mark.parametrize(("answers", "state", "status"), CASES.values(), ids=CASES)
def test_an_address_is_what_its_server_says(
    answers: Mapping[str, Any], state: str, status: int
) -> None:
    found = one(answers)
    assert (found.state, found.status) == (state, status)
    assert bool(found.reason) == (state != "live")
    assert found.live == {"live": True, "refused": True, "dead": False, "unchecked": None}[state]


@pytest.mark.parametrize(
    "gone", [{"HEAD": 404, "GET": 404}, {"HEAD": SILENT, "GET": SILENT}], ids=["gone", "silent"]
)
@pytest.mark.parametrize(
    ("said", "copy"),
    [(KEPT, COPY), (NONE, ""), (failure("timeout"), "")],
    ids=["kept", "none", "no answer"],
)
def test_of_a_dead_address_the_newest_copy_is_told(
    gone: dict[str, Any], said: Any, copy: str
) -> None:
    assert one({**gone, "archive": said}).archived == copy


@pytest.mark.parametrize(
    "answers",
    [
        {"HEAD": 200},
        {"HEAD": 403, "GET": 403},
        {"HEAD": failure("validation")},
        {"HEAD": failure("timeout")},
    ],
)
def test_the_archive_is_told_of_no_other_address(answers: dict[str, Any]) -> None:
    assert not any(
        archive.AVAILABILITY_API in each
        for each in looked([URL], {**answers, "archive": KEPT})[1].asked
    )


def test_an_address_with_a_secret_is_named_to_nobody_else() -> None:
    found, world = looked([f"{URL}?token=abc"], {"HEAD": 404, "GET": 404, "archive": KEPT})
    assert [(each.state, each.archived) for each in found.values()] == [("dead", "")]
    assert not any(archive.AVAILABILITY_API in each for each in world.asked)


@pytest.mark.parametrize(
    "url",
    ["https://intranet/a", "https://wiki.local/a", "https://build.corp/a", "https://10.0.0.1/a"],
)
def test_a_name_of_a_network_of_one_s_own_is_named_to_nobody_else(url: str) -> None:
    found, world = looked([url], {"HEAD": failure("network", absent=True), "archive": KEPT})
    assert found[url].state == "unchecked"
    assert not any(archive.AVAILABILITY_API in each for each in world.asked)


def test_an_address_that_its_caller_may_not_read_is_not_asked() -> None:
    def refuse(url: str) -> None:
        if "closed" in url:
            raise FetchError("It is not to be read.", kind="disallowed")

    urls = ["https://closed.example.org/", "https://open.example.org/"]
    log, clock, world = memory_log("tea"), StillClock(), World({})
    doorway = Doorway(log, world, Scripted("no answer"), clock)
    settings = Settings(home=Path("unused"), database_url="sqlite://", ddgs_engines=())
    found = check_links(
        Deps(settings, RunSettings(), doorway.http, doorway.model, log, clock, POOL),
        urls,
        refuse=refuse,
    )
    assert [link.state for link in found.values()] == ["unchecked", "live"]
    assert world.asked == [f"HEAD {urls[1]}", f"GET {urls[1]}"]


def test_without_the_archive_a_silent_address_is_not_known_to_be_dead() -> None:
    assert one({"HEAD": SILENT, "GET": SILENT}, fallbacks=()).state == "unchecked"
    assert one({"HEAD": 404, "GET": 404, "archive": KEPT}, fallbacks=()).archived == ""


def test_each_address_is_asked_once_and_answered_in_order() -> None:
    urls = [f"https://site{n}.example.org/" for n in (3, 1, 2, 3, 1)]
    told: list[str] = []
    log, clock, world = memory_log("tea"), StillClock(), World({})
    doorway = Doorway(log, world, Scripted("no answer"), clock)
    settings = Settings(home=Path("unused"), database_url="sqlite://", ddgs_engines=())
    deps = Deps(settings, RunSettings(), doorway.http, doorway.model, log, clock, POOL)
    assert list(check_links(deps, urls, lambda link: told.append(link.url))) == urls[:3]
    asked = [f"{method} {url}" for url in urls[:3] for method in ("HEAD", "GET")]
    assert sorted(world.asked) == sorted(asked)
    assert sorted(told) == sorted(urls[:3])


@pytest.mark.parametrize(
    "nonsense",
    ["", "not an address", "document:abc", "javascript:alert(1)", "http://[::1", "https://"],
)
def test_what_is_no_address_could_not_be_checked(client: Any, nonsense: str) -> None:
    log, clock = memory_log("tea"), StillClock()
    doorway = Doorway(log, client, Scripted("no answer"), clock)
    settings = Settings(home=Path("unused"), database_url="sqlite://", ddgs_engines=())
    found = check_links(
        Deps(settings, RunSettings(), doorway.http, doorway.model, log, clock, POOL), [nonsense]
    )
    assert found[nonsense].state == "unchecked"
    assert found[nonsense].reason


# ---------------------------------------------------------------- pages that are none


def make_page(title: str, text: str, status: int = 200, **headers: str) -> HttpReply:
    body = f"<html><head><title>{title}</title></head><body><h1>{title}</h1><p>{text}</p></body>"
    told = {"content-type": "text/html; charset=utf-8", **headers}
    return HttpReply(URL, status, told, f"{body}</html>".encode())


HEAD = HttpReply(URL, 200, {"content-type": "text/html"}, b"")
#: (page, state) of addresses that answer with success.
IN_PLACE = {
    "en": (make_page("Page not found", "The page you asked for does not exist."), "dead"),
    "fr": (make_page("Page introuvable", "Cette page n’existe plus."), "dead"),
    "pl": (make_page("Nie znaleziono strony", "Strona nie istnieje."), "dead"),
    "ko": (make_page("페이지를 찾을 수 없습니다", "홈으로"), "dead"),
    "203": (make_page("Sidan hittades inte", "Till startsidan", 203), "dead"),
    "for sale": (make_page("gauge.example", "This domain is for sale! Make an offer."), "dead"),
    "server error": (make_page("Error 500", "Internal server error occurred."), "unchecked"),
    "bot check": (
        make_page("Just a moment...", "Checking your browser. Ray ID: 8f00aa11bb22"),
        "refused",
    ),
    "article": (make_page("River gauges", "The gauge stood at 100 cm. " * 40), "live"),
    "about such pages": (
        make_page("How to write a 404 page", "Its status code means that a page is not found."),
        "live",
    ),
    "empty": (HttpReply(URL, 200, {"content-type": "text/html"}, b""), "live"),
}


@pytest.mark.parametrize(("page", "state"), IN_PLACE.values(), ids=IN_PLACE)
@pytest.mark.parametrize("head", [HEAD, 405], ids=["HEAD is answered", "HEAD is refused"])
def test_a_page_that_says_that_it_is_missing_is_a_dead_link(
    head: HttpReply | int, page: HttpReply, state: str
) -> None:
    link = one({"HEAD": head, "GET": page, "archive": KEPT})
    assert (link.state, link.status) == (state, page.status)
    assert link.archived == (COPY if state == "dead" else "")
    assert ("HTTP 200" in link.reason or "HTTP 203" in link.reason) == (
        state in ("dead", "unchecked")
    )


@pytest.mark.parametrize(
    ("answer", "state", "status"),
    [
        (404, "dead", 404),
        (410, "dead", 410),
        (403, "refused", 403),
        (failure("timeout"), "live", 200),
        (SILENT, "live", 200),
        (failure("too_large", status=200), "live", 200),
    ],
)
def test_head_is_answered_otherwise_than_get(answer: Any, state: str, status: int) -> None:
    found = one({"HEAD": HEAD, "GET": answer})
    assert (found.state, found.status) == (state, status)


@pytest.mark.parametrize("media_type", ["application/pdf", "image/png", "application/json"])
def test_only_html_is_read_for_it(media_type: str) -> None:
    head = HttpReply(URL, 200, {"content-type": media_type}, b"")
    _, world = looked([URL], {"HEAD": head})
    assert world.asked == [f"HEAD {URL}"]
