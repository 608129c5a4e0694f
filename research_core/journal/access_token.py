"""Fetch an access token just before each call that needs one, and forget it afterwards.

Used only when a call is really made. Answers from the log or the cache need no token, so a replay
or resume needs neither the account nor the network; no event, cache entry or call key holds one.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

from research_core.errors import BoundaryError, FetchError
from research_core.journal import redaction
from research_core.journal.deps import Login, RawHttp
from research_core.models import HttpReply

MAX_TOKEN_BYTES = 64_000
#: Options of a call that apply to its token request too.
SHARED_OPTIONS = ("endpoint", "stop", "on_behalf")


def with_access_token(raw: RawHttp, login: Login | None) -> RawHttp:
    """Return an Http whose calls each carry their own token; without a login, `raw` itself."""
    return _TokenHttp(raw, login) if login else raw


class _TokenHttp:
    """Sends each call with a token it fetched first."""

    def __init__(self, raw: RawHttp, login: Login) -> None:
        self._raw, self._login = raw, login

    def send(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        timeout_s: float,
        **how: Any,
    ) -> HttpReply:
        """Send the call with a token. timeout_s: for both requests.

        If the token is refused, the refusal is returned as the answer of the call.
        """
        until = time.monotonic() + timeout_s
        shared = {name: how[name] for name in SHARED_OPTIONS if name in how}
        asked = self._raw.send(
            "POST", self._login.url, headers={"accept": "application/json", **self._login.headers},
            data={"grant_type": "client_credentials"}, timeout_s=timeout_s,
            max_bytes=MAX_TOKEN_BYTES,
            **shared,
        )  # fmt: skip
        if asked.status != 200:
            return asked
        carried = {"authorization": f"Bearer {_parse_token(asked)}"}
        left = until - time.monotonic()
        if left <= 0:
            raise FetchError(
                "The service took all the time of the call to give a token.", kind="timeout"
            )
        return _hide_token(
            carried,
            lambda: self._raw.send(
                method, url, headers={**(headers or {}), **carried}, timeout_s=left, **how
            ),
        )


def _parse_token(reply: HttpReply) -> str:
    try:
        said = json.loads(reply.body)
    except (ValueError, RecursionError):
        said = None
    token = said.get("access_token") if isinstance(said, dict) else None
    if not isinstance(token, str) or not token.strip():
        raise FetchError(
            "The service answered the question for a token without one.", kind="bad_reply"
        )
    return token.strip()


def _hide_token(carried: Mapping[str, str], call: Any) -> HttpReply:
    """Make the call and remove the token from its answer or error, wherever it is repeated."""
    secrets = redaction.collect_secrets("", {}, carried, endpoint=False)
    try:
        reply = call()
    except BoundaryError as error:
        error.message = redaction.remove_secrets(error.message, secrets)
        raise
    headers = {
        name: redaction.remove_secrets(value, secrets) for name, value in reply.headers.items()
    }
    hops = tuple(redaction.remove_secrets(hop, secrets) for hop in reply.hops)
    return HttpReply(
        redaction.remove_secrets(reply.url, secrets),
        reply.status,
        headers,
        redaction.remove_secrets(reply.body, secrets),
        hops,
    )
