"""Markdown and text as pages: whole, in blocks, and where they cannot be read a reason."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from research_core.errors import FetchError
from research_core.text.words import strip_invisible
from research_core.web.documents.plain_text import (
    MAX_TEXT,
    is_markdown,
    read_text,
    split_front_matter,
    truncate_blocks,
)
from research_core.web.documents.raw_html import drop_hidden_markdown
from research_core.web.documents.tally import (
    COMMENT,
    IN_LINK_TITLE,
    INVISIBLE_CHARACTERS,
    HiddenTextTally,
)
from tests.everyday import mark_nth_everyday
from tests.timing import check_cpu_time

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
    assert (page.title, page.final_url, page.published) == (
        "Notes on the gauge",
        "https://harbour.example.org/notes",
        "2025-09-02",
    )
    heading, paragraph, table, items = page.text.split("\n\n")
    assert (heading, paragraph) == (
        "# The gauge",
        "The gauge on the north pier was read on four mornings in May.",
    )
    assert (table, items) == ("| Mark | Offset |\n|---|---|\n| A | 14.2 |", "- one\n- two")


def test_what_a_fetched_document_says_of_its_address_is_not_believed() -> None:
    assert (
        read_text(MARKDOWN, "https://other.example.org/n.md", kind="markdown").final_url
        == "https://other.example.org/n.md"
    )


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
    assert split_front_matter(text) == (fields, rest)


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
        ("a\n\n<p hidden>\nb\n\nc", "a\n\nc"),
        ("a <span hidden>b\n\nc", "a \n\nc"),
        ("a\n\n<div hidden>\n\nb\n\n    b\n\n</div>\n\nc", "a\n\n\n\nc"),
        ("a\n<p>\n```\n<b hidden>b</b>\n```\n</p>", "a\n\n```\n\n```\n"),
        ("- a\n\n    <p hidden>b</p>\n", "- a\n\n    \n"),
        ("- ```\n<p hidden>b</p>\n", "- ```\n\n"),
        ("> ```\n<p hidden>b</p>\n", "> ```\n\n"),
        ("a\n    <p hidden>b</p>", "a\n    "),
        ("[a](u \"b\") [a](<u> 'b') [a](u (b)) [a](u)", "[a](u) [a](<u>) [a](u) [a](u)"),
        ("a ![b](u) ![b [b](b) b](u 'b') ![b][u] [![b](u)](v)", "a    [](v)"),
        ("![b] ![c]\n\n[b]: u\n'b\nb'\n", " ![c]\n\n"),
        ("<img alt='b'><br title='b'>a<td>c</td>", "\na c"),
        (
            "\\<p hidden>a &lt; <https://example.org> <me@example.org>",
            "\\<p hidden>a &lt; <https://example.org> <me@example.org>",
        ),
    ],
)
def test_hidden_markdown(markdown: str, shown: str) -> None:
    assert drop_hidden_markdown(markdown, HiddenTextTally()) == shown


@pytest.mark.parametrize(
    "markdown",
    [
        "```html\n<p hidden>a</p> <img alt='b'> &amp; <!-- c --> ![d](e 'f')\n```\n<img>",
        "~~~~\n```\n<p hidden>a</p>\n```\n~~~~\n<img>",
        "- a\n\n  ```\n  <p hidden>a</p>\n  ```\n<img>",
        "a\n\n    <p hidden>a</p>\n    [a]: b\n\n<img>",
        "`<p hidden>` and `` ` <p hidden> `` stay <img>",
        "HashMap<K, V>, Vec<String>, List<Object> and Array<Template>: x < y && y > z <img>",
        "<Foo bar='baz'> and <foo-bar/> are no elements <img>",
    ],
)
def test_code_in_markdown_stays_to_the_letter(markdown: str) -> None:
    assert drop_hidden_markdown(markdown, HiddenTextTally()) == markdown.removesuffix("<img>")


#: Made to take long: what opens and never closes, code by all lengths of its marks, containers in
#: one another.
HOSTILE = {
    "ticks": "".join("`" * n + " " for n in range(1, 900)),
    "tags": "<a " * 100_000,
    "attributes": '<a x="' * 60_000 + ">",
    "pictures": "![" * 200_000,
    "deep": "![[[" * 100_000,
    "links": "](" * 200_000,
    "titles": '](x "' * 80_000,
    "comments": "a <!-- " * 60_000,
    "quotes": "> " * 100_000 + "<p>",
    "lists": "".join(f"{'  ' * n}- <p>\n" for n in range(300)),
}


@pytest.mark.parametrize("name", mark_nth_everyday(HOSTILE, 5))
def test_markdown_made_to_take_long_does_not(name: str) -> None:
    with check_cpu_time(3):
        drop_hidden_markdown(HOSTILE[name], HiddenTextTally())


def test_text_takes_its_first_line_for_a_title() -> None:
    page = read_text("THE GAUGE\r\n\r\nIt reads high\u200b.".encode("utf-16"), "")
    assert (page.title, page.text, page.kind) == (
        "THE GAUGE",
        "THE GAUGE\n\nIt reads high.",
        "text",
    )


@pytest.mark.parametrize("body", [b"", b" \n\n ", "\u200b".encode(), b"<!-- x -->"])
def test_an_empty_document_says_so(body: bytes) -> None:
    with pytest.raises(FetchError) as failure:
        read_text(body, "", kind="markdown")
    assert failure.value.kind == "content_empty"


@given(
    st.text(max_size=300) | st.text(alphabet="-#>|`~[]()<!: \nabcdefhinprstyu='\"", max_size=300),
    st.sampled_from(["text", "markdown"]),
)
@example("---\n---\n", "markdown")
@example("<p style=>", "markdown")
@example(" 0=0\r0", "text")
def test_any_text_is_a_page_or_empty(text: str, kind: str) -> None:
    try:
        page = read_text(text.encode("utf-8", "surrogatepass"), "", kind=kind)
    except FetchError as error:
        assert error.kind == "content_empty"  # noqa: PT017 – text may be empty, and then it is
    else:
        assert (
            page.text == strip_invisible(page.text).strip("\n") != ""
        )  # a plain text keeps how far its first line stands in
        assert kind == "text" or page.text == page.text.strip()


def test_what_markdown_hides_is_counted() -> None:
    hidden = "These words were left where nobody reads."
    page = read_text(
        f"Shown.\n\n<!-- {hidden} -->\n\n<p hidden>{hidden}</p>\n\nq\u200b\u200b\u200b\u200bq".encode(),
        kind="markdown",
    )
    assert page.text == "Shown.\n\nqq"
    assert page.hidden.counts.keys() >= {COMMENT, INVISIBLE_CHARACTERS}
    assert page.hidden.total == 3


def test_what_markdown_keeps_beside_its_text_is_counted() -> None:
    words = "These words were left where nobody reads."
    page = read_text(
        f"Shown ![{words}](a) [this](b '{words}').\n\n[//]: # ({words})".encode(), kind="markdown"
    )
    assert page.text == "Shown  [this](b)."
    assert page.hidden.counts == {IN_LINK_TITLE: 3}


def test_front_matter_says_who_wrote_it() -> None:
    page = read_text(
        b"---\ntitle: A\nauthor: Jane Doe, John Roe\nupdated: 2025-01-02\n---\nWords",
        kind="markdown",
    )
    assert (page.metadata.authors, page.metadata.modified) == (
        ("Jane Doe", "John Roe"),
        "2025-01-02",
    )


def test_of_a_text_over_2_mb_it_is_said_what_was_read() -> None:
    page = read_text(b"word " * 500_000)
    assert page.metadata.cut == "The first 2 of 2.5 MB were read."
    assert read_text(b"word").metadata.cut == ""


@pytest.mark.parametrize(
    ("text", "is_it"),
    [
        ("# Title\n\nSee [this](https://example.org).", True),
        ("# Title\n\n- a\n- b\n- c\n", True),
        ("```\ncode\n```\n\n**bold**", True),
        ("| a | b |\n|---|---|\n\n## x", True),
        ("---\ntitle: a\n---\n# T", True),
        ("# one comment\nx = 1\n# another", False),
        ("- a\n- b\n- c\n", False),
        ("Plain words.", False),
        ("", False),
    ],
)
def test_markdown_is_told_by_two_signs(text: str, is_it: bool) -> None:
    assert is_markdown(text) == is_it


@pytest.mark.parametrize(
    ("blocks", "text", "cut"),
    [
        (["a", "", "b"], "a\n\nb", ""),
        ([], "", ""),
        (["a", "b" * MAX_TEXT], "a", "The first 1 characters were read."),
        (["b" * (MAX_TEXT + 1)], "b" * MAX_TEXT, "The first 2,000,000 characters were read."),
        (["b"] * 50_001, "\n\n".join(["b"] * 50_000), "The first 149,998 characters were read."),
    ],
)
def test_as_many_blocks_as_fit(blocks: list[str], text: str, cut: str) -> None:
    assert truncate_blocks(blocks) == (text, cut)
