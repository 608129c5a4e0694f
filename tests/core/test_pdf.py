"""PDF as pages: whole, in blocks, with its outline as headings; what nobody sees is left out; where it cannot be read, a reason."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from fpdf import FPDF
from fpdf.enums import TextMode

from research_core.errors import FetchError
from research_core.web.documents.pdf import BUDGET_S, parse
from research_core.web.documents.properties import of_pdf
from research_core.web.kinds import read_body
from research_core.web.tally import SAME_COLOUR, TOO_SMALL
from tests.pdf_files import pdf

PAGES = Path(__file__).parents[1] / "replies" / "pages"
REPORT = (PAGES / "report.pdf").read_bytes()

REPORT_TEXT = "\n\n".join(
    (
        "Readings",
        "The gauge on the north pier rose by 2.4 millimetres a year between 1994 and 2023, and the rate in the last ten years was nearly "
        "twice that of the first ten. The south gauge shows the same rise within its error.",
        "Method",
        "Each gauge was levelled against three marks in the rock every second spring. Readings from storms were kept, because removing "
        "them lowers the mean.",
        "Limits",
        "A gauge measures the sea against the land. Where the land sinks, the sea seems to rise, and the two were not told apart here.",
    )
)
LONG = "These words were left where nobody would read them."


def paper() -> FPDF:
    """An empty page, to write on."""
    made = FPDF()
    made.add_page()
    made.set_font("Helvetica", size=11)
    return made


def bytes_of(made: FPDF) -> bytes:
    return bytes(made.output())


def test_a_pdf_comes_out_in_paragraphs_without_running_lines_and_page_numbers() -> None:
    page = read_body(REPORT, "https://harbour.example.org/report.pdf")
    assert page.text == REPORT_TEXT
    assert (page.title, page.published, page.kind) == ("Tide gauges of the north harbour", "2024-06-03", "pdf")
    assert page.final_url == "https://harbour.example.org/report.pdf"


@pytest.mark.parametrize("name", ["open-password.pdf", "open-password-aes.pdf"])
def test_a_pdf_that_anyone_may_open_is_read_though_it_is_encrypted(name: str) -> None:
    page = parse((PAGES / name).read_bytes())
    assert page.text == REPORT_TEXT
    assert page.title == "Readings"  # what it says of itself is gone: its first line stands for a title


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("password.pdf", "unsupported", "needs a password"),
        ("scan.pdf", "content_empty", "may be a scan"),
        ("broken.pdf", "unsupported", "is broken"),
    ],
)
def test_a_pdf_that_cannot_be_read_says_why(name: str, kind: str, words: str) -> None:
    with pytest.raises(FetchError, match=words) as failure:
        read_body((PAGES / name).read_bytes(), "")
    assert failure.value.kind == kind


def test_the_outline_makes_headings() -> None:
    made = paper()
    for level, name in enumerate(("Methods of levelling", "The marks", "Not in the text")):
        made.start_section(name, level)
        made.multi_cell(0, 6, f"{name}\n" if level < 2 else " ", new_x="LMARGIN", new_y="NEXT")
        made.multi_cell(0, 6, "Each gauge was levelled against three marks in the rock every second spring, in calm weather only.\n\n",
                        new_x="LMARGIN", new_y="NEXT")  # fmt: skip
    blocks = parse(bytes_of(made)).text.split("\n\n")
    assert [block for block in blocks if block.startswith("#")] == ["## Methods of levelling", "### The marks"]


def test_what_it_says_of_itself_in_both_ways() -> None:
    made = paper()
    made.set_title("Tides of the north harbour")
    made.set_author("Jane Doe; John Roe")
    made.set_lang("en-GB")
    made.cell(text="A line.")
    made.set_xmp_metadata(
        '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:prism="http://prismstandard.org/namespaces/basic/2.0/" '
        'prism:doi="10.1234/tides.7" prism:publicationDate="2023-05-04"><dc:creator><rdf:Seq><rdf:li>Ann Lee</rdf:li><rdf:li>Bo Ek</rdf:li>'
        "</rdf:Seq></dc:creator></rdf:Description></rdf:RDF></x:xmpmeta>"
    )
    page = parse(bytes_of(made))
    assert (page.title, page.published, page.metadata.doi) == ("Tides of the north harbour", "2023-05-04", "10.1234/tides.7")
    assert (page.metadata.authors, page.metadata.language) == (("Ann Lee", "Bo Ek"), "en-GB")


@pytest.mark.parametrize(
    ("information", "title", "authors"),
    [
        ({"title": "Microsoft Word - tides.docx", "author": "admin"}, "", ()),
        ({"title": "Microsoft Word - Tides of the north", "author": "Doe, Jane"}, "Tides of the north", ("Jane Doe",)),
        ({"title": "untitled document"}, "", ()),
        ({"title": "tides"}, "", ()),
        ({"author": "Jane Doe and John Roe"}, "", ("Jane Doe", "John Roe")),
    ],
)
def test_the_information_dictionary_is_believed_as_far_as_it_is_meant(
    information: dict[str, str], title: str, authors: tuple[str, ...]
) -> None:
    said = of_pdf(b"", information)
    assert (said.title, said.metadata.authors) == (title, authors)


@pytest.mark.parametrize(
    "packet", [b"<x:xmpmeta>broken</x:xmpmeta>", b"<x:xmpmeta" + b"<" * 300_000, b"<x:xmpmeta><!DOCTYPE a></x:xmpmeta>"]
)
def test_a_broken_packet_says_nothing(packet: bytes) -> None:
    assert of_pdf(packet, {}).metadata.authors == ()


# ---------------------------------------------------------------- what nobody sees


def test_white_and_tiny_words_are_left_out_and_counted() -> None:
    made = paper()
    made.multi_cell(0, 6, "These lines can be read.", new_x="LMARGIN", new_y="NEXT")
    made.set_text_color(255, 255, 255)
    made.multi_cell(0, 6, LONG, new_x="LMARGIN", new_y="NEXT")
    made.set_text_color(0, 0, 0)
    made.set_font_size(1)
    made.multi_cell(0, 6, LONG, new_x="LMARGIN", new_y="NEXT")
    page = parse(bytes_of(made))
    assert page.text == "These lines can be read."
    assert page.hidden.counts == {SAME_COLOUR: 1, TOO_SMALL: 1}
    assert page.hidden.samples == ((SAME_COLOUR, LONG), (TOO_SMALL, LONG))


@pytest.mark.parametrize("fill", [(31, 56, 100), (250, 250, 250)])
def test_white_words_on_a_coloured_ground_stay(fill: tuple[int, int, int]) -> None:
    made = paper()
    made.set_fill_color(*fill)
    made.set_text_color(255, 255, 255)
    made.cell(text=LONG, fill=True)
    if fill == (31, 56, 100):
        assert parse(bytes_of(made)).text == LONG
    else:
        with pytest.raises(FetchError):
            parse(bytes_of(made))


def test_the_invisible_layer_of_a_scan_is_read() -> None:
    made = paper()
    made.text_mode = TextMode.INVISIBLE
    made.cell(text=LONG)
    assert parse(bytes_of(made)).text == LONG


# ---------------------------------------------------------------- long ones

LINE = "Each gauge was levelled against marks in the rock every second spring, in calm weather."


def long_pdf(pages: int, lines: int = 55) -> bytes:
    """Pages whose lines have no number, since lines that differ by a number alone are taken for running heads."""
    names = ("".join("abcdefghij"[int(digit)] for digit in str(number)) for number in range(pages))
    return pdf(*("\n".join(f"{name} {n} {LINE}" for n in range(lines)) for name in names))


PATIENT = 600.0  # seconds: these are about what is read, not about how busy this machine is


@pytest.mark.parametrize("pages", [30, 300])
def test_an_honest_long_pdf_is_read_whole_and_soon(pages: int) -> None:
    body = long_pdf(pages)
    began = time.process_time()
    page = parse(body, budget_s=PATIENT)
    assert time.process_time() - began < BUDGET_S
    assert (page.text.count("levelled"), page.metadata.cut) == (55 * pages, "")


def test_of_a_very_long_pdf_it_is_said_what_was_read() -> None:
    page = parse(long_pdf(1_003, 5), budget_s=PATIENT)
    assert (page.text.count("levelled"), page.metadata.cut) == (5_000, "Pages 1 to 1,000 of 1,003 were read.")


def test_of_a_pdf_with_very_much_text_it_is_said_what_was_read() -> None:
    page = parse(long_pdf(600), budget_s=PATIENT)
    assert 1_900_000 < len(page.text) <= 2_000_000
    assert page.metadata.cut == "Pages 1 to 385 of 600 were read."


def test_where_there_is_no_time_for_all_of_it_what_was_read_is_not_lost() -> None:
    page = parse(long_pdf(600), budget_s=0.01)
    assert 0 < page.text.count("levelled") < 600 * 55
    assert page.metadata.cut.startswith("Pages 1 to ")


def test_a_long_pdf_is_read_in_a_child() -> None:
    assert read_body(long_pdf(30), "").text.count("levelled") == 55 * 30
