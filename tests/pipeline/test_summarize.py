"""Passages: verbatim, whole, few, about the question, in page order."""

from __future__ import annotations

import hashlib
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.models import Page
from research_core.pipeline.summarize import summarize
from research_core.text.passages import find_list_end, select_passages
from research_core.text.sentences import find_sentences

QUESTION = "How deep can sperm whales dive?"
FILLER = "The harbor town has a market on Fridays and a bakery near the pier. Its streets are narrow and its cats are fat. "
ANSWER = "Sperm whales dive to about 1,000 meters and stay down for an hour. Some dives of sperm whales went deeper than 2,000 meters. "
PAGE = (
    FILLER * 20
    + "\n\n"
    + ANSWER
    + "\n\n"
    + FILLER * 20
    + "\n\nA sperm whale can hold its breath for ninety minutes.\n\n"
    + FILLER * 5
)


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
    st.lists(
        st.sampled_from(
            [
                FILLER,
                ANSWER,
                "\n\n",
                "# Whales\n",
                "- deep\n",
                "Dive! ",
                "x" * 900 + " whales ",
                "\u00a0",
            ]
        ),
        max_size=30,
    )
)
def test_whatever_the_page(pieces: list[str]) -> None:
    text = "".join(pieces)
    passages = select_passages(QUESTION, text, limit=3, size=300)
    spans = find_sentences(text)
    assert len(passages) <= 3
    for passage in passages:
        assert text[passage.start : passage.end] == passage.text
        assert 0 < len(passage.text) <= 300
        assert passage.start in {start for start, _ in spans} | {
            start - 2 for start, _ in spans if text[start - 2 : start] in ("# ", "- ")
        }
        assert passage.end in {end for _, end in spans} or len(passage.text) == 300
    assert all(a.end <= b.start for a, b in pairwise(passages))


def test_a_page_about_something_else_is_shown_by_its_opening() -> None:
    summary = summarize(
        QUESTION, Page("https://a.example.org/", "https://a.example.org/", "Market", FILLER * 20)
    )
    assert summary.passages == ()
    assert summary.summary.startswith("The harbor town")
    assert len(summary.summary) <= 700


def test_a_summary_is_its_passages() -> None:
    summary = summarize(
        QUESTION, Page("https://a.example.org/", "https://a.example.org/", "Whales", PAGE)
    )
    assert summary.summary == "\n\n".join(p.text for p in summary.passages)
    assert (summary.url, summary.title) == ("https://a.example.org/", "Whales")


ROWS = [f"| Sperm whale {n} | {n}000 m of depth |" for n in range(1, 60)]
TABLE = "\n".join(["| Dive | Depth |", "|---|---|", *ROWS])


def test_a_heading_and_an_item_come_with_their_mark_and_no_passage_ends_with_a_heading() -> None:
    text = f"{FILLER * 9}\n\n## How deep they dive\n\n- {ANSWER}\n- {FILLER * 9}\n\n{ANSWER}\n\n### Sperm whales at home\n\n{'x' * 700}"
    passages = select_passages(QUESTION, text)
    assert passages[0].text.startswith("## How deep they dive\n\n- Sperm")
    assert not any(passage.text.endswith("at home") for passage in passages)


@pytest.mark.parametrize("rows", [3, 59])
def test_a_passage_begins_with_a_row_and_with_the_first_where_that_fits(rows: int) -> None:
    text = f"{FILLER * 5}\n\n" + "\n".join(TABLE.split("\n")[: rows + 2]) + f"\n\n{FILLER * 5}"
    passages = select_passages("How deep did sperm whale 3 dive?", text)
    assert passages[0].text.startswith("| Dive | Depth |\n|---|---|\n| Sperm whale 1 ")
    assert all(
        text[passage.start] == "|" and text[passage.start - 1] == "\n" for passage in passages
    )


def test_a_passage_never_begins_within_a_row_that_is_cut() -> None:
    long = " | ".join(["Fish of the harbor, seen on Fridays near the pier by the people"] * 12)
    text = f"{FILLER}\n\n| a | b |\n|---|---|\n| {long} | sperm whales dive deep |\n\n{FILLER}"
    assert select_passages(QUESTION, text) == ()


def test_code_comes_whole_or_from_its_first_line_on() -> None:
    code = "```\ndive(sperm_whale)  # how deep can sperm whales dive\n\n# sperm whales dive deep\ndeep = 2000\n```"
    assert [
        passage.text
        for passage in select_passages(
            QUESTION, f"{FILLER * 9}\n\n{code}\n\n{FILLER * 9}", size=110
        )
    ] == [code]
    inner = "```\nx = 1\n\n# sperm whales dive deep\n```"
    assert select_passages(QUESTION, inner) == ()


