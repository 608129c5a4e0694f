"""What is made of the words of a model's server."""

from __future__ import annotations

import pytest

from research_core.i18n import use_language
from research_core.llm.reply_shapes import (
    LOST_CONNECTION_STEP,
    MAX_QUOTE_LENGTH,
    describe_lost_connection,
    describe_thoughts,
    find_refusal,
    shorten_quote,
)
from research_core.web.failure_texts import find_failure_text, translate_failure

#: What stands before a number, the number, and what follows.
CUTS = [
    ("Please retry in", " ", "37.3", " s"),
    ("请在", "", "37.3", "秒后重试"),
    ("attendez", " ", "12 000", " ms"),
    ("Bitte warten:", " ", "1.234,5", " s"),
    ("あと", "", "90", "秒"),
]


@pytest.mark.parametrize(("before", "space", "number", "after"), CUTS)
@pytest.mark.parametrize("shown", range(1, 10))
def test_a_quotation_never_ends_inside_a_number(
    before: str, space: str, number: str, after: str, shown: int
) -> None:
    filler = "x" * (MAX_QUOTE_LENGTH - len(before) - shown - 1)
    quote = shorten_quote(f"{filler}{before}{space}{number}{after} {'and so on ' * 5}")
    assert len(quote) <= MAX_QUOTE_LENGTH
    rest = quote.removeprefix(filler).removesuffix("…")
    assert before.startswith(rest) or rest.startswith(f"{before}{space}{number}")


@pytest.mark.parametrize(
    "text", ["", "retry in 37.3 s", "  retry\n in  37.3 s ", "请在37.3秒后重试"]
)
def test_a_short_quotation_stays_whole(text: str) -> None:
    assert shorten_quote(text) == " ".join(text.split())


def test_a_long_quotation_may_end_with_a_whole_number() -> None:
    filler = "x" * (MAX_QUOTE_LENGTH - 20)
    assert shorten_quote(f"{filler} waited 37 seconds and more") == f"{filler} waited 37 seconds…"
    assert shorten_quote(f"{filler} waited for 1234 xxxxxxxxxxx") == f"{filler} waited for 1234…"


