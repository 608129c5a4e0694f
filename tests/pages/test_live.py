"""The Live screen, without a browser: a session in every state it can be in, and what can be done
to it there.
"""

from __future__ import annotations

import re

import pytest

from parts.session.activity import stages
from parts.shared import watch, wording
from parts.shared.badges import SESSION_BADGES
from research_core.journal import store
from research_core.journal.events import Draft
from research_core.models import DECISION_STATES, Principal
from research_core.modes import ResearchMode
from research_core.policy import CHECKED, Caps, RunSettings
from research_core.sessions import (
    heartbeats,
    session_control,
    session_start,
    session_status,
    snapshot,
)
from research_core.sessions.snapshot import GateOutlook
from research_core.sessions.spending import Elapsed, SessionUsage
from research_core.sessions.tool_calls import ToolCaller
from research_core.sessions.workers import WorkerEngine
from research_core.wiring import LOCAL_USER, default_resources, open_log
from tests.sample_sessions import ANSWERED, SampleSessions, keys, links, shown, words


def test_without_a_session_it_says_what_it_is_for(samples: SampleSessions) -> None:
    at = shown("live.py")
    assert [title.value for title in at.title] == ["Activity"]
    assert "Follow a session: searches" in words(at)
    assert ("", "Ask a question") in links(at)
    assert not at.dataframe


@pytest.mark.parametrize("page", ["live.py", "sources.py", "gate.py", "report.py"])
def test_unknown_session_is_said_with_the_next_step(samples: SampleSessions, page: str) -> None:
    at = shown(page, session="0123abcd")
    assert "There is no session 0123abcd" in at.error[0].value
    assert "Next step:" in words(at)
    assert ("sessions", "Open a session") in links(at)


def test_running_session_shows_stages_sources_and_what_happened(samples: SampleSessions) -> None:
    at = shown("live.py", session=samples.cut("running"))
    said = words(at)
    assert [title.value for title in at.title] == [ANSWERED]
    assert "● running" in said
    assert said.count('aria-current="step"') == 3  # search, read and judge run side by side
    assert "<b>7</b> read" in said
    assert "library: 10 results for" in said
    assert keys(at) == {"stop", "cancel", "tell"}
    assert "✓ kept" in at.dataframe[0].value["state"].iloc[0]


def test_source_on_its_way_says_how_far_it_is(samples: SampleSessions) -> None:
    states = {
        state
        for (state,) in shown("live.py", session=samples.cut("running", before="judged"))
        .dataframe[0]
        .value["state"]
    }
    assert {"◑ being judged", "⊘ blocked"} <= states
    assert "✓ kept" not in states
    assert "○ not read" not in states


def test_waiting_session_can_be_cancelled_and_has_nothing_to_write_from(
    samples: SampleSessions,
) -> None:
    at = shown("live.py", session=samples.cut("queued"))
    assert "No worker is running. Start one with `python3 run.py worker`." in words(at)
    assert at.button(key="stop").disabled
    assert not at.button(key="cancel").disabled


@pytest.fixture
def serving(samples: SampleSessions, monkeypatch: pytest.MonkeyPatch) -> SampleSessions:
    """The same sessions on a server that runs sessions itself."""
    samples.resources.close()
    monkeypatch.delenv("ASSAY_WORKER_ONLY")
    default_resources.cache_clear()
    return SampleSessions(default_resources(), samples.answered, samples.unanswered)


@pytest.mark.full
@pytest.mark.parametrize(("of_ben", "full"), [(3, True), (2, False)])
def test_waiting_session_says_that_the_server_is_full_whoever_fills_it(
    serving: SampleSessions, of_ben: int, full: bool
) -> None:
    resources, ben, executor = (
        serving.resources,
        Principal("local", "ben"),
        heartbeats.make_executor_id(),
    )
    heartbeats.record_beat(resources.db, executor, resources.clock.now() + 600)
    for _ in range(of_ben):
        session = session_start.new_session(resources, "What does Ben ask?", RunSettings(), who=ben)
        store.take_session(resources.db, ben, session, executor, resources.clock.now())
    serving.cut("running")
    said = words(shown("live.py", session=serving.cut("queued")))
    assert "◌ waiting" in said
    assert ("This server runs 4 sessions at once. This one starts when one ends." in said) == full
    assert "Ben" not in said


