"""Columns of a PDF that are drawn line by line are read one after the other; tables stay rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from fpdf import FPDF

from research_core.web.documents.pdf import parse
from research_core.web.documents.pdf_columns import Box, ReadingOrder, find_reading_order
from tests.timing import check_cpu_time

HARBOUR = (
    "The harbour wall was raised twice in the last century. Each time the stone came from the"
    " quarry behind the town, and each time the work took longer than the council had planned for."
    " Boats moved to the northern basin while divers set the lowest courses by hand."
)
FISHING = (
    "Fishing fell by a third between the wars. Families who had sold herring to the cannery turned"
    " to summer guests, and the old net lofts became boarding houses. The census of that decade"
    " lists forty landladies and only nine skippers on the same street."
)
PHARE = (
    "Le phare fut allumé pour la première fois en hiver. Trois gardiens s'y relayaient, et leurs"
    " familles vivaient au pied de la tour. Le bateau de ravitaillement venait chaque quinzaine"
    " quand la mer le permettait, ce qui n'arrivait guère avant le printemps."
)
DEICH = (
    "Der Deich wurde nach der großen Flut um zwei Meter erhöht. Die Bauern der Umgebung stellten"
    " Wagen und Pferde, und die Gemeinde zahlte den Lohn der Arbeiter. Erst im dritten Sommer"
    " war die letzte Lücke geschlossen, und das Vieh kehrte auf die Weiden zurück."
)
MUELLE = (
    "El muelle nuevo se abrió en primavera con una fiesta que duró tres días. Los barcos de vapor"
    " atracaban por la mañana, y los carros llevaban la fruta hasta el tren antes del mediodía."
    " La aduana ocupaba la planta baja del edificio de piedra junto al agua."
)
WIDTH, LEFT = 495.0, 50.0


class Sheet:
    """A page on which lines are drawn at the places that are given."""

    def __init__(self, size: float = 10.0) -> None:
        self.made = FPDF(unit="pt", format="A4")
        self.made.set_auto_page_break(False)
        self.size, self.y = size, 60.0
        self.add_page()

    def add_page(self) -> None:
        self.made.add_page()
        self.made.set_font("Helvetica", size=self.size)
        self.y = 60.0

    def wrap(self, text: str, width: float) -> list[str]:
        lines = [""]
        for word in text.split():
            longer = f"{lines[-1]} {word}".strip()
            if self.made.get_string_width(longer) > width:
                lines.append(word)
            else:
                lines[-1] = longer
        return lines

    def draw(self, x: float, words: str, down: float = 0.0) -> None:
        self.made.text(x, self.y + down, words)

    def draw_line(self, words: str, space: float = 0.0) -> None:
        """A line from the left edge, with so much space above and below it."""
        self.y += space
        self.draw(LEFT, words)
        self.y += 1.3 * self.size + space

    def draw_columns(
        self,
        *texts: str,
        gap: float = 20.0,
        down: float = 0.0,
        by_word: bool = False,
        by_column: bool = False,
    ) -> None:
        """These texts beside each other. down: how much lower each column begins than the last."""
        width = (WIDTH - gap * (len(texts) - 1)) / len(texts)
        columns = [self.wrap(text, width) for text in texts]
        places = [(row, n) for row in range(max(map(len, columns))) for n in range(len(columns))]
        if by_column:
            places.sort(key=lambda place: place[1])
        top = self.y
        for row, number in places:
            if row >= len(columns[number]):
                continue
            self.y = top + 1.3 * self.size * row
            x = LEFT + number * (width + gap)
            if not by_word:
                self.draw(x, columns[number][row], number * down)
                continue
            for word in columns[number][row].split():
                self.draw(x, word, number * down)
                x += self.made.get_string_width(f"{word} ")
        self.y = top + 1.3 * self.size * max(map(len, columns))

    def draw_rows(self, rows: Sequence[Sequence[str]], places: Sequence[float]) -> None:
        for row in rows:
            for place, cell in zip(places, row, strict=True):
                self.draw(LEFT + place, cell)
            self.y += 1.3 * self.size

    def read(self) -> tuple[str, str]:
        """The text on one line, and the note of the page."""
        page = parse(bytes(self.made.output()))
        return " ".join(page.text.split()), page.metadata.note


@pytest.mark.parametrize(
    ("texts", "options"),
    [
        ((HARBOUR, FISHING), {}),
        ((PHARE, DEICH), {}),
        ((MUELLE, PHARE), {"gap": 12.0}),
        ((DEICH, HARBOUR), {"gap": 45.0}),
        ((FISHING, MUELLE), {"down": 3.0}),
        ((HARBOUR, FISHING), {"by_word": True}),
        ((HARBOUR, FISHING, DEICH), {}),
        ((PHARE, FISHING[:180]), {}),
        ((HARBOUR, FISHING), {"by_column": True}),
    ],
)
def test_columns_are_read_one_after_the_other(
    texts: Sequence[str], options: dict[str, float]
) -> None:
    sheet = Sheet(8.0 if len(texts) > 2 else 10.0)
    sheet.draw_columns(*texts, **options)  # type: ignore[arg-type]
    assert sheet.read() == (" ".join(texts), "")


@pytest.mark.parametrize("space", [4.0, 14.0])
def test_a_heading_over_both_columns_stays_before_them(space: float) -> None:
    sheet = Sheet()
    heading = "Harbour and trade in a town of the northern coast between the two wars"
    abstract = "Two accounts of one town, set beside each other as they were first printed here."
    sheet.draw_line(heading, space)
    sheet.draw_line(abstract, space)
    sheet.draw_columns(HARBOUR, FISHING)
    assert sheet.read() == (f"{heading} {abstract} {HARBOUR} {FISHING}", "")


def test_a_line_over_both_columns_parts_those_above_from_those_below() -> None:
    sheet = Sheet()
    between = (
        "Figure 1. The basin as it was drawn by the harbour office for the survey of that year."
    )
    sheet.draw_columns(HARBOUR, FISHING)
    sheet.draw_line(between, 10.0)
    sheet.draw_columns(PHARE, DEICH)
    assert sheet.read() == (" ".join((HARBOUR, FISHING, between, PHARE, DEICH)), "")


def test_running_heads_with_words_at_both_ends_are_dropped_from_every_page() -> None:
    sheet = Sheet()
    bodies = [(HARBOUR, FISHING), (PHARE, DEICH), (MUELLE, HARBOUR), (FISHING, PHARE)]
    for number, body in enumerate(bodies, 1):
        if number > 1:
            sheet.add_page()
        sheet.draw(LEFT, "Annals of the coast")
        sheet.draw(LEFT + 440, f"page {number}")
        sheet.y += 40
        sheet.draw_columns(*body)
    text, note = sheet.read()
    assert text == " ".join(" ".join(body) for body in bodies)
    assert note == ""


TOWNS = [
    ("Town", "Boats", "Landed"),
    ("Whitby", "34", "1,204 t"),
    ("Bergen", "112", "9,870 t"),
    ("Cádiz", "58", "3,311 t"),
    ("Gdynia", "71", "4,020 t"),
    ("Brest", "45", "2,508 t"),
    ("Esbjerg", "93", "8,145 t"),
]


@pytest.mark.parametrize(
    ("rows", "places"),
    [
        (TOWNS, (0, 200, 350)),
        ([row[:2] for row in TOWNS], (0, 260)),
        ([(f"{row[0]} (harbour and roads)", row[2]) for row in TOWNS], (0, 300)),
        ([(f"{n}.", f"Chapter on {row[0]}", f"{7 * n}") for n, row in enumerate(TOWNS)], (0, 30, 440)),
    ],
)  # fmt: skip
def test_a_table_stays_in_rows(rows: Sequence[Sequence[str]], places: Sequence[float]) -> None:
    sheet = Sheet()
    sheet.draw_rows(rows, places)
    assert sheet.read() == (" ".join(cell for row in rows for cell in row), "")


def test_a_table_between_lines_of_full_width_stays_in_rows() -> None:
    sheet = Sheet()
    before, after = sheet.wrap(HARBOUR, WIDTH), sheet.wrap(FISHING, WIDTH)
    for line in before:
        sheet.draw_line(line)
    sheet.draw_rows(TOWNS, (0, 200, 350))
    for line in after:
        sheet.draw_line(line)
    cells = " ".join(cell for row in TOWNS for cell in row)
    assert sheet.read() == (f"{HARBOUR} {cells} {FISHING}", "")


def draw_wrapped_cells(sheet: Sheet) -> Iterator[str]:
    """Rows whose cells hold several lines, drawn line by line; yields the lines as drawn."""
    for left, right in ((HARBOUR, FISHING), (PHARE, DEICH), (MUELLE, HARBOUR), (FISHING, PHARE)):
        columns = [sheet.wrap(text[:130], 237.0)[:2] for text in (left, right)]
        for pair in zip(*columns, strict=True):
            sheet.draw(LEFT, pair[0])
            sheet.draw(LEFT + 257, pair[1])
            sheet.y += 13
            yield " ".join(pair)
        sheet.y += 12


def test_a_table_of_texts_stays_in_rows_and_is_called_uncertain() -> None:
    sheet = Sheet()
    drawn = " ".join(draw_wrapped_cells(sheet))
    text, note = sheet.read()
    assert text.replace("- ", "-") == drawn.replace("- ", "-")
    assert note == "The order of columns is uncertain on page 1."


def test_a_column_of_short_lines_beside_one_of_prose_is_uncertain() -> None:
    sheet = Sheet()
    for number, line in enumerate(sheet.wrap(f"{HARBOUR} {FISHING}", 237.0)):
        sheet.draw(
            LEFT,
            ["remarks on the wall", "the loss of herring caught off the coast"][number % 3 == 0],
        )
        sheet.draw(LEFT + 257, line)
        sheet.y += 13
    assert sheet.read()[1] == "The order of columns is uncertain on page 1."


def test_hidden_words_beside_columns_change_nothing() -> None:
    sheet = Sheet()
    sheet.draw_columns(HARBOUR, FISHING)
    sheet.made.set_text_color(255)
    sheet.draw_line("Words in the colour of the paper that run over both of the columns here.")
    assert sheet.read() == (f"{HARBOUR} {FISHING}", "")


def test_prose_in_one_column_stays_as_it_is() -> None:
    sheet = Sheet()
    for line in sheet.wrap(" ".join((HARBOUR, FISHING, PHARE)), WIDTH):
        sheet.draw_line(line)
    assert sheet.read() == (" ".join((HARBOUR, FISHING, PHARE)), "")


def list_rows(count: int, places: Sequence[tuple[float, float]]) -> list[Box]:
    """So many lines, from the top down, of pieces from these places to those."""
    return [
        (left, 12.0 * row, right, 12.0 * row + 10)
        for row in range(count, 0, -1)
        for left, right in places
    ]


#: Boxes of pages no typesetter makes, and whether their order is uncertain.
HOSTILE = {
    "very many narrow columns": (
        [
            box
            for n in range(6_000)
            for box in list_rows(3, [(40.0 * n, 40.0 * n + 10), (40.0 * n + 20, 40.0 * n + 30)])
        ],
        False,
    ),
    "columns far from each other": (
        [
            box
            for n in range(4_000)
            for box in list_rows(
                3, [(500.0 * n, 500.0 * n + 150), (500.0 * n + 200, 500.0 * n + 350)]
            )
        ],
        False,
    ),
    "very many lines of two columns": (list_rows(30_000, [(0, 150), (200, 350)]), True),
    "very many lines of full width below columns": (
        [
            *(
                (0.0, bottom + 200_000, right, top + 200_000)
                for _, bottom, right, top in list_rows(10_000, [(0, 350)])
            ),
            *list_rows(10_000, [(0, 150), (200, 350)]),
        ],
        True,
    ),
    "lines on top of each other": (
        [(0.0 + 200 * (n % 2), 0.0, 150.0 + 200 * (n % 2), 10.0) for n in range(40_000)],
        True,
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_it_takes_the_time_of_its_length(name: str) -> None:
    boxes, uncertain = HOSTILE[name]
    with check_cpu_time(3.0):
        order = find_reading_order(boxes, (0, 0, 400, 400_000))
    assert order == ReadingOrder(uncertain=uncertain)


def test_a_line_beside_a_column_makes_the_order_uncertain() -> None:
    beside = [*list_rows(20, [(0, 150), (200, 350)]), (0.0, 125.0, 350.0, 135.0)]
    assert find_reading_order(beside, (0, 0, 400, 300)) == ReadingOrder(uncertain=True)
    below = [*list_rows(20, [(0, 150), (200, 350)]), (0.0, -4.0, 350.0, 6.0)]
    assert len(find_reading_order(below, (0, 0, 400, 300)).bands) == 2
