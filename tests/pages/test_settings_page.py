"""The Settings screen, without a browser."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from streamlit import config
from streamlit.testing.v1 import AppTest

from parts.settings import engines_and_models, state_badges
from parts.shared import health
from research_core.i18n import LANGUAGES, SOURCE_LANGUAGE, set_interface_language
from research_core.journal.cache import CacheEntry
from research_core.policy import RunSettings
from research_core.search.engines import STATE_OF_ERROR_KIND
from research_core.sessions import (
    diagnostics,
    heartbeats,
    retention,
    run_defaults,
    session_start,
    session_status,
)
from research_core.sessions.diagnostics import DiagnosticItem, TrialResult
from research_core.sessions.engine_health import Health
from research_core.settings import GEMINI_MODELS
from research_core.wiring import LOCAL_USER, Resources, default_resources
from tests.model_servers import as_json, serve, whole
from tests.sample_sessions import SHELL, SampleSessions, shown, with_shared_components, words

KEY = "not-a-real-key-0123"


@pytest.fixture
def configured(monkeypatch: pytest.MonkeyPatch, httpserver: HTTPServer) -> HTTPServer:
    """A search server with a password in its address, and a key."""
    httpserver.expect_request("/search").respond_with_data(
        json.dumps({"results": []}), content_type="application/json"
    )
    monkeypatch.setenv("SEARXNG_URL", httpserver.url_for("").rstrip("/"))
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    return httpserver


def test_screen_says_what_there_is_and_how_to_enable_the_rest(resources: Resources) -> None:
    at = shown("settings.py")
    said = words(at)
    assert {button.key for button in at.button} >= {"try_ddgs:brave"}
    assert "SEARXNG_URL=…" in said
    assert "GEMINI_API_KEY=…" in said
    assert said.count("⊘ No connection") >= 5  # four engines, archive.org: no test has a network
    assert '<b>No language model</b> <span class="badge green">✓ Ready</span>' in said
    assert "try_offline" not in {button.key for button in at.button}  # nothing to test
    assert '<b>Exa</b> <span class="badge orange">○ Missing key</span>' in said
    assert "Set <code>EXA_API_KEY</code> to use it." in said
    assert '<b>Embedding model</b> <span class="badge gray">– Off</span>' in said
    assert "It is switched off (ASSAY_SEMANTIC=0)." in said
    assert str(resources.settings.home) in said
    assert "No worker is running." in said
    assert "Start Assay again" in said


def test_what_is_missing_of_an_extra_is_said_with_what_to_type(
    resources: Resources, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "There is no Chromium on this machine" in words(shown("settings.py"))


def test_no_key_is_shown_and_what_is_secret_is_only_set(
    configured: HTTPServer, resources: Resources
) -> None:
    at = shown("settings.py")
    table = variables(at)
    assert (table["GEMINI_API_KEY"], table["SEARXNG_URL"], table["ASSAY_GEMINI_URL"]) == (
        "set changed",
        "set changed",
        "not set",
    )
    assert KEY not in words(at) + repr(table) + repr(at.session_state)


def variables(at: AppTest) -> dict[str, str]:
    """The values in the table of all settings, by name."""
    rows = re.findall(r"<th scope=row>([A-Z_0-9]+)</th><td>(.*?)</td>", words(at))
    return {name: re.sub("<.*?>", "", value) for name, value in rows}


def test_a_trial_says_what_came_and_leaves_no_session(
    configured: HTTPServer, resources: Resources
) -> None:
    at = shown("settings.py")
    at.button(key="try_searxng").click().run()
    at.session_state["trial searxng"].result.exception(20)
    at.run()
    assert not at.exception
    assert "found nothing" in words(at)
    assert len(configured.log) == 1
    assert session_status.list_sessions(resources) == []


@pytest.fixture
def model_server(monkeypatch: pytest.MonkeyPatch, httpserver: HTTPServer) -> HTTPServer:
    """A server of one's own, of whose models none is chosen."""
    serve(httpserver, [as_json(whole("Paris."))], models=["phi4", "gemma3:4b"])
    monkeypatch.setenv("ASSAY_OPENAI_BASE_URL", httpserver.url_for("/v1"))
    return httpserver


