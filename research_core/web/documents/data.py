"""Values as text that a passage can be taken from: JSON as `path: value` lines, separated values as
pipe tables, notebooks as Markdown.

A path stands before each value ("results[2].title: …"), so that a line says by itself what it is
about; the objects of a list are blocks. A value that is a piece of HTML is read as such; in any
other, what looks like a tag is text. Numbers keep their spelling. What a value means is not known
here.
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
from research_core.text.dates import day_in
from research_core.text.words import truncate, visible
from research_core.web.documents import TITLE_LENGTH, fitting, read_text
from research_core.web.documents.markup import blocks_of
from research_core.web.documents.notebook import as_markdown
from research_core.web.documents.tables import pipe_table
from research_core.web.documents.tally import Tally, count_characters
from research_core.web.html import MAX_BYTES, beyond
from research_core.web.http.charsets import decode
from research_core.web.metadata.bylines import people, unique

MAX_DEPTH = 60
#: A list of single values up to so many characters is one line.
ONE_LINE = 300
_TITLES = ("title", "name", "headline", "label", "display_name")
_DAYS = (
    "datePublished",
    "published",
    "publication_date",
    "published_at",
    "date",
    "created_at",
    "created",
)
_CHANGES = ("dateModified", "modified", "updated_at", "updated", "last_modified")
_AUTHORS = ("author", "authors", "creator", "creators")
_TAGGED = re.compile(r"</?[a-z][a-z0-9]{0,15}(?:\s[^<>]{0,500})?/?>", re.IGNORECASE)
#: What HTML that is meant to be read has: the end of an element of words, or a break. "<script>"
#: alone is a value like any other.
_WRITTEN = re.compile(
    r"</(?:p|div|span|li|ul|ol|dl|dd|h[1-6]|table|td|tr|a|b|i|u|s|em|strong|small|code|pre|q|sub|sup|mark|blockquote|figure|section|article"
    r"|body|font|center|abbr|cite|time|details|main)\s*>|<(?:p|br|hr|li|img)\b[^<>]{0,500}>",
    re.IGNORECASE,
)
#: Rows under one heading, so that a passage of a long table still has its heading near; and lines
#: of one block.
ROWS = 40
LONGEST_CELL, SEPARATORS = 200_000, ",\t;|"
#: The line that tells a spreadsheet program what parts the values.
_TOLD = re.compile(r"""\ufeff?"?sep=([^\w\s"'#]|\t)"?[,;]*""", re.IGNORECASE)


def parse_json(body: bytes, url: str = "", content_type: str = "") -> Page:
    """JSON, or JSON values one to a line. What is none is read as plain text. Raises FetchError
    unsupported (too deep), content_empty.
    """
    text = decode(body, content_type)
    try:
        value = _values(text)
    except RecursionError as error:
        raise _too_deep() from error
    except ValueError:
        return read_text(body, url, content_type, prose=False)
    if notebook := as_markdown(value):
        return read_text(
            notebook.encode("utf-8", "replace"),
            url,
            "text/markdown; charset=utf-8",
            kind="markdown",
            prose=False,
        )
    tally = Tally()
    count_characters(text, tally)
    found, cut = fitting(_blocks(value, tally))
    if not found:
        raise FetchError("The document holds no values.", kind="content_empty")
    metadata = Metadata(authors=_authors(value), modified=day_in(_first(value, _CHANGES)), cut=cut)
    title = truncate(" ".join(visible(_first(value, _TITLES)).split()), TITLE_LENGTH)
    return Page(
        url,
        url,
        title,
        found,
        "json",
        day_in(_first(value, _DAYS)),
        metadata=metadata,
        hidden=tally.hidden,
    )


def _values(text: str) -> Any:
    """The value of a text, numbers as they are spelled. Of several lines with a value each, the
    list of them.
    """
    text = text.strip().removeprefix(
        ")]}'"
    )  # some services put this before, so that no script can include the answer
    try:
        return json.loads(text, parse_int=str, parse_float=str, parse_constant=str)
    except ValueError:
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) < 2 or not all(line.lstrip().startswith(("{", "[")) for line in lines):
            raise
        return [
            json.loads(line, parse_int=str, parse_float=str, parse_constant=str) for line in lines
        ]


def _too_deep() -> FetchError:
    return FetchError(f"The JSON is nested more than {MAX_DEPTH} levels deep.", kind="unsupported")


def _first(value: Any, names: tuple[str, ...], depth: int = 2) -> str:
    """The first of these members that is a text, of the value or of the one object within it that
    has one.
    """
    if isinstance(value, dict):
        said = next((value[name] for name in names if isinstance(value.get(name), str)), "")
        return said or next(
            (
                found
                for each in value.values()
                if depth > 1 and (found := _first(each, names, depth - 1))
            ),
            "",
        )
    return _first(value[0], names, depth) if isinstance(value, list) and len(value) == 1 else ""


def _authors(value: Any) -> tuple[str, ...]:
    said = (
        next((value[name] for name in _AUTHORS if value.get(name)), ())
        if isinstance(value, dict)
        else ()
    )
    listed = said if isinstance(said, list) else [said]
    names = (
        each.get("name") or each.get("display_name") if isinstance(each, dict) else each
        for each in listed[:100]
    )
    return unique(name for each in names if isinstance(each, str) for name in people(each))


# ---------------------------------------------------------------- lines


