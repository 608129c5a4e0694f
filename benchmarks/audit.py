"""Measure the verdicts on claims against the sources that they cite, on human labels.

    python benchmarks/audit.py [--data DIR] [--split share|hold|all] [--sets A,B] [--json]

Data: the sets of `audit` and `citation` in the shared data; DIR is laid out like it. Positive is
"supported"; "partly" counts as not supported. By set, and by language where a set has several: AUC
of the likelihood; the share of supported claims called so, and of the others (false accepts);
balanced accuracy of "supported" against all else; claims called not found or partly, by what they
are; and the share decided, with "partly" and without. `noticed` is the share of changed claims
whose change is named (a kind of fault, or partly).

Two numbers were fitted, to the shared halves of AttributionBench and WiCE, and the thresholds were
chosen while looking at the shared halves, so that the honest figures are those of "hold".
`threshold` cross-validates the threshold of long pages on each page set: for each fifth of the
claims it is chosen on the other four, as the one that decides most at 10% false accepts.
`calibration` gives the two numbers cross-validated by fifths of the claims: the mean log loss of
both sets for claims that the fit had not seen, against that of the share of supported claims.
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.inputs import SHARED_DATA, make_parser, read_json_lines, require_folder
from benchmarks.measures import auc
from benchmarks.support import SETS as CITATION_SETS
from benchmarks.support import join_evidence, read_rows
from research_core.citations.checks import claim_verdict
from research_core.citations.checks.claim_verdict import ClaimVerdict, estimate_odds, judge_claim
from research_core.text.support.page_places import read_claim, read_page_text

AUDIT_SETS = (
    "wpcite", "drb_fact", "memerag", "factcheckgpt", "faithbench", "summedits", "covidfact",
    "ctkfacts", "shortpairs", "xquad_edit",
)  # fmt: skip
#: The sets whose sources are whole pages. Those of the others were chosen for the claim, or for the
#: answer that it is from.
PAGE_SETS = ("wpcite", "drb_fact", "wice")
#: The timed report: claims, pages, and characters of a page.
CLAIMS, PAGES, PAGE_LENGTH = 300, 120, 20_000
#: Thresholds to choose among, and the largest share of false accepts that one may have.
CANDIDATES, MAX_FALSE_ACCEPTS = tuple(number / 50 for number in range(10, 31)), 0.1
FOLDS, NEWTON_STEPS, RIDGE = 5, 30, 1.0


@dataclass(frozen=True)
class LabelledClaim:
    """A claim, its source, its language, and the label: supported, partly, not_found, refuted."""

    claim: str
    source: str
    language: str
    label: str


def read_set(data: Path, name: str, split: str) -> list[LabelledClaim]:
    """Return the claims of a set that have a source and a label."""
    if name in CITATION_SETS:
        return [
            LabelledClaim(row["claim"], join_evidence(row), "en", row["label"])
            for row in read_rows(data / "citation", name, split)
        ]
    pages: dict[str, str] = {}
    if name == "drb_fact":
        for page in read_json_lines(data / "audit" / "pages.jsonl"):
            if page["kind"].startswith("scraped"):
                pages[page["url"]] = page["text"]
    found: list[LabelledClaim] = []
    for row in read_json_lines(data / "audit" / f"{name}.jsonl"):
        source = row.get("source_text") or pages.get(row.get("source_ref", ""), "")
        if split not in ("all", row["split"]) or row["verdict"] == "could_not_check":
            continue
        if source.strip():
            found.append(LabelledClaim(row["claim"], source, row["lang"], row["verdict"]))
    return found


def measure(data: Path, split: str, names: Sequence[str]) -> dict[str, Any]:
    """Return the figures by set and language, the calibration and the CPU seconds of one report."""
    figures: dict[str, Any] = {}
    for name in names:
        rows = read_set(data, name, split)
        if not rows:  # the citation sets have a shared half only
            continue
        judged = []
        for row in rows:
            verdict = judge_claim(row.claim, row.source, is_excerpt=name not in PAGE_SETS)
            judged.append((row, verdict))
        figures[name] = describe(judged)
        for language in sorted({row.language for row in rows}):
            group = [pair for pair in judged if pair[0].language == language]
            if len(group) < len(judged):
                figures[f"{name}/{language}"] = describe(group)
    for name in PAGE_SETS:
        if name in names and (rows := read_set(data, name, split)):
            figures[f"threshold/{name}"] = cross_validate_threshold(rows)
    # Always on the half that the numbers were fitted to.
    figures["calibration"] = cross_validate(data, "share")
    figures[f"{CLAIMS} claims of {PAGES} pages, CPU s"] = time_report(data)
    return figures


def describe(judged: Sequence[tuple[LabelledClaim, ClaimVerdict]]) -> dict[str, Any]:
    """Return the figures of one group of claims."""
    supported = [verdict for row, verdict in judged if row.label == "supported"]
    others = [verdict for row, verdict in judged if row.label != "supported"]
    refuted = [verdict for row, verdict in judged if row.label == "refuted"]
    if not supported or not others:
        return {"n": len(judged)}
    accepted, falsely = share(supported, "supported"), share(others, "supported")
    figures = {
        "n": len(judged),
        "auc": auc([one.likelihood for one in supported], [one.likelihood for one in others]),
        "accepted": accepted,
        "false_accept": falsely,
        "bacc": (accepted + 1 - falsely) / 2,
        "not_found_of_others": share(others, "not found"),
        "not_found_of_supported": share(supported, "not found"),
        "partly_of_others": share(others, "partly"),
        "partly_of_supported": share(supported, "partly"),
        "decided": share([*supported, *others], "supported", "not found"),
        "decided_or_partly": share([*supported, *others], "supported", "not found", "partly"),
        "named_of_others": share_named(others),
        "named_of_supported": share_named(supported),
    }
    if refuted:
        figures["named_of_refuted"] = share_named(refuted)
    return {name: round(value, 3) for name, value in figures.items()}


def share(verdicts: Sequence[ClaimVerdict], *wanted: str) -> float:
    """Return the share of verdicts that are one of these."""
    return sum(one.verdict in wanted for one in verdicts) / len(verdicts)


def share_named(verdicts: Sequence[ClaimVerdict]) -> float:
    """Return the share of verdicts that name what is different."""
    named = 0
    for one in verdicts:
        named += one.verdict == "partly" or one.kind not in ("", "not mentioned")
    return named / len(verdicts)


# ---------------------------------------------------------------- calibration


def cross_validate(data: Path, split: str) -> dict[str, Any]:
    """Return log losses of unseen claims, and the two numbers fitted to all of them."""
    rows: list[tuple[float, bool, int]] = []
    for name in CITATION_SETS:
        for row in read_set(data, name, split):
            page = read_page_text(row.source)
            claim = read_claim(row.claim, page.language)
            odds = estimate_odds(claim, page, is_excerpt=name not in PAGE_SETS)
            rows.append((odds, row.label == "supported", _get_fold(row)))
    losses: list[float] = []
    for fold in range(FOLDS):
        constant, weight = fit_calibration([row for row in rows if row[2] != fold])
        for odds, label, number in rows:
            if number == fold:
                signed = (constant + weight * odds) * (1 if label else -1)
                losses.append(math.log1p(math.exp(-signed)))
    base = sum(label for _, label, _ in rows) / len(rows)
    entropy = -base * math.log(base) - (1 - base) * math.log(1 - base)
    constant, weight = fit_calibration(rows)
    return {
        "log_loss": round(sum(losses) / len(losses), 3),
        "log_loss_of_share": round(entropy, 3),
        "constant": round(constant, 2),
        "weight": round(weight, 2),
    }


def cross_validate_threshold(rows: Sequence[LabelledClaim]) -> dict[str, Any]:
    """Return the shares of unseen claims with the threshold of long pages chosen on the others."""
    judged = [(row, judge_claim(row.claim, row.source)) for row in rows]
    shipped = claim_verdict.SUPPORTED_ON_LONG_PAGE
    chosen: list[float] = []
    unseen: list[tuple[LabelledClaim, str]] = []
    for fold in range(FOLDS):
        others = [pair for pair in judged if _get_fold(pair[0]) != fold]
        thresholds = sorted(CANDIDATES, key=lambda one: abs(one - shipped))
        best = max(thresholds, key=lambda one: _rate_threshold(others, one))
        chosen.append(best)
        unseen += [
            (row, _decide_by(row, verdict, best))
            for row, verdict in judged
            if _get_fold(row) == fold
        ]
    supported = [verdict for row, verdict in unseen if row.label == "supported"]
    rest = [verdict for row, verdict in unseen if row.label != "supported"]
    decided = [verdict in ("supported", "not found") for _row, verdict in unseen]
    return {
        "chosen": chosen,
        "accepted": round(supported.count("supported") / len(supported), 3),
        "false_accept": round(rest.count("supported") / len(rest), 3),
        "decided": round(sum(decided) / len(decided), 3),
    }


def _get_fold(row: LabelledClaim) -> int:
    return int(hashlib.sha256(row.claim.encode()).hexdigest()[:8], 16) % FOLDS


def _decide_by(row: LabelledClaim, verdict: ClaimVerdict, threshold: float) -> str:
    """Return the verdict on a claim with another threshold of long pages."""
    if len(row.source) < claim_verdict.LONG_PAGE or verdict.verdict == "not found":
        return verdict.verdict
    page = read_page_text(row.source)
    claim = read_claim(row.claim, page.language)
    may_hold = verdict.verdict == "supported" or (
        verdict.verdict == "not decided"
        and verdict.kind in ("", "not mentioned")
        and bool(claim.weights)
        and claim_verdict.is_held_together(claim, page)
    )
    if not may_hold:
        return verdict.verdict
    is_likely = verdict.likelihood >= threshold
    return "supported" if is_likely else "not decided"


def _rate_threshold(
    judged: Sequence[tuple[LabelledClaim, ClaimVerdict]], threshold: float
) -> tuple[bool, int]:
    """Return whether a threshold keeps the bound of false accepts, and how many it decides."""
    verdicts = [(row.label, _decide_by(row, verdict, threshold)) for row, verdict in judged]
    rest = [verdict for label, verdict in verdicts if label != "supported"]
    is_kept = rest.count("supported") <= MAX_FALSE_ACCEPTS * len(rest)
    return is_kept, sum(verdict in ("supported", "not found") for _label, verdict in verdicts)


def fit_calibration(rows: Sequence[tuple[float, bool, int]]) -> tuple[float, float]:
    """Return (constant, weight) of a logistic regression, each label of equal weight."""
    positive = sum(label for _, label, _ in rows)
    weights = (len(rows) / 2 / (len(rows) - positive), len(rows) / 2 / positive)
    constant, weight = 0.0, 1.0
    for _ in range(NEWTON_STEPS):
        gradient_c = gradient_w = 0.0
        curve_cc = curve_cw = curve_ww = RIDGE
        for odds, label, _fold in rows:
            chance = 1 / (1 + math.exp(-(constant + weight * odds)))
            error = weights[label] * (label - chance)
            bend = weights[label] * chance * (1 - chance)
            gradient_c += error
            gradient_w += error * odds
            curve_cc += bend
            curve_cw += bend * odds
            curve_ww += bend * odds * odds
        determinant = curve_cc * curve_ww - curve_cw * curve_cw
        constant += (curve_ww * gradient_c - curve_cw * gradient_w) / determinant
        weight += (curve_cc * gradient_w - curve_cw * gradient_c) / determinant
    return constant, weight


# ---------------------------------------------------------------- speed


def time_report(data: Path) -> float:
    """Return the CPU seconds of judging a report whose pages are all new."""
    rows = read_set(data, "wice", "share")
    pages = list(make_pages(rows))
    claims = [rows[number % len(rows)].claim for number in range(CLAIMS)]
    began = time.process_time()
    for number, claim in enumerate(claims):
        judge_claim(claim, pages[number % len(pages)])
    return round(time.process_time() - began, 1)


def make_pages(rows: Sequence[LabelledClaim]) -> Iterator[str]:
    """Yield pages of `PAGE_LENGTH` characters, each begun by another source."""
    for number in range(PAGES):
        text, following = f"Page {number}.", number
        while len(text) < PAGE_LENGTH:
            text += "\n\n" + rows[following % len(rows)].source
            following += PAGES + 1
        yield text[:PAGE_LENGTH]


def print_table(figures: dict[str, Any]) -> None:
    """Print one line for each set and language."""
    for name, found in figures.items():
        if isinstance(found, dict):
            print(f"{name}: " + ", ".join(f"{key} {value}" for key, value in found.items()))
        else:
            print(f"{name}: {found}")


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--data", type=Path, default=SHARED_DATA)
    parser.add_argument("--split", choices=("share", "hold", "all"), default="share")
    parser.add_argument("--sets", default=",".join((*AUDIT_SETS, *CITATION_SETS)))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    require_folder(options.data / "audit")
    figures = measure(options.data, options.split, options.sets.split(","))
    if options.json:
        print(json.dumps(figures, indent=2))
    else:
        print_table(figures)


if __name__ == "__main__":
    main()
