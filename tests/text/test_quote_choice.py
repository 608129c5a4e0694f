"""Which of the scored quotations are chosen."""

from __future__ import annotations

import pytest

from research_core.model_messages import Json
from research_core.text.quotable import Quote
from research_core.text.quote_choice import choose_quotes
from research_core.text.quote_scores import find_quotes


def test_of_a_sentence_that_stands_twice_the_better_place_is_quoted() -> None:
    text = "Wet walls without air feed the fungus."
    passages = [{"id": "p1", "text": text}, {"id": "p2", "text": f"Dry rot: {text}"}]
    sources: list[Json] = [{"title": "Dry rot", "passages": passages}]
    found = find_quotes("What causes dry rot?", sources)
    best = max(found, key=lambda quote: quote.score)
    (quote,) = choose_quotes(found, 5, per_source=5)
    assert quote.score == best.score


@pytest.mark.parametrize(
    ("scores", "chosen"),
    [
        ([1.0, 0.9, 0.75, 0.74, 0.67], 4),
        ([1.0, 0.7, 0.69], 3),
        ([1.0, 0.99, 0.98, 0.81, 0.79], 4),
        ([1.0, 0.6], 2),
        ([1.0, 0.5, 0.4, 0.39], 3),
        ([0.5, 0.49], 2),
    ],
)
def test_beyond_the_first_few_only_sentences_near_the_last_of_them_are_chosen(
    scores: list[float], chosen: int
) -> None:
    words = ("salt", "rust", "paint", "zinc", "steel")
    quotes = [
        Quote(f"{word} is {word}.", "p1", 0, order, True, near=0.6, score=score, own=0.5)
        for order, (word, score) in enumerate(zip(words, scores, strict=False))
    ]
    assert [quote.score for quote in choose_quotes(quotes, 9, per_source=9)] == scores[:chosen]


@pytest.mark.parametrize(
    "texts",
    [
        ("Kalk löst Rost.", "Rost ist braun.", "Farbe hilft lange."),
        ("Le sel attaque le fer.", "La rouille est brune.", "La peinture protège."),
        ("Salt attacks iron.", "Rust is brown.", "Paint protects iron."),
    ],
)
def test_if_all_near_sentences_have_a_fault_the_others_are_quoted(texts: tuple[str, ...]) -> None:
    quotes = [
        Quote(texts[0], "p1", 0, 0, True, near=0.55, score=-1.0, own=0.5, faults=("x",)),
        Quote(texts[1], "p1", 0, 1, True, near=0.45, score=1.1, own=0.5),
        Quote(texts[2], "p1", 0, 2, True, near=0.44, score=1.0, own=0.5),
    ]
    chosen = choose_quotes(quotes, 9, per_source=9)
    assert [quote.text for quote in chosen] == list(texts[1:])


@pytest.mark.parametrize("nearest", [0.55, 0.65, 0.8])
def test_something_is_always_quoted(nearest: float) -> None:
    quotes = [
        Quote("Salt is salt.", "p1", 0, 0, True, near=nearest, score=-1.0, own=0.5, faults=("x",)),
        Quote("Rust is rust.", "p1", 0, 1, True, near=0.3, score=1.1, own=0.5, faults=("x",)),
    ]
    assert choose_quotes(quotes, 9, per_source=9)


def test_a_sentence_with_a_fault_that_is_far_behind_is_not_among_the_first_few() -> None:
    quotes = [
        Quote("Salt is salt.", "p1", 0, 0, True, near=0.6, score=1.0, own=0.5),
        Quote("Rust is rust.", "p1", 0, 1, True, near=0.6, score=0.6, own=0.5, faults=("x",)),
    ]
    assert [quote.order for quote in choose_quotes(quotes, 9, per_source=9)] == [0]
