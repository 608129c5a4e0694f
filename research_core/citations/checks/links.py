"""Whether addresses still answer: live, refused, dead, or could not be checked. Of a dead one the
newest copy in the archive is told.

Dead is only what is known to be gone: a host says so, or a name is nobody's or a public address
silent while the archive answers, so that it is not the net that is gone. A site that refuses
programs, forbids them by robots.txt, is in trouble or slow is not dead. What a page says is not
judged here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Literal

from research_core.errors import FetchError
from research_core.journal.deps import Deps
from research_core.models import HttpReply
from research_core.settings import TIMEOUTS_S
from research_core.urls import has_public_suffix
from research_core.web.fetch import archive
from research_core.web.fetch.tiers import ORDINARY, is_safe_to_share
from research_core.web.http.client import CERTIFICATE_ERROR
from research_core.web.http.responses import raise_for_status

State = Literal["live", "refused", "dead", "unchecked"]
LinkCallback = Callable[["Link"], None]
#: Raises FetchError for an address that the caller may not read.
RefuseCallback = Callable[[str], None]

#: Seconds for one look, and for all of a call; bytes of a page that show that it is there.
REQUEST_TIMEOUT_S, TIME_LIMIT_S, MAX_BYTES = 8.0, 90.0, 500_000
#: Addresses that are looked at side by side.
MAX_PARALLEL_REQUESTS = 8
#: Statuses of a server that is there and lets no program in; those of one that asks to come later;
#: those of a page that is gone.
REFUSED, RETRY_LATER, GONE = (
    frozenset({401, 402, 403, 407, 451}),
    frozenset({429, 503}),
    frozenset({404, 410}),
)
#: Failures of which a server is seen to answer: its page is there, only not to be read as it is.
ANSWERED_KINDS = frozenset({"too_large", "bad_reply", "unsupported"})


@dataclass(frozen=True)
class Link:
    """What came of one address. status: of the last answer, 0 where none came; reason: a sentence,
    "" for a live one.

    archived: where the archive's newest copy of a dead one is; "" where there is none, or none was
    asked for.
    """

    url: str
    state: State
    status: int = 0
    reason: str = ""
    archived: str = ""

    @property
    def live(self) -> bool | None:
        """Whether somebody answers there; None where that could not be checked."""
        return {"live": True, "refused": True, "dead": False}.get(self.state)


@dataclass(frozen=True)
class _Attempt:
    """silent: nobody answered at an address that was proved public; absent: nobody has its name.
    Either may be the net's fault.
    """

    link: Link
    silent: bool = False
    absent: bool = False


def check_links(
    deps: Deps,
    urls: Iterable[str],
    each: LinkCallback | None = None,
    refuse: RefuseCallback = lambda _url: None,
) -> dict[str, Link]:
    """What came of each address, once each and in their order; `each` is told of one as soon as it
    was looked at. It never raises for them.

    One that is refused is not asked, and could not be checked; nor is any that is left once
    `TIME_LIMIT_S` seconds are over.
    """
    asked = replace(deps, http=deps.http.within(TIME_LIMIT_S))

    def look(url: str) -> Link:
        found = _check_link(asked, url, refuse)
        if each is not None:
            each(found)
        return found

    with ThreadPoolExecutor(
        MAX_PARALLEL_REQUESTS, thread_name_prefix="assay-links"
    ) as pool:  # its own: who waits for a host keeps nobody else waiting
        return {link.url: link for link in pool.map(look, dict.fromkeys(urls))}


def _check_link(deps: Deps, url: str, refuse: RefuseCallback) -> Link:
    try:
        refuse(url)
    except FetchError as error:
        return Link(url, "unchecked", 0, error.message)
    look = _request_link("HEAD", url, deps)
    if look.silent or (
        look.link.status and look.link.status not in RETRY_LATER and look.link.state != "live"
    ):
        look = _request_link(
            "GET", url, deps
        )  # some servers answer HEAD with a refusal, with nonsense or not at all
    return _add_archived_copy(look, deps)


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
    return _Attempt(_classify_reply(url, reply))


def _classify_reply(url: str, reply: HttpReply) -> Link:
    try:
        raise_for_status(reply)
    except FetchError as error:
        state: State = (
            "dead"
            if reply.status in GONE
            else "refused"
            if reply.status in REFUSED | RETRY_LATER
            else "unchecked"
        )
        return Link(url, state, reply.status, error.message)
    return Link(url, "live", reply.status)


def _classify_failure(url: str, error: FetchError) -> _Attempt:
    if error.kind in ANSWERED_KINDS and error.status:
        return _Attempt(Link(url, "live", error.status))
    silent = error.kind == "network" and error.public and CERTIFICATE_ERROR not in error.message
    return _Attempt(Link(url, "unchecked", error.status or 0, error.message), silent, error.absent)


def _add_archived_copy(look: _Attempt, deps: Deps) -> Link:
    """The link with its copy, where it is dead; one that nobody answered for is dead if the
    archive, which is asked now, answers.
    """
    link, unproved = look.link, look.silent or (look.absent and has_public_suffix(look.link.url))
    if (link.state != "dead" and not unproved) or not may_ask_archive(link.url, deps):
        return link
    try:
        copy = find_archived_copy(link.url, deps)
    except FetchError as error:
        if error.kind != "not_found":
            return link
        copy = ""
    return replace(link, state="dead", archived=copy)


def may_ask_archive(url: str, deps: Deps) -> bool:
    """Whether the archive may be asked for a copy of this address: it is not switched off, and the
    address holds nothing that is secret.
    """
    return "archive" in deps.run.fallbacks and is_safe_to_share(url)


def find_archived_copy(url: str, deps: Deps) -> str:
    """Where the archive's newest good copy of an address is. Raises FetchError: not_found where it
    has none.
    """
    known = deps.http.send(
        "GET",
        archive.AVAILABILITY_API,
        params={"url": url},
        timeout_s=TIMEOUTS_S["archive"],
        max_bytes=archive.MAX_ANSWER_BYTES,
    )
    return f"{archive.ARCHIVE_ROOT}/{archive.find_newest_copy(known)}/{url}"
