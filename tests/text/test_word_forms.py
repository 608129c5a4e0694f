"""Forms of one word in other languages share a root, and other words do not."""

from __future__ import annotations

import pytest

from research_core.text.similarity import parse_question
from research_core.text.word_forms import find_relation_words, fold_forms


@pytest.mark.parametrize(
    ("language", "forms"),
    [
        ("de", "beaufsichtigt beaufsichtigen"),
        ("de", "liefert liefern"),
        ("de", "erfunden erfand erfinden erfindet"),
        ("de", "gestorben starb sterben"),
        ("de", "geschrieben schrieb schreibt"),
        ("de", "aufgenommen aufnehmen"),
        ("fr", "verger vergers"),
        ("fr", "hiberne hibernent"),
        ("fr", "hérisson hérissons"),
        ("fr", "inauguré inaugurer"),
        ("fr", "cause causent"),
        ("ar", "يدرب تدرب تُدرَّب"),
        ("ar", "يكتب تكتب"),
        ("ar", "يصنع تصنع"),
    ],
)
def test_forms_of_a_word_have_one_root(language: str, forms: str) -> None:
    assert len({fold_forms(form, language) for form in forms.split()}) == 1


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("de", "land landen fund finanz"),
        ("de", "bund bad bild"),
        ("de", "garten karten"),
        ("fr", "vent vente ventre"),
        ("fr", "mer mère mur"),
        ("fr", "canal canard"),
        ("ar", "تمر نمر ثمر"),
        ("ar", "يمن سمن"),
        ("es", "casa caza causa"),
    ],
)
def test_other_words_keep_roots_of_their_own(language: str, words: str) -> None:
    assert len({fold_forms(word, language) for word in words.split()}) > 1


@pytest.mark.parametrize(
    ("question", "thing", "relation"),
    [
        ("Welche Wirkung hat Hagel auf Reben?", "Reben", "Wirkung"),
        ("Quels dégâts la grêle provoque-t-elle ?", "grêle", "provoque"),
        ("¿Qué efectos tiene el granizo?", "granizo", "efectos"),
        ("ما آثار البرد على الكروم؟", "الكروم", "آثار"),
        ("冰雹造成什么？", "冰雹", "造成"),
        ("台風の影響は何ですか？", "台風", "影響"),
    ],
)
def test_a_word_that_asks_for_a_relation_weighs_less_than_a_thing(
    question: str, thing: str, relation: str
) -> None:
    parsed = parse_question(question)
    weights = {written: 0.0 for _, written in parsed.order}
    for stem, written in parsed.order:
        weights[written] += parsed.words[stem]
    assert relation.lower() in find_relation_words(parsed.language)
    assert weights[relation] < weights[thing]
