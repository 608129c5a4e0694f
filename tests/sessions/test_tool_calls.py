"""What serves a tool to who is no run: counts, recent errors, the line of the audit, the command
line; nothing secret in any of them.
"""

from __future__ import annotations

import contextlib
import io
import json
import stat
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from research_core.errors import ResearchError, SettingsError
from research_core.interfaces.terminal import say
from research_core.journal import audit
from research_core.journal.cache import ARTIFACT_TTL_S, find_artifact, store_artifact
from research_core.journal.events import Event
from research_core.sessions.tool_calls import MAX_RECENT
from research_core.tools import DEFAULT_TOOLS, TOOLS, answer_meta, get_tool
from research_core.tools.failures import format_error
from research_core.wiring import LOCAL_USER
from tests.contracts.exa import ANSWER, EXTRACTED, KEY
from tests.contracts.trials import STUDY
from tests.counter import make_tool_caller
from tests.terminal import assay

STUDIES = "https://clinicaltrials.gov/api/v2/studies"
FOUND = {STUDIES: {"studies": [STUDY]}}


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_call_has_its_line_without_what_was_asked_or_answered(tmp_path: Path) -> None:
    log = tmp_path / "audit" / "calls.jsonl"
    at = make_tool_caller(tmp_path, FOUND, audit_path=str(log))
    at.serve("clinical_search", {"query": "green tea"})
    at.serve("clinical_search", {})
    first, second = lines(log)
    assert {
        name: first[name] for name in ("event_type", "tenant_id", "user_id", "tool_name", "success")
    } == {
        "event_type": "tool_call",
        "tenant_id": LOCAL_USER.tenant,
        "user_id": LOCAL_USER.user,
        "tool_name": "clinical_search",
        "success": True,
    }
    assert str(first["timestamp"]).endswith("Z")
    assert first["request_id"] != second["request_id"]
    assert first["metadata"] == {"query_length": 9, "provider": "clinicaltrials"}
    assert (second["success"], second["error_code"]) == (False, "validation")
    assert "green" not in log.read_text()
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("name", "address", "body", "cost"),
    [("answer", "answer", ANSWER, 0.005), ("structured_search", "search", EXTRACTED, 0.007)],
)
def test_an_answer_that_was_kept_cost_nothing_this_time(
    tmp_path: Path, name: str, address: str, body: Any, cost: float
) -> None:
    log, url = tmp_path / "calls.jsonl", f"https://api.exa.ai/{address}"
    at = make_tool_caller(tmp_path, {url: body}, audit_path=str(log), **KEY)
    served = [at.serve(name, {"query": "tea"}) for _ in range(3)]
    at.resources.clock.pass_by(3600.0)  # type: ignore[attr-defined]
    served.append(at.serve(name, {"query": "tea"}))
    assert [each.meta.get("cached", False) for each in served] == [False, True, True, False]
    assert [(each.answer or {}).get("costUsd") for each in served] == [cost, 0.0, 0.0, cost]
    assert [line["metadata"]["cost_usd"] for line in lines(log)] == [cost, 0.0, 0.0, cost]  # type: ignore[index]
    assert len(at.resources.outside.asked) == 2  # type: ignore[attr-defined]


def test_an_answer_of_unknown_cost_that_was_kept_cost_nothing_either(tmp_path: Path) -> None:
    at = make_tool_caller(
        tmp_path, {"https://api.exa.ai/answer": {**ANSWER, "costDollars": None}}, **KEY
    )
    first, again = (at.serve("answer", {"query": "tea"}).answer or {} for _ in range(2))
    assert ("costUsd" in first, again["costUsd"]) == (False, 0.0)


def test_with_the_owner_s_leave_the_line_has_the_query_and_still_no_key(tmp_path: Path) -> None:
    log = tmp_path / "calls.jsonl"
    at = make_tool_caller(tmp_path, FOUND, audit_path=str(log), audit_queries=True)
    at.serve("clinical_search", {"query": "tea with key=abcdef123456 and AIzaSyA1234567890abcdef"})
    assert lines(log)[0]["metadata"]["query"] == "tea with key=[hidden] and [hidden]"  # type: ignore[index]


