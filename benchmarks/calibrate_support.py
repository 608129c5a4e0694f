"""Fit what the measures of `text.support.features` are worth, on human labels: `python
benchmarks/calibrate_support.py [--write]`.

A logistic regression and boosted trees, half and half in log odds, on the shared halves of
AttributionBench and WiCE. The trees keep to the direction that each measure may count in. It prints
figures cross-validated by question, as a model that saw a question has learnt it, and how far they
move when the questions are dealt out in other ways. With --write it keeps the weights of a fit on
all rows in `research_core/text/support/weights.json`. It draws nothing at random.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.results import shared
from benchmarks.support import SETS, described, rows, text_of
from research_core.text.support.features import measure_support
from research_core.text.support.weights import MEASURE_SIGNS, WEIGHTS_FILE, compute_log_odds

DEALS, FOLDS, PENALTY, TREES, RATE, DEPTH, LEAF, RIDGE, BINS = 5, 5, 50.0, 150, 0.05, 3, 20, 1.0, 24
#: The share of the trees in the log odds.
BLEND = 0.65

Array = Any
Node = list[Any]


def fold(row: dict[str, Any], deal: int = 0) -> int:
    """The same for all rows of a question; each deal has other questions together."""
    asked = f"{row.get('question') or row['claim']}{deal or ''}"
    return int(hashlib.sha256(asked.encode()).hexdigest()[:8], 16) % FOLDS


def linear(x: Array, y: Array) -> tuple[Array, Array, Array]:
    """(means, scales, weights with the constant first) of a logistic regression with a ridge, by
    Newton's method.
    """
    means, scales = x.mean(0), x.std(0) + 1e-9
    z = np.hstack([np.ones((len(x), 1)), (x - means) / scales])
    ridge = np.full(z.shape[1], PENALTY)
    ridge[0] = 1e-6
    weights = np.zeros(z.shape[1])
    for _ in range(12):
        p = 1 / (1 + np.exp(-z @ weights))
        curve = (z * (p * (1 - p))[:, None]).T @ z + np.diag(ridge)
        weights += np.linalg.solve(curve, z.T @ (y - p) - ridge * weights)
    return means, scales, weights


def boosted(x: Array, y: Array) -> tuple[float, list[Node]]:
    """(start, trees): trees of log odds, each a leaf's value or [measure, limit, where at most,
    where above].
    """
    limits = [np.unique(np.quantile(column, np.linspace(0, 1, BINS + 1)[1:-1])) for column in x.T]
    binned = np.stack(
        [
            np.searchsorted(limit, column, side="left")
            for limit, column in zip(limits, x.T, strict=True)
        ]
    )
    start = float(np.log(y.mean() / (1 - y.mean())))
    score, trees = np.full(len(y), start), []
    for _ in range(TREES):
        p = 1 / (1 + np.exp(-score))
        step = np.zeros(len(y))
        tree = _grown(
            binned, limits, y - p, p * (1 - p), np.arange(len(y)), DEPTH, (-np.inf, np.inf), step
        )
        score += step
        trees.append(tree)
    return start, trees


def _grown(
    binned: Array,
    limits: Any,
    push: Array,
    curve: Array,
    held: Array,
    depth: int,
    bounds: Any,
    step: Array,
) -> Any:
    """The best tree of these rows within the bounds that the splits above set; it writes each row's
    value into `step`.
    """
    value = float(np.clip(push[held].sum() / (curve[held].sum() + RIDGE), *bounds))
    best = _split(binned, push, curve, held, bounds) if depth and len(held) >= 2 * LEAF else None
    if best is None:
        step[held] = RATE * value
        return round(RATE * value, 5)
    measure, place, below, above = best
    sign, middle = list(MEASURE_SIGNS.values())[measure], (below + above) / 2
    low, high = bounds
    left = (low, middle) if sign > 0 else (middle, high) if sign < 0 else bounds
    right = (middle, high) if sign > 0 else (low, middle) if sign < 0 else bounds
    goes = binned[measure, held] <= place
    return [
        measure,
        float(limits[measure][place]),
        _grown(binned, limits, push, curve, held[goes], depth - 1, left, step),
        _grown(binned, limits, push, curve, held[~goes], depth - 1, right, step),
    ]


def _split(
    binned: Array, push: Array, curve: Array, held: Array, bounds: Any
) -> tuple[int, int, float, float] | None:
    """(measure, bin, value below, value above) of the split that gains most, in the direction its
    measure may count in.
    """
    g, h = push[held], curve[held]
    whole = g.sum() ** 2 / (h.sum() + RIDGE)
    best, gained = None, 1e-6
    for measure, sign in enumerate(MEASURE_SIGNS.values()):
        bins = binned[measure, held]
        most = BINS + 1
        gs, hs, ns = (
            np.bincount(bins, weights, most).cumsum()[:-1] for weights in (g, h, np.ones(len(held)))
        )
        below = np.clip(gs / (hs + RIDGE), *bounds)
        above = np.clip((g.sum() - gs) / (h.sum() - hs + RIDGE), *bounds)
        gain = _worth(gs, hs, below) + _worth(g.sum() - gs, h.sum() - hs, above) - whole
        gain[(ns < LEAF) | (len(held) - ns < LEAF) | (sign * (above - below) < 0)] = -np.inf
        place = int(gain.argmax())
        if gain[place] > gained:
            best, gained = (measure, place, float(below[place]), float(above[place])), gain[place]
    return best


def _worth(push: Array, curve: Array, value: Array) -> Array:
    return 2 * push * value - (curve + RIDGE) * value**2


def fitted(x: Array, y: Array) -> dict[str, Any]:
    """The weights as the product keeps them."""
    means, scales, weights = linear(x, y)
    start, trees = boosted(x, y)
    lines = {
        name: [round(float(mean), 5), round(float(scale), 5), round(float(weight), 5)]
        for name, mean, scale, weight in zip(MEASURE_SIGNS, means, scales, weights[1:], strict=True)
    }
    return {
        "blend": BLEND,
        "constant": round(float(weights[0]), 5),
        "linear": lines,
        "start": round(start, 5),
        "trees": trees,
    }


def _unseen(every: Sequence[tuple[str, dict[str, Any]]], x: Array, y: Array, deal: int) -> Array:
    """The likelihood of each row by a model that saw nothing of its question."""
    folds = np.array([fold(row, deal) for _, row in every])
    scores = np.zeros(len(y))
    for each in range(FOLDS):
        model = fitted(x[folds != each], y[folds != each])
        scores[folds == each] = [compute_log_odds(row, model) for row in x[folds == each]]
    chances = 1 / (1 + np.exp(-scores))
    chances[[not text_of(row).strip() for _, row in every]] = 0.0
    return chances


def main(argv: Sequence[str]) -> None:
    every = [(name, row) for name in SETS for row in rows(shared("citation"), name, "share")]
    x = np.array([measure_support(row["claim"], text_of(row)) for _, row in every])
    y = np.array([row["label"] == "supported" for _, row in every], float)
    dealt = [_unseen(every, x, y, deal) for deal in range(DEALS)]
    chances = dealt[0]
    print(json.dumps(described(every, chances.tolist()), indent=2))
    for name in SETS:
        aucs = [described(every, each.tolist())[name]["auc"] for each in dealt]
        print(
            f"{name}: AUC over {DEALS} deals {np.mean(aucs):.4f}, from {min(aucs):.4f} to"
            f" {max(aucs):.4f}"
        )
    for least in (0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8):
        mine = y > 0
        print(
            f"{least}: accepted though unsupported {(chances[~mine] >= least).mean():.3f}, refused"
            f" {(chances[mine] < least).mean():.3f}"
        )
    if "--write" in argv:
        written = json.dumps(fitted(x, y), separators=(",", ":")) + "\n"
        WEIGHTS_FILE.write_text(written, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
