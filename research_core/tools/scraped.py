"""What scrape_page answers of a page: as it is read, and as it came.

A presentation of `web.fetch.read_page`. Unlike fetch_page it asks no credibility: it says what a
page is, and the caller decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

from research_core.citations.page_citation import build_citation, detect_doi
from research_core.context import ResearchContext
from research_core.errors import SearchError
from research_core.journal.deps import Deps
from research_core.model_messages import Json
from research_core.models import Page
from research_core.search.providers.crossref import fetch_notice
from research_core.settings import TIMEOUTS_S
from research_core.tools.registry import Call
from research_core.tools.remarks import find_remarks
from research_core.tools.searching import TRUST
from research_core.tools.session import open_page
from research_core.tools.sizes import MAX_BYTES, count_bytes, estimate_size, fit_text
from research_core.web.fetch.tiers import TTL_S
from research_core.web.http.charsets import decode
from research_core.web.http.responses import raise_for_status
from research_core.web.metadata.classify import classify_page

#: Tiers of a fetch that the answer names; other routes (a document, a site's own reader) are told
#: by the content type.
NAMED_TIERS = frozenset({"markdown", "html", "browser", "archive", "exa:cached", "exa:crawled"})
#: The kind of a retraction status that is not known, beside those of `crossref.KINDS`.
UNCHECKED = "could_not_check"
#: Tiers whose page is HTML, the only ones that give structured data.
HTML_TIERS = frozenset({"html", "browser", "archive"})


def scrape_text(
    call: Call, address: str, url: str, limit: int, context: ResearchContext, deps: Deps
) -> tuple[Json, str]:
    """The answer, and the address the page was read at."""
    page = open_page(call, address, context, deps)
    content = fit_text(page.text, limit)
    answer = {
        "url": url,
        "content": content.text,
        "contentType": page.kind,
        "trust": TRUST,
        "contentLength": count_bytes(content.text),
        "truncated": content.truncated or bool(page.metadata.cut),
        **estimate_size(content.text),
        "citation": build_citation(page, _access_day(context)),
        "extractionQuality": "partial" if page.partial else "complete",
        **classify_page(page).as_json(),
    }
    optional: Mapping[str, Any] = {
        "extractedBy": page.tier if page.tier in NAMED_TIERS else "",
        "metadata": (
            {"title": page.title, "author": ", ".join(page.metadata.authors)} if page.title else {}
        ),
        "structuredData": (
            {name: value for name, value in page.structured.items() if value}
            if page.tier in HTML_TIERS
            else {}
        ),
        **find_remarks(content.text, page.title, page.hidden),
        "forumSignals": dict(page.signals) if page.tier == "html" else {},
        **_find_scholarly_record(page, deps),
    }
    return answer | {name: value for name, value in optional.items() if value}, page.final_url


def _find_scholarly_record(page: Page, deps: Deps) -> Json:
    """The DOI a scholarly page declares, and what is recorded against that work.

    No status means that nothing is. A record that could not be asked for has one that says so, and
    neither `retracted` nor another kind.
    """
    doi = detect_doi(page)
    if not doi:
        return {}
    try:
        found = fetch_notice(deps.http, doi)
    except SearchError as error:
        return {
            "detectedDoi": doi,
            "retractionStatus": {
                "kind": UNCHECKED,
                "reason": f"Could not check. {error.sentence()}",
            },
        }
    return {"detectedDoi": doi, "retractionStatus": found.as_json() if found else {}}


def _access_day(context: ResearchContext) -> date:
    """The day of access: that of the session, so that a replay of it says the same."""
    return datetime.fromtimestamp(context.run.created, UTC).date()


# ---------------------------------------------------------------- raw


def scrape_raw(
    address: str, url: str, limit: int, context: ResearchContext, deps: Deps
) -> tuple[Json, str]:
    """The body as text, as it came: no extraction, no cleaning. Characters are decoded as the page
    declares them. And its address.
    """
    reply = deps.http.send(
        "GET",
        address,
        headers={"accept": "*/*"},
        timeout_s=TIMEOUTS_S["page"],
        max_bytes=MAX_BYTES,
        page=True,
        ttl_s=TTL_S,
    )
    raise_for_status(reply)
    body = reply.body[:limit]
    text = decode(body, reply.headers.get("content-type", ""))
    bare = Page(url=address, final_url=address, title="", text="")
    answer = {
        "url": url,
        "content": text,
        "contentType": reply.headers.get("content-type", ""),
        "trust": TRUST,
        "contentLength": len(body),
        "truncated": len(reply.body) > limit,
        **estimate_size(text),
        "citation": build_citation(bare, _access_day(context)),
        "raw": True,
        **classify_page(bare).as_json(),
        **find_remarks(text),
    }
    return answer, reply.url
