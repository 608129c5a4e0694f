"""A DOI is whole in every format and style, however it was written down."""

from __future__ import annotations

import pytest

from research_core.citations.formats import csl, reading
from research_core.citations.formats.plain import parse_reference
from research_core.citations.formats.sources import build_source_item
from research_core.citations.formats.styles import STYLES, format_reference_list
from research_core.urls import build_doi_url, find_doi
from tests.timing import check_cpu_time

#: How a DOI is written down, and what it is.
WRITTEN_DOIS = [
    ("10.1002/(SICI)1096-8644(199911)110:3<263::AID-AJPA1>3.0.CO;2-2",
     "10.1002/(SICI)1096-8644(199911)110:3<263::AID-AJPA1>3.0.CO;2-2"),
    ("doi:10.1002/1521-3773(20010316)40:6<9823::AID-ANIE9823>3.3.CO;2-C",
     "10.1002/1521-3773(20010316)40:6<9823::AID-ANIE9823>3.3.CO;2-C"),
    ("https://doi.org/10.1175/1520-0477(1996)077<0437:TNYRP>2.0.CO;2",
     "10.1175/1520-0477(1996)077<0437:TNYRP>2.0.CO;2"),
    ("https://doi.org/10.1130/0091-7613%281997%29025%3CLICMMF%3E2.3.CO%3B2",
     "10.1130/0091-7613(1997)025<LICMMF>2.3.CO;2"),
    ("10.1577/1548-8659(1997)126&lt;0001:XYZ&gt;2.3.CO;2",
     "10.1577/1548-8659(1997)126<0001:XYZ>2.3.CO;2"),
    ("http://dx.doi.org/10.1002/(SICI)1099-1050(199609)5:5<463::AID-HEC218>3.0.CO;2-#",
     "10.1002/(SICI)1099-1050(199609)5:5<463::AID-HEC218>3.0.CO;2-#"),
    ("https://onlinelibrary.example.com/doi/abs/10.1002/(SICI)1097-0258(19980430)17:8%3C873::AID-SIM779%3E3.0.CO;2-I",
     "10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I"),
    ("10.1061/(ASCE)0733-9410(2003)129:2(127)", "10.1061/(ASCE)0733-9410(2003)129:2(127)"),
    ("https://doi.org/10.1641/0006-3568(2004)054[0012:ABC]2.0.CO;2",
     "10.1641/0006-3568(2004)054[0012:ABC]2.0.CO;2"),
    ("https://doi.org/10.1207/s15327663jcp1401&2_19", "10.1207/s15327663jcp1401&2_19"),
    ("10.1016/j.ﬁnel.2003.09.003", "10.1016/j.finel.2003.09.003"),
    ("doi:10.1016/j.eﬄuent.2001.ﬂow", "10.1016/j.effluent.2001.flow"),
    ("10.1007/978\u20103\u2010642\u20101", "10.1007/978-3-642-1"),
    ("10.1000/１８２", "10.1000/182"),
]  # fmt: skip


@pytest.mark.parametrize(("written", "doi"), WRITTEN_DOIS)
def test_a_doi_is_read_whole(written: str, doi: str) -> None:
    assert find_doi(written) == doi
    assert csl.read_doi(written) == doi
    assert build_source_item("https://a.example/", "On tides", doi=written).doi == doi
    assert parse_reference(f"Ward, A. (1999). On tides. Reef Notes, 1(2), 3. {written}").doi == doi


@pytest.mark.parametrize(
    ("written", "doi"),
    [
        ("<https://doi.org/10.1000/182>", "10.1000/182"),
        ("(doi:10.1000/182).", "10.1000/182"),
        ("10.1000/182<br>", "10.1000/182"),
        ("https://doi.org/10.1000/182#section", "10.1000/182"),
        ("https://a.example/article?id=10.1000/182&download=1", "10.1000/182"),
        ("https://a.example/article?id=10.1000/182&amp;download=1", "10.1000/182"),
        ("10.1000/182</a>", "10.1000/182"),
    ],
)
def test_what_stands_around_a_doi_is_not_read(written: str, doi: str) -> None:
    assert find_doi(written) == doi


