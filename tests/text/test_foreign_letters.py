"""Letters in other languages: their questions, with the subject that the story names."""

from __future__ import annotations

import json
from itertools import product

import pytest

from research_core.llm.offline_judge import judge
from research_core.llm.offline_planner import answer_plan
from research_core.pipeline.plan import MAX_NOTE_LENGTH
from research_core.text.foreign_letters import (
    asks,
    points_back,
    split_letter,
    strip_manners,
    weigh_word,
)
from research_core.text.languages import guess_language
from research_core.text.question_parts import (
    condense_question,
    is_foreign_letter,
    split_questions,
)
from research_core.trust.scored_words import choose_scored_words

#: Letter → what it asks, words that its first query holds, and words that no query holds.
LETTERS = {
    "Guten Tag, letzte Woche haben wir in unserem Keller einen Hausschwamm entdeckt. Ist das"
    " gefährlich? Wer muss die Sanierung bezahlen? Vielen Dank im Voraus!": (
        ("Ist das gefährlich?", "Wer muss die Sanierung bezahlen?"),
        ("Hausschwamm", "gefährlich"),
        ("Guten", "Tag", "letzte", "Dank", "entdeckt"),
    ),
    "Bonjour, notre chien a mangé du chocolat noir hier soir. C'est grave ? Merci d'avance": (
        ("C'est grave ?",),
        ("chien", "chocolat", "grave"),
        ("Bonjour", "hier", "soir", "Merci", "avance"),
    ),
    "Hola, hace dos meses planté un limonero en una maceta y las hojas se ponen amarillas. ¿Cómo"
    " puedo salvarlo? Gracias de antemano.": (
        ("¿Cómo puedo salvarlo?",),
        ("limonero", "salvar"),
        ("Hola", "meses", "Gracias", "antemano", "salvarlo"),
    ),
    "Buongiorno, mia nonna ha trovato in soffitta una vecchia stufa a cherosene. È pericoloso"
    " usarla? Grazie mille.": (
        ("È pericoloso usarla?",),
        ("stufa", "cherosene", "pericoloso"),
        ("Buongiorno", "nonna", "Grazie", "mille"),
    ),
    "こんにちは。先週、庭の木にスズメバチの巣を見つけました。それは危険ですか。よろしくお願いします。": (
        ("それは危険ですか。",),
        ("スズメバチ", "危険"),
        ("先週", "こんにちは", "お願い"),
    ),
    "你好，我家的猫最近经常呕吐，兽医说可能是毛球症。这严重吗？谢谢！": (
        ("这严重吗？",),
        ("呕吐", "毛球症", "严重"),
        ("你好", "最近", "谢谢", "兽医说"),
    ),
    "Bom dia, encontrei cupins no telhado de madeira. Como eliminá-los? Obrigado": (
        ("Como eliminá-los?",),
        ("cupins", "telhado", "eliminar"),
        ("Bom", "dia", "Obrigado", "encontrei"),
    ),
    "السلام عليكم، ابني يشخر كثيرا في الليل بسبب تضخم اللوزتين. هل هذا خطير؟ شكرا جزيلا": (
        ("هل هذا خطير؟",),
        ("تضخم", "اللوزتين", "خطير"),
        ("السلام", "عليكم", "ابني", "جزيلا"),
    ),
    "Здравствуйте! На даче кроты испортили газон. Это опасно для деревьев? Заранее спасибо.": (
        ("Это опасно для деревьев?",),
        ("кроты", "газон"),
        ("Здравствуйте", "Заранее", "спасибо"),
    ),
    "Goedemiddag, sinds een week maakt onze warmtepomp een vreemd geluid. Is dat gevaarlijk?"
    " Alvast bedankt.": (
        ("Is dat gevaarlijk?",),
        ("warmtepomp", "geluid", "gevaarlijk"),
        ("Goedemiddag", "Alvast", "bedankt", "week"),
    ),
}


def list_queries(question: str, most: int = 4) -> list[str]:
    queries: list[str] = json.loads(answer_plan({"question": question, "max_queries": most}))[
        "queries"
    ]
    return queries


