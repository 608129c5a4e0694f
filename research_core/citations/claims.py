"""Find the sentences of a text that bear on a claim, and how much of the claim they cover.

Coverage is no stance: a sentence that denies the claim covers it as well as one that states it.
Words are compared by their stems; other words or another language are not seen. No model is asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from research_core.text.references import remove_references
from research_core.text.sentences import find_sentences
from research_core.text.words import STOPWORDS, find_numbers, stem, tokenize

Coverage = Literal["addressed", "partially_addressed", "not_addressed", "source_unavailable"]

#: The claim is addressed if this share of its terms is within so many consecutive sentences. A
#: short text, such as an abstract, counts as one run.
ADDRESSED_SHARE, WINDOW_SENTENCES, FEW_WORDS = 0.6, 4, 10
#: The claim is partially addressed from so many shared terms, or from this share of its terms. A
#: single word of a long claim is chance.
MIN_SHARED_TERMS, MIN_SENTENCE_SHARE = 2, 0.3
#: A shorter sentence says nothing by itself.
MIN_SENTENCE_CHARS = 12
MAX_KEY_SENTENCES = 5
_YEAR = re.compile(r"(?:19|20)\d\d")
#: Bonus, in terms, for a cue of stance and for a figure of the claim in a sentence.
STANCE_WORTH = FIGURE_WORTH = 1.5
MAX_CLAIM_CHARS = 2_000

#: Words that name no subject, besides the specification's stopwords.
EMPTY_WORDS = STOPWORDS | frozenset(
    """
        this that these those there here which when whose from into than then also been being have
        has had was were will would can could may might should must not its their his her our your
        they them some such very more most much many any all each other
    """.split()
)
#: Cues of a denial, and of stated evidence; both make a sentence worth reading.
_DENIAL = re.compile(
    r"\b(?:no|not|without)\s+(?:\w+\s+){0,2}?(?:significant|evidence|association|difference"
    r"|effect|link|associated|supported|true)"
    r"|\b(?:contrary|contradict\w*|disput\w*|refut\w*|disprov\w*|reject\w*|debunk\w*|hoax"
    r"|unfounded|baseless|discredited|misinformation"
    r"|fabricated|untrue|falsely)\b|\bfailed to\b|\b(?:did|does|do) not\b|\black(?:s|ed|ing)? (?:of"
    r" )?evidence\b",
    re.IGNORECASE,
)
_CONTRAST = re.compile(
    r"\b(?:however|although|whereas|in contrast|nevertheless|conversely|unlike|rather"
    r" than|supports?|consistent with|confirm\w*"
    r"|demonstrat\w*|(?:found|show\w*) that|conclud\w*|95\s?% CI|odds ratio|relative"
    r" risk|meta-analysis|randomi[sz]ed|RCT"
    r"|compared (?:with|to))\b|\bp\s?[=<>]\s?0?\.\d",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class ClaimEvidence:
    """The sentences that bear on a claim.

    signal: the best sentence, "" if there is none; sentences: the best ones in the order of the
    text; contrast: one of them has a cue of denial, which is a reason to read it and no verdict.
    """

    coverage: Coverage
    signal: str = ""
    sentences: tuple[str, ...] = ()
    contrast: bool = False


def find_claim_evidence(claim: str, text: str) -> ClaimEvidence:
    """Return what a text, without its list of references, holds of a claim."""
    if not text.strip():
        return ClaimEvidence("source_unavailable")
    asked = extract_terms(claim[:MAX_CLAIM_CHARS])
    figures = set(find_numbers(claim))
    sentences = _split_sentences(remove_references(text))
    shared = [asked & extract_terms(sentence) for sentence in sentences]
    scores: dict[str, float] = {}
    for sentence, found in zip(sentences, shared, strict=True):
        if found:
            scores[sentence] = _score_sentence(sentence, len(found), figures)
    # The sort is stable: of equal sentences the first in the text comes first.
    ranked = sorted(scores, key=lambda sentence: -scores[sentence])[:MAX_KEY_SENTENCES]
    best = tuple(sentence for sentence in scores if sentence in ranked)
    contrast = any(_DENIAL.search(sentence) for sentence in best)
    coverage = _measure_coverage(asked, shared)
    # A single word of the claim in a denial is worth reading all the same.
    if coverage == "not_addressed" and not contrast:
        return ClaimEvidence(coverage)
    if coverage == "addressed":
        needed = {figure for figure in figures if not _YEAR.fullmatch(figure)}
        if not needed <= set(find_numbers(text)):
            coverage = "partially_addressed"
    else:
        coverage = "partially_addressed"
    return ClaimEvidence(coverage, ranked[0] if ranked else "", best, contrast)


def extract_terms(text: str) -> frozenset[str]:
    """Return the stems of the words that carry the subject; figures of any length count."""
    return frozenset(
        stem(word)
        for word in tokenize(text)
        if word not in EMPTY_WORDS and (len(word) > 2 or word[0].isdigit() or not word.isascii())
    )


def _split_sentences(text: str) -> list[str]:
    """Split a text into sentences, in order, without headings and fragments."""
    found = (text[start:end] for start, end in find_sentences(text) if not _is_heading(text, start))
    return [" ".join(each.split()) for each in found if len(each) >= MIN_SENTENCE_CHARS]


def _is_heading(text: str, start: int) -> bool:
    line = text[text.rfind("\n", 0, start) + 1 : start]
    return line.lstrip().startswith("#")


def _score_sentence(sentence: str, count: int, figures: set[str]) -> float:
    """Score a sentence by its count of shared terms, cues of stance and figures."""
    stance = bool(_DENIAL.search(sentence) or _CONTRAST.search(sentence))
    return (
        count + STANCE_WORTH * stance + FIGURE_WORTH * bool(figures & set(find_numbers(sentence)))
    )


def _measure_coverage(asked: frozenset[str], held: Sequence[frozenset[str]]) -> Coverage:
    """Rate how much of the claim's terms the sentences hold."""
    if not asked:
        return "partially_addressed"
    width = len(held) if len(held) <= FEW_WORDS else WINDOW_SENTENCES
    most = 0
    for start in range(max(1, len(held) - width + 1)):
        terms = frozenset[str]().union(*held[start : start + width])
        most = max(most, len(terms))
    if most >= ADDRESSED_SHARE * len(asked):
        return "addressed"
    anywhere = len(frozenset[str]().union(*held))
    if anywhere >= MIN_SHARED_TERMS or anywhere >= MIN_SENTENCE_SHARE * len(asked):
        return "partially_addressed"
    return "not_addressed"
