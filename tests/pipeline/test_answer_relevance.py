"""Whether a cited sentence answers the question, is about it, or is about something else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from research_core.journal.doorway import MACHINE_FACT
from research_core.pipeline import draft
from research_core.pipeline.answer_relevance import (
    is_in_other_language,
    list_cited,
    rate_by_meaning,
    rate_by_words,
)
from research_core.policy import RunSettings
from research_core.sessions import session_start, snapshot
from research_core.sessions.replay import list_differences, replay_session
from research_core.text.embeddings import MissingEmbedder
from research_core.text.sentence_relevance import _asks_point
from research_core.wiring import LOCAL_USER, Resources, open_log
from tests.pipeline.test_recorded_passages import Broken, finish, place, start, use_embedder

__all__ = ["place"]

BY_WORDS = [
    ("What is a lighthouse?", "A lighthouse is a tower that guides ships by light.", "answers"),
    ("What is a lighthouse?", "*Lighthouse:* its keeper lived in the tower.", "on topic"),
    ("What is a lighthouse?", "Many people ask what a lighthouse is.", "on topic"),
    ("What is a lighthouse?", "Bread rises because yeast gives off gas.", "off topic"),
    ("How much does a canoe weigh?", "A canoe of cedar weighs 29 kg.", "answers"),
    ("How much does a canoe weigh?", "Canoes are stored upside down.", "on topic"),
    ("How much does a canoe weigh?", "A bicycle for children is 9 kg.", "off topic"),
    (
        "What causes rust on iron gates?",
        "Rust on iron gates is caused by water and air.",
        "answers",
    ),
    ("What causes rust on iron gates?", "Iron gates were painted last spring.", "on topic"),
    ("What are the effects of trisomy 18?", "Trisomy 7 affects the kidneys.", "off topic"),
    ("What are the effects of type 2 diabetes?", "Type 1 diabetes affects the eyes.", "off topic"),
    ("Wie schwer ist ein Kanu aus Zedernholz?", "Ein Kanu aus Zedernholz wiegt 29 kg.", "answers"),
    ("Wie schwer ist ein Kanu aus Zedernholz?", "Brot geht durch Hefe auf.", "off topic"),
    (
        "Quelles sont les causes de la rouille ?",
        "La rouille vient de l'eau et de l'air.",
        "answers",
    ),
    ("¿Cuáles son las causas del óxido?", "El pan sube gracias a la levadura.", "off topic"),
    ("ما هي أسباب الصدأ؟", "الخبز يرتفع بفعل الخميرة.", "off topic"),
    ("ржавчина на железных воротах почему?", "Хлеб поднимается благодаря дрожжам.", "off topic"),
]


@pytest.mark.parametrize(("question", "text", "expected"), BY_WORDS)
def test_by_words(question: str, text: str, expected: str) -> None:
    assert rate_by_words([question], text) == expected


@pytest.mark.parametrize(
    ("question", "text", "near", "expected"),
    [
        ("How old do cars get?", "An automobile is scrapped after 14 years.", 0.6, "answers"),
        ("How old do cars get?", "An automobile is scrapped after 14 years.", 0.45, "answers"),
        ("What is a lighthouse?", "Its lamp was lit at dusk.", 0.45, "on topic"),
        ("What is a lighthouse?", "Its lamp was lit at dusk.", 0.3, "off topic"),
        ("What is a lighthouse?", "Many people ask what a lighthouse is.", 0.9, "on topic"),
        ("What are the effects of trisomy 18?", "Trisomy 7 affects the kidneys.", 0.7, "off topic"),
        ("What causes rust?", "Rust causes leaks in tanks.", 0.8, "on topic"),
        ("How long do iron gates last?", "Iron gates are painted black.", 0.8, "on topic"),
        ("How long do iron gates last?", "Iron gates last for decades.", 0.8, "answers"),
        (
            "How badly does salt harm iron gates?",
            "Whether salt harms iron gates more than rain is disputed.",
            0.8,
            "on topic",
        ),
        (
            "How badly does salt harm iron gates?",
            "Salt eats holes and weakens them.",
            0.8,
            "answers",
        ),
    ],
)
def test_by_meaning(question: str, text: str, near: float, expected: str) -> None:
    assert rate_by_meaning([question], text, near) == expected


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("What are the symptoms of gout?", "Gout is treated with rest and tablets.", "on topic"),
        ("What are the symptoms of gout?", "Symptoms of gout are pain and heat.", "answers"),
        ("How can gout be prevented?", "One in 50 adults has gout.", "on topic"),
        ("How can gout be prevented?", "Drinking less beer prevents gout.", "answers"),
        ("What is acute gout?", "Gout is usually diagnosed in an acute attack.", "on topic"),
        ("What is acute gout?", "Acute gout occurs when crystals form in a joint.", "answers"),
        ("Which firms pay most?", "The firms that pay most are listed by size below.", "on topic"),
        ("Which firms pay most?", "Banks, insurers and mines pay most.", "answers"),
        ("How is gout treated?", "Several treatments are available.", "on topic"),
        ("Who invented the zip?", "The zip was a success with many tailors.", "on topic"),
        ("Who invented the zip?", "The zip was invented by Whitcomb Judson.", "answers"),
        ("¿Qué es un faro?", "Un faro guía a los barcos de noche.", "answers"),
        ("Was ist ein Leuchtturm?", "Ein Leuchtturm weist Schiffen den Weg.", "answers"),
    ],
)
def test_a_near_sentence_answers_only_what_its_question_asks(
    question: str, text: str, expected: str
) -> None:
    assert rate_by_meaning([question], text, 0.8) == expected


@pytest.mark.parametrize(
    ("question", "text", "near", "expected"),
    [
        (
            "Is a cargo bike allowed on trains?",
            "Bikes are barred from most trains.",
            0.8,
            "answers",
        ),
        ("When was the mill rebuilt?", "The mill was rebuilt in 1889.", 0.7, "answers"),
        (
            "Is a cargo bike allowed on trains?",
            "A cargo bike carries two children.",
            0.7,
            "on topic",
        ),
        ("When was the mill rebuilt?", "In 1961 the mill sold flour to bakers.", 0.7, "on topic"),
        ("Which inks last longest?", "Inks fade fast because of light.", 0.7, "on topic"),
        ("Which inks last longest?", "Inks: Soot, gall and iron last for ages.", 0.7, "answers"),
        ("Which inks last longest?", "Here we rank the longest lasting inks.", 0.8, "on topic"),
        ("Ist der Holzsteg rutschig?", "Der Holzsteg ist bei Regen rutschig.", None, "answers"),
        (
            "Ist der alte Holzsteg am Bach rutschig?",
            "Der alte Holzsteg am Bach ist sechs Meter lang.",
            None,
            "on topic",
        ),
        (
            "¿Es rentable la pesca de bajura?",
            "La rentabilidad de la pesca de bajura crece.",
            None,
            "answers",
        ),
        ("¿Es rentable la pesca de bajura?", "La pesca de bajura usa redes.", None, "on topic"),
        (
            "How did tango develop from milonga?",
            "Tango grew from milonga in ports.",
            0.7,
            "answers",
        ),
    ],
)
def test_an_answer_tells_what_is_asked_of_its_thing(
    question: str, text: str, near: float | None, expected: str
) -> None:
    if near is None:
        assert rate_by_words([question], text) == expected
    else:
        assert rate_by_meaning([question], text, near) == expected


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        ("このきのこは子どもに危険ですか。", "このきのこは強い毒を含み、子どもに危険である。",
         "このきのこは秋に山の森で育ちます。"),
        ("ว่านนี้อันตรายต่อแมวไหม?", "ใบของว่านมีสารพิษรุนแรงจึงอันตรายต่อแมวและสุนัข", "ว่านมีดอกสีขาวและใบเขียว"),
        ("말벌집은 위험합니까?", "말벌집은 매우 위험하다고 소방관이 말한다.", "말벌집은 종이로 만들어집니다."),
        ("האם עובש מסוכן?", "עובש מסוכן לריאות ולעור כי הוא מפיץ נבגים.", "עובש גדל בקירות רטובים."),
        ("क्या फफूंद खतरनाक है?", "फफूंद फेफड़ों तथा त्वचा के लिए बहुत खतरनाक मानी जाती है।",
         "फफूंद गीली दीवारों पर उगती है।"),
        ("آیا کپک خطرناک است؟", "کپک برای کودکان خطرناک است.", "کپک روی دیوار رشد می‌کند."),
        ("Чи небезпечна пліснява?", "Пліснява дуже небезпечна, бо її спори шкодять легеням і шкірі.",
         "Пліснява росте на вологих стінах."),
        ("Bu küf çocuklar için tehlikeli mi?", "Küf çocuklar için çok tehlikelidir.",
         "Küf nemli duvarda büyür."),
        ("Är den gröna möglen farlig?", "Den gröna möglen är farlig.",
         "Den gröna möglen växer på väggar."),
        ("Er den grønne skimmelsvamp i kælderen farlig?",
         "Den grønne skimmelsvamp i kælderen er farlig.",
         "Den grønne skimmelsvamp i kælderen vokser på vægge."),
        ("Je plíseň ve sklepě nebezpečná?", "Plíseň ve sklepě je nebezpečná.",
         "Plíseň ve sklepě roste na zdech."),
        ("Είναι η μούχλα επικίνδυνη;",
         "Η μούχλα θεωρείται επικίνδυνη, γιατί βλάπτει πνεύμονες και δέρμα.",
         "Η μούχλα μεγαλώνει στους υγρούς τοίχους."),
    ],
)  # fmt: skip
def test_a_question_for_yes_or_no_is_known_in_the_languages_of_letters(
    question: str, answer: str, other: str
) -> None:
    assert rate_by_meaning([question], answer, 0.7) == "answers"
    assert rate_by_meaning([question], other, 0.7) == "on topic"


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Which inks last longest?", "Inks fade within a year or so."),
        ("Which harbours freeze earliest?", "Ice forms on them in winter."),
        ("Which stars are furthest away?", "They shine at night."),
        ("Which cities have the fewest trams?", "They run on rails."),
        ("Which boats are the noisiest?", "Their engines burn diesel."),
    ],
)
def test_a_superlative_is_known_by_its_comparative(question: str, text: str) -> None:
    assert rate_by_meaning([question], text, 0.7) == "on topic"


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("왜 하늘은 파란가요?", "짧은 파장의 빛이 공기에서 더 많이 흩어진다."),
        ("어떻게 김치를 만드나요?", "배추를 소금에 절이고 양념을 바른다."),
        ("뭐가 곰팡이를 죽이나요?", "식초와 알코올은 포자를 없앤다."),
        ("이 버섯은 어디에서 자라나요?", "습한 숲의 썩은 나무에 붙어 산다."),
        ("누가 이 다리를 설계했습니까?", "김 기사가 도면을 그렸다."),
        ("どちらのタイヤが安いですか", "中古のものは半額で買える。"),
        ("卵はいくつ食べられますか。", "一日に二個までなら問題ない。"),
        ("どんな土を使いますか。", "水はけのよい砂を選ぶ。"),
        ("カビはどう育ちますか。", "胞子が湿った壁で発芽する。"),
        ("なぜ空は青いのですか。", "短い波長の光が空気で散らばる。"),
        ("ควรกินไข่กี่ฟองต่อวันไหม?", "สองฟองก็พอสำหรับผู้ใหญ่"),
        ("几点开门知道吗？", "商店早上九点营业。"),
        ("Знаете ли вы, сколько живёт черепаха?", "Она доживает до 100 лет."),
        ("Ist bekannt, wieso Eisen rostet?", "Wasser und Luft greifen das Metall an."),
        ("Er det kendt, hvorfor jern ruster?", "Vand og luft angriber metallet."),
        ("Είναι γνωστό πόσο ζει μια χελώνα;", "Φτάνει τα εκατό χρόνια."),
        ("Je cherche un remède contre la toux", "Le miel calme la gorge des adultes."),
        ("ประวัติผ้าไหม", "ทอกันในหมู่บ้านมานานหลายร้อยปี"),
        ("吗啡的副作用有多严重", "恶心和便秘很常见。"),
        ("危険ですから避けたい毒きのこ", "白い傘を持つものは口に入れない。"),
    ],
)
def test_what_asks_for_something_else_asks_for_no_yes(question: str, text: str) -> None:
    assert not _asks_point(question)
    assert rate_by_meaning([question], text, 0.7) == "answers"


@pytest.mark.parametrize(
    "question",
    [
        "¿Se puede saber cuánto vive una tortuga?",
        "É conhecido quantas patas tem a aranha?",
        "È noto quanti anni vive una tartaruga?",
        "Is bekend hoeveel jaar een schildpad leeft?",
        "Är det känt vilken svamp som är giftig?",
        "Je známo, kolik let žije želva?",
        "Czy wiadomo, ile lat żyje żółw?",
        "Чи відомо, скільки років живе черепаха?",
        "هل تعرف متى تزهر أشجار اللوز؟",
        "آیا می‌دانید لاک‌پشت چند سال عمر می‌کند؟",
        "האם ידוע כמה שנים חי צב?",
        "क्या आप जानते हैं कि कछुआ कितने साल जीता है?",
        "Est-ce qu'on sait combien vit une tortue ?",
        "乌龟能活多久你知道吗？",
        "거북은 몇 년을 사나요?",
        "亀の値段はいくらですか。",
    ],
)
def test_the_words_that_ask_are_known_in_each_language(question: str) -> None:
    assert not _asks_point(question)


@pytest.mark.parametrize(
    "question",
    [
        "È sano il caffè?",
        "Le café est-il bon pour la santé ?",
        "ぶどうは犬に危険ですか。",
        "このきのこはいつも危険ですか。",
        "任何人都可以吃这种蘑菇吗？",
        "芒果几乎没有脂肪吗？",
        "ชาเขียวเกี่ยวกับโรคหัวใจไหมคะ",
        "곰팡이는 왜소한 나무에 위험합니까?",
        "Kan man fryse ris?",
    ],
)
def test_a_word_within_another_asks_for_nothing_else(question: str) -> None:
    assert _asks_point(question)


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        ("전기차는 위험합니까?", "전기차는 위험하다고 한다.", "전기밥솥은 위험하다고 한다."),
        ("고양이는 위험합니까?", "고양이는 위험하다.", "고양시는 위험하다."),
        ("안전벨트가 필요합니까?", "안전벨트는 필요하다.", "안전모가 필요하다."),
        ("이 버섯은 금지되나요?", "이 버섯은 금지된다.", "이 버섯은 금붕어에게 준다."),
        ("녹차는 효과적인가요?", "녹차는 효과가 크다.", "녹차는 효모와 섞는다."),
    ],
)
def test_korean_words_that_begin_alike_are_forms_only_by_their_endings(
    question: str, answer: str, other: str
) -> None:
    assert rate_by_meaning([question], answer, 0.7) == "answers"
    assert rate_by_meaning([question], other, 0.7) == "on topic"


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Czy wiadomo, jak powstaje grzyb domowy?", "Zarodniki dostają się do drewna z ziemi."),
        ("Знаете ли вы, как растёт плесень?", "Споры прорастают на влажных стенах."),
        ("هل تعرف كيف ينمو العفن؟", "تنبت الأبواغ على الجدران الرطبة."),
        ("你知道霉菌怎么生长吗？", "孢子在潮湿的墙上发芽。"),
        ("你知道霉菌如何生长吗？", "孢子在潮湿的墙上发芽。"),
    ],
)
def test_whether_it_is_known_how_asks_for_no_yes(question: str, text: str) -> None:
    assert rate_by_meaning([question], text, 0.7) == "answers"


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Which trees grow in a forest?", "Shade and wet soil decide how well they grow."),
        ("Which banks pay interest monthly?", "Every month the account is credited with it."),
        ("Which crops need an early harvest?", "Beans left too long turn hard and dry."),
        ("Which plants are honest bargains?", "Ferns cost little and live for years."),
        ("Which hotels in Budapest accept dogs?", "Guests with pets pay a fee per night."),
        ("Which trams in Bucharest run all night?", "After midnight they come every hour."),
        ("Which laws forbid incest?", "Courts punish it with up to five years in jail."),
        ("Which cars have a heated headrest?", "Warm air is blown at the neck of the driver."),
        ("Which beers does the Oktoberfest serve?", "They are brewed within the city limits."),
        ("Which firms deforest the island?", "Loggers clear it for palm oil."),
        ("Which storms count as a tempest?", "Winds of 90 km/h tear roofs off."),
    ],
)
def test_a_word_in_est_is_not_always_a_superlative(question: str, text: str) -> None:
    assert rate_by_meaning([question], text, 0.7) == "answers"


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (
            "How did kefir come about, and how is it different from yogurt?",
            "Kefir was first made by shepherds, who carried milk in leather bags.",
        ),
        (
            "How did Afrikaans develop from Dutch, and how do the two languages differ?",
            "Afrikaans developed from the Dutch that settlers spoke at the Cape from 1652.",
        ),
        (
            "How did the croissant develop from the kipferl, and how do the two differ?",
            "The croissant grew out of the Austrian kipferl, sold in Paris from 1839.",
        ),
        (
            "What causes rust, and how does it differ from corrosion?",
            "Rust is caused by iron meeting water and oxygen.",
        ),
        (
            "Wie entstand der Tango, und wie unterscheidet er sich vom Walzer?",
            "Der Tango entstand um 1880 aus Tänzen der Einwanderer.",
        ),
    ],
)
def test_the_first_of_two_things_asked_is_an_answer(question: str, text: str) -> None:
    assert rate_by_meaning([question], text, 0.7) == "answers"


@pytest.mark.parametrize(
    "questions",
    [
        ["What is a lighthouse?", "How much does a canoe weigh?"],
        ["What is a lighthouse?", "Say what canoes weigh."],
    ],
)
def test_one_of_several_questions_or_an_instruction_is_enough(questions: list[str]) -> None:
    assert rate_by_words(questions, "A canoe of cedar weighs 29 kg.") == "answers"
    assert rate_by_words(questions[:1], "A canoe of cedar weighs 29 kg.") == "off topic"


# ---------------------------------------------------------------- a run


def list_rated(resources: Resources, session: str) -> list[tuple[bool, str]]:
    """Whether each sentence cites something, and its relevance."""
    blocks = snapshot.read_session(resources, session).run.blocks
    return [
        (bool(sentence.citations), sentence.relevance)
        for block in blocks
        for sentence in block.sentences
    ]


def count_facts(resources: Resources, session: str) -> int:
    events = open_log(resources, LOCAL_USER, session).read(kinds=("call", "fact"))
    return sum(
        event.data.get("kind", event.kind) == MACHINE_FACT
        and "relevance of sentences" in str(event.data)
        for event in events
    )


def test_what_the_model_measured_is_recorded_and_a_replay_asks_no_model(place: Resources) -> None:
    session = start(place)
    report = finish(place, session)
    rated = list_rated(place, session)
    assert {relevance for cites, relevance in rated if cites} <= {"answers", "on topic"}
    assert any(cites for cites, _ in rated)
    assert not any(relevance for cites, relevance in rated if not cites)
    for absent in (Broken(), MissingEmbedder("It is not installed.")):
        use_embedder(place, absent)
        again = replay_session(place, LOCAL_USER, session)
        assert (again.markdown, list(list_differences(again))) == (report, [])


def test_a_question_in_another_language_is_rated_by_words(place: Resources, tmp_path: Path) -> None:
    folder = tmp_path / "seiten"
    folder.mkdir()
    for number in range(4):
        text = f"Ein Auto hält {10 + number} Jahre, bevor es im Werk {number} verschrottet wird."
        (folder / f"auto-{number}.md").write_text(f"# Wie lange ein Auto hält\n\n{text}\n")
    place.library().add(folder, "roads")
    place.__dict__["embedder"] = Broken()
    run = RunSettings(mode="quick", engines=("library",), library="roads")
    session = session_start.new_session(place, "Wie lange hält ein Auto?", run)
    finish(place, session)
    rated = [relevance for cites, relevance in list_rated(place, session) if cites]
    assert "answers" in rated


# ---------------------------------------------------------------- what a sentence is read with


LABELLED = "*Iron gates:* They rust where the paint is thin [p1]."
TABLE = """
| Question | Cedar canoe | Steel canoe |
|---|---|---|
| Weight | 29 kg [p1] | 45 kg [p2] |
"""
LISTED = """
Symptoms of a cold include:

