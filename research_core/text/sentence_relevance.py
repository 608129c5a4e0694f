"""Rate a sentence against a question: whether it answers it, is only about it, or is neither.

Goes by how near both are in meaning, or by the words that they share, and by the form of the
sentence.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from research_core.models import SentenceRelevance
from research_core.text.asked_facets import (
    find_asked_facets,
    tells_facet,
    tells_nothing,
    tells_side,
)
from research_core.text.asked_fillers import find_asked_fillers, list_names, lists_things
from research_core.text.direct_answers import (
    answers_directly,
    defines_other,
    find_answer_kind,
    goes_wrong_way,
    restates_question,
)
from research_core.text.filled_quotes import fills_question
from research_core.text.languages import are_alike
from research_core.text.question_parts import split_questions
from research_core.text.question_topic import find_topic, names_other_number
from research_core.text.question_types import YES_NO_VERBS
from research_core.text.sentence_faults import offers_texts
from research_core.text.similarity import (
    content_tokens,
    is_known_word,
    match_stems,
    parse_question,
    word_root,
)
from research_core.text.words import tokenize

#: The cosine from which a sentence is about a question, and from which it answers it; of the
#: sentence alone, as a title lifts whatever stands below it. Measured on 60 questions each: 5% of
#: random sentences reach 0.23, and 90% of those graded good 0.34 (TREC-QA) and 0.48 (MEDIQA).
MIN_NEARNESS, ANSWER_NEARNESS = 0.35, 0.55
#: The same as shares of the question's words, by weight, where only words are compared.
MIN_SHARE, ANSWER_SHARE = 0.3, 0.6
#: What tells the point of a yes-or-no question or a "when", and not only of its thing, whose name
#: alone comes near: this cosine, or this share of the words, in English and in other languages,
#: with the last of them, where the property or event mostly stands. Of 31 English sentences
#: graded by hand, 6 of the 13 that tell it pass, and 1 of the 18 that do not; without, 10 and 9.
POINT_NEARNESS, POINT_SHARE, FOREIGN_POINT_SHARE = 0.75, 0.5, 0.75
#: Two roots are forms of one word if they begin with so many equal letters, and so much of the
#: shorter one.
MIN_FORM, MIN_FORM_SHARE = 5, 0.75
#: The same for Korean words, in syllables; what follows these is an ending, no other word.
MIN_KOREAN_FORM = 2
_HANGUL = re.compile("[\uac00-\ud7a3]+")
_KOREAN_ENDING = re.compile(
    "(?:[이가은는을를의도만에로성기]|[하한할함합해했되된될됨됩돼됐적스롭로입인이][가-힣]*"
    "|[가-힣]+[다요까고며면야])?"
)
#: Kinds of question whose answers have no form of their own.
_KINDS_OF_ANY_FORM = frozenset({"overview", "list"})
#: "Frost heave occurs when …" says what frost heave is.
_TELLS_WHEN_IT_OCCURS = re.compile(r"\b(?:occurs?|happens?|develops?) (?:when|if)\b")
#: A question for yes or no.
_ASKS_YES_NO = re.compile(
    rf"\W*(?:{YES_NO_VERBS})"
    r" (?!(?:you|someone|somebody|anyone|anybody)\b)",
    re.IGNORECASE,
)
#: "Is it known how …" asks for no yes.
_ASKS_OTHERWISE = re.compile(r"\b(?:how|what|which|who|whom|whose|where|why)\b", re.IGNORECASE)
#: The same by language. Short questions in Italian are easily taken for French ones.
_ITALIAN_YES_NO = r"(?:è|sono|può|possono|si può|devo|deve|c'è|ci sono|ha|hanno)\b"
_YES_NO_FORMS = {
    "de": (
        r"(?:ist|sind|war|waren|hat|haben|kann|können|darf|dürfen|soll|sollte|sollten|muss|müssen"
        r"|wird|werden|wurde|wurden|gibt es|hilft|schadet) (?!(?:jemand|mir)\b)"
    ),
    "fr": (
        r"est-ce qu|(?!qu)(?:[\w'’]+ ){0,6}?[\w'’]+-(?:t-)?(?:il|elle|on|ils|elles)\b"
        rf"|{_ITALIAN_YES_NO}"
    ),
    "es": (
        r"(?:es|son|está|están|era|fue|puede|pueden|se puede|se debe|debo|debe|deben|hay|tiene"
        r"|tienen)\b"
    ),
    "it": _ITALIAN_YES_NO,
    "pt": r"(?:é|são|foi|pode|podem|deve|devem|há|tem)\b",
    "nl": r"(?:is|zijn|kan|kunnen|mag|moet|moeten|wordt|worden|heeft|hebben)\b",
    "sv": r"(?:är|kan|ska|bör|måste|har|finns|får)\b",
    "da": r"(?:er|kan|skal|må|bør|har|får|findes|finnes)\b",
    "cs": r"(?:je|jsou|může|mohou|lze|musí|má|mají|existuje)\b",
    "pl": r"czy\b",
    "el": r"(?:είναι|μπορεί|πρέπει|υπάρχει|έχει)\b",
    "uk": r"чи\b",
    "ru": r"(?:[\w-]+ ){0,5}?[\w-]+ ли\b",
    "ar": r"هل\b",
    "fa": r"آیا\b",
    "he": r"האם\b",
    "hi": r"क्या (?!है|हैं)",
    "tr": r"(?!¿).{1,80} m[ıiuü](?:y[ıiuü]\w*|s[ıiuü]\w*|d[ıiuü]r)?\W*$",
    "zh": r".{1,80}(?:吗(?!啡)|嗎(?!啡))",
    "ja": r".{1,80}(?:です|ます|でしょう|ません)か(?!ら)",
    # The particle is also the word for silk: "ผ้าไหม".
    "th": (
        r".{1,80}(?:(?<!ผ้า)(?<!เส้น)(?<!ตัว)(?<!หนอน)(?<!รัง)(?<!แพร)ไหม|มั้ย|หรือไม่|หรือเปล่า)"
        r"(?:คะ|ครับ)?\W*$"
    ),
    "ko": r".{1,80}(?:까|나요|가요)\W*$",
}
_OTHERWISE_FORMS = {
    "de": (
        r"\b(?:wie|wieviele?|was|welche[rnms]?|wer|wen|wem|wessen|wo|woher|wohin|wozu|wann|warum"
        r"|wieso|weshalb)\b"
    ),
    "fr": r"\b(?:comment|pourquoi|quoi|quels?|quelles?|où|combien)\b",
    "es": r"\b(?:cómo|qué|cuál|cuáles|cuánt[oa]s?|cuándo|quién|quiénes|dónde)\b",
    "it": r"\b(?:come|perché|quale|quali|quant[aei]|dove)\b",
    "pt": r"\b(?:como|qual|quais|onde|quant[oa]s)\b",
    "nl": r"\b(?:hoe|hoeveel|wat|welke?|wie|waar|waarom)\b",
    "sv": r"\b(?:hur|vad|vem|vilk(?:en|et|a)|varför)\b",
    "da": r"\b(?:hva|hvad|hvem|hvor|hvordan|hvornår|hvorfor|hvilke[nt]?)\b",
    "cs": r"\b(?:jak|jak[áéý]|proč|kde|kdo|kolik)\b",
    "pl": r"\b(?:jak|jaki|jaka|jakie|dlaczego|gdzie|skąd|kto|ile)\b",
    "el": r"\b(?:πώς|γιατί|πού|πότε|πόσ\w+|ποι(?:ος|α|ο|οι|ες|ους))\b",
    "uk": r"\b(?:як|чому|де|хто|скільки|звідки|куди|навіщо)\b",
    "ru": r"\b(?:как|как(?:ой|ая|ое|ие|их)|почему|где|кто|сколько|откуда|куда|зачем)\b",
    "ar": r"\b(?:كيف|لماذا|أين|متى|كم|ماذا)\b",
    "fa": r"\b(?:چگونه|چطور|چرا|کجا|چند|چقدر|کدام)\b",
    "he": r"\b(?:איך|כיצד|מדוע|היכן|איפה|למה|כמה|מתי)\b",
    "hi": "कैसे|क्यों|कहाँ|कहां|कौन|कितन|कब ",
    "tr": r"\b(?:nasıl|neden|niçin|niye|nerede|kim|kaç|hangi)\b",
    "zh": "怎|如何|什么|什麼|哪|谁|誰|為什|为什|为何|為何|几(?!乎)|幾(?!乎)|多少|多久|多大|多长|多長",
    # "ぶどう" is a fruit, "いつも" is "always".
    "ja": (
        "(?<!任)何(?!か)|(?<![ぶん])どう(?!も|ぞ)|どこ(?!か)|どの|どれ|どちら(?!か|も)|どっち|どんな|誰(?!か)|だれ(?!か)|なぜ|なに(?!か)"
        "|いつ(?!も|か)|いくら(?!か)|いくつ(?!か)"
    ),
    "th": "อย่างไร|ยังไง|อะไร|ทำไม|ไหน|ใคร(?!่)|เท่าไร|เท่าไหร่|เมื่อไร|เมื่อไหร่|(?<!เ)กี่",
    "ko": (r"어떻|무엇|뭐|뭘|어디|누가|누구|얼마|언제|어느|무슨|어떤|\b몇|\b왜(?:\b|요|인)"),
}


@cache
def _compile_asking(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of questions for yes or no and of others in a language.

    They hold the forms of the languages that it is easily taken for, too.
    """
    alike = [other for other in _YES_NO_FORMS if are_alike(language, other)]
    yes_no = "|".join(_YES_NO_FORMS[other] for other in alike)
    otherwise = "|".join(_OTHERWISE_FORMS[other] for other in alike)
    return (
        re.compile(rf"\W*(?:{yes_no})", re.IGNORECASE),
        re.compile(rf"(?:{otherwise})", re.IGNORECASE),
    )


