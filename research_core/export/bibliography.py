"""The sources of a report as works to cite, in BibTeX, RIS and CSL-JSON, which Zotero, EndNote and
Mendeley read.

One record for each address, the first of two, in the order they are given in: of a report, that of
its numbers. Nothing is looked up: what a source does not say is left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from research_core.citations.formats import styles
from research_core.citations.formats.item import Item
from research_core.citations.formats.keys import keyed
from research_core.citations.formats.sources import source as cited
from research_core.export.document import address, kept, line, name
from research_core.models import Report, ReportSource
from research_core.trust.provenance import site
from research_core.urls import doi, is_own


def entries(built: Report) -> tuple[Item, ...]:
    """The sources a report kept, in the order of their numbers."""
    asked = _day(built.created)
    return tuple(
        cited(
            source.url if is_own(source.url) else address(source),
            line(name(source)),
            source.metadata.authors,
            line(source.metadata.site or ("" if is_own(source.url) else site(source.address))),
            source.published,
            source.metadata.doi or doi(source.address),
            _day(source.fetched) if source.fetched else asked,
            line(_note(source)),
        )
        for source in kept(built)
    )


def _note(source: ReportSource) -> str:
    scored = (
        f"Credibility score {source.parts.score:.2f}"
        if source.parts
        else "Own document, not scored"
    )
    return (
        f"{scored}; read from {source.archived.named}, {line(source.archived.url)}"
        if source.archived
        else scored
    )


def _day(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).date().isoformat()


def bibtex(found: Iterable[Item]) -> str:
    return styles.FORMATS["bibtex"](keyed(found))


def ris(found: Iterable[Item]) -> str:
    return styles.FORMATS["ris"](keyed(found))


def csl_json(found: Iterable[Item]) -> str:
    return styles.FORMATS["csl-json"](keyed(found))