@pytest.mark.parametrize(
    "secret",
    [
        "AIzaSyD-1234567890_abc", "sk-abcdef123456", "BSA1234567890abcdef", "Bearer abc.def.ghi", "Basic dXNlcjpwYXNz", "key=s3cr3t",
        "tvly-abcdef123456", "ghp_abcdef1234560123456789", "https://ann:s3cr3t@tea.example", '"api_key": "s3cr3t"', '"token": "s3cr3t"',
        "token=s3cr3t", "password=s3cr3t", "secret=s3cr3t", "x-api-key: s3cr3t", "X-Subscription-Token: s3cr3t", "api_key=s3cr3t&q=tea",
        '{"api_key":"s3cr3t"}', "{'token': 's3cr3t'}", "client_secret='s3cr3t or two'", "x-api-key:s3cr3t", "password: s3cr3t",
        "api_key%3Ds3cr3t", "key = s3cr3t", "bearer abcdef123456", "authorization: token abcdef1234567890", "AKIA1234567890ABCDEF",
        "xoxb-1234567890-tea", "glpat-abcdef123456", "github_pat_abcdef1234560123456789", "eyJhbGciOi.eyJzdWIi.abcdef123456",
    ],
)  # fmt: skip
def test_what_looks_like_a_secret_is_masked(secret: str) -> None:
    shown = audit.mask_secrets(f"before {secret} after")
    assert audit.HIDDEN_MARK in shown
    assert not any(
        part in shown for part in ("s3cr3t", "1234567890", "abcdef123456", "abc.def", "dXNl")
    )
    assert (shown.startswith("before "), shown.endswith(" after")) == (True, True)


def test_words_that_only_speak_of_keys_stay() -> None:
    text = "The key to tea is the token of patience; a secret, a password, no more. The key: a bearer of good news, and monkeys = apes."
    assert audit.mask_secrets(text) == text


def test_a_file_that_cannot_be_written_fails_no_call_and_is_said(tmp_path: Path) -> None:
    (tmp_path / "here").write_text("")
    at = make_tool_caller(tmp_path, FOUND, audit_path=str(tmp_path / "here" / "calls.jsonl"))
    assert at.serve("clinical_search", {"query": "tea"}).error is None
    assert "AUDIT_LOG_PATH" in at.resources.trouble[0].next_step


def test_recent_errors_are_few_new_and_without_secrets(tmp_path: Path) -> None:
    at = make_tool_caller(tmp_path, {STUDIES: (401, "The token=abcdef123456 is wrong")})
    for n in range(MAX_RECENT + 5):
        at.serve("clinical_search", {"query": f"tea {n}"})
        at.resources.clock.pass_by(60.0)  # type: ignore[attr-defined]
    errors = at.list_recent_errors()
    assert len(errors) == MAX_RECENT
    assert {error["kind"] for error in errors} == {"auth_required"}
    assert "abcdef123456" not in str(errors)


def test_statistics_count_calls_time_and_errors(tmp_path: Path) -> None:
    at = make_tool_caller(tmp_path, FOUND)
    at.serve("clinical_search", {"query": "tea"})
    at.serve("clinical_search", {})
    assert at.summarize_calls() == {
        "clinical_search": {"calls": 2, "errors": 1, "errorRate": 0.5, "meanMs": 0.0}
    }


def test_arguments_of_any_shape_are_a_sentence(tmp_path: Path) -> None:
    at = make_tool_caller(tmp_path, {})
    for arguments in ([], "tea", None, 7, {"query": ["tea"]}, {"query": "x" * 501}):
        error = at.serve("web_search", arguments).error
        assert isinstance(error, ResearchError)
        assert error.message


# ---------------------------------------------------------------- artifacts


def test_a_result_is_kept_under_the_hash_of_what_it_holds(tmp_path: Path) -> None:
    resources = make_tool_caller(tmp_path, {}).resources
    cache = resources.open_page_cache(LOCAL_USER)
    assert cache is not None
    first, again = (
        store_artifact(cache, b"a large result", "application/json", 100.0) for _ in range(2)
    )
    assert first == again
    assert find_artifact(cache, first, 100.0 + ARTIFACT_TTL_S - 1) == (
        b"a large result",
        "application/json",
    )
    assert find_artifact(cache, first, 100.0 + ARTIFACT_TTL_S) is None
    assert find_artifact(cache, "0" * 64, 100.0) is None


