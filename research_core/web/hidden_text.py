"""What the page of a source hid when it was read, and where what it shows speaks to machines. Pure;
what it says of a page is data.

Hidden texts were taken out before the page was read (`web.tally`); words for a machine are found by
`web.instructions`, and stay.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from research_core.models import HiddenText, ReportSource
from research_core.text.instructions import find_instructions
from research_core.web.documents.tally import ORDINARY_WAYS

#: Characters shown on either side of words that speak to a machine.
CONTEXT_CHARACTERS = 60


@dataclass(frozen=True)
class HiddenTextRemark:
    """Words not meant for a page's readers. where: how they are hidden, or "passage" or "title";
    order: what they ask of a machine.
    """

    where: str
    words: str
    order: str = ""


@dataclass(frozen=True)
class HiddenTextSummary:
    """What there is to say of one source. counts: how many hidden texts, by the way they are
    hidden, the unusual ways first.

    hidden: the first of these texts, each once; shown: what the passages and the title, for
    everybody to read, say to machines. unusual: whether something is hidden in a way that ordinary
    pages have no use for, or hidden and said to a machine.
    """

    counts: tuple[tuple[str, int], ...]
    hidden: tuple[HiddenTextRemark, ...]
    shown: tuple[HiddenTextRemark, ...]

    @property
    def total(self) -> int:
        return sum(count for _, count in self.counts)

    @property
    def unusual(self) -> bool:
        return any(way not in ORDINARY_WAYS for way, _ in self.counts) or any(
            remark.order for remark in self.hidden
        )


def summarize_source_hidden_text(source: ReportSource) -> HiddenTextSummary:
    """What the page of a source hid when it was read, and where its passages and its title speak to
    machines.
    """
    return summarize_hidden_text(
        source.hidden,
        [("title", source.title), *(("passage", passage.text) for passage in source.passages)],
    )


def count_machine_instructions(source: ReportSource) -> int:
    """How often its passages and its title speak to machines."""
    return len(summarize_source_hidden_text(source).shown)


def summarize_hidden_text(
    hidden: HiddenText, texts: Iterable[tuple[str, str]]
) -> HiddenTextSummary:
    """The same of any page. texts: what of it is for everybody to read, each as (where, text)."""
    counts = sorted(hidden.counts.items(), key=lambda item: (item[0] in ORDINARY_WAYS, item[0]))
    samples = (
        HiddenTextRemark(way, words, _find_instruction(words)) for way, words in hidden.samples
    )
    shown = (
        HiddenTextRemark(where, _excerpt_around(text, span.start, span.end), span.reason)
        for where, text in texts
        for span in find_instructions(text)
    )
    return HiddenTextSummary(
        tuple(counts), tuple(dict.fromkeys(samples)), tuple(dict.fromkeys(shown))
    )


def _find_instruction(words: str) -> str:
    return next((span.reason for span in find_instructions(words)), "")


def _excerpt_around(text: str, start: int, end: int) -> str:
    """The words of a span with a few before and after it."""
    before, after = (
        text[max(0, start - CONTEXT_CHARACTERS) : start],
        text[end : end + CONTEXT_CHARACTERS],
    )
    if start > CONTEXT_CHARACTERS:  # not with a part of a word
        before = f"…{before.partition(' ')[2] or before}"
    if end + CONTEXT_CHARACTERS < len(text):
        after = f"{after.rpartition(' ')[0] or after}…"
    return f"{before}{text[start:end]}{after}"
