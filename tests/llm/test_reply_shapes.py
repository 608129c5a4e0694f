"""What is made of the words of a model's server."""

from __future__ import annotations

import pytest

from research_core.i18n import use_language
from research_core.llm.reply_shapes import (
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
    for message in (describe_lost_connection(model), describe_thoughts(model)):
        happened, step = message.split(". ", 1)
        assert find_failure_text(f"{happened}.") is not None
        assert find_failure_text(step) is not None
        with use_language(language):
            assert translate_failure(step) in translate_failure(message)
