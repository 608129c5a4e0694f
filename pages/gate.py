"""The gate of a session: what was decided and why, what each mode asks for, and every judged source with what it was judged on."""

from __future__ import annotations

import streamlit as st

from parts import cards, desk
from parts.badges import DECISION
from research_core import decide, reading
from research_core.modes import MODES, ResearchMode
from research_core.reading import Reading
from research_core.text import plain

TEACHES = """
Before a line is written, every source that was read is judged for how far it bears on the question, from 1 to 5. Here stand the
judgements with the passages they rest on, and the decision that follows from them: a full report, a short one, or none.
"""


def draw() -> None:
    shown = desk.opened("Gate", TEACHES)
    if shown is None:
        return
    _decision(shown)
    judged = [source for source in reading.sources(shown) if source.relevance]
    if not judged:
        st.info("No source has been judged yet.")
        return
    cards.judged(judged)


def _decision(shown: Reading) -> None:
    decided, cutoff = shown.run.gated, shown.run.mode.relevance_cutoff
    left, right = st.columns([3, 2], gap="medium")
    with left:
        if decided is None:
            st.info("Not decided yet: the gate waits until every source it may read has been judged.")
        else:
            st.markdown(f"**{DECISION[decided['decision']].word.capitalize()}.** {plain(decided['rationale'])}.")
        if decided and decided["reason"]:
            st.markdown(f"**{plain(decided['reason']).capitalize()}.** {plain(decide.REASONS[decided['reason']])}")
        st.caption(f"A source is kept when it scores {cutoff} or more. One that nobody could score is kept, and counted as such.")
    with right:
        cards.thresholds([ResearchMode.named(name) for name in MODES], shown.run.mode)


draw()
