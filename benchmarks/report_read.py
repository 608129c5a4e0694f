"""A report in Markdown as somebody else's parser reads it, for `benchmarks/hostile.py`. It judges
nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

_READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


@dataclass(frozen=True)
class Read:
    """A report as read by markdown-it. text: of the body, as it is drawn, without code; words: the
    same in pieces of one emphasis;

    code, links: their contents and addresses; listed: the numbers of the source list; told: the
    removals that the methodology tells.
    """

    headings: tuple[str, ...]
    text: str
    words: tuple[str, ...]
    code: tuple[str, ...]
    blocks: tuple[str, ...]
    links: tuple[str, ...]
    images: int
    listed: tuple[int, ...]
    told: int


def read(markdown: str) -> Read:
    tokens = _READER.parse(markdown)
    heads = [
        n
        for n, each in enumerate(tokens)
        if each.type == "heading_open" and each.tag == "h2" and each.level == 0
    ]
    names = [_drawn(tokens[n + 1]) for n in heads]
    at = len(names) - 1 - names[::-1].index("Sources") if "Sources" in names else -1
    end = heads[at] if at >= 0 else len(tokens)
    inline = [each for each in tokens[:end] if each.type == "inline"]
    children = [child for each in inline for child in each.children or ()]
    methods = " ".join(_drawn(each) for each in tokens[end:] if each.type == "inline")
    sources = _drawn(tokens[end + 4], "\n") if at >= 0 else ""
    return Read(
        tuple(names),
        "\n".join(_drawn(each) for each in inline),
        tuple(child.content for child in children if child.type == "text"),
        tuple(child.content for child in children if child.type == "code_inline"),
        tuple(
            each.content for each in tokens if each.type in ("fence", "code_block", "html_block")
        ),
        tuple(str(child.attrs["href"]) for child in children if child.type == "link_open"),
        sum(child.type in ("image", "html_inline") for child in children),
        tuple(int(found) for found in re.findall(r"^\[(\d+)\]\.", sources, re.MULTILINE)),
        int((re.search(r"named no stored passage: (\d+)\.", methods) or ["", "-1"])[1]),
    )


def _drawn(inline: Token, broken: str = " ") -> str:
    """What is seen of it, code left out."""
    drawn = {
        "text": lambda each: each.content,
        "softbreak": lambda _: broken,
        "hardbreak": lambda _: "\n",
        "code_inline": lambda _: "\ue000",
    }
    return "".join(drawn.get(each.type, lambda _: "")(each) for each in inline.children or ())