def test_an_interrupted_session_resumes_soon_where_the_server_runs_sessions(
    serving: SampleSessions,
) -> None:
    said = words(shown("sources.py", session=serving.cut("interrupted")))
    assert "‖ interrupted</span></span> Resumes in a few seconds." in said


def test_failed_session_says_why_and_resumes(samples: SampleSessions) -> None:
    at = shown("live.py", session=samples.cut("failed"))
    assert at.error[0].value == r"The model answers \<b\>nothing\</b\> ."
    assert "**Next step:** Resume later." in words(at)
    assert keys(at) == {"resume"}


#: The failure of a run's model by role, the button that goes on, and the models from then on.
REFUSED_ROLES = [
    ({"type": "ModelError"}, "Continue without a language model", ("offline", "", "")),
    (
        {"type": "ModelRefused", "role": "model"},
        "Continue without a language model",
        ("offline", "", ""),
    ),
    (
        {"type": "ModelRefused", "role": "judge"},
        "Judge without a language model",
        ("gemini:gone", "gemini:w", "offline"),
    ),
    (
        {"type": "ModelRefused", "role": "writer"},
        "Write without a language model",
        ("gemini:gone", "offline", "gemini:j"),
    ),
]


@pytest.mark.parametrize(("failed", "label", "models"), REFUSED_ROLES)
def test_where_a_model_failed_another_one_can_go_on(
    samples: SampleSessions,
    engine: WorkerEngine,
    failed: dict[str, str],
    label: str,
    models: tuple[str, str, str],
) -> None:
    run = RunSettings(model="gemini:gone", writer="gemini:w", judge="gemini:j")
    session = session_start.new_session(samples.resources, ANSWERED, run)
    epoch = store.take_session(samples.resources.db, LOCAL_USER, session, "one", 0.0)
    created = {"question": ANSWERED, "settings": run.to_json(), "session": session}
    failure = {"error": "The key is refused.", "next_step": "Check it.", **failed}
    open_log(samples.resources, LOCAL_USER, session, epoch=epoch).append(
        Draft("created", created, "created"), Draft("failed", failure, str(epoch))
    )
    at = shown("live.py", session=session)
    assert keys(at) == {"resume", "other-offline"}
    assert at.button(key="other-offline").label == label
    at.button(key="other-offline").click().run()
    assert not at.exception
    (new,) = [at.query_params["session"]]
    assert new != session
    row = store.find_session(samples.resources.db, LOCAL_USER, new)
    changed = RunSettings.from_json(row.settings)
    assert (row.question, changed.model, changed.writer, changed.judge) == (ANSWERED, *models)
    assert session_status.read_session_info(samples.resources, new).status == "queued"


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ("interrupted", "‖ interrupted</span></span> Resumes when a worker starts."),
        ("cancelled", "Cancelled before the report."),
    ],
)
def test_session_that_ended_without_a_report_resumes(
    samples: SampleSessions, status: str, said: str
) -> None:
    at = shown("live.py", session=samples.cut(status))
    assert said in words(at)
    assert keys(at) == {"resume"}


def test_a_session_opened_after_its_end_stays_on_activity(samples: SampleSessions) -> None:
    at = shown("live.py", session=samples.answered)
    assert ("report", "Report") in links(at)
    assert 'aria-current="step"' not in words(at)
    assert [header.value for header in at.header] == ["Gate", "Log", "Text", "Sources"]


