"""What the servers of `tools.py` ask: a SearXNG server and a site on loopback, in a process of
their own, that answer at once.

The same words get the same bytes. It counts what it was asked for, and knows nothing of who asks.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

ROWS = 10


def found(query: str) -> bytes:
    """What a SearXNG server answers: ten results, another text for each query."""
    rows = [
        {
            "url": (
                f"https://site{n}.example.{'org' if n % 2 else 'com'}/{query.replace(' ', '-')}/{n}"
            ),
            "title": f"Result {n} about {query}",
            "content": (
                f"What is known of {query}, in the words of site {n}: the tides of the bay are the"
                " highest, and they are measured."
            ),
            "engine": "bing",
            "publishedDate": f"2026-0{n % 9 + 1}-11T00:00:00",
        }
        for n in range(ROWS)
    ]
    return json.dumps({"query": query, "number_of_results": ROWS, "results": rows}).encode()


def page(number: str) -> bytes:
    """An article of 13 kB with menus, a list and a table. It ends in words of its own."""
    text = "".join(part_of(number, part) for part in range(10))
    menu = "".join(f"<li><a href='/m{n}'>Menu {n}</a></li>" for n in range(30))
    table = "".join(f"<tr><td>Station {n}</td><td>{n * 3} feet</td></tr>" for n in range(20))
    return (
        f"<!doctype html><html lang='en'><head><title>Tides of day {number}</title><meta"
        " name='author' content='Ann"
        f" Poole'></head><body><nav><ul>{menu}</ul></nav><main><article><h1>Tides of day"
        f" {number}</h1>{text}<table><tr><th>Where</th><th>Rise</th></tr>{table}</table><p>{last_words(number)}</p></article></main><footer>All"  # noqa: E501
        " rights reserved by the bay.</footer></body></html>"
    ).encode()


def part_of(number: str, part: int) -> str:
    words = " ".join(
        f"Station {number}-{part}-{line} saw the tide rise by {line * 7 % 13} feet."
        for line in range(20)
    )
    readings = "".join(f"<li>Reading {line} of day {part}</li>" for line in range(5))
    return f"<h2>Part {part}</h2><p>{words}</p><ul>{readings}</ul>"


def last_words(number: str) -> str:
    return f"So ended day {number} at the pier of the bay."


class Stub(BaseHTTPRequestHandler):
    """Answers searches and pages, and tells how often each was asked for at this port."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        path, query = urlsplit(self.path).path, parse_qs(urlsplit(self.path).query)
        kind, body = 404, b""
        asked: Counter[str] = self.server.asked  # type: ignore[attr-defined]
        if path == "/asked":
            kind, body = 200, json.dumps(asked).encode()
        elif path == "/search" and query.get("format") == ["json"]:
            kind, body = 200, found(query["q"][0])
        elif path.startswith("/page/"):
            kind, body = 200, page(path.removeprefix("/page/"))
        asked[path.split("/")[1]] += 1
        self.send_response(kind)
        self.send_header(
            "Content-Type",
            "text/html; charset=utf-8" if path.startswith("/page/") else "application/json",
        )
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None: ...


def stub(ports: Any) -> None:
    """The stub's process: a port for each of the two servers, so that their requests can be told
    apart.
    """
    servers = [ThreadingHTTPServer(("127.0.0.1", 0), Stub) for _ in range(2)]
    for server in servers:
        server.daemon_threads, server.asked = True, Counter()  # type: ignore[attr-defined]
        threading.Thread(target=server.serve_forever, daemon=True).start()
    ports.put([server.server_port for server in servers])
    threading.Event().wait()
