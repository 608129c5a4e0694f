"""Recognise what bytes are by their content rather than their name, and read the page in them.

The first kind in one table whose test fits reads the bytes. Documents (PDF, office, XML, JSON,
separated values) are read in a child process whatever their size; HTML, Markdown and text, whose
HTML a C library parses, in this process up to 200 KB and in a child beyond.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from urllib.parse import urlsplit

from research_core.errors import FetchError
from research_core.journal.http_caching import parse_http_date
from research_core.models import Page
from research_core.text.dates import format_timestamp_day
from research_core.web.charsets import decode, is_wide_unicode
from research_core.web.documents.lines import LINE_FILE_ENDINGS
from research_core.web.documents.plain_text import is_markdown, read_text
from research_core.web.documents.readings import SHARED_READINGS
from research_core.web.documents.sandbox import SHARED_SANDBOX
from research_core.web.html import MAX_IN_PROCESS_BYTES, read_html
from research_core.web.signatures import make_unreadable_error, name_file_type

SAMPLE_BYTES = 4_096
DAY_S = 86_400.0
_BLANK = "\ufeff \n\r\t"
_SPACE = r"(?:\ufeff)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->).)*-->\s*)*"
#: A whole page, and a fragment, which Markdown may begin with too.
_PAGE = re.compile(
    rf"{_SPACE}<(?:!doctype\s+html|html|head|body|title|meta)[\s>/]", re.IGNORECASE | re.DOTALL
)
_HTML_FRAGMENT = re.compile(
    rf"{_SPACE}<(?:main|article|div|h[1-6]|table|p)[\s>/]", re.IGNORECASE | re.DOTALL
)
_XML = re.compile(
    r"(?:\ufeff)?\s*(?:<\?xml\s|<(?:\w+:)?(?:rss|feed|RDF|svg)[\s>]|<!DOCTYPE\s+(?!html\b)\w)"
)
_FIRST_HTML_TAG = re.compile(r"(?:<[?!][^>]*>\s*)*<((?:\w+:)?html)[\s>]", re.IGNORECASE)
_XHTML = "http://www.w3.org/1999/xhtml"
#: Bytes that no text in a common encoding holds, and how many bytes are searched for them.
_CONTROL_BYTE = re.compile(rb"[\x01-\x08\x0e-\x1a\x1c-\x1f]")
MAX_CHECKED_BYTES = 200_000
_PDF_OBJECT = re.compile(rb"\d obj\b|\bendobj\b|\bxref\b|\btrailer\b|%%EOF")


@dataclass(frozen=True)
class ReceivedBody:
    """Bytes, and what was said about them.

    name: of the file, or the path of the address; latest: the last possible day of publication, or
    "".
    """

    body: bytes
    url: str
    content_type: str
    name: str
    latest: str

    @cached_property
    def head(self) -> str:
        """The first characters, decoded."""
        return decode(self.body[:SAMPLE_BYTES], self.content_type).replace("\x00", "")

    @property
    def media(self) -> str:
        return self.content_type.split(";")[0].strip().lower()

    def has_ending(self, *suffixes: str) -> bool:
        """Return whether the name ends like this.

        False if the sender declared anything more specific than "some text".
        """
        is_vague = self.media in ("", "text/plain", "application/octet-stream")
        return is_vague and self.name.endswith(suffixes)


@dataclass(frozen=True)
class BodyKind:
    """A kind of bytes: a test for it, and its reader."""

    name: str
    test: Callable[[ReceivedBody], bool]
    read: Callable[[ReceivedBody], Page]


def read_body(
    body: bytes, url: str, content_type: str = "", *, name: str = "", sent: str = ""
) -> Page:
    """Return the page in these bytes, as `parse_body` does; one that was read lately is kept."""
    context = (url, content_type, name, sent)
    parse = partial(parse_body, body, url, content_type, name=name, sent=sent)
    return SHARED_READINGS.read(body, context, parse)


def parse_body(
    body: bytes, url: str, content_type: str = "", *, name: str = "", sent: str = ""
) -> Page:
    """Recognise these bytes and return the page in them.

    The page's kind is html, xml, feed, markdown, text, json, csv, pdf, docx or pptx. content_type,
    name: a header and a file name that help if the bytes say little. sent: the HTTP date of the
    answer, which bounds the day of publication (plus a day for time zones). Raises FetchError:
    content_empty, unsupported (which names what it is), too_large, timeout; its `found` is the name
    of one of `BODY_KINDS`.
    """
    if not body or body.isspace():
        what = "file" if name else "page"
        raise FetchError(f"The {what} is empty.", kind="content_empty")
    received = ReceivedBody(
        body,
        url,
        content_type,
        (name or urlsplit(url).path).lower(),
        _compute_latest_possible_day(sent),
    )
    kind = next(kind for kind in BODY_KINDS if kind.test(received))
    try:
        return kind.read(received)
    except FetchError as error:
        error.found = kind.name
        raise


# ---------------------------------------------------------------- tests


def _is_pdf(it: ReceivedBody) -> bool:
    """Return whether the bytes have the PDF mark near the start.

    A server or mail program may have put something before it; an HTML page may mention the mark.
    """
    place = it.body[:1024].find(b"%PDF-")
    if place < 0:
        return False
    if not it.body[:place].strip():
        return True
    return not _PAGE.match(it.head) and bool(_PDF_OBJECT.search(it.body))


def _is_declared_pdf(it: ReceivedBody) -> bool:
    """Return whether the bytes are declared a PDF; by name alone only if they are not text."""
    if it.media == "application/pdf":
        return True
    if not it.has_ending(".pdf"):
        return False
    return _is_binary(it) or _is_not_utf_8(it) or bool(_PDF_OBJECT.search(it.body))


def _is_xhtml(it: ReceivedBody) -> bool:
    head = it.head.lstrip(_BLANK)
    if _XHTML not in it.head or not _FIRST_HTML_TAG.match(head):
        return False
    if it.media in ("application/xhtml+xml", "application/xml", "text/xml"):
        return True
    if it.has_ending(".xhtml", ".xht", ".xml"):
        return True
    return not it.media and head.startswith("<?xml")


def _is_html(it: ReceivedBody) -> bool:
    """Return whether the bytes are HTML: by the first tag, or as declared if nothing contradicts.

    Markdown may begin with a piece of HTML.
    """
    if _PAGE.match(it.head):
        return True
    is_declared = "html" in it.media or it.has_ending(".html", ".htm", ".xhtml")
    if is_declared and not (_is_binary(it) and _is_not_utf_8(it)):
        return True
    is_markdown_file = "markdown" in it.media or it.has_ending(".md", ".markdown")
    return bool(_HTML_FRAGMENT.match(it.head)) and not is_markdown_file


def _is_xml(it: ReceivedBody) -> bool:
    return bool(_XML.match(it.head)) or (
        it.media.endswith(("/xml", "+xml")) and it.head.lstrip(_BLANK).startswith("<")
    )


def _is_binary(it: ReceivedBody) -> bool:
    if "utf-16" in it.content_type.lower() or is_wide_unicode(it.body):
        return False
    return b"\x00" in it.body[:8192]


def _is_not_utf_8(it: ReceivedBody) -> bool:
    try:
        it.body.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False


def _is_json(it: ReceivedBody) -> bool:
    """Return whether the bytes look like JSON.

    Brackets at both ends are enough; its reader treats anything else as text.
    """
    if "json" in it.media or it.has_ending(".json", ".jsonl", ".ndjson", ".geojson"):
        return True
    first = it.body.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    last = it.body.rstrip()[-1:]
    return first + last in (b"{}", b"[]") and not it.has_ending(".md", ".markdown")


def _is_separated(it: ReceivedBody) -> bool:
    return it.media in (
        "text/csv",
        "text/tab-separated-values",
        "application/csv",
    ) or it.has_ending(".csv", ".tsv", ".tab")


def _is_markdown(it: ReceivedBody) -> bool:
    if "markdown" in it.media or it.has_ending(".md", ".markdown"):
        return True
    if it.media not in ("", "text/plain") or it.has_ending(".txt", ".text", *LINE_FILE_ENDINGS):
        return False
    return is_markdown(decode(it.body[: 5 * SAMPLE_BYTES]))


# ---------------------------------------------------------------- readers


def _read_in_child(reader: str) -> Callable[[ReceivedBody], Page]:
    return lambda it: SHARED_SANDBOX.read(reader, it.body, url=it.url)


def _read_in_child_as(reader: str) -> Callable[[ReceivedBody], Page]:
    return lambda it: SHARED_SANDBOX.read(reader, it.body, url=it.url, content_type=it.content_type)


def _read_as_text(kind: str) -> Callable[[ReceivedBody], Page]:
    def read(it: ReceivedBody) -> Page:
        prose = kind == "markdown" or (
            it.media in ("", "text/plain") and not it.has_ending(*LINE_FILE_ENDINGS)
        )
        if len(it.body) <= MAX_IN_PROCESS_BYTES:
            return read_text(it.body, it.url, it.content_type, kind=kind, prose=prose)
        return SHARED_SANDBOX.read(
            "text", it.body, url=it.url, content_type=it.content_type, kind=kind, prose=prose
        )

    return read


def _read_as_html(it: ReceivedBody) -> Page:
    return read_html(it.body, it.url, it.content_type, latest=it.latest)


def _read_as_xhtml(it: ReceivedBody) -> Page:
    """Read XHTML as HTML after parsing it as XML; if it is not well formed, as HTML directly."""
    written = SHARED_SANDBOX.run("xhtml", it.body, content_type=it.content_type)["html"]
    if not written:
        return _read_as_html(it)
    return read_html(
        written.encode("utf-8", "replace"), it.url, "text/html; charset=utf-8", latest=it.latest
    )


def _is_text_with_nul(it: ReceivedBody) -> bool:
    """Return whether the bytes are a text but for some NUL bytes."""
    others = it.body[:MAX_CHECKED_BYTES].replace(b"\x00", b"")
    if 2 * len(others) <= len(it.body[:MAX_CHECKED_BYTES]) or _CONTROL_BYTE.search(others):
        return False
    return it.media.startswith("text/") or it.media in (
        "", "application/octet-stream", "application/json", "application/xml", "application/csv",
    )  # fmt: skip


def _raise_unsupported(it: ReceivedBody) -> Page:
    name = name_file_type(it.body)
    if not name and _is_text_with_nul(it):
        raise FetchError(
            "The text contains NUL bytes: it is damaged, or not a text.",
            kind="unsupported",
            next_step="Remove the NUL bytes, or save the text again as UTF-8.",
        )
    if not name:
        name = (
            f"a file of type {it.media}" if it.media else "a program or another file without text"
        )
    raise make_unreadable_error(name)


#: In order: kinds with a definite signature, then markup, then non-text, then text.
BODY_KINDS = (
    BodyKind("pdf", _is_pdf, _read_in_child("pdf")),
    BodyKind(
        "office",
        lambda it: it.body.startswith((b"PK\x03\x04", b"PK\x05\x06")),
        _read_in_child("office"),
    ),
    BodyKind("unreadable", lambda it: bool(name_file_type(it.body)), _raise_unsupported),
    BodyKind("xhtml", _is_xhtml, _read_as_xhtml),
    BodyKind("html", _is_html, _read_as_html),
    BodyKind("xml", _is_xml, _read_in_child_as("xml")),
    BodyKind("broken pdf", _is_declared_pdf, _read_in_child("pdf")),
    BodyKind("binary", _is_binary, _raise_unsupported),
    BodyKind("json", _is_json, _read_in_child_as("json")),
    BodyKind("csv", _is_separated, _read_in_child_as("separated")),
    BodyKind("markdown", _is_markdown, _read_as_text("markdown")),
    BodyKind("text", lambda it: True, _read_as_text("text")),
)


def _compute_latest_possible_day(sent: str) -> str:
    """Return the last possible day anywhere when this was sent.

    East of Greenwich it is tomorrow already.
    """
    return format_timestamp_day((parse_http_date(sent) or -DAY_S) + DAY_S)
