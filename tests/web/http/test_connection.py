"""Connections against name servers and servers that attack them: where they lead, how long they
last, whom they trust. Real sockets.
"""

from __future__ import annotations

import gzip
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from research_core.errors import FetchError, Stopped, error_from_json, error_to_json
from research_core.web.http.client import Client
from tests.local_web import PUBLIC, Internet, LocalServer, Talk, ask, get, opened, serving
from tests.timing import LONG_S, check_duration, try_at_slower_paces

# ---------------------------------------------------------------- addresses

ADDRESSES = {
    "localhost": "http://localhost/",
    "2130706433": "http://2130706433/",
    "0177.0.0.1": "http://0177.0.0.1/",
    "0x7f000001": "http://0x7f000001/",
    "0x7f.1": "http://0x7f.1/",
    "127.1": "http://127.1/",
    "0": "http://0/",
    "0.0.0.0": "http://0.0.0.0/",
    "[::1]": "http://[::1]/",
    "[::ffff:127.0.0.1]": "http://[::ffff:127.0.0.1]/",
    "[::ffff:7f00:1]": "http://[::ffff:7f00:1]/",
    "[::]": "http://[::]/",
    "[64:ff9b::7f00:1]": "http://[64:ff9b::7f00:1]/",
    "[2002:7f00:1::]": "http://[2002:7f00:1::]/",
    "[fd00:ec2::254]": "http://[fd00:ec2::254]/",
    "169.254.169.254": "http://169.254.169.254/latest/meta-data/",
    "10.0.0.1": "http://10.0.0.1/",
    "100.64.0.1": "http://100.64.0.1/",
    "192.168.1.1": "http://192.168.1.1/",
    "user@127.0.0.1": "http://user@127.0.0.1/",
    "port-not-allowed": "http://93.184.216.34:22/",
    "circled-digits": "http://①②⑦.0.0.1/",
}


@pytest.mark.parametrize("url", ADDRESSES.values(), ids=ADDRESSES.keys())
def test_refused_as_text(client: Client, internet: Internet, url: str) -> None:
    with pytest.raises(FetchError) as caught:
        get(client, url)
    assert caught.value.kind == "validation"
    assert caught.value.message.startswith("Address refused: ")
    assert internet.looked_up == internet.dialled == []


@pytest.mark.parametrize("url", ADDRESSES.values(), ids=ADDRESSES.keys())
def test_refused_as_a_redirect(client: Client, internet: Internet, url: str) -> None:
    with serving(
        lambda connection: connection.sendall(
            f"HTTP/1.1 302 Found\r\nLocation: {url}\r\n\r\n".encode()
        )
    ) as server:
        internet.port = server.port
        with pytest.raises(FetchError) as caught:
            get(client, "http://pages.example.org/away")
        assert server.connections == 1
    assert caught.value.kind == "validation"
    assert internet.dialled == [PUBLIC]


ANSWERS = {
    "name-to-127.0.0.1": ["127.0.0.1"],
    "name-to-public-and-127.0.0.1": [PUBLIC, "127.0.0.1"],
    "name-to-169.254.169.254": ["169.254.169.254"],
    "name-to-azure-metadata": ["168.63.129.16"],
    "name-to-mapped": ["::ffff:10.0.0.1"],
    "name-to-teredo": ["2001:0:808:808::80ff:fffe"],
    "name-to-nat64-metadata": ["64:ff9b::a9fe:a9fe"],
    "name-to-public-and-[fe80::1%eth0]": [PUBLIC, "fe80::1%eth0"],
}


@pytest.mark.parametrize("answers", ANSWERS.values(), ids=ANSWERS.keys())
def test_refused_by_what_the_name_resolves_to(
    client: Client, internet: Internet, answers: list[str]
) -> None:
    internet.names["trap.example.org"] = [answers]
    with pytest.raises(FetchError, match="private network or is a metadata service") as caught:
        get(client, "http://trap.example.org/")
    assert caught.value.kind == "validation"
    assert internet.dialled == []


