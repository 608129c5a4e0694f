"""Key words, follow-ups that lean on the question before them, and the queries that instructions make."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.question import by_itself, instructed, keywords, leans

MINING = "What are the environmental risks of deep-sea mining?"


def test_key_words_keep_their_order_and_spelling_each_once() -> None:
    assert keywords("How do the ISA's rules (of 2023) differ from ISA's RULES in Norway?") == ["ISA's", "rules", "2023", "differ", "Norway"]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("And what does it cost?", True),
        ("Why?", True),
        ("Who pays for it, and when do companies in Norway have to?", True),
        ("Is it legal in Norway?", True),
        ("Who regulates mining in Norway?", False),
        ("Which companies hold exploration licences from the seabed authority?", False),
        ("How did Norway's parliament justify opening its waters to companies in 2024?", False),
    ],
)
def test_a_follow_up_leans_on_the_question_before_where_it_names_little_or_points_back(question: str, expected: bool) -> None:
    assert leans(question) is expected


@pytest.mark.parametrize(
    ("question", "follows", "expected"),
    [
        ("And what does it cost?", MINING, "And what does it cost (about: environmental risks deep-sea mining)?"),
        ("Costs", MINING, "Costs (about: environmental risks deep-sea mining)"),
        ("Who regulates mining in Norway?", MINING, "Who regulates mining in Norway?"),
        ("Any mining?", "What of mining?", "Any mining?"),
        ("Why?", "", "Why?"),
    ],
)
def test_a_question_that_leans_says_what_it_is_about(question: str, follows: str, expected: str) -> None:
    assert by_itself(question, follows) == expected


def test_a_chain_of_follow_ups_keeps_its_subject() -> None:
    first = by_itself("And what does it cost?", MINING)
    assert by_itself("Who pays for it?", first) == "Who pays for it (about: cost environmental risks deep-sea mining)?"


@pytest.mark.parametrize(
    ("instruction", "query"),
    [
        ("Say what it means for fisheries", "environmental risks deep-sea mining fisheries"),
        ("Only the Pacific, after 2020.", "environmental risks deep-sea mining Pacific 2020"),
        ("Look at mining", "environmental risks deep-sea mining"),
    ],
)
def test_an_instruction_makes_a_query_of_the_question_and_what_it_adds(instruction: str, query: str) -> None:
    assert instructed(MINING, instruction) == query


@given(st.text(max_size=200), st.text(min_size=1, max_size=200))
def test_any_text_makes_a_query_and_a_question(question: str, other: str) -> None:
    assert instructed(question, other)
    assert len(instructed("word " * 400 + question, "other " * 100 + other).split()) <= 40
    assert by_itself(question, other).startswith(question.removesuffix("?"))
