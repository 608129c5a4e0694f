"""Sharing a session: the menu of its owner, and what the server answers to whoever has a link."""

from __future__ import annotations

import re

import pytest
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from parts.server import shared_sessions
from research_core.policy import RunSettings
from research_core.sessions import session_control, session_start
from research_core.userdata import shares
from research_core.userdata.shares import DAY_S
from research_core.wiring import LOCAL_USER
from tests.sample_sessions import ANSWERED, UNANSWERED, SampleSessions, keys, shown


async def streamlit(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse("the app")(scope, receive, send)


@pytest.fixture
def visitor(samples: SampleSessions) -> TestClient:
    """A browser of somebody without an account."""
    return TestClient(shared_sessions.serve_shared(streamlit))


def make_link(samples: SampleSessions, session: str, age_s: float = 0.0) -> str:
    """The path of a link for seven days that was made so many seconds ago."""
    at = samples.resources.clock.now() - age_s
    return f"/shared/{shares.create_share(samples.resources.db, LOCAL_USER, session, at, 7)}"


def test_a_link_shows_its_session_to_read_and_nothing_to_press(
    samples: SampleSessions, visitor: TestClient
) -> None:
    answer = visitor.get(make_link(samples, samples.answered))
    assert answer.status_code == 200
    assert f'<h1 dir="auto">{ANSWERED}</h1>' in answer.text
    assert UNANSWERED not in answer.text
    assert not re.findall(r"<(?:script|button|form|input|iframe)\b", answer.text)
    assert all(
        link.startswith(("#", "http")) for link in re.findall(r'href="([^"]*)"', answer.text)
    )
    assert "set-cookie" not in answer.headers
    assert answer.headers["x-robots-tag"].startswith("noindex")
    assert answer.headers["cache-control"] == "no-store"


def test_every_token_that_opens_nothing_gets_one_answer(
    samples: SampleSessions, visitor: TestClient
) -> None:
    db, now = samples.resources.db, samples.resources.clock.now()
    link = make_link(samples, samples.answered)
    (made,) = shares.list_shares(db, LOCAL_USER, samples.answered, now)
    shares.revoke_share(db, LOCAL_USER, made.key, now)
    of_deleted = make_link(samples, samples.unanswered)
    session_control.delete(samples.resources, samples.unanswered)
    expired = make_link(samples, samples.answered, age_s=7 * DAY_S)
    answers = [
        visitor.get(path)
        for path in (
            link,
            expired,
            of_deleted,
            "/shared/x",
            "/shared/",
            f"/shared/{samples.answered}",
            "/shared/" + "x" * 4_000,
            "/shared/%00%ff../../etc",
            f"{link}/sources",
        )
    ]
    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.text for answer in answers}) == 1
    assert len({tuple(sorted(answer.headers.items())) for answer in answers}) == 1
    assert ANSWERED not in answers[0].text


def test_a_link_only_reads(samples: SampleSessions, visitor: TestClient) -> None:
    link = make_link(samples, samples.answered)
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
        assert visitor.request(method, link).status_code == 405
    assert visitor.get(link, headers={"Sec-Fetch-Dest": "iframe"}).status_code == 403
    assert visitor.head(link).status_code == 200


@pytest.mark.parametrize("path", ["/", "/report", "/shared", "/sharedx/y", "/_stcore/health"])
def test_every_other_path_is_the_app_s(
    samples: SampleSessions, visitor: TestClient, path: str
) -> None:
    assert visitor.get(path).text == "the app"


def test_a_session_without_a_report_says_so(samples: SampleSessions, visitor: TestClient) -> None:
    session = session_start.new_session(samples.resources, ANSWERED, RunSettings())
    answer = visitor.get(make_link(samples, session))
    assert answer.status_code == 200
    assert "No report yet" in answer.text


def test_the_page_follows_the_session(samples: SampleSessions, visitor: TestClient) -> None:
    link = make_link(samples, samples.answered)
    other = make_link(samples, samples.unanswered)
    assert ANSWERED in visitor.get(link).text
    assert UNANSWERED in visitor.get(other).text
    session_control.delete(samples.resources, samples.answered)
    assert visitor.get(link).status_code == 404


def test_the_owner_makes_a_link_that_is_shown_once_and_revokes_it(samples: SampleSessions) -> None:
    at = shown("report.py", session=samples.answered)
    assert f"report?session={samples.answered}" in at.code[0].value
    at.selectbox(key="share_days").select(30)
    at.button(key="create_share").click().run()
    assert not at.exception
    (address,) = [each.value for each in at.code if "/shared/" in each.value]
    db, now = samples.resources.db, samples.resources.clock.now()
    (made,) = shares.list_shares(db, LOCAL_USER, samples.answered, now)
    assert made.expires == pytest.approx(now + 30 * DAY_S, abs=600)
    assert shares.find_share(db, address.rpartition("/")[2], now)
    again = shown("report.py", session=samples.answered)
    assert not [each.value for each in again.code if "/shared/" in each.value]
    again.button(key=f"revoke_{made.key[:16]}").click().run()
    assert shares.list_shares(db, LOCAL_USER, samples.answered, now) == []
    assert f"revoke_{made.key[:16]}" not in keys(again)


def test_the_link_of_one_session_is_not_shown_on_another(samples: SampleSessions) -> None:
    at = shown("report.py", session=samples.answered)
    at.button(key="create_share").click().run()
    at.query_params["session"] = samples.unanswered
    at.run()
    assert not [each.value for each in at.code if "/shared/" in each.value]
