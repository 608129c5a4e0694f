"""The written text as HTML: what it draws of Markdown, and that nothing a model writes becomes more
than words.
"""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parts.session.activity import stages
from parts.session.report import caveats, prose
from parts.session.report.citation_table import format_summary, format_table, group_repeated
from parts.shared.html_text import escape_line
from research_core.citations.cited_passages import list_citations
from research_core.export import document
from research_core.models import Block, Passage, Report, ReportSource, Sentence
from research_core.pipeline import draft
from research_core.pipeline.backing import find_backings
from research_core.pipeline.confidence import examine
from research_core.pipeline.contradictions import Claim

PASSAGE = Passage("p0000000a", "The tide turns twice a day.", 0, 27)
SOURCE = ReportSource(
    "https://tides.example.org/", "Tides", 1, "kept", "", None, passages=(PASSAGE,)
)
OURS = {
    "p",
    "h2",
    "h3",
    "h4",
    "ul",
    "ol",
    "li",
    "blockquote",
    "table",
    "tr",
    "th",
    "td",
    "strong",
    "em",
    "code",
    "a",
    "i",
    "span",
}

TABLE = '<table class="plain" aria-label="Table in the text">'
TH = '<th scope="col">'


def report(*blocks: Block, decision: Any = "full_report") -> Report:
    return Report("s", "q", 0.0, {}, decision, "", "", "", blocks, (SOURCE,), {}, (), (), {}, {})


def drawn(*blocks: Block, **options: Any) -> str:
    built = report(*blocks, **options)
    return prose.format_report(built, list_citations(built), find_backings(built))


def paragraph(text: str, *cited: str, state: Any = "supported", note: str = "") -> Block:
    return Block("paragraph", (Sentence(text, cited, state, note),))


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("## Main\n\nText.", '<h2 id="section-0" tabindex="-1">Main</h2><p>Text.</p>'),
        ("# Too big", '<h2 id="section-0" tabindex="-1">Too big</h2>'),
        ("##### Too small", '<h4 id="section-0" tabindex="-1">Too small</h4>'),
        ("- one\n- two\n\nthree", "<ul><li>one</li><li>two</li></ul><p>three</p>"),
        ("1. one\n2. two", '<ol><li value="1">one</li><li value="2">two</li></ol>'),
        ("7) seven\n- other", '<ol><li value="7">seven</li></ol><ul><li>other</li></ul>'),
        (
            "See http://evil.example/ and www.evil.example.",
            "<p>See http://evil.example/ and www.evil.example.</p>",
        ),
        ("> said", "<blockquote><p>said</p></blockquote>"),
        (
            "**bold** and *soft* and `code`.",
            "<p><strong>bold</strong> and <em>soft</em> and <code>code</code>.</p>",
        ),
        ("*One. Two.* Three.", "<p><em>One. Two.</em> Three.</p>"),
        ("2 * 3 * 4 and snake_case_name", "<p>2 * 3 * 4 and snake_case_name</p>"),
        (r"\*as it is\* and 5 \< 6", "<p>*as it is* and 5 &lt; 6</p>"),
        (
            "| a | b |\n|---|---|\n| 1 | 2 |",
            f"{TABLE}<tr>{TH}a</th>{TH}b</th></tr><tr><td>1</td><td>2</td></tr></table>",
        ),
        (
            "|---|\n| a &lt;td> |\n| 1 |",
            f"{TABLE}<tr><td>a &amp;lt;td&gt;</td></tr><tr><td>1</td></tr></table>",
        ),
        ("| a |\n| 1 |", f"{TABLE}<tr><td>a</td></tr><tr><td>1</td></tr></table>"),
        (r"| a \| b | c |", f"{TABLE}<tr><td>a | b</td><td>c</td></tr></table>"),
        (
            "| a | b |\n|--|--|\n| 1 |",
            f"{TABLE}<tr>{TH}a</th>{TH}b</th></tr><tr><td>1</td><td></td></tr></table>",
        ),
        ("Text.\n\n|---|", "<p>Text.</p>"),
        (
            "## Sum\u202emary\n\nTe\u200bxt\ue0000\ue001.",
            '<h2 id="section-0" tabindex="-1">Summary</h2><p>Text0.</p>',
        ),
        ("<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"),
        ("![x](http://evil.example/)", "<p>![x](http://evil.example/)</p>"),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"),
        (
            '**<b onclick="x">** "&amp;"',
            "<p><strong>&lt;b onclick=&quot;x&quot;&gt;</strong> &quot;&amp;amp;&quot;</p>",
        ),
    ],
)
def test_markdown_that_is_drawn(markdown: str, html: str) -> None:
    assert drawn(*draft.parse(markdown)) == html


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("## Main\n\nText [p0000000a].", '<h3 id="section-0" tabindex="-1">Main</h3><p>Text.</p>'),
        ("- **one**\n- two [p0000000a]", "<ul><li><strong>one</strong></li><li>two</li></ul>"),
        (
            "| a |\n|---|\n| 1 [p0000000a] |",
            f"{TABLE}<tr>{TH}a</th></tr><tr><td>1</td></tr></table>",
        ),
        ("<b>x</b> and **half a", "<p>&lt;b&gt;x&lt;/b&gt; and **half a</p>"),
        ("", ""),
    ],
)
def test_text_in_the_making_is_drawn_alike_with_no_citation(markdown: str, html: str) -> None:
    assert stages.format_text(draft.parse(markdown)) == f'<div class="writing">{html}</div>'