# ---------------------------------------------------------------- the command line


def test_tools_are_listed_with_what_they_need() -> None:
    shown = assay("tools", "list")
    assert shown.code == 0
    rows = {line.split()[0]: line for line in shown.out.splitlines()}
    assert "needs BRAVE_API_KEY" in rows["local_search"]
    assert "needs" not in rows["clinical_search"].split("  ")[-1]
    told = json.loads(assay("tools", "list", "--json").out)["tools"]
    assert (
        [row["name"] for row in told]
        == [*rows]
        == [row.name for row in TOOLS if row not in DEFAULT_TOOLS]
    )
    assert (
        "(needs BRAVE_API_KEY, or SERPER_API_KEY, or SEARCHAPI_API_KEY, or"
        " GOOGLE_CUSTOM_SEARCH_API_KEY and" in rows["image_search"]
    )
    assert all(
        line.endswith((".", "_KEY)", "_URL)", "_EMAIL)", "_ENABLED=true)"))
        for line in rows.values()
    )
    needs = {row["name"]: row["needs"] for row in told}
    assert needs["answer"] == "EXA_API_KEY"
    google = "GOOGLE_CUSTOM_SEARCH_API_KEY and GOOGLE_CUSTOM_SEARCH_ID"
    assert (
        needs["image_search"]
        == f"BRAVE_API_KEY or SERPER_API_KEY or SEARCHAPI_API_KEY or {google} or SEARXNG_URL"
    )
    always = {
        "web_search",
        "patent_search",
        "academic_search",
        "scrape_page",
    }  # some of what they ask needs a key, and not all
    assert {needs[name] for name in always} == {""}


@pytest.mark.parametrize(
    ("name", "seconds"), [("web_search", 1800), ("patent_search", 86_400), ("scrape_page", 3600)]
)
def test_how_long_an_answer_stands_is_what_its_kind_of_provider_says(
    name: str, seconds: int
) -> None:
    row, about = get_tool(name), {"cached": True, "age": 7}
    assert row is not None
    told = answer_meta.build_meta(
        row,
        [Event(1, 0.0, "call", {"kind": "http", "about": about}, None)],
        [],
        routed=False,
        seconds=0.0,
    )
    assert (told["ageSeconds"], told["maxAgeSeconds"]) == (7, seconds)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (
            ("no_such_tool",),
            2,
            "Unknown tool: no_such_tool. There are: scrape_page, search_and_scrape, web_search, ",
        ),
        *(
            ((row.name,), 2, f"Unknown tool: {row.name}") for row in DEFAULT_TOOLS
        ),  # made for a model's loop
        (("clinical_search",), 2, "Give query, condition"),
        (("clinical_search", "--json", "{"), 2, "--json is not JSON"),
        (("clinical_search", "--json", "[]"), 2, "cannot run"),
        (("local_search", "--json", '{"query": "tea"}'), 2, "BRAVE_API_KEY"),
        (("scrape_page", "--json", '{"url": "http://127.0.0.1/"}'), 1, "not a public address"),
    ],
)
def test_a_call_that_fails_says_why_and_what_to_do(
    words: tuple[str, ...], code: int, said: str
) -> None:
    shown = assay("tools", "call", *words)
    assert (shown.code, shown.out) == (code, "")
    assert said in shown.err
    assert "Traceback" not in shown.err


def test_a_line_of_progress_is_written_at_once_so_that_two_threads_never_share_one() -> None:
    parts: list[str] = []

    class Written(io.StringIO):
        def write(self, text: str) -> int:
            parts.append(text)
            return len(text)

    with contextlib.redirect_stderr(Written()):
        say("fetch: https://tides.example/1")
    assert [part for part in parts if part] == ["fetch: https://tides.example/1\n"]


