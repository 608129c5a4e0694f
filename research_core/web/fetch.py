"""Reads a page, from the local library or the web: asks, judges the answer, and makes a `Page` of the bytes.

The doorway records what came back; everything done here with it is recomputed in a replay and always comes out the same. It reads
whole pages, cuts nothing for a model, and decides nothing about credibility.
"""

from __future__ import annotations

import re
from dataclasses import replace
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from research_core.deps import Deps
from research_core.errors import FetchError
from research_core.models import HttpReply, Json, Page
from research_core.urls import canonical, is_own
from research_core.web.documents import read_pdf, read_text
from research_core.web.html import read_html

TIMEOUT_S = 15.0
MAX_BYTES = 5_000_000
HEADERS = {"accept": "text/html,application/xhtml+xml,application/pdf;q=0.9,text/plain;q=0.8,*/*;q=0.5"}

#: What a status means for the reader: the kind of failure, and a sentence. A row of its own, else that of its hundred.
STATUSES: dict[int, tuple[str, str]] = {
    401: ("auth_required", "The site wants a password."),
    407: ("auth_required", "A proxy wants a password."),
    402: ("auth_required", "The site wants to be paid."),
    403: ("blocked", "The site refused to serve the page."),
    451: ("blocked", "The page is withheld for legal reasons."),
    404: ("not_found", "There is no such page."),
    410: ("not_found", "The page has been removed."),
    408: ("timeout", "The site gave up waiting."),
    429: ("rate_limited", "The site asks us to slow down."),
}
HUNDREDS: dict[int, tuple[str, str]] = {
    1: ("bad_reply", "The site answered with something that is no page."),
    3: ("bad_reply", "The site redirects to nowhere."),
    4: ("blocked", "The site refused the request."),
    5: ("upstream_unavailable", "The site is in trouble."),
}


def read_page(url: str, deps: Deps) -> Page:
    """The page at this address: the library's copy when this run searches one that holds it, else what the web answers.

    final_url is the canonical address after redirects. Raises FetchError, whose kind says why there is no text.
    """
    held = _held(url, deps)
    if held is not None:
        return Page(url=url, final_url=held["url"], title=held["title"], text=held["text"], kind=held["kind"], published=held["published"])
    if is_own(url):
        raise FetchError("The library no longer holds this document.", kind="not_found", next_step="Add it again, or leave it out.")
    return page_of(deps.http.send("GET", url, headers=HEADERS, timeout_s=TIMEOUT_S, max_bytes=MAX_BYTES), url)


def _held(url: str, deps: Deps) -> Json | None:
    if deps.documents is None:
        return None
    documents, name = deps.documents, deps.run.library
    found: Json | None = deps.http.call("library", {"library": name, "url": url}, lambda: documents.read(url))
    return found


def page_of(reply: HttpReply, url: str) -> Page:
    """What an HTTP answer says. Raises FetchError for a status that is no success, and for a body without readable text."""
    if not 200 <= reply.status < 300:
        kind, sentence = STATUSES.get(reply.status) or HUNDREDS.get(reply.status // 100, HUNDREDS[1])
        wait = _seconds(reply.headers.get("retry-after", ""))
        raise FetchError(f"{sentence} (HTTP {reply.status})", kind=kind, status=reply.status, retry_after=wait)
    try:
        final = canonical(reply.url)
    except ValueError as error:
        raise FetchError(f"The page came from an address that cannot be cited: {error}.", kind="bad_reply") from error
    page = read_body(reply.body, final, reply.headers.get("content-type", ""), sent=reply.headers.get("date", ""))
    return replace(page, url=url)


def _seconds(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\d{1,6}", text.strip()) else None


# ---------------------------------------------------------------- what the bytes are

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
