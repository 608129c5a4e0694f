"""Measure what a text holds of a sentence: words, nearness, order, clauses, figures and names.

`measure_support` returns the measures in the order of `weights.MEASURE_SIGNS`. Nothing is inferred,
and no subject is known. The last bit of a sum depends on the order of the additions, and on whether
`sum` or `+=` adds; a limit of a fitted tree may lie exactly there (see `weights`): keep both.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import chain

from research_core.text.sentences import find_sentences
from research_core.text.similarity import CUE_ROW_OF, rarity, word_root
from research_core.text.support.figures import find_values
from research_core.text.support.negation import has_negation
from research_core.text.support.weights import CUE_ALIKE, FIGURE_WEIGHT, MEASURE_SIGNS, MIN_ALIKE
from research_core.text.words import tokenize

COMMON_WORDS = frozenset(
    """
        the a an of and or to in is are was were be been by for on with at from it its as that this
        which who their his her has have had not but also than then there they he she we you i do
        does did can could will would may might should these those such into about over under
        between through during before after more most other some any all each both if when while
        where what how why so no nor only own same too very s t just d m o re ve y them him our your
        my us am being itself himself
    """.split()
)
_HEDGES = frozenset(
    "may might could can often sometimes possibly likely generally typically usually some many"
    " several various potential".split()
)
_MARK = re.compile(r"\[\d+(?:\s*[,–-]\s*\d+)*\]|(?:https?://|www\.)\S+|\*")
_NAME = re.compile(r"(?<=[\w,;:'\"“)] )[\"“(]?([A-Z][\w'’-]+)|\b([A-Z]{2,})\b")
_CLAUSE = re.compile(
    r"[,;:—–()]|\b(?:and|but|which|who|that|because|while|whereas|although|including|such as"
    r"|as well as|or|where|when)\b"
)
_SPEAKER = re.compile(
    r"\b(?:[Ii]|[Mm]e|[Mm]y|[Ww]e|[Yy]ou|[Yy]our|[Ii]'(?:m|ve|d)|us|[Oo]ur|[Mm]yself)\b"
)
_CAPITAL = re.compile(r"\b[A-Z][\w'’-]*")
_ASIDE = re.compile(
    r"\b(?:not (?:explicitly |clearly |directly )?"
    r"(?:mentioned|stated|specified|provided|clear|given)"
    r"|contexts?|quotes?|according to the"
    r"|(?:given|provided) (?:information|texts?|sources?)|based on the information)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class ParsedText:
    """A text split into sentences.

    `sentences` holds each as written, `roots` its roots in order, `sets` the same as sets; `words`
    is all roots in a row.
    """

    sentences: tuple[str, ...]
    roots: tuple[tuple[str, ...], ...]
    sets: tuple[frozenset[str], ...]
    words: tuple[str, ...]

    @cached_property
    def figures(self) -> tuple[frozenset[str], ...]:
        """Return the values of each sentence; few claims need them."""
        return tuple(map(find_values, self.sentences))

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """Return in how many sentences each root stands."""
        return Counter(word for words in self.sets for word in words)


@lru_cache(maxsize=256)
def parse_text(text: str) -> ParsedText:
    """Parse a text by sentences, without citation marks and addresses."""
    bare = remove_marks(text)
    sentences = tuple(bare[start:end] for start, end in find_sentences(bare)) or ("",)
    roots = tuple(tuple(map(word_root, tokenize(sentence))) for sentence in sentences)
    return ParsedText(
        sentences, roots, sets=tuple(map(frozenset, roots)), words=tuple(chain.from_iterable(roots))
    )


def remove_marks(text: str) -> str:
    """Return the text without citation marks, addresses and asterisks."""
    return _MARK.sub(" ", text)


class ParsedClaim:
    """A sentence to compare with a text.

    `tokens` are all its words and `named` those that are not common; `all` and `order` the roots of
    both. `weights` maps the roots in `order` to their weights, `total` is the sum. `bits` gives
    each of them a bit, so that places of a text are compared quickly: a mask is a set of words.
    """

    def __init__(self, sentence: str) -> None:
        self.text = remove_marks(sentence)
        self.tokens = tokenize(self.text)
        named = [word for word in self.tokens if word not in COMMON_WORDS]
        self.named = named or self.tokens or ["?"]
        self.all = [word_root(word) for word in self.tokens]
        self.order = [word_root(word) for word in self.named]
        self.weights: dict[str, float] = {}
        for word, root in zip(self.named, self.order, strict=True):
            self.weights[root] = max(self.weights.get(root, 0.0), _word_weight(word))
        self.bits = {word: 1 << n for n, word in enumerate(self.weights)}
        self.total = sum(self.weights.values())

    def mask(self, words: frozenset[str]) -> int:
        """Return the bits of the claim's words that are among these words."""
        return sum(bit for word, bit in self.bits.items() if word in words)

    def share(self, mask: int) -> float:
        """Return the weighted share of the words of this mask."""
        return sum(self.weights[word] for word, bit in self.bits.items() if bit & mask) / self.total

    def missing(self, mask: int) -> list[float]:
        """Return the weights of the words outside the mask, the heaviest first."""
        outside = [self.weights[word] for word, bit in self.bits.items() if not bit & mask]
        return sorted(outside, reverse=True)


