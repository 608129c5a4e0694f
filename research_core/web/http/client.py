"""Send bounded HTTP requests to guarded addresses and follow redirects hop by hop.

Every status is returned to the caller, 404 and 500 included. Retrying, recording, caching and
interpreting statuses are the doorway's job.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests
from requests.cookies import RequestsCookieJar, extract_cookies_to_jar
from requests.structures import CaseInsensitiveDict

from research_core.errors import FetchError, SettingsError
from research_core.models import HttpReply
from research_core.text.words import strip_invisible, truncate
from research_core.urls import registered_domain
from research_core.web import signatures
from research_core.web.http import robots
from research_core.web.http.connection import (
    CallBudget,
    Connect,
    Dialer,
    GuardedAdapter,
    Resolve,
    bind_call,
)
from research_core.web.http.guard import (
    Origin,
    Target,
    check_page_address,
    is_metadata,
    is_metadata_name,
    is_public,
    make_metadata_error,
    make_refusal_error,
    read_target,
)
from research_core.web.http.pacing import HostPacing, Wait

USER_AGENT = "ResearchAgent/1.0 (+contact)"

#: Encodings that can be decoded within a byte cap; no other is requested.
ACCEPTED_ENCODINGS = frozenset({"", "identity", "gzip", "x-gzip", "deflate"})
REDIRECT_STATUSES = frozenset({301, 302, 303, 307, 308})
#: Headers that may be sent on to another origin; keys and cookies may not.
PLAIN_HEADERS = frozenset({"accept", "accept-language"})
CHUNK = 16_384
ROBOTS_S = 5.0
# what headers, chunk sizes and poor compression may take on the wire, beyond twice the body's cap
FRAMING_BYTES = 1_000_000

#: Reported of a server that answers but cannot prove its identity.
CERTIFICATE_ERROR = "has no valid certificate for this name, or closed the secure connection"
#: The first matching row names the failure; all are RequestExceptions.
FAILURE_KINDS: tuple[tuple[type[requests.RequestException], str, str], ...] = (
    (requests.Timeout, "timeout", "did not answer in time"),
    (requests.exceptions.SSLError, "network", CERTIFICATE_ERROR),
    (requests.exceptions.ContentDecodingError, "bad_reply", "sent compressed data that is damaged"),
    (requests.RequestException, "network", "closed the connection or did not answer in HTTP"),
)


@dataclass(frozen=True)
class PageRequest:
    """One hop of a request, before its address is checked."""

    method: str
    url: str
    params: Mapping[str, str] | None = None
    headers: Mapping[str, str] | None = None
    json: Any = None
    data: Any = None

    def for_other_origin(self) -> PageRequest:
        """Return the request for another origin, without the headers meant for the first."""
        if self.json is not None or self.data is not None:
            raise make_refusal_error("the site redirects a request with a body to another site")
        kept = {}
        for name, value in (self.headers or {}).items():
            if name.lower() in PLAIN_HEADERS:
                kept[name] = value
        return replace(self, headers=kept)

    def for_redirect(self, status: int, url: str) -> PageRequest:
        """Return the request that follows a redirect with this status."""
        if status in (307, 308) or self.method in ("GET", "HEAD"):
            return replace(self, url=url, params=None)
        return PageRequest("GET", url, headers=self.headers)


@dataclass(frozen=True)
class _BodyLimits:
    """Size limits of an answer.

    page: bytes. document: bytes of a document; below the page limit it grants nothing extra.
    seconds: extra time for a document. cut: truncate a larger body instead of failing.
    """

    page: int
    document: int
    seconds: float
    cut: bool


@dataclass(frozen=True)
class _Exchange:
    """What all hops of one `Client.send` share. hops: those that redirected, in order."""

    call: CallBudget
    limits: _BodyLimits
    endpoint: bool
    stop: threading.Event | None
    wait: Wait | None
    on_behalf: str | None
    cookies: RequestsCookieJar = field(default_factory=RequestsCookieJar)
    hops: list[Target] = field(default_factory=list)


class Client:
    """HTTP client with kept connections and configured address limits. Thread-safe.

    allowed_endpoints: origins such as `http://127.0.0.1:8888` that only calls with `endpoint=True`
    may reach, never pages. allowed_domains: the domains pages may be read from, with subdomains; ()
    for all. They apply to every hop of a redirect and to no service. agents: user agent by domain,
    instead of user_agent; "" means that no contact address was given, and services of that domain
    are then not called. resolve, connect: those of `socket`, or a test's. ca_file: certificates to
    trust instead of certifi's.
    """

    def __init__(
        self,
        *,
        user_agent: str = USER_AGENT,
        agents: Mapping[str, str] = MappingProxyType({}),
        allowed_endpoints: frozenset[str] = frozenset(),
        allowed_domains: tuple[str, ...] = (),
        pacing: HostPacing | None = None,
        resolve: Resolve = socket.getaddrinfo,
        connect: Connect = socket.socket.connect_ex,
        ca_file: str = "",
    ) -> None:
        self._pacing = pacing or HostPacing()
        self._user_agent, self._agents = user_agent, agents
        self.allow_endpoints(allowed_endpoints)
        self._domains = allowed_domains
        self._pages = GuardedAdapter(Dialer(is_public, resolve, connect), ca_file)
        self._services = GuardedAdapter(
            Dialer(lambda address: not is_metadata(address), resolve, connect), ca_file
        )

    def allow_endpoints(self, origins: frozenset[str]) -> None:
        """Set the allowed endpoints anew, for calls that begin from now on."""
        self._endpoints = frozenset(_parse_endpoint(text) for text in origins)

    def close(self) -> None:
        """Close the kept connections."""
        self._pages.close()
        self._services.close()

    def send(
        self,
        method: str,
        url: str,
        *,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        json: Any = None,
        data: Any = None,
        timeout_s: float,
        max_bytes: int,
        endpoint: bool = False,
        stop: threading.Event | None = None,
        wait: Wait | None = None,
        max_redirects: int = 5,
        cut: bool = False,
        max_document: int = 0,
        on_behalf: str | None = None,
    ) -> HttpReply:
        """Send a request, follow redirects and read the body.

        timeout_s and max_bytes (after decompression) bound the whole call. max_document: bytes
        allowed for a body that begins like a PDF or office file, which also gets twice the time.

        wait: passed for pages; robots.txt and the host's pace are then respected at each hop, and
        the request waits its turn through this function (such waits do not count as its time). cut:
        truncate a larger body to max_bytes instead of failing. on_behalf: None for a page and its
        resources. Otherwise a service is called, for the page at this address or for none (""):
        that page must be one that may be read; the service's own domain is allowed even if it is
        not listed, but no other domain it redirects to.

        Raises FetchError (validation, unsupported, timeout, too_large, network, bad_reply, config;
        disallowed, rate_limited and upstream_unavailable before any request of a page), and
        Stopped("cancel") within 0.1 s of `stop`.
        """
        request = PageRequest(method.upper(), url, params, headers, json, data)
        limits = _BodyLimits(max_bytes, max_document, timeout_s, cut)
        with bind_call(CallBudget(timeout_s, 2 * max_bytes + FRAMING_BYTES, stop)) as call:
            exchange = _Exchange(call, limits, endpoint, stop, wait, on_behalf)
            while len(exchange.hops) <= max_redirects:
                answer = self._send_hop(request, exchange)
                if isinstance(answer, HttpReply):
                    return answer
                request = answer
        raise FetchError(f"The site redirected more than {max_redirects} times.", kind="bad_reply")

    def prepare_page(self, url: str) -> None:
        """Fetch the robots.txt of a page's site, so that the page's request need not wait for it.

        That request meets what goes wrong here again, and reports it.
        """
        with suppress(FetchError):
            origin = read_target(url).origin
            check_page_address(origin, self._endpoints, self._domains)
            self._pacing.prepare(origin, partial(self._fetch_robots, None))

    def _send_hop(self, request: PageRequest, exchange: _Exchange) -> HttpReply | PageRequest:
        """Send one request. Return its reply, or the request that a redirect leads to."""
        call, hops = exchange.call, exchange.hops
        call.checked = False
        target = read_target(request.url, request.params)
        self._check_target(target.origin, exchange)
        if hops and target.origin != hops[-1].origin:
            request = request.for_other_origin()
        if not exchange.endpoint:
            self._wait_for_turn(target, exchange)
        try:
            with closing(self._open(request, target, exchange)) as response:
                status, headers = response.status_code, _read_headers(response)
                self._pacing.record_reply(target.origin, status, headers)
                onward = _find_redirect_url(response, target.url)
                if onward is None:
                    body = _read_body(response, call, exchange.limits)
                    came_by = tuple(hop.url for hop in hops)
                    return HttpReply(target.url, status, headers, body, came_by)
        except requests.RequestException as error:
            raise _make_fetch_error(error, target.origin.host) from error
        hops.append(target)
        return request.for_redirect(status, onward)

    def _wait_for_turn(self, target: Target, exchange: _Exchange) -> None:
        """Wait until the host may be called. Raises FetchError if it may not."""
        call = exchange.call
        if exchange.wait is None:
            self._pacing.wait_for_call(target.origin, call.wait)
            return
        began = time.monotonic()
        fetch = partial(self._fetch_robots, exchange.stop)
        try:
            self._pacing.wait_for_page(target.url, target.origin, fetch, exchange.wait)
        except FetchError as error:
            call.checked = error.public
            raise
        call.exclude_wait(time.monotonic() - began)

    def _fetch_robots(self, stop: threading.Event | None, url: str) -> HttpReply:
        """Fetch the robots.txt of a host."""
        return self.send(
            "GET",
            url,
            timeout_s=ROBOTS_S,
            max_bytes=robots.LIMIT + 1,
            stop=stop,
            cut=True,
            on_behalf="",
        )

    def _check_target(self, origin: Origin, exchange: _Exchange) -> None:
        """Raise FetchError if this hop may not go to this origin, as far as its text says."""
        hops = exchange.hops
        if is_metadata_name(origin.host):
            raise make_metadata_error(origin.host)
        if not exchange.endpoint:
            domains = self._allowed_domains(origin, exchange)
            check_page_address(origin, self._endpoints, domains)
        elif hops and origin != hops[0].origin:
            raise make_refusal_error(
                f"the configured service at {hops[0].origin.host} redirects to"
                f" {origin.host}:{origin.port}, away from itself"
            )
        elif origin not in self._endpoints:
            raise FetchError(
                f"{origin.scheme}://{origin.host}:{origin.port} is not a configured service.",
                kind="config",
            )

    def _allowed_domains(self, origin: Origin, exchange: _Exchange) -> tuple[str, ...]:
        """Return the domains a request may reach; () for all."""
        on_behalf = exchange.on_behalf
        if not self._domains or on_behalf is None:
            return self._domains
        if on_behalf:
            check_page_address(read_target(on_behalf).origin, self._endpoints, self._domains)
        first = exchange.hops[0].origin if exchange.hops else origin
        return (*self._domains, registered_domain(f"https://{first.host}/"))

    def _open(self, request: PageRequest, target: Target, exchange: _Exchange) -> requests.Response:
        """Send the request and return the response, whose body is not read yet."""
        agent = self._choose_agent(target, exchange.on_behalf is not None)
        prepared = _prepare_request(request, target, exchange.cookies, agent)
        adapter = self._services if exchange.endpoint else self._pages
        response = adapter.send(prepared, stream=True, timeout=exchange.call.seconds_left())
        extract_cookies_to_jar(exchange.cookies, prepared, response.raw)
        return response

    def _choose_agent(self, target: Target, service: bool) -> str:
        """Return the user agent for a target.

        Raises FetchError (config) for a service that requires a contact address when none is set.
        Pages and robots.txt need none.
        """
        domain = registered_domain(target.url) if self._agents else ""
        agent = self._agents.get(domain)
        if agent == "" and service and urlsplit(target.url).path != "/robots.txt":
            sentence = f"{domain} requires a contact e-mail address."
            raise FetchError(
                sentence, kind="config", next_step="Set EDGAR_CONTACT_EMAIL in .env.", ours=True
            )
        return agent or self._user_agent


def _prepare_request(
    ask: PageRequest, target: Target, cookies: RequestsCookieJar, user_agent: str
) -> requests.PreparedRequest:
    headers: CaseInsensitiveDict[str] = CaseInsensitiveDict({"Accept": "*/*"})
    headers.update(ask.headers or {})
    headers.update({"User-Agent": user_agent, "Accept-Encoding": "gzip, deflate"})
    request = requests.Request(
        ask.method, target.url, headers=headers, json=ask.json, data=ask.data, cookies=cookies
    )
    try:
        # As http.client will, where the error would not name the host.
        "".join((*headers, *headers.values())).encode("latin-1")
        return request.prepare()
    except (requests.exceptions.InvalidHeader, UnicodeEncodeError):
        raise FetchError(
            f"A header meant for {target.origin.host} holds characters that HTTP cannot carry.",
            kind="config",
        ) from None


def _parse_endpoint(text: str) -> Origin:
    try:
        return read_target(text).origin
    except FetchError as error:
        raise SettingsError(
            f"{text!r} cannot be used as the address of a service. {error.message}"
        ) from None


def _find_redirect_url(response: requests.Response, url: str) -> str | None:
    """Return the address a response redirects to, or None if it is the final answer."""
    location = response.headers.get("location")
    if response.status_code not in REDIRECT_STATUSES or not location:
        return None
    try:
        return urljoin(url, location.encode("latin-1").decode("utf-8", "replace"))
    except ValueError:
        raise FetchError("The site redirects to an invalid address.", kind="bad_reply") from None


def _read_body(response: requests.Response, call: CallBudget, limits: _BodyLimits) -> bytes:
    """Read the decompressed body. Raises FetchError if it exceeds its limit.

    Content-Length can only reject a body early; the count of bytes decides.
    """
    header = response.headers.get("content-encoding", "")
    encodings = {word.strip().lower() for word in header.split(",")}
    if not encodings <= ACCEPTED_ENCODINGS:
        named = truncate(strip_invisible(", ".join(sorted(encodings))).replace("”", "'"), 60)
        raise FetchError(
            f"The site answered in an encoding that was not asked for (“{named}”).",
            kind="unsupported",
        )
    declared = 0 if limits.cut else response.raw.length_remaining or 0
    most = limits.page
    body = bytearray()
    is_readable = declared <= max(limits.page, limits.document)
    for chunk in response.iter_content(CHUNK) if is_readable else ():
        call.seconds_left()
        begins = len(body) < signatures.SAMPLE_BYTES
        body += chunk
        if begins and most < limits.document and signatures.is_document(body):
            most = limits.document
            call.extend(limits.seconds, 2 * (most - limits.page))
        if len(body) > most or (declared > most and len(body) >= signatures.SAMPLE_BYTES):
            break
    if not limits.cut and max(declared, len(body)) > most:
        raise FetchError(
            f"The page is larger than {most:,} bytes.",
            kind="too_large",
            status=response.status_code,
        )
    del body[most:]
    return bytes(body)


def _read_headers(response: requests.Response) -> dict[str, str]:
    """Return the headers with lower-case names and without cookies, which must not reach a log."""
    return {
        name.lower(): value
        for name, value in response.headers.items()
        if name.lower() != "set-cookie"
    }


def _make_fetch_error(error: requests.RequestException, host: str) -> FetchError:
    kind, what = next((kind, what) for fits, kind, what in FAILURE_KINDS if isinstance(error, fits))
    return FetchError(f"{host} {what}.", kind=kind)
