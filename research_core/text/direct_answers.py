"""Tell whether a sentence answers a question directly, and whether it only repeats the question.

"X is a … that …" answers "what is X", "Y leads to X" answers "what causes X", a figure answers "how
much". It goes by the forms of English sentences and by no subject.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

from research_core.text.asked_facets import CAUSE_IN_PASSING
from research_core.text.asked_fillers import gives_time
from research_core.text.comparison_question import find_compared_sides
from research_core.text.figures import parse_figures
from research_core.text.question_topic import (
    FACET_WORDS,
    MIN_SHARE_NAMED,
    Topic,
    are_spellings_of_one,
    find_topic,
    measure_named,
    names_topic,
)
from research_core.text.question_types import QuestionType, classify_question
from research_core.text.sentence_meaning import list_asking_sentences
from research_core.text.similarity import content_tokens, parse_question, word_root

#: Words of a subject beside the thing asked about that a definition may have.
MAX_OTHER_SUBJECT_WORDS = 0
#: A sentence with fewer words that the question lacks says nothing new.
MIN_NEW_WORDS = 2

# ---------------------------------------------------------------- definitions

_DEFINITION = re.compile(
    r"^(?P<subject>[^,;:—]{2,90}?(?:, (?:or|also (?:called|known as)|sometimes called|called)"
    r" [^,]{2,60},)?)(?: is| are| was| were| refers? to| means| describes)"
    r"(?: (?:also|often|usually|commonly|typically|generally|basically|essentially))?"
    r" (?P<class>.+)$"
)
_CLASS = re.compile(
    r"(?:an?|the|any|one of(?: the| several| many)?|when|where|part of|type of|kind of) \w"
    r"|(?:[a-z]+(?:ed|ing|al|ous|ic|ive|ar|ary|ful|like|made) )?[a-z-]+s? (?:that|which|who|used|made"
    r"|designed|caused|in which|of the)\b"
    # "inflammation of the ear", "high blood pressure in the arteries"
    r"|(?!(?:more|most|less|not|very|often|also|\w+ly|common|rare|important|possible|available"
    r"|likely"
    r"|due|part|responsible|different|similar|typical|able|necessary|essential|useful|safe|\w+ed"
    r"|\w+ing"
    r"|\w+ful|\w+ble|\w+ous|born|made|known|found|done|given|seen|worse|better|at|in|on|up|over)\b)"
    r"(?:[a-z-]+ ){0,3}?[a-z-]{4,} (?:of|in) (?:an?|the|your|one|any|some|all|certain)? ?[a-z]"
)
#: "The most common cause", "a problem", "a good idea": says how something is, not what.
_NO_CLASS = re.compile(
    r"(?:an?|the|one of(?: the)?) (?:\w+ ){0,3}?(?:cause|reason|problem|issue|concern|idea|challenge"
    r"|risk|example|result|question|matter|sign|symptom|topic|time|year|case|same|only|best|worst"
    r"|first|last|most|main|key|number|subject|focus|good|great|bad|big|bigger|better|mystery)\b"
)
#: "A genetic disorder and the causes are complex" names a class and nothing that sets it apart.
_CLASS_ALONE = re.compile(
    r"(?:an?|the) (?:[\w-]+ ){1,4}(?:and|but) (?:the|its|their|it|there|this) ", re.I
)
_NO_SUBJECT_OF_DEFINITION = re.compile(
    r"\b(?:whether|how|what|why|that|which|who|because|if|when|while|there|although|not|cause of"
    r"|symptoms? of|signs? of|treatment (?:of|for)|history of|risk of|goal of|types? of|people with"
    r"|patients with|most|some|many|few)\b",
    re.IGNORECASE,
)


def defines(text: str, topic: Topic, synonyms: Collection[str] = ()) -> bool:
    """Return whether a sentence says what the topic is, with the topic as its subject."""
    match = _DEFINITION.match(text.lstrip("\"'“‘«*_ "))
    if match is None or _NO_SUBJECT_OF_DEFINITION.search(match["subject"]):
        return False
    if not _CLASS.match(match["class"]) or _NO_CLASS.match(match["class"]):
        return False
    if _CLASS_ALONE.match(match["class"]):
        return False
    subject = re.sub(r"\([^)]*\)|, (?:or|also|sometimes|called) .*", " ", match["subject"])
    if not names_topic(topic, match["subject"], synonyms):
        return False
    known = topic.weights.keys() | FACET_WORDS
    known |= {word_root(word) for name in synonyms for word in content_tokens(name)}
    others = {word_root(word) for word in content_tokens(subject)} - known
    misspelled = {
        other for other in others if any(are_spellings_of_one(other, root) for root in known)
    }
    return len(others - misspelled) <= MAX_OTHER_SUBJECT_WORDS


def defines_other(text: str, topic: Topic) -> bool:
    """Return whether a sentence says what a narrower thing of the same name is, or how it is."""
    match = _DEFINITION.match(text.lstrip("\"'“‘«*_ "))
    if match is None or not _CLASS.match(match["class"]):
        return False
    return names_topic(topic, match["subject"]) and not defines(text, topic)


# ---------------------------------------------------------------- cause and effect

_FORWARD = re.compile(
    r"\b(?:(?:is|are|was|were) (?:an?|the|one) (?:\w+ ){0,4}?(?:causes?|reasons?|triggers?) (?:of|for)"
    r"|caus(?:es?|ed|ing)(?! of\b)|leads? to|led to|leading to|results? in|resulted in|triggers?"
    r"|triggered|increases?|increased|contributes? to|contributed to|increas(?:es?|ed) (?:the |your |a |their )?"
    r"(?:\w+ ){0,2}(?:risk|chance|likelihood)s? (?:of|for)|raises?|worsens?|produces?|brings? about"
    r"|makes?|damages?|harms?|affects?|affected|reduces?|lowers?|improves?|drives?|drove|sparked"
    r"|prompted|provokes?|gives? rise to|destroys?|kills?|can cause|prevents?)\b",
    re.IGNORECASE,
)
_BACKWARD = re.compile(
    r"\b(?:(?:is|are|was|were|be|been|being) (?:\w+ )?(?:caused|triggered|brought on|driven|sparked"
    r"|produced|explained|provoked) by|caused by|due to|because(?: of)?|results? from|resulted from"
    r"|stems? from|comes? from|came from|arises? (?:from|when)|owing to|as a result of|happens? when"
    r"|occurs? when|develops? when|attributed to|linked to|associated with|depends? on|inherited)\b",
    re.IGNORECASE,
)
#: "The main cause of rust is …".
_CAUSE_OF = re.compile(
    r"\b(?:causes?|reasons?|risk factors?) (?:of|for|behind) (?P<effect>.{3,60}?)"
    r" (?:is|are|was|were|includes?|can be|may be)\b",
    re.IGNORECASE,
)
#: How a question names the cause (A) and the effect (B).
_SIDES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:effects?|impacts?|influence|consequences?) (?:of|from) (?P<cause>.+?)"
        r"(?: (?:on|upon|for) (?P<effect>.+?))?[?.]?$",
        r"\bhow (?:do|does|did|can|could|will) (?P<cause>.+?) (?:affect|influence|impact|change|harm"
        r"|damage|help) (?P<effect>.+?)[?.]?$",
        r"\bwhat (?:do|does|did|can|could) (?P<cause>.+?) do to (?P<effect>.+?)[?.]?$",
        r"^\W*(?:do|does|did|can|could|may|might|will|would) (?P<cause>.+?) (?:cause|lead to|trigger"
        r"|result in|contribute to|increase|reduce|affect|damage|harm) (?P<effect>.+?)[?.]?$",
        r"\bwhat (?:\w+ )?(?:causes?|caused|leads? to|led to|triggers?|triggered|makes?)"
        r" (?P<effect>.+?)[?.]?$",
        r"\b(?:causes?|reasons?|risk factors?) (?:of|for|behind) (?P<effect>.+?)[?.]?$",
        r"\bwhy (?:do|does|did|is|are|was|were|has|have|can) (?P<effect>.+?)[?.]?$",
        r"\bwhat (?:is|are|was|were) (?P<effect>.+?) caused by[?.]?$",
    )
)


@dataclass(frozen=True)
class CauseSides:
    """The roots that name the cause and the effect in a question; empty where it names none."""

    cause: frozenset[str] = frozenset()
    effect: frozenset[str] = frozenset()


@lru_cache(maxsize=256)
def find_cause_sides(question: str) -> CauseSides:
    """Return the cause and the effect that a question names; for "it", what the question is on."""
    for form in _SIDES:
        match = form.search(question.strip())
        if match:
            groups = match.groupdict()
            sides = (_find_side(question, groups.get(name)) for name in ("cause", "effect"))
            return CauseSides(*sides)
    return CauseSides()


_PRONOUN = re.compile(r"(?:it|this|that|them|these|those)", re.IGNORECASE)


def _find_side(question: str, named: str | None) -> frozenset[str]:
    """Return the roots of a side; for a pronoun, those of the topic."""
    if named and _PRONOUN.fullmatch(named.strip()):
        return frozenset(find_topic(question).weights)
    return _roots(named)


def _roots(text: str | None) -> frozenset[str]:
    return frozenset(map(word_root, content_tokens(text or "")))


_CAUSE_IN_PASSING = re.compile(CAUSE_IN_PASSING, re.IGNORECASE)
#: A remark of several words: "(sudden arrest, which occurs when …)".
_IN_BRACKETS = re.compile(r"\((?:[^\s()]+ ){3,}[^()]*\)")


def goes_from_cause_to_effect(text: str, sides: CauseSides) -> bool | None:
    """Return whether a sentence goes in the direction asked; None if it tells no direction."""
    named = _CAUSE_OF.search(text)
    if named and sides.effect and _holds_half(sides.effect, _roots(named["effect"])):
        return True
    # What tells of another thing, or in the other direction.
    text = _CAUSE_IN_PASSING.sub(" ", _IN_BRACKETS.sub(" ", text))
    directions = [(_BACKWARD, True), (_FORWARD, False)]
    for pattern, is_backward in directions:
        for match in pattern.finditer(text):
            before = _roots(_cut_to_subject(text[: match.start()]))
            after = _roots(text[match.end() :])
            cause, effect = (after, before) if is_backward else (before, after)
            fits, is_reverse = _fit(sides, cause, effect), _fit(sides, effect, cause)
            if fits and is_reverse:  # a long list holds words of either side
                fits = not _is_rather(sides, effect, cause, than=(cause, effect))
            if fits or is_reverse:
                return fits
    return None


#: "…, but these signs can be": a clause with a subject of its own, and the noun before ", which".
_OWN_SUBJECT = re.compile(
    r".*[,;] (?:and|but|so|while|whereas|although|though) (?=(?:these|those|such|some|other"
    r"|most|many"
    r"|the|an?) (?!(?:condition|disease|disorder|problem)\b)\w)",
    re.IGNORECASE,
)
_BEFORE_WHICH = re.compile(r".*?(?P<noun>(?:[^\s,]+ )?[^\s,]+), which\b[^,]*$", re.IGNORECASE)


#: "Rust is a decay, which": the noun before "which" is the subject again.
_NAMES_CLASS = re.compile(r"\b(?:is|are) (?:an?|the) ", re.IGNORECASE)


def _cut_to_subject(before: str) -> str:
    """Return what stands before a verb from the clause on whose subject it has."""
    relative = _BEFORE_WHICH.fullmatch(before)
    if relative and not _NAMES_CLASS.search(before):
        return relative["noun"]
    return _OWN_SUBJECT.sub("", before)


def _is_rather(
    sides: CauseSides,
    cause: frozenset[str],
    effect: frozenset[str],
    *,
    than: tuple[frozenset[str], frozenset[str]],
) -> bool:
    """Return whether these sides hold more of what a question names than others, or all of it."""
    held = len(sides.cause & cause) + len(sides.effect & effect)
    held_by_others = len(sides.cause & than[0]) + len(sides.effect & than[1])
    is_whole = held == len(sides.cause) + len(sides.effect)
    return held > held_by_others or (is_whole and held == held_by_others)


def _fit(sides: CauseSides, cause: frozenset[str], effect: frozenset[str]) -> bool:
    if not sides.cause and not sides.effect:
        return False
    fits_cause = not sides.cause or _holds_half(sides.cause, cause)
    return fits_cause and (not sides.effect or _holds_half(sides.effect, effect))


def _holds_half(named: frozenset[str], held: frozenset[str]) -> bool:
    return 2 * len(named & held) >= len(named)


# ---------------------------------------------------------------- other forms

_MONEY_ASKED = re.compile(r"\b(?:costs?|prices?|pay|salary|fees?|charges?|expensive)\b", re.I)
_MONEY_GIVEN = re.compile(
    r"[$€£¥]\s?\d|\d[,.]*+\s?(?:k\b|million |billion )?(?:dollars?|euros?|pounds?|cents?|usd|eur"
    r"|gbp|chf|yen|[$€£¥])",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d")
_CONTRASTS = re.compile(
    r"\b(?:than|whereas|while|unlike|differ\w*|compared|in contrast|instead of|rather|but)\b", re.I
)


@lru_cache(maxsize=256)
def find_answer_kind(question: str) -> QuestionType:
    """Return the kind of answer that the asking sentences of a question ask for.

    What is told beside them does not count: "Rust. Can it be stopped?" is a yes or no.
    """
    return classify_question(" ".join(list_asking_sentences(question)))


def answers_directly(question: str, text: str, synonyms: Collection[str] = ()) -> bool:
    """Return whether a sentence has the form of a direct answer and the right things in it."""
    kind = find_answer_kind(question)
    topic = find_topic(question)
    if kind.name in ("definition", "overview"):
        return defines(text, topic, synonyms)
    if kind.name in ("cause", "effect"):
        direction = goes_from_cause_to_effect(text, find_cause_sides(question))
        if direction is not None:
            return direction
        is_open = find_cause_sides(question) == CauseSides()
        return is_open and _gives_form(kind, text) and names_topic(topic, text, synonyms)
    if kind.name == "how much":
        if _MONEY_ASKED.search(question):
            return bool(_MONEY_GIVEN.search(text))
        return bool(parse_figures(text) or _NUMBER.search(text))
    if kind.name == "comparison":
        sides = find_compared_sides(question)
        roots = set(map(word_root, content_tokens(text)))
        names_both = sides is None or roots.issuperset(sides.words)
        return names_both and bool(_CONTRASTS.search(text))
    return bool(kind.given.pattern) and _gives_form(kind, text) and _names_facet(question, text)


def _names_facet(question: str, text: str) -> bool:
    """Return whether a sentence names what the question wants to know ("diagnosis"), if it does."""
    asked = parse_question(question).words.keys() & FACET_WORDS
    return not asked or not asked.isdisjoint(map(word_root, content_tokens(text)))


def _gives_form(kind: QuestionType, text: str) -> bool:
    return bool(kind.given.search(text))


def goes_wrong_way(question: str, text: str) -> bool:
    """Return whether a sentence tells the effect where the cause is asked for, or the reverse."""
    if find_answer_kind(question).name not in ("cause", "effect"):
        return False
    return goes_from_cause_to_effect(text, find_cause_sides(question)) is False


# ---------------------------------------------------------------- restatements

_REPORTS_QUESTION = re.compile(
    r"\b(?:ask(?:s|ed|ing)?|wonder\w*|debat\w+|discuss\w*|look(?:s|ed|ing)? at|explor\w+|examin\w+"
    r"|investigat\w+|stud(?:y|ies|ied)|cover\w*|focus\w*|set out|question(?:s|ed)?|explains?"
    r"|to (?:learn|find out|understand|know))\b (?:\w+ ){0,3}?"
    r"(?:which|what|whether|how|why|who|when|if)\b"
    r"|\b(?:has|have) (?:long |widely |often |also )?been (?:studied|investigated|examined|discussed"
    r"|debated|researched|looked at)\b"
    r"|^(?:most|much|a lot|some|all)(?: of)?(?: the| this)? (?:talk|discussion|debate|writing"
    r"|coverage|attention|literature|news)\b"
    r"|\b(?:talk|lecture|article|guide|page|book|podcast|episode|course|series|report|paper|briefing"
    r"|leaflet|video|chapter|section) (?:is about|looks at|covers?|explores?|explains?|discusses"
    r"|describes?|deals with|focuses on|introduces?|asks?|examines?)\b",
    re.IGNORECASE,
)
_EMPTY_WORDS = frozenset(
    map(
        word_root,
        """
        important many people several various often common different certain able become seem talk
        subject topic wide widely range consider considered thought complex clear matter much number
        question answer discuss discussed depend everyone well-known interest interesting concern
        """.split(),
    )
)


#: "There is no cure for rust" says something in the question's own words.
_DENIES = re.compile(
    r"^there (?:is|are|was|were) (?:currently |still |as yet |usually )?no\b|\bno known\b"
    r"|\bcannot be\b|\b(?:has|have|had) no\b",
    re.IGNORECASE,
)


_IS_UNKNOWN = (
    r"(?:(?:is|are|remains?|was|were) (?:\w+ )?(?:unknown|unclear|uncertain|a mystery"
    r"|not (?:\w+ )?(?:known|clear|certain|understood))"
    r"|(?:is|are|was|were)n['’]t (?:\w+ )?(?:known|clear|certain|understood))\b"
)
#: "Doctors do not know what causes rust", "the cause of rust is unknown".
_CAUSE_IS_UNKNOWN = re.compile(
    r"(?:\bnot|n['’]t) (?:\w+ ){0,2}?(?:known?|understood|understand|clear|certain|sure) (?:\w+ )?(?:what|why)\b"
    r"|\b(?:unknown|unclear|uncertain) (?:\w+ )?(?:what|why)\b"
    r"|\b(?:no one|nobody) (?:\w+ )?(?:knows|understands|is (?:\w+ )?(?:sure|certain)) (?:\w+ )?(?:what|why)\b"
    rf"|\b(?:causes?|reasons?) (?:(?:of|for|behind) [^.;,]{{2,60}} )?{_IS_UNKNOWN}"
    rf"|\b(?:what|why) [^.;,]{{2,60}} {_IS_UNKNOWN}",
    re.IGNORECASE,
)


def says_cause_is_unknown(text: str) -> bool:
    """Return whether a sentence says that a cause is unknown."""
    return bool(_CAUSE_IS_UNKNOWN.search(text))


def restates_question(question: str, text: str) -> bool:
    """Return whether a sentence only repeats the question or its topic, or reports that it is asked.

    A sentence with a figure or the time asked for says something, and so do a denial and a
    definition. A yes-or-no question is answered by a sentence in its own words, "… does not prevent
    colds".
    """
    if _REPORTS_QUESTION.search(text):
        return True
    if classify_question(question).name == "yes or no" and text.rstrip()[-1:] != "?":
        return False
    if find_answer_kind(question).name == "cause" and says_cause_is_unknown(text):
        return False
    if gives_time(question, text):
        return False
    if _NUMBER.search(text) or _DENIES.search(text) or defines(text, find_topic(question)):
        return False
    known = {word_root(word) for word in content_tokens(question)} | _EMPTY_WORDS
    new = {word_root(word) for word in content_tokens(text)} - known
    return len(new) < MIN_NEW_WORDS and measure_named(find_topic(question), text) > MIN_SHARE_NAMED
