"""Give back what the web answered for the pages of a session, from its recorded calls."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from research_core.journal import redaction
from research_core.model_messages import Json
from research_core.models import HttpReply, Principal
from research_core.urls import canonical_url, find_host
from research_core.web.documents.warc import Capture
from research_core.wiring import LOCAL_USER, Resources, open_log

#: The first line of a PDF; few other lines may stand before it.
PDF_HEADER = re.compile(rb"(?:^|[\r\n])%PDF-\d")


def iterate_captures(
    resources: Resources, session: str, *, who: Principal = LOCAL_USER
) -> Iterator[Capture]:
    """Yield what the web answered for this session's pages, refusals included, in log order.

    Answers of services that were asked for a page instead name the page in their notes. Pages from
    a library or an earlier session, searches and look-ups are not included. Redacted parts and
    signatures of addresses are missing.
    """
    log = open_log(resources, who, session)
    pages = {event.data["url"] for event in log.read(kinds=("fetch",))}
    for event in sorted(log.answers().values(), key=lambda event: event.seq):
        kind = event.data["kind"]
        value = event.data.get("value")
        about = event.data["about"]
        if not value or kind not in ("http", "browser"):
            continue
        page = about.get("page") or _find_requested_address(kind, value, about)
        if page not in pages:
            continue
        value = log.open(value)
        body = value["body"] if kind == "http" else value["html"].encode("utf-8", "replace")
        hops = tuple(value.get("hops", ()))
        reply = HttpReply(value["url"], value["status"], value["headers"], body, hops)
        at = event.at - about.get("age", 0)
        if "page" in about:
            yield _build_service_capture(reply, at, about)
        else:
            yield Capture(reply.url, at, reply, drawn=kind == "browser")


def find_pdf(resources: Resources, session: str, url: str, *, who: Principal = LOCAL_USER) -> bytes:
    """Return the PDF that was received last for a page of this session, b"" if there is none.

    url: of the page as it was searched, canonical.
    """
    log = open_log(resources, who, session)
    answers = sorted(log.answers().values(), key=lambda event: event.seq, reverse=True)
    for event in answers:
        value = event.data.get("value")
        about = event.data["about"]
        if not value or event.data["kind"] != "http":
            continue
        if (about.get("page") or _find_requested_address("http", value, about)) != url:
            continue
        body: bytes = log.open(value)["body"]
        if PDF_HEADER.search(body[:1_024]):
            return body
    return b""


def _build_service_capture(reply: HttpReply, at: float, about: Json) -> Capture:
    """Build the capture of a service's answer, without personal parts of its address."""
    url = redaction.strip_signature(reply.url)
    hops = tuple(map(redaction.strip_signature, reply.hops))
    notes = {"page": about["page"]}
    method = about["what"].partition(" ")[0]
    if method != "GET":
        notes["method"] = method
    return Capture(url, at, replace(reply, url=url, hops=hops), notes)


def _find_requested_address(kind: str, value: Json, about: Json) -> str:
    """Return the canonical address that was asked for; for an archive copy, that of the page."""
    if kind == "browser":
        url = about["what"].partition(" ")[0]
    else:
        url = (*value["hops"], value["url"])[0]
    try:
        if find_host(url) == "web.archive.org":
            url = url.partition("id_/")[2]
        return canonical_url(url)
    except ValueError:
        return ""
