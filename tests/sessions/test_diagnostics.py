"""What this machine has, without a secret in it, and what a trial of an engine or a model comes to."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from research_core.errors import ModelError, SettingsError, UsageError
from research_core.journal import store
from research_core.journal.store import EventRow, Store
from research_core.model_messages import Json, ModelReply, ModelRequest, Usage
from research_core.models import Principal
from research_core.policy import RunSettings
from research_core.sessions import (
    diagnostics,
    heartbeats,
    session_control,
    session_start,
    session_status,
)
from research_core.settings import SETTING_ROWS, Settings
from research_core.web.fetch import browser
from research_core.wiring import LOCAL_USER, Resources
from tests.model_servers import as_json, sent, serve, whole

BEN = Principal("local", "ben")
SECRETS = {
    "GEMINI_API_KEY": "not-a-real-key-0123",
    "EXA_API_KEY": "not-a-real-key-0124",
    "SEARXNG_URL": "http://ann:hushhush@127.0.0.1:8888",
    "ASSAY_DATABASE_URL": "postgresql+psycopg://ann:hushhush@db.example.org/assay?password=hushhush",
    "ASSAY_GEMINI_URL": "https://ann:hushhush@gemini.example.org",
}


def settings(home: Path, **env: str) -> Settings:
    return Settings.from_env({"ASSAY_HOME": str(home), **env})


@pytest.fixture
def resources(tmp_path: Path) -> Iterator[Resources]:
    made = Resources(settings(tmp_path))
    yield made
    made.close()


def test_every_engine_is_listed_and_one_that_is_off_says_which_line_enables_it(
    tmp_path: Path,
) -> None:
    rows = {
        row.name: row
        for row in diagnostics.list_engines(settings(tmp_path, ASSAY_DDGS_ENGINES="brave"))
    }
    assert next(iter(rows)) == "ddgs:brave"
    assert (rows["ddgs:brave"].on, rows["searxng"].on, rows["searxng"].how) == (
        True,
        False,
        "SEARXNG_URL=…",
    )
    assert (rows["ddgs:mojeek"].on, rows["ddgs:mojeek"].how) == (
        False,
        "ASSAY_DDGS_ENGINES=brave,mojeek",
    )
    assert (rows["tavily"].on, rows["tavily"].how) == (False, "TAVILY_API_KEY=…")
    assert (rows["hackernews"].on, rows["hackernews"].how) == (
        False,
        'SEARCH_ROUTING={"web": ["hackernews", …]}',
    )
    assert diagnostics.list_engines(settings(tmp_path, SEARXNG_URL="http://127.0.0.1:9"))[
        0
    ] == diagnostics.DiagnosticItem("searxng", True)


def test_models_say_what_enables_them_and_the_one_used_by_itself_is_first(tmp_path: Path) -> None:
    assert diagnostics.list_models(settings(tmp_path)) == (
        diagnostics.DiagnosticItem("offline", True),
        diagnostics.DiagnosticItem("gemini", False, "GEMINI_API_KEY=…"),
        diagnostics.DiagnosticItem(
            "openai",
            False,
            "ASSAY_OPENAI_BASE_URL=http://localhost:11434/v1\nASSAY_OPENAI_MODELS=…",
        ),
    )
    keyed = diagnostics.list_models(
        settings(tmp_path, GEMINI_API_KEY="k", ASSAY_GEMINI_MODELS="gemini-x")
    )
    assert [(row.name, row.on) for row in keyed if row.on] == [
        ("gemini:gemini-x", True),
        ("offline", True),
    ]
    own = {"ASSAY_OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    named = diagnostics.list_models(settings(tmp_path, **own, ASSAY_OPENAI_MODELS="a:7b,b"))
    assert [row.name for row in named if row.on] == ["openai:a:7b", "openai:b", "offline"]
    # The screen that says what is missing has to open without it.
    unnamed = diagnostics.list_models(settings(tmp_path, **own, ASSAY_MODEL="openai"))
    assert [row.how for row in unnamed if row.name == "openai"] == ["ASSAY_OPENAI_MODELS=…"]


LISTED = {
    "data": [
        {"id": "b"},
        {"id": "a", "pricing": {"prompt": "0.0000005", "completion": "0.0000015"}},
        {"id": "b"},
        {"id": "  "},
        "none",
        {"id": "c-cloud", "pricing": {"prompt": "0.0000005", "completion": "0.0000015"}},
        {"id": "d-cloud", "pricing": {"prompt": "-1", "completion": "x"}},
    ]
}


def test_the_models_of_a_server_are_listed_with_what_they_cost(
    tmp_path: Path, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/v1/models").respond_with_json(LISTED)
    made = Resources(
        settings(
            tmp_path,
            ASSAY_OPENAI_BASE_URL=httpserver.url_for("/v1"),
            ASSAY_OPENAI_MODELS="d-cloud",
        )
    )
    found = [(row.name, row.chosen, row.cost) for row in diagnostics.find_server_models(made)]
    assert found == [
        ("openai:d-cloud", True, "price unknown"),
        ("openai:b", False, "free (own server, unless it states a cost)"),
        ("openai:a", False, "free (own server, unless it states a cost)"),
        ("openai:c-cloud", False, "US$ 0.5 read, 1.5 written per million tokens"),
    ]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [({"error": "no key"}, "upstream_unavailable"), ({"data": {}}, "bad_reply"), ([], "bad_reply")],
)
def test_a_server_that_does_not_tell_its_models_is_a_failure(
    tmp_path: Path, httpserver: HTTPServer, answer: object, kind: str
) -> None:
    httpserver.expect_request("/v1/models").respond_with_json(answer)
    address = {"ASSAY_OPENAI_BASE_URL": httpserver.url_for("/v1")}
    with pytest.raises(ModelError) as caught:
        diagnostics.find_server_models(Resources(settings(tmp_path, **address)))
    assert caught.value.kind == kind


def test_a_trial_of_a_server_that_is_not_there_says_how_to_start_it(tmp_path: Path) -> None:
    made = Resources(settings(tmp_path, ASSAY_OPENAI_BASE_URL="http://127.0.0.1:9/v1"))
    tried = diagnostics.try_model(made, "openai:a:7b")
    assert (tried.state, tried.cost) == ("failed", None)
    assert "ollama serve" in tried.words
    made.close()


@pytest.mark.parametrize(
    ("chain", "name", "state"),
    [
        ("a,b", "openai:a", "failed"),
        ("a,b", "openai:b", "answered"),
        ("b,a", "openai:a", "failed"),
        ("b,a", "openai", "answered"),
        ("a,b", "openai", "failed"),
        ("a,b", "", "failed"),
        ("b", "openai:c:7b", "failed"),
    ],
)
def test_a_trial_asks_one_model_and_none_in_its_place(
    tmp_path: Path, httpserver: HTTPServer, chain: str, name: str, state: str
) -> None:
    def answer(body: Json) -> Response:
        if body["model"] == "b":
            return as_json(whole("Paris", model="b"))
        return as_json({"error": {"message": f"model {body['model']} not found"}}, 404)

    serve(httpserver, answer)
    address = {"ASSAY_OPENAI_BASE_URL": httpserver.url_for("/v1"), "ASSAY_OPENAI_MODELS": chain}
    made = Resources(settings(tmp_path, **address))
    tried = diagnostics.try_model(made, name)
    assert (tried.state == "answered") == (state == "answered")
    assert len({body["model"] for body in sent(httpserver)}) == 1
    made.close()


@pytest.mark.parametrize(
    ("env", "how"),
    [
        ({}, ("", "EXA_API_KEY=…")),
        ({"EXA_API_KEY": "key-of-exa", "ASSAY_ARCHIVE": "0"}, ("ASSAY_ARCHIVE=1", "")),
        ({"ALLOWED_DOMAINS": "gov.uk"}, ("ALLOWED_DOMAINS=…,archive.org", "EXA_API_KEY=…")),
    ],
)
def test_who_reads_what_a_site_does_not_give_is_told(
    tmp_path: Path, env: dict[str, str], how: tuple[str, ...]
) -> None:
    resources = Resources(settings(tmp_path, **env))
    rows = diagnostics.list_fallback_readers(resources)
    assert [(row.name, row.how) for row in rows] == list(zip(("archive", "exa"), how, strict=True))
    assert all(row.on is not bool(row.how) for row in rows)
    resources.close()


@pytest.mark.parametrize(
    ("env", "semantic", "browser"),
    [
        (
            {"CHROME_PATH": "off", "ASSAY_SEMANTIC": "0"},
            "It is switched off (ASSAY_SEMANTIC=0).",
            "It is turned off (CHROME_PATH=off).",
        ),
        ({"CHROME_PATH": "/opt/chromium"}, "", ""),
    ],
)
def test_the_extras_say_whether_they_can_be_used(
    tmp_path: Path, env: dict[str, str], semantic: str, browser: str
) -> None:
    rows = diagnostics.list_extras(Resources(settings(tmp_path, **env)))
    assert rows == (
        diagnostics.DiagnosticItem("embedding model", not semantic, semantic),
        diagnostics.DiagnosticItem("browser", not browser, browser),
    )


def test_a_machine_without_chromium_is_told_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert diagnostics.list_extras(Resources(settings(tmp_path)))[1] == diagnostics.DiagnosticItem(
        "browser", False, browser.NO_BROWSER_MESSAGE
    )


def test_what_is_said_of_a_missing_extra_is_what_run_py_takes() -> None:
    assert browser.INSTALL_NEXT_STEP == "Install it with `python3 run.py extras browser`."


def test_every_variable_is_shown_and_no_secret_is(tmp_path: Path) -> None:
    full = settings(tmp_path, **SECRETS)
    shown = {row.name: row for row in diagnostics.list_variables(full)}
    assert set(shown) == {row.name for row in SETTING_ROWS}
    assert {shown[name].shown for name in SECRETS} == {"set"}
    assert not any(secret in repr(shown) for secret in ("hushhush", "not-a-real-key"))
    assert (shown["ASSAY_WORKERS"].shown, shown["ASSAY_WORKERS"].own, shown["ASSAY_HOME"].own) == (
        "24",
        False,
        True,
    )
    assert {row.name for row in diagnostics.list_variables(settings(tmp_path)) if row.shown == ""} >= {
        "GEMINI_API_KEY", "SEARXNG_URL", "ASSAY_DATABASE_URL",
    }  # fmt: skip


def test_where_data_lives_names_no_password(tmp_path: Path, resources: Resources) -> None:
    assert resources.db.path
    found = diagnostics.describe_stored_data(resources)
    assert (found.home, found.database) == (tmp_path, f"SQLite, {tmp_path / 'assay.db'}")
    assert found.size
    far = diagnostics.describe_stored_data(Resources(settings(tmp_path, **SECRETS)))
    assert (far.database, far.size) == ("PostgreSQL, database assay on db.example.org", None)


def test_workers_that_beat_are_alive_and_sessions_of_this_user_are_counted(
    resources: Resources,
) -> None:
    me = heartbeats.make_executor_id()
    heartbeats.record_beat(resources.db, me, resources.clock.now())
    heartbeats.record_beat(resources.db, "elsewhere:1:x", resources.clock.now() - 3600)
    session_start.new_session(resources, "What is asked?", RunSettings())
    session_start.new_session(resources, "What is asked?", RunSettings(), who=BEN)
    found = diagnostics.summarize_workers(resources)
    assert [name for name, _ in found.alive] == [me]
    assert (found.queued, found.running, found.interrupted) == (1, 0, 0)


def taken(resources: Resources, executor: str, who: Principal = LOCAL_USER) -> str:
    session = session_start.new_session(resources, "What is asked?", RunSettings(), who=who)
    store.take_session(resources.db, who, session, executor, resources.clock.now())
    return session


@pytest.mark.full
def test_sessions_are_counted_however_many_came_after_them(resources: Resources) -> None:
    me = heartbeats.make_executor_id()
    taken(resources, me)
    taken(resources, "elsewhere:1:x")
    session_control.cancel(
        resources, session_start.new_session(resources, "What is asked?", RunSettings())
    )
    session_control.delete(resources, taken(resources, "elsewhere:1:x"))
    for _ in range(201):
        session_start.new_session(resources, "What is asked?", RunSettings())
    # Now, as a slow machine makes these sessions for longer than a beat counts.
    heartbeats.record_beat(resources.db, me, resources.clock.now())
    found = diagnostics.summarize_workers(resources)
    assert (found.queued, found.running, found.interrupted) == (201, 1, 1)
    told = Counter(info.status for info in session_status.list_sessions(resources, limit=None))
    assert told == {"queued": 201, "running": 1, "interrupted": 1, "cancelled": 1}


@pytest.mark.full
def test_a_process_knows_how_many_sessions_it_runs_whoever_asked_for_them(
    resources: Resources,
) -> None:
    me, here = heartbeats.make_executor_id(), heartbeats.name_process()
    # A process 1 of another container of this name.
    namesake = f"{here.rpartition(':')[0]}:0badcafe-1"
    heartbeats.record_beat(resources.db, namesake, resources.clock.now())
    taken(resources, namesake, BEN)
    heartbeats.record_beat(resources.db, me, resources.clock.now())
    heartbeats.record_beat(resources.db, "elsewhere:1:x", resources.clock.now())
    for executor, who in (
        (me, LOCAL_USER),
        (me, BEN),
        (me, BEN),
        ("elsewhere:1:x", BEN),
        (f"{here}-before", BEN),
    ):
        taken(resources, executor, who)
    ended = taken(resources, me, BEN)
    assert diagnostics.count_running_here(resources) == 4
    Store(resources.db, BEN, ended).append(
        [EventRow("finished", "{}", outcome="done")], {}, resources.clock.now()
    )
    assert diagnostics.count_running_here(resources) == 3
    # The namesake's and the one elsewhere run too, and another container may be at work under each.
    assert diagnostics.summarize_workers(resources, who=BEN).running == 4


def test_versions_name_assay_and_what_it_stands_on() -> None:
    names = dict(diagnostics.list_versions())
    assert {"assay", "python", "sqlite", "streamlit", "ddgs"} <= set(names)
    assert "not installed" not in names.values()


# ---------------------------------------------------------------- trials


@pytest.mark.parametrize(
    ("answer", "status", "state", "words"),
    [
        (
            {
                "results": [
                    {"url": "https://tea.example.org/", "title": "Tea", "content": "Leaves."}
                ]
            },
            200,
            "answered",
            "First result: Tea",
        ),
        ({"results": []}, 200, "empty", ""),
        ({}, 403, "refused", "SearXNG"),
        ({}, 500, "failed", "SearXNG"),
    ],
    ids=["answered", "empty", "refused", "failed"],
)
def test_a_trial_of_an_engine_is_one_search_that_leaves_no_session(
    tmp_path: Path, httpserver: HTTPServer, answer: object, status: int, state: str, words: str
) -> None:
    httpserver.expect_request("/search").respond_with_data(
        json.dumps(answer), status, content_type="application/json"
    )
    resources = Resources(settings(tmp_path, SEARXNG_URL=httpserver.url_for("").rstrip("/")))
    tried = diagnostics.try_engine(resources, "searxng")
    assert (tried.name, tried.state, tried.results) == (
        "searxng",
        state,
        1 if state == "answered" else 0,
    )
    assert words in tried.words
    assert session_status.list_sessions(resources) == []
    resources.close()


@pytest.mark.parametrize(("name", "error"), [("altavista", UsageError), ("searxng", SettingsError)])
def test_what_cannot_be_tried_says_what_to_do(
    resources: Resources, name: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        diagnostics.try_engine(resources, name)


class Answers:
    """A model that answers so, or fails so."""

    name = "gemini:x"

    def __init__(self, reply: ModelReply | ModelError) -> None:
        self.reply = reply

    def open(self) -> None: ...

    def run(
        self, request: ModelRequest, on_text: Callable[[str], None] | None = None
    ) -> ModelReply:
        if isinstance(self.reply, ModelError):
            raise self.reply
        return self.reply


@pytest.mark.parametrize(
    ("reply", "state", "words", "cost"),
    [
        (ModelReply("Paris.", "x", Usage(20, 5, 0.0001)), "answered", "Paris.", 0.0001),
        (ModelReply("Paris.", "x", Usage(20, 5, None)), "answered", "Paris.", None),
        (ModelReply(" ", "x"), "empty", "", 0.0),
        (
            ModelError("The key is not valid.", kind="auth_required"),
            "refused",
            "The key is not valid.",
            None,
        ),
        (
            ModelError("It did not answer in time.", kind="timeout"),
            "timed_out",
            "It did not answer in time.",
            None,
        ),
    ],
    ids=["answered", "price unknown", "empty", "refused", "timed out"],
)
def test_a_trial_of_a_model_is_one_question(
    resources: Resources, reply: ModelReply | ModelError, state: str, words: str, cost: float | None
) -> None:
    tried = diagnostics.try_model(
        resources, "gemini:x", make=lambda _settings, _name: Answers(reply)
    )
    assert (tried.state, tried.words, tried.cost) == (state, words, cost)


def test_the_offline_model_needs_no_trial(resources: Resources) -> None:
    assert diagnostics.try_model(resources, "offline").state == "answered"
