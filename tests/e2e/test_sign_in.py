"""Signing in through a real browser: nothing shows before it, each user has sessions of their own,
and a link is followed after it.
"""

from __future__ import annotations

import re
import sqlite3
import urllib.request
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote, unquote, urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeout
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import RedirectResponse
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send
from streamlit.config import get_option, set_option
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

import app
from parts.server import guards
from parts.server.sign_in import (
    RETURN_COOKIE,
    SIGN_IN_COOKIE,
    SIGN_IN_FIELDS,
    decode_return_address,
    describe_sign_in_fault,
    encode_return_address,
    find_user,
    harden_cookies,
)
from research_core.journal import store
from research_core.models import Principal
from research_core.policy import RunSettings
from research_core.sessions import heartbeats, session_start
from research_core.settings import Settings
from research_core.userdata import shares
from research_core.wiring import Resources
from tests.e2e.conftest import served, until_settled
from tests.e2e.test_shell import handshake
from tests.oidc import PEOPLE, Provider
from tests.sample_sessions import crowded

LONG = 30_000
SCREENS = ("live", "sources", "gate", "report", "compare", "replay")
QUESTION = "What are the environmental risks of deep-sea mining?"


@pytest.fixture(scope="module")
def guarded(
    identity: Provider, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, str]]:
    """The address of a server that asks its users to sign in, and the id of a session of Ada's."""
    folder = tmp_path_factory.mktemp("guarded")
    resources = Resources(Settings.from_env({"ASSAY_HOME": str(folder / "home")}))
    ada, now = Principal("local", f"{identity.issuer}|ada"), resources.clock.now()
    hers = session_start.new_session(resources, QUESTION, RunSettings(), who=ada)
    # It runs elsewhere all the while, so that the screens that show it ask again and again.
    store.take_session(resources.db, ada, hers, "elsewhere", now)
    heartbeats.record_beat(resources.db, "elsewhere", now + 3600)
    resources.close()
    secrets = folder / "secrets.toml"
    secrets.write_text(identity.configuration, encoding="utf-8")
    with served(folder, f"--secrets.files={secrets}") as address:
        yield address, hers


def sign_in(context: BrowserContext, url: str, name: str) -> Page:
    page = context.new_page()
    page.goto(url)
    page.get_by_role("button", name="Sign in").click(timeout=LONG)
    page.get_by_role("link", name=PEOPLE[name]).click(timeout=LONG)
    expect(page.get_by_text(PEOPLE[name], exact=True)).to_be_visible(timeout=LONG)
    return page


def test_deep_link_shows_nothing_before_signing_in_and_is_followed_after_it(
    guarded: tuple[str, str], browser: Browser
) -> None:
    """The first visit of the server, too: a screen must never be reached round the frame."""
    address, hers = guarded
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{address}/live?session={hers}")
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible(timeout=LONG)
        page.reload()
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible(timeout=LONG)
        assert QUESTION not in page.content()
        assert page.get_by_role("link", name="Sessions").count() == 0
        page.close()
        page = sign_in(context, f"{address}/live?session={hers}", "ada")
        expect(page).to_have_url(f"{address}/live?session={hers}")
        expect(page.get_by_role("heading", name=QUESTION)).to_be_visible(timeout=LONG)


def test_nobody_sees_another_s_session_even_with_its_address(
    guarded: tuple[str, str], browser: Browser
) -> None:
    address, hers = guarded
    with browser.new_context() as context:
        page = sign_in(context, f"{address}/sessions", "grace")
        for screen in SCREENS:
            page.goto(f"{address}/{screen}?session={hers}")
            expect(page.get_by_text(f"There is no session {hers}").first).to_be_visible(
                timeout=LONG
            )
            assert QUESTION not in page.content()


