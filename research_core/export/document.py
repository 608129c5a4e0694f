"""A report as a document of plain words: parts of runs, which HTML, PDF and DOCX each draw in their
own way.

It reads the little Markdown a report holds (bold, italics, code, and links in our own lines only)
and cleans what others wrote. It escapes nothing: what is special in a format is the business of
that format.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby, islice, repeat
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from research_core.models import NO_REPORT_REASONS, Block, Passage, Report, ReportSource, Sentence
from research_core.pipeline import methodology, report
from research_core.pipeline.draft import INLINE, Row, literal, table
from research_core.pipeline.methodology import moment, unsourced
from research_core.sessions.reading import Cited, citations, excerpt, placed
from research_core.text.layout import plain as characters
from research_core.text.words import truncate, visible
from research_core.trust.provenance import (
    byline,
    claim,
    claimed,
    copy,
    dated,
    kind,
    searched,
    site,
    unread,
)

#: Sources named one by one among those not used; the CSV and the JSON list all of them.
MOST_LOST = 100


class Check(NamedTuple):
    """What the check found of a cited sentence: a sign, a word, and a colour that is never the only
    sign.
    """

    symbol: str
    word: str
    tone: str


CHECKS = {
    "supported": Check("✓", "supported", "green"),
    "partly": Check("◐", "partly supported", "orange"),
    "not found": Check("✕", "not found in the passage", "red"),
    "could not check": Check("?", "could not be checked", "gray"),
}
#: What keeps a source out, in words.
STATUS = {
    "dropped": "dropped",
    "blocked": "blocked",
    "struck": "struck",
    "failed": "not readable",
    "duplicate": "same page",
}


@dataclass(frozen=True)
class Run:
    """Words in one style: "" | strong | em | code | small. url, place: where they lead, on the web
    or in the document, or "".

    cited: the citation these words are the mark of; then they are none of their own.
    """

    text: str
    style: str = ""
    url: str = ""
    place: str = ""
    cited: Cited | None = None


Runs = tuple[Run, ...]


@dataclass(frozen=True)
class Part:
    """A heading, paragraph, bullet, quotation or table, or one of the kinds of `outline`.

    level: of a heading, the number of a bullet, or 1 for a table whose first row is its head; rows:
    of a table, all as long; widths: of its columns, in parts of the whole; place: its name for
    those that lead to it.
    """

    kind: str
    runs: Runs = ()
    level: int = 0
    rows: tuple[tuple[Runs, ...], ...] = ()
    widths: tuple[int, ...] = ()
    place: str = ""


# -- words -----------------------------------------------------------------------------------------------------------------

_PLACE = "\ue000"  # a character nobody writes stands where a sentence's marks go
_WITH_LINKS = re.compile(
    rf"\[(?P<words>(?:\\.|[^\[\]\\])*)\]\((?P<url>https?://[^()\s]*)\)|{INLINE.pattern}"
)
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


def line(text: str, limit: int = 2000) -> str:
    """Any text as one line of characters that can be seen and that every format can hold."""
    return truncate(" ".join(visible(text).replace(_PLACE, "").split()), limit)


def inline(text: str, *, links: bool = False) -> Runs:
    """The runs of a line of Markdown. links: only for lines of our own, where all that others wrote
    is escaped.
    """
    return tuple(_merged(_inline(line(text, 100_000), _WITH_LINKS if links else INLINE)))


def _inline(text: str, pattern: re.Pattern[str]) -> Iterator[Run]:
    done = 0
    for found in pattern.finditer(text):
        yield Run(text[done : found.start()])
        done = found.end()
        if found.lastgroup == "itself":
            yield Run(found["itself"])
        elif found.lastgroup == "url":
            yield Run(_ESCAPED.sub(r"\1", found["words"]), url=found["url"])
        else:
            yield Run(found[found.lastgroup or 0], style=found.lastgroup or "")
    yield Run(text[done:])


def _merged(runs: Iterator[Run]) -> Iterator[Run]:
    for (style, url), group in groupby(runs, key=lambda run: (run.style, run.url)):
        if text := "".join(run.text for run in group):
            yield Run(text, style, url)


def said(cited: Cited) -> Runs:
    """The runs of a cited sentence by itself."""
    (sentence,) = literal(
        (cited.sentence,), {passage.id: passage.text for passage in cited.passages}
    )
    return inline(sentence.text)


def plain(runs: Sequence[Run]) -> str:
    """The words alone; a citation as "[3✓]"."""
    return "".join(mark(run.cited) if run.cited else run.text for run in runs)


def mark(cited: Cited) -> str:
    """A citation in characters: the source's number and the sign of its check."""
    return f"[{cited.source.number}{check(cited).symbol}]"


