"""What somebody reads who called a tool wrongly, by MCP, browser or terminal: which parameter, what
was given, what it takes.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.errors import UsageError
from research_core.search.queries import FilingQuery, PaperQuery, PatentQuery
from research_core.sessions.tool_calls import ToolCaller
from research_core.text.words import strip_invisible
from research_core.tools import TOOLS
from research_core.tools.arguments import MAX_MISTAKES, MAX_SHOWN_CHARACTERS
from research_core.tools.provider_search import describe_query
from tests.counter import make_tool_caller
from tests.terminal import assay
from tests.tool_calls_made import make_tool_call


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> ToolCaller:
    return make_tool_caller(tmp_path_factory.mktemp("tools"), {})


def wrong(at: ToolCaller, name: str, arguments: Any) -> UsageError:
    error = at.serve(name, arguments).error
    assert isinstance(error, UsageError)
    return error


Q = {"query": "tea"}
U = {"url": "https://example.org/"}
MISTAKES: list[tuple[str, Any, str]] = [
    (
        "web_search",
        Q | {"num_results": "5"},
        'num_results must be a whole number from 1 to 10, not the text "5"',
    ),
    (
        "web_search",
        Q | {"num_results": 50},
        "num_results must be a whole number from 1 to 10, not 50",
    ),
    (
        "web_search",
        Q | {"num_results": 2.5},
        "num_results must be a whole number from 1 to 10, not 2.5",
    ),
    (
        "web_search",
        Q | {"num_results": None},
        "num_results must be a whole number from 1 to 10, not null",
    ),
    (
        "web_search",
        Q | {"num_results": True},
        "num_results must be a whole number from 1 to 10, not true",
    ),
    (
        "web_search",
        Q | {"qu\ud800ery": 1},
        "the name of a parameter holds half a character, which no text may",
    ),
    ("web_search", {"query": ["tea"]}, "query must be text of 1 to 500 characters, not a list"),
    (
        "web_search",
        {"query": {"q": "tea"}},
        "query must be text of 1 to 500 characters, not an object",
    ),
    ("web_search", {"query": "x" * 501}, "query must be text of 1 to 500 characters, not of 501"),
    ("web_search", {"query": ""}, "query must be text of 1 to 500 characters, not empty"),
    ("web_search", {"query": "a\ud800"}, "query holds half a character, which no text may"),
    ("web_search", {"query": "a\x00b"}, "query holds a NUL character, which no text may"),
    (
        "web_search",
        Q | {"sessionId": "caf\udce9"},
        "sessionId holds bytes that are not UTF-8, which no text may",
    ),
    (
        "format_bibliography",
        {"sources": [{"url": "https://a.example.org", "title": "\x00"}]},
        "sources[0].title holds a NUL character, which no text may",
    ),
    ("web_search", Q | {"site": 3}, "site must be text of at most 300 characters, not 3"),
    (
        "web_search",
        Q | {"time_range": "weeks"},
        'time_range must be one of day, week, month, year, not the text "weeks" (did you mean week?)',
    ),
    (
        "web_search",
        Q | {"time_range": "soon"},
        'time_range must be one of day, week, month, year, not the text "soon"',
    ),
    (
        "news_search",
        Q | {"country": "Germany"},
        'country cannot be the text "Germany" (ISO 3166-1 alpha-2 code, such as gb)',
    ),
    (
        "academic_search",
        Q | {"year_from": 1500},
        "year_from must be a whole number from 1900 to 2030, not 1500",
    ),
    (
        "academic_search",
        Q | {"pdf_only": "yes"},
        'pdf_only must be true or false, not the text "yes"',
    ),
    ("local_search", Q | {"latitude": 95.5}, "latitude must be a number from -90 to 90, not 95.5"),
    ("local_search", Q | {"radius": -1}, "radius must be a number of at least 0, not -1"),
    (
        "structured_search",
        Q | {"schema": "name, price"},
        'schema must be an object, not the text "name, price"',
    ),
    ("web_search", {}, "query is missing (What to search for)"),
    (
        "web_search",
        Q | {"num_result": 5},
        "there is no parameter 'num_result' (did you mean num_results?)",
    ),
    (
        "web_search",
        Q | {"sessionid": "s"},
        "there is no parameter 'sessionid' (did you mean sessionId?)",
    ),
    ("web_search", Q | {"colour": "green"}, "there is no parameter 'colour'"),
    ("web_search", Q | {5: 1}, "there is no parameter '5'"),
    (
        "verify_recommendation",
        {"recommendations": [{"url": "https://a.example/"}]},
        "recommendations[0].title is missing (What is recommended, as the list has it)",
    ),
    (
        "format_bibliography",
        {"sources": [U, U | {"autor": "Lee"}]},
        "there is no parameter 'autor' in sources[1] (did you mean author?)",
    ),
    (
        "format_bibliography",
        {"sources": [U, "tea"]},
        'sources[1] must be an object, not the text "tea"',
    ),
    (
        "format_bibliography",
        {"sources": [U | {"doi": 5}]},
        "sources[0].doi must be text of at most 2000 characters, not 5",
    ),
    (
        "format_bibliography",
        {"sources": [U] * 1_001},
        "sources must be a list of at most 1,000, not one of 1,001",
    ),
    (
        "memory_save",
        {"note": "tea", "tags": ["a", 5]},
        "tags[1] must be text of at most 100 characters, not 5",
    ),
    ("web_search", ["tea"], "the arguments must be an object, not a list"),
    ("web_search", "tea", 'the arguments must be an object, not the text "tea"'),
    ("web_search", None, "the arguments must be an object, not null"),
]


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    MISTAKES,
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_mistake_is_said_with_what_was_given_and_what_is_taken(
    at: ToolCaller, name: str, arguments: Any, said: str
) -> None:
    error = wrong(at, name, arguments)
    assert error.message == f"{name} cannot run: {said}."
    of_names = any(
        part in said
        for part in ("is missing", "no parameter", "an object, not a list", "the arguments")
    )
    steps = ("It takes: query, ", "Each of sources takes: url, ", "Each of recommendations takes: ")
    assert error.next_step.startswith(steps) == of_names


def test_every_mistake_is_told_up_to_a_few(at: ToolCaller) -> None:
    assert wrong(at, "web_search", {"querry": "tea", "num_results": 0}).message == (
        "web_search cannot run: query is missing (What to search for); num_results must be a whole number from 1 to 10, not 0; "
        "there is no parameter 'querry' (did you mean query?)."
    )
    said = wrong(
        at, "web_search", Q | {f"parameter{n}": n for n in range(MAX_MISTAKES + 3)}
    ).message
    assert said.count("there is no parameter") == MAX_MISTAKES
    assert said.endswith("; 3 more are wrong.")
    both = wrong(at, "format_bibliography", {"sources": [{}, {"uri": 5}], "stile": "apa"})
    assert both.next_step == (
        "Each of sources takes: url, title, author, site, date, doi, authors, journal, year. It takes: style, sessionId, sources."
    )


def test_what_was_given_is_told_cut_and_cleaned(at: ToolCaller) -> None:
    said = wrong(
        at,
        "web_search",
        Q
        | {
            "time_range": f"\u202e\x1b[31m{'x' * 500}",
            "num_results": 10**300,
            "a\x00\u202e" * 200: 1,
        },
    ).message
    assert said.isprintable()
    assert len(said) < 3 * MAX_SHOWN_CHARACTERS + 300


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("web_serch", "Unknown tool: web_serch (did you mean web_search?)."),
        ("potato", "Unknown tool: potato."),
    ],
)
def test_a_tool_that_there_is_not_is_told_with_the_nearest_and_with_all(
    at: ToolCaller, name: str, said: str
) -> None:
    error = wrong(at, name, {})
    assert error.message == said
    assert error.next_step == f"There are: {', '.join(row.name for row in TOOLS)}."


PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
JSON = st.recursive(PLAIN, lambda each: st.lists(each) | st.dictionaries(st.text(), each))


@given(st.sampled_from([row for row in TOOLS if row.name != "score_source"]), st.data())
def test_whatever_is_given_is_a_sentence(at: ToolCaller, row: Any, data: st.DataObject) -> None:
    """Each parameter gets any value, which it may take, and there is one that no tool has, so that
    none runs.
    """
    names = [*row.schema["properties"]]
    given = data.draw(st.dictionaries(st.sampled_from(names), JSON, max_size=4)) if names else {}
    error = wrong(at, row.name, given | {"unheard of": 1})
    assert error.message.startswith(
        (f"{row.name} cannot run: ", "Session not found or expired.")
    )  # it is looked up before all else
    assert error.sentence() == " ".join(strip_invisible(error.sentence()).split())


def test_a_model_in_a_run_is_told_the_checker_s_own_words() -> None:
    """A replay has to meet what the run was told, whenever that was."""
    said = make_tool_call("web_search", {}, num_results="5", querry="tea")
    assert said.error == (
        "web_search cannot run: query: Field required; num_results: Input should be a valid integer; "
        "querry: Extra inputs are not permitted."
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("", "it is empty"),
        (
            "{'query': 'tea'}",
            "expecting property name enclosed in double quotes, before 'query': 'tea'}",
        ),
        ('{"query": "tea"', "expecting ',' delimiter, where it ends"),
        ("tea", "expecting value, before tea"),
        ("[" * 100_000, "it is nested too deeply"),
        (f'{{"query": \x1b[31m{"x" * 500}', "expecting value, before [31mxxx"),
    ],
)
def test_what_is_no_json_at_a_terminal_is_said_with_where(given: str, said: str) -> None:
    shown = assay("tools", "call", "clinical_search", "--json", given)
    assert shown.code == 2
    assert shown.err.startswith(f"assay: --json is not JSON: {said}")
    assert shown.err.endswith('Give an object, such as --json \'{"query": "tea"}\'.\n')
    assert shown.err.strip().isprintable()
    assert len(shown.err) < MAX_SHOWN_CHARACTERS + 160


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        (PatentQuery("", assignee="Acme ApS"), "assignee Acme ApS"),
        (PatentQuery("", inventor="Łucja Nowak", cpc_code="C12N"), "inventor Łucja Nowak, cpc code C12N"),
        (FilingQuery("", ticker="NVO", form_type="20-F"), "form type 20-F, ticker NVO"),
        (PaperQuery("", source="arxiv"), "source arxiv"),
        (PatentQuery("", assignee="株式会社"), "assignee 株式会社"),
    ],
)  # fmt: skip
def test_a_query_without_words_is_described_by_what_it_asks_for(query: Any, shown: str) -> None:
    assert describe_query(query) == shown
