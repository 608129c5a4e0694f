"""What keeps false citations out: `python benchmarks/linter.py [--replies 10000] [--seed 1] [--data
../shared/data] [--json]`.

Made-up replies of a hostile model through a run's own code (`hostile`), and the linter of cited
reports held against published ones, each read a second time in another, simpler way (`reports`). It
records nothing: `benchmarks/trust.py` does.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.hostile import hostile as hostile
from benchmarks.results import shared
from research_core.citations import linter

Row = dict[str, Any]
REPLIES = 10_000


def figures(data: Path, split: str = "share") -> Row:
    """Both, for a folder laid out like the shared data."""
    return {"hostile replies": hostile(REPLIES), "reports": reports(data, split)}


def published(folder: Path) -> Iterator[tuple[str, str, int]]:
    """(name, text, distinct addresses that the index counted) of each report."""
    index = {
        row["file"]: row["urls"]
        for row in json.loads((folder / "cited_reports_index.json").read_text(encoding="utf-8"))
    }
    with zipfile.ZipFile(folder / "cited_reports.zip") as archive:
        for name in sorted(set(archive.namelist()) & set(index)):
            yield name, archive.read(name).decode("utf-8", "replace"), index[name]


def reports(data: Path, split: str = "share") -> Row:
    """The linter on every report of a folder. split: says which half the folder holds, and is only
    told.

    invented: ids it told that do not stand in brackets in the text; missed: numbers in brackets up
    to 999 that have no entry and that it did not tell, by a reading that knows no context.
    addresses_alike: reports with as many addresses as the index counted.
    """
    counts: Counter[str] = Counter(dangling=0, invented=0, missed=0)
    kinds: Counter[str] = Counter()
    began = time.process_time()
    which: list[str] = []
    for name, text, indexed in published(data / "questions"):
        found = linter.lint_report(text)
        kinds.update(linter.count_kinds(found.findings))
        told = {one.what for one in found.findings if one.kind == "dangling"}
        standing = _bracketed(text)
        listed = {entry.id for entry in found.entries}
        counts.update(
            reports=1, marks=len(found.marks), entries=len(found.entries),
            addresses=len(found.urls), addresses_indexed=indexed,
            addresses_alike=len(found.urls) == indexed, without_a_list=not found.entries,
            with_dangling=bool(told), dangling=len(told),
            invented=len(told - standing),
            missed=len({id for id in standing - listed - told if int(id) <= linter.MAX_NUMBER}),
        )  # fmt: skip
        which += [f"{name}: {', '.join(sorted(told, key=int))}"] if told else []
    seconds = round(time.process_time() - began, 2)
    return {
        "split": split,
        **counts,
        "findings": dict(kinds),
        "dangling_in": which,
        "seconds": seconds,
    }


def _bracketed(text: str) -> set[str]:
    """The numbers that stand in brackets, each of a range too, wherever they stand."""
    numbers: set[str] = set()
    for inside in re.findall(r"[\[【［]\^?(\d{1,4}(?:[\s,;–—-]+\d{1,4})*)[\]】］†]", text):
        ends = re.findall(r"\d+", inside)
        numbers.update(ends)
        for first, last in re.findall(r"(\d+)\s*[–—-]\s*(?=(\d+))", inside):
            numbers.update(map(str, range(int(first), int(last) + 1)))
    return numbers


def main() -> None:
    asked = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    asked.add_argument("--replies", type=int, default=REPLIES)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--data", type=Path, help="a folder laid out like ../shared/data")
    asked.add_argument("--json", action="store_true", help="print the figures as one JSON object")
    given = asked.parse_args()
    data = given.data or shared("questions").parent
    found = {"hostile replies": hostile(given.replies, given.seed), "reports": reports(data)}
    if given.json:
        print(json.dumps(found, indent=2, ensure_ascii=False))
        return
    for name, row in found.items():
        print(name, *(f"  {key}: {value}" for key, value in row.items()), sep="\n")


if __name__ == "__main__":
    main()
