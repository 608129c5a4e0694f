"""Every hint of an answer without results is a call that is accepted and asks for something else:
of every tool, of every few filters.
"""

from __future__ import annotations

from functools import partial
from itertools import combinations, count
from pathlib import Path
from typing import Any

import pytest

from research_core.context import ResearchContext, memory_log
from research_core.errors import SearchError, SettingsError, UsageError
from research_core.journal.circuit_breaker import CircuitBreakers as Paces
from research_core.journal.deps import Deps
from research_core.journal.doorway import Doorway
from research_core.policy import RunSettings
from research_core.search import providers
from research_core.settings import Settings
from research_core.tools import TOOLS as TABLE
from research_core.tools import get_tool
from research_core.tools.hints import HintRules, build_hints, find_sole_criterion
from research_core.tools.outputs import SCHEMAS
from research_core.tools.registry import Call, call_tool
from tests.contracts import brave, searxng
from tests.contracts.exa import KEY as EXA
from tests.contracts.filings import COMPANIES, CONTACT
from tests.contracts.series import INDICATOR, NO_PAGING, PAGING
from tests.scripted import Scripted
from tests.tool_calls_made import FixedClock, ScriptedServices
from tests.tool_session import POOL
from tests.tools.test_parameters import CALLS

EMPTY_WEB = {"results": [], "unresponsive_engines": []}
DOI = "10.1000/tea.9"
SEMANTIC, OPENALEX = (
    "https://api.semanticscholar.org/graph/v1/paper",
    "https://api.openalex.org/works",
)
#: What every service answers that has nothing.
NOTHING: dict[str, Any] = {
    "https://": (404, ""),
    searxng.URL: EMPTY_WEB,
    "https://api.search.brave.com/": brave.NOTHING,
    "https://api.search.brave.com/res/v1/news": {"type": "news", "results": []},
    "https://api.search.brave.com/res/v1/images": {"type": "images", "results": []},
    OPENALEX: {"meta": {"count": 0}, "results": []},
    f"{OPENALEX}/doi:{DOI}": {
        "id": "https://openalex.org/W9",
        "display_name": "Tea",
        "referenced_works": [],
    },
    SEMANTIC: {"total": 0, "data": []},
    f"{SEMANTIC}/search/match": {"data": [{"paperId": "fe98", "title": "On Tea"}]},
    "https://www.courtlistener.com/": {"count": 0, "next": None, "results": []},
    "https://api.worldbank.org/v2/indicator": [PAGING, [INDICATOR]],
    "https://api.worldbank.org/v2/country": [NO_PAGING, None],
    "https://clinicaltrials.gov/": {"studies": []},
    "https://www.sec.gov/files/company_tickers.json": COMPANIES,
    "https://efts.sec.gov/": {"hits": {"hits": []}},
    "https://www.sec.gov/cgi-bin/browse-edgar": (404, ""),
    "https://api.exa.ai/search": {"requestId": "r", "results": [], "costDollars": {"total": 0.005}},
    "https://api.exa.ai/answer": {"answer": " ", "citations": []},
}
KEYS: dict[str, Any] = {**searxng.SERVER, **brave.KEYS, **CONTACT, **EXA}
#: Criteria of a call any one of which will do, beside a query.
OTHER: dict[str, tuple[str, ...]] = {
    "clinical_search": ("query", "condition", "intervention", "sponsor"),
    "filing_search": ("query", "ticker"),
    "patent_search": ("query", "assignee", "inventor"),
    "econ_search": ("query", "series_id"),
}
#: What nobody has, though the service is asked.
UNKNOWN: dict[str, dict[str, Any]] = {
    "citation_graph": {"paper": DOI},
    "filing_search": {"query": "no such leaf", "ticker": "TEAX"},
    "econ_search": {"query": "no such leaf"},
}
TOOLS = [name for name in CALLS if "hints" in SCHEMAS[name]["properties"]]