@pytest.mark.parametrize(("letter", "expected"), LETTERS.items())
def test_a_letter_is_searched_by_its_subject_and_what_it_asks(
    letter: str, expected: tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]
) -> None:
    questions, held, unheld = expected
    assert tuple(part.text for part in split_questions(letter)) == questions
    queries = list_queries(letter)
    assert set(held) <= set(queries[0].split())
    assert not set(unheld) & set(" ".join(queries).split())


@pytest.mark.parametrize("letter", LETTERS)
def test_a_result_is_scored_by_words_of_the_subject(letter: str) -> None:
    courtesy = strip_manners(letter, guess_language(letter))
    chosen = choose_scored_words(letter, [letter])
    subject = [word.lower() for part in split_questions(letter) for word in part.context]
    assert any(word in " ".join(subject) for words in chosen for word in words)
    for words in chosen:
        assert 0 < len(words) <= 2
        assert all(word in courtesy.lower() for word in words)


@pytest.mark.parametrize(
    ("before", "question", "subject"),
    [
        ("Unsere Photovoltaikanlage steht auf dem Dach.", "Ist das erlaubt?", "Photovoltaikanlage"),
        ("Mon fromage a de la moisissure.", "Est-ce qu'il est encore bon ?", "moisissure"),
        ("Ho comprato una stufa a pellet.", "È conveniente?", "pellet"),
        ("Alquilo un piso con caldera de gasóleo.", "¿Es legal eso?", "caldera"),
        ("屋根裏にコウモリがいます。", "それは危険ですか。", "コウモリ"),
        ("우리 집 강아지가 포도를 먹었습니다.", "위험한가요?", "포도"),
        ("Mamy w piwnicy grzyb domowy.", "Czy to jest groźne?", "piwnicy"),
    ],
)
def test_a_question_that_points_back_gets_its_subject(
    before: str, question: str, subject: str
) -> None:
    (part,) = split_questions(f"{before} {question}")
    assert subject in part.context
    assert subject in part.words


@pytest.mark.parametrize(
    "question",
    [
        "Wie gefährlich ist Hausschwamm für die Gesundheit?",
        "Quels sont les effets du chocolat sur les chiens ?",
        "¿Por qué se ponen amarillas las hojas del limonero?",
        "スズメバチの巣は危険ですか",
        "猫毛球症怎么治疗？",
        "Чем опасна плесень в подвале?",
    ],
)
def test_a_single_question_is_read_as_it_is(question: str) -> None:
    (part,) = split_questions(question)
    assert part.text == question
    assert not part.context
    assert not is_foreign_letter(question)
    assert condense_question(question) == question


@pytest.mark.parametrize(
    ("letter", "good", "other"),
    [
        ("Guten Tag, wir haben in unserem Keller einen Hausschwamm entdeckt. Ist das gefährlich?"
         " Vielen Dank!",
         ("Hausschwamm erkennen", "Für die Gesundheit ist Hausschwamm selten gefährlich."),
         ("Kellerbar", "Guten Tag, in unserem Keller haben wir eine Bar. Vielen Dank!")),
        ("Bonjour, notre chien a mangé du chocolat noir hier soir. C'est grave ? Merci d'avance",
         ("Chocolat et chien", "Le chocolat noir est toxique et une intoxication est grave pour le"
          " chien."),
         ("Un chien au restaurant", "Bonjour, hier soir notre chien a dormi. Merci d'avance.")),
        ("先週、庭の木にスズメバチの巣を見つけました。子どもがよく庭で遊びます。それは危険ですか。",
         ("スズメバチの巣の駆除", "スズメバチの巣は非常に危険です。"),
         ("庭の遊び", "先週、子どもがよく庭で遊びました。")),
        ("Здравствуйте! На даче кроты испортили газон. Как от них избавиться? Заранее спасибо.",
         ("Кроты на участке", "Кроты портят газон, избавиться от них можно ловушками."),
         ("Дача и сосед", "Здравствуйте! На даче хорошо. Заранее спасибо.")),
        ("Olá, comprei um carro elétrico e a bateria perdeu capacidade. Quanto custa trocar a"
         " bateria? Obrigado",
         ("Bateria de carro elétrico", "Trocar a bateria de um carro elétrico custa 5.000 euros."),
         ("Carta", "Olá, comprei um livro. Obrigado.")),
    ],
)  # fmt: skip
def test_a_page_on_the_subject_is_kept_and_one_with_the_small_talk_is_not(
    letter: str, good: tuple[str, str], other: tuple[str, str]
) -> None:
    assert judge(letter, good[0], [good[1]]).score >= 3
    assert judge(letter, other[0], [other[1]]).score < 3


