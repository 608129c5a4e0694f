"""Measure how well what is known of a host tells reliable sites from unreliable ones.

    python benchmarks/credibility.py [--data DIR] [--split share|hold]

Data: ratings that others gave (`credibility` in the shared data), and recorded search results
(`offline_web`). Prints JSON: for each set the AUC of the authority that a run gives a host, by the
specified tiers, by all that comes with Assay, and with the list of Lin et al. imported; what each
part adds; how many recorded results stay unknown; and the milliseconds that 500 sources take.
The values of kinds are judgements, written down beforehand. Rules for names were made on some of the
institutions of the shared half (`is_for_rules`), so that the others have a figure of their own.
"""

from __future__ import annotations

import csv
import hashlib
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.inputs import SHARED_DATA, make_parser, read_json_lines, require_folder
from benchmarks.measures import auc
from research_core.policy import AUTHORITY_PARTS, CredibilityPolicy
from research_core.trust import credibility
from research_core.trust.hosts.authority import find_host_facts
from research_core.trust.hosts.outlets import iter_domains
from research_core.trust.ratings.lists import parse_list
from research_core.urls import find_host

# The words of each data set as numbers, the higher the better.
FACTUAL_GRADES = {
    "very-high": 5,
    "high": 4,
    "mostly-factual": 3,
    "mixed": 2,
    "low": 1,
    "very-low": 0,
}
CREDIBILITY_GRADES = {"high-credibility": 2, "medium-credibility": 1, "low-credibility": 0}
#: Wikipedia's list of perennial sources: generally reliable, no consensus, unreliable, deprecated.
PERENNIAL_GRADES = {"gr": 2, "nc": 1, "gu": 0, "d": 0}
GOGGLE_GRADES = {"reliable": 2, "no_consensus": 1, "unreliable": 0}
IDIAP_GRADES = {"1": 2, "0": 1, "-1": 0, "-2": 0}
#: The traffic of sites that results are likely to show.
USUAL_TRAFFIC = ("high-traffic", "medium-traffic")
FULL_POLICY = CredibilityPolicy(parts=AUTHORITY_PARTS)
TIMED_SOURCES = 500
TIMED_TURNS = 5
#: Returns the authority of a host or an address, 0.0-1.0.
Authority = Callable[[str], float]


@dataclass(frozen=True)
class HostSet:
    """Hosts that others call good or bad."""

    name: str
    good: tuple[str, ...]
    bad: tuple[str, ...]

    def measure_auc(self, authority: Authority) -> float:
        good = [authority(host) for host in self.good]
        bad = [authority(host) for host in self.bad]
        return round(auc(good, bad), 4)


# -- the sets --------------------------------------------------------------------------------------


def read_sets(data: Path, split: str) -> list[HostSet]:
    """Return the sets of one half, from a folder laid out like the shared data."""
    factual = []
    usual_factual = []
    credible = []
    for row in _read_rows(data, "mbfc_2026.csv", split):
        host = row["domain"]
        if "/" in host:
            continue
        if row["factual"] in FACTUAL_GRADES:
            graded = (host, FACTUAL_GRADES[row["factual"]])
            factual.append(graded)
            if row["traffic"] in USUAL_TRAFFIC:
                usual_factual.append(graded)
        if row["credibility"] in CREDIBILITY_GRADES:
            credible.append((host, CREDIBILITY_GRADES[row["credibility"]]))
    wikipedia = []
    for row in _read_rows(data, "wikipedia_sources.csv", split):
        grade = _grade_by_wikipedia(row)
        if grade is not None:
            wikipedia.append((row["domain"], grade))
    institutions = []
    unseen = []
    for row in _read_rows(data, "institutions.csv", split):
        graded = (row["domain"], 0 if row["class"].startswith("predatory") else 2)
        institutions.append(graded)
        if not is_for_rules(row["domain"]):
            unseen.append(graded)
    bodies = "universities and government against predatory publishers"
    return [
        _make_set("MBFC factual, sites with medium or high traffic", usual_factual, 1, 4),
        _make_set("MBFC factual", factual, 1, 4),
        _make_set("MBFC credibility", credible, 0, 2),
        _make_set("Wikipedia's lists of sources", wikipedia, 0, 2),
        _make_set(bodies, institutions, 0, 2),
        _make_set(f"{bodies}, hosts that no rule for names was made on", unseen, 0, 2),
    ]


def is_for_rules(domain: str) -> bool:
    """Return whether rules for names may be made on this host of the shared half."""
    return hashlib.sha256(f"fit{domain}".encode()).digest()[0] % 2 == 0


def _read_rows(data: Path, name: str, split: str) -> list[dict[str, str]]:
    with (data / "credibility" / name).open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["split"] == split]


def _make_set(name: str, graded: Sequence[tuple[str, int]], max_bad: int, min_good: int) -> HostSet:
    good = tuple(host for host, grade in graded if grade >= min_good)
    bad = tuple(host for host, grade in graded if grade <= max_bad)
    return HostSet(name, good, bad)


