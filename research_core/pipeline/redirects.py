"""Decide during a run whether sources redirected to another site pass the threshold.

The gate decides by the listing that comes first in plan order, but searches are answered in any
order. This module therefore waits until no earlier list can arrive, so that its answer is the
gate's. It reads and judges nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from research_core.decisions import gate
from research_core.decisions.view import Listing, SourceView, add_redirect_scores
from research_core.models import ScoreParts, SearchResult
from research_core.policy import RunSettings


class Redirects:
    """The redirected sources of a run and what the searches say of each address."""

    def __init__(self, settings: RunSettings) -> None:
        self._settings = settings
        self._listed: dict[str, list[Listing]] = {}
        self._open: dict[str, SourceView] = {}

    def add_listing(
        self, result: SearchResult, order: int, rank: int, parts: ScoreParts | None
    ) -> None:
        """Record what the list of one more query says of an address."""
        listing = Listing(order, rank, result.title, result.snippet, result.engine, parts)
        self._listed.setdefault(result.url, []).append(listing)

    def add(self, url: str, final_url: str, ratings: Mapping[str, float]) -> bool:
        """Record a redirect. Return True if it left the original site, so the verdict is open.

        ratings: expert ratings of the final host.
        """
        source = SourceView(url, final_url=final_url, ratings=ratings)
        if source.redirected_to:
            self._open[url] = source
        return bool(source.redirected_to)

    def iterate_decided(self, coming: float) -> Iterator[tuple[str, bool]]:
        """Yield each source that is decided now, once, with whether it passes.

        coming: the first query order that may still bring results.
        """
        for url in sorted(self._open):
            source, chosen = self._find_listing(url)
            if chosen is not None and chosen.order < coming:
                del self._open[url]
                yield url, not gate.redirects_to_blocked_site(source, self._settings)

    def _find_listing(self, url: str) -> tuple[SourceView, Listing | None]:
        """Return the source as known so far and the listing that speaks for it.

        The listing is None if one that clears it may still come.
        """
        policy = self._settings.credibility
        listings = tuple(sorted(self._listed.get(url, ()), key=lambda listing: listing.order))
        source = replace(self._open[url], listings=listings)
        listing = gate.choose_listing(source, self._settings)
        if listing and listing.parts is not None and policy.blocks(listing.parts.score):
            listing = None
        return add_redirect_scores(source, policy), listing
