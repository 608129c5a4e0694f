"""Assess whether a text speaks for or against a claim.

Compares denials, and opposite words near words that both hold; it infers nothing and uses no model.
Most texts that refute a claim do so in ways that words alone do not show. A lean below 0 is
therefore a reason to read the source and no verdict; `benchmarks/stance.py` measures how often it
is right. Figures are not compared.

The weights of the features are in `stance.json`, written by `benchmarks/calibrate_stance.py` from
the shared halves of Climate-FEVER and HealthVer: a logistic regression in which both labels count
alike and each weight is held to the side of its feature.
"""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, product
from pathlib import Path

from research_core.text.antonyms import (
    DENIAL_ROOTS,
    NEGATIONS,
    NON_DENIALS,
    REVERSED_BY_NOT,
    SCALE_POSITIONS,
)
from research_core.text.sentences import find_sentences
from research_core.text.similarity import FILLER_WORDS, rarity, word_root
from research_core.text.words import tokenize, truncate

WEIGHTS_FILE = Path(__file__).parent / "stance.json"
#: Characters of a claim and of a text that are read.
MAX_CHARACTERS = 6_000
#: Words on either side that a scale word refers to, and before it in which "not" inverts it.
NEIGHBOUR_WORDS, NEGATION_WORDS = 6, 3
#: A denying sentence refers to the claim if it holds this many shared words.
MIN_COMMON_WORDS = 2
MAX_REASONS = 3
#: The weighted share of the claim's words from which a contradiction is worth a warning.
WARNING_SHARE = 0.6

#: The features, each 0.0 if no word is shared, and whether they speak for (1) or against (-1) the
#: claim.
FEATURES: Mapping[str, int] = {
    "shared": 1,  # log of 1 + the weight of the words both hold
    "one denies": -1,
    "both deny": 1,
    "opposite ways": -1,  # the share held, if they are mostly at opposite ends of a scale
}

_NULL_RESULT = re.compile(
    r"\b(?:no|not|little|without|lack of|absence of|insufficient|inconclusive|limited)\b"
    r"(?:\W+\w+){0,3}?\W+"
    r"(?:evidence|associat\w+|correlat\w+|relat\w+|link\w*|differ\w+|effect\w*|impact\w*"
    r"|significan\w+|benefi\w+|support\w*|connection|influence\w*|prove\w*|proof|confirm\w*|data"
    r"|reason|trend|change|sign|indicat\w+|show\w*|found|known|likely|clear)"
    r"|\bunlikely\b|\bfail(?:s|ed|ure)? to\b|\bunrelated\b|\bindependent of\b",
    re.IGNORECASE,
)
_PUNCTUATION = re.compile(r"[,;:()\[\]—–.!?\"“”]+")
_SIDE_CLAUSE_WORDS = frozenset(
    "if unless who whom whose which although though while whereas because since when where until"
    " before after despite".split()
)
_CLAUSE_WORDS = _SIDE_CLAUSE_WORDS | {"but", "however", "yet"}
_FAIL_WORDS = frozenset("fail fails failed unable".split())
#: Before these, "that" begins a relative clause ("a loss that is not made good") and no statement
#: ("shows that it was not").
_AUXILIARIES = frozenset(
    "is are was were has have had do does did can could may might will would should must".split()
)


@dataclass(frozen=True)
class Stance:
    """The stance of a text on a claim.

    `lean`: -1.0 (against) to 1.0 (for), 0.0 if they share no word; for ranking, no probability.
    `because`: what speaks against the claim, in words. `held`: the weighted share of the claim's
    words that the text holds, 0.0 to 1.0.
    """

    lean: float
    because: tuple[str, ...] = ()
    held: float = 0.0

    @property
    def warning(self) -> str:
        """Return a reason to read the source, or "".

        Given if something speaks against a claim whose words the text mostly holds.
        """
        if not self.because or self.held < WARNING_SHARE:
            return ""
        return f"The source may say the opposite: {self.because[0]}."


