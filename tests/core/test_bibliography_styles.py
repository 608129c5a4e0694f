"""What each style prints of a work, where a rule of one style is not that of the others, and what none may ever print."""

from __future__ import annotations

import pytest

from research_core.bibliography.item import Item, Person
from research_core.bibliography.styles import LINES

ADA = Person("Ward", "Ada B.")
BO = Person("Lund", "Bo")

RULES: list[tuple[str, str, Item, str]] = [
    ("harvard", "pages follow a book of which nobody is known to have published it",
     Item(type="chapter", title="On tides", authors=(ADA,), container="Seas", issued="2018", pages="217-229"),
     "Ward, A.B. (2018) “On tides,” Seas, pp. 217–229."),
    ("harvard", "pages follow the publisher",
     Item(type="chapter", title="On tides", authors=(ADA,), container="Seas", issued="2018", pages="217-229", publisher="Reef"),
     "Ward, A.B. (2018) “On tides,” Seas. Reef, pp. 217–229."),
    ("harvard", "a part of a book that is not named has its editors and pages",
     Item(type="chapter", title="On tides", authors=(ADA,), editors=(BO,), issued="1993", pages="223-240", publisher="Reef"),
     "Ward, A.B. (1993) “On tides,” in B. Lund (ed.). Reef, pp. 223–240."),
    ("harvard", "a post that nobody signed stands under its title",
     Item(type="post-weblog", title="On tides", container="Reef Notes", issued="2013-05-06"),
     "“On tides” (2013) Reef Notes, 6 May."),
    ("harvard", "an article that nobody signed stands under its paper",
     Item(type="article-newspaper", title="On tides", container="Reef Notes", issued="2013-05-06", pages="4"),
     "Reef Notes (2013) “On tides,” 6 May, p. 4."),
    ("vancouver", "the page of a newspaper without a volume follows a colon",
     Item(type="article-newspaper", title="On tides", container="Reef Notes", issued="1958-03-25", pages="17"),
     "On tides. Reef Notes. 1958 Mar 25:17."),
    ("vancouver", "the page of a magazine without a volume follows a semicolon",
     Item(type="article-magazine", title="On tides", container="Reef Notes", issued="1958-03-25", pages="17-19"),
     "On tides. Reef Notes. 1958 Mar 25;17–9."),
    ("vancouver", "the volume of a book is said",
     Item(type="book", title="On tides", authors=(ADA,), volume="2", publisher="Reef", place="Oslo", issued="1989"),
     "Ward AB. On tides. Vol. 2. Oslo: Reef; 1989."),
    ("ieee", "where a paper was put out is said",
     Item(type="article", title="On tides", authors=(ADA,), issued="1995", publisher="CERN", place="Geneva"),
     "A. B. Ward, “On tides,” 1995, CERN, Geneva."),
]  # fmt: skip


@pytest.mark.parametrize(("style", "work", "line"), [row[:1] + row[2:] for row in RULES], ids=[f"{row[0]}: {row[1]}" for row in RULES])
def test_a_rule_of_a_style(style: str, work: Item, line: str) -> None:
    assert LINES[style](work) == line
