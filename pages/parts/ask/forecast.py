"""What a run of each mode will probably take, as often as the screen asks; its words are the
core's.
"""

from __future__ import annotations

import streamlit as st

from research_core.models import Principal
from research_core.modes import MODES
from research_core.policy import RunSettings
from research_core.sessions import history
from research_core.sessions.estimates import Estimate
from research_core.wiring import default_resources


@st.cache_data(ttl=20, max_entries=100, show_spinner=False)
def estimate_each_mode(
    engines: tuple[str, ...], strategy: str, model: str, who: Principal
) -> dict[str, Estimate]:
    """By mode, read from the sessions three times a minute at most: a slider that moves need not
    wait for it.
    """
    runs = {
        mode: RunSettings(mode=mode, strategy=strategy, model=model, engines=engines)
        for mode in MODES
    }
    return {
        mode: history.estimate_run(default_resources(), run, who=who) for mode, run in runs.items()
    }


def format_typical_time(estimate: Estimate) -> str:
    """The time alone, for the choice of a mode."""
    if estimate.seconds is None:
        return ""
    return f" Typically {_format_time(estimate.seconds.median)}."


def _format_time(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
