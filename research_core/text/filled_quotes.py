"""Prefer the quotations that hold what the words of a question ask for, near what they ask of it.

A sentence with a duration answers "how long …" only if it tells of the same thing: it is compared
with a statement of what is asked, without the name of its thing, which every sentence repeats.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

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

#: What a sentence certainly lacks or holds.
PLAIN_FILLERS = frozenset({"duration", "money", "amount", "date", "person"})
#: Sentences with a filler that are compared with what is asked, and those of each part that are then
#: compared with the question.
MAX_COMPARED, MAX_FILLING = 32, 6
#: The least share of the nearest one's cosine with the point, and the least cosine that sets it.
MIN_FIT, MIN_POINT_NEARNESS = 0.6, 0.2
#: Sentences nearest a point whose nouns are compared with the kind asked for, and the cosine from
#: which a noun is of that kind.
MAX_NAMING, MIN_KIND_NEARNESS = 12, 0.4
#: What a sentence that names one thing of a kind, and lists none, has of the fit of one that does.
UNLISTED_SHARE = 0.6
#: What is added for a filler, by meaning and by words, and taken off without one where every part
#: asks for one and some sentence gives it.
FILLER_BONUS, FILLER_BONUS_BY_WORDS, LACKS_FILLER = 0.3, 0.25, 0.2


def fill_quotes(
    question: str, quotes: Sequence[Quote], titles: Sequence[str], embedder: Embedder | None
) -> list[Quote]:
    """Return the quotes with the parts that each fills, and a higher score for those that do.

    titles: of the pages, by the number of the source. embedder: None where only words are compared;
    then a sentence fills a part if it has a word of the question.
    """
    asked = find_asked_fillers(question)
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
    question: str, quotes: Sequence[Quote], titles: Sequence[str], embedder: Embedder
) -> list[Quote]:
    """Return, for each part of a question, the quotes that fill it best."""
    found: dict[int, Quote] = {}
    by_order = {quote.order: quote for quote in quotes}
    for part in find_asked_fillers(question):
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
    best = max([*near.values(), MIN_POINT_NEARNESS])
    fits: dict[int, float] = {}
    for quote, cosine in near.items():
        share = cosine / best
        if share >= MIN_FIT:
            is_vague = part.name == "kind" and not lists_things(quote.text)
            fits[quote.order] = round(share * (UNLISTED_SHARE if is_vague else 1.0), 2)
    return fits


def _select_naming(
    part: AskedFiller, near: dict[Quote, float], embedder: Embedder
) -> dict[Quote, float]:
    """Return those of the nearest sentences that name a thing of the kind asked for."""
    nearest = sorted(near, key=lambda quote: (-near[quote], quote.order))[:MAX_NAMING]
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
    held = [frozenset(map(word_root, content_tokens(title))) for title in titles]
    counts: dict[str, int] = {}
    for roots in held:
        for root in roots:
            counts[root] = counts.get(root, 0) + 1
    return frozenset(root for root, count in counts.items() if 2 * count > len(titles))
