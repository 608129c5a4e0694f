"""Which quotations are found and compared, and how they are scored by words and by meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pytest

from research_core.model_messages import Json
from research_core.text.embeddings import VECTOR_SIZE
from research_core.text.quote_scores import FINALISTS, find_quotes
from tests.thesaurus import Thesaurus

if TYPE_CHECKING:
    from research_core.text.embeddings.exact import Vectors


@dataclass
class CountingEmbedder:
    """Gives every text the same row, and keeps the texts."""

    texts: list[str] = field(default_factory=list)
    name: str = "counting"
    why: str = ""

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        return np.full((len(texts), VECTOR_SIZE), VECTOR_SIZE**-0.5, np.float32)

    def load(self) -> None:
        pass


@pytest.mark.parametrize("count", [1, 5, 20, 40, 80])
def test_few_sentences_are_embedded_without_their_title(count: int) -> None:
    sentences = [f"The bridge of year {1700 + n} has rust on its iron." for n in range(count)]
    sources: list[Json] = [
        {"title": "Rust", "passages": [{"id": "p1", "text": " ".join(sentences)}]}
    ]
    embedder = CountingEmbedder()
    found = find_quotes("What causes rust on a bridge?", sources, embedder)
    alone = [text for text in embedder.texts if text in sentences]
    assert len(alone) == min(count, FINALISTS) == len(found)
    assert all(quote.near is not None for quote in found)


@pytest.mark.parametrize("sources", [1, 2, 3, 5, 8])
def test_no_source_takes_the_places_of_another_by_its_title(sources: int) -> None:
    question = "What are the causes of rust?"
    made: list[Json] = []
    for number in range(sources):
        title = question if number == 0 else f"Logbook {number}"
        told = " ".join(
            f"Rust spreads where the paint of hull {number} is thin at frame {place}."
            for place in range(FINALISTS)
        )
        made.append({"title": title, "passages": [{"id": f"p{number:08x}", "text": told}]})
    found = find_quotes(question, made, Thesaurus())
    assert {quote.source for quote in found} == set(range(sources))


def test_sentences_that_a_page_puts_side_by_side_are_compared_in_any_case() -> None:
    question = "How did the lute develop from the oud, and how do the two differ?"
    told = " ".join(
        f"The lute differs from the oud in the way that lute number {place} developed from it."
        for place in range(FINALISTS)
    )
    listed = (
        "- Frets. The oud has none on its short neck. The lute has eight of gut.\n"
        "- Sound. A plectrum plucks the oud at all times. Fingers pluck the lute since Bach."
    )
    passages = [
        {"id": "p00000001", "text": told},
        {"id": "p00000002", "text": f"## How the two differ\n\n{listed}"},
    ]
    sources: list[Json] = [{"title": "The lute and the oud", "passages": passages}]
    found = find_quotes(question, sources, Thesaurus())
    assert {"Frets", "Sound"} <= {quote.heading for quote in found if quote.near is not None}


@pytest.mark.parametrize(
    ("question", "listing", "other"),
    [
        (
            "What are the symptoms of lead poisoning?",
            "People with lead poisoning have cramps, a dull headache, pale skin and weak hands.",
            "People with lead poisoning have cramps for a very long time of their whole lives.",
        ),
        (
            "What causes rust on a boat?",
            "Rust on a boat is caused by salt, wet sails, old paint, and rain.",
            "Rust on a boat is caused by salt that stays where the sun is weak.",
        ),
        (
            "How is dry rot treated?",
            "Dry rot is treated with heat; with fungicides of the trade; or with new beams.",
            "Dry rot is treated with heat for as long as the beams of the roof need.",
        ),
    ],
)
def test_a_sentence_that_lists_several_answers_is_preferred_by_meaning(
    question: str, listing: str, other: str
) -> None:
    sources: list[Json] = [
        {"title": "Log", "passages": [{"id": "p1", "text": f"{other} {listing}"}]}
    ]
    found = find_quotes(question, sources, CountingEmbedder())
    assert max(found, key=lambda quote: quote.score).text == listing


def test_passages_that_overlap_give_a_sentence_once() -> None:
    text = "Rust on iron is caused by water and by air."
    passages = [{"id": f"p0000000{number}", "text": text} for number in range(3)]
    sources: list[Json] = [{"title": "Rust", "passages": passages}]
    assert [quote.passage for quote in find_quotes("What causes rust?", sources)] == ["p00000000"]


@pytest.mark.parametrize(
    ("question", "point", "answer", "others"),
    [
        (
            "Is a steady cough always a part of hay fever, as my uncle says?",
            "Is a steady cough always a part of",
            "Hay fever comes with sneezing, a cough and red eyes.",
            ("Hay fever is common in June.", "Hay fever was first named in 1828."),
        ),
        (
            "Can a tenant of a flat under a lease keep an automobile in the yard?",
            "Can a tenant keep an automobile in the yard?",
            "A lease may forbid a vehicle in the yard.",
            ("A lease is signed by both.", "A lease of a flat runs for a year."),
        ),
    ],
)
def test_a_sentence_on_the_point_comes_before_those_that_only_name_the_thing(
    question: str, point: str, answer: str, others: tuple[str, ...]
) -> None:
    text = " ".join((*others, answer))
    sources: list[Json] = [{"title": "t", "passages": [{"id": "p00000001", "text": text}]}]
    found = find_quotes(question, sources, Thesaurus(), points=[point])
    assert max(found, key=lambda quote: quote.score).text == answer
    assert all(quote.on_point is not None for quote in found)
    unpointed = find_quotes(question, sources, Thesaurus())
    assert all(quote.on_point is None for quote in unpointed)


def test_a_list_has_the_items_of_the_passage_with_most_of_them() -> None:
    lead_in = "The risks of a ferry include:"
    sources: list[Json] = [
        {
            "title": "Ferry",
            "passages": [
                {"id": "p00000001", "text": f"{lead_in}\n\n- Fire\n- Storms"},
                {"id": "p00000002", "text": f"{lead_in}\n\n- Fire\n- Storms\n- Ice"},
            ],
        }
    ]
    found = find_quotes("What are the risks of a ferry?", sources, Thesaurus())
    assert [(quote.text, quote.passage) for quote in found] == [
        (f"{lead_in} Fire; Storms; Ice.", "p00000002")
    ]
