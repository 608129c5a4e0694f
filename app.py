"""The server: the screens of pages/ behind security headers, and the place where the engine starts and stops. It draws nothing."""

from __future__ import annotations

import asyncio
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from threading import Thread
from typing import Any

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from research_core import workers
from research_core.errors import ResearchError
from research_core.wiring import LOCAL, SAMPLE, default_office
from research_core.workers import Engine

# What a page may load: itself. A picture in a report's text would tell its host who reads what; this stands behind the cleaning.
CONTENT_SECURITY_POLICY = {
    "default-src": "'self'",
    # blob: inline components · the hash: the one inline script of Streamlit's page, new with each version (tests/e2e notices)
    "script-src": "'self' blob: 'wasm-unsafe-eval' 'sha256-THxz9J9+wf7rhwR2YkXJoSZ13UCmYyC+3lNDv2+8ugA='",
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
    "Content-Security-Policy": "; ".join(f"{name} {sources}" for name, sources in CONTENT_SECURITY_POLICY.items()),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


def secured(serve: ASGIApp) -> ASGIApp:
    """The same application, with SECURITY_HEADERS on each of its answers."""

    async def serve_secured(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_secured(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(raw=message["headers"]).update(SECURITY_HEADERS)
            await send(message)

        await serve(scope, receive, send_secured)

    return serve_secured


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[dict[str, Any] | None]:
    """The server's life: the engine starts with it, so that interrupted sessions go on by themselves, and stops before it ends."""
    engine = await asyncio.to_thread(started)
    announce(f"http://127.0.0.1:{st.get_option('server.port')}")
    yield None
    if engine is not None:
        await asyncio.to_thread(engine.stop)


def started() -> Engine | None:
    """This process's engine; None, and the reason said, where it cannot start. The screens say the same, and open all the same."""
    try:
        engine = workers.engine(default_office())
    except ResearchError as error:
        print(f"· No research can run: {error.sentence()}", flush=True)
        return None
    Thread(target=prepare, name="assay-sample", daemon=True).start()
    return engine


def prepare() -> None:
    """What the first screens would wait for, while somebody thinks of a question. What goes wrong is said by whoever needs it."""
    import_module("pandas")
    with suppress(ResearchError):
        default_office().library(LOCAL).prepare(SAMPLE)


def announce(address: str) -> None:
    """Say where the app is, and show it where there is a screen to show it on."""
    print(f"· Assay is at {address} (Ctrl-C ends it)", flush=True)
    if not st.get_option("server.headless"):
        webbrowser.open(address)


app = st.App("pages/shell.py", middleware=[Middleware(secured)], lifespan=lifespan)
