"""How much may be asked for: so many requests in a span of time, by tenant, by address and of all;
so many calls of tools a day, by tenant.

The spans are this process's, and start empty with it. The day's count is in the database: every
process adds to it, and it outlives them. What a refusal looks like on the wire is not said here.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field

import sqlalchemy as sa

from research_core.errors import BoundaryError
from research_core.journal.database import Database, insert
from research_core.journal.tables import calls
from research_core.model_messages import Json

MINUTE_S, SECOND_S, DAY_S = 60.0, 1.0, 86_400.0
#: Seconds after which it is worth asking again, as the specification has it.
RETRY_S, RETRY_DAY_S = 60, 3_600
#: Tenants, or addresses, of whom it is known when they asked; beyond them, those who asked longest
#: ago are forgotten.
MAX_KNOWN_KEYS = 10_000
EVERYBODY_KEY = ""


class SlidingWindow:
    """At most so many in any span of so many seconds, for each key apart; 0 for no limit. Not for
    several threads at once by itself.
    """

    def __init__(self, most: int, span_s: float) -> None:
        self.most, self.span_s = most, span_s
        self._taken: OrderedDict[str, deque[float]] = OrderedDict()

    def left(self, key: str, now: float) -> int:
        """How many more may be taken now. Means nothing where there is no limit."""
        taken = self._taken.get(key, deque())
        while taken and taken[0] <= now - self.span_s:
            taken.popleft()
        return self.most - len(taken)

    def full(self, key: str, now: float) -> bool:
        return self.most > 0 and self.left(key, now) <= 0

    def take(self, key: str, now: float) -> None:
        if self.most > 0:
            self._taken.setdefault(key, deque()).append(now)
            self._taken.move_to_end(key)
            if len(self._taken) > MAX_KNOWN_KEYS:
                self._taken.popitem(last=False)


@dataclass(frozen=True)
class Refusal:
    """Why a request is not served now. retry_s: seconds after which it may be."""

    limit: str
    message: str
    retry_s: int


@dataclass
class Limits:
    """The limits of one process. 0 for none. Safe for any number of threads.

    db: where the day's calls are counted, opened by the first call that counts; now: the wall
    clock; monotonic: for the spans.
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
        self._second = SlidingWindow(self.per_second, SECOND_S)
        self._address = SlidingWindow(self.per_address, MINUTE_S)

    def address(self, address: str) -> Refusal | None:
        """One request from this address, whoever it is of."""
        with self._lock:
            if self._address.full(address, now := self.monotonic()):
                return Refusal(
                    "address",
                    f"More than {self.per_address} requests a minute came from this address.",
                    RETRY_S,
                )
            self._address.take(address, now)
            return None

    def request(self, tenant: str) -> Refusal | None:
        """One request of this tenant. One that is refused counts for nobody: a tenant who asks on
        and on takes nothing from others.
        """
        with self._lock:
            now = self.monotonic()
            if self._spent.get(tenant) == self._day():
                return Refusal(
                    "day",
                    f"The {self.per_day} calls of tools that a tenant may make a day (UTC) are"
                    " made.",
                    RETRY_DAY_S,
                )
            if self._minute.full(tenant, now):
                return Refusal(
                    "minute",
                    f"A tenant may make {self.per_minute} requests a minute, and these are made.",
                    RETRY_S,
                )
            if self._second.full(EVERYBODY_KEY, now):
                return Refusal(
                    "second",
                    f"This server takes {self.per_second} requests a second, and these were made.",
                    RETRY_S,
                )
            self._minute.take(tenant, now)
            self._second.take(EVERYBODY_KEY, now)
            return None

    def call(self, tenant: str) -> None:
        """One call of a tool. Raises BoundaryError (rate_limited) where the day's are made,
        StoreError where they cannot be counted.
        """
        if not self.per_day:
            return
        day = self._day()
        if count_call(self.db(), tenant, day) > self.per_day:
            with self._lock:
                self._spent = {
                    name: spent for name, spent in self._spent.items() if spent == day
                } | {tenant: day}
            raise BoundaryError(
                f"The {self.per_day} calls of tools that may be made a day (UTC) are made.",
                kind="rate_limited", retry_after=RETRY_DAY_S,
                next_step="Try again tomorrow, or have the limit of calls a day raised.",
            )  # fmt: skip

    def status(self, tenant: str) -> Json:
        """What is allowed and what is left of it, of this tenant and of all; a limit that there is
        not is left out.
        """
        with self._lock:
            now = self.monotonic()
            spans = (
                ("tenantPerMinute", self._minute, tenant),
                ("globalPerSecond", self._second, EVERYBODY_KEY),
            )
            told: Json = {
                name: {"limit": window.most, "remaining": max(0, window.left(key, now))}
                for name, window, key in spans
                if window.most
            }
        if self.per_day:
            day = self._day()
            left = max(0, self.per_day - count_calls_on(self.db(), tenant, day))
            told["tenantPerDay"] = {
                "limit": self.per_day,
                "remaining": left,
                "resetsAt": (day + 1) * DAY_S,
            }
        return {"limited": bool(told), **told}

    def _day(self) -> int:
        return int(self.now() // DAY_S)


def count_call(db: Database, tenant: str, day: int) -> int:
    """Count one call of this tenant on this day, in whole days since the epoch; how many there are
    with it. Counts of other days go.
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
    with db.reading() as conn:
        return int(
            conn.execute(
                sa.select(calls.c.made).where(calls.c.tenant == tenant, calls.c.day == day)
            ).scalar()
            or 0
        )
