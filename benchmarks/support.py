"""How well the first check tells supported sentences from others, on human labels: `python benchmarks/support.py [--split share|hold]`.

AttributionBench and WiCE; "partially supported" counts as not supported. `figures` gives the numbers, for other benchmarks too.
The shipped weights were fitted on the half called "share": figures of that half are too good, and those of "hold" are the honest ones.
`calibrate_support.py` prints the shared half cross-validated.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measures import auc, false_accepts, false_rejects
from benchmarks.results import shared
from research_core.llm.support import PARTLY, SUPPORTED, likelihood

SETS = ("attributionbench", "wice")

Row = dict[str, Any]


def rows(folder: Path, name: str, split: str) -> list[Row]:
    """The rows of a set that belong to a split; "all" for every one."""
    found = map(json.loads, (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines())
    return [row for row in found if split in ("all", row["split"])]


def text_of(row: Row) -> str:
    return " ".join(row.get("evidence_sentences") or row["evidence"])


def figures(data: Path, split: str) -> dict[str, Any]:
    """Figures by set, and by part of AttributionBench. data: a folder laid out like `../shared/data`."""
    every = [(name, row) for name in SETS for row in rows(data / "citation", name, split)]
    return described(every, [likelihood(row["claim"], [text_of(row)]) for _, row in every])


def described(every: Sequence[tuple[str, Row]], scores: Sequence[float]) -> dict[str, Any]:
    """{set or set/part: {n, auc, and by threshold bacc, false_accept, false_reject}}; parts with one label only are left out."""
    groups: dict[str, list[tuple[bool, float]]] = {}
    for (name, row), score in zip(every, scores, strict=True):
        for group in {name, f"{name}/{row['sub']}"} if name == "attributionbench" else {name}:
            groups.setdefault(group, []).append((row["label"] == "supported", score))
    return {group: _figures(found) for group, found in sorted(groups.items()) if len({label for label, _ in found}) == 2}


def _figures(found: Iterable[tuple[bool, float]]) -> dict[str, Any]:
    pairs = list(found)
    positive, negative = ([score for label, score in pairs if label is wanted] for wanted in (True, False))
    told: dict[str, Any] = {"n": len(pairs), "auc": round(auc(positive, negative), 4)}
    for state, least in (("supported", SUPPORTED), ("partly", PARTLY)):
        accepts, rejects = false_accepts(negative, least), false_rejects(positive, least)
        told[state] = {
            "least": least,
            "bacc": round(1 - (accepts + rejects) / 2, 3),
            "false_accept": round(accepts, 3),
            "false_reject": round(rejects, 3),
        }
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=None)
    parser.add_argument("--split", choices=("share", "hold", "all"), default="share")
    given = parser.parse_args()
    print(json.dumps(figures(given.data or shared("citation").parent, given.split), indent=2))


if __name__ == "__main__":
    main()
