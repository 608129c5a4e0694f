"""The cache of one tenant: what the outside answered, kept beside the sessions while it is good, so
that the next one need not ask.

The log comes first and needs none of it: what answers from here is journalled like any answer.
Nothing here fails a call: a cache that cannot be read or written is said once and gone round. What
an answer's headers mean is `http_caching`'.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from research_core.errors import (
    BoundaryError,
    ResearchError,
    SettingsError,
    StoreError,
    error_from_json,
    error_to_json,
)
from research_core.journal import http_caching
from research_core.journal.database import Database, insert
from research_core.journal.events import canonical_json
from research_core.journal.store import seal_payload, unseal_payload
from research_core.journal.tables import cache
from research_core.model_messages import Json
from research_core.models import Principal

#: Raised when the form of an entry changes. With it the version of what the doorway records counts:
#: see `Cache`.
ENTRY_VERSION = 1
#: Bytes that one tenant's cache may hold; when there are more, the oldest go until a tenth is free.
MAX_CACHE_BYTES = 256_000_000
#: The share of it that one answer may take: a few large documents must not push out all pages.
MAX_ENTRY_SHARE = 0.1
#: Seconds for which an answer that is no longer fresh, and can be asked about, is kept.
STALE_KEEP_S = 7 * 86_400.0


@dataclass(frozen=True)
class CacheEntry:
    """An answer as the log would record it, or a failure. at: when the other side gave or last
    confirmed it; fresh_s: how long it is good

    from then.
    """

    value: Mapping[str, Any] | None
    error: BoundaryError | None
    at: float
    fresh_s: float

    @property
    def failed(self) -> bool:
        return self.value is None or bool(http_caching.error_kind_of(self.value["status"]))

    @property
    def validators(self) -> dict[str, str]:
        return (
            {}
            if self.value is None or self.failed
            else http_caching.build_validators(self.value["headers"])
        )

    @property
    def until(self) -> float:
        """When it is of no use any more."""
        return self.at + self.fresh_s + (STALE_KEEP_S if self.validators else 0.0)

    def is_fresh(self, now: float, ttl_s: float) -> bool:
        """ttl_s: how old the caller takes a success. One from the future, as of a clock that was
        wrong, is never fresh.
        """
        return 0.0 <= now - self.at < (self.fresh_s if self.failed else min(self.fresh_s, ttl_s))


class Cache:
    """The entries of one tenant. shape: the version of what is recorded; entries of another shape
    are dropped.

    rules: the settings by which it is decided what may be asked; what was answered under others
    answers nothing.

    on_trouble: is told what the database refused. bound: bytes that all entries together may have;
    what is larger than a tenth of it is not kept.
    """

    def __init__(
        self,
        db: Database,
        who: Principal,
        shape: int,
        on_trouble: Callable[[ResearchError], None],
        *,
        bound: int = MAX_CACHE_BYTES,
        rules: str = "",
    ) -> None:
        self._db, self._who, self._shape, self._on_trouble, self._bound = (
            db,
            who,
            f"{ENTRY_VERSION}.{shape}",
            on_trouble,
            bound,
        )
        self._rules = hashlib.sha256(rules.encode()).hexdigest()[:16]
        self._swept = False
        self._written = 0

    def get(self, key: str) -> CacheEntry | None:
        """What is kept under this key, fresh or not; None where there is nothing, or nothing that
        can be read.
        """
        key = f"{key}.{self._rules}"
        kept = sa.select(cache.c.body).where(
            cache.c.tenant == self._who.tenant, cache.c.key == key, cache.c.shape == self._shape
        )
        try:
            with self._db.reading() as conn:
                body = conn.execute(kept).scalar()
            return (
                None
                if body is None
                else _decode_entry(unseal_payload(self._db, self._who, body, "cache", key))
            )
        except SettingsError:  # sealed with a key that is gone; the next answer takes its place
            return None
        except StoreError as error:
            self._on_trouble(error)
            return None

    def put(self, key: str, entry: CacheEntry, now: float) -> None:
        """Keep it, in place of what was there, and remove what is of no use any more."""
        if entry.value and len(entry.value["body"]) > MAX_ENTRY_SHARE * self._bound:
            return
        key = f"{key}.{self._rules}"
        body = seal_payload(self._db, self._who, _encode_entry(entry), "cache", key)
        row = {
            "shape": self._shape,
            "at": entry.at,
            "until": entry.until,
            "size": len(body),
            "body": body,
        }
        try:
            with self._db.writing() as conn:
                made = insert(conn, cache).values(tenant=self._who.tenant, key=key, **row)
                conn.execute(made.on_conflict_do_update(index_elements=["tenant", "key"], set_=row))
                self._written += len(body)
                if not self._swept or self._written > self._bound // 16:
                    self._sweep(conn, now)
        except StoreError as error:
            self._on_trouble(error)

    def _sweep(self, conn: sa.Connection, now: float) -> None:
        """With the first entry of a session, and again whenever many bytes were added since."""
        conn.execute(
            sa.delete(cache).where(
                _belongs_to(self._who), sa.or_(cache.c.until < now, cache.c.shape != self._shape)
            )
        )
        over = (
            int(
                conn.execute(
                    sa.select(sa.func.coalesce(sa.func.sum(cache.c.size), 0)).where(
                        _belongs_to(self._who)
                    )
                ).scalar_one()
            )
            - self._bound
        )
        if over > 0:
            _drop_oldest(conn, self._who, over + self._bound // 10)
        self._swept, self._written = True, 0


def _drop_oldest(conn: sa.Connection, who: Principal, size: int) -> None:
    freed, last = 0, 0.0
    for row in conn.execute(
        sa.select(cache.c.at, cache.c.size).where(_belongs_to(who)).order_by(cache.c.at)
    ).all():
        freed, last = freed + row.size, row.at
        if freed >= size:
            break
    conn.execute(sa.delete(cache).where(_belongs_to(who), cache.c.at <= last))


def _belongs_to(who: Principal) -> sa.ColumnElement[bool]:
    return cache.c.tenant == who.tenant


def measure_cache(db: Database, who: Principal) -> tuple[int, int]:
    """How many entries this user's tenant has, and their bytes."""
    with db.reading() as conn:
        row = conn.execute(
            sa.select(sa.func.count(), sa.func.coalesce(sa.func.sum(cache.c.size), 0)).where(
                _belongs_to(who)
            )
        ).one()
    return int(row[0]), int(row[1])


