"""Where each known defect of the server that the specification describes has its test here. Each
names a test by what it says.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from research_core.web.documents.kinds import read_body

HERE = Path(__file__).parents[2]
#: What went wrong there, and (file, test or bullet) of each test that fails if it does here.
DEFECTS: dict[str, tuple[tuple[str, str], ...]] = {
    "1 scrape_page does not know author, day and site of a page": (
        ("tools/test_scrape_page", "a citation is always present"),
        ("web/metadata/test_metadata", "test_authors"),
    ),
    "2 the same page twice in what search_and_scrape puts together": (
        (
            "tools/test_search_and_scrape",
            "copies of one text are in the combined text once, and say whose copy they are",
        ),
    ),
    "3 headings and repeated sentences are evidence": (
        (
            "citations/test_claims",
            "test_the_sentences_that_bear_on_a_claim_come_in_order_and_once_and_no_heading_is_one",
        ),
        ("tools/test_audit_bibliography", "a denial among the evidence is a cue"),
    ),
    "4 filters are ignored in silence": (
        (
            "search/providers/test_crossref_works",
            "test_sorting_by_date_is_asked_for_and_not_only_promised",
        ),
        (
            "search/providers/test_crossref_works",
            "test_open_access_is_said_to_be_ignored_since_crossref_does_not_know_it",
        ),
        ("tools/test_web_search", "exact_terms and exclude_terms reach the engine"),
    ),
    "5 wrong dates of patents": (
        (
            "tools/test_patent_search",
            "test_defect_5_filed_granted_and_published_are_each_only_what_they_are",
        ),
    ),
    "6 refused addresses are sent to a paid reader": (
        (
            "web/fetch/test_tiers",
            "test_no_address_that_leads_inwards_is_named_to_a_third_party_or_drawn",
        ),
        (
            "citations/checks/test_links",
            "test_a_name_of_a_network_of_one_s_own_is_named_to_nobody_else",
        ),
    ),
    "7 a portal that was not looked up is one": (
        (
            "tools/test_brand_research",
            "a name that could not be looked up, or an answer that did not come, is no portal: it could not be checked, and that is said",
        ),
    ),
    "8 cite keys by given names, and names cut": (
        (
            "tools/test_format_bibliography",
            "cite keys are surname, year, first telling word, without collisions",
        ),
        ("export/test_report_bibliography", "test_keys_are_ascii_surname_and_first_telling_word"),
    ),
    "9 a retracted work is confirmed, a missing one well": (
        ("tools/test_verify_citation", "a retracted work is never confirmed"),
        (
            "tools/test_audit_bibliography",
            "a DOI that is registered nowhere is not found, whatever its link does",
        ),
    ),
    "10 authority is read anywhere in an address": (
        ("web/metadata/test_classify", "test_authority_is_of_the_host_alone"),
    ),
    "11 a line that speaks of hiding is taken out, hidden text is not": (
        ("web/html/test_visibility", "test_hidden_text_goes"),
    ),
    "12 one word in common is some of a claim": (
        ("citations/test_claims", "test_coverage_and_the_strongest_sentence"),
        ("citations/test_claims", "test_figures_count_as_terms"),
    ),
    "13 a service that rests is asked by everybody at once": (
        (
            "journal/test_circuit_breaker",
            "test_whatever_the_order_one_probe_is_under_way_at_most_and_no_end_of_a_call_ends_a_rest",
        ),
    ),
    "14 of a lens the first ten domains": (
        (
            "tools/test_web_search",
            "a lens without a cx puts site: operators into the query of the configured provider, for all its domains (defect 14)",
        ),
    ),
    "15 addresses that lead inwards by IPv6": (
        ("web/http/test_guard", "test_an_address_is_as_public_as_what_it_carries"),
    ),
    "16 filing dates, zeros and units of figures": (
        (
            "tools/test_filing_search",
            "of a fact filingDate is the day it was filed and periodOfReport the end of its period",
        ),
        (
            "tools/test_filing_search",
            "the unit is the one the company reports in, not the first of the alphabet",
        ),
        (
            "tools/test_filing_search",
            "the list of tickers is fetched once and kept; its failure is not remembered",
        ),
    ),
    "17 abstracts cut within a character, the oldest rows kept": (
        (
            "tools/test_academic_search",
            "abstracts have up to 500 characters, cut between words and never within a character",
        ),
        (
            "tools/test_econ_search",
            "observations of the OECD keep the granularity of their time, and the newest survive (defect 17)",
        ),
        (
            "tools/test_patent_search",
            "test_defect_17_no_abstract_is_cut_inside_a_character_nor_at_all",
        ),
    ),
    "18 no citation is looked up": (
        ("tools/test_legal_search", "a citation is looked up as one where there is a token"),
        ("tools/test_verify_citation", "a case is looked up where it is cited"),
    ),
    "19 workspaces cannot be used over standard input": (
        ("userdata/test_userdata", "test_a_terminal_consents_tells_and_erases"),
    ),
    "20 days and DOIs as APA does not have them": (
        ("citations/test_page_citation", "test_apa_and_mla"),
    ),
}


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_has_its_test(defect: str) -> None:
    for file, test in DEFECTS[defect]:
        said = " ".join((HERE / f"{file}.py").read_text(encoding="utf-8").split())
        assert test in said, f"{file} no longer has {test!r}"


def test_a_text_about_style_sheets_keeps_its_lines() -> None:
    """Number 11: a line that only speaks of hiding is no hidden text."""
    words = "Write display:none to hide a box, and font-size:0 to hide its words."
    page = f"<html><body><main><article><h1>CSS</h1><p>{words}</p></article></main>"
    text = read_body(page.encode(), "https://css.example.org/", "text/html").text
    assert words in text


def test_every_defect_is_here() -> None:
    assert [int(name.split()[0]) for name in DEFECTS] == list(range(1, 21))
