"""Prefer the quotations that hold what the words of a question ask for, near what they ask of it.

A sentence with a duration answers "how long …" only if it tells of the same thing: it is compared
with a statement of what is asked, without the name of its thing, which every sentence repeats.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from research_core.text.asked_facets import find_asked_facets
from research_core.text.asked_fillers import (
    AskedFiller,
    find_asked_fillers,
    gives_filler,
    list_candidates,
    lists_things,
    word_point,
)
from research_core.text.quotable import Quote
from research_core.text.sentence_meaning import measure_nearness
from research_core.text.similarity import content_tokens, word_root

if TYPE_CHECKING:
    from research_core.text.embeddings import Embedder

#: Sides of a thing that are a duration or an amount themselves.
FILLED_SIDES = frozenset({"Time", "Cost"})
#: Fillers whose form shows for certain whether a sentence holds one.
PLAIN_FILLERS = frozenset({"duration", "money", "amount", "date", "hour", "person"})
#: Sentences with a filler that are compared with what is asked, and those of each part that are
#: then compared with the question.
MAX_COMPARED, MAX_FILLING = 32, 6
#: The most words of such a sentence: a longer one is mostly a list run together, which holds any
#: figure.
MAX_FILLING_WORDS = 45
#: The least cosine of a sentence with the point, as a share of the nearest one's, and the least
#: cosine from which that share is taken.
MIN_FIT, MIN_POINT_NEARNESS = 0.6, 0.2
#: Sentences nearest a point whose nouns are compared with the kind asked for, and the cosine from
#: which a noun is of that kind.
MAX_NAMING, MIN_KIND_NEARNESS = 12, 0.4
#: What is added for a filler, by meaning and by words, and taken off without one where every part
#: asks for one and some sentence gives it.
FILLER_BONUS, FILLER_BONUS_BY_WORDS, LACKS_FILLER = 0.3, 0.25, 0.2


def list_asked(questions: Sequence[str], titles: Sequence[str]) -> tuple[AskedFiller, ...]:
    """Return what each part of these wordings asks for; () if none asks for a filler.

    titles: of the pages. A kind, an amount or an effect that is a side of a thing ("which medicines
    treat it") is left to the words for that side.
    """
    parts: dict[str, AskedFiller] = {}
    for question in questions:
        for part in find_asked_fillers(question):
            sides = find_asked_facets(part.text, tuple(titles))
            is_side = any(facet.title not in FILLED_SIDES for facet in sides)
            if is_side and part.name in ("kind", "amount", "effect"):
                part = AskedFiller("", part.text)
            parts.setdefault(part.text, part)
    asked = tuple(parts.values())
    return asked if any(part.name for part in asked) else ()


def fill_quotes(
    asked: Sequence[AskedFiller],
    quotes: Sequence[Quote],
    titles: Sequence[str],
    embedder: Embedder | None,
) -> list[Quote]:
    """Return the quotes with the parts that each fills, and a higher score for those that do.

    titles: of the pages, by the number of the source. embedder: None where only words are compared;
    then a sentence fills a part if it has a word of the question.
    """
    if not asked:
        return list(quotes)
    fits: list[dict[int, float]] = []
    for part in asked:
        fits.append(_measure_fits(part, quotes, titles, embedder) if part.name else {})
    is_given = any(fits)
    is_all = all(part.name for part in asked)
    bonus = FILLER_BONUS if embedder else FILLER_BONUS_BY_WORDS
    filled = []
    for quote in quotes:
        fills = tuple(number for number, fit in enumerate(fits) if quote.order in fit)
        score = quote.score
        if fills:
            score += bonus * max(fits[number][quote.order] for number in fills)
        elif is_given and is_all:
            score -= LACKS_FILLER
        filled.append(replace(quote, fills=fills, score=round(score, 6)))
    return filled


def list_filling(
    asked: Sequence[AskedFiller],
    quotes: Sequence[Quote],
    titles: Sequence[str],
    embedder: Embedder,
) -> list[Quote]:
    """Return, for each part of a question, the quotes that fill it best."""
    found: dict[int, Quote] = {}
    by_order = {quote.order: quote for quote in quotes}
    for part in asked:
        if part.name:
            fit = _measure_fits(part, quotes, titles, embedder)
            best = sorted(fit, key=lambda order: (-fit[order], order))[:MAX_FILLING]
            found |= {order: by_order[order] for order in best}
    return list(found.values())


def fills_question(question: str, text: str) -> bool:
    """Return whether a sentence may hold the filler of a part of the question, if it asks for any.

    Any noun or name may be of the kind asked for.
    """
    asked = find_asked_fillers(question)
    if not asked:
        return True
    for part in asked:
        holds = list_candidates if part.name == "kind" else gives_filler
        if holds(part, text):
            return True
    return False


def asks_plain_filler(question: str) -> bool:
    """Return whether all parts of a question ask for a duration, an amount, a date or a name."""
    asked = find_asked_fillers(question)
    return bool(asked) and all(part.name in PLAIN_FILLERS for part in asked)


def _measure_fits(
    part: AskedFiller,
    quotes: Sequence[Quote],
    titles: Sequence[str],
    embedder: Embedder | None,
) -> dict[int, float]:
    """Return how well each quote that fills a part fits it, 0 to 1, by its order."""
    quotes = [quote for quote in quotes if len(quote.text.split()) <= MAX_FILLING_WORDS]
    if embedder is None:
        return {q.order: 1.0 for q in quotes if q.own and gives_filler(part, q.text_with_subject)}
    point = word_point(part, _list_common_roots(titles))
    # The kind of a noun is compared below.
    holding = [
        quote
        for quote in quotes
        if part.name == "kind" or gives_filler(part, quote.text_with_subject)
    ]
    holding.sort(key=lambda quote: (-quote.score, quote.order))
    holding = holding[:MAX_COMPARED]
    texts = [quote.text_with_subject for quote in holding]
    near = dict(zip(holding, measure_nearness(embedder, [point], texts), strict=True))
    if part.name == "kind":
        near = _select_naming(part, near, embedder)
        whole = measure_nearness(embedder, [part.text], [q.text_with_subject for q in near])
        near = {q: (near[q] + cosine) / 2 for q, cosine in zip(near, whole, strict=True)}
    best = max([*near.values(), MIN_POINT_NEARNESS])
    fits = {
        quote: round(cosine / best, 2) for quote, cosine in near.items() if cosine >= MIN_FIT * best
    }
    if part.name == "kind":
        # A sentence that only has a noun of that kind says less than one that lists some.
        listing = {quote: fit for quote, fit in fits.items() if lists_things(quote.text)}
        fits = listing or fits
    return {quote.order: fit for quote, fit in fits.items()}


#: "Some paints make a gate more likely to rust": what puts it at risk, not what is used for it.
_TELLS_LIKELIHOOD = re.compile(r"\b(?:more|less) likely\b|\brisks? (?:of|for|factors?)\b", re.I)
_ASKS_LIKELIHOOD = re.compile(r"\b(?:likely|risks?|prone|caus\w+|get|gets|develop)\b", re.I)


def _select_naming(
    part: AskedFiller, near: dict[Quote, float], embedder: Embedder
) -> dict[Quote, float]:
    """Return those of the nearest sentences that name a thing of the kind asked for."""
    nearest = sorted(near, key=lambda quote: (-near[quote], quote.order))[:MAX_NAMING]
    if not _ASKS_LIKELIHOOD.search(part.text):
        nearest = [quote for quote in nearest if not _TELLS_LIKELIHOOD.search(quote.text)]
    candidates = {quote: list_candidates(part, quote.text) for quote in nearest}
    words = list(dict.fromkeys(word for found in candidates.values() for word in found))
    cosines = dict(zip(words, measure_nearness(embedder, [part.noun], words), strict=True))
    return {
        quote: near[quote]
        for quote, found in candidates.items()
        if any(cosines[word] >= MIN_KIND_NEARNESS for word in found)
    }


def _list_common_roots(titles: Sequence[str]) -> frozenset[str]:
    """Return the roots that most of the titles have."""
    counts: Counter[str] = Counter()
    for title in titles:
        counts.update(set(map(word_root, content_tokens(title))))
    return frozenset(root for root, count in counts.items() if 2 * count > len(titles))
