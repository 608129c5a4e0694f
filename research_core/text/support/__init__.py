"""Check by words, numbers and quotations whether passages support a sentence.

This is the first check of a citation. It compares words and infers nothing: a paraphrase is rated
"partly" or "not found". A sentence that reverses the meaning with the same words passes, unless a
"not", a word of the tables or the order of names and figures reveals it. Lists of references support
nothing.

Each kind of evidence has a module: words (`features`, `places`), `figures`, `dates`, `quotations`,
`negation` and the `order` of names. `weights` holds the numbers by which they are weighed. Here
they are combined to a likelihood, to a state, and to the note that explains it. What is supported
by these is then compared in meaning, as far as tables of words show it: `denials`, `scope`,
`kinds_of` and the roles of `order`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

from research_core.i18n import N_, _, gettext, join_list, list_translations
from research_core.models import SentenceState
from research_core.text.references import is_reference, remove_references
from research_core.text.similarity import content_tokens
from research_core.text.support.dates import (
    find_missing_dates,
    remove_dates,
    separate_date_parts,
)
from research_core.text.support.denials import (
    find_answered_no,
    find_denying_verb,
    find_rejected,
)
from research_core.text.support.features import measure_support, remove_marks
from research_core.text.support.figures import (
    find_missing_figures,
    find_missing_fractions,
    find_reversed_figures,
    remove_fractions,
)
from research_core.text.support.kinds_of import find_unnamed_kind, name_kind
from research_core.text.support.negation import find_hedge, find_hedge_of_risk
from research_core.text.support.order import find_swapped, find_swapped_roles
from research_core.text.support.places import NearestPlace, find_nearest_place
from research_core.text.support.quotations import contains_sentences, find_misquoted
from research_core.text.support.scope import (
    find_added_scope,
    find_raised_degree,
    find_wider_claim,
)
from research_core.text.support.weights import (
    LEAST_HELD,
    PARTLY,
    SAME_SHARE,
    SUPPORTED,
    SURE_LIKELIHOOD,
    compute_log_odds,
)
from research_core.text.words import tokenize

MAX_NAMED = 6
#: The note of a sentence that omits the passage's caution, to be translated.
LESS_SURE = N_("The passage is less sure: it says “{words}”.")
#: The note if every word is there, but far apart or in another order, to be translated.
NOT_TOGETHER = N_("The passage has the words, but not together.")


def check_support(
    sentence: str, passages: Sequence[str], *, compare_wording: bool = True
) -> tuple[SentenceState, str]:
    """Return (state, note); the note names what is missing.

    The state is "supported", "partly", "not found" or "could not check". `compare_wording`: whether
    a sentence that its passage denies, exceeds or turns round is "partly"; sessions of older rules
    do without (`pipeline.verify`).
    """
    if not any(passage.strip() for passage in passages):
        return "could not check", _("The cited passage is empty or not stored.")
    if not content_tokens(sentence):
        return "could not check", _("The sentence has no words to compare.")
    texts = [_drop_references(passage) for passage in passages]
    if not any(text.strip() for text in texts):
        return "not found", _("The cited passage is a list of references.")
    state, note = _weigh_evidence(sentence, texts)
    if not compare_wording or any(contains_sentences(sentence, text) for text in texts):
        return state, note
    if state == "not found":
        return state, note
    kind = name_kind(sentence, "\n".join(texts))
    if kind:
        return check_support(kind, passages)
    if state == "partly":
        return state, note
    difference = _describe_wording(sentence, texts) or note
    return ("partly", difference) if difference else (state, note)


def says_the_same(sentence: str, passages: Sequence[str]) -> bool:
    """Return whether the passages surely say what the sentence says.

    The bar is higher than for a citation, because nobody chose the passages for it. Of 788
    sentences with a fact that their source supports (AttributionBench and WiCE, the shared halves)
    30% pass, of 696 that their source does not support 3%; for "supported" by `check_support` it is
    55% and 10%.
    """
    texts = _drop_all_references(passages)
    if not texts or check_support(sentence, texts, compare_wording=False) != ("supported", ""):
        return False
    if find_nearest_place(sentence, texts).share < SAME_SHARE:
        return False
    return _estimate_likelihood(sentence, tuple(texts)) >= SURE_LIKELIHOOD


def estimate_support(sentence: str, texts: Sequence[str]) -> float:
    """Return how likely people would say that the texts together support the sentence.

    The result is 0.0 to 1.0: 1.0 if one text holds the sentence word for word, 0.0 without text. It
    is calibrated on sentences of which about half were supported.
    """
    bare = _drop_all_references(texts)
    if not bare or not sentence.strip():
        return 0.0
    return _estimate_likelihood(sentence, tuple(bare))


def measure_share_held(sentence: str, passages: Sequence[str]) -> float:
    """Return the weighted share of the sentence's words in the best place, 0.0 to 1.0."""
    return find_nearest_place(sentence, [_drop_references(passage) for passage in passages]).share


def lacks_facts(sentence: str, texts: Sequence[str]) -> bool:
    """Return whether the texts lack a date, figure or quotation of the sentence.

    Their lists of references do not count.
    """
    whole = "\n".join(map(_drop_references, texts))
    return bool(find_missing_facts(sentence, whole) or find_misquoted(sentence, whole))


def find_missing_facts(sentence: str, text: str) -> list[str]:
    """Return the dates, fractions and figures of the sentence that the text lacks."""
    missing = find_missing_dates(sentence, text) + find_missing_fractions(sentence, text)
    rest = remove_fractions(remove_dates(sentence))
    if find_missing_figures(rest, text):
        # A year of the sentence may stand in the text within a date: "3.5.2021".
        missing += find_missing_figures(rest, separate_date_parts(text))
    return missing


