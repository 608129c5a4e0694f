"""Addresses meant to get behind the guard: `python benchmarks/ssrf.py`.

How many of the collected ones are refused by their text, by class; how many ordinary ones pass; and
how often a canary on this machine is reached when all of them are asked for, directly and by
redirect, with every unknown name leading inside.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.results import record, shared
from research_core.errors import FetchError
from research_core.web.http.guard import check_page_address, read_target
from tests.web.http.test_ssrf import LEADS_TO, ROWS, ask_all, redirect_all


def refused(url: str) -> bool:
    with suppress(FetchError):
        check_page_address(read_target(url).origin, frozenset())
        return False
    return True


def main() -> None:
    folder = shared("adversarial") / "ssrf"
    of = Counter(row["class"] for row in ROWS)
    kept_out = Counter(row["class"] for row in ROWS if refused(row["url"]))
    benign = (folder / "benign_urls.txt").read_text(encoding="utf-8").split()
    cases = [
        case["input"]
        for case in json.loads((folder / "whatwg_urltestdata.json").read_text(encoding="utf-8"))
        if isinstance(case, dict)
    ]
    figures = {
        "refused_by_text": {kind: f"{kept_out[kind]}/{of[kind]}" for kind in sorted(of)},
        "ordinary_let_through": f"{sum(not refused(url) for url in benign)}/{len(benign)}",
        "url_standard_cases_read_without_another_error": (
            f"{sum(refused(url) in (True, False) for url in cases)}/{len(cases)}"
        ),
        "asked": len(ROWS) * (len(LEADS_TO) + 2),
        "canary_reached": (
            sum(map(ask_all, LEADS_TO)) + sum(redirect_all([one]) for one in ("127.0.0.1", "::1"))
        ),
    }
    print(json.dumps(figures, indent=2))
    record("ssrf", figures)


if __name__ == "__main__":
    main()
