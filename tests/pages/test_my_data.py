"""The screen My data, without a browser: what is kept about whoever looks, their word on it, and
all of it gone.
"""

from __future__ import annotations

import json

import pytest
from streamlit.testing.v1 import AppTest

from parts.my_data import stored_data
from research_core.interfaces.cli.commands import main
from research_core.journal import session_admin, store
from research_core.models import Principal
from research_core.sessions import user_summary
from research_core.userdata import analytics, memory, workspaces
from research_core.userdata.analytics import ToolUsage
from research_core.userdata.export_and_erase import NOT_EXPORTED
from research_core.wiring import LOCAL_USER, Resources, default_resources
from tests.sample_sessions import (
    SHELL,
    SampleSessions,
    keys,
    links,
    shown,
    with_shared_components,
    words,
)

HOSTILE = "<b>bold</b> ![beacon](http://evil.example/b.png)"
ON = {"MEMORY_ENABLED": "true", "WORKSPACES_ENABLED": "true", "USER_ANALYTICS_ENABLED": "true"}


@pytest.fixture
def on(resources: Resources, monkeypatch: pytest.MonkeyPatch) -> Resources:
    """The resources behind the screen, with everything switched on."""
    for name, value in ON.items():
        monkeypatch.setenv(name, value)
    default_resources.cache_clear()
    return default_resources()


def fill(resources: Resources, who: Principal = LOCAL_USER) -> None:
    db, now = resources.db, resources.clock.now()
    for purpose in ("memory", "analytics", "workspace"):
        user_summary.set_consent(resources, purpose, True, who=who)
    memory.save_note(
        db, who, f"The note of {who.user}", "tea", "https://example.org/a", ["one", "two"], now
    )
    memory.save_note(db, who, HOSTILE, "=cmd()", "javascript:alert(1)", [], now - 60)
    for name in ("lab", HOSTILE):
        workspaces.add_member(db, name, who, now)
    workspaces.add_contribution(db, who, "lab", f"What {who.user} shared", "", [], now)
    workspaces.add_contribution(db, who, HOSTILE, "There", "", [], now)
    workspaces.remove_member(db, "lab", who)
    for tool, count in (("web_search", 3), ("scrape_page", 1)):
        for _ in range(count):
            analytics.count_tool_call(db, who, tool, now)
    store.create_session(db, who, f"s{who.user[-3:]}", "What is asked?", {"mode": "quick"}, now)


def erase(at: AppTest, word: str) -> AppTest:
    at.text_input(key="erase_word").set_value(word)
    next(button for button in at.button if button.label == "Erase my data").click().run()
    assert not at.exception
    return at


def test_where_nothing_is_kept_it_says_what_would_be_and_by_what(resources: Resources) -> None:
    at = shown("my_data.py")
    said = words(at)
    assert "Without sign-in, all users here share it." in said
    for setting in ON:
        assert f'title="{setting}=true">Turned off. The administrator can turn it on.' in said
    assert said.count("– Off</span>") == 3
    assert not {"agree_memory", "agree_analytics", "agree_workspace"} & keys(at)
    assert '<td title="ASSAY_RETENTION_DAYS">no time limit</td>' in said
    assert "Nothing is stored about you yet." in said
    at.button(key="ask_first").click().run()
    assert not at.exception
    assert "go" in keys(at)


def test_consent_is_given_and_withdrawn_with_one_click_each(on: Resources) -> None:
    at = shown("my_data.py")
    assert words(at).count("○ Not agreed") == 3
    at.button(key="agree_memory").click().run()
    assert user_summary.read_user_summary(on).purposes[0].since is not None
    assert "✓ Agreed" in words(at)
    assert {"withdraw_memory", "agree_analytics", "agree_workspace"} <= keys(at)
    at.button(key="withdraw_memory").click().run()
    assert not at.exception
    assert user_summary.read_user_summary(on).purposes[0].since is None
    assert "Withdrawn 2" in words(at)


