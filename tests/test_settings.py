"""The one reader of the environment: its defaults, what it refuses, and the example file it
generates.
"""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from research_core.errors import SettingsError
from research_core.llm import MODEL_FAMILIES
from research_core.search.providers import KINDS, ROUTED_AS, ddgs, list_rows_of_kind
from research_core.settings import (
    SETTING_ROWS,
    Settings,
    format_env_example,
    origin_of,
    read_owner_file,
)
from research_core.values import (
    DDGS_ENGINE_NAMES,
    MODEL_FAMILY_NAMES,
    ROUTED_PROVIDERS,
    SITES,
)

ROOT = Path(__file__).parents[1]
NAMES = [row.name for row in SETTING_ROWS]


OWN_MODELS = {"ASSAY_OPENAI_BASE_URL": "http://h/v1", "ASSAY_OPENAI_MODELS": "gemma3:4b,模型,same"}


@pytest.mark.parametrize(
    ("model", "read"),
    [
        ("gemini-3.5-flash", "gemini:gemini-3.5-flash"),
        ("gemma3:4b", "openai:gemma3:4b"),
        (" 模型 ", "openai:模型"),
        ("openai:gemma3:4b", "openai:gemma3:4b"),
        ("openai:elsewhere", "openai:elsewhere"),
        ("", "auto"),
    ],
)
def test_the_default_model_takes_a_bare_name_that_one_provider_lists(model: str, read: str) -> None:
    env = {**OWN_MODELS, "ASSAY_GEMINI_MODELS": "gemini-3.5-flash,same", "ASSAY_MODEL": model}
    assert Settings.from_env(env).model == read


@pytest.mark.parametrize("variable", ["ASSAY_WRITER", "ASSAY_JUDGE"])
@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("gemini-3.5-flash", "gemini:gemini-3.5-flash"),
        (" gemma3:4b ", "openai:gemma3:4b"),
        ("模型", "openai:模型"),
        ("same", "same"),
        ("offline", "offline"),
        ("", ""),
    ],
)
def test_the_writer_and_the_judge_take_a_bare_name_too(variable: str, name: str, read: str) -> None:
    env = {**OWN_MODELS, "ASSAY_GEMINI_MODELS": "gemini-3.5-flash,same", variable: name}
    settings = Settings.from_env(env)
    assert getattr(settings, variable.removeprefix("ASSAY_").lower()) == read


@pytest.mark.parametrize("model", ["same", "gemma3", "gemini-0", "GEMMA3:4B", "no/such"])
def test_a_bare_name_that_no_provider_or_more_than_one_lists_is_refused(model: str) -> None:
    env = {**OWN_MODELS, "ASSAY_GEMINI_MODELS": "gemini-3.5-flash,same", "ASSAY_MODEL": model}
    with pytest.raises(SettingsError, match="is not one of the models"):
        Settings.from_env(env)


def test_each_field_has_one_row_and_each_row_a_field() -> None:
    assert sorted(row.field for row in SETTING_ROWS) == sorted(
        field.name for field in fields(Settings)
    )
    assert len(set(NAMES)) == len(NAMES)


def test_an_empty_environment_gives_the_defaults() -> None:
    settings = Settings.from_env({"ASSAY_HOME": "/somewhere"})
    assert settings == Settings(
        home=Path("/somewhere"), database_url="sqlite:////somewhere/assay.db"
    )
    assert settings == Settings.from_env(
        {"ASSAY_HOME": "/somewhere", **{name: "  " for name in NAMES if name != "ASSAY_HOME"}}
    )
    assert Settings.from_env({}).home == Path("~/.assay").expanduser()


