"""A web of our own for tests: servers on loopback that say what a test wants.

Names and public addresses lead to them.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from ipaddress import ip_address
from itertools import repeat
from typing import Any

from research_core.models import HttpReply
from research_core.web.http.client import Client
from research_core.web.http.guard import is_public
from tests.timing import LONG_S

#: The address behind every name of `Internet`.
PUBLIC = "93.184.216.34"
LIMIT = 2_000_000
Talk = Callable[[socket.socket], None]


class LocalServer:
    """A TCP server on loopback that counts its connections and says what `talk` says."""

    def __init__(self, talk: Talk) -> None:
        self.connections = 0
        self._talk = talk
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.origin = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                self.connections += 1
                threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            self._talk(connection)

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


@contextmanager
def serving(talk: Talk) -> Iterator[LocalServer]:
    server = LocalServer(talk)
    try:
        yield server
    finally:
        server.close()


def respond(head: str, *pieces: bytes, forever: bool = False) -> Talk:
    def talk(connection: socket.socket) -> None:
        connection.recv(65_536)
        connection.sendall(f"HTTP/1.1 200 OK\r\n{head}\r\n".encode())
        for piece in repeat(pieces[0]) if forever else pieces:
            connection.sendall(piece)

    return talk


class Internet:
    """Names and addresses that exist only here. names: host -> the answers of the first look-up, of
    the second …; the last one stays.
    """

    def __init__(self, names: dict[str, list[list[str]]], port: int, canary: int) -> None:
        self.names, self.port, self.canary = names, port, canary
        self.looked_up: list[str] = []
        self.dialled: list[str] = []

    def resolve(self, host: str, port: int, **_: Any) -> list[tuple[Any, ...]]:
        self.looked_up.append(host)
        if host not in self.names:
            raise socket.gaierror(socket.EAI_NONAME, "unknown")
        answers = self.names[host]
        addresses = answers.pop(0) if len(answers) > 1 else answers[0]
        return [
            (
                socket.AF_INET6 if ":" in one else socket.AF_INET,
                socket.SOCK_STREAM,
                6,
                "",
                (one, port),
            )
            for one in addresses
        ]

    def connect(self, sock: socket.socket, address: tuple[str, int]) -> int:
        self.dialled.append(address[0])
        return sock.connect_ex(
            ("127.0.0.1", self.port if is_public(ip_address(address[0])) else self.canary)
        )


@contextmanager
def opened(**options: Any) -> Iterator[Client]:
    client = Client(**options)
    try:
        yield client
    finally:
        client.close()


def get(client: Client, url: str, **options: Any) -> HttpReply:
    return client.send("GET", url, **{"timeout_s": LONG_S, "max_bytes": LIMIT, **options})


def ask(server: LocalServer, **options: Any) -> HttpReply:
    """One request to a local server as a configured service."""
    with opened(allowed_endpoints=frozenset({server.origin})) as client:
        return get(client, f"{server.origin}/", endpoint=True, **options)
