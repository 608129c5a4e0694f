"""A report's Markdown as markdown-it parses it, for `benchmarks/hostile.py`. It judges nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

_PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
#: Replaces code in a rendered text.
_CODE_MARK = "\ue000"


@dataclass(frozen=True)
class ParsedReport:
    """A parsed report.

    headings: of the second level. text: the body as it is rendered, without code. words: the same
    in pieces of one emphasis. code, blocks: contents of code in a line, and of blocks of code or
    HTML. links: their addresses. images: pictures and tags. listed: the numbers of the source list.
    reported_removals: as the methodology reports them, -1 if it does not.
    """

    headings: tuple[str, ...]
    text: str
    words: tuple[str, ...]
    code: tuple[str, ...]
    blocks: tuple[str, ...]
    links: tuple[str, ...]
    images: int
    listed: tuple[int, ...]
    reported_removals: int


def parse_report(markdown: str) -> ParsedReport:
    """Parse the Markdown of a report."""
    tokens = _PARSER.parse(markdown)
    headings = []
    sources_at = None
    for place, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag == "h2" and token.level == 0:
            headings.append(_render(tokens[place + 1]))
            if headings[-1] == "Sources":
                sources_at = place  # the last one counts
    body = tokens[:sources_at]
    source_list = methodology = ""
    if sources_at is not None:
        # After the heading's three tokens, the paragraph with the list begins.
        source_list = _render(tokens[sources_at + 4], "\n")
        methodology = " ".join(map(_render, _select_inline(tokens[sources_at:])))
    inline = _select_inline(body)
    children = [child for token in inline for child in token.children or ()]
    removals = re.search(r"named no stored passage: (\d+)\.", methodology)
    block_types = ("fence", "code_block", "html_block")
    links = [str(child.attrs["href"]) for child in children if child.type == "link_open"]
    return ParsedReport(
        headings=tuple(headings),
        text="\n".join(map(_render, inline)),
        words=_select_contents(children, "text"),
        code=_select_contents(children, "code_inline"),
        blocks=tuple(token.content for token in tokens if token.type in block_types),
        links=tuple(links),
        images=sum(child.type in ("image", "html_inline") for child in children),
        listed=tuple(map(int, re.findall(r"^\[(\d+)\]\.", source_list, re.MULTILINE))),
        reported_removals=int(removals[1]) if removals else -1,
    )


def _select_inline(tokens: Iterable[Token]) -> list[Token]:
    return [token for token in tokens if token.type == "inline"]


def _select_contents(tokens: Iterable[Token], kind: str) -> tuple[str, ...]:
    return tuple(token.content for token in tokens if token.type == kind)


def _render(inline: Token, soft_break: str = " ") -> str:
    """Return what a reader sees of a token, with a mark for code."""
    parts = []
    for child in inline.children or ():
        if child.type == "text":
            parts.append(child.content)
        elif child.type == "softbreak":
            parts.append(soft_break)
        elif child.type == "hardbreak":
            parts.append("\n")
        elif child.type == "code_inline":
            parts.append(_CODE_MARK)
    return "".join(parts)
