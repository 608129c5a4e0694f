"""Large results, kept beside the answer for half an hour under the hash of what they hold, for
whoever's tenant made them.

They lie in the tenant's cache, sealed like all of it: one that has expired, or is another's, is not
there.
"""

from __future__ import annotations

import hashlib

from research_core.journal.cache import Cache, CacheEntry

#: A result of so many bytes is linked to instead of being sent, and kept for so many seconds.
ARTIFACT_MIN_BYTES, ARTIFACT_TTL_S = 24 * 1024, 1_800.0
ARTIFACT_SCHEME = "research://artifact/"


def store_artifact(cache: Cache, body: bytes, media_type: str, now: float) -> str:
    """The id under which the body can be had again; the same body has the same one. "" where the
    cache did not take it.
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
    """(body, media type) of this id; None where there is none any more."""
    entry = cache.get(_build_key(name))
    if entry is None or entry.value is None or not entry.is_fresh(now, ARTIFACT_TTL_S):
        return None
    return entry.value["body"], entry.value["headers"]["content-type"]


def _build_key(name: str) -> str:
    return f"artifact.{name}"