@dataclass(frozen=True)
class ClaimTextPair:
    """A claim beside a text.

    `masks` holds the mask of each sentence of the text, `best` the sentence that holds most of the
    claim, `near` the three sentences in a row that do.
    """

    claim: ParsedClaim
    text: ParsedText
    masks: tuple[int, ...]
    best: int
    near: slice

    @cached_property
    def words_near(self) -> frozenset[str]:
        """Return the roots of the three best sentences."""
        return frozenset().union(*self.text.sets[self.near])


def measure_support(sentence: str, text: str) -> tuple[float, ...]:
    """Return the measures of a sentence against a text, in the order of `MEASURE_SIGNS`."""
    claim, parsed = ParsedClaim(sentence), parse_text(text)
    masks = tuple(claim.mask(words) for words in parsed.sets)
    best = _find_best_run(claim, masks, parsed, 1).start
    near = _find_best_run(claim, masks, parsed, 3)
    pair = ClaimTextPair(claim, parsed, masks, best, near)
    measures = {
        **_measure_coverage(pair),
        **_measure_order(pair),
        **_measure_pairs(pair),
        **_measure_parts(pair),
        **_measure_facts(pair),
        **_measure_manner(pair, text),
    }
    return tuple(float(measures[name]) for name in MEASURE_SIGNS)


def _find_best_run(claim: ParsedClaim, masks: Sequence[int], text: ParsedText, width: int) -> slice:
    """Return the run of `width` sentences that holds most; of equals the shortest, then first."""
    runs = [slice(start, start + width) for start in range(max(1, len(masks) - width + 1))]
    share_of = cache(claim.share)  # many runs hold the same words

    def rank(run: slice) -> tuple[float, int]:
        return share_of(_union_masks(masks[run])), -sum(map(len, text.roots[run]))

    return max(runs, key=rank)


def _union_masks(masks: Sequence[int]) -> int:
    """Return the mask of the words that any of the masks holds."""
    union = 0
    for mask in masks:
        union |= mask
    return union


def _measure_coverage(pair: ClaimTextPair) -> dict[str, float]:
    """Measure how much of the claim's words the text and its best places hold."""
    claim, text, masks = pair.claim, pair.text, pair.masks
    whole, near = _union_masks(masks), _union_masks(masks[pair.near])
    five = _find_best_run(claim, masks, text, 5)
    missing = [*claim.missing(whole), 0.0, 0.0, 0.0]
    missing_near = [*claim.missing(near), 0.0, 0.0, 0.0]
    greedy = 0  # three sentences, each adding most to those before
    for _ in range(3):
        greedy |= max(masks, key=lambda mask: claim.share(mask & ~greedy))
    soft3, _ = _measure_soft_coverage(claim, pair.words_near)
    softall, softmiss = _measure_soft_coverage(claim, frozenset(text.words))
    cov, win3 = claim.share(whole), claim.share(near)
    return {
        "cov": cov,
        "covn": whole.bit_count() / len(claim.bits),
        "win1": claim.share(masks[pair.best]),
        "win3": win3,
        "win5": claim.share(_union_masks(masks[five])),
        "greedy3": claim.share(greedy),
        "miss1": missing[0],
        "miss2": missing[1],
        "miss3": missing[2],
        "misssum": math.log1p(sum(missing)),
        "near1": missing_near[0],
        "near2": missing_near[1],
        "near3": missing_near[2],
        "nearsum": math.log1p(sum(missing_near)),
        "soft3": soft3,
        "softall": softall,
        "softmiss": softmiss,
        "excess": win3 - cov,
        "nontopic": _special_share(claim, text, near),
        "stop1": _stop_word_share(claim, text.sets[pair.best]),
    }


