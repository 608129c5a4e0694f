"""Keep large results for half an hour in the tenant's cache, under the hash of their contents.

They are sealed like every cache entry. An expired one, or another tenant's, is not found.
"""

from __future__ import annotations

import hashlib

from research_core.journal.cache import Cache, CacheEntry

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
    cache.put(_build_key(name), CacheEntry(value, None, now, ARTIFACT_TTL_S), now)
    return name if find_artifact(cache, name, now) is not None else ""


def find_artifact(cache: Cache, name: str, now: float) -> tuple[bytes, str] | None:
    """Return (body, media type) of this id, or None."""
    entry = cache.get(_build_key(name))
    if entry is None or entry.value is None or not entry.is_fresh(now, ARTIFACT_TTL_S):
        return None
    return entry.value["body"], entry.value["headers"]["content-type"]


def _build_key(name: str) -> str:
    return f"artifact.{name}"
