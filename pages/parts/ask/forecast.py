"""Estimate time and cost of a run in each mode, cached between redraws."""

from __future__ import annotations

import streamlit as st

from research_core.models import Principal
from research_core.modes import MODES
from research_core.policy import RunSettings
from research_core.sessions.estimates import Estimate, estimate_run
from research_core.wiring import default_resources


@st.cache_data(ttl=20, max_entries=100, show_spinner=False)
def estimate_each_mode(
    engines: tuple[str, ...], strategy: str, model: str, who: Principal
) -> dict[str, Estimate]:
    """Return an estimate for each mode, read from the sessions at most three times a minute."""
    estimates = {}
    for mode in MODES:
        run = RunSettings(mode=mode, strategy=strategy, model=model, engines=engines)
        estimates[mode] = estimate_run(default_resources(), run, who=who)
    return estimates


def format_typical_time(estimate: Estimate) -> str:
    """Return the typical time of a run, for the choice of a mode."""
    if estimate.seconds is None:
        return ""
    return f" Typically {_format_time(estimate.seconds.median)}."


def _format_time(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.0f} min"