def _special_share(claim: ParsedClaim, text: ParsedText, near: int) -> float:
    """Return the weighted share held of the words that few sentences of the text have."""
    frequent = max(2.0, 0.3 * len(text.sets))
    special = [word for word in claim.weights if text.counts.get(word, 0) < frequent]
    weight = sum(claim.weights[word] for word in special)
    if not weight:
        return 1.0
    return sum(claim.weights[word] for word in special if claim.bits[word] & near) / weight


def _stop_word_share(claim: ParsedClaim, words: frozenset[str]) -> float:
    """Return the share of the claim's common words that are among these words."""
    stops = [word for word in set(claim.all) if word in COMMON_WORDS]
    if not stops:
        return 1.0
    return sum(word in words for word in stops) / len(stops)


def _measure_soft_coverage(claim: ParsedClaim, words: frozenset[str]) -> tuple[float, float]:
    """Return (share held, most missing of one word), counting similar forms in part.

    A form counts by its common prefix, a word of the same row of `similarity.CUE_ROWS` as
    `CUE_ALIKE`.
    """
    missing = [word for word in claim.weights if word not in words]
    by_head: dict[str, list[str]] = {word[:4]: [] for word in missing if len(word) >= 4}
    rows = {CUE_ROW_OF[word] for word in words if word in CUE_ROW_OF}
    for word in words:
        if word[:4] in by_head:
            by_head[word[:4]].append(word)
    lost = most = 0.0
    for word in missing:
        likeness = 0.0
        if CUE_ROW_OF.get(word) in rows:
            likeness = CUE_ALIKE
        else:
            for other in by_head.get(word[:4], ()):
                likeness = max(likeness, _common_prefix_share(word, other))
        if likeness < MIN_ALIKE:
            likeness = 0.0
        left = claim.weights[word] * (1 - likeness)
        lost += left
        most = max(most, left)
    return 1 - lost / claim.total, most


def _common_prefix_share(one: str, other: str) -> float:
    """Return the length of the common prefix as a share of the longer word."""
    same = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        same += 1
    return same / max(len(one), len(other))


def _measure_order(pair: ClaimTextPair) -> dict[str, float]:
    """Measure whether the claim's words stand together and in the same order."""
    claim, text = pair.claim, pair.text
    place = list(chain.from_iterable(text.roots[pair.near]))
    longest = _longest_run(claim.all, text.words)
    covered = _share_covered(claim, text)
    rare = sum(_word_weight(word) for word in dict.fromkeys(place) if word not in COMMON_WORDS)
    known = sum(claim.weights[word] for word in dict.fromkeys(place) if word in claim.weights)
    return {
        "lcs3": _subsequence_length(claim.order, place) / len(claim.order),
        "lcsall1": _subsequence_length(claim.all, text.roots[pair.best]) / max(1, len(claim.all)),
        "big2": _shared_ngrams(claim.all, text.words, 2, covered),
        "big3": _shared_ngrams(claim.all, text.words, 3, covered),
        "run": longest / max(1, len(claim.all)),
        "runabs": math.log1p(longest),
        "worth3": known / max(1.0, rare),
    }


def _share_covered(claim: ParsedClaim, text: ParsedText) -> float:
    """Return the share of the claim's distinct words that the text holds, unweighted."""
    asked = set(claim.order)
    return len(asked & set(text.words)) / len(asked)


