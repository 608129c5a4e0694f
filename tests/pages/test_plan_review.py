"""The plan that waits for approval under Activity, without a browser."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from parts.ask import prefill
from parts.shared.badges import SESSION_BADGES
from research_core.policy import RunSettings
from research_core.sessions import (
    heartbeats,
    plan_approval,
    runner,
    session_start,
    session_status,
)
from research_core.sessions.workers import WorkerEngine
from research_core.wiring import LOCAL_USER, Resources, open_log
from tests.sample_sessions import ANSWERED, keys, links, shown, words

BUTTONS = {"approve_plan", "reset_plan", "cancel", "add_queries", "add_sub_questions"}


@pytest.fixture
def waiting(resources: Resources) -> str:
    """A session whose plan waits."""
    session = session_start.new_session(resources, ANSWERED, RunSettings(review_plan=True))
    executor = heartbeats.make_executor_id()
    assert runner.resume_or_run(resources, session, executor).outcome == "waiting"
    return session


def read_status(resources: Resources, session: str) -> str:
    return session_status.read_session_info(resources, session).status


def list_lines(at: AppTest, name: str) -> list[str]:
    """Return the texts in the fields of a list."""
    return [field.value for field in at.text_input if field.key.startswith(f"plan_{name}_")]


def read_approved(resources: Resources, session: str) -> tuple[list[str], list[str]]:
    (command,) = open_log(resources, LOCAL_USER, session).read(kinds=("command",))
    return command.data["queries"], command.data["sub_questions"]


def test_waiting_session_shows_its_plan_in_fields(resources: Resources, waiting: str) -> None:
    at = shown("live.py", session=waiting)
    plan = plan_approval.read_proposed_plan(resources, waiting)
    said = words(at)
    assert "Approve the plan" in said
    assert "Nothing is searched until you start." in said
    assert plan.strategy in said
    assert f"<b>Question, always searched:</b> {ANSWERED}" in said
    assert SESSION_BADGES["waiting"].word in said
    assert list_lines(at, "queries") == list(plan.queries)
    assert keys(at) >= BUTTONS
    assert keys(at).isdisjoint({"stop", "tell", "resume"})
    assert {field.proto.max_chars for field in at.text_input} == {plan.limits.query_length}


def test_plan_is_edited_and_started(
    resources: Resources, waiting: str, engine: WorkerEngine
) -> None:
    at = shown("live.py", session=waiting)
    first, second = (field for field in at.text_input if field.key.startswith("plan_queries_"))
    second.set_value("plumes and fish").run()
    at.button(key=f"remove_queries_{first.key.rpartition('_')[2]}").click().run()
    at.button(key="add_sub_questions").click().run()
    (added,) = (field for field in at.text_input if field.key.startswith("plan_sub_questions_"))
    added.set_value("Which fish live there?").run()
    assert list_lines(at, "queries") == ["plumes and fish"]
    at.button(key="approve_plan").click().run()
    assert not at.exception
    assert read_approved(resources, waiting) == (["plumes and fish"], ["Which fish live there?"])
    assert read_status(resources, waiting) != "waiting"
    assert "approve_plan" not in keys(at)


def test_reset_brings_the_proposed_plan_back(resources: Resources, waiting: str) -> None:
    at = shown("live.py", session=waiting)
    proposed = list_lines(at, "queries")
    for field in list(at.text_input):
        field.set_value("something else").run()
    at.button(key="add_sub_questions").click().run()
    at.button(key="reset_plan").click().run()
    assert list_lines(at, "queries") == proposed
    assert list_lines(at, "sub_questions") == []


def test_no_more_fields_than_the_mode_uses(resources: Resources, waiting: str) -> None:
    at = shown("live.py", session=waiting)
    assert at.button(key="add_queries").disabled
    for _ in range(5):
        assert not at.button(key="add_sub_questions").disabled
        at.button(key="add_sub_questions").click().run()
    assert at.button(key="add_sub_questions").disabled
    assert "5 of at most 5" in words(at)


def test_fields_left_empty_are_left_out(
    resources: Resources, waiting: str, engine: WorkerEngine
) -> None:
    at = shown("live.py", session=waiting)
    for field in list(at.text_input):
        field.set_value("  ").run()
    at.button(key="approve_plan").click().run()
    assert read_approved(resources, waiting) == ([], [])


def test_second_tab_is_told_that_the_first_decided(
    resources: Resources, waiting: str, engine: WorkerEngine
) -> None:
    at = shown("live.py", session=waiting)
    for field in list(at.text_input):
        field.set_value("").run()
    proposed = list(plan_approval.read_proposed_plan(resources, waiting).queries)
    plan_approval.approve_plan(resources, waiting)
    at.button(key="approve_plan").click().run()
    assert "already approved; the first approval counts" in at.error[0].value
    assert read_approved(resources, waiting)[0] == proposed


def test_waiting_session_is_cancelled(
    resources: Resources, waiting: str, engine: WorkerEngine
) -> None:
    at = shown("live.py", session=waiting)
    at.button(key="cancel").click().run()
    assert read_status(resources, waiting) == "cancelled"
    assert "resume" in keys(at)


HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "</p><h1>Done</h1>",
    "<b>bold</b>",
    '<a href="http://evil.example/">seals</a>',
)


@pytest.mark.parametrize("line", HOSTILE)
def test_words_of_a_plan_are_never_markup(resources: Resources, line: str) -> None:
    question = f"What is known of {line}?"
    session = session_start.new_session(resources, question, RunSettings(review_plan=True))
    runner.resume_or_run(resources, session, heartbeats.make_executor_id())
    assert line not in words(shown("live.py", session=session))


@pytest.mark.parametrize("page", ["sources.py", "replay.py", "compare.py"])
def test_other_screens_open_for_a_waiting_session(
    resources: Resources, waiting: str, page: str
) -> None:
    at = shown(page, session=waiting)
    assert not at.error


def test_other_screens_say_that_it_waits(resources: Resources, waiting: str) -> None:
    (states,) = shown("sessions.py").get("button_group")
    assert "waiting for approval 1" in str(states.proto)
    assert "approve the plan under Activity" in words(shown("gate.py", session=waiting))
    at = shown("report.py", session=waiting)
    assert "The plan waits for your approval" in words(at)
    assert ("live", "Review the plan") in links(at)


# ---------------------------------------------------------------- on Ask


def test_ask_offers_the_step_unticked_and_a_link_ticks_it(resources: Resources) -> None:
    assert not shown("ask.py").checkbox(key="review_plan").value
    assert shown("ask.py", plan="1").checkbox(key="review_plan").value
    assert not shown("ask.py", plan="0").checkbox(key="review_plan").value
    at = shown("ask.py", plan="yes")
    assert "The link's value for plan is invalid: “yes”" in at.warning[0].value
    assert prefill.build_link({"review_plan": True}) == "?plan=1"
    assert prefill.build_link({"review_plan": False, "minimum": 0.0}) == "?minimum=0"


def test_ask_starts_a_session_that_waits(resources: Resources, engine: WorkerEngine) -> None:
    at = shown("ask.py", q=ANSWERED, plan="1")
    at.button(key="go").click().run()
    (info,) = session_status.list_sessions(resources)
    assert info.row.settings["review_plan"]


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("GEMINI_API_KEY", "not-a-real-key-0123")
    return "not-a-real-key-0123"


def test_step_is_off_where_the_model_chooses_as_it_goes(key: str, resources: Resources) -> None:
    at = shown("ask.py", plan="1")
    at.radio(key="strategy").set_value("agentic").run()
    assert at.checkbox(key="review_plan").disabled
