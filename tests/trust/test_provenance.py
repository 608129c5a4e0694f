"""Where a source comes from, in words."""

from __future__ import annotations

from typing import Any

import pytest

from research_core.models import Metadata, ReportSource
from research_core.trust import provenance
from research_core.web.metadata import classify


def source(**facts: Any) -> ReportSource:
    return ReportSource("https://www.example.org/a", "T", 1, "kept", "", None, **facts)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://www.example.org/a?b#c", "https://www.example.org/a?b#c"),
        ("https://ann:secret@example.org:8080/a@b", "https://example.org:8080/a@b"),
        ("https://ann@example.org", "https://example.org"),
        ("HTTP://Ann:a/b@c", "HTTP://Ann:a/b@c"),  # the path begins before the sign
        ("https://аpple.com/x#y", "https://xn--pple-43d.com/x#y"),
        ("https://АPPLE.com/x", "https://xn--pple-43d.com/x"),
        ("ftp://ann:secret@a b/", "ftp://a b/"),
        ("//ann:secret@example.org/", "//example.org/"),
        ("mail ann@example.org", "mail ann@example.org"),
        ("http://[::1/", "http://[::1/"),
    ],
)
def test_address_is_shown_without_a_user_and_with_the_host_that_is_asked(
    url: str, shown: str
) -> None:
    assert provenance.format_address(url) == shown


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://www.example.org/a", "www.example.org"),
        ("document:0123", "own document"),
        ("javascript:alert(1)", "no web address"),
    ],
)
def test_site_of_any_address(url: str, site: str) -> None:
    assert provenance.name_site(url) == site


@pytest.mark.parametrize(
    ("metadata", "said"),
    [
        (Metadata(), ""),
        (Metadata(authors=("Jane Doe",)), "Jane Doe"),
        (Metadata(authors=("A", "B", "C")), "A, B, C"),
        (Metadata(authors=("A", "B", "C", "D")), "A, B, C et al."),
        (Metadata(authors=("Jane Doe",), site="Harbour Notes"), "Jane Doe · Harbour Notes"),
        (Metadata(site="Harbour Notes"), "Harbour Notes"),
        (Metadata(site="Example"), ""),  # which its address says already
    ],
)
def test_a_source_s_byline_is_what_its_page_says(metadata: Metadata, said: str) -> None:
    source = ReportSource("https://www.example.org/a", "T", 1, "kept", "", None, metadata=metadata)
    assert provenance.format_byline(source) == said


def test_every_kind_of_page_has_a_word() -> None:
    said = " ".join((Metadata.__doc__ or "").split())
    named = said.partition("type: ")[2].partition(",")[0].split(" | ")
    assert set(named) == set(provenance.PAGE_KINDS)
    assert {kind for kind, _ in classify._SCHEMA_TYPES} <= set(provenance.PAGE_KINDS)
    assert [
        provenance.name_page_kind(source(metadata=Metadata(type=kind)))
        for kind in ("", "blog", "peer_reviewed")
    ] == ["", "blog", "paper"]


@pytest.mark.parametrize(
    ("published", "modified", "said"),
    [
        ("", "", ""),
        ("2024-05-01", "", "dated 2024-05-01"),
        ("2024-05-01", "2024-05-01", "dated 2024-05-01"),
        ("2024-05-01", "2024-06-02", "dated 2024-05-01, changed 2024-06-02"),
        ("", "2024-06-02", "changed 2024-06-02"),
        ("x" * 99, "", f"dated {'x' * 40}"),
    ],
)
def test_the_days_a_page_states(published: str, modified: str, said: str) -> None:
    assert (
        provenance.format_dates(source(published=published, metadata=Metadata(modified=modified)))
        == said
    )


def test_only_an_own_document_says_where_it_is_from() -> None:
    said = Metadata(canonical="https://www.nih.gov/dust")
    own = ReportSource("document:0123", "T", 1, "kept", "", None, metadata=said)
    assert (
        provenance.find_claimed_address(own),
        provenance.find_claimed_address(source(metadata=said)),
        provenance.find_claimed_address(source()),
    ) == ("https://www.nih.gov/dust", "", "")
    assert (
        provenance.describe_claimed_address(provenance.find_claimed_address(own))
        == "says it is from https://www.nih.gov/dust"
    )


def test_what_was_not_read() -> None:
    cut = "Pages 1 to 400 of 812 were read."
    assert provenance.describe_unread(source()) == ""
    assert provenance.describe_unread(source(metadata=Metadata(cut=cut))) == cut
    assert provenance.describe_unread(source(partial=True)) == provenance.THIN_TEXT
    assert provenance.describe_unread(source(metadata=Metadata(cut=cut), partial=True)) == cut
