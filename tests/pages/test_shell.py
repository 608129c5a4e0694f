"""The frame around the screens, without a browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

SHELL = Path(__file__).parents[2] / "pages" / "shell.py"


def shown(**query: str) -> AppTest:
    at = AppTest.from_file(SHELL)
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


@pytest.mark.parametrize("session", ["", " ", "a b", "../a", "a/b", "ä", "a" * 65, "a\n", "<b>", "' or 1"])
def test_what_is_no_id_is_dropped_and_said(session: str) -> None:
    at = shown(session=session)
    assert at.session_state["session"] is None
    assert "session" not in at.query_params
    assert "The address names no session" in at.warning[0].value


def test_navigation_that_drops_the_address_does_not_lose_the_session() -> None:
    at = shown(session="abc")
    at.query_params.clear()
    at.run()
    assert at.query_params["session"] == "abc"


def test_without_a_session_the_address_stays_bare() -> None:
    at = shown()
    assert at.session_state["session"] is None
    assert dict(at.query_params) == {}
