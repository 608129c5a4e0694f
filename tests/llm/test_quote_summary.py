"""Which quotations are in the summary, and in which order."""

from __future__ import annotations

import pytest

from research_core.llm.offline_writer import write_report
from research_core.llm.quote_summary import _find_on_items, choose_summary
from research_core.text.quotable import Quote
from tests.llm.test_offline_writer import marked, report_inputs, section


def test_the_summary_takes_from_different_sources() -> None:
    ids = [
        ids[0] for _, ids in marked(section(write_report(report_inputs(5)), "Executive Summary"))
    ]
    assert 3 <= len(ids) <= 5
    assert len({id[:5] for id in ids}) == len(ids)


@pytest.mark.parametrize(
    ("score", "first"),
    [(0.99, "of a part"), (0.95, "of a part"), (0.89, "the best"), (0.5, "the best")],
)
def test_a_direct_answer_comes_first_unless_it_is_far_behind(score: float, first: str) -> None:
    texts = {
        "the best": "Salt and wet roads are blamed.",
        "of a part": "Sea air on bare steel causes rust.",
    }
    body = [
        Quote(text, "p1", 0, order, True, near=0.6, own=0.5, score=1.0 if order == 0 else score)
        for order, text in enumerate([texts["the best"], texts["of a part"], "Rust is old."])
    ]
    chosen = choose_summary(body, 2, "What causes rust?", ())
    assert chosen[0].text == texts[first]


@pytest.mark.parametrize(
    ("listing", "order"),
    [
        ("The three fuels are coal, oil and gas.", [1, 3, 2]),
        ("Fuels include gas, coal, and oil.", [2, 1, 3]),
        ("The fuels of old were coal and oil.", []),
        ("Fuels are dear, and whoever uses them pays a tax.", []),
    ],
)
def test_what_the_pages_say_of_each_item_follows_a_list(listing: str, order: list[int]) -> None:
    texts = [listing, "Coal is dug in mines.", "Gas comes by pipe.", "Crude oil is pumped up."]
    body = [
        Quote(text, "p1", 0, number, True, near=0.6, own=0.5, score=1.0 - number / 10)
        for number, text in enumerate(texts)
    ]
    assert [quote.order for quote in _find_on_items(body[0], body)] == order


def test_a_list_is_followed_by_a_sentence_whose_heading_is_an_item() -> None:
    """The page has a section for each item, whose sentences need not name it."""
    listing = "The risks of rust are weak joints, red water, and cost to repair bridges."
    texts = {
        "Risks of rust": listing,
        "1. Red water": "Pipes lend it their colour.",
        "2. Weak joints": "A bolt holds half of its load after ten years.",
        "Red water and weak joints": "Both are seen in old houses.",
        "History": "Iron is old.",
    }
    body = [
        Quote(text, "p1", 0, number, True, heading, near=0.6, own=0.5, score=1.0 - number / 10)
        for number, (heading, text) in enumerate(texts.items())
    ]
    assert [quote.order for quote in _find_on_items(body[0], body)] == [2, 1]
    chosen = choose_summary(body[:1], 3, "What are the risks of rust?", (), (), body[1:])
    assert [quote.order for quote in chosen] == [0, 2, 1]
