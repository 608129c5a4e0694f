"""Describe a page: title, authors, site, dates, language, DOI and address.

The markup (`declared`) comes first; title and lines under the headline fill gaps. Nothing is looked
up and nothing is guessed from prose. Every value is cleaned and cut to a length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

from research_core.model_messages import Json
from research_core.models import Metadata
from research_core.urls import find_doi, registered_domain
from research_core.web.metadata import dates
from research_core.web.metadata.authors import choose_authors, find_bylines
from research_core.web.metadata.bylines import name_key
from research_core.web.metadata.classify import find_source_type
from research_core.web.metadata.declared import DeclaredMetadata, one_line

Element = Any  # lxml ships no types

TITLE_LENGTH, SITE_LENGTH = 300, 100


def describe_page(
    tree: Element, said: DeclaredMetadata, *, url: str = "", published: str = "", latest: str = ""
) -> tuple[str, Metadata]:
    """Return the title of a page and its metadata.

    tree: without hidden parts; url: "" for a saved file; published: its day, before which it cannot
    have been changed; latest: no later day is believed.
    """
    site = _choose_site_name(tree, said, url)
    own = _site_name_keys(said, site, url)
    facts = Metadata(
        authors=choose_authors(said, lambda: find_bylines(tree), own),
        site=site,
        modified=dates.find_modified(said, published, latest),
        language=said.language,
        doi=_page_doi(said, url),
        canonical=said.canonical,
        type=find_source_type(url, said.types, said.meta),
    )
    return _choose_title(tree, said, own), facts


# ---------------------------------------------------------------- title


def _choose_title(tree: Element, said: DeclaredMetadata, own: frozenset[str]) -> str:
    """Return the headline.

    A heading that the markup or the document's title names too, else the only main heading, else
    the declared title. own: the names of the site, which are not titles.
    """
    of_document = _document_title(tree)
    named = list(_declared_title(said, of_document, own))
    main = _headings(tree, "h1", own)
    for text in named:
        if heading := next(
            (heading for heading in main if name_key(heading) == name_key(text)), ""
        ):
            return heading
    for text in named:  # a heading may hold a kicker, a date or the section beside it
        if len(name_key(text)) >= SURE_LENGTH and any(
            name_key(heading).startswith(name_key(text))
            or name_key(heading).endswith(name_key(text))
            for heading in main
        ):
            return text
    within = [
        text
        for text in (*main, *_headings(tree, "h2", own))
        if len(name_key(text)) > 3 and name_key(text) in name_key(of_document)
    ]
    first = name_key(
        _SITE_SEPARATOR.split(of_document)[0]
    )  # what a document's title begins with is seldom the site
    best = max(within, key=lambda text: (name_key(text) == first, len(text)), default="")
    return best or (main[0] if len(main) == 1 else "") or next(iter(named), of_document)


#: Letters and digits of a title that stands within a heading by no accident.
SURE_LENGTH = 12


def _headings(tree: Element, tag: str, own: frozenset[str]) -> list[str]:
    return [
        text
        for each in tree.iter(tag)
        if (text := one_line(each.text_content(), TITLE_LENGTH)) and name_key(text) not in own
    ]


def _document_title(tree: Element) -> str:
    """Return the text of the title element.

    An SVG drawing may have one too, so the head's comes first.
    """
    texts = (
        text for xpath in ("//head/title/text()", "//title/text()") for text in tree.xpath(xpath)
    )
    return next((text for each in texts if (text := one_line(str(each), TITLE_LENGTH))), "")


def _declared_title(said: DeclaredMetadata, of_document: str, own: frozenset[str]) -> Iterator[str]:
    """Yield the titles the markup gives the page, without the name of the site."""
    nodes = (
        text
        for node in said.nodes
        for key in ("headline", "name")
        if isinstance(text := node.get(key), str)
    )
    for text in (
        *said.all("citation_title"),
        *nodes,
        *said.all("og:title", "twitter:title"),
        of_document,
    ):
        if (clean := _strip_site_name(one_line(unescape(text), TITLE_LENGTH), own)) and name_key(
            clean
        ) not in own:
            yield clean


_SITE_SEPARATOR = re.compile(r"\s+[|│•·–—»«-]+\s+|\s*[|│]\s*")


def _strip_site_name(text: str, own: frozenset[str]) -> str:
    """Remove the name of the site before or after a title."""
    places = [
        (0, 0),
        *(found.span() for found in _SITE_SEPARATOR.finditer(text)),
        (len(text), len(text)),
    ]
    start, end = 0, len(places) - 1
    while end > start + 1 and name_key(text[places[end - 1][1] : places[end][0]]) in own:
        end -= 1
    while end > start + 1 and name_key(text[places[start][1] : places[start + 1][0]]) in own:
        start += 1
    return text[places[start][1] : places[end][0]]


# ---------------------------------------------------------------- site


def _choose_site_name(tree: Element, said: DeclaredMetadata, url: str) -> str:
    """Return the name of the site or, for a paper, of its journal."""
    names = (
        one_line(unescape(text), SITE_LENGTH) for text in _candidate_site_names(tree, said, url)
    )
    return next((name for name in names if name and "://" not in name), "")


def _candidate_site_names(tree: Element, said: DeclaredMetadata, url: str) -> Iterator[str]:
    yield from said.all("citation_journal_title", "citation_conference_title", "og:site_name")
    yield from _value_names(said.linked.of_type("WebSite"))
    yield from _publisher_names(said)
    yield from said.all(
        "application-name", "apple-mobile-web-app-title", "dc.publisher", "dcterms.publisher"
    )
    of_host = name_key(_host_name(url).partition(".")[0])
    if len(of_host) > 2:
        parts = reversed(_SITE_SEPARATOR.split(_document_title(tree)))
        yield from (
            part for part in parts if of_host in name_key(part) and len(part) < SITE_LENGTH // 2
        )


def _publisher_names(said: DeclaredMetadata) -> Iterator[str]:
    return _value_names(
        owner for node in said.nodes for owner in said.linked.all(node.get("publisher"))
    )


def _value_names(values: Iterator[Json | str]) -> Iterator[str]:
    return (
        name
        for value in values
        if isinstance(name := value if isinstance(value, str) else value.get("name"), str)
    )


def _site_name_keys(said: DeclaredMetadata, site: str, url: str) -> frozenset[str]:
    """Return the names of the site, as `bylines.name_key` writes them."""
    of_host = _host_name(url)
    names = (
        site,
        *said.all("og:site_name"),
        *_publisher_names(said),
        of_host,
        of_host.partition(".")[0],
    )
    return frozenset(map(name_key, names)) - {""}


_ARCHIVE_PREFIX = re.compile(r"https?://web\.archive\.org/web/\w+/(?=https?://)")


def _host_name(url: str) -> str:
    """Return the registered domain of the page's site, also for an archived copy; "" if none."""
    try:
        return registered_domain(_ARCHIVE_PREFIX.sub("", url)) if url else ""
    except ValueError:
        return ""


# ---------------------------------------------------------------- DOI

_DOI_TAGS = (
    "citation_doi",
    "bepress_citation_doi",
    "prism.doi",
    "dc.identifier",
    "dcterms.identifier",
    "dc.identifier.doi",
)


def _page_doi(said: DeclaredMetadata, url: str) -> str:
    """Return the page's DOI, from its markup or address, or ""."""
    return next(
        (
            found
            for text in (*said.all(*_DOI_TAGS), said.canonical, url)
            if (found := find_doi(text))
        ),
        "",
    )
