"""Reports in the language of their question: their words, their replay and their evidence pack."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from research_core.i18n import FOLDER, LANGUAGES, SOURCE_LANGUAGE, ngettext, use_language
from research_core.journal.rule_versions import language_from_created
from research_core.text.languages import name_language
from tests.foreign_pages import read_pages, write_pages
from tests.terminal import assay

TRANSLATED = tuple(code for code in LANGUAGES if code != SOURCE_LANGUAGE)
#: Packages whose texts stand in reports and exports.
REPORT_PACKAGES = re.compile(
    r"research_core/(?:pipeline|decisions|export|citations|llm|trust|text|models)\b"
)


@pytest.mark.parametrize("code", TRANSLATED)
def test_every_text_of_a_report_is_translated_in_all_its_forms(code: str) -> None:
    with (FOLDER / code / "LC_MESSAGES" / "assay.po").open("rb") as stored:
        catalogue = read_po(stored, locale=code)
    lacking = []
    for message in catalogue:
        if message.id and any(REPORT_PACKAGES.match(path) for path, _line in message.locations):
            forms = [message.string] if isinstance(message.string, str) else message.string
            if (
                not forms
                or not all(forms)
                or (not isinstance(message.id, str) and len(forms) != catalogue.num_plurals)
            ):
                lacking.append(message.id)
    assert lacking == []


@pytest.mark.parametrize(
    ("code", "count", "written"),
    [
        ("de", 1, "1 Quelle"),
        ("de", 2, "2 Quellen"),
        ("fr", 0, "0 source"),
        ("fr", 2, "2 sources"),
        ("zh", 5, "5 个来源"),
        ("ja", 1, "情報源 1 件"),
        ("ar", 2, "2 مصدرين"),
        ("ar", 3, "3 مصادر"),
        ("ar", 11, "11 مصدرًا"),
        ("ar", 100, "100 مصدر"),
    ],
)
def test_a_number_takes_the_form_of_its_language(code: str, count: int, written: str) -> None:
    with use_language(code):
        text = ngettext("{count:,} source", "{count:,} sources", count)
    assert text.format(count=count) == written


@pytest.mark.parametrize(
    ("question", "follows", "language"),
    [
        ("Warum ist der Himmel blau?", "", {"language": "de"}),
        ("لماذا السماء زرقاء؟", "", {"language": "ar"}),
        ("Why is the sky blue?", "", {}),
        ("Hvorfor er himmelen blå?", "", {}),
        ("Zürich?", "Wie teuer ist die Miete in der Stadt?", {"language": "de"}),
    ],
)
def test_a_session_records_the_language_of_its_question(
    question: str, follows: str, language: dict[str, str]
) -> None:
    assert name_language(question, follows) == language


def test_a_session_of_older_rules_keeps_its_english() -> None:
    created = {"rules": {"scoring": 4}, "language": "de"}
    assert language_from_created(created) == "en_v4"
    assert language_from_created({**created, "rules": {"scoring": 5}}) == "de"


@pytest.mark.parametrize(
    ("code", "heading", "direction"), [("de", "Quellen", ""), ("ar", "المصادر", ' dir="rtl"')]
)
def test_a_report_its_replay_and_its_pack_are_in_the_language_of_the_question(
    code: str, heading: str, direction: str, tmp_path: Path
) -> None:
    folder = write_pages(code, tmp_path / "pages")
    told = tmp_path / "told.json"
    words = ("--library", str(folder), "--no-web", "--model", "offline", "--mode", "quick")
    said = assay("ask", read_pages(code)[0].question, *words, "--json", str(told)).out
    assert f"## {heading}\n" in said
    assert "Sources" not in said
    session = json.loads(told.read_text(encoding="utf-8"))["session"]
    assert "The replayed report is identical." in assay("replay", session).err
    page, pack = tmp_path / "report.html", tmp_path / "pack.zip"
    assay("export", session, "--format", "html", "--out", str(page))
    assert f'<html lang="{code}"{direction}>' in page.read_text(encoding="utf-8")
    assay("export", session, "--format", "zip", "--out", str(pack))
    with zipfile.ZipFile(io.BytesIO(pack.read_bytes())) as packed:
        packed.extractall(tmp_path / "pack")
    checked = subprocess.run(
        [sys.executable, "check.py"], cwd=tmp_path / "pack", capture_output=True, text=True
    )
    assert (checked.returncode, "All checks hold." in checked.stdout) == (0, True)
