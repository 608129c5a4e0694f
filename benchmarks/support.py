"""How well the first check tells supported sentences from others, on human labels: `python
benchmarks/support.py [--split share|hold]`.

AttributionBench and WiCE; "partially supported" counts as not supported. `figures` gives the
numbers, for other benchmarks too. The shipped weights were fitted on the half called "share":
figures of that half are too good, and those of "hold" are the honest ones. `calibrate_support.py`
prints the shared half cross-validated.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measures import auc, false_accepts, false_rejects
from benchmarks.results import shared
from research_core.models import Block, Passage, Sentence
from research_core.pipeline.page_support import find_support_in_page
from research_core.pipeline.verify import verify
from research_core.text.support import estimate_support
from research_core.text.support.weights import PARTLY, SUPPORTED

SETS = ("attributionbench", "wice")
#: The report that is timed: so many sentences, each with a citation of its own page of so many
#: characters, of which so many are cited.
CITATIONS, PAGE, CITED = 60, 20_000, 1_400

Row = dict[str, Any]


def rows(folder: Path, name: str, split: str) -> list[Row]:
    """The rows of a set that belong to a split; "all" for every one."""
    found = map(json.loads, (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines())
    return [row for row in found if split in ("all", row["split"])]


def text_of(row: Row) -> str:
    return " ".join(row.get("evidence_sentences") or row["evidence"])


def figures(data: Path, split: str) -> dict[str, Any]:
    """Figures by set, and by part of AttributionBench, and seconds of one report. data: a folder
    laid out like `../shared/data`.
    """
    every = [(name, row) for name in SETS for row in rows(data / "citation", name, split)]
    took = seconds([row for _, row in every])  # first, while nothing is remembered of these texts
    return {
        **described(every, [estimate_support(row["claim"], [text_of(row)]) for _, row in every]),
        f"{CITATIONS} citations, s": took,
    }


def seconds(every: Sequence[Row]) -> float:
    """How long the check of one report takes whose pages are met for the first time, with the look
    at the rest of each page.
    """
    first = Passage(
        "first",
        "Tables that are loaded once, with the first sentence, are no part of the figure.",
        0,
        80,
    )
    verify([_cites(("Tables of 1,200 words are loaded twice.", first))], {"first": first})
    apart = every[:: max(1, len(every) // CITATIONS)][:CITATIONS]
    others = cycle(text_of(row) for row in every)
    pages = {f"p{n}": _page(text_of(row), others) for n, row in enumerate(apart)}
    passages = {id: Passage(id, page[:CITED], 0, CITED) for id, page in pages.items()}
    blocks = [
        _cites((row["claim"], passage))
        for row, passage in zip(apart, passages.values(), strict=True)
    ]
    began = time.perf_counter()
    for block in verify(blocks, passages):
        for sentence in block.sentences:
            find_support_in_page(
                sentence, [passages[id] for id in sentence.citations], pages[sentence.citations[0]]
            )
    return round(time.perf_counter() - began, 3)


def _cites(said: tuple[str, Passage]) -> Block:
    return Block("paragraph", (Sentence(said[0], (said[1].id,)),))


def _page(text: str, others: Iterator[str]) -> str:
    """A page of `PAGE` characters that begins with this text and goes on with others."""
    while len(text) < PAGE:
        text += "\n\n" + next(others)
    return text[:PAGE]


def described(every: Sequence[tuple[str, Row]], scores: Sequence[float]) -> dict[str, Any]:
    """{set or set/part: {n, auc, and by threshold bacc, false_accept, false_reject}}; parts with
    one label only are left out.
    """
    groups: dict[str, list[tuple[bool, float]]] = {}
    for (name, row), score in zip(every, scores, strict=True):
        for group in {name, f"{name}/{row['sub']}"} if name == "attributionbench" else {name}:
            groups.setdefault(group, []).append((row["label"] == "supported", score))
    return {
        group: _figures(found)
        for group, found in sorted(groups.items())
        if len({label for label, _ in found}) == 2
    }


def _figures(found: Iterable[tuple[bool, float]]) -> dict[str, Any]:
    pairs = list(found)
    positive, negative = (
        [score for label, score in pairs if label is wanted] for wanted in (True, False)
    )
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
