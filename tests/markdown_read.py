"""What a Markdown text is to a parser of others.

Its headings, the items of its numbered lists, its tokens.
"""

from __future__ import annotations

from markdown_it import MarkdownIt
from markdown_it.token import Token


def parsed(text: str) -> list[Token]:
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)


def headings(text: str) -> list[tuple[str, str]]:
    """(tag, words) of every heading."""
    tokens = parsed(text)
    return [
        (each.tag, _words(tokens[n + 1]))
        for n, each in enumerate(tokens)
        if each.type == "heading_open"
    ]


def _words(inline: Token) -> str:
    return "".join(each.content for each in inline.children or ())


def numbered(text: str) -> list[str]:
    """The words of each item of its ordered lists."""
    tokens, found, inside = parsed(text), [], 0
    for n, each in enumerate(tokens):
        inside += (each.type == "ordered_list_open") - (each.type == "ordered_list_close")
        if inside and each.type == "list_item_open":
            found.append(_words(tokens[n + 2]))
    return found