@pytest.mark.parametrize(
    ("state", "sign", "tone"),
    [
        ("supported", "✓", "green"),
        ("partly", "◐", "orange"),
        ("not found", "✕", "red"),
        ("could not check", "?", "gray"),
    ],
)
def test_citation_carries_its_number_and_the_sign_of_its_check(
    state: str, sign: str, tone: str
) -> None:
    html = drawn(paragraph("It turns.", PASSAGE.id, state=state))
    assert re.search(
        rf'It turns\.\xa0<a class="cite {tone}" href="#cite-1"[^>]*>1<i>{re.escape(sign)}</i></a>',
        html,
    )


def test_sentence_that_states_a_fact_and_cites_nothing_is_marked() -> None:
    fact = paragraph("It turned in 1999.", state="uncited", note="States a figure.")
    assert "no source</span>" in drawn(fact)
    assert "no source</span>" not in drawn(fact, decision="insufficient_data")
    assert "no source</span>" not in drawn(paragraph("It turns.", state="uncited"))


def test_marks_of_a_row_stand_in_its_last_cell() -> None:
    html = drawn(
        *(
            Block("table", (Sentence(text, cited, "supported"),))
            for text, cited in (("| a | b |", ()), ("| 1 |", (PASSAGE.id,)))
        )
    )
    assert re.fullmatch(
        rf"{TABLE}<tr><td>a</td><td>b</td></tr><tr><td>1</td><td>\xa0<a [^>]*>1<i>✓</i></a>.*</td></tr></table>",
        html,
    )


CELLS_WITH_MARKS = [
    ("| Turns | Twice a day [p0000000a] | Never |", ["Turns", "Twice a day 1", "Never"]),
    ("| Turns | It turns. [p0000000a] | |", ["Turns", "It turns. 1", ""]),
    ("| Umkehr [p0000000a] | zweimal |", ["Umkehr 1", "zweimal"]),
    (r"| a \| b [p0000000a] | c [p0000000a] |", ["a | b 1", "c 1"]),
    ("| 转 | 每天两次。[p0000000a] | 从不 |", ["转", "每天两次。 1", "从不"]),
    ("| Turns | **Twice** [p0000000a] | `a` [p0000000a] | *b* |", ["Turns", "Twice 1", "a 1", "b"]),
]


@pytest.mark.parametrize(("row", "cells"), CELLS_WITH_MARKS)
def test_a_mark_stands_in_its_cell_on_screen_and_in_exports(row: str, cells: list[str]) -> None:
    blocks = draft.parse(row)
    checked = []
    for block in blocks:
        sentences = []
        for sentence in block.sentences:
            sentences.append(
                replace(sentence, state="supported" if sentence.citations else "uncited")
            )
        checked.append(replace(block, sentences=tuple(sentences)))
    built = report(*checked)
    read = Cells()
    read.feed(re.sub(r'<i>✓</i>|<span class="alone".*?</span>', "", drawn(*checked)))
    ((_, shown),) = read.tables[0]
    assert [" ".join(cell.split()) for cell in shown] == cells
    part, *_ = document.build_text_parts(built)
    (exported,) = part.rows
    texts = [document.join_run_text(cell) for cell in exported]
    assert [re.sub(r"\[(\d)✓\]", r"\1", text) for text in texts] == cells


LINES = st.lists(
    st.lists(
        st.sampled_from(["|", r"\|", "\\", "-", ":", " ", "a", "**b**", "`c|d`"]), max_size=8
    ).map("".join),
    max_size=5,
)


