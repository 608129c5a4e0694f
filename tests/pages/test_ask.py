"""The Ask screen, without a browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from research_core import runner
from research_core.modes import MODES
from research_core.wiring import LOCAL, Office
from research_core.workers import Engine
from tests.desks import shown, words

QUESTION = "What are the effects of microplastics on marine life?"


def test_first_visit_offers_examples_and_says_what_is_in_use(office: Office) -> None:
    at = shown("ask.py")
    said = words(at)
    assert [title.value for title in at.title] == ["Ask"]
    assert at.text_area(key="question").value == ""
    assert at.radio(key="mode").value == "standard"
    assert at.radio(key="where").value == "sample"
    assert at.radio(key="model").value == "offline"
    assert at.slider(key="minimum").value == 0.5
    assert "The web is not offered" in said
    assert "GEMINI_API_KEY" in said
    assert len([button for button in at.button if button.key.startswith("example_")]) == 8


def test_each_mode_says_what_it_means(office: Office) -> None:
    captions = list(shown("ask.py").radio(key="mode").proto.captions)
    assert len(captions) == len(MODES)
    assert [f"up to {most} sources" in caption for most, caption in zip((3, 7, 10), captions, strict=True)] == [True] * 3


@pytest.mark.parametrize(
    ("question", "said"),
    [("", "The question is empty"), ("  a ", "The question is empty"), ("why " * 600, "at most 2000 can be asked")],
    ids=["empty", "too short", "too long"],
)
def test_question_that_cannot_be_asked_is_said(office: Office, question: str, said: str) -> None:
    at = shown("ask.py")
    at.text_area(key="question").set_value(question)
    at.button(key="go").click().run()
    assert not at.exception
    assert said in at.error[0].value
    assert "Next step:" in words(at)
    assert runner.sessions(office) == []


def test_example_fills_the_question_and_chooses_the_sample(office: Office) -> None:
    at = shown("ask.py")
    at.button(key="example_6").click().run()
    assert at.text_area(key="question").value == QUESTION
    assert at.radio(key="where").value == "sample"


def test_starting_stores_the_session_and_opens_it_live(office: Office, engine: Engine) -> None:
    at = shown("ask.py")
    at.text_area(key="question").set_value(QUESTION)
    at.radio(key="mode").set_value("deep")
    at.slider(key="minimum").set_value(0.6)
    at.button(key="go").click().run()
    assert not at.exception
    (info,) = runner.sessions(office)
    chosen = info.row.settings
    assert (info.status, info.row.question) == ("queued", QUESTION)
    assert (chosen["mode"], chosen["engines"], chosen["library"], chosen["model"]) == ("deep", ["library"], "sample", "offline")
    assert chosen["credibility"]["minimum"] == 0.6
    assert at.query_params["session"] == info.row.id
    assert [title.value for title in at.title] == [QUESTION]


def test_own_library_comes_before_the_sample(office: Office, tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("# Tides\n\nThe tide turns twice a day.", encoding="utf-8")
    office.library(LOCAL).add(tmp_path / "note.md", "my")
    where = shown("ask.py").radio(key="where")
    assert where.options == ["Your library", "The sample library"]
    assert where.value == "library my"
    assert "1 document;" in where.proto.captions[0]


@pytest.fixture
def searxng(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search server is configured, so the web need not be looked for. Nobody asks it anything here."""
    monkeypatch.setenv("SEARXNG_URL", "http://127.0.0.1:9")


def test_web_comes_first_where_it_answers(searxng: None, office: Office) -> None:
    at = shown("ask.py")
    where = at.radio(key="where")
    assert where.options == ["The web", "The sample library"]
    assert where.value == "web"
    assert "duckduckgo, brave, mojeek, wikipedia, searxng" in where.proto.captions[0]
    assert "not offered" not in words(at)


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("GEMINI_API_KEY", "not-a-real-key-0123")
    return "not-a-real-key-0123"


def test_gemini_is_used_where_it_has_a_key_which_is_never_shown(key: str, office: Office) -> None:
    at = shown("ask.py")
    assert at.radio(key="model").options == ["Gemini", "Offline"]
    assert at.radio(key="model").value.startswith("gemini")
    assert key not in words(at)
    assert "GEMINI_API_KEY" not in words(at)
