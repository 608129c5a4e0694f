"""Under which headings quotations are grouped."""

from __future__ import annotations

import re

import pytest

from research_core.llm.offline_writer import write_report
from research_core.llm.quote_themes import format_theme_heading
from tests.llm.test_offline_writer import marked, report_inputs, section, write_about


def test_findings_stand_under_the_sub_question_they_answer() -> None:
    findings = section(write_report(report_inputs(5)), "Main Findings")
    causes = findings.split("### What causes or explains it?\n", 1)[1].split("### ", 1)[0]
    assert marked(causes)
    assert all(re.search("because|since|result|led to", sentence) for sentence, _ in marked(causes))


def test_without_sub_questions_findings_stand_under_the_titles_of_their_sources() -> None:
    findings = section(write_report(report_inputs(3, sub_questions=[])), "Main Findings")
    assert set(re.findall(r"### (.*)", findings)) <= {"Log 0", "Log 1", "Log 2"}


def test_a_comparison_with_sentences_on_one_side_only_is_grouped_by_its_sides() -> None:
    frogs = "A frog has smooth skin that is always wet. The frog lays its eggs in clumps in spring."
    text = write_about(
        "What is the difference between frogs and toads?",
        ("Frogs", frogs),
        ("More frogs", "A frog lives near water for all of its life, also in winter."),
        ("Pond", "A toad hops less far than a frog does."),
    )
    assert "|" not in text
    assert "### Frogs" in section(text, "Main Findings").splitlines()


@pytest.mark.parametrize(
    ("question", "heading"),
    [
        ("What causes rust?", "What causes rust?"),
        ("How is rust treated?", "How is rust treated?"),
        ("Costs and fees", "Costs and fees"),
        ("not that the lease could be ended by a fault", ""),
        ("any other type of treatment", "Treatment"),
        ("I have heard that wax prevents rust, is that right?", ""),
        ("It's it possible for this cake of his to rise?", ""),
        ("my symptoms after the flight", "Symptoms"),
        ("my deleted mail in Outlook", ""),
        ("my credit spread on two options", ""),
        ("my driving test in the spring", ""),
        ("my lawyer who signs the lease", ""),
        ("my remedy for a breach of contract", ""),
    ],
)
def test_a_fragment_of_the_question_is_no_heading(question: str, heading: str) -> None:
    assert format_theme_heading(question) == heading
