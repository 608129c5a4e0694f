"""Settings changed on the screen: what the file says then, and what this process uses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.errors import ResearchError, SettingsError, UsageError
from research_core.i18n import SOURCE_LANGUAGE, current_language, set_interface_language
from research_core.sessions import settings_change
from research_core.sessions.settings_change import SettingsFile, find_settings_file
from research_core.settings import Settings
from research_core.wiring import Resources
from tests.test_run import run

KEY = "AIza-not-a-real-key-4f2a"
#: What a header can carry: printable ASCII without spaces.
KEYS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1)
LINES = st.lists(
    st.one_of(
        st.sampled_from(
            (
                "",
                "# GEMINI_API_KEY=old",
                "#GEMINI_API_KEY=",
                "OTHER=1 # two",
                "export A='b c'",
                "  B = x ",
            )
        ),
        st.from_regex(r"\A[A-Z]{1,8}=[a-z]{0,8}\Z"),
    )
)


@given(key=KEYS, lines=LINES, ending=st.sampled_from(("", "\n", "\r\n")))
def test_any_key_is_read_back_and_other_lines_stay(key: str, lines: list[str], ending: str) -> None:
    text = ("\r\n" if ending == "\r\n" else "\n").join(lines) + ending
    try:
        changed = settings_change.set_values(text, {"GEMINI_API_KEY": key})
    except UsageError:
        assert '"' in key
        assert "'" in key
        return
    before = run.read_env(text)
    assert run.read_env(changed) == {**before, "GEMINI_API_KEY": key}
    assert changed.startswith(text.rstrip("\r\n"))
    again = settings_change.set_values(changed, {"GEMINI_API_KEY": "other"})
    assert run.read_env(again) == {**before, "GEMINI_API_KEY": "other"}
    assert again.count("\n") == changed.count("\n")
    removed = settings_change.set_values(again, {"GEMINI_API_KEY": ""})
    assert run.read_env(removed) == before


@given(value=st.text())
def test_no_value_adds_a_line(value: str) -> None:
    try:
        changed = settings_change.set_values("A=1\n", {"ASSAY_OPENAI_MODELS": value})
    except UsageError:
        assert not value.isprintable() or {"'", '"'} <= {*value}
        return
    assert run.read_env(changed) == {"A": "1"} | ({"ASSAY_OPENAI_MODELS": value} if value else {})


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("", "KEY=new\n"),
        ("A=1", "A=1\nKEY=new\n"),
        ("A=1\r\nB=2\r\n", "A=1\r\nB=2\r\nKEY=new\r\n"),
        ("KEY=one\nKEY=two\nB=2", "KEY=one\nKEY=new\nB=2"),
        ("  export KEY = 'a b'  # mine\r\nB=2\r\n", "  export KEY = new  # mine\r\nB=2\r\n"),
        ("\ufeffKEY=\n", "\ufeffKEY=new\n"),
        ("# KEY=old\nKEYS=1\n", "# KEY=old\nKEYS=1\nKEY=new\n"),
    ],
)
def test_the_line_that_counts_is_changed(text: str, changed: str) -> None:
    assert settings_change.set_values(text, {"KEY": "new"}) == changed
    removed = run.read_env(settings_change.set_values(changed, {"KEY": ""}))
    assert removed == {name: v for name, v in run.read_env(text).items() if name != "KEY"}


@pytest.fixture
def resources(assay_home: Path) -> Resources:
    return Resources(Settings.from_env({"ASSAY_HOME": str(assay_home)}))


@pytest.fixture
def file(tmp_path: Path) -> SettingsFile:
    path = tmp_path / ".env"
    path.write_text("# mine\nASSAY_CONTACT=me # note\n", encoding="utf-8")
    path.chmod(0o644)
    return SettingsFile(path, frozenset())


def test_a_key_is_used_at_once_and_only_its_owner_reads_the_file(
    resources: Resources, file: SettingsFile
) -> None:
    offline = resources.open_model("")
    settings_change.change_settings(resources, file, {"GEMINI_API_KEY": f"  {KEY}\n"})
    assert file.path.read_text() == f"# mine\nASSAY_CONTACT=me # note\nGEMINI_API_KEY={KEY}\n"
    assert file.path.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in file.path.parent.iterdir()] == [".env"]
    assert (offline.name, resources.open_model("").name[:7]) == ("offline", "gemini:")
    assert KEY not in repr(resources)


def test_a_link_stays_and_the_file_it_leads_to_is_changed(
    resources: Resources, tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (tmp_path / ".env").symlink_to(kept / "env")
    file = SettingsFile(tmp_path / ".env", frozenset())
    settings_change.change_settings(resources, file, {"GEMINI_API_KEY": KEY})
    assert (tmp_path / ".env").is_symlink()
    assert (kept / "env").read_text() == f"GEMINI_API_KEY={KEY}\n"


def test_the_new_server_may_be_asked_and_the_old_one_no_longer(
    resources: Resources, file: SettingsFile
) -> None:
    server = {"ASSAY_OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "ASSAY_OPENAI_MODELS": "a, b"}
    settings_change.change_settings(resources, file, server)
    assert resources.settings.openai_models == ("a", "b")
    assert resources.settings.endpoints == {"http://127.0.0.1:9"}
    assert {(each.host, each.port) for each in resources.client._endpoints} == {("127.0.0.1", 9)}
    settings_change.change_settings(resources, file, dict.fromkeys(server, ""))
    assert resources.client._endpoints == frozenset()
    assert file.path.read_text() == "# mine\nASSAY_CONTACT=me # note\n"


@pytest.mark.parametrize(
    ("address", "kept"),
    [
        ("http://127.0.0.1:9/v1", True),
        ("http://127.0.0.1:9/v2/", True),
        ("http://127.0.0.1:10/v1", False),
        ("https://127.0.0.1:9/v1", False),
        ("https://other.example/v1", False),
        ("", False),
    ],
)
def test_a_key_is_not_sent_to_another_server(
    resources: Resources, file: SettingsFile, address: str, kept: bool
) -> None:
    """Who changes the address without knowing the key must not learn it."""
    first = {
        "ASSAY_OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
        "ASSAY_OPENAI_MODELS": "a",
        "ASSAY_OPENAI_API_KEY": KEY,
    }
    settings_change.change_settings(resources, file, first)
    settings_change.change_settings(resources, file, {"ASSAY_OPENAI_BASE_URL": address})
    assert (resources.settings.openai_api_key == KEY) is kept
    assert (KEY in file.path.read_text()) is kept


@pytest.mark.parametrize(
    "changes",
    [
        {"GEMINI_API_KEY": "two words-4f2a"},
        {"GEMINI_API_KEY": "line\nASSAY_HOME=/tmp-4f2a"},
        {"GEMINI_API_KEY": "schlüssel-4f2a"},
        {"GEMINI_API_KEY": "\"'-4f2a"},
        {"ASSAY_OPENAI_BASE_URL": "ftp://user:pass-4f2a@host"},
        {"ASSAY_MODEL": "gemini"},
        {"ASSAY_MODEL": "openai:x"},
        {"ASSAY_MODEL": "unknown"},
        {"ASSAY_LANGUAGE": "xx"},
        {"ASSAY_OPENAI_MODELS": "a\x00b"},
    ],
)
def test_what_cannot_be_used_changes_nothing(
    resources: Resources, file: SettingsFile, changes: dict[str, str]
) -> None:
    before = (file.path.read_bytes(), resources.settings)
    with pytest.raises((UsageError, SettingsError)) as caught:
        settings_change.change_settings(resources, file, changes)
    assert (file.path.read_bytes(), resources.settings) == before
    assert "4f2a" not in caught.value.sentence()


def test_what_the_environment_sets_is_not_changed(resources: Resources, tmp_path: Path) -> None:
    file = SettingsFile(tmp_path / ".env", frozenset({"GEMINI_API_KEY"}))
    with pytest.raises(UsageError, match="GEMINI_API_KEY"):
        settings_change.change_settings(resources, file, {"GEMINI_API_KEY": KEY})
    assert not file.path.exists()


def test_only_listed_variables_can_be_changed(resources: Resources, file: SettingsFile) -> None:
    with pytest.raises(KeyError):
        settings_change.change_settings(resources, file, {"ASSAY_DATABASE_URL": "sqlite:///x"})


def test_a_file_that_cannot_be_written_is_told_without_the_key(
    resources: Resources, tmp_path: Path
) -> None:
    for path in (tmp_path, tmp_path / "no" / "folder"):
        file = SettingsFile(path, frozenset())
        with pytest.raises(SettingsError) as caught:
            settings_change.change_settings(resources, file, {"GEMINI_API_KEY": KEY})
        assert KEY not in caught.value.sentence()
        assert caught.value.__cause__ is None
    assert list(tmp_path.iterdir()) == []
    assert resources.settings.gemini_api_key == ""


def test_a_protected_file_is_not_offered(file: SettingsFile, tmp_path: Path) -> None:
    assert settings_change.is_writable(file.path)
    assert settings_change.is_writable(tmp_path / "new")
    assert not settings_change.is_writable(tmp_path / "no" / "folder")
    file.path.chmod(0o444)
    assert not settings_change.is_writable(file.path)


def test_the_language_of_the_screens_changes_at_once(
    resources: Resources, file: SettingsFile
) -> None:
    try:
        settings_change.change_settings(resources, file, {"ASSAY_LANGUAGE": "pt"})
        assert current_language() == "pt"
    finally:
        set_interface_language(SOURCE_LANGUAGE)
    assert re.search(r"^ASSAY_LANGUAGE=pt$", file.path.read_text(), re.M)


@pytest.mark.parametrize(
    ("key", "shown"), [("", ""), ("short-key", ""), (KEY, "…4f2a"), ("x" * 15, "")]
)
def test_of_a_key_only_its_end_is_shown(key: str, shown: str) -> None:
    assert settings_change.describe_key(key) == shown


@pytest.mark.parametrize(
    ("env", "overridden"),
    [
        ({}, None),
        ({"ASSAY_ENV_FILE": "/x/.env"}, set()),
        ({"ASSAY_ENV_FILE": "/x/.env", "GEMINI_API_KEY": "k"}, {"GEMINI_API_KEY"}),
        (
            {
                "ASSAY_ENV_FILE": "/x/.env",
                "GEMINI_API_KEY": "",
                "ASSAY_ENV_FILE_NAMES": "ASSAY_MODEL",
            },
            {"GEMINI_API_KEY"},
        ),
        (
            {
                "ASSAY_ENV_FILE": "/x/.env",
                "GEMINI_API_KEY": "k",
                "ASSAY_MODEL": "auto",
                "ASSAY_ENV_FILE_NAMES": "GEMINI_API_KEY,ASSAY_MODEL,OTHER",
            },
            set(),
        ),
    ],
)
def test_what_the_environment_sets_itself_is_known(
    env: dict[str, str], overridden: set[str] | None
) -> None:
    found = find_settings_file(env)
    assert (found and found.overridden) == overridden


def test_errors_are_the_core_s(resources: Resources, file: SettingsFile) -> None:
    file.path.write_bytes(b"\xff=1\n")
    with pytest.raises(ResearchError, match="UTF-8"):
        settings_change.change_settings(resources, file, {"GEMINI_API_KEY": KEY})
    assert file.path.read_bytes() == b"\xff=1\n"
