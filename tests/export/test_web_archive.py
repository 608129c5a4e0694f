"""A session's pages as a web archive: all that the web answered, nothing that was cut out, and the
same text when it is read again.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from research_core import export
from research_core.export import web_archive
from research_core.interfaces.cli import arguments as usage
from research_core.interfaces.cli import commands
from research_core.journal.doorway import Doorway
from research_core.journal.events import Draft
from research_core.journal.log import EventLog
from research_core.models import Attempt, HttpReply, Report
from research_core.pipeline import report
from research_core.search.library import web_archive_pages
from research_core.sessions import captures, runner, session_start, session_status, snapshot
from research_core.settings import Settings
from research_core.urls import canonical_url
from research_core.values import SITES
from research_core.web.documents.warc import Capture, read_archive
from research_core.web.fetch.read_page import read_page
from research_core.web.fetch.responses import read_page_reply
from research_core.wiring import LOCAL_USER, Resources, open_log
from tests import readers
from tests.logs import BEN, Hands
from tests.readers import Web, reply
from tests.reports import FULL_REPORT, NO_REPORT
from tests.served_world import (
    ServedResources,
    Server,
    attempt_run,
    make_resources,
    new_session,
    serve_world,
)
from tests.site_replies import FX, HN, body

SECRET = "sk-3f9c0a771b2d"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serve_world(low=0.0, high=0.0) as server:
        yield server


class CachedResources(ServedResources):
    """One whose sessions share what they read."""

    open_page_cache = Resources.open_page_cache


@pytest.fixture(scope="module")
def ran(
    server: Server, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[ServedResources, str]]:
    """Resources with a finished session that read pages of the web."""
    place = CachedResources(
        make_resources(tmp_path_factory.mktemp("warc"), server.port).settings, server.port
    )
    session = new_session(place)
    assert attempt_run(place, session).outcome == "done"
    yield place, session
    place.close()


def archive(place: Resources, session: str) -> bytes:
    return web_archive.pack_captures(
        report.build(snapshot.read_session(place, session).run),
        captures.iterate_captures(place, session),
    )


def asked(capture: Capture) -> str:
    return canonical_url((*capture.reply.hops, capture.url)[0])


def test_the_pages_of_a_session_come_back_with_their_text(ran: tuple[ServedResources, str]) -> None:
    place, session = ran
    log = open_log(place, LOCAL_USER, session)
    texts = {
        event.data["url"]: log.open(event.data["page"])
        for event in log.read(kinds=("fetched",))
        if "page" in event.data
    }
    found = read_archive(io.BytesIO(archive(place, session)))
    pages = {
        asked(capture): read_page_reply(capture.reply, capture.url).text
        for capture in found
        if capture.reply.status == 200
    }
    assert len(texts) >= 5
    assert pages == texts


def test_a_page_that_was_refused_is_in_it_as_it_was_answered(
    ran: tuple[ServedResources, str], server: Server
) -> None:
    place, session = ran
    answers = {capture.reply.status for capture in captures.iterate_captures(place, session)}
    assert answers == {200, 404}
    requests = [
        what for what in server.asked() if what.startswith("GET http://site") and "?q=" not in what
    ]
    assert len(list(captures.iterate_captures(place, session))) == len(set(requests))


def test_each_page_says_when_it_was_answered_and_what_became_of_it(
    ran: tuple[ServedResources, str],
) -> None:
    place, session = ran
    built = report.build(snapshot.read_session(place, session).run)
    text = gzip.decompress(archive(place, session)).decode("latin-1")
    assert (
        text.count("decision: kept\r\n")
        == sum(source.status == "kept" for source in built.sources)
        > 0
    )
    assert f"isPartOf: {session}\r\n" in text
    calls = {event.at for event in open_log(place, LOCAL_USER, session).calls()}
    assert {capture.at for capture in captures.iterate_captures(place, session)} <= calls
    assert archive(place, session) == archive(place, session)


def test_searches_and_models_are_not_in_it(ran: tuple[ServedResources, str]) -> None:
    place, session = ran
    assert {
        asked(capture).partition(".")[0][:11]
        for capture in captures.iterate_captures(place, session)
    } == {"http://site"}


def test_a_colleague_gets_nothing_of_it(ran: tuple[ServedResources, str]) -> None:
    place, session = ran
    assert list(captures.iterate_captures(place, session, who=BEN)) == []


@pytest.mark.full
def test_what_the_cache_answered_is_dated_when_the_page_came(
    ran: tuple[ServedResources, str], server: Server
) -> None:
    """And nobody was asked again: the second session's archive is the first one's."""
    place, session = ran
    before = len([what for what in server.asked() if what.startswith("GET http://site")])
    second = new_session(place)
    assert attempt_run(place, second).outcome == "done"
    assert (
        len(
            [
                what
                for what in server.asked()
                if what.startswith("GET http://site") and "?q=" not in what
            ]
        )
        == before
    )
    abouts = [
        event.data["about"]
        for event in open_log(place, LOCAL_USER, second).calls()
        if "site" in event.data["about"].get("what", "")
    ]
    assert abouts
    assert all(about["cached"] for about in abouts)
    first, again = (
        {asked(each): each for each in captures.iterate_captures(place, one)}
        for one in (session, second)
    )
    assert first.keys() == again.keys()
    assert all(abs(first[url].at - again[url].at) < 2 for url in first)
    fork = session_start.rewrite(
        place,
        session,
        runner.RunSettings.from_json(session_status.read_session_info(place, session).row.settings),
    )
    assert attempt_run(place, fork).outcome == "done"
    assert [each.url for each in captures.iterate_captures(place, fork)] == [
        each.url for each in captures.iterate_captures(place, session)
    ]


def resources_in(home: Path, database: Path) -> Resources:
    """Return resources in this folder, with a copy of the database."""
    shutil.copy(database, home / "assay.db")
    return Resources(Settings.from_env({"ASSAY_HOME": str(home)}))


@pytest.mark.full
def test_nothing_that_was_cut_out_comes_back(tmp_path: Path, database_with_sample: Path) -> None:
    """What a request carried that no event may hold is in no archive either, wherever the answer
    repeats it.
    """
    place = resources_in(tmp_path, database_with_sample)
    session = session_start.new_session(
        place, "What of the harbour seals?", runner.RunSettings(engines=("library",))
    )
    log, url = open_log(place, LOCAL_USER, session), "http://pages.example.org/seals"

    class Echo:
        def send(self, method: str, address: str, **options: Any) -> HttpReply:
            body = f"<p>{options['headers']} {options['params']} {address}</p>"
            led = f"{url}?api_key={SECRET}"
            return HttpReply(
                led,
                200,
                {"etag": SECRET, "set-cookie": SECRET, "location": led},
                body.encode(),
                (url, led),
            )

    log.append(
        Draft("created", {"question": "?", "settings": {}}, "created"),
        Draft("fetch", {"url": url}, url),
    )
    http = Doorway(log, Echo(), None, Hands()).http  # type: ignore[arg-type]
    http.send("GET", url, params={"api_key": SECRET}, headers={"Authorization": f"Bearer {SECRET}"})
    (page,) = captures.iterate_captures(place, session)
    out = gzip.decompress(web_archive.pack_captures(FULL_REPORT, [page]))
    assert b"[hidden]" in out
    assert SECRET.encode() not in out
    assert b"cookie" not in out
    place.close()


def test_what_a_browser_drew_and_an_archive_s_copy_are_pages_of_the_session(
    tmp_path: Path, database_with_sample: Path
) -> None:
    place = resources_in(tmp_path, database_with_sample)
    session = session_start.new_session(
        place, "What of the harbour seals?", runner.RunSettings(engines=("library",))
    )
    log, url = open_log(place, LOCAL_USER, session), "http://pages.example.org/seals"
    log.append(
        Draft("created", {"question": "?", "settings": {}}, "created"),
        Draft("fetch", {"url": url}, url),
    )
    drawn = {
        "url": f"{url}/drawn",
        "status": 200,
        "headers": {"content-type": "text/html"},
        "html": "<p>drawn</p>",
        "requests": {},
    }
    log.record_call("browser", "b", lambda: drawn, about={"what": f"{url} 0.5"})
    copy = f"https://web.archive.org/web/20200101000000id_/{url}"
    log.record_call(
        "http",
        "c",
        lambda: {"url": copy, "status": 200, "headers": {}, "body": b"copy", "hops": []},
        about={"what": f"GET {copy}"},
    )
    log.record_call(
        "http",
        "d",
        lambda: {
            "url": "https://api.example.org/",
            "status": 200,
            "headers": {},
            "body": b"{}",
            "hops": [],
        },
        about={"what": "GET"},
    )
    pages = list(
        read_archive(
            io.BytesIO(
                web_archive.pack_captures(FULL_REPORT, captures.iterate_captures(place, session))
            )
        )
    )
    assert [(each.url, each.reply.body, each.drawn) for each in pages] == [
        (f"{url}/drawn", b"<p>drawn</p>", True),
        (copy, b"copy", False),
    ]
    place.close()


def asking(place: Resources, *urls: str) -> tuple[str, EventLog]:
    """A session that has set out to read these pages."""
    session = session_start.new_session(
        place, "What of the harbour seals?", runner.RunSettings(engines=("library",))
    )
    log = open_log(place, LOCAL_USER, session)
    log.append(
        Draft("created", {"question": "?", "settings": {}}, "created"),
        *(Draft("fetch", {"url": url}, url) for url in urls),
    )
    return session, log


def told(body: bytes) -> list[str]:
    """The metadata of each page of an archive, in order."""
    return re.findall(
        r"Content-Type: application/warc-fields\r\n(?:.+\r\n)*\r\n((?:.+\r\n)+)",
        gzip.decompress(body).decode("latin-1"),
    )[1:]


def test_what_a_site_s_interface_answered_is_in_it_with_the_page_it_was_asked_for(
    tmp_path: Path, database_with_sample: Path
) -> None:
    place = resources_in(tmp_path, database_with_sample)
    post, item = (
        "https://x.com/harbour_office/status/1764800000000000000",
        "https://news.ycombinator.com/item?id=4104",
    )
    session, log = asking(place, post, item)
    said = {
        f"{FX}/harbour_office/status/1764800000000000000": body("x/post.json"),
        f"{HN}/item/4104.json": body("hn/comment.json"),
    }
    web = Web({url: reply(answer, "application/json", url=url) for url, answer in said.items()})
    deps = readers.reading(web, log=log)
    deps = replace(deps, run=replace(deps.run, sites=SITES))
    for url in (post, item):
        assert read_page(url, deps).text
    source = replace(FULL_REPORT.sources[0], url=post)
    archive = web_archive.pack_captures(
        replace(FULL_REPORT, sources=(source,)), captures.iterate_captures(place, session)
    )
    assert [(each.url, each.reply.body) for each in read_archive(io.BytesIO(archive))] == list(
        said.items()
    )
    first, second = told(archive)
    assert first.startswith(f"page: {post}\r\ndecision: ")
    assert second == f"page: {item}\r\n"
    place.close()


def test_what_exa_answered_is_in_it_without_its_key_and_is_no_page_of_a_library(
    tmp_path: Path, database_with_sample: Path
) -> None:
    place, url = resources_in(tmp_path, database_with_sample), "http://pages.example.org/seals"
    session, log = asking(place, url)
    row = {
        "id": url,
        "url": url,
        "title": "Seals",
        "text": f"The seals keep their distance, {SECRET}. " * 20,
    }
    exa = {
        "results": [row],
        "statuses": [{"id": url, "status": "success", "source": "crawled"}],
        "costDollars": {"total": 0.001},
    }
    contents = "https://api.exa.ai/contents"
    web = Web(
        {
            url: reply("no", status=403, url=url),
            contents: reply(json.dumps(exa), "application/json", url=f"{contents}?token={SECRET}"),
        }
    )
    page = read_page(url, readers.reading(web, log=log, fallbacks=("exa",), exa_api_key=SECRET))
    assert page.tier == "exa:crawled"
    archive = web_archive.pack_captures(FULL_REPORT, captures.iterate_captures(place, session))
    answers = [(each.url, each.reply.status) for each in read_archive(io.BytesIO(archive))]
    assert answers == [(url, 403), (url, 403), (contents, 200)]
    assert told(archive)[-1].startswith(f"page: {url}\r\nmethod: POST\r\n")
    assert b"The seals keep their distance, [hidden]." in gzip.decompress(archive)
    assert SECRET.encode() not in gzip.decompress(archive)
    assert web_archive_pages.read_saved_pages(archive, "a.warc.gz", "a.warc.gz").files == ()
    place.close()


def test_an_address_of_a_service_is_in_it_without_what_signs_it(
    tmp_path: Path, database_with_sample: Path
) -> None:
    place, url = (
        resources_in(tmp_path, database_with_sample),
        "https://www.youtube.com/watch?v=tide_gauge1",
    )
    session, log = asking(place, url)
    signed = f"https://www.youtube.com/api/timedtext?v=tide_gauge1&signature={SECRET}&lang=en"
    http = Doorway(log, Web({signed: reply("{}", url=signed)}), None, Hands()).http  # type: ignore[arg-type]
    http.on_behalf(url).send("GET", signed)
    (answer,) = captures.iterate_captures(place, session)
    assert (answer.url, answer.reply.url) == (
        "https://www.youtube.com/api/timedtext?v=tide_gauge1&lang=en",
    ) * 2
    place.close()


def test_it_is_offered_where_the_web_itself_gave_a_page() -> None:
    def of(*tiers: str, page: str = "sha") -> Report:
        source = replace(FULL_REPORT.sources[0], page=page, attempts=tuple(map(Attempt, tiers)))
        return replace(FULL_REPORT, sources=(source,))

    assert [
        web_archive.has_captures(of(tier))
        for tier in ("html", "markdown", "document", "browser", "archive", "exa:cached", "hn")
    ] == [True] * 7
    assert [web_archive.has_captures(of(*tiers)) for tiers in (("library",), ())] == [False] * 2
    assert not web_archive.has_captures(of("html", page=""))
    assert not web_archive.has_captures(NO_REPORT)


# ---------------------------------------------------------------- the command


def assay(place: ServedResources, *words: str) -> int:
    arguments = usage.build_parser().parse_args(["export", *words])
    return commands.find_command("export")(arguments, place)


def test_the_command_writes_it(
    ran: tuple[ServedResources, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place, session = ran
    path = tmp_path / "pages.warc.gz"
    assert assay(place, session, "--warc", str(path)) == 0
    assert path.read_bytes() == archive(place, session)
    assert capsys.readouterr().out == ""
    assert assay(place, session, "--warc", str(path), "--out", str(tmp_path / "report.md")) == 0
    assert (tmp_path / "report.md").read_text() == session_status.read_stored_report(place, session)


@pytest.mark.full
def test_a_session_that_read_no_page_says_so(
    tmp_path: Path, ran: tuple[ServedResources, str]
) -> None:
    place, session = ran
    log = open_log(place, LOCAL_USER, session)
    assert log.read(kinds=("fetch",))
    empty = session_start.new_session(
        place, "What of the harbour seals?", runner.RunSettings(engines=("library",))
    )
    other = open_log(
        place,
        LOCAL_USER,
        empty,
        epoch=runner.store.take_session(place.db, LOCAL_USER, empty, "x", 1.0),
    )
    other.append(
        Draft(
            "report", {"decision": "insufficient_data", "sha": "x", "markdown": "# none"}, "report"
        )
    )
    with pytest.raises(commands.UsageError, match="read no page from the web") as refused:
        assay(place, empty, "--warc", str(tmp_path / "x"))
    assert "--format zip" in refused.value.next_step
    assert not (tmp_path / "x").exists()
    assert export.FORMATS["zip"]
