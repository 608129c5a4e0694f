"""What the operator can do over HTTP, each with X-Admin-Key: empty caches, close sessions, revoke tokens, and what people are owed.

Consent, membership, export and erasure are `personal`'s; here a request becomes a call of it.
"""

from __future__ import annotations

from starlette.responses import JSONResponse, Response

from research_core import cache, everybody, led
from research_core.errors import UsageError
from research_core.gateway.routes import Ask, End, for_operators, principal, text
from research_core.gateway.tokens import revoke
from research_core.models import Principal


def _empty_caches(ask: Ask) -> Response:
    """Of one tenant (?tenant_id=…), or of all."""
    db, given = ask.service.office.db, ask.given()
    whose = [Principal(text(given, "tenant_id"))] if "tenant_id" in given else everybody.with_cache(db)
    removed = {who.tenant: cache.empty(db, who) for who in whose}
    return JSONResponse({"removed": sum(removed.values()), "tenants": len(removed)})


def _close_sessions(ask: Ask) -> Response:
    """Those that clients lead, of one user (?tenant_id=…&user_id=…) or of all: tools find them no more. What they hold stays theirs."""
    db, now, given = ask.service.office.db, ask.service.office.clock.now(), ask.given()
    whose = [principal(given)] if given else everybody.with_led(db, now)
    return JSONResponse({"closed": sum(led.close_all(db, who, now) for who in whose), "users": len(whose)})


def _revoke(ask: Ask) -> Response:
    """{"jti": …, "expires_at": seconds since the epoch, where that is known}: the token of this id lets nobody in any more."""
    given, office = ask.given(), ask.service.office
    jti, until = text(given, "jti"), given.get("expires_at")
    if until is not None and (isinstance(until, bool) or not isinstance(until, int | float)):
        raise UsageError("expires_at is no number of seconds since the epoch.")
    revoke(office.db, jti, office.clock.now(), until)
    return JSONResponse({"revoked": jti})


def _operator(method: str, path: str, end: End) -> tuple[str, str, End]:
    return method, f"/admin/{path}", for_operators(end)


TABLE: tuple[tuple[str, str, End], ...] = (
    _operator("DELETE", "cache", _empty_caches),
    _operator("DELETE", "sessions", _close_sessions),
    _operator("POST", "revocations", _revoke),
)
