"""Find a word of a claim for which a page has the opposite, or that only one of the two negates.

Two texts about one thing share the words around it. A word of the claim that the nearest sentences
lack, where one of them has its opposite among the same neighbouring words, was most likely
exchanged. So was a "not" that only one of the two has there, and the two sides of a comparison or
the two ends of a change. Opposites are listed for English, German, French and Spanish; words that
negate also for Italian, Portuguese, Russian and Chinese. Days, seasons and ranks exclude each other.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from research_core.text.antonyms import CLOSE_PAIRS, CONTRARY_PAIRS, CONTRASTING_PAIRS
from research_core.text.similarity import word_root
from research_core.text.support.denials import has_denying_verb
from research_core.text.support.page_places import (
    STOP_WEIGHT,
    ReadClaim,
    ReadPage,
    WrittenWord,
    find_nearest_sentences,
    has_form,
    read_claim,
    read_roots,
    read_words,
)
from research_core.text.words import find_numbers

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
befürworten genehmigen billigen bewilligen zustimmen annehmen angenommen \
/ ablehnen lehnte abgelehnt verwerfen verwarf verworfen zurückweisen zurückgewiesen
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
approuver accepter adopter / rejeter refuser
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
aprobar aceptar adoptar / rechazar rehusar
ganar victoria / perder derrota
abrir abierto apertura / cerrar cerrado cierre
antiguo viejo / nuevo joven
hombres masculino / mujeres femenino
""",
}
#: Prefixes that negate a word, added to it or in place of another.
_NEGATING_PREFIXES = ("un", "in", "im", "il", "ir", "non", "dis", "de", "sub", "mis")
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
#: Words that negate, by language of `word_root`.
_NEGATORS = {
    "": frozenset(
        "not no never none neither nor cannot without hardly barely scarcely unable fail fails failed"
        " lack lacks lacked refuse refused refuses".split()
    ),
    "de": frozenset("nicht kein keine keinen keinem keiner ohne nie niemals".split()),
    "fr": frozenset(
        "pas sans jamais aucun aucune non refuse refusé refusa refusent refusèrent".split()
    ),
    "es": frozenset("no sin nunca jamás ningún ninguna ninguno rehusó rehusaron".split()),
    "it": frozenset("non senza mai nessun nessuno nessuna".split()),
    "pt": frozenset("não sem nunca jamais nenhum nenhuma".split()),
    "ru": frozenset("не нет без никогда".split()),
}
#: Those that may follow the negated word, and how many words after it, by language.
_FOLLOWING_NEGATORS = frozenset("nicht nie niemals pas jamais".split())
_REACH_AFTER = {"de": NEGATION_REACH, "fr": 1}
#: After a word that negates, these cancel it: "not only".
_ONLY = frozenset(
    "only just merely nur bloß seulement solo sólo solamente soltanto só somente только".split()
)
#: German words that negate an infinitive with "zu" later in the sentence.
_BEFORE_INFINITIVE = frozenset("weigert weigerte weigerten geweigert ohne".split())
#: Words by which a text may deny without a word that negates.
_MAY_DENY = re.compile(
    r"\b(?:lehn\w+|ab(?:ge)?lehn\w+|gegen|verw[ae]rf\w*|verworfen|zurück\w+|verhinder\w+|scheiter\w+"
    r"|verweiger\w+|weiger\w+|geweigert|verbot\w*|verbiet\w+|niemand|nichts|weder"
    r"|refus\w+|rej[eè]t\w+|contre|empêch\w+|personne|rien|oppos\w+|interdi\w+|échou\w+"
    r"|rehus\w+|neg(?:ó|aron|ado|arse)|contra|impid\w+|imped\w+|nadie|nada|tampoco|opu[se]\w+|prohib\w+"
    r"|rifiut\w+|respin\w+|contro|recus\w+|rejeit\w+|отказ\w+|отверг\w+|отклон\w+|против|ни)\b",
    re.IGNORECASE,
)
#: Chinese words that negate what follows them.
_CHINESE_NEGATION = re.compile(
    r"(?:没有|沒有|并未|並未|未能|尚未|从未|從未|并非|拒绝|拒絕|无法|無法|不会|不會|不|未)"
    r"(?P<negated>[\u3400-\u9fff]{2})"
)
#: Words with the same characters that negate nothing ("not only", "soon", "nobody").
_CHINESE_PHRASES = re.compile(
    r"不(?:仅|僅|但|只|少|断|斷|同|久|过|過|得不|可)|未(?:来|來|必)|没有人|沒有人"
)
#: Verbs of a claim that may deny without them.
_CHINESE_MAY_DENY = re.compile(
    "反对|反對|否决|否決|拒|禁止|阻止|取消|停止|避免|放弃|放棄|失败|失敗"
)
#: The least share of the claim that a Chinese sentence must hold to be compared.
CHINESE_SHARE = 0.6
_BREAK = re.compile(r"[,;:()—–]")
#: Comparisons by language: the comparative, and the word before the second side.
_COMPARISONS = {
    "": re.compile(
        r"\b(?P<degree>more|less|fewer|\w{2,}er|better|worse)\b(?:\s+\w+){0,2}?\s+than\b",
        re.IGNORECASE,
    ),
    "de": re.compile(
        r"\b(?P<degree>mehr|weniger|\w{3,}er)\b(?:\s+\w+){0,3}?\s+als\b", re.IGNORECASE
    ),
    "fr": re.compile(
        r"\b(?P<degree>plus|moins|mieux|meilleur\w*)\b(?:\s+\w+){0,3}?\s+qu(?:e\b|['’])",
        re.IGNORECASE,
    ),
    "es": re.compile(
        r"\b(?P<degree>más|menos|mejor|peor|mayor|menor)\b(?:\s+\w+){0,3}?\s+que\b", re.IGNORECASE
    ),
}
#: A change from one figure to another, with a year or the like between them.
_CHANGE = re.compile(
    r"(?:\b(?:from|von|de|da|с|от)\s+|[从從由])(?P<first>\d[\d.,' \u00a0]*(?<=\d))"
    r"(?:[^.;!?]|\.(?=\d)){0,30}?"
    r"(?:\b(?:to|auf|à|a|para|до)\s+|[到至]|增至|降至)(?P<last>\d[\d.,' \u00a0]*(?<=\d))",
    re.IGNORECASE,
)


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
    """The words of a sentence, the numbers of those that have weight, and the clause of each."""

    text: str
    words: tuple[WrittenWord, ...]
    heavy: tuple[int, ...]
    clauses: tuple[int, ...]


