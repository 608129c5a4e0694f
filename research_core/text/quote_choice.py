"""Choose the best of the scored quotations that differ from each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from research_core.text.quotable import Quote
from research_core.text.quote_ratings import DIRECT_BONUS_BY_WORDS

#: Sentences more alike than this say the same.
MAX_LIKENESS = 0.8
#: How much further behind the nearest a list, as its items differ from the question, and a sentence
#: on the side asked about may be.
LEEWAY = 0.08
#: A quotation this much worse than the best one is left out: by meaning, and as a share by words.
MAX_BEHIND_BEST, MIN_SHARE_OF_BEST = 0.32, 0.4
#: How much further behind where sentences were compared with a point, which few come near.
BEHIND_POINT = 0.2
#: The same where sentences fill a part of the question, some better than others.
BEHIND_FILLER = 0.12
#: By meaning, how much worse than the last of the best FEW the others may be.
MAX_BEHIND_FEW, FEW = 0.18, 3
#: The least nearness of a sentence that is quoted, and how far it may be behind the nearest, unless
#: none comes so near.
MIN_NEARNESS, MAX_BEHIND_NEAREST = 0.5, 0.2
#: The highest nearness by which other sentences are measured.
MEASURING_NEARNESS = 0.72
#: What likeness to a chosen sentence (0 to 1) and each sentence chosen of the same source take off.
VARIETY_BY_WORDS, VARIETY_BY_MEANING = (0.4, 0.1), (0.15, 0.02)


def measure_likeness(one: Quote, other: Quote) -> float:
    """Return the cosine of the stemmed word counts, 0.0 to 1.0."""
    if not one.length or not other.length:
        return float(one.text == other.text)
    small, large = sorted((one.words, other.words), key=len)
    product = sum(count * large[word] for word, count in small.items() if word in large)
    return product / (one.length * other.length)


def choose_quotes(found: Sequence[Quote], limit: int, *, per_source: int) -> list[Quote]:
    """Return the best sentences, best first, varied in content and source.

    Ties are in reading order. What is far behind the best is left out, and so are near-copies
    (likeness above `MAX_LIKENESS`).
    """
    left = _find_candidates(found)
    nearest = dict.fromkeys(left, 0.0)
    taken: list[Quote] = []
    counts: Counter[int] = Counter()

    by_meaning = any(quote.near is not None for quote in found)
    likeness_weight, source_weight = VARIETY_BY_MEANING if by_meaning else VARIETY_BY_WORDS

    def rank(quote: Quote) -> tuple[float, int]:
        worth = (
            quote.score
            - likeness_weight * nearest[quote.order]
            - source_weight * counts[quote.source]
        )
        return worth, -quote.order

    while left and len(taken) < limit:
        best = max(left.values(), key=rank)
        taken.append(best)
        counts[best.source] += 1
        del left[best.order]
        for order, quote in list(left.items()):
            nearest[order] = max(nearest[order], measure_likeness(best, quote))
            if nearest[order] > MAX_LIKENESS or counts[quote.source] >= per_source:
                del left[order]
    return taken


def _find_candidates(found: Sequence[Quote]) -> dict[int, Quote]:
    """Return the quotes near enough to the best by their order, identical ones once.

    By words, a sentence without a word of the question is taken only if none has one.
    """
    by_meaning = any(quote.near is not None for quote in found)
    if not by_meaning:
        found = [quote for quote in found if quote.own] or found
    best_score = max((quote.score for quote in found), default=0.0)
    if by_meaning:
        nearest = max(quote.near or 0.0 for quote in found)
        # A sentence in nearly the question's words sets no measure for the others.
        beyond = max(0.0, nearest - MEASURING_NEARNESS)
        least = best_score - beyond - MAX_BEHIND_BEST
        if any(quote.on_point is not None for quote in found):
            least -= BEHIND_POINT
        if any(quote.fills for quote in found):
            least -= BEHIND_FILLER
        least_near = max(MIN_NEARNESS, nearest - beyond - MAX_BEHIND_NEAREST)
        near_enough = [
            quote
            for quote in found
            if (quote.near or 0.0) >= least_near - LEEWAY * (quote.is_list or quote.is_on_side)
        ]
        # Where each sentence near enough has a fault, others are better than none.
        if any(not quote.faults for quote in near_enough) or all(quote.faults for quote in found):
            found = near_enough or found
        least = min(least, max((quote.score for quote in found), default=least))
    else:
        # What a direct answer has over others does not count; the best may be below 0.
        least = min(best_score, MIN_SHARE_OF_BEST * (best_score - DIRECT_BONUS_BY_WORDS))
    best_copies: dict[str, Quote] = {}
    for quote in sorted(found, key=lambda quote: (quote.score, -quote.order)):
        best_copies[quote.text.casefold()] = quote
    candidates: dict[int, Quote] = {}
    ranked = sorted(best_copies.values(), key=lambda quote: (-quote.score, quote.order))
    few = {quote.order for quote in ranked[:FEW]}
    # One that answers in the question's own words sets no measure for the others.
    measure = ranked[min(FEW, len(ranked)) - 1].score if ranked else 0.0
    stricter = max(least, measure - MAX_BEHIND_FEW) if by_meaning else least
    for quote in sorted(ranked, key=lambda quote: quote.order):
        needed = least if quote.order in few else stricter
        # The few best are kept beside one that answers directly, however far behind they are.
        is_plain = by_meaning and quote.order in few and not quote.faults
        if is_plain or quote.score >= needed:
            candidates[quote.order] = quote
    return candidates
