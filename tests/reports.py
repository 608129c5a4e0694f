"""Reports to write out in every format.

Those of the stories in test_report, and one in which every word of others is the one given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from research_core.models import Block, Judgement, Passage, Report, ReportSource
from research_core.pipeline import report
from tests.pipeline.test_report import ABYSS, FULL, TALLY, Part, built, fold, written

FULL_REPORT = built("full")
NO_REPORT = built("no-report-all-off-topic")
OWN_DOCUMENTS = built("own-documents")
COPIED = built("copied")


def telling(*parts: Part) -> Report:
    """The full report with another text."""
    kept = [row for row in FULL if row[0] not in ("written", "verified") and row is not TALLY]
    return report.build(fold([*kept, *written(*parts), TALLY]))


def saying(text: str, url: str = ABYSS) -> Report:
    """The full report, where question, titles, reasons, dates, passages and sentences are all this
    text, and one address is this.
    """
    base = FULL_REPORT
    sources = [
        _source(source, text, url if source.number == 1 else source.url) for source in base.sources
    ]
    texts: dict[str, Any] = {
        "question": text,
        "disclaimer": text,
        "gaps": (text,),
        "plan": {"note": text},
    }
    queries = [{**query, "text": text} for query in base.queries]
    searches = [{**search, "reason": text} for search in base.searches]
    return replace(
        base, **texts, sources=tuple(sources), blocks=tuple(_block(block, text) for block in base.blocks),
        queries=tuple(queries), searches=tuple(searches),
    )  # fmt: skip


def _source(source: ReportSource, text: str, url: str) -> ReportSource:
    judged = source.relevance and Judgement(
        url, text, source.relevance.score, text, source.relevance.scored
    )
    passages: Sequence[Passage] = [
        replace(passage, text=text, start=0, end=len(text)) for passage in source.passages
    ]
    parts = source.parts and replace(source.parts, matched=(text,), missing=(text,))
    return replace(
        source,
        url=url,
        title=text,
        reason=text,
        published=text,
        relevance=judged,
        passages=tuple(passages),
        parts=parts,
    )


def _block(block: Block, text: str) -> Block:
    return replace(
        block,
        sentences=tuple(
            replace(sentence, text=text, note=text and sentence.note)
            for sentence in block.sentences
        ),
    )
