"""The works registered at Crossref."""

from __future__ import annotations

from research_core.search.queries import PaperQuery
from research_core.search.records import Paper
from tests.contracts import Case

WORK = {
    "DOI": "10.1000/tea.1",
    "title": ["Tea &amp; <i>colds</i>"],
    "author": [{"given": "Ada", "family": "Moor"}, {"name": "The Tea Group"}],
    "container-title": ["Annals of Tea"],
    "issued": {"date-parts": [[2019, 3]]},
    "is-referenced-by-count": 0,
    "abstract": "<jats:title>Abstract</jats:title><jats:p>It helps.</jats:p><jats:p>A bit (p &amp;lt; 0.05).</jats:p>",
    "link": [
        {
            "URL": "https://tea.example/1.xml",
            "content-type": "text/xml",
            "intended-application": "text-mining",
        },
        {
            "URL": "https://tea.example/compare.pdf",
            "content-type": "application/pdf",
            "intended-application": "similarity-checking",
        },
        {
            "URL": "https://tea.example/1.pdf",
            "content-type": "application/pdf",
            "intended-application": "text-mining",
        },
    ],
    "updated-by": [{"type": "retraction", "DOI": "10.1000/notice", "source": "retraction-watch"}],
}
CASES = (
    Case(
        "crossref",
        "papers",
        PaperQuery("tea", year_from=2018, year_to=2020, source="nature", sort_by="date"),
        [
            (
                "api.crossref.org/works",
                {"status": "ok", "message": {"items": [{"DOI": "10.1000/tea.fig1"}, WORK]}},
            )
        ],
        [
            Paper(
                "Tea & colds",
                "https://doi.org/10.1000/tea.1",
                "crossref",
                doi="10.1000/tea.1",
                authors=("Ada Moor", "The Tea Group"),
                journal="Annals of Tea",
                year=2019,
                abstract="It helps. A bit (p < 0.05).",
                citation_count=0,
                pdf_url="https://tea.example/1.pdf",
                retracted=True,
            )
        ],
        [
            (
                "api.crossref.org/works",
                {"status": "ok", "message": {"total-results": 0, "items": []}},
            )
        ],
    ),
)
