"""Serve the screens behind security headers and sign-in, and start and stop the engine.

Draws only two plain pages itself: for a broken sign-in setup, and for a path no screen has.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
import traceback
import webbrowser
from collections import OrderedDict
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from functools import cache
from html import escape
from http.cookies import SimpleCookie
from importlib import import_module
from os.path import lexists
from pathlib import PurePosixPath
from threading import Thread
from typing import Any
from urllib.parse import quote, unquote

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose
from streamlit import config
from streamlit.auth_util import get_cookie_with_chunks, get_origin_from_redirect_uri
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.web.server.server_util import get_cookie_secret, get_display_address
from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value
from streamlit.web.server.starlette.starlette_server_config import (
    AUTH_COOKIE_MAX_AGE_SECONDS,
    USER_COOKIE_NAME,
)

from research_core.errors import ResearchError, SettingsError, StoreError
from research_core.models import Principal
from research_core.policy import SAMPLE_LIBRARY
from research_core.quiet_exit import settle_collector
from research_core.userdata import sign_ins
from research_core.wiring import LOCAL_USER, default_resources

# Pages load only what this server sends. A picture in a report's text would tell its host who reads
# what; this is a second defence behind the cleaning of texts.
CONTENT_SECURITY_POLICY = {
    "default-src": "'self'",
    # blob: for inline components. The hash is of the only inline script of Streamlit's page; it
    # changes with each version, which tests/e2e notices.
    "script-src": (
        "'self' blob: 'wasm-unsafe-eval' 'sha256-THxz9J9+wf7rhwR2YkXJoSZ13UCmYyC+3lNDv2+8ugA='"
    ),
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "connect-src": "'self'",
    "frame-src": "'none'",
    "object-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
}
SECURITY_HEADERS = {
    "Content-Security-Policy": "; ".join(
        f"{name} {sources}" for name, sources in CONTENT_SECURITY_POLICY.items()
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}

#: Path below the first screen where a sign-in ends.
OAUTH_CALLBACK = "oauth2callback"
#: Cookie with the address to return to after the sign-in.
RETURN_COOKIE = "assay_wanted"
#: An address on this host: one slash, then ASCII without the characters that a browser drops (white
#: space, controls) or reads as a slash.
ON_THIS_HOST = re.compile(r"/(?!/)[!-\[\]-~]*")
#: Cookie with the token of the sign-in that the server keeps.
SIGN_IN_COOKIE = "assay_sign_in"
#: Path below the first screen that ends a sign-in.
LOGOUT = "auth/logout"
MEDIA = "/media/"  # path of all downloads
#: Downloads whose users are remembered; one that is forgotten is made again by another click.
MAX_MEDIA = 10_000
#: Keys that a sign-in requires, and those of them that only a sign-in has.
SIGN_IN_FIELDS = (
    "redirect_uri",
    "cookie_secret",
    "client_id",
    "client_secret",
    "server_metadata_url",
)
SIGN_IN_ONLY_FIELDS = {"cookie_secret", "server_metadata_url"}
REPAIR_HINT = (
    "Mend .streamlit/secrets.toml as docs/settings.md#sign-in shows it, or take the file away, and"
    " start Assay again."
)
#: First segments of the longer paths that the server answers.
SERVED_PREFIXES = {"_stcore", "app", "auth", "component", "media", "static"}
PLAIN_PAGE = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" '
    'content="width=device-width, initial-scale=1">\n'
    "<title>Assay</title><style>:root {{ color-scheme: light dark; font: 16px/1.5 sans-serif "
    "}} body {{ max-width: 40rem; margin: 3rem auto;\n"
    "padding: 0 1rem; overflow-wrap: anywhere }} h1 {{ font: 500 2rem serif "
    "}}</style><h1>{title}</h1>{body}</html>"
)
#: What the first screen imports of the core.
FIRST_SCREEN_MODULES = (
    "research_core.sessions.run_defaults",
    "research_core.sessions.estimates",
    "research_core.sessions.session_list",
    "research_core.sessions.snapshot",
    "research_core.sessions.workers",
)
#: Seconds from the start of the server to that of the engine, and from there until the sample
#: library is made.
ENGINE_AFTER_S, WARM_UP_AFTER_S = 3.0, 2.0
DATABASE_SET_ASIDE = (
    "A new, empty one is in use. If you have a copy of the old one: end Assay, put the copy in its"
    " place, and start again."
)


def add_security_headers(serve: ASGIApp) -> ASGIApp:
    """Add SECURITY_HEADERS to every response, and forbid caching of downloads."""

    async def serve_secured(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_secured(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message["headers"])
                headers.update(SECURITY_HEADERS)
                if MEDIA in scope["path"]:
                    headers["Cache-Control"] = "private, no-store"
            await send(message)

        await serve(scope, receive, send_secured)

    return serve_secured


# -- access ----------------------------------------------------------------------------------------


def guard_requests(serve: ASGIApp) -> ASGIApp:
    """Let only users in: block downloads of others, and tabs and requests without a sign-in.

    Blocks everything while the sign-in setup is broken.
    """

    async def serve_guarded(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await serve(scope, receive, send)
            return
        asked = HTTPConnection(scope)
        refusal, user = find_refusal(asked), None
        if refusal is None and requires_sign_in() and shows_user_data(scope):
            try:
                user = await asyncio.to_thread(find_user, asked)
            except ResearchError as error:  # not known whether somebody is signed in
                refusal = draw_refusal(error)
            else:
                refusal = find_download_refusal(scope["path"], user)
        if refusal is not None and scope["type"] == "websocket":
            await WebSocketClose(1008)(scope, receive, send)
        elif refusal is not None:
            await refusal(scope, receive, send)
        elif scope["type"] == "http" or not requires_sign_in():
            await serve(scope, receive, send)
        elif user is None:
            await serve(drop_user_cookies(scope), receive, send)
        else:
            await serve(scope, *watch_tab(asked, user, receive, send))

    return serve_guarded


def shows_user_data(scope: Scope) -> bool:
    """Return True for tabs, downloads and pages, which depend on who asks."""
    first, *_ = scope["path"].removeprefix(home_path()).strip("/").split("/")
    is_page = first not in {*SERVED_PREFIXES, OAUTH_CALLBACK}
    return scope["type"] == "websocket" or MEDIA in scope["path"] or is_page


def watch_tab(
    asked: HTTPConnection, user: Principal, receive: Receive, send: Send
) -> tuple[Receive, Send]:
    """Return a tab's `receive` and `send`, which end it at its first message after the sign-in.

    The browser then opens the first screen, as whoever is signed in by now. `send` notes whose
    downloads are.
    """

    async def receive_of_user() -> Message:
        message = await receive()
        if message["type"] != "websocket.receive":
            return message
        with suppress(ResearchError):  # not known: the tab asks again when it connects
            if await asyncio.to_thread(find_user, asked) == user:
                return message
            leaving = ForwardMsg()
            leaving.auth_redirect.url = home_path()
            await send({"type": "websocket.send", "bytes": leaving.SerializeToString()})
        await send({"type": "websocket.close", "code": 1008})
        return {"type": "websocket.disconnect", "code": 1008}

    async def send_to_user(message: Message) -> None:
        remember_download(message.get("bytes") or b"", user)
        await send(message)

    return receive_of_user, send_to_user


def drop_user_cookies(scope: Scope) -> Scope:
    """Return the scope without Streamlit's cookies of a user, so that it knows of none."""
    headers = []
    for name, value in scope["headers"]:
        if name == b"cookie":
            kept = [
                pair
                for pair in value.split(b";")
                if not pair.strip().startswith(USER_COOKIE_NAME.encode())
            ]
            headers.append((name, b";".join(kept)))
        else:
            headers.append((name, value))
    return {**scope, "headers": headers}


