"""Passages: verbatim, whole, few, about the question, in page order."""

from __future__ import annotations

import hashlib
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.models import Page
from research_core.summarize import select_passages, summarize
from research_core.text import sentences

QUESTION = "How deep can sperm whales dive?"
FILLER = "The harbor town has a market on Fridays and a bakery near the pier. Its streets are narrow and its cats are fat. "
ANSWER = "Sperm whales dive to about 1,000 meters and stay down for an hour. Some dives of sperm whales went deeper than 2,000 meters. "
PAGE = FILLER * 20 + "\n\n" + ANSWER + "\n\n" + FILLER * 20 + "\n\nA sperm whale can hold its breath for ninety minutes.\n\n" + FILLER * 5


def test_passages_are_verbatim_and_in_page_order() -> None:
    passages = select_passages(QUESTION, PAGE)
    assert [PAGE[p.start : p.end] for p in passages] == [p.text for p in passages]
    assert [p.start for p in passages] == sorted(p.start for p in passages)
    assert "1,000 meters" in passages[0].text
    assert "ninety minutes" in passages[1].text
    assert len(passages) == 2


def test_ids_come_from_page_text_and_offset_alone() -> None:
    digest = hashlib.sha256(PAGE.encode()).hexdigest()
    first = select_passages(QUESTION, PAGE)[0]
    assert first.id == "p" + hashlib.sha256(f"{digest}:{first.start}".encode()).hexdigest()[:8]
    assert select_passages(QUESTION, PAGE) == select_passages(QUESTION, PAGE)


@given(
    st.lists(st.sampled_from([FILLER, ANSWER, "\n\n", "# Whales\n", "- deep\n", "Dive! ", "x" * 900 + " whales ", "\u00a0"]), max_size=30)
)
def test_whatever_the_page(pieces: list[str]) -> None:
    text = "".join(pieces)
    passages = select_passages(QUESTION, text, limit=3, size=300)
    spans = sentences(text)
    assert len(passages) <= 3
    for passage in passages:
        assert text[passage.start : passage.end] == passage.text
        assert 0 < len(passage.text) <= 300
        assert passage.start in {start for start, _ in spans}
        assert passage.end in {end for _, end in spans} or len(passage.text) == 300
    assert all(a.end <= b.start for a, b in pairwise(passages))


def test_a_page_about_something_else_is_shown_by_its_opening() -> None:
    summary = summarize(QUESTION, Page("https://a.example.org/", "https://a.example.org/", "Market", FILLER * 20))
    assert summary.passages == ()
    assert summary.summary.startswith("The harbor town")
    assert len(summary.summary) <= 700


def test_a_summary_is_its_passages() -> None:
    summary = summarize(QUESTION, Page("https://a.example.org/", "https://a.example.org/", "Whales", PAGE))
    assert summary.summary == "\n\n".join(p.text for p in summary.passages)
    assert (summary.url, summary.title) == ("https://a.example.org/", "Whales")


@pytest.mark.parametrize("heading", ["References", "## Bibliography", "Works cited:", "7 References"])
def test_a_list_of_references_is_no_passage(heading: str) -> None:
    listed = "\n".join(f"[{i}] Smith J (20{i}). How deep sperm whales dive. J. Whales, vol. {i}, pp. 1-9." for i in range(10, 20))
    text = f"Whales are mammals.\n\n{heading}\n\n{listed}\n"
    assert all("Smith" not in p.text for p in select_passages(QUESTION, text))


def test_what_follows_a_list_of_references_is_read_again() -> None:
    text = f"References\n\n[1] Smith J (2010). Whale depths. https://doi.example.org/1\n\nAppendix\n\n{ANSWER}"
    assert "1,000 meters" in select_passages(QUESTION, text)[0].text


@pytest.mark.parametrize("text", ["", " \n", "?"])
def test_an_empty_page_has_no_passage(text: str) -> None:
    assert select_passages(QUESTION, text) == ()
    assert summarize(QUESTION, Page("u", "u", "", text)).passages == ()
