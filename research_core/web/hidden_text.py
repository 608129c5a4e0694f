"""What the page of a source hid when it was read, and where what it shows speaks to machines. Pure;
what it says of a page is data.

Hidden texts were taken out before the page was read (`web.tally`); words for a machine are found by
`web.instructions`, and stay.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from research_core.models import Hidden, ReportSource
from research_core.text.instructions import addressed
from research_core.web.documents.tally import ORDINARY

#: Characters shown on either side of words that speak to a machine.
AROUND = 60


@dataclass(frozen=True)
class Remark:
    """Words not meant for a page's readers. where: how they are hidden, or "passage" or "title";
    order: what they ask of a machine.
    """

    where: str
    words: str
    order: str = ""


@dataclass(frozen=True)
class Concealment:
    """What there is to say of one source. counts: how many hidden texts, by the way they are
    hidden, the unusual ways first.

    hidden: the first of these texts, each once; shown: what the passages and the title, for
    everybody to read, say to machines. unusual: whether something is hidden in a way that ordinary
    pages have no use for, or hidden and said to a machine.
    """

    counts: tuple[tuple[str, int], ...]
    hidden: tuple[Remark, ...]
    shown: tuple[Remark, ...]

    @property
    def total(self) -> int:
        return sum(count for _, count in self.counts)

    @property
    def unusual(self) -> bool:
        return any(way not in ORDINARY for way, _ in self.counts) or any(
            remark.order for remark in self.hidden
        )


def concealment(source: ReportSource) -> Concealment:
    """What the page of a source hid when it was read, and where its passages and its title speak to
    machines.
    """
    return concealed(
        source.hidden,
        [("title", source.title), *(("passage", passage.text) for passage in source.passages)],
    )


def speaks(source: ReportSource) -> int:
    """How often its passages and its title speak to machines."""
    return len(concealment(source).shown)


def concealed(hidden: Hidden, texts: Iterable[tuple[str, str]]) -> Concealment:
    """The same of any page. texts: what of it is for everybody to read, each as (where, text)."""
    counts = sorted(hidden.counts.items(), key=lambda item: (item[0] in ORDINARY, item[0]))
    samples = (Remark(way, words, _order(words)) for way, words in hidden.samples)
    shown = (
        Remark(where, _around(text, span.start, span.end), span.reason)
        for where, text in texts
        for span in addressed(text)
    )
    return Concealment(tuple(counts), tuple(dict.fromkeys(samples)), tuple(dict.fromkeys(shown)))


def _order(words: str) -> str:
    return next((span.reason for span in addressed(words)), "")


def _around(text: str, start: int, end: int) -> str:
    """The words of a span with a few before and after it."""
    before, after = text[max(0, start - AROUND) : start], text[end : end + AROUND]
    if start > AROUND:  # not with a part of a word
        before = f"…{before.partition(' ')[2] or before}"
    if end + AROUND < len(text):
        after = f"{after.rpartition(' ')[0] or after}…"
    return f"{before}{text[start:end]}{after}"
