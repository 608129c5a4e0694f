"""Check the pinned versions against published advisories: `python docs/advisories.py`.

Asks the database of OSV (or `--source URL`, a mirror with its interface) about each version in
`constraints.txt` and about the direct dependencies in `pyproject.toml`. Exit codes: 0, nothing is
known of any; 1, something is; 3, the source did not answer, so that nothing is known.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tomllib
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SOURCE = "https://api.osv.dev"
PIN = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^\s;]+)", re.MULTILINE)
#: Packages asked about in one request, as the source allows.
BATCH = 500
TIMEOUT_S = 30
CLEAN, FOUND, UNKNOWN = 0, 1, 3


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--source", default=SOURCE, help=f"usually {SOURCE}")
    source = parser.parse_args(argv).source
    pins = read_pins()
    try:
        found = find_advisories(source, pins)
    except (OSError, ValueError, KeyError) as error:
        print(
            f"{source} did not answer as expected ({error}). Nothing is known about the"
            f" {len(pins)} pinned versions: run this again where it can be reached.",
            file=sys.stderr,
        )
        return UNKNOWN
    for (name, version), ids in found.items():
        print(f"{name} {version}: {', '.join(ids)}")
    print(f"{len(pins)} pinned versions, {len(found)} with advisories at {source}.")
    return FOUND if found else CLEAN


def read_pins(root: Path = ROOT) -> list[tuple[str, str]]:
    """Return (name, version) of every pinned package, in alphabetical order."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    direct = [*project["dependencies"]]
    for extra in project.get("optional-dependencies", {}).values():
        direct += extra
    lines = "\n".join([*direct, (root / "constraints.txt").read_text("utf-8")])
    return sorted(set(PIN.findall(lines)))


def find_advisories(
    source: str, pins: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], list[str]]:
    """Return the ids of the advisories about each pin that has some.

    Raises OSError, ValueError or KeyError if the source does not answer about all of them.
    """
    found = {}
    for start in range(0, len(pins), BATCH):
        part = pins[start : start + BATCH]
        queries = [
            {"package": {"name": name, "ecosystem": "PyPI"}, "version": version}
            for name, version in part
        ]
        answers = _ask(f"{source.rstrip('/')}/v1/querybatch", {"queries": queries})["results"]
        for pin, answer in zip(part, answers, strict=True):
            if ids := sorted(one["id"] for one in (answer or {}).get("vulns", [])):
                found[pin] = ids
    return found


def _ask(url: str, body: Any) -> Any:
    request = urllib.request.Request(
        url, json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
        return json.load(answer)


if __name__ == "__main__":
    sys.exit(main())
