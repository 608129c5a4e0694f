"""Rate a quotation by its form, and by how directly it answers a question.

A rating is a bonus, or less than 0, in the unit of a quotation's score.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import dropwhile

from research_core.text.asked_facets import Facet, gives_particulars, tells_facet, tells_nothing
from research_core.text.direct_answers import (
    answers_directly,
    find_answer_kind,
    goes_wrong_way,
    restates_question,
)
from research_core.text.question_topic import find_topic, names_synonym, names_topic
from research_core.text.question_types import QuestionType, classify_question
from research_core.text.quotable import Quote, is_imperative
from research_core.text.similarity import content_tokens, parse_question, word_root
from research_core.text.words import count_words, tokenize

BEST_WORDS = (10, 40)
#: What is added for the form of answer that the question asks for.
FORM_BONUS = 0.08
#: Kinds of question that several things answer, and what is added for a sentence that lists some.
LIST_KINDS, LIST_BONUS = ("signs", "list", "cause", "effect", "treatment"), 0.06
_LISTS_SEVERAL = re.compile(
    r"[,;] [^,;]{2,60}[,;] (?:and|or) \w|, [^,;]{2,40}, [^,;]{2,40} (?:and|or) \w"
    r"|; [^;]{2,80}; |(?:, [^,;]{2,40}){3}"
)
#: What is added for a direct answer, by meaning and by words, and taken off for a sentence that
#: tells the effect for the cause, or only repeats the question.
DIRECT_BONUS, DIRECT_BONUS_BY_WORDS, MISSES_POINT = 0.12, 0.25, 0.2
#: What is taken off a sentence about a part of the thing only.
PART_MALUS = 0.1
#: What is taken off a sentence that is not about the facet asked about.
OFF_FACET_MALUS = 0.18
#: What is added for a sentence on that facet with means, examples or several things.
PARTICULARS_BONUS = 0.06
#: "About 30,000 people in the country have it."
_COUNTS_PEOPLE = re.compile(
    r"\d[\d,.]* (?:million |thousand )?(?:people|persons|women|men|females|males|children"
    r"|adults|births|newborns"
    r"|individuals|households|drivers|owners|cars|[A-Z][a-z]+s)\b.* (?:have|has|had|with|lives?"
    r"|carry|carriers"
    r"|get|own|use)\b"
)
#: The first words of a sentence, among which its subject stands.
SUBJECT_WORDS = 6
#: What is taken off a sentence that only sends its reader to somebody.
SENDS_READER_MALUS = 0.2
#: Kinds of question that a section of a page answers.
SECTION_KINDS = ("cause", "effect", "treatment", "signs", "definition")
#: Kinds of question that an order to the reader answers.
ADVICE_KINDS = ("how to", "treatment")
#: A sentence about its own page, and one in which the author speaks.
_ABOUT_ITSELF = re.compile(
    r"\b(?:this|our) (?:\w+ )?"
    r"(?:guide|article|page|post|report|site|blog|section|chapter|document|paper)\b",
    re.IGNORECASE,
)
#: A sentence that sends its reader to somebody, and one that leaves the answer open.
_SENDS_READER = re.compile(
    r"\b(?:doctor|physician|pharmacist|dentist|provider|professional|specialist|lawyer|attorney"
    r"|vet|veterinarian|accountant|advis[eo]r|dealer|mechanic|expert)s?"
    r" (?:will|may|might|can|should) (?:\w+ )?(?:tell|ask|talk|discuss|decide|explain|advise|answer"
    r"|want to know|help you)\b"
    r"|\b(?:should|need to|must|have to|want to|important to|sure to|best to) (?:always |first "
    r"|also )?"
    r"(?:talk|speak|ask|tell|consult|call|contact|check|discuss|see (?:your|an?|the))\b",
    re.IGNORECASE,
)
_LEAVES_OPEN = re.compile(
    r"^(?:[^\s,]+ ){1,10}?(?:(?:will |may |can )?(?:depends? (?:up)?on|vary|varies)\b"
    r"|(?:is|are) (?:different|not the same) for)",
    re.IGNORECASE,
)
#: "Another cause is …" and "It can also be caused by …" come second, and so does what holds of a
#: part only: "In men, …".
_ADDS_TO_OTHERS = re.compile(
    r"(?:another|other|further|additional|also|less (?:common(?:ly)?|frequent(?:ly)?)"
    r"|more rarely)\b"
    r"|(?:some|many|most|several) (?:of the )?other\b"
    r"|(?:rarely|less often|occasionally|in (?:other|rare|a few|some rare"
    r"|very rare) (?:\w+ )?\w+)\b,?"
    r"|(?:[^\s;:]+ ){1,9}(?:(?:can|could|may|might|will|is|are|was|were|has|have) )?"
    r"also (?!called|known|named|termed|referred|abbreviated|spelled)[a-z]",
    re.IGNORECASE,
)
_OF_A_PART = re.compile(
    r"(?:(?:even )?if|in|for|among|with|without|untreated)\b(?P<part>[^,]{0,80}), ", re.IGNORECASE
)
#: "Pregnant women with …": a sentence about a group only.
_GROUP = re.compile(
    r"(?:(?:some|most|many|older|younger|certain|few|other|young|elderly) )?"
    r"(?P<group>(?:pregnant |older |young )?(?:women|men|children|babies|infants|newborns|teens"
    r"|teenagers"
    r"|girls|boys|students|veterans|tourists))\b (?!and\b)",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r"\b(?:we|us|our|my)\b", re.IGNORECASE)


def tells_effect_for_cause(question: str, quote: Quote) -> bool:
    """Return whether a sentence outside the asked section tells the effect for the cause."""
    if stands_in_asked_section(question, quote):
        return False
    return goes_wrong_way(question, quote.text_with_subject)


#: "Although rust is rare, …": the figures of the main clause may be of another thing.
_CONCESSION = re.compile(r"^(?:although|though|while|whereas|unlike) [^,]{3,80}, ", re.IGNORECASE)


def tells_asked_facet(question: str, quote: Quote, facets: tuple[Facet, ...]) -> bool:
    """Return whether a sentence or its section is about one of the facets."""
    if any(facet.of_subject for facet in facets):
        text = _CONCESSION.sub("", quote.text_with_subject)
        opening = " ".join(text.split()[:SUBJECT_WORDS])
        topic = find_topic(question)
        counted = _COUNTS_PEOPLE.search(text) and names_topic(topic, text)
        if not counted and not names_topic(topic, opening):
            facets = tuple(facet for facet in facets if not facet.of_subject)
    return tells_facet(facets, quote.text, quote.section)


def rate_answer_form(
    question: str, quote: Quote, kind: QuestionType, facets: tuple[Facet, ...]
) -> float:
    """Return a bonus for a sentence in the form of the answer, or in the section, asked for."""
    if facets and not tells_asked_facet(question, quote, facets):
        return -OFF_FACET_MALUS
    if _ADDS_TO_OTHERS.match(quote.text) or tells_nothing(question, quote.text):
        return 0.0
    gives_form = bool(kind.given.pattern) and bool(kind.given.search(quote.text))
    bonus = 0.0
    if facets:
        tells = tells_facet(facets, quote.text)
        gives_form = gives_form and tells
        bonus += PARTICULARS_BONUS * (tells and gives_particulars(quote.text))
    if gives_form or stands_in_asked_section(question, quote):
        bonus += FORM_BONUS
    return bonus + LIST_BONUS * (kind.name in LIST_KINDS and _lists_several(quote.text))


def _lists_several(text: str) -> bool:
    """Return whether a sentence lists three things or more."""
    return bool(_LISTS_SEVERAL.search(text))


def rate_directness(
    question: str,
    quote: Quote,
    synonyms: Collection[str],
    bonus: float,
    facets: tuple[Facet, ...],
) -> float:
    """Return a bonus for a direct answer, less for a sentence that misses the point."""
    text = quote.text_with_subject
    is_in_place = stands_in_asked_section(question, quote)
    if restates_question(question, text):
        return -MISSES_POINT
    if tells_effect_for_cause(question, quote):
        return -MISSES_POINT
    if find_answer_kind(question).name in ADVICE_KINDS and _LEAVES_OPEN.match(text):
        return -MISSES_POINT
    if tells_nothing(question, quote.text):
        return -MISSES_POINT
    if _ADDS_TO_OTHERS.match(text):
        return 0.0
    if _is_of_a_part(question, text) or is_of_subtype(question, text, synonyms):
        return -PART_MALUS
    if facets and not tells_facet(facets, text):
        return 0.0
    return bonus if is_in_place or answers_directly(question, text, synonyms) else 0.0


def stands_in_asked_section(question: str, quote: Quote) -> bool:
    """Return whether the title before a sentence names what is asked of its thing: "(Causes)"."""
    kind = find_answer_kind(question).name
    if kind not in SECTION_KINDS or classify_question(quote.section).name != kind:
        return False
    return names_topic(find_topic(question), quote.heading)


def _is_of_a_part(question: str, text: str) -> bool:
    """Return whether a sentence begins with a condition or a group that the question lacks."""
    group = _GROUP.match(text)
    if group and word_root(group["group"].split()[-1].lower()) not in map(
        word_root, content_tokens(question)
    ):
        return True
    match = _OF_A_PART.match(text)
    if match is None or re.match(r" (?:most|many|general|all|both|the|a|an)\b", match["part"]):
        return False
    asked = {word_root(word) for word in content_tokens(question)}
    return not {word_root(word) for word in content_tokens(match["part"])} <= asked


#: "Closed-angle glaucoma is": a word before the name of the thing that makes it a narrower one.
_GRADE = re.compile(
    r"(?:advanced|early|late|later|severe|mild|chronic|acute|primary|secondary|rare|wet|dry"
    r"|recurrent|moderate|localized"
    r"|untreated|seasonal|temporary|permanent|commercial|industrial|residential|federal|local"
    r"|private"
    r"|used|partial|minor|major)",
    re.IGNORECASE,
)
_DETERMINER = re.compile(
    r"(?:an?|the|most|many|some|all|any|both|each|every|few|several|your|his|her|their|its|our|my"
    r"|these|those|this|that|no|other|certain|different|common|typical|usual|two|three|four|five"
    r"|[A-Za-z]+ing|(?:well|long|full|so|over)-[a-z-]+)$",
    re.IGNORECASE,
)


def is_of_subtype(question: str, text: str, synonyms: Collection[str] = ()) -> bool:
    """Return whether the subject of a sentence is a kind of the thing that the question lacks.

    "Closed-angle glaucoma" and "Early rust" are for glaucoma and rust.
    """
    names = {root for synonym in synonyms for root in map(word_root, tokenize(synonym))}
    names |= find_topic(question).weights.keys()
    asked = {word_root(word) for word in tokenize(question)} | names
    words = [word.strip(",;:()\"'“”") for word in text.split()[:SUBJECT_WORDS]]
    subject = list(dropwhile(_DETERMINER.match, words))
    roots = [frozenset(map(word_root, tokenize(word))) for word in subject[:2]]
    if not roots:
        return False
    if not names.isdisjoint(roots[0]):
        # "Open-angle-glaucoma" as one word
        return "-" in subject[0] and not roots[0] <= asked
    if len(roots) == 1 or names.isdisjoint(roots[1]):
        return False
    is_other = "-" in subject[0] and asked.isdisjoint(roots[0])
    return is_other or _is_new_grade(subject[0], _GRADE, asked)


def _is_grade(word: str, language: str) -> bool:
    foreign = _FOREIGN_GRADES.get(language)
    if foreign is None:
        return bool(_GRADE.fullmatch(word))
    return bool(foreign.fullmatch(word) or foreign.fullmatch(f"{word}e"))  # "ist schwer"


def _is_new_grade(
    word: str, form: re.Pattern[str], asked: Collection[str], language: str = ""
) -> bool:
    """Return whether a word makes the thing beside it a narrower one than is asked about."""
    return bool(form.fullmatch(word)) and word_root(word.lower(), language) not in asked


#: Adjectives of other languages that make the thing before or behind them a narrower one.
_FOREIGN_GRADES = {
    language: re.compile(form, re.IGNORECASE)
    for language, form in {
        "de": r"(?:fortgeschritten|schwer|leicht|früh|spät|akut|chronisch|selten)e[nrsm]?",
        "fr": (
            r"(?:avancé|sévère|grave|précoce|tardif|tardive|aigu|aiguë|chronique|léger|légère"
            r"|modéré)e?s?"
        ),
        "es": r"(?:avanzad|sever|crónic|agud|grav|lev|moderad)[oae]?s?",
        "pt": r"(?:avançad|sever|crônic|crónic|agud|grav|lev|moderad)[oae]?s?",
        "it": r"(?:avanzat|sever|cronic|acut|grav|liev|moderat)[oaie]",
    }.items()
}
#: "Hemophilia A", "stage 4 rust", "bipolar II disorder": what tells kinds of a thing apart.
_KIND_MARK = re.compile(r"[A-H]|I{2,3}|I?V|VI{1,3}|\d{1,2}[a-z]?")
_KIND_NOUN = re.compile(
    r"(?:stage|grade|type|class|category|level|phase|Stufe|Stadium|Grad|Typ|Klasse|stade|classe"
    r"|catégorie|tipo|grado|grau|estadio|estágio|stadio|clase)s?$",
    re.IGNORECASE,
)
#: Kinds told together are the whole: "both early and late rust".
_ALL_KINDS = re.compile(
    r"\b(?:both|all|any|either|every|whether|beide|alle|toutes?|tous|les deux|tod[oa]s|ambos|ambas"
    r"|tutt[ie]|entramb[ie])\b",
    re.IGNORECASE,
)


#: Grades that are the whole together: "mild vasculitis …, while those with severe vasculitis".
_OPPOSITE_GRADES = tuple(
    (re.compile(rf"\b(?:{one})\b", re.IGNORECASE), re.compile(rf"\b(?:{other})\b", re.IGNORECASE))
    for one, other in (
        ("mild|moderate", "severe"),
        ("minor", "major"),
        ("early", "late|advanced"),
        ("acute", "chronic"),
        ("temporary", "permanent"),
    )
)


def _names_all_kinds(text: str) -> bool:
    """Return whether a sentence tells of the kinds of a thing together."""
    if _ALL_KINDS.search(text):
        return True
    return any(one.search(text) and other.search(text) for one, other in _OPPOSITE_GRADES)


def names_only_kinds(
    question: str, text: str, synonyms: Collection[str] = (), told: str = ""
) -> bool:
    """Return whether a sentence names the thing only with what makes it a narrower one.

    "People with mild hemophilia A" and "stage 4 rust" do for hemophilia and rust. told: what the
    asker tells beside the question, which may name the kind: "her condition is very severe".
    """
    weights = find_topic(question).weights
    if not weights or _names_all_kinds(text):
        return False
    if names_synonym(text, synonyms):
        return False
    language = parse_question(question).language
    asked = {word_root(word, language) for word in tokenize(question)}
    asked |= {word_root(word, language) for word in tokenize(told) if _is_grade(word, language)}
    words = [word.strip(",;:()\"'“”.") for word in text.split()]
    roots = [frozenset(word_root(part, language) for part in tokenize(word)) for word in words]
    names = frozenset(weights)
    rarest = max(weights.values())
    for head in (root for root, weight in weights.items() if weight == rarest):
        runs = [
            _find_run(roots, names, place) for place, found in enumerate(roots) if head in found
        ]
        if runs and all(_is_kind(words, *run, asked, language) for run in runs):
            return True
    return False


def _find_run(
    roots: Sequence[frozenset[str]], names: frozenset[str], place: int
) -> tuple[int, int]:
    """Return where the words of a thing begin and end around one of them."""
    first = last = place
    while first and not names.isdisjoint(roots[first - 1]):
        first -= 1
    while last + 1 < len(roots) and not names.isdisjoint(roots[last + 1]):
        last += 1
    return first, last


def _is_kind(
    words: Sequence[str], first: int, last: int, asked: Collection[str], language: str
) -> bool:
    """Return whether the word before a thing, or behind it, makes it a narrower one."""
    before = words[first - 1] if first else ""
    behind = words[last + 1] if last + 1 < len(words) else ""
    if _is_new_grade(before, _GRADE, asked, language):
        return True
    foreign = _FOREIGN_GRADES.get(language)
    if foreign and any(_is_new_grade(word, foreign, asked, language) for word in (before, behind)):
        return True
    if behind.lower() not in asked and behind.isupper() and _KIND_MARK.fullmatch(behind):
        return True
    is_numbered = first > 1 and bool(_KIND_NOUN.match(words[first - 2]))
    return is_numbered and bool(_KIND_MARK.fullmatch(before)) and before.lower() not in asked


#: "A recent study of 40 drivers found …": what one study found need not hold in general.
_ONE_STUDY = re.compile(
    r"\b(?:an?|one|another|this|the)(?: [\w-]+){0,3}? (?:study|survey|trial|experiment"
    r"|poll)\b[^.;]{0,120}?"
    r"\b(?:found|finds|show(?:s|ed|n)|suggest(?:s|ed)|report(?:s|ed)|concluded|reveal(?:s|ed)"
    r"|estimate[sd])\b"
    r"|\b(?:eine[rs]?|diese[rs]?|die)(?: \w+){0,2}? (?:Studie|Untersuchung|Umfrage)\b[^.;]{0,120}?"
    r"\b(?:ergab|zeigte?|fand|zufolge|belegte?)\b|\b(?:laut"
    r"|nach) einer(?: \w+){0,2}? (?:Studie|Umfrage)\b"
    r"|\bune(?: \w+)? (?:étude|enquête)\b[^.;]{0,120}?\b(?:montr|révél|trouv|indiqu|constat"
    r"|suggér|suggèr|estim)\w+"
    r"|\bselon une(?: \w+)? (?:étude|enquête)\b"
    r"|\b(?:uno?|una|um|uma)(?: \w+)? (?:estudi?o|encuesta|ensayo|pesquisa|studio|indagine"
    r"|sondaggio)\b[^.;]{0,120}?"
    r"\b(?:encontr|hall|mostr|reve?l|rivel|suger|sugier|indic|apont|ha trov|dimostr)\w+"
    r"|\b(?:según|segundo|secondo) (?:uno?|una|um|uma)(?: \w+)? (?:estudi?o|encuesta|pesquisa"
    r"|studio|indagine)\b",
    re.IGNORECASE,
)
_ASKS_STUDIES = re.compile(
    r"\b(?:stud(?:y|ies)|research\w*|evidence|trials?|surveys?|polls?|experiments?|effects?"
    r"|findings?"
    r"|Studien?|Forschung|Umfragen?|Wirkung(?:en)?|études?|recherches?|enquêtes?|effets?|estudios?"
    r"|investigaci\w+|encuestas?|efectos?|studi|ricerche?|effetti|pesquisas?|efeitos?)\b",
    re.IGNORECASE,
)
ONE_STUDY_MALUS = 0.25


def rate_one_study(question: str, text: str) -> float:
    """Return what is taken off for the finding of one study, unless such findings are asked for."""
    kind = find_answer_kind(question).name
    if kind in ("yes or no", "effect", "latest") or _ASKS_STUDIES.search(question):
        return 0.0
    return ONE_STUDY_MALUS if _ONE_STUDY.search(text) else 0.0


def rate_form(quote: Quote) -> float:
    """Return a bonus for good length and a figure, less for context, page or author words."""
    is_handy = BEST_WORDS[0] <= count_words(quote.text) <= BEST_WORDS[1]
    length = 0.05 if is_handy else -0.05
    figure = 0.05 if any(map(str.isdigit, quote.text)) else 0.0
    off = 0.0
    if is_imperative(quote.text):
        off = 0.3
    if _ABOUT_ITSELF.search(quote.text):
        off = 0.5
    elif _SENDS_READER.search(quote.text):
        off = SENDS_READER_MALUS
    elif _FIRST_PERSON.search(quote.text):
        off = 0.2
    leaning = 0.0 if quote.firm else 0.1
    return length + figure - off - leaning
