"""Find the place of a whole page that holds most of a claim, in any script.

A page is read once and indexed by word, so that a claim costs no more than the sentences which hold
its words. Figures, names and other words count by their weight; words that any sentence of the
language has hardly count.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from research_core.text.languages import find_stop_words, guess_language
from research_core.text.references import find_references
from research_core.text.sentences import find_sentences
from research_core.text.similarity import FILLER_WORDS, rarity, word_root
from research_core.text.support.features import remove_marks
from research_core.text.support.places import RUN_LENGTH
from research_core.text.support.weights import FIGURE_WEIGHT
from research_core.text.words import tokenize

#: The weight of a word in a language whose word frequencies are not known, and of a stop word.
FOREIGN_WEIGHT, STOP_WEIGHT = 4.0, 0.25
#: Words that say who is cited, which a page does not say of itself.
_ATTRIBUTION = frozenset("according laut zufolge selon según secondo".split())
#: What each further sentence of a place costs, as a share of the claim, so that short places win.
FURTHER_SENTENCE_COST = 0.04
#: How much a word counts that a sentence chosen before holds too.
REPEATED_SHARE = 0.25
#: The most characters of a passage that is shown, and the share of the claim that a second sentence
#: must add to be shown too.
MAX_SHOWN, ADDED_SHARE = 300, 0.1
#: The common beginning, in letters, and as a share of the longer word, of two forms of a word.
FORM_LETTERS, FORM_SHARE = 4, 0.6
#: Vowel signs and accents, which are no letters to Python but belong to words.
_MARKS = (
    "\u0300-\u036f\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u0900-\u0963"
    "\u0966-\u0df3\u0e31-\u0e3a\u0e40-\u0e4e"
)
_WRITTEN_WORD = re.compile(
    f"[^\\W_][^\\W_{_MARKS}]*(?:['’.,/-]?[^\\W_{_MARKS}]+)*".replace(
        f"[^\\W_{_MARKS}]", f"(?:[^\\W_]|[{_MARKS}])"
    )
)
_POSSESSIVE = re.compile("['’]s$")


@dataclass(frozen=True)
class WrittenWord:
    """A word of a text as written, its offset, and its roots (several where no spaces divide)."""

    written: str
    start: int
    roots: tuple[str, ...]

    @property
    def is_number(self) -> bool:
        """Return whether it begins with a digit."""
        return self.written[0].isdigit()

    @property
    def is_capitalised(self) -> bool:
        """Return whether it begins with a capital letter."""
        return self.written[0].isupper()


@lru_cache(maxsize=4096)
def read_words(text: str, language: str) -> tuple[WrittenWord, ...]:
    """Return the words of a text in order; language: as for `word_root`."""
    found: list[WrittenWord] = []
    for match in _WRITTEN_WORD.finditer(text):
        roots = tuple(
            word_root(token, language) for token in tokenize(_POSSESSIVE.sub("", match[0]))
        )
        if roots:
            found.append(WrittenWord(match[0], match.start(), roots))
    return tuple(found)


def read_roots(text: str, language: str) -> set[str]:
    """Return the roots of the words of a text."""
    return {root for word in read_words(text, language) for root in word.roots}


@dataclass(frozen=True)
class ReadPage:
    """A page split into sentences, without its lists of references.

    `spans` are their offsets, `roots` their words, `index` maps a root to the sentences that hold
    it; `language` is that of `word_root`, "" for English.
    """

    text: str
    language: str
    spans: tuple[tuple[int, int], ...]
    roots: tuple[frozenset[str], ...]
    index: Mapping[str, tuple[int, ...]]

    def get_text(self, first: int, last: int) -> str:
        """Return the text of the sentences first to last, limited to those that exist."""
        first, last = max(0, first), min(last, len(self.spans) - 1)
        return self.text[self.spans[first][0] : self.spans[last][1]] if first <= last else ""

    def holds(self, root: str) -> bool:
        """Return whether a sentence holds the root or a form of it."""
        return root in self.index or has_form(root, self.forms.get(root[:FORM_LETTERS], ()))

    def measure_share(self, weights: Mapping[str, float]) -> float:
        """Return the share of the weights whose roots are anywhere on the page, in any form."""
        held = sum(weight for root, weight in weights.items() if self.holds(root))
        return held / (sum(weights.values()) or 1.0)

    @property
    def forms(self) -> Mapping[str, tuple[str, ...]]:
        """Map the first letters of roots to the roots."""
        return _index_forms(self)

    def __hash__(self) -> int:
        return hash(self.text)


@lru_cache(maxsize=128)
def _index_forms(page: ReadPage) -> Mapping[str, tuple[str, ...]]:
    forms: dict[str, list[str]] = defaultdict(list)
    for root in page.index:
        forms[root[:FORM_LETTERS]].append(root)
    return {head: tuple(roots) for head, roots in forms.items()}


def has_form(root: str, others: Sequence[str] | frozenset[str]) -> bool:
    """Return whether one of the others is the same root or shares most of its letters with it."""
    if root in others:
        return True
    if root[0].isdigit() or len(root) < FORM_LETTERS:
        return False
    head = root[:FORM_LETTERS]
    for other in others:
        if other.startswith(head):
            same = 0
            for one, two in zip(root, other, strict=False):
                if one != two:
                    break
                same += 1
            if same >= FORM_SHARE * max(len(root), len(other)):
                return True
    return False


class _RootsOfWords(dict[str, str]):
    """The roots of words in one language, each looked up once."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self.language = language

    def __missing__(self, word: str) -> str:
        self[word] = word_root(word, self.language)
        return self[word]


