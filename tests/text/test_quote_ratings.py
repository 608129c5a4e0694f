"""A direct answer is rated above one of a part, of a kind of the thing or of one study."""

from __future__ import annotations

import pytest

from research_core.text.quote_ratings import is_of_subtype, names_only_kinds
from tests.text.test_quote_faults import chosen_texts


def test_a_direct_answer_is_chosen_first() -> None:
    text = (
        "Tides and the causes of tides fill a great many books."
        " Tides are caused by the moon's pull."
    )
    assert chosen_texts("What causes tides?", text)[0] == "Tides are caused by the moon's pull."


@pytest.mark.parametrize(
    ("question", "better", "worse"),
    [
        (
            "What causes rust?",
            "Rust on iron is caused by water and by air.",
            "Another cause of rust on iron is salt in the air.",
        ),
        (
            "What causes rust?",
            "Rust on iron is caused by water and by air.",
            "Rust on iron can also be caused by salt of the road.",
        ),
        (
            "What causes a heat wave?",
            "A heat wave is caused by dry air that stays.",
            "A heat wave differs from a dry spell (a time without rain, which occurs when a heat"
            " wave of the sea moves).",
        ),
        (
            "What causes tides?",
            "Tides are caused by the pull of the moon.",
            "In narrow bays, tides are caused by the wind as well.",
        ),
        (
            "What are the symptoms of lead poisoning?",
            "Symptoms of lead poisoning include cramps and a dull headache.",
            "Other symptoms of lead poisoning include pale skin and weak hands.",
        ),
        (
            "What causes rust?",
            "Rust on iron is caused by water and by air.",
            "Rarely, rust on iron is caused by acids of the soil.",
        ),
        (
            "What causes rust?",
            "Rust on iron is caused by water and by air.",
            "In a few cases, rust on iron is caused by acids of the soil.",
        ),
        (
            "How is dry rot treated?",
            "Dry rot is treated with heat and with fungicides.",
            "The way dry rot is treated depends on the age of the house.",
        ),
        (
            "How is dry rot treated?",
            "Dry rot is treated with heat and with fungicides.",
            "An owner should always talk to a surveyor on how dry rot is treated.",
        ),
        (
            "Is dry rot dangerous?",
            "Dry rot is dangerous to the beams of a roof.",
            "A specialist can tell whether dry rot is dangerous to a roof.",
        ),
    ],
)
def test_a_whole_answer_is_chosen_before_one_of_a_part(
    question: str, better: str, worse: str
) -> None:
    for text in (f"{better} {worse}", f"{worse} {better}"):
        assert chosen_texts(question, text)[0] == better


@pytest.mark.parametrize(
    ("question", "text", "is_kind"),
    [
        ("What is glaucoma?", "Closed-angle glaucoma is an emergency.", True),
        ("What causes rust?", "Early rust can be removed with vinegar.", True),
        ("What is a mortgage?", "Fixed-rate mortgages cost more at first.", True),
        ("How is gout treated?", "Untreated gout destroys joints over the years.", True),
        ("What is a heat pump?", "Ground-source heat pumps need a deep hole.", True),
        ("What is glaucoma?", "Glaucoma is a disease of the eye.", False),
        ("What is early rust?", "Early rust is a thin brown film.", False),
        ("What causes rust?", "Most rust begins at a scratch.", False),
        ("What is gout?", "Well-known gout remedies are cherries and rest.", False),
        ("How is gout treated?", "Treatment of gout begins with rest.", False),
    ],
)
def test_a_kind_of_the_thing_is_not_the_thing(question: str, text: str, is_kind: bool) -> None:
    assert is_of_subtype(question, text) is is_kind


def test_a_sentence_on_the_thing_comes_before_one_on_a_kind_of_it() -> None:
    text = (
        "Closed-angle hatch wear is caused by sand in the seal of the hatch."
        " Hatch wear is caused by sand and salt in the seal of a hatch."
    )
    assert chosen_texts("What causes hatch wear?", text, "Hatch wear")[0].startswith("Hatch wear")


@pytest.mark.parametrize(
    ("question", "general", "of_study"),
    [
        (
            "How long do tyres last?",
            "Tyres last about 4 years on most cars.",
            "A recent study of 40 drivers found that tyres last 6 years.",
        ),
        (
            "How deep do otters dive?",
            "Otters dive as deep as ten metres.",
            "Another survey in one bay showed that otters dive eighteen metres.",
        ),
        (
            "Wie lange halten Reifen?",
            "Reifen halten bei den meisten Autos 4 Jahre.",
            "Eine Studie mit 40 Fahrern ergab, dass Reifen sechs Jahre halten.",
        ),
        (
            "Combien de temps durent les pneus ?",
            "Les pneus durent en général 4 ans.",
            "Une étude récente a montré que les pneus durent six ans.",
        ),
        (
            "¿Cuánto duran los neumáticos?",
            "Los neumáticos duran unos 4 años en general.",
            "Un estudio de 40 coches encontró que los neumáticos duran 6 años.",
        ),
    ],
)
def test_what_one_study_found_comes_behind_what_holds_in_general(
    question: str, general: str, of_study: str
) -> None:
    assert chosen_texts(question, f"{of_study} {general}")[0] == general


