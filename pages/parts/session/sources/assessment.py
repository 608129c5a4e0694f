"""Compute a read source's assessment with the parts switched on here, and as the run had it.

It decides nothing. Page signals and corroboration are switched off on this screen only; a rewrite
does not know these switches.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import streamlit as st

from parts.session.sources import sliders
from research_core.i18n import N_, _, format_number
from research_core.models import ReportSource
from research_core.pipeline import assessment, report
from research_core.pipeline.assessment import CORROBORATION_PART, PAGE_PART, Assessment
from research_core.pipeline.backing import Backing, find_backings
from research_core.sessions.snapshot import Snapshot
from research_core.sessions.whatif import WhatIf

#: What the quality after reading rates, as its tooltip.
AFTER_READING_EXPLAINED = N_("Site, page content and corroboration. Changes no decision.")


class AssessedSource(NamedTuple):
    """now: with the parts that count here, including the excluded ones; was: as in the run."""

    now: Assessment
    was: Assessment

    @property
    def changed(self) -> bool:
        return (self.now.value, self.now.level) != (self.was.value, self.was.level)


def format_assessment(found: Assessment) -> str:
    """Return the quality after reading as a figure and its level."""
    return f"{format_number(found.value, '.2f')} {_(found.level)}"


def assess_source(
    snapshot: Snapshot, whatif: WhatIf, source: ReportSource
) -> AssessedSource | None:
    """Return the assessment, or None for an unread source or one without credibility."""
    if not source.page or source.parts is None:
        return None
    found = _find_backings(snapshot)
    off = sliders.list_parts_off()
    # Backings refer to sources by their numbers in the stored report.
    source = whatif.restore_number(source)
    was = assessment.assess_source(source, snapshot.run.settings.credibility, found)
    policy = whatif.settings.credibility
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
    snapshot: Snapshot, whatif: WhatIf, sources: Sequence[ReportSource]
) -> Mapping[str, AssessedSource]:
    """Return the assessments of the sources that were read, by URL."""
    assessed = {}
    for source in sources:
        found = assess_source(snapshot, whatif, source)
        if found:
            assessed[source.url] = found
    return assessed


def _find_backings(snapshot: Snapshot) -> tuple[Backing, ...]:
    """Return what each sentence of the stored report rests on; cached for each reading."""
    if snapshot.run.report is None:
        return ()
    before: tuple[Snapshot, tuple[Backing, ...]] | None = st.session_state.get("backings")
    if before is None or before[0] is not snapshot:
        before = snapshot, find_backings(report.build(snapshot.run))
        st.session_state["backings"] = before
    return before[1]
