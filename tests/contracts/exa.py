"""Exa's search, in each of its uses, and its answers."""

from __future__ import annotations

from research_core.models import SearchResult
from research_core.search.queries import (
    AnswerQuery,
    NewsQuery,
    PaperQuery,
    StructuredQuery,
    WebQuery,
)
from research_core.search.records import Answer, Article, CitedPage, ExtractedResult, Paper
from tests.contracts import Case

KEY = {"exa_api_key": "key-of-exa-0123456789"}
COST = {"total": 0.007, "search": {"neural": 0.005}, "contents": {"highlights": 0.002}}
ROW = {
    "id": "https://tea.example/cold",
    "url": "https://tea.example/cold",
    "title": "Tea and colds",
    "publishedDate": "2024-03-09T00:00:00.000Z",
    "author": "Ada Moor; Bo Lind",
    "highlights": ["It helps.", "A bit."],
}
SEARCH = {"requestId": "r", "results": [ROW], "costDollars": COST}
NOTHING = {"requestId": "r", "results": [], "costDollars": {"total": 0.005}}
WHEN = "2024-03-09T00:00:00Z"
SCHEMA = {
    "type": "object",
    "properties": {
        "dose": {"type": "string"},
        "weeks": {"type": "array", "items": {"type": "integer"}},
    },
}
EXTRACTED = {
    **SEARCH,
    "results": [
        {
            **ROW,
            "summary": '{"dose": "two cups", "weeks": null}',
            "entities": [{"type": "company", "properties": {"name": "Tea Ltd"}}],
        }
    ],
}
ANSWER = {
    "answer": " Two cups. ",
    "citations": [{**ROW, "text": None}],
    "costDollars": {"total": 0.005},
}
#: What tells the time, whatever it answers.
ROOT = ("api.exa.ai/", "Not found")
NOW = {"date": "Sun, 10 Mar 2024 09:00:00 GMT"}
CASES = (
    Case(
        "exa",
        "web",
        WebQuery(
            "tea",
            sites=("tea.example/cold", "other.example"),
            time_range="week",
            safe="high",
            country="de",
            site="tea.example",
        ),
        [("api.exa.ai/search", SEARCH), ROOT],
        [
            SearchResult(
                "Tea and colds", "https://tea.example/cold", "It helps. … A bit.", published=WHEN
            )
        ],
        [("api.exa.ai/search", NOTHING), ROOT],
        KEY,
        spared=(ROOT[0],),
        headers=NOW,
    ),
    Case(
        "exa",
        "news",
        NewsQuery("tea", news_source="tea.example", time_range="day", safe="off", country="de"),
        [("api.exa.ai/search", SEARCH), ROOT],
        [
            Article(
                "Tea and colds",
                "https://tea.example/cold",
                "tea.example",
                "It helps. … A bit.",
                WHEN,
            )
        ],
        [("api.exa.ai/search", NOTHING), ROOT],
        KEY,
        spared=(ROOT[0],),
        headers=NOW,
    ),
    Case(
        "exa",
        "papers",
        PaperQuery("tea", year_from=2018, year_to=2024, source="nature"),
        [
            (
                "api.exa.ai/search",
                {**SEARCH, "results": [{**ROW, "url": "https://doi.org/10.1000/Tea.1"}]},
            )
        ],
        [
            Paper(
                "Tea and colds",
                "https://doi.org/10.1000/Tea.1",
                "exa",
                doi="10.1000/tea.1",
                authors=("Ada Moor", "Bo Lind"),
                year=2024,
            )
        ],
        [("api.exa.ai/search", NOTHING)],
        KEY,
    ),
    Case(
        "exa",
        "answers",
        AnswerQuery("How much tea helps?"),
        [("api.exa.ai/answer", ANSWER)],
        [
            Answer(
                "Two cups.", (CitedPage("https://tea.example/cold", "Tea and colds", WHEN),), 0.005
            )
        ],
        [("api.exa.ai/answer", {"answer": "", "citations": [], "costDollars": {"total": 0.005}})],
        KEY,
    ),
    Case(
        "exa",
        "structured",
        StructuredQuery("tea", category="company", schema=SCHEMA),
        [("api.exa.ai/search", EXTRACTED)],
        [
            ExtractedResult(
                "https://tea.example/cold",
                "Tea and colds",
                WHEN,
                "Ada Moor; Bo Lind",
                {"dose": "two cups", "weeks": None},
                ("It helps.", "A bit."),
                ({"type": "company", "properties": {"name": "Tea Ltd"}},),
                0.007,
            )
        ],
        [("api.exa.ai/search", NOTHING)],
        KEY,
    ),
)
