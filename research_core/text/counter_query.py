"""Build the query that searches for evidence against an answer that can be disputed.

Such are the answers to questions about yes or no, an effect, a comparison, what should be done,
safety, benefit or policy. The form and the words of the question decide, never its subject.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from research_core.text.languages import guess_language
from research_core.text.question_parts import AskedPart, split_questions

#: Words of the topic in the query, at most.
MAX_TOPIC_WORDS = 5
#: Kinds of English questions (`question_types`) with a single answer, whatever their words.
_PLAIN_KINDS = frozenset(("how much", "when", "who", "where"))


@dataclass(frozen=True)
class CounterWords:
    """The words of a language that ask for evidence against.

    against: a claim; criticism: a recommendation; limits: a comparison or an effect.
    """

    against: str
    criticism: str
    limits: str


#: By language. A question in another language counts as not contested.
COUNTER_WORDS = {
    "en": CounterWords("evidence against", "criticism", "limitations"),
    "de": CounterWords("Gegenargumente", "Kritik", "Nachteile"),
    "fr": CounterWords("arguments contre", "critiques", "limites"),
    "es": CounterWords("evidencia en contra", "críticas", "limitaciones"),
    "it": CounterWords("prove contrarie", "critiche", "limiti"),
    "pt": CounterWords("evidências contra", "críticas", "limitações"),
    "nl": CounterWords("bewijs tegen", "kritiek", "beperkingen"),
    "sv": CounterWords("argument mot", "kritik", "begränsningar"),
    "pl": CounterWords("dowody przeciw", "krytyka", "ograniczenia"),
    "ru": CounterWords("доводы против", "критика", "ограничения"),
    "zh": CounterWords("反对证据", "批评", "局限性"),
    "ja": CounterWords("反証", "批判", "限界"),
}
#: The field of `CounterWords` by kind of English question; other kinds need words of `_FORMS`.
_WORD_OF_KIND = {
    "yes or no": "against",
    "comparison": "limits",
    "effect": "limits",
    "treatment": "limits",
}
#: The field of `CounterWords` and the pattern of a contested question, by language. The first match
#: counts.
_FORMS: dict[str, tuple[tuple[str, str], ...]] = {
    "en": (
        ("criticism", r"\bshould\b|\bought to\b|\bban(?:s|ned|ning)?\b|\bpolic(?:y|ies)\b"),
        (
            "limits",
            r"\bsafe(?:ty|ly)?\b|\brisks?\b|\bbenefits?\b|\badvantages?\b|\beffective(?:ness)?\b"
            r"|\befficacy\b|\bharm(?:s|ful)?\b|\bworth\b|\bpros\b",
        ),
        ("against", r"^(?:is|are|do|does|did|can|could|will|would|has|have|may|might)\b"),
    ),
    "de": (
        ("criticism", r"\bsoll(?:te|ten|en|st|test)?\b|\bverb(?:ot|ieten|oten)\b|\bpolitik\b"),
        (
            "limits",
            r"\bsicher(?:heit)?\b|\brisik(?:o|en)\b|\bnutzen\b|\bwirk(?:t|sam|samkeit|ung|ungen)\b"
            r"|\bschäd(?:lich|en|igt)\b|\bschadet\b|\bhilft\b|\bbesser\b|\blohnt\b"
            r"|\bvor- und nachteile\b|\bvorteile?\b|\bauswirkung(?:en)?\b|\bunterschied\b",
        ),
        ("against", r"^(?:ist|sind|hat|haben|kann|können|macht|machen|darf|dürfen|wird|werden)\b"),
    ),
    "fr": (
        ("criticism", r"\bfaut-il\b|\bdo(?:it|ivent|is)-?\b|\bdevrai(?:t|ent|s)\b|\binterdi\w+"),
        (
            "limits",
            r"\bsûre?s?\b|\bsécurité\b|\brisques?\b|\bbénéfices?\b|\bavantages?\b|\befficac\w+"
            r"|\bnocifs?\b|\bnuisibles?\b|\bdangereu\w+|\beffets?\b|\bmeilleure?s?\b"
            r"|\bimpacts?\b|\bdifférence\b",
        ),
        ("against", r"^est-ce\b|^(?:est|sont|peut|peuvent)\b|-t-(?:il|elle|on|ils|elles)\b|-il\b"),
    ),
    "es": (
        ("criticism", r"\bdeb(?:e|en|ería|erían|emos|eríamos)\b|\bprohib\w+|\bpolíticas?\b"),
        (
            "limits",
            r"\bsegur(?:o|a|os|as|idad)\b|\briesgos?\b|\bbeneficios?\b|\bventajas?\b|\beficac\w+"
            r"|\beficaz|\befectiv\w+|\bdañin\w+|\bperjudicial\w*|\befectos?\b|\bmejor(?:es)?\b"
            r"|\bsirven?\b|\bfuncionan?\b|\bdiferencia\b",
        ),
        ("against", r"^(?:es|son|está|están|puede|pueden|causa|causan|hay|tiene|tienen)\b"),
    ),
    "it": (
        ("criticism", r"\bdovrebber?o?\b|\bbisogna\b|\bviet\w+|\bpolitic(?:a|he)\b"),
        (
            "limits",
            r"\bsicur(?:o|a|i|e|ezza)\b|\brischi(?:o)?\b|\bbenefici(?:o)?\b|\bvantagg\w+"
            r"|\befficac\w+"
            r"|\bdannos\w+|\bfa(?:nno)? (?:male|bene)\b|\beffett[oi]\b|\bmiglior[ei]?\b"
            r"|\bfunzionan?o?\b|\bdifferenza\b|\bconviene\b",
        ),
        ("against", r"^(?:è|sono|può|possono|causa|causano)\b"),
    ),
    "pt": (
        ("criticism", r"\bdev(?:e|em|eria|eriam|emos|eríamos)\b|\bproib\w+|\bpolíticas?\b"),
        (
            "limits",
            r"\bsegur(?:o|a|os|as|ança)\b|\briscos?\b|\bbenefícios?\b|\bvantagens?\b|\beficaz\w*"
            r"|\beficácia\b|\bprejudicia\w+|\bfaz(?:em)? (?:mal|bem)\b|\befeitos?\b"
            r"|\bmelhor(?:es)?\b"
            r"|\bfuncionam?\b|\bdiferença\b",
        ),
        ("against", r"^(?:é|são|está|estão|pode|podem|causa|causam)\b"),
    ),
    "nl": (
        ("criticism", r"\bmoet(?:en)?\b|\bverb(?:od|ieden|oden)\b|\bbeleid\b"),
        (
            "limits",
            r"\bveilig(?:heid)?\b|\brisico(?:'s)?\b|\bvoordelen?\b|\bnut\b|\bwerk(?:t|zaam)\b"
            r"|\beffect(?:en|ief)?\b|\bschadelijk\b|\bhelpt\b|\bbeter\b|\bgevolgen\b|\bverschil\b",
        ),
        ("against", r"^(?:is|zijn|kan|kunnen|heeft|hebben|maakt|mag)\b"),
    ),
    "sv": (
        ("criticism", r"\bbör\b|\bborde\b|\bska(?:ll)?\b|\bförbju\w+|\bförbud\w*|\bpolitik\w*"),
        (
            "limits",
            r"\bsäker(?:het|t)?\b|\brisk(?:er|erna|en)?\b|\bfördelar\w*|\bnytta\w*|\beffekt\w*"
            r"|\bskadlig\w*|\bfungerar\b|\bhjälper\b|\bbättre\b|\bskillnad\w*",
        ),
        ("against", r"^(?:är|kan|har|gör)\b"),
    ),
    "pl": (
        ("criticism", r"\bpowin\w+|\bzakaz\w*|\bpolityk\w+"),
        (
            "limits",
            r"\bbezpiecz\w+|\bryzyk\w+|\bkorzyś\w+|\bzalet\w+|\bskutecz\w+|\bszkod\w+|\bskutk\w+"
            r"|\bwpływ\w*|\bdziała\w*|\bpomaga\w*|\blepsz\w+|\bróżnic\w+",
        ),
        ("against", r"^czy\b"),
    ),
    "ru": (
        ("criticism", r"\bследует\b|\bдолж\w+|\bзапре\w+|\bполитик\w+"),
        (
            "limits",
            r"\bбезопас\w+|\bриск\w*|\bпольз\w+|\bполез\w+|\bэффект\w+|\bвред\w+|\bвлия\w+"
            r"|\bлучше\b|\bпомога\w+|\bпоследстви\w+|\bразниц\w+",
        ),
        ("against", r"\bли\b"),
    ),
    "zh": (
        ("criticism", r"应该|应当|是否应|该不该|禁止|政策"),
        ("limits", r"安全|风险|好处|益处|有效|有害|有用|影响|效果|更好|区别"),
        ("against", r"吗|是否|是不是|能不能|会不会"),
    ),
    "ja": (
        ("criticism", r"べき|禁止|政策"),
        ("limits", r"安全|リスク|メリット|効果|有効|有害|影響|効く|危険|違い|良い|悪い"),
        ("against", r"(?:ます|です|である|の)か[。？?]?$"),
    ),
}
#: How questions with a single answer begin, by language: when, who, where, how much.
_PLAIN_OPENINGS = {
    "de": r"(?:seit |bis |ab )?wann\b|we[rmn]\b|wessen\b|wo(?:her|hin)?\b|wie (?:viele?|hoch|lang"
    r"|alt|groß|weit)\b",
    "fr": r"quand\b|qui\b|où\b|combien\b|quel(?:le)? (?:âge|est la (?:hauteur|date))\b"
    r"|depuis quand\b",
    "es": r"(?:desde )?cuándo\b|quién(?:es)?\b|dónde\b|cuánt[oa]s?\b",
    "it": r"(?:da )?quando\b|chi\b|dove\b|quant[oaie]\b",
    "pt": r"(?:desde )?quando\b|quem\b|onde\b|quant[oa]s?\b",
    "nl": r"wanneer\b|wie\b|waar\b|hoe(?: ?veel| hoog| lang| oud| groot)\b",
    "sv": r"när\b|vem\b|var\b|hur (?:många|mycket|hög|lång|gammal)\b",
    "pl": r"(?:od )?kiedy\b|kto\b|gdzie\b|ile\b",
    "ru": r"когда\b|кто\b|где\b|сколько\b",
}
_PLAIN_PATTERNS = {language: re.compile(pattern) for language, pattern in _PLAIN_OPENINGS.items()}
_PATTERNS = {
    language: tuple((word, re.compile(pattern)) for word, pattern in forms)
    for language, forms in _FORMS.items()
}
_OPENING = re.compile(r"^\W+")


def build_counter_query(question: str) -> str:
    """Return the query that searches for evidence against, "" for a question that is not contested.

    It is the topic of the question with words such as "criticism", in its language.
    """
    part = split_questions(question)[0]
    fitting = _choose_words(part)
    if not fitting:
        return ""
    topic = part.words
    if len(topic) > MAX_TOPIC_WORDS or part.is_told:
        topic = tuple(part.list_heaviest(MAX_TOPIC_WORDS))
    return " ".join([*topic, fitting]) if topic else ""


def _choose_words(part: AskedPart) -> str:
    """Return the `CounterWords` entry that fits a question, "" if it is not contested."""
    kind = part.kind.name
    text = _OPENING.sub("", part.text.lower()).rstrip()
    language = guess_language(part.text)
    if part.english and language in ("", "en"):
        if kind in _PLAIN_KINDS:
            return ""
        name = _find_form(text, "en") or _WORD_OF_KIND.get(kind, "")
        return getattr(COUNTER_WORDS["en"], name) if name else ""
    # A short question may be in any of these languages.
    languages = [language] if language else [code for code in _PATTERNS if code != "en"]
    if any(_has_plain_answer(text, code) for code in languages):
        return ""
    for code in languages:
        name = _find_form(text, code)
        if name:
            return str(getattr(COUNTER_WORDS[code], name))
    return ""


def _has_plain_answer(text: str, language: str) -> bool:
    pattern = _PLAIN_PATTERNS.get(language)
    return pattern is not None and pattern.match(text) is not None


def _find_form(text: str, language: str) -> str:
    """Return the name of a field of `CounterWords`, "" if the question is not contested."""
    for name, pattern in _PATTERNS.get(language, ()):
        if pattern.search(text):
            return name
    return ""
