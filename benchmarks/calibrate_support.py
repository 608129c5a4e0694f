"""Fit the weights of the measures of `research_core/text/support/features.py`, on human labels.

    python benchmarks/calibrate_support.py [--write]

Data: the shared halves of AttributionBench and WiCE (`citation` in the shared data). The model is a
logistic regression and boosted trees, blended in log odds; the trees keep to the direction in which
each measure may count. Prints figures cross-validated by question, because a model that saw a
question has learnt it; how far they move when the questions are dealt out in other ways; and the
errors by threshold. --write stores the weights of a fit on all rows in
`research_core/text/support/weights.json`. Nothing is random.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import support
from benchmarks.inputs import find_shared_folder, make_parser
from benchmarks.support import (
    CITATIONS,
    SETS,
    describe_scores,
    join_evidence,
    read_sets,
    time_report,
)
from research_core.text.support.features import measure_support
from research_core.text.support.weights import MEASURE_SIGNS, WEIGHTS_FILE, compute_log_odds

#: Ways in which the questions are dealt out to the folds.
DEALS = 5
FOLDS = 5
#: Ridge of the logistic regression, for all rows together, and its steps of Newton's method.
LINEAR_RIDGE = 50.0
NEWTON_STEPS = 12
#: The trees: how many, the factor of each, splits from root to leaf, rows in a leaf at least, ridge
#: of a leaf's value, and bins of a measure.
TREES = 150
LEARNING_RATE = 0.05
DEPTH = 3
MIN_LEAF_ROWS = 20
LEAF_RIDGE = 1.0
BINS = 24
#: The share of the trees in the log odds; the rest is the logistic regression's.
TREE_SHARE = 0.65
PRINTED_THRESHOLDS = (0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8)

Array = Any
#: The value of a leaf, or [measure, limit, tree where at most, tree where above].
Tree = Any
NamedRow = tuple[str, dict[str, Any]]


def choose_fold(row: dict[str, Any], deal: int = 0) -> int:
    """Return the fold of a row, the same for all rows of a question; each deal groups others."""
    question = f"{row.get('question') or row['claim']}{deal or ''}"
    return int(hashlib.sha256(question.encode()).hexdigest()[:8], 16) % FOLDS


def fit_linear(x: Array, y: Array) -> tuple[Array, Array, Array]:
    """Return (means, scales, weights with the constant first) of a ridge logistic regression."""
    means = x.mean(0)
    scales = x.std(0) + 1e-9
    columns = np.hstack([np.ones((len(x), 1)), (x - means) / scales])
    ridge = np.full(columns.shape[1], LINEAR_RIDGE)
    ridge[0] = 1e-6
    weights = np.zeros(columns.shape[1])
    for _ in range(NEWTON_STEPS):
        chances = 1 / (1 + np.exp(-columns @ weights))
        curvature = (columns * (chances * (1 - chances))[:, None]).T @ columns + np.diag(ridge)
        weights += np.linalg.solve(curvature, columns.T @ (y - chances) - ridge * weights)
    return means, scales, weights


# -- boosted trees ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class TreeData:
    """What one tree is grown from.

    bins: by measure, the bin of each row. limits: by measure, the upper ends of its bins. gradient,
    curvature: of the likelihood, by row. step: the value that the tree gives each row, filled in
    while it grows.
    """

    bins: Array
    limits: Sequence[Array]
    gradient: Array
    curvature: Array
    step: Array


class Split(NamedTuple):
    """A place to split at: a measure, its bin, and the values of the two sides."""

    measure: int
    bin: int
    below: float
    above: float


def fit_trees(x: Array, y: Array) -> tuple[float, list[Tree]]:
    """Return (start, trees) in log odds."""
    shares = np.linspace(0, 1, BINS + 1)[1:-1]
    limits = [np.unique(np.quantile(column, shares)) for column in x.T]
    bins = []
    for limit, column in zip(limits, x.T, strict=True):
        bins.append(np.searchsorted(limit, column, side="left"))
    start = float(np.log(y.mean() / (1 - y.mean())))
    score = np.full(len(y), start)
    trees = []
    for _ in range(TREES):
        chances = 1 / (1 + np.exp(-score))
        step = np.zeros(len(y))
        data = TreeData(np.stack(bins), limits, y - chances, chances * (1 - chances), step)
        trees.append(_grow_tree(data, np.arange(len(y)), DEPTH, (-np.inf, np.inf)))
        score += step
    return start, trees


def _grow_tree(data: TreeData, rows: Array, depth: int, bounds: tuple[float, float]) -> Tree:
    """Return the best tree for these rows, its values within the bounds of the splits above."""
    gradient = data.gradient[rows].sum()
    curvature = data.curvature[rows].sum()
    value = float(np.clip(gradient / (curvature + LEAF_RIDGE), *bounds))
    split = None
    if depth and len(rows) >= 2 * MIN_LEAF_ROWS:
        split = _find_split(data, rows, bounds)
    if split is None:
        data.step[rows] = LEARNING_RATE * value
        return _round_value(LEARNING_RATE * value)
    sign = list(MEASURE_SIGNS.values())[split.measure]
    middle = (split.below + split.above) / 2
    low, high = bounds
    left = right = bounds
    if sign > 0:
        left, right = (low, middle), (middle, high)
    elif sign < 0:
        left, right = (middle, high), (low, middle)
    is_below = data.bins[split.measure, rows] <= split.bin
    return [
        split.measure,
        float(data.limits[split.measure][split.bin]),
        _grow_tree(data, rows[is_below], depth - 1, left),
        _grow_tree(data, rows[~is_below], depth - 1, right),
    ]


def _find_split(data: TreeData, rows: Array, bounds: tuple[float, float]) -> Split | None:
    """Return the split that gains most and goes in the direction its measure may count in."""
    gradients = data.gradient[rows]
    curvatures = data.curvature[rows]
    all_gradient = gradients.sum()
    all_curvature = curvatures.sum()
    unsplit = all_gradient**2 / (all_curvature + LEAF_RIDGE)
    best = None
    best_gain = 1e-6
    for measure, sign in enumerate(MEASURE_SIGNS.values()):
        bins = data.bins[measure, rows]
        g = np.bincount(bins, gradients, BINS + 1).cumsum()[:-1]
        h = np.bincount(bins, curvatures, BINS + 1).cumsum()[:-1]
        counts = np.bincount(bins, np.ones(len(rows)), BINS + 1).cumsum()[:-1]
        below = np.clip(g / (h + LEAF_RIDGE), *bounds)
        above = np.clip((all_gradient - g) / (all_curvature - h + LEAF_RIDGE), *bounds)
        gain = _measure_gain(g, h, below)
        gain = gain + _measure_gain(all_gradient - g, all_curvature - h, above) - unsplit
        too_small = (counts < MIN_LEAF_ROWS) | (len(rows) - counts < MIN_LEAF_ROWS)
        gain[too_small | (sign * (above - below) < 0)] = -np.inf
        bin = int(gain.argmax())
        if gain[bin] > best_gain:
            best = Split(measure, bin, float(below[bin]), float(above[bin]))
            best_gain = gain[bin]
    return best


def _measure_gain(gradient: Array, curvature: Array, value: Array) -> Array:
    return 2 * gradient * value - (curvature + LEAF_RIDGE) * value**2


# -- the whole model -------------------------------------------------------------------------------


def fit(x: Array, y: Array) -> dict[str, Any]:
    """Return the weights as the product stores them."""
    means, scales, weights = fit_linear(x, y)
    start, trees = fit_trees(x, y)
    linear = {}
    for name, *numbers in zip(MEASURE_SIGNS, means, scales, weights[1:], strict=True):
        linear[name] = [_round_value(number) for number in numbers]
    return {
        "blend": TREE_SHARE,
        "constant": _round_value(weights[0]),
        "linear": linear,
        "start": _round_value(start),
        "trees": trees,
    }


def _round_value(value: float) -> float:
    return round(float(value), 5)


def predict_unseen(rows: Sequence[NamedRow], x: Array, y: Array, deal: int) -> Array:
    """Return the likelihood of each row by a model that saw nothing of its question."""
    folds = np.array([choose_fold(row, deal) for _, row in rows])
    log_odds = np.zeros(len(y))
    for fold in range(FOLDS):
        is_unseen = folds == fold
        weights = fit(x[~is_unseen], y[~is_unseen])
        log_odds[is_unseen] = [compute_log_odds(measures, weights) for measures in x[is_unseen]]
    chances = 1 / (1 + np.exp(-log_odds))
    is_empty = [not join_evidence(row).strip() for _, row in rows]
    chances[is_empty] = 0.0
    return chances


def measure(data: Path, split: str) -> dict[str, Any]:
    """Return the figures of `support.measure`, those of the shared half cross-validated.

    data: a folder laid out like the shared data.
    """
    if split != "share":
        return support.measure(data, split)
    rows = read_sets(data / "citation", split)
    seconds = time_report([row for _, row in rows])
    chances = predict_unseen(rows, *_measure_rows(rows), 0)
    return {**describe_scores(rows, chances.tolist()), f"{CITATIONS} citations, s": seconds}


def _measure_rows(rows: Sequence[NamedRow]) -> tuple[Array, Array]:
    """Return the measures of each row, and 1.0 for each that is supported."""
    x = np.array([measure_support(row["claim"], join_evidence(row)) for _, row in rows])
    y = np.array([row["label"] == "supported" for _, row in rows], float)
    return x, y


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--write", action="store_true", help="store the weights")
    options = parser.parse_args()
    rows = read_sets(find_shared_folder("citation"), "share")
    x, y = _measure_rows(rows)
    chances_by_deal = [predict_unseen(rows, x, y, deal) for deal in range(DEALS)]
    described = [describe_scores(rows, chances.tolist()) for chances in chances_by_deal]
    print(json.dumps(described[0], indent=2))
    for name in SETS:
        areas = [figures[name]["auc"] for figures in described]
        print(
            f"{name}: AUC over {DEALS} deals {np.mean(areas):.4f}, from {min(areas):.4f} to"
            f" {max(areas):.4f}"
        )
    chances = chances_by_deal[0]
    is_supported = y > 0
    for threshold in PRINTED_THRESHOLDS:
        accepted = (chances[~is_supported] >= threshold).mean()
        refused = (chances[is_supported] < threshold).mean()
        print(f"{threshold}: accepted though unsupported {accepted:.3f}, refused {refused:.3f}")
    if options.write:
        text = json.dumps(fit(x, y), separators=(",", ":"))
        WEIGHTS_FILE.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
