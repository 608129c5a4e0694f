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
from research_core.pipeline.assessment import CORROBORATION, PAGE, Assessment
from research_core.pipeline.backing import Backing, backings
from research_core.sessions.reading import Reading
from research_core.sessions.whatif import WhatIf


class Assessed(NamedTuple):
    """now: under what counts here, its parts with those that are switched off, which do not count;
    was: as in the run.
    """

    now: Assessment
    was: Assessment

    @property
    def changed(self) -> bool:
        return (self.now.value, self.now.level) != (self.was.value, self.was.level)


def of(shown: Reading, what: WhatIf, source: ReportSource) -> Assessed | None:
    """None of what was not read or has no credibility, as an own document has none."""
    if not source.page or source.parts is None:
        return None
    found, off = _backings(shown), sliders.off()
    source = what.as_written(
        source
    )  # what sentences rest on is told by the numbers of the stored report
    was = assessment.of(source, shown.run.settings.credibility, found)
    policy = what.settings.credibility
    now = assessment.of(source, policy, found, off)
    left = [
        part
        for part in assessment.of(source, policy, found).parts
        if part.name in (PAGE, CORROBORATION) and part.name in off
    ]
    return Assessed(
        replace(now, parts=(*now.parts, *(replace(part, counts=False) for part in left))), was
    )


def each(shown: Reading, what: WhatIf, sources: Sequence[ReportSource]) -> Mapping[str, Assessed]:
    """By URL, of those that were read."""
    return {source.url: found for source in sources if (found := of(shown, what, source))}


def _backings(shown: Reading) -> tuple[Backing, ...]:
    """What each sentence of the stored report rests on, worked out once for what was read of it."""
    if shown.run.report is None:
        return ()
    before: tuple[Reading, tuple[Backing, ...]] | None = st.session_state.get("backings")
    if before is None or before[0] is not shown:
        before = shown, backings(report.build(shown.run))
        st.session_state["backings"] = before
    return before[1]
