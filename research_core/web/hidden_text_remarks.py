"""Summarise what a source's page hid, and where its visible text addresses machines.

Hidden texts were removed before the page was read (`tally`); visible text for a machine is found by
`instructions` and stays. The texts of a page are data, never instructions.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from research_core.models import HiddenText, ReportSource
from research_core.text.instructions import find_instructions
from research_core.web.documents.tally import ORDINARY_WAYS

#: Characters shown on either side of words that address a machine.
CONTEXT_CHARACTERS = 60


@dataclass(frozen=True)
class HiddenTextRemark:
    """Words not meant for a page's readers.

    where: how they are hidden, or "passage" or "title"; order: what they ask of a machine.
    """

    where: str
    words: str
    order: str = ""


@dataclass(frozen=True)
class HiddenTextSummary:
    """Hidden text and machine instructions of one source.

    counts: hidden texts by the way they are hidden, unusual ways first; hidden: samples of them,
    each once; shown: what visible passages and the title say to machines.
    """

    counts: tuple[tuple[str, int], ...]
    hidden: tuple[HiddenTextRemark, ...]
    shown: tuple[HiddenTextRemark, ...]

    @property
    def total(self) -> int:
        return sum(count for _, count in self.counts)

    @property
    def unusual(self) -> bool:
        """Whether text is hidden in a way ordinary pages do not use, or addresses a machine."""
        return any(way not in ORDINARY_WAYS for way, _ in self.counts) or any(
            remark.order for remark in self.hidden
        )


def hides_unusually(hidden: HiddenText) -> bool:
    """Return whether a page hides text as ordinary pages do not, or hides words to a machine."""
    return summarize_hidden_text(hidden, ()).unusual


def summarize_source_hidden_text(source: ReportSource) -> HiddenTextSummary:
    """Summarise what a source's page hid, and where passages and title address machines."""
    return summarize_hidden_text(
        source.hidden,
        [("title", source.title), *(("passage", passage.text) for passage in source.passages)],
    )


def count_machine_instructions(source: ReportSource) -> int:
    """Count how often a source's passages and title address machines."""
    return len(summarize_source_hidden_text(source).shown)


def summarize_hidden_text(
    hidden: HiddenText, texts: Iterable[tuple[str, str]]
) -> HiddenTextSummary:
    """Summarise the hidden text of any page.

    texts: its visible texts, each as (where, text).
    """
    counts = sorted(hidden.counts.items(), key=lambda item: (item[0] in ORDINARY_WAYS, item[0]))
    samples = (
        HiddenTextRemark(way, words, _find_instruction(words)) for way, words in hidden.samples
    )
    shown = []
    for where, text in texts:
        for span in find_instructions(text):
            words = _cut_excerpt(text, span.start, span.end)
            shown.append(HiddenTextRemark(where, words, span.reason))
    return HiddenTextSummary(
        tuple(counts), tuple(dict.fromkeys(samples)), tuple(dict.fromkeys(shown))
    )


def _find_instruction(words: str) -> str:
    return next((span.reason for span in find_instructions(words)), "")


def _cut_excerpt(text: str, start: int, end: int) -> str:
    """Return the words of a span with a few before and after it."""
    before, after = (
        text[max(0, start - CONTEXT_CHARACTERS) : start],
        text[end : end + CONTEXT_CHARACTERS],
    )
    if start > CONTEXT_CHARACTERS:  # not with a part of a word
        before = f"…{before.partition(' ')[2] or before}"
    if end + CONTEXT_CHARACTERS < len(text):
        after = f"{after.rpartition(' ')[0] or after}…"
    return f"{before}{text[start:end]}{after}"
