"""What bytes are, told by what they are rather than by what they are called, and the `Page` that is in them.

One table-like walk over the kinds: nothing here asks the web, and nothing is believed because of a file's name alone.
"""

from __future__ import annotations

import re
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from research_core.errors import FetchError
from research_core.models import Page
from research_core.web.documents import read_pdf, read_text
from research_core.web.html import read_html

_HTML = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->).)*-->\s*)*<(?:!doctype\s+html|html|head|body|title|meta|main|article|div|h[1-6]|table|p)[\s>/]",
    re.IGNORECASE | re.DOTALL,
)
_NO_TEXT = (b"PK\x03\x04", b"\x1f\x8b", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"RIFF", b"\xd0\xcf\x11\xe0", b"7z\xbc\xaf", b"Rar!")
_MARKDOWN, _WEB_PAGE = (".md", ".markdown"), (".html", ".htm", ".xhtml")


def read_body(body: bytes, url: str, content_type: str = "", *, name: str = "", sent: str = "") -> Page:
    """The page in these bytes, told by what they are rather than by what they are called.

    content_type, name: a header and a file name that help where the bytes say little. sent: the HTTP date of the answer, after which no
    page can have been published. Raises FetchError: content_empty, unsupported, too_large, timeout.
    """
    if not body.strip():
        raise FetchError("The page is empty.", kind="content_empty")
    media, name = content_type.split(";")[0].strip().lower(), (name or urlsplit(url).path).lower()
    if b"%PDF-" in body[:1024]:
        return read_pdf(body, url)
    if _is_binary(body, content_type):
        raise FetchError(f"This is no text that can be read here ({media or 'unknown kind of file'}).", kind="unsupported")
    if "html" in media or media.endswith("xml") or (not media and name.endswith(_WEB_PAGE)) or _HTML.match(body[:4096]):
        return read_html(body, url, content_type, latest=_day(sent))
    plain, markdown = media in ("", "text/plain"), "markdown" in media
    if markdown or (plain and name.endswith(_MARKDOWN)):
        return read_text(body, url, content_type, kind="markdown")
    return read_text(body, url, content_type, prose=plain)


def _is_binary(body: bytes, content_type: str) -> bool:
    if body.startswith((b"\xff\xfe", b"\xfe\xff")) or "utf-16" in content_type.lower():
        return False
    return body.startswith(_NO_TEXT) or b"\x00" in body[:8192]


def _day(sent: str) -> str:
    try:
        return parsedate_to_datetime(sent).date().isoformat()
    except ValueError:
        return ""
