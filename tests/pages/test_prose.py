"""The written text as HTML: what it draws of Markdown, and that nothing a model writes becomes more than words."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parts import prose
from research_core import draft
from research_core.models import Block, Passage, Report, ReportSource, Sentence
from research_core.reading import citations

PASSAGE = Passage("p0000000a", "The tide turns twice a day.", 0, 27)
SOURCE = ReportSource("https://tides.example.org/", "Tides", 1, "kept", "", None, passages=(PASSAGE,))
OURS = {"p", "h2", "h3", "h4", "ul", "li", "blockquote", "table", "tr", "td", "strong", "em", "code", "a", "i", "span"}


def report(*blocks: Block, decision: Any = "full_report") -> Report:
    return Report("s", "q", 0.0, {}, decision, "", "", "", blocks, (SOURCE,), {}, (), (), {}, {})


def drawn(*blocks: Block, **options: Any) -> str:
    built = report(*blocks, **options)
    return prose.text(built, citations(built))


def paragraph(text: str, *cited: str, state: Any = "supported", note: str = "") -> Block:
    return Block("paragraph", (Sentence(text, cited, state, note),))


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("## Main\n\nText.", "<h2>Main</h2><p>Text.</p>"),
        ("# Too big", "<h2>Too big</h2>"),
        ("##### Too small", "<h4>Too small</h4>"),
        ("- one\n- two\n\nthree", "<ul><li>one</li><li>two</li></ul><p>three</p>"),
        ("> said", "<blockquote><p>said</p></blockquote>"),
        ("**bold** and *soft* and `code`.", "<p><strong>bold</strong> and <em>soft</em> and <code>code</code>.</p>"),
        ("*One. Two.* Three.", "<p><em>One. Two.</em> Three.</p>"),
        ("2 * 3 * 4 and snake_case_name", "<p>2 * 3 * 4 and snake_case_name</p>"),
        (r"\*as it is\* and 5 \< 6", "<p>*as it is* and 5 &lt; 6</p>"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", '<table class="plain"><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table>'),
        ("## Sum\u202emary\n\nTe\u200bxt\ue0000\ue001.", "<h2>Summary</h2><p>Text0.</p>"),
        ("<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"),
        ("![x](http://evil.example/)", "<p>![x](http://evil.example/)</p>"),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"),
        ('**<b onclick="x">** "&amp;"', "<p><strong>&lt;b onclick=&quot;x&quot;&gt;</strong> &quot;&amp;amp;&quot;</p>"),
    ],
)
def test_markdown_that_is_drawn(markdown: str, html: str) -> None:
    assert drawn(*draft.parse(markdown)) == html


@pytest.mark.parametrize(
    ("state", "sign", "tone"),
    [("supported", "✓", "green"), ("partly", "◐", "orange"), ("not found", "✕", "red"), ("could not check", "?", "gray")],
)
def test_citation_carries_its_number_and_the_sign_of_its_check(state: str, sign: str, tone: str) -> None:
    html = drawn(paragraph("It turns.", PASSAGE.id, state=state))
    assert re.search(rf'It turns\. <a class="cite {tone}" href="#cite-1"[^>]*>1<i>{re.escape(sign)}</i></a>', html)


def test_sentence_that_states_a_fact_and_cites_nothing_is_marked() -> None:
    fact = paragraph("It turned in 1999.", state="uncited", note="States a figure.")
    assert "no source</span>" in drawn(fact)
    assert "no source</span>" not in drawn(fact, decision="insufficient_data")
    assert "no source</span>" not in drawn(paragraph("It turns.", state="uncited"))


def test_checks_are_counted_by_what_was_found() -> None:
    built = report(paragraph("A.", PASSAGE.id), paragraph("B.", PASSAGE.id), paragraph("C.", PASSAGE.id, state="partly"))
    line = prose.checks(citations(built))
    assert "3 citations" in line
    assert "✓ 2 supported" in line
    assert "◐ 1 partly supported" in line
    assert "not found" not in line


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


PIECES = [*"*_`#|<>&\"'[]()!\\-. a1\n\ue000\ue001", "<img src=x>", "**", "](", "p0000000a", "&lt;"]
MARKUP = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


@given(st.one_of(st.text(max_size=80), MARKUP))
def test_nothing_a_model_writes_becomes_a_tag_of_its_own(text: str) -> None:
    blocks = [replace(block, sentences=tuple(Sentence(s.text, (PASSAGE.id,)) for s in block.sentences)) for block in draft.parse(text)]
    tags = Tags()
    tags.feed(drawn(*blocks))
    assert {tag for tag, _ in tags.seen} <= OURS
    assert all((attributes["href"] or "").startswith("#cite-") for tag, attributes in tags.seen if tag == "a")
    assert not any(name.startswith("on") for _, attributes in tags.seen for name in attributes)
    assert sum(tag == "a" for tag, _ in tags.seen) <= sum(len(block.sentences) for block in blocks)
