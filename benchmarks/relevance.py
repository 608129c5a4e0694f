"""Measure how well the offline judge tells good passages from bad ones, on human judgements.

    python benchmarks/relevance.py [--data DIR] [--json FILE]

Data: the four sets in `relevance` of the shared data, with grades by people. Prints, for each set,
AUC, nDCG and the errors of the gate. Then, for two sets, two figures on traps: of
the passages graded lowest, the fifth that shares most words with its question, the share that is
dropped; of those graded highest, the share that is kept. Records the AUCs and the traps. Nothing is
tuned for a question or a set.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.inputs import SHARED_DATA, make_parser, read_json_lines, require_folder
from benchmarks.measures import auc, measure_ndcg, measure_rank_correlation
from benchmarks.results import record
from research_core.llm.offline_judge import judge, measure_meaning
from research_core.text import embeddings
from research_core.text.embeddings import Embedder
from research_core.text.passages import select_passages
from research_core.text.question_spelling import spell_question
from research_core.text.sentence_meaning import knows_language
from research_core.text.similarity import content_tokens, measure_fit, parse_question
from research_core.text.topic_match import measure_signs
from research_core.text.words import tokenize

#: The grade from which a passage of a set is good.
GOOD_GRADES = {"trecqa_wang": 1, "medquad_liveqa": 3, "mediqa2019": 3, "noveleval": 1}
#: The sets in the order in which the scorer of the data prints them.
PRINTED_SETS = ("mediqa2019", "medquad_liveqa", "noveleval", "trecqa_wang")
TRAP_SETS = ("mediqa2019", "noveleval")
#: The sets over whose mean the gain by meaning is taken.
GAIN_SETS = ("trecqa_wang", "medquad_liveqa", "mediqa2019")
#: The score from which a run keeps a source in most modes.
KEPT_SCORE = 3
#: Two of the sets print the title of the page, then a colon, before its text.
_TITLE = re.compile(r"([^.!?\n]{3,150}?):\s")
#: One of the sets prints this for every number; the judge is given a number instead.
_NUMBER_MASK = ("<num>", "12")

Row = dict[str, Any]


def read_rows(folder: Path, name: str) -> list[Row]:
    """Return the judged passages of a set. folder: that of the sets."""
    return list(read_json_lines(folder / f"{name}.jsonl"))


# -- the judge -------------------------------------------------------------------------------------


def split_page(question: str, text: str) -> tuple[str, list[str]]:
    """Return title and passages of a judged text, which is taken for a page of its own."""
    text = text.replace(*_NUMBER_MASK)
    title = _TITLE.match(text)
    passages = [passage.text for passage in select_passages(question, text)] or [text[:700]]
    return title[1] if title else "", passages


def measure_passage(question: str, text: str, embedder: Embedder | None = None) -> dict[str, float]:
    """Return the judge's signs of a passage, which it is given as a page of its own."""
    title, passages = split_page(question, text)
    asked = spell_question(question, [title, *passages], is_english=knows_language(question)).text
    parsed = parse_question(asked)
    fit = measure_fit(parsed, title, passages)
    meaning = measure_meaning(embedder, [asked], title, passages) if embedder else None
    return measure_signs(parsed, asked, fit, passages, meaning, title)


def judge_passage(question: str, text: str, *, embedder: Embedder | None = None) -> float:
    """Return the judge's score of a passage with fractions, 1.0-5.99, so that it can be ranked."""
    title, passages = split_page(question, text)
    return judge(question, title, passages, embedder).exact


# -- tables of the sets ----------------------------------------------------------------------------


def describe_set(name: str, rows: Sequence[Row], scores: Sequence[float]) -> str:
    """Return one line on a set in the form of the data's own scorer."""
    good = [row["grade"] >= GOOD_GRADES[name] for row in rows]
    area = auc(*split_scores(scores, good))
    by_question: dict[str, list[tuple[float, float]]] = {}
    for row, score in zip(rows, scores, strict=True):
        by_question.setdefault(row["qid"], []).append((score, row["grade"]))
    ndcgs = []
    correlations = []
    for judged in by_question.values():
        scores_of_question = [score for score, _ in judged]
        grades = [grade for _, grade in judged]
        if len(set(grades)) == 1:
            continue
        ranking = sorted(judged, key=lambda each: -each[0])
        ndcg = measure_ndcg([grade for _, grade in ranking])
        if ndcg is not None:
            ndcgs.append(ndcg)
        if len(judged) > 3 and len(set(scores_of_question)) > 1:
            correlations.append(measure_rank_correlation(scores_of_question, grades))
    return (
        f"{name:15s} pairs={len(rows):5d} q={len(by_question):4d} pos={fmean(good):.2f}"
        f" AUC={area:.3f} nDCG@10={fmean(ndcgs):.3f} rho/q={fmean(correlations):+.3f}"
        f" | {_describe_gate(scores, good)}"
    )


def _describe_gate(scores: Sequence[float], good: Sequence[bool]) -> str:
    kept = [score >= KEPT_SCORE for score in scores]
    right = sum(keep and is_good for keep, is_good in zip(kept, good, strict=True))
    good_count = sum(good)
    dropped_right = len(good) - good_count - (sum(kept) - right)
    recall = right / good_count
    balanced = (recall + dropped_right / (len(good) - good_count)) / 2
    precision = right / max(1, sum(kept))
    return (
        f"keep>={KEPT_SCORE}: P={precision:.3f} R={recall:.3f} bAcc={balanced:.3f}"
        f" kept={fmean(kept):.2f}"
    )


