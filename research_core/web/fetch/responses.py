"""Turn an HTTP answer into a page, or into one error that names its kind.

Errors are: a failure status, a login or bot check in place of the page, a page that only redirects
or reports an error, and a body without text. Every way of reading a page uses this module; it sends
no requests.
"""

from __future__ import annotations

from dataclasses import replace

from research_core.errors import FetchError
from research_core.journal.http_caching import error_kind_of, parse_retry_after
from research_core.models import HttpReply, Page
from research_core.urls import canonical_url
from research_core.web.documents.kinds import read_body
from research_core.web.fetch import meta_refresh, stubs, walls

#: Sentence of a status, or of its class; `http_caching` decides the kind.
STATUS_MESSAGES = {
    401: "The site requires a password.",
    407: "A proxy requires a password.",
    402: "The site requires payment.",
    403: "The site refused to serve the page.",
    451: "The page is withheld for legal reasons.",
    404: "There is no such page.",
    410: "The page has been removed.",
    408: "The site timed out.",
    429: "The site limits requests and asks for a pause.",
}
STATUS_CLASS_MESSAGES = {
    1: "The site did not send a page.",
    3: "The site redirects without naming an address.",
    4: "The site refused the request.",
    5: "The site has a server error.",
}


def read_page_reply(reply: HttpReply, url: str) -> Page:
    """Return the page in an answer.

    Raises FetchError for a failure status, a login or bot check, a page that only redirects or says
    that there is nothing, and a body without readable text. The address is then known to be public,
    since it answered.
    """
    try:
        raise_for_status(reply)
        page = _read_checked_page(reply, url)
        stubs.raise_for_stub(page, reply.status)
        return page
    except FetchError as error:
        error.public = True
        raise


def find_page_redirect(reply: HttpReply) -> str:
    """Return the address of a page that only redirects, else "".

    Bot checks and logins redirect nowhere.
    """
    url = meta_refresh.find_redirect(reply)
    return "" if not url or walls.is_bot_check(reply) else url


def raise_for_status(reply: HttpReply) -> None:
    """Raise FetchError for a failure status."""
    kind = error_kind_of(reply.status)
    if not kind:
        return
    sentence = STATUS_MESSAGES.get(reply.status) or STATUS_CLASS_MESSAGES.get(
        reply.status // 100, STATUS_CLASS_MESSAGES[1]
    )
    if kind not in ("auth_required", "not_found") and walls.is_bot_check(reply):
        kind, sentence = "blocked", walls.CHECKED
    raise FetchError(
        f"{sentence} (HTTP {reply.status})",
        kind=kind,
        status=reply.status,
        retry_after=parse_retry_after(reply.headers),
    )


def _read_checked_page(reply: HttpReply, url: str) -> Page:
    try:
        final = canonical_url(reply.url)
    except ValueError as error:
        raise FetchError(
            f"The page came from an address that cannot be cited: {error}.", kind="bad_reply"
        ) from error
    try:
        page = read_body(
            reply.body,
            final,
            reply.headers.get("content-type", ""),
            sent=reply.headers.get("date", ""),
        )
    except FetchError as error:
        if error.kind == "content_empty":
            walls.raise_for_wall(reply, url, "")
            _raise_for_unresolved_redirect(reply)
        raise
    walls.raise_for_wall(reply, url, page.text)
    _raise_for_unresolved_redirect(reply)
    return replace(page, url=url)


def _raise_for_unresolved_redirect(reply: HttpReply) -> None:
    if meta_refresh.find_redirect(reply):
        raise FetchError(
            "The page only leads to another page.",
            kind="bad_reply",
            next_step="Use the address of that page.",
        )
