"""The web archive: the pages of a session as their servers answered, in the format that libraries and other tools keep pages in (WARC).

Beside each page stands what became of it. What the report says of a page, and its text as it was judged, are in the evidence pack.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import replace

from research_core import __version__
from research_core.export import document
from research_core.models import Report, ReportSource
from research_core.urls import canonical
from research_core.web import warc
from research_core.web.warc import Capture

_ABOUT = "Answers as they were recorded: bodies decompressed, only some headers; what was drawn by a browser is a resource."


#: Ways of reading a page by which its server's own answer is recorded.
TIERS = frozenset({"markdown", "html", "document", "browser", "archive"})


def offered(built: Report) -> bool:
    """Whether a report has pages worth keeping so: some that the web itself gave."""
    return any(source.page and any(attempt.tier in TIERS for attempt in source.attempts) for source in built.sources)


def pack(built: Report, captures: Iterable[Capture]) -> bytes:
    """The archive, gzip by record; the same report and answers give the same bytes."""
    out, sources = io.BytesIO(), {source.url: source for source in built.sources}
    about = {"software": f"Assay {__version__}", "isPartOf": built.session, "title": document.title(built), "description": _ABOUT}
    warc.write(out, (replace(each, notes=_notes(sources.get(_asked(each)))) for each in captures), about, at=built.created)
    return out.getvalue()


def _asked(capture: Capture) -> str:
    try:
        return canonical((*capture.reply.hops, capture.url)[0])
    except ValueError:
        return ""


def _notes(source: ReportSource | None) -> dict[str, str]:
    """What became of a page."""
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
