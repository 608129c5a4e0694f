"""Compute the odds that a text supports a sentence, from its measures and fitted weights.

The weights are in `weights.json`, written by `benchmarks/calibrate_support.py` from human labels.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

WEIGHTS_FILE = Path(__file__).with_name("weights.json")


def compute_log_odds(measures: Sequence[float], model: Mapping[str, Any] | None = None) -> float:
    """Return the log odds of support: a blend of a linear model and boosted trees.

    `model` is as in the weights file; by default the shipped one.
    """
    model = model or _load_weights()
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
def _load_weights() -> dict[str, Any]:
    """Return the shipped model, read at first use."""
    model: dict[str, Any] = json.loads(WEIGHTS_FILE.read_text(encoding="utf-8"))
    return model
