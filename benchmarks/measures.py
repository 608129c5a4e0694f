"""What the benchmarks measure with: the area under the curve, and the errors of a threshold. Plain
numbers in, plain numbers out.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence


def auc(positive: Sequence[float], negative: Sequence[float]) -> float:
    """How often a positive scores higher than a negative, a tie counting half; 0.0-1.0. Raises
    ValueError where either is empty.
    """
    if not positive or not negative:
        raise ValueError("an area under the curve needs positives and negatives")
    below = sorted(negative)
    won = sum(bisect_left(below, score) + bisect_right(below, score) for score in positive)
    return won / (2 * len(positive) * len(negative))


def false_accepts(negative: Sequence[float], least: float) -> float:
    """The share of negatives that a threshold lets through, scores of `least` and more being
    accepted.
    """
    return sum(score >= least for score in negative) / (len(negative) or 1)


def false_rejects(positive: Sequence[float], least: float) -> float:
    """The share of positives that a threshold keeps out."""
    return sum(score < least for score in positive) / (len(positive) or 1)
