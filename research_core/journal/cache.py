"""Keep outside answers of one tenant while they are good, so that the next session need not ask.

The log comes first: a cached answer is recorded like any other. A cache failure never fails a call:
it is reported once and the call is made. `http_caching` interprets the headers.
"""

from __future__ import annotations

import functools
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
from research_core.journal.database import Database, insert_for_dialect
from research_core.journal.events import canonical_json
from research_core.journal.store import seal_payload, unseal_payload
from research_core.journal.tables import cache
from research_core.model_messages import Json
from research_core.models import Principal

#: Raise it when the form of an entry changes. The version of the recorded data (`Cache.shape`)
#: counts too.
ENTRY_VERSION = 1
#: Bytes one tenant's cache may hold; beyond them, the oldest entries go until a tenth is free.
MAX_CACHE_BYTES = 256_000_000
#: The share of it one answer may take: a few large documents must not push out all pages.
MAX_ENTRY_SHARE = 0.1
#: Seconds a stale answer is kept if it can be confirmed.
STALE_KEEP_S = 7 * 86_400.0


@dataclass(frozen=True)
class CacheEntry:
    """An answer as the log would record it, or a failure.

    at: when the other side gave or last confirmed it. fresh_s: seconds it is good for from then.
    """

    value: Mapping[str, Any] | None
    error: BoundaryError | None
    at: float
    fresh_s: float

    @property
    def failed(self) -> bool:
        """Whether this is an error or an HTTP status other than success."""
        return self.value is None or bool(http_caching.error_kind_of(self.value["status"]))

    @property
    def validators(self) -> dict[str, str]:
        """The headers that ask whether the answer is still valid; empty for a failure."""
        if self.value is None or self.failed:
            return {}
        return http_caching.build_validators(self.value["headers"])

    @property
    def until(self) -> float:
        """When the entry becomes useless, seconds since the epoch."""
        return self.at + self.fresh_s + (STALE_KEEP_S if self.validators else 0.0)

    def is_fresh(self, now: float, ttl_s: float) -> bool:
        """Return True if the entry may answer. ttl_s: the greatest age accepted of a success.

        An entry from the future, written under a wrong clock, is never fresh.
        """
        good_s = self.fresh_s if self.failed else min(self.fresh_s, ttl_s)
        return 0.0 <= now - self.at < good_s


_SELECT_BODY = sa.select(cache.c.body).where(
    cache.c.tenant == sa.bindparam("my_tenant"),
    cache.c.key == sa.bindparam("my_key"),
    cache.c.shape == sa.bindparam("my_shape"),
)


@functools.cache
def _build_entry_insert(dialect: str) -> Any:
    """Build the insert of an entry in place of an older one."""
    made = insert_for_dialect(dialect, cache)
    changed = {name: made.excluded[name] for name in ("shape", "at", "until", "size", "body")}
    return made.on_conflict_do_update(index_elements=["tenant", "key"], set_=changed)


