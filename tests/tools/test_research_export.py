"""research_export, bullet by bullet of its specification (spec/research-tools.md, tool 18), and
over two processes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from research_core.context import memory_log
from research_core.errors import FetchError, UsageError
from research_core.model_messages import Json
from research_core.models import HttpReply, Principal
from research_core.sessions.tool_calls import ToolCaller
from research_core.settings import Settings
from research_core.tools import get_tool
from research_core.tools.client_session.answers import open_session
from research_core.tools.client_session.export import list_addresses
from research_core.tools.client_session.store import SessionGone
from research_core.tools.client_session.view import ClientResearch, ClientSource
from research_core.web.fetch import archive
from research_core.wiring import Resources, default_deps
from tests import client_sessions
from tests.bullets import Bullets, Check
from tests.client_sessions import GOAL, PAPER, PREPRINT, call_tool, take_step
from tests.markdown_read import headings, numbered
from tests.tool_calls_made import check_answer
from tests.tool_session import Web

COPY = "20240501000000"
bullet = Bullets("research_export")


@contextmanager
def open_tool_caller(**pages: Any) -> Iterator[ToolCaller]:
    with TemporaryDirectory() as home:
        tool_caller = client_sessions.make_tool_caller(Path(home), **pages)
        yield tool_caller
        tool_caller.resources.close()


def exported(tool_caller: ToolCaller, session: str, **said: object) -> Json:
    answer = call_tool(tool_caller, "research_export", sessionId=session, **said)
    check_answer("research_export", answer)
    return answer


def report(tool_caller: ToolCaller, session: str, **said: object) -> str:
    return str(exported(tool_caller, session, **said)["document"])


def values(tool_caller: ToolCaller, session: str, **said: object) -> Json:
    document: Json = exported(tool_caller, session, format="json", **said)["document"]
    return document


# ---------------------------------------------------------------- the fields of the answer


@bullet("markdown is the default, and every field is there")
def default() -> None:
    with open_tool_caller() as at:
        session = client_sessions.research(at)
        answer = exported(at, session)
        assert (
            answer == exported(at, session, format="markdown") == exported(at, session, format="")
        )
        document = answer.pop("document")
        assert document.startswith(f"# {GOAL}\n")
        assert answer == {
            "sessionId": session, "format": "markdown", "researchGoal": GOAL, "stepCount": 1, "sourceCount": 2,
            "startedAt": "1970-01-01T00:16:40Z", "exportedAt": "1970-01-01T00:16:40Z", "tenantId": "local",
            "trust": "untrusted-external-content",
        }  # fmt: skip


@bullet("json is the full structured session, steps past the last three and all they said too")
def whole() -> None:
    with open_tool_caller() as at:
        session = client_sessions.research(at)
        for number in range(2, 7):
            take_step(at, number, session, f"Look at {number}")
        about = {
            "reasoning": "Papers first.",
            "confidence": "low",
            "rejectedApproaches": ["blogs"],
            "knowledgeGap": "the night",
        }
        more = {
            "isRevision": True,
            "revisesStep": 2,
            "branchFromStep": 1,
            "branchId": "b",
            "totalStepsEstimate": 8,
        }
        take_step(
            at,
            7,
            session,
            "Look again",
            more=False,
            sessionSummary="So far, plankton.",
            **about,
            **more,
        )
        document = values(at, session)
        assert [each["stepNumber"] for each in document["steps"]] == [1, 2, 3, 4, 5, 6, 7]
        assert document["steps"][-1] == {
            "stepNumber": 7, "description": "Look again", "timestamp": "1970-01-01T00:16:40Z", "nextStepNeeded": False,
            "sessionSummary": "So far, plankton.", **about, **more,
        }  # fmt: skip
        assert (document["isComplete"], document["completedAt"], document["summary"]) == (
            True, "1970-01-01T00:16:40Z", "So far, plankton.",
        )  # fmt: skip
        assert document["gaps"] == [{"description": "the night", "foundInStep": 7}]
        assert document["sources"] == [
            {
                "url": PAPER, "title": "Reefs at night", "authors": ["Ana Müller", "Sara Iqbal"], "site": "Reef Notes",
                "published": "2020-03-01", "doi": "10.1000/reef.7",
            },
            {"url": PREPRINT, "title": "Attention", "doi": "10.48550/arXiv.1706.03762"},
        ]  # fmt: skip
        assert document["providerStats"] == {"searxng": {"attempts": 1, "successes": 1}}


# ---------------------------------------------------------------- behaviour


@bullet("the report has goal, metadata, every step, open questions, numbered sources and a footer")
def sections() -> None:
    with open_tool_caller() as at:
        session = client_sessions.research(at)
        take_step(
            at,
            2,
            session,
            "Read",
            reasoning="Papers first.",
            confidence="low",
            rejectedApproaches=["blogs"],
            knowledgeGap="the night",
        )
        said = report(at, session)
        assert headings(said) == [
            ("h1", GOAL), ("h2", "Steps"), ("h3", "Step 1"), ("h3", "Step 2"), ("h2", "Open questions"), ("h2", "Sources"),
        ]  # fmt: skip
        lines = said.splitlines()
        metadata = [
            f"- Session: {session}",
            "- Started: 1970-01-01T00:16:40Z",
            "- Completed: not yet",
            "- Steps: 2",
            "- Sources: 2",
        ]
        told = [
            "- Time: 1970-01-01T00:16:40Z",
            "- Confidence: low",
            "- Reasoning: Papers first.",
            "- Rejected: blogs",
        ]
        for line in (*metadata, *told, "- Still missing: the night", "- the night (step 2)"):
            assert line in lines
        assert [each.split(",")[0].rstrip(".") for each in numbered(said)] == [
            "Reefs at night",
            "Attention",
        ]
        assert lines[-1].startswith(
            f"Exported at 1970-01-01T00:16:40Z from session {session} of tenant local."
        )


@bullet("revisions and branches are labelled in the heading of their step")
def labelled() -> None:
    with open_tool_caller() as at:
        session = take_step(at)
        take_step(at, 2, session, isRevision=True, revisesStep=1)
        take_step(at, 3, session, branchFromStep=1, branchId="deep")
        take_step(at, 4, session, isRevision=True)
        take_step(at, 5, session, revisesStep=2, branchFromStep=1, branchId="deep")
        take_step(at, 6, session, branchFromStep=2)
        assert [words for tag, words in headings(report(at, session)) if tag == "h3"] == [
            "Step 1", "Step 2 (revision of step 1)", "Step 3 (branch deep from step 1)", "Step 4 (revision)",
            "Step 5 (revision of step 2, branch deep from step 1)", "Step 6 (branch from step 2)",
        ]  # fmt: skip


@bullet("the same session gives the same bytes but for exportedAt, in both formats")
def same() -> None:
    with open_tool_caller() as at:
        session = client_sessions.research(at)
        first = [exported(at, session, format=each) for each in ("markdown", "json")]
        client_sessions.pass_time(at, 600.0)
        again = [exported(at, session, format=each) for each in ("markdown", "json")]
        for one, other in zip(first, again, strict=True):
            assert (one.pop("exportedAt"), other.pop("exportedAt")) == (
                "1970-01-01T00:16:40Z",
                "1970-01-01T00:26:40Z",
            )
        first[0]["document"] = first[0]["document"].replace(
            "Exported at 1970-01-01T00:16:40Z", "Exported at 1970-01-01T00:26:40Z"
        )
        assert [json.dumps(each) for each in first] == [json.dumps(each) for each in again]


@bullet("it never mutates the session, links verified or not")
def unchanged() -> None:
    with open_tool_caller() as at:
        session = client_sessions.research(at)
        log = open_session(default_deps(memory_log("reefs"), at.resources), session).log
        before = log.read()
        for format in ("markdown", "json"):
            exported(at, session, format=format, verify_links=True)
        assert log.read() == before
        assert (
            log.calls()
            == open_session(default_deps(memory_log("reefs"), at.resources), session).log.calls()
        )


@bullet("it renews the time of the session, as every access does")
def renewed() -> None:
    with open_tool_caller() as at:
        session = take_step(at)
        for _ in range(2):
            client_sessions.pass_time(at, 3.9 * 3_600)
            exported(at, session)


@bullet("a session is its owner's alone, and another's is not found")
def owner() -> None:
    with open_tool_caller() as at:
        session = client_sessions.research(at)
        for who in (
            Principal("acme", "ann"),
            Principal("local", "bob"),
            Principal("acme", "local"),
        ):
            error = (
                client_sessions.make_caller_for(at, who)
                .serve("research_export", {"sessionId": session})
                .error
            )
            assert isinstance(error, SessionGone)
            assert (
                error.message
                == "Session not found or expired. Sessions last 4 hours from last activity."
            )


@bullet("tenantId is the owner's tenant, in the footer and in the document too")
def tenant() -> None:
    with open_tool_caller() as at:
        acme = client_sessions.make_caller_for(at, Principal("acme", "ann"))
        session = take_step(acme)
        assert exported(acme, session)["tenantId"] == values(acme, session)["tenantId"] == "acme"
        assert f"from session {session} of tenant acme." in report(acme, session)


# ---------------------------------------------------------------- verify_links


def found_at(*addresses: str) -> HttpReply:
    """What the search engine answers."""
    rows = [
        {"title": f"Reef {n}", "url": url, "content": "Corals."}
        for n, url in enumerate(addresses, 1)
    ]
    return HttpReply("", 200, {}, json.dumps({"results": rows}).encode())


LIVE, REFUSED, DEAD, COPIED, UNCHECKED = (
    f"https://{name}.example.org/" for name in ("live", "refused", "dead", "copied", "unchecked")
)


def answers(url: str, status: int) -> HttpReply:
    return HttpReply(url, status, {"content-type": "text/html"}, b"<p>Reefs</p>")


def verified(at: ToolCaller) -> str:
    session = take_step(at)
    call_tool(at, "web_search", query="corals", sessionId=session, num_results=5)
    return session


KEPT = {
    "archived_snapshots": {
        "closest": {
            "status": "200",
            "available": True,
            "timestamp": COPY,
            "url": f"{archive.ARCHIVE_ROOT}/{COPY}/{DEAD}",
        }
    }
}
PAGES: dict[str, Any] = {
    f"{client_sessions.SEARX}/search": found_at(LIVE, REFUSED, DEAD, UNCHECKED),
    LIVE: answers(LIVE, 200),
    REFUSED: answers(REFUSED, 403),
    DEAD: answers(DEAD, 404),
    UNCHECKED: FetchError(
        "The server’s answer [was](https://evil.example.org) *odd*.", kind="timeout"
    ),
    archive.AVAILABILITY_API: HttpReply(
        archive.AVAILABILITY_API, 200, {}, json.dumps(KEPT).encode()
    ),
}


@bullet("verify_links is off by default: nobody is asked, and nothing is said of links")
def not_verified() -> None:
    with open_tool_caller(pages=PAGES) as at:
        session = verified(at)
        before = len(at.resources.client.asked)
        assert "Link" not in report(at, session)
        assert not any("link" in each for each in values(at, session)["sources"])
        assert len(at.resources.client.asked) == before


@bullet(
    "a live, a refused, a dead and an unchecked link are four different things, in both formats"
)
def four_states() -> None:
    with open_tool_caller(pages=PAGES) as at:
        session = verified(at)
        told = {
            each["url"]: each["link"] for each in values(at, session, verify_links=True)["sources"]
        }
        assert {url: link["state"] for url, link in told.items()} == {
            LIVE: "live", REFUSED: "refused", DEAD: "dead", UNCHECKED: "unchecked",
        }  # fmt: skip
        assert [told[url].get("status") for url in (LIVE, REFUSED, DEAD, UNCHECKED)] == [
            200,
            403,
            404,
            None,
        ]
        said = report(at, session, verify_links=True)
        assert "- Links: 1 live, 1 refused, 1 dead, 1 could not be checked\n" in said
        live, refused, dead, unchecked = numbered(said)
        assert live.endswith(" Link: live.")
        assert " Link: refused. " in refused
        assert " Link: dead. " in dead
        assert (
            " Link: could not be checked. The server’s answer [was](https://evil.example.org) *odd*."
            in unchecked
        )


@bullet("a dead link carries its Wayback snapshot, and no other does")
def snapshot() -> None:
    with open_tool_caller(pages=PAGES) as at:
        session = verified(at)
        told = {
            each["url"]: each["link"].get("archivedUrl")
            for each in values(at, session, verify_links=True)["sources"]
        }
        copy = f"{archive.ARCHIVE_ROOT}/{COPY}/{DEAD}"
        assert told == {LIVE: None, REFUSED: None, DEAD: copy, UNCHECKED: None}
        said = report(at, session, verify_links=True)
        assert said.count(f"[An archived copy]({copy})") == 1


@bullet("a dead link without a snapshot says that none is known")
def no_snapshot() -> None:
    none = HttpReply(archive.AVAILABILITY_API, 200, {}, b'{"archived_snapshots": {}}')
    with open_tool_caller(pages={**PAGES, archive.AVAILABILITY_API: none}) as at:
        session = verified(at)
        assert (
            sum(
                each.endswith("No archived copy is known.")
                for each in numbered(report(at, session, verify_links=True))
            )
            == 1
        )


@dataclass
class Slow(Web):
    """A net in which every request takes so many seconds."""

    clock: Any = None
    takes_s: float = 0.0

    def send(self, method: str, url: str, **options: Any) -> HttpReply:
        self.clock.at += self.takes_s
        return super().send(method, url, **options)

    def close(self) -> None:
        """The resources close what they ask with."""


def test_links_have_a_time_of_their_own_and_what_is_left_then_is_told() -> None:
    with open_tool_caller(pages={**PAGES, f"{client_sessions.SEARX}/search": found_at(DEAD)}) as at:
        session = verified(at)
        told = []
        for takes_s in (
            18.0,
            30.0,
        ):  # of a look by HEAD, one by GET and the archive, one after the other
            at.resources.client = Slow(
                at.resources.client.pages, clock=at.resources.clock, takes_s=takes_s
            )  # type: ignore[attr-defined]
            (source,) = values(at, session, verify_links=True)["sources"]
            told.append((source["link"]["state"], bool(source["link"].get("archivedUrl"))))
    assert told == [("dead", True), ("dead", False)]


def test_the_sources_of_a_session_that_an_audit_has_no_time_for_are_ready_for_another_call() -> (
    None
):
    addresses = [f"https://reef{n}.example.org/" for n in range(10)]
    with open_tool_caller(pages={f"{client_sessions.SEARX}/search": found_at(*addresses)}) as at:
        session = take_step(at)
        call_tool(at, "web_search", query="corals", sessionId=session, num_results=10)
        at.resources.client = Slow(  # type: ignore[attr-defined]
            at.resources.client.pages, clock=at.resources.clock, takes_s=12.0
        )
        answer = call_tool(at, "audit_bibliography", sessionId=session)
        assert (answer["continueFrom"], len(answer["remaining"])) == (8, 2)
        again = call_tool(at, "audit_bibliography", entries=answer["remaining"])
    checked = [entry["url"] for entry in answer["entries"] + again["entries"]]
    assert sorted(checked) == sorted(addresses)
    assert "remaining as its entries" in answer["skippedNote"]


@bullet("verification is best-effort: where nothing can be checked the export is whole")
def nothing_checked() -> None:
    down = {
        url: FetchError("The net is down.", kind="timeout")
        for url in (LIVE, REFUSED, DEAD, UNCHECKED, archive.AVAILABILITY_API)
    }
    with open_tool_caller(pages={**PAGES, **down}) as at:
        session = verified(at)
        plain, checked = values(at, session), values(at, session, verify_links=True)
        assert {each.pop("link")["state"] for each in checked["sources"]} == {"unchecked"}
        assert checked == plain


@bullet("the check is guarded: an address inside is never asked, and an own document has none")
def guarded() -> None:
    with HTTPServer() as inside, TemporaryDirectory() as home:
        url = inside.url_for("/secret")
        at = ToolCaller(
            Resources(Settings(home=Path(home), database_url="sqlite://", ddgs_engines=()))
        )
        session = take_step(at)
        assert at.serve("scrape_page", {"url": url, "sessionId": session}).error is not None
        (source,) = values(at, session, verify_links=True)["sources"]
        assert (source["url"], source["link"]["state"]) == (url, "unchecked")
        assert inside.log == []
        at.resources.close()
    both = (ClientSource("document:notes.txt", "Notes", None), ClientSource(url, "Inside", None))
    assert list_addresses(ClientResearch(GOAL, 0.0, (), both, ())) == [url]


@bullet("each address is told of as it is checked")
def progress() -> None:
    with open_tool_caller(pages=PAGES) as at:
        session = verified(at)
        told: list[tuple[str, str]] = []
        served = at.serve(
            "research_export",
            {"sessionId": session, "verify_links": True},
            lambda *each: told.append(each),
        )
        assert served.answer is not None
        assert sorted(told) == sorted(("verify", url) for url in (LIVE, REFUSED, DEAD, UNCHECKED))


# ---------------------------------------------------------------- errors, annotations, cache


@bullet("sessionId is required")
def required() -> None:
    with open_tool_caller() as at:
        for said in ({}, {"sessionId": ""}):
            error = at.serve("research_export", said).error
            assert isinstance(error, UsageError)
            assert "sessionId" in error.message


@bullet("an unknown or expired session is not found")
def gone() -> None:
    with open_tool_caller() as at:
        session = take_step(at)
        client_sessions.pass_time(at, 4.1 * 3_600)
        for id in ("nobody's", session):
            error = at.serve("research_export", {"sessionId": id}).error
            assert isinstance(error, SessionGone)
            assert (
                error.message
                == "Session not found or expired. Sessions last 4 hours from last activity."
            )


@bullet("an invalid format is refused with the two there are")
def unknown() -> None:
    with open_tool_caller() as at:
        error = at.serve("research_export", {"sessionId": take_step(at), "format": "pdf"}).error
        assert isinstance(error, UsageError)
        assert (error.message, error.next_step) == (
            "There is no format 'pdf'.",
            "Use markdown or json.",
        )


@bullet("read-only, idempotent, of a closed world, and never offered to a run's model")
def annotations() -> None:
    row = get_tool("research_export")
    assert row
    assert (row.read_only, row.idempotent, row.open_world, row.keeps) == (True, True, False, True)


@bullet("nothing is cached: what a step adds is in the next export")
def uncached() -> None:
    with open_tool_caller() as at:
        session = take_step(at)
        assert exported(at, session)["stepCount"] == 1
        take_step(at, 2, session, "Another look")
        assert "Another look" in report(at, session)


@pytest.mark.parametrize("check", bullet.params)
def test_bullet(check: Check) -> None:
    check()


# ---------------------------------------------------------------- over processes

BEGIN = """
import json, sys
from pathlib import Path
from tests import client_sessions
tool_caller = client_sessions.make_tool_caller(Path(sys.argv[1]), at=float(sys.argv[2]), file="led.db")
session = client_sessions.research(tool_caller)
client_sessions.take_step(tool_caller, 2, session, "Read it", confidence="high", more=False)
print(session)
tool_caller.resources.close()
"""


@pytest.mark.full
def test_a_session_that_one_process_led_is_exported_by_another(tmp_path: Path) -> None:
    """The other is the command line, which knows of the first by the database alone."""
    begun = subprocess.run(
        [sys.executable, "-c", BEGIN, str(tmp_path), str(time.time())],
        capture_output=True,
        text=True,
        check=True,
    )
    session = begun.stdout.strip()
    environment = {
        **os.environ,
        "ASSAY_HOME": str(tmp_path),
        "ASSAY_DATABASE_URL": f"sqlite:///{tmp_path / 'led.db'}",
    }
    told = {}
    for format in ("markdown", "json"):
        said = json.dumps({"sessionId": session, "format": format})
        call = [
            sys.executable,
            "-m",
            "research_core",
            "tools",
            "call",
            "research_export",
            "--json",
            said,
        ]
        told[format] = json.loads(
            subprocess.run(call, capture_output=True, text=True, check=True, env=environment).stdout
        )
    assert [words for _, words in headings(told["markdown"]["document"])] == [
        GOAL, "Steps", "Step 1", "Step 2", "Open questions", "Sources",
    ]  # fmt: skip
    assert [each.split(",")[0] for each in numbered(told["markdown"]["document"])] == [
        "Reefs at night",
        "Attention",
    ]
    assert [each["url"] for each in told["json"]["document"]["sources"]] == [PAPER, PREPRINT]
    assert told["json"]["document"]["isComplete"] is True
