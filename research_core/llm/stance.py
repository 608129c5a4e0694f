"""Whether a text speaks for or against a claim: who denies, which way words pull beside the words that both hold, figures that differ.

It compares words and does not infer. Most texts that refute a claim do so in ways that words alone do not show, so that a lean below 0
is a reason to read the source, and no verdict: `benchmarks/stance.py` says how often it is right. No model is asked.
"""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from research_core.llm.opposites import DENIES, NO_DENIAL, NOT, POLES, UNDONE
from research_core.llm.similarity import ASIDE, rarity, root
from research_core.text import numbers, sentences, tokens, truncate

SHIPPED = Path(__file__).parent / "stance.json"
#: Characters of a claim and of a text that are read.
LONGEST = 6_000
#: Words on either side of a word of a scale that it is taken to speak of, and before it in which a "not" turns it round.
BESIDE, TURNED = 6, 3
#: So many words must be common to both before a denial is taken to be of the claim.
COMMON = 2
MOST_REASONS = 3

#: What is measured of a claim and a text, each 0.0 where they share no word, and whether it speaks for (1) or against (-1) the claim.
FEATURES: Mapping[str, int] = {
    "shared": 1,  # log of 1 + the weight of the words both hold
    "one denies": -1,
    "both deny": 1,
    "same way": 1,  # on some scale, beside a shared word, both are at the same end
    "opposite ways": -1,
    "other figure": -1,  # both measure in one unit and no figure is the same
}

_NULL = re.compile(
    r"\b(?:no|not|little|without|lack of|absence of|insufficient|inconclusive|limited)\b(?:\W+\w+){0,3}?\W+(?:evidence|associat\w+"
    r"|correlat\w+|relat\w+|link\w*|differ\w+|effect\w*|impact\w*|significan\w+|benefi\w+|support\w*|connection|influence\w*|prove\w*"
    r"|proof|confirm\w*|data|reason|trend|change|sign|indicat\w+|show\w*|found|known|likely|clear)"
    r"|\bunlikely\b|\bfail(?:s|ed|ure)? to\b|\bunrelated\b|\bindependent of\b",
    re.IGNORECASE,
)
_PAUSE = re.compile(r"[,;:()\[\]—–.!?\"“”]+")
_BESIDES = frozenset(
    "if unless who whom whose which although though while whereas because since when where until before after despite".split()
)
_TURNS = _BESIDES | {"but", "however", "yet"}
_FAILS = frozenset("fail fails failed unable".split())
_MEASURE = re.compile(r"(?<![\w.,])(\d[\d.,]*)[\s-]?(%|°\s?[CFcf]\b|[^\W\d_]{2,})")
_UNIT = {"percent": "%", "per": "%"}


@dataclass(frozen=True)
class Stance:
    """lean: -1.0 (the text speaks against the claim) to 1.0 (for it), 0.0 where they share no word. because: what speaks against it."""

    lean: float
    because: tuple[str, ...] = ()


def stance(claim: str, text: str) -> Stance:
    """Where a sentence or a passage stands to a claim. Never raises; what is beyond `LONGEST` characters is not read."""
    found, because = compared(claim, text)
    return Stance(lean(found, shipped()["both"]) if found["shared"] else 0.0, because)


