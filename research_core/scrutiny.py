"""What a critical reader asks of a finished report: what stays open.

What sentences rest on (`backing`), where figures differ (`contradictions`), what that comes to (`confidence`) and what pages hide
(`concealment`) have files of their own and are offered here too.

Pure functions over a report.
"""

from __future__ import annotations

from research_core.backing import Backing as Backing
from research_core.backing import backings as backings
from research_core.backing import kept as kept
from research_core.concealment import Concealment as Concealment
from research_core.concealment import Remark as Remark
from research_core.concealment import concealed as concealed
from research_core.concealment import concealment as concealment
from research_core.confidence import DECIDING as DECIDING
from research_core.confidence import Confidence as Confidence
from research_core.confidence import Findings as Findings
from research_core.confidence import examine as examine
from research_core.contradictions import Claim as Claim
from research_core.contradictions import Contradiction as Contradiction
from research_core.contradictions import contradictions as contradictions
from research_core.llm import insufficient
from research_core.llm.similarity import understand
from research_core.models import Report

MOST_OPEN = 4


def open_questions(report: Report) -> tuple[str, ...]:
    """What to ask next: the gaps the run named, or, where there is no report, narrower queries in the question's own words."""
    if report.decision != "insufficient_data":
        return tuple(dict.fromkeys(report.gaps))[:MOST_OPEN]
    asked = understand(report.question)
    return tuple(insufficient.narrower(asked, insufficient.HINTS[asked.form.name].turns))
