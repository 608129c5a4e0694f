"""Parse XML as XML: XHTML with its namespaces and entities, feeds (RSS, Atom), other XML as text.

No entities of its own and no DTD are followed. XHTML that is not well formed is read as HTML, as
browsers do with most of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html.entities import html5

from lxml import etree
from lxml.html import HTMLParser, document_fromstring

from research_core.errors import FetchError
from research_core.model_messages import Json
from research_core.models import Metadata, Page
from research_core.text.dates import find_day
from research_core.text.words import strip_invisible, truncate
from research_core.web import html
from research_core.web.charsets import decode, decode_body
from research_core.web.documents.plain_text import TITLE_LENGTH, truncate_blocks
from research_core.web.documents.properties import SAFE_XML, clean_language, get_local_name
from research_core.web.documents.tally import HiddenTextTally, count_characters
from research_core.web.html.markdown import format_tree
from research_core.web.html.visibility import drop_hidden
from research_core.web.lxml_types import Element
from research_core.web.metadata.bylines import drop_repeated_names, parse_people
from research_core.web.parser_memory import raise_if_out_of_memory

MAX_ENTRIES = 500
_DECLARATION = re.compile(r"\s*<\?xml[^>]{0,300}\?>")
_ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]{1,31});")
_XML_ENTITIES = frozenset({"lt", "gt", "amp", "quot", "apos"})


def convert_to_html(body: bytes, content_type: str = "") -> Json:
    """Rewrite XHTML as HTML: {"html": text}, with "" if it is not well formed.

    HTML readers then see what is meant: `<script/>` is empty, `<h:p>` is a paragraph, and `&nbsp;`
    is a space although no DTD is read.
    """
    try:
        root = _parse_root(decode(body[: html.MAX_BYTES], content_type))
    except etree.XMLSyntaxError as error:
        raise_if_out_of_memory(error)
        return {"html": ""}
    for element in root.iter(etree.Element):
        element.tag = get_local_name(element)
    etree.cleanup_namespaces(root)
    return {"html": etree.tostring(root, method="html", encoding="unicode")}


def _parse_root(text: str) -> Element:
    """Parse XML with HTML's named entities expanded. Raises etree.XMLSyntaxError."""
    plain = _ENTITY.sub(_expand_entity, _DECLARATION.sub("", text.replace("\x00", ""), count=1))
    return etree.fromstring(
        plain.encode("utf-8", "replace"), etree.XMLParser(**SAFE_XML, encoding="utf-8")
    )


def _expand_entity(entity: re.Match[str]) -> str:
    return entity[0] if entity[1] in _XML_ENTITIES else html5.get(f"{entity[1]};", entity[0])


def read_html_blocks(fragment: str, tally: HiddenTextTally) -> str:
    """Return the visible text of an HTML fragment within another document, in blocks."""
    tree = _parse_fragment(fragment)
    drop_hidden(tree, tally)
    return format_tree(tree)


def _parse_fragment(fragment: str) -> Element:
    source = html.drop_unparsable_characters(f"<div>{fragment}</div>").encode("utf-8", "replace")
    return document_fromstring(
        source, parser=HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    )


# ---------------------------------------------------------------- feeds and other XML


def parse_xml(body: bytes, url: str = "", content_type: str = "") -> Page:
    """Read a feed (kind "feed"), or the text of any other XML (kind "xml").

    Raises FetchError unsupported, content_empty.
    """
    decoded = decode_body(body[: html.MAX_BYTES], content_type)
    text = decoded.text
    try:
        root = _parse_root(text)
    except etree.XMLSyntaxError as error:
        raise_if_out_of_memory(error)
        why = "The XML is not well formed."
        if len(body) > html.MAX_BYTES:
            why = f"The XML is longer than {html.MAX_BYTES / 1e6:g} MB."
        raise FetchError(why, kind="unsupported") from error
    tally = HiddenTextTally()
    count_characters(text, tally)
    kind = get_local_name(root)
    if kind == "svg":
        raise FetchError("This is an image (SVG), which Assay does not read.", kind="unsupported")
    page = _read_feed(root, tally) if kind in ("rss", "feed", "RDF") else _read_plain_xml(root)
    if not page.text:
        raise FetchError("The document holds no text.", kind="content_empty")
    language = root.get("{http://www.w3.org/XML/1998/namespace}lang")
    if not language:
        element = next(root.iter("{*}language"), None)
        language = "" if element is None else element.text or ""
    return replace(
        page,
        url=url,
        final_url=url,
        metadata=replace(page.metadata, language=clean_language(language), note=decoded.note),
        hidden=tally.hidden,
    )


