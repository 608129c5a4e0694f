"""Measure how well and how fast a library is searched by words, by meaning and by both.

    python benchmarks/library.py [--keep HOME]

Data: `offline_web` in the shared data: questions whose pages people judged, and known items (the
words of a page's address, which must lead back to it). Prints and records nDCG, ranks, AUC and
milliseconds of each search; the seconds of adding the pages with and without the meaning; and the
milliseconds of a search of 36,000 passages. With ASSAY_SEMANTIC=0 only words are measured.
"""

from __future__ import annotations

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

from benchmarks.inputs import find_shared_folder, make_parser, read_json_lines
from benchmarks.measures import auc
from benchmarks.offline_web import write_pages
from benchmarks.results import record
from research_core.search.library.meaning import MAX_PASSAGES, Vectors, name_model
from research_core.search.library.passages import split_passages
from research_core.search.library.shelf import Document, Shelf
from research_core.settings import Settings
from research_core.text.embeddings import VECTOR_SIZE
from research_core.urls import canonical_url
from research_core.wiring import LOCAL_USER, Resources

LIBRARY = "offline-web"
#: The grade, of 4, from which a page is good.
GOOD_GRADE = 3
#: Results that a reader sees, and results that are searched for the judged pages.
SHOWN_RESULTS = 10
ALL_RESULTS = 100
#: Passages of the large library.
MANY_PASSAGES = 36_000
PASSAGES_PER_DOCUMENT = 20
#: Passages whose meaning is computed to time it.
TIMED_PASSAGES = 300

#: Returns the addresses that a query finds, the best first, at most so many.
Search = Callable[[str, int], Sequence[str]]


@dataclass(frozen=True)
class JudgedQuery:
    """A query, and the grades of the pages judged for it by canonical address."""

    query: str
    grades: Mapping[str, int]


# -- queries ---------------------------------------------------------------------------------------


def read_judged_queries(data: Path, urls: set[str]) -> list[JudgedQuery]:
    """Return the questions for which people judged a page of the library good."""
    queries = []
    for row in read_json_lines(data / "questions.jsonl"):
        grades = _select_grades(row.get("judged", ()), urls)
        if any(grade >= GOOD_GRADE for grade in grades.values()):
            queries.append(JudgedQuery(row["question"], grades))
    return queries


def _select_grades(judged: Sequence[tuple[str, int]], urls: set[str]) -> dict[str, int]:
    """Return the highest grade of each judged page that the library holds."""
    grades: dict[str, int] = {}
    for url, grade in judged:
        try:
            address = canonical_url(url)
        except ValueError:
            continue
        if address in urls:
            grades[address] = max(grade, grades.get(address, 0))
    return grades


def make_known_items(urls: Sequence[str]) -> list[JudgedQuery]:
    """Return a query of every third page whose address ends in four words or more."""
    queries = []
    for url in sorted(urls):
        last_part = unquote(urlsplit(url).path.rstrip("/").rpartition("/")[2]).lower()
        words = []
        for word in re.split(r"[^a-z]+", last_part):
            if len(word) > 2 and word not in ("html", "htm", "php", "index", "aspx"):
                words.append(word)
        if len(words) >= 4:
            queries.append(JudgedQuery(" ".join(words), {url: 4}))
    return queries[::3]


# -- quality of results ----------------------------------------------------------------------------


def rate_results(found: Sequence[str], grades: Mapping[str, int]) -> dict[str, float]:
    """Return nDCG at 10, whether a good page is in the first 10, its reciprocal rank, and if first.

    Grades below 2 gain nothing.
    """
    gains = [_compute_gain(grades.get(url, 0)) for url in found[:SHOWN_RESULTS]]
    ideal = sorted(map(_compute_gain, grades.values()), reverse=True)[:SHOWN_RESULTS]
    rank = 0
    for place, url in enumerate(found, 1):
        if grades.get(url, 0) >= GOOD_GRADE:
            rank = place
            break
    return {
        "ndcg_10": _sum_discounted(gains) / _sum_discounted(ideal),
        "good_in_10": float(0 < rank <= SHOWN_RESULTS),
        "mrr": 1 / rank if rank else 0.0,
        "first": float(rank == 1),
    }


