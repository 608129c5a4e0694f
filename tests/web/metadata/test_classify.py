"""What kind of source a page is, what it is about and what its host weighs; by whole labels, never
by a part of an address.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.models import Metadata, Page
from research_core.web.html import parse
from research_core.web.metadata import hosts
from research_core.web.metadata.classify import (
    CATEGORIES,
    classify_page,
    find_category,
    find_host_tier,
    find_host_weight,
    find_source_type,
    is_public_body,
)

TYPES = frozenset(
    "peer_reviewed official_docs government news_publication blog forum wiki social_media".split()
)


@pytest.mark.parametrize(
    ("url", "weight", "band"),
    [
        ("https://www.nature.com/articles/x", 0.9, "high"),
        ("https://cs.stanford.edu/x", 0.9, "high"),
        ("https://www.ox.ac.uk/", 0.9, "high"),
        ("https://www.anu.edu.au/", 0.9, "high"),
        ("https://www.bfs.admin.ch/", 0.9, "high"),
        ("https://www.whitehouse.gov/", 0.9, "high"),
        ("https://health.gov.au/", 0.9, "high"),
        ("https://en.wikipedia.org/wiki/X", 0.8, "high"),
        ("https://developer.mozilla.org/", 0.8, "high"),
        ("https://www.bbc.co.uk/news", 0.7, "medium"),
        ("https://example.com/", 0.6, "medium"),
        ("https://medium.com/@x/y", 0.5, "low"),
        ("https://x.com/somebody/status/1", 0.5, "low"),
        ("https://docs.google.com/document/d/x", 0.5, "low"),
        # What a substring would have let in.
        ("https://evil.example/?x=.gov", 0.6, "medium"),
        ("https://notnature.com/", 0.6, "medium"),
        ("https://nature.com.evil.example/", 0.6, "medium"),
        ("https://evil.example/nature.com", 0.6, "medium"),
        ("https://arxiv.org@evil.example/", 0.6, "medium"),
        ("https://evil.gov.example.com/", 0.6, "medium"),
        ("https://netflix.com/", 0.6, "medium"),
        ("https://education.example.org/", 0.6, "medium"),
        ("document:" + "a" * 64, 0.6, "medium"),
        ("http://[x", 0.6, "medium"),
        ("", 0.6, "medium"),
    ],
)
def test_authority_is_of_the_host_alone(url: str, weight: float, band: str) -> None:
    assert (find_host_weight(url), find_host_tier(url)) == (weight, band)


@pytest.mark.parametrize(
    ("url", "types", "tags", "kind"),
    [
        ("https://example.com/", ["ScholarlyArticle"], [], "peer_reviewed"),
        ("https://example.com/", ["MedicalScholarlyArticle"], [], "peer_reviewed"),
        ("https://example.com/", [], ["citation_doi"], "peer_reviewed"),
        ("https://example.com/", ["NewsArticle"], ["citation_title"], "peer_reviewed"),
        ("https://example.com/", ["ReportageNewsArticle"], [], "news_publication"),
        ("https://example.com/", ["AnalysisNewsArticle"], [], "news_publication"),
        ("https://example.com/", ["BlogPosting"], [], "blog"),
        ("https://example.com/", ["TechArticle"], [], "official_docs"),
        ("https://example.com/", ["APIReference"], [], "official_docs"),
        ("https://example.com/", ["DiscussionForumPosting"], [], "forum"),
        ("https://example.com/", ["QAPage"], [], "forum"),
        ("https://example.com/", ["SocialMediaPosting"], [], "social_media"),
        ("https://example.com/", ["GovernmentOrganization"], [], "government"),
        ("https://example.com/", ["Article", "WebPage"], ["citation_x"], ""),
        ("https://en.wikipedia.org/wiki/X", ["Article"], [], "wiki"),
        ("https://www.reuters.com/", [], [], "news_publication"),
        ("https://stackoverflow.com/q/1", [], [], "forum"),
        ("https://www.reddit.com/r/x", [], [], "forum"),
        ("https://x.com/a", [], [], "social_media"),
        ("https://someone.substack.com/p/x", [], [], "blog"),
        ("https://law.cornell.edu/uscode", [], [], "government"),
        ("https://www.gov.uk/guidance", [], [], "government"),
        ("https://www.epa.gov/x", [], [], "government"),
        ("https://arxiv.org/abs/1706.03762", [], [], "peer_reviewed"),
        ("https://docs.example.com/api", [], [], "official_docs"),
        ("https://blog.example.com/x", [], [], "blog"),
        ("https://forum.example.com/x", [], [], "forum"),
        ("https://docs.example/", [], [], ""),  # its whole name, no label before one
        ("https://docs.google.com/document/d/x", [], [], ""),
        ("https://cs.stanford.edu/news", [], [], ""),  # nobody reviewed it by its being there
        ("https://example.com/", [], [], ""),
        ("http://[x", [], [], ""),
    ],
)
def test_source_types(url: str, types: list[str], tags: list[str], kind: str) -> None:
    assert find_source_type(url, types, tags) == kind


@pytest.mark.parametrize(
    ("url", "lens", "about"),
    [
        ("https://arxiv.org/abs/1", "", "academic"),
        ("https://cs.stanford.edu/x", "", "academic"),
        ("https://eur-lex.europa.eu/x", "", "legal"),
        ("https://www.nejm.org/x", "", "medical"),
        ("https://www.nih.gov/x", "", "medical"),
        ("https://www.ecb.europa.eu/x", "", "financial"),
        ("https://github.com/x/y", "", "technical"),
        ("https://docs.example.com/x", "", "technical"),
        ("https://www.epa.gov/x", "", "general"),
        ("https://example.com/", "", "general"),
        ("https://example.com/", "legal", "legal"),
        ("https://arxiv.org/abs/1", "clinical", "medical"),
        ("https://example.com/", "osint", "general"),
    ],
)
def test_categories(url: str, lens: str, about: str) -> None:
    assert find_category(url, lens) == about


def test_the_fields_of_a_page() -> None:
    page = Page(
        "https://blog.example.com/x",
        "https://blog.example.com/x",
        "T",
        "t",
        metadata=Metadata(type="news_publication"),
    )
    assert classify_page(page) == ("news_publication", "medium", "general")
    assert classify_page(Page("https://example.com/", "https://example.com/", "T", "t")) == (
        "unknown",
        "medium",
        "general",
    )


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (
            '<script type="application/ld+json">{"@type": "NewsArticle"}</script>',
            "news_publication",
        ),
        (
            '<script type="application/ld+json">{"@graph": [{"@type": "WebSite"}, {"@type": ["Article", "BlogPosting"]}]}</script>',
            "blog",
        ),
        (
            '<script type="application/ld+json">{"@type": "WebPage", "publisher": {"@type": "GovernmentOrganization"}}</script>',
            "government",
        ),
        (
            '<script type="application/ld+json">{"@type": "Organization", "subjectOf": {"@type": "ScholarlyArticle"}}</script>',
            "",
        ),
        ('<meta name="citation_journal_title" content="Journal of Tides">', "peer_reviewed"),
        ("", ""),
    ],
)
def test_a_page_s_own_markup_is_read_for_it(head: str, kind: str) -> None:
    body = f"<html><head>{head}</head><body><p>The gauge on the pier was read on four mornings in May.</p></body></html>"
    assert parse(body.encode(), "https://example.com/")["metadata"]["type"] == kind


def test_the_table_of_hosts_is_in_order() -> None:
    names = [name for row in hosts.HOST_GROUPS for name in row.names.split()]
    assert len(names) == len(set(names)), "a host stands twice"
    assert all(
        row.reason and row.type in {"", *TYPES} and row.category in CATEGORIES
        for row in hosts.HOST_GROUPS
    )
    assert all(0.5 <= row.weight <= 0.9 for row in hosts.HOST_GROUPS)
    assert all(name == name.lower() and "/" not in name and "." in name for name in names)


@given(
    st.text(max_size=80)
    | st.builds("https://{}.{}/{}".format, *[st.text("abcdefgov.-", max_size=20)] * 3)
)
def test_every_address_has_its_classes(url: str) -> None:
    assert 0.5 <= find_host_weight(url) <= 0.9
    assert find_host_tier(url) in ("high", "medium", "low")
    assert find_category(url) in CATEGORIES
    assert find_source_type(url) in {"", *TYPES}
    assert is_public_body(url) in (True, False)
