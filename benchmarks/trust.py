"""Measure how far Assay's judgements can be trusted: all figures with a target, in one run.

    python benchmarks/trust.py [--data DIR] [--split share|hold] [--json] [--words] [--record]

Data: a folder laid out like the shared data; a set that is missing is left out and named as not
measured. Prints the figures of credibility, relevance, support, stance, contradictions and
citations, then each target and whether it is reached. Relevance by meaning is measured too, which
takes minutes; --words leaves it out. --record stores the
figures in results.json, which the docs and the screen on trust quote. Exits with 1 if a
target is missed.

The weights of support were fitted on the halves called "share", so their figures are too good;
`benchmarks/calibrate_support.py` prints honest ones, cross-validated.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import calibrate_support, contradictions, credibility, linter, relevance, stance
from benchmarks.inputs import SHARED_DATA, make_parser, require_folder
from benchmarks.results import record

Figures = Mapping[str, Any]


class Part(NamedTuple):
    """A part of the figures.

    folder: of the data that it needs. measure: returns the figures of (data, split).
    by_meaning: the same with the embedding model, if that makes a difference.
    """

    name: str
    folder: str
    measure: Callable[[Path, str], Figures]
    by_meaning: Callable[[Path, str], Figures] | None = None


PARTS = (
    Part("credibility", "credibility", credibility.measure),
    Part("relevance", "relevance", relevance.measure, relevance.measure_by_meaning),
    Part("support", "citation", calibrate_support.measure),
    Part("stance", "citation", stance.measure),
    Part("contradictions", "citation", contradictions.measure),
    Part("linter", "questions", linter.measure),
)


class Bound(NamedTuple):
    """The target of a figure: at least `low` and at most `high`. path: of the figure."""

    path: tuple[str, ...]
    low: float = -inf
    high: float = inf


class Verdict(NamedTuple):
    """A measured figure, its target in words, and whether it is reached."""

    name: str
    value: float
    target: str
    holds: bool


def _bound_auc(set_name: str, authority: str, low: float) -> Bound:
    return Bound(("credibility", "auc", set_name, authority), low)


SHIPPED = "all that comes with Assay"
WITH_LIST = "with the list of Lin et al."
BOUNDS = (
    _bound_auc("MBFC factual, sites with medium or high traffic", SHIPPED, 0.65),
    _bound_auc("Wikipedia's lists of sources", SHIPPED, 0.70),
    _bound_auc("universities and government against predatory publishers", SHIPPED, 0.90),
    _bound_auc("MBFC factual", WITH_LIST, 0.90),
    _bound_auc("MBFC credibility", WITH_LIST, 0.85),
    Bound(("credibility", "500 sources, ms"), high=50),
    Bound(("relevance", "by meaning", "auc", "trecqa_wang"), 0.86),
    Bound(("relevance", "by meaning", "auc", "medquad_liveqa"), 0.84),
    Bound(("relevance", "by meaning", "auc", "mediqa2019"), 0.66),
    Bound(("relevance", "semantic gain"), 0.02),
    Bound(("support", "attributionbench", "auc"), 0.86),
    Bound(("support", "wice", "auc"), 0.76),
    Bound(("support", "60 citations, s"), high=1.0),
    Bound(("stance", "climatefever to healthver"), 0.60),
    Bound(("stance", "healthver to climatefever"), 0.60),
    Bound(("stance", "without the text", "climatefever to healthver"), 0.47, 0.53),
    Bound(("stance", "without the text", "healthver to climatefever"), 0.47, 0.53),
    Bound(("linter", "hostile replies", "dangling"), high=0),
    Bound(("linter", "hostile replies", "broken"), high=0),
    Bound(("linter", "hostile replies", "not counted"), high=0),
    Bound(("linter", "hostile replies", "lost"), high=0),
    Bound(("linter", "hostile replies", "wrong"), high=0),
    Bound(("linter", "reports", "missed"), high=0),
    Bound(("linter", "reports", "invented"), high=0),
)


def measure(data: Path, split: str, *, semantic: bool = False) -> dict[str, Any]:
    """Return all figures by part, each with the seconds it took."""
    figures: dict[str, Any] = {}
    for part in PARTS:
        if not (data / part.folder).is_dir():
            figures[part.name] = {"not measured": f"no folder {part.folder}"}
            continue
        began = time.perf_counter()
        measure_part = part.measure
        if semantic and part.by_meaning:
            measure_part = part.by_meaning
        measured = measure_part(data, split)
        seconds = round(time.perf_counter() - began, 1)
        figures[part.name] = {**measured, "took, s": seconds}
    return figures


def compare_with_bounds(figures: Figures) -> Iterator[Verdict]:
    """Yield a verdict on each bound whose figure was measured."""
    for bound in BOUNDS:
        value = _find_figure(figures, bound.path)
        if value is None:
            continue
        limits = []
        if bound.low > -inf:
            limits.append(f"≥ {bound.low:g}")
        if bound.high < inf:
            limits.append(f"≤ {bound.high:g}")
        holds = bound.low <= value <= bound.high
        yield Verdict(_join_path(bound), float(value), " and ".join(limits), holds)


def _find_figure(figures: Figures, path: tuple[str, ...]) -> Any:
    value: Any = figures
    for name in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return value


def _join_path(bound: Bound) -> str:
    return " · ".join(bound.path)


def list_unmeasured(figures: Figures) -> list[str]:
    """Return the names of the bounds whose figure is missing, so that none is passed over."""
    measured = {verdict.name for verdict in compare_with_bounds(figures)}
    names = [_join_path(bound) for bound in BOUNDS]
    return [name for name in names if name not in measured]


def format_lines(figures: Figures, indent: str = "") -> Iterator[str]:
    """Yield nested figures as indented lines."""
    for name, value in figures.items():
        if isinstance(value, Mapping):
            yield f"{indent}{name}"
            yield from format_lines(value, indent + "  ")
        else:
            yield f"{indent}{name}: {value}"


def print_report(figures: Figures, verdicts: list[Verdict], split: str) -> None:
    for line in format_lines(figures):
        print(line)
    print(f"\nWhat has to hold ({split}):")
    for name, value, target, holds in verdicts:
        print(f"  {'holds ' if holds else 'MISSES'} {value:8.4f}  {target:18} {name}")
    for name in list_unmeasured(figures):
        print(f"  not measured: {name}")


def main() -> int:
    parser = make_parser(__doc__)
    parser.add_argument("--data", type=Path, default=SHARED_DATA)
    parser.add_argument("--split", choices=("share", "hold"), default="share")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON alone")
    parser.add_argument(
        "--words",
        action="store_true",
        help="measure relevance by words, without the embedding model",
    )
    parser.add_argument("--record", action="store_true", help="store the figures in results.json")
    options = parser.parse_args()
    data = require_folder(options.data)
    figures = measure(data, options.split, semantic=not options.words)
    verdicts = list(compare_with_bounds(figures))
    if options.json:
        printed = {
            "split": options.split,
            "figures": figures,
            "held": {verdict.name: verdict.holds for verdict in verdicts},
            "not measured": list_unmeasured(figures),
        }
        print(json.dumps(printed, indent=2, ensure_ascii=False))
    else:
        print_report(figures, verdicts, options.split)
    if options.record:
        record("trust", {"split": options.split, **figures})
    return 0 if all(verdict.holds for verdict in verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
