"""Measure how well main text, title, author and date of real pages are extracted, and at what cost.

    python benchmarks/extraction.py [--data DIR]

Data: `extraction` in the shared data. Prints and records text and fields as the data's own scorer
counts them, on the half of the pages that is shared. The cost is CPU time, page by page beside
trafilatura's own extraction with metadata in the same process, so that a busy machine slows both.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from trafilatura import bare_extraction

from benchmarks.inputs import SHARED_DATA, make_parser, require_folder
from benchmarks.results import record
from research_core.errors import FetchError
from research_core.web.html import parse

#: Pages of each set whose extraction is timed.
TIMED_PAGES = 150
#: F1 by set, and pages a CPU second as a share of trafilatura's.
TARGETS = {"scrapinghub": 0.962, "trafilatura": 0.92, "speed": 0.5}
_TEXT_LINE = re.compile(r"^(\w+) n=(\d+) F1=([\d.]+) P=([\d.]+) R=([\d.]+)", re.MULTILINE)
_FIELDS_LINE = re.compile(r"date ([\d.]+) title ([\d.]+) author F1 ([\d.]+)")


# -- what the scorer of the data calls -------------------------------------------------------------


def extract_text(body: bytes, url: str) -> str:
    """Return the main text of a page."""
    return str(parse(body, url)["text"])


def extract_fields(body: bytes, url: str) -> dict[str, Any]:
    """Return title, author and date of a page."""
    page = parse(body, url)
    return {
        "title": page["title"],
        "author": page.get("metadata", {}).get("authors", []),
        "date": page["published"],
    }


# -- measures --------------------------------------------------------------------------------------


def extract_with_trafilatura(body: bytes, url: str) -> object:
    return bare_extraction(body, url=url, fast=True, include_comments=False, with_metadata=True)


def iter_pages(data: Path) -> Iterator[tuple[bytes, str]]:
    """Yield the first pages of each set with their addresses."""
    for name in ("scrapinghub", "trafilatura"):
        truth = json.loads((data / f"{name}_truth.json").read_text(encoding="utf-8"))
        with zipfile.ZipFile(data / f"{name}_pages.zip") as archive:
            for key, known in list(truth.items())[:TIMED_PAGES]:
                yield archive.read(known.get("file", f"{key}.html")), known.get("url", key)


def measure_speed(data: Path) -> dict[str, float]:
    """Return the pages per CPU second of both programs, and the ratio."""
    pages = list(iter_pages(data))
    programs: list[Callable[[bytes, str], object]] = [parse, extract_with_trafilatura]
    seconds = dict.fromkeys(programs, 0.0)
    for body, url in pages:
        for extract in programs:
            began = time.process_time()
            with suppress(FetchError):  # a page without text takes time all the same
                extract(body, url)
            seconds[extract] += time.process_time() - began
        programs.reverse()
    ours = round(len(pages) / seconds[parse], 1)
    theirs = round(len(pages) / seconds[extract_with_trafilatura], 1)
    return {
        "pages": len(pages),
        "pages_per_cpu_s": ours,
        "trafilatura_pages_per_cpu_s": theirs,
        "ratio": round(ours / theirs, 2),
    }


def run_scorer(data: Path) -> tuple[dict[str, Any], dict[str, float]]:
    """Run and print the data's own scorer; return ({set: its figures}, {field: its share})."""
    scorer = subprocess.run(
        [
            sys.executable,
            str(data / "score_extraction.py"),
            "extraction:extract_text",
            "--meta",
            "extraction:extract_fields",
        ],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=True,
    )
    print(scorer.stdout)
    sets = {}
    for name, count, f1, precision, recall in _TEXT_LINE.findall(scorer.stdout):
        sets[name] = {
            "pages": int(count),
            "f1": float(f1),
            "precision": float(precision),
            "recall": float(recall),
            "wanted": TARGETS[name],
        }
    shares = {}
    fields = _FIELDS_LINE.search(scorer.stdout)
    if fields:
        date, title, author = map(float, fields.groups())
        shares = {"date": date, "title": title, "author_f1": author}
    return sets, shares


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--data", type=Path, default=SHARED_DATA / "extraction")
    data = require_folder(parser.parse_args().data)
    sets, shares = run_scorer(data)
    cost = measure_speed(data)
    print(
        f"{cost['pages_per_cpu_s']} pages a CPU second, trafilatura with metadata"
        f" {cost['trafilatura_pages_per_cpu_s']}: {cost['ratio']}"
    )
    recorded_cost = {**cost, "wanted_ratio": TARGETS["speed"]}
    record("extraction", {"text": sets, "fields": shares, "cost": recorded_cost})


if __name__ == "__main__":
    main()
