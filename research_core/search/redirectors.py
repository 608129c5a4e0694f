"""Unwrap result links that search engines and others wrap in redirects; drop advertisements.

An address is only read, never opened. A wrapper whose target cannot be read stays as it is, and so
does one whose target is no web address.
"""

from __future__ import annotations

import binascii
import re
from base64 import urlsafe_b64decode
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

from research_core.models import LinkCounts
from research_core.urls import canonical_url, find_host, is_web_address

#: Wrappers within wrappers that are followed; what the last of them names is the address.
MAX_LAYERS = 5
#: Targets longer than this are not read: no browser opens them.
MAX_TARGET_CHARACTERS = 8_000

_TLD = r"(?:com|(?:com?\.)?[a-z]{2})"
_GOOGLE = rf"(?:[a-z0-9-]+\.)?google\.{_TLD}"
_YANDEX = rf"(?:[a-z0-9-]+\.)?yandex\.{_TLD}"
_BING = r"(?:[a-z0-9-]+\.)?bing\.com"
_DUCKDUCKGO = r"(?:[a-z0-9-]+\.)?duckduckgo\.com"
_FACEBOOK = r"(?:[a-z0-9-]+\.)?(?:facebook|messenger|instagram)\.com"


@dataclass(frozen=True)
class Redirector:
    """One kind of redirect address, by its whole host and the start of its path.

    parameters: the query parameters that may hold the target, the first usable one counts; read:
    how the target is read from the percent-decoded value of one. Without parameters, `read` gets
    the path and query as written.
    """

    host: re.Pattern[str]
    path: re.Pattern[str]
    parameters: tuple[str, ...]
    read: Callable[[str], str]


def _read_plain(value: str) -> str:
    return value


def _read_bing_base64(value: str) -> str:
    """Read "a1" and the address in base64url; "" for anything else."""
    if not value.startswith("a1"):
        return ""
    encoded = value[2:].rstrip("=")
    try:
        return urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).decode("utf-8")
    except (binascii.Error, ValueError):
        return ""


def _read_yahoo_segment(path: str) -> str:
    """Read the percent-encoded address in a path segment "RU=…"."""
    segment = re.search(r"/RU=([^/]+)", path)
    return _decode_percent(segment[1]) if segment else ""


def _read_starred_path(path: str) -> str:
    """Read the address after the last "*" of a path, encoded or not."""
    target = path.rpartition("*")[2]
    return target if is_web_address(target) else _decode_percent(target)


def _read_proofpoint_v2(value: str) -> str:
    """Read an address written with "-" for "%" and "_" for "/"."""
    return _decode_percent(value.replace("-", "%").replace("_", "/"))


def _make_redirector(
    host: str, path: str, parameters: str = "", read: Callable[[str], str] = _read_plain
) -> Redirector:
    return Redirector(re.compile(host), re.compile(path), tuple(parameters.split()), read)


REDIRECTORS = (
    # search engines
    _make_redirector(_DUCKDUCKGO, r"/l/?$", "uddg"),
    _make_redirector(_GOOGLE, r"/url$", "q url"),
    _make_redirector(_GOOGLE, r"/imgres$", "imgrefurl"),
    _make_redirector(_BING, r"/ck/a$", "u", _read_bing_base64),
    _make_redirector(_BING, r"/(?:news/apiclick\.aspx|alink/link)$", "url"),
    _make_redirector(
        r"(?:[a-z0-9-]+\.)*search\.(?:yahoo|aol)\.com", r".*/RU=", "", _read_yahoo_segment
    ),
    _make_redirector(r"rds?\.yahoo\.com", r".*(?:\*|%2a)\*?", "", _read_starred_path),
    _make_redirector(_YANDEX, r"/clck/(?:jsredir|safeclick)", "url"),
    _make_redirector(_YANDEX, r"/(?:clck/)?redir/.*\*", "", _read_starred_path),
    _make_redirector(r"(?:[a-z0-9-]+\.)*startpage\.com", r"/(?:do|cgi-bin)/", "url u"),
    _make_redirector(r"cr\d?\.naver\.com", r"/", "u url"),
    # other sites
    _make_redirector(_FACEBOOK, r"/(?:l\.php|flx/warn)?/?$", "u"),
    _make_redirector(r"(?:[a-z0-9-]+\.)*safelinks\.protection\.outlook\.com", r"/", "url"),
    _make_redirector(r"urldefense\.(?:proofpoint\.)?com", r"/v1/url$", "u"),
    _make_redirector(r"urldefense\.(?:proofpoint\.)?com", r"/v2/url$", "u", _read_proofpoint_v2),
    _make_redirector(r"(?:www\.|m\.)?youtube\.com", r"/redirect$", "q"),
    _make_redirector(r"(?:www\.)?linkedin\.com", r"/(?:redir/redirect|safety/go)", "url"),
    _make_redirector(r"(?:m\.|www\.)?vk\.(?:com|ru)", r"/away(?:\.php)?$", "to"),
    _make_redirector(r"out\.reddit\.com", r"/", "url"),
    _make_redirector(r"t\.umblr\.com", r"/redirect$", "z"),
    _make_redirector(r"steamcommunity\.com", r"/linkfilter/?$", "url u"),
    _make_redirector(r"slack-redir\.net", r"/link$", "url"),
    _make_redirector(r"link\.zhihu\.com", r"/", "target"),
)

