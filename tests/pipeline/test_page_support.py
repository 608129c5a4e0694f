"""Where a page holds a sentence that the cited passage does not."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.export import tables
from research_core.models import Block, Passage, Sentence
from research_core.pipeline.page_support import find_support_in_page
from research_core.pipeline.verify import check_sentence
from tests.reports import FULL_REPORT

CITED = "Sperm whales are the largest of the toothed whales."
FAR = "A tagged whale reached 2.05 km in 2019, off the Azores."
PAGE = f"""# Whales

{CITED} They live in all oceans. Bakers in Lisbon rise at four to light their ovens.

{FAR} Others dive to about 1,000 meters. They stay down for an hour.

## References

1. Ruiz, A. (2019). Sleep of whales in the Pacific ocean. Journal of Whales, 12(3), 4-9. doi:10.1000/182
"""
AT = PAGE.index(CITED)
PASSAGE = Passage("p00000001", CITED, AT, AT + len(CITED))


def found(text: str, page: str = PAGE, cited: Passage = PASSAGE) -> Passage | None:
    return find_support_in_page(
        check_sentence(Sentence(text, (cited.id,)), {cited.id: cited}), [cited], page
    )


def test_a_sentence_of_another_place_is_found_there_and_its_state_stays() -> None:
    sentence = Sentence("A tagged whale reached 2.05 km in 2019.", (PASSAGE.id,))
    checked = check_sentence(sentence, {PASSAGE.id: PASSAGE})
    place = find_support_in_page(checked, [PASSAGE], PAGE)
    assert place is not None
    assert place.text == PAGE[place.start : place.end] == FAR
    assert checked.state == "not found"


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        (
            "They stay down for an hour, others at 1,000 meters.",
            "Others dive to about 1,000 meters. They stay down for an hour.",
        ),
        ("Bakers in Lisbon rise at four.", "Bakers in Lisbon rise at four to light their ovens."),
        ("A tagged whale reached 3.05 km in 2019.", ""),
        ("A tagged whale “reached the bottom” in 2019 off the Azores.", ""),
        ("Ruiz 2019 Sleep of whales in the Pacific ocean, Journal of Whales.", ""),
        ("Dolphins use sponges as tools near Australia.", ""),
        ("Sperm whales are the largest toothed whales.", ""),
    ],
)
def test_only_a_place_that_holds_it_is_told(sentence: str, words: str) -> None:
    place = found(sentence)
    assert (place.text if place else "") == words


def test_a_place_within_the_cited_passage_is_no_other_place() -> None:
    doubted = Sentence(CITED, (PASSAGE.id,), "not found")
    assert find_support_in_page(doubted, [PASSAGE], PAGE) is None
    again = find_support_in_page(doubted, [PASSAGE], f"{PAGE}\n{CITED}\n")
    assert again is not None
    assert again.start > PASSAGE.end


def test_a_page_that_is_not_stored_holds_nothing() -> None:
    assert found("A tagged whale reached 2.05 km in 2019.", page="") is None


@pytest.mark.parametrize("state", ["supported", "uncited", "could not check"])
def test_what_is_not_in_doubt_is_not_looked_for(state: str) -> None:
    assert find_support_in_page(Sentence(FAR, (PASSAGE.id,), state), [PASSAGE], PAGE) is None  # type: ignore[arg-type]


@given(st.text(max_size=80), st.text(max_size=200))
def test_any_place_stands_in_the_page_as_it_is_given(sentence: str, page: str) -> None:
    place = find_support_in_page(Sentence(sentence, (), "not found"), [], page)
    assert place is None or place.text == page[place.start : place.end]


def test_the_table_of_citations_has_the_place_and_its_words() -> None:
    source = next(each for each in FULL_REPORT.sources if each.number == 1)
    blocks = (
        Block(
            "paragraph",
            tuple(
                Sentence(text, (PASSAGE.id,), "not found")
                for text in (FAR, "Dolphins use sponges.")
            ),
        ),
    )
    built = replace(
        FULL_REPORT, blocks=blocks, sources=(replace(source, page="f" * 64, passages=(PASSAGE,)),)
    )
    rows = list(
        csv.DictReader(
            io.StringIO(
                tables.format_citation_table(built, lambda _: PAGE).removeprefix("\ufeff"),
                newline="",
            )
        )
    )
    told = [(row["on the page instead"], row["from there"], row["to there"]) for row in rows]
    at = PAGE.index(FAR)
    assert told == [(FAR, str(at), str(at + len(FAR))), ("", "", "")]