#: Users to whose tabs the address of a download was sent, by its id; on the event loop alone.
_download_users: OrderedDict[str, set[Principal]] = OrderedDict()


def remember_download(sent: bytes, user: Principal) -> None:
    """Note the download whose address a message to a tab of this user holds, if any.

    Read from the fields that Streamlit itself fills, since texts may hold an address, too.
    """
    if MEDIA.encode() not in sent:
        return
    message = ForwardMsg()
    message.ParseFromString(sent)
    fields = (
        message.delta.new_element.download_button.url,
        message.backend_operation_response.deferred_file.url,
    )
    for url in fields:
        if MEDIA in url:
            _download_users.setdefault(read_download_id(url), set()).add(user)
            _download_users.move_to_end(read_download_id(url))
    while len(_download_users) > MAX_MEDIA:
        _download_users.popitem(last=False)


def read_download_id(path: str) -> str:
    """Return the id in the path or address of a download."""
    return PurePosixPath(path).stem


def find_download_refusal(path: str, user: Principal | None) -> HTMLResponse | None:
    """Return the page for a download that was not made for this user; None if it was."""
    if MEDIA not in path:
        return None
    open_assay = f'<p><a href="{home_path()}">Open Assay</a></p>'
    if user is None:
        return HTMLResponse(PLAIN_PAGE.format(title="Sign in first", body=open_assay), 403)
    if user not in _download_users.get(read_download_id(path), ()):
        body = f"<p>Press the download's button again.</p>{open_assay}"
        page = PLAIN_PAGE.format(title="This download was not made for you", body=body)
        return HTMLResponse(page, 403)
    return None


