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
    said, held = (
        {word_root(word): word for word in reversed(tokenize(text))} for text in (sentence, place)
    )
    for one in reversed(said):
        if one not in held:
            others = (*sorted(OPPOSITES.get(one, ())), *_negated_roots(said[one]))
            if other := next(
                (other for other in others if other in held and other not in said), ""
            ):
                return f"“{said[one]}” in the sentence, “{held[other]}” in the passage"
    return ""


@lru_cache(maxsize=4096)
def _negated_roots(word: str) -> tuple[str, ...]:
    """Return the roots of the word with a negating prefix added, and with one removed."""
    longer = [
        word_root(before + word) for before in _NEGATING_PREFIXES if len(word) >= _MIN_LETTERS
    ]
    shorter = [
        word_root(word.removeprefix(before))
        for before in _NEGATING_PREFIXES
        if word.startswith(before) and len(word) >= _MIN_LETTERS + len(before)
    ]
    return (*longer, *shorter)