@pytest.mark.full
def test_a_shared_link_needs_no_account_and_opens_one_session_alone(
    identity: Provider, tmp_path: Path, browser: Browser
) -> None:
    resources = Resources(Settings.from_env({"ASSAY_HOME": str(tmp_path / "home")}))
    ada = Principal("local", f"{identity.issuer}|ada")
    hers = session_start.new_session(resources, QUESTION, RunSettings(), who=ada)
    token = shares.create_share(resources.db, ada, hers, resources.clock.now(), 7)
    resources.close()
    secrets = tmp_path / "secrets.toml"
    secrets.write_text(identity.configuration, encoding="utf-8")
    with (
        served(tmp_path, f"--secrets.files={secrets}") as address,
        browser.new_context() as context,
    ):
        page = context.new_page()
        answer = page.goto(f"{address}/shared/{token}")
        expect(page.get_by_role("heading", name="No report yet")).to_be_visible()
        assert answer is not None
        assert "set-cookie" not in answer.headers
        page.goto(f"{address}/report?session={hers}&token={token}")
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible(timeout=LONG)
        assert QUESTION not in page.content()
        page.goto(f"{address}/shared/{hers}")
        expect(page.get_by_role("heading", name="This link does not work")).to_be_visible()
    assert token not in (tmp_path / "server.log").read_text()


@pytest.mark.full
def test_each_user_has_a_list_of_their_own_until_they_sign_out(
    guarded: tuple[str, str], browser: Browser
) -> None:
    address, _ = guarded
    with browser.new_context() as adas, browser.new_context() as graces:
        ada = sign_in(adas, f"{address}/sessions", "ada")
        expect(ada.get_by_role("link", name=QUESTION).first).to_be_visible(timeout=LONG)
        grace = sign_in(graces, f"{address}/sessions", "grace")
        expect(grace.get_by_role("heading", name="Sessions", exact=True)).to_be_visible(
            timeout=LONG
        )
        expect(grace.get_by_role("button", name="Ask a question").first).to_be_visible(timeout=LONG)
        assert QUESTION not in grace.content()
        ada.get_by_role("button", name="Sign out").click()
        expect(ada.get_by_role("heading", name="Sign in", exact=True)).to_be_visible(timeout=LONG)
        ada.goto(f"{address}/sessions")
        expect(ada.get_by_role("heading", name="Sign in")).to_be_visible(timeout=LONG)
        expect(ada).not_to_have_url(re.compile("session="))


@pytest.mark.full
def test_nobody_is_told_that_they_are_signed_out_before_they_are(
    guarded: tuple[str, str], browser: Browser
) -> None:
    address, _ = guarded
    with browser.new_context() as context:
        page = sign_in(context, f"{address}/sessions", "ada")
        page.route(
            "**/auth/logout", lambda route: route.fulfill(status=204)
        )  # lost on the way: the cookie stays, and the screen
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("heading", name="Signing out")).to_be_visible(timeout=LONG)
        expect(page.get_by_role("link", name=QUESTION)).to_have_count(0)
        page.goto(f"{address}/sessions")
        expect(page.get_by_text(PEOPLE["ada"], exact=True)).to_be_visible(timeout=LONG)


@pytest.mark.parametrize(
    "asked", ["//evil.example/x", "/\\evil.example", "/report?session=a%0d%0aSet-Cookie:%20x=1"]
)
def test_sign_in_never_leads_to_another_host(asked: str) -> None:
    path, _, query = asked.partition("?")
    led = unquote(encode_return_address({"path": path, "query_string": query.encode()}))
    assert urlsplit(led)[:2] == ("", "")
    assert not led.startswith(("//", "/\\"))
    assert "\r" not in led


@pytest.mark.parametrize(
    ("cookie", "led"),
    [
        ("%2Fsessions%3Fsession%3D0123abcd", "/sessions?session=0123abcd"),
        ("%2Fa%2520b", "/a%20b"),
        ("%2F", "/"),
        ("", "/"),
        ("sessions", "/"),
        ("https%3A%2F%2Fevil.example%2F", "/"),
        ("%2F%2Fevil.example", "/"),
        ("%2F%5Cevil.example", "/"),
        ("%2F%09%2Fevil.example", "/"),
        ("%2Fa%5C..%5C%5Cevil.example", "/"),
        ("%2Fa%0D%0ASet-Cookie%3A%20x%3D1", "/"),
        ("%2Fa%0A", "/"),
        ("%2Fa%7F", "/"),
        ("%E4%BD%A0", "/"),
        ("%2F%E4%BD%A0", "/"),
        ("%2F%FF", "/"),
    ],
)
def test_cookie_that_somebody_else_set_leads_nowhere(cookie: str, led: str) -> None:
    assert decode_return_address(cookie) == led


