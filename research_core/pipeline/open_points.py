"""What a critical reader asks of a finished report: what stays open.

What sentences rest on (`backing`), where figures differ (`contradictions`), what that comes to
(`confidence`) and what pages hide (`hidden_text`) have files of their own and are offered here too.

Pure functions over a report.
"""

from __future__ import annotations

from research_core.llm import offline_explanation
from research_core.models import Report
from research_core.text.similarity import parse_question

MAX_OPEN_QUESTIONS = 4


def list_open_questions(report: Report) -> tuple[str, ...]:
    """What to ask next: the gaps the run named, or, where there is no report, narrower queries in
    the question's own words.
    """
    if report.decision != "insufficient_data":
        return tuple(dict.fromkeys(report.gaps))[:MAX_OPEN_QUESTIONS]
    asked = parse_question(report.question)
    return tuple(
        offline_explanation.suggest_queries(
            asked, offline_explanation.FORM_HINTS[asked.form.name].turns
        )
    )
