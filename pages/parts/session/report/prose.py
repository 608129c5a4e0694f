"""Format a report's text as HTML, each citation a link with its check result.

The model's text is escaped first. Of its Markdown only bold, italics and code are formatted, so it
can neither load nor link anything. In cited passages such signs belong to the page and are shown as
they are.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count, groupby, islice
from types import MappingProxyType

from parts.shared.badges import OVERSTATED, get_check_badge
from parts.shared.html_text import escape_line
from research_core.citations.cited_passages import SourceCitation, pair_sentences_with_citations
from research_core.export import document
from research_core.i18n import N_, _
from research_core.models import Block, Report, Sentence
from research_core.pipeline.backing import Backing
from research_core.pipeline.draft import INLINE, format_row, is_whole_row, parse_table
from research_core.pipeline.methodology import is_overstated, is_unsourced
from research_core.pipeline.report import escape_text
from research_core.text.words import strip_invisible

#: Private-use characters mark where HTML is put in, after all text is escaped and formatted.
_OPEN = "\ue000"
_CLOSE = "\ue001"
_MARK_PLACE = re.compile(f"{_OPEN}(\\d+){_CLOSE}")
#: Tags around consecutive blocks of one kind.
_AROUND = {
    "bullet": ("<ul>", "</ul>"),
    "number": ("<ol>", "</ol>"),
    "quote": ("<blockquote>", "</blockquote>"),
}
#: Label of a single-source sentence, by what it rests on.
SINGLE_SOURCE_LABELS = {
    N_("one source"): N_("one source"),
    N_("one site"): N_("one site"),
    N_("one wording"): N_("copies of one text"),
    N_("one origin"): N_("one origin"),
    N_("own documents"): N_("own documents only"),
}
#: Characters of a passage that the tooltip of its citation shows.
TOOLTIP_CHARS = 400
#: What the label of a single-source sentence means, as its tooltip.
ALONE_EXPLAINED = N_("No second, independent source was found for it.")
NO_TITLES: Mapping[str, int] = MappingProxyType({})
#: Headings from which a report gets a table of contents.
MIN_HEADINGS = 4


def format_report(
    report: Report,
    citations: Sequence[SourceCitation],
    backings: Sequence[Backing] = (),
) -> str:
    """Return the text. Citation n links to #cite-n; heading n has the ID section-n."""
    marks = _sentence_marks(report, citations, backings)
    return format_blocks(escape_text(report), marks, document.find_title_headings(report))


def format_blocks(
    blocks: Iterable[Block], marks: Iterator[str], titles: Mapping[str, int] = NO_TITLES
) -> str:
    """Format blocks of text. marks: HTML to put after each sentence, in order.

    titles: from `document.find_title_headings`; such a heading says which source it names.
    """
    headings = count()
    marked = ((block, list(islice(marks, len(block.sentences)))) for block in blocks)
    return "".join(
        _format_group(kind, list(group), headings, titles)
        for kind, group in groupby(marked, key=lambda item: _block_kind(item[0]))
    )


def format_contents(report: Report) -> str:
    """Return folded links to the headings, "" if there are too few."""
    headings = [block for block in report.blocks if block.kind == "heading"]
    if len(headings) < MIN_HEADINGS:
        return ""
    items = "".join(
        f'<li class="level{_heading_level(block)}"><a'
        f' href="#section-{number}">{_format_inline(_strip_hidden(block.sentences[0]), [])}</a>'
        "</li>"
        for number, block in enumerate(headings)
    )
    name = escape_line(_("Contents"))
    return (
        f'<nav class="contents" aria-label="{name}"><details><summary>{name}</summary>'
        f"<ol>{items}</ol></details></nav>"
    )


def _sentence_marks(
    report: Report,
    citations: Sequence[SourceCitation],
    backings: Sequence[Backing],
) -> Iterator[str]:
    """Yield the HTML after each sentence: citations, single-source mark, or "no citation"."""
    alone = {
        backing.place: f'\u00a0<span class="alone" title="{escape_line(_(ALONE_EXPLAINED))}">'
        f"{_(SINGLE_SOURCE_LABELS[backing.rest])}</span>"
        for backing in backings
        if backing.alone
    }
    for place, (sentence, found) in enumerate(pair_sentences_with_citations(report, citations)):
        marks = "".join(f"\u00a0{format_citation(cited)}" for cited in found)
        marks += alone.get(place, "")
        if not marks and is_unsourced(report, sentence):
            marks = (
                '\u00a0<span class="uncited" data-state="uncited" tabindex="-1"'
                f' title="{escape_line(sentence.note)}">{escape_line(_("no source"))}</span>'
            )
        yield marks


def _block_kind(block: Block) -> str:
    if block.kind == "bullet" and block.level:
        return "number"
    return block.kind


def _format_group(
    kind: str,
    blocks: Sequence[tuple[Block, Sequence[str]]],
    headings: Iterator[int],
    titles: Mapping[str, int],
) -> str:
    """Format consecutive blocks of one kind, each with its sentences' marks."""
    before, after = _AROUND.get(kind, ("", ""))
    if kind == "table":
        pieces = list(_format_rows(blocks))
        name = escape_line(_("Table in the text"))
        before, after = f'<table class="plain" aria-label="{name}">', "</table>"
    else:
        pieces = [_format_block(block, marks, headings, titles) for block, marks in blocks]
    if not pieces:
        return ""
    return before + "".join(pieces) + after


