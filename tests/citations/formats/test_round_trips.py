"""What is written for a reference manager is the same when it is read again, whatever signs its
texts are of.
"""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.citations.formats import reading
from research_core.citations.formats.item import Item, Person
from research_core.citations.formats.styles import FORMATS, format_reference_list

URL = "https://reef.example.org/log"
FULL = Item(
    type="article-journal", title="On tides", authors=(Person("Ward", "Ada B."), Person(literal="Reef Watch")),
    editors=(Person("Lund", "Bo"),), container="Seas", publisher="Reef", place="Oslo", issued="2019-05-07", volume="4", issue="2",
    pages="12-19", language="en", doi="10.1000/reef.7", url=URL, genre="Survey",
)  # fmt: skip
WORKS: dict[str, Item] = {
    "article": replace(FULL, genre=""),
    "magazine": replace(FULL, type="article-magazine", genre=""),
    "newspaper": replace(FULL, type="article-newspaper", genre=""),
    "entry": replace(FULL, type="entry-encyclopedia", issue="", genre=""),
    "thesis": replace(
        FULL, type="thesis", container="", volume="", issue="", genre="Doctoral thesis"
    ),
    "report": replace(
        FULL, type="report", container="", volume="", issue="", number="12", genre="Survey"
    ),
    "post": replace(FULL, type="post-weblog", doi="", issue="", genre="Newsletter"),
    "patent": replace(FULL, type="patent", container="", issue="", number="US 7", genre=""),
    "dataset": replace(FULL, type="dataset", container="", issue="", genre=""),
    "translated": replace(
        FULL,
        type="book",
        container="",
        issue="",
        pages="",
        genre="",
        others={"translator": (Person("Ives", "Ida"),)},
    ),
    "dashes": replace(
        FULL,
        type="book",
        container="",
        issue="",
        genre="",
        pages="",
        place="Ohio -- north",
        title="``Tides'' --- here",
    ),
    "a comma in a given name": replace(
        FULL, genre="", authors=(Person("Gayle", "Vernon, Professor"),)
    ),
}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", WORKS)
def test_a_work_is_the_same_when_it_is_read_again(name: str, format: str) -> None:
    (entry,) = reading.read_bibliography(
        format_reference_list(format, [WORKS[name]]), format
    ).entries
    work, back = WORKS[name], entry.item
    people = {
        each: tuple(person.full_name for person in getattr(back, each))
        for each in ("authors", "editors")
    }
    assert people == {
        each: tuple(person.full_name for person in getattr(work, each)) for each in people
    }
    assert back.others == work.others
    plain = {field.name for field in fields(Item)} - {"id", "more", "others", *people}
    assert {each: getattr(back, each) for each in plain} == {
        each: getattr(work, each) for each in plain
    }


@pytest.mark.parametrize("format", FORMATS)
@given(title=st.text("aZ é'`-–\"{}$\\%&_#~^,;:.<>|@0", min_size=1, max_size=30).filter(str.strip))
def test_no_sign_of_a_title_is_lost(format: str, title: str) -> None:
    title = f"A {' '.join(title.split())} z"
    (entry,) = reading.read_bibliography(
        format_reference_list(format, [Item(title=title, url=URL)]), format
    ).entries
    assert entry.item.title == title


@pytest.mark.parametrize(
    ("said", "container"),
    [
        ("Reef Notes", "Reef Notes"),
        (r"\url{https://a.example}", ""),
        ("{Available online}", ""),
        ("Accessed: 3 May 2020", ""),
    ],
)
def test_how_a_work_was_put_out_is_where_it_stands_unless_it_is_an_address(
    said: str, container: str
) -> None:
    (entry,) = reading.read_bibliography(
        f"@misc{{k, title={{T}}, howpublished={{{said}}}}}"
    ).entries
    assert entry.item.container == container


@pytest.mark.parametrize(
    ("said", "url"), [("www.a.example/b", "www.a.example/b"), ("see there", ""), ("a.b", "")]
)
def test_an_address_of_ris_may_lack_its_scheme(said: str, url: str) -> None:
    (entry,) = reading.read_bibliography(f"TY  - JOUR\nTI  - T\nUR  - {said}\nER  - \n").entries
    assert entry.item.url == url
