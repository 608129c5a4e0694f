"""A page as APA, MLA and BibTeX, byte for byte, and the DOI of a paper's page."""

from __future__ import annotations

from datetime import date

import bibtexparser
import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.citations.formats.apa import MAX_AUTHORS, format_apa
from research_core.citations.formats.item import Item
from research_core.citations.formats.mla import format_mla
from research_core.citations.formats.sources import build_source_item
from research_core.citations.formats.titles import UNTITLED
from research_core.citations.page_citation import build_citation, detect_doi, format_bibtex_entry
from research_core.models import Metadata, Page

READ = date(2026, 11, 22)
URL = "https://harbour.example.org/gauge"


def work(
    title: str = "The gauge",
    *authors: str,
    site: str = "Harbour Notes",
    day: str = "2015-05-27",
    doi: str = "",
) -> Item:
    return build_source_item(URL, title, authors, site, day, doi, READ.isoformat())


@pytest.mark.parametrize(
    ("cited", "in_apa", "in_mla"),
    [
        (
            work("The gauge", "Jane A. Doe"),
            f"Doe, J. A. (2015, May 27). The gauge. Harbour Notes. {URL}",
            f"Doe, Jane A. “The Gauge.” Harbour Notes, 27 May 2015, {URL}.",
        ),
        (
            work("The gauge", "Jane Doe", "John Q. Roe"),
            f"Doe, J., & Roe, J. Q. (2015, May 27). The gauge. Harbour Notes. {URL}",
            f"Doe, Jane, and John Q. Roe. “The Gauge.” Harbour Notes, 27 May 2015, {URL}.",
        ),
        (
            work("The gauge", "Jane Doe", "John Roe", "Max Moe", day="2015-09"),
            f"Doe, J., Roe, J., & Moe, M. (2015, September). The gauge. Harbour Notes. {URL}",
            f"Doe, Jane, et al. “The Gauge.” Harbour Notes, Sept. 2015, {URL}.",
        ),
        (
            work(
                "Deep learning",
                "Yann LeCun",
                "Yoshua Bengio",
                "Geoffrey Hinton",
                site="Nature",
                doi="10.1038/nature14539",
            ),
            "LeCun, Y., Bengio, Y., & Hinton, G. (2015, May 27). Deep learning. Nature. https://doi.org/10.1038/nature14539",
            "LeCun, Yann, et al. “Deep Learning.” Nature, 27 May 2015, https://doi.org/10.1038/nature14539.",
        ),
        (
            work(),
            f"The gauge. (2015, May 27). Harbour Notes. {URL}",
            f"“The Gauge.” Harbour Notes, 27 May 2015, {URL}.",
        ),
        (
            work("The gauge", "Jane Doe", day=""),
            f"Doe, J. (n.d.). The gauge. Harbour Notes. Retrieved November 22, 2026, from {URL}",
            f"Doe, Jane. “The Gauge.” Harbour Notes, {URL}. Accessed 22 Nov. 2026.",
        ),
        (
            work("On tides", "Jane Doe", day="", doi="10.1000/182"),
            "Doe, J. (n.d.). On tides. Harbour Notes. https://doi.org/10.1000/182",
            "Doe, Jane. “On Tides.” Harbour Notes, https://doi.org/10.1000/182. Accessed 22 Nov. 2026.",
        ),
        (
            work(
                "Air quality",
                "World Health Organization",
                site="World Health Organization",
                day="2020",
            ),
            f"World Health Organization. (2020). Air quality. {URL}",
            f"World Health Organization. “Air Quality.” 2020, {URL}.",
        ),
        (
            work("Speech", "Martin Luther King Jr.", "Mao Zedong"),
            f"King, M. L., Jr., & Mao, Z. (2015, May 27). Speech. Harbour Notes. {URL}",
            f"King, Martin Luther, Jr., and Mao Zedong. “Speech.” Harbour Notes, 27 May 2015, {URL}.",
        ),
        (
            work("Talks", "Mao Zedong", "Jane Doe"),
            f"Mao, Z., & Doe, J. (2015, May 27). Talks. Harbour Notes. {URL}",
            f"Mao Zedong and Jane Doe. “Talks.” Harbour Notes, 27 May 2015, {URL}.",
        ),
        (
            work("Letters", "Vincent van Gogh"),
            f"van Gogh, V. (2015, May 27). Letters. Harbour Notes. {URL}",
            f"van Gogh, Vincent. “Letters.” Harbour Notes, 27 May 2015, {URL}.",
        ),
        (
            work("Solitude", "Gabriel García\u00a0Márquez"),
            f"García Márquez, G. (2015, May 27). Solitude. Harbour Notes. {URL}",
            f"García Márquez, Gabriel. “Solitude.” Harbour Notes, 27 May 2015, {URL}.",
        ),
        (
            work("歌词", "蔡健雅"),
            f"蔡健雅. (2015, May 27). 歌词. Harbour Notes. {URL}",
            f"蔡健雅. “歌词.” Harbour Notes, 27 May 2015, {URL}.",
        ),
        (
            work("Is it “high”?", "fatima"),
            f"fatima. (2015, May 27). Is it “high”? Harbour Notes. {URL}",
            f"fatima. “Is It ‘High’?” Harbour Notes, 27 May 2015, {URL}.",
        ),
        (
            build_source_item("", "Field notes.", accessed=READ.isoformat()),
            "Field notes. (n.d.).",
            "“Field Notes.” Accessed 22 Nov. 2026.",
        ),
        (
            build_source_item(URL, "", accessed=READ.isoformat()),
            f"[Untitled page]. (n.d.). Retrieved November 22, 2026, from {URL}",
            f"[Untitled page]. {URL}. Accessed 22 Nov. 2026.",
        ),
    ],
)
def test_apa_and_mla(cited: Item, in_apa: str, in_mla: str) -> None:
    assert (format_apa(cited), format_mla(cited)) == (in_apa, in_mla)


