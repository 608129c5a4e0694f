"""What the server answers in place of a screen while nobody can sign in."""

from __future__ import annotations

from html import escape

import pytest

from parts.server import guards
from research_core.errors import ResearchError, SettingsError, StoreError
from research_core.i18n import gettext, use_language
from research_core.web.failure_texts import translate_failure


@pytest.mark.parametrize("language", ["en", "de", "ja", "ar"])
@pytest.mark.parametrize(
    "error",
    [
        StoreError(
            "The database is locked by another process.",
            next_step="Close the other program, then try again; nothing recorded is lost.",
        ),
        StoreError(
            "The database refused: no such table: <sign_in>.",
            next_step="Check ASSAY_DATABASE_URL and the disk.",
        ),
        StoreError(
            "The database server does not answer.",
            next_step="Check ASSAY_DATABASE_URL and that the server runs.",
        ),
        SettingsError(
            "The section [auth] of the secrets lacks client_id.", next_step="Correct it."
        ),
    ],
)
def test_a_refusal_is_in_the_language_of_the_screens(error: ResearchError, language: str) -> None:
    with use_language(language):
        page = bytes(guards.draw_refusal(error).body).decode()
        shown = escape(translate_failure(error.message))
        assert f"<p>{shown}</p>" in page
        assert escape(translate_failure(error.next_step)) in page
        if isinstance(error, StoreError) and language != "en":
            assert escape(error.message) not in page
            assert escape(error.next_step) not in page
    assert "<sign_in>" not in page


@pytest.mark.parametrize("language", ["en", "es", "zh"])
@pytest.mark.parametrize("next_step", ["", "Correct it."])
def test_a_refusal_names_a_next_step_if_there_is_one(next_step: str, language: str) -> None:
    with use_language(language):
        page = bytes(guards.draw_refusal(SettingsError("No.", next_step=next_step)).body).decode()
        assert (escape(gettext("Next step:")) in page) is bool(next_step)
