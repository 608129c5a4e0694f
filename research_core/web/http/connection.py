"""Connect only to checked addresses, within a deadline and with prompt cancellation.

Every socket operation of a request runs in its caller's thread inside `bind_call(call)`; the
sockets below consult that call before each wait, so a cancel takes effect within 0.1 seconds. Pages
and configured endpoints have one `GuardedAdapter` each and never share a kept connection.
"""

from __future__ import annotations

import errno
import os
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures import wait as settled
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from ipaddress import ip_address
from typing import Any

from requests.adapters import HTTPAdapter
from requests.utils import DEFAULT_CA_BUNDLE_PATH
from urllib3 import PoolManager
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool
from urllib3.util.wait import wait_for_write

from research_core.errors import FetchError, Stopped
from research_core.web.http.guard import Address, make_refusal_error, read_address

#: Called like `socket.getaddrinfo(host, port, type=SOCK_STREAM)`.
Resolve = Callable[..., Sequence[tuple[Any, ...]]]
#: Called like `socket.socket.connect_ex`; a test's redirects to a local server.
Connect = Callable[[socket.socket, Any], int]

POLL_S = 0.1
_IN_PROGRESS_ERRORS = frozenset({errno.EINPROGRESS, errno.EWOULDBLOCK})
#: Look-up errors that mean the name or its address does not exist; any other failure says
#: nothing about the name.
_UNKNOWN_HOST_ERRORS = frozenset(
    {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)}
)


class CallBudget:
    """Time and byte budget of one request, from its first look-up to its last byte.

    checked: whether the current address has passed its dialer's test.
    """

    def __init__(
        self, timeout_s: float, wire_bytes: int, stop: threading.Event | None = None
    ) -> None:
        self._timeout_s = timeout_s
        self._end = time.monotonic() + timeout_s
        self._wire_bytes = wire_bytes
        self._stop = stop
        self.checked = False

    def wait(self, seconds: float) -> None:
        """Wait for some seconds that the request's limit does not count.

        Raises Stopped as `seconds_left` does.
        """
        self.exclude_wait(seconds)
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.seconds_left()
            time.sleep(min(left, POLL_S))

    def exclude_wait(self, seconds: float) -> None:
        """Exclude time spent waiting from the request's time limit."""
        self._end += seconds

    def extend(self, seconds: float, wire_bytes: int) -> None:
        """Extend the request's time and byte limits."""
        self._timeout_s += seconds
        self._end += seconds
        self._wire_bytes += wire_bytes

    def seconds_left(self) -> float:
        """Return the seconds left, above 0.

        Raises Stopped if the session was cancelled, FetchError (`timeout`) if time is up.
        """
        if self._stop is not None and self._stop.is_set():
            raise Stopped("cancel")
        left = self._end - time.monotonic()
        if left <= 0:
            raise FetchError(
                f"The site did not answer in full within {self._timeout_s:g} seconds.",
                kind="timeout",
            )
        return left

    def next_wait(self) -> float:
        """Return the seconds one wait may last before the call is checked again."""
        return min(self.seconds_left(), POLL_S)

    def count_bytes(self, count: int) -> int:
        """Count bytes read off the wire and return the count.

        Framing and headers count, so an answer that is all framing is stopped too. Raises
        FetchError (too_large).
        """
        self._wire_bytes -= count
        if self._wire_bytes < 0:
            raise FetchError("The site sent more data than Assay reads.", kind="too_large")
        return count


# urllib3 has no way to hand a value down to a socket; a call stays in one thread from start to end.
_CALL: ContextVar[CallBudget] = ContextVar("call")


@contextmanager
def bind_call(call: CallBudget) -> Iterator[CallBudget]:
    """Bind a call to the sockets used within this context.

    A FetchError that leaves it records whether its address had been proved public.
    """
    token = _CALL.set(call)
    try:
        yield call
    except FetchError as error:
        error.public = call.checked
        raise
    finally:
        _CALL.reset(token)


def _run_in_short_waits(
    sock: socket.socket, operation: Callable[..., Any], *args: Any, **kwargs: Any
) -> Any:
    """Run a blocking operation that is safe to repeat in waits of `POLL_S`."""
    while True:
        sock.settimeout(_CALL.get().next_wait())
        try:
            return operation(*args, **kwargs)
        except TimeoutError as error:
            if error.errno:  # the system gave the connection up; ours carries no number
                raise


def _compute_send_budget() -> float:
    """Return the seconds a send may take, and mark the address as checked.

    Data is only ever sent to a checked address: a kept connection was opened to one.
    """
    call = _CALL.get()
    call.checked = True
    return call.seconds_left()


class _Socket(socket.socket):
    def recv_into(self, *args: Any, **kwargs: Any) -> int:
        return _CALL.get().count_bytes(
            _run_in_short_waits(self, super().recv_into, *args, **kwargs)
        )

    def sendall(self, *args: Any) -> None:
        self.settimeout(_compute_send_budget())
        super().sendall(*args)


class _TLSSocket(ssl.SSLSocket):
    def do_handshake(self, block: bool = False) -> None:
        try:
            _run_in_short_waits(self, super().do_handshake, block)
        except (FetchError, Stopped):
            # `ssl`, which owns the socket by now, would leave it open on these.
            self.close()
            raise

    def recv_into(self, *args: Any, **kwargs: Any) -> int:
        return _CALL.get().count_bytes(
            _run_in_short_waits(self, super().recv_into, *args, **kwargs)
        )

    def send(self, *args: Any) -> int:
        self.settimeout(_compute_send_budget())
        return super().send(*args)


