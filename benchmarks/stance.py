"""Whether texts that refute a claim are told from those that support it: `python
benchmarks/stance.py [--data DIR] [--split share|hold]`.

Two sets judged by people, of claims about the climate and about an illness. Each is measured with
weights fitted on the other alone, as within one set the claim gives half the answer away; then
without the texts, and with each claim's text taken from another row. Fits nothing:
`calibrate_stance.py` does, on the half that is shared.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measures import auc
from research_core.text.stance import assess_stance, compare_claim, compute_lean, load_weights

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
SETS = ("climatefever", "healthver")
#: How far a claim's text is taken from in the third measure, in rows; the sets list a claim's rows
#: together.
AWAY = 0.37


class Row(NamedTuple):
    claim: str
    text: str
    supported: bool


def rows(data: Path, name: str, split: str) -> list[Row]:
    """The supported and the refuted claims of a set; those that a text says nothing of are left
    out.
    """
    lines = (data / "citation" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    found = (json.loads(line) for line in lines)
    return [
        Row(row["claim"], " ".join(row["evidence"]), row["label"] == "supported")
        for row in found
        if row["split"] == split and row["label"] in ("supported", "refuted")
    ]


def figures(data: Path, split: str) -> dict[str, Any]:
    """Areas under the curve of supported against refuted, 0.0-1.0, by "set fitted on to set
    measured on"; and what a warning is worth.
    """
    sets = {name: rows(data, name, split) for name in SETS}
    ways = [(fitted, measured) for fitted in SETS for measured in SETS if fitted != measured]

    def areas(change: Any) -> dict[str, float]:
        return {
            f"{one} to {other}": round(_area(change(sets[other]), load_weights()[one]), 4)
            for one, other in ways
        }

    return {
        **areas(lambda found: found),
        "without the text": areas(lambda found: [row._replace(text="") for row in found]),
        "with the text of another row": areas(_moved),
        "within one claim": {
            f"{one} to {other}": round(_within(sets[other], load_weights()[one]), 4)
            for one, other in ways
        },
        "rows": {name: len(found) for name, found in sets.items()},
        "warnings": {name: _warnings(found) for name, found in sets.items()},
    }


def _leans(found: Sequence[Row], weights: Mapping[str, float]) -> Iterator[tuple[Row, float]]:
    return ((row, compute_lean(compare_claim(row.claim, row.text)[0], weights)) for row in found)


def _area(found: Sequence[Row], weights: Mapping[str, float]) -> float:
    scored = list(_leans(found, weights))
    return auc(
        [score for row, score in scored if row.supported],
        [score for row, score in scored if not row.supported],
    )


def _moved(found: Sequence[Row]) -> list[Row]:
    step = int(len(found) * AWAY)
    return [row._replace(text=found[(n + step) % len(found)].text) for n, row in enumerate(found)]


def _within(found: Sequence[Row], weights: Mapping[str, float]) -> float:
    """The same, of texts on one and the same claim only, where the claim gives nothing away."""
    by_claim: dict[str, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    for row, score in _leans(found, weights):
        by_claim[row.claim][0 if row.supported else 1].append(score)
    both = [(for_it, against) for for_it, against in by_claim.values() if for_it and against]
    pairs = [len(for_it) * len(against) for for_it, against in both]
    return sum(auc(*each) * count for each, count in zip(both, pairs, strict=True)) / sum(pairs)


def _warnings(found: Sequence[Row]) -> dict[str, float]:
    """How many rows a reader would be warned of, the share of them that is refuted, and the share
    of the refuted that is warned of.
    """
    told = [row for row in found if assess_stance(row.claim, row.text).warning]
    refuted = sum(not row.supported for row in found)
    hits = sum(not row.supported for row in told)
    return {
        "warned": len(told),
        "right": round(hits / (len(told) or 1), 3),
        "of refuted": round(hits / (refuted or 1), 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--split", choices=("share", "hold"), default="share")
    given = parser.parse_args()
    print(json.dumps(figures(given.data, given.split), indent=2))


if __name__ == "__main__":
    main()
