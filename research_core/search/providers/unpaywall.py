"""Look up by DOI at Unpaywall whether a work is free to read, and where its PDF is."""

from __future__ import annotations

from urllib.parse import quote

from research_core.journal.deps import Http
from research_core.search.providers.reply import (
    changed_format_error,
    parse_json,
    read_flag,
    read_url,
    refusal_error,
    request,
)

NAME = "Unpaywall"
WORKS = "https://api.unpaywall.org/v2"
#: Arguments of `deps.Http.for_service`: breaker name, seconds between calls (100,000 a day are
#: allowed), seconds an answer stays valid.
SERVICE, PACE_S, TTL_S = "unpaywall", 0.1, 86_400.0


def find_best_pdf(http: Http, email: str, doi: str) -> tuple[bool, str] | None:
    """Return (whether the work is open, its best PDF's URL or ""); None if unknown.

    doi: bare. An open work may have a page and no PDF. Raises SearchError, also for a 404 that is a
    web page: then the service has moved.
    """
    reply = request(
        http, NAME, f"{WORKS}/{quote(doi.lower(), safe='/')}", {"email": email}, also=(404,)
    )
    if reply.status == 404 and not reply.body.lstrip().startswith(b"<"):
        return None
    if reply.status == 404:
        raise refusal_error(NAME, reply)
    answer = parse_json(NAME, reply)
    if not isinstance(answer, dict) or (is_open := read_flag(NAME, answer, "is_oa")) is None:
        raise changed_format_error(NAME, "it does not say whether the work is open")
    return is_open, read_url(NAME, answer, "best_oa_location", "url_for_pdf")
