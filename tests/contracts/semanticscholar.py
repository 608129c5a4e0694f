"""Semantic Scholar: works, and one step of their citations."""

from __future__ import annotations

from dataclasses import replace

from research_core.search.queries import CitationQuery, PaperQuery
from research_core.search.records import CitationEdge, Paper
from tests.contracts import Case

WORK = {
    "paperId": "ab12",
    "title": "Tea and colds",
    "externalIds": {"DOI": "10.1038/TEA.1", "ArXiv": "1901.00001"},
    "url": "https://www.semanticscholar.org/paper/ab12",
    "abstract": "Tea helps.",
    "venue": "Annals of Tea",
    "year": 2019,
    "citationCount": 0,
    "influentialCitationCount": 2,
    "isOpenAccess": True,
    "openAccessPdf": {"url": "https://tea.example/1.pdf"},
    "authors": [{"name": "Ada Moor"}, {"name": "Bo Reed"}],
    "tldr": {"text": "Tea."},
}
BARE = {"paperId": "cd34", "title": "Coffee", "influentialCitationCount": 0}
PAPER = Paper(
    "Tea and colds",
    "https://doi.org/10.1038/tea.1",
    "semanticscholar",
    doi="10.1038/tea.1",
    authors=("Ada Moor", "Bo Reed"),
    journal="Annals of Tea",
    year=2019,
    abstract="Tea helps.",
    citation_count=0,
    open_access=True,
    pdf_url="https://tea.example/1.pdf",
    tldr="Tea.",
    is_influential=True,
)
EDGES = [
    {"isInfluential": False, "intents": [], "citingPaper": BARE},
    {"isInfluential": True, "intents": ["background", "methodology"], "citingPaper": WORK},
]
CASES = (
    Case(
        "semanticscholar",
        "papers",
        PaperQuery(
            "tea", year_from=2018, year_to=2020, source="nature", sort_by="date", open_access=True
        ),
        [("/paper/search", {"total": 2, "offset": 0, "data": [WORK, BARE]})],
        [PAPER],
        [("/paper/search", {"total": 0, "offset": 0})],
        {"semantic_scholar_api_key": "a-semantic-scholar-key"},
    ),
    Case(
        "semanticscholar",
        "citations",
        CitationQuery("10.1000/tea.9", direction="cited_by", influential_only=True),
        [("/paper/DOI:10.1000/tea.9/", {"offset": 0, "data": EDGES})],
        [CitationEdge("cited_by", replace(PAPER, citation_intents=("background", "methodology")))],
        [("/paper/DOI:10.1000/tea.9/", {"offset": 0, "data": []})],
    ),
)
