"""Find where a sentence says more than its passage: a higher degree, more cases, another place.

"The largest" is more than "one of the largest", "athletes" are more than "women athletes", and "in
the United States" is more than a passage that names no country. The words that limit a statement
are in tables; anything else that limits one is missed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from research_core.i18n import _
from research_core.text.similarity import FILLER_WORDS, word_root
from research_core.text.words import tokenize

#: Superlatives that mean the same, by row.
_SUPERLATIVE_ROWS = """
largest biggest greatest hugest
smallest tiniest littlest
highest tallest
lowest shortest
longest
oldest earliest first
newest youngest
fastest quickest
slowest
strongest mightiest
weakest
best finest
worst
richest wealthiest
poorest
deepest
hottest warmest
coldest coolest
cheapest
safest
rarest
busiest
wettest
driest
nearest closest
densest
heaviest
lightest
brightest
hardest toughest
easiest simplest
widest broadest
deadliest
leading foremost chief top
only sole
"""
SUPERLATIVE_ROW_OF = {
    word: number for number, row in enumerate(_SUPERLATIVE_ROWS.split("\n")) for word in row.split()
}
#: A passage need not say so: its "in 1973" may be the most recent time.
_OF_TIME = frozenset({"most recent", "most recently", "most importantly", "most likely"})
#: Words before a superlative that make it one of several, or not the first.
_NOT_ALONE = re.compile(
    r"\b(?:(?:one|some|two|three|many|several|part|most) of|among|amongst|second|third|fourth"
    r"|fifth|sixth|seventh|eighth|ninth|tenth|joint|\d+(?:nd|rd|th)|possibly|perhaps|probably"
    r"|arguably|once|formerly|reportedly|allegedly|nearly|almost)\b[^,;:.]{0,25}$",
    re.IGNORECASE,
)
#: Other ways of saying that something exceeds all others.
_EXCEEDS_ALL = re.compile(
    r"\b(?:more|larger|bigger|higher|longer|older|faster|better|worse|lower) than (?:any|all|every)"
    r"|\bno(?:thing| other| one| country| city)\b|\bunrivall?ed|\bunmatched|\bunsurpassed"
    r"|\bnumber one\b|\b[Nn]o\. ?1\b|#1\b|\branks? first|\brecord|\bmaximum|\bminimum|\bmost\b"
    r"|\bleast\b|\bpeak|\btops?\b|\bleads?\b|\bleading\b|\bunique\b|\w{3}est\b|\bbest\b|\bworst\b"
    r"|\bfirst\b|\bonly\b",
    re.IGNORECASE,
)
_DETERMINER = re.compile(r"\b(?:the|its|their|our|his|her|\w+['’]s?)\s+(?:\w+\s+)?$", re.IGNORECASE)
_NOUN_NEXT = re.compile(r"\s+\w")
#: Where a superlative applies, after its noun: "the largest lake in Africa".
_PLACE_AFTER = re.compile(
    r"^(?:\s+[\w'’-]+){1,3}?\s+(?:in|of|among|outside|within|on)\s+(?:the\s+)?(?P<words>[\w'’-]+)"
)

#: Words between a superlative and its noun: "the largest private employer".
_NARROWED = re.compile(r"\s+(?P<words>(?:[a-z][\w'’-]*\s+){1,2}?)(?P<noun>[\w'’-]+)")

#: Words that limit a statement to a group, by row: those of a row mean the same.
_GROUP_ROWS = """
women woman female females girls girl
men man male males boys boy
children child kids kid pediatric paediatric schoolchildren minors
infant infants newborn newborns baby babies neonates neonatal
adolescent adolescents teenage teenager teenagers teens teen
elderly older seniors
young younger youth
pregnant pregnancy
postmenopausal menopausal
obese overweight obesity
diabetic diabetics diabetes
healthy
elite professional
amateur
retired
unemployed
smokers smoker smoking
hospitalised hospitalized hospital inpatients
mice mouse murine rodent rodents rats rat
vitro cultured
zebrafish
monkeys macaques primates
animal animals
rural
urban
"""
GROUP_ROW_OF = {
    word: number for number, row in enumerate(_GROUP_ROWS.split("\n")) for word in row.split()
}
_ADJECTIVES = frozenset(
    """
    female male pediatric paediatric adolescent teenage elderly older young younger pregnant
    postmenopausal menopausal obese overweight diabetic healthy elite professional amateur retired
    unemployed hospitalised hospitalized rural urban murine cultured
    """.split()
)
_PEOPLE = frozenset(
    "women men adults people persons patients children athletes workers individuals students"
    " volunteers subjects participants".split()
)
_PREPOSITIONS = frozenset("in among".split())
_CLAUSE_END = re.compile(r"[,;:()—–]\s")
_CAPITALISED = re.compile(r"\b[A-Z][\w'’-]*")
#: Words that admit exceptions, and words that admit none.
_SOME = re.compile(
    r"\b(?:some|a few|few|several|certain|(?:half|a third|a quarter|a minority|part|parts) of"
    r"|not all|a (?:small |large )?(?:number|share|fraction|proportion) of)\s+(?:of\s+)?(?:the\s+"
    r"|these\s+|those\s+)?(?P<noun>[\w'’-]+(?:\s+[\w'’-]+)?)",
    re.IGNORECASE,
)
_MOST = re.compile(
    r"\b(?:most|many|the majority|a majority|nearly all|almost all|often|usually|generally"
    r"|typically|frequently|mostly|largely)\b",
    re.IGNORECASE,
)
_SELDOM = re.compile(
    r"\b(?:sometimes|occasionally|rarely|seldom|in (?:some|rare|a few|certain|severe) cases"
    r"|partly|partially|in part|to some extent|at times|temporarily|briefly)\b",
    re.IGNORECASE,
)
_ALL = re.compile(
    r"\b(?:all|every|each|always|everyone|everybody|never|no|none|nobody|without exception"
    r"|entirely|completely|fully|any)\b",
    re.IGNORECASE,
)
#: Words with which a sentence admits exceptions itself.
_ADMITS_EXCEPTIONS = re.compile(
    r"\b(?:some|few|several|certain|half|third|quarter|minority|part(?:ly|ially|s)?|not|number"
    r"|share|fraction|proportion|percent|many|most|often|sometimes|occasionally|rarely|seldom"
    r"|can|may|might|could|cases?|times|various|one|temporar\w+|brief\w*|extent|among|include\w*"
    r"|including|such as|example|majority|usually|generally|typically|an?|there (?:are|is))\b|%|\d",
    re.IGNORECASE,
)
#: A place or group to which a sentence limits itself.
_SCOPE = re.compile(
    r"\b(?:[Ii]n|[Aa]cross|[Tt]hroughout|[Ww]ithin|[Aa]mong)\s+(?:the\s+)?"
    r"(?P<name>[A-Z][\w’'-]+(?:\s+(?:of\s+(?:the\s+)?)?[A-Z][\w’'-]+)*)"
)
_ENGLISH = re.compile(r"\b(?:the|of|and|is|are|was|were|has|have|to|for|than|on|by)\b")
#: Names that mean the same place, by row; each is looked for as a whole word.
_SAME_PLACE = """
united states|us|u.s|usa|u.s.a|america|american|americans|federal
united kingdom|uk|u.k|britain|british|england|english
scotland|scottish
wales|welsh
european union|eu|europe|european
germany|german|germans
france|french
netherlands|dutch|holland
spain|spanish
china|chinese
japan|japanese
switzerland|swiss
greece|greek
denmark|danish
poland|polish
sweden|swedish
finland|finnish
turkey|turkish
ireland|irish
"""
_PLACE_ROWS = tuple(frozenset(row.split("|")) for row in _SAME_PLACE.strip().split("\n"))
_NO_PLACES = frozenset(
    "january february march april may june july august september october november december spring"
    " summer autumn fall winter monday tuesday wednesday thursday friday saturday sunday".split()
)
#: The least common beginning of a name and of another form of it: "Italy", "Italian".
_NAME_STEM = 4


# ---------------------------------------------------------------- degree


def find_raised_degree(sentence: str, place: str) -> str:
    """Return a note on a superlative that the place lacks or limits, or ""."""
    for match in _find_superlatives(sentence):
        if match[0].lower() in _OF_TIME or _NOT_ALONE.search(sentence[: match.start()]):
            continue
        if not _NOUN_NEXT.match(sentence[match.end() :]):
            continue
        row = SUPERLATIVE_ROW_OF.get(match[0].lower(), match[0].lower())
        held = [
            one
            for one in _find_superlatives(place)
            if SUPERLATIVE_ROW_OF.get(one[0].lower(), one[0].lower()) == row
        ]
        if not held:
            adjective = match[0].split()[-1]
            is_definite = re.search(rf"\bthe {re.escape(adjective)}\b", place, re.IGNORECASE)
            if not is_definite and not _EXCEEDS_ALL.search(place):
                return _("Not in the passage: {words}.").format(words=match[0])
            continue
        limits = [_find_limit(sentence, match, place, one) for one in held]
        if all(limits):
            return _("The passage limits this: it says “{words}”.").format(words=limits[0])
    return ""


@lru_cache(maxsize=2048)
def _find_superlatives(text: str) -> tuple[re.Match[str], ...]:
    """Return the superlatives of a text that a determiner or "most" makes definite."""
    return tuple(_iterate_superlatives(text))


_SUPERLATIVE = re.compile(
    rf"\b(?:(?:most|least)\s+[a-z-]+|{'|'.join(SUPERLATIVE_ROW_OF)})\b", re.IGNORECASE
)


def _iterate_superlatives(text: str) -> Iterator[re.Match[str]]:
    """Yield each superlative after a determiner."""
    for match in _SUPERLATIVE.finditer(text):
        if _DETERMINER.search(text[: match.start()]):
            yield match


def _find_limit(sentence: str, own: re.Match[str], place: str, other: re.Match[str]) -> str:
    """Return the words that limit the superlative of the place alone, or ""."""
    noun = "".join(tokenize(sentence[own.end() :])[:1])
    not_alone = _NOT_ALONE.search(place[: other.start()])
    if not_alone:
        return "" if noun.endswith("s") else f"{not_alone[0]}{other[0]}"
    known = set(map(word_root, tokenize(sentence)))
    narrowed = _NARROWED.match(place[other.end() :])
    if noun and narrowed and narrowed["noun"].lower() == noun:
        between = map(word_root, tokenize(narrowed["words"]))
        return "" if known.intersection(between) else f"{other[0]}{narrowed[0]}"
    where = _PLACE_AFTER.match(place[other.end() :])
    if where and where["words"].lower() not in FILLER_WORDS:
        own_where = _PLACE_AFTER.match(sentence[own.end() :])
        if word_root(where["words"].lower()) not in known and own_where is None:
            return f"{other[0]}{where[0]}"
    return ""


# ---------------------------------------------------------------- cases


def find_wider_claim(sentence: str, place: str) -> str:
    """Return the words of the place that limit a statement and that the sentence drops, or ""."""
    return (
        _find_dropped_group(sentence, place)
        or _find_dropped_quantity(sentence, place)
        or _find_dropped_frequency(sentence, place)
    )


def _find_dropped_group(sentence: str, place: str) -> str:
    """Return the group to which the place alone limits the statement, or ""."""
    own_words = tokenize(sentence)
    if any(word in GROUP_ROW_OF for word in own_words):
        return ""
    # A word within a name ("Football League") is no group.
    plain = tokenize(sentence[:1].lower() + sentence[1:])
    names = {word.lower() for word in _CAPITALISED.findall(sentence[1:])}
    own_roots = {word_root(word) for word in plain if word not in names | FILLER_WORDS}
    words = tokenize(_find_main_clause(place, own_roots))
    for before, word, after in zip(["", *words], words, [*words[1:], ""], strict=False):
        if word not in GROUP_ROW_OF or after == "than":
            continue
        if before in _PREPOSITIONS and (word not in _ADJECTIVES or after in _PEOPLE):
            return f"{before} {word}" if word not in _ADJECTIVES else f"{before} {word} {after}"
        if after and word_root(after) in own_roots:
            return f"{word} {after}"
    return ""


def _find_main_clause(place: str, roots: set[str]) -> str:
    """Return the clause of the place that holds most of these roots, the first of equals."""
    clauses = _CLAUSE_END.split(place)
    return max(
        clauses, key=lambda clause: len(roots.intersection(map(word_root, tokenize(clause))))
    )


def _find_dropped_quantity(sentence: str, place: str) -> str:
    """Return "some" or the like where the sentence speaks of all, or ""."""
    if not _ADMITS_EXCEPTIONS.search(sentence):
        own_roots = set(map(word_root, tokenize(sentence)[:4]))
        for match in _SOME.finditer(place):
            nouns = [word_root(word) for word in tokenize(match["noun"])]
            if own_roots.intersection(nouns):
                return match[0]
    if _ALL.search(sentence) and not _ALL.search(place):
        limited = _MOST.search(place) or _SOME.search(place)
        return limited[0] if limited else ""
    return ""


def _find_dropped_frequency(sentence: str, place: str) -> str:
    """Return "sometimes" or the like where the sentence has no such word, or ""."""
    match = _SELDOM.search(place)
    if match is None or _ADMITS_EXCEPTIONS.search(sentence):
        return ""
    return match[0]


# ---------------------------------------------------------------- place


def find_added_scope(sentence: str, text: str) -> str:
    """Return a place or group that the sentence names and the whole text does not, or ""."""
    folded = text.casefold()
    # In German every noun has a capital, so that only English sentences are read.
    for match in _SCOPE.finditer(sentence) if _ENGLISH.search(sentence) else ():
        name = match["name"].removesuffix("'s").removesuffix("’s")
        words = name.casefold().split()
        if words[0] in _NO_PLACES or _names_place(name.casefold(), words, folded):
            continue
        return name
    return _find_added_group(sentence, text)


def _names_place(name: str, words: Sequence[str], folded: str) -> bool:
    """Return whether the text has the name, another name of the place, or a form of a word."""
    for row in _PLACE_ROWS:
        if name in row:
            return any(_holds_word(each, folded) for each in row)
    initials = "".join(word[0] for word in words)
    if len(initials) > 1 and _holds_word(initials, folded):
        return True
    return any(
        word[: max(_NAME_STEM, len(word) - 3)] in folded
        for word in words
        if word not in ("of", "the")
    )


def _holds_word(word: str, folded: str) -> bool:
    """Return whether a folded text has the word as a whole."""
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", folded) is not None


def _find_added_group(sentence: str, text: str) -> str:
    """Return the group to which the sentence alone limits itself, or ""."""
    held = set(tokenize(text))
    held_rows = {GROUP_ROW_OF[word] for word in held if word in GROUP_ROW_OF}
    words = tokenize(sentence)
    for word, after in zip(words, [*words[1:], ""], strict=True):
        row = GROUP_ROW_OF.get(word)
        if row is not None and row not in held_rows and after != "than":
            return word
    return ""
