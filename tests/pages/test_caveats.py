"""What a reader should doubt: sentences that are surer than their source, and contradictions on a
screen too narrow for a table.
"""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape

from streamlit.testing.v1 import AppTest

from parts.session.report import caveats, citation_table, prose
from research_core.citations import cited_passages
from research_core.models import Report, Sentence
from research_core.pipeline.confidence import examine
from research_core.pipeline.contradictions import compare_sources
from research_core.pipeline.methodology import is_overstated
from research_core.text.support import check_support
from tests.pipeline.test_contradictions import report as contradicting
from tests.reports import FULL_REPORT
from tests.sample_sessions import SampleSessions, shown, with_shared_components, words

SAID, HELD = (
    "The drug cures acute fever in adult patients.",
    "The drug may cure acute fever in adult patients.",
)
STATE, NOTE = check_support(SAID, [HELD])


def warned() -> Report:
    """The full report, its first cited sentence with a warning."""
    found = cited_passages.list_citations(FULL_REPORT)[0].sentence
    blocks = tuple(
        replace(
            block,
            sentences=tuple(
                replace(one, note=NOTE) if one is found else one for one in block.sentences
            ),
        )
        for block in FULL_REPORT.blocks
    )
    return replace(FULL_REPORT, blocks=blocks)


def test_only_what_is_supported_and_warned_of_is_marked() -> None:
    assert STATE == "partly"  # sessions of older rules hold such a sentence as supported
    assert "“may”" in NOTE
    assert is_overstated(Sentence("A.", ("p",), "supported", NOTE))
    assert not is_overstated(Sentence("A.", ("p",), "partly", NOTE))
    assert not is_overstated(
        Sentence("A.", ("p",), "supported", "In other words, as a language model read it: “a”.")
    )
    assert not is_overstated(Sentence("A.", ("p",), "supported"))


def test_a_warning_is_a_sign_and_a_word_in_the_text_and_one_place_to_go_to() -> None:
    built = warned()
    cited = cited_passages.list_citations(built)
    state = cited[0].sentence.state
    assert state == "supported"
    text = prose.format_report(built, cited)
    assert (
        text.count('data-also="overstated"')
        == sum(is_overstated(one.sentence) for one in cited)
        >= 1
    )
    assert "supported, its source is less sure" in text
    assert '<i class="orange">!</i>' in text
    count = sum(is_overstated(one.sentence) for one in cited)
    assert f"! {count} its source is less sure" in citation_table.format_summary(built, cited)
    assert 'data-jump="overstated"' in citation_table.format_summary(built, cited)
    assert "less sure" not in citation_table.format_summary(
        FULL_REPORT, cited_passages.list_citations(FULL_REPORT)
    )


def test_the_table_of_citations_marks_it_with_its_note_and_picks_it_out() -> None:
    def page() -> None:
        from parts.session.report import citation_table
        from research_core.citations import cited_passages
        from tests.pages.test_caveats import warned

        citation_table.draw_table(cited_passages.list_citations(warned()), ())

    at = with_shared_components(AppTest.from_function(page)).run()
    assert not at.exception
    marked = [row for row in rows(words(at)) if "! its source is less sure" in row]
    assert marked
    assert all(escape(NOTE) in row for row in marked)
    assert len(marked) < len(rows(words(at)))
    at.pills(key="only_citations").select("overstated").run()
    assert rows(words(at)) == marked


def rows(said: str) -> list[str]:
    """The rows of the table of citations."""
    return re.findall(r'<tr id="cite-.*?</tr>', said)


def test_the_pane_beside_the_text_shows_the_note_of_a_supported_sentence(
    samples: SampleSessions,
) -> None:
    from parts.session.report import evidence_pane

    cited = cited_passages.list_citations(warned())[0]
    card = evidence_pane._format_card(warned(), cited, "", 400)
    assert NOTE.replace("'", "&#x27;") in card
    assert "! its source is less sure" in card
    assert (
        "its source is less sure" not in words(shown("report.py", session=samples.answered)).lower()
    )


def test_contradictions_stand_under_each_other_too_with_what_may_explain_them() -> None:
    built = contradicting(
        "In 2016 the reef lost 41 percent of its coral cover to bleaching. <b>It</b> grew.",
        "The reef lost 15 percent of its coral cover to bleaching.",
        days=("2017-01-02", ""),
    )
    found = compare_sources(built).contradictions
    assert found
    said = caveats.format_contradictions(built, (), found)
    assert "may be of another date: only one names a year, 2016" in said
    assert said.count('<blockquote class="page">') == len(found[0].claims) == 2
    assert "published 2017-01-02 · credibility 0.70" in said
    assert "<b>It" not in said


def test_no_column_calls_a_date_a_name_or_a_denial_a_figure() -> None:
    assert caveats.list_columns()["value"]["label"] == "Statement"


def test_each_measure_of_the_computed_confidence_has_its_figure_its_level_and_why_in_that_order() -> (
    None
):
    computed = examine(FULL_REPORT).confidence
    assert computed is not None
    said = caveats.format_confidence(computed)
    assert said.count("<tr><th scope=row>") == said.count("</tr>") == len(computed.visible_lines)
    assert said.count("<td>") == 3 * len(computed.visible_lines)
    assert 'class="plain computed"' in said
    lines = [replace(line, name="gestützte Zitate der Seite") for line in computed.lines]
    german = caveats.format_confidence(replace(computed, lines=tuple(lines)))
    assert german.count(">Gestützte Zitate der Seite</th>") == len(lines)
