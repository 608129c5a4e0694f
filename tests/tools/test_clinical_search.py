"""clinical_search, bullet by bullet of its specification (spec/research-tools.md, tool 25); the
register is in test_contract.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.bullets import Bullets
from tests.contracts.trials import STUDY
from tests.tool_calls_made import CallOutcome, for_each_recorded, make_tool_call

STUDIES = "https://clinicaltrials.gov/api/v2/studies"
bullet = Bullets("clinical_search")


def search(answer: Any = None, http_status: int = 200, **arguments: Any) -> CallOutcome:
    body = {"studies": [STUDY]} if answer is None else answer
    return make_tool_call("clinical_search", {STUDIES: (http_status, body)}, **arguments)


@bullet("query, condition, intervention, sponsor and status narrow the facets of the register")
def _() -> None:
    said = search(
        query="tea", condition="cold", intervention="green tea", sponsor="Bay", status="completed"
    )
    (params,) = said.params(STUDIES)
    told = {name: value for name, value in params.items() if "." in name}
    assert told == {
        "query.term": "tea",
        "query.cond": "cold",
        "query.intr": "green tea",
        "query.spons": "Bay",
        "filter.overallStatus": "COMPLETED",
    }
    (trial,) = said.answer["trials"]
    assert (trial["nctId"], trial["phases"], trial["hasResults"]) == (
        "NCT01234567",
        ["PHASE2", "PHASE3"],
        False,
    )


@bullet("a status may be written as the register shows it")
def _() -> None:
    for status in ("Active, not recruiting", "active_not_recruiting", "ACTIVE NOT RECRUITING"):
        assert (
            search(condition="cold", status=status).params(STUDIES)[0]["filter.overallStatus"]
            == "ACTIVE_NOT_RECRUITING"
        )


@bullet("at least one of query, condition, intervention and sponsor is required")
def _() -> None:
    assert search(status="RECRUITING", condition=" ").error.startswith(
        "clinical_search needs something to search for."
    )


@bullet("an explicit provider is used exclusively; an unknown one lists those there are")
def _() -> None:
    assert (
        search(condition="cold", provider="clinicaltrials").answer["provider"] == "clinicaltrials"
    )
    assert "Choose among: clinicaltrials." in search(condition="cold", provider="euctr").error


@bullet("an empty answer has hints")
def _() -> None:
    answer = search({"studies": []}, condition="cold", status="RECRUITING").answer
    assert (answer["trials"], answer["resultCount"]) == ([], 0)
    assert answer["hints"]["filtersApplied"] == {"condition": "cold", "status": "RECRUITING"}


@bullet("a bad request is the register's failure in its own words, not an empty answer")
def _() -> None:
    assert (
        "invalid value"
        in search(
            "Filter.overallStatus: invalid value TEAPOT", 400, condition="cold", status="teapot"
        ).error
    )


@bullet(
    "no match is an empty answer, also where the register says 404 that a study is not found; a page that says 404 is a failure"
)
def _() -> None:
    assert search({"studies": [], "totalCount": 0}, query="zzqx").answer["resultCount"] == 0
    for words in (
        "NCT number NCT00000000 not found",
        "Study NCT00000000 not found.\n",
        "No studies found",
    ):
        answer = search(words, 404, query="NCT00000000").answer
        assert (answer["resultCount"], "hints" in answer) == (0, True)
        assert search(words, 404, query="NCT00000000").kept_s is None
    for moved in (
        "<html><h1>Study not found</h1></html>",
        "",
        "404 page not found",
        "Study API not found",
        "Studies were not found",
        "{}",
        '{"message": "no Route matched"}',
        "Not Found",
    ):
        assert "ClinicalTrials.gov answered 404" in search(moved, 404, query="tea").error, moved


@bullet("studies without a number or a title are a changed shape")
def _() -> None:
    for lacking in ("nctId", "briefTitle"):
        about = {
            name: value
            for name, value in STUDY["protocolSection"]["identificationModule"].items()
            if name != lacking
        }
        bare = {
            **STUDY,
            "protocolSection": {
                **STUDY["protocolSection"],
                "identificationModule": {**about, "renamed": "Tea"},
            },
        }
        assert (
            "the number and the title of a study" in search({"studies": [bare]}, query="tea").error
        )


@bullet("results are kept for six hours, and empty ones are not")
def _() -> None:
    assert search(condition="cold").kept_s == 6 * 3600
    assert search({"studies": []}, condition="cold").kept_s is None


@bullet("num_results is between 1 and 100, and 10 by default")
def _() -> None:
    assert search(condition="cold").params(STUDIES)[0]["pageSize"] == "10"
    assert (
        search({"studies": [STUDY] * 20}, condition="cold", num_results=3).answer["resultCount"]
        == 3
    )
    assert "num_results" in search(condition="cold", num_results=101).error


@bullet("sessionId of a session that is not there is refused")
def _() -> None:
    assert "Session not found" in search(condition="cold", sessionId="s-1").error


@bullet("what it finds is a source of the session")
def _() -> None:
    context = search(condition="cold").context
    known = {url: source["snippet"] for url, source in context.source_metadata.items()}
    assert known == {
        "https://clinicaltrials.gov/study/NCT01234567": "COMPLETED; Common Cold; Green tea"
    }


@pytest.mark.parametrize("check", bullet.params)
def test_bullet(check: Any) -> None:
    check()


@for_each_recorded("ctgov_v2_4.json", "ctgov_v2_6.json", "ctgov_v2_8.json")
def test_recorded_answers_are_read(body: bytes, name: str) -> None:
    trials = make_tool_call("clinical_search", {STUDIES: (200, body)}, query="age").answer["trials"]
    first = {
        "ctgov_v2_4.json": "NCT01595035",
        "ctgov_v2_6.json": "NCT06970236",
        "ctgov_v2_8.json": "NCT02710084",
    }
    assert trials[0]["nctId"] == first[name]
    assert all(trial["title"] and trial["status"] and trial["conditions"] for trial in trials)
