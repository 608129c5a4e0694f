"""Verify bearer tokens: RS256 by a key of the issuer, for this audience, current, not revoked.

The MCP SDK's `TokenVerifier` is not used: it can only answer "valid" or "not", so that a client
would neither hear why its token was refused (401) nor that it could not be checked (503).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import RSAKey

from research_core.errors import ResearchError
from research_core.interfaces.http.issuer import IssuerKeys
from research_core.journal.database import Database, insert
from research_core.journal.tables import revoked
from research_core.model_messages import Json
from research_core.models import Principal

ALGORITHMS = ("RS256",)
#: Seconds that the issuer's clock may be ahead of ours.
CLOCK_SKEW_S = 60.0
MAX_TOKEN_CHARACTERS, MAX_NAME_CHARACTERS = 16_384, 200
DEFAULT_TENANT, DEFAULT_USER = "default", "anonymous"
#: The principal of every request if nobody signs in.
ANONYMOUS_PRINCIPAL = Principal(DEFAULT_TENANT, DEFAULT_USER)
#: Scopes that allow every tool.
ALL_SCOPES = frozenset({"research", "tool:*"})


class Refused(ResearchError):
    """The token is not accepted. The message is ASCII, because it is put into a header."""


@dataclass(frozen=True)
class Bearer:
    """Who carries a token. jti: its id, or ""."""

    who: Principal
    scopes: frozenset[str] = frozenset()
    jti: str = ""

    def may(self, tool: str) -> bool:
        """Return whether the scopes allow this tool; a token without scopes allows none."""
        return bool(self.scopes & {*ALL_SCOPES, f"tool:{tool}"})


def verify_token(token: str, keys: IssuerKeys, *, issuer: str, audience: str, now: float) -> Bearer:
    """Verify a token and return its bearer, without checking revocation.

    now: seconds since the epoch. Raises Refused, and FetchError if no key is available.
    """
    claims = _verify_signature(token, keys)
    if claims.get("iss") != issuer:
        raise Refused("The token is by another issuer.")
    audiences = claims.get("aud")
    if isinstance(audiences, str):
        audiences = [audiences]
    if not isinstance(audiences, list) or audience not in audiences:
        raise Refused("The token is meant for somebody else.")
    _check_times(claims, now)
    tenant = _read_name(claims, "tenant_id", DEFAULT_TENANT)
    user = _read_name(claims, "sub", DEFAULT_USER)
    return Bearer(Principal(tenant, user), _read_scopes(claims), _read_name(claims, "jti", ""))


def _verify_signature(token: str, keys: IssuerKeys) -> Json:
    if len(token) > MAX_TOKEN_CHARACTERS:
        raise Refused("The token is too long.")

    def find_key(signed: Any) -> RSAKey:
        kid = signed.headers().get("kid")
        found = keys.get(kid) if isinstance(kid, str) else None
        if found is None:
            raise Refused("The issuer has no key by which this token could be signed.")
        return found

    try:
        return jwt.decode(token, find_key, algorithms=ALGORITHMS).claims
    except (JoseError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise Refused(
            "The token is no JSON web token that was signed with RS256 by the issuer."
        ) from error


def _check_times(claims: Mapping[str, Any], now: float) -> None:
    if not _is_timestamp(claims.get("exp")):
        raise Refused("The token does not say when it runs out.")
    if claims["exp"] <= now:
        raise Refused("The token has run out.")
    for name in ("iat", "nbf"):
        if name not in claims:
            continue
        if not _is_timestamp(claims[name]) or claims[name] > now + CLOCK_SKEW_S:
            raise Refused("The token is not valid yet.")


def _is_timestamp(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _read_name(claims: Mapping[str, Any], claim: str, default: str) -> str:
    value = claims.get(claim, default)
    if value == "" and default == "":
        return ""
    refused = Refused(f"The token's {claim} cannot be used.")
    if not isinstance(value, str) or not 0 < len(value) <= MAX_NAME_CHARACTERS:
        raise refused
    if not value.isprintable() or value != value.strip():
        raise refused
    return value


def _read_scopes(claims: Mapping[str, Any]) -> frozenset[str]:
    """Return the scopes of either common claim, which is a text or a list; none without one."""
    texts: list[Any] = []
    for name in ("scope", "scp"):
        if name in claims:
            value = claims[name]
            texts += value if isinstance(value, list) else [value]
    scopes: set[str] = set()
    for text in texts:
        if not isinstance(text, str):
            raise Refused("The token's scopes cannot be used.")
        scopes.update(text.split())
    return frozenset(scopes)


# ---------------------------------------------------------------- revoked before their time


def revoke_token(db: Database, jti: str, at: float, until: float | None = None) -> None:
    """Revoke the token of this id.

    until: when it expires by itself, after which the record can be dropped.
    """
    row = {"at": at, "until": until}
    with db.writing() as conn:
        conn.execute(sa.delete(revoked).where(revoked.c.until < at))
        conn.execute(
            insert(conn, revoked)
            .values(jti=jti, **row)
            .on_conflict_do_update(index_elements=["jti"], set_=row)
        )


def is_revoked(db: Database, jti: str) -> bool:
    with db.reading() as conn:
        found = conn.execute(sa.select(revoked.c.jti).where(revoked.c.jti == jti)).scalar()
    return found is not None


def check_not_revoked(bearer: Bearer, db: Callable[[], Database]) -> Bearer:
    """Return the bearer. Raises Refused if the token is revoked, StoreError if that is unknown.

    db: opens the database, which a token without an id does not need.
    """
    if bearer.jti and is_revoked(db(), bearer.jti):
        raise Refused("The token was revoked.")
    return bearer
