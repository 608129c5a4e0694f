"""Estimate what a run will take from past runs, and say how far such estimates were off.

Runs of the same mode count, and those with the same engines most. If only other modes were run,
their figures are scaled by what each mode allows, and marked so. The error of both methods is
measured by leaving out each run in turn. Nothing is called or stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from statistics import median
from typing import Any

from research_core import llm
from research_core.i18n import N_, _, format_number, gettext, join_list, join_sentences, ngettext
from research_core.journal import session_admin, store
from research_core.journal.store import SessionRow
from research_core.llm.prices import PRICES
from research_core.models import Principal
from research_core.modes import (
    MAX_EVIDENCE_TOKENS,
    MAX_EXHAUSTIVE_PARTS,
    MODES,
    ResearchMode,
)
from research_core.policy import LIBRARY_ENGINE, OFFLINE_MODEL, Caps, RunSettings, Tally
from research_core.sessions.spending import read_tallies
from research_core.wiring import LOCAL_USER, Resources

#: Sessions looked through for ones of a kind, and of those the newest that are read.
MAX_SCANNED, MAX_RUNS = 200, 20
#: The keys of the decisions of a run that a limit or the analyst cut short.
CUT_SHORT_KEYS = ("decide:stop", "decide:reach cap")
#: Model calls a run of the specified modes makes at most in the planned strategy, which benchmarks
#: hold, and what driving by the model adds to any mode.
MAX_CALLS = {"quick": 8, "standard": 14, "deep": 24}
#: Model calls of the exhaustive mode besides one for each source, one for each round of gaps and
#: those of the writer. Planning: plan, refined query and second judgement of unscored sources.
#: Checking: doubtful sentences.
PLANNING_CALLS, CHECKING_CALLS = 3, 5
AGENTIC_ROUNDS = 10
QUANTITIES = ("calls", "tokens", "seconds", "cost")
#: With fewer runs nothing is said of the error: one left out would be estimated from a single
#: other.
MIN_RUNS = 3
#: Pages are read side by side: by this power of their number the time grows
#: (`benchmarks/latency.py`: 2.7, 2.8 and 3.9 s).
SIDE_BY_SIDE = 0.25
#: How many times as long as the shortest past run the longest one may take where one figure is
#: given for all.
MAX_SPREAD = 2
#: What a run with quite other engines counts, where one with the same counts 1.
OTHER_ENGINES_WEIGHT = 0.25
#: The quantities whose error is stated, with the sentence about it.
ERROR_TEXTS = {
    "seconds": N_("Past estimates of time: off by {share} (median), {inside} of {count} in range."),
    "cost": N_("Past estimates of cost: off by {share} (median), {inside} of {count} in range."),
}
CAP_NAMES = {
    "calls": N_("model calls"),
    "tokens": N_("tokens"),
    "cost": N_("US dollars"),
    "seconds": N_("minutes"),
}


@dataclass(frozen=True)
class PastRun:
    """A finished run.

    took: by QUANTITIES (model calls, tokens, seconds, US dollars), None if unknown; sources: how
    many an exhaustive run was to read, None for the usual number.
    """

    mode: str
    engines: tuple[str, ...]
    took: Mapping[str, float | None]
    sources: int | None = None


@dataclass(frozen=True)
class EstimateRange:
    """The minimum, the median and the maximum of some runs."""

    low: float
    median: float
    high: float


@dataclass(frozen=True)
class EstimateError:
    """How far estimates were off, each run left out and estimated from the others.

    off: the median absolute error as a share of the actual value; inside: how many of the `of` runs
    lay between the estimated minimum and maximum.
    """

    off: float
    inside: int
    of: int


@dataclass(frozen=True)
class Estimate:
    """What a run will probably take.

    runs: number of past runs used; with 0 only the maximum calls and sources of the mode are known.
    calls: to the model; cost: US dollars, None if the price is unknown; scaled: from runs of other
    modes; errors: by quantity, only where enough runs exist to measure it; is_offline: rules on
    this machine answer instead of a model.
    """

    runs: int
    most_calls: int
    most_sources: int
    calls: EstimateRange | None = None
    tokens: EstimateRange | None = None
    seconds: EstimateRange | None = None
    cost: EstimateRange | None = None
    scaled: bool = False
    errors: Mapping[str, EstimateError] = field(default_factory=dict)
    is_offline: bool = False

    def find_caps_reached(self, caps: Caps) -> tuple[str, ...]:
        """Return the caps that the median run would reach: calls | tokens | cost | seconds."""
        names = ("calls", "tokens", "cost", "seconds")
        return tuple(name for name in names if _exceeds(getattr(self, name), getattr(caps, name)))


def _exceeds(taken: EstimateRange | None, cap: float | None) -> bool:
    return taken is not None and cap is not None and taken.median > cap


def estimate_run(
    resources: Resources, run: RunSettings, *, who: Principal = LOCAL_USER
) -> Estimate:
    """Estimate a run from the newest twenty finished ones of the same mode, else of other modes.

    Strategy, model and kind of engines must match. Forks inherit their calls, and the time of a
    resumed run is that of its last attempt, so neither counts; nor does a run that was cut short or
    found too little to write a report.
    """
    key = _get_comparison_key(run.to_json())

    def is_comparable(row: SessionRow) -> bool:
        return _get_comparison_key(row.settings) == key

    def is_alike(row: SessionRow) -> bool:
        return is_comparable(row) and row.settings.get("mode") == run.mode

    pasts = _list_past_runs(resources, who, is_alike)
    if not pasts:
        pasts = _list_past_runs(resources, who, is_comparable)
    is_free = all(llm.is_free(resources.settings, name) for name in run.models)
    return estimate_from_runs(run, pasts, is_free=is_free)


def _list_past_runs(
    resources: Resources, who: Principal, wanted: Callable[[SessionRow], bool]
) -> list[PastRun]:
    rows = _list_whole_runs(resources, who, wanted)
    tallies = read_tallies(resources, [row.id for row in rows], who=who)
    pasts = []
    for row in rows:
        tally = tallies.get(row.id)
        if tally is not None:
            engines = tuple(row.settings.get("engines", ()))
            mode, sources = str(row.settings["mode"]), row.settings.get("sources")
            pasts.append(PastRun(mode, engines, _list_quantities(tally), sources))
    return pasts


def _list_whole_runs(
    resources: Resources, who: Principal, wanted: Callable[[SessionRow], bool]
) -> list[SessionRow]:
    """Return the newest MAX_RUNS wanted runs that neither a limit nor the analyst cut short."""
    rows = list_latest_sessions(
        resources, who, lambda row: _is_complete(row) and wanted(row), MAX_SCANNED
    )
    ids = [row.id for row in rows]
    cut_short = session_admin.find_sessions_with(resources.db, who, ids, CUT_SHORT_KEYS)
    return [row for row in rows if row.id not in cut_short][:MAX_RUNS]


def list_latest_sessions(
    resources: Resources,
    who: Principal,
    wanted: Callable[[SessionRow], bool],
    most: int = MAX_RUNS,
) -> list[SessionRow]:
    """Return the newest wanted sessions of this user's latest MAX_SCANNED, at most so many."""
    rows = store.list_sessions(resources.db, who, limit=MAX_SCANNED)
    return [row for row in rows if wanted(row)][:most]


