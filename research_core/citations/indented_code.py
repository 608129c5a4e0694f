"""Find the indented code of a Markdown report, also in list items, footnotes and quotations.

As CommonMark says, a line is code if it is indented by four columns more than the text of its list
item or footnote and does not continue a paragraph. Takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

#: Columns by which code is indented, and a footnote's further paragraphs.
CODE_INDENT = 4
_TAB_WIDTH = 4
_QUOTATION = re.compile(r"(?:[ ]{0,3}>[ ]?)+")
_INDENT = re.compile(r" *")
_LIST_MARK = re.compile(r"(?:[-*+•]|\d{1,9}[.)]) +(?=\S)")
_FOOTNOTE_MARK = re.compile(r"\[\^[^\]\s]{1,40}\]:")
#: Lines that no paragraph goes on from: headings, rules, fences and rows of tables.
_NO_PARAGRAPH = re.compile(r"#{1,6}(?: |$)|(?:[-*_] ?){3,}$|`{3}|~{3}")


def find_indented_code(lines: Sequence[str]) -> Iterator[int]:
    """Yield the index of each line of indented code. Fenced code must be blank already."""
    widths: list[int] = []
    depth = 0
    in_paragraph = False
    for number, line in enumerate(lines):
        quotation = _QUOTATION.match(line)
        quotation_depth = quotation[0].count(">") if quotation else 0
        text = line[quotation.end() :] if quotation else line
        if not text.strip():
            in_paragraph = False
            continue
        if quotation_depth != depth and not in_paragraph:
            widths = []
        depth = quotation_depth
        text = text.expandtabs(_TAB_WIDTH)
        indent = len(_INDENT.match(text)[0])  # type: ignore[index]
        if not in_paragraph:
            while widths and indent < widths[-1]:
                widths.pop()
        base = widths[-1] if widths else 0
        if indent >= base + CODE_INDENT:
            if not in_paragraph:
                yield number
            continue
        content = text[indent:]
        mark = _LIST_MARK.match(content)
        if mark or _FOOTNOTE_MARK.match(content):
            while widths and indent < widths[-1]:
                widths.pop()
            widths.append(indent + len(mark[0]) if mark else indent + CODE_INDENT)
        in_paragraph = not _NO_PARAGRAPH.match(content)
