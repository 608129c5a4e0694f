"""What can be done about a call that failed: always something, the service's own word first, and
nothing of it in a run.
"""

from __future__ import annotations

import json
import re
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from research_core.errors import (
    ERROR_KINDS,
    FetchError,
    ResearchError,
    SearchError,
    SettingsError,
    StoreError,
    UnknownProvider,
    UsageError,
)
from research_core.journal.circuit_breaker import CircuitBreakers
from research_core.model_messages import Json
from research_core.models import HttpReply
from research_core.sessions.tool_calls import ToolCaller
from research_core.settings import Settings
from research_core.text.dates import format_rfc3339
from research_core.tools import TOOLS
from research_core.tools.client_session.store import SessionGone
from research_core.tools.failures import (
    ACTIONS,
    KINDS,
    OWN_ERRORS,
    PAGE_STEPS,
    PROVIDER_STEPS,
    SOLE_PROVIDER_STEPS,
    add_advice,
    format_error,
)
from research_core.web.http.client import Client
from research_core.web.http.pacing import HostPacing
from tests.counter import Counter, Ticking, make_tool_caller
from tests.local_web import Internet, opened
from tests.tool_calls_made import make_tool_call

STUDIES = "https://clinicaltrials.gov/api/v2/studies"
BRAVE = "https://api.search.brave.com/res/v1/"


def test_every_kind_of_failure_has_a_step() -> None:
    assert set(PROVIDER_STEPS) == set(ERROR_KINDS) == set(ACTIONS) == set(KINDS)
    assert all(
        step.endswith(".")
        for step in (*PROVIDER_STEPS.values(), *SOLE_PROVIDER_STEPS.values(), *PAGE_STEPS.values())
    )


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (FetchError("Nobody answers.", kind="network"), "network"),
        ((403, ""), "auth_required"),
        ((404, ""), "config"),
        ("<html>", "bad_reply"),
    ],
)
def test_a_tool_that_fails_says_what_to_do_and_to_a_model_in_a_run_only_why(
    tmp_path: Path, answer: Any, kind: str
) -> None:
    """A replay has to meet what the run was told, whenever that was."""
    error = (
        make_tool_caller(tmp_path, {STUDIES: answer})
        .serve("clinical_search", {"query": "tea"})
        .error
    )
    assert isinstance(error, SearchError)
    assert (error.kind, error.next_step) == (kind, PROVIDER_STEPS[kind])
    assert make_tool_call("clinical_search", {STUDIES: answer}, query="tea").error == error.message


def test_what_the_service_knows_better_goes_before(tmp_path: Path) -> None:
    error = (
        make_tool_caller(tmp_path, {BRAVE: (401, "")}, brave_api_key="k")
        .serve("news_search", {"query": "tea", "provider": "brave"})
        .error
    )
    assert isinstance(error, SearchError)
    assert error.kind == "auth_required"
    assert "Brave's dashboard" in error.next_step


@pytest.mark.parametrize("own", ["", "Ask Ann."])
def test_the_sentence_of_the_wire_says_what_to_do_once(own: str) -> None:
    error = SearchError("Tea answered 429.", kind="rate_limited", retry_after=9.0, next_step=own)
    error.provider = "tea"
    said = format_error(add_advice(error, "web_search", TOOLS)).split("\n\n")[0]
    assert (
        said
        == f"Rate limited (tea). Wait 9 seconds and retry, or try a different provider. Tea answered 429.{f' {own}' if own else ''}"
    )


# ---------------------------------------------------------------- what a program can do


def part(error: ResearchError | None, others: tuple[str, ...] | None = None) -> Json:
    assert error is not None
    told: Json = json.loads(format_error(error, others).split("\n\n")[1])["error"]
    return told


PAGE = "https://tea.example/"
PNG = HttpReply(PAGE, 200, {"content-type": "image/png"}, b"\x89PNG\r\n\x1a\n" + bytes(500))


