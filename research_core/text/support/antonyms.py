"""Whether a place of a text says the opposite word where a sentence says its own: "sales rose" is
not met by "sales fell".

Only a word that the place lacks counts, while it holds an opposite of it that the sentence lacks:
so close a pair is rarely a coincidence. Who does what to whom is not read. `stance` looks wider,
and warns.
"""

from __future__ import annotations

from functools import lru_cache

from research_core.text.antonyms import CONTRARY_PAIRS, CONTRASTING_PAIRS, map_opposites
from research_core.text.similarity import word_root
from research_core.text.words import tokenize

#: The roots of the opposites of a root.
OPPOSITES = map_opposites(CONTRARY_PAIRS, CONTRASTING_PAIRS)
_NEGATING_PREFIXES = ("un", "in", "im", "il", "ir", "non", "dis")
#: So many letters has a word at least that "un" before it makes an opposite of ("able" in
#: "unable").
_MIN_LETTERS = 4


def find_opposite_word(sentence: str, place: str) -> str:
    """“word” and its opposite, for the first word of the sentence that the place lacks while it
    holds the opposite; "" where none is.
    """
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
    """The roots of the word with "un" or the like before it, and without."""
    longer = [
        word_root(before + word) for before in _NEGATING_PREFIXES if len(word) >= _MIN_LETTERS
    ]
    shorter = [
        word_root(word.removeprefix(before))
        for before in _NEGATING_PREFIXES
        if word.startswith(before) and len(word) >= _MIN_LETTERS + len(before)
    ]
    return (*longer, *shorter)