- sneezing [p1]
- a sore throat [p2]
"""
APART = """
Symptoms of a cold are common.

- sneezing [p1]
"""


@pytest.mark.parametrize(
    ("text", "compared"),
    [
        (LABELLED, ["Iron gates: They rust where the paint is thin."]),
        (TABLE, ["Question Cedar canoe Steel canoe Weight: 29 kg", "Question Cedar canoe Steel canoe Weight: 45 kg"]),
        (LISTED, ["Symptoms of a cold include: sneezing", "Symptoms of a cold include: a sore throat"]),
        (APART, ["sneezing"]),
        ("The gates rust [p1]. They need paint [p2].", ["The gates rust.", "They need paint."]),
        ("The reason is this: it rains [p1]:\n\nPaint helps [p2].", ["The reason is this: it rains:", "Paint helps."]),
    ],
)  # fmt: skip
def test_a_sentence_is_read_with_its_label_its_lead_in_or_the_head_of_its_table(
    text: str, compared: list[str]
) -> None:
    marked = re.sub(r"\[p(\d)\]", lambda found: f"[p{int(found[1]):08x}]", text)
    assert list(list_cited(draft.parse(marked)).values()) == compared


@pytest.mark.parametrize(("question", "text", "other"), [
    ("What is the tidal range at Harwich?", "Der Tidenhub in Harwich ist im Mittel 3,6 Meter, und bei Springtide ist er höher.", True),
    ("Wie hoch ist der Tidenhub in Harwich?", "The mean tidal range at Harwich is 3.6 metres, and it is higher at springs.", True),
    ("What is the tidal range at Harwich?", "ハリッジの平均的な潮差は3.6メートルで、大潮のときはもっと大きくなります。", True),
    ("¿Cuál es la amplitud de la marea en Harwich?", "Le marnage moyen est de 3,6 mètres, et il est plus grand en vive-eau.", True),
    ("What is the tidal range at Harwich?", "The mean tidal range at Harwich is 3.6 metres, and it is higher at springs.", False),
    ("ما هو مدى المد في الميناء؟", "متوسط مدى المد في الميناء هو ثلاثة أمتار ونصف المتر.", False),
    ("What is the tidal range at Harwich?", "3.6 m", False),
])  # fmt: skip
def test_a_text_in_another_language_is_not_compared_with_the_question(
    question: str, text: str, other: bool
) -> None:
    blocks = draft.parse(f"## Executive Summary\n\n{text} [p00000001]")
    assert is_in_other_language(question, blocks) == other
