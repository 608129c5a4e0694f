"""The application: one table of routes, and how a request to /mcp gets its principal before the
protocol sees it.

Every answer passes `screening`. What an operator can do is `admin`'s, what there is to look at
`dashboard`'s.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import sqlalchemy as sa
from anyio import CapacityLimiter, to_thread
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from research_core.errors import BoundaryError, ResearchError, SettingsError, StoreError, UsageError
from research_core.interfaces.http import admin, dashboard
from research_core.interfaces.http.metrics import MEDIA_TYPE
from research_core.interfaces.http.routes import Ask, End
from research_core.interfaces.http.screening import (
    MOST_BYTES,
    address,
    request_id,
    screened,
    too_many,
)
from research_core.interfaces.http.service import Came, Service
from research_core.interfaces.http.tokens import Refused
from research_core.interfaces.mcp.server import server_of
from research_core.model_messages import Json
from research_core.sessions import retention
from research_core.sessions.tool_calls import HERE, Caller

MCP = "/mcp"
PROTECTED = "/.well-known/oauth-protected-resource"
#: Tokens that are looked at at once: the issuer may have to be asked for its keys meanwhile.
SIGNING_IN = 16
#: Other requests that are answered at once, and the bytes of their bodies.
ANSWERING, SMALL = 8, 65_536
#: The status of an answer to what was raised, by its class, the narrowest first.
STATUS: tuple[tuple[type[ResearchError], int], ...] = (
    (UsageError, 400), (SettingsError, 503), (StoreError, 503), (BoundaryError, 502),
    (ResearchError, 500),
)  # fmt: skip


def application(service: Service) -> ASGIApp:
    """The whole server. Raises SettingsError for what a first request would stumble over."""
    service.check()
    protocol = server_of(service.asked, service.heartbeat_s)
    manager = StreamableHTTPSessionManager(
        protocol, stateless=True, max_request_body_size=MOST_BYTES
    )

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        service.closing = anyio.Event()
        async with manager.run(), anyio.create_task_group() as beside:
            beside.start_soon(_remove_what_is_over, service)
            yield
            beside.cancel_scope.cancel()

    protocol_routes = [
        Route(path, _Protocol(service, manager.handle_request), methods=["POST"])
        for path in (MCP, f"{MCP}/")
    ]
    places = CapacityLimiter(ANSWERING)
    others = [
        Route(path, _Plain(service, path, end, places), methods=[method])
        for method, path, end in TABLE
    ]
    handlers: dict[Any, Any] = {HTTPException: _no_route}
    return screened(
        Starlette(
            routes=[*protocol_routes, *others], exception_handlers=handlers, lifespan=lifespan
        ),
        service.screen,
    )


async def _remove_what_is_over(service: Service) -> None:
    """At once and then daily: a server may be all that ever runs on its machine."""
    while True:
        try:
            await to_thread.run_sync(retention.enforce, service.office, abandon_on_cancel=True)
        except ResearchError as error:
            service.say(f"Removing what is kept no longer failed: {error.sentence()}")
        await anyio.sleep(retention.DAY_S)


class _Protocol:
    """The MCP endpoint: who asks, whether they may ask so much, and then the protocol."""

    def __init__(self, service: Service, serve: ASGIApp) -> None:
        self._service, self._serve, self._places = service, serve, CapacityLimiter(SIGNING_IN)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["assay.route"] = MCP
        refusal = await to_thread.run_sync(self._refusal, scope, limiter=self._places)
        await (refusal or self._serve)(scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        """What is answered to who is not let in; None where they are, and then the request says who
        it is of.
        """
        service = self._service
        try:
            bearer = service.bearer(Headers(scope=scope))
        except Refused as error:
            service.metrics.add("assay_refused_total", why="token")
            return _unauthorized(error, service, Request(scope))
        except ResearchError as error:
            service.metrics.add("assay_refused_total", why="could_not_check")
            return _told(error, 503, {"Retry-After": "60"})
        if over := service.limits.request(bearer.who.tenant):
            return too_many(over, service.metrics)
        may = bearer.may if service.office.settings.enforce_scopes else HERE.may
        scope["assay.came"] = Came(bearer, Caller(request_id(scope), address(scope), may))
        return None


def _unauthorized(error: Refused, service: Service, request: Request) -> Response:
    """401, and where a client learns how to get a token."""
    missing = "authorization" not in request.headers
    about = "" if missing else f', error="invalid_token", error_description="{error.message}"'
    where = f"{service.base(request)}{PROTECTED}{MCP}"
    return _told(error, 401, {"WWW-Authenticate": f'Bearer resource_metadata="{where}"{about}'})


class _Plain:
    """Any other endpoint: a function of what was asked, in a thread of its own."""

    def __init__(self, service: Service, path: str, end: End, places: CapacityLimiter) -> None:
        self._service, self._path, self._end, self._places = service, path, end, places

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["assay.route"] = self._path
        request = Request(scope, receive)
        body = await _body(request)
        answer = (
            TOO_LARGE
            if body is None
            else await to_thread.run_sync(
                self._answer, Ask(self._service, request, body), limiter=self._places
            )
        )
        await answer(scope, receive, send)

    def _answer(self, ask: Ask) -> Response:
        try:
            return self._end(ask)
        except ResearchError as error:
            return _told(error, next(status for kind, status in STATUS if isinstance(error, kind)))


async def _body(request: Request) -> bytes | None:
    """The body; None where it is too large for anything there is to say."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > SMALL:
            return None
    return body