@pytest.mark.parametrize("ends_without_report", [False, True])
def test_the_report_opens_when_a_watched_session_ends(
    samples: SampleSessions, ends_without_report: bool
) -> None:
    at = shown("live.py", session=samples.cut("running"))
    session = samples.unanswered if ends_without_report else samples.answered
    at.session_state["watched"] = at.session_state["session"] = session
    at.query_params["session"] = session
    at.run()
    assert not at.exception
    assert at.session_state["session"] == session
    assert "Gate" not in [header.value for header in at.header]
    assert len(at.chat_input) == (0 if ends_without_report else 1)
    at.switch_page("live.py").run()
    assert "Gate" in [header.value for header in at.header]


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_a_watched_session_that_ended_otherwise_stays_on_activity(
    samples: SampleSessions, status: str
) -> None:
    session = samples.cut(status)
    at = shown("live.py", session=session)
    at.session_state["watched"] = session
    at.run()
    assert "Gate" in [header.value for header in at.header]
    assert "resume" in keys(at)


def test_a_session_that_was_left_is_watched_no_more(samples: SampleSessions) -> None:
    at = shown("live.py", session=samples.cut("running"))
    assert "watched" in at.session_state
    at.switch_page("sources.py").run()
    assert "watched" not in at.session_state


def test_a_session_in_the_queue_says_its_place(
    samples: SampleSessions, engine: WorkerEngine
) -> None:
    queued = [samples.cut("queued") for _ in range(3)]
    for session in queued:
        engine.enqueue(session)
    said = words(shown("live.py", session=queued[2]))
    assert "◌ waiting</span></span> Number 3 in the queue" in said
    assert "Number 3 in the queue" in words(shown("sources.py", session=queued[2]))
    engine.cancel(queued[1])
    assert "Number 2 in the queue" in words(shown("live.py", session=queued[2]))
    assert "Next in the queue" in words(shown("live.py", session=queued[0]))


def test_a_session_is_looked_at_until_it_has_ended() -> None:
    statuses = SESSION_BADGES.keys() - {*DECISION_STATES, CHECKED}
    assert {status: watch.poll_interval(status) is not None for status in statuses} == {
        "queued": True, "running": True, "interrupted": True, "done": False, "failed": False, "cancelled": False,
        "open": True, "closed": False, "waiting": True,
    }  # fmt: skip
    assert (watch.poll_interval(), watch.poll_interval("done", "interrupted")) == (
        None,
        watch.EVERY_S,
    )


def test_an_interrupted_session_that_goes_on_shows_so_at_the_next_look(
    samples: SampleSessions,
) -> None:
    session = samples.cut("interrupted")
    at = shown("live.py", session=session)
    executor, now = heartbeats.make_executor_id(), samples.resources.clock.now()
    store.take_session(samples.resources.db, LOCAL_USER, session, executor, now)
    heartbeats.record_beat(samples.resources.db, executor, now)
    assert keys(at.run()) == {"stop", "cancel", "tell"}
    assert "● running" in words(at)


def test_only_the_state_is_read_out_when_it_changes_not_the_seconds(
    samples: SampleSessions,
) -> None:
    said = words(shown("live.py", session=samples.cut("running"))).splitlines()
    (status,) = [line for line in said if line.startswith('<p class="facts" role="status">')]
    assert "● running" in status
    assert "model calls" not in status


@pytest.mark.parametrize(
    ("seconds", "status", "waits"),
    [(3000.3, "running", True), (0.0, "running", False), (3000.3, "failed", False)],
)
def test_how_long_a_rate_limited_run_waits_is_shown_while_it_waits(
    samples: SampleSessions, seconds: float, status: str, waits: bool
) -> None:
    session = samples.cut(status)
    epoch = store.find_session(samples.resources.db, LOCAL_USER, session).epoch
    open_log(samples.resources, LOCAL_USER, session, epoch=epoch).append(
        Draft("waiting", {"for": "model", "seconds": seconds})
    )
    said = words(shown("live.py", session=session))
    assert bool(re.search(r"<b>rate limited, waiting (?:29\d\d|300[01]) s</b>", said)) == waits
    assert f"The model takes no requests at present; waiting {seconds:.0f} s" in said  # in the log