@pytest.mark.parametrize(
    ("letter", "left"),
    [
        ("Wir möchten Hühner halten. Wie viele Hühner braucht man? Was kostet ein Stall? Welche"
         " Rasse ist ruhig? Wie oft legen Hühner Eier? Brauchen Hühner einen Hahn? Was frisst ein"
         " Huhn?", ("Was frisst ein Huhn?",)),
        ("我想养蜜蜂。蜂箱多少钱？蜜蜂什么时候分蜂？蜜蜂会蜇人吗？怎么采蜜？蜂箱放在哪里？蜜蜂冬天吃什么？",
         ("蜜蜂冬天吃什么？",)),
        ("¿Qué es un volcán? ¿Cómo se forma un volcán?", ()),
    ],
)  # fmt: skip
def test_questions_after_the_fifth_are_named_in_the_note(
    letter: str, left: tuple[str, ...]
) -> None:
    plan = json.loads(answer_plan({"question": letter, "max_queries": 3}))
    note = plan.get("note", "")
    assert not set(left) & set(plan["sub_questions"])
    assert all(text in note for text in left)
    assert bool(note) == bool(left)


@pytest.mark.parametrize(
    ("start", "template", "count", "more"),
    [
        ("My garden has a pond.", "How deep is pond {}?", 15, "(+3)"),
        ("Wir haben einen Teich.", "Wie tief ist der Teich {}?", 14, "(+2)"),
        ("我家有池塘。", "池塘{}有多深？", 13, "(+1)"),
        ("Tenemos un estanque.", "¿Qué " + "profundidad y " * 40 + "agua tiene el estanque {}?",
         16, "(+4)"),
        ("Nous avons un étang.", "Quelle profondeur a l'étang {} ?", 12, "étang L ?”"),
    ],
)  # fmt: skip
def test_questions_that_are_not_read_are_counted(
    start: str, template: str, count: int, more: str
) -> None:
    asked = [template.format(letter) for letter in "ABCDEFGHIJKLMNOP"[:count]]
    note = json.loads(answer_plan({"question": " ".join([start, *asked]), "max_queries": 3}))[
        "note"
    ]
    assert note.endswith(more)
    assert len(note) <= MAX_NOTE_LENGTH


def test_common_words_weigh_less_than_rare_ones() -> None:
    for common, rare, language in (
        ("chien", "fibrociment", "fr"),
        ("casa", "limonero", "es"),
        ("был", "отпугиватель", "ru"),
        ("carro", "cupins", "pt"),
        ("hus", "bergvärmepump", "sv"),
    ):
        assert weigh_word(common, language) < weigh_word(rare, language)


def test_letters_of_no_known_language_are_left_as_they_are() -> None:
    asked = {"Ab cd. Ef gh? Ij.": (("Ef gh?", ("Ef", "gh")),)}
    texts = (*asked, "Saluton!", "", "?")
    for text, language in product(texts, ("", "hu")):
        assert strip_manners(text, language) == text
        assert not points_back(text, language)
        assert asks(text, language) == ("?" in text)
        parts = tuple((part.text, part.words) for part in split_letter(text, language))
        assert parts == asked.get(text, ())


