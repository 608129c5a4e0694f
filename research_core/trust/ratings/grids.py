"""Read the bytes of a CSV, TSV or JSON file as a table, whatever its separator and encoding.

What cannot be read is rejected, with what is wrong and what to do.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from research_core.errors import UsageError

MAX_BYTES, MAX_ROWS = 50_000_000, 1_000_000
EXPECTED_FORM = "Give a CSV, TSV or JSON file with a host and a rating in each row."
#: Characters that no Windows or Latin-1 text has, and every image or archive.
_BINARY_CHARACTERS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


@dataclass(frozen=True)
class Grid:
    """A table.

    `columns`: their names. `rows`: the cells; a row may be shorter than `columns`. `letters`: the
    encoding, "" for UTF-8.
    """

    columns: tuple[str, ...]
    rows: Sequence[Sequence[Any]]
    letters: str = ""

    def get_column(self, name: str) -> list[Any]:
        """Return the cells of a column, None where a row is too short."""
        place = self.columns.index(name)
        cells = []
        for row in self.rows:
            cells.append(row[place] if place < len(row) else None)
        return cells


def read_grid(body: bytes) -> Grid:
    """Parse the bytes of a file.

    Raises UsageError with what is wrong and what to do.
    """
    if len(body) > MAX_BYTES:
        raise UsageError(
            f"The list has {len(body):,} bytes; {MAX_BYTES:,} are read.",
            next_step="Leave out columns that are not needed.",
        )
    text, letters = _decode_body(body)
    columns, rows = _parse_json(text) if text.lstrip()[:1] in ("[", "{") else _parse_lines(text)
    if len(rows) > MAX_ROWS:
        raise UsageError(
            f"The list has more than {MAX_ROWS:,} rows.",
            next_step="Leave out hosts that you will not meet.",
        )
    if not rows:
        raise UsageError("There is no row in this list.", next_step=EXPECTED_FORM)
    return Grid(columns, rows, letters)


def _decode_body(body: bytes) -> tuple[str, str]:
    """Return the text, and its encoding if that is not UTF-8."""
    if body[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return _decode_as(body, "utf-16"), "UTF-16"
    try:
        return _decode_as(body, "utf-8-sig"), ""
    except UnicodeDecodeError:
        return _decode_as(body, "cp1252"), "Latin-1"


def _decode_as(body: bytes, letters: str) -> str:
    """Decode the bytes.

    Raises UsageError if they are no text, and UnicodeDecodeError for invalid UTF-8.
    """
    try:
        text = body.decode(letters)
    except UnicodeDecodeError as error:
        if letters == "utf-8-sig":
            raise
        raise UsageError(
            f"The list is no text ({error.reason} at byte {error.start}).", next_step=EXPECTED_FORM
        ) from error
    if _BINARY_CHARACTERS.search(text) if letters == "cp1252" else "\0" in text:
        raise UsageError("The list is no text.", next_step=EXPECTED_FORM)
    return text


def _parse_lines(text: str) -> tuple[tuple[str, ...], list[list[str]]]:
    """Return columns and rows of a text of separated values."""
    first = text.lstrip("\r\n").partition("\n")[0]
    if "\t" in first:
        delimiter = "\t"
    elif first.count(";") > first.count(","):
        delimiter = ";"
    else:
        delimiter = ","
    try:
        lines = filter(None, csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
        columns = tuple(name.strip() for name in next(lines, ()))
        return columns, list(islice(lines, MAX_ROWS + 1))
    except csv.Error as error:
        raise UsageError(f"The list is no table ({error}).", next_step=EXPECTED_FORM) from error


def _parse_json(text: str) -> tuple[tuple[str, ...], list[list[Any]]]:
    """Return columns and rows of JSON.

    Reads a list of objects, an object that contains one, or an object of ratings by host.
    """
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"The list is no JSON ({error}).", next_step=EXPECTED_FORM) from error
    if isinstance(content, dict):
        content = _find_rows(content)
    objects = [row for row in content if isinstance(row, dict)]
    names = _column_names(objects[:100])
    rows = []
    for row in islice(objects, MAX_ROWS + 1):  # one more, so that too many are noticed
        rows.append([row.get(name) for name in names])
    return tuple(name.strip() for name in names), rows


def _find_rows(content: dict[str, Any]) -> list[Any]:
    """Return the longest list of objects in an object, else its items as ratings by host."""
    longest: list[Any] = []
    for value in content.values():
        is_rows = isinstance(value, list) and value and isinstance(value[0], dict)
        if is_rows and len(value) > len(longest):
            longest = value
    return longest or [{"domain": name, "rating": value} for name, value in content.items()]


def _column_names(objects: Iterable[dict[str, Any]]) -> list[str]:
    """Return the keys of the objects, each once, in order."""
    names: dict[str, None] = {}
    for row in objects:
        names.update(dict.fromkeys(row))
    return list(names)
