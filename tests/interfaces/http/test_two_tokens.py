"""Two tokens at one server: no route and no tool gives one user what another's ids name.

Routes and tools are listed from the server's own tables: a new one is tried, or fails here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from research_core.interfaces.http.app import APP_ROUTES
from research_core.model_messages import Json
from research_core.models import Principal
from research_core.tools import TOOLS
from research_core.userdata import consent, memory
from tests.event_loop import run_async
from tests.http_service import ADMIN, Running, signed_in
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


async def list_served(server: Running) -> set[str]:
    """Return the names of the tools that this server offers."""
    async with server.client(server.token(sub="bob")) as client:
        return {tool.name for tool in (await client.list_tools()).tools}


def test_no_tool_gives_another_token_what_the_first_user_s_session_holds(server: Running) -> None:
    session = fill(server)
    mine = server.call("get_research_session", server.token(sub="ada"), sessionId=session)
    assert MARKER in str(mine.structured_content)  # the control
    served = run_async(list_served(server), LONG_S)
    tried = set()
    for tool in TOOLS:
        if tool.name not in served:
            continue
        properties: Json = tool.schema.get("properties", {})
        if "sessionId" not in properties and not tool.name.startswith("memory"):
            continue
        arguments = {
            name: session if name == "sessionId" else "rare"
            for name in {*tool.schema.get("required", ()), *({"sessionId"} & set(properties))}
        }
        for bearer in (server.token(sub="bob"), server.token(sub="ada", tenant_id="other")):
            answer = server.call(tool.name, bearer, **arguments)
            assert MARKER not in json.dumps([str(each) for each in answer.content]), tool.name
            assert MARKER not in str(answer.structured_content), tool.name
        tried.add(tool.name)
    assert {"get_research_session", "research_export", "memory_recall"} <= tried