@dataclass(frozen=True)
class Dialer:
    """Open sockets to accepted addresses only."""

    accepts: Callable[[Address], bool]
    resolve: Resolve = socket.getaddrinfo
    connect: Connect = socket.socket.connect_ex

    def open(self, host: str, port: int) -> socket.socket:
        """Return a connected socket.

        Raises FetchError: `validation` if any resolved address is not accepted, `network`,
        `timeout`.
        """
        call = _CALL.get()
        call.checked = False
        answers = self._answers(host, port)
        for _, sockaddr in answers:
            if not self.accepts(ip_address(sockaddr[0])):
                raise make_refusal_error(
                    f"{host} leads to {sockaddr[0]}, which lies inside a private network or is a"
                    " metadata service"
                )
        call.checked = True
        for waiting, (family, sockaddr) in zip(range(len(answers), 0, -1), answers, strict=True):
            with suppress(OSError):
                return self._dial(family, sockaddr, call.seconds_left() / waiting)
        raise FetchError(f"No connection to {host}.", kind="network")

    def _answers(self, host: str, port: int) -> list[tuple[int, Any]]:
        """Return (family, sockaddr) of every address of a host, from one look-up.

        Literal addresses need no look-up. Raises FetchError (network).
        """
        address = read_address(host)
        if address:
            if address.version == 4:
                return [(socket.AF_INET, (str(address), port))]
            return [(socket.AF_INET6, (str(address), port, 0, 0))]
        found: Future[Sequence[tuple[Any, ...]]] = Future()
        # getaddrinfo cannot be interrupted, and an executor's threads would keep the process from
        # ending.
        threading.Thread(
            target=_resolve_into, args=(found, self.resolve, host, port), daemon=True
        ).start()
        while not settled([found], _CALL.get().next_wait()).done:
            pass
        try:
            return [(answer[0], answer[4]) for answer in found.result()]
        except (OSError, UnicodeError) as error:
            absent = isinstance(error, socket.gaierror) and error.errno in _UNKNOWN_HOST_ERRORS
            raise FetchError(
                f"The name {host} could not be found.", kind="network", absent=absent
            ) from None

    def _dial(self, family: int, sockaddr: Any, patience_s: float) -> socket.socket:
        call = _CALL.get()
        end = time.monotonic() + patience_s
        sock = _Socket(family, socket.SOCK_STREAM)
        try:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            sock.setblocking(False)
            error = self.connect(sock, sockaddr)
            while error in _IN_PROGRESS_ERRORS and time.monotonic() < end:
                if wait_for_write(sock, call.next_wait()):
                    error = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if error:
                raise OSError(error, os.strerror(error))
            sock.settimeout(call.seconds_left())
        except BaseException:
            sock.close()
            raise
        return sock


def _resolve_into(
    found: Future[Sequence[tuple[Any, ...]]], resolve: Resolve, host: str, port: int
) -> None:
    try:
        found.set_result(resolve(host, port, type=socket.SOCK_STREAM))
    except (OSError, UnicodeError) as error:
        found.set_exception(error)


def _make_connection_classes(dialer: Dialer) -> dict[str, type[HTTPConnection]]:
    class Plain(HTTPConnection):
        def _new_conn(self) -> socket.socket:
            return dialer.open(self.host, self.port)

    class TLS(HTTPSConnection):
        def _new_conn(self) -> socket.socket:
            return dialer.open(self.host, self.port)

    return {"http": Plain, "https": TLS}


class _Pools(PoolManager):
    def __init__(self, dialer: Dialer, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._connections = _make_connection_classes(dialer)

    def _new_pool(
        self, scheme: str, host: str, port: int, request_context: dict[str, Any] | None = None
    ) -> HTTPConnectionPool:
        pool = super()._new_pool(scheme, host, port, request_context)
        pool.ConnectionCls = self._connections[scheme]
        return pool


@cache
def _make_tls_context(ca_file: str) -> ssl.SSLContext:
    # Reading the certificates takes as long as a request.
    context = ssl.create_default_context(cafile=ca_file or DEFAULT_CA_BUNDLE_PATH)
    context.sslsocket_class = _TLSSocket
    return context


class GuardedAdapter(HTTPAdapter):
    """Connection pool to what one dialer accepts. Thread-safe.

    ca_file: certificates to trust instead of certifi's.
    """

    def __init__(self, dialer: Dialer, ca_file: str = "") -> None:
        self._dialer = dialer
        self._tls = _make_tls_context(ca_file)
        super().__init__(pool_connections=64, pool_maxsize=24)

    def init_poolmanager(
        self, connections: int, maxsize: int, block: bool = False, **kwargs: Any
    ) -> None:
        self.poolmanager = _Pools(
            self._dialer,
            num_pools=connections,
            maxsize=maxsize,
            block=block,
            ssl_context=self._tls,
            **kwargs,
        )

    def cert_verify(self, *args: Any) -> None:
        """Do nothing: the shared TLS context already verifies.

        The inherited method would load its certificates again for each connection.
        """
