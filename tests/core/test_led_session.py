"""What a led session's sources are as works to cite: what the log holds of each, and nothing that it does not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from research_core.bibliography.item import Person
from research_core.context import memory_log
from research_core.models import HttpReply, Json
from research_core.serving import Desk
from research_core.settings import Settings
from research_core.steps import Research, Source
from research_core.tools.led_session import items, opened, read
from research_core.wiring import Office, default_deps
from tests.logs import Hands
from tests.tool_session import HTML, Web

SEARX = "http://127.0.0.1:8888"
PAPER = "https://journals.example.org/reef"
PREPRINT = "https://arxiv.org/abs/1706.03762"
PAGE = """<!doctype html><html lang="en"><head><title>Reefs at night</title>
<meta name="citation_author" content="Müller, Ana"><meta name="citation_author" content="Iqbal, Sara">
<meta name="citation_publication_date" content="2020/03/01"><meta name="citation_doi" content="10.1000/reef.7">
<meta property="og:site_name" content="Reef Notes"></head><body><main><article><h1>Reefs at night</h1>
<p>Corals feed at night, when the plankton rises, and most of what is known of it was seen by lamp light in shallow water.</p>
<p>The polyps open an hour after sunset and close before dawn, which the log of four hundred dives describes in detail.</p>
</article></main></body></html>"""
FOUND = {
    "results": [
        {"title": "Reefs at night - Reef Notes", "url": PAPER, "content": "Corals feed at night."},
        {"title": "Attention", "url": PREPRINT, "content": "A preprint."},
    ]
}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    class Answering(Office):
        clock = Hands(1_000.0)
        client = Web(
            {
                f"{SEARX}/search": HttpReply(f"{SEARX}/search", 200, {}, json.dumps(FOUND).encode()),
                PAPER: HttpReply(PAPER, 200, HTML, PAGE.encode()),
                "https://journals.example.org/robots.txt": HttpReply("https://journals.example.org/robots.txt", 404, {}, b""),
            }
        )

    office = Answering(Settings(home=tmp_path, database_url="sqlite://", ddgs_engines=(), searxng_url=SEARX))
    yield Desk(office)
    office.close()


def asked(desk: Desk, tool: str, **said: object) -> Json:
    served = desk.serve(tool, said)
    assert served.answer is not None, served.error
    return served.answer


def test_a_page_that_was_read_tells_who_wrote_it_where_and_when(desk: Desk) -> None:
    begun = asked(desk, "sequential_search", searchStep="Look", stepNumber=1, nextStepNeeded=True, researchGoal="What do corals eat?")
    session = str(begun["sessionId"])
    asked(desk, "web_search", query="corals at night", sessionId=session, num_results=2)
    asked(desk, "scrape_page", url=PAPER, sessionId=session)
    deps = default_deps(memory_log("corals"), desk.office)
    found = read(opened(deps, session))
    paper, preprint = items(found)
    assert (paper.url, paper.title, paper.container, paper.issued, paper.doi) == (
        PAPER, "Reefs at night", "Reef Notes", "2020-03-01", "10.1000/reef.7",
    )  # fmt: skip
    assert paper.authors == (Person("Müller", "Ana"), Person("Iqbal", "Sara"))
    assert (preprint.url, preprint.title, preprint.doi) == (PREPRINT, "Attention", "10.48550/arXiv.1706.03762")
    assert (preprint.authors, preprint.container, preprint.issued, preprint.accessed) == ((), "", "", "")
    assert items(read(opened(deps, session))) == (paper, preprint)


def of(*sources: Source) -> Research:
    return Research("reefs", 0.0, (), sources, ())


@pytest.mark.parametrize(
    ("source", "url", "doi"),
    [
        (Source(PAPER, "Reefs", None, doi="10.1000/reef.7"), PAPER, "10.1000/reef.7"),
        (Source("https://t.example.net/x", "Reefs", 2, landed=PAPER), PAPER, ""),
        (Source("https://doi.org/10.1000/reef.7", "Reefs", 2, landed=PAPER), PAPER, "10.1000/reef.7"),
        (Source("https://t.example.net/x", "Reefs", 2, landed=PREPRINT), PREPRINT, "10.48550/arXiv.1706.03762"),
        (Source("https://doi.org/10.1000/listed", "Reefs", 1, doi="10.1000/page"), "https://doi.org/10.1000/listed", "10.1000/page"),
    ],
)
def test_a_source_is_cited_where_it_stands_and_by_the_doi_there_is(source: Source, url: str, doi: str) -> None:
    (item,) = items(of(source))
    assert (item.url, item.doi, item.title) == (url, doi, "Reefs")


def test_a_session_without_sources_cites_nothing() -> None:
    assert items(of()) == ()
