"""Turn data into citable text: JSON as `path: value` lines, CSV as pipe tables.

Notebooks become Markdown. A path stands before each value ("results[2].title: …"), so that a line
says by itself what it is about; the objects of a list are blocks. A value that is a piece of HTML
is read as HTML; in any other, what looks like a tag is text. Numbers keep their spelling.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import Any

from research_core.errors import FetchError
from research_core.models import Metadata, Page
from research_core.text.dates import find_day
from research_core.text.words import strip_invisible, truncate
from research_core.web.charsets import decode_body
from research_core.web.documents.markup import read_html_blocks
from research_core.web.documents.notebook import format_notebook
from research_core.web.documents.plain_text import TITLE_LENGTH, read_text, truncate_blocks
from research_core.web.documents.tables import format_table
from research_core.web.documents.tally import HiddenTextTally, count_characters
from research_core.web.html import MAX_BYTES, describe_cut
from research_core.web.metadata.bylines import drop_repeated_names, parse_people

MAX_DEPTH = 60
#: Characters up to which a list of scalars is written as one line.
MAX_LINE_CHARACTERS = 300
_TITLE_KEYS = ("title", "name", "headline", "label", "display_name")
_PUBLISHED_KEYS = (
    "datePublished",
    "published",
    "publication_date",
    "published_at",
    "date",
    "created_at",
    "created",
)
_MODIFIED_KEYS = ("dateModified", "modified", "updated_at", "updated", "last_modified")
_AUTHOR_KEYS = ("author", "authors", "creator", "creators")
_ANY_TAG = re.compile(r"</?[a-z][a-z0-9]{0,15}(?:\s[^<>]{0,500})?/?>", re.IGNORECASE)
#: Markup that only readable HTML has: the end of a text element, or a break. "<script>" alone is
#: a value like any other.
_BLOCK_TAG = re.compile(
    r"</(?:p|div|span|li|ul|ol|dl|dd|h[1-6]|table|td|tr|a|b|i|u|s|em|strong|small|code|pre|q|sub"
    r"|sup|mark|blockquote|figure|section|article"
    r"|body|font|center|abbr|cite|time|details|main)\s*>|<(?:p|br|hr|li|img)\b[^<>]{0,500}>",
    re.IGNORECASE,
)
#: Rows of one table, so that a passage of a long one is near its heading; and lines of one
#: block.
SAMPLE_ROWS = 40
MAX_CELL_CHARACTERS, SEPARATORS = 200_000, ",\t;|"
#: The line that declares the separator to spreadsheet programs.
_SEPARATOR_LINE = re.compile(r"""\ufeff?"?sep=([^\w\s"'#]|\t)"?[,;]*""", re.IGNORECASE)


def parse_json(body: bytes, url: str = "", content_type: str = "") -> Page:
    """Read JSON, or one JSON value per line, as a page; anything else as plain text.

    Raises FetchError unsupported (too deep), content_empty.
    """
    decoded = decode_body(body, content_type)
    text = decoded.text
    try:
        value = _parse_values(text)
    except RecursionError as error:
        raise _make_too_deep_error() from error
    except ValueError:
        return read_text(body, url, content_type, prose=False)
    if notebook := format_notebook(value):
        return read_text(
            notebook.encode("utf-8", "replace"),
            url,
            "text/markdown; charset=utf-8",
            kind="markdown",
            prose=False,
        )
    tally = HiddenTextTally()
    count_characters(text, tally)
    found, cut = truncate_blocks(_group_blocks(value, tally))
    if not found:
        raise FetchError("The document holds no values.", kind="content_empty")
    metadata = Metadata(
        authors=_find_authors(value),
        modified=find_day(_find_first_text(value, _MODIFIED_KEYS)),
        cut=cut,
        note=decoded.note,
    )
    title = truncate(
        " ".join(strip_invisible(_find_first_text(value, _TITLE_KEYS)).split()), TITLE_LENGTH
    )
    return Page(
        url,
        url,
        title,
        found,
        "json",
        find_day(_find_first_text(value, _PUBLISHED_KEYS)),
        metadata=metadata,
        hidden=tally.hidden,
    )


