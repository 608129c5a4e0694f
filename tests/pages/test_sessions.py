"""The Sessions screen, without a browser."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
import sqlalchemy as sa
from streamlit.testing.v1 import AppTest

from parts.shared.session_header import format_changes
from research_core.journal import session_admin, store
from research_core.journal.events import Draft, json_in_order
from research_core.journal.store import EventRow, Store
from research_core.policy import CredibilityPolicy, RunSettings
from research_core.sessions import (
    heartbeats,
    session_control,
    session_start,
    session_status,
)
from research_core.sessions.compare import Change
from research_core.wiring import LOCAL_USER, Resources, open_log
from tests.sample_sessions import ANSWERED, SampleSessions, keys, links, shown, words

STATUSES = ("queued", "running", "interrupted", "failed", "cancelled")


def listed(at: AppTest) -> list[str]:
    """The sessions of the list, in its order."""
    return [
        box.key.removeprefix("tick_") for box in at.checkbox if str(box.key).startswith("tick_")
    ]


def linked(at: AppTest, session: str) -> str:
    return next(
        element.proto.page
        for element in at.get("page_link")
        if element.proto.query_string == f"session={session}"
    )


def tick(at: AppTest, *sessions: str) -> AppTest:
    for session in sessions:
        at.checkbox(key=f"tick_{session}").check()
    at.run()
    assert not at.exception
    return at


def asked(resources: Resources, question: str) -> str:
    return session_start.new_session(resources, question, RunSettings())


# ---------------------------------------------------------------- the list


def test_empty_list_says_how_to_start(resources: Resources) -> None:
    at = shown("sessions.py")
    assert [title.value for title in at.title] == ["Sessions"]
    assert "A session holds one question" in words(at)
    at.button(key="ask_first").click().run()
    assert not at.exception
    assert "go" in keys(at)


@pytest.mark.parametrize(
    ("status", "word"), [("queued", "◌ waiting"), *((status, status) for status in STATUSES[1:])]
)
def test_each_status_is_said_in_a_word_and_leads_to_live(
    samples: SampleSessions, status: str, word: str
) -> None:
    session = samples.cut(status)
    at = shown("sessions.py")
    assert word in words(at)
    assert linked(at, session) == "live"


def test_finished_session_leads_to_its_report_and_says_what_it_came_to(
    samples: SampleSessions,
) -> None:
    at = shown("sessions.py")
    assert {linked(at, samples.answered), linked(at, samples.unanswered)} == {"report"}
    assert "✓ full report" in words(at)
    assert "⊘ no report" in words(at)
    assert "finished" not in words(at)


def test_sessions_at_work_stand_first_then_the_newest(samples: SampleSessions) -> None:
    running, failed = samples.cut("running"), samples.cut("failed")
    assert listed(shown("sessions.py")) == [running, failed, samples.unanswered, samples.answered]


def test_row_says_what_the_session_took(samples: SampleSessions) -> None:
    row = next(body for body in words(shown("sessions.py")).splitlines() if "full report" in body)
    for fact in ("standard", " s<", "free", "library “sample”"):
        assert fact in row


def test_row_never_shows_a_price_that_is_not_known_as_nothing(samples: SampleSessions) -> None:
    session = samples.cut("running")
    epoch = store.take_session(
        samples.resources.db,
        LOCAL_USER,
        session,
        heartbeats.make_executor_id(),
        samples.resources.clock.now(),
    )
    tally = {
        "do": "tally",
        "model_calls": 3,
        "other_calls": 2,
        "tokens": 1500,
        "cost": None,
        "seconds": 1.0,
    }
    finished = Draft("finished", {"outcome": "done", "decision": "full_report"}, str(epoch))
    open_log(samples.resources, LOCAL_USER, session, epoch=epoch).append(
        Draft("decide", tally, "tally"), finished
    )
    assert '<span class="cost">cost unknown</span>' in line_of(shown("sessions.py"), session)


def line_of(at: AppTest, session: str) -> str:
    """What stands below the name of a session in the list."""
    place = listed(at).index(session)
    return [body for body in words(at).splitlines() if 'class="facts columns"' in body][place]


@pytest.mark.parametrize(
    ("states", "fact"),
    [
        (("supported", "uncited", "supported"), ""),
        (("supported", "partly", "supported"), "◐ 2 of 3 cited sentences supported"),
        (("not found",), "◐ 0 of 1 cited sentence supported"),
        (("supported", "could not check", "uncited"), "◐ 1 of 2 cited sentences supported"),
        (("uncited",), ""),
    ],
)
def test_row_says_that_sentences_of_a_report_failed_the_check(
    samples: SampleSessions, states: tuple[str, ...], fact: str
) -> None:
    sentences = [{"text": "It is.", "citations": [], "state": one, "note": ""} for one in states]
    again = {"blocks": [{"kind": "paragraph", "level": 0, "sentences": sentences}]}
    rows = [EventRow("verified", json_in_order(again), "verified:verified:again")]
    db, now = samples.resources.db, samples.resources.clock.now()
    Store(db, LOCAL_USER, samples.answered).append(rows, {}, now)
    line = line_of(shown("sessions.py"), samples.answered)
    assert re.findall('<span class="badge orange">([^<]*)</span>', line) == [fact][: bool(fact)]


def test_row_of_an_unfinished_session_says_nothing_of_the_check(samples: SampleSessions) -> None:
    session = samples.cut("running", before="report")
    sentences = [{"text": "It is.", "citations": [], "state": "not found", "note": ""}]
    again = {"blocks": [{"kind": "paragraph", "level": 0, "sentences": sentences}]}
    rows = [EventRow("verified", json_in_order(again), "verified:verified:again")]
    db, now = samples.resources.db, samples.resources.clock.now()
    Store(db, LOCAL_USER, session, 1).append(rows, {}, now)
    assert "supported" not in line_of(shown("sessions.py"), session)


def test_row_says_how_the_session_came_from_another(samples: SampleSessions) -> None:
    rewritten = session_start.rewrite(
        samples.resources, samples.answered, RunSettings(relevance_cutoff=4)
    )
    followed = session_start.follow_up(
        samples.resources, samples.answered, "Who licenses deep-sea mining?"
    )
    settings = RunSettings.from_json(
        session_status.read_session_info(samples.resources, followed).row.settings
    )
    again = session_start.rewrite(
        samples.resources, followed, replace(settings, relevance_cutoff=4)
    )
    at = shown("sessions.py")
    came = {
        session: re.findall("↻ rewrite|↳ follow-up", line_of(at, session)) for session in listed(at)
    }
    assert came == {
        samples.answered: [], samples.unanswered: [], rewritten: ["↻ rewrite"], followed: ["↳ follow-up"], again: ["↻ rewrite"],
    }  # fmt: skip
    recent = words(shown("ask.py")).splitlines()  # a repeated question has its day, not its age
    assert sum("↻ rewrite" in body for body in recent) == 2
    assert sum("↳ follow-up" in body for body in recent) == 1
    named = dict(reversed(way) for way in links(shown("live.py", session=again)))
    assert [label for label in named if label.startswith("of the session of 20")]


def test_a_session_took_as_long_on_its_report_as_in_the_list(samples: SampleSessions) -> None:
    listed = re.search(
        r'<span class="took">(\d+\.\d s)</span>', line_of(shown("sessions.py"), samples.answered)
    )
    assert listed
    assert f"took {listed[1]} · " in words(shown("report.py", session=samples.answered))


def test_a_rewrite_keeps_the_title_of_its_session(samples: SampleSessions) -> None:
    session_control.rename(samples.resources, samples.answered, "Whales")
    new = session_start.rewrite(samples.resources, samples.answered, RunSettings(mode="quick"))
    named = session_status.read_session_info(samples.resources, new).row.title
    assert named == "Whales"


def test_sessions_on_one_question_are_told_apart_by_what_differs(samples: SampleSessions) -> None:
    strict = RunSettings(credibility=CredibilityPolicy(minimum=0.62), relevance_cutoff=4)
    first = asked(samples.resources, "Who mines the deep sea?")
    same = asked(samples.resources, "who mines  the deep sea?")
    other = session_start.new_session(samples.resources, "Who mines the deep sea?", strict)
    at = shown("sessions.py")
    texts = {session: differing(at, session) for session in (first, same, other)}
    assert texts[first] == ""
    assert texts[same].startswith("Same settings as the session of 20")
    assert texts[other].startswith("Changed since the session of 20")
    assert "Minimum relevance set by the mode → 4" in texts[other]
    assert "Minimum credibility 0.50 → 0.62" in texts[other]


def differing(at: AppTest, session: str) -> str:
    """What the row of a session says of the last one on its question."""
    place = listed(at).index(session)
    rows = [body for body in words(at).splitlines() if 'class="facts columns"' in body]
    found = re.search(r'<p class="facts differs">(.*?)</p>', rows[place])
    return found[1] if found else ""


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ([Change("Mode", "quick", "deep")], "Mode quick → deep"),
        ([Change("Instructions", "none", "x" * 41)], "Instructions"),
        ([Change("Library", "窑", "Öfen"), Change("Sites", "none", "a")], "Library 窑 → Öfen, Sites none → a"),
        ([Change(str(n), "a", "b") for n in range(5)], "0 a → b, 1 a → b, 2 a → b, 2 more"),
    ],
)  # fmt: skip
def test_changed_settings_stand_in_one_line(changes: list[Change], line: str) -> None:
    assert format_changes(changes) == line


def test_long_list_is_shown_in_pages(resources: Resources) -> None:
    made = [asked(resources, f"Question number {number}?") for number in range(27)]
    at = shown("sessions.py")
    assert listed(at) == made[:1:-1]
    at.session_state["page"] = 2
    at.run()
    assert listed(at) == [made[1], made[0]]
    at.text_input(key="words").set_value("number 2").run()
    assert listed(at) == [*made[:19:-1], made[12], made[2]]  # those with a 2


@pytest.mark.full
def test_more_sessions_than_a_list_of_the_core_holds_are_all_there(resources: Resources) -> None:
    for number in range(210):
        asked(resources, f"Question number {number}?")
    at = shown("sessions.py")
    assert "210 sessions" in words(at)
    at.text_input(key="words").set_value("number 207?").run()
    assert len(listed(at)) == 1


@pytest.mark.full
def test_question_is_the_link_until_there_is_a_title(samples: SampleSessions) -> None:
    assert ("report", ANSWERED) in links(shown("sessions.py"))
    session_control.rename(samples.resources, samples.answered, "The deep sea")
    at = shown("sessions.py")
    assert ("report", "The deep sea") in links(at)
    assert ANSWERED in words(at)


@pytest.mark.parametrize("place", ["question", "title", "tag"])
def test_hostile_words_stay_words(resources: Resources, place: str) -> None:
    hostile = "![x](http://evil.example/) :material/check: <b>bold</b>"
    session = asked(resources, hostile if place == "question" else "What is it?")
    if place == "title":
        session_control.rename(resources, session, hostile)
    if place == "tag":
        session_control.tag(resources, session, [hostile[:40], "<b>bold</b>"])
    at = tick(shown("sessions.py"), session)
    labels = (
        [label for _, label in links(at)]
        + [box.label for box in at.checkbox]
        + [m.value for m in at.markdown]
    )
    assert not [
        label
        for label in labels
        if "![" in label or "http://evil" in label or ":material/" in label
    ]
    assert "<b>bold" not in words(at)


# ---------------------------------------------------------------- finding


def test_search_filters_and_order(samples: SampleSessions) -> None:
    failed = samples.cut("failed")
    session_control.tag(samples.resources, failed, ["sea"])
    at = shown("sessions.py")
    at.text_input(key="words").set_value("deep-sea").run()
    assert listed(at) == [failed, samples.answered]
    at.selectbox(key="order").set_value("oldest").run()
    assert listed(at) == [samples.answered, failed]
    at.multiselect(key="tags").set_value(["sea"]).run()
    assert listed(at) == [failed]
    at.text_input(key="words").set_value("weddings").run()
    assert listed(at) == []
    assert "No session matches" in words(at)
    at.button(key="clear_filters").click().run()
    assert listed(at) == [samples.answered, samples.unanswered, failed]


def test_state_filter_takes_decisions_and_statuses(samples: SampleSessions) -> None:
    failed = samples.cut("failed")
    at = shown("sessions.py")
    at.session_state["states"] = ["insufficient_data", "failed"]
    at.run()
    assert listed(at) == [failed, samples.unanswered]


# ---------------------------------------------------------------- doing something to them


def test_nothing_can_be_done_before_something_is_ticked(samples: SampleSessions) -> None:
    at = shown("sessions.py")
    assert keys(at) & {"delete", "tag", "rename", "restore"} == set()
    assert "2 sessions. Select some" in words(at)


def test_rename(samples: SampleSessions) -> None:
    at = tick(shown("sessions.py"), samples.answered)
    at.button(key="rename").click().run()
    at.text_input(key=f"title_{samples.answered}").set_value(" What  mining does ")
    at.button(key="save_title").click().run()
    assert (
        session_status.read_session_info(samples.resources, samples.answered).row.title
        == "What mining does"
    )
    assert ("report", "What mining does") in links(at)
    assert "save_title" not in keys(at)


def test_tags_of_several_are_changed_together_and_keep_what_each_has_alone(
    samples: SampleSessions,
) -> None:
    session_control.tag(samples.resources, samples.answered, ["sea", "both"])
    session_control.tag(samples.resources, samples.unanswered, ["music", "both"])
    at = tick(shown("sessions.py"), samples.answered, samples.unanswered)
    at.button(key="tag").click().run()
    (box,) = [box for box in at.multiselect if str(box.key).startswith("tags_")]
    assert box.value == ["both"]
    box.set_value(["sea"])
    at.button(key="save_tags").click().run()
    assert session_status.read_session_info(samples.resources, samples.answered).row.tags == (
        "sea",
    )
    assert session_status.read_session_info(samples.resources, samples.unanswered).row.tags == (
        "music",
        "sea",
    )


def test_deletion_says_first_what_it_deletes(samples: SampleSessions) -> None:
    at = tick(shown("sessions.py"), samples.answered)
    said = words(at)
    assert f"Delete “{ANSWERED}” with its sources and report?" in said
    assert "Can be restored for 30 days." in said
    assert at.button(key="delete").label == "Delete 1 session"
    tick(at, samples.unanswered)
    assert "Delete 2 sessions with their sources and reports?" in words(at)
    assert listed(at) == [samples.unanswered, samples.answered]


def test_delete_and_undo(samples: SampleSessions) -> None:
    at = tick(shown("sessions.py"), samples.answered)
    at.button(key="delete").click().run()
    assert listed(at) == [samples.unanswered]
    assert f"Deleted “{ANSWERED}”" in words(at)
    at.button(key="undo_delete").click().run()
    assert listed(at) == [samples.unanswered, samples.answered]
    assert "undo_delete" not in keys(at)


def test_deleted_sessions_are_listed_and_restored_later(samples: SampleSessions) -> None:
    session_control.delete(samples.resources, samples.answered)
    at = shown("sessions.py")
    at.session_state["kept_or_deleted"] = "deleted"
    at.run()
    assert listed(at) == [samples.answered]
    assert "Can be restored for 30 d" in words(at)
    assert not [page for page, label in links(at) if label == ANSWERED]
    tick(at, samples.answered).button(key="restore").click().run()
    assert listed(at) == [samples.unanswered, samples.answered]


def test_last_session_deleted_leaves_a_way_back(resources: Resources) -> None:
    session = asked(resources, "What is it?")
    at = tick(shown("sessions.py"), session)
    at.button(key="delete").click().run()
    assert (listed(at), "undo_delete" in keys(at)) == ([], True)
    assert "All sessions are deleted" in words(at)


def test_two_are_compared_the_older_one_first(samples: SampleSessions) -> None:
    at = tick(shown("sessions.py"), samples.answered, samples.unanswered)
    compared = [
        element.proto.query_string
        for element in at.get("page_link")
        if element.proto.page == "compare"
    ]
    assert compared == [f"session={samples.answered}&with={samples.unanswered}"]


def test_all_of_a_page_are_ticked_at_once(samples: SampleSessions) -> None:
    at = shown("sessions.py")
    at.checkbox(key="all").check().run()
    assert [box.value for box in at.checkbox] == [True, True, True]
    at.button(key="delete").click().run()
    assert listed(at) == []
    at.button(key="undo_delete").click().run()
    assert len(listed(at)) == 2


def test_what_the_core_refuses_is_said_below_the_title(samples: SampleSessions) -> None:
    at = tick(shown("sessions.py"), samples.answered)
    at.button(key="rename").click().run()
    session_control.delete(samples.resources, samples.answered)
    at.button(key="save_title").click().run()
    assert len(at.error) == 1
    drawn = [node.type for node in at.main]
    assert drawn.index("title") < drawn.index("error")


# ---------------------------------------------------------------- where some are gone meanwhile


def test_deleting_goes_on_after_one_that_is_gone_and_can_be_undone(resources: Resources) -> None:
    made = [asked(resources, f"Question number {number}?") for number in range(3)]
    at = tick(shown("sessions.py"), *made)
    gone(resources, made[1])
    at.button(key="delete").click().run()
    assert not at.exception
    assert listed(at) == []
    assert f"There is no session {made[1]}" in words(at)
    assert "Failed for 1 of 3 sessions. The others are done." in words(at)
    at.button(key="undo_delete").click().run()
    assert listed(at) == [made[2], made[0]]


def test_file_that_cannot_be_removed_is_said_of_what_was_deleted_long_ago_and_stops_no_deletion(
    resources: Resources,
) -> None:
    old = asked(resources, "What was asked long ago?")
    session_admin.delete_session(
        resources.db, LOCAL_USER, old, resources.clock.now() - session_control.KEPT_DELETED_S - 60.0
    )
    (resources.settings.home / "reports" / f"{old}.md").mkdir(parents=True)
    made = [asked(resources, f"Question number {number}?") for number in range(3)]
    at = tick(shown("sessions.py"), *made)
    at.button(key="delete").click().run()
    assert not at.exception
    assert (listed(at), len(session_status.list_sessions(resources, deleted=True))) == ([], 3)
    assert f"{old}.md is of a session deleted long ago and cannot be removed" in words(at)
    assert "of 3 sessions" not in words(at)
    assert "undo_delete" in keys(at)


def test_restoring_goes_on_after_one_that_is_gone(resources: Resources) -> None:
    made = [asked(resources, f"Question number {number}?") for number in range(3)]
    for session in made:
        session_control.delete(resources, session)
    at = shown("sessions.py")
    at.session_state["kept_or_deleted"] = "deleted"
    at.run()
    tick(at, *made)
    gone(resources, made[1])
    at.button(key="restore").click().run()
    assert listed(at) == [made[2], made[0]]
    assert f"There is no session {made[1]}" in words(at)


def test_tagging_goes_on_after_one_that_is_gone(resources: Resources) -> None:
    made = [asked(resources, f"Question number {number}?") for number in range(3)]
    at = tick(shown("sessions.py"), *made)
    at.button(key="tag").click().run()
    next(box for box in at.multiselect if str(box.key).startswith("tags_")).set_value(["sea"])
    session_control.delete(resources, made[1])
    at.button(key="save_tags").click().run()
    assert [session_status.read_session_info(resources, made[n]).row.tags for n in (0, 2)] == [
        ("sea",),
        ("sea",),
    ]
    assert f"There is no session {made[1]}" in words(at)


def gone(resources: Resources, session: str) -> None:
    """Remove it for good, as 30 days do."""
    with resources.db.writing() as conn:
        conn.execute(sa.delete(store.session).where(store.session.c.id == session))


def test_filter_of_this_screen_is_not_the_library_of_the_other(resources: Resources) -> None:
    session_control.delete(resources, asked(resources, "What is it?"))
    at = shown("library.py")
    at.selectbox(key="shelf").set_value("sample").run()
    at.switch_page("sessions.py").run()
    assert not at.exception
    assert at.segmented_control(key="kept_or_deleted").value == "kept"
    at.segmented_control(key="kept_or_deleted").set_value("deleted").run()
    at.switch_page("library.py").run()
    assert not at.exception
    assert at.selectbox(key="shelf").value == "sample"
