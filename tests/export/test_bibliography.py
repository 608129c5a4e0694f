"""BibTeX, RIS and CSL-JSON, to the rules of `format_bibliography`, each read back by a parser of
others.
"""

from __future__ import annotations

import json
from dataclasses import replace

import bibtexparser
import pytest
import rispy

from research_core.citations.formats.keys import keyed
from research_core.citations.formats.sources import parted, source
from research_core.export.bibliography import bibtex, csl_json, entries, ris
from research_core.models import Metadata
from tests.reports import FULL_REPORT, OWN_DOCUMENTS

PAPER = source(
    "https://doi.org/10.5555/3295222", "Attention: {Curly} & 50% of $x_1$", parted("Ashish Vaswani; Noam Shazeer and Parmar, Niki"), "NIPS",
    "2017-06-12", "https://doi.org/10.5555/3295222", "2026-11-22", "Credibility score 0.86",
)  # fmt: skip
PAGE = source(
    "https://reef.example.org/log?a=1&b=%7Bx%7D#top",
    "Reef log",
    site="reef.example.org",
    date="2024",
)
OWN = source("document:" + "a" * 64, "Field notes.docx")


def test_bibtex_of_an_article_a_page_and_an_own_document() -> None:
    assert bibtex([PAGE, PAPER, OWN]) == (
        "@misc{anon2024reef,\n  title = {{Reef log}},\n  howpublished = {reef.example.org},\n  year = {2024},\n  date = {2024},\n"
        "  url = {https://reef.example.org/log?a=1&b=%7Bx%7D#top},\n}\n\n"
        "@article{vaswani2017attention,\n"
        "  title = {{Attention: \\textbraceleft{}Curly\\textbraceright{} \\& 50\\% of \\$x\\_1\\$}},\n"
        "  author = {Vaswani, Ashish and Shazeer, Noam and Parmar, Niki},\n  journal = {NIPS},\n  year = {2017},\n"
        "  date = {2017-06-12},\n  doi = {10.5555/3295222},\n  url = {https://doi.org/10.5555/3295222},\n  urldate = {2026-11-22},\n"
        "  note = {Credibility score 0.86},\n}\n\n"
        "@misc{anonfield,\n  title = {{Field notes.docx}},\n}\n"
    )


def test_ris_of_an_article_and_a_page() -> None:
    assert ris([PAGE, PAPER]) == (
        "TY  - ELEC\r\nTI  - Reef log\r\nPY  - 2024\r\nDA  - 2024\r\nT2  - reef.example.org\r\n"
        "UR  - https://reef.example.org/log?a=1&b=%7Bx%7D#top\r\nER  - \r\n\r\n"
        "TY  - JOUR\r\nTI  - Attention: {Curly} & 50% of $x_1$\r\nAU  - Vaswani, Ashish\r\nAU  - Shazeer, Noam\r\nAU  - Parmar, Niki\r\n"
        "PY  - 2017\r\nDA  - 2017/06/12\r\nT2  - NIPS\r\nDO  - 10.5555/3295222\r\nUR  - https://doi.org/10.5555/3295222\r\n"
        "Y2  - 2026/11/22\r\nN1  - Credibility score 0.86\r\nER  - \r\n"
    )


def test_csl_of_an_article_a_page_and_an_own_document() -> None:
    paper, page, own = json.loads(csl_json([PAPER, PAGE, OWN]))
    assert page == {
        "id": "anon2024reef", "type": "webpage", "title": "Reef log", "issued": {"date-parts": [[2024]]},
        "container-title": "reef.example.org", "URL": "https://reef.example.org/log?a=1&b=%7Bx%7D#top",
    }  # fmt: skip
    assert own == {"id": "anonfield", "type": "document", "title": "Field notes.docx"}
    assert paper["type"] == "article-journal"
    assert paper["author"] == [
        {"literal": "Ashish Vaswani"},
        {"literal": "Noam Shazeer"},
        {"literal": "Niki Parmar"},
    ]
    assert (paper["DOI"], paper["issued"], paper["accessed"]) == (
        "10.5555/3295222", {"date-parts": [[2017, 6, 12]]}, {"date-parts": [[2026, 11, 22]]},
    )  # fmt: skip


def test_parsers_of_others_read_all_of_it_back() -> None:
    found = entries(FULL_REPORT)
    library = bibtexparser.parse_string(bibtex(found))
    assert not library.failed_blocks
    assert [entry.key for entry in library.entries] == [key for key, _ in keyed(found)]
    assert {entry["url"] for entry in library.entries} == {entry.url for entry in found}
    records = rispy.loads(ris(found))
    assert {record["title"] for record in records} == {entry.title for entry in found}
    assert {record["urls"][0] for record in records} == {entry.url for entry in found}


