"""Describe a page: title, authors, site, dates, language, DOI and address.

The markup (`page_markup`) comes first; title and lines under the headline fill gaps. Nothing is
looked up and nothing is guessed from prose. Every value is cleaned and cut to a length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from research_core.model_messages import Json
from research_core.models import Metadata
from research_core.urls import find_doi, registered_domain
from research_core.web.lxml_types import Element
from research_core.web.metadata import dates
from research_core.web.metadata.authors import choose_authors, find_bylines
from research_core.web.metadata.bylines import make_name_key
from research_core.web.metadata.classify import find_source_type
from research_core.web.metadata.page_markup import DeclaredMetadata, fit_on_line

TITLE_LENGTH, SITE_LENGTH = 300, 100


def describe_page(
    tree: Element, said: DeclaredMetadata, *, url: str = "", published: str = "", latest: str = ""
) -> tuple[str, Metadata]:
    """Return the title of a page and its metadata.

    tree: without hidden parts; url: "" for a saved file; published: its day, before which it cannot
    have been changed; latest: no later day is believed.
    """
    site = _choose_site_name(tree, said, url)
    own = _make_site_name_keys(said, site, url)
    facts = Metadata(
        authors=choose_authors(said, lambda: find_bylines(tree), own),
        site=site,
        modified=dates.find_modified(said, published, latest),
        language=said.language,
        doi=_find_page_doi(said, url),
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
    document_title = _find_document_title(tree)
    declared = list(_iterate_declared_titles(said, document_title, own))
    main = _list_headings(tree, "h1", own)
    keys = {make_name_key(heading): heading for heading in reversed(main)}  # the first of equals
    for text in declared:
        if make_name_key(text) in keys:
            return keys[make_name_key(text)]
    for text in declared:  # a heading may hold a kicker, a date or the section beside it
        key = make_name_key(text)
        if len(key) < SURE_LENGTH:
            continue
        if any(heading.startswith(key) or heading.endswith(key) for heading in keys):
            return text
    within = []
    for text in (*main, *_list_headings(tree, "h2", own)):
        if len(make_name_key(text)) > 3 and make_name_key(text) in make_name_key(document_title):
            within.append(text)
    # What a document's title begins with is seldom the site.
    first = make_name_key(_SITE_SEPARATOR.split(document_title)[0])
    best = max(within, key=lambda text: (make_name_key(text) == first, len(text)), default="")
    if best:
        return best
    if len(main) == 1:
        return main[0]
    return next(iter(declared), document_title)


#: Letters and digits above which a title within a heading is no coincidence.
SURE_LENGTH = 12


def _list_headings(tree: Element, tag: str, own: frozenset[str]) -> list[str]:
    found = []
    for each in tree.iter(tag):
        text = fit_on_line(each.text_content(), TITLE_LENGTH)
        if text and make_name_key(text) not in own:
            found.append(text)
    return found


def _find_document_title(tree: Element) -> str:
    """Return the text of the title element.

    An SVG drawing may have one too, so the head's comes first.
    """
    for path in ("//head/title/text()", "//title/text()"):
        for text in tree.xpath(path):
            title = fit_on_line(str(text), TITLE_LENGTH)
            if title:
                return title
    return ""


def _iterate_declared_titles(
    said: DeclaredMetadata, of_document: str, own: frozenset[str]
) -> Iterator[str]:
    """Yield the titles the markup gives the page, without the name of the site."""
    texts = list(said.all("citation_title"))
    for node in said.nodes:
        names = (node.get("headline"), node.get("name"))
        texts += [name for name in names if isinstance(name, str)]
    texts += said.all("og:title", "twitter:title")
    texts.append(of_document)
    for text in texts:
        title = _strip_site_name(fit_on_line(unescape(text), TITLE_LENGTH), own)
        if title and make_name_key(title) not in own:
            yield title


_SITE_SEPARATOR = re.compile(r"\s+[|│•·–—»«-]+\s+|\s*[|│]\s*")


def _strip_site_name(text: str, own: frozenset[str]) -> str:
    """Remove the name of the site before or after a title."""
    places = [
        (0, 0),
        *(found.span() for found in _SITE_SEPARATOR.finditer(text)),
        (len(text), len(text)),
    ]
    start, end = 0, len(places) - 1
    while end > start + 1 and make_name_key(text[places[end - 1][1] : places[end][0]]) in own:
        end -= 1
    while end > start + 1 and make_name_key(text[places[start][1] : places[start + 1][0]]) in own:
        start += 1
    return text[places[start][1] : places[end][0]]


# ---------------------------------------------------------------- site


def _choose_site_name(tree: Element, said: DeclaredMetadata, url: str) -> str:
    """Return the name of the site or, for a paper, of its journal."""
    names = (
        fit_on_line(unescape(text), SITE_LENGTH) for text in _iterate_site_names(tree, said, url)
    )
    return next((name for name in names if name and "://" not in name), "")


def _iterate_site_names(tree: Element, said: DeclaredMetadata, url: str) -> Iterator[str]:
    yield from said.all("citation_journal_title", "citation_conference_title", "og:site_name")
    yield from _iterate_value_names(said.linked.of_type("WebSite"))
    yield from _iterate_publisher_names(said)
    yield from said.all(
        "application-name", "apple-mobile-web-app-title", "dc.publisher", "dcterms.publisher"
    )
    of_host = make_name_key(_find_host_name(url).partition(".")[0])
    if len(of_host) > 2:
        parts = reversed(_SITE_SEPARATOR.split(_find_document_title(tree)))
        yield from (
            part
            for part in parts
            if of_host in make_name_key(part) and len(part) < SITE_LENGTH // 2
        )


def _iterate_publisher_names(said: DeclaredMetadata) -> Iterator[str]:
    return _iterate_value_names(
        owner for node in said.nodes for owner in said.linked.all(node.get("publisher"))
    )


def _iterate_value_names(values: Iterator[Json | str]) -> Iterator[str]:
    for value in values:
        name = value if isinstance(value, str) else value.get("name")
        if isinstance(name, str):
            yield name


def _make_site_name_keys(said: DeclaredMetadata, site: str, url: str) -> frozenset[str]:
    """Return the names of the site, as `bylines.make_name_key` writes them."""
    of_host = _find_host_name(url)
    names = (
        site,
        *said.all("og:site_name"),
        *_iterate_publisher_names(said),
        of_host,
        of_host.partition(".")[0],
    )
    return frozenset(map(make_name_key, names)) - {""}


_ARCHIVE_PREFIX = re.compile(r"https?://web\.archive\.org/web/\w+/(?=https?://)")


def _find_host_name(url: str) -> str:
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


def _find_page_doi(said: DeclaredMetadata, url: str) -> str:
    """Return the page's DOI, from its markup or address, or ""."""
    for text in (*said.all(*_DOI_TAGS), said.canonical, url):
        doi = find_doi(text)
        if doi:
            return doi
    return ""
