"""How well and how fast a library is searched, by words, by meaning and by both: `python
benchmarks/library.py [--keep FOLDER]`.

On the shared offline web: the questions whose pages people judged (a good page is one graded at
least 3 of 4), and known items (the words of a page's address, which must lead back to it). Also how
long adding takes with and without the meaning, and one search of 36,000 passages. Without the extra
`semantic` only the words are measured. --keep: a home to leave there, so that a second go need not
add.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.offline_web import write_out
from benchmarks.results import record, shared
from research_core.search.library.meaning import MAX_PASSAGES, Vectors, model_name
from research_core.search.library.passages import passage_spans
from research_core.search.library.shelf import Document, Shelf
from research_core.settings import Settings
from research_core.text.embeddings import VECTOR_SIZE
from research_core.urls import canonical_url
from research_core.wiring import LOCAL_USER, Resources

NAME, GOOD, MANY = "offline-web", 3, 36_000
#: Results that are looked through for the pages that were judged.
DEEP = 100
Search = Callable[[str, int], Sequence[str]]


@dataclass(frozen=True)
class Asked:
    """A query, and the grades of the pages that were judged for it, by canonical address."""

    query: str
    grades: Mapping[str, int]


def judged(data: Path, held: set[str]) -> list[Asked]:
    """The questions for which people judged a page good that the library holds."""
    rows = [
        json.loads(line)
        for line in (data / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    asked = [Asked(row["question"], _grades(row.get("judged", ()), held)) for row in rows]
    return [one for one in asked if any(grade >= GOOD for grade in one.grades.values())]


def _grades(given: Sequence[tuple[str, int]], held: set[str]) -> dict[str, int]:
    grades: dict[str, int] = {}
    for url, grade in given:
        try:
            address = canonical_url(url)
        except ValueError:
            continue
        if address in held:
            grades[address] = max(grade, grades.get(address, 0))
    return grades


def known_items(urls: Sequence[str]) -> list[Asked]:
    """Of every third page whose address has at least four words at its end: these words."""
    asked = []
    for url in sorted(urls):
        last = unquote(urlsplit(url).path.rstrip("/").rpartition("/")[2]).lower()
        words = [
            word
            for word in re.split(r"[^a-z]+", last)
            if len(word) > 2 and word not in ("html", "htm", "php", "index", "aspx")
        ]
        if len(words) >= 4:
            asked.append(Asked(" ".join(words), {url: 4}))
    return asked[::3]


def worth(found: Sequence[str], grades: Mapping[str, int]) -> dict[str, float]:
    """nDCG at 10 (gains of grades from 2 on), a good page in the first 10, 1 / rank of the first,
    whether it is the first, and AUC.
    """
    gains = [
        2.0**grade - 1 if grade >= 2 else 0.0
        for grade in (grades.get(url, 0) for url in found[:10])
    ]
    ideal = sorted((2.0**grade - 1 for grade in grades.values() if grade >= 2), reverse=True)[:10]
    first = next((n for n, url in enumerate(found, 1) if grades.get(url, 0) >= GOOD), 0)
    return {
        "ndcg_10": _discounted(gains) / _discounted(ideal),
        "good_in_10": float(0 < first <= 10),
        "mrr": 1 / first if first else 0.0,
        "first": float(first == 1),
    }


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / log2(n + 2) for n, gain in enumerate(gains))


def auc(found: Sequence[str], grades: Mapping[str, int]) -> float | None:
    """How often a good page stands before one that is not, of the judged ones; what is not found
    stands last. None without both.
    """
    place = {url: n for n, url in enumerate(found)}
    good, bad = (
        [place.get(url, len(found)) for url, grade in grades.items() if (grade >= GOOD) == wanted]
        for wanted in (True, False)
    )
    pairs = [1.0 if one < other else 0.5 if one == other else 0.0 for one in good for other in bad]
    return statistics.fmean(pairs) if pairs else None


def measured(search: Search, asked: Sequence[Asked]) -> dict[str, float]:
    """The means over the queries, and the median of the milliseconds of each."""
    rows, times, areas = [], [], []
    for one in asked:
        began = time.perf_counter()
        search(one.query, 10)
        times.append(1000 * (time.perf_counter() - began))
        found = search(one.query, DEEP)
        rows.append(worth(found, one.grades))
        areas.append(auc(found, one.grades))
    said = {name: round(statistics.fmean(row[name] for row in rows), 3) for name in rows[0]}
    known = [area for area in areas if area is not None]
    return (
        said
        | ({"auc": round(statistics.fmean(known), 3)} if known else {})
        | {"median_ms": round(statistics.median(times), 1)}
    )


def searches(resources: Resources) -> dict[str, Search]:
    library, shelf = resources.library(LOCAL_USER), Shelf.open(resources.db, LOCAL_USER, NAME)
    found: dict[str, Search] = {
        "words": lambda query, k: [
            row["url"] for row in library.find(NAME, query, k, by_meaning=False)
        ]
    }
    if not library.read_embedding_state(NAME).on:
        print(library.read_embedding_state(NAME).sentence())
        return found
    vectors = Vectors()
    documents = list(enumerate(_documents(shelf)))
    keys, urls = {id: each.key for id, each in documents}, {id: each.url for id, each in documents}

    def closest(query: str, k: int) -> list[str]:
        near = (
            vectors.closest(
                shelf, model_name(resources.embedder), resources.embedder.embed([query])[0], keys, k
            )
            or {}
        )
        return [urls[id] for id in sorted(near, key=lambda id: (-near[id][0], urls[id]))][:k]

    return found | {
        "meaning": closest,
        "both": lambda query, k: [row["url"] for row in library.find(NAME, query, k)],
    }


def of_many(resources: Resources) -> dict[str, float]:
    """Milliseconds of the meaning's part of one search in a library of 36,000 passages: the query's
    meaning, and the comparison.
    """

    class Many:
        def vectors(self, model: str, keys: Any) -> dict[str, bytes]:
            numbers = (
                np.random.default_rng(1)
                .standard_normal((MANY // 20 * 20, VECTOR_SIZE))
                .astype(np.float16)
            )
            return {str(n): numbers[20 * n : 20 * n + 20].tobytes() for n in range(MANY // 20)}

    vectors, keys = Vectors(), {n: str(n) for n in range(MANY // 20)}
    times = []
    for n in range(21):
        began = time.perf_counter()
        sense = resources.embedder.embed(
            [f"What is known of the eels of harbour number {n} in September?"]
        )[0]
        vectors.closest(Many(), "m", sense, keys, 100)  # type: ignore[arg-type]
        times.append(1000 * (time.perf_counter() - began))
    return {
        "passages": MANY,
        "median_ms": round(statistics.median(times[1:]), 1),
        "first_ms": round(times[0]),
    }


def added(resources: Resources, folder: Path) -> dict[str, float]:
    """Add all pages to a new library, and once more; the seconds of both."""
    library, times = resources.library(LOCAL_USER), []
    for _ in range(2):
        began = time.perf_counter()
        print(library.add(folder, NAME).sentence().splitlines()[0])
        times.append(round(time.perf_counter() - began, 1))
    return {
        "documents": len(library.list_documents(NAME)),
        "adding_s": times[0],
        "again_s": times[1],
    }


def pace(resources: Resources) -> dict[str, float]:
    """Passages whose meaning is worked out in a second, of the clock and of the processor, over 300
    of the library's.
    """
    shelf = Shelf.open(resources.db, LOCAL_USER, NAME)
    texts = [
        document.text[start:end]
        for document in _documents(shelf)[::9]
        for start, end in list(passage_spans(document.text))[:3]
    ][:300]
    resources.embedder.embed(texts[:3])
    wall, cpu = time.perf_counter(), time.process_time()
    resources.embedder.embed(texts)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    whole = sum(
        min(len(list(passage_spans(document.text))), MAX_PASSAGES) for document in _documents(shelf)
    )
    return {
        "passages": whole,
        "a_second": round(len(texts) / wall, 1),
        "a_cpu_second": round(len(texts) / cpu, 1),
    }


def _documents(shelf: Shelf) -> list[Document]:
    return [change.document for change in shelf.changes(0) if not change.gone]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", type=Path)
    arguments = parser.parse_args()
    data = shared("offline_web")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "pages"
        folder.mkdir()
        write_out(data, folder)
        new = Resources(Settings.from_env({"ASSAY_HOME": str(Path(temporary) / "new")}))
        figures: dict[str, Any] = {"adding": added(new, folder)}
        resources = (
            Resources(Settings.from_env({"ASSAY_HOME": str(arguments.keep)}))
            if arguments.keep
            else new
        )
        library = resources.library(LOCAL_USER)
        library.add(folder, NAME)
        library.embed_documents(
            NAME, lambda done, total, title: print(f"\r{done}/{total}", end="", file=sys.stderr)
        )
        urls = [row["url"] for row in library.list_documents(NAME)]
        sets = {"judged": judged(data, set(urls)), "known": known_items(urls)}
        for name, search in searches(resources).items():
            for what, asked in sets.items():
                figures.setdefault(what, {"queries": len(asked)})[name] = said = measured(
                    search, asked
                )
                print(
                    f"{what:8} {name:8}",
                    " · ".join(f"{key} {value}" for key, value in said.items()),
                )
        if not library.read_embedding_state(NAME).why:
            figures |= {"meaning": pace(resources), "many": of_many(resources)}
        for place in {new, resources}:
            place.close()
    print(
        json.dumps(
            {name: figures[name] for name in ("adding", "meaning", "many") if name in figures}
        )
    )
    record("library", figures)


if __name__ == "__main__":
    main()
