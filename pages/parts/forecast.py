"""What a run will probably take, in one line that says what it rests on."""

from __future__ import annotations

import streamlit as st

from research_core import history
from research_core.history import Estimate, Range
from research_core.models import Principal
from research_core.modes import MODES
from research_core.policy import Caps, RunSettings
from research_core.wiring import default_office

#: Of which of them the error is told.
MEASURED = {"seconds": "time", "cost": "cost"}
LIMITS = {"calls": "model calls", "tokens": "tokens", "cost": "US dollars", "seconds": "minutes"}


@st.cache_data(ttl=20, max_entries=100, show_spinner=False)
def of_each_mode(engines: tuple[str, ...], strategy: str, model: str, who: Principal) -> dict[str, Estimate]:
    """By mode, read from the sessions three times a minute at most: a slider that moves need not wait for it."""
    runs = {mode: RunSettings(mode=mode, strategy=strategy, model=model, engines=engines) for mode in MODES}
    return {mode: history.estimate(default_office(), run, who=who) for mode, run in runs.items()}


def words(estimate: Estimate, caps: Caps) -> str:
    """The usual run of those there were, with the least and the most; without any, the most this mode allows itself."""
    if estimate.calls is None or estimate.seconds is None:
        most = f"at most {estimate.most_calls} model calls and {estimate.most_sources} pages read"
        return f"No run like this yet: {most}, {cost(estimate.cost)}"
    calls = f"{_span(estimate.calls, '{:.0f}')} model call{'' if estimate.calls.high == 1 else 's'}"
    said = (calls, f"{_span(estimate.seconds, '{:.1f}')} s", cost(estimate.cost))
    kind = "in another mode, scaled to this one" if estimate.scaled else "like this"
    rests = f"{estimate.runs} {'run' if estimate.runs == 1 else 'runs'} {kind}"
    beyond = " and ".join(LIMITS[name] for name in estimate.beyond(caps))
    ends = f". The limit on {beyond} will probably end it early" if beyond else ""
    return f"About {', '.join(said)} (from {rests}). {error(estimate)}{ends}"


def error(estimate: Estimate) -> str:
    """How far estimates like this one were off, each past run left out in turn; that it cannot be said where there are too few."""
    told = {name: estimate.errors[name] for name in MEASURED if name in estimate.errors and (name != "cost" or _costs(estimate))}
    if not told:
        return "Too few runs to say how far off that is"
    off = " and ".join(f"{error.off:.0%} in {MEASURED[name]}".replace("%", " %") for name, error in told.items())
    inside = " and ".join(str(error.inside) for error in told.values())
    of = next(iter(told.values())).of
    return f"Past estimates were off by {off} (median of {of}; {inside} lay within the range)"


def _costs(estimate: Estimate) -> bool:
    return estimate.cost is not None and estimate.cost.high > 0


def typical(estimate: Estimate) -> str:
    """The time alone, for the choice of a mode."""
    if estimate.seconds is None:
        return ""
    return f" Typically {_time(estimate.seconds.median)}."


def cost(spent: Range | None) -> str:
    """In US dollars. A price that is not known is said to be so, never shown as nothing."""
    if spent is None:
        return "cost unknown"
    return "no cost" if not spent.high else f"US$ {_span(spent, '{:.4f}')}"


def _span(of: Range, form: str) -> str:
    """The median, and the ends where they differ from it in what is shown."""
    low, middle, high = (form.format(value) for value in (of.low, of.median, of.high))
    return middle if low == high else f"{middle} ({low} to {high})"


def _time(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
