"""Decide by its form whether a sentence states a fact that a reader would want a source for.

In English a predicate is known by its words. In other languages a whole sentence is known by its
end and its length; tables of each language hold only what no reader wants a source for: sentences
about the report itself, and advice.
"""

from __future__ import annotations

import re
from functools import cache

from research_core.i18n import EARLIER_ENGLISH, N_, gettext, list_translations, use_language
from research_core.text.abbreviations import MONTHS
from research_core.text.languages import SYLLABIC_LANGUAGES, guess_language
from research_core.text.quote_labels import is_label
from research_core.text.sentences import CLOSERS, FULL_STOPS

#: Fewer words of three letters and more are no statement: "It depends."
MIN_WORDS = 4
#: Fewer letters are no statement in a language written without spaces, or in syllables.
MIN_LETTERS = {"zh": 7, "ja": 10, "ko": 8, "th": 15}
_FIGURE_OR_INITIALS = re.compile("\\d|\\b[A-Z\u0391-\u03a9\u0410-\u042f]{2,}\\b")
_HAN_FIGURE = re.compile("[一二三四五六七八九十百千]+[年月日万亿倍岁位名]|数[百千万亿]|百分之")
_INNER_WORD = re.compile(r"(?<=[^\W\d_] )[^\W\d_]{2}|(?<=[,;:)] )[^\W\d_]{2}")
_WORD = re.compile(r"[^\W\d_]+")
_VERB = re.compile(
    r"\b(?:(?:is|are|was|were|has|have|had|does|do|did|ca|can|could|will|would|may"
    r"|might)(?:n['’]t)?|cannot|won['’]t"
    r"|led|grew|fell|rose|made|gave|took|began|became|kept|meant|found|caught|told|said|went"
    r"|came|saw|built|won|lost)\b"
    r"|\b(?:act|affect|allow|becom|begin|carr|caus|combin|contain|cost|declin|decreas|depend"
    r"|differ|dominat|driv|elevat|enabl|exceed"
    r"|exist|fall|giv|grow|help|improv|includ|increas|indicat|influenc|keep|lead|lower|mak|mean"
    r"|need|occur|offer|prevent|produc|protect"
    r"|provid|rais|reduc|remain|requir|ris|serv|show|spread|suggest|support|tak|us|work)(?:s|es"
    r"|ies|ied|ed|d|y|e)?\b",
    re.IGNORECASE,
)
_SELF_REFERENCE = re.compile(
    r"\b(?:sentences?|citations?|passages?|footnotes?|this (?:method|report|comparison))\b"
    r"|^\W*(?:(?:no|most|many|all|some|several|few|two) sources?|sources|here|below|above|note"
    r" that|see|for (?:more|details)"
    r"|(?:this|the|these|our)\s+(?:\w+\s+)?(?:report|section|table|answer|overview|summary"
    r"|review|analysis|document|sources?|evidence"
    r"|findings|following))\b",
    re.IGNORECASE,
)
_ADVICE = re.compile(
    r"\b(?:should|must|please|we|I)\b|\brecommend|^\W*(?i:add|ask|avoid|check|choose|compare"
    r"|consider|ensure|flag|include|keep|list|look"
    r"|read|start|treat|try|use)\b"
)
#: What begins a sentence about the report: its nouns within the first words.
_SELF_REFERENCE_ROWS = {
    "de": "bericht abschnitt quelle quellen zitat zitate tabelle antwort übersicht zusammenfassung satz"
    " sätze folgenden folgende",
    "fr": "rapport section source sources citation citations tableau réponse aperçu résumé phrase"
    " phrases suivant suivante suivants",
    "es": "informe sección fuente fuentes cita citas tabla respuesta resumen frase frases siguiente"
    " siguientes",
    "pt": "relatório seção secção fonte fontes citação citações tabela resposta resumo frase frases"
    " seguinte seguintes",
    "it": "rapporto relazione sezione fonte fonti citazione citazioni tabella risposta riassunto frase"
    " frasi seguente seguenti",
    "nl": "rapport verslag sectie bron bronnen citaat citaten tabel antwoord overzicht samenvatting zin"
    " zinnen volgende",
    "pl": "raport sekcja źródło źródła źródeł cytat cytaty tabela odpowiedź podsumowanie zdanie"
    " zdania następujące",
    "cs": "zpráva oddíl zdroj zdroje zdrojů citace tabulka odpověď přehled shrnutí věta věty"
    " následující",
    "sv": "rapporten rapport avsnittet källa källor källorna citat tabellen svaret översikten"
    " sammanfattningen mening meningar följande",
    "da": "rapporten rapport afsnittet avsnittet kilde kilder kilderne kildene citat sitat tabellen"
    " svaret oversigten oversikten sammendraget sætning setning følgende",
    "tr": "rapor raporda raporun bölüm kaynak kaynaklar kaynakta alıntı tablo yanıt özet cümle"
    " aşağıdaki",
    "ru": "отчёт отчет отчёте отчете раздел источник источники источников цитата таблица ответ обзор"
    " предложение предложения следующие",
    "uk": "звіт звіті розділ джерело джерела джерел цитата таблиця відповідь огляд речення наступні",
    "el": "έκθεση αναφορά ενότητα πηγή πηγές παράθεση πίνακας απάντηση σύνοψη πρόταση προτάσεις"
    " ακόλουθα",
    "ar": "التقرير القسم المصدر المصادر مصادر الاقتباس الجدول الإجابة الملخص الجملة الجمل التالي التالية",
    "he": "הדוח המקור המקורות מקורות הציטוט הטבלה התשובה הסיכום המשפט המשפטים הבא הבאים",
    "fa": "گزارش بخش منبع منابع منبعی نقل جدول پاسخ خلاصه جمله جملات زیر",
    "hi": "रिपोर्ट अनुभाग स्रोत उद्धरण तालिका उत्तर सारांश वाक्य निम्नलिखित",
    "zh": "报告 本节 来源 引文 下表 上表 表格 答案 摘要 概述 句子 以下 如下",
    "ja": "報告 本節 出典 情報源 引用 表 回答 要約 概要 以下",
    "ko": "보고서 출처 인용 표 답변 요약 문장 다음",
    "th": "รายงาน แหล่งข้อมูล ตาราง คำตอบ สรุป ประโยค ต่อไปนี้",
}
#: Words of advice and of the first person; each also matches as the beginning of a word.
_ADVICE_ROWS = {
    "de": "sollt müsst muss müssen bitte wir ich empfehl beachte",
    "fr": "devrai doit doivent faut nous je veuillez recommand conseill",
    "es": "debe debería hay_que nosotros recomend aconsej favor conviene",
    "pt": "deve deveria é_preciso nós eu recomend aconselh favor convém",
    "it": "dovrebb deve devono bisogna noi io raccomand consigli",
    "nl": "moet zou_moeten wij we ik aanbevol alstublieft",
    "pl": "powinn powinien należy trzeba proszę zalec my ja",
    "cs": "měl_by měla_by měli_by musí třeba prosím doporuč my já",
    "sv": "bör måste vi jag rekommender vänligen",
    "da": "bør skal vi jeg anbefal venligst",
    "tr": "gerekir gerekmektedir malı meli öner lütfen biz ben",
    "ru": "следует нужно необходимо должн рекоменду мы я пожалуйста",
    "uk": "слід потрібно необхідно повинн рекоменду ми я ласка",
    "el": "πρέπει συνιστάται συνιστούμε εμείς παρακαλ",
    "ar": "يجب ينبغي نوصي يُنصح ينصح نحن فضلك",
    "he": "צריך חייב מומלץ אנחנו נא כדאי",
    "fa": "باید توصیه لطفا ما من",
    "hi": "चाहिए कृपया हम मैं सलाह",
    "zh": "应该 应当 必须 建议 请 我们",
    "ja": "べき なければ ください おすすめ 推奨 私",
    "ko": "해야 하십시오 하세요 권장 우리 저는",
    "th": "ควร ต้อง กรุณา แนะนำ เรา",
}
#: Words at the beginning of a sentence in which the report may be named.
FIRST_WORDS = 5
#: Letters at the beginning, in languages without spaces.
FIRST_LETTERS = 10
_UNSPACED = frozenset({"zh", "ja", "th"})
_QUESTION_ENDS = ("?", "？", "؟", "\u037e")
_LEAD_IN_ENDS = (":", "：")
_ENDED = re.compile(rf"[.!…{FULL_STOPS}][{CLOSERS}]*(?: ?[»›])?$")
_LETTER = re.compile(r"[^\W\d_]")
#: "No source names “…”." and "No source used names “…”." are about the sources themselves; so was
#: "No source was found on “…”." in earlier reports.
_NAMES_MISSING = re.compile(
    r"\W*No source (?:names|used names|was found on) (?:“[^”]+”(?:, | or )?)+\W*"
)
#: The first two as `llm.unnamed_things` marks them, with the field that holds the names.
_MISSING_TEXTS = (
    ("No source names {names}.", "{names}"),
    ("No source used names “{name}”.", "{name}"),
)


