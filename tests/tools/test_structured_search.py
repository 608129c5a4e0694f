"""structured_search, bullet by bullet of its specification (spec/research-tools.md, tool 16); Exa's
own answers are in test_contract.
"""

from __future__ import annotations

import math
from functools import reduce
from typing import Any

import pytest

from research_core import tools
from research_core.search.providers.exa import CATEGORIES
from research_core.tools import list_available_tools
from tests.bullets import Bullets
from tests.contracts import configured
from tests.contracts.exa import EXTRACTED, KEY, NOTHING, ROW, SCHEMA
from tests.tool_calls_made import CallOutcome, make_tool_call

SEARCH = "https://api.exa.ai/search"
bullet = Bullets("structured_search")


def search(
    answer: Any = None, http_status: int = 200, settings: Any = None, **arguments: Any
) -> CallOutcome:
    body = EXTRACTED if answer is None else answer
    return make_tool_call(
        "structured_search",
        {SEARCH: (http_status, body)},
        settings=KEY if settings is None else settings,
        **({"query": "tea"} | arguments),
    )


def body(**arguments: Any) -> dict[str, Any]:
    """What Exa is asked."""
    ((method, _, options),) = search(**arguments).requests(SEARCH)
    assert method == "POST"
    return dict(options["json"])


def nested(levels: int) -> Any:
    """A list within a list, so many times."""
    return reduce(lambda inner, _: [inner], range(levels), "deep")


