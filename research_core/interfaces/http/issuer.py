"""Fetch and cache what the token issuer publishes: its keys and its sign-in metadata."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from joserfc.errors import JoseError
from joserfc.jwk import RSAKey

from research_core.errors import BoundaryError, FetchError
from research_core.journal.deps import RawHttp
from research_core.model_messages import Json
from research_core.settings import Settings

CACHE_S, RETRY_S = 3_600.0, 60.0
TIMEOUT_S, MAX_BYTES = 10.0, 512_000
#: Base64 digits of a modulus of 2,048 bits; shorter keys are not secure.
MIN_MODULUS_DIGITS = 342


@dataclass
class PublishedJson:
    """A cached JSON object at one address, for any number of threads.

    One thread fetches it while the others wait. now: a clock in seconds for measuring intervals.
    """

    url: str
    http: RawHttp
    now: Callable[[], float]
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _held: Json | None = None
    _at: float = 0.0
    _tried: float | None = None
    _failure: BoundaryError | None = None

    def get(self, *, again: bool = False) -> Json:
        """Return the object: at most `CACHE_S` old, or older while its address does not answer.

        again: fetch it anew even if it is fresh. Whatever is asked for, at least `RETRY_S` pass
        between two requests. Raises FetchError if there was never an answer.
        """
        with self._lock:
            now = self.now()
            stale = self._held is None or again or now - self._at >= CACHE_S
            if stale and (self._tried is None or now - self._tried >= RETRY_S):
                self._tried = now
                try:
                    self._held, self._at, self._failure = self._ask(), now, None
                except BoundaryError as error:
                    self._failure = error
            if self._held is None:
                assert self._failure is not None  # it was asked at least once
                raise self._failure
            return self._held

    def _ask(self) -> Json:
        headers = {"accept": "application/json"}
        reply = self.http.send(
            "GET",
            self.url,
            headers=headers,
            timeout_s=TIMEOUT_S,
            max_bytes=MAX_BYTES,
            endpoint=True,
            on_behalf="",
        )
        if reply.status != 200:
            raise FetchError(
                f"{self.url} answered {reply.status}.",
                kind="upstream_unavailable",
                status=reply.status,
            )
        try:
            value = json.loads(reply.body)
        except (ValueError, RecursionError) as error:
            raise FetchError(f"{self.url} answered what is no JSON.", kind="bad_reply") from error
        if not isinstance(value, dict):
            raise FetchError(f"{self.url} answered JSON that is no object.", kind="bad_reply")
        return value


class IssuerKeys:
    """The RSA keys of the issuer by their ids."""

    def __init__(self, published: PublishedJson) -> None:
        self._published = published

    def get(self, kid: str) -> RSAKey | None:
        """Return the key of this id, or None. Raises FetchError if no keys are available."""
        key = _find_signing_key(self._published.get(), kid)
        if key is None:  # the issuer may have changed its keys within the hour
            key = _find_signing_key(self._published.get(again=True), kid)
        return key


def _find_signing_key(published: Json, kid: str) -> RSAKey | None:
    """Return the RSA signature key of this id if it is long enough, or None."""
    rows = published.get("keys")
    for row in rows if isinstance(rows, list) else ():
        if not isinstance(row, dict) or row.get("kid") != kid or row.get("kty") != "RSA":
            continue
        if row.get("use", "sig") != "sig" or row.get("alg", "RS256") != "RS256":
            continue
        key = _import_public_key(row)
        if key is not None:
            return key
    return None


def _import_public_key(row: dict[str, Any]) -> RSAKey | None:
    """Import the public key of a row, ignoring its other fields; None if it is weak or broken."""
    n, e = row.get("n"), row.get("e")
    if not isinstance(n, str) or not isinstance(e, str) or len(n) < MIN_MODULUS_DIGITS:
        return None
    try:
        return RSAKey.import_key({"kty": "RSA", "n": n, "e": e})
    except (JoseError, ValueError):
        return None


def jwks_url(settings: Settings) -> str:
    return settings.jwks_url or f"{settings.issuer.rstrip('/')}/.well-known/jwks.json"


def metadata_urls(settings: Settings) -> tuple[str, ...]:
    """Return where the issuer may publish its metadata: by RFC 8414 and by OpenID Connect."""
    below = settings.issuer.rstrip("/")
    return (
        f"{below}/.well-known/oauth-authorization-server",
        f"{below}/.well-known/openid-configuration",
    )