@pytest.mark.parametrize("page", ["live.py", "sources.py"])
def test_a_finished_session_has_one_badge_what_it_came_to(
    samples: SampleSessions, page: str
) -> None:
    said = words(shown(page, session=samples.answered))
    assert "✓ finished" not in said
    assert "✓ full report" in said


def test_stop_and_write_now_is_asked_for_once(samples: SampleSessions) -> None:
    session = samples.cut("running")
    at = shown("live.py", session=session)
    at.button(key="stop").click().run()
    assert not at.exception
    commands = [
        event.data
        for event in open_log(samples.resources, LOCAL_USER, session).read(kinds=("command",))
    ]
    assert commands == [{"do": "stop"}]
    assert at.button(key="stop").disabled
    assert "Pages already read are judged first, for up to two seconds." in words(at)


@pytest.mark.parametrize(("button", "do"), [("allow_2.1", "allow"), ("refuse_2.1", "refuse")])
def test_a_call_of_a_tool_that_writes_waits_for_the_word_of_the_analyst(
    samples: SampleSessions, button: str, do: str
) -> None:
    session = samples.cut("running")
    epoch = store.find_session(samples.resources.db, LOCAL_USER, session).epoch
    about = {"url": "https://a.example.org/<b>"}
    ask = Draft(
        "decide",
        {"do": "ask", "place": "2.1", "tool": "archive_source", "arguments": about},
        "ask:2.1",
    )
    open_log(samples.resources, LOCAL_USER, session, epoch=epoch).append(ask)
    at = shown("live.py", session=session)
    assert "The model wants to call archive_source." in words(at)
    assert (
        '"https://a.example.org/<b>"' in at.code[0].value
    )  # what it would be called with, as it is
    at.button(key=button).click().run()
    assert not at.exception
    assert open_log(samples.resources, LOCAL_USER, session).read(kinds=("command",))[-1].data == {
        "do": do,
        "place": "2.1",
    }
    assert keys(at) == {"stop", "cancel", "tell"}


def led_by_a_client(samples: SampleSessions) -> str:
    """A session of two steps, the second with all that a step can say."""
    said = {
        "searchStep": "Look for <b>trials</b>",
        "stepNumber": 1,
        "nextStepNeeded": True,
        "researchGoal": ANSWERED,
    }
    tools = ToolCaller(samples.resources)
    answer = tools.serve("sequential_search", said).answer
    assert answer is not None
    more = {
        "reasoning": "Papers first.",
        "confidence": "low",
        "rejectedApproaches": ["blogs"],
        "knowledgeGap": "the plumes",
    }
    again = {
        **said,
        "stepNumber": 2,
        "sessionId": answer["sessionId"],
        "branchId": "b",
        "revisesStep": 1,
        **more,
    }
    assert tools.serve("sequential_search", again).answer is not None
    return str(answer["sessionId"])


def test_a_session_that_a_client_leads_shows_its_steps_and_has_a_report_written(
    samples: SampleSessions, engine: WorkerEngine
) -> None:
    session = led_by_a_client(samples)
    at = shown("live.py", session=session)
    said = words(at)
    assert "◔ led by an MCP client" in said
    assert "Look for &lt;b&gt;trials&lt;/b&gt;" in said
    for told in (
        "Papers first.",
        "confidence low",
        "blogs",
        "the plumes",
        "branch b",
        "revises step 1",
    ):
        assert told in said
    assert keys(at) == {"report"}
    assert "An MCP client leads this session" in shown("report.py", session=session).info[0].value
    at.button(key="report").click().run()
    assert not at.exception
    (made,) = [
        info
        for info in session_status.list_sessions(samples.resources)
        if info.row.parent == session
    ]
    assert (made.row.question, made.status) == (ANSWERED, "queued")


