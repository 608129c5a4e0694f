"""Load one page in the browser: answer its requests, wait until it is stable, serialize it.

The guarded session makes every request, checking each address and hop. Pictures, sound and fonts
are not loaded, and data is sent only to the page's own origin.
"""

from __future__ import annotations

import asyncio
import html
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from research_core.errors import FetchError, Stopped
from research_core.journal.deps import Send
from research_core.model_messages import Json
from research_core.models import HttpReply
from research_core.web.charsets import decode
from research_core.web.html import MAX_BYTES

if TYPE_CHECKING:
    from playwright.async_api import (
        BrowserContext,
        CDPSession,
        Page,
        Request,
        Route,
        WebSocketRoute,
    )

ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
#: Resource types a page may load; some may also send data to the page's own origin.
ALLOWED_RESOURCE_TYPES = frozenset({"stylesheet", "script", "fetch", "xhr"})
SENDING_RESOURCE_TYPES = frozenset({"fetch", "xhr"})
#: Headers passed on from the page's scripts to a server, and back.
FORWARDED_REQUEST_HEADERS = frozenset(
    {"accept", "accept-language", "content-type", "origin", "x-requested-with"}
)
RETURNED_RESPONSE_HEADERS = ("content-type", "content-security-policy")
MAX_REQUESTS, REQUEST_TIMEOUT_S, MAX_CONCURRENT_REQUESTS, MAX_PAGE_LOADS = 200, 10.0, 6, 5
MAX_RESPONSE_BYTES, MAX_TOTAL_BYTES = 5_000_000, 30_000_000  # bytes of one answer, and of all
MAX_SENT_BYTES = 100_000  # bytes a page may send with a request
POLL_S, LEFT_S, EVALUATE_TIMEOUT_S, AWAITED_S = 0.1, 3.0, 5.0, 5.0
KEPT_RESPONSE_HEADERS = ("content-type", "date", "retry-after", "cf-mitigated")

#: Removed from every frame before its scripts run: APIs that communicate without requests that
#: could be answered here.
DISARM_SCRIPT = """
for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "RTCDataChannel",
                    "WebTransport", "SharedWorker", "EventSource"])
  try {
    Object.defineProperty(
      globalThis, name, {value: undefined, configurable: false, writable: false})
  } catch (error) {}
"""
#: The size of a page, which changes as long as the page does.
SIZE_EXPRESSION = (
    "document.getElementsByTagName('*').length + ':' + (document.body ?"
    " document.body.textContent.length : 0)"
)
#: Serializes the rendered page: marks what style sheets hide, and moves the content of open
#: shadow roots to where it is displayed.
SERIALIZE_EXPRESSION = """
(() => {
  const unseen = new Set(
    ["SCRIPT", "STYLE", "TEMPLATE", "NOSCRIPT", "LINK", "META", "HEAD", "TITLE"])
  const walk = root => {
    for (const each of root.querySelectorAll("*")) {
      if (unseen.has(each.tagName)) continue
      const style = getComputedStyle(each)
      const hidden = style.display == "none" || style.visibility != "visible"
      if (each.tagName != "HTML" && each.tagName != "BODY" && hidden)
        each.setAttribute("style", "display:none")
      if (each.shadowRoot) {
        walk(each.shadowRoot)
        const copy = document.createElement("div")
        for (const child of each.shadowRoot.childNodes) copy.append(child.cloneNode(true))
        each.append(copy)
      }
    }
  }
  walk(document)
  return document.documentElement.outerHTML.slice(0, LIMIT)
})()
""".replace("LIMIT", str(MAX_BYTES))


