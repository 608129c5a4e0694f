"""The first check: words, numbers and quotations of a sentence against the passages it cites; and
what a reader is to look at before a report goes anywhere.
"""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from research_core.models import Block, Passage, Sentence
from research_core.pipeline.draft import NO_SOURCE_FLAG, parse, render
from research_core.pipeline.verify import (
    UNCITED_NOTE,
    UNSOURCED_NOTE,
    ReviewFlags,
    check_sentence,
    find_flags,
    verify,
)
from research_core.text.antonyms import DENIAL_ROOTS, NEGATIONS
from research_core.text.similarity import word_root
from research_core.text.support import check_support
from research_core.text.support.quotations import find_quotations
from research_core.text.words import tokenize

TEXT = (
    "Sperm whales dive to about 1,000 meters and stay down for an hour. A tagged whale reached 2.05 km in 2019. "
    "“They sleep upright,” said Ana Ruiz. The whales do not chew their prey."
)
PASSAGES = {
    "p00000001": Passage("p00000001", TEXT, 0, len(TEXT)),
    "p00000002": Passage("p00000002", "Bakers rise at four.", 0, 20),
}


@pytest.mark.parametrize(
    ("sentence", "state", "note"),
    [
        ("Sperm whales dive to about 1,000 meters and stay down for an hour.", "supported", ""),
        ("Sperm  whales dive to about 1,000 meters\nand stay down for an hour", "supported", ""),
        ("Diving sperm whales stay down an hour, at about 1000 meters.", "supported", ""),
        ("A whale with a tag reached 2.05 km in 2019.", "supported", ""),
        ("A tagged whale reached 2.50 km in 2019.", "partly", "Not in the passage: 2.5."),
        ("A tagged whale reached 2.05 km in 2021.", "partly", "Not in the passage: 2021."),
        ("Ana Ruiz said “They sleep upright”.", "supported", ""),
        (
            "Ana Ruiz said “They sleep lying down”.",
            "not found",
            "Not quoted word for word: “They sleep lying down”.",
        ),
        (
            "The whales do chew their prey.",
            "partly",
            "Either the sentence or the page says “not”, but not both.",
        ),
        (
            "Dolphins use sponges as tools near Australia.",
            "not found",
            "Not in the passage: dolphins, use, sponges, tools, near, australia.",
        ),
        (
            "Whales stay down for an hour because sunlight frightens squid.",
            "partly",
            "Not in the passage: sunlight, frightens, squid.",
        ),
    ],
)
def test_states_and_notes(sentence: str, state: str, note: str) -> None:
    checked = check_sentence(Sentence(sentence, ("p00000001",)), PASSAGES)
    assert (checked.state, checked.text, checked.citations) == (state, sentence, ("p00000001",))
    if state != "not found" or "Not quoted" in note:
        assert checked.note == note
    else:
        assert checked.note.startswith("Not in the passage: dolphins")


def test_any_of_the_cited_passages_may_hold_it() -> None:
    assert (
        check_sentence(Sentence("Bakers rise at four.", ("p00000001", "p00000002")), PASSAGES).state
        == "supported"
    )


REFERENCES = "\n".join(
    f"[{n}] Smith J (20{n}). Sperm whales dive to 1,000 meters. J. Whales, vol. {n}, pp. 1-9."
    for n in (10, 11, 12)
)


@pytest.mark.parametrize("passage", [f"## References\n\n{REFERENCES}", REFERENCES])
def test_a_list_of_references_supports_nothing(passage: str) -> None:
    assert check_support("Sperm whales dive to 1,000 meters.", [passage]) == (
        "not found",
        "The cited passage is a list of references.",
    )
    assert (
        check_support("Sperm whales dive to 1,000 meters.", [f"{TEXT}\n\n{passage}", passage])[0]
        == "supported"
    )
    assert (
        check_support("Smith wrote of sperm whales in 2011.", [f"{TEXT}\n\n{passage}"])[0]
        != "supported"
    )


