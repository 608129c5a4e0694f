"""What is configured here, whether it answers, and that the report holds nothing private."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from research_core.sessions.doctor import (
    TRIAL_TEXTS,
    CheckResult,
    check_machine,
    format_report,
    is_healthy,
    list_failures,
    redact,
)
from research_core.settings import Settings
from research_core.web.http.client import Client
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


@pytest.mark.parametrize("role", ["writer", "judge"])
def test_the_model_of_a_role_is_asked_too(
    machine: Resources, httpserver: HTTPServer, role: str
) -> None:
    chosen: dict[str, Any] = {role: "openai:no-such-model"}
    settings = replace(machine.settings, openai_base_url=httpserver.url_for("/v1"), **chosen)
    asked = Resources(settings)
    results = checks(asked, live=True)
    asked.close()
    assert results["model openai:no-such-model"].state == "failed"
    assert not is_healthy(list(results.values()))


#: Answers of a server of which no model is chosen; None for an address where nothing listens.
SERVERS: dict[str, tuple[Response | None, str, str]] = {
    "nothing listens": (None, "failed", "could not be reached"),
    "not found": (Response("<h1>Nicht gefunden</h1>", 404), "failed", "it mostly ends in /v1"),
    "a page": (Response("<!doctype html>", content_type="text/html"), "failed", "in a shape its"),
    "a wrong key": (Response('{"error": "Clé refusée"}', 401), "failed", "Clé refusée"),
    "an error": (Response("壊れた", 500), "failed", "500"),
    "a list": (Response('{"data": [{"id": "模型"}]}'), "answered", "Models at this address: 模型."),
    "no model": (Response('{"data": []}'), "answered", "Models at this address: none."),
}


@pytest.mark.parametrize("case", SERVERS)
def test_an_address_without_a_model_is_asked_for_its_list(
    tmp_path: Path, httpserver: HTTPServer, case: str
) -> None:
    response, state, words = SERVERS[case]
    address = "http://127.0.0.1:9/v1"
    if response is not None:
        address = httpserver.url_for("/v1")
        httpserver.expect_request("/v1/models").respond_with_response(response)
    env = {"ASSAY_HOME": str(tmp_path), "ASSAY_OPENAI_BASE_URL": address}
    machine = Resources(Settings.from_env(env))
    results = list(check_machine(machine, live=True, kinds=()))
    still = list(check_machine(machine, live=False, kinds=()))
    machine.close()
    (found,) = [each for each in results if each.name == "ASSAY_OPENAI_BASE_URL"]
    assert found.state == state
    assert words in found.words
    assert is_healthy(results) == (state == "answered")
    assert "ASSAY_OPENAI_BASE_URL" not in [each.name for each in still]


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


#: Addresses of own servers: what is configured, what an error says, what is left of it.
OWN = "<ASSAY_OPENAI_BASE_URL>"
ADDRESSES = [
    ("http://gpu-of-anna.lan:8000/v1", "Is http://gpu-of-anna.lan:8000 up?", f"Is {OWN} up?"),
    ("http://gpu-of-anna.lan:8000/v1", "GPU-of-Anna.LAN:8000 refused", f"{OWN} refused"),
    ("http://gpu-of-anna.lan:8000/v1", "no address for gpu-of-anna.lan.", f"no address for {OWN}."),
    ("http://gpu-of-anna.lan:8000/v1", "HTTP://GPU-OF-ANNA.LAN:8000/V1/models", f"{OWN}/models"),
    ("http://192.168.7.31:1234", "Verbindung zu 192.168.7.31 verweigert", f"Verbindung zu {OWN} verweigert"),
    ("http://[fd00::5a:1]:8080/v1", "[fd00::5a:1]:8080 / fd00::5a:1", f"{OWN} / {OWN}"),
    ("https://models.anna.example", "models.anna.example:443 未响应", f"{OWN} 未响应"),
    ("http://anna:s3cret-word@box.lan:80/v1", "box.lan said s3cret-word", f"{OWN} said {OWN}"),
    ("http://anna:s3cret-word@box.lan:80/v1", "anna:s3cret-word@box.lan:80", OWN),
    ("http://brain:11434", "brain is down; brainy, brainstorm", f"{OWN} is down; brainy, brainstorm"),
    ("http://openai:8000/v1", "openai: set ASSAY_OPENAI_MODELS", f"{OWN}: set ASSAY_OPENAI_MODELS"),
    ("", "nothing private", "nothing private"),
]  # fmt: skip


@pytest.mark.parametrize(("address", "text", "redacted"), ADDRESSES)
def test_no_part_of_the_address_of_an_own_server_is_shown(
    tmp_path: Path, address: str, text: str, redacted: str
) -> None:
    env = {"ASSAY_HOME": str(tmp_path), "ASSAY_OPENAI_BASE_URL": address}
    assert redact(text, Settings.from_env(env)) == redacted


def test_a_key_is_not_shown_within_other_characters(machine: Resources) -> None:
    assert KEY.lower() not in redact(f"x{KEY}_y {KEY.upper()}", machine.settings).lower()


@pytest.mark.parametrize(
    ("env", "name"),
    [
        ({"ASSAY_OPENAI_BASE_URL": "http://127.0.0.1:9", "ASSAY_OPENAI_MODELS": "m", "ASSAY_OPENAI_API_KEY": "a b"}, "openai:m"),
        ({"ASSAY_OPENAI_BASE_URL": "http://127.0.0.1:9", "ASSAY_OPENAI_MODELS": "m", "ASSAY_OPENAI_API_KEY": "clé"}, "openai:m"),
        ({"ASSAY_OPENAI_BASE_URL": "http://127.0.0.1:9", "ASSAY_OPENAI_MODELS": "m"}, "openai:m"),
        ({"GEMINI_API_KEY": "a b", "ASSAY_GEMINI_MODELS": "g"}, "gemini:g"),
        ({"GEMINI_API_KEY": "ключ-от-модели", "ASSAY_GEMINI_MODELS": "g"}, "gemini:g"),
    ],
)  # fmt: skip
def test_a_part_that_cannot_be_asked_is_a_failure(
    tmp_path: Path, env: dict[str, str], name: str
) -> None:
    made = Resources(Settings.from_env({"ASSAY_HOME": str(tmp_path), **env}))
    results = list(check_machine(made, live=True, kinds=()))
    (failed,) = list_failures(results)
    assert (failed.name, failed.state) == (name, "failed")
    assert failed.seconds is not None
    assert not is_healthy(results)
    made.close()


@pytest.mark.parametrize(
    "error",
    [
        KeyError("results"), TypeError("no"), AttributeError("x"), OSError("disk"),
        ImportError("ddgs"), RecursionError("deep"), UnicodeError("é"), OverflowError("day"),
    ],
    ids=lambda error: type(error).__name__,
)  # fmt: skip
def test_a_fault_in_a_part_is_reported_and_loses_no_other(
    machine: Resources, error: Exception
) -> None:
    class Broken(Resources):
        @cached_property
        def client(self) -> Client:
            raise error

    results = checks(Broken(machine.settings), live=True)
    assert results.keys() == checks(machine, live=False).keys()
    for name in ("model gemini:gemini-3.8-flash", "web searxng"):
        assert results[name].state == "failed"
        assert type(error).__name__ in results[name].words


@pytest.mark.parametrize(
    ("state", "healthy"),
    [("answered", True), ("empty", True), ("ready", True), ("not configured", True),
     ("failed", False), ("refused", False), ("rate_limited", False), ("timed_out", False)],
)  # fmt: skip
@pytest.mark.parametrize("seconds", [None, 0.2])
def test_every_state_that_is_not_good_is_a_failure(
    state: str, healthy: bool, seconds: float | None
) -> None:
    assert is_healthy([CheckResult("web", "x", state, "", seconds)]) == healthy


def test_the_report_is_a_table_without_the_address_of_an_own_server(machine: Resources) -> None:
    settings = machine.settings
    hostile = f"{settings.searxng_url} said | this\nand that"
    results = [CheckResult("web", "searxng", "failed", hostile, 0.25)]
    assert format_report(results, settings).splitlines()[2] == (
        "| web | searxng | failed | 0.2 | <SEARXNG_URL> said / this and that |"
    )


def test_every_kind_that_is_asked_has_a_text_and_none_that_costs_money_is() -> None:
    assert not {"answers", "structured"} & TRIAL_TEXTS.keys()
