"""Sources whose address led to somebody else's page: whether the credibility threshold lets that
page pass, told while a run goes on.

`decide` says it of a source, by the listing that comes first in plan order. Searches are answered
in any order, so this waits until no list may come any more that would speak for the source instead:
what is said here is what the gate will say. It reads and judges nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from research_core.decisions import gate
from research_core.decisions.view import Listing, SourceView, score_redirect
from research_core.models import ScoreParts, SearchResult
from research_core.policy import RunSettings


class Redirects:
    """State: what the searches said of each address, and the sources of which it is still open
    whether they pass.
    """

    def __init__(self, asked: str, settings: RunSettings) -> None:
        self._asked, self._settings = asked, settings
        self._listed: dict[str, list[Listing]] = {}
        self._open: dict[str, SourceView] = {}

    def listed(self, result: SearchResult, order: int, rank: int, parts: ScoreParts | None) -> None:
        """Take in what the list of one more query says of an address."""
        listing = Listing(order, rank, result.title, result.snippet, result.engine, parts)
        self._listed.setdefault(result.url, []).append(listing)

    def led(self, url: str, final_url: str, ratings: Mapping[str, float]) -> bool:
        """Take in where an address led, and how experts rate that; whether it is somebody else's,
        so that it is open for now whether

        the source passes.
        """
        source = SourceView(url, final_url=final_url, ratings=ratings)
        if source.landed:
            self._open[url] = source
        return bool(source.landed)

    def settled(self, coming: float) -> Iterator[tuple[str, bool]]:
        """Each source of which it is known now, with whether it passes; each is told once.

        coming: the first place in plan order from which results may still come.
        """
        for url in sorted(self._open):
            source, chosen = self._told(url)
            if chosen is not None and chosen.order < coming:
                del self._open[url]
                yield url, not gate.redirects_to_blocked_site(source, self._settings)

    def _told(self, url: str) -> tuple[SourceView, Listing | None]:
        """The source as the searches tell it so far, and the listing that speaks for it; None where
        one may yet come that clears.
        """
        listings = tuple(sorted(self._listed.get(url, ()), key=lambda listing: listing.order))
        source = replace(self._open[url], listings=listings)
        chosen = gate.choose_listing(source, self._settings)
        clears = chosen and (
            chosen.parts is None or not self._settings.credibility.blocks(chosen.parts.score)
        )
        return score_redirect(
            source, self._asked, self._settings.credibility
        ), chosen if clears else None
