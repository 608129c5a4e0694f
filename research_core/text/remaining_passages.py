"""Cut the text of a page outside its chosen passages into further passages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from research_core.models import Passage
from research_core.text.passages import PassagePart, make_passages, split_parts
from research_core.text.passages_by_meaning import cut_sections, find_span


def cut_remaining(text: str, chosen: Sequence[Passage], *, size: int = 700) -> tuple[Passage, ...]:
    """Return passages of at most `size` characters for the rest of a page, in page order.

    chosen: passages of this text, which no other overlaps. Lists of references and headings without
    text are left out.
    """
    spans = []
    for parts in _list_free_runs(text, chosen):
        for run in cut_sections(parts, size, at_headings=True):
            if any(parts[number].kind != "heading" for number in run):
                start, end = find_span(parts, run, size)
                spans.append((max(start, _find_end_before(start, end, chosen)), end))
    return make_passages(text, (span for span in spans if span[0] < span[1]))


def _list_free_runs(text: str, chosen: Sequence[Passage]) -> Iterator[tuple[PassagePart, ...]]:
    """Yield the runs of adjacent parts that no chosen passage overlaps."""
    free: list[PassagePart] = []
    for part in split_parts(text):
        if any(part.start < passage.end and passage.start < part.end for passage in chosen):
            if free:
                yield tuple(free)
            free = []
        else:
            free.append(part)
    if free:
        yield tuple(free)


def _find_end_before(start: int, end: int, chosen: Sequence[Passage]) -> int:
    """Return the end of the last chosen passage that overlaps a span, 0 if none does.

    A passage may begin at the mark of its list item, before its first part.
    """
    ends = [passage.end for passage in chosen if passage.start < end and start < passage.end]
    return max(ends, default=0)