#: Hosts and paths of links that somebody pays for.
ADVERTISEMENTS = tuple(
    (re.compile(host), re.compile(path))
    for host, path in (
        (_DUCKDUCKGO, r"/y\.js$"),
        (_BING, r"/acl(?:ic)?k$"),
        (_GOOGLE, r"/(?:pagead/)?aclk$"),
        (r"(?:[a-z0-9-]+\.)*googleadservices\.com", r"/"),
        (r"(?:[a-z0-9-]+\.)*(?:doubleclick|googlesyndication)\.(?:net|com)", r"/"),
        (r"(?:[a-z0-9-]+\.)*search\.(?:yahoo|aol)\.com", r"/cbclk"),
        (rf"(?:yabs|an)\.yandex\.{_TLD}", r"/"),
        (r"search\.brave\.com", r"/a/redirect$"),
        (r"(?:www\.)?baidu\.com", r"/baidu\.php$"),
        (r"(?:www\.)?sogou\.com", r"/bill_"),
        (r"adcr?\.naver\.com", r"/"),
        (r"(?:[a-z0-9-]+\.)*r\.msn\.com", r"/"),
        (r"(?:[a-z0-9-]+\.)*amazon-adsystem\.com", r"/"),
        (r"(?:trc\.taboola|paid\.outbrain)\.com", r"/"),
    )
)

#: The host of any of them. Few addresses have one, and the others need no further look.
_HOSTS = [*(each.host for each in REDIRECTORS), *(host for host, _ in ADVERTISEMENTS)]
_ANY_HOST = re.compile("|".join(dict.fromkeys(host.pattern for host in _HOSTS)))


def unwrap_url(url: str) -> str:
    """Return the address that a redirect address names; any other address unchanged."""
    return _list_layers(url)[-1]


def is_advertisement(url: str) -> bool:
    """Return True if the address, or one wrapped in it, is that of a paid link."""
    for layer in _list_layers(url):
        parts = _split(layer)
        if parts and _names_advertisement(parts):
            return True
    return False


def measure_first(urls: Iterable[str], count: int) -> int:
    """Return how many first addresses hold `count` that are no advertisements, or all."""
    length = 0
    for url in urls:
        if count <= 0:
            break
        length += 1
        if not is_advertisement(url):
            count -= 1
    return length


def clean_images(images: Iterable[Any]) -> tuple[list[Any], LinkCounts]:
    """Return images with their `context_link` unwrapped, and how many were."""
    cleaned: list[Any] = []
    unwrapped = 0
    for image in images:
        target = unwrap_url(image.context_link)
        if target != image.context_link:
            unwrapped += 1
            shown = image.display_link
            if shown == find_host(image.context_link):
                shown = find_host(target)
            image = replace(image, context_link=target, display_link=shown)
        cleaned.append(image)
    return cleaned, LinkCounts(unwrapped)


def clean_links(rows: Iterable[Any]) -> tuple[list[Any], LinkCounts]:
    """Return the rows with their `url` unwrapped and without advertisements, and the counts.

    rows: dataclasses with a `url`. An own document has no web address and stays.
    """
    kept: list[Any] = []
    unwrapped = advertisements = 0
    for row in rows:
        if is_advertisement(row.url):
            advertisements += 1
            continue
        target = unwrap_url(row.url)
        if target != row.url:
            unwrapped += 1
            row = replace(row, url=target)
        kept.append(row)
    return kept, LinkCounts(unwrapped, advertisements)


def _list_layers(url: str) -> list[str]:
    """Return the address and those wrapped in it, from the outside in."""
    layers = [url]
    while len(layers) <= MAX_LAYERS:
        target = _read_target(layers[-1])
        if not target:
            break
        layers.append(target)
    return layers


def _read_target(url: str) -> str:
    """Return the canonical address that a redirect address names; "" if it is none."""
    parts = _split(url)
    if parts is None or _names_advertisement(parts):
        return ""
    name = parts.hostname or ""
    for redirector in REDIRECTORS:
        if not redirector.host.fullmatch(name):
            continue
        if not redirector.path.match(parts.path or "/"):
            continue
        for value in _list_values(redirector, parts):
            target = _clean_target(redirector.read(value))
            if target:
                return target
    return ""


def _list_values(redirector: Redirector, parts: SplitResult) -> list[str]:
    """Return what the target may be read from, decoded unless it is the path."""
    if not redirector.parameters:
        return [f"{parts.path}?{parts.query}" if parts.query else parts.path]
    pairs: dict[str, str] = {}
    for pair in parts.query.split("&"):
        name, _, value = pair.partition("=")
        pairs.setdefault(name, value)
    return [_decode_percent(pairs[name]) for name in redirector.parameters if name in pairs]


def _clean_target(target: str) -> str:
    """Return the canonical form of a target; "" if it is no web address."""
    if len(target) > MAX_TARGET_CHARACTERS:
        return ""
    if target.startswith("//"):
        target = f"https:{target}"
    if not is_web_address(target):
        return ""
    try:
        return canonical_url(target)
    except ValueError:
        return ""


def _decode_percent(text: str) -> str:
    """Decode percent escapes; "" if they are not UTF-8, since the address would be another one."""
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        return ""


def _names_advertisement(parts: SplitResult) -> bool:
    name = parts.hostname or ""
    return any(
        host.fullmatch(name) and path.match(parts.path or "/") for host, path in ADVERTISEMENTS
    )


def _split(url: str) -> SplitResult | None:
    """Return the parts of a web address with one of the hosts above, else None."""
    if not is_web_address(url.strip()):
        return None
    try:
        parts = urlsplit(url.strip())
        return parts if _ANY_HOST.fullmatch(parts.hostname or "") else None
    except ValueError:
        return None