_ASKS_WHEN = re.compile(r"\W*when\b", re.IGNORECASE)
_IRREGULAR_SUPERLATIVES = ("most", "least", "best", "worst")
_SUPERLATIVE = re.compile(
    rf"\b(?:{'|'.join(_IRREGULAR_SUPERLATIVES)}|\w{{3,}}est)\b", re.IGNORECASE
)
#: Words in "est" beside which there is one in "er", and that are no superlatives.
_NO_SUPERLATIVES = frozenset(
    "conquest reconquest congest detest divest earnest honest infest priest tempest".split()
)
#: "Our list has the oldest inks": where an answer is, and not the answer.
_SPEAKS_OF_PAGE = re.compile(r"\b(?:we|us|our)\b", re.IGNORECASE)
#: What a sentence is read with: "Iron gates: they rust."
_LABEL = re.compile(r"^[^:.;]{3,120}: (?=\S)")


def rate_by_meaning(questions: Sequence[str], text: str, near: float) -> SentenceRelevance:
    """Rate a sentence by its nearness to the nearest question, -1.0 to 1.0.

    One that answers also tells what is asked of the thing (`_tells_point`).
    """
    rating = rate_without_point(questions, text, near)
    if rating == "answers" and not _tells_points(questions, text, near >= POINT_NEARNESS):
        return "on topic"
    return rating


