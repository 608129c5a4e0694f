"""No parameter of a tool is dropped in silence, and none is left out of what an answer is kept
under.

Each tool is called with and without each of its parameters before one provider: something that is
asked, answered or told to be ignored has to differ; and a call that could be answered from what the
other left in the cache has to answer as if there were none.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from research_core.context import ResearchContext, memory_log
from research_core.errors import FetchError
from research_core.journal.cache import CacheEntry
from research_core.journal.circuit_breaker import CircuitBreakers as Paces
from research_core.journal.deps import Deps
from research_core.journal.doorway import Doorway
from research_core.model_messages import Json
from research_core.models import HttpReply
from research_core.policy import RunSettings
from research_core.search import providers
from research_core.settings import Settings
from research_core.tools import DEFAULT_TOOLS, TOOLS, get_tool, run_tool
from tests.contracts import Case, encoded
from tests.scripted import Scripted
from tests.search.providers.test_contract import CASES
from tests.tool_session import HTML, POOL, html
from tests.world import StillClock

WORDS = "The bay has the highest tides of all. " * 20
#: A tool's case, what it is always called with, and another value of every other parameter.
CALLS: dict[str, tuple[str, Json, Json]] = {
    "web_search": ("web:brave", {"query": "tides"}, {
        "num_results": 1, "time_range": "week", "safe": "off", "language": "de", "site": "tides.example.org", "exact_terms": "spring tide",
        "exclude_terms": "surfing", "country": "DE", "lens": "academic", "claim": "Tides are high.",
    }),
    "news_search": ("news:brave", {"query": "tides"}, {
        "num_results": 1, "time_range": "day", "sort_by": "date", "news_source": "tides.example.org", "country": "DE", "language": "de",
        "safe": "off",
    }),
    "image_search": ("images:brave", {"query": "tides"}, {
        "num_results": 1, "size": "large", "type": "photo", "color_type": "gray", "dominant_color": "blue", "file_type": "png",
        "safe": "off",
        "country": "DE", "language": "de",
    }),
    "local_search": ("places:brave", {"query": "tea"}, {
        "num_results": 1, "near": "Bay City", "latitude": 1.0, "longitude": 1.0, "radius": 1.0, "country": "DE", "units": "imperial",
    }),
    "academic_search": ("papers:crossref", {"query": "tea"}, {
        "num_results": 1, "year_from": 2001, "year_to": 2002, "source": "ieee", "pdf_only": True, "sort_by": "date", "open_access": True,
    }),
    "citation_graph": ("citations:openalex", {"paper": "10.1000/tea.9"}, {
        "direction": "references", "num_results": 1, "influential_only": True,
    }),
    "patent_search": ("patents:uspto", {"query": "tea"}, {
        "num_results": 1, "search_type": "landscape", "patent_office": "US", "assignee": "Acme", "inventor": "Ann", "cpc_code": "A23F",
        "year_from": 2001, "year_to": 2002,
    }),
    "filing_search": ("filings:edgar", {"query": "tea"}, {
        "form_type": "8-K", "ticker": "TEA", "date_from": "2020-01-01", "date_to": "2020-02-01", "facts": True, "num_results": 1,
    }),
    "legal_search": ("cases:courtlistener", {"query": "tea"}, {
        "jurisdiction": "scotus", "date_from": "2020-01-01", "date_to": "2020-02-01", "num_results": 1,
    }),
    "econ_search": ("series:fred", {"query": "tea"}, {
        "series_id": "TEA", "country": "USA", "date_from": "2020", "date_to": "2021", "frequency": "a", "units": "pch", "num_results": 1,
    }),
    "clinical_search": ("trials:clinicaltrials", {"query": "tea"}, {
        "condition": "cold", "intervention": "tea", "sponsor": "Bay", "status": "COMPLETED", "num_results": 1,
    }),
    "answer": ("answers:exa", {"query": "tea"}, {}),
    "structured_search": ("structured:exa", {"query": "tea"}, {
        "category": "news", "num_results": 1, "schema": {"type": "object", "properties": {"name": {"type": "string"}}},
    }),
    "search_and_scrape": ("web:brave", {"query": "tides"}, {
        "num_results": 1, "include_sources": False, "max_length_per_source": 50, "total_max_length": 60,
        "filter_by_query": True, "claim": "The bay has the highest tides.",
    }),
    "brand_research": ("web:brave", {"url": "tides.example.org"}, {
        "company_name": "Bay", "depth": "quick", "include_design_tokens": True,
    }),
    "verify_recommendation": ("web:brave", {"recommendations": [{"title": "Bay"}]}, {
        "claim": "best tides", "numCorroborationResults": 1,
    }),
    "verify_citation": ("papers:crossref", {"citation": "https://tides.example.org/a"}, {"claim": "The bay has the highest tides."}),
    "audit_bibliography": ("papers:crossref", {"entries": [{"title": "Tea", "url": "https://tides.example.org/a"}]}, {
        "bibliography": "Doe, J. (2020). On tea. Tea, 1, 2-3.", "format": "bibtex",
    }),
    "scrape_page": ("web:brave", {"url": "https://tides.example.org/a"}, {"mode": "raw", "max_length": 50}),
}  # fmt: skip
#: Parameters that say whom to ask or where to put it, and one that acts only on what several pages
#: share.
APART = {"provider", "sessionId", "deduplicate"}
#: Parameters that count only together with others, which are given too; and what is not asked any
#: more then.
WITH: dict[tuple[str, str], Json] = {
    ("local_search", "latitude"): {"longitude": 2.0},
    ("local_search", "longitude"): {"latitude": 2.0},
    ("local_search", "radius"): {"latitude": 2.0, "longitude": 2.0},
    ("econ_search", "frequency"): {"series_id": "TEA"},
    ("verify_recommendation", "numCorroborationResults"): {"claim": "best tides"},
    ("econ_search", "units"): {"series_id": "TEA"},
    ("econ_search", "date_from"): {"series_id": "TEA"},
    ("econ_search", "date_to"): {"series_id": "TEA"},
}
#: Parameters that act on more results, or on other pages, than these cases have; each has a bullet
#: of its tool.
CUTS = {
    ("legal_search", "num_results"),
    ("search_and_scrape", "num_results"),
    ("search_and_scrape", "filter_by_query"),
    ("brand_research", "company_name"),  # url stands before it
    ("audit_bibliography", "bibliography"),  # entries stand before it
    ("audit_bibliography", "format"),
}
#: Tools that say how things are now: nothing of them is kept.
NOW = {"verify_citation", "audit_bibliography"}
EACH = [
    pytest.param(name, parameter, id=f"{name}.{parameter}")
    for name, (_, _, more) in CALLS.items()
    for parameter in more
]


@dataclass
class Outside:
    """A case's answers by a part of their address, and one page for any other; asked: what was, as
    text.
    """

    case: Case
    asked: list[str] = field(default_factory=list)

    def send(self, method: str, url: str, **options: Any) -> HttpReply:
        told = {name: options.get(name) for name in ("params", "json", "headers")}
        self.asked.append(f"{method} {url} {json.dumps(told, sort_keys=True, default=str)}")
        body = next((body for part, body in self.case.answers if part in url), None)
        if body is not None:
            return HttpReply(url, 200, {"date": "Sun, 22 Nov 2026 12:00:00 GMT"}, encoded(body))
        if "example" in url:
            return HttpReply(url, 200, HTML, html(WORDS).encode())
        raise FetchError("There is nobody at this address.", kind="network")


class Drawer(dict[str, CacheEntry]):
    """A cache that keeps everything."""

    def put(self, key: str, entry: CacheEntry, _now: float) -> None:
        if not entry.failed:
            self[key] = entry


#: Answers, requests and caches of calls that began with an empty cache, by tool and arguments.
_FRESH: dict[tuple[str, str], tuple[Json, list[str], Drawer]] = {}


def fresh(name: str, arguments: Json) -> tuple[Json, list[str], Drawer]:
    """Call the tool with an empty cache, once. Return answer, requests and a copy of the cache."""
    key = name, json.dumps(arguments, sort_keys=True)
    if key not in _FRESH:
        drawer = Drawer()
        _FRESH[key] = (*called(name, arguments, drawer), drawer)
    answer, asked, drawer = _FRESH[key]
    return answer, asked, Drawer(drawer)


def called(name: str, arguments: Json, drawer: Drawer) -> tuple[Json, list[str]]:
    """(what the tool answers, what was asked outside)."""
    case = next(case for case in CASES if case.id == CALLS[name][0])
    configured = Settings(
        home=Path("unused"),
        database_url="sqlite://",
        **{"ddgs_engines": (), "robots": False, **case.settings},
    )
    log, outside, clock = memory_log("tea"), Outside(case), StillClock()
    cache: Any = partial(lambda held: held, drawer)
    paces = Paces(partial(next, count(0.0, 5.0)))
    doorway = Doorway(log, outside, Scripted("no answer"), clock, cache=cache, services=paces)
    rows = providers.list_available_rows(configured)
    deps = Deps(
        configured, RunSettings(), doorway.http, doorway.model, log, clock, POOL, engines=rows
    )
    whom = {"provider": case.name} if "provider" in _parameters(name) else {}
    return json.loads(
        run_tool(name, {**arguments, **whom}, ResearchContext("tea", deps))
    ), outside.asked


def _parameters(name: str) -> set[str]:
    row = get_tool(name)
    assert row is not None
    return set(row.schema["properties"])


def test_every_tool_that_asks_the_world_and_every_parameter_is_here() -> None:
    assert set(CALLS) == {row.name for row in TOOLS if row not in DEFAULT_TOOLS and row.open_world}
    for name, (_, always, more) in CALLS.items():
        assert _parameters(name) - APART == set(always) | set(more), name


@pytest.mark.parametrize(("name", "parameter"), [each for each in EACH if each.values not in CUTS])
def test_a_parameter_changes_what_is_asked_or_answered_or_is_told_to_be_ignored(
    name: str, parameter: str
) -> None:
    _, always, more = CALLS[name]
    base = {**always, **WITH.get((name, parameter), {})}
    without, with_it = fresh(name, base), fresh(name, {**base, parameter: more[parameter]})
    assert without[:2] != with_it[:2]


@pytest.mark.parametrize(("name", "parameter"), EACH)
def test_an_answer_that_is_kept_never_stands_for_a_call_with_another_parameter(
    name: str, parameter: str
) -> None:
    _, always, more = CALLS[name]
    base = {**always, **WITH.get((name, parameter), {})}
    varied = {**base, parameter: more[parameter]}
    first, _, kept = fresh(name, base)
    assert called(name, varied, kept)[0] == fresh(name, varied)[0]
    again, asked = called(name, base, kept)
    free = (
        {"costUsd": 0.0} if "costUsd" in again and not asked else {}
    )  # what is kept costs nothing the second time
    assert again == first | free
    assert not asked or "error" in again or name in NOW  # and what is kept is used


@pytest.mark.parametrize("name", CALLS)
def test_every_answer_says_that_it_is_data_of_others(name: str) -> None:
    answer, _, _ = fresh(name, CALLS[name][1])
    assert answer.get("trust") == "untrusted-external-content", answer