def _parse_values(text: str) -> Any:
    """Parse a text as JSON, or as a list if each line is a value; numbers stay strings."""
    # Some services put this before, so that no script can include the answer.
    text = text.strip().removeprefix(")]}'")
    try:
        return json.loads(text, parse_int=str, parse_float=str, parse_constant=str)
    except ValueError:
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) < 2 or not all(line.lstrip().startswith(("{", "[")) for line in lines):
            raise
        return [
            json.loads(line, parse_int=str, parse_float=str, parse_constant=str) for line in lines
        ]


def _make_too_deep_error() -> FetchError:
    return FetchError(f"The JSON is nested more than {MAX_DEPTH} levels deep.", kind="unsupported")


def _find_first_text(value: Any, names: tuple[str, ...], depth: int = 2) -> str:
    """Return the first text among these members, of the value or of an object within it."""
    if isinstance(value, list) and len(value) == 1:
        return _find_first_text(value[0], names, depth)
    if not isinstance(value, dict):
        return ""
    for name in names:
        if isinstance(value.get(name), str):
            if value[name]:
                return str(value[name])
            break
    if depth > 1:
        for each in value.values():
            found = _find_first_text(each, names, depth - 1)
            if found:
                return found
    return ""


def _find_authors(value: Any) -> tuple[str, ...]:
    if not isinstance(value, dict):
        return ()
    declared: Any = ()
    for key in _AUTHOR_KEYS:
        if value.get(key):
            declared = value[key]
            break
    names: list[str] = []
    for each in declared[:100] if isinstance(declared, list) else [declared]:
        name = each
        if isinstance(each, dict):
            name = each.get("name") or each.get("display_name")
        if isinstance(name, str):
            names += parse_people(name)
    return drop_repeated_names(names)


# ---------------------------------------------------------------- lines


def _group_blocks(value: Any, tally: HiddenTextTally) -> Iterator[str]:
    """Group lines into blocks at empty lines, with at most `SAMPLE_ROWS` lines each."""
    block: list[str] = []
    for line in _format_value_lines(value, "", tally, 0):
        if line:
            block.append(line)
        if block and (not line or len(block) == SAMPLE_ROWS):
            yield "\n".join(block)
            block = []
    if block:
        yield "\n".join(block)


def _format_value_lines(value: Any, path: str, tally: HiddenTextTally, depth: int) -> Iterator[str]:
    if depth > MAX_DEPTH:
        raise _make_too_deep_error()
    if isinstance(value, dict):
        for key, each in value.items():
            name = " ".join(strip_invisible(key).split())
            yield from _format_member_lines(each, f"{path}.{name}" if path else name, tally, depth)
        return
    if not isinstance(value, list):
        yield from _format_member_lines(value, path or "value", tally, depth)
        return
    is_nested = any(isinstance(each, dict | list) for each in value)
    if not is_nested:
        texts = [_format_scalar(each) for each in value]
        if sum(map(len, texts)) <= MAX_LINE_CHARACTERS and not any(map(_is_prose, texts)):
            yield from _format_line(path or "values", ", ".join(filter(None, texts)))
            return
    for place, each in enumerate(value):
        if is_nested:
            yield ""
        yield from _format_member_lines(each, f"{path}[{place}]", tally, depth)
        if is_nested:
            yield ""


def _format_member_lines(
    value: Any, path: str, tally: HiddenTextTally, depth: int
) -> Iterator[str]:
    """Yield the lines of a value at its path; nested values are set apart by empty lines."""
    if isinstance(value, dict | list):
        is_nested = isinstance(value, dict) or any(isinstance(each, dict | list) for each in value)
        if is_nested:
            yield ""
        yield from _format_value_lines(value, path, tally, depth + 1)
        if is_nested:
            yield ""
        return
    text = _format_scalar(value)
    if not _is_prose(text):
        yield from _format_line(path, text)
        return
    yield from ("", f"{path}:", "")
    for block in (_read_html_blocks(text, tally) or strip_invisible(text)).split("\n\n"):
        for line in block.split("\n"):
            words = " ".join(line.split())
            if words:
                yield words
        yield ""