def ask(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    settings = Settings(
        home=Path("unused"), database_url="sqlite://", **{"ddgs_engines": ("wikipedia",), **KEYS}
    )
    log, clock = memory_log("tea"), FixedClock(1_795_354_200.0)
    doorway = Doorway(
        log,
        ScriptedServices(NOTHING),
        Scripted("no answer"),
        clock,
        services=Paces(partial(next, count(0.0, 5.0))),
    )
    deps = Deps(
        settings,
        RunSettings(),
        doorway.http,
        doorway.model,
        log,
        clock,
        POOL,
        engines=providers.list_available_rows(settings),
    )
    return call_tool(name, arguments, Call(ResearchContext("tea", deps)), TABLE)


def accepted(name: str, arguments: dict[str, Any]) -> bool:
    """Whether a call is asked, whatever its provider says to it."""
    try:
        ask(name, arguments)
    except SearchError:
        return True
    except (UsageError, SettingsError):
        return False
    return True


def applied(action: dict[str, Any], arguments: dict[str, Any]) -> list[dict[str, Any]]:
    """The calls that a hint proposes."""
    match action:
        case {"action": "remove_filter", "filter": name}:
            assert name in arguments, "what was not set cannot be taken back"
            return [{key: value for key, value in arguments.items() if key != name}]
        case {"action": "widen_filter", "filter": name, "value": value}:
            return [{**arguments, name: value}]
        case {"action": "change_filter", "filter": name}:
            return [{**arguments, name: f"{arguments[name]}x"}]
        case {"action": "try_different_provider", "providers": names}:
            return [{**arguments, "provider": each} for each in names]
        case {"action": "broaden_query"}:
            words = "query" if "query" in arguments else "paper"
            return [{**arguments, words: f"{arguments[words]} leaves"}]
    raise AssertionError(f"no such action: {action}")


def calls(name: str) -> list[dict[str, Any]]:
    """A tool's calls with none, each and all of its parameters, by each of its criteria and every
    two of them.
    """
    _, always, more = CALLS[name]
    values = {
        **{key: value for key, value in more.items() if key != "num_results"},
        **always,
        **UNKNOWN.get(name, {}),
    }
    needed = [*(key for key in OTHER.get(name, ()) if key in values)] or [*always]
    rest = [key for key in values if key not in needed]
    chosen = [tuple(rest), (), *((each,) for each in rest)]
    firsts = [*((each,) for each in needed), *combinations(needed, 2)]
    return [{key: values[key] for key in (*first, *pick)} for first in firsts for pick in chosen]


def test_the_calls_of_each_tool_are_many_and_most_are_accepted() -> None:
    assert all(len(calls(name)) > 1 for name in TOOLS if name != "answer")


@pytest.mark.full
@pytest.mark.parametrize("name", TOOLS)
def test_every_hint_is_a_call_that_is_accepted_and_asks_for_something_else(name: str) -> None:
    tried = 0
    row = get_tool(name)
    assert row is not None
    usual = {key: each.get("default") for key, each in row.schema["properties"].items()}
    for arguments in calls(name):
        if {"site", "lens"} <= {*arguments} or len({"latitude", "longitude"} & {*arguments}) == 1:
            assert not accepted(name, arguments)
            continue
        answer = ask(name, arguments)
        for action in answer["hints"]["suggestedActions"]:
            for call in applied(action, arguments):
                effective = [{**usual, **each} for each in (arguments, call)]
                assert effective[0] != effective[1], (arguments, action)
                assert accepted(name, call), (arguments, action)
                tried += 1
    assert tried


def test_a_filter_that_is_the_only_criterion_is_to_be_changed_not_taken_back() -> None:
    alone = {"clinical_search": {"condition": "cold"}, "filing_search": {"ticker": "TEAX"}}
    for name, only in alone.items():
        assert ask(name, only)["hints"]["suggestedActions"] == [
            {"action": "change_filter", "filter": next(iter(only))}
        ], name


def test_an_engine_that_cannot_hold_itself_to_the_patents_is_not_proposed() -> None:
    answer = ask("patent_search", {"query": "solar"})
    assert "ddgs:wikipedia" not in str(answer["hints"])


def test_where_no_office_of_patents_is_configured_that_is_said_with_what_would_change_it() -> None:
    answer = ask("patent_search", {"query": "solar"})
    (note,) = answer["notes"]
    assert note.startswith(
        "No patent office or index was asked, only the web's engines on patents.google.com"
    )
    assert all(name in note for name in ("SEARCHAPI_API_KEY", "LENS_API_TOKEN", "USPTO_API_KEY"))
    assert answer["hints"]["note"].startswith(note)
    assert (
        "USPTO" not in ask("patent_search", {"query": "solar", "patent_office": "EP"})["notes"][0]
    )


def test_what_leaves_nothing_out_is_no_filter_to_take_back() -> None:
    said = build_hints(
        {"sort_by": "date", "safe": "medium"}, (), HintRules(idle=frozenset({"safe"}))
    )
    assert said["suggestedActions"] == [{"action": "broaden_query"}]
    assert said["filtersApplied"] == {"sort_by": "date", "safe": "medium"}


def test_one_of_several_criteria_is_no_sole_one() -> None:
    assert (
        find_sole_criterion(query="", condition="cold"),
        find_sole_criterion(query="tea", condition="cold"),
        find_sole_criterion(query=""),
    ) == (("condition",), (), ())
