"""Measure how far the model that judged a run agrees with the word-based judge.

The word-based judge is a pure function of the logged passages, so it is asked when somebody looks:
nothing is recorded and no network is needed. The result shows how often the two differ and where,
not which of them is right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from research_core.decisions.view import RunView, SourceView
from research_core.llm.offline_judge import judge_source
from research_core.models import Summary
from research_core.pipeline.relevance import build_scoring_request, parse_score
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
    def apart(self) -> int:
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
    judged = (
        [source for _, source in sorted(run.sources.items()) if source.judgement]
        if run.settings.model != OFFLINE_MODEL
        else []
    )
    pairs = [pair for source in judged if (pair := _score_by_words(run.asked, source)) is not None]
    return compare_scores(
        pairs,
        run.mode.relevance_cutoff,
        model=run.settings.model,
        unscored=len(judged) - len(pairs),
    )


def _score_by_words(question: str, source: SourceView) -> ScorePair | None:
    judgement = source.judgement
    if judgement is None or not judgement.scored:
        return None
    summary = Summary(source.url, judgement.title, source.summary, source.passages)
    again = parse_score(judge_source(build_scoring_request(question, summary).inputs))
    return again and ScorePair(source.url, judgement.title, judgement.score, again[0])


def compare_scores(
    pairs: Sequence[ScorePair], cutoff: int = 3, *, model: str = "", unscored: int = 0
) -> Agreement:
    """Build the agreement of these pairs. cutoff: the lowest score of a kept source."""
    count, table = len(pairs), build_confusion_table(pairs)
    kappa = compute_weighted_kappa(table)

    def share(those: int) -> float | None:
        return those / count if count else None

    return Agreement(
        model, count,
        share(sum(not pair.apart for pair in pairs)),
        share(sum(pair.apart <= 1 for pair in pairs)),
        share(sum((pair.by_model >= cutoff) == (pair.by_words >= cutoff) for pair in pairs)),
        kappa, table,
        tuple(sorted((pair for pair in pairs if pair.apart), key=lambda pair: (-pair.apart, pair.url))),
        unscored, cutoff, _explain_no_kappa(model, count, unscored, kappa),
    )  # fmt: skip


def _explain_no_kappa(model: str, count: int, unscored: int, kappa: float | None) -> str:
    if model == OFFLINE_MODEL:
        return (
            "No model judged this run: its sources were judged without one, so there is no second"
            " judge to compare with."
        )
    if not count:
        return (
            f"The model scored none of the {unscored} sources it was asked about."
            if unscored
            else "No source has been judged yet."
        )
    return (
        "Both judges gave every source one and the same score, of which kappa can say nothing."
        if kappa is None
        else ""
    )


def build_confusion_table(pairs: Sequence[ScorePair]) -> tuple[tuple[int, ...], ...]:
    """Count the sources by the model's score (row) and the score by words (column), 5 × 5."""
    return tuple(
        tuple(
            sum((pair.by_model, pair.by_words) == (row, column) for pair in pairs)
            for column in SCORES
        )
        for row in SCORES
    )


def compute_weighted_kappa(table: Sequence[Sequence[int]]) -> float | None:
    """Return Cohen's kappa with quadratic weights, None if chance alone never disagrees.

    table: square counts in the order of the scores. 1.0 means equal, 0.0 as by chance, -1.0
    opposite.
    """
    rows, columns = (
        [sum(row) for row in table],
        [sum(column) for column in zip(*table, strict=True)],
    )
    places = [(i, j) for i in range(len(rows)) for j in range(len(columns))]
    observed = sum((i - j) ** 2 * table[i][j] for i, j in places)
    by_chance = sum((i - j) ** 2 * rows[i] * columns[j] for i, j in places)
    return 1 - sum(rows) * observed / by_chance if by_chance else None


def describe_strength(kappa: float) -> str:
    """Describe kappa in words."""
    return next(word for least, word in STRENGTHS if round(kappa, 2) >= least)


# ---------------------------------------------------------------- in words


def summarize_agreement(found: Agreement) -> str:
    """Summarize the result in a few plain sentences, or say why there is none."""
    if not found.n or found.exact is None or found.within_one is None or found.alike is None:
        return found.why
    said = [
        (
            f"{found.n} source{'' if found.n == 1 else 's'} judged by both: {found.exact:.0%} with"
            " the same score,"
        ),
        (
            f"{found.within_one:.0%} within one; both keep or both drop {found.alike:.0%} (kept"
            f" from {found.cutoff})."
        ),
        (
            f"Weighted kappa {found.kappa:.2f}, {describe_strength(found.kappa)}."
            if found.kappa is not None
            else found.why
        ),
        "So few sources make kappa a guess."
        if found.kappa is not None and found.n < FEW_SOURCES
        else "",
        (
            f"{found.unscored} could not be scored by the model and"
            f" {'is' if found.unscored == 1 else 'are'} left out."
            if found.unscored
            else ""
        ),
    ]
    return " ".join(filter(None, said))


def format_markdown(found: Agreement) -> str:
    """Format the agreement as Markdown: summary, table and the largest differences."""
    if not found.n:
        return found.why + "\n"
    head = [
        "| model ↓ · words → | " + " | ".join(map(str, SCORES)) + " |",
        "|---|" + "--:|" * len(SCORES),
    ]
    rows = [
        f"| {score} | " + " | ".join(map(str, row)) + " |"
        for score, row in zip(SCORES, found.table, strict=True)
    ]
    parted = [
        f"- {pair.by_model} by the model, {pair.by_words} by words: {clean_for_screen(pair.title)}"
        f" <{strip_invisible(pair.url)}>"
        for pair in found.parted[:MAX_LISTED]
    ]
    most = ["", "They part most on:", "", *parted] if parted else []
    return "\n".join([summarize_agreement(found), "", *head, *rows, *most]) + "\n"
