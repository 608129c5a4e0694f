"""The frame in a real browser: what only a browser can show."""

from __future__ import annotations

import http.client
import re
import urllib.request
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect

import app

MARKER = "[data-shell=assay]"
KEY = "MDEyMzQ1Njc4OWFiY2RlZg=="  # of a WebSocket handshake: any 16 bytes


def test_deep_link_opens_inside_the_shell_on_a_server_nobody_visited(fresh_server: str, page: Page, complaints: list[str]) -> None:
    page.goto(f"{fresh_server}/sessions?session=0123abcd")
    expect(page.locator(MARKER)).to_be_visible(timeout=30_000)
    expect(page).to_have_title("Assay")
    expect(page.get_by_role("heading", name="Sessions", exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile(r"\?session=0123abcd$"))
    page.reload()
    expect(page.locator(MARKER)).to_be_visible()
    expect(page).to_have_url(re.compile(r"\?session=0123abcd$"))


def test_altered_session_id_is_said_and_dropped(server: str, page: Page, complaints: list[str]) -> None:
    page.goto(f"{server}/?session=../etc")
    expect(page.get_by_text("The address names no session")).to_be_visible(timeout=30_000)
    expect(page).not_to_have_url(re.compile("session="))


def test_policy_stops_what_a_page_would_load_from_elsewhere(server: str, page: Page) -> None:
    """The control for `complaints`: a beacon, as a report's text might hold one, is refused and seen to be."""
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.goto(server)
    expect(page.locator(MARKER)).to_be_visible(timeout=30_000)
    page.evaluate("document.body.append(Object.assign(new Image(), {src: 'http://127.0.0.1:9/beacon'}))")
    page.wait_for_timeout(300)
    assert any("Content Security Policy" in line and "beacon" in line for line in said)


@pytest.mark.parametrize("path", ["/", "/_stcore/health", "/no/such/page", "/static/no-such-file.js"])
def test_every_answer_carries_the_security_headers(server: str, path: str) -> None:
    request = urllib.request.Request(server + path)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), KeepErrors())
    with opener.open(request, timeout=10) as answer:
        assert {name: answer.headers.get_all(name) for name in app.SECURITY_HEADERS} == {k: [v] for k, v in app.SECURITY_HEADERS.items()}


class KeepErrors(urllib.request.HTTPErrorProcessor):
    """Hands out an error's answer like any other."""

    def http_response(self, request, response):
        return response


def test_connection_that_claims_a_foreign_host_is_refused(server: str) -> None:
    """A name of someone else's that resolves to loopback (DNS rebinding) must not reach a session."""
    assert handshake(server, host="127.0.0.1") == 101
    assert handshake(server, host="rebound.example") == 403


def handshake(server: str, host: str) -> int:
    """The status the server answers a WebSocket handshake with."""
    port = int(server.rpartition(":")[2])
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    names = {"Host": f"{host}:{port}", "Origin": f"http://{host}:{port}"}
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": KEY}
    connection.request("GET", "/_stcore/stream", headers={**names, **upgrade})
    status = connection.getresponse().status
    connection.close()
    return status


Scheme = Literal["light", "dark"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_both_themes_on_desk_and_phone(server: str, browser: Browser, tmp_path: Path, scheme: Scheme, width: int) -> None:
    """Light paper and true dark follow the system, text stands out from them, nothing is cut off; a picture of each is kept."""
    with browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 800}) as context:
        page = context.new_page()
        page.goto(server)
        expect(page.locator(MARKER)).to_be_visible(timeout=30_000)
        page.screenshot(path=tmp_path / f"sessions-{scheme}-{width}.png")
        paper = brightness(page, "backgroundColor")
        ink = brightness(page, "color")
        assert (paper > 240, ink < 60) == ((True, True) if scheme == "light" else (False, False))
        assert abs(paper - ink) > 180
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def brightness(page: Page, name: str) -> float:
    """Mean of the red, green and blue of one colour of the app, 0 to 255."""
    colour = page.locator(".stApp").evaluate(f"element => getComputedStyle(element).{name}")
    return sum(int(part) for part in re.findall(r"\d+", colour)[:3]) / 3