def check(cited: Cited) -> Check:
    return CHECKS.get(cited.sentence.state, CHECKS["could not check"])


def around(cited: Cited, limit: int) -> Runs:
    """The cited passages, cut to so many characters each around the sentence, which is strong where
    it stands there literally.
    """
    runs: list[Run] = []
    for passage in cited.passages:
        before, sentence, after = (
            line(" ".join(characters(text)), 100_000) for text in _pieces(cited, passage)
        )
        room = max(limit - len(sentence), 80) // (2 if before and after else 1)
        lead = f"…{before[-room:].partition(' ')[2]}" if len(before) > room else before
        pieces = [
            piece
            for piece in (
                Run(lead),
                Run(truncate(sentence, 1500), "strong"),
                Run(truncate(after, room)),
            )
            if piece.text
        ]
        runs += [
            part for n, piece in enumerate(pieces) for part in (Run(" " if n else " … "), piece)
        ]
    return tuple(runs[1:])


def _pieces(cited: Cited, passage: Passage) -> tuple[str, str, str]:
    """The passage before the sentence, the sentence where it stands there, and the rest."""
    found = excerpt("", passage, cited.sentence.text).pieces
    at = next((n for n, (_, _, of_sentence) in enumerate(found) if of_sentence), 0)
    texts = [text for text, _, _ in found]
    if not any(of_sentence for _, _, of_sentence in found):
        return "", "", passage.text
    return "".join(texts[:at]), texts[at], "".join(texts[at + 1 :])


# -- the text --------------------------------------------------------------------------------------------------------------


def text(built: Report) -> tuple[Part, ...]:
    """The written text, each sentence with the marks of its citations; of one that should have any
    and has none, that it is without.
    """
    marks, parts = (
        chain(_marks(built), repeat(())),
        [],
    )  # what is computed of it, at its end, cites nothing
    for is_table, group in groupby(report.told(built), key=lambda block: block.kind == "table"):
        if is_table:
            parts.append(
                _table([(block, [next(marks) for _ in block.sentences]) for block in group])
            )
        else:
            parts += [_part(block, list(islice(marks, len(block.sentences)))) for block in group]
    return tuple(parts)


def _marks(built: Report) -> Iterator[Runs]:
    for sentence, found in placed(built, citations(built)):
        runs = [Run("", cited=cited) for cited in found] or [Run("[no source]", "em")] * unsourced(
            built, sentence
        )
        yield tuple(piece for run in runs for piece in (Run(" "), run))


def _part(block: Block, marks: Sequence[Runs]) -> Part:
    if block.kind == "heading":
        return Part("heading", inline(_joined(block.sentences[:1])), min(max(block.level, 2), 4))
    whole = " ".join(f"{line(sentence.text, 100_000)}{_PLACE}" for sentence in block.sentences)
    return Part(
        block.kind, tuple(_placed(whole, marks)), block.level if block.kind == "bullet" else 0
    )


def _joined(sentences: Sequence[Sentence]) -> str:
    return " ".join(sentence.text for sentence in sentences)


def _placed(whole: str, marks: Sequence[Runs]) -> Iterator[Run]:
    """The runs of a block, with the marks where their sentences end."""
    left = iter(marks)
    for run in _merged(_inline(whole, INLINE)):
        first, *rest = run.text.split(_PLACE)
        yield from [replace(run, text=first)] if first else []
        for piece in rest:
            yield from next(left, ())
            yield from [replace(run, text=piece)] if piece else []


def _table(rows: Sequence[tuple[Block, Sequence[Runs]]]) -> Part:
    """The rows of one table, each with its marks in its last cell."""
    found = table([_joined(block.sentences) for block, _ in rows])
    drawn = tuple(_row(row, [run for runs in rows[row.line][1] for run in runs]) for row in found)
    return Part("table", rows=drawn, level=int(any(row.is_head for row in found)))


def _row(row: Row, marks: Sequence[Run]) -> tuple[Runs, ...]:
    *cells, last = map(inline, row.cells)
    return (*cells, (*last, *marks))


# -- what stands around it -------------------------------------------------------------------------------------------------


def title(built: Report) -> str:
    return line(built.question)


