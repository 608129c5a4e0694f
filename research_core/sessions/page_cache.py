"""Describe and empty the cache of pages that the next sessions read from."""

from __future__ import annotations

from research_core.journal import cache
from research_core.models import Principal
from research_core.wiring import LOCAL_USER, Resources


def describe_page_cache(resources: Resources, *, who: Principal = LOCAL_USER) -> str:
    """Describe how many pages are cached for this tenant's next sessions, "" if none."""
    pages, size = cache.measure_cache(resources.db, who)
    if not pages:
        return ""
    noun = "answer" if pages == 1 else "answers"
    return f"{pages:,} {noun}, {size / 1_000_000:,.1f} MB"


def empty_page_cache(resources: Resources, *, who: Principal = LOCAL_USER) -> int:
    """Delete the cached pages and return how many. Sessions keep what they have read."""
    return cache.empty_cache(resources.db, who)
