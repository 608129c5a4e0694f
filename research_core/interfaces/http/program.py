"""Run the HTTP server as a program: its socket, its timeouts, and its shutdown."""

from __future__ import annotations

import asyncio
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from research_core.errors import SettingsError
from research_core.interfaces.http.app import MCP_PATH, build_application
from research_core.interfaces.http.service import HttpService
from research_core.interfaces.terminal import say
from research_core.values import LOOPBACK
from research_core.wiring import Resources

HOST, PORT = "127.0.0.1", 8765
#: Seconds to receive the headers of a request, and to keep an idle connection.
HEADERS_TIMEOUT_S = 5
#: Seconds that calls may take to finish on shutdown; seconds after which the rest is aborted.
CALL_GRACE_S, SHUTDOWN_TIMEOUT_S = 5.0, 8
MAX_CONNECTIONS, BACKLOG = 1_000, 2_048


def serve_http(resources: Resources, host: str = HOST, port: int = PORT) -> None:
    """Serve until Ctrl-C or SIGTERM. Raises SettingsError for an unusable host, port or setting."""
    service = HttpService(resources)
    _require_sign_in(resources, host)
    app = build_application(service)
    with _open_socket(host, port) as listener:
        where = f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}"
        say(f"· MCP is at {where}{MCP_PATH}, its dashboard at {where}/dashboard (Ctrl-C ends it)")
        if not resources.settings.issuer:
            say("· Nobody signs in: whatever runs on this machine may ask.")
        GracefulServer(_server_config(app, resources), service).run([listener])


def _require_sign_in(resources: Resources, host: str) -> None:
    """Raise SettingsError for an address that others can reach while nobody signs in."""
    if not resources.settings.issuer and host not in LOOPBACK:
        raise SettingsError(
            f"Without sign-in this server listens on this machine only, and {host} is another"
            " address.",
            next_step=(
                "Set OAUTH_ISSUER_URL and OAUTH_AUDIENCE, so that it asks for tokens, or leave"
                " --host away."
            ),
        )


@contextmanager
def _open_socket(host: str, port: int) -> Iterator[socket.socket]:
    if not 0 <= port <= 65_535:  # the resolver would take another one instead
        raise SettingsError(
            f"There is no port {port}.", next_step="Choose one from 1 to 65535 with --port."
        )
    try:
        family, kind, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind)
    except OSError as error:
        raise SettingsError(
            f"{host} is no address of this machine: {error}.",
            next_step="Choose another with --host.",
        ) from error
    with listener:
        # Otherwise a restart would wait until the system has forgotten the old connections.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(address)
            listener.listen(BACKLOG)
        except OSError as error:
            raise SettingsError(
                f"Port {port} of {host} cannot be had: {error.strerror}.",
                next_step="Choose another with --port.",
            ) from error
        yield listener


def _server_config(app: Any, resources: Resources) -> uvicorn.Config:
    proxies = list(resources.settings.trusted_proxies)
    return uvicorn.Config(
        app,
        http=HeaderTimeoutProtocol,
        ws="none",
        lifespan="on",
        log_config=None,
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=proxies,
        timeout_keep_alive=HEADERS_TIMEOUT_S,
        timeout_graceful_shutdown=SHUTDOWN_TIMEOUT_S,
        limit_concurrency=MAX_CONNECTIONS,
        h11_max_incomplete_event_size=65_536,
    )


class HeaderTimeoutProtocol(H11Protocol):
    """Close connections whose request headers do not arrive in time.

    Uvicorn has a timeout only between requests: a client that sends its headers byte by byte would
    hold a connection for ever.
    """

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._deadline = self.loop.call_later(HEADERS_TIMEOUT_S, self._give_up)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        waiting = self.conn.their_state is h11.IDLE
        if not waiting and self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        elif waiting and self._deadline is None:
            self._deadline = self.loop.call_later(HEADERS_TIMEOUT_S, self._give_up)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        super().connection_lost(exc)

    def _give_up(self) -> None:
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self.transport.close()


class GracefulServer(uvicorn.Server):
    """Answer calls that outlast the server, and restore the signal handlers."""

    def __init__(self, config: uvicorn.Config, service: HttpService) -> None:
        super().__init__(config)
        self._service = service

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Shut down in order on the first signal, at once on a second Ctrl-C.

        The program continues afterwards, to release what it opened.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {}
        for sig in (signal.SIGINT, signal.SIGTERM):
            before[sig] = signal.signal(sig, self.handle_exit)
        try:
            yield
        finally:
            for sig, handler in before.items():
                signal.signal(sig, handler)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        ending = asyncio.create_task(self._end_calls())
        await super().shutdown(sockets)
        ending.cancel()

    async def _end_calls(self) -> None:
        await asyncio.sleep(CALL_GRACE_S)
        if self._service.closing is not None:
            self._service.closing.set()
