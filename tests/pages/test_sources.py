"""The Sources screen, without a browser."""

from __future__ import annotations

import pytest

from parts import sources
from parts.badges import SOURCE
from research_core.models import Judgement, ReportSource, ScoreParts
from tests.desks import Desk, shown, words


def test_without_a_session_it_says_what_it_is_for(desk: Desk) -> None:
    assert "Here stands every source a search found" in words(shown("sources.py"))


def test_before_the_first_answer_it_says_so(desk: Desk) -> None:
    at = shown("sources.py", session=desk.cut("queued"))
    assert "No source yet" in at.info[0].value
    assert not at.dataframe


def test_every_source_stands_there_decision_first_kept_ones_first(desk: Desk) -> None:
    table = shown("sources.py", session=desk.answered).dataframe[0].value
    assert table.columns[0] == "state"
    states = [state for (state,) in table["state"]]
    kept = states.count("✓ kept")
    assert states[:kept] == ["✓ kept"] * kept
    assert list(table["number"][:kept]) == list(range(1, kept + 1))
    assert {"⊘ blocked", "○ not read"} <= set(states)
    (blocked,) = set(table.loc[[state == "⊘ blocked" for state in states], "why"].str[:20])
    assert blocked == "needs more than 0.50"


def test_score_is_shown_with_its_parts(desk: Desk) -> None:
    table = shown("sources.py", session=desk.answered).dataframe[0].value
    scored = table[table["score"].notna()]
    again = scored["domain"] * 0.4 + scored["words"] * 0.5 + scored["date"]
    assert (again - scored["score"]).abs().max() < 0.001


def test_one_decision_at_a_time(desk: Desk) -> None:
    at = shown("sources.py", session=desk.answered)
    at.get_by_key("only").set_value(["blocked"]).run()
    assert not at.exception
    assert {state for (state,) in at.dataframe[0].value["state"]} == {"⊘ blocked"}


@pytest.mark.parametrize("status", ["running", "failed", "interrupted", "cancelled"])
def test_it_shows_what_there_is_of_a_session_without_a_report(desk: Desk, status: str) -> None:
    assert len(shown("sources.py", session=desk.cut(status)).dataframe[0].value) > 7


def test_row_of_a_hostile_source_is_words_only() -> None:
    parts = ScoreParts(0.9, "organisation", 0.7, 1.0, 0.1)
    judged = Judgement("x", "x", 3, "x", scored=False)
    hostile = ReportSource("javascript:alert(1)", '=HYPERLINK("http://evil.example")\u202e', 0, "kept", "@why\nnot", parts, judged)
    row = sources._row(hostile)
    assert row["title"] == "'=HYPERLINK(\"http://evil.example\")"
    assert row["why"] == "'@why not"
    assert row["url"] is None
    assert row["relevance"] is None


def test_every_state_of_a_source_has_its_own_sign_and_word() -> None:
    assert len({badge.symbol + badge.word for badge in SOURCE.values()}) == len(SOURCE)
