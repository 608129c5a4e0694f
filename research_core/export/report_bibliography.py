"""Export the kept sources of a report as BibTeX, RIS and CSL-JSON.

There is one record per address, the first of two, in the order of the report's numbers. Nothing is
looked up: what a source does not say is left out.
"""

from __future__ import annotations

from collections.abc import Iterable

from research_core.citations.formats import styles
from research_core.citations.formats.item import Item
from research_core.citations.formats.keys import assign_keys
from research_core.citations.formats.sources import build_source_item as cited
from research_core.citations.formats.sources import render_titles
from research_core.export.cells import clean_line
from research_core.export.document import (
    get_source_name,
    get_source_url,
    list_kept_sources,
)
from research_core.models import Report, ReportSource
from research_core.text.dates import format_utc_day
from research_core.trust.provenance import describe_live_failure, name_site
from research_core.urls import find_doi, is_own_document


def build_items(built: Report) -> tuple[Item, ...]:
    """Build the works of a report's kept sources, in the order of their numbers."""
    created = format_utc_day(built.created)
    return tuple(_build_item(source, created) for source in list_kept_sources(built))


def _build_item(source: ReportSource, created: str) -> Item:
    own = is_own_document(source.url)
    site = source.metadata.site or ("" if own else name_site(source.address))
    item = cited(
        source.url if own else get_source_url(source),
        clean_line(get_source_name(source)),
        source.metadata.authors,
        clean_line(site),
        source.published,
        source.metadata.doi or find_doi(source.address),
        format_utc_day(source.fetched) if source.fetched else created,
        clean_line(_format_note(source)),
    )
    return render_titles(item)


def _format_note(source: ReportSource) -> str:
    note = "Own document, not scored"
    if source.parts:
        note = f"Credibility score {source.parts.score:.2f}"
    if source.archived:
        note += f"; read from {source.archived.named}, {clean_line(source.archived.url)}"
        reason = describe_live_failure(source.attempts)
        note += f", because {reason}" if reason else ""
    return note


def format_bibtex(found: Iterable[Item]) -> str:
    return styles.FORMATS["bibtex"](assign_keys(found))


def format_ris(found: Iterable[Item]) -> str:
    return styles.FORMATS["ris"](assign_keys(found))


def format_csl_json(found: Iterable[Item]) -> str:
    return styles.FORMATS["csl-json"](assign_keys(found))
