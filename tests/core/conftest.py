"""The web of `tests/local_web.py` as fixtures."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_httpserver import HTTPServer

from research_core.web.client import Client
from tests.local_web import PUBLIC, Internet, LocalServer, opened, serving


@pytest.fixture
def canary() -> Iterator[LocalServer]:
    with serving(lambda connection: connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret")) as server:
        yield server
        assert server.connections == 0


@pytest.fixture
def internet(httpserver: HTTPServer, canary: LocalServer) -> Internet:
    names = {name: [[PUBLIC]] for name in ("pages.example.org", "other.example.org", "secure.example.org", "wrong.example.org")}
    return Internet(names, httpserver.port, canary.port)


@pytest.fixture
def client(internet: Internet) -> Iterator[Client]:
    with opened(resolve=internet.resolve, connect=internet.connect) as client:
        yield client
