"""Fetch JSON from EDGAR, build filing URLs, and filter filings by form and date."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from research_core.journal.deps import Http
from research_core.search.providers.reply import (
    NOTHING,
    changed_format_error,
    parse_json,
    refusal_error,
    request,
)
from research_core.search.queries import FilingQuery

NAME = "SEC EDGAR"
ARCHIVES = "https://www.sec.gov/Archives/edgar/data"
MAX_BYTES, TIMEOUT_S = 10_000_000, 20.0
NEXT_STEPS = {
    "auth_required": (
        "The SEC refuses programs whose e-mail address it does not like: look at"
        " EDGAR_CONTACT_EMAIL."
    )
}
#: Texts for an unknown file, and for more than ten calls a second.
NO_SUCH_FILE, TOO_FAST = b"NoSuchKey", b"Request Rate Threshold"


def fetch_json(http: Http, url: str, params: Mapping[str, str] = NOTHING) -> Any:
    """Return the JSON at an EDGAR URL; None if EDGAR has no such file.

    Raises SearchError.
    """
    reply = request(
        http,
        NAME,
        url,
        params,
        max_bytes=MAX_BYTES,
        timeout_s=TIMEOUT_S,
        next_steps=NEXT_STEPS,
        also=(403, 404),  # what they mean is said in the body
    )
    if reply.status == 404 and NO_SUCH_FILE in reply.body:
        return None
    if reply.status != 200:
        too_fast = reply.status == 403 and TOO_FAST in reply.body
        raise refusal_error(NAME, reply, NEXT_STEPS, kind="rate_limited" if too_fast else "")
    told = parse_json(NAME, reply, NEXT_STEPS)
    if told is None:
        raise changed_format_error(NAME, "there is nothing in it")
    return told


def build_filing_url(cik: int, accession: str, document: str) -> str:
    """Return the URL of a filing's document; of its index page if none is named."""
    folder = f"{ARCHIVES}/{cik}/{quote(accession.replace('-', ''), safe='')}"
    if document:
        return f"{folder}/{quote(document, safe='/')}"
    return f"{folder}/{quote(accession, safe='-')}-index.htm"


def matches_filters(query: FilingQuery, form: str, filed: str) -> bool:
    """Return True if form and filing date match the query.

    An amendment is a form of its own: "10-K/A".
    """
    if query.form_type and normalize_form(form) != normalize_form(query.form_type):
        return False
    if query.date_from and filed < query.date_from:
        return False
    return not (query.date_to and filed > query.date_to)


def normalize_form(form: str) -> str:
    """Normalize a form name, so that "def 14a" equals "DEF14A"."""
    return re.sub(r"[\s-]", "", form).upper()
