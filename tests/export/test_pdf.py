"""The PDF: its text, pages, outline and links; the scripts it prints, and what it says of those it
cannot.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pypdf
import pytest
from fontTools.fontBuilder import FontBuilder

from research_core import export
from research_core.export import fonts, pdf
from research_core.models import Report
from tests.everyday import mark_first_everyday
from tests.pipeline.test_report import ABYSS, AT, told
from tests.reports import FULL_REPORT, NO_REPORT, telling

NOWHERE = ("/nowhere",)
GREEK, RUSSIAN, HEBREW = "Η φάλαινα καταδύεται", "Кашалот ныряет глубоко", "לוויתן צולל"
ARABIC = "يغوص حوت العنبر إلى عمق 2035 مترا"
CHINESE = "抹香鲸可以潜到两千米深"


def read(built: Report, folders: tuple[str, ...] = NOWHERE) -> pypdf.PdfReader:
    return pypdf.PdfReader(io.BytesIO(pdf.render_pdf(built, folders)), strict=True)


def text(reader: pypdf.PdfReader) -> str:
    return " ".join("\n".join(page.extract_text() for page in reader.pages).split())


@cache
def full() -> pypdf.PdfReader:
    return read(FULL_REPORT)


@pytest.mark.full
def test_it_holds_the_text_the_sources_and_the_methodology() -> None:
    said = text(full())
    assert "How deep do sperm whales dive, and *why*?" in said
    assert all(
        words in said
        for words in (
            "They follow squid.",
            "[1] Depth tags",
            "not found in the passage",
            "Funnel: ",
        )
    )
    assert "could not be printed" not in said


def test_it_has_an_outline_page_numbers_dates_and_a_title() -> None:
    reader = full()
    titles = [entry.title for entry in flat(reader.outline)]
    assert titles[0] == "How deep do sperm whales dive, and *why*?"
    assert {
        "Executive Summary",
        "Depth",
        "Sources",
        "Citations and their passages",
        "Scores and decisions",
        "Methodology",
    } <= set(titles)
    assert all(
        page.extract_text().rstrip().endswith(str(number))
        for number, page in enumerate(reader.pages, 1)
    )
    assert reader.metadata is not None
    assert reader.metadata.title == titles[0]
    assert reader.metadata.creation_date == datetime.fromtimestamp(int(AT) + 1, UTC)


def flat(outline: Sequence[object]) -> list[pypdf.generic.Destination]:
    return [
        one for entry in outline for one in (flat(entry) if isinstance(entry, list) else [entry])
    ]  # type: ignore[misc]


def test_citations_lead_within_and_sources_to_the_web() -> None:
    links = [
        annotation.get_object() for page in full().pages for annotation in page.get("/Annots") or ()
    ]
    addresses = {str(link["/A"]["/URI"]) for link in links if "/A" in link}
    assert {"https://abyss.example.edu/dives", "https://rumour.example.org/"} <= addresses
    assert len([link for link in links if "/Dest" in link]) >= 8  # one for each citation


def test_no_report_is_a_pdf_that_says_so() -> None:
    assert "No report: no relevant page. 2 pages were judged and none is relevant enough." in text(
        read(NO_REPORT)
    )


@pytest.mark.parametrize(
    "words", [GREEK, RUSSIAN, HEBREW, ARABIC], ids=["greek", "cyrillic", "hebrew", "arabic"]
)
def test_our_own_font_prints_it(words: str) -> None:
    assert pdf.describe_unprintable(telling(told(words, ABYSS)), NOWHERE) == ""


@pytest.mark.full
def test_left_to_right_scripts_can_be_read_back() -> None:
    said = text(read(telling(told(f"{GREEK}. {RUSSIAN}.", ABYSS))))
    assert f"{GREEK}. {RUSSIAN}. [1✓]" in said


@pytest.mark.full
def test_figures_inside_arabic_are_not_turned_round() -> None:
    said = text(read(telling(told(ARABIC, ABYSS))))
    assert "2035" in said
    assert "5302" not in said


def test_what_no_font_has_is_shown_counted_and_said() -> None:
    built = telling(told(f"{CHINESE} \ue000 🐋", ABYSS))
    said = text(read(built))
    times = said.count(fonts.REPLACEMENT)
    assert CHINESE not in said
    assert "What could not be printed" in said
    lack = pdf.describe_unprintable(built, NOWHERE)
    assert " ".join(lack.split()) in said
    assert lack.endswith(f"Chinese or Japanese (Han), {lack.rpartition(', ')[2]}")
    assert times == int(re.search(r"\d+", lack)[0]) + 1  # type: ignore[index]  # once more where it is explained


def test_a_font_of_this_machine_prints_what_ours_lacks() -> None:
    if not fonts.choose_fonts(CHINESE).extra:
        pytest.skip(
            "Install a Chinese font to print Chinese (Debian: sudo apt-get install fonts-noto-cjk)."
        )
    built = telling(told(CHINESE * 20, ABYSS))
    said = text(read(built, fonts.FOLDERS))
    assert export.describe_unprintable(built) == ""
    assert CHINESE * 20 in re.sub(
        r"[^\u4e00-\u9fff]", "", said
    )  # pypdf sets signs between the words
    assert fonts.REPLACEMENT not in said


# ---------------------------------------------------------------- tables


def table(*rows: Sequence[str]) -> Report:
    """A report whose text is a table of these rows, the first its head."""
    drawn = ["|" + "|".join(row) + "|" for row in rows]
    ruled = [drawn[0], "|" + "---|" * len(rows[0]), *drawn[1:]]
    return telling(*(("table", 0, [(row, (), "uncited", "")]) for row in ruled))


WIDE = [f"c{n}" for n in range(40)]


@pytest.mark.full
@pytest.mark.parametrize(
    "built",
    mark_first_everyday(
        [
            table(["A", "B"], ["end", "squid " * 700 + "end"]),
            table(["A", "B"], ["end", "squid" * 800 + "end"]),
            table(["A", "W" * 2000], ["end", "squid " * 150 + "end"]),
            table(["A", "B", "C"], ["x", "Ж" * 3000, "end"]),
            table(WIDE, [*WIDE[1:], "end"]),
            table(WIDE[:20], [*(["squid squid squid "] * 19), "end"]),
            table(WIDE[:20], [*(["squid" * 40] * 19), "end"]),
        ],
        2,
    ),
    ids=[
        "a long cell",
        "without spaces",
        "a long head",
        "wide letters",
        "40 columns",
        "20 columns",
        "20 columns of long cells",
    ],
)
def test_a_table_of_any_size_is_printed_whole(built: Report) -> None:
    reader = read(built)
    said = text(reader).partition("Sources")[0].replace(" ", "")
    assert "end" in said
    written = sum(
        sentence.text.count("squid") for block in built.blocks for sentence in block.sentences
    )
    assert said.count("squid") >= written - len(
        reader.pages
    )  # the number of a page may part a word


@pytest.mark.full
def test_a_table_that_fits_no_page_is_lines_of_text_and_keeps_its_citations() -> None:
    rows = telling(told("| Depth | " + "2,035 m " * 500 + "|", ABYSS, kind="table"))
    assert "Depth · 2,035 m" in text(read(rows))
    links = [
        annotation.get_object()
        for page in read(rows).pages
        for annotation in page.get("/Annots") or ()
    ]
    assert (
        len([link for link in links if "/Dest" in link]) >= 2
    )  # the mark, and the source below the citation
    assert "Depth 2,035 m [1✓]" in text(
        read(telling(told("| Depth | 2,035 m |", ABYSS, kind="table")))
    )


# ---------------------------------------------------------------- fonts


def test_choice_says_in_words_what_is_missing() -> None:
    assert fonts.FontChoice((), Counter()).sentence() == ""
    assert (
        fonts.FontChoice((), Counter("한")).sentence()
        == "No installed font has 1 character, which is shown as ▯: 1 Korean."
    )
    several = fonts.FontChoice((), Counter("ไทยไทย中\ue000")).sentence()
    assert several == (
        "No installed font has 8 characters, which are shown as ▯: 6 Thai, 1 Chinese or Japanese"
        " (Han), 1 unassigned or private character."
    )


def test_file_that_is_no_font_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "wqy-zenhei.ttc").write_bytes(b"not a font")
    choice = fonts.choose_fonts(CHINESE, (str(tmp_path),))
    assert (choice.extra, choice.missing.total()) == ((), len(CHINESE))


@pytest.mark.parametrize("name", ["Hiragino Sans GB.ttc", "HiraginoSansGB.ttc"])
def test_a_font_is_known_with_and_without_the_spaces_in_its_name(tmp_path: Path, name: str) -> None:
    font = FontBuilder(1000)
    font.setupGlyphOrder([".notdef", "one"])
    font.setupCharacterMap({ord(CHINESE[0]): "one"})
    font.save(tmp_path / name)
    assert fonts.choose_fonts(CHINESE[0], (str(tmp_path),)) == fonts.FontChoice(
        (tmp_path / name,), Counter()
    )


def test_our_font_comes_with_its_licence() -> None:
    assert "Bitstream Vera" in (fonts.FONT_FOLDER / "LICENSE.txt").read_text(encoding="utf-8")
    assert {path.suffix for path in fonts.FONT_FOLDER.iterdir()} == {".ttf", ".txt"}
