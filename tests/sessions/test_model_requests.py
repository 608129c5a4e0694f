"""What a session asked of models, derived again from its log: all of it, letter by letter, or none
of it and why.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial

import pytest
import sqlalchemy as sa

from research_core import export
from research_core.errors import ModelError
from research_core.export import archive, check
from research_core.journal import tables
from research_core.journal.events import call_key
from research_core.journal.store import find_session
from research_core.llm.offline import OfflineModel
from research_core.model_messages import Json, ModelReply, ModelRequest
from research_core.models import Principal
from research_core.pipeline import report
from research_core.policy import RunSettings
from research_core.sessions import heartbeats, runner, session_control, session_start, snapshot
from research_core.sessions.model_requests import (
    CHANGED_SINCE,
    VERSION,
    RecordedRequests,
    list_requests,
)
from research_core.settings import Settings
from research_core.wiring import LOCAL_USER, Resources, open_log
from tests.sessions.test_replay import PAGES, QUESTION, Told, finished


@pytest.fixture(scope="module")
def resources(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Resources]:
    home = tmp_path_factory.mktemp("asked")
    (home / "papers").mkdir()
    for name, text in PAGES.items():
        (home / "papers" / f"{name}.md").write_text(
            f"# {name.title()}\n\n{text}\n", encoding="utf-8"
        )
    made = Resources(Settings.from_env({"ASSAY_HOME": str(home / "home")}))
    made.library(LOCAL_USER).add(home / "papers", "my")
    yield made
    made.db.close()


def packed(resources: Resources, session: str) -> bytes:
    built = report.build(snapshot.read_session(resources, session).run)
    return export.build_file(
        export.FORMATS["zip"],
        built,
        partial(snapshot.read_page_text, resources),
        lambda: list_requests(resources, session),
    )


@pytest.mark.parametrize("strategy", ["planned", "agentic"])
def test_every_recorded_request_is_told_in_full(resources: Resources, strategy: str) -> None:
    session = finished(resources, strategy=strategy)
    told, log = list_requests(resources, session), open_log(resources, LOCAL_USER, session)
    recorded = [key for key, event in log.answers().items() if event.data["kind"] == "model"]
    assert sorted(each.call for each in told.made) == sorted(recorded)
    assert {each.call for each in told.made} == {
        call_key("model", VERSION, each.params or {}) for each in told.made
    }
    assert {(each.model, each.failed, each.lack) for each in told.made} == {("told", "", "")}
    assert {each.answered for each in told.made} <= {"told", "offline"}
    assert ("choose_tools" in {each.kind for each in told.made}) == (strategy == "agentic")
    assert told.made == tuple(sorted(told.made, key=lambda each: each.at))


def test_the_pack_of_a_session_holds_and_is_the_same_twice(resources: Resources) -> None:
    session = finished(resources)
    body = packed(resources, session)
    assert body == packed(resources, session)
    files = archive.unpack(body)
    assert [fault for _, one in check.CHECKS for fault in check.run_check(one, files)] == []
    assert b"Bay of Fundy" in b"".join(
        text for name, text in files.items() if name.startswith("prompts/")
    )


def test_a_rewrite_lists_no_inherited_request_that_it_did_not_use(resources: Resources) -> None:
    session = finished(resources)
    run = RunSettings.from_json(find_session(resources.db, LOCAL_USER, session).settings)
    again = session_start.rewrite(resources, session, replace(run, model="offline"))
    assert runner.resume_or_run(resources, again, heartbeats.make_executor_id()).outcome == "done"
    told, log = list_requests(resources, again), open_log(resources, LOCAL_USER, again)
    recorded = {key for key, event in log.answers().items() if event.data["kind"] == "model"}
    listed = {each.call for each in told.made}
    assert {each.lack for each in told.made} == {""}
    assert listed < recorded
    assert {str(event.key).removeprefix("call:") for event in log.calls()} & recorded <= listed
    files = archive.unpack(packed(resources, again))
    assert [fault for _, one in check.CHECKS for fault in check.run_check(one, files)] == []


def test_of_a_session_that_is_gone_or_another_s_none_is_told_and_why(resources: Resources) -> None:
    session = finished(resources)
    other = list_requests(resources, session, who=Principal("local", "bob"))
    session_control.delete(resources, session)
    for told in (other, list_requests(resources, session)):
        assert told == RecordedRequests(unread=told.unread)
        assert told.unread


def test_where_a_replay_breaks_off_the_calls_are_told_without_their_words(
    resources: Resources,
) -> None:
    session = finished(resources)
    log = open_log(resources, LOCAL_USER, session)
    (first,) = (
        event for event in log.calls() if event.data["about"].get("what", "").startswith("plan ")
    )
    with resources.db.writing() as conn:
        conn.execute(
            sa.delete(tables.event).where(
                tables.event.c.session == session, tables.event.c.seq == first.seq
            )
        )
    told = list_requests(resources, session)
    assert told.made
    assert {each.params for each in told.made} == {None}  # type: ignore[arg-type]
    assert all(
        each.lack.startswith(CHANGED_SINCE) and each.lack != CHANGED_SINCE and each.answered
        for each in told.made
    )
    assert b"could not be made again" in archive.unpack(packed(resources, session))["prompts.csv"]


class Failing:
    """The offline model, which refuses to judge."""

    name = "failing"

    def open(self) -> None: ...

    def run(
        self, request: ModelRequest, on_text: Callable[[str], None] | None = None
    ) -> ModelReply:
        if request.kind == "judge_relevance":
            raise ModelError("It is <b>down</b>.", kind="config")
        return OfflineModel().run(request, on_text)


def test_a_call_that_failed_names_no_model_that_answered(resources: Resources) -> None:
    session = session_start.new_session(
        resources, QUESTION, RunSettings(library="my", model=Failing.name)
    )
    assert (
        runner.resume_or_run(
            resources, session, heartbeats.make_executor_id(), model=Failing()
        ).outcome
        == "done"
    )
    told = {each.kind: each for each in list_requests(resources, session).made}
    assert (told["judge_relevance"].answered, told["judge_relevance"].failed) == (
        "",
        "It is <b>down</b>.",
    )
    assert told["plan"].answered == "offline"
    assert all(each.params for each in told.values())


class Hesitating(Told):
    """Writes at the attempt of that number."""

    def __init__(self, attempt: int) -> None:
        self.attempt = attempt

    def run(
        self, request: ModelRequest, on_text: Callable[[str], None] | None = None
    ) -> ModelReply:
        if request.kind == "write" and request.attempt < self.attempt:
            return ModelReply("I'm sorry, but I can't help with that.", self.name)
        return super().run(request, on_text)


@pytest.mark.parametrize(
    ("attempt", "listed"),
    [
        (1, [{}]),
        (2, [{}, {"attempt": 2}]),
        (3, [{}, {"attempt": 2}, {"attempt": 3, "skip_models": 1}]),
    ],
)
def test_the_pack_of_a_session_whose_writer_was_asked_again_holds(
    resources: Resources, attempt: int, listed: list[dict[str, int]]
) -> None:
    run = RunSettings(mode="standard", library="my", model=Told.name)
    session = session_start.new_session(resources, QUESTION, run)
    executor = heartbeats.make_executor_id()
    model = Hesitating(attempt)
    assert runner.resume_or_run(resources, session, executor, model=model).outcome == "done"
    files = archive.unpack(packed(resources, session))
    assert [fault for _, one in check.CHECKS for fault in check.run_check(one, files)] == []
    written = [call for call in read_calls(files) if call["kind"] == "write"]
    retries = [
        {name: call[name] for name in check.RETRY_FIELDS if name in call} for call in written
    ]
    assert retries == listed


def read_calls(files: Mapping[str, bytes]) -> list[Json]:
    calls: list[Json] = json.loads(files["prompts.json"])["calls"]
    return calls
