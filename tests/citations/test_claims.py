"""Evidence for a claim: the sentences that bear on it, in order, and how much of it they cover."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.citations.claims import MAX_KEY_SENTENCES, extract_terms, find_claim_evidence

CLAIM = "Vitamin D supplements reduce the risk of fractures by 30 percent in older adults."
PAGE = """# Vitamin D supplements reduce the risk of fractures in older adults

The weather was fine that day, and nobody spoke of anything else.

Vitamin D is made in the skin. A meta-analysis of supplements found that the risk of fractures in older adults did not fall.

## What it means

Vitamin D supplements reduced fractures by 30 percent in one trial of older adults. Vitamin D is made in the skin.
"""


def test_the_sentences_that_bear_on_a_claim_come_in_order_and_once_and_no_heading_is_one() -> None:
    found = find_claim_evidence(CLAIM, PAGE)
    assert found.coverage == "addressed"
    assert found.sentences == (
        "Vitamin D is made in the skin.",
        "A meta-analysis of supplements found that the risk of fractures in older adults did not fall.",
        "Vitamin D supplements reduced fractures by 30 percent in one trial of older adults.",
    )
    assert (
        found.signal
        == "Vitamin D supplements reduced fractures by 30 percent in one trial of older adults."
    )
    assert found.contrast


@pytest.mark.parametrize(
    ("claim", "text", "coverage", "signal"),
    [
        (CLAIM, "", "source_unavailable", ""),
        (CLAIM, "   \n ", "source_unavailable", ""),
        (CLAIM, "Tidal turbines turn slowly in the sound.", "not_addressed", ""),
        (CLAIM, "Older adults like to walk in the morning.", "partially_addressed", "Older adults like to walk in the morning."),
        (CLAIM, "It will rain in the morning, and the risk of wind is low.", "not_addressed", ""),
        ("Vitamin D heals", "Vitamin C is in lemons and oranges.", "partially_addressed", "Vitamin C is in lemons and oranges."),
        ("Supplements cut fractures by 30 %", "Supplements cut fractures by 12 %.", "partially_addressed",
         "Supplements cut fractures by 12 %."),
        ("Supplements cut fractures by 3.5 %", "Supplements cut fractures by 3.5 %.", "addressed", "Supplements cut fractures by 3.5 %."),
        ("Since 2020 supplements cut fractures", "These supplements cut fractures.", "addressed", "These supplements cut fractures."),
        ("東京の人口は三割減少した", "大阪の天気は晴れでした。風も弱かったです。", "not_addressed", ""),
        ("it was", "Something else is written here.", "partially_addressed", ""),
        ("Die Zahl der Vögel sank um 12 %", "So sank die Zahl der Vögel um 12 %.", "addressed", "So sank die Zahl der Vögel um 12 %."),
        ("東京の人口は減少した", "2025年、東京の人口は初めて減少した。", "addressed", "2025年、東京の人口は初めて減少した。"),
    ],
)  # fmt: skip
def test_coverage_and_the_strongest_sentence(
    claim: str, text: str, coverage: str, signal: str
) -> None:
    found = find_claim_evidence(claim, text)
    assert (found.coverage, found.signal) == (coverage, signal)


def test_words_scattered_over_a_long_text_do_not_address_a_claim() -> None:
    words = "vitamin supplements reduce risk fractures percent older adults".split()
    filler = " ".join(f"Nothing of interest stands in sentence number {n} here." for n in range(10))
    scattered = " ".join(f"The word {word} stands here alone. {filler}" for word in words)
    assert find_claim_evidence(CLAIM, scattered).coverage == "partially_addressed"


@pytest.mark.parametrize(
    ("sentence", "contrast"),
    [
        ("Supplements had no significant effect on fractures.", True),
        ("The claim about supplements was debunked.", True),
        ("However, supplements reduce fractures.", False),
        ("Supplements reduce fractures, unlike calcium.", False),
    ],
)
def test_a_denial_is_a_cue_and_a_turn_of_phrase_is_none(sentence: str, contrast: bool) -> None:
    assert find_claim_evidence(CLAIM, sentence).contrast == contrast


def test_figures_count_as_terms() -> None:
    assert {"5", "30"} <= extract_terms("It rose by 5 of 30.")
    assert "by" not in extract_terms("It rose by 5 of 30.")


@given(st.text(max_size=300), st.text(max_size=600))
def test_any_claim_and_any_text_can_be_compared(claim: str, text: str) -> None:
    found = find_claim_evidence(claim, text)
    folded = " ".join(text.split())
    assert len(found.sentences) <= MAX_KEY_SENTENCES
    assert all(" ".join(sentence.split()) in folded for sentence in found.sentences)
    assert (found.signal in found.sentences) if found.sentences else found.signal == ""
