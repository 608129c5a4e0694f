"""Draw the page of a PDF that holds a passage, with its sentence marked, in the child process.

Passages are found by their letters and digits alone, so that line breaks, hyphens and spacing do
not matter. The picture is a PNG without text, so that nothing of the document stays active.
"""

from __future__ import annotations

import base64
import ctypes
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pypdfium2
from pypdfium2 import raw

from research_core.errors import FetchError
from research_core.model_messages import Json

#: Pages and characters that are searched, as far as `pdf.parse` reads at most.
MAX_PAGES, MAX_CHARS = 1_000, 2_000_000
#: Pixels of a picture's longer side.
LONGEST_SIDE = 1_400
#: Letters and digits that identify a place, where the whole sentence is on no page.
WINDOW = 40
#: Factor of red, green and blue under the mark.
MARK_TINT = (1.0, 0.88, 0.42)
MAX_MARKED_CHARS = 6_000


@dataclass(frozen=True)
class PlaceOnPage:
    """index: of the page, from 0; spans: (start, end) of the marked characters of its text."""

    index: int
    spans: tuple[tuple[int, int], ...]


def draw_passage(body: bytes, *, passage: str, sentence: str = "") -> Json:
    """Return {"page", "pages", "image"}: the number of the page from 1, their count, a PNG.

    image: base64. sentence: marked where it is found literally, else the whole passage. Raises
    FetchError unsupported (broken, encrypted) or content_empty (the passage is on no page).
    """
    try:
        document = pypdfium2.PdfDocument(body)
    except pypdfium2.PdfiumError as error:
        raise FetchError("The PDF cannot be opened.", kind="unsupported") from error
    texts = list(_read_texts(document))
    place = find_place(texts, (sentence, passage))
    if place is None:
        raise FetchError("The passage was not found on a page.", kind="content_empty")
    image = _draw_page(document[place.index], place.spans)
    return {
        "page": place.index + 1,
        "pages": len(document),
        "image": base64.b64encode(image).decode("ascii"),
    }


def _read_texts(document: Any) -> Iterator[str]:
    """Yield the text of each page, "" for a broken one, until there is enough."""
    size = 0
    for number in range(min(len(document), MAX_PAGES)):
        if size > MAX_CHARS:
            return
        try:
            text = _read_characters(document[number].get_textpage())
        except pypdfium2.PdfiumError:
            text = ""
        size += len(text)
        yield text


def _read_characters(words: Any) -> str:
    """Return a page's text with one character for each of its character boxes."""
    count = raw.FPDFText_CountChars(words)
    return "".join(chr(raw.FPDFText_GetUnicode(words, index)) for index in range(count))


def find_place(texts: Sequence[str], wanted: Sequence[str]) -> PlaceOnPage | None:
    """Return where the first of the wanted texts that is on a page stands.

    A text that is nowhere whole is found by its pieces: on the page with the most of them.
    """
    indexed = [_index_letters(text) for text in texts]
    keys = [key for key in (_index_letters(text)[0] for text in wanted) if key]
    for key in keys:
        for index, (letters, places) in enumerate(indexed):
            at = letters.find(key)
            if at >= 0:
                return PlaceOnPage(index, ((places[at], places[at + len(key) - 1] + 1),))
    for key in keys:
        best = _find_by_pieces(indexed, key)
        if best is not None:
            return best
    return None


def _find_by_pieces(indexed: Sequence[tuple[str, list[int]]], key: str) -> PlaceOnPage | None:
    pieces = [key[at : at + WINDOW] for at in range(0, len(key), WINDOW)]
    whole = [piece for piece in pieces if len(piece) == WINDOW]
    found: PlaceOnPage | None = None
    for index, (letters, places) in enumerate(indexed):
        spans = []
        for piece in whole:
            at = letters.find(piece)
            if at >= 0:
                spans.append((places[at], places[at + len(piece) - 1] + 1))
        if spans and (found is None or len(spans) > len(found.spans)):
            found = PlaceOnPage(index, tuple(spans))
    return found


def _index_letters(text: str) -> tuple[str, list[int]]:
    """Return the letters and digits of a text in lower case, and where each stands in it."""
    letters: list[str] = []
    places: list[int] = []
    for index, character in enumerate(text):
        for letter in character.casefold():
            if letter.isalnum():
                letters.append(letter)
                places.append(index)
    return "".join(letters), places


