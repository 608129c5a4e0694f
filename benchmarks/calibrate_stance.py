"""Fits what `research_core/text/stance.py` weighs its features by: `python
benchmarks/calibrate_stance.py [--data DIR]` writes stance.json.

A logistic regression, supported and refuted counting alike, each weight held to the side its
feature speaks for. Fitted on each set alone, so that it can be measured on the other, and on both,
which is used. The same data give the same file; it measures nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.stance import DATA, SETS, Row, rows
from research_core.text.stance import FEATURES, WEIGHTS_FILE, compare_claim

STEPS, PACE = 4_000, 0.5
#: Strength of the pull towards 0, per row.
PULL = 1e-3


def fit(found: Sequence[Row]) -> dict[str, float]:
    """The weight of each feature and "bias", by projected gradient descent on standardised columns."""
    values = np.array(
        [[compare_claim(row.claim, row.text)[0][name] for name in FEATURES] for row in found]
    )
    supported = np.array([row.supported for row in found])
    weight = np.where(supported, 0.5 / supported.mean(), 0.5 / (1 - supported.mean()))
    mean, spread = values.mean(0), np.where(values.std(0) > 0, values.std(0), 1.0)
    columns, signs = (values - mean) / spread, np.array(list(FEATURES.values()))
    slopes, bias = np.zeros(len(FEATURES)), 0.0
    for _ in range(STEPS):
        short = weight * (supported - 1 / (1 + np.exp(-(columns @ slopes + bias))))
        slopes = slopes + PACE * (columns.T @ short / len(found) - PULL * slopes)
        slopes = np.where(slopes * signs > 0, slopes, 0.0)
        bias += PACE * float(short.mean())
    plain = slopes / spread
    return {
        **{name: round(float(one), 4) for name, one in zip(FEATURES, plain, strict=True)},
        "bias": round(bias - float(plain @ mean), 4),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    sets = {name: rows(parser.parse_args().data, name, "share") for name in SETS}
    fitted = {name: fit(found) for name, found in sets.items()}
    fitted["both"] = fit([row for found in sets.values() for row in found])
    WEIGHTS_FILE.write_text(json.dumps(fitted, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
