"""Where a run searches: the web where it answers, else the analyst's own library, else the sample,
and what is said about it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from research_core.errors import ResearchError, SettingsError, UsageError
from research_core.policy import Caps, CredibilityPolicy, RunSettings
from research_core.sessions.run_defaults import (
    build_run_settings,
    can_call_tools,
    change_models,
    choose_engines,
    choose_models,
    find_places,
    is_reachable,
    list_models,
    list_other_models,
)
from research_core.settings import Settings
from research_core.wiring import LOCAL_USER, Resources
from tests.logs import ran
from tests.timing import check_duration

OFFLINE = "No network here: searching local documents only."
SAMPLE = "Searching the sample library, written for trying Assay out. `assay library add FOLDER` adds documents of your own."
WEB = ("ddgs:duckduckgo", "ddgs:brave", "ddgs:mojeek", "ddgs:wikipedia")


def make_resources(home: Path, **env: str) -> Resources:
    return Resources(Settings.from_env({"ASSAY_HOME": str(home), **env}))


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Resources]:
    made = make_resources(tmp_path / "home")
    yield made
    made.db.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "papers"
    path.mkdir()
    (path / "tides.md").write_text(
        "# Tides\n\nThe tides of the bay are the highest of all.\n", encoding="utf-8"
    )
    return path


def yes() -> bool:
    return True


def no() -> bool:
    return False


def never() -> bool:
    pytest.fail("The network was looked at.")


def chosen(
    here: Resources, *, library: str | None = None, web: bool = True, look: Callable[[], bool] = yes
) -> tuple[tuple[str, ...], str, list[str]]:
    said: list[str] = []
    choice = choose_engines(here, library=library, web=web, say=said.append, look=look)
    return choice.engines, choice.library, said


# ---------------------------------------------------------------- without documents of one's own


def test_with_a_network_the_web_is_searched_and_nothing_needs_saying(here: Resources) -> None:
    assert chosen(here) == (WEB, "sample", [])


def test_without_a_network_the_sample_is_searched_and_both_are_said(here: Resources) -> None:
    assert chosen(here, look=no) == (("library",), "sample", [OFFLINE, SAMPLE])


def test_where_the_web_is_not_wanted_nobody_looks_for_it(here: Resources) -> None:
    assert chosen(here, web=False, look=never) == (("library",), "sample", [SAMPLE])


def test_the_sample_by_name_is_no_surprise(here: Resources) -> None:
    assert chosen(here, library="sample", look=no) == (("library",), "sample", [OFFLINE])
    assert chosen(here, library="sample") == ((*WEB, "library"), "sample", [])


NEAR = {"SEARXNG_URL": "http://127.0.0.1:8888"}
ALONE = "The web does not answer from this machine: SearXNG alone is asked."


def test_a_searxng_server_may_stand_in_a_network_of_its_own_and_is_then_asked_alone(
    tmp_path: Path,
) -> None:
    near = make_resources(tmp_path, **NEAR)
    assert chosen(near, look=yes) == (("searxng", *WEB), "sample", [])
    assert chosen(near, look=no) == (("searxng",), "sample", [ALONE])
    assert chosen(near, web=False, look=never) == (("library",), "sample", [SAMPLE])
    near.db.close()


def test_where_no_other_engine_is_meant_nobody_looks_for_the_web(tmp_path: Path) -> None:
    near = Resources(replace(make_resources(tmp_path, **NEAR).settings, ddgs_engines=()))
    assert chosen(near, look=never) == (("searxng",), "sample", [])
    near.db.close()


def test_no_engine_is_as_good_as_no_network(tmp_path: Path) -> None:
    bare = Resources(replace(make_resources(tmp_path).settings, ddgs_engines=()))
    assert chosen(bare, look=never) == (("library",), "sample", [OFFLINE, SAMPLE])
    bare.db.close()


def test_an_engine_nobody_knows_is_named(tmp_path: Path) -> None:
    settings = make_resources(tmp_path).settings
    odd = Resources(replace(settings, ddgs_engines=("brave", "altavista")))
    with pytest.raises(SettingsError, match="altavista"):
        choose_engines(odd, library=None, web=True, say=print, look=yes)
    odd.db.close()


# ---------------------------------------------------------------- with documents of one's own


def test_the_analyst_s_own_library_is_searched_beside_the_web_and_instead_of_the_sample(
    here: Resources, folder: Path
) -> None:
    here.library(LOCAL_USER).add(folder, "my")
    assert chosen(here) == ((*WEB, "library"), "my", [])
    assert chosen(here, look=no) == (("library",), "my", [OFFLINE])
    assert chosen(here, web=False, look=never) == (("library",), "my", [])


def test_a_library_that_is_named_comes_before_their_own(here: Resources, folder: Path) -> None:
    here.library(LOCAL_USER).add(folder, "my")
    here.library(LOCAL_USER).add(folder, "tides")
    assert chosen(here, library="tides") == ((*WEB, "library"), "tides", [])


@pytest.mark.parametrize("name", ["papers2", "~nobody-of-this-name/x", "x" * 5000, "a\0b"])
def test_a_library_that_is_not_there_is_named_with_the_next_step(
    here: Resources, name: str
) -> None:
    with pytest.raises(UsageError, match="There is no library or folder") as caught:
        chosen(here, library=name, look=no)
    assert "assay library add FOLDER --name" in caught.value.next_step


def test_a_path_is_added_first_and_added_again_when_its_files_change(
    here: Resources, folder: Path
) -> None:
    engines, library, said = chosen(here, library=str(folder), web=False)
    assert (engines, library, said) == (
        ("library",),
        str(folder),
        ["[1/1] tides.md", "Documents: 1 added."],
    )
    (folder / "more.md").write_text("# More\n\nThe bay has seals.\n", encoding="utf-8")
    *_, said = chosen(here, library=str(folder), web=False)
    assert said[-1] == "Documents: 1 added, 1 unchanged."
    assert len(here.library(LOCAL_USER).list_documents(library)) == 2


def test_one_file_can_be_a_library(here: Resources, folder: Path) -> None:
    assert chosen(here, library=str(folder / "tides.md"), web=False)[1:] == (
        str(folder / "tides.md"),
        ["[1/1] tides.md", "Documents: 1 added."],
    )


def test_a_relative_path_and_a_library_of_its_name(
    here: Resources, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parent)
    assert chosen(here, library="papers", web=False)[1] == str(folder)
    here.library(LOCAL_USER).add(folder, "papers")
    assert chosen(here, library="papers", web=False) == (("library",), "papers", [])
    assert chosen(here, library="./papers", web=False)[1] == str(folder)


# ---------------------------------------------------------------- the network


def test_a_name_that_is_found_means_a_network() -> None:
    asked: list[tuple[str, int]] = []
    assert is_reachable(resolve=lambda host, port: asked.append((host, port)))
    assert asked == [("duckduckgo.com", 443)]


def failing(_host: str, _port: int) -> object:
    raise OSError("no such name")


def hanging(_host: str, _port: int) -> object:
    time.sleep(1)
    return "an answer too late"


@pytest.mark.parametrize(
    ("resolve", "within_s", "most_s"), [(failing, 10.0, 0.5), (hanging, 0.1, 0.6)]
)
def test_a_name_that_is_not_found_or_not_answered_means_none(
    resolve: Callable[[str, int], object], within_s: float, most_s: float
) -> None:
    with check_duration(0, most_s):
        assert not is_reachable(within_s=within_s, resolve=resolve)


@pytest.mark.full
def test_a_name_server_that_hangs_does_not_keep_a_process_alive() -> None:
    program = (
        "import time\nfrom research_core.sessions.run_defaults import "
        "is_reachable\nprint(is_reachable(within_s=0.1, resolve=lambda *_: time.sleep(60)))"
    )
    with check_duration(0, 30):
        assert ran(program) == "False\n"


# ---------------------------------------------------------------- what there is to choose from


def test_places_name_the_web_the_libraries_and_their_own_first(
    here: Resources, folder: Path
) -> None:
    bare = find_places(here, look=no)
    assert (bare.web, bare.offline, bare.libraries) == ((), WEB, ())
    for name in ("alps", "my", "zoo"):
        here.library(LOCAL_USER).add(folder, name)
    found = find_places(here, look=yes)
    assert (found.web, found.offline) == (WEB, ())
    assert found.libraries == (("my", 1), ("alps", 1), ("zoo", 1))


def test_places_offer_searxng_alone_where_the_web_does_not_answer_and_each_offer_can_be_run(
    tmp_path: Path,
) -> None:
    near = make_resources(tmp_path, **NEAR)
    offered = find_places(near, look=no)
    assert (offered.web, offered.offline) == (("searxng",), WEB)
    assert build_run_settings(
        near, mode="quick", engines=offered.web, library=None, model="offline", look=no
    ).engines == ("searxng",)
    assert (find_places(near, look=yes).web, find_places(near, look=yes).offline) == (
        ("searxng", *WEB),
        (),
    )
    near.db.close()


def test_a_web_that_went_away_meanwhile_is_refused_with_what_is_left(tmp_path: Path) -> None:
    near = make_resources(tmp_path, **NEAR)
    for engines, said in (
        ((*WEB, "searxng"), "Use SearXNG alone, search a library, or"),
        (WEB, "Search a library, or retry"),
    ):
        with pytest.raises(UsageError, match="Web search is unavailable") as caught:
            build_run_settings(
                near, mode="quick", engines=engines, library=None, model="offline", look=no
            )
        assert caught.value.next_step.startswith(said)
    near.db.close()


def test_the_models_of_this_machine(tmp_path: Path) -> None:
    assert list_models(make_resources(tmp_path)) == ("offline",)
    assert list_models(
        make_resources(tmp_path, GEMINI_API_KEY="k", ASSAY_GEMINI_MODELS="gemini-x")
    ) == (
        "gemini:gemini-x",
        "offline",
    )
    assert list_models(make_resources(tmp_path, GEMINI_API_KEY="k", ASSAY_MODEL="offline")) == (
        "offline",
    )
    with pytest.raises(SettingsError, match="needs a key"):
        list_models(make_resources(tmp_path, ASSAY_MODEL="gemini"))


OWN_SERVER = {"ASSAY_OPENAI_BASE_URL": "http://localhost:1/v1", "ASSAY_OPENAI_MODELS": "a,b"}
GEMINI = {"GEMINI_API_KEY": "k", "ASSAY_GEMINI_MODELS": "x,y,z"}


@pytest.mark.parametrize(
    ("environment", "run", "offered"),
    [
        (GEMINI, RunSettings(model="gemini:x", judge="gemini:y"), ["offline"]),
        (GEMINI, RunSettings(model="gemini:gone"), ["offline"]),
        (GEMINI, RunSettings(model="openai:a"), ["gemini:x", "offline"]),
        (
            {**GEMINI, **OWN_SERVER, "ASSAY_MODEL": "openai"},
            RunSettings(model="openai:a"),
            ["gemini:x", "openai:b", "offline"],
        ),
        (
            {**GEMINI, **OWN_SERVER},
            RunSettings(model="gemini:x", writer="openai:b"),
            ["openai:a", "offline"],
        ),
        ({"ASSAY_MODEL": "gemini"}, RunSettings(model="gemini:x"), ["offline"]),
    ],
)
def test_a_run_whose_model_failed_is_offered_every_other_one_that_may_work(
    tmp_path: Path, environment: dict[str, str], run: RunSettings, offered: list[str]
) -> None:
    resources = make_resources(tmp_path, **environment)
    assert list(list_other_models(resources, run)) == offered
    resources.db.close()


def test_a_run_whose_judge_is_refused_is_offered_its_other_models_too(tmp_path: Path) -> None:
    resources = make_resources(tmp_path, **GEMINI, **OWN_SERVER)
    run = RunSettings(model="gemini:x", writer="openai:a", judge="openai:b")
    assert list(list_other_models(resources, run, "judge")) == ["gemini:x", "openai:a", "offline"]
    assert list(list_other_models(resources, run, "writer")) == ["gemini:x", "openai:b", "offline"]
    resources.db.close()


# ---------------------------------------------------------------- what a screen chose


def test_settings_of_a_session_hold_what_was_chosen(here: Resources, folder: Path) -> None:
    here.library(LOCAL_USER).add(folder, "tides")
    policy, caps = CredibilityPolicy(minimum=0.4, recency_bonus=0.2), Caps(calls=9, seconds=60.0)
    run = build_run_settings(
        here, mode="quick", engines=WEB[1:3], library="tides", model="offline", credibility=policy, relevance_cutoff=4, min_full=2,
        min_short=1, caps=caps, instructions=" also  cover costs \n\n leave out opinion", look=yes,
    )  # fmt: skip
    assert (run.mode, run.engines, run.library, run.model) == (
        "quick",
        (*WEB[1:3], "library"),
        "tides",
        "offline",
    )
    assert (run.credibility, run.caps) == (policy, caps)
    assert (run.relevance_cutoff, run.min_full, run.min_short) == (4, 2, 1)
    assert run.instructions == ("also cover costs", "leave out opinion")


def test_the_web_alone_and_a_library_alone(here: Resources) -> None:
    assert (
        build_run_settings(
            here, mode="quick", engines=WEB, library=None, model="offline", look=yes
        ).engines
        == WEB
    )
    alone = build_run_settings(here, mode="quick", library="sample", model="offline", look=never)
    assert (alone.engines, alone.library) == (("library",), "sample")


CANNOT: list[tuple[dict[str, Any], str]] = [
    ({"mode": "slow"}, "Unknown mode"),
    ({"library": None}, "Nothing to search is selected"),
    ({"library": "nowhere"}, "The library .nowhere. is empty"),
    ({"engines": WEB[:1]}, "Web search is unavailable"),
    ({"engines": ("ddgs:altavista",)}, "Unknown provider"),
    ({"engines": ("searxng",)}, "needs SEARXNG_URL"),
    ({"strategy": "agentic"}, "needs a language model"),
    ({"strategy": "clever"}, "Unknown strategy"),
    ({"min_full": 9}, "min_sources_full_report must be"),
    ({"relevance_cutoff": 6}, "relevance_cutoff must be"),
    ({"instructions": "ok"}, "The instruction has 2 characters"),
    ({"instructions": "a" * 501}, "The instruction has 501 characters"),
]


@pytest.mark.parametrize(("wish", "said"), CANNOT, ids=[said for _, said in CANNOT])
def test_what_cannot_be_run_is_refused_with_the_next_step(
    here: Resources, wish: dict[str, Any], said: str
) -> None:
    wishes: dict[str, Any] = {
        "mode": "quick",
        "library": "sample",
        "model": "offline",
        "look": no,
        **wish,
    }
    with pytest.raises(ResearchError, match=said) as caught:
        build_run_settings(here, **wishes)
    assert caught.value.next_step


def test_a_searxng_server_is_asked_without_a_look_at_the_web(tmp_path: Path) -> None:
    near = make_resources(tmp_path, SEARXNG_URL="http://127.0.0.1:8888")
    assert build_run_settings(
        near, mode="quick", engines=("searxng",), library=None, model="offline", look=never
    ).engines == ("searxng",)
    near.db.close()


def test_only_a_language_model_drives() -> None:
    assert (can_call_tools("offline"), can_call_tools("gemini:gemini-x")) == (False, True)


KEYED = {"GEMINI_API_KEY": "k", "ASSAY_GEMINI_MODELS": "gemini-3.8-flash,gemini-3.5-flash-lite"}
FLASH, LITE = "gemini:gemini-3.8-flash", "gemini:gemini-3.5-flash-lite"


@pytest.mark.parametrize(
    ("named", "models"),
    [
        ({}, (FLASH, "", LITE)),
        ({"model": "offline"}, ("offline", "", "")),
        ({"model": "offline", "writer": "gemini"}, ("offline", FLASH, "")),
        ({"judge": "offline"}, (FLASH, "", "offline")),
        ({"writer": LITE}, (FLASH, LITE, LITE)),
    ],
)
def test_a_new_run_has_the_models_named_and_else_those_configured(
    tmp_path: Path, named: dict[str, str], models: tuple[str, str, str]
) -> None:
    settings = Settings.from_env({"ASSAY_HOME": str(tmp_path), **KEYED})
    run = choose_models(RunSettings(), settings, **named)
    assert (run.model, run.writer, run.judge) == models


@pytest.mark.parametrize(
    ("named", "models"),
    [
        ({}, ("offline", "", LITE)),
        ({"writer": "gemini"}, ("offline", FLASH, LITE)),
        ({"judge": "offline"}, ("offline", "", "")),
        ({"judge": FLASH}, ("offline", "", FLASH)),
        ({"model": "gemini"}, (FLASH, "", LITE)),
        ({"model": "offline"}, ("offline", "", "")),
    ],
)
def test_a_rewrite_changes_the_models_named_and_a_model_takes_over_every_task(
    tmp_path: Path, named: dict[str, str], models: tuple[str, str, str]
) -> None:
    settings = Settings.from_env({"ASSAY_HOME": str(tmp_path), **KEYED})
    run = change_models(RunSettings(judge=LITE), settings, **named)
    assert (run.model, run.writer, run.judge) == models


@pytest.mark.parametrize(
    ("run", "named", "models"),
    [
        (RunSettings(), {"writer": "offline"}, ("offline", "", "")),
        (RunSettings(judge=LITE), {"judge": "offline"}, ("offline", "", "")),
        (RunSettings(model=FLASH), {"writer": "gemini"}, (FLASH, "", "")),
        (RunSettings(model=FLASH, judge=LITE), {"judge": FLASH}, (FLASH, "", "")),
        (RunSettings(model=LITE, writer=FLASH), {"writer": LITE, "judge": LITE}, (LITE, "", "")),
        (RunSettings(model=LITE, writer=LITE), {"judge": FLASH}, (LITE, "", FLASH)),
    ],
)
def test_a_task_that_goes_back_to_the_model_of_the_run_names_no_other(
    tmp_path: Path, run: RunSettings, named: dict[str, str], models: tuple[str, str, str]
) -> None:
    settings = Settings.from_env({"ASSAY_HOME": str(tmp_path), **KEYED})
    changed = change_models(run, settings, **named)
    assert (changed.model, changed.writer, changed.judge) == models


def test_settings_of_a_run_without_other_models_are_stored_as_ever() -> None:
    assert not {"writer", "judge"} & RunSettings().to_json().keys()
    run = RunSettings(writer=FLASH, judge=LITE)
    assert RunSettings.from_json(run.to_json()) == run


@pytest.mark.parametrize(
    ("named", "engines"),
    [
        (["mojeek"], ("ddgs:mojeek",)),
        (["ddgs:brave", "mojeek", "ddgs:brave"], ("ddgs:brave", "ddgs:mojeek")),
        (["searxng"], ("searxng",)),
    ],
)
def test_engines_named_are_asked_alone_without_a_look_at_the_network(
    tmp_path: Path, named: list[str], engines: tuple[str, ...]
) -> None:
    place = make_resources(tmp_path, SEARXNG_URL="http://127.0.0.1:8888")
    choice = choose_engines(place, library=None, web=True, named=named, say=print, look=never)
    assert choice.engines == engines


@pytest.mark.parametrize(
    ("named", "error", "said"),
    [("altavista", UsageError, "Unknown provider"), ("searxng", SettingsError, "SEARXNG_URL")],
)
def test_an_engine_that_cannot_be_asked_is_refused(
    here: Resources, named: str, error: type[ResearchError], said: str
) -> None:
    with pytest.raises(error, match=said):
        choose_engines(here, library=None, web=True, named=[named], say=print, look=never)


def test_a_library_named_too_is_searched_beside_the_engines(here: Resources, folder: Path) -> None:
    choice = choose_engines(
        here, library=str(folder), web=True, named=["mojeek"], say=print, look=never
    )
    assert choice.engines == ("ddgs:mojeek", "library")


@pytest.mark.parametrize("length", ["", "brief", "long"])
def test_a_length_is_kept_and_stored_only_where_it_is_chosen(length: str) -> None:
    run = RunSettings(length=length)
    assert RunSettings.from_json(run.to_json()) == run
    assert ("length" in run.to_json()) == bool(length)


def test_an_unknown_length_is_refused() -> None:
    with pytest.raises(UsageError, match="Unknown length 'huge'"):
        RunSettings(length="huge")
