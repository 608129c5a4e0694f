"""OpenAlex: works, and one step of their citations."""

from __future__ import annotations

from dataclasses import replace

from research_core.search.queries import CitationQuery, PaperQuery
from research_core.search.records import CitationEdge, Paper
from tests.contracts import Case

WORK = {
    "id": "https://openalex.org/W1",
    "doi": "https://doi.org/10.1000/TEA.1",
    "display_name": "Tea &amp; <i>colds</i>",
    "publication_year": 2019,
    "cited_by_count": 0,
    "is_retracted": True,
    "authorships": [
        {"author": {"display_name": "Ada Moor"}},
        {"author": {"display_name": "Bo Reed"}},
    ],
    "primary_location": {
        "source": {"display_name": "Annals of Tea"},
        "landing_page_url": "https://tea.example/1",
        "pdf_url": None,
    },
    "best_oa_location": {"pdf_url": "https://tea.example/1.pdf"},
    "open_access": {"is_oa": True, "oa_url": "https://tea.example/1"},
    "abstract_inverted_index": {"helps": [1], "Tea": [0, 2], "colds.": [3]},
}
PAPER = Paper(
    "Tea & colds",
    "https://doi.org/10.1000/tea.1",
    "openalex",
    doi="10.1000/tea.1",
    authors=("Ada Moor", "Bo Reed"),
    journal="Annals of Tea",
    year=2019,
    abstract="Tea helps Tea colds.",
    citation_count=0,
    open_access=True,
    pdf_url="https://tea.example/1.pdf",
    retracted=True,
)
SEED = {
    "id": "https://openalex.org/W9",
    "display_name": "On tea",
    "referenced_works": ["https://openalex.org/W1", "https://openalex.org/W2"],
}
EMPTY = {"meta": {"count": 0}, "results": []}
KEY = {"openalex_api_key": "an-openalex-key"}
CASES = (
    Case(
        "openalex",
        "papers",
        PaperQuery(
            "tea", year_from=2018, year_to=2020, source="nature", sort_by="date", open_access=True
        ),
        [("api.openalex.org/works", {"meta": {"count": 1}, "results": [WORK]})],
        [PAPER],
        [("api.openalex.org/works", EMPTY)],
        KEY,
    ),
    Case(
        "openalex",
        "citations",
        CitationQuery("10.1000/tea.9", direction="references"),
        [("/works/doi:10.1000/tea.9", SEED), ("api.openalex.org/works", {"results": [WORK]})],
        [CitationEdge("references", replace(PAPER), seed="On tea")],
        [
            ("/works/doi:10.1000/tea.9", SEED | {"referenced_works": []}),
            ("api.openalex.org/works", EMPTY),
        ],
        KEY,
    ),
)