def _blocks(value: Any, tally: Tally) -> Iterator[str]:
    """The lines in blocks: what stands between the empty ones that `_lines` gives, and no more than
    so many at once.
    """
    block: list[str] = []
    for line in _lines(value, "", tally, 0):
        if line:
            block.append(line)
        if block and (not line or len(block) == ROWS):
            yield "\n".join(block)
            block = []
    if block:
        yield "\n".join(block)


def _lines(value: Any, path: str, tally: Tally, depth: int) -> Iterator[str]:
    if depth > MAX_DEPTH:
        raise _too_deep()
    if isinstance(value, dict):
        for key, each in value.items():
            name = " ".join(visible(key).split())
            yield from _member(each, f"{path}.{name}" if path else name, tally, depth)
    elif isinstance(value, list) and all(not isinstance(each, dict | list) for each in value):
        texts = [_spelled(each) for each in value]
        if sum(map(len, texts)) <= ONE_LINE and not any(map(_is_prose, texts)):
            yield from _line(path or "values", ", ".join(filter(None, texts)))
        else:
            for place, each in enumerate(value):
                yield from _member(each, f"{path}[{place}]", tally, depth)
    elif isinstance(value, list):
        for place, each in enumerate(value):
            yield ""
            yield from _member(each, f"{path}[{place}]", tally, depth)
            yield ""
    else:
        yield from _member(value, path or "value", tally, depth)


def _member(value: Any, path: str, tally: Tally, depth: int) -> Iterator[str]:
    """The line of a value at its path; what has parts of its own stands apart."""
    if isinstance(value, dict | list):
        apart = isinstance(value, dict) or any(isinstance(each, dict | list) for each in value)
        yield from [""] if apart else []
        yield from _lines(value, path, tally, depth + 1)
        yield from [""] if apart else []
        return
    text = _spelled(value)
    if not _is_prose(text):
        yield from _line(path, text)
        return
    yield from ("", f"{path}:", "")
    for block in (_of_html(text, tally) or visible(text)).split("\n\n"):
        yield from (*filter(None, (" ".join(line.split()) for line in block.split("\n"))), "")


def _of_html(text: str, tally: Tally) -> str:
    """The blocks of a value that is a piece of HTML; "" of any other, and where nothing of it could
    be read: a value never vanishes.
    """
    if not _WRITTEN.search(text):
        return ""
    aside = tally.aside()
    if found := blocks_of(text, aside):
        tally.take(aside)
    return found


def _line(path: str, text: str) -> Iterator[str]:
    words = " ".join(visible(text).split())
    if words:
        yield f"{path}: {words}"


def _is_prose(text: str) -> bool:
    """Whether a text has lines or tags of its own, and so is no word beside a path."""
    return "\n" in text.strip() or bool(_TAGGED.search(text))


def _spelled(value: Any) -> str:
    return value if isinstance(value, str) else {None: "null", True: "true", False: "false"}[value]


# ---------------------------------------------------------------- separated values


def parse_separated(body: bytes, url: str = "", content_type: str = "") -> Page:
    """Rows of values as pipe tables, the first row as the heading of each; without two columns,
    plain text. 2 MB are read.

    What a spreadsheet program is told of the separator (`sep=;`) is heeded and left out; comments
    before the rows stand before the tables.
    """
    text = decode(body[:MAX_BYTES], content_type)
    notes, rows = _rows(text)
    if max((len(row) for row in rows), default=0) < 2:
        return read_text(body, url, content_type, prose=False)
    tally = Tally()
    count_characters(text, tally)
    heads, rest = rows[0], rows[1:]
    tables = (
        pipe_table([heads, *rest[start : start + ROWS]])
        for start in range(0, max(len(rest), 1), ROWS)
    )
    found, cut = fitting(chain((notes,) if notes else (), tables))
    if not found:
        raise FetchError("The document holds no values.", kind="content_empty")
    cut = cut or beyond(body)
    return Page(url, url, "", found, "csv", metadata=Metadata(cut=cut), hidden=tally.hidden)


def _rows(text: str) -> tuple[str, list[list[str]]]:
    """The comments before the rows, and the rows, parted by what parts the first lines most evenly."""
    lines = visible(text).split("\n")
    told = _TOLD.fullmatch(lines[0].strip(" \r"))
    lines = lines[1:] if told else lines
    above = next(
        (n for n, line in enumerate(lines) if line.strip() and not line.startswith("#")), len(lines)
    )
    first = [line for line in lines[above : above + 20] if line.strip()]
    evenness = {mark: _evenness([line.count(mark) for line in first]) for mark in SEPARATORS}
    mark = told[1] if told else max(SEPARATORS, key=lambda each: evenness[each])
    notes, lines = [line for line in lines[:above] if line.strip()], lines[above:]
    if (
        notes and first and notes[-1].count(mark) == first[0].count(mark) > 0
    ):  # the heading of the columns stands in the last of them
        lines = [notes.pop().lstrip("# "), *lines]
    said = "\n".join(filter(None, (line.strip("# ,;\t|") for line in notes)))
    csv.field_size_limit(LONGEST_CELL)
    try:
        return said, [
            row
            for row in csv.reader((f"{line}\n" for line in lines), delimiter=mark)
            if any(cell.strip() for cell in row)
        ]
    except csv.Error:  # a cell that never ends: then quotes are characters like any other
        return said, [line.split(mark) for line in lines if line.strip()]


def _evenness(counts: list[int]) -> tuple[float, int]:
    """The share of the lines that have the commonest count, and that count; nothing where it is
    none.
    """
    (count, often), *_ = Counter(counts).most_common(1) or [(0, 0)]
    return (often / len(counts), count) if count else (0.0, 0)
