"""The odds that a text supports a sentence, from its measures (`features`) and weights fitted on
human labels.

The weights stand in `support_weights.json`, written by `benchmarks/calibrate_support.py`. It only
adds up; nothing here is tuned by hand.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

WEIGHTS_FILE = Path(__file__).with_name("weights.json")


def compute_log_odds(measures: Sequence[float], model: Mapping[str, Any] | None = None) -> float:
    """The log odds of support: a line and boosted trees, weighted. model: as the file holds it, or
    the one shipped.
    """
    model = model or _load_weights()
    line = model["constant"]
    for value, (mean, scale, weight) in zip(measures, model["linear"].values(), strict=True):
        line += weight * (value - mean) / scale
    boosted = model["start"] + sum(_evaluate_tree(tree, measures) for tree in model["trees"])
    return float(model["blend"] * boosted + (1 - model["blend"]) * line)


def _evaluate_tree(tree: Any, measures: Sequence[float]) -> float:
    while isinstance(tree, list):
        measure, limit, low, high = tree
        tree = low if measures[measure] <= limit else high
    return float(tree)


@lru_cache(maxsize=1)
def _load_weights() -> dict[str, Any]:
    model: dict[str, Any] = json.loads(WEIGHTS_FILE.read_text(encoding="utf-8"))
    return model
