"""A section on what is disputed quotes sentences that tell of a dispute, or nothing."""

from __future__ import annotations

import pytest

from research_core.errors import ModelError
from research_core.llm.offline_writer import write_section

SECTION = "What is disputed about deep-sea mining?"
PLAIN = "Deep-sea mining removes sponges and corals from the sea floor for good."


def quote(*sentences: str, disputed: bool = True) -> str:
    passage = {"id": "p1", "text": " ".join(sentences), "start": 0, "end": 400}
    source = {"url": "https://a.example", "title": "Deep-sea mining", "passages": [passage]}
    inputs = {"question": "What are the risks of deep-sea mining?", "section": SECTION}
    flag = {"disputed": True} if disputed else {}
    return write_section({**inputs, **flag, "sources": [source], "length": ""})


@pytest.mark.parametrize(
    "sentence",
    [
        "Whether deep-sea mining would replace mining on land is disputed among its planners.",
        "Critics say that deep-sea mining harms life far beyond the mined fields.",
        "Scientists disagree about how far the plumes of deep-sea mining drift.",
        "The benefit of deep-sea mining for the climate remains controversial to this day.",
        "There is no scientific consensus on the recovery of the sea floor after deep-sea mining.",
    ],
)
def test_only_sentences_that_tell_of_a_dispute_are_quoted(sentence: str) -> None:
    text = quote(PLAIN, sentence)
    assert sentence.rstrip(".") in text
    assert PLAIN not in text


def test_without_such_a_sentence_nothing_is_quoted() -> None:
    with pytest.raises(ModelError):
        quote(PLAIN)
    assert PLAIN in quote(PLAIN, disputed=False)