def lean(found: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """-1.0 to 1.0 of the features, by the weight of each and the one named "bias"; 0.0 where no word is shared."""
    return math.tanh((weights["bias"] + sum(weights[name] * found[name] for name in FEATURES)) / 2) if found["shared"] else 0.0


@lru_cache(maxsize=1)
def shipped() -> Mapping[str, Mapping[str, float]]:
    """Weights by what they were fitted on: each set of judgements alone, for measuring on the other, and "both", which are used."""
    found: Mapping[str, Mapping[str, float]] = json.loads(SHIPPED.read_text(encoding="utf-8"))
    return found


def compared(claim: str, text: str) -> tuple[dict[str, float], tuple[str, ...]]:
    """The features by name, and in words those that speak against the claim."""
    said, held = _read(truncate(claim, LONGEST)), _read(truncate(text, LONGEST))
    shared = said.words.keys() & held.words.keys()
    found = dict.fromkeys(FEATURES, 0.0)
    if not shared:
        return found, ()
    found["shared"] = math.log1p(sum(said.words[word] for word in shared))
    because: list[str] = []
    if len(shared) >= COMMON:
        denial, other = said.denial(shared), held.denial(shared)
        found["both deny"] = float(bool(denial and other))
        found["one denies"] = float(bool(denial) != bool(other))
        if found["one denies"]:
            because.append(f"“{denial or other}” in the {'claim' if denial else 'source'} only")
    ways = list(_ways(said, held, shared))
    found["same way"] = float(any(way > 0 for way, _ in ways))
    found["opposite ways"] = float(any(way < 0 for way, _ in ways))
    because += [words for way, words in ways if way < 0]
    figures = list(_other_figures(said, held)) if len(shared) >= COMMON else []
    found["other figure"] = float(bool(figures))
    return found, tuple((because + figures)[:MOST_REASONS])


# ---------------------------------------------------------------- one side


@dataclass(frozen=True)
class _Pole:
    scale: int
    end: int
    word: str
    beside: frozenset[str]


@dataclass(frozen=True)
class _Side:
    """A claim or a text. words: root to weight; denials: (words, cue) of sentences that deny; figures: unit to figures, as written."""

    words: Mapping[str, float]
    denials: tuple[tuple[frozenset[str], str], ...]
    poles: tuple[_Pole, ...]
    figures: Mapping[str, Mapping[str, str]]

    def denial(self, shared: frozenset[str] | set[str]) -> str:
        """The cue of the first sentence that denies and holds a shared word; "" where none does."""
        return next((cue for words, cue in self.denials if not words.isdisjoint(shared)), "")


@lru_cache(maxsize=1_024)
def _read(text: str) -> _Side:
    words: dict[str, float] = {}
    denials: list[tuple[frozenset[str], str]] = []
    poles: list[_Pole] = []
    for start, end in sentences(text):
        sentence = text[start:end].replace("-", " ")
        said = tokens(sentence)
        roots = [root(word) for word in said]
        named = [one if word not in ASIDE and len(word) > 1 else "" for word, one in zip(said, roots, strict=True)]
        words |= {one: rarity(word) for word, one in zip(said, named, strict=True) if one}
        if cue := _denial(sentence):
            denials.append((frozenset(named) - {""}, cue))
        poles += _poles(said, roots, named)
    return _Side(words, tuple(denials), tuple(poles), _figures(text))


def _denial(sentence: str) -> str:
    """The words by which a sentence denies, "" where it does not. Beside clauses ("if you are not ill") deny nothing."""
    if null := _NULL.search(sentence):
        return " ".join(null[0].split())
    return next((cue for clause in _clauses(sentence) if clause[0] not in _BESIDES and (cue := _denied(clause))), "")


def _clauses(sentence: str) -> Iterator[list[str]]:
    for part in _PAUSE.split(sentence):
        clause: list[str] = []
        for word in tokens(part):
            if word in _TURNS and clause:
                yield clause
                clause = []
            clause.append(word)
        if clause:
            yield clause


def _denied(clause: Sequence[str]) -> str:
    for n, (word, after) in enumerate(zip(clause, (*clause[1:], ""), strict=True)):
        if _is_not(word):
            if (word, after) not in NO_DENIAL and not any(root(one) in UNDONE for one in clause[n + 1 : n + 4]):
                return word
        elif root(word) in DENIES:
            return word
        elif word in _FAILS and after == "to":
            return f"{word} to"
    return ""


def _is_not(word: str) -> bool:
    return word in NOT or word.endswith("n't")


def _poles(said: Sequence[str], roots: Sequence[str], named: Sequence[str]) -> Iterator[_Pole]:
    for n, one in enumerate(roots):
        for scale, end in POLES.get(one, ()):
            turned = any(_is_not(word) or word == "without" for word in said[max(0, n - TURNED) : n])
            beside = frozenset((*named[max(0, n - BESIDE) : n], *named[n + 1 : n + 1 + BESIDE])) - {""}
            yield _Pole(scale, -end if turned else end, said[n], beside)


def _figures(text: str) -> Mapping[str, Mapping[str, str]]:
    """Figures by the root of their unit, in one spelling, with the words they were written in."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for match in _MEASURE.finditer(text):
        unit = "".join(match[2].lower().split())
        for figure in () if unit in ASIDE and unit != "per" else numbers(match[1])[:1]:
            found[_UNIT.get(unit) or (root(unit) if unit.isalpha() else unit)][figure] = " ".join(match[0].split())
    return found


# ---------------------------------------------------------------- both sides


def _ways(said: _Side, held: _Side, shared: frozenset[str] | set[str]) -> Iterator[tuple[float, str]]:
    """For each scale: above 0 where beside shared words both are mostly at the same end, below 0 at opposite ones; and the words."""
    ours, theirs = _beside(said, shared), _beside(held, shared)
    for scale in sorted(ours.keys() & theirs.keys()):
        pairs = [(one, other) for one in ours[scale] for other in theirs[scale] if not one.beside.isdisjoint(other.beside & shared)]
        if way := sum(one.end * other.end for one, other in pairs):
            against = next((f"“{one.word}” against “{other.word}”" for one, other in pairs if one.end != other.end), "")
            yield float(way), against


def _beside(side: _Side, shared: frozenset[str] | set[str]) -> Mapping[int, list[_Pole]]:
    found: dict[int, list[_Pole]] = defaultdict(list)
    for pole in side.poles:
        if not pole.beside.isdisjoint(shared):
            found[pole.scale].append(pole)
    return found


def _other_figures(said: _Side, held: _Side) -> Iterator[str]:
    for unit in said.figures.keys() & held.figures.keys():
        ours, theirs = said.figures[unit], held.figures[unit]
        if ours.keys().isdisjoint(theirs):
            yield f"“{next(iter(ours.values()))}” against “{next(iter(theirs.values()))}”"
