"""What can be done about a call that failed: always something, the service's own word first, and nothing of it in a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from research_core.errors import ERROR_KINDS, FetchError, SearchError, SettingsError
from research_core.tools import TOOLS
from research_core.tools.advice import STEPS, advised
from research_core.tools.failures import two_parts
from tests.called import called
from tests.counter import desk

STUDIES = "https://clinicaltrials.gov/api/v2/studies"
BRAVE = "https://api.search.brave.com/res/v1/"


def test_every_kind_of_failure_has_a_step() -> None:
    assert set(STEPS) == set(ERROR_KINDS)
    assert all(step.endswith(".") for step in STEPS.values())


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (FetchError("Nobody answers.", kind="network"), "network"),
        ((403, ""), "auth_required"),
        ((404, ""), "config"),
        ("<html>", "bad_reply"),
    ],
)
def test_a_tool_that_fails_says_what_to_do_and_to_a_model_in_a_run_only_why(tmp_path: Path, answer: Any, kind: str) -> None:
    """A replay has to meet what the run was told, whenever that was."""
    error = desk(tmp_path, {STUDIES: answer}).serve("clinical_search", {"query": "tea"}).error
    assert isinstance(error, SearchError)
    assert (error.kind, error.next_step) == (kind, STEPS[kind])
    assert called("clinical_search", {STUDIES: answer}, query="tea").error == error.message


def test_what_the_service_knows_better_goes_before(tmp_path: Path) -> None:
    error = desk(tmp_path, {BRAVE: (401, "")}, brave_api_key="k").serve("news_search", {"query": "tea", "provider": "brave"}).error
    assert isinstance(error, SearchError)
    assert error.kind == "auth_required"
    assert "Brave's dashboard" in error.next_step


@pytest.mark.parametrize("own", ["", "Ask Ann."])
def test_the_sentence_of_the_wire_says_what_to_do_once(own: str) -> None:
    error = SearchError("Tea answered 429.", kind="rate_limited", retry_after=9.0, next_step=own)
    error.provider = "tea"
    said = two_parts(advised(error, "web_search", TOOLS)).split("\n\n")[0]
    assert said == f"Rate limited (tea). Wait 9 seconds and retry, or try a different provider. Tea answered 429.{f' {own}' if own else ''}"


def test_what_is_no_provider_s_failure_stays_as_it_is() -> None:
    for error in (FetchError("No.", kind="blocked"), SettingsError("No key.")):
        assert advised(error, "web_search", TOOLS) is error
        assert error.next_step == ""
