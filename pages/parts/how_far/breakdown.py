"""Draw the measured figures of each judgement in detail, by data set.

Figures the benchmark did not measure are shown as missing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from parts.how_far.figures import (
    draw_error_rates,
    draw_matrix,
    find_cross_validated,
    find_figures,
    find_value,
    format_figure,
    format_name,
)
from research_core.i18n import N_, _, format_number, pgettext

#: The results of the support check, and counts whose names need an explanation.
STATE_NAMES = {"supported": N_("supported"), "partly": N_("partly supported")}
COUNT_NAMES = {
    "missed": N_("missed: broken citations not found"),
    "lost": N_("lost: good citations removed"),
}
SET_NAMES = {
    "trecqa_wang": "TREC-QA",
    "medquad_liveqa": N_("MedQuAD, LiveQA"),
    "mediqa2019": "MEDIQA 2019",
    "noveleval": "NovelEval",
    "attributionbench": "AttributionBench",
    "wice": "WiCE",
    "climatefever": "Climate-FEVER",
    "healthver": "HealthVer",
}
#: Variants of the credibility benchmark, in the order of columns; unknown ones come last.
CREDIBILITY_VARIANTS = {
    "specified_tiers": N_("Specified tiers"),
    "all_that_comes_with_Assay": N_("All built-in evidence"),
    "with_the_list_of_Lin_et_al.": N_("With the list of Lin et al."),
    "without_outlet": N_("Without outlets"),
    "without_institution": N_("Without institutions"),
    "without_name": N_("Without names"),
}


def format_set_name(key: str) -> str:
    """Return the usual name of a data set or of one of its parts: "AttributionBench: HAGRID"."""
    first, _separator, part = (
        key.removeprefix("citation/").removeprefix("relevance/").partition("/")
    )
    name = _(SET_NAMES[first]) if first in SET_NAMES else format_name(first)
    return f"{name}: {format_name(part)}" if part else name


# -- credibility -----------------------------------------------------------------------------------


def draw_credibility() -> None:
    areas = find_figures("credibility", "auc")
    sizes = find_figures("credibility", "sizes")
    known = find_figures("credibility", "known")
    measured: set[str] = set()
    for area in areas.values():
        measured |= set(area)
    variants = [name for name in CREDIBILITY_VARIANTS if name in measured]
    variants += sorted(measured - set(variants))
    draw_matrix(
        _("Score for each data set, with kinds of evidence left out"),
        [
            _(CREDIBILITY_VARIANTS[name]) if name in CREDIBILITY_VARIANTS else format_name(name)
            for name in variants
        ],
        [(format_name(name), _format_variants(area, variants)) for name, area in areas.items()],
    )
    draw_matrix(
        _("Size of each data set"),
        [_("Good"), _("Bad"), _("Known sites")],
        (
            (
                format_name(name),
                [
                    format_number(size["good"]),
                    format_number(size["bad"]),
                    format_figure(known.get(name), ".0%"),
                ],
            )
            for name, size in sizes.items()
        ),
    )
    known_by = find_figures("credibility", "recorded_results", "by")
    total = sum(known_by.values())
    draw_matrix(
        _("{count:,} results of real searches, by what is known of their site").format(count=total),
        [_("Results"), pgettext("proportion", "Share")],
        (
            (format_name(basis), [format_number(count), format_figure(count / total, ".0%")])
            for basis, count in known_by.items()
        ),
        _("Known by"),
    )
    _draw_seconds(
        _("Time to score 500 new sources"),
        find_value(("credibility", "500_sources,_ms")),
        "ms",
    )


def _format_variants(area: Mapping[str, float], variants: Sequence[str]) -> list[str]:
    return [format_figure(area.get(name)) for name in variants]


# -- relevance -------------------------------------------------------------------------------------


def draw_relevance() -> None:
    columns = [
        _("Pairs"),
        _("By words"),
        _("By words, fitted"),
        _("By meaning too"),
        _("By meaning too, fitted"),
    ]
    draw_matrix(
        _("Score, cross-validated by question and on the data it was fitted on"),
        columns,
        ((format_set_name(key), _format_areas(key)) for key in find_figures("relevance", "auc")),
    )
    kept = [
        _("Good, by words"),
        _("Others, by words"),
        _("Good, by meaning too"),
        _("Others, by meaning too"),
    ]
    also = find_figures("relevance", "by_meaning", "kept")
    draw_matrix(
        _("Share of texts rated 3 or more, which are kept"),
        kept,
        (
            (format_set_name(key), _format_kept(found, also.get(key, {})))
            for key, found in find_figures("relevance", "kept").items()
        ),
    )
    gain = find_value(("relevance", "semantic_gain"))
    st.caption(
        _("Average gain in score from the embedding model: {gain}.").format(
            gain=format_figure(gain, "+.3f")
        )
    )


def _format_areas(key: str) -> list[str]:
    words = ("relevance", "auc", key)
    meaning = ("relevance", "by_meaning", "auc", key)
    pairs = find_value(("relevance", "pairs", key))
    return [
        format_figure(pairs, ",.0f"),
        format_figure(find_cross_validated(words)),
        format_figure(find_value(words)),
        format_figure(find_cross_validated(meaning)),
        format_figure(find_value(meaning)),
    ]


def _format_kept(words: Mapping[str, Any], meaning: Mapping[str, Any]) -> list[str]:
    cells = []
    for shares in (words, meaning):
        cells += [format_figure(shares.get(name), ".0%") for name in ("good", "others")]
    return cells


# -- support ---------------------------------------------------------------------------------------


def draw_errors() -> None:
    """Draw the false positives and false negatives of each set at each threshold."""
    rows = []
    for key, figures in _support_sets().items():
        if "/" in key:
            continue
        for state in ("supported", "partly"):
            rates = figures[state]
            name = f"{format_set_name(key)}: {_(STATE_NAMES[state])}"
            rows.append((name, rates, format_figure(rates.get("least"), ".2f")))
    draw_error_rates(rows, _("Errors at each threshold"))


def draw_support() -> None:
    columns = [
        _("Pairs"),
        _("Score"),
        _("Supported: accepted wrongly"),
        _("Supported: rejected wrongly"),
        _("Partly: accepted wrongly"),
        _("Partly: rejected wrongly"),
    ]
    draw_matrix(
        _("Each data set and its parts"),
        columns,
        (
            (format_set_name(key), _format_support(figures))
            for key, figures in _support_sets().items()
        ),
    )
    _draw_seconds(
        _("Time to check a report with 60 citations"),
        find_value(("support", "60_citations,_s")),
        "s",
    )


def _support_sets() -> dict[str, Mapping[str, Any]]:
    return {
        key: figures
        for key, figures in find_figures("support").items()
        if isinstance(figures, Mapping) and "auc" in figures
    }


def _format_support(figures: Mapping[str, Any]) -> list[str]:
    cells = [format_figure(figures.get("n"), ",.0f"), format_figure(figures["auc"])]
    for state in ("supported", "partly"):
        rates = figures.get(state, {})
        cells.append(format_figure(rates.get("false_accept"), ".0%"))
        cells.append(format_figure(rates.get("false_reject"), ".0%"))
    return cells


#: Comparisons of refuted with supported claims, each with the path of its figures.
NEGATIVE_PAIRS = {
    N_("All pairs"): (),
    N_("Within one claim"): ("within_one_claim",),
    N_("With another text"): ("with_the_text_of_another_row",),
    N_("Without a text"): ("without_the_text",),
}


def draw_stance() -> None:
    areas = []
    for name in find_figures("stance"):
        if "_to_" in name:
            cells = [
                format_figure(find_value(("stance", *path, name)))
                for path in NEGATIVE_PAIRS.values()
            ]
            areas.append((_format_direction(name), cells))
    draw_matrix(
        _("Score for refuted or supported. With another text or none, it must be near 0.5."),
        [_(name) for name in NEGATIVE_PAIRS],
        areas,
        _("Fitted on and measured on"),
    )
    warnings = find_figures("stance", "warnings")
    draw_matrix(
        _("Warnings that a source may say the opposite"),
        [_("Claims"), _("Warnings"), _("Correct warnings"), _("Refuted claims found")],
        ((format_set_name(name), _format_warnings(name, one)) for name, one in warnings.items()),
    )


def _format_warnings(name: str, one: Mapping[str, Any]) -> list[str]:
    rows = format_figure(find_value(("stance", "rows", name)), ",.0f")
    return [
        rows,
        format_figure(one.get("warned"), ",.0f"),
        format_figure(one.get("right"), ".0%"),
        format_figure(one.get("of_refuted"), ".0%"),
    ]


def _format_direction(name: str) -> str:
    learned, _separator, measured = name.partition("_to_")
    return f"{format_set_name(learned)} → {format_set_name(measured)}"


# -- citations and contradictions ------------------------------------------------------------------


def draw_citations() -> None:
    draw_matrix(
        _("Hostile replies of a model"),
        [_("Count")],
        _list_counts(find_figures("linter", "hostile_replies")),
        _("Kind"),
    )
    draw_matrix(
        _("Published reports of research agents"),
        [_("Count")],
        _list_counts(find_figures("linter", "reports")),
        _("Kind"),
    )
    draw_matrix(
        _("Problems found in these reports"),
        [_("Count")],
        _list_counts(find_figures("linter", "reports", "findings")),
        _("Kind"),
    )


def _list_counts(found: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    return [
        (_(COUNT_NAMES[name]) if name in COUNT_NAMES else format_name(name), [f"{count:,g}"])
        for name, count in found.items()
        if isinstance(count, int | float) and name not in ("seconds", "seed", "took, s")
    ]


def draw_contradictions() -> None:
    for kind, made in find_figures("contradictions", "copies").items():
        if not isinstance(made, Mapping):
            continue
        rows = []
        for name, one in made.items():
            cells = [
                format_figure(one.get("pairs"), ",.0f"),
                format_figure(one.get("differs"), ".1%"),
                format_figure(one.get("explained"), ".1%"),
            ]
            rows.append((format_name(name), cells))
        draw_matrix(
            _("Copies of real sentences: {kind}").format(kind=format_name(kind)),
            [_("Pairs"), _("Reported as different"), _("Reported with an explanation")],
            rows,
            _("Change"),
        )
    rows = []
    for name, one in find_figures("contradictions", "on_one_question").items():
        findings = sum(count for key, count in one.items() if key != "questions")
        cells = [format_figure(one.get("questions"), ",.0f"), str(findings)]
        rows.append((format_set_name(name), cells))
    draw_matrix(
        _("Found among several texts on one question"), [_("Questions"), _("Findings")], rows
    )


def _draw_seconds(what: str, found: float | None, unit: str) -> None:
    st.caption(f"{what}: {format_figure(found, '.3g')} {unit}.")
