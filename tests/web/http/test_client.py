"""What the guarded session sends, follows and reads, against servers that answer badly on purpose.
Real sockets.
"""

from __future__ import annotations

import errno
import gzip
import json
import socket
import threading
import time
import tracemalloc
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from research_core.errors import FetchError, SettingsError
from research_core.web.http.client import Client
from tests.everyday import mark_nth_everyday
from tests.local_web import (
    LIMIT,
    PUBLIC,
    Internet,
    LocalServer,
    Talk,
    ask,
    get,
    opened,
    respond,
    serving,
)
from tests.timing import LONG_S, check_cpu_time, try_at_slower_paces

SMALL = 500_000

# ---------------------------------------------------------------- configured services


def test_a_service_is_reached_only_by_calls_that_say_so(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/search").respond_with_json({"results": []})
    origin = f"http://127.0.0.1:{httpserver.port}"
    with opened(allowed_endpoints=frozenset({origin})) as client:
        assert json.loads(get(client, f"{origin}/search", endpoint=True).body) == {"results": []}
        with pytest.raises(FetchError, match="a service this installation uses") as caught:
            get(client, f"{origin}/search")
        assert caught.value.kind == "validation"


@pytest.mark.parametrize(
    "other",
    [
        "http://127.0.0.1:{port}",
        "https://localhost:{same}",
        "http://127.0.0.2:{same}",
        "http://pages.example.org",
    ],
)
def test_a_service_is_one_scheme_host_and_port(
    internet: Internet, canary: LocalServer, other: str
) -> None:
    with opened(
        resolve=internet.resolve, allowed_endpoints=frozenset({f"http://localhost:{canary.port}"})
    ) as client:
        with pytest.raises(FetchError, match="not a configured service") as caught:
            get(client, other.format(port=canary.port + 1, same=canary.port), endpoint=True)
        assert caught.value.kind == "config"


def test_a_service_may_not_redirect_away_from_itself(
    httpserver: HTTPServer, canary: LocalServer
) -> None:
    httpserver.expect_request("/inside").respond_with_data(b"", 302, {"Location": "/here"})
    httpserver.expect_request("/here").respond_with_data(b"here")
    httpserver.expect_request("/outside").respond_with_data(b"", 302, {"Location": canary.origin})
    origin = f"http://127.0.0.1:{httpserver.port}"
    with opened(allowed_endpoints=frozenset({origin, canary.origin})) as client:
        assert get(client, f"{origin}/inside", endpoint=True).body == b"here"
        with pytest.raises(FetchError, match="away from itself") as caught:
            get(client, f"{origin}/outside", endpoint=True)
        assert caught.value.kind == "validation"


def test_a_page_may_not_redirect_to_a_service(internet: Internet, httpserver: HTTPServer) -> None:
    httpserver.expect_request("/away").respond_with_data(
        b"", 302, {"Location": "http://other.example.org/"}
    )
    options = {
        "resolve": internet.resolve,
        "connect": internet.connect,
        "allowed_endpoints": frozenset({"http://other.example.org"}),
    }
    with (
        opened(**options) as client,
        pytest.raises(FetchError, match="a service this installation uses"),
    ):
        get(client, "http://pages.example.org/away")


@pytest.mark.parametrize(
    "address", ["169.254.169.254", "100.100.100.200", "fd00:ec2::254", "::ffff:169.254.169.254"]
)
def test_metadata_stays_closed_to_services(internet: Internet, address: str) -> None:
    internet.names["model"] = [[address]]
    literal = f"http://[{address}]" if ":" in address else f"http://{address}"
    options = {
        "resolve": internet.resolve,
        "connect": internet.connect,
        "allowed_endpoints": frozenset({"http://model:8080", literal}),
    }
    with opened(**options) as client:
        for url in ("http://model:8080/", literal):
            with pytest.raises(FetchError, match="metadata") as caught:
                get(client, url, endpoint=True)
            assert caught.value.kind == "validation"
    assert internet.dialled == []


@pytest.mark.parametrize("host", ["metadata.tencentyun.com", "METADATA.packet.net."])
def test_metadata_stays_closed_to_services_by_name(internet: Internet, host: str) -> None:
    internet.names[host.lower().rstrip(".")] = [["8.8.8.8"]]
    options = {
        "resolve": internet.resolve,
        "connect": internet.connect,
        "allowed_endpoints": frozenset({f"http://{host}:8080"}),
    }
    with (
        opened(**options) as client,
        pytest.raises(FetchError, match="metadata service"),
    ):
        get(client, f"http://{host}:8080/", endpoint=True)
    assert internet.dialled == []


@pytest.mark.parametrize(
    "text", ["localhost:8888", "ftp://localhost", "http://", "http://user:pass@localhost"]
)
def test_a_service_address_that_is_none(text: str) -> None:
    with pytest.raises(SettingsError, match="cannot be used as the address of a service"):
        Client(allowed_endpoints=frozenset({text}))


# ---------------------------------------------------------------- redirects


def test_redirects_are_followed_and_told(client: Client, httpserver: HTTPServer) -> None:
    httpserver.expect_request("/1").respond_with_data(b"", 301, {"Location": "/2?q=ä"})
    httpserver.expect_request("/2").respond_with_data(
        b"", 308, {"Location": "//other.example.org/3"}
    )
    httpserver.expect_request("/3").respond_with_data(
        b"there", headers={"Content-Type": "text/plain"}
    )
    reply = get(client, "http://pages.example.org/1")
    assert (reply.status, reply.body, reply.content_type) == (200, b"there", "text/plain")
    assert reply.url == "http://other.example.org/3"
    assert reply.hops == ("http://pages.example.org/1", "http://pages.example.org/2?q=%C3%A4")


def test_redirect_loop(client: Client, httpserver: HTTPServer) -> None:
    httpserver.expect_request("/loop").respond_with_data(b"", 302, {"Location": "/loop"})
    with pytest.raises(FetchError, match="more than 5 times") as caught:
        get(client, "http://pages.example.org/loop")
    assert caught.value.kind == "bad_reply"
    assert len(httpserver.log) == 6


def test_keys_do_not_follow_a_redirect_to_another_site(
    client: Client, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/same").respond_with_data(b"", 302, {"Location": "/away"})
    httpserver.expect_request("/away").respond_with_data(
        b"", 302, {"Location": "http://other.example.org/end"}
    )
    httpserver.expect_request("/end").respond_with_data(b"")
    headers = {"X-Subscription-Token": "key", "Authorization": "Bearer key", "accept": "text/html"}
    get(client, "http://pages.example.org/same", headers=headers)
    first, second, third = (request.headers for request, _ in httpserver.log)
    assert first["X-Subscription-Token"] == second["X-Subscription-Token"] == "key"
    assert not {"X-Subscription-Token", "Authorization"} & set(third.keys())
    assert {headers["Accept"] for headers in (first, second, third)} == {"text/html"}


@pytest.mark.parametrize(
    ("status", "seen"), [(301, b"GET "), (302, b"GET "), (303, b"GET "), (307, b'POST {"q": 1}')]
)
def test_method_and_body_after_a_redirect(
    client: Client, httpserver: HTTPServer, status: int, seen: bytes
) -> None:
    httpserver.expect_request("/post", method="POST").respond_with_data(
        b"", status, {"Location": "/end"}
    )
    httpserver.expect_request("/end").respond_with_handler(
        lambda request: Response(f"{request.method} ".encode() + request.get_data())
    )
    reply = client.send(
        "POST", "http://pages.example.org/post", json={"q": 1}, timeout_s=5, max_bytes=LIMIT
    )
    assert reply.body == seen


def test_a_body_does_not_follow_a_redirect_to_another_site(
    client: Client, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/post").respond_with_data(
        b"", 307, {"Location": "http://other.example.org/"}
    )
    with pytest.raises(FetchError, match="with a body to another site"):
        client.send(
            "POST",
            "http://pages.example.org/post",
            json={"api_key": "key"},
            timeout_s=5,
            max_bytes=LIMIT,
        )
    assert len(httpserver.log) == 1


def test_cookies_last_for_one_call(client: Client, httpserver: HTTPServer) -> None:
    httpserver.expect_request("/set").respond_with_data(
        b"", 302, {"Location": "/seen", "Set-Cookie": "visit=1; Path=/"}
    )
    httpserver.expect_request("/seen").respond_with_handler(
        lambda request: Response(
            request.headers.get("Cookie", "none"), headers={"Set-Cookie": "token=secret"}
        )
    )
    first, second = (
        get(client, "http://pages.example.org/set"),
        get(client, "http://pages.example.org/seen"),
    )
    assert (first.body, second.body) == (b"visit=1", b"none")
    assert "set-cookie" not in first.headers


# ---------------------------------------------------------------- what is sent, what comes back


def test_what_every_request_says_of_itself(internet: Internet, httpserver: HTTPServer) -> None:
    httpserver.expect_request("/").respond_with_handler(
        lambda request: Response(json.dumps(dict(request.headers)))
    )
    options = {
        "resolve": internet.resolve,
        "connect": internet.connect,
        "user_agent": "ResearchAgent/1.0 (+https://contact.example)",
    }
    with opened(**options) as client:
        sent = json.loads(
            get(
                client,
                "http://pages.example.org/",
                headers={"user-agent": "Browser", "accept-encoding": "br"},
            ).body
        )
    assert sent == {
        "Host": "pages.example.org",
        "Accept": "*/*",
        "User-Agent": "ResearchAgent/1.0 (+https://contact.example)",
        "Accept-Encoding": "gzip, deflate",
    }


def test_the_usual_user_agent(client: Client, httpserver: HTTPServer) -> None:
    httpserver.expect_request(
        "/", headers={"User-Agent": "ResearchAgent/1.0 (+contact)"}
    ).respond_with_data(b"known")
    assert get(client, "http://pages.example.org/").body == b"known"


def test_a_site_that_asks_for_an_address_gets_it_with_every_request_and_nobody_else_does(
    internet: Internet, httpserver: HTTPServer
) -> None:
    for host in ("www.sec.gov", "data.sec.gov", "sec.gov.example.com"):
        internet.names[host] = [[PUBLIC]]
    httpserver.expect_request("/led").respond_with_data(
        b"", 302, {"Location": "http://data.sec.gov/"}
    )
    httpserver.expect_request("/").respond_with_handler(
        lambda request: Response(request.headers["User-Agent"])
    )
    options = {
        "resolve": internet.resolve,
        "connect": internet.connect,
        "agents": {"sec.gov": "ResearchAgent/1.0 tea@example.org"},
    }
    with opened(**options) as client:
        for url in (
            "http://www.sec.gov/",
            "http://www.sec.gov/led",
            "http://pages.example.org/led",
        ):
            assert (
                get(client, url, headers={"User-Agent": "Browser"}).body
                == b"ResearchAgent/1.0 tea@example.org"
            )
        for url in ("http://pages.example.org/", "http://sec.gov.example.com/"):
            assert get(client, url).body == b"ResearchAgent/1.0 (+contact)"


def test_who_must_know_who_asks_is_asked_for_pages_alone_where_nobody_says(
    internet: Internet, httpserver: HTTPServer
) -> None:
    internet.names["www.sec.gov"] = [[PUBLIC]]
    httpserver.expect_request("/led").respond_with_data(
        b"", 302, {"Location": "http://www.sec.gov/list.json"}
    )
    httpserver.expect_request("/page").respond_with_handler(
        lambda request: Response(request.headers["User-Agent"])
    )
    httpserver.expect_request("/robots.txt").respond_with_data(b"rules")
    with opened(
        resolve=internet.resolve, connect=internet.connect, agents={"sec.gov": ""}
    ) as client:
        for url in ("http://www.sec.gov/list.json", "http://pages.example.org/led"):
            with pytest.raises(FetchError, match="requires a contact e-mail address") as caught:
                get(client, url, on_behalf="")
            assert (caught.value.kind, caught.value.ours) == ("config", True)
        assert "/list.json" not in {request.path for request, _ in httpserver.log}
        assert get(client, "http://www.sec.gov/page").body == b"ResearchAgent/1.0 (+contact)"
        assert get(client, "http://www.sec.gov/robots.txt", on_behalf="").body == b"rules"


@pytest.mark.parametrize("status", [204, 304, 401, 403, 404, 410, 429, 500, 503])
def test_a_status_is_an_answer(client: Client, httpserver: HTTPServer, status: int) -> None:
    httpserver.expect_request("/").respond_with_data(b"", status, {"Retry-After": "7"})
    reply = get(client, "http://pages.example.org/")
    assert (reply.status, reply.headers["retry-after"]) == (status, "7")


def test_parameters_form_and_head(client: Client, httpserver: HTTPServer) -> None:
    def echo(request: Request) -> Response:
        return Response(
            f"{request.method} {request.args.get('q')} {request.form.get('f')}",
            headers={"X-Method": request.method},
        )

    httpserver.expect_request("/").respond_with_handler(echo)
    reply = client.send(
        "post",
        "http://pages.example.org/?a=1",
        params={"q": "ä&b"},
        data={"f": "ö"},
        timeout_s=5,
        max_bytes=LIMIT,
    )
    assert reply.body.decode() == "POST ä&b ö"
    head = client.send("HEAD", "http://pages.example.org/", timeout_s=5, max_bytes=1)
    assert (head.headers["x-method"], head.body) == ("HEAD", b"")


@pytest.mark.parametrize("headers", [{"X-Key": "a\nb"}, {"X-Key": "clé – 1"}])
def test_a_header_that_cannot_be_sent(
    client: Client, internet: Internet, headers: dict[str, str]
) -> None:
    with pytest.raises(FetchError, match="HTTP cannot carry") as caught:
        get(client, "http://pages.example.org/", headers=headers)
    assert caught.value.kind == "config"
    assert internet.dialled == []


def test_connections_are_kept_and_shared_by_many_threads(
    internet: Internet, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/").respond_with_handler(lambda request: Response(request.args["n"]))
    ok = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    def answer(connection: socket.socket) -> None:
        while connection.recv(65_536):
            connection.sendall(ok)

    with (
        serving(answer) as server,
        opened(allowed_endpoints=frozenset({server.origin})) as client,
        ThreadPoolExecutor(24) as pool,
    ):
        replies = list(
            pool.map(lambda n: get(client, f"{server.origin}/{n}", endpoint=True), range(240))
        )
        assert {reply.body for reply in replies} == {b"ok"}
        assert len({reply.url for reply in replies}) == 240
        assert server.connections <= 24


# ---------------------------------------------------------------- size


@cache
def bomb(megabytes: int, wbits: int) -> bytes:
    packer, zeros = zlib.compressobj(9, zlib.DEFLATED, wbits), bytes(1_000_000)
    return b"".join([*(packer.compress(zeros) for _ in range(megabytes)), packer.flush()])


GZIP, DEFLATE, RAW = 31, 15, -15
CHUNKED = "Transfer-Encoding: chunked\r\n"

LARGE: dict[str, Callable[[], Talk]] = {
    "endless-body": lambda: respond("", b"a" * 65_536, forever=True),
    "endless-chunked-body": lambda: respond(
        CHUNKED, b"8000\r\n" + b"a" * 0x8000 + b"\r\n", forever=True
    ),
    "one-chunk-of-100-gb": lambda: respond(CHUNKED, b"174876E800\r\n", b"a" * 4_000_000),
    "endless-trailers": lambda: respond(CHUNKED, b"0\r\n", b"X: %b\r\n" % (b"y" * 1_000) * 10_000),
    "endless-empty-gzip-members": lambda: respond(
        "Content-Encoding: gzip\r\n", gzip.compress(b"") * 3_000, forever=True
    ),
    "declared-100-gb": lambda: respond("Content-Length: 100000000000\r\n", b"a"),
    "gzip-bomb-400-mb": lambda: respond("Content-Encoding: gzip\r\n", bomb(400, GZIP)),
    "gzip-bomb-chunked": lambda: respond(
        f"Content-Encoding: gzip\r\n{CHUNKED}", b"%x\r\n" % len(bomb(100, GZIP)), bomb(100, GZIP)
    ),
    "gzip-in-gzip-400-mb": lambda: respond(
        "Content-Encoding: gzip, gzip\r\n", gzip.compress(bomb(400, GZIP))
    ),
    "gzip-of-many-members": lambda: respond("Content-Encoding: gzip\r\n", bomb(10, GZIP) * 40),
    "deflate-bomb": lambda: respond("Content-Encoding: deflate\r\n", bomb(100, DEFLATE)),
    "raw-deflate-bomb": lambda: respond("Content-Encoding: deflate\r\n", bomb(100, RAW)),
}


@pytest.mark.full
@pytest.mark.parametrize("make", mark_nth_everyday(LARGE.values(), 4), ids=LARGE.keys())
def test_too_large(make: Callable[[], Talk]) -> None:
    with serving(make()) as server:
        tracemalloc.start()
        try:
            with check_cpu_time(3), pytest.raises(FetchError) as caught:
                ask(server, max_bytes=SMALL)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert caught.value.kind == "too_large"
    assert peak < 4 * SMALL


@pytest.mark.parametrize("size", [LIMIT - 1, LIMIT, LIMIT + 1])
@pytest.mark.parametrize("encoding", ["", "gzip", "x-gzip", "deflate", "gzip, deflate"])
def test_the_cap_counts_decompressed_bytes(size: int, encoding: str) -> None:
    packed = bytes(size)
    for word in filter(None, encoding.split(", ")):
        packed = zlib.compress(packed) if word == "deflate" else gzip.compress(packed)
    with serving(
        respond(f"Content-Encoding: {encoding}\r\nContent-Length: {len(packed)}\r\n", packed)
    ) as server:
        if size <= LIMIT:
            assert ask(server).body == bytes(size)
        else:
            with pytest.raises(FetchError, match="larger than 2,000,000 bytes"):
                ask(server)


PDF, OFFICE = b"%PDF-1.7\n", b"PK\x03\x04"


@pytest.mark.parametrize(
    "start", [PDF, OFFICE, b" " * 1_000 + PDF], ids=["pdf", "office", "pdf behind other bytes"]
)
@pytest.mark.parametrize("encoding", ["", "gzip"])
def test_a_document_may_be_larger_than_a_page(start: bytes, encoding: str) -> None:
    for size in (4 * SMALL, 4 * SMALL + 1):
        body = start.ljust(size, b"x")
        sent = gzip.compress(body) if encoding else body
        with serving(respond(f"Content-Encoding: {encoding}\r\n", sent[:3], sent[3:])) as server:
            if size > 4 * SMALL:
                with pytest.raises(FetchError, match="larger than 2,000,000 bytes"):
                    ask(server, max_bytes=SMALL, max_document=4 * SMALL)
            else:
                assert ask(server, max_bytes=SMALL, max_document=4 * SMALL).body == body
            with pytest.raises(FetchError, match="larger than 500,000 bytes"):
                ask(server, max_bytes=SMALL)


@pytest.mark.parametrize(
    "start",
    [b"<html>", b" " * 1_020 + PDF, b"PK\x05\x06", b"%PDF"],
    ids=["page", "too late", "empty", "cut short"],
)
def test_what_is_no_document_is_told_by_its_first_bytes_and_not_read_to_its_end(
    start: bytes,
) -> None:
    sent = list[int]()

    def talk(connection: socket.socket) -> None:
        connection.recv(65_536)
        connection.sendall(
            b"HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\nContent-Length: 20000000\r\n\r\n"
            + start
        )
        while len(sent) < 1_000:
            connection.sendall(b"x" * 20_000)
            sent.append(20_000)

    with (
        serving(talk) as server,
        pytest.raises(FetchError, match="larger than 500,000 bytes") as caught,
    ):
        ask(server, max_bytes=SMALL, max_document=100 * SMALL)
    assert caught.value.kind == "too_large"
    assert sum(sent) < 10_000_000  # what the system holds on the way


def test_a_document_has_twice_the_time_of_a_page() -> None:
    def slowly(start: bytes, pace: float) -> Talk:
        def talk(connection: socket.socket) -> None:
            connection.recv(65_536)
            connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n" + start.ljust(20_000))
            time.sleep(0.6 * pace)
            connection.sendall(b"end")

        return talk

    def once(pace: float) -> None:
        with serving(slowly(PDF, pace)) as server:
            assert (
                ask(server, timeout_s=0.4 * pace, max_document=LIMIT + 1).body
                == PDF.ljust(20_000) + b"end"
            )
        with (
            serving(slowly(b"<html>", pace)) as server,
            pytest.raises(FetchError, match=f"within {0.4 * pace:g} seconds"),
        ):
            ask(server, timeout_s=0.4 * pace, max_document=LIMIT + 1)

    try_at_slower_paces(once)


# ---------------------------------------------------------------- answers that are none

BROKEN: dict[str, tuple[Talk, str]] = {
    "header-flood": (respond("".join(f"X-{n}: {n}\r\n" for n in range(5_000))), "network"),
    "one-header-of-1-mb": (respond(f"X: {'a' * 1_000_000}\r\n"), "network"),
    "hangs-up": (lambda connection: None, "network"),
    "not-http": (lambda connection: connection.sendall(b"SSH-2.0-OpenSSH_9.2\r\n"), "network"),
    "length-too-long": (respond("Content-Length: 10\r\n", b"short"), "network"),
    "chunk-of-no-size": (respond(CHUNKED, b"zz\r\n"), "network"),
    "chunk-cut-short": (respond(CHUNKED, b"ff\r\nabc"), "network"),
    "no-gzip": (respond("Content-Encoding: gzip\r\n", b"plain text"), "bad_reply"),
    "too-many-encodings": (
        respond(f"Content-Encoding: {', '.join(['gzip'] * 9)}\r\n", b"x"),
        "bad_reply",
    ),
    "brotli-unasked": (respond("Content-Encoding: br\r\n", b"x"), "unsupported"),
    "zstd-inside-gzip": (respond("Content-Encoding: zstd, gzip\r\n", b"x"), "unsupported"),
}


@pytest.mark.parametrize(("talk", "kind"), BROKEN.values(), ids=BROKEN.keys())
def test_broken_answers(talk: Talk, kind: str) -> None:
    with serving(talk) as server, pytest.raises(FetchError) as caught:
        ask(server)
    assert caught.value.kind == kind
    assert "Error" not in caught.value.message


@pytest.mark.parametrize("length", ["-1", "abc", "9" * 5_000, "3, 3", "²"])
def test_a_length_that_lies_is_not_believed(length: str) -> None:
    def talk(connection: socket.socket) -> None:
        connection.recv(65_536)
        connection.sendall(
            b"HTTP/1.1 200 OK\r\nContent-Length: " + length.encode() + b"\r\n\r\nabc"
        )

    with serving(talk) as server:
        assert ask(server).body == b"abc"


def test_nobody_listens() -> None:
    with serving(respond("")) as server:
        pass
    with pytest.raises(FetchError, match=r"No connection to 127\.0\.0\.1") as caught:
        ask(server)
    assert caught.value.kind == "network"


FRAGMENTS = (
    "HTTP/1.1 200 OK\r\n|HTTP/1.1 302 Found\r\n|Location: |http://[|Content-Length: 5\r\n|Content-Encoding: gzip\r\n|\r\n|"
    "Transfer-Encoding: chunked\r\n|5\r\nabcde\r\n|0\r\n\r\n|Set-Cookie: a=b; expires=x; Max-Age=9z\r\n|:|\0"
)


@settings(max_examples=30)
@given(
    st.lists(
        st.sampled_from(FRAGMENTS.encode().split(b"|")) | st.binary(max_size=8), max_size=8
    ).map(b"".join)
)
def test_any_bytes_are_a_reply_or_a_named_failure(answer: bytes) -> None:
    def talk(connection: socket.socket) -> None:
        connection.recv(65_536)
        connection.sendall(answer)

    with serving(talk) as server:
        try:
            status = ask(server, timeout_s=LONG_S).status
        except FetchError as error:
            status = (
                0 if error.kind in ("network", "bad_reply", "validation", "unsupported") else -1
            )
    assert status >= 0


# ---------------------------------------------------------------- allowed domains

OUTSIDE = (
    r"other\.example\.org is not among the domains this installation may read \(ALLOWED_DOMAINS\)"
)


@pytest.mark.parametrize("allowed", [(), ("example.org",), ("pages.example.org", "gov.uk")])
def test_pages_are_read_where_the_installation_may(
    internet: Internet, httpserver: HTTPServer, allowed: tuple[str, ...]
) -> None:
    httpserver.expect_request("/").respond_with_data(b"read")
    with opened(
        resolve=internet.resolve, connect=internet.connect, allowed_domains=allowed
    ) as client:
        assert get(client, "http://pages.example.org/").body == b"read"


@pytest.mark.parametrize("allowed", [("pages.example.org",), ("xample.org",), ("org.example",)])
def test_pages_elsewhere_are_refused_before_their_name_is_looked_up(
    internet: Internet, allowed: tuple[str, ...]
) -> None:
    with opened(
        resolve=internet.resolve, connect=internet.connect, allowed_domains=allowed
    ) as client:
        with pytest.raises(FetchError, match=OUTSIDE) as caught:
            get(client, "http://other.example.org/")
        assert (caught.value.kind, caught.value.public, internet.looked_up) == (
            "validation",
            False,
            [],
        )


def test_every_hop_of_a_redirect_must_be_allowed(
    internet: Internet, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/away").respond_with_data(
        b"", 302, {"Location": "http://other.example.org/there"}
    )
    with opened(
        resolve=internet.resolve, connect=internet.connect, allowed_domains=("pages.example.org",)
    ) as client:
        with pytest.raises(FetchError, match=OUTSIDE):
            get(client, "http://pages.example.org/away")
        assert internet.looked_up == ["pages.example.org"]


def test_a_configured_service_need_be_no_allowed_domain(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/").respond_with_data(b"service")
    origin = f"http://127.0.0.1:{httpserver.port}"
    with opened(allowed_endpoints=frozenset({origin}), allowed_domains=("example.org",)) as client:
        assert get(client, f"{origin}/", endpoint=True).body == b"service"


@pytest.mark.parametrize("page", ["", "http://pages.example.org/seals"])
def test_a_service_is_asked_whatever_domains_may_be_read(
    internet: Internet, httpserver: HTTPServer, page: str
) -> None:
    """Crossref for its own sake, and the interface of a site for a page that may be read."""
    httpserver.expect_request("/api").respond_with_data(b"", 302, {"Location": "/v2/api"})
    httpserver.expect_request("/v2/api").respond_with_data(b"service")
    httpserver.expect_request("/robots.txt").respond_with_data(b"", 404)
    with opened(
        resolve=internet.resolve, connect=internet.connect, allowed_domains=("pages.example.org",)
    ) as client:
        assert get(client, "http://other.example.org/api", on_behalf=page).body == b"service"
        assert (
            get(client, "http://other.example.org/api", on_behalf=page, wait=lambda _: None).body
            == b"service"
        )
    assert set(internet.looked_up) == {"other.example.org"}


def test_a_service_is_not_asked_for_a_page_that_may_not_be_read(internet: Internet) -> None:
    options = {
        "resolve": internet.resolve,
        "connect": internet.connect,
        "allowed_domains": ("pages.example.org",),
    }
    with opened(**options) as client, pytest.raises(FetchError, match=OUTSIDE) as caught:
        get(client, "http://api.example.net/", on_behalf="http://other.example.org/seals")
    assert (caught.value.kind, caught.value.ours, internet.looked_up) == ("validation", True, [])


def test_a_service_opens_no_way_to_other_domains(
    internet: Internet, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/out").respond_with_data(
        b"", 302, {"Location": "http://api.example.net/"}
    )
    with opened(
        resolve=internet.resolve, connect=internet.connect, allowed_domains=("gov.uk",)
    ) as client:
        with pytest.raises(
            FetchError, match=r"api\.example\.net is not among the domains"
        ) as caught:
            get(client, "http://other.example.org/out", on_behalf="")
        assert caught.value.ours
    assert internet.looked_up == ["other.example.org"]


# ---------------------------------------------------------------- what may be named to others


def test_only_an_address_that_was_proved_public_is_called_so(
    internet: Internet, httpserver: HTTPServer
) -> None:
    free = threading.Event()
    httpserver.expect_request("/slow").respond_with_handler(lambda _: Response(str(free.wait(10))))
    httpserver.expect_request("/inwards").respond_with_data(
        b"", 302, {"Location": "http://127.0.0.1/"}
    )
    httpserver.expect_request("/nowhere").respond_with_data(
        b"", 302, {"Location": "http://nowhere.example.org/"}
    )
    internet.names |= {
        "inside.example.org": [["10.0.0.1"]],
        "mixed.example.org": [[PUBLIC, "192.168.0.1"]],
        "refuses.example.org": [[PUBLIC]],
    }
    expected = {
        "http://pages.example.org/inwards": ("validation", False),
        "http://pages.example.org/nowhere": ("network", False),
        "http://unknown.example.org/": ("network", False),
        "http://inside.example.org/": ("validation", False),
        "http://mixed.example.org/": ("validation", False),
        "http://localhost/": ("validation", False),
        "ftp://pages.example.org/": ("unsupported", False),
    }
    with opened(resolve=internet.resolve, connect=internet.connect) as client:
        assert {url: failing(client, url) for url in expected} == expected
        try_at_slower_paces(
            lambda pace: times_out(client, 0.3 * pace)
        )  # over a connection that was kept
    with opened(resolve=internet.resolve, connect=internet.connect) as client:
        try_at_slower_paces(lambda pace: times_out(client, 0.3 * pace))
    free.set()
    with opened(resolve=internet.resolve, connect=lambda *_: errno.ECONNREFUSED) as client:
        assert failing(client, "http://refuses.example.org/") == ("network", True)


def times_out(client: Client, timeout_s: float) -> None:
    assert failing(client, "http://pages.example.org/slow", timeout_s) == ("timeout", True)


def failing(client: Client, url: str, timeout_s: float = LONG_S) -> tuple[str, bool]:
    with pytest.raises(FetchError) as caught:
        get(client, url, timeout_s=timeout_s)
    return caught.value.kind, caught.value.public
