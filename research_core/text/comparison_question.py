"""Find the two things that a question compares.

Recognises the forms of English questions ("A versus B", "between A and B", "safer, A or B"). Of
more than two things, the first two are returned.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

from research_core.text.similarity import CUE_ROW_OF, content_tokens, rarity, word_root

#: The words of a question that compares without naming in what.
COMPARING_ROOTS = frozenset(
    map(
        word_root,
        "difference differences differ different compare compared comparison versus vs better best"
        " worse main key choose pick between similarities pros cons two both".split(),
    )
)
_DEARER_OR_CHEAPER = frozenset(("cheaper", "costlier", "dearer", "pricier"))
#: Letters above which a word in "-ier" is a comparative ("healthier", not "tier").
MIN_COMPARATIVE = 5
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


_IN_WHAT_WAY = r"(?:how|in (?:what|which) (?:way|respect)s?)"
#: "…, and how do the two differ?": compares the two things that are named before it.
_HOW_THEY_DIFFER = (
    rf"[,;:.?]* (?:and |but )?(?:{_IN_WHAT_WAY}|what) (?:\w+ )?"
    r"(?:the two|they|both|these(?: two)?|those(?: two)?) (?:\w+ )?"
    r"(?:differ|different|compare|distinguished|distinct|similar|alike)"
)
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
        rf"\b{_IN_WHAT_WAY} (?:does|do|did|is|are|was|were) (?:an? |the )?ONE"
        r" (?:(?:compare|differ) (?:with|to|from)|(?:different|distinct) (?:from|to|than))"
        r" (?:an? |the )?OTHER"
    ),
    _compile_form(
        rf"\b{_IN_WHAT_WAY} (?:does|do|did|is|are|was|were) (?:an? |the )?ONE and (?:an? |the )?OTHER"
        r" (?:compare|differ|different|distinct)"
    ),
    _compile_form(r"\bdistinguish(?:es)? (?:an? |the )?ONE from (?:an? |the )?OTHER"),
    _compile_form(r"\bsets? (?:an? |the )?ONE apart from (?:an? |the )?OTHER"),
    _compile_form(
        r"\b(?:is|are|was|were|explain|describe|define|about) (?:an? |the )?ONE (?:and|or)"
        r" (?:what (?:is|are|was|were) )?(?:an? |the )?"
        rf"OTHER{_HOW_THEY_DIFFER}"
    ),
    _compile_form(
        r"\b(?:is|are|was|were|does|do|did) (?:an? |the )?ONE \w+ (?:from|out of|to|with)"
        rf" (?:an? |the )?OTHER{_HOW_THEY_DIFFER}"
    ),
)
#: "Heat pump or gas boiler?": only two things, or also what they are for.
_BARE_FORM = re.compile(
    r"^\W*(?:an? |the )?(?P<one>[^,;:?.]{2,40}?) or (?:an? |the )?(?P<other>[^,;:?.]{2,40}?)"
    r"(?: (?:for|in|on|at|when|as|during|under|by|with|if) [^?]{2,60})?\W*$",
    re.IGNORECASE,
)
#: Words that name nothing to compare: those of questions and statements, and of sides of a thing.
_NO_SIDE = re.compile(
    r"\b(?:what|which|how|why|when|where|who|is|are|was|were|do|does|did|can|could|should|would"
    r"|will"
    r"|has|have|had|may|might|must|i|you|we|he|she|it|they|my|your|our|not|and|or|of|if|any|some"
    r"|other"
    r"|whether|more|less|one|two|three|symptoms?|signs?|causes?|treatments?|effects?|costs?|prices?"
    r"|rules?|laws?|types?|kinds?|tips|advice|information|ways?|help|later|so|sooner|else|no|yes"
    r"|to|be)\b",
    re.IGNORECASE,
)
#: Words of each side of such a comparison, at most.
MAX_BARE_WORDS = 4


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
    match = _match_comparison(question)
    if match is None:
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


def _match_comparison(question: str) -> re.Match[str] | None:
    """Return the first form of a comparison that a question has."""
    for form in _COMPARISON_FORMS:
        match = form.search(question)
        if match:
            return match
    bare = _BARE_FORM.match(question)
    if bare is None or any(map(_NO_SIDE.search, (bare["one"], bare["other"]))):
        return None
    is_short = max(len(bare["one"].split()), len(bare["other"].split())) <= MAX_BARE_WORDS
    return bare if is_short else None


def strip_article(name: str) -> str:
    """Return the name of a side without "a", "an" or "the" before it."""
    return re.sub(r"^(?:an?|the) (?=\w)", "", name, flags=re.IGNORECASE)


def word_one_side(question: str, name: str) -> tuple[str, bool]:
    """Return a comparison as words about one side, and whether they name what it is compared in.

    name: of the side, as in `ComparedSides.names`; its words come first.
    """
    sides = find_compared_sides(question)
    if sides is None:
        return "", False
    side_words = {side: _list_thing_words(side) for side in sides.names}
    known = {word for words in side_words.values() for word in words}
    criteria = _list_criteria(question, known)
    words = " ".join(side_words[name])
    if not criteria:
        return f"What is {words}?", False
    return " ".join([words, *criteria]), True


def _list_thing_words(side: str) -> list[str]:
    """Return the words of a side without those that ask for something of it ("charge")."""
    return [word for word in content_tokens(side) if word_root(word) not in CUE_ROW_OF]


def _list_criteria(question: str, side_words: Collection[str]) -> list[str]:
    """Return the words of a comparison that name neither side and do not only compare."""
    criteria = []
    for word in content_tokens(question):
        if word not in side_words and word_root(word) not in COMPARING_ROOTS:
            criteria.append(_name_quality(word))
    return list(dict.fromkeys(criteria))


def _name_quality(word: str) -> str:
    """Return what is compared for a comparative, as a text on one side alone does not compare."""
    if word in _DEARER_OR_CHEAPER:
        return "cost"
    return f"{word[:-3]}y" if len(word) > MIN_COMPARATIVE and word.endswith("ier") else word


def _weigh_roots(name: str) -> dict[str, float]:
    """Return the rarity of each root in a name."""
    return {word_root(word): rarity(word) for word in content_tokens(name)}


def _rarest_own_root(own: dict[str, float], others: dict[str, float]) -> str:
    """Return the rarest root that the other side lacks, or ""."""
    return max(own.keys() - others.keys(), key=lambda word: (own[word], word), default="")
