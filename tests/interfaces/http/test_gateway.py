"""MCP over HTTP through the protocol's own client on loopback: tools, progress, cancel, tenants
apart, and every endpoint beside it.
"""

from __future__ import annotations

import asyncio
import base64
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp.shared.exceptions import MCPError
from prometheus_client import CollectorRegistry

from research_core.errors import FetchError, SettingsError
from research_core.interfaces.http.app import MCP_PATH
from research_core.interfaces.http.metrics import ROWS, Metrics
from research_core.interfaces.http.program import _require_sign_in, serve_http
from research_core.interfaces.mcp.server import SHUTTING_DOWN_TEXT
from research_core.models import Principal
from tests.counter import make_tool_caller
from tests.event_loop import run_async
from tests.everyday import mark_first_everyday
from tests.http_service import ADMIN, AUDIENCE, ISSUER, JWKS, Running, serving, signed_in
from tests.interfaces.mcp.test_server import ANSWERS, PAGE, Slow
from tests.timing import LONG_S, wait_until

HELLO = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
ACCEPT = {"Accept": "application/json, text/event-stream"}


@pytest.fixture(scope="module")
def open_one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server for all tests that leave it as it was: to stop one takes a fifth of a second."""
    with serving(tmp_path_factory.mktemp("open"), ANSWERS, robots=False, admin_key=ADMIN) as at:
        yield at


@pytest.fixture
def closed_one(tmp_path: Path) -> Iterator[Running]:
    with signed_in(
        tmp_path, ANSWERS, robots=False, admin_key=ADMIN, audit_path=str(tmp_path / "audit.jsonl")
    ) as at:
        yield at


def meet(talk: Any) -> Any:
    return run_async(talk(), LONG_S)


# ---------------------------------------------------------------- the protocol


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_tools_are_listed_called_and_read_from_over_http(open_one: Running, mode: Any) -> None:
    async def talk() -> Any:
        async with open_one.client(mode=mode) as client:
            listed = {row.name for row in (await client.list_tools()).tools}
            answer = await client.call_tool("clinical_search", {"query": "tea"})
            large = await client.call_tool("scrape_page", {"url": PAGE, "mode": "raw"})
            whole = await client.read_resource(large.content[1].uri)
            limits = await client.read_resource("stats://rate-limits")
            return (
                listed,
                answer,
                json.loads(whole.contents[0].text),
                json.loads(limits.contents[0].text),
            )

    listed, answer, whole, limits = meet(talk)
    assert {"clinical_search", "scrape_page", "search_and_scrape"} <= listed
    assert answer.structured_content["trials"][0]["nctId"] == "NCT01234567"
    assert whole["raw"] is True
    assert limits == {"limited": False}


@pytest.mark.parametrize("path", [MCP_PATH, f"{MCP_PATH}/"])
def test_both_spellings_of_the_address_are_served_and_only_by_post(
    open_one: Running, path: str
) -> None:
    assert open_one.ask("POST", path, json=HELLO, headers=ACCEPT).status_code == 200
    for method in ("GET", "DELETE"):
        assert open_one.ask(method, path, headers=ACCEPT).status_code == 405


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/admin/cache", "DELETE"),
        ("GET", "/admin/sessions", "DELETE"),
        ("GET", "/admin/revocations", "POST"),
        ("POST", "/admin/data", "GET, DELETE"),
        ("DELETE", "/admin/consent", "GET, POST"),
        ("GET", "/admin/workspace/members", "POST, DELETE"),
        ("POST", "/metrics", "GET"),
        ("PUT", MCP_PATH, "POST"),
    ],
)
def test_a_method_that_a_path_does_not_have_is_answered_with_those_it_has(
    open_one: Running, method: str, path: str, allowed: str
) -> None:
    answer = open_one.ask(method, path, headers=ACCEPT)
    assert (answer.status_code, answer.headers["Allow"]) == (405, allowed)
    assert answer.json()["error"]["message"] == f"{path} does not answer {method}, but {allowed}."


def test_a_caller_hears_that_a_long_call_is_at_work_and_one_that_goes_away_ends_it(
    tmp_path: Path,
) -> None:
    with serving(tmp_path, heartbeat_s=0.05) as at:
        outside = Slow()
        at.resources.__dict__["client"] = outside
        heard: list[str | None] = []

        async def hear(_progress: float, _total: float | None, message: str | None) -> None:
            heard.append(message)

        async def talk() -> None:
            async with at.client() as client:
                with anyio.CancelScope() as scope:
                    async with anyio.create_task_group() as beside:

                        async def call() -> None:
                            await client.call_tool(
                                "clinical_search", {"query": "tea"}, progress_callback=hear
                            )

                        beside.start_soon(call)
                        while not outside.asked.is_set() or len(heard) < 2:
                            await anyio.sleep(0.01)
                        scope.cancel()
                await anyio.to_thread.run_sync(
                    lambda: wait_until(lambda: outside.stop is not None and outside.stop.is_set())
                )

        meet(talk)
        assert len(heard) >= 2
        outside.let.set()


@pytest.mark.full
@pytest.mark.parametrize("many", mark_first_everyday([40, 200]))
def test_many_calls_at_once_all_get_their_answers(open_one: Running, many: int) -> None:
    async def talk() -> Any:
        async with open_one.client() as client:
            await client.call_tool(
                "clinical_search", {"query": "tea"}
            )  # the others are answered from the cache, past the service's pace
            return await asyncio.gather(
                *(client.call_tool("clinical_search", {"query": "tea"}) for _ in range(many))
            )

    answers = meet(talk)
    assert [answer.structured_content["trials"][0]["nctId"] for answer in answers] == [
        "NCT01234567"
    ] * many


def test_a_call_that_outlasts_the_server_is_told_so(tmp_path: Path) -> None:
    with serving(tmp_path) as at:
        outside = Slow()
        at.resources.__dict__["client"] = outside

        async def talk() -> str:
            async with at.client() as client:
                asking = asyncio.ensure_future(
                    client.call_tool("clinical_search", {"query": "tea"})
                )
                await asyncio.to_thread(wait_until, outside.asked.is_set)
                assert at.service.closing is not None
                at.closing()
                with pytest.raises(MCPError) as caught:
                    await asking
                return str(caught.value)

        assert meet(talk) == SHUTTING_DOWN_TEXT
        outside.let.set()


# ---------------------------------------------------------------- who asks


def test_without_a_good_token_nobody_is_let_in_and_is_told_where_to_get_one(
    closed_one: Running,
) -> None:
    where = f'resource_metadata="{closed_one.url}/.well-known/oauth-protected-resource/mcp"'
    without = closed_one.ask("POST", MCP_PATH, json=HELLO, headers=ACCEPT)
    assert (without.status_code, without.headers["www-authenticate"]) == (401, f"Bearer {where}")
    wrong = closed_one.ask(
        "POST",
        MCP_PATH,
        json=HELLO,
        headers={**ACCEPT, "Authorization": f"Bearer {closed_one.token(aud='other')}"},
    )
    assert wrong.status_code == 401
    assert wrong.headers["www-authenticate"] == (
        f'Bearer {where}, error="invalid_token", error_description="The token is meant for somebody else."'
    )
    right = closed_one.ask(
        "POST",
        MCP_PATH,
        json=HELLO,
        headers={**ACCEPT, "Authorization": f"bearer {closed_one.token()}"},
    )
    assert right.status_code == 200


def test_keys_that_cannot_be_had_are_no_verdict_on_a_token(tmp_path: Path) -> None:
    with signed_in(tmp_path, {JWKS: FetchError("Nobody answers.", kind="network")}) as at:
        answer = at.ask(
            "POST",
            MCP_PATH,
            json=HELLO,
            headers={**ACCEPT, "Authorization": f"Bearer {at.token()}"},
        )
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "60")
        assert answer.json()["error"]["message"] == "Nobody answers."


def test_a_revoked_token_lets_nobody_in_and_the_others_do(closed_one: Running) -> None:
    bad, good = closed_one.token(jti="bad"), closed_one.token(jti="good")
    assert not closed_one.call("clinical_search", bad, query="tea").is_error
    assert closed_one.ask(
        "POST", "/admin/revocations", admin=ADMIN, json={"jti": "bad"}
    ).json() == {"revoked": "bad"}
    answer = closed_one.ask(
        "POST", MCP_PATH, json=HELLO, headers={**ACCEPT, "Authorization": f"Bearer {bad}"}
    )
    assert (answer.status_code, answer.json()["error"]["message"]) == (
        401,
        "The token was revoked.",
    )
    assert not closed_one.call("clinical_search", good, query="tea").is_error


def test_scopes_are_enforced_where_the_owner_says_so(tmp_path: Path) -> None:
    with signed_in(tmp_path, ANSWERS, enforce_scopes=True, robots=False) as at:
        narrow, wide, silent = (
            at.token(scope="tool:scrape_page openid"),
            at.token(scp=["research"]),
            at.token(),
        )

        async def names(bearer: str) -> set[str]:
            async with at.client(bearer) as client:
                return {row.name for row in (await client.list_tools()).tools}

        assert meet(lambda: names(narrow)) == {"scrape_page"}
        assert meet(lambda: names(wide)) > {"scrape_page"}
        assert meet(lambda: names(silent)) == set()
        assert not at.call("scrape_page", narrow, url=PAGE).is_error
        refused = at.call("clinical_search", narrow, query="tea")
        assert refused.is_error
        assert (
            json.loads(refused.content[0].text.split("\n\n")[1])["error"]["kind"] == "auth_required"
        )
        assert "tool:clinical_search" in refused.content[0].text


#: Claims of a token; the tools that it may call of all, None for every one.
SCOPES = [
    ({}, set()),
    ({"scope": ""}, set()),
    ({"scp": []}, set()),
    ({"scope": "openid profile offline_access"}, set()),
    ({"scope": "tool:"}, set()),
    ({"scope": "Research TOOL:*"}, set()),
    ({"scope": "tool:no_such_tool"}, set()),
    ({"scope": "tool:scrape"}, set()),
    ({"scp": ["tool:scrape_page"]}, {"scrape_page"}),
    ({"scope": "tool:scrape_page", "scp": "tool:clinical_search"}, {"scrape_page", "clinical_search"}),
    ({"scope": "research"}, None),
]  # fmt: skip


@pytest.fixture(scope="module")
def scoped_one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("scoped")
    with signed_in(folder, ANSWERS, enforce_scopes=True, robots=False) as at:
        yield at


@pytest.mark.parametrize(("claims", "names"), SCOPES, ids=[str(claims) for claims, _ in SCOPES])
def test_a_token_sees_and_calls_only_what_its_scopes_name(
    scoped_one: Running, claims: dict[str, Any], names: set[str] | None
) -> None:
    async def look() -> Any:
        async with scoped_one.client(scoped_one.token(**claims)) as client:
            calls = {}
            for tool, arguments in (
                ("scrape_page", {"url": PAGE}), ("clinical_search", {"query": "tea"}),
                ("sequential_search", {"searchStep": "x", "stepNumber": 1, "nextStepNeeded": True}),
            ):  # fmt: skip
                calls[tool] = not (await client.call_tool(tool, arguments)).is_error
            return (
                {row.name for row in (await client.list_tools()).tools},
                {row.uri for row in (await client.list_resources()).resources},
                (await client.list_prompts()).prompts,
                (await client.list_resource_templates()).resource_templates,
                calls,
            )

    tools, resources, prompts, templates, calls = meet(look)
    assert calls["scrape_page"] == ("scrape_page" in tools)
    assert calls["clinical_search"] == ("clinical_search" in tools)
    if names is None:
        assert {"scrape_page", "clinical_search"} < tools
        assert "lenses://catalog" in resources
        return
    assert tools == names
    assert not calls["sequential_search"]
    assert bool(resources) == bool(prompts) == bool(templates) == bool(names)
    assert "lenses://catalog" not in resources


def test_a_token_without_scopes_reads_no_resource_and_hears_no_name(scoped_one: Running) -> None:
    whole, none = scoped_one.token(scope="tool:*"), scoped_one.token()
    narrow = scoped_one.token(scope="tool:scrape_page")
    scoped_one.call("clinical_search", whole, query="tea", num_results=1_000)

    async def read(bearer: str, uri: str) -> str:
        async with scoped_one.client(bearer) as client:
            try:
                return str((await client.read_resource(uri)).contents[0].text)
            except MCPError as error:
                return str(error)

    for uri in ("stats://tools", "stats://providers", "diagnostics://health", "lenses://catalog"):
        assert meet(lambda uri=uri: read(none, uri)).startswith("There is no resource")
    assert "clinical_search" in meet(lambda: read(whole, "stats://tools"))
    assert "clinical_search" not in meet(lambda: read(narrow, "stats://tools"))
    assert "clinical_search" in meet(lambda: read(whole, "diagnostics://errors/recent"))
    assert "clinical_search" not in meet(lambda: read(narrow, "diagnostics://errors/recent"))
    assert "trials" not in json.loads(meet(lambda: read(narrow, "stats://providers")))

    async def misname() -> str:
        async with scoped_one.client(none) as client:
            with pytest.raises(MCPError) as caught:
                await client.call_tool("clinical_serch", {"query": "tea"})
            return str(caught.value)

    assert meet(misname) == "Unknown tool: clinical_serch"


def test_an_open_server_has_no_tokens_whose_scopes_could_be_enforced(tmp_path: Path) -> None:
    with serving(tmp_path, ANSWERS, enforce_scopes=True, robots=False) as at:
        assert not at.call("scrape_page", url=PAGE).is_error


@pytest.mark.full
def test_two_tenants_and_two_users_share_neither_cache_nor_artifact_nor_errors(
    closed_one: Running,
) -> None:
    ada, bob = closed_one.token(sub="ada"), closed_one.token(sub="bob")
    eve = closed_one.token(sub="ada", tenant_id="other")
    first, same, others = (
        closed_one.call("clinical_search", each, query="tea") for each in (ada, bob, eve)
    )
    assert ["cached" in (each.meta or {}) for each in (first, same, others)] == [
        False,
        True,
        False,
    ]  # a tenant's cache is all its users'
    uri = closed_one.call("scrape_page", ada, url=PAGE, mode="raw").content[1].uri

    async def read(bearer: str, what: str) -> str:
        async with closed_one.client(bearer) as client:
            try:
                return str((await client.read_resource(what)).contents[0].text)
            except MCPError as error:
                return str(error)

    assert "raw" in meet(lambda: read(bob, uri))
    assert "no resource" in meet(lambda: read(eve, uri))
    closed_one.call("clinical_search", ada, query="tea", num_results=1_000)
    told = {
        each: json.loads(meet(lambda each=each: read(each, "diagnostics://errors/recent")))
        for each in (ada, bob, eve)
    }
    assert [len(told[each]) for each in (ada, bob, eve)] == [1, 0, 0]
    counts = [
        json.loads(meet(lambda each=each: read(each, "stats://tools"))) for each in (ada, bob, eve)
    ]
    assert [each["clinical_search"]["calls"] for each in counts] == [2, 1, 1]


def test_the_audit_says_whose_a_call_was_and_which_request(
    closed_one: Running, tmp_path: Path
) -> None:
    headers = {
        **ACCEPT,
        "Authorization": f"Bearer {closed_one.token()}",
        "X-Request-Id": "request-0001",
    }
    call = {
        **HELLO,
        "method": "tools/call",
        "params": {"name": "clinical_search", "arguments": {"query": "tea"}},
    }
    answer = closed_one.ask("POST", MCP_PATH, json=call, headers=headers)
    assert answer.headers["x-request-id"] == "request-0001"
    line = json.loads((tmp_path / "audit.jsonl").read_text().splitlines()[-1])
    assert (line["tenant_id"], line["user_id"], line["request_id"]) == (
        "acme",
        "ada",
        "request-0001",
    )


# ---------------------------------------------------------------- limits


def test_a_tenant_over_its_limit_is_told_when_to_ask_again_and_others_are_served(
    tmp_path: Path,
) -> None:
    with signed_in(tmp_path, ANSWERS, per_minute=3) as at:

        def ask(**claims: Any) -> httpx2.Response:
            return at.ask(
                "POST",
                MCP_PATH,
                json=HELLO,
                headers={**ACCEPT, "Authorization": f"Bearer {at.token(**claims)}"},
            )

        answers = [ask(sub=name) for name in ("ada", "bob", "eve", "dan")]
        assert [each.status_code for each in answers] == [200, 200, 200, 429]
        assert answers[-1].headers["retry-after"] == "60"
        assert answers[-1].json()["error"]["retryAfterSeconds"] == 60
        assert ask(tenant_id="other").status_code == 200


def test_the_day_s_calls_end_with_a_word_and_then_nothing_is_asked_that_day(tmp_path: Path) -> None:
    with serving(tmp_path, ANSWERS, calls_per_day=2) as at:
        answers = [at.call("clinical_search", query="tea") for _ in range(3)]
        assert [each.is_error for each in answers] == [False, False, True]
        assert (
            json.loads(answers[2].content[0].text.split("\n\n")[1])["error"]["retryAfterSeconds"]
            == 3_600
        )
        over = at.ask("POST", MCP_PATH, json=HELLO, headers=ACCEPT)
        assert (over.status_code, over.headers["retry-after"]) == (429, "3600")


def test_an_address_can_be_limited_before_anybody_signs_in(tmp_path: Path) -> None:
    with signed_in(tmp_path, per_address=2) as at:
        assert [at.ask("GET", "/health/live").status_code for _ in range(3)] == [200, 200, 429]


# ---------------------------------------------------------------- what every request passes


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/health/live", 200),
        ("GET", "/dashboard", 200),
        ("GET", "/nowhere", 404),
        ("DELETE", "/admin/cache", 401),
        ("POST", MCP_PATH, 400),
    ],
)
def test_every_answer_has_the_headers(
    open_one: Running, method: str, path: str, status: int
) -> None:
    answer = open_one.ask(
        method, path, headers=ACCEPT, **({"content": b"{"} if method == "POST" else {})
    )
    assert answer.status_code == status
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    wanted = {
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
    }
    assert wanted.items() <= dict(answer.headers).items()
    assert "max-age" in answer.headers["strict-transport-security"]
    assert len(answer.headers["x-request-id"]) == 32
    assert "server" not in answer.headers


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "rebound.example.org"}, 421),
        ({"Host": "localhost:1"}, 200),
        ({"Host": "[::1]:1"}, 200),
        ({"Host": ""}, 421),
        ({"Origin": "https://evil.example.org"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Origin": "http://localhost:1", "Host": "localhost:1"}, 200),
    ],
)
def test_pages_of_others_and_other_names_are_turned_away_and_too_large_bodies(
    open_one: Running, headers: Any, status: int
) -> None:
    assert open_one.ask("GET", "/health/live", headers=headers).status_code == status


def test_a_body_that_does_not_say_how_long_it_is_ends_at_the_same_bound(open_one: Running) -> None:
    def body() -> Iterator[bytes]:
        for _ in range(11):
            yield b" " * 1_000_000

    assert (
        open_one.ask(
            "POST", MCP_PATH, content=body(), headers={**ACCEPT, "Content-Type": "application/json"}
        ).status_code
        == 413
    )


def test_pages_of_listed_origins_may_ask_and_no_others(tmp_path: Path) -> None:
    with signed_in(tmp_path, cors_origins=("https://app.example.org",)) as at:
        asks = {"Access-Control-Request-Method": "POST"}
        good = at.ask("OPTIONS", MCP_PATH, headers={"Origin": "https://app.example.org", **asks})
        assert (good.status_code, good.headers["access-control-allow-origin"]) == (
            204,
            "https://app.example.org",
        )
        assert "admin" not in good.headers["access-control-allow-headers"].lower()
        bad = at.ask("OPTIONS", MCP_PATH, headers={"Origin": "https://evil.example.org", **asks})
        assert bad.status_code == 403
        assert "access-control-allow-origin" not in bad.headers
        assert "access-control-allow-origin" not in at.ask("GET", "/health/live").headers


@pytest.mark.full
def test_headers_that_do_not_come_to_an_end_in_time_close_the_connection(open_one: Running) -> None:
    port = int(open_one.url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=LONG_S) as line:
        line.sendall(b"GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
        assert line.recv(100) == b""


# ---------------------------------------------------------------- the endpoints beside it


def test_it_is_alive_and_ready_while_its_database_answers(open_one: Running) -> None:
    assert open_one.ask("GET", "/health/live").json() == {"status": "ok"}
    assert open_one.ask("GET", "/health/ready").json() == {"status": "ready"}


def test_it_is_alive_and_not_ready_where_its_database_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with serving(tmp_path / "file") as at:
        assert at.ask("GET", "/health/live").status_code == 200
        answer = at.ask("GET", "/health/ready")
        assert (answer.status_code, "folder" in answer.json()["error"]["message"]) == (503, True)


def test_metrics_count_and_name_no_tenant_unless_asked(closed_one: Running, tmp_path: Path) -> None:
    closed_one.call("clinical_search", closed_one.token(), query="tea")
    closed_one.ask("POST", MCP_PATH, json=HELLO, headers=ACCEPT)
    text = closed_one.ask("GET", "/metrics").text
    assert 'assay_tool_calls_total{error="",tool="clinical_search"} 1.0\n' in text
    assert 'assay_refused_total{why="token"} 1.0\n' in text
    assert 'assay_http_requests_total{route="/mcp",status="401"} 1.0\n' in text
    assert "acme" not in text
    with signed_in(tmp_path, ANSWERS, metrics_tenants=True) as at:
        at.call("clinical_search", at.token(), query="tea")
        assert 'tenant="acme"' in at.ask("GET", "/metrics").text


def test_rows_are_bounded_and_no_row_says_when_it_began() -> None:
    metrics = Metrics(CollectorRegistry())
    for number in range(ROWS + 200):
        metrics.add("assay_http_requests_total", route=f'/"{number}\n', status="200")
    text = metrics.format_text(assay_principals=3, assay_start_time_seconds=1.5)
    assert metrics.sum_rows("assay_http_requests_total") == ROWS + 200
    assert 'assay_http_requests_total{route="other",status="other"} 200.0\n' in text
    assert 'assay_http_requests_total{route="/\\"7\\n",status="200"} 1.0\n' in text
    assert "assay_principals 3.0\n" in text
    assert "# TYPE assay_http_requests_total counter\n" in text
    assert (text.count("assay_http_requests_total{"), "_created" in text) == (ROWS + 1, False)
    with pytest.raises(KeyError):
        metrics.add("assay_unknown_total")


def test_a_client_can_find_out_how_to_sign_in(tmp_path: Path) -> None:
    told = {"issuer": ISSUER, "token_endpoint": f"{ISSUER}/token"}
    answers = {
        f"{ISSUER}/.well-known/oauth-authorization-server": (404, {}),
        f"{ISSUER}/.well-known/openid-configuration": told,
    }
    with signed_in(tmp_path, answers, public_url="https://mcp.example.org") as at:
        for path in ("", MCP_PATH):
            protected = at.ask("GET", f"/.well-known/oauth-protected-resource{path}").json()
            assert (protected["resource"], protected["authorization_servers"]) == (
                f"https://mcp.example.org{MCP_PATH}",
                [ISSUER],
            )
        assert [
            at.ask("GET", "/.well-known/oauth-authorization-server").json() for _ in range(3)
        ] == [told] * 3
        assert len(at.resources.outside.asked) == 2


@pytest.mark.parametrize(
    ("said", "status"),
    [({"issuer": "https://other.example.org"}, 503), ((500, {}), 502), (b"no JSON", 502)],
)
def test_what_the_issuer_does_not_say_is_not_made_up(
    tmp_path: Path, said: Any, status: int
) -> None:
    ways = ("oauth-authorization-server", "openid-configuration")
    with signed_in(tmp_path, {f"{ISSUER}/.well-known/{way}": said for way in ways}) as at:
        assert at.ask("GET", "/.well-known/oauth-authorization-server").status_code == status


def test_an_open_server_has_nobody_to_sign_in_with(open_one: Running) -> None:
    for path in ("oauth-protected-resource", "oauth-authorization-server"):
        assert open_one.ask("GET", f"/.well-known/{path}").status_code == 404


def test_the_dashboard_is_a_page_without_data_and_its_data_is_the_operator_s(
    closed_one: Running,
) -> None:
    page = closed_one.ask("GET", "/dashboard")
    nonce = page.text.partition('nonce="')[2].partition('"')[0]
    assert f"script-src 'nonce-{nonce}'" in page.headers["content-security-policy"]
    assert nonce not in closed_one.ask("GET", "/dashboard").text
    assert "NONCE" not in page.text
    assert closed_one.ask("GET", "/dashboard/data").status_code == 401
    closed_one.call("clinical_search", closed_one.token(), query="tea", num_results=1_000)
    told = closed_one.ask("GET", "/dashboard/data", admin=ADMIN).json()
    assert (
        told["calls"],
        told["tools"]["clinical_search"]["errors"],
        told["errors"][0]["kind"],
    ) == (1, 1, "validation")
    assert "acme" not in json.dumps(told)


def test_the_dashboard_of_an_open_server_without_a_key_is_this_machine_s(tmp_path: Path) -> None:
    with serving(tmp_path) as at:
        assert at.ask("GET", "/dashboard/data").json()["calls"] == 0


def basic(password: str, user: str = "operator") -> dict[str, str]:
    encoded = base64.b64encode(f"{user}:{password}".encode()).decode()
    return {"Authorization": f"Basic {encoded}"}


FAR = {"X-Forwarded-For": "203.0.113.9"}
#: Headers of a request from this machine; whether it may see the figures with a key set, without.
OPERATOR_REQUESTS = [
    ({}, 200, 200),
    (FAR, 401, 403),
    ({"X-Real-IP": "127.0.0.1"}, 401, 403),
    ({"Forwarded": "for=127.0.0.1"}, 401, 403),
    ({"Via": "1.1 proxy"}, 401, 403),
    ({"Host": "assay.example.org"}, 401, 403),
    ({"Host": "127.0.0.1.evil.example"}, 401, 403),
    ({"Host": "[::1"}, 401, 403),
    ({"Host": "[x]:1"}, 401, 403),
    ({"Host": ""}, 401, 403),
    ({"Host": "evil.example:1@127.0.0.1"}, 401, 403),
    ({"Host": "evil.example#@localhost"}, 401, 403),
    ({"Host": "rebound_.example.org"}, 401, 403),
    ({"Host": "rebound_a.localhost.example.org:1"}, 401, 403),
    ({"Host": "127.0.0.1,evil.example"}, 401, 403),
    ({"Host": "LOCALHOST:1"}, 200, 200),
    ({**FAR, "X-Admin-Key": ADMIN}, 200, 403),
    ({**FAR, "X-Admin-Key": f"{ADMIN}."}, 401, 403),
    ({**FAR, **basic(ADMIN)}, 200, 403),
    ({**FAR, **basic(ADMIN, "")}, 200, 403),
    ({**FAR, **basic("a guess")}, 401, 403),
    ({**FAR, "Authorization": "Basic ?"}, 401, 403),
    ({**FAR, "Authorization": f"Bearer {ADMIN}"}, 401, 403),
]


@pytest.fixture(scope="module")
def keyed_and_keyless(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[Running, Running]]:
    with (
        signed_in(tmp_path_factory.mktemp("keyed"), admin_key=ADMIN) as keyed,
        signed_in(tmp_path_factory.mktemp("keyless")) as keyless,
    ):
        yield keyed, keyless


@pytest.mark.parametrize("path", ["/metrics", "/dashboard"])
@pytest.mark.parametrize(("headers", "keyed", "keyless"), OPERATOR_REQUESTS, ids=str)
def test_who_is_not_the_operator_sees_no_figures_of_a_server_with_tokens(
    keyed_and_keyless: tuple[Running, Running],
    path: str,
    headers: dict[str, str],
    keyed: int,
    keyless: int,
) -> None:
    statuses = [at.ask("GET", path, headers=headers).status_code for at in keyed_and_keyless]
    assert statuses == [keyed, keyless]


def test_behind_a_proxy_nobody_is_local_and_a_browser_may_ask_for_the_key(tmp_path: Path) -> None:
    public = "https://mcp.example.org"
    with signed_in(tmp_path, admin_key=ADMIN, public_url=public) as at:
        refused = at.ask("GET", "/dashboard")
        assert refused.status_code == 401
        assert refused.headers["www-authenticate"].startswith("Basic realm=")
        assert at.ask("GET", "/dashboard/data", headers=basic(ADMIN)).status_code == 200
        # What changes something takes no password that a browser sends by itself.
        assert at.ask("DELETE", "/admin/cache", headers=basic(ADMIN)).status_code == 401


@pytest.mark.parametrize("path", ["/metrics", "/dashboard"])
def test_a_caller_whom_a_trusted_proxy_names_is_not_of_this_machine(
    tmp_path: Path, path: str
) -> None:
    with signed_in(tmp_path, admin_key=ADMIN, trusted_proxies=("127.0.0.1",)) as at:
        assert at.ask("GET", path, headers=FAR).status_code == 401
        assert at.ask("GET", path, headers=FAR, admin=ADMIN).status_code == 200


NO_WAYS = [
    ("POST", "/admin/data"),
    ("DELETE", "/admin/consent"),
    ("GET", "/admin/workspace/members"),
]
ADMINISTRATION = [
    ("DELETE", "/admin/cache"),
    ("DELETE", "/admin/sessions"),
    ("POST", "/admin/revocations"),
    ("GET", "/admin/analytics"),
]
ADMINISTRATION += [
    (method, f"/admin/{path}")
    for path in ("data", "consent", "workspace/members")
    for method in ("GET", "POST", "DELETE")
]
ADMINISTRATION = [each for each in ADMINISTRATION if each not in NO_WAYS]


@pytest.fixture(scope="module")
def with_two_keys(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with serving(
        tmp_path_factory.mktemp("keys"), admin_key=ADMIN, admin_key_prev="the operator's old key"
    ) as at:
        yield at


@pytest.fixture(scope="module")
def without_a_key(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with serving(tmp_path_factory.mktemp("no-key")) as at:
        yield at


@pytest.mark.parametrize(("method", "path"), ADMINISTRATION)
def test_the_operator_s_endpoints_are_shut_without_the_key(
    with_two_keys: Running, without_a_key: Running, method: str, path: str
) -> None:
    for wrong in ("", "the operator's", f"{ADMIN}.", "thé operator's own key"):
        assert (
            with_two_keys.ask(method, path, headers={"X-Admin-Key": wrong.encode()}).status_code
            == 401
        )
    assert with_two_keys.ask(method, path, admin="the operator's old key").status_code in (200, 400)
    assert without_a_key.ask(method, path, admin=ADMIN).status_code == 403


@pytest.mark.full
def test_the_operator_empties_one_tenant_s_cache_or_all(closed_one: Running) -> None:
    tokens = [closed_one.token(tenant_id=name) for name in ("acme", "other")]

    def cached() -> list[bool]:
        return [
            "cached" in (closed_one.call("clinical_search", each, query="tea").meta or {})
            for each in tokens
        ]

    assert [cached(), cached()] == [[False, False], [True, True]]
    assert (
        closed_one.ask("DELETE", "/admin/cache?tenant_id=acme", admin=ADMIN).json()["tenants"] == 1
    )
    assert cached() == [False, True]
    assert closed_one.ask("DELETE", "/admin/cache", admin=ADMIN).json()["tenants"] == 2
    assert cached() == [False, False]


def test_the_operator_records_consent_admits_members_tells_and_erases(closed_one: Running) -> None:
    ada = {"tenant_id": "acme", "user_id": "ada"}
    mine = "?tenant_id=acme&user_id=ada"

    def ask(method: str, path: str, **more: Any) -> Any:
        return closed_one.ask(method, f"/admin/{path}", admin=ADMIN, **more).json()

    assert ask("POST", "consent", json={**ada, "purpose": "memory"}) == {
        "purpose": "memory",
        "given": True,
    }
    assert ask("POST", "consent", json={**ada, "purpose": "workspace", "given": False}) == {
        "purpose": "workspace",
        "given": False,
    }
    told = ask("GET", f"consent{mine}")
    assert told["standing"] == {"memory": True, "analytics": False, "workspace": False}
    assert [(each["purpose"], each["given"], each["by"]) for each in told["history"]] == [
        ("memory", True, "admin"), ("workspace", False, "admin")
    ]  # fmt: skip
    assert (
        closed_one.ask(
            "POST", "/admin/consent", admin=ADMIN, json={**ada, "purpose": "spying"}
        ).status_code
        == 400
    )
    assert (
        closed_one.ask(
            "POST", "/admin/consent", admin=ADMIN, json={**ada, "purpose": "memory", "given": 1}
        ).status_code
        == 400
    )
    assert ask("POST", "workspace/members", json={**ada, "workspace_id": "w"}) == {"member": True}
    assert [each["workspace"] for each in ask("GET", f"data{mine}")["memberships"]] == ["w"]
    assert ask("DELETE", "workspace/members", json={**ada, "workspace_id": "w"}) == {
        "removed": True
    }
    assert ask("DELETE", "workspace/members", json={**ada, "workspace_id": "w"}) == {
        "removed": False
    }
    assert ask("GET", f"analytics{mine}") == {"analytics": None}
    assert ask("DELETE", f"data{mine}")["erased"]["consents"] == 2
    assert ask("GET", f"data{mine}")["consents"] == []
    assert closed_one.ask("GET", "/admin/data?tenant_id=acme", admin=ADMIN).status_code == 400


def test_the_operator_closes_sessions_of_one_user_or_all(closed_one: Running) -> None:
    from research_core.policy import RunSettings
    from research_core.tools.client_session import store

    db, clock = closed_one.resources.db, closed_one.resources.clock
    users = [Principal("acme", "ada"), Principal("acme", "bob"), Principal("other", "ada")]
    for who in users:
        store.begin_session(db, who, clock, "tides", RunSettings(), 100.0)

    def live() -> list[int]:
        return [store.count_live_sessions(db, who, clock.now()) for who in users]

    one = closed_one.ask("DELETE", "/admin/sessions?tenant_id=acme&user_id=ada", admin=ADMIN)
    assert (one.json(), live()) == ({"closed": 1, "users": 1}, [0, 1, 1])
    assert (
        closed_one.ask("DELETE", "/admin/sessions?tenant_id=acme", admin=ADMIN).status_code == 400
    )
    assert (closed_one.ask("DELETE", "/admin/sessions", admin=ADMIN).json()["closed"], live()) == (
        2,
        [0, 0, 0],
    )


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b'{"jti": 3}',
        b'{"jti": "a", "expires_at": "soon"}',
        b'{"jti": "' + b"a" * 201 + b'"}',
    ],
)
def test_what_cannot_be_read_is_refused_with_a_word(open_one: Running, body: bytes) -> None:
    answer = open_one.ask("POST", "/admin/revocations", admin=ADMIN, content=body)
    assert (answer.status_code, bool(answer.json()["error"]["message"])) == (400, True)


def test_a_request_to_the_operator_s_side_is_small(open_one: Running) -> None:
    assert (
        open_one.ask("POST", "/admin/revocations", admin=ADMIN, content=b" " * 70_000).status_code
        == 413
    )


# ---------------------------------------------------------------- as a program


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
def test_without_sign_in_it_listens_on_this_machine_only(tmp_path: Path, host: str) -> None:
    with pytest.raises(SettingsError, match="this machine only"):
        serve_http(make_tool_caller(tmp_path, {}).resources, host)
    _require_sign_in(
        make_tool_caller(tmp_path, {}, issuer=ISSUER, audience=AUDIENCE).resources, host
    )


def test_an_issuer_without_an_audience_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="meant for"):
        serve_http(make_tool_caller(tmp_path, {}, issuer=ISSUER).resources)


def test_a_port_that_is_taken_is_said_in_a_sentence(tmp_path: Path, open_one: Running) -> None:
    port = int(open_one.url.rpartition(":")[2])
    with pytest.raises(
        SettingsError, match=f"Port {port} of 127.0.0.1 cannot be had: Address already in use"
    ):
        serve_http(make_tool_caller(tmp_path, {}).resources, "127.0.0.1", port)
    with pytest.raises(SettingsError, match="no port 70000"):
        serve_http(make_tool_caller(tmp_path, {}).resources, "127.0.0.1", 70_000)
