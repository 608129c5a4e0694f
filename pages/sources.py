"""Every source of a session: what was decided, its score with its parts, its relevance, and why."""

from __future__ import annotations

import streamlit as st

from parts import desk
from parts import sources as table
from parts.badges import SOURCE
from research_core import reading
from research_core.policy import RunSettings

TEACHES = """
Here stands every source a search found, also those that were not used: the decision, the credibility score with the parts it is made
of, how far the source bears on the question, and the reason in words.
"""


def draw() -> None:
    shown = desk.opened("Sources", TEACHES)
    if shown is None:
        return
    found = reading.sources(shown)
    if not found:
        st.info("No source yet: no search has answered.")
        return
    counts = {status: sum(source.status == status for source in found) for status in SOURCE}
    kinds = [status for status, count in counts.items() if count]
    labels = {status: f"{SOURCE[status].label} {counts[status]}" for status in kinds}
    only = st.pills("Show only", kinds, selection_mode="multi", key="only", format_func=lambda status: labels[status])
    table.table([source for source in found if not only or source.status in only], key="sources")
    _legend(RunSettings.from_json(shown.info.row.settings))


def _legend(run: RunSettings) -> None:
    policy = run.credibility
    st.caption(
        f"Credibility = authority of the site × {policy.domain_weight:.2f} + share of the question's words in the snippet × "
        f"{policy.relevance_weight:.2f} + date. A source is blocked when it scores {policy.minimum:.2f} or less. "
        "Own documents have no score. Click a column's head to sort."
    )


draw()