class Visit:
    """One page, from its first request to its final HTML.

    It runs in the browser's thread; requests are made on `pool`.
    """

    def __init__(
        self, url: str, send: Send, pool: Executor, timeout_s: float, stable_s: float
    ) -> None:
        self.url = url
        self.stop = threading.Event()
        self._send = send
        self._pool = pool
        self._stable_s = stable_s
        self._end = time.monotonic() + timeout_s
        self._gate = asyncio.Semaphore(MAX_CONCURRENT_REQUESTS)
        self._first: HttpReply | None = None
        self._held: dict[str, HttpReply] = {}
        self._under_way: dict[object, float] = {}
        self._sent = 0
        self._refused = 0
        self._opened = 0
        self._bytes = 0

    async def open(self) -> HttpReply:
        """Return the answer to the page's own address. Raises FetchError as the session does."""
        self._sent += 1
        return await self._send_in_pool("GET", self.url, {"accept": ACCEPT}, None, wait=self._wait)

    def is_drawable(self, first: HttpReply) -> bool:
        """Return whether an answer should be rendered: HTML with a success status.

        Raises FetchError for a success that is not HTML.
        """
        if not 200 <= first.status < 300:
            return False
        if "html" not in first.content_type:
            raise FetchError(
                "This is not a page that a browser displays.", kind="unsupported", public=True
            )
        return True

    def record(self, url: str, reply: HttpReply, drawn: str) -> Json:
        """Return what is recorded of a page; an answer that was not rendered is kept as it came."""
        text = drawn or decode(reply.body[:MAX_BYTES], reply.headers.get("content-type", ""))
        headers = {}
        for name in KEPT_RESPONSE_HEADERS:
            if name in reply.headers:
                headers[name] = reply.headers[name]
        headers["content-type"] = "text/html; charset=utf-8"
        return {
            "url": url,
            "status": reply.status,
            "headers": headers,
            "html": text,
            "requests": {"sent": self._sent, "refused": self._refused},
        }

    async def draw(self, context: BrowserContext, first: HttpReply) -> Json:
        """Render the page until it is stable or its time is nearly up.

        Raises FetchError, and Playwright's Error.
        """
        await context.add_init_script(DISARM_SCRIPT)
        await context.route("**/*", self._answer_request)
        await context.route_web_socket("**/*", _close_websocket)
        page = await context.new_page()
        context.on("page", _close_popup)
        self._first = first
        await page.goto(first.url, wait_until="commit", timeout=1000 * self._left())
        devtools = await context.new_cdp_session(page)
        await self._settle(page, devtools)
        drawn, url = await _evaluate(devtools, SERIALIZE_EXPRESSION, self._left()), page.url
        if not drawn or urlsplit(url).scheme not in ("http", "https"):
            raise FetchError(
                "The page is empty after its scripts ran.", kind="bad_reply", public=True
            )
        return self.record(url, first, str(drawn))

    # ---------------------------------------------------------------- its requests

    async def _answer_request(self, route: Route) -> None:
        """Answer one request of the page through the guarded session, or abort it."""
        from playwright.async_api import Error

        self._under_way[route] = time.monotonic()
        try:
            reply = await (
                self._answer_navigation(route.request)
                if _is_page_navigation(route.request)
                else self._send_request(route.request)
            )
            if reply is None:
                self._refused += 1
                await route.abort("blockedbyclient")
            else:
                await route.fulfill(
                    status=reply.status, headers=_filter_headers(reply), body=reply.body
                )
        except Error:
            return  # the page has gone on without it
        finally:
            self._under_way.pop(route, None)

    async def _answer_navigation(self, request: Request) -> HttpReply | None:
        """Answer a navigation of the page, from what was fetched already or the guarded session.

        After a redirect it returns a page that redirects, so that the browser knows its address.
        """
        self._opened += 1
        address = _drop_fragment(request.url)
        held = self._first
        self._first = None
        if held is None:
            held = self._held.pop(address, None)
        if held is not None:
            return held
        if self._opened > MAX_PAGE_LOADS:
            return None
        reply = await self._send_request(request)
        if reply is None or _drop_fragment(reply.url) == address:
            return reply
        self._held[_drop_fragment(reply.url)] = reply
        onward = (
            f'<!doctype html><meta http-equiv="refresh" content="0;url={html.escape(reply.url)}">'
        )
        return HttpReply(request.url, 200, {"content-type": "text/html"}, onward.encode())

    async def _send_request(self, request: Request) -> HttpReply | None:
        """Send a request and return its answer, or None if it is not allowed or failed."""
        body = request.post_data_buffer
        if (
            not self._is_allowed(request, body)
            or self._sent >= MAX_REQUESTS
            or self._bytes >= MAX_TOTAL_BYTES
        ):
            return None
        self._sent += 1
        headers = {
            name: value
            for name, value in request.headers.items()
            if name.lower() in FORWARDED_REQUEST_HEADERS
        }
        try:
            reply = await self._send_in_pool(
                request.method,
                request.url,
                headers,
                body,
                wait=self._wait if _is_page_navigation(request) else None,
            )
        except FetchError:
            return None
        return reply if _is_readable_by_page(request, reply) else None

    def _is_allowed(self, request: Request, body: bytes | None) -> bool:
        if request.resource_type not in ALLOWED_RESOURCE_TYPES and not _is_page_navigation(request):
            return False
        if urlsplit(request.url).scheme not in ("http", "https"):
            return False
        if request.method in ("GET", "HEAD"):
            return True
        if request.method != "POST" or request.resource_type not in SENDING_RESOURCE_TYPES:
            return False
        if len(body or b"") > MAX_SENT_BYTES:
            return False
        return _get_origin(request.url) == _get_origin(request.frame.url)

    def _wait(self, seconds: float) -> None:
        """Wait for a page request's turn, on its thread of the pool."""
        if self.stop.wait(seconds):
            raise Stopped("cancel")

    async def _send_in_pool(
        self,
        method: str,
        url: str,
        headers: dict[str, str],
        body: bytes | None,
        *,
        wait: Callable[[float], None] | None,
    ) -> HttpReply:
        async with self._gate:
            most = min(MAX_RESPONSE_BYTES, max(MAX_TOTAL_BYTES - self._bytes, 1))
            options: dict[str, Any] = {
                "timeout_s": min(REQUEST_TIMEOUT_S, self._left()),
                "max_bytes": most,
                "stop": self.stop,
                "wait": wait,
            }
            ask = partial(self._send, method, url, headers=headers, data=body, **options)
            try:
                reply = await asyncio.get_running_loop().run_in_executor(self._pool, ask)
            except Stopped:
                raise FetchError("Loading the page was stopped.", kind="timeout") from None
            self._bytes += len(reply.body)
            return reply

    # ---------------------------------------------------------------- its end

    async def _settle(self, page: Page, devtools: CDPSession) -> None:
        """Wait until the page is unchanged for a while and no request is pending.

        A request that stays open is waited for only so long.
        """
        seen, since = None, time.monotonic()
        while self._left() > LEFT_S:
            now, size = time.monotonic(), await _evaluate(devtools, SIZE_EXPRESSION)
            awaited = any(now - begun < AWAITED_S for begun in self._under_way.values())
            if size is None or (page.url, size) != seen or awaited:
                seen, since = (page.url, size), now
            elif now - since >= self._stable_s:
                return
            await asyncio.sleep(POLL_S)

    def _left(self) -> float:
        return max(self._end - time.monotonic(), 0.1)