@pytest.mark.parametrize(
    ("name", "text", "field", "value"),
    [
        ("ASSAY_HOME", "~/elsewhere", "home", Path("~/elsewhere").expanduser()),
        ("ASSAY_HOME", "relative", "home", Path("relative").absolute()),
        (
            "ASSAY_DATABASE_URL",
            "postgresql+psycopg://u@h/d",
            "database_url",
            "postgresql+psycopg://u@h/d",
        ),
        ("ASSAY_DATABASE_URL", "sqlite:////tmp/x.db", "database_url", "sqlite:////tmp/x.db"),
        ("ASSAY_MODEL", "offline", "model", "offline"),
        ("GEMINI_API_KEY", " key ", "gemini_api_key", "key"),
        ("ASSAY_GEMINI_URL", "http://127.0.0.1:9/", "gemini_base_url", "http://127.0.0.1:9"),
        ("ASSAY_GEMINI_MODELS", " a, b ,,c", "gemini_models", ("a", "b", "c")),
        ("SEARXNG_URL", "https://search.example/s/", "searxng_url", "https://search.example/s"),
        ("ASSAY_DDGS_ENGINES", "brave", "ddgs_engines", ("brave",)),
        ("ASSAY_CONTACT", "+mailto:me@example.org", "contact", "+mailto:me@example.org"),
        ("ASSAY_LANGUAGE", "de", "language", "de"),
        ("ASSAY_LANGUAGE", "pt_BR", "language", "pt"),
        ("ASSAY_LANGUAGE", "", "language", "en"),
        ("ASSAY_WORKERS", "3", "workers", 3),
        ("ASSAY_SESSIONS_AT_ONCE", "16", "sessions_at_once", 16),
        ("ASSAY_BUSY_TIMEOUT", "0.5", "busy_timeout_s", 0.5),
        ("ASSAY_WORKER_ONLY", "1", "worker_only", True),
        ("ASSAY_WORKER_ONLY", "0", "worker_only", False),
        ("ASSAY_PUBLISHED_LOCALLY", "1", "published_locally", True),
        (
            "ALLOWED_DOMAINS",
            " Example.org , *.gov.uk,.bücher.example,example.org",
            "allowed_domains",
            ("example.org", "gov.uk", "xn--bcher-kva.example"),
        ),
        ("ASSAY_ARCHIVE", "0", "archive", False),
        ("ASSAY_ARCHIVE", "", "archive", True),
        ("EXA_API_KEY", " key ", "exa_api_key", "key"),
        ("CHROME_PATH", "/opt/chromium", "chrome_path", "/opt/chromium"),
        ("ASSAY_BROWSER_SANDBOX", "0", "browser_sandbox", False),
        ("OAUTH_ISSUER_URL", "https://id.example/", "issuer", "https://id.example/"),
        ("OAUTH_ISSUER_URL", "http://127.0.0.1:9", "issuer", "http://127.0.0.1:9"),
        ("ADMIN_API_KEY", "sixteen letters.", "admin_key", "sixteen letters."),
        ("RATE_LIMIT_PER_MINUTE", "0", "per_minute", 0),
        (
            "CORS_ALLOWED_ORIGINS",
            "https://a.example, http://localhost:3000",
            "cors_origins",
            ("https://a.example", "http://localhost:3000"),
        ),
    ],
)
def test_a_variable_fills_its_field(name: str, text: str, field: str, value: object) -> None:
    assert getattr(Settings.from_env({name: text}), field) == value


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ASSAY_DATABASE_URL", "mysql://h/d"),
        ("ASSAY_DATABASE_URL", "postgresql://h/d"),
        ("ASSAY_GEMINI_URL", "ftp://h"),
        ("ASSAY_GEMINI_URL", "http://"),
        ("SEARXNG_URL", "search.example"),
        ("SEARXNG_URL", "http://h:99999"),
        ("SEARXNG_URL", "http://h:0"),
        ("SEARXNG_URL", "https://h/search?q=%s"),
        ("ASSAY_OPENAI_BASE_URL", "https://h/v1?api-version=2024-10-21"),
        ("ASSAY_OPENAI_BASE_URL", "http://h/v1#/models"),
        ("SEARXNG_URL", "http://[::1"),
        ("ASSAY_GEMINI_MODELS", ","),
        ("ASSAY_DDGS_ENGINES", " , "),
        ("ASSAY_DDGS_ENGINES", "brave,altavista"),
        ("ASSAY_MODEL", "offline:large"),
        ("ASSAY_MODEL", "gemini:"),
        ("ASSAY_CONTACT", "me\nX-Header: 1"),
        ("ASSAY_CONTACT", "mé"),
        ("ASSAY_LANGUAGE", "sv"),
        ("ASSAY_LANGUAGE", "deutsch"),
        ("ASSAY_LANGUAGE", "../de"),
        ("ASSAY_WORKERS", "0"),
        ("ASSAY_WORKERS", "-1"),
        ("ASSAY_WORKERS", "many"),
        ("ASSAY_WORKERS", "0.5"),
        ("ASSAY_WORKERS", "inf"),
        ("ASSAY_BUSY_TIMEOUT", "0"),
        ("ASSAY_BUSY_TIMEOUT", "nan"),
        ("ASSAY_BUSY_TIMEOUT", "inf"),
        ("ASSAY_BUSY_TIMEOUT", "soon"),
        ("ASSAY_WORKER_ONLY", "true"),
        ("ASSAY_PUBLISHED_LOCALLY", "yes"),
        ("ALLOWED_DOMAINS", "https://example.org"),
        ("ALLOWED_DOMAINS", "example..org"),
        ("ALLOWED_DOMAINS", "example.org gov.uk"),
        ("ASSAY_ARCHIVE", "no"),
        ("OAUTH_ISSUER_URL", "http://id.example"),
        ("OAUTH_ISSUER_URL", "https://id.example/?a=b"),
        ("OAUTH_ISSUER_URL", "https://me:pw@id.example/"),
        ("OAUTH_JWKS_URL", "id.example/keys"),
        ("ADMIN_API_KEY", "fifteen letters"),
        ("ADMIN_API_KEY_PREV", "sixteen lettérs and more"),
        ("RATE_LIMIT_PER_MINUTE", "-1"),
        ("CORS_ALLOWED_ORIGINS", "*"),
        ("CORS_ALLOWED_ORIGINS", "https://a.example/"),
        ("CORS_ALLOWED_ORIGINS", "https://a.example/page"),
    ],
)
def test_a_bad_value_names_the_variable_and_what_it_takes(name: str, text: str) -> None:
    with pytest.raises(SettingsError, match=f"^{name} cannot be ") as caught:
        Settings.from_env({name: text})
    assert (
        caught.value.next_step
        == f"Its meaning: {next(row.meaning for row in SETTING_ROWS if row.name == name)}"
    )


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("ASSAY_MODEL", "gpt", "'gpt' is not one of the models: auto, offline, gemini"),
        ("ASSAY_MODEL", "Gémini", "'Gémini' is not one of the models: auto, offline, gemini"),
        ("ASSAY_DDGS_ENGINES", "brave, yahooo", "'yahooo' is not one of the engines: duckduckgo, "),
        ("ASSAY_DDGS_ENGINES", "百度", "'百度' is not one of the engines: duckduckgo, "),
        ("ASSAY_SITES", "arxiv,kino", "'kino' is not one of the sites: youtube, "),
        ("ASSAY_WORKERS", "abc", "it must be a whole number"),
        ("ASSAY_WORKERS", "1,5", "it must be a whole number"),
        ("RATE_LIMIT_PER_DAY", "viele", "it must be a whole number"),
        ("ASSAY_BUSY_TIMEOUT", "bientôt", "it must be a number"),
        ("ASSAY_HOST_DELAY", "½", "it must be a number"),
        ("SESSION_TTL", "4x", "it must be a number"),
        ("SEARCH_ROUTING", "nonsense", "'nonsense' is not one of the providers: searxng, brave, "),
        ("SEARCH_ROUTING", "brave,Größe", "'Größe' is not one of the providers: searxng, brave, "),
        ("SEARCH_ROUTING", '{"web"', "it is not JSON (Expecting ':' delimiter"),
        ("SEARCH_ROUTING", "[" * 100_000, "it is not JSON ("),
        ("SEARCH_ROUTING", '["brave"]', "the JSON must be an object such as "),
        (
            "SEARCH_ROUTING",
            '{"web": ["nope"]}',
            "'nope' is not one of the providers of web: searxng",
        ),
        ("SEARCH_ROUTING", '{"news": "mojeek"}', "'mojeek' is not one of the providers of news: "),
        ("SEARCH_ROUTING", '{"wobs": ["brave"]}', "'wobs' is not one of the kinds: default, web, "),
        ("SEARCH_ROUTING", '{"web": [1]}', "'web' takes a list of providers"),
        ("SEARCH_ROUTING", '{"web": null}', "'web' takes a list of providers"),
        ("SEARCH_ROUTING", '{"web": []}', "it names nothing"),
    ],
)
def test_a_bad_value_is_shown_with_what_is_allowed(name: str, text: str, reason: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.from_env({name: text})
    assert caught.value.message.startswith(f"{name} cannot be {text!r}: {reason}")


@pytest.mark.parametrize(
    ("text", "routing"),
    [
        ("", {}),
        ("searxng, mojeek", {"default": ("searxng", "mojeek")}),
        ('{"web": ["mojeek", "ddgs:brave"]}', {"web": ("mojeek", "ddgs:brave")}),
        ('{"news": "brave, serper"}', {"news": ("brave", "serper")}),
        (
            '{"default": ["exa"], "academic": ["arxiv"]}',
            {"default": ("exa",), "academic": ("arxiv",)},
        ),
    ],
)
def test_an_order_of_providers_is_read_for_all_kinds_or_by_kind(
    text: str, routing: dict[str, tuple[str, ...]]
) -> None:
    assert Settings.from_env({"SEARCH_ROUTING": text}).routing == routing


def test_the_names_that_settings_take_are_those_there_are() -> None:
    kinds = {ROUTED_AS.get(kind, kind): list_rows_of_kind(kind) for kind in KINDS}
    assert {kind: sorted(names) for kind, names in ROUTED_PROVIDERS.items()} == {
        kind: sorted(row.name for row in rows) for kind, rows in kinds.items()
    }
    assert set(DDGS_ENGINE_NAMES) == set(ddgs.HONOURS)
    assert set(MODEL_FAMILY_NAMES) == {"auto", *MODEL_FAMILIES}


def test_a_refused_address_shows_no_password() -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.from_env({"ASSAY_DATABASE_URL": "mysql://user:s3cret@host/d"})
    assert "s3cret" not in caught.value.sentence()
    assert "host" in caught.value.sentence()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("GEMINI_API_KEY", "s3cret"),
        ("EXA_API_KEY", "s3cret"),
        ("ASSAY_DATABASE_URL", "postgresql+psycopg://u:s3cret@h/d"),
        ("SEARXNG_URL", "http://u:s3cret@h"),
        ("ADMIN_API_KEY", "s3cret and more of it"),
        ("ADMIN_API_KEY_PREV", "s3cret and more of it"),
    ],
)
def test_secrets_stay_out_of_repr(name: str, text: str) -> None:
    assert "s3cret" not in repr(Settings.from_env({name: text}))


