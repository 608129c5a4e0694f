"""Select the passages of a page that bear on a question.

Passages are verbatim, in page order and with offsets. No model is used. Lists of references are
never passages. Whether the page answers the question is decided by the judge.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
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
#: Texts whose parts are kept in memory, and their length at most: about 10 MB in all.
MAX_KEPT_TEXTS, MAX_KEPT_LENGTH = 64, 60_000


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
    parsed = parse_question(question)
    weights = parsed.words
    parts = split_parts(text)
    held: list[frozenset[str]] = []
    for part in parts:
        tokens = tokenize(text[part.start : part.end])
        roots = frozenset(word_root(token, parsed.language) for token in tokens)
        held.append(roots & weights.keys())
    runs = [
        _longest_run(parts, first, size)
        for first in range(len(parts))
        if held[first] and parts[first].begins >= 0
    ]
    chosen = _choose_runs(runs, parts, held, weights, limit=limit, size=size)
    spans = sorted((parts[run[0]].begins, parts[run[-1]].end) for run in chosen)
    return make_passages(text, ((start, min(end, start + size)) for start, end in spans))


def _choose_runs(
    runs: Sequence[range],
    parts: Sequence[PassagePart],
    held: Sequence[frozenset[str]],
    weights: Mapping[str, float],
    *,
    limit: int,
    size: int,
) -> list[range]:
    """Return the runs that add most, one after the other, without overlaps."""
    seen: Counter[str] = Counter()
    taken: set[int] = set()
    chosen: list[range] = []
    part_weights = [_weigh_words(words, weights) for words in held]
    most_density = sum(weights.values()) / 2

    def measure(run: range) -> float:
        """Return what a run adds: its question words, discounted if seen, and its density."""
        words = sorted(_union_words(held, run))
        distinct = sum(weights[word] * REPEAT_FACTOR ** seen[word] for word in words)
        density = DENSITY_BONUS * sum(part_weights[run.start : run.stop])
        return round(distinct + min(density, most_density), 6)

    while len(chosen) < limit:
        free = [_trim_at_taken(run, taken) for run in runs if run[0] not in taken]
        if not free:
            break
        best = max(free, key=measure)
        if chosen:
            least = MIN_SHARE_OF_BEST * _weigh_words(_union_words(held, chosen[0]), weights)
            if _weigh_words(_union_words(held, best), weights) < least:
                break
        without_heading = _drop_trailing_headings(best, parts)
        chosen.append(_add_first_row(without_heading, parts, taken, size))
        taken.update(chosen[-1])
        seen.update(_union_words(held, best))
    return chosen


def split_parts(text: str) -> tuple[PassagePart, ...]:
    """Return the parts of a text, without its lists of references.

    Those of the last texts are kept, as passages of a page are chosen several times.
    """
    if len(text) > MAX_KEPT_LENGTH:
        return tuple(_iterate_parts(text))
    return _split_short_text(text)


@lru_cache(maxsize=MAX_KEPT_TEXTS)
def _split_short_text(text: str) -> tuple[PassagePart, ...]:
    return tuple(_iterate_parts(text))


def _iterate_parts(text: str) -> Iterator[PassagePart]:
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
        return -1 if before else start
    if not before or block.kind not in ("heading", "list") or any(map(str.isalnum, before)):
        return start
    return text.rindex(before, 0, start)


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
    """Cut the run before its first part that another passage already uses."""
    for index in run:
        if index in taken:
            return range(run.start, index)
    return run


def _drop_trailing_headings(run: range, parts: Sequence[PassagePart]) -> range:
    """Drop the headings at the end of the run, whose text is not in it."""
    for last in reversed(run):
        if parts[last].kind != "heading":
            return range(run[0], last + 1)
    return run


def _add_first_row(run: range, parts: Sequence[PassagePart], taken: set[int], size: int) -> range:
    """Extend a run that begins in a table to the table's first row, if that fits."""
    if parts[run[0]].kind != "table":
        return run
    first = run[0]
    while first and parts[first - 1].block == parts[first].block:
        first -= 1
    if parts[first].begins < 0 or not taken.isdisjoint(range(first, run[0])):
        return run
    if parts[run[-1]].end - parts[first].begins > size:
        return run
    return range(first, run[-1] + 1)


def _union_words(held: Sequence[frozenset[str]], run: range) -> frozenset[str]:
    """Return the question words that the parts of a run hold."""
    return frozenset().union(*held[run.start : run.stop])


def _weigh_words(words: frozenset[str], weights: Mapping[str, float]) -> float:
    """Return the sum of the weights of the words."""
    return sum(weights[word] for word in sorted(words))


#: The sign of an item at the beginning of a line, and within one, where line breaks were lost.
_ITEM_LINE = re.compile(r"[ \t]*(?:[-–•*]|\d{1,2}[.)])[ \t]+(?=\S)")
_ITEM_WITHIN = re.compile(r"(?<=\S) [-–•*] (?=[\"“(]?\w)")
#: Characters of an item at most.
MAX_ITEM_LENGTH = 400


def find_list_end(text: str, start: int, end: int, *, most: int) -> int:
    """Return where the list ends within which a passage ends, else `end`.

    most: characters that may be added; only whole items are.
    """
    line_start = max(start, text.rfind("\n", 0, end) + 1)
    line_end = text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end
    is_item = _ITEM_LINE.match(text, text.rfind("\n", 0, end) + 1) is not None
    if is_item or text[line_start:end].rstrip().endswith((":", "：")):
        return _find_end_of_lines(text, end if is_item else line_end, end, most)
    opening = _find_list_opening(text, line_start, min(line_end, end + 3))
    return _find_end_of_items(text[:line_end], end, most) if opening >= 0 else end


def _find_list_opening(text: str, start: int, end: int) -> int:
    """Return where the last lead-in is that an item follows on the same line, or -1."""
    places = [match.start() for match in _ITEM_WITHIN.finditer(text, start, end)]
    openings = [place for place in places if text[place - 1] in ":："]
    return openings[-1] if openings else -1


def _find_end_of_lines(text: str, place: int, end: int, most: int) -> int:
    """Return where the items end that stand on lines of their own below a place."""
    reached = end
    for line in text[place : end + most + MAX_ITEM_LENGTH].splitlines(keepends=True):
        is_rest = place == end
        last = place + len(line.rstrip())
        place += len(line)
        if line.isspace():
            continue
        if last > end + most or not (is_rest or _ITEM_LINE.match(line)):
            break
        reached = last
    return reached


def _find_end_of_items(text: str, end: int, most: int) -> int:
    """Return where the last item ends that follows a place on its line, with its first sentence."""
    reached = end
    for mark in _ITEM_WITHIN.finditer(text, end - 1):
        if text[mark.start() - 1] in ":：" or mark.start() - reached > MAX_ITEM_LENGTH:
            break
        following = _ITEM_WITHIN.search(text, mark.end())
        stop = following.start() if following else len(text)
        spans = find_sentences(text[mark.end() : stop])
        if not spans or mark.end() + spans[0][1] > end + most:
            break
        reached = mark.end() + spans[0][1]
    return reached


def make_passages(text: str, spans: Iterable[tuple[int, int]]) -> tuple[Passage, ...]:
    """Return the passages at these offsets (start, end), in this order, with stable ids."""
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return tuple(_make_passage(text, digest, start, end) for start, end in spans)


def _make_passage(text: str, digest: str, start: int, end: int) -> Passage:
    """Return the passage at these offsets, with a stable id."""
    name = sha256(f"{digest}:{start}".encode()).hexdigest()[:8]
    return Passage(f"p{name}", text[start:end], start, end)
