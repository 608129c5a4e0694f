"""The text of a page as Markdown: headings, lists, tables and code keep their form, sentences stay
word for word.
"""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml.html import document_fromstring, fragment_fromstring

from research_core.text.blocks import parse_blocks
from research_core.text.words import strip_invisible
from research_core.web.html import parse
from research_core.web.html.markdown import format_tree
from research_core.web.html.mending import mend_tree
from tests.everyday import mark_nth_everyday
from tests.timing import check_cpu_time

FILLER = "The gauge on the north pier was read on four mornings in May, and the mean of the readings was taken."
LONG = (
    "It was levelled against three marks in the rock, and each time the difference was written down. "
    * 7
)


def of_tree(html: str) -> str:
    tree = fragment_fromstring(f"<div>{html}</div>")
    mend_tree(tree)
    return format_tree(tree)


def of_page(html: str) -> str:
    """What a page's article says beside the paragraphs around it."""
    around = f"<p>{FILLER}</p>"
    text = parse(
        f"<html><body><article>{around * 2}{html}{around * 4}</article></body></html>".encode()
    )["text"]
    return "\n\n".join(text.split(f"\n\n{FILLER}")).removeprefix(FILLER).strip()


TABLE = "| a | b |\n|---|---|\n| c | d |"
FORMS = [
    # paragraphs, lines, headings
    ("<p>a</p><p>b</p>", "a\n\nb"),
    ("<p>one<br>two</p>", "one\ntwo"),
    ("<p>a <b>b</b>\n <i>c</i> <a href=x>d</a> <code>e = 1</code></p>", "a b c d e = 1"),
    ("<h2>Part</h2><p>a</p><h3>Sub<br>part</h3><p>b</p>", "## Part\n\na\n\n### Sub part\n\nb"),
    ("<h1><a href=x>Linked</a></h1><p>a</p>", "# Linked\n\na"),
    ("<details><summary>More</summary><p>a</p></details>", "### More\n\na"),
    (f"<h2>{LONG}</h2><p>a</p>", f"{LONG.strip()}\n\na"),
    ("<blockquote><p>a</p><p>b</p></blockquote>", "a\n\nb"),
    ("<p>He said <q>yes</q> twice.</p>", "He said “yes” twice."),
    (
        "<p>10<sup>2</sup> and 10<sup>-3</sup>, 2010<sup>[3]</sup>, so<sup>1, 2</sup>, x<sup>th</sup>, H<sub>2</sub>O</p>",
        "10² and 10⁻³, 2010[3], so¹, ², xth, H2O",
    ),
    # lists
    ("<ul><li>a</li><li>b</li></ul>", "- a\n- b"),
    ("<ol><li>a</li><li>b</li></ol>", "1. a\n2. b"),
    ("<ol start=3><li>a</li><li value=7>b</li><li>c</li></ol>", "3. a\n7. b\n8. c"),
    ("<ol reversed><li>a</li><li>b</li></ol>", "2. a\n1. b"),
    (
        "<ul><li>a<ol><li>b</li><li>c</li></ol>d</li><li>e</li></ul>",
        "- a\n  1. b\n  2. c\n  d\n- e",
    ),
    ("<ol><li>a<ul><li>b</li></ul></li></ol>", "1. a\n   - b"),
    ("<ul><li><p>a</p><p>b</p></li><li></li></ul><p>c</p>", "- a\n  b\n\nc"),
    ("<dl><dt>a</dt><dd>b</dd><dt>c</dt><dd>d</dd></dl>", "- a\n  - b\n- c\n  - d"),
    (
        "<ul><li><h3>Card</h3><p>a</p></li><li><h3>Other</h3><p>b</p></li></ul>",
        "### Card\n\na\n\n### Other\n\nb",
    ),
    # tables
    ("<table><tr><th>a</th><th>b</th></tr><tr><td>c</td><td>d</td></tr></table>", TABLE),
    ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>", TABLE),
    ("<table><caption>Cap</caption><tr><th>a<th>b<tr><td>c<td>d</table>", f"Cap\n\n{TABLE}"),
    ("<table><tr><th colspan=2>Title<tr><th>a<th>b<tr><td>c<td>d</table>", f"Title\n\n{TABLE}"),
    ("<table><tr><td>a<td>b | e<tr><td>c<td>d</table>", "| a | b \\| e |\n|---|---|\n| c | d |"),
    (
        "<table><tr><td>a<td>b<tr><td>c<td><p>d</p><p>e<br>f</p></table>",
        "| a | b |\n|---|---|\n| c | d e f |",
    ),
    (
        "<table><tr><td>a<td>b<tr><td>c<td><ul><li>d<li>e</ul></table>",
        "| a | b |\n|---|---|\n| c | d e |",
    ),
    ("<table><tr><td>a<td><td>b<tr><td>c<td><td>d</table>", TABLE),
    (
        "<table><tr><td rowspan=2>a<td>b<td>c<tr><td>d<td>e<tr><td>f<td colspan=2>g</table>",
        "| a | b | c |\n|---|---|---|\n| a | d | e |\n| f | g |  |",
    ),
    # what tabulates nothing
    ("<table><tr><td>a<tr><td>b</table>", "a\nb"),
    ("<table><tr><td>a<td>b</table>", "a\nb"),
    (
        "<table><tr><td>a<td><table><tr><td>b<td>c<tr><td>d<td>e</table></table>",
        "a\n\n| b | c |\n|---|---|\n| d | e |",
    ),
    (
        f"<table><tr><td>a<td>{LONG}<tr><td>b<td>{LONG}</table>",
        f"a\n\n{LONG.strip()}\n\nb\n\n{LONG.strip()}",
    ),
    # code
    ("<pre>a\n  b = 1\n\nc</pre>", "```\na\n  b = 1\n\nc\n```"),
    ("<pre><code>a {\n  b\n}</code></pre>", "```\na {\n  b\n}\n```"),
    (
        "<div class=highlight><pre><span>def</span> f():\n    <b>pass</b></pre></div>",
        "```\ndef f():\n    pass\n```",
    ),
    ("<pre><div>a = 1</div><div>b</div></pre>", "```\na = 1\nb\n```"),
    ("<figure class=highlight><pre><code>a = 1</code></pre></figure>", "```\na = 1\n```"),
    (
        "<table><tr><td><pre>1\n2</pre></td><td><pre>a = 1\nb = 2</pre></td></tr></table>",
        "```\na = 1\nb = 2\n```",
    ),
    ("<pre>a<br>b = 1</pre>", "```\na\nb = 1\n```"),
    ("<pre>say ``` and ````\nx = 1</pre>", "`````\nsay ``` and ````\nx = 1\n`````"),
    (
        "<ul><li>a<pre>x = 1\ny = 2</pre></li><li>b</li></ul>",
        "- a\n\n```\nx = 1\ny = 2\n```\n\n- b",
    ),
    (
        "<pre>This was sent to the list by hand,\nand its lines were broken. It is prose.\n\nIt goes on below the blank line here.</pre>",
        "This was sent to the list by hand, and its lines were broken. It is prose.\n\nIt goes on below the blank line here.",
    ),
]


