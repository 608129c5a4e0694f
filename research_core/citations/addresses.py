"""Find web addresses in a text and report malformed ones. Nothing is fetched."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from research_core.urls import has_public_suffix

#: The angle and square brackets of a serial item identifier belong to an address
#: ("8<693::AID-ASI4>3.0.CO;2-O").
URL_PATTERN = re.compile(
    r"https?://(?:[^\s<>\"\]】），。；、]|<(?=[^\s<>]{0,80}>\d\.\d\.[A-Z]{2};)"
    r"|[>\]](?=\d\.\d\.[A-Z]{2};))+",
    re.IGNORECASE,
)
LINK_TARGET = re.compile(r"(?<!\\)\]\(\s*<?([^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*)*)")
#: Looks like a web address, but a browser resolves it as a file beside the report.
SCHEMELESS_URL = re.compile(r"www\.|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}/", re.IGNORECASE)
#: A web address without its scheme ("who.int/news/x", "www.cdc.gov"), not within another one.
_BARE_URL = re.compile(
    r"(?<![\w@.:/=&%?#~+\\-])(?P<host>(?:[\w-]{1,63}\.){1,5}[a-z]{2,24})(?=/[\w~%]|(?P<end>[\s).,;\]]|$))",
    re.IGNORECASE,
)
#: Endings of hosts that are endings of file names too ("main.py/x").
_FILE_ENDINGS = frozenset({"md", "mov", "py", "rs", "sh", "zip"})
#: Punctuation that ends a sentence and not an address.
TRAILING_MARKS = ".,;:!?*_'’”`|"


def find_urls(text: str) -> Iterator[tuple[int, str]]:
    """Yield the offset and text of each web address, without trailing punctuation or brackets."""
    for found in URL_PATTERN.finditer(text):
        url = found[0].partition("](")[0].rstrip(TRAILING_MARKS)
        while url.count(")") > url.count("(") or url[-1:] in TRAILING_MARKS:
            inside = url.count(")") > url.count("(")
            url = (url[: _find_unmatched_bracket(url)] if inside else url).rstrip(TRAILING_MARKS)
        yield found.start(), url


def complete_urls(text: str) -> str:
    """Write "https://" before each web address that has no scheme. Lines keep their numbers.

    A host alone is an address only if it begins with "www.". "http://" is written where the text
    names the host with that scheme alone.
    """
    lowered = text.lower()

    def complete(found: re.Match[str]) -> str:
        if not _is_bare_url(found):
            return found[0]
        host = found["host"].lower()
        is_plain = f"http://{host}/" in lowered and f"https://{host}/" not in lowered
        return f"{'http' if is_plain else 'https'}://{found[0]}"

    return _BARE_URL.sub(complete, text)


def _is_bare_url(found: re.Match[str]) -> bool:
    host = found["host"].lower()
    is_named = host.startswith("www.")
    if found["end"] is not None and not is_named:
        return False
    labels = host.split(".")
    if len(labels) == 2 and labels[-1] in _FILE_ENDINGS:
        return False
    return has_public_suffix(f"https://{host}/")


def _find_unmatched_bracket(url: str) -> int:
    """Return the offset of the first closing bracket that the address itself never opened."""
    depth = 0
    for at, sign in enumerate(url):
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            return at
    return len(url)


#: Dots that belong to an address: of a bibliographic code (19 characters with a year at the
#: start, "2010ApJ...718..L22A"), of a comparison of two versions, and of a wiki's title.
_OWN_DOTS = re.compile(
    r"(?<![\w.])[12]\d{3}(?=[^/?#\s]{0,14}[^\W\d_])(?:[\w.&+]|%[0-9A-F]{2}){15}(?![\w.])"
    r"|/compare/[^/?#\s]+\.{3}[^?#\s]+|/wiki/(?!\.{3,}(?:/|$))[^?#\s]*[^\W_][^?#\s]*",
    re.IGNORECASE,
)


def is_plausible_url(url: str) -> bool:
    """Return True if the address has a dotted host and no part is left out ("…", "...")."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        _ = parts.port  # raises ValueError for a port that is no number
    except ValueError:
        return False
    if "…" in url or "..." in _OWN_DOTS.sub("", url):
        return False
    lowered = url.lower()
    if "http://" not in lowered and "https://" not in lowered:
        return False
    labels = host.split(".")
    return len(labels) > 1 and all(_is_host_label(label) for label in labels)


def _is_host_label(label: str) -> bool:
    return 0 < len(label) < 64 and re.fullmatch(r"[\w-]+", label) is not None


#: Begins like an address and is none: a bare "http://", "https:/a.example", "htp://bad",
#: "http;//a.example".
_INCOMPLETE_URL = re.compile(
    r"https?://(?=[\s<>)\]|]|$)|https?[:;]/(?!/)[^\s<>)\]|]*|https?;//[^\s<>)\]|]*"
    r"|(?<![\w+.:/-])(?P<scheme>[a-z][a-z0-9+.-]{1,15})://[^\s<>)\]|]*",
    re.IGNORECASE | re.MULTILINE,
)
#: Valid schemes that are not the web's.
_OTHER_SCHEMES = frozenset(
    """
        ftp ftps sftp file doi ipfs ipns git ssh s3 gs gopher gemini ws wss magnet chrome app data
        urn
    """.split()
)


def find_malformed_urls(text: str) -> Iterator[tuple[int, str]]:
    """Yield the offset and text of everything meant as a web address that is none."""
    for found in _INCOMPLETE_URL.finditer(text):
        scheme = (found["scheme"] or "").lower()
        if scheme in _OTHER_SCHEMES:
            continue
        if scheme in ("http", "https") and URL_PATTERN.match(text, found.start()):
            continue
        yield found.start(), found[0].rstrip(TRAILING_MARKS)
