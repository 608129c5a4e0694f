"""Fit what the signs of `research_core/text/topic_match.py` are worth: `python
benchmarks/calibrate_relevance.py [--write]`.

Two logistic regressions on the shared halves of four sets of human judgements, each set counting
alike: one for words alone, one for words and meaning (the extra `semantic`, some minutes). It
prints figures cross-validated by question. With --write it keeps the weights of a fit on all rows,
and the chances from which 2, 3, 4 and 5 are given. It draws nothing at random.
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

from benchmarks.measures import auc
from benchmarks.relevance import SETS, measured, rows
from benchmarks.results import shared
from research_core.text import embeddings
from research_core.text.topic_match import WEIGHTS_FILE

FOLDS, PENALTY = 5, 10.0
WORDS = (
    "close",
    "length",
    "rarest",
    "opening",
    "answer",
    "about",
    "gist",
    "core",
    "reached",
    "topic",
)
SIGNS = {"words": WORDS, "meaning": (*WORDS, "meaning")}
#: What a score promises: 2 for all but this share of the good texts; 3, 4 and 5 for at most these
#: shares of the others.
MISSED, WRONGLY = 0.05, (0.25, 0.10, 0.03)

Array = Any


def fold(question: str) -> int:
    """The same for all texts of a question, whichever set they are of."""
    return int(hashlib.sha256(question.encode()).hexdigest()[:8], 16) % FOLDS


def alike(groups: Array) -> Array:
    """A weight for each row by which every group counts alike. Their mean is 1."""
    _, place, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    weights = 1 / sizes[place]
    return weights / weights.mean()


def fitted(x: Array, good: Array, weights: Array, names: Sequence[str]) -> dict[str, Any]:
    """{"constant", "weights"}: a logistic regression with a ridge on standardised signs, by
    Newton's method.
    """
    means, scales = np.average(x, axis=0, weights=weights), x.std(0) + 1e-9
    z = np.hstack([np.ones((len(x), 1)), (x - means) / scales])
    ridge = np.diag([1e-6, *[PENALTY] * x.shape[1]])
    found = np.zeros(z.shape[1])
    for _ in range(15):
        p = 1 / (1 + np.exp(-z @ found))
        curve = (z * (weights * p * (1 - p))[:, None]).T @ z + ridge
        found += np.linalg.solve(curve, z.T @ (weights * (good - p)) - ridge @ found)
    own = found[1:] / scales
    return {
        "constant": round(float(found[0] - own @ means), 5),
        "weights": {name: round(float(weight), 5) for name, weight in zip(names, own, strict=True)},
    }


def least(chances: Array, good: Array, weights: Array) -> list[float]:
    """The chances from which 2, 3, 4 and 5 are given."""
    wrongly = [_quantile(chances[~good], weights[~good], 1 - share) for share in WRONGLY]
    return [
        round(float(limit), 3)
        for limit in (min(_quantile(chances[good], weights[good], MISSED), wrongly[0]), *wrongly)
    ]


def _quantile(values: Array, weights: Array, share: float) -> float:
    order = np.argsort(values, kind="stable")
    return float(values[order][np.searchsorted(weights[order].cumsum(), share * weights.sum())])


def main(argv: Sequence[str]) -> None:
    every = [
        row for name in SETS for row in rows(shared("relevance"), name) if row["split"] == "share"
    ]
    sets = np.array([row["set"] for row in every])
    good = np.array([row["grade"] >= SETS[row["set"]] for row in every])
    folds = np.array([fold(row["question"]) for row in every])
    model = embeddings.find_embedder()
    kept = json.loads(WEIGHTS_FILE.read_text(encoding="utf-8")) if WEIGHTS_FILE.exists() else {}
    for kind, embedder in {"words": None, "meaning": model}.items():
        if embedder and embedder.why:
            print(f"Nothing is fitted by meaning. {embedder.why}")
            continue
        signs = [measured(row["question"], row["text"], embedder) for row in every]
        kept[kind] = calibrated(
            kind,
            np.array([[one[name] for name in SIGNS[kind]] for one in signs]),
            good,
            sets,
            folds,
        )
        print(" ", json.dumps(kept[kind]))
    if "--write" in argv:
        WEIGHTS_FILE.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def calibrated(kind: str, x: Array, good: Array, sets: Array, folds: Array) -> dict[str, Any]:
    """The row of a kind as the product keeps it; prints how it does on questions it was not fitted
    on.
    """
    weights, names = alike(sets), SIGNS[kind]
    unseen = np.zeros(len(good))
    for each in range(FOLDS):
        row = fitted(x[folds != each], good[folds != each], weights[folds != each], names)
        unseen[folds == each] = row["constant"] + x[folds == each] @ np.array(
            list(row["weights"].values())
        )
    evenly = alike(np.char.add(sets, good.astype(str)))
    chances = 1 / (1 + np.exp(-unseen))
    aucs = {
        name: round(
            auc(chances[(sets == name) & good].tolist(), chances[(sets == name) & ~good].tolist()),
            4,
        )
        for name in SETS
    }
    limits = least(chances, good, evenly)
    print(f"{kind}, cross-validated by question:", json.dumps(aucs))
    for score, limit in enumerate(limits, 2):
        shares = {
            name: (
                _from(chances, limit, (sets == name) & good),
                _from(chances, limit, (sets == name) & ~good),
            )
            for name in SETS
        }
        print(f"  {score} from {limit} (good, others):", shares)
    return {**fitted(x, good, weights, names), "least": limits}


def _from(chances: Array, limit: float, rows: Array) -> float:
    return round(float((chances[rows] >= limit).mean()), 3)


if __name__ == "__main__":
    main(sys.argv[1:])
