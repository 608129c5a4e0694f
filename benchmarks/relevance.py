"""How well the offline judge tells good passages from bad ones, on human judgements that nobody
here wrote.

    python benchmarks/relevance.py [--data ../shared/data/relevance] [--json FILE]

Prints, per set, what the data's own scorer prints for the judge, and the two trap figures: of the
passages graded lowest, the fifth that shares most words with its question, how many are dropped; of
those graded highest, how many are kept. Not tuned per question or per set.
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
from research_core.llm.offline_judge import nearest_cosine
from research_core.text import embeddings
from research_core.text.embeddings import Embedder
from research_core.text.passages import select_passages
from research_core.text.similarity import content_tokens, measure_fit, parse_question
from research_core.text.topic_match import estimate_chance, load_weights, measure_signs
from research_core.text.words import tokenize

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "relevance"
TRAPS = ("mediqa2019", "noveleval")
KEPT = 3
#: Two of the sets print the page's title, then a colon, before its text.
_AUC = re.compile(r"^(\w+).*?AUC=([\d.]+)", re.MULTILINE)
_TITLE = re.compile(r"([^.!?\n]{3,150}?):\s")


#: One of the sets has this for every number; the judge is given a number.
_MASKED = ("<num>", "12")


def measured(question: str, text: str, embedder: Embedder | None = None) -> dict[str, float]:
    """The judge's signs of one passage, which is given to it as a page of its own is."""
    text = text.replace(*_MASKED)
    title = _TITLE.match(text)
    passages = [passage.text for passage in select_passages(question, text)] or [text[:700]]
    asked = parse_question(question)
    near = nearest_cosine(embedder, question, passages) if embedder else None
    return measure_signs(
        asked, question, measure_fit(asked, title[1] if title else "", passages), passages, near
    )


def judged(question: str, text: str, url: str = "", *, embedder: Embedder | None = None) -> float:
    """The judge's score of one passage, with fractions so that a ranking can be measured: at least
    3 exactly where the judge gives 3.
    """
    return _fraction(
        estimate_chance(measured(question, text, embedder)), by_meaning=embedder is not None
    )


def _fraction(likely: float, *, by_meaning: bool) -> float:
    least = load_weights()["meaning" if by_meaning else "words"]["least"]
    for number, (low, high) in enumerate(pairwise((0.0, *least, 1.0)), 1):
        if likely < high:
            return number + (likely - low) / (high - low)
    return 5.999


def overlap(question: str, text: str) -> float:
    """The share of the question's distinct words that the passage holds."""
    words = set(content_tokens(question))
    return len(words & set(tokenize(text))) / (len(words) or 1)


def traps(those: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Kept and dropped shares among the best passages and the most tempting of the worst."""
    grades = [row["grade"] for row in those]
    worst = sorted(
        (row for row in those if row["grade"] == min(grades)),
        key=lambda row: -overlap(row["question"], row["text"]),
    )
    tempting = worst[: len(worst) // 5]
    best = [row for row in those if row["grade"] == max(grades)]
    return {
        "traps": len(tempting),
        "traps dropped": _share(tempting, lambda score: score < KEPT),
        "best": len(best),
        "best kept": _share(best, lambda score: score >= KEPT),
    }


def _share(those: Sequence[dict[str, Any]], holds: Callable[[float], bool]) -> float:
    return round(
        sum(holds(judged(row["question"], row["text"])) for row in those) / (len(those) or 1), 3
    )


def rows(data: Path, name: str) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for line in (data / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    ]


def measure(data: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    sets = {name: rows(data, name) for name in TRAPS}
    for name, those in sets.items():
        yield name, traps(those)
    grades = {
        name: (min(row["grade"] for row in those), max(row["grade"] for row in those))
        for name, those in sets.items()
    }
    extremes = [
        (name, row) for name, those in sets.items() for row in those if row["grade"] in grades[name]
    ]
    yield (
        "together",
        traps([{**row, "grade": grades[name].index(row["grade"])} for name, row in extremes]),
    )


SETS = {"trecqa_wang": 1, "medquad_liveqa": 3, "mediqa2019": 3, "noveleval": 1}


#: The sets whose mean the gain by meaning is taken of.
GAIN = ("trecqa_wang", "medquad_liveqa", "mediqa2019")


def figures(data: Path, split: str, semantic: bool = False) -> dict[str, Any]:
    """{"auc": by set, "pairs": by set, "kept": by set the shares of good and other texts that score
    3 or more} of the judge, for one half.

    semantic: with {"by meaning": the same with the extra, "semantic gain": of the mean of three
    sets}; it takes minutes. Where the extra is not here, "by meaning" says so in words.
    """
    found = _figures(data, split, None)
    if not semantic:
        return found
    model = embeddings.find_embedder()
    if model.why:
        return {**found, "by meaning": model.why}
    closer = _figures(data, split, model)
    both = [name for name in GAIN if name in found["auc"]]
    gain = sum(closer["auc"][name] - found["auc"][name] for name in both) / (len(both) or 1)
    return {**found, "by meaning": closer, "semantic gain": round(gain, 4)}


def _figures(data: Path, split: str, embedder: Embedder | None) -> dict[str, Any]:
    found: dict[str, dict[str, Any]] = {"auc": {}, "pairs": {}, "kept": {}}
    for name, good in SETS.items():
        those = [row for row in rows(data / "relevance", name) if row["split"] == split]
        if not those:
            continue
        scores = [
            (judged(row["question"], row["text"], embedder=embedder), row["grade"] >= good)
            for row in those
        ]
        best, others = ([score for score, ok in scores if ok is kind] for kind in (True, False))
        found["auc"][name] = round(auc(best, others), 4)
        found["pairs"][name] = len(those)
        found["kept"][name] = {"good": _kept(best), "others": _kept(others)}
    return found


def _kept(scores: Sequence[float]) -> float:
    return round(sum(score >= KEPT for score in scores) / (len(scores) or 1), 3)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    if not given.data.is_dir():
        print(
            f"No data at {given.data}: this benchmark needs the shared relevance sets.",
            file=sys.stderr,
        )
        return 2
    scorer = [sys.executable, str(given.data / "score_relevance.py"), "relevance:judged"]
    own = subprocess.run(
        scorer, cwd=Path(__file__).parent, capture_output=True, text=True, check=True
    ).stdout
    print(own)
    found = dict(measure(given.data))
    for name, figures in found.items():
        print(f"{name:12}", " · ".join(f"{key} {value}" for key, value in figures.items()))
    if given.json:
        given.json.write_text(
            json.dumps({"traps": found, "scorer": own.splitlines()}, indent=2) + "\n",
            encoding="utf-8",
        )
    record(
        "relevance", {"auc": {name: float(auc) for name, auc in _AUC.findall(own)}, "traps": found}
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
