"""Estimate what a run will cost from list prices, before any run like it has been made.

The tokens of each kind of call were measured on the sample library (2026-11-26, a token of four
characters) for the lower end; the upper end allows for longer pages, for thinking, and for all the
evidence that a writer may be shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt

from research_core.llm.prices import PRICES
from research_core.modes import ResearchMode
from research_core.policy import RunSettings

#: Tokens of passages that a writer is shown at most.
MAX_EVIDENCE = 60_000
#: Tokens of a report by its length, at least and at most.
REPORT_TOKENS = {"brief": (300, 2_000), "": (600, 5_000), "long": (1_200, 9_000)}
#: Sections of a report in sections, and what is written around them.
SECTIONS = 6


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
    evidence = (min(MAX_EVIDENCE, 500 * sources), min(MAX_EVIDENCE, 3_000 * sources))
    report = REPORT_TOKENS[run.length]
    rounds = mode.gap_rounds if mode.hold_for_gaps else 1
    yield ExpectedCalls("model", (1, 1), (350, 600), (50, 1_000))
    yield ExpectedCalls("model", (1, 1), (1_100, 2_000), (15, 500))
    yield ExpectedCalls("model", (rounds - 1, rounds), (4_000, 8_000), (100, 1_000))
    yield ExpectedCalls("judge", (mode.min_sources_short_report, sources), (700, 1_500), (30, 300))
    yield ExpectedCalls("judge", (0, 5), (1_500, 4_000), (200, 1_000))
    yield ExpectedCalls("writer", (1, 1), evidence, report)
    if mode.writes_sections:
        yield ExpectedCalls("writer", (2, SECTIONS), evidence, (500, 3_000))