def test_of_a_long_session_that_a_client_leads_the_newest_steps_come_first_and_the_rest_is_folded_away(
    samples: SampleSessions,
) -> None:
    session, tools = led_by_a_client(samples), ToolCaller(samples.resources)
    for number in range(3, 13):
        said = {
            "searchStep": f"Look at number {number}.",
            "stepNumber": number,
            "nextStepNeeded": True,
            "sessionId": session,
        }
        assert tools.serve("sequential_search", said).answer is not None
    at = shown("live.py", session=session)
    numbers = [int(number) for number in re.findall(r"Look at number (\d+)", words(at))]
    assert numbers == list(range(12, 4, -1))
    assert [fold.label for fold in at.expander] == ["4 earlier steps"]
    assert "the plumes" in words(at)  # what is missing is told, though its step is folded away


def test_waiting_session_is_cancelled(samples: SampleSessions, engine: WorkerEngine) -> None:
    session = samples.cut("queued")
    at = shown("live.py", session=session)
    at.button(key="cancel").click().run()
    assert not at.exception
    assert session_status.read_session_info(samples.resources, session).status == "cancelled"
    assert keys(at) == {"resume"}


def test_resume_puts_the_session_into_the_queue(
    samples: SampleSessions, engine: WorkerEngine
) -> None:
    session = samples.cut("failed")
    at = shown("live.py", session=session)
    at.button(key="resume").click().run()
    assert not at.exception
    assert session_status.read_session_info(samples.resources, session).status == "queued"
    assert keys(at) == {"stop", "cancel", "tell"}


def test_what_the_log_says_next_is_drawn_by_the_next_look(samples: SampleSessions) -> None:
    session = samples.cut("running")
    at = shown("live.py", session=session)
    epoch = store.find_session(samples.resources.db, LOCAL_USER, session).epoch
    open_log(samples.resources, LOCAL_USER, session, epoch=epoch).append(
        Draft("finished", {"outcome": "cancelled"}, str(epoch))
    )
    at.run()
    assert "✕ cancelled" in words(at)


def test_events_of_others_stay_words(samples: SampleSessions) -> None:
    session = samples.cut("running")
    epoch = store.find_session(samples.resources.db, LOCAL_USER, session).epoch
    hostile = {
        "order": 1,
        "place": 0,
        "query": "<b>x</b>",
        "engine": "x",
        "state": "failed",
        "reason": "<img src=//evil.example>",
    }
    open_log(samples.resources, LOCAL_USER, session, epoch=epoch).append(
        Draft("search_failed", hostile)
    )
    said = words(shown("live.py", session=session))
    assert "&lt;img src=//evil.example&gt;" in said
    assert "<img" not in said


def test_what_it_spent_and_the_gate_so_far_are_on_the_screen(samples: SampleSessions) -> None:
    said = words(shown("live.py", session=samples.cut("running")))
    assert re.search(r"(0\.[1-9] s|1\.0 s|0:0[1-9]) · free", said)
    assert "model call" not in said
    assert re.search(r"[1-7] kept, \d dropped", said)
    assert "<p>Enough for a full report.</p>" in said


def test_caps_stand_beside_what_was_used(samples: SampleSessions) -> None:
    session = session_start.new_session(
        samples.resources, ANSWERED, RunSettings(caps=Caps(calls=40, seconds=90))
    )
    said = words(shown("live.py", session=session))
    assert "0 of 40 steps by rules" in said
    assert " (limit 1:30 for each attempt) ·" in said


DONE = Elapsed(65, of_attempt=True)


