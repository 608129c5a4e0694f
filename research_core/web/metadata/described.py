"""What a page says of itself: title, authors, site, dates, language, DOI and address.

Put together from its markup (`declared`) and, where that does not say, from what stands in its
title and under its headline. Nothing is looked up and nothing is guessed from the prose. Every
value is cleaned, and cut to a length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

from research_core.model_messages import Json
from research_core.models import Metadata
from research_core.urls import doi, registered_domain
from research_core.web.metadata import dates
from research_core.web.metadata.authors import authors, bylines
from research_core.web.metadata.bylines import bare
from research_core.web.metadata.classify import source_type
from research_core.web.metadata.declared import Declared, line

Element = Any  # lxml ships no types

TITLE_LENGTH, SITE_LENGTH = 300, 100


def described(
    tree: Element, said: Declared, *, url: str = "", published: str = "", latest: str = ""
) -> tuple[str, Metadata]:
    """The title of a page, and the rest that it says of itself.

    tree: without what is hidden; url: "" for a saved file; published: its day, before which it
    cannot have been changed; latest: no later day is believed.
    """
    site = _site(tree, said, url)
    own = _own(said, site, url)
    facts = Metadata(
        authors=authors(said, lambda: bylines(tree), own),
        site=site,
        modified=dates.modified(said, published, latest),
        language=said.language,
        doi=_doi(said, url),
        canonical=said.canonical,
        type=source_type(url, said.types, said.meta),
    )
    return _title(tree, said, own), facts


# ---------------------------------------------------------------- title


def _title(tree: Element, said: Declared, own: frozenset[str]) -> str:
    """The headline: a heading that the markup or the document's title names too, else the only main
    heading, else what was declared.

    own: the names of the site, which are no title.
    """
    of_document = _of_document(tree)
    named = list(_named(said, of_document, own))
    main = _headings(tree, "h1", own)
    for text in named:
        if heading := next((heading for heading in main if bare(heading) == bare(text)), ""):
            return heading
    for text in named:  # a heading may hold a kicker, a date or the section beside it
        if len(bare(text)) >= SURE and any(
            bare(heading).startswith(bare(text)) or bare(heading).endswith(bare(text))
            for heading in main
        ):
            return text
    within = [
        text
        for text in (*main, *_headings(tree, "h2", own))
        if len(bare(text)) > 3 and bare(text) in bare(of_document)
    ]
    first = bare(
        _BETWEEN.split(of_document)[0]
    )  # what a document's title begins with is seldom the site
    best = max(within, key=lambda text: (bare(text) == first, len(text)), default="")
    return best or (main[0] if len(main) == 1 else "") or next(iter(named), of_document)


#: Letters and digits of a title that stands within a heading by no accident.
SURE = 12


def _headings(tree: Element, tag: str, own: frozenset[str]) -> list[str]:
    return [
        text
        for each in tree.iter(tag)
        if (text := line(each.text_content(), TITLE_LENGTH)) and bare(text) not in own
    ]


def _of_document(tree: Element) -> str:
    """The text of the title element; an SVG drawing may have one too, so that of the head comes
    first.
    """
    texts = (
        text for xpath in ("//head/title/text()", "//title/text()") for text in tree.xpath(xpath)
    )
    return next((text for each in texts if (text := line(str(each), TITLE_LENGTH))), "")


def _named(said: Declared, of_document: str, own: frozenset[str]) -> Iterator[str]:
    """What the markup calls the page, without the name of the site."""
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
        if (clean := _without_site(line(unescape(text), TITLE_LENGTH), own)) and bare(
            clean
        ) not in own:
            yield clean


_BETWEEN = re.compile(r"\s+[|│•·–—»«-]+\s+|\s*[|│]\s*")


def _without_site(text: str, own: frozenset[str]) -> str:
    """The title without the name of the site before or behind it."""
    places = [(0, 0), *(found.span() for found in _BETWEEN.finditer(text)), (len(text), len(text))]
    start, end = 0, len(places) - 1
    while end > start + 1 and bare(text[places[end - 1][1] : places[end][0]]) in own:
        end -= 1
    while end > start + 1 and bare(text[places[start][1] : places[start + 1][0]]) in own:
        start += 1
    return text[places[start][1] : places[end][0]]


# ---------------------------------------------------------------- site


def _site(tree: Element, said: Declared, url: str) -> str:
    """The name of the site or, of a paper, of its journal."""
    names = (line(unescape(text), SITE_LENGTH) for text in _sites(tree, said, url))
    return next((name for name in names if name and "://" not in name), "")


def _sites(tree: Element, said: Declared, url: str) -> Iterator[str]:
    yield from said.all("citation_journal_title", "citation_conference_title", "og:site_name")
    yield from _names(said.linked.of_type("WebSite"))
    yield from _publishers(said)
    yield from said.all(
        "application-name", "apple-mobile-web-app-title", "dc.publisher", "dcterms.publisher"
    )
    of_host = bare(_host_name(url).partition(".")[0])
    if len(of_host) > 2:
        parts = reversed(_BETWEEN.split(_of_document(tree)))
        yield from (
            part for part in parts if of_host in bare(part) and len(part) < SITE_LENGTH // 2
        )


def _publishers(said: Declared) -> Iterator[str]:
    return _names(owner for node in said.nodes for owner in said.linked.all(node.get("publisher")))


def _names(values: Iterator[Json | str]) -> Iterator[str]:
    return (
        name
        for value in values
        if isinstance(name := value if isinstance(value, str) else value.get("name"), str)
    )


def _own(said: Declared, site: str, url: str) -> frozenset[str]:
    """What the site is called, as far as it says: the letters of each name."""
    of_host = _host_name(url)
    names = (
        site,
        *said.all("og:site_name"),
        *_publishers(said),
        of_host,
        of_host.partition(".")[0],
    )
    return frozenset(map(bare, names)) - {""}


_ARCHIVED = re.compile(r"https?://web\.archive\.org/web/\w+/(?=https?://)")


def _host_name(url: str) -> str:
    """The registered domain of the site a page is from, also where an archive keeps it; "" where it
    has none.
    """
    try:
        return registered_domain(_ARCHIVED.sub("", url)) if url else ""
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


def _doi(said: Declared, url: str) -> str:
    """The page's own, as it or its address says."""
    return next(
        (found for text in (*said.all(*_DOI_TAGS), said.canonical, url) if (found := doi(text))), ""
    )