def draw_refusal(error: ResearchError) -> HTMLResponse:
    """Return the page that says why nobody can sign in."""
    body = (
        f"<p>{escape(error.message)}</p><p><strong>Next step:</strong>"
        f" {escape(error.next_step)}</p>"
    )
    page = PLAIN_PAGE.format(title="Assay lets nobody in", body=body)
    return HTMLResponse(page, 503, {"Cache-Control": "no-store"})


def find_refusal(asked: HTTPConnection) -> HTMLResponse | None:
    """Return the page to send instead of what was requested, or None if it may be served."""
    trouble = find_sign_in_error()
    if trouble:
        return draw_refusal(trouble)
    path = asked.scope["path"]
    open_assay = f'<p><a href="{home_path()}">Open Assay</a></p>'
    parts = path.removeprefix(home_path()).strip("/").split("/")
    # Streamlit's page would look for its scripts in the folder such a path names.
    is_nested = len(parts) > 1 and parts[0] not in SERVED_PREFIXES
    if is_nested and asked.scope["type"] == "http":
        page = PLAIN_PAGE.format(title="There is no such screen", body=open_assay)
        return HTMLResponse(page, 404)
    return None


def home_path() -> str:
    """Return the URL path of the first screen."""
    return f"/{st.get_option('server.baseUrlPath').strip('/')}/".replace("//", "/")


def find_sign_in_error() -> SettingsError | None:
    """Return what is wrong with the sign-in setup, or None if it is sound."""
    files = st.get_option("secrets.files")
    if config.is_manually_set("secrets.files") and not all(map(lexists, files)):
        return SettingsError(
            "A secrets file that this server is told to use is not there.", next_step=REPAIR_HINT
        )
    try:
        fault = describe_sign_in_fault(st.secrets.to_dict())
    except (OSError, ValueError) as error:  # missing, unreadable, or not TOML
        fault = ""
        if any(map(lexists, files)):
            # A parser's error names the line and quotes nothing of the file.
            where = f": {error.__cause__}" if isinstance(error.__cause__, ValueError) else ""
            fault = f"The secrets file cannot be read{where}."
    if not fault and required_sign_in_at_start() and not requires_sign_in():
        fault = (
            "This server asked its users to sign in when it was started, and its secrets do not say"
            " so any more."
        )
    if fault:
        return SettingsError(fault, next_step=REPAIR_HINT)
    return None


def describe_sign_in_fault(held: Mapping[str, Any]) -> str:
    """Return what is wrong with the sign-in these secrets set up, "" for nothing."""
    for name, value in held.items():
        if name != "auth" and _looks_like_sign_in(name, value):
            return (
                f"The secrets hold “{name}”. A sign-in is set up in a section named [auth], in"
                " small letters, and nowhere else."
            )
    section = held.get("auth", dict.fromkeys(SIGN_IN_FIELDS, "not asked for"))
    if not isinstance(section, Mapping):
        return "“auth” is no section in the secrets."
    missing = []
    for name in SIGN_IN_FIELDS:
        value = section.get(name)
        if not isinstance(value, str) or not value.strip():
            missing.append(name)
    if missing:
        return f"The section [auth] of the secrets lacks {', '.join(missing)}."
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


def keep_sign_ins(serve: ASGIApp) -> ASGIApp:
    """Record each sign-in on the server, and end it when the user signs out or in again."""

    async def serve_keeping(scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "").removeprefix(home_path())
        if scope["type"] != "http" or not requires_sign_in():
            await serve(scope, receive, send)
            return
        asked = Request(scope)
        try:
            if path == LOGOUT:
                await asyncio.to_thread(end_former_sign_in, asked)
        except ResearchError as error:  # whoever asked would take themselves for signed out
            await draw_refusal(error)(scope, receive, send)
            return

        async def send_keeping(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message["headers"])
                if path == OAUTH_CALLBACK:
                    await asyncio.to_thread(start_sign_in, asked, headers)
                elif path == LOGOUT:
                    headers.append("Set-Cookie", build_sign_in_cookie("", 0))
                harden_cookies(headers, is_behind_tls())
            await send(message)

        try:
            await serve(scope, receive, send_keeping)
        except ResearchError as error:
            await draw_refusal(error)(scope, receive, send)

    return serve_keeping


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
    return f"{SIGN_IN_COOKIE}={token}; Path={path}; Max-Age={seconds}; HttpOnly; SameSite=Lax"


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


