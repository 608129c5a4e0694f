"""Text on its way into HTML that a screen writes itself. What goes into Markdown or a label is
cleaned by `research_core.text.words.clean_for_screen`.
"""

from __future__ import annotations

import html
import re
from functools import lru_cache

from research_core.export import tables
from research_core.text.words import strip_invisible, truncate


def escape_line(text: str, limit: int = 500) -> str:
    """Any text as characters of one line of HTML: no tag, no entity, nothing invisible; also fit
    for a quoted attribute.
    """
    return html.escape(truncate(" ".join(strip_invisible(text).split()), limit))


def escape_with_code(text: str, limit: int = 500) -> str:
    """Our own words as HTML, what stands between backquotes as what is typed."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape_line(text, limit))


def escape_paragraphs(text: str) -> str:
    """Any text as HTML with its line breaks, for elements that keep them (`white-space: pre-line`)."""
    return html.escape(strip_invisible(text))


def format_link(words: str, url: str) -> str:
    """Words that lead to a page of the web in a new tab; the words alone where the address is none.
    words: HTML.
    """
    if not url.lower().startswith(("http://", "https://")):
        return words
    return (
        f'<a href="{escape_line(url, 2000)}" target="_blank" rel="noopener noreferrer">{words}</a>'
    )


@lru_cache(maxsize=4096)
def clean_cell(text: str) -> str:
    """Any text as a cell of a table, one line; a formula gets a quote before it, since tables are
    saved as CSV.
    """
    return tables.clean_cell(text, 300)
