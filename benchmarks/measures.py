"""Measures of rankings and thresholds: numbers in, numbers out."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

import numpy as np


def auc(positive: Sequence[float], negative: Sequence[float]) -> float:
    """Return how often a positive scores higher than a negative, a tie counting half: 0.0-1.0.

    Raises ValueError if either is empty.
    """
    if not positive or not negative:
        raise ValueError("an area under the curve needs positives and negatives")
    ascending = sorted(negative)
    half_wins = 0
    for score in positive:
        half_wins += bisect_left(ascending, score) + bisect_right(ascending, score)
    return half_wins / (2 * len(positive) * len(negative))


def measure_false_accepts(negative: Sequence[float], threshold: float) -> float:
    """Return the share of negatives that score the threshold or more."""
    accepted = sum(score >= threshold for score in negative)
    return accepted / (len(negative) or 1)


def measure_false_rejects(positive: Sequence[float], threshold: float) -> float:
    """Return the share of positives that score less than the threshold."""
    rejected = sum(score < threshold for score in positive)
    return rejected / (len(positive) or 1)


def measure_ndcg(gains: Sequence[float], depth: int = 10) -> float | None:
    """Return the nDCG of grades in the order of a ranking, or None if all grades are 0."""
    worth = 2.0 ** np.asarray(gains, float) - 1
    discounts = 1 / np.log2(np.arange(2, len(worth) + 2))
    ideal = float((np.sort(worth)[::-1] * discounts)[:depth].sum())
    if ideal == 0:
        return None
    return float((worth * discounts)[:depth].sum()) / ideal


def measure_rank_correlation(one: Sequence[float], other: Sequence[float]) -> float:
    """Return Spearman's rho of two lists of equal length; neither may be constant."""
    return float(np.corrcoef(_rank(one), _rank(other))[0, 1])


def _rank(values: Sequence[float]) -> list[float]:
    """Return the rank of each value from 1, the mean rank for values that are equal."""
    ascending = sorted(values)
    ranks = []
    for value in values:
        first = bisect_left(ascending, value) + 1
        last = bisect_right(ascending, value)
        ranks.append((first + last) / 2)
    return ranks