def notices(built: Report) -> tuple[Runs, ...]:
    """What a reader is to know before the text."""
    why = []
    if built.decision == "insufficient_data":
        why.append(
            (Run(f"No report: {built.reason}. ", "strong"), Run(NO_REPORT_REASONS[built.reason]))
        )
    return (*why, *(inline(notice) for notice in report.notices(built)))


def facts(built: Report) -> str:
    """When, how and with what result, in one line."""
    settings = built.settings
    how = f"{settings['mode']} mode, model {settings['model']}"
    came = (
        f"{built.decision.replace('_', ' ')} · {built.funnel['kept']} of {report.weighed(built)}"
        " sources kept"
    )
    return line(f"Asked {moment(built.created)} · {how} · {came}")


def methods(built: Report) -> tuple[Runs, ...]:
    return tuple(inline(one, links=True) for one in methodology.methods(built))


def kept(built: Report) -> list[ReportSource]:
    """The numbered sources, in the order of their numbers."""
    return [source for source in built.sources if source.status == "kept"]


def lost(built: Report) -> list[ReportSource]:
    """The sources refused, dropped or not readable, with the reason; not those that nobody came to,
    which `passed_over` counts.
    """
    return [source for source in built.sources if source.status in STATUS]


def passed_over(built: Report) -> str:
    """How many sources passed and were not read or, where the run was stopped, not judged; "" where
    there are none.

    The reader finds them nowhere else in the text, nor in the list of those not used: they are in
    the CSV and the JSON.
    """
    read = [bool(source.fetched) for source in built.sources if source.status == "not_read"]
    said = (
        _sources(read.count(False), "passed and {} not read."),
        _sources(read.count(True), "passed, {} read and not judged."),
    )
    return " ".join(filter(None, said))


def _sources(count: int, words: str) -> str:
    if count < 2:
        return f"1 source {words.format('was')}" if count else ""
    return f"{count:,} sources {words.format('were')}"


def more_lost(built: Report) -> str:
    """What is said where not all of them are named."""
    more = len(lost(built)) - MOST_LOST
    return (
        f"And {more} more, which the CSV and the JSON list with their reasons." if more > 0 else ""
    )


def about(source: ReportSource) -> str:
    """Where a source is from, how it was scored, and what is to be known of it, in one line."""
    score = (
        f"credibility {source.parts.score:.2f} ({source.parts.tier})"
        if source.parts
        else "not scored"
    )
    relevance = (
        f"relevance {source.relevance.score}/5"
        if source.relevance and source.relevance.scored
        else ""
    )
    read = f"read {moment(source.fetched)}" if source.fetched else ""
    archived = (
        f"from {line(source.archived.named)}: {line(source.archived.url)}"
        if source.archived
        else ""
    )
    same = copy(f"[{source.copy_of}]") if source.copy_of else ""
    by, days = line(byline(source), 200), line(dated(source), 100)
    listed = searched(line(source.url, 300)) if source.landed else ""
    where = (
        line(site(source.address)),
        claimed(line(claim(source), 300)) if claim(source) else "",
        listed,
    )
    facts = (
        *where,
        by,
        kind(source),
        score,
        relevance,
        days,
        read,
        archived,
        same,
        report.marks(source),
        line(unread(source), 300),
    )
    return " · ".join(filter(None, facts))


def working(source: ReportSource) -> str:
    """How the credibility score came about."""
    if source.parts is None:
        return ""
    parts = source.parts
    said = (
        f"authority {parts.domain:.2f}, question's words {parts.relevance:.2f}, recent date"
        f" {parts.recency:.2f}"
    )
    return f"{said}; words found: {line(', '.join(parts.matched), 300)}" if parts.matched else said


def name(source: ReportSource) -> str:
    return line(source.title, 500) or line(source.url, 500) or "Untitled"


def address(source: ReportSource) -> str:
    """Its web address, "" where it has none."""
    return web(source.address)


def web(url: str) -> str:
    """An address of the web as every format takes it, what may not stand in one percent-encoded; ""
    for any other.
    """
    clean = visible(url).strip()
    try:
        parts = urlsplit(clean)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return ""
    return quote(clean, safe="%/:?#[]@!$&'()*+,;=-._~") if usable else ""


def leads_right(text: str) -> bool:
    """Whether a paragraph is read from right to left: its first letter decides."""
    directions = map(unicodedata.bidirectional, text)
    return next(
        (direction != "L" for direction in directions if direction in ("L", "R", "AL")), False
    )