def test_the_user_agent_carries_the_contact() -> None:
    assert Settings.from_env({}).user_agent == "ResearchAgent/1.0 (+contact)"
    assert (
        Settings.from_env({"ASSAY_CONTACT": "+https://me.example"}).user_agent
        == "ResearchAgent/1.0 (+https://me.example)"
    )


def test_who_refuses_programs_without_an_address_is_told_one_and_nobody_else_is() -> None:
    env = {"ASSAY_HOME": "/tmp/a", "OPENALEX_EMAIL": "tea@example.org"}
    assert Settings.from_env(env).agents == {"sec.gov": "ResearchAgent/1.0 tea@example.org"}
    assert Settings.from_env({**env, "EDGAR_CONTACT_EMAIL": "sec@example.org"}).agents == {
        "sec.gov": "ResearchAgent/1.0 sec@example.org"
    }
    assert Settings.from_env({}).agents == {"sec.gov": ""}


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://h", "http://h:80"),
        ("https://H/path?q#f", "https://h:443"),
        ("http://127.0.0.1:8888/s", "http://127.0.0.1:8888"),
        ("http://[::1]:9/", "http://[::1]:9"),
        ("http://user:pw@h/", "http://h:80"),
    ],
)
def test_origin(url: str, expected: str) -> None:
    assert origin_of(url) == expected