def _drop_all_references(texts: Sequence[str]) -> list[str]:
    """Return the texts without references; those that were nothing else are left out."""
    bare = map(_drop_references, texts)
    return [text for text in bare if text.strip()]


@lru_cache(maxsize=256)
def _drop_references(text: str) -> str:
    """Return the text without lists of references and lines that are one reference."""
    lines = remove_references(text).split("\n")
    return "\n".join(line for line in lines if not is_reference(line))


# ---------------------------------------------------------------- combine


@lru_cache(maxsize=1024)
def _estimate_likelihood(sentence: str, texts: tuple[str, ...]) -> float:
    """Return the likelihood of support, for texts without references."""
    if any(contains_sentences(sentence, text) for text in texts):
        return 1.0
    odds = compute_log_odds(measure_support(sentence, "\n\n".join(texts)))
    capped = max(-30.0, min(30.0, odds))
    # Rounded, because the last bit of an exponential differs from processor to processor.
    return round(1 / (1 + math.exp(-capped)), 9)


def _weigh_evidence(sentence: str, texts: Sequence[str]) -> tuple[SentenceState, str]:
    """Return the state and note of a sentence against texts without references.

    The first evidence that decides counts: a quotation of several words, the likelihood, missing
    facts, a "not", missing words, and what the text says differently.
    """
    near = find_nearest_place(sentence, texts)
    if any(contains_sentences(sentence, text) for text in texts):
        return "supported", _describe_caution(sentence, near)
    whole = "\n".join(texts)
    quotes, facts = find_misquoted(sentence, whole), find_missing_facts(sentence, whole)
    likelihood = _estimate_likelihood(sentence, tuple(texts))
    if any(len(tokenize(quote)) > 1 for quote in quotes):
        return "not found", _describe_misquoted(quotes[0])
    if likelihood < PARTLY:
        return "not found", _describe_missing(facts + near.missing)
    if quotes:
        return "partly", _describe_misquoted(quotes[0])
    if facts:
        return "partly", _describe_missing(facts)
    if near.negation_differs:
        return "partly", _("Either the sentence or the page says “not”, but not both.")
    if likelihood < SUPPORTED or near.share < LEAST_HELD:
        return "partly", _describe_missing(near.missing)
    contradiction = _describe_contradiction(sentence, whole, near)
    if contradiction:
        return "partly", contradiction
    return "supported", _describe_caution(sentence, near)


# ---------------------------------------------------------------- explain


def _describe_misquoted(quote: str) -> str:
    return _("Not quoted word for word: “{quote}”.").format(quote=quote)


def _describe_missing(words: Sequence[str]) -> str:
    """Return a note that names the missing words."""
    shown = list(dict.fromkeys(words))
    if not shown:
        return gettext(NOT_TOGETHER)
    more = " …" if len(shown) > MAX_NAMED else ""
    return _("Not in the passage: {words}.").format(words=f"{join_list(shown[:MAX_NAMED])}{more}")


def _describe_contradiction(sentence: str, whole: str, near: NearestPlace) -> str:
    """Return what the passage says differently from the sentence, or ""."""
    reversed_figures = find_reversed_figures(sentence, whole)
    if reversed_figures:
        return _("The passage says the opposite: {words}.").format(words=reversed_figures[0])
    if near.opposites:
        return _("Opposite words: {words}.").format(words=near.opposites)
    if near.share >= SAME_SHARE:
        pair = find_swapped(remove_marks(sentence), near.text)
        if pair:
            return _("The passage has these in another order: {words}.").format(words=pair)
    return ""


def _describe_wording(sentence: str, texts: Sequence[str]) -> str:
    """Return what sets the sentence apart from every place that holds its words, or ""."""
    bare = remove_marks(sentence)
    near = find_nearest_place(sentence, texts)
    answer = find_answered_no(bare, texts, near.share)
    if answer:
        return _("The passage asks this and answers “{words}”.").format(words=answer)
    added = find_added_scope(bare, "\n".join(texts)) or find_unnamed_kind(bare, texts)
    if added:
        return _describe_missing([added])
    notes = [_compare_wording(bare, text, near.share) for text in near.texts]
    return notes[0] if notes and all(notes) else ""


def _compare_wording(sentence: str, place: str, share: float) -> str:
    """Return how one place of a passage differs from the sentence in meaning, or ""."""
    verb = find_denying_verb(sentence, place)
    if verb:
        return _("The passage denies this: it says “{words}”.").format(words=verb)
    rejected = find_rejected(sentence, place)
    if rejected:
        return _("The passage rejects this: {words}.").format(words=rejected)
    swapped = find_swapped_roles(sentence, place)
    if swapped:
        return _("The passage swaps the two sides of “{words}”.").format(words=swapped)
    raised = find_raised_degree(sentence, place)
    if raised:
        return raised
    if share < SAME_SHARE:
        return ""
    limit = find_wider_claim(sentence, place)
    if limit:
        return _("The passage limits this: it says “{words}”.").format(words=limit)
    hedge = find_hedge_of_risk(sentence, place)
    return gettext(LESS_SURE).format(words=hedge) if hedge else ""


def _describe_caution(sentence: str, near: NearestPlace) -> str:
    """Return a note on caution that the sentence leaves out, or ""."""
    if near.share < SAME_SHARE:
        return ""
    word = find_hedge(sentence, near.text)
    return gettext(LESS_SURE).format(words=word) if word else ""


def is_less_sure(note: str) -> bool:
    """Return whether a note, in any language, says that the passage is less sure."""
    beginnings = [text.partition("{")[0] for text in list_translations(LESS_SURE)]
    return any(beginning in note for beginning in beginnings)
