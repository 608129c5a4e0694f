"""Measure how well texts that refute a claim are distinguished from texts that support it.

    python benchmarks/stance.py [--data DIR] [--split share|hold]

Data: Climate-FEVER and HealthVer (`citation` in the shared data), labelled by people. Each set is
measured with weights that were fitted on the other one alone, because within a set the claim gives
half of the answer away. Prints JSON: AUC as is, without the texts, with the text of another row,
and within one claim; then what a warning is worth. `calibrate_stance.py` fits the weights.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.inputs import SHARED_DATA, make_parser, read_json_lines, require_folder
from benchmarks.measures import auc
from research_core.text.stance import assess_stance, compare_claim, compute_lean, load_weights

SETS = ("climatefever", "healthver")
#: Each is measured with the weights of the other.
TRANSFERS = (("climatefever", "healthver"), ("healthver", "climatefever"))
#: How far away the text of another row is taken, as a share of all rows. The sets list the rows of
#: a claim together, so a neighbour would be about the same claim.
OTHER_ROW_DISTANCE = 0.37


class Row(NamedTuple):
    """A claim, a text on it, and whether people say that the text supports it or refutes it."""

    claim: str
    text: str
    supported: bool


Weights = Mapping[str, float]
Change = Callable[[Sequence[Row]], Sequence[Row]]


def read_rows(data: Path, name: str, split: str) -> list[Row]:
    """Return the supported and refuted claims of a set, without the undecided ones."""
    rows = []
    for line in read_json_lines(data / "citation" / f"{name}.jsonl"):
        if line["split"] == split and line["label"] in ("supported", "refuted"):
            text = " ".join(line["evidence"])
            rows.append(Row(line["claim"], text, line["label"] == "supported"))
    return rows


def measure(data: Path, split: str) -> dict[str, Any]:
    """Return AUC of supported against refuted, keyed "fitted on to measured on", and warnings."""
    sets = {name: read_rows(data, name, split) for name in SETS}
    within_claim = {}
    for fitted_on, measured_on in TRANSFERS:
        area = _measure_auc_within_claims(sets[measured_on], load_weights()[fitted_on])
        within_claim[f"{fitted_on} to {measured_on}"] = round(area, 4)
    return {
        **_measure_transfers(sets, lambda rows: rows),
        "without the text": _measure_transfers(sets, _remove_texts),
        "with the text of another row": _measure_transfers(sets, _exchange_texts),
        "within one claim": within_claim,
        "rows": {name: len(rows) for name, rows in sets.items()},
        "warnings": {name: _measure_warnings(rows) for name, rows in sets.items()},
    }


def _measure_transfers(sets: Mapping[str, Sequence[Row]], change: Change) -> dict[str, float]:
    areas = {}
    for fitted_on, measured_on in TRANSFERS:
        rows = change(sets[measured_on])
        area = _measure_auc(rows, load_weights()[fitted_on])
        areas[f"{fitted_on} to {measured_on}"] = round(area, 4)
    return areas


def _remove_texts(rows: Sequence[Row]) -> list[Row]:
    return [row._replace(text="") for row in rows]


def _exchange_texts(rows: Sequence[Row]) -> list[Row]:
    """Give each claim the text of a row that is far from it."""
    step = int(len(rows) * OTHER_ROW_DISTANCE)
    exchanged = []
    for number, row in enumerate(rows):
        other = rows[(number + step) % len(rows)]
        exchanged.append(row._replace(text=other.text))
    return exchanged


def _score(row: Row, weights: Weights) -> float:
    features = compare_claim(row.claim, row.text)[0]
    return compute_lean(features, weights)


def _measure_auc(rows: Sequence[Row], weights: Weights) -> float:
    supported = [_score(row, weights) for row in rows if row.supported]
    refuted = [_score(row, weights) for row in rows if not row.supported]
    return auc(supported, refuted)


def _measure_auc_within_claims(rows: Sequence[Row], weights: Weights) -> float:
    """Return the AUC over pairs of texts on the same claim, where the claim gives nothing away."""
    by_claim: dict[str, list[Row]] = {}
    for row in rows:
        by_claim.setdefault(row.claim, []).append(row)
    wins = 0.0
    pairs = 0
    for about_claim in by_claim.values():
        supported = sum(row.supported for row in about_claim)
        count = supported * (len(about_claim) - supported)
        if count:
            wins += _measure_auc(about_claim, weights) * count
            pairs += count
    return wins / pairs


def _measure_warnings(rows: Sequence[Row]) -> dict[str, float]:
    """Return the number of warnings, their right share, and the share of refuted rows warned of."""
    warned = [row for row in rows if assess_stance(row.claim, row.text).warning]
    right = sum(not row.supported for row in warned)
    refuted = sum(not row.supported for row in rows)
    return {
        "warned": len(warned),
        "right": round(right / (len(warned) or 1), 3),
        "of refuted": round(right / (refuted or 1), 3),
    }


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--data", type=Path, default=SHARED_DATA)
    parser.add_argument("--split", choices=("share", "hold"), default="share")
    options = parser.parse_args()
    require_folder(options.data / "citation")
    print(json.dumps(measure(options.data, options.split), indent=2))


if __name__ == "__main__":
    main()
