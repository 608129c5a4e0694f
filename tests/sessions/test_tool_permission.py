"""A tool that writes is called by a run's model only with the analyst's word, which is asked for
before anything of its round is done.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from research_core.errors import UsageError
from research_core.interfaces.cli.commands import main
from research_core.journal import store
from research_core.journal.events import Draft
from research_core.journal.log import EventLog
from research_core.model_messages import Json, ModelReply, ToolCall
from research_core.pipeline.tool_loop import UNASKED_REFUSAL, run_tool_use_loop
from research_core.policy import RunSettings
from research_core.sessions import heartbeats, session_start, tool_permission
from research_core.sessions.tool_permission import PermissionQuestion
from research_core.settings import Settings
from research_core.tools import DEFAULT_TOOLS
from research_core.tools.registry import Call, Tool
from research_core.wiring import LOCAL_USER, Resources, open_log
from tests.scripted import Scripted
from tests.tool_session import QUESTION, Engine, make_context

NOTE: Json = {"text": "kept"}
ENOUGH = ModelReply("Enough.", "scripted")


def _round() -> ModelReply:
    calls = (ToolCall("1", "search_web", {"query": "codes"}), ToolCall("2", "note", NOTE))
    return ModelReply("", "scripted", calls=calls, content={"role": "model"})


@pytest.mark.parametrize(
    ("says", "told", "done"),
    [
        ("", '{"noted": "kept"}', ["kept"]),
        ("No.", '{"error": "No."}', []),
        (None, UNASKED_REFUSAL, []),
    ],
)
def test_a_tool_that_writes_runs_once_and_only_where_it_is_let(
    says: str | None, told: str, done: list[str]
) -> None:
    noted: list[str] = []

    def note(_call: Call, text: str) -> dict[str, Any]:
        """Note something."""
        noted.append(text)
        return {"noted": text}

    engine, model = Engine(), Scripted(_round(), ENOUGH)
    context = make_context(engine, model=model)
    asked: list[tuple[str, list[str]]] = []

    def permitted(call: ToolCall) -> str:
        asked.append((call.name, list(engine.asked)))
        assert says is not None
        return says

    tools = (*DEFAULT_TOOLS, Tool("note", note, read_only=False))
    assert context.deps is not None
    run_tool_use_loop(
        QUESTION, context, context.deps, tools=tools, permitted=None if says is None else permitted
    )
    assert noted == done
    assert told in model.requests[1].history[1]["results"][1]["result"]
    assert asked == ([] if says is None else [("note", [])])  # before anything was searched


# ---------------------------------------------------------------- the question and its answer


@pytest.fixture
def resources(tmp_path: Path, database_with_sample: Path) -> Resources:
    shutil.copy(database_with_sample, tmp_path / "assay.db")
    return Resources(Settings.from_env({"ASSAY_HOME": str(tmp_path)}))


def running(resources: Resources) -> tuple[str, EventLog]:
    """A session that a worker has, and its log as that worker writes it."""
    session = session_start.new_session(resources, QUESTION, RunSettings())
    epoch = store.take_session(
        resources.db, LOCAL_USER, session, heartbeats.make_executor_id(), resources.clock.now()
    )
    return session, open_log(resources, LOCAL_USER, session, epoch=epoch)


def ask(place: str) -> Draft:
    return Draft(
        "decide", {"do": "ask", "place": place, "tool": "note", "arguments": NOTE}, f"ask:{place}"
    )


def test_each_question_waits_until_it_is_answered(resources: Resources) -> None:
    session, log = running(resources)
    log.append(ask("1.1"), ask("2.2"))
    first, second = PermissionQuestion("1.1", "note", NOTE), PermissionQuestion("2.2", "note", NOTE)
    assert tool_permission.list_waiting(log.read()) == (first, second)
    assert tool_permission.answer_question(resources, session, False, "2.2") == second
    assert tool_permission.list_waiting(log.read()) == (first,)
    assert tool_permission.answer_question(resources, session, True) == first
    assert tool_permission.list_waiting(log.read()) == ()
    assert [event.data for event in log.read(kinds=("command",))] == [
        {"do": "refuse", "place": "2.2"},
        {"do": "allow", "place": "1.1"},
    ]


@pytest.mark.parametrize("place", ["", "1.1"])
def test_what_nobody_asked_cannot_be_answered(resources: Resources, place: str) -> None:
    session, log = running(resources)
    with pytest.raises(UsageError, match="is waiting for an answer"):
        tool_permission.answer_question(resources, session, True, place)
    log.append(ask("1.1"), Draft("finished", {"outcome": "cancelled"}, "1"))
    with pytest.raises(UsageError, match="is waiting for an answer"):
        tool_permission.answer_question(resources, session, True, place)
    assert log.read(kinds=("command",)) == []


@pytest.mark.parametrize(("word", "do"), [("allow", "allow"), ("refuse", "refuse")])
def test_a_terminal_answers(
    resources: Resources,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    word: str,
    do: str,
) -> None:
    session, log = running(resources)
    log.append(ask("1.1"))
    monkeypatch.setenv("ASSAY_HOME", str(resources.settings.home))
    assert main([word, session]) == 0
    assert log.read(kinds=("command",))[-1].data == {"do": do, "place": "1.1"}
    assert 'note {"text": "kept"}' in capsys.readouterr().err
    assert main([word, session]) == 2