@pytest.mark.parametrize(("base", "first"), [("", "/"), ("base", "/base/"), ("/a/b/", "/a/b/")])
def test_end_of_a_sign_in_leads_back_below_the_path_of_the_server_too(
    base: str, first: str
) -> None:
    def ended(cookie: str) -> str:
        async def streamlit(scope: Scope, receive: Receive, send: Send) -> None:
            await RedirectResponse(first, 302)(scope, receive, send)

        client = TestClient(
            guards.return_after_sign_in(streamlit),
            cookies={RETURN_COOKIE: cookie},
            follow_redirects=False,
        )
        return client.get(f"{first}oauth2callback").headers["Location"]

    set_option("server.baseUrlPath", base)
    try:
        assert (
            ended(quote(f"{first}live?session=0123abcd", safe=""))
            == f"{first}live?session=0123abcd"
        )
        assert ended("https%3A%2F%2Fevil.example%2F") == ended("%E4%BD%A0") == first
    finally:
        set_option("server.baseUrlPath", "")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "http://127.0.0.1:8501/"),
        ({"server.baseUrlPath": "base"}, "http://127.0.0.1:8501/base/"),
        ({"server.address": "assay.example"}, "http://assay.example:8501/"),
        ({"server.address": "0.0.0.0"}, "http://localhost:8501/"),
        ({"server.address": "::1", "server.port": 8600}, "http://[::1]:8600/"),
    ],
)
def test_address_that_is_announced_is_where_the_app_is(options: dict[str, Any], said: str) -> None:
    before = {name: get_option(name) for name in options}
    try:
        for name, value in options.items():
            set_option(name, value)
        assert app.own_address() == said
    finally:
        for name, value in before.items():
            set_option(name, value)


@pytest.mark.full
def test_deep_link_below_the_path_of_the_server_is_followed_after_signing_in(
    identity: Provider, tmp_path: Path, browser: Browser
) -> None:
    secrets = tmp_path / "secrets.toml"
    secrets.write_text(
        identity.configuration.replace("/oauth2callback", "/base/oauth2callback"), encoding="utf-8"
    )
    with (
        served(tmp_path, f"--secrets.files={secrets}", "--server.baseUrlPath=base") as address,
        browser.new_context() as context,
    ):
        assert f"· Assay is at {address}/base/ " in (tmp_path / "server.log").read_text()
        page = sign_in(context, f"{address}/base/sessions", "ada")
        expect(page).to_have_url(f"{address}/base/sessions")
        expect(page.get_by_role("heading", name="Sessions", exact=True)).to_be_visible(timeout=LONG)


# -- ended sign-ins: no tab and no copy of a cookie is let in ------------------------------------


def expect_no_question(page: Page) -> None:
    """Expect no session of Ada's. Ask offers the same question as an example, on a button."""
    for role in ("heading", "link"):
        expect(page.get_by_role(role, name=QUESTION)).to_have_count(0, timeout=LONG)


def test_every_tab_loses_its_user_with_the_first_that_signs_out(
    guarded: tuple[str, str], browser: Browser
) -> None:
    address, hers = guarded
    with browser.new_context() as context:
        first = sign_in(context, f"{address}/sessions", "ada")
        second, third = context.new_page(), context.new_page()
        second.goto(f"{address}/library")
        third.goto(f"{address}/live?session={hers}")
        expect(second.get_by_text(PEOPLE["ada"], exact=True)).to_be_visible(timeout=LONG)
        expect(third.get_by_role("heading", name=QUESTION)).to_be_visible(timeout=LONG)
        first.get_by_role("button", name="Sign out").click()
        expect(first.get_by_role("heading", name="Sign in", exact=True)).to_be_visible(timeout=LONG)
        # A screen that follows a run asks by itself; the other one does when its user does something.
        expect(third.get_by_role("heading", name="Sign in")).to_be_visible(timeout=LONG)
        expect_no_question(third)
        first.close()
        sign_in(context, address, "grace")
        second.get_by_role("link", name="Sessions", exact=True).click()
        expect(second.get_by_text(PEOPLE["grace"], exact=True)).to_be_visible(timeout=LONG)
        expect_no_question(second)
        expect(second.get_by_text(PEOPLE["ada"], exact=True)).to_have_count(0)


