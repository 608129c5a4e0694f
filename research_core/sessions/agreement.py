"""Measure how far the model that judged a run agrees with the word-based judge.

The word-based judge is a pure function of the logged passages, so it is asked when somebody looks:
nothing is recorded and no network is needed. The result shows how often the two differ and where,
not which of them is right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from research_core.decisions.view import RunView, SourceView
from research_core.models import Summary
from research_core.pipeline.relevance import score_by_words
from research_core.policy import OFFLINE_MODEL
from research_core.text.words import clean_for_screen, strip_invisible

SCORES = (1, 2, 3, 4, 5)
#: Kappa in words, from each value on, as Landis and Koch (1977) name it.
STRENGTHS = (
    (0.81, "almost perfect"),
    (0.61, "substantial"),
    (0.41, "moderate"),
    (0.21, "fair"),
    (0.0, "slight"),
    (-1.0, "worse than chance"),
)
#: Fewer sources than these make kappa a guess, which is said beside it.
FEW_SOURCES = 10
#: Sources the two part on most that are listed.
MAX_LISTED = 5


@dataclass(frozen=True)
class ScorePair:
    """One source and its two scores, each 1-5."""

    url: str
    title: str
    by_model: int
    by_words: int

    @property
    def distance(self) -> int:
        return abs(self.by_model - self.by_words)


@dataclass(frozen=True)
class Agreement:
    """The agreement of two judges.

    exact, within_one, alike: shares of the n sources, 0.0-1.0, None without any; alike means both
    keep or both drop the source at the run's cutoff. kappa: quadratically weighted, -1.0 to 1.0,
    None if it says nothing. table[i][j]: sources with i + 1 by the model and j + 1 by words.
    parted: pairs with different scores, the largest difference first. unscored: sources the model
    gave no score. why: why there is nothing to compare, or no kappa; else "".
    """

    model: str
    n: int
    exact: float | None
    within_one: float | None
    alike: float | None
    kappa: float | None
    table: tuple[tuple[int, ...], ...]
    parted: tuple[ScorePair, ...]
    unscored: int = 0
    cutoff: int = 3
    why: str = ""


def measure_agreement(run: RunView) -> Agreement:
    """Compare the model that judged this run with the word-based judge."""
    model = run.settings.judging_model
    judged = []
    if model != OFFLINE_MODEL:
        judged = [source for _, source in sorted(run.sources.items()) if source.judgement]
    pairs = []
    for source in judged:
        pair = _pair_scores(run.asked, source)
        if pair is not None:
            pairs.append(pair)
    unscored = len(judged) - len(pairs)
    return compare_scores(pairs, run.mode.relevance_cutoff, model=model, unscored=unscored)


def _pair_scores(question: str, source: SourceView) -> ScorePair | None:
    judgement = source.judgement
    if judgement is None or not judgement.scored:
        return None
    summary = Summary(source.url, judgement.title, source.summary, source.passages)
    again = score_by_words(question, summary)
    return again and ScorePair(source.url, judgement.title, judgement.score, again[0])


def compare_scores(
    pairs: Sequence[ScorePair], cutoff: int = 3, *, model: str = "", unscored: int = 0
) -> Agreement:
    """Build the agreement of these pairs. cutoff: the lowest score of a kept source."""
    count = len(pairs)
    table = build_confusion_table(pairs)
    kappa = compute_weighted_kappa(table)
    exact = sum(not pair.distance for pair in pairs)
    within_one = sum(pair.distance <= 1 for pair in pairs)
    alike = sum((pair.by_model >= cutoff) == (pair.by_words >= cutoff) for pair in pairs)
    parted = [pair for pair in pairs if pair.distance]
    parted.sort(key=lambda pair: (-pair.distance, pair.url))
    return Agreement(
        model,
        count,
        exact / count if count else None,
        within_one / count if count else None,
        alike / count if count else None,
        kappa,
        table,
        tuple(parted),
        unscored,
        cutoff,
        _explain_no_kappa(model, count, unscored, kappa),
    )


def _explain_no_kappa(model: str, count: int, unscored: int, kappa: float | None) -> str:
    if model == OFFLINE_MODEL:
        return (
            "No model judged this run: its sources were judged without one, so there is no second"
            " judge to compare with."
        )
    if not count and unscored:
        if unscored == 1:
            return "The model did not score the only source it was asked about."
        return f"The model scored none of the {unscored:,} sources it was asked about."
    if not count:
        return "No source has been judged yet."
    if kappa is None:
        return (
            "Both judges gave every source one and the same score, of which kappa can say nothing."
        )
    return ""


def build_confusion_table(pairs: Sequence[ScorePair]) -> tuple[tuple[int, ...], ...]:
    """Count the sources by the model's score (row) and the score by words (column), 5 × 5."""
    counts = Counter((pair.by_model, pair.by_words) for pair in pairs)
    return tuple(tuple(counts[row, column] for column in SCORES) for row in SCORES)