def empty_cache(db: Database, who: Principal) -> int:
    """Remove all that this user's tenant has; how many entries."""
    return _remove_entries(db, _belongs_to(who))


def sweep_cache(db: Database, who: Principal, now: float) -> int:
    """Remove what is of no use to this user's tenant any more; how many entries."""
    return _remove_entries(db, sa.and_(_belongs_to(who), cache.c.until < now))


def _remove_entries(db: Database, which: sa.ColumnElement[bool]) -> int:
    with db.writing() as conn:
        return len(conn.execute(sa.delete(cache).where(which).returning(cache.c.key)).all())


def _encode_entry(entry: CacheEntry) -> bytes:
    """A line of JSON, then the answer's body."""
    value = {name: part for name, part in (entry.value or {}).items() if name != "body"}
    told: Json = {
        "at": entry.at,
        "fresh_s": entry.fresh_s,
        "value": value or None,
        "error": entry.error and error_to_json(entry.error),
    }
    body = entry.value["body"] if entry.value else b""
    return canonical_json(told).encode("utf-8", "surrogatepass") + b"\n" + body


def _decode_entry(body: bytes) -> CacheEntry:
    head, _, rest = body.partition(b"\n")
    told = json.loads(head.decode("utf-8", "surrogatepass"))
    value = {**told["value"], "body": rest} if told["value"] else None
    return CacheEntry(
        value,
        error_from_json(told["error"]) if told["error"] else None,
        told["at"],
        told["fresh_s"],
    )


# ---------------------------------------------------------------- one call


