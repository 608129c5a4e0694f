"""Bibliographies read: every format with its lines, what is broken refused by line, what is not
read refused by name; plain references.
"""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.citations.checks.cases import is_case
from research_core.citations.formats import csl, pasted_list, plain, reading, styles
from research_core.citations.formats.item import Item, Person
from research_core.errors import UsageError
from research_core.text.dates import parse_catalogue_date

WORK = Item(
    "article-journal", "Tea and its leaves", (Person("Müller", "Åsa"), Person("Doe", "Jane B.")), container="Journal of Drinks",
    issued="2015-05", volume="7", issue="2", pages="11-19", doi="10.1234/tea.7", url="https://a.example.org/tea",
)  # fmt: skip
BIBTEX = r"""% a comment
@string{jod = "Journal of Drinks"}
@article{tea,
  author = {M{\"u}ller, {\AA}sa and Doe, Jane B.},
  title  = "Tea and its leaves, 50\% of them",
  journal = jod, year = 2015, month = may, volume = {7}, number = {2}, pages = {11--19}, doi = {10.1234/tea.7},
}
"""
RIS = """TY  - JOUR
TI  - Tea and its leaves
AU  - Müller, Åsa
AU  - Doe, Jane B.
T2  - Journal of Drinks
PY  - 2015
VL  - 7
IS  - 2
SP  - 11
EP  - 19
DO  - 10.1234/tea.7
ER  -
"""
NBIB = """PMID- 123
TI  - Tea and its
      leaves
FAU - Muller, Asa
JT  - Journal of Drinks
DP  - 2015 May 3
VI  - 7
PG  - 11-9
LID - 10.1234/tea.7 [doi]
"""
ENW = "%0 Journal Article\n%T Tea and its leaves\n%A Müller, Åsa\n%J Journal of Drinks\n%D 2015\n%V 7\n%P 11-19\n"
ISI = """FN Clarivate
VR 1.0
PT J
AU Muller, A
   Doe, JB
TI Tea and its leaves
SO Journal of Drinks
PY 2015
VL 7
BP 11
EP 19
ER
EF
"""
CSL = (
    '[{"type": "article-journal", "title": "Tea and its leaves", "issued": '
    '{"date-parts": [[2015, 5]]}, "author": [{"family": "Müller"}]}]'
)


@pytest.mark.parametrize(
    ("text", "format", "line"),
    [
        (BIBTEX, "bibtex", 3),
        (RIS, "ris", 1),
        (NBIB, "nbib", 1),
        (ENW, "endnote", 1),
        (ISI, "isi", 3),
        (CSL, "csl-json", 1),
    ],
)
def test_each_format_is_told_by_what_stands_in_it_and_read_with_its_line(
    text: str, format: str, line: int
) -> None:
    for spelled in (text, "\ufeff" + text, text.replace("\n", "\r\n")):
        found = reading.read_bibliography(spelled)
        ((entry,), refused) = (found.entries, found.refused)
        assert (found.format, entry.line, refused) == (format, line, ())
        assert entry.item.title.startswith("Tea and its leaves")
        assert entry.item.issued.startswith("2015")
        assert entry.item.authors[0].family in ("Müller", "Muller")


def test_what_tex_writes_with_signs_is_read_as_letters_and_strings_are_put_in() -> None:
    (entry,) = reading.read_bibliography(BIBTEX).entries
    assert (entry.item.title, entry.item.container) == (
        "Tea and its leaves, 50% of them",
        "Journal of Drinks",
    )
    assert [(each.family, each.given) for each in entry.item.authors] == [
        ("Müller", "Åsa"),
        ("Doe", "Jane B."),
    ]
    assert (entry.item.volume, entry.item.pages, entry.item.doi, entry.item.id) == (
        "7",
        "11-19",
        "10.1234/tea.7",
        "tea",
    )


