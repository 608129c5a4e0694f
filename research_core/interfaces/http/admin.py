"""Serve the operator's endpoints, each guarded by X-Admin-Key."""

from __future__ import annotations

from dataclasses import asdict

from starlette.responses import JSONResponse, Response

from research_core import policy
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
from research_core.text.dates import format_rfc3339, format_times
from research_core.tools.client_session import store
from research_core.userdata import analytics, consent, export_and_erase, workspaces


def _empty_caches(request: EndpointRequest) -> Response:
    """Empty the caches of one tenant (?tenant_id=…), or of all."""
    db = request.service.resources.db
    given = request.parameters()
    if "tenant_id" in given:
        users = [Principal(read_text(given, "tenant_id"))]
    else:
        users = cross_tenant.list_users_with_cache(db)
    # One user stands for each tenant, since a cache belongs to a tenant.
    removed = {who.tenant: cache.empty_cache(db, who) for who in users}
    return JSONResponse({"removed": sum(removed.values()), "tenants": len(removed)})


def _close_sessions(request: EndpointRequest) -> Response:
    """Close the client sessions of one user (?tenant_id=…&user_id=…), or of all.

    Tools no longer find them; their contents stay their owners'.
    """
    db = request.service.resources.db
    now = request.service.resources.clock.now()
    given = request.parameters()
    if given:
        users = [read_principal(given)]
    else:
        users = cross_tenant.list_users_with_client_sessions(db, now)
    closed = sum(store.close_all_sessions(db, who, now) for who in users)
    return JSONResponse({"closed": closed, "users": len(users)})


def _revoke(request: EndpointRequest) -> Response:
    """Revoke the token of an id: {"jti": …, "expires_at": seconds since the epoch, if known}."""
    given = request.parameters()
    jti = read_text(given, "jti")
    until = given.get("expires_at")
    if until is not None and (isinstance(until, bool) or not isinstance(until, int | float)):
        raise UsageError("expires_at is no number of seconds since the epoch.")
    resources = request.service.resources
    revoke_token(resources.db, jti, resources.clock.now(), until)
    return JSONResponse({"revoked": jti})


def _export_user_data(request: EndpointRequest) -> Response:
    """Return all data kept about one user (?tenant_id=…&user_id=…)."""
    who = read_principal(request.parameters())
    return JSONResponse(export_and_erase.export_user_data(request.service.resources.db, who))


def _erase_user_data(request: EndpointRequest) -> Response:
    """Erase all data kept about one user (?tenant_id=…&user_id=…)."""
    who = read_principal(request.parameters())
    return JSONResponse(
        {"erased": user_summary.erase_user_data(request.service.resources, who=who)}
    )


def _show_analytics(request: EndpointRequest) -> Response:
    """Return the counted calls of one user, if they consented."""
    who = read_principal(request.parameters())
    usage = analytics.summarize_usage(request.service.resources.db, who)
    counted = None if usage is None else format_times(asdict(usage), "first", "last")
    return JSONResponse({"analytics": counted})


def _list_consents(request: EndpointRequest) -> Response:
    """Return the current consents of one user, and their history."""
    db = request.service.resources.db
    who = read_principal(request.parameters())
    standing = {
        purpose: consent.find_consent(db, who, purpose) is not None
        for purpose in policy.CONSENT_PURPOSES
    }
    history = [
        {"purpose": each.purpose, "given": each.given, "at": format_rfc3339(each.at), "by": each.by}
        for each in consent.list_consent_records(db, who)
    ]
    return JSONResponse({"standing": standing, "history": history})


def _record_consent(request: EndpointRequest) -> Response:
    """Record a consent on behalf of a user: {"tenant_id", "user_id", "purpose", "given"}."""
    given = request.parameters()
    agrees = given.get("given", True)
    if not isinstance(agrees, bool):
        raise UsageError("given is neither true nor false.")
    who = read_principal(given)
    purpose = read_text(given, "purpose")
    resources = request.service.resources
    record = consent.give_consent if agrees else consent.withdraw_consent
    record(resources.db, who, purpose, resources.clock.now(), by="admin")
    return JSONResponse({"purpose": purpose, "given": agrees})


def _add_member(request: EndpointRequest) -> Response:
    """Add a member to a workspace: {"workspace_id", "tenant_id", "user_id"}."""
    given = request.parameters()
    resources = request.service.resources
    workspace = read_text(given, "workspace_id")
    workspaces.add_member(resources.db, workspace, read_principal(given), resources.clock.now())
    return JSONResponse({"member": True})


def _remove_member(request: EndpointRequest) -> Response:
    """Remove a member from a workspace, by the same parameters."""
    given = request.parameters()
    workspace = read_text(given, "workspace_id")
    removed = workspaces.remove_member(
        request.service.resources.db, workspace, read_principal(given)
    )
    return JSONResponse({"removed": removed})


def _operator_route(method: str, path: str, endpoint: Endpoint) -> tuple[str, str, Endpoint]:
    return method, f"/admin/{path}", require_admin_key(endpoint)


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