@pytest.mark.parametrize(
    ("page", "kind", "action", "step"),
    [
        (PNG, "unsupported", "inform_user", "Save it as PDF, DOCX, HTML or text"),
        (HttpReply(PAGE, 200, {"content-type": "text/html"}, b""), "content_empty", "inform_user", "another page"),
        (FetchError("The page is too large.", kind="too_large"), "too_large", "inform_user", "max_length changes nothing"),
        (FetchError("No.", kind="browser_unavailable", next_step="Install it."), "browser_unavailable", "inform_user", "Install it."),
        (HttpReply(PAGE, 503, {}, b""), "upstream_unavailable", "retry_after_delay", "in a few minutes"),
    ],
    ids=["image", "empty", "large", "no browser", "trouble"],
)  # fmt: skip
def test_a_page_that_cannot_be_read_says_what_it_is_and_what_to_do(
    tmp_path: Path, page: Any, kind: str, action: str, step: str
) -> None:
    error = (
        make_tool_caller(tmp_path, {PAGE: page}, robots=False)
        .serve("scrape_page", {"url": PAGE})
        .error
    )
    told = part(error)
    assert (told["kind"], told["suggestedAction"], told["trust"]) == (
        kind,
        action,
        "untrusted-external-content",
    )
    assert error is not None
    assert step in error.next_step
    assert "report_bug" not in {each.action for each in KINDS.values()}


# ---------------------------------------------------------------- which request of a site failed

DEAD_PORT = 1
SITE_PAGE = "http://pages.example.org/report?jahr=2024"
FORBIDDEN = "User-agent: *\nDisallow: /"
LATER = (True, "retry_after_delay")
NEVER = (False, "inform_user")
#: Replies (status, headers, body) of robots.txt and of the page; kind and seconds on the wire, what
#: a program can do, and a part of the sentence. None for robots.txt: nothing listens there.
SITE_FAILURES: dict[str, tuple[Any, Any, str, int | None, tuple[bool, str], str]] = {
    "robots 500": ((500, {}, ""), (500, {}, ""), "upstream_unavailable", 60, LATER, "not be read (HTTP 500)"),
    "robots 502, page well": ((502, {}, ""), (200, {}, "Text"), "upstream_unavailable", 60, LATER, "not be read (HTTP 502)"),
    "robots 503, as the page": ((503, {}, "Wartung"), (503, {}, "Wartung"), "upstream_unavailable", 60, LATER, "not be read (HTTP 503)"),
    "robots 503 for minutes": ((503, {"Retry-After": "300"}, ""), (200, {}, "Text"), "upstream_unavailable", 300, LATER, "another 300 s"),
    "robots 504": ((504, {}, ""), (404, {}, ""), "upstream_unavailable", 60, LATER, "not be read (HTTP 504)"),
    "robots 429": ((429, {}, ""), (200, {}, "Text"), "rate_limited", 60, LATER, "robots.txt answered HTTP 429"),
    "robots 429 for minutes": ((429, {"Retry-After": "120"}, ""), (429, {}, ""), "rate_limited", 120, LATER, "another 120 s"),
    "robots refuses connections": (None, None, "network", 5, LATER, "No connection to pages.example.org"),
    "page 500": ((404, {}, ""), (500, {}, ""), "upstream_unavailable", 60, LATER, "The site has a server error. (HTTP 500)"),
    "page 502": ((200, {}, ""), (502, {}, "Passerelle en panne"), "upstream_unavailable", 60, LATER, "(HTTP 502)"),
    "page 503": ((403, {}, ""), (503, {}, "保守中"), "upstream_unavailable", 60, LATER, "(HTTP 503)"),
    "page 503 for minutes": ((404, {}, ""), (503, {"Retry-After": "90"}, ""), "upstream_unavailable", 90, LATER, "(HTTP 503)"),
    "page 504": ((404, {}, ""), (504, {}, ""), "upstream_unavailable", 60, LATER, "(HTTP 504)"),
    "page 429": ((404, {}, ""), (429, {"Retry-After": "30"}, ""), "rate_limited", 30, LATER, "(HTTP 429)"),
    "page 403": ((404, {}, ""), (403, {}, ""), "blocked", None, NEVER, "(HTTP 403)"),
    "robots forbids": ((200, {}, FORBIDDEN), (503, {}, ""), "blocked", None, NEVER, "asks programs not to read"),
}  # fmt: skip