def test_consent_can_be_withdrawn_where_its_use_is_switched_off(resources: Resources) -> None:
    user_summary.set_consent(resources, "memory", True)
    at = shown("my_data.py")
    assert 'title="MEMORY_ENABLED=true">Turned off.' in words(at)
    at.button(key="withdraw_memory").click().run()
    assert user_summary.read_user_summary(resources).purposes[0].since is None


def test_all_that_is_kept_is_shown_and_nothing_of_it_is_markup(on: Resources) -> None:
    fill(on)
    at = shown("my_data.py")
    said = words(at)
    for label, count in (("Notes", 2), ("Shared findings", 2), ("Tool calls", 4), ("Sessions", 1)):
        assert f"<th scope=row>{label}</th><td>{count}</td>" in said
    assert "no longer a member" in said
    assert ("sessions", "Open Sessions") in links(at)
    notes, *shared, counts = (frame.value for frame in at.dataframe)
    assert list(notes["Note"]) == ["The note of local", HOSTILE]
    assert list(notes["Topic"]) == ["tea", "'=cmd()"]
    assert sorted(each["Finding"][0] for each in shared) == ["There", "What local shared"]
    assert dict(zip(counts["Tool"], counts["Calls"], strict=True)) == {
        "web_search": 3,
        "scrape_page": 1,
    }
    assert "![beacon]" not in said
    assert "<b>bold" not in said


def test_each_user_sees_their_own(on: Resources) -> None:
    for who in (LOCAL_USER, Principal("local", "https://id.example|ada")):
        fill(on, who)
    at = with_shared_components(AppTest.from_file(SHELL, default_timeout=100))
    at.secrets.update({"auth": {"client_id": "assay"}})
    at.user = {"is_logged_in": True, "iss": "https://id.example", "sub": "ada", "name": "Ada"}
    at.switch_page("my_data.py").run()
    assert not at.exception
    assert "Other users cannot see it." in words(at)
    assert "The note of https://id.example|ada" in list(at.dataframe[0].value["Note"])
    assert "The note of local" not in at.dataframe[0].value.to_string()
    erase(at, "ERASE")
    assert "Erased: " in "".join(each.value for each in at.success)
    assert user_summary.read_user_summary(on).sessions == 1


def test_who_is_not_signed_in_is_asked_to(on: Resources) -> None:
    fill(on)
    at = with_shared_components(AppTest.from_file(SHELL, default_timeout=100))
    at.secrets.update({"auth": {"client_id": "assay"}})
    at.user = {"is_logged_in": False}
    at.switch_page("my_data.py").run()
    assert "Sign in" in words(at)
    assert len(at.dataframe) == 0


@pytest.mark.parametrize("word", ["", "erase", "ERASE it", "DELETE"])
def test_without_the_word_nothing_is_erased(on: Resources, word: str) -> None:
    fill(on)
    at = erase(shown("my_data.py"), word)
    assert "Nothing was erased. Type ERASE" in words(at)
    told = user_summary.read_user_summary(on)
    assert (len(told.memories), told.sessions, told.erased) == (2, 1, ())
    assert "Nothing was erased" not in words(at.run())


def test_with_the_word_everything_goes_and_it_says_what_went_and_what_stays(on: Resources) -> None:
    fill(on)
    session_admin.delete_session(on.db, LOCAL_USER, "scal", on.clock.now())
    at = shown("my_data.py", session="scal")
    assert "0, and 1 deleted that can be restored" in words(at)
    erase(at, "ERASE")
    (success,) = at.success
    assert success.value == (
        "Erased: 3 consents, 2 notes, 2 shared findings, 1 membership, 2 tool counts, 1 session."
    )
    said = words(at)
    assert "Nothing is stored about you yet." in said
    assert len(at.dataframe) == 0
    assert all(why.split("`")[0] in said for why in NOT_EXPORTED.values())
    assert at.session_state["session"] is None
    told = user_summary.read_user_summary(on)
    assert (
        told.memories,
        told.contributions,
        told.joined,
        told.counts,
        told.sessions,
        told.deleted,
    ) == ((), (), (), (), 0, 0)
    assert len(told.erased) == 1
    at.button(key="agree_memory").click().run()
    assert len(at.success) == 0


