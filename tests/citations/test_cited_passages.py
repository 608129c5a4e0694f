"""The citations of a report's text, and each cited passage in its page."""

from __future__ import annotations

import pytest

from research_core.citations import cited_passages
from research_core.models import Passage, Principal
from research_core.pipeline import report
from research_core.sessions import snapshot
from research_core.settings import Settings
from research_core.wiring import Resources
from tests.started_sessions import research_sample


@pytest.fixture(scope="module")
def resources(tmp_path_factory: pytest.TempPathFactory) -> Resources:
    return Resources(Settings.from_env({"ASSAY_HOME": str(tmp_path_factory.mktemp("home"))}))


@pytest.fixture(scope="module")
def session(resources: Resources) -> str:
    return research_sample(resources)


def test_citations_are_numbered_and_lead_to_stored_pages(
    resources: Resources, session: str
) -> None:
    built = report.build(snapshot.read_session(resources, session).run)
    sentences = [sentence for block in built.blocks for sentence in block.sentences]
    citations = cited_passages.list_citations(built)
    assert [cited.number for cited in citations] == list(range(1, len(citations) + 1))
    for cited in citations:
        assert sentences[cited.place] is cited.sentence
        assert {passage.id for passage in cited.passages} <= set(cited.sentence.citations)
        page = snapshot.read_page_text(resources, cited.source.page)
        assert all(page[passage.start : passage.end] == passage.text for passage in cited.passages)


def test_page_that_is_not_stored_is_empty(resources: Resources, session: str) -> None:
    assert snapshot.read_page_text(resources, "no such hash") == ""
    page = next(
        source.page
        for source in report.build(snapshot.read_session(resources, session).run).sources
        if source.page
    )
    assert snapshot.read_page_text(resources, page, who=Principal("another", "user")) == ""


PAGE = (
    "Before one. Before two. The tide turns\n  twice a day. It never tires. After one. After two."
)
BEFORE, AFTER = ("Before one. Before two. ", 0, 0), (" After one. After two.", 0, 0)
TIDE = Passage("p00000001", "The tide turns\n  twice a day. It never tires.", 24, 69)


@pytest.mark.parametrize(
    ("page", "sentence", "around", "pieces"),
    [
        (
            PAGE,
            "The tide turns twice a day.",
            400,
            [BEFORE, (TIDE.text[:29], 1, 1), (" It never tires.", 1, 0), AFTER],
        ),
        (PAGE, "Something else.", 400, [BEFORE, (TIDE.text, 1, 0), AFTER]),
        (PAGE, "", 8, [("…two. ", 0, 0), (TIDE.text, 1, 0), (" After…", 0, 0)]),
        ("", "", 400, [(TIDE.text, 1, 0)]),
        (
            "Another text that holds no such passage at that place, however long it may be.",
            "",
            400,
            [(TIDE.text, 1, 0)],
        ),
    ],
    ids=["quoted", "not quoted", "cut", "no page", "other page"],
)
def test_excerpt(page: str, sentence: str, around: int, pieces: list[tuple[str, int, int]]) -> None:
    assert list(cited_passages.build_excerpt(page, TIDE, sentence, around=around).pieces) == pieces


def test_excerpt_gives_the_page_back_verbatim(resources: Resources, session: str) -> None:
    for cited in cited_passages.list_citations(
        report.build(snapshot.read_session(resources, session).run)
    ):
        page = snapshot.read_page_text(resources, cited.source.page)
        for passage in cited.passages:
            whole = "".join(
                text
                for text, _, _ in cited_passages.build_excerpt(
                    page, passage, cited.sentence.text, around=len(page)
                ).pieces
            )
            assert whole == page


def test_where_a_passage_stands_in_its_page() -> None:
    first, last = Passage("p00000001", "two", 4, 7), Passage("p00000002", "four", 14, 18)
    page = "one two three four  "
    assert cited_passages.measure_passage_position(first, page) == 0.2
    assert cited_passages.measure_passage_position(last, page) == 0.7
    assert cited_passages.measure_passage_position(last, "") == 0.0
