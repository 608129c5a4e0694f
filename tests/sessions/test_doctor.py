"""What is configured here, whether it answers, and that the report holds nothing private."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from research_core.sessions.doctor import (
    TRIAL_TEXTS,
    CheckResult,
    check_machine,
    format_report,
    is_healthy,
    redact,
)
from research_core.settings import Settings
from research_core.wiring import Resources

KEY = "AIza-not-a-real-key"
FOUND = {"results": [{"title": "Tea", "url": "https://tea.example.org/", "content": "On tea."}]}


@pytest.fixture
def machine(tmp_path: Path, httpserver: HTTPServer) -> Iterator[Resources]:
    """A machine with a SearXNG server and Gemini, both of them local servers."""
    env = {
        "ASSAY_HOME": str(tmp_path),
        "SEARXNG_URL": httpserver.url_for("/"),
        "SEARCH_ROUTING": "searxng",
        "GEMINI_API_KEY": KEY,
        "ASSAY_GEMINI_URL": httpserver.url_for("/gemini"),
        "ASSAY_GEMINI_MODELS": "gemini-3.8-flash,gemini-3.5-flash-lite",
        "OPENALEX_EMAIL": "me@example.org",
    }
    made = Resources(Settings.from_env(env))
    yield made
    made.close()


def answer_gemini(httpserver: HTTPServer, status: int, body: object) -> None:
    for name in ("gemini-3.8-flash", "gemini-3.5-flash-lite"):
        path = f"/gemini/v1beta/models/{name}:generateContent"
        httpserver.expect_request(path).respond_with_json(body, status=status)


def checks(machine: Resources, *, live: bool) -> dict[str, CheckResult]:
    results = check_machine(machine, live=live, kinds=("web",))
    return {f"{result.part} {result.name}": result for result in results}


def test_without_live_nothing_is_asked(machine: Resources, httpserver: HTTPServer) -> None:
    results = checks(machine, live=False)
    assert results["web searxng"] == CheckResult("web", "searxng", "ready")
    assert results["model gemini:gemini-3.5-flash-lite"].state == "ready"
    assert results["web brave"] == CheckResult("web", "brave", "not configured", "BRAVE_API_KEY=…")
    assert results["version assay"].words
    assert httpserver.log == []
    assert is_healthy(list(results.values()))


def test_each_part_that_answers_says_what(machine: Resources, httpserver: HTTPServer) -> None:
    httpserver.expect_request("/search").respond_with_json(FOUND)
    reply = {
        "candidates": [{"content": {"parts": [{"text": "Paris"}]}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 1},
    }
    answer_gemini(httpserver, 200, reply)
    results = checks(machine, live=True)
    assert (results["web searxng"].state, results["web searxng"].words) == ("answered", "1 result")
    for name in ("gemini-3.8-flash", "gemini-3.5-flash-lite"):
        tried = results[f"model gemini:{name}"]
        assert (tried.state, tried.words[:17]) == ("answered", "Paris (10 tokens,")
        assert tried.seconds is not None
    assert is_healthy(list(results.values()))


def test_each_part_that_fails_says_why_and_what_to_do(
    machine: Resources, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/search").respond_with_response(Response("no", 403))
    refused = {"error": {"message": "API key not valid.", "status": "INVALID_ARGUMENT"}}
    answer_gemini(httpserver, 400, refused)
    results = checks(machine, live=True)
    assert results["web searxng"].state == "refused"
    assert "json" in results["web searxng"].words
    tried = results["model gemini:gemini-3.8-flash"]
    assert tried.state == "refused"
    assert "API key not valid. Check GEMINI_API_KEY" in tried.words
    assert not is_healthy(list(results.values()))


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        (f"the key {KEY} is refused", "the key <GEMINI_API_KEY> is refused"),
        ("write to me@example.org", "write to <OPENALEX_EMAIL>"),
        (f"{Path.home()}/papers", "~/papers"),
        ("nothing private", "nothing private"),
    ],
)
def test_what_is_private_is_named_and_not_shown(
    machine: Resources, text: str, redacted: str
) -> None:
    assert redact(text, machine.settings) == redacted


def test_the_report_is_a_table_without_the_address_of_an_own_server(machine: Resources) -> None:
    settings = machine.settings
    hostile = f"{settings.searxng_url} said | this\nand that"
    results = [CheckResult("web", "searxng", "failed", hostile, 0.25)]
    assert format_report(results, settings).splitlines()[2] == (
        "| web | searxng | failed | 0.2 | <SEARXNG_URL> said / this and that |"
    )


def test_every_kind_that_is_asked_has_a_text_and_none_that_costs_money_is() -> None:
    assert not {"answers", "structured"} & TRIAL_TEXTS.keys()
