"""Decide by names which site is a company's, and which search results are about its brand."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from research_core.models import SearchResult
from research_core.urls import find_host, is_under_domain, registered_domain

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
#: Words in an address that suggest a brand page.
_BRAND_PATH = re.compile(
    r"brand|press|media|guideline|design|style-?guide|logo|identity", re.IGNORECASE
)


def find_own_site(name: str, results: Iterable[SearchResult]) -> str:
    """Return the registered domain of the company's own site among the results, "" for none.

    A domain like the company's name is preferred to one whose title has the name.
    """
    fitting: list[tuple[int, str]] = []
    asked = _keep_letters(name)
    initials = "".join(word[0] for word in re.findall(r"\w+", name.lower()))
    for result in results:
        domain = _domain(result.url)
        label = _keep_letters(domain.partition(".")[0])
        if not domain or (
            any(is_under_domain(domain, each) for each in DIRECTORIES) and label != asked
        ):
            continue
        near = len(label) >= 3 and (label in asked or asked in label)
        rank = (
            0
            if label == asked
            else (
                1
                if near or (len(initials) > 2 and label == initials)
                else 2
                if _title_has_name(result.title, name)
                else 3
            )
        )
        fitting.append((rank, domain))
    rank, domain = min(fitting, key=lambda each: each[0], default=(3, ""))
    return domain if rank < 3 else ""


def find_brand_addresses(results: Iterable[SearchResult], domain: str, name: str) -> list[str]:
    """Return the company's own brand pages, and its pages on asset platforms, each once."""
    called = {
        word
        for word in (_keep_letters(domain.partition(".")[0]), _keep_letters(name))
        if len(word) > 2
    }
    found = []
    for result in results:
        at = _domain(result.url)
        own = at == domain and _BRAND_PATH.search(
            f"{find_host(result.url)}{urlsplit(result.url).path}"
        )
        kept = at and any(is_under_domain(find_host(result.url), each) for each in ASSET_PLATFORMS)
        if own or (
            kept and any(each in _keep_letters(f"{result.url} {result.title}") for each in called)
        ):
            found.append(result.url)
    return list(dict.fromkeys(found))


def _domain(url: str) -> str:
    try:
        return registered_domain(url)
    except ValueError:
        return ""


def _keep_letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.lower())


def _title_has_name(title: str, name: str) -> bool:
    words = re.findall(r"\w+", title.lower())
    asked = re.findall(r"\w+", name.lower())
    return bool(asked) and set(asked) <= set(words)
