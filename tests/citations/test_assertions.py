"""Which sentences of a report state a fact, in each language."""

from __future__ import annotations

import re

import pytest

from research_core.citations import assertions
from research_core.citations.assertions import is_assertion, names_fact
from research_core.i18n import EARLIER_ENGLISH, gettext, list_translations, use_language

#: For each language: statements without a figure, then what states nothing (a question, a lead-in,
#: a heading, a sentence about the report, advice).
ROWS: dict[str, tuple[list[str], list[str]]] = {
    "de": (
        [
            "Die Wärmepumpe spart im Winter viel Strom.",
            "Der Klimawandel bedroht die Küsten der Insel.",
            "Diese Bienen bestäuben auch die Blüten der Obstbäume.",
            "Nach dem Regen wachsen die Pilze schneller.",
            "Das Medikament senkt den Blutzucker bei den meisten Kranken.",
        ],
        [
            "Warum wachsen die Pilze nach dem Regen?",
            "Die Vorteile der Wärmepumpe sind folgende:",
            "Vorteile der Wärmepumpe im Winter",
            "Dieser Bericht fasst die Quellen kurz zusammen.",
            "Man sollte die Anlage vor dem Winter prüfen lassen.",
        ],
    ),
    "fr": (
        [
            "La pompe à chaleur réduit la consommation du foyer.",
            "Les abeilles pollinisent les fleurs des vergers.",
            "Ce médicament abaisse la glycémie chez les malades.",
            "Le climat menace les côtes de cette île.",
            "Après la pluie, les champignons poussent plus vite.",
        ],
        [
            "Pourquoi les champignons poussent-ils après la pluie ?",
            "Les avantages de la pompe sont les suivants :",
            "Avantages de la pompe à chaleur",
            "Ce rapport résume les sources de la recherche.",
            "Il faut vérifier la pompe avant les grands froids.",
        ],
    ),
    "es": (
        [
            "La bomba de calor reduce el consumo del hogar.",
            "Las abejas polinizan las flores de los huertos.",
            "El medicamento baja la glucosa en los enfermos.",
            "El clima amenaza las costas de la isla.",
            "Las setas crecen más después de la lluvia.",
        ],
        [
            "¿Por qué crecen las setas después de la lluvia?",
            "Las ventajas de la bomba son estas:",
            "Ventajas de la bomba de calor",
            "Este informe resume las fuentes de la búsqueda.",
            "Se debe revisar la bomba antes del invierno.",
        ],
    ),
    "it": (
        [
            "La pompa di calore riduce i consumi della casa.",
            "Le api impollinano i fiori dei frutteti.",
        ],
        [
            "Perché crescono i funghi dopo la pioggia?",
            "Questo rapporto riassume le fonti della ricerca.",
        ],
    ),
    "pt": (
        [
            "A bomba de calor reduz o consumo da casa.",
            "As abelhas polinizam as flores dos pomares.",
        ],
        [
            "Por que crescem os cogumelos depois da chuva?",
            "Este relatório resume as fontes da pesquisa.",
        ],
    ),
    "nl": (
        [
            "De warmtepomp verlaagt het verbruik van de woning.",
            "De bijen bestuiven de bloemen van het fruit.",
        ],
        [
            "Waarom groeien de paddenstoelen na de regen?",
            "Dit rapport vat de bronnen van het onderzoek samen.",
        ],
    ),
    "pl": (
        [
            "Pompa ciepła zmniejsza zużycie energii w domu.",
            "Pszczoły zapylają kwiaty drzew w sadach.",
        ],
        ["Dlaczego grzyby rosną po deszczu?", "Ten raport podsumowuje źródła i wyniki."],
    ),
    "cs": (
        [
            "Tepelné čerpadlo snižuje spotřebu celé domácnosti.",
            "Včely opylují květy stromů v sadech.",
        ],
        ["Proč rostou houby po dešti?", "Tato zpráva shrnuje zdroje a jejich obsah."],
    ),
    "sv": (
        [
            "Värmepumpen sänker hushållets förbrukning av el.",
            "Bina pollinerar blommorna på träden.",
        ],
        ["Varför växer svampen efter regn?", "Den här rapporten sammanfattar alla källor."],
    ),
    "da": (
        ["Varmepumpen senker forbruket av strøm i huset.", "Biene bestøver blomstene på trærne."],
        ["Hvorfor vokser soppen etter regn?", "Denne rapporten oppsummerer alle kilder."],
    ),
    "tr": (
        [
            "Isı pompası evin enerji tüketimini azaltır.",
            "Arılar bahçelerdeki ağaçların çiçeklerini döller.",
        ],
        ["Mantarlar yağmurdan sonra neden büyür?", "Bu rapor bütün kaynakları kısaca özetler."],
    ),
    "ru": (
        [
            "Тепловой насос снижает расход энергии в доме.",
            "Пчёлы опыляют цветы плодовых деревьев.",
            "После дождя грибы растут быстрее.",
            "Лекарство снижает уровень сахара в крови.",
            "Климат угрожает берегам этого острова.",
        ],
        [
            "Почему грибы растут после дождя?",
            "Преимущества насоса таковы:",
            "Преимущества теплового насоса зимой",
            "Этот отчёт обобщает найденные источники.",
            "Следует проверить насос перед зимой.",
        ],
    ),
    "uk": (
        [
            "Тепловий насос зменшує витрати енергії в оселі.",
            "Бджоли запилюють квіти плодових дерев.",
        ],
        ["Чому гриби ростуть після дощу?", "Цей звіт узагальнює знайдені джерела."],
    ),
    "el": (
        [
            "Η αντλία μειώνει την κατανάλωση του σπιτιού.",
            "Οι μέλισσες γονιμοποιούν τα άνθη των δέντρων.",
        ],
        [
            "Γιατί φυτρώνουν τα μανιτάρια μετά τη βροχή;",
            "Αυτή η έκθεση συνοψίζει τις πηγές της έρευνας.",
        ],
    ),
    "ar": (
        [
            "تقلل المضخة الحرارية من استهلاك الطاقة.",
            "يلقح النحل أزهار الأشجار في البساتين.",
            "يخفض الدواء مستوى السكر في الدم.",
            "يهدد المناخ سواحل هذه الجزيرة.",
            "ينمو الفطر بسرعة بعد المطر.",
        ],
        [
            "لماذا ينمو الفطر بعد المطر؟",
            "مزايا المضخة هي الآتية:",
            "مزايا المضخة الحرارية في الشتاء",
            "يلخص هذا التقرير ما جاء في المصادر.",
            "يجب فحص المضخة قبل الشتاء.",
        ],
    ),
    "he": (
        ["המשאבה מפחיתה את צריכת החשמל בבית.", "הדבורים מאביקות את פרחי העצים."],
        ["למה הפטריות גדלות אחרי הגשם?", "הדוח הזה מסכם את כל המקורות."],
    ),
    "fa": (
        [
            "پمپ حرارتی مصرف انرژی خانه را کم می‌کند.",
            "زنبورها گل‌های درختان باغ را گرده‌افشانی می‌کنند.",
        ],
        ["چرا قارچ‌ها پس از باران می‌رویند؟", "این گزارش همه منابع را خلاصه می‌کند."],
    ),
    "hi": (
        ["यह पंप घर की बिजली की खपत घटाता है।", "मधुमक्खियाँ बाग के फूलों का परागण करती हैं।"],
        ["बारिश के बाद मशरूम क्यों उगते हैं?", "यह रिपोर्ट सभी स्रोतों का सार देती है।"],
    ),
    "zh": (
        [
            "热泵能降低家庭的能源消耗。",
            "蜜蜂为果园里的花朵授粉。",
            "这种药物降低患者的血糖。",
            "气候变化威胁岛上的海岸。",
            "雨后蘑菇生长得更快。",
        ],
        [
            "为什么雨后蘑菇生长得更快？",
            "热泵的主要优点包括：",
            "热泵的主要优点和缺点",
            "本报告总结了各个来源的内容。",
            "冬天之前应该检查热泵设备。",
        ],
    ),
    "ja": (
        [
            "ヒートポンプは家庭の電力消費を減らす。",
            "ミツバチは果樹園の花に授粉します。",
            "この薬は患者の血糖値を下げます。",
            "気候変動は島の海岸を脅かしている。",
            "雨の後はきのこが早く育つ。",
        ],
        [
            "なぜ雨の後にきのこが育つのですか？",
            "ヒートポンプの主な利点：",
            "ヒートポンプの主な利点と欠点",
            "この報告は情報源の内容をまとめている。",
            "冬の前にヒートポンプを点検してください。",
        ],
    ),
    "ko": (
        ["열펌프는 가정의 전력 소비를 줄인다.", "꿀벌은 과수원의 꽃을 수분시킨다."],
        ["왜 비가 온 뒤에 버섯이 자라는가?", "이 보고서는 모든 출처를 요약한다."],
    ),
}


