"""Errors of commands in the language of the screens."""

from __future__ import annotations

from pathlib import Path

import pytest

from research_core.errors import ModelError, UsageError
from research_core.i18n import use_language
from research_core.interfaces.cli.ask import _suggest_resume
from research_core.interfaces.terminal import redirect_lines, say_error
from research_core.settings import read_language
from research_core.web.failure_texts import find_failure_text, translate_failure
from tests.terminal import assay

MISSING = "There is no session ffff."


@pytest.mark.parametrize(
    ("value", "language"),
    [("", "en"), ("de-AT", "de"), ("pt_BR", "pt"), ("klingon", "en"), ("../x", "en"), ("ar", "ar")],
)
def test_a_language_that_is_none_means_english(value: str, language: str) -> None:
    assert read_language({"ASSAY_LANGUAGE": value}) == language


@pytest.mark.parametrize("language", ["en", "de", "fr", "ja"])
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("show", "ffff"), MISSING),
        (("ask", "?"), "The question is too short: it has 1 character, and at least 3 are needed."),
        (("library", "remove", "größe"), "There is no library 'größe'."),
        (("audit", "none.md"), "There is no file “none.md”."),
        (("ratings", "say", "example.org", "0.5", " "), "The reason is empty."),
        (("ratings", "remove", "x"), "There is no list of ratings called 'x'."),
    ],
)
def test_an_error_of_a_command_is_in_the_language_of_the_screens(
    assay_home: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    message: str,
    language: str,
) -> None:
    monkeypatch.setenv("ASSAY_LANGUAGE", language)
    said = assay(*words)
    assert said.code == 2
    assert find_failure_text(message) is not None
    with use_language(language):
        assert said.err.startswith(f"assay: {translate_failure(message)}")
    assert (message in said.err) == (language == "en")


def test_a_wrong_language_is_told_in_english(
    assay_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_LANGUAGE", "klingon")
    said = assay("sessions")
    assert said.code == 2
    assert said.err.startswith("assay: ASSAY_LANGUAGE cannot be 'klingon': 'klingon' is not one of")


@pytest.mark.parametrize(
    "error", [None, UsageError("x"), ModelError("m answered too late.", kind="timeout")]
)
def test_how_a_failed_session_goes_on_is_a_text(error: UsageError | ModelError | None) -> None:
    known = find_failure_text(_suggest_resume("5a1d", error))
    assert known is not None
    assert known[1] == {"session": "5a1d"}


def test_the_sentence_behind_an_error_is_printed_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_LANGUAGE", "de")
    lines: list[str] = []
    redirect_lines(lines.append)
    try:
        say_error(UsageError(MISSING), "Try again.")
    finally:
        redirect_lines(None)
    with use_language("de"):
        expected = f"assay: {translate_failure(MISSING)} {translate_failure('Try again.')}"
    assert lines == [expected]
    assert MISSING not in expected
