"""The tables of what was found out about a report: each sentence, each part of a score, each figure
that another source gives otherwise.
"""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.citations.marks import keep_known
from research_core.export import archive, check, evidence
from research_core.models import Report
from research_core.pipeline import report
from research_core.pipeline.draft import parse
from research_core.policy import CredibilityPolicy, Override
from research_core.text.words import strip_invisible
from tests.everyday import costly_examples
from tests.export.test_check import ASKED, stored
from tests.export.test_export import HOSTILE
from tests.reports import FULL_REPORT, NO_REPORT, saying


def files(built: Report, texts: dict[str, str]) -> dict[str, str]:
    return evidence.build_findings(built, report.to_json(built), lambda page: texts.get(page, ""))


def rows(table: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(table.removeprefix("\ufeff"), newline="")))


def test_every_sentence_is_there_with_what_the_check_found_and_where_its_passage_stands() -> None:
    built, texts = stored(FULL_REPORT)
    made = files(built, texts)
    told = json.loads(made["verification.json"])["sentences"]
    written = [
        sentence
        for block in built.blocks
        if block.kind != "heading"
        for sentence in block.sentences
    ]
    assert [(one["text"], one["state"], one["reason"]) for one in told] == [
        (s.text, s.state, s.note) for s in written
    ]
    assert {one["state"] for one in told} >= {
        "supported",
        "partly",
        "not found",
        "could not check",
        "uncited",
    }
    cited = [each for one in told for each in one["citations"]]
    assert cited
    assert all(texts[each["page"]][each["from"] : each["to"]] for each in cited if each["page"])
    assert len(rows(made["verification.csv"])) == sum(max(1, len(one["citations"])) for one in told)
    assert {row["in page"] for row in rows(files(built, {})["verification.csv"])} == {
        "",
        "page not stored",
    }


def test_assessments_name_the_ratings_and_the_word_that_counted() -> None:
    built, texts = stored(FULL_REPORT)
    source = next(one for one in built.sources if one.page)
    policy = CredibilityPolicy(
        overrides=(Override(source.url.split("/")[2], 0.2, "=They sell it."),)
    )
    rated = replace(source, ratings={"lin2023": 0.75})
    built = replace(built, sources=tuple(rated if one is source else one for one in built.sources))
    built = replace(
        built, settings={**built.settings, "credibility": asdict(policy), "ratings": ["lin2023"]}
    )
    made = files(built, texts)
    told = json.loads(made["assessments.json"])
    assert told["ratings"] == ["lin2023"]
    assert told["policy"]["overrides"][0]["reason"] == "=They sell it."
    mine = [row for row in rows(made["assessments.csv"]) if row["url"] == source.url]
    assert [row["value"] for row in mine if row["of"] == "ratings"] == ["0.75"]
    (word,) = (row for row in mine if row["part"] == "override")
    assert (word["value"], word["counts"], word["why"].startswith("=")) == ("0.2", "yes", False)
    assert {"score", "domain", "relevance", "recency"} <= {
        row["part"] for row in mine if row["of"] == "score"
    }


def test_contradictions_say_who_gives_which_figure_and_confidence_is_that_of_the_report() -> None:
    built, texts = stored(FULL_REPORT)
    made = files(built, texts)
    assert {row["source"] for row in rows(made["contradictions.csv"])} == {"1", "2"}
    assert json.loads(made["confidence.json"])["level"] in ("high", "moderate", "low")
    assert json.loads(files(NO_REPORT, {})["confidence.json"]) is None


def faults(built: Report) -> list[str]:
    """What the script finds in the pack of this report; its own files were not changed."""
    built, texts = stored(built)
    packed = archive.unpack(evidence.build_pack(built, lambda page: texts.get(page, ""), ASKED))
    return [fault for _, one in check.CHECKS for fault in check.run_check(one, packed)]


def spoken(built: Report) -> Report:
    """The report with its text as the writer's is read, each sentence a line of what can be seen.
    Titles and pages stay as they are.
    """
    blocks = [
        replace(
            block, sentences=tuple(replace(one, text=_spoken(one.text)) for one in block.sentences)
        )
        for block in built.blocks
    ]
    return replace(built, blocks=tuple(blocks), disclaimer=_spoken(built.disclaimer))


def _spoken(text: str) -> str:
    return " ".join(f"It says {strip_invisible(text)}".split())


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_words_look_like_no_change(text: str) -> None:
    assert faults(spoken(saying(text))) == []


@pytest.mark.full
@costly_examples()
@given(st.text(max_size=60))
def test_no_words_look_like_a_change(text: str) -> None:
    assert faults(spoken(saying(text))) == []


@costly_examples()
@given(
    st.lists(st.text("ab.?!*_`|#-[]()\\<>&1 °é", min_size=1, max_size=20), min_size=1, max_size=6)
)
def test_no_text_of_a_writer_looks_like_a_change(texts: list[str]) -> None:
    blocks = parse(keep_known("\n\n".join(texts), ())[0])
    assert (
        faults(
            replace(FULL_REPORT, blocks=(*FULL_REPORT.blocks[:3], *blocks, *FULL_REPORT.blocks[3:]))
        )
        == []
    )