def test_no_passage_bridges_a_list_of_references() -> None:
    listed = "References\n\n[1] Smith J (2010). Whale depths. J. Whales, vol. 1, pp. 1-9."
    text = f"{ANSWER}\n\n{listed}\n\nAppendix\n\n{ANSWER}"
    passages = select_passages(QUESTION, text)
    assert len(passages) == 2
    assert not any("Smith" in passage.text for passage in passages)


@pytest.mark.parametrize(
    "heading", ["References", "## Bibliography", "Works cited:", "7 References"]
)
def test_a_list_of_references_is_no_passage(heading: str) -> None:
    listed = "\n".join(
        f"[{i}] Smith J (20{i}). How deep sperm whales dive. J. Whales, vol. {i}, pp. 1-9."
        for i in range(10, 20)
    )
    text = f"Whales are mammals.\n\n{heading}\n\n{listed}\n"
    assert all("Smith" not in p.text for p in select_passages(QUESTION, text))


def test_what_follows_a_list_of_references_is_read_again() -> None:
    text = f"References\n\n[1] Smith J (2010). Whale depths. https://doi.example.org/1\n\nAppendix\n\n{ANSWER}"
    assert "1,000 meters" in select_passages(QUESTION, text)[0].text


@pytest.mark.parametrize("text", ["", " \n", "?"])
def test_an_empty_page_has_no_passage(text: str) -> None:
    assert select_passages(QUESTION, text) == ()
    assert summarize(QUESTION, Page("u", "u", "", text)).passages == ()


PARTS = {
    "What do calves drink?": "Calves drink their mother's milk for two years or longer.",
    "Who hunts them?": "Orcas hunt the young ones, and the herd forms a ring.",
    "Wie schlafen sie?": "Sie schlafen senkrecht im Wasser, kaum zwei Stunden am Tag.",
    "Que mangent les baleines ?": "Ces baleines mangent surtout des calmars géants.",
    "How loud is a click?": "A click is loud, about 230 decibels at its source.",
}


@pytest.mark.parametrize("question", PARTS)
def test_a_page_is_read_for_the_parts_of_the_question_too(question: str) -> None:
    text = f"{FILLER * 9}\n\n{ANSWER}\n\n{FILLER * 9}\n\n{PARTS[question]}\n\n{FILLER * 9}"
    page = Page("https://whales.example.org/", "https://whales.example.org/", "Whales", text)
    alone = summarize(QUESTION, page)
    both = summarize(QUESTION, page, queries=(question,))
    assert {passage.id for passage in alone.passages} < {passage.id for passage in both.passages}
    assert PARTS[question] in both.summary
    starts = [(passage.start, passage.end) for passage in both.passages]
    assert all(one[1] <= other[0] for one, other in pairwise(starts))


def test_a_page_read_for_many_parts_has_a_limit_of_passages() -> None:
    text = f"\n\n{FILLER * 9}\n\n".join([ANSWER, *PARTS.values()] * 4)
    page = Page("https://whales.example.org/", "https://whales.example.org/", "Whales", text)
    assert len(summarize(QUESTION, page).passages) <= 5
    assert 5 < len(summarize(QUESTION, page, queries=tuple(PARTS)).passages) <= 8


@pytest.mark.parametrize(
    ("text", "shown", "added"),
    [
        (
            "Risks: - Rust. It grows. - Frost. Ice splits it. It hurts. - Salt. Roads have it. More.",
            "- Rust.",
            " It grows. - Frost. Ice splits it. It hurts. - Salt.",
        ),
        (
            "Zu den Ursachen gehören: - Rost - Frost - Nässe. Danach mehr.",
            "Rost",
            " - Frost - Nässe.",
        ),
        (
            "Tests:\n\n- One.\n- Two.\n\n- Three, last\n\nProse.",
            "- One.",
            "\n- Two.\n\n- Three, last",
        ),
        (
            "Les signes :\n\n1. Rouille.\n2. Gel.\n\n# Suite\n\n- Autre",
            "signes :",
            "\n\n1. Rouille.\n2. Gel.",
        ),
        ("原因包括：\n- 生锈\n- 潮湿\n\n后文。", "原因包括：", "\n- 生锈\n- 潮湿"),
        ("Signs are: - Rust - Dents. Prose again. Tests are: - One - Two.", "Prose again.", ""),
        ("A bridge - the longest - stands here. It is old.", "stands here.", ""),
        ("- One\n- " + "long " * 200 + "\n- Three", "- One", ""),
    ],
)
def test_a_passage_that_ends_within_a_list_goes_on_to_its_end(
    text: str, shown: str, added: str
) -> None:
    end = text.index(shown) + len(shown)
    assert text[end : find_list_end(text, 0, end, most=200)] == added