def compute_weighted_kappa(table: Sequence[Sequence[int]]) -> float | None:
    """Return Cohen's kappa with quadratic weights, None if chance alone never disagrees.

    table: square counts in the order of the scores. 1.0 means equal, 0.0 as by chance, -1.0
    opposite.
    """
    row_sums = [sum(row) for row in table]
    column_sums = [sum(column) for column in zip(*table, strict=True)]
    observed = 0
    by_chance = 0
    for i, row in enumerate(table):
        for j, count in enumerate(row):
            observed += (i - j) ** 2 * count
            by_chance += (i - j) ** 2 * row_sums[i] * column_sums[j]
    if not by_chance:
        return None
    return 1 - sum(row_sums) * observed / by_chance


def describe_strength(kappa: float) -> str:
    """Describe kappa in words."""
    return next(word for least, word in STRENGTHS if round(kappa, 2) >= least)


# ---------------------------------------------------------------- in words


def summarize_agreement(found: Agreement) -> str:
    """Summarize the result in a few plain sentences, or say why there is none."""
    if not found.n or found.exact is None or found.within_one is None or found.alike is None:
        return found.why
    sources = "1 source" if found.n == 1 else f"{found.n} sources"
    parts = [
        f"{sources} judged by both: {found.exact:.0%} with the same score,",
        f"{found.within_one:.0%} within one; both keep or both drop {found.alike:.0%} (kept from"
        f" {found.cutoff}).",
    ]
    if found.kappa is None:
        parts.append(found.why)
    else:
        parts.append(f"Weighted kappa {found.kappa:.2f}, {describe_strength(found.kappa)}.")
        if found.n < FEW_SOURCES:
            parts.append("So few sources make kappa a guess.")
    if found.unscored:
        verb = "is" if found.unscored == 1 else "are"
        parts.append(f"{found.unscored} could not be scored by the model and {verb} left out.")
    return " ".join(part for part in parts if part)


def format_markdown(found: Agreement) -> str:
    """Format the agreement as Markdown: summary, table and the largest differences."""
    if not found.n:
        return found.why + "\n"
    lines = [
        summarize_agreement(found),
        "",
        "| model ↓ · words → | " + " | ".join(map(str, SCORES)) + " |",
        "|---|" + "--:|" * len(SCORES),
    ]
    for score, row in zip(SCORES, found.table, strict=True):
        lines.append(f"| {score} | " + " | ".join(map(str, row)) + " |")
    if found.parted:
        lines += ["", "They part most on:", ""]
    for pair in found.parted[:MAX_LISTED]:
        lines.append(
            f"- {pair.by_model} by the model, {pair.by_words} by words:"
            f" {clean_for_screen(pair.title)} <{strip_invisible(pair.url)}>"
        )
    return "\n".join(lines) + "\n"
