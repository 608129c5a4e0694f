"""Check whether addresses still answer, and find archived copies of dead ones.

A link is dead only if it is known to be gone: the host says so by its status or with a page that
says nothing else, or the name does not exist, or a public address is silent while the archive
answers (so the network is up). A site that refuses programs, forbids them by robots.txt, has an
error or is slow is not dead. What else a page says is not judged here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Literal

from research_core.errors import FetchError
from research_core.journal.deps import Deps
from research_core.models import HttpReply
from research_core.settings import TIMEOUTS_S
from research_core.urls import has_public_suffix
from research_core.web.fetch import archive
from research_core.web.fetch.responses import raise_for_status, read_page_reply
from research_core.web.fetch.tiers import ORDINARY, is_safe_to_share
from research_core.web.http.client import CERTIFICATE_ERROR

State = Literal["live", "refused", "dead", "unchecked"]
LinkCallback = Callable[["Link"], None]
#: Raises FetchError for an address that the caller may not read.
RefuseCallback = Callable[[str], None]

#: Seconds for one request, and for a whole call, which leaves a tool time to answer; bytes of a
#: page that prove that it exists.
REQUEST_TIMEOUT_S, TIME_LIMIT_S, MAX_BYTES = 8.0, TIMEOUTS_S["tool"] - 10.0, 500_000
#: Addresses that are requested in parallel.
MAX_PARALLEL_REQUESTS = 8
#: Statuses of a server that admits no program; of one that asks to retry later; of a page that is
#: gone.
REFUSED, RETRY_LATER, GONE = (
    frozenset({401, 402, 403, 407, 451}),
    frozenset({429, 503}),
    frozenset({404, 410}),
)
#: Failures that prove that the server has the page, although it could not be read.
ANSWERED_KINDS = frozenset({"too_large", "bad_reply", "unsupported"})
#: The state of an address that answers with success, by the error of the page in its place. Other
#: errors of reading a page do not speak against its address.
STATES_IN_PLACE: Mapping[str, State] = {
    "not_found": "dead",
    "upstream_unavailable": "unchecked",
    "auth_required": "refused",
    "blocked": "refused",
}


@dataclass(frozen=True)
class Link:
    """The result for one address.

    status: of the last answer, 0 if there was none; reason: a sentence, "" for a live link;
    archived: the newest archived copy of a dead link, "" if there is none or none was requested.
    """

    url: str
    state: State
    status: int = 0
    reason: str = ""
    archived: str = ""

    @property
    def live(self) -> bool | None:
        """Return True if a server answers there; None if that could not be checked."""
        return {"live": True, "refused": True, "dead": False}.get(self.state)


@dataclass(frozen=True)
class _Attempt:
    """One request to an address, with what its failure may mean.

    silent: no answer from an address that is public; absent: the host name does not exist. Either
    may be the network's fault. html: the answer is an HTML page, or its type is unknown.
    """

    link: Link
    silent: bool = False
    absent: bool = False
    html: bool = False


def check_links(
    deps: Deps,
    urls: Iterable[str],
    on_link: LinkCallback | None = None,
    refuse: RefuseCallback = lambda _url: None,
) -> dict[str, Link]:
    """Check each address once; return the results by address, in order.

    on_link: called with each result as soon as it is known. refuse: raises FetchError for an
    address that must not be requested, which then counts as unchecked. After `TIME_LIMIT_S` seconds
    the remaining addresses count as unchecked. Fetch errors are never raised.
    """
    limited = replace(deps, http=deps.http.with_deadline(TIME_LIMIT_S))

    def check(url: str) -> Link:
        link = _check_link(limited, url, refuse)
        if on_link is not None:
            on_link(link)
        return link

    # The pool is separate, so that a slow host delays nothing else.
    with ThreadPoolExecutor(MAX_PARALLEL_REQUESTS, thread_name_prefix="assay-links") as pool:
        return {link.url: link for link in pool.map(check, dict.fromkeys(urls))}


def _check_link(deps: Deps, url: str, refuse: RefuseCallback) -> Link:
    """Request one address by HEAD, and by GET if that answer is unreliable or is of a page.

    Only the page itself tells whether it is an error page that is served with a success status.
    """
    try:
        refuse(url)
    except FetchError as error:
        return Link(url, "unchecked", 0, error.message)
    attempt = _request_link("HEAD", url, deps)
    link = attempt.link
    refused = link.status and link.status not in RETRY_LATER and link.state != "live"
    # Some servers answer HEAD with a refusal, with nonsense or not at all.
    if attempt.silent or refused:
        attempt = _request_link("GET", url, deps)
    elif attempt.html and link.state == "live":
        page = _request_link("GET", url, deps)
        # If the page itself could not be requested, the answer to HEAD still counts.
        if page.link.status and page.link.state != "live":
            attempt = page
    return _add_archived_copy(attempt, deps)


def _request_link(method: str, url: str, deps: Deps) -> _Attempt:
    try:
        reply = deps.http.send(
            method,
            url,
            headers=ORDINARY,
            timeout_s=REQUEST_TIMEOUT_S,
            max_bytes=MAX_BYTES,
            page=True,
        )
    except FetchError as error:
        return _classify_failure(url, error)
    media_type = reply.headers.get("content-type", "")
    html = not media_type or "html" in media_type.lower()
    link = _classify_reply(url, reply)
    if link.state == "live" and html and reply.body:
        link = _classify_page(url, reply)
    return _Attempt(link, html=html)


def _classify_page(url: str, reply: HttpReply) -> Link:
    """Classify an address by what its page is: the page itself, or an error page or a wall."""
    try:
        read_page_reply(reply, url)
    except FetchError as error:
        state = STATES_IN_PLACE.get(error.kind, "live")
        return Link(url, state, reply.status, "" if state == "live" else error.message)
    return Link(url, "live", reply.status)


def _classify_reply(url: str, reply: HttpReply) -> Link:
    """Classify an address by the status of its reply."""
    try:
        raise_for_status(reply)
    except FetchError as error:
        state: State = "unchecked"
        if reply.status in GONE:
            state = "dead"
        elif reply.status in REFUSED | RETRY_LATER:
            state = "refused"
        return Link(url, state, reply.status, error.message)
    return Link(url, "live", reply.status)


def _classify_failure(url: str, error: FetchError) -> _Attempt:
    """Classify an address by the error of its request."""
    if error.kind in ANSWERED_KINDS and error.status:
        return _Attempt(Link(url, "live", error.status))
    silent = error.kind == "network" and error.public and CERTIFICATE_ERROR not in error.message
    link = Link(url, "unchecked", error.status or 0, error.message)
    return _Attempt(link, silent, error.absent)


def _add_archived_copy(look: _Attempt, deps: Deps) -> Link:
    """Add the archived copy to a dead link.

    A link without an answer counts as dead if the archive answers now.
    """
    link = look.link
    unanswered = look.silent or (look.absent and has_public_suffix(link.url))
    if link.state != "dead" and not unanswered:
        return link
    if not may_ask_archive(link.url, deps):
        return link
    try:
        copy = find_archived_copy(link.url, deps)
    except FetchError as error:
        if error.kind != "not_found":
            return link
        copy = ""
    return replace(link, state="dead", archived=copy)


def may_ask_archive(url: str, deps: Deps) -> bool:
    """Return True if the archive is enabled and the address holds no secret."""
    return "archive" in deps.run.fallbacks and is_safe_to_share(url)


def find_archived_copy(url: str, deps: Deps) -> str:
    """Return the address of the archive's newest good copy.

    Raises FetchError, of kind not_found if there is no copy.
    """
    known = deps.http.send(
        "GET",
        archive.AVAILABILITY_API,
        params={"url": url},
        timeout_s=TIMEOUTS_S["archive"],
        max_bytes=archive.MAX_ANSWER_BYTES,
    )
    return f"{archive.ARCHIVE_ROOT}/{archive.find_newest_copy(known)}/{url}"
