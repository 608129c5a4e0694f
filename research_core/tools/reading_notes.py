"""Say how a page was read: from which copy, how much of it, and what is uncertain."""

from __future__ import annotations

from research_core.model_messages import Json
from research_core.models import Page
from research_core.trust import provenance


def describe_reading(page: Page) -> Json:
    """Return what a caller must know of how a page was read; {} for a live page read whole.

    notes: sentences. Only for a stored copy (the Internet Archive's, Exa's or the library's):
    extractedBy and, where they are known, snapshotUrl, snapshotDate and liveStatus.
    """
    copies = provenance.describe_copies(page)
    notes = [*copies, *filter(None, (page.metadata.cut, page.metadata.note))]
    answer: Json = {"notes": notes} if notes else {}
    return answer | _describe_copy(page) if copies else answer


def _describe_copy(page: Page) -> Json:
    """Return the tier that gave a stored copy, its address and day, and the live page's status."""
    answer: Json = {"extractedBy": page.tier}
    if page.archived:
        answer = {
            "extractedBy": "archive",
            "snapshotUrl": page.archived.url,
            "snapshotDate": page.archived.day,
        }
    elif page.added:
        answer["snapshotDate"] = page.added
    status = None if page.added else provenance.find_live_status(page.attempts)
    return answer if status is None else {**answer, "liveStatus": status}
