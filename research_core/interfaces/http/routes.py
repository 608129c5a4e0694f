"""Define what an endpoint receives, and guard endpoints by the operator's key."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from ipaddress import IPv6Address, ip_address
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from research_core.errors import UsageError
from research_core.interfaces.http.screening import read_client_address, read_host_name
from research_core.interfaces.http.service import HttpService
from research_core.model_messages import Json
from research_core.models import Principal
from research_core.values import LOOPBACK

ADMIN_KEY_HEADER = "x-admin-key"
BASIC_CHALLENGE = 'Basic realm="Assay: ADMIN_API_KEY as the password", charset="UTF-8"'
#: Headers that proxies add to the requests they pass on.
PROXY_HEADERS = (
    "forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip",
    "cf-connecting-ip", "true-client-ip",
)  # fmt: skip
#: Characters of a text in a request: of a name, an id or a purpose.
MAX_TEXT_LENGTH = 200


@dataclass(frozen=True)
class EndpointRequest:
    """One request with its whole body."""

    service: HttpService
    http_request: Request
    body: bytes

    def json(self) -> Json:
        """Return the body as a JSON object. Raises UsageError."""
        try:
            value = json.loads(self.body)
        except (ValueError, RecursionError) as error:
            raise UsageError("The body is no JSON.", next_step="Send a JSON object.") from error
        if not isinstance(value, dict):
            raise UsageError("The body is JSON that is no object.", next_step="Send a JSON object.")
        return value

    def parameters(self) -> Json:
        """Return the parameters of the query and of the body. Raises UsageError."""
        parameters: Json = dict(self.http_request.query_params)
        if self.body.strip():
            parameters |= self.json()
        return parameters


#: Answers a request, in a thread. It may raise any ResearchError.
Endpoint = Callable[[EndpointRequest], Response]


def read_text(given: Json, name: str, *, default: str | None = None) -> str:
    """Return a text of a request, stripped.

    Raises UsageError if it is missing without a default, too long, or not printable.
    """
    value: Any = given.get(name, default)
    wrong = UsageError(
        f"{name} has to be given, as a text of {MAX_TEXT_LENGTH} characters at most."
    )
    if not isinstance(value, str) or len(value) > MAX_TEXT_LENGTH or not value.isprintable():
        raise wrong
    if not value.strip() and value != default:
        raise wrong
    return value.strip()


def read_principal(given: Json) -> Principal:
    """Return the principal that a request is about. Raises UsageError."""
    return Principal(read_text(given, "tenant_id"), read_text(given, "user_id"))


def require_admin_key(endpoint: Endpoint) -> Endpoint:
    """Return the endpoint guarded by the operator's key."""

    @wraps(endpoint)
    def check_and_answer(request: EndpointRequest) -> Response:
        return refuse_without_admin_key(request) or endpoint(request)

    return check_and_answer


def require_operator(endpoint: Endpoint) -> Endpoint:
    """Return the endpoint guarded by the operator's key, which callers of this machine may omit."""

    @wraps(endpoint)
    def check_and_answer(request: EndpointRequest) -> Response:
        if is_local_caller(request):
            return endpoint(request)
        return refuse_operator_view(request) or endpoint(request)

    return check_and_answer


def refuse_without_admin_key(request: EndpointRequest) -> Response | None:
    """Return an error response, or None if the request has the operator's key."""
    return _refuse_key(request, request.http_request.headers.get(ADMIN_KEY_HEADER, ""), {})


def refuse_operator_view(request: EndpointRequest) -> Response | None:
    """Return an error response, or None if the request may see what the operator sees.

    Browsers and scrapers of metrics may send the key as the password of HTTP Basic authentication,
    which only these endpoints accept: they change nothing.
    """
    headers = request.http_request.headers
    given = headers.get(ADMIN_KEY_HEADER, "") or _read_basic_password(
        headers.get("authorization", "")
    )
    return _refuse_key(request, given, {"WWW-Authenticate": BASIC_CHALLENGE})


def is_local_caller(request: EndpointRequest) -> bool:
    """Return whether a program of this machine made the request itself.

    A request that a proxy passed on is not local, although its connection may be: with a proxy in
    front, every caller has the address of this machine.
    """
    if request.service.screening.is_open:
        return True
    settings = request.service.resources.settings
    if settings.public_url or settings.trusted_proxies:
        return False
    if any(name in request.http_request.headers for name in PROXY_HEADERS):
        return False
    # Another site's page can reach this machine under a name of its own.
    # The header itself is read: `url` has the server's own address where a name is unusual.
    if read_host_name(request.http_request.headers.get("host", "")) not in LOOPBACK:
        return False
    return _is_loopback(read_client_address(request.http_request.scope))


def _is_loopback(text: str) -> bool:
    try:
        address = ip_address(text)
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address).is_loopback


def _read_basic_password(authorization: str) -> str:
    """Return the password of an HTTP Basic header, "" without one."""
    scheme, _, encoded = authorization.partition(" ")
    if scheme.lower() != "basic":
        return ""
    try:
        decoded = base64.b64decode(encoded.strip(), validate=True).decode()
    except ValueError:
        return ""
    return decoded.partition(":")[2]


def _refuse_key(request: EndpointRequest, given: str, challenge: dict[str, str]) -> Response | None:
    """Return an error response, or None if this is the operator's key."""
    settings = request.service.resources.settings
    if not settings.admin_key:
        return JSONResponse({"error": {"message": "Nobody may: ADMIN_API_KEY is not set."}}, 403)
    hashed = _hash_key(given)
    keys = [key for key in (settings.admin_key, settings.admin_key_prev) if key]
    # Each is compared, in constant time, so that the time says nothing about either.
    matches = [hmac.compare_digest(hashed, _hash_key(key)) for key in keys]
    if any(matches):
        return None
    request.service.metrics.add("assay_refused_total", why="admin_key")
    error = {"message": "X-Admin-Key is missing or wrong."}
    return JSONResponse({"error": error}, 401, challenge)


def _hash_key(key: str) -> bytes:
    """Hash a key, so that keys of any length are compared in the same time."""
    return hashlib.sha256(key.encode("utf-8", "replace")).digest()