def test_a_tab_of_one_who_was_replaced_starts_nothing_in_their_name(
    guarded: tuple[str, str], browser: Browser
) -> None:
    address, _ = guarded
    asked = "How loud is the seabed near a mining vehicle?"
    with browser.new_context() as context:
        first = sign_in(context, f"{address}/sessions", "ada")
        second = context.new_page()
        second.goto(address)
        expect(second.get_by_text(PEOPLE["ada"], exact=True)).to_be_visible(timeout=LONG)
        first.get_by_role("button", name="Sign out").click()
        expect(first.get_by_role("heading", name="Sign in", exact=True)).to_be_visible(timeout=LONG)
        first.close()
        sign_in(context, f"{address}/sessions", "grace")
        second.get_by_role("textbox", name="Question").fill(asked)
        second.get_by_role("button", name="Research").click()
        expect(second.get_by_text(PEOPLE["grace"], exact=True)).to_be_visible(timeout=LONG)
    with browser.new_context() as context:
        ada = sign_in(context, f"{address}/sessions", "ada")
        expect(ada.get_by_role("link", name=QUESTION).first).to_be_visible(timeout=LONG)
        assert asked not in ada.content()


def test_copied_cookies_let_nobody_in_after_signing_out(
    guarded: tuple[str, str], browser: Browser
) -> None:
    address, _ = guarded
    with browser.new_context() as context, browser.new_context() as thief:
        page = sign_in(context, f"{address}/sessions", "ada")
        copied = context.cookies()
        kept = next(each for each in copied if each["name"] == SIGN_IN_COOKIE)
        assert (kept["httpOnly"], kept["sameSite"], kept["secure"]) == (True, "Lax", False)
        thief.add_cookies(copied)
        stolen = thief.new_page()
        stolen.goto(f"{address}/sessions")
        expect(stolen.get_by_role("link", name=QUESTION).first).to_be_visible(timeout=LONG)
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("heading", name="Sign in", exact=True)).to_be_visible(timeout=LONG)
        assert context.cookies([address]) == [] or not any(
            each["name"] in (SIGN_IN_COOKIE, "_streamlit_user") for each in context.cookies()
        )
        expect(stolen.get_by_role("heading", name="Sign in")).to_be_visible(timeout=LONG)
        stolen.goto(f"{address}/sessions")
        expect(stolen.get_by_role("heading", name="Sign in")).to_be_visible(timeout=LONG)
        assert QUESTION not in stolen.content()


@pytest.mark.parametrize("dropped", [SIGN_IN_COOKIE, "_streamlit_user"])
def test_one_cookie_without_the_other_lets_nobody_in(
    guarded: tuple[str, str], browser: Browser, dropped: str
) -> None:
    address, _ = guarded
    with browser.new_context() as context:
        page = sign_in(context, f"{address}/sessions", "ada")
        context.clear_cookies(name=dropped)
        page.reload()
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible(timeout=LONG)
        assert QUESTION not in page.content()


def test_signing_out_everywhere_ends_every_browser_of_that_user_alone(
    guarded: tuple[str, str], browser: Browser
) -> None:
    address, _ = guarded
    with (
        browser.new_context() as here,
        browser.new_context() as there,
        browser.new_context() as graces,
    ):
        page = sign_in(here, f"{address}/my_data", "ada")
        other = sign_in(there, f"{address}/library", "ada")
        grace = sign_in(graces, f"{address}/sessions", "grace")
        page.get_by_role("button", name="Sign out everywhere").click(timeout=LONG)
        expect(page.get_by_role("heading", name="Sign in", exact=True)).to_be_visible(timeout=LONG)
        other.get_by_role("link", name="Ask", exact=True).click()
        expect(other.get_by_role("heading", name="Sign in")).to_be_visible(timeout=LONG)
        grace.get_by_role("link", name="Ask", exact=True).click()
        expect(grace.get_by_text(PEOPLE["grace"], exact=True)).to_be_visible(timeout=LONG)
        expect(grace.get_by_role("textbox", name="Question")).to_be_visible(timeout=LONG)


