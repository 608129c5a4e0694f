"""The page of a PDF that holds a passage: which it is, and where the mark is in its picture."""

from __future__ import annotations

import base64
import io

import pytest
from fpdf import FPDF
from PIL import Image

from research_core.errors import FetchError
from research_core.web.documents.pdf_picture import draw_passage, find_place
from research_core.web.documents.sandbox import SHARED_SANDBOX
from tests.pdf_files import drawn

FILL = "The harbour was dredged in parts, and the survey of its bed took many years. "
DIVE = "Whales reached a depth of 2,035 metres in the summer of 2019, deeper than any dive before."


def paper(pages: int, number: int) -> bytes:
    """A PDF of so many pages; this one has DIVE below other text."""
    made = FPDF()
    made.set_font("Helvetica", size=11)
    for page in range(1, pages + 1):
        made.add_page()
        made.multi_cell(0, 6, f"Part {page}. {FILL * 8}", new_x="LMARGIN", new_y="NEXT")
        if page == number:
            made.multi_cell(0, 6, DIVE, new_x="LMARGIN", new_y="NEXT")
    return bytes(made.output())


def find_marked_rows(image: str) -> list[int]:
    """The rows of pixels with the yellow of the mark."""
    picture = Image.open(io.BytesIO(base64.b64decode(image))).convert("RGB")
    width, height = picture.size
    rows = []
    for row in range(height):
        colors = picture.crop((0, row, width, row + 1)).getcolors(width) or []
        if any(red > 200 and blue < 150 for _, (red, _green, blue) in colors):
            rows.append(row)
    return rows


@pytest.mark.parametrize("number", [1, 3, 7])
def test_the_page_of_a_sentence_is_drawn_with_only_the_sentence_marked(number: int) -> None:
    answer = SHARED_SANDBOX.run("pdf_passage", paper(7, number), passage=FILL + DIVE, sentence=DIVE)
    assert (answer["page"], answer["pages"]) == (number, 7)
    marked = find_marked_rows(answer["image"])
    assert marked
    assert max(marked) - min(marked) < 80, "two lines at most"
    assert min(marked) > 150, "below the other text"


@pytest.mark.parametrize(
    "said",
    [
        DIVE,
        DIVE.upper(),
        DIVE.replace(" ", "\n"),
        DIVE.replace("deeper", "deep-\ner"),
        f"{'Words of no page at all. ' * 4}{DIVE}",
    ],
)
def test_a_passage_is_found_however_its_lines_break_and_by_its_pieces(said: str) -> None:
    assert draw_passage(paper(3, 2), passage=said)["page"] == 2


@pytest.mark.parametrize(
    ("texts", "wanted", "page"),
    [
        (["鯨は二千メートル潜る。", "港は浚渫された。"], "港は浚渫 された", 1),
        (["Глубина 20 м.", "Straße"], "STRASSE", 1),
        (["a", "b"], "…", None),
        (["a", "b"], "", None),
        ([], "a", None),
    ],
)
def test_places_are_found_by_letters_and_digits(
    texts: list[str], wanted: str, page: int | None
) -> None:
    found = find_place(texts, (wanted,))
    assert (found.index if found else None) == page


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"no PDF", "unsupported"),
        (b"%PDF-1.4\n%%EOF", "unsupported"),
        (drawn("BT /F1 10 Tf 40 700 Td (Other words) Tj ET"), "content_empty"),
        (drawn("0 0 10 10 re f"), "content_empty"),
    ],
)
def test_what_cannot_be_drawn_says_why(body: bytes, kind: str) -> None:
    with pytest.raises(FetchError) as refused:
        SHARED_SANDBOX.run("pdf_passage", body, passage=DIVE)
    assert refused.value.kind == kind


def test_a_page_that_is_turned_is_marked_where_its_words_are() -> None:
    made = FPDF()
    made.set_font("Helvetica", size=11)
    made.add_page()
    made.multi_cell(0, 6, DIVE)
    turned = bytes(made.output()).replace(b"/Type /Page\n", b"/Type /Page\n/Rotate 180\n")
    answer = draw_passage(turned, passage=DIVE)
    assert find_marked_rows(answer["image"])
