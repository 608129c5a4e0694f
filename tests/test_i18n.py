"""Texts in the reader's language, the catalogues that hold them, and that no text is unmarked."""

from __future__ import annotations

import ast
import re
import string
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Message
from babel.messages.pofile import read_po
from babel.numbers import format_decimal

from docs.messages import build_files, find_in_f_strings
from research_core import i18n
from research_core.i18n import FOLDER, LANGUAGES, SOURCE_LANGUAGE, use_language

ROOT = Path(__file__).parents[1]
TRANSLATED = tuple(code for code in LANGUAGES if code != SOURCE_LANGUAGE)
#: Calls whose arguments are marked texts.
MARKERS = frozenset({"_", "N_", "ngettext", "pgettext"})
#: Words of a text that is read: two words in a row, or one with a capital.
PROSE = re.compile(r"[A-Za-z]{2,}[,.:;]? +[A-Za-z“(]{2,}|^[A-Z][a-z]{2,}[.:…]?$")
MARKUP = re.compile(r"<[^>]*>|:material/\w+:|\{[^}]*\}")


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("de", "de"),
        ("de-AT", "de"),
        ("pt_BR", "pt"),
        ("ZH-Hant", "zh"),
        ("sv", "en"),
        ("", "en"),
        ("../../etc", "en"),
    ],
)
def test_a_code_finds_its_language(code: str, found: str) -> None:
    assert i18n.find_language(code) == found


def test_a_text_without_a_translation_stays_english() -> None:
    with use_language("de"):
        assert i18n.gettext("no such text") == "no such text"
        assert i18n.ngettext("{count} thing", "{count} things", 2) == "{count} things"


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("value", [0.5, 12, 1234, 1_234_567.89, -9876.5, 0])
def test_numbers_have_the_marks_of_the_language(code: str, value: float) -> None:
    """As the Unicode project lists them, in Babel."""
    with use_language(code):
        shown = i18n.format_number(value, ",.2f")
        assert shown == format_decimal(value, "#,##0.00", locale=code)
        message = i18n.gettext("{count:,} thing, {score:.2f} of {share:.0%}, {name:.3} in {list}")
        said = message.format(
            count=int(value), score=value, share=0.5, name="a.b,c", list="1,5 2.5"
        )
    count = format_decimal(int(value), "#,##0", locale=code)
    score = format_decimal(value, "0.00", locale=code)
    assert said == f"{count} thing, {score} of 50%, a.b in 1,5 2.5"


def test_only_texts_with_numbers_differ_from_plain_ones() -> None:
    with use_language("fr"):
        assert type(i18n.gettext("{count} of {name!r} {value:>4}")) is str
        said = i18n.ngettext("{count:,} {} x", "{count:,} {} xs", 2).format("a", count=12_345)
    assert said == "12\u202f345 a xs"
    with use_language("de"):
        said = i18n.gettext("{good:,} good and {bad:,} bad sites").format(good=1001, bad=1_000_000)
    assert said == "1.001 gute und 1.000.000 schlechte Websites"
    with use_language(SOURCE_LANGUAGE):
        assert type(i18n.gettext("{count:,}")) is str


def test_a_language_ends_with_its_block_and_stays_in_its_thread() -> None:
    seen = []
    with use_language("ar"):
        with use_language("fr"):
            seen.append(i18n.current_language())
        other = threading.Thread(target=lambda: seen.append(i18n.current_language()))
        other.start()
        other.join()
        seen.append(i18n.current_language())
    assert [*seen, i18n.current_language()] == ["fr", "en", "ar", "en"]


def test_the_catalogues_are_up_to_date() -> None:
    """If this fails: `python docs/messages.py`, then translate what is new."""
    outdated = []
    for path, content in build_files():
        if path.read_bytes() != content:
            outdated.append(path.name)
    assert outdated == []


@pytest.mark.parametrize("code", TRANSLATED)
def test_translations_name_the_fields_of_their_text(code: str) -> None:
    wrong = []
    for message in read_translations(code):
        for translation in forms(message.string):
            fields = [list_fields(form) for form in forms(message.id)]
            if translation and list_fields(translation) not in fields:
                wrong.append(translation)
    assert wrong == []


def read_translations(code: str) -> list[Message]:
    with (FOLDER / code / "LC_MESSAGES" / "assay.po").open("rb") as stored:
        return [message for message in read_po(stored, locale=code) if message.id]


def forms(text: str | tuple[str, ...] | list[str] | None) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text or ())


def list_fields(text: str) -> set[str]:
    return {field for _, field, _, _ in string.Formatter().parse(text) if field is not None}


# ---------------------------------------------------------------- unmarked texts


