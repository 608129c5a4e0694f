"""Read who is signed in, record each sign-in on the server, and find faults of its setup.

A server requires sign-in if its secrets have an [auth] section (OpenID Connect).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from http.cookies import SimpleCookie
from os.path import lexists
from typing import Any
from urllib.parse import quote, unquote

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import Scope
from streamlit import config
from streamlit.auth_util import get_cookie_with_chunks, get_origin_from_redirect_uri
from streamlit.web.server.server_util import get_cookie_secret
from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value
from streamlit.web.server.starlette.starlette_server_config import (
    AUTH_COOKIE_MAX_AGE_SECONDS,
    USER_COOKIE_NAME,
)

from research_core.errors import SettingsError
from research_core.i18n import N_, _, join_list
from research_core.models import Principal
from research_core.userdata import sign_ins
from research_core.wiring import default_resources

#: Cookie with the address to return to after the sign-in.
RETURN_COOKIE = "assay_wanted"
#: An address on this host: one slash, then ASCII without the characters that a browser drops (white
#: space, controls) or reads as a slash.
ON_THIS_HOST = re.compile(r"/(?!/)[!-\[\]-~]*")
#: Cookie with the token of the sign-in that the server keeps.
SIGN_IN_COOKIE = "assay_sign_in"
#: Keys that a sign-in requires, and those of them that only a sign-in has.
SIGN_IN_FIELDS = (
    "redirect_uri",
    "cookie_secret",
    "client_id",
    "client_secret",
    "server_metadata_url",
)
SIGN_IN_ONLY_FIELDS = {"cookie_secret", "server_metadata_url"}
REPAIR_HINT = N_(
    "Correct .streamlit/secrets.toml (see docs/settings.md#sign-in) or remove it, then restart Assay."
)


def home_path() -> str:
    """Return the URL path of the first screen."""
    return f"/{st.get_option('server.baseUrlPath').strip('/')}/".replace("//", "/")


def find_sign_in_error() -> SettingsError | None:
    """Return what is wrong with the sign-in setup, or None if it is sound."""
    files = st.get_option("secrets.files")
    if config.is_manually_set("secrets.files") and not all(map(lexists, files)):
        return SettingsError(
            _("A secrets file named in this server's configuration does not exist."),
            next_step=_(REPAIR_HINT),
        )
    try:
        fault = describe_sign_in_fault(st.secrets.to_dict())
    except (OSError, ValueError) as error:  # missing, unreadable, or not TOML
        fault = ""
        if any(map(lexists, files)):
            # A parser's error names the line and quotes nothing of the file.
            where = f": {error.__cause__}" if isinstance(error.__cause__, ValueError) else ""
            fault = _("The secrets file cannot be read{reason}.").format(reason=where)
    if not fault and required_sign_in_at_start() and not requires_sign_in():
        fault = _("Sign-in was required when this server started. Its secrets lack it now.")
    if fault:
        return SettingsError(fault, next_step=_(REPAIR_HINT))
    return None


def describe_sign_in_fault(held: Mapping[str, Any]) -> str:
    """Return what is wrong with the sign-in these secrets set up, "" for nothing."""
    for name, value in held.items():
        if name != "auth" and _looks_like_sign_in(name, value):
            return _("The secrets hold “{name}”. Sign-in is set up in a section [auth].").format(
                name=name
            )
    section = held.get("auth", dict.fromkeys(SIGN_IN_FIELDS, "unused"))
    if not isinstance(section, Mapping):
        return _("“auth” in the secrets must be a section.")
    missing = []
    for name in SIGN_IN_FIELDS:
        value = section.get(name)
        if not isinstance(value, str) or not value.strip():
            missing.append(name)
    if missing:
        return _("The section [auth] of the secrets lacks {fields}.").format(
            fields=join_list(missing)
        )
    return ""


def _looks_like_sign_in(name: str, value: Any) -> bool:
    """Return True if a secret outside [auth] seems meant to set up a sign-in."""
    folded = name.casefold()
    if "auth" in folded or folded in SIGN_IN_FIELDS:
        return True
    if not isinstance(value, Mapping):
        return False
    return any(key.casefold() in SIGN_IN_ONLY_FIELDS for key in value)


def find_user(asked: HTTPConnection) -> Principal | None:
    """Return who is signed in: the user of Streamlit's cookie, whose sign-in is in force here.

    Renews the sign-in. Raises StoreError if the database cannot tell.
    """
    user = read_user_cookie(asked.cookies)
    token = asked.cookies.get(SIGN_IN_COOKIE, "")
    if user is None or not token:
        return None
    resources = default_resources()
    is_in_force = sign_ins.use_sign_in(resources.db, user, token, resources.clock.now())
    return user if is_in_force else None


def read_user_cookie(cookies: Mapping[str, str]) -> Principal | None:
    """Return whom this server's cookie names, as Streamlit reads it; None without a valid one.

    Such a cookie is not enough to be signed in, since it stays valid for 30 days, even after
    signing out.
    """

    def read(name: str) -> bytes | None:
        return decode_signed_value(
            get_cookie_secret(), name, cookies.get(name, "").encode("latin-1", "replace")
        )

    cookie = get_cookie_with_chunks(read, USER_COOKIE_NAME)
    claims = json.loads(cookie) if cookie else {}
    if claims.get("origin") != get_origin_from_redirect_uri():
        return None
    return sign_ins.build_principal(claims)


def start_sign_in(asked: HTTPConnection, headers: MutableHeaders) -> None:
    """Record the sign-in whose Streamlit cookies this response sets, and set our own cookie.

    A sign-in that this browser had before ends. Raises StoreError if it cannot be recorded.
    """
    cookies = SimpleCookie()
    for value in headers.getlist("Set-Cookie"):
        cookies.load(value)
    user = read_user_cookie({name: morsel.value for name, morsel in cookies.items()})
    if user is None:
        return
    end_former_sign_in(asked)
    resources = default_resources()
    token = sign_ins.start_sign_in(resources.db, user, resources.clock.now())
    headers.append("Set-Cookie", build_sign_in_cookie(token, int(sign_ins.LONGEST_S)))


def end_former_sign_in(asked: HTTPConnection) -> None:
    """End the sign-in that a request's cookies name, if any. Raises StoreError."""
    user = read_user_cookie(asked.cookies)
    if user is not None:
        resources = default_resources()
        token = asked.cookies.get(SIGN_IN_COOKIE, "")
        sign_ins.end_sign_in(resources.db, user, token, resources.clock.now())


