"""What the operator can do over HTTP, each with X-Admin-Key: empty caches, close sessions, revoke
tokens, and what people are owed.

Consent, membership, export and erasure are `userdata`'s; here a request becomes a call of it.
"""

from __future__ import annotations

from dataclasses import asdict

from starlette.responses import JSONResponse, Response

from research_core.errors import UsageError
from research_core.interfaces.http.routes import Ask, End, for_operators, principal, text
from research_core.interfaces.http.tokens import revoke
from research_core.journal import cache, cross_tenant
from research_core.models import Principal
from research_core.sessions import user_summary
from research_core.tools.client_session import store
from research_core.userdata import analytics, consent, subject, workspaces


def _empty_caches(ask: Ask) -> Response:
    """Of one tenant (?tenant_id=…), or of all."""
    db, given = ask.service.office.db, ask.given()
    whose = (
        [Principal(text(given, "tenant_id"))]
        if "tenant_id" in given
        else cross_tenant.with_cache(db)
    )
    removed = {who.tenant: cache.empty(db, who) for who in whose}
    return JSONResponse({"removed": sum(removed.values()), "tenants": len(removed)})


def _close_sessions(ask: Ask) -> Response:
    """Those that clients lead, of one user (?tenant_id=…&user_id=…) or of all: tools find them no
    more. What they hold stays theirs.
    """
    db, now, given = ask.service.office.db, ask.service.office.clock.now(), ask.given()
    whose = [principal(given)] if given else cross_tenant.with_led(db, now)
    return JSONResponse(
        {"closed": sum(store.close_all(db, who, now) for who in whose), "users": len(whose)}
    )


def _revoke(ask: Ask) -> Response:
    """{"jti": …, "expires_at": seconds since the epoch, where that is known}: the token of this id
    lets nobody in any more.
    """
    given, office = ask.given(), ask.service.office
    jti, until = text(given, "jti"), given.get("expires_at")
    if until is not None and (isinstance(until, bool) or not isinstance(until, int | float)):
        raise UsageError("expires_at is no number of seconds since the epoch.")
    revoke(office.db, jti, office.clock.now(), until)
    return JSONResponse({"revoked": jti})


def _told(ask: Ask) -> Response:
    """All that is kept about one user (?tenant_id=…&user_id=…)."""
    return JSONResponse(subject.export(ask.service.office.db, principal(ask.given())))


def _erased(ask: Ask) -> Response:
    """The same, removed for good."""
    office = ask.service.office
    return JSONResponse({"erased": user_summary.erase(office, who=principal(ask.given()))})


def _analytics(ask: Ask) -> Response:
    """What was counted of one user's calls, with their consent."""
    counted = analytics.summary(ask.service.office.db, principal(ask.given()))
    return JSONResponse({"analytics": None if counted is None else asdict(counted)})


def _consents(ask: Ask) -> Response:
    """The history of one user's consents, and what stands."""
    db, who = ask.service.office.db, principal(ask.given())
    history = [
        {"purpose": each.purpose, "given": each.given, "at": each.at, "by": each.by}
        for each in consent.records(db, who)
    ]
    return JSONResponse(
        {
            "standing": {
                name: consent.given(db, who, name) is not None for name in consent.PURPOSES
            },
            "history": history,
        }
    )


def _consent(ask: Ask) -> Response:
    """{"tenant_id", "user_id", "purpose", "given": true or false}: recorded as told by the
    operator.
    """
    given, office = ask.given(), ask.service.office
    if not isinstance(agrees := given.get("given", True), bool):
        raise UsageError("given is neither true nor false.")
    record = consent.give if agrees else consent.withdraw
    record(office.db, principal(given), text(given, "purpose"), office.clock.now(), by="admin")
    return JSONResponse({"purpose": text(given, "purpose"), "given": agrees})


def _admit(ask: Ask) -> Response:
    """{"workspace_id", "tenant_id", "user_id"}: a member from now on."""
    given, office = ask.given(), ask.service.office
    workspaces.admit(office.db, text(given, "workspace_id"), principal(given), office.clock.now())
    return JSONResponse({"member": True})


def _dismiss(ask: Ask) -> Response:
    given = ask.given()
    return JSONResponse(
        {
            "removed": workspaces.dismiss(
                ask.service.office.db, text(given, "workspace_id"), principal(given)
            )
        }
    )


def _operator(method: str, path: str, end: End) -> tuple[str, str, End]:
    return method, f"/admin/{path}", for_operators(end)


TABLE: tuple[tuple[str, str, End], ...] = (
    _operator("DELETE", "cache", _empty_caches),
    _operator("DELETE", "sessions", _close_sessions),
    _operator("POST", "revocations", _revoke),
    _operator("GET", "analytics", _analytics),
    _operator("GET", "data", _told),
    _operator("DELETE", "data", _erased),
    _operator("GET", "consent", _consents),
    _operator("POST", "consent", _consent),
    _operator("POST", "workspace/members", _admit),
    _operator("DELETE", "workspace/members", _dismiss),
)
