"""Key words, follow-ups that lean on the question before them, and the queries that instructions
make.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.errors import UsageError
from research_core.text.question import (
    asks_to_exclude,
    build_instruction_query,
    check_instructions,
    find_keywords,
    make_standalone,
    needs_context,
)
from research_core.text.similarity import parse_question

MINING = "What are the environmental risks of deep-sea mining?"


def test_key_words_keep_their_order_and_spelling_each_once() -> None:
    assert find_keywords("How do the ISA's rules (of 2023) differ from ISA's RULES in Norway?") == [
        "ISA's",
        "rules",
        "2023",
        "differ",
        "Norway",
    ]


@pytest.mark.parametrize(
    ("question", "keywords"),
    [
        # German
        ("Welche Nebenwirkungen hat Metformin?", "Nebenwirkungen Metformin"),
        ("Was ist der Unterschied zwischen Mitose und Meiose?", "Mitose Meiose"),
        ("Wann wurde die Berliner Mauer gebaut?", "Berliner Mauer gebaut"),
        ("Warum ist der Himmel blau?", "Himmel blau"),
        ("Ist Intervallfasten gesund?", "Intervallfasten gesund"),
        # French
        ("Comment fonctionne une pompe à chaleur ?", "fonctionne pompe chaleur"),
        ("Qu'est-ce que la photosynthèse ?", "photosynthèse"),
        ("Combien coûte l'installation d'un panneau ?", "coûte installation panneau"),
        ("Pourquoi le ciel est-il bleu ?", "ciel bleu"),
        ("Qui a inventé l’imprimerie ?", "inventé imprimerie"),
        # Spanish
        ("¿Cuáles son los efectos de la metformina?", "efectos metformina"),
        ("¿Cuándo cayó el muro de Berlín?", "cayó muro Berlín"),
        ("¿Por qué el cielo es azul?", "cielo azul"),
        ("¿Qué es la fotosíntesis?", "fotosíntesis"),
        ("¿Quién inventó la imprenta?", "inventó imprenta"),
        # other languages of the Latin script
        ("Cosa causa il diabete?", "causa diabete"),
        ("Quais são os sintomas da dengue?", "sintomas dengue"),
        ("Hoe werkt een warmtepomp?", "werkt warmtepomp"),
        ("Kiedy upadł mur berliński?", "upadł mur berliński"),
        ("Varför är himlen blå?", "himlen blå"),
        ("Hvorfor er himmelen blå?", "himmelen blå"),
        ("Gökyüzü neden mavidir?", "Gökyüzü mavidir"),
        # other scripts with spaces
        ("ما هي أعراض مرض السكري؟", "أعراض مرض السكري"),
        ("لماذا السماء زرقاء؟", "السماء زرقاء"),
        ("هل الصيام المتقطع صحي؟", "الصيام المتقطع صحي"),
        ("كم تكلفة تركيب الألواح الشمسية؟", "تكلفة تركيب الألواح الشمسية"),
        ("من اخترع الطباعة؟", "اخترع الطباعة"),
        ("Каковы симптомы сахарного диабета?", "симптомы сахарного диабета"),
        ("Чому небо блакитне?", "небо блакитне"),
        ("Τι είναι ο διαβήτης;", "διαβήτης"),
        ("מהי סוכרת?", "סוכרת"),
        ("دیابت چیست؟", "دیابت"),
        ("मधुमेह क्या है?", "मधुमेह"),
        ("당뇨병의 초기 증상은 무엇입니까?", "당뇨병 초기 증상"),
        # scripts without spaces
        ("糖尿病的早期症状有哪些？", "糖尿病 早期 症状"),
        ("人工智能对就业市场有什么影响？", "人工智能 就业 市场 影响"),
        ("柏林墙什么时候倒塌？", "柏林墙 倒塌"),
        ("为什么天空是蓝色的？", "天空 蓝色"),
        ("GPT-4的成本是多少？", "GPT-4 成本"),
        ("糖尿病の初期症状は何ですか？", "糖尿病 初期症状"),
        ("なぜ空は青いのですか？", "空 青い"),
        ("ヒートポンプの寿命はどのくらいですか？", "ヒートポンプ 寿命"),
        ("ベルリンの壁はいつ崩壊しましたか？", "ベルリン 壁 崩壊"),
        ("太陽光パネルの設置費用はいくらですか？", "太陽光 パネル 設置 費用"),
        ("ทำไมท้องฟ้าจึงเป็นสีฟ้า", "ท้องฟ้า สีฟ้า"),
        ("อาการเริ่มต้นของโรคเบาหวานคืออะไร", "อาการเริ่มต้น โรคเบาหวาน"),
    ],
)
def test_each_language_has_its_words_of_asking(question: str, keywords: str) -> None:
    assert find_keywords(question) == keywords.split()


@pytest.mark.parametrize(
    ("question", "language", "keywords"),
    [
        ("Was kostet Solarstrom?", "de", "kostet Solarstrom"),
        ("un panneau solaire", "fr", "panneau solaire"),
        ("Kosten und Nutzen", "de", "Kosten Nutzen"),
    ],
)
def test_a_part_of_a_question_is_read_in_the_language_of_the_whole(
    question: str, language: str, keywords: str
) -> None:
    assert find_keywords(question, language) == keywords.split()


@pytest.mark.parametrize(
    "question",
    [
        "What is the Die Hard box set?",
        "Who was Che Guevara and how did he die?",
        "Was Napoleon short?",
        "Como airport parking fees",
        "El Niño effects",
        "U.S. HealthWorks",
        "Does der Spiegel have an English edition?",
    ],
)
def test_an_english_question_with_foreign_words_stays_english(question: str) -> None:
    assert find_keywords(question) == find_keywords(question, "en")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("And what does it cost?", True),
        ("Why?", True),
        ("Who pays for it, and when do companies in Norway have to?", True),
        ("Is it legal in Norway?", True),
        ("Who regulates mining in Norway?", False),
        ("Which companies hold exploration licences from the seabed authority?", False),
        ("How did Norway's parliament justify opening its waters to companies in 2024?", False),
    ],
)
def test_a_follow_up_leans_on_the_question_before_where_it_names_little_or_points_back(
    question: str, expected: bool
) -> None:
    assert needs_context(question) is expected


@pytest.mark.parametrize(
    ("question", "follows", "expected"),
    [
        (
            "And what does it cost?",
            MINING,
            "And what does it cost (about: environmental risks deep-sea mining)?",
        ),
        ("Costs", MINING, "Costs (about: environmental risks deep-sea mining)"),
        ("Who regulates mining in Norway?", MINING, "Who regulates mining in Norway?"),
        ("Any mining?", "What of mining?", "Any mining?"),
        ("Why?", "", "Why?"),
    ],
)
def test_a_question_that_leans_says_what_it_is_about(
    question: str, follows: str, expected: str
) -> None:
    assert make_standalone(question, follows) == expected


def test_a_chain_of_follow_ups_keeps_its_subject() -> None:
    first = make_standalone("And what does it cost?", MINING)
    assert (
        make_standalone("Who pays for it?", first)
        == "Who pays for it (about: cost environmental risks deep-sea mining)?"
    )


@pytest.mark.parametrize(
    ("instruction", "query"),
    [
        ("Say what it means for fisheries", "environmental risks deep-sea mining fisheries"),
        ("Only the Pacific, after 2020.", "environmental risks deep-sea mining Pacific 2020"),
        ("Look at mining", "environmental risks deep-sea mining"),
    ],
)
def test_an_instruction_makes_a_query_of_the_question_and_what_it_adds(
    instruction: str, query: str
) -> None:
    assert build_instruction_query(MINING, instruction) == query


@pytest.mark.parametrize(
    ("instruction", "expected"),
    [
        ("leave out opinion pieces", True),
        ("Ignore blogs.", True),
        ("Please, exclude forums", True),
        ("don’t use press releases", True),
        ("Do not cite blogs", True),
        ("No blogs", True),
        ("without social media", True),
        ("Not only the Pacific", False),
        ("Don't forget the costs", False),
        ("No-take zones", False),
        ("Notes of the authority", False),
        ("Without fishing, do stocks recover?", False),
        ("Say what critics leave out", False),
        ("", False),
    ],
)
def test_an_instruction_to_leave_something_out_is_known_by_how_it_begins(
    instruction: str, expected: bool
) -> None:
    assert asks_to_exclude(instruction) is expected


def test_what_no_search_can_heed_is_refused_with_what_to_do_unless_a_model_writes() -> None:
    given = ["also cover costs", "leave out opinion pieces"]
    check_instructions(given, by_model=True)
    check_instructions(given[:1], by_model=False)
    with pytest.raises(
        UsageError,
        match=r"“leave out opinion pieces” asks to leave something out\..*does not filter by kind",
    ) as caught:
        check_instructions(given, by_model=False)
    assert "Exclude" in caught.value.next_step
    assert "minimum credibility" in caught.value.next_step


SCRIPTS = st.text(
    st.sampled_from("αίςτου κ;абїв ال؟ه ی한은 汉の何ですか。ไทยคือ हैं l'd’é-?.1 "), max_size=60
)


@given(SCRIPTS)
def test_any_script_has_key_words_that_are_no_words_of_asking(text: str) -> None:
    for word in find_keywords(text):
        assert word.strip()
    assert all(parse_question(text).words)


@given(st.text(max_size=200), st.text(min_size=1, max_size=200))
def test_any_text_makes_a_query_and_a_question(question: str, other: str) -> None:
    assert build_instruction_query(question, other)
    assert (
        len(build_instruction_query("word " * 400 + question, "other " * 100 + other).split()) <= 40
    )
    assert make_standalone(question, other).startswith(question.removesuffix("?"))


@pytest.mark.parametrize(
    ("question", "unasked"),
    [
        ("Warum rostet Stahl trotz Farbe, obwohl er trocken steht?", "trotz obwohl"),
        ("Pourquoi les cactus fleurissent-ils malgré la sécheresse, quoique rarement ?",
         "malgré quoique"),
        ("¿Por qué flotan los barcos aunque sean de acero y asimismo pesados?", "aunque asimismo"),
        ("Perché il sughero galleggia sebbene sia compresso e tuttavia leggero?",
         "sebbene tuttavia"),
        ("Por que a cortiça flutua embora seja comprimida, todavia leve?", "embora todavia"),
        ("Waarom roest staal hoewel het droog staat, ondanks verf?", "hoewel ondanks"),
        ("Почему сталь ржавеет несмотря на краску?", "несмотря"),
        ("Çelik boyaya rağmen neden paslanır?", "rağmen"),
        ("Hvorfor ruster stål selvom det står tørt, altid?", "selvom altid"),
        ("لماذا يصدأ الفولاذ رغم الطلاء؟", "رغم"),
    ],
)  # fmt: skip
def test_a_joining_word_of_any_language_is_no_key_word(question: str, unasked: str) -> None:
    assert not {word.lower() for word in find_keywords(question)} & set(unasked.split())


@pytest.mark.parametrize(
    ("question", "kept"),
    [
        ("Was dient dem Wohl der Tiere?", "Wohl"),
        ("Woher kommt der Trotz bei kleinen Kindern?", "Trotz"),
        ("¿Qué filósofos escribieron sobre la dicha?", "dicha"),
        ("Gıda artık maddeleri nasıl değerlendirilir?", "artık"),
        ("Varför är trots vanligt hos små barn?", "trots"),
        ("طبق چوبی چگونه ساخته می‌شود؟", "طبق"),
        ("كيف يعمل كي الملابس بالبخار؟", "كي"),
    ],
)
def test_a_word_that_also_names_something_stays(question: str, kept: str) -> None:
    assert kept in find_keywords(question)
