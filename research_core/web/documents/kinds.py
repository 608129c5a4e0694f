"""What bytes are, told by what they are rather than by what they are called, and the `Page` that is
in them.

A walk down one table: the first kind whose test fits reads the bytes. Documents (PDF, office, XML,
JSON, separated values) are read in a child process whatever their size; HTML, Markdown and text,
whose HTML a C library parses, in this one up to 200 KB and in a child beyond. Nothing here asks the
web.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlsplit

from research_core.errors import FetchError
from research_core.journal.http_caching import moment
from research_core.models import Page
from research_core.text.dates import of_seconds
from research_core.web.documents import is_markdown, read_text
from research_core.web.documents.lines import MADE_OF_LINES
from research_core.web.documents.sandbox import SHARED
from research_core.web.documents.signatures import named, unreadable
from research_core.web.html import IN_PROCESS, read_html
from research_core.web.http.charsets import decode, without_mark

LOOKED_AT = 4_096
DAY_S = 86_400.0
_BLANK = "\ufeff \n\r\t"
_SPACE = r"(?:\ufeff)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->).)*-->\s*)*"
#: A whole page, and a piece of one that Markdown may begin with too.
_PAGE = re.compile(
    rf"{_SPACE}<(?:!doctype\s+html|html|head|body|title|meta)[\s>/]", re.IGNORECASE | re.DOTALL
)
_PIECE = re.compile(
    rf"{_SPACE}<(?:main|article|div|h[1-6]|table|p)[\s>/]", re.IGNORECASE | re.DOTALL
)
_XML = re.compile(
    r"(?:\ufeff)?\s*(?:<\?xml\s|<(?:\w+:)?(?:rss|feed|RDF|svg)[\s>]|<!DOCTYPE\s+(?!html\b)\w)"
)
_FIRST = re.compile(r"(?:<[?!][^>]*>\s*)*<((?:\w+:)?html)[\s>]", re.IGNORECASE)
_XHTML = "http://www.w3.org/1999/xhtml"
_PDF_OBJECT = re.compile(rb"\d obj\b|\bendobj\b|\bxref\b|\btrailer\b|%%EOF")


@dataclass(frozen=True)
class Received:
    """Bytes, and what was said of them. name: of the file, or the path of the address; latest: the
    last day they can be of, or "".
    """

    body: bytes
    url: str
    content_type: str
    name: str
    latest: str

    @cached_property
    def head(self) -> str:
        """The first characters."""
        return decode(self.body[:LOOKED_AT], self.content_type).replace("\x00", "")

    @property
    def media(self) -> str:
        return self.content_type.split(";")[0].strip().lower()

    def called(self, *suffixes: str) -> bool:
        """Whether the name ends like this; it is asked only where the sender said nothing better
        than "some text".
        """
        return self.media in ("", "text/plain", "application/octet-stream") and self.name.endswith(
            suffixes
        )


@dataclass(frozen=True)
class Kind:
    """A kind of bytes: whether these are of it, and the page in them."""

    name: str
    test: Callable[[Received], bool]
    read: Callable[[Received], Page]


def read_body(
    body: bytes, url: str, content_type: str = "", *, name: str = "", sent: str = ""
) -> Page:
    """The page in these bytes. kind: html, xml, feed, markdown, text, json, csv, pdf, docx, pptx.

    content_type, name: a header and a file name that help where the bytes say little. sent: the
    HTTP date of the answer, after which no page can have been published, but on the day that has
    begun elsewhere. Raises FetchError: content_empty, unsupported (which names what it is),
    too_large, timeout; its `found` is the name of one of `KINDS`.
    """
    if not body or body.isspace():
        raise FetchError("The page is empty.", kind="content_empty")
    received = Received(
        body, url, content_type, (name or urlsplit(url).path).lower(), _latest(sent)
    )
    kind = next(kind for kind in KINDS if kind.test(received))
    try:
        return kind.read(received)
    except FetchError as error:
        error.found = kind.name
        raise


# ---------------------------------------------------------------- tests


def _is_pdf(it: Received) -> bool:
    """A mark at the start, or behind what some server or mail program put before it; a page may
    speak of that mark too.
    """
    place = it.body[:1024].find(b"%PDF-")
    return place >= 0 and (
        not it.body[:place].strip()
        or (not _PAGE.match(it.head) and bool(_PDF_OBJECT.search(it.body)))
    )


def _is_called_pdf(it: Received) -> bool:
    """By what was said of it; by its name alone only where it is no text."""
    return it.media == "application/pdf" or (
        it.called(".pdf")
        and (_is_binary(it) or _is_no_utf_8(it) or bool(_PDF_OBJECT.search(it.body)))
    )


def _is_xhtml(it: Received) -> bool:
    declared = it.media in ("application/xhtml+xml", "application/xml", "text/xml") or it.called(
        ".xhtml", ".xht", ".xml"
    )
    return (
        _XHTML in it.head
        and bool(_FIRST.match(it.head.lstrip(_BLANK)))
        and (declared or (not it.media and it.head.lstrip(_BLANK).startswith("<?xml")))
    )


def _is_html(it: Received) -> bool:
    """By its first tag; by what was said of it, where nothing in it says otherwise. Markdown may
    begin with a piece of HTML.
    """
    if _PAGE.match(it.head):
        return True
    as_markdown = "markdown" in it.media or it.called(".md", ".markdown")
    said = "html" in it.media or it.called(".html", ".htm", ".xhtml")
    return (said and not (_is_binary(it) and _is_no_utf_8(it))) or (
        bool(_PIECE.match(it.head)) and not as_markdown
    )


def _is_xml(it: Received) -> bool:
    return bool(_XML.match(it.head)) or (
        it.media.endswith(("/xml", "+xml")) and it.head.lstrip(_BLANK).startswith("<")
    )


def _is_binary(it: Received) -> bool:
    if (
        it.body.startswith((b"\xff\xfe", b"\xfe\xff"))
        or "utf-16" in it.content_type.lower()
        or without_mark(it.body)
    ):
        return False
    return b"\x00" in it.body[:8192]


def _is_no_utf_8(it: Received) -> bool:
    try:
        it.body.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False


def _is_json(it: Received) -> bool:
    """Brackets all round, as far as one sees: what only looks like it is read as text by its
    reader.
    """
    first, last = it.body.lstrip(b"\xef\xbb\xbf \t\r\n")[:1], it.body.rstrip()[-1:]
    said = "json" in it.media or it.called(".json", ".jsonl", ".ndjson", ".geojson")
    return said or (first + last in (b"{}", b"[]") and not it.called(".md", ".markdown"))


def _is_separated(it: Received) -> bool:
    return it.media in ("text/csv", "text/tab-separated-values", "application/csv") or it.called(
        ".csv", ".tsv", ".tab"
    )


def _is_markdown(it: Received) -> bool:
    said = "markdown" in it.media or it.called(".md", ".markdown")
    return said or (
        it.media in ("", "text/plain")
        and not it.called(".txt", ".text", *MADE_OF_LINES)
        and is_markdown(decode(it.body[: 5 * LOOKED_AT]))
    )


# ---------------------------------------------------------------- readers


def _in_child(reader: str) -> Callable[[Received], Page]:
    return lambda it: SHARED.read(reader, it.body, url=it.url)


def _in_child_as(reader: str) -> Callable[[Received], Page]:
    return lambda it: SHARED.read(reader, it.body, url=it.url, content_type=it.content_type)


def _text(kind: str) -> Callable[[Received], Page]:
    def read(it: Received) -> Page:
        prose = kind == "markdown" or (
            it.media in ("", "text/plain") and not it.called(*MADE_OF_LINES)
        )
        if len(it.body) <= IN_PROCESS:
            return read_text(it.body, it.url, it.content_type, kind=kind, prose=prose)
        return SHARED.read(
            "text", it.body, url=it.url, content_type=it.content_type, kind=kind, prose=prose
        )

    return read


def _html(it: Received) -> Page:
    return read_html(it.body, it.url, it.content_type, latest=it.latest)


def _xhtml(it: Received) -> Page:
    """As HTML, once it has been read as the XML that it is; where it is none, as browsers do, as it
    stands.
    """
    written = SHARED.run("xhtml", it.body, content_type=it.content_type)["html"]
    if not written:
        return _html(it)
    return read_html(
        written.encode("utf-8", "replace"), it.url, "text/html; charset=utf-8", latest=it.latest
    )


def _refuse(it: Received) -> Page:
    raise unreadable(named(it.body) or (f"a file of kind {it.media}" if it.media else "no text"))


#: In this order: what a mark in the bytes tells for certain, what looks like markup, what is no
#: text, and then what is.
KINDS = (
    Kind("pdf", _is_pdf, _in_child("pdf")),
    Kind(
        "office", lambda it: it.body.startswith((b"PK\x03\x04", b"PK\x05\x06")), _in_child("office")
    ),
    Kind("unreadable", lambda it: bool(named(it.body)), _refuse),
    Kind("xhtml", _is_xhtml, _xhtml),
    Kind("html", _is_html, _html),
    Kind("xml", _is_xml, _in_child_as("xml")),
    Kind("broken pdf", _is_called_pdf, _in_child("pdf")),
    Kind("binary", _is_binary, _refuse),
    Kind("json", _is_json, _in_child_as("json")),
    Kind("csv", _is_separated, _in_child_as("separated")),
    Kind("markdown", _is_markdown, _text("markdown")),
    Kind("text", lambda it: True, _text("text")),
)


def _latest(sent: str) -> str:
    """The last day it can have been anywhere when this was sent: east of Greenwich it is tomorrow
    already.
    """
    return of_seconds((moment(sent) or -DAY_S) + DAY_S)
