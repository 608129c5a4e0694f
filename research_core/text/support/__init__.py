"""Check by words, numbers and quotations whether passages support a sentence.

This is the first check of a citation. It compares words and infers nothing: a paraphrase is rated
"partly" or "not found". A sentence that reverses the meaning with the same words passes, unless a
"not", an opposite word or the order of names and figures reveals it. Lists of references support
nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from research_core.models import SentenceState
from research_core.text.blocks import parse_blocks
from research_core.text.references import is_reference, remove_references
from research_core.text.sentences import find_sentences
from research_core.text.similarity import CUE_ROW_OF, content_tokens, rarity, word_root
from research_core.text.support import dates as support_dates
from research_core.text.support import figures as support_figures
from research_core.text.support import fractions as support_fractions
from research_core.text.support.antonyms import find_opposite_word
from research_core.text.support.directions import find_reversed_figures
from research_core.text.support.features import has_negation, measure_support, remove_marks
from research_core.text.support.odds import compute_log_odds
from research_core.text.support.swaps import find_hedge, find_swapped
from research_core.text.words import strip_invisible, tokenize

#: The likelihoods from which a sentence is rated so; `benchmarks/support.py` measures the errors.
SUPPORTED, PARTLY = 0.6, 0.25
#: The most sentences of a passage that are read together.
RUN_LENGTH = 3
#: The least weighted share of the words that one place must hold, however likely support is.
LEAST_HELD = 0.6
#: The share from which a sentence of a passage says the same with names or figures exchanged or
#: with more caution; and the likelihood from which an uncited source says the same.
SAME_SHARE, SURE_LIKELIHOOD = 0.85, 0.8
MAX_NAMED = 6
#: The beginning of the note of a supported sentence that omits the passage's caution.
LESS_SURE = "The passage is less sure"
#: The note if every word is there, but far apart or in another order.
NOT_TOGETHER = "The passage holds the words, but not together."
#: The least letters of a single quoted word that counts as a quotation.
SHORTEST_QUOTE = 4
_QUOTED = re.compile(
    r"“([^“”]+)”|\"([^\"]+)\"|«([^«»]+)»|(?<!\w)‘((?:[^‘’]|(?<=\w)’(?=\w))+)’(?!\w)"
    r"|(?<!\w)'((?:[^']|(?<=\w)'(?=\w))+)'(?!\w)"
)
#: A folded letter or digit of Latin, Greek or Cyrillic; other scripts may not separate words by
#: spaces.
_LETTER = "[0-9a-z\u00df-\u024f\u0370-\u052f]"
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
_FOLDED_SIGNS = {
    **dict.fromkeys(map(ord, "“”„«»"), '"'),
    **dict.fromkeys(map(ord, "‘’‚"), "'"),
    **dict.fromkeys(map(ord, "–—−\u2010\u2011"), "-"),
}


def check_support(sentence: str, passages: Sequence[str]) -> tuple[SentenceState, str]:
    """Return (state, note); the note names what is missing.

    The state is "supported", "partly", "not found" or "could not check".
    """
    if not any(passage.strip() for passage in passages):
        return "could not check", "The cited passage is empty or not stored."
    if not content_tokens(sentence):
        return "could not check", "The sentence holds no word to compare."
    told = list(map(_drop_references, passages))
    if not any(passage.strip() for passage in told):
        return "not found", "The cited passage is a list of references."
    return _compare_passages(sentence, told)


@lru_cache(maxsize=256)
def _drop_references(text: str) -> str:
    """Return the text without lists of references and lines that are one reference."""
    lines = remove_references(text).split("\n")
    return "\n".join(line for line in lines if not is_reference(line))


def says_the_same(sentence: str, passages: Sequence[str]) -> bool:
    """Return whether the passages surely say what the sentence says.

    The bar is higher than for a citation, because nobody chose the passages for it. Of 788
    sentences with a fact that their source supports (AttributionBench and WiCE, the shared halves)
    30% pass, of 696 that their source does not support 3%; for "supported" by `check_support` it is
    55% and 10%.
    """
    told = [text for text in map(_drop_references, passages) if text.strip()]
    if not told or check_support(sentence, told) != ("supported", ""):
        return False
    if _find_nearest(sentence, told).share < SAME_SHARE:
        return False
    return _estimate_likelihood(sentence, tuple(told)) >= SURE_LIKELIHOOD


def estimate_support(sentence: str, texts: Sequence[str]) -> float:
    """Return how likely people would say that the texts together support the sentence.

    The result is 0.0 to 1.0: 1.0 if one text holds the sentence word for word, 0.0 without text. It
    is calibrated on sentences of which about half were supported.
    """
    told = [text for text in map(_drop_references, texts) if text.strip()]
    if not told or not sentence.strip():
        return 0.0
    return _estimate_likelihood(sentence, tuple(told))


@lru_cache(maxsize=1024)
def _estimate_likelihood(sentence: str, texts: tuple[str, ...]) -> float:
    """Return the likelihood of support, for texts without references."""
    if any(_contains_whole(sentence, text) for text in texts):
        return 1.0
    capped = max(-30.0, min(30.0, compute_log_odds(measure_support(sentence, "\n\n".join(texts)))))
    # Rounded, because the last bit of an exponential differs from processor to processor.
    return round(1 / (1 + math.exp(-capped)), 9)


def _compare_passages(sentence: str, passages: Sequence[str]) -> tuple[SentenceState, str]:
    """Return the state and note of a sentence against passages without references."""
    near = _find_nearest(sentence, passages)
    if any(_contains_whole(sentence, passage) for passage in passages):
        return "supported", _describe_caution(sentence, near)
    whole = "\n".join(passages)
    quotes, figures = find_misquoted(sentence, whole), find_missing_facts(sentence, whole)
    chance = _estimate_likelihood(sentence, tuple(passages))
    if any(len(tokenize(quote)) > 1 for quote in quotes):
        return "not found", f"Not quoted word for word: “{quotes[0]}”."
    if chance < PARTLY:
        return "not found", _format_missing(figures + near.missing) or NOT_TOGETHER
    if quotes:
        return "partly", f"Not quoted word for word: “{quotes[0]}”."
    if figures:
        return "partly", _format_missing(figures)
    if near.turned:
        return "partly", "One says “not”, the other does not."
    if chance < SUPPORTED or near.share < LEAST_HELD:
        return "partly", _format_missing(near.missing) or NOT_TOGETHER
    if against := _find_contradiction(sentence, whole, near):
        return "partly", against
    return "supported", _describe_caution(sentence, near)


def find_missing_facts(sentence: str, text: str) -> list[str]:
    """Return the dates, fractions and figures of the sentence that the text lacks."""
    lost = support_dates.find_missing_dates(sentence, text)
    lost = lost + support_fractions.find_missing_fractions(sentence, text)
    rest = support_fractions.remove_fractions(support_dates.remove_dates(sentence))
    if support_figures.find_missing_figures(rest, text):
        separated = support_dates.separate_date_parts(text)
        lost = lost + support_figures.find_missing_figures(rest, separated)
    return lost


def find_misquoted(sentence: str, text: str) -> list[str]:
    """Return the quotations of the sentence that the text does not hold word for word."""
    return [quote for quote in find_quotations(sentence) if not contains_literally(quote, text)]


def lacks_facts(sentence: str, texts: Sequence[str]) -> bool:
    """Return whether the texts lack a date, figure or quotation of the sentence.

    Their lists of references do not count.
    """
    whole = "\n".join(map(_drop_references, texts))
    return bool(find_missing_facts(sentence, whole) or find_misquoted(sentence, whole))


def _find_contradiction(sentence: str, whole: str, near: NearestPlace) -> str:
    """Return what the passage says differently from the sentence, or ""."""
    reversed_figures = find_reversed_figures(sentence, whole)
    if reversed_figures:
        return f"Goes the other way in the passage: {reversed_figures[0]}."
    if near.word:
        return f"Opposite words: {near.word}."
    if near.share >= SAME_SHARE:
        pair = find_swapped(remove_marks(sentence), near.text)
        if pair:
            return f"The passage has these in another order: {pair}."
    return ""


def _describe_caution(sentence: str, near: NearestPlace) -> str:
    """Return a note on caution that the sentence leaves out, or ""."""
    if near.share < SAME_SHARE:
        return ""
    word = find_hedge(sentence, near.text)
    return f"{LESS_SURE}: it says “{word}”." if word else ""


def measure_share_held(sentence: str, passages: Sequence[str]) -> float:
    """Return the weighted share of the sentence's words in the best place, 0.0 to 1.0."""
    return _find_nearest(sentence, list(map(_drop_references, passages))).share


