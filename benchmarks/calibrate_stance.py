"""Fit the weights of the features of `research_core/text/stance.py`.

    python benchmarks/calibrate_stance.py [--data DIR]

Data: the shared halves of Climate-FEVER and HealthVer (`citation` in the shared data). Writes
`stance.json`: the weights of a logistic regression on each set alone, so that `stance.py` can
measure it on the other, and on both, which is used. Each weight keeps the sign that its feature may
have. The same data give the same file. Prints nothing.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.inputs import SHARED_DATA, make_parser, require_folder
from benchmarks.stance import SETS, Row, read_rows
from research_core.text.stance import FEATURES, WEIGHTS_FILE, compare_claim

#: Steps of the gradient descent, and the factor of each.
STEPS = 4_000
STEP_SIZE = 0.5
#: Strength of the ridge, per row.
RIDGE = 1e-3


def fit(rows: Sequence[Row]) -> dict[str, float]:
    """Return the weight of each feature and "bias", by projected gradient descent.

    Supported and refuted rows weigh the same in total. The columns are standardised for the fit,
    and the weights are those of the features as they are.
    """
    features = [compare_claim(row.claim, row.text)[0] for row in rows]
    values = np.array([[one[name] for name in FEATURES] for one in features])
    supported = np.array([row.supported for row in rows])
    row_weights = np.where(supported, 0.5 / supported.mean(), 0.5 / (1 - supported.mean()))
    mean = values.mean(0)
    spread = np.where(values.std(0) > 0, values.std(0), 1.0)
    columns = (values - mean) / spread
    signs = np.array(list(FEATURES.values()))
    slopes = np.zeros(len(FEATURES))
    bias = 0.0
    for _ in range(STEPS):
        chances = 1 / (1 + np.exp(-(columns @ slopes + bias)))
        errors = row_weights * (supported - chances)
        slopes = slopes + STEP_SIZE * (columns.T @ errors / len(rows) - RIDGE * slopes)
        slopes = np.where(slopes * signs > 0, slopes, 0.0)
        bias += STEP_SIZE * float(errors.mean())
    weights = slopes / spread
    fitted = {name: round(float(one), 4) for name, one in zip(FEATURES, weights, strict=True)}
    fitted["bias"] = round(bias - float(weights @ mean), 4)
    return fitted


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--data", type=Path, default=SHARED_DATA)
    data = parser.parse_args().data
    require_folder(data / "citation")
    weights = {}
    all_rows: list[Row] = []
    for name in SETS:
        rows = read_rows(data, name, "share")
        weights[name] = fit(rows)
        all_rows += rows
    weights["both"] = fit(all_rows)
    WEIGHTS_FILE.write_text(json.dumps(weights, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
