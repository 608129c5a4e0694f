"""Find figures whose direction is reversed: "12 percent more" against "12 percent fewer".

Only words near a figure with a unit, scale or currency count, and only if everything the text says
of that figure goes the other way. Other contrasts are left to `stance`, which warns.
"""

from __future__ import annotations

import re
from functools import lru_cache

from research_core.text.similarity import word_root
from research_core.text.support.figures import find_figures
from research_core.text.words import tokenize

UP, DOWN = 1, -1
_DIRECTION_WORDS = {
    UP: (
        "increase rise rose risen grow growth grew grown gain more higher climb surge soar jump"
        " exceed above up"
    ),
    DOWN: (
        "decrease fall fell fallen decline shrink shrank shrunk lose lost loss less fewer lower"
        " drop plunge reduce reduction below down"
    ),
}
_DIRECTION_OF = {
    word_root(word): way for way, words in _DIRECTION_WORDS.items() for word in words.split()
}
#: Tokens on either side of a figure that can give its direction.
WINDOW_TOKENS = 3
#: "Up to 12", "more than 12", "below 12 percent of" give a bound and no direction.
_BOUND = re.compile(
    r"\b(?:(?:up|down)\s+to|(?:more|less|fewer|higher|lower)\s+than|above|below|at least|no more|no"
    r" less)\s*$",
    re.IGNORECASE,
)
_PAUSE = re.compile(r"[.;:()\n]")


def find_reversed_figures(sentence: str, text: str) -> list[str]:
    """Return the figures, as worded, that only go the other way in the text."""
    asked = find_directions(sentence)
    if not asked:
        return []
    there = find_directions(text)
    found: list[str] = []
    for value, (words, directions) in asked.items():
        if len(directions) != 1 or value not in there:
            continue
        _, other_directions = there[value]
        if other_directions == {-direction for direction in directions}:
            found.append(words)
    return found


@lru_cache(maxsize=256)
def find_directions(text: str) -> dict[str, tuple[str, frozenset[int]]]:
    """Map each value that has a direction to its first wording and all its directions."""
    said: dict[str, tuple[str, frozenset[int]]] = {}
    for figure in find_figures(text):
        if not figure.measured:
            continue
        before = text[max(0, figure.start - 60) : figure.start]
        behind = text[figure.end : figure.end + 60]
        near = _nearest_roots(_PAUSE.split(behind)[0], last=False)
        if not _BOUND.search(before):
            near += _nearest_roots(_PAUSE.split(before)[-1], last=True)
        directions = frozenset(_DIRECTION_OF[root] for root in near if root in _DIRECTION_OF)
        if directions:
            words, known = said.get(figure.value, (figure.words, frozenset()))
            said[figure.value] = words, known | directions
    return said


def _nearest_roots(text: str, *, last: bool) -> list[str]:
    """Return the roots of the tokens nearest to the figure, up to the next figure."""
    words = tokenize(text)
    if last:
        words.reverse()
    roots: list[str] = []
    for word in words[:WINDOW_TOKENS]:
        if word[0].isdigit():
            break
        roots.append(word_root(word))
    return roots