def _measure_pairs(pair: ClaimTextPair) -> dict[str, float]:
    """Measure how many pairs of neighbouring claim words stand near each other in the text."""
    claim, text = pair.claim, pair.text
    pairs: list[tuple[str, str]] = []
    for n, first in enumerate(claim.order):
        pairs += [(first, other) for other in claim.order[n + 1 : n + 4] if other != first]
    if not pairs:
        return dict.fromkeys(("pairs8", "skip", "pairsw"), _share_covered(claim, text))
    places = _index_places(text.words, set(claim.order))
    weights = [claim.weights[a] * claim.weights[b] for a, b in pairs]
    near = sum(_are_near(places, a, b, -8, 8) for a, b in pairs)
    ahead = sum(_are_near(places, a, b, 1, 6) for a, b in pairs)
    heavy = [
        weight
        for (a, b), weight in zip(pairs, weights, strict=True)
        if _are_near(places, a, b, -12, 12)
    ]
    return {
        "pairs8": near / len(pairs),
        "skip": ahead / len(pairs),
        "pairsw": sum(heavy) / sum(weights),
    }


@lru_cache(maxsize=16384)
def _word_weight(word: str) -> float:
    """Return the weight of a word: its rarity, or a constant for a figure."""
    return FIGURE_WEIGHT if word[0].isdigit() else rarity(word)