TOO_LARGE = JSONResponse({"error": {"message": f"This request has {SMALL} bytes at most."}}, 413)


def _told(error: ResearchError, status: int, headers: dict[str, str] | None = None) -> Response:
    told: Json = {
        "message": error.message,
        **({"nextStep": error.next_step} if error.next_step else {}),
    }
    return JSONResponse({"error": told}, status, headers)


async def _no_route(_request: Request, error: HTTPException) -> Response:
    return JSONResponse({"error": {"message": error.detail}}, error.status_code, error.headers)


# ---------------------------------------------------------------- endpoints that anybody may ask


def _live(_ask: Ask) -> Response:
    return JSONResponse({"status": "ok"})


def _ready(ask: Ask) -> Response:
    """Whether calls can be served: the database answers. Raises StoreError."""
    with ask.service.office.db.reading() as conn:
        conn.execute(sa.select(1))
    return JSONResponse({"status": "ready"})


def _metrics(ask: Ask) -> Response:
    service = ask.service
    text = service.metrics.text(
        assay_principals=len(service.seats), assay_start_time_seconds=service.began
    )
    return PlainTextResponse(text, media_type=MEDIA_TYPE)


def _protected_resource(ask: Ask) -> Response:
    """RFC 9728: whose tokens open what."""
    settings = ask.service.office.settings
    if not settings.issuer:
        return NOT_HERE
    return JSONResponse(
        {
            "resource": f"{ask.service.base(ask.request)}{MCP}",
            "authorization_servers": [settings.issuer],
            "bearer_methods_supported": ["header"],
            "scopes_supported": ["research", "tool:*"],
            "resource_name": "Assay",
        }
    )


def _authorization_server(ask: Ask) -> Response:
    """RFC 8414: how one signs in with the issuer, in its own words. Raises FetchError."""
    issuer = ask.service.office.settings.issuer
    if not issuer:
        return NOT_HERE
    failure: BoundaryError | None = None
    for published in ask.service.sign_in:
        try:
            told = published.get()
        except BoundaryError as error:
            failure = failure or error
            continue
        if told.get("issuer") == issuer:
            return JSONResponse(told)
    raise failure or SettingsError(
        "What the issuer publishes is another issuer's.",
        next_step="Check OAUTH_ISSUER_URL, to the letter.",
    )


NOT_HERE = JSONResponse(
    {"error": {"message": "Nobody signs in at this server: it is open to this machine only."}}, 404
)

#: Every endpoint but the protocol's.
TABLE: tuple[tuple[str, str, End], ...] = (
    ("GET", "/health/live", _live),
    ("GET", "/health/ready", _ready),
    ("GET", "/metrics", _metrics),
    ("GET", "/.well-known/oauth-authorization-server", _authorization_server),
    ("GET", PROTECTED, _protected_resource),
    ("GET", f"{PROTECTED}{MCP}", _protected_resource),
    *dashboard.TABLE,
    *admin.TABLE,
)