#: What an offline report says of itself and of its sources, as the modules of `llm` mark it.
_OWN_TEXTS = (
    "*No language model wrote this report. It consists of whole sentences quoted from its"
    " sources, each followed by the number of its source. Only spacing and footnote marks were"
    " changed.*",
    "*No language model wrote this section. It consists of whole sentences quoted from its"
    " sources, each followed by the number of its source. Only spacing and footnote marks were"
    " changed.*",
    "*No language model wrote this summary. It consists of whole sentences quoted from its"
    " sources, each followed by the number of its source. Only spacing and footnote marks were"
    " changed.*",
    "List items are joined with semicolons.",
    "There is only one source, so nothing could be compared.",
    "The passages contain nothing beyond the summary above.",
    "No conflicting figures, dates, names or denials were found in similar sentences. Conflicts"
    " worded differently may be missed.",
    "No two sentences of different sources are worded alike enough to be compared automatically."
    " Conflicts may be missed.",
    "These sentences have the same subject but differ in a figure, a date, a name or a denial. A"
    " different scope may explain it.",
)
#: The first three, and that nothing was compared, as reports of earlier versions say them. The last
#: is as today: earlier reports do not say it, so that nothing of theirs is judged otherwise.
_EARLIER_OWN_TEXTS = (
    N_(
        "*No language model wrote this report. It quotes whole sentences from its sources, each"
        " with its mark. Only white space and footnote marks were changed.*"
    ),
    N_(
        "*No language model wrote this section. It quotes whole sentences from its sources, each"
        " with its mark. Only white space and footnote marks were changed.*"
    ),
    N_(
        "*No language model wrote this summary. It quotes whole sentences from its sources, each"
        " with its mark. Only white space and footnote marks were changed.*"
    ),
    N_("Sources could not be compared: no two of them make similar statements."),
    N_("There is only one source, so nothing could be compared."),
)
#: The least characters of one of our own sentences; shorter matches may be chance.
_MIN_OWN_LENGTH = 8