def _subsequence_length(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of the longest common subsequence, computed with bits."""
    at: dict[str, int] = {}
    for n, word in enumerate(one):
        at[word] = at.get(word, 0) | 1 << n
    full = (1 << len(one)) - 1
    row = full
    for word in other:
        step = row & at.get(word, 0)
        row = ((row + step) | (row - step)) & full
    return len(one) - row.bit_count()


def _shared_ngrams(one: Sequence[str], other: Sequence[str], size: int, default: float) -> float:
    """Return the share of the first sequence's n-grams that the second has."""
    asked = _ngrams(one, size)
    if not asked:
        return default
    return len(asked & _ngrams(other, size)) / len(asked)


def _ngrams(words: Sequence[str], size: int) -> set[tuple[str, ...]]:
    """Return the runs of `size` words."""
    return set(zip(*(words[n:] for n in range(size)), strict=False))


def _longest_run(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of the longest run of words that both have."""
    at = _index_places(other, set(one))
    before: dict[int, int] = {}
    longest = 0
    for word in one:
        before = {place: before.get(place - 1, 0) + 1 for place in at.get(word, ())}
        longest = max(longest, max(before.values(), default=0))
    return longest


def _index_places(words: Sequence[str], wanted: set[str]) -> dict[str, list[int]]:
    """Map each wanted word to its positions."""
    found: dict[str, list[int]] = {}
    for n, word in enumerate(words):
        if word in wanted:
            found.setdefault(word, []).append(n)
    return found


def _are_near(at: dict[str, list[int]], one: str, other: str, low: int, high: int) -> bool:
    """Return whether `other` stands within the offsets `low` to `high` of `one` somewhere.

    Only the first fifty positions of `one` are checked.
    """
    there = at.get(other)
    if not there:
        return False
    for place in at.get(one, ())[:50]:
        first = bisect_left(there, place + low)
        if first < len(there) and there[first] <= place + high:
            return True
    return False


def _measure_parts(pair: ClaimTextPair) -> dict[str, float]:
    """Measure how well each clause and sentence of the claim is covered."""
    claim, near = pair.claim, pair.words_near
    weights = [claim.weights[word] for word in claim.order]
    lost = [0.0 if word in near else claim.weights[word] for word in claim.order]
    clauses = [_content_roots(part) for part in _CLAUSE.split(claim.text)]
    clauses = [clause for clause in clauses if len(clause) >= 2] or [claim.order]
    clause_shares = [_best_held_share(pair, clause) for clause in clauses]
    sentences = [_content_roots(claim.text[start:end]) for start, end in find_sentences(claim.text)]
    sentence_shares = [
        _best_held_share(pair, sentence) for sentence in sentences if len(sentence) >= 2
    ]
    half = len(weights) // 2
    grams, near_grams = _letter_ngrams(claim.order), _letter_ngrams(near)
    return {
        "clauses": sum(clause_shares) / len(clause_shares),
        "leastclause": min(clause_shares),
        "lastclause": clause_shares[-1],
        "gap": _heaviest_gap(lost) / claim.total,
        "said": max(1, len(sentences)),
        "leastsaid": min(sentence_shares, default=1.0),
        "least5": _least_held_share(weights, lost, 5),
        "least7": _least_held_share(weights, lost, 7),
        "secondhalf": 1 - sum(lost[half:]) / sum(weights[half:]),
        "letters": len(grams & near_grams) / max(1, len(grams)),
    }


def _content_roots(text: str) -> list[str]:
    """Return the roots of the tokens that are no common words."""
    return [word_root(word) for word in tokenize(text) if word not in COMMON_WORDS]


def _best_held_share(pair: ClaimTextPair, part: Sequence[str]) -> float:
    """Return the highest weighted share of a part of the claim that a sentence of the text holds.

    A word without a weight of its own is none of the claim's and never held.
    """
    weights = pair.claim.weights
    total = sum(weights.get(word, 1.0) for word in part)
    best = 0.0
    for words in pair.text.sets:
        best = max(best, sum(weights.get(word, 0.0) for word in part if word in words) / total)
    return best


def _heaviest_gap(lost: Sequence[float]) -> float:
    """Return the largest sum of the weights of consecutive missing words."""
    heaviest = run = 0.0
    for weight in lost:
        run = run + weight if weight else 0.0
        heaviest = max(heaviest, run)
    return heaviest


def _least_held_share(weights: Sequence[float], lost: Sequence[float], width: int) -> float:
    """Return the lowest share held by any window of `width` words."""
    starts = range(max(1, len(weights) - width + 1))
    return min(1 - sum(lost[n : n + width]) / sum(weights[n : n + width]) for n in starts)


def _letter_ngrams(words: Sequence[str] | frozenset[str]) -> set[str]:
    """Return the letter n-grams of the words."""
    return {f"^{word}$"[n : n + 4] for word in words for n in range(max(1, len(word) - 1))}


def _measure_facts(pair: ClaimTextPair) -> dict[str, float]:
    """Measure how many figures and names of the claim are missing."""
    claim, text = pair.claim, pair.text
    asked = find_values(claim.text)
    missing = missing_near = 0
    if asked:  # the figures of the text are parsed only if they are needed
        missing = len(asked - frozenset().union(*text.figures))
        missing_near = len(asked - frozenset().union(*text.figures[pair.near]))
    names: list[str] = []
    for found in _NAME.finditer(claim.text):
        names += map(word_root, tokenize(found[1] or found[2]))
    names = [name for name in names if name not in COMMON_WORDS]
    everywhere = frozenset(text.words)
    capitals: set[str] = set()
    for word in _CAPITAL.findall(claim.text):
        capitals.update(map(word_root, tokenize(word)))
    return {
        "figures": missing,
        "figures3": missing_near,
        "hasfigure": bool(asked),
        "names": sum(name not in everywhere for name in names),
        "names3": sum(name not in pair.words_near for name in names),
        "capitals": len(capitals & set(claim.weights)) / len(claim.weights),
    }


def _measure_manner(pair: ClaimTextPair, text: str) -> dict[str, float]:
    """Measure length, rarity, hedging and style of claim and text."""
    claim, parsed = pair.claim, pair.text
    rare = [rarity(word) for word in claim.named if not word[0].isdigit()] or [1.0]
    asked, there = set(claim.order), parsed.sets[pair.best]
    first_letter = next((sign for sign in parsed.sentences[0] if sign.isalpha()), "")
    count = max(1, len(claim.tokens))
    speaking = len(_SPEAKER.findall(claim.text))
    return {
        "long": math.log(len(claim.named)),
        "textlong": math.log1p(len(parsed.words)),
        "avgrare": sum(rare) / len(rare),
        "maxrare": max(rare),
        "longwords": sum(len(word) >= 9 for word in claim.named) / len(claim.named),
        "startlow": first_letter.islower(),
        "breaks": math.log1p(len(re.findall(r"\n\s*\n", text))),
        "hedges": sum(word in _HEDGES for word in claim.tokens),
        "speaker": speaking > 0,
        "speaking": speaking / count,
        "asks": "?" in claim.text,
        "calls": "!" in claim.text,
        "common": sum(word in COMMON_WORDS for word in claim.tokens) / count,
        "ratio": math.log((len(claim.tokens) + 1) / (len(parsed.words) + 1)),
        "aside": bool(_ASIDE.search(claim.text)),
        "turned": has_negation(claim.tokens) != has_negation(parsed.roots[pair.best]),
        "prec1": len(asked & there) / max(1, len(there - COMMON_WORDS)),
        "jac1": len(asked & there) / max(1, len((asked | there) - COMMON_WORDS)),
    }