def test_a_row_is_read_with_the_first_of_its_table() -> None:
    rows = "\n".join(
        f"| {name} | {depth} m |"
        for name, depth in (
            ("Orca", 260),
            ("Fin whale", 470),
            ("Pilot whale", 600),
            ("Narwhal", 1500),
        )
    )
    table = f"| Species of whale | Deepest recorded dive |\n|---|---|\n{rows}"
    assert check_support("The deepest recorded dive of the narwhal was 1500 m.", [table]) == (
        "supported",
        "",
    )


@pytest.mark.parametrize(
    ("sentence", "passages"),
    [
        (Sentence("Whales dive.", ("p0000dead",)), PASSAGES),
        (Sentence("Whales dive.", ("p1",)), {"p1": Passage("p1", "  ", 0, 2)}),
        (Sentence("…", ("p00000001",)), PASSAGES),
    ],
    ids=["not stored", "empty", "no word"],
)
def test_a_check_that_cannot_be_made_says_so(
    sentence: Sentence, passages: dict[str, Passage]
) -> None:
    checked = check_sentence(sentence, passages)
    assert checked.state == "could not check"
    assert checked.note


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("The cap is 40 units.", UNCITED_NOTE),
        ("It opened in March.", UNCITED_NOTE),
        ("The agency NASA agreed.", UNCITED_NOTE),
        ("Cold water reduces swelling in sprained ankles.", UNSOURCED_NOTE),
        ("Swelling is worse in the evening hours.", UNSOURCED_NOTE),
        ("Herring isn't found in warm lakes.", UNSOURCED_NOTE),
        ("What reduces swelling in ankles?", ""),
        ("Cold water has these effects on ankles:", ""),
        ("This report covers what swelling does to ankles.", ""),
        ("People with sprained ankles should rest for some days.", ""),
        ("Consider that swelling is worse later.", ""),
        ("Mild swelling of both ankles.", ""),
        ("It depends.", ""),
        ("Each sentence with a mark is quoted whole from its source.", ""),
        ("That is all this method compares in the two pages.", ""),
        ("No sources were found that speak of the matter at all.", ""),
    ],
)
def test_uncited_statements_are_told_from_other_words(text: str, note: str) -> None:
    checked = check_sentence(Sentence(text), PASSAGES)
    assert (checked.state, checked.note) == ("uncited", note)


def test_verify_keeps_the_shape_and_leaves_headings() -> None:
    blocks = [
        Block("heading", (Sentence("Depths in 2019"),), 2),
        Block("bullet", (Sentence("Bakers rise at four.", ("p00000002",)), Sentence("It is so."))),
    ]
    heading, bullet = verify(blocks, PASSAGES)
    assert heading == blocks[0]
    assert [sentence.state for sentence in bullet.sentences] == ["supported", "uncited"]
    assert (bullet.kind, bullet.level) == ("bullet", 0)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("He said “two words”.", ["two words"]),
        ('She wrote "and then it sank."', ["and then it sank"]),
        ("The “word” alone", ["word"]),
        ("The “it” alone, and ‘one more’, and 'the last'", ["one more", "the last"]),
        ("Rock 'n' roll in the dancers' hall, and the ’90s", []),
        ("She said ‘it isn’t over’ then", ["it isn’t over"]),
        ('The limit is 5" wide', []),
    ],
)
def test_quotations(text: str, found: list[str]) -> None:
    assert find_quotations(text) == found


@given(st.text(max_size=200), st.lists(st.text(max_size=200), max_size=3))
@example("0", ["|"])
def test_every_text_gets_a_state(sentence: str, passages: list[str]) -> None:
    state, note = check_support(sentence, passages)
    assert state in {"supported", "partly", "not found", "could not check"}
    assert note or state == "supported"


