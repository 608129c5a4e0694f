"""Format the text of a page as HTML, with the cited passage and sentence marked.

All of it is written by others and escaped. Only block marks are interpreted, so nothing in it can
load or link anywhere.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from itertools import groupby

from research_core.text.layout import LayoutLine, layout_lines
from research_core.text.words import strip_invisible

#: Kinds of pieces: context, the cited passage, and the sentence quoted from it.
PLAIN, CITED, QUOTED = range(3)
_TAGS = {PLAIN: "", CITED: "span", QUOTED: "mark"}
_GROUPS = {"head": "table", "row": "table", "code": "code"}


def format_pieces(pieces: Sequence[tuple[str, int]]) -> str:
    """Format pieces for elements with `white-space: pre-line`.

    pieces: (text, one of PLAIN, CITED, QUOTED).
    """
    shown = layout_lines([(strip_invisible(text), shade) for text, shade in pieces])
    groups = [
        (kind, list(group))
        for kind, group in groupby(shown, key=lambda line: _GROUPS.get(line.kind, "text"))
    ]
    return "".join(_format_group(kind, group) for kind, group in groups)


def _format_group(kind: str, group: Sequence[LayoutLine]) -> str:
    if kind == "table":
        return f'<table class="rows">{"".join(map(_format_row, group))}</table>'
    if kind == "code":
        return f"<pre>{_join_runs(group)}</pre>"
    return _join_runs(group).strip("\n") + "\n"


def _join_runs(group: Iterable[LayoutLine]) -> str:
    return "\n".join(map(_format_line, group))


def _format_line(line: LayoutLine) -> str:
    words = "".join(map(_format_run, line.cells[0])) if line.cells else ""
    if line.kind == "heading":
        return f"<b>{words}</b>"
    if line.kind == "item":
        return f"{chr(0x2003) * line.level}• {words}"
    return words


def _format_row(line: LayoutLine) -> str:
    cells = ["".join(map(_format_run, cell)) for cell in line.cells]
    if line.kind == "head":
        columns = [f'<th scope="col">{cell}</th>' for cell in cells]
    else:
        columns = [f"<td>{cell}</td>" for cell in cells]
    return f"<tr>{''.join(columns)}</tr>"


def _format_run(run: tuple[str, int]) -> str:
    words = html.escape(run[0])
    tag = _TAGS[run[1]]
    return f"<{tag}>{words}</{tag}>" if tag else words