async def _evaluate(
    devtools: CDPSession, expression: str, patience_s: float = EVALUATE_TIMEOUT_S
) -> Any:
    """Evaluate an expression in an isolated world that page scripts cannot touch.

    None while the page changes.
    """
    from playwright.async_api import Error

    try:
        tree = await devtools.send("Page.getFrameTree")
        frame = {"frameId": tree["frameTree"]["frame"]["id"], "worldName": "assay"}
        world = await devtools.send("Page.createIsolatedWorld", frame)
        question = {
            "expression": expression,
            "contextId": world["executionContextId"],
            "returnByValue": True,
        }
        evaluation = devtools.send("Runtime.evaluate", question)
        answer = await asyncio.wait_for(evaluation, patience_s)
        return answer["result"].get("value")
    except Error:
        return None


async def _close_popup(page: Page) -> None:
    """Close a window that the page opened."""
    from playwright.async_api import Error

    with suppress(Error):
        await page.close()


async def _close_websocket(route: WebSocketRoute) -> None:
    await route.close()


def _is_page_navigation(request: Request) -> bool:
    """Return whether the request navigates the page itself, not a frame within it.

    A window of its own does not count as the page.
    """
    from playwright.async_api import Error

    try:
        return request.is_navigation_request() and request.frame.parent_frame is None
    except Error:  # it has no frame yet
        return False


def _is_readable_by_page(request: Request, reply: HttpReply) -> bool:
    """Return whether the page may read the answer under the same-origin rules.

    An answer from another origin must allow it (CORS), which Playwright would otherwise grant.
    """
    if request.resource_type not in SENDING_RESOURCE_TYPES or _get_origin(
        request.url
    ) == _get_origin(request.frame.url):
        return True
    scheme, place = _get_origin(request.frame.url)
    return reply.headers.get("access-control-allow-origin", "").strip() in (
        "*",
        f"{scheme}://{place}",
    )


def _filter_headers(reply: HttpReply) -> dict[str, str]:
    passed = {
        name: value
        for name, value in reply.headers.items()
        if name in RETURNED_RESPONSE_HEADERS or name.startswith("access-control-")
    }
    return passed | {"cache-control": "no-store"}


def _drop_fragment(url: str) -> str:
    return url.partition("#")[0]


def _get_origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.lower()