#: A screen, and a control on it that sends something.
CONTROLS = {
    "sessions": ("link", "Ask"),
    "library": ("link", "Sessions"),
    "my_data": ("button", "Sign out everywhere"),
    "settings": ("link", "Ask"),
    "tools": ("button", "Web search web_search"),
    "live?session=0123abcd": ("link", "Sessions"),
}


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "screens", [["library"], pytest.param(sorted(CONTROLS), marks=pytest.mark.full)], ids=len
)
def test_a_tab_whose_sign_in_cannot_be_checked_says_so_and_is_back_when_it_can(
    identity: Provider, tmp_path: Path, browser: Browser, screens: list[str]
) -> None:
    secrets = tmp_path / "secrets.toml"
    secrets.write_text(identity.configuration, encoding="utf-8")
    with (
        served(tmp_path, f"--secrets.files={secrets}") as address,
        browser.new_context() as context,
        closing(sqlite3.connect(tmp_path / "home" / "assay.db", timeout=30)) as database,
    ):
        page = sign_in(context, f"{address}/sessions", "ada")
        for screen in screens:
            role, name = CONTROLS[screen]
            page.goto(f"{address}/{screen}")
            until_settled(page)
            database.execute("ALTER TABLE sign_in RENAME TO away")
            database.commit()
            page.get_by_role(role, name=name, exact=True).first.click(timeout=LONG)
            expect(page.get_by_text("Cannot check who is signed in.")).to_be_visible(timeout=LONG)
            expect(page.get_by_text("The database refused")).to_be_visible()
            expect(page.get_by_text("Next step:")).to_be_visible()
            left = page.url
            database.execute("ALTER TABLE away RENAME TO sign_in")
            database.commit()
            page.get_by_role("link", name="Try again").click()
            expect(page.get_by_text(PEOPLE["ada"], exact=True)).to_be_visible(timeout=LONG)
            expect(page).to_have_url(left)


# -- secrets in disorder: nobody is let in ---------------------------------------------------------------------------------

WHOLE = dict.fromkeys(SIGN_IN_FIELDS, "x")


@pytest.mark.parametrize(
    ("held", "said"),
    [
        ({}, ""),
        ({"GEMINI_API_KEY": "x", "mail": {"client_id": "of something else"}}, ""),
        ({"auth": WHOLE}, ""),
        ({"Auth": WHOLE}, "hold “Auth”"),
        ({"auth": WHOLE, "AUTH": {}}, "hold “AUTH”"),
        ({"oauth": {}}, "hold “oauth”"),
        ({"sign-in": WHOLE}, "hold “sign-in”"),
        ({"login": {"Cookie_Secret": "x"}}, "hold “login”"),
        (WHOLE, "hold “redirect_uri”"),
        ({"auth": "yes"}, "must be a section"),
        ({"auth": [WHOLE]}, "must be a section"),
        (
            {"auth": {}},
            "lacks redirect_uri, cookie_secret, client_id, client_secret, server_metadata_url",
        ),
        *(({"auth": {**WHOLE, name: " "}}, f"lacks {name}.") for name in SIGN_IN_FIELDS),
        *(
            ({"auth": {key: "x" for key in WHOLE if key != name}}, f"lacks {name}.")
            for name in SIGN_IN_FIELDS
        ),
        ({"auth": {**WHOLE, "client_id": 7}}, "lacks client_id."),
    ],
)
def test_anything_like_a_sign_in_that_is_not_a_whole_one_is_a_disorder(
    held: dict[str, object], said: str
) -> None:
    assert said in describe_sign_in_fault(held) if said else describe_sign_in_fault(held) == ""


