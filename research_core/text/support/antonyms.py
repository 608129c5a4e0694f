"""Find a word whose opposite stands in the text: "sales rose" against "sales fell".

Only a word that the text lacks counts, and only if the text holds an opposite that the sentence
lacks: so close a pair is rarely a coincidence. Who does what to whom is not analysed. `stance`
casts a wider net, and only warns.
"""

from __future__ import annotations

from functools import lru_cache

from research_core.text.antonyms import CONTRARY_PAIRS, CONTRASTING_PAIRS, map_opposites
from research_core.text.similarity import word_root
from research_core.text.words import tokenize

#: Maps a root to the roots of its opposites.
OPPOSITES = map_opposites(CONTRARY_PAIRS, CONTRASTING_PAIRS)
_NEGATING_PREFIXES = ("un", "in", "im", "il", "ir", "non", "dis")
#: The least letters of a word that "un" before it negates ("able" in "unable").
_MIN_LETTERS = 4


def find_opposite_word(sentence: str, place: str) -> str:
    """Name the first word of the sentence whose opposite stands in the text, or return ""."""
    said = _spellings_by_root(sentence)
    held = _spellings_by_root(place)
    for root in reversed(said):
        if root in held:
            continue
        opposites = (*sorted(OPPOSITES.get(root, ())), *_negated_roots(said[root]))
        for other in opposites:
            if other in held and other not in said:
                return f"“{said[root]}” in the sentence, “{held[other]}” in the passage"
    return ""


def _spellings_by_root(text: str) -> dict[str, str]:
    """Map each root to its first spelling; the last root of the text comes first."""
    return {word_root(word): word for word in reversed(tokenize(text))}


@lru_cache(maxsize=4096)
def _negated_roots(word: str) -> tuple[str, ...]:
    """Return the roots of the word with a negating prefix added, and with one removed."""
    if len(word) < _MIN_LETTERS:
        return ()
    longer = [word_root(prefix + word) for prefix in _NEGATING_PREFIXES]
    shorter: list[str] = []
    for prefix in _NEGATING_PREFIXES:
        if word.startswith(prefix) and len(word) >= _MIN_LETTERS + len(prefix):
            shorter.append(word_root(word.removeprefix(prefix)))
    return (*longer, *shorter)
