"""archive_source: have the Internet Archive make a public snapshot of a page.

This module holds the parameters and the answer; `checks.page_capture` asks the archive.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import Field

from research_core.model_messages import Json
from research_core.tools.call_context import bind
from research_core.tools.registry import TRUST, Call
from research_core.tools.wire_values import drop_empty
from research_core.urls import strip_user_part

SOURCE = "web.archive.org Save Page Now"

Url = Annotated[
    str,
    Field(
        description="The address of a public page, http or https, to make a fresh snapshot of.",
        min_length=1,
        max_length=2_000,
    ),
]


def archive_source(call: Call, url: Url) -> Json:
    """Have the Internet Archive make a public snapshot of a page (Save Page Now), so that a source
    you cite can be checked for good.

    It writes: the snapshot is public and stays. A fresh one is not certain, as the archive is slow
    and mostly wants an account: status is archived for a snapshot made by this call, existing for
    the newest one there was before, pending where none is confirmed yet (look at pollUrl later),
    and unavailable where none will come of it; reason says why it is not archived. Use
    verify_citation first to see whether a link is dead or archived already. It does not judge the
    page, and tells nothing of what is on it.
    """
    from research_core.citations.checks import page_capture

    shown = strip_user_part(url)
    address = page_capture.check_address(url)
    call.refuse(address)
    _, deps = bind(call, shown)
    call.report("fetch", address)
    capture = page_capture.capture_page(deps, address)
    archived_at = datetime.fromtimestamp(capture.at, UTC).isoformat() if capture.at else ""
    answer: dict[str, Any] = {
        "requestedUrl": shown,
        "captured": capture.state == "archived",
        "status": capture.state,
        "source": SOURCE,
        "provenance": list(capture.asked),
        "trust": TRUST,
    }
    optional = {
        "snapshotUrl": capture.url,
        "archivedAt": archived_at.replace("+00:00", "Z"),
        "httpStatus": capture.status,
        "reason": capture.reason,
        "pollUrl": page_capture.build_history_url(address) if capture.state == "pending" else "",
    }
    return answer | drop_empty(optional)
