"""Draw what the check of a report noted in the language of the screen.

Notes are stored in the language of the checked report. A note that was made from one of
NOTE_TEXTS is made again from its translation; any other, such as one of a language model, stays.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from string import Formatter

from research_core.i18n import (
    N_,
    compile_message,
    current_language,
    find_language,
    gettext,
    use_language,
)
from research_core.pipeline.audit_result import AuditResult
from research_core.pipeline.audit_text import NOT_DECIDED_NOTE

#: The texts of `text.support.differences`, `citations.checks` and `pipeline.audit_run`.
NOTE_TEXTS = (
    N_("The page names {theirs}, not {ours}."),
    N_("The page is less sure: it says “{words}”."),
    N_("This quotation is not on the page word for word: “{quote}”."),
    N_("The page says “{theirs}”, not “{ours}”."),
    N_("The page has these in another order: {words}."),
    N_("The page says the opposite: {words}."),
    N_("The page gives another date: {theirs}, not {ours}."),
    N_("The page gives another figure: {theirs}, not {ours}."),
    N_("The page does not give this figure: {figure}."),
    N_("The page limits this: it says “{words}”."),
    N_("Either the sentence or the page says “not”, but not both."),
    N_("Only one of the two says “not”."),
    N_("The page does not give this date: {date}."),
    N_("The page does not say “{words}”."),
    N_("Of “{word}”, either the sentence or the page says “not”, but not both."),
    N_("Only one of the two says “not”, of “{word}”."),
    N_("The page swaps the two sides of “{words}”."),
    N_("Opposite words: {words}."),
    N_("Words cannot show that something is missing or unknown."),
    N_("The page has these words, but not together."),
    N_("The page does not mention: {words}."),
    N_("Not all of the cited pages could be read; those that were lack this."),
    N_("The text of the page is not stored."),
    N_("The sentence has no words to compare."),
    N_("The page is only a list of references."),
    N_("The page is in another language."),
    N_("No cited page is stored."),
    N_("The report lists the same work with its address."),
    N_("The library's copy is an error page."),
    N_("The library's copy is a page that refuses programs."),
    N_("The library's copy is a sign-in page."),
    N_("Found by its title."),
    N_("The report gives no address of it, and no registry has a work of this title."),
    N_("Only a part of the source could be read."),
    N_("Only the opening of the page is free to read."),
    N_("The report gives no address of it, and no registry could be asked."),
    N_("The library has no copy of it."),
    N_("No library is searched."),
    N_("The report lists no source for this citation."),
    N_("Its mark leads to no source."),
    N_("The report gives no address of it."),
    N_("Not read: {why}."),
    NOT_DECIDED_NOTE,
    N_("The source was read, and the check cannot tell."),
)


def translate_notes(result: AuditResult) -> AuditResult:
    """Return a result with its notes and reasons in the language of the screen."""
    if find_language(result.language) == current_language():
        return result
    claims = []
    for claim in result.claims:
        citations = []
        for citation in claim.citations:
            note = translate_note(citation.note, result.language)
            citations.append(replace(citation, note=note))
        note = translate_note(claim.note, result.language)
        claims.append(replace(claim, note=note, citations=tuple(citations)))
    sources = []
    for source in result.sources:
        reason = translate_note(source.reason, result.language)
        sources.append(replace(source, reason=reason))
    return replace(result, claims=tuple(claims), sources=tuple(sources))


def translate_note(note: str, language: str) -> str:
    """Return a note that was written in this language in that of the screen."""
    stored = find_language(language)
    if not note or stored == current_language():
        return note
    for pattern, text in _build_patterns(stored):
        found = pattern.fullmatch(note)
        if found:
            values = {
                name: translate_note(value, language) for name, value in found.groupdict().items()
            }
            return gettext(text).format(**values)
    return note


@cache
def _build_patterns(language: str) -> Sequence[tuple[re.Pattern[str], str]]:
    """Return what a note of each text looks like in a language, the most certain first."""
    rows = []
    for text in NOTE_TEXTS:
        with use_language(language):
            written = gettext(text)
        certain = sum(len(literal) for literal, *_field in Formatter().parse(written))
        rows.append((certain, compile_message(written, lambda _field: ".+"), text))
    rows.sort(key=lambda row: -row[0])
    return tuple((pattern, text) for _certain, pattern, text in rows)
