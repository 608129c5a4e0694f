"""Convert titles and abstracts with markup (JATS, HTML, MathML) to plain text."""

from __future__ import annotations

import html
import re

from research_core.text.words import strip_invisible

#: A second notation of a formula, and the word that heads an abstract.
_LEFT_OUT = re.compile(
    r"<(?:\w+:)?(tex-math|annotation)\b[^<>]*>[^<>]*</(?:\w+:)?\1>|<(?:\w+:)?title>\s*(?:abstract"
    r"|summary)[\s:]*</(?:\w+:)?title>",
    re.IGNORECASE,
)
#: Block elements; any other tag is within a word or a sentence.
_BLOCK = re.compile(
    r"</?(?:\w+:)?(?:p|title|sec|section|list|list-item|li|ul|ol|div|br|h[1-6]|label)\b[^<>]*>",
    re.IGNORECASE,
)
_TAG = re.compile(r"</?[a-z][^<>]*>|<!--[^<>]*-->", re.IGNORECASE)


def markup_words(markup: str) -> str:
    """Return the text on one line; text that was escaped twice is unescaped twice."""
    bare = _TAG.sub("", _BLOCK.sub(" ", _LEFT_OUT.sub(" ", markup)))
    return " ".join(strip_invisible(html.unescape(html.unescape(bare))).split())
