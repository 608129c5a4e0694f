"""Whether passages hold what a sentence says, going by its words, numbers and quotations. The first
check of a citation.

It compares words and does not infer: a paraphrase in other words is called "partly" or "not found",
and a sentence that turns the passage's meaning round with the same words passes unless a "not", an
opposite word or the order of names and figures gives it away. What a list of references says is no
support.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from research_core.models import SentenceState
from research_core.text.blocks import blocks
from research_core.text.references import is_entry, without_references
from research_core.text.sentences import sentences
from research_core.text.similarity import CUE_OF, content, rarity, root
from research_core.text.support import dates as support_dates
from research_core.text.support import figures as support_figures
from research_core.text.support import fractions as support_fractions
from research_core.text.support.antonyms import turned as turned_word
from research_core.text.support.directions import turned as turned_figures
from research_core.text.support.features import cleaned, denies, measures
from research_core.text.support.odds import odds
from research_core.text.support.swaps import swapped, unsure
from research_core.text.words import tokens, visible

#: The likelihood from which a sentence is called so; what share of others passes,
#: `benchmarks/support.py` tells.
SUPPORTED, PARTLY = 0.6, 0.25
#: Sentences of a passage read as one place.
RUN = 3
#: The share of a sentence's words, by weight, that one place of a passage must hold at least,
#: however likely support is.
LEAST_HELD = 0.6
#: The share from which one sentence of a passage says the same with names or figures dealt out
#: otherwise, or with more caution; and with it the likelihood from which a source that is not cited
#: says the same as a sentence.
SAME, SURELY = 0.85, 0.8
MOST_NAMED = 6
#: How the note of a supported sentence begins that leaves the passage's caution out.
LESS_SURE = "The passage is less sure"
#: The note where every word is there, but too far apart or in another order.
ELSEWHERE = "The passage holds the words, but not together."
#: A single word between quotation marks is a quotation from so many letters on.
SHORTEST_QUOTE = 4
_QUOTED = re.compile(
    r"“([^“”]+)”|\"([^\"]+)\"|«([^«»]+)»|(?<!\w)‘((?:[^‘’]|(?<=\w)’(?=\w))+)’(?!\w)|(?<!\w)'((?:[^']|(?<=\w)'(?=\w))+)'(?!\w)"
)
#: A letter or digit of the Latin, Greek and Cyrillic scripts, once it is folded; others may have no
#: spaces between their words.
_LETTER = "[0-9a-z\u00df-\u024f\u0370-\u052f]"
#: What calls a thing untrue that it says: "a myth that …", "falsely claims that …", "that … is
#: false".
_UNTRUE = re.compile(
    r"\b(?:myths?|misconceptions?|misbeliefs?|fallac(?:y|ies)|hoax(?:es)?|untrue|debunk\w*|disprove[ds]?|refute[ds]?)\b(?:\W+\w+){0,3}?\W+that\b"
    r"|\b(?:false|wrong|incorrect|mistaken)(?:ly)?\s+(?:(?:belie|claim|idea|notion|assum|view|impression|think|thought|sa[iy]|suggest)\w*\s+)?that\b"
    r"|\bden(?:y|ies|ied|ying)\s+(?:(?:reports?|claims?|rumou?rs?|allegations?)\s+)?that\b"
    r"|(?:\b(?:is|are|was|were)|\()\s*an?\s+(?:myth|hoax|fallacy|misconception)\b"
    r"|\bthat\b[^.;]{1,200}\b(?:is|was)\s+(?:false|untrue|wrong|incorrect|mistaken)\b",
    re.IGNORECASE,
)
_SIGNS = {
    **dict.fromkeys(map(ord, "“”„«»"), '"'),
    **dict.fromkeys(map(ord, "‘’‚"), "'"),
    **dict.fromkeys(map(ord, "–—−\u2010\u2011"), "-"),
}


def support(sentence: str, passages: Sequence[str]) -> tuple[SentenceState, str]:
    """(state, note): "supported", "partly", "not found", or "could not check"; the note names what
    is missing.
    """
    if not any(passage.strip() for passage in passages):
        return "could not check", "The cited passage is empty or not stored."
    if not content(sentence):
        return "could not check", "The sentence holds no word to compare."
    told = list(map(_told, passages))
    if not any(passage.strip() for passage in told):
        return "not found", "The cited passage is a list of references."
    return _compared(sentence, told)


@lru_cache(maxsize=256)
def _told(text: str) -> str:
    """The text without its lists of references, and without a line that is one reference."""
    lines = without_references(text).split("\n")
    return "\n".join(line for line in lines if not is_entry(line))


def says_the_same(sentence: str, passages: Sequence[str]) -> bool:
    """Whether these passages surely say what the sentence says; a higher bar than that of a
    citation, as nobody chose them for it.

    Of 788 sentences with a fact that their source supports (AttributionBench and WiCE, the shared
    halves) 30 % pass, of 696 that theirs does not 3 %; of what `support` calls supported it is 55
    and 10 %.
    """
    told = [text for text in map(_told, passages) if text.strip()]
    if not told or support(sentence, told) != ("supported", ""):
        return False
    return _nearest(sentence, told).share >= SAME and _likelihood(sentence, tuple(told)) >= SURELY


def likelihood(sentence: str, texts: Sequence[str]) -> float:
    """0.0-1.0: how likely people would say that these texts, taken together, support the sentence.
    1.0 where one holds it word for word, 0.0 where there is no text. It is calibrated on sentences
    of which about half were supported.
    """
    told = [text for text in map(_told, texts) if text.strip()]
    return _likelihood(sentence, tuple(told)) if told and sentence.strip() else 0.0


@lru_cache(maxsize=1024)
def _likelihood(sentence: str, texts: tuple[str, ...]) -> float:
    if any(_held_whole(sentence, text) for text in texts):
        return 1.0
    capped = max(-30.0, min(30.0, odds(measures(sentence, "\n\n".join(texts)))))
    # Rounded, because the last bit of an exponential differs from processor to processor.
    return round(1 / (1 + math.exp(-capped)), 9)


def _compared(sentence: str, passages: Sequence[str]) -> tuple[SentenceState, str]:
    near = _nearest(sentence, passages)
    if any(_held_whole(sentence, passage) for passage in passages):
        return "supported", _caution(sentence, near)
    whole = "\n".join(passages)
    quotes, figures = unquoted(sentence, whole), lost(sentence, whole)
    chance = _likelihood(sentence, tuple(passages))
    if any(len(tokens(quote)) > 1 for quote in quotes):
        return "not found", f"Not quoted word for word: “{quotes[0]}”."
    if chance < PARTLY:
        return "not found", _lacking(figures + near.missing) or ELSEWHERE
    if quotes:
        return "partly", f"Not quoted word for word: “{quotes[0]}”."
    if figures:
        return "partly", _lacking(figures)
    if near.turned:
        return "partly", "One says “not”, the other does not."
    if chance < SUPPORTED or near.share < LEAST_HELD:
        return "partly", _lacking(near.missing) or ELSEWHERE
    if against := _against(sentence, whole, near):
        return "partly", against
    return "supported", _caution(sentence, near)


def lost(sentence: str, text: str) -> list[str]:
    """The dates, fractions and figures of the sentence that the text does not hold."""
    rest = support_fractions.without(support_dates.without(sentence))
    figures = support_figures.missing(rest, text)
    dates, fractions = (
        support_dates.missing(sentence, text),
        support_fractions.missing(sentence, text),
    )
    return (
        dates
        + fractions
        + (support_figures.missing(rest, support_dates.apart(text)) if figures else [])
    )


def unquoted(sentence: str, text: str) -> list[str]:
    """What the sentence quotes and the text does not hold word for word."""
    return [quote for quote in quotations(sentence) if not literally(quote, text)]


def lacks(sentence: str, texts: Sequence[str]) -> bool:
    """Whether a date, a figure or a quotation of the sentence is in none of the texts; their lists
    of references do not count.
    """
    whole = "\n".join(map(_told, texts))
    return bool(lost(sentence, whole) or unquoted(sentence, whole))


def _against(sentence: str, whole: str, near: Near) -> str:
    """What of the passage goes another way than the sentence, "" where nothing does."""
    if other := turned_figures(sentence, whole):
        return f"Goes the other way in the passage: {other[0]}."
    if near.word:
        return f"Opposite words: {near.word}."
    if near.share >= SAME and (pair := swapped(cleaned(sentence), near.text)):
        return f"The passage has these in another order: {pair}."
    return ""


def _caution(sentence: str, near: Near) -> str:
    """What the sentence leaves out of the passage's caution; a reason to read it, and no state."""
    word = unsure(sentence, near.text) if near.share >= SAME else ""
    return f"{LESS_SURE}: it says “{word}”." if word else ""


