"""XML that is read as what it is: XHTML with its namespaces and entities, feeds (RSS, Atom), and
any other as the text in it.

No entity of its own and no DTD is followed. XHTML that is not well formed is read as HTML, as
browsers do with most of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html.entities import html5
from typing import Any

from lxml import etree
from lxml.html import HTMLParser, document_fromstring

from research_core.errors import FetchError
from research_core.model_messages import Json
from research_core.models import Metadata, Page
from research_core.text.dates import day_in
from research_core.text.words import truncate, visible
from research_core.web import html
from research_core.web.documents import TITLE_LENGTH, fitting
from research_core.web.documents.properties import SAFE_XML, language_of, local
from research_core.web.documents.tally import Tally, count_characters
from research_core.web.html.hidden import drop_hidden
from research_core.web.html.markdown import tree_text
from research_core.web.http.charsets import decode
from research_core.web.metadata.bylines import people, unique

Element = Any  # lxml ships no types

MAX_ENTRIES = 500
_DECLARATION = re.compile(r"\s*<\?xml[^>]{0,300}\?>")
_ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]{1,31});")
_OF_XML = frozenset({"lt", "gt", "amp", "quot", "apos"})


def as_html(body: bytes, content_type: str = "") -> Json:
    """{"html": XHTML written as HTML}, so that what reads HTML finds in it what is there:
    `<script/>` is empty, `<h:p>` a paragraph,

    `&nbsp;` a space though no DTD is read. "" where it is not well formed.
    """
    try:
        root = _root(decode(body[: html.MAX_BYTES], content_type))
    except etree.XMLSyntaxError:
        return {"html": ""}
    for element in root.iter(etree.Element):
        element.tag = local(element)
    etree.cleanup_namespaces(root)
    return {"html": etree.tostring(root, method="html", encoding="unicode")}


def _root(text: str) -> Element:
    """The root of an XML text, named characters of HTML written out. Raises etree.XMLSyntaxError."""
    plain = _ENTITY.sub(_written_out, _DECLARATION.sub("", text.replace("\x00", ""), count=1))
    return etree.fromstring(
        plain.encode("utf-8", "replace"), etree.XMLParser(**SAFE_XML, encoding="utf-8")
    )


def _written_out(entity: re.Match[str]) -> str:
    return entity[0] if entity[1] in _OF_XML else html5.get(f"{entity[1]};", entity[0])


def blocks_of(fragment: str, tally: Tally) -> str:
    """The text of a piece of HTML within another document, in blocks, without what it hides."""
    tree = _tree(fragment)
    drop_hidden(tree, tally)
    return tree_text(tree)


def _tree(fragment: str) -> Element:
    source = html.parsable(f"<div>{fragment}</div>").encode("utf-8", "replace")
    return document_fromstring(
        source, parser=HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    )


# ---------------------------------------------------------------- feeds and other XML


def parse_xml(body: bytes, url: str = "", content_type: str = "") -> Page:
    """A feed (kind "feed"), or the text of any other XML (kind "xml"). Raises FetchError
    unsupported, content_empty.
    """
    text = decode(body[: html.MAX_BYTES], content_type)
    try:
        root = _root(text)
    except etree.XMLSyntaxError as error:
        why = (
            f"The XML is longer than {html.MAX_BYTES / 1e6:g} MB."
            if len(body) > html.MAX_BYTES
            else "The XML is not well formed."
        )
        raise FetchError(why, kind="unsupported") from error
    tally = Tally()
    count_characters(text, tally)
    if local(root) == "svg":
        raise FetchError("This is an image (SVG), which is not read here.", kind="unsupported")
    page = _feed(root, tally) if local(root) in ("rss", "feed", "RDF") else _plain(root)
    if not page.text:
        raise FetchError("The document holds no text.", kind="content_empty")
    language = language_of(
        root.get("{http://www.w3.org/XML/1998/namespace}lang")
        or next((each.text or "" for each in root.iter("{*}language")), "")
    )
    return replace(
        page,
        url=url,
        final_url=url,
        metadata=replace(page.metadata, language=language),
        hidden=tally.hidden,
    )


def _feed(root: Element, tally: Tally) -> Page:
    channel = next((each for each in root if local(each) == "channel"), root)
    entries = [each for each in root.iter(etree.Element) if local(each) in ("item", "entry")]
    title = _line(_text(channel, "title"))
    about = _text(channel, "description", "subtitle")
    blocks = [f"# {title}" if title else "", blocks_of(about, tally) if about else ""]
    blocks += (block for entry in entries[:MAX_ENTRIES] for block in _entry(entry, tally))
    text, cut = fitting(filter(None, blocks))
    if len(entries) > MAX_ENTRIES:
        cut = f"Entries 1 to {MAX_ENTRIES:,} of {len(entries):,} were read."
    changed = day_in(_text(channel, "updated", "lastBuildDate", "pubDate", "date"))
    return Page(
        "",
        "",
        title,
        text,
        "feed",
        metadata=Metadata(authors=_authors(channel), modified=changed, cut=cut),
    )


def _entry(entry: Element, tally: Tally) -> Iterator[str]:
    """A heading, then a line of day, authors and address, then the text."""
    title = _line(_text(entry, "title")) or "Without a title"
    day, authors = day_in(_text(entry, "published", "pubDate", "date", "updated")), _authors(entry)
    yield f"## {title}"
    yield " · ".join(filter(None, (day, ", ".join(authors), _link(entry))))
    yield blocks_of(_text(entry, "encoded", "content", "description", "summary"), tally)


def _text(element: Element, *names: str) -> str:
    """All text of the first child that has one of these names and says something, markup of its own
    included.
    """
    for name in names:
        for each in element:
            if local(each) == name and (found := _inner(each)):
                return found
    return ""


def _inner(element: Element) -> str:
    """What an element says: its text, or where it has elements, these as markup."""
    if len(element) and element.get("type") in ("xhtml", None):
        for each in element.iter(etree.Element):
            each.tag = local(each)
        return "".join(
            etree.tostring(each, method="html", encoding="unicode") for each in element
        ).strip()
    return "".join(element.itertext()).strip()


def _link(entry: Element) -> str:
    links = (
        each.get("href") or (each.text or "").strip()
        for each in entry
        if local(each) == "link" and each.get("rel") in (None, "alternate")
    )
    return next(
        (
            visible(link)
            for link in links
            if link.startswith(("https://", "http://")) and " " not in link
        ),
        "",
    )


def _authors(element: Element) -> tuple[str, ...]:
    said = (each for each in element if local(each) in ("author", "creator"))
    return unique(name for each in said for name in people(_text(each, "name") or _inner(each)))


def _line(markup: str) -> str:
    """A title as one line; feeds write it as text, as HTML, and as HTML written out as text."""
    plain = _tree(markup).text_content() if "<" in markup or "&" in markup else markup
    return truncate(" ".join(visible(plain).split()), TITLE_LENGTH)


def _plain(root: Element) -> Page:
    """Each run of text as a line, those of one element together; the first title there is."""
    titles = (
        " ".join(visible("".join(each.itertext())).split())
        for each in root.iter(etree.Element)
        if local(each).lower().endswith("title")
    )
    text, cut = fitting(_leaves(root))
    return Page(
        "",
        "",
        truncate(next(filter(None, titles), ""), TITLE_LENGTH),
        text,
        "xml",
        metadata=Metadata(cut=cut),
    )


def _leaves(root: Element) -> Iterator[str]:
    """The text of every element that has words of its own, with what stands within it, in order."""
    walk = etree.iterwalk(root, events=("start",))
    for _, element in walk:
        if local(element) and (
            (element.text or "").strip() or any((each.tail or "").strip() for each in element)
        ):
            yield " ".join(visible("".join(element.itertext())).split())
            walk.skip_subtree()
