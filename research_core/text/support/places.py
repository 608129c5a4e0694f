"""Find the place of a passage that holds most of a sentence.

A place is a run of one to three sentences, or a table row with its header.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from research_core.text.antonyms import find_opposite_word
from research_core.text.blocks import parse_blocks
from research_core.text.sentences import find_sentences
from research_core.text.similarity import CUE_ROW_OF, content_tokens, rarity, word_root
from research_core.text.support.features import remove_marks
from research_core.text.support.negation import text_denies
from research_core.text.words import tokenize

#: The most sentences of a passage that are read together.
RUN_LENGTH = 3


@dataclass(frozen=True)
class NearestPlace:
    """What the best place of a passage holds of a sentence.

    `share`: the weighted share of its words, 0.0 to 1.0. `missing`: the words it lacks.
    `negation_differs`: a "not" stands on one side only. `opposites`: a word and its opposite there,
    as a note says it. `text`: the text of a place of one sentence. `texts`: the texts of all
    sentences that hold as much, if the best place is a single sentence.
    """

    share: float
    missing: list[str]
    negation_differs: bool = False
    opposites: str = ""
    text: str = ""
    texts: tuple[str, ...] = ()


def find_nearest_place(sentence: str, passages: Sequence[str]) -> NearestPlace:
    """Return the place that holds most of the sentence, the shortest of equals.

    Figures do not count, because they are compared by themselves.
    """
    weights: dict[str, float] = {}
    for word in content_tokens(sentence):
        if not word[0].isdigit():
            weights[word_root(word)] = rarity(word)
    places: list[_Place] = []
    for passage in passages:
        places += _find_places(passage)
    places.sort(key=lambda place: place.length)
    best = 0.0
    held: list[str] = []
    nearest = None
    texts: list[str] = []
    for place in places:
        known = [word for word in weights if place.holds(word)]
        weight = sum(weights[word] for word in known)
        if weight > best:
            best, held, nearest = weight, known, place
            texts = []
        if nearest is not None and weight == best and place.text and nearest.text:
            texts.append(place.text)
    bare = remove_marks(sentence)
    tokens = tokenize(bare)
    spellings = {word_root(word): word for word in reversed(tokens)}
    missing = [spellings.get(root, root) for root in weights if root not in held]
    total = sum(weights.values())
    if nearest is None:
        return NearestPlace(0.0 if total else 1.0, missing)
    differs = nearest.denies != text_denies(bare, tokens)
    opposites = ""
    if nearest.text and not nearest.denies and not differs:
        opposites = find_opposite_word(bare, nearest.text)
    return NearestPlace(best / total, missing, differs, opposites, nearest.text, tuple(texts))


@dataclass(frozen=True)
class _Place:
    """A run of `length` sentences.

    `words` are its roots, `cues` the rows of `similarity.CUE_ROWS` it touches, `denies` whether it
    says "not"; `text` is set for a single sentence.
    """

    length: int
    words: frozenset[str]
    cues: frozenset[int]
    denies: bool
    text: str = ""

    def holds(self, root: str) -> bool:
        """Return whether the place has the root, or a word that will do as well."""
        return root in self.words or CUE_ROW_OF.get(root) in self.cues


@lru_cache(maxsize=256)
def _find_places(passage: str) -> tuple[_Place, ...]:
    """Return every run of up to `RUN_LENGTH` sentences, and each table row with its header."""
    spans = find_sentences(passage)
    alone = [_make_place(1, passage[start:end]) for start, end in spans]
    places: list[_Place] = []
    for place, (_, end) in zip(alone, spans, strict=True):
        if passage[end - 1 : end] != "?":  # a question states nothing by itself
            places.append(place)
    for length in range(2, RUN_LENGTH + 1):
        for first in range(len(spans) - length + 1):
            places.append(_join_places(alone[first : first + length]))
    places += [_make_place(2, row) for row in _table_rows(passage, spans)]
    return tuple(places)


def _make_place(length: int, text: str) -> _Place:
    """Return the place of this text."""
    tokens = tokenize(text)
    words = frozenset(map(word_root, tokens))
    cues = frozenset(CUE_ROW_OF[word] for word in words & CUE_ROW_OF.keys())
    own_text = remove_marks(text) if length == 1 else ""
    return _Place(length, words, cues, text_denies(text, tokens), own_text)


def _join_places(places: Sequence[_Place]) -> _Place:
    """Return the place made of these places."""
    words: frozenset[str] = frozenset().union(*(place.words for place in places))
    cues: frozenset[int] = frozenset().union(*(place.cues for place in places))
    return _Place(len(places), words, cues, any(place.denies for place in places))


def _table_rows(passage: str, spans: Sequence[tuple[int, int]]) -> Iterator[str]:
    """Yield each row of a table below its header row."""
    for block in parse_blocks(passage):
        if block.kind != "table":
            continue
        rows = [passage[start:end] for start, end in spans if block.start <= start < block.end]
        for row in rows[2:]:
            yield f"{rows[0]}\n{row}"
