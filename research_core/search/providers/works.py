"""Shared by providers of scholarly works: DOIs, links, and the `source` of a work.

Here a work's source is known by its DOI alone; some modules use a filter of their index.
"""

from __future__ import annotations

import re

from research_core.errors import SearchError
from research_core.urls import find_doi

#: DOI prefixes by source; PubMed registers none.
DOIS: dict[str, tuple[str, ...]] = {
    "arxiv": ("10.48550/arxiv.",),
    "pubmed": (),
    "ieee": ("10.1109/",),
    "nature": ("10.1038/",),
    "springer": ("10.1007/", "10.1023/", "10.1140/", "10.1186/"),
}
#: Web hosts by source.
HOSTS = {
    "arxiv": "arxiv.org",
    "pubmed": "pubmed.ncbi.nlm.nih.gov",
    "ieee": "ieeexplore.ieee.org",
    "nature": "nature.com",
    "springer": "link.springer.com",
}
WITHOUT_SOURCE = "Leave source out, or ask another provider."
_DOI_ORG = re.compile(r"https?://(?:dx\.|www\.)?doi\.org/", re.IGNORECASE)


def strip_doi(text: str) -> str:
    """Return the DOI in a text or URL, in lower case; "" if there is none."""
    return find_doi(text).lower()


def drop_doi_page(url: str) -> str:
    """Return the URL, unless it is a DOI's, which leads to a page and not to a PDF."""
    return "" if _DOI_ORG.match(url) else url


def is_from_source(source: str, doi: str) -> bool:
    """Return True if the work of this DOI is from this source."""
    return doi.startswith(DOIS[source])


def unsupported_source_error(name: str, source: str) -> SearchError:
    """Build the error of an index that cannot filter by this source."""
    sentence = f"{name} cannot tell which of its works are of the source {source!r}."
    return SearchError(sentence, kind="unsupported", next_step=WITHOUT_SOURCE)
