"""What each style prints of a work, where a rule of one style is not that of the others, and what
none may ever print.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from research_core.citations.formats.item import Item, Person
from research_core.citations.formats.styles import STYLE_FORMATTERS
from tests.works_to_cite import WORKS

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


@pytest.mark.parametrize(
    ("style", "work", "line"),
    [row[:1] + row[2:] for row in RULES],
    ids=[f"{row[0]}: {row[1]}" for row in RULES],
)
def test_a_rule_of_a_style(style: str, work: Item, line: str) -> None:
    assert STYLE_FORMATTERS[style](work) == line


def tidy(text: str) -> str:
    return " ".join(text.split())


# ---------------------------------------------------------------- what none may print

#: Anything that can be printed, and words as they are; neither empty.
SIGNS = st.text(
    st.characters(exclude_categories=("Cc", "Cs", "Cf", "Zl", "Zp", "Co", "Cn")), max_size=12
).map(lambda text: tidy(f"a{text}"))
WORDS = st.from_regex(r"[A-Za-zéЖ漢]{1,9}( [a-z]{1,6}){0,2}", fullmatch=True)
NUMBER = st.one_of(st.just(""), st.integers(1, 999).map(str))


def works(texts: st.SearchStrategy[str]) -> st.SearchStrategy[Item]:
    some = st.one_of(st.just(""), texts)
    people = st.lists(
        st.one_of(st.builds(Person, family=texts, given=some), st.builds(Person, literal=texts)),
        max_size=12,
    ).map(tuple)
    director = st.builds(Person, family=texts, given=some).map(lambda person: (person,))
    return st.builds(
        Item, type=st.sampled_from(TYPES), title=some, authors=people, editors=people, container=some, publisher=some, place=some,
        issued=st.sampled_from(["", "2019", "2019-05", "2019-05-07"]), accessed=st.sampled_from(["", "2024-11-02"]), volume=NUMBER,
        issue=NUMBER, pages=st.one_of(NUMBER, st.sampled_from(["3-9", "e12"])), edition=NUMBER, number=NUMBER, genre=some,
        doi=st.sampled_from(["", "10.1000/x"]), url=st.sampled_from(["", "https://a.example/x"]),
        others=st.dictionaries(st.sampled_from(["translator", "director"]), director, max_size=2),
    )  # fmt: skip


TYPES = sorted(
    {work.type for work in WORKS.values()}
    | {"patent", "document", "map", "song", "post", "review", "collection"}
)
#: Two marks where one is due, brackets around nothing, a mark behind a blank.
DOUBLED = re.compile(r"(?<!\.)\.\.(?!\.)|,,|;;|::|,\.|;\.|:\.|\( ?\)|\[ ?\]|“”| [,.;:)]|\(,|  ")


@pytest.mark.full
@settings(max_examples=60)
@given(work=works(WORDS))
def test_no_mark_stands_twice_and_nothing_is_in_brackets_that_is_not_there(work: Item) -> None:
    for style, line_of in STYLE_FORMATTERS.items():
        line = line_of(work)
        assert not DOUBLED.search(line), (style, line)
        assert line == line.strip(), style
        for opening, closing in ("()", "[]", "“”"):
            assert line.count(opening) == line.count(closing), (style, line)


@settings(max_examples=60)
@given(work=works(SIGNS))
def test_a_work_of_any_signs_is_one_line_and_the_same_each_time(work: Item) -> None:
    for style, line_of in STYLE_FORMATTERS.items():
        line = line_of(work)
        assert line == line_of(work), style
        assert "\n" not in line, style
        assert work.doi in line, style
