"""PDF as pages: whole, in blocks, with its outline as headings; what nobody sees is left out; where
it cannot be read, a reason.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fpdf import FPDF

from research_core.errors import FetchError
from research_core.web.documents.kinds import read_body
from research_core.web.documents.pdf import parse
from research_core.web.documents.properties import read_pdf_properties
from research_core.web.documents.sandbox import SHARED_SANDBOX
from research_core.web.documents.tally import (
    COVERED,
    NO_ROOM,
    OFF_PAGE,
    SAME_COLOUR,
    TOO_SMALL,
    UNPAINTED,
)
from tests.pdf_files import PICTURE, drawn, form, pdf, repeated
from tests.timing import check_cpu_time

PAGES = Path(__file__).parents[2] / "replies" / "pages"
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
    assert (page.title, page.published, page.kind) == (
        "Tide gauges of the north harbour",
        "2024-06-03",
        "pdf",
    )
    assert page.final_url == "https://harbour.example.org/report.pdf"


@pytest.mark.parametrize("name", ["open-password.pdf", "open-password-aes.pdf"])
def test_a_pdf_that_anyone_may_open_is_read_though_it_is_encrypted(name: str) -> None:
    page = parse((PAGES / name).read_bytes())
    assert page.text == REPORT_TEXT
    assert (
        page.title == "Readings"
    )  # what it says of itself is gone: its first line stands for a title


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("password.pdf", "unsupported", "needs a password"),
        ("scan.pdf", "content_empty", "may be a scan"),
        ("broken.pdf", "unsupported", "is damaged"),
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
    assert [block for block in blocks if block.startswith("#")] == [
        "## Methods of levelling",
        "### The marks",
    ]


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
    assert (page.title, page.published, page.metadata.doi) == (
        "Tides of the north harbour",
        "2023-05-04",
        "10.1234/tides.7",
    )
    assert (page.metadata.authors, page.metadata.language) == (("Ann Lee", "Bo Ek"), "en-GB")


@pytest.mark.parametrize(
    ("information", "title", "authors"),
    [
        ({"title": "Microsoft Word - tides.docx", "author": "admin"}, "", ()),
        (
            {"title": "Microsoft Word - Tides of the north", "author": "Doe, Jane"},
            "Tides of the north",
            ("Jane Doe",),
        ),
        ({"title": "untitled document"}, "", ()),
        ({"title": "tides"}, "", ()),
        ({"author": "Jane Doe and John Roe"}, "", ("Jane Doe", "John Roe")),
    ],
)
def test_the_information_dictionary_is_believed_as_far_as_it_is_meant(
    information: dict[str, str], title: str, authors: tuple[str, ...]
) -> None:
    said = read_pdf_properties(b"", information)
    assert (said.title, said.metadata.authors) == (title, authors)


@pytest.mark.parametrize(
    "packet",
    [
        b"<x:xmpmeta>broken</x:xmpmeta>",
        b"<x:xmpmeta" + b"<" * 300_000,
        b"<x:xmpmeta><!DOCTYPE a></x:xmpmeta>",
    ],
)
def test_a_broken_packet_says_nothing(packet: bytes) -> None:
    assert read_pdf_properties(packet, {}).metadata.authors == ()


BODY = "Each gauge was levelled against three marks in the rock every second spring, in calm weather only."


@pytest.mark.parametrize(
    ("tops", "title"),
    [
        (["Journal of Tides 12 (2020) 1", "J. Doe and others", "Journal of Tides 12 (2020) 3", "J. Doe and others",
          "Journal of Tides 12 (2020) 5", "J. Doe and others"], "The gauge on the north pier"),
        (["Tides 12\nHarbour Press", "Marks", "Tides 12\nHarbour Press", "Rocks", "Tides 12\nHarbour Press", "Springs"],
         "The gauge on the north pier"),
        (["Journal of Tides 12", "Marks", "Rocks", "Springs", "Journal of Tides 12", "Weather"], "Journal of Tides 12"),
        (["The tides", "Marks\nThe tides", "Rocks\nThe tides", "Springs"], "The tides"),
    ],
)  # fmt: skip
def test_a_running_head_is_no_title(tops: list[str], title: str) -> None:
    first, *others = tops
    page = parse(
        pdf(
            f"{first}\nThe gauge on the north pier\n{BODY}",
            *(f"{top}\n{top[:2]} {BODY}" for top in others),
        )
    )
    assert page.title == title
    assert page.text.startswith(first.split("\n")[0])  # it stays in the text


def test_a_pdf_whose_first_page_holds_but_a_running_head_takes_it_for_its_title() -> None:
    pages = (
        f"{top}\nOn {'abcde'[n]} {BODY}"
        for n, top in enumerate(("Tides 2", "Tides 3", "Marks", "Rocks", "Springs"))
    )
    assert parse(pdf("Tides 1", *pages)).title == "Tides 1"


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


SEEN = "BT /F1 11 Tf 60 760 Td (These lines can be read.) Tj ET"
WORDS = f"BT /F1 11 Tf 60 700 Td ({LONG}) Tj ET"
NAMED: dict[str, Any] = {"resources": "/XObject << /P 7 0 R >>"}
SCAN = "q 590 0 0 790 5 5 cm /P Do Q"
PICTURES: dict[str, Any] = {"objects": (PICTURE,), **NAMED}


INNER = "/XObject << /Q 8 0 R >>"


def state(said: str) -> str:
    return f"/ExtGState << /P << {said} >> >>"


def words(before: str, *, at: str = "60 700 Td", size: int = 11) -> str:
    return f"q BT /F1 {size} Tf {before} {at} ({LONG}) Tj ET Q"


#: How words are hidden: the content, what else the file holds, and the reason that is counted.
HIDDEN: dict[str, tuple[str, dict[str, Any], str]] = {
    "without ink": (words("3 Tr"), {}, UNPAINTED),
    "as a clip that nothing is painted through": (words("7 Tr"), {}, UNPAINTED),
    "without ink, beside a small picture": (f"q 100 0 0 100 60 690 cm /P Do Q {words('3 Tr')}", PICTURES, UNPAINTED),
    "above the page": (words("", at="60 900 Td"), {}, OFF_PAGE),
    "left of the page": (words("", at="-900 700 Td"), {}, OFF_PAGE),
    "below the page, by a matrix": (f"q 1 0 0 1 0 -5000 cm {WORDS} Q", {}, OFF_PAGE),
    "under a white box": (f"{WORDS} 1 g 50 690 400 30 re f", {}, COVERED),
    "under a black box": (f"{WORDS} 0 g 50 690 400 30 re f", {}, COVERED),
    "under a white box in a form": (f"{WORDS} /P Do", {"objects": (form("1 g 50 690 400 30 re f"),), **NAMED}, COVERED),
    "black on black": (f"0 g 50 690 400 30 re f {WORDS}", {}, SAME_COLOUR),
    "blue on blue": (f"0 0 .8 rg 50 690 400 30 re f {words('0 0 .79 rg')}", {}, SAME_COLOUR),
    "black on a black box that lies on a red one": (f"1 0 0 rg 0 600 600 140 re f 0 g 50 690 400 30 re f {WORDS}", {}, SAME_COLOUR),
    "97 % white": (words(".97 g"), {}, SAME_COLOUR),
    "white, beside a dot": (f"0 g 61 701 1 1 re f {words('1 g')}", {}, SAME_COLOUR),
    "white, in the box of a path with hardly an area": (f"0 g 50 690 m 460 690 l 460 720 l 459 691 l f {words('1 g')}", {}, SAME_COLOUR),
    "white, on a box that is clipped away": (f"q 0 0 9 9 re W n 0 g 50 690 400 30 re f Q {words('1 g')}", {}, SAME_COLOUR),
    "white, on a box that is drawn later": (f"{words('1 g')} q 0 g 50 695 20 9 re f Q", {}, SAME_COLOUR),
    "white outlines": (words("1 Tr 1 G"), {}, SAME_COLOUR),
    "see-through": (f"/P gs {WORDS}", {"resources": state("/ca 0.02")}, SAME_COLOUR),
    "clipped": (f"q 0 0 20 20 re W n {WORDS} Q", {}, NO_ROOM),
    "clipped twice, to what never meets": (f"q 50 690 9 30 re W n 300 690 9 30 re W n {WORDS} Q", {}, NO_ROOM),
    "tiny": (words("", size=1), {}, TOO_SMALL),
    "tiny by a matrix": (f"q .1 0 0 .1 50 690 cm {WORDS} Q", {}, TOO_SMALL),
    "tiny by the matrix of a form": ("q .1 0 0 .1 50 690 cm /P Do Q", {"objects": (form(WORDS),), **NAMED}, TOO_SMALL),
    "off the page in a form": ("q 1 0 0 1 0 900 cm /P Do Q", {"objects": (form(WORDS),), **NAMED}, OFF_PAGE),
    "white in a form in a form": ("/P Do", {"objects": (form("/Q Do", INNER), form(words("1 g"))), **NAMED}, SAME_COLOUR),
}  # fmt: skip


@pytest.mark.parametrize(("content", "more", "reason"), HIDDEN.values(), ids=HIDDEN)
def test_words_that_nobody_sees_are_left_out_and_counted(
    content: str, more: dict[str, Any], reason: str
) -> None:
    page = parse(
        drawn(f"{SEEN} {content}", *more.get("objects", ()), resources=more.get("resources", ""))
    )
    assert page.text == "These lines can be read."
    assert page.hidden.counts == {reason: 1}
    assert page.hidden.samples == ((reason, LONG),)


#: What looks like one of these, and is seen.
SHOWN: dict[str, tuple[str, dict[str, Any]]] = {
    "black": (WORDS, {}),
    "as outlines": (words("1 Tr 0 G 1 g"), {}),
    "in grey": (words(".85 g"), {}),
    "in yellow": (words("1 1 0 rg"), {}),
    "partly see-through": (f"/P gs {WORDS}", {"resources": state("/ca 0.3")}),
    "white on a black box": (f"0 g 50 690 400 30 re f {words('1 g')}", {}),
    "white on stripes": (" ".join(f"0 0 .8 rg {50 + 10 * n} 690 10 30 re f" for n in range(40)) + words("1 g"), {}),
    "white on a broad line": (f"0 0 .8 RG 30 w 50 703 m 460 703 l S {words('1 g')}", {}),
    "white on a round area": (f"0 0 .8 rg 0 700 m 0 900 600 900 600 700 c 600 500 0 500 0 700 c f {words('1 g')}", {}),
    "white on a picture": (f"q 400 0 0 60 50 680 cm /P Do Q {words('1 g')}", PICTURES),
    "white on a picture in a form": (
        f"q 1 0 0 1 10 0 cm /P Do Q {words('1 g')}",
        {"objects": (form("q 400 0 0 60 50 680 cm /Q Do Q", INNER), PICTURE), **NAMED},
    ),
    "white, for the most part on black": (f"0 g 50 690 400 30 re f 1 g 50 690 60 30 re f {words('1 g')}", {}),
    "black on a black line below it": (f"0 g 50 698 400 1 re f {WORDS}", {}),
    "black on a white box on a black one": (f"0 g 0 0 600 800 re f 1 g 50 690 400 30 re f 0 g {WORDS}", {}),
    "black beside the corner of a black area": (f"0 g 0 600 m 0 800 l 59 690 l f {WORDS}", {}),
    "under a box that one sees through": (f"{WORDS} /P gs 1 1 0 rg 50 690 400 30 re f", {"resources": state("/ca 0.4")}),
    "under a box that is mixed with it": (f"{WORDS} /P gs 1 1 0 rg 50 690 400 30 re f", {"resources": state("/BM /Multiply")}),
    "under a frame": (f"{WORDS} 0 g 50 690 400 30 re 52 692 396 26 re f*", {}),
    "under a box that is clipped away": (f"{WORDS} q 0 0 9 9 re W n 1 g 50 690 400 30 re f Q", {}),
    "under a box over half of it": (f"{WORDS} 1 g 50 690 100 30 re f", {}),
    "within its clip": (f"q 50 690 400 30 re W n {WORDS} Q", {}),
    "with its tail clipped": (f"q 50 690 100 30 re W n {WORDS} Q", {}),
    "begun on the page": (words("", at="500 700 Td"), {}),
    "as letters that something is painted through": (f"q BT 7 Tr /F1 11 Tf 60 700 Td ({LONG}) Tj ET 0 0 1 rg 0 0 600 800 re f Q", {}),
    "large by a matrix": (f"q 10 0 0 10 60 700 cm BT /F1 1.1 Tf ({LONG}) Tj ET Q", {}),
    "turned": (f"BT /F1 11 Tf 0 1 -1 0 100 300 Tm ({LONG}) Tj ET", {}),
    "in a form that is moved onto the page": ("q 1 0 0 1 0 -900 cm /P Do Q", {"objects": (form(words("", at="60 1600 Td")),), **NAMED}),
    "recognised in a scan": (f"{SCAN} {words('3 Tr')}", PICTURES),
    "recognised in a scan of which it lies below": (f"{WORDS} {SCAN}", PICTURES),
    "recognised in a scan in strips": ("".join(f"q 600 0 0 200 0 {n} cm /P Do Q " for n in (0, 200, 400, 600)) + words("3 Tr"), PICTURES),
}  # fmt: skip


@pytest.mark.parametrize(("content", "more"), SHOWN.values(), ids=SHOWN)
def test_words_that_are_seen_stay(content: str, more: dict[str, Any]) -> None:
    page = parse(drawn(content, *more.get("objects", ()), resources=more.get("resources", "")))
    assert (page.text, page.hidden.total) == (LONG, 0)


def test_a_page_may_show_less_than_its_paper() -> None:
    body = drawn(f"{SEEN} {words('', at='60 100 Td')}").replace(
        b"/MediaBox [0 0 600 800]", b"/MediaBox [0 0 600 800] /CropBox [0 400 600 800]"
    )
    assert parse(body).hidden.counts == {OFF_PAGE: 1}


# ---------------------------------------------------------------- long ones

LINE = "Each gauge was levelled against marks in the rock every second spring, in calm weather."


SOON_S = 3.0  # of the processor, on a machine that does other things too


def long_pdf(pages: int, lines: int = 55, repeated: int = 1) -> bytes:
    """Pages whose lines have no number, since lines that differ by a number alone are taken for
    running heads.
    """
    names = ("".join("abcdefghij"[int(digit)] for digit in str(number)) for number in range(pages))
    return pdf(
        *("\n".join(f"{name} {n} {LINE * repeated}" for n in range(lines)) for name in names)
    )


@pytest.mark.full
@pytest.mark.parametrize("pages", [30, 300])
def test_an_honest_long_pdf_is_read_whole_and_soon(pages: int) -> None:
    body = long_pdf(pages)
    with check_cpu_time(SOON_S):
        page = parse(body)
    assert (page.text.count("levelled"), page.metadata.cut) == (55 * pages, "")


def test_of_a_very_long_pdf_it_is_said_what_was_read() -> None:
    page = parse(long_pdf(1_003, 5))
    assert (page.text.count("levelled"), page.metadata.cut) == (
        5_000,
        "Pages 1 to 1,000 of 1,003 were read.",
    )


@pytest.mark.full
def test_of_a_pdf_with_very_much_text_it_is_said_what_was_read() -> None:
    page = parse(long_pdf(600, 25, 9))
    assert 1_900_000 < len(page.text) <= 2_000_000
    assert page.metadata.cut.startswith("Pages 1 to ")


@pytest.mark.full
def test_what_is_read_of_a_pdf_in_very_many_pieces_is_no_matter_of_time() -> None:
    """A page of 1,000 words, each placed by itself: 66 pages of them amount to as much as can be
    read.
    """
    placed = " ".join(
        f"BT /F1 9 Tf {20 + 50 * (n % 11)} {790 - 8 * (n // 11)} Td (word{n}) Tj ET"
        for n in range(1_000)
    )
    body = repeated(placed, 120)
    pages = [parse(body), SHARED_SANDBOX.read("pdf", body)]
    assert pages[0] == pages[1]
    assert pages[0].metadata.cut == "Pages 1 to 66 of 120 were read."


def test_a_long_pdf_is_read_in_a_child() -> None:
    assert read_body(long_pdf(30), "").text.count("levelled") == 55 * 30
