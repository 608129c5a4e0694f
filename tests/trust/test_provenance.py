"""Where a source comes from, in words."""

from __future__ import annotations

from typing import Any

import pytest

from research_core.models import ArchivedCopy, Attempt, Metadata, ReportSource
from research_core.trust import provenance
from research_core.web.fetch import tiers
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
        ("document:0123", "library document"),
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
        == "states that it is from https://www.nih.gov/dust"
    )


def test_what_was_not_read() -> None:
    cut = "Pages 1 to 400 of 812 were read."
    assert provenance.describe_unread(source()) == ""
    assert provenance.describe_unread(source(metadata=Metadata(cut=cut))) == cut
    assert provenance.describe_unread(source(partial=True)) == provenance.THIN_TEXT
    assert provenance.describe_unread(source(metadata=Metadata(cut=cut), partial=True)) == cut


#: Attempts at a page (tier and outcome) before its archived copy was read; status and reason.
LIVE_PAGES: dict[str, tuple[list[tuple[str, str]], int | None, str]] = {
    "gone": ([("html", "HTTP 404")], 404, "the page is gone (HTTP 404)"),
    "removed": ([("html", "HTTP 410")], 410, "the page is gone (HTTP 410)"),
    "refused twice": ([("markdown", "HTTP 403"), ("html", "HTTP 403")], 403, "the site did not deliver the page (HTTP 403)"),
    "withheld": ([("html", "HTTP 451")], 451, "the site did not deliver the page (HTTP 451)"),
    "gone, other headers": ([("markdown", "HTTP 406"), ("html", "HTTP 404")], 404, "the page is gone (HTTP 404)"),
    "out of order": ([("html", "HTTP 503")], 503, "the site's server failed (HTTP 503)"),
    "a document": ([("document", "HTTP 500")], 500, "the site's server failed (HTTP 500)"),
    "no connection": ([("html", "no connection")], None, "the site could not be reached"),
    "too slow": ([("browser", "no answer in time"), ("html", "no answer in time")], None, "the site did not answer in time"),
    "says so itself": ([("html", "no copy")], None, "the page is gone"),
    "a check for robots": ([("html", "refused")], None, "the site refused access"),
    "a shell": ([("html", "no text"), ("browser", "not installed")], None, "the page has no readable text"),
    "its reader failed, then the page": ([("github", "HTTP 403"), ("html", "no connection")], None, "the site could not be reached"),
    "its reader knows": ([("arxiv", "HTTP 404")], 404, "the page is gone (HTTP 404)"),
    "read from a library": ([("library", "")], None, ""),
    "an older log": ([], None, ""),
}  # fmt: skip


@pytest.mark.parametrize("name", LIVE_PAGES)
def test_why_an_archived_copy_was_read(name: str) -> None:
    tried, status, reason = LIVE_PAGES[name]
    attempts = [*(Attempt(*each) for each in tried), Attempt("archive")]
    assert provenance.find_live_status(attempts) == status
    assert provenance.describe_live_failure(attempts) == reason
    sentence = provenance.describe_archived_page(
        ArchivedCopy("https://web.archive.org/web/2019/x", "2019-03-04"), attempts
    )
    assert sentence == (
        "The text is an archived copy of 2019-03-04 (https://web.archive.org/web/2019/x), not the"
        f" live page{': ' if reason else ''}{reason}."
    )


def test_every_failure_after_which_a_copy_is_read_has_words() -> None:
    outcomes = {tiers.OUTCOMES[kind] for kind in tiers.COPY_AFTER}
    assert outcomes == set(provenance.LIVE_FAILURES)