def test_models_of_a_server_are_listed_and_one_is_tested(
    model_server: HTTPServer, resources: Resources
) -> None:
    at = shown("settings.py")
    assert model_server.url_for("").rstrip("/") in words(at)
    assert not at.selectbox
    at.button(key="list_models").click().run()
    at.session_state["server_models"].result.exception(20)
    at.run()
    assert at.selectbox(key="server_model").options == [
        "phi4 · free (own server, unless it states a cost)",
        "gemma3:4b · free (own server, unless it states a cost)",
    ]
    at.selectbox(key="server_model").set_value("openai:gemma3:4b").run()
    at.button(key="test_model").click().run()
    at.session_state["server_model_trial"].result.exception(20)
    at.run()
    assert not at.exception
    assert "Paris. · 31 tokens · no cost" in words(at)


@pytest.fixture
def absent_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_OPENAI_BASE_URL", "http://127.0.0.1:9/v1")


def test_a_server_that_is_not_there_is_told_on_the_screen(
    absent_server: None, resources: Resources
) -> None:
    at = shown("settings.py")
    at.button(key="list_models").click().run()
    if "server_models" in at.session_state:  # else it ended while the screen was drawn
        at.session_state["server_models"].result.exception(20)
        at.run()
    assert not at.exception
    assert "Is the server at ASSAY_OPENAI_BASE_URL running?" in words(at)


@pytest.mark.parametrize(
    ("describe", "counts", "said"),
    [
        (engines_and_models.describe_sessions, {"answered": 7, "failed": 1},
         "in 7 of the last 8 sessions."),
        (engines_and_models.describe_sessions, {"failed": 1}, "in 0 of the last 1 session."),
        (engines_and_models.describe_searches, {"answered": 2, "empty": 1},
         "3 of the last 3 searches."),
        (engines_and_models.describe_searches, {"refused": 2}, "0 of the last 2 searches."),
    ],
)  # fmt: skip
def test_the_last_uses_of_an_engine_or_model_are_counted(
    describe: Callable[[int], str], counts: dict[str, int], said: str, resources: Resources
) -> None:
    now = default_resources().clock.now()
    used = engines_and_models._describe_use(Health(counts, now - 35, "answered"), describe)
    assert "35 s ago. It answered" in used
    assert said in used


@pytest.mark.parametrize(
    ("tried", "said"),
    [
        (
            TrialResult("brave", "answered", 0.42, "First result: Tea", 10),
            "0.4 s · 10 results · First result: Tea",
        ),
        (
            TrialResult("gemini", "answered", 1.0, "Paris.", tokens=25, cost=None),
            "1.0 s · Paris. · 25 tokens · cost unknown",
        ),
        (
            TrialResult("gemini", "answered", 1.0, "Paris.", tokens=25, cost=0.000125),
            "1.0 s · Paris. · 25 tokens · US$ 0.000125",
        ),
        (
            TrialResult("openai:a", "answered", 1.0, "Paris.", 0, 25, None, True, ("It is odd.",)),
            "1.0 s · Paris. · about 25 tokens · cost unknown · It is odd.",
        ),
        (TrialResult("brave", "refused", 1.0, "Asks for a person."), "1.0 s · Asks for a person."),
    ],
)
def test_a_trial_in_words(tried: TrialResult, said: str) -> None:
    assert engines_and_models.format_trial(tried) == said


@pytest.mark.parametrize(
    ("item", "state", "badge"),
    [
        (DiagnosticItem("brave", True), "", "✓ Ready"),
        (DiagnosticItem("brave", True), "answered", "✓ Ready"),
        (DiagnosticItem("brave", True), "empty", "✓ Ready"),
        (DiagnosticItem("brave", True), "refused", "⊘ Refused"),
        (DiagnosticItem("brave", True), "timed_out", "◷ Timed out"),
        (DiagnosticItem("gemini", True), "failed", "! Failed"),
        (DiagnosticItem("gemini", False, "GEMINI_API_KEY=…"), "", "○ Missing key"),
        (DiagnosticItem("google", False, "GOOGLE_API_KEY=… GOOGLE_ID=…"), "", "○ Missing key"),
        (DiagnosticItem("openai", False, "ASSAY_OPENAI_MODELS=…"), "failed", "– Off"),
        (DiagnosticItem("yahoo", False, "ASSAY_DDGS_ENGINES=yahoo"), "", "– Off"),
    ],
)
def test_a_badge_says_whether_it_can_be_used_now(
    item: DiagnosticItem, state: str, badge: str
) -> None:
    assert state_badges.find_badge(item, Health({state: 1}, state=state)).label == badge


