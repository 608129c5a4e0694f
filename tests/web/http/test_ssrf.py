"""Addresses that others collected to get behind a guard: none reaches this machine or its network,
whatever names resolve to.

What the canary counts is decided by the standard library, not by the guard that is tested.
"""

from __future__ import annotations

import json
import os
import re
import socket
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest

from research_core.errors import FetchError
from research_core.web.http.guard import check_page_address, read_address, read_target
from tests.local_web import LocalServer, get, opened, respond, serving

SHARED = (
    Path(os.environ.get("ASSAY_SHARED") or Path(__file__).parents[4] / "shared")
    / "data"
    / "adversarial"
    / "ssrf"
)
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared/data")

ROWS: list[dict[str, Any]] = (
    [json.loads(line) for line in (SHARED / "urls.jsonl").read_text().splitlines()]
    if SHARED.is_dir()
    else []
)
WHATWG: list[Any] = (
    json.loads((SHARED / "whatwg_urltestdata.json").read_text(encoding="utf-8"))
    if SHARED.is_dir()
    else []
)
#: What a name that nobody knows leads to: this machine, in every way that an address can say so.
LOOPBACK = (
    "127.0.0.1",
    "::1",
    "::ffff:127.0.0.1",
    "64:ff9b::7f00:1",
    "169.254.169.254",
    "10.0.0.1",
    "0.0.0.0",
)
START = "93.184.216.34"
LEADS_TO = [[one] for one in LOOPBACK] + [[START, "127.0.0.1"]]


def test_what_browsers_take_for_an_address_leads_to_the_same_one_here_or_nowhere() -> None:
    for case in (case for case in WHATWG if isinstance(case, dict)):
        with suppress(ValueError, FetchError):
            meant = ip_address(str(case.get("hostname", "")).strip("[]"))
            origin = read_target(case["input"]).origin
            check_page_address(origin, frozenset())
            assert meant.is_global, case["input"]
            assert read_address(origin.host) == meant, case["input"]


class Trap:
    """A network in which every name leads to the addresses given, and everything that is not public
    to the canary.
    """

    def __init__(self, canary: LocalServer, public: LocalServer, leads_to: list[str]) -> None:
        self.canary, self.public, self.leads_to = canary, public, leads_to

    def resolve(self, host: str, port: int, **_: Any) -> list[tuple[Any, ...]]:
        leads_to = [START] if host == "start.example.org" else self.leads_to
        return [
            (
                socket.AF_INET6 if ":" in one else socket.AF_INET,
                socket.SOCK_STREAM,
                6,
                "",
                (one, port),
            )
            for one in leads_to
        ]

    def connect(self, sock: socket.socket, address: tuple[Any, ...]) -> int:
        server = self.public if ip_address(address[0]).is_global else self.canary
        with suppress(
            OSError
        ):  # a socket of the other family cannot be led to it, but was meant to go there
            server.connections += sock.family != socket.AF_INET
        return sock.connect_ex(("127.0.0.1", server.port))


def ask_all(leads_to: list[str]) -> int:
    """How often the canary is reached when every payload is asked for."""
    with (
        serving(respond("Content-Length: 2\r\n", b"ok")) as canary,
        serving(respond("Content-Length: 2\r\n", b"ok")) as public,
    ):
        trap = Trap(canary, public, leads_to)
        with opened(resolve=trap.resolve, connect=trap.connect) as client:
            for row in ROWS:
                with suppress(FetchError):
                    get(client, row["url"])
        return canary.connections


def redirect_all(leads_to: list[str]) -> int:
    """The same when a public page redirects to each payload."""
    asked: list[str] = []

    def onward(connection: socket.socket) -> None:
        head = connection.recv(65_536).decode("latin-1")
        place = re.match(r"GET /(\d+) HTTP.*\r\nHost: start\.example\.org\r\n", head, re.DOTALL)
        asked.append(
            ROWS[int(place[1])]["url"] if place else ""
        )  # a payload that leads elsewhere on the public net
        location = re.sub(r"[\r\n]", "", asked[-1]).encode("utf-8")
        connection.sendall(
            b"HTTP/1.1 302 Found\r\nLocation: "
            + location
            + b"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        )

    with serving(respond("Content-Length: 2\r\n", b"ok")) as canary, serving(onward) as public:
        trap = Trap(canary, public, leads_to)
        with opened(resolve=trap.resolve, connect=trap.connect) as client:
            for number in range(len(ROWS)):
                with suppress(FetchError):
                    get(client, f"http://start.example.org/{number}")
        assert {row["url"] for row in ROWS} <= set(asked)
        return canary.connections


@pytest.mark.parametrize("leads_to", LEADS_TO, ids="+".join)
def test_no_address_reaches_the_canary(leads_to: list[str]) -> None:
    assert ask_all(leads_to) == 0


@pytest.mark.parametrize("leads_to", ["127.0.0.1", "::1"])
def test_no_redirect_reaches_the_canary(leads_to: str) -> None:
    assert redirect_all([leads_to]) == 0


def test_the_canary_is_reached_where_nobody_guards() -> None:
    with serving(respond("")) as canary, serving(respond("")) as public, socket.socket() as direct:
        assert Trap(canary, public, []).connect(direct, ("127.0.0.1", 80)) == 0
        direct.sendall(b"x")
        assert direct.recv(4) == b"HTTP"
        assert (canary.connections, public.connections) == (1, 0)
