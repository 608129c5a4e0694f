"""Normalize web addresses, and find their host, registered domain or DOI.

Addresses are only read here, never opened; whether one may be fetched is the guard's decision.
"document:<sha>" is the address of an own document, which has no host.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import lru_cache
from html import unescape
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import SplitResult, quote, unquote, urlsplit

import idna
from publicsuffixlist import PublicSuffixList

OWN_PREFIX = "document:"
DEFAULT_PORTS = {"http": 80, "https": 443}

#: Query parameters that record how a reader came to a page, never which page it is.
TRACKING_PREFIXES = ("utm_", "mtm_", "pk_", "hsa_", "oly_", "vero_", "_hs")
TRACKING_NAMES = frozenset({
    "_ga", "_gl", "_openstat", "cmpid", "dclid", "epik", "fbclid", "gbraid", "gclid", "gclsrc",
    "igshid", "li_fat_id", "mc_cid", "mc_eid",
    "mkt_tok", "msclkid", "ncid", "rb_clickid", "ref_src", "ref_url", "s_cid", "srsltid", "ttclid",
    "twclid", "wbraid", "wickedid", "wt_mc",
    "yclid", "ysclid",
})  # fmt: skip

_OWN_ID = re.compile(r"document:[0-9A-Za-z._-]+", re.ASCII)
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMERIC = re.compile(
    r"\d+|0x[0-9a-f]*"
)  # "127.1" is an address to one parser and a name to another
_UNUSABLE_CHARACTERS = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_PATH_SAFE = "/%:@!$&'()*+,;=~"
_QUERY_SAFE = _PATH_SAFE + "?"
#: Brackets stay: browsers accept them, and styles print them.
_DOI_SAFE = _PATH_SAFE.replace("%", "") + "[]"


_USER_PART = re.compile(r"^(\s*(?:[a-z][a-z0-9+.-]*:)?[/\\]{2,})[^/?#\s]*@", re.IGNORECASE)


def strip_user_part(text: str) -> str:
    """Return an address without user name and password, for display; other text unchanged."""
    return _USER_PART.sub(r"\1", text)


def is_own_document(url: str) -> bool:
    """Return True if the address is that of an own document, which has no web address."""
    return url.startswith(OWN_PREFIX)


def is_web_address(text: str) -> bool:
    """Return True if the text begins like a web address."""
    return text.lower().startswith(("http://", "https://"))


def canonical_url(url: str) -> str:
    """Return the one spelling of a page's address, which identifies a source.

    Scheme and host are lower case (IDNA); user name, default port, fragment and tracking parameters
    are removed; dot segments are resolved and percent escapes normalized. Scheme, path, the other
    parameters and their order stay. Raises ValueError with the reason.
    """
    if is_own_document(url):
        if not _OWN_ID.fullmatch(url):
            raise ValueError(
                "the id of an own document holds only letters, digits, '.', '_' and '-'"
            )
        return url
    parts, name = _split_address(url)
    shown_host = f"[{name}]" if ":" in name else name
    port = ""
    if parts.port not in (None, DEFAULT_PORTS[parts.scheme]):
        port = f":{parts.port}"
    query = _normalize_query(parts.query)
    if query:
        query = f"?{query}"
    return f"{parts.scheme}://{shown_host}{port}{_normalize_path(parts.path)}{query}"


@lru_cache(maxsize=8192)
def find_host(url: str) -> str:
    """Return the host in lower-case ASCII, without port; "" for an own document.

    Raises ValueError with the reason.
    """
    return "" if is_own_document(url) else _split_address(url)[1]


def registered_domain(url: str) -> str:
    """Return the registered domain ("bbc.co.uk", "user.github.io"), which counts as one publisher.

    The host itself if no part of it is registered (an IP address, "gov.uk"); "" for an own
    document. Raises ValueError.
    """
    name = find_host(url)
    if not name or _parse_ip(name) is not None:
        return name
    return _load_suffixes().privatesuffix(name) or name


def find_site(url: str) -> str:
    """Return the registered domain of an address, or "" if it is no web address."""
    try:
        return registered_domain(url)
    except ValueError:
        return ""


def has_public_suffix(url: str) -> bool:
    """Return True if the host is under a public suffix; "wiki.local" and "intranet" are not.

    False for what is no web address.
    """
    try:
        name = find_host(url)
    except ValueError:
        return False
    if not name or _parse_ip(name) is not None:
        return False
    return _load_suffixes().publicsuffix(name, accept_unknown=False) is not None


def is_under_domain(host: str, domain: str) -> bool:
    """Return True if host is the domain or a subdomain; "netflix.com" is not under "x.com"."""
    return host == domain or host.endswith("." + domain)


#: A DOI in an address or a text. Angle brackets, and "#" at the end, stand in a serial item
#: identifier ("49:8<693::AID-ASI4>3.0.CO;2-#"), "&" between the numbers of issues ("1401&2_19").
DOI_PATTERN = re.compile(
    r"10\.\d{4,9}/(?:[^\s?#&\"<>“”]|<(?:\d[^\s<>\"]{0,80}|[^\s<>\"/]{0,80}(?=>\d\.\d))>"
    r"|(?<=;\d-)#|&(?=\d))+",
    re.ASCII,
)
_IDENTIFIER_HASH = re.compile(r"(;|%3B)(\d-)#", re.IGNORECASE)
_HTML_MARK = re.compile(r"&(?:amp|lt|gt|#0*(?:38|60|62)|#x0*(?:26|3c|3e));", re.IGNORECASE)
#: Characters that typesetting puts in the place of ASCII: ligatures, full-width forms, hyphens.
_TYPESET = re.compile("[\ufb00-\ufb06\uff01-\uff5e\u2010\u2011]")
_BRACKET_PAIRS = {")": "(", "]": "[", "}": "{", ">": "<"}
_DOI_VIEW_SUFFIX = re.compile(
    r"(?:/(?:full|fulltext|abstract|pdf|epdf|html|meta|summary))+$|\.(?:pdf|html?|full)+$",
    re.IGNORECASE,
)
_PREPRINT_SUFFIX = re.compile(r"v\d+(?:\.full)?(?:\.pdf)?$")
_ARXIV_PATH = re.compile(
    r"/(?:abs|pdf|html)/((?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7}))(?:v\d+)?(?:\.pdf)?/?$",
    re.ASCII,
)


def find_doi(text: str) -> str:
    """Return the bare DOI (10.x/y) of an address or "doi:…", also for arXiv papers; "" if none."""
    text = _IDENTIFIER_HASH.sub(r"\1\2%23", fold_doi(text))
    try:
        parts = urlsplit(text.strip())
    except ValueError:  # not an address, whatever it looks like
        return ""
    host = parts.netloc.rpartition("@")[2].lower()
    if host.removeprefix("www.").removeprefix("export.") == "arxiv.org":
        paper = _ARXIV_PATH.search(parts.path)
        return f"10.48550/arXiv.{paper[1]}" if paper else ""
    searched = f"{parts.path}?{parts.query}" if parts.query else parts.path
    found = DOI_PATTERN.search(unquote(searched))
    if found is None:
        return ""
    bare = found[0]
    if not host.endswith("doi.org"):
        bare = _DOI_VIEW_SUFFIX.sub("", bare)
    if host.endswith(("biorxiv.org", "medrxiv.org")):
        bare = _PREPRINT_SUFFIX.sub("", bare)
    return trim_doi(bare)


def fold_doi(text: str) -> str:
    """Return a text with the characters that a DOI is registered with.

    Ligatures, full-width forms, typographic hyphens and HTML escapes of "&", "<" and ">" are
    replaced.
    """
    text = _HTML_MARK.sub(lambda found: unescape(found[0]), text)
    return _TYPESET.sub(_fold_typeset, text)


def _fold_typeset(found: re.Match[str]) -> str:
    return "-" if found[0] in "\u2010\u2011" else unicodedata.normalize("NFKC", found[0])


def trim_doi(doi: str) -> str:
    """Return a DOI without the punctuation and the unmatched brackets at its end."""
    counts = Counter(doi)
    end = len(doi)
    while end:
        last = doi[end - 1]
        opening = _BRACKET_PAIRS.get(last, "")
        is_unmatched = opening and counts[last] > counts[opening]
        if not is_unmatched and last not in ".,;:'’*_/":
            break
        counts[last] -= 1
        end -= 1
    return doi[:end]


def build_doi_url(doi: str) -> str:
    """Return the address of a bare DOI, percent-encoded where an address needs it; "" for none."""
    return f"https://doi.org/{quote(doi, safe=_DOI_SAFE)}" if doi else ""


@lru_cache(maxsize=1)
def _load_suffixes() -> PublicSuffixList:
    return PublicSuffixList()


def _split_address(url: str) -> tuple[SplitResult, str]:
    """Return the parsed address and its host.

    Refuses what two readers could take for two different hosts.
    """
    text = url.strip()
    if _UNUSABLE_CHARACTERS.search(text):
        raise ValueError("the address holds characters that no address can hold")
    parts = urlsplit(text)
    if parts.scheme not in DEFAULT_PORTS:
        begins = strip_user_part(text)[:40]
        raise ValueError(
            f"not a web address: it must start with http:// or https://, not {begins!r}"
        )
    if "\\" in parts.netloc:
        raise ValueError("a backslash in the host part")
    if not parts.hostname:
        raise ValueError("the address names no host")
    if parts.port == 0:
        raise ValueError("port 0 cannot be reached")
    return parts, _normalize_host(parts.hostname)


@lru_cache(maxsize=4096)
def _normalize_host(name: str) -> str:
    """Return a host name or IP address in lower-case ASCII.

    Raises ValueError (IDNAError is one).
    """
    plain = name.lower() if name.isascii() else idna.encode(name, uts46=True).decode("ascii")
    plain = plain.removesuffix(".")
    address = _parse_ip(plain)
    if address is not None and "%" not in plain:
        return str(address)
    labels = plain.split(".")
    if (
        len(plain) > 253
        or not all(_LABEL.fullmatch(label) for label in labels)
        or _NUMERIC.fullmatch(labels[-1])
    ):
        raise ValueError(f"{name[:60]!r} is no host name")
    return plain


def _parse_ip(name: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(name)
    except ValueError:
        return None


def _normalize_path(path: str) -> str:
    """Resolve "." and ".." (RFC 3986, 5.2.4); empty segments stay, as some servers need them."""
    segments = _normalize_escapes(path, _PATH_SAFE).split("/")[1:] or [""]
    kept: list[str] = []
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)


def _normalize_query(query: str) -> str:
    """Return the query without empty pairs and tracking parameters."""
    kept = []
    for pair in query.split("&"):
        if pair and not _is_tracking(pair.partition("=")[0].lower()):
            kept.append(pair)
    return _normalize_escapes("&".join(kept), _QUERY_SAFE)


def _is_tracking(name: str) -> bool:
    return name in TRACKING_NAMES or name.startswith(TRACKING_PREFIXES)


def _normalize_escapes(text: str, safe: str) -> str:
    """Percent-encode in one spelling: upper case, and only where a character needs it."""
    return quote(_ESCAPE.sub(_normalize_escape, text.replace("\\", "%5C")), safe=safe)


def _normalize_escape(match: re.Match[str]) -> str:
    character = chr(int(match[1], 16))
    return character if character in _UNRESERVED else f"%{match[1].upper()}"
