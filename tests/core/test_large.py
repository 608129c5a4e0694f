"""How many large bodies are held at once: two, until they were read; nothing else waits for them. Real sockets."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from research_core.deps import Deps
from research_core.errors import FetchError, Stopped
from research_core.models import HttpReply, Page
from research_core.web import archive
from research_core.web.archive import AVAILABLE
from research_core.web.connection import Call
from research_core.web.fetch import read_page
from research_core.web.large import AT_ONCE, LARGE, room, take_turn
from research_core.web.sites import arxiv, github
from tests.local_web import LocalServer, ask, respond, serving
from tests.patience import LONG_S, at_some_pace
from tests.pdf_files import pdf
from tests.readers import Web, reading, reply

BODY = b"%PDF-1.7\n".ljust(LARGE + 1, b"x")


def ask_large(server: LocalServer, stop: threading.Event | None = None, timeout_s: float = LONG_S) -> HttpReply:
    return ask(server, max_document=2 * LARGE, stop=stop, timeout_s=timeout_s)


@contextmanager
def held_by_others(server: LocalServer) -> Iterator[threading.Event]:
    """As many large bodies as there may be, received and not yet read. The event lets them go, as the end of it does."""
    here, go = threading.Barrier(AT_ONCE + 1), threading.Event()

    def read() -> None:
        with room():
            ask_large(server)
            here.wait(LONG_S)
            go.wait(LONG_S)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        reading = [pool.submit(read) for _ in range(AT_ONCE)]
        try:
            here.wait(LONG_S)
            yield go
        finally:
            go.set()
        for each in reading:
            each.result()


def test_a_further_large_body_waits_until_one_was_read_and_that_is_not_its_own_time() -> None:
    def once(pace: float) -> None:
        with serving(respond("", BODY)) as server, held_by_others(server) as go, ThreadPoolExecutor(1) as pool:
            further = pool.submit(ask_large, server, timeout_s=0.2 * pace)  # twice that for a document
            with pytest.raises(TimeoutError):
                further.result(0.6 * pace)
            go.set()
            assert further.result(LONG_S).body == BODY

    at_some_pace(once)


def test_one_of_ordinary_size_waits_for_none() -> None:
    with serving(respond("", BODY)) as server, serving(respond("", BODY[:LARGE])) as small, held_by_others(server):
        assert ask(small, max_bytes=LARGE).body == BODY[:LARGE]


def test_one_that_waits_ends_with_the_session_and_leaves_its_turn() -> None:
    stop = threading.Event()
    with serving(respond("", BODY)) as server:
        with held_by_others(server), ThreadPoolExecutor(1) as pool:
            further = pool.submit(ask_large, server, stop)
            with pytest.raises(TimeoutError):
                further.result(0.5)
            stop.set()
            with pytest.raises(Stopped):
                further.result(LONG_S)
        with held_by_others(server):  # all turns are there again
            pass


def test_what_fails_gives_its_turn_back() -> None:
    with serving(respond(f"Content-Length: {2 * LARGE}\r\n", BODY)) as broken:
        for _ in range(AT_ONCE + 1):
            with pytest.raises(FetchError, match="broke off"), room():
                ask_large(broken)
    with serving(respond("", BODY)) as server, suppress(ValueError), room():
        ask_large(server)
        raise ValueError("a reader's")
    with serving(respond("", BODY)) as server, held_by_others(server):
        pass


def test_rooms_in_one_another_take_one_turn() -> None:
    with serving(respond("", BODY)) as server, room():
        for _ in range(AT_ONCE + 1):
            with room():
                assert ask_large(server).body == BODY


URL, RAW = "https://harbour.example.org/gauge.pdf", "https://raw.githubusercontent.com/harbour/gauge/main/gauge.pdf"
COPY = f"https://web.archive.org/web/20240501120000id_/{URL}"
CLOSEST = {"available": True, "status": "200", "timestamp": "20240501120000", "url": COPY}
KEPT = reply(json.dumps({"archived_snapshots": {"closest": CLOSEST}}), "application/json", url=AVAILABLE)


@pytest.mark.parametrize(
    ("read", "at"),
    [
        (lambda deps: read_page(URL, deps), URL),
        (lambda deps: archive.read(URL, deps), COPY),
        (lambda deps: arxiv._pdf(deps.http, "2403.01234"), "https://arxiv.org/pdf/2403.01234"),
        (lambda deps: github.read_file(URL, deps, {"owner": "harbour", "repo": "gauge", "ref": "main", "path": "gauge.pdf"}), RAW),
    ],
    ids=["page", "copy", "arXiv", "GitHub"],
)
def test_whoever_may_be_given_a_document_has_room_for_it_until_it_was_read(read: Callable[[Deps], Page], at: str) -> None:
    def large(options: Mapping[str, Any]) -> HttpReply:
        assert options["max_document"] > LARGE
        take_turn(Call(LONG_S, 1))  # as the guarded session, but without a room of its own
        return reply(pdf("The gauge reads high."), "application/pdf", url=at)

    assert "The gauge reads high." in read(reading(Web({AVAILABLE: KEPT, at: large}))).text
