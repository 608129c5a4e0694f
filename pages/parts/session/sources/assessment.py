"""What a source comes to once it is read, under the parts that count here, beside what it came to
under those of the run.

Nothing is decided by it. What its page shows and who says the same are switched off here alone: no
re-write knows of these switches.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import streamlit as st

from parts.session.sources import sliders
from research_core.models import ReportSource
from research_core.pipeline import assessment, report
from research_core.pipeline.assessment import CORROBORATION_PART, PAGE_PART, Assessment
from research_core.pipeline.backing import Backing, find_backings
from research_core.sessions.reading import Reading
from research_core.sessions.whatif import WhatIf


class AssessedSource(NamedTuple):
    """now: under what counts here, its parts with those that are switched off, which do not count;
    was: as in the run.
    """

    now: Assessment
    was: Assessment

    @property
    def changed(self) -> bool:
        return (self.now.value, self.now.level) != (self.was.value, self.was.level)


def assess_source(shown: Reading, what: WhatIf, source: ReportSource) -> AssessedSource | None:
    """None of what was not read or has no credibility, as an own document has none."""
    if not source.page or source.parts is None:
        return None
    found, off = _find_backings(shown), sliders.list_parts_off()
    source = what.as_written(
        source
    )  # what sentences rest on is told by the numbers of the stored report
    was = assessment.assess_source(source, shown.run.settings.credibility, found)
    policy = what.settings.credibility
    now = assessment.assess_source(source, policy, found, off)
    left = [
        part
        for part in assessment.assess_source(source, policy, found).parts
        if part.name in (PAGE_PART, CORROBORATION_PART) and part.name in off
    ]
    return AssessedSource(
        replace(now, parts=(*now.parts, *(replace(part, counts=False) for part in left))), was
    )


def assess_sources(
    shown: Reading, what: WhatIf, sources: Sequence[ReportSource]
) -> Mapping[str, AssessedSource]:
    """By URL, of those that were read."""
    return {
        source.url: found for source in sources if (found := assess_source(shown, what, source))
    }


def _find_backings(shown: Reading) -> tuple[Backing, ...]:
    """What each sentence of the stored report rests on, worked out once for what was read of it."""
    if shown.run.report is None:
        return ()
    before: tuple[Reading, tuple[Backing, ...]] | None = st.session_state.get("backings")
    if before is None or before[0] is not shown:
        before = shown, find_backings(report.build(shown.run))
        st.session_state["backings"] = before
    return before[1]