def fields(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


@bullet("it is listed only where a provider of structured results is configured")
def _() -> None:
    assert "structured_search" in [row.name for row in list_available_tools(configured(**KEY))]
    assert "structured_search" not in [row.name for row in list_available_tools(configured())]


@bullet("query is required, and content options nest under contents")
def _() -> None:
    assert body() == {
        "query": "tea",
        "type": "auto",
        "numResults": 5,
        "contents": {"summary": {"query": "tea"}, "highlights": True},
    }
    assert "query" in make_tool_call("structured_search", {}, settings=KEY).error


@bullet("blanks are no query, and are not paid for")
def _() -> None:
    said = search(query=" \n")
    assert "something to search for" in said.error
    assert not said.requests()


@bullet("num_results is between 1 and 10, and 5 by default")
def _() -> None:
    assert body(num_results=10)["numResults"] == 10
    assert "num_results" in search(num_results=11).error
    assert "num_results" in search(num_results=0).error
    many = {**EXTRACTED, "results": [{**ROW, "url": f"https://tea.example/{n}"} for n in range(9)]}
    assert search(many, num_results=2).answer["resultCount"] == 2


@bullet("a schema is sent as it is, and each summary is an object of it")
def _() -> None:
    said = search(schema=SCHEMA)
    assert said.requests(SEARCH)[0][2]["json"]["contents"]["summary"] == {
        "query": "tea",
        "schema": SCHEMA,
    }
    (result,) = said.answer["results"]
    assert result["summary"] == {"dose": "two cups", "weeks": None}
    assert result["highlights"] == ["It helps.", "A bit."]


@bullet("without a schema the summary is plain text")
def _() -> None:
    (result,) = search({**EXTRACTED, "results": [{**ROW, "summary": '{"not": "parsed"}'}]}).answer[
        "results"
    ]
    assert result["summary"] == '{"not": "parsed"}'


@bullet("a summary that is no JSON stays the text it is")
def _() -> None:
    for said in (
        "Two cups a day.",
        '{"dose": NaN}',
        '{"dose": 1e999}',
        '{"dose": "two',
        "[" * 50_000,
        '{"a":' * 50 + "1" + "}" * 50,
    ):
        (result,) = search(
            {**EXTRACTED, "results": [{**ROW, "summary": said}]}, schema=SCHEMA
        ).answer["results"]
        assert result["summary"] == said


@bullet("what a model wrote holds nothing that cannot be seen")
def _() -> None:
    unseen = '{"do\\u200bse": ["two\\u202e cups"]}'
    (result,) = search(
        {**EXTRACTED, "results": [{**ROW, "summary": unseen}]}, schema=SCHEMA
    ).answer["results"]
    assert result["summary"] == {"dose": ["two cups"]}


@bullet("an unknown category is refused before anything is paid for, with those there are")
def _() -> None:
    said = search(category="recipes")
    assert "Exa has no category 'recipes'." in said.error
    assert all(each in said.error for each in CATEGORIES)
    assert said.requests() == []


@bullet("every category of Exa is taken, however it is written")
def _() -> None:
    assert CATEGORIES == (
        "company",
        "people",
        "research paper",
        "news",
        "pdf",
        "github",
        "financial report",
        "personal site",
    )
    for each in CATEGORIES:
        assert body(category=each.title())["category"] == each
    assert "category" not in body()


BAD: dict[str, list[dict[str, Any]]] = {
    "it is no JSON, or too deep": [
        {**fields(a={"type": "number"}), "default": value}
        for value in (math.nan, math.inf, nested(3000))
    ],
    "its root is no object": [
        {"type": "array"},
        {"properties": {"a": {"type": "string"}}},
        fields(),
        {"type": "object"},
    ],
    "it has 11 properties": [fields(**{f"p{n}": {"type": "string"} for n in range(11)})],
    "the property 'a'": [
        fields(a=fields(b={"type": "string"})),
        fields(a={}),
        fields(a="string"),
        fields(a={"type": "null"}),
        fields(a={"type": "array"}),
        fields(a={"type": "array", "items": fields(b={"type": "string"})}),
        fields(a={"type": "array", "items": {"type": "array", "items": {"type": "string"}}}),
        fields(a={"type": ["string", "object"]}),
        fields(a={"$ref": "#/x"}),
    ],
}


@bullet(
    "a schema that is not flat, or too large, is refused before anything is paid for, with what is allowed"
)
def _() -> None:
    for why, schemas in BAD.items():
        for schema in schemas:
            said = search(schema=schema)
            assert f"Exa cannot go by this schema: {why}" in said.error, schema
            assert (
                "an object with 1 to 10 properties, each of the type string, number, integer, boolean"
                in said.error
            )
            assert said.requests() == []


@bullet("ten properties, lists of simple values and values that may be null are taken")
def _() -> None:
    schema = fields(
        **{f"p{n}": {"type": "string"} for n in range(8)},
        many={"type": "array", "items": {"type": "number"}},
        maybe={"type": ["boolean", "null"]},
    )
    assert body(schema=schema)["contents"]["summary"]["schema"] == schema


@bullet("schema has to be an object")
def _() -> None:
    assert "schema" in search(schema="string").error


@bullet("a company comes with the entities of the provider")
def _() -> None:
    (result,) = search(category="company").answer["results"]
    assert result["entities"] == [{"type": "company", "properties": {"name": "Tea Ltd"}}]
    (plain,) = search({**EXTRACTED, "results": [ROW]}).answer["results"]
    assert "entities" not in plain


@bullet("each result has url, title, date and author, and what is not known is left out")
def _() -> None:
    (result,) = search().answer["results"]
    known = {name: result[name] for name in ("url", "title", "publishedDate", "author")}
    assert known == {
        "url": "https://tea.example/cold",
        "title": "Tea and colds",
        "publishedDate": "2024-03-09T00:00:00Z",
        "author": "Ada Moor; Bo Lind",
    }
    (bare,) = search(
        {"results": [{"url": "https://tea.example/cold", "title": "", "author": None}]}
    ).answer["results"]
    assert bare == {"url": "https://tea.example/cold"}


@bullet(
    "query, category, count, provider and costUsd are in the answer, from where the audit takes them"
)
def _() -> None:
    said = search(category="company").answer
    told = {
        name: said[name] for name in ("query", "category", "resultCount", "provider", "costUsd")
    }
    assert told == {
        "query": "tea",
        "category": "company",
        "resultCount": 1,
        "provider": "exa",
        "costUsd": 0.007,
    }
    assert search().answer["category"] == ""


@bullet("an explicit provider is used exclusively; an unknown one lists those there are")
def _() -> None:
    assert search(provider="exa").answer["provider"] == "exa"
    assert "Choose among: exa." in search(provider="oracle").error


@bullet("a provider that is not configured is named with its setting")
def _() -> None:
    assert "The provider exa needs EXA_API_KEY." in search(settings={}, provider="exa").error


@bullet("trust is always untrusted-external-content")
def _() -> None:
    assert (
        search().answer["trust"] == search(NOTHING).answer["trust"] == "untrusted-external-content"
    )


@bullet("an empty answer has hints")
def _() -> None:
    answer = search(NOTHING, category="company", schema=SCHEMA).answer
    assert (answer["results"], answer["resultCount"]) == ([], 0)
    assert answer["hints"]["filtersApplied"] == {"category": "company", "schema": SCHEMA}
    assert "hints" not in search().answer


@bullet("no credits is said as such, with what can be done")
def _() -> None:
    error = search(
        {"error": "You have exceeded your credits limit.", "tag": "NO_MORE_CREDITS"}, 402
    ).error
    assert "Exa answered 402 (You have exceeded your credits limit.)." in error
    assert "the credits left at dashboard.exa.ai" in error


@bullet("results are kept for an hour")
def _() -> None:
    assert search().kept_s == 3600


@bullet("the key of an answer knows query, category, num_results and schema")
def _() -> None:
    asked = [
        body(),
        body(query="coffee"),
        body(category="news"),
        body(num_results=6),
        body(schema=SCHEMA),
    ]
    assert all(one != other for n, one in enumerate(asked) for other in asked[:n])


@bullet("it only reads, may be repeated, and looks outside")
def _() -> None:
    row = tools.get_tool("structured_search")
    assert row is not None
    assert (row.read_only, row.idempotent, row.open_world) == (True, True, True)


@bullet("what it finds is a source of the session")
def _() -> None:
    known = search().context.source_metadata
    assert {url: source["snippet"] for url, source in known.items()} == {
        "https://tea.example/cold": "It helps. … A bit."
    }


@bullet("what it costs counts for the session, also where nothing was found")
def _() -> None:
    for answer, cost in ((EXTRACTED, 0.007), (NOTHING, 0.005)):
        deps = search(answer).context.deps
        assert deps is not None
        assert deps.http.tally()["cost"] == cost


@pytest.mark.parametrize("check", bullet.params)
def test_bullet(check: Any) -> None:
    check()