def find_contrast(claim: ReadClaim, page: ReadPage) -> Contrast | None:
    """Return the first word of the claim whose opposite the page has among the same words."""
    sentences = _read_nearest(claim, page)
    if not sentences:
        return None
    there = frozenset(root for one in sentences for word in one.words for root in word.roots)
    ours = _read_sentence(claim.text, claim.words, claim)
    for number, word in enumerate(ours.words):
        if has_form(word.roots[0], there) or _is_negated(ours, number, page.language):
            continue
        kinds = _list_counterparts(word.written.casefold(), page.language)
        for sentence in sentences if kinds else ():
            for other, counterpart in enumerate(sentence.words):
                root = counterpart.roots[0]
                if root not in kinds or root in claim.weights:
                    continue
                if _is_negated(sentence, other, page.language):
                    continue
                if _have_same_neighbours(claim, ours, number, sentence, other):
                    return Contrast(kinds[root], word.written, counterpart.written)
    return None


def find_one_sided_negation(claim: ReadClaim, page: ReadPage) -> str:
    """Return a word that only one of the two negates, among the same neighbouring words, or ""."""
    language = page.language
    if SAYS_ABSENT.search(claim.text):
        return ""
    if language == "zh":
        return _find_chinese_negation(claim, page)
    if language not in _NEGATORS:
        return ""
    sentences = _read_nearest(claim, page)
    ours = _read_sentence(claim.text, claim.words, claim)
    denies = _denies(ours, language) or (bool(language) and _may_deny(claim.text))
    for number in ours.heavy:
        word = ours.words[number]
        if claim.weights[word.roots[0]] < NEGATED_WEIGHT or word.is_number:
            continue
        negated = _is_negated(ours, number, language)
        if denies and not negated:
            continue
        same = [
            (sentence, other)
            for sentence, other in _find_same(word, sentences)
            if _have_same_neighbours(claim, ours, number, sentence, other)
        ]
        if not same:
            continue
        if negated:
            differs = not any(
                _denies(sentence, language) or (bool(language) and _may_deny(sentence.text))
                for sentence, _other in same
            )
        else:
            differs = all(_is_negated(sentence, other, language) for sentence, other in same)
        if differs:
            return word.written
    return ""