def test_dns_rebinding(client: Client, internet: Internet, httpserver: HTTPServer) -> None:
    internet.names["rebinds.example.org"] = [[PUBLIC], ["127.0.0.1"]]
    httpserver.expect_request("/").respond_with_data(b"public")
    assert get(client, "http://rebinds.example.org/").body == b"public"
    assert (internet.looked_up, internet.dialled) == (["rebinds.example.org"], [PUBLIC])


def test_dns_rebinding_between_hops(
    client: Client, internet: Internet, httpserver: HTTPServer
) -> None:
    internet.names["rebinds.example.org"] = [[PUBLIC], ["127.0.0.1"]]
    httpserver.expect_request("/").respond_with_data(
        b"", 302, {"Location": "/again", "Connection": "close"}
    )
    with pytest.raises(FetchError, match=r"leads to 127\.0\.0\.1"):
        get(client, "http://rebinds.example.org/")
    assert internet.dialled == [PUBLIC]


def test_the_next_address_is_tried_when_one_is_dead(
    internet: Internet, httpserver: HTTPServer
) -> None:
    internet.names["pages.example.org"] = [["8.8.8.8", PUBLIC]]
    httpserver.expect_request("/").respond_with_data(b"alive")

    def connect(sock: socket.socket, address: Any) -> int:
        return 111 if address[0] == "8.8.8.8" else internet.connect(sock, address)

    with opened(resolve=internet.resolve, connect=connect) as client:
        assert get(client, "http://pages.example.org/").body == b"alive"


@pytest.mark.parametrize(
    "scheme", ["file:///etc/passwd", "gopher://93.184.216.34/", "ftp://93.184.216.34/"]
)
def test_other_schemes(
    client: Client, internet: Internet, httpserver: HTTPServer, scheme: str
) -> None:
    httpserver.expect_request("/away").respond_with_data(b"", 302, {"Location": scheme})
    for url in (scheme, "http://pages.example.org/away"):
        with pytest.raises(FetchError) as caught:
            get(client, url)
        assert caught.value.kind == "unsupported"
    assert internet.dialled == [PUBLIC]


def test_proxies_of_the_environment_are_ignored(
    client: Client, httpserver: HTTPServer, canary: LocalServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, canary.origin)
    httpserver.expect_request("/").respond_with_data(b"direct")
    assert get(client, "http://pages.example.org/").body == b"direct"


def test_a_name_nobody_knows(client: Client) -> None:
    with pytest.raises(
        FetchError, match=r"name nowhere\.example\.org could not be found"
    ) as caught:
        get(client, "http://nowhere.example.org/")
    assert caught.value.kind == "network"
    assert caught.value.retryable


@pytest.mark.parametrize(
    ("number", "absent"),
    [
        (socket.EAI_NONAME, True),
        (socket.EAI_AGAIN, False),
        (socket.EAI_FAIL, False),
        (socket.EAI_MEMORY, False),
    ],
)
def test_a_look_up_that_failed_does_not_say_that_there_is_no_such_name(
    number: int, absent: bool
) -> None:
    def resolve(*_asked: Any, **_how: Any) -> Any:
        raise socket.gaierror(number, "as the resolver has it")

    with (
        opened(resolve=resolve) as client,
        pytest.raises(FetchError, match="could not be found") as caught,
    ):
        get(client, "http://brand.example.org/")
    assert (caught.value.absent, error_from_json(error_to_json(caught.value)).absent) == (
        absent,
        absent,
    )


# ---------------------------------------------------------------- time


def drip(before: bytes, piece: bytes) -> Talk:
    def talk(connection: socket.socket) -> None:
        connection.recv(65_536)
        connection.sendall(before)
        while True:
            time.sleep(0.05)
            connection.sendall(piece)

    return talk


def silent(connection: socket.socket) -> None:
    while connection.recv(65_536):  # until the other side hangs up
        pass


