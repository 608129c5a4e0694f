"""Two tokens at one server: no route and no tool gives one user what another's ids name.

Routes and tools are listed from the server's own tables: a new one is tried, or fails here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from research_core import policy
from research_core.interfaces.http.app import APP_ROUTES
from research_core.model_messages import Json
from research_core.models import Principal
from research_core.tools import CLIENT_TOOLS
from research_core.tools.registry import Tool
from research_core.userdata import consent, memory
from tests.all_tools import ROOM, arguments, everything, outside, ready
from tests.event_loop import run_async
from tests.http_service import ADMIN, JWKS, Running, jwks, signed_in
from tests.timing import LONG_S

#: A word that only the first user's data holds.
MARKER = "quillwort"
FIRST = Principal("acme", "ada")
#: Routes that anybody may read: they tell of the server alone.
OPEN_PATHS = {"/health/live", "/health/ready"}
OPEN_PREFIX = "/.well-known/"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Running]:
    with signed_in(tmp_path, admin_key=ADMIN, memory=True) as at:
        yield at


def fill(server: Running) -> str:
    """Store a session and a note of the first user; return the session's id."""
    resources = server.resources
    now = resources.clock.now()
    consent.give_consent(resources.db, FIRST, "memory", now)
    memory.save_note(resources.db, FIRST, f"{MARKER} is rare", MARKER, "", [MARKER], now)
    answer = server.call(
        "sequential_search",
        server.token(sub=FIRST.user),
        researchGoal=f"How rare is {MARKER}?",
        searchStep=f"Look for {MARKER}",
        stepNumber=1,
        nextStepNeeded=True,
    )
    return str(answer.structured_content["sessionId"])


def test_no_route_gives_another_token_what_the_first_user_s_ids_name(server: Running) -> None:
    session = fill(server)
    named = {
        "tenant_id": FIRST.tenant, "user_id": FIRST.user, "session_id": session,
        "purpose": "memory", "given": True, "workspace": "lab", "jti": "one",
    }  # fmt: skip
    for bearer in (server.token(sub="bob"), server.token(sub="ada", tenant_id="other")):
        # As through a proxy: programs of the server's own machine see its metrics.
        headers = {"Authorization": f"Bearer {bearer}", "Via": "1.1 proxy"}
        for method, path, _ in APP_ROUTES:
            options: dict[str, Any] = {"params": named} if method == "GET" else {"json": named}
            answer = server.ask(method, path, headers=headers, **options)
            assert MARKER not in answer.text, path
            if path not in OPEN_PATHS and not path.startswith(OPEN_PREFIX):
                assert answer.status_code in (401, 403), (method, path)
    control = server.ask("GET", "/admin/data", admin=ADMIN, params=named)
    assert MARKER in control.text


# -- tools -----------------------------------------------------------------------------------------

#: What tools are given in place of a session, with which they would refuse a session's id.
INSTEAD_OF_A_SESSION = {"sources", "entries"}
OTHERS: tuple[Json, ...] = ({"sub": "bob"}, {"sub": "ada", "tenant_id": "other"})


@pytest.fixture
def equipped(tmp_path: Path) -> Iterator[Running]:
    """A server with every tool and a written-down web, where all three users may keep notes."""
    with signed_in(tmp_path, {JWKS: jwks()}, **everything()) as at:
        assert at.service.issuer_keys.get("one") is not None  # the web has no key of the issuer
        outside(at.resources)
        ready(at.resources, FIRST)
        for claims in OTHERS:
            other = Principal(claims.get("tenant_id", FIRST.tenant), claims["sub"])
            for purpose in policy.CONSENT_PURPOSES:
                consent.give_consent(at.resources.db, other, purpose, at.resources.clock.now())
        yield at


def build_arguments(row: Tool, session: str) -> Json:
    """Return valid arguments, with the session's id if the tool takes one."""
    values = arguments(row, session)
    if "sessionId" not in row.schema["properties"]:
        return values
    kept = {name: value for name, value in values.items() if name not in INSTEAD_OF_A_SESSION}
    return {**kept, "sessionId": session}


def read_error_kind(answer: Any) -> str:
    """Return the kind of failure that an answer tells, "" if it is none."""
    if not answer.is_error:
        return ""
    return str(json.loads(answer.content[0].text.partition("\n\n")[2])["error"]["kind"])


async def call_every_tool(
    server: Running, bearer: str, session: str, rows: Sequence[Tool]
) -> dict[str, Any]:
    """Call each tool with valid arguments, over one connection; return the answers by name."""
    async with server.client(bearer) as client:
        served = {tool.name for tool in (await client.list_tools()).tools}
        assert served == {row.name for row in CLIENT_TOOLS}
        return {
            row.name: await client.call_tool(row.name, build_arguments(row, session))
            for row in rows
        }


def test_every_tool_says_to_another_token_that_there_is_no_such_session(
    equipped: Running,
) -> None:
    """The first user's own call of it succeeds, so that only the session can be refused."""
    session = fill(equipped)
    rows = [row for row in CLIENT_TOOLS if "sessionId" in row.schema["properties"]]
    for claims in OTHERS:
        answers = run_async(
            call_every_tool(equipped, equipped.token(**claims), session, rows), LONG_S
        )
        kinds = {name: read_error_kind(answer) for name, answer in answers.items()}
        assert kinds == dict.fromkeys(kinds, "session_not_found")
        for name, answer in answers.items():
            assert MARKER not in str(answer), name
            assert "lastKnownStep" not in str(answer), name
    own = run_async(call_every_tool(equipped, equipped.token(), session, rows), LONG_S)
    assert {name: read_error_kind(answer) for name, answer in own.items()} == dict.fromkeys(own, "")
    assert len(own) > 15
    for name in ("get_research_session", "research_export", "sequential_search"):
        assert MARKER in str(own[name].structured_content), name


def test_no_tool_without_a_session_gives_another_token_what_the_first_user_keeps(
    equipped: Running,
) -> None:
    session = fill(equipped)
    room = equipped.call(
        "workspace_contribute", equipped.token(), workspace_id=ROOM, note=f"{MARKER} is rare"
    )
    assert not room.is_error
    rows = [row for row in CLIENT_TOOLS if "sessionId" not in row.schema["properties"]]
    for claims in OTHERS:
        answers = run_async(
            call_every_tool(equipped, equipped.token(**claims), session, rows), LONG_S
        )
        assert [name for name, answer in answers.items() if MARKER in str(answer)] == []
        assert {read_error_kind(answer) for answer in answers.values()} == {""}
        for name in ("workspace_contribute", "workspace_read"):
            assert answers[name].structured_content["status"] == "not_member", name
        assert answers["memory_recall"].structured_content["status"] == "ok"
    own = run_async(call_every_tool(equipped, equipped.token(), session, rows), LONG_S)
    assert {name for name, answer in own.items() if MARKER in str(answer)} >= {
        "memory_recall",
        "workspace_read",
    }