def _may_deny(text: str) -> bool:
    """Return whether a text that is not English has a verb or preposition that denies."""
    return _MAY_DENY.search(text) is not None or has_denying_verb(text)


def _find_chinese_negation(claim: ReadClaim, page: ReadPage) -> str:
    """Return a pair of characters that only one of the two negates, or ""."""
    sentences: list[str] = []
    for number in find_nearest_sentences(claim, page, SENTENCES):
        held = sum(claim.weights[root] for root in claim.weights if root in page.roots[number])
        if held >= CHINESE_SHARE * claim.total:
            sentences.append(page.get_text(number, number))
    ours = _list_chinese_negated(claim.text)
    for pair in ours:
        holding = [text for text in sentences if pair in text]
        if holding and not any(map(_may_deny_in_chinese, holding)):
            return pair
    if ours or _may_deny_in_chinese(claim.text):
        return ""
    for pair in _list_chinese_negated("\n".join(sentences)):
        holding = [text for text in sentences if pair in text]
        if pair in claim.text and all(_is_always_negated(pair, text) for text in holding):
            return pair
    return ""


def _may_deny_in_chinese(text: str) -> bool:
    return bool(_list_chinese_negated(text)) or _CHINESE_MAY_DENY.search(text) is not None


def _list_chinese_negated(text: str) -> list[str]:
    """Return the pairs of characters after words that negate."""
    bare = _CHINESE_PHRASES.sub(" ", text)
    return [match["negated"] for match in _CHINESE_NEGATION.finditer(bare)]


def _is_always_negated(pair: str, text: str) -> bool:
    """Return whether each occurrence of a pair of characters is negated."""
    return _list_chinese_negated(text).count(pair) == text.count(pair)


def find_exchanged_sides(claim: ReadClaim, page: ReadPage) -> str:
    """Return the comparison of the nearest sentences that has the claim's sides exchanged, or ""."""
    pattern = _COMPARISONS.get(page.language)
    ours = pattern.search(claim.text) if pattern else None
    if pattern is None or ours is None:
        return ""
    found = ""
    before, after = _read_sides(claim.text, ours, claim, page)
    for sentence in _read_nearest(claim, page):
        theirs = pattern.search(sentence.text)
        if theirs is None or theirs["degree"].casefold() != ours["degree"].casefold():
            continue
        their_before, their_after = _read_sides(sentence.text, theirs, claim, page)
        moved_back = (before & their_after) - after - their_before
        moved_forward = (after & their_before) - before - their_after
        if not moved_back or not moved_forward:
            return ""
        found = found or theirs[0]
    return found


def _read_sides(
    text: str, comparison: re.Match[str], claim: ReadClaim, page: ReadPage
) -> tuple[frozenset[str], frozenset[str]]:
    """Return the roots of the claim with weight up to "than", and after it."""
    sides = []
    for side in (text[: comparison.end()], text[comparison.end() :]):
        roots = read_roots(side, page.language)
        sides.append(frozenset(one for one in roots if claim.weights.get(one, 0.0) > STOP_WEIGHT))
    return sides[0], sides[1]


def find_exchanged_ends(claim: ReadClaim, page: ReadPage) -> tuple[str, str] | None:
    """Return the first and last figure of a change that runs the other way on the page, or None."""
    ours = _list_changes(claim.text)
    if not ours:
        return None
    theirs: set[tuple[str, str]] = set()
    for number in find_nearest_sentences(claim, page, SENTENCES):
        theirs.update(_list_changes(page.get_text(number, number)))
    for (first, last), written in ours.items():
        if (last, first) in theirs and (first, last) not in theirs:
            return written
    return None


def _list_changes(text: str) -> dict[tuple[str, str], tuple[str, str]]:
    """Map the first and last figure of each change of a text to both as written."""
    changes: dict[tuple[str, str], tuple[str, str]] = {}
    for match in _CHANGE.finditer(text):
        first, last = find_numbers(match["first"]), find_numbers(match["last"])
        if len(first) == len(last) == 1 and first != last:
            changes[first[0], last[0]] = match["first"].strip(), match["last"].strip()
    return changes