@pytest.mark.full
@pytest.mark.parametrize(
    ("written", "said"),
    [
        ('[auth]\nclient_secret = "a secret of theirs\n', "The secrets file cannot be read: "),
        ('[Auth]\nclient_secret = "a secret of theirs"\n', "The secrets hold “Auth”."),
        ('[auth]\nclient_secret = "a secret of theirs"\n', "lacks redirect_uri"),
        (None, "in this server's configuration does not exist"),
    ],
    ids=["no TOML", "other case", "fields missing", "no file"],
)
def test_server_whose_secrets_are_in_disorder_lets_nobody_in_and_says_why(
    tmp_path: Path, page: Page, written: str | None, said: str
) -> None:
    secrets = tmp_path / "secrets.toml"
    if written is not None:
        secrets.write_text(written, encoding="utf-8")
    with served(tmp_path, f"--secrets.files={secrets}") as address:
        for screen in ("", "sessions", "_stcore/health"):
            answer = page.goto(f"{address}/{screen}")
            assert answer is not None
            assert answer.status == 503
            expect(page.get_by_text(said)).to_be_visible()
            expect(page.get_by_text("Next step:")).to_be_visible()
            assert "of theirs" not in page.content()
        assert handshake(address, host="127.0.0.1") == 403
        assert said in (tmp_path / "server.log").read_text()


@pytest.mark.full
def test_sign_in_that_is_taken_away_while_the_server_runs_shuts_it(
    identity: Provider, tmp_path: Path, browser: Browser
) -> None:
    secrets = tmp_path / "secrets.toml"
    secrets.write_text(identity.configuration, encoding="utf-8")
    with (
        served(tmp_path, f"--secrets.files={secrets}") as address,
        browser.new_context() as context,
    ):
        page = context.new_page()
        page.goto(address)
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible(timeout=LONG)
        assert handshake(address, host="127.0.0.1") == 101
        secrets.write_text(identity.configuration.replace("[auth]", ""), encoding="utf-8")
        for _ in range(14):  # Streamlit looks for a change of the file every few seconds
            if handshake(address, host="127.0.0.1") == 403:
                break
            page.wait_for_timeout(500)
        assert handshake(address, host="127.0.0.1") == 403
        with suppress(PlaywrightTimeout):  # a page that was drawn again meanwhile has none
            page.get_by_role("button", name="Sign in").click(timeout=10_000)
        page.wait_for_timeout(1_000)
        assert page.get_by_role("link", name="Sessions").count() == 0
        page.goto(f"{address}/sessions")
        expect(page.get_by_text("The secrets hold “redirect_uri”")).to_be_visible()


# -- downloads -------------------------------------------------------------------------------------------------------------


