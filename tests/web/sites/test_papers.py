"""Papers: arXiv, PubMed and PubMed Central. Records as the sources state them, full texts with
their structure, references told apart.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date as Day
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from research_core.citations.page_citation import build_citation
from research_core.errors import FetchError
from research_core.model_messages import Json
from research_core.models import Attempt, HttpReply, Page
from research_core.text.passages import select_passages
from research_core.web.documents.sandbox import SHARED_SANDBOX, Sandbox
from research_core.web.documents.tally import HiddenTextTally
from research_core.web.html import MAX_IN_PROCESS_BYTES
from research_core.web.sites import arxiv, captions, jats, latexml, pubmed
from research_core.web.sites.layout import read_html_paragraphs
from research_core.web.sites.service import MAX_NAMES
from tests.everyday import mark_first_everyday
from tests.site_replies import (
    ARXIV,
    ARXIV_API,
    NCBI,
    PDF,
    Answer,
    Services,
    body,
    outcome,
    read,
    reply,
)

URL = "https://arxiv.org/abs/2403.01234v2"
READ = Day(2026, 11, 22)
RECORD: dict[str, Answer] = {ARXIV_API: "arxiv/query.xml"}


# ---------------------------------------------------------------- arXiv


def test_a_paper_is_its_record_and_the_text_of_its_html() -> None:
    page = read(URL, Services({**RECORD, f"{ARXIV}/html": "arxiv/paper.html"}))
    about = page.metadata
    assert (page.title, page.kind, page.published, about.modified) == (
        "Reading Tide Gauges with Little Data",
        "html",
        "2024-03-02",
        "2024-05-01",
    )
    assert (about.authors, about.site, about.doi, about.cut) == (
        ("Ana Mole", "Ben de Quay"),
        "arXiv",
        "10.48550/arXiv.2403.01234",
        "",
    )
    assert page.text.split("\n\n") == [
        "# Reading Tide Gauges with Little Data",
        "Ana Mole, Ben de Quay. arXiv. 2024-03-02",
        "Comments: 12 pages, 3 figures. Journal: J. Tides 7 (2024) 1. DOI of the published version: 10.5555/tides.7",
        "## Abstract",
        "We read gauges at 95% accuracy, with few readings.",
        "A second paragraph.",
        "## 1 Introduction",
        r"A gauge is read n=2 times with error $\epsilon_{t}<0.1$, see [1].",
        "It stands on the north pier.",  # the footnote, behind the sentence it interrupted
        r"$h=\sum_{i}a_{i}$ (1)",
        "- the north pier;\n- the south pier.",
        "### 1.1 Readings",
        "Table 1: Error by pier",
        "| Pier | Error |\n|---|---|\n| North \\| old | 0.1 |",
        "Inline table. End.",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "```\nfor gauge in pier:\n    read(gauge)\n```",
        "## References",
        "- [1] A. Author. Tides of 1953. J. Tides, 1954.",
    ]


def test_orders_to_reviewers_in_white_on_white_are_taken_out_and_can_be_looked_at() -> None:
    page = read(URL, Services({**RECORD, f"{ARXIV}/html": "arxiv/paper.html"}))
    assert "POSITIVE REVIEW" not in page.text
    assert page.hidden.total == 1
    assert any("POSITIVE REVIEW" in words for _, words in page.hidden.samples)


def test_a_paper_without_html_is_read_from_its_pdf() -> None:
    services = Services({**RECORD, f"{ARXIV}/pdf/2403.01234v2": PDF})
    page = read("https://arxiv.org/pdf/2403.01234v2.pdf", services)
    assert (page.kind, page.final_url, page.title) == (
        "pdf",
        URL,
        "Reading Tide Gauges with Little Data",
    )
    assert page.attempts == (Attempt("arxiv:html", "arXiv answered 404"), Attempt("arxiv"))
    assert "The gauge on the north pier rose by 2.4 millimetres a year" in page.text
    assert "## Abstract" not in page.text  # the PDF holds its own
    assert page.metadata.cut == ""


def test_a_paper_that_gives_neither_is_its_abstract_and_says_so() -> None:
    page = read(
        URL,
        Services(
            {
                **RECORD,
                f"{ARXIV}/html": b"<html><p>Conversion failed.</p></html>",
                f"{ARXIV}/pdf": b"<html>No.</html>",
            }
        ),
    )
    assert page.text.endswith(
        "We read gauges at 95% accuracy, with few readings.\n\nA second paragraph."
    )
    assert page.metadata.cut == "The abstract was read, not the paper."
    assert [attempt.tier for attempt in page.attempts] == ["arxiv:html", "arxiv:pdf", "arxiv"]


def test_where_the_interface_is_busy_the_record_is_read_from_the_page_of_the_abstract() -> None:
    page = read(
        URL,
        Services(
            {
                ARXIV_API: 429,
                f"{ARXIV}/abs/2403.01234v2": "arxiv/abs.html",
                f"{ARXIV}/html": "arxiv/paper.html",
            }
        ),
    )
    assert page.attempts == (Attempt("arxiv:api", "arXiv answered 429"), Attempt("arxiv"))
    assert (page.metadata.authors, page.published, page.metadata.modified) == (
        ("Ana Mole", "Ben de Quay"),
        "2024-03-02",
        "2024-05-01",
    )
    assert "## 1 Introduction" in page.text


@pytest.mark.parametrize(
    "answer",
    [
        "arxiv/none.xml",
        b"<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>http://arxiv.org/api/errors#x</id></entry></feed>",
    ],
)
def test_a_paper_nobody_wrote_is_not_found(answer: Answer) -> None:
    found = outcome(URL, Services({ARXIV_API: answer}))
    assert isinstance(found, FetchError)
    assert found.kind == "not_found"


def test_an_old_identifier_is_asked_for_as_it_is() -> None:
    services = Services(RECORD)
    page = read("https://arxiv.org/abs/hep-th/9901001v3", services)
    assert services.asked[0] == f"GET {ARXIV_API}?id_list=hep-th%2F9901001v3&max_results=1"
    assert (page.final_url, page.metadata.doi) == (
        "https://arxiv.org/abs/hep-th/9901001v3",
        "10.48550/arXiv.hep-th/9901001",
    )


def test_of_thousands_of_authors_the_first_hundred_are_kept_and_a_few_shown() -> None:
    authors = b"".join(b"<author><name>A%d</name></author>" % n for n in range(3000))
    raw = body("arxiv/query.xml").replace(b"<author><name>Ana Mole</name></author>", authors)
    page = read(URL, Services({ARXIV_API: raw}))
    assert len(page.metadata.authors) == MAX_NAMES
    assert "A19 et al. arXiv" in page.text
    assert "A20" not in page.text


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("n=2", "n=2"),
        (r"95\%", "95%"),
        ("x", "x"),
        (r"\alpha", r"$\alpha$"),
        ("x_{1}", "$x_{1}$"),
        (" a \n b ", "a b"),
        ("", ""),
    ],
)
def test_formulas_are_tex_and_what_is_none_is_not(source: str, shown: str) -> None:
    assert latexml.format_tex(source) == shown


def test_a_long_paper_is_read_in_a_child_and_reads_the_same() -> None:
    raw = body("arxiv/paper.html")
    start, end = raw.index(b'<section id="S1"'), raw.index(b'<section id="bib"')
    long = raw[:start] + raw[start:end] * 100 + raw[end:]
    assert len(long) > MAX_IN_PROCESS_BYTES
    page = read(URL, Services({**RECORD, f"{ARXIV}/html": long}))
    assert page.text.count("## 1 Introduction") == 100
    assert page.text.endswith(latexml.read(long, "u").text)


def test_no_more_than_3_mb_of_a_paper_are_read_and_the_rest_is_owned_up_to() -> None:
    raw = body("arxiv/paper.html")
    long = raw.replace(
        b"</article>", b"<p class='ltx_p'>" + b"x" * latexml.MAX_BYTES + b"</p></article>"
    )
    assert latexml.read(long, "u").metadata.cut == latexml.CUT_MESSAGE


@given(st.binary(max_size=400), st.integers(0, 4000))
@example(b"\x01", 1706)
@example(b"&#1;", 1706)
def test_whatever_stands_in_a_paper_its_text_is_clean(put: bytes, at: int) -> None:
    raw = body("arxiv/paper.html")
    found = outcome(URL, Services({**RECORD, f"{ARXIV}/html": raw[:at] + put + raw[at:]}))
    assert isinstance(found, Page)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202e]", found.text)


class Counting(Sandbox):
    """The children of this process, and the jobs they were given."""

    jobs = 0

    def run(self, reader: str, body: bytes, **options: Any) -> Json:
        self.jobs += 1
        return SHARED_SANDBOX.run(reader, body, **options)


#: How each reader's answer that a C library parses is read: its file, and the function.
PARSED: dict[str, Callable[[HttpReply, Sandbox], Any]] = {
    "arxiv/query.xml": arxiv.parse_api_record,
    "arxiv/abs.html": arxiv.parse_page_record,
    "pubmed/abstract.xml": lambda said, sandbox: pubmed.parse_abstract_reply(
        said, ABSTRACT, "30000001", sandbox
    ),
    "pubmed/pmc.xml": lambda said, sandbox: pubmed.parse_article_reply(said, "7000001", sandbox),
    "youtube/captions.xml": lambda said, sandbox: captions.parse_cues(said.body, sandbox),
    "youtube/captions.json": lambda said, sandbox: captions.parse_cues(said.body, sandbox),
}


@pytest.mark.parametrize("name", PARSED)
def test_a_long_answer_is_parsed_in_a_child_and_reads_the_same(name: str) -> None:
    sandbox = Counting()
    short = PARSED[name](reply(name), sandbox)
    assert sandbox.jobs == 0
    assert PARSED[name](reply(body(name) + b"\n" * MAX_IN_PROCESS_BYTES), sandbox) == short
    assert sandbox.jobs == 1


@pytest.mark.parametrize("name", [name for name in PARSED if name.startswith(("arxiv", "pubmed"))])
def test_a_long_answer_nobody_promised_fails_in_a_child_as_it_does_here(name: str) -> None:
    found = []
    for answer in (b"<note>no</note>", b"<note>no</note>" + b"\n" * MAX_IN_PROCESS_BYTES):
        with pytest.raises(FetchError) as failure:
            PARSED[name](reply(answer), SHARED_SANDBOX)
        found.append((failure.value.kind, failure.value.message))
    assert found[0] == found[1]
    assert found[0][0] == "bad_reply"


def test_long_captions_that_are_none_say_so() -> None:
    for answer in (b"no", b"{", b"<a>"):
        with pytest.raises(ValueError, match=r"neither|broken"):
            captions.parse_cues(answer + b" " * MAX_IN_PROCESS_BYTES)


def test_a_comment_of_a_book_s_length_is_not_parsed_here() -> None:
    with pytest.raises(FetchError) as failure:
        read_html_paragraphs("x" * (MAX_IN_PROCESS_BYTES + 1), HiddenTextTally())
    assert failure.value.kind == "too_large"


# ---------------------------------------------------------------- PubMed

ABSTRACT = "https://pubmed.ncbi.nlm.nih.gov/30000001/"


def abstract(answer: Answer = "pubmed/abstract.xml", id: str = "30000001") -> Page:
    return pubmed.parse_abstract_reply(reply(answer), ABSTRACT, id)


def test_a_record_of_pubmed_is_its_abstract_with_journal_day_and_doi() -> None:
    page = read(ABSTRACT, Services({NCBI: "pubmed/abstract.xml"}))
    about = page.metadata
    assert page.title == "Sea air and the reading of gauges: CO2 at the pier."
    assert (about.authors, about.site, about.doi) == (
        ("Ana B Mole", "Pier Group"),
        "Journal of tides",
        "10.5555/tides.2019.7",
    )
    assert (page.published, about.language, about.type) == ("2019-03-05", "en", "peer_reviewed")
    assert about.retracted == "PubMed"
    assert page.text.split("\n\n")[1:] == [
        "Ana B Mole, Pier Group. Journal of tides. 2019-03-05. doi:10.5555/tides.2019.7",
        "- Retracted: J tides. 2020 Jan;8(1):1 (PMID 31000001)",
        "## Abstract",
        "BACKGROUND: Gauges drift & fade.",
        "RESULTS: Of 40 gauges, 12 (30%) drifted.",
    ]


def test_a_preprint_is_not_called_reviewed() -> None:
    raw = body("pubmed/abstract.xml").replace(b"Journal Article", b"Preprint")
    assert abstract(raw).metadata.type == ""


@pytest.mark.parametrize("answer", ["pubmed/none.xml"])
def test_a_record_pubmed_does_not_have_is_not_found(answer: str) -> None:
    with pytest.raises(FetchError) as failure:
        abstract(answer)
    assert failure.value.kind == "not_found"
    with pytest.raises(FetchError) as failure:
        abstract(id="30000002")  # it answered with another
    assert failure.value.kind == "not_found"


@pytest.mark.parametrize(
    ("date", "day"),
    [
        ("<Year>2019</Year><Month>03</Month><Day>5</Day>", "2019-03-05"),
        ("<Year>2019</Year><Month>Dec</Month>", "2019-12"),
        ("<Year>2019</Year><Season>Summer</Season><Day>5</Day>", "2019"),
        ("<Year>2019</Year><Month>13</Month><Day>5</Day>", "2019"),
        ("<Year>2019</Year><Month>0</Month><Day>5</Day>", "2019"),
        ("<Year>2019</Year><Month>Feb</Month><Day>31</Day>", "2019-02"),
        ("<MedlineDate>1998 Jul-Aug</MedlineDate>", "1998"),
        ("<MedlineDate>Spring</MedlineDate>", ""),
        ("", ""),
    ],
)
def test_a_journal_s_date_as_far_as_it_is_said(date: str, day: str) -> None:
    raw = re.sub(
        rb"<PubDate>.*?</PubDate>",
        f"<PubDate>{date}</PubDate>".encode(),
        body("pubmed/abstract.xml"),
    )
    assert abstract(raw).published == day


# ---------------------------------------------------------------- PubMed Central

ARTICLE = "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC7000001/"


def test_an_article_has_its_headings_tables_and_references() -> None:
    page = read(ARTICLE, Services({NCBI: "pubmed/pmc.xml"}))
    about = page.metadata
    assert (page.title, page.published) == ("Sea air and the reading of gauges", "2019-03-05")
    assert (about.authors, about.site, about.doi) == (
        ("Ana B. Mole", "Pier Group"),
        "Journal of tides",
        "10.5555/tides.2019.7",
    )
    assert (about.language, about.type, about.cut) == ("en", "peer_reviewed", "")
    assert page.final_url == "https://pmc.ncbi.nlm.nih.gov/articles/PMC7000001/"
    assert page.text.split("\n\n")[2:] == [
        "## Abstract",
        "### Background",
        "Gauges drift.",
        "### Results",
        "Of 40 gauges, 12 (30%) drifted.",
        "## 1 Introduction",
        r"A gauge is read twice a day (1), with $\epsilon_t < 0.1$ error. It stands on the pier.",
        "Table 1. Error by pier. In metres",
        "| Pier | Error |\n|---|---|\n| North | 0.1 |",
        "* Since 1953.",
        "- north pier\n- south pier",
        "### Readings",
        "They are high.",
        "Figure 1. The pier",
        "Figure 2. The other pier",
        "## Thanks",
        "To the pier.",
        "## References",
        "- [1] Author A, et al. Tides of 1953. J Tides. 1954;1:1–9. doi:10.5555/other.\n- Quay B. Piers. 2001.",
    ]


@pytest.mark.parametrize(
    ("date", "day", "apa"),
    [
        ("<day>5</day><month>3</month><year>2019</year>", "2019-03-05", "(2019, March 5)"),
        ("<day>4</day><month>Mar</month><year>2020</year>", "2020-03-04", "(2020, March 4)"),
        ("<day>5</day><month>13</month><year>2019</year>", "2019", "(2019)"),
        ("<day>5</day><month>0</month><year>2019</year>", "2019", "(2019)"),
        ("<day>31</day><month>2</month><year>2019</year>", "2019-02", "(2019, February)"),
        ("<day>5</day><year>2019</year>", "2019", "(2019)"),
        ("<month>3</month><year>19</year>", "", "(n.d.)"),
    ],
)
def test_an_article_is_of_the_day_the_calendar_has_and_is_cited_so(
    date: str, day: str, apa: str
) -> None:
    raw = re.sub(
        rb"<pub-date.*</pub-date>", f"<pub-date>{date}</pub-date>".encode(), body("pubmed/pmc.xml")
    )
    page = read(ARTICLE, Services({NCBI: raw}))
    assert page.published == day
    assert apa in build_citation(page, READ)["formatted"]["apa"]


@pytest.mark.parametrize(
    ("url", "answers"),
    [(ARTICLE, {NCBI: "pubmed/pmc.xml"}), (URL, {**RECORD, f"{ARXIV}/html": "arxiv/paper.html"})],
)
def test_no_passage_is_taken_from_the_references(url: str, answers: dict[str, Answer]) -> None:
    page = read(url, Services(answers))
    assert "Tides of 1953" in page.text
    chosen = select_passages("Which tides of 1953 did the pier's gauge read?", page.text)
    assert chosen
    assert not any("Tides of 1953" in passage.text for passage in chosen)


CLOSED = {NCBI: "pubmed/pmc-closed.xml"}
WHOLE = (
    b"<html><title>Sea air</title><article><h1>Sea air</h1>"
    + b"<p>The gauge was read twice a day, in every weather.</p>" * 9
    + b"</article>"
)


def test_an_article_that_is_given_to_no_program_is_read_from_its_page() -> None:
    page = read(
        ARTICLE, Services({**CLOSED, "https://pmc.ncbi.nlm.nih.gov/articles/PMC7000001/": WHOLE})
    )
    assert "The gauge was read twice a day, in every weather." in page.text
    assert page.metadata.doi == "10.5555/tides.2019.7"
    assert page.attempts == (Attempt("pubmed"),)


@pytest.mark.parametrize(
    "answer",
    [
        403,
        b"<html><title>Checking your browser - reCAPTCHA</title><div class='g-recaptcha'></div>Checking your browser</html>",
    ],
)
def test_an_article_whose_page_is_guarded_too_is_its_abstract_and_says_so(answer: Answer) -> None:
    page = read(ARTICLE, Services({**CLOSED, "https://pmc.ncbi.nlm.nih.gov/articles/": answer}))
    assert page.text.endswith("Of 40 gauges, 12 (30%) drifted.")
    assert page.metadata.cut == "The abstract was read, not the article."
    assert page.attempts[0].tier == "pmc:page"


@pytest.mark.parametrize(
    "answer",
    [
        "pubmed/pmc-none.xml",
        b"<pmc-articleset></pmc-articleset>",
        b"<pmc-articleset><error>x</error></pmc-articleset>",
    ],
)
def test_an_article_that_is_not_there_is_not_found(answer: Answer) -> None:
    with pytest.raises(FetchError) as failure:
        read(ARTICLE, Services({NCBI: answer}))
    assert failure.value.kind == "not_found"


def test_another_article_is_never_taken_for_the_one_asked_for() -> None:
    with pytest.raises(FetchError) as failure:
        pubmed.parse_article_reply(reply("pubmed/pmc.xml"), "7000002")
    assert failure.value.kind == "not_found"


@pytest.mark.parametrize(
    ("citation", "said"),
    [
        (
            "<mixed-citation>A. B. <italic>C</italic>. 2001;1:2.</mixed-citation>",
            "A. B. C. 2001;1:2.",
        ),
        (
            "<element-citation><collab>WHO</collab><source>Report</source><year>2020</year></element-citation>",
            "WHO. Report. 2020.",
        ),
        (
            "<element-citation><source>Report</source><fpage>7</fpage></element-citation>",
            "Report. 7.",
        ),
        ("<element-citation><comment>Personal note</comment></element-citation>", "Personal note"),
    ],
)
def test_a_reference_is_one_line(citation: str, said: str) -> None:
    raw = body("pubmed/pmc.xml").replace(b"<ref-list>", f"<ref-list><ref>{citation}</ref>".encode())
    assert f"\n- {said}\n" in pubmed.parse_article_reply(reply(raw), "7000001").text


@pytest.mark.parametrize(
    "answer",
    [
        b"<!DOCTYPE a [<!ENTITY b 'b'>]><pmc-articleset/>",
        b"<pmc-articleset><article/></pmc-articleset>",
        b"<x>" * 5000,
    ],
)
def test_xml_that_is_a_trap_or_something_else_is_refused(answer: bytes) -> None:
    with pytest.raises(FetchError) as failure:
        pubmed.parse_article_reply(reply(answer), "7000001")
    assert failure.value.kind in ("bad_reply", "not_found")


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "text",
    mark_first_everyday(
        [
            b"<p>" + b"<table-wrap><label>x</label></table-wrap>b" * 20_000 + b"</p>",
            b"<p>" + b"<label>a</label>b" * 40_000 + b"</p>",
            (b"<sec><title>a</title>" * 200 + b"</sec>" * 200) * 40,
            b"<p>" + b"<graphic/>b" * 60_000 + b"</p>",
            b"<list>" + b"<list-item><p>a</p></list-item>" * 20_000 + b"</list>",
        ],
        2,
    ),
    ids=["tables", "labels", "sections", "graphics", "items"],
)
def test_no_article_takes_longer_than_its_length(text: bytes) -> None:
    raw = re.sub(
        rb"<body>.*</body>",
        lambda _: b"<body>" + text + b"</body>",
        body("pubmed/pmc.xml"),
        flags=re.DOTALL,
    )
    assert isinstance(pubmed.parse_article_reply(reply(raw), "7000001"), jats.JatsArticle)
