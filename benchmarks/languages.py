"""Measure how well the relevance judge ranks passages in other languages, beside words alone.

    python benchmarks/languages.py [--data DIR] [--split share|hold] [--questions N] [--words]
        [--workers N] [--record]

Data: the sets in `multilingual` of the shared data. Words alone is BM25, for writing without spaces
by pairs of characters, as the data's own scorer has it. Prints for each set and language, for the
first N questions (25) by a hash, 0 for all: the AUC within questions of the passages that answer
against the others, by words alone, by the judge without the embedding model ("judge_words") and
with it ("judge"). For `nomiracl_sets`, where a question has ten passages that all answer or do not,
it is the AUC of the best score of answerable questions against the others. --words leaves the
embedding model out. `benchmarks/answers.py` prints the same.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import statistics
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.bm25 import Bm25
from benchmarks.inputs import SHARED_DATA, make_parser, read_json_lines, require_folder
from benchmarks.measures import auc
from benchmarks.relevance import judge_passage
from benchmarks.results import record
from research_core.text import embeddings

SETS = (
    "xquad",
    "jaquad",
    "cmrc2018",
    "faquad",
    "dureader",
    "quati",
    "memerag_answer",
    "nomiracl_sets",
)
#: The set whose questions have all their passages in one row.
WHOLE_SETS = "nomiracl_sets"
#: The grade from which a passage answers; 1 in the other sets.
GOOD_GRADES = {"quati": 2, "memerag_answer": 2}

Row = dict[str, Any]
#: Returns how well a passage answers a question: (question, passage).
Score = Callable[[str, str], float]


def list_passages(row: Row) -> list[str]:
    """Return the passages of a row: ten, or the one."""
    return list(row.get("passages") or [row["passage"]])


def choose_rows(rows: Sequence[Row], split: str, questions: int) -> list[Row]:
    """Return the rows of a half that belong to its first questions by a hash; 0 for all."""
    of_half = [row for row in rows if row["split"] == split]
    names = sorted({row["question"] for row in of_half}, key=_hash)
    chosen = set(names[: questions or None])
    return [row for row in of_half if row["question"] in chosen]


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def measure_auc(set_name: str, rows: Sequence[Row], score: Score) -> float | None:
    """Return the AUC that the module's docstring describes; None if the rows allow none."""
    if set_name == WHOLE_SETS:
        yes: list[float] = []
        no: list[float] = []
        for row in rows:
            best = max(score(row["question"], passage) for passage in row["passages"])
            (yes if row["answerable"] == 1 else no).append(best)
        return round(auc(yes, no), 3) if yes and no else None
    areas = []
    by_question: dict[str, tuple[list[float], list[float]]] = {}
    for row in rows:
        good, others = by_question.setdefault(row["question"], ([], []))
        answers = row["relevant"] >= GOOD_GRADES.get(set_name, 1)
        (good if answers else others).append(score(row["question"], row["passage"]))
    for good, others in by_question.values():
        if good and others:
            areas.append(auc(good, others))
    return round(statistics.fmean(areas), 3) if areas else None


@dataclass(frozen=True)
class Group:
    """The questions of a set in one language, and how they are judged.

    folder: that of the sets; questions: how many, 0 for all.
    """

    folder: Path
    set_name: str
    language: str
    split: str
    questions: int
    semantic: bool


def measure_group(group: Group) -> dict[str, float | None]:
    """Return the AUC by words alone, by the judge without the model, and with it."""
    rows = []
    for row in read_json_lines(group.folder / f"{group.set_name}.jsonl"):
        if row["lang"] == group.language:
            rows.append(row)
    chosen = choose_rows(rows, group.split, group.questions)
    passages = sorted({passage for row in rows for passage in list_passages(row)})
    bm25 = Bm25({passage: passage for passage in passages})
    areas = {
        "words_alone": measure_auc(group.set_name, chosen, bm25.score),
        "judge_words": measure_auc(group.set_name, chosen, judge_passage),
    }
    if group.semantic:
        by_meaning = partial(judge_passage, embedder=embeddings.find_embedder())
        areas["judge"] = measure_auc(group.set_name, chosen, by_meaning)
    return areas


def list_groups(folder: Path, split: str, questions: int, *, semantic: bool) -> list[Group]:
    """Return the sets of the folder, each in each of its languages."""
    groups = []
    for set_name in SETS:
        path = folder / f"{set_name}.jsonl"
        if path.is_file():
            for language in sorted({row["lang"] for row in read_json_lines(path)}):
                groups.append(Group(folder, set_name, language, split, questions, semantic))
    return groups


def measure(
    folder: Path, split: str, questions: int, *, semantic: bool = True, workers: int = 1
) -> dict[str, Any]:
    """Return the figures by set and language; "below_words" lists where the judge is worse.

    folder: that of the sets. A set that is missing is left out, and a language without both kinds
    of passages. Without the embedding model a line on standard error says why.
    """
    if semantic and (why := embeddings.find_embedder().why):
        print(why, file=sys.stderr)
        semantic = False
    groups = list_groups(folder, split, questions, semantic=semantic)
    figures: dict[str, Any] = {}
    below = []
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        measured = pool.map(measure_group, groups) if workers > 1 else map(measure_group, groups)
        for group, areas in zip(groups, measured, strict=True):
            if areas["words_alone"] is None:
                continue
            figures.setdefault(group.set_name, {})[group.language] = areas
            judged = areas.get("judge", areas["judge_words"])
            if judged is not None and judged < areas["words_alone"]:
                below.append(f"{group.set_name} {group.language}")
            shown = " · ".join(
                f"{name} {area:.3f}" for name, area in areas.items() if area is not None
            )
            print(f"{group.set_name:15} {group.language:3} {shown}", file=sys.stderr, flush=True)
    return {**figures, "below_words": below}


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--data", type=Path, default=SHARED_DATA)
    parser.add_argument("--split", choices=("share", "hold"), default="share")
    parser.add_argument("--questions", type=int, default=25)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--record", action="store_true", help="store the figures in results.json")
    parser.add_argument("--words", action="store_true", help="without the embedding model")
    options = parser.parse_args()
    folder = require_folder(options.data / "multilingual")
    figures = measure(
        folder,
        options.split,
        options.questions,
        semantic=not options.words,
        workers=options.workers,
    )
    if options.record:
        recorded = {"split": options.split, "questions": options.questions, **figures}
        record("languages_words" if options.words else "languages", recorded)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
