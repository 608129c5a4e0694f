"""Hold what the routes of one server share, and authenticate requests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import anyio
from prometheus_client import CollectorRegistry
from starlette.datastructures import Headers
from starlette.requests import Request

from research_core.errors import SettingsError
from research_core.interfaces.http.client_pool import ClientPool
from research_core.interfaces.http.issuer import IssuerKeys, PublishedJson, jwks_url, metadata_urls
from research_core.interfaces.http.metrics import Metrics
from research_core.interfaces.http.screening import ScreeningRules
from research_core.interfaces.http.tokens import (
    ANONYMOUS_PRINCIPAL,
    Bearer,
    Refused,
    check_not_revoked,
    verify_token,
)
from research_core.interfaces.mcp.server import HEARTBEAT_S, CallerContext
from research_core.interfaces.terminal import say
from research_core.journal.limits import Limits
from research_core.sessions.tool_calls import Caller, ToolCaller
from research_core.wiring import Resources

#: Where the scope of a request has its `AdmittedRequest`, for the protocol to find.
ADMITTED_KEY = "assay.admitted"


@dataclass(frozen=True)
class AdmittedRequest:
    """The bearer and the caller of an authenticated request."""

    bearer: Bearer
    caller: Caller


@dataclass
class HttpService:
    """The shared state of one application.

    say: receives messages for the operator; closing: set when calls have to end; heartbeat_s:
    seconds between two heartbeats of a call.
    """

    resources: Resources
    say: Callable[[str], None] = say
    heartbeat_s: float = HEARTBEAT_S
    closing: anyio.Event | None = field(default=None, init=False)
    began: float = field(init=False)

    def __post_init__(self) -> None:
        self.began = self.resources.clock.now()

    def check(self) -> None:
        """Raise SettingsError for settings with which the first request would fail."""
        settings = self.resources.settings
        if settings.issuer and not settings.audience:
            step = "Set OAUTH_AUDIENCE to what its tokens name for this server."
            raise SettingsError(
                "OAUTH_ISSUER_URL is set, and whom its tokens have to be meant for is not.",
                next_step=step,
            )
        ToolCaller(self.resources).check()

    @cached_property
    def metrics(self) -> Metrics:
        return Metrics(CollectorRegistry(), tenants=self.resources.settings.metrics_tenants)

    @cached_property
    def limits(self) -> Limits:
        settings, clock = self.resources.settings, self.resources.clock
        # Both settings limit a day's calls; 0 is no limit, and the lower of two counts.
        daily = [limit for limit in (settings.per_day, settings.calls_per_day) if limit]
        return Limits(
            lambda: self.resources.db, clock.now, clock.monotonic, per_minute=settings.per_minute,
            per_second=settings.per_second,
            per_address=settings.per_address, per_day=min(daily, default=0),
        )  # fmt: skip

    @cached_property
    def clients(self) -> ClientPool:
        return ClientPool(
            self.resources, self.limits, self.metrics, lambda error: self.say(error.sentence())
        )

    @cached_property
    def screening(self) -> ScreeningRules:
        return ScreeningRules(self.resources.settings, self.limits, self.metrics)

    @cached_property
    def issuer_keys(self) -> IssuerKeys:
        return IssuerKeys(self._make_published(jwks_url(self.resources.settings)))

    @cached_property
    def issuer_metadata(self) -> tuple[PublishedJson, ...]:
        """Return the documents in one of which the issuer publishes how to sign in."""
        return tuple(map(self._make_published, metadata_urls(self.resources.settings)))

    def _make_published(self, url: str) -> PublishedJson:
        return PublishedJson(url, self.resources.client, self.resources.clock.monotonic)

    def authenticate(self, headers: Headers) -> Bearer:
        """Authenticate a request.

        Raises Refused, FetchError if the issuer's keys are unavailable, and StoreError.
        """
        settings = self.resources.settings
        if not settings.issuer:
            return Bearer(ANONYMOUS_PRINCIPAL)
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token.strip():
            raise Refused("A token is needed.")
        now = self.resources.clock.now()
        bearer = verify_token(
            token.strip(),
            self.issuer_keys,
            issuer=settings.issuer,
            audience=settings.audience,
            now=now,
        )
        return check_not_revoked(bearer, lambda: self.resources.db)

    def find_caller(self, ctx: Any) -> CallerContext:
        """Return the context of the caller of a request to the protocol."""
        admitted: AdmittedRequest = ctx.request.scope[ADMITTED_KEY]
        client = self.clients.find(admitted.bearer.who)
        return CallerContext(client.tool_caller, admitted.caller, client.places, self.closing)

    def public_address(self, request: Request) -> str:
        """Return the address of this server as its clients know it, without a slash at the end."""
        return self.resources.settings.public_url or str(request.base_url).rstrip("/")
