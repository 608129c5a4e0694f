"""The functions of spec/tools-module.md: constants, shapes, progress events, blocks and failures,
and input of every kind.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer

from research_core import tools
from research_core.context import ResearchContext
from research_core.errors import FetchError, SearchError
from research_core.journal.events import Draft
from research_core.model_messages import Json
from research_core.models import HttpReply
from research_core.policy import CredibilityPolicy, RunSettings
from research_core.trust import credibility
from research_core.web.http.client import Client
from tests.tool_session import (
    GOOD,
    PAGE,
    POOR,
    QUESTION,
    Engine,
    Web,
    html,
    kinds,
    listed,
    make_context,
    row,
)

FIVE = [row(f"https://nature.com/{n}", title=f"Title {n}") for n in range(5)]
BLOCKED = "Fetching blocked. Source credibility score (0.36) is below threshold (0.5)."
PROVISIONAL = " No search has listed it, so this score is provisional."


def run(name: str, tool_input: Any, context: Any = None) -> Json:
    """What `run_tool` says, which any file or wire must take."""
    said = tools.run_tool(name, tool_input, context)
    said.encode("utf-8")
    answer = json.loads(said)
    assert isinstance(answer, dict)
    return answer


def test_the_constants_of_the_module() -> None:
    constants = (
        tools.MAX_SEARCH_RESULTS,
        tools.MAX_PAGE_CHARS,
        tools.REQUEST_TIMEOUT,
        tools.MIN_CREDIBILITY_SCORE,
    )
    assert constants == (5, 3000, 15, 0.5)


def test_score_source_is_the_one_of_credibility() -> None:
    assert tools.score_source is credibility.score_source
    assert tools.score_source(POOR, "unrelated words here", QUESTION) == 0.36


# ---------------------------------------------------------------- search_web


def test_a_search_gives_at_most_five_results_of_title_url_and_snippet() -> None:
    context = make_context(Engine(answers={"codes": [*FIVE, row("https://nature.com/6")]}))
    results = tools.search_web("codes", context)
    assert results == [
        {"title": f"Title {n}", "url": f"https://nature.com/{n}", "snippet": QUESTION}
        for n in range(5)
    ]


def test_a_search_is_noted_and_its_results_are_scored() -> None:
    context = make_context(Engine(answers={"codes": [row(), row(POOR, "unrelated words here")]}))
    tools.search_web("codes", context=context)
    assert context.queries_made == ["codes"]
    assert {url: data["score"] for url, data in context.source_metadata.items()} == {
        GOOD: 0.82,
        POOR: 0.36,
    }


def test_progress_says_search_just_before_the_engine_is_asked() -> None:
    engine, told = Engine(answers={"codes": FIVE}), []
    tools.search_web(
        "codes",
        make_context(engine),
        lambda event, detail: told.append((event, detail, list(engine.asked))),
    )
    assert told == [("search", "codes", [])]


def test_engines_are_asked_in_order_until_five_results_are_there() -> None:
    first, second = Engine("one", {"codes": FIVE[:3]}), Engine("two", {"codes": FIVE[2:]})
    third = Engine("three", {"codes": FIVE})
    results = tools.search_web("codes", make_context(first, second, third))
    assert [result["title"] for result in results] == [
        "Title 0",
        "Title 2",
        "Title 1",
        "Title 3",
        "Title 4",
    ]
    assert third.asked == []


FAILING = SearchError("The engine is resting.", kind="rate_limited")


def test_a_failed_search_and_an_empty_one_look_alike_to_search_web_and_are_told_apart_in_the_log() -> (
    None
):
    context = make_context(Engine(answers={"down": FAILING}))
    assert tools.search_web("down", context) == tools.search_web("nothing", context) == []
    failed, empty = context.run.outcomes
    assert (failed["engine"], failed["state"], failed["reason"], failed["query"]) == (
        "one",
        "refused",
        "The engine is resting.",
        "down",
    )
    assert (empty["state"], empty["reason"], empty["query"]) == ("empty", "", "nothing")
    assert [kind for kind in kinds(context) if kind.startswith("search")] == [
        "search_failed",
        "searched",
    ]


def test_run_tool_tells_a_failed_search_from_an_empty_one() -> None:
    context = make_context(Engine(answers={"down": FAILING}))
    assert run("search_web", {"query": "nothing"}, context) == {"results": []}
    assert run("search_web", {"query": "down"}, context) == {
        "error": "The search failed (one: The engine is resting.). Try again later, or set SEARXNG_URL."
    }
    assert (
        "no search engine is configured"
        in run("search_web", {"query": "x"}, make_context())["error"]
    )


def test_one_failed_engine_does_not_empty_a_search() -> None:
    context = make_context(Engine("one", {"codes": FAILING}), Engine("two", {"codes": [row()]}))
    assert [result["url"] for result in tools.search_web("codes", context)] == [GOOD]
    assert [data["state"] for data in context.run.outcomes] == ["refused", "answered"]


def test_a_query_made_again_is_not_asked_again_and_keeps_its_place() -> None:
    engine = Engine(answers={"codes": [row()], "other": [row(POOR)]})
    context = make_context(engine)
    first = tools.search_web("codes", context)
    tools.search_web("other", context)
    before = context.run
    assert tools.search_web("codes", context) == first
    assert engine.asked == context.queries_made == ["codes", "other"]
    assert (context.run.outcomes, context.run.sources) == (before.outcomes, before.sources)
    assert [data["query"] for data in before.outcomes] == ["codes", "other"]


# ---------------------------------------------------------------- fetch_page


def told(tool_input: str, context: ResearchContext) -> tuple[str, list[tuple[str, str]]]:
    events: list[tuple[str, str]] = []
    return tools.fetch_page(
        tool_input, context, lambda event, detail: events.append((event, detail))
    ), events


def test_a_page_is_read_once_and_then_comes_from_the_context() -> None:
    web = Web({GOOD: PAGE})
    context = listed(row(), web=web)
    text, events = told(GOOD, context)
    assert text.startswith("Surface codes correct")
    assert events == [("fetch", GOOD)]
    assert told(GOOD, context) == (text, [])
    assert web.urls == [GOOD]
    assert context.sources_fetched == {GOOD: text}
    assert context.source_metadata[GOOD]["fetched"] is True


def test_a_page_that_its_address_leads_away_to_is_refused_where_that_is_not_credible_enough() -> (
    None
):
    listed_as, led_to = "https://www.archive.example.gov/codes", "https://win.example.com/codes"
    web = Web(
        {
            listed_as: HttpReply(
                led_to, 200, {"content-type": "text/html"}, PAGE.encode(), (listed_as,)
            )
        }
    )
    context = listed(row(listed_as, "quantum error"), web=web)
    refused = "Fetching blocked. Source credibility score ({:.2f}) is below threshold (0.5)."
    for _ in range(2):  # nor does it come from what is there already
        said = run("fetch_page", {"url": listed_as}, context)
        assert said == {
            "error": refused.format(credibility.score_source(led_to, "quantum error", QUESTION))
        }
    assert web.urls == [listed_as]


def test_progress_says_fetch_before_the_request() -> None:
    web = Web({GOOD: PAGE})
    asked: list[list[str]] = []
    tools.fetch_page(GOOD, listed(row(), web=web), lambda *_: asked.append(web.urls))
    assert asked == [[]]


def test_a_request_waits_at_most_fifteen_seconds() -> None:
    web = Web({GOOD: PAGE})
    tools.fetch_page(GOOD, listed(row(), web=web))
    assert web.asked[0][1]["timeout_s"] == tools.REQUEST_TIMEOUT


def test_a_spelling_of_the_same_address_is_the_same_page() -> None:
    web = Web({GOOD: PAGE})
    context = listed(row(), web=web)
    text = tools.fetch_page(GOOD, context)
    assert tools.fetch_page("HTTPS://NATURE.com:443/codes?utm_source=x#top", context) == text
    assert web.urls == [GOOD]


def test_a_long_page_is_cut_between_words_and_kept_whole() -> None:
    sentence = (
        "Surface code number {} corrects the errors of physical qubits by measuring their parities."
    )
    context = listed(row(), web=Web({GOOD: html(*(sentence.format(n) for n in range(100)))}))
    text = tools.fetch_page(GOOD, context)
    assert 2900 < len(text) <= tools.MAX_PAGE_CHARS
    assert text.endswith("…")
    assert context.sources_fetched[GOOD].startswith(text[:-1])
    assert context.sources_fetched[GOOD][len(text) - 1].isspace()
    assert len(context.sources_fetched[GOOD]) > 5000


def test_navigation_and_decoration_are_stripped_and_the_agent_says_who_it_is(
    httpserver: HTTPServer, client: Client
) -> None:
    """Through the guarded session, to a server on loopback."""
    body = (
        "<html><head><title>Codes</title><style>p{color:red}</style><script>alert('no')</script></head><body><header>Site head</header>"
        "<nav>Home About</nav><main><article><h1>Codes</h1><p>Surface codes correct the errors of qubits by measuring parities.</p>"
        "<p>They need many   physical\n qubits for each logical one.</p></article></main>"
        "<aside>Buy now</aside><footer>Imprint</footer></body></html>"
    )
    httpserver.expect_request("/codes").respond_with_data(body, content_type="text/html")
    url = "http://pages.example.org/codes"
    text = tools.fetch_page(url, listed(row(url), web=client))
    assert "Surface codes correct the errors" in text
    assert "many physical qubits" in text
    assert not [
        word
        for word in ("alert", "color", "Site head", "Home", "Buy now", "Imprint")
        if word in text
    ]
    assert httpserver.log[0][0].headers["User-Agent"].startswith("ResearchAgent/1.0")


def reply(status: int = 200, content_type: str = "text/html", body: bytes = b"") -> HttpReply:
    return HttpReply(GOOD, status, {"content-type": content_type}, body)


FAILURES: dict[str, tuple[HttpReply | Exception, str]] = {
    "nobody": (
        FetchError("There is nobody at this address.", kind="network"),
        "There is nobody at this address.",
    ),
    "timeout": (
        FetchError("nature.com did not answer in time.", kind="timeout"),
        "did not answer in time",
    ),
    "not found": (reply(404), "There is no such page. (HTTP 404)"),
    "refused": (reply(403), "refused to serve the page"),
    "server": (reply(500), "has a server error"),
    "image": (
        reply(content_type="image/png", body=b"\x89PNG\r\n\x1a\n\x00"),
        "which Assay does not read",
    ),
    "empty": (reply(), "empty"),
    "no text": (reply(body=b"<html><body><script>x</script></body></html>"), ""),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_page_that_cannot_be_read_is_empty_and_its_reason_is_kept(name: str) -> None:
    page, reason = FAILURES[name]
    context = listed(row(), web=Web({GOOD: page}))
    assert tools.fetch_page(GOOD, context) == ""
    assert reason in run("fetch_page", {"url": GOOD}, context)["error"]
    assert reason in context.run.sources[GOOD].failure
    assert context.run.sources[GOOD].failure
    assert (context.is_fetched(GOOD), context.sources_fetched) == (False, {})


def test_a_failure_is_recorded_and_not_asked_for_again() -> None:
    web = Web({GOOD: reply(404)})
    context = listed(row(), web=web)
    assert run("fetch_page", {"url": GOOD}, context) == run("fetch_page", {"url": GOOD}, context)
    assert web.urls == [GOOD]


def test_a_blocked_page_is_never_asked_for() -> None:
    web = Web({POOR: PAGE})
    context = listed(row(POOR, "unrelated words here"), web=web)
    assert told(POOR, context) == ("", [("block", f"{POOR} (score: 0.36)")])
    assert run("fetch_page", {"url": POOR}, context) == {"error": BLOCKED}
    assert web.asked == []
    assert context.source_metadata[POOR] == {
        "title": "Codes",
        "snippet": "unrelated words here",
        "score": 0.36,
        "fetched": False,
    }
    assert context.run.sources[POOR].refused
    assert "fetch" not in kinds(context)


def test_the_block_event_names_the_address_as_it_was_given() -> None:
    context = listed(row(POOR, "unrelated words here"))
    assert told(f"{POOR}#part", context)[1] == [("block", f"{POOR}#part (score: 0.36)")]


def test_an_address_no_search_listed_is_blocked_by_a_provisional_score_and_says_so() -> None:
    context = make_context(web=Web({POOR: PAGE}))
    assert run("fetch_page", {"url": POOR}, context) == {"error": BLOCKED + PROVISIONAL}
    assert context.source_metadata[POOR]["score"] == 0.36
    context.add_search_results([{"title": "Codes", "url": POOR, "snippet": QUESTION}], QUESTION)
    assert run("fetch_page", {"url": POOR}, context)["content"].startswith("Surface codes")


def test_a_score_equal_to_the_threshold_is_blocked() -> None:
    url = "https://someblog.com/article"
    strict = RunSettings(engines=("one",), credibility=CredibilityPolicy(minimum=0.66))
    assert (
        "score (0.66) is below threshold (0.66)."
        in run("fetch_page", {"url": url}, listed(row(url), run=strict))["error"]
    )
    lower = RunSettings(engines=("one",), credibility=CredibilityPolicy(minimum=0.65))
    assert "content" in run(
        "fetch_page", {"url": url}, listed(row(url), run=lower, web=Web({url: PAGE}))
    )


def test_a_page_the_analyst_approved_passes_the_threshold() -> None:
    context = listed(row(POOR, "unrelated words here"), web=Web({POOR: PAGE}))
    context.log.append(Draft("decide", {"do": "approve", "url": POOR, "command": 1}, "command:1"))
    assert run("fetch_page", {"url": POOR}, context)["content"].startswith("Surface codes")


class Held:
    """A library that holds one document."""

    def read(self, url: str) -> Json | None:
        return (
            {"url": url, "title": "Mine", "text": "My own notes.", "kind": "text", "published": ""}
            if url == "document:abc"
            else None
        )


def test_an_own_document_is_neither_scored_nor_blocked() -> None:
    context = make_context(documents=Held())
    assert run("fetch_page", {"url": "document:abc"}, context) == {
        "url": "document:abc",
        "content": "My own notes.",
    }
    assert "no longer holds" in run("fetch_page", {"url": "document:other"}, context)["error"]
    assert context.get_score("document:abc") == 0.0
    assert context.run.sources["document:abc"].listings == ()


# ---------------------------------------------------------------- run_tool


def test_each_tool_has_its_shape() -> None:
    context = listed(row(), web=Web({GOOD: PAGE}))
    context.deps = make_context(Engine(answers={"codes": [row()]}), web=Web({GOOD: PAGE})).deps
    assert run("search_web", {"query": "codes"}, context) == {
        "results": [{"title": "Codes", "url": GOOD, "snippet": QUESTION}]
    }
    page = run("fetch_page", {"url": GOOD}, context)
    assert page == {"url": GOOD, "content": context.get_fetched_content(GOOD)}
    score = run("score_source", {"url": POOR, "snippet": "unrelated words here"}, context)
    assert score == {"url": POOR, "credibility_score": 0.36}


@pytest.mark.parametrize(
    ("tool_input", "context", "score"),
    [
        ({"question": "quantum error correction codes"}, "something else", 0.66),
        ({}, "quantum error correction codes", 0.66),
        ({"question": None}, "quantum error correction codes", 0.66),
        ({"question": ""}, "quantum error correction codes", 0.16),
        ({}, "nothing of the kind", 0.16),
        ({}, None, 0.16),
    ],
)
def test_score_source_asks_by_its_input_else_the_context_else_nothing(
    tool_input: Json, context: str | None, score: float
) -> None:
    asked = {
        "url": "https://someblog.com/a",
        "snippet": "quantum error correction codes explained",
        **tool_input,
    }
    session = ResearchContext(context) if context else None
    assert run("score_source", asked, session)["credibility_score"] == score


@pytest.mark.parametrize(
    "name",
    ["", "browse", "Search_Web", "search_web ", None, 3, ["search_web"], {"a": 1}, b"x", "søg"],
)
def test_an_unknown_tool_is_named(name: Any) -> None:
    assert run(name, {"query": "x"}) == {"error": f"Unknown tool: {name}"}


def test_half_a_surrogate_pair_becomes_a_question_mark() -> None:
    assert run("s\ud800g", {}) == {"error": "Unknown tool: s?g"}


BAD_INPUT: list[tuple[str, Any, str]] = [
    ("search_web", {}, "query: Field required"),
    ("search_web", {"query": None}, "query: Input should be a valid string"),
    ("search_web", {"query": ""}, "query: String should have at least 1 character"),
    ("search_web", {"query": "x" * 501}, "query: String should have at most 500 characters"),
    ("search_web", {"query": "x", "limit": 3}, "limit: Extra inputs are not permitted"),
    ("search_web", None, "input: Input should be"),
    ("search_web", "codes", "input: Input should be"),
    ("search_web", ["codes"], "input: Input should be"),
    ("search_web", {1: "x"}, "query: Field required"),
    ("fetch_page", {"url": 7}, "url: Input should be a valid string"),
    ("fetch_page", {"url": ["https://a.example.org/"]}, "url: Input should be a valid string"),
    ("fetch_page", {"URL": "https://a.example.org/"}, "URL: Extra inputs are not permitted"),
    ("fetch_page", {"url": "https://a.example.org/\ud800"}, "url: Input should be a valid string"),
    ("fetch_page", {"url": "not an address"}, "must start with http:// or https://"),
    ("fetch_page", {"url": "file:///etc/passwd"}, "must start with http:// or https://"),
    ("fetch_page", {"url": "javascript:alert(1)"}, "must start with http:// or https://"),
    ("fetch_page", {"url": "https://"}, "names no host"),
    ("fetch_page", {"url": "https://[::1"}, "is not an address that can be fetched"),
    ("score_source", {"url": "https://a.example.org/"}, "snippet: Field required"),
    ("score_source", {"url": True, "snippet": "x"}, "url: Input should be a valid string"),
]


@pytest.mark.parametrize(("name", "tool_input", "why"), BAD_INPUT)
def test_bad_input_is_an_error_that_says_what_is_wrong(
    name: str, tool_input: Any, why: str
) -> None:
    answer = run(name, tool_input, make_context())
    assert answer.keys() == {"error"}
    assert why in answer["error"]


def test_text_of_any_script_goes_in_and_out_as_it_is() -> None:
    query, title = "Wie hoch ist die Flut in Ålesund? 潮汐 🌊", "Příliv – 潮汐"
    context = make_context(Engine(answers={query: [row(title=title)]}))
    said = tools.run_tool("search_web", {"query": query}, context)
    assert title in said
    assert context.queries_made == [query]


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.binary(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)
NAMES = st.sampled_from(["search_web", "fetch_page", "score_source"])
FIELDS = st.sampled_from(["query", "url", "snippet", "question", "x"])
SHAPES = [{"results"}, {"url", "content"}, {"url", "credibility_score"}, {"error"}]


@pytest.fixture(scope="module")
def session() -> ResearchContext:
    return make_context(Engine())


@given(
    name=NAMES | VALUES,
    tool_input=st.dictionaries(FIELDS, VALUES, max_size=3)
    | st.dictionaries(FIELDS, st.text())
    | VALUES,
)
def test_run_tool_never_raises_and_always_has_one_of_the_shapes(
    session: ResearchContext, name: Any, tool_input: Any
) -> None:
    assert run(name, tool_input, session).keys() in SHAPES
