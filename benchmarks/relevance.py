"""How well the offline judge tells good passages from bad ones, on human judgements that nobody here wrote.

    python benchmarks/relevance.py [--data ../shared/data/relevance] [--json FILE]

Prints, per set, what the data's own scorer prints for the judge, and the two trap figures: of the passages graded lowest, the fifth that
shares most words with its question, how many are dropped; of those graded highest, how many are kept. Not tuned per question or per set.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measures import auc
from benchmarks.results import record
from research_core.llm.offline_judge import SCORES, closeness
from research_core.llm.similarity import content, fit, understand
from research_core.summarize import select_passages
from research_core.text import tokens

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "relevance"
TRAPS = ("mediqa2019", "noveleval")
KEPT = 3
#: Two of the sets print the page's title, then a colon, before its text.
_AUC = re.compile(r"^(\w+).*?AUC=([\d.]+)", re.MULTILINE)
_TITLE = re.compile(r"([^.!?\n]{3,150}?):\s")


def judged(question: str, text: str, url: str = "") -> float:
    """The judge's score of one passage, with fractions so that a ranking can be measured: at least 3 exactly where the judge gives 3."""
    title = _TITLE.match(text)
    passages = [passage.text for passage in select_passages(question, text)] or [text[:700]]
    return _fraction(closeness(fit(understand(question), title[1] if title else "", passages)))


def _fraction(close: float) -> float:
    steps = [(0.0, 1.0), *((least, float(number)) for least, number in reversed(SCORES)), (1.5, 5.9)]
    for (low, score), (high, above) in pairwise(steps):
        if close < high:
            return score + (above - score) * (close - low) / (high - low)
    return steps[-1][1]


def overlap(question: str, text: str) -> float:
    """The share of the question's distinct words that the passage holds."""
    words = set(content(question))
    return len(words & set(tokens(text))) / (len(words) or 1)


def traps(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Kept and dropped shares among the best passages and the most tempting of the worst."""
    grades = [row["grade"] for row in rows]
    worst = sorted((row for row in rows if row["grade"] == min(grades)), key=lambda row: -overlap(row["question"], row["text"]))
    tempting = worst[: len(worst) // 5]
    best = [row for row in rows if row["grade"] == max(grades)]
    return {
        "traps": len(tempting),
        "traps dropped": _share(tempting, lambda score: score < KEPT),
        "best": len(best),
        "best kept": _share(best, lambda score: score >= KEPT),
    }


def _share(rows: Sequence[dict[str, Any]], holds: Callable[[float], bool]) -> float:
    return round(sum(holds(judged(row["question"], row["text"])) for row in rows) / (len(rows) or 1), 3)


def _rows(data: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (data / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def measure(data: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    sets = {name: _rows(data, name) for name in TRAPS}
    for name, rows in sets.items():
        yield name, traps(rows)
    grades = {name: (min(row["grade"] for row in rows), max(row["grade"] for row in rows)) for name, rows in sets.items()}
    extremes = [(name, row) for name, rows in sets.items() for row in rows if row["grade"] in grades[name]]
    yield "together", traps([{**row, "grade": grades[name].index(row["grade"])} for name, row in extremes])


SETS = {"trecqa_wang": 1, "medquad_liveqa": 3, "mediqa2019": 3, "noveleval": 1}


def figures(data: Path, split: str, semantic: bool = False) -> dict[str, Any]:
    """{"auc": by set, "pairs": by set} of the judge, for one half. semantic: there is no judge by meaning yet, so that nothing is said."""
    found: dict[str, float] = {}
    pairs: dict[str, int] = {}
    for name, good in SETS.items():
        rows = [row for row in _rows(data / "relevance", name) if row["split"] == split]
        if not rows:
            continue
        scores = [(judged(row["question"], row["text"], row.get("url", "")), row["grade"] >= good) for row in rows]
        found[name] = round(auc([score for score, ok in scores if ok], [score for score, ok in scores if not ok]), 4)
        pairs[name] = len(rows)
    return {"auc": found, "pairs": pairs}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    if not given.data.is_dir():
        print(f"No data at {given.data}: this benchmark needs the shared relevance sets.", file=sys.stderr)
        return 2
    scorer = [sys.executable, str(given.data / "score_relevance.py"), "relevance:judged"]
    own = subprocess.run(scorer, cwd=Path(__file__).parent, capture_output=True, text=True, check=True).stdout
    print(own)
    found = dict(measure(given.data))
    for name, figures in found.items():
        print(f"{name:12}", " · ".join(f"{key} {value}" for key, value in figures.items()))
    if given.json:
        given.json.write_text(json.dumps({"traps": found, "scorer": own.splitlines()}, indent=2) + "\n", encoding="utf-8")
    record("relevance", {"auc": {name: float(auc) for name, auc in _AUC.findall(own)}, "traps": found})
    return 0


if __name__ == "__main__":
    sys.exit(main())