@given(
    st.sampled_from(
        ["Sperm whales dive deep.", "Ana Ruiz said “no way”.", "It rose by 5 % in 2019."]
    ),
    st.text(max_size=50).filter(
        lambda text: (
            not (DENIAL_ROOTS | NEGATIONS) & {*map(word_root, tokenize(text)), *tokenize(text)}
        )
    ),
)
def test_a_passage_that_holds_the_sentence_supports_it(sentence: str, around: str) -> None:
    """Unless a word beside it denies it: "NO sperm whales dive deep"."""
    assert check_support(sentence, [f"{around} {sentence} {around}"]) == ("supported", "")


CELL_PASSAGES = {
    name: Passage(name, text, 0, len(text))
    for name, text in (
        ("p0000000a", "The lifetime of a brass hinge is 15 years."),
        ("p0000000b", "The lifetime of a steel hinge is 40 years."),
    )
}


@pytest.mark.parametrize(
    ("row", "states"),
    [
        (
            "| Lifetime | 15 years [p0000000a] | 40 years [p0000000b] |",
            ["uncited", "supported", "supported"],
        ),
        # The figures are swapped: each is in the other's passage.
        (
            "| Lifetime | 40 years [p0000000a] | 15 years [p0000000b] |",
            ["uncited", "partly", "partly"],
        ),
        (
            "| | The lifetime of a brass hinge is 15 years. [p0000000a] | |",
            ["uncited", "supported", "uncited"],
        ),
        (
            "| Lifetime | The lifetime of a steel hinge is 40 years. [p0000000a] |",
            ["uncited", "partly"],
        ),
        ("| Lifetime | 15 years [p0000000c] |", ["uncited", "could not check"]),
        (
            "| Lifetime | 15 years | 40 years [p0000000a][p0000000b] |",
            ["uncited"] * 2 + ["supported"],
        ),
    ],
)
def test_each_cell_is_checked_against_its_own_passage(row: str, states: list[str]) -> None:
    (block,) = verify(parse(row), CELL_PASSAGES)
    assert [sentence.state for sentence in block.sentences] == states


def test_a_cell_without_a_mark_states_something_unless_its_row_is_cited() -> None:
    one, other = verify(
        parse(
            "| Lifetime | In 1999 it lasted 15 years. | It lasted 40 years. [p0000000b] |\n"
            "| Lifetime | 15 years since 1999 | 40 years [p0000000b] |"
        ),
        CELL_PASSAGES,
    )
    assert [bool(sentence.note) for sentence in one.sentences[:2]] == [False, True]
    assert [sentence.note for sentence in other.sentences[:2]] == ["", ""]


def test_what_is_said_of_the_evidence_needs_no_source() -> None:
    text = "## Main Findings\n\nIn 2021 there were 40 seals.\n\n## Confidence Assessment\n\nConfidence is fair: 7 sources were used."
    notes = [
        sentence.note
        for block in verify(parse(text), {})
        for sentence in block.sentences
        if block.kind != "heading"
    ]
    assert notes == [UNCITED_NOTE, ""]


# ---------------------------------------------------------------- sentences to check

FERRY_PASSAGES = {"p1": "The ferry carried 40 people on 3 May 2021.", "p2": ""}
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
    assert find_flags(blocks, FERRY_PASSAGES) == ReviewFlags(LACKING, DOUBTFUL, UNCHECKED)


def test_nothing_is_said_where_nothing_is_the_matter() -> None:
    found = find_flags([Block("paragraph", FINE)], FERRY_PASSAGES)
    assert not found
    assert found.notice == ""


def test_each_kind_is_counted_in_the_notice() -> None:
    for lacking, doubtful, unchecked in product((0, 1, 2), repeat=3):
        found = ReviewFlags(LACKING[:lacking], DOUBTFUL * doubtful, UNCHECKED * unchecked)
        assert bool(found) is bool(lacking + doubtful + unchecked)
        assert ("not in the source" in found.notice, "only in part" in found.notice, "not be checked" in found.notice) == (
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
