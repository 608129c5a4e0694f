"""What a screen can offer on this machine, and what comes of a choice."""

from __future__ import annotations

from pathlib import Path

import pytest

from research_core import choices
from research_core.choices import Places
from research_core.errors import UsageError
from research_core.settings import Settings
from research_core.wiring import LOCAL, Office

ENGINES = ("ddgs:duckduckgo", "ddgs:brave", "ddgs:mojeek", "ddgs:wikipedia")
SEARXNG = "http://127.0.0.1:9"


def office(home: Path, **environment: str) -> Office:
    return Office(Settings.from_env({"ASSAY_HOME": str(home), **environment}))


def chosen(place: Office, **wishes: object) -> tuple[dict[str, object], list[str]]:
    """The settings of a run and what was said on the way."""
    said: list[str] = []
    wanted = {"mode": "quick", "library": None, "web": True, "model": "offline", "minimum": 0.5, **wishes}
    return choices.run_settings(place, say=said.append, **wanted).to_json(), said  # type: ignore[arg-type]


def note(folder: Path) -> Path:
    path = folder / "note.md"
    path.write_text("# Tides\n\nThe tide turns twice a day.", encoding="utf-8")
    return path


def test_web_that_does_not_answer_is_not_offered(tmp_path: Path) -> None:
    assert choices.places(office(tmp_path)) == Places(web=(), offline=ENGINES, libraries=())


def test_web_with_a_search_server_is_offered(tmp_path: Path) -> None:
    places = choices.places(office(tmp_path, SEARXNG_URL=SEARXNG))
    assert (places.web, places.offline) == ((*ENGINES, "searxng"), ())


def test_libraries_are_counted_the_own_first_and_the_sample_left_out(tmp_path: Path) -> None:
    place = office(tmp_path)
    library = place.library(LOCAL)
    library.prepare("sample")
    library.add(note(tmp_path), "archive")
    library.add(note(tmp_path), "my")
    assert choices.places(place).libraries == (("my", 1), ("archive", 1))


def test_models_are_those_that_can_be_used_now(tmp_path: Path) -> None:
    assert choices.models(office(tmp_path)) == ("offline",)
    first, second = choices.models(office(tmp_path, GEMINI_API_KEY="not-a-real-key-0123"))
    assert first.startswith("gemini")
    assert second == "offline"


@pytest.mark.parametrize(
    ("wishes", "engines", "library"),
    [
        ({"library": "sample", "web": False}, ("library",), "sample"),
        ({"library": "my", "web": False}, ("library",), "my"),
        ({"web": True}, (*ENGINES, "searxng", "library"), "my"),
    ],
    ids=["sample", "own", "web and own"],
)
def test_choice_becomes_settings(tmp_path: Path, wishes: dict[str, object], engines: tuple[str, ...], library: str) -> None:
    place = office(tmp_path, SEARXNG_URL=SEARXNG)
    place.library(LOCAL).add(note(tmp_path), "my")
    settings, said = chosen(place, minimum=0.7, **wishes)
    assert (settings["engines"], settings["library"], settings["mode"], settings["model"]) == (engines, library, "quick", "offline")
    assert settings["credibility"]["minimum"] == 0.7  # type: ignore[index]
    assert said == []


def test_web_that_went_away_is_said(tmp_path: Path) -> None:
    settings, said = chosen(office(tmp_path), web=True)
    assert settings["engines"] == ("library",)
    assert any("No network here" in line for line in said)


@pytest.mark.parametrize("wishes", [{"library": "no such library", "web": False}, {"library": "sample", "web": False, "minimum": 1.5}])
def test_choice_that_cannot_be_used_is_said(tmp_path: Path, wishes: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        chosen(office(tmp_path), **wishes)
