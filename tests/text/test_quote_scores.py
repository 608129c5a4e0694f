"""Which sentences are dropped, and which are chosen, by words alone."""

from __future__ import annotations

import pytest

from research_core.model_messages import Json
from research_core.text.quote_scores import choose_quotes, drop_unfit, find_quotes


def chosen_texts(question: str, text: str, title: str = "t") -> list[str]:
    """Return the sentences chosen of one page, best first."""
    sources: list[Json] = [{"title": title, "passages": [{"id": "p00000001", "text": text}]}]
    usable = drop_unfit(question, find_quotes(question, sources), sources)
    return [quote.text for quote in choose_quotes(usable, 5, per_source=5)]


@pytest.mark.parametrize(
    ("question", "kept", "dropped"),
    [
        (
            "How is type 2 diabetes treated?",
            "Type 2 diabetes is treated with a diet at first.",
            "Type 1 diabetes is treated with insulin from the start.",
        ),
        (
            "How do I update Windows 11?",
            "Windows 11 is updated on the second Tuesday.",
            "Windows 10 is no longer updated since October.",
        ),
        (
            "What risks of river dams are known?",
            "River dams block the way of salmon to the sea.",
            "A reader asked which risks of river dams are known.",
        ),
        (
            "What causes tides?",
            "Tides are caused by the pull of the moon.",
            "In the spring they were higher than the tides of autumn.",
        ),
        (
            "What causes rust on a bridge?",
            "Rust on a bridge is caused by salt and water.",
            "Check the bridge for rust after each of the winters.",
        ),
    ],
)
def test_unfit_sentences_are_dropped_if_there_are_others(
    question: str, kept: str, dropped: str
) -> None:
    for text in (f"{kept} {dropped}", f"{dropped} {kept}"):
        assert chosen_texts(question, text) == [kept]


def test_a_direct_answer_is_chosen_first() -> None:
    text = "Tides and the causes of tides fill a great many books. Tides are caused by the moon's pull."
    assert chosen_texts("What causes tides?", text)[0] == "Tides are caused by the moon's pull."