def test_the_endpoints_are_the_origins_that_were_configured() -> None:
    assert Settings.from_env({}).endpoints == frozenset()
    configured = Settings.from_env(
        {"SEARXNG_URL": "http://127.0.0.1:8888/s", "ASSAY_GEMINI_URL": "https://g.example"}
    )
    assert configured.endpoints == {"http://127.0.0.1:8888", "https://g.example:443"}
    issuer = Settings.from_env(
        {
            "OAUTH_ISSUER_URL": "https://id.example/realm",
            "OAUTH_JWKS_URL": "https://keys.example/all",
        }
    )
    assert issuer.endpoints == {"https://id.example:443", "https://keys.example:443"}


@pytest.mark.parametrize(
    ("env", "asked"),
    [
        ({}, ("archive",)),
        ({"ASSAY_ARCHIVE": "0"}, ()),
        ({"EXA_API_KEY": "key"}, ("archive", "exa")),
        ({"ASSAY_ARCHIVE": "0", "EXA_API_KEY": "key"}, ("exa",)),
        ({"ALLOWED_DOMAINS": "example.org"}, ()),
        ({"ALLOWED_DOMAINS": "example.org,archive.org"}, ("archive",)),
        ({"ALLOWED_DOMAINS": "org"}, ("archive",)),
        ({"ALLOWED_DOMAINS": "chive.org"}, ()),
    ],
)
def test_third_parties_are_asked_for_pages_as_the_owner_allows(
    env: dict[str, str], asked: tuple[str, ...]
) -> None:
    assert Settings.from_env(env).fallbacks == asked


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", SITES),
        ("none", ()),
        ("x", ("x",)),
        ("hn, youtube", ("youtube", "hn")),
        (",".join(SITES), SITES),
    ],
)
def test_sites_with_readers_of_their_own_can_be_named_or_switched_off(
    text: str, names: tuple[str, ...]
) -> None:
    assert Settings.from_env({"ASSAY_SITES": text}).sites == names


