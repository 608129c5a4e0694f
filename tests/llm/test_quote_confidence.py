"""What the confidence assessment says of the sources, and of what is missing."""

from __future__ import annotations

import re

import pytest

from research_core.llm.offline_writer import write_report
from tests.llm.test_offline_writer import report_inputs, section


def test_what_was_left_out_is_told_with_its_reason() -> None:
    dropped = [
        {"title": f"Page {n}", "explanation": "It is about\nlemon *trees*."} for n in range(7)
    ]
    text = section(
        write_report(report_inputs(2, limited=True, dropped=dropped)), "Confidence Assessment"
    )
    assert "7 sources were left out: “Page 0” (It is about lemon trees)" in text
    assert "and 2 more." in text


@pytest.mark.parametrize(
    ("explanation", "shown"),
    [
        (
            "Mentions risks, deep, sea, mining. These words are not close together."
            " The words of “deep-sea mining” are not together.",
            "(Mentions risks, deep, sea, mining. These words are not close together."
            " The words of “deep-sea mining” are not together)",
        ),
        (f"{'It is about lemons, ' * 15}and trees.", "(It is about lemons, It is about lemons, It"),
        (
            f"Handelt von Bitcoin, etwa in z. B. Texas. {'Tiefseebergbau kommt nicht vor, ' * 7}"
            " mit keinem einzigen Wort.",
            "(Handelt von Bitcoin, etwa in z. B. Texas)",
        ),
        (f"{'対象は海ではなく山です。' * 6}{'山' * 240}。", "対象は海ではなく山です)"),
    ],
)
def test_a_reason_for_leaving_out_is_cut_at_a_sentence_or_between_words(
    explanation: str, shown: str
) -> None:
    dropped = [{"title": "Page", "explanation": explanation}]
    text = section(
        write_report(report_inputs(2, limited=True, dropped=dropped)), "Confidence Assessment"
    )
    assert shown in text
    assert not re.search(r"[.,;:]…", text)
    assert not re.search(
        r"\b(?:low|moderate|fair|high)\b", text
    )  # the level is computed of the report, not said here


def test_words_of_the_question_that_no_source_has_are_named() -> None:
    text = write_report(report_inputs(3, question="What explains scurvy among astronauts?"))
    assert "No source has these words of the question: “explains”, “astronauts”." in section(
        text, "Confidence Assessment"
    )


def test_a_text_that_two_sources_print_counts_once() -> None:
    story = " ".join(
        f"Scurvy killed {n} of the sailors who ate no fruit on voyage {n}." for n in range(5, 12)
    )
    sources = [
        {"title": f"t{n}", "passages": [{"id": f"p0000000{n}", "text": story}]} for n in range(2)
    ]
    sources.append(
        {
            "title": "t2",
            "passages": [
                {
                    "id": "p00000002",
                    "text": "Lemons cured the scurvy of every sailor aboard in 1753.",
                }
            ],
        }
    )
    told = section(write_report(report_inputs(0, sources=sources)), "Confidence Assessment")
    assert re.search(r"quoted from (the|1 of the) 2 sources kept", told)
    assert "1 source was not counted: same text as another source." in told
    assert "not counted" not in write_report(report_inputs(0, sources=sources[1:]))
