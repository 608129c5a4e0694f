"""BibTeX, RIS and CSL-JSON, to the rules of `format_bibliography`, each read back by a parser of
others.
"""

from __future__ import annotations

import json
from dataclasses import replace

import bibtexparser
import pytest
import rispy

from research_core.citations.formats.author_field import parse_author_field
from research_core.citations.formats.keys import assign_keys
from research_core.citations.formats.sources import build_source_item
from research_core.export.document import describe_source
from research_core.export.report_bibliography import (
    build_items,
    format_bibtex,
    format_csl_json,
    format_ris,
)
from research_core.models import ArchivedCopy, Attempt, Metadata
from tests.reports import FULL_REPORT, OWN_DOCUMENTS

PAPER = build_source_item(
    "https://doi.org/10.5555/3295222", "Attention: {Curly} & 50% of $x_1$", parse_author_field("Ashish Vaswani; Noam Shazeer and Parmar, Niki").people, "NIPS",  # noqa: E501
    "2017-06-12", "https://doi.org/10.5555/3295222", "2026-11-22", "Credibility score 0.86",
)  # fmt: skip
PAGE = build_source_item(
    "https://reef.example.org/log?a=1&b=%7Bx%7D#top",
    "Reef log",
    site="reef.example.org",
    date="2024",
)
OWN = build_source_item("document:" + "a" * 64, "Field notes.docx")


def test_bibtex_of_an_article_a_page_and_an_own_document() -> None:
    assert format_bibtex([PAGE, PAPER, OWN]) == (
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
    assert format_ris([PAGE, PAPER]) == (
        "TY  - ELEC\r\nTI  - Reef log\r\nPY  - 2024\r\nDA  - 2024\r\nT2  - reef.example.org\r\n"
        "UR  - https://reef.example.org/log?a=1&b=%7Bx%7D#top\r\nER  - \r\n\r\n"
        "TY  - JOUR\r\nTI  - Attention: {Curly} & 50% of $x_1$\r\nAU  - Vaswani, Ashish\r\nAU  - Shazeer, Noam\r\nAU  - Parmar, Niki\r\n"
        "PY  - 2017\r\nDA  - 2017/06/12\r\nT2  - NIPS\r\nDO  - 10.5555/3295222\r\nUR  - https://doi.org/10.5555/3295222\r\n"
        "Y2  - 2026/11/22\r\nN1  - Credibility score 0.86\r\nER  - \r\n"
    )


def test_csl_of_an_article_a_page_and_an_own_document() -> None:
    paper, page, own = json.loads(format_csl_json([PAPER, PAGE, OWN]))
    assert page == {
        "id": "anon2024reef", "type": "webpage", "title": "Reef log", "issued": {"date-parts": [[2024]]},
        "container-title": "reef.example.org", "URL": "https://reef.example.org/log?a=1&b=%7Bx%7D#top",
    }  # fmt: skip
    assert own == {"id": "anonfield", "type": "document", "title": "Field notes.docx"}
    assert paper["type"] == "article-journal"
    assert paper["author"] == [
        {"literal": "Ashish Vaswani"},
        {"literal": "Noam Shazeer"},
        {"family": "Parmar", "given": "Niki"},
    ]
    assert (paper["DOI"], paper["issued"], paper["accessed"]) == (
        "10.5555/3295222", {"date-parts": [[2017, 6, 12]]}, {"date-parts": [[2026, 11, 22]]},
    )  # fmt: skip


def test_parsers_of_others_read_all_of_it_back() -> None:
    found = build_items(FULL_REPORT)
    library = bibtexparser.parse_string(format_bibtex(found))
    assert not library.failed_blocks
    assert [entry.key for entry in library.entries] == [key for key, _ in assign_keys(found)]
    assert {entry["url"] for entry in library.entries} == {entry.url for entry in found}
    records = rispy.loads(format_ris(found))
    assert {record["title"] for record in records} == {entry.title for entry in found}
    assert {record["urls"][0] for record in records} == {entry.url for entry in found}


def test_entries_are_the_sources_kept_with_dates_and_scores() -> None:
    first, *others = build_items(FULL_REPORT)
    assert len(others) == FULL_REPORT.funnel["kept"] - 1
    assert first == build_source_item(
        "https://abyss.example.edu/dives",
        "Depth tags",
        (),
        "abyss.example.edu",
        "2024-05-01",
        "",
        "2026-09-21",
        "Credibility score 0.86",
    )


COPY = ArchivedCopy("https://web.archive.org/web/2019/x", "2019-03-04")


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        ("HTTP 404", "the page is gone (HTTP 404)"),
        ("HTTP 502", "the site's server failed (HTTP 502)"),
        ("no connection", "the site could not be reached"),
        ("", ""),
    ],
)
def test_an_archived_copy_is_named_with_the_reason_it_was_read(outcome: str, reason: str) -> None:
    attempts = (Attempt("html", outcome), Attempt("archive"))
    first, *others = FULL_REPORT.sources
    source = replace(first, archived=COPY, attempts=attempts)
    built = replace(FULL_REPORT, sources=(source, *others))
    copy = "an archived copy of 2019-03-04"
    note = f"read from {copy}, https://web.archive.org/web/2019/x"
    told = f"from {copy}: https://web.archive.org/web/2019/x"
    if reason:
        note += f", because {reason}"
        told += f" ({reason})"
    assert build_items(built)[0].note.endswith(f"; {note}")
    said = describe_source(source, built)
    assert told in said
    assert reason or f"{told} (" not in said


