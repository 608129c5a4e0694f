"""Read the Internet Archive's copy of a page: look up the newest, then fetch its bytes.

The page keeps the address that was asked for; the copy's address and day are kept with it. `tiers`
decides when a copy may be read.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any

from research_core.errors import FetchError
from research_core.journal.deps import Deps
from research_core.models import ArchivedCopy, Attempt, HttpReply, Page
from research_core.settings import TIMEOUTS_S
from research_core.urls import canonical_url, registered_domain
from research_core.web.fetch.responses import raise_for_status, read_page_reply
from research_core.web.signatures import MAX_DOCUMENT_BYTES

AVAILABILITY_API = "https://archive.org/wayback/available"
ARCHIVE_ROOT = "https://web.archive.org/web"
MAX_BYTES, MAX_ANSWER_BYTES = 5_000_000, 100_000

_TIMESTAMP = re.compile(r"(?:19|20)\d{12}")
_COPY_URL = re.compile(r"https?://web\.archive\.org/web/((?:19|20)\d{12})(?:[a-z]{2}_)?/(\S+)")


def read_archived_copy(url: str, deps: Deps) -> Page:
    """Read the newest good copy of a page.

    Raises FetchError: not_found if there is none, else the reason the archive could not give it.
    """
    patience = TIMEOUTS_S["archive"]
    known = deps.http.send(
        "GET", AVAILABILITY_API, params={"url": url}, timeout_s=patience, max_bytes=MAX_ANSWER_BYTES
    )
    # id_: the bytes as they were, without the archive's own bar and addresses
    asked = f"{ARCHIVE_ROOT}/{find_newest_copy(known)}id_/{url}"
    return parse_copy(
        deps.http.send(
            "GET", asked, timeout_s=patience, max_bytes=MAX_BYTES, max_document=MAX_DOCUMENT_BYTES
        ),
        url,
    )


#: What the archive's answer means if it never saw the page, not even an error in its place.
NO_COPY = "The archive has no copy of the page."


def find_newest_copy(reply: HttpReply) -> str:
    """Return the time of the newest good copy, YYYYMMDDhhmmss. Raises FetchError."""
    raise_for_status(reply)
    try:
        closest = json.loads(reply.body)["archived_snapshots"].get("closest")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise _make_unexpected_answer_error("it does not say which copies there are") from None
    if closest is None:
        raise FetchError(NO_COPY, kind="not_found")
    if not isinstance(closest, dict) or not _TIMESTAMP.fullmatch(str(closest.get("timestamp"))):
        raise _make_unexpected_answer_error("its copy has no time")
    return _find_copy_time(closest)


def _find_copy_time(closest: dict[str, Any]) -> str:
    if closest.get("available") is not True or str(closest.get("status")) != "200":
        raise FetchError("The archive holds only an error page or a redirect.", kind="not_found")
    return str(closest["timestamp"])


def parse_copy(reply: HttpReply, url: str) -> Page:
    """Return the page in a copy, under the address that was asked for. Raises FetchError."""
    found = _COPY_URL.fullmatch(reply.url)
    if found is None:
        raise _make_unexpected_answer_error("the copy came from elsewhere")
    made, original = _parse_timestamp(found[1]), _find_original_url(found[2], url)
    # As it was answered then: no page was published after its copy was made.
    page = read_page_reply(
        HttpReply(
            url,
            reply.status,
            {**reply.headers, "date": format_datetime(made, usegmt=True)},
            reply.body,
        ),
        url,
    )
    copy = ArchivedCopy(f"{ARCHIVE_ROOT}/{found[1]}/{original}", made.date().isoformat())
    return replace(page, archived=copy, attempts=(Attempt("archive"),))


def _parse_timestamp(time: str) -> datetime:
    try:
        return datetime.strptime(time, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        raise _make_unexpected_answer_error(f"{time} is no time") from None


def _find_original_url(address: str, url: str) -> str:
    """Return the address a copy was made of.

    Raises FetchError if it is on another site, since the archive follows stored redirects.
    """
    try:
        original = canonical_url(address)
    except ValueError:
        raise _make_unexpected_answer_error("its copy is of no web address") from None
    if registered_domain(original) != registered_domain(url):
        raise FetchError("The archived copy redirects to another site.", kind="not_found")
    return original


def _make_unexpected_answer_error(what: str) -> FetchError:
    return FetchError(f"The archive gave an answer that cannot be read: {what}.", kind="bad_reply")
