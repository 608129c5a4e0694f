"""What a led session's sources are as works to cite: what the log holds of each, and nothing that it does not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from research_core.bibliography.item import Person
from research_core.context import memory_log
from research_core.serving import Desk
from research_core.steps import Research, Source
from research_core.tools.led_session import items, opened, read
from research_core.wiring import default_deps
from tests import led_sessions
from tests.led_sessions import PAPER, PREPRINT


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = led_sessions.desk(tmp_path)
    yield made
    made.office.close()


def test_a_page_that_was_read_tells_who_wrote_it_where_and_when(desk: Desk) -> None:
    session = led_sessions.researched(desk)
    deps = default_deps(memory_log("corals"), desk.office)
    paper, preprint = items(read(opened(deps, session)))
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
