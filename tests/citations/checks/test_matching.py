"""Which record is the cited work: by titles, names and years, and what speaks against it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.citations.checks.matching import (
    find_missing_words,
    list_content_words,
    match_title,
    rate_match,
)
from research_core.citations.formats import plain
from research_core.citations.formats.item import Item, Person
from research_core.search.records import Paper

GOLD = Path(__file__).parents[4] / "shared" / "data" / "bibliography" / "formatted_gold.jsonl"
RECORD = Paper(
    "Mutational heterogeneity in cancer",
    "https://x.example",
    "c",
    authors=("Michael S. Lawrence", "Petar Stojanov"),
    year=2013,
)


@pytest.mark.parametrize(
    ("said", "titles", "expected"),
    [
        ("Mutational heterogeneity in cancer", ("Mutational heterogeneity in cancer",), "match"),
        ("MUTATIONAL HETEROGENEITY IN CANCER.", ("Mutational heterogeneity in cancer",), "match"),
        ("Mutational heterogenity in cancer", ("Mutational heterogeneity in cancer",), "match"),
        ("Meta-analysis of colour vision", ("Metaanalysis of color vision",), "match"),
        ("Deep learning: methods and applications", ("Deep learning",), "match"),
        ("Deep learning", ("Deep learning: methods and applications",), "match"),
        ("Naive Bayes für Anfänger", ("Naïve Bayes fur Anfanger",), "match"),
        (
            "Graph networks in chemistry and physics",
            ("Mutational heterogeneity in cancer",),
            "mismatch",
        ),
        ("Attention mechanisms for protein folding", ("Attention is all you need",), "mismatch"),
        ("Cancer genomics", ("Mutational heterogeneity in cancer",), "not_checked"),
        ("Melatonin", ("Serotonin receptors",), "not_checked"),
        ("", ("Mutational heterogeneity in cancer",), "not_checked"),
        ("Mutational heterogeneity in cancer", ("",), "not_checked"),
        ("Mutational heterogeneity in cancer", (), "not_checked"),
        ("黄瓜共表达基因模块的识别", ("Mutational heterogeneity in cancer",), "not_checked"),
        ("Мутационная гетерогенность рака", ("Mutational heterogeneity in cancer",), "not_checked"),
        ("黄瓜共表达基因模块的识别", ("黄瓜共表达基因模块的识别",), "match"),
        ("The of and", ("Mutational heterogeneity in cancer",), "not_checked"),
    ],
)
def test_a_title_is_that_of_a_record(said: str, titles: tuple[str, ...], expected: str) -> None:
    assert match_title(said, titles) == expected


def test_a_title_that_stands_in_the_reference_is_no_mismatch() -> None:
    wrong, whole = (
        "and John P. DiMarco, editors; Oxford Handbook",
        "Smith, J. Mutational heterogeneity in cancer. 2013.",
    )
    assert match_title(wrong, (RECORD.title,)) == "mismatch"
    assert match_title(wrong, (RECORD.title,), text=whole) == "match"


def test_words_of_the_journal_are_none_that_a_record_lacks() -> None:
    said = "Mutational heterogeneity Nature Reviews Genetics"
    assert match_title(said, (RECORD.title,)) == "mismatch"
    assert match_title(said, (RECORD.title,), "Nature Reviews Genetics") == "match"


def item(title: str, *people: str, issued: str = "") -> Item:
    return Item(title=title, authors=tuple(map(Person.of, people)), issued=issued)


@pytest.mark.parametrize(
    ("cited", "expected"),
    [
        (item("Mutational heterogeneity in cancer"), "high"),
        (item("Mutational heterogeneity in cancer", "Lawrence, M. S.", issued="2013"), "high"),
        (item("Mutational heterogeneity in cancer", "Lawrence, M. S.", issued="1990"), "high"),
        (item("Mutational heterogeneity in cancer", "Petar Stojanov"), "high"),
        (item("Mutational heterogeneity in cancer", "Nobody, A."), "medium"),
        (item("Mutational heterogeneity and its causes in bacterial cultures"), "medium"),
        (item("Cancer"), "low"),
        (item("Graph networks"), "none"),
        (item(""), "none"),
    ],
)
def test_a_record_is_the_cited_work(cited: Item, expected: str) -> None:
    assert rate_match(cited, "", RECORD, (RECORD.title,)) == expected


REVIEW = Paper(
    "Climate change and health: a systematic review",
    "https://x.example",
    "c",
    authors=("Ann Kowalski",),
    year=2004,
)


@pytest.mark.parametrize(
    ("cited", "expected"),
    [
        (item("Climate change and health", "Kowalski, A."), "high"),
        (item("Climate change and health"), "medium"),
        (item("Climate change and health: a systematic review"), "high"),
        (item("Climate change and health: a systematic review", issued="2004"), "high"),
        (item("Climate change and health: a systematic review", issued="2023"), "medium"),
        (
            replace(
                item("Climate change and health: a systematic review", issued="2004"),
                type="webpage",
            ),
            "medium",
        ),
    ],
)
def test_where_nobody_is_named_a_title_alone_is_sure_only_where_nothing_speaks_against_it(
    cited: Item, expected: str
) -> None:
    assert rate_match(cited, "", REVIEW, (REVIEW.title,)) == expected


@pytest.mark.parametrize(
    ("cited", "expected"),
    [
        (item("Olive", "You, T.", issued="2020"), "high"),
        (item("Olive", "You, T.", issued="2011"), "medium"),
        (item("Olive", issued="2020"), "medium"),
        (item("Olive", "Nobody, A.", issued="2020"), "medium"),
    ],
)
def test_a_title_of_one_word_needs_its_author_and_year(cited: Item, expected: str) -> None:
    assert (
        rate_match(
            cited,
            "",
            Paper("Olive", "https://x.example", "c", authors=("Tongjian You",), year=2020),
            ("Olive",),
        )
        == expected
    )


@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=80))
def test_any_text_is_judged_and_nothing_is_lacked_by_itself(
    said: str, title: str, name: str
) -> None:
    assert match_title(said, (title,)) in ("match", "mismatch", "not_checked")
    assert match_title(said, (said,)) in ("match", "not_checked")
    assert find_missing_words(list_content_words(said), said) == []
    record = Paper(title, "https://x.example", "c", authors=(name,), year=2000)
    assert rate_match(item(said, name), said, record, (title,)) in ("high", "medium", "low", "none")


@pytest.mark.skipif(not GOLD.exists(), reason="the shared data is not here")
@pytest.mark.parametrize("style", ["apa", "ieee"])
def test_written_references_find_their_own_record_and_no_other(style: str) -> None:
    rows = [json.loads(line) for line in GOLD.read_text(encoding="utf-8").splitlines()][::6]
    records = [_record(row["item"]) for row in rows]
    read = [
        (text, plain.parse_reference(text))
        for row in rows
        if (text := row["expected"].get(style, ""))
    ]
    own = [
        rate_match(cited, text, record, (record.title,))
        for (text, cited), record in zip(read, records, strict=True)
    ]
    assert own.count("high") >= 0.85 * len(own)
    strangers = [
        (text, record.title)
        for n, (text, cited) in enumerate(read)
        for record in records[n + 1 : n + 8]
        if record.title != records[n].title
        and rate_match(cited, text, record, (record.title,)) == "high"
    ]
    assert strangers == []


def _record(said: dict) -> Paper:  # type: ignore[type-arg]
    names = tuple(
        f"{each.get('given', '')} {each.get('family', each.get('literal', ''))}".strip()
        for each in said.get("author", ())
    )
    year = str(said.get("issued", {}).get("date-parts", [[""]])[0][0])
    return Paper(
        said.get("title", ""),
        "https://x.example",
        "c",
        authors=names,
        year=int(year) if year.isdigit() else None,
    )
