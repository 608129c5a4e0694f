"""Find where one text denies or doubts what another states.

A "not" and words that call a statement untrue cancel each other out. Hedges ("may", "in mice")
change no state; the note of a supported sentence names them. Opposite words are in `text.antonyms`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

#: Fewer than `antonyms.NEGATIONS`, because the fitted weights of support count these alone.
_NEGATIONS = frozenset("not no never none neither nor cannot without".split())
#: Words that call a statement untrue: "a myth that …", "falsely claims that …", "that … is false".
_UNTRUE = re.compile(
    r"\b(?:myths?|misconceptions?|misbeliefs?|fallac(?:y|ies)|hoax(?:es)?|untrue|debunk\w*"
    r"|disprove[ds]?|refute[ds]?)\b(?:\W+\w+){0,3}?\W+that\b"
    r"|\b(?:false|wrong|incorrect|mistaken)(?:ly)?\s+(?:(?:belie|claim|idea|notion|assum|view"
    r"|impression|think|thought|sa[iy]|suggest)\w*\s+)?that\b"
    r"|\bden(?:y|ies|ied|ying)\s+(?:(?:reports?|claims?|rumou?rs?|allegations?)\s+)?that\b"
    r"|(?:\b(?:is|are|was|were)|\()\s*an?\s+(?:myth|hoax|fallacy|misconception)\b"
    r"|\bthat\b[^.;]{1,200}\b(?:is|was)\s+(?:false|untrue|wrong|incorrect|mistaken)\b",
    re.IGNORECASE,
)
#: Words for uncertainty, or for results in animals alone. "May" is also a month, and "can" too
#: common.
_UNSURE = re.compile(
    r"\b(?:may|might|could|possibly|perhaps|reportedly|allegedly|supposedly|unconfirmed|rumou?red"
    r"|in (?:mice|rats|animals?|monkeys|vitro|animal (?:studies|models))|suggests?|suspected)\b"
)
#: Words with which the sentence is cautious itself.
_ALREADY_UNSURE = re.compile(
    r"\b(?:may|might|could|can|possibl[ey]|perhaps|likely|reported(?:ly)?|alleged(?:ly)?|suppos\w+"
    r"|unconfirmed|rumou?r\w*|unclear|not|would|should|mice|rats?|animals?|monkeys|vitro"
    r"|suggest\w*|suspect\w*|potential\w*|risk\w*|believe\w*|think\w*|said|says?|if|often"
    r"|sometimes|estimated?|about|around|generally|typically|usually|tend\w*|seem\w*|appear\w*)\b",
    re.IGNORECASE,
)

_RISK = re.compile(r"\brisks?\b", re.IGNORECASE)


def text_denies(text: str, words: Sequence[str]) -> bool:
    """Return whether a text says "not" or calls something untrue; both cancel out.

    `words` are its tokens.
    """
    return has_negation(words) != bool(_UNTRUE.search(text))


def has_negation(words: Sequence[str]) -> bool:
    """Return whether one of these words is a "not"."""
    return any(word in _NEGATIONS or word.endswith("n't") for word in words)


def find_hedge_of_risk(sentence: str, other: str) -> str:
    """Return the word that makes the other sentence less sure of a risk that both name, or "".

    "May lower the risk" against "lowers the risk": here "risk" is no caution of the sentence.
    """
    if not _RISK.search(sentence) or not _RISK.search(other):
        return ""
    return find_hedge(_RISK.sub(" ", sentence), other)


def find_hedge(sentence: str, other: str) -> str:
    """Return the word that makes the other sentence less sure than this one, or ""."""
    found = _UNSURE.search(other)
    return found[0] if found and not _ALREADY_UNSURE.search(sentence) else ""
