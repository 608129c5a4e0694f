"""Decide during a run whether sources redirected to another site pass the threshold.

The gate decides by the listing that comes first in plan order, but searches are answered in any
order. This module therefore waits until no list can arrive before the first that clears the
threshold, so that its answer is the gate's. It reads and judges nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from research_core.decisions import gate
from research_core.decisions.view import Listing, RunView, SourceView, add_redirect_scores
from research_core.models import ScoreParts, SearchResult


class Redirects:
    """The redirected sources of a run and what the searches say of each address.

    run: its settings and rules.
    """

    def __init__(self, run: RunView) -> None:
        self._run = run
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
            source = self._build_source(url)
            passing = gate.find_passing_listing(source, self._run.settings.credibility)
            if passing is not None and passing.order < coming:
                del self._open[url]
                yield url, not gate.redirects_to_blocked_site(source, self._run)

    def _build_source(self, url: str) -> SourceView:
        """Return the source as known so far, its listings in plan order."""
        listings = tuple(sorted(self._listed.get(url, ()), key=lambda listing: listing.order))
        source = replace(self._open[url], listings=listings)
        return add_redirect_scores(source, self._run.settings.credibility)
