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
)

SET_NAMES = {
    "trecqa_wang": "TREC-QA",
    "medquad_liveqa": "MedQuAD, LiveQA",
    "mediqa2019": "MEDIQA 2019",
    "noveleval": "NovelEval",
    "attributionbench": "AttributionBench",
    "wice": "WiCE",
    "climatefever": "Climate-FEVER",
    "healthver": "HealthVer",
}
#: Variants of the credibility benchmark, in the order of columns; unknown ones come last.
CREDIBILITY_VARIANTS = (
    "specified tiers",
    "all that comes with Assay",
    "with the list of Lin et al.",
    "without outlet",
    "without institution",
    "without name",
)


def format_set_name(key: str) -> str:
    """Return the usual name of a data set or of one of its parts: "AttributionBench: HAGRID"."""
    first, _, part = key.removeprefix("citation/").removeprefix("relevance/").partition("/")
    return f"{SET_NAMES.get(first, first)}{f': {part}' if part else ''}"


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
        "Area under the curve of every set, with parts taken away one at a time",
        variants,
        [(name, _format_variants(area, variants)) for name, area in areas.items()],
    )
    draw_matrix(
        "What each set holds",
        ["good", "bad", "hosts something is known of"],
        (
            (name, [f"{size['good']:,}", f"{size['bad']:,}", format_figure(known.get(name), ".0%")])
            for name, size in sizes.items()
        ),
    )
    known_by = find_figures("credibility", "recorded results", "by")
    total = sum(known_by.values())
    draw_matrix(
        f"{total:,} results of real searches, by what their host is known by",
        ["results", "share"],
        (
            (basis, [f"{count:,}", format_figure(count / total, ".0%")])
            for basis, count in known_by.items()
        ),
    )
    _draw_seconds(
        "500 sources scored that were never seen before",
        find_value(("credibility", "500 sources, ms")),
        "ms",
    )


def _format_variants(area: Mapping[str, float], variants: Sequence[str]) -> list[str]:
    return [format_figure(area.get(name)) for name in variants]


# -- relevance -------------------------------------------------------------------------------------


def draw_relevance() -> None:
    columns = [
        "pairs",
        "by words",
        "… on the half fitted on",
        "by meaning too",
        "… on the half fitted on",
    ]
    draw_matrix(
        "Area under the curve; the first of each two is cross-validated by question",
        columns,
        ((format_set_name(key), _format_areas(key)) for key in find_figures("relevance", "auc")),
    )
    kept = [
        "good kept, by words",
        "others kept, by words",
        "good kept, by meaning too",
        "others kept, by meaning too",
    ]
    also = find_figures("relevance", "by meaning", "kept")
    draw_matrix(
        "Share of texts judged 3 or more, which are kept",
        kept,
        (
            (format_set_name(key), _format_kept(found, also.get(key, {})))
            for key, found in find_figures("relevance", "kept").items()
        ),
    )
    gain = find_value(("relevance", "semantic gain"))
    st.caption(
        "What the embedding model adds to the area, on average over the sets: "
        f"{format_figure(gain, '+.3f')}."
    )


def _format_areas(key: str) -> list[str]:
    words = ("relevance", "auc", key)
    meaning = ("relevance", "by meaning", "auc", key)
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
            name = f"{format_set_name(key)}, called {state}"
            rows.append((name, rates, format_figure(rates.get("least"), ".2f")))
    draw_error_rates(rows, "Wrong at each threshold")


def draw_support() -> None:
    columns = [
        "pairs",
        "area",
        "supported: let through",
        "supported: turned away",
        "partly: let through",
        "partly: turned away",
    ]
    draw_matrix(
        "Each set and its parts, on the half shown",
        columns,
        (
            (format_set_name(key), _format_support(figures))
            for key, figures in _support_sets().items()
        ),
    )
    _draw_seconds(
        "The check of a report with 60 citations, each page met for the first time",
        find_value(("support", "60 citations, s")),
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
    "all pairs": (),
    "within one claim": ("within one claim",),
    "with the text of another row": ("with the text of another row",),
    "without any text": ("without the text",),
}


def draw_stance() -> None:
    areas = []
    for name in find_figures("stance"):
        if " to " in name:
            cells = [
                format_figure(find_value(("stance", *path, name)))
                for path in NEGATIVE_PAIRS.values()
            ]
            areas.append((_format_direction(name), cells))
    draw_matrix(
        "Area for refuted against supported. With another text or none it has to be near 0.5",
        list(NEGATIVE_PAIRS),
        areas,
    )
    warnings = find_figures("stance", "warnings")
    draw_matrix(
        "Warnings that a source may say the opposite",
        ["claims", "warnings", "of them right", "of what is refuted, warned of"],
        ((format_set_name(name), _format_warnings(name, one)) for name, one in warnings.items()),
    )


def _format_warnings(name: str, one: Mapping[str, Any]) -> list[str]:
    rows = format_figure(find_value(("stance", "rows", name)), ",.0f")
    return [
        rows,
        format_figure(one.get("warned"), ",.0f"),
        format_figure(one.get("right"), ".0%"),
        format_figure(one.get("of refuted"), ".0%"),
    ]


def _format_direction(name: str) -> str:
    learned, _, measured = name.partition(" to ")
    return f"learned on {format_set_name(learned)}, measured on {format_set_name(measured)}"


# -- citations and contradictions ------------------------------------------------------------------


def draw_citations() -> None:
    draw_matrix(
        "Hostile replies of a model",
        ["count"],
        _list_counts(find_figures("linter", "hostile replies")),
    )
    draw_matrix(
        "Published reports of research agents",
        ["count"],
        _list_counts(find_figures("linter", "reports")),
    )
    draw_matrix(
        "What is found in these reports",
        ["count"],
        _list_counts(find_figures("linter", "reports", "findings")),
    )


def _list_counts(found: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    names = {
        "missed": "missed: dangling marks that were not told",
        "lost": "lost: good citations that were taken out",
    }
    return [
        (names.get(name, name.replace("_", " ")), [f"{count:,g}"])
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
            rows.append((name, cells))
        draw_matrix(
            f"Copies of real sentences: {kind}",
            ["pairs", "told as differing", "told with what may explain it"],
            rows,
        )
    rows = []
    for name, one in find_figures("contradictions", "on one question").items():
        findings = sum(count for key, count in one.items() if key != "questions")
        cells = [format_figure(one.get("questions"), ",.0f"), str(findings)]
        rows.append((format_set_name(name), cells))
    draw_matrix("Found among several texts on one question", ["questions", "findings"], rows)


def _draw_seconds(what: str, found: float | None, unit: str) -> None:
    st.caption(f"{what}: {format_figure(found, '.3g')} {unit}.")
