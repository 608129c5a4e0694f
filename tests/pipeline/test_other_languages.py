"""Questions in six languages, asked of ten pages each without a model, the whole way."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from research_core.citations.assertions import is_assertion
from research_core.i18n import gettext, use_language
from research_core.text.sentences import find_sentences
from tests.foreign_pages import LANGUAGES, ForeignPage, read_pages, write_pages
from tests.terminal import assay

#: Pages with dates, abbreviations or numbers in the sentence that answers, and one with a list:
#: asked every day.
EVERYDAY = {
    "de": ("stellwerk", "streusalz"),
    "fr": ("phare", "ruche"),
    "es": ("volcan", "olivo"),
    "ar": ("ijaza", "tasahhur"),
    "zh": ("ditie", "neilao"),
    "ja": ("tetsudo", "bosai"),
}
#: Questions that a refusal answers: "朱鹮时野生" is torn at the wrong places.
REFUSED = frozenset({"zhuhuan"})
_CITATION = re.compile(r"\[(\d+)\]")
_SOURCE = re.compile(r"^\[(\d+)\]\.? .*?([a-z]+\.html)", re.MULTILINE)


def list_cases() -> list[Any]:
    """Return (language, page), those of every day without the marker `full`."""
    cases = []
    for language in LANGUAGES:
        for page in read_pages(language):
            marks = () if page.name in EVERYDAY[language] else (pytest.mark.full,)
            cases.append(pytest.param(language, page, marks=marks, id=f"{language}-{page.name}"))
    return cases


def join_letters(text: str) -> str:
    """Return a text without white space."""
    return "".join(text.split())


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("languages")
    return {language: write_pages(language, root / language) for language in LANGUAGES}


def heading(language: str, words: str) -> str:
    """Return a heading of reports in a language."""
    with use_language(language):
        return gettext(words)


def ask_quickly(page: ForeignPage, folder: Path, out: Path) -> tuple[str, dict[str, Any]]:
    """Ask the question of a page. Return the report as Markdown and as JSON."""
    words = ("--library", str(folder), "--no-web", "--model", "offline", "--mode", "quick")
    said = assay("ask", page.question, *words, "--json", str(out))
    return said.out, json.loads(out.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("language", "subject"), list_cases())
def test_a_question_is_answered_by_the_sentence_of_its_page(
    language: str, subject: ForeignPage, folders: dict[str, Path], tmp_path: Path
) -> None:
    page = subject  # the name `page` is a fixture of the browser tests
    report, data = ask_quickly(page, folders[language], tmp_path / "report.json")
    if page.name in REFUSED:
        assert data["decision"] == "insufficient_data"
        return
    files = dict(_SOURCE.findall(report.partition(f"## {heading(language, 'Sources')}")[2]))
    assert page.file in files.values(), "the page that answers is kept"

    summary = report.partition(f"## {heading(language, 'Executive Summary')}")[2].partition(
        "\n## "
    )[0]
    bullets = [line[2:] for line in summary.splitlines() if line.startswith("- ")]
    wanted = join_letters(page.answer).rstrip(":：")
    places = [at for at, bullet in enumerate(bullets) if wanted in join_letters(bullet)]
    assert places, "the sentence that answers is quoted whole"
    assert places[0] < 2
    for bullet in bullets[: places[0] + 1]:
        assert [files[number] for number in _CITATION.findall(bullet)] == [page.file]

    for sentence in data["sentences"]:
        if not sentence["citations"] and is_assertion(sentence["text"], language):
            assert not any(sentence["text"] in line for line in page.lines), "a fact is uncited"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_query_has_a_word_that_its_question_lacks(
    language: str, folders: dict[str, Path], tmp_path: Path
) -> None:
    page = next(page for page in read_pages(language) if page.name in EVERYDAY[language])
    _, data = ask_quickly(page, folders[language], tmp_path / "report.json")
    asked = join_letters(page.question).casefold()
    for query in data["queries"]:
        for word in query["text"].split():
            assert word.casefold() in asked, query


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_sentences_that_answer_are_split_whole_and_taken_for_facts(language: str) -> None:
    for page in read_pages(language):
        line = next(line for line in page.lines if page.answer in line)
        sentences = [line[start:end] for start, end in find_sentences(line)]
        assert any(sentence.startswith(page.answer) for sentence in sentences), page.name
        if not page.answer.endswith((":", "：")):
            assert page.answer in sentences, page.name
            assert is_assertion(page.answer, language), page.name


@pytest.mark.full
@pytest.mark.parametrize("language", LANGUAGES)
def test_without_its_page_a_question_is_refused_without_english_queries(
    language: str, tmp_path: Path
) -> None:
    for page in read_pages(language)[:3]:
        folder = write_pages(language, tmp_path / page.name)
        (folder / page.file).unlink()
        report, data = ask_quickly(page, folder, tmp_path / "report.json")
        assert data["decision"] == "insufficient_data", page.name
        advice = report.partition("queries to try.**")[2].partition("Adding a place")[0]
        assert not re.search(r"\b(?:guide|study|report|record|price|map|review)\b", advice)
