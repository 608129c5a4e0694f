"""Guard every request: security headers, sign-in, and each user's own files for them alone.

ASGI middleware that app.py puts before Streamlit. `sign_in` says who asks.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from html import escape
from pathlib import PurePosixPath

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from parts.server.sign_in import (
    RETURN_COOKIE,
    build_sign_in_cookie,
    decode_return_address,
    encode_return_address,
    end_former_sign_in,
    find_sign_in_error,
    find_user,
    harden_cookies,
    home_path,
    is_behind_tls,
    requires_sign_in,
    start_sign_in,
)
from research_core.errors import ResearchError, SettingsError
from research_core.i18n import _, current_language
from research_core.models import Principal

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
    "img-src": " ".join(("'self'", "data:", "blob:")),
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
#: Path below the first screen that ends a sign-in.
LOGOUT = "auth/logout"
#: Paths of downloads, and of the files that a tab sends.
MEDIA, UPLOADS = "/media/", "/_stcore/upload_file/"
#: Path, below the first screen, of the files of Streamlit's page.
STATIC = "static/"
#: Addresses whose users are remembered; one that is forgotten is made again by another click.
MAX_ADDRESSES = 10_000
#: What Streamlit's page asks for to find its server, first below the address of its screen.
PROBES = (["_stcore", "health"], ["_stcore", "host-config"])
#: Answers a probe below a screen: not a success, so that the page asks the server itself next, and
#: not an error, which browsers print to the console.
NOT_HERE = 300
#: First segments of the longer paths that the server answers.
SERVED_PREFIXES = {"_stcore", "app", "auth", "component", "media", "static"}
PLAIN_PAGE = (
    '<!doctype html><html lang="{language}"><meta charset="utf-8"><meta name="viewport" '
    'content="width=device-width, initial-scale=1">\n'
    "<title>Assay</title><style>:root {{ color-scheme: light dark; font: 16px/1.5 sans-serif "
    "}} body {{ max-width: 40rem; margin: 3rem auto;\n"
    "padding: 0 1rem; overflow-wrap: anywhere }} h1 {{ font: 500 2rem serif "
    "}}</style><h1>{title}</h1>{body}</html>"
)
#: Relative address of the page that a browser shows.
OWN_ADDRESS = ""


def add_security_headers(serve: ASGIApp) -> ASGIApp:
    """Add SECURITY_HEADERS to every response, and forbid caching of downloads."""

    async def serve_secured(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_secured(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message["headers"])
                headers.update(SECURITY_HEADERS)
                if is_file_path(scope["path"]):
                    headers["Cache-Control"] = ", ".join(("private", "no-store"))
            await send(message)

        await serve(scope, receive, send_secured)

    return serve_secured


def guard_requests(serve: ASGIApp) -> ASGIApp:
    """Let only users in: block files of others, and tabs and requests without a sign-in.

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
                refusal = draw_refusal(error, draw_retry())
            else:
                refusal = find_file_refusal(scope["path"], user)
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
    """Return True for tabs, downloads, uploads and pages, which depend on who asks."""
    first, *_ = scope["path"].removeprefix(home_path()).strip("/").split("/")
    is_page = first not in {*SERVED_PREFIXES, OAUTH_CALLBACK}
    return scope["type"] == "websocket" or is_file_path(scope["path"]) or is_page


def is_file_path(path: str) -> bool:
    """Return True for the path of a download or an upload, not of Streamlit's own fonts."""
    if path.removeprefix(home_path()).startswith(STATIC):
        return False
    return MEDIA in path or UPLOADS in path


def watch_tab(
    asked: HTTPConnection, user: Principal, receive: Receive, send: Send
) -> tuple[Receive, Send]:
    """Return a tab's `receive` and `send`, which end it at its first message after the sign-in.

    The browser then opens the first screen, as whoever is signed in by now. If the database cannot
    tell, it loads the tab's own address again, whose page says why. `send` notes whose files are.
    """

    async def receive_of_user() -> Message:
        message = await receive()
        if message["type"] != "websocket.receive":
            return message
        try:
            if await asyncio.to_thread(find_user, asked) == user:
                return message
            address = home_path()
        except ResearchError:
            address = OWN_ADDRESS
        leaving = ForwardMsg()
        leaving.auth_redirect.SetInParent()  # an empty address alone would send nothing
        leaving.auth_redirect.url = address
        await send({"type": "websocket.send", "bytes": leaving.SerializeToString()})
        await send({"type": "websocket.close", "code": 1008})
        return {"type": "websocket.disconnect", "code": 1008}

    async def send_to_user(message: Message) -> None:
        remember_files(message.get("bytes") or b"", user)
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


#: Users to whose tabs the address of a file was sent, by its id; on the event loop alone.
_file_users: OrderedDict[str, set[Principal]] = OrderedDict()