@pytest.mark.parametrize(
    ("spent", "elapsed", "caps", "said"),
    [
        (SessionUsage(3, 0, 0.0), DONE, Caps(), "1:05 · 3 model calls · free"),
        (SessionUsage(3, 1500, None), DONE, Caps(),
         "1:05 · 3 model calls · 1,500 tokens · cost unknown"),
        (SessionUsage(3, 1500, 0.02), DONE, Caps(2000, 9000, 0.5, 300),
         "1:05 of 5:00 · 3 of 2,000 model calls · 1,500 of 9,000 tokens · $0.0200 of $0.5"),
        (SessionUsage(), DONE, Caps(0, 0, 0.0, 0.0),
         "1:05 of 0.0 s · 0 of 0 model calls · 0 of 0 tokens · $0.0000 of $0"),
        (SessionUsage(1, 9, None), DONE, Caps(cost=0.5),
         "1:05 · 1 model call · 9 tokens · cost unknown, the limit of $0.5 may not hold"),
        (SessionUsage(), Elapsed(90_000, of_attempt=False), Caps(seconds=300),
         "25:00:00 (limit 5:00 for each attempt) · 0 model calls · free"),
    ],
    ids=["free", "unknown price", "caps", "caps of nothing", "cap that cannot hold", "later attempt"],
)  # fmt: skip
def test_what_was_spent_and_its_caps_in_words(
    spent: SessionUsage, elapsed: Elapsed, caps: Caps, said: str
) -> None:
    assert stages.format_spending(spent, elapsed, caps) == said


@pytest.mark.parametrize(
    ("caps", "said"),
    [
        (Caps(), "1:05 · free"),
        (Caps(calls=14), "1:05 · 4 of 14 steps by rules · free"),
    ],
)
def test_steps_of_the_offline_rules_are_no_model_calls(caps: Caps, said: str) -> None:
    spent = SessionUsage(4, 0, 0.0)
    assert stages.format_spending(spent, DONE, caps, is_offline=True) == said


def test_a_running_session_says_for_how_long_also_after_it_was_resumed(
    samples: SampleSessions,
) -> None:
    first = samples.cut("running")
    running = re.compile(r"running</span></span> [\d.:]+( s)? · standard mode · ")
    assert running.search(words(shown("sources.py", session=first)))
    executor = heartbeats.make_executor_id()
    store.take_session(
        samples.resources.db, LOCAL_USER, first, executor, samples.resources.clock.now()
    )
    heartbeats.record_beat(samples.resources.db, executor, samples.resources.clock.now() + 600)
    assert running.search(words(shown("sources.py", session=first)))


def test_instruction_is_given_shown_and_kept_in_its_box_when_refused(
    samples: SampleSessions,
) -> None:
    session = samples.cut("running")
    at = shown("live.py", session=session)
    at.text_input(key="instruction").set_value("and <b>turtles</b>")
    at.button(key="tell").click().run()
    assert commands(samples, session) == [{"do": "instruct", "text": "and <b>turtles</b>"}]
    assert "◌ <b>waiting</b> and &lt;b&gt;turtles&lt;/b&gt;" in words(at)
    assert at.text_input(key="instruction").value == ""
    at.text_input(key="instruction").set_value("ab")
    at.button(key="tell").click().run()
    assert len(at.error) == 1
    drawn = [node.type for node in at.main]
    assert drawn.index("title") < drawn.index("error"), (
        "what a callback draws stands above the app, and breaks the page"
    )
    assert at.text_input(key="instruction").value == "ab"
    at.query_params["session"] = samples.answered
    assert not at.run().error, "it followed the analyst to another session"


def test_what_is_to_be_left_out_is_refused_and_kept_in_its_box(samples: SampleSessions) -> None:
    session = samples.cut("running")
    at = shown("live.py", session=session)
    at.text_input(key="instruction").set_value("leave out opinion pieces")
    at.button(key="tell").click().run()
    assert "it does not filter by kind" in at.error[0].value
    assert "raise the minimum credibility" in words(at)
    assert at.text_input(key="instruction").value == "leave out opinion pieces"
    assert commands(samples, session) == []


@pytest.mark.parametrize(
    ("status", "moves"), [("kept", {"strike"}), ("blocked", {"approve", "strike"})]
)
def test_chosen_source_is_decided_on_with_one_click(
    samples: SampleSessions, status: str, moves: set[str]
) -> None:
    session = samples.cut("running")
    url = next(
        s.url
        for s in snapshot.read_session(samples.resources, session).sources
        if s.status == status
    )
    at = shown("live.py", session=session)
    at.session_state["chosen"] = url
    at.run()
    assert moves == keys(at) - {"stop", "cancel", "tell"}
    at.button(key="strike").click().run()
    assert not at.exception
    assert commands(samples, session) == [{"do": "strike", "url": url}]
    assert "takes effect within seconds" in words(at)


