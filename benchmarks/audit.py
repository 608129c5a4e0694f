"""Measure the verdicts on claims against the sources that they cite, on human labels.

    python benchmarks/audit.py [--data DIR] [--split share|hold|all] [--sets A,B] [--json]

Data: the sets of `audit` and `citation` in the shared data; DIR is laid out like it. Positive is
"supported"; "partly" counts as not supported. By set, and by language where a set has several: AUC
of the likelihood; the share of supported claims called so, and of the others (false accepts);
balanced accuracy of "supported" against all else; claims called not found or partly, by what they
are; and the share decided, with "partly" and without. `named_of_…` is the share of claims with a fault
that is named (a kind of fault, or partly).

Two numbers were fitted, to the shared halves of AttributionBench and WiCE, and the thresholds were
chosen while looking at the shared halves, so that the honest figures are those of "hold".
`threshold` cross-validates the threshold of long pages on each page set. For each fifth of the
claims, the threshold is chosen on the other four fifths: the one that decides most claims with at
most 10% false accepts.
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
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.inputs import SHARED_DATA, make_parser, read_json_lines, require_folder
from benchmarks.measures import auc
from benchmarks.support import SETS as CITATION_SETS
from benchmarks.support import join_evidence, read_rows
from research_core.citations.checks.claim_verdict import (
    RULES,
    ClaimVerdict,
    estimate_odds,
    judge_claim,
)
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
            rows.append((odds, row.label == "supported", get_fold(row)))
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
    judged = [judge_at_bounds(row) for row in rows]
    thresholds = sorted(CANDIDATES, key=lambda one: abs(one - RULES.on_long_page))
    chosen: list[float] = []
    supported: list[ClaimVerdict] = []
    others: list[ClaimVerdict] = []
    for fold in range(FOLDS):
        seen = [one for one in judged if get_fold(one.row) != fold]
        best = max(thresholds, key=lambda one: rate_threshold(seen, one))
        chosen.append(best)
        for one in judged:
            if get_fold(one.row) == fold:
                group = supported if one.row.label == "supported" else others
                group.append(one.decide(best))
    figures = {
        "accepted": share(supported, "supported"),
        "false_accept": share(others, "supported"),
        "decided": share([*supported, *others], "supported", "not found"),
    }
    return {"chosen": chosen, **{name: round(value, 3) for name, value in figures.items()}}


@dataclass(frozen=True)
class BoundedClaim:
    """A claim with its verdicts where the threshold of long pages is below and above any other."""

    row: LabelledClaim
    lowest: ClaimVerdict
    highest: ClaimVerdict

    def decide(self, threshold: float) -> ClaimVerdict:
        """Return the verdict with a threshold."""
        return self.lowest if self.lowest.likelihood >= threshold else self.highest


def judge_at_bounds(row: LabelledClaim) -> BoundedClaim:
    """Judge a claim with the lowest and the highest threshold of long pages."""
    lowest = judge_claim(row.claim, row.source, rules=replace(RULES, on_long_page=0.0))
    highest = judge_claim(row.claim, row.source, rules=replace(RULES, on_long_page=1.0))
    return BoundedClaim(row, lowest, highest)


def rate_threshold(judged: Sequence[BoundedClaim], threshold: float) -> tuple[bool, float]:
    """Return whether a threshold keeps the bound of false accepts, and the share it decides."""
    verdicts = [one.decide(threshold) for one in judged]
    others = [one.decide(threshold) for one in judged if one.row.label != "supported"]
    is_kept = share(others, "supported") <= MAX_FALSE_ACCEPTS
    return is_kept, share(verdicts, "supported", "not found")


def get_fold(row: LabelledClaim) -> int:
    """Return the fold of a claim, the same in every run."""
    return int(hashlib.sha256(row.claim.encode()).hexdigest()[:8], 16) % FOLDS


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