def _grade_by_wikipedia(row: Mapping[str, str]) -> int | None:
    """Return the grade by the first of the three lists that names the host, or None."""
    for column, grades in (
        ("rsp_status", PERENNIAL_GRADES),
        ("goggle_action", GOGGLE_GRADES),
        ("idiap_rsp", IDIAP_GRADES),
    ):
        if row[column] in grades:
            return grades[row[column]]
    return None


def read_lin_list(data: Path) -> dict[str, float]:
    """Return the list of Lin et al. by host, read as `assay ratings add` reads it."""
    body = (data / "credibility" / "hauselin_pc1.csv").read_bytes()
    return dict(parse_list(body, host_column="domain", value_column="pc1").rows)


# -- authority of a host ---------------------------------------------------------------------------


def make_authority(
    policy: CredibilityPolicy, imported: Mapping[str, float] | None = None
) -> Authority:
    """Return what gives a host its authority as a run under the policy does.

    imported: the values of an imported list, by host.
    """
    ratings = imported or {}

    def measure_authority(address: str) -> float:
        host = _normalise_host(address)
        rating = find_rating(host, ratings)
        tier, part = credibility.find_deciding_part(host, policy, rating)
        return part.value if part else tier.value

    return measure_authority


def find_rating(host: str, imported: Mapping[str, float]) -> dict[str, float]:
    """Return the rating of the host or the nearest domain above it, as the product finds it."""
    for domain in iter_domains(host):
        if domain in imported:
            return {"list": imported[domain]}
    return {}


def _normalise_host(address: str) -> str:
    """Return the host of an address or of a bare host with a path, or "" if it is malformed."""
    url = address if "://" in address else f"https://{address.split('/')[0]}"
    try:
        return find_host(url).removeprefix("www.")
    except ValueError:
        return ""


def _is_known(address: str) -> bool:
    return any(True for _ in find_host_facts(_normalise_host(address)))


# -- measures --------------------------------------------------------------------------------------


def measure_recorded_results(data: Path) -> dict[str, Any]:
    """Return how many results of recorded searches are of an unknown host, and what the rest is."""
    path = data / "offline_web" / "webdancer_trajectories.jsonl"
    if not path.is_file():
        return {}
    results = 0
    by_basis: Counter[str] = Counter()
    for trajectory in read_json_lines(path):
        for search in trajectory["searches"]:
            for result in search["results"]:
                results += 1
                by_basis[credibility.assess(result["url"], "", "", FULL_POLICY).basis] += 1
    return {
        "results": results,
        "unknown": round(by_basis["unknown"] / results, 4),
        "by": dict(sorted(by_basis.items())),
    }


def time_sources(data: Path, split: str) -> float:
    """Return the milliseconds of scoring 500 new sources, the median of five times."""
    hosts = [row["domain"] for row in _read_rows(data, "mbfc_2026.csv", split)][:TIMED_SOURCES]
    snippet = (
        "A report of 2024 on how the price of bread has changed, with figures for each country and"
        " what experts say of it."
    )
    # The table of hosts is read once, when a process starts to score.
    make_authority(FULL_POLICY)("warm.example")
    times = []
    for turn in range(TIMED_TURNS):
        # Other addresses in each turn, or scores would come from the cache.
        urls = [f"https://www{turn}.{host}/a/page?of={turn}" for host in hosts]
        began = time.perf_counter()
        for url in urls:
            credibility.assess(url, snippet, "How has the price of bread changed?", FULL_POLICY)
        times.append(1000 * (time.perf_counter() - began))
    return round(median(times), 1)


def measure(data: Path, split: str) -> dict[str, Any]:
    """Return all figures for one half of the sets."""
    authorities = {
        "specified tiers": make_authority(credibility.SPECIFIED_POLICY),
        "all that comes with Assay": make_authority(FULL_POLICY),
        "with the list of Lin et al.": make_authority(FULL_POLICY, read_lin_list(data)),
    }
    for part in AUTHORITY_PARTS[2:]:
        others = tuple(each for each in AUTHORITY_PARTS if each != part)
        authorities[f"without {part}"] = make_authority(replace(FULL_POLICY, parts=others))
    areas = {}
    sizes = {}
    known_shares = {}
    for host_set in read_sets(data, split):
        name = host_set.name
        areas[name] = {way: host_set.measure_auc(each) for way, each in authorities.items()}
        sizes[name] = {"good": len(host_set.good), "bad": len(host_set.bad)}
        hosts = host_set.good + host_set.bad
        known_shares[name] = round(sum(map(_is_known, hosts)) / len(hosts), 4)
    return {
        "auc": areas,
        "sizes": sizes,
        "known": known_shares,
        "recorded results": measure_recorded_results(data),
        "500 sources, ms": time_sources(data, split),
    }


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--data", type=Path, default=SHARED_DATA)
    parser.add_argument("--split", choices=("share", "hold"), default="share")
    options = parser.parse_args()
    require_folder(options.data / "credibility")
    print(json.dumps(measure(options.data, options.split), indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
