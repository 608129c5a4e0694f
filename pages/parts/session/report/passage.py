"""Text of a page as HTML: its headings, items, tables and code as they are meant, and the words of
a passage and a sentence marked.

All of it is written by others and is escaped; of its marks only those of blocks are read, and
nothing in it can load or lead anywhere.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from itertools import groupby

from research_core.text.layout import Line, lines
from research_core.text.words import visible

#: What is around a passage, what is of it, and the sentence that is quoted from it.
PLAIN, CITED, QUOTED = range(3)
_TAGS = {PLAIN: "", CITED: "span", QUOTED: "mark"}
_GROUPS = {"head": "table", "row": "table", "code": "code"}


def drawn(pieces: Sequence[tuple[str, int]]) -> str:
    """The text of these pieces, for elements that keep line breaks (`white-space: pre-line`).
    pieces: (text, one of the three above).
    """
    shown = lines([(visible(text), shade) for text, shade in pieces])
    groups = [
        (kind, list(group))
        for kind, group in groupby(shown, key=lambda line: _GROUPS.get(line.kind, "text"))
    ]
    return "".join(_group(kind, group) for kind, group in groups)


def _group(kind: str, group: Sequence[Line]) -> str:
    if kind == "table":
        return f'<table class="rows">{"".join(map(_row, group))}</table>'
    if kind == "code":
        return f"<pre>{_joined(group)}</pre>"
    return _joined(group).strip("\n") + "\n"


def _joined(group: Iterable[Line]) -> str:
    return "\n".join(map(_line, group))


def _line(line: Line) -> str:
    words = "".join(map(_run, line.cells[0])) if line.cells else ""
    if line.kind == "heading":
        return f"<b>{words}</b>"
    return f"{chr(0x2003) * line.level}• {words}" if line.kind == "item" else words


def _row(line: Line) -> str:
    tag, end = ('th scope="col"', "th") if line.kind == "head" else ("td", "td")
    cells = ("".join(map(_run, cell)) for cell in line.cells)
    return f"<tr>{''.join(f'<{tag}>{cell}</{end}>' for cell in cells)}</tr>"


def _run(run: tuple[str, int]) -> str:
    words, tag = html.escape(run[0]), _TAGS[run[1]]
    return f"<{tag}>{words}</{tag}>" if tag else words
