"""The written text as HTML: its headings, paragraphs, bullets, quotations and tables, each citation a link with the mark of its check.

Everything the model wrote is escaped first; of its Markdown only bold, italics and code are drawn, so nothing it says can load or lead
anywhere.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from itertools import groupby, islice
from operator import itemgetter

from parts.badges import CHECK
from parts.safe import markup
from research_core.models import Block, Report, Sentence
from research_core.reading import Cited
from research_core.text import visible

#: Characters nobody writes stand for what code puts in, until all else is escaped and formatted.
_OPEN, _CLOSE = "\ue000", "\ue001"
_PLACE = re.compile(f"{_OPEN}(\\d+){_CLOSE}")
_INLINE = re.compile(
    r"\\(?P<itself>[!-/:-@\[-`{-~])|\*\*(?P<strong>(?!\s)[^*]+?)\*\*|(?<!\w)\*(?P<em>(?!\s)[^*]+?)\*(?!\w)|`(?P<code>[^`]+?)`"
)
_RULE = re.compile(r"\|[\s:|-]+\|")


def text(report: Report, citations: Sequence[Cited]) -> str:
    """The whole text; the link of citation n leads to #cite-n."""
    marks = _marks(report, citations)
    drawn = [(block.kind, _block(block, list(islice(marks, len(block.sentences))))) for block in report.blocks]
    return "".join(_together(kind, [piece for _, piece in group]) for kind, group in groupby(drawn, key=itemgetter(0)))


def _marks(report: Report, citations: Sequence[Cited]) -> Iterator[str]:
    """What follows each sentence: its citations, or that it has none. Where there is no report, the text speaks of the run itself."""
    by_place: dict[int, str] = {}
    for cited in citations:
        by_place[cited.place] = by_place.get(cited.place, "") + f" {mark(cited)}"
    for place, sentence in enumerate(sentence for block in report.blocks for sentence in block.sentences):
        unsourced = report.decision != "insufficient_data" and sentence.state == "uncited" and sentence.note
        yield by_place.get(place) or (f' <span class="uncited" title="{markup(sentence.note)}">no source</span>' if unsourced else "")


def _together(kind: str, pieces: Sequence[str]) -> str:
    """Blocks of one kind that follow each other."""
    wrapped = {"bullet": ("<ul>", "</ul>"), "quote": ("<blockquote>", "</blockquote>"), "table": ('<table class="plain">', "</table>")}
    before, after = wrapped.get(kind, ("", ""))
    return before + "".join(pieces) + after


def _block(block: Block, marks: Sequence[str]) -> str:
    texts = [_bare(sentence) for sentence in block.sentences]
    if block.kind == "table":
        return _row(texts[0], marks[0])
    if block.kind == "heading":
        level = min(max(block.level, 2), 4)
        return f"<h{level}>{_inline(texts[0], [])}</h{level}>"
    inner = _inline(" ".join(f"{text}{_OPEN}0{_CLOSE}" for text in texts), marks)
    return f"<li>{inner}</li>" if block.kind == "bullet" else f"<p>{inner}</p>"


def _bare(sentence: Sentence) -> str:
    """The words, without what nobody sees and what stands for a place."""
    return visible(sentence.text).replace(_OPEN, "").replace(_CLOSE, "")


def _inline(words: str, marks: Sequence[str]) -> str:
    """Escaped HTML of the words, with the marks put in at their places, in order."""
    out, done = "", 0
    for found in _INLINE.finditer(words):
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
        f'<a class="cite {check.tone}" href="#cite-{cited.number}" title="{markup(title)}" aria-label="{markup(label)}">'
        f"{cited.source.number}<i>{check.symbol}</i></a>"
    )


def _row(words: str, marks: str) -> str:
    """One row of a table; the line that only rules it off is none."""
    if _RULE.fullmatch(words.strip()):
        return ""
    cells = [_inline(cell.strip(), []) for cell in words.strip().strip("|").split("|")]
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}{f'<td>{marks}</td>' if marks else ''}</tr>"


def checks(citations: Sequence[Cited]) -> str:
    """What the check found, as one line of HTML that is the legend of the signs too."""
    found = [(badge, sum(cited.sentence.state == state for cited in citations)) for state, badge in CHECK.items()]
    said = " ".join(badge._replace(word=f"{count} {badge.word}").html for badge, count in found if count)
    return f'<p class="facts">{len(citations)} citations compared with the stored passages: {said}</p>'