def test_an_answer_is_json_on_standard_output(
    monkeypatch: pytest.MonkeyPatch, httpserver: HTTPServer
) -> None:
    row = {"title": "Tea", "url": "https://example.org/tea", "content": "Of leaves."}
    httpserver.expect_request("/search").respond_with_json({"results": [row]})
    monkeypatch.setenv("SEARXNG_URL", httpserver.url_for("").rstrip("/"))
    monkeypatch.setenv("SEARCH_ROUTING", "searxng")
    shown = assay("tools", "call", "web_search", "--json", '{"query": "tea"}')
    assert shown.code == 0
    assert [each["url"] for each in json.loads(shown.out)["results"]] == [row["url"]]


# ---------------------------------------------------------------- what would be stumbled over later


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"tool_groups": ("nope",)}, "no group of tools 'nope'"),
        ({"routing": {"default": ("nope",)}}, "no provider 'nope'"),
        ({"routing": {"webb": ("searxng",)}}, "no kind 'webb'"),
        ({"routing": {"web": ("clinicaltrials",)}}, "no provider 'clinicaltrials' for web"),
        ({"routing": {"default": ("brave",)}}, "brave needs BRAVE_API_KEY"),
        ({"lenses_path": "/no/such/folder"}, "/no/such/folder"),
        ({"reputation_path": "/no/such/file"}, "/no/such/file"),
    ],
)
def test_settings_that_cannot_be_used_are_said_before_the_first_call(
    tmp_path: Path, wrong: dict[str, object], said: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        make_tool_caller(tmp_path, {}, **wrong).check()
    assert said in caught.value.message
    assert caught.value.next_step


def test_an_order_for_the_web_leaves_registers_as_they_are(tmp_path: Path) -> None:
    at = make_tool_caller(tmp_path, FOUND, routing={"default": ("searxng",)})
    at.check()
    assert at.serve("clinical_search", {"query": "tea"}).error is None


def test_what_fails_no_call_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "here").write_text("")
    at = make_tool_caller(tmp_path, FOUND, audit_path=str(tmp_path / "here" / "calls.jsonl"))
    told: list[ResearchError] = []
    at.on_trouble = told.append
    for _ in range(3):
        at.serve("clinical_search", {"query": "tea"})
    assert len(told) == 1
    assert "audit file" in at.list_recent_errors()[-1]["message"]


def test_a_register_answers_and_a_page_is_read_where_no_engine_of_the_web_is_configured(
    tmp_path: Path,
) -> None:
    at = make_tool_caller(
        tmp_path,
        {
            **FOUND,
            "https://tea.example/": "<html><head><title>Tea</title></head><body><p>Tea is drunk.</p></body></html>",
        },
        searxng_url="",
    )
    assert at.serve("clinical_search", {"query": "tea"}).error is None
    assert at.serve("scrape_page", {"url": "https://tea.example/", "mode": "raw"}).error is None
    assert isinstance(at.serve("web_search", {"query": "tea"}).error, SettingsError)


def test_wrong_arguments_are_answered_with_the_right_ones(tmp_path: Path) -> None:
    at = make_tool_caller(tmp_path, {})
    wrong, unknown = (
        at.serve("clinical_search", {"colour": "green"}).error,
        at.serve("clinical", {}).error,
    )
    assert wrong is not None
    assert unknown is not None
    assert "condition, intervention" in wrong.next_step
    assert "clinical_search" in unknown.next_step


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("web_search", {"query": "tea", "sessionId": "nobody's"}),
        ("clinical_search", {"query": "Tee", "sessionId": "0" * 32}),
        ("scrape_page", {"url": "https://example.org/", "sessionId": "x"}),
        ("format_bibliography", {"sessionId": "сессия"}),
        ("get_research_session", {"sessionId": "gone"}),
    ],
)
def test_a_session_that_is_gone_is_counted_and_audited_as_such(
    tmp_path: Path, tool: str, arguments: Any
) -> None:
    counted: list[str] = []
    log = tmp_path / "calls.jsonl"
    at = make_tool_caller(tmp_path, FOUND, audit_path=str(log))
    at.on_call = lambda _tool, code, _seconds: counted.append(code)
    served = at.serve(tool, arguments)
    assert served.error is not None
    assert '"session_not_found"' in format_error(served.error)
    assert counted == ["session_not_found"]
    assert "session_not_found" in log.read_text()
