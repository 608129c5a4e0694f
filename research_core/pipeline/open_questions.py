"""List what a finished report leaves open, as a pure function of the report."""

from __future__ import annotations

from research_core.llm import offline_explanation
from research_core.models import Report
from research_core.pipeline.page_findings import lacks_topic, read_refusal

MAX_OPEN_QUESTIONS = 4


def list_open_questions(report: Report) -> tuple[str, ...]:
    """List what to ask next: the gaps of the run or, without a report, narrower queries."""
    if report.decision != "insufficient_data":
        return tuple(dict.fromkeys(report.gaps))[:MAX_OPEN_QUESTIONS]
    if report.page_findings and lacks_topic(read_refusal(report)):
        return ()
    tried = [str(query["text"]) for query in report.queries]
    return tuple(offline_explanation.suggest_queries(report.question, tried))
