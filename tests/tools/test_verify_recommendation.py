"""verify_recommendation, bullet by bullet of its specification (tool 24); its judgement is in
test_recommendation.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from research_core.context import ResearchContext, memory_log
from research_core.errors import FetchError, SearchError
from research_core.journal.deps import Deps, Provider
from research_core.journal.doorway import Doorway
from research_core.model_messages import Json
from research_core.models import SearchResult
from research_core.policy import RunSettings
from research_core.search.lenses import read_shipped_lenses
from research_core.search.providers.reply import unreached_error
from research_core.search.queries import WebQuery
from research_core.settings import Settings
from research_core.tools import TOOLS, get_tool, run_tool
from research_core.tools.corroboration import (
    LENSES,
    MAX_QUERY_CHARACTERS,
    MAX_TOP_RESULTS,
    group_voices,
)
from research_core.tools.registry import Call, call_tool
from research_core.tools.verify_recommendation import MAX_RECOMMENDATIONS, MAX_SEARCHED
from tests.bullets import Bullets
from tests.counter import make_slow_caller
from tests.logs import Hands
from tests.scripted import Scripted
from tests.tool_calls_made import CallOutcome, make_tool_call, replay_call
from tests.tool_session import POOL, Web

CLAIM = "best shop software for small businesses"
AGREES = SearchResult(
    "Shops",
    "https://www.wired.com/a",
    "Acme is the best shop software that small businesses can buy.",
)
DENIES = SearchResult(
    "Shops",
    "https://www.wired.com/d",
    "No evidence that Acme is the best shop software for small businesses.",
)
SILENT = SearchResult(
    "Offices", "https://www.wired.com/s", "Acme opened an office in Oslo on Monday."
)
REPORTS = SearchResult(
    "Shops",
    "https://www.propublica.org/a",
    "Acme is the best shop software that small businesses can buy.",
)
ACME = {"title": "Acme", "url": "https://acme.example.com/"}
bullet = Bullets("verify_recommendation")


@dataclass
class Engine:
    """A web engine that answers, or fails, by whether it is asked about the first lens or the
    second. asked: every query.
    """

    reporters: Sequence[SearchResult] | SearchError = ()
    reviewers: Sequence[SearchResult] | SearchError = ()
    honours: frozenset[str] = frozenset({"safe", "sites"})
    asked: list[WebQuery] = field(default_factory=list)

    def provider(self) -> Provider:
        def search(_http: Any, _settings: Any, query: WebQuery) -> Sequence[SearchResult]:
            self.asked.append(query)
            tech = set(query.sites) <= set(read_shipped_lenses()["tech"].domains)
            said = self.reviewers if tech else self.reporters
            if isinstance(said, SearchError):
                raise said
            return said

        return Provider("one", "web", search, honours=self.honours)

    def sites(self, lens: str) -> set[str]:
        """Those of a lens that it was asked about."""
        return {site for query in self.asked for site in query.sites} & set(
            read_shipped_lenses()[lens].domains
        )


def verified(
    *listed: Json,
    engine: Engine | None = None,
    answers: Mapping[str, Any] | None = None,
    **arguments: Any,
) -> CallOutcome:
    rows = (engine.provider(),) if engine else ()
    return make_tool_call(
        "verify_recommendation",
        answers or {},
        engines=rows,
        recommendations=list(listed),
        **arguments,
    )


def first(said: CallOutcome) -> Json:
    one: Json = said.answer["recommendations"][0]
    return one


def found(*rows: SearchResult, **item: Any) -> Json:
    """The search among reviewers of one recommendation that finds these."""
    one = first(verified({"title": "Acme", **item}, engine=Engine(reviewers=rows), claim=CLAIM))
    search: Json = one["corroborationSearches"][1]
    return search


def counts(search: Json) -> tuple[int, ...]:
    return tuple(search[f"{name}Count"] for name in ("result", "agree", "disagree", "silent"))


DOWN = SearchError("one: The service is down.", kind="upstream_unavailable")


# ---------------------------------------------------------------- input


@bullet(
    "recommendations is required: at least one, each with a title, and nothing that is not known"
)
def _() -> None:
    row = get_tool("verify_recommendation")
    assert row is not None
    assert row.schema["required"] == ["recommendations"]
    assert "needs recommendations" in verified().error
    assert (
        "Recommendation 2 has no title" in verified({"title": "Acme"}, {"title": " \u200b"}).error
    )
    assert "title" in verified({"url": "https://acme.example.com"}).error
    assert "price" in verified({"title": "Acme", "price": 1}).error


@bullet("claim is optional: without it nobody is searched for")
def _() -> None:
    engine = Engine()
    for claim in ({}, {"claim": ""}, {"claim": " \n"}):
        said = verified({"title": "Acme"}, engine=engine, **claim).answer
        assert "aggregateFlags" not in said
        assert "corroborationSearches" not in said["recommendations"][0]
    assert engine.asked == []


@bullet("numCorroborationResults is 1 to 10, and 5 by default")
def _() -> None:
    engine = Engine(
        reviewers=[SearchResult("T", f"https://www.wired.com/{n}", "Text.") for n in range(20)]
    )
    for given, wanted in (
        ({}, 5),
        ({"numCorroborationResults": 10}, 10),
        ({"numCorroborationResults": 1}, 1),
    ):
        one = first(verified({"title": "Acme"}, engine=engine, claim=CLAIM, **given))
        assert one["corroborationSearches"][1]["resultCount"] == wanted
        assert engine.asked[-1].count == wanted
    for wrong in (0, 11, "5"):
        assert (
            "numCorroborationResults"
            in verified({"title": "Acme"}, numCorroborationResults=wrong).error
        )


# ---------------------------------------------------------------- output


@bullet("itemCount, and per item title, url and author as they were given")
def _() -> None:
    said = verified(
        {"title": "Acme", "url": "https://acme.example.com/?utm_source=x", "author": "Ann"},
        {"title": "Globex"},
    ).answer
    assert said["itemCount"] == 2
    assert {name: said["recommendations"][0][name] for name in ("title", "url", "author")} == {
        "title": "Acme", "url": "https://acme.example.com/?utm_source=x", "author": "Ann"
    }  # fmt: skip
    assert {"url", "author"}.isdisjoint(said["recommendations"][1])
    assert said["trust"] == "untrusted-external-content"


@bullet("flags are empty where there are no issues, and each flag has its reason")
def _() -> None:
    assert first(verified({"title": "Acme", "author": "Ann", "authorBio": "Likes tea."})) == {
        "title": "Acme", "author": "Ann", "flags": [], "reasons": []
    }  # fmt: skip
    one = first(
        verified(
            {
                "title": "1. Acme",
                "url": "https://www.acme.com/",
                "author": "Ann",
                "authorBio": "Engineer at Acme",
            }
        )
    )
    assert one["flags"] == ["self_promotion", "conflict_of_interest", "unknown_reputation"]
    assert len(one["reasons"]) >= len(one["flags"])


@bullet("what was given is shown without what a reader cannot see")
def _() -> None:
    one = first(verified({"title": "Ac\u202eme\x00", "author": "A\u200bnn"}))
    assert (one["title"], one["author"]) == ("Acme", "Ann")


# ---------------------------------------------------------------- behaviour


@bullet(
    "Evidence, never a verdict: what is found is told, and nothing is called trustworthy or not"
)
def _() -> None:
    one = first(
        verified(
            {**ACME, "authorBio": "CEO of Acme"}, engine=Engine(reviewers=[DENIES]), claim=CLAIM
        )
    )
    names = {"verdict", "trusted", "trustworthy", "score", "rating"}
    assert names.isdisjoint(one)
    assert one["corroborationSearches"][1]["topResults"][0] == {
        "title": DENIES.title, "url": DENIES.url, "snippet": DENIES.snippet, "stance": "disagree"
    }  # fmt: skip
    row = get_tool("verify_recommendation")
    assert row is not None
    assert "never a verdict" in row.description


@bullet(
    "Conflict of interest detection: the bio's employment, funding or equity in what is recommended"
)
def _() -> None:
    one = first(
        verified(
            {"title": "1. Acme Teams", "author": "Ann", "authorBio": "Ann is an engineer at Acme."}
        )
    )
    assert one["conflictOfInterest"] == {
        "detected": True,
        "conflictType": "employment",
        "authorAffiliation": "Acme",
        "citedEntityName": "Acme Teams",
        "confidence": "medium",
        "evidence": "Ann is an engineer at Acme.",
    }
    assert one["flags"] == ["conflict_of_interest"]
    for bio, kind in (("Advisor to Acme", "owns_equity"), ("Funded by Acme", "funded_by")):
        assert (
            first(verified({"title": "Acme", "authorBio": bio}))["conflictOfInterest"][
                "conflictType"
            ]
            == kind
        )


@bullet("Conflict of interest detection is conservative: nothing near one is one")
def _() -> None:
    for bio in (
        "Former engineer at Acme",
        "Writes about Acme",
        "Not affiliated with Acme",
        "Engineer at Acmeville",
        "",
    ):
        one = first(verified({"title": "Acme", "author": "Acme Fan", "authorBio": bio}))
        assert "conflictOfInterest" not in one
        assert one["flags"] == []


@bullet("Self-promotion signal: the token of the address's domain is what is ranked first")
def _() -> None:
    one = first(
        verified({"title": "1. Shopify – best overall", "url": "https://www.shopify.com/blog/best"})
    )
    assert one["selfPromotionSignal"]["domainToken"] == "shopify"
    assert one["selfPromotionSignal"]["rankedFirst"].startswith("Shopify")
    assert "self_promotion" in one["flags"]
    both = verified(
        {"title": "Shopify", "url": "https://shopify.com/best"},
        {"title": "Acme", "url": "https://shopify.com/best"},
    ).answer
    assert ["selfPromotionSignal" in each for each in both["recommendations"]] == [True, False]


@bullet(
    "Self-promotion signal: an owner of another name is not seen, nor a product that links to its own page"
)
def _() -> None:
    for title, url in (
        ("1. Marketo", "https://adobe.com/best"),
        ("Shopify", "https://shopify.com"),
        ("1. Shopifyish", "https://shopify.com"),
    ):
        one = first(
            verified(
                {"title": title, "url": url}, {"title": "Acme", "url": "https://acme.example.com"}
            )
        )
        assert "selfPromotionSignal" not in one
        assert "self_promotion" not in one["flags"]


@bullet(
    "Domain reputation: what the table of assessed hosts says, absent for a host it does not have"
)
def _() -> None:
    known = first(verified({"title": "Acme", "url": "https://www.nature.com/x"}))
    assert known["domainReputation"]["tier"] == "high"
    assert known["domainReputation"]["basis"]
    assert known["flags"] == []
    unknown = first(verified(ACME))
    assert "domainReputation" not in unknown
    assert unknown["flags"] == ["unknown_reputation"]
    assert "says nothing for or against it" in unknown["reasons"][0]
    likeness = first(verified({"title": "Acme", "url": "https://evil.example.com/?x=nature.com"}))
    assert "domainReputation" not in likeness


@bullet("Domain reputation: a host the owner's table has as low is flagged low_reputation")
def _() -> None:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "hosts.json"
        table = {
            "version": 1,
            "basis": "Ours.",
            "domains": {"example.com": {"tier": "low", "note": "sells places"}},
        }
        file.write_text(json.dumps(table))
        one = first(verified(ACME, settings={"reputation_path": str(file)}))
    assert one["domainReputation"] == {"tier": "low", "note": "sells places", "basis": "Ours."}
    assert one["flags"] == ["low_reputation"]
    assert "sells places" in one["reasons"][0]


@bullet("Link liveness: linkLive and httpStatus of each address, and none where none is given")
def _() -> None:
    said = verified(ACME, {"title": "B", "url": "https://b.example.com/"}, {"title": "C"}, answers={
        "https://acme": (200, "Here."), "https://b.": (404, ""),
    }).answer["recommendations"]  # fmt: skip
    assert [(each.get("linkLive"), each.get("httpStatus")) for each in said] == [
        (True, 200),
        (False, 404),
        (None, None),
    ]
    assert "dead_link" not in said[0]["flags"]
    assert "dead_link" in said[1]["flags"]


@bullet(
    "Link liveness: what refuses programs or could not be reached is not called dead, and status 0 is nobody's answer"
)
def _() -> None:
    slow = FetchError("It took too long.", kind="timeout")
    guarded = FetchError("Address refused: it is not public.", kind="validation")
    for answer, status, words in (
        (403, 403, "refuses programs"),
        (slow, 0, "could not be checked"),
        (guarded, 0, "could not be checked"),
    ):
        said = verified(
            ACME,
            answers={"https://acme": answer if isinstance(answer, Exception) else (answer, "")},
        )
        one = first(said)
        assert "linkLive" not in one
        assert one["httpStatus"] == status
        assert "dead_link" not in one["flags"]
        assert any(words in reason for reason in one["reasons"])
        assert said.requests("https://archive.org") == []


@bullet(
    "Link liveness is batched: an address given twice is asked once, and progress is told of each"
)
def _() -> None:
    told: list[tuple[str, str]] = []
    said = verified(ACME, answers={"https://acme": (200, "Here.")})
    listed = [ACME, {"title": "B", "url": "https://acme.example.com/#top"}]
    answer = call_tool(
        "verify_recommendation",
        {"recommendations": listed},
        Call(said.context, lambda event, detail: told.append((event, detail))),
        TOOLS,
    )
    assert [each["linkLive"] for each in answer["recommendations"]] == [True, True]
    assert told == [("verify", ACME["url"])]
    assert [method for method, _, _ in said.requests("https://acme")] == ["HEAD", "GET"]


@bullet(
    "Link liveness: what is no address of the web is told, and the rest of the list is looked at"
)
def _() -> None:
    said = verified(
        {"title": "A", "url": "ftp://a.example.com"},
        {"title": "D", "url": "document:1"},
        ACME,
        answers={"https://acme": "Here."},
    )
    one, own, other = said.answer["recommendations"]
    for each in (one, own):
        assert "httpStatus" not in each
        assert each["flags"] == []
        assert "could not be checked" in each["reasons"][0]
    assert other["linkLive"] is True


@bullet("Link liveness: an address that this caller may not read is not looked at")
def _() -> None:
    def refuse(_url: str) -> None:
        raise FetchError("You struck this source.", kind="blocked")

    said = verified({"title": "A"})
    answer = call_tool(
        "verify_recommendation",
        {"recommendations": [ACME]},
        Call(said.context, refuse=refuse),
        TOOLS,
    )
    assert "You struck this source." in answer["recommendations"][0]["reasons"][0]
    assert said.services.asked == []


@bullet(
    "Corroboration search: one search per lens, journalism and tech, of what is recommended and the claim"
)
def _() -> None:
    engine = Engine(reporters=[REPORTS], reviewers=[AGREES])
    one = first(verified({"title": "Acme"}, engine=engine, claim=CLAIM))
    searches = one["corroborationSearches"]
    assert [each["lens"] for each in searches] == list(LENSES) == ["journalism", "tech"]
    assert {each["query"] for each in searches} == {f"Acme {CLAIM}"}
    assert [counts(each)[1] for each in searches] == [1, 1]
    assert [each["topResults"][0]["url"] for each in searches] == [REPORTS.url, AGREES.url]


@pytest.mark.parametrize(
    ("takes_s", "unmade"), [(1.0, 0), (5.0, 14), (10.0, 17)]
)  # of one of the two requests that a lens takes
def test_searches_have_the_time_of_the_call_and_those_left_then_are_told(
    takes_s: float, unmade: int
) -> None:
    clock = Hands()

    def search(http: Any, _settings: Any, query: WebQuery) -> Sequence[SearchResult]:
        def answer() -> list[list[str]]:
            clock.at += takes_s
            return []

        try:
            http.call(
                "ddgs", {"engine": "slow", "query": query.text, "sites": list(query.sites)}, answer
            )
        except FetchError as error:
            raise unreached_error("slow", error) from error
        return ()

    log = memory_log("tea")
    doorway = Doorway(log, Web(), Scripted("no answer"), clock)
    settings = Settings(home=Path("unused"), database_url="sqlite://", ddgs_engines=())
    engine = Provider("slow", "web", search, honours=frozenset({"safe", "sites"}))
    deps = Deps(
        settings, RunSettings(), doorway.http, doorway.model, log, clock, POOL, engines=(engine,)
    )
    listed = [{"title": f"Acme {n}"} for n in range(MAX_SEARCHED)]
    said = json.loads(
        run_tool(
            "verify_recommendation",
            {"recommendations": listed, "claim": CLAIM},
            ResearchContext("tea", deps),
        )
    )
    assert (
        sum(len(each.get("corroborationSearches", ())) for each in said["recommendations"])
        == 2 * MAX_SEARCHED - unmade
    )
    notes = " ".join(said.get("notes", ()))
    assert (f"{unmade} of {2 * MAX_SEARCHED} searches could not be made" in notes) == bool(unmade)


@bullet("Corroboration search: every site of a lens is asked about, not the first ten")
def _() -> None:
    engine = Engine()
    verified({"title": "Acme"}, engine=engine, claim=CLAIM)
    for lens in LENSES:
        assert len(read_shipped_lenses()[lens].domains) > 10
        assert engine.sites(lens) == set(read_shipped_lenses()[lens].domains)


@bullet("Corroboration search: a result agrees, disagrees or is silent")
def _() -> None:
    assert counts(found(AGREES, DENIES, SILENT)) == (3, 1, 1, 1)
    assert [each["stance"] for each in found(AGREES, DENIES, SILENT)["topResults"]] == [
        "agree",
        "disagree",
        "silent",
    ]
    assert counts(found()) == (0, 0, 0, 0)


@bullet("Corroboration search: results of one site, or with one text, are one voice; that is told")
def _() -> None:
    again = SearchResult(
        "Again",
        "https://www.wired.com/again",
        "Small businesses can buy Acme, the best shop software there is.",
    )
    other = SearchResult(
        "Shops",
        "https://techcrunch.com/a",
        "For small businesses Acme is the best shop software to be had now.",
    )
    copied = SearchResult("Shops", "https://arstechnica.com/a", AGREES.snippet)
    for rows, agreed in (
        ((AGREES, again), 1),
        ((AGREES, copied), 1),
        ((AGREES, other), 2),
        ((AGREES, again, other), 2),
    ):
        search = found(*rows)
        assert counts(search) == (len(rows), agreed, 0, 0)
        assert [each["stance"] for each in search["topResults"]] == ["agree"] * len(rows)
    said = first(verified({"title": "Acme"}, engine=Engine(reviewers=[AGREES, again]), claim=CLAIM))
    assert (
        "Through the lens tech, 2 results that agree count as one: both are from wired.com."
        in said["reasons"]
    )


def test_one_text_through_both_lenses_is_one_voice_and_no_text_is_no_copy() -> None:
    assert [
        len(group_voices(rows)) for rows in ([], [AGREES], [REPORTS, AGREES], [REPORTS, DENIES])
    ] == [
        0,
        1,
        1,
        2,
    ]
    bare = [
        SearchResult("Shops", f"https://{host}/a", " ")
        for host in ("www.wired.com", "techcrunch.com")
    ]
    assert len(group_voices(bare)) == 2


@bullet(
    "Corroboration search: a page of another thing, or that only shares a word, does not disagree"
)
def _() -> None:
    other = SearchResult(
        "Shops",
        "https://www.wired.com/o",
        "Globex is the best shop software that small businesses can buy.",
    )
    unlike = SearchResult(
        "Cats", "https://www.wired.com/c", "There is no evidence that cats dislike rain."
    )
    assert counts(found(other, unlike, SILENT)) == (3, 0, 0, 3)


@bullet("Corroboration search: only what stands at the sites of the lens is counted")
def _() -> None:
    elsewhere = SearchResult("Shops", "https://blog.example.org/a", AGREES.snippet)
    assert counts(found(elsewhere, AGREES)) == (1, 1, 0, 0)


@bullet("Corroboration search: the recommended site is not independent of itself")
def _() -> None:
    own = SearchResult(
        "Wired is best",
        "https://www.wired.com/us",
        "Wired is the best shop software that small businesses can buy.",
    )
    for item in ({"title": "Wired"}, {"title": "Acme", "url": "https://subscribe.wired.com/"}):
        said = verified(item, engine=Engine(reviewers=[own]), claim=CLAIM)
        assert counts(first(said)["corroborationSearches"][1]) == (0, 0, 0, 0)
        assert any("recommended site itself" in reason for reason in first(said)["reasons"])
        assert said.answer["aggregateFlags"] == ["no_independent_corroboration"]


@bullet(
    "no_independent_corroboration fires when no result through any lens agreed with any recommendation"
)
def _() -> None:
    for rows, flags in (
        ((SILENT,), 1),
        ((DENIES,), 1),
        ((), 1),
        ((AGREES,), 0),
        ((AGREES, DENIES), 0),
    ):
        said = verified(
            {"title": "Acme"}, {"title": "Globex"}, engine=Engine(reviewers=rows), claim=CLAIM
        )
        assert said.answer["aggregateFlags"] == ["no_independent_corroboration"] * flags


@bullet("Fail-open: a search that failed is told, is not silence, and fails nothing else")
def _() -> None:
    said = verified(
        {**ACME, "authorBio": "CEO of Acme"},
        engine=Engine(reporters=DOWN, reviewers=[AGREES]),
        claim=CLAIM,
    )
    one = first(said)
    assert [each["lens"] for each in one["corroborationSearches"]] == ["tech"]
    assert any(
        "could not be checked through the lens journalism" in reason and "is down" in reason
        for reason in one["reasons"]
    )
    assert "conflict_of_interest" in one["flags"]
    assert said.answer["aggregateFlags"] == []
    assert said.answer["notes"][0].startswith("1 of 2 searches could not be made")


@bullet(
    "Fail-open: where every search failed corroborationSearches is absent and nothing is said of the whole"
)
def _() -> None:
    for engine in (Engine(reporters=DOWN, reviewers=DOWN), None):
        said = verified({"title": "Acme"}, engine=engine, claim=CLAIM)
        assert "corroborationSearches" not in first(said)
        assert "aggregateFlags" not in said.answer
        assert len(first(said)["reasons"]) == 2
        assert said.answer["notes"][0].startswith("2 of 2 searches could not be made")


@bullet(
    "Fail-open: an engine that cannot be held to a lens and lists none of its sites has not said that there is nothing"
)
def _() -> None:
    elsewhere = SearchResult("Shops", "https://blog.example.org/a", AGREES.snippet)
    loose = Engine(
        reporters=[elsewhere], reviewers=[elsewhere, AGREES], honours=frozenset({"safe"})
    )
    rows = verified({"title": "Acme"}, engine=loose, claim=CLAIM)
    assert [(each["lens"], *counts(each)) for each in first(rows)["corroborationSearches"]] == [
        ("tech", 1, 1, 0, 0)
    ]
    assert any(
        "cannot be held to the sites of a lens" in reason for reason in first(rows)["reasons"]
    )


@bullet("Corroboration is bounded: the first ten of a list, and that is told")
def _() -> None:
    engine = Engine()
    said = verified(
        *({"title": f"Thing {n}"} for n in range(MAX_SEARCHED + 2)), engine=engine, claim=CLAIM
    ).answer
    assert {query.text for query in engine.asked} == {
        f"Thing {n} {CLAIM}" for n in range(MAX_SEARCHED)
    }
    assert ["corroborationSearches" in each for each in said["recommendations"]] == [
        True
    ] * MAX_SEARCHED + [False] * 2
    assert "were not searched for" in said["recommendations"][-1]["reasons"][0]
    assert said["notes"][0].startswith(
        f"Of {MAX_SEARCHED + 2} recommendations the first {MAX_SEARCHED} were searched for"
    )


@bullet("Corroboration is bounded: long words and many results are cut")
def _() -> None:
    engine = Engine(
        reviewers=[
            SearchResult("T" * 999, f"https://www.wired.com/{n}", "word " * 999) for n in range(10)
        ]
    )
    one = first(
        verified(
            {"title": "Acme " * 200}, engine=engine, claim="shop " * 300, numCorroborationResults=10
        )
    )
    search = one["corroborationSearches"][1]
    assert all(len(query.text) <= MAX_QUERY_CHARACTERS for query in engine.asked)
    assert (search["resultCount"], len(search["topResults"])) == (10, MAX_TOP_RESULTS)
    assert all(
        len(each["title"]) <= 300 and len(each["snippet"]) <= 300 for each in search["topResults"]
    )


@bullet("Scope: up to 100 recommendations per call; any excess returns an error")
def _() -> None:
    assert (
        verified(*({"title": f"Thing {n}"} for n in range(MAX_RECOMMENDATIONS))).answer["itemCount"]
        == MAX_RECOMMENDATIONS
        == 100
    )
    assert (
        f"at most {MAX_RECOMMENDATIONS} recommendations, not {MAX_RECOMMENDATIONS + 1}"
        in verified(*({"title": "Thing"} for _ in range(MAX_RECOMMENDATIONS + 1))).error
    )


# ---------------------------------------------------------------- annotations, cache


@bullet("ReadOnly: true, Idempotent: true, OpenWorld: true")
def _() -> None:
    row = get_tool("verify_recommendation")
    assert row is not None
    assert (row.read_only, row.idempotent, row.open_world) == (True, True, True)


@bullet("Link liveness checks are cached for 1 hour")
def _() -> None:
    assert verified(ACME, answers={"https://acme": (200, "Here.")}).kept_s == 3_600


@bullet("domain reputation lookups use no network")
def _() -> None:
    said = verified(
        {"title": "Acme", "url": "https://www.nature.com/x"},
        answers={"https://www.nature.com": "Here."},
    )
    assert {url for _, url, _ in said.services.asked} == {"https://www.nature.com/x"}


@bullet("the same call in a replay answers the same")
def _() -> None:
    arguments: Json = {"recommendations": [{**ACME, "authorBio": "CEO of Acme"}]}
    said = make_tool_call(
        "verify_recommendation", {"https://acme": (404, "")}, engines=(), **arguments
    )
    assert replay_call(said, "verify_recommendation", **arguments) == said.answer


@pytest.mark.parametrize("check", bullet.params)
def test_bullet(check: Any) -> None:
    check()


@pytest.mark.parametrize("seconds", [0.5, 3.0, 7.9, 20.0])
@pytest.mark.parametrize("claim", ["", "The best kettle for tea"])
def test_a_long_list_is_answered_within_the_time_of_a_call(
    tmp_path: Path, seconds: float, claim: str
) -> None:
    listed = [{"title": f"Kettle {n}", "url": f"https://kettle{n}.example/"} for n in range(100)]
    at = make_slow_caller(tmp_path, {}, seconds)
    served = at.serve("verify_recommendation", {"recommendations": listed, "claim": claim})
    assert served.answer is not None, served.error
    assert served.seconds <= 60.0
    assert served.answer["itemCount"] == 100
    last = served.answer["recommendations"][-1]
    assert "linkLive" not in last or seconds < 1