def rate_by_words(questions: Sequence[str], text: str) -> SentenceRelevance:
    """Rate a sentence by the words that it shares with one of the questions."""
    share = max(measure_share(question, text) for question in questions)
    rating = _rate(questions, text, share >= MIN_SHARE, share >= ANSWER_SHARE)
    if rating == "answers" and not _tells_points(questions, text, is_near=False):
        return "on topic"
    return rating


def rate_without_point(questions: Sequence[str], text: str, near: float) -> SentenceRelevance:
    """Rate a sentence by nearness and form, without asking whether it tells the point."""
    return _rate(questions, text, near >= MIN_NEARNESS, near >= ANSWER_NEARNESS)


def _tells_points(questions: Sequence[str], text: str, is_near: bool) -> bool:
    return any(_tells_point(question, text, is_near=is_near) for question in questions)


def _tells_point(question: str, text: str, *, is_near: bool) -> bool:
    """Return whether a sentence tells what one part of a question asks of its thing.

    For yes or no, and for a time, it holds the words for it, or is very near in meaning. For the
    most or the least of a kind, it holds that word, names something or lists things.
    """
    for part in split_questions(question):
        if _asks_for_extreme(part.text) and not _names_extreme(part.text, text):
            continue
        if is_near or not _asks_point(part.text) or _holds_point(part.text, text):
            return True
    return False


def _asks_point(question: str) -> bool:
    """Return whether a question asks for yes or no, or for the time of something."""
    if _ASKS_WHEN.match(question):
        return True
    if any(asked.name == "date" for asked in find_asked_fillers(question)):
        return True
    yes_no, otherwise = _ASKS_YES_NO, _ASKS_OTHERWISE
    language = parse_question(question).language
    if language:
        yes_no, otherwise = _compile_asking(language)
    return bool(yes_no.match(question)) and not otherwise.search(question)


def _holds_point(question: str, text: str) -> bool:
    """Return whether a sentence holds most words of a question, also in other forms."""
    parsed = parse_question(question)
    if not parsed.words:
        return True
    words = tokenize(text)
    roots = {word_root(word, parsed.language) for word in words}
    held = set(match_stems(words, parsed))
    for word in parsed.words.keys() - held:
        if any(_are_forms(word, root) for root in roots):
            held.add(word)
    weights = parsed.words
    held_weight = sum(weights[word] for word in weights if word in held)
    share = round(held_weight / sum(weights.values()), 6)
    once = [word for word in _list_once(question, parsed.language) if word in parsed.words]
    facets = find_asked_facets(question)
    tells_last = not once or once[-1] in held or (facets and tells_facet(facets, text))
    least = FOREIGN_POINT_SHARE if parsed.language else POINT_SHARE
    return share >= least and bool(tells_last)


def _list_once(question: str, language: str) -> list[str]:
    """Return the roots of the words that a question holds once, in order, without numbers."""
    roots = [word_root(word, language) for word in content_tokens(question)]
    return [root for root in roots if roots.count(root) == 1 and not root[0].isdigit()]