def _compute_gain(grade: int) -> float:
    return 2.0**grade - 1 if grade >= 2 else 0.0


def _sum_discounted(gains: Sequence[float]) -> float:
    return sum(gain / log2(place + 2) for place, gain in enumerate(gains))


def measure_auc(found: Sequence[str], grades: Mapping[str, int]) -> float | None:
    """Return the AUC of good against other judged pages, or None if one of the two is missing.

    A page that is not found ranks last.
    """
    places = {url: place for place, url in enumerate(found)}
    good: list[float] = []
    others: list[float] = []
    for url, grade in grades.items():
        score = -places.get(url, len(found))
        (good if grade >= GOOD_GRADE else others).append(score)
    return auc(good, others) if good and others else None


def measure_search(search: Search, queries: Sequence[JudgedQuery]) -> dict[str, float]:
    """Return the means over the queries, and the median of their milliseconds."""
    ratings = []
    areas = []
    times = []
    for judged in queries:
        began = time.perf_counter()
        search(judged.query, SHOWN_RESULTS)
        times.append(1000 * (time.perf_counter() - began))
        found = search(judged.query, ALL_RESULTS)
        ratings.append(rate_results(found, judged.grades))
        area = measure_auc(found, judged.grades)
        if area is not None:
            areas.append(area)
    figures = {}
    for name in ratings[0]:
        figures[name] = round(statistics.fmean(rating[name] for rating in ratings), 3)
    if areas:
        figures["auc"] = round(statistics.fmean(areas), 3)
    figures["median_ms"] = round(statistics.median(times), 1)
    return figures


def make_searches(resources: Resources) -> dict[str, Search]:
    """Return the searches by words and, if the library has its meaning, by meaning and by both."""
    library = resources.library(LOCAL_USER)

    def search_words(query: str, count: int) -> list[str]:
        return [row["url"] for row in library.find(LIBRARY, query, count, by_meaning=False)]

    def search_both(query: str, count: int) -> list[str]:
        return [row["url"] for row in library.find(LIBRARY, query, count)]

    state = library.read_embedding_state(LIBRARY)
    if not state.on:
        print(state.sentence())
        return {"words": search_words}
    shelf = Shelf.open(resources.db, LOCAL_USER, LIBRARY)
    documents = dict(enumerate(_list_documents(shelf)))
    keys = {id: document.key for id, document in documents.items()}
    vectors = Vectors()
    model = name_model(resources.embedder)

    def search_meaning(query: str, count: int) -> list[str]:
        meaning = resources.embedder.embed([query])[0]
        closest = vectors.find_closest(shelf, model, meaning, keys, count) or {}
        ranking = sorted(closest, key=lambda id: (-closest[id][0], documents[id].url))
        return [documents[id].url for id in ranking[:count]]

    return {"words": search_words, "meaning": search_meaning, "both": search_both}


def _list_documents(shelf: Shelf) -> list[Document]:
    return [change.document for change in shelf.changes(0) if not change.gone]


# -- times -----------------------------------------------------------------------------------------


class RandomVectors:
    """A shelf of 36,000 passages with random meanings, made anew whenever they are read."""

    def vectors(self, model: str, keys: Any) -> dict[str, bytes]:
        documents = MANY_PASSAGES // PASSAGES_PER_DOCUMENT
        shape = (documents, PASSAGES_PER_DOCUMENT, VECTOR_SIZE)
        rows = np.random.default_rng(1).standard_normal(shape).astype(np.float16)
        return {str(number): rows[number].tobytes() for number in range(documents)}