@lru_cache(maxsize=128)
def read_page_text(page: str) -> ReadPage:
    """Split and index a page; linear in its length."""
    guessed = guess_language(page)
    language = "" if guessed == "en" else guessed
    lists = find_references(page)
    spans: list[tuple[int, int]] = []
    roots: list[frozenset[str]] = []
    index: dict[str, list[int]] = defaultdict(list)
    following = 0
    find_root = _RootsOfWords(language).__getitem__
    for start, end in find_sentences(page):
        while following < len(lists) and lists[following][1] <= start:
            following += 1
        if following < len(lists) and lists[following][0] <= start:
            continue
        words = frozenset(map(find_root, set(tokenize(page[start:end]))))
        for root in words:
            index[root].append(len(spans))
        spans.append((start, end))
        roots.append(words)
    kept = {root: tuple(numbers) for root, numbers in index.items()}
    return ReadPage(page, language, tuple(spans), tuple(roots), kept)


@dataclass(frozen=True)
class ReadClaim:
    """A claim, or one sentence of it: its text without marks, its words and their weights."""

    text: str
    words: tuple[WrittenWord, ...]
    weights: Mapping[str, float]

    @cached_property
    def total(self) -> float:
        """Return the weight of the whole claim."""
        return sum(self.weights.values()) or 1.0


@lru_cache(maxsize=2048)
def read_claim(claim: str, language: str) -> ReadClaim:
    """Read a claim in the language of the page that it is compared with."""
    text = remove_marks(claim)
    words = read_words(text, language)
    stops = find_stop_words(language) if language else FILLER_WORDS
    weights: dict[str, float] = {}
    for word in words:
        tokens = tokenize(_POSSESSIVE.sub("", word.written))
        for token, root in zip(tokens, word.roots, strict=True):
            weights[root] = max(weights.get(root, 0.0), _weigh(token, language, stops))
    return ReadClaim(text, words, weights)


def _weigh(token: str, language: str, stops: frozenset[str]) -> float:
    if token[0].isdigit():
        return FIGURE_WEIGHT
    if token in stops or token in _ATTRIBUTION:
        return STOP_WEIGHT
    return FOREIGN_WEIGHT if language else rarity(token)


@dataclass(frozen=True)
class PagePlace:
    """A run of sentences, from `first` to `last`; `share`: how much of the claim it holds."""

    first: int
    last: int
    share: float


def find_page_place(claim: ReadClaim, page: ReadPage) -> PagePlace | None:
    """Return the run of sentences that holds most of the claim, None if no word is on the page."""
    held = _find_held_bits(claim, page)
    best: PagePlace | None = None
    best_value = 0.0
    sums = _BitSums(claim)
    for first in held:
        known = 0
        for last in range(first, min(first + RUN_LENGTH, len(page.spans))):
            if last > first and last not in held:
                continue
            known |= held[last]
            share = sums[known] / claim.total
            value = share - FURTHER_SENTENCE_COST * (last - first)
            if value > best_value + 1e-9:
                best, best_value = PagePlace(first, last, share), value
    return best


# ---------------------------------------------------------------- the nearest sentences


