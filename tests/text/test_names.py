"""Which words of a name are the surname, and which names are no person's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_core.text.names import NAME_JOINER, is_group, parse_name


@pytest.mark.parametrize(
    ("text", "inverted", "full_name"),
    [
        ("Jane Doe", "Doe, Jane", "Jane Doe"),
        ("Doe, Jane", "Doe, Jane", "Jane Doe"),
        ("J. R. R. Tolkien", "Tolkien, J. R. R.", "J. R. R. Tolkien"),
        ("J.K. Rowling", "Rowling, J.K.", "J.K. Rowling"),
        ("Jean-Paul Sartre", "Sartre, Jean-Paul", "Jean-Paul Sartre"),
        ("Martin Luther King Jr.", "King, Martin Luther, Jr.", "Martin Luther King Jr."),
        ("King, Martin Luther, Jr.", "King, Martin Luther, Jr.", "Martin Luther King Jr."),
        ("Ludwig van Beethoven", "van Beethoven, Ludwig", "Ludwig van Beethoven"),
        ("Christoph von Eichhorn", "von Eichhorn, Christoph", "Christoph von Eichhorn"),
        ("María de la Cruz", "de la Cruz, María", "María de la Cruz"),
        ("Abu Bakr al-Baghdadi", "al-Baghdadi, Abu Bakr", "Abu Bakr al-Baghdadi"),
        ("Santiago Ramón y Cajal", "Ramón y Cajal, Santiago", "Santiago Ramón y Cajal"),
        (
            f"Gabriel García{NAME_JOINER}Márquez",
            "García Márquez, Gabriel",
            "Gabriel García Márquez",
        ),
        ("Ursula K. Le Guin", "Le Guin, Ursula K.", "Ursula K. Le Guin"),
        ("Robert De Niro", "De Niro, Robert", "Robert De Niro"),
        ("Mao Zedong", "Mao, Zedong", "Mao Zedong"),
        ("Kim Jong-un", "Kim, Jong-un", "Kim Jong-un"),
        ("Nguyen Van Anh", "Nguyen, Van Anh", "Nguyen Van Anh"),
        ("Kim Smith", "Smith, Kim", "Kim Smith"),
        ("Lee Child", "Child, Lee", "Lee Child"),
        ("Han Solo", "Solo, Han", "Han Solo"),
        ("Jinping Xi", "Xi, Jinping", "Jinping Xi"),
        ("蔡健雅", "蔡健雅", "蔡健雅"),
        ("Madonna", "Madonna", "Madonna"),
        ("World Health Organization", "World Health Organization", "World Health Organization"),
        ("", "", ""),
        (", Jane", "Jane", "Jane"),
    ],
)
def test_the_parts_of_a_name(text: str, inverted: str, full_name: str) -> None:
    name = parse_name(text)
    assert (name.inverted, name.full_name) == (inverted, full_name)


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("Food and Agriculture Organization", True),
        ("Simon & Schuster", True),
        ("Bank of England", True),
        ("NASA", True),
        ("The Editors", True),
        ("Muster GmbH", True),
        ("Jane Doe", False),
        ("Ag Nes", False),
        ("J.", False),
        ("Fatima", False),
        ("", False),
    ],
)
def test_organisations_are_told_from_people(name: str, group: bool) -> None:
    assert is_group(name) is group


@given(st.text(max_size=200))
def test_no_name_breaks_it_and_no_letter_is_lost(text: str) -> None:
    name = parse_name(text)
    letters = sorted(sign for sign in f"{name.family}{name.given}{name.suffix}" if sign.isalnum())
    assert letters == sorted(sign for sign in text if sign.isalnum())
