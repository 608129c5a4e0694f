"""What is shown before a quoted sentence."""

from __future__ import annotations

import pytest

from research_core.text.question_topic import find_topic
from research_core.text.quote_labels import clean_title, describe_section, is_label
from research_core.text.topic_naming import find_label


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Fibromyalgia | Example Clinic", "Fibromyalgia"),
        ("Rheumatoid arthritis - Example Hospital", "Rheumatoid arthritis"),
        ("What is a heat pump?", "Heat pump"),
        ("What are the symptoms of lead poisoning?", "Lead poisoning"),
        ("Briefing 41: River dams of the north", "River dams of the north"),
        ("Trisomy 18", "Trisomy 18"),
        ("Heat pumps cause cancer", ""),
        ("Why you should never buy a heat pump", ""),
        ("A very long title that names a great many things at once", ""),
    ],
)
def test_titles_are_shown_as_short_names(title: str, name: str) -> None:
    assert clean_title(title) == name


@pytest.mark.parametrize(
    ("text", "heading", "title", "label"),
    [
        ("Symptoms include cramps.", "Causes", "Lead poisoning | Clinic", "Lead poisoning"),
        (
            "Symptoms include cramps.",
            "Signs of lead poisoning",
            "Metals",
            "Signs of lead poisoning",
        ),
        ("Lead poisoning is treated with drugs.", "", "Lead poisoning", ""),
        ("Symptoms include cramps.", "Overview", "The kitchen garden", ""),
        ("Symptoms include cramps.", "", "Lead poisoning is harmless", ""),
    ],
)
def test_a_label_names_what_the_sentence_does_not(
    text: str, heading: str, title: str, label: str
) -> None:
    topic = find_topic("What are the symptoms of lead poisoning?")
    assert find_label(topic, text, heading, title) == label


@pytest.mark.parametrize(
    ("heading", "label"),
    [
        ("Myths about vaccines", "Under “Myths about vaccines”"),
        ("Controversy", "Under “Controversy”"),
        (
            "Arguments against the dam",
            "Argument against, under “Arguments against the dam”",
        ),
        ("Criticism", "Argument against, under “Criticism”"),
        ("Against nuclear power", "Argument against, under “Against nuclear power”"),
        ("The case against a toll", "Argument against, under “The case against a toll”"),
        ("Disadvantages of cork floors", "Argument against, under “Disadvantages of cork floors”"),
        ("Cons", "Argument against, under “Cons”"),
        ("Kritik", "Argument against, under “Kritik”"),
        ("Argumente gegen den Damm", "Argument against, under “Argumente gegen den Damm”"),
        ("Inconvénients", "Argument against, under “Inconvénients”"),
        ("Argumentos en contra", "Argument against, under “Argumentos en contra”"),
        ("Критика", "Argument against, under “Критика”"),
        ("反对意见", "Argument against, under “反对意见”"),
        ("Critics say that it is not worth its price", "Argument against, under “Critics”"),
        ("Critical care", ""),
        ("Conservation", ""),
        ("Arguments for the dam", ""),
        ("History of the dam", ""),
        ("", ""),
    ],
)
def test_a_section_of_others_claims_is_named(heading: str, label: str) -> None:
    assert describe_section(heading) == label


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("*Rheumatoid arthritis:*", True),
        ("*Under “Myths”:*", True),
        ("*Argument against, under “Arguments against the old dam of the north”:*", True),
        ("*Trisomy 18:*", True),
        ("*From “Lead poisoning (Causes)”:*", True),
        ("*Aus „Bleivergiftung (Ursachen)“:*", True),
        ("*De « La rouille (causes) » :*", True),
        ("*「鉛中毒（原因）」より:*", True),
        ("*From “Vaccines cause autism”:*", False),
        ("*Vaccines cause autism:*", False),
        ("*The dam is safe:*", False),
        ("**Bold:**", False),
        ("Plain:", False),
    ],
)
def test_what_states_something_is_no_label(text: str, expected: bool) -> None:
    assert is_label(text) is expected
