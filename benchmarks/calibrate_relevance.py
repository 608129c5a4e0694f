"""Fit the weights of the signs of `research_core/text/topic_match.py`.

    python benchmarks/calibrate_relevance.py [--write]

Data: the shared halves of the four sets in `relevance` of the shared data, each set weighing the
same. Two logistic regressions: one by words alone, one by words and meaning (the embedding model,
some minutes). Prints figures cross-validated by question. --write stores in `topic_match.json` the
weights of a fit on all rows and the chances from which 2, 3, 4 and 5 are given. Nothing is random.
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

from benchmarks.inputs import find_shared_folder, make_parser
from benchmarks.measures import auc
from benchmarks.relevance import GOOD_GRADES, measure_passage, read_rows
from research_core.text import embeddings
from research_core.text.topic_match import WEIGHTS_FILE

FOLDS = 5
#: Strength of the ridge, for all rows together.
RIDGE = 10.0
NEWTON_STEPS = 15
WORD_SIGNS = ("close", "length", "rarest", "answer", "about")
SIGNS = {"words": WORD_SIGNS, "meaning": (*WORD_SIGNS, "sentence", "passage")}
#: A score of 2 misses at most this share of the good texts.
MISSED_SHARE = 0.05
#: Scores of 3, 4 and 5 go to at most these shares of the other texts.
WRONG_SHARES = (0.25, 0.10, 0.03)

Array = Any


def choose_fold(question: str) -> int:
    """Return the fold of a question, the same for all its texts in whichever set."""
    return int(hashlib.sha256(question.encode()).hexdigest()[:8], 16) % FOLDS


def balance_groups(groups: Array) -> Array:
    """Return a weight for each row so that all groups weigh the same; the mean weight is 1."""
    _, place, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    weights = 1 / sizes[place]
    return weights / weights.mean()


def fit(x: Array, good: Array, row_weights: Array, names: Sequence[str]) -> dict[str, Any]:
    """Return {"constant", "weights"} of a ridge logistic regression on standardised signs.

    Fitted by Newton's method; the weights are those of the signs as they are.
    """
    means = np.average(x, axis=0, weights=row_weights)
    scales = x.std(0) + 1e-9
    columns = np.hstack([np.ones((len(x), 1)), (x - means) / scales])
    ridge = np.diag([1e-6, *[RIDGE] * x.shape[1]])
    slopes = np.zeros(columns.shape[1])
    for _ in range(NEWTON_STEPS):
        chances = 1 / (1 + np.exp(-columns @ slopes))
        curvature = (columns * (row_weights * chances * (1 - chances))[:, None]).T @ columns + ridge
        gradient = columns.T @ (row_weights * (good - chances)) - ridge @ slopes
        slopes += np.linalg.solve(curvature, gradient)
    weights = slopes[1:] / scales
    return {
        "constant": round(float(slopes[0] - weights @ means), 5),
        "weights": {name: round(float(one), 5) for name, one in zip(names, weights, strict=True)},
    }


def choose_limits(chances: Array, good: Array, row_weights: Array) -> list[float]:
    """Return the chances from which 2, 3, 4 and 5 are given."""
    limits = []
    for share in WRONG_SHARES:
        limits.append(_find_quantile(chances[~good], row_weights[~good], 1 - share))
    lowest = _find_quantile(chances[good], row_weights[good], MISSED_SHARE)
    limits.insert(0, min(lowest, limits[0]))
    return [round(limit, 3) for limit in limits]


def _find_quantile(values: Array, row_weights: Array, share: float) -> float:
    order = np.argsort(values, kind="stable")
    place = np.searchsorted(row_weights[order].cumsum(), share * row_weights.sum())
    return float(values[order][place])


def predict_unseen(
    x: Array, good: Array, row_weights: Array, folds: Array, names: Sequence[str]
) -> Array:
    """Return the chance of each row by a fit on the questions of the other folds."""
    log_odds = np.zeros(len(good))
    for fold in range(FOLDS):
        others = folds != fold
        fitted = fit(x[others], good[others], row_weights[others], names)
        weights = np.array(list(fitted["weights"].values()))
        log_odds[~others] = fitted["constant"] + x[~others] @ weights
    return 1 / (1 + np.exp(-log_odds))


def calibrate(kind: str, x: Array, good: Array, sets: Array, folds: Array) -> dict[str, Any]:
    """Return the weights of a kind as the product stores them; print cross-validated figures."""
    names = SIGNS[kind]
    row_weights = balance_groups(sets)
    chances = predict_unseen(x, good, row_weights, folds, names)
    limits = choose_limits(chances, good, balance_groups(np.char.add(sets, good.astype(str))))
    areas = {}
    for name in GOOD_GRADES:
        best = chances[(sets == name) & good].tolist()
        others = chances[(sets == name) & ~good].tolist()
        areas[name] = round(auc(best, others), 4)
    print(f"{kind}, cross-validated by question:", json.dumps(areas))
    for score, limit in enumerate(limits, 2):
        shares = {}
        for name in GOOD_GRADES:
            best = chances[(sets == name) & good]
            others = chances[(sets == name) & ~good]
            shares[name] = (_measure_share(best, limit), _measure_share(others, limit))
        print(f"  {score} from {limit} (good, others):", shares)
    return {**fit(x, good, row_weights, names), "least": limits}


def _measure_share(chances: Array, limit: float) -> float:
    return round(float((chances >= limit).mean()), 3)


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--write", action="store_true", help="store the weights")
    options = parser.parse_args()
    folder = find_shared_folder("relevance")
    rows = []
    for name in GOOD_GRADES:
        rows += [row for row in read_rows(folder, name) if row["split"] == "share"]
    sets = np.array([row["set"] for row in rows])
    good = np.array([row["grade"] >= GOOD_GRADES[row["set"]] for row in rows])
    folds = np.array([choose_fold(row["question"]) for row in rows])
    embedder = embeddings.find_embedder()
    weights: dict[str, Any] = {}
    if WEIGHTS_FILE.exists():
        weights = json.loads(WEIGHTS_FILE.read_text(encoding="utf-8"))
    for kind, model in (("words", None), ("meaning", embedder)):
        if model and model.why:
            print(f"Nothing is fitted by meaning. {model.why}")
            continue
        signs = [measure_passage(row["question"], row["text"], model) for row in rows]
        x = np.array([[one[name] for name in SIGNS[kind]] for one in signs])
        weights[kind] = calibrate(kind, x, good, sets, folds)
        print(" ", json.dumps(weights[kind]))
    if options.write:
        WEIGHTS_FILE.write_text(json.dumps(weights, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
