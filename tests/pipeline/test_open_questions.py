"""What to ask next, held to reports made by hand."""

from __future__ import annotations

from dataclasses import replace

from research_core.pipeline.open_questions import list_open_questions
from tests.pipeline.test_backing import report


def test_gaps_stay_open_and_without_a_report_narrower_queries() -> None:
    assert list_open_questions(report(gaps=("When?", "Where?", "When?"))) == (
        "When?",
        "Where?",
    )
    assert list_open_questions(report()) == ()
    refused = report(decision="insufficient_data")
    assert list_open_questions(refused) == ()
    asked = replace(refused, question="What is the price of a cello?")
    assert list_open_questions(asked) == ("cello price",)
    tried = replace(asked, queries=({"text": "cello price", "order": 0, "purpose": "planned"},))
    assert list_open_questions(tried) == ()
