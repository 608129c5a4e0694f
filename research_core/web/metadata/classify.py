"""Classify a page by markup and host: kind of source, subject, and weight of its host.

These are hints, not verdicts: no page is read or kept because of them, so a page is believed about
its own type. Hosts are compared by whole labels: neither "notnature.com" nor "evil.example/?x=.gov"
gains anything.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import NamedTuple

from research_core.model_messages import Json
from research_core.models import Page
from research_core.policy import DEFAULT_TIERS
from research_core.trust.credibility import assess
from research_core.urls import find_host, is_under_domain
from research_core.web.metadata import hosts

UNKNOWN = "unknown"
CATEGORIES = ("academic", "legal", "medical", "financial", "technical", "general")
#: Weights from which a tier is high, and up to which it is low.
HIGH_WEIGHT, LOW_WEIGHT = 0.8, 0.5
#: The tier of universities and governments of every country, by ending.
_PUBLIC_TIER = DEFAULT_TIERS[0].name


class SourceClasses(NamedTuple):
    """The three classes of a tool's answer.

    source_type: as `models.Metadata.type` or unknown; tier: high | medium | low.
    """

    source_type: str
    tier: str
    category: str

    def as_json(self) -> Json:
        return {
            "sourceType": self.source_type,
            "authorityTier": self.tier,
            "domainCategory": self.category,
        }


def classify_page(page: Page, lens: str = "") -> SourceClasses:
    """Classify a page that was read.

    Without markup its address decides.
    """
    return SourceClasses(
        page.metadata.type or find_source_type(page.final_url) or UNKNOWN,
        find_host_tier(page.final_url),
        find_category(page.final_url, lens),
    )


def find_host_weight(url: str) -> float:
    """Return the weight of a host, 0.5 to 0.9; 0.6 if unknown.

    0.5: anyone may write there; 0.9: universities, governments, reviewed publications.
    """
    row = _find_host_row(url)
    if row is not None:
        return row.weight
    return hosts.REVIEWED_WEIGHT if is_public_body(url) else hosts.ORDINARY_WEIGHT


def find_host_tier(url: str) -> str:
    """Return high | medium | low, a banding of `find_host_weight`."""
    weight = find_host_weight(url)
    if weight >= HIGH_WEIGHT:
        return "high"
    return "low" if weight <= LOW_WEIGHT else "medium"


def is_public_body(url: str) -> bool:
    """Return whether the host's ending is a university's or government's (".edu", ".gov.au"…)."""
    return assess(url, "", "").tier == _PUBLIC_TIER


def is_scholarly(page: Page) -> bool:
    """Return whether a page is a paper, by its markup or its host.

    Hosts of journals, indexes and preprint servers count.
    """
    row = _find_host_row(page.final_url)
    return page.metadata.type == "peer_reviewed" or (
        row is not None and row.type == "peer_reviewed"
    )


# ---------------------------------------------------------------- source type

_SCHEMA_TYPES = (
    ("peer_reviewed", r"(?:Medical)?ScholarlyArticle"),
    ("news_publication", r"\w*NewsArticle|LiveBlogPosting"),
    ("official_docs", r"TechArticle|APIReference"),
    ("forum", r"DiscussionForumPosting|QAPage"),
    ("blog", r"Blog|BlogPosting"),
    ("social_media", r"SocialMediaPosting"),
    ("government", r"Government\w*"),
)
#: Tags that only pages of papers have.
_PAPER_TAGS = (
    "citation_doi",
    "citation_journal_title",
    "citation_conference_title",
    "citation_pmid",
    "citation_arxiv_id",
    "citation_title",
)
#: First labels of hosts that tell the kind of source.
_HOST_PREFIXES = {
    "docs": "official_docs", "developer": "official_docs", "developers": "official_docs",
    "blog": "blog", "blogs": "blog",
    "forum": "forum", "forums": "forum", "community": "forum", "discuss": "forum", "wiki": "wiki",
}  # fmt: skip


def find_source_type(url: str, types: Iterable[str] = (), tags: Collection[str] = ()) -> str:
    """Return the kind of source, as `models.Metadata.type`; "" if unknown.

    types: of schema.org; tags: names of its `meta`. A page at a university has no kind by that
    alone, since most of them were not reviewed.
    """
    if any(name in tags for name in _PAPER_TAGS):
        return "peer_reviewed"
    declared = list(types)
    for kind, pattern in _SCHEMA_TYPES:
        if any(re.fullmatch(pattern, name) for name in declared):
            return kind
    row = _find_host_row(url)
    if row is not None:
        return row.type
    name = _find_host_name(url)
    if is_public_body(url):
        return "government" if _is_government_host(name) else ""
    if name.count(".") < 2:
        return ""
    return _HOST_PREFIXES.get(name.partition(".")[0], "")


def _is_government_host(name: str) -> bool:
    *_, second, top = ("", *name.split("."))
    return top != "edu" and second not in ("edu", "ac")


# ---------------------------------------------------------------- subject

_LENS_CATEGORIES = {
    "academic": "academic", "academic-extended": "academic", "science": "academic",
    "legal": "legal", "medical": "medical",
    "clinical": "medical", "finance": "financial", "programming": "technical",
    "programming-goggle": "technical", "tech": "technical",
    "security": "technical", "devops": "technical", "docs": "technical",
}  # fmt: skip


def find_category(url: str, lens: str = "") -> str:
    """Return the subject: that of the lens used in the search, else of the host."""
    if lens in _LENS_CATEGORIES:
        return _LENS_CATEGORIES[lens]
    row = _find_host_row(url)
    if row is not None:
        return row.category
    if is_public_body(url) and not _is_government_host(_find_host_name(url)):
        return "academic"
    return "technical" if find_source_type(url) == "official_docs" else "general"


# ---------------------------------------------------------------- hosts


@lru_cache(maxsize=1024)
def _find_host_row(url: str) -> hosts.HostGroup | None:
    """Return the most specific group of hosts that contains this one."""
    name = _find_host_name(url)
    if not name:
        return None
    found = [each for each in hosts.GROUPS_BY_HOST if is_under_domain(name, each)]
    return hosts.GROUPS_BY_HOST[max(found, key=len)] if found else None


def _find_host_name(url: str) -> str:
    try:
        return find_host(url)
    except ValueError:
        return ""
