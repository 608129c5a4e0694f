"""What the report says of things that no source names, and what it does not quote then."""

from __future__ import annotations

import pytest

from research_core.text.question_topic import find_topic, find_unknown_things
from tests.llm.test_offline_writer import marked, section, write_about


def test_the_first_line_names_what_no_source_names() -> None:
    text = write_about(
        "What is zolmitriptan?", ("Migraine", "Triptans are drugs that narrow blood vessels.")
    )
    assert text.startswith("## Executive Summary\n\nNo source names “zolmitriptan”.\n")
    assert not marked(section(text, "Executive Summary"))


def test_the_first_line_names_the_thing_that_no_quoted_sentence_names() -> None:
    text = write_about(
        "Does a carburetor need antifreeze in winter?",
        ("Carburetor", "A carburetor mixes fuel with air in winter. A carburetor has two jets."),
        (
            "Carburetors",
            "A carburetor in winter needs a choke. The carburetor is cleaned in winter.",
        ),
    )
    told = "No source found mentions “antifreeze”."
    assert text.startswith(f"## Executive Summary\n\n{told}\n")
    shown = section(text, "Executive Summary") + section(text, "Main Findings")
    assert 0 < shown.count("[p") <= 2


@pytest.mark.parametrize(
    ("question", "unknown", "other", "kept"),
    [
        (
            "Can I take zolmiprofen with red wine while I am pregnant and have a"
            " headache each week?",
            "zolmiprofen",
            ("Ibuprofen", "Red wine with ibuprofen can hurt the stomach of a pregnant woman."),
            "Red wine often makes a headache worse during the weeks of a pregnancy.",
        ),
        (
            "My doctor gave me Velparimab in May. I sleep badly. What are the side effects of"
            " Velparimab on sleep and on the heart in old people?",
            "Velparimab",
            ("Pain", "Naproxen has side effects on sleep and on the heart in old people."),
            "Old people who sleep badly have more trouble with the heart than others.",
        ),
        (
            "How often should the coat of a young Zorvipoo be clipped in summer in a warm flat?",
            "Zorvipoo",
            ("Grooming", "The coat of labradoodles should be clipped each month in summer."),
            "The coat of a young dog should be clipped once in summer in a warm flat.",
        ),
        (
            "Which soil and how much water does a Quellora need on a cold balcony to the north?",
            "Quellora",
            ("Pelargonium: care", "Much water and poor soil are needed on a cold balcony."),
            "Most plants on a balcony to the north need little water and light soil.",
        ),
        (
            "How much memory does the Zentrobase server need on a small machine for ten users?",
            "Zentrobase",
            ("Servers", "A Kubernetes server needs much memory on a machine for ten users."),
            "A server for ten users needs 4 GB of memory on a small machine.",
        ),
    ],
)
def test_of_an_unknown_thing_nothing_about_another_of_its_kind_is_quoted(
    question: str, unknown: str, other: tuple[str, str], kept: str
) -> None:
    text = write_about(question, other, ("Advice", kept))
    assert text.startswith(f"## Executive Summary\n\nNo source names “{unknown}”.\n")
    assert other[1] not in text
    assert kept in text
    assert find_unknown_things(find_topic(question), [kept]) == (unknown,)
    assert not find_unknown_things(find_topic(question), [kept, f"On {unknown}"])


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (
            "What helps against dizziness when I stand up in the morning before work?",
            "Hypotension often comes when people stand up in the morning.",
        ),
        (
            "How is PQRD treated in old people with a weak heart and bad sleep at night?",
            "Naproxen is used in old people with a weak heart and bad sleep.",
        ),
        (
            "Can I take ibuprofen with red wine while I have a headache for the whole week?",
            "Paracetamol with red wine is worse for a headache than ibuprofen is.",
        ),
        (
            "Does fybromyaglia get worse in winter when old people sleep badly at night?",
            "Fibromyalgia gets worse in winter when people sleep badly at night.",
        ),
        (
            "Does hyperexcitation of the nerves at night harm old people with a weak heart?",
            "Naproxen at night calms the nerves of old people with a weak heart.",
        ),
        (
            "Which trees give shade to a small garden in the north within five years?",
            "Laburnum gives shade to a small garden in the north within years.",
        ),
    ],
)
def test_a_word_that_is_no_unknown_thing_excludes_no_sentence(question: str, answer: str) -> None:
    assert answer in write_about(question, ("t", answer))