def build_sign_in_cookie(token: str, seconds: int) -> str:
    """Return the Set-Cookie of a sign-in; 0 seconds remove it.

    Lax, since the provider of the sign-in leads here from a site of its own.
    """
    path = home_path().rstrip("/") or "/"
    return "; ".join(
        (
            f"{SIGN_IN_COOKIE}={token}",
            f"Path={path}",
            f"Max-Age={seconds}",
            "HttpOnly",
            "SameSite=Lax",
        )
    )


def harden_cookies(headers: MutableHeaders, behind_tls: bool) -> None:
    """Shorten the life of Streamlit's cookies of a user to ours; mark all Secure behind TLS."""
    cookies = headers.getlist("Set-Cookie")
    del headers["Set-Cookie"]
    for cookie in cookies:
        if cookie.startswith(USER_COOKIE_NAME):
            longest = f"Max-Age={int(sign_ins.LONGEST_S)}"
            cookie = cookie.replace(f"Max-Age={AUTH_COOKIE_MAX_AGE_SECONDS}", longest)
        if behind_tls and "; secure" not in cookie.lower():
            cookie += "; Secure"
        headers.append("Set-Cookie", cookie)


def is_behind_tls() -> bool:
    """Return True if users reach this server by https, as the secrets say."""
    return (get_origin_from_redirect_uri() or "").startswith("https:")


def requires_sign_in() -> bool:
    """Return True if the secrets set up a sign-in; False also if they cannot be read."""
    try:
        return "auth" in st.secrets
    except (OSError, ValueError):  # `find_sign_in_error` tells what is wrong with them
        return False


@cache
def required_sign_in_at_start() -> bool:
    """Return True if sign-in was required when the server started (first call, then cached)."""
    return requires_sign_in()


def encode_return_address(scope: Scope) -> str:
    """Encode a request's path and query as a cookie value; always an address on this host."""
    address = f"/{quote(scope['path'].lstrip('/'))}"
    query = scope["query_string"].decode("latin-1")
    if query:
        address += f"?{query}"
    return quote(address, safe="")[:2000]


def decode_return_address(cookie: str) -> str:
    """Return the address in the cookie, or the first screen's if it is not on this host.

    Other applications on this host may set cookies too.
    """
    address = unquote(cookie)
    if ON_THIS_HOST.fullmatch(address):
        return address
    return home_path()
