"""Compare the model's relevance scores with those of the offline judge, in a folded part."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from parts.shared.html_text import escape_line, format_link
from research_core.sessions import agreement
from research_core.sessions.agreement import MAX_LISTED, SCORES, Agreement, ScorePair

EXPLANATION = (
    "The judge that needs no model goes by words and is asked now, over the same passages, without"
    " a network. Where the two part, read the source: a model can be led astray by a page, and"
    " words, taken one by one, do not see what a sentence says."
)


def draw(found: Agreement) -> None:
    """Draw the agreement, the score table and the largest disagreements, or why there is none."""
    with st.expander("Do two judges agree?"):
        st.markdown(agreement.summarize_agreement(found))
        if found.n:
            st.caption(EXPLANATION)
            st.html(
                format_table(found) + "".join(map(_format_disagreement, found.parted[:MAX_LISTED]))
            )


def format_table(found: Agreement) -> str:
    """Return a table of score pairs: the model's in rows, the offline judge's in columns."""
    head = "".join(f"<th scope=col>{score}</th>" for score in SCORES)
    rows = "".join(
        f"<tr><th scope=row>{score}</th>{_format_cells(row)}</tr>"
        for score, row in zip(SCORES, found.table, strict=True)
    )
    caption = f"Sources by score: down by {escape_line(found.model)}, across by words"
    return (
        f'<table class="plain"><caption>{caption}</caption><tr><th'
        f" scope=col></th>{head}</tr>{rows}</table>"
    )


def _format_cells(row: Sequence[int]) -> str:
    return "".join(f"<td>{count or '·'}</td>" for count in row)


def _format_disagreement(pair: ScorePair) -> str:
    return (
        f'<p class="about">{pair.by_model}/5 by the model, {pair.by_words}/5 by words:'
        f" {format_link(escape_line(pair.title), pair.url)}</p>"
    )
