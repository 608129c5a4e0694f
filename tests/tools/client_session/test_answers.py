"""What a led session's sources are as works to cite: what the log holds of each, and nothing that
it does not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from research_core.citations.formats.item import Person
from research_core.context import ResearchContext, memory_log
from research_core.decisions.gate import choose_listing
from research_core.decisions.view import fold_events
from research_core.models import HttpReply
from research_core.sessions.tool_calls import ToolCaller
from research_core.tools.client_session.answers import (
    format_source_count,
    list_items,
    open_session,
    read_session,
)
from research_core.tools.client_session.view import (
    ClientResearch,
    ClientSource,
    fold_client_session,
)
from research_core.wiring import default_deps
from tests import client_sessions
from tests.client_sessions import PAPER, PREPRINT
from tests.tool_session import HTML


@pytest.fixture
def tool_caller(tmp_path: Path) -> Iterator[ToolCaller]:
    made = client_sessions.make_tool_caller(tmp_path)
    yield made
    made.resources.close()


def test_a_page_that_was_read_tells_who_wrote_it_where_and_when(tool_caller: ToolCaller) -> None:
    session = client_sessions.research(tool_caller)
    deps = default_deps(memory_log("corals"), tool_caller.resources)
    paper, preprint = list_items(read_session(open_session(deps, session)))
    assert (paper.url, paper.title, paper.container, paper.issued, paper.doi) == (
        PAPER, "Reefs at night", "Reef Notes", "2020-03-01", "10.1000/reef.7",
    )  # fmt: skip
    assert paper.authors == (Person("Müller", "Ana"), Person("Iqbal", "Sara"))
    assert (preprint.url, preprint.title, preprint.doi) == (
        PREPRINT,
        "Attention",
        "10.48550/arXiv.1706.03762",
    )
    assert (preprint.authors, preprint.container, preprint.issued, preprint.accessed) == (
        (),
        "",
        "",
        "",
    )
    assert list_items(read_session(open_session(deps, session))) == (paper, preprint)


def test_a_page_that_a_client_chose_itself_is_scored_by_what_it_says(
    tool_caller: ToolCaller,
) -> None:
    session = client_sessions.take_step(tool_caller)
    client_sessions.call_tool(tool_caller, "scrape_page", url=PAPER, sessionId=session)
    ((url, source),) = fold_events(
        open_session(default_deps(memory_log("corals"), tool_caller.resources), session).log.read()
    ).sources.items()
    (listing,) = source.listings
    assert (url, listing.title, source.read) == (PAPER, "Reefs at night", True)
    assert "Corals feed at night" in listing.snippet
    client_sessions.call_tool(
        tool_caller, "web_search", query="corals at night", sessionId=session, num_results=2
    )
    run = fold_events(
        open_session(default_deps(memory_log("corals"), tool_caller.resources), session).log.read()
    )
    found = run.sources[PAPER]
    seen = choose_listing(found, run)
    assert seen is not None
    assert (len(found.listings), seen.title) == (
        2,
        "Reefs at night - Reef Notes",
    )  # what a search told goes before it


def test_a_page_with_the_text_of_another_is_told_as_its_copy(tmp_path: Path) -> None:
    mirror = "https://mirror.example.net/reef"
    own = "https://own.example.net/reef"
    other = (
        client_sessions.PAGE.replace("feed", "sleep")
        .replace("polyps open an hour", "tentacles fold many hours")
        .replace("dive", "lesson")
    )
    pages = {
        "https://mirror.example.net/robots.txt": HttpReply(
            "https://mirror.example.net/robots.txt", 404, {}, b""
        ),
        "https://own.example.net/robots.txt": HttpReply(
            "https://own.example.net/robots.txt", 404, {}, b""
        ),
        mirror: HttpReply(mirror, 200, HTML, client_sessions.PAGE.encode()),
        own: HttpReply(own, 200, HTML, other.replace("plankton", "moon").encode()),
    }
    tool_caller = client_sessions.make_tool_caller(tmp_path, pages=pages)
    session = client_sessions.research(tool_caller)
    for url in (mirror, own):
        client_sessions.call_tool(tool_caller, "scrape_page", url=url, sessionId=session)
    found = read_session(
        open_session(default_deps(memory_log("corals"), tool_caller.resources), session)
    )
    assert {source.url: source.copy_of for source in found.sources} == {
        PAPER: "",
        PREPRINT: "",
        mirror: PAPER,
        own: "",
    }
    assert [source.url for source in found.distinct_sources] == [
        source.url for source in found.sources if source.url != mirror
    ]
    assert format_source_count(found) == "4, 1 of them a copy of another"
    tool_caller.resources.close()


def of(*sources: ClientSource) -> ClientResearch:
    return ClientResearch("reefs", 0.0, (), sources, ())


@pytest.mark.parametrize(
    ("source", "url", "doi"),
    [
        (ClientSource(PAPER, "Reefs", None, doi="10.1000/reef.7"), PAPER, "10.1000/reef.7"),
        (ClientSource("https://t.example.net/x", "Reefs", 2, redirected_to=PAPER), PAPER, ""),
        (
            ClientSource("https://doi.org/10.1000/reef.7", "Reefs", 2, redirected_to=PAPER),
            PAPER,
            "10.1000/reef.7",
        ),
        (
            ClientSource("https://t.example.net/x", "Reefs", 2, redirected_to=PREPRINT),
            PREPRINT,
            "10.48550/arXiv.1706.03762",
        ),
        (
            ClientSource("https://doi.org/10.1000/listed", "Reefs", 1, doi="10.1000/page"),
            "https://doi.org/10.1000/listed",
            "10.1000/page",
        ),
    ],
)
def test_a_source_is_cited_where_it_stands_and_by_the_doi_there_is(
    source: ClientSource, url: str, doi: str
) -> None:
    (item,) = list_items(of(source))
    assert (item.url, item.doi, item.title) == (url, doi, "Reefs")


def test_a_session_without_sources_cites_nothing() -> None:
    assert list_items(of()) == ()


CROSSREF = "https://api.crossref.org/works"
WORK = {
    "DOI": "10.1000/reef.9", "title": ["Night reefs"], "URL": "https://doi.org/10.1000/reef.9", "type": "journal-article",
    "author": [{"given": "Ana", "family": "Müller"}, {"given": "Sara", "family": "Iqbal" * 900}],
    "container-title": ["Journal of Reefs"], "issued": {"date-parts": [[2021, 4]]},
}  # fmt: skip


def test_a_paper_that_was_only_listed_is_cited_as_its_list_has_it(tmp_path: Path) -> None:
    answer = {"status": "ok", "message": {"total-results": 1, "items": [WORK]}}
    tool_caller = client_sessions.make_tool_caller(
        tmp_path, pages={CROSSREF: HttpReply(CROSSREF, 200, {}, json.dumps(answer).encode())}
    )
    session = client_sessions.take_step(tool_caller)
    client_sessions.call_tool(
        tool_caller,
        "academic_search",
        query="reefs at night",
        provider="crossref",
        sessionId=session,
    )
    (item,) = list_items(
        read_session(
            open_session(default_deps(memory_log("corals"), tool_caller.resources), session)
        )
    )
    assert (item.title, item.container, item.issued, item.doi) == (
        "Night reefs",
        "Journal of Reefs",
        "2021",
        "10.1000/reef.9",
    )
    assert item.authors[0] == Person("Müller", "Ana")
    assert item.authors[1].full_name == "Sara…"
    tool_caller.resources.close()


def test_what_a_page_says_of_itself_goes_before_what_a_list_says_of_it() -> None:
    log = memory_log("corals")
    context = ResearchContext("corals", log=log)
    cited = {"authors": ["A. Lister"], "site": "A List", "published": "1999", "doi": "10.1000/list"}
    for url in (PAPER, PREPRINT):
        context.add_search_results(
            [{"title": "Reefs", "url": url, "snippet": "", "cited": cited}], "corals", order=0
        )
    context.add_fetched_page(
        PAPER,
        "Corals.",
        title="Reefs",
        published="2020-03-01",
        metadata={"authors": ["Ana Müller"], "doi": "10.1000/page"},
    )
    listed, read = fold_client_session(log.emitted).sources
    assert (read.authors, read.site, read.published, read.doi) == (
        ("Ana Müller",),
        "A List",
        "2020-03-01",
        "10.1000/page",
    )
    assert (listed.authors, listed.site, listed.published, listed.doi) == (
        ("A. Lister",),
        "A List",
        "1999",
        "10.1000/list",
    )