def test_own_document_is_neither_article_nor_page() -> None:
    own = [
        item
        for item in json.loads(format_csl_json(build_items(OWN_DOCUMENTS)))
        if item["type"] == "document"
    ]
    assert len(own) == 2
    assert all("URL" not in item and item["note"] == "Own document, not scored" for item in own)
    assert "document:" not in format_bibtex(build_items(OWN_DOCUMENTS)) + format_ris(
        build_items(OWN_DOCUMENTS)
    )
    assert format_ris(build_items(OWN_DOCUMENTS)).count("TY  - GEN") == 2


def test_one_address_is_one_record_and_no_two_keys_are_the_same() -> None:
    pages = [
        build_source_item(f"https://x.example/{n}", "The same", date="2024") for n in range(30)
    ]
    book = build_source_item("", "No address")
    keys = [key for key, _ in assign_keys([*pages, *pages, book, book])]
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
    assert [
        found for found, _ in assign_keys([build_source_item("https://a.example/", title, authors)])
    ] == [key]


def test_records_stand_in_the_order_of_the_report_s_numbers() -> None:
    found = build_items(FULL_REPORT)
    addresses = [source.url for source in FULL_REPORT.sources if source.number]
    assert [entry.url for entry in found] == addresses
    assert [item["URL"] for item in json.loads(format_csl_json(found))] == addresses
    assert [record["urls"][0] for record in rispy.loads(format_ris(found))] == addresses
    assert [
        entry["url"] for entry in bibtexparser.parse_string(format_bibtex(found)).entries
    ] == addresses


def test_entries_have_the_authors_site_and_doi_that_their_page_states() -> None:
    said = Metadata(
        authors=("Jane {Doe}", "Gabriel García\u00a0Márquez", "World Health Organization"),
        site="Depth & Co",
        doi="10.1000/182",
    )
    first, *others = FULL_REPORT.sources
    (entry, *_) = build_items(
        replace(FULL_REPORT, sources=(replace(first, metadata=said), *others))
    )
    read = ("Jane {Doe}", "Gabriel García Márquez", "World Health Organization")
    assert (tuple(each.full_name for each in entry.authors), entry.container, entry.doi) == (
        read,
        said.site,
        said.doi,
    )
    names = "Jane \\textbraceleft{}Doe\\textbraceright{}"
    assert (
        f"author = {{{names.removeprefix('Jane ')}, Jane and García Márquez, Gabriel and {{World Health Organization}}}}"
        in format_bibtex([entry])
    )
    assert "journal = {Depth \\& Co}" in format_bibtex([entry])
    assert "AU  - García Márquez, Gabriel\r\nAU  - World Health Organization\r\n" in format_ris(
        [entry]
    )
    assert json.loads(format_csl_json([entry]))[0]["author"][1] == {
        "literal": "Gabriel García Márquez"
    }


def test_no_author_breaks_out_of_its_field() -> None:
    hostile = build_source_item(
        "https://a.example/", "T", ("Eve} and {Mallory\nER  - \r\nTY  - JOUR", "\\input{x}")
    )
    library = bibtexparser.parse_string(format_bibtex([hostile]))
    assert not library.failed_blocks
    assert len(library.entries) == 1
    assert len(rispy.loads(format_ris([hostile]))) == 1


def test_nothing_kept_is_an_empty_bibliography() -> None:
    assert (format_bibtex([]).strip(), format_ris([]), json.loads(format_csl_json([]))) == (
        "",
        "",
        [],
    )
