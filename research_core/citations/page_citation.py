"""Cite a page in APA 7, MLA 9 and BibTeX, with the authors, the date and the DOI it states."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date as Day

from research_core.citations.formats import keys, write_bibtex
from research_core.citations.formats.apa import format_apa
from research_core.citations.formats.item import Item
from research_core.citations.formats.mla import format_mla
from research_core.citations.formats.sources import build_source_item, render_titles
from research_core.model_messages import Json
from research_core.models import Page
from research_core.text.references import remove_references
from research_core.text.words import strip_invisible
from research_core.urls import DOI_PATTERN, find_doi, fold_doi
from research_core.web.metadata.classify import is_scholarly

#: Characters at the start of a text that can be its front matter.
FRONT_CHARS = 4_000


def build_citation(page: Page, read: Day) -> Json:
    r"""Build the citation of a page read on a day.

    {"url", "accessedDate", "metadata": {"title", "author", "site", "date"},
    "formatted": {"apa", "mla", "bibtex"}}
    """
    work = build_item(page, read)
    authors = "; ".join(" ".join(strip_invisible(name).split()) for name in page.metadata.authors)
    said = {"title": work.title, "author": authors, "site": work.container, "date": work.issued}
    formatted = {
        "apa": format_apa(work),
        "mla": format_mla(work),
        "bibtex": format_bibtex_entry(work),
    }
    return {
        "url": page.final_url or page.url,
        "accessedDate": read.isoformat(),
        "metadata": said,
        "formatted": formatted,
    }


def build_item(page: Page, read: Day) -> Item:
    """Build the item that a page is cited as."""
    said, url = page.metadata, page.final_url or page.url
    found = build_source_item(
        url,
        page.title,
        authors=said.authors,
        site=said.site,
        date=page.published,
        doi=said.doi,
        accessed=read.isoformat(),
    )
    return replace(render_titles(found), language=said.language)


def format_bibtex_entry(work: Item) -> str:
    """Format one BibTeX entry with a key of authors, year and title, or of its address."""
    return write_bibtex.format_entry(
        keys.make_key(work) if work.title else keys.make_key_from_url(work), work
    )


# ---------------------------------------------------------------- the DOI of a paper's page

_MARKDOWN_ESCAPE = re.compile(r"\\([<>()\[\]_*])")
#: Where the address of a link or the next cell of a table begins.
_MARKDOWN_BREAK = re.compile(r"\]\(|\|")


def detect_doi(page: Page) -> str:
    """Return the DOI that a paper's page declares; "" if none, or if the page is no paper's.

    It is searched in the citation tags, then in the address, then at the head of the text above any
    references. That the page is that work is not verified.
    """
    if not is_scholarly(page):
        return ""
    in_tags = str(page.structured.get("citation", {}).get("citation_doi", ""))
    in_address = next((found for url in (page.final_url, page.url) if (found := find_doi(url))), "")
    return find_doi(in_tags) or in_address or _cut_front_matter(page.text)


def _cut_front_matter(text: str) -> str:
    front = fold_doi(_MARKDOWN_ESCAPE.sub(r"\1", remove_references(text[:FRONT_CHARS])))
    found = re.search(rf"\b{DOI_PATTERN.pattern}", front, re.ASCII)
    return find_doi(_MARKDOWN_BREAK.split(found[0])[0]) if found else ""
