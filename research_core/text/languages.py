"""Detect the language of a text by script and by function words, and list its stop words.

`detect_language` and `languages_differ` prefer not to decide: two languages of one script without
entries in the tables are never told apart. `guess_language` names the likeliest language also of a
short question, for uses where a mistake costs little. Nothing is translated.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import cache, lru_cache

from research_core.i18n import N_, SOURCE_LANGUAGE, find_language

#: Function words by language. Danish stands for Norwegian too.
_FUNCTION_WORD_ROWS = {
    "en": (
        "the of and with for from that this which was were is are been has have by to not their its"
    ),
    "de": (
        "der die das und ist nicht von mit ein eine den dem des auf für sich auch als wird werden"
        " bei nach zum zur"
    ),
    "fr": (
        "le la les des et est une dans pour que qui sur par plus avec du au aux ne pas sont ce"
        " cette"
    ),
    "es": "el los las que una por con para del se su más como es son pero",
    "pt": "os as que uma por com para do dos das não ao em é são mais como pelo pela",
    "it": "il gli che una per con del della dei delle nel nella è sono non di più anche alla",
    "nl": "het een van en de is dat niet met voor zijn op aan ook werd wordt door bij",
    "sv": "och att det som en är av för på med den till inte har om ett",
    "da": "og at det som en er af for på med den til ikke har et fra blev",
    "pl": "i w na z się nie jest do to że przez oraz dla od jak po",
    "tr": "ve bir bu için ile olarak olan daha gibi değil",
}
FUNCTION_WORDS = {
    language: frozenset(words.split()) for language, words in _FUNCTION_WORD_ROWS.items()
}
LANGUAGE_ALIASES = {"nb": "da", "nn": "da", "no": "da"}
#: Distinct function words that identify a language. Names of people and places contain single ones
#: of other languages ("la", "von"), but hardly any English ones.
MIN_WORDS, MIN_WORDS_BY_LANGUAGE = 2, {"en": 1}
#: How many times as many as of any other language, and the share of letters that decides a script.
MIN_LEAD, MIN_SCRIPT_SHARE = 2, 2 / 3
#: Characters that are examined.
MAX_CHARACTERS = 50_000
#: Texts whose language is remembered: a page is compared with each claim that cites it.
MAX_KEPT_TEXTS = 256
_WORD = re.compile(r"[^\W\d_]+")
#: Japanese mixes three scripts.
_SCRIPT_ALIASES = {"HIRAGANA": "CJK", "KATAKANA": "CJK"}


def languages_differ(text: str, other: str, declared: str = "") -> bool:
    """Return whether two texts are certainly in different languages.

    `declared` is the language that the other text declares, a BCP 47 tag or "".
    """
    one_script, other_script = detect_script(text), detect_script(other)
    if one_script and other_script and one_script != other_script:
        return True
    tag = declared.partition("-")[0].lower()
    one_language = detect_language(text)
    other_language = detect_language(other) or LANGUAGE_ALIASES.get(tag, tag)
    return bool(one_language and other_language) and one_language != other_language


@lru_cache(maxsize=MAX_KEPT_TEXTS)
def detect_script(text: str) -> str:
    """Return the Unicode name of the script of most letters ("LATIN"), or "" if it is mixed."""
    if text.isascii():
        return "LATIN" if any(map(str.isalpha, text[:MAX_CHARACTERS])) else ""
    letters = Counter(filter(str.isalpha, text[:MAX_CHARACTERS]))
    counted = Counter[str]()
    for letter, count in letters.items():
        name = re.split(r"[ -]", unicodedata.name(letter, ""), maxsplit=1)[0]
        counted[_SCRIPT_ALIASES.get(name, name)] += count
    name, most = max(counted.items(), key=lambda each: each[1], default=("", 0))
    return name if most >= MIN_SCRIPT_SHARE * counted.total() else ""


@lru_cache(maxsize=MAX_KEPT_TEXTS)
def detect_language(text: str) -> str:
    """Return the language whose function words prevail, a key of `FUNCTION_WORDS`, or ""."""
    composed = unicodedata.normalize("NFC", text[:MAX_CHARACTERS])
    words = Counter(_WORD.findall(composed.lower()))
    distinct: dict[str, int] = {}
    totals: dict[str, int] = {}
    for name, function_words in FUNCTION_WORDS.items():
        counts = [words[word] for word in function_words if word in words]
        distinct[name] = len(counts)
        totals[name] = sum(counts)
    first, second = sorted(totals, key=lambda name: -totals[name])[:2]
    if distinct[first] < MIN_WORDS_BY_LANGUAGE.get(first, MIN_WORDS):
        return ""
    if totals[first] < MIN_LEAD * totals[second]:
        return ""
    return first


# ---------------------------------------------------------------- the likeliest language

#: Languages that share a script, and the letters that only the first of them has.
_LETTERS = (
    ("ko", "\uac00-\ud7a3", ""),
    ("ja", "\u3041-\u30fa\u3400-\u4dbf\u4e00-\u9fff", "\u3041-\u30fa"),
    ("zh", "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff", ""),
    ("th", "\u0e01-\u0e4e", ""),
    ("he", "\u05d0-\u05ea", ""),
    ("el", "\u0370-\u03ff\u1f00-\u1fff", ""),
    ("hi", "\u0900-\u0963", ""),
    ("fa", "\u0620-\u06d3", "پچژگکی"),
    ("ar", "\u0620-\u06d3", ""),
    ("uk", "\u0400-\u04ff", "іїєґІЇЄҐ"),
    ("ru", "\u0400-\u04ff", ""),
)
_IN_SCRIPT = [
    (language, re.compile(f"[{letters}]"), re.compile(f"[{own}]") if own else None)
    for language, letters, own in _LETTERS
]
_LATIN_LETTER = re.compile("[A-Za-z\u00c0-\u024f]")
#: Languages of the Latin script that are told apart, and the words that ask in them.
_QUESTION_WORD_ROWS = {
    "de": (
        "wie was wer wen wem wessen wo woran wogegen worin wofür wodurch wann warum weshalb wieso"
        " welche welcher welches welchen woher wohin wozu ist sind kann darf soll wird werden gibt"
    ),
    "pt": "qual quais quando quanto quantos quanta onde quem porque como o",
    "fr": "comment quel quelle quels quelles pourquoi quand combien où que qu'est-ce qui est-ce",
    "es": "qué cómo cuál cuáles cuándo cuánto cuánta cuántos dónde quién quiénes por",
    "it": "cosa come quale quali quando quanto quanti quanta dove chi perché cos'è qual",
    "nl": "hoe wat wie waar wanneer waarom welke welk hoeveel waardoor",
    "pl": "jak jaka jaki jakie co kto kiedy gdzie dlaczego ile czym czy który która",
    "cs": "jak jaký jaká jaké co kdo kdy kde proč kolik čím který která jsou",
    "sv": "hur vad vem var när varför vilka vilken vilket",
    "da": "hvordan hva hvad hvem hvor hvornår når hvorfor hvilke hvilken hvilket",
    "tr": (
        "nasıl ne nedir neden niçin hangi kim kimin kimdir nerede kaç kaçtır niye neyi neye neyin"
        " nasıldır nelerdir midir mıdır mudur müdür"
    ),
}
#: Pronouns and verbs by language, which sentences have and names of things do not. Words that ask
#: are in the table above, those of English here.
_CLAUSE_WORD_ROWS = {
    "en": (
        "how why what when which who where i my we our you your they their it is are was were do does"
        " did can could will would should must has have had says said asked"
    ),
    "de": (
        "ich mein meine wir unser unsere du dein deine sie ihr ihre ist sind war waren kann können soll"
        " sollen muss müssen wird werden wurde wurden hat haben gibt sagt sagte"
    ),
    "fr": (
        "je mon ma mes nous notre nos vous votre vos tu ton il ils elle elles on qui est sont était peut"
        " peuvent doit doivent a ont faut dit"
    ),
    "es": (
        "yo mi mis nosotros nuestro nuestra nuestros nuestras tu tus usted ustedes ellos ellas es son"
        " fue está están puede pueden debe deben ha han hay dice dijo"
    ),
    "pt": (
        "eu meu minha nós nosso nossa nossos nossas você vocês seu sua eles elas é são foi está estão"
        " pode podem deve devem tem têm há diz disse"
    ),
    "it": (
        "io mio mia noi nostro nostra nostri nostre voi vostro vostra loro è sono era può possono deve"
        " devono ha hanno c'è dice"
    ),
    "nl": (
        "ik mijn wij we ons onze jij je jouw u uw zij ze hun is zijn was waren kan kunnen moet moeten"
        " wordt worden werd heeft hebben zegt"
    ),
    "sv": "jag min mina vi vår våra du din dina ni er era de är var kan ska måste blir har hade säger",
    "da": "jeg min mine vi vores våre du din dine de deres er var kan skal må bliver blir har havde siger",
    "pl": "ja mój moja my nasz nasza nasze ty wy wasz oni jest są był była było może mogą musi ma mają",
    "cs": "já můj moje my náš naše ty vy váš vaše oni je jsou byl byla bylo může mohou musí má mají",
    "tr": "ben benim biz bizim sen siz sizin onlar onların var mı mi mu mü oldu olur olacak",
}
#: Letters that decide between languages with the same words.
_OWN_LETTERS = {
    "de": "äöüß",
    "fr": "œèêç",
    "es": "ñ¿¡",
    "pt": "ãõ",
    "it": "ìòù",
    "pl": "łąęśćżź",
    "cs": "ěřůťďňčšž",
    "sv": "äö",
    "da": "æø",
    "tr": "ğış",
}
#: The English names of the languages that `guess_language` returns.
LANGUAGE_NAMES = {
    "ar": N_("Arabic"),
    "cs": N_("Czech"),
    "da": N_("Danish or Norwegian"),
    "de": N_("German"),
    "el": N_("Greek"),
    "en": N_("English"),
    "es": N_("Spanish"),
    "fa": N_("Persian"),
    "fr": N_("French"),
    "he": N_("Hebrew"),
    "hi": N_("Hindi"),
    "it": N_("Italian"),
    "ja": N_("Japanese"),
    "ko": N_("Korean"),
    "nl": N_("Dutch"),
    "pl": N_("Polish"),
    "pt": N_("Portuguese"),
    "ru": N_("Russian"),
    "sv": N_("Swedish"),
    "th": N_("Thai"),
    "tr": N_("Turkish"),
    "uk": N_("Ukrainian"),
    "zh": N_("Chinese"),
}
#: Languages that a short text may be taken for each other.
_ALIKE = (
    frozenset({"ar", "fa"}),
    frozenset({"ru", "uk"}),
    frozenset({"zh", "ja"}),
    frozenset({"da", "sv"}),
    frozenset({"es", "pt"}),
    frozenset({"cs", "pl"}),
)
#: Languages whose characters stand for syllables, and the letters that one counts as.
SYLLABIC_LANGUAGES, LETTERS_PER_SYLLABLE = ("ko", "ja", "zh"), 2
#: Function words of these languages that the lists lack.
_FURTHER_WORDS = {
    "da": "jeg hvad hvornår hvor mange meget nogle noget",
    "pl": "działa są jest",
    "tr": "nedir mi mı mu mü nelerdir kadar bunlar onlar bunun buna bunda",
}
_ENGLISH_WORDS = frozenset(
    """
        the of and with for from that this which was were is are been has have by to not their its a
        an in on at or if as it be do does did can could should would will what how why when where
        who my your our i you we they he she his her no so but than then there about into after
        more most one all also over under
    """.split()
)
#: Characters that the guess reads; sentences are split on every page.
SAMPLE_CHARACTERS = 4_000
#: Texts whose language is kept in memory: a run asks for that of each sentence several times.
MAX_KEPT_GUESSES = 2_048
#: Stop words and words that ask, together, that identify a language of the Latin script.
MIN_STOP_WORDS = 2
#: Own letters of a language that count as a stop word, where there is one. A name has single ones.
MIN_OWN_LETTERS = 2
_ELISION = re.compile(r"\b[^\W\d_]{1,2}['’](?=[^\W\d_])|[^\W\d_]+(?:['’-][^\W\d_]+)*")
_STOP_WORD_ALIASES = {"da": ("da", "nb")}
#: The script of Thai has no list; these are its particles and question words.
_THAI_STOP_WORDS = """
    ที่ และ ของ เป็น ใน มี ได้ ให้ การ ความ จะ ไม่ ว่า กับ จาก โดย ก็ แต่ หรือ คือ อะไร ทำไม อย่างไร
    เมื่อไร เมื่อไหร่ ที่ไหน ใคร เท่าไร เท่าไหร่ กี่ ไหน บ้าง ไหม นี้ นั้น จึง เพื่อ ต่อ แล้ว อยู่ ถึง ซึ่ง ยังไง
    ต้อง ควร สามารถ ระหว่าง ตัว