def share_held(sentence: str, passages: Sequence[str]) -> float:
    """0.0-1.0: the share of the sentence's words, by weight, in the place of a passage that holds
    most.
    """
    return _nearest(sentence, list(map(_told, passages))).share


def quotations(sentence: str) -> list[str]:
    """What the sentence puts between quotation marks; of single words those of `SHORTEST_QUOTE`
    letters and more.
    """
    found = (
        next(filter(None, groups), "").strip(" .,;:!?…") for groups in _QUOTED.findall(sentence)
    )
    return [quote for quote in found if len(tokens(quote)) > 1 or len(quote) >= SHORTEST_QUOTE]


@lru_cache(maxsize=512)
def folded(text: str) -> str:
    """The text in one spelling of case, white space, dashes and quotation marks, for looking words
    up literally.
    """
    return " ".join(visible(text).translate(_SIGNS).casefold().split()).rstrip(".!?…")


def literally(words: str, text: str) -> bool:
    """Whether the words stand in the text in one spelling (`folded`), and as words: "to 12" is not
    in "to 12,000" or "to 12th".
    """
    bare, there = folded(words), folded(text)
    return (
        bool(bare)
        and bare in there
        and bool(
            re.search(rf"(?<!{_LETTER})(?<!\d[.,]){re.escape(bare)}(?!{_LETTER})(?![.,]\d)", there)
        )
    )


