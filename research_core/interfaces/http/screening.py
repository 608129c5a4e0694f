"""What every request passes, whatever it is for: its id, the headers of its answer, where it may
come from, how large it may be.

On an open server the names of this machine are the only hosts it answers to, and no page but its
own may ask it anything: whatever a browser on this machine has open is no user of it. Who asks is
not this module's matter.
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
    """What requests are screened by. open: nobody signs in, so that only this machine may ask."""

    settings: Settings
    limits: Limits
    metrics: Metrics

    @property
    def open(self) -> bool:
        return not self.settings.issuer


def screen_requests(serve: ASGIApp, screen: ScreeningRules) -> ASGIApp:
    """The same application behind this screen."""

    async def serve_screened(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await serve(scope, receive, send)
            return
        headers, id = Headers(scope=scope), read_request_id(scope)
        allowed = headers.get("origin", "") in screen.settings.cors_origins

        async def send_dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {
                    **message,
                    "headers": list(message["headers"]),
                }  # an answer may be given again, to others
                _set_headers(
                    MutableHeaders(raw=message["headers"]), id, headers["origin"] if allowed else ""
                )
                screen.metrics.add(
                    "assay_http_requests_total",
                    route=scope.get("assay.route", UNROUTED),
                    status=str(message["status"]),
                )
            await send(message)

        screen.metrics.change("assay_requests_open", 1.0)
        try:
            answer = _refuse_request(scope, headers, screen) or (
                _preflight_response(headers) if scope["method"] == "OPTIONS" else None
            )
            await (answer or serve)(scope, _limit_body_time(receive), send_dressed)
        finally:
            screen.metrics.change("assay_requests_open", -1.0)

    return serve_screened


#: What a request is counted under that leads nowhere.
UNROUTED = "none"


def read_request_id(scope: Scope) -> str:
    """The request's own id, where it came with one that can be written down; else a new one. The
    same each time it is asked for.
    """
    given = Headers(scope=scope).get("x-request-id", "")
    id: str = scope.setdefault("assay.id", given if _ID.fullmatch(given) else uuid.uuid4().hex)
    return id


def read_client_address(scope: Scope) -> str:
    """The client's, "" where there is none."""
    return str(scope["client"][0]) if scope.get("client") else ""


def _limit_body_time(receive: Receive) -> Receive:
    """The same, where a client that takes too long to send its body went away."""
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
    """What is answered to a request that is served no further; None where it may be."""
    why = ""
    if screen.open and _host_name(headers.get("host", "")) not in LOOPBACK:
        why, status, said = (
            "host",
            421,
            (
                "This server has no such name. It is open to this machine only: ask it as 127.0.0.1"
                " or localhost."
            ),
        )
    elif (origin := headers.get("origin")) is not None and not _is_allowed_origin(
        origin, headers, screen
    ):
        why, status, said = (
            "origin",
            403,
            (
                "Pages of this origin may not use this server; CORS_ALLOWED_ORIGINS lists those"
                " that may."
            ),
        )
    elif (headers.get("content-length") or "0").isdigit() and int(
        headers.get("content-length") or 0
    ) > MAX_BODY_BYTES:
        why, status, said = "size", 413, f"A request has {MAX_BODY_BYTES} bytes at most."
    if why:
        screen.metrics.add("assay_refused_total", why=why)
        return JSONResponse({"error": {"message": said}}, status)
    over = screen.limits.address(read_client_address(scope))
    return too_many_requests_response(over, screen.metrics) if over else None


def too_many_requests_response(over: Refusal, metrics: Metrics) -> Response:
    """429, and when to ask again."""
    metrics.add("assay_refused_total", why=over.limit)
    told = {"message": over.message, "retryable": True, "retryAfterSeconds": over.retry_s}
    return JSONResponse({"error": told}, 429, {"Retry-After": str(over.retry_s)})


def _host_name(text: str) -> str:
    """The name of a Host header, without its port; "" for what is none."""
    try:
        return urlsplit(f"//{text}").hostname or ""
    except ValueError:
        return ""


def _is_allowed_origin(origin: str, headers: Headers, screen: ScreeningRules) -> bool:
    """The owner's list, and the pages of this very server."""
    return origin in screen.settings.cors_origins or origin.partition("://")[2] == headers.get(
        "host", ""
    )


def _preflight_response(headers: Headers) -> Response:
    """A browser asks what a page may send; one that came this far is of an origin that may."""
    return Response(
        None,
        204,
        CORS_HEADERS
        if "access-control-request-method" in headers
        else {"Allow": "GET, POST, DELETE"},
    )
