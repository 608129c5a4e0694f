"""The Gate screen, without a browser."""

from __future__ import annotations

import re

import pytest

from parts.session.gate import cards, judge_agreement
from research_core.models import Judgement, Passage, ReportSource, ScoreParts
from research_core.modes import ResearchMode
from research_core.sessions.agreement import ScorePair
from tests.sample_sessions import SampleSessions, crowded, shown, words


def test_without_a_session_it_says_what_it_is_for(samples: SampleSessions) -> None:
    assert "how relevant each page is, from 1 to 5" in words(shown("gate.py"))


def test_decision_rationale_and_the_thresholds_of_the_modes(samples: SampleSessions) -> None:
    said = words(shown("gate.py", session=samples.answered))
    (decision,) = re.findall('<p class="decision">(.*?)</p>', said)
    assert "✓ full report" in decision
    assert decision.endswith(".</bdi>")
    assert ".." not in decision
    rows = re.findall(r'scope="row">([^<]*)</th><td>([^<]*)</td><td>([^<]*)</td>', said)
    assert rows == [
        ("Full report", "4 sources", "6 ✓"),
        ("Short report", "2 sources", "6 ✓"),
    ]
    assert "7 pages read. The limit of this mode is 7.</p>" in said
    assert re.findall(r"<li><b>(\w+)</b> ([^<]*)</li>", said) == [
        ("Quick", "Full report: 3 relevant sources. Short report: 1. Page limit: 3."),
        ("Deep", "Full report: 5 relevant sources. Short report: 2. Page limit: 10."),
        ("Exhaustive", "Full report: 8 relevant sources. Short report: 3. Page limit: 40."),
    ]


@pytest.mark.parametrize(("read", "is_explained"), [(0, False), (1, False), (7, False), (9, True)])
def test_more_pages_than_the_limit_are_explained(read: int, *, is_explained: bool) -> None:
    said = cards.format_conditions(ResearchMode.from_name("standard"), 3, read)
    pages = "page" if read == 1 else "pages"
    assert f"{read} {pages} read. The limit of this mode is 7." in said
    assert ("from an earlier version and pages that you included do not count." in said) == (
        is_explained
    )


def test_every_judged_source_has_a_card_with_its_passages(samples: SampleSessions) -> None:
    said = words(shown("gate.py", session=samples.answered))
    assert said.count('<article class="card">') == 7
    assert len(re.findall(r"[1-5]/5</span>", said)) == 7
    assert said.count('✓ kept</span> <span class="score">') == 6
    assert '<blockquote class="passage">' in said


def test_no_report_says_the_reason_and_what_to_do(samples: SampleSessions) -> None:
    said = words(shown("gate.py", session=samples.unanswered))
    assert "⊘ no report" in said
    assert "<td>4 sources</td><td>0 ✕</td>" in said
    assert (
        "pages were judged and none is relevant enough. Only the sample library was searched. Add"
        in said
    )
    assert "– dropped" in said
    assert "✓ kept" not in said
    counts = r"\d+ sources found: 0 kept, \d+ dropped, \d+ blocked, \d+ not read"
    assert re.search(counts, said), "the counts add up"


def test_before_the_decision_it_says_what_it_waits_for(samples: SampleSessions) -> None:
    at = shown("gate.py", session=samples.cut("running"))
    assert "Not decided yet" in at.info[0].value
    assert "✓ kept" in words(at)


def test_before_the_first_judgement_it_says_so(samples: SampleSessions) -> None:
    at = shown("gate.py", session=samples.cut("interrupted", before="judged"))
    assert "No source was rated" in at.info[1].value


def test_card_of_a_hostile_source_draws_nothing_of_it() -> None:
    bad = '<img src=x onerror="alert(1)">'
    parts, judged = ScoreParts(0.9, "organisation", 0.7, 1.0, 0.1), Judgement("x", bad, 2, bad)
    passages = (Passage("p1", f"{bad}\n\nx", 0, 5),)
    source = ReportSource(
        "javascript:alert(1)",
        bad,
        0,
        "dropped",
        bad,
        parts,
        judged,
        passages=passages,
        published=bad,
    )
    drawn = cards._format_card(source)
    assert "<img" not in drawn
    assert "javascript:" not in drawn
    assert "&lt;img" in drawn


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ("cancelled", "Cancelled before the gate"),
        ("failed", "Failed before the gate"),
        ("interrupted", "Interrupted before the gate"),
    ],
)
def test_run_that_ended_before_the_gate_says_so(
    samples: SampleSessions, status: str, said: str
) -> None:
    at = shown("gate.py", session=samples.cut(status))
    assert said in at.info[0].value
    assert "Not decided yet" not in words(at)


def test_scores_are_a_chart_with_the_cutoff(samples: SampleSessions) -> None:
    said = words(shown("gate.py", session=samples.answered))
    assert re.search(
        r'role="img" aria-label="Sources by relevance. 1/5: \d, 2/5: \d, .*. Kept from 3."', said
    )
    assert said.count('class="kept cut"') == 1


def test_many_cards_stand_in_pages_and_fewer_are_shown_from_the_first(
    samples: SampleSessions,
) -> None:
    def count() -> int:
        return words(at).count('<article class="card">')

    at = shown("gate.py", session=crowded(samples.resources, sources=300, read=120))
    assert count() == 40
    at.session_state["gate_page"] = 3
    at.run()
    assert 0 < count() < 40
    at.pills(key="gate_scores").set_value([5, 4]).run()
    assert not at.exception
    assert at.session_state["gate_page"] == 1
    assert count() == 40


def test_cards_are_filtered_and_ordered(samples: SampleSessions) -> None:
    at = shown("gate.py", session=samples.answered)
    of_all = words(at).count('<article class="card">')
    at.pills(key="gate_scores").set_value([5]).run()
    at.selectbox(key="gate_order").set_value("site").run()
    said = words(at)
    assert 0 < said.count('<article class="card">') < of_all
    sites = re.findall(r'class="about">([^ ]*) ', said)
    assert sites == sorted(sites)
    at.pills(key="gate_only").set_value(["dropped"]).run()
    assert "No source matches these filters" in words(at)


def test_two_judges_are_compared_where_a_model_judged(samples: SampleSessions) -> None:
    judged = words(
        shown(
            "gate.py",
            session=crowded(
                samples.resources, 40, read=20, sentences=4, model="gemini:gemini-3.5-flash"
            ),
        )
    )
    assert "judged by both" in judged
    assert "Number of sources by score. Rows: gemini:gemini-3.5-flash. Columns: words." in judged
    assert re.search(r"\d/5 by the model, \d/5 by words", judged)


def test_sources_that_two_judges_part_on_draw_nothing_of_a_page() -> None:
    drawn = judge_agreement._format_disagreement(
        ScorePair("javascript:alert(1)", '<img src=x onerror="alert(1)">', 1, 5)
    )
    assert "<img" not in drawn
    assert "javascript:" not in drawn


def test_run_without_a_model_offers_no_comparison_of_judges(samples: SampleSessions) -> None:
    assert not shown("gate.py", session=samples.answered).expander