"""


@cache
def find_stop_words(language: str) -> frozenset[str]:
    """Return the stop words of a language, lower case; none for an unknown one.

    The lists are those of the package stop-words (BSD licence), with our own for Thai.
    """
    from stop_words import get_stop_words

    if language == "th":
        return frozenset(_THAI_STOP_WORDS.split())
    words: set[str] = set()
    for name in _STOP_WORD_ALIASES.get(language, (language,)):
        words.update(word.lower() for word in get_stop_words(name))
    words.update(_QUESTION_WORD_ROWS.get(language, "").split())
    words.update(_FURTHER_WORDS.get(language, "").split())
    return frozenset(words)


@cache
def find_clause_words(language: str) -> frozenset[str]:
    """Return words of sentences and questions that the name of a thing does not have, lower case.

    language: a code of `guess_language`; the words of English for "", none for an unknown one.
    """
    language = language or "en"
    words = frozenset(_CLAUSE_WORD_ROWS.get(language, "").split())
    asking = frozenset(_QUESTION_WORD_ROWS.get(language, "").split())
    # Names have articles and prepositions, which are among the words that ask: "o que", "por qué".
    articles = FUNCTION_WORDS.get(language, frozenset()) | {"o"}
    return words | asking - articles


def are_alike(language: str, other: str) -> bool:
    """Return whether two guessed languages are one, or are easily taken for each other."""
    return language == other or any({language, other} <= alike for alike in _ALIKE)


def guess_language(text: str) -> str:
    """Return the likeliest language of a text, "" if it is unknown. Norwegian is "da"."""
    # A Korean syllable may be stored as three letters, and an accent apart from its letter.
    return _guess_sample(unicodedata.normalize("NFC", text[:SAMPLE_CHARACTERS]))


@lru_cache(maxsize=MAX_KEPT_GUESSES)
def _guess_sample(text: str) -> str:
    """Return the language by the script of most letters, or for Latin by its stop words."""
    if text.isascii():
        return _guess_latin(text)
    most = len(_LATIN_LETTER.findall(text))
    guess = ""
    for language, letters, own in _IN_SCRIPT:
        count = len(letters.findall(text))
        if language in SYLLABIC_LANGUAGES:
            count *= LETTERS_PER_SYLLABLE
        if count > most and (own is None or own.search(text)):
            guess, most = language, count
    return guess or _guess_latin(text)


def _guess_latin(text: str) -> str:
    """Return the language whose stop words prevail over those of English, or ""."""
    lowered = text.lower()
    distinct = frozenset(_ELISION.findall(lowered))
    english = len(distinct & _ENGLISH_WORDS)
    best, most = "", 0.0
    for language, (stop_words, asking_words, own_letters) in _latin_words().items():
        letters = sum(map(lowered.count, own_letters))
        shared = distinct & stop_words
        if not letters:
            shared = frozenset(word for word in shared if len(word) > 1)  # "U.S." is not Czech
        own = len(shared - _ENGLISH_WORDS)
        rivals = english - len(shared & _ENGLISH_WORDS)
        asked = distinct & asking_words if "?" in text else frozenset[str]()
        own += bool(asked - _ENGLISH_WORDS or (asked and not rivals))
        own += bool(own and letters >= MIN_OWN_LETTERS)
        if own < MIN_STOP_WORDS or own <= rivals:
            continue
        score = own + 0.5 * bool(letters)
        if score > most:
            best, most = language, score
    return best or ("" if distinct.isdisjoint(_find_english_words()) else "en")


@cache
def _find_english_words() -> frozenset[str]:
    """Return the English words that are stop words of no other language."""
    others = frozenset[str]().union(*(words for words, _, _ in _latin_words().values()))
    return _ENGLISH_WORDS - others


@cache
def _latin_words() -> dict[str, tuple[frozenset[str], frozenset[str], frozenset[str]]]:
    """Return stop words, question words and own letters of each language of the Latin script."""
    found = {}
    for language, row in _QUESTION_WORD_ROWS.items():
        letters = frozenset(_OWN_LETTERS.get(language, ""))
        found[language] = (find_stop_words(language), frozenset(row.split()), letters)
    return found


def name_language(question: str, follows: str = "") -> dict[str, str]:
    """Return what a `created` event says of a report's language, {} if that is English.

    follows: the question before, which decides if this one is too short to tell.
    """
    language = find_language(guess_language(question) or guess_language(follows))
    return {} if language == SOURCE_LANGUAGE else {"language": language}
