"""Stop calling a failing service for a while, and pace the calls of each service.

One object per process: a refusal concerns its keys and its address whichever session asked. It
records nothing and sees live outcomes only; the doorway records its refusals like any failure, so a
replay needs none of it.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from research_core.errors import FetchError

#: After so many failures in a row a service rests, by default for so many seconds, and at most for
#: so many. Callers are told to wait for the default (`tools.failures`).
MAX_FAILURES, REST_S, REST_MAX_S = 3, 60.0, 900.0
#: Failures of these kinds begin a rest at once. The others of `FAILURE_KINDS` are counted; no other
#: kind shows trouble of the service: a wrong key, no credit or a bad parameter is our fault.
TRIP_AT_ONCE_KINDS = frozenset({"rate_limited"})
FAILURE_KINDS = TRIP_AT_ONCE_KINDS | {"network", "timeout", "upstream_unavailable"}


@dataclass(frozen=True)
class AdmittedCall:
    """One admitted call.

    wait_s: seconds until its turn. probe: whether it tests if the service works again. rest: how
    many rests the service had begun when the call was admitted.
    """

    name: str
    wait_s: float
    probe: bool
    rest: int


@dataclass
class _Breaker:
    """The state of one service."""

    failures: int = 0
    refused: bool = False  # the service itself asked for its rest
    rests: int = 0  # how many rests it has begun
    until: float = 0.0  # end of the rest; 0 while closed
    probing: bool = False  # a probe is under way
    next: float = 0.0  # the earliest start of its next call


class CircuitBreakers:
    """Circuit breakers and pacing by service name. Thread-safe.

    now: seconds for measuring intervals.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._known: dict[str, _Breaker] = {}

    def admit(self, name: str, pace_s: float = 0.0, patience_s: float = math.inf) -> AdmittedCall:
        """Admit one call. `record_outcome` or `release` must follow once for each admission.

        Raises FetchError: circuit_open while the service is left alone, after which one call at a
        time may ask again; timeout if its turn comes later than in patience_s. A call that is not
        admitted takes no place among those that wait.
        """
        with self._lock:
            now = self._now()
            service = self._known.setdefault(name, _Breaker())
            is_closed = not service.until
            left = service.until - now
            if not is_closed and (left > 0 or service.probing):
                raise _circuit_open_error(name, left)
            start = max(now, service.next)
            if start - now > patience_s:
                sentence = (
                    f"Too many calls to {name} are waiting; this one would wait {start - now:.0f} s,"
                    " longer than its time limit."
                )
                raise FetchError(
                    sentence,
                    kind="timeout",
                    next_step="Try again later, or ask for less at once.",
                    ours=True,
                )
            service.probing = service.probing or not is_closed
            service.next = start + pace_s
            return AdmittedCall(name, start - now, not is_closed, service.rests)

    def check_turn(self, admission: AdmittedCall) -> None:
        """Check the service again when the call's turn has come.

        Raises FetchError (circuit_open) if a rest began while the call waited.
        """
        with self._lock:
            service = self._known[admission.name]
            if service.until and admission.rest < service.rests:
                raise _circuit_open_error(admission.name, service.until - self._now())

    def record_outcome(
        self, admission: AdmittedCall, kind: str, retry_after: float | None = None
    ) -> None:
        """Record how an admitted call ended. kind: "" for an answer, else the kind of its failure.

        A call admitted before the last rest shows the service as it was then, so neither its answer
        nor its failure counts: only the probe ends a rest. Its "too many requests" does count,
        because the service asks for that now: it begins a rest, or prolongs the current one, and
        never shortens it. The same holds for a probe that was admitted before such a refusal.
        """
        with self._lock:
            service = self._known[admission.name]
            service.probing = service.probing and not admission.probe
            if kind in TRIP_AT_ONCE_KINDS:
                self._begin_rest(service, kind, retry_after)
            elif admission.rest < service.rests:
                return
            elif kind not in FAILURE_KINDS:
                service.failures = 0
                service.until = 0.0
                service.refused = False
            else:
                service.failures += 1
                if admission.probe or service.failures >= MAX_FAILURES:
                    self._begin_rest(service, kind, retry_after)

    def release(self, admission: AdmittedCall) -> None:
        """Release an admitted call that was never made or was broken off."""
        with self._lock:
            service = self._known[admission.name]
            service.probing = service.probing and not admission.probe

    def _begin_rest(self, service: _Breaker, kind: str, retry_after: float | None) -> None:
        """Begin or prolong the service's rest."""
        service.rests += 1
        service.refused = kind in TRIP_AT_ONCE_KINDS
        rest_s = min(retry_after or REST_S, REST_MAX_S)
        service.until = max(service.until, self._now() + rest_s)

    def close_failed(self) -> None:
        """Close the breakers of failed services, because a person asked for a retry.

        Services that asked to be left alone stay so.
        """
        with self._lock:
            for service in self._known.values():
                if not service.refused:
                    service.failures = 0
                    service.until = 0.0

    def list_open(self, names: Iterable[str]) -> list[str]:
        """Return those of these services whose breaker is open."""
        resting = []
        with self._lock:
            now = self._now()
            for name in names:
                service = self._known.get(name)
                if service and service.until > now:
                    resting.append(name)
        return resting

    def list_states(self) -> dict[str, str]:
        """Return {service: closed | open | half_open} of every service this process asked."""
        with self._lock:
            now = self._now()
            return {
                name: _breaker_state(service, now) for name, service in sorted(self._known.items())
            }


def _circuit_open_error(name: str, left: float) -> FetchError:
    wait = max(left, 1.0)
    return FetchError(
        f"{name} failed recently and is not asked for another {wait:.0f} s.",
        kind="circuit_open",
        retry_after=wait,
        next_step="Try again then, or use another provider.",
    )


def _breaker_state(service: _Breaker, now: float) -> str:
    if not service.until:
        return "closed"
    return "open" if service.until > now else "half_open"