# -- the picture -----------------------------------------------------------------------------------


def _draw_page(page: Any, spans: Sequence[tuple[int, int]]) -> bytes:
    """Return the page as a PNG with the characters of these spans marked."""
    scale = LONGEST_SIDE / max(page.get_width(), page.get_height(), 1)
    bitmap = page.render(scale=scale, rev_byteorder=True, prefer_bgrx=False)
    width, height, stride = bitmap.width, bitmap.height, bitmap.stride
    channels = bitmap.n_channels
    pixels = bytearray(bitmap.buffer)
    words = page.get_textpage()
    for box in _find_boxes(page, words, spans, (width, height)):
        _tint(pixels, box, stride, channels)
    return _encode_png(pixels, (width, height), stride, channels)


Box = tuple[int, int, int, int]


def _find_boxes(
    page: Any, words: Any, spans: Sequence[tuple[int, int]], size: tuple[int, int]
) -> Iterator[Box]:
    """Yield boxes in pixels (left, top, right, bottom), characters of one line joined."""
    line: Box | None = None
    count = 0
    for start, end in spans:
        for index in range(start, end):
            count += 1
            if count > MAX_MARKED_CHARS:
                break
            box = _find_box(page, words, index, size)
            if box is None:
                continue
            if line is not None and _is_same_line(line, box):
                line = _join_boxes(line, box)
                continue
            if line is not None:
                yield line
            line = box
    if line is not None:
        yield line


def _find_box(page: Any, words: Any, index: int, size: tuple[int, int]) -> Box | None:
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    if not raw.FPDFText_GetCharBox(words, index, left, right, bottom, top):
        return None
    xs, ys = [], []
    for x, y in ((left.value, top.value), (right.value, bottom.value)):
        device_x, device_y = ctypes.c_int(), ctypes.c_int()
        raw.FPDF_PageToDevice(page, 0, 0, *size, 0, x, y, device_x, device_y)
        xs.append(min(max(device_x.value, 0), size[0]))
        ys.append(min(max(device_y.value, 0), size[1]))
    box = (min(xs), min(ys), max(xs), max(ys))
    return box if box[0] < box[2] and box[1] < box[3] else None


def _is_same_line(line: Box, box: Box) -> bool:
    overlap = min(line[3], box[3]) - max(line[1], box[1])
    is_next = box[0] - line[2] < 4 * (line[3] - line[1])
    return overlap > 0 and is_next and box[2] >= line[0]


def _join_boxes(one: Box, other: Box) -> Box:
    return (
        min(one[0], other[0]),
        min(one[1], other[1]),
        max(one[2], other[2]),
        max(one[3], other[3]),
    )


def _tint(pixels: bytearray, box: Box, stride: int, channels: int) -> None:
    """Darken a box towards MARK_TINT, so that its letters stay readable."""
    left, top, right, bottom = box
    colors = range(min(channels, len(MARK_TINT)))
    tables = [bytes(int(value * MARK_TINT[color]) for value in range(256)) for color in colors]
    for row in range(top, bottom):
        start, end = row * stride + left * channels, row * stride + right * channels
        for color, table in enumerate(tables):
            part = slice(start + color, end, channels)
            pixels[part] = pixels[part].translate(table)


def _encode_png(pixels: bytearray, size: tuple[int, int], stride: int, channels: int) -> bytes:
    width, height = size
    color_type = {1: 0, 3: 2, 4: 6}[channels]
    rows = bytearray()
    for row in range(height):
        rows.append(0)
        rows += pixels[row * stride : row * stride + width * channels]
    header = struct.pack(">IIBBBBB", width, height, 8, color_type, 0, 0, 0)
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            _encode_chunk(b"IHDR", header),
            _encode_chunk(b"IDAT", zlib.compress(bytes(rows), 6)),
            _encode_chunk(b"IEND", b""),
        )
    )


def _encode_chunk(kind: bytes, content: bytes) -> bytes:
    check = struct.pack(">I", zlib.crc32(kind + content))
    return struct.pack(">I", len(content)) + kind + content + check