def _is_own_sentence(said: str) -> bool:
    """Return whether a report says this of itself, in any language."""
    bare = said.strip("* ")
    return len(bare) >= _MIN_OWN_LENGTH and any(bare in text for text in _list_own_texts())


@cache
def _list_own_texts() -> tuple[str, ...]:
    """Return the own texts in all languages; what older reports said is judged as it was then."""
    texts: set[str] = set()
    for message in _OWN_TEXTS:
        texts |= list_translations(message)
        with use_language(EARLIER_ENGLISH):
            texts.discard(gettext(message))
    for message in _EARLIER_OWN_TEXTS:
        texts |= list_translations(message)
    # A text whose wording did not change is one of today, too.
    return tuple(sorted(texts))


@cache
def _find_missing_patterns() -> tuple[re.Pattern[str], ...]:
    """Return the patterns of the sentences that no source names something, in all languages."""
    patterns = [_NAMES_MISSING]
    for message, field in _MISSING_TEXTS:
        for text in sorted(list_translations(message)):
            before, _, after = text.partition(field)
            patterns.append(re.compile(rf"\W*{re.escape(before)}\W*\w.*{re.escape(after)}\W*"))
    return tuple(patterns)


def names_fact(text: str, language: str = "") -> bool:
    """Return True if a sentence holds a number, a date or, after its first word, a name.

    language: of the report, for a sentence too short to guess its own. A German name is known only
    by two capitals in a row, because German writes every noun with one.
    """
    if _FIGURE_OR_INITIALS.search(text) or _HAN_FIGURE.search(text):
        return True
    spoken = guess_language(text) or language
    if spoken not in ("", "en") and not MONTHS.isdisjoint(_WORD.findall(text.lower())):
        return True
    starts = (opening.start() for opening in _INNER_WORD.finditer(text) if opening[0].istitle())
    return any(_may_begin_name(text, start, spoken) for start in starts)


