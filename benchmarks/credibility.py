"""How well what Assay knows of a host tells reliable sites from unreliable ones, on ratings that
nobody here gave.

    python benchmarks/credibility.py [--data ../shared/data] [--split share|hold]

Prints, for each set, the AUC of the authority that a run gives a host: by the specified tiers, by
all that comes with Assay, and with the list of Lin et al. imported; then what each part adds, how
many recorded search results stay unknown, and how long 500 sources take. Nothing was fitted to
these sets; the values of kinds are judgements, written down before they were measured.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.measures import auc
from research_core.policy import AUTHORITY_PARTS, CredibilityPolicy
from research_core.trust import credibility
from research_core.trust.hosts.authority import find_host_facts
from research_core.trust.hosts.outlets import iter_domains
from research_core.trust.ratings.lists import parse_list
from research_core.urls import find_host as host_of

FACTUAL = {"very-high": 5, "high": 4, "mostly-factual": 3, "mixed": 2, "low": 1, "very-low": 0}
CREDIBLE = {"high-credibility": 2, "medium-credibility": 1, "low-credibility": 0}
PERENNIAL = {"gr": 2, "nc": 1, "gu": 0, "d": 0}
GOGGLE = {"reliable": 2, "no_consensus": 1, "unreliable": 0}
READING = {"1": 2, "0": 1, "-1": 0, "-2": 0}
SEEN = ("high-traffic", "medium-traffic")
ALL = CredibilityPolicy(parts=AUTHORITY_PARTS)
Authority = Callable[[str], float]


@dataclass(frozen=True)
class Truth:
    """A set of hosts that others call good or bad."""

    name: str
    good: tuple[str, ...]
    bad: tuple[str, ...]

    def auc(self, authority: Authority) -> float:
        return round(
            auc([authority(host) for host in self.good], [authority(host) for host in self.bad]), 4
        )


def truths(data: Path, split: str) -> Iterator[Truth]:
    """The sets of a folder laid out like the shared data, those of this half."""
    mbfc = [row for row in _rows(data, "mbfc_2026.csv", split) if "/" not in row["domain"]]
    factual = [
        (row["domain"], FACTUAL[row["factual"]], row["traffic"])
        for row in mbfc
        if row["factual"] in FACTUAL
    ]
    yield _truth(
        "MBFC factual, sites with medium or high traffic",
        [(host, v) for host, v, seen in factual if seen in SEEN],
        1,
        4,
    )
    yield _truth("MBFC factual", [(host, value) for host, value, _ in factual], 1, 4)
    credible = [
        (row["domain"], CREDIBLE[row["credibility"]])
        for row in mbfc
        if row["credibility"] in CREDIBLE
    ]
    yield _truth("MBFC credibility", credible, 0, 2)
    wiki = [
        (row["domain"], value)
        for row in _rows(data, "wikipedia_sources.csv", split)
        if (value := _listed(row)) is not None
    ]
    yield _truth("Wikipedia's lists of sources", wiki, 0, 2)
    bodies = [
        (row["domain"], 0 if row["class"].startswith("predatory") else 2)
        for row in _rows(data, "institutions.csv", split)
    ]
    yield _truth("universities and government against predatory publishers", bodies, 0, 2)


def _rows(data: Path, name: str, split: str) -> list[dict[str, str]]:
    with (data / "credibility" / name).open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["split"] == split]


def _truth(name: str, rows: Sequence[tuple[str, int]], bad: int, good: int) -> Truth:
    return Truth(
        name,
        tuple(host for host, v in rows if v >= good),
        tuple(host for host, v in rows if v <= bad),
    )


def _listed(row: Mapping[str, str]) -> int | None:
    found = PERENNIAL.get(row["rsp_status"])
    found = GOGGLE.get(row["goggle_action"]) if found is None else found
    return READING.get(row["idiap_rsp"]) if found is None else found


def by_policy(policy: CredibilityPolicy, rated: Mapping[str, float] | None = None) -> Authority:
    """The authority of a host, or of an address, as a run under this policy gives it. rated: an
    imported list, by host.
    """

    def authority(named: str) -> float:
        host = _host(named)
        tier, part = credibility.find_deciding_part(host, policy, rating_of(host, rated or {}))
        return part.value if part else tier.value

    return authority


def rating_of(host: str, rated: Mapping[str, float]) -> dict[str, float]:
    """What the list says of a host, as the product looks it up."""
    return next(({"list": rated[end]} for end in iter_domains(host) if end in rated), {})


def _host(named: str) -> str:
    try:
        return host_of(named if "://" in named else f"https://{named.split('/')[0]}").removeprefix(
            "www."
        )
    except ValueError:
        return ""


def lin(data: Path) -> dict[str, float]:
    """The list of Lin et al., read as `assay ratings add` reads it; as much of it as is there."""
    return dict(
        parse_list(
            (data / "credibility" / "hauselin_pc1.csv").read_bytes(),
            host_column="domain",
            value_column="pc1",
        ).rows
    )


def unknown(data: Path) -> dict[str, Any]:
    """Of the recorded results of real searches: how many are of a host that nothing is known of,
    and by what the others are known.
    """
    there = data / "offline_web" / "webdancer_trajectories.jsonl"
    if not there.is_file():
        return {}
    lines = map(json.loads, there.read_text(encoding="utf-8").splitlines())
    urls = [
        result["url"]
        for line in lines
        for search in line["searches"]
        for result in search["results"]
    ]
    basis = Counter(credibility.assess(url, "", "", ALL).basis for url in urls)
    return {
        "results": len(urls),
        "unknown": round(basis["unknown"] / len(urls), 4),
        "by": dict(sorted(basis.items())),
    }


def milliseconds(data: Path, split: str) -> float:
    """Of 500 sources that were never seen before, with their scores; the median of five times."""
    hosts = [row["domain"] for row in _rows(data, "mbfc_2026.csv", split)][:500]
    snippet = (
        "A report of 2024 on how the price of bread has changed, with figures for each country and"
        " what experts say of it."
    )
    by_policy(ALL)("warm.example")  # the table is read once, when a process starts to score
    times = []
    for turn in range(5):
        urls, began = (
            [f"https://www{turn}.{host}/a/page?of={turn}" for host in hosts],
            time.perf_counter(),
        )
        for url in urls:
            credibility.assess(url, snippet, "How has the price of bread changed?", ALL)
        times.append(1000 * (time.perf_counter() - began))
    return round(median(times), 1)


def figures(data: Path, split: str) -> dict[str, Any]:
    """All of it, for one half of the sets."""
    sets, rated = list(truths(data, split)), lin(data)
    ways = {
        "specified tiers": by_policy(credibility.SPECIFIED_POLICY),
        "all that comes with Assay": by_policy(ALL),
        "with the list of Lin et al.": by_policy(ALL, rated),
        **{
            f"without {part}": by_policy(
                replace(ALL, parts=tuple(p for p in AUTHORITY_PARTS if p != part))
            )
            for part in AUTHORITY_PARTS[2:]
        },
    }
    of = {
        truth.name: {way: truth.auc(authority) for way, authority in ways.items()} for truth in sets
    }
    size = {truth.name: {"good": len(truth.good), "bad": len(truth.bad)} for truth in sets}
    covered = {
        truth.name: round(
            sum(map(_is_known, truth.good + truth.bad)) / len(truth.good + truth.bad), 4
        )
        for truth in sets
    }
    return {
        "auc": of,
        "sizes": size,
        "known": covered,
        "recorded results": unknown(data),
        "500 sources, ms": milliseconds(data, split),
    }


def _is_known(named: str) -> bool:
    return any(True for _ in find_host_facts(_host(named)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument(
        "--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data"
    )
    parser.add_argument("--split", choices=("share", "hold"), default="share")
    given = parser.parse_args()
    if not (given.data / "credibility").is_dir():
        print(
            f"No data at {given.data}: this benchmark needs the shared credibility sets.",
            file=sys.stderr,
        )
        return 2
    print(json.dumps(figures(given.data, given.split), indent=2, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
