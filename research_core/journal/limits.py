"""Limit requests per span of time and tool calls per day, by tenant, by address and overall.

Within a tenant's requests a minute, users who are active share alike.

The spans belong to this process and start empty with it. The daily count is in the database, so all
processes share it. How a refusal looks on the wire is decided elsewhere.
"""

from __future__ import annotations

import math
import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field

import sqlalchemy as sa

from research_core.errors import BoundaryError
from research_core.journal.database import Database, insert
from research_core.journal.tables import calls
from research_core.model_messages import Json
from research_core.text.dates import format_rfc3339
from research_core.text.words import format_count

MINUTE_S, SECOND_S, DAY_S = 60.0, 1.0, 86_400.0
#: Seconds until a retry is worthwhile, by the specification: of a span, of a day.
RETRY_S, RETRY_DAY_S = 60, 3_600
#: How many tenants or addresses a window remembers; beyond that, the least recent are forgotten.
MAX_KNOWN_KEYS = 10_000
EVERYBODY_KEY = ""


class SlidingWindow:
    """Allows at most `most` events per key in any span of `span_s` seconds; 0 for no limit.

    Not thread-safe.
    """

    def __init__(self, most: int, span_s: float) -> None:
        self.most, self.span_s = most, span_s
        self._taken: OrderedDict[str, deque[float]] = OrderedDict()

    def count_left(self, key: str, now: float) -> int:
        """Return how many more may be taken now; meaningless without a limit."""
        taken = self._taken.get(key, deque())
        while taken and taken[0] <= now - self.span_s:
            taken.popleft()
        return self.most - len(taken)

    def is_full(self, key: str, now: float) -> bool:
        """Return True if this key has reached the limit."""
        return self.most > 0 and self.count_left(key, now) <= 0

    def list_active(self, now: float) -> list[str]:
        """Return the keys with an event within the span, and forget all others."""
        for key in list(self._taken):
            if self.count_left(key, now) == self.most:
                del self._taken[key]
        return list(self._taken)

    def count_event(self, key: str, now: float) -> None:
        """Count one event of this key."""
        if self.most > 0:
            self._taken.setdefault(key, deque()).append(now)
            self._taken.move_to_end(key)
            if len(self._taken) > MAX_KNOWN_KEYS:
                self._taken.popitem(last=False)


@dataclass(frozen=True)
class Refusal:
    """Why a request is refused now. retry_s: seconds until it may be served."""

    limit: str
    message: str
    retry_s: int