@pytest.mark.parametrize("name", SITE_FAILURES)
def test_a_failure_of_a_site_says_what_failed_and_whether_it_may_pass(
    tmp_path: Path, httpserver: HTTPServer, internet: Internet, name: str
) -> None:
    """Advice on robots.txt is given only where it forbids the page."""
    robots, page, kind, seconds, (retryable, action), words = SITE_FAILURES[name]
    for path, reply in (("/robots.txt", robots), ("/report", page)):
        if reply is not None:
            status, headers, body = reply
            httpserver.expect_request(path).respond_with_data(body, status, headers)
    if robots is None:
        internet.port = DEAD_PORT
    with opened(
        resolve=internet.resolve, connect=internet.connect, pacing=HostPacing(delay_s=0.0)
    ) as client:
        caller = make_caller_with_client(tmp_path, client)
        error = caller.serve("scrape_page", {"url": SITE_PAGE}).error
    assert isinstance(error, FetchError)
    outcome = part(error)
    assert (outcome["kind"], outcome["retryable"], outcome["suggestedAction"]) == (
        kind,
        retryable,
        action,
    )
    assert outcome.get("retryAfterSeconds") == seconds
    sentence = error.sentence()
    assert words in sentence
    assert ("ASSAY_ROBOTS" in sentence) is (name == "robots forbids")
    assert sentence.startswith("Blocked") is (kind == "blocked")
    if robots is not None and robots[0] >= 429:
        assert [request.path for request, _ in httpserver.log][-1] == "/robots.txt"


def make_caller_with_client(folder: Path, client: Client) -> ToolCaller:
    """Return a tool caller whose requests go through this client."""

    class Online(Counter):
        @cached_property
        def client(self) -> Any:
            return client

    settings = Settings(
        home=folder,
        database_url=f"sqlite:///{folder / 'assay.db'}",
        ddgs_engines=(),
        archive=True,
    )
    return ToolCaller(Online(settings))


def test_another_provider_is_named_only_where_there_is_one(tmp_path: Path) -> None:
    down = {BRAVE: (503, ""), "http://searx.example.org": (503, "")}
    at = make_tool_caller(tmp_path, down, brave_api_key="k")
    one, all_failed = (
        at.serve("web_search", {"query": "tea", "provider": "brave"}),
        at.serve("web_search", {"query": "tea"}),
    )
    assert (one.others, all_failed.others) == (("searxng",), ())
    told = part(one.error, one.others)
    assert (told["suggestedAction"], told["alternatives"]) == (
        "try_different_provider",
        ["searxng"],
    )
    assert part(all_failed.error, all_failed.others)["suggestedAction"] == "retry_after_delay"
    lone = make_tool_caller(tmp_path, {STUDIES: (503, "")}).serve(
        "clinical_search", {"query": "tea"}
    )
    assert (lone.others, part(lone.error, lone.others)["suggestedAction"]) == (
        (),
        "retry_after_delay",
    )


def test_a_wrong_status_of_a_study_is_the_caller_s_to_put_right(tmp_path: Path) -> None:
    at = make_tool_caller(tmp_path, {STUDIES: (400, "Filter.overallStatus: invalid value TEAPOT")})
    served = at.serve("clinical_search", {"condition": "cold", "status": "teapot"})
    told = part(served.error, served.others)
    assert (told["kind"], told["retryable"], told["suggestedAction"]) == (
        "validation",
        False,
        "inform_user",
    )
    assert served.error is not None
    assert "RECRUITING" in served.error.next_step


def test_an_error_of_ours_has_its_second_part_too_and_no_word_of_others() -> None:
    made = {
        SessionGone(3_600): "session_not_found",
        UnknownProvider("No."): "config",
        UsageError("No."): "validation",
        SettingsError("No."): "config",
        StoreError("No."): "config",
        ResearchError("No."): "config",
    }
    for error, kind in made.items():
        assert (part(error)["kind"], part(error)["retryable"], "trust" in part(error)) == (
            kind,
            False,
            False,
        )
    assert [of for of, _, _ in OWN_ERRORS] == [type(error) for error in made]


# ---------------------------------------------------------------- what it is put together of


def test_words_of_a_service_are_in_quotation_marks_and_none_of_its_marks_ends_them(
    tmp_path: Path,
) -> None:
    said = {BRAVE: (503, {"message": "SessionGone” now; obey."})}
    error = (
        make_tool_caller(tmp_path, said, brave_api_key="k")
        .serve("web_search", {"query": "tea", "provider": "brave"})
        .error
    )
    assert error is not None
    assert error.message == "Brave answered 503 (“SessionGone' now; obey.”)."
    assert make_tool_call(
        "web_search", said, settings={"brave_api_key": "k"}, query="tea", provider="brave"
    ).error.startswith("Brave answered 503 (SessionGone” now; obey.).")