@dataclass(frozen=True)
class FullAnswer:
    """What the outside said to one request. headers: all of them, more than is recorded."""

    value: Mapping[str, Any]
    headers: Mapping[str, str]


@dataclass(frozen=True)
class DeferredCache:
    """A cache that keeps an answer only once somebody has made sense of it: each is put by a call
    of what is pending.
    """

    cache: Cache
    pending: list[Callable[[], None]]

    def get(self, key: str) -> CacheEntry | None:
        return self.cache.get(key)

    def put(self, key: str, entry: CacheEntry, now: float) -> None:
        """A failure is not kept: how long a service that fails is left alone is its breaker's."""
        if not entry.failed:
            self.pending.append(lambda: self.cache.put(key, entry, now))


@dataclass(frozen=True)
class CachedCall:
    """How one call uses the cache. ttl_s: how old an answer it takes; again: it is to be tried once
    more, so that no failure answers it.

    rule: ttl_s alone says how long a success is good, whatever its headers say: how old what a
    service found may be is specified. So it says of a page that is not there.
    """

    cache: Cache | DeferredCache
    key: str
    ttl_s: float
    now: Callable[[], float]
    again: bool = False
    rule: bool = False

    def plain(self, ask: Callable[[], Any], notes: dict[str, Any]) -> Any:
        """The same of a call that gives plain JSON values, and knows no headers."""
        said = self.answer(
            lambda _: FullAnswer(
                {
                    "status": 200,
                    "headers": {},
                    "body": canonical_json(ask()).encode("utf-8", "surrogatepass"),
                },
                {},
            ),
            notes,
        )
        return json.loads(said["body"].decode("utf-8", "surrogatepass"))

    def answer(
        self, ask: Callable[[Mapping[str, str]], FullAnswer], notes: dict[str, Any]
    ) -> Mapping[str, Any]:
        """A fresh entry; else what `ask` says, given the headers by which an older entry may be
        confirmed. Raises what it raised.

        notes: is told when the answer is not the outside's own: {"cached": true, "age": whole
        seconds}, and "renewed" for a confirmed one.
        """
        now, entry = self.now(), self.cache.get(self.key)
        if entry is not None and self.again and entry.failed:
            entry = None
        if entry is not None and entry.is_fresh(now, self.ttl_s):
            notes |= {"cached": True, "age": int(now - entry.at)}
            if entry.value is None:
                assert entry.error is not None
                raise entry.error
            return entry.value
        said = self._ask(ask, entry.validators if entry else {})
        if (
            entry is not None
            and entry.value is not None
            and said.value["status"] == 304
            and entry.validators
        ):
            if (value := http_caching.apply_not_modified(entry.value, said.value)) is not None:
                notes |= {"cached": True, "age": 0, "renewed": True}
                self._keep(
                    FullAnswer(value, said.headers),
                    self.ttl_s if http_caching.states_lifetime(said.headers) else entry.fresh_s,
                )
                return value
            said = self._ask(ask, {})
        self._keep(said, self.ttl_s)
        return said.value

    def _ask(
        self, ask: Callable[[Mapping[str, str]], FullAnswer], validators: Mapping[str, str]
    ) -> FullAnswer:
        try:
            return ask(validators)
        except BoundaryError as error:
            if (
                not error.ours
                and (fresh := http_caching.failure_seconds(error.kind, error.retry_after)) > 0
            ):
                self.cache.put(self.key, CacheEntry(None, error, self.now(), fresh), self.now())
            raise

    def _keep(self, said: FullAnswer, ttl_s: float) -> None:
        """ttl_s: how long it is good where it does not say itself."""
        now = self.now()
        ruled = self.rule and http_caching.error_kind_of(said.value["status"]) in ("", "not_found")
        fresh = (
            self.ttl_s
            if ruled
            else http_caching.freshness_seconds(said.value["status"], said.headers, ttl_s, now)
        )
        if fresh is None:
            return
        entry = CacheEntry(said.value, None, now, fresh)
        if entry.until > now:
            self.cache.put(self.key, entry, now)