@given(LINES)
def test_screen_and_exports_read_a_table_alike(lines: list[str]) -> None:
    built = report(*draft.parse("\n".join(f"|{line}|" for line in lines)))
    exported = [
        [
            (
                bool(part.level and not number),
                [" ".join(document.join_run_text(cell).split()) for cell in row],
            )
            for number, row in enumerate(part.rows)
        ]
        for part in document.build_text_parts(built)
        if part.rows
    ]
    read = Cells()
    read.feed(prose.format_report(built, ()))
    assert [
        [(head, [" ".join(cell.split()) for cell in row]) for head, row in table]
        for table in read.tables
    ] == exported


def cited_page(text: str) -> ReportSource:
    return replace(SOURCE, passages=(Passage(PASSAGE.id, text, 0, len(text)),))


@pytest.mark.parametrize(
    ("page", "sentence", "html"),
    [
        (
            "It costs 5 **per\nmonth** here.",
            "It costs 5 **per month** here.",
            "It costs 5 **per month** here.",
        ),
        ("Set `x` to *y*.", "Set `x` to *y*, it says.", "Set `x` to *y*, it says."),
        (r"A \* star.", r"A \* star.", r"A \* star."),
        (
            "It costs 5 per month.",
            "It costs **5 per month**.",
            "It costs <strong>5 per month</strong>.",
        ),
        ("Now **5** per month.", "**Now** it is **5**.", "<strong>Now</strong> it is **5**."),
    ],
)
def test_quotation_shows_the_characters_of_the_page_and_the_model_s_own_emphasis_is_drawn(
    page: str, sentence: str, html: str
) -> None:
    built = replace(report(paragraph(sentence, PASSAGE.id)), sources=(cited_page(page),))
    assert prose.format_report(built, list_citations(built)).startswith(f"<p>{html}\xa0<a ")


def test_contents_lead_to_the_headings_of_the_text() -> None:
    blocks = draft.parse(
        "## One\n\nText.\n\n### Two **b**\n\nText.\n\n## Three\n\nText.\n\n##### Four <b>"
    )
    contents, text = prose.format_contents(report(*blocks)), drawn(*blocks)
    assert re.findall(r'class="level(\d)"><a href="#(section-\d)">(.*?)</a>', contents) == [
        ("2", "section-0", "One"), ("3", "section-1", "Two <strong>b</strong>"), ("2", "section-2", "Three"),
        ("4", "section-3", "Four &lt;b&gt;"),
    ]  # fmt: skip
    assert re.findall(r'id="(section-\d)"', text) == [f"section-{n}" for n in range(4)]
    assert prose.format_contents(report(*blocks[:4])) == ""


def test_sentence_that_rests_on_one_source_says_so() -> None:
    shown = drawn(paragraph("It turned in 1999.", PASSAGE.id))
    tooltip = 'title="No second, independent source was found for it."'
    assert f'</a>\xa0<span class="alone" {tooltip}>one source</span>' in shown


def test_checks_are_counted_and_lead_to_their_places() -> None:
    fact = Sentence("It turned in 1999.", (), "uncited", "States a figure.")
    text = Block(
        "paragraph",
        (
            Sentence("A.", (PASSAGE.id,), "supported"),
            Sentence("B.", (PASSAGE.id,), "partly", "why"),
            fact,
        ),
    )
    built = report(text, paragraph("C.", PASSAGE.id))
    line = format_summary(built, list_citations(built))
    assert "3 citations" in line
    jumps = dict(re.findall(r'data-jump="([\w ]+)"[^>]*>(.*?)</button>', line))
    assert jumps == {
        "supported": "✓ 2 supported",
        "partly": "◐ 1 partly supported",
        "uncited": "∅ 1 unsourced sentence",
    }
    html = prose.format_report(built, list_citations(built))
    assert {state: html.count(f'data-state="{state}"') for state in jumps} == {
        "supported": 2,
        "partly": 1,
        "uncited": 1,
    }


def test_a_claim_of_a_contradiction_stands_in_its_passage_and_leads_to_its_place_where_it_is_cited() -> (
    None
):
    text = "The bell rings. The tide turns\ntwice a day."
    source = replace(SOURCE, title="<b>Tides</b>", passages=(replace(PASSAGE, text=text),))
    built = replace(report(paragraph("The tide turns twice a day.", PASSAGE.id)), sources=(source,))
    told = caveats.format_claim_passage(
        built,
        list_citations(built),
        Claim("twice", 2, 2, 1, PASSAGE.id, "The tide turns twice a day."),
    )
    assert '<a href="#goto-1">' in told
    assert "&lt;b&gt;Tides" in told
    assert "The bell rings." in told
    assert "<mark>The tide turns" in told
    assert "#goto" not in caveats.format_claim_passage(
        built, list_citations(built), Claim("4", 4, 4, 1, PASSAGE.id, "It <i>never</i> turns.")
    )


