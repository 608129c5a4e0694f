"""Whether two texts are told apart by their language: only where it is certain."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.text.languages import (
    detect_language,
    detect_script,
    guess_language,
    languages_differ,
)

ENGLISH = "The river was moved by the engineers, and its old bed has been dry for a century."
SAID = {
    "en": ENGLISH,
    "de": (
        "Der Fluss wurde von den Ingenieuren verlegt, und das alte Bett ist seit hundert Jahren"
        " nicht mehr nass."
    ),
    "fr": (
        "Les ingénieurs ont déplacé la rivière, et le vieux lit est sec dans cette plaine depuis"
        " plus de cent ans."
    ),
    "es": (
        "Los ingenieros movieron el río por la llanura, y su cauce se secó hace más de un siglo,"
        " pero las orillas son visibles."
    ),
    "pt": (
        "Os engenheiros moveram o rio e não há água no leito antigo, que é seco há mais de um"
        " século em uma planície."
    ),
    "it": (
        "Gli ingegneri hanno spostato il fiume e il vecchio letto non è bagnato da più di un"
        " secolo nella pianura."
    ),
    "nl": (
        "De ingenieurs hebben het water verlegd, en de oude bedding is niet nat sinds een eeuw,"
        " ook door het dijken van het land."
    ),
    "sv": (
        "Floden flyttades av ingenjörer, och den gamla fåran är inte våt, som har varit torr för"
        " ett sekel."
    ),
    "pl": (
        "Rzeka nie jest w starym korycie, jak to się stało przez inżynierów, i od wieku jest sucho"
        " na równinie."
    ),
    "tr": (
        "Nehir bir yüzyıl önce bu ova için mühendisler ile birlikte taşındı ve yatak daha kuru"
        " olarak kaldı."
    ),
}


@pytest.mark.parametrize("name", SAID)
def test_a_language_is_told_by_its_little_words(name: str) -> None:
    assert detect_language(SAID[name]) == name
    assert (
        languages_differ(ENGLISH, SAID[name])
        == (name != "en")
        == languages_differ(SAID[name], ENGLISH)
    )


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (ENGLISH, "LATIN"),
        ("Реку перенесли.", "CYRILLIC"),
        ("川を移した。", "CJK"),
        ("نقلوا النهر", "ARABIC"),
        ("река river", ""),
        ("12 %", ""),
    ],
)
def test_a_script_is_that_of_most_letters(text: str, name: str) -> None:
    assert detect_script(text) == name


@pytest.mark.parametrize(
    ("text", "other", "declared", "told"),
    [
        (ENGLISH, "A folyót áthelyezték a mérnökök.", "hu-HU", True),
        (ENGLISH, "A folyót áthelyezték a mérnökök.", "", False),
        (ENGLISH, ENGLISH, "hu", False),  # what is written goes before what is declared
        (SAID["sv"], "Floden flyttades.", "nb", True),
        ("Los Angeles grew fastest", ENGLISH, "en", False),
        ("Leonardo da Vinci painted Mona Lisa", ENGLISH, "en", False),
        (
            "Aspirin reduces mortality",
            SAID["de"],
            "de",
            False,
        ),  # nobody knows in which language that is
        ("", ENGLISH, "en", False),
    ],
)
def test_where_it_is_not_certain_nothing_is_said(
    text: str, other: str, declared: str, told: bool
) -> None:
    assert languages_differ(text, other, declared) is told


@given(st.text(), st.text(max_size=9))
def test_a_text_is_in_the_language_of_itself(text: str, declared: str) -> None:
    if detect_language(text) or not declared:
        assert not languages_differ(text, text, declared)


@pytest.mark.parametrize("language", SAID)
def test_letters_stored_in_parts_are_read_like_whole_ones(language: str) -> None:
    parts = unicodedata.normalize("NFD", SAID[language])
    assert detect_language(parts) == detect_language(SAID[language])
    assert guess_language(parts) == guess_language(SAID[language])


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("서울의 인구는 얼마인가요?", "ko"),
        ("한강 수질 KBS 조사", "ko"),
        ("ガラスはどう作られるか", "ja"),
        ("Wofür wählt man Öl?", "de"),
        ("Où vivait-elle après la fête ?", "fr"),
        ("Ποιος έγραψε τη Θεογονία;", "el"),
        ("Який був мій Київ?", "uk"),
    ],
)
def test_a_question_stored_in_parts_is_in_its_language(question: str, language: str) -> None:
    assert guess_language(unicodedata.normalize("NFD", question)) == language
