"""What a process and a session are given: built once and only when needed, with a clear error where
something is not configured.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from research_core import tools
from research_core.context import ResearchContext, memory_log
from research_core.errors import CallForbidden, SettingsError, Stopped, UsageError
from research_core.journal.deps import do_nothing
from research_core.journal.doorway import Control
from research_core.journal.events import Draft
from research_core.journal.log import EventLog
from research_core.journal.store import create_session
from research_core.llm.offline import OfflineModel
from research_core.model_messages import ModelRequest
from research_core.models import Principal
from research_core.policy import JUDGING_KINDS, WRITING_KINDS, Caps, RunSettings
from research_core.settings import Settings
from research_core.text.entailment import OnnxEntailment
from research_core.wiring import LOCAL_USER, Resources, default_deps, open_log, open_session_deps
from tests.logs import ran
from tests.scripted import Scripted


@pytest.fixture
def resources(tmp_path: Path) -> Iterator[Resources]:
    made = Resources(Settings.from_env({"ASSAY_HOME": str(tmp_path / "home")}))
    yield made
    if "db" in made.__dict__:
        made.db.close()


def session(
    resources: Resources, run: RunSettings, id: str = "one", who: Principal = LOCAL_USER
) -> EventLog:
    create_session(resources.db, who, id, "What is asked?", run.to_json(), 1.0)
    return open_log(resources, who, id)


# ---------------------------------------------------------------- the resources


def test_resources_open_nothing_before_they_are_asked(resources: Resources) -> None:
    assert not (resources.settings.home / "assay.db").exists()
    assert resources.db is resources.db
    assert (resources.settings.home / "assay.db").exists()
    assert resources.client is resources.client
    assert abs(resources.clock.now() - 1.8e9) < 1e9


def test_configured_endpoints_and_the_contact_reach_the_guarded_session(tmp_path: Path) -> None:
    env = {
        "ASSAY_HOME": str(tmp_path),
        "SEARXNG_URL": "http://127.0.0.1:8888/",
        "ASSAY_CONTACT": "+me@example.org",
    }
    settings = Resources(Settings.from_env(env)).settings
    assert settings.endpoints == {"http://127.0.0.1:8888"}
    assert settings.user_agent == "ResearchAgent/1.0 (+me@example.org)"


# ---------------------------------------------------------------- one session


def test_a_session_gets_its_engines_its_library_and_its_model(resources: Resources) -> None:
    run = RunSettings(
        engines=("ddgs:brave", "library", "ddgs:wikipedia"), library="my", caps=Caps(calls=3)
    )
    with open_session_deps(resources, session(resources, run), run) as deps:
        assert [engine.name for engine in deps.engines] == list(run.engines)
        assert (deps.run, deps.settings, deps.who, deps.model.name) == (
            run,
            resources.settings,
            LOCAL_USER,
            "offline",
        )
        assert deps.documents is not None
        assert deps.documents.read("document:abc") is None
        assert deps.prepare_page == resources.client.prepare_page


def test_without_the_library_there_are_no_documents(resources: Resources) -> None:
    run = RunSettings(engines=("ddgs:brave",))
    with open_session_deps(resources, session(resources, run), run) as deps:
        assert deps.documents is None


def test_the_entailment_model_is_that_of_the_setting(resources: Resources, tmp_path: Path) -> None:
    assert resources.entailment is None
    path = tmp_path / "model.onnx"
    named = Resources(replace(resources.settings, entailment_model=str(path)))
    assert named.entailment == OnnxEntailment(path)


def test_tasks_that_have_not_begun_end_with_the_session(resources: Resources) -> None:
    run, done = RunSettings(engines=("ddgs:brave",)), list[int]()
    narrow, go = Resources(replace(resources.settings, workers=1)), threading.Event()
    with open_session_deps(narrow, session(resources, run), run) as deps:
        deps.pool.submit(go.wait, 100)
        waiting = deps.pool.submit(done.append, 1)
    assert waiting.cancelled()
    go.set()
    with pytest.raises(RuntimeError):
        deps.pool.submit(print)
    assert done == []


def test_what_a_session_calls_is_recorded_in_its_log(resources: Resources) -> None:
    run = RunSettings()
    model = Scripted("It says so.")
    with open_session_deps(resources, session(resources, run), run, model=model) as deps:
        deps.log.append(Draft("created", {"question": "What is asked?", "settings": {}}, "created"))
        request = ModelRequest("plan", "", "Plan.", {})
        assert deps.model.run(request).text == deps.model.run(request).text == "It says so."
        assert deps.http.tally()["model_calls"] == 1
    assert len(model.requests) == 1


def test_a_control_stops_a_session(resources: Resources) -> None:
    run, control = RunSettings(), Control()
    control.shutdown.set()
    with (
        open_session_deps(resources, session(resources, run), run, control=control) as deps,
        pytest.raises(Stopped, match="shutdown"),
    ):
        deps.model.run(ModelRequest("plan", "", "Plan.", {}))


def test_a_replay_has_a_model_by_name_only(resources: Resources) -> None:
    run = RunSettings(model="gemini:of-long-ago")
    session(resources, run)
    with open_session_deps(
        resources, open_log(resources, LOCAL_USER, "one", readonly=True), run
    ) as deps:
        assert deps.model.name == "gemini:of-long-ago"
        assert deps.prepare_page is do_nothing
        with pytest.raises(CallForbidden, match="never made this call: model"):
            deps.model.run(ModelRequest("plan", "", "Plan.", {}))


def test_writer_and_judge_answer_their_kinds_of_request_and_no_other(resources: Resources) -> None:
    run = RunSettings(model="gemini:a", writer="gemini:b", judge="gemini:c")
    session(resources, run)
    log = open_log(resources, LOCAL_USER, "one", readonly=True)
    asked = {}
    with open_session_deps(resources, log, run) as deps:
        for kind in ("plan", "gaps", "choose_tools", *WRITING_KINDS, *JUDGING_KINDS):
            with pytest.raises(CallForbidden) as caught:
                deps.model.run(ModelRequest(kind, "", "Go.", {}))
            asked[kind] = caught.value.message.partition("(gemini:")[2][:1]
    assert asked == {
        "plan": "a", "gaps": "a", "choose_tools": "a",
        **dict.fromkeys(WRITING_KINDS, "b"), **dict.fromkeys(JUDGING_KINDS, "c"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("run", "error", "said"),
    [
        (RunSettings(engines=()), SettingsError, "No search engine is chosen"),
        (RunSettings(engines=("altavista",)), UsageError, "Unknown provider 'altavista'"),
        (RunSettings(model="gemini"), SettingsError, "needs a key"),
        (RunSettings(model="parrot"), SettingsError, "Unknown model 'parrot'"),
    ],
)
def test_what_is_not_configured_is_said_before_anything_is_asked(
    resources: Resources, run: RunSettings, error: type[Exception], said: str
) -> None:
    with (
        pytest.raises(error, match=said),
        open_session_deps(resources, session(resources, run), run),
    ):
        pytest.fail("It began.")


def test_the_library_has_a_row_of_its_own_among_the_engines(resources: Resources) -> None:
    run = RunSettings(engines=("library", "ddgs:mojeek"))
    with open_session_deps(resources, session(resources, run), run) as deps:
        assert [(row.name, row.kind) for row in deps.engines] == [
            ("library", "library"),
            ("ddgs:mojeek", "web"),
        ]


# ---------------------------------------------------------------- logs


def test_a_log_is_its_owner_s_alone(resources: Resources) -> None:
    session(resources, RunSettings(), who=Principal("north", "ann")).append(
        Draft("planned", {"part": "a", "queries": []}, "a")
    )
    assert len(open_log(resources, Principal("north", "ann"), "one").read()) == 1
    assert open_log(resources, Principal("north", "ben"), "one").read() == []


def test_a_log_tells_its_listener_and_a_replay_writes_nothing(resources: Resources) -> None:
    session(resources, RunSettings())
    heard: list[str] = []
    open_log(resources, LOCAL_USER, "one", listener=lambda event: heard.append(event.kind)).append(
        Draft("planned", {"part": "a", "queries": []})
    )
    open_log(resources, LOCAL_USER, "one", readonly=True).append(
        Draft("planned", {"part": "b", "queries": []})
    )
    assert heard == ["planned"]
    assert [event.data["part"] for event in open_log(resources, LOCAL_USER, "one").read()] == ["a"]


# ---------------------------------------------------------------- tools without a session


def test_default_deps_search_the_web_that_is_configured(
    tmp_path: Path, httpserver: HTTPServer
) -> None:
    """End to end: the tool, the doorway, the guarded session, and a SearXNG server on loopback."""
    row = {
        "url": "https://nature.com/tides",
        "title": "Tides",
        "content": "the highest tides of the bay",
    }
    httpserver.expect_request("/search").respond_with_json({"results": [row]})
    settings = Settings.from_env(
        {"ASSAY_HOME": str(tmp_path / "home"), "SEARXNG_URL": httpserver.url_for("/")}
    )
    resources, log = Resources(replace(settings, ddgs_engines=())), memory_log("the highest tides")
    deps = default_deps(log, resources)
    assert [engine.name for engine in deps.engines] == ["searxng"]
    assert (deps.documents, deps.log, deps.model.name) == (None, log, OfflineModel.name)
    context = ResearchContext("the highest tides", deps)
    for _ in range(2):
        assert tools.search_web("tides", context) == [
            {"title": "Tides", "url": row["url"], "snippet": row["content"]}
        ]
    other = ResearchContext(
        "another question", default_deps(memory_log("another question"), resources)
    )
    assert (
        len(tools.search_web("tides", other)) == 1
    )  # what one call found stands for another's for half an hour
    assert len(httpserver.log) == 1
    resources.close()


def test_without_an_engine_of_the_web_a_tool_that_asks_one_says_so_and_no_other_does(
    resources: Resources,
) -> None:
    context = ResearchContext(
        "x", default_deps(memory_log("x"), Resources(replace(resources.settings, ddgs_engines=())))
    )
    for name in ("web_search", "search_and_scrape"):
        assert "No provider of web pages is configured. Set " in tools.run_tool(
            name, {"query": "x"}, context
        )
    assert "no search engine is configured" in tools.run_tool("search_web", {"query": "x"}, context)
    assert "URL rejected for ftp://x" in tools.run_tool("scrape_page", {"url": "ftp://x"}, context)


FIRST_CALL = """
import logging
from research_core import tools, wiring
from research_core.context import ResearchContext
logging.disable()  # a refused page is also logged
built = wiring.default_resources.cache_info
context = ResearchContext("tides")
tools.run_tool("score_source", {"url": "https://nature.com/x", "snippet": "tides"}, context)
print(built().currsize, context.deps)
print(tools.run_tool("fetch_page", {"url": "https://nature.com/x"}, context))
deps = context.deps
print(built().currsize, tools.fetch_page("https://nature.com/y", context) == "", context.deps is deps)
print(tools.run_tool("fetch_page", {"url": "https://nature.com/x"}))
print(built().currsize, built().misses, "db" in wiring.default_resources().__dict__)
"""


@pytest.mark.full
def test_the_default_resources_are_built_once_by_the_first_tool_that_goes_out() -> None:
    blocked = "Fetching blocked. Source credibility score (0.32) is below threshold (0.5)."
    blocked += " No search has listed it, so this score is provisional."
    lines = ran(FIRST_CALL).splitlines()
    assert lines == [
        "0 None",
        f'{{"error": "{blocked}"}}',
        "1 True True",
        f'{{"error": "{blocked}"}}',
        "1 1 False",
    ]


def test_all_sessions_share_a_model_also_those_that_begin_at_once(tmp_path: Path) -> None:
    resources = Resources(Settings(home=tmp_path, database_url="sqlite://"))
    with ThreadPoolExecutor(8) as pool:
        models = list(pool.map(resources.open_model, ["offline"] * 40))
    assert len({id(model) for model in models}) == 1
    resources.close()
    assert resources.open_model("offline") is not models[0]
