"""The labels of quotations."""

from __future__ import annotations

import pytest

from research_core.llm.quote_bullets import _drop_other_section, format_bullets
from research_core.text.quotable import Quote


@pytest.mark.parametrize(
    ("heading", "shown"),
    [
        ("Gout", "- It hurts. [p1]"),
        ("About GOUT: a guide", "- It hurts. [p1]"),
        ("", "- *Gout:* It hurts. [p1]"),
        ("Rheumatism", "- *Gout:* It hurts. [p1]"),
    ],
)
def test_a_label_that_the_heading_says_is_left_out(heading: str, shown: str) -> None:
    quote = Quote("It hurts.", "p1", 0, 0, firm=True, label="Gout")
    assert format_bullets([quote], heading) == shown


def test_each_sentence_of_a_quoted_list_has_its_mark() -> None:
    text = "Lime may burn the skin. Call a doctor if you see these signs: blisters; swelling."
    listing = Quote(text, "p1", 0, 0, firm=True, is_list=True)
    assert format_bullets([listing]) == (
        "- Lime may burn the skin. [p1]"
        " Call a doctor if you see these signs: blisters; swelling. [p1]"
    )


@pytest.mark.parametrize(
    ("label", "question", "shown"),
    [
        ("Gout (Symptoms)", "How is gout treated?", "Gout"),
        ("Gout (Treatment)", "How is gout treated?", "Gout (Treatment)"),
        ("Gout (foot)", "How is gout treated?", "Gout (foot)"),
        ("Gout (Symptoms)", "Information about gout", "Gout (Symptoms)"),
        ("Visa (Costs)", "What are the requirements for a visa?", "Visa"),
    ],
)
def test_a_label_names_no_side_that_is_not_asked_about(
    label: str, question: str, shown: str
) -> None:
    assert _drop_other_section(label, question, []) == shown