class Cache:
    """The entries of one tenant.

    shape: the version of the recorded data; entries of another shape are dropped. rules: the
    settings that decide what may be asked; answers given under others are not used. on_trouble:
    receives database errors. bound: bytes all entries may take; an answer larger than a tenth of it
    is not kept.
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
        self._db = db
        self._who = who
        self._shape = f"{ENTRY_VERSION}.{shape}"
        self._on_trouble = on_trouble
        self._bound = bound
        self._rules = hashlib.sha256(rules.encode()).hexdigest()[:16]
        self._swept = False
        self._written = 0

    def get(self, key: str) -> CacheEntry | None:
        """Return the entry under this key, fresh or not; None if there is none that can be read."""
        key = f"{key}.{self._rules}"
        values = {"my_tenant": self._who.tenant, "my_key": key, "my_shape": self._shape}
        try:
            with self._db.reading() as conn:
                body = conn.execute(_SELECT_BODY, values).scalar()
            if body is None:
                return None
            return _decode_entry(unseal_payload(self._db, self._who, body, "cache", key))
        except SettingsError:  # sealed with a key that is gone; the next answer replaces it
            return None
        except StoreError as error:
            self._on_trouble(error)
            return None

    def put(self, key: str, entry: CacheEntry, now: float) -> None:
        """Store an entry in place of an older one, and sweep when due."""
        if entry.value and len(entry.value["body"]) > MAX_ENTRY_SHARE * self._bound:
            return
        key = f"{key}.{self._rules}"
        body = seal_payload(self._db, self._who, _encode_entry(entry), "cache", key)
        row = {
            "tenant": self._who.tenant,
            "key": key,
            "shape": self._shape,
            "at": entry.at,
            "until": entry.until,
            "size": len(body),
            "body": body,
        }
        try:
            with self._db.writing() as conn:
                conn.execute(_build_entry_insert(conn.dialect.name), row)
                self._written += len(body)
                if not self._swept or self._written > self._bound // 16:
                    self._sweep(conn, now)
        except StoreError as error:
            self._on_trouble(error)

    def _sweep(self, conn: sa.Connection, now: float) -> None:
        """Remove expired entries, and the oldest if there are too many bytes.

        Runs with the first entry of a session, and again whenever many bytes were added since.
        """
        useless = sa.or_(cache.c.until < now, cache.c.shape != self._shape)
        conn.execute(sa.delete(cache).where(_belongs_to(self._who), useless))
        total = sa.func.coalesce(sa.func.sum(cache.c.size), 0)
        size = conn.execute(sa.select(total).where(_belongs_to(self._who))).scalar_one()
        over = int(size) - self._bound
        if over > 0:
            _drop_oldest(conn, self._who, over + self._bound // 10)
        self._swept = True
        self._written = 0


def _drop_oldest(conn: sa.Connection, who: Principal, size: int) -> None:
    """Remove the oldest entries until at least `size` bytes are free."""
    oldest_first = sa.select(cache.c.at, cache.c.size).where(_belongs_to(who)).order_by(cache.c.at)
    freed = 0
    last = 0.0
    for row in conn.execute(oldest_first).all():
        freed += row.size
        last = row.at
        if freed >= size:
            break
    conn.execute(sa.delete(cache).where(_belongs_to(who), cache.c.at <= last))


def _belongs_to(who: Principal) -> sa.ColumnElement[bool]:
    return cache.c.tenant == who.tenant


def measure_cache(db: Database, who: Principal) -> tuple[int, int]:
    """Return the number of entries of this user's tenant and their bytes."""
    total = sa.func.coalesce(sa.func.sum(cache.c.size), 0)
    query = sa.select(sa.func.count(), total).where(_belongs_to(who))
    with db.reading() as conn:
        row = conn.execute(query).one()
    return int(row[0]), int(row[1])


def empty_cache(db: Database, who: Principal) -> int:
    """Remove all entries of this user's tenant; return their number."""
    return _remove_entries(db, _belongs_to(who))


def sweep_cache(db: Database, who: Principal, now: float) -> int:
    """Remove the expired entries of this user's tenant; return their number."""
    return _remove_entries(db, sa.and_(_belongs_to(who), cache.c.until < now))


def _remove_entries(db: Database, which: sa.ColumnElement[bool]) -> int:
    with db.writing() as conn:
        return len(conn.execute(sa.delete(cache).where(which).returning(cache.c.key)).all())


def _encode_entry(entry: CacheEntry) -> bytes:
    """Encode as a line of JSON followed by the answer's body."""
    value = dict(entry.value or {})
    body: bytes = value.pop("body") if entry.value else b""
    head: Json = {
        "at": entry.at,
        "fresh_s": entry.fresh_s,
        "value": value or None,
        "error": entry.error and error_to_json(entry.error),
    }
    return canonical_json(head).encode("utf-8", "surrogatepass") + b"\n" + body


def _decode_entry(body: bytes) -> CacheEntry:
    head, _, rest = body.partition(b"\n")
    fields = json.loads(head.decode("utf-8", "surrogatepass"))
    value = {**fields["value"], "body": rest} if fields["value"] else None
    error = error_from_json(fields["error"]) if fields["error"] else None
    return CacheEntry(value, error, fields["at"], fields["fresh_s"])


# ---------------------------------------------------------------- one call


@dataclass(frozen=True)
class FullAnswer:
    """An outside answer to one call.

    value: what the log records of it. headers: all of an HTTP answer, more than are recorded; {}
    for other kinds, and for an answer out of the log or the cache.
    """

    value: Any
    headers: Mapping[str, str]


@dataclass(frozen=True)
class DeferredCache:
    """A cache that stores an answer only after it was understood.

    Each put waits in `pending` until somebody calls it.
    """

    cache: Cache
    pending: list[Callable[[], None]]

    def get(self, key: str) -> CacheEntry | None:
        return self.cache.get(key)

    def put(self, key: str, entry: CacheEntry, now: float) -> None:
        """Queue a success. Failures are dropped: the service's circuit breaker handles those."""
        if not entry.failed:
            self.pending.append(lambda: self.cache.put(key, entry, now))