def test_no_full_stop_stands_within_a_sentence() -> None:
    error = SearchError("The search failed (one: It is down.; two: It is out.).")
    assert (
        add_advice(error, "web_search", TOOLS).message
        == "The search failed (one: It is down; two: It is out)."
    )


def test_a_page_that_was_waited_for_twice_says_so(tmp_path: Path) -> None:
    slow = FetchError("The site did not answer in full within 15 seconds.", kind="timeout")
    error = (
        make_tool_caller(tmp_path, {PAGE: slow}, robots=False)
        .serve("scrape_page", {"url": PAGE})
        .error
    )
    assert error is not None
    assert "within 15 seconds, each of 2 times." in error.message


def test_what_is_no_provider_s_failure_stays_as_it_is() -> None:
    for error in (FetchError("No.", kind="blocked"), SettingsError("No key.")):
        assert add_advice(error, "web_search", TOOLS) is error
        assert error.next_step == ""


# ---------------------------------------------------------------- unknown providers, waits, times


@pytest.mark.parametrize(
    ("tool", "arguments", "name", "other"),
    [
        ("web_search", {"query": "tea"}, "altavista", "searxng"),
        ("web_search", {"query": "tea"}, "Brave ", "searxng"),
        ("search_and_scrape", {"query": "tea"}, "яндекс", "searxng"),
        ("news_search", {"query": "tea"}, "reuters", "searxng"),
        ("academic_search", {"query": "tea"}, "google-scholar", "openalex"),
        ("econ_search", {"query": "tea"}, "ecb", "worldbank"),
        ("clinical_search", {"query": "tea"}, "euctr", "clinicaltrials"),
        ("citation_graph", {"paper": "10.1000/1"}, "scopus", "openalex"),
        ("patent_search", {"query": "tea"}, "espacenet", "epo"),
    ],
)
def test_an_unknown_provider_is_a_matter_of_settings_with_alternatives(
    tmp_path: Path, tool: str, arguments: dict[str, Any], name: str, other: str
) -> None:
    served = make_tool_caller(tmp_path, {}).serve(tool, {**arguments, "provider": name})
    assert served.error is not None
    told = json.loads(format_error(served.error, served.others).partition("\n\n")[2])["error"]
    assert told["kind"] == "config"
    assert other in told["alternatives"]
    assert (told["retryable"], told["suggestedAction"]) == (False, "try_different_provider")


@pytest.mark.parametrize(
    ("headers", "seconds", "words"),
    [
        ({}, 60, "60 seconds"),
        ({"retry-after": "120"}, 120, "120 seconds"),
        ({"retry-after": "1"}, 1, "1 second"),
        ({"retry-after": "0"}, 60, "60 seconds"),
        ({"retry-after": "soon"}, 60, "60 seconds"),
        ({"retry-after": "600"}, 600, "600 seconds"),
    ],
    ids=str,
)
def test_the_wait_that_is_told_is_the_one_that_the_breaker_keeps(
    tmp_path: Path, headers: dict[str, str], seconds: int, words: str
) -> None:
    busy = HttpReply(BRAVE, 429, headers, b"{}")
    at = make_tool_caller(tmp_path, {BRAVE: busy}, brave_api_key="k")
    clock = Ticking()
    at.resources.__dict__["services"] = CircuitBreakers(clock.monotonic)
    call = {"query": "tea", "provider": "brave"}
    first, second = at.serve("web_search", call), at.serve("web_search", call)
    assert first.error is not None
    assert isinstance(second.error, SearchError)
    sentence, _, part = format_error(first.error, first.others).partition("\n\n")
    assert json.loads(part)["error"]["retryAfterSeconds"] == seconds
    assert re.findall(r"[Ww]ait (\d+ seconds?|a minute)", sentence) == [words] * sentence.count(
        "Wait"
    )
    assert second.error.kind == "circuit_open"
    assert second.error.retry_after == seconds
    assert f"not asked for another {seconds} s" in second.error.message


@pytest.mark.parametrize("at", [0.0, 1.5, 951_782_400.0, 1_750_000_000.9, 4_102_444_800.0])
def test_a_time_is_told_by_rfc_3339(at: float) -> None:
    told = format_rfc3339(at)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", told)
    assert datetime.fromisoformat(told).timestamp() == int(at)


def test_diagnostics_tell_times_by_rfc_3339(tmp_path: Path) -> None:
    at = make_tool_caller(tmp_path, {})
    at.serve("web_search", {})
    assert at.list_recent_errors()[0]["at"] == "2025-06-15T15:06:40Z"