def find_nearest_sentences(claim: ReadClaim, page: ReadPage, count: int) -> list[int]:
    """Return the numbers of the sentences that together hold most of the claim, in page order.

    Each adds most to those before it; what it holds again counts in part (`REPEATED_SHARE`).
    """
    held = _find_held_bits(claim, page)
    sums = _BitSums(claim)
    values = {number: sums[bits] for number, bits in held.items()}
    known = 0
    chosen: list[int] = []
    while values and len(chosen) < count:
        best, most = -1, -1.0
        for number, value in values.items():
            if value * (1 + REPEATED_SHARE) <= most:
                continue  # it cannot add more, however much of it is new
            worth = sums[held[number] & ~known] + REPEATED_SHARE * value
            if worth > most + 1e-9:
                best, most = number, worth
        known |= held[best]
        del values[best]
        chosen.append(best)
    return sorted(chosen)


def join_nearest_sentences(claim: ReadClaim, page: ReadPage, count: int) -> str:
    """Return the texts of the nearest sentences, with spaces between them."""
    numbers = find_nearest_sentences(claim, page, count)
    return " ".join(page.get_text(number, number) for number in numbers)


def _find_held_bits(claim: ReadClaim, page: ReadPage) -> dict[int, int]:
    """Map the numbers of sentences to the roots of the claim that they hold, stop words left out.

    The roots are bits, in the order of the claim's weights.
    """
    held: dict[int, int] = {}
    for place, (root, weight) in enumerate(claim.weights.items()):
        if weight > STOP_WEIGHT:
            for number in page.index.get(root, ()):
                held[number] = held.get(number, 0) | 1 << place
    return dict(sorted(held.items()))


class _BitSums(dict[int, float]):
    """The sums of the weights of roots by their bits, always added up in the same order.

    Each is computed once, as many places hold the same words.
    """

    def __init__(self, claim: ReadClaim) -> None:
        super().__init__()
        self.weights = {1 << place: weight for place, weight in enumerate(claim.weights.values())}

    def __missing__(self, bits: int) -> float:
        total = 0.0
        left = bits
        while left:
            lowest = left & -left
            total += self.weights[lowest]
            left ^= lowest
        self[bits] = total
        return total


def _sum_weights(claim: ReadClaim, roots: set[str]) -> float:
    """Return the sum of the weights, always in the same order."""
    return sum(weight for root, weight in claim.weights.items() if root in roots)


@lru_cache(maxsize=256)
def remove_stop_words(text: str, language: str) -> str:
    """Return the text without the stop words of a language."""
    stops = find_stop_words(language)

    def keep(word: re.Match[str]) -> str:
        return "" if word[0].casefold() in stops else word[0]

    return _WRITTEN_WORD.sub(keep, text)


# ---------------------------------------------------------------- the passage that a reader sees


def find_shown_span(claim: ReadClaim, page: ReadPage, place: PagePlace) -> tuple[int, int]:
    """Return (start, end) of the one or two sentences of a place that carry the claim.

    A second sentence is shown only if it adds `ADDED_SHARE` of the claim and there is room for both.
    A sentence longer than `MAX_SHOWN` is cut to the words around those of the claim.
    """
    total = claim.total
    shares: dict[int, set[str]] = {}
    for number in range(place.first, place.last + 1):
        shares[number] = {root for root in claim.weights if root in page.roots[number]}
    first = last = max(shares, key=lambda number: (_sum_weights(claim, shares[number]), -number))
    best = first
    for other in (best - 1, best + 1):
        if other not in shares or first != last:
            continue
        start, end = page.spans[min(best, other)][0], page.spans[max(best, other)][1]
        adds = _sum_weights(claim, shares[other] - shares[best]) >= ADDED_SHARE * total
        if adds and end - start <= MAX_SHOWN:
            first, last = min(best, other), max(best, other)
    start, end = page.spans[first][0], page.spans[last][1]
    if end - start <= MAX_SHOWN:
        return start, end
    return _cut_span(claim, page, start, end)


def _cut_span(claim: ReadClaim, page: ReadPage, start: int, end: int) -> tuple[int, int]:
    """Return the part of at most `MAX_SHOWN` characters that holds most of the claim.

    It begins with a word of the claim and is cut between words.
    """
    words = read_words(page.text[start:end], page.language)
    best, most = (start, start + MAX_SHOWN), 0.0
    for first, word in enumerate(words):
        if not any(root in claim.weights for root in word.roots):
            continue
        held: set[str] = set()
        last = first
        while last < len(words) and _end_of(words[last]) - word.start <= MAX_SHOWN:
            held.update(words[last].roots)
            last += 1
        value = _sum_weights(claim, held)
        if last > first and value > most + 1e-9:
            best, most = (start + word.start, start + _end_of(words[last - 1])), value
    return best


def _end_of(word: WrittenWord) -> int:
    return word.start + len(word.written)
