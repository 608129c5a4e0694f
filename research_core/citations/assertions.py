"""Decide by its words whether a sentence states a fact that a reader would want a source for."""

from __future__ import annotations

import re

from research_core.text.quote_labels import is_label

FACT_TOKEN = re.compile(r"\d|(?<=[a-z,;:)] )[A-Z][a-z]|\b[A-Z]{2,}\b")
#: Fewer words of three letters and more are no statement: "It depends."
MIN_WORDS = 4
_VERB = re.compile(
    r"\b(?:(?:is|are|was|were|has|have|had|does|do|did|ca|can|could|will|would|may"
    r"|might)(?:n['’]t)?|cannot|won['’]t"
    r"|led|grew|fell|rose|made|gave|took|began|became|kept|meant|found|caught|told|said|went"
    r"|came|saw|built|won|lost)\b"
    r"|\b(?:act|affect|allow|becom|begin|carr|caus|combin|contain|cost|declin|decreas|depend"
    r"|differ|dominat|driv|elevat|enabl|exceed"
    r"|exist|fall|giv|grow|help|improv|includ|increas|indicat|influenc|keep|lead|lower|mak|mean"
    r"|need|occur|offer|prevent|produc|protect"
    r"|provid|rais|reduc|remain|requir|ris|serv|show|spread|suggest|support|tak|us|work)(?:s|es"
    r"|ies|ied|ed|d|y|e)?\b",
    re.IGNORECASE,
)
_SELF_REFERENCE = re.compile(
    r"\b(?:sentences?|citations?|passages?|footnotes?|this (?:method|report|comparison))\b"
    r"|^\W*(?:(?:no|most|many|all|some|several|few|two) sources?|sources|here|below|above|note"
    r" that|see|for (?:more|details)"
    r"|(?:this|the|these|our)\s+(?:\w+\s+)?(?:report|section|table|answer|overview|summary"
    r"|review|analysis|document|sources?|evidence"
    r"|findings|following))\b",
    re.IGNORECASE,
)
_ADVICE = re.compile(
    r"\b(?:should|must|please|we|I)\b|\brecommend|^\W*(?i:add|ask|avoid|check|choose|compare"
    r"|consider|ensure|flag|include|keep|list|look"
    r"|read|start|treat|try|use)\b"
)
#: "No source names “…”." is about the sources themselves.
_NAMES_MISSING = re.compile(r"\W*No source names (?:“[^”]+”(?:, | or )?)+\W*")


def names_fact(text: str) -> bool:
    """Return True if a sentence holds a number, a date or, after its first word, a name."""
    return bool(FACT_TOKEN.search(text))


def is_assertion(text: str) -> bool:
    """Return True if a sentence states how something is."""
    said = text.strip()
    if said.endswith((":", "?")) or is_label(said) or _NAMES_MISSING.fullmatch(said):
        return False
    if names_fact(said):
        return True
    words = re.findall(r"[^\W\d_]{3,}", said)
    return (
        len(words) >= MIN_WORDS
        and bool(_VERB.search(said))
        and not _SELF_REFERENCE.search(said)
        and not _ADVICE.search(said)
    )
