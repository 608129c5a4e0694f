"""Split the text of a page into blocks, and join lines that were wrapped to fit a width.

Works on the text of web pages, Markdown files and PDFs. Lines without marks are paragraphs. Offsets
refer to the text as given; nothing is rewritten. HTML is not parsed here (see `markdown`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

BlockKind = Literal["heading", "paragraph", "list", "table", "code"]


@dataclass(frozen=True)
class PageBlock:
    """A block: text[start:end] without surrounding white space.

    `level` is 1 to 6 for a heading and 0 otherwise. A list is one block with all its items.
    """

    kind: BlockKind
    start: int
    end: int
    level: int = 0


_FENCE_START = re.compile(
    r"\s*(`{3,})[^`]*$"
)  # and not "~~~", which more often underlines a heading
_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+[^\s#]")
_UNDERLINE = re.compile(r"={3,}|-{3,}")
_ITEM = re.compile(r"\s*(?:[-*+•‣◦·▪●]|(\d{1,3})[.)])\s")
_LIST_CONTINUES = re.compile(
    r"\n[^\S\n]*(?:\n|(?:[-*+•‣◦·▪●]|\d{1,3}[.)])(?:\s|$))"
)  # with one more item, or beyond an empty line
_RULE_CHARACTERS = frozenset("|:- \t")
#: The longest line that "---" below makes a heading, and "---|---" a table's first row.
LONGEST_HEADING, LONGEST_ROW = 120, 5_000


def parse_blocks(text: str) -> tuple[PageBlock, ...]:
    """Return the blocks in order, without overlaps; they cover all text but white space.

    Takes time proportional to the length of the text.
    """
    found: list[PageBlock] = []
    fence = ""
    near = False  # the line above belongs to the last block, which may go on
    for start, end, line in _split_lines(text):
        bare = text[start:end]
        if fence:
            last = found[-1]
            found[-1] = PageBlock("code", last.start, end if bare else last.end)
            if bare.startswith(fence) and not bare.strip("`"):
                fence = ""
                near = False
            continue
        if not bare:
            near = False
            continue
        opening = _FENCE_START.match(line)
        if opening:
            fence = opening[1]
            found.append(PageBlock("code", start, end))
            continue
        last_block = found[-1] if found else None
        block = _classify_line(text, line, PageBlock("paragraph", start, end), last_block, near)
        if block.start < start:  # the last block goes on
            found.pop()
        found.append(block)
        near = block.kind != "heading"
    return tuple(_demote_lone_item(text, block) for block in found)


def _split_lines(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the start and end of each line without its white space, and the whole line."""
    offset = 0
    for line in text.split("\n"):
        bare = line.strip()
        start = offset
        if bare:
            start += line.index(bare[0])
        yield start, start + len(bare), line
        offset += len(line) + 1


def _classify_line(
    text: str, line: str, new: PageBlock, last: PageBlock | None, near: bool
) -> PageBlock:
    """Return the block that the line begins, or the last block extended by it."""
    bare = line.strip()
    above = last.kind if last and near else ""
    heading = _HEADING.match(line)
    if heading:
        return replace(new, kind="heading", level=len(heading[1]))
    if last and above == "paragraph":
        level = _heading_level(text, last, bare)
        if level:
            return PageBlock("heading", last.start, new.end, level)
        if _is_first_row(text, last, bare):
            return PageBlock("table", last.start, new.end)
    if last and above == "table" and "|" in bare:
        return PageBlock("table", last.start, new.end)
    if bare[0] == "|":
        return PageBlock("table", new.start, new.end)
    item = _ITEM.match(line)
    if last and last.kind == "list" and (item or near or line[:2].isspace()):
        return replace(last, end=new.end)
    if item and (not item[1] or not above or int(item[1]) == 1):
        return replace(new, kind="list")
    if last and above == "paragraph":
        return replace(last, end=new.end)
    return new


def _heading_level(text: str, above: PageBlock, bare: str) -> int:
    """Return the level of the heading that this line underlines, or 0."""
    if not _UNDERLINE.fullmatch(bare) or above.end - above.start > LONGEST_HEADING:
        return 0
    words = text[above.start : above.end]
    if "\n" in words or words[-1] in ".,;:" or not any(map(str.isalnum, words)):
        return 0
    return 1 if bare[0] == "=" else 2


def _is_first_row(text: str, above: PageBlock, bare: str) -> bool:
    """Return whether the line above is the first row of a table and this one its rule."""
    is_rule = _RULE_CHARACTERS.issuperset(bare) and {"|", "-"} <= set(bare)
    if not is_rule or above.end - above.start > LONGEST_ROW:
        return False
    words = text[above.start : above.end]
    return "|" in words and "\n" not in words