def _format_block(
    block: Block, marks: Sequence[str], headings: Iterator[int], titles: Mapping[str, int]
) -> str:
    texts = [_strip_hidden(sentence) for sentence in block.sentences]
    if block.kind == "heading":
        level = _heading_level(block)
        return (
            f'<h{level} id="section-{next(headings)}" tabindex="-1">'
            f"{_format_origin(texts[0], titles)}{_format_inline(texts[0], [])}</h{level}>"
        )
    inner = _format_inline(" ".join(f"{text}{_OPEN}0{_CLOSE}" for text in texts), marks)
    if block.kind == "bullet":
        if block.level:
            return f'<li value="{block.level}">{inner}</li>'
        return f"<li>{inner}</li>"
    return f"<p>{inner}</p>"


def _format_origin(heading: str, titles: Mapping[str, int]) -> str:
    """Return which source a heading is the title of, as HTML; "" for any other heading."""
    label = document.name_origin(heading, titles)
    return f'<span class="origin">{escape_line(label)}</span> ' if label else ""


def _heading_level(block: Block) -> int:
    return min(max(block.level, 2), 4)


def _strip_hidden(sentence: Sentence) -> str:
    """Remove invisible characters and the placeholders of marks."""
    return strip_invisible(sentence.text).replace(_OPEN, "").replace(_CLOSE, "")


def _format_inline(words: str, marks: Iterable[str]) -> str:
    """Return the escaped words with the marks put in at their placeholders, in order."""
    out = ""
    done = 0
    for found in INLINE.finditer(words):
        out += html.escape(words[done : found.start()]) + _format_match(found)
        done = found.end()
    left = iter(marks)
    return _MARK_PLACE.sub(lambda _place: next(left, ""), out + html.escape(words[done:]))


def _format_match(found: re.Match[str]) -> str:
    name = found.lastgroup or "itself"
    inner = html.escape(found[name])
    if name == "itself":
        return inner
    return f"<{name}>{inner}</{name}>"


def format_citation(cited: SourceCitation) -> str:
    """Return a citation as a link with the source's number and its check result.

    The style sheet shows its tooltip on hover and on focus.
    """
    check = get_check_badge(cited.state, is_dangling=cited.is_dangling)
    word = _(check.word)
    attribute = ""
    sign = ""
    if is_overstated(cited.sentence) and not cited.is_dangling:
        word = f"{word}, {_(OVERSTATED.word)}"
        attribute = ' data-also="overstated"'
        sign = f'<i class="{OVERSTATED.tone}">{OVERSTATED.symbol}</i>'
    label = _("Citation {number}, source {source}: {result}").format(
        number=cited.number, source=cited.label, result=word
    )
    return (
        f'<a class="cite {check.tone}" href="#cite-{cited.number}"'
        f' data-state="{"dangling" if cited.is_dangling else escape_line(cited.state)}"'
        f"{attribute}"
        f' data-tip="{format_tooltip(cited, word)}" aria-label="{escape_line(label)}">'
        f"{escape_line(cited.label, 60)}<i>{check.symbol}</i>{sign}</a>"
    )


def format_tooltip(cited: SourceCitation, word: str) -> str:
    """Return source, check result and passage, a line each, escaped as an attribute.

    Title and passage are written by others: cleaned of invisible characters, and only text.
    """
    passage = document.join_run_text(document.build_passage_context(cited, TOOLTIP_CHARS))
    lines = (
        escape_line(f"{cited.label}. {cited.source.title}", 200),
        escape_line(_("included by hand")) if cited.source.approved else "",
        escape_line(word),
        escape_line(passage, 2 * TOOLTIP_CHARS),
    )
    return "&#10;".join(filter(None, lines))


def _format_rows(blocks: Sequence[tuple[Block, Sequence[str]]]) -> Iterator[str]:
    """Yield the rows of a table, with the marks of each cell in it.

    If a row is a single sentence, its marks are in its last cell.
    """
    for row in parse_table([_format_line(block, marks) for block, marks in blocks]):
        block, marks = blocks[row.line]
        left = iter([] if is_whole_row(block) else [mark for mark in marks if mark])
        cells = [_format_inline(cell, left) for cell in row.cells]
        if is_whole_row(block):
            cells[-1] += "".join(marks)
        if row.is_head:
            columns = [f'<th scope="col">{cell}</th>' for cell in cells]
        else:
            columns = [f"<td>{cell}</td>" for cell in cells]
        yield f"<tr>{''.join(columns)}</tr>"


def _format_line(block: Block, marks: Sequence[str]) -> str:
    """Return a row as a line, with a placeholder in each cell that has marks of its own."""
    texts = [_strip_hidden(sentence) for sentence in block.sentences]
    if is_whole_row(block):
        return " ".join(texts)
    marked = []
    for text, mark in zip(texts, marks, strict=True):
        marked.append(f"{text}{_OPEN}0{_CLOSE}" if mark else text)
    return format_row(block, marked)
