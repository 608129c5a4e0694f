"""Look up every case citation in a text at CourtListener; needs a token.

CourtListener finds the citations with eyecite; statutes are not included. Whether a case is the one
meant, or supports what it is cited for, is not judged here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin

from research_core.errors import SearchError
from research_core.journal.deps import Http
from research_core.search.providers.reply import (
    changed_format_error,
    parse_json,
    read_number,
    read_rows,
    read_text,
    read_texts,
    request,
)
from research_core.search.records import Case
from research_core.settings import Settings

NAME = "CourtListener"
SITE = "https://www.courtlistener.com"
LOOK_UP = f"{SITE}/api/rest/v4/citation-lookup/"
#: Characters of one text. Only its first 250 citations are looked up.
MAX_TEXT = 64_000
TIMEOUT_S, MAX_BYTES = 30.0, 10_000_000
#: States by status: one case, several cases, none, no such reporter, over the limit.
STATES = {200: "found", 300: "several", 404: "unknown", 400: "no_reporter", 429: "not_asked"}
NEXT_STEPS = {
    "rate_limited": "It looks up 60 citations a minute: wait, or send fewer.",
    "auth_required": "Look at COURTLISTENER_API_TOKEN.",
}


@dataclass(frozen=True)
class CitationLookup:
    """One citation in a text.

    state: one of `STATES`; start, end: its position in characters; words: why it was not found;
    citation: as written; cases: without courts, which the look-up does not return.
    """

    citation: str
    state: str
    start: int
    end: int
    cases: tuple[Case, ...] = ()
    words: str = ""


def look_up(http: Http, settings: Settings, words: str) -> tuple[CitationLookup, ...]:
    """Look up each citation in these words, in order; () if there is none.

    A last entry with state `not_asked` means that later citations were not looked up. Raises
    SearchError.
    """
    if not has_token(http, settings):
        raise SearchError(
            f"{NAME} looks up citations only for those with a token.",
            kind="auth_required",
            next_step="Set COURTLISTENER_API_TOKEN in .env.",
        )
    if len(words) > MAX_TEXT:
        raise SearchError(
            f"{NAME} takes at most {MAX_TEXT:,} characters at once.",
            kind="too_large",
            next_step="Send it in parts.",
        )
    reply = request(
        http,
        NAME,
        LOOK_UP,
        method="POST",
        headers=build_token_headers(settings),
        body={"text": words},
        max_bytes=MAX_BYTES,
        timeout_s=TIMEOUT_S,
        next_steps=NEXT_STEPS,
    )
    answer = parse_json(NAME, reply, NEXT_STEPS)
    return tuple(_read_lookup(row) for row in read_rows(NAME, answer))


def has_token(http: Http, settings: Settings) -> bool:
    """Return True if a token was set when the session first asked, so that replays agree."""
    return bool(
        http.record_fact(
            {"asked": "whether CourtListener's look-up may be used"},
            lambda: bool(settings.courtlistener_api_token),
        )
    )


def build_token_headers(settings: Settings) -> dict[str, str]:
    token = settings.courtlistener_api_token
    return {"Authorization": f"Token {token}"} if token else {}


def _read_lookup(row: dict[str, Any]) -> CitationLookup:
    status = read_number(NAME, row, "status")
    start = read_number(NAME, row, "start_index")
    end = read_number(NAME, row, "end_index")
    citation = read_text(NAME, row, "citation")
    clusters = read_rows(NAME, row, "clusters", optional=True)
    state = STATES.get(status) if isinstance(status, int) else None
    if not citation or not state or not isinstance(start, int) or not isinstance(end, int):
        raise changed_format_error(
            NAME, "a citation is not said, where it stands, or what became of it"
        )
    if (state in ("found", "several")) != bool(clusters):
        raise changed_format_error(
            NAME, "a citation is found without a case, or not found with one"
        )
    normalized = read_texts(NAME, row, "normalized_citations")
    cases = tuple(_read_case(each, (citation, *normalized)) for each in clusters)
    return CitationLookup(citation, state, start, end, cases, read_text(NAME, row, "error_message"))


def _read_case(row: Mapping[str, Any], asked: tuple[str, ...]) -> Case:
    name = read_text(NAME, row, "case_name")
    path = read_text(NAME, row, "absolute_url")
    count = read_number(NAME, row, "citation_count")
    if not name or not path.startswith("/") or not (count is None or isinstance(count, int)):
        raise changed_format_error(
            NAME, "a case has no name, no page or a broken count of citations"
        )
    printed = []
    for each in read_rows(NAME, row, "citations"):
        parts = [read_text(NAME, each, part) for part in ("volume", "reporter", "page")]
        printed.append(" ".join(parts))
    first = next((each for each in printed if each in asked), asked[-1])
    parallel = [each for each in dict.fromkeys(printed) if each != first]
    return Case(
        case_name=name,
        url=urljoin(SITE, path),
        source="courtlistener",
        citation=first,
        date_filed=read_text(NAME, row, "date_filed")[:10],
        citation_count=count,
        parallel_citations=tuple(sorted(parallel, key=rank_citation)),
        status=read_text(NAME, row, "precedential_status"),
    )


def rank_citation(citation: str) -> int:
    """Rank a citation: Supreme Court reports first, database numbers last."""
    if re.search(r"[0-9] U\. ?S\. [0-9]", citation):
        return 0
    return 2 if re.search(r" WL | LEXIS ", citation) else 1