@pytest.mark.parametrize(
    ("text", "title", "line"),
    [
        (
            f"@article{{broken, title = {{never closed\n\n{BIBTEX}",
            "Tea and its leaves, 50% of them",
            1,
        ),
        (RIS + "TY  - JOUR\nER  -\n", "Tea and its leaves", 13),
        ('[{"title": "Tea"}, 7]', "Tea", 1),
        ('[{"title": "Tea"},\n{"volume": ' + "7" * 5_000 + "}]", "Tea", 2),
        (
            f"{BIBTEX}\n@article{{{' ' * 20_000}{{",
            "Tea and its leaves, 50% of them",
            BIBTEX.count("\n") + 2,
        ),  # no time beyond its length
    ],
)
def test_a_broken_entry_is_refused_with_its_line_and_takes_none_of_the_others(
    text: str, title: str, line: int
) -> None:
    found = reading.read_bibliography(text)
    assert title in [each.item.title for each in found.entries]
    assert [each.line for each in found.refused] == [line]
    assert all(each.reason.endswith(".") for each in found.refused)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("<?xml version='1.0'?><modsCollection><mods/></modsCollection>", "MODS"),
        ("<?xml version='1.0'?><PubmedArticleSet/>", "PubMed XML"),
        ('{"id": "https://openalex.org/W1", "authorships": []}', "OpenAlex JSON"),
        ("", "empty"),
        ("a\x00b", "no text"),
        ("Template-Type: ReDIF-Paper 1.0", "RePEc"),
    ],
)
def test_what_is_not_read_is_refused_by_its_name_with_what_to_do(text: str, named: str) -> None:
    with pytest.raises(UsageError, match=named) as caught:
        reading.read_bibliography(text)
    assert caught.value.next_step


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ("<1>\nUnique Identifier\n  24153298\n", "ovid"),
        ("<?xml version='1.0'?><modsCollection><mods/></modsCollection>", "bibtex"),
        ("<?xml version='1.0'?><modsCollection><mods/></modsCollection>", "mods"),
        ('{"id": "https://openalex.org/W1", "authorships": []}', "csl-json"),
        ("\ufeffTemplate-Type: ReDIF-Paper 1.0\r\n", "ris"),
    ],
)
def test_what_is_not_read_is_refused_in_the_same_words_whatever_format_is_named(
    text: str, format: str
) -> None:
    refusals = []
    for asked in ("auto", format):
        with pytest.raises(UsageError) as caught:
            reading.read_bibliography(text, asked)
        refusals.append((caught.value.message, caught.value.next_step))
    assert "which Assay does not read" in refusals[0][0]
    assert refusals[0] == refusals[1]


def test_an_unknown_format_is_refused_with_the_list() -> None:
    with pytest.raises(UsageError, match="no format 'word'") as caught:
        reading.read_bibliography(RIS, "word")
    assert "bibtex" in caught.value.next_step


@pytest.mark.parametrize("style", ["bibtex", "ris", "csl-json"])
def test_what_is_written_is_read_back(style: str) -> None:
    (entry,) = reading.read_bibliography(styles.format_reference_list(style, [WORK])).entries
    back = entry.item
    assert (back.title, back.doi, back.issued[:4]) == (WORK.title, WORK.doi, "2015")
    assert next(each.family or each.literal for each in back.authors).endswith("Müller")


# ---------------------------------------------------------------- plain references

PLAIN: list[tuple[str, dict[str, str], str]] = [
    (
        "Doe, J. B., & Roe, R. (2015). Tea and its leaves. Journal of Drinks, 7(2), 11–19. https://doi.org/10.1234/tea.7",
        {
            "title": "Tea and its leaves",
            "issued": "2015",
            "container": "Journal of Drinks",
            "volume": "7",
            "doi": "10.1234/tea.7",
        },
        "Doe",
    ),
    (
        "Doe JB, Roe R: On tea and the action of leaves. J Drinks 19: 187–251, 1976",
        {
            "title": "On tea and the action of leaves",
            "issued": "1976",
            "container": "J Drinks",
            "volume": "19",
            "pages": "187-251",
        },
        "Doe",
    ),
    (
        "Varghese v. China Southern Airlines Co., 925 F.3d 1339 (11th Cir. 2019)",
        {
            "type": "legal_case",
            "title": "Varghese v. China Southern Airlines Co.",
            "volume": "925",
            "pages": "1339",
            "issued": "2019",
        },
        "",
    ),
    (
        "In re Air Crash Disaster Near New Orleans, La., 821 F.2d 1147 (5th Cir. 1987)",
        {
            "type": "legal_case",
            "title": "In re Air Crash Disaster Near New Orleans, La.",
            "volume": "821",
            "issued": "1987",
        },
        "",
    ),
    (
        "Brown v. Board of Education, 347 U.S. 483 (1954)",
        {"type": "legal_case", "title": "Brown v. Board of Education", "volume": "347"},
        "",
    ),
    (
        "Doe, Jane. “Tea Today.” The Times, 3 May 2020, www.example.org/a. Accessed 4 June 2021.",
        {
            "title": "Tea Today",
            "issued": "2020-05-03",
            "accessed": "2021-06-04",
            "container": "The Times",
        },
        "Doe",
    ),
]