def find_quotations(sentence: str) -> list[str]:
    """Return what the sentence quotes; single words from `SHORTEST_QUOTE` letters on."""
    found: list[str] = []
    for groups in _QUOTED.findall(sentence):
        quote = "".join(groups).strip(" .,;:!?…")  # one of the groups matched
        if len(quote) >= SHORTEST_QUOTE or len(tokenize(quote)) > 1:
            found.append(quote)
    return found


@lru_cache(maxsize=512)
def fold_text(text: str) -> str:
    """Return the text with case, white space, dashes and quotation marks normalised."""
    return " ".join(strip_invisible(text).translate(_FOLDED_SIGNS).casefold().split()).rstrip(
        ".!?…"
    )


def contains_literally(words: str, text: str) -> bool:
    """Return whether the words stand in the text as whole words, once both are folded.

    "To 12" is not in "to 12,000" or "to 12th".
    """
    bare, folded = fold_text(words), fold_text(text)
    if not bare or bare not in folded:
        return False
    pattern = rf"(?<!{_LETTER})(?<!\d[.,]){re.escape(bare)}(?!{_LETTER})(?![.,]\d)"
    return re.search(pattern, folded) is not None


def _contains_whole(said: str, text: str) -> bool:
    """Return whether the text has the same sentence or sentences from first to last word.

    A part does not count, because the whole may deny it.
    """
    bare = _fold_sentences(said)
    return bool(bare.strip()) and bare in _fold_sentences(text)


