"""Clean any text for one line of a document and for one cell of a table."""

from __future__ import annotations

import re

from research_core.text.words import strip_invisible, truncate

#: A private-use character that marks where the citation marks of a sentence go.
MARK_PLACE = "\ue000"
#: What begins a formula in one spreadsheet or another, full-width signs included.
_FORMULA_SIGNS = tuple("=+-@\t\r＝＋－＠")
_FORMULA_AFTER_SEPARATOR = re.compile(r"([;\t]\s*)(?=[=@＝＠]|[+＋－-](?=[^\W\d_]|\())")


def clean_line(text: str, limit: int = 2000) -> str:
    """Return any text as one line of visible characters that every format can hold."""
    return truncate(" ".join(strip_invisible(text).replace(MARK_PLACE, "").split()), limit)


def clean_cell(text: str, limit: int = 30_000) -> str:
    """Return any text as one line that no spreadsheet computes.

    limit: a spreadsheet cell holds 32,767 characters.
    """
    words = clean_line(text, limit)
    words = _FORMULA_AFTER_SEPARATOR.sub(r"\1'", words)  # where a semicolon parts the cells
    return f"'{words}" if words.startswith(_FORMULA_SIGNS) else words