@dataclass(frozen=True)
class CachedCall:
    """How one call uses the cache.

    ttl_s: the greatest age of an answer it accepts. is_retry: no cached failure answers the call.
    ignores_headers: ttl_s alone says how long a success or a missing page is good.
    """

    cache: Cache | DeferredCache
    key: str
    ttl_s: float
    now: Callable[[], float]
    is_retry: bool = False
    ignores_headers: bool = False

    def answer_plain(
        self, ask: Callable[[Mapping[str, str]], FullAnswer], notes: dict[str, Any]
    ) -> FullAnswer:
        """Answer a call that returns plain JSON values and has no headers."""

        def ask_as_http(validators: Mapping[str, str]) -> FullAnswer:
            body = canonical_json(ask(validators).value).encode("utf-8", "surrogatepass")
            return FullAnswer({"status": 200, "headers": {}, "body": body}, {})

        answer = self.answer(ask_as_http, notes)
        return FullAnswer(json.loads(answer.value["body"].decode("utf-8", "surrogatepass")), {})

    def answer(
        self, ask: Callable[[Mapping[str, str]], FullAnswer], notes: dict[str, Any]
    ) -> FullAnswer:
        """Return a fresh entry, or what `ask` returns. Raises what `ask` raises.

        ask: receives the headers by which an older entry may be confirmed. notes: updated when the
        answer comes from the cache: {"cached": true, "age": whole seconds}, and "renewed" for a
        confirmed one.
        """
        now = self.now()
        entry = self.cache.get(self.key)
        if entry is not None and self.is_retry and entry.failed:
            entry = None
        if entry is not None and entry.is_fresh(now, self.ttl_s):
            notes |= {"cached": True, "age": int(now - entry.at)}
            if entry.value is None:
                assert entry.error is not None
                raise entry.error
            return FullAnswer(entry.value, {})

        validators = entry.validators if entry else {}
        answer = self._ask(ask, validators)
        if validators and answer.value["status"] == 304:
            assert entry is not None
            confirmed = self._renew(entry, answer)
            if confirmed is not None:
                notes |= {"cached": True, "age": 0, "renewed": True}
                return confirmed
            answer = self._ask(ask, {})
        self._store(answer, self.ttl_s)
        return answer

    def _renew(self, entry: CacheEntry, answer: FullAnswer) -> FullAnswer | None:
        """Store the entry anew under the headers of the 304 that confirms it, and return it.

        None if the 304 came from another address and so confirms another page.
        """
        assert entry.value is not None  # a failure has no validators
        value = http_caching.apply_not_modified(entry.value, answer.value)
        if value is None:
            return None
        renewed = FullAnswer(value, answer.headers)
        states_lifetime = http_caching.states_lifetime(answer.headers)
        self._store(renewed, self.ttl_s if states_lifetime else entry.fresh_s)
        return renewed

    def _ask(
        self, ask: Callable[[Mapping[str, str]], FullAnswer], validators: Mapping[str, str]
    ) -> FullAnswer:
        """Ask the outside, and store a failure that may stand for the next call."""
        try:
            return ask(validators)
        except BoundaryError as error:
            fresh_s = http_caching.failure_seconds(error.kind, error.retry_after)
            if not error.ours and fresh_s > 0:
                entry = CacheEntry(None, error, self.now(), fresh_s)
                self.cache.put(self.key, entry, self.now())
            raise

    def _store(self, answer: FullAnswer, ttl_s: float) -> None:
        """Store an answer. ttl_s: how long it is good if its headers do not say."""
        now = self.now()
        status = answer.value["status"]
        fresh_s: float | None = self.ttl_s
        if not self.ignores_headers or http_caching.error_kind_of(status) not in ("", "not_found"):
            fresh_s = http_caching.freshness_seconds(status, answer.headers, ttl_s, now)
        if fresh_s is None:
            return
        entry = CacheEntry(answer.value, None, now, fresh_s)
        if entry.until > now:
            self.cache.put(self.key, entry, now)


# ---------------------------------------------------------------- large results of tools

#: A result of at least so many bytes is linked instead of sent, and kept for so many seconds.
ARTIFACT_MIN_BYTES, ARTIFACT_TTL_S = 24 * 1024, 1_800.0
ARTIFACT_SCHEME = "research://artifact/"


def store_artifact(cache: Cache, body: bytes, media_type: str, now: float) -> str:
    """Store a body and return its id, "" if the cache did not take it.

    The same body has the same id.
    """
    name = hashlib.sha256(body).hexdigest()
    value = {
        "url": ARTIFACT_SCHEME + name,
        "status": 200,
        "headers": {"content-type": media_type},
        "body": body,
        "hops": [],
    }
    cache.put(_build_artifact_key(name), CacheEntry(value, None, now, ARTIFACT_TTL_S), now)
    return name if find_artifact(cache, name, now) is not None else ""


def find_artifact(cache: Cache, name: str, now: float) -> tuple[bytes, str] | None:
    """Return (body, media type) of this id, or None."""
    entry = cache.get(_build_artifact_key(name))
    if entry is None or entry.value is None or not entry.is_fresh(now, ARTIFACT_TTL_S):
        return None
    return entry.value["body"], entry.value["headers"]["content-type"]


def _build_artifact_key(name: str) -> str:
    return f"artifact.{name}"
