"""Measure whether addresses that are meant to get behind the guard do.

    python benchmarks/ssrf.py

Data: `adversarial/ssrf` in the shared data. Prints and records how many of the collected addresses
are refused by their text, by class; how many harmless ones pass; and how often a server on this
machine is reached when all of them are requested, directly and by redirect, with every unknown name
leading to a private address.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.inputs import find_shared_folder, make_parser
from benchmarks.results import record
from research_core.errors import FetchError
from research_core.web.http.guard import check_page_address, read_target
from tests.web.http.test_ssrf import LEADS_TO, ROWS, ask_all, redirect_all


def is_refused(url: str) -> bool:
    """Return True if the guard refuses the address without looking up its host."""
    try:
        check_page_address(read_target(url).origin, frozenset())
    except FetchError:
        return True
    return False


def count_readable(cases: list[object]) -> str:
    """Count the inputs of the URL standard that raise nothing but FetchError."""
    inputs = [case["input"] for case in cases if isinstance(case, dict)]
    for url in inputs:
        is_refused(url)  # another error ends the benchmark
    return f"{len(inputs)}/{len(inputs)}"


def main() -> None:
    make_parser(__doc__).parse_args()
    folder = find_shared_folder("adversarial") / "ssrf"
    collected = Counter(row["class"] for row in ROWS)
    refused = Counter(row["class"] for row in ROWS if is_refused(row["url"]))
    harmless = (folder / "benign_urls.txt").read_text(encoding="utf-8").split()
    passed = sum(not is_refused(url) for url in harmless)
    cases = json.loads((folder / "whatwg_urltestdata.json").read_text(encoding="utf-8"))
    reached = sum(map(ask_all, LEADS_TO))
    reached += sum(redirect_all([address]) for address in ("127.0.0.1", "::1"))
    figures = {
        "refused_by_text": {
            kind: f"{refused[kind]}/{collected[kind]}" for kind in sorted(collected)
        },
        "ordinary_let_through": f"{passed}/{len(harmless)}",
        "url_standard_cases_read_without_another_error": count_readable(cases),
        "asked": len(ROWS) * (len(LEADS_TO) + 2),
        "canary_reached": reached,
    }
    print(json.dumps(figures, indent=2))
    record("ssrf", figures)


if __name__ == "__main__":
    main()