@pytest.mark.parametrize(("html", "text"), FORMS)
def test_the_text_of_a_tree(html: str, text: str) -> None:
    assert of_tree(html) == text


@pytest.mark.parametrize(("html", "text"), FORMS)
def test_the_extractor_keeps_what_the_tree_has(html: str, text: str) -> None:
    assert of_page(html) == text


def test_blocks_of_a_page_are_of_the_kinds_it_has() -> None:
    html = "<h2>H</h2><p>p</p><ul><li>l</li></ul><table><tr><td>a<td>b<tr><td>c<td>d</table><pre>x = 1</pre>"
    assert [block.kind for block in parse_blocks(of_tree(html))] == [
        "heading",
        "paragraph",
        "list",
        "table",
        "code",
    ]


TAGS = "p div h2 ul ol li dl dt dd table caption tr td th pre code blockquote q sup br details summary hr body tbody".split()
ODD = ["<td rowspan=3>", "<td colspan=9 rowspan=0>", "<ol start=9>", "a", "| b", " ", "\n", "``` c"]
PIECES = st.sampled_from([*(f"<{tag}>" for tag in TAGS), *(f"</{tag}>" for tag in TAGS), *ODD])


@given(st.lists(PIECES, max_size=40).map("".join))
def test_any_markup_is_laid_out_and_loses_no_word(html: str) -> None:
    tree = document_fromstring(f"<html><body>{html}</body></html>")
    words = Counter(c for c in tree.text_content() if c in "abc")
    mend_tree(tree)
    text = format_tree(tree)
    assert text == strip_invisible(text).strip()
    assert not words - Counter(text), "something lost"
    assert words.keys() == {c for c in text if c in "abc"}


HOSTILE = {
    "rows that span": "<table>" + "<tr>" + "<td rowspan=999>a" * 500 + "<tr><td>b" * 3_000,
    "one row": "<table><tr>" + "<td>a" * 30_000,
    "columns": "<table>" + "<tr><td colspan=999>a<td>b" * 10_000,
    "tables in tables": "<table><tr><td>a<td>b" * 10_000,
    "lists in lists": "<ul><li>a" * 10_000,
    "lines": "<p>" + "a<br>" * 60_000,
    "breaks in code": "<pre>" + "a<br>" * 60_000,
    "prose that is preformatted": "<pre>" + "It was read by hand on the pier. \n" * 30_000,
    "links of a heading to itself": "<h2>Part" + "<a href=#x>#</a>" * 10_000,
    "icons in tables in tables": "<table><tr><td><img alt=x>" * 80 + "<img alt=x>" * 10_000,
    "text between blocks": "<div>It was read by hand " * 200
    + "<div>and so on and on</div> it was read by hand and so " * 3_000,
    "loose words": "<div>" + "a b c d e f " * 10_000 + "<hr>" + "abcdefgh" * 20_000 + "</div>",
    "lists in lists in cells": "<table><tr><td>"
    + "<ul><li>a:" * 80
    + "<li><a href=x>b</a>" * 10_000,
    "formulas": "<math>" + "<mrow><mi>x</mi>" * 200 + "<msup><mi>x</mi><mn>2</mn></msup>" * 10_000,
    "formulas in one span": "<span class=katex>" + "<math><mi>x</mi></math>" * 10_000,
    "days": "<p>" + "<time>May</time>" * 20_000,
    "raised": "<p>" + "a<sup>1</sup>" * 30_000,
}


@pytest.mark.parametrize("name", mark_nth_everyday(HOSTILE, 6))
def test_hostile_trees_take_time_as_they_are_long(name: str) -> None:
    tree = document_fromstring(HOSTILE[name])
    with check_cpu_time(5):
        mend_tree(tree)
        format_tree(tree)