def test_the_computed_confidence_is_told_line_by_line() -> None:
    built = report(paragraph("The tide turns twice a day.", PASSAGE.id))
    computed = examine(built).confidence
    assert computed is not None
    told = caveats.format_confidence(computed)
    assert told.count("<tr>") == len(computed.visible_lines)
    assert all(escape_line(line.value) in told for line in computed.visible_lines)


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


class Cells(HTMLParser):
    """tables: of each table its rows, (whether it is the head, the words of its cells)."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[list[tuple[bool, list[str]]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append((False, []))
        elif tag in ("td", "th"):
            cells = self.tables[-1][-1][1]
            cells.append("")
            self.tables[-1][-1] = (tag == "th", cells)

    def handle_data(self, data: str) -> None:
        cells = self.tables[-1][-1][1]
        cells[-1] += data


PIECES = [*"*_`#|<>&\"'[]()!\\-. a1\n\ue000\ue001", "<img src=x>", "**", "](", "p0000000a", "&lt;"]
MARKUP = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


@given(st.one_of(st.text(max_size=80), MARKUP))
def test_nothing_a_model_writes_becomes_a_tag_of_its_own(text: str) -> None:
    blocks = [
        replace(block, sentences=tuple(Sentence(s.text, (PASSAGE.id,)) for s in block.sentences))
        for block in draft.parse(text)
    ]
    tags = Tags()
    tags.feed(drawn(*blocks))
    assert {tag for tag, _ in tags.seen} <= OURS
    assert all(
        (attributes["href"] or "").startswith("#cite-")
        for tag, attributes in tags.seen
        if tag == "a"
    )
    assert not any(name.startswith("on") for _, attributes in tags.seen for name in attributes)
    assert sum(tag == "a" for tag, _ in tags.seen) <= sum(len(block.sentences) for block in blocks)
    unchecked = Tags()
    unchecked.feed(stages.format_text(blocks))
    assert {tag for tag, _ in unchecked.seen} <= (OURS | {"div"}) - {"a"}
    assert {name for _, attributes in unchecked.seen for name in attributes} <= {
        "id",
        "tabindex",
        "class",
        "aria-label",
        "scope",
        "value",
    }


@pytest.mark.parametrize(
    ("title", "heading", "label"),
    [
        ("Tides", "Tides", "From source 1:"),
        ("What is a tide?", "Tide", "From source 1:"),
        ("Marées : le guide | Exemple", "Marées : le guide", "From source 1:"),
        ("潮の満ち引き", "潮の満ち引き", "From source 1:"),
        (f"A very {'long ' * 30}title", f"A very {'long ' * 16}long …", "From source 1:"),
        ("Tides", "Why tides turn", ""),
        ("?", "Main", ""),
    ],
)
def test_a_heading_above_quotes_of_the_page_with_that_title_says_so(
    title: str, heading: str, label: str
) -> None:
    blocks = draft.parse(f"### {heading}\n\nIt turns [p0000000a].")
    built = replace(report(*blocks), sources=(replace(SOURCE, title=title),))
    found = re.findall(r'<span class="origin">(.*?)</span>', prose.format_report(built, ()))
    assert found == [label] * bool(label)


def test_a_heading_above_quotes_of_several_pages_names_a_subject() -> None:
    other = replace(SOURCE, url="https://b.example/", title="Moon", number=2)
    moon = Passage("p0000000b", "The moon pulls.", 0, 15)
    blocks = draft.parse("### Tides\n\nIt turns [p0000000a]. The moon pulls [p0000000b].")
    built = replace(report(*blocks), sources=(SOURCE, replace(other, passages=(moon,))))
    assert "From source" not in prose.format_report(built, ())


def test_a_sentence_that_is_said_again_has_one_row_and_names_who_else_states_it() -> None:
    again = (paragraph("It dived.", PASSAGE.id), paragraph("It  dived.", PASSAGE.id))
    cited = list_citations(report(*again))
    assert [one.number for one in cited] == [1, 2]
    table = format_table(group_repeated(cited), {}, {0: (3, 5)})
    assert table.count("<tr id=") == 1
    assert 'href="#goto-2">2</a>' in table
    assert "also stated in [3], [5]" in table
    other = (again[0], paragraph("It swam.", PASSAGE.id))
    table = format_table(group_repeated(list_citations(report(*other))), {}, {})
    assert table.count("<tr id=") == 2
