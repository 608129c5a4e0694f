"""Build the answers of scrape_page: cleaned text or the raw body, and what the page hides.

Unlike fetch_page, it does not check credibility: it describes the page, and the caller decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from datetime import UTC, date, datetime
from typing import Any

from research_core.citations.page_citation import build_citation, detect_doi
from research_core.context import ResearchContext
from research_core.errors import SearchError
from research_core.journal.deps import Deps
from research_core.model_messages import Json
from research_core.models import HiddenText, Page
from research_core.search.providers.crossref import fetch_notice
from research_core.settings import TIMEOUTS_S
from research_core.text.words import strip_invisible, truncate
from research_core.tools.call_context import open_page
from research_core.tools.reading_notes import describe_reading
from research_core.tools.registry import TRUST, Call
from research_core.tools.wire_values import (
    MAX_BYTES,
    count_bytes,
    drop_empty,
    estimate_size,
    fit_text,
)
from research_core.trust.provenance import EXA_CACHED_TIER
from research_core.web.charsets import decode_body
from research_core.web.fetch.responses import raise_for_status
from research_core.web.fetch.tiers import TTL_S
from research_core.web.hidden_text_remarks import HiddenTextRemark, summarize_hidden_text
from research_core.web.metadata.classify import classify_page

#: Tiers of a fetch that the answer names; for others the content type is enough.
NAMED_TIERS = frozenset({"markdown", "html", "browser", "archive", EXA_CACHED_TIER, "exa:crawled"})
#: The kind of an unknown retraction status, besides those of `crossref.KINDS`.
UNCHECKED = "could_not_check"
#: Tiers that read HTML, the only ones with structured data.
HTML_TIERS = frozenset({"html", "browser", "archive"})


def scrape_text(
    call: Call, address: str, url: str, limit: int, context: ResearchContext, deps: Deps
) -> tuple[Json, str]:
    """Return the answer for a page, and the address it was read at after redirects.

    limit: bytes of content. Raises FetchError.
    """
    page = open_page(call, address, context, deps)
    content = fit_text(page.text, limit)
    answer: dict[str, Any] = {
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
    metadata: Json = {}
    if page.title:
        metadata = {"title": page.title, "author": ", ".join(page.metadata.authors)}
    structured: Json = {}
    if page.tier in HTML_TIERS:
        structured = drop_empty(deepcopy(dict(page.structured)))  # the page may be kept
    optional: Mapping[str, Any] = {
        "extractedBy": page.tier if page.tier in NAMED_TIERS else "",
        "metadata": metadata,
        **describe_reading(page),
        "structuredData": structured,
        **find_remarks(content.text, page.title, page.hidden),
        "forumSignals": dict(page.signals) if page.tier == "html" else {},
        **_find_scholarly_record(page, deps),
    }
    return answer | drop_empty(optional), page.final_url


def _find_scholarly_record(page: Page, deps: Deps) -> Json:
    """Return the DOI that a scholarly page declares, and the notice recorded against that work.

    The status is empty if there is no notice. If the record could not be asked for, the status says
    so; it then has neither `retracted` nor another kind.
    """
    doi = detect_doi(page)
    if not doi:
        return {}
    try:
        notice = fetch_notice(deps.http, doi)
    except SearchError as error:
        status: Json = {"kind": UNCHECKED, "reason": f"Could not check. {error.sentence()}"}
    else:
        status = notice.as_json() if notice else {}
    return {"detectedDoi": doi, "retractionStatus": status}


def _access_day(context: ResearchContext) -> date:
    """Return the day of the session as the day of access, so that a replay gives the same."""
    return datetime.fromtimestamp(context.run.created, UTC).date()


# ---------------------------------------------------------------- raw


def scrape_raw(
    address: str, url: str, limit: int, context: ResearchContext, deps: Deps
) -> tuple[Json, str]:
    """Return the body as text, neither extracted nor cleaned, and the address after redirects.

    Characters are decoded as the page declares them. limit: bytes of the body. Raises FetchError.
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
    content_type = reply.headers.get("content-type", "")
    decoded = decode_body(body, content_type)
    text = decoded.text
    bare_page = Page(url=address, final_url=address, title="", text="")
    answer = {
        "url": url,
        "content": text,
        "contentType": content_type,
        "trust": TRUST,
        "contentLength": len(body),
        "truncated": len(reply.body) > limit,
        **estimate_size(text),
        "citation": build_citation(bare_page, _access_day(context)),
        "raw": True,
        **classify_page(bare_page).as_json(),
        **find_remarks(text),
    }
    if decoded.note:
        answer["notes"] = [decoded.note]
    return answer, reply.url


# ---------------------------------------------------------------- hidden texts

#: Samples of each kind; characters of a sample; characters of a text that are looked at.
MAX_SAMPLES, MAX_SAMPLE_CHARACTERS, MAX_TEXT_CHARACTERS = 10, 160, 500_000


def find_remarks(text: str, title: str = "", hidden: HiddenText = HiddenText()) -> Json:
    """Return "hiddenTexts" and "speaksToMachines" of a page, each only if there is any.

    Both hold total and samples; the former also unusual and counts (by the way they are hidden). A
    sample is {"where", "words", "order"}; where: the way it is hidden, or content or title; order:
    what it asks of a machine, if anything. Only the first 500,000 characters are looked at.
    """
    texts = (("title", title), ("content", text[:MAX_TEXT_CHARACTERS]))
    found = summarize_hidden_text(hidden, texts)
    answer: dict[str, Any] = {}
    if found.total:
        answer["hiddenTexts"] = {
            "total": found.total,
            "unusual": found.unusual,
            "counts": dict(found.counts),
            "samples": _list_samples(found.hidden),
        }
    if found.shown:
        answer["speaksToMachines"] = {
            "total": len(found.shown),
            "samples": _list_samples(found.shown),
        }
    return answer


def _list_samples(remarks: Sequence[HiddenTextRemark]) -> list[Json]:
    return [_sample_as_json(remark) for remark in remarks[:MAX_SAMPLES]]


def _sample_as_json(remark: HiddenTextRemark) -> Json:
    words = " ".join(strip_invisible(remark.words).split())
    sample = {"where": remark.where, "words": truncate(words, MAX_SAMPLE_CHARACTERS)}
    if remark.order:
        sample["order"] = remark.order
    return sample