def time_large_library(resources: Resources) -> dict[str, float]:
    """Return the milliseconds of embedding a query and comparing it with 36,000 passages."""
    vectors = Vectors()
    keys = {number: str(number) for number in range(MANY_PASSAGES // PASSAGES_PER_DOCUMENT)}
    times = []
    for number in range(21):
        query = f"What is known of the eels of harbour number {number} in September?"
        began = time.perf_counter()
        meaning = resources.embedder.embed([query])[0]
        vectors.find_closest(RandomVectors(), "m", meaning, keys, ALL_RESULTS)  # type: ignore[arg-type]
        times.append(1000 * (time.perf_counter() - began))
    # The first search also reads the vectors.
    return {
        "passages": MANY_PASSAGES,
        "median_ms": round(statistics.median(times[1:]), 1),
        "first_ms": round(times[0]),
    }


def time_adding(resources: Resources, folder: Path) -> dict[str, float]:
    """Return the seconds of adding all pages to a new library, and of adding them again."""
    library = resources.library(LOCAL_USER)
    times = []
    for _ in range(2):
        began = time.perf_counter()
        print(library.add(folder, LIBRARY).sentence().splitlines()[0])
        times.append(round(time.perf_counter() - began, 1))
    return {
        "documents": len(library.list_documents(LIBRARY)),
        "adding_s": times[0],
        "again_s": times[1],
    }


def time_embedding(resources: Resources) -> dict[str, float]:
    """Return how many passages are embedded in a second and in a CPU second, over 300 of them."""
    documents = _list_documents(Shelf.open(resources.db, LOCAL_USER, LIBRARY))
    passages = 0
    for document in documents:
        passages += min(len(list(split_passages(document.text))), MAX_PASSAGES)
    texts = []
    for document in documents[::9]:
        for start, end in list(split_passages(document.text))[:3]:
            texts.append(document.text[start:end])
    texts = texts[:TIMED_PASSAGES]
    resources.embedder.embed(texts[:3])  # loads the model
    wall_began = time.perf_counter()
    cpu_began = time.process_time()
    resources.embedder.embed(texts)
    wall = time.perf_counter() - wall_began
    cpu = time.process_time() - cpu_began
    return {
        "passages": passages,
        "a_second": round(len(texts) / wall, 1),
        "a_cpu_second": round(len(texts) / cpu, 1),
    }


def _print_progress(done: int, total: int, title: str) -> None:
    print(f"\r{done}/{total}", end="", file=sys.stderr)


def _open_resources(home: Path) -> Resources:
    return Resources(Settings.from_env({"ASSAY_HOME": str(home)}))


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--keep", type=Path, help="a home to keep, so that a second run is faster")
    options = parser.parse_args()
    data = find_shared_folder("offline_web")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "pages"
        folder.mkdir()
        write_pages(data, folder)
        new = _open_resources(Path(temporary) / "new")
        figures: dict[str, Any] = {"adding": time_adding(new, folder)}
        resources = _open_resources(options.keep) if options.keep else new
        library = resources.library(LOCAL_USER)
        library.add(folder, LIBRARY)
        library.embed_documents(LIBRARY, _print_progress)
        urls = [row["url"] for row in library.list_documents(LIBRARY)]
        sets = {"judged": read_judged_queries(data, set(urls)), "known": make_known_items(urls)}
        for set_name, queries in sets.items():
            figures[set_name] = {"queries": len(queries)}
        for search_name, search in make_searches(resources).items():
            for set_name, queries in sets.items():
                measured = measure_search(search, queries)
                figures[set_name][search_name] = measured
                line = " · ".join(f"{key} {value}" for key, value in measured.items())
                print(f"{set_name:8} {search_name:8} {line}")
        if not library.read_embedding_state(LIBRARY).why:
            figures["meaning"] = time_embedding(resources)
            figures["many"] = time_large_library(resources)
        new.close()
        if resources is not new:
            resources.close()
    times = {name: figures[name] for name in ("adding", "meaning", "many") if name in figures}
    print(json.dumps(times))
    record("library", figures)


if __name__ == "__main__":
    main()
