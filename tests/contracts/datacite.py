"""The works registered at DataCite."""

from __future__ import annotations

from research_core.search.queries import PaperQuery
from research_core.search.records import Paper
from tests.contracts import Case

WORK = {
    "id": "10.5072/tea.1",
    "attributes": {
        "doi": "10.5072/tea.1",
        "titles": [{"title": "On tea"}],
        "creators": [
            {"name": "Moor, Ada", "givenName": "Ada", "familyName": "Moor"},
            {"name": "The Tea Group", "affiliation": []},
        ],
        "publisher": "University of the Bay",
        "container": {},
        "publicationYear": 2019,
        "descriptions": [
            {"description": "12 pages", "descriptionType": "Other"},
            {"description": "<p>It helps.</p>", "descriptionType": "Abstract"},
        ],
        "rightsList": [
            {"rights": "CC BY 4.0", "rightsUri": "https://creativecommons.org/licenses/by/4.0/"}
        ],
        "citationCount": 2,
    },
}
CASES = (
    Case(
        "datacite",
        "papers",
        PaperQuery("tea", year_from=2018, year_to=2020, source="arxiv", sort_by="date"),
        [("api.datacite.org/dois", {"data": [WORK], "meta": {"total": 1}})],
        [
            Paper(
                "On tea",
                "https://doi.org/10.5072/tea.1",
                "datacite",
                doi="10.5072/tea.1",
                authors=("Ada Moor", "The Tea Group"),
                journal="University of the Bay",
                year=2019,
                abstract="It helps.",
                citation_count=2,
                open_access=True,
            )
        ],
        [("api.datacite.org/dois", {"data": [], "meta": {"total": 0}})],
    ),
)
