"""Find the fenced code of a Markdown report, also in list items and quotations.

A fence closes as CommonMark says, at one of its own character that is at least as long, however far
it is indented. Without one, code in a list item or a quotation ends with that, other code with the
text. Takes linear time, once for each length of a fence that no line closes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

#: The marks of quotations and list items before a fence, the fence, and its info string.
_OPENING = re.compile(
    r"(?P<prefix>[ \t]*+(?:>[ \t]?+[ \t]*+|(?:[-*+•]|\d{1,9}[.)])[ \t]++)*+)"
    r"(?:(?P<ticks>`{3,}+)(?P<info>[^`]*)|(?P<tildes>~{3,}+)(?P<tilde_info>.*))$"
)
_CLOSING = re.compile(r"[ \t>]*+(?P<fence>`{3,}+|~{3,}+)[ \t]*$")
_INDENT = re.compile(r"[ \t]*")
_INLINE_CODE = re.compile(r"(`++)[^\n]{1,1000}?(?<!`)\1(?!`)")
_TAB_WIDTH = 4


@dataclass(frozen=True)
class _Fence:
    """An opened fence. width: of what stands before it, in columns."""

    mark: str
    width: int
    quoted: bool
    informed: bool


@dataclass(frozen=True)
class FencedCode:
    """A block of fenced code with its fences. start, end: offsets; closed: its fence is closed."""

    start: int
    end: int
    closed: bool


def find_fenced_code(text: str) -> Iterator[FencedCode]:
    """Yield each block of fenced code, with its fences."""
    lines = text.split("\n")
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line) + 1)
    unclosed: dict[str, int] = {}
    number = 0
    comment_end = 0
    last_comment_end = text.rfind("-->")
    while number < len(lines):
        fence = _open_fence(lines[number]) if offsets[number] >= comment_end else None
        if fence is None:
            begun = _find_open_comment(lines[number])
            if begun >= 0 and comment_end <= offsets[number] + begun < last_comment_end:
                comment_end = text.find("-->", offsets[number] + begun)
            number += 1
            continue
        end = _find_end(lines, number + 1, fence, unclosed)
        yield FencedCode(
            offsets[number],
            min(offsets[end], len(text)),
            end > number + 1 and _closes_fence(lines[end - 1], fence),
        )
        number = end


def _open_fence(line: str) -> _Fence | None:
    found = _OPENING.match(line)
    if not found:
        return None
    prefix = found["prefix"]
    info = found["info"] or found["tilde_info"] or ""
    return _Fence(
        found["ticks"] or found["tildes"],
        len(prefix.expandtabs(_TAB_WIDTH)),
        ">" in prefix,
        bool(info.strip()),
    )


def _find_end(lines: list[str], number: int, fence: _Fence, unclosed: dict[str, int]) -> int:
    """Return the number of the first line after the code that begins before this line.

    unclosed: by fence, the line before which nothing closes it after its container; kept up to
    date, so that many such fences do not each search the whole text.
    """
    container_end = 0
    while number < len(lines):
        line = lines[number]
        if _closes_fence(line, fence):
            return number + 1
        if container_end:
            other = _open_fence(line)
            if other and other.informed:
                break
        elif _leaves_container(line, fence):
            container_end = number
            if number < unclosed.get(fence.mark, 0):
                return number
        number += 1
    if not container_end:
        return len(lines)
    unclosed[fence.mark] = number
    return container_end


def _closes_fence(line: str, fence: _Fence) -> bool:
    closing = _CLOSING.match(line)
    return closing is not None and closing["fence"].startswith(fence.mark)


def _leaves_container(line: str, fence: _Fence) -> bool:
    """Return True if a line cannot belong to the list item or quotation of the fence."""
    if fence.quoted:
        return not line.lstrip().startswith(">")
    indent = _INDENT.match(line)
    width = len(indent[0].expandtabs(_TAB_WIDTH)) if indent else 0
    return bool(line.strip()) and width < fence.width


def _find_open_comment(line: str) -> int:
    """Return the offset of a comment in a line that the line does not end; -1 if there is none."""
    if "<!--" not in line:
        return -1
    begun = _INLINE_CODE.sub(lambda code: " " * len(code[0]), line).rfind("<!--")
    return begun if begun >= 0 and "-->" not in line[begun:] else -1
