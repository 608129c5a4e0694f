"""The frame around the screens, without a browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from research_core.errors import StoreError
from research_core.models import Principal
from research_core.wiring import Resources
from tests.sample_sessions import with_shared_components, words

SHELL = Path(__file__).parents[2] / "pages" / "shell.py"


def shown(**query: str) -> AppTest:
    at = with_shared_components(AppTest.from_file(SHELL))
    at.query_params.update(query)
    at.run()
    assert not at.exception
    return at


@pytest.mark.parametrize("session", ["a", "0123456789abcdef" * 4, "A-b_9"])
def test_session_of_the_address_is_kept(session: str) -> None:
    at = shown(session=session)
    assert at.session_state["session"] == session
    assert at.query_params["session"] == session
    assert not at.warning


@pytest.mark.parametrize(
    "session", ["", " ", "a b", "../a", "a/b", "ä", "a" * 65, "a\n", "<b>", "' or 1"]
)
def test_what_is_no_id_is_dropped_and_said(session: str) -> None:
    at = shown(session=session)
    assert at.session_state["session"] is None
    assert "session" not in at.query_params
    assert "The session's ID in this link is damaged" in at.warning[0].value


def test_navigation_that_drops_the_address_does_not_lose_the_session() -> None:
    at = shown(session="abc")
    at.query_params.clear()
    at.run()
    assert at.query_params["session"] == "abc"


def test_without_a_session_the_address_stays_bare() -> None:
    at = shown()
    assert at.session_state["session"] is None
    assert dict(at.query_params) == {}


# -- signing in ------------------------------------------------------------------------------------------------------------

AUTH = {"auth": {"client_id": "assay"}}
ADA = {
    "is_logged_in": True,
    "iss": "https://id.example",
    "sub": "ada|7",
    "name": "Ada *Lovelace*",
    "email": "ada@example.org",
}


def opened(user: dict[str, object], asked: bool = True) -> AppTest:
    at = with_shared_components(AppTest.from_file(SHELL))
    if asked:
        at.secrets.update(AUTH)
    at.user = user
    at.run()
    assert not at.exception
    return at


def test_without_an_auth_section_everybody_is_one_user_and_nothing_is_asked() -> None:
    at = opened({}, asked=False)
    assert "Research you can check: every sentence linked to its source" in [
        title.value for title in at.title
    ]
    assert not {"login", "logout"} & {button.key for button in at.button}


def test_who_is_not_signed_in_sees_the_sign_in_and_nothing_else() -> None:
    at = opened({"is_logged_in": False})
    assert [title.value for title in at.title] == ["Sign in"]
    assert [button.key for button in at.button] == ["login"]
    assert not at.text_area


@pytest.mark.parametrize("missing", ["iss", "sub"])
def test_sign_in_without_an_identity_is_none(missing: str) -> None:
    at = opened({name: value for name, value in ADA.items() if name != missing})
    assert [title.value for title in at.title] == ["Sign in"]


def test_who_is_signed_in_is_named_and_can_sign_out() -> None:
    at = opened(ADA)
    assert "Ada \\*Lovelace\\*" in [caption.value for caption in at.caption]
    assert "logout" in {button.key for button in at.button}


def test_who_is_signing_out_is_not_told_that_it_is_done() -> None:
    at = opened(ADA).button(key="logout").click().run()
    assert [title.value for title in at.title] == ["Signing out"]
    assert not at.button


def identity() -> None:
    import streamlit as st

    from parts.shared import current_user, failures

    with failures.show_failures():
        st.session_state["who"] = current_user.current_principal()


@pytest.mark.parametrize(
    ("user", "who"),
    [
        (ADA, Principal("local", "https://id.example|ada|7")),
        (
            {**ADA, "iss": "https://other.example"},
            Principal("local", "https://other.example|ada|7"),
        ),
    ],
)
def test_principal_is_the_issuer_s_subject(user: dict[str, object], who: Principal) -> None:
    at = with_shared_components(AppTest.from_function(identity))
    at.secrets.update(AUTH)
    at.user = user
    at.run()
    assert at.session_state["who"] == who


def test_nobody_is_nobody_even_where_a_screen_forgot_to_ask() -> None:
    at = with_shared_components(AppTest.from_function(identity))
    at.secrets.update(AUTH)
    at.user = {"is_logged_in": False}
    at.run()
    assert "who" not in at.session_state
    assert "You are not signed in." in at.error[0].value


# -- troubles ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", ["ask.py", "live.py", "report.py", "sessions.py", "settings.py"])
def test_every_screen_says_what_the_start_met(resources: Resources, page: str) -> None:
    resources.trouble.append(
        StoreError("The database *x* is damaged.", next_step="Put the copy back.")
    )
    at = with_shared_components(AppTest.from_file(SHELL, default_timeout=100))
    if page != "ask.py":
        at.switch_page(page)
    at.run()
    assert not at.exception
    assert at.error[0].value == "The database \\*x\\* is damaged."
    assert "Put the copy back." in words(at)