SLOW: dict[str, Talk] = {
    "silence": silent,
    "slow-loris-status": drip(b"", b"H"),
    "slow-loris-header": drip(b"HTTP/1.1 200 OK\r\nX-A: ", b"a"),
    "slow-loris-100-continue": drip(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "slow-loris-body": drip(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b"a"),
    "slow-loris-body-without-length": drip(b"HTTP/1.1 200 OK\r\n\r\n", b"a"),
    "slow-loris-chunks": drip(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\na\r\n"
    ),
    "slow-loris-chunk-size": drip(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"0"),
    "slow-loris-trailer": drip(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", b"X: y\r\n"
    ),
    "slow-loris-gzip": drip(
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", gzip.compress(b"")
    ),
}


@pytest.mark.parametrize("talk", SLOW.values(), ids=SLOW.keys())
def test_deadline(talk: Talk) -> None:
    with (
        serving(talk) as server,
        check_duration(0.3, 0.8),
        pytest.raises(FetchError, match=r"within 0\.3 seconds") as caught,
    ):
        ask(server, timeout_s=0.3)
    assert caught.value.kind == "timeout"


def test_deadline_of_the_whole_chain(internet: Internet) -> None:
    def talk(connection: socket.socket) -> None:
        connection.recv(65_536)
        time.sleep(0.1)
        connection.sendall(b"HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 0\r\n\r\n")

    with (
        serving(talk) as server,
        check_duration(0.3, 0.8),
        pytest.raises(FetchError, match="in full within"),
    ):
        ask(server, timeout_s=0.3)


def test_deadline_of_a_secure_handshake() -> None:
    with serving(silent) as server:
        origin = server.origin.replace("http:", "https:")
        with (
            opened(allowed_endpoints=frozenset({origin})) as client,
            check_duration(0.3, 0.8),
            pytest.raises(FetchError, match="in full within"),
        ):
            get(client, origin, endpoint=True, timeout_s=0.3)


def test_deadline_of_a_look_up() -> None:
    answer = threading.Event()

    def resolve(*_: Any, **__: Any) -> list[Any]:
        answer.wait(LONG_S)
        raise socket.gaierror

    with (
        opened(resolve=resolve) as client,
        check_duration(0.3, 0.8),
        pytest.raises(FetchError, match="in full within"),
    ):
        get(client, "http://pages.example.org/", timeout_s=0.3)
    answer.set()


@contextmanager
def full_backlog() -> Iterator[int]:
    """A port whose connections are neither accepted nor refused."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        for _ in range(4):
            sock = stack.enter_context(socket.socket())
            sock.setblocking(False)
            sock.connect_ex(listener.getsockname())
        yield listener.getsockname()[1]


def test_deadline_of_a_connection() -> None:
    with (
        full_backlog() as port,
        opened(allowed_endpoints=frozenset({f"http://127.0.0.1:{port}"})) as client,
    ):
        with check_duration(0.3, 0.8), pytest.raises(FetchError) as caught:
            get(client, f"http://127.0.0.1:{port}", endpoint=True, timeout_s=0.3)
        assert caught.value.kind in ("timeout", "network")


def test_a_silent_address_leaves_time_for_the_next(
    internet: Internet, httpserver: HTTPServer
) -> None:
    internet.names["pages.example.org"] = [["8.8.8.8", PUBLIC]]
    httpserver.expect_request("/").respond_with_data(b"alive")
    with full_backlog() as port:

        def connect(sock: socket.socket, address: Any) -> int:
            return (
                sock.connect_ex(("127.0.0.1", port))
                if address[0] == "8.8.8.8"
                else internet.connect(sock, address)
            )

        def once(pace: float) -> None:
            with (
                opened(resolve=internet.resolve, connect=connect) as client,
                check_duration(0.3 * pace, 0.6 * pace),
            ):
                assert (
                    get(client, "http://pages.example.org/", timeout_s=0.6 * pace).body == b"alive"
                )

        try_at_slower_paces(once)


@pytest.mark.parametrize(
    "talk",
    [silent, SLOW["slow-loris-header"], SLOW["slow-loris-body"]],
    ids=["silence", "header", "body"],
)
def test_stop_is_heard_at_once(talk: Talk) -> None:
    stop = threading.Event()
    timer = threading.Timer(0.2, stop.set)
    with serving(talk) as server, check_duration(0.2, 0.5), pytest.raises(Stopped) as caught:  # noqa: PT012
        timer.start()
        ask(server, stop=stop, timeout_s=LONG_S)
    assert caught.value.why == "cancel"
    timer.join()


def test_stop_before_the_start(client: Client, internet: Internet) -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(Stopped):
        get(client, "http://pages.example.org/", stop=stop)
    assert internet.looked_up == []


# ---------------------------------------------------------------- secure connections

# For secure.example.org, signed by itself, valid until 2120. Written for these tests; it guards
# nothing.
CERTIFICATE = """\
-----BEGIN CERTIFICATE-----
MIIBhTCCASugAwIBAgIBATAKBggqhkjOPQQDAjAgMR4wHAYDVQQDDBV3cml0dGVu
IGZvciB0aGUgdGVzdHMwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBa
MCAxHjAcBgNVBAMMFXdyaXR0ZW4gZm9yIHRoZSB0ZXN0czBZMBMGByqGSM49AgEG
CCqGSM49AwEHA0IABED8PHvUbHce2fkrvVpwJ8jFypFS6tTzXvEG3iCiPgYO2KiO
oBcXlyIucgsIl+zxdzZUGQH2n847laoLyV1BmBKjVDBSMB0GA1UdEQQWMBSCEnNl
Y3VyZS5leGFtcGxlLm9yZzASBgNVHRMBAf8ECDAGAQH/AgEAMB0GA1UdDgQWBBQi
6LmQ2DkFmOqixJu4EWeeJLROYDAKBggqhkjOPQQDAgNIADBFAiBsegVyT6KvJtGB
2vo8iN7fCythzJf6Yl848lUN1XkxvgIhAJJo8Gi3xgSMYPEnMXvxhjiiC2KNZSsW
dBdvwd4Yf+Si
-----END CERTIFICATE-----
"""
KEY = """\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg4YxnsW0YAZmsI0Pn
+1UvZhRm5Hw0khvrWvtN0ebRW6OhRANCAARA/Dx71Gx3Htn5K71acCfIxcqRUurU
817xBt4goj4GDtiojqAXF5ciLnILCJfs8Xc2VBkB9p/OO5WqC8ldQZgS
-----END PRIVATE KEY-----
"""


@pytest.fixture
def secure(
    internet: Internet, tmp_path: Any
) -> Iterator[tuple[Client, list[str | None], LocalServer]]:
    """A client that trusts the certificate above, the names it asked for, and the server that shows
    it.
    """
    both, certificate = tmp_path / "both.pem", tmp_path / "certificate.pem"
    both.write_text(CERTIFICATE + KEY)
    certificate.write_text(CERTIFICATE)
    context, asked = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), list[str | None]()
    context.load_cert_chain(both)
    context.sni_callback = lambda _sock, name, _context: asked.append(name)

    def talk(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as channel:
            while channel.recv(65_536):
                channel.sendall(
                    b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + b"s" * 100_000
                )

    with serving(talk) as server:
        internet.port = server.port
        with opened(
            resolve=internet.resolve, connect=internet.connect, ca_file=str(certificate)
        ) as client:
            yield client, asked, server


def test_the_certificate_is_checked_by_name(
    secure: tuple[Client, list[str | None], LocalServer], internet: Internet
) -> None:
    client, asked, server = secure
    for _ in range(3):
        assert get(client, "https://secure.example.org/").body == b"s" * 100_000
    assert (asked, internet.dialled, server.connections) == (["secure.example.org"], [PUBLIC], 1)
    with pytest.raises(FetchError, match="no valid certificate for this name") as caught:
        get(client, "https://wrong.example.org/")
    assert caught.value.kind == "network"


def test_the_usual_certificates_do_not_include_it(
    secure: tuple[Client, list[str | None], LocalServer], internet: Internet
) -> None:
    usual = {"resolve": internet.resolve, "connect": internet.connect}
    with (
        opened(**usual) as client,
        pytest.raises(FetchError, match="no valid certificate for this name"),
    ):
        get(client, "https://secure.example.org/")
