"""A server of MCP over HTTP on loopback, with written answers for its outside.

Its tokens are of an issuer that only tests know.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import httpx2
import mcp
from joserfc import jwt
from joserfc.jwk import RSAKey
from mcp.client.streamable_http import streamable_http_client

from research_core.interfaces.http.app import MCP_PATH, build_application
from research_core.interfaces.http.program import GracefulServer, _open_socket, _server_config
from research_core.interfaces.http.service import HttpService
from tests.counter import Counter, make_tool_caller
from tests.event_loop import run_async
from tests.timing import LONG_S, wait_until
from tests.tool_calls_made import Said

ISSUER, AUDIENCE, ADMIN = "https://id.example.org", "assay", "the operator's own key"
JWKS = f"{ISSUER}/.well-known/jwks.json"


@cache
def key(kid: str = "one") -> RSAKey:
    return RSAKey.generate_key(2048, {"kid": kid, "use": "sig", "alg": "RS256"})


@cache
def no_tls() -> ssl.SSLContext:
    """Return a context without certificates: the server speaks plain HTTP, and reading them is
    slow.
    """
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def jwks(*kids: str) -> bytes:
    return json.dumps(
        {"keys": [key(kid).as_dict(private=False) for kid in kids or ("one",)]}
    ).encode()


def token(now: float, kid: str = "one", /, **claims: Any) -> str:
    """One of our issuer's, good for ten minutes. claims: in place of what it says; None leaves one
    out.
    """
    told = {
        "iss": ISSUER,
        "aud": AUDIENCE,
        "iat": int(now),
        "exp": int(now) + 600,
        "sub": "ada",
        "tenant_id": "acme",
        **claims,
    }
    return jwt.encode(
        {"alg": "RS256", "kid": kid},
        {name: value for name, value in told.items() if value is not None},
        key(kid),
    )


@dataclass
class Running:
    """A server that runs. resources: their outside and their clock are the test's."""

    service: HttpService
    url: str
    loop: asyncio.AbstractEventLoop

    def closing(self) -> None:
        """Tell calls that are under way to end, as the end of the server does."""
        assert self.service.closing is not None
        self.loop.call_soon_threadsafe(self.service.closing.set)

    @property
    def resources(self) -> Any:
        return self.service.resources

    def ask(self, method: str, path: str, *, admin: str = "", **options: Any) -> httpx2.Response:
        """One request as any program makes it."""
        headers = {**({"X-Admin-Key": admin} if admin else {}), **options.pop("headers", {})}
        return httpx2.request(
            method, f"{self.url}{path}", headers=headers, timeout=LONG_S, verify=no_tls(), **options
        )

    def token(self, **claims: Any) -> str:
        return token(self.resources.clock.now(), **claims)

    @asynccontextmanager
    async def client(self, bearer: str = "", **options: Any) -> AsyncIterator[mcp.Client]:
        """A client of the protocol."""
        headers = {"Authorization": f"Bearer {bearer}"} if bearer else {}
        async with (
            httpx2.AsyncClient(
                headers=headers,
                timeout=LONG_S,
                verify=no_tls(),
                limits=httpx2.Limits(max_connections=None),
            ) as http,
            mcp.Client(
                streamable_http_client(f"{self.url}{MCP_PATH}", http_client=http), **options
            ) as client,
        ):
            yield client

    def call(self, tool: str, bearer: str = "", **arguments: Any) -> Any:
        """One call of a tool, as its own client makes it."""

        async def meet() -> Any:
            async with self.client(bearer) as client:
                return await client.call_tool(tool, arguments)

        return run_async(meet(), LONG_S)


@contextmanager
def serving(
    folder: Path,
    answers: Mapping[str, Said] | None = None,
    *,
    heartbeat_s: float = 10.0,
    **options: Any,
) -> Iterator[Running]:
    """options: fields of the settings. Nobody's requests are limited unless they say so."""
    unlimited = {"per_minute": 0, "per_second": 0, "per_day": 0}
    resources = make_tool_caller(
        folder, {JWKS: jwks(), **(answers or {})}, **{**unlimited, **options}
    ).resources
    assert isinstance(resources, Counter)
    service = HttpService(resources, say=lambda said: None, heartbeat_s=heartbeat_s)
    with _open_socket("127.0.0.1", 0) as listener:
        server = GracefulServer(_server_config(build_application(service), resources), service)
        loop = asyncio.new_event_loop()
        thread = threading.Thread(
            target=lambda: loop.run_until_complete(server.serve([listener])), daemon=True
        )
        thread.start()
        wait_until(lambda: server.started)
        try:
            yield Running(service, f"http://127.0.0.1:{listener.getsockname()[1]}", loop)
        finally:
            server.should_exit = True
            thread.join(LONG_S)
            loop.close()
            resources.__dict__.pop("client", None)  # it is the test's
            resources.close()


def signed_in(folder: Path, answers: Mapping[str, Said] | None = None, **options: Any) -> Any:
    """The same, which asks for tokens."""
    return serving(folder, answers, issuer=ISSUER, audience=AUDIENCE, **options)
