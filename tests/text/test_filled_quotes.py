"""Sentences that hold what a question asks for come first, if they are near what it asks of it."""

from __future__ import annotations

import pytest

from research_core.llm.offline_writer import write_report
from research_core.model_messages import Json
from research_core.text.asked_fillers import find_asked_fillers
from research_core.text.filled_quotes import asks_plain_filler, list_asked
from research_core.text.quote_choice import choose_quotes
from research_core.text.quote_faults import mark_faults
from research_core.text.quote_scores import find_quotes
from tests.thesaurus import Thesaurus


def make_source(number: int, title: str, text: str) -> Json:
    return {"title": title, "passages": [{"id": f"p{number:08}", "text": text}]}


def choose(question: str, *texts: str, embedder: Thesaurus | None = None) -> list[str]:
    """Return the sentences chosen of pages with these texts, best first."""
    sources = [make_source(number, "t", text) for number, text in enumerate(texts)]
    found = find_quotes(question, sources, embedder)
    usable = mark_faults(question, found, sources, ())
    return [quote.text for quote in choose_quotes(usable, 5, per_source=5)]


@pytest.mark.parametrize(
    ("question", "named", "filling"),
    [
        (
            "How long does lime plaster need to dry?",
            "Lime plaster is a mix of lime, sand and water, and it has to dry.",
            "Lime plaster on a wall is dry after six weeks.",
        ),
        (
            "When was the canal lock repaired?",
            "The canal lock was repaired by a firm of the town.",
            "The canal lock was closed and repaired in 1987.",
        ),
        (
            "Wie lange hält ein Dach aus Reet?",
            "Ein Dach aus Reet hält den Regen und die Kälte ab.",
            "Ein Dach aus Reet hält im Norden etwa 40 Jahre.",
        ),
        (
            "¿Cuánto tiempo dura el viaje en barco a la isla?",
            "El viaje en barco a la isla dura lo que quiere el viento.",
            "El viaje en barco a la isla dura tres horas con calma.",
        ),
        (
            "How badly does salt spray damage oak doors?",
            "Whether salt spray does damage to oak doors is disputed.",
            "Salt spray makes oak doors crack and lose their paint.",
        ),
    ],
)
def test_a_sentence_with_the_filler_comes_first(question: str, named: str, filling: str) -> None:
    assert choose(question, f"{named} {filling}")[0] == filling


def test_a_duration_of_something_else_does_not_fill_a_question() -> None:
    question = "How long does the reef need to recover?"
    other = "The crew of the reef survey left for home in two hours."
    filling = "Corals of the reef recover within years or decades."
    sources = [make_source(1, "Reefs", f"{other} {filling}")]
    quotes = find_quotes(question, sources, Thesaurus())
    assert {quote.text: bool(quote.fills) for quote in quotes} == {other: False, filling: True}


def test_each_part_of_a_question_is_filled_in_its_order() -> None:
    question = "When was the canal lock built, and how long does a boat need to pass it?"
    built = "The canal lock was built in 1794 by a company of merchants."
    passed = "A boat needs about twenty minutes to pass the canal lock."
    others = (
        "The canal lock is made of oak and granite. Boats are pulled into the canal lock by hand."
    )
    inputs = {
        "question": question,
        "limited": False,
        "dropped": [],
        "sub_questions": [],
        "sources": [make_source(1, "Lock", f"{others} {passed}"), make_source(2, "Canal", built)],
    }
    report = write_report(inputs)
    summary = report.partition("## Main Findings")[0]
    assert summary.index(built) < summary.index(passed)


def test_without_a_filler_few_sentences_are_quoted() -> None:
    text = (
        "The canal lock was built by a company of merchants. The canal lock is made of oak."
        " The canal lock was built for barges of the mill. A canal lock is built with two gates."
    )
    inputs = {
        "question": "When was the canal lock built?",
        "limited": False,
        "dropped": [],
        "sub_questions": [],
        "sources": [make_source(1, "Lock", text)],
    }
    assert write_report(inputs).count("[p00000001]") == 2


def test_a_side_of_a_thing_is_told_by_its_own_words() -> None:
    question = "Which oils are used to prevent rust?"
    assert find_asked_fillers(question)[0].name == "kind"
    assert not list_asked([question], ["Rust"])


@pytest.mark.parametrize(
    ("question", "is_plain"),
    [
        ("How long is the ferry trip?", True),
        ("Which birds are seen from the ferry?", False),
        ("What is a ferry, and how long is the trip?", False),
        ("What is a ferry?", False),
    ],
)
def test_which_questions_ask_for_a_plain_filler(question: str, is_plain: bool) -> None:
    assert asks_plain_filler(question) == is_plain


def test_a_first_part_that_asks_for_no_filler_is_answered_first() -> None:
    question = "What causes rust on an anchor, and how long does an anchor last?"
    cause = "Rust on an anchor is caused by salt water and air."
    lasting = "An anchor lasts for about thirty years in a harbour."
    inputs = {
        "question": question,
        "limited": False,
        "dropped": [],
        "sub_questions": [],
        "sources": [make_source(1, "Anchors", f"{lasting} {cause}"), make_source(2, "Rust", cause)],
    }
    summary = write_report(inputs).partition("## Main Findings")[0]
    assert summary.index(cause) < summary.index(lasting)
