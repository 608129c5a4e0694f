"""The Replay screen, without a browser: its timer does not fire here."""

from __future__ import annotations

import html

import pytest
import sqlalchemy as sa
from streamlit.testing.v1 import AppTest

from research_core.journal import store
from research_core.policy import RunSettings
from research_core.sessions import snapshot, timeline
from research_core.wiring import Resources
from tests.logs import ANN
from tests.sample_sessions import HOSTILE, SampleSessions, links, shown, words


def opened(session: str, **query: str) -> AppTest:
    return shown("replay.py", session=session, **query)


def now(at: AppTest) -> str:
    """The line of the event that is the latest one at this point."""
    bodies = [element.proto.body for element in at.get("html")]
    (html,) = [body for body in bodies if 'class="told steps"' in body]
    return html.partition('aria-current="step"')[2].partition("</li>")[0]


def seqs(samples: SampleSessions, session: str) -> list[int]:
    return [event.seq for event in snapshot.read_session(samples.resources, session).events]


def test_without_a_session_it_says_what_will_stand_here(resources: Resources) -> None:
    at = shown("replay.py")
    assert [title.value for title in at.title] == ["Replay"]
    assert "Step through the log of a session" in words(at)
    assert ("sessions", "Open a session") in links(at)


def test_it_opens_at_the_end(samples: SampleSessions) -> None:
    at = opened(samples.answered)
    assert at.slider(key="at").value == seqs(samples, samples.answered)[-1]
    assert "Finished" in now(at)
    assert "✓ full report" in words(at)


def test_address_names_the_point(samples: SampleSessions) -> None:
    point = seqs(samples, samples.answered)[5]
    at = opened(samples.answered, at=str(point))
    assert at.slider(key="at").value == point
    assert "● running" in words(at)


@pytest.mark.parametrize("odd", ["", "x", "-3", "0", "99999999999999999999", "²"])
def test_odd_point_in_the_address_is_some_point_of_the_log(
    samples: SampleSessions, odd: str
) -> None:
    at = opened(samples.answered, at=odd)
    assert at.slider(key="at").value in (
        seqs(samples, samples.answered)[0],
        seqs(samples, samples.answered)[-1],
    )


def test_buttons_step_along_the_events_shown(samples: SampleSessions) -> None:
    known = seqs(samples, samples.answered)
    at = opened(samples.answered, at=str(known[10]))
    for key, reached in (
        ("next", known[11]),
        ("back", known[10]),
        ("first", known[0]),
        ("back", known[0]),
        ("last", known[-1]),
    ):
        at.button(key=key).click().run()
        assert at.slider(key="at").value == reached
        assert at.query_params["at"] == str(reached)


def test_the_step_above_the_slider_has_its_number_and_its_words(samples: SampleSessions) -> None:
    known = seqs(samples, samples.answered)
    steps = timeline.list_steps(snapshot.read_session(samples.resources, samples.answered))
    at = opened(samples.answered, at=str(known[10]))
    (name,) = (
        element.proto.body for element in at.get("html") if "step-name" in element.proto.body[:20]
    )
    assert name.startswith('<p class="step-name" role="status"><b>Step 11 of ')
    assert f"of {len(steps)}</b>" in name
    assert html.escape(steps[10].text[:40]) in name
    at.button(key="play").click().run()
    (name,) = (
        element.proto.body for element in at.get("html") if "step-name" in element.proto.body[:20]
    )
    assert 'role="status"' not in name


def test_a_point_worth_going_to_is_one_choice_away(samples: SampleSessions) -> None:
    at = opened(samples.answered)
    gate = next(
        step
        for step in timeline.list_steps(snapshot.read_session(samples.resources, samples.answered))
        if step.mark == "gate"
    )
    place = next(
        n for n, option in enumerate(at.selectbox(key="point").options) if " · gate · " in option
    )
    at.selectbox(key="point").select_index(place).run()
    assert at.slider(key="at").value == gate.seq
    assert "Gate: full report" in now(at)


def test_playing_begins_at_the_start_and_can_be_paused(samples: SampleSessions) -> None:
    known = seqs(samples, samples.answered)
    at = opened(samples.answered)
    at.button(key="play").click().run()
    assert at.button(key="play").label == "Pause"
    assert at.slider(key="at").value < known[10]
    at.button(key="play").click().run()
    assert at.button(key="play").label == "Play"


def test_sources_stand_as_they_stood(samples: SampleSessions) -> None:
    at = opened(samples.answered, at=str(seqs(samples, samples.answered)[3]))
    assert not at.dataframe
    at.button(key="last").click().run()
    assert "✓ kept" in {cell[0] for cell in at.dataframe[0].value["state"]}


@pytest.mark.parametrize("status", ["queued", "running", "interrupted", "failed", "cancelled"])
def test_a_session_without_a_report_is_replayed_too(samples: SampleSessions, status: str) -> None:
    at = opened(samples.cut(status))
    assert ("Nothing has happened yet" in words(at)) == (status == "queued")
    if status != "queued":
        at.button(key="derive").click().run()
        assert "has no report to replay" in words(at)


def test_hostile_failure_stays_words(samples: SampleSessions) -> None:
    text = now(opened(samples.cut("failed")))
    assert "Failed: " in text
    assert HOSTILE not in text
    assert "<b>nothing" not in text


def test_report_derived_again_is_the_same(samples: SampleSessions) -> None:
    at = opened(samples.answered)
    at.button(key="derive").click().run()
    assert [box.value[:31] for box in at.success] == ["The same report, byte for byte "]


def test_what_is_derived_otherwise_is_listed(samples: SampleSessions) -> None:
    gated = (store.event.c.session == samples.answered, store.event.c.kind == "gated")
    with samples.resources.db.writing() as conn:
        data = conn.execute(sa.select(store.event.c.data).where(*gated)).scalar_one()
        conn.execute(
            sa.update(store.event)
            .where(*gated)
            .values(data=data.replace(b'"rationale":"', b'"rationale":"<b>Once</b> '))
        )
    at = opened(samples.answered)
    at.button(key="derive").click().run()
    assert "1 stored value differs" in words(at)
    assert "&lt;b&gt;Once&lt;/b&gt;" in words(at)


def test_session_of_another_user_is_not_there(samples: SampleSessions) -> None:
    store.create_session(
        samples.resources.db, ANN, "theirs", "Secret?", RunSettings().to_json(), 1.0
    )
    at = opened("theirs")
    assert "There is no session theirs" in words(at)
    assert "Secret" not in words(at)


def test_link_to_another_point_is_followed_after_a_visit_elsewhere(samples: SampleSessions) -> None:
    known = seqs(samples, samples.answered)
    at = opened(samples.answered, at=str(known[5]))
    at.switch_page("sessions.py").run()
    at.switch_page("replay.py")
    at.query_params.update({"session": samples.answered, "at": str(known[8])})
    at.run()
    assert at.slider(key="at").value == known[8]
