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
    calls = _format_range(estimate.calls, "{:.0f}")
    noun = "model call" if estimate.calls.high == 1 else "model calls"
    seconds = _format_range(estimate.seconds, "{:.1f}")
    usual = f"{calls} {noun}, {seconds} s, {format_cost(estimate.cost)}"
    runs = "1 run" if estimate.runs == 1 else f"{estimate.runs} runs"
    kind = "in another mode, scaled to this one" if estimate.scaled else "like this"
    text = f"About {usual} (from {runs} {kind}). {format_error(estimate)}"
    beyond = " and ".join(CAP_NAMES[name] for name in estimate.beyond(caps))
    if beyond:
        text += f". The limit on {beyond} will probably end it early"
    return text


def format_error(estimate: Estimate) -> str:
    """Say how far estimates like this one were off, or that there are too few runs to tell."""
    off = []
    inside = []
    of = 0
    for name, label in ERROR_NAMES.items():
        error = estimate.errors.get(name)
        if error is None or (name == "cost" and not _has_cost(estimate)):
            continue
        share = f"{error.off:.0%}".replace("%", " %")
        off.append(f"{share} in {label}")
        inside.append(str(error.inside))
        of = of or error.of
    if not off:
        return "Too few runs to say how far off that is"
    return (
        f"Past estimates were off by {' and '.join(off)} (median of {of};"
        f" {' and '.join(inside)} lay within the range)"
    )


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