def split_scores(scores: Sequence[float], good: Sequence[bool]) -> tuple[list[float], list[float]]:
    """Return the scores of good items and those of the others."""
    best = [score for score, is_good in zip(scores, good, strict=True) if is_good]
    others = [score for score, is_good in zip(scores, good, strict=True) if not is_good]
    return best, others


# -- traps -----------------------------------------------------------------------------------------


def measure_traps(rows: Sequence[Row]) -> dict[str, Any]:
    """Return the dropped share of the most tempting bad passages and the kept share of the best."""
    lowest = min(row["grade"] for row in rows)
    highest = max(row["grade"] for row in rows)
    worst = [row for row in rows if row["grade"] == lowest]
    worst.sort(key=lambda row: -_measure_overlap(row["question"], row["text"]))
    tempting = worst[: len(worst) // 5]
    best = [row for row in rows if row["grade"] == highest]
    return {
        "traps": len(tempting),
        "traps dropped": round(_count_dropped(tempting) / (len(tempting) or 1), 3),
        "best": len(best),
        "best kept": round((len(best) - _count_dropped(best)) / (len(best) or 1), 3),
    }


def _count_dropped(rows: Sequence[Row]) -> int:
    return sum(judge_passage(row["question"], row["text"]) < KEPT_SCORE for row in rows)


def _measure_overlap(question: str, text: str) -> float:
    """Return the share of the question's distinct words that the passage holds, 0.0-1.0."""
    words = set(content_tokens(question))
    return len(words & set(tokenize(text))) / (len(words) or 1)


def measure_all_traps(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the figures on traps of each set, and of all of them together."""
    figures = {}
    extremes = []
    for name in TRAP_SETS:
        rows = read_rows(folder, name)
        figures[name] = measure_traps(rows)
        # The sets grade on different scales, so only the two ends of each are put together.
        lowest = min(row["grade"] for row in rows)
        highest = max(row["grade"] for row in rows)
        for row in rows:
            if row["grade"] in (lowest, highest):
                extremes.append({**row, "grade": int(row["grade"] == highest)})
    figures["together"] = measure_traps(extremes)
    return figures


# -- figures of one half, for trust.py -------------------------------------------------------------


def measure(data: Path, split: str) -> dict[str, Any]:
    """Return AUC, pairs and kept shares of the judge by set, by words alone, for one half.

    data: a folder laid out like the shared data.
    """
    return _measure_sets(data, split, None)


def measure_by_meaning(data: Path, split: str) -> dict[str, Any]:
    """Return the same, the figures "by meaning", and the "semantic gain" over three sets.

    Takes minutes. Without the embedding model, "by meaning" says in words why it is missing.
    """
    by_words = _measure_sets(data, split, None)
    embedder = embeddings.find_embedder()
    if embedder.why:
        return {**by_words, "by meaning": embedder.why}
    by_meaning = _measure_sets(data, split, embedder)
    names = [name for name in GAIN_SETS if name in by_words["auc"]]
    gain = sum(by_meaning["auc"][name] - by_words["auc"][name] for name in names)
    gain /= len(names) or 1
    return {**by_words, "by meaning": by_meaning, "semantic gain": round(gain, 4)}


def _measure_sets(data: Path, split: str, embedder: Embedder | None) -> dict[str, Any]:
    figures: dict[str, dict[str, Any]] = {"auc": {}, "pairs": {}, "kept": {}}
    for name, good_grade in GOOD_GRADES.items():
        rows = [row for row in read_rows(data / "relevance", name) if row["split"] == split]
        if not rows:
            continue
        scores = [judge_passage(row["question"], row["text"], embedder=embedder) for row in rows]
        best, others = split_scores(scores, [row["grade"] >= good_grade for row in rows])
        figures["auc"][name] = round(auc(best, others), 4)
        figures["pairs"][name] = len(rows)
        figures["kept"][name] = {
            "good": _measure_kept_share(best),
            "others": _measure_kept_share(others),
        }
    return figures


def _measure_kept_share(scores: Sequence[float]) -> float:
    kept = sum(score >= KEPT_SCORE for score in scores)
    return round(kept / (len(scores) or 1), 3)


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--data", type=Path, default=SHARED_DATA / "relevance")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    options = parser.parse_args()
    folder = require_folder(options.data)
    areas = {}
    lines = []
    for name in PRINTED_SETS:
        rows = read_rows(folder, name)
        scores = [judge_passage(row["question"], row["text"]) for row in rows]
        good = [row["grade"] >= GOOD_GRADES[name] for row in rows]
        areas[name] = round(auc(*split_scores(scores, good)), 3)
        lines.append(describe_set(name, rows, scores))
        print(lines[-1], flush=True)
    print()
    traps = measure_all_traps(folder)
    for name, figures in traps.items():
        print(f"{name:12}", " · ".join(f"{key} {value}" for key, value in figures.items()))
    if options.json:
        text = json.dumps({"traps": traps, "scorer": lines}, indent=2)
        options.json.write_text(text + "\n", encoding="utf-8")
    record("relevance", {"auc": areas, "traps": traps})


if __name__ == "__main__":
    main()
