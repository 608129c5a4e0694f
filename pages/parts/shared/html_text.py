"""Escape text for HTML that a screen writes itself.

Text for Markdown or labels is cleaned by `research_core.text.words.clean_for_screen`.
"""

from __future__ import annotations

import html
import re
from functools import lru_cache

from research_core.export import cells
from research_core.text.words import strip_invisible, truncate


def escape_line(text: str, limit: int = 500) -> str:
    """Escape any text as one line of HTML without invisible characters; also for attributes."""
    return html.escape(truncate(" ".join(strip_invisible(text).split()), limit))


def escape_with_code(text: str, limit: int = 500) -> str:
    """Escape our own text as HTML, with text between backquotes as code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape_line(text, limit))


def escape_paragraphs(text: str) -> str:
    """Escape any text with its line breaks, for elements with `white-space: pre-line`."""
    return html.escape(strip_invisible(text))


def format_link(words: str, url: str) -> str:
    """Return a link that opens in a new tab, or only the words if the URL is invalid.

    words: HTML.
    """
    if not url.lower().startswith(("http://", "https://")):
        return words
    return (
        f'<a href="{escape_line(url, 2000)}" target="_blank" rel="noopener noreferrer">{words}</a>'
    )


@lru_cache(maxsize=4096)
def clean_cell(text: str) -> str:
    """Clean any text for a table cell; a quote before formulas protects exported CSV files."""
    return cells.clean_cell(text, 300)
