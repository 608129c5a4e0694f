"""Screen every request: its id, its origin and size, and the headers of its response.

An open server, where nobody signs in, answers only to the names of this machine and to its own
pages, so that no other page in a local browser can use it. Authentication is not done here.
"""

from __future__ import annotations

import math
import re
import uuid
from dataclasses import dataclass
from urllib.parse import urlsplit

import anyio
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from research_core.interfaces.http.metrics import Metrics
from research_core.journal.limits import Limits, Refusal
from research_core.settings import Settings
from research_core.values import LOOPBACK

MAX_BODY_BYTES = 10_000_000
#: Seconds between two pieces of a body.
BODY_TIMEOUT_S = 30.0
SECURITY_HEADERS = {
    "Content-Security-Policy": "default-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
    "Cache-Control": "no-store",
}
#: What a page of another origin may send, where its origin is one of the owner's list; never the
#: operator's key.
CORS_HEADERS = {
    "Access-Control-Allow-Methods": "POST, GET",
    "Access-Control-Allow-Headers": (
        "Authorization, Content-Type, Accept, Mcp-Protocol-Version, Mcp-Method, Mcp-Name,"
        " Last-Event-ID"
    ),
    "Access-Control-Max-Age": "600",
}
EXPOSED_HEADERS = "WWW-Authenticate, X-Request-Id, Retry-After"
_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")


@dataclass(frozen=True)
class ScreeningRules:
    """The rules for all requests. is_open: nobody signs in, so only this machine may ask."""

    settings: Settings
    limits: Limits
    metrics: Metrics

    @property
    def is_open(self) -> bool:
        return not self.settings.issuer


def screen_requests(serve: ASGIApp, screen: ScreeningRules) -> ASGIApp:
    """Return the application behind the screening rules."""

    async def serve_screened(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await serve(scope, receive, send)
            return
        headers, id = Headers(scope=scope), read_request_id(scope)
        allowed = headers.get("origin", "") in screen.settings.cors_origins

        async def send_screened(message: Message) -> None:
            if message["type"] == "http.response.start":
                # A copy, since one response object may answer other requests too.
                message = {**message, "headers": list(message["headers"])}
                origin = headers["origin"] if allowed else ""
                _set_headers(MutableHeaders(raw=message["headers"]), id, origin)
                screen.metrics.add(
                    "assay_http_requests_total",
                    route=scope.get("assay.route", UNROUTED),
                    status=str(message["status"]),
                )
            await send(message)

        screen.metrics.change_gauge("assay_requests_open", 1.0)
        try:
            answer = _refuse_request(scope, headers, screen)
            if answer is None and scope["method"] == "OPTIONS":
                answer = _preflight_response(headers)
            await (answer or serve)(scope, _limit_body_time(receive), send_screened)
        finally:
            screen.metrics.change_gauge("assay_requests_open", -1.0)

    return serve_screened


#: What a request is counted under that leads nowhere.
UNROUTED = "none"


def read_request_id(scope: Scope) -> str:
    """Return the id of a request: its own if it is well-formed, else a new one."""
    given = Headers(scope=scope).get("x-request-id", "")
    id: str = scope.setdefault("assay.id", given if _ID.fullmatch(given) else uuid.uuid4().hex)
    return id


def read_client_address(scope: Scope) -> str:
    """Return the address of the client, "" if unknown."""
    return str(scope["client"][0]) if scope.get("client") else ""


def _limit_body_time(receive: Receive) -> Receive:
    """Return a receiver that disconnects clients that send their body too slowly."""
    whole = False

    async def receive_in_time() -> Message:
        nonlocal whole
        with anyio.move_on_after(math.inf if whole else BODY_TIMEOUT_S):
            message = await receive()
            whole = whole or not message.get("more_body", False)
            return message
        return {"type": "http.disconnect"}

    return receive_in_time


def _set_headers(headers: MutableHeaders, id: str, origin: str) -> None:
    for name, value in SECURITY_HEADERS.items():
        headers.setdefault(name, value)
    headers["X-Request-Id"] = id
    headers.add_vary_header("Origin")
    if origin:
        headers["Access-Control-Allow-Origin"] = origin
        headers["Access-Control-Expose-Headers"] = EXPOSED_HEADERS


def _refuse_request(scope: Scope, headers: Headers, screen: ScreeningRules) -> Response | None:
    """Return the response for a refused request, or None if it may proceed."""
    origin = headers.get("origin")
    size = headers.get("content-length") or "0"
    if screen.is_open and read_host_name(headers.get("host", "")) not in LOOPBACK:
        why = "host"
        status = 421
        message = (
            "This server has no such name. It is open to this machine only: ask it as 127.0.0.1"
            " or localhost."
        )
    elif origin is not None and not _is_allowed_origin(origin, headers, screen):
        why = "origin"
        status = 403
        message = (
            "Pages of this origin may not use this server; CORS_ALLOWED_ORIGINS lists those"
            " that may."
        )
    elif size.isdigit() and int(size) > MAX_BODY_BYTES:
        why = "size"
        status = 413
        message = f"A request has {MAX_BODY_BYTES} bytes at most."
    else:
        over = screen.limits.count_address(read_client_address(scope))
        return too_many_requests_response(over, screen.metrics) if over else None
    screen.metrics.add("assay_refused_total", why=why)
    return JSONResponse({"error": {"message": message}}, status)


def too_many_requests_response(over: Refusal, metrics: Metrics) -> Response:
    """Return a 429 response that says when to retry."""
    metrics.add("assay_refused_total", why=over.limit)
    error = {"message": over.message, "retryable": True, "retryAfterSeconds": over.retry_s}
    return JSONResponse({"error": error}, 429, {"Retry-After": str(over.retry_s)})


def read_host_name(text: str) -> str:
    """Return the name in a Host header without its port, "" for an invalid one."""
    if "@" in text:
        return ""
    try:
        return urlsplit(f"//{text}").hostname or ""
    except ValueError:
        return ""


def _is_allowed_origin(origin: str, headers: Headers, screen: ScreeningRules) -> bool:
    """Return whether the origin is in the owner's list, or is this server itself."""
    if origin in screen.settings.cors_origins:
        return True
    return origin.partition("://")[2] == headers.get("host", "")


def _preflight_response(headers: Headers) -> Response:
    """Return the answer to a preflight request whose origin is allowed."""
    is_preflight = "access-control-request-method" in headers
    return Response(None, 204, CORS_HEADERS if is_preflight else {"Allow": "GET, POST, DELETE"})
