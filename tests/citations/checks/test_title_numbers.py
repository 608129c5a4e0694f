"""Numbers of titles bind: another volume, part, edition or year is another work."""

from __future__ import annotations

import pytest

from research_core.citations.checks.matching import match_title, rate_match
from research_core.citations.checks.title_numbers import have_other_numbers
from research_core.citations.formats.item import Item, Person
from research_core.search.records import Paper


@pytest.mark.parametrize(
    ("cited", "record"),
    [
        ("Methods in reef biology, Volume 102", "Methods in reef biology, Volume 91"),
        ("The tidal sea. Part II: Harbours and waves", "The tidal sea. Part III: Harbours and waves"),
        ("Handbuch der Meereskunde, Band 3", "Handbuch der Meereskunde, Bd. 4"),
        ("Histoire des marées, tome II", "Histoire des marées, tome IV"),
        ("История морского флота, том 2", "История морского флота, том 3"),
        ("Principles of tidal power, second edition", "Principles of tidal power, 3rd ed."),
        ("World harbour report 2015", "World harbour report 2016"),
        ("Reef conditions, Part A: shallow water", "Reef conditions, Part B: shallow water"),
        ("Tidal energy conversion II", "Tidal energy conversion III"),
        ("Sea ice thickness in 12 Arctic bays", "Sea ice thickness in 21 Arctic bays"),
    ],
)  # fmt: skip
def test_titles_with_other_numbers_are_of_other_works(cited: str, record: str) -> None:
    assert have_other_numbers(cited, [record])
    assert match_title(cited, (record,)) == "mismatch"
    item = Item(title=cited, authors=(Person("Ward", "Ada"),))
    paper = Paper(record, "https://a.example/", "crossref", authors=("Ada Ward",))
    assert rate_match(item, f"Ward, A. {cited}.", paper, (record,)) == "low"


@pytest.mark.parametrize(
    ("cited", "record"),
    [
        ("Methods in reef biology, vol. 12", "Methods in reef biology, Volume XII"),
        ("The tidal sea, Part Two", "The tidal sea, part 2"),
        ("Principles of tidal power, 2nd ed.", "Principles of tidal power, second edition"),
        ("Harbours at war, 1914–18", "Harbours at war, 1914-1918"),
        ("Counting 10,000 seals of harbours", "Counting 10000 seals of harbours"),
        ("Salt in H₂O of the sea", "Salt in H2O of the sea"),
        ("World harbour report, 2015", "World harbour report"),
        ("World harbour report", "World harbour report 2015"),
        ("Where I stood by the sea", "Where I stood by the sea"),
    ],
)
def test_titles_with_the_same_numbers_match(cited: str, record: str) -> None:
    assert not have_other_numbers(cited, [record])
    assert match_title(cited, (record,)) == "match"


def test_the_volume_of_a_book_binds_too() -> None:
    book = Item(type="book", title="The tidal sea", volume="2", authors=(Person("Ward", "Ada"),))
    paper = Paper("The tidal sea, Volume 1", "https://a.example/", "crossref", authors=("A. Ward",))
    assert rate_match(book, "", paper, (paper.title,)) == "low"


def test_numbers_of_the_journal_in_a_misread_title_do_not_count() -> None:
    text = "Ward A. Tidal report 2015. Reef Notes 12, 45-67."
    assert not have_other_numbers(
        "Tidal report 2015. Reef Notes 12, 45", ["Tidal report 2015"], text
    )
    assert not have_other_numbers("Tidal report", ["Tidal report 2015"], text)
