"""The frame in a real browser: what only a browser can show."""

from __future__ import annotations

import http.client
import re
import urllib.request
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Route, expect

from parts.server import guards
from tests.e2e.conftest import served
from tests.timing import wait_until

MARKER = "[data-shell=assay]"
DARK = "rgb(16, 17, 19)"  # the background of the dark theme
KEY = "MDEyMzQ1Njc4OWFiY2RlZg=="  # of a WebSocket handshake: any 16 bytes


def test_deep_link_opens_inside_the_shell_on_a_server_nobody_visited(
    fresh_server: str, page: Page, complaints: list[str]
) -> None:
    errors: list[str] = []
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    page.goto(f"{fresh_server}/sessions?session=0123abcd")
    expect(page.locator(MARKER)).to_be_visible(timeout=30_000)
    expect(page).to_have_title("Sessions · Assay")
    expect(page.get_by_role("heading", name="Sessions", exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile(r"\?session=0123abcd$"))
    page.reload()
    expect(page.locator(MARKER)).to_be_visible()
    expect(page).to_have_url(re.compile(r"\?session=0123abcd$"))
    assert errors == []


def test_a_theme_chosen_on_one_screen_holds_on_the_next_one_opened(
    server: str, browser: Browser
) -> None:
    with browser.new_context(color_scheme="light") as context:
        page = context.new_page()
        page.goto(f"{server}/tools")
        expect(page.locator(MARKER)).to_be_visible(timeout=30_000)
        page.get_by_test_id("stMainMenu").locator("button").click()
        page.get_by_test_id("stMainMenuItem-theme-Dark").click()
        expect(page.get_by_test_id("stApp")).to_have_css("background-color", DARK)
        wait_until(lambda: page.evaluate("!!window.assayTheme"))  # the script has arrived
        page.goto(f"{server}/library")
        expect(page.locator(MARKER)).to_be_visible(timeout=30_000)
        expect(page.get_by_test_id("stApp")).to_have_css("background-color", DARK)


def test_a_theme_chosen_before_the_scripts_have_arrived_holds_on_the_next_screen(
    server: str, browser: Browser
) -> None:
    with browser.new_context(color_scheme="light") as context:
        page = context.new_page()
        held: list[Route] = []
        page.route("**/BidiComponent.*.js", lambda route: held.append(route))
        page.goto(f"{server}/tools")
        expect(page.locator(MARKER)).to_be_visible(timeout=30_000)
        page.get_by_test_id("stMainMenu").locator("button").click()
        page.get_by_test_id("stMainMenuItem-theme-Dark").click()
        expect(page.get_by_test_id("stApp")).to_have_css("background-color", DARK)
        assert held
        page.unroute("**/BidiComponent.*.js")  # which lets the held ones go on
        wait_until(lambda: page.evaluate("!!window.assayTheme"))
        page.goto(f"{server}/library")
        expect(page.locator(MARKER)).to_be_visible(timeout=30_000)
        expect(page.get_by_test_id("stApp")).to_have_css("background-color", DARK)


def test_ask_reached_from_another_screen_waits_for_a_question(server: str, page: Page) -> None:
    page.goto(f"{server}/tools")
    expect(page.locator(MARKER)).to_be_visible(timeout=30_000)
    page.get_by_role("link", name="Ask", exact=True).click()
    expect(page.get_by_label("Your question")).to_be_visible()
    expect(page.locator(".st-key-go button")).to_be_disabled()


def test_the_menu_of_a_phone_is_a_list_of_items_only(server: str, browser: Browser) -> None:
    with browser.new_context(viewport={"width": 390, "height": 800}) as context:
        page = context.new_page()
        page.goto(f"{server}/sessions")
        expect(page.locator(MARKER)).to_be_visible(timeout=30_000)
        menu = page.get_by_test_id("stSidebarNavItems")
        expect(menu.locator("a")).to_have_count(11)
        expect(menu.locator("> :not(li, [role=listitem])")).to_have_count(0)
        expect(menu.locator("> div li:not([role=none])")).to_have_count(0)


def test_a_screen_chosen_in_the_menu_of_a_phone_closes_it(server: str, browser: Browser) -> None:
    """Also by keyboard; the focus is then where the menu can be opened again."""
    with browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True) as context:
        page = context.new_page()
        page.goto(server)
        expect(page.locator(MARKER)).to_be_visible(timeout=30_000)
        menu, opener = (
            page.get_by_test_id("stSidebar"),
            page.get_by_test_id("stExpandSidebarButton"),
        )
        opener.tap()
        menu.get_by_role("link", name="Sessions", exact=True).tap()
        expect(page).to_have_title("Sessions · Assay")
        expect(menu).to_have_attribute("data-collapsed", "true")
        opener.press("Enter")
        menu.get_by_role("link", name="Replay", exact=True).press("Enter")
        expect(page).to_have_title("Replay · Assay")
        expect(menu).to_have_attribute("data-collapsed", "true")
        expect(opener).to_be_focused()
        button = page.get_by_test_id("stMainMenuButton").bounding_box()
        assert button is not None
        assert button["x"] + button["width"] <= 390