def assess_stance(claim: str, text: str) -> Stance:
    """Return the stance of a sentence or passage on a claim. Never raises.

    What is beyond `MAX_CHARACTERS` is not read.
    """
    features, because, held = compare_claim(claim, text)
    return Stance(compute_lean(features, load_weights()["both"]), because, held)


def compute_lean(features: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """Return the lean, -1.0 to 1.0, of weighted features; 0.0 if no word is shared.

    `weights` has one for each feature and one named "bias".
    """
    if not features["shared"]:
        return 0.0
    total = weights["bias"] + sum(weights[name] * features[name] for name in FEATURES)
    # Rounded, because the last bit of a hyperbolic tangent differs from processor to processor.
    return round(math.tanh(total / 2), 9)


@lru_cache(maxsize=1)
def load_weights() -> Mapping[str, Mapping[str, float]]:
    """Return the weights by the judgements they were fitted on.

    Each set alone serves to measure on the other; "both" is used.
    """
    weights: Mapping[str, Mapping[str, float]]
    weights = json.loads(WEIGHTS_FILE.read_text(encoding="utf-8"))
    return weights


def compare_claim(claim: str, text: str) -> tuple[dict[str, float], tuple[str, ...], float]:
    """Return (features by name, reasons against the claim, share of its words held)."""
    ours = _read_side(truncate(claim, MAX_CHARACTERS))
    theirs = _read_side(truncate(text, MAX_CHARACTERS))
    shared = ours.words.keys() & theirs.words.keys()
    features = dict.fromkeys(FEATURES, 0.0)
    if not shared:
        return features, (), 0.0
    weight = sum(ours.words[word] for word in sorted(shared))
    share = weight / sum(ours.words.values())
    features["shared"] = math.log1p(weight)
    reasons: list[str] = []
    claim_cue = ours.find_cue(shared)
    text_cue = theirs.find_cue(shared)
    if claim_cue and text_cue:
        features["both deny"] = 1.0
    elif claim_cue:
        features["one denies"] = 1.0
        reasons.append(f"“{claim_cue}” in the claim only")
    elif text_cue:
        features["one denies"] = 1.0
        reasons.append(f"“{text_cue}” in the source only")
    opposites = list(_find_opposites(ours, theirs, shared))
    if opposites:
        features["opposite ways"] = share
        reasons += opposites
    return features, tuple(reasons[:MAX_REASONS]), share


# ---------------------------------------------------------------- one side


@dataclass(frozen=True)
class _ScaleWord:
    """A word that stands on a scale.

    `end` is 1 or -1, inverted by a "not"; `text` is the word as written; `beside` holds the roots
    it is taken to refer to.
    """

    scale: int
    end: int
    text: str
    beside: frozenset[str]


@dataclass(frozen=True)
class _Side:
    """A claim or a text.

    `words` maps roots to weights; `denials` holds (words, cue) of each denying sentence.
    """

    words: Mapping[str, float]
    denials: tuple[tuple[frozenset[str], str], ...]
    scale_words: tuple[_ScaleWord, ...]

    def find_cue(self, shared: Set[str]) -> str:
        """Return the cue of the first denying sentence that holds shared words, or ""."""
        for words, cue in self.denials:
            if len(words & shared) >= MIN_COMMON_WORDS:
                return cue
        return ""


@lru_cache(maxsize=1_024)
def _read_side(text: str) -> _Side:
    """Return the words, denials and scale words of a claim or text."""
    words: dict[str, float] = {}
    denials: list[tuple[frozenset[str], str]] = []
    scale_words: list[_ScaleWord] = []
    for start, end in find_sentences(text):
        sentence = text[start:end].replace("-", " ")
        tokens = tokenize(sentence)
        roots = [word_root(word) for word in tokens]
        named: list[str] = []  # the roots, "" for filler words
        for word, root in zip(tokens, roots, strict=True):
            if word in FILLER_WORDS or len(word) < 2:
                named.append("")
                continue
            named.append(root)
            words[root] = rarity(word)
        cue = find_denial(sentence)
        if cue:
            denials.append((frozenset(named) - {""}, cue))
        scale_words += _find_scale_words(tokens, roots, named)
    return _Side(words, tuple(denials), tuple(scale_words))


def find_denial(sentence: str) -> str:
    """Return the words by which a sentence denies, or "".

    Subordinate clauses ("if you are not ill") deny nothing.
    """
    null_result = _NULL_RESULT.search(sentence)
    if null_result:
        return " ".join(null_result[0].split())
    for clause in _split_clauses(sentence):
        if clause[0] in _SIDE_CLAUSE_WORDS:
            continue
        cue = _find_cue(clause)
        if cue:
            return cue
    return ""


def _split_clauses(sentence: str) -> Iterator[list[str]]:
    """Yield the words of each clause."""
    for part in _PUNCTUATION.split(sentence):
        clause: list[str] = []
        for word, after in pairwise((*tokenize(part), "")):
            if word == "that" and after in _AUXILIARIES:
                word = "which"  # a relative clause
            if word in _CLAUSE_WORDS and clause:
                yield clause
                clause = []
            clause.append(word)
        if clause:
            yield clause


def _find_cue(clause: Sequence[str]) -> str:
    """Return the word by which a clause denies, or ""."""
    for n, (word, after) in enumerate(zip(clause, (*clause[1:], ""), strict=True)):
        if _is_negation(word):
            if (word, after) in NON_DENIALS:
                continue
            if not any(word_root(one) in REVERSED_BY_NOT for one in clause[n + 1 : n + 4]):
                return word
        elif word_root(word) in DENIAL_ROOTS:
            return word
        elif word in _FAIL_WORDS and after == "to":
            return f"{word} to"
    return ""


def _is_negation(word: str) -> bool:
    """Return whether a word is a "not"."""
    return word in NEGATIONS or word.endswith("n't")


def _find_scale_words(
    tokens: Sequence[str], roots: Sequence[str], named: Sequence[str]
) -> Iterator[_ScaleWord]:
    """Yield the words that stand on scales, with the words around them.

    `roots` are those of the tokens, `named` the same with "" for filler words.
    """
    for n, root in enumerate(roots):
        positions = SCALE_POSITIONS.get(root, ())
        if not positions:
            continue
        negation = _find_negation(tokens[max(0, n - NEGATION_WORDS) : n])
        written = f"{negation} {tokens[n]}" if negation else tokens[n]
        around = {*named[max(0, n - NEIGHBOUR_WORDS) : n], *named[n + 1 : n + 1 + NEIGHBOUR_WORDS]}
        beside = frozenset(around) - {""}
        for scale, end in positions:
            yield _ScaleWord(scale, -end if negation else end, written, beside)


def _find_negation(words: Sequence[str]) -> str:
    """Return the first word that negates what follows, or ""."""
    for word in words:
        if _is_negation(word) or word == "without":
            return word
    return ""


# ---------------------------------------------------------------- both sides


def _find_opposites(claim: _Side, text: _Side, shared: Set[str]) -> Iterator[str]:
    """Yield a pair of opposite words for each scale on which the sides pull apart.

    Only scale words near the same shared word count, and most pairs must be opposite.
    """
    ours, theirs = _group_by_scale(claim, shared), _group_by_scale(text, shared)
    for scale in sorted(ours.keys() & theirs.keys()):
        balance = 0
        first_opposite = ""
        for one, other in product(ours[scale], theirs[scale]):
            if one.beside.isdisjoint(other.beside & shared):
                continue
            balance += one.end * other.end
            if one.end != other.end and not first_opposite:
                first_opposite = f"“{one.text}” against “{other.text}”"
        if balance < 0:
            yield first_opposite


def _group_by_scale(side: _Side, shared: Set[str]) -> Mapping[int, list[_ScaleWord]]:
    """Group the scale words that stand near shared words by scale."""
    found: dict[int, list[_ScaleWord]] = defaultdict(list)
    for word in side.scale_words:
        if not word.beside.isdisjoint(shared):
            found[word.scale].append(word)
    return found
