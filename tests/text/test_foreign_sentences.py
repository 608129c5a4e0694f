"""What the writer needs to know of sentences in other languages."""

from __future__ import annotations

import pytest

from research_core.text.foreign_sentences import leans_on_sentence_before, opens_definition
from research_core.text.languages import guess_language
from research_core.text.quotable import list_quotes, stands_alone


@pytest.mark.parametrize(
    "text",
    [
        "Er wurde im Jahr 1908 von einem Verein gekauft und später renoviert.",
        "Das waren mehr als in den beiden Jahren davor zusammen.",
        "Deshalb wird der Damm jedes Jahr von den Nachbarn geprüft.",
        "Elle passe ensuite au moins trois mois dans une cave de la vallée.",
        "C'est pourquoi les habitants de la vallée ont planté des haies.",
        "Ainsi, les berges du fleuve sont protégées par des saules.",
        "Este se recoge a mano durante el mes de octubre en los campos.",
        "Por eso los vecinos del pueblo limpian la zanja cada año.",
        "وهذا ما جعل السكان ينتقلون إلى المدينة في العام التالي.",
        "ولذلك تغلق البلدية الطريق في فصل الشتاء من كل عام.",
        "它每年冬天都会从北方飞到这里来过冬。",
        "所以当地的农民在春天要重新修整田埂。",
        "これは江戸時代から続く方法で、今も使われている。",
        "そのため、村では毎年秋に石垣を直している。",
    ],
)
def test_a_sentence_that_points_back_does_not_stand_alone(text: str) -> None:
    assert leans_on_sentence_before(text)
    assert not stands_alone(text)


@pytest.mark.parametrize(
    "text",
    [
        "Das Wehr wurde im Jahr 1908 von einem Verein gekauft.",
        "Es gibt in der Stadt noch drei Mühlen, die mit Wasser laufen.",
        "Il faut environ dix kilos de lait pour un seul fromage.",
        "Il existe dans la vallée une dizaine de moulins à eau.",
        "Los molinos de la sierra se mueven con el agua del deshielo.",
        "بنى السكان الجسر الخشبي فوق النهر في عام 1908.",
        "水车是利用水流来带动石磨的一种机械。",
        "水車は、川の流れで臼を動かす機械である。",
        "The mill was bought by a club in 1908 and restored.",
    ],
)
def test_a_sentence_that_names_its_subject_stands_alone(text: str) -> None:
    assert not leans_on_sentence_before(text)
    assert stands_alone(text)


@pytest.mark.parametrize(
    ("question", "defining", "other"),
    [
        (
            "Was ist ein Wehr?",
            "Ein Wehr ist ein Bauwerk, das Wasser staut.",
            "Am Wehr ist es laut.",
        ),
        (
            "Qu'est-ce que la rouille ?",
            "La rouille est un oxyde de fer.",
            "Sur la rouille, il pleut.",
        ),
        (
            "¿Qué es una noria?",
            "Una noria es una máquina para elevar agua.",
            "La noria gira de día.",
        ),
        ("ما هو السد؟", "السد هو حاجز يُبنى في مجرى النهر.", "يقع السد في شمال المدينة."),
        ("什么是水车？", "水车是利用水流的机械。", "村里的水车很旧。"),
        ("水車とは何ですか？", "水車とは、水の力で動く機械である。", "村の水車は古い。"),
    ],
)
def test_a_definition_is_known_by_its_beginning(question: str, defining: str, other: str) -> None:
    language = guess_language(question)
    assert opens_definition(question, defining, language)
    assert not opens_definition(question, other, language)


@pytest.mark.parametrize(
    ("lead_in", "items"),
    [
        ("生锈的主要原因有以下几点：", ("空气潮湿", "油漆脱落", "靠近海边")),
        ("错误的做法包括以下几种：", ("用力敲打", "长时间浸泡", "直接加热")),
        ("Rost entsteht vor allem aus diesen Gründen:", ("feuchte Luft", "alter Lack", "Salz")),
    ],
)
def test_a_list_is_quoted_with_its_lead_in(lead_in: str, items: tuple[str, ...]) -> None:
    passage = "\n\n".join([lead_in, "\n".join(f"- {item}" for item in items)])
    quotes = list_quotes([{"title": "", "passages": [{"id": "p1", "text": passage}]}])
    assert any(items[-1] in quote.text and quote.text.startswith(lead_in) for quote in quotes)