DOI = "10.1002/(SICI)1096-8644(199911)110:3<263::AID-AJPA1>3.0.CO;2-#"
ADDRESS = "https://doi.org/10.1002/(SICI)1096-8644(199911)110:3%3C263::AID-AJPA1%3E3.0.CO;2-%23"


@pytest.mark.parametrize("style", STYLES)
def test_a_style_prints_the_whole_doi_and_encodes_its_address(style: str) -> None:
    work = build_source_item("https://a.example/", "On tides", ["Ada Ward"], "Reef", "1999", DOI)
    line = format_reference_list(style, [work])
    assert DOI in line or ADDRESS in line
    assert f"doi.org/{DOI}" not in line


@pytest.mark.parametrize("style", ["bibtex", "ris", "csl-json"])
def test_a_format_keeps_the_whole_doi(style: str) -> None:
    work = build_source_item("https://a.example/", "On tides", ["Ada Ward"], "Reef", "1999", DOI)
    (entry,) = reading.read_bibliography(format_reference_list(style, [work])).entries
    assert entry.item.doi == DOI


@pytest.mark.parametrize(
    "value",
    [
        r"10.1002/(SICI)1096-8644(199911)110:3$<$263::AID-AJPA1$>$3.0.CO;2-2",
        r"10.1002/(SICI)1096-8644(199911)110:3{\textless}263::AID-AJPA1{\textgreater}3.0.CO;2-2",
        r"10.1002/(SICI)1096-8644(199911)110:3\textless{}263::AID-AJPA1\textgreater{}3.0.CO;2-2",
        r"https://doi.org/10.1002/(SICI)1096-8644(199911)110:3$\less$263::AID-AJPA1$\greater$3.0.CO;2-2",
        r"10.1002/(SICI)1096-8644(199911)110:3\%3C263::AID-AJPA1\%3E3.0.CO;2-2",
        r"10.1002/(SICI)1096-8644(199911)110:3$\lt$263::AID-AJPA1$\gt$3.0.CO;2-2",
    ],
)
def test_the_angle_brackets_of_a_bibtex_doi_are_read(value: str) -> None:
    found = reading.read_bibliography(f"@article{{a, title={{On tides}}, doi={{{value}}}}}")
    assert found.entries[0].item.doi == WRITTEN_DOIS[0][1]


def test_no_address_without_a_doi() -> None:
    assert build_doi_url("") == ""


@pytest.mark.full
@pytest.mark.parametrize(
    "repeated",
    ["doi ", "http://doi/", "http://doi/_", "(doi: ", "https://x.doi.org/doi/", "doi.org/ ",
     "http://a.example/10.1000/ ", "https://doi.org/https://"],
)  # fmt: skip
def test_a_hostile_reference_takes_no_time(repeated: str) -> None:
    with check_cpu_time(2):
        parse_reference(repeated * (4_000 // len(repeated)))


@pytest.mark.full
@pytest.mark.parametrize("end", ["}", ")", ">", ".", ")]"])
def test_a_hostile_doi_takes_no_time(end: str) -> None:
    with check_cpu_time(2):
        assert find_doi(f"10.1000/x{end * 50_000}") == "10.1000/x"


@pytest.mark.parametrize(
    "before",
    ["doi:", "DOI: ", "(doi: ", "doi.org/", "https://doi.org/", "https://doi.org/doi:",
     "http://dx.doi.org/https://doi.org/", "https://a.example/doi/full/", "https://a.example/",
     "https://doi.org/doi.org/", "doi:https://doi.org/", "Doi: doi: "],
)  # fmt: skip
def test_what_is_written_before_a_doi_is_no_part_of_the_title(before: str) -> None:
    read = parse_reference(f"Ward, A. (1999). On tides. Reef Notes, 1(2), 3. {before}10.1000/x7")
    assert (read.doi, read.title) == ("10.1000/x7", "On tides")
    assert (read.container, read.pages) == ("Reef Notes", "3")
