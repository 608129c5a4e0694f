"""Find names, figures or roles that a sentence assigns differently from what it is compared with.

"41 % in 2016 and 15 % in 2019" against "15 % in 2016 and 41 % in 2019", or "Alice sued Bob" against
"Bob sued Alice". Names and figures are compared by order alone: both must hold the same words, and
a different construction (passive, a list) is ignored. Roles are read on both sides of a verb of a
table, active or passive.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from research_core.text.similarity import content_tokens, word_root

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


# ---------------------------------------------------------------- roles


@dataclass(frozen=True)
class _RoleVerbs:
    """Verbs that say the same of who does what to whom; `backward` ones the other way round."""

    forward: re.Pattern[str]
    backward: re.Pattern[str] | None
    has_passive: bool = True


def _compile_verbs(forward: str, backward: str = "", *, has_passive: bool = True) -> _RoleVerbs:
    """Compile a row of verbs."""
    turned = re.compile(rf"\b(?:{backward})\b", re.IGNORECASE) if backward else None
    return _RoleVerbs(re.compile(rf"\b(?:{forward})\b", re.IGNORECASE), turned, has_passive)


#: Forms of "be" and words that may stand between them and a passive participle.
_PASSIVE = re.compile(
    r"\b(?:is|are|was|were|be|been|being|got|gets?)\s+(?:\w+ly\s+|also\s+|often\s+|later\s+)?$",
    re.IGNORECASE,
)
_BY = re.compile(r"\bby\b", re.IGNORECASE)
_BY_NEXT = re.compile(r"\s+(?:\w+ly\s+)?by\b", re.IGNORECASE)
#: Where the part of a sentence that belongs to a verb ends.
_PART_END = re.compile(
    r"[,;:()—–]|\b(?:who|which|that|but|while|whereas|because|although|when|after|before|since"
    r"|until)\b",
    re.IGNORECASE,
)
#: Where the words end that name somebody or something.
_PREPOSITION = re.compile(
    r"\b(?:in|of|for|among|at|on|during|from|with|without|by|as|under|over|near|within|than)\b",
    re.IGNORECASE,
)
_LARGER = (
    "larger|bigger|higher|longer|older|faster|heavier|stronger|better|richer|cheaper|safer|warmer"
    "|taller|deeper|denser"
)
_SMALLER = "smaller|lower|shorter|younger|slower|lighter|weaker|worse|poorer|colder|fewer"
_ROLE_VERBS = (
    _compile_verbs(
        r"cause[sd]?|causing|leads? to|led to|results? in|resulted in|triggers?|triggered"
        r"|produces?|produced|brings? about|brought about|contribut(?:es?|ed) to|gives? rise to",
        r"results? from|resulted from|stems? from|stemmed from|(?:is|are|was|were) due to"
        r"|arises? from|arose from|(?:is|are|was|were) (?:an?|the) (?:result|consequence) of",
    ),
    _compile_verbs(r"acquire[sd]?|buys?|bought|purchase[sd]?|t(?:akes|ook|ake|aken) over"),
    _compile_verbs(r"sue[sd]?"),
    _compile_verbs(
        r"defeat(?:s|ed)?|beats?|beaten|overc[oa]mes?|conquer(?:s|ed)?", "los(?:es?|t) to"
    ),
    _compile_verbs(r"invade[sd]?|attack(?:s|ed)?|occup(?:y|ies|ied)"),
    _compile_verbs(r"kill(?:s|ed)?|murder(?:s|ed)?|assassinate[sd]?"),
    _compile_verbs(r"employ(?:s|ed)?|hire[sd]?"),
    _compile_verbs(r"teach(?:es)?|taught"),
    _compile_verbs(r"precede[sd]?", r"succeed(?:s|ed)?|follow(?:s|ed)?"),
    _compile_verbs(r"replace[sd]?|supersede[sd]?|supplant(?:s|ed)?", r"g[ia]ves? way to"),
    _compile_verbs(r"influence[sd]?|inspire[sd]?"),
    _compile_verbs(r"outnumber(?:s|ed)?|exceed(?:s|ed)?|outperform(?:s|ed)?|surpass(?:es|ed)?"),
    _compile_verbs(r"owns|owned|controls|controlled", r"belong(?:s|ed)? to"),
    _compile_verbs(r"critici[sz]e[sd]?|accuse[sd]?|blame[sd]?"),
    _compile_verbs(r"support(?:s|ed)?|endorse[sd]?"),
    _compile_verbs(r"infect(?:s|ed)?"),
    _compile_verbs(r"eats?|ate|eaten|prey(?:s|ed)? on|hunt(?:s|ed)?"),
    _compile_verbs(r"regulate[sd]?|activate[sd]?|inhibit(?:s|ed)?"),
    _compile_verbs(
        rf"(?:{_LARGER}|more(?: \w+)?) than",
        rf"(?:{_SMALLER}|less(?: \w+)?) than",
        has_passive=False,
    ),
)


def find_swapped_roles(sentence: str, other: str) -> str:
    """Return the verb whose two sides are exchanged in the other sentence, or ""."""
    for verbs in _ROLE_VERBS:
        ours = _find_roles(sentence, verbs)
        theirs = _find_roles(other, verbs) if ours else None
        if ours is None or theirs is None:
            continue
        crossed = ours.doer & theirs.target and ours.target & theirs.doer
        straight = ours.doer & theirs.doer or ours.target & theirs.target
        if crossed and not straight:
            return theirs.verb
    return ""


@dataclass(frozen=True)
class _Roles:
    """The words of who does and of whom it is done to, and the verb as written."""

    doer: frozenset[str]
    target: frozenset[str]
    verb: str


def _find_roles(text: str, verbs: _RoleVerbs) -> _Roles | None:
    """Return the roles around the first of these verbs, or None without a verb or a side."""
    verb = verbs.forward.search(text)
    backward = False
    if verb is None and verbs.backward is not None:
        verb = verbs.backward.search(text)
        backward = True
    if verb is None:
        return None
    before, after = text[: verb.start()], text[verb.end() :]
    agent = _BY.search(after)
    if verbs.has_passive and (_BY_NEXT.match(after) or _PASSIVE.search(before)):
        if agent is None:
            return None
        after = after[agent.end() :]
        backward = not backward
    left = _find_head(_PART_END.split(before)[-1]) or _find_head(before)
    right = _find_head(_PART_END.split(after)[0])
    if not left or not right:
        return None
    doer, target = (right, left) if backward else (left, right)
    return _Roles(doer, target, verb[0])


def _find_head(text: str) -> frozenset[str]:
    """Return the roots of the words that name something, before the first preposition if any."""
    for part in (_PREPOSITION.split(text)[0], text):
        roots = frozenset(map(word_root, content_tokens(part)))
        if roots:
            return roots
    return frozenset()
