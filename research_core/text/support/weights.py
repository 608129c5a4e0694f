"""Hold every number by which support is rated, and compute the odds of support from measures.

Three kinds of numbers, by where they come from:

- Fitted to human labels: `weights.json`, written by `benchmarks/calibrate_support.py --write` from
  the shared halves of AttributionBench and WiCE. A ridge logistic regression ("linear": mean, scale
  and weight of each measure) and 150 boosted trees of depth 3 ("trees": [measure, limit, where at
  most, where above]), blended in log odds. A tree may use a measure only in the direction that
  `MEASURE_SIGNS` allows. The regression's numbers are rounded to five digits. The limits of the
  trees are not: they are quantiles of the data, so a limit may be a value that occurs (2/3), and a
  measure computed in another order of additions could then fall on its other side. Keep the order
  in which `features` adds up.
- Chosen on the same halves: the thresholds below. `benchmarks/support.py` measures their errors on
  the held-out halves.
- Set by hand before the fit: the weights of a figure and of similar forms. The fitted weights are
  right only for measures taken with these values, so a new value needs a new fit.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

WEIGHTS_FILE = Path(__file__).with_name("weights.json")

#: The likelihoods from which a sentence is rated so.
SUPPORTED, PARTLY = 0.6, 0.25
#: The least weighted share of the words that one place must hold, however likely support is.
LEAST_HELD = 0.6
#: The share from which a sentence of a passage says the same with names or figures exchanged or
#: with more caution; and the likelihood from which an uncited source says the same.
SAME_SHARE, SURE_LIKELIHOOD = 0.85, 0.8

#: The weight of a figure; that of a word is its rarity, 1.0 to 5.5 (`similarity.rarity`).
FIGURE_WEIGHT = 4.5
#: The least common prefix, as a share, that makes a word another form of a word; and how much of a
#: word another of its row of `similarity.CUE_ROWS` counts for.
MIN_ALIKE, CUE_ALIKE = 0.6, 0.8

#: The measures of `features.measure_support`, in the order in which the weights count them.
#: 1: more of it never speaks against support; -1: never for it; 0: either.
MEASURE_SIGNS: dict[str, int] = {
    # shares of the claim's words: in the whole text (weighted and by number), in the best 1, 3 and
    # 5 sentences, in any three
    "cov": 1, "covn": 1, "win1": 1, "win3": 1, "win5": 1, "greedy3": 1,
    # the weights of missing words: the three heaviest and the sum, of the whole text and of the
    # best three sentences
    "miss1": -1, "miss2": -1, "miss3": -1, "misssum": -1,
    "near1": -1, "near2": -1, "near3": -1, "nearsum": -1,
    # the same with similar forms counted in part; what the best place lacks; words that are special
    # in the text; common words
    "soft3": 1, "softall": 1, "softmiss": -1, "excess": 0, "nontopic": 1, "stop1": 0,
    # order: common subsequences, shared runs of two and three words, the longest run, pairs of
    # neighbouring words that are near each other, the share of the place that the claim names
    "lcs3": 1, "lcsall1": 1, "big2": 1, "big3": 1, "run": 1, "runabs": 0,
    "pairs8": 1, "pairsw": 1, "skip": 1, "worth3": 1,
    # parts of the claim: clauses, sentences, the widest gap, windows of 5 and 7 words, its second
    # half, its letters
    "clauses": 1, "leastclause": 1, "lastclause": 1, "said": 0, "leastsaid": 1, "gap": -1,
    "least5": 1, "least7": 1, "secondhalf": 1, "letters": 1,
    # figures and names that are missing
    "figures": -1, "figures3": -1, "hasfigure": 0, "names": -1, "names3": -1, "capitals": 0,
    # lengths, rarity and manner
    "long": 0, "textlong": 0, "avgrare": 0, "maxrare": 0, "longwords": 0, "startlow": 0,
    "breaks": 0, "hedges": 0, "speaker": 0, "aside": 0, "ratio": 0, "common": 0, "speaking": 0,
    "asks": 0, "calls": 0, "turned": 0,
    # how much of the best sentence the claim names
    "prec1": 1, "jac1": 1,
}  # fmt: skip


def compute_log_odds(measures: Sequence[float], model: Mapping[str, Any] | None = None) -> float:
    """Return the log odds of support: a blend of a linear model and boosted trees.

    `model` is as in the weights file; by default the shipped one.
    """
    model = model or load_weights()
    line = model["constant"]
    for value, (mean, scale, weight) in zip(measures, model["linear"].values(), strict=True):
        line += weight * (value - mean) / scale
    boosted = model["start"] + sum(_evaluate_tree(tree, measures) for tree in model["trees"])
    return float(model["blend"] * boosted + (1 - model["blend"]) * line)


def _evaluate_tree(tree: Any, measures: Sequence[float]) -> float:
    """Return the value of the leaf that the measures lead to."""
    while isinstance(tree, list):
        measure, limit, low, high = tree
        tree = low if measures[measure] <= limit else high
    return float(tree)


@lru_cache(maxsize=1)
def load_weights() -> dict[str, Any]:
    """Return the shipped model, read at first use."""
    model: dict[str, Any] = json.loads(WEIGHTS_FILE.read_text(encoding="utf-8"))
    return model
