"""Pages drawn by the system's Chromium: what comes of them, what they may ask for, and that
Chromium itself reaches nothing at all.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from research_core.errors import FetchError, Stopped
from research_core.model_messages import Json
from research_core.models import HttpReply
from research_core.settings import Settings
from research_core.web.fetch.browser import BROWSER_ARGUMENTS, Chromium, find_browser
from research_core.web.fetch.browser_visit import Visit
from research_core.web.fetch.read_page import read_page
from research_core.web.html import MAX_BYTES
from research_core.web.http.client import Client
from research_core.web.http.pacing import HostPacing
from tests.event_loop import run_async, run_in_thread
from tests.everyday import mark_first_everyday
from tests.local_web import PUBLIC, Internet, LocalServer, opened, serving
from tests.readers import LONG, Web, again, article, reading
from tests.timing import check_duration

SITE = "http://pages.example.org"
UA = "ResearchAgent/1.0 (+contact)"
STABLE_S = 0.3


class Line:
    """The guarded client of the test at hand, for a browser that outlives it."""

    client: Client

    def send(self, *args: Any, **options: Any) -> HttpReply:
        return self.client.send(*args, **options)


@pytest.fixture(scope="module")
def line() -> Line:
    return Line()


@pytest.fixture(scope="module")
def drawing(chromium: str, line: Line) -> Iterator[Chromium]:
    made = Chromium(chromium, line.send, user_agent=UA, sandbox=False)
    yield made
    made.close()


@pytest.fixture
def draw(drawing: Chromium, line: Line, client: Client) -> Callable[..., Json]:
    line.client = client

    def draw(
        path: str = "/", *, timeout_s: float = 20.0, go_on: Callable[[], None] = lambda: None
    ) -> Json:
        return drawing.render(
            path if "://" in path else SITE + path,
            stable_s=STABLE_S,
            timeout_s=timeout_s,
            go_on=go_on,
        )

    return draw


def page(script: str = "", body: str = '<div id="root"></div>', head: str = "") -> str:
    return f"<!doctype html><html><head><title>x</title>{head}</head><body>{body}<script>{script}</script></body></html>"


def serve(
    httpserver: HTTPServer,
    path: str,
    body: str | bytes,
    content_type: str = "text/html; charset=utf-8",
    **options: Any,
) -> None:
    httpserver.expect_request(path).respond_with_data(body, content_type=content_type, **options)


def asked(httpserver: HTTPServer) -> list[str]:
    return [f"{request.method} {request.path}" for request, _ in httpserver.log]


def failing(draw: Callable[..., Json], path: str, **options: Any) -> FetchError:
    with pytest.raises(FetchError) as caught:
        draw(path, **options)
    return caught.value


SHOW = "show = text => document.getElementById('root').append(text + ' ');"

# ---------------------------------------------------------------- what comes of a page


def test_what_scripts_make_of_a_page_is_what_is_read(
    draw: Callable[..., Json], httpserver: HTTPServer
) -> None:
    serve(
        httpserver,
        "/",
        page(
            "fetch('/data').then(r => r.json()).then(d => document.getElementById('root').textContent = d.text)"
        ),
    )
    serve(httpserver, "/data", json.dumps({"text": "The gauge reads high."}), "application/json")
    drawn = draw()
    assert '<div id="root">The gauge reads high.</div>' in drawn["html"]
    assert (drawn["url"], drawn["status"], drawn["requests"]) == (
        f"{SITE}/",
        200,
        {"sent": 2, "refused": 0},
    )
    assert drawn["headers"]["content-type"] == "text/html; charset=utf-8"
    assert json.loads(json.dumps(drawn)) == drawn


@pytest.mark.full
def test_it_is_waited_for_until_nothing_changes(
    draw: Callable[..., Json], httpserver: HTTPServer
) -> None:
    # Each step long before the page would count as still, however late a machine that is busy takes
    # it; all of them long after.
    steps = f"{SHOW} let n = 0; const again = () => {{ show('step' + n); if (++n < 40) setTimeout(again, {100 * STABLE_S}) }}; again()"
    serve(httpserver, "/", page(steps))
    assert "step0 step1 step2 " in (html := draw()["html"])
    assert "step38 step39 " in html


@pytest.mark.full
def test_an_answer_that_takes_its_time_is_waited_for(
    draw: Callable[..., Json], httpserver: HTTPServer
) -> None:
    serve(httpserver, "/", page(f"{SHOW} fetch('/slow').then(r => r.text()).then(show)"))
    httpserver.expect_request("/slow").respond_with_handler(
        lambda _: Response(time.sleep(6 * STABLE_S) or "at last")
    )
    assert "at last" in draw()["html"]


@pytest.mark.full
def test_a_page_that_never_rests_is_taken_down_before_its_time_is_up(
    draw: Callable[..., Json], httpserver: HTTPServer
) -> None:
    serve(httpserver, "/", page(f"{SHOW} setInterval(() => show('x'), 20)"))
    with check_duration(1.0, 60.0):  # past its time it fails
        assert "x x x" in draw(timeout_s=5.0)["html"]


def test_a_redirected_page_is_where_it_led(
    draw: Callable[..., Json], httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/old").respond_with_data(
        b"", 302, {"Location": "http://other.example.org/new/"}
    )
    serve(
        httpserver,
        "/new/",
        page(f"{SHOW} show(location.href); fetch('near').then(r => r.text()).then(show)"),
    )
    serve(httpserver, "/new/near", "beside it", "text/plain")
    drawn = draw("/old")
    assert drawn["url"] == "http://other.example.org/new/"
    assert "http://other.example.org/new/ beside it" in drawn["html"]
    assert asked(httpserver) == ["GET /old", "GET /new/", "GET /new/near"]


@pytest.mark.full
def test_a_page_whose_scripts_lead_on_is_where_they_led(
    draw: Callable[..., Json], httpserver: HTTPServer
) -> None:
    serve(httpserver, "/", page("location.href = '/onward'"))
    httpserver.expect_request("/onward").respond_with_data(b"", 302, {"Location": "/there"})
    serve(httpserver, "/there", page(f"{SHOW} show('arrived at ' + location.pathname)"))
    drawn = draw()
    assert (drawn["url"], "arrived at /there" in drawn["html"]) == (f"{SITE}/there", True)
    assert asked(httpserver) == ["GET /", "GET /onward", "GET /there"]


@pytest.mark.full
def test_a_page_that_leads_in_circles_comes_to_an_end(
    draw: Callable[..., Json], httpserver: HTTPServer
) -> None:
    serve(httpserver, "/", page("location.href = '/?' + Math.random()"))
    with check_duration(
        0.0, 40.0
    ):  # how long a machine takes to throw the page away is its own affair
        assert failing(draw, "/", timeout_s=8.0).kind in ("bad_reply", "timeout")
    assert len(httpserver.log) <= 6


def test_what_a_style_sheet_hides_is_marked_hidden(
    draw: Callable[..., Json], httpserver: HTTPServer
) -> None:
    hidden = '<p class="a">one</p><p class="b">two</p><p class="c">three</p>'
    serve(httpserver, "/", page(body=f'{hidden}<p>seen</p><link rel="stylesheet" href="/s.css">'))
    serve(
        httpserver,
        "/s.css",
        ".a {display: none} .b {visibility: hidden} .c {color: green}",
        "text/css",
    )
    html = draw()["html"]
    assert (
        '<p class="a" style="display:none">one</p><p class="b" style="display:none">two</p><p class="c">three</p>'
        in html
    )


@pytest.mark.full
def test_what_stands_in_open_shadow_roots_is_read(
    draw: Callable[..., Json], httpserver: HTTPServer
) -> None:
    nested = "const put = (into, text) => { const d = document.createElement('div'); d.attachShadow({mode: 'open'}).innerHTML = text; "
    nested += "into.append(d); return d.shadowRoot }; put(put(document.body, '<p>outer</p>'), '<p>inner</p>')"
    serve(httpserver, "/", page(nested))
    html = draw()["html"]
    assert "<p>outer</p>" in html
    assert "<p>inner</p>" in html


def test_a_page_cannot_lie_to_who_takes_it_down(
    draw: Callable[..., Json], httpserver: HTTPServer
) -> None:
    lie = "Object.defineProperty(Element.prototype, 'outerHTML', {get: () => 'a lie'}); getComputedStyle = () => ({display: 'none'})"
    serve(httpserver, "/", page(lie, body="<p>the truth</p>"))
    html = draw()["html"]
    assert "<p>the truth</p>" in html
    assert "<body>" in html


@pytest.mark.full
def test_of_a_page_without_end_the_beginning_is_taken(
    draw: Callable[..., Json], httpserver: HTTPServer
) -> None:
    serve(httpserver, "/", page("document.body.append('x'.repeat(9_000_000))"))
    assert len(draw(timeout_s=50.0)["html"]) == MAX_BYTES


class Deaf:
    """DevTools of a page that cannot be asked anything for a while, as between two documents.
    asked: how often it was.
    """

    def __init__(self, times: int) -> None:
        self.left, self.asked = times, 0

    async def send(self, method: str, params: object = None) -> Json:
        from playwright.async_api import Error

        self.asked += 1
        if self.left:
            self.left -= 1
            raise Error("Execution context was destroyed")
        if method == "Runtime.evaluate":
            return {"result": {"value": "7:7"}}
        return {"frameTree": {"frame": {"id": "1"}}, "executionContextId": 1}


def test_a_page_that_cannot_be_asked_how_large_it_is_does_not_rest(client: Client) -> None:
    visit = Visit(f"{SITE}/", client.send, ThreadPoolExecutor(1), timeout_s=20.0, stable_s=0.15)
    deaf = Deaf(8)
    run_async(
        visit._settle(cast(Any, SimpleNamespace(url=f"{SITE}/")), cast(Any, deaf)), timeout_s=60
    )
    assert (deaf.left, deaf.asked >= 8 + 2 * 3) == (
        0,
        True,
    )  # then it is asked twice at least, three calls each


# ---------------------------------------------------------------- what is no page to draw


@pytest.mark.parametrize("status", mark_first_everyday([404, 403, 500]))
def test_a_refusal_is_told_and_not_drawn(
    draw: Callable[..., Json], httpserver: HTTPServer, status: int
) -> None:
    serve(
        httpserver,
        "/",
        page("document.title = 'drawn'"),
        status=status,
        headers={"Retry-After": "7"},
    )
    drawn = draw()
    assert (
        drawn["status"],
        drawn["headers"]["retry-after"],
        "<title>x</title>" in drawn["html"],
    ) == (status, "7", True)


@pytest.mark.full
def test_what_is_no_html_is_left_to_others(
    draw: Callable[..., Json], httpserver: HTTPServer
) -> None:
    serve(httpserver, "/", b"%PDF-1.4", "application/pdf")
    assert (failing(draw, "/").kind, asked(httpserver)) == ("unsupported", ["GET /"])


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("http://127.0.0.1/", "validation"),
        ("http://169.254.169.254/latest/meta-data/", "validation"),
        ("http://inside.example.org/", "validation"),
        ("http://unknown.example.org/", "network"),
        ("file:///etc/passwd", "unsupported"),
    ],
)
def test_an_address_the_guard_refuses_never_reaches_the_browser(
    draw: Callable[..., Json], internet: Internet, url: str, kind: str
) -> None:
    internet.names["inside.example.org"] = [["10.0.0.1"]]
    error = failing(draw, url)
    assert (error.kind, error.public) == (kind, False)


# ---------------------------------------------------------------- what a page may ask for


def test_pictures_sound_fonts_and_frames_are_not_asked_for(
    draw: Callable[..., Json], httpserver: HTTPServer
) -> None:
    head = "<style>@font-face {font-family: f; src: url(/font.woff2)} body {font-family: f; background: url(/back.png)}</style>"
    body = '<img src="/a.png"><video src="/v.mp4" autoplay></video><audio src="/a.mp3" autoplay></audio><iframe src="/frame"></iframe>'
    more = '<object data="/o.svg"></object><embed src="/e.pdf"><picture><source srcset="/p.webp"><img src="/p.png"></picture><p>text</p>'
    serve(httpserver, "/", page(body=body + more, head=head))
    drawn = draw()
    assert (asked(httpserver), "<p>text</p>" in drawn["html"]) == (["GET /"], True)


def test_a_page_may_send_to_its_own_origin_only(
    draw: Callable[..., Json], httpserver: HTTPServer
) -> None:
    send = f"""{SHOW}
    const tell = name => reply => reply.text().then(text => show(name + ':' + text)), lost = name => () => show(name + ':lost')
    const post = (url, options) => fetch(url, {{method: 'POST', body: JSON.stringify({{query: 'gauges'}}), ...options}})
    post('/graphql', {{headers: {{'content-type': 'application/json'}}}}).then(tell('own'), lost('own'))
    post('http://other.example.org/graphql').then(tell('other'), lost('other'))
    post('/graphql', {{method: 'PUT'}}).then(tell('put'), lost('put'))
    post('/graphql', {{method: 'DELETE'}}).then(tell('delete'), lost('delete'))
    post('/graphql', {{body: 'x'.repeat(200_000)}}).then(tell('much'), lost('much'))
    navigator.sendBeacon('/beacon', 'x')
    fetch('http://other.example.org/open').then(tell('open'), lost('open'))
    fetch('http://other.example.org/closed').then(tell('closed'), lost('closed'))
    """
    serve(httpserver, "/", page(send))
    httpserver.expect_request("/graphql").respond_with_handler(
        lambda request: Response(f"{request.method} {request.get_data(as_text=True)}")
    )
    serve(
        httpserver, "/open", "for all", "text/plain", headers={"Access-Control-Allow-Origin": "*"}
    )
    serve(httpserver, "/closed", "for its own", "text/plain")
    html = draw()["html"]
    for said in (
        'own:POST {"query":"gauges"}',
        "other:lost",
        "put:lost",
        "delete:lost",
        "much:lost",
        "open:for all",
        "closed:lost",
    ):
        assert said in html, said
    assert sorted(set(asked(httpserver))) == ["GET /", "GET /closed", "GET /open", "POST /graphql"]


def test_every_request_is_the_guarded_session_s_and_says_who_we_are(
    draw: Callable[..., Json], httpserver: HTTPServer
) -> None:
    seen = list[Request]()

    def see(request: Request) -> Response:
        seen.append(request)
        again = page(
            f"{SHOW} show(navigator.userAgent); show('cookie:' + document.cookie); fetch('/2', {{headers: {{'x-secret': 'no'}}}})"
        )
        return Response(again, content_type="text/html", headers={"Set-Cookie": "who=you"})

    httpserver.expect_request("/").respond_with_handler(see)
    httpserver.expect_request("/2").respond_with_handler(see)
    html = draw()["html"]
    assert f"{UA} cookie: " in html
    assert [request.headers["User-Agent"] for request in seen] == [UA, UA]
    assert all(
        not {"Cookie", "X-Secret", "Sec-Ch-Ua", "Sec-Fetch-Mode", "Referer"}
        & set(request.headers.keys())
        for request in seen
    )


@pytest.mark.full
def test_a_page_asks_for_no_end_of_things_in_vain(
    draw: Callable[..., Json], httpserver: HTTPServer
) -> None:
    serve(
        httpserver,
        "/",
        page(
            f"{SHOW} for (let n = 0; n < 400; n++) fetch('/n?' + n).then(() => show(n), () => show(n))"
        ),
    )
    serve(httpserver, "/n", "x", "text/plain")
    assert draw(timeout_s=50.0)["requests"] == {"sent": 200, "refused": 201}


@pytest.mark.full
def test_a_page_s_requests_keep_to_the_domains_that_may_be_read(
    drawing: Chromium, line: Line, internet: Internet, httpserver: HTTPServer
) -> None:
    serve(
        httpserver,
        "/",
        page(f"{SHOW} fetch('http://other.example.org/x').catch(() => show('not allowed'))"),
    )
    only = {
        "allowed_domains": ("pages.example.org",),
        "pacing": HostPacing(delay_s=0.0, robots=False),
    }
    with opened(resolve=internet.resolve, connect=internet.connect, **only) as line.client:
        drawn = drawing.render(f"{SITE}/", stable_s=STABLE_S, timeout_s=20, go_on=lambda: None)
    assert "not allowed" in drawn["html"]
    assert internet.looked_up == ["pages.example.org"]


# ---------------------------------------------------------------- Chromium itself reaches nothing

#: Every way there is to make a browser connect, each tried on its own so that one that throws keeps
#: none from the next.
ATTACK = """
const host = 'HOST', url = 'http://' + host, doc = document
const stun = {urls: ['stun:' + host]}
const turn = {urls: ['tcp', 'udp'].map(way => `turn:${host}?transport=${way}`), username: 'u', credential: 'c'}
const call = peer => { peer.createDataChannel('x'); peer.createOffer().then(offer => peer.setLocalDescription(offer)) }
const put = (tag, into, set) => { const e = doc.createElement(tag); Object.assign(e, set); into.append(e); return e }
const work = (kind, script) => new kind(URL.createObjectURL(new Blob([script])))
const css = `@import url(${url}/i.css); @font-face {font-family: f; src: url(${url}/f)} body {font: 1em f; background: url(${url}/b.png)}`
const speculation = JSON.stringify(Object.fromEntries(['prefetch', 'prerender'].map(how => [how, [{source: 'list', urls: [url + how]}]])))
const tries = [
  () => fetch(url + '/fetch'), () => fetch(url + '/no-cors', {mode: 'no-cors', keepalive: true}),
  () => fetch(url + '/post', {method: 'POST', mode: 'no-cors', body: 'x'}),
  () => { const x = new XMLHttpRequest; x.open('GET', url + '/xhr'); x.send() },
  () => navigator.sendBeacon(url + '/beacon', 'x'), () => new WebSocket('ws://' + host + '/ws'), () => new EventSource(url + '/events'),
  () => new WebTransport('https://' + host + '/wt'), () => { new Image().src = url + '/image' }, () => import(url + '/module.js'),
  () => window.open(url + '/open'), () => navigator.serviceWorker.register(url + '/sw.js'), () => new SharedWorker(url + '/shared.js'),
  () => work(Worker, `fetch('${url}/w'); new WebSocket('ws://${host}/w'); new EventSource('${url}/w'); importScripts('${url}/i')`),
  () => work(SharedWorker, `fetch('${url}/s'); new WebSocket('ws://${host}/s')`),
  ...['preconnect', 'dns-prefetch', 'prefetch', 'prerender', 'preload', 'modulepreload', 'stylesheet', 'icon', 'manifest'].map(rel =>
    () => put('link', doc.head, {rel, href: url + '/' + rel, as: 'fetch'})),
  ...['img', 'script', 'iframe', 'embed', 'video', 'audio', 'track', 'source', 'frame', 'portal', 'fencedframe', 'input'].map(tag =>
    () => put(tag, doc.body, {type: tag == 'input' ? 'image' : '', src: url + '/' + tag})),
  () => put('object', doc.body, {data: url + '/object'}), () => put('style', doc.head, {textContent: css}),
  () => put('a', doc.body, {href: '#here', ping: url + '/ping'}).click(),
  () => put('script', doc.head, {type: 'speculationrules', textContent: speculation}),
  () => put('iframe', doc.body, {}).contentWindow.fetch(url + '/from-frame'),
  () => call(new (put('iframe', doc.body, {}).contentWindow.RTCPeerConnection)({iceServers: [stun, turn]})),
  () => call(new RTCPeerConnection({iceServers: [stun, turn]})), () => call(new webkitRTCPeerConnection({iceServers: [stun, turn]})),
]
for (const one of tries) try { Promise.resolve(one()).catch(() => 0) } catch (error) {}
let left = 40  // a page that still changes is still waited for, so that what was tried has its time
const tell = () => {
  doc.getElementById('root').textContent = left ? '.'.repeat(left) : 'tried ' + tries.length
  if (left--) setTimeout(tell, 20)
}
tell()
"""


@pytest.fixture
def ears() -> Iterator[tuple[LocalServer, Callable[[], int]]]:
    """A port of loopback that listens for TCP, and for UDP; the number of datagrams it has heard."""
    heard = list[bytes]()
    secret = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret"
    with (
        serving(lambda connection: connection.sendall(secret)) as server,
        socket.socket(type=socket.SOCK_DGRAM) as datagrams,
    ):
        datagrams.bind(("127.0.0.1", server.port))
        datagrams.settimeout(0.05)
        yield server, lambda: len(listened(datagrams, heard))


def listened(datagrams: socket.socket, heard: list[bytes]) -> list[bytes]:
    try:
        while True:
            heard.append(datagrams.recv(2048))
    except TimeoutError:
        return heard


HOSTS = [
    "127.0.0.1",
    "localhost",
    "0.0.0.0",
    "127.1",
    "[::ffff:127.0.0.1]",
    "2130706433",
    "inside.example.org",
]


@pytest.mark.full
@pytest.mark.parametrize("host", mark_first_everyday(HOSTS))
def test_no_page_makes_chromium_connect_to_anything(
    draw: Callable[..., Json],
    httpserver: HTTPServer,
    internet: Internet,
    ears: tuple[LocalServer, Callable[[], int]],
    host: str,
) -> None:
    server, datagrams = ears
    internet.names["inside.example.org"] = [["127.0.0.1"]]
    serve(httpserver, "/", page(ATTACK.replace("HOST", f"{host}:{server.port}")))
    assert "tried 4" in draw()["html"]
    assert (server.connections, datagrams()) == (0, 0)
    assert asked(httpserver) == ["GET /"]


@pytest.mark.parametrize(
    "body",
    mark_first_everyday([
        "<script>location = 'TARGET'</script>",
        "<meta http-equiv=refresh content='0;url=TARGET'>",
        "<form method=post action='TARGET'></form><script>document.forms[0].submit()</script>",
        "<form target=_blank action='TARGET'></form><script>document.forms[0].submit()</script>",
        "<script>history.pushState(0, '', '/x'); location.replace('TARGET')</script>",
        "<a download href='TARGET'>x</a><script>document.links[0].click()</script>",
    ]),
)  # fmt: skip
def test_no_page_leads_chromium_inwards(
    draw: Callable[..., Json],
    httpserver: HTTPServer,
    ears: tuple[LocalServer, Callable[[], int]],
    body: str,
) -> None:
    server, _ = ears
    serve(httpserver, "/", page(body=body.replace("TARGET", server.origin)))
    try:
        drawn = draw()
        assert "secret" not in drawn["html"]
    except FetchError as error:
        assert error.kind == "bad_reply"  # noqa: PT017 – a page that leads nowhere but inwards is none
    assert server.connections == 0


@pytest.mark.full
def test_a_redirect_of_a_page_s_request_leads_nowhere_inwards(
    draw: Callable[..., Json], httpserver: HTTPServer, ears: tuple[LocalServer, Callable[[], int]]
) -> None:
    server, _ = ears
    for path in ("/hop", "/script.js", "/style.css"):
        httpserver.expect_request(path).respond_with_data(b"", 302, {"Location": server.origin})
    head = '<script src="/script.js"></script><link rel="stylesheet" href="/style.css">'
    serve(
        httpserver,
        "/",
        page(
            f"{SHOW} fetch('/hop').then(r => r.text()).then(show, () => show('refused'))", head=head
        ),
    )
    assert ("refused" in draw()["html"], server.connections) == (True, 0)


@pytest.mark.full
def test_these_attacks_do_reach_what_a_browser_left_to_itself_can_reach(
    chromium: str, httpserver: HTTPServer, ears: tuple[LocalServer, Callable[[], int]]
) -> None:
    """Else the tests above would prove nothing."""
    from playwright.sync_api import sync_playwright

    server, datagrams = ears
    attack = page(ATTACK.replace("HOST", f"127.0.0.1:{server.port}"))

    def open_unguarded() -> None:
        with sync_playwright() as playwright:
            free = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            alone = free.new_page()
            alone.route(
                "http://pages.example.org/",
                lambda route: route.fulfill(body=attack, content_type="text/html"),
            )
            alone.goto("http://pages.example.org/")
            alone.get_by_text("tried 4").wait_for()
            end = time.monotonic() + 40
            while (server.connections <= 10 or not datagrams()) and time.monotonic() < end:
                alone.wait_for_timeout(100)
            free.close()

    run_in_thread(open_unguarded)
    assert server.connections > 10
    assert datagrams() > 0


def test_the_flags_that_close_it_are_there() -> None:
    """Two walls, each of which would do: no name resolves, and what needs no name goes to a proxy
    that is not there.
    """
    assert "--host-resolver-rules=MAP * ~NOTFOUND" in BROWSER_ARGUMENTS
    assert {"--proxy-server=http://127.0.0.1:9", "--proxy-bypass-list=<-loopback>"} <= set(
        BROWSER_ARGUMENTS
    )


# ---------------------------------------------------------------- hanging, stopping, ending


@pytest.mark.full
def test_a_script_that_never_ends_costs_its_own_page_only(
    draw: Callable[..., Json], httpserver: HTTPServer
) -> None:
    serve(httpserver, "/hangs", page("while (true) {}"))
    serve(httpserver, "/", page(f"{SHOW} show('well')"))
    with check_duration(1.0, 50.0):
        error = failing(draw, "/hangs", timeout_s=4.0)
    assert (error.kind, error.public) == ("timeout", True)
    assert "well" in draw()["html"]


@pytest.mark.full
def test_a_server_that_never_answers_takes_no_longer_than_the_page_may(
    draw: Callable[..., Json], httpserver: HTTPServer
) -> None:
    late = threading.Event()
    httpserver.expect_request("/").respond_with_handler(lambda _: Response(str(late.wait(50))))
    try:
        with check_duration(1.0, 30.0):
            assert failing(draw, "/", timeout_s=2.0).kind == "timeout"
    finally:
        late.set()


def test_a_cancel_is_heard_while_a_page_is_drawn(
    draw: Callable[..., Json], httpserver: HTTPServer
) -> None:
    serve(httpserver, "/", page(f"{SHOW} setInterval(() => show('x'), 20)"))
    end = time.monotonic() + 1.0

    def go_on() -> None:
        if time.monotonic() > end:
            raise Stopped("cancel")

    with (
        check_duration(1.0, 10.0),
        pytest.raises(Stopped),
    ):  # and not after the 50 seconds that the page has
        draw(go_on=go_on, timeout_s=50.0)
    serve(httpserver, "/next", page(f"{SHOW} show('well')"))
    assert "well" in draw("/next")["html"]


@pytest.mark.full
def test_pages_are_drawn_side_by_side(draw: Callable[..., Json], httpserver: HTTPServer) -> None:
    httpserver.expect_request("/one").respond_with_data(
        page(f"{SHOW} show('of ' + location.pathname)"), content_type="text/html"
    )
    httpserver.expect_request("/two").respond_with_data(
        page(f"{SHOW} show('of ' + location.pathname)"), content_type="text/html"
    )
    with ThreadPoolExecutor(4) as pool:
        drawn = list(pool.map(draw, ["/one", "/two", "/one", "/two"]))
    assert ["of /one" in one["html"] for one in drawn] == [True, False, True, False]


@pytest.mark.full
def test_a_browser_that_was_closed_starts_again(
    chromium: str, client: Client, httpserver: HTTPServer
) -> None:
    serve(httpserver, "/", page(f"{SHOW} show('well')"))
    made = Chromium(chromium, client.send, user_agent=UA, sandbox=False)
    made.close()  # nothing was started yet
    for _ in range(2):
        assert (
            "well"
            in made.render(f"{SITE}/", stable_s=STABLE_S, timeout_s=20, go_on=lambda: None)["html"]
        )
        made.close()
    assert not [
        thread
        for thread in threading.enumerate()
        if thread.name == "assay-browser" and thread is made._thread
    ]


@pytest.mark.full
def test_a_browser_that_died_is_started_anew(
    chromium: str, client: Client, httpserver: HTTPServer
) -> None:
    serve(httpserver, "/", page(f"{SHOW} show('well')"))
    made = Chromium(chromium, client.send, user_agent=UA, sandbox=False)
    made.render(f"{SITE}/", stable_s=STABLE_S, timeout_s=20, go_on=lambda: None)
    assert made._browser is not None
    assert made._loop is not None

    asyncio.run_coroutine_threadsafe(made._browser.close(), made._loop).result(10)
    assert (
        "well"
        in made.render(f"{SITE}/", stable_s=STABLE_S, timeout_s=20, go_on=lambda: None)["html"]
    )
    made.close()


# ---------------------------------------------------------------- which browser


def settings(**env: str) -> Settings:
    return Settings.from_env(env)


def test_the_browser_is_the_one_that_is_named(client: Client, tmp_path: Path) -> None:
    assert find_browser(settings(CHROME_PATH="off"), client) is None
    found = find_browser(settings(CHROME_PATH=str(tmp_path / "chrome")), client)
    assert found is not None
    assert found._program == str(tmp_path / "chrome")


@pytest.mark.parametrize(
    "make",
    [lambda path: None, lambda path: (path.write_text("#!/bin/sh\nexit 3\n"), path.chmod(0o755))],
)
def test_a_program_that_is_none_or_does_not_start_is_named(
    client: Client, tmp_path: Path, make: Callable[[Path], Any]
) -> None:
    make(tmp_path / "chrome")
    broken = Chromium(str(tmp_path / "chrome"), client.send, user_agent=UA, sandbox=False)
    with pytest.raises(FetchError, match=str(tmp_path / "chrome")) as caught:
        broken.render(f"{SITE}/", stable_s=STABLE_S, timeout_s=20, go_on=lambda: None)
    assert (caught.value.kind, "CHROME_PATH" in caught.value.next_step) == (
        "browser_unavailable",
        True,
    )
    broken.close()


@pytest.mark.skipif(
    getattr(os, "geteuid", lambda: 1)() != 0, reason="Only root has no use of Chromium's sandbox."
)
def test_root_runs_no_browser_without_having_said_so(chromium: str, client: Client) -> None:
    made = Chromium(chromium, client.send, user_agent=UA)
    with pytest.raises(FetchError, match="sandbox") as caught:
        made.render(f"{SITE}/", stable_s=STABLE_S, timeout_s=20, go_on=lambda: None)
    assert (caught.value.kind, "ASSAY_BROWSER_SANDBOX=0" in caught.value.next_step) == (
        "browser_unavailable",
        True,
    )
    made.close()


# ---------------------------------------------------------------- as a tier


def test_a_page_is_read_through_the_browser_and_replayed_without_one(
    drawing: Chromium, line: Line, client: Client, httpserver: HTTPServer
) -> None:
    line.client = client
    serve(
        httpserver,
        "/app",
        '<!doctype html><html><head><title>App</title></head><body><div id="root"></div><script src="/app.js"></script>',
    )
    serve(
        httpserver,
        "/app.js",
        f"document.documentElement.innerHTML = {json.dumps(article(*LONG, title='Drawn'))}",
        "text/javascript",
    )
    web = Web({f"{SITE}/app": lambda options: client.send("GET", f"{SITE}/app", **options)})
    deps = reading(web, drawing)  # type: ignore[arg-type]
    drawn = read_page(f"{SITE}/app", deps)
    assert (drawn.title, drawn.tier, drawn.text) == ("Drawn", "browser", "\n\n".join(LONG))
    elsewhere, silent = again(deps)
    assert read_page(f"{SITE}/app", elsewhere) == drawn
    assert silent.asked == []


@pytest.mark.full
def test_the_address_behind_all_names_is_public(internet: Internet) -> None:
    assert internet.names["pages.example.org"] == [[PUBLIC]]