@pytest.mark.parametrize(
    ("question", "kept"),
    [
        ("Hvor mye koster et nytt tak på hytta?", "tak"),
        ("¿Qué son las buenas prácticas agrícolas?", "buenas"),
        ("我国的人口有多少？", "我国"),
        ("这种蘑菇有毒吗？", "这种"),
        ("מהו הסכם שלום?", "שלום"),
        ("Wat is de beste fiets voor de stad?", "beste"),
        ("O inquilino é obrigado a pagar o condomínio?", "obrigado"),
        ("¿Cuándo es el Día de Acción de Gracias?", "Gracias"),
        ("Qu'est-ce que le salut ?", "salut"),
        ("¿Cómo se escribe un saludo formal?", "saludo"),
        ("Komu należy się cześć i chwała?", "cześć"),
    ],
)
def test_a_word_of_manners_that_says_something_stays(question: str, kept: str) -> None:
    assert kept in strip_manners(question, guess_language(question))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Tenho cupins em casa. Muito obrigada!", "Tenho cupins em casa"),
        ("Tenho cupins em casa. É grave? Obrigado pela ajuda.", "Tenho cupins em casa. É grave?"),
        ("Muchas gracias y un saludo.", ""),
        ("Hola, tengo chinches. ¿Es grave? Gracias.", "tengo chinches. ¿Es grave?"),
        ("Salut à tous, notre cave est humide.", "notre cave est humide"),
        ("Cześć! Mamy mole. Co robić?", "Mamy mole. Co robić?"),
    ],
)
def test_a_word_of_manners_alone_in_its_clause_goes(text: str, left: str) -> None:
    assert strip_manners(text, guess_language(text)) == left


#: Language → a question about a time that begins or ends with a word that elsewhere points back.
THIS_YEAR = {
    "ar": "كم يبلغ سعر النفط هذا العام؟",
    "cs": "Kolik stojí nafta tento rok?",
    "da": "Hvad koster diesel denne uge?",
    "de": "Was kostet Diesel in diesem Jahr?",
    "el": "Πόσο κοστίζει το πετρέλαιο αυτή την εβδομάδα;",
    "fa": "قیمت نفت این هفته چقدر است؟",
    "he": "כמה עולה דלק בשנה זו?",
    "hi": "इस महीने तेल कितना महंगा है?",
    "ko": "이번 달 휘발유는 얼마인가요?",
    "nl": "Wat kost diesel dit jaar?",
    "pl": "Ile kosztuje węgiel w tym roku?",
    "sv": "Vad kostar diesel denna månad?",
    "tr": "Bu yıl mazot kaç para?",
    "uk": "Скільки коштує вугілля цього року?",
}


@pytest.mark.parametrize("language", THIS_YEAR)
def test_this_year_does_not_point_back(language: str) -> None:
    assert not points_back(THIS_YEAR[language], language)


#: Language → a question that names its thing, and one that points back.
POINTING = {
    "ar": ("ما هي أعراض الربو؟", "هل هذا خطير؟"),
    "cs": ("Co je to dřevomorka?", "Je to nebezpečné?"),
    "da": ("Hvad koster den nye togbillet til Aarhus?", "Er det farligt?"),
    "de": ("Gibt es Hausmittel gegen Flöhe bei Katzen?", "Wie werde ich es wieder los?"),
    "el": ("Πόσο κοστίζει το πετρέλαιο;", "Είναι αυτό επικίνδυνο;"),
    "es": ("¿Cuánto cuestan los paneles solares?", "¿Cómo los limpio?"),
    "fa": ("قیمت نفت چقدر است؟", "آیا این خطرناک است؟"),
    "fr": ("Quel est le prix de l'acier en France ?", "Comment peut-on l'enlever ?"),
    "he": ("מה זה עובש?", "האם זה מסוכן?"),
    "hi": ("दमा का इलाज क्या है?", "क्या यह खतरनाक है?"),
    "it": ("Perché lo zucchero fa male ai denti?", "Come posso pulirlo?"),
    "ja": ("きのこの毒は危険ですか。", "このきのこは食べられますか。"),
    "ko": ("말벌집은 위험한가요?", "그것은 위험한가요?"),
    "nl": ("Wat kost het onderhoud?", "Is het gevaarlijk?"),
    "pl": ("Co to jest grzyb domowy?", "Czy to jest groźne?"),
    "pt": ("Quanto custa o azeite a granel?", "Como posso limpá-lo?"),
    "ru": ("Чем опасна плесень?", "Как от неё избавиться?"),
    "sv": ("Vad kostar den nya tågbiljetten till Malmö?", "Är det farligt?"),
    "th": ("น้ำมันมะพร้าวดีไหม?", "มันอันตรายไหม?"),
    "tr": ("Arı kovanı kaç para?", "Bu tehlikeli mi?"),
    "uk": ("Що це таке грибок?", "Чи це небезпечно?"),
    "zh": ("污水处理厂怎么工作？", "这严重吗？"),
}