def remember_files(sent: bytes, user: Principal) -> None:
    """Note the downloads and uploads whose addresses a message to a tab of this user holds.

    Read from the fields that Streamlit itself fills, since texts may hold an address, too.
    """
    if MEDIA.encode() not in sent and UPLOADS.encode() not in sent:
        return
    message = ForwardMsg()
    message.ParseFromString(sent)
    addresses = [
        message.delta.new_element.download_button.url,
        message.backend_operation_response.deferred_file.url,
    ]
    addresses.extend(each.upload_url for each in message.file_urls_response.file_urls)
    for address in addresses:
        if is_file_path(address):
            _file_users.setdefault(read_file_id(address), set()).add(user)
            _file_users.move_to_end(read_file_id(address))
    while len(_file_users) > MAX_ADDRESSES:
        _file_users.popitem(last=False)


def read_file_id(path: str) -> str:
    """Return what identifies a file in its path or address: an upload's tab and name, or a stem."""
    if UPLOADS in path:
        return path.partition(UPLOADS)[2]
    return PurePosixPath(path).stem


def find_file_refusal(path: str, user: Principal | None) -> HTMLResponse | None:
    """Return the page for a download or upload that is not this user's; None if it is."""
    if not is_file_path(path):
        return None
    if user is None:
        return HTMLResponse(draw_plain_page(_("Sign in first"), draw_home_link()), 403)
    if user in _file_users.get(read_file_id(path), ()):
        return None
    if UPLOADS in path:
        title, step = _("This upload is not yours"), _("Choose the file again.")
    else:
        title, step = _("This download is not yours"), _("Press the download button again.")
    page = draw_plain_page(title, f"<p>{escape(step)}</p>{draw_home_link()}")
    return HTMLResponse(page, 403)


def draw_plain_page(title: str, body: str) -> str:
    """Return a page outside of the app. title: text; body: HTML."""
    return PLAIN_PAGE.format(language=current_language(), title=escape(title), body=body)


def draw_home_link() -> str:
    return f'<p><a href="{home_path()}">{escape(_("Open Assay"))}</a></p>'


def draw_retry() -> str:
    """Return the body for an unavailable sign-in check, with a link to retry."""
    text = _("Cannot check who is signed in. Your last action was not carried out.")
    again = escape(_("Try again"))
    return f'<p>{escape(text)}</p><p><a href="{OWN_ADDRESS}">{again}</a></p>'


def draw_refusal(error: ResearchError, more: str = "") -> HTMLResponse:
    """Return the page that says why sign-in does not work. more: HTML shown below it."""
    # Late: a sound server needs none.
    from parts.shared.failures import describe_step
    from research_core.web.failure_texts import translate_failure

    body = f"<p>{escape(translate_failure(error.message))}</p>"
    if error.next_step:
        label, step = _("Next step:"), describe_step(error.next_step)
        body += f"<p><strong>{escape(label)}</strong> {escape(step)}</p>"
    title = _("Sign-in is unavailable")
    if isinstance(error, SettingsError):
        title = _("Sign-in is not configured")
    page = draw_plain_page(title, f"{body}{more}")
    return HTMLResponse(page, 503, {"Cache-Control": "no-store"})


def find_refusal(asked: HTTPConnection) -> Response | None:
    """Return the answer to send instead of what was requested, or None if it may be served."""
    trouble = find_sign_in_error()
    if trouble:
        return draw_refusal(trouble)
    path = asked.scope["path"]
    parts = path.removeprefix(home_path()).strip("/").split("/")
    # Streamlit's page would look for its scripts in the folder such a path names.
    is_nested = len(parts) > 1 and parts[0] not in SERVED_PREFIXES
    if is_nested and parts[1:] in PROBES:
        return Response(status_code=NOT_HERE)
    if is_nested and asked.scope["type"] == "http":
        page = draw_plain_page(_("There is no such screen"), draw_home_link())
        return HTMLResponse(page, 404)
    return None


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


def return_after_sign_in(serve: ASGIApp) -> ASGIApp:
    """Send the user back to the screen where the sign-in began instead of the first screen.

    The address of each opened screen is stored in a cookie that only the OAuth callback receives.
    """

    async def serve_leading_back(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_leading_back(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message["headers"])
                ending = f"{home_path()}{OAUTH_CALLBACK}"
                if scope["path"] == ending and headers.get("location") == home_path():
                    headers["location"] = decode_return_address(
                        Request(scope).cookies.get(RETURN_COOKIE, "")
                    )
                elif headers.get("Content-Type", "").startswith("text/html") and requires_sign_in():
                    # Lax, since the provider of the sign-in leads here from a site of its own.
                    cookie = (
                        f"{RETURN_COOKIE}={encode_return_address(scope)}",
                        f"Path={ending}",
                        "Max-Age=600",
                        "HttpOnly",
                        "SameSite=Lax",
                    )
                    headers.append("Set-Cookie", "; ".join(cookie))
            await send(message)

        await serve(scope, receive, send_leading_back if scope["type"] == "http" else send)

    return serve_leading_back
