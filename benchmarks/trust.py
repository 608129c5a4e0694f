"""Every figure on how far Assay's judgements can be trusted, in one run: credibility, relevance,
support, stance, contradictions, marks.

    python benchmarks/trust.py --data DIR --split share|hold [--json] [--words] [--record]

The weights of support were fitted on the halves called "share", whose figures flatter;
`benchmarks/calibrate_support.py` prints honest ones, cross-validated. DIR is laid out like
../shared/data; a set that is not there is left out and said to be. Each figure stands beside what
it has to reach. Relevance is measured by meaning too where the extra `semantic` is installed, which
takes minutes, unless `--words` is given. `--record` keeps them in results.json, which the docs
and the page on trust quote.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import contradictions, credibility, linter, relevance, stance, support
from benchmarks.results import record

Figures = Mapping[str, Any]


class Part(NamedTuple):
    """needs: the folder of the data; measure: (data, split, with the extra `semantic`) to figures."""

    name: str
    needs: str
    measure: Callable[[Path, str, bool], Figures]


PARTS = (
    Part("credibility", "credibility", lambda data, split, _: credibility.figures(data, split)),
    Part("relevance", "relevance", relevance.figures),
    Part("support", "citation", lambda data, split, _: support.figures(data, split)),
    Part("stance", "citation", lambda data, split, _: stance.figures(data, split)),
    Part("contradictions", "citation", lambda data, split, _: contradictions.figures(data, split)),
    Part("linter", "questions", lambda data, split, _: linter.figures(data, split)),
)


class Bound(NamedTuple):
    """A figure that has to be at least `low` and at most `high`. path: where it stands among the
    figures.
    """

    path: tuple[str, ...]
    low: float = -inf
    high: float = inf


def _auc(name: str, way: str, low: float) -> Bound:
    return Bound(("credibility", "auc", name, way), low)


SHIPPED, WITH_LIST = "all that comes with Assay", "with the list of Lin et al."
BOUNDS = (
    _auc("MBFC factual, sites with medium or high traffic", SHIPPED, 0.65),
    _auc("Wikipedia's lists of sources", SHIPPED, 0.70),
    _auc("universities and government against predatory publishers", SHIPPED, 0.90),
    _auc("MBFC factual", WITH_LIST, 0.90),
    _auc("MBFC credibility", WITH_LIST, 0.85),
    Bound(("credibility", "500 sources, ms"), high=50),
    Bound(("relevance", "auc", "trecqa_wang"), 0.86),
    Bound(("relevance", "auc", "medquad_liveqa"), 0.84),
    Bound(("relevance", "auc", "mediqa2019"), 0.66),
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


def figures(data: Path, split: str, *, semantic: bool = False) -> dict[str, Any]:
    """All figures by part, each with the seconds it took."""
    found: dict[str, Any] = {}
    for part in PARTS:
        if not (data / part.needs).is_dir():
            found[part.name] = {"not measured": f"no folder {part.needs}"}
            continue
        began = time.perf_counter()
        found[part.name] = {
            **part.measure(data, split, semantic),
            "took, s": round(time.perf_counter() - began, 1),
        }
    return found


def verdicts(found: Mapping[str, Any]) -> Iterator[tuple[str, float, str, bool]]:
    """(figure, value, what it has to reach, whether it does) of each bound whose figure was
    measured.
    """
    for bound in BOUNDS:
        value: Any = found
        for name in bound.path:
            value = value.get(name) if isinstance(value, Mapping) else None
        if value is not None:
            low, high = (
                (f"≥ {bound.low:g}" if bound.low > -inf else ""),
                (f"≤ {bound.high:g}" if bound.high < inf else ""),
            )
            wanted = " and ".join(filter(None, (low, high)))
            yield " · ".join(bound.path), float(value), wanted, bound.low <= value <= bound.high


def unmeasured(found: Mapping[str, Any]) -> list[str]:
    """The bounds whose figure is not here, so that nothing is passed over in silence."""
    measured = {name for name, *_ in verdicts(found)}
    return [name for name in (" · ".join(bound.path) for bound in BOUNDS) if name not in measured]


def lines(figure: Any, indent: str = "") -> Iterator[str]:
    """Nested figures as indented lines."""
    for name, value in figure.items():
        if isinstance(value, Mapping):
            yield f"{indent}{name}"
            yield from lines(value, indent + "  ")
        else:
            yield f"{indent}{name}: {value}"


def main() -> int:
    """1 where a figure misses what it has to reach."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument(
        "--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data"
    )
    parser.add_argument("--split", choices=("share", "hold"), default="share")
    parser.add_argument(
        "--json", action="store_true", help="print the figures as JSON, and nothing else"
    )
    parser.add_argument(
        "--words",
        action="store_true",
        help="measure relevance by words alone, and not with the extra `semantic`",
    )
    parser.add_argument("--record", action="store_true", help="keep the figures in results.json")
    given = parser.parse_args()
    if not given.data.is_dir():
        print(f"There is no folder {given.data}.", file=sys.stderr)
        return 2
    found = figures(given.data, given.split, semantic=not given.words)
    held = list(verdicts(found))
    if given.json:
        told = {
            "split": given.split,
            "figures": found,
            "held": {name: ok for name, _, _, ok in held},
            "not measured": unmeasured(found),
        }
        print(json.dumps(told, indent=2, ensure_ascii=False))
    else:
        print("\n".join(lines(found)))
        print(f"\nWhat has to hold ({given.split}):")
        for name, value, wanted, ok in held:
            print(f"  {'holds ' if ok else 'MISSES'} {value:8.4f}  {wanted:18} {name}")
        print("".join(f"  not measured: {name}\n" for name in unmeasured(found)), end="")
    if given.record:
        record("trust", {"split": given.split, **found})
    return 0 if all(ok for *_, ok in held) else 1


if __name__ == "__main__":
    sys.exit(main())
