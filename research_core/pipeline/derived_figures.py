"""Check figures that a sentence derives from others: a sum, a difference, a share, a conversion.

A figure counts as derived if one operation on two figures gives it, rounded as it is written. Both
stand in the sentence and in its passages; instead of one of them, a factor of FACTORS may stand in
the sentence alone. Two operations in a row are not followed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation
from itertools import permutations

from research_core.text.support import find_missing_facts
from research_core.text.support.figures import find_values
from research_core.text.support.quotations import find_misquoted

#: Factors between units that need no source, as they are commonly rounded.
FACTORS = frozenset(
    map(
        Decimal,
        """1.6 1.61 1.609 1.6093 0.62 0.621 0.6214 2.54 0.39 0.394 0.3048 0.305 3.28 3.281 0.4536
        0.454 0.45 2.2 2.205 28.35 3.785 4.546 0.264 0.405 2.471 4.184 3.6 12 24 60 100 365 1000
        """.split(),
    )
)
#: Shares in words, as missing facts spell them.
SHARES = {"half": Decimal("0.5"), "quarter": Decimal("0.25")}
#: A missing figure is spelled without its scale.
SCALES = tuple(Decimal(10) ** power for power in (0, 3, 6, 9))
#: Figures of a sentence that are combined.
MAX_FIGURES = 8
_HUNDRED = Decimal(100)


def has_only_derived_figures(sentence: str, texts: Sequence[str]) -> bool:
    """Return True if the texts lack some figures of the sentence and each of them is derived."""
    whole = "\n".join(texts)
    missing = find_missing_facts(sentence, whole)
    if not missing or find_misquoted(sentence, whole):
        return False
    held = find_values(whole)
    own = find_values(sentence)
    given = sorted(_read_decimals(own & held))[:MAX_FIGURES]
    factors = sorted(FACTORS.intersection(_read_decimals(own - held)))
    results = list(_combine(given, factors))
    return all(_is_derived(fact, own - held, factors, results) for fact in missing)


def _read_decimals(values: frozenset[str]) -> Iterator[Decimal]:
    for value in values:
        try:
            yield Decimal(value)
        except InvalidOperation:
            continue


def _combine(given: Sequence[Decimal], factors: Sequence[Decimal]) -> Iterator[Decimal]:
    """Yield what one operation on two of the figures gives, or on one and a factor."""
    for one, other in permutations(given, 2):
        yield from (one + other, one - other, one * other, (one + other) / 2)
        if other:
            yield from (one / other, one / other * _HUNDRED)
            yield from ((one - other) / other, (one - other) / other * _HUNDRED)
            yield from ((other - one) / other, (other - one) / other * _HUNDRED)
    for one in given:
        for factor in factors:
            yield from (one * factor, one / factor)


def _is_derived(
    fact: str, unheld: frozenset[str], factors: Sequence[Decimal], results: Sequence[Decimal]
) -> bool:
    share = SHARES.get(fact.split()[-1].lower())
    if share is not None:
        return share in results
    figures = list(_read_decimals(find_values(fact)))
    if len(figures) != 1:
        return False
    (figure,) = figures
    if figure in factors:
        return True
    for scale in SCALES:
        scaled = figure * scale
        is_stated = any(scaled == value for value in _read_decimals(unheld))
        if is_stated and any(_rounds_to(result, figure, scale) for result in results):
            return True
    return False


def _rounds_to(result: Decimal, figure: Decimal, scale: Decimal) -> bool:
    """Return True if the result, in the scale, is the figure to the digits it is written with."""
    exponent = figure.as_tuple().exponent
    step = Decimal(1).scaleb(exponent) if isinstance(exponent, int) else Decimal(1)
    return abs(result / scale - figure) <= step / 2
