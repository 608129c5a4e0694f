"""The servers that `tools.py` asks: two ports on loopback, each a SearXNG server and a site.

They run in a process of their own and answer at once. The same request gets the same bytes, whoever
asks; each port counts its requests, which GET /asked returns by the first part of the path.
"""

from __future__ import annotations

import json
import socket
import threading
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

if TYPE_CHECKING:
    from research_core.settings import Settings
    from research_core.web.http.client import Client
    from research_core.wiring import Resources

#: Results of a search.
ROWS = 10
#: An address that is public by its number; `StubNetwork` leads it to the stub.
PUBLIC_ADDRESS = "93.184.216.34"


def make_results(query: str) -> bytes:
    """Return the answer of a SearXNG server: ten results, with another text for each query."""
    rows = []
    for number in range(ROWS):
        host = f"site{number}.example.{'org' if number % 2 else 'com'}"
        rows.append(
            {
                "url": f"https://{host}/{query.replace(' ', '-')}/{number}",
                "title": f"Result {number} about {query}",
                "content": (
                    f"What is known of {query}, in the words of site {number}: the tides of the bay"
                    " are the highest, and they are measured."
                ),
                "engine": "bing",
                "publishedDate": f"2026-0{number % 9 + 1}-11T00:00:00",
            }
        )
    return json.dumps({"query": query, "number_of_results": ROWS, "results": rows}).encode()


def make_page(day: str) -> bytes:
    """Return an article of 13 kB with menus, lists and a table, which ends in words of its own."""
    parts = "".join(make_part(day, part) for part in range(10))
    menu = "".join(f"<li><a href='/m{n}'>Menu {n}</a></li>" for n in range(30))
    table = "".join(f"<tr><td>Station {n}</td><td>{n * 3} feet</td></tr>" for n in range(20))
    return (
        "<!doctype html><html lang='en'>"
        f"<head><title>Tides of day {day}</title><meta name='author' content='Ann Poole'></head>"
        f"<body><nav><ul>{menu}</ul></nav><main><article><h1>Tides of day {day}</h1>{parts}"
        f"<table><tr><th>Where</th><th>Rise</th></tr>{table}</table>"
        f"<p>{make_last_words(day)}</p></article></main>"
        "<footer>All rights reserved by the bay.</footer></body></html>"
    ).encode()


def make_part(day: str, part: int) -> str:
    """Return a section of the article."""
    sentences = []
    for line in range(20):
        sentences.append(f"Station {day}-{part}-{line} saw the tide rise by {line * 7 % 13} feet.")
    readings = "".join(f"<li>Reading {line} of day {part}</li>" for line in range(5))
    return f"<h2>Part {part}</h2><p>{' '.join(sentences)}</p><ul>{readings}</ul>"


def make_last_words(day: str) -> str:
    return f"So ended day {day} at the pier of the bay."


class QuietHandler(BaseHTTPRequestHandler):
    """Sends whole bodies over connections that stay open, and logs nothing."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def send_body(self, body: bytes, content_type: str, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None: ...


class StubHandler(QuietHandler):
    """Answers searches and pages, and counts how often each was requested at this port."""

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        query = parse_qs(address.query)
        status = 404
        body = b""
        content_type = "application/json"
        requests: Counter[str] = self.server.requests  # type: ignore[attr-defined]
        if address.path == "/asked":
            status, body = 200, json.dumps(requests).encode()
        elif address.path == "/search" and query.get("format") == ["json"]:
            status, body = 200, make_results(query["q"][0])
        elif address.path.startswith("/page/"):
            status, body = 200, make_page(address.path.removeprefix("/page/"))
            content_type = "text/html; charset=utf-8"
        requests[address.path.split("/")[1]] += 1
        self.send_body(body, content_type, status)


def run_stub(ports: Any) -> None:
    """Run both servers until the process ends, and put their ports into the queue."""
    servers = [ThreadingHTTPServer(("127.0.0.1", 0), StubHandler) for _ in range(2)]
    for server in servers:
        server.daemon_threads = True
        server.requests = Counter()  # type: ignore[attr-defined]
        threading.Thread(target=server.serve_forever, daemon=True).start()
    ports.put([server.server_port for server in servers])
    threading.Event().wait()


class StubNetwork:
    """Name resolution and connections of a client: these hosts lead to the stub, no other exists."""

    def __init__(self, hosts: Collection[str], port: int) -> None:
        self._hosts = hosts
        self._port = port

    def resolve(self, host: str, port: int, **_: Any) -> list[tuple[Any, ...]]:
        """Return the public address, as `socket.getaddrinfo` does."""
        if host not in self._hosts:
            raise socket.gaierror(socket.EAI_NONAME, "unknown")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (PUBLIC_ADDRESS, port))]

    def connect(self, sock: socket.socket, address: tuple[str, int]) -> int:
        """Connect to the stub whatever the address, as `socket.connect_ex` does."""
        return sock.connect_ex(("127.0.0.1", self._port))

    def open_client(self, settings: Settings) -> Client:
        """Return a client with these settings, all of whose requests go to the stub."""
        # Imported here: what latency.py measures includes its imports.
        from research_core.web.http.client import Client  # noqa: PLC0415
        from research_core.web.http.pacing import HostPacing  # noqa: PLC0415

        return Client(
            user_agent=settings.user_agent,
            agents=settings.agents,
            allowed_endpoints=settings.endpoints,
            pacing=HostPacing(delay_s=settings.host_delay_s, robots=settings.robots),
            resolve=self.resolve,
            connect=self.connect,
        )


def choose_resources(hosts: Collection[str], port: int) -> Callable[[Settings], Resources]:
    """Return what opens resources whose client takes the stub for all the web."""
    # Imported here: a run's imports are part of what it takes, and the parent needs none.
    from research_core.wiring import Resources  # noqa: PLC0415

    @dataclass(frozen=True)
    class StubbedResources(Resources):
        @cached_property
        def client(self) -> Client:
            return StubNetwork(hosts, port).open_client(self.settings)

    return StubbedResources


def run_command(hosts: Collection[str], port: int, arguments: Sequence[str]) -> int:
    """Run a command of Assay with the stub for all the web, and return its exit code."""
    from research_core.interfaces.cli.commands import main  # noqa: PLC0415
    from research_core.quiet_exit import settle_collector_for_command  # noqa: PLC0415

    settle_collector_for_command()  # as `research_core.__main__` does
    return main(list(arguments), open_resources=choose_resources(hosts, port))