def test_a_screen_chosen_before_the_scripts_have_arrived_closes_the_menu(
    server: str, browser: Browser
) -> None:
    with browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True) as context:
        page = context.new_page()
        held: list[Route] = []
        page.route("**/BidiComponent.*.js", lambda route: held.append(route))
        page.goto(server)
        expect(page.locator(MARKER)).to_be_visible(timeout=30_000)
        page.get_by_test_id("stExpandSidebarButton").tap()
        menu = page.get_by_test_id("stSidebar")
        menu.get_by_role("link", name="Sessions", exact=True).tap()
        expect(page).to_have_title("Sessions · Assay")
        expect(menu).to_have_attribute("data-collapsed", "false")
        assert held
        page.unroute("**/BidiComponent.*.js")  # which lets the held ones go on
        expect(menu).to_have_attribute("data-collapsed", "true")
        expect(page.get_by_test_id("stExpandSidebarButton")).to_be_focused()


def test_the_menu_marks_the_section_of_the_current_screen(server: str, page: Page) -> None:
    page.goto(f"{server}/compare")
    section = page.get_by_test_id("stTopNavSection").filter(has_text=re.compile("^More$"))
    expect(section).to_have_attribute("aria-current", "true", timeout=30_000)
    page.get_by_role("link", name="Sessions", exact=True).first.click()
    expect(page).to_have_title("Sessions · Assay")
    expect(section).not_to_have_attribute("aria-current", "true")


@pytest.mark.full
def test_altered_session_id_is_said_and_dropped(
    server: str, page: Page, complaints: list[str]
) -> None:
    page.goto(f"{server}/?session=../etc")
    expect(page.get_by_text("The session's ID in this link is damaged")).to_be_visible(
        timeout=30_000
    )
    expect(page).not_to_have_url(re.compile("session="))


def test_policy_stops_what_a_page_would_load_from_elsewhere(server: str, page: Page) -> None:
    """The control for `complaints`: a beacon, as a report's text might hold one, is refused and
    seen to be.
    """

    def is_of_the_beacon(message: ConsoleMessage) -> bool:
        return "Content Security Policy" in message.text and "beacon" in message.text

    page.goto(server)
    expect(page.locator(MARKER)).to_be_visible(timeout=30_000)
    with page.expect_console_message(is_of_the_beacon):
        page.evaluate(
            "document.body.append(Object.assign(new Image(), {src: 'http://127.0.0.1:9/beacon'}))"
        )


@pytest.mark.parametrize(
    "path", ["/", "/_stcore/health", "/no/such/page", "/static/no-such-file.js"]
)
def test_every_answer_carries_the_security_headers(server: str, path: str) -> None:
    request = urllib.request.Request(server + path)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), KeepErrors())
    with opener.open(request, timeout=10) as answer:
        assert {name: answer.headers.get_all(name) for name in guards.SECURITY_HEADERS} == {
            k: [v] for k, v in guards.SECURITY_HEADERS.items()
        }


class KeepErrors(urllib.request.HTTPErrorProcessor):
    """Hands out an error's answer like any other."""

    def http_response(self, request, response):
        return response


def test_connection_that_claims_a_foreign_host_is_refused(server: str) -> None:
    """A name of someone else's that resolves to loopback (DNS rebinding) must not reach a session."""
    assert handshake(server, host="127.0.0.1") == 101
    assert handshake(server, host="rebound.example") == 403


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://localhost:{port}", 101),
        ("http://localhost:1", 403),
        ("http://127.0.0.1:{port}", 403),
        ("https://evil.example", 403),
        ("null", 403),
    ],
)
def test_a_page_of_another_program_opens_no_tab(server: str, origin: str, status: int) -> None:
    """Such a page would press the buttons of the screens, and write to `.env`."""
    port = server.rpartition(":")[2]
    assert handshake(server, "localhost", origin.format(port=port)) == status


