"""Find the two things that a question compares.

Recognises the forms of English questions ("A versus B", "between A and B", "safer, A or B"). Of
more than two things, the first two are returned.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

from research_core.text.similarity import content_tokens, rarity, word_root

_COMPARATIVE = r"(?:\w+er|better|worse|more \w+|less \w+)"
_SIDE_END = (
    r"(?=[,;:?.]|\s(?:for|in|on|at|when|as|during|among|under|by|per|from|over|if|after|before"
    r"|regarding|with regard)\b|\s*$)"
)


def _compile_form(pattern: str) -> re.Pattern[str]:
    """Compile a pattern in which ONE, OTHER and MORE stand for the parts of a comparison."""
    for name in ("ONE", "OTHER"):
        pattern = pattern.replace(name, rf"(?P<{name.lower()}>[^,;:?]{{1,80}}?)")
    return re.compile(pattern.replace("MORE", _COMPARATIVE) + _SIDE_END, re.IGNORECASE)


#: The first that matches counts.
_COMPARISON_FORMS = (
    _compile_form(r"\bdifferences? between (?:the )?ONE and (?:the )?OTHER"),
    _compile_form(
        r"\bcompar(?:e|ing|ison of|ison between) (?:the )?ONE (?:and|with|to|against|versus|vs\.?)"
        r" (?:the )?OTHER"
    ),
    _compile_form(
        r"\b(?:which|what|who)\b[^?]{0,80}?\b(?:MORE|best|worst|most \w+|\w+est)\b[^,:?]{0,80}[,:]"
        r" (?:the )?ONE or (?:the )?OTHER"
    ),
    _compile_form(
        r"(?:^|\b(?:is|are|does|do|can|did|was|were|how|why) )"
        r"(?:the )?ONE (?:versus|vs\.?|compared (?:with|to)) (?:the )?OTHER"
    ),
    _compile_form(
        r"\b(?:is|are|does|do|was|were) (?:an? |the )?ONE MORE (?:than|to) (?:an? |the )?OTHER"
    ),
    _compile_form(
        r"\bhow (?:does|do|did) (?:an? |the )?ONE (?:compare|differ) (?:with|to|from)"
        r" (?:an? |the )?OTHER"
    ),
)


@dataclass(frozen=True)
class ComparedSides:
    """The two sides of a comparison.

    `names` are as the question writes them. `words` holds, for each side, the root of the rarest
    word that the other side lacks.
    """

    names: tuple[str, str]
    words: tuple[str, str]

    def alone(self, roots: Collection[str]) -> str:
        """Return the name of the only side that these roots speak of, or ""."""
        first, second = (word in roots for word in self.words)
        if first == second:
            return ""
        return self.names[0] if first else self.names[1]


@lru_cache(maxsize=256)
def find_compared_sides(question: str) -> ComparedSides | None:
    """Return the two sides, or None if nothing is compared or they have no words of their own."""
    for form in _COMPARISON_FORMS:
        match = form.search(question)
        if match:
            break
    else:
        return None
    one = " ".join(match["one"].split())
    other = " ".join(match["other"].split())
    one_weights = _weigh_roots(one)
    other_weights = _weigh_roots(other)
    one_word = _rarest_own_root(one_weights, other_weights)
    other_word = _rarest_own_root(other_weights, one_weights)
    if not one_word or not other_word:
        return None
    return ComparedSides((one, other), (one_word, other_word))


def _weigh_roots(name: str) -> dict[str, float]:
    """Return the rarity of each root in a name."""
    return {word_root(word): rarity(word) for word in content_tokens(name)}


def _rarest_own_root(own: dict[str, float], others: dict[str, float]) -> str:
    """Return the rarest root that the other side lacks, or ""."""
    return max(own.keys() - others.keys(), key=lambda word: (own[word], word), default="")
