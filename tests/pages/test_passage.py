"""Text of a page as it is drawn: blocks as they are meant, nothing of it a tag, what is cited and
quoted marked.
"""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from parts.session.report import evidence_pane
from parts.session.report.passage import CITED, PLAIN, QUOTED, format_pieces
from research_core.citations.cited_passages import SourceCitation
from research_core.models import Passage, ReportSource, Sentence

OURS = {"b", "mark", "pre", "span", "table", "td", "th", "tr"}


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.words = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)
        self.seen.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data


def read(markup: str) -> Reader:
    reader = Reader()
    reader.feed(markup)
    reader.close()
    assert reader.open == []
    return reader


def test_blocks_are_drawn_as_they_are_meant() -> None:
    text = (
        "## A <b>\n\n- one\n  - two\n\n| h | i |\n|---|---|\n| j | k |\n\n```\nx = 1\n```\n\nEnd."
    )
    rows = '<table class="rows"><tr><th scope="col">h</th><th scope="col">i</th></tr><tr><td>j</td><td>k</td></tr></table>'
    assert (
        format_pieces([(text, PLAIN)])
        == f"<b>A &lt;b&gt;</b>\n\n• one\n\u2003• two\n{rows}\n<pre>x = 1</pre>End.\n"
    )


def test_what_is_cited_and_quoted_is_marked_within_each_block() -> None:
    shown = format_pieces(
        [
            ("Before. ", PLAIN),
            ("# ", PLAIN),
            ("It is.\n\n| a |", CITED),
            (" b |\n\nSo.", QUOTED),
            (" After.", PLAIN),
        ]
    )
    assert "<span>It is.</span>" in shown
    assert "<td><span>a</span></td><td><mark>b</mark></td>" in shown
    assert "<mark>So.</mark> After." in shown


PIECES = st.sampled_from(
    [
        "<script>",
        "</td>",
        "&lt;",
        "| a ",
        "|\n",
        "- ",
        "# ",
        "```\n",
        "b\n",
        "\n\n",
        "|---|",
        "\u202e",
        '" onload="',
    ]
)


@given(
    st.lists(
        st.tuples(
            st.lists(PIECES).map("".join) | st.text(max_size=9),
            st.sampled_from([PLAIN, CITED, QUOTED]),
        ),
        max_size=5,
    )
)
def test_nothing_of_a_page_becomes_a_tag(pieces: list[tuple[str, int]]) -> None:
    reader = read(format_pieces(pieces))
    assert reader.seen <= OURS
    assert "\u202e" not in reader.words


def test_the_place_of_the_page_that_holds_a_sentence_is_shown_where_the_passage_does_not() -> None:
    page = "Whales are large. A <b>tagged</b> whale reached 2.05 km in 2019."
    passage = Passage("p00000001", page[:17], 0, 17)
    source = ReportSource(
        "https://sea.example.org/x", "Sea", 1, "kept", "", None, passages=(passage,)
    )
    cited = SourceCitation(
        1,
        0,
        Sentence("A tagged whale reached 2.05 km in 2019.", (passage.id,), "not found"),
        source,
        (passage,),
    )
    said = evidence_pane._format_other_places(cited, page)
    assert "Not in the cited passage, but 28% into the page:" in said
    assert "<mark>A &lt;b&gt;tagged&lt;/b&gt; whale reached 2.05 km in 2019.</mark>" in said
    assert (
        evidence_pane._format_other_places(cited, page.replace("2.05", "3.05"))
        == evidence_pane._format_other_places(cited, "")
        == ""
    )