@pytest.mark.parametrize("state", ["", "answered", "failed"])
def test_what_needs_the_network_is_not_ready_without_it(state: str) -> None:
    health = Health({state: 1}, state=state)
    item = DiagnosticItem("brave", True)
    assert state_badges.find_badge(item, health, is_offline=True).label == "⊘ No connection"
    missing = DiagnosticItem("exa", False, "EXA_API_KEY=…")
    assert state_badges.find_badge(missing, is_offline=True).label == "○ Missing key"


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_language_of_the_screens_is_told_with_its_setting(
    resources: Resources, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    monkeypatch.setenv("ASSAY_LANGUAGE", code)
    default_resources.cache_clear()
    set_interface_language(code)
    try:
        said = words(shown("settings.py"))
    finally:
        set_interface_language(SOURCE_LANGUAGE)
    assert LANGUAGES[code] in said
    assert "<code>ASSAY_LANGUAGE</code>" in said


# -- connecting a model ----------------------------------------------------------------------------


@pytest.fixture
def settings_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The file that run.py read; Assay was started on this machine, for its user."""
    path = tmp_path / ".env"
    path.write_text("# mine\n", encoding="utf-8")
    monkeypatch.setenv("ASSAY_ENV_FILE", str(path))
    return path


def test_a_gemini_key_is_saved_and_never_shown_again(
    settings_file: Path, resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_GEMINI_URL", "http://127.0.0.1:9")
    default_resources.cache_clear()
    at = shown("settings.py")
    at.text_input(key="new_gemini_key").set_value(KEY)
    at.button(key="save_model").click().run()
    at.session_state[f"trial gemini:{GEMINI_MODELS[0]}"].result.exception(20)
    at.run()
    assert not at.exception
    assert settings_file.read_text() == f"# mine\nGEMINI_API_KEY={KEY}\nASSAY_MODEL=auto\n"
    assert at.text_input(key="new_gemini_key").placeholder == "Set, ends in …0123"
    assert f'<b>gemini:{GEMINI_MODELS[0]}</b> <span class="badge orange">! Failed' in words(at)
    assert "Restart the workers" in words(at)  # this process runs no sessions
    assert KEY not in words(at) + repr(at.session_state) + repr(list(at))
    assert run_defaults.list_models(default_resources())[0].startswith("gemini:")


def test_an_own_server_is_connected_tested_and_removed(
    settings_file: Path, httpserver: HTTPServer, resources: Resources
) -> None:
    serve(httpserver, [as_json(whole("Paris."))], models=["phi4"])
    at = shown("settings.py")
    at.segmented_control(key="provider").set_value("openai").run()
    at.text_input(key="new_server_address").set_value(httpserver.url_for("/v1"))
    at.text_input(key="new_server_models").set_value("phi4")
    at.button(key="save_model").click().run()
    assert not at.exception
    at.session_state["trial openai:phi4"].result.exception(20)
    at.run()
    assert "Paris. · 31 tokens · no cost" in words(at)
    assert f"ASSAY_OPENAI_BASE_URL={httpserver.url_for('/v1')}\n" in settings_file.read_text()
    at.button(key="remove_model").click().run()
    assert not at.exception
    assert settings_file.read_text() == "# mine\nASSAY_MODEL=auto\n"
    assert run_defaults.list_models(resources) == ("offline",)


@pytest.mark.parametrize(
    "names", [["phi4"], ["phi4", "gemma3:4b"], ["模型:7b"], ["org/Qwen3-8B"], ["a", "b", "c"]]
)
def test_an_address_without_a_model_lists_the_models_to_choose_from(
    settings_file: Path, httpserver: HTTPServer, resources: Resources, names: list[str]
) -> None:
    serve(httpserver, [as_json(whole("Paris."))], models=names)
    at = shown("settings.py")
    at.segmented_control(key="provider").set_value("openai").run()
    at.text_input(key="new_server_address").set_value(httpserver.url_for("/v1"))
    at.button(key="save_model").click().run()
    at.session_state["server_models"].result.exception(20)
    at.run()
    assert "No model is chosen, so this server is not used yet" in words(at)
    at.selectbox(key="server_model").set_value(f"openai:{names[-1]}").run()
    at.button(key="use_server_model").click().run()
    at.session_state[f"trial openai:{names[-1]}"].result.exception(20)
    at.session_state["server_models"].result.exception(20)
    at.run()
    assert not at.exception
    assert f"ASSAY_OPENAI_MODELS={names[-1]}\n" in settings_file.read_text()
    assert "Paris. · 31 tokens · no cost" in words(at)
    assert "No model is chosen" not in words(at)
    assert "use_server_model" not in [button.key for button in at.button]


def test_a_wrong_address_without_a_model_is_told_at_once(
    settings_file: Path, resources: Resources
) -> None:
    at = shown("settings.py")
    at.segmented_control(key="provider").set_value("openai").run()
    at.text_input(key="new_server_address").set_value("http://127.0.0.1:9/v1")
    at.button(key="save_model").click().run()
    if "server_models" in at.session_state:  # else it ended while the screen was drawn
        at.session_state["server_models"].result.exception(20)
        at.run()
    assert not at.exception
    assert "No model is chosen, so this server is not used yet" in words(at)
    assert "Is the server at ASSAY_OPENAI_BASE_URL running?" in words(at)


@pytest.mark.parametrize(
    ("provider", "typed", "said"),
    [
        ("gemini", {}, "No key was entered."),
        ("gemini", {"new_gemini_key": "with space"}, "The key has spaces"),
        ("openai", {}, "No address was entered."),
        ("openai", {"new_server_address": "localhost:11434"}, "ASSAY_OPENAI_BASE_URL cannot be"),
    ],
)
def test_what_cannot_be_saved_is_told(
    settings_file: Path, resources: Resources, provider: str, typed: dict[str, str], said: str
) -> None:
    at = shown("settings.py")
    at.segmented_control(key="provider").set_value(provider).run()
    for key, value in typed.items():
        at.text_input(key=key).set_value(value)
    at.button(key="save_model").click().run()
    assert not at.exception
    assert said in words(at)
    assert settings_file.read_text() == "# mine\n"


def test_the_language_is_chosen_on_the_screen(settings_file: Path, resources: Resources) -> None:
    at = shown("settings.py")
    assert at.selectbox(key="language").options == [*LANGUAGES.values()]
    try:
        at.selectbox(key="language").set_value("de").run()
        assert not at.exception
        assert at.title[0].value == "Einstellungen"
    finally:
        set_interface_language(SOURCE_LANGUAGE)
    assert settings_file.read_text() == "# mine\nASSAY_LANGUAGE=de\n"


def test_what_the_environment_sets_is_told_and_not_editable(
    settings_file: Path, resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    monkeypatch.setenv("ASSAY_LANGUAGE", "en")
    default_resources.cache_clear()
    at = shown("settings.py")
    field = at.text_input(key="new_gemini_key")
    assert field.disabled
    assert "The environment in which Assay was started sets `GEMINI_API_KEY`." in field.help
    assert "<code>ASSAY_LANGUAGE</code>" in words(at)


OBSTACLES = {
    "sign-in": "Users sign in to this server",
    "server.address": "Other machines may reach this server",
    "server.allowedHosts": "Other machines may reach this server",
    "ASSAY_PUBLISHED_LOCALLY": "Other machines may reach this server",
    "ASSAY_ENV_FILE": "Assay was not started by",
    "protected": "cannot be written",
}


@pytest.mark.parametrize("obstacle", OBSTACLES)
def test_where_others_may_come_there_is_no_form(
    settings_file: Path, resources: Resources, monkeypatch: pytest.MonkeyPatch, obstacle: str
) -> None:
    before = {name: config.get_option(name) for name in ("server.address", "server.allowedHosts")}
    at = with_shared_components(AppTest.from_file(SHELL, default_timeout=100))
    if obstacle == "sign-in":
        at.secrets.update({"auth": {"client_id": "assay"}})
        at.user = {"is_logged_in": True, "iss": "https://id.example", "sub": "ada", "name": "Ada"}
    elif obstacle == "server.address":
        config.set_option(obstacle, "0.0.0.0")
    elif obstacle == "server.allowedHosts":
        config.set_option(obstacle, ["127.0.0.1", "assay.example.org"])
    elif obstacle == "protected":
        settings_file.chmod(0o400)
    else:
        monkeypatch.setenv(obstacle, "1" if obstacle == "ASSAY_PUBLISHED_LOCALLY" else "")
        default_resources.cache_clear()
    try:
        at.switch_page("settings.py").run()
    finally:
        for name, value in before.items():
            config.set_option(name, value)
    assert not at.exception
    assert OBSTACLES[obstacle] in words(at)
    keys = {each.key for each in (*at.button, *at.text_input, *at.selectbox)}
    assert not keys & {"save_model", "new_gemini_key", "language"}


@pytest.mark.parametrize(
    ("wanted", "only_changed", "names"),
    [
        ("searxng", False, {"SEARXNG_URL", "SEARXNG_BASIC_AUTH"}),
        ("SEARXNG address", False, {"SEARXNG_URL"}),
        ("", True, {"ASSAY_HOME"}),
        ("gemini", True, set()),
    ],
)
def test_a_setting_is_found_by_name_purpose_and_change(
    resources: Resources, wanted: str, only_changed: bool, names: set[str]
) -> None:
    at = shown("settings.py")
    at.text_input(key="variable_words").set_value(wanted)
    at.toggle(key="changed_variables").set_value(only_changed).run()
    assert not at.exception
    found = {*variables(at)}
    if names:
        assert names <= found
        assert "GEMINI_API_KEY" not in found
    else:
        assert found == set()
        assert "No setting matches." in words(at)


def test_every_state_of_a_trial_has_a_badge() -> None:
    assert {"answered", "empty", "failed", "", *STATE_OF_ERROR_KIND.values()} == set(
        health.HEALTH_BADGES
    )


def test_who_signs_in_is_shown_neither_folders_nor_hosts(samples: SampleSessions) -> None:
    heartbeats.record_beat(
        samples.resources.db, "host-of-the-worker:7:abc", samples.resources.clock.now()
    )
    private = (str(samples.resources.settings.home), "host-of-the-worker")

    def seen(asked: bool) -> str:
        at = with_shared_components(AppTest.from_file(SHELL, default_timeout=100))
        if asked:
            at.secrets.update({"auth": {"client_id": "assay"}})
            at.user = {
                "is_logged_in": True,
                "iss": "https://id.example",
                "sub": "ada",
                "name": "Ada",
            }
        at.switch_page("settings.py").run()
        assert not at.exception
        return words(at)

    assert [place in seen(asked=False) for place in private] == [True, True]
    guarded = seen(asked=True)
    assert [place in guarded for place in private] == [False, False]
    assert "Worker 1" in guarded


def test_the_page_cache_is_told_and_emptied(resources: Resources) -> None:
    at = shown("settings.py")
    assert "<th scope=row>Page cache</th><td>Empty</td>" in words(at)
    assert at.button(key="empty_cache").disabled
    kept = resources.open_page_cache(LOCAL_USER)
    assert kept is not None
    now = resources.clock.now()
    kept.put(
        "key",
        CacheEntry(
            {"url": "u", "status": 200, "headers": {}, "hops": [], "body": bytes(1_500_000)},
            None,
            now,
            60.0,
        ),
        now,
    )
    at = shown("settings.py")
    assert "<td>1 answer, 1.5 MB</td>" in words(at)
    at.button(key="empty_cache").click().run()
    assert not at.exception
    assert "<th scope=row>Page cache</th><td>Empty</td>" in words(at)
    assert retention.describe_page_cache(resources) == ""


def test_the_screen_says_whether_what_is_stored_is_sealed(
    resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "Off. <code>CACHE_ENCRYPTION_KEY=…</code> encrypts new data." in words(
        shown("settings.py")
    )
    monkeypatch.setenv("CACHE_ENCRYPTION_KEY", "0f" * 32)
    default_resources.cache_clear()
    at = shown("settings.py")
    assert "<td>AES-256-GCM</td>" in words(at)
    assert "0f0f" not in words(at)
    assert variables(at)["CACHE_ENCRYPTION_KEY"] == "set changed"


def test_a_list_of_ratings_is_imported_counts_from_then_on_and_is_removed(
    resources: Resources,
) -> None:
    at = shown("settings.py")
    assert {button.key for button in at.button} >= {"rate_lin2023", "rate_mbfc2026"}
    said = diagnostics.add_ratings(
        resources, "my list.csv", b"domain,rating\na.example,0.5\nb.example/x,1\n"
    )
    assert said.startswith(
        "my-list rates 1 site. New sessions use it. 1 row could not be read: row 2:"
    )
    at = shown("settings.py")
    assert "<b>my-list</b>" in words(at)
    (mark,) = [each.mark for each in diagnostics.list_rating_lists(resources)]
    session = session_start.new_session(resources, "What of ratings?", RunSettings())
    assert RunSettings.from_json(
        session_status.read_session_info(resources, session).row.settings
    ).ratings == (mark,)
    at.button(key="unrate_my-list").click().run()
    assert not at.exception
    assert diagnostics.list_rating_lists(resources) == ()
    assert "<b>my-list</b>" not in words(at)