def _read_html_blocks(text: str, tally: HiddenTextTally) -> str:
    """Return the text blocks of an HTML value.

    "" for other values and for HTML without readable text, so that no value disappears.
    """
    if not _BLOCK_TAG.search(text):
        return ""
    aside = tally.fork()
    if found := read_html_blocks(text, aside):
        tally.merge(aside)
    return found


def _format_line(path: str, text: str) -> Iterator[str]:
    words = " ".join(strip_invisible(text).split())
    if words:
        yield f"{path}: {words}"


def _is_prose(text: str) -> bool:
    """Return whether a text has line breaks or tags, and so does not fit beside a path."""
    return "\n" in text.strip() or bool(_ANY_TAG.search(text))


def _format_scalar(value: Any) -> str:
    return value if isinstance(value, str) else {None: "null", True: "true", False: "false"}[value]


# ---------------------------------------------------------------- separated values


def parse_separated(body: bytes, url: str = "", content_type: str = "") -> Page:
    """Read separated values as pipe tables, each headed by the first row; at most 2 MB.

    Data without two columns is read as plain text. A separator declared for spreadsheet programs
    (`sep=;`) is respected and left out; comments before the rows stand before the tables.
    """
    decoded = decode_body(body[:MAX_BYTES], content_type)
    text = decoded.text
    notes, rows = _read_rows(text)
    if max((len(row) for row in rows), default=0) < 2:
        return read_text(body, url, content_type, prose=False)
    tally = HiddenTextTally()
    count_characters(text, tally)
    heads, rest = rows[0], rows[1:]
    tables = (
        format_table([heads, *rest[start : start + SAMPLE_ROWS]])
        for start in range(0, max(len(rest), 1), SAMPLE_ROWS)
    )
    found, cut = truncate_blocks(chain((notes,) if notes else (), tables))
    if not found:
        raise FetchError("The document holds no values.", kind="content_empty")
    cut = cut or describe_cut(body)
    metadata = Metadata(cut=cut, note=decoded.note)
    return Page(url, url, "", found, "csv", metadata=metadata, hidden=tally.hidden)


def _read_rows(text: str) -> tuple[str, list[list[str]]]:
    """Return the comments before the rows, and the rows.

    The separator is the one that divides the first lines most evenly.
    """
    lines = strip_invisible(text).split("\n")
    declared = _SEPARATOR_LINE.fullmatch(lines[0].strip(" \r"))
    if declared:
        lines = lines[1:]
    above = len(lines)  # how many lines of comments stand before the rows
    for place, line in enumerate(lines):
        if line.strip() and not line.startswith("#"):
            above = place
            break
    first = [line for line in lines[above : above + 20] if line.strip()]
    if declared:
        mark = declared[1]
    else:
        evenness = {
            each: _measure_evenness([line.count(each) for line in first]) for each in SEPARATORS
        }
        mark = max(SEPARATORS, key=lambda each: evenness[each])
    notes = [line for line in lines[:above] if line.strip()]
    lines = lines[above:]
    # The heading of the columns may stand in the last comment.
    if notes and first and notes[-1].count(mark) == first[0].count(mark) > 0:
        lines = [notes.pop().lstrip("# "), *lines]
    comments = "\n".join(filter(None, (line.strip("# ,;\t|") for line in notes)))
    csv.field_size_limit(MAX_CELL_CHARACTERS)
    rows = []
    try:
        for row in csv.reader((f"{line}\n" for line in lines), delimiter=mark):
            if any(cell.strip() for cell in row):
                rows.append(row)
    except csv.Error:  # a cell that never ends: then quotes are characters like any other
        rows = [line.split(mark) for line in lines if line.strip()]
    return comments, rows


def _measure_evenness(counts: list[int]) -> tuple[float, int]:
    """Return the share of lines with the most common count, and that count; zeros if it is 0."""
    if not counts:
        return 0.0, 0
    ((count, often),) = Counter(counts).most_common(1)
    return (often / len(counts), count) if count else (0.0, 0)
