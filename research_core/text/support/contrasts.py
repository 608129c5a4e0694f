"""Find a word of a claim for which a page has the opposite, or a "not", in the same company.

Two texts about one thing share the words around it. A word of the claim that the nearest sentences
lack, where one of them has its opposite among the same neighbours, was most likely exchanged. So
was a "not" that only one of the two has there. Tables exist for English, German, French and
Spanish; days, seasons and ranks exclude each other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from research_core.text.antonyms import CLOSE_PAIRS, CONTRARY_PAIRS, CONTRASTING_PAIRS
from research_core.text.similarity import word_root
from research_core.text.support.page_places import (
    STOP_WEIGHT,
    ReadClaim,
    ReadPage,
    WrittenWord,
    find_nearest_sentences,
    has_form,
    read_claim,
    read_words,
)

#: The sentences of a page in which an opposite is looked for.
SENTENCES = 5
#: Words of weight on either side that are compared, and the weight that must be the same.
NEIGHBOURS, SHARED_WEIGHT = 4, 6.0
#: The weight of a word whose "not" is compared, and the words before it among which a "not" counts.
NEGATED_WEIGHT, NEGATION_REACH = 2.0, 3

#: Rows of opposites beside those of `antonyms`, for texts that share the words around them.
_ENGLISH_PAIRS = """
boost improve enhance promote facilitate foster aid assist \
/ hinder impede hamper undermine worsen inhibit obstruct weaken
allow enable permit / prevent prohibit forbid
encourage promote / discourage
high higher highest elevated raised / low lower lowest deflated lowered depressed
increase rise grow gain raise climb expand extend \
/ decrease decline fall drop shrink reduce shorten diminish lose contract
with / without
encode / decode
include contain / exclude omit lack
same identical / different distinct
simple easy / complex complicated difficult
internal inner / external outer
domestic / foreign
local / global
upper / lower
maximum maximal / minimum minimal
pre / post
early earlier / late later
first / last final
old older / new newer young younger
full / empty
thick / thin
near close / far distant
arrive enter / depart leave exit
gain win / lose
attack / defend
agree / disagree
praise commend / criticise criticize condemn
employer / employee
manager supervisor / worker employee subordinate
teacher / student pupil
buyer customer / seller vendor
parent mother father / child son daughter
husband / wife
brother / sister
king / queen
plaintiff / defendant
supply / demand
winter / summer
morning / evening night
victory win / defeat loss
asset / liability
income revenue / expense expenditure
lender creditor / borrower debtor
ally friend / enemy opponent rival
generic standard / individualised individualized personalised personalized tailored custom
comprehensive thorough detailed / basic superficial partial
always / never rarely
active / passive
direct / indirect
explicit / implicit
heavy / light
wide broad / narrow
long longer / short shorter brief
visible / hidden invisible
mandatory required / optional voluntary
relevant / irrelevant
significant substantial / negligible insignificant
"""
_PAIRS_BY_LANGUAGE = {
    "de": """
steigen stieg gestiegen zunehmen zunahm wachsen wuchs erhöhen \
/ sinken sank gesunken abnehmen abnahm schrumpfen fallen fiel gefallen senken
hoch höher höchste / niedrig niedriger niedrigste gering geringer
mehr größer / weniger kleiner
gut besser beste / schlecht schlechter schlechteste
früh früher / spät später
erste / letzte
mit / ohne
vor / nach
nördlich norden / südlich süden
östlich osten / westlich westen
öffentlich / privat
erlauben / verbieten
gewinnen gewann gewonnen sieg / verlieren verlor verloren niederlage
öffnen geöffnet / schließen geschlossen
alt ältere / neu jung jüngere
männer männlich / frauen weiblich
""",
    "fr": """
augmenter augmentation hausse croître croissance / diminuer diminution baisse baisser réduire
haut élevé supérieur / bas faible inférieur
plus / moins
bon meilleur / mauvais pire
avant / après
premier / dernier
avec / sans
nord / sud
est / ouest
public publique / privé
autoriser permettre / interdire
gagner victoire / perdre défaite
ouvrir ouvert ouverture / fermer fermé fermeture
ancien vieux / nouveau jeune
hommes masculin / femmes féminin
""",
    "es": """