def _list_quantities(tally: Tally) -> dict[str, float | None]:
    return {
        "calls": tally.model_calls,
        "tokens": tally.tokens,
        "seconds": tally.seconds,
        "cost": tally.cost,
    }


def _is_complete(row: SessionRow) -> bool:
    return (
        row.outcome == "done"
        and row.decision != "insufficient_data"
        and row.parent is None
        and row.epoch == 1
        and row.settings.get("mode") in MODES
    )


def _get_comparison_key(settings: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what makes runs comparable besides their mode."""
    engines = settings.get("engines", ())
    places = (LIBRARY_ENGINE in engines, any(name != LIBRARY_ENGINE for name in engines))
    return settings.get("strategy", "planned"), settings.get("model"), *places


# -- from past runs ------------------------------------------------------------


def estimate_from_runs(
    run: RunSettings, pasts: Sequence[PastRun], *, is_free: bool = False
) -> Estimate:
    """Estimate a run from past runs of its mode or, without any, of other modes.

    is_free: its models are known to cost nothing.
    """
    mode = ResearchMode.from_name(run.mode, sources=run.sources)
    is_offline = run.models == {OFFLINE_MODEL}
    most = count_max_calls(mode)
    if run.strategy == "agentic":
        most += AGENTIC_ROUNDS
    same = [past for past in pasts if past.mode == run.mode]
    used = same or list(pasts)
    if not used:
        first = _estimate_first_cost(run, mode, is_free)
        return Estimate(0, most, mode.max_sources, cost=first, is_offline=is_offline)
    ranges = {
        name: estimate_quantity(name, run.mode, run.engines, used, run.sources)
        for name in QUANTITIES
    }
    calls = ranges["calls"]
    if calls and (not same or run.sources is not None):
        ranges["calls"] = EstimateRange(
            min(calls.low, most), min(calls.median, most), min(calls.high, most)
        )
    errors = {}
    for name in QUANTITIES:
        error = measure_error(name, used, scaled=not same)
        if error:
            errors[name] = error
    return Estimate(
        len(used),
        most,
        mode.max_sources,
        **ranges,
        scaled=not same,
        errors=errors,
        is_offline=is_offline,
    )


def _estimate_first_cost(
    run: RunSettings, mode: ResearchMode, is_free: bool
) -> EstimateRange | None:
    """Return the cost of a first run by list prices, None where one is not known."""
    if is_free:
        return EstimateRange(0, 0, 0)
    costs = estimate_price(run, mode)
    return EstimateRange(*costs) if costs and run.strategy == "planned" else None


def count_max_calls(mode: ResearchMode) -> int:
    """Return how many model calls a run of this mode makes at most in the planned strategy."""
    if mode.name in MAX_CALLS:
        return MAX_CALLS[mode.name]
    planning = PLANNING_CALLS + mode.gap_rounds
    # The writer is asked again for a text that cannot be used.
    return mode.max_sources + planning + 2 * mode.writing_calls + CHECKING_CALLS


def estimate_quantity(
    name: str,
    mode: str,
    engines: Sequence[str],
    pasts: Sequence[PastRun],
    sources: int | None = None,
) -> EstimateRange | None:
    """Return the range of one quantity, scaled to this mode; None if a run does not know it.

    sources: how many an exhaustive run is to read, None for the usual number.
    """
    wanted = ResearchMode.from_name(mode, sources=sources)
    values = []
    weights = []
    for past, taken in _select_known(name, pasts):
        of = ResearchMode.from_name(past.mode, sources=past.sources)
        values.append(taken * _scale_to_mode(name, of, wanted))
        weights.append(_weigh_engines(engines, past.engines))
    if not values or len(values) < len(pasts):
        return None
    median_value = _weighted_median(list(zip(values, weights, strict=True)))
    return EstimateRange(min(values), median_value, max(values))


def _select_known(name: str, pasts: Iterable[PastRun]) -> Iterator[tuple[PastRun, float]]:
    for past in pasts:
        taken = past.took.get(name)
        if taken is not None:
            yield past, taken


def _scale_to_mode(name: str, of: ResearchMode, to: ResearchMode) -> float:
    """Return the factor between two modes: by maximum calls for calls, else by sources read."""
    if of == to:
        return 1.0
    if name == "calls":
        return count_max_calls(to) / count_max_calls(of)
    sources = to.max_sources / of.max_sources
    return sources**SIDE_BY_SIDE if name == "seconds" else sources


def _weigh_engines(engines: Sequence[str], others: Sequence[str]) -> float:
    """Return a weight from OTHER_ENGINES_WEIGHT to 1.0 by the share of common engines."""
    both = set(engines) & set(others)
    either = set(engines) | set(others)
    share = len(both) / len(either) if either else 1.0
    return OTHER_ENGINES_WEIGHT + (1 - OTHER_ENGINES_WEIGHT) * share


def _weighted_median(values: Sequence[tuple[float, float]]) -> float:
    """Return the weighted median, the mean of two values if it falls between them."""
    ordered, below = sorted(values), 0.0
    half = sum(weight for _, weight in ordered) / 2
    for place, (value, weight) in enumerate(ordered):
        below += weight
        if abs(below - half) < 1e-9 and place + 1 < len(ordered):
            return (value + ordered[place + 1][0]) / 2
        if below > half:
            return value
    return ordered[-1][0]


def measure_error(name: str, pasts: Sequence[PastRun], *, scaled: bool) -> EstimateError | None:
    """Measure the error of estimates like this one, None if fewer than MIN_RUNS allow it.

    scaled: estimate each run from those of other modes.
    """
    errors = []
    inside = 0
    for number, (past, taken) in enumerate(_select_known(name, pasts)):
        if scaled:
            others = [other for other in pasts if other.mode != past.mode]
        else:
            others = [other for place, other in enumerate(pasts) if place != number]
        guess = estimate_quantity(name, past.mode, past.engines, others, past.sources)
        if guess is not None:
            errors.append(_compute_relative_error(guess.median, taken))
            inside += guess.low <= taken <= guess.high
    if len(errors) < MIN_RUNS:
        return None
    return EstimateError(median(errors), inside, len(errors))


def _compute_relative_error(guess: float, taken: float) -> float:
    """Return the absolute error as a share of the actual value; 0 guessed for 0 is no error."""
    if not taken:
        return float(guess != 0)
    return abs(guess - taken) / taken


# -- from list prices ----------------------------------------------------------
# The tokens of each kind of call were measured on the sample library (2026-11-26, a token of four
# characters) for the lower end; the upper end allows for longer pages, for thinking, and for all
# the evidence that a writer may be shown.

#: Tokens of a report by its length, at least and at most.
REPORT_TOKENS = {"brief": (300, 2_000), "": (600, 5_000), "long": (1_200, 9_000)}


@dataclass(frozen=True)
class ExpectedCalls:
    """Calls of one kind: how many, and the tokens of each, (lower, upper).

    by: the model that makes them, "writer", "judge" or "model".
    """

    by: str
    calls: tuple[int, int]
    input: tuple[int, int]
    output: tuple[int, int]


def estimate_price(run: RunSettings, mode: ResearchMode) -> tuple[float, float, float] | None:
    """Return the cost of a run in US dollars: low, middle, high. None if a price is not known."""
    names = {"model": run.model, "writer": run.writing_model, "judge": run.judging_model}
    low = high = 0.0
    for expected in _list_calls(run, mode):
        price = PRICES.get(names[expected.by].removeprefix("gemini:"))
        if price is None:
            return None
        costs = []
        for end in (0, 1):
            tokens = expected.input[end] * price.input + expected.output[end] * price.output
            costs.append(expected.calls[end] * tokens / 1_000_000)
        low += costs[0]
        high += costs[1]
    return low, sqrt(low * high), high


def _list_calls(run: RunSettings, mode: ResearchMode) -> Iterator[ExpectedCalls]:
    sources = mode.max_sources
    evidence = (min(MAX_EVIDENCE_TOKENS, 500 * sources), min(MAX_EVIDENCE_TOKENS, 3_000 * sources))
    report = REPORT_TOKENS[run.length]
    rounds = mode.gap_rounds if mode.hold_for_gaps else 1
    yield ExpectedCalls("model", (1, 1), (350, 600), (50, 1_000))
    yield ExpectedCalls("model", (1, 1), (1_100, 2_000), (15, 500))
    yield ExpectedCalls("model", (rounds - 1, rounds), (4_000, 8_000), (100, 1_000))
    yield ExpectedCalls("judge", (mode.min_sources_short_report, sources), (700, 1_500), (30, 300))
    yield ExpectedCalls("judge", (0, 5), (1_500, 4_000), (200, 1_000))
    yield ExpectedCalls("writer", (1, 1), evidence, report)
    if mode.writes_sections:
        yield ExpectedCalls("writer", (2, MAX_EXHAUSTIVE_PARTS), evidence, (500, 3_000))


# -- in words ------------------------------------------------------------------


def summarize_estimate(estimate: Estimate, caps: Caps) -> str:
    """Return what a run reads, takes and costs in one plain line."""
    most = estimate.most_sources
    if estimate.seconds is None:
        reads = ngettext("Reads up to {count} page.", "Reads up to {count} pages.", most)
        reads = reads.format(count=most)
    else:
        reads = ngettext(
            "Reads up to {count} page, about {time}.",
            "Reads up to {count} pages, about {time}.",
            most,
        ).format(count=most, time=_format_time(estimate.seconds))
    sentences = [reads, _describe_cost(estimate.cost)]
    beyond = [gettext(CAP_NAMES[name]) for name in estimate.find_caps_reached(caps)]
    if beyond:
        early = _("A limit will probably end it early: {limits}.")
        sentences.append(early.format(limits=join_list(beyond)))
    return join_sentences(sentences)


def _format_time(taken: EstimateRange) -> str:
    """Format the usual time or, if past runs differ much, the shortest and the longest one."""
    low, high = format_seconds(taken.low), format_seconds(taken.high)
    if taken.high <= MAX_SPREAD * taken.low or low == high:
        return format_seconds(taken.median)
    return _("{low} to {high}").format(low=low, high=high)


def format_seconds(seconds: float) -> str:
    """Format a time of a run: seconds, from a hundred on minutes."""
    if seconds < 100:
        return _("{seconds} s").format(seconds=max(1, round(seconds)))
    return _("{minutes} min").format(minutes=format_number(seconds / 60, ".0f"))


def _describe_cost(cost: EstimateRange | None) -> str:
    if cost is None:
        return _("Cost unknown.")
    if not cost.high:
        return _("Free.")
    if cost.high < 0.01:
        return _("Less than US$ 0.01.")
    about = _("About US$ {usual}, at most {most}.")
    return about.format(
        usual=format_number(max(0.01, cost.median), ".2f"), most=format_number(cost.high, ".2f")
    )


def format_estimate(estimate: Estimate, caps: Caps) -> str:
    """Describe the usual run with its range or, without past runs, the limits of the mode.

    It is one sentence or several, each with a full stop.
    """
    cost = format_cost(estimate.cost)
    if estimate.calls is None or estimate.seconds is None:
        calls = ngettext("{count} model call", "{count} model calls", estimate.most_calls)
        pages = ngettext("{count} page", "{count} pages", estimate.most_sources)
        most = [
            calls.format(count=estimate.most_calls),
            pages.format(count=estimate.most_sources),
        ]
        if estimate.is_offline:
            del most[0]
        limits = _("No run like this yet. At most: {limits}.").format(limits=join_list(most))
        return join_sentences([limits, _describe_cost(estimate.cost)])
    calls = ngettext("{count} model call", "{count} model calls", int(estimate.calls.high))
    seconds = _("{seconds} s").format(seconds=_format_range(estimate.seconds, ".1f"))
    usual = [calls.format(count=_format_range(estimate.calls, ".0f")), seconds, cost]
    if estimate.is_offline:
        del usual[0]
    if estimate.scaled:
        based = ngettext(
            "Usual: {usual} ({count} past run, of another mode, scaled to this one).",
            "Usual: {usual} ({count} past runs, of another mode, scaled to this one).",
            estimate.runs,
        )
    else:
        based = ngettext(
            "Usual: {usual} ({count} past run).",
            "Usual: {usual} ({count} past runs).",
            estimate.runs,
        )
    sentences = [
        based.format(usual=join_list(usual), count=estimate.runs),
        format_error(estimate),
    ]
    beyond = [gettext(CAP_NAMES[name]) for name in estimate.find_caps_reached(caps)]
    if beyond:
        early = _("A limit will probably end it early: {limits}.")
        sentences.append(early.format(limits=join_list(beyond)))
    return join_sentences(sentences)


def format_error(estimate: Estimate) -> str:
    """Say how far estimates like this one were off, or that there are too few runs to tell."""
    sentences = []
    for name, text in ERROR_TEXTS.items():
        error = estimate.errors.get(name)
        if error is None or (name == "cost" and not _has_cost(estimate)):
            continue
        sentences.append(
            gettext(text).format(
                share=format_number(error.off, ".0%"), inside=error.inside, count=error.of
            )
        )
    return join_sentences(sentences) or _("Too few runs to say how far off this may be.")


def _has_cost(estimate: Estimate) -> bool:
    return estimate.cost is not None and estimate.cost.high > 0


def format_cost(spent: EstimateRange | None) -> str:
    """Format a cost in US dollars; an unknown price is named, never shown as zero."""
    if spent is None:
        return _("cost unknown")
    return _("free") if not spent.high else f"US$ {_format_range(spent, '.4f')}"


def _format_range(of: EstimateRange, spec: str) -> str:
    """Format the median, and the ends of the range if they look different."""
    low, middle, high = (format_number(value, spec) for value in (of.low, of.median, of.high))
    if low == high:
        return middle
    return _("{usual} ({low} to {high})").format(usual=middle, low=low, high=high)
