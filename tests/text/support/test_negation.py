"""Denials on either side, and caution that the sentence leaves out."""

from __future__ import annotations

import pytest

from research_core.text.support import check_support
from research_core.text.support.negation import find_hedge, text_denies
from research_core.text.words import tokenize


@pytest.mark.parametrize(
    ("text", "denies"),
    [
        ("The bell rang.", False),
        ("The bell didn't ring.", True),
        ("It is a myth that the bell rang.", True),
        ("It is not true that the bell rang.", True),
        ("It is not a myth that the bell rang.", False),  # both cancel out
    ],
)
def test_a_not_and_a_myth_cancel_out(text: str, denies: bool) -> None:
    assert text_denies(text, tokenize(text)) is denies


@pytest.mark.parametrize(
    ("sentence", "other", "word"),
    [
        ("Coffee causes insomnia in adults.", "Coffee may cause insomnia in adults.", "may"),
        ("The drug halves tumours.", "The drug halves tumours in mice.", "in mice"),
        ("Coffee could cause insomnia in adults.", "Coffee may cause insomnia in adults.", ""),
        ("Coffee causes insomnia in adults.", "Coffee causes insomnia in adults since May.", ""),
    ],
)
def test_a_sentence_that_leaves_caution_out_is_partly_supported(
    sentence: str, other: str, word: str
) -> None:
    assert find_hedge(sentence, other) == word
    state, note = check_support(sentence, [other])
    assert state == ("partly" if word else "supported")
    assert (f"it says “{word}”." in note) == bool(word)
