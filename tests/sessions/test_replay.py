"""A stored session run again with every call forbidden: the same bytes, nothing written, and what
differs named.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from pytest_httpserver import HTTPServer

from research_core.errors import CallForbidden, UsageError
from research_core.journal import store
from research_core.journal.events import Event
from research_core.llm.offline import OfflineModel
from research_core.model_messages import ModelReply, ModelRequest
from research_core.models import Principal
from research_core.pipeline import report
from research_core.policy import Caps, RunSettings
from research_core.sessions import heartbeats, runner, session_start, session_status
from research_core.sessions.replay import Replay, list_differences, replay_session
from research_core.settings import Settings
from research_core.wiring import LOCAL_USER, Resources, open_log
from tests.world import tool_call

QUESTION = "How high are the tides of the Bay of Fundy?"
PAGES = {
    "fundy": "The tides of the Bay of Fundy are up to 16 metres high, the highest tides measured anywhere on Earth.",
    "why": "In the Bay of Fundy the tides are so high because the bay's own period is close to that of the Moon's tides, 12.4 hours.",
    "ungava": "The tides of Ungava Bay are nearly as high as those of the Bay of Fundy; measurements differ by 20 centimetres.",
    "cooking": "Cook the lobster of the bay for 12 minutes and serve it with butter, lemon and a little salt from the sea.",
}


@pytest.fixture(scope="module")
def resources(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Resources]:
    home = tmp_path_factory.mktemp("replay")
    papers = home / "papers"
    papers.mkdir()
    for name, text in PAGES.items():
        (papers / f"{name}.md").write_text(f"# {name.title()}\n\n{text}\n", encoding="utf-8")
    made = Resources(Settings.from_env({"ASSAY_HOME": str(home / "home")}))
    made.library(LOCAL_USER).add(papers, "my")
    yield made
    made.db.close()


class Told:
    """The offline model, which also chooses tools: one search, then everything it listed, at once."""

    name = "told"

    def open(self) -> None: ...

    def run(
        self, request: ModelRequest, on_text: Callable[[str], None] | None = None
    ) -> ModelReply:
        if request.kind != "choose_tools":
            return OfflineModel().run(request, on_text)
        told = request.history
        calls = [tool_call("1", "search_web", query="tides bay")]
        if told:
            listed = json.loads(
                told[1]["results"][0]["result"]
                .removeprefix("<tool_result>\n")
                .removesuffix("\n</tool_result>")
            )
            calls = [
                tool_call(str(n), "fetch_page", url=result["url"])
                for n, result in enumerate(listed["results"])
            ]
        return ModelReply(
            "",
            self.name,
            calls=tuple(calls) if len(told) < 4 else (),
            content={"role": "model", "parts": []},
        )


def finished(resources: Resources, **changes: object) -> str:
    run = RunSettings(mode="standard", library="my", model=Told.name, **changes)  # type: ignore[arg-type]
    session = session_start.new_session(resources, QUESTION, run)
    executor = heartbeats.make_executor_id()
    outcome = runner.resume_or_run(resources, session, executor, model=Told())
    assert outcome.outcome == "done"
    return session


def rows(resources: Resources, session: str) -> tuple[object, ...]:
    return store.find_session(resources.db, LOCAL_USER, session), open_log(
        resources, LOCAL_USER, session
    ).read()


@pytest.mark.parametrize("strategy", ["planned", "agentic"])
def test_a_replay_gives_the_same_bytes_and_writes_nothing(
    resources: Resources, strategy: str
) -> None:
    session = finished(resources, strategy=strategy)
    before = rows(resources, session)
    again = replay_session(resources, LOCAL_USER, session)
    assert (again.same, again.differences) == (True, ())
    assert (
        again.markdown
        == session_status.read_stored_report(resources, session)
        == report.to_markdown(again.report)
    )
    assert again.report.decision != "insufficient_data"
    assert again.report.settings["strategy"] == strategy
    assert rows(resources, session) == before


def test_a_run_that_a_cap_left_without_calls_is_replayed_too(resources: Resources) -> None:
    session = finished(resources, strategy="agentic", caps=Caps(calls=3))
    again = replay_session(resources, LOCAL_USER, session)
    assert (again.same, again.differences) == (True, ())
    assert again.report.stopped == ""
    assert again.report.spent["limit"]["reached"] == "the cap on calls was reached"


def change(resources: Resources, session: str, kind: str, edit: Callable[[str], str]) -> None:
    """Alter what is stored of one kind, as a bug or a later version would have written it."""
    mine = (store.event.c.session == session, store.event.c.kind == kind)
    with resources.db.writing() as conn:
        for row in conn.execute(
            sa.select(store.event.c.seq, store.event.c.data).where(*mine)
        ).all():
            data = edit(row.data.decode()).encode()
            conn.execute(
                sa.update(store.event).where(*mine, store.event.c.seq == row.seq).values(data=data)
            )


def test_what_was_derived_otherwise_is_named(resources: Resources) -> None:
    session = finished(resources)
    change(
        resources,
        session,
        "gated",
        lambda data: data.replace('"rationale":"', '"rationale":"Formerly: '),
    )
    again = replay_session(resources, LOCAL_USER, session)
    ((stored, derived),) = again.differences
    assert (stored.kind, derived.kind) == ("gated", "gated")
    assert stored.data["rationale"] == f"Formerly: {derived.data['rationale']}"
    assert again.same


def test_another_report_than_the_stored_one_is_not_the_same(resources: Resources) -> None:
    session = finished(resources)
    change(
        resources,
        session,
        "report",
        lambda data: data.replace("Executive Summary", "Executive Smmary"),
    )
    again = replay_session(resources, LOCAL_USER, session)
    assert not again.same
    assert "Executive Summary" in again.markdown
    assert [stored.kind for stored, _ in again.differences] == ["report"]


@pytest.mark.parametrize("strategy", ["planned", "agentic"])
def test_a_page_that_is_read_otherwise_now_leads_to_a_question_never_asked(
    resources: Resources, strategy: str
) -> None:
    session = finished(resources, strategy=strategy)
    change(
        resources,
        session,
        "call",
        lambda data: data.replace("up to 16 metres high", "up to 17 metres high"),
    )
    # Its passages are chosen anew and the changed search result is put to the planner, at the same
    # time: either is the first call that was never made.
    with pytest.raises(CallForbidden, match=r"never made this call: (fact|model)"):
        replay_session(resources, LOCAL_USER, session)


def test_a_call_that_was_never_made_is_named(resources: Resources) -> None:
    session = finished(resources)
    calls = open_log(resources, LOCAL_USER, session).read(kinds=("call",))
    (written,) = [event.seq for event in calls if event.data["about"]["what"] == "write (told)"]
    with resources.db.writing() as conn:
        conn.execute(
            sa.delete(store.event).where(
                store.event.c.session == session, store.event.c.seq == written
            )
        )
    with pytest.raises(CallForbidden, match=r"never made this call: model .*write \(told\)"):
        replay_session(resources, LOCAL_USER, session)


def test_a_session_without_a_report_says_how_to_get_one(resources: Resources) -> None:
    session = session_start.new_session(resources, QUESTION, RunSettings())
    with pytest.raises(UsageError, match="no report to replay") as caught:
        replay_session(resources, LOCAL_USER, session)
    assert caught.value.next_step == f"`assay resume {session}` finishes it."


@pytest.mark.parametrize("who", [LOCAL_USER, Principal("north", "ann")])
def test_a_session_that_is_not_there_or_not_one_s_own_is_unknown(
    resources: Resources, who: Principal
) -> None:
    session = (
        "0" * 32
        if who == LOCAL_USER
        else session_start.new_session(resources, QUESTION, RunSettings())
    )
    with pytest.raises(UsageError, match=session):
        replay_session(resources, who, session)


# ---------------------------------------------------------------- differences in words


def test_a_difference_is_said_at_the_place_where_the_values_part(resources: Resources) -> None:
    session = finished(resources)
    change(
        resources,
        session,
        "gated",
        lambda data: data.replace('"rationale":"', '"rationale":"Formerly: '),
    )
    again = replay_session(resources, LOCAL_USER, session)
    (found,) = list_differences(again)
    assert (found.kind, found.key, found.where) == ("gated", "gated:gated", "rationale")
    assert found.stored.startswith(f"Formerly: {again.report.rationale[:50]}")
    assert found.derived.startswith(again.report.rationale[:60])


LONG = "x" * 200


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1, "b": 2}, {"a": 1, "b": 3}, [("b", "2", "3")]),
        ({"a": [1, {"b": "c"}]}, {"a": [1, {"b": "d"}]}, [("a 2.b", "c", "d")]),
        ({"a": [1]}, {"a": [1, "two"]}, [("a 2", "nothing", "two")]),
        ({"a": True}, {}, [("a", "true", "nothing")]),
        ({"a": {"b": 1}}, {"a": 2}, [("a", '{"b":1}', "2")]),
        (
            {"a": f"{LONG}y{LONG}"},
            {"a": f"{LONG}z"},
            [("a", f"…{'x' * 60}y{'x' * 59}…", f"…{'x' * 60}z")],
        ),
        ({"a": "same start"}, {"a": "same"}, [("a", "same start", "same")]),
    ],
    ids=str,
)
def test_differences_are_few_words(
    resources: Resources, was: object, now: object, said: list[tuple[str, str, str]]
) -> None:
    pair = (Event(1, 0.0, "gated", was, "k"), Event(1, 0.0, "gated", now, "k"))
    found = list_differences(Replay(None, "", False, (pair,)))  # type: ignore[arg-type]
    assert [(one.where, one.stored, one.derived) for one in found] == said


def test_a_session_replays_where_its_search_server_is_not_known(
    tmp_path: Path, httpserver: HTTPServer
) -> None:
    """Nor is it lost where the server has moved: what it answered is in the log, and only what is
    new fails.
    """
    row = {"url": "https://tides.example.org/fundy", "title": "Fundy", "content": PAGES["fundy"]}
    httpserver.expect_request("/searx/search").respond_with_json({"results": [row]})
    known, unknown = {"SEARXNG_URL": httpserver.url_for("/searx")}, {"SEARXNG_URL": ""}
    here = {"ASSAY_HOME": str(tmp_path)}
    resources = Resources(Settings.from_env(here | known))
    session = session_start.new_session(resources, QUESTION, RunSettings(engines=("searxng",)))
    assert runner.resume_or_run(resources, session, heartbeats.make_executor_id()).outcome == "done"
    resources.close()
    resources = Resources(Settings.from_env(here | unknown))
    assert replay_session(resources, LOCAL_USER, session).same
    new = session_start.new_session(resources, QUESTION, RunSettings(engines=("searxng",)))
    assert runner.resume_or_run(resources, new, heartbeats.make_executor_id()).outcome == "done"
    failed = open_log(resources, LOCAL_USER, new).read(kinds=("search_failed",))
    assert failed
    assert all("SEARXNG_URL" in event.data["reason"] for event in failed)
    resources.close()