@pytest.mark.parametrize("text", ["0", ",", "x,none", "twitter"])
def test_a_site_nobody_reads_is_refused(text: str) -> None:
    with pytest.raises(SettingsError, match="ASSAY_SITES"):
        Settings.from_env({"ASSAY_SITES": text})


def test_the_endpoint_of_a_paid_reader_is_one_only_with_its_key() -> None:
    assert Settings.from_env({"EXA_API_KEY": "key"}).endpoints == {"https://api.exa.ai:443"}


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (None, "it cannot be read (No such file or directory)"), (b"{", "it is not JSON ("), (b"\xff", "it is not JSON ("),
        (b"[" * 100_000, "it is not JSON ("), (b'"two"', "invalid literal for int()"),
    ],
    ids=["none", "broken", "no text", "deep", "refused"],
)  # fmt: skip
def test_an_owner_s_file_that_cannot_be_used_is_named_with_the_reason_and_what_to_do(
    tmp_path: Path, body: bytes | None, why: str
) -> None:
    file = tmp_path / "count.json"
    if body is not None:
        file.write_bytes(body)
    with pytest.raises(SettingsError) as caught:
        read_owner_file(file, int, "COUNT_PATH", what="count", otherwise="leave COUNT_PATH empty")
    assert caught.value.message.startswith(f"COUNT_PATH: {file} is not a count: {why}")
    assert caught.value.next_step == "Correct it, or leave COUNT_PATH empty."


def test_an_owner_s_file_is_what_its_reader_makes_of_it(tmp_path: Path) -> None:
    file = tmp_path / "count.json"
    file.write_text('"7"', encoding="utf-8")
    assert read_owner_file(file, int, "COUNT_PATH", what="count", otherwise="leave it empty") == 7


def test_the_example_file_is_generated() -> None:
    assert (ROOT / ".env.example").read_text(encoding="utf-8") == format_env_example(), (
        "Write settings.format_env_example() to .env.example."
    )


def test_the_example_lists_every_variable_with_its_default() -> None:
    shown = dict(re.findall(r"^#([A-Z_]+)=(.*)$", format_env_example(), re.MULTILINE))
    assert list(shown) == NAMES
    assert Settings.from_env(shown) == Settings.from_env({})
    assert all(
        f"# {row.meaning}\n" in format_env_example() and "\n" not in row.meaning
        for row in SETTING_ROWS
    )