@pytest.mark.parametrize(("text", "said", "first"), PLAIN)
def test_a_reference_in_words_is_taken_apart(text: str, said: dict[str, str], first: str) -> None:
    item = plain.parse_reference(text)
    assert {name: getattr(item, name) for name in said} == said
    assert [each.family for each in item.authors][:1] == ([first] if first else [])
    words = plain.build_search_words(item)
    assert said["title"] in words
    assert len(words) <= 300


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (
            "1. Doe, J. (2001). One thing\nand more. Press.\n2. Roe, A. (2002). Two. Press.\n",
            [1, 3],
        ),
        ("[1] Doe, J. (2001). One. Press.\n[2] Roe, A. (2002). Two. Press.", [1, 2]),
        ("- Doe, J. (2001). One. Press.\n- Roe, A. (2002). Two. Press.", [1, 2]),
        ("Doe, J. (2001). One. Press.\n\nRoe, A. (2002). Two. Press.", [1, 3]),
        (
            "Doe, J. (2001). One thing\n    and more. Press.\nRoe, A. (2002). Two.\n    Press.",
            [1, 3],
        ),
        ("Doe, J. (2001). One. Press.\nRoe, A. (2002). Two. Press.", [1, 2]),
    ],
)
def test_a_pasted_list_is_parted_into_its_entries_with_their_lines(
    text: str, lines: list[int]
) -> None:
    assert [line for line, _ in pasted_list.split_entries(text)] == lines


@given(st.text(max_size=400))
def test_whatever_is_pasted_is_read_or_refused(text: str) -> None:
    item = plain.parse_reference(text)
    assert len(plain.build_search_words(item)) <= 300
    for format in ("auto", *reading.READERS):
        with suppress(UsageError):
            found = reading.read_bibliography(text, format)
            assert all(
                0 < each.line <= text.count("\n") + text.count("\r") + 1
                for each in (*found.entries, *found.refused)
            )


@given(st.text(alphabet='@{}="\\,#%abc \n', max_size=200))
def test_no_braces_or_quotes_break_the_reader_of_bibtex(text: str) -> None:
    found = reading.read_bibliography(f"@article{{a, title = {text}}}\n{BIBTEX}", "bibtex")
    assert found.entries or found.refused


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("1993 Oct 8", "1993-10-08"),
        ("c1999", "1999"),
        ("2015 May", "2015-05"),
        ("no date", ""),
        ("", ""),
    ],
)
def test_a_date_of_a_catalogue_is_read_as_far_as_it_goes(text: str, day: str) -> None:
    assert parse_catalogue_date(text) == day


def test_an_item_survives_its_json() -> None:
    assert csl.read_item(csl.build_csl_object(WORK, "a")).title == WORK.title


@pytest.mark.parametrize(
    ("said", "container"),
    [
        ("The New Yorker, 20 October", "The New Yorker"),
        ("Reef Notes, Oct. 20", "Reef Notes"),
        ("Reef Notes, June", "Reef Notes"),
        ("Health, Marketing", "Health, Marketing"),
        ("The March 20", "The March 20"),
        ("20 October", ""),
    ],
)
def test_a_day_without_its_year_is_no_part_of_what_a_work_stands_in(
    said: str, container: str
) -> None:
    assert (
        plain.parse_reference(
            f"Ward, A. (2011) “On tides,” {said}. Available at: https://a.example/x."
        ).container
        == container
    )