def _demote_lone_item(text: str, block: PageBlock) -> PageBlock:
    """Turn a list whose only item is not number 1 into a paragraph: "5. Mai 1945"."""
    if block.kind != "list":
        return block
    number = _ITEM.match(text, block.start)
    if number is None or not number[1] or int(number[1]) == 1:
        return block
    if _LIST_CONTINUES.search(text, block.start, block.end):
        return block
    return replace(block, kind="paragraph")


# ---------------------------------------------------------------- without marks

_LINE_MARKS = re.compile(r"(?:\s*(?:#{1,6}|[-*+>])(?=\s))+\s*")


def strip_line_marks(text: str) -> Iterator[str]:
    """Yield the lines with content, without the marks of headings, items and code.

    The cells of a table row are separated by " | ".
    """
    for line in text.split("\n"):
        bare = line.strip()
        is_fence = bare.startswith("```") and "`" not in bare.lstrip("`")
        if not bare or is_fence or _RULE_CHARACTERS.issuperset(bare):
            continue
        if bare[0] == "|":
            yield _join_cells(bare)
        elif bare[0] in "#-*+>":
            marks = _LINE_MARKS.match(bare)
            yield bare[marks.end() :] if marks else bare
        else:
            yield bare


def _join_cells(row: str) -> str:
    """Return the cells of a table row, separated by " | "."""
    found = (cell.strip() for cell in row.replace("\\|", "\x00").strip("|").split("|"))
    return " | ".join(filter(None, found)).replace("\x00", "|")


# ---------------------------------------------------------------- wrapped lines

#: Items, table rows, headings, quoted and indented text: the line break before them stays.
_KEEPS_BREAK = re.compile(
    r"[-*+•‣◦·▪●–—]\s|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)]\s|\[\d{1,3}\]\s+[A-Z]|[|#>~`=]|\s{2,}"
    r"|.*\s\|\s|.*\S\s{3,}\S"
)
_FENCE = re.compile(r"\s*(?:```|~~~)")
_NEVER_WRAPPED = re.compile(r"\s*[|#]")
_SENTENCE_END = re.compile(r"[.!?:;。！？][\"'”’)\]\d]{0,9}$")
#: Words have a maximum length, so that the time stays linear in the length of the text.
_DIVIDED_WORD, _NON_WORD = re.compile(r"(?<!\w)(\w{1,40})[-‐]$"), re.compile(r"\W")
_HYPHENATED = re.compile(r"(?<!\w)\w{1,40}-\w{1,40}")
#: A line was wrapped if it and the next word would fill this share of the width.
_FULL_LINE_SHARE = 0.8


def unwrap_lines(text: str, *, paragraphs: bool = False) -> str:
    """Join lines that were wrapped to fit a width, and mend words divided at the break.

    Items, table rows, fenced code and lines too short to have been wrapped stay separate. With
    `paragraphs`, a line that ends short begins a new block, for text without blank lines.
    """
    hyphenated = frozenset(_HYPHENATED.findall(text))
    short_line_separator = "\n\n" if paragraphs else "\n"
    out: list[str] = []
    for part in re.split(r"\n[ \t]*\n", text):
        lines = [line.rstrip() for line in part.split("\n") if line.strip()]
        width = max(map(len, lines), default=0)
        out += _join_lines(lines, width, hyphenated, short_line_separator)
        out.append("\n\n")
    return re.sub(r"\n{3,}", "\n\n", "".join(out)).strip()


def _join_lines(
    lines: list[str], width: int, hyphenated: frozenset[str], short: str
) -> Iterator[str]:
    """Yield the lines of one part, each with the separator that belongs behind it."""
    fenced = False
    for line, after in pairwise([*lines, ""]):
        fenced ^= bool(_FENCE.match(line))
        if not after:
            yield line
            continue
        first = after.split(maxsplit=1)[0]
        if fenced or _KEEPS_BREAK.match(after) or _NEVER_WRAPPED.match(line):
            yield line + "\n"
        elif _DIVIDED_WORD.search(line) and first[0].islower():
            joined = _DIVIDED_WORD.findall(line)[0] + "-" + _NON_WORD.split(first)[0]
            yield line if joined in hyphenated else line[:-1]
        elif short == "\n\n" and _is_heading(after, width) and _SENTENCE_END.search(line):
            yield line + short
        else:
            is_full = len(line) + 1 + len(first) >= _FULL_LINE_SHARE * width
            goes_on = is_full or (first[0].islower() and not _SENTENCE_END.search(line))
            yield line + (" " if goes_on else short)


def _is_heading(line: str, width: int) -> bool:
    """Return whether a line is short, begins with a capital and is no sentence."""
    return len(line) < width / 2 and line[0].isupper() and not _SENTENCE_END.search(line)