def _are_forms(one: str, other: str) -> bool:
    """Return whether two roots begin alike: "rentabel" and "rentabilität"."""
    shorter, longer = sorted((one, other), key=len)
    if _HANGUL.fullmatch(shorter):
        pairs = enumerate(zip(shorter, longer, strict=False))
        start = next((place for place, (left, right) in pairs if left != right), len(shorter))
        tails = (shorter[start:], longer[start:])
        return start >= MIN_KOREAN_FORM and all(map(_KOREAN_ENDING.fullmatch, tails))
    least = max(MIN_FORM, math.ceil(MIN_FORM_SHARE * len(shorter)))
    return longer.startswith(shorter[:least]) and len(shorter) >= least


def _asks_for_extreme(question: str) -> bool:
    """Return whether a question asks for the most or the least of a kind of thing."""
    asked = find_asked_fillers(question)
    return any(part.name == "kind" for part in asked) and bool(_list_superlatives(question))


def _list_superlatives(text: str) -> set[str]:
    """Return the superlatives of an English text, lower case.

    A word in "est" is one if it has a comparative: "fastest", but not "forest" or "Budapest".
    """
    found = {word.lower() for word in _SUPERLATIVE.findall(text)} - _NO_SUPERLATIVES
    return {
        word
        for word in found
        if word in _IRREGULAR_SUPERLATIVES or is_known_word(f"{word[:-2]}r", exactly=True)
    }


def _names_extreme(question: str, text: str) -> bool:
    """Return whether a sentence may name the most or least of a kind, not what its page does."""
    own = _LABEL.sub("", text)
    if _SPEAKS_OF_PAGE.search(own):
        return False
    if lists_things(own) or list_names(question, own):
        return True
    return not _list_superlatives(question).isdisjoint(tokenize(own))


def _gives_form(question: str, text: str) -> bool:
    """Return whether a sentence has the form of answer that an English question asks for.

    Where a duration, an amount or a side of a thing is asked for, `_MISSES` looks for that.
    """
    if parse_question(question).language or find_asked_fillers(question):
        return True
    if find_asked_facets(question):
        return True
    kind = find_answer_kind(question)
    if kind.name == "definition" and _TELLS_WHEN_IT_OCCURS.search(text):
        return True
    return kind.name in _KINDS_OF_ANY_FORM or bool(kind.given.search(text))


def measure_share(question: str, text: str) -> float:
    """Return the share of a question's words that a text holds, by weight, 0.0 to 1.0."""
    parsed = parse_question(question)
    total = sum(parsed.words.values())
    if not total:
        return 0.0
    roots = {word_root(word, parsed.language) for word in tokenize(text)}
    held = sum(weight for word, weight in parsed.words.items() if word in roots)
    return round(held / total, 6)


def _tells_other_side(question: str, text: str) -> bool:
    """Return whether a sentence tells of none of the sides that an English question asks about."""
    if parse_question(question).language or find_asked_fillers(question):
        return False
    facets = find_asked_facets(question)
    if facets:
        return not tells_facet(facets, text)
    return find_answer_kind(question).name == "definition" and tells_side(text)


def _defines_other_thing(question: str, text: str) -> bool:
    is_definition = find_answer_kind(question).name == "definition"
    return is_definition and defines_other(text, find_topic(question))


#: The ways in which a sentence on the subject does not answer: it tells the effect for the cause,
#: only repeats the question, lacks the duration, amount, date or effect asked for, says only that
#: there is something, sends its reader to a list, tells of another side, or defines a narrower
#: thing.
_MISSES: tuple[Callable[[str, str], bool], ...] = (
    goes_wrong_way,
    restates_question,
    lambda question, text: not fills_question(question, text),
    tells_nothing,
    lambda _, text: offers_texts(text),
    _tells_other_side,
    _defines_other_thing,
)


def _list_asked(questions: Sequence[str]) -> Iterator[str]:
    """Yield each question, and the first part of one that asks for something else as well.

    "How did X develop from Y, and how do the two differ?" Later parts name their things by "it"
    and "the two".
    """
    for question in questions:
        yield question
        parts = split_questions(question)
        if len(parts) > 1 and find_answer_kind(parts[0].text) != find_answer_kind(question):
            yield parts[0].text


def _rate(
    questions: Sequence[str], text: str, is_near: bool, is_very_near: bool
) -> SentenceRelevance:
    """Rate a sentence by how near it is and by its form.

    One about a thing of the same name with another number is off topic. One that misses what is
    asked in one of the ways of `_MISSES` does not answer.
    """
    if not is_near or all(names_other_number(find_topic(each), text) for each in questions):
        return "off topic"
    for question in _list_asked(questions):
        if any(misses(question, text) for misses in _MISSES):
            continue
        if (is_very_near and _gives_form(question, text)) or answers_directly(question, text):
            return "answers"
    return "on topic"