@pytest.mark.parametrize(
    ("question", "of_kind", "of_thing"),
    [
        (
            "How is rust stopped?",
            "Stage 3 rust is stopped only with new sheets.",
            "Rust is stopped with paint on all of its stages.",
        ),
        (
            "What does liability insurance cover?",
            "Commercial liability insurance covers claims of customers.",
            "Liability insurance covers what its holder breaks.",
        ),
        (
            "How is an asteroid named?",
            "Class C asteroids are named after their finders.",
            "Both rare and common asteroids are named by a committee.",
        ),
        (
            "Wie wird Hörverlust behandelt?",
            "Schwerer Hörverlust wird mit einem Implantat behandelt.",
            "Hörverlust wird meist mit einem Gerät behandelt.",
        ),
        (
            "Comment traiter la corrosion ?",
            "La corrosion avancée se traite par le remplacement des pièces.",
            "La corrosion se traite par le remplacement des pièces.",
        ),
        (
            "¿Cómo se trata la sequía?",
            "La sequía severa se trata con cortes de agua.",
            "La sequía se trata con cortes de agua.",
        ),
        (
            "Como se trata a corrosão?",
            "A corrosão avançada trata-se com peças novas.",
            "A corrosão trata-se com peças novas.",
        ),
        (
            "Come si cura la siccità?",
            "La siccità grave si cura con meno consumi.",
            "La siccità si cura con meno consumi.",
        ),
    ],
)
def test_a_sentence_that_names_only_a_kind_of_the_thing(
    question: str, of_kind: str, of_thing: str
) -> None:
    assert names_only_kinds(question, of_kind)
    assert not names_only_kinds(question, of_thing)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How is stage 3 rust stopped?", "Stage 3 rust is stopped with new sheets."),
        ("How is severe frost measured?", "Severe frost is measured at night."),
        ("How is frost measured?", "Severe frost is frost that lasts for days."),
        ("How is frost measured?", "Severe hoar is measured at night."),
        ("How is stone cut?", "Stone graves are cut by masons."),
        ("Wie wird Stein geschnitten?", "Stein grave wird geschnitten."),
    ],
)
def test_a_kind_that_is_asked_about_is_no_narrower_thing(question: str, text: str) -> None:
    assert not names_only_kinds(question, text)


@pytest.mark.parametrize(
    "text",
    [
        "Mild rust needs only oil, while iron with severe rust is cut out.",
        "Early rust is brushed off, and late rust is welded.",
        "Acute frost kills buds and chronic frost kills roots.",
        "Minor rust and major rust are stopped with paint.",
    ],
)
def test_opposite_grades_are_the_whole_together(text: str) -> None:
    question = "How is frost stopped?" if "frost" in text else "How is rust stopped?"
    assert not names_only_kinds(question, text)


@pytest.mark.parametrize(
    ("question", "told", "text"),
    [
        ("How is rust stopped?", "The rust on our gate is very severe.", "Severe rust is cut out."),
        ("How is frost measured?", "We had late frost.", "Late frost is measured in May."),
        ("Wie wird Rost entfernt?", "Der Rost ist schwer.", "Schwerer Rost wird entfernt."),
    ],
)
def test_a_kind_that_the_asker_tells_of_is_asked_about(question: str, told: str, text: str) -> None:
    assert names_only_kinds(question, text)
    assert not names_only_kinds(question, text, told=told)


@pytest.mark.parametrize(
    ("question", "told", "text"),
    [
        ("How is rust stopped?", "We saw it 4 weeks ago.", "Stage 4 rust is cut out."),
        ("How is rust stopped?", "He has a gate.", "Rust A is cut out."),
    ],
)
def test_an_article_or_a_number_that_is_told_names_no_kind(
    question: str, told: str, text: str
) -> None:
    kinds = names_only_kinds(question, text)
    assert names_only_kinds(question, text, told=told) == kinds


def test_grades_of_something_else_are_no_kinds_of_the_thing() -> None:
    text = "Gates with mild rust break only after a serious blow or a major flood."
    assert names_only_kinds("What are the signs of rust?", text)


def test_another_name_of_the_thing_names_it_whole() -> None:
    text = "Stage 3 rust, as iron oxide is called, is stopped with paint."
    assert names_only_kinds("How is rust stopped?", text)
    assert not names_only_kinds("How is rust stopped?", text, ("iron oxide",))
    assert names_only_kinds("How is rust stopped?", text, ("ax", "ide", "rus"))
