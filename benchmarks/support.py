"""Measure how well the first check tells supported sentences from others, on human labels.

    python benchmarks/support.py [--data DIR] [--split share|hold|all]

Data: AttributionBench and WiCE (`citation` in the shared data); "partially supported" counts as not
supported. Prints JSON by set and part: AUC, and the errors at the two thresholds in use; then the
seconds that the check of one report takes. The weights in use were fitted on the half called
"share", so its figures are too good and those of "hold" are the honest ones.
`calibrate_support.py` prints the shared half cross-validated.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.inputs import SHARED_DATA, make_parser, read_json_lines, require_folder
from benchmarks.measures import auc, measure_false_accepts, measure_false_rejects
from research_core.models import Block, Passage, Sentence
from research_core.pipeline.page_support import find_support_in_page
from research_core.pipeline.verify import verify
from research_core.text.support import estimate_support
from research_core.text.support.weights import PARTLY, SUPPORTED

SETS = ("attributionbench", "wice")
#: The timed report: sentences, each citing a page of its own.
CITATIONS = 60
#: Length of each page, and of the passage that is cited of it, in characters.
PAGE_LENGTH = 20_000
CITED_LENGTH = 1_400

Row = dict[str, Any]


def read_rows(folder: Path, name: str, split: str) -> list[Row]:
    """Return the rows of a set that belong to a split, or all rows for "all"."""
    rows = read_json_lines(folder / f"{name}.jsonl")
    return [row for row in rows if split in ("all", row["split"])]


def join_evidence(row: Row) -> str:
    """Return the text that the claim of the row cites."""
    return " ".join(row.get("evidence_sentences") or row["evidence"])


def read_sets(folder: Path, split: str) -> list[tuple[str, Row]]:
    """Return (set, row) of all sets."""
    rows = []
    for name in SETS:
        rows += [(name, row) for row in read_rows(folder, name, split)]
    return rows


def measure(data: Path, split: str) -> dict[str, Any]:
    """Return the figures by set and part, and the seconds of one report.

    data: a folder laid out like the shared data.
    """
    named_rows = read_sets(data / "citation", split)
    # Timed first, while the process remembers none of these texts.
    seconds = time_report([row for _, row in named_rows])
    scores = [estimate_support(row["claim"], [join_evidence(row)]) for _, row in named_rows]
    return {**describe_scores(named_rows, scores), f"{CITATIONS} citations, s": seconds}


def time_report(rows: Sequence[Row]) -> float:
    """Return the seconds of checking a report whose pages are all new, including whole pages."""
    _load_tables()
    cited_rows = rows[:: max(1, len(rows) // CITATIONS)][:CITATIONS]
    fillers = cycle(join_evidence(row) for row in rows)
    pages = {}
    passages = {}
    blocks = []
    for number, row in enumerate(cited_rows):
        id = f"p{number}"
        pages[id] = _make_page(join_evidence(row), fillers)
        passages[id] = Passage(id, pages[id][:CITED_LENGTH], 0, CITED_LENGTH)
        blocks.append(_make_block(row["claim"], id))
    began = time.perf_counter()
    for block in verify(blocks, passages):
        for sentence in block.sentences:
            cited = [passages[id] for id in sentence.citations]
            find_support_in_page(sentence, cited, pages[sentence.citations[0]])
    return round(time.perf_counter() - began, 3)


def _load_tables() -> None:
    """Check one sentence: the tables are loaded once a process, which is not the report's time."""
    text = "Tables that are loaded once, with the first sentence, are no part of the figure."
    passage = Passage("first", text, 0, 80)
    verify([_make_block("Tables of 1,200 words are loaded twice.", "first")], {"first": passage})


def _make_block(sentence: str, passage_id: str) -> Block:
    return Block("paragraph", (Sentence(sentence, (passage_id,)),))


def _make_page(text: str, fillers: Iterator[str]) -> str:
    """Return a page of `PAGE_LENGTH` characters that begins with the text."""
    while len(text) < PAGE_LENGTH:
        text += "\n\n" + next(fillers)
    return text[:PAGE_LENGTH]


def describe_scores(
    named_rows: Sequence[tuple[str, Row]], scores: Sequence[float]
) -> dict[str, Any]:
    """Return {set or set/part: its figures}, without the parts that have one label only."""
    groups: dict[str, tuple[list[float], list[float]]] = {}
    for (name, row), score in zip(named_rows, scores, strict=True):
        names = [name]
        if name == "attributionbench":
            names.append(f"{name}/{row['sub']}")
        for group in names:
            supported, others = groups.setdefault(group, ([], []))
            (supported if row["label"] == "supported" else others).append(score)
    figures = {}
    for group, (supported, others) in sorted(groups.items()):
        if supported and others:
            figures[group] = _describe_group(supported, others)
    return figures


def _describe_group(supported: Sequence[float], others: Sequence[float]) -> dict[str, Any]:
    """Return AUC and, by threshold, balanced accuracy, false accepts and false rejects."""
    figures: dict[str, Any] = {
        "n": len(supported) + len(others),
        "auc": round(auc(supported, others), 4),
    }
    for state, threshold in (("supported", SUPPORTED), ("partly", PARTLY)):
        accepts = measure_false_accepts(others, threshold)
        rejects = measure_false_rejects(supported, threshold)
        figures[state] = {
            "least": threshold,
            "bacc": round(1 - (accepts + rejects) / 2, 3),
            "false_accept": round(accepts, 3),
            "false_reject": round(rejects, 3),
        }
    return figures


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--data", type=Path, default=SHARED_DATA)
    parser.add_argument("--split", choices=("share", "hold", "all"), default="share")
    options = parser.parse_args()
    require_folder(options.data / "citation")
    print(json.dumps(measure(options.data, options.split), indent=2))


if __name__ == "__main__":
    main()