def return_after_sign_in(serve: ASGIApp) -> ASGIApp:
    """Send the user back to the screen where the sign-in began instead of the first screen.

    The address of each opened screen is stored in a cookie that only the OAuth callback receives.
    """

    async def serve_leading_back(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_leading_back(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message["headers"])
                ending = f"{home_path()}{OAUTH_CALLBACK}"
                if scope["path"] == ending and headers.get("Location") == home_path():
                    headers["Location"] = decode_return_address(
                        Request(scope).cookies.get(RETURN_COOKIE, "")
                    )
                elif headers.get("Content-Type", "").startswith("text/html") and requires_sign_in():
                    # Lax, since the provider of the sign-in leads here from a site of its own.
                    headers.append(
                        "Set-Cookie",
                        f"{RETURN_COOKIE}={encode_return_address(scope)}; Path={ending};"
                        " Max-Age=600; HttpOnly; SameSite=Lax",
                    )
            await send(message)

        await serve(scope, receive, send_leading_back if scope["type"] == "http" else send)

    return serve_leading_back


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


# -- start and stop --------------------------------------------------------------------------------


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[dict[str, Any] | None]:
    """Start the engine with the server, so interrupted sessions resume, and stop it at the end.

    The server answers meanwhile: a browser needs about as long to load the first screen's scripts.
    """
    required_sign_in_at_start()
    trouble = find_sign_in_error()
    if trouble:
        print(f"· Assay lets nobody in. {trouble.sentence()}", flush=True)
    await asyncio.to_thread(open_store)
    ending = asyncio.Event()
    starting = asyncio.create_task(start_engine_later(ending))
    announce(own_address())
    try:
        yield None
    finally:
        ending.set()
        await starting
        await asyncio.to_thread(stop_engine)


async def start_engine_later(ending: asyncio.Event) -> None:
    """Import the first screen's modules, and start the engine once that screen has had its time.

    The browser loads its own scripts during the import. A screen that needs the engine earlier
    starts it; a server that ends before starts none.
    """
    await asyncio.to_thread(import_first_screen)
    with suppress(TimeoutError):
        await asyncio.wait_for(ending.wait(), ENGINE_AFTER_S)
        return
    await asyncio.to_thread(start_engine)


def import_first_screen() -> None:
    for name in FIRST_SCREEN_MODULES:
        import_module(name)


def stop_engine() -> None:
    from research_core.sessions import workers

    engine = workers.find_running_engine()
    if engine is not None:
        engine.stop()


def open_store() -> None:
    """Open the database before a screen does; after a damaged one was set aside, say so and go on.

    `start_engine` and every screen report any other error.
    """
    resources = default_resources()
    try:
        _ = resources.db
    except StoreError as error:  # raised once, after the damaged file was moved away
        with suppress(ResearchError):
            _ = resources.db
            print(f"· {error.message} A new one is in use.", flush=True)
            resources.trouble.append(StoreError(error.message, next_step=DATABASE_SET_ASIDE))
    except ResearchError:
        return


def start_engine() -> None:
    """Start this process's engine, or print why it cannot start.

    The screens open either way and show the same error.
    """
    from research_core.sessions import workers

    try:
        workers.get_engine(default_resources())
    except ResearchError as error:
        print(f"· No research can run: {error.sentence()}", flush=True)
        return
    except Exception:
        traceback.print_exc()  # the task that this is in is awaited only when the server stops
        raise
    Thread(target=warm_up, name="assay-sample", daemon=True).start()


def warm_up() -> None:
    """Make the sample library, once the first screen has had its time.

    Errors are reported by whoever needs it.
    """
    time.sleep(WARM_UP_AFTER_S)
    with suppress(ResearchError):
        default_resources().library(LOCAL_USER).prepare(SAMPLE_LIBRARY)
    # Imported modules stay in memory; scanning them again delayed a screen by 200 ms now and then.
    settle_collector()


def own_address() -> str:
    """Return the URL of the first screen, as a browser on this machine opens it."""
    host = get_display_address(st.get_option("server.address") or "127.0.0.1")
    if ":" in host:
        host = f"[{host}]"
    return f"http://{host}:{st.get_option('server.port')}{home_path()}"


def announce(address: str) -> None:
    """Print the app's address, and open it in a browser unless headless."""
    print(f"· Assay is at {address} (Ctrl-C ends it)", flush=True)
    if not st.get_option("server.headless"):
        webbrowser.open(address)


app = st.App(
    "pages/shell.py",
    middleware=[
        Middleware(add_security_headers),
        Middleware(guard_requests),
        Middleware(keep_sign_ins),
        Middleware(return_after_sign_in),
    ],
    lifespan=lifespan,
)
