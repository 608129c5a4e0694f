"""Select the passages of a page that bear on a question.

Passages are verbatim, in page order and with offsets. No model is used. Lists of references are
never passages. Whether the page answers the question is decided by the judge.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from research_core.models import Passage
from research_core.text.blocks import PageBlock, parse_blocks
from research_core.text.references import find_references
from research_core.text.sentences import find_sentences
from research_core.text.similarity import parse_question, word_root
from research_core.text.words import tokenize

#: The weight of a word that an earlier passage holds, so that passages differ.
REPEAT_FACTOR = 0.5
#: The bonus for each sentence of a passage that repeats a word of the question.
DENSITY_BONUS = 0.15
#: A passage must hold at least this share of what the best one holds.
MIN_SHARE_OF_BEST = 0.3
#: The mark of a heading or item with the space around it is at most this long.
MAX_MARK_LENGTH = 24


@dataclass(frozen=True)
class PassagePart:
    """A sentence, a table row or a piece of code.

    `begins` is where a passage that starts with this part begins, its mark included, or -1 if none
    may. `block` numbers its block, `text` the stretch between lists of references that it is in.
    """

    start: int
    end: int
    begins: int
    kind: str
    block: int
    text: int


def select_passages(
    question: str, text: str, *, limit: int = 5, size: int = 700
) -> tuple[Passage, ...]:
    """Return at most `limit` passages of whole sentences, each at most `size` characters.

    They are in page order, and text[start:end] == passage.text. None begins within a table row or
    within code. A passage that begins below the first row of a table includes that row if it fits.
    """
    words = parse_question(question).words
    parts = tuple(_split_parts(text))
    held = [
        frozenset(word_root(word) for word in tokenize(text[part.start : part.end])) & words.keys()
        for part in parts
    ]
    runs = [
        _longest_run(parts, first, size)
        for first in range(len(parts))
        if held[first] and parts[first].begins >= 0
    ]
    seen: Counter[str] = Counter()
    taken: set[int] = set()
    chosen: list[range] = []
    while len(chosen) < limit:
        free = [_trim_at_taken(run, taken) for run in runs if run[0] not in taken]
        best = max(
            free, key=lambda run: _measure_gain([held[i] for i in run], words, seen), default=None
        )
        if best is None or (
            chosen
            and _weigh_words(_union_words(held, best), words)
            < MIN_SHARE_OF_BEST * _weigh_words(_union_words(held, chosen[0]), words)
        ):
            break
        chosen.append(_add_first_row(_drop_trailing_headings(best, parts), parts, taken, size))
        taken.update(chosen[-1])
        seen.update(_union_words(held, best))
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    ends = sorted((parts[run[0]].begins, parts[run[-1]].end) for run in chosen)
    return tuple(_make_passage(text, digest, start, min(end, start + size)) for start, end in ends)


def _split_parts(text: str) -> Iterator[PassagePart]:
    """Yield the parts of a text, without its lists of references."""
    layout, lists = parse_blocks(text), find_references(text)
    block = past = 0
    for start, end in find_sentences(text):
        while layout[block].end <= start:
            block += 1
        while past < len(lists) and lists[past][1] <= start:
            past += 1
        if past == len(lists) or start < lists[past][0]:
            yield PassagePart(
                start,
                end,
                _passage_start(text, start, layout[block]),
                layout[block].kind,
                block,
                past,
            )


def _passage_start(text: str, start: int, block: PageBlock) -> int:
    """Return where a passage starting with this sentence begins, or -1 if none may.

    It begins at the mark of a heading or an item, and not within a table row or code.
    """
    if block.kind == "code":
        return start if start == block.start else -1
    before = text[max(block.start, start - MAX_MARK_LENGTH) : start].rpartition("\n")[2].strip()
    if block.kind == "table":
        return start if not before else -1
    is_mark = before and block.kind in ("heading", "list") and not any(map(str.isalnum, before))
    return text.rindex(before, 0, start) if is_mark else start


def _longest_run(parts: Sequence[PassagePart], first: int, size: int) -> range:
    """Return the parts from `first` on that fit into `size` characters; at least one."""
    last = first
    while (
        last + 1 < len(parts)
        and parts[last + 1].text == parts[first].text
        and parts[last + 1].end - parts[first].begins <= size
    ):
        last += 1
    return range(first, last + 1)


def _trim_at_taken(run: range, taken: set[int]) -> range:
    return range(run[0], next((i for i in run if i in taken), run[-1] + 1))


def _drop_trailing_headings(run: range, parts: Sequence[PassagePart]) -> range:
    """Drop the headings at the end of the run, whose text is not in it."""
    return next(
        (range(run[0], last + 1) for last in reversed(run) if parts[last].kind != "heading"), run
    )


def _add_first_row(run: range, parts: Sequence[PassagePart], taken: set[int], size: int) -> range:
    """Extend a run that begins in a table to the table's first row, if that fits."""
    first = next(
        (n for n in range(run[0], -1, -1) if not n or parts[n - 1].block != parts[run[0]].block),
        run[0],
    )
    is_table = parts[run[0]].kind == "table" and parts[first].begins >= 0
    fits = parts[run[-1]].end - parts[first].begins <= size and taken.isdisjoint(
        range(first, run[0])
    )
    return range(first, run[-1] + 1) if is_table and fits else run


def _union_words(held: Sequence[frozenset[str]], run: range) -> frozenset[str]:
    """Return the question words that the parts of a run hold."""
    return frozenset().union(*(held[i] for i in run))


def _weigh_words(words: frozenset[str], weights: Mapping[str, float]) -> float:
    """Return the sum of the weights of the words."""
    return sum(weights[word] for word in sorted(words))


def _measure_gain(
    held: Sequence[frozenset[str]], weights: Mapping[str, float], seen: Mapping[str, int]
) -> float:
    """Return what a run adds: its question words, discounted if seen, plus a bonus for density."""
    distinct = sum(
        weights[word] * REPEAT_FACTOR ** seen[word] for word in sorted(frozenset().union(*held))
    )
    often = DENSITY_BONUS * sum(_weigh_words(words, weights) for words in held)
    return round(distinct + min(often, sum(weights.values()) / 2), 6)


def _make_passage(text: str, digest: str, start: int, end: int) -> Passage:
    """Return the passage at these offsets, with a stable id."""
    name = sha256(f"{digest}:{start}".encode()).hexdigest()[:8]
    return Passage(f"p{name}", text[start:end], start, end)
