"""The parts that styles are made of: titles, people, days, pages, editions, keys, and what is known
of a page alone.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.citations.formats import people, phrases
from research_core.citations.formats.author_field import parse_author_field
from research_core.citations.formats.item import Item, Person
from research_core.citations.formats.judgements import format_judgement
from research_core.citations.formats.keys import (
    assign_keys,
    make_key,
    make_key_from_url,
    split_ascii_words,
)
from research_core.citations.formats.sources import build_source_item
from research_core.citations.formats.titles import (
    apply_headline_case,
    curl_quotes,
    format_plain_title,
    quote_title,
)

# ---------------------------------------------------------------- titles


@pytest.mark.parametrize(
    ("title", "language", "said"),
    [
        ("the reef at night", "", "The Reef at Night"),
        ("what the tide is for", "en-GB", "What the Tide Is For"),
        (
            "reefs: a history of the state-of-the-art",
            "",
            "Reefs: A History of the State-of-the-Art",
        ),
        ("why? because of mRNA on the iPhone", "", "Why? Because of mRNA on the iPhone"),
        ("das Riff bei Nacht", "de", "das Riff bei Nacht"),
        ("REEFS OF THE NORTH", "", "REEFS OF THE NORTH"),
        ("приливы и отливы", "", "приливы и отливы"),
        ("see reef.example.org for more", "", "See reef.example.org for More"),
        ("what `for` and print() do in lme4::lmer", "", "What `for` and print() Do in lme4::lmer"),
        ("tides (numpy.linalg): a tour", "", "Tides (numpy.linalg): A Tour"),
        ("snake_case with --all and $x^2$", "", "snake_case with --all and $x^2$"),
        ("vitamin c in the sea", "", "Vitamin c in the Sea"),
        ("", "", ""),
    ],
)
def test_a_headline_has_capitals_where_it_is_english(title: str, language: str, said: str) -> None:
    assert apply_headline_case(title, language) == said


@pytest.mark.parametrize(
    ("text", "depth", "said"),
    [
        ('"Who goes there?" he said', 0, "“Who goes there?” he said"),
        ('"Who goes there?" he said', 1, "‘Who goes there?’ he said"),
        ("the moon's part", 0, "the moon’s part"),
        ("cries of 'the night' and \"day 'or so'\"", 0, "cries of “the night” and “day ‘or so’”"),
        ("„Gezeiten“ im Norden", 0, "“Gezeiten” im Norden"),
        ("ships of the '90s", 0, "ships of the ’90s"),
    ],
)
def test_marks_are_curved_and_one_level_further_in_where_they_stand_in_others(
    text: str, depth: int, said: str
) -> None:
    assert curl_quotes(text, depth) == said


@pytest.mark.parametrize(
    ("title", "stop", "said"),
    [
        ("Tides", ".", "“Tides.”"),
        ("Tides", ",", "“Tides,”"),
        ("Tides?", ".", "“Tides?”"),
        ("Tides?", ",", "“Tides?,”"),
        ("Tides.", ",", "“Tides,”"),
        ("Tides of the U.S.", ",", "“Tides of the U.S.,”"),
        ("Tides of the U.S.", ".", "“Tides of the U.S.”"),
        ("The 'low tide'", ".", "“The ‘low tide.’”"),
        ("潮汐？", ".", "“潮汐？”"),
        ("Tides", "", "“Tides”"),
        ("", ".", "[Untitled page]."),
    ],
)
def test_a_quoted_title_has_one_sign_at_its_end(title: str, stop: str, said: str) -> None:
    assert quote_title(title, stop) == said


@given(st.text("aB '\"“”‘’„.,?!:-", max_size=24))
def test_no_letter_is_lost_in_a_title(title: str) -> None:
    letters = re.sub(r"\W", "", title)
    assert re.sub(r"\W", "", curl_quotes(title)) == letters
    assert re.sub(r"\W", "", apply_headline_case(title)).lower() == letters.lower()
    assert apply_headline_case(apply_headline_case(title)) == apply_headline_case(title)
    assert format_plain_title(title)


# ---------------------------------------------------------------- people

KING = Person("King", "Martin Luther", "Jr.")
GROUP = Person(literal="Reef Watch")
WANG = Person("王", "伟")


@pytest.mark.parametrize(
    ("person", "short", "short_read", "initialled", "read", "turned"),
    [
        (KING, "King, M. L., Jr.", "M. L. King Jr.", "King ML Jr", "Martin Luther King Jr.", "King, Martin Luther, Jr."),
        (GROUP, *["Reef Watch"] * 5),
        (WANG, *["王伟"] * 5),
        (Person("Sartre", "Jean-Paul"), "Sartre, J.-P.", "J.-P. Sartre", "Sartre JP", "Jean-Paul Sartre", "Sartre, Jean-Paul"),
        (Person("Bates", "J.K."), "Bates, J. K.", "J. K. Bates", "Bates JK", "J. K. Bates", "Bates, J. K."),
        (Person("Humboldt", "Alexander von"), "Humboldt, A. von", "A. von Humboldt", "Humboldt A von", "Alexander von Humboldt",
         "Humboldt, Alexander von"),
        (Person("Kim", "Min-jun", "", "", True), "Kim, M.-J.", "M.-J. Kim", "Kim MJ", "Kim Min-jun", "Kim Min-jun"),
        (Person("Plato"), "Plato", "Plato", "Plato", "Plato", "Plato"),
    ],
)  # fmt: skip
def test_a_name_in_each_way(
    person: Person, short: str, short_read: str, initialled: str, read: str, turned: str
) -> None:
    assert people.format_family_initials(person) == short
    assert people.format_initials_family(person) == short_read
    assert people.format_medical_name(person) == initialled
    assert people.format_read_name(person) == read
    assert people.format_inverted_name(person) == turned


@pytest.mark.parametrize(
    ("count", "said"), [(1, "A"), (2, "A and B"), (3, "A, B, and C"), (4, "A, B, C, and D")]
)
def test_a_series(count: int, said: str) -> None:
    assert people.join_series("ABCD"[:count]) == said


@pytest.mark.parametrize(
    ("count", "first", "said"), [(3, 1, "A, B, and C"), (4, 1, "A et al."), (4, 2, "A, B, et al.")]
)
def test_more_than_so_many_are_the_first_and_others(count: int, first: int, said: str) -> None:
    assert people.truncate_names("ABCD"[:count], 3, first, people.join_series) == said


@given(st.text(max_size=20))
def test_any_given_name_has_initials(given: str) -> None:
    found = people.format_initials(given)
    assert found == found.strip()
    assert ".." not in found or ".." in given


# ---------------------------------------------------------------- phrases


@pytest.mark.parametrize(
    ("text", "all", "mla", "one", "chicago"),
    [
        ("933-939", "933–939", "933–39", "933–9", "933–39"),
        ("101-108", "101–108", "101–08", "101–8", "101–8"),
        ("1100-1113", "1100–1113", "1100–13", "1100–13", "1100–1113"),
        ("71-72", "71–72", "71–72", "71–2", "71–72"),
        ("998-1003", "998–1003", "998–1003", "998–1003", "998–1003"),
        ("933-9", "933–939", "933–39", "933–9", "933–39"),
        ("380-380", "380", "380", "380", "380"),
        ("e12", "e12", "e12", "e12", "e12"),
        ("S12-S18", "S12–S18", "S12–18", "S12–8", "S12–18"),
        ("xi--xiv", "xi–xiv", "xi–xiv", "xi–xiv", "xi–xiv"),
        ("3-5, 9", "3–5, 9", "3–5, 9", "3–5, 9", "3–5, 9"),
        ("", "", "", "", ""),
    ],
)
def test_pages_keep_as_many_figures_as_a_style_wants(
    text: str, all: str, mla: str, one: str, chicago: str
) -> None:
    assert [phrases.format_pages(text, keep) for keep in (0, 2, 1, -2)] == [all, mla, one, chicago]


@pytest.mark.parametrize(
    ("date", "form", "said"),
    [
        ("2015-05-07", "D M Y", "7 May 2015"),
        ("2015-05-07", "M DD, Y", "May 07, 2015"),
        ("2015-09", "M D, Y", "Sept. 2015"),
        ("2015", "Y, M D", "2015"),
        ("", "D M Y", ""),
    ],
)
def test_a_day_is_as_long_as_it_is_known(date: str, form: str, said: str) -> None:
    assert phrases.format_date(date, form) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Tides", "Tides."),
        ("Tides?", "Tides?"),
        ("U.S.", "U.S."),
        ("“Tides”", "“Tides.”"),
        ("“Tides?”", "“Tides?”"),
        ("潮汐。", "潮汐。"),
        ("", ""),
    ],
)
def test_a_sentence_ends_once(text: str, said: str) -> None:
    assert phrases.add_full_stop(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [("1", "1st ed."), ("2nd", "2nd ed."), ("3.", "3rd ed."), ("11", "11th ed."), ("22", "22nd ed."), ("113", "113th ed."),
     ("Spring 2022", "Spring 2022"), ("", "")],
)  # fmt: skip
def test_an_edition_is_counted(text: str, said: str) -> None:
    assert phrases.format_edition(text) == said


@pytest.mark.parametrize(
    ("text", "said"), [("4", "p. 4"), ("4–9", "pp. 4–9"), ("4, 9", "pp. 4, 9"), ("", "")]
)
def test_pages_behind_their_word(text: str, said: str) -> None:
    assert phrases.label_pages(text) == said


@pytest.mark.parametrize(
    ("case", "said"),
    [
        (Item(title="A v. B", volume="410", container="U.S.", pages="113", issued="1973-01-22"), "A v. B, 410 U.S. 113 (1973)"),
        (Item(title="A v. B", container="Rep.", pages="3", issued="1973", more={"authority": "Ct."}), "A v. B, Rep., p. 3 (Ct. 1973)"),
        (Item(title="A v. B"), "A v. B"),
    ],
)  # fmt: skip
def test_a_judgement_is_cited_as_far_as_it_is_known(case: Item, said: str) -> None:
    assert format_judgement(case) == said


# ---------------------------------------------------------------- keys

PAGE = Item(
    title="The reef at night",
    authors=(Person("Müller", "Ana"),),
    issued="2024-05",
    url="https://a.example/1",
)


@pytest.mark.parametrize(
    ("work", "said"),
    [
        (PAGE, "muller2024reef"),
        (Item(title="Tides"), "anontides"),
        (Item(title="The"), "anonthe"),
        (Item(authors=(WANG,), title="潮汐", issued="2020"), "anon2020untitled"),
        (
            Item(authors=(Person("van der Berg", "A."),), title="L'île", issued="2020"),
            "vanderberg2020l",
        ),
        (Item(authors=(GROUP,), title="Ærø og Øst", issued="1999"), "reefwatch1999aero"),
        (
            Item(authors=(Person(literal="University of Oslo"),), title="Straße", issued="1999"),
            "university1999strasse",
        ),
    ],
)
def test_a_key_is_surname_year_and_first_telling_word(work: Item, said: str) -> None:
    assert make_key(work) == said


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("https://www.reuters.example/world/tides-rise", "reuters2024tidesrise"),
        ("https://192.0.2.7/", "1920272024untitled"),
        ("document:notes", "anon2024untitled"),
    ],
)
def test_a_work_without_a_title_goes_by_its_address(url: str, said: str) -> None:
    assert make_key_from_url(Item(url=url, issued="2024")) == said


@given(
    st.lists(
        st.builds(
            Item,
            title=st.text(max_size=6),
            url=st.sampled_from([f"https://a.example/{n}" for n in range(60)]),
        ),
        max_size=60,
    )
)
def test_keys_are_ascii_and_no_two_are_the_same(works: list[Item]) -> None:
    found = assign_keys(works)
    assert len({name for name, _ in found}) == len(found) == len({work.url for work in works})
    assert all(re.fullmatch(r"[a-z0-9]+", name) for name, _ in found)


def test_letters_beyond_z_go_on_with_numbers() -> None:
    names = [
        name
        for name, _ in assign_keys(
            Item(title="Tides", url=f"https://a.example/{n}") for n in range(30)
        )
    ]
    assert names[:3] == ["anontides", "anontidesa", "anontidesb"]
    assert names[26:29] == ["anontidesz", "anontidesz2", "anontidesz3"]


@pytest.mark.parametrize(
    ("text", "said"),
    [("Ça va, Łódź!", ["ca", "va", "lodz"]), ("漢字", []), ("a1-b2", ["a1", "b2"])],
)
def test_words_are_ascii(text: str, said: list[str]) -> None:
    assert split_ascii_words(text) == said


# ---------------------------------------------------------------- what a page says of itself


def test_a_page_is_one_line_each_and_its_people_are_in_parts() -> None:
    work = build_source_item("https://a.example/x ", " The\nreef ", ["Ana Müller", "", "Reef Watch Institute"], "A\tsite", "2020-03-01T10:00:00Z",  # noqa: E501
                  "https://doi.org/10.1000/X", note="n")  # fmt: skip
    assert work == Item(
        type="webpage", title="The reef", authors=(Person("Müller", "Ana"), Person(literal="Reef Watch Institute")), container="A site",
        issued="2020-03-01", doi=work.doi, url="https://a.example/x", note="n",
    )  # fmt: skip
    assert work.doi.lower() == "10.1000/x"


@pytest.mark.parametrize(
    ("author", "site", "people"),
    [
        ("Reef Watch", "Reef Watch", (Person(literal="Reef Watch"),)),
        ("Le Monde", "LE MONDE", (Person(literal="Le Monde"),)),
        ("Deep-Sea Notes", "Deep Sea Notes", (Person(literal="Deep-Sea Notes"),)),
        ("Ocean\u00a0Life", "Ocean Life", (Person(literal="Ocean Life"),)),
        ("Ana Müller", "Reef Watch", (Person("Müller", "Ana"),)),
        ("Ana Müller", "", (Person("Müller", "Ana"),)),
        ("Ana Müller", "ana-müller.example", (Person("Müller", "Ana"),)),
    ],
)
def test_the_name_of_the_site_is_not_split_into_that_of_a_person(
    author: str, site: str, people: tuple[Person, ...]
) -> None:
    assert build_source_item("https://a.example/x", "T", [author], site).authors == people


@pytest.mark.parametrize(
    ("url", "type", "address"),
    [("document:a", "document", ""), ("", "document", ""), ("javascript:x", "webpage", "")],
)
def test_what_is_on_no_web_has_no_address(url: str, type: str, address: str) -> None:
    work = build_source_item(url, "T")
    assert (work.type, work.address) == (type, address)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Ada B; Cy D and Eve F", ("B. Ada", "D. Cy", "F. Eve")),
        ("Anderson Sand", ("Anderson Sand",)),
        (" ; ", ()),
        ("", ()),
    ],
)
def test_authors_of_one_field(text: str, said: tuple[str, ...]) -> None:
    assert tuple(each.full_name for each in parse_author_field(text).people) == said


@given(st.text(max_size=30), st.text(max_size=30), st.text(max_size=12))
def test_no_page_breaks_it(title: str, author: str, date: str) -> None:
    work = build_source_item("https://a.example/", title, [author], date=date)
    assert "\n" not in work.title + work.issued
    assert len(work.authors) <= 1
