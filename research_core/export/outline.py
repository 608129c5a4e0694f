"""The whole report as one sequence of parts, for the formats that are read from the first page to
the last: PDF and DOCX.

It says what stands where; how a part looks is the business of the format.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from research_core.export import document
from research_core.export.document import (
    Part,
    Run,
    Runs,
    about,
    address,
    check,
    kept,
    line,
    lost,
    name,
    plain,
    working,
)
from research_core.models import Report, ReportSource
from research_core.sessions.reading import Cited, citations

#: Characters of a passage beside its citation; the HTML and the evidence pack have all of it.
PASSAGE = 600


def whole(built: Report) -> Iterator[Part]:
    """Kinds beside those of the text: title, facts, notice, source (level: its number), detail
    (small, under what stands above).
    """
    yield Part("title", (Run(document.title(built)),))
    yield Part("facts", (Run(document.facts(built)),))
    cited = citations(built)
    if cited:
        yield Part("facts", (Run(legend(cited)),))
    yield from (Part("notice", notice) for notice in document.notices(built))
    yield from document.text(built)
    yield _heading("Sources")
    used = kept(built)
    if not used:
        yield Part("paragraph", (Run("No source was kept."),))
    for source in used:
        yield from _source(source)
    if cited:
        yield _heading("Citations and their passages")
    for one in cited:
        yield from _cited(one)
    yield from _scores(built)
    yield _heading("Methodology")
    yield from (Part("method", runs) for runs in document.methods(built))
    yield Part("facts", (Run(f"Session {line(built.session)}"),))


def legend(cited: Iterable[Cited]) -> str:
    """What the check found, which explains its signs too."""
    states = [check(one) for one in cited]
    said = ", ".join(
        f"{states.count(each)} {each.symbol} {each.word}" for each in dict.fromkeys(states)
    )
    return f"{len(states)} citations compared with the stored passages by words and numbers: {said}"


def words(parts: Iterable[Part]) -> str:
    """All that a document of these parts prints."""
    return "\n".join(
        plain(runs)
        for part in parts
        for runs in (part.runs, *(cell for row in part.rows for cell in row))
    )


def _heading(text: str) -> Part:
    return Part("heading", (Run(text),), 2)


def _source(source: ReportSource) -> Iterator[Part]:
    yield Part(
        "source",
        (Run(name(source), url=address(source)),),
        source.number,
        place=f"source-{source.number}",
    )
    yield _detail(about(source))
    if source.parts:
        yield _detail(working(source))
    if source.relevance:
        yield _detail(line(source.relevance.explanation))
    if address(source):
        yield _detail(line(address(source)))


def _detail(text: str) -> Part:
    return Part("detail", (Run(text),))


def _cited(cited: Cited) -> Iterator[Part]:
    found = check(cited)
    note = f" {line(cited.sentence.note)}" if cited.sentence.note else ""
    source = Run(
        f"[{cited.source.number}] {name(cited.source)}", place=f"source-{cited.source.number}"
    )
    yield Part("cited", document.said(cited), cited.number, place=f"cite-{cited.number}")
    yield Part("detail", (Run(f"{found.symbol} {found.word}.{note} "), source))
    yield Part("passage", document.around(cited, PASSAGE))


def _scores(built: Report) -> Iterator[Part]:
    """The table of the sources used and of the first of those not, with what was decided; and how
    many stand in no row of it.
    """
    shown = [*kept(built), *lost(built)[: document.MOST_LOST]]
    left = [text for text in (document.more_lost(built), document.passed_over(built)) if text]
    if not shown and not left:
        return
    yield _heading("Scores and decisions")
    if shown:
        head = tuple(
            (Run(words, "strong"),)
            for words in ("No.", "Source", "Decision", "Credibility", "Relevance", "Why")
        )
        yield Part("table", level=1, rows=(head, *map(_row, shown)), widths=(7, 27, 13, 16, 14, 33))
    yield from (Part("facts", (Run(text),)) for text in left)


def _row(source: ReportSource) -> tuple[Runs, ...]:
    score = f"{source.parts.score:.2f}" if source.parts else "–"
    relevance = (
        f"{source.relevance.score}/5" if source.relevance and source.relevance.scored else "–"
    )
    title = Run(line(source.title, 120) or name(source), url=address(source))
    same = f", copy of [{source.copy_of}]" if source.copy_of else ""
    decision = f"kept{same}" if source.number else document.STATUS[source.status]
    texts = (str(source.number or ""), title, decision, score, relevance, line(source.reason, 300))
    return tuple((Run(text) if isinstance(text, str) else text,) for text in texts)