def test_apa_names_twenty_authors_and_of_more_the_first_ones_and_the_last() -> None:
    names = [f"Ann {chr(65 + n)}arnes" for n in range(MAX_AUTHORS + 2)]
    all_of_them = format_apa(work("The gauge", *names[:MAX_AUTHORS]))
    assert all_of_them.count("arnes, A.") == MAX_AUTHORS
    assert "Sarnes, A., & Tarnes, A. (2015" in all_of_them
    assert "Sarnes, A., … Varnes, A. (2015" in format_apa(work("The gauge", *names))
    assert "Tarnes" not in format_apa(work("The gauge", *names))


def test_bibtex() -> None:
    assert format_bibtex_entry(
        work("The 50% gauge", "Jane Doe", "World Health Organization", doi="10.1000/182")
    ) == (
        "@article{doe201550,\n  title = {{The 50\\% gauge}},\n  author = {Doe, Jane and {World Health Organization}},\n"
        "  journal = {Harbour Notes},\n  year = {2015},\n  date = {2015-05-27},\n  doi = {10.1000/182},\n"
        f"  url = {{{URL}}},\n  urldate = {{2026-11-22}},\n}}"
    )


@pytest.mark.parametrize(
    ("url", "authors", "date", "key"),
    [
        ("https://www.reuters.com/world/tides-2024/", (), "", "reuterstides2024"),
        ("https://www.reuters.com/", (), "2024-03-01", "reuters2024untitled"),
        ("http://127.0.0.1:8000/a.json", (), "", "127001ajson"),
        ("https://example.org/x", ("Jane Doe",), "2024", "doe2024x"),
        ("https://xn--pple-43d.com/日本", (), "", "xnpple43duntitled"),
        ("", (), "", "anonuntitled"),
    ],
)
def test_page_without_a_title_is_called_the_same_in_every_style(
    url: str, authors: tuple[str, ...], date: str, key: str
) -> None:
    cited = build_source_item(url, "", authors, date=date)
    entry = format_bibtex_entry(cited)
    assert entry.startswith(f"@misc{{{key},\n  title = {{{{{UNTITLED}}}}},\n")
    assert UNTITLED in format_apa(cited)
    assert UNTITLED in format_mla(cited)


