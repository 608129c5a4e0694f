"""The measured figures part by part, for those who want to know more than the first table says. All
of it stands in the results.

Sets and parts are named as the benchmark names them; what it did not measure is said to be missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from parts.how_far.figures import at, crossed, matrix, told, value, wrongs

SETS = {
    "trecqa_wang": "TREC-QA",
    "medquad_liveqa": "MedQuAD, LiveQA",
    "mediqa2019": "MEDIQA 2019",
    "noveleval": "NovelEval",
    "attributionbench": "AttributionBench",
    "wice": "WiCE",
    "climatefever": "Climate-FEVER",
    "healthver": "HealthVer",
}
#: The ways of the credibility benchmark, as columns; further ones come after these.
WAYS = (
    "specified tiers", "all that comes with Assay", "with the list of Lin et al.", "without outlet",
    "without institution", "without name",
)  # fmt: skip


def named(key: str) -> str:
    """A set, or a part of one, as people call it: "AttributionBench: HAGRID"."""
    first, _, part = key.removeprefix("citation/").removeprefix("relevance/").partition("/")
    return f"{SETS.get(first, first)}{f': {part}' if part else ''}"


# -- credibility -----------------------------------------------------------------------------------------------------------


def credibility() -> None:
    areas, sizes, known = (
        at("credibility", "auc"),
        at("credibility", "sizes"),
        at("credibility", "known"),
    )
    ways = [way for way in WAYS if any(way in area for area in areas.values())]
    ways += sorted({way for area in areas.values() for way in area} - set(ways))
    matrix("Area under the curve of every set, with parts taken away one at a time", ways,
           ((name, [told(area.get(way)) for way in ways]) for name,
           area in areas.items()))  # fmt: skip
    matrix("What each set holds", ["good", "bad", "hosts something is known of"],
           ((name, [f"{size['good']:,}", f"{size['bad']:,}", told(known.get(name), ".0%")]) for name, size in sizes.items()))  # fmt: skip
    known_by = at("credibility", "recorded results", "by")
    total = sum(known_by.values())
    matrix(f"{total:,} results of real searches, by what their host is known by",
    ["results", "share"],
           ((basis, [f"{count:,}", told(count / total, ".0%")]) for basis,
           count in known_by.items()))  # fmt: skip
    _seconds(
        "500 sources scored that were never seen before",
        value(("credibility", "500 sources, ms")),
        "ms",
    )


# -- relevance -------------------------------------------------------------------------------------------------------------


def relevance() -> None:
    columns = [
        "pairs",
        "by words",
        "… on the half fitted on",
        "with semantic",
        "… on the half fitted on",
    ]
    matrix("Area under the curve; the first of each two is cross-validated by question", columns,
           ((named(key), _areas(key)) for key in at("relevance", "auc")))  # fmt: skip
    kept = [
        "good kept, by words",
        "others kept, by words",
        "good kept, with semantic",
        "others kept, with semantic",
    ]
    also = at("relevance", "by meaning", "kept")
    matrix("Share of texts judged 3 or more, which are kept", kept,
           ((named(key), _kept(found, also.get(key, {}))) for key,
           found in at("relevance", "kept").items()))  # fmt: skip
    gain = value(("relevance", "semantic gain"))
    st.caption(
        f"What the extra semantic adds to the area, on average over the sets: {told(gain, '+.3f')}."
    )


def _areas(key: str) -> list[str]:
    words, meaning = ("relevance", "auc", key), ("relevance", "by meaning", "auc", key)
    pairs = value(("relevance", "pairs", key))
    return [
        told(pairs, ",.0f"),
        told(crossed(words)),
        told(value(words)),
        told(crossed(meaning)),
        told(value(meaning)),
    ]


def _kept(words: Mapping[str, Any], meaning: Mapping[str, Any]) -> list[str]:
    return [
        told(found.get(name), ".0%") for found in (words, meaning) for name in ("good", "others")
    ]


# -- support ---------------------------------------------------------------------------------------------------------------


def wrong() -> None:
    """What passes though wrong and what does not though right, of each whole set at each threshold."""
    rows = (
        (key, state, figures[state])
        for key, figures in _sets().items()
        if "/" not in key
        for state in ("supported", "partly")
    )
    wrongs(
        [
            (f"{named(key)}, called {state}", one, told(one.get("least"), ".2f"))
            for key, state, one in rows
        ],
        "Wrong at each threshold",
    )


def support() -> None:
    columns = [
        "pairs",
        "area",
        "supported: let through",
        "supported: turned away",
        "partly: let through",
        "partly: turned away",
    ]
    matrix(
        "Each set and its parts, on the half shown",
        columns,
        ((named(key), _support(figures)) for key, figures in _sets().items()),
    )
    _seconds(
        "The check of a report with 60 citations, each page met for the first time",
        value(("support", "60 citations, s")),
        "s",
    )


def _sets() -> dict[str, Mapping[str, Any]]:
    return {
        key: figures
        for key, figures in at("support").items()
        if isinstance(figures, Mapping) and "auc" in figures
    }


def _support(figures: Mapping[str, Any]) -> list[str]:
    shares = [
        figures.get(state, {}).get(wrong)
        for state in ("supported", "partly")
        for wrong in ("false_accept", "false_reject")
    ]
    return [
        told(figures.get("n"), ",.0f"),
        told(figures["auc"]),
        *(told(share, ".0%") for share in shares),
    ]


#: What is asked of refuted and supported claims, by the folder of its figures.
AGAINST = {
    "all pairs": (), "within one claim": ("within one claim",),
    "with the text of another row": ("with the text of another row",),
    "without any text": ("without the text",),
}  # fmt: skip


def stance() -> None:
    directions = [name for name in at("stance") if " to " in name]
    matrix("Area for refuted against supported. With another text or none it has to be near 0.5",
    list(AGAINST),
           ((_direction(name),
           [told(value(("stance", *path,
           name))) for path in AGAINST.values()]) for name in directions))  # fmt: skip
    matrix("Warnings that a source may say the opposite",
    ["claims", "warnings", "of them right", "of what is refuted, warned of"],
           ((named(name), _warnings(name, one)) for name,
           one in at("stance", "warnings").items()))  # fmt: skip


def _warnings(name: str, one: Mapping[str, Any]) -> list[str]:
    rows = told(value(("stance", "rows", name)), ",.0f")
    return [
        rows,
        told(one.get("warned"), ",.0f"),
        told(one.get("right"), ".0%"),
        told(one.get("of refuted"), ".0%"),
    ]


def _direction(name: str) -> str:
    learned, _, measured = name.partition(" to ")
    return f"learned on {named(learned)}, measured on {named(measured)}"


# -- citations and contradictions --------------------------------------------------------------------------------------------


def citations() -> None:
    matrix("Hostile replies of a model", ["count"], _counts(at("linter", "hostile replies")))
    matrix("Published reports of research agents", ["count"], _counts(at("linter", "reports")))
    matrix(
        "What is found in these reports", ["count"], _counts(at("linter", "reports", "findings"))
    )


def _counts(found: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    names = {
        "missed": "missed: dangling marks that were not told",
        "lost": "lost: good citations that were taken out",
    }
    return [
        (names.get(name, name.replace("_", " ")), [f"{count:,g}"])
        for name, count in found.items()
        if isinstance(count, int | float) and name not in ("seconds", "seed", "took, s")
    ]


def contradictions() -> None:
    for kind, made in at("contradictions", "copies").items():
        if isinstance(made, Mapping):
            matrix(f"Copies of real sentences: {kind}",
            ["pairs", "told as differing", "told with what may explain it"],
                   ((name,
                   [told(one.get("pairs"), ",.0f"), told(one.get("differs"), ".1%"),
                   told(one.get("explained"), ".1%")])
                    for name, one in made.items()))  # fmt: skip
    asked = at("contradictions", "on one question")
    matrix("Found among several texts on one question", ["questions", "findings"],
           ((named(name),
           [told(one.get("questions"), ",.0f"),
           str(sum(n for key, n in one.items() if key != "questions"))])
            for name, one in asked.items()))  # fmt: skip


def _seconds(what: str, found: float | None, unit: str) -> None:
    st.caption(f"{what}: {told(found, '.3g')} {unit}.")
