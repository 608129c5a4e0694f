"""Find names or figures that a sentence assigns differently from the one it is compared with.

"41 % in 2016 and 15 % in 2019" against "15 % in 2016 and 41 % in 2019", or "Alice sued Bob" against
"Bob sued Alice". Only orders are compared, nothing is parsed: both must hold the same words, and a
different construction (passive, a list) is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations

_YEAR = re.compile(r"(?<![\w.,])(?:1[5-9]|20)\d\d(?![\w%]|[.,]\d)")
_FIGURE = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*(?!\w)")
_WORD = r"(?<![\w'’])[A-Z][\w'’-]*\w"
_NAME = re.compile(rf"{_WORD}(?: (?:of |the |de |von |van )?{_WORD})*")
#: Words that begin sentences and are no names.
_STARTS = frozenset(
    """
        The A An In On At By For From Of To And But Or If When While As It Its He She They We This
        That These Those There His Her Their Our After Before Since Until During Between Both Some
        Many Most More All No Not With According About Over Under
    """.split()
)
#: Where one of these stands, the order of names does not say who does what.
_EITHER_WAY = re.compile(
    r"\b(?:by|and|or|with|between|both|each other|versus|vs|married|met)\b|[,;:/&]", re.IGNORECASE
)


def find_swapped(sentence: str, other: str) -> str:
    """Return the two names or figures whose order differs in the other sentence, or ""."""
    straight: list[tuple[str, ...]] = []
    turned: list[tuple[str, ...]] = []
    for find in (_find_years, _find_figures, _find_names):
        shared, same_order = _compare_order(find(sentence), find(other))
        if same_order is True:
            straight.append(shared)
        elif same_order is False:
            turned.append(shared)
    # Years in the same order and figures in another: each figure belongs to the other year.
    if straight and turned and all(len(shared) == 2 for shared in (*straight, *turned)):
        return " and ".join(turned[0])
    # Two names alone, with nothing between them that reads the same either way.
    names, same_order = _compare_order(_find_names(sentence), _find_names(other))
    if len(names) != 2 or same_order is not False:
        return ""
    if any(_EITHER_WAY.search(_text_between(text, names)) for text in (sentence, other)):
        return ""
    return " and ".join(names)


def _compare_order(
    ours: Sequence[str], theirs: Sequence[str]
) -> tuple[tuple[str, ...], bool | None]:
    """Return (items that both hold once, in our order; whether their order is the same).

    The second is None if the order is mixed or there are fewer than two items.
    """
    shared = [one for one in ours if ours.count(one) == theirs.count(one) == 1]
    if len(shared) < 2:
        return (), None
    places = [theirs.index(one) for one in shared]
    rising = {one < other for one, other in combinations(places, 2)}
    if len(rising) > 1:
        return tuple(shared), None
    return tuple(shared), rising.pop()


def _text_between(text: str, names: Sequence[str]) -> str:
    """Return the text between two names."""
    first, last = sorted(text.index(name) for name in names)
    return text[first:last]


@lru_cache(maxsize=1024)
def _find_years(text: str) -> list[str]:
    """Return the years in a text."""
    return _YEAR.findall(text)


@lru_cache(maxsize=1024)
def _find_figures(text: str) -> list[str]:
    """Return the figures in a text that are no years."""
    return [one for one in _FIGURE.findall(text) if not _YEAR.fullmatch(one)]


@lru_cache(maxsize=1024)
def _find_names(text: str) -> list[str]:
    """Return the names in a text, without a word that only begins the sentence."""
    return list(filter(None, map(_strip_name, _NAME.findall(text))))


def _strip_name(name: str) -> str:
    """Return a name without a leading sentence opener and a possessive ending."""
    first, _, rest = name.partition(" ")
    return (rest if first in _STARTS else name).removesuffix("'s").removesuffix("’s")