@pytest.mark.parametrize(
    ("language", "text"),
    [(language, text) for language, (stated, _) in ROWS.items() for text in stated],
)
def test_a_statement_is_known_in_each_language(language: str, text: str) -> None:
    assert is_assertion(text, language)
    assert not names_fact(text, language)


@pytest.mark.parametrize(
    ("language", "text"),
    [(language, text) for language, (_, other) in ROWS.items() for text in other],
)
def test_what_states_nothing_is_known_in_each_language(language: str, text: str) -> None:
    assert not is_assertion(text, language)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Die Preise stiegen um 4 Prozent.", True),
        ("Die Deutsche Bahn baut neue Strecken.", True),
        ("Das Gesetz gilt seit dem ersten März.", True),
        ("Der Zug fährt durch das Tal.", False),
        ("Le Rhône traverse la ville de Lyon.", True),
        ("El río pasa por Sevilla y llega al mar.", True),
        ("Река течёт через город Казань.", True),
        ("Rzeka płynie przez Łódź i okolice.", True),
        ("战争持续了三十年。", True),
        ("وقع ذلك في عام ١٩١٤.", True),
        ("The town of Éze lies by the sea.", True),
    ],
)
def test_a_figure_a_date_or_a_name_is_seen_in_each_language(text: str, expected: bool) -> None:
    assert names_fact(text) is expected


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Bienen bestäuben täglich Obstbäume.", "de", True),
        ("Les abeilles pollinisent.", "fr", False),
        ("Quoted sentences from the pages.", "de", False),
    ],
)
def test_a_short_sentence_is_read_in_the_language_of_its_report(
    text: str, language: str, expected: bool
) -> None:
    assert is_assertion(text, language) is expected


@pytest.mark.parametrize("message", [*assertions._OWN_TEXTS, *assertions._EARLIER_OWN_TEXTS])
def test_what_a_report_says_of_itself_is_known_in_the_words_of_each_version(message: str) -> None:
    for text in {message, *list_translations(message) - _first_version(message)}:
        for sentence in re.findall(r"[^.。]+[.。]", text.strip("*")):
            assert assertions._is_own_sentence(sentence)
            assert not is_assertion(sentence)


def _first_version(message: str) -> set[str]:
    """Return what the first version said, which is judged as it was then."""
    with use_language(EARLIER_ENGLISH):
        return {gettext(message)}