@pytest.mark.parametrize("language", POINTING)
def test_articles_and_parts_of_words_do_not_point_back(language: str) -> None:
    own, pointing = POINTING[language]
    assert not points_back(own, language)
    assert points_back(pointing, language)


@pytest.mark.parametrize(
    ("letter", "subject"),
    [
        ("Nous avons un chat. Quel est le prix de l'acier en France cette année ?", "chat"),
        ("Tenemos un gato. ¿Cuánto cuestan los paneles solares con batería en España?", "gato"),
        ("Abbiamo un gatto. Perché lo zucchero nella marmellata fa male ai denti?", "gatto"),
        ("Vi har en katt. Vad kostar den nya tågbiljetten mellan Malmö och Göteborg?", "katt"),
        ("Wir haben eine Katze. Gibt es Hausmittel gegen Blattläuse auf Rosenstöcken?", "Katze"),
        ("Wir haben eine Katze. Was kostet eine Wärmepumpe mit Einbau in diesem Jahr?", "Katze"),
    ],
)
def test_a_question_that_names_its_thing_takes_nothing_over(letter: str, subject: str) -> None:
    (part,) = split_questions(letter)
    assert subject not in part.words


@pytest.mark.parametrize(
    ("letter", "asked"),
    [
        ("Guten Tag. Ich habe eine Kündigung bekommen. Was kostet ein Anwalt?", "Anwalt"),
        ("Notre bail prend fin. Combien coûte un avocat ?", "avocat"),
        ("El gato no come. ¿Cuánto cobra un veterinario?", "veterinario"),
        ("Mijn fiets is gestolen. Wat kost een advocaat?", "advocaat"),
        ("Болит зуб. Сколько стоит стоматолог?", "стоматолог"),
        ("店を探しています。営業時間を教えてください。営業時間は長いですか。", "時間"),
        ("映画を見ました。主人公の名前は何ですか。", "主人公"),
        ("我住在河边。污水处理厂怎么工作？", "处理厂"),
        ("我买了彩票。中奖的可能性有多大？", "可能性"),
        ("ฉันซื้อของ! น้ำมันมะพร้าวดีไหม?", "น้ำมันมะพร้าวดี"),
    ],
)
def test_a_word_of_telling_stays_in_what_is_asked(letter: str, asked: str) -> None:
    (part,) = split_letter(letter, guess_language(letter))
    assert asked in part.words


@pytest.mark.parametrize(
    ("letter", "subject", "told"),
    [
        ("邻居说花园里有白蚁。这严重吗？", "白蚁", "邻居说"),
        ("电工说插座漏电。这危险吗？", "插座漏电", "电工说"),
        ("Vores varmepumpe larmer. Er det farligt? Tak!", "varmepumpe", "Tak"),
        ("Det lekker vann fra varmepumpen. Er det farlig? Takk.", "varmepumpen", "Takk"),
        ("No outono plantei uma roseira e reguei pouco. Isso é grave?", "roseira", "reguei"),
        ("床下でシロアリを捕まえました。これは危険ですか。", "シロアリ", "捕まえ"),
        ("جدتي تشكو من التهاب المفاصل. هل هذا خطير؟", "المفاصل", "جدتي"),
    ],
)
def test_the_subject_is_without_words_of_telling(letter: str, subject: str, told: str) -> None:
    (part,) = split_questions(letter)
    assert subject in part.context
    assert told not in part.context
