"""Tell what an answer must hold by the words that ask: a duration, an amount, a date, an effect.

"How long does it take?" is answered by a sentence with a duration that is near what is asked, and
not by one that only names the subject. Questions are read in several languages; kinds of thing,
effects and persons in English only. It goes by forms and by no subject.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

from research_core.text.answer_forms import FIGURE, LENGTH_UNITS, MONEY
from research_core.text.asked_facets import find_asked_facets
from research_core.text.comparison_question import find_compared_sides
from research_core.text.question_parts import split_questions
from research_core.text.question_topic import FACET_WORDS
from research_core.text.similarity import content_tokens, word_root
from research_core.text.words import tokenize

#: The most words of a part that asks for one thing; a longer one tells a story beside it.
MAX_ASKING_WORDS = 25
#: What is asked for that is a time.
TIMES = frozenset({"duration", "date", "hour"})
#: The fewest letters of a noun that may name a thing of a kind.
MIN_THING_LENGTH = 4

# ---------------------------------------------------------------- what a question asks for

_HARMS = (
    r"(?:hurts?|harms?|damages?|affects?|injures?|disrupts?|threatens?|destroys?|pollutes?|weakens?"
    r"|impairs?|changes?|alters?|disturbs?|hurting|harming|damaging|affecting)"
)
_ASKS_EFFECT = re.compile(
    rf"\bhow (?:badly|severely|seriously|strongly|much|greatly|far|deeply"
    rf"|heavily)\b[^?]*\b(?:{_HARMS}"
    rf"|(?:hurt|harmed|damaged|affected|injured|disrupted|threatened|destroyed|polluted"
    rf"|weakened))\b"
    r"|\b(?:what|which|how much|how many)(?: (?:kinds?|sorts?|types?) of)? (?:harm|damages?"
    r"|effects?"
    r"|impacts?|consequences?)\b|\bwhat (?:is|are|was|were|would be|will be) the (?:[\w-]+ ){0,2}"
    r"(?:harm|damages?|effects?|impacts?|consequences?)\b"
    rf"|\bhow (?:do|does|did|would|will|could|can|might|has|have) [^?]*\b{_HARMS}\b",
    re.IGNORECASE,
)
#: "How long is the bridge?" may ask for a length.
_ASKS_DURATION = re.compile(
    r"\bhow long\b(?! ago\b)|\bhow (?:much time|many (?:seconds|minutes|hours|days|nights|weeks"
    r"|months"
    r"|years|decades))\b(?! ago\b)"
    r"|\bwie lange\b|\bcombien de temps\b|\bcuánto (?:tiempo|dura|tarda|tardan)\b"
    r"|\bquanto (?:tempo|dura|demora|ci mette)\b|\bhoe lang\b|\bhur länge\b|\bhvor længe\b"
    r"|\bjak długo\b"
    r"|\bjak dlouho\b|\bкак долго\b|\bсколько времени\b|\bяк довго\b|\bскільки часу\b"
    r"|\bne kadar sür\w+"
    r"|多久|多长时间|どのくらいの期間|何年間|얼마나 오래|كم من الوقت|كم تستغرق|كم يستغرق",
    re.IGNORECASE,
)
_ASKS_MONEY = re.compile(
    r"\bhow much\b[^?]*\b(?:costs?|charges?|pays?|paid|earns?|spends?|spent|money|worth|fees?"
    r"|salar\w+"
    r"|wages?)\b|\bhow much (?:is|are|was|were) (?:a|an|the)\b|\bwhat (?:does|do"
    r"|did) [^?]*\bcosts?\b",
    re.IGNORECASE,
)
_ASKS_AMOUNT = re.compile(
    r"\bhow (?:much|many|often|far|fast|high|deep|tall|large|big|heavy|hot|cold|wide|old|loud"
    r"|thick)\b"
    r"|\bwhat (?:percentage|share|proportion|number)\b"
    r"|\bwie ?viele?\b|\bcombien\b|\bcuánt[oa]s?\b|\bquant[oiae]s?\b|\bhoeveel\b|\bhur (?:många"
    r"|mycket)\b"
    r"|\bhvor (?:mange|meget|mye)\b|\bile\b|\bkolik\b|\bсколько\b|\bскільки\b|\bkaç\b|多少|几个|いくら"
    r"|いくつ|何人|何個|얼마|몇|كم عدد",
    re.IGNORECASE,
)
#: "When should I …" asks for a case, not for a date.
_ASKS_DATE = re.compile(
    r"\bwhen (?:did|was|were)\b|\b(?:what|which|since what|in what) (?:year|date|day|month"
    r"|century)\b"
    r"|^\W*(?:wann|quand|cuándo|wanneer|kiedy|kdy|когда|коли)\b|哪一?年|何年に|언제",
    re.IGNORECASE,
)
_ASKS_HOUR = re.compile(r"\b(?:what|which) (?:time|hour)s?(?: of (?:the )?day)?\b", re.IGNORECASE)
_ASKS_PERSON = re.compile(
    r"^\W*(?:by )?who(?:m|se)? (?:\w+ed\b|wrote|found|made|won|built|led|ran|owns?|said|sang|drew"
    r"|began"
    r"|took|gave|came|(?:is|are|was|were) (?:the|behind"
    r"|responsible)\b)(?![^?]*\bat (?:\w+ )?risk\b)",
    re.IGNORECASE,
)
_ASKS_KIND = re.compile(
    r"^\W*(?:and )?(?:which|what) (?!(?:is|are|was|were|do|does|did|can|will|would|should|if"
    r"|about)\b)"
    r"(?:(?:other|kinds? of|types? of|sorts? of) )?"
    r"(?P<kind>(?:[\w-]+ ){0,3}?(?P<noun>[a-z-]{3,}))"
    r" (?:are|were|is|was|have|has|do|does|did|can|could|will|would|may|might|must|should)\b"
    r"|^\W*(?:and )?which (?P<plural>[a-z-]{3,}s) [a-z]",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class AskedFiller:
    """What a part of a question asks for.

    name: duration | money | amount | date | hour | person | kind | effect, "" for none of these;
    text: the part; noun: of a kind, the word for it.
    """

    name: str
    text: str
    noun: str = ""


@lru_cache(maxsize=256)
def find_asked_fillers(question: str) -> tuple[AskedFiller, ...]:
    """Return what each part of a question asks for; () if none asks for a filler."""
    if find_compared_sides(question):
        return ()
    parts = tuple(_read_part(part.text) for part in split_questions(question))
    return parts if any(part.name for part in parts) else ()


def _read_part(text: str) -> AskedFiller:
    if len(text.split()) > MAX_ASKING_WORDS:
        return AskedFiller("", text)
    for name, asked in (
        ("effect", _ASKS_EFFECT),
        ("duration", _ASKS_DURATION),
        ("money", _ASKS_MONEY),
        ("amount", _ASKS_AMOUNT),
        ("date", _ASKS_DATE),
        ("hour", _ASKS_HOUR),
        ("person", _ASKS_PERSON),
    ):
        if asked.search(text):
            # "How common is it", "what side effects": the side of the thing says more.
            is_side = name in ("effect", "amount") and find_asked_facets(text)
            return AskedFiller("" if is_side else name, text)
    kind = _ASKS_KIND.match(text)
    noun = (kind["noun"] or kind["plural"]).lower() if kind else ""
    if noun and word_root(noun) not in FACET_WORDS | _NO_KINDS:
        return AskedFiller("kind", text, noun)
    return AskedFiller("", text)


#: Nouns behind "which" and "what" that are no kind of thing that a sentence names.
_NO_KINDS = frozenset(
    map(
        word_root,
        "it this that these those there thing things one ones way ways time times kind kinds type"
        " types sort part parts side point difference differences problem happens else to the you"
        " we"
        " he she they people exactly about not".split(),
    )
)


# ---------------------------------------------------------------- what a sentence holds

_COUNT = (
    r"(?:\d[\d.,]*|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen"
    r"|twenty"
    r"|thirty|forty|fifty|sixty|hundred|several|some|few|many|half an?|couple of|dozens of"
    r"|hundreds of|thousands of|millions of)"
)
_SPAN = (
    r"(?:seconds?|minutes?|hours?|days?|nights?|weeks?|months?|years?|decades?|centur(?:y|ies)"
    r"|generations?|millenni(?:um|a)|lifetimes?)"
)
#: A point of time or an age, which is no duration: "two years later", "44 years old".
_NO_SPAN = r"(?![ -](?:ago|later|earlier|old|before|prior|previously)\b)"
_DURATION = re.compile(
    rf"(?<!aged )(?<!age )(?<!age of )(?<!under )\b{_COUNT}(?: ?(?:to|or|–"
    rf"|-) ?{_COUNT})?[ -](?:more |full |or more )?{_SPAN}\b"
    rf"{_NO_SPAN}(?! of age\b)"
    r"|\b(?:for|within|in|over|of|or|to|after|takes?|took|lasts?|lasted|last|through|many)"
    rf" (?:the |many )?(?:minutes|hours|days|weeks|months|years|decades|centuries"
    rf"|generations)\b{_NO_SPAN}"
    r"|\b(?:permanent(?:ly)?|for good|for ?ever|indefinitely|irreversibl[ey]|life-?long|overnight"
    r"|timescales?|until)\b"
    r"|\b(?:will|can|would|could|may|does|do) ?not (?:\w+ )?(?:return|recover|come back|grow back"
    r"|heal|go away"
    r"|be (?:brought back|undone|reversed|restored))\b",
    re.IGNORECASE,
)
_FOREIGN_DURATION = re.compile(
    r"(?:\d|\b[^\W\d_]{2,}) (?:\w+ )?(?:sekunden?|minuten?|stunden?|tagen?|wochen?|monaten?"
    r"|jahren?|jahrzehnten?"
    r"|jahrhunderten?|minutes|heures?|jours?|semaines?|mois|ans?|années?|décennies|siècles?"
    r"|segundos?"
    r"|minutos?|horas?|días?|semanas?|meses?|años?|décadas?|siglos?|dias?|anos?|séculos?|secondi"
    r"|minuti"
    r"|ore|giorni|settimane|mesi|anni|decenni|secoli|seconden|minuten|uur|dagen|weken|maanden|jaar"
    r"|sekunder|minuter|timmar|dagar|veckor|månader|år|minut|godzin\w*|dni|tygodni\w*|miesi\w+"
    r"|lat[ao]?"
    r"|hodin\w*|dn[yíů]|týdn\w+|měsíc\w*|let|roky|минут\w*|час\w*|дн\w+|недел\w+|месяц\w*|лет"
    r"|год\w*"
    r"|хвилин\w*|годин\w*|тижн\w+|місяц\w*|рок\w+|dakika|saat|gün|hafta|ay|yıl)\b"
    r"|[\d一二三四五六七八九十百千数几]+ ?(?:个)?(?:多)?(?:年|月|天|日|周|星期|小时|分钟|か月|ヶ月|週間|時間|分|년|개월|일|주|시간)"
    r"|\b(?:سنة|سنوات|عام|عاما|أعوام|شهر|أشهر|يوم|أيام|أسبوع|أسابيع|ساعة|ساعات|دقيقة|دقائق)\b",
    re.IGNORECASE,
)
_LENGTH = re.compile(rf"(?:{FIGURE})[\w.,]*\W+(?:\w+\W+){{0,2}}?{LENGTH_UNITS}\b", re.IGNORECASE)
_IS_LENGTH = re.compile(r"\bhow long (?:is|are|was|were)\b", re.IGNORECASE)
_MONEY = re.compile(MONEY, re.IGNORECASE)
_AMOUNT = re.compile(
    rf"{FIGURE}|\b(?:one|a third|per ?cent)\b|[一二三四五六七八九十百千万]|\b(?:hundert|tausend|cent|mille|mil"
    rf"|cien|ciento|honderd"
    r"|hundra|sto|tysiąc\w*|тысяч\w*|сто|тисяч\w*|yüz|bin)\b",
    re.IGNORECASE,
)
_OFTEN = re.compile(
    r"\b(?:once|daily|weekly|monthly|yearly|annually|hourly|every|each|regularly|never|always)\b",
    re.IGNORECASE,
)
_ASKS_OFTEN = re.compile(r"\bhow often\b", re.IGNORECASE)
_DATE = re.compile(
    r"\b(?:1\d|20)\d\ds?\b|\b\d{1,2}(?:st|nd|rd|th)?[. ]+(?:of )?[^\W\d_]{3,}|\bcentury\b"
    r"|\b(?:january|february|march|april|may|june|july|august|september|october|november"
    r"|december) \d"
    r"|\b\d+ (?:million |thousand |billion )?years ago\b|\d ?[年月]|\d+년",
    re.IGNORECASE,
)
_HOUR = re.compile(
    r"\d ?[ap]\.?m\b|\d[:.h]\d\d\b|\bo['’]clock\b|\b(?:noon|midnight|dawn|dusk|sunset|sunrise)\b",
    re.IGNORECASE,
)
#: The fillers that can be recognized by their form.
_FORMS = {"money": _MONEY, "amount": _AMOUNT, "date": _DATE, "hour": _HOUR}
_EFFECT = re.compile(
    r"\b(?:los(?:e|es|ing|t|s|ses)|kill\w*|destr\w+|damag\w*|harm(?:s|ed|ing)?|hurts?|hurting"
    r"|injur\w+"
    r"|wip(?:e|es|ed|ing) out|drop(?:s|ped|ping)?|fell|falls?|fallen|declin\w+|decreas\w+|reduc\w+"
    r"|shr[aiu]nk\w*|fewer|less|lower(?:s|ed|ing)?|higher|ris(?:e|es|en|ing)|rose|increas\w+"
    r"|wors\w+"
    r"|die[sd]?|dying|deaths?|extinct\w*|disappear\w*|vanish\w*|smother\w*|bur(?:y|ies|ied)"
    r"|disturb\w*"
    r"|disrupt\w*|alter(?:s|ed|ing)?|chang(?:e|es|ed|ing)|affect(?:s|ed|ing)?|poison\w*"
    r"|contaminat\w+"
    r"|erod\w+|collaps\w+|suffer\w*|threaten\w*|endanger\w*|weaken\w*|impair\w*|caus(?:e|es|ed|ing)"
    r"|leads? to|led to|results? in|rare|spread\w*|shift(?:s|ed)?|improv\w+|help(?:s|ed)?|strain\w*"
    r"|(?:not|never) (?:\w+ )?(?:return|recover|come back)|cannot be (?:\w+ )?(?:brought|undone"
    r"|reversed|restored))\b",
    re.IGNORECASE,
)
#: "Whether it does harm is disputed", "among the least studied of the ways in which it could harm":
#: says that there may be an effect, and tells none.
_TELLS_NO_EFFECT = re.compile(
    r"^(?:whether|how|why)\b"
    r"|\b(?:ways?|extent|degree|manner) (?:in|to) which\b"
    r"|\b(?:is|are|was|were|remains?) (?:\w+ ){0,2}(?:disputed|debated|contested|unknown|unclear"
    r"|not (?:\w+ )?(?:known|settled|understood|clear))\b"
    r"|\b(?:argues?|asks?|asked|wants? to know) (?:that|whether|which|what|how)\b",
    re.IGNORECASE,
)
#: What is named behind "such as", or side by side: "sponges, corals and anemones".
_LISTED = re.compile(
    r"\b(?:such as|including|includes?|namely|for example|e\.g\.|called|named)\b[ ,:]+[a-zA-Z]"
    r"|\b[\w-]+, [\w-]+,? (?:and|or) [\w-]{3,}",
)
_QUOTED = re.compile(r"[“\"«‘'][A-ZÀ-Ý][^”\"»]{1,60}[”\"»’']")
#: Endings of words that name no thing of a kind.
_NO_THING = re.compile(r"(?:ly|ed|ing|ous|ful|less|able|ible|tion|ness|ment)$")
_NAME = re.compile(
    r"(?:(?<=[a-z,;:(] )|(?<=[“\"'‘]))[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*|[A-Z]\w+ [A-Z]\w+"
)
_ASKS_IN_ENGLISH = re.compile(r"\b(?:how|what|which|when|who)\b", re.IGNORECASE)


def gives_filler(asked: AskedFiller, text: str) -> bool:
    """Return whether a sentence holds what a part of a question asks for; in doubt, True."""
    if asked.name == "duration":
        if _IS_LENGTH.search(asked.text) and _LENGTH.search(text):
            return True
        spans = _DURATION if _ASKS_IN_ENGLISH.search(asked.text) else _FOREIGN_DURATION
        return bool(spans.search(text))
    if asked.name == "amount" and _ASKS_OFTEN.search(asked.text) and _OFTEN.search(text):
        return True
    if asked.name in _FORMS:
        return bool(_FORMS[asked.name].search(text))
    if asked.name == "effect":
        return bool(_EFFECT.search(text)) and not _TELLS_NO_EFFECT.search(text)
    if asked.name == "person":
        return bool(list_names(asked.text, text))
    if asked.name == "kind":
        return lists_things(text)
    return True


def gives_time(question: str, text: str) -> bool:
    """Return whether a sentence holds the duration, date or hour that a question asks for."""
    timed = [part for part in find_asked_fillers(question) if part.name in TIMES]
    return any(gives_filler(part, text) for part in timed)


def list_names(question: str, text: str) -> list[str]:
    """Return the names in a sentence that its question does not have."""
    known = frozenset(map(word_root, tokenize(question)))
    found = []
    for match in _NAME.finditer(text):
        words = content_tokens(match[0])
        if words and not known.issuperset(map(word_root, words)):
            found.append(match[0])
    return found


def lists_things(text: str) -> bool:
    """Return whether a sentence lists things or quotes a title."""
    return bool(_QUOTED.search(text) or _LISTED.search(text))


def list_candidates(asked: AskedFiller, text: str) -> list[str]:
    """Return the names and nouns of a sentence that may be of the kind asked for."""
    known = frozenset(map(word_root, tokenize(asked.text)))
    found = dict.fromkeys(list_names(asked.text, text))
    named = frozenset(tokenize(" ".join(found)))
    for word in content_tokens(text):
        is_noun = len(word) >= MIN_THING_LENGTH and not _NO_THING.search(word)
        if is_noun and word not in named and word_root(word) not in known:
            found.setdefault(word)
    return list(found)


# ---------------------------------------------------------------- what it is asked of

_ASKING = re.compile(
    r"^\W*(?:and |but |so )?(?:how (?:long|much|many|often|far|fast|badly|severely|seriously"
    r"|strongly"
    r"|greatly|deeply|heavily|high|deep|tall|large|big|old)|when|which|what|who)\b\s*",
    re.IGNORECASE,
)
_AUXILIARY = re.compile(
    r"^(?:do|does|did|will|would|can|could|should|may|might|must|is|are|was|were|has|have"
    r"|had)\b\s*",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"^(?:it|they|you|i|we|one|(?:the|an?|my|your|this|these|our) [\w-]+)\s+", re.I
)

#: What stands before the action of "How long does it need to dry?".
_NEEDS = re.compile(
    r"^(?:(?:really|usually|normally) )?(?:need|take|have|want)(?:s|ed)?(?: \w+)?? to ", re.I
)
_CIRCUMSTANCE = re.compile(r"(?<=\w) (?:from|after|during|under|in|on|at|for|with|of) .*", re.I)
_LAST_PREPOSITION = re.compile(
    r" (?:from|of|in|on|at|by|for|with|after|to|during|under|through)$", re.I
)


def word_point(asked: AskedFiller, common: Collection[str]) -> str:
    """Return a statement of what a part asks, without the words for its thing.

    common: roots of words that name the thing, which every sentence is about.
    """
    rest = _AUXILIARY.sub("", _ASKING.sub("", asked.text)).strip(" ?.!")
    if asked.name == "duration":
        rest = _CIRCUMSTANCE.sub("", _SUBJECT.sub("", rest))
    words = []
    for word in rest.split():
        roots = set(map(word_root, tokenize(word)))
        if not roots or not roots <= set(common):
            words.append(word)
    point = " ".join(words) if content_tokens(" ".join(words)) else rest
    point = _LAST_PREPOSITION.sub("", point)
    if asked.name == "duration":
        return f"It takes years to {_NEEDS.sub('', point)}"
    return point
