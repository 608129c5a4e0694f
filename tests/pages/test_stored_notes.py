"""The notes of a check, stored in the language of its report, in that of the screen."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from parts.audit.stored_notes import NOTE_TEXTS, translate_note
from research_core import i18n
from research_core.i18n import use_language

#: Where notes of a check are worded.
SOURCES = (
    "text/support/differences.py",
    "citations/checks/claim_verdict.py",
    "citations/checks/cited_source.py",
    "pipeline/audit_run.py",
)


@pytest.mark.parametrize(
    ("language", "note", "expected"),
    [
        (
            "en",
            "The page gives another date: May 2023, not May 2021.",
            "Die Seite nennt ein anderes Datum: May 2023, nicht May 2021.",
        ),
        ("en", "A model wrote this, not that.", "A model wrote this, not that."),
        ("en", "", ""),
        ("de", "Die Seite nennt diese Zahl nicht: 12.", "Die Seite nennt diese Zahl nicht: 12."),
    ],
)
def test_a_note_is_drawn_in_the_language_of_the_screen(
    language: str, note: str, expected: str
) -> None:
    with use_language("de"):
        assert translate_note(note, language) == expected


@pytest.mark.parametrize("language", sorted(i18n.LANGUAGES))
def test_every_note_leads_back_to_its_english_text(language: str) -> None:
    fields = dict.fromkeys(
        ("theirs", "ours", "words", "word", "quote", "figure", "date", "why"), "x"
    )
    for text in NOTE_TEXTS:
        with use_language(language):
            stored = i18n.gettext(text).format(**fields)
        with use_language("en"):
            assert translate_note(stored, language) == text.format(**fields)


def test_every_text_of_a_note_is_known() -> None:
    root = Path(i18n.__file__).parent
    texts: set[str] = set()
    for name in SOURCES:
        for node in ast.walk(ast.parse((root / name).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                first = node.args[0] if node.args else None
                if node.func.id in ("_", "N_") and isinstance(first, ast.Constant):
                    texts.add(str(first.value))
    assert texts
    assert texts <= set(NOTE_TEXTS)