def test_what_could_not_be_removed_is_said(on: Resources) -> None:
    fill(on)
    stuck = on.settings.home / "reports" / "scal.md"
    stuck.mkdir(parents=True)
    at = erase(shown("my_data.py"), "ERASE")
    assert "All else is erased." in words(at)
    assert user_summary.read_user_summary(on).sessions == 0


def test_a_session_that_runs_is_told_before_it_is_erased(samples: SampleSessions) -> None:
    samples.cut("running")
    assert "1 running session will be stopped." in words(shown("my_data.py"))


def test_all_of_it_can_be_downloaded_as_json(on: Resources) -> None:
    fill(on)
    at = shown("my_data.py")
    (button,) = at.get("download_button")
    assert button.proto.label == "Download my data"
    told = json.loads(user_summary.export_user_data(on))
    assert {each["note"] for each in told["memories"]} == {"The note of local", HOSTILE}
    assert told["sessions"][0]["question"] == "What is asked?"


def test_the_chart_has_the_tools_called_most_and_no_markup() -> None:
    counts = [ToolUsage(f"tool {n}", n + 1, 0.0, 1.0) for n in range(12)]
    drawn = stored_data.build_chart([*counts, ToolUsage("<b>x</b>", 40, 0.0, 1.0)], "light")
    (bars,) = drawn["data"]
    assert bars["x"] == [40, 12, 11, 10, 9, 8, 7, 6]
    assert drawn["layout"]["yaxis"]["ticktext"][:2] == ["&lt;b>x&lt;/b>", "tool 11"]


def files(count: int, about: str) -> list[tuple[str, bytes]]:
    return [(f"{about}-{n}.txt", f"Note {n} on {about}.".encode()) for n in range(count)]


@pytest.mark.parametrize(
    ("made", "removed", "shared", "text"),
    [
        ({}, (), (), ""),
        ({"Kilns": 1}, (), (), "1 library with 1 document: “Kilns” (1 document)."),
        (
            {"Öfen": 2, "窑": 1}, (), (),
            "2 libraries with 3 documents: “Öfen” (2 documents), “窑” (1 document).",
        ),
        (
            {"Печи": 1, "my": 2}, ("Печи",), (),
            "2 libraries with 3 documents: “my” (2 documents), “Печи” (1 document, removed).",
        ),
        ({"أفران": 1}, (), ("أفران",), "1 library with 1 document: “أفران” (1 document, shared)."),
        ({"Empty": 0}, (), (), "1 library with 0 documents: “Empty” (0 documents)."),
        ({f"Box {n}": 1 for n in range(7)}, (), (), "7 libraries with 7 documents."),
    ],
    ids=["none", "one", "two", "removed", "shared", "empty", "many"],
)  # fmt: skip
def test_an_erasure_says_first_which_libraries_go(
    resources: Resources,
    made: dict[str, int],
    removed: tuple[str, ...],
    shared: tuple[str, ...],
    text: str,
) -> None:
    library, other = resources.library(LOCAL_USER), resources.library(Principal("local", "else"))
    other.add_uploads(files(2, "others"), "Not mine")
    for name, count in made.items():
        library.create(name)
        if count:
            library.add_uploads(files(count, name), name)
    for name in shared:
        library.share(name, True)
    for name in removed:
        library.remove_library(name)
    assert user_summary.describe_libraries_to_erase(resources) == text
    said = words(shown("my_data.py"))
    assert (f"This erases {text}" in said) if text else ("This erases" not in said)


def test_the_command_that_erases_says_first_which_libraries_go(
    resources: Resources, capsys: pytest.CaptureFixture[str]
) -> None:
    resources.library(LOCAL_USER).add_uploads(files(2, "kilns"), "Kilns")
    assert main(["data", "erase"]) == 2
    assert "and 1 library with 2 documents: “Kilns” (2 documents)." in capsys.readouterr().err
