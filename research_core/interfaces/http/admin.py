"""Serve the operator's endpoints, each guarded by X-Admin-Key."""

from __future__ import annotations

from dataclasses import asdict

from starlette.responses import JSONResponse, Response

from research_core.errors import UsageError
from research_core.interfaces.http.routes import (
    Endpoint,
    EndpointRequest,
    read_principal,
    read_text,
    require_admin_key,
)
from research_core.interfaces.http.tokens import revoke_token
from research_core.journal import cache, cross_tenant
from research_core.models import Principal
from research_core.sessions import user_summary
from research_core.tools.client_session import store
from research_core.userdata import analytics, consent, subject, workspaces


def _empty_caches(ask: EndpointRequest) -> Response:
    """Empty the caches of one tenant (?tenant_id=…), or of all."""
    db, given = ask.service.resources.db, ask.parameters()
    whose = (
        [Principal(read_text(given, "tenant_id"))]
        if "tenant_id" in given
        else cross_tenant.list_users_with_cache(db)
    )
    removed = {who.tenant: cache.empty_cache(db, who) for who in whose}
    return JSONResponse({"removed": sum(removed.values()), "tenants": len(removed)})


def _close_sessions(ask: EndpointRequest) -> Response:
    """Close the client sessions of one user (?tenant_id=…&user_id=…), or of all.

    Tools no longer find them; their contents stay their owners'.
    """
    db, now, given = ask.service.resources.db, ask.service.resources.clock.now(), ask.parameters()
    whose = (
        [read_principal(given)] if given else cross_tenant.list_users_with_client_sessions(db, now)
    )
    return JSONResponse(
        {
            "closed": sum(store.close_all_sessions(db, who, now) for who in whose),
            "users": len(whose),
        }
    )


def _revoke(ask: EndpointRequest) -> Response:
    """Revoke the token of an id: {"jti": …, "expires_at": seconds since the epoch, if known}."""
    given, resources = ask.parameters(), ask.service.resources
    jti, until = read_text(given, "jti"), given.get("expires_at")
    if until is not None and (isinstance(until, bool) or not isinstance(until, int | float)):
        raise UsageError("expires_at is no number of seconds since the epoch.")
    revoke_token(resources.db, jti, resources.clock.now(), until)
    return JSONResponse({"revoked": jti})


def _export_user_data(ask: EndpointRequest) -> Response:
    """Return all data kept about one user (?tenant_id=…&user_id=…)."""
    return JSONResponse(
        subject.export_user_data(ask.service.resources.db, read_principal(ask.parameters()))
    )


def _erase_user_data(ask: EndpointRequest) -> Response:
    """Erase all data kept about one user (?tenant_id=…&user_id=…)."""
    resources = ask.service.resources
    return JSONResponse(
        {"erased": user_summary.erase_user_data(resources, who=read_principal(ask.parameters()))}
    )


def _show_analytics(ask: EndpointRequest) -> Response:
    """Return the counted calls of one user, if they consented."""
    counted = analytics.summarize_usage(ask.service.resources.db, read_principal(ask.parameters()))
    return JSONResponse({"analytics": None if counted is None else asdict(counted)})


def _list_consents(ask: EndpointRequest) -> Response:
    """Return the current consents of one user, and their history."""
    db, who = ask.service.resources.db, read_principal(ask.parameters())
    history = [
        {"purpose": each.purpose, "given": each.given, "at": each.at, "by": each.by}
        for each in consent.list_consent_records(db, who)
    ]
    return JSONResponse(
        {
            "standing": {
                name: consent.find_consent(db, who, name) is not None
                for name in consent.CONSENT_PURPOSES
            },
            "history": history,
        }
    )


def _record_consent(ask: EndpointRequest) -> Response:
    """Record a consent on behalf of a user: {"tenant_id", "user_id", "purpose", "given"}."""
    given, resources = ask.parameters(), ask.service.resources
    if not isinstance(agrees := given.get("given", True), bool):
        raise UsageError("given is neither true nor false.")
    record = consent.give_consent if agrees else consent.withdraw_consent
    record(
        resources.db,
        read_principal(given),
        read_text(given, "purpose"),
        resources.clock.now(),
        by="admin",
    )
    return JSONResponse({"purpose": read_text(given, "purpose"), "given": agrees})


def _add_member(ask: EndpointRequest) -> Response:
    """Add a member to a workspace: {"workspace_id", "tenant_id", "user_id"}."""
    given, resources = ask.parameters(), ask.service.resources
    workspaces.add_member(
        resources.db, read_text(given, "workspace_id"), read_principal(given), resources.clock.now()
    )
    return JSONResponse({"member": True})


def _remove_member(ask: EndpointRequest) -> Response:
    given = ask.parameters()
    return JSONResponse(
        {
            "removed": workspaces.remove_member(
                ask.service.resources.db, read_text(given, "workspace_id"), read_principal(given)
            )
        }
    )


def _operator_route(method: str, path: str, end: Endpoint) -> tuple[str, str, Endpoint]:
    return method, f"/admin/{path}", require_admin_key(end)


ADMIN_ROUTES: tuple[tuple[str, str, Endpoint], ...] = (
    _operator_route("DELETE", "cache", _empty_caches),
    _operator_route("DELETE", "sessions", _close_sessions),
    _operator_route("POST", "revocations", _revoke),
    _operator_route("GET", "analytics", _show_analytics),
    _operator_route("GET", "data", _export_user_data),
    _operator_route("DELETE", "data", _erase_user_data),
    _operator_route("GET", "consent", _list_consents),
    _operator_route("POST", "consent", _record_consent),
    _operator_route("POST", "workspace/members", _add_member),
    _operator_route("DELETE", "workspace/members", _remove_member),
)
