"""What a reader is to look at before a report goes anywhere, told apart by what is the matter."""

from __future__ import annotations

from itertools import product

from research_core.models import Block, Sentence
from research_core.pipeline.draft import NO_SOURCE_FLAG, render
from research_core.pipeline.needs_review import ReviewFlags, find_flags

PASSAGES = {"p1": "The ferry carried 40 people on 3 May 2021.", "p2": ""}
LACKING = (
    Sentence("The ferry carried 60 people.", ("p1",), "partly"),
    Sentence("It sailed on 4 May 2021.", ("p1",), "not found"),
    Sentence("It was “full to the brim”.", ("p1",), "not found"),
)
DOUBTFUL = (Sentence("The ferry was overcrowded.", ("p1",), "partly"),)
UNCHECKED = (Sentence("It sank.", ("p2",), "could not check"),)
FINE = (
    Sentence("The ferry carried 40 people.", ("p1",), "supported"),
    Sentence("It is blue.", (), "uncited", "Says so."),
)


def test_what_is_the_matter_is_told_apart() -> None:
    blocks = [
        Block("heading", (Sentence("On 60 people"),), 2),
        Block("paragraph", (*FINE, *DOUBTFUL, *LACKING, *UNCHECKED)),
    ]
    assert find_flags(blocks, PASSAGES) == ReviewFlags(LACKING, DOUBTFUL, UNCHECKED)


def test_nothing_is_said_where_nothing_is_the_matter() -> None:
    found = find_flags([Block("paragraph", FINE)], PASSAGES)
    assert not found
    assert found.notice == ""


def test_each_kind_is_counted_in_the_notice() -> None:
    for lacking, doubtful, unchecked in product((0, 1, 2), repeat=3):
        found = ReviewFlags(LACKING[:lacking], DOUBTFUL * doubtful, UNCHECKED * unchecked)
        assert bool(found) is bool(lacking + doubtful + unchecked)
        assert ("not in the source" in found.notice, "in part only" in found.notice, "not be checked" in found.notice) == (
            bool(lacking), bool(doubtful), bool(unchecked),
        )  # fmt: skip
    assert "1 sentence with" in ReviewFlags(LACKING[:1]).notice
    assert "2 sentences with" in ReviewFlags(LACKING[:2]).notice


def test_a_sentence_that_cites_nothing_is_marked_where_it_states_something() -> None:
    blocks = [Block("heading", (Sentence("Founded in 1950"),), 2), Block("paragraph", FINE)]
    text = render(blocks, {"p1": 1}, unsourced=lambda sentence: not sentence.citations)
    assert (
        text
        == f"## Founded in 1950\n\nThe ferry carried 40 people. [1] It is blue. {NO_SOURCE_FLAG}"
    )
