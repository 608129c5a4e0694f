"""Which quotations are shown as a conflict."""

from __future__ import annotations

import pytest

from research_core.llm.offline_writer import write_report
from tests.llm.test_offline_writer import marked, report_inputs, section, write_about

A, B = (
    "The reef lost 40 percent of its coral cover to bleaching.",
    "The reef lost 15 percent of its coral cover to bleaching.",
)
PAIRS: dict[str, tuple[str, str, bool]] = {
    "other figure": (A, B, True),
    "other figure in other words": (
        A,
        "Bleaching cost the reef only 15% of its coral cover.",
        True,
    ),
    "same figure": (A, A.replace("lost", "has lost"), False),
    "other unit": (A, "The reef lost 15 hectares of its coral cover to bleaching.", False),
    "other year": (f"In 2016 {A}", f"In 2024 {B}", False),
    "other year of an opening": (
        "The reef museum opened its doors in 2015.",
        "The reef museum opened its doors in 2019.",
        True,
    ),
    "denied": (
        "Bleaching causes the loss of coral cover.",
        "Bleaching does not cause the loss of coral cover.",
        True,
    ),
    "same year": (f"In 2016 {A}", f"In 2016 {B}", True),
    "of another whole": (
        "The 120 boats of that year caught 61 tonnes of cod.",
        "The 181 boats that year caught 143 tonnes of cod.",
        False,
    ),
    "other subject": (A, "The city raised 15 percent of its school budget from parking.", False),
    "other scale, same amount": (
        "The reef covers 2 million hectares of sand.",
        "The reef covers 2,000,000 hectares of sand.",
        False,
    ),
}


@pytest.mark.parametrize("count", [1, 2])
def test_of_a_single_source_it_is_said_that_nothing_could_be_compared(count: int) -> None:
    texts = (A, "The hull of the research ship was painted white for the voyage.")
    sources = [
        {"title": text[:8], "passages": [{"id": f"p0000000{place}", "text": text}]}
        for place, text in enumerate(texts[:count], 1)
    ]
    asked = "How much coral cover did the reef lose?"
    written = write_report(report_inputs(0, question=asked, sources=sources))
    told = section(written, "Conflicting Information")
    assert ("There is only one source, so nothing could be compared." in told) == (count == 1)


@pytest.mark.parametrize("name", PAIRS)
def test_sentences_conflict_when_subject_and_unit_agree_and_figures_do_not(name: str) -> None:
    one, other, conflict = PAIRS[name]
    sources = [
        {"title": t, "passages": [{"id": id, "text": text}]}
        for t, id, text in (("x", "p00000001", one), ("y", "p00000002", other))
    ]
    told = section(
        write_report(
            report_inputs(0, question="How much coral cover did the reef lose?", sources=sources)
        ),
        "Conflicting Information",
    )
    assert bool(marked(told)) is conflict
    nothing_compared = name in ("other unit", "of another whole", "other subject")
    assert ("worded alike enough to be compared" in told) is nothing_compared
    assert ("No conflicting figures" in told) is not (conflict or nothing_compared)


def test_one_source_does_not_conflict_with_itself() -> None:
    sources = [{"title": "x", "passages": [{"id": "p00000001", "text": f"{A} {B}"}]}]
    assert not marked(
        section(
            write_report(report_inputs(0, question="How much coral cover?", sources=sources)),
            "Conflicting Information",
        )
    )


@pytest.mark.parametrize(
    ("told", "is_told"),
    [
        ("A study of rust contradicts what the makers of paint say.", True),
        ("Experts still disagree about how fast rust spreads in salt water.", True),
        ("Whether rust harms old trees is disputed among foresters.", True),
        ("There is no consensus on rust in old water pipes of lead.", True),
        ("The finding on rust does not contradict the makers of paint.", False),
        ("The town of rust has mixed views of the sea from its hotel.", False),
        ("The cup of rust is contested by twenty teams every year.", False),
        ("Some sources conflict minerals and rust come from are mines.", False),
        ("Rust spreads fast below the paint of a car in winter.", False),
    ],
)
def test_a_sentence_that_tells_of_a_conflict_is_shown_among_the_conflicts(
    told: str, is_told: bool
) -> None:
    made = write_about("Is rust bad?", ("Rust", f"{told} Rust spreads by water and air."))
    assert (told in section(made, "Conflicting Information")) is is_told