@dataclass
class Limits:
    """The limits of one process; 0 for none. Thread-safe.

    db: opens the database with the daily counts, called by the first call that counts. now: the
    wall clock. monotonic: for the spans.
    """

    db: Callable[[], Database]
    now: Callable[[], float]
    monotonic: Callable[[], float]
    per_minute: int = 0
    per_second: int = 0
    per_address: int = 0
    per_day: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _spent: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._minute = SlidingWindow(self.per_minute, MINUTE_S)
        self._by_user: dict[str, SlidingWindow] = {}
        self._second = SlidingWindow(self.per_second, SECOND_S)
        self._address = SlidingWindow(self.per_address, MINUTE_S)

    def count_address(self, address: str) -> Refusal | None:
        """Count one request from this address, or return why it is refused."""
        with self._lock:
            if self._address.is_full(address, now := self.monotonic()):
                return Refusal(
                    "address",
                    f"More than {format_count(self.per_address, 'request')} a minute came from this"
                    " address.",
                    RETRY_S,
                )
            self._address.count_event(address, now)
            return None

    def count_request(self, tenant: str, user: str = "") -> Refusal | None:
        """Count one request of this tenant's user, or return why it is refused.

        A refused request is not counted, so a tenant who keeps asking takes nothing from others. A
        user who made their share of the tenant's requests waits while others of the tenant are
        active; alone, a user may make them all.
        """
        with self._lock:
            now = self.monotonic()
            if self._spent.get(tenant) == self._day():
                return Refusal(
                    "day",
                    f"A tenant may make {format_count(self.per_day, 'call')} of tools a day (UTC),"
                    " and no more today.",
                    RETRY_DAY_S,
                )
            if self._minute.is_full(tenant, now):
                return Refusal(
                    "minute",
                    f"A tenant may make {format_count(self.per_minute, 'request')} a minute, and no"
                    " more now.",
                    RETRY_S,
                )
            share = self._compute_share(tenant, user, now)
            if share is not None and self._count_by_user(tenant, user, now) >= share:
                return Refusal(
                    "user",
                    f"While other users of the tenant are active, a user may make"
                    f" {format_count(share, 'request')} a minute, and no more now.",
                    RETRY_S,
                )
            if self._second.is_full(EVERYBODY_KEY, now):
                return Refusal(
                    "second",
                    f"This server takes {format_count(self.per_second, 'request')} a second, and no"
                    " more now.",
                    RETRY_S,
                )
            self._minute.count_event(tenant, now)
            if self.per_minute:
                self._get_users(tenant).count_event(user, now)
            self._second.count_event(EVERYBODY_KEY, now)
            return None

    def _get_users(self, tenant: str) -> SlidingWindow:
        """Return the requests of the tenant's users; the caller holds the lock."""
        if tenant not in self._by_user and len(self._by_user) >= MAX_KNOWN_KEYS:
            self._by_user.clear()
        return self._by_user.setdefault(tenant, SlidingWindow(self.per_minute, MINUTE_S))

    def _count_by_user(self, tenant: str, user: str, now: float) -> int:
        return self.per_minute - self._get_users(tenant).count_left(user, now)

    def _compute_share(self, tenant: str, user: str, now: float) -> int | None:
        """Return a user's share of the tenant's requests a minute, None for one who is alone."""
        if not self.per_minute:
            return None
        others = [name for name in self._get_users(tenant).list_active(now) if name != user]
        return math.ceil(self.per_minute / (len(others) + 1)) if others else None

    def count_tool_call(self, tenant: str) -> None:
        """Count one tool call of this tenant.

        Raises BoundaryError (rate_limited) when the day's limit is reached, StoreError when the
        call cannot be counted.
        """
        if not self.per_day:
            return
        day = self._day()
        if count_call(self.db(), tenant, day) <= self.per_day:
            return
        with self._lock:
            # Only today's matter: those of earlier days may call again.
            self._spent = {name: spent for name, spent in self._spent.items() if spent == day}
            self._spent[tenant] = day
        raise BoundaryError(
            f"No more than {format_count(self.per_day, 'call')} of tools may be made a day (UTC).",
            kind="rate_limited",
            retry_after=RETRY_DAY_S,
            next_step="Try again tomorrow, or have the limit of calls a day raised.",
        )

    def describe(self, tenant: str) -> Json:
        """Return what is allowed and what remains, for this tenant and overall."""
        remaining: Json = {}
        with self._lock:
            now = self.monotonic()
            for name, window, key in (
                ("tenantPerMinute", self._minute, tenant),
                ("globalPerSecond", self._second, EVERYBODY_KEY),
            ):
                if window.most:
                    left = max(0, window.count_left(key, now))
                    remaining[name] = {"limit": window.most, "remaining": left}
        if self.per_day:
            day = self._day()
            remaining["tenantPerDay"] = {
                "limit": self.per_day,
                "remaining": max(0, self.per_day - count_calls_on(self.db(), tenant, day)),
                "resetsAt": format_rfc3339((day + 1) * DAY_S),
            }
        return {"limited": bool(remaining), **remaining}

    def _day(self) -> int:
        return int(self.now() // DAY_S)


def count_call(db: Database, tenant: str, day: int) -> int:
    """Count one call of this tenant and return the day's total. Counts of earlier days are removed.

    day: whole days since the epoch.
    """
    with db.writing() as conn:
        one = insert(conn, calls).values(tenant=tenant, day=day, made=1)
        more = one.on_conflict_do_update(
            index_elements=["tenant", "day"], set_={"made": calls.c.made + 1}
        )
        count = int(conn.execute(more.returning(calls.c.made)).scalar_one())
        if count == 1:
            conn.execute(sa.delete(calls).where(calls.c.tenant == tenant, calls.c.day < day))
        return count


def count_calls_on(db: Database, tenant: str, day: int) -> int:
    """Return how many calls this tenant made on a day, in whole days since the epoch."""
    query = sa.select(calls.c.made).where(calls.c.tenant == tenant, calls.c.day == day)
    with db.reading() as conn:
        return int(conn.execute(query).scalar() or 0)