def test_after_the_gate_nothing_is_steered_and_the_screen_says_why(samples: SampleSessions) -> None:
    session = samples.cut("running", before="written")
    at = shown("live.py", session=session)
    at.session_state["chosen"] = snapshot.read_session(samples.resources, session).run.gated[
        "kept"
    ][0]  # type: ignore[index]
    at.run()
    assert {key for key in keys(at) if not at.button(key=key).disabled} == {"cancel"}
    assert at.text_input(key="instruction").disabled
    assert "The gate has decided" in words(at)
    assert "full report" in words(at)


def test_text_shows_while_it_is_written(samples: SampleSessions) -> None:
    session = samples.cut("running", before="written")
    epoch = store.find_session(samples.resources.db, LOCAL_USER, session).epoch
    piece = {
        "of": "write",
        "call": "again",
        "start": 0,
        "text": "## Summary\n\n*So* <b>far</b> [p1a2b3c4d].",
    }
    open_log(samples.resources, LOCAL_USER, session, epoch=epoch).append(Draft("delta", piece))
    said = words(shown("live.py", session=session))
    assert "Draft" in said
    assert (
        '<h3 id="section-0" tabindex="-1">Summary</h3><p><em>So</em> &lt;b&gt;far&lt;/b&gt;.</p>'
        in said
    )


def test_news_can_be_narrowed(samples: SampleSessions) -> None:
    at = shown("live.py", session=samples.answered)
    at.pills(key="topics").set_value(["judge"]).run()
    assert 'class="judge"' in words(at)
    assert 'class="search"' not in words(at)


def test_renamed_session_shows_title_and_question_and_a_fork_its_parent(
    samples: SampleSessions,
) -> None:
    new = session_start.rewrite(
        samples.resources, samples.answered, RunSettings(relevance_cutoff=4)
    )
    session_control.rename(samples.resources, new, "Stricter")
    at = shown("live.py", session=new)
    assert [title.value for title in at.title] == ["Stricter"]
    said = words(at)
    assert ANSWERED in said
    assert "↻ rewrite" in said
    moment = wording.format_moment(
        session_status.read_session_info(samples.resources, samples.answered).row.created
    )
    assert ("report", f"of “{ANSWERED}”, {moment}") in links(at)


def commands(samples: SampleSessions, session: str) -> list[dict[str, str]]:
    return [
        event.data
        for event in open_log(samples.resources, LOCAL_USER, session).read(kinds=("command",))
    ]


def test_two_sessions_in_one_process_never_share_what_is_held_of_them(
    samples: SampleSessions,
) -> None:
    capped = session_start.new_session(samples.resources, ANSWERED, RunSettings(caps=Caps(calls=7)))
    finished = words(shown("live.py", session=samples.answered))
    assert "0 of 7 steps by rules" in words(shown("live.py", session=capped))
    assert words(shown("live.py", session=samples.answered)) == finished
    with_user = watch._shared_readings("home", "here", "ann", "s")
    assert with_user is watch._shared_readings("home", "here", "ann", "s")
    assert with_user is not watch._shared_readings("home", "here", "ben", "s")


@pytest.mark.parametrize(
    ("kept", "copies", "said"),
    [(3, 0, "3 kept, 1 dropped"), (3, 1, "3 kept, 1 of them a copy, not counted, 1 dropped"),
     (9, 3, "9 kept, 3 of them copies, not counted, 1 dropped")],
)  # fmt: skip
def test_the_gate_says_which_kept_sources_are_copies(kept: int, copies: int, said: str) -> None:
    drawn = stages.format_gate(
        GateOutlook(kept, 1, 0, ResearchMode.from_name("standard"), copies=copies)
    )
    assert f"<p>{said}</p>" in drawn