def _held_whole(said: str, text: str) -> bool:
    """Whether the text has the same sentence, or sentences in a row, from first to last word; a
    part may be what the whole denies.
    """
    bare = _sentence_by_sentence(said)
    return bool(bare.strip()) and bare in _sentence_by_sentence(text)


@lru_cache(maxsize=512)
def _sentence_by_sentence(text: str) -> str:
    """Each sentence in one spelling on a line of its own. A question is no statement, and keeps its
    mark.
    """
    lines = (
        (folded(text[start:end]), text[start:end].rstrip().endswith("?"))
        for start, end in sentences(text)
    )
    return "\n".join(["", *(f"{line}?" if asked else line for line, asked in lines), ""])


@dataclass(frozen=True)
class Near:
    """What the best place of a passage holds of a sentence. share: 0.0-1.0 of its words, by weight;
    missing: the words it lacks;

    turned: whether a "not" stands on one side only; word: a word of the sentence and its opposite
    there; text: of a place of one sentence.
    """

    share: float
    missing: list[str]
    turned: bool = False
    word: str = ""
    text: str = ""


def _nearest(sentence: str, passages: Sequence[str]) -> Near:
    """The place that holds most; the tightest where several are as good."""
    weights = {root(word): rarity(word) for word in content(sentence) if not word[0].isdigit()}
    bare = cleaned(sentence)
    said = tokens(bare)
    shown = {root(word): word for word in reversed(said)}
    total, best, held, at = sum(weights.values()), 0.0, frozenset[str](), None
    for place in sorted(
        (place for passage in passages for place in _places(passage)),
        key=lambda place: place.length,
    ):
        known = frozenset(
            word for word in weights if word in place.words or CUE_OF.get(word) in place.cues
        )
        weight = sum(weight for word, weight in weights.items() if word in known)
        if weight > best:
            best, held, at = weight, known, place
    missing = [shown.get(word, word) for word in weights if word not in held]
    if at is None:
        return Near(0.0 if total else 1.0, missing)
    turned, share = at.denies != _denies(bare, said), best / total
    word = "" if at.denies or turned or not at.text else turned_word(bare, at.text)
    return Near(share, missing, turned, word, at.text)


@dataclass(frozen=True)
class Place:
    """A run of `length` sentences: its roots, the rows of `similarity.CUES` it touches, whether it
    says "not"; of one alone the text.
    """

    length: int
    words: frozenset[str]
    cues: frozenset[int]
    denies: bool
    text: str = ""


@lru_cache(maxsize=256)
def _places(passage: str) -> tuple[Place, ...]:
    """Every run of up to `RUN` sentences of a passage, and every row of a table with the first,
    which says what it tells.
    """
    spans = sentences(passage)
    alone = [_place(1, passage[start:end]) for start, end in spans]
    runs = (
        _run(alone[first : first + length])
        for length in range(2, RUN + 1)
        for first in range(len(spans) - length + 1)
    )
    # a question says nothing by itself
    told = (
        place for place, (_, end) in zip(alone, spans, strict=True) if passage[end - 1 : end] != "?"
    )
    return (*told, *runs, *(_place(2, row) for row in _rows(passage, spans)))


def _run(places: Sequence[Place]) -> Place:
    words, cues = (
        frozenset().union(*each)
        for each in ((place.words for place in places), (place.cues for place in places))
    )
    return Place(len(places), words, cues, any(place.denies for place in places))


def _rows(passage: str, spans: Sequence[tuple[int, int]]) -> Iterator[str]:
    for table in (block for block in blocks(passage) if block.kind == "table"):
        rows = [passage[start:end] for start, end in spans if table.start <= start < table.end]
        yield from (f"{rows[0]}\n{row}" for row in rows[2:])


def _place(length: int, text: str) -> Place:
    said = tokens(text)
    words = frozenset(map(root, said))
    cues = frozenset(CUE_OF[word] for word in words & CUE_OF.keys())
    return Place(length, words, cues, _denies(text, said), cleaned(text) if length == 1 else "")


def _denies(text: str, said: Sequence[str]) -> bool:
    """Whether a text says "not", or calls what it says untrue; both together deny nothing."""
    return denies(said) != bool(_UNTRUE.search(text))


def _lacking(words: Sequence[str]) -> str:
    shown = list(dict.fromkeys(words))
    return (
        "Not in the passage:"
        f" {', '.join(shown[:MOST_NAMED])}{' …' if len(shown) > MOST_NAMED else ''}."
        if shown
        else ""
    )
