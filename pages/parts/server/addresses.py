"""Say where the app may listen, and answer only under the names that it is served by.

A page of another site can lead its name to this machine and then read what the app answers to that
name (DNS rebinding); so the app answers to the names of `server.allowedHosts` alone.
"""

from __future__ import annotations

import ipaddress
from html import escape
from urllib.parse import urlsplit

import streamlit as st
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose
from streamlit import config
from streamlit.auth_util import get_origin_from_redirect_uri
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

from parts.server import guards
from parts.server.sign_in import requires_sign_in
from research_core.errors import SettingsError
from research_core.i18n import _
from research_core.wiring import Resources

#: Answers "ok" and nothing else; programs that watch over containers ask for it by number.
HEALTH_PATH = "/_stcore/health"
ALLOWED_HOSTS = "server.allowedHosts"
UNIX_SOCKET = "unix://"


def find_exposure_error(resources: Resources) -> SettingsError | None:
    """Return why the app must not listen where its options say; None if it may."""
    address = st.get_option("server.address") or ""
    if is_loopback(address) or requires_sign_in() or resources.settings.published_locally:
        return None
    return SettingsError(
        f"The app would listen on {address or 'all addresses'}, and anybody who reaches it could"
        " use it, because no sign-in is configured.",
        next_step="Configure sign-in (docs/settings.md#sign-in), or let it listen on 127.0.0.1.",
    )


def is_loopback(address: str) -> bool:
    """Return True for an address that only programs on this machine reach."""
    if address.startswith(UNIX_SOCKET) or address.casefold() == "localhost":
        return True
    try:
        return ipaddress.ip_address(address.strip("[]")).is_loopback
    except ValueError:
        return False


def is_for_this_machine(resources: Resources) -> bool:
    """Return True if only the user of this machine, without a sign-in, reaches the app.

    False also where a proxy may stand before it: on a socket, and under further names.
    """
    address = st.get_option("server.address") or ""
    if not is_loopback(address) or address.startswith(UNIX_SOCKET) or requires_sign_in():
        return False
    if resources.settings.published_locally:
        return False
    return all(map(is_loopback, st.get_option(ALLOWED_HOSTS) or ("*",)))


def allow_sign_in_host() -> None:
    """Answer also under the name that users are led back to after signing in."""
    host = urlsplit(get_origin_from_redirect_uri() or "").hostname
    allowed = list(st.get_option(ALLOWED_HOSTS))
    if requires_sign_in() and host and host not in allowed:
        config.set_option(ALLOWED_HOSTS, [*allowed, host])


def refuse_foreign_hosts(serve: ASGIApp) -> ASGIApp:
    """Answer 421 to requests, and close tabs, whose Host is not one of `server.allowedHosts`.

    Tabs that pages of other origins open are closed too.
    """

    async def serve_known(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or scope["path"] == HEALTH_PATH:
            await serve(scope, receive, send)
            return
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        host = hosts[0].decode("latin-1") if len(hosts) == 1 else None
        is_own = scope["type"] == "http" or is_own_origin(scope, host)
        if is_host_allowed(host) and is_own:
            await serve(scope, receive, send)
        elif scope["type"] == "websocket":
            await WebSocketClose(1008)(scope, receive, send)
        else:
            await draw_foreign_host()(scope, receive, send)

    return serve_known


def is_own_origin(scope: Scope, host: str | None) -> bool:
    """Return True unless a browser says that a page of another origin opens this connection.

    Streamlit lets in the pages of every other program on this machine, whatever their port.
    """
    origins = [value.decode("latin-1") for name, value in scope["headers"] if name == b"origin"]
    return all(urlsplit(origin).netloc == host for origin in origins)


def draw_foreign_host() -> HTMLResponse:
    step = _(
        "Open the address that Assay printed when it started, or have its operator add this name to server.allowedHosts."
    )
    page = guards.draw_plain_page(
        _("Assay is not served under this name"), f"<p>{escape(step)}</p>"
    )
    return HTMLResponse(page, 421)
