"""What kind of source a page is, what it is about, and how much weight its host carries: hints from
markup and host, no verdict.

Hosts are compared by whole labels: neither "notnature.com" nor "evil.example/?x=.gov" gains
anything. What a page says of its own type is believed, as nothing here decides whether a page is
read or kept.
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
from research_core.urls import host, under
from research_core.web.metadata import hosts

UNKNOWN = "unknown"
CATEGORIES = ("academic", "legal", "medical", "financial", "technical", "general")
#: At least this authority is high; no more than the other is low.
HIGH, LOW = 0.8, 0.5
#: The tier of universities and governments, of every country by its ending.
_PUBLIC = DEFAULT_TIERS[0].name


class Classes(NamedTuple):
    """The three fields of a tool's answer: source_type as `models.Metadata.type` or unknown; tier
    high | medium | low.
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


def classes(page: Page, lens: str = "") -> Classes:
    """Of a page that was read. Without markup its address decides."""
    return Classes(
        page.metadata.type or source_type(page.final_url) or UNKNOWN,
        tier(page.final_url),
        category(page.final_url, lens),
    )


def authority(url: str) -> float:
    """The weight of a host, 0.5 (anyone may write there) to 0.9 (universities, governments, what
    was reviewed); 0.6 where unknown.
    """
    row = _row(url)
    if row is not None:
        return row.weight
    return hosts.REVIEWED if is_public(url) else hosts.ORDINARY


def tier(url: str) -> str:
    """high | medium | low: a banding of `authority`."""
    weight = authority(url)
    return "high" if weight >= HIGH else "low" if weight <= LOW else "medium"


def is_public(url: str) -> bool:
    """Whether the host is a university's or a government's by its ending (".edu", ".gov", ".ac.uk",
    ".gov.au" …).
    """
    return assess(url, "", "").tier == _PUBLIC


def is_scholarly(page: Page) -> bool:
    """Whether a page is a paper's: by its own markup, or as one of a journal's, an index's or a
    preprint server's.
    """
    row = _row(page.final_url)
    return page.metadata.type == "peer_reviewed" or (
        row is not None and row.type == "peer_reviewed"
    )


# ---------------------------------------------------------------- source type

_TYPES = (
    ("peer_reviewed", r"(?:Medical)?ScholarlyArticle"),
    ("news_publication", r"\w*NewsArticle|LiveBlogPosting"),
    ("official_docs", r"TechArticle|APIReference"),
    ("forum", r"DiscussionForumPosting|QAPage"),
    ("blog", r"Blog|BlogPosting"),
    ("social_media", r"SocialMediaPosting"),
    ("government", r"Government\w*"),
)
#: Tags that only the page of a paper has.
_OF_PAPERS = (
    "citation_doi",
    "citation_journal_title",
    "citation_conference_title",
    "citation_pmid",
    "citation_arxiv_id",
    "citation_title",
)
#: First labels of hosts that say what they are.
_PREFIXES = {
    "docs": "official_docs", "developer": "official_docs", "developers": "official_docs",
    "blog": "blog", "blogs": "blog",
    "forum": "forum", "forums": "forum", "community": "forum", "discuss": "forum", "wiki": "wiki",
}  # fmt: skip


def source_type(url: str, types: Iterable[str] = (), tags: Collection[str] = ()) -> str:
    """The kind of source, as `models.Metadata.type`; "" where nothing says it. types: of
    schema.org; tags: names of its `meta`.

    A page at a university is of no kind by that alone: most of them were reviewed by nobody.
    """
    if any(name in tags for name in _OF_PAPERS):
        return "peer_reviewed"
    said = list(types)
    if of_markup := next(
        (kind for kind, pattern in _TYPES if any(re.fullmatch(pattern, name) for name in said)), ""
    ):
        return of_markup
    row, name = _row(url), _host(url)
    if row is not None:
        return row.type
    if is_public(url):
        return "government" if _is_government(name) else ""
    return _PREFIXES.get(name.partition(".")[0], "") if name.count(".") > 1 else ""


def _is_government(name: str) -> bool:
    *_, second, top = ("", *name.split("."))
    return top != "edu" and second not in ("edu", "ac")


# ---------------------------------------------------------------- subject

_LENSES = {
    "academic": "academic", "academic-extended": "academic", "science": "academic",
    "legal": "legal", "medical": "medical",
    "clinical": "medical", "finance": "financial", "programming": "technical",
    "programming-goggle": "technical", "tech": "technical",
    "security": "technical", "devops": "technical", "docs": "technical",
}  # fmt: skip


def category(url: str, lens: str = "") -> str:
    """The subject: that of the lens the search went through, else of the host."""
    if lens in _LENSES:
        return _LENSES[lens]
    row = _row(url)
    if row is not None:
        return row.category
    if is_public(url) and not _is_government(_host(url)):
        return "academic"
    return "technical" if source_type(url) == "official_docs" else "general"


# ---------------------------------------------------------------- hosts


@lru_cache(maxsize=1024)
def _row(url: str) -> hosts.Hosts | None:
    """The row of the longest host of the table that this one is under."""
    name = _host(url)
    found = [each for each in hosts.BY_NAME if under(name, each)] if name else []
    return hosts.BY_NAME[max(found, key=len)] if found else None


def _host(url: str) -> str:
    try:
        return host(url)
    except ValueError:
        return ""