def has_verb(text: str) -> bool:
    """Return whether a text holds a word that is mostly the verb of an English sentence."""
    return bool(_VERB.search(text))


def _may_begin_name(text: str, start: int, language: str) -> bool:
    """Return whether the word with a capital at `start` may be a name by its place."""
    last = text[start - 2]
    if language != "de":
        return last.islower() or last in ",;:)"
    before = text[:start].split()
    return len(before) > 1 and before[-1].istitle() and last.isalpha()


def is_assertion(text: str, language: str = "") -> bool:
    """Return True if a sentence states how something is.

    language: of the report, for a sentence too short to guess its own.
    """
    said = text.strip()
    if is_label(said) or any(each.fullmatch(said) for each in _find_missing_patterns()):
        return False
    if _is_own_sentence(said):
        return False
    spoken = guess_language(said) or language
    if said.endswith((*_LEAD_IN_ENDS, *_QUESTION_ENDS)):
        return False
    if spoken == "el" and said.endswith(";"):
        return False
    if names_fact(said, language):
        return True
    if spoken not in ("", "en"):
        return _is_whole_sentence(said, spoken) and not _is_meta_or_advice(said, spoken)
    words = re.findall(r"[^\W\d_]{3,}", said)
    return (
        len(words) >= MIN_WORDS
        and bool(_VERB.search(said))
        and not _SELF_REFERENCE.search(said)
        and not _ADVICE.search(said)
    )


def _is_whole_sentence(said: str, language: str) -> bool:
    """Return whether a text in another language than English ends and is long as a sentence."""
    if not _ENDED.search(said) and language != "th":
        return False
    least = MIN_LETTERS.get(language)
    if least:
        return len(_LETTER.findall(said)) >= least
    return len(said.split()) >= MIN_WORDS


def _is_meta_or_advice(said: str, language: str) -> bool:
    """Return whether a sentence is about the report itself, or says what to do."""
    lowered = said.lower()
    nouns = _SELF_REFERENCE_ROWS.get(language, "").split()
    advice = [word.replace("_", " ") for word in _ADVICE_ROWS.get(language, "").split()]
    if language in _UNSPACED or language in SYLLABIC_LANGUAGES:
        return any(noun in lowered[:FIRST_LETTERS] for noun in nouns) or any(
            word in lowered for word in advice
        )
    words = [word.strip("\"'“”„«».,;:!") for word in lowered.split()]
    if not set(nouns).isdisjoint(words[:FIRST_WORDS]):
        return True
    spaced = f" {' '.join(words)} "
    return any(f" {word}" in spaced if len(word) > 3 else f" {word} " in spaced for word in advice)
