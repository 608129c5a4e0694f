"""Which questions are searched for evidence against, and in which words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.text.counter_query import COUNTER_WORDS, MAX_TOPIC_WORDS, build_counter_query


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("Should schools ban homework?", "schools ban homework criticism"),
        ("Does magnesium help against cramps?", "magnesium help cramps evidence against"),
        ("Is it true that geckos can swim?", "true geckos swim evidence against"),
        (
            "What are the effects of night shifts on memory?",
            "effects night shifts memory limitations",
        ),
        ("How safe is tap water in old houses?", "safe tap water old houses limitations"),
        ("Explain the benefits of crop rotation", "benefits crop rotation limitations"),
        ("Is a wood stove better than gas heating?", "wood stove gas heating evidence against"),
        ("Sollte man Zucker besteuern?", "Zucker besteuern Kritik"),
        ("Hilft Ingwer gegen Übelkeit?", "Hilft Ingwer gegen Übelkeit Nachteile"),
        ("Ist Barfußlaufen gesund?", "Barfußlaufen gesund Gegenargumente"),
        ("Faut-il interdire les feux d'artifice ?", "interdire feux artifice critiques"),
        ("Le yoga est-il efficace contre le stress ?", "yoga efficace stress limites"),
        ("¿Es seguro el chicle para los niños?", "seguro chicle niños limitaciones"),
        ("Il digiuno fa bene alla salute?", "digiuno fa salute limiti"),
        ("A carne vermelha faz mal?", "carne vermelha faz mal limitações"),
        ("Moet Nederland vuurwerk verbieden?", "Moet Nederland vuurwerk verbieden kritiek"),
        ("Czy kawa szkodzi sercu?", "kawa szkodzi sercu ograniczenia"),
        ("Вреден ли сахар для детей?", "Вреден сахар детей ограничения"),
        ("咖啡对心脏有害吗？", "咖啡 心脏 有害 局限性"),
        ("コーヒーは心臓に悪いですか？", "コーヒー 心臓 悪い 限界"),
    ],
)
def test_a_contested_question_is_searched_with_words_against_it(question: str, query: str) -> None:
    assert build_counter_query(question) == query


@pytest.mark.parametrize(
    "question",
    [
        "How tall is the Matterhorn?",
        "How much caffeine is safe per day?",
        "Who should inherit the crown of Norway?",
        "When was the ban on asbestos introduced?",
        "Where does lithium come from?",
        "What is a tidal turbine?",
        "How does a heat pump work?",
        "List the types of clouds",
        "Wann wurde das Verbot von Asbest eingeführt?",
        "Wie hoch ist die Zugspitze?",
        "Wer schrieb den Faust?",
        "Quand la loi sur les risques est-elle entrée en vigueur ?",
        "Combien coûte un vélo électrique ?",
        "¿Cuándo se prohibió el amianto?",
        "Quanti abitanti ha Roma?",
        "Кто написал «Войну и мир»?",
        "東京の人口はどれくらい",
        "",
        "???",
    ],
)
def test_other_questions_are_not(question: str) -> None:
    assert build_counter_query(question) == ""


@given(st.text(max_size=200))
def test_any_text_gives_a_short_query_or_none(question: str) -> None:
    query = build_counter_query(question)
    if query:
        endings = [word for words in COUNTER_WORDS.values() for word in vars(words).values()]
        assert query.endswith(tuple(endings))
        assert len(query.split()) <= MAX_TOPIC_WORDS + 3
