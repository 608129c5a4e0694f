"""Say how a page was read: from which copy, how much of it, and what is uncertain about its text."""

from __future__ import annotations

from research_core.model_messages import Json
from research_core.models import Page
from research_core.trust import provenance


def describe_reading(page: Page) -> Json:
    """Return what a caller must know of how a page was read; {} for a live page read whole.

    notes: sentences. Only for an archived copy: extractedBy, snapshotUrl, snapshotDate, and
    liveStatus, unless the site gave no HTTP status or was not asked now.
    """
    answer: Json = {}
    notes = [page.metadata.cut, page.metadata.note]
    if page.archived:
        notes.insert(0, provenance.describe_archived_page(page.archived, page.attempts))
        answer = {
            "extractedBy": "archive",
            "snapshotUrl": page.archived.url,
            "snapshotDate": page.archived.day,
        }
        status = provenance.find_live_status(page.attempts)
        if status is not None:
            answer["liveStatus"] = status
    sentences = list(filter(None, notes))
    return {**answer, "notes": sentences} if sentences else answer
