"""Decide by names alone: a company's own site, and addresses that may be about its brand."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from research_core.models import SearchResult
from research_core.urls import find_host, find_site, is_under_domain

#: Sites about companies, which are never a company's own site.
DIRECTORIES = (
    "wikipedia.org", "wikidata.org", "linkedin.com", "facebook.com", "instagram.com", "twitter.com",
    "x.com", "youtube.com",
    "crunchbase.com", "bloomberg.com", "glassdoor.com", "indeed.com", "github.com", "apple.com",
    "google.com", "g2.com", "capterra.com",
    "trustpilot.com", "reddit.com", "yelp.com", "pitchbook.com", "zoominfo.com", "owler.com",
    "dnb.com", "britannica.com", "forbes.com",
)  # fmt: skip
#: Platforms that host brand guidelines for companies.
ASSET_PLATFORMS = (
    "brandfetch.com", "brand.ai", "frontify.com", "bynder.com", "corebook.io", "marq.com",
    "lucidpress.com", "canto.com", "canva.com",
    "figma.com", "github.com",
)  # fmt: skip
#: Likeliest first: a dedicated host comes before a path.
BRAND_HOSTS = ("brand", "press", "newsroom", "media", "design")
BRAND_PATHS = (
    "brand", "brand-guidelines", "brandbook", "brand-center", "brand-assets", "press", "presskit",
    "press-kit", "press-room", "newsroom",
    "media", "media-kit", "mediakit", "design", "design-system", "styleguide", "style-guide",
    "guidelines", "identity", "visual-identity",
    "about/brand",
)  # fmt: skip
#: Words in an address that suggest a brand page.
_BRAND_PATH = re.compile(
    r"brand|press|media|guideline|design|style-?guide|logo|identity", re.IGNORECASE
)
#: The rank of a site that is not the company's own.
_NO_MATCH = 3


def find_own_site(name: str, results: Iterable[SearchResult]) -> str:
    """Return the registered domain of the company's own site among the results, "" for none.

    A domain like the company's name is preferred to one whose title has the name.
    """
    best = ""
    best_rank = _NO_MATCH
    for result in results:
        domain = find_site(result.url)
        if not domain:
            continue
        rank = _rank_site(name, domain, result.title)
        if rank < best_rank:
            best = domain
            best_rank = rank
    return best


def _rank_site(name: str, domain: str, title: str) -> int:
    """Rank a domain as a company's own site, best first: 0, 1, 2, or `_NO_MATCH`."""
    letters = _keep_letters(name)
    label = _keep_letters(domain.partition(".")[0])
    if label == letters:
        return 0
    if any(is_under_domain(domain, directory) for directory in DIRECTORIES):
        return _NO_MATCH
    initials = "".join(word[0] for word in re.findall(r"\w+", name.lower()))
    is_similar = len(label) >= 3 and (label in letters or letters in label)
    if is_similar or (len(initials) > 2 and label == initials):
        return 1
    return 2 if _title_has_name(title, name) else _NO_MATCH


def list_home_addresses(url: str, domain: str) -> tuple[str, ...]:
    """Return the addresses of a homepage to try, in order: as given, with https, at the domain.

    url: an address or a bare host, already checked; domain: its host without "www.".
    """
    has_scheme = re.match(r"https?://", url, re.IGNORECASE)
    parts = urlsplit(url if has_scheme else f"https://{url}")
    host = find_host(parts.geturl())
    port = f":{parts.port}" if parts.port else ""
    given = f"{parts.scheme.lower()}://{host}{port}/"
    return tuple(dict.fromkeys((given, f"https://{host}{port}/", f"https://{domain}/")))


def list_candidates(domain: str) -> list[str]:
    """Return the 26 usual addresses of brand pages for a domain, likeliest first."""
    hosts = [f"https://{name}.{domain}/" for name in BRAND_HOSTS]
    paths = [f"https://{domain}/{path}" for path in BRAND_PATHS]
    return hosts + paths


def find_brand_addresses(results: Iterable[SearchResult], domain: str, name: str) -> list[str]:
    """Return the company's own brand pages, and its pages on asset platforms, each once.

    domain: the researched host, whose subdomains are its own too.
    """
    labels = [_keep_letters(domain.partition(".")[0]), _keep_letters(name)]
    # Shorter names occur by chance in other words.
    labels = [label for label in labels if len(label) > 2]
    found: dict[str, None] = {}
    for result in results:
        if not find_site(result.url):
            continue
        host = find_host(result.url)
        is_own = is_under_domain(host, domain) and _BRAND_PATH.search(
            f"{host}{urlsplit(result.url).path}"
        )
        is_on_platform = any(is_under_domain(host, platform) for platform in ASSET_PLATFORMS)
        letters = _keep_letters(f"{result.url} {result.title}")
        if is_own or (is_on_platform and any(label in letters for label in labels)):
            found[result.url] = None
    return list(found)


def _keep_letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.lower())


def _title_has_name(title: str, name: str) -> bool:
    words = re.findall(r"\w+", title.lower())
    name_words = re.findall(r"\w+", name.lower())
    return bool(name_words) and set(name_words) <= set(words)
