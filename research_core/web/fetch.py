"""Reads a page, from the local library or the web: asks, judges the answer, and makes a `Page` of the bytes.

The doorway records what came back; everything done here with it is recomputed in a replay and always comes out the same. It reads
whole pages, cuts nothing for a model, and decides nothing about credibility.
"""

from __future__ import annotations

import re
from dataclasses import replace

from research_core.deps import Deps
from research_core.errors import FetchError
from research_core.models import HttpReply, Json, Page
from research_core.urls import canonical, is_own
from research_core.web.kinds import read_body

TIMEOUT_S = 15.0
MAX_BYTES = 5_000_000
HEADERS = {"accept": "text/html,application/xhtml+xml,application/pdf;q=0.9,text/plain;q=0.8,*/*;q=0.5"}

#: What a status means for the reader: the kind of failure, and a sentence. A row of its own, else that of its hundred.
STATUSES: dict[int, tuple[str, str]] = {
    401: ("auth_required", "The site wants a password."),
    407: ("auth_required", "A proxy wants a password."),
    402: ("auth_required", "The site wants to be paid."),
    403: ("blocked", "The site refused to serve the page."),
    451: ("blocked", "The page is withheld for legal reasons."),
    404: ("not_found", "There is no such page."),
    410: ("not_found", "The page has been removed."),
    408: ("timeout", "The site gave up waiting."),
    429: ("rate_limited", "The site asks us to slow down."),
}
HUNDREDS: dict[int, tuple[str, str]] = {
    1: ("bad_reply", "The site answered with something that is no page."),
    3: ("bad_reply", "The site redirects to nowhere."),
    4: ("blocked", "The site refused the request."),
    5: ("upstream_unavailable", "The site is in trouble."),
}


def read_page(url: str, deps: Deps) -> Page:
    """The page at this address: the library's copy when this run searches one that holds it, else what the web answers.

    final_url is the canonical address after redirects. Raises FetchError, whose kind says why there is no text.
    """
    held = _held(url, deps)
    if held is not None:
        return Page(url=url, final_url=held["url"], title=held["title"], text=held["text"], kind=held["kind"], published=held["published"])
    if is_own(url):
        raise FetchError("The library no longer holds this document.", kind="not_found", next_step="Add it again, or leave it out.")
    return page_of(deps.http.send("GET", url, headers=HEADERS, timeout_s=TIMEOUT_S, max_bytes=MAX_BYTES), url)


def _held(url: str, deps: Deps) -> Json | None:
    if deps.documents is None:
        return None
    documents, name = deps.documents, deps.run.library
    found: Json | None = deps.http.call("library", {"library": name, "url": url}, lambda: documents.read(url))
    return found


def page_of(reply: HttpReply, url: str) -> Page:
    """What an HTTP answer says. Raises FetchError for a status that is no success, and for a body without readable text."""
    if not 200 <= reply.status < 300:
        kind, sentence = STATUSES.get(reply.status) or HUNDREDS.get(reply.status // 100, HUNDREDS[1])
        wait = _seconds(reply.headers.get("retry-after", ""))
        raise FetchError(f"{sentence} (HTTP {reply.status})", kind=kind, status=reply.status, retry_after=wait)
    try:
        final = canonical(reply.url)
    except ValueError as error:
        raise FetchError(f"The page came from an address that cannot be cited: {error}.", kind="bad_reply") from error
    page = read_body(reply.body, final, reply.headers.get("content-type", ""), sent=reply.headers.get("date", ""))
    return replace(page, url=url)


def _seconds(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\d{1,6}", text.strip()) else None
