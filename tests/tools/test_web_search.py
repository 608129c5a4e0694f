"""web_search, bullet by bullet of its specification (spec/research-tools.md, tool 1); what each
engine is asked is in test_contract.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from research_core.context import ResearchContext
from research_core.errors import ResearchError, SearchError
from research_core.journal.deps import Provider
from research_core.model_messages import Json
from research_core.models import SearchResult
from research_core.search.lenses import read_shipped_lenses
from research_core.search.providers import list_rows_of_kind
from research_core.search.queries import WebQuery
from research_core.tools import TOOLS, get_tool, run_tool
from research_core.tools.failures import PROVIDER_STEPS, add_advice, format_error
from research_core.tools.registry import Call, call_tool
from research_core.tools.web_search import find_claim_sentence
from tests.bullets import Bullets
from tests.counter import make_tool_caller
from tests.tool_calls_made import CallOutcome, make_tool_call

SEARX = "https://searx.example.org/search"
SETTINGS = {"searxng_url": "https://searx.example.org"}
BRAVE, GOOGLE = "https://api.search.brave.com/", "https://www.googleapis.com/customsearch/v1"
ALL = frozenset("time_range safe language country site exact_terms exclude_terms sites".split())
bullet = Bullets("web_search")


def page(url: str, title: str = "Tides", snippet: str = "The tide turned twice.") -> SearchResult:
    return SearchResult(title, url, snippet)


NATURE, BLOG = page("https://www.nature.com/tides"), page("https://blog.example.org/tides")


@dataclass
class Engine:
    """A row that answers each query with these pages, or fails; asked: every query."""

    name: str = "one"
    pages: Sequence[SearchResult] | SearchError = (NATURE, BLOG)
    honours: frozenset[str] = ALL
    kind: str = "web"
    beyond: tuple[str, ...] = ()
    asked: list[WebQuery] = field(default_factory=list)

    def provider(self) -> Provider:
        def search(_http: Any, _settings: Any, query: WebQuery) -> Sequence[SearchResult]:
            self.asked.append(query)
            if isinstance(self.pages, SearchError):
                raise self.pages
            return self.pages

        return Provider(
            self.name, self.kind, search, honours=self.honours, beyond=lambda _query: self.beyond
        )


def search(*engines: Engine, settings: Json | None = None, **arguments: Any) -> CallOutcome:
    rows = tuple(engine.provider() for engine in engines or (Engine(),))
    return make_tool_call(
        "web_search", {}, engines=rows, settings=settings, **{"query": "tides", **arguments}
    )


def asked(**arguments: Any) -> WebQuery:
    """What an engine that goes by everything is asked."""
    engine = Engine()
    assert "error" not in search(engine, **arguments).answer
    return engine.asked[0]


def served(answers: Json, **arguments: Any) -> CallOutcome:
    """With the rows of the table, as the settings have them."""
    settings = arguments.pop("settings", SETTINGS)
    return make_tool_call(
        "web_search", answers, settings=settings, **{"query": "tides", **arguments}
    )


def failure(said: CallOutcome, **arguments: Any) -> ResearchError:
    """The error itself, of a second call in the same session."""
    with pytest.raises(ResearchError) as caught:
        call_tool("web_search", {"query": "tides", **arguments}, Call(said.context), TOOLS)
    return caught.value


@contextmanager
def own_lens(**told: Any) -> Iterator[Json]:
    """Settings with a lens called own."""
    with TemporaryDirectory() as folder:
        (Path(folder) / "own.json").write_text(
            json.dumps({"name": "own", "description": "Mine.", **told})
        )
        yield {"lenses_path": folder}


# ---------------------------------------------------------------- input


@bullet("query is required and has 1 to 500 characters")
def _() -> None:
    for query in ("", " \n", "x" * 501):
        assert "query" in search(query=query).error
    assert (
        "query: Field required" in json.loads(run_tool("web_search", {}, search().context))["error"]
    )
    assert search(query="x" * 500).answer["resultCount"] == 2
    assert (asked(query=" ebb \n").text, search(query=" ebb \n").answer["query"]) == ("ebb", "ebb")


@bullet("num_results is 1 to 10, and 5 by default")
def _() -> None:
    many = Engine(pages=[page(f"https://tides.example.org/{n}") for n in range(20)])
    assert search(many).answer["resultCount"] == 5
    assert search(many, num_results=10).answer["resultCount"] == 10
    assert [query.count for query in many.asked] == [5, 10]
    for wrong in (0, 11, "5"):
        assert "num_results" in search(num_results=wrong).error


@bullet("time_range is day, week, month or year, and reaches the engine as its date restriction")
def _() -> None:
    for span in ("day", "week", "month", "year"):
        assert asked(time_range=span).time_range == span
    assert "time_range" in search(time_range="decade").error
    (params,) = served({SEARX: {"results": []}}, time_range="week").params(SEARX)
    assert params["time_range"] == "week"


@bullet("safe is off, medium or high, and medium by default")
def _() -> None:
    assert [asked().safe, asked(safe="off").safe, asked(safe="high").safe] == [
        "medium",
        "off",
        "high",
    ]
    assert "safe" in search(safe="strict").error


@bullet("language and country are two-letter codes")
def _() -> None:
    query = asked(language="DE", country="AT")
    assert (query.language, query.country) == ("de", "at")
    assert "language" in search(language="german").error
    assert "country" in search(country="Austria").error


@bullet("site restricts to a domain, however it is written, and every result is there")
def _() -> None:
    for site in ("nature.com", "https://Nature.com/", "*.nature.com"):
        engine = Engine()
        assert search(engine, site=site).answer["urls"] == ["https://www.nature.com/tides"]
        assert engine.asked[0].site == "nature.com"
    assert search(site="example.org/tide").answer["urls"] == []
    unable, able = Engine("one", honours=frozenset()), Engine("two")
    assert search(unable, able, site="nature.com").answer["urls"] == [NATURE.url]
    assert (len(unable.asked), len(able.asked)) == (0, 1)  # who can be held to it is asked first
    assert "is not a site" in search(site="no site at all").error
    assert "is not a site" in search(site="nature.com OR site:evil.example").error


@bullet("site cannot be combined with lens")
def _() -> None:
    assert search(site="nature.com", lens="academic").error.startswith(
        "site and lens cannot be combined."
    )


@bullet("exact_terms and exclude_terms reach the engine")
def _() -> None:
    query = asked(exact_terms=" slack water ", exclude_terms="detergent, red")
    assert (query.exact_terms, query.exclude_terms) == ("slack water", "detergent, red")


@bullet("sessionId of a session that is not there is refused")
def _() -> None:
    assert "Session not found: s-1" in search(sessionId="s-1").error


@bullet("what is not among the parameters is refused")
def _() -> None:
    assert "sites" in search(sites=["nature.com"]).error


# ---------------------------------------------------------------- output


@bullet("urls, query, resultCount, results and trust are always there")
def _() -> None:
    for answer in (search().answer, search(Engine(pages=())).answer):
        assert (answer["query"], answer["trust"]) == ("tides", "untrusted-external-content")
        assert answer["resultCount"] == len(answer["urls"]) == len(answer["results"])
    first = search().answer["results"][0]
    assert {name: first[name] for name in ("title", "url", "snippet", "displayLink")} == {
        "title": "Tides",
        "url": "https://www.nature.com/tides",
        "snippet": "The tide turned twice.",
        "displayLink": "www.nature.com",
    }


@bullet("URLs are deduplicated by their canonical form")
def _() -> None:
    same = (
        "https://Tides.example.org/a?utm_source=x#top",
        "https://tides.example.org:443/a",
        "https://tides.example.org/b/../a",
    )
    answer = search(
        Engine(pages=[page(url, title) for url, title in zip(same, "ABC", strict=True)])
    ).answer
    assert answer["urls"] == ["https://tides.example.org/a"]
    assert [each["title"] for each in answer["results"]] == ["A"]


@bullet(
    "a result without an address that can be used is left out; where none has one, that is a failure"
)
def _() -> None:
    assert search(Engine(pages=[page("javascript:alert(1)"), NATURE])).answer["urls"] == [
        NATURE.url
    ]
    assert (
        "The only address that one gave cannot be used"
        in search(Engine(pages=[page("javascript:alert(1)")])).error
    )


@bullet("what cannot be seen is taken out of titles and snippets")
def _() -> None:
    (told,) = search(
        Engine(pages=[page(NATURE.url, "Ti\u200bdes\u202e", "The\x07 tide\U000e0041 turns.")])
    ).answer["results"]
    assert (told["title"], told["snippet"]) == ("Tides", "The tide turns.")


@bullet(
    "sourceReputation describes a known host, is left out for an unknown one, and changes no score"
)
def _() -> None:
    said = search()
    known, unknown = said.answer["results"]
    assert known["sourceReputation"]["tier"] == "high"
    assert known["sourceReputation"]["note"]
    assert known["sourceReputation"]["basis"]
    assert "sourceReputation" not in unknown
    own = Path(__file__).parents[1] / "replies" / "reputation.json"
    low = search(settings={"reputation_path": str(own)})
    assert low.answer["results"][0]["sourceReputation"] == {
        "tier": "low",
        "note": "A row of a test.",
        "basis": "A test.",
    }
    assert scores(low.context) == scores(said.context)


def scores(context: ResearchContext) -> list[tuple[str, float]]:
    return [(each["url"], each["score"]) for each in context.get_all_sources()]


@bullet("a bad REPUTATION_PATH is named")
def _() -> None:
    said = search(settings={"reputation_path": "/nowhere/table.json"}).error
    assert said.startswith(
        "REPUTATION_PATH: /nowhere/table.json is not a table of hosts: it cannot be read"
    )


@bullet(
    "claimSignal is on every result once claim is set, empty where nothing bears on it, and absent without a claim"
)
def _() -> None:
    told = search(
        Engine(pages=[NATURE, page(BLOG.url, "Cake", "Bake it for an hour. Let it cool.")]),
        claim="The tide turned twice a day.",
    )
    assert [each["claimSignal"] for each in told.answer["results"]] == [
        "The tide turned twice.",
        "",
    ]
    assert all("claimSignal" not in each for each in search().answer["results"])


@bullet("a claimSignal is never merely the title (defect 3)")
def _() -> None:
    title, claim = "Seals avoid tidal turbines", "Seals avoid tidal turbines."
    second = "Tagged seals kept away from the turbines."
    assert find_claim_sentence(claim, title, f"{title}. {second}") == second
    assert (
        find_claim_sentence(claim, title, f"Seals avoid tidal turbines | Tide News\n{second}")
        == second
    )
    assert find_claim_sentence(claim, f"{title} - Tide News", f"{title}. {title}!") == ""
    assert find_claim_sentence(claim, title, "") == find_claim_sentence(claim, title, title) == ""
    assert find_claim_sentence(claim, "", second) == second
    assert (
        find_claim_sentence(claim, title, f"{title}, said the survey of 312 animals.")
        == f"{title}, said the survey of 312 animals."
    )


@bullet("what it finds is a source of the session, with its score")
def _() -> None:
    found = search().context
    assert sorted(found.source_metadata) == [BLOG.url, NATURE.url]
    assert found.queries_made == ["tides"]
    assert all(found.is_listed(url) for url in (NATURE.url, BLOG.url))


@bullet(
    "a page has the date its engine told; what that puts outside time_range is left out and counted, what has none stays"
)
def _() -> None:
    dates = ("2026-11-20T00:00:00Z", "2026-11-21T10:00:00Z", "2009-03-01T00:00:00Z", "", "soon")
    pages = [
        replace(page(f"https://example.org/{n}"), published=date) for n, date in enumerate(dates)
    ]
    whole, narrow = (
        search(Engine(pages=pages), **more).answer for more in ({}, {"time_range": "week"})
    )
    assert [each.get("publishedAt") for each in whole["results"]] == [
        "2026-11-20",
        "2026-11-21T10:00:00Z",
        "2009-03-01",
        None,
        None,
    ]
    assert "notes" not in whole
    assert [each["url"] for each in narrow["results"]] == [
        f"https://example.org/{n}" for n in (0, 1, 3, 4)
    ]
    assert narrow["urls"] == [each["url"] for each in narrow["results"]]
    assert narrow["notes"] == [
        "Left out, since by their own dates they are not of the last week: 1 of the 5 pages found.",
        "Of 2 of the 5 pages found no date is known: they may not be of the last week.",
    ]
    nothing = search(Engine(pages=pages[2:3]), Engine("two"), time_range="week").answer
    assert (nothing["results"], nothing["hints"]["filtersApplied"]) == ([], {"time_range": "week"})
    assert any("within the last week" in note for note in nothing["notes"])


# ---------------------------------------------------------------- nothing found


@bullet("no results are an empty urls array and no error")
def _() -> None:
    answer = search(Engine(pages=())).answer
    assert (answer["urls"], answer["results"], answer["resultCount"]) == ([], [], 0)
    assert served({SEARX: {"results": []}}).answer["urls"] == []


@bullet("hints are there on zero results only, with the filters that may have been too many")
def _() -> None:
    assert "hints" not in search(time_range="day").answer
    plain = search(Engine(pages=())).answer["hints"]
    assert (plain["reason"], plain["filtersApplied"]) == ("no_match", {})
    filters: Json = {
        "time_range": "day",
        "language": "en",
        "country": "gb",
        "exact_terms": "ebb",
        "exclude_terms": "flood",
        "site": "nature.com",
    }
    narrow = search(Engine(pages=()), **filters).answer["hints"]
    assert (narrow["reason"], narrow["filtersApplied"]) == ("filters_too_restrictive", filters)
    assert 0 < len(narrow["suggestedActions"]) <= 3
    assert search(Engine(pages=()), lens="academic").answer["hints"]["filtersApplied"] == {
        "lens": "academic"
    }


@bullet("hints name other providers that are configured and not left alone")
def _() -> None:
    two = (Engine("one", pages=()), Engine("two"))
    assert {"action": "try_different_provider", "providers": ["two"]} in search(*two).answer[
        "hints"
    ]["suggestedActions"]
    keys = {**SETTINGS, "brave_api_key": "BSA-a-key-of-a-test"}
    said = served({BRAVE: (429, ""), SEARX: {"results": []}}, settings=keys)
    assert said.answer["hints"]["suggestedActions"] == [
        {"action": "broaden_query"}
    ]  # Brave has just refused
    three = (
        Engine("one", honours=frozenset()),
        Engine("two"),
        Engine("three", honours=frozenset()),
    )
    outside = search(*three, site="tides.example.org", provider="one").answer
    assert outside["hints"]["suggestedActions"][-1] == {
        "action": "try_different_provider",
        "providers": ["two"],
    }  # who goes by a site
    refused = served({BRAVE: (429, ""), SEARX: {"results": []}}, settings=keys, provider="brave")
    for query in ("ebb", "flood"):
        again = json.loads(
            run_tool("web_search", {"query": query, "provider": "searxng"}, refused.context)
        )
        assert again["hints"]["suggestedActions"] == [
            {"action": "broaden_query"}
        ]  # Brave was not asked this time, and is left alone
    alone = search(Engine(pages=())).answer["hints"]
    assert alone["suggestedActions"] == [{"action": "broaden_query"}]


# ---------------------------------------------------------------- lenses


@bullet("an unknown lens lists those there are")
def _() -> None:
    said = search(lens="astrology").error
    assert said.startswith("Unknown lens 'astrology'. Choose among: ")
    assert all(name in said for name in read_shipped_lenses())


@bullet(
    "a lens without a cx puts site: operators into the query of the configured provider, for all its domains (defect 14)"
)
def _() -> None:
    for name, lens in read_shipped_lenses().items():
        engine = Engine(pages=())
        search(engine, lens=name)
        assert tuple(site for query in engine.asked for site in query.sites) == lens.domains
        assert all(query.text == "tides" for query in engine.asked)
    queries = [
        params["q"] for params in served({SEARX: {"results": []}}, lens="docs").params(SEARX)
    ]
    assert len(queries) > 1
    assert all(
        any(f"site:{domain}" in query for query in queries)
        for domain in read_shipped_lenses()["docs"].domains
    )
    assert all(query.startswith("tides (site:") and len(query) <= 400 for query in queries)


@bullet("every result of a lens is at one of its domains")
def _() -> None:
    assert search(lens="academic").answer["urls"] == [NATURE.url]
    unable = search(Engine(honours=frozenset()), lens="academic").answer
    assert (unable["urls"], unable["ignoredParameters"]) == ([NATURE.url], ["lens"])


AWAY = SearchResult("Tides", "https://shop.example.org/a", "The tide turned.", "one")


@pytest.mark.parametrize(
    ("places", "pages", "words"),
    [
        ({"lens": "academic"}, [AWAY], "The only result of searxng was left out: it is not at the sites of the lens academic."),
        ({"lens": "legal"}, [AWAY], "The only result of searxng was left out: it is not at the sites of the lens legal."),
        (
            {"lens": "docs"},
            [AWAY, replace(AWAY, url="https://b.example.org/")],
            "All 2 results of searxng were left out: none is at the sites of the lens docs.",
        ),
        ({"site": "example.com"}, [AWAY], "The only result of searxng was left out: it is not at example.com."),
        ({"site": "shop.example.org/b"}, [AWAY], "The only result of searxng was left out: it is not at shop.example.org/b."),
    ],
)  # fmt: skip
def test_a_lens_or_site_that_leaves_everything_out_says_so(
    tmp_path: Path, places: dict[str, str], pages: list[SearchResult], words: str
) -> None:
    found = {
        "results": [{"url": one.url, "title": one.title, "content": one.snippet} for one in pages]
    }
    at = make_tool_caller(tmp_path, {"http://searx.example.org/search": found})
    answer = at.serve("web_search", {"query": "tides", **places}).answer
    assert answer is not None
    assert answer["urls"] == []
    assert words in answer["notes"]


def test_a_lens_that_leaves_something_says_nothing(tmp_path: Path) -> None:
    found = {"results": [{"url": NATURE.url, "title": "Tides", "content": "High."}]}
    at = make_tool_caller(tmp_path, {"http://searx.example.org/search": found})
    answer = at.serve("web_search", {"query": "tides", "lens": "academic"}).answer
    assert answer is not None
    assert not answer.get("notes")


@bullet("a lens with a dedicated cx goes to that Google engine")
def _() -> None:
    found = {
        "searchInformation": {},
        "items": [{"title": "Tides", "link": BLOG.url, "snippet": "High."}],
    }
    with own_lens(cx="abc:123", domains=["nature.com"]) as own:
        keys = {
            **SETTINGS,
            **own,
            "google_api_key": "AIza-a-key-of-a-test",
            "google_engine": "mine",
        }
        said = served({GOOGLE: found, SEARX: {"results": []}}, settings=keys, lens="own")
        other = served({GOOGLE: found, SEARX: {"results": []}}, settings=keys, lens="own")
        run_tool(
            "web_search", {"query": "tides", "lens": "own", "provider": "searxng"}, other.context
        )
        without = Engine()
        assert search(without, settings=own, lens="own").answer["urls"] == [NATURE.url]
    assert said.answer["urls"] == [BLOG.url]  # such an engine searches its own places
    assert said.requests()
    assert all(url.startswith(GOOGLE) and "cx=abc" in url for _, url, _ in said.requests())
    assert [params["q"] for params in other.params(SEARX)] == [
        "tides site:nature.com"
    ]  # who is named is asked, by the domains
    assert len(other.requests(GOOGLE)) == len(said.requests())
    assert without.asked[0].sites == ("nature.com",)


@bullet("a lens with a cx or a goggle alone says what it needs where nobody can search it")
def _() -> None:
    with own_lens(cx="abc:123") as own:
        said = search(settings=own, lens="own").error
    assert all(
        part in said
        for part in (
            "an engine of its own at Google",
            "GOOGLE_CUSTOM_SEARCH_API_KEY",
            ".env.example",
        )
    )
    with own_lens(goggle="https://goggles.example.org/tides.goggle") as own:
        assert "BRAVE_API_KEY" in search(settings=own, lens="own").error
        assert "which one cannot search" in search(settings=own, lens="own", provider="one").error


@bullet("a goggle goes to Brave")
def _() -> None:
    answer = {
        "type": "search",
        "query": {},
        "web": {"results": [{"title": "Tides", "url": BLOG.url, "description": "High."}]},
    }
    with own_lens(goggle="https://goggles.example.org/tides.goggle") as own:
        keys = {**SETTINGS, **own, "brave_api_key": "BSA-a-key-of-a-test"}
        said = served({BRAVE: answer}, settings=keys, lens="own")
    assert said.answer["urls"] == [BLOG.url]
    assert "ignoredParameters" not in said.answer
    assert said.params(BRAVE)[0]["goggles"] == "https://goggles.example.org/tides.goggle"
    with own_lens(goggle="https://goggles.example.org/tides.goggle", domains=["nature.com"]) as own:
        without = search(settings=own, lens="own").answer  # who knows no goggle goes by the domains
        unable = search(Engine(honours=frozenset()), settings=own, lens="own").answer
    assert (without["urls"], "ignoredParameters" in without) == ([NATURE.url], False)
    assert unable["ignoredParameters"] == ["lens"]


@bullet(
    "what was asked through a lens, and what was told of hosts, is the same where there are other lenses, keys and tables"
)
def _() -> None:
    table = str(Path(__file__).parents[1] / "replies" / "reputation.json")
    found = {"results": [{"url": NATURE.url, "title": "Tides", "content": "High."}]}
    with own_lens(domains=["nature.com"]) as own:
        said = served(
            {SEARX: found}, settings={**SETTINGS, **own, "reputation_path": table}, lens="own"
        )
    deps = said.context.deps
    said.context.deps = replace(
        deps, settings=replace(deps.settings, lenses_path="", reputation_path="")
    )
    again = json.loads(run_tool("web_search", {"query": "tides", "lens": "own"}, said.context))
    assert again == said.answer
    assert again["results"][0]["sourceReputation"]["tier"] == "low"
    assert len(said.requests()) == 1


# ---------------------------------------------------------------- providers


@bullet("an explicit provider is asked and no other")
def _() -> None:
    one, two = Engine("one"), Engine("two", pages=SearchError("It is down."))
    assert "It is down." in search(one, two, provider="two").error
    assert (len(one.asked), len(two.asked)) == (0, 1)
    assert search(one, two, provider="one").answer["resultCount"] == 2


@bullet("an unknown provider is an error that lists all supported ones, each once")
def _() -> None:
    said = search(provider="altavista").error
    names = said.partition("Choose among: ")[2].removesuffix(".").split(", ")
    assert said.startswith("Unknown provider 'altavista'")
    assert names == [row.name for row in list_rows_of_kind("web")]
    assert len(names) == len(set(names))


@bullet("a provider that lacks its key is an error that names the variable and .env.example")
def _() -> None:
    said = search(provider="brave").error
    assert "BRAVE_API_KEY" in said
    assert ".env.example" in said


@bullet("a key that is refused is an error with setup instructions that name .env.example")
def _() -> None:
    said = served({BRAVE: (401, "")}, settings={"brave_api_key": "BSA-a-key-of-a-test"})
    told = format_error(failure(said, provider="brave"))
    assert '"suggestedAction": "check_api_key"' in told
    assert ".env.example" in told
    assert "BSA-a-key" not in told + said.error


@bullet("rate limited: the error suggests a wait of 60 s, or another provider")
def _() -> None:
    refused = SearchError("one answered 429.", kind="rate_limited", status=429)
    said = search(Engine(pages=refused))
    told = format_error(failure(said))
    assert told.startswith(
        "Rate limited (one). Wait 60 seconds and retry, or try a different provider."
    )
    assert json.loads(told.partition("\n\n")[2])["error"]["retryAfterSeconds"] == 60


@bullet(
    "every failure has the same two parts: a sentence and an object with kind, retryable and suggestedAction"
)
def _() -> None:
    for kind in (
        "rate_limited",
        "auth_required",
        "network",
        "timeout",
        "upstream_unavailable",
        "bad_reply",
        "config",
        "circuit_open",
    ):
        sentence, _, told = format_error(
            failure(search(Engine(pages=SearchError("It failed.", kind=kind))))
        ).partition("\n\n")
        assert "It failed." in sentence
        assert {"kind", "retryable", "suggestedAction", "provider"} <= set(
            json.loads(told)["error"]
        )


@bullet("where every provider failed, each is named, and nothing is taken for an empty answer")
def _() -> None:
    said = search(
        Engine("one", SearchError("It is down.")), Engine("two", SearchError("It is out."))
    )
    assert all(
        word in said.error
        for word in ("Every provider failed", "one", "It is down.", "two", "It is out.")
    )
    assert [event.kind for event in said.context.log.emitted if event.kind == "search_failed"] == [
        "search_failed"
    ] * 2


@bullet(
    "SEARCH_ROUTING sets who is asked in which order; who fails is followed by the next, who answers by none"
)
def _() -> None:
    keys = {
        **SETTINGS,
        "brave_api_key": "BSA-a-key-of-a-test",
        "routing": {"web": ("searxng", "brave")},
    }
    found = {
        "type": "search",
        "query": {},
        "web": {"results": [{"title": "Tides", "url": BLOG.url, "description": "High."}]},
    }
    said = served({SEARX: (500, ""), BRAVE: found}, settings=keys)
    assert said.answer["urls"] == [BLOG.url]
    assert [url.split("/")[2] for _, url, _ in said.requests()][-1] == "api.search.brave.com"
    first = Engine("one"), Engine("two")
    search(*first)
    assert [len(engine.asked) for engine in first] == [1, 0]


@bullet(
    "each provider has a circuit breaker: one that refused is left alone, and the next is asked at once"
)
def _() -> None:
    keys = {
        **SETTINGS,
        "brave_api_key": "BSA-a-key-of-a-test",
        "routing": {"web": ("brave", "searxng")},
    }
    said = served({BRAVE: (429, ""), SEARX: {"results": []}}, settings=keys)
    again = json.loads(run_tool("web_search", {"query": "ebb"}, said.context))
    assert "error" not in again
    assert len(said.requests(BRAVE)) == 1
    assert len(said.requests(SEARX)) == 2


@bullet(
    "parameters that the provider cannot honour are reported, never dropped silently (defect 4)"
)
def _() -> None:
    given: Json = {
        "time_range": "day",
        "safe": "high",
        "language": "en",
        "country": "gb",
        "exact_terms": "ebb",
        "exclude_terms": "flood",
    }
    assert search(Engine(honours=frozenset()), **given).answer["ignoredParameters"] == list(given)
    assert search(Engine(honours=ALL - {"country"}), **given).answer["ignoredParameters"] == [
        "country"
    ]
    assert search(Engine(beyond=("time_range",)), **given).answer["ignoredParameters"] == [
        "time_range"
    ]  # taken for the nearest it has
    for answer in (search(**given).answer, search(Engine(honours=frozenset())).answer):
        assert "ignoredParameters" not in answer  # our usual safety is no parameter of the caller's


@bullet(
    "a library of the session is searched beside the web, and what it cannot honour is reported"
)
def _() -> None:
    own = SearchResult("Notes", "document:5ea1", "My notes on tides.")
    library = Engine("library", [own], frozenset(), "library")
    answer = search(library, Engine(), time_range="day").answer
    assert answer["urls"] == ["document:5ea1", NATURE.url, BLOG.url]
    assert answer["results"][0]["displayLink"] == ""
    assert answer["ignoredParameters"] == ["time_range"]
    assert search(library, Engine(), lens="academic").answer["urls"] == [NATURE.url]
    assert search(library, Engine(), provider="library").answer["urls"] == ["document:5ea1"]


# ---------------------------------------------------------------- cache, annotations


@bullet("answers are kept for 30 minutes, empty ones too")
def _() -> None:
    assert (
        served(
            {SEARX: {"results": [{"url": NATURE.url, "title": "Tides", "content": "High."}]}}
        ).kept_s
        == 30 * 60
    )
    assert served({SEARX: {"results": []}}).kept_s == 30 * 60


@bullet(
    "the key of what is kept holds the provider, the query and every parameter that changes the answer"
)
def _() -> None:
    given: Json = {
        "query": "ebb", "num_results": 7, "time_range": "day", "safe": "high", "language": "en", "country": "gb", "site": "nature.com",
        "exact_terms": "slack", "exclude_terms": "flood", "lens": "academic",
    }  # fmt: skip
    usual = asked()
    assert all(asked(**{name: value}) != usual for name, value in given.items())
    beside = {
        "provider",
        "sessionId",
        "claim",
    }  # who is asked is the address; the others change nothing that is asked
    row = get_tool("web_search")
    assert row is not None
    assert set(given) | beside == set(row.schema["properties"])
    keys = [
        event.key
        for lens in ("", "academic", "legal")
        for event in served({SEARX: {"results": []}}, lens=lens).context.log.calls()
    ]
    assert len(set(keys)) == len(keys)


@bullet("read-only, idempotent, open world")
def _() -> None:
    row = get_tool("web_search")
    assert row is not None
    assert (row.read_only, row.idempotent, row.open_world, row.asks) == (True, True, True, "web")


@pytest.mark.parametrize("check", bullet.params)
def test_bullet(check: Any) -> None:
    check()


@pytest.mark.parametrize(
    ("kinds", "is_offline"),
    [
        (("network", "network"), True),
        (("network", "network", "network"), True),
        (("network", "rate_limited"), False),
        (("timeout", "network"), False),
        (("blocked", "blocked"), False),
    ],
)
def test_where_no_provider_can_be_reached_the_network_is_to_be_checked(
    kinds: tuple[str, ...], is_offline: bool
) -> None:
    engines = []
    for number, kind in enumerate(kinds):
        error = SearchError("It failed.", kind=kind, next_step="Try again later.")
        engines.append(Engine(f"p{number}", error))
    error = add_advice(failure(search(*engines)), "web_search", TOOLS)
    expected = PROVIDER_STEPS["network"]
    assert (error.next_step == expected) is is_offline
