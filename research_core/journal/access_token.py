"""Fetch an access token just before each call that needs one, and forget it afterwards.

Used only when a call is really made. Answers from the log or the cache need no token, so a replay
or resume needs neither the account nor the network; no event, cache entry or call key holds one.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from research_core.errors import BoundaryError, FetchError
from research_core.journal import redaction
from research_core.journal.deps import Login, Send
from research_core.models import HttpReply

MAX_TOKEN_BYTES = 64_000
#: Options of a call that apply to its token request too.
SHARED_OPTIONS = ("endpoint", "stop", "on_behalf")


def with_access_token(send: Send, login: Login | None) -> Send:
    """Return a `send` that gives each request its own token; the same one without a login."""
    return partial(_send_with_token, send, login) if login else send


def _send_with_token(
    send: Send,
    login: Login,
    method: str,
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    timeout_s: float,
    **options: Any,
) -> HttpReply:
    """Fetch a token and send the request with it. timeout_s: for both requests.

    If the token is refused, the refusal is returned as the answer of the call.
    """
    until = time.monotonic() + timeout_s
    shared = {name: options[name] for name in SHARED_OPTIONS if name in options}
    token_reply = send(
        "POST",
        login.url,
        headers={"accept": "application/json", **login.headers},
        data={"grant_type": "client_credentials"},
        timeout_s=timeout_s,
        max_bytes=MAX_TOKEN_BYTES,
        **shared,
    )
    if token_reply.status != 200:
        return token_reply
    carried = {"authorization": f"Bearer {_parse_token(token_reply)}"}
    secrets = redaction.collect_secrets("", {}, carried, endpoint=False)
    left = until - time.monotonic()
    if left <= 0:
        raise FetchError("The service did not issue a token in time.", kind="timeout")
    try:
        reply = send(method, url, headers={**(headers or {}), **carried}, timeout_s=left, **options)
    except BoundaryError as error:
        error.message = redaction.remove_secrets(error.message, secrets)
        raise
    return _remove_secrets(reply, secrets)


def _parse_token(reply: HttpReply) -> str:
    try:
        parsed = json.loads(reply.body)
    except (ValueError, RecursionError):
        parsed = None
    token = parsed.get("access_token") if isinstance(parsed, dict) else None
    if not isinstance(token, str) or not token.strip():
        raise FetchError("The service issued no token.", kind="bad_reply")
    return token.strip()


def _remove_secrets(reply: HttpReply, secrets: Sequence[str]) -> HttpReply:
    """Return the reply without these secrets, wherever it repeats them."""
    headers = {
        name: redaction.remove_secrets(value, secrets) for name, value in reply.headers.items()
    }
    return HttpReply(
        redaction.remove_secrets(reply.url, secrets),
        reply.status,
        headers,
        redaction.remove_secrets(reply.body, secrets),
        tuple(redaction.remove_secrets(hop, secrets) for hop in reply.hops),
    )
