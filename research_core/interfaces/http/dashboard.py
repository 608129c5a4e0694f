"""Serve the operator's dashboard: what this server did since it started, refreshed regularly."""

from __future__ import annotations

import secrets
from pathlib import Path

from starlette.responses import HTMLResponse, JSONResponse, Response

from research_core.interfaces.http.routes import (
    Endpoint,
    EndpointRequest,
    is_local_caller,
    refuse_operator_view,
    require_operator,
)
from research_core.text.dates import format_rfc3339

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'nonce-NONCE'; style-src 'nonce-NONCE'; connect-src 'self';"
    " base-uri 'none'; form-action 'none'"
)

PAGE = Path(__file__).with_name("dashboard.html")


def _serve_page(_request: EndpointRequest) -> Response:
    # Only the page's own script and style carry the nonce; no text of an error can add another.
    nonce = secrets.token_urlsafe(16)
    page = PAGE.read_text(encoding="utf-8").replace("NONCE", nonce)
    return HTMLResponse(
        page, headers={"Content-Security-Policy": CONTENT_SECURITY_POLICY.replace("NONCE", nonce)}
    )


def _serve_data(request: EndpointRequest) -> Response:
    """Return the dashboard's figures.

    They include errors of all users, so a key that is set is needed on this machine too.
    """
    service = request.service
    if service.resources.settings.admin_key or not is_local_caller(request):
        refusal = refuse_operator_view(request)
        if refusal is not None:
            return refusal
    return JSONResponse(
        {
            "since": format_rfc3339(service.began),
            "requests": int(service.metrics.sum_rows("assay_http_requests_total")),
            "refused": int(service.metrics.sum_rows("assay_refused_total")),
            "calls": int(service.metrics.sum_rows("assay_tool_calls_total")),
            "principals": len(service.clients),
            "tools": service.clients.summarize_calls(),
            "errors": service.clients.list_recent_errors(),
            "services": service.resources.services.list_states(),
        }
    )


DASHBOARD_ROUTES: tuple[tuple[str, str, Endpoint], ...] = (
    ("GET", "/dashboard", require_operator(_serve_page)),
    ("GET", "/dashboard/data", _serve_data),
)
