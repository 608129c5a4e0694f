"""Build the HTTP application: its table of routes, and the authentication of requests to /mcp.

Every response passes `screening`. The operator's endpoints are in `admin` and `dashboard`.
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
from research_core.interfaces.http.routes import (
    Endpoint,
    EndpointRequest,
    require_operator,
)
from research_core.interfaces.http.screening import (
    MAX_BODY_BYTES,
    read_client_address,
    read_request_id,
    screen_requests,
    too_many_requests_response,
)
from research_core.interfaces.http.service import ADMITTED_KEY, AdmittedRequest, HttpService
from research_core.interfaces.http.tokens import Refused
from research_core.interfaces.mcp.server import build_shared_server
from research_core.model_messages import Json
from research_core.sessions import retention
from research_core.sessions.tool_calls import LOCAL_CALLER, Caller

MCP_PATH = "/mcp"
PROTECTED_RESOURCE_PATH = "/.well-known/oauth-protected-resource"
#: Tokens checked in parallel: a check may have to fetch the issuer's keys.
MAX_TOKEN_CHECKS = 16
#: Other requests answered in parallel; bytes of their bodies.
MAX_ENDPOINT_CALLS, MAX_ENDPOINT_BODY_BYTES = 8, 65_536
#: The HTTP status for each class of error, narrowest class first.
HTTP_STATUS: tuple[tuple[type[ResearchError], int], ...] = (
    (UsageError, 400), (SettingsError, 503), (StoreError, 503), (BoundaryError, 502),
    (ResearchError, 500),
)  # fmt: skip


def build_application(service: HttpService) -> ASGIApp:
    """Build the server. Raises SettingsError if the first request would fail."""
    service.check()
    protocol = build_shared_server(service.find_caller, service.heartbeat_s)
    # Stateless: each request brings its own token, and any process can answer it.
    manager = StreamableHTTPSessionManager(
        protocol, stateless=True, max_request_body_size=MAX_BODY_BYTES
    )

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        service.closing = anyio.Event()  # made here, since an event belongs to one loop
        async with manager.run(), anyio.create_task_group() as beside:
            beside.start_soon(_remove_expired_data, service)
            yield
            beside.cancel_scope.cancel()

    protocol_routes = [
        Route(path, _McpEndpoint(service, manager.handle_request), methods=["POST"])
        for path in (MCP_PATH, f"{MCP_PATH}/")
    ]
    places = CapacityLimiter(MAX_ENDPOINT_CALLS)
    others = [
        Route(path, _PlainEndpoint(service, path, endpoint, places), methods=[method])
        for method, path, endpoint in APP_ROUTES
    ]
    handlers: dict[Any, Any] = {HTTPException: _http_error_response}
    return screen_requests(
        Starlette(
            routes=[*protocol_routes, *others], exception_handlers=handlers, lifespan=lifespan
        ),
        service.screening,
    )


async def _remove_expired_data(service: HttpService) -> None:
    """Remove expired data now and then daily: no other process may run on this machine."""
    while True:
        try:
            await to_thread.run_sync(
                retention.enforce_retention, service.resources, abandon_on_cancel=True
            )
        except ResearchError as error:
            service.say(f"Removing what is kept no longer failed: {error.sentence()}")
        await anyio.sleep(retention.DAY_S)


class _McpEndpoint:
    """The MCP endpoint: it authenticates and limits a request, then passes it to the protocol."""

    def __init__(self, service: HttpService, serve: ASGIApp) -> None:
        self._service = service
        self._serve = serve
        self._places = CapacityLimiter(MAX_TOKEN_CHECKS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["assay.route"] = MCP_PATH
        refusal = await to_thread.run_sync(self._refusal, scope, limiter=self._places)
        await (refusal or self._serve)(scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        """Return an error response, or None if the request is authenticated.

        An authenticated request is recorded in the scope.
        """
        service = self._service
        try:
            bearer = service.authenticate(Headers(scope=scope))
        except Refused as error:
            service.metrics.add("assay_refused_total", why="token")
            return _unauthorized_response(error, service, Request(scope))
        except ResearchError as error:
            service.metrics.add("assay_refused_total", why="could_not_check")
            return _error_response(error, 503, {"Retry-After": "60"})
        over = service.limits.count_request(bearer.who.tenant, bearer.who.user)
        if over:
            return too_many_requests_response(over, service.metrics)
        settings = service.resources.settings
        # An open server has no tokens, so there are no scopes to enforce.
        may = bearer.may if settings.issuer and settings.enforce_scopes else LOCAL_CALLER.may
        caller = Caller(read_request_id(scope), read_client_address(scope), may)
        scope[ADMITTED_KEY] = AdmittedRequest(bearer, caller)
        return None


def _unauthorized_response(error: Refused, service: HttpService, request: Request) -> Response:
    """Return a 401 response that says where a client can get a token."""
    missing = "authorization" not in request.headers
    about = "" if missing else f', error="invalid_token", error_description="{error.message}"'
    where = f"{service.public_address(request)}{PROTECTED_RESOURCE_PATH}{MCP_PATH}"
    return _error_response(
        error, 401, {"WWW-Authenticate": f'Bearer resource_metadata="{where}"{about}'}
    )


class _PlainEndpoint:
    """Any other endpoint: a function of the request, in a thread because the database blocks."""

    def __init__(
        self, service: HttpService, path: str, endpoint: Endpoint, places: CapacityLimiter
    ) -> None:
        self._service = service
        self._path = path
        self._endpoint = endpoint
        self._places = places

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["assay.route"] = self._path
        http_request = Request(scope, receive)
        body = await _read_body(http_request)
        if body is None:
            answer: Response = BODY_TOO_LARGE
        else:
            request = EndpointRequest(self._service, http_request, body)
            answer = await to_thread.run_sync(self._answer, request, limiter=self._places)
        await answer(scope, receive, send)

    def _answer(self, request: EndpointRequest) -> Response:
        try:
            return self._endpoint(request)
        except ResearchError as error:
            matching = [status for kind, status in HTTP_STATUS if isinstance(error, kind)]
            return _error_response(error, matching[0])


async def _read_body(request: Request) -> bytes | None:
    """Return the body, or None if it is larger than `MAX_ENDPOINT_BODY_BYTES`."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_ENDPOINT_BODY_BYTES:
            return None
    return body


