"""The written text as HTML: its headings, paragraphs, lists, quotations and tables, each citation a link with the mark of its check.

Everything the model wrote is escaped first; of its Markdown only bold, italics and code are drawn, so nothing it says can load or lead
anywhere. Signs that stand so in a cited passage are the page's own characters and are shown as such.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import count, groupby, islice

from parts.badges import CHECK
from parts.safe import markup
from research_core.models import Block, Report, Sentence
from research_core.reading import Cited
from research_core.report import INLINE, written
from research_core.scrutiny import Backing
from research_core.text import visible

#: Characters nobody writes stand for what code puts in, until all else is escaped and formatted.
_OPEN, _CLOSE = "\ue000", "\ue001"
_PLACE = re.compile(f"{_OPEN}(\\d+){_CLOSE}")
_RULE = re.compile(r"\|[\s:|-]+\|")
#: What stands around blocks of one kind that follow each other.
_AROUND = {
    "bullet": ("<ul>", "</ul>"),
    "number": ("<ol>", "</ol>"),
    "quote": ("<blockquote>", "</blockquote>"),
    "table": ('<table class="plain" aria-label="Table in the text">', "</table>"),
}
#: What is said of a sentence that rests on one source, by what it cites.
ALONE = {
    "one source": "one source",
    "one site": "one site",
    "one wording": "copies of one text",
}
#: Fewer headings than this need no table of contents.
FEW = 4


def text(report: Report, citations: Sequence[Cited], backings: Sequence[Backing] = ()) -> str:
    """The whole text; the link of citation n leads to #cite-n, the n-th heading has the id section-n."""
    return drawn(written(report), _marks(report, citations, backings))


def drawn(blocks: Iterable[Block], marks: Iterator[str]) -> str:
    """Any text in blocks. marks: HTML that follows each sentence, one for each in order."""
    headings = count()
    pieces: list[tuple[str, str]] = []
    for block in blocks:
        number = next(headings) if block.kind == "heading" else 0
        piece = _block(block, list(islice(marks, len(block.sentences))), number)
        if piece:  # the line that rules off the head of a table is none
            first = not pieces or pieces[-1][0] != "table"
            pieces.append((_kind(block), _as_head(piece) if block.kind == "table" and first else piece))
    return "".join(_together(kind, [piece for _, piece in group]) for kind, group in groupby(pieces, key=lambda item: item[0]))


def contents(report: Report) -> str:
    """The headings as links to them, folded; "" for a text of few."""
    headings = [block for block in report.blocks if block.kind == "heading"]
    if len(headings) < FEW:
        return ""
    items = "".join(
        f'<li class="level{_level(block)}"><a href="#section-{number}">{_inline(_bare(block.sentences[0]), [])}</a></li>'
        for number, block in enumerate(headings)
    )
    return f'<nav class="contents" aria-label="Contents"><details><summary>Contents</summary><ol>{items}</ol></details></nav>'


def unsourced(report: Report, sentence: Sentence) -> bool:
    """Whether it states a fact and cites nothing. Where there is no report, the text speaks of the run itself."""
    return report.decision != "insufficient_data" and sentence.state == "uncited" and bool(sentence.note)


def _marks(report: Report, citations: Sequence[Cited], backings: Sequence[Backing]) -> Iterator[str]:
    """What follows each sentence: its citations and whether it rests on one source, or that it has none."""
    by_place: dict[int, str] = {}
    for cited in citations:
        by_place[cited.place] = by_place.get(cited.place, "") + f"\u00a0{mark(cited)}"
    alone = {backing.place: f'\u00a0<span class="alone">{ALONE[backing.rest]}</span>' for backing in backings if backing.alone}
    for place, sentence in enumerate(sentence for block in report.blocks for sentence in block.sentences):
        missing = f'\u00a0<span class="uncited" data-state="uncited" tabindex="-1" title="{markup(sentence.note)}">no source</span>'
        yield by_place.get(place, "") + alone.get(place, "") or (missing if unsourced(report, sentence) else "")


def _kind(block: Block) -> str:
    return "number" if block.kind == "bullet" and block.level else block.kind


def _together(kind: str, pieces: Sequence[str]) -> str:
    """Blocks of one kind that follow each other."""
    before, after = _AROUND.get(kind, ("", ""))
    return before + "".join(pieces) + after


def _block(block: Block, marks: Sequence[str], number: int) -> str:
    texts = [_bare(sentence) for sentence in block.sentences]
    if block.kind == "table":
        return _row(texts[0], marks[0])
    if block.kind == "heading":
        level = _level(block)
        return f'<h{level} id="section-{number}" tabindex="-1">{_inline(texts[0], [])}</h{level}>'
    inner = _inline(" ".join(f"{text}{_OPEN}0{_CLOSE}" for text in texts), marks)
    if block.kind == "bullet":
        return f'<li value="{block.level}">{inner}</li>' if block.level else f"<li>{inner}</li>"
    return f"<p>{inner}</p>"


def _level(block: Block) -> int:
    return min(max(block.level, 2), 4)


def _bare(sentence: Sentence) -> str:
    """The words, without what nobody sees and what stands for a place."""
    return visible(sentence.text).replace(_OPEN, "").replace(_CLOSE, "")


def _inline(words: str, marks: Sequence[str]) -> str:
    """Escaped HTML of the words, with the marks put in at their places, in order."""
    out, done = "", 0
    for found in INLINE.finditer(words):
        out += html.escape(words[done : found.start()]) + _formatted(found)
        done = found.end()
    left = iter(marks)
    return _PLACE.sub(lambda _: next(left, ""), out + html.escape(words[done:]))


def _formatted(found: re.Match[str]) -> str:
    name = found.lastgroup or "itself"
    inner = html.escape(found[name])
    return inner if name == "itself" else f"<{name}>{inner}</{name}>"


def mark(cited: Cited) -> str:
    """One citation as a link: the source's number and the sign of what the check found."""
    check = CHECK.get(cited.sentence.state, CHECK["could not check"])
    title = f"{cited.source.title} — {check.word}"
    label = f"Citation {cited.number}, source {cited.source.number}: {check.word}"
    return (
        f'<a class="cite {check.tone}" href="#cite-{cited.number}" data-state="{markup(cited.sentence.state)}" '
        f'title="{markup(title)}" aria-label="{markup(label)}">{cited.source.number}<i>{check.symbol}</i></a>'
    )


def _as_head(row: str) -> str:
    """The first row of a table, which names its columns. All that others wrote is escaped in it, so that the tags are our own."""
    return row.replace("<td>", '<th scope="col">').replace("</td>", "</th>")


def _row(words: str, marks: str) -> str:
    """One row of a table; the line that only rules it off is none."""
    if _RULE.fullmatch(words.strip()):
        return ""
    cells = [_inline(cell.strip(), []) for cell in words.strip().strip("|").split("|")]
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}{f'<td>{marks}</td>' if marks else ''}</tr>"
