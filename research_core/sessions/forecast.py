"""Format the estimate of a run and its error, for the screen and the command line."""

from __future__ import annotations

from research_core.policy import Caps
from research_core.sessions.estimates import Estimate, EstimateRange

#: Of which of them the error is told.
ERROR_NAMES = {"seconds": "time", "cost": "cost"}
CAP_NAMES = {"calls": "model calls", "tokens": "tokens", "cost": "US dollars", "seconds": "minutes"}


def format_estimate(estimate: Estimate, caps: Caps) -> str:
    """Describe the usual run with its range or, without past runs, the limits of the mode."""
    if estimate.calls is None or estimate.seconds is None:
        most = f"at most {estimate.most_calls} model calls and {estimate.most_sources} pages read"
        return f"No run like this yet: {most}, {format_cost(estimate.cost)}"
    calls = f"{_format_range(estimate.calls, '{:.0f}')} model call{'' if estimate.calls.high == 1 else 's'}"
    said = (calls, f"{_format_range(estimate.seconds, '{:.1f}')} s", format_cost(estimate.cost))
    kind = "in another mode, scaled to this one" if estimate.scaled else "like this"
    rests = f"{estimate.runs} {'run' if estimate.runs == 1 else 'runs'} {kind}"
    beyond = " and ".join(CAP_NAMES[name] for name in estimate.beyond(caps))
    ends = f". The limit on {beyond} will probably end it early" if beyond else ""
    return f"About {', '.join(said)} (from {rests}). {format_error(estimate)}{ends}"


def format_error(estimate: Estimate) -> str:
    """Say how far estimates like this one were off, or that there are too few runs to tell."""
    told = {
        name: estimate.errors[name]
        for name in ERROR_NAMES
        if name in estimate.errors and (name != "cost" or _has_cost(estimate))
    }
    if not told:
        return "Too few runs to say how far off that is"
    off = " and ".join(
        f"{error.off:.0%} in {ERROR_NAMES[name]}".replace("%", " %") for name, error in told.items()
    )
    inside = " and ".join(str(error.inside) for error in told.values())
    of = next(iter(told.values())).of
    return f"Past estimates were off by {off} (median of {of}; {inside} lay within the range)"


def _has_cost(estimate: Estimate) -> bool:
    return estimate.cost is not None and estimate.cost.high > 0


def format_cost(spent: EstimateRange | None) -> str:
    """Format a cost in US dollars; an unknown price is named, never shown as zero."""
    if spent is None:
        return "cost unknown"
    return "no cost" if not spent.high else f"US$ {_format_range(spent, '{:.4f}')}"


def _format_range(of: EstimateRange, form: str) -> str:
    """Format the median, and the ends of the range if they look different."""
    low, middle, high = (form.format(value) for value in (of.low, of.median, of.high))
    return middle if low == high else f"{middle} ({low} to {high})"
