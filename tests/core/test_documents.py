"""PDF, Markdown and text as pages: whole, in blocks, and where they cannot be read a reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from research_core.errors import FetchError
from research_core.text import visible
from research_core.web.documents import day, front_matter, read_pdf, read_text, without_hidden_markdown

PAGES = Path(__file__).parents[1] / "replies" / "pages"
REPORT = (PAGES / "report.pdf").read_bytes()

REPORT_TEXT = "\n\n".join(
    (
        "Readings",
        "The gauge on the north pier rose by 2.4 millimetres a year between 1994 and 2023, and the rate in the last ten years was nearly "
        "twice that of the first ten. The south gauge shows the same rise within its error.",
        "Method",
        "Each gauge was levelled against three marks in the rock every second spring. Readings from storms were kept, because removing "
        "them lowers the mean.",
        "Limits",
        "A gauge measures the sea against the land. Where the land sinks, the sea seems to rise, and the two were not told apart here.",
    )
)


# ---------------------------------------------------------------- PDF


def test_a_pdf_comes_out_in_paragraphs_without_running_lines_and_page_numbers() -> None:
    page = read_pdf(REPORT, "https://harbour.example.org/report.pdf")
    assert page.text == REPORT_TEXT
    assert (page.title, page.published, page.kind) == ("Tide gauges of the north harbour", "2024-06-03", "pdf")
    assert page.final_url == "https://harbour.example.org/report.pdf"


@pytest.mark.parametrize("name", ["open-password.pdf", "open-password-aes.pdf"])
def test_a_pdf_that_anyone_may_open_is_read_though_it_is_encrypted(name: str) -> None:
    page = read_pdf((PAGES / name).read_bytes(), "")
    assert page.text == REPORT_TEXT
    assert page.title == "Readings"  # what it says of itself is gone: its first line stands for a title


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("password.pdf", "unsupported", "needs a password"),
        ("scan.pdf", "content_empty", "may be a scan"),
        ("broken.pdf", "unsupported", "is broken"),
    ],
)
def test_a_pdf_that_cannot_be_read_says_why(name: str, kind: str, words: str) -> None:
    with pytest.raises(FetchError, match=words) as failure:
        read_pdf((PAGES / name).read_bytes(), "")
    assert failure.value.kind == kind


def pdf_kind(body: bytes) -> str:
    try:
        return read_pdf(body, "").kind
    except FetchError as error:
        return error.kind


@given(st.integers(0, len(REPORT)), st.binary(max_size=40), st.integers(0, 60))
def test_a_damaged_pdf_is_read_or_refused(place: int, junk: bytes, lost: int) -> None:
    assert pdf_kind(REPORT[:place] + junk + REPORT[place + lost :]) in ("pdf", "content_empty", "unsupported", "too_large")


# ---------------------------------------------------------------- Markdown and text

MARKDOWN = b"""---
title: "Notes on the gauge"
URL: https://harbour.example.org/notes
date: 2025-09-02
---

# The gauge

The gauge on the north pier was read on four
mornings in May.

<!-- never shown -->
[//]: # (never shown either)

| Mark | Offset |
|---|---|
| A | 14.2 |

<div hidden>hidden words</div>

- one
- two
"""


def test_markdown_with_front_matter_and_without_what_it_hides() -> None:
    page = read_text(MARKDOWN, "", kind="markdown")
    assert (page.title, page.final_url, page.published) == ("Notes on the gauge", "https://harbour.example.org/notes", "2025-09-02")
    heading, paragraph, table, items = page.text.split("\n\n")
    assert (heading, paragraph) == ("# The gauge", "The gauge on the north pier was read on four mornings in May.")
    assert (table, items) == ("| Mark | Offset |\n|---|---|\n| A | 14.2 |", "- one\n- two")


def test_what_a_fetched_document_says_of_its_address_is_not_believed() -> None:
    assert read_text(MARKDOWN, "https://other.example.org/n.md", kind="markdown").final_url == "https://other.example.org/n.md"


@pytest.mark.parametrize(
    ("text", "fields", "rest"),
    [
        ("---\ntitle: a\n---\nb", {"title": "a"}, "b"),
        ("---\nTitle: a: b\n- list\n...\nb", {"title": "a: b"}, "b"),
        ("Title: a\nURL: b\n\nc", {"title": "a", "url": "b"}, "c"),
        ("---\nno end", {}, "---\nno end"),
        ("Note: no front matter\n\nb", {}, "Note: no front matter\n\nb"),
        ("Title: the only line", {}, "Title: the only line"),
        ("", {}, ""),
    ],
)
def test_front_matter(text: str, fields: dict[str, str], rest: str) -> None:
    assert front_matter(text) == (fields, rest)


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("a<!-- b -->c", "ac"),
        ("a<!-- b", "a"),
        ("[x]: https://example.org 'y'\na", "a"),
        ("[^1]: a footnote", "[^1]: a footnote"),
        ("`List<String>` stays", "`List<String>` stays"),
        ('a <span style="font-size:0">b</span>c', "a c"),
        ('x < y\n<p style="display:none">b</p>\nz', "x < y\n\nz"),
    ],
)
def test_hidden_markdown(markdown: str, shown: str) -> None:
    assert without_hidden_markdown(markdown) == shown


def test_text_takes_its_first_line_for_a_title() -> None:
    page = read_text("THE GAUGE\r\n\r\nIt reads high\u200b.".encode("utf-16"), "")
    assert (page.title, page.text, page.kind) == ("THE GAUGE", "THE GAUGE\n\nIt reads high.", "text")


@pytest.mark.parametrize("body", [b"", b" \n\n ", "\u200b".encode(), b"<!-- x -->"])
def test_an_empty_document_says_so(body: bytes) -> None:
    with pytest.raises(FetchError) as failure:
        read_text(body, "", kind="markdown")
    assert failure.value.kind == "content_empty"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("2025-03-18T09:00", "2025-03-18"),
        ("2025-03", "2025-03"),
        ("2025", "2025"),
        ("D:20240603120000Z", "2024-06-03"),
        ("20240603", "2024-06-03"),
        ("2025-13-01", "2025"),
        ("20251", ""),
        ("1850", ""),
        ("yesterday", ""),
        ("", ""),
    ],
)
def test_day(text: str, found: str) -> None:
    assert day(text) == found


@given(st.text(max_size=300) | st.text(alphabet="-#>|`~[]()<!: \nabcdefhinprstyu='\"", max_size=300), st.sampled_from(["text", "markdown"]))
@example("---\n---\n", "markdown")
@example("<p style=>", "markdown")
def test_any_text_is_a_page_or_empty(text: str, kind: str) -> None:
    try:
        page = read_text(text.encode("utf-8", "surrogatepass"), "", kind=kind)
    except FetchError as error:
        assert error.kind == "content_empty"  # noqa: PT017 – text may be empty, and then it is
    else:
        assert page.text == visible(page.text).strip() != ""
