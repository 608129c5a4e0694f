"""The closed network of conftest.py, so that no other test passes by reaching out."""

from __future__ import annotations

import socket
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests
from pytest_httpserver import HTTPServer


@pytest.mark.parametrize(
    "address", ["192.0.2.1", "10.0.0.1", "169.254.169.254", "0.0.0.0", "8.8.8.8"]
)
@pytest.mark.parametrize("kind", [socket.SOCK_STREAM, socket.SOCK_DGRAM])
def test_no_connection_leaves_this_machine(address: str, kind: int) -> None:
    with (
        socket.socket(socket.AF_INET, kind) as sock,
        pytest.raises(pytest.fail.Exception, match="test network is closed"),
    ):
        sock.connect((address, 9))


def test_no_datagram_leaves_this_machine() -> None:
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock,
        pytest.raises(pytest.fail.Exception, match="test network is closed"),
    ):
        sock.sendto(b"x", ("192.0.2.1", 9))


@pytest.mark.parametrize(
    "look_up", [lambda name: socket.getaddrinfo(name, 443), socket.gethostbyname]
)
@pytest.mark.parametrize(
    "name", ["no-such-machine.net", "www.no-such-machine.net.", "localhost.no-such-machine.net"]
)
def test_no_name_is_looked_up(look_up, name: str) -> None:
    with pytest.raises(pytest.fail.Exception, match="test network is closed"):
        look_up(name)


@pytest.mark.parametrize("name", ["gone.invalid", "library.example.org", "example", "EXAMPLE.COM."])
def test_reserved_names_resolve_nowhere(name: str) -> None:
    with pytest.raises(socket.gaierror, match="reserved name"):
        socket.getaddrinfo(name, 443)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST"])
def test_loopback_is_open(httpserver: HTTPServer, host: str) -> None:
    httpserver.expect_request("/").respond_with_data("here")
    assert requests.get(f"http://{host}:{httpserver.port}/", timeout=10).text == "here"


def test_other_threads_are_closed_in_too() -> None:
    with socket.socket() as sock, ThreadPoolExecutor(1) as pool:
        assert isinstance(
            pool.submit(sock.connect, ("192.0.2.1", 9)).exception(), pytest.fail.Exception
        )
