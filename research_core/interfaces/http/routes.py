"""Define what an endpoint receives, and guard endpoints by the operator's key."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from research_core.errors import UsageError
from research_core.interfaces.http.service import Service
from research_core.model_messages import Json
from research_core.models import Principal

ADMIN_KEY_HEADER = "x-admin-key"


@dataclass(frozen=True)
class EndpointRequest:
    """One request with its whole body."""

    service: Service
    request: Request
    body: bytes

    def json(self) -> Json:
        """Return the body as a JSON object. Raises UsageError."""
        try:
            told = json.loads(self.body)
        except (ValueError, RecursionError) as error:
            raise UsageError("The body is no JSON.", next_step="Send a JSON object.") from error
        if not isinstance(told, dict):
            raise UsageError("The body is JSON that is no object.", next_step="Send a JSON object.")
        return told

    def parameters(self) -> Json:
        """Return the parameters of the query and of the body. Raises UsageError."""
        parameters: Json = dict(self.request.query_params)
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
    if (
        not isinstance(value, str)
        or not (value.strip() or value == default)
        or len(value) > 200
        or not value.isprintable()
    ):
        raise UsageError(f"{name} has to be given, as a text of 200 characters at most.")
    return value.strip()


def read_principal(given: Json) -> Principal:
    """Return the principal that a request is about. Raises UsageError."""
    return Principal(read_text(given, "tenant_id"), read_text(given, "user_id"))


def require_admin_key(end: Endpoint) -> Endpoint:
    """Return the endpoint guarded by the operator's key.

    Keys are compared in constant time.
    """

    @wraps(end)
    def check_and_answer(ask: EndpointRequest) -> Response:
        return refuse_without_admin_key(ask) or end(ask)

    return check_and_answer


def refuse_without_admin_key(ask: EndpointRequest) -> Response | None:
    """Return an error response, or None if the request has the operator's key."""
    settings = ask.service.resources.settings
    if not settings.admin_key:
        return JSONResponse({"error": {"message": "Nobody may: ADMIN_API_KEY is not set."}}, 403)
    given = _hash_key(ask.request.headers.get(ADMIN_KEY_HEADER, ""))
    right = [
        hmac.compare_digest(given, _hash_key(key))
        for key in (settings.admin_key, settings.admin_key_prev)
        if key
    ]
    if any(right):
        return None
    ask.service.metrics.add("assay_refused_total", why="admin_key")
    return JSONResponse({"error": {"message": "X-Admin-Key is missing or wrong."}}, 401)


def _hash_key(key: str) -> bytes:
    """Hash a key, so that keys of any length are compared in the same time."""
    return hashlib.sha256(key.encode("utf-8", "replace")).digest()
