"""Compare the model's relevance scores with those of the offline judge, in a folded part."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from parts.shared.html_text import escape_line, format_link
from research_core.i18n import N_, _
from research_core.sessions import agreement
from research_core.sessions.agreement import MAX_LISTED, SCORES, Agreement, ScorePair

EXPLANATION = N_(
    "The word-based judge needs no model and rates the same passages. Where the two differ, read"
    " the source."
)


def draw(found: Agreement) -> None:
    """Draw the agreement, the score table and the largest disagreements, or why there is none."""
    with st.expander(_("Compare with word-based scores")):
        st.markdown(agreement.summarize_agreement(found))
        if found.n:
            st.caption(_(EXPLANATION))
            st.html(
                format_table(found) + "".join(map(_format_disagreement, found.parted[:MAX_LISTED]))
            )


def format_table(found: Agreement) -> str:
    """Return a table of score pairs: the model's in rows, the word-based judge's in columns."""
    head = "".join(f"<th scope=col>{score}</th>" for score in SCORES)
    rows = "".join(
        f"<tr><th scope=row>{score}</th>{_format_cells(row)}</tr>"
        for score, row in zip(SCORES, found.table, strict=True)
    )
    caption = _("Number of sources by score. Rows: {model}. Columns: words.").format(
        model=escape_line(found.model)
    )
    corner = f"<th scope=col>{_('Score')}</th>"
    return f'<table class="plain"><caption>{caption}</caption><tr>{corner}{head}</tr>{rows}</table>'


def _format_cells(row: Sequence[int]) -> str:
    return "".join(f"<td>{count or '·'}</td>" for count in row)


def _format_disagreement(pair: ScorePair) -> str:
    scores = _("{by_model}/5 by the model, {by_words}/5 by words: {source}").format(
        by_model=pair.by_model,
        by_words=pair.by_words,
        source=format_link(escape_line(pair.title), pair.url),
    )
    return f'<p class="about">{scores}</p>'
