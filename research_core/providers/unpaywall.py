"""Looks up at Unpaywall whether a work may be read freely, and where its PDF is. It searches nothing: a DOI is asked for, one at a time."""

from __future__ import annotations

from urllib.parse import quote

from research_core.deps import Http
from research_core.errors import SearchError
from research_core.providers.reply import address, changed, get_json, truth

NAME = "Unpaywall"
WORKS = "https://api.unpaywall.org/v2"
#: What `deps.Http.of` takes of it: its breaker's name, seconds between two calls (100,000 a day), seconds an answer is good for.
SERVICE, PACE_S, TTL_S = "unpaywall", 0.1, 86_400.0


def best_pdf(http: Http, email: str, doi: str) -> tuple[bool, str] | None:
    """(whether the work of this bare DOI is open, the address of its best PDF or ""); None where Unpaywall does not know the DOI.

    An open work may have a page and no PDF. Raises SearchError.
    """
    try:
        answer = get_json(http, NAME, f"{WORKS}/{quote(doi.lower(), safe='/')}", {"email": email})
    except SearchError as error:
        if error.status == 404:
            return None
        raise
    if not isinstance(answer, dict) or (is_open := truth(NAME, answer, "is_oa")) is None:
        raise changed(NAME, "it does not say whether the work is open")
    return is_open, address(NAME, answer, "best_oa_location", "url_for_pdf")
