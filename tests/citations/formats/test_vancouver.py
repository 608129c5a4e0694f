"""Kinds of works in Vancouver style, by the rules of NLM's Citing Medicine."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from research_core.citations.formats import csl
from research_core.citations.formats.item import Item, Person
from research_core.citations.formats.people import format_initials, format_medical_name
from research_core.citations.formats.phrases import format_pages
from research_core.citations.formats.vancouver import format_vancouver

ADA = Person("Ward", "Ada B.")
BO = Person("Lund", "Bo")
SITE = "https://reef.example/a"
ARTICLE = Item(
    type="article-journal",
    title="On tides",
    authors=(ADA,),
    container="Reef",
    issued="2018",
    volume="4",
)


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"type": "book", "container": "", "volume": ""}, "Ward AB. On tides. 2018."),
        ({}, "Ward AB. On tides. Reef. 2018;4."),
        ({"type": "chapter"}, "Ward AB. On tides. In: Reef. 2018."),
        ({"type": "report", "container": "", "volume": ""}, "Ward AB. On tides. 2018."),
        (
            {"doi": "10.1000/x", "url": SITE},
            "Ward AB. On tides. Reef. 2018;4. doi:10.1000/x",
        ),
        (
            {"type": "thesis", "container": "", "volume": "", "doi": "10.1000/x"},
            "Ward AB. On tides. 2018. doi:10.1000/x",
        ),
        (
            {"url": SITE},
            f"Ward AB. On tides. Reef [Internet]. 2018 [cited 2024 Nov 2];4. Available from: {SITE}",
        ),
    ],
)
def test_the_day_of_reading_is_printed_only_with_an_address(
    changes: dict[str, Any], line: str
) -> None:
    assert format_vancouver(replace(ARTICLE, accessed="2024-11-02", **changes)) == line


@pytest.mark.parametrize(
    ("type", "line"),
    [
        ("article-magazine", "Ward AB. On tides. Reef [Internet]. 2018;4."),
        ("article-newspaper", "Ward AB. On tides. Reef [Internet]. 2018."),
        ("review", "Ward AB. On tides. Reef [Internet]. 2018;4."),
        ("review-book", "Ward AB. On tides. Reef [Internet]. 2018;4."),
        ("post-weblog", "Ward AB. On tides. Reef [Internet]. 2018."),
    ],
)
def test_only_an_article_of_a_journal_is_cited_by_its_doi_alone(type: str, line: str) -> None:
    work = replace(ARTICLE, type=type, doi="10.1000/x", url=SITE)
    assert format_vancouver(work) == f"{line} Available from: {SITE} doi:10.1000/x"


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("J. Test. Eval.", "J Test Eval"),
        ("Phys.Rev.C", "Phys Rev C"),
        ("Dtsch. Med. Wochenschr.", "Dtsch Med Wochenschr"),
        ("Rev. Esp. Cardiol.", "Rev Esp Cardiol"),
        ("C. R. Acad. Sci.", "C R Acad Sci"),
        ("Вестн. Моск. ун-та", "Вестн Моск ун-та"),
        ("Acta mathematica. Série nouvelle", "Acta mathematica Série nouvelle"),
        ("Science (New York, N.Y.)", "Science (New York, NY)"),
        ("arXiv.org", "arXiv.org"),
        ("The Lancet", "The Lancet"),
    ],
)
def test_the_title_of_a_journal_has_no_full_stops(name: str, printed: str) -> None:
    assert format_vancouver(replace(ARTICLE, container=name)) == (
        f"Ward AB. On tides. {printed}. 2018;4."
    )


@pytest.mark.parametrize(
    ("title", "short", "printed"),
    [
        ("The New England journal of medicine", "N Engl J Med", "N Engl J Med"),
        ("Deutsches Ärzteblatt International", "Dtsch Arztebl Int", "Dtsch Arztebl Int"),
        ("La Presse médicale", "Presse Méd.", "Presse Méd"),
        ("Revista española de cardiología", "Rev. Esp. Cardiol.", "Rev Esp Cardiol"),
        ("Physical Review E", "Phys.Rev.E", "Phys Rev E"),
        ("Reef", "", "Reef"),
    ],
)
def test_a_journal_is_named_by_its_abbreviation(title: str, short: str, printed: str) -> None:
    work = replace(ARTICLE, container=title, more={"container-title-short": short})
    assert format_vancouver(work) == f"Ward AB. On tides. {printed}. 2018;4."


@pytest.mark.parametrize(
    ("type", "line"),
    [
        ("article-journal", "Ward AB. On tides [Letter]. Lund B, editor. Reef. 2nd ed. 2018;4."),
        ("article-newspaper", "Ward AB. On tides [Letter]. Lund B, editor. Reef. 2nd ed. 2018."),
        ("article-magazine", "Ward AB. On tides [Letter]. Lund B, editor. Reef. 2nd ed. 2018;4."),
        ("chapter", "Ward AB. On tides [Letter]. In: Lund B, editor. Reef. 2nd ed. 2018."),
        ("dataset", "Ward AB. On tides [Letter]. Lund B, editor. Reef. 2nd ed. 2018."),
        ("webpage", "Ward AB. Reef [Letter]. 2nd ed. Lund B, editor. 2018. On tides."),
    ],
)
def test_editors_edition_and_kind_of_a_work_in_another(type: str, line: str) -> None:
    work = replace(ARTICLE, type=type, editors=(BO,), genre="Letter", edition="2")
    assert format_vancouver(work) == line


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"volume": "2"}, "Ward AB. On tides. Lund B, editor. Vol. 2. 2018."),
        ({"volume": "2-3"}, "Ward AB. On tides. Lund B, editor. Vols. 2-3. 2018."),
        ({"volume": "1 & 2"}, "Ward AB. On tides. Lund B, editor. Vols. 1 & 2. 2018."),
        ({"volume": "Band 3"}, "Ward AB. On tides. Lund B, editor. Band 3. 2018."),
        (
            {"more": {"collection-title": "Meeresstudien", "collection-number": "12"}},
            "Ward AB. On tides. Lund B, editor. 2018. (Meeresstudien; no. 12).",
        ),
        (
            {"more": {"collection-title": "Que sais-je ?"}},
            "Ward AB. On tides. Lund B, editor. 2018. (Que sais-je ?).",
        ),
        (
            {"more": {"number-of-pages": "240"}},
            "Ward AB. On tides. Lund B, editor. 2018. 240 p.",
        ),
        (
            {"more": {"number-of-pages": "xii, 240 s."}},
            "Ward AB. On tides. Lund B, editor. 2018. xii, 240 s.",
        ),
    ],
)
def test_volumes_series_and_extent_of_a_book(changes: dict[str, Any], line: str) -> None:
    book = Item(type="book", title="On tides", authors=(ADA,), editors=(BO,), issued="2018")
    assert format_vancouver(replace(book, **changes)) == line


@pytest.mark.parametrize(
    ("number", "printed"),
    [
        ("no. 4", "Report no.: 4"),
        ("No. 4", "Report no.: 4"),
        ("Nr. 4", "Report no.: 4"),
        ("nº 4", "Report no.: 4"),
        ("№ 4", "Report no.: 4"),
        ("12-34", "Report nos.: 12-34"),
        ("1, 2", "Report nos.: 1, 2"),
        ("4", "Report no.: 4"),
        ("MAB-21-09", "Report MAB-21-09"),
    ],
)
def test_the_number_of_a_report_is_labelled_once(number: str, printed: str) -> None:
    work = Item(type="report", title="On tides", issued="2018", number=number)
    assert format_vancouver(work) == f"On tides. 2018. {printed}."


@pytest.mark.parametrize(
    ("changes", "issue"),
    [
        ({"type": "article-newspaper", "pages": "7"}, "2018 May 3:7"),
        ({"type": "article-newspaper", "issue": "2"}, "2018 May 3"),
        ({"number": "e104"}, "2018 May 3;4:e104"),
        ({"issue": "2", "more": {"supplement-number": "1"}}, "2018 May 3;4(2 Suppl 1)"),
        ({"more": {"supplement-number": "suppl 2"}}, "2018 May 3;4(Suppl 2)"),
        ({"type": "speech", "container": ""}, "2018 May 3"),
        ({"type": "legislation", "container": "", "volume": ""}, "2018 May 3"),
    ],
)
def test_the_issue_and_the_day_by_type(changes: dict[str, Any], issue: str) -> None:
    work = replace(ARTICLE, issued="2018-05-03", **changes)
    assert format_vancouver(work).endswith(f"{issue}.")


@pytest.mark.parametrize(
    ("pages", "whole", "shortened"),
    [
        ("pp. 12-15", "12–15", "12–5"),
        ("p. 7", "7", "7"),
        ("S. 12-15", "12–15", "12–5"),
        ("S12-9", "S12–S19", "S12–9"),
        ("D1-D9", "D1–D9", "D1–9"),
        ("e2023-7", "e2023–e2027", "e2023–7"),
        ("e00122-21", "e00122-21", "e00122-21"),
        ("A0007-19", "A0007-19", "A0007-19"),
        ("S12", "S12", "S12"),
    ],
)
def test_pages_with_letters_and_labels(pages: str, whole: str, shortened: str) -> None:
    assert [format_pages(pages), format_pages(pages, keep=1)] == [whole, shortened]


@pytest.mark.parametrize(
    ("said", "printed"),
    [
        ({"family": "King", "given": "Martin Luther, Jr."}, "King ML Jr"),
        ({"family": "King", "given": "Martin Luther Jr"}, "King ML Jr"),
        ({"family": "King Jr.", "given": "Martin Luther"}, "King ML Jr"),
        ({"family": "Smith", "given": "Henry B. III"}, "Smith HB 3rd"),
        ({"family": "Vega", "given": "Ana", "suffix": "II"}, "Vega A 2nd"),
        ({"family": "Papadópoulos", "given": "G. Th."}, "Papadópoulos GTh"),
        ({"family": "Dumont", "given": "M.-Th."}, "Dumont MTh"),
        ({"family": "Berg", "given": "Chr. A."}, "Berg ChrA"),
        ({"family": "Яковлев", "given": "Ю. Д."}, "Яковлев ЮД"),
        ({"family": "Müller", "given": "Dr. Anna"}, "Müller A"),
        ({"family": "Moreau", "given": "Prof. Dr. Luc"}, "Moreau L"),
        ({"family": "lópez", "given": "ana maría"}, "lópez AM"),
        ({"family": "Iva", "given": "IV"}, "Iva I"),
    ],
)
def test_a_name_in_a_list_of_medical_authors(said: dict[str, str], printed: str) -> None:
    (person,) = csl.read_persons([said])
    assert format_medical_name(person) == printed


@pytest.mark.parametrize(
    ("given", "initials"),
    [
        ("ana maría", "A. M."),
        ("джон павел", "Д. П."),
        ("Alexander von", "A. von"),
        ("M.-Th.", "M.-T."),
        ("Chr. A.", "Chr. A."),
    ],
)
def test_initials_of_a_name_in_small_letters(given: str, initials: str) -> None:
    assert format_initials(given) == initials
