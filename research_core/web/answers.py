"""What an HTTP answer says: a page, or one failure that names its kind.

A status that is no success, a login or a check for robots in the page's place, a body without text: each is told apart here, once for
every way of reading a page. It asks nothing of the web.
"""

from __future__ import annotations

from dataclasses import replace

from research_core.errors import FetchError
from research_core.models import HttpReply, Page
from research_core.replies import kind_of, wait_asked
from research_core.urls import canonical
from research_core.web import walls
from research_core.web.kinds import read_body

#: What is said of a status; its kind is `replies`' business. A sentence of its own, else that of its hundred.
STATUSES = {
    401: "The site wants a password.",
    407: "A proxy wants a password.",
    402: "The site wants to be paid.",
    403: "The site refused to serve the page.",
    451: "The page is withheld for legal reasons.",
    404: "There is no such page.",
    410: "The page has been removed.",
    408: "The site gave up waiting.",
    429: "The site asks us to slow down.",
}
HUNDREDS = {
    1: "The site answered with something that is no page.",
    3: "The site redirects to nowhere.",
    4: "The site refused the request.",
    5: "The site is in trouble.",
}


def page_of(reply: HttpReply, url: str) -> Page:
    """The page an answer holds. Raises FetchError for a status that is no success, for a login or a check for robots, and for a body

    without readable text. Whatever answered is public: no other address is asked.
    """
    try:
        refuse(reply)
        return _page(reply, url)
    except FetchError as error:
        error.public = True
        raise


def refuse(reply: HttpReply) -> None:
    """Raises FetchError for a status that is no success."""
    kind = kind_of(reply.status)
    if not kind:
        return
    sentence = STATUSES.get(reply.status) or HUNDREDS.get(reply.status // 100, HUNDREDS[1])
    if kind not in ("auth_required", "not_found") and walls.checks_for_robots(reply):
        kind, sentence = "blocked", walls.CHECKED
    raise FetchError(f"{sentence} (HTTP {reply.status})", kind=kind, status=reply.status, retry_after=wait_asked(reply.headers))


def _page(reply: HttpReply, url: str) -> Page:
    try:
        final = canonical(reply.url)
    except ValueError as error:
        raise FetchError(f"The page came from an address that cannot be cited: {error}.", kind="bad_reply") from error
    try:
        page = read_body(reply.body, final, reply.headers.get("content-type", ""), sent=reply.headers.get("date", ""))
    except FetchError as error:
        if error.kind == "content_empty":
            walls.refuse(reply, url, "")
        raise
    walls.refuse(reply, url, page.text)
    return replace(page, url=url)