def _read_feed(root: Element, tally: HiddenTextTally) -> Page:
    channel = next((each for each in root if get_local_name(each) == "channel"), root)
    title = _format_title_line(_find_first_child_text(channel, "title"))
    about = _find_first_child_text(channel, "description", "subtitle")
    blocks = []
    if title:
        blocks.append(f"# {title}")
    if about:
        blocks.append(read_html_blocks(about, tally))
    entries = [
        each for each in root.iter(etree.Element) if get_local_name(each) in ("item", "entry")
    ]
    for entry in entries[:MAX_ENTRIES]:
        blocks += _format_entry_blocks(entry, tally)
    text, cut = truncate_blocks(filter(None, blocks))
    if len(entries) > MAX_ENTRIES:
        cut = f"Entries 1 to {MAX_ENTRIES:,} of {len(entries):,} were read."
    changed = find_day(
        _find_first_child_text(channel, "updated", "lastBuildDate", "pubDate", "date")
    )
    metadata = Metadata(authors=_list_entry_authors(channel), modified=changed, cut=cut)
    return Page("", "", title, text, "feed", metadata=metadata)


def _format_entry_blocks(entry: Element, tally: HiddenTextTally) -> Iterator[str]:
    """Yield a heading, a line of day, authors and address, and the text of a feed entry."""
    title = _format_title_line(_find_first_child_text(entry, "title")) or "Without a title"
    day, authors = (
        find_day(_find_first_child_text(entry, "published", "pubDate", "date", "updated")),
        _list_entry_authors(entry),
    )
    yield f"## {title}"
    yield " · ".join(filter(None, (day, ", ".join(authors), _find_entry_link(entry))))
    yield read_html_blocks(
        _find_first_child_text(entry, "encoded", "content", "description", "summary"), tally
    )


def _find_first_child_text(element: Element, *names: str) -> str:
    """Return the text of the first child with one of these names that has any, markup included."""
    for name in names:
        for each in element:
            if get_local_name(each) != name:
                continue
            text = _get_inner_markup(each)
            if text:
                return text
    return ""


def _get_inner_markup(element: Element) -> str:
    """Return the content of an element: its text, or its elements as markup."""
    if not len(element) or element.get("type") not in ("xhtml", None):
        return "".join(element.itertext()).strip()
    for each in element.iter(etree.Element):
        each.tag = get_local_name(each)
    parts = [etree.tostring(each, method="html", encoding="unicode") for each in element]
    return "".join(parts).strip()


def _find_entry_link(entry: Element) -> str:
    for each in entry:
        if get_local_name(each) != "link" or each.get("rel") not in (None, "alternate"):
            continue
        link = each.get("href") or (each.text or "").strip()
        if link.startswith(("https://", "http://")) and " " not in link:
            return strip_invisible(link)
    return ""


def _list_entry_authors(element: Element) -> tuple[str, ...]:
    names: list[str] = []
    for each in element:
        if get_local_name(each) in ("author", "creator"):
            names += parse_people(_find_first_child_text(each, "name") or _get_inner_markup(each))
    return drop_repeated_names(names)


def _format_title_line(markup: str) -> str:
    """Return a title as one line.

    Feeds write titles as text, as HTML, or as escaped HTML.
    """
    plain = _parse_fragment(markup).text_content() if "<" in markup or "&" in markup else markup
    return truncate(" ".join(strip_invisible(plain).split()), TITLE_LENGTH)


def _read_plain_xml(root: Element) -> Page:
    """Read generic XML: one line for the text of each element; the title is the first one found."""
    title = ""
    for each in root.iter(etree.Element):
        if get_local_name(each).lower().endswith("title"):
            title = " ".join(strip_invisible("".join(each.itertext())).split())
            if title:
                break
    text, cut = truncate_blocks(_iterate_leaf_texts(root))
    return Page("", "", truncate(title, TITLE_LENGTH), text, "xml", metadata=Metadata(cut=cut))


def _iterate_leaf_texts(root: Element) -> Iterator[str]:
    """Yield the text of every element that has words of its own, nested elements included."""
    walk = etree.iterwalk(root, events=("start",))
    for _, element in walk:
        if not get_local_name(element):
            continue
        texts = [element.text, *(each.tail for each in element)]
        if any((text or "").strip() for text in texts):
            yield " ".join(strip_invisible("".join(element.itertext())).split())
            walk.skip_subtree()
