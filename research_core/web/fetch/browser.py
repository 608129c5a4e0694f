"""Run a page's scripts in the system's Chromium, with every request made by the guarded session.

There is one browser per process, in a thread of its own, started at the first page and closed with
the process; each page gets a temporary profile. It imitates no other browser, keeps no cookies,
loads no pictures, and solves no bot checks. `tiers` decides which pages are read this way, `html`
reads what comes out.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import shutil
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor, wait
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from research_core.errors import FetchError
from research_core.journal.deps import RawHttp, Send
from research_core.model_messages import Json
from research_core.settings import Settings
from research_core.web.fetch.browser_visit import Visit

if TYPE_CHECKING:
    from playwright.async_api import Browser, Playwright

PROGRAM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
OFF = "off"
INSTALL_NEXT_STEP = "Install it with `python3 run.py extras browser`."
NO_BROWSER_MESSAGE = "There is no Chromium on this machine: install one, or name it in CHROME_PATH."
POLL_S, CLOSE_TIMEOUT_S, LAUNCH_TIMEOUT_S = 0.1, 5.0, 40.0
LAUNCH_NEXT_STEP = (
    "Check that this program starts. Set CHROME_PATH to another one, or to `off` to do without."
)
SANDBOX_NEXT_STEP = (
    "Run Assay as a user other than root, or set ASSAY_BROWSER_SANDBOX=0 if nothing on this machine"
    " needs protection from web pages."
)

#: The browser resolves no name and dials no address: everything it gets comes from the guarded
#: session.
BROWSER_ARGUMENTS = (
    "--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=http://127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp", "--disable-quic",
    "--dns-prefetch-disable", "--no-pings", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
    "--disable-domain-reliability", "--disable-breakpad",
    "--disable-client-side-phishing-detection", "--disable-default-apps",
    "--disable-remote-fonts", "--blink-settings=imagesEnabled=false", "--mute-audio",
    "--no-first-run", "--disable-gpu",
    "--disable-dev-shm-usage", "--js-flags=--max-old-space-size=512",
)  # fmt: skip


class Chromium:
    """Headless browser for rendering pages. Thread-safe; starts at the first page.

    program: the path of a Chromium; send: that of the guarded session.
    """

    def __init__(self, program: str, send: Send, *, user_agent: str, sandbox: bool = True) -> None:
        self._program = program
        self._send = send
        self._user_agent = user_agent
        self._sandbox = sandbox
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._pool: ThreadPoolExecutor | None = None
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None
        self._launching: asyncio.Lock | None = None

    def render(
        self, url: str, *, stable_s: float, timeout_s: float, go_on: Callable[[], None]
    ) -> Json:
        """Render a page. See `deps.Browser`."""
        future = asyncio.run_coroutine_threadsafe(
            self._render(url, stable_s, timeout_s), self._running_loop()
        )
        try:
            while not wait([future], POLL_S).done:
                go_on()
        except BaseException:
            future.cancel()
            raise
        return future.result()

    def close(self) -> None:
        """Stop the browser and its thread; the next page starts them again."""
        with self._lock:
            loop, thread, pool = self._loop, self._thread, self._pool
            self._loop = self._thread = self._pool = None
        if loop is None or thread is None or pool is None:
            return
        atexit.unregister(self.close)
        wait([asyncio.run_coroutine_threadsafe(self._close_browser(), loop)], 2 * CLOSE_TIMEOUT_S)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(CLOSE_TIMEOUT_S)
        pool.shutdown(wait=False, cancel_futures=True)
        if not thread.is_alive():
            loop.close()

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._pool = ThreadPoolExecutor(12, thread_name_prefix="assay-browser")
                self._launching = asyncio.Lock()
                self._thread = threading.Thread(
                    target=self._loop.run_forever, name="assay-browser", daemon=True
                )
                self._thread.start()
                atexit.register(self.close)
            return self._loop

    # ---------------------------------------------------------------- in the browser's own thread

    async def _render(self, url: str, stable_s: float, timeout_s: float) -> Json:
        from playwright.async_api import Error

        assert self._pool is not None
        browser = await self._launched_browser()
        visit = Visit(url, self._send, self._pool, timeout_s, stable_s)
        try:
            async with asyncio.timeout(timeout_s):
                return await self._visit(browser, visit)
        except TimeoutError:
            raise FetchError(
                f"The page's scripts did not finish within {timeout_s:g} seconds.",
                kind="timeout",
                public=True,
            ) from None
        except Error as error:
            if not browser.is_connected():
                self._browser = None
            raise FetchError(
                f"The browser failed on this page ({_get_first_line(error)}).",
                kind="bad_reply",
                public=True,
            ) from error
        finally:
            visit.stop.set()

    async def _visit(self, browser: Browser, visit: Visit) -> Json:
        first = await visit.open()
        if not visit.is_drawable(first):
            return visit.record(first.url, first, "")
        context = await browser.new_context(
            user_agent=self._user_agent, service_workers="block", accept_downloads=False,
            locale="en-US", timezone_id="UTC",
            reduced_motion="reduce", viewport={"width": 1280, "height": 1600},
        )  # fmt: skip
        try:
            return await visit.draw(context, first)
        finally:
            await self._discard_profile(context.close())

    async def _discard_profile(self, closing: Coroutine[Any, Any, None]) -> None:
        """Discard a page's profile. If a page that hangs keeps it open, close the whole browser."""
        try:
            await asyncio.wait_for(closing, CLOSE_TIMEOUT_S)
        except TimeoutError:
            await self._close_browser()

    async def _launched_browser(self) -> Browser:
        from playwright.async_api import Error, async_playwright

        assert self._launching is not None
        if self._sandbox and getattr(os, "geteuid", lambda: 1)() == 0:
            raise FetchError(
                "Chromium cannot be sandboxed when it runs as root.",
                kind="browser_unavailable",
                next_step=SANDBOX_NEXT_STEP,
            )
        async with self._launching:
            if self._browser is not None and self._browser.is_connected():
                return self._browser
            try:
                self._playwright = self._playwright or await async_playwright().start()
                self._browser = await self._playwright.chromium.launch(
                    executable_path=self._program, headless=True, chromium_sandbox=self._sandbox,
                    args=list(BROWSER_ARGUMENTS),
                    handle_sigint=False, handle_sigterm=False, handle_sighup=False,
                    timeout=1000 * LAUNCH_TIMEOUT_S,
                    env={"LANG": "C.UTF-8", "PATH": os.defpath},  # none of our settings and keys
                )  # fmt: skip
            except (Error, OSError) as error:
                why = (
                    f"Chromium could not be started from {self._program}: {_get_first_line(error)}."
                )
                raise FetchError(
                    why, kind="browser_unavailable", next_step=LAUNCH_NEXT_STEP
                ) from error
            return self._browser

    async def _close_browser(self) -> None:
        from playwright.async_api import Error

        browser = self._browser
        playwright = self._playwright
        self._browser = None
        self._playwright = None
        endings: list[Coroutine[Any, Any, None]] = []
        if browser:
            endings.append(browser.close())
        if playwright:
            endings.append(playwright.stop())
        for closing in endings:
            try:
                await asyncio.wait_for(closing, CLOSE_TIMEOUT_S)
            except (TimeoutError, Error):
                continue  # it is gone already, or will not listen; its process ends with its pipe


def find_browser(settings: Settings, client: RawHttp) -> Chromium | None:
    """Return the browser of this machine, or None (see `explain_missing_browser`).

    The program is the one CHROME_PATH names, else one on the PATH.
    """
    if explain_missing_browser(settings):
        return None
    return Chromium(
        _find_program(settings),
        client.send,
        user_agent=settings.user_agent,
        sandbox=settings.browser_sandbox,
    )


def explain_missing_browser(settings: Settings, module: Callable[[str], object] = find_spec) -> str:
    """Return what is needed before pages can be rendered here, as text; "" if nothing.

    module: the browser driver; None if it is not installed.
    """
    if settings.chrome_path == OFF:
        return "It is turned off (CHROME_PATH=off)."
    installed = (
        ""
        if module("playwright")
        else f"The optional part `browser` is not installed. {INSTALL_NEXT_STEP}"
    )
    return " ".join(
        filter(None, (installed, "" if _find_program(settings) else NO_BROWSER_MESSAGE))
    )


def _find_program(settings: Settings) -> str:
    return settings.chrome_path or next(filter(None, map(shutil.which, PROGRAM_NAMES)), "")


def _get_first_line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0][:200].rstrip(".")
