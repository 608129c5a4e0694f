"""What to ask next, held to reports made by hand."""

from __future__ import annotations

from research_core.pipeline.open_questions import list_open_questions
from tests.pipeline.test_backing import report


def test_gaps_stay_open_and_without_a_report_narrower_queries() -> None:
    assert list_open_questions(report(gaps=("When?", "Where?", "When?"))) == (
        "When?",
        "Where?",
    )
    assert list_open_questions(report()) == ()
    queries = list_open_questions(report(decision="insufficient_data"))
    assert len(queries) == 2
    assert all("coral" in query for query in queries)