@pytest.mark.parametrize("path", sorted((ROOT / "pages").rglob("*.py")), ids=lambda path: path.name)
def test_every_text_of_a_screen_is_marked(path: Path) -> None:
    found = list(find_unmarked(path.read_text()))
    assert found == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('st.write("Two words")', ["Two words"]),
        ('st.button("Research")', ["Research"]),
        ('st.write(f"{n} kept sources")', ["{} kept sources"]),
        ('st.write(_("Two words"))', []),
        ('st.write(_("Reads {n} pages").format(n=7))', []),
        ('ngettext("{count} kept source", "{count} kept sources", n)', []),
        ('st.html("<p class=a b>")', []),
        ('st.session_state["question"]', []),
        ('BADGES["two words"]', []),
        ('{"two words": Badge("✓", _("Two words"))}', []),
        ('{"two words": 1}', ["two words"]),
        ('def f():\n    """Draw two words."""', []),
        ('raise AssertionError("not a screen")', []),
    ],
)
def test_unmarked_texts_are_found(source: str, found: list[str]) -> None:
    assert list(find_unmarked(source)) == found


def find_unmarked(source: str) -> Iterator[str]:
    """Yield the texts of a module that a reader would see and no catalogue would hold."""
    tree = ast.parse(source)
    skipped: set[ast.AST] = set()
    for node in ast.walk(tree):
        if is_not_shown(node):
            skipped.update(ast.walk(node))
        if isinstance(node, ast.Subscript):
            skipped.add(node.slice)
        if isinstance(node, ast.Dict):
            skipped.update(find_state_keys(node))
    for node in ast.walk(tree):
        if node in skipped:
            continue
        if isinstance(node, ast.JoinedStr):
            skipped.update(part for part in ast.walk(node) if isinstance(part, ast.Constant))
            text = "".join(
                str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        else:
            continue
        if PROSE.search(MARKUP.sub("", text)):
            yield text


def find_state_keys(table: ast.Dict) -> Iterator[ast.AST]:
    """Yield the states in a table of badges: the badge says what is shown of each."""
    for key, value in zip(table.keys, table.values, strict=True):
        is_badge = isinstance(value, ast.Call) and getattr(value.func, "id", "") == "Badge"
        if key is not None and is_badge:
            yield key


def is_not_shown(node: ast.AST) -> bool:
    """Return True for docstrings, marked texts, annotations and texts for developers."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in MARKERS or node.func.id.endswith(("Error", "TypeVar"))
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    return isinstance(node, ast.Assert) or (
        isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name)
        and node.value.id == "Literal"
    )  # fmt: skip


@pytest.mark.parametrize("code", TRANSLATED)
def test_translations_have_every_plural_form_and_none_is_marked_as_a_guess(code: str) -> None:
    with (FOLDER / code / "LC_MESSAGES" / "assay.po").open("rb") as stored:
        catalogue = read_po(stored, locale=code)
    wrong = []
    for message in catalogue:
        filled = [bool(form) for form in forms(message.string)]
        whole = len(filled) == catalogue.num_plurals and all(filled)
        if isinstance(message.id, tuple) and any(filled) and not whole:
            wrong.append(message.id)
        if message.id and message.fuzzy:  # left out of what is compiled, so shown in English
            wrong.append(message.id)
    assert wrong == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("f'<b>{_(\"Next step:\")}</b>'", ["Next step:"]),
        ('f\'{escape(_("A"))}{ngettext("{n} a", "{n} b", n)}\'', ["A", ("{n} a", "{n} b")]),
        ("f'{_(name)}'", []),
        ("_('Outside')", []),
    ],
)
def test_texts_within_f_strings_are_extracted(source: str, found: list[str]) -> None:
    assert sorted(find_in_f_strings(source), key=str) == sorted(found, key=str)


@pytest.mark.parametrize(
    ("code", "quoted"),
    [("en", "“x”"), ("de", "„x“"), ("fr", "«\u00a0x\u00a0»"), ("ja", "「x」"), ("zh", "“x”")],
)
def test_quotation_marks_are_those_of_the_language(code: str, quoted: str) -> None:
    with use_language(code):
        assert i18n.put_in_quotes("x") == quoted


@pytest.mark.parametrize(
    ("code", "before", "gap"),
    [
        ("ja", "文。", ""),
        ("ja", "文。[1]", " "),
        ("zh", "问？", ""),
        ("zh", "A.", " "),
        ("de", "A.", " "),
    ],
)
def test_chinese_and_japanese_sentences_follow_without_a_space(
    code: str, before: str, gap: str
) -> None:
    with use_language(code):
        assert i18n.get_sentence_gap(before) == gap
