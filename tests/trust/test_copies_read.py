"""What is said of a page whose text is a stored copy."""

from __future__ import annotations

from typing import Any, cast

import pytest

from research_core.models import ArchivedCopy, Attempt, Page
from research_core.tools.brand.markup import Markup
from research_core.tools.brand.pages import BrandPage
from research_core.tools.brand.research import BrandResearch
from research_core.tools.reading_notes import describe_reading
from research_core.tools.search_and_scrape import _mark_copy
from research_core.trust.provenance import describe_copies

URL = "https://a.example/"
COPY = ArchivedCopy("https://web.archive.org/web/2020/https://a.example/", "2020-03-01")
LIVE = Page(URL, URL, "T", "text", attempts=(Attempt("html"),))
ARCHIVED = Page(
    URL, URL, "T", "text", archived=COPY,
    attempts=(Attempt("html", "a.example answered 503"), Attempt("archive")),
)  # fmt: skip
EXA = Page(
    URL, URL, "T", "text",
    attempts=(Attempt("html", "a.example answered 403"), Attempt("exa:cached")),
)  # fmt: skip
CRAWLED = Page(URL, URL, "T", "text", attempts=(Attempt("exa:crawled"),))
HELD = Page(URL, URL, "T", "text", attempts=(Attempt("library"),), added="2026-11-02")
OWN = Page(
    "document:1", "document:1", "T", "text", attempts=(Attempt("library"),), added="2026-11-02"
)
OLD_LOG = Page(URL, URL, "T", "text", attempts=(Attempt("library"),))
BOTH = Page(
    URL, URL, "T", "text", archived=COPY, attempts=(Attempt("library"),), added="2026-11-02"
)


@pytest.mark.parametrize(
    ("page", "parts"),
    [
        (LIVE, []),
        (CRAWLED, []),
        (OLD_LOG, []),
        (ARCHIVED, ["an archived copy of 2020-03-01"]),
        (EXA, ["a copy stored by Exa, of an unknown day, not the live page"]),
        (HELD, ["from the library, added on 2026-11-02, not the live page."]),
        (OWN, ["from the library, added on 2026-11-02."]),
        (BOTH, ["an archived copy of 2020-03-01", "from the library, added on 2026-11-02"]),
    ],
)
def test_each_stored_copy_is_said(page: Page, parts: list[str]) -> None:
    sentences = describe_copies(page)
    assert len(sentences) == len(parts)
    for sentence, part in zip(sentences, parts, strict=True):
        assert part in sentence


@pytest.mark.parametrize(
    ("page", "extracted_by", "day", "marked"),
    [
        (ARCHIVED, "archive", "2020-03-01", "an archived copy of 2020-03-01"),
        (EXA, "exa:cached", None, "a stored copy of Exa's"),
        (HELD, "library", "2026-11-02", "from the library, added on 2026-11-02"),
        (BOTH, "archive", "2020-03-01", "an archived copy of 2020-03-01"),
    ],
)
def test_answers_name_the_copy(page: Page, extracted_by: str, day: str | None, marked: str) -> None:
    answer = describe_reading(page)
    assert (answer["extractedBy"], answer.get("snapshotDate")) == (extracted_by, day)
    assert answer["notes"]
    assert marked in _mark_copy(page)


def test_of_a_live_page_nothing_is_said() -> None:
    assert describe_reading(LIVE) == {}
    assert _mark_copy(LIVE) == ""


def test_brand_research_says_which_pages_are_copies_once() -> None:
    research = BrandResearch("a.example", cast(Any, None))
    pages = [BrandPage(URL, page, Markup(URL, "T")) for page in (LIVE, ARCHIVED, EXA, ARCHIVED)]
    research._note_copies(pages)
    archived, cached = research.notes
    assert archived.startswith(f"{URL}: The text is an archived copy of 2020-03-01")
    assert cached.startswith(f"{URL}: The text is a copy stored by Exa")
