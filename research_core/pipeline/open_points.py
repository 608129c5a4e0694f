"""What a critical reader asks of a finished report: what stays open.

What sentences rest on (`backing`), where figures differ (`contradictions`), what that comes to
(`confidence`) and what pages hide (`hidden_text`) have files of their own and are offered here too.

Pure functions over a report.
"""

from __future__ import annotations

from research_core.llm import offline_explanation
from research_core.models import Report
from research_core.text.similarity import understand

MOST_OPEN = 4


def open_questions(report: Report) -> tuple[str, ...]:
    """What to ask next: the gaps the run named, or, where there is no report, narrower queries in
    the question's own words.
    """
    if report.decision != "insufficient_data":
        return tuple(dict.fromkeys(report.gaps))[:MOST_OPEN]
    asked = understand(report.question)
    return tuple(
        offline_explanation.narrower(asked, offline_explanation.HINTS[asked.form.name].turns)
    )
