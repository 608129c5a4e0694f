"""Name search engines as the screens show them."""

from __future__ import annotations

from research_core.search.providers import DDGS
from research_core.search.providers.service_info import SERVICES


def format_engine_name(engine: str) -> str:
    """Return the display name of an engine; keyed and keyless access differ."""
    known = SERVICES.get(engine)
    return known.title if known else engine.removeprefix(DDGS)
