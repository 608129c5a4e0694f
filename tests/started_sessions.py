"""Sessions researched on the sample library, or with just the events that a test names."""

from __future__ import annotations

from research_core.journal import store
from research_core.journal.events import Draft
from research_core.journal.log import EventLog
from research_core.policy import RunSettings
from research_core.sessions import heartbeats, runner, session_start, snapshot
from research_core.sessions.snapshot import Snapshot
from research_core.wiring import LOCAL_USER, Resources, open_log

QUESTION = "What are the environmental risks of deep-sea mining?"


def start_session(
    resources: Resources, *drafts: Draft, mode: str = "standard"
) -> tuple[Snapshot, EventLog]:
    """Start a session with just these events. Return it and its log, to go on with."""
    made = session_start.new_session(resources, QUESTION, RunSettings(mode=mode))
    executor = heartbeats.make_executor_id()
    epoch = store.take_session(resources.db, LOCAL_USER, made, executor, resources.clock.now())
    heartbeats.record_beat(resources.db, executor, resources.clock.now())
    log = open_log(resources, LOCAL_USER, made, epoch=epoch)
    created = {"question": QUESTION, "settings": RunSettings(mode=mode).to_json(), "session": made}
    log.append(Draft("created", created, "created"), *drafts)
    return snapshot.read_session(resources, made), log


def research_sample(resources: Resources) -> str:
    """Research the question on the sample library and return the session."""
    session = session_start.new_session(resources, QUESTION, RunSettings())
    outcome = runner.resume_or_run(resources, session, heartbeats.make_executor_id()).outcome
    assert outcome == "done"
    return session


def make_found_event(url: str) -> Draft:
    return Draft(
        "found",
        {
            "url": url,
            "title": url[-1],
            "snippet": "",
            "engine": "library",
            "order": 0,
            "rank": 0,
            "parts": None,
        },
        url,
    )


def make_judged_event(url: str, score: int) -> Draft:
    return Draft(
        "judged",
        {"url": url, "title": url[-1], "score": score, "explanation": "Because.", "scored": True},
        url,
    )