def test_entries_are_the_sources_kept_with_dates_and_scores() -> None:
    first, *others = entries(FULL_REPORT)
    assert len(others) == FULL_REPORT.funnel["kept"] - 1
    assert first == source(
        "https://abyss.example.edu/dives",
        "Depth tags",
        (),
        "abyss.example.edu",
        "2024-05-01",
        "",
        "2026-09-21",
        "Credibility score 0.86",
    )


def test_own_document_is_neither_article_nor_page() -> None:
    own = [
        item for item in json.loads(csl_json(entries(OWN_DOCUMENTS))) if item["type"] == "document"
    ]
    assert len(own) == 2
    assert all("URL" not in item and item["note"] == "Own document, not scored" for item in own)
    assert "document:" not in bibtex(entries(OWN_DOCUMENTS)) + ris(entries(OWN_DOCUMENTS))
    assert ris(entries(OWN_DOCUMENTS)).count("TY  - GEN") == 2


def test_one_address_is_one_record_and_no_two_keys_are_the_same() -> None:
    pages = [source(f"https://x.example/{n}", "The same", date="2024") for n in range(30)]
    book = source("", "No address")
    keys = [key for key, _ in keyed([*pages, *pages, book, book])]
    assert len(keys) == len(set(keys)) == 31
    assert keys[:3] == ["anon2024same", "anon2024samea", "anon2024sameb"]
    assert keys[26:-1] == ["anon2024samez", "anon2024samez2", "anon2024samez3", "anon2024samez4"]


@pytest.mark.parametrize(
    ("title", "authors", "key"),
    [
        ("Ménage à trois", ("Øystein Ünal",), "unalmenage"),
        ("The log", ("Łukasz Müller",), "mullerlog"),
        ("The The", (), "anonthe"),
        ("Depth", ("Ludwig van Beethoven", "Jane Doe"), "vanbeethovendepth"),
        ("Depth", ("World Health Organization",), "worlddepth"),
        ("中文", (), "anonuntitled"),
    ],
)
def test_keys_are_ascii_surname_and_first_telling_word(
    title: str, authors: tuple[str, ...], key: str
) -> None:
    assert [found for found, _ in keyed([source("https://a.example/", title, authors)])] == [key]


def test_records_stand_in_the_order_of_the_report_s_numbers() -> None:
    found = entries(FULL_REPORT)
    addresses = [source.url for source in FULL_REPORT.sources if source.number]
    assert [entry.url for entry in found] == addresses
    assert [item["URL"] for item in json.loads(csl_json(found))] == addresses
    assert [record["urls"][0] for record in rispy.loads(ris(found))] == addresses
    assert [entry["url"] for entry in bibtexparser.parse_string(bibtex(found)).entries] == addresses


def test_entries_have_the_authors_site_and_doi_that_their_page_states() -> None:
    said = Metadata(
        authors=("Jane {Doe}", "Gabriel García\u00a0Márquez", "World Health Organization"),
        site="Depth & Co",
        doi="10.1000/182",
    )
    first, *others = FULL_REPORT.sources
    (entry, *_) = entries(replace(FULL_REPORT, sources=(replace(first, metadata=said), *others)))
    read = ("Jane {Doe}", "Gabriel García Márquez", "World Health Organization")
    assert (tuple(each.whole for each in entry.authors), entry.container, entry.doi) == (
        read,
        said.site,
        said.doi,
    )
    names = "Jane \\textbraceleft{}Doe\\textbraceright{}"
    assert (
        f"author = {{{names.removeprefix('Jane ')}, Jane and García Márquez, Gabriel and {{World Health Organization}}}}"
        in bibtex([entry])
    )
    assert "journal = {Depth \\& Co}" in bibtex([entry])
    assert "AU  - García Márquez, Gabriel\r\nAU  - World Health Organization\r\n" in ris([entry])
    assert json.loads(csl_json([entry]))[0]["author"][1] == {"literal": "Gabriel García Márquez"}


def test_no_author_breaks_out_of_its_field() -> None:
    hostile = source(
        "https://a.example/", "T", ("Eve} and {Mallory\nER  - \r\nTY  - JOUR", "\\input{x}")
    )
    library = bibtexparser.parse_string(bibtex([hostile]))
    assert not library.failed_blocks
    assert len(library.entries) == 1
    assert len(rispy.loads(ris([hostile]))) == 1


def test_nothing_kept_is_an_empty_bibliography() -> None:
    assert (bibtex([]).strip(), ris([]), json.loads(csl_json([]))) == ("", "", [])
