"""Export the pages of a session as their servers answered, as a web archive (WARC).

If a page was read through a service (a site's own interface, Exa), the service's answer stands in
its place and names the page. Each page has a note on its outcome. The judged text and the report's
findings are in the evidence pack.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import replace

from research_core import __version__
from research_core.export import document
from research_core.models import Report, ReportSource
from research_core.urls import canonical_url
from research_core.values import SITES
from research_core.web.documents import warc
from research_core.web.documents.warc import Capture

_ABOUT = (
    "Answers as they were recorded: bodies decompressed, only some headers; what was drawn by a"
    " browser is a resource."
)

#: Ways of reading a page that record an answer from the web, up to a colon in their names.
WEB_TIERS = frozenset({"markdown", "html", "document", "browser", "archive", "exa", *SITES})


def has_captures(built: Report) -> bool:
    """Return True if the report has pages that came from the web itself."""
    return any(
        source.page
        and any(attempt.tier.partition(":")[0] in WEB_TIERS for attempt in source.attempts)
        for source in built.sources
    )


def pack_captures(built: Report, captures: Iterable[Capture]) -> bytes:
    """Build the archive, compressed per record; the same report and answers give the same bytes."""
    sources = {source.url: source for source in built.sources}
    about = {
        "software": f"Assay {__version__}",
        "isPartOf": built.session,
        "title": document.format_title(built),
        "description": _ABOUT,
    }

    def add_notes(capture: Capture) -> Capture:
        notes = _describe_source(sources.get(_get_page_url(capture)))
        return replace(capture, notes={**capture.notes, **notes})

    out = io.BytesIO()
    warc.write_archive(out, map(add_notes, captures), about, at=built.created)
    return out.getvalue()


def _get_page_url(capture: Capture) -> str:
    """Return the address of the page that a capture belongs to."""
    try:
        return capture.notes.get("page") or canonical_url((*capture.reply.hops, capture.url)[0])
    except ValueError:
        return ""


def _describe_source(source: ReportSource | None) -> dict[str, str]:
    """Return the notes on the outcome of a page."""
    if source is None:
        return {}
    told = {
        "decision": source.status,
        "reason": source.reason,
        "credibility": f"{source.parts.score:.2f}" if source.parts else "",
        "relevance": f"{source.relevance.score}/5" if source.relevance else "",
        "source": str(source.number or ""),
    }
    return {name: value for name, value in told.items() if value}
