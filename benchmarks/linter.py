"""Measure what keeps false citations out: hostile replies, and the linter of cited reports.

    python benchmarks/linter.py [--replies 10000] [--seed 1] [--data DIR] [--json]

Data: reports that agents published (`questions` in the shared data). Prints the rules that reports
over made-up replies of a hostile model break (`benchmarks/hostile.py`), and the findings of the
linter on the published reports, which are checked by a second, simpler parser. Records nothing:
`benchmarks/trust.py` does.
"""

from __future__ import annotations

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

from benchmarks.hostile import measure_hostile_replies
from benchmarks.inputs import SHARED_DATA, make_parser, require_folder
from research_core.citations import linter

Row = dict[str, Any]
REPLIES = 10_000


def measure(data: Path, split: str = "share") -> Row:
    """Return both parts, for a folder laid out like the shared data."""
    return {
        "hostile replies": measure_hostile_replies(REPLIES),
        "reports": measure_reports(data, split),
    }


def iter_reports(folder: Path) -> Iterator[tuple[str, str, int]]:
    """Yield (name, text, distinct addresses by the index) of each published report."""
    index = json.loads((folder / "cited_reports_index.json").read_text(encoding="utf-8"))
    addresses = {row["file"]: row["urls"] for row in index}
    with zipfile.ZipFile(folder / "cited_reports.zip") as archive:
        for name in sorted(set(archive.namelist()) & set(addresses)):
            yield name, archive.read(name).decode("utf-8", "replace"), addresses[name]


def measure_reports(data: Path, split: str = "share") -> Row:
    """Count the findings of the linter on every published report.

    split: the half that the folder holds, repeated in the figures. invented: ids called dangling
    that are not in brackets in the text. missed: numbers in brackets up to 999 without an entry
    that were not found, by a parser that knows no context. addresses_alike: reports with as many
    addresses as the index counted.
    """
    counts: Counter[str] = Counter(dangling=0, invented=0, missed=0)
    kinds: Counter[str] = Counter()
    reports_with_dangling = []
    began = time.process_time()
    for name, text, indexed_addresses in iter_reports(data / "questions"):
        checked = linter.lint_report(text)
        kinds.update(linter.count_kinds(checked.findings))
        dangling = {one.what for one in checked.findings if one.kind == "dangling"}
        in_brackets = _find_bracketed_numbers(text)
        listed = {entry.id for entry in checked.entries}
        without_entry = in_brackets - listed - dangling
        counts.update(
            reports=1,
            marks=len(checked.marks),
            entries=len(checked.entries),
            addresses=len(checked.urls),
            addresses_indexed=indexed_addresses,
            addresses_alike=len(checked.urls) == indexed_addresses,
            without_a_list=not checked.entries,
            with_dangling=bool(dangling),
            dangling=len(dangling),
            invented=len(dangling - in_brackets),
            missed=sum(int(id) <= linter.MAX_NUMBER for id in without_entry),
        )
        if dangling:
            reports_with_dangling.append(f"{name}: {', '.join(sorted(dangling, key=int))}")
    return {
        "split": split,
        **counts,
        "findings": dict(kinds),
        "dangling_in": reports_with_dangling,
        "seconds": round(time.process_time() - began, 2),
    }


def _find_bracketed_numbers(text: str) -> set[str]:
    """Return the numbers in brackets, and those of each range in brackets, wherever they stand."""
    numbers: set[str] = set()
    for inside in re.findall(r"[\[【［]\^?(\d{1,4}(?:[\s,;–—-]+\d{1,4})*)[\]】］†]", text):
        numbers.update(re.findall(r"\d+", inside))
        for first, last in re.findall(r"(\d+)\s*[–—-]\s*(?=(\d+))", inside):
            numbers.update(map(str, range(int(first), int(last) + 1)))
    return numbers


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--replies", type=int, default=REPLIES)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data", type=Path, default=SHARED_DATA)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    options = parser.parse_args()
    require_folder(options.data / "questions")
    figures = {
        "hostile replies": measure_hostile_replies(options.replies, options.seed),
        "reports": measure_reports(options.data),
    }
    if options.json:
        print(json.dumps(figures, indent=2, ensure_ascii=False))
        return
    for name, row in figures.items():
        print(name)
        for key, value in row.items():
            print(f"  {key}: {value}")


if __name__ == "__main__":
    main()
