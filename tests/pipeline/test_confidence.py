"""The computed confidence of reports: its table, each measure, and what is told of it."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.models import (
    Block,
    Judgement,
    Passage,
    Report,
    ReportSource,
    ScoreParts,
    Sentence,
    Tie,
)
from research_core.pipeline import confidence
from research_core.pipeline.confidence import (
    DECIDING_MEASURES,
    EARLIER_DECIDING_MEASURES,
    EARLIER_MEASURES,
    MEASURES,
    ConfidenceLine,
    combine_levels,
)
from research_core.policy import RunSettings

LEVELS = st.sampled_from(["high", "moderate", "low"])


def source(number: int, score: float | None = 0.8, *, scored: bool = True) -> ReportSource:
    parts = ScoreParts(score, "general", score, 0.5, 0.0) if score is not None else None
    text = f"Boat {number} caught {100 + number} seals."
    judged = Judgement("", "", 4, "", scored)
    return ReportSource(
        f"https://s{number}.example/",
        f"S{number}",
        number,
        "kept",
        "",
        parts,
        judged,
        passages=(Passage(f"p{number:08x}", text, 0, 9),),
    )


def told(state: Any = "supported", *numbers: int) -> Sentence:
    return Sentence(
        f"Boat {numbers[0]} caught {100 + numbers[0]} seals.",
        tuple(f"p{n:08x}" for n in numbers),
        state,
    )


def report(sentences: list[Sentence], sources: list[ReportSource], **more: Any) -> Report:
    blocks = (
        Block("heading", (Sentence("Main Findings"),), 2),
        Block("paragraph", tuple(sentences)),
    )
    return Report(
        "s",
        "How many seals?",
        0.0,
        RunSettings(library="seals").to_json(),
        "full_report",
        "",
        "",
        "",
        blocks,
        tuple(sources),
        {},
        (),
        (),
        {},
        {},
        **more,
    )


def saying(*figures: str) -> list[ReportSource]:
    """Sources that give these figures for one thing, each in a sentence of its own."""
    texts = [
        f"Old boats caught {figure.partition(' ')[0]} seals in that bay{figure.partition(' ')[2] and ' in 2009'}."
        for figure in figures
    ]
    passages = [Passage(f"p{n:08x}", text, 0, len(text)) for n, text in enumerate(texts, 1)]
    return [replace(source(n), passages=(passage,)) for n, passage in enumerate(passages, 1)]


FOUR = [source(n) for n in range(1, 5)]
WELL = [told("supported", 1, 2), told("supported", 3, 4)]
OWN = [replace(source(n, None), url=f"document:0{n}") for n in range(1, 5)]
SITE = tuple(Tie(one, other, "one site", "why") for one, other in combinations(range(1, 5), 2))


@pytest.mark.parametrize(
    ("built", "name", "value", "expected"),
    [
        (report(WELL, FOUR), "independent sources", "4 of 4 kept", "high"),
        (report(WELL, FOUR, ties=SITE[:1]), "independent sources", "3 of 4 kept", "moderate"),
        (report(WELL, FOUR, ties=SITE), "independent sources", "1 of 4 kept", "low"),
        (report(WELL, [*FOUR[:2], *OWN[2:]]), "independent sources", "2 of 2 kept; 2 more are your own documents, not counted", "moderate"),
        (report(WELL, [FOUR[0], OWN[1]]), "independent sources", "1 of 1 kept; 1 more is your own document, not counted", "low"),
        (report(WELL, OWN), "independent sources", "cannot be told: they are your own documents", "moderate"),
        (report(WELL, OWN), "facts from a single source", "2 of 2", "low"),
        (report(WELL, [FOUR[0], OWN[1], *FOUR[2:]]), "facts from a single source", "1 of 2", "moderate"),
        (report(WELL, FOUR), "supported citations", "2 of 2", "high"),
        (report([*WELL, told("partly", 1)], FOUR), "supported citations", "2 of 3", "low"),
        (report([], FOUR), "supported citations", "there are none", "low"),
        (report(WELL, FOUR), "facts from a single source", "0 of 2", "high"),
        (report([*WELL, told("supported", 1)], FOUR), "facts from a single source", "1 of 3", "moderate"),
        (report(WELL, FOUR, ties=SITE), "facts from a single source", "2 of 2", "low"),
        (report(WELL, FOUR), "facts without a source", "0 of 2", "high"),
        (report([*WELL, Sentence("In 2019 it was.", (), "uncited", "States a figure.")], FOUR), "facts without a source", "1 of 3", "low"),
        (report(WELL, FOUR), "contradictions that nothing explains",
         "nothing could be compared: no two sentences of different sources are worded alike enough",
         "moderate"),
        (report(WELL, [*FOUR[:3], replace(source(4, 0.2), copy_of=1)], ties=SITE[2:3]), "independent sources", "3 of 3 kept", "moderate"),
        (report(WELL, [*FOUR[:3], replace(source(4, scored=False), copy_of=1)]),
         "sources without a relevance score", "0 of 3", "high"),
        (report(WELL, saying("140", "140")), "contradictions that nothing explains",
         "none found among 2 comparable statements", "moderate"),
        (report(WELL, saying("140", "140", "140", "140")), "contradictions that nothing explains",
         "none found among 4 comparable statements", "high"),
        (report(WELL, saying("140", "300")), "contradictions that nothing explains", "1 found among 2 comparable statements", "moderate"),
        (report(WELL, saying("140", "300 in 2009")), "contradictions that nothing explains",
         "none found among 2 comparable statements, plus 1 that date or scope may explain", "moderate"),
        (report(WELL, FOUR), "credibility of the sources kept", "0.80 on average", "high"),
        (report(WELL, [source(n, 0.3) for n in range(1, 5)]), "credibility of the sources kept", "0.30 on average", "low"),
        (report(WELL, [source(n, None) for n in range(1, 5)]),
         "credibility of the sources kept", "not scored: they are your own documents", "moderate"),
        (report(WELL, [*FOUR[:3], source(4, scored=False)]), "sources without a relevance score", "1 of 4", "moderate"),
        (report([*WELL, told("could not check", 1)], FOUR), "citations that could not be checked", "1 of 3", "low"),
    ],
)  # fmt: skip
def test_each_measure_has_its_figure_and_its_level(
    built: Report, name: str, value: str, expected: str
) -> None:
    found = confidence.compute_confidence(built)
    assert found is not None
    assert [(line.value, line.level) for line in found.lines if line.name == name] == [
        (value, expected)
    ]
    assert [line.name for line in found.lines] == [measure.name for measure in EARLIER_MEASURES]


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        ("hhhhhhhh", "high"), ("hhmmmmmm", "high"), ("hhlhhhhh", "moderate"), ("hhllhhhh", "moderate"), ("hhlllhhh", "low"),
        ("mhhhhhhh", "moderate"), ("hmhhhhhh", "moderate"), ("lhhhhhhh", "low"), ("hlhhhhhh", "low"), ("mmmmmmmm", "moderate"),
    ],
)  # fmt: skip
def test_the_level_is_by_the_table(levels: str, expected: str) -> None:
    names: dict[str, Any] = {"h": "high", "m": "moderate", "l": "low"}
    lines = [ConfidenceLine("", "", names[each], "") for each in levels]
    assert combine_levels(lines, EARLIER_DECIDING_MEASURES) == expected


@given(
    st.lists(LEVELS, min_size=len(MEASURES), max_size=len(MEASURES)),
    st.integers(0, len(MEASURES) - 1),
)
def test_a_better_line_never_lowers_the_level(levels: list[Any], at: int) -> None:
    order = ["low", "moderate", "high"]
    better = [*levels[:at], order[min(2, order.index(levels[at]) + 1)], *levels[at + 1 :]]
    before, after = (
        combine_levels([ConfidenceLine("", "", each, "") for each in found], DECIDING_MEASURES)
        for found in (levels, better)
    )
    assert order.index(after) >= order.index(before)
    assert len(MEASURES) > DECIDING_MEASURES


def test_without_a_report_there_is_none() -> None:
    found = confidence.examine(replace(report([], FOUR), decision="insufficient_data"))
    assert found.confidence is None
    assert confidence.build_confidence_blocks(found) == ()


def test_it_is_told_with_every_line_and_nothing_of_it_is_a_citation() -> None:
    found = confidence.examine(report(WELL, FOUR))
    head, *lines = confidence.build_confidence_blocks(found)
    assert "**high** confidence" in head.sentences[0].text
    assert len(lines) == len(EARLIER_MEASURES)
    assert not any(
        sentence.citations or sentence.note
        for block in (head, *lines)
        for sentence in block.sentences
    )


def test_figures_that_differ_are_told_with_who_says_them() -> None:
    texts = (
        "The old boats caught 140 seals in that bay.",
        "The old boats caught 300 seals in that bay.",
    )
    sources = [
        replace(each, passages=(Passage(f"p{n:08x}", text, 0, len(text)),))
        for n, (each, text) in enumerate(zip(FOUR, texts, strict=False))
    ]
    found = confidence.examine(
        replace(report([], sources), question="How many seals did the boats catch?")
    )
    assert len(found.contradictions) == 1
    assert (
        confidence.format_contradiction(found.contradictions[0])
        == "Different figures, unexplained: old boats caught seals bay: “140 seals” [1]; “300 seals” [2]."
    )
