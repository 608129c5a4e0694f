"""Cited pages that a library holds: error pages and openings of articles are told from pages."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from research_core.journal.events import Draft
from research_core.journal.rule_versions import RELEASE, RULE_VERSIONS
from research_core.models import Page
from research_core.sessions import audits
from research_core.sessions.audits import AuditRequest
from research_core.sessions.replay import replay_session
from research_core.sessions.session_status import read_session_info
from research_core.web.fetch.paywalls import is_behind_paywall
from research_core.wiring import LOCAL_USER, open_log
from tests.audits import AuditWeb, attempt, audit, open_resources, page

ADDRESS = "https://energy.example.org/dam"
REPORT = f"The Kallow Dam cost $412 million [dam]({ADDRESS}).\n"
CLAIM = "The Kallow Dam cost $412 million to build."
OPENING = page("Kallow Dam", "The Kallow Dam has a long history.", "Subscribe to continue reading.")


def store(folder: Path, title: str, body: str) -> Path:
    """Write a folder with one stored page."""
    folder.mkdir()
    text = re.sub(r"<[^<>]+>", "\n\n", body).strip()
    (folder / "page.md").write_text(text, encoding="utf-8")
    row = {"file": "page.md", "url": ADDRESS, "title": title}
    (folder / "manifest.jsonl").write_text(json.dumps(row), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("title", "body", "reason"),
    [
        (
            "404 Not Found",
            "<h1>404 Not Found</h1><p>The page could not be found.</p>",
            "error page",
        ),
        ("Seite nicht gefunden", "<p>Die angeforderte Seite existiert nicht.</p>", "error page"),
        ("503", "<h1>503 Service Unavailable</h1><p>The server is down.</p>", "error page"),
        ("Access denied", "<p>You have no permission to read this page.</p>", "refuses programs"),
        ("Доступ запрещён", "<p>У вас нет прав на просмотр.</p>", "refuses programs"),
        ("Sign in", "<p>Enter your name and your password.</p>", "sign-in page"),
        ("Kallow Dam", f"<p>{CLAIM}</p><p>It stands on the Orra.</p>", ""),
    ],
)
def test_a_stored_error_page_is_not_read(
    tmp_path: Path, title: str, body: str, reason: str
) -> None:
    web = AuditWeb({ADDRESS: page("Kallow Dam", CLAIM, "It stands on the river Orra.")})
    resources = open_resources(tmp_path / "home", web)
    resources.library(LOCAL_USER).add(store(tmp_path / "pages", title, body), "my")
    _, result = audit(resources, REPORT, AuditRequest("r.md", library="my", library_only=True))
    (source,) = result.sources
    assert web.calls == []
    assert source.state == ("not read" if reason else "live")
    assert reason in source.reason
    assert result.claims[0].verdict == ("could not check" if reason else "supported")
    _, result = audit(resources, REPORT, AuditRequest("r.md", library="my"))
    assert result.claims[0].verdict == "supported"
    assert bool(web.calls) is bool(reason)


@pytest.mark.parametrize(
    ("scoring", "states"), [(5, ["live", "live"]), (6, ["not read", "paywalled"])]
)
def test_a_check_begun_under_older_rules_reads_what_it_read_then(
    tmp_path: Path, scoring: int, states: list[str]
) -> None:
    """A stored error page and the opening of an article were pages like any other."""
    stored = store(tmp_path / "pages", "Seite nicht gefunden", "<p>Diese Seite fehlt.</p>")
    article = "https://news.example.org/article"
    row = {"file": "article.md", "url": article, "title": "Kallow Dam"}
    with (stored / "manifest.jsonl").open("a", encoding="utf-8") as manifest:
        manifest.write("\n" + json.dumps(row))
    opening = "The Kallow Dam has a long history.\n\nSubscribe to continue reading.\n"
    (stored / "article.md").write_text(opening, encoding="utf-8")
    resources = open_resources(tmp_path / "home")
    resources.library(LOCAL_USER).add(stored, "my")
    request = AuditRequest("r.md", library="my", library_only=True)
    text = f"{REPORT}\nThe dam has a long history [article]({article}).\n"
    session = audits.new_audit(resources, text, request)
    row = read_session_info(resources, session).row
    created = {
        "question": row.question,
        "settings": row.settings,
        "session": session,
        "version": RELEASE,
        "rules": {**RULE_VERSIONS, "scoring": scoring},
    }
    open_log(resources, LOCAL_USER, session).append(Draft("created", created, "created"))
    assert attempt(resources, session) == "done"
    result = audits.read_audit(resources, session)
    assert result is not None
    assert [source.state for source in result.sources] == states
    again = replay_session(resources, LOCAL_USER, session)
    assert again.same
    assert {stored.kind for stored, _derived in again.differences} <= {"created"}


def test_an_opening_before_a_paywall_refutes_nothing(tmp_path: Path) -> None:
    _, result = audit(open_resources(tmp_path, AuditWeb({ADDRESS: OPENING})), REPORT)
    assert result.sources[0].state == "paywalled"
    assert result.claims[0].verdict in ("could not check", "not decided")


@pytest.mark.parametrize(
    ("text", "is_opening"),
    [
        ("Exports rose.\n\nSubscribe to continue reading.", True),
        ("Der Artikel ist nur für Abonnenten.", True),
        ("Cet article est réservé aux abonnés.", True),
        ("此文章订阅后阅读", True),
        ("Already a subscriber? Log in.", True),
        ("The board will subscribe to the shares. Readers continue to read.", False),
        ("To sign up to the agreement, states must read this treaty.", False),
        ("Log in to continue.", True),
        ("Subscribe now to read more.", True),
        ("Sign up to read more of this story.", True),
        ("Register to access the full article.", True),
        ("Subscribe to unlock this story.", True),
        ("Subscribe to read more from the Halyard every week.", False),
        ("Sign up for our newsletter to read more about tides.", False),
        ("Anglers register online to access the full list of rivers.", False),
        ("Students who sign up to continue their studies pay nothing.", False),
        ("Subscribe to continue reading. " + "A long article. " * 300, False),
    ],
)
def test_an_opening_says_that_the_rest_is_for_subscribers(text: str, is_opening: bool) -> None:
    assert is_behind_paywall(Page(ADDRESS, ADDRESS, "Dam", text)) is is_opening