@lru_cache(maxsize=512)
def _fold_sentences(text: str) -> str:
    """Return each sentence folded on a line of its own; questions keep their mark."""
    lines = [""]
    for start, end in find_sentences(text):
        sentence = text[start:end]
        mark = "?" if sentence.rstrip().endswith("?") else ""
        lines.append(fold_text(sentence) + mark)
    lines.append("")
    return "\n".join(lines)


@dataclass(frozen=True)
class NearestPlace:
    """What the best place of a passage holds of a sentence.

    `share`: the weighted share of its words, 0.0 to 1.0. `missing`: the words it lacks. `turned`: a
    "not" stands on one side only. `word`: a word and its opposite there. `text`: the text of a
    place of one sentence.
    """

    share: float
    missing: list[str]
    turned: bool = False
    word: str = ""
    text: str = ""


def _find_nearest(sentence: str, passages: Sequence[str]) -> NearestPlace:
    """Return the place that holds most of the sentence, the shortest of equals."""
    weights: dict[str, float] = {}
    for word in content_tokens(sentence):
        if not word[0].isdigit():
            weights[word_root(word)] = rarity(word)
    places: list[PassagePlace] = []
    for passage in passages:
        places += _find_places(passage)
    places.sort(key=lambda place: place.length)
    best = 0.0
    held = frozenset[str]()
    nearest = None
    for place in places:
        known = frozenset(
            word for word in weights if word in place.words or CUE_ROW_OF.get(word) in place.cues
        )
        weight = sum(weight for word, weight in weights.items() if word in known)
        if weight > best:
            best, held, nearest = weight, known, place
    bare = remove_marks(sentence)
    said = tokenize(bare)
    spellings = {word_root(word): word for word in reversed(said)}
    missing = [spellings.get(root, root) for root in weights if root not in held]
    total = sum(weights.values())
    if nearest is None:
        return NearestPlace(0.0 if total else 1.0, missing)
    turned, share = nearest.denies != _text_denies(bare, said), best / total
    word = ""
    if nearest.text and not nearest.denies and not turned:
        word = find_opposite_word(bare, nearest.text)
    return NearestPlace(share, missing, turned, word, nearest.text)


@dataclass(frozen=True)
class PassagePlace:
    """A run of `length` sentences.

    `words` are its roots, `cues` the rows of `similarity.CUE_ROWS` it touches, `denies` whether it
    says "not"; `text` is set for a single sentence.
    """

    length: int
    words: frozenset[str]
    cues: frozenset[int]
    denies: bool
    text: str = ""


@lru_cache(maxsize=256)
def _find_places(passage: str) -> tuple[PassagePlace, ...]:
    """Return every run of up to `RUN_LENGTH` sentences, and each table row with its header."""
    spans = find_sentences(passage)
    alone = [_make_place(1, passage[start:end]) for start, end in spans]
    places: list[PassagePlace] = []
    for place, (_, end) in zip(alone, spans, strict=True):
        if passage[end - 1 : end] != "?":  # a question states nothing by itself
            places.append(place)
    for length in range(2, RUN_LENGTH + 1):
        for first in range(len(spans) - length + 1):
            places.append(_join_places(alone[first : first + length]))
    places += [_make_place(2, row) for row in _table_rows(passage, spans)]
    return tuple(places)


def _join_places(places: Sequence[PassagePlace]) -> PassagePlace:
    """Return the place made of these places."""
    words: frozenset[str] = frozenset().union(*(place.words for place in places))
    cues: frozenset[int] = frozenset().union(*(place.cues for place in places))
    return PassagePlace(len(places), words, cues, any(place.denies for place in places))


def _table_rows(passage: str, spans: Sequence[tuple[int, int]]) -> Iterator[str]:
    """Yield each row of a table below its header row."""
    for block in parse_blocks(passage):
        if block.kind != "table":
            continue
        rows = [passage[start:end] for start, end in spans if block.start <= start < block.end]
        for row in rows[2:]:
            yield f"{rows[0]}\n{row}"


def _make_place(length: int, text: str) -> PassagePlace:
    """Return the place of this text."""
    said = tokenize(text)
    words = frozenset(map(word_root, said))
    cues = frozenset(CUE_ROW_OF[word] for word in words & CUE_ROW_OF.keys())
    own_text = remove_marks(text) if length == 1 else ""
    return PassagePlace(length, words, cues, _text_denies(text, said), own_text)


def _text_denies(text: str, said: Sequence[str]) -> bool:
    """Return whether a text says "not" or calls something untrue; both cancel out."""
    return has_negation(said) != bool(_UNTRUE.search(text))


def _format_missing(words: Sequence[str]) -> str:
    """Return a note that names the missing words, or ""."""
    shown = list(dict.fromkeys(words))
    if not shown:
        return ""
    more = " …" if len(shown) > MAX_NAMED else ""
    return f"Not in the passage: {', '.join(shown[:MAX_NAMED])}{more}."