REFUSALS = [
    "I'm sorry, but I can't help with that.",
    "I’m sorry, I can’t assist with that request.",
    "As an AI language model, I cannot give medical advice.",
    "## Executive Summary\n\nI apologize, but I am unable to write this report.",
    "Es tut mir leid, aber dabei kann ich nicht helfen.",
    "Dabei kann ich leider nicht helfen.",
    "Ich kann diese Anfrage nicht beantworten.",
    "Je suis désolé, mais je ne peux pas vous aider.",
    "Je ne peux pas répondre à cette demande.",
    "Lo siento, no puedo ayudar con eso.",
    "Desculpe, mas não posso ajudar com isso.",
    "Infelizmente, não consigo escrever este relatório.",
    "Mi dispiace, ma non posso aiutarti.",
    "Извините, я не могу помочь с этим запросом.",
    "申し訳ありませんが、そのご依頼にはお応えできません。",
    "抱歉，我无法协助处理该请求。",
    "對不起，我不能回答這個問題。",
    "عذرًا، لا يمكنني المساعدة في ذلك.",
    "죄송하지만 그 요청은 도와드릴 수 없습니다.",
    "I'm sorry. I can't do that.",
    "I must respectfully decline to answer.",
    "Lo siento, no puedo.",
    "Das kann ich leider nicht.",
    "対応を検討しましたが、医療に関するアドバイスは提供できません。",
    "非常抱歉，我不能生成此类内容。",
    "抱歉，我不能。",
    "We are unable to provide the requested summary.",
    "I'm afraid I cannot comply with this request.",
    "Sorry, can't help with that one.",
    "Leider ist es mir nicht möglich, diese Frage zu beantworten.",
    "Es tut mir leid, dass ich Ihnen dabei nicht weiterhelfen kann.",
    "Malheureusement, il m'est impossible de rédiger ce rapport.",
    "No me es posible. Lo siento, no podemos responder a esta pregunta.",
    "Não é possível responder a essa pergunta.",
    "Purtroppo non sono in grado di rispondere a questa domanda.",
    "К сожалению, не могу ответить на этот вопрос.",
    "للأسف، لن أتمكن من الإجابة عن هذا السؤال.",
    "すみません。この質問に回答することはできません。",
    "很抱歉，我们目前不能提供这方面的建议。",
    "죄송합니다. 이 질문에는 답변드리기 어렵습니다.",
]
NO_REFUSALS = [
    "",
    "The tide comes twice a day.",
    "Sorry for the delay: high water is at 06:12.",
    "Die Flut kommt zweimal am Tag.",
    "La marée ne monte qu'une fois.",
    "No hay marea alta por la noche.",
    "潮は一日に二度満ちる。",
    "涨潮每天两次。",
    "يأتي المد مرتين في اليوم.",
    "We found that aspirin cannot prevent a first stroke in healthy adults.",
    "Unfortunately, antibiotics cannot treat a cold.",
    "We cannot predict earthquakes; nobody can.",
    "I'm sorry to say that the bridge cannot be saved.",
    "We can't help but notice that the ice is thinning.",
    "We cannot give children aspirin, as doctors answer.",
    "High water is at 06:12. It cannot be later. I can't help with the rest.",
    "No es posible curar el resfriado con antibióticos.",
    "Lamentablemente, los antibióticos no pueden ayudar contra los virus.",
    "Não é possível curar um resfriado com antibióticos.",
    "Infelizmente, a vacina não pode ser dada a todos.",
    "Leider kann Hausschwamm in tragenden Balken nicht entfernt werden.",
    "Ich kenne kein Mittel gegen Erkältung.",
    "Den Ursprung des Namens kenne ich nicht.",
    "We cannot see infrared light with our eyes.",
    "我们不能直接看到红外线。",
    "لا يمكننا رؤية الأشعة تحت الحمراء.",
    "古い端末は新しい規格に対応できません。",
    "Malheureusement, les antibiotiques ne peuvent pas aider contre un virus.",
    "Je ne connais pas de remède contre le rhume.",
    "Purtroppo non è possibile curare il raffreddore.",
    "К сожалению, антибиотики не могут помочь при простуде.",
    "للأسف، لا يمكن للمضادات الحيوية علاج الزكام.",
    "残念ながら、抗生物質は風邪を治すことができません。",
    "申し訳なさそうに言う人もいます。薬では治療できません。",
    "我们发现抗生素不能治疗感冒。",
    "遗憾的是，该药物无法预防中风。",
    "유감스럽게도 항생제는 감기를 치료할 수 없습니다.",
    "죄송하다고 말합니다. 이 다리는 복구할 수 없습니다.",
    "The harbour is open. " * 40 + "I'm sorry, but I can't help with that.",
]


@pytest.mark.parametrize("text", REFUSALS)
def test_a_refusal_is_known_by_its_words(text: str) -> None:
    assert find_refusal(text) in text
    assert len(find_refusal(text)) > 5


@pytest.mark.parametrize("text", NO_REFUSALS)
def test_another_text_is_no_refusal(text: str) -> None:
    assert find_refusal(text) == ""


@pytest.mark.parametrize("language", ["de", "fr", "pt", "ar", "zh"])
@pytest.mark.parametrize("model", ["qwen3:8b", "models/gemini-3.5-flash", "模型", "a b", "x/y.z"])
def test_what_is_said_of_a_broken_answer_and_of_thoughts_are_texts(
    language: str, model: str
) -> None:
    for message in (
        f"{describe_lost_connection(model)} {LOST_CONNECTION_STEP}",
        describe_thoughts(model),
    ):
        happened, step = message.split(". ", 1)
        assert find_failure_text(f"{happened}.") is not None
        assert find_failure_text(step) is not None
        with use_language(language):
            assert translate_failure(step) in translate_failure(message)