def fetched(url: str) -> tuple[int, str]:
    """Status and Cache-Control of an address asked for without a cookie."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=10) as answer:
            return answer.status, answer.headers["Cache-Control"]
    except HTTPError as error:
        return error.code, error.headers["Cache-Control"]


def test_download_is_for_those_who_signed_in_and_stays_in_no_cache(
    identity: Provider, tmp_path: Path, browser: Browser
) -> None:
    resources = Resources(Settings.from_env({"ASSAY_HOME": str(tmp_path / "home")}))
    session = crowded(
        resources, 20, read=8, sentences=10, who=Principal("local", f"{identity.issuer}|ada")
    )
    resources.close()
    secrets = tmp_path / "secrets.toml"
    secrets.write_text(identity.configuration, encoding="utf-8")
    with (
        served(tmp_path, f"--secrets.files={secrets}") as address,
        browser.new_context() as context,
    ):
        page = sign_in(context, f"{address}/report?session={session}", "ada")
        with page.expect_download() as begun:
            page.get_by_role("button", name="Markdown", exact=True).first.click(timeout=LONG)
        url = begun.value.url
        assert "/media/" in url
        answer = context.request.get(url)
        assert (answer.status, answer.headers["cache-control"]) == (200, "private, no-store")
        assert fetched(url) == (403, "private, no-store")
        with browser.new_context() as another:
            sign_in(another, f"{address}/sessions", "grace")
            assert another.request.get(url).status == 403
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("heading", name="Sign in", exact=True)).to_be_visible(timeout=LONG)
        assert context.request.get(url).status == 403


@pytest.mark.parametrize(
    "cookie",
    [
        "",
        "_streamlit_user=x",
        "_streamlit_user=eyJpc19sb2dnZWRfaW4iOnRydWV9.x.y",
        "_streamlit_user=ä",
    ],
)
def test_made_up_cookie_is_no_sign_in(cookie: str) -> None:
    headers = [(b"cookie", cookie.encode("latin-1"))]
    assert find_user(HTTPConnection({"type": "http", "headers": headers})) is None


@pytest.mark.parametrize(
    ("given", "behind_tls", "sent"),
    [
        ("a=1; Path=/", False, "a=1; Path=/"),
        ("a=1; Path=/", True, "a=1; Path=/; Secure"),
        ("a=1; Path=/; Secure", True, "a=1; Path=/; Secure"),
        ("a=1; path=/; secure; httponly", True, "a=1; path=/; secure; httponly"),
        ("assay_wanted=%2F; Max-Age=600", True, "assay_wanted=%2F; Max-Age=600; Secure"),
        ("_streamlit_user=x; HttpOnly; Max-Age=2592000", False, "_streamlit_user=x; HttpOnly; Max-Age=604800"),
        ("_streamlit_user_1=x; Max-Age=2592000", True, "_streamlit_user_1=x; Max-Age=604800; Secure"),
        ("_streamlit_user_tokens=x; Max-Age=2592000", True, "_streamlit_user_tokens=x; Max-Age=604800; Secure"),
        ('_streamlit_user=""; expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0', True,
         '_streamlit_user=""; expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0; Secure'),
    ],
)  # fmt: skip
def test_cookies_of_a_user_live_a_week_and_are_secure_behind_tls(
    given: str, behind_tls: bool, sent: str
) -> None:
    headers = MutableHeaders({"Set-Cookie": given, "Location": "/"})
    harden_cookies(headers, behind_tls)
    assert headers.getlist("Set-Cookie") == [sent]
    assert headers["Location"] == "/"


@pytest.mark.parametrize(
    ("cookie", "kept"),
    [
        ("a=1; _streamlit_user=x; b=2", "a=1; b=2"),
        ("_streamlit_user=chunks-2; _streamlit_user_1=x; _streamlit_user_2=y", ""),
        ("_streamlit_user_tokens=x; _streamlit_xsrf=2|a|b|3", " _streamlit_xsrf=2|a|b|3"),
        ("_streamlit_session=s;_streamlit_user=x", "_streamlit_session=s"),
        ("assay_sign_in=t", "assay_sign_in=t"),
        ("not_streamlit_user=x", "not_streamlit_user=x"),
    ],
)
def test_streamlit_is_shown_no_user_whose_sign_in_has_ended(cookie: str, kept: str) -> None:
    scope = {"type": "websocket", "headers": [(b"host", b"x"), (b"cookie", cookie.encode())]}
    assert guards.drop_user_cookies(scope)["headers"] == [
        (b"host", b"x"),
        (b"cookie", kept.encode()),
    ]
    assert scope["headers"] == [(b"host", b"x"), (b"cookie", cookie.encode())]


def message_with(**fields: str) -> bytes:
    message = ForwardMsg()
    element = message.delta.new_element
    if "download" in fields:
        element.download_button.url = fields["download"]
    if "deferred" in fields:
        message.backend_operation_response.deferred_file.url = fields["deferred"]
    if "upload" in fields:
        message.file_urls_response.file_urls.add().upload_url = fields["upload"]
    if "text" in fields:
        element.markdown.body = fields["text"]
    if "typed" in fields:
        element.text_input.default = fields["typed"]
    if "link" in fields:
        element.link_button.url = fields["link"]
    return bytes(message.SerializeToString())


@pytest.mark.parametrize(
    ("fields", "is_hers"),
    [
        ({"download": "/media/0a1b.md"}, True),
        ({"deferred": "/media/0a1b.json"}, True),
        ({"download": "/base/media/0a1b"}, True),
        ({"text": "/media/0a1b.md"}, False),
        ({"typed": "/media/0a1b.md"}, False),
        ({"link": "/media/0a1b.md"}, False),
        ({"download": "/media/ffff.md"}, False),
    ],
)
def test_a_download_belongs_to_those_whose_tabs_were_sent_its_button(
    fields: dict[str, str], is_hers: bool
) -> None:
    ada, grace = Principal("local", "ada"), Principal("local", "grace")
    guards._file_users.clear()
    guards.remember_files(message_with(**fields), ada)
    said = guards.find_file_refusal("/media/0a1b.md", ada)
    assert (said is None) is is_hers
    for user in (grace, None, Principal("abroad", "ada")):
        refusal = guards.find_file_refusal("/media/0a1b.md", user)
        assert refusal is not None
        assert refusal.status_code == 403
    guards._file_users.clear()


@pytest.mark.parametrize(
    ("sent", "asked", "is_hers"),
    [
        ({"upload": "/_stcore/upload_file/tab/file"}, "/_stcore/upload_file/tab/file", True),
        ({"upload": "/base/_stcore/upload_file/t/f"}, "/base/_stcore/upload_file/t/f", True),
        ({"upload": "/_stcore/upload_file/tab/file"}, "/_stcore/upload_file/other/file", False),
        ({"upload": "/_stcore/upload_file/tab/file"}, "/_stcore/upload_file/tab/other", False),
        ({"text": "/_stcore/upload_file/tab/file"}, "/_stcore/upload_file/tab/file", False),
        ({"download": "/media/file.md"}, "/_stcore/upload_file/tab/file", False),
    ],
)
def test_an_upload_belongs_to_those_whose_tabs_were_sent_its_address(
    sent: dict[str, str], asked: str, is_hers: bool
) -> None:
    ada, grace = Principal("local", "ada"), Principal("local", "grace")
    guards._file_users.clear()
    guards.remember_files(message_with(**sent), ada)
    assert (guards.find_file_refusal(asked, ada) is None) is is_hers
    for user in (grace, None):
        refusal = guards.find_file_refusal(asked, user)
        assert refusal is not None
        assert refusal.status_code == 403
    guards._file_users.clear()


@pytest.mark.parametrize(
    ("path", "is_of_a_user"),
    [
        ("/media/0a1b.md", True),
        ("/base/media/0a1b.md", True),
        ("/media/static/0a1b.md", True),
        ("//static/media/0a1b.md", True),
        ("/_stcore/upload_file/tab/file", True),
        ("/static/media/MaterialSymbols-Rounded.woff2", False),
        ("/static/js/index.js", False),
        ("/sessions", False),
    ],
)
def test_fonts_of_the_page_are_no_files_of_a_user(path: str, is_of_a_user: bool) -> None:
    assert guards.is_file_path(path) is is_of_a_user
    assert (guards.find_file_refusal(path, None) is not None) is is_of_a_user


def test_a_server_that_asks_to_sign_in_gives_its_pages_all_they_load(
    guarded: tuple[str, str], browser: Browser
) -> None:
    """Icons are letters of a font, and show their names without it."""
    address, _ = guarded
    with browser.new_context() as context:
        answers: dict[str, int] = {}
        context.on("response", lambda answer: answers.update({answer.url: answer.status}))
        page = sign_in(context, f"{address}/library", "ada")
        until_settled(page)
        page.evaluate("document.fonts.ready")
        assert [url for url in answers if url.endswith(".woff2")]
        # Streamlit's page also tries addresses below the screen's own, which are not there.
        loaded = {url: status for url, status in answers.items() if "/static/" in url}
        assert {url: status for url, status in loaded.items() if status >= 400} == {}


def test_downloads_made_long_ago_are_forgotten() -> None:
    ada = Principal("local", "ada")
    guards._file_users.clear()
    for number in (0, 1, 0, *range(2, guards.MAX_ADDRESSES + 1)):
        guards.remember_files(message_with(download=f"/media/{number:08x}.md"), ada)
    refusals = [
        guards.find_file_refusal(f"/media/{n:08x}.md", ada) for n in (0, 1, guards.MAX_ADDRESSES)
    ]
    assert [refusal is None for refusal in refusals] == [True, False, True]
    guards._file_users.clear()