def handshake(server: str, host: str, origin: str = "") -> int:
    """The status the server answers a WebSocket handshake with."""
    port = int(server.rpartition(":")[2])
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    names = {"Host": f"{host}:{port}", "Origin": origin or f"http://{host}:{port}"}
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": KEY,
    }
    connection.request("GET", "/_stcore/stream", headers={**names, **upgrade})
    status = connection.getresponse().status
    connection.close()
    return status


Scheme = Literal["light", "dark"]


@pytest.mark.parametrize("scheme", [pytest.param("light", marks=pytest.mark.full), "dark"])
@pytest.mark.parametrize("width", [pytest.param(1280, marks=pytest.mark.full), 390])
def test_both_themes_on_desktop_and_phone(
    server: str, browser: Browser, tmp_path: Path, scheme: Scheme, width: int
) -> None:
    """Light paper and true dark follow the system, text stands out from them, nothing is cut off; a
    picture of each is kept.
    """
    with browser.new_context(
        color_scheme=scheme, viewport={"width": width, "height": 800}
    ) as context:
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


def test_mistyped_address_is_said_and_leads_on(
    server: str, page: Page, complaints: list[str]
) -> None:
    page.goto(f"{server}/reprot")
    expect(page.get_by_role("heading", name="There is no such screen")).to_be_visible(
        timeout=30_000
    )
    expect(page).to_have_url(f"{server}/reprot")
    assert page.get_by_role("dialog").count() == 0
    page.get_by_role("link", name="Did you mean Report?").click()
    expect(page.get_by_role("heading", name="Report", exact=True)).to_be_visible()
    expect(page).to_have_url(f"{server}/report")
    for name in ("zzz", "%3Cb%3Ex", "a" * 300):
        page.goto(f"{server}/{name}")
        expect(page.get_by_role("heading", name="There is no such screen")).to_be_visible(
            timeout=30_000
        )
        expect(page.get_by_role("link", name="Open a session")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.full
def test_damaged_database_is_said_on_the_screens_and_nothing_of_it_is_overwritten(
    tmp_path: Path, page: Page
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "assay.db").write_bytes(b"SQLite format 3\x00" + b"\x10\x00" + b"cut short")
    with served(tmp_path) as address:
        for screen in ("", "sessions", "settings"):
            page.goto(f"{address}/{screen}")
            expect(page.get_by_text("assay.db.damaged-1")).to_be_visible(timeout=30_000)
            expect(page.get_by_text("A new one is in use.")).to_be_visible()
    assert (home / "assay.db.damaged-1").read_bytes().endswith(b"cut short")


@pytest.mark.full
def test_address_of_two_parts_is_said_and_leads_on(
    server: str, page: Page, complaints: list[str]
) -> None:
    answer = page.goto(f"{server}/sessions/0123abcd?x=1")
    assert answer is not None
    assert answer.status == 404
    expect(page.get_by_role("heading", name="There is no such screen")).to_be_visible()
    page.get_by_role("link", name="Open Assay").click()
    expect(page.locator(MARKER)).to_be_visible(timeout=30_000)
    page.goto(f"{server}/sessions/")
    expect(page.locator(MARKER)).to_be_visible(timeout=30_000)


@pytest.mark.full
def test_a_link_tapped_while_a_field_is_typed_into_leads_there_and_loses_nothing(
    server: str, page: Page
) -> None:
    """A tap takes the focus and follows the link at once: the field's words must not arrive after
    the next screen was asked for.
    """
    page.goto(server)
    box = page.get_by_label("Your question")
    box.click(timeout=60_000)
    page.keyboard.type("What is half a question?")
    page.get_by_role("link", name="Sessions", exact=True).first.click()
    expect(page.get_by_role("heading", name="Sessions", exact=True)).to_be_visible()
    page.get_by_role("link", name="Ask", exact=True).first.click()
    expect(box).to_have_value("What is half a question?")
    expect(page.get_by_role("radio", name="Standard")).to_be_checked()
    page.get_by_text("Advanced", exact=True).click()
    expect(page.get_by_role("slider", name="Minimum credibility")).to_have_value("0.5")