@pytest.mark.parametrize(
    ("text", "authors"),
    [
        ("Ada B. Ward, Bo Lund, and Cy Ho. 2017. On tides. In Proceedings of the Reef Conference"
         " (RC '17). ACM, New York, NY, 1–9.", ["Ward, Ada B.", "Lund, Bo", "Ho, Cy"]),
        ("Patricia S. Ives and Robert Plum. 2007. The tides: rise, fall, or stay? Reef Notes 50, 1"
         " (Jan. 2007), 36–44.", ["Ives, Patricia S.", "Plum, Robert"]),
        ("[3] Jean-Pierre Ward, Ana Lucía Pérez-Gómez, Łukasz Kranz, et al. 2011. On reefs. Reef Notes 3, 2"
         " (2011), 1–2.", ["Ward, Jean-Pierre", "Pérez-Gómez, Ana Lucía", "Kranz, Łukasz"]),
        ("Ludwig van Berg, Maria de la Cruz, and Nguyễn Văn An. 2019. On reefs. Reef Notes 3, 2 (2019), 12.",
         ["van Berg, Ludwig", "de la Cruz, Maria", "Nguyễn, Văn An"]),
        ("Li Wei, Zhang San, & Wang Wu (2021). Sea ice. Reef Notes, 3(2), 12.", ["Wei, Li", "San, Zhang", "Wu, Wang"]),
        ("Jane Q. Ward III, Martin Lund Jr., and Bo Ho. 2001. On tides. Reef Notes 3, 2 (2001), 12–19.",
         ["Ward, Jane Q., III", "Lund, Martin, Jr.", "Ho, Bo"]),
        # other styles, as before
        ("Ward, Ada, and Bo Lund. 2017. On tides. Reef Notes 3 (2): 1–9.", ["Ward, Ada", "Lund, Bo"]),
        ("García Márquez, Ana Lucía. 1967. On tides. Oslo: Reef.", ["García Márquez, Ana Lucía"]),
        ("Ward AB, Lund C. On tides. Reef Notes. 2017;3(2):1–9.", ["Ward, A. B.", "Lund, C."]),
        ("World Health Organization and World Bank. 2020. On tides. Reef Press.",
         ["World Health Organization and World Bank"]),
    ],
)  # fmt: skip
def test_names_before_a_year_are_read_as_the_acm_lists_them(text: str, authors: list[str]) -> None:
    assert [person.inverted for person in plain.parse_reference(text).authors] == authors


def test_volume_issue_and_pages_of_the_acm() -> None:
    work = plain.parse_reference(
        "Ada Ward and Bo Lund. 2007. On tides. Reef Notes 50, 1 (Jan. 2007), 36–44."
    )
    found = (work.container, work.volume, work.issue, work.pages, work.issued)
    assert found == ("Reef Notes", "50", "1", "36-44", "2007-01")


@pytest.mark.parametrize(
    ("reference", "title", "issued"),
    [
        ("Miranda v. Arizona (1966)", "Miranda v. Arizona", "1966"),
        ("Miranda v Arizona (1966)", "Miranda v Arizona", "1966"),
        ("Regina v Smith (1974).", "Regina v Smith", "1974"),
        ("R v Brown [1994]", "R v Brown", "1994"),
        ("Roe vs Wade, 1973", "Roe vs Wade", "1973"),
        ("Roe vs. Wade", "Roe vs. Wade", ""),
        ("Roe versus Wade (1973)", "Roe versus Wade", "1973"),
        ("Gauge v the Harbour Board", "Gauge v the Harbour Board", ""),
        ("Roe versus Wade, 410 U.S. 113 (1973)", "Roe versus Wade", "1973"),
    ],
)
def test_a_case_without_the_dot_is_a_case(reference: str, title: str, issued: str) -> None:
    work = plain.parse_reference(reference)
    assert (work.title, work.issued, work.authors) == (title, issued, ())
    assert is_case(work)


@pytest.mark.parametrize(
    "reference",
    [
        "Hans v Storch (1999). Waves and tides. Springer.",
        "A comparison of tides versus currents",
        "Smith, V. Jones, K. (2001). Gauges.",
    ],
)
def test_other_works_are_no_cases(reference: str) -> None:
    assert not is_case(plain.parse_reference(reference))


@pytest.mark.parametrize(
    ("text", "line", "where"),
    [
        ('[{"id": "a",}]', 1, ", column 13."),
        ('[\n{"id": "a" "b"}]', 2, ", column 12."),
        ('[{"title": "Öfen"', 1, ", column 18."),
        ('[\n\n{"id":\n"a",\n}]', 3, ", in line 5, column 1."),
        ('[{"id": "窯",\n"title" "x"}]', 1, ", in line 2, column 9."),
    ],
)
def test_a_broken_json_object_names_its_line_once(text: str, line: int, where: str) -> None:
    (refused, *_) = reading.read_bibliography(text, "csl-json").refused
    assert refused.line == line
    assert refused.reason.endswith(where), refused.reason
