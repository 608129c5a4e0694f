"""The Compare screen, without a browser."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa
from streamlit.testing.v1 import AppTest

from parts.compare import score_changes, session_pair
from research_core.export import comparison
from research_core.journal import store
from research_core.policy import CredibilityPolicy, RunSettings
from research_core.sessions import (
    compare,
    heartbeats,
    runner,
    session_control,
    session_list,
    session_start,
    snapshot,
)
from research_core.wiring import Resources
from tests.logs import ANN
from tests.sample_sessions import ANSWERED, SampleSessions, crowded, links, shown, words


@pytest.fixture
def rewritten(samples: SampleSessions) -> str:
    """The answered session written again with a higher threshold."""
    run = RunSettings(credibility=CredibilityPolicy(minimum=0.7))
    new = session_start.rewrite(samples.resources, samples.answered, run)
    executor = heartbeats.make_executor_id()
    with heartbeats.keep_heartbeat(samples.resources, executor):
        assert runner.resume_or_run(samples.resources, new, executor).outcome == "done"
    return new


def compared(before: str, after: str) -> AppTest:
    return shown("compare.py", **{"session": before, "with": after})


def table(at: AppTest) -> Any:
    return at.dataframe[0].value


def test_without_a_session_it_says_what_will_stand_here(resources: Resources) -> None:
    at = shown("compare.py")
    assert [title.value for title in at.title] == ["Compare"]
    assert "See what differs between two sessions" in words(at)
    assert ("sessions", "Open a session") in links(at)


def test_without_another_one_it_offers_the_nearest_first(
    samples: SampleSessions, rewritten: str
) -> None:
    at = shown("compare.py", session=samples.answered)
    box = at.selectbox(key="other")
    assert box.value is None
    assert [option.split(" · ")[0] for option in box.options][:1] == ["Rewrite"]
    box.select_index(0).run()
    assert not at.exception
    assert at.query_params["with"] == rewritten
    assert "Minimum credibility" in words(at)


def test_differences_are_shown(samples: SampleSessions, rewritten: str) -> None:
    at = compared(samples.answered, rewritten)
    text = words(at)
    for word in (
        "<td>0.50</td>",
        "<td>0.70</td>",
        "Sources kept",
        "decision changed",
        "only before",
        "Confidence, computed",
    ):
        assert word in text, word
    assert set(table(at)["change"].map(lambda cell: cell[0])) >= {"⇄ decision changed"}
    assert "= same" not in {cell[0] for cell in table(at)["change"]}
    assert [element.proto.label for element in at.get("download_button")] == [
        "Download Markdown",
        "Download CSV",
    ]


def test_two_sessions_of_one_question_are_told_apart_by_what_differs(
    samples: SampleSessions, rewritten: str
) -> None:
    at = compared(samples.answered, rewritten)
    before, after = (
        label for url, label in links(at) if url in ("report", "live") and "credibility" in label
    )
    for label, minimum in ((before, "0.50"), (after, "0.70")):
        assert label.startswith(f"Minimum credibility {minimum} · ")
        assert " · Standard mode · 20" in label
    said = words(at)
    assert said.count(ANSWERED) == 1
    assert "Settings that differ: <b>Minimum credibility 0.50 → 0.70</b>" in said
    options = at.selectbox(key="other").options
    assert options[0].startswith("Rewrite · Minimum credibility 0.70 · ")


def test_tables_have_a_header_in_every_column(samples: SampleSessions, rewritten: str) -> None:
    drawn = [element.proto.body for element in compared(samples.answered, rewritten).get("html")]
    tables = [body for body in drawn if "<table" in body]
    assert tables
    for body in tables:
        assert "<th></th>" not in body
        assert 'tabindex="0"' in body


def test_unchanged_sources_are_shown_when_asked_for(
    samples: SampleSessions, rewritten: str
) -> None:
    at = compared(samples.answered, rewritten)
    at.session_state["changes_of_sources"] = ["same"]
    at.run()
    assert {cell[0] for cell in table(at)["change"]} == {"= same"}


def test_a_click_compares_nothing_again_until_one_of_them_moved_or_has_another_name(
    samples: SampleSessions, rewritten: str
) -> None:
    at = compared(samples.answered, rewritten)
    before, after = (
        snapshot.read_session(samples.resources, session)
        for session in (samples.answered, rewritten)
    )
    stand, name = (
        ((before.session, before.seq), (after.session, after.seq)),
        session_list.get_name(before.info.row),
    )
    nothing: Any = None  # what was made of these two is at hand, so nobody looks at them
    found, markdown, rows = session_pair._compare_sessions(
        *stand, (name, session_list.get_name(after.info.row)), nothing, nothing
    )
    assert (found, rows) == (
        compare.compare_runs(before.run, after.run),
        comparison.format_comparison_csv(found),
    )
    assert markdown.startswith(f"# {name} → ")
    session_control.rename(samples.resources, rewritten, "Under a higher threshold")
    at.run()
    assert (
        "→ Under a higher threshold"
        in session_pair._compare_sessions(
            *stand, (name, "Under a higher threshold"), nothing, nothing
        )[1]
    )
    with pytest.raises(AttributeError):
        session_pair._compare_sessions(
            stand[0],
            (after.session, after.seq + 1),
            (name, "Under a higher threshold"),
            nothing,
            nothing,
        )


def test_two_can_be_swapped(samples: SampleSessions, rewritten: str) -> None:
    at = compared(samples.answered, rewritten)
    swapped = [
        element.proto.query_string
        for element in at.get("page_link")
        if element.proto.label == "Swap"
    ]
    assert swapped == [f"session={rewritten}&with={samples.answered}"]


@pytest.mark.parametrize("status", ["queued", "running", "failed"])
def test_a_session_without_a_report_is_compared_too(samples: SampleSessions, status: str) -> None:
    other = samples.cut(status)
    for at in (compared(samples.answered, other), compared(other, samples.answered)):
        assert "Sources kept" in words(at)
        assert "not decided" in words(at)


def test_nothing_but_a_word_where_neither_found_anything(samples: SampleSessions) -> None:
    text = words(compared(samples.cut("queued"), samples.cut("queued")))
    assert "Neither session found a source." in text
    assert "Neither session has a report yet." in text
    assert "Both sessions have the same settings." in text


@pytest.mark.parametrize("other", ["0" * 32, "<b>"])
def test_an_unknown_other_session_is_said(samples: SampleSessions, other: str) -> None:
    at = compared(samples.answered, other)
    assert "There is no session" in words(at)
    assert "<b>" not in words(at)


@pytest.mark.full
def test_session_of_another_user_is_not_there(samples: SampleSessions) -> None:
    store.create_session(
        samples.resources.db, ANN, "theirs", "Secret?", RunSettings().to_json(), 1.0
    )
    at = compared(samples.answered, "theirs")
    assert "There is no session theirs" in words(at)
    assert "Secret" not in words(at)


def test_hostile_titles_stay_words(samples: SampleSessions) -> None:
    crowd = crowded(samples.resources, 12, read=6, sentences=6)
    session_control.rename(samples.resources, crowd, "![x](http://evil.example/) <b>bold</b>")
    at = compared(samples.answered, crowd)
    labels = [label for _, label in links(at)]
    assert not [label for label in labels if "![" in label]
    options = list(at.selectbox(key="other").options)  # which are shown as plain text
    assert [option for option in options if "![x](http://evil.example/) <b>bold</b>" in option]
    labels += options
    assert ANSWERED in words(at) or any(ANSWERED in label for label in labels)


def test_scores_that_moved_are_drawn(samples: SampleSessions) -> None:
    one, alike, other = (crowded(samples.resources, 30, read=20, sentences=10) for _ in range(3))
    assert not compared(one, alike).get("plotly_chart")
    with (
        samples.resources.db.writing() as conn
    ):  # before anybody has looked at it: the process holds what it has read of a session
        judged = (store.event.c.session == other, store.event.c.kind == "judged")
        for row in conn.execute(
            sa.select(store.event.c.seq, store.event.c.data).where(*judged)
        ).all():
            data = row.data.replace(b'"score":3', b'"score":4')
            conn.execute(
                sa.update(store.event)
                .where(*judged, store.event.c.seq == row.seq)
                .values(data=data)
            )
    (chart,) = compared(one, other).get("plotly_chart")
    assert "Relevance before and after: " in str(chart.proto)


def test_a_chart_joins_each_pair_of_scores_and_keeps_titles_words() -> None:
    drawn = score_changes.build_figure(
        "Credibility", (0.0, 1.0), [("<b>A</b>", 0.2, 0.7), ("B", 0.6, 0.5)], "dark"
    )
    assert [trace["x"] for trace in drawn["data"]] == [[0.2, 0.6], [0.7, 0.5]]
    assert [(line["x0"], line["x1"]) for line in drawn["layout"]["shapes"]] == [
        (0.2, 0.7),
        (0.6, 0.5),
    ]
    assert drawn["layout"]["yaxis"]["ticktext"][0] == "&lt;b>A&lt;/b>"