def page(text: str = "", **said: object) -> Page:
    facts = {name: said.pop(name) for name in ("authors", "site", "doi", "type") if name in said}
    return Page(
        **{"url": URL, "final_url": URL, "title": "The gauge", "text": text, **said},
        metadata=Metadata(**facts),
    )  # type: ignore[arg-type]


def test_the_citation_of_a_page() -> None:
    found = build_citation(
        page(authors=("Jane Doe", "John Roe"), site="Harbour Notes", published="2015-05-27"), READ
    )
    assert found == {
        "url": URL,
        "accessedDate": "2026-11-22",
        "metadata": {
            "title": "The gauge",
            "author": "Jane Doe; John Roe",
            "site": "Harbour Notes",
            "date": "2015-05-27",
        },
        "formatted": {
            "apa": f"Doe, J., & Roe, J. (2015, May 27). The gauge. Harbour Notes. {URL}",
            "mla": f"Doe, Jane, and John Roe. “The Gauge.” Harbour Notes, 27 May 2015, {URL}.",
            "bibtex": format_bibtex_entry(work("The gauge", "Jane Doe", "John Roe")),
        },
    }


def test_an_own_document_is_cited_without_an_address() -> None:
    own = "document:" + "a" * 64
    found = build_citation(page(url=own, final_url=own), READ)
    assert "document:" not in "".join(found["formatted"].values())


DAYS = st.sampled_from(["", "2015", "2015-05", "2015-05-27"])


@given(
    st.text(max_size=60), st.lists(st.text(max_size=40), max_size=25), st.text(max_size=30), DAYS
)
def test_no_text_breaks_a_citation(title: str, authors: list[str], site: str, day: str) -> None:
    found = build_citation(
        page(title=title, authors=tuple(authors), site=site, published=day), READ
    )
    assert all("\n" not in found["formatted"][style] for style in ("apa", "mla"))
    assert len(bibtexparser.parse_string(found["formatted"]["bibtex"]).entries) == 1


# ---------------------------------------------------------------- the DOI of a paper's page

PAPER = {"type": "peer_reviewed"}


@pytest.mark.parametrize(
    ("read", "found"),
    [
        (
            page(
                "See 10.1000/front.",
                **PAPER,
                structured={"citation": {"citation_doi": "https://doi.org/10.1000/tag"}},
            ),
            "10.1000/tag",
        ),
        (
            page(
                "See 10.1000/front.",
                **PAPER,
                final_url="https://journal.example.org/doi/full/10.1000/path",
            ),
            "10.1000/path",
        ),
        (
            page(
                "See 10.1000/front.", **PAPER, url="https://journal.example.org/doi/10.1000/asked"
            ),
            "10.1000/asked",
        ),
        (
            page("The gauge\n\ndoi: https://doi.org/10.1000/front.\n\nWe read it.", **PAPER),
            "10.1000/front",
        ),
        (
            page(
                "The gauge\n\n## References\n\n1. Doe, J. (2015). Tides. https://doi.org/10.1000/other\n",
                **PAPER,
            ),
            "",
        ),
        (page("We read it. " * 500 + "doi:10.1000/late", **PAPER), ""),
        (page("doi:10.1000/front", final_url="https://www.nejm.org/x"), "10.1000/front"),
        (page("doi:10.1000/front"), ""),
        (page("doi:10.1000/front", type="news_publication"), ""),
        (page("doi:10.1000/front", final_url="https://notnature.com/x"), ""),
        (page("", **PAPER), ""),
    ],
)
def test_the_doi_a_paper_s_page_declares(read: Page, found: str) -> None:
    assert detect_doi(read) == found


def test_a_doi_stands_out_of_its_markdown() -> None:
    assert detect_doi(page("[Tides](https://doi.org/10.1000/182) by Doe", **PAPER)) == "10.1000/182"