def find_exchanged_name(claim: ReadClaim, page: ReadPage) -> Contrast | None:
    """Return a name that the page lacks, and the one that it has between the same two words."""
    sentences = _read_nearest(claim, page)
    ours = _read_sentence(claim.text, claim.words, claim)
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
                if are_alike(word.written, theirs.written):
                    continue
                beside = ours.words[number - 1].roots, ours.words[number + 1].roots
                there = sentence.words[other - 1].roots, sentence.words[other + 1].roots
                if beside == there and _have_same_neighbours(claim, ours, number, sentence, other):
                    return Contrast("", word.written, theirs.written)
    return None


def _is_name(word: WrittenWord) -> bool:
    """Return whether a word may be a name written in full."""
    return word.is_capitalised and len(word.written) >= _MIN_REST and not word.written.isupper()


def are_alike(one: str, other: str) -> bool:
    """Return whether one word is the beginning of the other, or differs in its end: "British"."""
    return one[:3].casefold() == other[:3].casefold()


def _find_same(word: WrittenWord, sentences: Sequence[_Sentence]) -> list[tuple[_Sentence, int]]:
    """Return the sentences that have the word, with its number in each."""
    found = []
    for sentence in sentences:
        for number, other in enumerate(sentence.words):
            if other.roots[0] == word.roots[0]:
                found.append((sentence, number))
    return found


def _denies(sentence: _Sentence, language: str) -> bool:
    return any(is_negator(word.written, language) for word in sentence.words)


def _have_same_neighbours(
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
        text = page.get_text(number, number)
        sentences.append(_read_sentence(text, read_words(text, page.language), claim))
    return tuple(sentences)


def _read_sentence(text: str, words: Sequence[WrittenWord], claim: ReadClaim) -> _Sentence:
    """Return the words, each part of one with hyphens by itself."""
    parts: list[WrittenWord] = []
    for word in words:
        pieces = word.written.split("-")
        if len(pieces) < 2 or len(pieces) != len(word.roots):
            parts.append(word)
            continue
        for piece, root in zip(pieces, word.roots, strict=True):
            parts.append(WrittenWord(piece, word.start, (root,)))
    breaks = [match.start() for match in _BREAK.finditer(text)]
    clauses = tuple(bisect_right(breaks, part.start) for part in parts)
    return _Sentence(text, tuple(parts), _list_heavy(parts, claim), clauses)


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


def is_negator(written: str, language: str) -> bool:
    folded = written.casefold().replace("’", "'")
    return folded in _NEGATORS.get(language, frozenset()) or folded.endswith("n't")


def _is_negated(sentence: _Sentence, number: int, language: str) -> bool:
    """Return whether a word that negates is shortly before the word, or after it in some languages.

    Outside English it is in the same clause, with no other word of weight between them.
    """
    words = sentence.words
    if number and words[number - 1].written.casefold() == "non":
        return True
    first = max(0, number - NEGATION_REACH)
    last = min(len(words) - 1, number + _REACH_AFTER.get(language, 0))
    for other in range(first, last + 1):
        written = words[other].written
        if not is_negator(written, language):
            continue
        if other > number and written.casefold() not in _FOLLOWING_NEGATORS:
            continue
        if other + 1 < len(words) and words[other + 1].written.casefold() in _ONLY:
            continue
        between = range(min(number, other) + 1, max(number, other))
        is_near = sentence.clauses[other] == sentence.clauses[number]
        if not language or (is_near and not any(one in sentence.heavy for one in between)):
            return True
    return language == "de" and _is_negated_infinitive(words, number)


def _is_negated_infinitive(words: Sequence[WrittenWord], number: int) -> bool:
    """Return whether the word is an infinitive after "weigerte sich" or "ohne"."""
    if not number or words[number - 1].written != "zu":
        return False
    return any(word.written in _BEFORE_INFINITIVE for word in words[:number])


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
        for other in _exchange_prefixes(word):
            found.setdefault(word_root(other), "")
    found.pop(root, None)
    return found


def _exchange_prefixes(word: str) -> list[str]:
    """Return the word with a negating prefix added, removed or exchanged, also after a hyphen."""
    exchanged = []
    for prefix in _NEGATING_PREFIXES:
        if len(word) >= _MIN_REST:
            exchanged.append(prefix + word)
        if word.startswith(prefix) and len(word) >= len(prefix) + _MIN_REST:
            exchanged.append(word.removeprefix(prefix).lstrip("-"))
    for one, two in _PREFIX_PAIRS:
        for old, new in ((one, two), (two, one)):
            if word.startswith(old) and len(word) >= len(old) + _MIN_REST:
                exchanged.append(new + word.removeprefix(old))
    return exchanged


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
