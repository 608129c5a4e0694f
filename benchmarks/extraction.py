"""How well the main text of real pages is told from its surroundings, with title, author and day,
and at what cost.

    python benchmarks/extraction.py [--data ../shared/data/extraction]

Main text and fields as the data's own scorer counts them, on the share of the pages that is there
to develop with. The cost is CPU time, page by page beside trafilatura's own extraction with
metadata in the same process, so that a busy machine slows both.
"""

from __future__ import annotations

import argparse
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

from benchmarks.results import record, shared
from research_core.errors import FetchError
from research_core.web.html import parse

#: Pages of each set whose reading is timed.
TIMED = 150
WANTED = {"scrapinghub": 0.962, "trafilatura": 0.92, "speed": 0.5}
_TEXT = re.compile(r"^(\w+) n=(\d+) F1=([\d.]+) P=([\d.]+) R=([\d.]+)", re.MULTILINE)
_FIELDS = re.compile(r"date ([\d.]+) title ([\d.]+) author F1 ([\d.]+)")


def text(body: bytes, url: str) -> str:
    return str(parse(body, url)["text"])


def fields(body: bytes, url: str) -> dict[str, Any]:
    """What the scorer asks of a page: title, author, date."""
    found = parse(body, url)
    return {
        "title": found["title"],
        "author": found.get("metadata", {}).get("authors", []),
        "date": found["published"],
    }


def theirs(body: bytes, url: str) -> object:
    return bare_extraction(body, url=url, fast=True, include_comments=False, with_metadata=True)


def pages(data: Path) -> Iterator[tuple[bytes, str]]:
    """The first pages of each set, with their addresses."""
    for name in ("scrapinghub", "trafilatura"):
        truth = json.loads((data / f"{name}_truth.json").read_text(encoding="utf-8"))
        with zipfile.ZipFile(data / f"{name}_pages.zip") as archive:
            for key, known in list(truth.items())[:TIMED]:
                yield archive.read(known.get("file", f"{key}.html")), known.get("url", key)


def speed(data: Path) -> dict[str, float]:
    """Pages per CPU second of both readers, and the ratio."""
    seconds, timed = {parse: 0.0, theirs: 0.0}, list(pages(data))
    readers: list[Callable[[bytes, str], object]] = [parse, theirs]
    for body, url in timed:
        for read in readers:
            began = time.process_time()
            with suppress(FetchError):  # a page without text costs time all the same
                read(body, url)
            seconds[read] += time.process_time() - began
        readers.reverse()
    ours, other = (round(len(timed) / seconds[read], 1) for read in (parse, theirs))
    return {
        "pages": len(timed),
        "pages_per_cpu_s": ours,
        "trafilatura_pages_per_cpu_s": other,
        "ratio": round(ours / other, 2),
    }


def scored(data: Path) -> tuple[dict[str, Any], dict[str, float]]:
    """({set: its figures}, {field: its share}) as the data's own scorer prints them."""
    scorer = [
        sys.executable,
        str(data / "score_extraction.py"),
        "extraction:text",
        "--meta",
        "extraction:fields",
    ]
    printed = subprocess.run(
        scorer, cwd=Path(__file__).parent, capture_output=True, text=True, check=True
    ).stdout
    print(printed)
    sets = {
        name: {
            "pages": int(count),
            "f1": float(f1),
            "precision": float(precision),
            "recall": float(recall),
            "wanted": WANTED[name],
        }
        for name, count, f1, precision, recall in _TEXT.findall(printed)
    }
    found = _FIELDS.search(printed)
    return sets, dict(
        zip(
            ("date", "title", "author_f1"),
            map(float, found.groups() if found else ()),
            strict=False,
        )
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path)
    data = parser.parse_args().data or shared("extraction")
    sets, shares = scored(data)
    cost = speed(data)
    print(
        f"{cost['pages_per_cpu_s']} pages a CPU second, trafilatura with metadata"
        f" {cost['trafilatura_pages_per_cpu_s']}: {cost['ratio']}"
    )
    record(
        "extraction",
        {"text": sets, "fields": shares, "cost": {**cost, "wanted_ratio": WANTED["speed"]}},
    )


if __name__ == "__main__":
    main()