BODY_TOO_LARGE = JSONResponse(
    {"error": {"message": f"This request has {MAX_ENDPOINT_BODY_BYTES} bytes at most."}}, 413
)


def _error_response(
    error: ResearchError, status: int, headers: dict[str, str] | None = None
) -> Response:
    answer: Json = {"message": error.message}
    if error.next_step:
        answer["nextStep"] = error.next_step
    return JSONResponse({"error": answer}, status, headers)


async def _http_error_response(request: Request, error: HTTPException) -> Response:
    """Return a JSON error; for a method that a path does not have, with those it has."""
    methods = _list_methods(request.url.path) if error.status_code == 405 else []
    if not methods:
        return JSONResponse({"error": {"message": error.detail}}, error.status_code, error.headers)
    allowed = ", ".join(methods)
    message = f"{request.url.path} does not answer {request.method}, but {allowed}."
    return JSONResponse({"error": {"message": message}}, 405, {"Allow": allowed})


def _list_methods(path: str) -> list[str]:
    """Return the methods of a path in the order of the table, [] for an unknown path."""
    if path.rstrip("/") == MCP_PATH:
        return ["POST"]
    return [method for method, route, _ in APP_ROUTES if route == path]


# ---------------------------------------------------------------- endpoints that anybody may ask


def _report_liveness(_request: EndpointRequest) -> Response:
    return JSONResponse({"status": "ok"})


def _report_readiness(request: EndpointRequest) -> Response:
    """Report that the database answers. Raises StoreError."""
    with request.service.resources.db.reading() as conn:
        conn.execute(sa.select(1))
    return JSONResponse({"status": "ready"})


def _report_metrics(request: EndpointRequest) -> Response:
    service = request.service
    text = service.metrics.format_text(
        assay_principals=len(service.clients), assay_start_time_seconds=service.began
    )
    return PlainTextResponse(text, media_type=MEDIA_TYPE)


def _describe_protected_resource(request: EndpointRequest) -> Response:
    """Return the protected resource metadata (RFC 9728)."""
    settings = request.service.resources.settings
    if not settings.issuer:
        return NO_SIGN_IN
    return JSONResponse(
        {
            "resource": f"{request.service.public_address(request.http_request)}{MCP_PATH}",
            "authorization_servers": [settings.issuer],
            "bearer_methods_supported": ["header"],
            "scopes_supported": ["research", "tool:*"],
            "resource_name": "Assay",
        }
    )


def _describe_authorization_server(request: EndpointRequest) -> Response:
    """Return the issuer's own authorization server metadata (RFC 8414).

    Raises FetchError, and SettingsError if the metadata is another issuer's.
    """
    issuer = request.service.resources.settings.issuer
    if not issuer:
        return NO_SIGN_IN
    failure: BoundaryError | None = None
    for published in request.service.issuer_metadata:
        try:
            metadata = published.get()
        except BoundaryError as error:
            failure = failure or error
            continue
        if metadata.get("issuer") == issuer:
            return JSONResponse(metadata)
    raise failure or SettingsError(
        "What the issuer publishes is another issuer's.",
        next_step="Check OAUTH_ISSUER_URL, to the letter.",
    )


NO_SIGN_IN = JSONResponse(
    {"error": {"message": "Nobody signs in at this server: it is open to this machine only."}}, 404
)

#: Every endpoint but the protocol's.
APP_ROUTES: tuple[tuple[str, str, Endpoint], ...] = (
    ("GET", "/health/live", _report_liveness),
    ("GET", "/health/ready", _report_readiness),
    ("GET", "/metrics", require_operator(_report_metrics)),
    ("GET", "/.well-known/oauth-authorization-server", _describe_authorization_server),
    ("GET", PROTECTED_RESOURCE_PATH, _describe_protected_resource),
    ("GET", f"{PROTECTED_RESOURCE_PATH}{MCP_PATH}", _describe_protected_resource),
    *dashboard.DASHBOARD_ROUTES,
    *admin.ADMIN_ROUTES,
)
