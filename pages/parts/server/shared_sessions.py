"""Serve the read-only page of a shared session to anybody who has its link.

ASGI middleware that app.py puts before the guards: the token in the address is all that a reader
needs, and it opens one session. The page is the session's HTML export: it holds no script and no
control, sets no cookie, and never reaches Streamlit. A wrong, revoked or expired token gives one
sentence. Nothing here writes an address to a log, and the server keeps no log of addresses. What
renders the page is imported when the first link is opened, so that the server starts as fast.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from parts.server.guards import draw_plain_page
from parts.server.sign_in import find_sign_in_error, home_path
from research_core.errors import ResearchError, UsageError
from research_core.i18n import N_, _
from research_core.models import Principal
from research_core.userdata import shares
from research_core.wiring import Resources, default_resources

if TYPE_CHECKING:
    from research_core.sessions.snapshot import Snapshot

#: First segment of the path of a link; the token follows.
SHARED = "shared"
#: The same for every token that opens nothing.
NOT_OPEN_TITLE = N_("This link does not work")
NOT_OPEN = N_(
    "It may be incomplete, expired or revoked. Ask the person who sent it for a new link."
)
NOT_READY_TITLE = N_("No report yet")
NOT_READY = N_("The session has not finished. Open the link again later.")
UNAVAILABLE_TITLE = N_("Temporarily unavailable")
UNAVAILABLE = N_("The session could not be read. Try again in a minute.")
HEADERS = {
    "Cache-Control": "no-store",
    "X-Robots-Tag": "noindex,nofollow,noarchive",
}
#: Sessions whose page is kept in memory, each about as large as its export.
MAX_KEPT_PAGES = 8


def build_shared_address(origin: str, token: str) -> str:
    """Return the address of a link. origin: scheme and host of the app, without a path."""
    return f"{origin}{home_path()}{SHARED}/{token}"


def serve_shared(serve: ASGIApp) -> ASGIApp:
    """Answer requests for shared sessions; pass on all others."""

    async def serve_or_pass_on(scope: Scope, receive: Receive, send: Send) -> None:
        # While the setup of the sign-in is broken, the guards refuse everything.
        if scope["type"] != "http" or find_token(scope["path"]) is None or find_sign_in_error():
            await serve(scope, receive, send)
            return
        response = await answer_request(scope)
        await response(scope, receive, send)

    return serve_or_pass_on


def find_token(path: str) -> str | None:
    """Return the token in a request's path; None if it is not the path of a link."""
    first, slash, token = path.removeprefix(home_path()).lstrip("/").partition("/")
    return token if first == SHARED and slash else None


async def answer_request(scope: Scope) -> Response:
    if scope["method"] not in ("GET", "HEAD"):
        return Response(status_code=405, headers={**HEADERS, "allow": "GET,HEAD"})
    if Headers(scope=scope).get("Sec-Fetch-Dest", "document") not in ("document", "empty"):
        return Response(status_code=403, headers=HEADERS)  # not as a picture, frame or script
    token = find_token(scope["path"]) or ""
    try:
        return await asyncio.to_thread(draw_shared_session, default_resources(), token)
    except ResearchError:
        return _draw_plain(UNAVAILABLE_TITLE, UNAVAILABLE, 503)


def draw_shared_session(resources: Resources, token: str) -> HTMLResponse:
    """Return the page that a token opens, or the one sentence for all that open nothing."""
    from research_core.sessions import snapshot as snapshots

    shared = shares.find_share(resources.db, token, resources.clock.now())
    if shared is None:
        return _draw_plain(NOT_OPEN_TITLE, NOT_OPEN, 404)
    try:
        snapshot = snapshots.read_session(resources, shared.session, who=shared.who)
    except UsageError:  # deleted since
        return _draw_plain(NOT_OPEN_TITLE, NOT_OPEN, 404)
    if snapshot.run.report is None:
        return _draw_plain(NOT_READY_TITLE, NOT_READY, 200)
    state = _SessionState(shared.who, shared.session, snapshot.seq, snapshot)
    return HTMLResponse(_render(state), headers=HEADERS)


@dataclass(frozen=True)
class _SessionState:
    """A session at one event of its log. snapshot: what is rendered, the same for equal states."""

    who: Principal
    session: str
    seq: int
    snapshot: Snapshot = field(compare=False)


@lru_cache(maxsize=MAX_KEPT_PAGES)
def _render(state: _SessionState) -> str:
    from research_core.export import session_html
    from research_core.pipeline import report

    return session_html.render_session(report.build(state.snapshot.run))


def _draw_plain(title: str, words: str, status: int) -> HTMLResponse:
    page = draw_plain_page(_(title), f"<p>{escape(_(words))}</p>")
    return HTMLResponse(page, status, HEADERS)