aumentar aumento subir crecer crecimiento / disminuir disminución bajar reducir caer caída
alto elevado superior / bajo inferior
más mayor / menos menor
mejor / peor
antes / después
primero primera / último última
con / sin
norte / sur
este oriente / oeste occidente
público / privado
permitir / prohibir
ganar victoria / perder derrota
abrir abierto apertura / cerrar cerrado cierre
antiguo viejo / nuevo joven
hombres masculino / mujeres femenino
""",
}
#: Beginnings that turn a word round, alone or in place of another.
_TURNING_PREFIXES = ("un", "in", "im", "il", "ir", "non", "dis", "de", "sub", "mis")
_PREFIX_PAIRS = (
    ("pre", "post"),
    ("over", "under"),
    ("hyper", "hypo"),
    ("inter", "intra"),
    ("in", "out"),
    ("up", "down"),
    ("en", "de"),
    ("in", "ex"),
    ("im", "ex"),
    ("in", "de"),
    ("macro", "micro"),
)
#: The least letters that a prefix leaves.
_MIN_REST = 4
#: Words that exclude each other, by kind of fault.
_CLASSES = {
    "date": (
        "monday tuesday wednesday thursday friday saturday sunday",
        "montag dienstag mittwoch donnerstag freitag samstag sonntag",
        "lundi mardi mercredi jeudi vendredi samedi dimanche",
        "lunes martes miércoles jueves viernes sábado domingo",
        "понедельник вторник среду четверг пятницу субботу воскресенье",
        "q1 q2 q3 q4",
    ),
    "figure": (
        "first second third fourth fifth sixth seventh eighth ninth tenth",
        "erste zweite dritte vierte fünfte sechste siebte achte neunte zehnte",
        "double triple quadruple",
    ),
}
#: English words of negation, which stand before what they negate. Elsewhere they stand on either side.
_NEGATORS = frozenset(
    "not no never none neither nor cannot without hardly barely scarcely unable fail fails failed"
    " lack lacks lacked refuse refused refuses".split()
)
#: Words that turn what is near them round, by language of `word_root`.
_TURNING_WORDS = {
    "": _NEGATORS,
    "de": frozenset("nicht kein keine keinen keinem keiner ohne nie niemals".split()),
    "fr": frozenset("pas sans jamais aucun aucune non".split()),
    "es": frozenset("no sin nunca jamás ningún ninguna ninguno".split()),
}


#: Sentences that say that something is missing, which no page says in the same words.
SAYS_ABSENT = re.compile(
    r"\b(?:do(?:es)?|did) not (?:\w+ )?(?:mention|specify|state|say|provide|discuss|report|address"
    r"|indicate|disclose|give)"
    r"|\b(?:no|not any) (?:\w+ )?(?:information|mention|data|evidence|details?|consensus|indication)\b"
    r"|\b(?:is|are|was|were) (?:not (?:\w+ )?(?:mentioned|specified|stated|known|clear|disclosed)"
    r"|unknown|unclear)\b"
    r"|\bkeine (?:\w+ )?(?:Angaben?|Informationen|Hinweise|Daten|Belege)\b"
    r"|\bnicht (?:\w+ )?(?:erwähnt|genannt|angegeben|bekannt)\b"
    r"|\baucune? (?:\w+ )?(?:information|mention|donnée|preuve|précision)\b"
    r"|\bne (?:\w+ )?(?:mentionn|précis|indiqu)\w+ pas\b"
    r"|\bno se (?:\w+ )?(?:menciona|indica|especifica|proporciona)\w*"
    r"|\bno (?:hay|existe) (?:\w+ )?(?:información|datos|evidencia|mención)\b"
    r"|उल्लेख नहीं|जानकारी नहीं|не указан|не упомина|нет данных|没有提到|未提及|記載がない|言及されていない",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Contrast:
    """A word of the claim and its counterpart on the page; kind: "", "date" or "figure"."""

    kind: str
    ours: str
    theirs: str


@dataclass(frozen=True)
class _Sentence:
    """The words of a sentence, and the numbers of those that have weight."""

    words: tuple[WrittenWord, ...]
    heavy: tuple[int, ...]


def find_contrast(claim: ReadClaim, page: ReadPage) -> Contrast | None:
    """Return the first word of the claim whose opposite the page has in the same company."""
    sentences = _read_nearest(claim, page)
    if not sentences:
        return None
    there = frozenset(root for one in sentences for word in one.words for root in word.roots)
    ours = _read_sentence(claim.words, claim)
    for number, word in enumerate(ours.words):
        if has_form(word.roots[0], there) or _is_negated(ours.words, number, page.language):
            continue
        kinds = _list_counterparts(word.written.casefold(), page.language)
        for sentence in sentences if kinds else ():
            for other, counterpart in enumerate(sentence.words):
                root = counterpart.roots[0]
                if root not in kinds or root in claim.weights:
                    continue
                if _is_negated(sentence.words, other, page.language):
                    continue
                if _share_company(claim, ours, number, sentence, other):
                    return Contrast(kinds[root], word.written, counterpart.written)
    return None


def find_one_sided_negation(claim: ReadClaim, page: ReadPage) -> str:
    """Return a word that only one of the two negates, in the same company, or ""; for English."""
    if page.language or SAYS_ABSENT.search(claim.text):
        return ""
    sentences = _read_nearest(claim, page)
    ours = _read_sentence(claim.words, claim)
    denies = any(_is_negator(word.written, "") for word in ours.words)
    for number in ours.heavy:
        word = ours.words[number]
        if claim.weights[word.roots[0]] < NEGATED_WEIGHT or word.is_number:
            continue
        negated = _is_negated(ours.words, number, "")
        if denies and not negated:
            continue
        same = [
            (sentence, other)
            for sentence, other in _find_same(word, sentences)
            if _share_company(claim, ours, number, sentence, other)
        ]
        if not same:
            continue
        if negated:
            differs = not any(_denies(sentence) for sentence, _other in same)
        else:
            differs = all(_is_negated(sentence.words, other, "") for sentence, other in same)
        if differs:
            return word.written
    return ""


def find_exchanged_name(claim: ReadClaim, page: ReadPage) -> Contrast | None:
    """Return a name that stands nowhere on the page, and the one between the same two words there."""
    sentences = _read_nearest(claim, page)
    ours = _read_sentence(claim.words, claim)
    folded = page.text.casefold()
    for number in range(1, len(ours.words) - 1):
        word = ours.words[number]
        if not _is_name(word) or page.holds(word.roots[0]) or word.written.casefold() in folded:
            continue
        for sentence in sentences:
            for other in range(1, len(sentence.words) - 1):
                theirs = sentence.words[other]
                if not _is_name(theirs) or theirs.roots[0] in claim.weights:
                    continue
                if _are_alike(word.written, theirs.written):
                    continue
                beside = ours.words[number - 1].roots, ours.words[number + 1].roots
                there = sentence.words[other - 1].roots, sentence.words[other + 1].roots
                if beside == there and _share_company(claim, ours, number, sentence, other):
                    return Contrast("", word.written, theirs.written)
    return None


def _is_name(word: WrittenWord) -> bool:
    """Return whether a word may be a name written in full."""
    return word.is_capitalised and len(word.written) >= _MIN_REST and not word.written.isupper()


def _are_alike(one: str, other: str) -> bool:
    """Return whether one word is the beginning of the other, or differs in its end: "British"."""
    return one[:3].casefold() == other[:3].casefold()


def _find_same(word: WrittenWord, sentences: Sequence[_Sentence]) -> list[tuple[_Sentence, int]]:
    """Return where the word stands in the sentences."""
    found = []
    for sentence in sentences:
        for number, other in enumerate(sentence.words):
            if other.roots[0] == word.roots[0]:
                found.append((sentence, number))
    return found


def _denies(sentence: _Sentence) -> bool:
    return any(_is_negator(word.written, "") for word in sentence.words)


def _share_company(
    claim: ReadClaim, ours: _Sentence, number: int, theirs: _Sentence, other: int
) -> bool:
    """Return whether the neighbours of two words have enough in common."""
    shared = _list_neighbours(ours, number) & _list_neighbours(theirs, other)
    return sum(claim.weights.get(root, 0.0) for root in sorted(shared)) >= SHARED_WEIGHT


def _read_nearest(claim: ReadClaim, page: ReadPage) -> tuple[_Sentence, ...]:
    return _read_nearest_to(claim.text, page)


@lru_cache(maxsize=64)
def _read_nearest_to(said: str, page: ReadPage) -> tuple[_Sentence, ...]:
    """Return the nearest sentences; each claim is compared with them several times."""
    claim = read_claim(said, page.language)
    sentences: list[_Sentence] = []
    for number in find_nearest_sentences(claim, page, SENTENCES):
        words = read_words(page.get_text(number, number), page.language)
        sentences.append(_read_sentence(words, claim))
    return tuple(sentences)


def _read_sentence(words: Sequence[WrittenWord], claim: ReadClaim) -> _Sentence:
    """Return the words, each part of one with hyphens by itself."""
    parts: list[WrittenWord] = []
    for word in words:
        pieces = word.written.split("-")
        if len(pieces) < 2 or len(pieces) != len(word.roots):
            parts.append(word)
            continue
        for piece, root in zip(pieces, word.roots, strict=True):
            parts.append(WrittenWord(piece, word.start, (root,)))
    return _Sentence(tuple(parts), _list_heavy(parts, claim))


def _list_heavy(words: Sequence[WrittenWord], claim: ReadClaim) -> tuple[int, ...]:
    """Return the numbers of the words that the claim has with weight, or that are no short words."""
    return tuple(
        number
        for number, word in enumerate(words)
        if claim.weights.get(word.roots[0], STOP_WEIGHT if len(word.written) < 4 else 1.0)
        > STOP_WEIGHT
    )


def _list_neighbours(sentence: _Sentence, number: int) -> frozenset[str]:
    """Return the roots of the nearest words of weight before and after a word."""
    before = [one for one in sentence.heavy if one < number][-NEIGHBOURS:]
    after = [one for one in sentence.heavy if one > number][:NEIGHBOURS]
    return frozenset(root for one in (*before, *after) for root in sentence.words[one].roots)


def _is_negator(written: str, language: str) -> bool:
    folded = written.casefold().replace("’", "'")
    return folded in _TURNING_WORDS.get(language, frozenset()) or folded.endswith("n't")


def _is_negated(words: Sequence[WrittenWord], number: int, language: str) -> bool:
    """Return whether a word of negation stands shortly before the word, or near it if not English."""
    after = NEGATION_REACH if language else 0
    if number and words[number - 1].written.casefold() == "non":
        return True
    near = [
        *words[max(0, number - NEGATION_REACH) : number],
        *words[number + 1 : number + 1 + after],
    ]
    return any(_is_negator(word.written, language) for word in near)


@lru_cache(maxsize=4096)
def _list_counterparts(word: str, language: str) -> Mapping[str, str]:
    """Map the roots that exclude a word to the kind of the difference."""
    found: dict[str, str] = {}
    root = word_root(word, language)
    for other in _index_pairs(language).get(root, ()):
        found[other] = ""
    for kind, rows in _CLASSES.items():
        for row in rows:
            members = row.split()
            if word in members:
                for member in members:
                    if member != word:
                        found[word_root(member, language)] = kind
    if not language:
        for other in _turn_word(word):
            found.setdefault(word_root(other), "")
    found.pop(root, None)
    return found


def _turn_word(word: str) -> list[str]:
    """Return the word with a turning prefix added, removed or exchanged, also after a hyphen."""
    turned = []
    for prefix in _TURNING_PREFIXES:
        if len(word) >= _MIN_REST:
            turned.append(prefix + word)
        if word.startswith(prefix) and len(word) >= len(prefix) + _MIN_REST:
            turned.append(word.removeprefix(prefix).lstrip("-"))
    for one, two in _PREFIX_PAIRS:
        for old, new in ((one, two), (two, one)):
            if word.startswith(old) and len(word) >= len(old) + _MIN_REST:
                turned.append(new + word.removeprefix(old))
    return turned


@lru_cache(maxsize=8)
def _index_pairs(language: str) -> Mapping[str, frozenset[str]]:
    """Map each root of the tables of a language to the roots of its opposites."""
    table = _PAIRS_BY_LANGUAGE.get(language, "")
    if not language:
        table = "\n".join((CONTRARY_PAIRS, CONTRASTING_PAIRS, CLOSE_PAIRS, _ENGLISH_PAIRS))
    found: dict[str, set[str]] = {}
    for row in re.sub(r"\\\n", "", table).splitlines():
        one, slash, other = row.partition("/")
        if not slash:
            continue
        ends = [[word_root(word, language) for word in end.split()] for end in (one, other)]
        for these, those in (ends, ends[::-1]):
            for root in these:
                found.setdefault(root, set()).update(those)
    return {root: frozenset(others) for root, others in found.items()}
